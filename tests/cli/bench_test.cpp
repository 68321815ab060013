/// @file bench_test.cpp   kport bench: sizes, cells, tables for programs, wrong requests. No test compares
///                        times.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/bench_cells.hpp"
#include "app/cli/output.hpp"
#include "app/requests/several.hpp"
#include "emulator/base/error.hpp"
#include "tests/cli/kport.hpp"
#include "tests/support/own_folder.hpp"

namespace kport::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::string refused(const char* text) {
    try {
        (void)requests::sizes_of(text);
    } catch (const RequestError& error) {
        return error.what();
    }
    return "";
}

TEST(Sizes, AreOneAListOrARange) {
    EXPECT_THAT(requests::sizes_of("64"), ElementsAre(64));
    EXPECT_THAT(requests::sizes_of("8,64,4KiB"), ElementsAre(8, 64, 4096));
    EXPECT_THAT(requests::sizes_of("8..64"), ElementsAre(8, 16, 32, 64));
    EXPECT_THAT(requests::sizes_of("1KiB..1MiB*32"), ElementsAre(1024, 32768, 1048576));
    EXPECT_THAT(requests::sizes_of("8..63"), ElementsAre(8, 16, 32, 63)) << "the end is always tried";
    EXPECT_THAT(requests::sizes_of("7..7"), ElementsAre(7));
    EXPECT_THAT(requests::sizes_of("8..16MiB"), SizeIs(22));
    EXPECT_THAT(requests::sizes_of("1..18446744073709551615"), SizeIs(65));
    EXPECT_THAT(requests::sizes_of("0"), ElementsAre(0));
}

TEST(Sizes, ThatAreWrongAreRefusedWithTheRightForm) {
    EXPECT_EQ(refused("16MiB..8"), "--bytes '16MiB..8': runs backwards; want 8..16MiB");
    EXPECT_EQ(refused("8,,9"), "--bytes '8,,9': a value is missing beside a comma");
    EXPECT_EQ(refused("8,8B"), "--bytes '8,8B': has '8B' twice");
    EXPECT_EQ(refused("0..8"), "--bytes '0..8': 0 times a factor stays 0; start at 1 or more");
    EXPECT_THAT(refused("8.."), HasSubstr("a range is FROM..TO"));
    EXPECT_THAT(refused("..8"), HasSubstr("a range is FROM..TO"));
    EXPECT_THAT(refused("8..64*1"), HasSubstr("'1' is too small; want at least 2"));
    EXPECT_THAT(refused("8..64*"), HasSubstr("factor missing"));
    EXPECT_THAT(refused("8..16..64"), HasSubstr("a range is FROM..TO"));
    EXPECT_EQ(refused("8..0"), "--bytes '8..0': 0 times a factor stays 0; start at 1 or more");
    EXPECT_EQ(refused("8..64*4,128"), "--bytes '8..64*4,128': a range is no part of a list; want 8,32,64,128");
    EXPECT_THAT(refused(""), HasSubstr("a value is missing"));
}

/// What is suggested is not refused when it is typed.
TEST(Packets, ThatAreTooManyAreRefusedWithTheNumberTypedAndALimitThatIsAccepted) {
    const auto told = [](const std::string& operation, const std::string& packets) {
        return kport("bench " + operation + " --on hypercube:4 --packets " + packets).err;
    };
    EXPECT_EQ(told("broadcast", "99999999999999999999"),
              "kport: --packets '99999999999999999999' is too large; want at most 4294967294\n");
    EXPECT_EQ(told("broadcast", "18446744073709551615"),
              "kport: --packets 18446744073709551615: want 1 to 4294967294\n");
    EXPECT_EQ(told("alltoall", "99999999999999999999"),
              "kport: --packets '99999999999999999999' is too large; want at most 268435455\n");
    EXPECT_EQ(told("barrier", "99999999999999999999"),
              "kport: --packets '99999999999999999999' is too large; want at most 1\n");
    EXPECT_EQ(told("broadcast", "1..1000000000000"),
              "kport: --packets '1..1000000000000' names 4294967296: want 1 to 4294967294\n");
    EXPECT_EQ(told("alltoall", "1..4294967294"),
              "kport: --packets '1..4294967294' names 268435456: want 1 to 268435455; those of all 16 nodes together "
              "have numbers of 32 bits\n");
    EXPECT_EQ(told("broadcast", "1..4,8"), "kport: --packets '1..4,8': a range is no part of a list; want 1,2,4,8\n");
    for (const char* accepted : {"broadcast --packets 4294967294", "alltoall --packets 268435455"})
        EXPECT_THAT(kport(std::string("bench --on hypercube:4 ") + accepted).err, HasSubstr("needs about"));
}

TEST(Bench, MeasuresEveryCombinationBesideItsYardsticks) {
    const Outcome outcome =
        kport("bench broadcast --sweep hypercube:{3,4} --bytes 8,64 --threads 1,2 --repetitions 2 --csv");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::istringstream lines(outcome.out);
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line,
              "name,operation,algorithm,topology,nodes,ports,bytes,engine,threads,rounds,path_sum,volume,messages,"
              "message_bytes,repetitions,median_s,low_s,high_s,ns_a_message,bytes_per_second,memcpy_s,bare_loop_s,"
              "starts,least_s,spread,speed_up,pinned,why_not,packets");
    std::set<std::string> names;
    const auto columns = std::count(line.begin(), line.end(), ',');
    while (std::getline(lines, line)) {
        names.insert(line.substr(0, line.find(',')));
        EXPECT_EQ(std::count(line.begin(), line.end(), ','), columns) << line;
    }
    EXPECT_THAT(names, SizeIs(8));
    EXPECT_EQ(*names.begin(), "broadcast/sbt/hypercube:3/1-port/64/lockstep/threads:1");
}

/// The fields that Google Benchmark's compare.py needs.
TEST(Bench, WritesTheFormatOfGoogleBenchmark) {
    const nlohmann::json json =
        kport("bench allreduce --on hypercube:3 --bytes 8 --engine free --threads 2 --repetitions 3 --json").json();
    EXPECT_TRUE(json["context"].contains("date"));
    EXPECT_TRUE(json["context"].contains("num_cpus"));
    EXPECT_EQ(json["context"]["library_build_type"], KPORT_DEBUG_BUILD ? "debug" : "release");
    ASSERT_EQ(json["benchmarks"].size(), 3U * (3 + 4))
        << "of the run, memcpy and the bare loop: repetitions, aggregates";
    const std::string name = "allreduce/exchange/hypercube:3/1-port/8/free/threads:2";
    std::set<std::string> run_names;
    std::vector<std::string> aggregates;
    for (const nlohmann::json& row : json["benchmarks"]) {
        run_names.insert(row["run_name"]);
        EXPECT_EQ(row["time_unit"], "ns");
        EXPECT_EQ(row["repetitions"], 3);
        for (const char* key : {"real_time", "cpu_time", "items_per_second", "bytes_per_second", "threads"})
            EXPECT_TRUE(row[key].is_number()) << key;
        if (row["run_type"] == "iteration")
            EXPECT_EQ(row["name"], row["run_name"]);
        else if (row["run_name"] == name)
            aggregates.push_back(row["name"]);
    }
    EXPECT_THAT(run_names, ElementsAre(name, name + "/bare_loop", name + "/memcpy"));
    EXPECT_THAT(aggregates, ElementsAre(name + "_mean", name + "_median", name + "_stddev", name + "_cv"));
}

TEST(Bench, MovesSeveralPacketsOfEachAndSumsInSegments) {
    for (const char* cell :
         {"broadcast --on hypercube:3", "scatter --on hypercube:3", "alltoall --on complete:5",
          "allreduce --on complete:6 --algorithm census", "allreduce --on complete:5 --algorithm bruck",
          "reduce-scatter --on hypercube:2", "scan --on line:5"})
        for (const char* way : {"", " --engine free", " --replay"}) {
            const Outcome outcome = kport(fmt::format("bench {} --packets 3 --repetitions 1 --csv{}", cell, way));
            EXPECT_EQ(outcome.status, 0) << cell << way << outcome.err;
            EXPECT_THAT(outcome.out, HasSubstr("/packets:3/")) << cell << way;
            EXPECT_THAT(outcome.out, testing::EndsWith(",,3\n")) << cell << way;
        }
}

TEST(Bench, SaysWhichCellsAStopHasLeftOut) {
    requests::Words words;
    words.command = "bench";
    words.subject = "broadcast";
    words.values = {{"--on", "ring:4"}, {"--bytes", "8,64"}};
    cli::Bench bench = cli::planned(words);
    cli::tell_what_was_left_out(bench);
    for (const cli::BenchCell& cell : bench.cells) EXPECT_EQ(cell.why_not, "") << "there was no stop";
    bench.stopped = true;
    bench.cells.front().measured.emplace();
    cli::tell_what_was_left_out(bench);
    EXPECT_EQ(bench.cells.front().why_not, "");
    EXPECT_THAT(bench.cells.back().why_not, testing::EndsWith(": stopped before it was measured"));
}

TEST(Bench, TakesSeveralNumbersOfPackets) {
    const std::filesystem::path folder = own_folder();
    const std::string plot = folder / "p.svg";
    const Outcome outcome = kport("bench broadcast --on ring:6 --packets 1..4 --repetitions 1 --csv --plot " + plot);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    for (const char* cell : {",,1\n", ",,2\n", ",,4\n"}) EXPECT_THAT(outcome.out, HasSubstr(cell));
    std::ifstream file(plot);
    const std::string drawn{std::istreambuf_iterator<char>(file), {}};
    EXPECT_THAT(drawn, HasSubstr("packets M"));
    std::filesystem::remove_all(folder);
}

/// Each has its own prices, so a line through the points of several would show a jump that is none.
TEST(Bench, DrawsEachAlgorithmByItsOwnCurveWhereTheBestOneChanges) {
    const std::filesystem::path folder = own_folder();
    const auto drawn = [&](const std::string& packets) {
        const std::string plot = folder / "p.svg";
        const Outcome outcome = kport("bench broadcast --on mesh:4x5 --ports all --repetitions 1 --packets " + packets +
                                      " --csv --plot " + plot);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        std::ifstream file(plot);
        return std::string{std::istreambuf_iterator<char>(file), {}};
    };
    const std::string two = drawn("1,2,4,8");
    for (const char* curve : {">dost</text>", ">edge-disjoint-trees</text>", ">measured</text>"})
        EXPECT_THAT(two, HasSubstr(curve));
    const std::string one = drawn("2,4");
    EXPECT_THAT(one, AllOf(HasSubstr(">mesh:4x5</text>"), HasSubstr(" by edge-disjoint-trees, lockstep</text>")));
    std::filesystem::remove_all(folder);
}

TEST(Bench, TakesEveryWayOfMovingForEveryWayOfMakingAnAlgorithm) {
    for (const char* operation : {"broadcast --on mesh:2x3", "gather --on hypercube:3",
                                  "allreduce --on complete:5 --algorithm reduce-broadcast"})
        for (const char* way : {"", " --engine free", " --replay"}) {
            const Outcome outcome = kport(fmt::format("bench {} --threads 2 --repetitions 1 --csv{}", operation, way));
            EXPECT_EQ(outcome.status, 0) << operation << way << outcome.err;
            const std::string word =
                *way == '\0' ? "lockstep" : std::string(way).substr(std::string(way).rfind(' ') + 1);
            EXPECT_THAT(outcome.out, HasSubstr((word == "--replay" ? "replay" : word) + "/threads:2,"));
        }
}

TEST(Bench, TakesTheOptionsOfARunThatSayWhatIsRunAndNamesThem) {
    for (const auto& [line, named] :
         {std::pair("permutation --on hypercube:4 --permutation transpose", "/transpose/"),
          std::pair("permutation --on ring:6 --permutation shift:2", "/shift:2/"),
          std::pair("broadcast --on complete:8 --algorithm tree --arity 3", "/arity:3/"),
          std::pair("broadcast --on complete:8 --algorithm scatter-allgather --packets 8 --gather ring",
                    "/gather-ring/"),
          std::pair("allgather --on complete:8 --algorithm pat --aggregate 2", "/aggregate:2/")}) {
        const Outcome json = kport(fmt::format("bench {} --repetitions 1 --json", line));
        ASSERT_EQ(json.status, 0) << line << json.err;
        EXPECT_THAT(json.json()["benchmarks"][0]["name"].get<std::string>(), HasSubstr(named));
        EXPECT_EQ(kport(fmt::format("bench {} --repetitions 1 --starts 2", line)).status, 0) << line;
    }
    const std::string text = kport("bench permutation --on hypercube:4 --permutation transpose --repetitions 1").out;
    EXPECT_THAT(text, HasSubstr("transpose"));
}

/// Where memory lies changes from start to start: repetitions of one process do not see it.
TEST(Bench, IsMeasuredInSeveralProcesses) {
    const std::string line = "bench broadcast --on hypercube:3 --threads 1,2 --repetitions 2 --starts 3";
    const Outcome csv = kport(line + " --csv");
    EXPECT_EQ(csv.status, 0) << csv.err;
    EXPECT_THAT(csv.out, HasSubstr(",broadcast,sbt,hypercube:3,8,1,64,lockstep,1,3,3,192,7,448,6,"));
    EXPECT_THAT(csv.out, HasSubstr(",1,true,,1\n")) << "one thread is as fast as one thread";
    const Outcome text = kport(line);
    EXPECT_THAT(text.out, AllOf(HasSubstr(" spread "), HasSubstr(" speed-up ")));
    EXPECT_THAT(text.out, HasSubstr("\ninterval   of the medians of 3 processes, one after the other"));
    EXPECT_THAT(text.out, HasSubstr("'-': fewer than 6 processes have none"));
    EXPECT_EQ(kport(line + " --json").json()["benchmarks"].size(), 2U * 3 * (6 + 4));
}

TEST(Starts, AreSixUnlessRepetitionsAreCounted) {
    requests::Words words;
    words.subject = "broadcast";
    words.values = {{"--sweep", "line:3 line:4"}, {"--csv", "true"}, {"--plot", "x.svg"}, {"--replay", "true"}};
    const cli::Starts usual = cli::starts_of(words);
    EXPECT_EQ(usual.count, 6U);
    EXPECT_NEAR(usual.seconds, 1.0 / 6, 1e-9) << "together as long as one";
    EXPECT_THAT(cli::command_of_one_start(words, {6, 0.25}),
                ElementsAre("kport", "bench", "broadcast", "--replay", "--sweep", "line:3", "line:4", "--json",
                            "--starts", "1", "--for", "0.250000s"));
    words.values = {{"--repetitions", "3"}};
    EXPECT_EQ(cli::starts_of(words).count, 1U);
    words.values["--starts"] = "2";
    EXPECT_EQ(cli::starts_of(words).count, 2U);
}

TEST(Load, IsWarnedOfWhereOthersHaveHalfOfTheCores) {
    EXPECT_EQ(cli::warning_of_load(0.9, 2), std::nullopt);
    EXPECT_EQ(cli::warning_of_load(8.04, 2),
              "this computer is busy: load 8.0 over the last minute on 2 cores; times will be longer");
}

TEST(Bench, ReportsWhatWasTimedAndWhichThreadsWerePinned) {
    const Outcome outcome = kport("bench scatter --on mesh:2x3 --repetitions 6");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("scatter on mesh:2x3   1 cell, 1-port full duplex, store-and-forward, source 0, "
                                       "64-byte packet\n\n"));
    EXPECT_THAT(outcome.out, HasSubstr("\ntime       of one whole run in lockstep"));
    EXPECT_THAT(outcome.out, HasSubstr("\nthreads    "));
    EXPECT_EQ(outcome.out.find("fewer than 6"), std::string::npos);
}

/// Of 5 repetitions all lie on one side of the median in 1 of 16 cases (docs/bench.md).
TEST(Bench, CallsNothingAnIntervalThatHasLessThan95Percent) {
    for (const char* how : {"--repetitions 2", "--repetitions 5", "--repetitions 9 --starts 3"}) {
        const std::string line = std::string("bench scatter --on mesh:2x3 ") + how;
        const std::string table = kport(line).out;
        EXPECT_THAT(table, HasSubstr("\ninterval   '-': fewer than 6 ")) << how;
        EXPECT_THAT(table, Not(HasSubstr(" .. "))) << how;
        EXPECT_THAT(kport(line + " --csv").out, ContainsRegex(",[0-9.e-]+,,,[0-9.e-]+,")) << how;
    }
    EXPECT_THAT(kport("bench scatter --on mesh:2x3 --repetitions 6").out, HasSubstr(" .. "));
}

TEST(Bench, DoesNotMeasureARunThatBreaksARule) {
    const Outcome outcome = kport("bench broadcast --on ring:6 --ports all --algorithm flooding");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.out, HasSubstr("not measured: broadcast/flooding/ring:6/all-port/64/lockstep"));
    EXPECT_THAT(outcome.out,
                HasSubstr("broken: NODUP (1 violation), 6 of 6 nodes hold the packet; see 'kport run broadcast --on"));
}

TEST(Bench, RefusesBeforeItMeasuresWhatDoesNotFit) {
    const Outcome alone = kport("bench broadcast --on hypercube:31 --bytes 1MiB");
    EXPECT_EQ(alone.status, 3);
    EXPECT_THAT(alone.out, IsEmpty());
    const Outcome swept = kport("bench broadcast --sweep hypercube:{2,31} --bytes 1MiB --repetitions 2");
    EXPECT_EQ(swept.status, 3);
    EXPECT_THAT(swept.out, HasSubstr("\nhypercube:2   sbt"));
    EXPECT_THAT(swept.out, HasSubstr("\nnot measured: hypercube:31 with 1048576-byte packets needs about"));
}

/// A temporary folder.
class Calibration : public testing::Test {
  protected:
    void TearDown() override { std::filesystem::remove_all(folder); }

    const std::filesystem::path folder = own_folder();
    const std::string file = (folder / "c.json").string();
};

TEST_F(Calibration, IsMadeByABenchAndUsedByARun) {
    const std::string plot = (folder / "p.svg").string();
    const Outcome made =
        kport("bench broadcast --on hypercube:3 --bytes 8,64,4KiB --threads 2 --repetitions 1 --plot " + plot +
              " --calibrate " + file);
    EXPECT_EQ(made.status, 0) << made.err;
    EXPECT_THAT(made.out, HasSubstr("calibration of broadcast by sbt, lockstep, 2 threads: "));
    EXPECT_THAT(made.out, HasSubstr(", 3 cells, mean error "));
    EXPECT_THAT(made.out, HasSubstr("   left out"));
    EXPECT_THAT(made.out, HasSubstr("   used\n"));
    EXPECT_THAT(made.out, HasSubstr("not estimated: h = r in every cell; ts stands for ts + td\n"));
    EXPECT_THAT(made.out, HasSubstr("\nlargest errors "));
    EXPECT_TRUE(std::filesystem::exists(plot));

    const std::string run = "run broadcast --on hypercube:3 --bytes 512 --threads 2 --calibrated " + file;
    const Outcome used = kport(run);
    EXPECT_EQ(used.status, 0) << used.err;
    EXPECT_THAT(used.out, HasSubstr(" warm runs): "));
    EXPECT_THAT(used.out, HasSubstr("\n        calibrated in " + file));
    const nlohmann::json json = kport(run + " --json").json();
    EXPECT_TRUE(json["calibrated"]["predicted_seconds"].is_number());
    EXPECT_TRUE(json["calibrated"]["measured_seconds"].is_number());
    EXPECT_GE(json["calibrated"]["repetitions"], 10) << "warm, as what the prices were made of";
}

TEST_F(Calibration, ThatIsMissingIsRefusedWithTheCommandThatMakesOne) {
    const Outcome outcome = kport("run broadcast --on ring:6 --threads 1 --calibrated " + file);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("no calibration of broadcast by dost, lockstep, 1 thread in '" + file + "'"));
    EXPECT_THAT(outcome.err, HasSubstr("kport bench broadcast --on ring:6 --algorithm dost --bytes 8..64KiB --engine "
                                       "lockstep --threads 1 --calibrate " +
                                       file));
}

TEST_F(Calibration, IsLookedForWhereCachesAre) {
    Place place;
    place.environment = {"XDG_CACHE_HOME=" + folder.string()};
    const Outcome outcome = kport("run broadcast --on ring:6 --calibrated", place);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr((folder / "kport" / "calibration.json").string()));
}

struct Wrong {
    const char* line;
    const char* says;
};

TEST(Bench, RefusesWrongRequests) {
    for (const Wrong& wrong : {
             Wrong{"bench broadcast --on ring:6 --payload none",
                   "kport bench takes no '--payload'; it is an option of"},
             Wrong{"bench broadcast --on ring:6 --ts 3", "kport bench takes no '--ts'"},
             Wrong{"bench broadcast --on ring:6 --repetitions 0", "--repetitions '0' is too small"},
             Wrong{"bench broadcast --on ring:6 --threads 1,1", "--threads has '1' twice"},
             Wrong{"bench broadcast --on ring:6 --bytes 64..8", "runs backwards"},
             Wrong{"bench broadcast --on ring:6 --csv --json", "want one of them"},
             Wrong{"bench broadcast --on ring:6 --replay --engine free", "--engine has no effect beside --replay"},
             Wrong{"bench scan --on hypercube:3 --replay --op concat", "change size"},
             Wrong{"bench broadcast --on ring:6 --plot p.svg", "--plot: nothing differs along the axis"},
             Wrong{"bench broadcast --on ring:6 --bytes 8,64 --plot nowhere/p.svg", "there is no folder 'nowhere'"},
             Wrong{"bench broadcast --on ring:6 --bytes 0,8 --plot p.svg", "want --bytes from 1 on"},
             Wrong{"bench broadcast --on ring:6 --calibrate /proc/kport/c.json", "its folder cannot be made"},
             Wrong{"bench broadcast --on ring:6 --calibrate /dev/full", "'/dev/full': is a device, not a file"},
             Wrong{"bench broadcast --on ring:6 --bytes 8,64 --plot p.gif",
                   "--plot 'p.gif': the picture is SVG or PNG"},
             Wrong{"run broadcast --on ring:6 --calibrated /dev/zero", "'/dev/zero': is a device, not a file"},
             Wrong{"bench broadcast --on ring:6 --calibrated", "it is an option of kport run"},
             Wrong{"bench broadcast", "--on is missing"},
             Wrong{"run broadcast --on ring:6 --repetitions 3", "it is an option of kport bench"},
             Wrong{"run broadcast --on ring:6 --bytes 8..64", "--bytes '8..64': one machine has one value"},
         }) {
        const Outcome outcome = kport(wrong.line);
        EXPECT_EQ(outcome.status, 2) << wrong.line;
        EXPECT_THAT(outcome.err, HasSubstr(wrong.says)) << wrong.line;
        EXPECT_THAT(outcome.out, IsEmpty()) << wrong.line;
    }
}

}  // namespace
}  // namespace kport::test
