/// @file teccl_test.cpp   TE-CCL's JSON: flows by epoch, demands, and what cannot be judged.
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/files/schedule_forms.hpp"
#include "emulator/base/error.hpp"

namespace kport::teccl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// An exchange of two GPUs, whose numbers begin at 1.
constexpr const char* exchange =
    R"("Chunk 0 from 1 traveled over 1->2 in epoch 0", "Chunk 0 from 2 traveled over 2->1 in epoch 0")";
constexpr const char* demands =
    R"("6-Demand_Met": {"GPU 1": {"GPU 2": {"Chunk 0": 1}}, "GPU 2": {"GPU 1": {"Chunk 0": 1}}}, )";

ToldSchedule told_by(const std::string& flows, const std::string& before = demands,
                     const std::optional<Operation>& operation = Operation::allgather) {
    std::istringstream in("{" + before + "\"7-Flows\": [" + flows + "]}");
    ScheduleContext context;
    context.operation = operation;
    return read_any_schedule(in, "x.json", context).told;
}

std::vector<std::string> faults(const std::string& flows, const std::string& before = demands,
                                const std::optional<Operation>& operation = {}) {
    std::vector<std::string> names;
    for (const FoundFault& one : told_by(flows, before, operation).judgement.findings)
        names.emplace_back(name(one.fault));
    return names;
}

std::string why_refused(const std::string& flow) {
    try {
        (void)told_by("\"" + flow + "\"");
    } catch (const RequestError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(Teccl, EpochsInWhichSomethingFlowsAreRoundsAndDemandsThePromise) {
    const ToldSchedule told = told_by(exchange);
    EXPECT_THAT(told.judgement.findings, IsEmpty());
    EXPECT_THAT(told.judgement.not_judged, IsEmpty());
    EXPECT_EQ(told.collective.operation, Operation::allgather);
    EXPECT_EQ(told.schedule.rounds(), 1U);
    EXPECT_EQ(told.topology->nodes(), 2U) << "numbers begin at 1";
    EXPECT_THAT(faults(R"("Chunk 0 from 1 traveled over 1->2 in epoch 4")"), ElementsAre("delivery"));
}

TEST(Teccl, AnOperationThatIsNamedIsThePromiseWhateverTheDemandsSay) {
    const std::string one_way = R"("Chunk 0 from 1 traveled over 1->2 in epoch 0")";
    const std::string few = R"("6-Demand_Met": {"GPU 2": {"GPU 1": {"Chunk 0": 1}}, "GPU 1": {"GPU 2": {}}}, )";
    EXPECT_THAT(faults(one_way, few), IsEmpty()) << "its demands are met";
    const std::string both = R"("6-Demand_Met": {"GPU 2": {"GPU 1": {"Chunk 0": 1}}}, )";
    const std::string with_own = one_way + R"(, "Chunk 0 from 2 traveled over 2->1 in epoch 1")";
    EXPECT_THAT(faults(with_own, both, Operation::allgather), IsEmpty());
    EXPECT_THROW((void)told_by(one_way, both, Operation::allgather), RequestError) << "GPU 2 has no chunk";
}

TEST(Teccl, WhatIsPassedOnMustHaveComeInAnEarlierEpoch) {
    const std::string wanted =
        R"("6-Demand_Met": {"GPU 2": {"GPU 0": {"Chunk 0": 1}}, "GPU 1": {"GPU 0": {"Chunk 0": 1}}}, )";
    const auto relayed = [](const std::string& epoch) {
        return R"("Chunk 0 from 0 traveled over 0->1 in epoch 1", "Chunk 0 from 0 traveled over 1->2 in epoch )" +
               epoch + "\"";
    };
    EXPECT_THAT(faults(relayed("2"), wanted), IsEmpty());
    EXPECT_THAT(faults(relayed("1"), wanted), testing::Contains("delivery"));
}

TEST(Teccl, IsNotJudgedWithoutDemandsNorAsAlltoallWhosePathsAreNotFollowed) {
    EXPECT_EQ(told_by(exchange, "").judgement.not_judged.size(), 1U);
    EXPECT_EQ(told_by(exchange, demands, Operation::alltoall).judgement.not_judged.size(), 1U);
    EXPECT_THAT(told_by(exchange, "", Operation::none).judgement.not_judged, IsEmpty());
}

TEST(Teccl, TakesTheKeysOfChunkPathsForDemandsToo) {
    const std::string paths = R"("8-Chunk paths": {"Demand at 2 for chunk 0 from 1 met by epoch 1": [],
                                                  "Demand at 1 for chunk 0 from 2 met by epoch 1": []}, )";
    EXPECT_THAT(told_by(exchange, paths).judgement.not_judged, IsEmpty());
    EXPECT_THAT(faults(exchange, paths), IsEmpty());
    const std::string one_way = R"("Chunk 0 from 1 traveled over 1->2 in epoch 0")";
    EXPECT_THAT(faults(one_way, paths), ElementsAre("delivery"));
    const std::string few = R"("6-Demand_Met": {"GPU 2": {"GPU 1": {"Chunk 0": 1}}}, )";
    EXPECT_THAT(faults(one_way, few), IsEmpty());
    EXPECT_THAT(faults(one_way, few + paths), ElementsAre("delivery")) << "both are promised";
    EXPECT_THROW((void)told_by(exchange, R"("8-Chunk paths": {"Demand at 2 of chunk 0": []}, )"), RequestError);
}

TEST(Teccl, DoesNotPraiseWhatHasNoDemandsOrOnlyPartsOfChunks) {
    EXPECT_EQ(told_by(exchange, R"("6-Demand_Met": {}, )").judgement.not_judged.size(), 1U);
    EXPECT_EQ(told_by(exchange, R"("6-Demand_Met": {"GPU 1": {}}, )").judgement.not_judged.size(), 1U);
    const auto with_volume = [](const std::string& volume) {
        return R"("Chunk 0 from 1 traveled over 1->2 with volume )" + volume +
               R"( in epoch 0", "Chunk 0 from 2 traveled over 2->1 in epoch 0")";
    };
    EXPECT_THAT(told_by(with_volume("1.0")).judgement.not_judged, IsEmpty());
    EXPECT_EQ(told_by(with_volume("0.5")).judgement.not_judged.size(), 1U);
}

TEST(Teccl, RefusesFlowsOfAnotherForm) {
    const std::string lawful = "Chunk 0 from 1 traveled over 1->2 in epoch 0";
    EXPECT_EQ(why_refused(lawful), "accepted");
    EXPECT_EQ(why_refused(lawful + " via switches 7"), "accepted");
    for (const std::string& flow :
         {lawful + " or so", lawful + " via switches",
          std::string("Chunk 0 from 1 traveled over 1->2 with volume 0 in epoch 0"),
          std::string("Chunk 0 from 1 traveled over 1->2 with volume .-e in epoch 0"),
          std::string("Chunk 0 from 1 traveled over 1->1 in epoch 0"),
          std::string("Chunk 0 from 1 traveled over 1-2 in epoch 0"),
          std::string("Chunk -1 from 1 traveled over 1->2 in epoch 0"),
          std::string("Chunk 0 from 1 traveled over 1->99999999999999999999 in epoch 0"), std::string()})
        EXPECT_THAT(why_refused(flow), HasSubstr("in 7-Flows[0]; want such as 'Chunk 0 from 1")) << flow;
    EXPECT_THROW((void)told_by(exchange, R"("6-Demand_Met": {"GPU x": {}}, )"), RequestError);
    EXPECT_THROW((void)told_by(exchange, R"("6-Demand_Met": {"GPU 1": 3}, )"), RequestError);
}

}  // namespace
}  // namespace kport::teccl
