/// @file chip_test.cpp   kport chip: its report on one core, on several, and when stopped.
#include <algorithm>
#include <csignal>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/bench_output.hpp"
#include "emulator/report/terminal_text.hpp"
#include "tests/cli/kport.hpp"

namespace kport::test {
namespace {

using testing::HasSubstr;
using testing::Not;

chip::Survey brief_survey(std::size_t threads) {
    const chip::Effort effort{std::chrono::milliseconds(1), std::chrono::milliseconds(1), 1 << 20};
    const std::atomic<bool> stop = false;
    return chip::survey(threads, effort, stop, [](const std::string&) {});
}

/// Three cores, whatever this machine has: two close to each other, one far away.
chip::Survey of_three_cores() {
    chip::Survey survey;
    survey.pus = {0, 4, 2};
    survey.round_trips = {{0, 4, {9, 90, 100, 95, 105, 0.96}},
                          {0, 2, {9, 280, 300, 290, 310, 0.96}},
                          {4, 2, {9, 99, 102, 100, 104, 0.96}}};
    return survey;
}

TEST(ChipText, HasATableForEachQuestion) {
    const std::size_t cores = chip::usable_pus().size();
    const std::string text = cli::chip_text(brief_survey(cores), Paint(false), usual_width);
    for (const char* word : {"cpu  ", "cores  ", "threads  ", "a message of 8 bytes", "spsc_queue", "Mailbox",
                             "oneTBB task", "node program: resume", "copy, GB/s", "4 KiB", "with at least 9"})
        EXPECT_THAT(text, HasSubstr(word));
    EXPECT_THAT(text, Not(HasSubstr("\033")));
    EXPECT_THAT(text, Not(HasSubstr(" \n")));
    EXPECT_THAT(text, Not(HasSubstr("topped")));
}

TEST(ChipText, OfOneCoreReportsNoPairs) {
    const chip::Survey survey = brief_survey(1);
    const std::string text = cli::chip_text(survey, Paint(false), usual_width);
    EXPECT_THAT(text, HasSubstr("there is one core and so no pair"));
    EXPECT_THAT(text, Not(HasSubstr("two, to and fro")));
    EXPECT_EQ(cli::chip_json(survey)["round_trips"].size(), 0U);
}

TEST(ChipText, ShowsTheMatrixInTheOrderOfTheCores) {
    EXPECT_THAT(cli::chip_text(of_three_cores(), Paint(false), usual_width),
                HasSubstr("core     0     2     4\n"
                          "   0     .   300   100\n"
                          "   2   300     .   102\n"
                          "   4   100   102     .\n"
                          "least 100 (95.0-105), between 0 and 4; greatest 300 (290-310), between 0 and 2\n"));
}

TEST(ChipText, IsAHeatMapWithColour) {
    const std::string text = cli::chip_text(of_three_cores(), Paint(true), usual_width);
    EXPECT_THAT(text, HasSubstr("\033[48;5;203;38;5;16m300\033[0m"));
    EXPECT_THAT(text, HasSubstr("\033[48;5;114;38;5;16m100\033[0m"));
    EXPECT_THAT(text, HasSubstr("\033[48;5;114;38;5;16m102\033[0m"));
}

TEST(ChipJson, HasTheKeysThatThePageOfTheDocumentsPromises) {
    const std::size_t cores = chip::usable_pus().size();
    const Json json = cli::chip_json(brief_survey(cores));
    for (const char* key : {"cpu", "virtual", "packages", "cores", "hardware_threads", "usable", "time_limit_cores",
                            "numa_nodes", "memory_bytes", "caches"})
        EXPECT_TRUE(json["machine"].contains(key)) << key;
    for (const char* key : {"cores", "pinned", "why_not_pinned", "copy_memory_bytes", "stopped"})
        EXPECT_TRUE(json.contains(key)) << key;
    const auto figures = [](const Json& ns) {
        for (const char* key : {"median", "low", "high", "coverage", "least", "samples"}) {
            ASSERT_TRUE(ns.contains(key)) << key;
            EXPECT_GT(ns[key].get<double>(), 0) << key;
        }
    };
    EXPECT_EQ(json["round_trips"].size(), cores * (cores - 1) / 2);
    for (const Json& one : json["round_trips"]) figures(one["ns"]);
    EXPECT_EQ(json["messages"].size(), cores == 1 ? 4U : 12U);
    for (const Json& one : json["messages"]) figures(one["ns"]);
    for (const char* key : {"task", "resume", "program"}) figures(json[key]);
    ASSERT_FALSE(json["copies"].empty());
    for (const Json& one : json["copies"]) {
        figures(one["ns"]);
        EXPECT_GT(one["bytes_per_second"].get<double>(), 0);
    }
    EXPECT_EQ(json["copies"][0]["bytes"], 4096);
}

TEST(Chip, StoppedReportsPartialResults) {
    Place place;
    place.signal = SIGINT;
    place.delay = std::chrono::milliseconds(400);
    const Outcome outcome = kport("chip --threads 1 --json", place);
    ASSERT_EQ(outcome.status, 4) << outcome.err;
    EXPECT_EQ(outcome.json()["stopped"], true);
    EXPECT_EQ(outcome.json()["cores"].size(), 1U);
    EXPECT_GE(outcome.json()["machine"]["cores"], 1);
}

TEST(Chip, WantsNoMoreThreadsThanCores) {
    const std::size_t cores = chip::usable_pus().size();
    const Outcome outcome = kport("chip --threads 100000");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, "kport: --threads '100000': this process may use " + std::to_string(cores) +
                               (cores == 1 ? " core" : " cores") + "; want at most " + std::to_string(cores) + "\n");
}

}  // namespace
}  // namespace kport::test
