/// @file test_progress_test.cpp   What `./dev test` says of a run of ctest: a short line for each test program.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/own_folder.hpp"

namespace kport::test {
namespace {

std::string shown(const std::string& written_by_ctest) {
    const std::filesystem::path folder = own_folder();
    std::ofstream(folder / "log") << written_by_ctest;
    const std::string command = "awk -f checks/test_progress.awk '" + (folder / "log").string() + "' 2>&1";
    std::string text;
    if (std::FILE* pipe = popen(command.c_str(), "r")) {
        for (int c = 0; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
        EXPECT_EQ(pclose(pipe), 0);
    }
    std::filesystem::remove_all(folder);
    return text;
}

TEST(TestProgress, IsALineForEachProgramWhenItsLastTestIsOver) {
    EXPECT_EQ(shown("Test project /somewhere/build/release\n"
                    "  Test  #1: base:Numbers.AreRead\n"
                    "  Test  #2: base:Numbers.AreRefused\n"
                    "  Test  #3: cli:Catalogue/Every.Runs/0\n"
                    "Total Tests: 3\n"
                    "      Start  1: base:Numbers.AreRead\n"
                    "1/3 Test  #1: base:Numbers.AreRead ...........   Passed    0.50 sec\n"
                    "2/3 Test  #3: cli:Catalogue/Every.Runs/0 .....***Skipped   0.25 sec\n"
                    "3/3 Test  #2: base:Numbers.AreRefused ........   Passed    1.50 sec\n"
                    "\n"
                    "100% tests passed, 0 tests failed out of 3\n"),
              "cli                  1 tests      0.2 s\n"
              "base                 2 tests      2.0 s\n"
              "100% tests passed, 0 tests failed out of 3\n");
}

TEST(TestProgress, CountsWhatFailedInAnyWay) {
    EXPECT_EQ(shown("  Test  #1: a:One.Fails\n"
                    "  Test  #2: a:One.TakesTooLong\n"
                    "  Test  #3: a:One.Crashes\n"
                    "  Test  #4: kport_b_test_NOT_BUILT\n"
                    "1/4 Test  #1: a:One.Fails ....................***Failed    0.00 sec\n"
                    "2/4 Test  #2: a:One.TakesTooLong .............***Timeout   1.00 sec\n"
                    "3/4 Test  #3: a:One.Crashes ..................***Exception: SegFault  1.00 sec\n"
                    "4/4 Test  #4: kport_b_test_NOT_BUILT .........***Not Run   0.00 sec\n"
                    "0% tests passed, 4 tests failed out of 4\n"),
              "a                    3 tests      2.0 s, 3 FAILED\n"
              "kport_b_test_NOT_BUILT     1 tests      0.0 s, 1 FAILED\n"
              "0% tests passed, 4 tests failed out of 4\n");
}

}  // namespace
}  // namespace kport::test
