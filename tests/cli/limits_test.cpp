/// @file limits_test.cpp   A full or closed standard output, a reader that goes away, little memory, one core, Ctrl-C.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/requests/experiment_of.hpp"
#include "app/session/choose.hpp"
#include "emulator/report/terminal_text.hpp"
#include "tests/cli/kport.hpp"
#include "tests/support/own_folder.hpp"

namespace kport::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

/// A billion messages, which take longer than any test waits, in 125 MB.
const std::string endless =
    "run broadcast --on line:1000 --algorithm chain --packets 1000000 --payload none --threads 1";

TEST(Threads, AreByDefaultTheUsableProcessors) {
    Place place;
    place.one_processor = true;
    const auto threads = [&](const std::string& line) { return kport(line, place).json()["engine"]["threads"]; };
    EXPECT_EQ(threads("run broadcast --on hypercube:14 --json"), 1);
    EXPECT_EQ(threads("run broadcast --on hypercube:14 --json --threads 2"), 2);
}

TEST(Output, ThatIsFullIsAnError) {
    Place place;
    place.out = "/dev/full";
    for (const char* line :
         {"run broadcast --on hypercube:3", "run broadcast --on hypercube:3 --json", "--help", "list"}) {
        const Outcome outcome = kport(line, place);
        EXPECT_EQ(outcome.status, 4) << line;
        EXPECT_EQ(outcome.err, "kport: standard output cannot be written: No space left on device\n");
    }
}

TEST(Output, ThatIsClosedIsAnError) {
    Place place;
    place.out_closed = true;
    const Outcome outcome = kport("run broadcast --on hypercube:3", place);
    EXPECT_EQ(outcome.status, 4);
    EXPECT_EQ(outcome.err, "kport: standard output cannot be written: Bad file descriptor\n");
}

TEST(Output, OverTheLimitOfFilesIsAnError) {
    Place place;
    place.out = testing::TempDir() + "kport_limited_output";
    place.file_size = 100;
    const Outcome outcome = kport("run broadcast --on hypercube:3", place);
    EXPECT_EQ(outcome.status, 4);
    EXPECT_EQ(outcome.err, "kport: standard output cannot be written: File too large\n");
    std::filesystem::remove(*place.out);
}

TEST(Output, OfEveryCommandIsCheckedForAFullDevice) {
    Place place;
    place.out = "/dev/full";
    for (const char* line :
         {"compare broadcast --on line:4", "compare broadcast --sweep line:{4,5} --csv", "bounds scatter --on line:4",
          "explain broadcast --on line:4", "list faults --json", "stress --cases 3",
          "bench broadcast --on line:4 --repetitions 1 --csv", "bench broadcast --on line:4 --repetitions 1 --json"}) {
        const Outcome outcome = kport(line, place);
        EXPECT_EQ(outcome.status, 4) << line;
        EXPECT_THAT(outcome.err, EndsWith("kport: standard output cannot be written: No space left on device\n"));
    }
}

std::string content_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// A limit on the size of files is a full disk for a file, and none for a pipe.
TEST(AFile, ThatDoesNotFitOnTheDiskKeepsItsOldContent) {
    const std::filesystem::path folder = own_folder();
    const std::filesystem::path file = folder / "plot.svg";
    std::ofstream(file) << "old";
    const std::string bench = "bench broadcast --sweep hypercube:{2,3} --repetitions 1 --plot " + file.string();
    Place place;
    place.file_size = 100;
    const Outcome outcome = kport(bench, place);
    EXPECT_EQ(outcome.status, 4);
    EXPECT_THAT(outcome.err, EndsWith("plot.svg': cannot be written (File too large)\n"));
    EXPECT_EQ(content_of(file), "old");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1) << "nothing is left beside it";
    EXPECT_EQ(kport(bench).status, 0);
    EXPECT_THAT(content_of(file), StartsWith("<svg"));
    std::filesystem::remove_all(folder);
}

TEST(AFile, ThatCannotBeMadeIsRefusedBeforeTheWork) {
    for (const std::string command :
         {"compare broadcast --on complete:8 --message 1KiB..1MiB --plot /proc/x.svg",
          "explain broadcast --on complete:8 --message 1MiB --plot /proc/x.svg",
          "run broadcast --on ring:4 --record /proc/x.json", "show broadcast --on ring:4 --output /proc/x.svg"}) {
        const Outcome outcome = kport(command);
        EXPECT_EQ(outcome.status, 2) << command;
        EXPECT_THAT(outcome.err, testing::HasSubstr("cannot be written"));
        EXPECT_EQ(outcome.out, "");
    }
}

/// What was computed is told.
TEST(AFile, ThatCannotBeWrittenInTheEndDoesNotTakeTheReportWithIt) {
    for (const std::string command : {"compare broadcast --on complete:8 --message 1KiB..1MiB --plot /dev/full",
                                      "compare broadcast --sweep hypercube:{2..3} --plot /dev/full",
                                      "explain broadcast --on complete:8 --message 1MiB --plot /dev/full",
                                      "run broadcast --on ring:4 --record /dev/full", "info ring:4 --picture /dev/full",
                                      "search broadcast --on ring:4 --record /dev/full"}) {
        const Outcome outcome = kport(command);
        EXPECT_EQ(outcome.status, 4) << command;
        EXPECT_THAT(outcome.err, EndsWith("'/dev/full': cannot be written (No space left on device)\n"));
        EXPECT_THAT(outcome.out, testing::HasSubstr(command.starts_with("info") ? "ring:4" : "broadcast")) << command;
    }
}

TEST(Memory, UnderAnyLimitEndsInAReportOrInARefusal) {
    for (const char* line :
         {"run broadcast --on hypercube:16 --threads 1 --json", "run alltoall --on hypercube:7 --threads 1",
          "run broadcast --on mesh:300x300 --threads 2",
          "run permutation --on mesh:54x54 --packets 16 --permutation shift:2812 --engine free --threads 2",
          "compare broadcast --on mesh:100x100 --threads 1 --json"})
        for (std::uint64_t mib = 24; mib <= 240; mib += 24) {
            Place place;
            place.address_space = mib << 20;
            const Outcome outcome = kport(line, place);
            EXPECT_TRUE(outcome.status == 0 || outcome.status == 3)
                << line << ", " << mib << " MiB: " << outcome.status;
            EXPECT_EQ(outcome.err.empty(), outcome.status == 0) << mib << " MiB: " << outcome.err;
        }
}

/// What is chosen must be admitted: both look at the same rest of the address space. Of two algorithms one needs 0.4 GiB.
TEST(Memory, ThatIsMoreRunsWhatLessOfItRuns) {
    for (const std::uint64_t mib : {300U, 400U, 450U, 500U, 550U, 600U}) {
        Place place;
        place.address_space = mib << 20;
        const Outcome outcome =
            kport("run permutation --on mesh:100x100 --permutation shift:5051 --threads 2 --json", place);
        EXPECT_EQ(outcome.status, 0) << mib << " MiB: " << outcome.err;
    }
}

TEST(Memory, BeyondALimitIsRefusedBeforeAnyAllocation) {
    Place place;
    place.address_space = std::uint64_t{400} << 20;
    const Outcome outcome = kport("run broadcast --on hypercube:24 --threads 1", place);
    EXPECT_EQ(outcome.status, 3);
    EXPECT_THAT(outcome.err, StartsWith("kport: hypercube:24 with 64-byte packets needs about "));
    EXPECT_THAT(outcome.err, HasSubstr("GiB and 0.3"));
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(kport("run broadcast --on hypercube:12 --threads 1", place).status, 0);
}

TEST(Memory, ForThreadsCountsToo) {
    Place place;
    place.address_space = std::uint64_t{400} << 20;
    const Outcome outcome = kport("run broadcast --on hypercube:10 --threads 1000 --payload none", place);
    EXPECT_EQ(outcome.status, 3);
}

Experiment experiment(const std::string& line) {
    const std::vector<std::string> list = words("kport run broadcast " + line);
    std::vector<const char*> argv;
    for (const std::string& word : list) argv.push_back(word.c_str());
    return requests::experiment_of(
        requests::read_command_line(static_cast<int>(argv.size()), argv.data(), usual_width));
}

double gib_needed(const std::string& line) { return bytes_needed(experiment(line), nullptr) / (1024.0 * 1024 * 1024); }

TEST(Memory, IsEstimatedNotTooLowAndNotFarTooHigh) {
    // 52 bytes a node were measured on hypercube:24, which makes 6.5 GiB.
    EXPECT_GT(gib_needed("--on hypercube:27 --payload none"), 6.5);
    EXPECT_LT(gib_needed("--on hypercube:27 --payload none"), 9);
    EXPECT_GT(gib_needed("--on hypercube:27"), gib_needed("--on hypercube:27 --payload none") + 7.9);
    // A wave in a mesh is narrow: hardly more than the tables of the nodes.
    EXPECT_LT(gib_needed("--on mesh:16384x16384 --payload none"), 15);
}

TEST(Memory, OfTheTableOfRoundsIsPartOfTheEstimate) {
    EXPECT_GT(gib_needed("--on line:50000000 --per-round"), gib_needed("--on line:50000000") + 10);
}

TEST(Interrupt, EndsARunWithPartialResults) {
    Place place;
    place.signal = SIGINT;
    place.delay = std::chrono::seconds(1);
    const Outcome outcome = kport(endless + " --json", place);
    ASSERT_EQ(outcome.status, 4) << outcome.err;
    const nlohmann::json json = outcome.json();
    EXPECT_EQ(json["stopped"], true);
    EXPECT_GT(json["measured"]["rounds"], 0);
    EXPECT_EQ(json["checks"]["delivered"], false);
    EXPECT_EQ(json["optimal"]["rounds"], nullptr);
    EXPECT_EQ(json["violations"], nlohmann::json::array());
    EXPECT_EQ(json["violation_count"], 0);
}

TEST(Interrupt, BeforeTheFirstResultEndsAtOnce) {
    Place place;
    place.signal = SIGINT;
    place.delay = std::chrono::milliseconds(300);
    // Tables of sixteen million nodes are made before the first round.
    const Outcome outcome =
        kport("run broadcast --on mesh:4000x4000 --algorithm farthest-first --payload none --threads 1", place);
    EXPECT_EQ(outcome.status, 4);
    EXPECT_EQ(outcome.err,
              "kport: interrupted; no results (the run of farthest-first on mesh:4000x4000 is being "
              "set up)\n");
    EXPECT_EQ(outcome.out, "");
}

TEST(Interrupt, ByTermSaysSoInText) {
    Place place;
    place.signal = SIGTERM;
    place.delay = std::chrono::seconds(1);
    const Outcome outcome = kport(endless, place);
    ASSERT_EQ(outcome.status, 4) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("verdict  stopped in round "));
    EXPECT_THAT(outcome.out, HasSubstr("stopped before the end"));
}

TEST(Interrupt, ByATerminalThatIsClosedEndsARunWithWhatIsKnown) {
    Place place;
    place.signal = SIGHUP;
    place.delay = std::chrono::seconds(1);
    for (const std::string& line :
         {endless, std::string("run broadcast --on line:50000000 --payload none --threads 1 --engine free")}) {
        const Outcome outcome = kport(line, place);
        ASSERT_EQ(outcome.status, 4) << outcome.err;
        EXPECT_THAT(outcome.out, HasSubstr("verdict  stopped in round "));
    }
}

TEST(Interrupt, OfAComparisonShowsTheRunAtHand) {
    Place place;
    place.signal = SIGINT;
    place.delay = std::chrono::seconds(1);
    const Outcome outcome = kport("compare broadcast --on line:50000000 --payload none --threads 1", place);
    EXPECT_EQ(outcome.status, 4) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("stopped in round "));
    EXPECT_THAT(outcome.out, HasSubstr("(bound)"));
}

TEST(Interrupt, OnATerminalFollowsALineOfProgress) {
    Place place;
    place.terminal = true;
    place.signal = SIGINT;
    place.delay = std::chrono::milliseconds(3500);
    const Outcome outcome = kport(endless, place);
    ASSERT_EQ(outcome.status, 4);
    EXPECT_THAT(outcome.out, HasSubstr("\r\033[K2 s: round "));
    EXPECT_THAT(outcome.out, HasSubstr(" of 1000 nodes reached"));
    EXPECT_THAT(outcome.out, HasSubstr("kport: stopping soon; once more kills"));
}

}  // namespace
}  // namespace kport::test
