/// @file stress_test.cpp   Flaws are found and shrunk to the smallest machine that shows them.
#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <map>
#include <new>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/stress/drawing.hpp"
#include "app/stress/stress.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/choose_execution.hpp"
#include "emulator/topology/family.hpp"

// These need the node first.
#include "examples/argmax.hpp"
#include "examples/matrix_product.hpp"

namespace kport {
namespace {

using testing::AllOf;
using testing::HasSubstr;

StressOptions so_many(std::uint64_t cases) {
    StressOptions options;
    options.seconds.reset();
    options.cases = cases;
    options.trials.threads_max = 1;
    return options;
}

StressOutcome stress_broadcast(Program (*program)(Node&, NodeId), const StressOptions& options) {
    const auto make = [program](const Machine&, const Collective& collective) {
        const NodeId source = collective.root;
        return Start{[program, source](Node& self) { return program(self, source); }, {source}};
    };
    return stress(Operation::broadcast, make, options, [](const Machine& machine, const Collective&) {
        return machine.switching == Switching::wormhole ? std::optional<std::string>("needs store-and-forward")
                                                        : std::nullopt;
    });
}

/// Passes the packet to the next node by number, where there is a link to it.
Program along_the_numbers(Node& self, NodeId source) {
    if (self.id() != source) co_await self.receive();
    const NodeId next = (self.id() + 1) % self.topology().nodes();
    if (next != source && self.topology().port_to(self.id(), next) != no_port)
        co_await self.send(self.topology().port_to(self.id(), next), Packet(0));
}

Program send_to_all_neighbours(Node& self) {
    for (Port port = 0; port < self.topology().ports(); ++port)
        if (self.topology().across(self.id(), port).node != no_node) co_await self.send(port, Packet(0));
}

Program from_the_source_alone(Node& self, NodeId source) {
    if (self.id() == source) co_await send_to_all_neighbours(self);
}

Program waits_for_a_second(Node& self, NodeId source) {
    if (self.id() == source) {
        co_await send_to_all_neighbours(self);
        co_return;
    }
    co_await self.receive();
    co_await self.receive();
}

Program sends_back(Node& self, NodeId source) {
    if (self.id() == source) {
        co_await send_to_all_neighbours(self);
        co_return;
    }
    const Arrival arrival = co_await self.receive();
    co_await self.send(arrival.port, Packet(0));
}

Program throws(Node& self, NodeId source) {
    if (self.topology().nodes() > 4) throw std::runtime_error("more than four");
    co_await along_the_numbers(self, source);
}

TEST(StressTest, ABroadcastThatMissesNodesIsShrunkToTheSmallestMachineThatShowsIt) {
    const StressOutcome outcome = stress_broadcast(along_the_numbers, so_many(1000));
    ASSERT_TRUE(outcome.breakage);
    EXPECT_EQ(outcome.breakage->failure.flaw, Flaw::not_delivered);
    // One node needs nothing, two are neighbours both ways; on three, a line that starts in its middle reaches one end only.
    EXPECT_EQ(outcome.breakage->c.topology().nodes(), 3U);
    EXPECT_TRUE(outcome.breakage->smallest);
    EXPECT_THAT(outcome.breakage->text(), HasSubstr("does not deliver"));
}

TEST(StressTest, ProgramsThatWaitForEverAreNamed) {
    const StressOutcome outcome = stress_broadcast(waits_for_a_second, so_many(1000));
    ASSERT_TRUE(outcome.breakage);
    EXPECT_EQ(outcome.breakage->failure.flaw, Flaw::waits_for_ever);
    EXPECT_EQ(outcome.breakage->c.topology().nodes(), 2U);
}

TEST(StressTest, ABrokenRuleIsShownWithTheRoundsThatItTakes) {
    const StressOutcome outcome = stress_broadcast(sends_back, so_many(1000));
    ASSERT_TRUE(outcome.breakage);
    EXPECT_EQ(outcome.breakage->failure.flaw, Flaw::breaks_rule);
    EXPECT_EQ(outcome.breakage->c.topology().nodes(), 2U);
    EXPECT_EQ(outcome.breakage->failure.round, 2U);
    EXPECT_THAT(outcome.breakage->text(), HasSubstr("NOHO broken"));
}

TEST(StressTest, AnExceptionOfAProgramIsAFlawAndItsSmallestMachineIsFound) {
    const StressOutcome outcome = stress_broadcast(throws, so_many(1000));
    ASSERT_TRUE(outcome.breakage);
    EXPECT_EQ(outcome.breakage->failure.flaw, Flaw::throws);
    EXPECT_EQ(outcome.breakage->c.topology().nodes(), 5U);
}

TEST(StressTest, ChecksOptimalityOnlyOnRequest) {
    std::vector<Subject> subjects;
    for (const Algorithm& row : catalogue())
        if (row.operation == Operation::broadcast && row.name == "dost-nearest-first")
            subjects.push_back(subject_of(row));
    ASSERT_EQ(subjects.size(), 1U);
    StressOptions options = so_many(200);
    EXPECT_FALSE(stress(subjects, Operation::broadcast, options).breakage);
    options.trials.expectations.optimal = true;
    const StressOutcome outcome = stress(subjects, Operation::broadcast, options);
    ASSERT_TRUE(outcome.breakage);
    EXPECT_EQ(outcome.breakage->failure.flaw, Flaw::not_optimal);
}

TEST(StressTest, AnAlgorithmThatBreaksARuleByDesignIsAFlawIfNamed) {
    std::vector<Subject> flooding;
    for (const Algorithm& row : catalogue())
        if (row.name == "flooding") flooding.push_back(subject_of(row));
    StressOptions options = so_many(200);
    EXPECT_FALSE(stress(flooding, Operation::broadcast, options).breakage);
    options.trials.expectations.lawful = true;
    const StressOutcome outcome = stress(flooding, Operation::broadcast, options);
    ASSERT_TRUE(outcome.breakage);
    EXPECT_EQ(outcome.breakage->c.topology().nodes(), 3U);  // the smallest cycle
}

/// Lack of memory says nothing of the program.
TEST(StressTest, LackOfMemoryIsNoFlawOfTheProgram) {
    const auto lacks_memory = [](Node&, NodeId) -> Program { throw std::bad_alloc(); };
    EXPECT_THROW((void)stress_broadcast(lacks_memory, so_many(1)), std::bad_alloc);
}

TEST(StressTest, TheSameSeedTriesTheSameCases) {
    const StressOutcome one = stress_catalogue(so_many(50));
    const StressOutcome two = stress_catalogue(so_many(50));
    EXPECT_EQ(one.coverage.by_subject, two.coverage.by_subject);
    EXPECT_EQ(one.coverage.messages, two.coverage.messages);
    EXPECT_EQ(one.coverage.rounds, two.coverage.rounds);
}

/// What executes the nodes of a row on some small machine, where that is not programs.
std::set<Execution> without_programs(const Algorithm& row) {
    std::set<Execution> all;
    if (row.way != Way::program) return all;
    for (const char* spec : {"hypercube:3", "ring:8", "line:8", "mesh:3x4"})
        for (const std::uint64_t packets : {1U, 8U}) {
            Machine machine;
            machine.topology = make_topology(spec);
            Collective collective = Collective::of(row.operation, 0, 8);
            if (!collective.signals()) collective.packets_each = packets;
            if (misfit_of(row, machine, collective, {})) continue;
            const Execution nodes = choose_execution(make_job(row, machine, collective, {}), {}).nodes;
            if (nodes == Execution::programs || nodes == Execution::scripts) continue;
            all.insert(nodes);
            if (nodes == Execution::timetable) all.insert(Execution::in_step);
        }
    return all;
}

TEST(StressTest, TwoCasesOfEachRowCoverEveryRowAndEveryExecutionWithBytes) {
    StressOptions options = so_many(2 * catalogue().size());
    options.trials.threads_max = 2;
    const StressOutcome outcome = stress_catalogue(options);
    EXPECT_FALSE(outcome.breakage) << outcome.breakage->text();
    const Coverage& coverage = outcome.coverage;
    EXPECT_EQ(coverage.of_rows.size(), catalogue().size());
    EXPECT_THAT(coverage.missing_rows(), testing::IsEmpty());
    for (std::size_t i = 0; i < executions_count; ++i)
        EXPECT_GT(coverage.runs_by(static_cast<Execution>(i)), 0U) << name(static_cast<Execution>(i));

    // Each row that has a way without programs goes it, in these cases or in some more.
    for (const Algorithm& row : catalogue()) {
        const std::string told = fmt::format("{} {}", name(row.operation), row.name);
        const std::set<Execution> fast = without_programs(row);
        const auto is_covered = [&](const Coverage& by) {
            return std::ranges::any_of(fast, [&](Execution e) { return by.of_rows.at(told).contains(e); });
        };
        if (fast.empty() || is_covered(coverage)) continue;
        EXPECT_TRUE(is_covered(stress({subject_of(row)}, row.operation, so_many(60)).coverage)) << told;
    }
}

TEST(StressTest, CasesTriedAloneAreThoseOfTheRowsInTurn) {
    const StressOutcome all = stress_catalogue(so_many(9));
    StressOptions options = so_many(9);
    options.cases.reset();
    std::map<std::string, std::uint64_t> by_subject;
    for (options.only = 1; *options.only <= 9; ++*options.only)
        for (const auto& [subject, cases] : stress_catalogue(options).coverage.by_subject) by_subject[subject] += cases;
    EXPECT_EQ(by_subject, all.coverage.by_subject);
}

TEST(StressTest, GivesUpTheCurrentCaseWhenStopped) {
    // The program breaks rules on every machine of more than one node; by its first run the stress is to stop.
    std::atomic<bool> stop = false;
    int runs = 0;
    const auto echoing = [&](const Machine&, const Collective& collective) {
        const NodeId source = collective.root;
        return Start{[&, source](Node& self) {
                         if (self.id() == source) {
                             ++runs;
                             stop = true;
                         }
                         return sends_back(self, source);
                     },
                     {source}};
    };
    StressOptions options = so_many(100);
    options.stop = &stop;
    const StressOutcome outcome = stress(Operation::broadcast, echoing, options);
    EXPECT_TRUE(outcome.stopped);
    EXPECT_FALSE(outcome.breakage);
    EXPECT_EQ(outcome.coverage.cases, 1U);
    EXPECT_EQ(runs, 1);
}

TEST(StressTest, PacketsOfManySizesAreTried) {
    for (const std::uint64_t size : {0U, 1U, 7U, 8U, 13U, 63U, 64U, 65U, 4096U, 65536U}) {
        const auto picky = [size](const Machine&, const Collective& collective) {
            if (collective.packet_bytes == size) throw std::runtime_error("this size");
            const NodeId source = collective.root;
            return Start{[source](Node& self) { return from_the_source_alone(self, source); }, {source}};
        };
        const auto misfit = [](const Machine& machine, const Collective&) {
            return machine.topology->nodes() == 2 ? std::nullopt : std::optional<std::string>("needs two nodes");
        };
        const StressOutcome outcome = stress(Operation::broadcast, picky, so_many(2000), misfit);
        ASSERT_TRUE(outcome.breakage) << size;
        EXPECT_EQ(outcome.breakage->failure.flaw, Flaw::throws);
        EXPECT_EQ(outcome.breakage->c.collective.packet_bytes, size);
        EXPECT_THAT(outcome.breakage->text(), HasSubstr(fmt::format("{}-byte packets", size)));
    }
}

/// Folds what comes on the wrong side: only an operator that minds the order shows it.
Program folds_on_the_wrong_side(Node& self, NodeId root) {
    Value total = self.contribution();
    if (self.id() == root) {
        for (NodeId v = 1; v < self.topology().nodes(); ++v) {
            const NodeId from = (root + v) % self.topology().nodes();
            const Arrival arrival = co_await self.receive_from(from);
            total = self.fold(arrival.value(), total);
        }
        self.result(total);
    } else {
        co_await self.send(self.topology().port_to(self.id(), root), total);
    }
}

TEST(StressTest, AReductionOfOnesOwnIsTriedWithEveryOperator) {
    const auto program = [](const Machine&, const Collective& collective) {
        const NodeId root = collective.root;
        return Start{[root](Node& self) { return folds_on_the_wrong_side(self, root); }, {}, true};
    };
    const auto misfit = [](const Machine& machine, const Collective&) {
        const Topology& topology = *machine.topology;
        const bool suits = topology.family() == "complete" && machine.ports.is_all() &&
                           machine.duplex == Duplex::full && !machine.pairwise && topology.nodes() > 1;
        return suits ? std::nullopt : std::optional<std::string>("needs a complete graph and all ports");
    };
    StressOptions options = so_many(200);
    options.nodes_max = 8;
    const StressOutcome outcome = stress(Operation::reduce, program, options, misfit);
    ASSERT_TRUE(outcome.breakage);
    EXPECT_EQ(outcome.breakage->c.options.reduction.op, Operator::concat);
    EXPECT_THAT(outcome.breakage->text(), HasSubstr("concat of string"));
    options.commutative = true;
    const StressOutcome any_order = stress(Operation::reduce, program, options, misfit);
    EXPECT_FALSE(any_order.breakage) << any_order.breakage->text();
}

/// Every node sends its matrix to the root, which multiplies them in the order of their nodes, or of arrival.
Program product_at(Node& self, NodeId root, bool in_order) {
    Value product = self.contribution();
    if (self.id() != root) {
        co_await self.send_to(root, product);
        co_return;
    }
    bool begun = false;
    for (NodeId v = 0; v < self.nodes(); ++v) {
        Value next = self.contribution();
        if (v != root) {
            const Arrival arrival = co_await self.receive_from(v);
            next = arrival.value();
        }
        product = !begun ? next : in_order ? self.fold(product, next) : self.fold(next, product);
        begun = true;
    }
    self.result(product);
}

TEST(StressTest, AWrongOrderOfFoldsByAnOperatorOfOnesOwnIsFoundOnTheSmallestMachine) {
    const auto program = [](bool in_order) {
        return [in_order](const Machine&, const Collective& collective) {
            return Start{[=](Node& self) { return product_at(self, collective.root, in_order); }, {}, true};
        };
    };
    const auto misfit = [](const Machine& machine, const Collective&) {
        const bool suits = machine.topology->family() == "complete" && machine.ports.is_all() &&
                           machine.duplex == Duplex::full && !machine.pairwise && machine.topology->nodes() > 1;
        return suits ? std::nullopt : std::optional<std::string>("needs a complete graph and all ports");
    };
    StressOptions options = so_many(100);
    options.nodes_max = 8;
    options.reductions = {example::product(), example::argmax()};
    const StressOutcome in_order = stress(Operation::reduce, program(true), options, misfit);
    EXPECT_FALSE(in_order.breakage) << in_order.breakage->text();
    const StressOutcome wrong = stress(Operation::reduce, program(false), options, misfit);
    ASSERT_TRUE(wrong.breakage);
    EXPECT_TRUE(wrong.breakage->smallest);
    EXPECT_EQ(wrong.breakage->c.topology().nodes(), 2U);
    EXPECT_EQ(wrong.breakage->c.collective.packet_bytes, sizeof(example::Matrix));
    EXPECT_THAT(wrong.breakage->text(),
                AllOf(HasSubstr("product of 2x2 matrix"), HasSubstr("folds contribution 1 before 0")));
}

// Where the counts of a reduce-scatter are 0, there is nothing to fold.
TEST(StressTest, TheCatalogueHasNoFlawOnOneNode) {
    StressOptions options = so_many(500);
    options.on = make_topology("ring:1");
    const StressOutcome outcome = stress_catalogue(options);
    EXPECT_FALSE(outcome.breakage) << outcome.breakage->text();
    EXPECT_EQ(outcome.coverage.cases, 500U);
}

TEST(StressTest, ACaseTriedAloneBreaksAgainInTheSameWay) {
    const StressOutcome outcome = stress_broadcast(waits_for_a_second, so_many(1000));
    ASSERT_TRUE(outcome.breakage);
    StressOptions options = so_many(1000);
    options.only = outcome.breakage->number;
    const StressOutcome again = stress_broadcast(waits_for_a_second, options);
    ASSERT_TRUE(again.breakage);
    EXPECT_EQ(again.coverage.cases, 1U);
    EXPECT_EQ(again.breakage->text(), outcome.breakage->text());
}

Program sends_for_ever(Node& self, NodeId source) {
    while (self.id() == source) {
        co_await send_to_all_neighbours(self);
        co_await self.next_round();
    }
}

TEST(StressTest, AProgramThatNeverEndsIsAFlawAndDoesNotEndTheStress) {
    const StressOutcome outcome = stress_broadcast(sends_for_ever, so_many(100));
    ASSERT_TRUE(outcome.breakage);
    const Failure& failure = outcome.breakage->failure;
    EXPECT_EQ(failure.flaw, Flaw::waits_for_ever);
    EXPECT_THAT(failure.story, testing::ElementsAre(fmt::format("it goes on after {} rounds", failure.how.max_rounds)))
        << "who repeats it wants the same limit";
    EXPECT_THAT(outcome.breakage->text(), HasSubstr("waits for ever"));
}

TEST(StressTest, SaysWhetherARunAloneShowsTheFlaw) {
    EXPECT_TRUE(stress_broadcast(waits_for_a_second, so_many(1000)).breakage->failure.run_shows);
    StressOptions options = so_many(1000);
    options.trials.expectations.optimal = true;
    const StressOutcome slow = stress_broadcast(along_the_numbers, options);
    ASSERT_TRUE(slow.breakage);
    EXPECT_EQ(slow.breakage->failure.run_shows, slow.breakage->failure.flaw != Flaw::not_optimal);
}

TEST(StressTest, ReportsThatNoCaseFits) {
    const auto never = [](const Machine&, const Collective&) { return std::optional<std::string>("never"); };
    EXPECT_THROW((void)stress(
                     Operation::scatter, [](const Machine&, const Collective&) { return Start{}; }, so_many(1), never),
                 RequestError);
}

TEST(DrawingTest, ReductionsHaveEveryOperatorAndTypeAndExtremeValues) {
    Dice dice(3);
    std::set<std::string> kinds;
    std::set<std::string> values;
    for (int n = 0; n < 1000; ++n) {
        const Reduction reduction = draw_reduction(dice, 6);
        require_valid(reduction, 6, 8);
        kinds.insert(fmt::format("{} of {}", name(reduction.op), name(reduction.type)));
        values.insert(reduction.values.begin(), reduction.values.end());
    }
    EXPECT_THAT(kinds, testing::UnorderedElementsAre("sum of int64", "prod of int64", "min of int64", "max of int64",
                                                     "band of int64", "bor of int64", "xor of int64", "land of int64",
                                                     "lor of int64", "lxor of int64", "sum of double", "prod of double",
                                                     "min of double", "max of double", "concat of string"));
    EXPECT_THAT(values, testing::IsSupersetOf({"-9223372036854775808", "9223372036854775807", "-0", "inf",
                                               "1.7976931348623157e+308", "5e-324", ""}));
}

TEST(ShrinkingTest, FindsTheSmallestOfAllMachinesThatFail) {
    const Subject anything = subject_of("anything", [](const Machine&, const Collective&) { return Start{}; }, {});
    Case c;
    c.machine.topology = make_topology("mesh:6x10");
    c.machine.ports = PortLimit(3);
    c.collective.root = 57;
    // Fails where there is a node of four links and the root is not node 0.
    const auto fails = [](const Case& smaller) {
        return smaller.topology().max_degree() >= 4 && smaller.collective.root != 0;
    };
    const Shrunk shrunk_to = shrunk(c, anything, fails, 100'000);
    EXPECT_TRUE(shrunk_to.smallest);
    EXPECT_EQ(shrunk_to.c.topology().spec(), "complete:5");
    EXPECT_EQ(shrunk_to.c.collective.root, 1U);
    EXPECT_EQ(shrunk_to.c.machine.ports.text(), "1");
}

}  // namespace
}  // namespace kport
