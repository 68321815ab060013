/// @file traffic_pictures_test.cpp   Load, holdings and critical path: what is drawn is what was counted.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <boost/property_tree/xml_parser.hpp>

#include "app/pictures/heat_grid.hpp"
#include "app/pictures/pixels.hpp"
#include "app/pictures/scale.hpp"
#include "app/pictures/svg.hpp"
#include "emulator/base/error.hpp"
#include "emulator/report/words.hpp"
#include "emulator/schedule/critical_path.hpp"
#include "emulator/schedule/load.hpp"
#include "tests/pictures/stories.hpp"

namespace kport {
namespace {

using testing::HasSubstr;

std::vector<Story> stories_of_traffic() {
    return {told({"broadcast", "mesh:4x4"}),
            told({"alltoall", "ring:6"}),
            told({"gather", "hypercube:3"}),
            told({"allreduce", "torus:3x3", "", 1, Switching::store_and_forward, 2}),
            told({"broadcast", "ring:6", "flooding", no_port}),
            told({"broadcast", "line:16", "", 1, Switching::wormhole}),
            told({"broadcast", "fat-tree:4"}),
            told({"scan", "complete:5"}),
            told({"barrier", "ring:4"}),
            told({"broadcast", "complete:1"})};
}

TEST(LoadPictures, HaveAnArrowForEachChannelUsedAndItsCountInItsTooltip) {
    for (const Story& story : stories_of_traffic()) {
        const std::string svg = picture("load", story);
        std::istringstream in(svg);
        boost::property_tree::ptree tree;
        ASSERT_NO_THROW(boost::property_tree::read_xml(in, tree)) << story.title;
        const Load load = load_of(story.schedule, story.topology(), story.collective);
        EXPECT_EQ(load.messages, story.verdict.metrics.transfers) << story.title;
        EXPECT_EQ(times(svg, "<g class=\"message\">"), load.channels.size()) << story.title;
        for (const ChannelLoad& channel : load.channels)
            EXPECT_THAT(svg, HasSubstr(fmt::format("<title>{} -&gt; {} by port {}: {} message", channel.from,
                                                   channel.to, channel.port, channel.messages)));
        EXPECT_THAT(svg, HasSubstr("busiest node: "));
    }
}

TEST(LoadPictures, OfLargeMachinesAreHeatMapsOfTheirNodes) {
    const Story story = told({"broadcast", "mesh:40x50"});
    const std::string svg = picture("load", story);
    EXPECT_THAT(svg, HasSubstr("a square for each node"));
    EXPECT_EQ(times(svg, "<g class=\"message\">"), 0U);
    const Story larger = told({"broadcast", "hypercube:17"});
    EXPECT_THAT(picture("load", larger), HasSubstr("coloured as the busiest of them"));
    EXPECT_LT(picture("load", larger).size(), 2000000U);
}

TEST(LoadPictures, CountTheRoundsShown) {
    const Story story = told({"broadcast", "line:5"});
    const std::string svg = picture("load", story, {.first = 2, .last = 3});
    EXPECT_EQ(times(svg, "<g class=\"message\">"), 2U);
    EXPECT_THAT(svg, HasSubstr(">rounds 2 to 3</text>"));
}

TEST(ValueScales, HaveAClassForEachCountWhereTheyAreFew) {
    const ValueScale scale({3, 1, 3, 0, 7});
    ASSERT_EQ(scale.classes().size(), 3U);
    EXPECT_EQ(ValueScale::text_of(scale.of(1), "message"), "1 message");
    EXPECT_EQ(ValueScale::text_of(scale.of(7), "message"), "7 messages");
    EXPECT_TRUE(ValueScale({0, 0}).classes().empty());
    EXPECT_EQ(ValueScale::text_of(ValueScale({6.384, 0, 12000}).of(6.384)), "6.384");
}

TEST(ValueScales, NameTheCountsThatOccurInAClass) {
    std::vector<double> counts;
    for (int n = 1; n <= 1000; n += 3) counts.push_back(n);
    const ValueScale scale(counts);
    ASSERT_EQ(scale.classes().size(), 4U);
    for (const double n : counts) {
        EXPECT_LE(scale.of(n).least, n);
        EXPECT_GE(scale.of(n).most, n);
    }
    EXPECT_EQ(scale.classes().front().least, 1);
    EXPECT_EQ(scale.classes().back().most, 1000);
}

double luminance(std::string_view colour) {
    unsigned rgb = 0;
    std::sscanf(std::string(colour).c_str(), "#%x", &rgb);
    const auto part = [&](unsigned shift) {
        const double c = ((rgb >> shift) & 0xFFU) / 255.0;
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0);
}

double contrast(std::string_view a, std::string_view b) {
    const auto [low, high] = std::minmax({luminance(a), luminance(b)});
    return (high + 0.05) / (low + 0.05);
}

// WCAG 2.1: 3:1 for what carries meaning, 4.5:1 for text.
TEST(ValueScales, CanBeSeenOnWhiteAndReadFrom) {
    const ValueScale scale({1, 2, 3, 4});
    for (const ValueScale::Class& one : scale.classes()) {
        EXPECT_GE(contrast(one.shade.fill, colour::paper), 3) << one.shade.fill;
        EXPECT_GE(contrast(one.shade.fill, one.shade.ink), 4.5) << one.shade.fill;
    }
    EXPECT_GE(contrast(colour::link, colour::paper), 3);
    EXPECT_GE(contrast(colour::message, colour::paper), 3);
}

TEST(HeatGrids, HaveASquareForEachNodeOrForASquareOfNodes) {
    for (const char* spec : {"mesh:40x50", "ring:1000", "hypercube:11", "line:7", "complete:1", "mesh:2x100000"}) {
        const auto topology = make_topology(spec);
        for (const std::size_t most : {std::size_t{64}, std::size_t{100000}}) {
            const HeatGrid grid(*topology, most);
            EXPECT_LE(grid.width() * grid.height(), std::max<std::size_t>(most, 1)) << spec;
            for (NodeId v = 0; v < topology->nodes(); ++v) ASSERT_LT(grid.square_of(v), grid.squares()) << spec;
        }
    }
}

TEST(HoldingsPictures, HaveTheNumberOfPacketsThatEachNodeHoldsAfterEachRound) {
    for (const Story& story : {told({"scatter", "hypercube:3"}), told({"allgather", "ring:5"}),
                               told({"gather", "line:4"}), told({"allreduce", "hypercube:2"})}) {
        const std::string svg = picture("holdings", story);
        std::map<std::uint64_t, std::size_t> expected;
        NodeStates states(story);
        const auto count = [&] {
            for (NodeId v = 0; v < story.topology().nodes(); ++v)
                if (const std::uint64_t held = states.held(v).size(); held > 0) ++expected[held];
        };
        count();
        for (const Step& step : steps_of(story)) {
            states.take(step);
            count();
        }
        for (const auto& [number, cells] : expected)
            EXPECT_EQ(times(svg, fmt::format("text-anchor=\"middle\">{}</text>", number)) -
                          (number <= steps_of(story).size() ? 1 : 0),  // the heading of that round
                      cells)
                << story.title << " " << number;
    }
}

TEST(HoldingsPictures, OfManyNodesAndRoundsStayReadable) {
    const std::string svg = picture("holdings", told({"broadcast", "line:300"}));
    EXPECT_THAT(svg, HasSubstr("holds the packet"));
    EXPECT_LT(svg.size(), 200000U);
    EXPECT_THROW((void)picture("holdings", told({"broadcast", "hypercube:11"})), RequestError);
}

TEST(CriticalPathPictures, HaveTheMessagesOfTheChainWithTheirRounds) {
    for (const Story& story : stories_of_traffic()) {
        const CriticalPath path = critical_path(story.schedule, story.machine, story.collective);
        const std::string svg = picture("critical-path", story);
        for (const CriticalMessage& message : path.messages)
            EXPECT_THAT(svg, HasSubstr(fmt::format("round {}: {} -&gt; {}", message.round, message.from, message.to)));
        if (path.messages.empty())
            EXPECT_THAT(svg, HasSubstr("nothing moves"));
        else
            EXPECT_EQ(path.messages.back().round, story.verdict.metrics.rounds) << story.title;
    }
}

TEST(Animations, HaveAFrameForEachRoundOfWhichOneIsVisibleWithoutMotion) {
    for (const Story& story : stories_of_traffic()) {
        const std::string svg = picture("animation", story);
        std::istringstream in(svg);
        boost::property_tree::ptree tree;
        ASSERT_NO_THROW(boost::property_tree::read_xml(in, tree)) << story.title;
        const std::size_t rounds = steps_of(story).size();
        EXPECT_EQ(times(svg, "<g class=\"frame\""), rounds + 1) << story.title << ": and the state at the end";
        EXPECT_EQ(times(svg, "visibility=\"visible\""), 1U);
        EXPECT_EQ(times(svg, "<g class=\"message\">"), story.schedule.size()) << story.title;
    }
}

/// Big-endian, as in the header of a PNG.
std::uint32_t number_at(const std::string& png, std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t i = at; i < at + 4; ++i) number = number << 8U | static_cast<unsigned char>(png.at(i));
    return number;
}

class Png : public testing::Test {
  protected:
    void SetUp() override {
        try {
            require_png();
        } catch (const RequestError& error) {
            GTEST_SKIP() << error.what();
        }
    }
};

TEST_F(Png, HasTheWidthThatIsAskedForAndTheShapeOfTheSvg) {
    for (const std::string_view kind : {"svg", "overview", "space-time", "load", "holdings", "critical-path"}) {
        const std::string png = picture(kind, told({"scatter", "hypercube:3"}), {.png = true, .pixels = 640});
        EXPECT_EQ(png.substr(1, 3), "PNG") << kind;
        EXPECT_EQ(number_at(png, 16), 640U) << kind;
    }
    const std::string svg = R"(<svg xmlns="http://www.w3.org/2000/svg" width="30" height="10"/>)";
    EXPECT_EQ(number_at(png_of(svg, 0), 16), 60U);
    EXPECT_EQ(number_at(png_of(svg, 300), 20), 100U);
}

TEST_F(Png, IsRefusedWhereItWouldBeTooLargeOrTheSvgIsNone) {
    const auto refusal = [](std::string_view svg, std::uint64_t width) -> std::string {
        try {
            (void)png_of(svg, width);
        } catch (const RequestError& error) {
            return error.what();
        }
        return "";
    };
    const std::string high = R"(<svg xmlns="http://www.w3.org/2000/svg" width="10" height="1000"/>)";
    EXPECT_THAT(refusal(high, 16000), HasSubstr("are too many; want at most --width 819"));
    EXPECT_THAT(refusal(high, 800), HasSubstr("want at most --width 327"));
    EXPECT_THAT(refusal("<svg", 100), HasSubstr("librsvg cannot draw the picture"));
    EXPECT_THAT(refusal("", 100), HasSubstr("librsvg cannot draw the picture"));
    EXPECT_THAT(refusal(R"(<svg xmlns="http://www.w3.org/2000/svg" width="0" height="0"/>)", 100),
                HasSubstr("no size"));
}

/// Frames of a WebP: begins and lengths of its chunks stand in the file, little-endian (RFC 9649).
struct Frames {
    std::uint32_t width = 0, height = 0, times = 1;
    std::vector<std::uint32_t> milliseconds;
};
Frames frames_of(const std::string& webp) {
    const auto number = [&](std::size_t at, std::size_t bytes) {
        std::uint32_t value = 0;
        for (std::size_t i = bytes; i-- > 0;) value = value << 8U | static_cast<unsigned char>(webp.at(at + i));
        return value;
    };
    Frames frames;
    for (std::size_t at = 12; at < webp.size(); at += 8 + number(at + 4, 4) + number(at + 4, 4) % 2) {
        const std::string kind = webp.substr(at, 4);
        if (kind == "VP8X") {
            frames.width = number(at + 12, 3) + 1;
            frames.height = number(at + 15, 3) + 1;
        }
        if (kind == "ANIM") frames.times = number(at + 12, 2);
        if (kind == "ANMF") frames.milliseconds.push_back(number(at + 20, 3));
    }
    return frames;
}

class Webp : public testing::Test {
  protected:
    void SetUp() override {
        try {
            require_webp();
        } catch (const RequestError& error) {
            GTEST_SKIP() << error.what();
        }
    }
};

TEST_F(Webp, ShowsEachRoundForAsLongAsTheAnimatedSvgWithoutEnd) {
    for (const auto& [operation, machine] : {std::pair{"scatter", "hypercube:3"}, {"broadcast", "mesh:3x3"}}) {
        const Story story = told({operation, machine});
        const std::string webp = picture("animation", story, {.webp = true, .pixels = 480});
        EXPECT_EQ(webp.substr(0, 4) + webp.substr(8, 4), "RIFFWEBP");
        const Frames frames = frames_of(webp);
        EXPECT_EQ(frames.width, 480U);
        EXPECT_EQ(frames.times, 0U) << "without end";
        EXPECT_EQ(frames.milliseconds, std::vector<std::uint32_t>(steps_of(story).size() + 1, 1500)) << story.title;
        EXPECT_EQ(picture("webp", story, {.pixels = 480}), webp) << "the same every time";
    }
}

TEST_F(Webp, ShowsTheFrameThatIsItsTurnAndNoOther) {
    const auto file = [](const std::string& first, const std::string& second) {
        const auto group = [](int i, const std::string& colour) {
            return fmt::format(
                R"(<g class="frame" id="frame-{}" visibility="{}"><rect width="64" height="64" fill="{}"/></g>)", i,
                i == 1 ? "visible" : "hidden", colour);
        };
        return webp_of(R"(<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64">)" + group(0, first) +
                           group(1, second) + "</svg>",
                       64, 1);
    };
    EXPECT_EQ(frames_of(file("#f00", "#00f")).milliseconds, (std::vector<std::uint32_t>{1000, 1000}));
    EXPECT_NE(file("#f00", "#00f"), file("#0f0", "#00f")) << "the first one is seen";
    EXPECT_NE(file("#f00", "#00f"), file("#f00", "#0f0")) << "and the second one";
    EXPECT_EQ(frames_of(file("#f00", "#f00")).milliseconds.size(), 0U) << "nothing moves: a picture that stands still";
}

TEST_F(Webp, IsRefusedWhereItWouldBeTooLarge) {
    std::string svg = R"(<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="1000">)";
    for (int i = 0; i < 100; ++i) svg += fmt::format(R"(<g id="frame-{}"/>)", i);
    try {
        (void)webp_of(svg + "</svg>", 8000, 1);
        ADD_FAILURE() << "6.4 gigapixels";
    } catch (const RequestError& error) {
        EXPECT_STREQ(error.what(),
                     "WebP: 100 frames of 8000 x 8000 pixels are too many; want at most --width 3276, or some rounds: "
                     "--rounds 1-15");
    }
    EXPECT_THROW((void)webp_of(R"(<svg xmlns="http://www.w3.org/2000/svg" width="10" height="1000"/>)", 200, 1),
                 RequestError)
        << "20000 high";
}

TEST_F(Png, IsTheSameEveryTime) {
    const std::string svg = picture("load", told({"broadcast", "mesh:4x4"}));
    EXPECT_EQ(png_of(svg, 500), png_of(svg, 500));
}

}  // namespace
}  // namespace kport
