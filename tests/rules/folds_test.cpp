/// @file folds_test.cpp   Folds of a contribution twice or out of order, and contributions that come again or never came:
///                        each is reported once.
///
/// Source   model.md section 8 (delivery).
#include <array>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/audit/audit_schedule.hpp"
#include "tests/rules/reductions.hpp"

namespace kport {
namespace {

using test::all_sentences;
using test::counted;
using test::expect_told;
using test::machine;
using test::reducing;
using test::the;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(AFold, OfAContributionTwiceIsCaught) {
    // Node 0 folds what node 1 sent into what it has, and then once more.
    const Machine line = machine("line:2");
    const auto twice = [](Node& self) -> Program {
        if (self.id() == 1) {
            const Value own = self.contribution();
            co_await self.send(0, own);
            co_return;
        }
        const Arrival arrival = co_await self.receive();
        const Value once = self.fold(self.contribution(), arrival.value());
        (void)self.fold(once, arrival.value());
        self.result(once);
    };
    const RunResult result =
        run_lockstep(reducing(line, Operation::reduce, {Operator::sum, ElementType::int64, {"1", "2"}}, twice), {});
    EXPECT_THAT(all_sentences(result, line),
                ElementsAre("delivery broken: node 0 folds contribution 1 twice in round 2: both of the values that it "
                            "folds have it"));
    expect_told(the(Breach::folded_twice, result.verdict), 2, 0, 1);
    EXPECT_THAT(result.results, ElementsAre("3"));
    EXPECT_FALSE(result.verdict.delivered);
}

TEST(AFold, OfAContributionTwiceMakesNoResult) {
    // A wrong result, for every kind of value: elements, bodies of several, texts.
    const Machine line = machine("line:2");
    const auto twice = [](Node& self) -> Program {
        const Value own = self.contribution();
        if (self.id() == 1) {
            co_await self.send(0, own);
            co_return;
        }
        const Arrival arrival = co_await self.receive();
        self.result(self.fold(self.fold(own, arrival.value()), arrival.value()));
    };
    for (const Reduction& reduction : {Reduction{}, Reduction{Operator::concat, ElementType::text, {}}})
        for (const std::uint64_t bytes : {8U, 24U}) {
            Job job = reducing(line, Operation::reduce, reduction, twice);
            job.collective.packet_bytes = bytes;
            const Verdict verdict = run_lockstep(job, {}).verdict;
            expect_told(the(Breach::folded_twice, verdict), 2, 0, 1);
            EXPECT_FALSE(verdict.delivered);
        }
}

TEST(AFold, OfTheResultWithAPartOfItFoldsTwice) {
    // The result is a packet of its own, whose number is the next after that of the last node's contribution; it has all
    // contributions all the same.
    const Machine line = machine("line:2");
    for (const auto& [folder, result_is_left] : {std::pair<NodeId, bool>(0, true), {0, false}, {1, true}, {1, false}})
        for (const auto& [reduction, bytes] : {std::pair(Reduction{}, 8U), std::pair(Reduction{}, 24U),
                                               std::pair(Reduction{Operator::concat, ElementType::text, {}}, 8U)}) {
            Job job = reducing(
                line, Operation::allreduce, reduction, [at = folder, is_left = result_is_left](Node& self) -> Program {
                    const Value own = self.contribution();
                    const NodeId other = 1 - self.id();
                    co_await self.send_to(other, own);
                    const Arrival arrival = co_await self.receive();
                    const Value all =
                        self.id() == 0 ? self.fold(own, arrival.value()) : self.fold(arrival.value(), own);
                    const Value whole = self.whole(all);
                    if (self.id() == at) (void)(is_left ? self.fold(whole, own) : self.fold(own, whole));
                    self.result(whole);
                });
            job.collective.packet_bytes = bytes;
            for (const EngineKind engine : test::both_engines) {
                const Verdict verdict = run(job, test::on(engine)).verdict;
                expect_told(the(Breach::folded_twice, verdict), 2, folder, folder);
                EXPECT_EQ(counted(verdict, Breach::folded_out_of_order), reduction.commutative() ? 0U : 1U);
                EXPECT_FALSE(verdict.lawful());
            }
        }
}

TEST(AFold, OfAContributionTwiceIsReportedOnceEvenIfSentOn) {
    // Node 2 folds node 3's value twice, and sends the result; node 1 passes it on. Both hold all its contributions.
    const Machine line = machine("line:4");
    const auto twice = [](Node& self) -> Program {
        Value value = self.contribution();
        if (self.id() != 3) {
            const Arrival arrival = co_await self.receive();
            value = self.fold(value, arrival.value());
            if (self.id() == 2) value = self.fold(value, arrival.value());
        }
        if (self.id() != 0)
            co_await self.send(0, value);
        else
            self.result(value);
    };
    const Verdict verdict = run_lockstep(reducing(line, Operation::reduce, {}, twice), {}).verdict;
    expect_told(the(Breach::folded_twice, verdict), 2, 2, 3);
    expect_told(the(Breach::result_exceeds, verdict), 4, 0, 3);
    EXPECT_EQ(verdict.violation_count, 3U) << "and the result differs";
    EXPECT_TRUE(verdict.kept(Rule::nodup));
    EXPECT_TRUE(verdict.kept(Rule::noho));
}

/// Every kind of value: elements, bodies, texts, runs that stay apart; and each of several segments.
std::vector<std::pair<Reduction, std::uint64_t>> all_kinds() {
    const Reduction leftmost = Reduction::own<std::int64_t>(
        {.name = "leftmost", .fold = [](const std::int64_t& left, const std::int64_t&) { return left; }});
    return {{Reduction{}, 8},
            {Reduction{}, 24},
            {Reduction{Operator::concat, ElementType::text, {}}, 8},
            {leftmost, 8},
            {leftmost, 24}};
}

TEST(AFold, OfAValueWithItselfMayBeRepeatedForEver) {
    // 2^200 times the same contribution: once is enough to know that it is folded twice, and the value grows no further.
    constexpr int folds = 200;
    for (const auto& [reduction, bytes] : all_kinds())
        for (const std::uint64_t segments : {1U, 3U})
            for (const EngineKind engine : test::both_engines) {
                std::size_t size = 0;
                std::uint64_t contributions = 0;
                Job job = reducing(machine("line:2"), Operation::allreduce, reduction, [&](Node& self) -> Program {
                    Value all = self.contribution();
                    for (int i = 0; i < folds && self.id() == 0; ++i) all = self.fold(all, all);
                    co_await self.send_to(1 - self.id(), all);
                    const Arrival arrival = co_await self.receive();
                    const bool is_left = self.id() == 0;
                    all = is_left ? self.fold(all, arrival.value()) : self.fold(arrival.value(), all);
                    if (is_left) size = all.bytes().size();
                    if (is_left) contributions = all.contributions().size();
                    self.result(all);
                });
                job.collective.packet_bytes = bytes;
                job.collective.packets_each = segments;
                RunOptions options = test::on(engine);
                options.violations_max = 1000;
                const Verdict verdict = run(job, options).verdict;
                EXPECT_EQ(counted(verdict, Breach::folded_twice), std::uint64_t{folds});
                EXPECT_EQ(counted(verdict, Breach::result_exceeds), 2U) << "in both results";
                EXPECT_FALSE(verdict.delivered);
                EXPECT_EQ(verdict.holders, 0U);
                EXPECT_EQ(contributions, 2 * segments);
                EXPECT_LE(size, 4 * segments * bytes);
            }
}

/// Each node folds, again and again, what both neighbours have.
ProgramFactory fold_what_neighbours_have(Round times) {
    return [times](Node& self) -> Program {
        return [](Node& node, Round rounds) -> Program {
            Value all = node.contribution();
            for (Round i = 0; i < rounds; ++i) {
                const std::array<SendRequest, 2> both{SendRequest(Port{0}, all), SendRequest(Port{1}, all)};
                co_await node.send_together(both);
                for (Port port = 0; port < 2; ++port) {
                    const Arrival arrival = co_await node.receive(port);
                    all = node.merge(all, arrival.value());
                }
            }
            node.result(all);
        }(self, times);
    };
}

TEST(ANaiveAllReduce, OfEveryOperatorIsJudgedHoweverLongItGoesOn) {
    const Machine ring = machine("ring:40", PortLimit::all());
    for (const auto& [reduction, bytes] : all_kinds())
        for (const EngineKind engine : test::both_engines) {
            Job job = reducing(ring, Operation::allreduce, reduction, fold_what_neighbours_have(40));
            job.collective.packet_bytes = bytes;
            const Verdict verdict = run(job, test::on(engine)).verdict;
            EXPECT_GT(verdict.count(Rule::nodup), 0U);
            EXPECT_EQ(verdict.holders, 0U);
            EXPECT_FALSE(verdict.delivered);
            EXPECT_EQ(verdict.metrics.rounds, 40U);
        }
}

TEST(AValueThatWasFoldedTwice, IsAMessageOfEachContributionOnceAndHasItsSize) {
    // So its schedule can be written, read and judged like any other.
    const Machine ring = machine("ring:6", PortLimit::all());
    for (const EngineKind engine : test::both_engines) {
        Schedule schedule;
        RunOptions options = test::on(engine);
        options.recorded_schedule = &schedule;
        const Job job = reducing(ring, Operation::allreduce, {}, fold_what_neighbours_have(4));
        const Verdict verdict = run(job, options).verdict;
        EXPECT_GT(counted(verdict, Breach::folded_twice), 0U);
        EXPECT_EQ(verdict.metrics.volume, 4 * job.collective.packet_bytes);
        EXPECT_EQ(counted(verdict, Breach::packet_twice), 0U);
        const Verdict judged = audit(schedule, ring, job.collective, false);
        EXPECT_EQ(judged.metrics.volume, verdict.metrics.volume);
        EXPECT_EQ(judged.count(Rule::nodup), verdict.count(Rule::nodup));
        EXPECT_EQ(judged.count(Rule::noho), verdict.count(Rule::noho));
    }
}

TEST(AFold, OutOfOrderIsCaughtForConcatAlone) {
    const Machine line = machine("line:2");
    const auto turned = [](Node& self) -> Program {
        const Value own = self.contribution();
        if (self.id() == 1) {
            co_await self.send(0, own);
            co_return;
        }
        const Arrival arrival = co_await self.receive();
        self.result(self.fold(arrival.value(), own));
    };
    const RunResult concat =
        run_lockstep(reducing(line, Operation::reduce, {Operator::concat, ElementType::text, {}}, turned), {});
    const Violation v = the(Breach::folded_out_of_order, concat.verdict);
    expect_told(v, 2, 0, 1);
    EXPECT_EQ(v.limit, 0U);
    EXPECT_EQ(the(Breach::result_differs, concat.verdict).node, 0U);
    EXPECT_EQ(concat.verdict.violation_count, 2U);
    EXPECT_THAT(concat.results, ElementsAre("1.0."));
    EXPECT_THAT(all_sentences(run_lockstep(reducing(line, Operation::reduce, {}, turned), {}), line), IsEmpty());
}

TEST(AFold, OutOfOrderIsCaughtForAnOperatorOfOnesOwnThatDoesNotCommute) {
    // Whatever its values are: numbers of 8 bytes, several of them, or sizes alone.
    const Machine line = machine("line:2");
    const Reduction leftmost =
        Reduction::own<std::int64_t>({.name = "leftmost",
                                      .fold = [](const std::int64_t& left, const std::int64_t&) { return left; },
                                      .idempotent = true});
    for (const auto& [bytes, payload] : {std::pair(8U, true), std::pair(24U, true), std::pair(8U, false)})
        for (const bool is_turned : {true, false}) {
            Job job = reducing(line, Operation::reduce, leftmost, [is_turned](Node& self) -> Program {
                const Value own = self.contribution();
                if (self.id() == 1) {
                    co_await self.send(0, own);
                    co_return;
                }
                const Arrival arrival = co_await self.receive();
                self.result(is_turned ? self.fold(arrival.value(), own) : self.fold(own, arrival.value()));
            });
            job.collective.packet_bytes = bytes;
            job.payload = payload;
            const Verdict verdict = run_lockstep(job, {}).verdict;
            EXPECT_EQ(counted(verdict, Breach::folded_out_of_order), is_turned ? 1U : 0U);
            EXPECT_EQ(verdict.lawful(), !is_turned);
        }
}

// ------------------------------------------------------------------------------------------ contributions on their way

TEST(AContribution, ThatComesAgainBreaksNodup) {
    const Machine line = machine("line:2");
    const auto again = [](Node& self) -> Program {
        const Value own = self.contribution();
        if (self.id() == 1) {
            co_await self.send(0, own);
            co_await self.send(0, own);
            co_return;
        }
        const Arrival first = co_await self.receive();
        co_await self.receive();
        self.result(self.fold(own, first.value()));
    };
    const RunResult result = run_lockstep(reducing(line, Operation::reduce, {}, again), {});
    EXPECT_THAT(all_sentences(result, line), ElementsAre(HasSubstr("NODUP broken: node 0 receives packet 1 again")));
    const Violation v = the(Breach::received_again, result.verdict);
    EXPECT_EQ(v.rule(), Rule::nodup);
    EXPECT_EQ(std::tuple(v.round, v.node, v.packet, v.other), std::tuple(2U, 0U, 1U, 1U));
}

TEST(AContribution, ThatWasNotReceivedCannotBeSentOn) {
    // Node 1 claims to send a value that has the contribution of node 0 too.
    const Machine line = machine("line:2");
    const auto forged = [](Node& self) -> Program {
        const Value own = self.contribution();
        if (self.id() == 1) {
            const Value both(Element{{0, 1, 2}, 3});
            co_await self.send(0, both);
            co_return;
        }
        const Arrival arrival = co_await self.receive();
        self.result(arrival.value());
    };
    const RunResult result =
        run_lockstep(reducing(line, Operation::reduce, {Operator::sum, ElementType::int64, {"1", "2"}}, forged), {});
    EXPECT_THAT(all_sentences(result, line),
                ElementsAre(HasSubstr("node 1 sends packet 0 in round 1 and does not hold it"),
                            HasSubstr("node 1 uses an invalid value with contribution 0 in round 1")));
}

}  // namespace
}  // namespace kport
