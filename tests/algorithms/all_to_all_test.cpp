/// @file all_to_all_test.cpp   Every allgather and alltoall: delivery, rules, the textbook's costs and volume, the bounds.
#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/choice.hpp"
#include "algorithms/run_algorithm.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "emulator/topology/grid.hpp"
#include "tests/algorithms/faults.hpp"
#include "tests/algorithms/machines.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::half_duplex;
using test::machine;
using test::without_combining;
using test::wormhole;
using testing::HasSubstr;

// --------------------------------------------------------------------------------------------------- volume, in packets

std::uint64_t triangle(std::uint64_t n) { return n * (n + 1) / 2; }

/// Sum over dimensions of side - 1.
std::uint64_t steps_of(const Topology& topology) {
    const auto& grid = dynamic_cast<const Grid&>(topology);
    std::uint64_t steps = 0;
    for (int i = 0; i < grid.dimensions(); ++i) steps += grid.side(i) - 1;
    return steps;
}

/// Bruck's digits, counted one by one: the largest bundle of a round has the packets for all x < N with equal digits.
std::uint64_t digits_volume(std::uint64_t nodes, std::uint64_t base) {
    std::uint64_t volume = 0;
    for (std::uint64_t unit = 1; unit < nodes; unit *= base) {
        std::vector<std::uint64_t> bundles(base, 0);
        for (std::uint64_t x = 0; x < nodes; ++x) ++bundles[x / unit % base];
        volume += *std::max_element(bundles.begin() + 1, bundles.end());
    }
    return volume;
}

/// With k ports the bundles are the blocks that a node holds before each round, the last ones smaller.
std::uint64_t blocks_volume(std::uint64_t nodes, std::uint64_t base) {
    std::uint64_t volume = 0;
    for (std::uint64_t block = 1; block < nodes; block *= base) volume += std::min(block, nodes - block);
    return volume;
}

/// Odd-even on a mesh: what a line of n takes, times the packets that stand for one on it. On a line two packets cross the
/// busiest link in all rounds but the first, and but the last on odd lines; of an alltoall each for all nodes beyond.
std::uint64_t odd_even_volume(const Topology& topology, bool allgather) {
    const auto& grid = dynamic_cast<const Grid&>(topology);
    std::uint64_t volume = 0;
    for (int i = 0; i < grid.dimensions(); ++i) {
        const std::uint64_t n = grid.side(i);
        const std::uint64_t rounds = n == 1 || n % 2 == 0 ? n - 1 : n;
        std::uint64_t on_line = 0;
        for (std::uint64_t x = 1; x <= rounds; ++x) {
            const std::uint64_t origins = x == 1 || x == n ? 1 : 2;
            const std::uint64_t targets = x == n ? 1 : n - x;
            on_line += origins * (allgather ? 1 : targets);
        }
        volume += on_line * (allgather ? grid.stride(i) : grid.nodes() / n);
    }
    return volume;
}

/// The formulas of model.md section 7 and section 10, item 5; nothing where it depends on the graph in no closed form.
std::optional<std::uint64_t> volume_by_the_book(const Algorithm& algorithm, const Machine& machine) {
    const Topology& topology = *machine.topology;
    const std::uint64_t nodes = topology.nodes();
    const std::uint64_t base = std::uint64_t{machine.widest()} + 1;
    if (algorithm.plan != nullptr || algorithm.through_root) return std::nullopt;
    if (algorithm.name == "direct") return nodes == 1 ? 0 : (nodes - 1 + base - 2) / (base - 1);
    if (algorithm.name == "odd-even") return odd_even_volume(topology, algorithm.operation == Operation::allgather);
    if (algorithm.operation == Operation::allgather) {
        if (algorithm.name == "ring-bidirectional") return nodes / 2;
        if (algorithm.name == "bruck") return blocks_volume(nodes, base);
        if (algorithm.name == "rotations") return nodes == 1 ? 0 : (nodes - 2) / topology.max_degree() + 1;
        return nodes - 1;
    }
    if (algorithm.name == "ring" || algorithm.name == "euler-ring") return nodes * (nodes - 1) / 2;
    if (algorithm.name == "two-way") return nodes * steps_of(topology) / 2;
    if (algorithm.name == "ring-bidirectional") return triangle(nodes / 2);
    if (algorithm.name == "ring-bidirectional-serial") return nodes * nodes / 4;
    if (algorithm.name == "ring-per-dimension") return nodes * steps_of(topology) / 2;
    if (algorithm.name == "exchange") return topology.diameter() * nodes / 2;
    if (algorithm.name == "koenig") return nodes / 2;
    if (algorithm.name == "pairwise") return nodes - 1;
    if (algorithm.name == "alternate") return nodes - 1 + 2 * ((nodes - 1) * (nodes - 1) / 4);
    if (algorithm.name == "bruck") return digits_volume(nodes, base);
    ADD_FAILURE() << "no formula for " << algorithm.name;
    return 0;
}

// ------------------------------------------------------------------------------------------------------------- the claim

Collective asked(Operation operation, std::uint64_t packet_bytes = 13) {
    Collective collective;
    collective.operation = operation;
    collective.packet_bytes = packet_bytes;
    return collective;
}

/// The faults of a run of the algorithm; empty if there are none.
std::string faults(const Algorithm& algorithm, const Machine& machine, const Collective& collective) {
    const ExpectedCost cost = expected_cost(algorithm, machine, collective, {});
    if (algorithm.plan == nullptr && (!cost.rounds || !cost.work || !cost.path_sum))
        return "all costs are known, and not all derived";
    return test::faults(algorithm, machine, collective, {}, volume_by_the_book(algorithm, machine));
}

const Algorithm& named(Operation operation, std::string_view name, const Machine& machine) {
    return algorithm_named(name, machine, asked(operation), {});
}

// ----------------------------------------------------------------------------------------------------------- the machines

TEST(RingOfAnySize, IsServedOneWayAndBothWays) {
    for (NodeId nodes = 1; nodes <= 12; ++nodes) {
        const std::string spec = fmt::format("ring:{}", nodes);
        for (const Operation& operation : {Operation::allgather, Operation::alltoall})
            for (const Machine& m : {machine(spec), machine(spec, PortLimit(2)), machine(spec, PortLimit::all()),
                                     wormhole(machine(spec)), without_combining(machine(spec, PortLimit(2)))})
                for (const Algorithm* algorithm : applicable(m, asked(operation), {}))
                    EXPECT_EQ(faults(*algorithm, m, asked(operation)), "");
    }
}

TEST(RingOfAnySize, MayBeATorusOfOneDimension) {
    for (const Operation& operation : {Operation::allgather, Operation::alltoall}) {
        const Machine torus = machine("torus:6", PortLimit(2));
        for (const auto* name : {"ring", "ring-bidirectional", "ring-per-dimension"})
            EXPECT_EQ(faults(named(operation, name, torus), torus, asked(operation)), "");
    }
}

TEST(RingPerDimension, ServesToriOfAllShapes) {
    for (const auto* spec : {"torus:1x1", "torus:1x5", "torus:2x1", "torus:2x2", "torus:3x2", "torus:2x3x2",
                             "torus:3x3", "torus:4x2x3", "torus:5x4", "torus:2x2x2x2", "torus:1x3x1x2", "torus:7x3"})
        for (const Operation& operation : {Operation::allgather, Operation::alltoall})
            for (const Machine& m : {machine(spec), machine(spec, PortLimit(3)), wormhole(machine(spec))})
                EXPECT_EQ(faults(named(operation, "ring-per-dimension", m), m, asked(operation)), "");
}

TEST(LinePerDimension, ServesMeshesOfAllShapes) {
    for (const auto* spec : {"line:1", "line:2", "line:3", "line:10", "mesh:1x1", "mesh:1x4", "mesh:2x2", "mesh:3x2",
                             "mesh:5x4", "mesh:2x3x4", "mesh:3x1x3", "mesh:2x2x2x2"})
        for (const Machine& m : {wormhole(machine(spec)), wormhole(machine(spec, PortLimit(2)))})
            EXPECT_EQ(faults(named(Operation::allgather, "line-per-dimension", m), m, asked(Operation::allgather)), "");
}

TEST(LinesBothWays, ServeMeshesOfAllShapes) {
    for (const auto* spec : {"line:1", "line:2", "line:3", "line:10", "line:11", "mesh:1x1", "mesh:1x4", "mesh:2x2",
                             "mesh:3x2", "mesh:5x4", "mesh:2x3x4", "mesh:3x1x3", "mesh:2x2x2x2"})
        for (const Operation& operation : {Operation::allgather, Operation::alltoall}) {
            Machine in_pairs = machine(spec);
            in_pairs.pairwise = true;
            for (const Machine& m : {machine(spec), in_pairs, wormhole(machine(spec, PortLimit(3)))})
                EXPECT_EQ(faults(named(operation, "odd-even", m), m, asked(operation)), "");
            for (const Machine& m : {machine(spec, PortLimit(2)), wormhole(machine(spec, PortLimit::all()))})
                EXPECT_EQ(faults(named(operation, "two-way", m), m, asked(operation)), "");
        }
    const Machine single = without_combining(machine("mesh:1x7", PortLimit(2)));
    EXPECT_EQ(faults(named(Operation::allgather, "two-way", single), single, asked(Operation::allgather)), "");
}

TEST(AllPortHypercube, IsServedInTheFewestRoundsWithoutCombining) {
    for (int n = 0; n <= 6; ++n)
        for (const bool combining : {true, false}) {
            Machine m = machine(fmt::format("hypercube:{}", n), PortLimit::all());
            m.combining = combining;
            EXPECT_EQ(faults(named(Operation::allgather, "rotations", m), m, asked(Operation::allgather)), "");
            EXPECT_EQ(faults(named(Operation::alltoall, "koenig", m), m, asked(Operation::alltoall)), "");
        }
}

TEST(Bruck, ServesAnyNumberOfNodesWithAnyNumberOfPorts) {
    for (NodeId nodes = 1; nodes <= 29; ++nodes)
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit(3), PortLimit(5), PortLimit::all()})
            for (const Operation& operation : {Operation::allgather, Operation::alltoall}) {
                const Machine m = machine(fmt::format("complete:{}", nodes), ports);
                EXPECT_EQ(faults(named(operation, "bruck", m), m, asked(operation)), "");
            }
}

// ceil(M (N - 1) / k) rounds of single packets, which no schedule stays below (docs/model.md section 13).
TEST(Direct, ServesAnyNumberOfNodesWithAnyNumberOfPortsWithAndWithoutCombining) {
    test::Sample sample(7, 7);
    for (NodeId nodes = 1; nodes <= 12; ++nodes)
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit(3), PortLimit(5), PortLimit::all()})
            for (const Operation& operation : {Operation::allgather, Operation::alltoall, Operation::reduce_scatter})
                for (const std::uint64_t packets : {1U, 2U, 5U, 12U}) {
                    if (sample.leaves_out()) continue;
                    const Machine m = machine(fmt::format("complete:{}", nodes), ports);
                    Collective collective = asked(operation, 8);
                    collective.packets_each = packets;
                    const std::uint64_t k = std::max<std::uint64_t>(1, m.widest());
                    const std::uint64_t together = packets * ((nodes - 1 + k - 1) / k);
                    const std::uint64_t single = (packets * (nodes - 1) + k - 1) / k;
                    const Algorithm& row = *find_algorithm(operation, "direct");
                    EXPECT_EQ(test::faults(row, m, collective, {}, together), "");
                    EXPECT_EQ(test::faults(row, without_combining(m), collective, {}, single), "");
                    const Verdict verdict = run_algorithm(row, without_combining(m), collective, {}, {}, {}).verdict;
                    EXPECT_EQ(verdict.metrics.rounds, single);
                }
}

/// docs/model.md section 7: a cycle through all nodes gives N - 1 rounds, and M times as many for M packets.
TEST(RingAlongACycle, TakesTheRoundsOfARingOfAsManyNodes) {
    test::Sample sample(5, 5);
    for (const char* spec : {"hypercube:1", "hypercube:2", "hypercube:4", "torus:3x3", "torus:3x4", "torus:3x3x3",
                             "mesh:2x3", "mesh:3x4", "mesh:3x2x3", "complete:2", "complete:3", "complete:6"})
        for (const Operation& operation : {Operation::allgather, Operation::reduce_scatter, Operation::allreduce})
            for (const bool both_ways : {false, true})
                for (const std::uint64_t packets : {1U, 2U, 3U}) {
                    if (sample.leaves_out()) continue;
                    const Machine m = machine(spec, PortLimit(both_ways ? 2 : 1));
                    const NodeId nodes = m.topology->nodes();
                    Collective collective = asked(operation, 8);
                    collective.packets_each = operation == Operation::allreduce ? packets * nodes : packets;
                    const Algorithm& row = *find_algorithm(operation, both_ways ? "ring-bidirectional" : "ring");
                    const std::uint64_t once = both_ways ? nodes / 2 : nodes - 1;
                    const std::uint64_t ways = operation == Operation::allreduce ? 2 : 1;
                    for (const Machine& either : {m, without_combining(m)}) {
                        EXPECT_EQ(test::faults(row, either, collective, {}, std::nullopt), "");
                        const Metrics& cost = run_algorithm(row, either, collective, {}, {}, {}).verdict.metrics;
                        EXPECT_EQ(cost.rounds, ways * once * (either.combining ? 1 : packets)) << spec;
                        EXPECT_EQ(cost.volume, ways * once * packets * 8) << spec;
                        EXPECT_EQ(cost.path_sum, cost.rounds) << spec << ": over one link each";
                    }
                }
}

// Most blocks of a short vector are empty, and some of one that is no multiple of N are longer.
TEST(Direct, ReducesVectorsOfAnyLengthInTwiceTheRoundsOfAnAllgather) {
    for (NodeId nodes = 2; nodes <= 9; ++nodes)
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit(3), PortLimit::all()})
            for (const std::uint64_t segments : {1U, 2U, 4U, 9U, 13U}) {
                const Machine m = machine(fmt::format("complete:{}", nodes), ports);
                Collective collective = asked(Operation::allreduce, 8);
                collective.packets_each = segments;
                const Algorithm& row = *find_algorithm(Operation::allreduce, "direct");
                const std::uint64_t parts = (segments + nodes - 1) / nodes;
                for (const Machine& either : {m, without_combining(m)}) {
                    EXPECT_EQ(test::faults(row, either, collective, {}, std::nullopt), "");
                    const std::uint64_t messages = (either.combining ? 1 : parts) * (nodes - 1);
                    const Verdict verdict = run_algorithm(row, either, collective, {}, {}, {}).verdict;
                    EXPECT_LE(verdict.metrics.rounds, 2 * ((messages + m.widest() - 1) / m.widest()));
                    EXPECT_EQ(verdict.metrics.work,
                              2 * (nodes - 1) * std::min<std::uint64_t>(segments, either.combining ? nodes : segments));
                }
            }
}

/// Each of M segments is sent N - 1 times there and back; a part of N takes the rounds of one vector.
TEST(AnAllreduceOfSinglePackets, IsDerivedForMillionsOfSegments) {
    const Machine m = without_combining(machine("complete:64", PortLimit(2)));
    Collective collective = asked(Operation::allreduce, 8);
    collective.packets_each = (std::uint64_t{1} << 23) + 1;
    const std::uint64_t parts = (std::uint64_t{1} << 17) + 1;
    for (const auto& [name, rounds] :
         {std::pair("ring", 63 * parts), {"ring-bidirectional", 32 * parts}, {"direct", (63 * parts + 1) / 2}}) {
        const ExpectedCost cost =
            expected_cost(*find_algorithm(Operation::allreduce, name), m, collective, AlgorithmOptions{});
        EXPECT_EQ(cost.rounds, 2 * rounds) << name;
        EXPECT_EQ(cost.volume, 2 * rounds) << name;
        EXPECT_EQ(cost.work, 2 * 63 * collective.packets_each) << name;
    }
}

TEST(Direct, TakesHalfDuplexLinksWhereNoTwoSendsOfARoundMeet) {
    for (NodeId nodes = 2; nodes <= 16; ++nodes)
        for (const std::uint32_t ports : {1U, 2U, 3U, 4U, 7U})
            for (const Operation& operation : {Operation::allgather, Operation::alltoall}) {
                Machine m = without_combining(machine(fmt::format("complete:{}", nodes), PortLimit(ports)));
                Collective collective = asked(operation);
                collective.packets_each = 3;
                const Algorithm& row = *find_algorithm(operation, "direct");
                Schedule moved;
                RunOptions options;
                options.recorded_schedule = &moved;
                (void)run_algorithm(row, m, collective, {}, Payload{false}, options);
                m.links = Duplex::half;
                EXPECT_EQ(audit(moved, m, collective, false).lawful(), !misfit_of(row, m, collective, {}).has_value())
                    << nodes << " nodes, " << ports << " ports";
            }
}

// Rings of single packets: M times over.
TEST(RingOfAnySize, ServesManyPacketsWithoutCombiningMTimesOver) {
    for (const auto* spec : {"ring:1", "ring:2", "ring:5", "ring:8"})
        for (const auto* name : {"ring", "ring-bidirectional"})
            for (const Operation& operation : {Operation::allgather, Operation::reduce_scatter})
                for (const std::uint64_t packets : {1U, 2U, 7U}) {
                    const Machine m = without_combining(machine(spec, PortLimit(2)));
                    Collective collective = asked(operation, 8);
                    collective.packets_each = packets;
                    const NodeId nodes = m.topology->nodes();
                    const std::uint64_t once = std::string_view(name) == "ring" ? nodes - 1 : nodes / 2;
                    EXPECT_EQ(test::faults(*find_algorithm(operation, name), m, collective, {}, packets * once), "");
                }
}

TEST(Pairwise, ServesHypercubesWithAndWithoutCombining) {
    for (int dimensions = 0; dimensions <= 6; ++dimensions) {
        const Machine cube = wormhole(machine(fmt::format("hypercube:{}", dimensions)));
        Machine wide = cube;
        wide.ports = PortLimit::all();
        for (const Machine& m : {cube, without_combining(cube), wide})
            EXPECT_EQ(faults(named(Operation::alltoall, "pairwise", m), m, asked(Operation::alltoall)), "");
    }
}

RC_GTEST_PROP(EveryAllToAll, DeliversLawfullyAtItsCostAndNeverBelowTheBounds, ()) {
    Machine any = test::any_machine();
    any.combining = *rc::gen::element(true, true, false);
    Collective collective = test::any_collective(any);
    collective.operation = *rc::gen::element(Operation::allgather, Operation::alltoall);
    if (*rc::gen::inRange(0, 4) != 0) collective.root = 0;
    for (const Algorithm* algorithm : applicable(any, collective, {}))
        if (const std::string wrong = faults(*algorithm, any, collective); !wrong.empty()) RC_FAIL(wrong);
}

RC_GTEST_PROP(EveryAllToAll, RecordedIsTheSameWhenAuditedWithoutARun, ()) {
    const Machine any = test::any_machine();
    Collective collective = test::any_collective(any);
    collective.operation = *rc::gen::element(Operation::allgather, Operation::alltoall);
    if (*rc::gen::inRange(0, 4) != 0) collective.root = 0;
    for (const Algorithm* algorithm : applicable(any, collective, {})) {
        const Job job = make_job(*algorithm, any, collective, {});
        const test::Outcome outcome = test::run(job, 2);
        const Verdict audited = audit(outcome.schedule, any, job.collective, true);
        RC_ASSERT(test::text(audited, *any.topology) == test::text(outcome.verdict, *any.topology));
    }
}

// ------------------------------------------------------------------------------------------------------------- who fits

std::string refusal(Operation operation, std::string_view name, const Machine& machine) {
    try {
        (void)named(operation, name, machine);
    } catch (const RequestError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(EveryAllToAll, SaysWhatItNeeds) {
    for (const Operation& operation : {Operation::allgather, Operation::alltoall}) {
        EXPECT_THAT(refusal(operation, "bruck", machine("hypercube:3")), HasSubstr("needs a complete graph"));
        EXPECT_THAT(refusal(operation, "ring", machine("line:4")), HasSubstr("needs a ring"));
        EXPECT_THAT(refusal(operation, "ring", machine("mesh:3x3")), HasSubstr("needs a ring"));
        EXPECT_THAT(refusal(operation, "ring", half_duplex(machine("ring:4"))), HasSubstr("needs full duplex ports"));
        EXPECT_THAT(refusal(operation, "ring-bidirectional", machine("ring:4")), HasSubstr("needs two ports"));
        EXPECT_EQ(refusal(operation, "ring-bidirectional", machine("ring:2")), "accepted") << "one port is all it has";
        EXPECT_THAT(refusal(operation, "ring-per-dimension", machine("mesh:3x4")), HasSubstr("needs a torus or ring"));
        EXPECT_THAT(refusal(operation, "ring-per-dimension", without_combining(machine("torus:3x4"))),
                    HasSubstr("needs a combining machine"));
    }
    EXPECT_EQ(refusal(Operation::allgather, "ring", without_combining(machine("ring:4"))), "accepted");
    for (const char* spec : {"torus:3x3", "mesh:3x4", "hypercube:4", "complete:5"})
        EXPECT_EQ(refusal(Operation::allgather, "ring", machine(spec)), "accepted") << spec;
    EXPECT_THAT(refusal(Operation::alltoall, "ring", without_combining(machine("ring:4"))),
                HasSubstr("needs a combining machine"));
    EXPECT_THAT(refusal(Operation::allgather, "line-per-dimension", machine("mesh:3x4")),
                HasSubstr("needs wormhole switching"));
    EXPECT_THAT(refusal(Operation::allgather, "line-per-dimension", wormhole(machine("ring:4"))),
                HasSubstr("needs a mesh or line"));
    EXPECT_THAT(refusal(Operation::alltoall, "pairwise", machine("hypercube:3")),
                HasSubstr("needs wormhole switching"));
    for (const Operation& operation : {Operation::allgather, Operation::alltoall}) {
        EXPECT_THAT(refusal(operation, "odd-even", machine("ring:6")), HasSubstr("needs a mesh or line"));
        EXPECT_THAT(refusal(operation, "odd-even", half_duplex(machine("line:6"))), HasSubstr("needs full duplex"));
        EXPECT_THAT(refusal(operation, "two-way", machine("line:6")), HasSubstr("needs two ports"));
        EXPECT_THAT(refusal(operation, "two-way", without_combining(machine("mesh:3x3", PortLimit(2)))),
                    HasSubstr("needs a combining machine"));
        EXPECT_THAT(refusal(operation, "euler-ring", machine("petersen")), HasSubstr("needs wormhole switching"));
        EXPECT_THAT(refusal(operation, "coloured-exchange", half_duplex(machine("petersen"))),
                    HasSubstr("needs full duplex"));
    }
    EXPECT_THAT(refusal(Operation::allgather, "tree-exchange", without_combining(machine("petersen"))),
                HasSubstr("needs a combining machine"));
    EXPECT_THAT(refusal(Operation::allgather, "rotations", machine("hypercube:3")), HasSubstr("needs all ports"));
    EXPECT_THAT(refusal(Operation::alltoall, "koenig", machine("torus:4x4", PortLimit::all())),
                HasSubstr("needs a hypercube"));
    EXPECT_THAT(refusal(Operation::allgather, "dimensions", machine("knoedel:2,10")),
                HasSubstr("needs a Knoedel graph of degree floor(log2 N)"));
}

TEST(BestAllToAll, SendsLittleInFewRoundsAtTheDefaultPrices) {
    const auto best = [](Operation operation, const Machine& machine) {
        return best_algorithm(machine, asked(operation), {}).name;
    };
    EXPECT_EQ(best(Operation::allgather, machine("ring:9")), "greedy-gossip");
    EXPECT_EQ(best(Operation::allgather, without_combining(machine("ring:9"))), "ring");
    EXPECT_EQ(best(Operation::allgather, machine("ring:9", PortLimit(2))), "ring-bidirectional");
    EXPECT_EQ(best(Operation::allgather, machine("torus:3x3")), "ring-per-dimension");
    EXPECT_EQ(best(Operation::alltoall, machine("ring:9")), "greedy-gossip");
    EXPECT_EQ(best(Operation::alltoall, machine("ring:9", PortLimit(2))), "ring-bidirectional");
    EXPECT_EQ(best(Operation::alltoall, wormhole(machine("hypercube:4"))), "exchange");
    EXPECT_EQ(best(Operation::alltoall, without_combining(wormhole(machine("hypercube:4")))), "pairwise");
}

}  // namespace
}  // namespace kport
