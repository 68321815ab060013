/// @file memory_test.cpp   Memory refused at any allocation of the program: status 3 and a line, never a crash.
#include <string>

#include <gtest/gtest.h>

#include "tests/cli/kport.hpp"

namespace kport::test {
namespace {

Outcome kport_refused(const std::string& line, int at, bool from_there_on) {
    Place place;
    place.environment = {std::string("LD_PRELOAD=") + KPORT_FAILING_MALLOC, "KPORT_FAIL_AT=" + std::to_string(at)};
    if (from_there_on) place.environment.push_back("KPORT_FAIL_ON=");
    return kport(line, place);
}

class RefusedMemory : public testing::TestWithParam<const char*> {};

TEST_P(RefusedMemory, EndsWithStatus3AndALineAtAnyAllocation) {
    constexpr int before_main = 20;  // allocations of libraries, outside our control
    constexpr int step = 131;        // prime; some hundred runs of the program
    const std::string line = GetParam();
    const Outcome right = kport(line);
    ASSERT_EQ(right.status, 0);
    for (const bool from_there_on : {false, true}) {
        int ended = 0;
        for (int at = before_main; ended < 3; at += step) {
            SCOPED_TRACE(testing::Message() << "allocation " << at << (from_there_on ? " and all that follow" : ""));
            const Outcome outcome = kport_refused(line, at, from_there_on);
            if (outcome.status == 0) {  // only asked, or more than it asks for
                EXPECT_EQ(outcome.err, "");
                ++ended;
            } else {
                EXPECT_EQ(outcome.status, 3);
                EXPECT_EQ(outcome.err, "kport: the run needs more memory than the system gives\n");
                EXPECT_EQ(outcome.out, "");
            }
            if (HasFailure()) return;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Program, RefusedMemory,
                         testing::Values("run broadcast --on hypercube:3 --json --per-round --threads 1",
                                         "run allgather --on ring:6 --threads 1",
                                         "compare scatter --on hypercube:3 --json --threads 1",
                                         "bounds broadcast --on mesh:3x3 --json", "list --json"));

}  // namespace
}  // namespace kport::test
