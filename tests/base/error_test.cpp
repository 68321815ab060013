/// @file error_test.cpp   A failed invariant ends the program in every build.
#include "emulator/base/error.hpp"

#include <csignal>

#include <gtest/gtest.h>

namespace kport {
namespace {

TEST(Invariant, ThatHoldsPrintsNothing) { invariant(true, "it holds"); }

TEST(InvariantDeathTest, ThatDoesNotHoldEndsTheProgramAndSaysWhere) {
    EXPECT_EXIT(invariant(false, "two is one"), testing::KilledBySignal(SIGABRT),
                "kport: a fault of kport itself: two is one \\(.*error_test.cpp:[0-9]+\\)");
}

}  // namespace
}  // namespace kport
