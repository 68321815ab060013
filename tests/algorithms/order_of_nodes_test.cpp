/// What is said before a run of an operator that does not commute, held against runs: a message has a packet for each run of nodes
/// that its partial results are of (model.md section 6, the order of the nodes).
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/choice.hpp"
#include "algorithms/run_algorithm.hpp"
#include "algorithms/support/segment.hpp"
#include "emulator/report/report.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport {
namespace {

AlgorithmOptions concat() {
    AlgorithmOptions options;
    options.reduction = {Operator::concat, ElementType::text, {}};
    return options;
}

/// Nothing where the run breaks a rule.
std::optional<Metrics> cost_of_run(const Algorithm& row, const Machine& machine, const Collective& collective,
                                   const AlgorithmOptions& options = concat()) {
    RunOptions one_thread;
    one_thread.threads = 1;
    const Verdict verdict = run_algorithm(row, machine, collective, options, {false, 1}, one_thread).verdict;
    return verdict.lawful() && verdict.delivered ? std::optional(verdict.metrics) : std::nullopt;
}

std::string told(const Machine& machine, const Collective& collective) {
    return fmt::format("{} of {} from {} on {} ({}{}), byte {}", name(collective.operation), collective.packets_each,
                       collective.root, machine.topology->spec(), machine.describe(),
                       machine.combining ? "" : ", noncombining", machine.costs.byte);
}

/// Calls body(machine, collective) with every reduction by an operator that does not commute, on machines of a few graphs.
template <class Body>
void for_each_reduction(const Body& body) {
    test::Sample sample(17, 5);
    for (const char* spec : {"hypercube:2", "hypercube:3", "complete:5", "complete:8", "line:4", "ring:5", "mesh:2x3",
                             "torus:4x4", "star:5", "cbt:2"})
        for (int rules = 0; rules < 24; ++rules)
            for (const Operation& operation :
                 {Operation::reduce, Operation::allreduce, Operation::reduce_scatter, Operation::scan})
                for (const NodeId root : {0U, 2U})
                    for (const std::uint64_t packets : {1U, 3U}) {
                        if (root != 0 && operation != Operation::reduce && operation != Operation::allreduce) continue;
                        if (sample.leaves_out()) continue;
                        Machine machine;
                        machine.topology = make_topology(spec);
                        machine.ports = rules % 3 == 0   ? PortLimit(1)
                                        : rules % 3 == 1 ? PortLimit(2)
                                                         : PortLimit::all();
                        machine.combining = rules / 3 % 2 == 0;
                        machine.duplex = rules / 6 % 2 == 0 ? Duplex::full : Duplex::half;
                        machine.pairwise = rules / 12 == 1;
                        machine.costs = {1, 1, rules % 2 == 0 ? 1.0 : 0.01};
                        Collective collective{operation, root, 8};
                        collective.packets_each = packets;
                        body(machine, collective);
                    }
}

TEST(OrderOfNodes, EveryExactPredictionIsWhatTheRunTakes) {
    int compared = 0;
    int rehearsed = 0;
    for_each_reduction([&](const Machine& machine, const Collective& collective) {
        for (const Algorithm* row : applicable(machine, collective, concat())) {
            const auto predicted = predicted_cost(*row, machine, collective, concat());
            const auto run = cost_of_run(*row, machine, collective);
            ASSERT_TRUE(predicted) << row->name << ": " << told(machine, collective);
            if (!run) continue;
            ASSERT_NE(predicted->grounds, Grounds::at_most) << row->name << ": " << told(machine, collective);
            EXPECT_NEAR(predicted->latency, run->latency, 1e-9 * run->latency)
                << row->name << ": " << told(machine, collective);
            EXPECT_EQ(predicted->rounds, run->rounds) << row->name << ": " << told(machine, collective);
            ++compared;
            rehearsed += predicted->grounds == Grounds::rehearsed ? 1 : 0;
        }
    });
    EXPECT_GT(compared, test::under_sanitizer ? 300 : 800);
    EXPECT_GT(rehearsed, test::under_sanitizer ? 100 : 250);
}

TEST(OrderOfNodes, TheDefaultIsTheCheapestOfAllThatRun) {
    for_each_reduction([&](const Machine& machine, const Collective& collective) {
        const std::vector<const Algorithm*> all = applicable(machine, collective, concat());
        if (std::ranges::none_of(all, &Algorithm::by_default)) return;
        const Choice choice = choose(machine, collective, concat());
        const auto chosen = cost_of_run(*choice.algorithm, machine, collective, choice.options(concat()));
        ASSERT_TRUE(chosen) << choice.algorithm->name << ": " << told(machine, collective);
        for (const Algorithm* row : all) {
            const auto run = cost_of_run(*row, machine, collective);
            if (!run) continue;
            EXPECT_LE(chosen->latency, run->latency * (1 + 1e-9))
                << choice.algorithm->name << " is chosen, not " << row->name << ": " << told(machine, collective);
        }
    });
}

/// model.md section 6: what does not meet is kept apart, so that every schedule serves every operator where machines combine.
TEST(OrderOfNodes, EveryAlgorithmThatReducesOnAMachineThatCombinesKeepsIt) {
    int runs = 0;
    for_each_reduction([&](const Machine& machine, const Collective& collective) {
        if (!machine.combining || collective.scans()) return;
        for (const Algorithm* row : applicable(machine, collective, {})) {
            if (breaks_a_rule(*row, machine)) continue;
            EXPECT_EQ(misfit_of(*row, machine, collective, concat()), std::nullopt)
                << row->name << ": " << told(machine, collective);
            EXPECT_TRUE(cost_of_run(*row, machine, collective)) << row->name << ": " << told(machine, collective);
            ++runs;
        }
    });
    EXPECT_GT(runs, test::under_sanitizer ? 150 : 500);
}

/// Of l consecutive nodes modulo N, from any node on, some pass from N - 1 to 0: two runs, if they are more than one node.
TEST(OrderOfNodes, CensusSendsTwoPartialResultsOnceItKnowsOfTwoNodes) {
    for (NodeId nodes = 2; nodes <= 17; ++nodes) {
        std::uint64_t volume = 0;
        NodeId length = 0;
        for (unsigned bit = ceil_log2(nodes); bit-- > 0;) {
            const NodeId more = (nodes - 1) >> bit & 1;
            if (length + more != 0) volume += length + more > 1 ? 2 : 1;
            length = 2 * length + more;
        }
        Machine machine;
        machine.topology = make_topology(fmt::format("complete:{}", nodes));
        const Collective collective{Operation::allreduce, 0, 8};
        const auto run = cost_of_run(*find_algorithm(Operation::allreduce, "census"), machine, collective);
        ASSERT_TRUE(run) << nodes;
        EXPECT_EQ(run->volume, 8 * volume) << nodes;
    }
}

/// Every message of it is a contribution.
TEST(OrderOfNodes, CostsDirectReduceScatterNothing) {
    for (NodeId nodes = 2; nodes <= 9; ++nodes)
        for (const std::uint32_t ports : {1U, 2U, 3U}) {
            Machine machine;
            machine.topology = make_topology(fmt::format("complete:{}", nodes));
            machine.ports = PortLimit(ports);
            const Collective collective{Operation::reduce_scatter, 0, 8};
            const auto run = cost_of_run(*find_algorithm(Operation::reduce_scatter, "direct"), machine, collective);
            ASSERT_TRUE(run) << nodes;
            EXPECT_EQ(run->volume, 8 * ((nodes - 1 + ports - 1) / ports)) << nodes << " nodes, " << ports;
        }
}

/// A schedule that is no row, such as one "through one port", is promised by theory; what a row's name promises a run shows.
TEST(OrderOfNodes, ABoundThatIsSaidToBeMetByAnAlgorithmIsMetByItsRun) {
    int promises = 0;
    for_each_reduction([&](const Machine& machine, const Collective& collective) {
        if (!collective.rooted() && collective.root != 0) return;  // the bounds ask for no root: it may be any
        const Bounds bounds = reached_bounds(machine, folding(collective, concat().reduction));
        for (const QuantityRow& quantity : quantity_rows) {
            const Bound& bound = bounds[quantity.quantity];
            const Algorithm* const row = find_algorithm(collective.operation, bound.met_by);
            if (row == nullptr) continue;
            const std::string where = fmt::format("{} by {}: {}", quantity.title, row->name, told(machine, collective));
            const auto why = misfit_of(*row, machine, collective, concat());
            ASSERT_FALSE(why) << where << ": " << *why;
            const auto run = cost_of_run(*row, machine, collective);
            ASSERT_TRUE(run) << where;
            EXPECT_TRUE(meets(quantity.of(*run), *bound.largest())) << where << " takes " << quantity.of(*run);
            ++promises;
        }
    });
    EXPECT_GT(promises, test::under_sanitizer ? 50 : 250);
}

/// So many segments are not rehearsed.
TEST(OrderOfNodes, NoRunTakesMoreThanWhatIsSaidToBeTheMost) {
    int compared = 0;
    test::Sample sample(3);
    Machine machine;
    machine.topology = make_topology("hypercube:3");
    machine.costs = {1, 1, 1};
    for (const Operation& operation : {Operation::reduce, Operation::allreduce, Operation::reduce_scatter}) {
        Collective collective{operation, 0, 8};
        collective.packets_each = operation == Operation::reduce_scatter ? 2049 : 16385;
        for (const Algorithm* row : applicable(machine, collective, concat())) {
            const auto predicted = predicted_cost(*row, machine, collective, concat());
            if (!predicted || predicted->grounds != Grounds::at_most || sample.leaves_out()) continue;
            const auto run = cost_of_run(*row, machine, collective);
            ASSERT_TRUE(run) << row->name << ": " << told(machine, collective);
            EXPECT_LE(run->latency, predicted->latency) << row->name << ": " << told(machine, collective);
            ++compared;
        }
    }
    EXPECT_GT(compared, test::under_sanitizer ? 0 : 3);
}

/// A message has a partial result for each run of consecutive nodes (model.md section 6), where nodes have different counts too.
TEST(CostsInTheOrderOfNodes, DeriveNoVolumeWhereCountsDiffer) {
    Machine machine;
    machine.topology = make_topology("torus:3x4");
    machine.ports = PortLimit(3);
    std::vector<std::uint32_t> numbers(12, 1);
    numbers[5] = 0;
    const Collective blocks = counting(
        Collective::of(Operation::reduce_scatter, 0, 8),
        std::make_shared<const Counts>(std::move(numbers), 12, Operation(Operation::reduce_scatter)->counted_for));
    const Algorithm& row = *find_algorithm(Operation::reduce_scatter, "tree-exchange");
    const ExpectedCost cost = expected_cost(row, machine, blocks, concat());
    EXPECT_FALSE(cost.volume || cost.latency);
    EXPECT_EQ(cost.rounds, cost_of_run(row, machine, blocks)->rounds);
    EXPECT_TRUE(expected_cost(row, machine, blocks, {}).volume) << "sums";
}

}  // namespace
}  // namespace kport
