/// @file foreign_verdicts_test.cpp   Small MSCCL files and MSCCL++ plans with the verdicts that they must get.
#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/files/schedule_forms.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/machine/machine.hpp"

namespace kport::foreign_verdicts {
namespace {

/// A row of verdicts.csv, of a file that is judged by the contents of slots.
struct Sample {
    std::string file;
    std::string operation;
    std::string options;
    std::string verdict;
    std::string rule;
    std::string delivered;
    std::string races;
    std::string rounds_one_port;
    std::string rounds_all_ports;
};

std::vector<Sample> samples() {
    std::ifstream in("tests/files/foreign/verdicts.csv");
    std::vector<Sample> all;
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
        if (!line.starts_with("msccl")) continue;
        const std::vector<std::string_view> words = split(line, ',');
        const auto word = [&](std::size_t i) { return std::string(words.at(i)); };
        all.push_back({word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7), word(8)});
    }
    return all;
}

struct Judged {
    std::string verdict = "lawful";
    std::string rule = {};
    bool delivered = true;
    bool has_race = false;
    Round rounds = 0;
    std::string text = {};
};

Judged judged(const Sample& sample, const PortLimit& ports) {
    ScheduleContext context;
    context.machine.ports = ports;
    if (!sample.operation.empty()) context.operation = operation_or_none_named(sample.operation);
    if (sample.options.starts_with("--root ")) context.root = sample.options.substr(7);
    std::ifstream in("tests/files/foreign/" + sample.file);
    Judged judged;
    try {
        const ToldSchedule told = read_any_schedule(in, sample.file, context).told;
        std::optional<ScheduleFault> first;
        for (const FoundFault& found : told.judgement.findings) {
            first = std::min(first.value_or(found.fault), found.fault);
            judged.has_race |= found.fault == ScheduleFault::race;
            judged.delivered &= found.fault > ScheduleFault::delivery;
            judged.text += std::string(name(found.fault)) + ": " + found.text + "\n";
        }
        if (first) {
            judged.verdict = "broken";
            judged.rule = name(*first);
        } else if (!told.judgement.not_judged.empty()) {
            judged.verdict = "unjudged";
        }
        if (!told.schedule.empty()) judged.rounds = told.schedule.round(told.schedule.size() - 1);
    } catch (const RequestError& error) {
        judged.verdict = "refused";
        judged.rule = "format";
        judged.text = error.what();
    }
    return judged;
}

class ForeignVerdict : public testing::TestWithParam<Sample> {};

TEST_P(ForeignVerdict, IsAsTheTableSays) {
    const Sample& sample = GetParam();
    const Judged one = judged(sample, PortLimit(1));
    EXPECT_EQ(one.verdict, sample.verdict) << one.text;
    EXPECT_EQ(one.rule, sample.rule) << one.text;
    EXPECT_EQ(one.has_race, sample.races == "yes") << one.text;
    if (sample.verdict != "refused" && !sample.delivered.empty()) {
        EXPECT_EQ(one.delivered, sample.delivered == "yes") << one.text;
    }
    if (sample.rounds_one_port.empty()) return;
    EXPECT_EQ(one.rounds, std::stoul(sample.rounds_one_port));
    EXPECT_EQ(std::to_string(judged(sample, PortLimit::all()).rounds), sample.rounds_all_ports);
}

INSTANTIATE_TEST_SUITE_P(Rows, ForeignVerdict, testing::ValuesIn(samples()), [](const auto& instance) {
    std::string name = instance.param.file + instance.param.operation + instance.param.options;
    std::ranges::replace_if(
        name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
    return name;
});

}  // namespace
}  // namespace kport::foreign_verdicts
