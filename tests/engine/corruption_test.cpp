/// @file corruption_test.cpp   The engine's final comparison finds a bit that changed during the run.
#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/run_algorithm.hpp"
#include "emulator/engine/sabotage.hpp"
#include "emulator/engine/script.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::both_engines;
using test::on;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

struct Sending {
    Operation operation;
    const char* algorithm;
    std::uint64_t packet_bytes;
};

RunResult run_on(const Machine& machine, const Sending& sending, EngineKind engine, Sabotage& sabotage) {
    Collective collective;
    collective.operation = sending.operation;
    collective.packet_bytes = sending.packet_bytes;
    const Algorithm& algorithm = algorithm_named(sending.algorithm, machine, collective, {});
    RunOptions options = on(engine);
    options.sabotage = &sabotage;
    return run_algorithm(algorithm, machine, collective, {}, {}, options);
}

/// The findings of each run in which another message is corrupted.
std::multiset<std::string> told_of_every_change(const Sending& sending, EngineKind engine) {
    const Machine machine = test::machine("hypercube:3");
    Sabotage counting(Fault::corrupt);
    EXPECT_TRUE(run_on(machine, sending, engine, counting).verdict.delivered);
    std::multiset<std::string> told;
    for (std::uint64_t n = 0; n < counting.opportunities(); ++n) {
        Sabotage once(Fault::corrupt, n);
        const RunResult result = run_on(machine, sending, engine, once);
        EXPECT_EQ(result.engine, engine);
        EXPECT_FALSE(result.verdict.delivered);
        EXPECT_EQ(once.injected().size(), 1U);
        told.insert(test::text(result.verdict, *machine.topology));
    }
    return told;
}

class AChangedBit : public testing::TestWithParam<Sending> {};

INSTANTIATE_TEST_SUITE_P(
    Operations, AChangedBit,
    testing::Values(Sending{Operation::broadcast, "sbt", 8}, Sending{Operation::broadcast, "sbt", 100},
                    Sending{Operation::scatter, "sbt", 8}, Sending{Operation::scatter, "sbt", 100},
                    Sending{Operation::allgather, "exchange", 8}, Sending{Operation::alltoall, "exchange", 24}),
    [](const auto& row) {
        return std::string(name(row.param.operation)) + "_" + std::to_string(row.param.packet_bytes);
    });

TEST_P(AChangedBit, IsReportedEquallyByEveryEngine) {
    const std::multiset<std::string> in_lockstep = told_of_every_change(GetParam(), EngineKind::lockstep);
    EXPECT_THAT(in_lockstep, Not(testing::IsEmpty()));
    EXPECT_THAT(in_lockstep, Each(HasSubstr("differs from what was sent")));
    EXPECT_EQ(told_of_every_change(GetParam(), EngineKind::free), in_lockstep);
}

// ------------------------------------------------------------------------------------------------- values of a reduction

struct Folding {
    Operation operation;
    const char* algorithm;
    const char* spec;
    Operator op;
    ElementType type;
    std::uint64_t packet_bytes;
    bool given;  ///< numbers whose sum is rounded

    [[nodiscard]] Collective collective() const { return {operation, 0, packet_bytes}; }
    [[nodiscard]] AlgorithmOptions options() const {
        AlgorithmOptions options;
        options.reduction.op = op;
        options.reduction.type = type;
        for (int v = 0; given && v < 8; ++v) options.reduction.values.push_back(std::to_string(v) + ".1");
        return options;
    }
    [[nodiscard]] RunResult run(const RunOptions& run_options) const {
        const Machine machine = test::machine(spec);
        return run_algorithm(algorithm_named(algorithm, machine, collective(), options()), machine, collective(),
                             options(), {}, run_options);
    }
};

std::vector<Folding> foldings() {
    const std::pair<Operator, ElementType> kinds[] = {
        {Operator::sum, ElementType::int64}, {Operator::min, ElementType::int64},
        {Operator::max, ElementType::int64}, {Operator::exclusive_or, ElementType::int64},
        {Operator::sum, ElementType::real},  {Operator::min, ElementType::real},
        {Operator::max, ElementType::real},  {Operator::concat, ElementType::text}};
    std::vector<Folding> all;
    for (const auto& [op, type] : kinds)
        for (const std::uint64_t bytes : {8U, 40U})
            for (const bool given : {false, true}) {
                if (given && type != ElementType::real) continue;
                const char* tree = type == ElementType::text ? "dost" : "farthest-first";
                const char* reduction = type == ElementType::text ? "line:8" : "hypercube:3";
                all.push_back({Operation::reduce, tree, reduction, op, type, bytes, given});
                all.push_back({Operation::allreduce, "reduce-broadcast", reduction, op, type, bytes, given});
                all.push_back({Operation::allreduce, "exchange", "hypercube:3", op, type, bytes, given});
                all.push_back({Operation::scan, "exchange", "hypercube:3", op, type, bytes, given});
            }
    return all;
}

class AValueThatIsHarmed : public testing::TestWithParam<Folding> {};

INSTANTIATE_TEST_SUITE_P(Foldings, AValueThatIsHarmed, testing::ValuesIn(foldings()), [](const auto& row) {
    const Folding& f = row.param;
    std::string text =
        fmt::format("{}_{}_{}_{}_{}", name(f.operation), f.algorithm, name(f.op), name(f.type), f.packet_bytes);
    std::ranges::replace(text, '-', '_');
    return text + (f.given ? "_given" : "");
});

/// A job that runs, or one that follows the schedule that was recorded of it.
Job job_of(const Folding& folding, Schedule& schedule) {
    const Machine machine = test::machine(folding.spec);
    const Collective collective = folding.collective();
    const AlgorithmOptions options = folding.options();
    const Algorithm& algorithm = algorithm_named(folding.algorithm, machine, collective, options);
    RunOptions recording;
    recording.recorded_schedule = &schedule;
    EXPECT_TRUE(folding.run(recording).verdict.lawful());
    Job job = algorithm.way == Way::program
                  ? make_job(algorithm, machine, collective, options)
                  : job_following(schedule, machine, {folding.operation, 0, folding.packet_bytes});
    job.reduction = options.reduction;
    return job;
}

/// A bit changes on the way, or all bytes are lost.
constexpr std::pair<Fault, EngineKind> harms[] = {{Fault::corrupt, EngineKind::lockstep},
                                                  {Fault::corrupt, EngineKind::free},
                                                  {Fault::lose_payload, EngineKind::lockstep},
                                                  {Fault::lose_payload, EngineKind::free}};

TEST_P(AValueThatIsHarmed, IsReportedForEveryMessageByEveryEngine) {
    const Folding folding = GetParam();
    Schedule schedule;
    const Job job = job_of(folding, schedule);
    for (const auto& [fault, engine] : harms) {
        RunOptions options = on(engine);
        Sabotage counting(fault);
        options.sabotage = &counting;
        EXPECT_TRUE(run(job, options).verdict.lawful());
        EXPECT_EQ(counting.opportunities(), schedule.size()) << "a message each";
        std::multiset<std::tuple<Round, NodeId, NodeId>> told;
        for (std::uint64_t n = 0; n < counting.opportunities(); ++n) {
            Sabotage once(fault, n);
            options.sabotage = &once;
            const RunResult result = run(job, options);
            EXPECT_EQ(result.engine, engine);
            EXPECT_FALSE(result.verdict.delivered);
            ASSERT_EQ(std::ranges::count(result.verdict.violations, Breach::value_differs, &Violation::breach), 1);
            const Violation& v =
                *std::ranges::find(result.verdict.violations, Breach::value_differs, &Violation::breach);
            EXPECT_THAT(once.injected().front().what,
                        HasSubstr(fmt::format("what node {} receives in round {}", v.node, v.round)));
            told.emplace(v.round, v.other, v.node);
        }
        std::multiset<std::tuple<Round, NodeId, NodeId>> moved;
        for (std::size_t i = 0; i < schedule.size(); ++i)
            moved.emplace(schedule.round(i), schedule.transfer(i).from, schedule.transfer(i).to);
        EXPECT_EQ(told, moved);
    }
}

TEST_P(AValueThatIsHarmed, IsReportedForTheMessageThatWasChosenWhereProgramsFollowTheSchedule) {
    const Folding folding = GetParam();
    Schedule schedule;
    (void)job_of(folding, schedule);
    for (std::size_t n = 0; n < 2 * schedule.size(); ++n) {
        const std::size_t i = n / 2;
        const Transfer changed = schedule.transfer(i);
        Sabotage sabotage(n % 2 == 0 ? Fault::corrupt : Fault::lose_payload,
                          {{schedule.round(i), changed.from, changed.to}});
        RunOptions options;
        options.sabotage = &sabotage;
        Job job = job_following(schedule, test::machine(folding.spec), {folding.operation, 0, folding.packet_bytes});
        job.reduction = folding.options().reduction;
        const Verdict verdict = run(job, options).verdict;
        EXPECT_FALSE(verdict.delivered);
        ASSERT_EQ(std::ranges::count(verdict.violations, Breach::value_differs, &Violation::breach), 1);
        const Violation& v = *std::ranges::find(verdict.violations, Breach::value_differs, &Violation::breach);
        EXPECT_EQ(std::tuple(v.round, v.other, v.node), std::tuple(schedule.round(i), changed.from, changed.to));
    }
}

TEST(AChangedBitOfABroadcast, IsReportedAtTheNodeWhereItChangedAndAtAllNodesBelowIt) {
    // A bit that changes on its way to node v is reported at v and at all nodes below it in the tree: over all v the sum
    // of the depths of the spanning binomial tree, d 2^(d-1) = 12.
    const std::multiset<std::string> told = told_of_every_change({Operation::broadcast, "sbt", 8}, EngineKind::free);
    EXPECT_EQ(told.size(), 7U);
    const std::string differs = "differs from what was sent";
    std::size_t nodes = 0;
    for (const std::string& text : told)
        for (std::size_t at = text.find(differs); at != std::string::npos; at = text.find(differs, at + 1)) ++nodes;
    EXPECT_EQ(nodes, 12U);
}

TEST(AChangedBitOfABroadcast, IsReportedOnceAlsoAtTheLastNodeOfALargeMachine) {
    // Engines compare in pieces of 2^14 nodes: here the last piece is one node.
    const Machine line = test::machine("line:32769");
    const Sending dost{Operation::broadcast, "dost", 8};
    for (const EngineKind engine : both_engines) {
        Sabotage last_hop(Fault::corrupt, 32767);
        const Verdict verdict = run_on(line, dost, engine, last_hop).verdict;
        EXPECT_EQ(verdict.violation_count, 1U);
        EXPECT_THAT(
            test::sentences(verdict, *line.topology),
            testing::ElementsAre("delivery broken: packet 0 at node 32768 differs from what was sent in byte 0"));
    }
}

TEST(AChangedBitOfAPacket, ThatCameBeforeIsNobodysAndIsToldByWhatItWas) {
    // Node 2 gets the packet from node 0, and once more from node 1.
    const Job twice = test::job(test::machine("ring:3", PortLimit::all()),
                                [](Node& self) -> Program {
                                    if (self.id() == 0)
                                        for (const Port port : {test::leftwards, test::rightwards})
                                            co_await self.send(port, Packet(0));
                                    if (self.id() == 1) co_await self.send_to(2, Packet(0));
                                },
                                {0});
    RunOptions options;
    Sabotage counting(Fault::corrupt);
    options.sabotage = &counting;
    (void)run(twice, options);
    EXPECT_EQ(counting.opportunities(), 2U) << "the second is not kept";
    for (std::uint64_t n = 0; n < 2; ++n) {
        Sabotage once(Fault::corrupt, n);
        options.sabotage = &once;
        const Verdict verdict = run(twice, options).verdict;
        EXPECT_EQ(std::ranges::count(verdict.violations, Breach::payload_differs, &Violation::breach), 1);
        ASSERT_EQ(once.injected().size(), 1U);
        EXPECT_EQ(once.injected().front().rule, Rule::delivery);
        EXPECT_THAT(once.injected().front().what,
                    testing::MatchesRegex("a bit changes of what node [12] receives in round 1"));
    }
}

/// A gather of large packets to node 0, which receives from node 2 alone, or from no node.
Job unreceived(bool waits) {
    Job job = test::job_of_all(test::machine("complete:3", PortLimit::all()), [=](Node& self) -> Program {
        if (self.id() != 0)
            co_await self.send_to(0, PacketSet::range(self.id(), self.id() + 1));
        else if (waits)
            co_await self.receive_from(2);
    });
    job.collective = {Operation::gather, 0, std::uint64_t{1} << 16};
    return job;
}

TEST(AChangedBitOfAPacket, ThatNoProgramReceivesIsFoundAtItsNode) {
    for (const bool waits : {false, true})
        for (const EngineKind engine : both_engines)
            for (std::uint64_t n = 0; n < 2; ++n) {
                Sabotage once(Fault::corrupt, n);
                RunOptions options = on(engine);
                options.sabotage = &once;
                const RunResult result = run(unreceived(waits), options);
                EXPECT_EQ(result.engine, engine);
                EXPECT_EQ(std::ranges::count(result.verdict.violations, Breach::payload_differs, &Violation::breach),
                          1);
            }
}

TEST(Sabotage, StrikesWithItsProbability) {
    const auto strikes = [](double probability) {
        Sabotage sabotage(Fault::corrupt, probability, 1);
        int count = 0;
        for (int i = 0; i < 1000; ++i) count += sabotage.strikes() ? 1 : 0;
        EXPECT_EQ(sabotage.opportunities(), 1000U);
        return count;
    };
    EXPECT_EQ(strikes(1), 1000);
    EXPECT_NEAR(strikes(0.5), 500, 80) << "five standard deviations; the seed is fixed";
    EXPECT_NEAR(strikes(0.01), 10, 9);
    Sabotage likely(Fault::corrupt, 0.5, 1);
    likely.note({});
    EXPECT_FALSE(likely.injected().front().certain) << "the next one may undo it";
    Sabotage once(Fault::corrupt, std::uint64_t{2});
    for (int i = 0; i < 5; ++i) EXPECT_EQ(once.strikes(), i == 2);
    Sabotage never(Fault::corrupt);
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(never.strikes());
    once.note({});
    EXPECT_TRUE(once.injected().front().certain);
    EXPECT_EQ(once.injected().front().fault, Fault::corrupt);
}

TEST(Sabotage, OfAFoldNamesValueNodeAndRound) {
    const auto injected_by = [](Fault fault) {
        Job two = test::job_of_all(test::machine("line:2"), [](Node& self) -> Program {
            if (self.id() == 1)
                co_await self.send(test::leftwards, self.contribution());
            else {
                const Arrival arrival = co_await self.receive();
                self.result(self.fold(self.contribution(), arrival.value()));
            }
        });
        two.collective = {Operation::reduce, 0, 8};
        Sabotage once(fault, 0);
        RunOptions options;
        options.sabotage = &once;
        EXPECT_FALSE(run(two, options).verdict.delivered);
        EXPECT_EQ(once.injected().size(), 1U);
        return once.injected().front();
    };
    const Injected twice = injected_by(Fault::fold_twice);
    EXPECT_EQ(twice.what, "node 0 in round 2 folds a value twice");
    EXPECT_EQ(twice.rule, Rule::delivery);
    EXPECT_EQ(twice.round, 2U);
    EXPECT_EQ(twice.node, 0U);
    EXPECT_THAT(twice.packets, testing::ElementsAre(1U));
    const Injected lacking = injected_by(Fault::fold_not);
    EXPECT_EQ(lacking.what, "node 0 in round 2 does not fold a value that came");
    EXPECT_EQ(lacking.rule, Rule::delivery);
    EXPECT_TRUE(lacking.certain);
    EXPECT_THAT(lacking.packets, testing::ElementsAre(1U));
}

}  // namespace
}  // namespace kport
