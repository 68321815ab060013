/// @file least_cost_rules_test.cpp   Rules that meet a bound on every machine of theirs: rounds and volume by their proofs.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/run_algorithm.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using testing::HasSubstr;

struct RuleCase {
    Operation operation;
    std::string_view algorithm;
    Machine machine;
    std::uint64_t packets = 1;

    [[nodiscard]] Collective collective() const {
        Collective made = Collective::of(operation, 0, operation.signals() ? 0 : 8);
        if (!operation.signals()) made.packets_each = packets;
        return made;
    }
    [[nodiscard]] const Algorithm& row() const { return *find_algorithm(operation, algorithm); }
    [[nodiscard]] std::string name() const {
        return fmt::format("{} {} of {} on {} ({})", kport::name(operation), algorithm, packets,
                           machine.topology->spec(), rules_in_words(machine));
    }
    [[nodiscard]] std::string misfit() const { return misfit_of(row(), machine, collective(), {}).value_or(""); }
};

Machine noncombining(const std::string& spec, PortLimit ports, bool pairwise = false) {
    Machine machine = test::machine(spec, ports);
    machine.combining = false;
    machine.pairwise = pairwise;
    return machine;
}

/// Runs it with its bytes: lawful, of so many rounds, one packet in each, as its formula says. Whether the bounds on rounds name a
/// schedule that meets them is returned.
bool takes_rounds(const RuleCase& c, std::uint64_t rounds) {
    SCOPED_TRACE(c.name());
    EXPECT_EQ(c.misfit(), "");
    if (!c.misfit().empty()) return false;
    const ExpectedCost expected = expected_cost(c.row(), c.machine, c.collective(), {});
    const RunResult run = run_algorithm(c.row(), c.machine, c.collective(), {}, {true, 1}, {});
    const Metrics& metrics = run.verdict.metrics;
    EXPECT_TRUE(run.verdict.lawful());
    EXPECT_EQ(metrics.rounds, rounds);
    EXPECT_EQ(metrics.volume, rounds * c.collective().packet_bytes);
    EXPECT_EQ(metrics.silent_rounds, 0U);
    EXPECT_EQ(expected.rounds, rounds);
    EXPECT_EQ(expected.work, metrics.work);
    EXPECT_EQ(expected.path_sum, metrics.path_sum);
    EXPECT_EQ(expected.volume, c.operation.signals() ? 0 : rounds);
    return reached_bounds(c.machine, c.collective())[Quantity::rounds].reachable == Reachable::yes;
}

TEST(Streams, TakeTheDiameterInRoundsAndVolume) {
    for (const char* const spec : {"line:2", "line:5", "line:6", "ring:3", "ring:6", "ring:7", "mesh:3x4", "torus:3x4",
                                   "mesh:2x3x4", "torus:4x5", "torus:2x3", "torus:3x3x4", "mesh:1x4"})
        for (const Operation& operation : {Operation::allreduce, Operation::scan}) {
            const Machine machine = noncombining(spec, PortLimit(2));
            EXPECT_TRUE(takes_rounds({operation, "streams", machine}, machine.topology->diameter()));
        }
}

TEST(Streams, FoldInTheOrderOfTheNodes) {
    AlgorithmOptions concat;
    concat.reduction.op = Operator::concat;
    concat.reduction.type = ElementType::text;
    for (const char* const spec : {"ring:6", "ring:7", "torus:3x4", "mesh:3x2x2"})
        for (const std::string_view algorithm : {"streams", "alternate"})
            for (const Operation& operation : {Operation::allreduce, Operation::scan}) {
                const RuleCase c{operation, algorithm, test::machine(spec, PortLimit(2))};
                if (algorithm == "alternate" && std::string_view(spec) != "ring:6") continue;
                EXPECT_EQ(misfit_of(c.row(), c.machine, c.collective(), concat), std::nullopt);
                const RunResult run = run_algorithm(c.row(), c.machine, c.collective(), concat, {true, 1}, {});
                EXPECT_TRUE(run.verdict.lawful()) << c.name();
            }
}

TEST(Streams, NeedTwoPortsAndTwoPartners) {
    const auto misfit = [](const char* spec, PortLimit ports, bool pairwise = false) {
        return RuleCase{Operation::allreduce, "streams", noncombining(spec, ports, pairwise)}.misfit();
    };
    EXPECT_THAT(misfit("ring:6", PortLimit(1)), HasSubstr("needs two ports"));
    EXPECT_THAT(misfit("ring:6", PortLimit(2), true), HasSubstr("needs two ports"));
    EXPECT_THAT(misfit("cbt:2", PortLimit(2)), HasSubstr("needs a mesh, torus, line or ring"));
}

TEST(StreamsRotated, TakeADimensionForEachSegmentAtOnce) {
    for (const char* const spec : {"torus:4x4", "torus:5x5", "torus:3x3x3", "mesh:3x3", "mesh:4x4", "hypercube:3",
                                   "hypercube:4", "torus:2x2", "ring:5", "line:4"}) {
        const Machine machine = noncombining(spec, PortLimit::all());
        const std::uint64_t diameter = machine.topology->diameter();
        const std::string_view form(spec);
        const std::uint64_t q =
            form.starts_with("hypercube") ? diameter : 1 + static_cast<std::uint64_t>(std::ranges::count(form, 'x'));
        for (std::uint64_t m = 1; m <= q; ++m)
            EXPECT_TRUE(takes_rounds({Operation::allreduce, "streams-rotated", machine, m}, diameter));
        (void)takes_rounds({Operation::allreduce, "streams-rotated", machine, 2 * q + 1}, 3 * diameter);
    }
}

TEST(StreamsRotated, NeedEqualSidesAndAllPorts) {
    const auto misfit = [](const char* spec, PortLimit ports) {
        return RuleCase{Operation::allreduce, "streams-rotated", noncombining(spec, ports), 2}.misfit();
    };
    EXPECT_THAT(misfit("torus:3x4", PortLimit::all()), HasSubstr("needs a grid of equal sides or a hypercube"));
    EXPECT_THAT(misfit("torus:4x4", PortLimit(3)), HasSubstr("needs all ports"));
}

TEST(Alternate, TakesHalfTheNodesInRoundsWithOnePartnerARound) {
    for (NodeId nodes = 4; nodes <= 18; nodes += 2)
        for (const Operation& operation : {Operation::allreduce, Operation::scan})
            for (const bool pairwise : {false, true})
                EXPECT_TRUE(takes_rounds(
                    {operation, "alternate", noncombining(fmt::format("ring:{}", nodes), PortLimit(1), pairwise)},
                    nodes / 2));
}

/// A middle node of a line sends N - 1 packets of its own and relays 2 floor((N-1)^2 / 4), one a round.
TEST(Alternate, TakesTheLoadOfTheMiddleOfALine) {
    for (NodeId nodes = 2; nodes <= 13; ++nodes)
        for (const std::uint64_t m : {1U, 2U, 3U})
            for (const bool pairwise : {false, true})
                EXPECT_TRUE(takes_rounds({Operation::alltoall, "alternate",
                                          noncombining(fmt::format("line:{}", nodes), PortLimit(1), pairwise), m},
                                         m * (nodes - 1 + 2 * ((nodes - 1) * (nodes - 1) / 4))));
    const auto misfit = [](const char* spec) {
        return RuleCase{Operation::alltoall, "alternate", noncombining(spec, PortLimit(1))}.misfit();
    };
    EXPECT_EQ(misfit("ring:5"), "needs a line");
    EXPECT_EQ(misfit("line:65537"), "needs 2 to 65536 nodes");
}

TEST(Alternate, NeedsAnEvenRing) {
    EXPECT_EQ((RuleCase{Operation::scan, "alternate", noncombining("ring:5", PortLimit(1))}.misfit()),
              "needs an even number of nodes");
    EXPECT_EQ((RuleCase{Operation::scan, "alternate", noncombining("line:6", PortLimit(1))}.misfit()), "needs a ring");
}

TEST(Centred, TakesTheValuesOfARingOverItsChannels) {
    for (NodeId nodes = 3; nodes <= 17; ++nodes)
        for (std::uint64_t c = 1; c <= 3; ++c) {
            const Machine machine = noncombining(fmt::format("ring:{}", nodes), PortLimit(2));
            EXPECT_TRUE(takes_rounds({Operation::allreduce, "centred", machine, c * nodes}, c * (nodes - 1)));
            (void)takes_rounds({Operation::allreduce, "centred", machine, (c - 1) * nodes + 1}, c * (nodes - 1));
        }
}

std::vector<std::string> some_trees() {
    std::vector<std::string> specs = {"line:2", "line:3", "line:6", "line:7", "star:5", "cbt:2", "cbt:3"};
    for (int seed = 1; seed <= 20; ++seed) specs.push_back(fmt::format("random-tree:{},{}", 3 + seed, seed));
    return specs;
}

TEST(Centred, TakesTheSegmentsAndTheDiameterOfATree) {
    for (const std::string& spec : some_trees())
        for (const std::uint64_t m : {1U, 2U, 5U}) {
            const Machine machine = noncombining(spec, PortLimit::all());
            (void)takes_rounds({Operation::allreduce, "centred", machine, m}, m - 1 + machine.topology->diameter());
        }
}

TEST(Centred, NeedsATreeWithAllPortsOrARing) {
    const auto misfit = [](const char* spec, PortLimit ports) {
        return RuleCase{Operation::allreduce, "centred", noncombining(spec, ports), 2}.misfit();
    };
    EXPECT_EQ(misfit("cbt:2", PortLimit(2)), "needs all ports");
    EXPECT_EQ(misfit("hypercube:3", PortLimit::all()), "needs a tree or a ring");
    EXPECT_EQ(misfit("ring:6", PortLimit(1)), "needs two ports");
}

TEST(GreedyChannels, KeepEveryChannelOfATreeBusy) {
    for (const std::string& spec : some_trees())
        for (const std::uint64_t m : test::under_sanitizer ? std::vector{3U} : std::vector{1U, 3U})
            for (const Operation& operation : {Operation::allgather, Operation::reduce_scatter}) {
                const Machine machine = noncombining(spec, PortLimit::all());
                (void)takes_rounds({operation, "greedy-channels", machine, m}, m * (machine.topology->nodes() - 1));
            }
    EXPECT_EQ((RuleCase{Operation::allgather, "greedy-channels", noncombining("star:5", PortLimit(3))}.misfit()),
              "needs all ports");
    EXPECT_EQ((RuleCase{Operation::allgather, "greedy-channels", noncombining("ring:5", PortLimit::all())}.misfit()),
              "needs a tree");
}

TEST(Star, TellsALeafTheResultWhileTheNextSegmentComesIn) {
    for (NodeId nodes = 3; nodes <= 9; ++nodes)
        for (std::uint64_t m = 1; m <= 7; ++m)
            (void)takes_rounds(
                {Operation::allreduce, "star", noncombining(fmt::format("star:{}", nodes), PortLimit(1)), m},
                (nodes - 1) * m + nodes - 2);
    (void)takes_rounds({Operation::allreduce, "star", noncombining("line:3", PortLimit(1)), 4}, 9);
    EXPECT_EQ((RuleCase{Operation::allreduce, "star", noncombining("line:4", PortLimit(1))}.misfit()), "needs a star");
}

TEST(AllNeighbours, EnterInAsManyRoundsAsTheDiameter) {
    for (const char* const spec : {"line:5", "ring:6", "star:5", "cbt:2", "mesh:3x4", "petersen", "complete:5",
                                   "hypercube:3", "random-tree:9,1", "debruijn:2,3"}) {
        const Machine machine = test::machine(spec, PortLimit::all());
        EXPECT_TRUE(takes_rounds({Operation::barrier, "all-neighbours", machine}, machine.topology->diameter()));
    }
    EXPECT_EQ((RuleCase{Operation::barrier, "all-neighbours", test::machine("petersen", PortLimit(2))}.misfit()),
              "needs all ports");
}

}  // namespace
}  // namespace kport
