/// @file more_algorithms_test.cpp   What the tables do not show: where algorithms run and where not, other
///                                  orders of operands, limits of plans.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/run_algorithm.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using testing::HasSubstr;

struct Wish {
    Operation operation;
    std::string algorithm;
    Machine machine;
    NodeId root = 0;
    AlgorithmOptions options = {};

    [[nodiscard]] Collective collective() const { return {operation, root, 8}; }
    [[nodiscard]] RunResult run(const RunOptions& how = {}) const {
        const Algorithm& row = algorithm_named(algorithm, machine, collective(), options);
        return run_algorithm(row, machine, collective(), options, {true, 1}, how);
    }
    [[nodiscard]] std::string refusal() const {
        try {
            (void)algorithm_named(algorithm, machine, collective(), options);
        } catch (const RequestError& error) {
            return error.what();
        }
        return "";
    }
};

Machine all_port_wormhole(const std::string& spec) {
    Machine machine = test::machine(spec, PortLimit::all());
    machine.switching = Switching::wormhole;
    return machine;
}
Machine single_packets(const std::string& spec, PortLimit ports) {
    Machine machine = test::machine(spec, ports);
    machine.combining = false;
    return machine;
}

// ------------------------------------------------------------------------------------------------------------------ code

// model.md section 4.4: these meet the bound ceil(log_{deg+1} N), the last two do not.
TEST(BroadcastCode, TakesTheRoundsOfThePageOnTori) {
    struct Torus {
        const char* spec;
        Round rounds;
    };
    for (const auto& [spec, rounds] :
         {Torus{"torus:3x5", 2}, Torus{"torus:5x10", 3}, Torus{"torus:10x10", 3}, Torus{"torus:12x12", 4},
          Torus{"torus:16x16", 4}, Torus{"torus:25x25", 4}, Torus{"torus:3x3x3", 3}, Torus{"ring:16", 4}})
        for (const NodeId root : {NodeId{0}, NodeId{7}}) {
            const Verdict verdict = Wish{Operation::broadcast, "code", all_port_wormhole(spec), root}.run().verdict;
            EXPECT_TRUE(verdict.lawful()) << spec;
            EXPECT_EQ(verdict.metrics.rounds, rounds) << spec;
        }
}

TEST(BroadcastCode, NeverUsesALinkInBothDirectionsInOneRound) {
    for (const char* spec : {"hypercube:7", "hypercube:9", "torus:8x8", "torus:25x5"}) {
        Machine machine = all_port_wormhole(spec);
        machine.links = Duplex::half;
        EXPECT_TRUE((Wish{Operation::broadcast, "code", machine}.run().verdict.lawful())) << spec;
    }
}

TEST(BroadcastCode, SaysWhichSidesItNeeds) {
    const auto refusal = [](const char* spec) {
        return Wish{Operation::broadcast, "code", all_port_wormhole(spec)}.refusal();
    };
    EXPECT_THAT(refusal("torus:7x7"), HasSubstr("needs sides without a prime factor above 5; on torus:7x7"));
    EXPECT_THAT(refusal("ring:10"), HasSubstr("needs sides without a prime factor above 3"));
    EXPECT_THAT(refusal("mesh:4x4"), HasSubstr("needs a hypercube, torus or ring; "));
    EXPECT_THAT(refusal("torus:100x100"), HasSubstr("is planned for tori of at most 4096 nodes"));
    EXPECT_EQ(refusal("torus:6x10x14"), "") << "7 ports and 1";
}

// ------------------------------------------------------------------------------------------------------------------ flow

// The bound of model.md section 2 is missed where a cut binds (section 5.5): of cbt:3 from node 0 7 packets share a link.
TEST(ScatterFlow, IsTheMinimumWhereACutBinds) {
    const Wish flow{Operation::scatter, "flow", single_packets("cbt:3", PortLimit(3))};
    EXPECT_EQ(flow.run().verdict.metrics.rounds, 7U);
    EXPECT_EQ(lower_bounds(flow.machine, flow.collective())[Quantity::rounds].largest(), 7);
}

TEST(ScatterFlow, NeverTakesMoreRoundsThanAPipeline) {
    for (const char* spec : {"petersen", "ccc:3", "mesh:3x5", "cbt:3", "random-connected:18,30,2", "kautz:2,3"})
        for (const Port k : {1U, 2U, 3U})
            for (const NodeId root : {NodeId{0}, NodeId{5}}) {
                const Machine machine = single_packets(spec, PortLimit(k));
                const Verdict flow = Wish{Operation::scatter, "flow", machine, root}.run().verdict;
                const Verdict pipeline = Wish{Operation::scatter, "pipeline", machine, root}.run().verdict;
                EXPECT_TRUE(flow.lawful()) << spec;
                EXPECT_LE(flow.metrics.rounds, pipeline.metrics.rounds) << spec << " " << k << " " << root;
            }
}

/// Two packets that cross a link in opposite directions might as well stay (flow.cpp): the minimum is the same.
TEST(ScatterFlow, NeverUsesALinkInBothDirectionsInARound) {
    for (const char* spec : {"mesh:2x7", "mesh:2x2x4", "petersen", "hypercube:4", "torus:3x4", "product:line:3,ring:5"})
        for (const Port k : {1U, 2U})
            for (const NodeId root : {NodeId{0}, NodeId{1}, NodeId{5}}) {
                const Machine machine = single_packets(spec, PortLimit(k));
                Machine half_links = machine;
                half_links.links = Duplex::half;
                const Verdict full = Wish{Operation::scatter, "flow", machine, root}.run().verdict;
                const Verdict half = Wish{Operation::scatter, "flow", half_links, root}.run().verdict;
                EXPECT_TRUE(half.lawful()) << spec;
                EXPECT_EQ(half.metrics.rounds, full.metrics.rounds) << spec << " " << k << " " << root;
            }
}

TEST(ScatterFlow, SaysWhereItIsNotPlanned) {
    EXPECT_THAT((Wish{Operation::scatter, "flow", single_packets("hypercube:12", PortLimit(1))}.refusal()),
                HasSubstr("is planned where rounds times channels and 3 N are at most 2^20; "));
    EXPECT_THAT((Wish{Operation::gather, "flow", test::machine("hypercube:4")}.refusal()),
                HasSubstr("is for machines that do not combine; "));
}

TEST(ScatterFlow, OfSeveralPacketsAsksForOneOnAnyMachine) {
    for (const Operation& operation : {Operation::scatter, Operation::gather})
        for (const bool combining : {true, false}) {
            Machine machine = test::machine("debruijn:2,3", PortLimit(2));
            machine.combining = combining;
            Collective six{operation, 0, 8};
            six.packets_each = 6;
            EXPECT_EQ(misfit_of(*find_algorithm(operation, "flow"), machine, six, {}), "needs packets_each 1");
        }
}

// -------------------------------------------------------------------------------------------------------------- balanced

// Necklaces of length n less 1 (model.md section 5.5), from every root.
TEST(ScatterBalanced, TakesAsManyRoundsAsThereAreNecklacesButOne) {
    const std::vector<Round> rounds{0, 1, 2, 3, 5, 7, 13, 19, 35, 59, 107};
    for (std::size_t n = 0; n < rounds.size(); ++n)
        for (const NodeId root : {NodeId{0}, (NodeId{1} << n) / 3}) {
            const std::string spec = "hypercube:" + std::to_string(n);
            const Wish wish{Operation::gather, "balanced", single_packets(spec, PortLimit::all()), root};
            const Verdict verdict = wish.run().verdict;
            EXPECT_TRUE(verdict.lawful()) << spec;
            EXPECT_EQ(verdict.metrics.rounds, rounds[n]) << spec;
        }
}

// -------------------------------------------------------------------------------------------------------- farthest-first

// On a long path each bundle is what is left of the one before: no table of all bundles is made.
TEST(ScatterFarthestFirst, IsNotQuadraticOnALongPath) {
    const Wish wish{Operation::scatter, "farthest-first", test::machine("line:20000")};
    const Verdict verdict = wish.run().verdict;
    EXPECT_TRUE(verdict.lawful());
    EXPECT_EQ(verdict.metrics.rounds, 19999U);
    EXPECT_EQ(verdict.metrics.volume, 8U * 19999U * 20000U / 2);
}

// ------------------------------------------------------------------------------------------------------- scan in preorder

std::vector<std::string> texts_of(NodeId nodes) {
    std::vector<std::string> texts;
    for (NodeId v = 0; v < nodes; ++v) texts.push_back(std::to_string(v) + ";");
    return texts;
}

/// Every node's text is its own number, so that a result shows the order of its operands.
Wish scan_of_texts(const std::string& spec, NodeId root) {
    Wish wish{Operation::scan, "tree", test::machine(spec), root};
    wish.options.preorder = true;
    wish.options.reduction = {Operator::concat, ElementType::text, texts_of(wish.machine.topology->nodes())};
    return wish;
}

TEST(ScanTree, FoldsInThePreorderOfTheTreeOnEveryGraph) {
    for (const char* spec : {"petersen", "torus:3x4", "cbt:3", "star:7", "kautz:2,3", "random-connected:18,30,2"})
        for (const NodeId root : {NodeId{0}, NodeId{4}})
            for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free}) {
                RunOptions how;
                how.engine = engine;
                const RunResult result = scan_of_texts(spec, root).run(how);
                EXPECT_TRUE(result.verdict.lawful()) << spec;
            }
}

// From node 4 of the Petersen graph, joined with 0, 3, 9; the first child of 0 is 1.
TEST(ScanTree, GivesEachNodeItsOwnContributionInItsPlace) {
    Wish wish = scan_of_texts("petersen", 4);
    for (const char* texts : {"given", "numbers"}) {
        const std::vector<std::string> results = wish.run().results;
        const std::string after = wish.options.reduction.values.empty() ? "." : ";";
        ASSERT_GE(results.size(), 3U) << texts;
        EXPECT_EQ(results[0], "4" + after);
        EXPECT_EQ(results[1], "4" + after + "0" + after);
        EXPECT_EQ(results[2], "4" + after + "0" + after + "1" + after);
        wish.options.reduction.values.clear();
    }
}

TEST(ScanTree, IsTheScanByNumbersWhereTheseAreThePreorder) {
    for (const char* spec : {"line:6", "star:7", "complete:5", "ring:3"}) {
        Wish wish{Operation::scan, "tree", test::machine(spec)};
        EXPECT_TRUE(wish.run().verdict.lawful()) << spec;
    }
    EXPECT_THAT((Wish{Operation::scan, "tree", test::machine("petersen")}.refusal()),
                HasSubstr("needs nodes numbered in the preorder of the tree, or preorder"));
    EXPECT_THAT((Wish{Operation::scan, "tree", test::machine("line:6"), 2}.refusal()), HasSubstr("or preorder"));
}

TEST(ScanTree, IsTheOnlyOneThatTakesAnotherOrder) {
    Wish wish{Operation::scan, "exchange", test::machine("hypercube:3")};
    wish.options.preorder = true;
    EXPECT_THAT(wish.refusal(), HasSubstr("takes no preorder; "));
    EXPECT_THAT(wish.refusal(), HasSubstr(" tree would do"));
}

TEST(ScanTree, RecordsNoScheduleUnderOtherNumbers) {
    Schedule schedule;
    RunOptions how;
    how.recorded_schedule = &schedule;
    EXPECT_THROW((void)scan_of_texts("petersen", 0).run(how), RequestError);
}

// ------------------------------------------------------------------------------------------------------ M packets of each

TEST(SeveralPacketsOfEach, TravelTogetherWhereMachinesCombine) {
    struct Row {
        Operation operation;
        const char* algorithm;
        Machine machine;
    };
    const std::vector<Row> rows{{Operation::broadcast, "code", all_port_wormhole("torus:4x4")},
                                {Operation::broadcast, "layered", test::machine("petersen")},
                                {Operation::scatter, "farthest-first", test::machine("petersen")},
                                {Operation::gather, "farthest-first", test::machine("cbt:3")},
                                {Operation::scatter, "balanced", test::machine("hypercube:4", PortLimit::all())},
                                {Operation::scan, "doubling", test::machine("complete:7")},
                                {Operation::scan, "up-down", test::machine("mesh:3x4")},
                                {Operation::scan, "tree", test::machine("star:6")}};
    for (const auto& [operation, algorithm, machine] : rows) {
        Collective collective{operation, 0, 8};
        const Algorithm& row = algorithm_named(algorithm, machine, collective, {});
        const Metrics one = run_algorithm(row, machine, collective, {}, {true, 1}, {}).verdict.metrics;
        collective.packets_each = 3;
        const Verdict three = run_algorithm(row, machine, collective, {}, {true, 1}, {}).verdict;
        EXPECT_TRUE(three.lawful()) << algorithm;
        EXPECT_EQ(three.metrics.rounds, one.rounds) << algorithm;
        EXPECT_EQ(three.metrics.volume, 3 * one.volume) << algorithm;
    }
}

// ------------------------------------------------------------------------------------------------ reductions in order

Wish reduction_of_texts(const std::string& algorithm, const std::string& spec, NodeId root) {
    Wish wish{Operation::reduce, algorithm, test::machine(spec), root};
    wish.options.reduction = {Operator::concat, ElementType::text, {}};
    return wish;
}

std::string text_of_all(NodeId nodes) {
    std::string text;
    for (NodeId v = 0; v < nodes; ++v) text += std::to_string(v) + ".";
    return text;
}

// model.md section 6: a gather of the packets would cost 30.
TEST(ReduceInOrder, CostsAPacketForEachRunOfConsecutiveNodes) {
    const Wish wish = reduction_of_texts("farthest-first", "mesh:4x4", 0);
    const RunResult result = wish.run();
    EXPECT_TRUE(result.verdict.lawful());
    EXPECT_EQ(result.verdict.metrics.rounds, 6U);
    EXPECT_EQ(result.verdict.metrics.volume, 8U * 18U);
    EXPECT_EQ(result.results.front(), text_of_all(16));
}

TEST(ReduceInOrder, RunsWhereverAReductionIsABroadcastReversed) {
    for (const char* spec : {"petersen", "torus:3x4", "hypercube:4", "cbt:3", "random-connected:18,30,2"})
        for (const NodeId root : {NodeId{0}, NodeId{5}})
            for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free})
                for (const Algorithm* row : applicable(test::machine(spec), {Operation::reduce, root, 8},
                                                       reduction_of_texts("", spec, 0).options)) {
                    RunOptions how;
                    how.engine = engine;
                    how.threads = 2;
                    const Wish wish = reduction_of_texts(std::string(row->name), spec, root);
                    const RunResult result = wish.run(how);
                    EXPECT_TRUE(result.verdict.lawful()) << spec << " " << row->name;
                    EXPECT_EQ(result.results.front(), text_of_all(wish.machine.topology->nodes())) << row->name;
                }
}

TEST(ReduceInOrder, IsJudgedAlikeAsARunAndAsASchedule) {
    const Wish wish = reduction_of_texts("farthest-first", "petersen", 3);
    Schedule schedule;
    RunOptions how;
    how.recorded_schedule = &schedule;
    const Verdict ran = wish.run(how).verdict;
    const Algorithm& row = *find_algorithm(wish.operation, wish.algorithm);
    const Collective judged = judged_collective(row, wish.collective(), wish.options);
    const Verdict audited = audit(schedule, wish.machine, judged, false);
    EXPECT_EQ(audited.metrics, ran.metrics);
    EXPECT_GT(ran.metrics.volume, 8U * ran.metrics.rounds);
}

/// Matrices of 2 x 2 elements, of one byte each.
struct Square {
    std::array<std::uint8_t, 4> at;
};
Square product(const Square& a, const Square& b) {
    const auto element = [&](std::size_t row, std::size_t column) {
        return static_cast<std::uint8_t>(a.at[2 * row] * b.at[column] + a.at[2 * row + 1] * b.at[2 + column]);
    };
    return {{element(0, 0), element(0, 1), element(1, 0), element(1, 1)}};
}

TEST(ReduceInOrder, TakesOperatorsOfOnesOwn) {
    for (const char* spec : {"petersen", "ring:9", "random-tree:17,5"}) {
        Wish wish{Operation::reduce, "farthest-first", test::machine(spec), 4};
        wish.options.reduction = Reduction::own<Square>(
            {.name = "product", .fold = product, .commutative = false, .contribution = [](NodeId v, std::uint64_t i) {
                 const auto x = static_cast<std::uint8_t>(v + i);
                 return Square{{1, x, static_cast<std::uint8_t>(x + 1), 3}};
             }});
        const Verdict verdict = wish.run().verdict;
        EXPECT_TRUE(verdict.lawful()) << spec;
        EXPECT_GT(verdict.compared_packets, 0U);
    }
}

// The root and its first child exchange what they have, the rest is a reduction and a broadcast.
TEST(AllreduceInOrder, RunsAlongTreesToTheirRootsAndBack) {
    for (const char* algorithm : {"tree-exchange", "euler-rda"})
        for (const char* spec : {"petersen", "torus:3x4", "ring:9", "cbt:3", "line:2", "random-connected:18,30,2"})
            for (const NodeId root : {NodeId{0}, NodeId{1}})
                for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free}) {
                    RunOptions how;
                    how.engine = engine;
                    how.threads = 2;
                    Wish wish{Operation::allreduce, algorithm, test::wormhole(test::machine(spec)), root};
                    const std::uint64_t rounds = wish.run().verdict.metrics.rounds;
                    wish.options.reduction = {Operator::concat, ElementType::text, {}};
                    const RunResult result = wish.run(how);
                    EXPECT_TRUE(result.verdict.lawful()) << spec << " " << algorithm;
                    EXPECT_EQ(result.verdict.metrics.rounds, rounds) << "the price of the order is volume";
                    EXPECT_THAT(result.results, testing::Each(text_of_all(wish.machine.topology->nodes()))) << spec;
                }
}

TEST(ReduceInOrder, NeedsACombiningMachineWhereAMessageHasSeveralRuns) {
    Wish wish = reduction_of_texts("farthest-first", "petersen", 0);
    wish.machine.combining = false;
    EXPECT_THAT(wish.refusal(), HasSubstr("for which op concat needs a combining machine; "));
    wish.operation = Operation::allreduce;
    wish.algorithm = "tree-exchange";
    EXPECT_THAT(wish.refusal(), HasSubstr("for which op concat needs a combining machine; "));
    Wish line = reduction_of_texts("dost", "line:5", 0);
    line.machine.combining = false;
    EXPECT_TRUE(line.run().verdict.lawful());
}

}  // namespace
}  // namespace kport
