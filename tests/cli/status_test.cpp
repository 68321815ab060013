/// @file status_test.cpp   What a report says of a run beside the bounds: its text and its JSON agree, and neither calls optimal
///                         what is not, nor blames what is right.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/kport.hpp"

namespace kport::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Status, OfSeveralPacketsCountsTheRoundsUntilTheLastOfThem) {
    // After round 3 each node of the line has a packet, and not all of them.
    const std::string command = "run broadcast --on line:4 --packets 3 --bytes 8 --algorithm chain";
    EXPECT_THAT(kport(command).out, AllOf(HasSubstr("above by 2 (66.7%)\nwork"), Not(HasSubstr("had it after"))));
    const auto json = kport(command + " --json").json();
    EXPECT_EQ(json["optimal"]["rounds"], false);
    EXPECT_FALSE(json.contains("informed_after"));
}

TEST(Status, OfAnUnlawfulRunIsNeverOptimal) {
    for (const char* ring : {"ring:5", "ring:6"}) {
        const std::string command = std::string("run broadcast --algorithm flooding --ports all --on ") + ring;
        EXPECT_THAT(kport(command).out, AllOf(HasSubstr("met, but rules broken"), Not(HasSubstr("optimal"))));
        const auto json = kport(command + " --json").json();
        EXPECT_EQ(json["lawful"], false);
        EXPECT_EQ(json["optimal"]["rounds"], false);
    }
}

TEST(Status, OfAPayloadThatNobodyComparedIsNotVerified) {
    EXPECT_THAT(kport("run allreduce --on hypercube:3 --inject duplicate").out,
                AllOf(HasSubstr("payload not compared"), Not(HasSubstr("payload verified"))));
}

TEST(Verdict, IsNotDeliveredOnlyWhereSomethingIsMissing) {
    EXPECT_THAT(kport("run barrier --on complete:5 --inject drop").out,
                AllOf(HasSubstr("broken: delivery"), HasSubstr("5 of 5"), Not(HasSubstr("NOT delivered"))));
    EXPECT_THAT(kport("run gather --on ring:5 --inject drop").out, HasSubstr("NOT delivered"));
}

TEST(Violations, CountWhatANodeNeverReceives) {
    EXPECT_THAT(kport("run gather --on ring:5 --algorithm farthest-first --inject drop:0.5").out,
                HasSubstr("node 0 never receives 4 packets, the lowest is packet 1"));
}

TEST(Violations, NameACauseBeforeWhatFollowsInItsRound) {
    const std::string out = kport("run scatter --on mesh:2x3 --algorithm dost --inject forge").out;
    const std::string told = out.substr(out.find("again   "));
    ASSERT_THAT(told, AllOf(HasSubstr("does not hold it"), HasSubstr("NODUP broken")));
    EXPECT_LT(told.find("does not hold it"), told.find("NODUP broken"));
}

TEST(Notes, CallNoOtherScheduleTheBestKnownWhereTheRunIsBetter) {
    const std::string command = "run scan --on mesh:3x4 --duplex half";  // on up to 8 nodes a search tells
    EXPECT_THAT(kport(command).out, AllOf(HasSubstr("volume: this run is the best known here"),
                                          Not(HasSubstr("volume: the best known here"))));
    EXPECT_THAT(kport("run allreduce --on star:9 --ports all --packets 4 --bytes 8 --algorithm tree-exchange").out,
                HasSubstr("volume: the best known here, centred, takes 40 bytes"));
}

TEST(Prices, ChargeNothingForARoundWithoutAMessage) {
    EXPECT_THAT(kport("run scatter --on mesh:2x3 --inject silent-round").out,
                AllOf(HasSubstr("a round without a message costs nothing"), Not(HasSubstr("of different messages"))));
}

TEST(Percent, IsANumberOfDigits) {
    EXPECT_THAT(kport("run allgather --on petersen --ports all --duplex half --algorithm tree-exchange").out,
                AllOf(Not(HasSubstr("e+0")), HasSubstr(" times the bound)")));
}

}  // namespace
}  // namespace kport::test
