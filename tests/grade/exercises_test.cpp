/// @file exercises_test.cpp   Every exercise of examples/exercises that takes schedules or numbers: its answers get full points, its wrong ones fewer, the empty one none.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/files/whole_text.hpp"
#include "app/grade/grading.hpp"
#include "tests/grade/exercises.hpp"

namespace kport::test {
namespace {

namespace fs = std::filesystem;

class EveryExercise : public testing::TestWithParam<std::string> {
  protected:
    fs::path folder = all_exercises() / GetParam();
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

INSTANTIATE_TEST_SUITE_P(Examples, EveryExercise,
                         testing::ValuesIn(exercise_names({grade::Kind::schedule, grade::Kind::numbers})),
                         [](const auto& exercise) { return test_name_of(exercise.param); });

}  // namespace
}  // namespace kport::test
