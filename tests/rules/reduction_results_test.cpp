/// @file reduction_results_test.cpp   Results of a reduction that lack contributions, have too many, are not due, are missing or
///                                    have other bytes; rounded in any order they are right.
///
/// Source   model.md section 8 (delivery).
#include <bit>
#include <memory>
#include <utility>

#include "emulator/engine/free_running.hpp"
#include "tests/rules/reductions.hpp"

namespace kport {
namespace {

using test::all_sentences;
using test::both_engines;
using test::exchange_and;
using test::expect_told;
using test::machine;
using test::on;
using test::prefix_sums_in_order;
using test::reducing;
using test::run_exchange;
using test::the;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(AResult, AtEveryNodeIsLawful) {
    const RunResult result = run_exchange(exchange_and([](Node& self, const Value& all) { self.result(all); }));
    EXPECT_THAT(all_sentences(result, machine("hypercube:2")), IsEmpty());
    EXPECT_TRUE(result.verdict.delivered);
    EXPECT_EQ(result.verdict.holders, 4U);
    EXPECT_THAT(result.results, ElementsAre("10", "10", "10", "10"));
}

TEST(AResult, MayBeGivenOfWhatFewerMessagesBroughtAndLacksTheRest) {
    const RunResult result = run_exchange(
        exchange_and([](Node& self, const Value& all) { self.result(self.id() == 2 ? self.contribution() : all); }));
    EXPECT_THAT(
        all_sentences(result, machine("hypercube:2")),
        ElementsAre("delivery broken: the result of node 2 lacks 3 contributions, the lowest is that of node 0",
                    "delivery broken: the result of node 2 differs in byte 0 from every fold of its contributions"));
    expect_told(the(Breach::result_lacks, result.verdict), 3, 2, 0);
    EXPECT_EQ(result.verdict.holders, 3U);
    EXPECT_FALSE(result.verdict.delivered);
}

/// A reduction to node 0 of line:3 and a broadcast of the result, which is one packet and goes back where it came from.
Program reduce_and_broadcast(Node& self, bool forgets) {
    Value total = self.contribution();
    if (self.id() == 2) co_await self.send_to(1, total);
    if (self.id() == 1) {
        const Arrival arrival = co_await self.receive_from(2);
        if (!forgets) total = self.fold(total, arrival.value());
        co_await self.send_to(0, total);
    }
    if (self.id() == 0) {
        const Arrival arrival = co_await self.receive_from(1);
        total = self.fold(total, arrival.value());
        total = self.whole(total);
        co_await self.send_to(1, total);
    } else {
        const Arrival arrival = co_await self.receive_from(self.id() - 1);
        total = arrival.value();
        if (self.id() == 1) co_await self.send_to(2, total);
    }
    self.result(total);
}

TEST(AResult, MayGoBackAsOnePacketToItsContributors) {
    for (const std::uint64_t bytes : {8U, 24U}) {
        Job job = reducing(machine("line:3"), Operation::allreduce, {},
                           [](Node& self) { return reduce_and_broadcast(self, false); });
        job.collective.packet_bytes = bytes;
        const RunResult result = run_lockstep(job, {});
        EXPECT_THAT(all_sentences(result, job.machine), IsEmpty());
        EXPECT_TRUE(result.verdict.delivered);
        EXPECT_EQ(result.verdict.metrics.rounds, 4U);
    }
}

TEST(AResult, ThatLacksContributionsIsCaught) {
    const Job job = reducing(machine("line:3"), Operation::allreduce, {},
                             [](Node& self) { return reduce_and_broadcast(self, true); });
    const RunResult result = run_lockstep(job, {});
    expect_told(the(Breach::result_lacks, result.verdict), 3, 0, 2);
    EXPECT_FALSE(result.verdict.lawful());
}

TEST(AResult, WithForeignContributionsExceeds) {
    const RunResult result =
        run_exchange(exchange_and([](Node& self, const Value& all) { self.result(all); }), Operation::scan);
    std::vector<std::pair<NodeId, PacketId>> exceed;
    for (const Violation& v : result.verdict.violations)
        if (v.breach == Breach::result_exceeds) exceed.emplace_back(v.node, v.packet);
    using Exceeds = std::pair<NodeId, PacketId>;
    EXPECT_THAT(exceed, ElementsAre(Exceeds{0, 1}, Exceeds{1, 2}, Exceeds{2, 3}));
    EXPECT_EQ(
        sentence(the(Breach::result_exceeds, run_exchange(exchange_and([](Node& self, const Value& all) {
                                                              self.result(self.id() == 2 ? all : self.contribution());
                                                          }),
                                                          Operation::scan)
                                                 .verdict),
                 *machine("hypercube:2").topology),
        "delivery broken: the result of node 2 has the contribution of node 3 twice, or must not have it");
    EXPECT_EQ(result.verdict.holders, 1U);  // node 3, to which all belong
}

TEST(AResult, OfANodeThatOwesNoneIsReportedAsThatAndNotCompared) {
    // Node 2 of a reduction to node 0 gives what it has, which is right for what it is.
    const Machine line = machine("line:3");
    const auto program = [](Node& self) -> Program {
        Value all = self.contribution();
        if (self.id() != 2) {
            const Arrival arrival = co_await self.receive_from(self.id() + 1);
            all = self.fold(all, arrival.value());
        }
        if (self.id() != 1) self.result(all);
        if (self.id() != 0) co_await self.send(test::leftwards, all);
    };
    for (const EngineKind engine : both_engines)
        for (const bool payload : {true, false}) {
            Job job = reducing(line, Operation::reduce, {Operator::sum, ElementType::int64, {"1", "2", "4"}}, program);
            job.payload = payload;
            const RunResult result = run(job, on(engine));
            EXPECT_THAT(all_sentences(result, line),
                        ElementsAre("delivery broken: node 2 gives a result in round 1 and owes none: the operation "
                                    "promises its result to node 0 alone"));
            expect_told(the(Breach::result_not_due, result.verdict), 1, 2, 0);
            EXPECT_EQ(result.verdict.holders, 3U) << "the root has its own";
            EXPECT_THAT(result.results,
                        payload ? ElementsAre("7") : testing::Matcher<std::vector<std::string>>(IsEmpty()));
        }
}

TEST(AResult, ThatIsNeverGivenIsMissed) {
    const RunResult result = run_exchange(exchange_and([](Node& self, const Value& all) {
        if (self.id() != 1) self.result(all);
    }));
    EXPECT_THAT(all_sentences(result, machine("hypercube:2")),
                ElementsAre("delivery broken: node 1 ends without a result"));
    EXPECT_EQ(the(Breach::never_a_result, result.verdict).node, 1U);
    EXPECT_EQ(result.verdict.holders, 3U);
    EXPECT_FALSE(result.verdict.delivered);
}

TEST(AResult, ThatTheRootNeverGivesLeavesOneContributionUncounted) {
    // It has all of them; "N of N" would read as if the reduction were complete.
    const auto silent = [](Node& self) -> Program {
        const Value own = self.contribution();
        if (self.id() == 1)
            co_await self.send(0, own);
        else
            (void)co_await self.receive();
    };
    const Verdict verdict = run_lockstep(reducing(machine("line:2"), Operation::reduce, {}, silent), {}).verdict;
    EXPECT_EQ(the(Breach::never_a_result, verdict).node, 0U);
    EXPECT_EQ(verdict.holders, 1U);
    EXPECT_EQ(verdict.promised, 2U);
}

TEST(AResult, OfOtherBytesThanItsContributionsDiffers) {
    // The contributions are right, the number is not.
    const RunResult result = run_exchange(exchange_and([](Node& self, const Value& all) {
        self.result(self.id() == 3 ? Value(Element{{0, 1, 4}, 10 + (std::uint64_t{1} << 40)}) : all);
    }));
    EXPECT_THAT(
        all_sentences(result, machine("hypercube:2")),
        ElementsAre("delivery broken: node 3 uses an invalid value with contribution 0 in round 3: values "
                    "come from contribution(), fold(), whole() and messages, and never change",
                    "delivery broken: the result of node 3 differs in byte 5 from every fold of its contributions"));
    EXPECT_EQ(the(Breach::result_differs, result.verdict).node, 3U);
    EXPECT_FALSE(result.verdict.delivered);
}

TEST(AResult, GivenAgainIsTheLast) {
    const RunResult result = run_exchange(exchange_and([](Node& self, const Value& all) {
        self.result(all);
        self.result(all);
    }));
    EXPECT_THAT(all_sentences(result, machine("hypercube:2")), IsEmpty());
}

TEST(AResult, OfDoublesMayBeRoundedInAnyOrder) {
    // 0.1 + 0.2 + 0.3 + ... depends on where the brackets stand; every bracketing is a right sum.
    const Machine cube = machine("hypercube:4");
    Reduction reals{Operator::sum, ElementType::real, {}};
    for (int v = 0; v < 16; ++v) reals.values.push_back(fmt::format("{}", 0.1 + 0.7 * v * v));
    const auto all = exchange_and([](Node& self, const Value& value) { self.result(value); });
    EXPECT_THAT(all_sentences(run_lockstep(reducing(cube, Operation::allreduce, reals, all), {}), cube), IsEmpty());
    EXPECT_THAT(
        all_sentences(run_lockstep(reducing(cube, Operation::scan, reals, prefix_sums_in_order(cube)), {}), cube),
        IsEmpty());
    const Reduction zeros{Operator::min, ElementType::real, {"0", "-0", "0", "-0"}};
    EXPECT_THAT(all_sentences(run_lockstep(reducing(machine("hypercube:2"), Operation::allreduce, zeros, all), {}),
                              machine("hypercube:2")),
                IsEmpty());
    // An error larger than rounding is still found.
    const auto off = exchange_and([](Node& self, const Value& value) {
        const double wrong = std::bit_cast<double>(value.element().bits) * (1 + 1e-9);
        self.result(self.id() == 5 ? Value(Element{value.element().contributions, std::bit_cast<std::uint64_t>(wrong)})
                                   : value);
    });
    EXPECT_EQ(
        the(Breach::result_differs, run_lockstep(reducing(cube, Operation::allreduce, reals, off), {}).verdict).node,
        5U);
}

TEST(AResult, OfDoublesMayBeWhatAnyBracketingGives) {
    // One after the other the sum is 0; in pairs it is an infinity less another.
    Reduction reals{Operator::sum, ElementType::real, {"1e308", "1e308", "-1e308", "-1e308"}};
    const Machine cube = machine("hypercube:2");
    const auto all = exchange_and([](Node& self, const Value& value) { self.result(value); });
    for (const EngineKind engine : both_engines)
        for (const std::uint64_t bytes : {8U, 24U}) {
            const RunOptions options = on(engine);
            Job job = reducing(cube, Operation::allreduce, reals, all);
            job.collective.packet_bytes = bytes;
            const RunResult sums = run(job, options);
            EXPECT_THAT(all_sentences(sums, cube), IsEmpty());
            EXPECT_THAT(sums.results, ElementsAre("nan", "nan", "nan", "nan"));
            job = reducing(cube, Operation::scan, reals, prefix_sums_in_order(cube));
            job.collective.packet_bytes = bytes;
            const RunResult prefixes = run(job, options);
            EXPECT_THAT(all_sentences(prefixes, cube), IsEmpty());
            EXPECT_THAT(prefixes.results, ElementsAre("1e+308", "inf", "inf", "nan"));
        }
}

TEST(AResult, OfDoublesThatNoFoldGaveIsCaughtHoweverNear) {
    // By the last bit, and of values of which no bracketing can be ruled out.
    const Machine cube = machine("hypercube:2");
    const auto off = exchange_and([](Node& self, const Value& value) {
        self.result(self.id() == 2 ? Value(Element(value.element().contributions, value.element().bits ^ 1)) : value);
    });
    for (const char* large : {"1", "1e308"})
        for (const Operator& op : {Operator::sum, Operator::min, Operator::max}) {
            const Reduction reals{op, ElementType::real, {large, "0.1", large, "-7"}};
            const Verdict verdict = run_lockstep(reducing(cube, Operation::allreduce, reals, off), {}).verdict;
            expect_told(the(Breach::value_differs, verdict), 3, 2, 0);
            EXPECT_FALSE(verdict.delivered);
        }
}

TEST(AResult, OfAValueOfAnEarlierRunIsCaughtThoughItIsTheSame) {
    // Node 2 gives the sum that it folded in the first run, of the same contributions.
    const std::pair<Operator, ElementType> kinds[] = {
        {Operator::sum, ElementType::int64}, {Operator::max, ElementType::int64},
        {Operator::sum, ElementType::real},  {Operator::min, ElementType::real},
        {Operator::max, ElementType::real},  {Operator::exclusive_or, ElementType::int64}};
    for (const auto& [op, type] : kinds)
        for (const bool payload : {true, false}) {
            const auto kept = std::make_shared<std::vector<Value>>();
            const auto keeps = exchange_and([kept](Node& self, const Value& all) {
                if (self.id() == 2 && kept->empty()) kept->push_back(all);
                self.result(self.id() == 2 ? kept->front() : all);
            });
            Job job = reducing(machine("hypercube:2"), Operation::allreduce, {op, type, {"1", "2", "4", "8"}}, keeps);
            job.payload = payload;
            const auto expect_caught = [](const Verdict& verdict) {
                expect_told(the(Breach::value_differs, verdict), 3, 2, 0);
                EXPECT_EQ(verdict.violation_count, 1U);
                EXPECT_FALSE(verdict.delivered);
            };
            const RunOptions free = on(EngineKind::free);
            EXPECT_TRUE(run(job, {}).verdict.lawful());
            expect_caught(run(job, {}).verdict);
            expect_caught(run(job, free).verdict);
            kept->clear();
            FreeRunning engine(job, free);
            EXPECT_TRUE(engine.run().value().verdict.lawful());
            expect_caught(engine.run().value().verdict);
            expect_caught(run(job, {}).verdict);
        }
}

}  // namespace
}  // namespace kport
