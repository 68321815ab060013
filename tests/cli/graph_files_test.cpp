/// @file graph_files_test.cpp   Graphs from files at the command line: every command takes them, convert writes them.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/kport.hpp"
#include "tests/oracle/table.hpp"
#include "tests/support/own_folder.hpp"

namespace kport::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

const std::string florentine = "tests/files/graphs/florentine.graphml";

TEST(GraphFile, RunsAndIsToldWithTheNamesOfItsNodes) {
    const Outcome outcome = kport({"run", "broadcast", "--on", florentine, "--source", "Medici"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, StartsWith("broadcast from node 8 (Medici) on file:" + florentine));
    EXPECT_THAT(outcome.out, HasSubstr("eccentricity of node 8 (Medici)"));
    EXPECT_THAT(outcome.out, HasSubstr("15 of 15 nodes hold the packet"));
    const Outcome broken = kport({"run", "broadcast", "--on", florentine, "--ports", "all", "--algorithm", "flooding"});
    EXPECT_EQ(broken.status, 1);
    EXPECT_THAT(broken.out, HasSubstr("NODUP broken: node 6 (Guadagni) receives packet 0 again"));
    EXPECT_THAT(broken.out, HasSubstr("again   kport run broadcast --on file:" + florentine + " --ports all"));
}

TEST(GraphFile, IsRepeatedByItsCommandWhateverItsPathAndNames) {
    const std::filesystem::path folder = own_folder();
    const std::string path = folder / "my 'net'.edges";
    std::ofstream(path) << "1 2\n2 3\n3 1\n";
    const Outcome outcome =
        kport({"run", "broadcast", "--on", path, "--source", "3", "--ports", "all", "--algorithm", "flooding"});
    EXPECT_THAT(outcome.out, HasSubstr("from node 2 (3) on file:" + path));
    const std::string begin = "again   ";
    const std::size_t at = outcome.out.find(begin) + begin.size();
    const std::string again = outcome.out.substr(at, outcome.out.find('\n', at) - at);
    EXPECT_THAT(again, HasSubstr(R"(--on 'file:)" + folder.string() + R"(/my '\''net'\''.edges')"));
    EXPECT_THAT(again, EndsWith(" --source 3"));  // the name, since 2 is that of another node
    std::filesystem::remove_all(folder);
}

TEST(GraphFile, IsTakenByEveryCommandThatTakesAMachine) {
    for (const char* command : {"compare", "bounds", "explain"}) {
        const Outcome outcome = kport({command, "scatter", "--on", "file:" + florentine, "--source", "Pazzi"});
        EXPECT_EQ(outcome.status, 0) << command << outcome.err;
        EXPECT_THAT(outcome.out, HasSubstr("9 (Pazzi)")) << command;
    }
    const Outcome many = kport(
        {"compare", "broadcast", "--sweep", "tests/files/graphs/karate.metis tests/files/graphs/geant.edges", "--csv"});
    EXPECT_EQ(many.status, 0) << many.err;
    EXPECT_THAT(many.out, HasSubstr("file:tests/files/graphs/geant.edges"));
    EXPECT_THAT(kport("list topologies").out, HasSubstr("file:PATH"));
    EXPECT_THAT(kport("list formats").out, HasSubstr(".metis .graph"));
}

TEST(GraphFile, HasNoBoundAboveTheExactMinimumAndNoRunBelow) {
    for (const oracle::Row& row : oracle::table("graphs"))
        for (const auto& [column, ports] :
             {std::pair("broadcast_1port_by_source", "1"), {"broadcast_2port_by_source", "2"}}) {
            const std::vector<std::string> exact = words(row[column]);
            ASSERT_EQ(exact.size(), row.number("nodes")) << row.place();
            for (const std::size_t source : {std::size_t{0}, exact.size() / 2, exact.size() - 1}) {
                const Outcome outcome = kport({"run", "broadcast", "--on", "tests/files/graphs/" + row["name"] + ".dot",
                                               "--source", fmt::to_string(source), "--ports", ports, "--json"});
                ASSERT_EQ(outcome.status, 0) << row.place() << outcome.err;
                const nlohmann::json report = outcome.json();
                EXPECT_LE(report["bounds"]["rounds"].get<double>(), std::stod(exact[source])) << row.place();
                EXPECT_GE(report["measured"]["rounds"].get<double>(), std::stod(exact[source])) << row.place();
            }
        }
}

TEST(GraphFile, IsPutUnderStress) {
    const Outcome outcome = kport({"stress", "--on", florentine, "--cases", "60", "--seed", "3"});
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("60 cases on file:" + florentine));
    EXPECT_THAT(outcome.out, HasSubstr("machines  file 60"));
    EXPECT_THAT(kport({"stress", "--on", florentine, "--nodes", "9"}).err, HasSubstr("leave --nodes out"));
    const Outcome wrong = kport({"stress", "--on", "petersen", "--operation", "broadcast", "--algorithm", "sbt"});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_THAT(wrong.err, HasSubstr("random machines on petersen suits"));
}

TEST(GraphFile, ThatIsWrongEndsInOneLineWithStatus2) {
    for (const auto& file : std::filesystem::directory_iterator("tests/files/graphs/bad")) {
        const Outcome outcome = kport({"run", "broadcast", "--on", file.path().string()});
        EXPECT_EQ(outcome.status, 2) << file.path();
        EXPECT_EQ(outcome.out, "") << file.path();
        EXPECT_THAT(outcome.err, StartsWith("kport: graph '" + file.path().string() + "': "));
        EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    }
    const Outcome endless = kport("info /dev/zero");
    EXPECT_EQ(endless.status, 2);
    EXPECT_THAT(endless.err, HasSubstr("a word of more than 4096 bytes"));
}

// ---- convert -----------------------------------------------------------------------------------------------------------

TEST(Convert, WritesAFileThatIsTheSameMachine) {
    const std::filesystem::path folder = own_folder();
    const auto hash = [](const std::string& graph) { return kport({"info", graph, "--json"}).json()["wiring_hash"]; };
    const nlohmann::json whole = hash(florentine);
    for (const char* ending : {"edges", "graphml", "dot", "metis", "mtx", "g6"}) {
        const std::string path = folder / fmt::format("x.{}", ending);
        const Outcome outcome = kport({"convert", florentine, path});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        const bool names = std::string(ending) == "graphml" || std::string(ending) == "dot";
        EXPECT_EQ(outcome.err.empty(), names) << outcome.err;
        EXPECT_EQ(hash(path), whole) << ending;
        EXPECT_EQ(kport({"bounds", "broadcast", "--on", path, "--source", "Medici"}).status, names ? 0 : 2) << ending;
    }
    std::filesystem::remove_all(folder);
}

TEST(Convert, WritesToStandardOutputWhatTheFormatIsNamed) {
    const Outcome dot = kport("convert mesh:1x2 --to dot");
    EXPECT_EQ(dot.status, 0);
    EXPECT_EQ(dot.out, "graph \"mesh:1x2\" {\n  0 [label=\"0,0\"];\n  1 [label=\"0,1\"];\n  0 -- 1;\n}\n");
    EXPECT_EQ(kport("convert line:3 --to metis").out, "3 2\n2\n1 3\n2\n");
    EXPECT_EQ(kport("convert line:3 - --to metis").out, "3 2\n2\n1 3\n2\n");
    EXPECT_EQ(kport("convert line:3 --to edges").out, "# nodes 3 directed 0\n0 1\n1 2\n");
    EXPECT_EQ(kport("convert complete:3 --to graph6").out, "Bw\n");
    EXPECT_EQ(kport("convert line:3 --to mm").out,
              "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n");
}

TEST(Convert, SaysWhatIsWrong) {
    const std::vector<std::pair<std::string, std::string>> told = {
        {"convert", "kport convert needs a graph or a schedule, such as petersen"},
        {"convert petersen", "into which format? --to FORMAT, or a file whose ending says it"},
        {"convert petersen x.y", "the ending of 'x.y' names no format; want --to FORMAT"},
        {"convert petersen --to dott", "unknown format 'dott'; did you mean 'dot'?"},
        {"convert petersn --to dot", "did you mean 'petersen'?"},
        {"convert petersen /no/such/folder/x.dot", "'/no/such/folder/x.dot': there is no folder '/no/such/folder'"},
        {"convert petersen / --to dot", "'/': is a folder; want a file"},
        {"convert nothing --to json", "schedule 'nothing' cannot be opened: No such file"},
        {"convert nothing.txt x.csv", "schedule 'nothing.txt' cannot be opened: No such file"},
        {"convert nothing.txt --to dot", "graph 'nothing.txt' cannot be read: No such file"},
        {"convert mesh:2 --to json", "json is a form of schedules, and 'mesh:2' is a graph"},
        {"convert petersen --json", "kport convert takes no '--json'"}};
    for (const auto& [line, text] : told) {
        const Outcome outcome = kport(line);
        EXPECT_EQ(outcome.status, 2) << line;
        EXPECT_THAT(outcome.err, HasSubstr(text)) << line;
    }
    EXPECT_EQ(kport("convert hypercube:40 --to dot").status, 3);
    EXPECT_EQ(kport("convert ring:100000 --to graph6").status, 3);
}

}  // namespace
}  // namespace kport::test
