/// @file exercises_test.cpp   Every exercise of examples/exercises: its answers get full points, its wrong ones fewer, the empty one none.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/files/whole_text.hpp"
#include "app/grade/grading.hpp"
#include "app/grade/trying.hpp"
#include "tests/grade/exercises.hpp"

namespace kport::test {
namespace {

namespace fs = std::filesystem;

const fs::path all_exercises = fs::path(KPORT_SOURCE_DIR) / "examples/exercises";

std::vector<std::string> exercise_names() {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(all_exercises))
        if (entry.is_directory()) names.push_back(entry.path().filename().string());
    std::ranges::sort(names);
    return names;
}

class EveryExercise : public testing::TestWithParam<std::string> {
  protected:
    fs::path folder = all_exercises / GetParam();
    grade::Exercise exercise = exercise_of(text_in_file((folder / "exercise.json").string(), "exercise"));

    [[nodiscard]] std::vector<grade::Grade> grades_in(const std::string& name) const {
        return graded(exercise, grade::hand_ins_at((folder / name).string()), {.threads = 2});
    }
};

TEST_P(EveryExercise, GivesFullPointsToItsAnswers) {
    for (const grade::Grade& grade : grades_in("right"))
        EXPECT_TRUE(is_full(exercise, grade)) << grade.name << ": " << first_failure(exercise, grade.marks);
}

TEST_P(EveryExercise, GivesFewerPointsToWrongAnswers) {
    const std::vector<grade::Grade> grades = grades_in("wrong");
    EXPECT_GE(grades.size(), 2U);
    for (const grade::Grade& grade : grades) {
        EXPECT_FALSE(is_full(exercise, grade)) << grade.name;
        EXPECT_NE(first_failure(exercise, grade.marks), "") << grade.name;
    }
}

TEST_P(EveryExercise, GivesNothingToTheEmptyHandIn) {
    const grade::Tried tried = grade::tried(exercise, {.threads = 2});
    EXPECT_EQ(tried.empty.total(), 0);
    EXPECT_TRUE(tried.sound(exercise));
}

INSTANTIATE_TEST_SUITE_P(Examples, EveryExercise, testing::ValuesIn(exercise_names()), [](const auto& exercise) {
    std::string name = exercise.param;
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
});

}  // namespace
}  // namespace kport::test
