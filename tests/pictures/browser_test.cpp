// The page in a real browser, where there is one: it loads without a message and shows what the auditor counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

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

/// Goes through all rounds and writes down what is shown.
constexpr std::string_view walk = R"(<script>
const shown = [];
for (let k = 0; k <= kport.data.rounds.length; ++k) { kport.go(k); shown.push({...kport.state(), row: document.querySelectorAll("tr.current").length}); kport.go(k + 0.5); }
kport.follow(0, -1, -1); kport.follow(-1, 0, -1);
const told = document.createElement("pre"); told.id = "told"; told.textContent = "TOLD" + JSON.stringify(shown) + "END"; document.body.append(told);
</script>)";

struct ShownPage {
    nlohmann::json states;
    std::string messages;  ///< of the console
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
    if (begin == std::string::npos || end == std::string::npos) return {nullptr, all};
    shown.states = nlohmann::json::parse(all.substr(begin + 19, end - begin - 19));
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
        }
        EXPECT_EQ(shown.states.back().at("learned"), story.verdict.holders);
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

TEST(Player, ShowsALargeMachineAsAHeatMapBelow10Megabytes) {
    const std::string page = picture("html", told({"broadcast", "hypercube:17"}));
    const nlohmann::json data = data_of(page);
    EXPECT_EQ(data.at("mode"), "heat");
    EXPECT_EQ(data.at("heat").at("per"), 1);
    EXPECT_LT(page.size(), std::size_t{1} << 20);  // a million nodes take eight times as much
    EXPECT_EQ(data.at("rounds").size(), 17);
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
