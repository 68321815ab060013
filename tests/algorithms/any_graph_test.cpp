/// @file any_graph_test.cpp   Allgather, alltoall and allreduce on any graph, and on Knoedel's (model.md section 7).
#include <array>
#include <bit>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/run_algorithm.hpp"
#include "algorithms/support/segment.hpp"
#include "algorithms/support/spanning_tree.hpp"
#include "emulator/base/error.hpp"
#include "tests/algorithms/faults.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::half_duplex;
using test::machine;
using test::wormhole;

constexpr std::array any_graphs = {"line:1",
                                   "line:2",
                                   "line:7",
                                   "ring:6",
                                   "star:7",
                                   "cbt:3",
                                   "petersen",
                                   "ccc:3",
                                   "hypercube:3",
                                   "mesh:3x4",
                                   "debruijn:2,4",
                                   "complete:5",
                                   "kary-tree:3,2",
                                   "random-tree:17,5",
                                   "shuffle-exchange:4",
                                   "random-connected:18,30,2"};

std::uint64_t rounds_of(const Operation& operation, const char* algorithm, const Machine& m, NodeId root) {
    const Collective collective{operation, root, 8};
    const Algorithm& row = algorithm_named(algorithm, m, collective, {});
    EXPECT_EQ(test::faults(row, m, collective, {}, std::nullopt), "");
    return *row.expect(m, collective, {}).rounds;
}

TEST(TreeExchange, TakesTwoBroadcastsLessTheRoundInWhichRootAndFirstChildExchange) {
    for (const char* spec : any_graphs)
        for (const Operation& operation : {Operation::allgather, Operation::allreduce}) {
            const NodeId nodes = make_topology(spec)->nodes();
            for (const NodeId root : {NodeId{0}, nodes / 2, nodes - 1}) {
                const std::uint64_t b = SpanningTree(*make_topology(spec), root).order_farthest_first(1);
                Machine in_pairs = machine(spec);
                in_pairs.pairwise = true;
                for (const Machine& m : {machine(spec), in_pairs, wormhole(machine(spec, PortLimit(3)))})
                    EXPECT_EQ(rounds_of(operation, "tree-exchange", m, root), b == 0 ? 0 : 2 * b - 1) << spec;
                Machine half_links = machine(spec);
                half_links.links = Duplex::half;
                for (const Machine& m : {half_duplex(machine(spec)), half_links})
                    EXPECT_EQ(rounds_of(operation, "tree-exchange", m, root), 2 * b) << spec;
            }
        }
}

TEST(EulerRda, GoesToTheRootAndBackInTwiceTheDoublingsLessOneRound) {
    for (const char* spec : any_graphs)
        for (const Operation& operation : {Operation::allgather, Operation::allreduce}) {
            const NodeId nodes = make_topology(spec)->nodes();
            const unsigned doublings = ceil_log2(nodes);
            for (const NodeId root : {NodeId{0}, nodes - 1}) {
                for (const Machine& m : {wormhole(machine(spec)), wormhole(machine(spec, PortLimit::all()))})
                    EXPECT_EQ(rounds_of(operation, "euler-rda", m, root), nodes == 1 ? 0 : 2 * doublings - 1) << spec;
                EXPECT_EQ(rounds_of(operation, "euler-rda", half_duplex(wormhole(machine(spec))), root), 2 * doublings)
                    << spec;
            }
        }
}

TEST(EulerRing, WalksOnceRoundTheTreeInEachRound) {
    for (const char* spec : any_graphs)
        for (const Operation& operation : {Operation::allgather, Operation::alltoall}) {
            const std::uint64_t others = make_topology(spec)->nodes() - 1;
            for (const Machine& m : {wormhole(machine(spec)), wormhole(machine(spec, PortLimit(2)))}) {
                EXPECT_EQ(rounds_of(operation, "euler-ring", m, 0), others) << spec;
                const Collective collective{operation, 0, 8};
                EXPECT_EQ(algorithm_named("euler-ring", m, collective, {}).expect(m, collective, {}).work,
                          2 * others * others);
            }
        }
}

TEST(KnoedelDimensions, GossipAndBroadcastInTheFewestRoundsForEveryEvenNumberOfNodes) {
    for (NodeId nodes = 2; nodes <= 130; nodes += nodes < 40 ? 2 : 10) {
        const Machine m = machine(fmt::format("knoedel:{},{}", std::bit_width(nodes) - 1, nodes));
        const unsigned rounds = ceil_log2(nodes);
        EXPECT_EQ(rounds_of(Operation::allgather, "dimensions", m, 0), rounds);
        if (std::has_single_bit(nodes)) {
            EXPECT_EQ(rounds_of(Operation::allreduce, "dimensions", m, 0), rounds);
        }
        const Collective collective{Operation::allgather, 0, 8};
        EXPECT_EQ(algorithm_named("dimensions", m, collective, {}).expect(m, collective, {}).volume, nodes - 1);
        for (const NodeId source : {NodeId{0}, nodes / 3, nodes - 1})
            for (const Operation& operation : {Operation::broadcast, Operation::reduce})
                for (const Machine& each : {m, half_duplex(m)})
                    EXPECT_EQ(rounds_of(operation, "dimensions", each, source), rounds);
    }
}

// long-messages: where machines combine, all M packets of a node go together.
TEST(SeveralPacketsOfEach, GoTogetherInAsManyRounds) {
    for (const char* spec : {"petersen", "mesh:3x4", "line:5", "hypercube:3", "knoedel:3,10", "random-tree:11,2"})
        for (const Operation& operation :
             {Operation::broadcast, Operation::allgather, Operation::alltoall, Operation::allreduce})
            for (const Machine& m : {machine(spec), machine(spec, PortLimit::all()), wormhole(machine(spec))}) {
                Collective collective{operation, 0, 8};
                collective.packets_each = 3;
                for (const Algorithm* row : applicable(m, collective, {})) {
                    if (row->name.find("flooding") != std::string_view::npos) continue;
                    const Verdict verdict = run_algorithm(*row, m, collective, {}, Payload{}, {}).verdict;
                    const Metrics& metrics = verdict.metrics;
                    EXPECT_TRUE(verdict.lawful()) << row->name << " on " << spec;
                    const ExpectedCost cost = expected_cost(*row, m, collective, {});
                    EXPECT_EQ(cost.rounds.value_or(metrics.rounds), metrics.rounds) << row->name << " on " << spec;
                    EXPECT_EQ(cost.volume.value_or(metrics.volume / 8), metrics.volume / 8)
                        << row->name << " on " << spec;
                }
            }
}

TEST(ARoot, IsForAlgorithmsThatGoThroughOne) {
    const Machine cube = machine("hypercube:3");
    const Collective through_5{Operation::allgather, 5, 8};
    EXPECT_EQ(algorithm_named("tree-exchange", cube, through_5, {}).name, "tree-exchange");
    try {
        (void)algorithm_named("exchange", cube, through_5, {});
        FAIL();
    } catch (const RequestError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("'exchange' has no root; on hypercube:3"));
        EXPECT_THAT(error.what(), testing::HasSubstr("tree-exchange would do"));
    }
}

}  // namespace
}  // namespace kport
