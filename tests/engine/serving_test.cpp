/// @file serving_test.cpp   Programs that serve others: they may wait for ever, and the run ends all the same.
#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/own_runs.hpp"

namespace kport {
namespace {

using test::both_engines;
using test::found;
using test::leftwards;
using test::on;
using test::own_job;
using test::rightwards;
using test::run_everywhere;
using testing::ElementsAre;

/// Doubles what any node sends.
Program serve_all(Node& self) {
    while (true) {
        const Arrival request = co_await self.serve();
        co_await self.send(request.port, Data(2 * request.as<int>()));
    }
}

Program ask(Node& self, int what, std::vector<int>& answers) {
    co_await self.send_to(0, Data(what));
    const Arrival answer = co_await self.receive_from(0);
    answers[self.id()] = answer.as<int>();
}

TEST(AServer, AnswersAllAndIsNotSaidToWaitForEver) {
    for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()}) {
        std::vector<int> answers(6);
        const Job job = own_job(test::machine("complete:6", ports), [&](Node& self) {
            return self.id() == 0 ? serve_all(self) : ask(self, static_cast<int>(self.id()), answers);
        });
        const Verdict verdict = run_everywhere(
            job,
            [&] {
                EXPECT_THAT(answers, ElementsAre(0, 2, 4, 6, 8, 10));
                answers.assign(6, 0);
            },
            NeedsRounds::order);
        EXPECT_TRUE(verdict.lawful());
        EXPECT_EQ(verdict.metrics.rounds, ports == PortLimit(1) ? 6 : ports == PortLimit(2) ? 4 : 2);
    }
}

TEST(AServer, OfASingleClientNeedsNoRounds) {
    std::vector<int> answers(2);
    const Job job = own_job(test::machine("line:2"),
                            [&](Node& self) { return self.id() == 0 ? serve_all(self) : ask(self, 7, answers); });
    const Verdict verdict = run_everywhere(job, [&] { EXPECT_EQ(answers[1], 14); });
    EXPECT_TRUE(verdict.lawful());
}

/// Each serves one side, or both.
TEST(AServer, MayServeSomePortsAlone) {
    const Job job = own_job(test::machine("line:4"), [](Node& self) -> Program {
        const std::array<Port, 2> both{leftwards, rightwards};
        if (self.id() == 0) co_await self.send(rightwards, Data(1));
        if (self.id() == 0) co_await self.serve(rightwards);
        if (self.id() == 1)
            while (true) {
                const Arrival request = co_await self.serve(both);
                const Port on = request.port == leftwards ? rightwards : leftwards;
                co_await self.send(on, Data(1));
            }
        if (self.id() != 2) co_return;
        co_await self.serve(leftwards);
        co_await self.serve(rightwards);
    });
    const Verdict verdict = run_everywhere(job, [] {});
    EXPECT_TRUE(verdict.lawful());
    EXPECT_EQ(verdict.metrics.rounds, 2U);
}

TEST(AProgramThatServed, IsSaidToWaitForEverWhereItOnlyReceives) {
    const Job job = own_job(test::machine("line:2"), [](Node& self) -> Program {
        if (self.id() == 0) {
            co_await self.send(rightwards, Data(1));
            co_return;
        }
        co_await self.serve();
        co_await self.receive(leftwards);
    });
    for (const EngineKind engine : both_engines)
        EXPECT_THAT(found(job, engine),
                    ElementsAre("delivery broken: node 1 waits for ever for a message by port 0 from node 0"));
}

TEST(AServer, LetsOthersBeSaidToWaitForEver) {
    const Job job = own_job(test::machine("line:3"), [](Node& self) -> Program {
        if (self.id() == 0) co_await self.serve();
        if (self.id() == 1) co_await self.receive_from(0);
        if (self.id() == 2) co_await self.serve(leftwards);
    });
    for (const EngineKind engine : both_engines)
        EXPECT_THAT(found(job, engine),
                    ElementsAre("delivery broken: node 1 waits for ever for a message from node 0"));
}

TEST(AServer, OfAPromisedOperationMustStillDeliver) {
    const auto job_until = [](NodeId last) {
        return test::job(test::machine("line:4"),
                         [=](Node& self) -> Program {
                             if (self.id() != 0) co_await self.serve(leftwards);
                             if (self.id() < last) co_await self.send(rightwards, Packet(0));
                             co_await self.serve();
                         },
                         {0});
    };
    for (const EngineKind engine : both_engines) {
        const RunResult whole = run(job_until(3), on(engine));
        EXPECT_TRUE(whole.verdict.lawful());
        EXPECT_EQ(whole.verdict.compared_packets, 3U);
        EXPECT_THAT(found(job_until(2), engine), ElementsAre("delivery broken: node 3 never receives packet 0"));
    }
}

TEST(AServer, MaySendInAnotherProgramThatItCalls) {
    int got = 0;
    const Job job = own_job(test::machine("line:2"), [&](Node& self) -> Program {
        if (self.id() == 0) {
            co_await serve_all(self);
        } else {
            co_await self.send(leftwards, Data(5));
            const Arrival answer = co_await self.receive(leftwards);
            got = answer.as<int>();
        }
    });
    EXPECT_TRUE(run_everywhere(job, [&] { EXPECT_EQ(std::exchange(got, 0), 10); }).lawful());
}

}  // namespace
}  // namespace kport
