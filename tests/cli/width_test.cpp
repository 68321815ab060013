/// @file width_test.cpp   Every command fits the terminal, and 80 columns where there is none.
#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/bench_output.hpp"
#include "emulator/report/terminal_text.hpp"
#include "tests/cli/kport.hpp"
#include "tests/support/own_folder.hpp"

namespace kport::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Standard output is no terminal, and COLUMNS is not set.
Place piped() {
    Place place;
    place.columns.reset();
    return place;
}

Place terminal(unsigned columns) {
    Place place = piped();
    place.terminal = true;
    place.terminal_columns = columns;
    return place;
}

/// The lines that are too long, but for those with a command to copy.
std::string too_long(const std::string& text, std::size_t width) {
    std::istringstream in(text);
    std::string found;
    for (std::string line; std::getline(in, line);) {
        const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
        const std::string_view told = std::string_view(line).substr(begin);
        const bool command =
            told.starts_with("again   kport ") || told.starts_with("'kport ") || told.starts_with("Example: kport ");
        if (columns_of(line) > width && !command) found += line + "\n";
    }
    return found;
}

class EveryCommand : public testing::TestWithParam<const char*> {};

TEST_P(EveryCommand, FitsEightyColumns) {
    const Outcome outcome = kport(GetParam(), piped());
    EXPECT_NE(outcome.out, "") << outcome.err;
    EXPECT_EQ(too_long(outcome.out, 80), "");
}

INSTANTIATE_TEST_SUITE_P(
    Width, EveryCommand,
    testing::Values(
        "", "run --help", "compare --help", "bench --help", "stress --help", "bounds --help", "list --help",
        "explain --help", "chip --help", "list operations", "list algorithms", "list topologies", "list faults",
        "run broadcast --on hypercube:10", "run scatter --on mesh:4x5 --links half --pairwise --noho strict",
        "run gather --on mesh:3x4 --duplex half --source 2,1 --ports 2",
        "run reduce --on torus:5x5 --algorithm farthest-first",
        "run broadcast --on torus:25x25 --algorithm flooding --ports all --per-round",
        "run broadcast --on torus:9x9 --algorithm flooding --ports all --until 2",
        "run broadcast --on torus:5x5 --algorithm flooding --ports all --engine free",
        "run scatter --on torus:9x9 --switching wh --combining off --policy strict --engine free",
        "run alltoall --on hypercube:7 --switching wh --td 0.1", "run scan --on hypercube:1 --values 1,2",
        "run allgather --on ring:1000 --bytes 1MiB --payload none",
        "run allreduce --on hypercube:4 --inject drop --per-round", "run reduce --on line:40 --op concat",
        "run allreduce --on hypercube:6 --inject corrupt:0.1", "run broadcast --on mesh:4x4 --max-rounds 3",
        "compare broadcast --on mesh:8x8", "compare broadcast --on ring:6 --ports all",
        "compare scatter --on mesh:20x20 --bytes 1MiB --payload none",
        "compare broadcast --sweep mesh:{3,4}x{} torus:4x4 --ports 1,2,all",
        "compare scatter --sweep mesh:{3,4}x{} --switching sf,wh --combining on,off", "bounds scatter --on torus:5x5",
        "bounds alltoall --on hypercube:20 --links half", "bounds broadcast --on hypercube:40",
        "explain broadcast --on torus:5x5", "explain alltoall --on hypercube:6 --switching wh",
        "explain gather --on cbt:5 --duplex half --pairwise", "stress --cases 60 --threads 1",
        "stress --operation broadcast --algorithm flooding --threads 1", "stress --inject drop --cases 20 --threads 1",
        "bench broadcast --on hypercube:4 --bytes 8,64 --threads 1,2 --repetitions 2",
        "bench scatter --on hypercube:3 --repetitions 2 --replay",
        "bench broadcast --on ring:6 --algorithm flooding --ports all"));

TEST(Width, OfACalibrationIsEightyColumns) {
    const std::filesystem::path folder = own_folder();
    const std::string file = (folder / "prices.json").string();
    const std::string line = "broadcast --on hypercube:4 --algorithm sbt --threads 1 ";
    EXPECT_EQ(
        too_long(kport("bench " + line + "--bytes 8..4096*8 --repetitions 2 --calibrate " + file, piped()).out, 80),
        "");
    const Outcome outcome = kport("run " + line + "--calibrated " + file, piped());
    EXPECT_THAT(outcome.out, HasSubstr("\nmodel   "));
    EXPECT_EQ(too_long(outcome.out, 80), "");
    std::filesystem::remove_all(folder);
}

TEST(Width, OfAChipWithManyCoresIsEightyColumns) {
    chip::Survey survey;
    for (chip::Pu core = 0; core < 32; ++core) survey.pus.push_back(core);
    for (chip::Pu first = 0; first < 32; ++first)
        for (chip::Pu second = first + 1; second < 32; ++second)
            survey.round_trips.push_back({first, second, {9, 90, 100.0 + first + second, 95, 205, 0.96}});
    for (const Paint& paint : {Paint(false), Paint(true)}) {
        const std::string text = cli::chip_text(survey, paint, 80);
        EXPECT_EQ(too_long(text, 80), "");
        EXPECT_THAT(text, HasSubstr("\n\ncore  ")) << "cut into several tables";
    }
}

constexpr const char* compare = "compare broadcast --on mesh:8x8";
constexpr const char* constant = "\nall rows: verdict all rules kept, 64 of 64 nodes hold the packet\nalgorithm ";

TEST(Width, IsThatOfTheTerminal) {
    const std::string wide = kport(compare, terminal(200)).out;
    EXPECT_THAT(wide, Not(HasSubstr("all rows")));
    EXPECT_THAT(wide, HasSubstr("latency   verdict\r\n"));
    const std::string narrow = kport(compare, terminal(60)).out;
    EXPECT_THAT(narrow, HasSubstr("all rows: "));
    std::string lines = narrow;
    std::erase(lines, '\r');
    EXPECT_EQ(too_long(lines, 60), "");
    EXPECT_EQ(too_long(lines, 50).empty(), false) << "it uses what it has";
}

TEST(Width, IsEightyColumnsWhereNobodyTells) {
    EXPECT_THAT(kport(compare, piped()).out, HasSubstr(constant));
    std::string untold = kport(compare, terminal(0)).out;
    std::erase(untold, '\r');
    EXPECT_THAT(untold, HasSubstr("\nall rows: verdict "));
    EXPECT_EQ(too_long(untold, 80), "");
}

TEST(Width, IsWhatColumnsSays) {
    Place place = terminal(60);
    place.columns = "200";
    EXPECT_THAT(kport(compare, place).out, Not(HasSubstr("all rows")));
    place = piped();
    place.columns = "200";
    EXPECT_THAT(kport(compare, place).out, Not(HasSubstr("all rows")));
    for (const char* nonsense : {"", "0", "wide", "80x", "-1", "99999999999999999999999"}) {
        place.columns = nonsense;
        EXPECT_THAT(kport(compare, place).out, HasSubstr(constant)) << nonsense;
    }
    place.columns = "1";
    EXPECT_EQ(too_long(kport("bounds broadcast --on mesh:8x8", place).out, 40), "") << "at least 40";
}

/// Scripts read the first word of a line and the first fields of a table.
TEST(Width, LeavesTheFirstWordsOfLinesInTheirPlace) {
    const std::string text = kport("run broadcast --on torus:5x5 --algorithm flooding --ports all --td 1", piped()).out;
    for (const char* word : {"algorithm", "verdict", "quantity", "rounds", "work", "path sum", "volume", "latency",
                             "prices", "rules", "chip", "broken", "again"})
        EXPECT_THAT(text, HasSubstr(std::string("\n") + word + " "));
    EXPECT_THAT(text, StartsWith("broadcast from node 0 (0,0) on torus:5x5   25 nodes, "));
}

}  // namespace
}  // namespace kport::test
