/// @file computing_test.cpp   A node program that computes for ever: told on standard error, ended by Ctrl-C.
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/commands.hpp"
#include "app/cli/progress.hpp"
#include "app/requests/command_line.hpp"
#include "app/requests/experiment_of.hpp"
#include "emulator/report/terminal_text.hpp"

namespace kport::cli {
namespace {

/// What was written to standard error, which is a file in a death test.
off_t bytes_told() {
    struct stat file = {};
    return fstat(STDERR_FILENO, &file) == 0 ? file.st_size : 0;
}

/// Node 1 computes for ever from round 2 on. As soon as anything is told of it, Ctrl-C comes.
Program hang(Node& self) {
    if (self.id() == 0) co_await self.send_to(1, Packet(0));
    if (self.id() == 0) co_return;
    co_await self.receive();
    const off_t before = bytes_told();
    while (bytes_told() == before) {
    }
    std::raise(SIGINT);
    for (volatile bool ever = true; ever;) {
    }
}

/// Strands that replace each other without an end, each of which computes only briefly. Raises SIGINT once, after the first report.
Program replaced(Node& self, off_t before, bool is_interrupted) {
    const bool interrupts = !is_interrupted && bytes_told() != before;
    if (interrupts) std::raise(SIGINT);
    self.spawn(replaced(self, before, is_interrupted || interrupts));
    co_return;
}

Program spawn_for_ever(Node& self) {
    if (self.id() == 0) co_await self.send_to(1, Packet(0));
    if (self.id() == 0) co_return;
    co_await self.receive();
    self.spawn(replaced(self, bytes_told(), false));
    co_await self.join();
}

Program (*run_here)(Node&) = hang;

void run_until_interrupted(const char* engine, Program (*program)(Node&) = hang) {
    run_here = program;
    listen_for_signals();
    const char* const line[] = {"kport", "run", "broadcast", "--on", "line:3", "--engine", engine, "--threads", "1"};
    const Experiment experiment = experiment_of(read_command_line(std::size(line), line, usual_width));
    Algorithm row = algorithm_named("dost", experiment.machine, experiment.collective, experiment.options);
    row.make = [](const Machine&, const Collective&, const AlgorithmOptions&) { return Start{*run_here, {0}, false}; };
    Attended attended;
    (void)run(Chosen{experiment, &row, std::nullopt, {}}, attended.caller());
}

class AProgramThatComputesForEver : public testing::Test {
  protected:
    AProgramThatComputesForEver() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(AProgramThatComputesForEver, IsToldAndEndedByCtrlC) {
    EXPECT_EXIT(run_until_interrupted("lockstep"), testing::ExitedWithCode(4),
                "kport: round 2: node 1 has been computing for [0-9.]+ s without co_await; Ctrl-C ends the run\n"
                "kport: stopped without a report in round 2: node 1 has been computing for [0-9.]+ s without co_await");
}

TEST_F(AProgramThatComputesForEver, InStrandsThatReplaceEachOtherIsToldAndEndedByCtrlC) {
    for (const char* engine : {"lockstep", "free"})
        EXPECT_EXIT(
            run_until_interrupted(engine, spawn_for_ever), testing::ExitedWithCode(4),
            "kport: round [0-9]: node 1 has been computing for [0-9.]+ s without co_await; Ctrl-C ends the run\n");
}

TEST_F(AProgramThatComputesForEver, IsToldWithoutRoundsToo) {
    EXPECT_EXIT(run_until_interrupted("free"), testing::ExitedWithCode(4),
                "kport: round 2: node 1 has been computing for [0-9.]+ s without co_await; Ctrl-C ends the run\n"
                "kport: interrupted; no results \\(round 2: node 1 has been computing for ");
}

}  // namespace
}  // namespace kport::cli
