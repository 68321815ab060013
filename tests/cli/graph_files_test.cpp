/// @file graph_files_test.cpp   Graphs from files at the command line: every command takes them, convert writes them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <tuple>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/nearest.hpp"
#include "tests/cli/files.hpp"
#include "tests/cli/kport.hpp"
#include "tests/oracle/table.hpp"
#include "tests/support/own_folder.hpp"

namespace kport::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
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
    EXPECT_THAT(endless.err, HasSubstr("binary file"));
}

// ---- how a file is read ------------------------------------------------------------------------------------------------

const std::string dialects = "tests/files/graphs/dialects/";

TEST(GraphFile, IsDescribedByInfoAsItWasRead) {
    const nlohmann::json csv = kport({"info", dialects + "source-target.csv", "--json"}).json();
    EXPECT_EQ(csv["format"], "edges");
    EXPECT_EQ(csv["separator"], "comma");
    EXPECT_EQ(csv["header"], true);
    EXPECT_EQ(csv["names"], nlohmann::json({"a", "b", "c"}));
    EXPECT_EQ(csv["weights"], nlohmann::json({"Weight"}));
    EXPECT_EQ(csv["notes"].size(), 3U) << csv["notes"];
    const nlohmann::json merged = kport({"info", dialects + "one-way-back.edges", "--simplify", "--json"}).json();
    EXPECT_EQ(merged["parallel_merged"], 1);
    const nlohmann::json trunks = kport({"info", dialects + "one-way-back.edges", "--trunks", "--json"}).json();
    EXPECT_EQ(trunks["links"], 2);
    EXPECT_EQ(trunks["channels"], 6);
    EXPECT_EQ(trunks["wires_0"], "1*2");
    const nlohmann::json switches = kport({"info", dialects + "switches.edges", "--json"}).json();
    EXPECT_EQ(switches["hosts"], 3);
    EXPECT_EQ(switches["switches"], 2);
    EXPECT_EQ(switches["host_diameter"], 3);
    EXPECT_EQ(switches["message_diameter"], 1);
    EXPECT_EQ(switches["host_distance_sum_0"], 5);
    EXPECT_EQ(switches["host_distance_sum_last"], 6);
    const Outcome text = kport({"info", dialects + "two-parts.edges", "--largest"});
    EXPECT_THAT(text.out, HasSubstr("2 nodes dropped: they are not in the largest connected part"));
    EXPECT_THAT(text.out, HasSubstr("no node is marked a switch"));
}

TEST(GraphFile, WithSwitchesRunsAmongItsHosts) {
    for (const char* command : {"run", "bounds", "compare", "explain"})
        EXPECT_EQ(kport({command, "broadcast", "--on", dialects + "switches.edges"}).status, 0) << command;
    EXPECT_EQ(kport({"run", "broadcast", "--on", dialects + "switches.edges", "--json"}).json()["topology"]["hosts"],
              3);
    EXPECT_EQ(kport({"show", "broadcast", "--on", dialects + "switches.edges"}).status, 0);
    EXPECT_EQ(kport({"info", "product:file:" + dialects + "switches.edges,line:2"}).status, 2);
}

TEST(GraphFile, IsReadByItsOptionsInEveryCommandAndByTheLineAgain) {
    const Outcome outcome = kport({"run", "broadcast", "--on", dialects + "two-parts.edges", "--largest"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("2 nodes dropped"));
    EXPECT_THAT(outcome.out, HasSubstr("two-parts.edges --largest --ports 1"));
    EXPECT_EQ(kport({"compare", "broadcast", "--on", dialects + "two-parts.edges", "--largest"}).status, 0);
    EXPECT_EQ(
        kport({"bench", "broadcast", "--on", dialects + "two-parts.edges", "--largest", "--repetitions", "1"}).status,
        0);
    EXPECT_THAT(kport({"run", "broadcast", "--on", dialects + "weighted.edges"}).err,
                HasSubstr("links have weights, which runs ignore: 'weight'"));
    const Outcome idle = kport("info hypercube:3 --largest");
    EXPECT_EQ(idle.status, 2);
    EXPECT_THAT(idle.err, HasSubstr("--largest has no effect here: no graph file is read"));
    EXPECT_THAT(kport("info hypercube:3 --header maybe").err, HasSubstr("want yes or no"));
}

TEST(Nodes, AreNamedByWholeNamesThenCoordinatesThenNumbers) {
    const auto source = [](const std::string& graph, const std::string& node) {
        const Outcome outcome = kport({"bounds", "broadcast", "--on", graph, "--source", node, "--json"});
        return outcome.status == 0 ? outcome.json()["source"] : nlohmann::json(outcome.err);
    };
    EXPECT_EQ(source(dialects + "plain.graph", "1"), 0);  // METIS counts from 1
    EXPECT_EQ(source(dialects + "plain.graph", "=1"), 1);
    EXPECT_EQ(source(dialects + "real-symmetric.mtx", "3"), 2);
    EXPECT_EQ(source(dialects + "coordinates.edges", "1,1"), 2);
    EXPECT_EQ(source("mesh:3x3", "=4"), 4);
    EXPECT_EQ(source("ring:5", "=4"), 4);
    const nlohmann::json one = kport("search broadcast --on mesh:3x3 --source 1,2 --json").json();
    EXPECT_EQ(one["sources"], nlohmann::json({5}));
    const nlohmann::json two = kport("search broadcast --on mesh:3x3 --source 1,2 --source 0 --json").json();
    EXPECT_EQ(two["sources"], nlohmann::json({0, 5}));
}

/// A schedule over a graph whose names are numbers of other nodes, or hold signs of the form.
TEST(Nodes, KeepTheirNamesInSchedulesOfEveryForm) {
    const std::filesystem::path folder = own_folder();
    const std::string graph = folder / "my net.csv";
    std::ofstream(graph) << "\"1\",\"New York, \"\"NY\"\"\"\n2,1\n2,\"a # -> {b}\"\n";
    for (const char* ending : {"json", "txt", "csv", "goal", "xml"}) {
        const std::string schedule = folder / fmt::format("s.{}", ending);
        const Outcome run = kport({"run", "broadcast", "--on", graph, "--source", "2", "--record", schedule});
        ASSERT_EQ(run.status, 0) << run.err;
        const Outcome check = kport({"check", schedule, "broadcast"});
        EXPECT_EQ(check.status, 0) << ending << check.out << check.err;
        EXPECT_THAT(check.out, HasSubstr("broadcast from node 2 on")) << ending;
    }
    const std::string text = folder / "s.txt";
    std::stringstream written;
    written << std::ifstream(text).rdbuf();
    EXPECT_THAT(written.str(), HasSubstr("broadcast from \"2\"\nround 1: \"2\" -> "));
    EXPECT_THAT(written.str(), HasSubstr("\"New York, \"\"NY\"\"\""));
    std::ofstream(text) << "on \"file:" << graph << "\"\nbroadcast from 2\nround 1: 2 -> 0\nround 2: 0 -> 1, 2 -> 3\n";
    EXPECT_EQ(kport({"check", text}).status, 0);  // bare digits are node numbers
    std::filesystem::remove_all(folder);
}

// ---- convert -----------------------------------------------------------------------------------------------------------

TEST(Convert, WritesAFileThatIsTheSameMachine) {
    const std::filesystem::path folder = own_folder();
    const auto hash = [](const std::string& graph) { return kport({"info", graph, "--json"}).json()["wiring_hash"]; };
    const nlohmann::json whole = hash(florentine);
    for (const char* ending : {"edges", "graphml", "gml", "dot", "json", "metis", "mtx", "g6"}) {
        const std::string path = folder / fmt::format("x.{}", ending);
        const Outcome outcome = kport({"convert", florentine, path});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        const bool names = has_word("graphml gml dot json", ending);
        EXPECT_EQ(outcome.err.empty(), names) << outcome.err;
        EXPECT_EQ(hash(path), whole) << ending;
        EXPECT_EQ(kport({"bounds", "broadcast", "--on", path, "--source", "Medici"}).status, names ? 0 : 2) << ending;
    }
    std::filesystem::remove_all(folder);
}

TEST(Convert, KeepsSwitchesTrunksAndWeightsOrSaysThatItCannot) {
    EXPECT_EQ(kport({"convert", dialects + "switches.edges", "--to", "edges"}).out,
              "# nodes 5 directed 0\n# switches 3 4\n0 3\n1 3\n2 4\n3 4\n");
    EXPECT_EQ(kport({"convert", dialects + "one-way-back.edges", "--trunks", "--to", "edges"}).out,
              "# nodes 3 directed 0\n0 1\n0 1\n1 2\n");
    EXPECT_THAT(kport({"convert", dialects + "weighted.edges", "--to", "dot"}).out, HasSubstr("0 -- 1 [\"weight\"=4]"));
    for (const auto& [file, options, what] : {std::tuple("switches.edges", "", "switches"),
                                              {"one-way-back.edges", "--trunks", "trunks"},
                                              {"weighted.edges", "", "weights"}}) {
        std::vector<std::string> words = {"convert", dialects + file, "--to", "metis"};
        if (*options != '\0') words.emplace_back(options);
        const Outcome outcome = kport(words);
        EXPECT_EQ(outcome.status, 2) << file;
        EXPECT_THAT(outcome.err, HasSubstr(fmt::format("metis cannot hold the {} of", what)));
    }
    EXPECT_EQ(kport({"convert", dialects + "weighted.edges", "--simplify", "--to", "metis"}).out, "3 2\n2\n1 3\n2\n");
    const std::filesystem::path folder = own_folder();
    std::ofstream(folder / "x.csv") << "from,to\na,b\n";
    EXPECT_EQ(kport({"convert", folder / "x.csv", "--to", "metis"}).out, "% 1 a\n% 2 b\n2 1\n2\n1\n");
    std::filesystem::remove_all(folder);
    EXPECT_THAT(kport("convert petersen --to pajek").err, HasSubstr("graphs are only read from pajek"));
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

// ---- limits of ports by an attribute of the nodes

const std::string hub = "tests/files/graphs/ports/p-hub.graphml";    // node 0 has 4:2, all others 1:1
const std::string sink = "tests/files/graphs/ports/p-sink.graphml";  // node 1 has 0:1

TEST(PortsByAttribute, LimitEachNodeInRunsBoundsAndRecords) {
    Files files;
    const std::string path = files.add("hub.json", "");
    const Outcome ran = kport("run broadcast --on " + hub + " --ports-by ports --record " + path);
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("ports kept (as node attribute 'ports' says)"));
    EXPECT_THAT(ran.out, HasSubstr(" --ports-by ports"));
    const nlohmann::json json = kport("run broadcast --on " + hub + " --ports-by ports --json").json();
    EXPECT_EQ(json["measured"]["rounds"], 1);
    EXPECT_EQ(json["bounds"]["rounds"], 1);
    EXPECT_EQ(json["machine"]["ports_by"], "ports");
    const Outcome judged = kport({"check", path, "--json"});
    EXPECT_EQ(judged.status, 0) << judged.err;
    EXPECT_EQ(judged.json()["machine"], json["machine"]);
    EXPECT_EQ(kport("run broadcast --on " + hub + " --json").json()["measured"]["rounds"], 4) << "1-port";
    const std::string text =
        "on " + hub + "\ngather to 0\nround 1: 1 -> 0 {1}, 2 -> 0 {2}\nround 2: 3 -> 0 {3}, 4 -> 0 {4}\n";
    const std::string gathered = files.add("gather.txt", text);
    EXPECT_EQ(kport({"check", gathered, "--ports-by", "ports"}).status, 0);
    const Outcome broken = kport({"check", gathered});
    EXPECT_EQ(broken.status, 1);
    EXPECT_THAT(broken.out, HasSubstr("receives more than 1 message in round 1"));
}

TEST(PortsByAttribute, LeaveNodesWithoutSendsWhereNoneIsNeeded) {
    EXPECT_EQ(kport("run broadcast --on " + sink + " --ports-by ports").status, 0);
    EXPECT_EQ(kport("run scatter --on " + sink + " --ports-by ports --combining off").status, 0);
    const Outcome all = kport("run allgather --on " + sink + " --ports-by ports");
    EXPECT_EQ(all.status, 3);
    EXPECT_THAT(all.err, HasSubstr("node 1 has to send and has no sends: ports '0:1'; want at least 1"));
    EXPECT_EQ(kport("bounds reduce --on " + sink + " --ports-by ports").status, 3);
    EXPECT_EQ(kport("run broadcast --on " + sink + " --ports-by ports --source 1").status, 3);
    EXPECT_EQ(kport("run broadcast --on ring:4 --ports 0:1").status, 3);
    EXPECT_EQ(kport("run broadcast --on ring:4 --ports 1:0").status, 3);
    EXPECT_EQ(kport("run broadcast --on line:1 --ports 0:1").status, 0);
    EXPECT_EQ(kport("run permutation --on ring:4 --permutation shift:0 --ports 0:1").status, 0);
}

TEST(PortsByAttribute, AreRefusedWhereTheyAreNoLimits) {
    Files files;
    const std::string wrong =
        files.add("wrong.gml", "graph [ node [ id 0 p \"2:1:1\" ] node [ id 1 p \"1\" ] edge [ source 0 target 1 ] ]");
    const Outcome refused = kport({"run", "broadcast", "--on", wrong, "--ports-by", "p"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err,
                HasSubstr("--ports-by 'p': node 0 has '2:1:1'; want S:R or K, each a number or all, such as 2:1"));
    const std::string uneven =
        files.add("uneven.gml", "graph [ node [ id 0 p \"2:1\" ] node [ id 1 ] edge [ source 0 target 1 ] ]");
    EXPECT_EQ(kport({"run", "broadcast", "--on", uneven, "--ports-by", "p"}).status, 0);
    EXPECT_THAT(kport({"run", "broadcast", "--on", uneven, "--ports-by", "p", "--duplex", "half"}).err,
                HasSubstr("ports '2:1' of node 0: half duplex ports have as many sends as receives"));
}

TEST(PortsByAttribute, ArePartOfWhatASearchAsks) {
    const nlohmann::json json = kport("search allgather --on " + hub + " --ports-by ports --json").json();
    EXPECT_EQ(json["rounds_minimum"], 3) << "of tests/oracle/tables/ports.csv";
    EXPECT_EQ(json["machine"]["ports_by"], "ports");
    EXPECT_EQ(json["lawful"], true);
    EXPECT_THAT(kport("search broadcast --on " + hub + " --ports-by ports").out,
                HasSubstr("1-port, ports by 'ports': exactly 1 round"));
    EXPECT_EQ(
        kport("search broadcast --on " + hub + " --ports-by ports --switching wh --json").json()["rounds_minimum"], 1);
    EXPECT_EQ(kport("search broadcast --on " + sink + " --ports-by ports --source 1").status, 3);
}

TEST(PortsByAttribute, StayWithTheNodesThatAreLeft) {
    const std::string mixed = "tests/files/graphs/ports/p-mixed.graphml";
    Files files;
    const std::string path = files.add("left.json", "");
    const nlohmann::json left =
        kport("run broadcast --on " + mixed + " --ports-by ports --broken 1 --record " + path + " --json").json();
    EXPECT_EQ(left["verdict"], "all rules kept, 5 of 5 nodes hold the packet");
    EXPECT_EQ(left["measured"]["rounds"], 2) << "node 0 sends two, node 3, which was number 3, up to three";
    EXPECT_EQ(kport({"check", path}).status, 0);
    EXPECT_EQ(kport("run broadcast --on " + mixed + " --broken 1 --json").json()["measured"]["rounds"], 3) << "1-port";
    EXPECT_EQ(kport("search broadcast --on " + mixed + " --ports-by ports --broken 1 --json").json()["rounds_minimum"],
              2);
    const std::string slow = "run broadcast --on " + mixed + " --ports-by ports --broken 1 --slow 3--4=5 --td 1 --json";
    EXPECT_EQ(kport(slow).status, 0);
    const nlohmann::json worst = kport("tolerance broadcast --on " + mixed + " --ports-by ports --json").json();
    EXPECT_EQ(worst["rounds_before"], 2);
    EXPECT_EQ(worst["rounds_worst"], 3);
    EXPECT_EQ(kport("tolerance broadcast --on " + mixed + " --ports-by ports --nodes 1 --algorithm layered").status, 0);
    EXPECT_EQ(kport("run broadcast --on " + mixed + " --ports-by ports --broken 0--1 --unaware").status, 1);
}

// ---- capacities by an attribute of the links

const std::string trunked = "tests/files/graphs/prices/w-trunks.edges";

TEST(CapacityByAttribute, MakesTrunks) {
    const nlohmann::json info = kport("info " + trunked + " --capacity-by weight --json").json();
    EXPECT_EQ(info["links"], 3);
    EXPECT_EQ(info["channels"], 10);
    EXPECT_EQ(info["wires_0"], "1*3 2");
    const std::string scatter = "run scatter --on " + trunked + " --ports all --combining off --packets 3 --json";
    EXPECT_EQ(kport(scatter + " --capacity-by weight").json()["bounds"]["rounds"], 2);
    EXPECT_EQ(kport(scatter).json()["bounds"]["rounds"], 3);
    EXPECT_THAT(kport("run scatter --on " + trunked + " --capacity-by weight").err, testing::Not(HasSubstr("ignore")));
    EXPECT_THAT(kport("run scatter --on " + trunked).err, HasSubstr("links have weights, which runs ignore: 'weight'"));
}

TEST(CapacityByAttribute, RefusesWhatIsNoCapacity) {
    Files files;
    const auto refused = [&](const std::string& text, const std::string& options = "--capacity-by weight") {
        const Outcome outcome = kport("info " + files.add("x.edges", text) + " " + options);
        EXPECT_EQ(outcome.status, 2) << outcome.out;
        return outcome.err;
    };
    EXPECT_THAT(refused("a b 1\nb c 0\n"),
                HasSubstr("the link between 'b' and 'c' has 0; want a whole number of messages a round, 1 or more"));
    EXPECT_THAT(refused("a b 1\nb c 2.5\n"), HasSubstr("has 2.5; want a whole number"));
    EXPECT_THAT(refused("a b 1\nb c 5e9\n"), HasSubstr("want a whole number"));
    EXPECT_THAT(refused("a b {'lanes': 2}\nb c {}\n", "--capacity-by lanes"),
                HasSubstr("the link between 'b' and 'c' has no such attribute; want it on every link"));
    EXPECT_THAT(refused("a b 1\nb c 2\n", "--capacity-by wieght"), HasSubstr("did you mean 'weight'?"));
    EXPECT_THAT(refused("a b\nb c\n"), HasSubstr("want a file whose links have one"));
    EXPECT_THAT(refused("a b 1\nb c 2\n", "--capacity-by weight --trunks"), HasSubstr("want one of them"));
}

// ---- prices by attributes of the links

const std::string priced = "tests/files/graphs/prices/";

TEST(LinkPricesByAttribute, AreInRunsBoundsReportsAndRecords) {
    Files files;
    const std::string path = files.add("sites.json", "");
    const std::string line =
        "run broadcast --on " + priced + "w-sites.edges --td-by weight --ts 1 --td 1 --tm 0 --slow 0--1=2";
    const Outcome ran = kport(line + " --record " + path);
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("td by 'weight', slow '0--1=2'"));
    EXPECT_THAT(ran.out, HasSubstr("prices  ts = 1, td = 1, tm = 0; a link costs 1 to 20 td, 1 to 2 tm\n"));
    EXPECT_THAT(ran.err, Not(HasSubstr("ignore"))) << "the only weight is a price";
    const nlohmann::json json = kport(line + " --json").json();
    EXPECT_EQ(json["costs"]["td_by"], "weight");
    EXPECT_EQ(json["machine"]["slow"], nlohmann::json({"0--1=2"}));
    EXPECT_EQ(json["measured"]["latency"], 15) << "over one of the long links, 13, and 2 for a short one";
    EXPECT_EQ(json["bounds"]["latency"], 15);
    const nlohmann::json judged = kport({"check", path, "--ts", "1", "--td", "1", "--tm", "0", "--json"}).json();
    EXPECT_EQ(judged["measured"]["latency"], 15) << "the record says which attribute and which parts";
    EXPECT_EQ(judged["machine"], json["machine"]);
    const nlohmann::json free = kport(line + " --engine free --json").json();
    EXPECT_EQ(free["measured"]["latency"], 15);
    const std::string other = "run broadcast --on " + priced + "w-wan.graphml --td-by latency";
    EXPECT_THAT(kport(other).err, HasSubstr("links have weights, which runs ignore: 'gbps'"));
}

TEST(LinkPricesByAttribute, AreChosenByAndPredicted) {
    // A star of links of different prices: the order of sends decides nothing, but a second port does.
    const nlohmann::json all =
        kport("run broadcast --on " + priced + "w-star5.edges --td-by weight --td 1 --tm 0 --ports all --json").json();
    EXPECT_EQ(all["measured"]["latency"], 5);
    EXPECT_EQ(all["bounds"]["latency"], 5);
    const nlohmann::json explained = kport("explain broadcast --on ring:6 --td 1 --slow 0--1=50 --json").json();
    for (const nlohmann::json& candidate : explained["choice"]["candidates"])
        if (candidate.contains("predicted")) {
            EXPECT_GE(candidate["predicted"]["latency"], explained["bounds"]["latency"]) << candidate;
        }
}

TEST(LinkPricesByAttribute, AreThoseOfTheLinksThatAreLeft) {
    const std::string line =
        "run broadcast --on " + priced + "w-ring6.edges --td-by weight --ts 1 --td 1 --tm 0 --json";
    const nlohmann::json json = kport(line + " --broken 3").json();  // the line 4 5 0 1 2 with prices 1 3 1 1
    EXPECT_EQ(json["measured"]["latency"], 8);
    EXPECT_EQ(json["bounds"]["latency"], 8) << "3 rounds of 2, and one that reaches 5 over the link of 3";
}

TEST(LinkPricesByAttribute, AreRefusedWhereTheyAreNoPrices) {
    Files files;
    EXPECT_THAT(kport("run broadcast --on " + priced + "w-wan.graphml --td-by latncy").err,
                HasSubstr("have no attribute 'latncy' with finite numbers; did you mean 'latency'? (latency, gbps)"));
    const auto refused = [&](const std::string& text, const std::string& option, const std::string& by) {
        const std::string file = files.add("g.gml", text);
        const Outcome outcome = kport({"run", "broadcast", "--on", file, option, by});
        EXPECT_EQ(outcome.status, 2) << text;
        return outcome.err;
    };
    const std::string nodes = "graph [ node [ id 0 ] node [ id 1 ] node [ id 2 ] edge [ source 0 target 1 w 2 ] ";
    EXPECT_THAT(refused(nodes + "edge [ source 1 target 2 ] ]", "--td-by", "w"),
                HasSubstr("--td-by 'w': the link between 1 and 2 has no such attribute; want it on every link"));
    EXPECT_THAT(refused(nodes + "edge [ source 1 target 2 w -1 ] ]", "--td-by", "w"),
                HasSubstr("--td-by 'w': the link between 1 and 2 has factor -1 on td; want a number from 0"));
    EXPECT_THAT(refused(nodes + "edge [ source 1 target 2 w 0 ] ]", "--tm-by", "w"),
                HasSubstr("has factor 0 on tm; want a number above 0"));
    EXPECT_THAT(refused(nodes + "edge [ source 1 target 2 w 0 ] ]", "--td-by", "1/w"),
                HasSubstr("has factor inf on td"));
    EXPECT_THAT(refused(nodes + "edge [ source 1 target 2 w \"nan\" ] ]", "--td-by", "w"),
                HasSubstr("has no such attribute; want it on every link"));
}

/// The links of hypercube:4, whose node v is called 5v + 3 mod 16; `moved`: one link leads elsewhere.
std::string shuffled_cube(bool moved = false) {
    std::string text;
    for (unsigned v = 0; v < 16; ++v)
        for (unsigned bit = 0; bit < 4; ++bit) {
            const unsigned w = v ^ (1U << bit);
            if (v < w)
                text += fmt::format("{} {}\n", (5 * v + 3) % 16, (5 * (moved && v == 0 && bit == 3 ? 15 : w) + 3) % 16);
        }
    return text;
}

/// Without what the names of machine and command say.
nlohmann::json counts_of(const std::string& line) {
    const Outcome outcome = kport(line + " --json");
    if (outcome.status != 0) return outcome.err;
    const nlohmann::json json = outcome.json();
    return {{"algorithm", json["algorithm"]}, {"measured", json["measured"]}, {"bounds", json["bounds"]}};
}

TEST(GraphFileOfAFamily, HasItsAlgorithmsAndBoundsUnderWhateverNumbers) {
    Files files;
    const std::string cube = files.add("cube.edges", shuffled_cube());
    for (const char* operation : {"broadcast", "scatter", "gather", "reduce", "allgather", "alltoall", "reduce-scatter",
                                  "allreduce", "barrier"}) {
        const std::string line = fmt::format("run {} --ports 2 --on ", operation);
        EXPECT_EQ(counts_of(line + cube), counts_of(line + "hypercube:4")) << operation;
    }
    const Outcome run = kport("run broadcast --algorithm sbt --source 5 --on " + cube);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("broadcast from node 5 on file:" + cube));
    EXPECT_THAT(run.out, HasSubstr("16 nodes (it is hypercube:4 under other numbers), 64 channels"));
    EXPECT_THAT(run.out, HasSubstr("again   kport run broadcast --on file:" + cube + " --ports 1 --algorithm sbt"));
    EXPECT_THAT(run.out, HasSubstr(" --source 5\n"));
    const nlohmann::json json = kport("run broadcast --json --on " + cube).json();
    EXPECT_EQ(json["topology"]["family"], "hypercube:4");
    EXPECT_EQ(json["topology"]["spec"], "file:" + cube);
    EXPECT_FALSE(json.contains("members"));
    EXPECT_THAT(kport("info " + cube).out, HasSubstr("it is hypercube:4 under other numbers"));
}

TEST(GraphFileOfAFamily, RunsWithoutARootWhereTheFamilysFirstNodeIsNotTheFiles) {
    Files files;
    const std::string line = files.add("line.edges", "0 1\n0 2\n");
    const std::string mesh = files.add("mesh.edges", "0 2\n0 3\n0 5\n1 2\n1 4\n2 6\n3 6\n3 7\n4 6\n5 7\n");
    for (const std::string& file : {line, mesh})
        for (const char* how : {"--combining off", "--pairwise", "--switching wh"})
            for (const char* operation : {"allgather", "alltoall", "reduce-scatter", "allreduce", "barrier"}) {
                const std::string command = fmt::format("run {} --on {} {}", operation, file, how);
                const Outcome run = kport(command);
                EXPECT_EQ(run.status, 0) << command << run.err;
                EXPECT_THAT(run.out, Not(HasSubstr("--source"))) << command;
            }
}

TEST(GraphFileOfAFamily, IsRecordedAndDrawnUnderTheNumbersOfTheFile) {
    Files files;
    const std::string cube = files.add("cube.edges", shuffled_cube());
    for (const char* operation : {"broadcast", "scatter", "alltoall", "allreduce", "reduce-scatter"})
        for (const char* ending : {"txt", "json", "csv"}) {
            const std::string record = files.folder() + "/r." + ending;
            const nlohmann::json run =
                kport(fmt::format("run {} --on {} --packets 2 --json --record {}", operation, cube, record)).json();
            const nlohmann::json judged = kport("check " + record + " --json").json();
            EXPECT_EQ(judged["verdict"], run["verdict"]) << operation << " as " << ending;
            EXPECT_EQ(judged["measured"], run["measured"]) << operation << " as " << ending;
        }
    ASSERT_EQ(kport("run broadcast --on " + cube + " --source 5 --record " + files.folder() + "/r.txt").status, 0);
    std::ifstream record(files.folder() + "/r.txt");
    const std::string text((std::istreambuf_iterator<char>(record)), {});
    EXPECT_THAT(text, HasSubstr("broadcast from 5\nround 1: 5 -> "));
    EXPECT_EQ(kport("show broadcast --on " + cube + " --source 5").status, 0);
}

TEST(GraphFileOfAFamily, IsTheSameOnAnyNumberOfThreads) {
    Files files;
    const std::string cube = files.add("cube.edges", shuffled_cube());
    const auto report = [&](const std::string& how) {
        return kport("run alltoall --on " + cube + " --reproducible --per-round" + how).out;
    };
    EXPECT_EQ(report(" --threads 2"), report(" --threads 1"));
    EXPECT_EQ(report(" --threads 5"), report(" --threads 1"));
}

TEST(GraphFileOfAFamily, IsTakenAsItIsWhereALinkLeadsElsewhereOrNumbersMeanSomething) {
    Files files;
    const std::string moved = files.add("moved.edges", shuffled_cube(true));
    const Outcome refused = kport("run broadcast --algorithm sbt --on " + moved);
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("'sbt' needs a hypercube"));
    const std::string cube = files.add("cube.edges", shuffled_cube());
    for (const char* how : {"scan", "permutation --permutation shift:1", "allreduce --op maxloc",
                            "broadcast --slow 0--8=2", "scatter --counts 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16",
                            "broadcast --broken 3--8", "neighbor-allgather", "broadcast --sources 1,2"}) {
        const Outcome outcome = kport(fmt::format("run {} --on {}", how, cube));
        EXPECT_EQ(outcome.status, 0) << how << outcome.err;
        EXPECT_THAT(outcome.out, Not(HasSubstr("under other numbers"))) << how;
    }
}

TEST(GraphFileOfAFamily, HasThePortsThatItsNodesHaveInTheFile) {
    Files files;
    const auto rounds_where = [&](unsigned two_ports) {  // the line 0 2 1 3 4
        std::string text = "graph [\n";
        for (unsigned v = 0; v < 5; ++v) text += fmt::format("node [ id {} p \"{}\" ]\n", v, v == two_ports ? 2 : 1);
        for (const auto& [a, b] : {std::pair(0, 2), std::pair(2, 1), std::pair(1, 3), std::pair(3, 4)})
            text += fmt::format("edge [ source {} target {} ]\n", a, b);
        const std::string line = files.add("line.gml", text + "]\n");
        const nlohmann::json json = kport("run broadcast --source 1 --ports-by p --json --on " + line).json();
        EXPECT_EQ(json["topology"]["family"], "line:5");
        return json["measured"]["rounds"].get<int>();
    };
    EXPECT_EQ(rounds_where(1), 2) << "node 1 sends to both sides at once";
    EXPECT_EQ(rounds_where(2), 3) << "node 2 is in the middle of the family";
}

}  // namespace
}  // namespace kport::test
