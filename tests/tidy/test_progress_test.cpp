/// @file test_progress_test.cpp   What `./dev test` says of a run of ctest: a short line for each test program.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/own_folder.hpp"

namespace kport::test {
namespace {

std::string shown(const std::string& written_by_ctest) {
    const std::filesystem::path folder = own_folder();
    std::ofstream(folder / "log") << written_by_ctest;
    const std::string command = "awk -f tests/support/test_progress.awk '" + (folder / "log").string() + "' 2>&1";
    std::string text;
    if (std::FILE* pipe = popen(command.c_str(), "r")) {
        for (int c = 0; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
        EXPECT_EQ(pclose(pipe), 0);
    }
    std::filesystem::remove_all(folder);
    return text;
}

TEST(TestProgress, IsALineForEachProgramWhenItsLastPartIsOver) {
    EXPECT_EQ(shown("Test project /somewhere/build/release\n"
                    "  Test  #1: base:shard0\n"
                    "  Test  #2: base:shard1\n"
                    "  Test  #3: install:Library.IsFound\n"
                    "Total Tests: 3\n"
                    "test 1\n"
                    "      Start  1: base:shard0\n"
                    "1: [ RUN      ] Numbers.AreRead\n"
                    "1: [       OK ] Numbers.AreRead (3 ms)\n"
                    "1: [ RUN      ] Numbers.AreLong\n"
                    "1: [  SKIPPED ] Numbers.AreLong (0 ms)\n"
                    "1: [==========] 2 tests from 1 test suite ran. (3 ms total)\n"
                    "1: [  PASSED  ] 1 test.\n"
                    "1: [  SKIPPED ] 1 test, listed below:\n"
                    "1: [  SKIPPED ] Numbers.AreLong\n"
                    "1/3 Test  #1: base:shard0 ....................   Passed    0.50 sec\n"
                    "2/3 Test  #3: install:Library.IsFound ........   Passed    0.25 sec\n"
                    "2: [==========] 0 tests from 0 test suites ran. (0 ms total)\n"
                    "3/3 Test  #2: base:shard1 ....................   Passed    1.50 sec\n"
                    "\n"
                    "100% tests passed, 0 tests failed out of 3\n"
                    "Total Test time (real) =   2.12 sec\n"),
              "install              1 tests      0.2 s\n"
              "base                 2 tests      2.0 s\n"
              "2 of 3 tests passed, 1 skipped (2 s)\n");
}

TEST(TestProgress, NamesWhatFailedInAnyWay) {
    EXPECT_EQ(shown("  Test  #1: a:shard0\n"
                    "  Test  #2: a:shard1\n"
                    "  Test  #3: a:shard2\n"
                    "  Test  #4: kport_b_test_NOT_BUILT\n"
                    "1: [ RUN      ] One.Fails/0\n"
                    "2: [ RUN      ] One.Passes\n"
                    "1: a.cpp:7: Failure\n"
                    "1: [  FAILED  ] One.Fails/0, where GetParam() = 12-byte object <01-00 00-00> (3 ms)\n"
                    "1: [ RUN      ] One.FailsToo\n"
                    "1: [  FAILED  ] One.FailsToo (3 ms)\n"
                    "1: [==========] 2 tests from 1 test suite ran. (3 ms total)\n"
                    "1: [  FAILED  ] 2 tests, listed below:\n"
                    "1: [  FAILED  ] One.Fails/0, where GetParam() = 12-byte object <01-00 00-00>\n"
                    "1: [  FAILED  ] One.FailsToo\n"
                    "1/4 Test  #1: a:shard0 .......................***Failed    0.00 sec\n"
                    "2: [       OK ] One.Passes (3 ms)\n"
                    "2: of a test that passed, or before all\n"
                    "2: [ RUN      ] One.Crashes\n"
                    "2: stands here\n"
                    "2/4 Test  #2: a:shard1 .......................***Exception: SegFault  1.00 sec\n"
                    "3: [==========] 1 test from 1 test suite ran. (3 ms total)\n"
                    "3/4 Test  #3: a:shard2 .......................***Failed   1.00 sec\n"
                    "4/4 Test  #4: kport_b_test_NOT_BUILT .........***Not Run   0.00 sec\n"
                    "0% tests passed, 4 tests failed out of 4\n"
                    "Total Test time (real) =   1.00 sec\n"),
              "    One.Fails/0\n"
              "    | a.cpp:7: Failure\n"
              "    One.FailsToo\n"
              "    a:One.Crashes (the program ended)\n"
              "    | stands here\n"
              "    a:shard2\n"
              "a                    4 tests      2.0 s, 4 FAILED\n"
              "    kport_b_test_NOT_BUILT\n"
              "kport_b_test_NOT_BUILT     1 tests      0.0 s, 1 FAILED\n"
              "0 of 5 tests passed, 5 FAILED (1 s)\n"
              "    a:One.Fails/0\n"
              "    a:One.FailsToo\n"
              "    a:One.Crashes (the program ended)\n"
              "    a:shard2\n"
              "    kport_b_test_NOT_BUILT\n");
}

TEST(TestProgress, ShowsTheLastLinesOfWhatFailed) {
    std::string printed;
    for (int line = 1; line <= 50; ++line) printed += fmt::format("1: line {}\n", line);
    const std::string told =
        shown("  Test  #1: lab:page\n" + printed + "1/1 Test  #1: lab:page .....***Failed 1.00 sec\n");
    EXPECT_TRUE(told.starts_with("    lab:page\n    | line 11\n")) << told;
    EXPECT_NE(told.find("    | line 50\nlab "), std::string::npos) << told;
}

TEST(TestProgress, SaysThatNotAllRan) {
    EXPECT_EQ(shown("  Test  #1: a:shard0\n"
                    "      Start  1: a:shard0\n"),
              "0 of 1 tests passed, 1 FAILED; ctest did not end\n"
              "    a: not all of it ran\n");
}

}  // namespace
}  // namespace kport::test
