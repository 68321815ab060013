/// @file mpi_test.cpp   kport under mpirun prints what one process prints, and refuses what it cannot do (docs/ranks.md). For each
///                      MPI for which there is a plug-in.
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kport {
namespace {

constexpr int status_of_timeout = 124;

struct Printed {
    int status = 0;
    std::string text;  ///< without lines that contain a time
};

/// mpirun hands on both outputs in any order: so the report alone, or with the errors.
Printed printed_by(const std::string& command, bool with_errors) {
    const std::string whole = "timeout 60 env " + command + (with_errors ? " 2>&1" : " 2>/dev/null");
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(whole.c_str(), "r"), [](FILE*) { return 0; });
    Printed printed;
    std::array<char, 4096> line{};
    bool about_ranks = false;  // what each rank has done, which one process does not report
    while (std::fgets(line.data(), line.size(), pipe.get()) != nullptr) {
        const std::string text = line.data();
        if (about_ranks) about_ranks = text.starts_with("      ");
        about_ranks |= text.starts_with("ranks   ") || text.find("\"ranks\": [") != std::string::npos;
        if (about_ranks) continue;
        if (text.starts_with("    ]")) continue;  // the end of "ranks", among "engine"
        const auto tells_time = [&](const char* word) { return text.find(word) != std::string::npos; };
        if (!tells_time("chip  ") && !tells_time("seconds") && !tells_time("peak_rss") && !tells_time("nanoseconds") &&
            !tells_time("threads"))
            printed.text += text;
    }
    printed.status = WEXITSTATUS(pclose(pipe.get()));
    return printed;
}

class UnderMpirun : public testing::TestWithParam<std::string> {
  protected:
    static std::string started(int ranks, const std::string& arguments) {
        const std::string options =
            GetParam() == "openmpi" ? " -q --oversubscribe --allow-run-as-root --bind-to none" : "";
        return fmt::format("mpirun.{}{} -n {} " KPORT_PROGRAM " {}", GetParam(), options, ranks, arguments);
    }
};

TEST_P(UnderMpirun, PrintsWhatOneProcessPrints) {
    for (
        const char* arguments : {
            "run broadcast --on hypercube:14 --ports all --per-round",
            "run allreduce --on hypercube:13 --algorithm exchange --threads 1",  // letters of many pieces
            "run scatter --on hypercube:8 --partition-nodes 1 --json",
            "run gather --on mesh:5x5 --partition-nodes 2 --duplex half",
            "run broadcast --on mesh:9x9 --switching wh --partition-nodes 1",
            "run reduce --on hypercube:5 --op concat --type string --partition-nodes 1",
            "run alltoall --on torus:5x5 --partition-nodes 1",
            "run scan --on mesh:3x4 --algorithm tree --order preorder --op concat --type string --partition-nodes 1",
            "run broadcast --on line:16384 --partition-nodes 8192",  // rank 0 runs more rounds alone than the others wait for
            "run broadcast --on mesh:4x4 --until 3 --partition-nodes 1",
            "run broadcast --on mesh:4x4 --max-rounds 2 --partition-nodes 1",
            "run broadcast --on hypercube:4 --source 99",
            "bounds broadcast --on mesh:4x5",
        }) {
        const Printed alone = printed_by(KPORT_PROGRAM " " + std::string(arguments), false);
        for (const int ranks : {2, 3}) {
            const Printed here = printed_by(started(ranks, arguments), false);
            EXPECT_EQ(here.text, alone.text) << arguments << ", " << ranks << " ranks";
            EXPECT_EQ(here.status, alone.status) << arguments << ", " << ranks << " ranks";
        }
    }
}

TEST_P(UnderMpirun, ComparesAlgorithmsThatAllRanksRun) {
    const Printed compared = printed_by(started(3, "compare broadcast --on hypercube:13"), false);
    EXPECT_EQ(compared.status, 0);
    EXPECT_THAT(compared.text, testing::HasSubstr("all rows: verdict all rules kept, 8192 of 8192 nodes"));
    EXPECT_THAT(compared.text, testing::ContainsRegex("\nsbt +13 +8191 +13 +832 +13.832"));
}

TEST_P(UnderMpirun, RefusesWhatIsForOneProcessInALine) {
    for (const char* arguments :
         {"stress --cases 1 --inject drop", "explain broadcast --on ring:8", "run broadcast --on ring:8 --engine free",
          "run broadcast --on ring:8 --inject drop", "run broadcast --on ring:8 --order 1"}) {
        const Printed refused = printed_by(started(2, arguments), true);
        EXPECT_EQ(refused.status, 2) << arguments;
        EXPECT_THAT(refused.text, testing::HasSubstr("for one process")) << arguments;
    }
}

TEST_P(UnderMpirun, ReportsARefusalOnceAndEndsWithItsStatus) {
    const std::string file = testing::TempDir() + "kport-record-of-ranks-" + GetParam() + ".xml";
    // The run is stopped, status 4, and then rank 0 finds that it cannot be written, status 2.
    const Printed refused = printed_by(started(3,
                                               "run barrier --on star:6 --algorithm tree-exchange --until 1 "
                                               "--partition-nodes 1 --record " +
                                                   file),
                                       true);
    EXPECT_EQ(refused.status, 2);
    EXPECT_EQ(refused.text, "kport: MSCCL's XML is not written of barrier; text and JSON are\n");
}

TEST_P(UnderMpirun, RunsTheCasesOfStressByAllRanks) {
    const Printed told = printed_by(started(3, "stress --seed 3 --cases 40 --nodes 16"), false);
    EXPECT_EQ(told.status, 0);
    EXPECT_THAT(told.text, testing::HasSubstr("no flaw was found"));
    EXPECT_THAT(told.text, testing::ContainsRegex("[1-9][0-9]* runs by 3 ranks"));
}

TEST_P(UnderMpirun, TracesWhatTheThreadsOfEachRankDid) {
    const std::string file = testing::TempDir() + "kport-trace-of-ranks-" + GetParam() + ".json";
    EXPECT_EQ(
        printed_by(started(2, "run broadcast --on hypercube:4 --partition-nodes 1 --trace " + file), false).status, 0);
    std::ifstream trace(file);
    const std::string text{std::istreambuf_iterator<char>(trace), {}};
    EXPECT_THAT(text, testing::HasSubstr("measured time (this computer), other in every run: threads of rank 1"));
    EXPECT_THAT(text, testing::HasSubstr(R"("pid":3,"tid":0,"ts":)"));
    std::remove(file.c_str());
}

TEST_P(UnderMpirun, NamesARankThatWasStartedWithOtherArguments) {
    const std::string first = started(1, "run broadcast --on ring:8");
    const Printed refused = printed_by(first + " : -n 1 " KPORT_PROGRAM " run broadcast --on ring:9", true);
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.text, testing::HasSubstr("rank 1 runs another kport than rank 0, or with other arguments"));
}

TEST_P(UnderMpirun, EndsWhereARankIsAnotherProgram) {
    for (const char* other : {"/bin/true", "/bin/false"}) {
        const Printed ended = printed_by(started(1, "run broadcast --on ring:8") + " : -n 1 " + other, true);
        EXPECT_NE(ended.status, 0) << other;
        EXPECT_NE(ended.status, status_of_timeout) << other;
    }
}

TEST_P(UnderMpirun, IsTheMpiThatKportMpiSays) {
    const std::string run = started(2, "run broadcast --on ring:8");
    const std::string other = GetParam() == "openmpi" ? "mpich" : "openmpi";
    EXPECT_EQ(printed_by("KPORT_MPI=" + GetParam() + " " + run, true).status, 0);
    const Printed refused = printed_by("KPORT_MPI=" + other + " " + run, true);
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.text, testing::AnyOf(testing::HasSubstr("says 2 ranks, and the " + other),
                                             testing::HasSubstr("finds no libkport-" + other)));
    const Printed unknown = printed_by("KPORT_MPI=lam " + run, true);
    EXPECT_EQ(unknown.status, 2);
    EXPECT_THAT(unknown.text, testing::StartsWith("kport: KPORT_MPI is 'lam'; want openmpi, mpich or off\n"));
    EXPECT_EQ(unknown.text.find("lam"), unknown.text.rfind("lam")) << "one rank says it";
    const Printed twice = printed_by("KPORT_MPI=off " + run, true);
    EXPECT_EQ(twice.status, 0);
    EXPECT_NE(twice.text.find("broadcast from node 0"), twice.text.rfind("broadcast from node 0"));
}

TEST_P(UnderMpirun, EndsWhereARankHasTooLittleMemory) {
    const std::string run = "run broadcast --on hypercube:23 --payload none --ports all";
    const std::string with_little = " sh -c 'ulimit -v 450000; exec " KPORT_PROGRAM " " + run + "'";
    const Printed second = printed_by(started(1, run) + " : -n 1" + with_little, true);
    EXPECT_EQ(second.status, 3);
    EXPECT_THAT(second.text, testing::ContainsRegex("rank 1 on .*: hypercube:23 .* needs about .* are available"));
    const Printed first = printed_by(started(1, run) + " : -n 1 " KPORT_PROGRAM " " + run, true);
    EXPECT_EQ(first.status, 0) << first.text;
}

TEST_P(UnderMpirun, EndsWithAStatusThatIsNot0AfterCtrlC) {
    /// Before the ranks run, MPICH's launcher may end with 0 whatever they end with: then once more, later.
    const auto interrupted_run = [] {
        for (const int seconds : {2, 4, 8, 16}) {
            const Printed ended =
                printed_by(fmt::format("timeout --preserve-status --signal=INT {} {}", seconds,
                                       started(2, "run broadcast --on line:100000000 --payload none")),
                           true);
            if (ended.text.find("before there was anything to tell") == std::string::npos) return ended;
        }
        return Printed{0, "no run began within 16 s"};
    };
    for (int i = 0; i < 4; ++i) {
        const Printed ended = interrupted_run();
        EXPECT_NE(ended.status, 0) << ended.text;
        EXPECT_NE(ended.status, status_of_timeout) << "it went on until its time was over";
    }
}

TEST_P(UnderMpirun, EndsWhereARankIsKilled) {
    const Printed ended =
        printed_by(started(1, "run broadcast --on line:100000000 --payload none --max-rounds 100000000") +
                       " : -n 1 sh -c 'sleep 1; kill -9 $$'",
                   true);
    EXPECT_NE(ended.status, 0);
    EXPECT_NE(ended.status, status_of_timeout) << "it went on until its time was over";
}

INSTANTIATE_TEST_SUITE_P(Plugins, UnderMpirun, testing::ValuesIn(std::vector<std::string>{KPORT_MPIS}),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace kport
