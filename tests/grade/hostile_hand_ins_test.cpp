/// @file hostile_hand_ins_test.cpp   Files that were made to deceive or to end the grader get no points and a sentence.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/grade/grading.hpp"
#include "tests/cli/files.hpp"
#include "tests/grade/exercises.hpp"

namespace kport::test {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

const std::string one_mesh = with(", {\"on\": \"line:3\", \"hidden\": true, \"weight\": 3}", "");

std::string json_schedule(const std::string& transfers, const std::string& more = "") {
    return R"({"kport_schedule": 1, "topology": "mesh:2x2", "operation": "broadcast", "root": 0)" + more +
           ", \"transfers\": [" + transfers + "]}";
}

std::string failure_of(const std::string& text) {
    const grade::Exercise exercise = exercise_of(one_mesh);
    const grade::Mark mark = mark_of(exercise, exercise.machines.front(), text, "x.json");
    for (const double points : mark.points) EXPECT_EQ(points, 0) << text.substr(0, 200);
    EXPECT_EQ(mark.dispute, "");
    return mark.failure;
}

TEST(HostileSchedules, GetNoPointsAndASentence) {
    EXPECT_NE(failure_of("{"), "");
    EXPECT_NE(failure_of(std::string("\0\0\0", 3)), "");
    EXPECT_NE(failure_of("\xFF\xFE\xFD"), "");
    EXPECT_NE(failure_of(std::string(1'000'000, '[')), "");
    EXPECT_NE(failure_of(R"({"kport_schedule": 1, "transfers": )" + std::string(1'000'000, '[')), "");
    EXPECT_NE(failure_of(json_schedule(R"({"round":1,"from":0,"to":1,"route":[],"packets":[0]})")), "");
    EXPECT_NE(failure_of(json_schedule(R"({"round":1,"from":-1,"to":1,"route":[0],"packets":[0]})")), "");
    EXPECT_NE(failure_of(json_schedule(R"({"round":1,"from":0,"to":1,"route":[99],"packets":[0]})")), "");
    EXPECT_NE(failure_of("on file:/etc/passwd\nbroadcast from 0\nround 1: 0 -> 1\n"), "");
    EXPECT_NE(failure_of("rank 0\n0 send 1 0 1e6\n"), "");
}

TEST(AScheduleOfAThousandMillionRounds, IsRefusedByItsLength) {
    const std::string late = R"({"round":1000000000,"from":0,"to":1,"route":[1],"packets":[0]})";
    EXPECT_EQ(failure_of(json_schedule(late)), "1,000,000,000 rounds; the exercise allows 1,000,000");
    EXPECT_EQ(failure_of(json_schedule(late, R"(, "silent_rounds": [{"first":1,"count":999999999}])")),
              "1,000,000,000 rounds; the exercise allows 1,000,000");
    EXPECT_NE(failure_of("broadcast from 0\nrounds 1-999999999: silent\nround 1000000000: 0 -> 1\n"), "");
}

TEST(AScheduleOfManyPackets, IsRefusedBeforeTheyAreCounted) {
    EXPECT_NE(failure_of(json_schedule(
                  R"({"round":1,"from":0,"to":1,"route":[1],"packets":[{"first":0,"stride":1,"count":4000000000}]})")),
              "");
    EXPECT_NE(failure_of("broadcast from 0\nround 1: 0 -> 1 {0..4000000000}\n"), "");
}

TEST(AScheduleWithMoreMessagesThanAllowed, IsRefused) {
    const grade::Exercise exercise =
        exercise_of(with("\"each_machine\"", "\"limits\": {\"messages\": 2}, \"each_machine\"", one_mesh));
    EXPECT_EQ(mark_of(exercise, exercise.machines.front(), right_on_mesh, "x.txt").failure,
              "3 messages; the exercise allows 2");
}

TEST(FilesThatAreNoHandIns, AreNotRead) {
    Files files;
    std::ofstream(files.folder() + "/large.txt") << std::string(17U << 20, ' ');
    fs::create_symlink("/etc/passwd", files.folder() + "/link.txt");
    fs::create_symlink("/nowhere", files.folder() + "/dangling.json");
    fs::create_symlink("/etc", files.folder() + "/linked");
    ASSERT_EQ(mkfifo((files.folder() + "/pipe.txt").c_str(), 0600), 0);
    files.add("program.exe", "MZ");
    files.add(".hidden", "x");
    files.add("two\nlines.txt", "x");
    fs::create_directory(files.folder() + "/empty");
    fs::create_directory(files.folder() + "/sly");
    fs::create_symlink("/etc/passwd", files.folder() + "/sly/mesh-2x2.txt");
    const grade::Exercise exercise = exercise_of(one_mesh);
    const auto grades = graded(exercise, grade::hand_ins_at(files.folder()), {.threads = 2});
    std::string all;
    for (const grade::Grade& grade : grades) {
        EXPECT_EQ(grade.total(), 0) << grade.name;
        EXPECT_EQ(grade.name.find('\n'), std::string::npos);
        all += fmt::format("{}: {}\n", grade.name, grade.marks.front().failure);
    }
    EXPECT_THAT(all, HasSubstr("dangling.json: a link is no hand-in; want the file itself"));
    EXPECT_THAT(all, HasSubstr("empty: there is no file for this machine; want mesh-2x2.json or mesh-2x2.txt"));
    EXPECT_THAT(all, HasSubstr("large.txt: the file has 17.0 MiB; want at most 16.0 MiB"));
    EXPECT_THAT(all, HasSubstr("link.txt: a link is no hand-in"));
    EXPECT_THAT(all, HasSubstr("linked: no hand-in"));
    EXPECT_THAT(all, HasSubstr("pipe.txt: no regular file"));
    EXPECT_THAT(all, HasSubstr("program.exe: no hand-in"));
    EXPECT_THAT(all, HasSubstr("sly: a link is no hand-in"));
    EXPECT_EQ(all.find(".hidden"), std::string::npos);
}

TEST(NamesOfHandIns, DoNotBreakOutOfATable) {
    Files files;
    files.add("a,\"b\".txt", "no");
    const grade::Exercise exercise = exercise_of(one_mesh);
    const std::string csv = csv_of(exercise, graded(exercise, grade::hand_ins_at(files.folder()), {}));
    EXPECT_THAT(csv, HasSubstr("\n\"a,\"\"b\"\".txt\",mesh:2x2,"));
}

}  // namespace
}  // namespace kport::test
