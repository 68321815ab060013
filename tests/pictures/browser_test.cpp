// The page in a real browser, where there is one: it loads without a message and shows what the auditor counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/pictures/labels.hpp"
#include "emulator/schedule/critical_path.hpp"
#include "emulator/schedule/load.hpp"
#include "tests/pictures/stories.hpp"

namespace kport {
namespace {

std::string output_of(const std::string& command) {
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::string text;
    char buffer[4096];
    while (pipe && std::fgets(buffer, sizeof buffer, pipe.get()) != nullptr) text += buffer;
    return text;
}

/// Its path, or nothing.
std::string browser() {
    std::string path = output_of("command -v chromium || command -v chromium-browser || command -v google-chrome");
    return path.substr(0, path.find('\n'));
}

/// Goes through all rounds and writes down what is shown, at rest and while messages move; finds nodes and packets; shows all rounds for
/// paper, and large type.
constexpr std::string_view walk = R"(<script>{
const shown = [], last = kport.data.rounds.length;
for (let k = 0; k <= last; ++k) {
  kport.go(k); const now = {...kport.state(), row: document.querySelectorAll("tr.current").length, rows: [...document.querySelectorAll("#rounds tr")].indexOf(document.querySelector("tr.current")) + 1};
  if (k < last) { kport.go(k + 0.5); now.moving = kport.state().drawn.round; now.moving_said = kport.state().said; }
  shown.push(now); }
const finds = {};
for (const text of ["0", "node 1", "p0", "2>1", "0:1", "77", "p99", "nobody"]) { document.getElementById("find").value = text; kport.find(); const s = kport.state(); finds[text] = [s.node, s.packet, s.wrong]; }
kport.sheets(); const sheets = document.querySelectorAll("#sheets img").length;
document.getElementById("project").click(); kport.go(1); document.getElementById("project").click();
document.getElementById("canvas").dispatchEvent(new WheelEvent("wheel", {deltaY: -900, cancelable: true}));
for (const button of document.querySelectorAll("#violations button")) button.click();
const views = {}, heat = kport.data.mode === "heat", ks = Array.from({length: last + 1}, (_, k) => k);
for (const view of kport.views) { kport.look(view); kport.go(last); kport.go(0); views[view] = document.getElementById("legend").textContent; }
const loads = heat ? kport.dotLoads() : ks.map(k => kport.loadAfter(k)), holds = heat ? null : ks.map(k => kport.heldAfter(k)), path = kport.data.path || [];
kport.look("rounds");
const told = document.createElement("pre"); told.id = "told"; told.textContent = "TOLD" + JSON.stringify({shown, finds, sheets, views, loads, holds, path}) + "END"; document.body.append(told);
}</script>)";

struct ShownPage {
    nlohmann::json states = {};
    nlohmann::json finds = {};
    std::size_t sheets = 0;
    nlohmann::json views = {};  ///< the legend of each
    nlohmann::json loads = {};  ///< after each step; in a heat map of each dot at the end
    nlohmann::json holds = {};  ///< how many packets each node holds after each step
    nlohmann::json path = {};
    std::string messages = {};  ///< of the console
};

ShownPage shown_by(const std::string& program, const Story& story) {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / fmt::format("kport-browser-{}", getpid());
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "page.html") << picture("html", story) << walk;
    const std::string all = output_of(fmt::format(
        "'{}' --headless --no-sandbox --disable-gpu --user-data-dir='{}' --enable-logging=stderr --dump-dom "
        "'file://{}' 2>&1",
        program, (folder / "profile").string(), (folder / "page.html").string()));
    std::filesystem::remove_all(folder);
    ShownPage shown;
    const std::size_t begin = all.find("<pre id=\"told\">TOLD");
    const std::size_t end = all.find("END</pre>", begin);
    if (begin == std::string::npos || end == std::string::npos) return {.messages = all};
    // Chromium prints the page as HTML, which writes some letters as names.
    std::string text = all.substr(begin + 19, end - begin - 19);
    for (const auto& [escape, letter] : {std::pair("&gt;", ">"), std::pair("&lt;", "<"), std::pair("&amp;", "&")})
        for (std::size_t at = text.find(escape); at != std::string::npos; at = text.find(escape, at + 1))
            text.replace(at, std::string_view(escape).size(), letter);
    const nlohmann::json told = nlohmann::json::parse(text);
    shown.states = told.at("shown");
    shown.finds = told.at("finds");
    shown.sheets = told.at("sheets");
    shown.views = told.at("views");
    shown.loads = told.at("loads");
    shown.holds = told.at("holds");
    shown.path = told.at("path");
    for (std::size_t at = all.find("CONSOLE"); at != std::string::npos; at = all.find("CONSOLE", at + 1))
        shown.messages += all.substr(at, all.find('\n', at) - at) + "\n";
    return shown;
}

TEST(Player, ShowsInABrowserWhatTheAuditorCounted) {
    const std::string program = browser();
    if (program.empty()) GTEST_SKIP() << "no browser here: install chromium to try the page";
    Story hostile = told({"broadcast", "hypercube:4"});
    hostile.title = "</script><script>alert('1')</script> & \"Z\xC3\xBCrich\"";
    for (const Story& story :
         {told({"scatter", "mesh:4x4"}), told({"broadcast", "ring:6", "flooding", no_port}), hostile}) {
        const ShownPage shown = shown_by(program, story);
        ASSERT_FALSE(shown.states.is_null()) << shown.messages;
        EXPECT_EQ(shown.messages, "") << story.title;
        ASSERT_EQ(shown.states.size(), story.verdict.per_round.size() + 1);
        std::uint64_t reached = reached_before(story.collective.operation);
        for (std::size_t k = 1; k < shown.states.size(); ++k) {
            const RoundMetrics& round = story.verdict.per_round[k - 1];
            reached += round.reached;
            EXPECT_EQ(shown.states[k].at("round"), round.round);
            EXPECT_EQ(shown.states[k].at("messages"), round.transfers);
            EXPECT_EQ(shown.states[k].at("reached"), reached);
            EXPECT_EQ(shown.states[k].at("row"), 1);
            EXPECT_EQ(shown.states[k].at("rows"), k) << "the row of this round";
            EXPECT_EQ(shown.states[k].at("drawn").at("round"), round.round) << "at rest the round that it speaks of";
            EXPECT_EQ(shown.states[k].at("drawn").at("messages"), round.transfers);
            EXPECT_THAT(shown.states[k].at("said").get<std::string>(),
                        testing::StartsWith(fmt::format("after round {} of ", round.round)));
            EXPECT_EQ(shown.states[k - 1].at("moving"), round.round);
            EXPECT_THAT(shown.states[k - 1].at("moving_said").get<std::string>(),
                        testing::StartsWith(fmt::format("in round {} of ", round.round)));
        }
        EXPECT_EQ(shown.states[0].at("drawn").at("round"), 0) << "nothing has moved";
        EXPECT_EQ(shown.states[0].at("reached"), reached_before(story.collective.operation));
        EXPECT_EQ(shown.sheets, story.verdict.per_round.size());
        EXPECT_EQ(shown.states.back().at("learned"), story.verdict.holders);
    }
}

TEST(Player, ShowsInABrowserWhatEachNodeHoldsAfterEachRound) {
    const std::string program = browser();
    if (program.empty()) GTEST_SKIP() << "no browser here: install chromium to try the page";
    for (const Story& story :
         {told({"scatter", "mesh:3x3"}), told({"allreduce", "hypercube:3"}), told({"alltoall", "ring:5"}),
          told({"gather", "line:4"}), told({"scan", "complete:5"})}) {
        const ShownPage shown = shown_by(program, story);
        ASSERT_FALSE(shown.states.is_null()) << shown.messages;
        EXPECT_EQ(shown.messages, "") << story.title;
        NodeStates states(story);
        const std::vector<Step> steps = steps_of(story);
        for (std::size_t k = 0; k <= steps.size(); ++k) {
            if (k > 0) states.take(steps[k - 1]);
            for (NodeId v = 0; v < story.topology().nodes(); ++v)
                EXPECT_EQ(shown.states.at(k).at("held").at(v), held_label(story, v, states.held(v), 24))
                    << story.title << ", node " << v << " after step " << k;
        }
    }
}

std::string text_of_load(const Load& load) {
    std::map<std::pair<NodeId, NodeId>, std::uint64_t> links;
    for (const ChannelLoad& channel : load.channels) links[{channel.from, channel.to}] += channel.messages;
    std::string text;
    for (const auto& [link, messages] : links) text += fmt::format("{}>{}:{} ", link.first, link.second, messages);
    for (const NodeLoad& node : load.nodes) text += fmt::format("{}:{} ", node.node, node.messages());
    return text;
}

std::string text_of_load(const nlohmann::json& shown) {
    std::map<std::pair<NodeId, NodeId>, std::uint64_t> links;
    for (const nlohmann::json& link : shown.at("links")) links[{link.at(0), link.at(1)}] = link.at(2);
    std::string text;
    for (const auto& [link, messages] : links) text += fmt::format("{}>{}:{} ", link.first, link.second, messages);
    for (std::size_t v = 0; v < shown.at("nodes").size(); ++v)
        if (const std::uint64_t messages = shown.at("nodes")[v]; messages > 0)
            text += fmt::format("{}:{} ", v, messages);
    return text;
}

TEST(Player, ShowsInABrowserTheLoadWhatIsHeldAndTheCriticalPathAsTheReportCountsThem) {
    const std::string program = browser();
    if (program.empty()) GTEST_SKIP() << "no browser here: install chromium to try the page";
    for (const Story& story :
         {told({"alltoall", "ring:5"}), told({"broadcast", "line:16", "", 1, Switching::wormhole}),
          told({"allreduce", "hypercube:3"}), told({"broadcast", "fat-tree:4"}), told({"gather", "mesh:3x3"})}) {
        const ShownPage shown = shown_by(program, story);
        ASSERT_FALSE(shown.states.is_null()) << shown.messages;
        EXPECT_EQ(shown.messages, "") << story.title;
        NodeStates states(story);
        const std::vector<Step> steps = steps_of(story);
        for (std::size_t k = 0; k <= steps.size(); ++k) {
            if (k > 0) states.take(steps[k - 1]);
            const Round last = k == 0 ? 0 : steps[k - 1].round;
            EXPECT_EQ(text_of_load(shown.loads.at(k)),
                      text_of_load(load_of(story.schedule, story.topology(), story.collective, 1, last)))
                << story.title << " after step " << k;
            for (NodeId v = 0; v < story.topology().nodes(); ++v)
                EXPECT_EQ(shown.holds.at(k).at(v), states.held(v).size()) << story.title << ", node " << v;
        }
        std::vector<std::size_t> chain;
        for (const CriticalMessage& message : critical_path(story.schedule, story.machine, story.collective).messages)
            chain.push_back(message.transfer);
        EXPECT_EQ(shown.path.get<std::vector<std::size_t>>(), chain) << story.title;
        EXPECT_EQ(shown.views.size(), 4U);
        EXPECT_THAT(shown.views.at("load").get<std::string>(), testing::HasSubstr("messages over a link"));
    }
}

TEST(Player, ShowsInABrowserTheLoadOfEachNodeOfALargeMachine) {
    const std::string program = browser();
    if (program.empty()) GTEST_SKIP() << "no browser here: install chromium to try the page";
    const Story story = told({"broadcast", "mesh:150x140"});
    const ShownPage shown = shown_by(program, story);
    ASSERT_FALSE(shown.states.is_null()) << shown.messages;
    std::vector<std::uint64_t> expected(story.topology().nodes(), 0);
    for (const NodeLoad& node : load_of(story.schedule, story.topology(), story.collective).nodes)
        expected[node.node] = node.messages();
    EXPECT_EQ(shown.loads.get<std::vector<std::uint64_t>>(), expected);
    EXPECT_EQ(shown.views.size(), 2U) << "rounds and load";
}

TEST(Player, FindsNodesAndPacketsInTheWordsOfReportsAndSaysWhatThereIsNot) {
    const std::string program = browser();
    if (program.empty()) GTEST_SKIP() << "no browser here: install chromium to try the page";
    const nlohmann::json of_pairs = shown_by(program, told({"alltoall", "ring:5"})).finds;
    EXPECT_EQ(of_pairs.at("0").dump(), R"([0,-1,""])");
    EXPECT_EQ(of_pairs.at("node 1").dump(), R"([1,-1,""])");
    EXPECT_EQ(of_pairs.at("2>1").dump(), R"([-1,11,""])") << "the packet of node 2 for node 1";
    for (const char* wrong : {"77", "nobody"})
        EXPECT_THAT(of_pairs.at(wrong).at(2).get<std::string>(),
                    testing::HasSubstr("want a node (0 to 4) or a packet"));
    const nlohmann::json of_numbers = shown_by(program, told({"scatter", "line:4"})).finds;
    EXPECT_EQ(of_numbers.at("p0").dump(), R"([-1,0,""])");
    EXPECT_THAT(of_numbers.at("p99").at(2).get<std::string>(), testing::HasSubstr("there is no packet 'p99'; want"));
}

TEST(Player, ShowsALargeMachineInABrowserWithoutAWordOfTheConsole) {
    const std::string program = browser();
    if (program.empty()) GTEST_SKIP() << "no browser here: install chromium to try the page";
    for (const Story& story :
         {told({"broadcast", "mesh:150x140"}), told({"broadcast", "torus:145x145", "flooding", no_port})}) {
        const ShownPage shown = shown_by(program, story);
        ASSERT_FALSE(shown.states.is_null()) << shown.messages;
        EXPECT_EQ(shown.messages, "") << story.title;
        EXPECT_EQ(shown.finds.at("77").dump(), R"([77,-1,""])");
        EXPECT_EQ(shown.states.back().at("drawn").at("round"), story.verdict.per_round.back().round);
    }
}

/// Without a browser: the page holds what the report counts.
nlohmann::json data_of(const std::string& page) {
    const std::string_view mark = "<script type=\"application/json\" id=\"data\">";
    const std::size_t begin = page.find(mark) + mark.size();
    return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(Player, HoldsTheNumbersOfTheReport) {
    for (const std::string_view operation :
         {"broadcast", "scatter", "gather", "reduce", "allreduce", "scan", "alltoall"}) {
        const Story story = told({operation, "hypercube:4"});
        const nlohmann::json data = data_of(picture("html", story));
        EXPECT_EQ(data.at("nodes"), 16);
        EXPECT_EQ(data.at("measured").at("rounds"), story.verdict.metrics.rounds);
        EXPECT_EQ(data.at("from").size(), story.schedule.size());
        ASSERT_EQ(data.at("rounds").size(), story.verdict.per_round.size());
        std::uint64_t reached = reached_before(story.collective.operation);
        for (std::size_t i = 0; i < data.at("rounds").size(); ++i) {
            reached += story.verdict.per_round[i].reached;
            EXPECT_EQ(data.at("rounds")[i].at("messages"), story.verdict.per_round[i].transfers);
            EXPECT_EQ(data.at("rounds")[i].at("bytes"), story.verdict.per_round[i].bytes);
            EXPECT_EQ(data.at("rounds")[i].at("reached"), reached) << operation;
        }
    }
}

TEST(Player, CountsTheNodesReachedBeforeTheRoundsShown) {
    const Story story = told({"broadcast", "hypercube:4"});
    for (const Round first : {Round{1}, Round{2}, Round{4}}) {
        const std::string page = picture("html", story, {.first = first});
        EXPECT_EQ(data_of(page).at("reached_before"), 1U << (first - 1)) << "rounds from " << first;
    }
}

TEST(Player, ShowsALargeMachineAsAHeatMapBelow10Megabytes) {
    const std::string page = picture("html", told({"broadcast", "hypercube:17"}));
    const nlohmann::json data = data_of(page);
    EXPECT_EQ(data.at("mode"), "heat");
    EXPECT_EQ(data.at("heat").at("block"), 1);
    EXPECT_LT(page.size(), std::size_t{1} << 20);  // a million nodes take eight times as much
    EXPECT_EQ(data.at("rounds").size(), 17);
}

TEST(Player, DrawsTheRowsOfALargeMeshAsRows) {
    for (const auto& [spec, row, width, height] :
         {std::tuple("mesh:150x140", 140, 140, 150), std::tuple("torus:200x200", 200, 200, 200),
          std::tuple("ring:21000", 145, 145, 145), std::tuple("mesh:1100x1000", 1000, 500, 550)}) {
        const nlohmann::json heat = data_of(picture("html", told({"broadcast", spec}))).at("heat");
        EXPECT_EQ(heat.at("row"), row) << spec;
        EXPECT_EQ(heat.at("width"), width) << spec;
        EXPECT_EQ(heat.at("height"), height) << spec;
    }
}

TEST(Player, ShowsNoFolderOfTheComputer) {
    Report report;
    report.machine.topology = make_topology("ring:4");
    report.collective = Collective::broadcast(0, 8);
    report.algorithm = "/home/somebody/mine.cpp";
    report.again = "kport run broadcast --on ring:4 --algorithm /home/somebody/mine.cpp";
    const Story story = story_of(report, {});
    EXPECT_THAT(story.title, testing::HasSubstr(" by mine.cpp"));
    EXPECT_EQ(picture("html", story).find("/home"), std::string::npos);
}

TEST(Player, BowsTheWrapsOfATorus) {
    const auto data = data_of(picture("html", told({"scatter", "torus:3x3"})));
    EXPECT_EQ(data.at("bowed").dump(), "[0,6,0,2,1,7,2,8,3,5,6,8]");
}

TEST(Player, LoadsNothingFromElsewhere) {
    const std::string page = picture("html", told({"broadcast", "line:3"}));
    for (const std::string_view part : {"http://", "https://", "src=", "@import", "fetch("})
        EXPECT_EQ(page.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace kport
