/// @file grading_test.cpp   Points, and the forms in which they are written.
#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/files/whole_text.hpp"
#include "app/grade/grading.hpp"
#include "emulator/base/error.hpp"
#include "tests/cli/files.hpp"
#include "tests/cli/kport.hpp"
#include "tests/grade/exercises.hpp"

namespace kport::test {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

const std::string one_machine = with(", {\"on\": \"line:3\", \"hidden\": true, \"weight\": 3}", "");

grade::Mark marked(const std::string& schedule, const std::string& exercise = one_machine) {
    const grade::Exercise read = exercise_of(exercise);
    return mark_of(read, read.machines.front(), schedule, "x.txt");
}

TEST(ASchedule, GetsThePointsOfEachCriterionThatItMeets) {
    EXPECT_THAT(marked(right_on_mesh).points, ElementsAre(4, 4, 2));
    EXPECT_EQ(marked(right_on_mesh).failure, "");
    const grade::Mark slower = marked("broadcast from 0\nround 1: 0 -> 1\nround 2: 0 -> 2\nround 3: 1 -> 3\n");
    EXPECT_THAT(slower.points, ElementsAre(4, 4, 0));
    EXPECT_EQ(slower.failure, "3 rounds, bound 2");
    const grade::Mark late =
        marked("broadcast from 0\nround 1: 0 -> 1\nround 2: silent\nround 3: 0 -> 2\nround 4: 1 -> 3\n");
    EXPECT_THAT(late.points, ElementsAre(DoubleEq(4), DoubleEq(4 * 2.0 / 3), DoubleEq(0)));
    EXPECT_EQ(late.failure, "4 rounds, allowed 3 (bound 2)");
}

TEST(ASchedule, ThatBreaksARuleOrDoesNotDeliverGetsNoPoints) {
    const grade::Mark undelivered = marked("broadcast from 0\nround 1: 0 -> 1\n");
    EXPECT_THAT(undelivered.points, ElementsAre(0, 0, 0));
    EXPECT_FALSE(undelivered.lawful);
    EXPECT_THAT(undelivered.failure, HasSubstr("node 2"));
    const grade::Mark too_many = marked("broadcast from 0\nround 1: 0 -> 1, 0 -> 2\nround 2: 1 -> 3\n");
    EXPECT_THAT(too_many.points, ElementsAre(0, 0, 0));
    EXPECT_THAT(marked("").points, ElementsAre(0, 0, 0));
    EXPECT_THAT(marked("broadcast from 0\n").points, ElementsAre(0, 0, 0));
}

TEST(ASchedule, IsJudgedOnTheMachineOfTheExerciseWhateverItSays) {
    const std::string own_machine =
        R"({"kport_schedule": 1, "topology": "complete:4", "operation": "broadcast", "root": 0,)"
        R"( "machine": "all-port full duplex, wormhole", "transfers": [)"
        R"({"round":1,"from":0,"to":1,"route":[0],"packets":[0]},{"round":1,"from":0,"to":2,"route":[1],"packets":[0]},)"
        R"({"round":1,"from":0,"to":3,"route":[2],"packets":[0]}]})";
    EXPECT_THAT(marked(own_machine).points, ElementsAre(0, 0, 0));
    EXPECT_THAT(marked("broadcast from 3\nround 1: 3 -> 1\nround 2: 3 -> 2, 1 -> 0\n").points, ElementsAre(0, 0, 0));
    EXPECT_THAT(marked("scatter from 0\nround 1: 0 -> 1 {1}\nround 2: 0 -> 2 {2}\n").points, ElementsAre(0, 0, 0));
}

TEST(ASourceAny, LetsAScheduleBeginWhereItLikes) {
    const std::string any = with("\"source\": 0", "\"source\": \"any\"", one_machine);
    EXPECT_THAT(marked("broadcast from 3\nround 1: 3 -> 1\nround 2: 3 -> 2, 1 -> 0\n", any).points,
                ElementsAre(4, 4, 2));
}

TEST(SeveralMachines, CountByTheWorstOrByTheMean) {
    Files files;
    const std::string person = files.folder() + "/adams";
    std::filesystem::create_directory(person);
    files.add("adams/mesh-2x2.txt", right_on_mesh);
    for (const bool worst : {true, false}) {
        const grade::Exercise exercise = exercise_of(with("\"worst\"", worst ? "\"worst\"" : "\"mean\""));
        const auto grades = graded(exercise, grade::hand_ins_at(files.folder()), {});
        ASSERT_THAT(grades, SizeIs(1));
        EXPECT_EQ(grades.front().name, "adams");
        EXPECT_DOUBLE_EQ(grades.front().total(), worst ? 0 : 10.0 / 4);
        EXPECT_EQ(first_failure(exercise, grades.front().marks),
                  "a hidden machine: there is no file for this machine; want one named after it");
    }
}

TEST(AHiddenMachine, IsNeverNamed) {
    const grade::Exercise exercise = exercise_of();
    const grade::Mark mark =
        mark_of(exercise, exercise.machines[1], "on line:3\nbroadcast from 0\nround 1: 0 -> 7\n", "x.txt");
    EXPECT_THAT(mark.failure, Not(HasSubstr("line:3")));
    EXPECT_THAT(mark.points, ElementsAre(0, 0, 0));
}

TEST(Grades, AreTheSameOnAnyNumberOfThreads) {
    Files files;
    for (int i = 0; i < 40; ++i) files.add("person" + std::to_string(i) + ".txt", i % 3 == 0 ? right_on_mesh : "no");
    const grade::Exercise exercise = exercise_of(one_machine);
    const auto hand_ins = grade::hand_ins_at(files.folder());
    const std::string once = csv_of(exercise, graded(exercise, hand_ins, {.threads = 1}));
    for (const unsigned threads : {2U, 3U, 8U})
        EXPECT_EQ(csv_of(exercise, graded(exercise, hand_ins, {.threads = threads})), once);
}

TEST(Gradescope, LearnsScoreAndTestsAndOnlyTheFirstFailure) {
    Files files;
    files.add("x.txt", "broadcast from 0\n");
    const grade::Exercise exercise =
        exercise_of(with("{\"on\": \"mesh:2x2\"}", R"({"on": "mesh:2x2"}, {"on": "ring:4"})"));
    const Json json = gradescope_of(exercise, graded(exercise, grade::hand_ins_at(files.folder()), {}).front());
    EXPECT_EQ(json["score"], 0);
    EXPECT_EQ(json["stdout_visibility"], "hidden");
    ASSERT_THAT(json["tests"], SizeIs(3));
    EXPECT_EQ(json["tests"][0]["max_score"], 10);
    EXPECT_THAT(json["tests"][0]["output"].get<std::string>(), HasSubstr("node 1"));
    EXPECT_EQ(json["tests"][1]["output"], "");
    EXPECT_EQ(json["tests"][2]["name"], "hidden machine 3");
}

TEST(TryingAnExercise, FindsWhoGetsFullPointsAndThatNoMessageMayBeLeftOut) {
    const grade::Exercise exercise = exercise_of();
    const grade::Tried tried = grade::tried(exercise, {.threads = 2});
    EXPECT_TRUE(tried.sound(exercise));
    EXPECT_EQ(tried.empty.total(), 0);
    EXPECT_GT(tried.omissions, 3U);
    EXPECT_THAT(text_of(exercise, tried, Paint(false), 200), HasSubstr("full points: "));
}

TEST(TryingAnExercise, FindsThatNobodyCanSolveIt) {
    const grade::Exercise exercise = exercise_of(with("\"bound + 1\"", "\"bound - 1\"", one_machine));
    const grade::Tried tried = grade::tried(exercise, {});
    EXPECT_FALSE(tried.solvable(exercise));
    EXPECT_THAT(text_of(exercise, tried, Paint(false), 200), HasSubstr("no algorithm of kport"));
}

TEST(KportGrade, PrintsTableCsvAndJsonAndEndsWithOneUnlessAllHaveFullPoints) {
    Files files;
    const std::string exercise = files.add("exercise.json", one_machine);
    std::filesystem::create_directory(files.folder() + "/in");
    files.add("in/adams.txt", right_on_mesh);
    const Outcome full = kport({"grade", exercise, files.folder() + "/in"});
    EXPECT_EQ(full.status, 0) << full.err;
    EXPECT_THAT(full.out, HasSubstr("adams.txt"));
    files.add("in/baker.txt", "broadcast from 0\n");
    const Outcome json = kport({"grade", exercise, files.folder() + "/in", "--json"});
    EXPECT_EQ(json.status, 1);
    EXPECT_EQ(json.json()["hand_ins"][0]["points"], 10);
    EXPECT_EQ(json.json()["hand_ins"][1]["points"], 0);
    EXPECT_THAT(kport({"grade", exercise, files.folder() + "/in", "--csv"}).out,
                HasSubstr("\nadams.txt,mesh:2x2,4,4,2,10,10,yes,2,"));
    const std::string results = files.folder() + "/results.json";
    EXPECT_EQ(kport({"grade", exercise, files.folder() + "/in/baker.txt", "--gradescope", results}).status, 1);
    EXPECT_TRUE(std::filesystem::exists(results));
    EXPECT_EQ(kport({"grade", exercise, "--try"}).status, 0);
    EXPECT_EQ(kport({"grade", exercise}).status, 2);
    EXPECT_EQ(kport({"grade", exercise, files.folder() + "/none"}).status, 2);
    EXPECT_EQ(kport({"grade", files.folder() + "/none.json", "--try"}).status, 2);
    EXPECT_THAT(kport({"grade", exercise, files.folder() + "/in", "--gradescope", results}).err,
                HasSubstr("is of one hand-in"));
}

/// As GitHub Classroom asks: a test for each machine, whose exit status counts.
TEST(KportGrade, OnOneMachineEndsWithZeroForFullPointsThere) {
    Files files;
    const std::string exercise = files.add("exercise.json", usual_exercise);
    const std::string hand_in = files.add("adams.txt", right_on_mesh);
    const auto graded_on = [&](const std::string& machine) {
        return kport({"grade", exercise, hand_in, "--json", "--machine", machine});
    };
    EXPECT_EQ(kport({"grade", exercise, hand_in}).status, 1);
    const Outcome first = graded_on("1");
    EXPECT_EQ(first.status, 0) << first.err;
    EXPECT_EQ(first.json()["hand_ins"][0]["machines"].size(), 1U);
    EXPECT_EQ(graded_on("2").status, 1);
    EXPECT_EQ(graded_on("2").json()["hand_ins"][0]["machines"][0]["machine"], "hidden machine 2");
    for (const char* none : {"0", "3", "two"}) {
        EXPECT_EQ(graded_on(none).status, 2);
        EXPECT_THAT(graded_on(none).err, HasSubstr("--machine")) << none;
    }
}

TEST(APageOfFeedback, HasTheSmallestFailureAsAPictureAndNoOtherNames) {
    Files files;
    const std::string text = with("{\"on\": \"mesh:2x2\"}", R"({"on": "mesh:3x3"}, {"on": "mesh:2x2"})");
    const std::string exercise = files.add("exercise.json", text);
    std::filesystem::create_directory(files.folder() + "/in");
    files.add("in/<b>adams.txt", "broadcast from 0\nround 1: 0 -> 1, 0 -> 2\n");
    files.add("in/b adams.txt", "no");
    EXPECT_EQ(kport({"grade", exercise, files.folder() + "/in", "--feedback", files.folder() + "/pages"}).status, 1);
    const std::string page = text_in_file(files.folder() + "/pages/_b_adams.txt.html", "page");
    EXPECT_THAT(page, HasSubstr("<h2>mesh:2x2</h2>"));
    EXPECT_THAT(page, HasSubstr("<svg"));
    EXPECT_THAT(page, HasSubstr("&lt;b&gt;adams.txt: 0 of 10 points"));
    EXPECT_THAT(page, Not(HasSubstr("line:3")));
    EXPECT_THAT(page, Not(HasSubstr("<b>")));
    EXPECT_THAT(text_in_file(files.folder() + "/pages/b_adams.txt.html", "page"), Not(HasSubstr("<svg")));
}

TEST(SharedWork, IsDoneOnceEachAndThrowsWhatOneThrows) {
    for (const unsigned threads : {1U, 2U, 7U}) {
        std::vector<std::atomic<int>> done(100);
        grade::share_out(done.size(), threads, [&](std::size_t i) { ++done[i]; });
        for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
        EXPECT_THROW(grade::share_out(50, threads,
                                      [](std::size_t i) {
                                          if (i == 7) throw RequestError("no");
                                      }),
                     RequestError);
    }
}

TEST(StoppedGrading, GivesTheHandInsThatAreDone) {
    Files files;
    for (int i = 0; i < 9; ++i) files.add("person" + std::to_string(i) + ".txt", right_on_mesh);
    std::atomic<bool> stop = false;
    grade::GradingOptions options;
    options.stop = &stop;
    options.graded = [&](std::size_t graded) { stop = graded == 4; };
    EXPECT_THAT(graded(exercise_of(one_machine), grade::hand_ins_at(files.folder()), options), SizeIs(4));
}

TEST(PagesOfFeedback, HaveDifferentNamesWithoutSigns) {
    std::vector<grade::Grade> grades(3);
    grades[0].name = "a b.txt";
    grades[1].name = "a/b.txt";
    grades[2].name = "../x";
    EXPECT_THAT(page_names(grades), ElementsAre("a_b.txt.html", "a_b.txt-2.html", ".._x.html"));
}

TEST(KportNewExercise, WritesAFolderWhoseAnswerGetsFullPointsAndTheEmptyHandInNone) {
    Files files;
    const std::string folder = files.folder() + "/mine";
    EXPECT_EQ(kport({"new", "exercise", folder}).status, 0);
    EXPECT_EQ(kport({"grade", folder + "/exercise.json", "--try"}).status, 0);
    const auto grades = kport({"grade", folder + "/exercise.json", folder + "/hand-ins", "--json"}).json()["hand_ins"];
    ASSERT_EQ(grades.size(), 2U);
    EXPECT_EQ(grades[0]["points"], 10);
    EXPECT_EQ(grades[1]["points"], 0);
    EXPECT_EQ(kport({"new", "exercise", folder}).status, 2);
    EXPECT_THAT(kport("new exercise").out, HasSubstr("\"kport_exercise\": 1"));
}

}  // namespace
}  // namespace kport::test
