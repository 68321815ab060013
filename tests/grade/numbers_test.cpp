/// @file numbers_test.cpp   Hand-ins of numbers are compared with kport's bounds and counts.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/grade/grading.hpp"
#include "app/grade/mark.hpp"
#include "emulator/base/error.hpp"
#include "tests/cli/files.hpp"
#include "tests/grade/exercises.hpp"

namespace kport::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// One port on a ring of eight: ceil(8/2) rounds, one message for each other node; around the ring seven rounds.
const std::string numbers_of_a_ring = R"({
  "kport_exercise": 1, "title": "A ring", "operation": "broadcast", "ports": 1, "source": 0, "ts": 1, "td": 0, "tm": 0.01,
  "machines": [{"on": "ring:8"}], "hand_in": ["numbers"],
  "criteria": [{"name": "answer", "key": "least rounds", "points": 2, "value": "bound", "of": "rounds"},
               {"name": "answer", "key": "links", "points": 1, "value": "nodes * degree * 0.5"},
               {"name": "answer", "key": "rounds of chain", "points": 3, "counted": "rounds", "algorithm": "chain"},
               {"name": "answer", "key": "latency of chain", "points": 4, "counted": "latency", "algorithm": "chain"}]
})";

const std::string right_numbers =
    "# all of them\nleast rounds: 4\n\n links:8\nrounds of chain: 7.0\r\nlatency of chain: 11.48\n";

grade::Mark mark_on_ring(const std::string& text) {
    const grade::Exercise exercise = exercise_of(numbers_of_a_ring);
    return mark_of(exercise, exercise.machines.front(), text, "x.txt");
}

TEST(AHandInOfNumbers, GetsThePointsOfEachRightAnswer) {
    EXPECT_THAT(exercise_of(numbers_of_a_ring).machines.front().answers, ElementsAre(4, 8, 7, 11.48));
    EXPECT_THAT(mark_on_ring(right_numbers).points, ElementsAre(2, 1, 3, 4));
    EXPECT_EQ(mark_on_ring(right_numbers).failure, "");
    EXPECT_EQ(mark_on_ring("\xEF\xBB\xBF"
                           "least rounds: 4\n")
                  .points.front(),
              2)
        << "as some editors begin a text";
    const grade::Mark some = mark_on_ring("least rounds: 4\nlinks: 16\nrounds of chain: 7\n");
    EXPECT_THAT(some.points, ElementsAre(2, 0, 3, 0));
    EXPECT_EQ(some.failure, "links: 16 is wrong");
    EXPECT_EQ(mark_on_ring("").failure, "no answer to least rounds; want a line least rounds: NUMBER");
}

TEST(AnAnswer, ThatIsWholeMustBeEqualAndAnyOtherWithinAThousandth) {
    const auto points = [](const std::string& line) { return mark_on_ring(line).points; };
    EXPECT_THAT(points("rounds of chain: 7.001"), ElementsAre(0, 0, 0, 0));
    EXPECT_THAT(points("latency of chain: 11.47"), ElementsAre(0, 0, 0, 4));
    EXPECT_THAT(points("latency of chain: 11.46"), ElementsAre(0, 0, 0, 0));
    EXPECT_THAT(points("latency of chain: -11.48"), ElementsAre(0, 0, 0, 0));
}

TEST(AHandInOfNumbers, ThatIsMalformedGetsNoPointsAndASentenceWithTheLine) {
    const std::vector<std::pair<std::string, std::string>> wrong = {
        {"least rounds 4", "line 1: 'least rounds 4' has no ':'; want an answer, such as least rounds: 3"},
        {"\nleast round: 4", "line 2: nothing called 'least round' is asked for; did you mean 'least rounds'?"},
        {"least rounds: four", "line 1: 'four' is no number"},
        {"least rounds:", "line 1: '' is no number"},
        {"least rounds: nan", "line 1: 'nan' is no number"},
        {"least rounds: 1e999", "line 1: '1e999' is no number"},
        {"links: 8\nlinks: 9", "line 2: 'links' is answered twice; want one answer"},
        {"round 1: 0 -> 1", "line 1: nothing called 'round 1' is asked for"},
        {std::string(1'000'000, ':'), "line 1: "},
        {std::string("\0\0:", 3), "line 1: "},
    };
    for (const auto& [text, expected] : wrong) {
        const grade::Mark mark = mark_on_ring(text);
        EXPECT_THAT(mark.points, ElementsAre(0, 0, 0, 0)) << text.substr(0, 100);
        EXPECT_THAT(mark.failure, HasSubstr(expected));
    }
}

TEST(AnExerciseOfNumbers, IsRefusedWhereAnAnswerIsNotDefined) {
    const auto refusal = [](const std::string& from, const std::string& to) -> std::string {
        try {
            (void)exercise_of(with(from, to, numbers_of_a_ring));
        } catch (const RequestError& error) {
            return error.what();
        }
        return "accepted";
    };
    EXPECT_THAT(refusal("[\"numbers\"]", "[\"numbers\", \"schedule\"]"), HasSubstr("]; want [\"numbers\"] alone"));
    EXPECT_THAT(refusal("[\"numbers\"]", "[\"schedule\"]"),
                HasSubstr("criteria[0].name: \"answer\"; want one of lawful"));
    EXPECT_THAT(refusal("\"name\": \"answer\"", "\"name\": \"lawful\""), HasSubstr("want one of answer"));
    EXPECT_THAT(refusal("\"ring:8\"", "\"ring:8\", \"hidden\": true"), HasSubstr("no answers for a hidden machine"));
    EXPECT_THAT(refusal("\"algorithm\": \"chain\"", "\"algorithm\": \"chian\""), HasSubstr("did you mean 'chain'?"));
    EXPECT_THAT(refusal("\"algorithm\": \"chain\"", "\"algorithm\": \"sbt\""), HasSubstr("machines[0]: "));
    EXPECT_THAT(refusal(", \"of\": \"rounds\"", ""), HasSubstr("criteria[0].of is missing"));
    EXPECT_THAT(refusal("\"links\"", "\"least rounds\""), HasSubstr("stands there twice"));
    EXPECT_THAT(refusal("\"links\"", "\"links: all\""), HasSubstr("criteria[1].key: \"links: all\"; want a name"));
}

TEST(TryingAnExerciseOfNumbers, SaysTheRightAnswers) {
    const grade::Exercise exercise = exercise_of(numbers_of_a_ring);
    const grade::Tried tried = grade::tried(exercise, {});
    EXPECT_TRUE(tried.sound(exercise));
    EXPECT_EQ(tried.answers, "ring:8\nleast rounds: 4\nlinks: 8\nrounds of chain: 7\nlatency of chain: 11.48\n");
}

TEST(AHandInOfNumbers, IsATextOrAFolderOfTexts) {
    Files files;
    std::filesystem::create_directory(files.folder() + "/in");
    std::filesystem::create_directory(files.folder() + "/in/folder");
    files.add("in/text.txt", right_numbers);
    files.add("in/folder/ring-8.txt", right_numbers);
    files.add("in/schedule.json", "{}");
    const grade::Exercise exercise = exercise_of(numbers_of_a_ring);
    const auto grades = graded(exercise, grade::hand_ins_at(files.folder() + "/in"), {.pictures = true});
    ASSERT_EQ(grades.size(), 3U);
    EXPECT_EQ(grades[0].total(), 10);
    EXPECT_EQ(grades[1].marks.front().failure, "the exercise takes no schedules; want a text of answers (.txt)");
    EXPECT_EQ(grades[2].total(), 10);
}

}  // namespace
}  // namespace kport::test
