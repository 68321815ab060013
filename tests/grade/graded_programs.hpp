/// @file graded_programs.hpp   Programs that were handed in, graded by the program as a teacher grades them.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/process.hpp"
#include "tests/cli/files.hpp"
#include "tests/cli/kport.hpp"
#include "tests/grade/exercises.hpp"

namespace kport::test {

/// A folder of programs and an exercise; skipped where there are no boxes.
class GradedPrograms : public testing::Test {
  protected:
    void SetUp() override {
        if (const auto why = cli::why_no_box()) GTEST_SKIP() << *why;
        std::filesystem::create_directory(folder());
    }

    [[nodiscard]] std::string folder() const { return files_.folder() + "/in"; }

    [[nodiscard]] Outcome graded(const std::string& more = "--json") const {
        return kport({"grade", exercise_, folder(), more}, place_);
    }

    /// The first failure of each; asserts that none has a point, and that none names a hidden machine or a folder.
    [[nodiscard]] std::map<std::string, std::string> failures() const {
        std::map<std::string, std::string> sentences;
        const Outcome outcome = graded();
        EXPECT_EQ(outcome.status, 1) << outcome.err;
        const nlohmann::json json = outcome.json();
        for (const auto& one : json["hand_ins"]) {
            const auto name = std::filesystem::path(one["hand_in"].get<std::string>()).stem().string();
            sentences[name] = one["first_failure"].is_null() ? "" : one["first_failure"].get<std::string>();
            EXPECT_EQ(one["points"], 0) << name << ": " << sentences[name];
            EXPECT_NE(sentences[name], "") << name;
            EXPECT_THAT(sentences[name], testing::Not(testing::HasSubstr("line:5")));
            EXPECT_THAT(sentences[name], testing::Not(testing::HasSubstr("/tmp/")));
        }
        return sentences;
    }

    Files files_;
    Place place_;
    std::string exercise_;
};

}  // namespace kport::test
