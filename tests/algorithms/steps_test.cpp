/// @file steps_test.cpp   Allgathers by steps, the reduce-scatters that they are backwards and the allreduces that they are both
///                        ways, on many machines and for many M: lawful, at the cost derived, alike without rounds.
#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/run_algorithm.hpp"
#include "algorithms/support/steps.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/job.hpp"
#include "tests/algorithms/machines.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::machine;
using test::without_combining;
using test::wormhole;
using testing::HasSubstr;

Collective asked_for(const Operation& operation, std::uint64_t m) {
    Collective collective{operation, 0, 8};
    collective.packets_each = m;
    return collective;
}

void expect_lawful_at_its_cost(const Algorithm& algorithm, const Machine& m, const Collective& collective,
                               const AlgorithmOptions& options = {}) {
    SCOPED_TRACE(fmt::format("{} {} on {} ({}), M = {}", name(collective.operation), algorithm.name, m.topology->spec(),
                             m.describe(), collective.packets_each));
    const Verdict verdict = run_algorithm(algorithm, m, collective, options, {}, {}).verdict;
    EXPECT_TRUE(verdict.lawful()) << test::text(verdict, *m.topology);
    const Metrics& metrics = verdict.metrics;
    const ExpectedCost cost = expected_cost(algorithm, m, collective, options);
    EXPECT_EQ(cost.rounds.value_or(metrics.rounds), metrics.rounds);
    EXPECT_EQ(cost.work.value_or(metrics.work), metrics.work);
    EXPECT_EQ(cost.path_sum.value_or(metrics.path_sum), metrics.path_sum);
    EXPECT_EQ(cost.volume.value_or(metrics.volume / 8) * 8, metrics.volume);
    RunOptions free;
    free.engine = EngineKind::free;
    const RunResult without_rounds = run_algorithm(algorithm, m, collective, options, {}, free);
    EXPECT_EQ(without_rounds.needs_rounds, NeedsRounds::no);
    EXPECT_EQ(test::text(without_rounds.verdict, *m.topology), test::text(verdict, *m.topology));
    Machine strict = m;
    strict.policy = Policy::strict;
    EXPECT_TRUE(run_algorithm(algorithm, strict, collective, options, {}, {}).verdict.lawful());
}

TEST(EveryAllgatherBySteps, IsAReduceScatterBackwardsAndAnAllreduceBothWays) {
    int runs = 0;
    test::Sample sample(11, 3);
    for (const char* spec :
         {"ring:1", "ring:2", "ring:3", "ring:6", "torus:3x3", "torus:2x3", "torus:3x3x3", "hypercube:0", "hypercube:1",
          "hypercube:3", "complete:1", "complete:2", "complete:6", "complete:7", "complete:10", "complete:16"})
        for (const Machine& m : {machine(spec), machine(spec, PortLimit(2)), machine(spec, PortLimit::all()),
                                 wormhole(machine(spec)), without_combining(machine(spec, PortLimit(2)))})
            for (const Operation& operation : {Operation::allgather, Operation::reduce_scatter, Operation::allreduce})
                for (const std::uint64_t each : {1U, 2U, 5U, 18U})
                    for (const Algorithm* row : applicable(m, asked_for(operation, each), {})) {
                        if (row->way != Way::program) continue;
                        if (sample.leaves_out()) continue;
                        expect_lawful_at_its_cost(*row, m, asked_for(operation, each));
                        ++runs;
                    }
    EXPECT_GT(runs, 700 / static_cast<int>(sample.one_of()));
}

TEST(SegmentsOfCells, OfAnAllreduceAreThoseThatTheirBlocksBeginWithUpToTheNextBlock) {
    class InParts final : public Steps {
      public:
        explicit InParts(std::uint64_t parts) : parts_(parts) {}
        [[nodiscard]] std::uint64_t count() const override { return 0; }
        [[nodiscard]] std::uint64_t parts() const override { return parts_; }
        [[nodiscard]] NodeId to(std::uint64_t, std::uint64_t, NodeId) const override { return no_node; }
        [[nodiscard]] NodeId from(std::uint64_t, std::uint64_t, NodeId) const override { return no_node; }
        [[nodiscard]] PacketBlocks cells(std::uint64_t, std::uint64_t, NodeId) const override { return {}; }

      private:
        std::uint64_t parts_;
    };
    constexpr NodeId nodes = 24;
    for (const std::uint64_t parts : {1U, 2U})
        for (const std::uint64_t m : {1U, 2U, 7U, 23U, 24U, 25U, 48U, 60U})
            for (const PacketBlock& blocks : {some_blocks(0, 1, 24), some_blocks(5, 1, 9), some_blocks(1, 2, 12),
                                              some_blocks(3, 5, 4), some_blocks(0, 12, 2), some_blocks(23, 1, 1)}) {
                const InParts steps(parts);
                PacketBlock cells = blocks;
                cells.row = static_cast<std::uint32_t>(parts - 1);
                PacketSet expected;
                const std::uint64_t part_begin = cut_at(parts - 1, m, parts);
                for (std::uint64_t s = part_begin; s < m; ++s)
                    for (std::uint32_t i = 0; i < blocks.count; ++i) {
                        const NodeId b = blocks.columns()[i];
                        const std::uint64_t size = m - part_begin;
                        if (part_begin + cut_at(b, size, nodes) <= s && s < part_begin + cut_at(b + 1, size, nodes))
                            expected.add(PacketBlock{static_cast<std::uint32_t>(s)});
                    }
                const PacketSet told = segments_of_cells(steps, {cells}, asked_for(Operation::allreduce, m), nodes);
                EXPECT_EQ(told.size(), expected.size()) << m << " segments, blocks from " << blocks.first;
                EXPECT_TRUE(told.covers(expected.blocks()));
            }
}

/// Second halves of 5 blocks that do not adjoin: their description grows with the blocks, and not with M.
TEST(SegmentsOfCells, OfAReduceScatterAreAsFewProgressionsAsItsBlocksOrTheirSegments) {
    class Apart final : public Steps {
      public:
        [[nodiscard]] std::uint64_t count() const override { return 1; }
        [[nodiscard]] std::uint64_t parts() const override { return 2; }
        [[nodiscard]] NodeId to(std::uint64_t, std::uint64_t, NodeId v) const override { return v; }
        [[nodiscard]] NodeId from(std::uint64_t, std::uint64_t, NodeId v) const override { return v; }
        [[nodiscard]] PacketBlocks cells(std::uint64_t, std::uint64_t, NodeId) const override { return {}; }
    };
    const PacketBlocks cells = {some_blocks(1, 8, 5, 1)};
    for (const std::uint64_t m : {2U, 6U, 10U, 12U, 13U, 2000U}) {
        const PacketSet named = segments_of_cells(Apart(), cells, asked_for(Operation::reduce_scatter, m), 64);
        PacketSet wanted;
        for (const std::uint64_t block : {1U, 9U, 17U, 25U, 33U})
            for (std::uint64_t j = m / 2; j < m; ++j) wanted.add(PacketSet::range(block * m + j, block * m + j + 1));
        EXPECT_LE(named.blocks().size(), std::min<std::size_t>(m - m / 2, 5)) << m;
        EXPECT_EQ(named.size(), wanted.size()) << m;
        EXPECT_TRUE(named.covers(wanted.blocks())) << m;
    }
}

TEST(AVectorOfFewSegments, CostsRoundALongRingWhatMovesAndNoLookAtEveryStep) {
    constexpr NodeId nodes = 256;
    /// Around a ring, as the algorithm `ring`; counts which node asks what moves in a step.
    class CountedRing final : public Steps {
      public:
        explicit CountedRing(std::atomic<std::uint64_t>& asked) : asked_(asked) {}
        [[nodiscard]] std::uint64_t count() const override { return nodes - 1; }
        [[nodiscard]] NodeId to(std::uint64_t, std::uint64_t, NodeId v) const override { return (v + 1) % nodes; }
        [[nodiscard]] NodeId from(std::uint64_t, std::uint64_t, NodeId v) const override {
            return (v + nodes - 1) % nodes;
        }
        [[nodiscard]] PacketBlocks cells(std::uint64_t step, std::uint64_t, NodeId v) const override {
            ++asked_;
            return {some_blocks((v + nodes - step) % nodes, 1, 1)};
        }
        [[nodiscard]] std::optional<std::vector<std::uint64_t>> steps_with(NodeId v, NodeId block) const override {
            const NodeId away = (v + nodes - block) % nodes;
            return std::vector<std::uint64_t>{away == 0 ? nodes - 2 : away - 1, away == nodes - 1 ? 0 : away};
        }

      private:
        std::atomic<std::uint64_t>& asked_;
    };
    for (const std::uint64_t segments : {1U, 3U}) {
        const Machine ring = machine(fmt::format("ring:{}", nodes));
        const Collective collective = asked_for(Operation::allreduce, segments);
        Job job = make_job(algorithm_named("ring", ring, collective, {}), ring, collective, {});
        const RunResult as_it_is = run_lockstep(job, {});
        std::atomic<std::uint64_t> asked = 0;
        job.program = scattering_and_gathering(std::make_shared<const CountedRing>(asked)).program;
        const RunResult counted = run_lockstep(job, {});
        EXPECT_EQ(test::text(counted.verdict, *ring.topology), test::text(as_it_is.verdict, *ring.topology));
        EXPECT_TRUE(counted.verdict.lawful());
        EXPECT_LE(asked, 8 * counted.verdict.metrics.work);
    }
}

TEST(Pat, TakesFewerBlocksAMessageAndMoreRoundsWithASmallerAggregate) {
    for (const NodeId nodes : {2U, 5U, 8U, 13U})
        for (const Operation& operation : {Operation::allgather, Operation::reduce_scatter, Operation::allreduce})
            for (std::uint64_t aggregate = 1; 2 * aggregate < 2 * nodes; aggregate *= 2) {
                const Machine m = machine(fmt::format("complete:{}", nodes));
                AlgorithmOptions options;
                options.aggregate = aggregate;
                expect_lawful_at_its_cost(algorithm_named("pat", m, asked_for(operation, 2), options), m,
                                          asked_for(operation, 2), options);
            }
}

std::string refusal_of(std::string_view name, const Operation& operation, const Machine& m,
                       const AlgorithmOptions& options = {}) {
    try {
        (void)algorithm_named(name, m, asked_for(operation, 1), options);
    } catch (const RequestError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(Preconditions, AreCheckedAndNameWhatWouldDo) {
    AlgorithmOptions three;
    three.aggregate = 3;
    EXPECT_THAT(refusal_of("pat", Operation::allgather, machine("complete:8"), three),
                HasSubstr("needs --aggregate of a power of two up to 4"));
    EXPECT_THAT(refusal_of("bruck", Operation::allgather, machine("complete:8"), three),
                HasSubstr("takes no aggregate"));
    EXPECT_THAT(
        refusal_of("swing", Operation::reduce_scatter, machine("complete:7")),
        testing::AllOf(HasSubstr("needs an even number of nodes"), HasSubstr("bruck, "), HasSubstr(" would do")));
    EXPECT_THAT(refusal_of("exchange-rotated", Operation::allgather, machine("hypercube:3")),
                testing::AllOf(HasSubstr("needs all ports"), HasSubstr("exchange, ring, ")));
    EXPECT_THAT(refusal_of("ring-per-dimension-rotated", Operation::allreduce, machine("torus:3x4", PortLimit::all())),
                testing::AllOf(HasSubstr("needs equal sides of 3 or more"), HasSubstr("ring-per-dimension")));
    Collective long_vector = asked_for(Operation::allreduce, 5);
    EXPECT_FALSE(misfit_of(*find_algorithm(Operation::allreduce, "ring"), without_combining(machine("ring:4")),
                           long_vector, {}));
    EXPECT_TRUE(misfit_of(*find_algorithm(Operation::allreduce, "swing"), without_combining(machine("complete:4")),
                          long_vector, {}));
    EXPECT_THAT(refusal_of("bit-pairs", Operation::permutation, machine("hypercube:2")),
                HasSubstr("permutation transpose or bit-reversal"));
}

}  // namespace
}  // namespace kport
