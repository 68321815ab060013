/// @file dev_test.cpp   Which files `./dev lint` and `./dev format` read.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/own_folder.hpp"

namespace kport::test {
namespace {

/// What the command writes, in a clone with a file that is committed, one that has changed since, a new one, one that git ignores, and
/// one that was removed.
std::string in_a_clone(const std::string& command) {
    const std::filesystem::path folder = own_folder();
    const std::string git = "git -c user.name=k -c user.email=k@localhost";
    const std::string all =
        "cd '" + folder.string() + "' && touch kept.cpp gone.cpp changed.cpp && echo ignored.cpp >.gitignore && " +
        git + " init -q && " + git + " add . && " + git +
        " commit -qm m && rm gone.cpp && echo >changed.cpp && touch new.cpp ignored.cpp && eval \"$(sed -n "
        "'/^files_in_clone()/,/^}/p' '" KPORT_SOURCE_DIR "/dev')\" && " +
        command + " | sort | tr '\\n' ' '";
    std::string text;
    std::ofstream(folder / "run.sh") << all;
    if (std::FILE* pipe = popen(("bash '" + (folder / "run.sh").string() + "' 2>&1").c_str(), "r")) {
        for (int c = 0; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
        EXPECT_EQ(pclose(pipe), 0) << text;
    }
    std::filesystem::remove_all(folder);
    return text;
}

TEST(Dev, LintsFilesThatGitDoesNotKnowYet) {
    if (std::system("git --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no git";
    EXPECT_EQ(in_a_clone("files_in_clone --cached '*.cpp'"), "changed.cpp kept.cpp new.cpp ");
}

TEST(Dev, FormatsWhatDiffersFromTheLastCommit) {
    if (std::system("git --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no git";
    EXPECT_EQ(in_a_clone("files_in_clone --modified '*.cpp'"), "changed.cpp new.cpp ");
}

}  // namespace
}  // namespace kport::test
