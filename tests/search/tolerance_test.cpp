/// @file tolerance_test.cpp   Fewest rounds on machines with broken parts, against tables of an independent reference
///                            (tests/oracle/tables/faults.csv, tolerance.csv) and against asking every set.
#include "app/search/tolerance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include "app/search/least_cost.hpp"
#include "app/search/solver.hpp"
#include "app/search/symmetry.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/base/random.hpp"
#include "emulator/topology/broken_sets.hpp"
#include "tests/oracle/table.hpp"

namespace kport::search {
namespace {

Question broadcast_on(std::shared_ptr<const Topology> topology, const std::string& ports, const std::string& source) {
    Question question;
    question.machine.topology = std::move(topology);
    question.machine.ports = ports == "all" ? PortLimit::all() : PortLimit(static_cast<Port>(*to_count(ports)));
    question.collective = Collective::broadcast(question.machine.topology->node(source), 64);
    return question;
}

TEST(AMachineWithBrokenParts, TakesTheRoundsOfTheReference) {
    if (solver_name().empty()) GTEST_SKIP() << "no solver";
    int rows = 0;
    for (const oracle::Row& row : oracle::table("faults")) {
        const auto whole = make_topology(row["topology"]);
        ++rows;
        std::string parts = row["broken"];
        std::ranges::replace(parts, ' ', ',');
        const auto left = [&] { return without(whole, broken_parts(*whole, parts, row.place()), row.place()); };
        if (!row.has("rounds_minimum")) {
            EXPECT_THROW((void)left(), DoesNotFit) << row.place();
            continue;
        }
        EXPECT_EQ(left()->nodes(), row.number("hosts")) << row.place();
        EXPECT_EQ(left()->wires().channels() / 2, row.number("links")) << row.place();
        const LeastCost cost = least_cost(broadcast_on(left(), row["ports"], row["source"]), Least::rounds, {});
        EXPECT_TRUE(cost.rounds.exact()) << row.place();
        EXPECT_EQ(cost.rounds.most, row.number("rounds_minimum")) << row.place();
    }
    EXPECT_GE(rows, 25);
}

TEST(Tolerance, IsThatOfTheReference) {
    if (solver_name().empty()) GTEST_SKIP() << "no solver";
    int rows = 0;
    for (const oracle::Row& row : oracle::table("tolerance")) {
        const auto whole = make_topology(row["topology"]);
        ++rows;
        ToleranceQuestion asked;
        asked.question = broadcast_on(whole, row["ports"], row["source"]);
        asked.links = static_cast<unsigned>(row.number("links_broken"));
        const Tolerance found = tolerance(asked, {.threads = 2});
        EXPECT_EQ(found.sets, row.number("sets")) << row.place();
        EXPECT_EQ(found.sets_apart, row.number("sets_apart")) << row.place();
        EXPECT_EQ(found.rounds_before, row.number("rounds_before")) << row.place();
        EXPECT_TRUE(found.exact()) << row.place();
        EXPECT_EQ(found.worst_most, row.number("rounds_worst")) << row.place();
    }
    EXPECT_GE(rows, 13);
}

/// Without symmetry, known schedules and bounds.
Tolerance of_every_set(const ToleranceQuestion& asked) {
    ToleranceQuestion plain = asked;
    plain.rounds_of = [](const Question& left) { return least_cost(left, Least::rounds, {}).rounds.most; };
    return tolerance(plain, {.threads = 1});
}

TEST(Tolerance, IsThatOfEverySetAsked) {
    if (solver_name().empty()) GTEST_SKIP() << "no solver";
    struct Case {
        const char* spec;
        NodeId root;
        unsigned links;
        unsigned nodes;
    };
    for (const auto& [spec, root, links, nodes] :
         {Case{"petersen", 3, 1, 0}, Case{"petersen", 0, 0, 1}, Case{"torus:3x3", 4, 2, 0}, Case{"cbt:2", 1, 1, 0},
          Case{"hypercube:3", 5, 1, 1}, Case{"random-regular:3,12,1", 0, 1, 0}, Case{"random-regular:3,10,2", 7, 2, 0}})
        for (const Port ports : {1U, 2U}) {
            ToleranceQuestion asked;
            asked.question.machine.topology = make_topology(spec);
            asked.question.machine.ports = PortLimit(ports);
            asked.question.collective = Collective::broadcast(root, 64);
            asked.links = links;
            asked.nodes = nodes;
            const Tolerance one = tolerance(asked, {.threads = 2});
            const Tolerance other = of_every_set(asked);
            EXPECT_EQ(one.sets, other.sets) << spec;
            EXPECT_EQ(one.sets_apart, other.sets_apart) << spec;
            EXPECT_EQ(one.apart, other.apart) << spec;
            EXPECT_EQ(one.worst_most, other.worst_most) << spec;
            EXPECT_EQ(one.worst, other.worst) << spec << ": the first of the worst sets";
            EXPECT_TRUE(one.exact());
        }
}

TEST(Tolerance, KeepsTheLimitsThatNodesHaveOfTheirOwn) {
    if (solver_name().empty()) GTEST_SKIP() << "no solver";
    Dice dice(3);
    for (const char* spec : {"hypercube:3", "complete:5", "petersen", "torus:3x3", "leaf-spine:2,2,3"})
        for (const unsigned nodes : {0U, 1U}) {
            ToleranceQuestion asked;
            Machine& machine = asked.question.machine;
            machine.topology = make_topology(spec);
            NodePorts own{"ports", {}};
            for (NodeId v = 0; v < machine.topology->nodes(); ++v)
                own.limits.emplace_back(static_cast<Port>(dice.between(0, 3) % 3 + (v == 0 ? 1 : 0)),
                                        static_cast<Port>(dice.between(1, 3)));
            machine.node_ports = std::make_shared<const NodePorts>(std::move(own));
            asked.question.collective = Collective::broadcast(0, 64);
            asked.links = 1 - nodes;
            asked.nodes = nodes;
            std::optional<Tolerance> one;
            try {
                one = tolerance(asked, {.threads = 2});
            } catch (const DoesNotFit&) {
                EXPECT_THROW((void)least_cost(asked.question, Least::rounds, {}), DoesNotFit) << spec;
                continue;
            }
            const Tolerance other = of_every_set(asked);
            EXPECT_EQ(one->sets_apart, other.sets_apart) << spec;
            EXPECT_EQ(one->apart, other.apart) << spec;
            EXPECT_EQ(one->worst_most, other.worst_most) << spec;
            EXPECT_EQ(one->worst, other.worst) << spec;
        }
}

TEST(Tolerance, CountsSetsThatLeaveOnlyNodesWithoutSendsOnTheWayAsApart) {
    ToleranceQuestion asked;
    asked.question.machine.topology = make_topology("ring:4");
    asked.question.machine.node_ports = std::make_shared<const NodePorts>(
        NodePorts{"ports", {PortLimit(1), PortLimit(1), PortLimit(1), PortLimit(0, 1)}});
    asked.question.collective = Collective::broadcast(0, 64);
    const Tolerance found = tolerance(asked, {});
    EXPECT_EQ(found.sets_apart, 2U) << "without 0--1 or 1--2 the way to node 2 is through node 3, which sends nothing";
    EXPECT_EQ(found.sets, 4U);
}

TEST(Tolerance, OfAMachineThatIsBrokenAlreadyKeepsTheSource) {
    const auto whole = make_topology("mesh:3x3");
    const auto left = without(whole, broken_parts(*whole, "3", "broken"), "broken");
    ToleranceQuestion asked;
    asked.question = broadcast_on(left, "1", "5");
    asked.links = 0;
    asked.nodes = 1;
    const Tolerance found = tolerance(asked, {});
    EXPECT_EQ(found.sets_apart, 2U) << "node 0 hangs on node 1, and node 6 on node 7";
    Round worst = 0;
    for (const char* broken : {"3,0", "3,2", "3,4", "3,6", "3,8"}) {
        const auto less = without(whole, broken_parts(*whole, broken, "broken"), "broken");
        worst = std::max(worst, least_cost(broadcast_on(less, "1", "5"), Least::rounds, {}).rounds.most);
    }
    EXPECT_EQ(found.worst_most, worst);
}

/// Neighbours are those across the links that are left: a ring without a link is a line of 6 nodes, whose links take two colours.
TEST(Tolerance, OfOperationsAmongNeighboursAsksWhoAreNeighboursInWhatIsLeft) {
    if (solver_name().empty()) GTEST_SKIP() << "no solver";
    ToleranceQuestion asked;
    asked.question.machine.topology = make_topology("ring:6");
    asked.question.machine.pairwise = true;
    asked.links = 1;
    const auto of = [](const Operation& operation, const Topology& graph) {
        return fitted(Collective::of(operation, 0, 64), graph);
    };
    asked.question.collective = of(Operation::neighbor_allgather, *asked.question.machine.topology);
    EXPECT_EQ(tolerance(asked, {}).worst_most, 2U);

    for (const char* spec : {"complete:4", "wheel:5", "star:5"}) {
        Question whole;
        whole.machine.topology = make_topology(spec);
        whole.collective = of(Operation::neighbor_alltoall, *whole.machine.topology);
        const Topology& graph = *whole.machine.topology;
        for (const unsigned nodes : {0U, 1U}) {
            ToleranceQuestion some{whole};
            some.links = 1 - nodes;
            some.nodes = nodes;
            Round worst = 0;
            const BrokenSets sets(graph, some.links, some.nodes, no_node);
            for (const BrokenSets::Set& set : sets.all()) {
                Question left = whole;
                try {
                    left.machine.topology = without(whole.machine.topology, sets.parts(set), "broken");
                } catch (const DoesNotFit&) {
                    continue;
                }
                left.collective = of(Operation::neighbor_alltoall, *left.machine.topology);
                worst = std::max(worst, least_cost(left, Least::rounds, {}).rounds.most);
            }
            EXPECT_EQ(tolerance(some, {}).worst_most, worst) << spec << ", " << nodes;
        }
    }
}

/// Rows, columns and dimensions are those of the whole.
TEST(Tolerance, OfPermutationsKeepsWhoSendsToWhom) {
    if (solver_name().empty()) GTEST_SKIP() << "no solver";
    for (const auto& [spec, named, list] : {std::tuple("hypercube:2", "transpose", "list:0,2,1,3"),
                                            std::tuple("mesh:2x3", "shift:1@1", "list:1,2,0,4,5,3")}) {
        ToleranceQuestion asked;
        asked.question.machine.topology = make_topology(spec);
        asked.links = 1;
        const Topology& graph = *asked.question.machine.topology;
        asked.question.collective = fitted(Collective::permuted(permutation_named(named), 64), graph);
        const Tolerance found = tolerance(asked, {});
        asked.question.collective = Collective::permuted(permutation_named(list), 64);
        const Tolerance listed = tolerance(asked, {});
        EXPECT_EQ(found.worst_most, listed.worst_most) << spec;
        EXPECT_EQ(found.sets_apart, listed.sets_apart) << spec;
        EXPECT_EQ(found.rounds_before, listed.rounds_before) << spec;
    }
}

TEST(Tolerance, AsksSymmetricSetsOnce) {
    ToleranceQuestion asked;
    asked.question.machine.topology = make_topology("hypercube:5");
    asked.question.collective = Collective::broadcast(0, 64);
    asked.links = 2;
    const Tolerance found = tolerance(asked, {.threads = 2});
    EXPECT_EQ(found.sets, 80U * 79U / 2);
    EXPECT_LT(found.kinds, 100U);
    EXPECT_EQ(found.worst_most, 6U);
}

TEST(Tolerance, RefusesTooManySets) {
    ToleranceQuestion asked;
    asked.question.machine.topology = make_topology("hypercube:6");
    asked.question.collective = Collective::broadcast(0, 64);
    asked.links = 3;
    EXPECT_THROW((void)tolerance(asked, {}), RequestError);
    asked.sample = 5;
    EXPECT_EQ(tolerance(asked, {}).sets, 5U);
}

TEST(GeneratorsOfASymmetryGroup, TakeANodeToAllOfItsOrbit) {
    const Graph cube(*make_topology("hypercube:4"));
    const Node32 fixed = 0;
    const auto images = Symmetry(cube).generators({&fixed, 1});
    ASSERT_FALSE(images.empty());
    std::vector<bool> reached(cube.nodes());
    std::vector<Node32> open = {1};
    reached[1] = true;
    while (!open.empty()) {
        const Node32 v = open.back();
        open.pop_back();
        for (const Automorphism& image : images) {
            EXPECT_EQ(image[fixed], fixed);
            if (!reached[image[v]]) open.push_back(image[v]);
            reached[image[v]] = true;
        }
    }
    for (Node32 v = 0; v < cube.nodes(); ++v)
        EXPECT_EQ(reached[v], v == 1 || v == 2 || v == 4 || v == 8) << "the neighbours of 0";
}

}  // namespace
}  // namespace kport::search
