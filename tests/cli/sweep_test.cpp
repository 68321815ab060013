/// @file sweep_test.cpp   kport compare on many machines: --sweep, and options with several values.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/requests/several.hpp"
#include "emulator/base/error.hpp"
#include "tests/cli/files.hpp"
#include "tests/cli/kport.hpp"
#include "tests/support/own_folder.hpp"

namespace kport::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

using Texts = std::vector<std::string>;

TEST(Swept, IsAListOrARange) {
    EXPECT_THAT(requests::swept("line:{9,17,33}"), ElementsAre("line:9", "line:17", "line:33"));
    EXPECT_THAT(requests::swept("hypercube:{2..5}"),
                ElementsAre("hypercube:2", "hypercube:3", "hypercube:4", "hypercube:5"));
    EXPECT_THAT(requests::swept("line:{10..35..10}"), ElementsAre("line:10", "line:20", "line:30"));
    EXPECT_THAT(requests::swept("line:{7..7}"), ElementsAre("line:7"));
    EXPECT_THAT(requests::swept("line:{7}"), ElementsAre("line:7"));
    EXPECT_THAT(requests::swept("mesh:{2,3}x9"), ElementsAre("mesh:2x9", "mesh:3x9"));
    EXPECT_THAT(requests::swept("line:{18446744073709551614..18446744073709551615}"), SizeIs(2));
    EXPECT_THAT(requests::swept("hypercube:{1..10000}"), SizeIs(requests::machines_max));
}

TEST(Swept, RepeatsTheNumberBeforeEmptyBraces) {
    EXPECT_THAT(requests::swept("mesh:{4,16}x{}"), ElementsAre("mesh:4x4", "mesh:16x16"));
    EXPECT_THAT(requests::swept("torus:{2..3}x{}x5x{}"), ElementsAre("torus:2x2x5x5", "torus:3x3x5x5"));
}

TEST(Swept, AcceptsTheListOfAShellExpansion) {
    EXPECT_THAT(requests::swept("hypercube:2 hypercube:3"), ElementsAre("hypercube:2", "hypercube:3"));
    EXPECT_EQ(requests::swept("mesh:4x{} mesh:8x{}"), requests::swept("mesh:{4,8}x{}"));
    EXPECT_THAT(requests::swept(" hypercube:{2,3}  ring:8 "), ElementsAre("hypercube:2", "hypercube:3", "ring:8"));
}

TEST(Swept, EndsAtTenThousandMachinesWithoutMakingMore) {
    for (const char* text : {"line:{1..10001}", "line:{0..18446744073709551615}", "line:{1..9999} ring:{1,2}"})
        EXPECT_THROW((void)requests::swept(text), RequestError) << text;
    EXPECT_THAT(requests::swept("line:{1..4}", 4), SizeIs(4));
    EXPECT_THROW((void)requests::swept("line:{1..5}", 4), RequestError);
}

/// The columns of the rows that follow a heading, as far as they are words without spaces.
std::vector<Texts> rows(const std::string& text) {
    std::istringstream in(text.substr(text.find("\n\n") + 2));
    std::vector<Texts> found;
    for (std::string line; std::getline(in, line);) found.push_back(words(line));
    return found;
}

TEST(Sweep, HasARowForEachAlgorithmAndNumberOfPackets) {
    const Outcome outcome =
        kport("compare broadcast --on ring:6 --combining off --packets 1,4,16 --algorithm chain,alternating");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, StartsWith("broadcast on ring:6   3 machines, 1-port full duplex, store-and-forward, "
                                        "noncombining, source 0, 64-byte packet\n"));
    const std::vector<Texts> table = rows(outcome.out);
    const auto begins = [](const Texts& row) { return Texts(row.begin(), row.begin() + 4); };
    ASSERT_THAT(table, SizeIs(7)) << outcome.out;
    for (const auto& [i, m] : {std::pair(1U, 1U), std::pair(3U, 4U), std::pair(5U, 16U)}) {
        EXPECT_THAT(begins(table[i]), ElementsAre(std::to_string(m), "chain", std::to_string(m + 4), testing::_));
        EXPECT_THAT(begins(table[i + 1]),
                    ElementsAre(std::to_string(m), "alternating", std::to_string(m + 2), std::to_string(m + 2)));
    }
    const auto json = kport("compare broadcast --on ring:6 --packets 1..16*4 --algorithm chain --json").json();
    ASSERT_EQ(json["machines"].size(), 3U);
    EXPECT_EQ(json["machines"][2]["varied"]["packets"], "16");
    EXPECT_EQ(json["machines"][2]["packets"], 16);
}

TEST(Sweep, ComparesTheAlgorithmsThatAreNamedWhereTheyApply) {
    const auto json = kport("compare broadcast --on mesh:3x3 --algorithm dost,layered,sbt --json").json();
    ASSERT_EQ(json["runs"].size(), 2U);
    EXPECT_EQ(json["runs"][0]["algorithm"], "dost");
    ASSERT_EQ(json["not_applicable"].size(), 1U);
    EXPECT_EQ(json["not_applicable"][0]["algorithm"], "sbt");
    EXPECT_THAT(kport("compare broadcast --on hypercube:3 --packets 1,8 --algorithm sbt,scatter-allgather").out,
                testing::EndsWith("\n\npackets   not applicable      reason\n"
                                  "1         scatter-allgather   needs --packets 8 or more, one for each node\n"));
    EXPECT_THAT(kport("compare broadcast --on mesh:3x3 --algorithm sbt,msbt").err,
                HasSubstr("no algorithm of broadcast runs on mesh:3x3"));
    EXPECT_THAT(kport("compare broadcast --on mesh:3x3 --algorithm dost,pat").err,
                HasSubstr("algorithm 'pat' is not one of broadcast"));
}

TEST(Sweep, IsDrawnOverThePackets) {
    const std::filesystem::path folder = own_folder();
    const std::filesystem::path picture = folder / "packets.svg";
    const Outcome ran =
        kport("compare broadcast --on hypercube:3 --packets 1..64 --combining off --plot " + picture.string());
    ASSERT_EQ(ran.status, 0) << ran.err;
    std::ifstream in(picture);
    EXPECT_THAT((std::string{std::istreambuf_iterator<char>(in), {}}), HasSubstr("packets M"));
    std::filesystem::remove_all(folder);
}

TEST(Sweep, HasARowForEachMachineAndAlgorithmBesideItsBounds) {
    const Outcome outcome = kport("compare broadcast --sweep mesh:{3,4}x{} --algorithm controlled-flooding");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_THAT(outcome.out, StartsWith("broadcast   2 machines, 1-port full duplex, store-and-forward, source 0, "
                                        "64-byte packet\n\ntopology   algorithm             rounds   bound   work"));
    const std::vector<Texts> table = rows(outcome.out);
    ASSERT_THAT(table, SizeIs(3));
    const auto begins = [](const Texts& row) { return Texts(row.begin(), row.begin() + 12); };
    EXPECT_THAT(begins(table[1]), ElementsAre("mesh:3x3", "controlled-flooding", "6", "4", "8", "8", "6", "4", "384",
                                              "256", "6.384", "4.256"));
    EXPECT_THAT(begins(table[2]), ElementsAre("mesh:4x4", "controlled-flooding", "9", "6", "15", "15", "9", "6", "576",
                                              "384", "9.576", "6.384"));
    EXPECT_THAT(outcome.out, HasSubstr("all rules kept, all delivered\n"));
}

TEST(Sweep, RunsWhatAppliesToEachMachine) {
    const nlohmann::json json = kport("compare broadcast --sweep hypercube:2 complete:5 --json").json();
    EXPECT_EQ(json["varies"], nlohmann::json({"topology"}));
    ASSERT_EQ(json["machines"].size(), 2U);
    EXPECT_EQ(json["machines"][0]["runs"][0]["algorithm"], "sbt");
    EXPECT_EQ(json["machines"][1]["runs"][0]["algorithm"], "rda");
    EXPECT_EQ(json["machines"][1]["varied"]["topology"], "complete:5");
    EXPECT_EQ(json["machines"][1]["not_applicable"][0]["algorithm"], "sbt");
    EXPECT_EQ(json["stopped"], false);
}

TEST(Sweep, GivesForEachMachineTheFiguresOfItsOwnCompare) {
    nlohmann::json swept =
        kport("compare broadcast --sweep torus:{3,4}x{} --source 1,1 --ports 2 --json").json()["machines"][1];
    nlohmann::json alone = kport("compare broadcast --on torus:4x4 --source 1,1 --ports 2 --json").json();
    swept.erase("varied");
    for (nlohmann::json* json : {&swept, &alone})
        for (nlohmann::json& run : (*json)["runs"]) run.erase("engine");
    EXPECT_EQ(swept, alone);
}

TEST(Sweep, EndsWithTheWorstOfItsRuns) {
    EXPECT_EQ(kport("compare broadcast --sweep ring:{5,6} --ports all --algorithm flooding").status, 1);
    EXPECT_EQ(kport("compare broadcast --sweep line:{5,6} --ports all --algorithm flooding").status, 0);
}

TEST(Sweep, ShowsInEachRowTheBrokenRules) {
    EXPECT_THAT(kport("compare broadcast --sweep ring:{5,6} --ports all --algorithm flooding").out,
                HasSubstr("broken: NODUP, NOHO (4 violations), 5 of 5 nodes hold the packet\n"));
}

TEST(Machines, AreEveryCombinationOfTheValuesGiven) {
    const Outcome outcome = kport(
        "compare broadcast --sweep line:{8,9} --switching wh --ports 1 --keep smaller,greater --combining on,off");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const std::vector<Texts> table = rows(outcome.out);
    ASSERT_THAT(table, SizeIs(9));
    const auto begins = [](const Texts& row) { return Texts(row.begin(), row.begin() + 4); };
    EXPECT_THAT(begins(table[0]), ElementsAre("topology", "combining", "keep", "algorithm"));
    EXPECT_THAT(begins(table[1]), ElementsAre("line:8", "on", "smaller", "rda-product"));
    EXPECT_THAT(begins(table[2]), ElementsAre("line:8", "on", "greater", "rda-product"));
    EXPECT_THAT(begins(table[3]), ElementsAre("line:8", "off", "smaller", "rda-product"));
    EXPECT_THAT(begins(table[8]), ElementsAre("line:9", "off", "greater", "rda-product"));
}

TEST(Machines, DifferWithoutASweep) {
    const nlohmann::json json =
        kport("compare broadcast --on mesh:5x5 --source 2,2 --ports 1,2,all --algorithm dost --json").json();
    EXPECT_EQ(json["varies"], nlohmann::json({"ports"}));
    std::vector<int> rounds;
    for (const auto& machine : json["machines"]) rounds.push_back(machine["runs"][0]["measured"]["rounds"]);
    EXPECT_THAT(rounds, ElementsAre(6, 4, 4));
    EXPECT_THAT(kport("compare broadcast --on line:9 --switching sf,wh").out,
                StartsWith("broadcast on line:9   2 machines, 1-port full duplex, source 0, 64-byte packet\n\n"
                           "switching   algorithm "));
}

std::vector<double> latencies(const nlohmann::json& json) {
    std::vector<double> found;
    for (const auto& machine : json["machines"]) found.push_back(machine["runs"][0]["measured"]["latency"]);
    return found;
}

TEST(Machines, DifferInBytesAndPrices) {
    const nlohmann::json json =
        kport("compare broadcast --on hypercube:3 --algorithm sbt --bytes 1000..2000 --ts 0,1 --td 0,0.5 --json")
            .json();
    EXPECT_EQ(json["varies"], nlohmann::json({"bytes", "ts", "td"}));
    EXPECT_EQ(json["machines"][1]["varied"], nlohmann::json({{"bytes", "1000"}, {"ts", "0"}, {"td", "0.5"}}));
    EXPECT_THAT(latencies(json), ElementsAre(3, 4.5, 6, 7.5, 6, 7.5, 9, 10.5)) << "3 rounds of ts + td + bytes / 1000";
}

TEST(Machines, DifferInTheirSources) {
    EXPECT_THAT(latencies(kport("compare broadcast --on line:5 --source all --algorithm dost --tm 0 --json").json()),
                ElementsAre(4, 3, 3, 3, 4));
    const std::string mesh = "compare broadcast --on mesh:3x3 --algorithm dost --tm 0 --json --source ";
    const nlohmann::json json = kport(mesh + "0,0;1,1;8").json();
    EXPECT_EQ(json["varies"], nlohmann::json({"source"}));
    EXPECT_EQ(json["machines"][1]["varied"]["source"], "1,1");
    EXPECT_EQ(latencies(json), latencies(kport(mesh + "0,4,8").json())) << "three numbers are no coordinates here";
    EXPECT_FALSE(kport(mesh + "1,1").json().contains("varies")) << "one node, by its coordinates";
    EXPECT_EQ(kport(mesh + "1,5").err,
              "kport: source '1,5': mesh:3x3 has nodes 0 to 8, or i,j with i < 3, j < 3; several nodes: --source "
              "'1;5'\n");
    EXPECT_THAT(kport("compare broadcast --on mesh:3x3 --source 1;5").out,
                StartsWith("broadcast on mesh:3x3   2 sources, 1-port "));
}

TEST(Machines, OfASweepHaveTheirOwnSources) {
    const nlohmann::json json =
        kport("compare broadcast --sweep line:3 mesh:2x2 --source 0,1 --algorithm dost --json").json();
    EXPECT_EQ(json["varies"], nlohmann::json({"topology", "source"}));
    std::vector<std::string> sources;
    for (const auto& machine : json["machines"]) sources.push_back(machine["varied"]["source"]);
    EXPECT_THAT(sources, ElementsAre("0", "1", "0,1")) << "of a mesh 0,1 are the coordinates of one node";
}

std::string plot_of(const std::string& arguments) {
    const std::filesystem::path folder = own_folder();
    const std::filesystem::path file = folder / "plot.svg";
    const Outcome outcome = kport("compare " + arguments + " --plot " + file.string());
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::ifstream in(file);
    std::string svg{std::istreambuf_iterator<char>(in), {}};
    std::filesystem::remove_all(folder);
    return svg;
}

TEST(APlot, HasACurveForEachAlgorithmOverTheNumberThatVaries) {
    const std::string svg = plot_of("broadcast --on hypercube:4 --td 0,0.5,1 --ports 1,all");
    for (const char* text : {">broadcast on hypercube:4, full duplex, store-and-forward, source 0, 64-byte packet<",
                             ">td, the cost of a hop<", ">latency at ts = 1, tm = 0.001<", ">sbt, 1-port<",
                             ">sbt, all-port (as sbt, 1-port)<", ">lower bound<"})
        EXPECT_THAT(svg, HasSubstr(text));
    EXPECT_THAT(plot_of("broadcast --on hypercube:4 --bytes 8..1KiB"), HasSubstr(">512 B<"));
    EXPECT_THAT(plot_of("broadcast --on line:9 --source all"), HasSubstr(">source<"));
    EXPECT_THAT(plot_of("broadcast --sweep line:{4,8,16} ring:{4,16}"), HasSubstr(">dost, ring<"));
}

TEST(APlot, DrawsTheQuantityThatIsAskedFor) {
    EXPECT_THAT(plot_of("broadcast --sweep line:{4,8,16} --plot-of rounds"), HasSubstr(">rounds<"));
    EXPECT_THAT(plot_of("scatter --on hypercube:4 --bytes 8,64 --plot-of volume"), HasSubstr(">volume (bytes)<"));
    const auto same = [](const std::string& by) { return plot_of("broadcast --on hypercube:4 --ts 1,2" + by); };
    EXPECT_EQ(same(" --plot-of latency"), same(""));
}

/// The texts of an SVG at a height, from left to right.
std::vector<std::string> texts_at(const std::string& svg, const std::string& y) {
    static const std::regex text(R"re(<text x="([0-9.]+)" y="([0-9.]+)"[^>]*>([^<]*)</text>)re");
    std::map<double, std::string> found;
    for (auto at = std::sregex_iterator(svg.begin(), svg.end(), text); at != std::sregex_iterator(); ++at)
        if ((*at)[2] == y) found[std::stod((*at)[1])] = (*at)[3];
    std::vector<std::string> texts;
    for (const auto& [x, says] : found) texts.push_back(says);
    return texts;
}

TEST(APlot, HasNumbersOfPortsInTheirOrderAndAllLast) {
    const std::string ports = "broadcast --on mesh:5x5 --source 12 --plot-of rounds --ports ";
    const std::string svg = plot_of(ports + "all,3,1,2");
    const std::string line_of_places = "466.0";  // below the field
    EXPECT_THAT(texts_at(svg, line_of_places), ElementsAre("1", "2", "3", "all"));
    EXPECT_THAT(svg, HasSubstr(">ports that a node uses in a round<"));
    EXPECT_THAT(svg, HasSubstr(">dost<")) << "a curve for each algorithm, not for each number of ports";
    EXPECT_EQ(svg, plot_of(ports + "all,3,1,2 --plot-over ports"));
    EXPECT_THAT(texts_at(plot_of("broadcast --on mesh:3x3 --ports 2:1,1,1:2"), line_of_places),
                ElementsAre("1", "1:2", "2:1"));
}

TEST(APlot, HasWordsOfAnyListedOptionAsPlacesWithoutLines) {
    for (const auto& [option, along] : std::map<std::string, std::string>{{"switching sf,wh", "switching"},
                                                                          {"combining on,off", "combining"},
                                                                          {"duplex full,half", "duplex of nodes"},
                                                                          {"links full,half", "duplex of links"},
                                                                          {"noho wide,strict", "NOHO"},
                                                                          {"policy queue,strict", "policy"}}) {
        const std::string svg = plot_of("scatter --on mesh:4x4 --" + option);
        EXPECT_THAT(svg, HasSubstr(">" + along + "<"));
        const std::string words = option.substr(option.find(' ') + 1);
        EXPECT_THAT(texts_at(svg, "466.0"),
                    ElementsAre(words.substr(0, words.find(',')), words.substr(words.find(',') + 1)));
        EXPECT_THAT(svg, Not(HasSubstr("<polyline"))) << option << ": nothing lies between two words";
    }
    EXPECT_THAT(plot_of("broadcast --on line:9 --switching wh --keep smaller,greater --algorithm rda-product"),
                HasSubstr(">greater<"));
}

TEST(APlot, HasTheAxisThatIsNamedAndCurvesForAllElse) {
    const std::string line = "scatter --on hypercube:4 --bytes 8,64 --td 0,1 --algorithm sbt --plot-over ";
    EXPECT_THAT(plot_of(line + "td"),
                testing::AllOf(HasSubstr(">sbt, 8 bytes<"), HasSubstr(">td, the cost of a hop<")));
    EXPECT_THAT(plot_of(line + "bytes"), testing::AllOf(HasSubstr(">sbt, td = 1<"), HasSubstr(">bytes of a packet<")));
}

// A chain takes many rounds, but each further packet one more only; rda takes four rounds a packet.
TEST(APlot, MarksWhereCurvesCrossAsTheReportSays) {
    const std::string line = "allgather --on complete:16 --bytes 1..1KiB --algorithm ring,bruck --ts 0 --tm 1 ";
    const std::filesystem::path folder = own_folder();
    const std::string to = " --plot " + (folder / "plot.svg").string();
    const nlohmann::json none = kport("compare " + line + "--json" + to).json()["crossings"];
    EXPECT_EQ(none, nlohmann::json::array()) << "they coincide";
    const std::string crossing = "broadcast --on complete:16 --packets 1..64 --combining off --algorithm rda,chain ";
    const nlohmann::json json = kport("compare " + crossing + "--json" + to).json();
    ASSERT_EQ(json["crossings"].size(), 1U);
    const nlohmann::json& one = json["crossings"][0];
    EXPECT_EQ(one["lower_before"], "rda");
    EXPECT_EQ(one["lower_after"], "chain");
    std::map<std::pair<std::string, std::string>, double> latency;
    for (const nlohmann::json& machine : json["machines"])
        for (const nlohmann::json& run : machine["runs"])
            latency[{machine["varied"]["packets"], run["algorithm"]}] = run["measured"]["latency"];
    const auto at = [&](const char* end, const char* who) {
        return latency.at({fmt::to_string(one[end].get<std::uint64_t>()), one[who]});
    };
    EXPECT_LT(at("from", "lower_before"), at("from", "lower_after"));
    EXPECT_GT(at("to", "lower_before"), at("to", "lower_after"));
    const std::string where =
        fmt::format("rda / chain: between {} and {}", one["from"].get<int>(), one["to"].get<int>());
    EXPECT_THAT(plot_of(crossing), testing::AllOf(HasSubstr("<g class=\"crossing\"><title>" + where + "</title>"),
                                                  HasSubstr(">1  " + where + "<")));
    EXPECT_THAT(kport("compare " + crossing + to).out,
                HasSubstr(fmt::format("rda            chain         between {} and {}\n", one["from"].get<int>(),
                                      one["to"].get<int>())));
    EXPECT_FALSE(kport("compare " + crossing + "--json").json().contains("crossings")) << "of a plot alone";
    std::filesystem::remove_all(folder);
}

TEST(APlot, IsTheAnswerWhereItsFileIsADash) {
    const std::string line = "broadcast --on mesh:3x3 --ports 1,2";
    EXPECT_EQ(kport("compare " + line + " --plot -").out, plot_of(line));
    EXPECT_THAT(kport("compare broadcast --on complete:8 --message 8..64 --plot -").out, StartsWith("<svg "));
    EXPECT_THAT(kport("explain broadcast --on complete:8 --message 64 --plot -").out, StartsWith("<svg "));
    EXPECT_FALSE(std::filesystem::exists("-"));
}

// Every cell is the quotient of the table's two columns; what cannot run on a machine is said to be so.
TEST(CompareManyMachines, DrawsAlgorithmsByMachinesAsAMatrixOfRunOverBound) {
    const std::string line = "broadcast --sweep mesh:2x4 complete:8 ring:8";
    const std::string svg = plot_of(line + " --plot-as matrix --plot-of rounds");
    const nlohmann::json json = kport("compare " + line + " --json").json();
    std::size_t cells = 0;
    for (const nlohmann::json& machine : json["machines"])
        for (const nlohmann::json& run : machine["runs"]) {
            const double ratio = run["measured"]["rounds"].get<double>() / machine["bounds"]["rounds"].get<double>();
            const std::string name =
                run["algorithm"].get<std::string>() + " on " + machine["varied"]["topology"].get<std::string>();
            EXPECT_THAT(svg, HasSubstr(fmt::format("<title>{}: {:.3g}, ", name, ratio)));
            ++cells;
        }
    EXPECT_GT(cells, 5U);
    EXPECT_THAT(svg, HasSubstr(">optimal<"));
    EXPECT_THAT(svg, HasSubstr(": -, does not run here</title>"));
    EXPECT_THAT(plot_of("broadcast --sweep ring:{5,6} --plot-as matrix"), HasSubstr("latency at ts = 1"));
}

/// The nodes of a map, panel by panel: fill and tooltip.
std::vector<std::pair<std::string, std::string>> nodes_of_map(const std::string& svg) {
    static const std::regex node(R"re(<circle [^>]*fill="([^"]*)"[^>]*><title>([^<]*)</title>)re");
    std::vector<std::pair<std::string, std::string>> nodes;
    for (auto at = std::sregex_iterator(svg.begin(), svg.end(), node); at != std::sregex_iterator(); ++at)
        nodes.emplace_back((*at)[1], (*at)[2]);
    return nodes;
}

// Every node of every panel has the value of the table, and equal values have one colour, which the legend names.
TEST(AMap, ColoursEachNodeByWhatItCostsAsTheSource) {
    const std::string line = "broadcast --on mesh:3x3 --source all --algorithm dost,dost-nearest-first";
    const std::string svg = plot_of(line + " --plot-as map --plot-of rounds");
    const nlohmann::json json = kport("compare " + line + " --json").json();
    const auto nodes = nodes_of_map(svg);
    ASSERT_THAT(nodes, SizeIs(27));
    std::map<int, std::string> fills;
    std::map<std::string, std::string> classes;  // what the legend says of a colour
    const std::regex sample(R"re(<circle [^>]*fill="(#[^"]*)"[^>]*/>\n<text [^>]*>([0-9]+)(?: to ([0-9]+))?</text>)re");
    for (auto at = std::sregex_iterator(svg.begin(), svg.end(), sample); at != std::sregex_iterator(); ++at)
        classes[(*at)[1]] = (*at)[2].str() + "-" + ((*at)[3].matched ? (*at)[3] : (*at)[2]).str();
    for (int v = 0; v < 9; ++v) {
        const nlohmann::json& machine = json["machines"][v];
        const int bound = machine["bounds"]["rounds"];
        const std::vector<int> of_panel = {bound, machine["runs"][0]["measured"]["rounds"],
                                           machine["runs"][1]["measured"]["rounds"]};
        for (std::size_t panel = 0; panel < 3; ++panel) {
            const auto& [fill, says] = nodes[9 * panel + static_cast<std::size_t>(v)];
            const std::string with_bound = panel == 0 ? "" : fmt::format(", bound {}", bound);
            EXPECT_THAT(says, StartsWith(fmt::format("from node {}", v)));
            EXPECT_THAT(says, testing::EndsWith(fmt::format(": rounds {}{}", of_panel[panel], with_bound)));
            EXPECT_EQ(fills.emplace(of_panel[panel], fill).first->second, fill) << of_panel[panel];
            ASSERT_TRUE(classes.contains(fill)) << fill;
            const std::string& range = classes[fill];
            EXPECT_GE(of_panel[panel], std::stoi(range));
            EXPECT_LE(of_panel[panel], std::stoi(range.substr(range.find('-') + 1)));
        }
    }
    for (const char* text : {">lower bound<", ">dost<", ">dost-nearest-first<", ">by source: rounds<", ">rounds<"})
        EXPECT_THAT(svg, HasSubstr(text));
    EXPECT_THAT(svg, Not(HasSubstr("no run from there"))) << "a legend of what occurs";
    EXPECT_THAT(svg, HasSubstr(">dost: 4 from 9 sources, optimal from all of them<"));
}

TEST(AMap, LeavesNodesWhiteThatAreNoSourcesAndMarksBrokenRuns) {
    const std::string some = plot_of("broadcast --on ring:6 --source 0,2 --algorithm farthest-first --plot-as map");
    EXPECT_THAT(some, HasSubstr(">no run from there<"));
    EXPECT_THAT(nodes_of_map(some)[1], testing::Pair("#ffffff", "node 1: no run from there"));
    const Outcome broken =
        kport("compare broadcast --on ring:4 --ports all --source all --algorithm flooding --plot-as map --plot -");
    EXPECT_EQ(broken.status, 1);
    EXPECT_THAT(broken.out, HasSubstr(">breaks rules, does not deliver, or fails<"));
    EXPECT_THAT(broken.out, HasSubstr(">flooding: no lawful run<"));
    EXPECT_THAT(broken.out, HasSubstr("stroke=\"#c8002d\" stroke-width=\"2.6\"><title>node 0: breaks rules"));
}

TEST(APlot, OfAGraphInAFileNamesNoFolderAndEscapesSigns) {
    Files files;
    const std::string file = files.add("a & <b>.edges", "0 1\n1 2\n2 0\n2 3\n");
    for (const char* form : {"--source all --plot-as map", "--ports 1,2", "--ports 1,2 --plot-as matrix"}) {
        std::vector<std::string> words = {"compare", "broadcast", "--on", file, "--plot", "-"};
        std::istringstream more(form);
        for (std::string word; more >> word;) words.push_back(word);
        const std::string svg = kport(words).out;
        EXPECT_THAT(svg, testing::ContainsRegex("broadcast on file:a &amp; &lt;b(>|&gt;).edges")) << form;
        EXPECT_THAT(svg, Not(HasSubstr(files.folder()))) << form;
    }
}

TEST(APlot, LeavesOutWhatBreaksARule) {
    const std::filesystem::path folder = own_folder();
    const std::filesystem::path file = folder / "plot.svg";
    const Outcome outcome =
        kport("compare broadcast --on ring:6 --ports all --algorithm flooding --ts 1,2 --plot " + file.string());
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.err, "kport: --plot: no run kept all rules; nothing is drawn\n");
    EXPECT_FALSE(std::filesystem::exists(file));
    std::filesystem::remove_all(folder);
}

/// The fields of the lines of a CSV whose last field alone may stand in quotes.
std::vector<Texts> csv(const std::string& text) {
    std::istringstream lines(text);
    std::vector<Texts> table;
    for (std::string line; std::getline(lines, line);) {
        table.emplace_back();
        std::string field;
        bool in_quotes = false;
        for (const char c : line + ",") {
            if (c == '"') in_quotes = !in_quotes;
            if (c != ',' || in_quotes)
                field += c;
            else
                table.back().push_back(std::exchange(field, ""));
        }
    }
    return table;
}

TEST(Csv, HasTheSameColumnsForEveryComparison) {
    const std::vector<Texts> one = csv(kport("compare broadcast --on line:5 --algorithm dost --csv").out);
    const std::vector<Texts> many =
        csv(kport("compare broadcast --sweep line:{5,6} --switching sf,wh --ports 1 --csv").out);
    EXPECT_EQ(one[0], many[0]);
    EXPECT_THAT(one[0], SizeIs(36));
    ASSERT_THAT(one, SizeIs(2));
    for (const Texts& row : many) EXPECT_THAT(row, SizeIs(36));
    const Texts row(one[1].begin(), one[1].begin() + 27);
    EXPECT_THAT(row,
                ElementsAre("broadcast", "line:5", "5", "8", "1", "full", "sf", "on", "queue", "", "0", "64", "1", "0",
                            "0.001", "dost", "4", "4", "4", "4", "4", "4", "256", "256", "4.256", "4.256", "4"));
    EXPECT_EQ(one[1][28], "true");
    EXPECT_THAT(Texts(one[1].begin() + 29, one[1].begin() + 32), ElementsAre("full", "false", "wide"));
    EXPECT_EQ(one[1][32], "\"all rules kept, 5 of 5 nodes hold the packet\"");
    EXPECT_THAT(Texts(one[1].begin() + 33, one[1].end()), ElementsAre("0", "0", "1"));
}

TEST(Sweep, LooksAtEveryMachineBeforeTheFirstRun) {
    const Outcome too_large = kport("compare broadcast --sweep hypercube:{3,39}");
    EXPECT_EQ(too_large.status, 3);
    EXPECT_THAT(too_large.err, StartsWith("kport: hypercube:39 has 549755813888 nodes; "));
    EXPECT_EQ(too_large.out, "");
    const Outcome no_such_node = kport("compare broadcast --sweep line:{20000000,4} --payload none --source 5");
    EXPECT_EQ(no_such_node.status, 2);
    EXPECT_EQ(no_such_node.err, "kport: source '5': line:4 has nodes 0 to 3\n");
}

TEST(Sweep, InterruptedShowsTheRunsThatWereMade) {
    Place place;
    place.signal = SIGINT;
    place.delay = std::chrono::seconds(2);
    const Outcome outcome =
        kport("compare broadcast --sweep line:{10,50000000,20} --algorithm dost --payload none --threads 1", place);
    ASSERT_EQ(outcome.status, 4) << outcome.err;
    EXPECT_EQ(outcome.err, "kport: stopped after 1 of 3 machines\n");
    const std::vector<Texts> table = rows(outcome.out);
    ASSERT_THAT(table, SizeIs(3));
    EXPECT_EQ(table[1][0], "line:10");
    EXPECT_EQ(table[2][0], "line:50000000");
    EXPECT_THAT(outcome.out, HasSubstr(" stopped in round "));
}

TEST(Sweep, OnATerminalShowsProgress) {
    Place place;
    place.terminal = true;
    place.signal = SIGINT;
    place.delay = std::chrono::milliseconds(3500);
    const Outcome outcome =
        kport("compare broadcast --sweep line:{100001..110000} --algorithm dost --payload none --threads 1", place);
    ASSERT_EQ(outcome.status, 4);
    EXPECT_THAT(outcome.out, HasSubstr(" of 10000"));
    EXPECT_THAT(outcome.out, Not(HasSubstr("110000 ")));
}

}  // namespace
}  // namespace kport::test
