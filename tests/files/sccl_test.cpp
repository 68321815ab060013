/// @file sccl_test.cpp   SCCL and TACCL JSON: each rule broken and caught.
#include <algorithm>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/files/schedule_forms.hpp"
#include "emulator/base/error.hpp"

namespace kport {
namespace {

using testing::HasSubstr;

struct ScclParts {
    std::string sends = "[[0,0,1],[1,1,0]]";
    std::string rounds = "1";
    std::string chunks = R"([{"pre":[0],"post":[0,1],"addr":0},{"pre":[1],"post":[0,1],"addr":1}])";
    std::string links = "[[0,1],[1,0]]";
    std::string switches = "[]";
    std::string instance = R"({"chunks":1,"pipeline":null})";
    std::string type = "msccl_type";
};

std::string text_of(const ScclParts& parts) {
    return "{\"" + parts.type + R"(":"algorithm","instance":)" + parts.instance +
           R"(,"collective":{"name":"x","nodes":2,"chunks":)" + parts.chunks + R"(},"topology":{"links":)" +
           parts.links + R"(,"switches":)" + parts.switches + R"(},"steps":[{"rounds":)" + parts.rounds +
           R"(,"sends":)" + parts.sends + "}]}";
}

ToldSchedule sccl_told(const ScclParts& parts, const ScheduleContext& context = {}) {
    std::istringstream in(text_of(parts));
    return read_any_schedule(in, "x.json", context).told;
}

bool finds(const ScclParts& parts, ScheduleFault fault) {
    return std::ranges::any_of(sccl_told(parts).judgement.findings,
                               [&](const FoundFault& found) { return found.fault == fault; });
}

std::string sccl_refusal(const ScclParts& parts) {
    try {
        (void)sccl_told(parts);
    } catch (const RequestError& error) {
        return error.what();
    }
    return "accepted";
}

constexpr const char* two_contributions = R"([{"pre":[0],"post":[0,1],"addr":0},{"pre":[1],"post":[0,1],"addr":0}])";

TEST(Sccl, JudgesALawfulExchangeByItsContents) {
    const ToldSchedule told = sccl_told({});
    EXPECT_TRUE(told.judgement.findings.empty());
    EXPECT_TRUE(told.judgement.contents_judged);
    EXPECT_EQ(told.collective.operation, Operation::allgather);
    EXPECT_EQ(told.schedule.rounds(), 1U);
}

TEST(Sccl, CatchesASendWithoutALink) {
    EXPECT_TRUE(finds({.links = "[[0,0],[1,0]]"}, ScheduleFault::link)) << "links are [destination][source]";
}

TEST(Sccl, CatchesMoreThanALinkOrASwitchCarries) {
    EXPECT_TRUE(finds({.links = "[[0,0.5],[1,0]]"}, ScheduleFault::bandwidth));
    EXPECT_FALSE(finds({.rounds = "2", .links = "[[0,0.5],[1,0]]"}, ScheduleFault::bandwidth));
    EXPECT_TRUE(finds({.switches = R"([[[0,1],[0,1],1,"s"]])"}, ScheduleFault::bandwidth));
}

TEST(Sccl, CatchesLostChunksAndSendsOfWhatIsNotThere) {
    EXPECT_TRUE(finds({.sends = "[[0,0,1]]"}, ScheduleFault::delivery));
    EXPECT_TRUE(finds({.sends = "[[0,0,1],[1,1,0],[1,0,1]]"}, ScheduleFault::delivery));
}

TEST(Sccl, CatchesAChunkThatComesToItsOwner) {
    EXPECT_TRUE(finds({.sends = R"([[0,0,1],[1,1,0]]},{"rounds":1,"sends":[[0,1,0]])"}, ScheduleFault::noho));
}

TEST(Sccl, CatchesAChunkThatComesAgain) {
    EXPECT_TRUE(finds({.sends = R"([[0,0,1],[1,1,0]]},{"rounds":1,"sends":[[0,0,1]])"}, ScheduleFault::nodup));
}

TEST(Sccl, FoldsContributionsThatShareAnAddress) {
    const ToldSchedule told = sccl_told({.sends = "[[0,0,1],[0,1,0]]", .chunks = two_contributions});
    EXPECT_TRUE(told.judgement.findings.empty());
    EXPECT_EQ(told.collective.operation, Operation::allreduce);
    EXPECT_TRUE(finds({.sends = R"([[0,0,1,0,0,"rrc"]]},{"rounds":1,"sends":[[0,1,0,0,0,"rrc"]])",
                       .chunks = two_contributions,
                       .type = "sccl_type"},
                      ScheduleFault::fold));
}

TEST(Sccl, CatchesAResultThatReplacesItselfAgain) {
    const auto results = [](const std::string& more) {
        return finds({.sends = R"([[0,0,1,0,0,"rrc"]]},{"rounds":1,"sends":[[0,1,0,0,0,null]])" + more,
                      .chunks = two_contributions,
                      .type = "sccl_type"},
                     ScheduleFault::nodup);
    };
    EXPECT_FALSE(results(""));
    EXPECT_TRUE(results(R"(},{"rounds":1,"sends":[[0,1,0,0,0,null]])"));
}

TEST(Sccl, TakesSendsOfTacclWithThreeToSixWords) {
    EXPECT_THAT(sccl_told({.sends = "[[0,0,1],[1,1,0,0.5,0]]", .type = "sccl_type"}).judgement.findings,
                testing::IsEmpty());
}

TEST(Sccl, CountsStepsOfAPipelineTogether) {
    const std::string apart = R"([[0,0,1]]},{"rounds":1,"sends":[]},{"rounds":1,"sends":[[1,0,1]])";
    const std::string chunks = R"([{"pre":[0],"post":[0,1],"addr":0},{"pre":[0],"post":[0,1],"addr":1}])";
    const auto exceeds = [&](const std::string& pipeline) {
        return finds({.sends = apart, .chunks = chunks, .instance = R"({"chunks":1,"pipeline":)" + pipeline + "}"},
                     ScheduleFault::bandwidth);
    };
    EXPECT_FALSE(exceeds("null"));
    EXPECT_FALSE(exceeds("3"));
    EXPECT_TRUE(exceeds("2")) << "steps 0 and 2 run at the same time";
}

TEST(Sccl, JudgesACollectiveOfItsOwnByWhatTheFileSays) {
    const ScclParts own{.sends = "[[0,0,1]]",
                        .chunks = R"([{"pre":[0],"post":[1],"addr":0},{"pre":[0,1],"post":[0,1],"addr":1}])"};
    const ToldSchedule told = sccl_told(own);
    EXPECT_TRUE(told.collective.is_own());
    EXPECT_THAT(told.judgement.findings, testing::IsEmpty());
    EXPECT_THAT(told.judgement.not_judged, testing::IsEmpty());
    EXPECT_TRUE(finds({.sends = "[]", .chunks = own.chunks}, ScheduleFault::delivery)) << "0 never comes to 1";
}

TEST(Sccl, OfAnotherOperationThanTheOneNamedIsRefusedUnlessItIsBroken) {
    ScheduleContext context;
    context.operation = Operation::broadcast;
    EXPECT_THAT([&] { (void)sccl_told({}, context); },
                testing::ThrowsMessage<RequestError>(HasSubstr("has other chunks than the packets of broadcast")));
    EXPECT_FALSE(sccl_told({.sends = "[[1,0,1]]"}, context).judgement.findings.empty()) << "0 does not hold 1";
}

TEST(Sccl, RefusesWhatTheToolWouldRefuse) {
    EXPECT_THAT(sccl_refusal({.sends = "[[0,0,1],[0,0,1]]"}), HasSubstr("twice in steps[0]"));
    EXPECT_THAT(sccl_refusal({.sends = "[[0,0,0]]"}), HasSubstr("to itself"));
    EXPECT_THAT(sccl_refusal({.sends = "[[7,0,1]]"}), HasSubstr("which no chunk has"));
    EXPECT_THAT(sccl_refusal({.rounds = "0"}), HasSubstr("want a number of at least 1"));
    EXPECT_THAT(sccl_refusal({.links = "[[0,1]]"}), HasSubstr("topology.links"));
    EXPECT_THAT(sccl_refusal({.switches = R"([[[0],[1],0,"s"]])"}), HasSubstr("a bandwidth above 0"));
}

}  // namespace
}  // namespace kport
