/// @file show_test.cpp   kport show, and the pictures that kport run writes.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "emulator/report/words.hpp"
#include "tests/cli/kport.hpp"

namespace kport::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Show : public testing::Test {
  protected:
    void SetUp() override {
        std::string name = (std::filesystem::temp_directory_path() / "kport-show-XXXXXX").string();
        folder_ = mkdtemp(name.data());
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
    [[nodiscard]] std::string text(const std::string& name) const {
        std::ifstream in(folder_ / name);
        std::ostringstream all;
        all << in.rdbuf();
        return all.str();
    }

  private:
    std::filesystem::path folder_;
};

TEST_F(Show, DrawsARunAsTextByDefault) {
    const Outcome outcome = kport("show scatter --on hypercube:2");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.out, HasSubstr("round 1   0 -> 1 {1,3}\nround 2   0 -> 2 {2}, 1 -> 3 {3}\n"));
}

TEST_F(Show, EndsWith1WhereTheRunBreaksARule) {
    const Outcome outcome = kport("show broadcast --on ring:6 --algorithm flooding --ports all");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.out, HasSubstr("4 -> 3 !NODUP"));
}

TEST_F(Show, DrawsARunWithAnInjectedFault) {
    const Outcome outcome = kport("show broadcast --on hypercube:3 --inject drop");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.out, HasSubstr("broken"));
}

TEST_F(Show, ReadsWhatRunRecords) {
    for (const char* command :
         {"scatter --on hypercube:3", "allreduce --on cbt:2", "broadcast --on mesh:4x4 --switching wh"}) {
        const std::string file = path("a.json");
        EXPECT_EQ(kport("run " + std::string(command) + " --record " + file).status, 0);
        const std::string wormhole = std::string(command).find(" wh") != std::string::npos ? " --switching wh" : "";
        const std::string of_file = kport("show " + file + wormhole).out;
        const std::string of_run = kport("show " + std::string(command)).out;
        EXPECT_EQ(of_file.substr(of_file.find("\n\n")), of_run.substr(of_run.find("\n\n"))) << command;
    }
}

TEST_F(Show, WritesTheKindThatTheNameOfTheFileEndsIn) {
    EXPECT_EQ(kport("show broadcast --on hypercube:3 --output " + path("a.svg")).out, "");
    EXPECT_THAT(text("a.svg"), StartsWith("<svg"));
    EXPECT_EQ(kport("show broadcast --on hypercube:3 --output " + path("a.html")).status, 0);
    EXPECT_EQ(kport("show broadcast --on hypercube:3 --output " + path("A.SVG")).status, 0);
    EXPECT_THAT(text("A.SVG"), HasSubstr("<svg"));
    EXPECT_THAT(text("a.html"), StartsWith("<!DOCTYPE html>"));
}

TEST_F(Show, PutsThePictureBelowTheReportOfARun) {
    const Outcome outcome = kport("run broadcast --on cbt:1 --picture");
    EXPECT_THAT(outcome.out, StartsWith("broadcast from node 0 on cbt:1"));
    EXPECT_THAT(outcome.out, HasSubstr("\nround 1   0 -> 1\n"));
    EXPECT_EQ(kport("run broadcast --on cbt:1").out.find("\nround 1 "), std::string::npos);
}

TEST_F(Show, WritesThePictureOfARunIntoAFileOfItsKind) {
    const Outcome outcome = kport("run broadcast --on hypercube:3 --json --picture " + path("p.svg"));
    EXPECT_EQ(outcome.json()["operation"], "broadcast");
    EXPECT_EQ(text("p.svg"), kport("show broadcast --on hypercube:3 --as svg").out);
}

TEST_F(Show, LeavesTheOperationItsWordBehindAnOptionThatMayStandAlone) {
    EXPECT_EQ(kport("run --picture broadcast --on cbt:1").out.substr(0, 9), "broadcast");
}

TEST_F(Show, DrawsAMachineAloneBesideWhatIsKnownOfIt) {
    const Outcome outcome = kport("info mesh:2x3 --picture");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.out, HasSubstr("\nport labels        4\n"));
    EXPECT_TRUE(outcome.out.ends_with("\n\n  0---1---2\n  |   |   |\n  3---4---5\n")) << outcome.out;
    EXPECT_THAT(kport("info petersen --picture").out,
                testing::EndsWith("\n\n  characters do not draw it; a file does: --picture x.svg, or x.html\n"));
    EXPECT_EQ(kport("info petersen --json --picture " + path("m.svg")).json()["links"], 15);
    EXPECT_THAT(text("m.svg"), HasSubstr(">10 nodes, 15 links, degree 3, diameter 2<"));
    EXPECT_EQ(kport("info --picture petersen").status, 0);
}

TEST_F(Show, DrawsEachArgumentForABoundBesideTheRun) {
    const std::regex bar("<g class=\"bar\">");
    for (const std::string line :
         {"broadcast --on mesh:4x4 --ports 2", "scatter --on hypercube:3", "allreduce --on ring:6"}) {
        const std::string svg = kport("show " + line + " --as bounds").out;
        const nlohmann::json run = kport("run " + line + " --json").json();
        const nlohmann::json bounds = kport("bounds " + line + " --json").json();
        std::ptrdiff_t bars = 0;
        for (const auto& [quantity, arguments] : bounds["arguments"].items()) {
            EXPECT_THAT(svg, HasSubstr(fmt::format("<title>run: {}</title>", grouped(run["measured"][quantity]))));
            for (const nlohmann::json& argument : arguments) {
                EXPECT_THAT(svg,
                            HasSubstr(fmt::format("<title>{} ({}): {}</title>", argument["name"].get<std::string>(),
                                                  argument["source"].get<std::string>(), grouped(argument["value"]))));
                ++bars;
            }
        }
        EXPECT_EQ(std::ranges::distance(std::sregex_iterator(svg.begin(), svg.end(), bar), std::sregex_iterator()),
                  bars + 5);
    }
    (void)kport("run broadcast --on ring:5 --algorithm farthest-first --record " + path("x.json"));
    EXPECT_THAT(kport("show " + path("x.json") + " --as bounds").out,
                HasSubstr("<title>eccentricity of node 0 (Lemma 1): 2</title>"));
}

TEST_F(Show, WritesTheTraceOfARun) {
    EXPECT_EQ(kport("run broadcast --on hypercube:3 --trace " + path("t.json")).status, 0);
    const nlohmann::json trace = nlohmann::json::parse(text("t.json"));
    std::set<std::string> done;
    for (const nlohmann::json& event : trace.at("traceEvents"))
        if (event.at("pid") == 2 && event.at("ph") == "X") done.insert(event.at("name"));
    EXPECT_EQ(done, (std::set<std::string>{"accept", "audit", "collect", "programs"})) << "what the threads did";
}

TEST_F(Show, SaysThatWhatThreadsDoIsMeasuredInLockstepWithoutAFault) {
    for (const char* how : {"--engine free", "--inject drop"}) {
        const Outcome outcome = kport("run broadcast --on hypercube:3 --trace " + path("t.json") + " " + how);
        EXPECT_EQ(
            outcome.err,
            "kport: the trace has the rounds alone: what the threads did is measured in lockstep without a fault\n");
        EXPECT_EQ(text("t.json").find("\"pid\":2"), std::string::npos) << how;
    }
    EXPECT_EQ(kport("run broadcast --on hypercube:3 --trace " + path("t.json")).err, "");
}

TEST_F(Show, RecordsInTheFormThatTheNameOfTheFileEndsIn) {
    const auto recorded = [&](const std::string& name) {
        EXPECT_EQ(kport("run scatter --on cbt:1 --record " + path(name)).status, 0);
        return text(name);
    };
    EXPECT_EQ(recorded("r.txt"), "on cbt:1\nscatter from 0\nround 1: 0 -> 2 {2}\nround 2: 0 -> 1 {1}\n");
    EXPECT_THAT(recorded("r.goal"), HasSubstr("num_ranks 3"));
    EXPECT_THAT(recorded("r.csv"), HasSubstr("round,from,to,packets,via"));
    EXPECT_THAT(recorded("r.xml"), HasSubstr("<algo "));
    EXPECT_THAT(recorded("r"), HasSubstr("\"kport_schedule\": 1"));
    EXPECT_EQ(recorded("r.json"), text("r"));
}

TEST_F(Show, WritesNothingOverWhatItReads) {
    ASSERT_EQ(kport("run scatter --on cbt:1 --record " + path("r.txt")).status, 0);
    const std::string before = text("r.txt");
    const Outcome outcome = kport("show " + path("r.txt") + " --output " + path("r.txt"));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("is the schedule that is shown; want another file"));
    EXPECT_EQ(text("r.txt"), before);
}

TEST_F(Show, RefusesFilesThatHaveNoPlaceBeforeItRuns) {
    for (const char* option : {"--record", "--trace", "--picture"}) {
        const std::string run = std::string("run broadcast --on hypercube:3 ") + option + " ";
        for (const auto& [file, why] : std::initializer_list<std::pair<std::string, std::string>>{
                 {path(""), "is a folder; want a file"}, {"-", "standard output is no place for it"}}) {
            const Outcome outcome = kport(run + file);
            EXPECT_EQ(outcome.status, 2) << option;
            EXPECT_THAT(outcome.err, HasSubstr(why)) << option;
            EXPECT_EQ(outcome.out, "") << option;
        }
    }
    const Outcome drawn = kport("run broadcast --on hypercube:3 --record " + path("r.svg"));
    EXPECT_EQ(drawn.status, 2);
    EXPECT_THAT(drawn.err, HasSubstr("no schedule ends in '.svg'; want .json, .txt, .goal, .xml, .csv\n"));
    const Outcome twice =
        kport("run broadcast --on line:2 --record " + path("a.txt") + " --picture " + path("./a.txt"));
    EXPECT_EQ(twice.status, 2);
    EXPECT_THAT(twice.err, HasSubstr("--record and --picture both name"));
}

TEST_F(Show, WritesAPngWhereTheNameOfTheFileEndsSo) {
    const Outcome drawn = kport("show scatter --on hypercube:3 --as load --width 500 --output " + path("x.png"));
    if (drawn.status == 2) {
        EXPECT_THAT(drawn.err, HasSubstr("librsvg"));
        GTEST_SKIP() << drawn.err;
    }
    EXPECT_EQ(drawn.status, 0) << drawn.err;
    EXPECT_EQ(text("x.png").substr(1, 3), "PNG");
    EXPECT_EQ(kport("info petersen --picture " + path("y.png")).status, 0);
    EXPECT_EQ(text("y.png").substr(1, 3), "PNG");
    EXPECT_EQ(kport("run broadcast --on ring:4 --picture " + path("z.png")).status, 0);
    EXPECT_EQ(text("z.png").substr(1, 3), "PNG");
}

TEST_F(Show, WritesAWebpThatMovesWhereTheNameOfTheFileEndsSo) {
    const Outcome drawn = kport("show scatter --on hypercube:3 --width 400 --output " + path("x.webp"));
    if (drawn.status == 2) {
        EXPECT_THAT(drawn.err, testing::AnyOf(HasSubstr("librsvg"), HasSubstr("libwebp")));
        GTEST_SKIP() << drawn.err;
    }
    EXPECT_EQ(drawn.status, 0) << drawn.err;
    const std::string moving = text("x.webp");
    EXPECT_EQ(moving.substr(8, 4), "WEBP");
    EXPECT_EQ(kport("show scatter --on hypercube:3 --as animation --width 400 --output " + path("y.webp")).status, 0);
    EXPECT_EQ(text("y.webp"), moving);
    EXPECT_EQ(kport("run broadcast --on ring:4 --picture " + path("z.webp")).status, 0);
    EXPECT_EQ(text("z.webp").substr(8, 4), "WEBP");
}

// `check` of a recorded schedule judges what `run` did, so both count the same.
TEST_F(Show, HotspotsOfARunAreThoseOfItsRecordedSchedule) {
    for (const char* command :
         {"broadcast --on mesh:4x4", "alltoall --on ring:5", "allreduce --on hypercube:3 --packets 2",
          "broadcast --on line:16 --switching wh", "broadcast --on fat-tree:4",
          "broadcast --on ring:6 --algorithm flooding --ports all", "gather --on cbt:3"}) {
        const std::string recorded = path("r.json");
        const nlohmann::json ran =
            kport("run " + std::string(command) + " --hotspots --json --record " + recorded).json();
        const std::string machine = std::string(command).find("--ports all") == std::string::npos ? "" : " --ports all";
        const std::string wormhole = std::string(command).find("wh") == std::string::npos ? "" : " --switching wh";
        const nlohmann::json judged = kport("check " + recorded + machine + wormhole + " --hotspots --json").json();
        EXPECT_EQ(ran["load"], judged["load"]) << command;
        EXPECT_EQ(ran["critical_path"], judged["critical_path"]) << command;
        EXPECT_EQ(ran["load"]["messages"], ran["engine"]["transfers"]) << command;
        std::uint64_t hops = 0;
        for (const nlohmann::json& messages : ran["load"]["links"]["messages"]) hops += messages.get<std::uint64_t>();
        EXPECT_EQ(hops, ran["measured"]["work"]) << command << ": work is the sum of the messages' hops";
    }
}

TEST_F(Show, NodesThatTakeNoPartHoldNothing) {
    const std::string svg = kport("show broadcast --on ring:8 --members 2,3,4 --source 2 --as holdings").out;
    std::size_t blue = 0;
    for (std::size_t at = svg.find("fill=\"#0072b2\""); at != std::string::npos;
         at = svg.find("fill=\"#0072b2\"", at + 1))
        ++blue;
    EXPECT_EQ(blue, 1U + 2 + 3 + 1) << "node 2, nodes 2 and 3, all three, and the legend";
}

TEST_F(Show, HotspotsHaveTheNumbersOfMembersInTheLargerMachine) {
    const nlohmann::json json = kport("run broadcast --on ring:8 --members 2,3,4 --source 2 --hotspots --json").json();
    EXPECT_EQ(json["load"]["nodes"]["node"], nlohmann::json({2, 3, 4}));
    EXPECT_EQ(json["critical_path"]["messages"][0]["from"], 2);
}

TEST_F(Show, RefusesWhatItCannotDrawInOneLine) {
    for (const auto& [command, why] : std::initializer_list<std::pair<std::string, std::string>>{
             {"show broadcast --on hypercube:3 --as svgg", "did you mean 'svg'?"},
             {"show broadcast --on hypercube:3 --rounds 3-2", "the last round is before the first"},
             {"show broadcast --on hypercube:3 --rounds 2..3", "want A-B, such as 2-4"},
             {"show broadcast --on hypercube:3 --rounds 9", "--rounds '9': there are 3 rounds"},
             {"show broadcast --on hypercube:1 --rounds 2-", "--rounds '2-': there is 1 round\n"},
             {"show broadcast --on hypercube:3 --rounds x", "--rounds 'x' is not a whole number"},
             {"show broadcast --on hypercube:12 --as svg", "the kind html shows more"},
             {"show broadcast --on hypercube:3 --json", "--as json"},
             {"show broadcast --on hypercube:3 --output /no/such/a.svg", "there is no folder"},
             {"show broadcast --on hypercube:3 --output a.gif", "no picture ends in '.gif'"},
             {"show broadcast --on hypercube:3 --output a.pdf", "rsvg-convert -f pdf -o a.pdf x.svg"},
             {"show broadcast --on hypercube:3 --as pdf", "rsvg-convert -f pdf -o x.pdf x.svg"},
             {"show broadcast --on hypercube:3 --as png", "a PNG is no text; want --output x.png"},
             {"show broadcast --on hypercube:3 --as svg --width 100",
              "--width: svg has no pixels; want --output x.png"},
             {"show broadcast --on hypercube:3 --as text --output a.png", "--output 'a.png': text becomes no PNG"},
             {"show broadcast --on hypercube:3 --output a.png --width 15", "--width '15'"},
             {"show broadcast --on hypercube:3 --as webp", "a WebP is no text; want --output x.webp"},
             {"show broadcast --on hypercube:3 --as load --output a.webp",
              "load becomes no WebP, which moves; want --as animation"},
             {"show broadcast --on hypercube:3 --as webp --output a.png", "webp becomes no PNG"},
             {"show broadcast --on hypercube:3 --output a.png --width 16385", "--width '16385'"},
             {"show broadcast --on hypercube:11 --as holdings", "the kind html shows more"},
             {"show broadcast scatter --on hypercube:3", "unexpected 'scatter' after 'broadcast'"},
             {"run broadcast --on hypercube:3 --picture --json", "--picture is text"},
             {"run broadcast --on hypercube:3 --picture a.gif", "want .svg, .png, .webp, .html, .dot or .txt"},
             {"info hypercube:3 --picture a.json", "want .svg, .png, .webp, .html, .dot or .txt"},
             {"info hypercube:3 --picture /no/such/a.svg", "there is no folder"},
             {"info hypercube:3 --json --picture", "or name a file: --picture x.svg"},
             {"info hypercube:12 --picture a.svg", "the kind html shows more"},
             {"info hypercube:15 --picture a.html", "the links of at most 20000 nodes"},
             {"show no.json", "cannot be opened"},
             {"show", "which operation?"}}) {
        const Outcome outcome = kport(command);
        EXPECT_EQ(outcome.status, 2) << command;
        EXPECT_THAT(outcome.err, HasSubstr(why)) << command;
        EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << command;
        EXPECT_EQ(outcome.out, "") << command;
    }
}

}  // namespace
}  // namespace kport::test
