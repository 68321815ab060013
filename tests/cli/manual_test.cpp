/// @file manual_test.cpp   The manual page and the completions: written from the option table, and taken by the programs that read them.
#include "app/cli/commands.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/requests/command_table.hpp"
#include "emulator/base/error.hpp"
#include "tests/cli/kport.hpp"

namespace kport::cli {
namespace {

using testing::HasSubstr;

/// What a line of sh prints.
std::string shell_out(const std::string& line) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(line.c_str(), "r"), pclose);  // NOLINT(cert-env33-c)
    std::string out;
    for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) out += static_cast<char>(c);
    return out;
}

TEST(Manual, NamesEveryCommandAndOption) {
    const std::string page = manual_page();
    for (const CommandInfo& command : all_commands())
        EXPECT_THAT(page, HasSubstr("\n.B kport " + std::string(command.name)));
    for (const kport::Option& option : all_options()) {
        std::string line = "\n.B ";
        for (const char c : option.name) line += c == '-' ? "\\-" : std::string(1, c);
        EXPECT_THAT(page, testing::AnyOf(HasSubstr(line + " "), HasSubstr(line + ","), HasSubstr(line + "\n")));
    }
}

TEST(Manual, IsWhatTheProgramPrints) { EXPECT_EQ(test::kport("manual").out, manual_page()); }

TEST(Manual, IsReadByGroffWithoutAWarning) {
    if (std::system("command -v groff >/dev/null") != 0) GTEST_SKIP() << "groff is not installed";
    EXPECT_EQ(shell_out(KPORT_PROGRAM " manual | groff -man -Tutf8 -ww 2>&1 >/dev/null"), "");
}

TEST(Completion, OfBashOffersCommandsOperationsOptionsAndValues) {
    const auto offered = [](const std::string& line) {
        return shell_out("bash -c 'source <(" KPORT_PROGRAM " completion bash); COMP_WORDS=(" + line +
                         "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _kport 2>/dev/null; echo \"${COMPREPLY[*]}\"'");
    };
    EXPECT_EQ(offered("kport bo"), "bounds\n");
    EXPECT_EQ(offered("kport run allr"), "allreduce\n");
    EXPECT_EQ(offered("kport run broadcast --dup"), "--duplex\n");
    EXPECT_EQ(offered("kport run broadcast --duplex \"\""), "full half\n");
    EXPECT_EQ(offered("kport run broadcast --on hyperc"), "hypercube:\n");
    EXPECT_EQ(offered("kport run broadcast --on tests/files/graphs/karate.g"), "tests/files/graphs/karate.graphml\n");
    EXPECT_EQ(offered("kport info tests/files/graphs/karate.g"), "tests/files/graphs/karate.graphml\n");
    EXPECT_EQ(offered("kport convert hyperc"), "hypercube:\n");
    EXPECT_EQ(offered("kport convert petersen --to graphm"), "graphml\n");
    EXPECT_EQ(offered("kport list fau"), "faults\n");
    EXPECT_EQ(offered("kport run scan --on line:4 --algorithm \"\""),
              "exchange doubling up-down tree gather-scatter chain streams alternate greedy-gossip searched exact\n");
    EXPECT_THAT(offered("kport stress --operation allreduce --algorithm \"\""),
                testing::StartsWith("census exchange reduce-broadcast "));
    EXPECT_EQ(offered("kport stress --algorithm hyper"), "hypercube-mapped\n");
}

TEST(Completion, OfEveryShellNamesEveryCommandAndOption) {
    for (const char* shell : {"bash", "zsh", "fish"}) {
        const std::string script = completion_for(shell);
        for (const CommandInfo& command : all_commands()) EXPECT_THAT(script, HasSubstr(command.name)) << shell;
        for (const kport::Option& option : all_options())
            EXPECT_THAT(script, HasSubstr(option.name.substr(2))) << shell;
    }
}

TEST(Completion, OfAnUnknownShellIsRefused) { EXPECT_THROW((void)completion_for("tcsh"), RequestError); }

}  // namespace
}  // namespace kport::cli
