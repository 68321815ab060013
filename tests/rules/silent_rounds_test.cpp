/// @file silent_rounds_test.cpp   Rounds in which nothing moves: lawful where a program waits on purpose, and counted; broken
///                                otherwise; the same of a run, of its recording, and of a schedule from a file.
///
/// Source   model.md section 1 ("a round with no transfer is illegal in a schedule").
#include <sstream>

#include "app/files/schedule_file.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/free_running.hpp"
#include "emulator/engine/replay.hpp"
#include "emulator/engine/script.hpp"
#include "tests/rules/breaches.hpp"

namespace kport {
namespace {

using test::both_engines;
using test::job;
using test::machine;
using test::on;
using test::rightwards;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Down a line of three; nodes 0 and 1 let so many rounds pass before they send, and all let two pass at the end.
Job waiting(int first, int second) {
    return job(machine("line:3"),
               [=](Node& self) -> Program {
                   if (self.id() != 0) co_await self.receive();
                   for (int i = 0; i < (self.id() == 0 ? first : second); ++i) co_await self.next_round();
                   if (self.id() != 2) co_await self.send(rightwards, Packet(0));
                   for (int i = 0; i < 2; ++i) co_await self.next_round();
               },
               {0});
}

struct Ran {
    Verdict verdict;
    Schedule schedule;
};
Ran run_of(const Job& job, EngineKind engine) {
    Ran run;
    RunOptions options = on(engine);
    options.recorded_schedule = &run.schedule;
    options.per_round = true;
    const RunResult result = kport::run(job, options);
    EXPECT_EQ(result.engine, engine);
    run.verdict = result.verdict;
    return run;
}

TEST(SilentRounds, ThatProgramsLetPassAreLawfulAndCountedByEveryJudge) {
    const Job slow = waiting(2, 3);
    const Ran lockstep = run_of(slow, EngineKind::lockstep);
    EXPECT_THAT(test::sentences(lockstep.verdict, *slow.machine.topology), IsEmpty());
    EXPECT_EQ(lockstep.verdict.metrics.rounds, 7U);
    EXPECT_EQ(lockstep.verdict.metrics.silent_rounds, 5U);
    EXPECT_TRUE(lockstep.verdict.kept(Rule::rounds));
    EXPECT_EQ(test::text(lockstep.schedule), "3: 0>1 | 7: 1>2");
    EXPECT_THAT(lockstep.schedule.silences(), ElementsAre(Silence{1, 2}, Silence{4, 3}));

    const Ran free_run = run_of(slow, EngineKind::free);
    EXPECT_EQ(free_run.verdict, lockstep.verdict);
    EXPECT_EQ(free_run.schedule, lockstep.schedule);

    ReplayOptions options;
    options.per_round = true;
    EXPECT_EQ(replay(lockstep.schedule, slow.machine, slow.collective, options).verdict, lockstep.verdict);
    const Verdict audited = audit(lockstep.schedule, slow.machine, slow.collective, true);
    EXPECT_TRUE(audited.lawful());
    EXPECT_EQ(audited.metrics, lockstep.verdict.metrics);
    for (const EngineKind engine : both_engines)
        EXPECT_EQ(run_of(job_following(lockstep.schedule, slow.machine, slow.collective), engine).verdict,
                  lockstep.verdict);
}

TEST(SilentRounds, AtTheEndCountForNothing) {
    EXPECT_EQ(run_of(waiting(0, 0), EngineKind::lockstep).verdict.metrics.silent_rounds, 0U);
    EXPECT_TRUE(run_of(waiting(0, 0), EngineKind::lockstep).schedule.silences().empty());
    EXPECT_TRUE(run_of(waiting(0, 0), EngineKind::free).schedule.silences().empty());
}

TEST(SilentRounds, OfAScheduleAreKeptByAFileAndByTimeReversal) {
    const Job slow = waiting(2, 3);
    const Schedule schedule = run_of(slow, EngineKind::lockstep).schedule;
    std::stringstream file;
    write_schedule(file, schedule, *slow.machine.topology);
    EXPECT_THAT(file.str(),
                HasSubstr(R"("silent_rounds": [{"first":1,"count":2},{"first":4,"count":3}], "transfers")"));
    EXPECT_EQ(read_schedule(file, "slow").schedule, schedule);
    const Schedule back = reversed(schedule, *slow.machine.topology);
    EXPECT_EQ(test::text(back), "1: 2>1 | 5: 1>0");
    EXPECT_THAT(back.silences(), ElementsAre(Silence{2, 3}));
}

TEST(SilentRounds, InWhichNoProgramWaitsOnPurposeAreBroken) {
    const Job slow = waiting(2, 3);
    const Schedule schedule = run_of(slow, EngineKind::lockstep).schedule;
    Schedule untold;
    for (std::size_t i = 0; i < schedule.size(); ++i) untold.add(schedule.round(i), schedule.transfer(i));
    untold.add_silent(5, 1);
    const Verdict verdict = audit(untold, slow.machine, slow.collective, false);
    const std::string why = ": something moves in every round, unless a program waits on purpose (next_round)";
    EXPECT_THAT(
        test::sentences(verdict, *slow.machine.topology),
        ElementsAre("rounds broken: no transfer in rounds 1 to 2" + why, "rounds broken: no transfer in round 4" + why,
                    "rounds broken: no transfer in round 6" + why));
    EXPECT_FALSE(verdict.kept(Rule::rounds));
    EXPECT_EQ(verdict.metrics.silent_rounds, 1U);
}

TEST(SilentRounds, AreReadStrictlyAndHoldNoTransfer) {
    const auto refusal = [](const std::string& silent) {
        std::istringstream file(R"({"kport_schedule": 1, "topology": "line:2", "silent_rounds": )" + silent +
                                R"(, "transfers": [{"round":3,"from":0,"to":1,"route":[1],"packets":[0]}]})");
        try {
            const ScheduleFile read = read_schedule(file, "x");
            require_well_formed(read.schedule, *make_topology("line:2"));
        } catch (const RequestError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(refusal("[1, 2]"), "");
    EXPECT_EQ(refusal(R"([{"first":1,"count":2}, 4])"), "");
    EXPECT_THAT(refusal("[0]"), HasSubstr("silent_rounds[0] is 0; rounds count from 1"));
    EXPECT_THAT(refusal("[2, 1]"), HasSubstr("silent_rounds[1] is round 1; rounds do not go back"));
    EXPECT_THAT(refusal("[-1]"), HasSubstr("silent_rounds[0]: -1; want a round or a run of rounds"));
    EXPECT_THAT(refusal("3"), HasSubstr("silent_rounds: 3; want an array"));
    EXPECT_THAT(refusal(R"([{"first":1}])"), HasSubstr("silent_rounds[0] has no member 'count'"));
    EXPECT_THAT(refusal(R"([{"first":1,"count":0}])"), HasSubstr("silent_rounds[0].count is 0; want at least 1"));
    EXPECT_THAT(refusal(R"([{"first":4294967295,"count":2}])"), HasSubstr("names rounds beyond 32 bits"));
    EXPECT_THAT(refusal("[2, 3]"),
                HasSubstr("transfers[0] (round 3, from 0 to 1): its round is named as a silent one"));
}

}  // namespace
}  // namespace kport
