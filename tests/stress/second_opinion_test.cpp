// The auditor and the umpire judge the same schedules and never disagree (stress/second_opinion.hpp).
#include "stress/second_opinion.hpp"

#include <cstdlib>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/audit/audit_schedule.hpp"
#include "tests/stress/games.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::Games;
using test::ScheduledGame;

/// KPORT_CASES=1000000 for a long run by hand, KPORT_SEED for another one.
std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::string opinion_on(const ScheduledGame& game) {
    const Verdict verdict = audit(game.schedule, game.machine, game.promise, false);
    const std::string text = second_opinion(game.schedule, game.machine, game.promise, verdict);
    return text.empty() ? text : text + "\n" + game.text() + test::text(verdict, *game.machine.topology);
}

TEST(Umpire, AgreesWithTheAuditorOnEveryRandomSchedule) {
    const std::uint64_t cases = from_environment("KPORT_CASES", 20'000);
    Games games(from_environment("KPORT_SEED", 1));
    std::uint64_t broken = 0;
    for (std::uint64_t i = 0; i < cases; ++i) {
        const ScheduledGame game = games.any();
        ASSERT_EQ(opinion_on(game), "") << "case " << i;
        broken += audit(game.schedule, game.machine, game.promise, false).lawful() ? 0 : 1;
    }
    EXPECT_GT(broken, cases / 2) << "most games break something";
    EXPECT_LT(broken, cases) << "and some break nothing";
}

}  // namespace
}  // namespace kport
