#include "app/pictures/picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <boost/property_tree/xml_parser.hpp>
#include <nlohmann/json.hpp>

#include "app/pictures/labels.hpp"
#include "app/pictures/svg.hpp"
#include "emulator/base/error.hpp"
#include "tests/pictures/stories.hpp"

namespace kport {
namespace {

using testing::HasSubstr;

struct Figure {
    std::string_view file;
    RunToTell run;
};

constexpr auto figures = std::to_array<Figure>({
    {"broadcast_on_a_cube.txt", {"broadcast", "hypercube:3", "sbt"}},
    {"broadcast_on_a_mesh.txt", {"broadcast", "mesh:4x4", "dost"}},
    {"broadcast_on_a_tree.txt", {"broadcast", "cbt:3", "farthest-first"}},
    {"broadcast_by_wormhole.txt", {"broadcast", "mesh:4x4", "rda-product", 1, Switching::wormhole}},
    {"flooding_a_ring.txt", {"broadcast", "ring:6", "flooding", no_port}},
    {"scatter.txt", {"scatter", "hypercube:3"}},
    {"gather.txt", {"gather", "hypercube:3"}},
    {"reduce.txt", {"reduce", "hypercube:3"}},
    {"allreduce.txt", {"allreduce", "hypercube:2"}},
    {"scan.txt", {"scan", "hypercube:2"}},
    {"allgather.txt", {"allgather", "ring:4"}},
    {"alltoall.txt", {"alltoall", "hypercube:2"}},
});

/// Figures are files. KPORT_PICTURES=update writes them; look at what has changed.
TEST(TextPictures, AreAsExpected) {
    const char* update = std::getenv("KPORT_PICTURES");
    for (const Figure& figure : figures) {
        const std::filesystem::path file = std::filesystem::path(KPORT_EXPECTED_PICTURES) / figure.file;
        const std::string text = picture("text", told(figure.run));
        if (update != nullptr && std::string_view(update) == "update") std::ofstream(file) << text;
        std::ifstream in(file);
        std::ostringstream expected;
        expected << in.rdbuf();
        EXPECT_EQ(text, expected.str()) << file;
    }
}

TEST(TextPictures, KeepToTheirWidth) {
    for (const std::size_t width : {60U, 80U, 120U}) {
        std::istringstream lines(picture("text", told({"broadcast", "mesh:8x8", ""}), {.width = width}));
        for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width) << line;
    }
}

TEST(TextPictures, ShowTheRoundsThatWereAskedFor) {
    const std::string text = picture("text", told({"broadcast", "hypercube:4"}), {.first = 2, .last = 3});
    EXPECT_THAT(text, HasSubstr("round 2"));
    EXPECT_THAT(text, HasSubstr("round 3"));
    EXPECT_EQ(text.find("round 1  "), std::string::npos);
    EXPECT_EQ(text.find("round 4  "), std::string::npos);
}

std::vector<Story> stories() {
    std::vector<Story> all;
    for (const Figure& figure : figures) all.push_back(told(figure.run));
    all.push_back(told({"broadcast", "torus:3x3x3"}));
    all.push_back(told({"scatter", "petersen"}));
    all.push_back(told({"broadcast", "random-connected:20,30,1"}));
    return all;
}

TEST(SvgPictures, AreWellFormedAndHaveEachMessageOnce) {
    for (const Story& story : stories())
        for (const std::string_view kind : {"svg", "space-time"}) {
            const std::string svg = picture(kind, story);
            std::istringstream in(svg);
            boost::property_tree::ptree tree;
            ASSERT_NO_THROW(boost::property_tree::read_xml(in, tree)) << story.title;
            EXPECT_EQ(times(svg, "<g class=\"message\">"), story.schedule.size()) << story.title << kind;
            EXPECT_EQ(tree.get<std::string>("svg.title"), story.title);
        }
}

/// The labels of a space-time diagram, as boxes.
std::vector<Box> labels_in(const std::string& svg) {
    std::istringstream lines(svg);
    std::vector<Box> boxes;
    bool in_label = false;
    for (std::string line; std::getline(lines, line);) {
        Point at;
        if (line.starts_with("<g class=\"label\"")) in_label = true;
        if (!in_label || std::sscanf(line.c_str(), "<text x=\"%lf\" y=\"%lf\"", &at.x, &at.y) != 2) continue;
        const std::size_t begin = line.find('>') + 1;
        boxes.push_back(Box::around(at, text_width(line.substr(begin, line.find('<', begin) - begin), 10.5), 10.5));
        in_label = false;
    }
    return boxes;
}

// Packets go round a ring both ways, so arrows cross; a label that an arrow is drawn over cannot be read.
TEST(SvgPictures, OfTheRoundsSideBySideHaveTheirLabelsAboveAllArrowsAndApart) {
    for (const NodeId packets : {2U, 4U, 7U}) {
        const std::string svg = picture(
            "space-time", told({"broadcast", "ring:8", "alternating", 1, Switching::store_and_forward, packets}));
        EXPECT_LT(svg.rfind("<g class=\"message\">"), svg.find("<g class=\"label\">"));
        const std::vector<Box> labels = labels_in(svg);
        ASSERT_EQ(labels.size(), std::size_t{7 * packets}) << "a label a message";
        for (std::size_t i = 0; i < labels.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                EXPECT_LT(labels[i].overlap(labels[j]), 1) << "labels " << j << " and " << i << " of " << packets;
    }
}

TEST(ABox, KnowsHowMuchOfALineLiesInIt) {
    const Box box{0, 0, 4, 2};
    EXPECT_DOUBLE_EQ(box.length_within({-1, 1}, {9, 1}), 4);
    EXPECT_DOUBLE_EQ(box.length_within({1, 1}, {3, 1}), 2);
    EXPECT_DOUBLE_EQ(box.length_within({2, -5}, {2, 5}), 2);
    EXPECT_DOUBLE_EQ(box.length_within({-1, -1}, {5, 5}), 2 * std::sqrt(2.0));
    EXPECT_DOUBLE_EQ(box.length_within({-1, 3}, {5, 3}), 0);
    EXPECT_DOUBLE_EQ(box.length_within({3, 4}, {9, 0}), 0);
}

TEST(SvgPictures, OfAnOverviewHaveAnArrowForEachWayThatIsTaken) {
    const std::string svg = picture("overview", told({"broadcast", "hypercube:3", "sbt"}));
    EXPECT_EQ(times(svg, "<g class=\"message\">"), 7);
    EXPECT_EQ(times(picture("overview", told({"allreduce", "cbt:2"})), "the result goes out"), 1);
}

TEST(SvgPictures, NameTheRuleThatAMessageBreaks) {
    EXPECT_THAT(picture("svg", told({"broadcast", "ring:6", "flooding", no_port})), HasSubstr(">NODUP</text>"));
}

/// The texts of SVG that stand at the machine, in panels of this width; those that reach beyond their panel.
std::string texts_beyond(const std::string& svg) {
    std::istringstream lines(svg);
    double width = 0;
    std::string beyond;
    for (std::string line; std::getline(lines, line);) {
        double x = 0;
        if (double height = 0;
            std::sscanf(line.c_str(), "<rect x=\"0.0\" y=\"0.0\" width=\"%lf\" height=\"%lf\"", &width, &height) == 2)
            continue;
        if (std::sscanf(line.c_str(), "<text x=\"%lf\"", &x) != 1 ||
            line.find("font-size=\"10.5\"") == std::string::npos)
            continue;
        const std::size_t begin = line.find('>') + 1;
        std::string text = line.substr(begin, line.find('<', begin) - begin);
        for (std::size_t at = text.find("&gt;"); at != std::string::npos; at = text.find("&gt;"))
            text.replace(at, 4, ">");
        const double half = text_width(text, 10.5) / 2;
        if (x < half || x + half > width) beyond += text + "\n";
    }
    return beyond;
}

TEST(SvgPictures, KeepTheirTextsInTheirPanels) {
    for (const RunToTell& run :
         {RunToTell{"reduce-scatter", "ring:4", "", 1, Switching::store_and_forward, 2},
          RunToTell{"allreduce", "hypercube:2", "halving-doubling", 1, Switching::store_and_forward, 4},
          RunToTell{"alltoall", "hypercube:3"}, RunToTell{"allgather", "mesh:3x3"}}) {
        const std::string svg = picture("svg", told(run));
        ASSERT_GT(times(svg, "font-size=\"10.5\""), 10U);
        EXPECT_EQ(texts_beyond(svg), "") << run.operation;
    }
}

TEST(SvgPictures, ExplainTheNamesThatOccurInThem) {
    const std::string folded =
        picture("svg", told({"reduce-scatter", "ring:4", "", 1, Switching::store_and_forward, 2}));
    EXPECT_THAT(folded, HasSubstr("0:1 is the contribution of node 0 to segment 1"));
    EXPECT_THAT(folded, HasSubstr(">{result:0..1,...}</text>"));
    EXPECT_EQ(times(folded, "packet"), 0);
    EXPECT_THAT(picture("svg", told({"alltoall", "hypercube:2"})), HasSubstr("0&gt;1 is the packet of node 0"));
    EXPECT_THAT(picture("svg", told({"scatter", "line:3", "", 1, Switching::store_and_forward, 2})),
                HasSubstr("0:1 is packet 1 of node 0"));
    const std::string barrier = picture("svg", told({"barrier", "ring:4"}));
    EXPECT_THAT(barrier, HasSubstr("knows that all have entered"));
    EXPECT_EQ(times(barrier, "packet"), 0);
}

TEST(Pictures, EscapeTitles) {
    Story story = told({"broadcast", "line:3"});
    story.title = "<b>\"&'\xFF";
    for (const std::string_view kind : {"svg", "overview", "space-time"}) {
        std::istringstream in(picture(kind, story));
        boost::property_tree::ptree tree;
        ASSERT_NO_THROW(boost::property_tree::read_xml(in, tree)) << kind;
    }
    EXPECT_TRUE(nlohmann::json::accept(picture("trace", story)));
    EXPECT_THAT(picture("dot", story), HasSubstr("<b>\\\"&'"));
}

TEST(Pictures, AreTheSameEveryTime) {
    for (const PictureKind& kind : picture_kinds())
        EXPECT_EQ(picture(kind.name, told({"scatter", "petersen"})), picture(kind.name, told({"scatter", "petersen"})))
            << kind.name;
}

TEST(Pictures, AreRefusedWhereThereIsTooMuchToSee) {
    const Story story = told({"broadcast", "hypercube:11"});
    for (const std::string_view kind : {"svg", "overview", "space-time"})
        EXPECT_THROW((void)picture(kind, story), RequestError) << kind;
    const Story many = told({"allgather", "ring:80", "ring"});
    EXPECT_THROW((void)picture("svg", many), RequestError);
    EXPECT_NO_THROW((void)picture("svg", many, {.first = 2, .last = 2}));
}

TEST(Pictures, OfAnUnknownKindAreRefusedWithTheNearest) {
    try {
        (void)picture_kind_named("svgg");
        FAIL();
    } catch (const RequestError& error) {
        EXPECT_THAT(error.what(), HasSubstr("did you mean 'svg'?"));
    }
}

TEST(Traces, AreJsonWithTimesThatNeverGoBackOnATrack) {
    for (const Story& story : stories()) {
        const nlohmann::json trace = nlohmann::json::parse(picture("trace", story));
        std::map<std::pair<std::uint64_t, std::uint64_t>, double> last;
        std::size_t sends = 0;
        for (const nlohmann::json& event : trace.at("traceEvents")) {
            if (event.at("ph") != "X") continue;
            double& before = last[{event.at("pid"), event.at("tid")}];
            EXPECT_GE(event.at("ts").get<double>(), before);
            before = event.at("ts");
            sends += event.contains("args") ? 1 : 0;
        }
        EXPECT_EQ(sends, story.schedule.size()) << story.title;
    }
}

TEST(Machines, AreDrawnAloneWithTheirLinksAndNamesAndNoLegend) {
    EXPECT_EQ(picture("text", story_of(make_topology("mesh:2x3"), "6 nodes")),
              "mesh:2x3\n6 nodes\n\n  0---1---2\n  |   |   |\n  3---4---5\n");
    const Story story = story_of(make_topology("mesh:3x4"), "12 nodes");
    for (const std::string_view kind : {"svg", "overview"}) {
        const std::string svg = picture(kind, story);
        EXPECT_EQ(times(svg, "<circle"), 12) << "and no node of a legend";
        EXPECT_THAT(svg, HasSubstr(">2,3</text>"));
        EXPECT_EQ(svg.find("nothing moves"), std::string::npos);
    }
    const std::string dot = picture("dot", story);
    EXPECT_EQ(times(dot, " -> "), 17);
    EXPECT_EQ(times(dot, "pos="), 12);
    EXPECT_THROW((void)picture("html", story_of(make_topology("line:20001"), "")), RequestError);
}

TEST(Traces, ShowTheThreadsInAProcessOfTheirOwnAsMeasured) {
    Story story = told({"broadcast", "hypercube:2"});
    const nlohmann::json without = nlohmann::json::parse(picture("trace", story));
    story.phases = {{Phase::programs, 0, 1, 1, 0.5e-6, 2e-6}, {Phase::audit, 1, 0, 2, 3e-6, 4e-6}};
    nlohmann::json events = nlohmann::json::parse(picture("trace", story)).at("traceEvents");
    std::vector<nlohmann::json> measured;
    for (const nlohmann::json& event : events)
        if (event.at("pid") == 2 && event.at("ph") == "X") measured.push_back(event);
    ASSERT_EQ(measured.size(), 2U);
    EXPECT_EQ(measured[0], (nlohmann::json{{"ph", "X"},
                                           {"pid", 2},
                                           {"tid", 0},
                                           {"ts", 0.5},
                                           {"dur", 1.5},
                                           {"name", "programs"},
                                           {"cat", "measured"},
                                           {"args", {{"round", 1}, {"partition", 1}}}}));
    EXPECT_EQ(measured[1].at("tid"), 1);
    std::erase_if(events.get_ref<nlohmann::json::array_t&>(), [](const auto& event) { return event.at("pid") == 2; });
    EXPECT_EQ(events, without.at("traceEvents")) << "the rounds are the same";
}

TEST(Traces, KeepModelTimeAndMeasuredTimeInGroupsOfTracksThatSayWhichTheyAre) {
    Story story = told({"allgather", "ring:4"});
    story.phases = {{Phase::programs, 0, 1, 1, 0.5e-6, 2e-6, 0}, {Phase::exchange, 0, 0, 1, 2e-6, 3e-6, 1}};
    std::map<unsigned, std::string> names;
    std::map<unsigned, unsigned> places;
    const nlohmann::json trace = nlohmann::json::parse(picture("trace", story));
    for (const nlohmann::json& event : trace.at("traceEvents")) {
        const unsigned process = event.at("pid");
        if (event.at("name") == "process_name") names[process] = event.at("args").at("name");
        if (event.at("name") == "process_sort_index") places[process] = event.at("args").at("sort_index");
        if (event.at("ph") == "X") {
            EXPECT_EQ(event.at("cat"), process == 1 ? "model" : "measured") << event;
        }
        EXPECT_TRUE(names.contains(process)) << event;
    }
    EXPECT_EQ(places, (std::map<unsigned, unsigned>{{1, 1}, {2, 2}, {3, 3}}));
    EXPECT_EQ(names, (std::map<unsigned, std::string>{
                         {1, "model time (1 ms is a round): " + story.title},
                         {2, "measured time (this computer), other in every run: threads of rank 0"},
                         {3, "measured time (this computer), other in every run: threads of rank 1"}}));
    story.phases.pop_back();
    EXPECT_THAT(picture("trace", story), HasSubstr(R"("measured time (this computer), other in every run: threads")"));
    story.phases.clear();
    EXPECT_THAT(picture("trace", story), testing::Not(HasSubstr("measured"))) << "a schedule from a file took no time";
}

TEST(Traces, ShowEachRankAsAProcess) {
    Story story = told({"broadcast", "hypercube:2"});
    story.phases = {{Phase::programs, 0, 1, 1, 0.5e-6, 2e-6, 0}, {Phase::exchange, 1, 0, 1, 2e-6, 3e-6, 1}};
    const nlohmann::json events = nlohmann::json::parse(picture("trace", story)).at("traceEvents");
    std::vector<std::string> names;
    for (const nlohmann::json& event : events)
        if (event.at("ph") == "M" && event.at("pid") >= 2 && event.at("args").contains("name"))
            names.push_back(fmt::format("{}: {}", event.at("pid").dump(), event.at("args").at("name").dump()));
    EXPECT_EQ(names,
              (std::vector<std::string>{R"(2: "measured time (this computer), other in every run: threads of rank 0")",
                                        R"(2: "thread 0")",
                                        R"(3: "measured time (this computer), other in every run: threads of rank 1")",
                                        R"(3: "thread 0")", R"(3: "thread 1")"}));
}

TEST(DotPictures, HaveAllNodesLinksAndMessages) {
    const Story story = told({"scatter", "petersen"});
    const std::string dot = picture("dot", story);
    EXPECT_EQ(times(dot, "pos="), 10);
    EXPECT_EQ(times(dot, "dir=none"), 15);
    EXPECT_EQ(times(dot, " -> "), 15 + story.schedule.size() + times(story.title, " -> "));
}

}  // namespace
}  // namespace kport
