/// @file packets_test.cpp   M packets of each: every algorithm that takes them, on small random machines; the tables and trees that say
///                          which packet comes when (model.md section 13.2).
#include <algorithm>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/choice.hpp"
#include "algorithms/support/disjoint_trees.hpp"
#include "algorithms/support/timetable.hpp"
#include "emulator/base/error.hpp"
#include "tests/algorithms/faults.hpp"
#include "tests/algorithms/machines.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using testing::HasSubstr;

RC_GTEST_PROP(EveryAlgorithm, MovesSeveralPacketsLawfullyAtItsCostAndNeverBelowTheBounds, ()) {
    Machine machine = test::any_machine();
    machine.combining = *rc::gen::arbitrary<bool>();
    Collective collective = test::any_collective(machine);
    collective.operation = *rc::gen::elementOf(operations());
    RC_PRE(!collective.signals());
    collective.packet_bytes = 8;
    collective.packets_each = *rc::gen::element<std::uint64_t>(2, 3, 5, 16, 61);
    for (const Algorithm* row : applicable(machine, collective, {})) {
        if (row->breaks != nullptr && row->breaks(machine)) continue;
        if (!collective.rooted() && row->way != Way::reduce_broadcast) collective.root = 0;
        if (misfit_of(*row, machine, collective, {})) continue;
        const ExpectedCost cost = expected_cost(*row, machine, collective, {});
        const std::string found = test::faults(*row, machine, collective, {}, {});
        if (!found.empty()) RC_FAIL(fmt::format("{} packets: {}", collective.packets_each, found));
        const Verdict verdict = run_algorithm(*row, machine, collective, {}, {false, 1}, {}).verdict;
        if (cost.volume && *cost.volume * collective.packet_bytes != verdict.metrics.volume)
            RC_FAIL(fmt::format("{} packets: volume of {} {} on {}", collective.packets_each,
                                name(collective.operation), row->name, machine.topology->spec()));
    }
}

TEST(SeveralPackets, NeedACombiningMachineWhereTheyGoTogetherAndTheRefusalNamesWhoWouldDo) {
    Machine machine = test::machine("hypercube:3", PortLimit::all());
    machine.combining = false;
    Collective collective;
    collective.packets_each = 4;
    try {
        (void)algorithm_named("flooding", machine, collective, {});
        FAIL() << "it is not refused";
    } catch (const RequestError& error) {
        EXPECT_THAT(error.what(), HasSubstr("sends 4 packets together and needs a combining machine"));
        EXPECT_THAT(error.what(), HasSubstr("sbt, farthest-first, msbt would do"));
    }
}

const Reduction concatenation{Operator::concat, ElementType::text, {}};

/// model.md section 13: with combining each message carries M times as much, also in runs and of texts.
TEST(SeveralPackets, RunWhereverOneDoesOnMachinesThatCombine) {
    for (const char* spec : {"line:5", "ring:5", "ring:8", "mesh:3x4", "torus:3x4", "hypercube:3", "complete:6",
                             "cbt:3", "star:7", "petersen", "knoedel:3,8", "random-connected:9,14,2"})
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()})
            for (const Machine& machine : {test::machine(spec, ports), test::half_duplex(test::machine(spec, ports)),
                                           test::wormhole(test::machine(spec, ports))})
                for (const Operation& operation : operations())
                    for (const Reduction& reduction : {Reduction{}, concatenation}) {
                        if (operation.signals() || (!operation.folds() && !reduction.commutative())) continue;
                        Collective collective = Collective::of(operation, 0, 8);
                        AlgorithmOptions options;
                        options.reduction = reduction;
                        const auto count = [&](std::uint64_t m) {
                            collective.packets_each = m;
                            return applicable(machine, collective, options).size();
                        };
                        const std::size_t of_one = count(1);
                        for (const std::uint64_t m : {2U, 3U})
                            EXPECT_TRUE(of_one == 0 || count(m) > 0) << spec << name(operation);
                    }
}

/// A reduction or scan of texts, segment by segment, by every algorithm that takes them.
RC_GTEST_PROP(EveryAlgorithm, FoldsSeveralTextsInTheOrderOfTheNodes, ()) {
    Machine machine = test::any_machine();
    machine.combining = *rc::gen::arbitrary<bool>();
    Collective collective = test::any_collective(machine);
    collective.operation =
        *rc::gen::element(Operation::reduce, Operation::allreduce, Operation::scan, Operation::reduce_scatter);
    collective.packet_bytes = 8;
    collective.packets_each = *rc::gen::element<std::uint64_t>(1, 2, 3, 7);
    AlgorithmOptions texts;
    texts.reduction = concatenation;
    for (const Algorithm* row : applicable(machine, collective, texts)) {
        if (!collective.rooted() && row->way != Way::reduce_broadcast) collective.root = 0;
        if (misfit_of(*row, machine, collective, texts)) continue;
        const std::string found = test::faults(*row, machine, collective, texts, {});
        if (!found.empty()) RC_FAIL(fmt::format("{} segments: {}", collective.packets_each, found));
    }
}

/// On star:7 from its centre and complete:7 each of 6 subtrees has one node; from a leaf of the star all 6 are in one.
TEST(SeveralPackets, AreScatteredAndGatheredThroughSeveralPortsWithoutCombining) {
    const auto rounds = [](const char* name, const char* spec, NodeId root, const PortLimit& ports) {
        std::vector<std::uint64_t> all;
        for (const Operation& operation : {Operation::scatter, Operation::gather}) {
            const Machine machine = test::without_combining(test::machine(spec, ports));
            Collective collective{operation, root, 8};
            collective.packets_each = 5;
            const Algorithm& row = algorithm_named(name, machine, collective, {});
            EXPECT_EQ(test::faults(row, machine, collective, {}, {}), "");
            all.push_back(*expected_cost(row, machine, collective, {}).rounds);
        }
        EXPECT_EQ(all.front(), all.back());
        return all.front();
    };
    EXPECT_EQ(rounds("direct", "complete:7", 2, PortLimit(4)), 8U) << "ceil(30 / 4)";
    EXPECT_EQ(rounds("direct", "complete:7", 2, PortLimit::all()), 5U);
    EXPECT_EQ(rounds("pipeline", "star:7", 0, PortLimit(4)), 8U);
    EXPECT_EQ(rounds("pipeline", "star:7", 1, PortLimit(4)), 30U) << "all through one link";
    EXPECT_EQ(rounds("pipeline", "torus:3x4", 5, PortLimit(3)), 20U) << "4 nodes in the largest subtree";
}

/// One broadcast takes b rounds, so M that never meet take M b.
TEST(SeveralPackets, StartApartWhereNodesCannotSendOneWhileTheNextComes) {
    for (const char* spec : {"complete:6", "torus:3x4", "petersen", "random-tree:17,5"})
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()})
            for (const bool pairwise : {false, true})
                for (const Operation& operation : {Operation::broadcast, Operation::reduce}) {
                    Machine machine = test::without_combining(test::machine(spec, ports));
                    if (pairwise)
                        machine.pairwise = true;
                    else
                        machine.duplex = Duplex::half;
                    Collective collective{operation, 3, 8};
                    const Algorithm& row = algorithm_named("farthest-first", machine, collective, {});
                    const std::uint64_t b = *expected_cost(row, machine, collective, {}).rounds;
                    collective.packets_each = 4;
                    EXPECT_EQ(test::faults(row, machine, collective, {}, {}), "");
                    EXPECT_EQ(expected_cost(row, machine, collective, {}).rounds, 4 * b) << spec;
                }
}

/// Flooding breaks NODUP on graphs with a cycle.
TEST(WouldDo, NamesOnlyWhoKeepsTheRulesOnTheMachine) {
    const auto refusal = [](const std::string& spec, const PortLimit& ports,
                            std::string_view algorithm) -> std::string {
        try {
            Collective three;
            three.packets_each = 3;
            (void)algorithm_named(algorithm, test::machine(spec, ports), three, {});
        } catch (const RequestError& error) {
            return error.what();
        }
        return "accepted";
    };
    for (const PortLimit& ports : {PortLimit::all(), PortLimit(4)}) {
        EXPECT_THAT(refusal("complete:5", ports, "two-tree"), HasSubstr(" would do"));
        EXPECT_THAT(refusal("complete:5", ports, "two-tree"), testing::Not(HasSubstr(" flooding")));
    }
    EXPECT_THAT(refusal("line:5", PortLimit(2), "msbt"), HasSubstr(", flooding would do"));
}

TEST(TwoTrees, OfThreeNodesAreNotChargedForTheirSilentRound) {
    Machine machine = test::machine("complete:3");
    machine.costs = {1, 0.25, 0};
    for (const Operation& operation : {Operation::broadcast, Operation::reduce, Operation::allreduce}) {
        const Collective collective = Collective::of(operation, 0, 8);
        const Algorithm* row =
            find_algorithm(operation, operation == Operation::allreduce ? "reduce-broadcast" : "two-tree");
        AlgorithmOptions texts;
        texts.reduction = {Operator::concat, ElementType::text, {}};
        for (const AlgorithmOptions& options : {AlgorithmOptions{}, texts}) {
            if (operation == Operation::broadcast && !options.reduction.commutative()) continue;
            const auto derived = derived_latency(expected_cost(*row, machine, collective, options), machine, 8);
            EXPECT_EQ(derived, run_algorithm(*row, machine, collective, options, {}, {}).verdict.metrics.latency)
                << name(operation);
        }
    }
}

TEST(SeveralPackets, ABlockForEachNodeNeedsAsManyPackets) {
    Collective collective;
    collective.packets_each = 7;
    const Machine machine = test::machine("hypercube:3");
    const Algorithm* row = find_algorithm(Operation::broadcast, "scatter-allgather");
    EXPECT_EQ(misfit_of(*row, machine, collective, {}), "needs packets_each 8 or more, one for each node");
    collective.packets_each = 8;
    EXPECT_EQ(misfit_of(*row, machine, collective, {}), std::nullopt);
}

/// What Traff proves of the tables; the reference has verified it up to N = 512.
TEST(ACirculantSchedule, AsksForEveryBlockOnceAndOfANodeThatHasIt) {
    for (NodeId nodes = 2; nodes <= 130; ++nodes) {
        const CirculantSchedule schedule(nodes);
        const auto q = static_cast<std::int64_t>(schedule.rounds());
        for (NodeId x = 1; x < nodes; ++x) {
            const std::vector<std::int64_t> table = schedule.table(x);
            std::vector<std::int64_t> asked = table;
            const std::int64_t base = *std::ranges::max_element(asked);
            ASSERT_TRUE(0 <= base && base < q) << "position " << x << " of " << nodes;
            std::ranges::replace(asked, base, base - q);
            std::ranges::sort(asked);
            for (std::int64_t i = 0; i < q; ++i) ASSERT_EQ(asked[static_cast<std::size_t>(i)], i - q) << x;
            for (std::uint32_t i = 0; i < schedule.rounds(); ++i) {
                const NodeId sender = (x + nodes - schedule.skip(i)) % nodes;
                const std::vector<std::int64_t> its = schedule.table(sender);
                if (sender == 0) {
                    ASSERT_EQ(table[i], static_cast<std::int64_t>(i)) << x;
                    continue;
                }
                const std::int64_t own = *std::ranges::max_element(its);
                const auto before = its.begin() + static_cast<std::ptrdiff_t>(i);
                ASSERT_TRUE(table[i] == own - q || std::find(its.begin(), before, table[i]) != before)
                    << "round " << i << " of position " << x << " of " << nodes;
            }
        }
    }
}

/// The nodes above v in a tree lead to the source, so many steps away as its depth says; no two trees give v the same parent.
template <class Trees>
void expect_disjoint_trees(const Trees& trees, NodeId nodes, NodeId source, std::uint64_t count) {
    for (NodeId v = 0; v < nodes; ++v) {
        if (v == source) continue;
        std::set<NodeId> parents;
        for (std::uint64_t tree = 0; tree < count; ++tree) {
            parents.insert(trees.parent(v, tree));
            std::uint64_t steps = 0;
            for (NodeId at = v; at != source && steps <= nodes; ++steps) at = trees.parent(at, tree);
            EXPECT_EQ(steps, trees.link(0, v, tree).depth) << "node " << v << " in tree " << tree;
        }
        EXPECT_EQ(parents.size(), count) << "node " << v;
    }
}

TEST(EdgeDisjointTrees, OfMeshesAndHypercubesShareNoParent) {
    for (const auto& sides : std::vector<std::vector<NodeId>>{{3, 4}, {5, 5}, {2, 3, 4}, {2, 2, 2}, {7}}) {
        const Grid mesh(GridKind::mesh, sides);
        for (const NodeId source : {NodeId{0}, mesh.nodes() / 2, mesh.nodes() - 1}) {
            const Collective collective{Operation::broadcast, source, 1};
            expect_disjoint_trees(MeshTrees(Lattice(mesh), collective), mesh.nodes(), source, sides.size());
        }
    }
    const Hypercube cube(5);
    expect_disjoint_trees(MeshTrees(Lattice(cube), {Operation::broadcast, 6, 1}), 32, 6, 5);
}

TEST(EdgeDisjointTrees, OfToriWithASideOfThreeTakeTheRoundsThatTheDepthsSay) {
    for (const char* spec : {"ring:3", "torus:3x3", "torus:3x4", "torus:5x3", "torus:3x3x3", "torus:4x3x1"}) {
        const Machine machine = test::machine(spec, PortLimit::all());
        for (const std::uint64_t packets : {1U, 2U, 3U, 4U, 5U, 8U, 17U}) {
            Collective collective{Operation::broadcast, machine.topology->nodes() / 2, 8};
            collective.packets_each = packets;
            const Algorithm& row = algorithm_named("edge-disjoint-trees", machine, collective, {});
            const ExpectedCost cost = expected_cost(row, machine, collective, {});
            ASSERT_TRUE(cost.rounds) << spec;
            EXPECT_EQ(*cost.rounds, run_algorithm(row, machine, collective, {}, {}, {}).verdict.metrics.rounds)
                << spec << ", " << packets << " packets";
        }
    }
}

TEST(EdgeDisjointTrees, OfToriShareNoParentAndTheDepthsInOppositeTreesAddUpToTheSides) {
    for (const auto& sides : std::vector<std::vector<NodeId>>{{3, 4}, {5, 6}, {4, 4, 3}, {7}}) {
        const Grid torus(GridKind::torus, sides);
        const NodeId source = torus.nodes() / 3;
        const TorusTrees trees(Lattice(torus), {Operation::broadcast, source, 1});
        expect_disjoint_trees(trees, torus.nodes(), source, 2 * sides.size());
        std::uint64_t most = 0;
        for (const NodeId side : sides) most += std::max<NodeId>(side, 4);
        for (NodeId v = 0; v < torus.nodes(); ++v)
            for (std::uint64_t tree = 0; tree < sides.size() && v != source; ++tree) {
                const auto link = trees.link(0, v, tree);
                EXPECT_LE(link.depth + link.opposite, most) << "node " << v;
            }
    }
}

/// Pipelines down the shortest-path tree of a source that alone has more children than ports: the cost is derived, and is the run's.
TEST(FarthestFirst, IsPredictedForSeveralPacketsWhereTheSourceAloneHasMoreChildrenThanPorts) {
    int derived = 0;
    test::Sample sample(11, 3);
    for (const char* spec : {"star:6", "star:9", "cbt:3", "complete:7", "petersen", "mesh:4x5", "mesh:5x5", "torus:3x4",
                             "hypercube:4", "random-tree:17,5", "random-tree:12,2", "random-connected:18,30,2"})
        for (const Port k : {2U, 3U, 4U, 5U})
            for (const std::uint64_t packets : {2U, 3U, 5U, 8U}) {
                const Machine m = test::without_combining(test::machine(spec, PortLimit(k)));
                for (NodeId source = 0; source < m.topology->nodes(); ++source)
                    for (const Operation& operation : {Operation::broadcast, Operation::reduce}) {
                        if (sample.leaves_out()) continue;
                        Collective collective{operation, source, 8};
                        collective.packets_each = packets;
                        const Algorithm& row = *find_algorithm(operation, "farthest-first");
                        derived += expected_cost(row, m, collective, {}).rounds.has_value() ? 1 : 0;
                        EXPECT_EQ(test::faults(row, m, collective, {}, std::nullopt), "");
                    }
            }
    EXPECT_GT(derived, 1000 / static_cast<int>(sample.one_of()));
}

TEST(FarthestFirst, OfSeveralPacketsOnAStarWithTwoPortsIsReportedAsOptimalWithAndWithoutCombining) {
    Machine star = test::machine("star:6", PortLimit(2));
    Collective collective{Operation::broadcast, 0, 8};
    collective.packets_each = 5;
    EXPECT_EQ(reached_bounds(star, collective)[Quantity::volume].reachable, Reachable::yes);
    star.combining = false;
    EXPECT_EQ(reached_bounds(star, collective)[Quantity::rounds].reachable, Reachable::yes);
    EXPECT_EQ(*reached_bounds(star, collective)[Quantity::rounds].largest(), 13);
}

}  // namespace
}  // namespace kport
