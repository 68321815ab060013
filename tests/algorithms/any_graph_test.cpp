/// @file any_graph_test.cpp   Allgather, reduce-scatter, alltoall, allreduce, barrier and permutation on any graph, and on Knoedel's
///                            (model.md section 7).
#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <string>
#include <vector>

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
    Collective collective = Collective::of(operation, root, 8);
    collective.root = root;
    const Algorithm& row = algorithm_named(algorithm, m, collective, {});
    EXPECT_EQ(test::faults(row, m, collective, {}, std::nullopt), "");
    return *row.expect(m, collective, {}).rounds;
}

TEST(TreeExchange, TakesTwoBroadcastsLessTheRoundInWhichRootAndFirstChildExchange) {
    for (const char* spec : any_graphs)
        for (const Operation& operation :
             {Operation::allgather, Operation::reduce_scatter, Operation::allreduce, Operation::barrier}) {
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
        for (const Operation& operation :
             {Operation::allgather, Operation::reduce_scatter, Operation::allreduce, Operation::barrier}) {
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
        for (const Operation& operation : {Operation::allgather, Operation::reduce_scatter, Operation::alltoall}) {
            const std::uint64_t others = make_topology(spec)->nodes() - 1;
            for (const Machine& m : {wormhole(machine(spec)), wormhole(machine(spec, PortLimit(2)))}) {
                EXPECT_EQ(rounds_of(operation, "euler-ring", m, 0), others) << spec;
                const Collective collective{operation, 0, 8};
                EXPECT_EQ(algorithm_named("euler-ring", m, collective, {}).expect(m, collective, {}).work,
                          2 * others * others);
            }
        }
}

std::vector<Machine> machines_to_route_on(const std::string& spec) {
    std::vector<Machine> machines;
    for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()})
        for (const bool combining : {true, false}) {
            Machine plain = machine(spec, ports);
            plain.combining = combining;
            Machine in_pairs = plain;
            in_pairs.pairwise = true;
            Machine half_links = plain;
            half_links.links = Duplex::half;
            machines.insert(machines.end(), {plain, wormhole(plain), half_duplex(plain), in_pairs, half_links});
        }
    return machines;
}

/// By shortest-paths, in which `distances` are the ways of the packets.
void expect_no_detour(const Machine& m, const Collective& collective, const std::vector<Hops>& distances) {
    const Algorithm& row = *find_algorithm(collective.operation, "shortest-paths");
    EXPECT_EQ(test::faults(row, m, collective, {}, std::nullopt), "");
    const ExpectedCost cost = expected_cost(row, m, collective, {});
    const Hops together = std::accumulate(distances.begin(), distances.end(), Hops{0});
    EXPECT_EQ(cost.work.value_or(0), m.combining ? cost.work : collective.packets_each * together);
    // Packets that meet go on together: where no port is short none ever waits.
    const bool nothing_waits = m.combining && m.ports.is_all() && m.duplex == Duplex::full && !m.is_exclusive();
    const Hops farthest = distances.empty() ? 0 : std::ranges::max(distances);
    EXPECT_EQ(cost.rounds.value_or(0), nothing_waits ? farthest : cost.rounds);
}

/// Nodes 0, 3, 6, ... send to the next node, and the others nothing.
Permutation every_third_to_the_next(NodeId nodes) {
    std::vector<NodeId> targets(nodes, no_node);
    for (NodeId v = 0; v + 1 < nodes; v += 3) targets[v] = v + 1;
    return listed_permutation(std::move(targets));
}

void expect_permuted(const Machine& m, const Permutation& permutation, std::uint64_t packets) {
    SCOPED_TRACE(text(permutation));
    const NodeId nodes = m.topology->nodes();
    Collective collective = Collective::permuted(permutation, 8);
    collective.packets_each = packets;
    std::vector<Hops> distances;
    for (NodeId v = 0; v < nodes; ++v) distances.push_back(m.topology->distance(v, permutation.target(v, nodes)));
    expect_no_detour(m, collective, distances);
}

TEST(PermutationShortestPaths, KeepsTheRulesOfEveryMachineAndMakesNoDetour) {
    for (const char* spec : any_graphs)
        for (const Machine& m : machines_to_route_on(spec)) {
            const NodeId nodes = m.topology->nodes();
            for (const NodeId by : {NodeId{0}, NodeId{1}, nodes / 2, nodes - 1})
                if (by < nodes)
                    expect_permuted(m, {Permutation::Kind::shift, static_cast<std::int64_t>(by)}, by == 1 ? 3 : 1);
            expect_permuted(m, every_third_to_the_next(nodes), 1);
            expect_permuted(m, {Permutation::Kind::move, -1}, 2);
        }
    for (const Machine& m : machines_to_route_on("mesh:4x4")) expect_permuted(m, {Permutation::Kind::transpose}, 2);
    for (const Machine& m : machines_to_route_on("hypercube:4")) {
        expect_permuted(m, {Permutation::Kind::transpose}, 1);
        expect_permuted(m, {Permutation::Kind::bit_reversal}, 1);
    }
}

TEST(PermutationTreeExchange, TakesAtMostTheRoundsOfTheAllgatherOnEveryGraphFromEveryRoot) {
    const Algorithm& row = *find_algorithm(Operation::permutation, "tree-exchange");
    for (const char* spec : any_graphs)
        for (const Machine& m : machines_to_route_on(spec)) {
            if (!m.combining) continue;
            const NodeId nodes = m.topology->nodes();
            for (const NodeId root : {NodeId{0}, nodes / 2, nodes - 1})
                for (const Permutation& permutation :
                     {Permutation{Permutation::Kind::shift, 0},
                      Permutation{Permutation::Kind::shift, static_cast<std::int64_t>(1 % nodes)},
                      Permutation{Permutation::Kind::shift, static_cast<std::int64_t>(nodes / 2)},
                      Permutation{Permutation::Kind::move, -1}, every_third_to_the_next(nodes)}) {
                    SCOPED_TRACE(text(permutation));
                    Collective collective = Collective::permuted(permutation, 8);
                    collective.root = root;
                    collective.packets_each = permutation.by == 1 ? 3 : 1;
                    EXPECT_EQ(test::faults(row, m, collective, {}, std::nullopt), "");
                    EXPECT_LE(expected_cost(row, m, collective, {}).rounds,
                              rounds_of(Operation::allgather, "tree-exchange", m, root));
                }
        }
}

// In a star every packet of a shift by 1 crosses the links of its leaves. In the tree of the mesh, the first row with the columns
// below it, node 8 is a leaf whose packet stays.
TEST(PermutationTreeExchange, LeavesLinksSilentThatNoPacketNeeds) {
    const Machine star = machine("star:6");
    Collective pairs = Collective::permuted({Permutation::Kind::shift, 0}, 8);
    const Algorithm& row = *find_algorithm(Operation::permutation, "tree-exchange");
    EXPECT_EQ(run_algorithm(row, star, pairs, {}, Payload{}, {}).verdict.metrics.transfers, 0U);
    pairs.permutation.by = 1;
    EXPECT_EQ(run_algorithm(row, star, pairs, {}, Payload{}, {}).verdict.metrics.transfers, 10U);
    const Machine square = machine("mesh:3x3");
    const Collective turned = Collective::permuted({Permutation::Kind::transpose}, 8);
    const Verdict verdict = run_algorithm(row, square, turned, {}, Payload{}, {}).verdict;
    EXPECT_TRUE(verdict.lawful());
    EXPECT_EQ(verdict.metrics.transfers, 2U * 7);
}

// Model section 13.3: time reversal keeps every quantity, for any number of packets of each.
TEST(PermutationTreeExchange, TakesNoRoundForAStepInWhichNothingMoves) {
    const Algorithm& row = *find_algorithm(Operation::permutation, "tree-exchange");
    const auto costs = [&](const Machine& m, std::vector<NodeId> targets) {
        return run_algorithm(row, m, Collective::permuted(listed_permutation(std::move(targets)), 8), {}, Payload{}, {})
            .verdict.metrics;
    };
    EXPECT_EQ(costs(machine("star:5"), {1, 0, no_node, no_node, no_node}).rounds, 1U);
    EXPECT_EQ(costs(machine("line:5"), {no_node, no_node, no_node, 4, no_node}).rounds, 1U);
    for (const char* spec : any_graphs)
        for (const Machine& m : machines_to_route_on(spec)) {
            if (!m.combining) continue;
            std::vector<NodeId> targets(m.topology->nodes(), no_node);
            if (targets.size() > 1) targets.back() = targets.size() / 2 - 1;
            EXPECT_EQ(costs(m, targets).silent_rounds, 0U) << m.topology->spec();
        }
}

TEST(ReduceScatter, CostsWhatTheAllgatherCostsThatItReverses) {
    for (const char* spec : any_graphs)
        for (const Machine& m : {machine(spec), machine(spec, PortLimit::all()), wormhole(machine(spec))})
            for (const char* name : {"tree-exchange", "coloured-exchange", "euler-rda", "euler-ring"})
                for (const std::uint64_t packets : {1U, 3U}) {
                    const auto metrics = [&](const Operation& operation) {
                        const Algorithm& row = *find_algorithm(operation, name);
                        Collective collective{operation, 0, 8};
                        collective.packets_each = packets;
                        const Verdict verdict = run_algorithm(row, m, collective, {}, Payload{}, {}).verdict;
                        EXPECT_TRUE(verdict.lawful()) << spec << " " << name;
                        return verdict.metrics;
                    };
                    if (misfit_of(*find_algorithm(Operation::allgather, name), m, {Operation::allgather, 0, 8}, {}))
                        continue;
                    const Metrics there = metrics(Operation::allgather);
                    const Metrics back = metrics(Operation::reduce_scatter);
                    EXPECT_EQ(back.rounds, there.rounds) << spec << " " << name;
                    EXPECT_EQ(back.work, there.work) << spec << " " << name;
                    EXPECT_EQ(back.path_sum, there.path_sum) << spec << " " << name;
                    EXPECT_EQ(back.volume, there.volume) << spec << " " << name;
                    EXPECT_EQ(back.latency, there.latency) << spec << " " << name;
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

// Model section 13: where machines combine, all M packets of a node go together.
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

TEST(Layered, IsRefusedWhereANodeOfATreeHasMoreChildrenThanArePlannedInSeconds) {
    const Algorithm& layered = *find_algorithm(Operation::broadcast, "layered");
    const Collective broadcast = Collective::broadcast(0, 8);
    EXPECT_FALSE(misfit_of(layered, machine("star:1000"), broadcast, {}));
    EXPECT_TRUE(misfit_of(layered, machine("star:16000"), broadcast, {})) << "a round for each leaf";
    EXPECT_FALSE(misfit_of(layered, machine("star:16000", PortLimit::all()), broadcast, {})) << "one round";
    EXPECT_FALSE(misfit_of(layered, machine("ring:4096"), broadcast, {}));
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
