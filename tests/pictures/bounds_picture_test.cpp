/// @file bounds_picture_test.cpp   Bars of a run and of the arguments for its bounds: lengths, values, colours, and lies.
#include <map>
#include <regex>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/pictures/svg.hpp"
#include "tests/pictures/stories.hpp"

namespace kport {
namespace {

using testing::HasSubstr;
using testing::Not;

struct DrawnBar {
    double length = 0;
    std::string fill;
};

/// Bars by their tooltips, "fan-out (Lemma 1): 3"; the first of equal ones.
std::map<std::string, DrawnBar> bars_in(const std::string& svg) {
    static const std::regex bar(R"re(<title>([^<]*)</title>\n?<rect [^>]*width="([0-9.]+)"[^>]*fill="([^"]*)")re");
    std::map<std::string, DrawnBar> bars;
    for (auto at = std::sregex_iterator(svg.begin(), svg.end(), bar); at != std::sregex_iterator(); ++at)
        bars.emplace((*at)[1], DrawnBar{std::stod((*at)[2]), (*at)[3]});
    return bars;
}

/// Of a broadcast of 3 rounds, with these arguments about rounds.
Story arguing(std::vector<BoundArgument> arguments) {
    Story story = told({"broadcast", "hypercube:3"});
    story.bounds[Quantity::rounds] = arguments.front().value;
    story.arguments[Quantity::rounds] = std::move(arguments);
    return story;
}

TEST(BoundsPictures, HaveABarForTheRunAndForEachArgumentAsLongAsItsValue) {
    const std::string svg = picture("bounds", arguing({{"fan-out", 2, "Lemma 1"}, {"distance", 1.5, "Lemma 2"}}));
    const auto bars = bars_in(svg);
    ASSERT_TRUE(bars.contains("run: 3") && bars.contains("fan-out (Lemma 1): 2") &&
                bars.contains("distance (Lemma 2): 1.5"));
    const double run = bars.at("run: 3").length;
    EXPECT_NEAR(bars.at("fan-out (Lemma 1): 2").length, run * 2 / 3, 0.1);
    EXPECT_NEAR(bars.at("distance (Lemma 2): 1.5").length, run / 2, 0.1);
    EXPECT_NE(bars.at("fan-out (Lemma 1): 2").fill, bars.at("distance (Lemma 2): 1.5").fill)
        << "the largest is the bound";
    EXPECT_THAT(svg, HasSubstr(">1.5 times the bound<"));
    EXPECT_THAT(svg, HasSubstr(">another argument<"));
    EXPECT_THAT(svg, Not(HasSubstr("below")));
}

TEST(BoundsPictures, ShowARunThatMeetsItsBound) {
    const std::string svg = picture("bounds", arguing({{"fan-out", 3, "Lemma 1"}}));
    EXPECT_EQ(bars_in(svg).at("run: 3").fill, colour::all);
    EXPECT_THAT(svg, HasSubstr(">run that meets the bound<"));
    EXPECT_THAT(svg, Not(HasSubstr(">another argument<"))) << "none occurs";
}

TEST(BoundsPictures, ShowABoundThatLies) {
    const std::string svg = picture("bounds", arguing({{"false", 4, "a mistake"}, {"true", 3, "Lemma 1"}}));
    const auto bars = bars_in(svg);
    EXPECT_EQ(bars.at("false (a mistake): 4").fill, colour::broken);
    EXPECT_NE(bars.at("true (Lemma 1): 3").fill, colour::broken);
    EXPECT_GT(bars.at("false (a mistake): 4").length, bars.at("run: 3").length);
    EXPECT_THAT(svg, HasSubstr(">BELOW the bound: one of the two is wrong<"));
    EXPECT_THAT(svg, HasSubstr(">run below a bound, and the bound above it<"));
}

TEST(BoundsPictures, SayThatABrokenRunNeedNotMeetABound) {
    Story story = arguing({{"fan-out", 4, "Lemma 1"}});
    story.verdict.delivered = false;
    EXPECT_THAT(picture("bounds", story), HasSubstr(">below the bound, which holds for lawful runs only<"));
}

TEST(BoundsPictures, EscapeNamesAndBreakLongOnes) {
    const std::string longer =
        "a < b & c, and so on, with more words than fit beside the bars of a picture, as they may";
    const std::string svg = picture("bounds", arguing({{longer, 2, "Lemma 1"}}));
    EXPECT_THAT(svg, HasSubstr("a &lt; b &amp; c"));
    EXPECT_THAT(svg, Not(HasSubstr("< b")));
    EXPECT_GT(times(svg, "text-anchor=\"end\""),
              times(picture("bounds", arguing({{"short", 2, ""}})), "text-anchor=\"end\""));
}

TEST(BoundsPictures, HaveTheBoundAloneWhereNoArgumentsAreKnown) {
    Story story = told({"scatter", "hypercube:3"});
    story.bounds[Quantity::volume] = 448;
    EXPECT_TRUE(bars_in(picture("bounds", story)).contains("lower bound: 448"));
    Story none = story;
    none.bounds = {};
    EXPECT_THAT(picture("bounds", none), HasSubstr(">no bound known<"));
}

}  // namespace
}  // namespace kport
