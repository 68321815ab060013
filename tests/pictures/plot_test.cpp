/// @file plot_test.cpp   Plots draw every point, line, bound and name; axes fit their values.
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/pictures/crossings.hpp"
#include "app/pictures/plot.hpp"

namespace kport::plots {
namespace {

using testing::HasSubstr;

std::size_t count_of(std::string_view text, std::string_view word) {
    std::size_t count = 0;
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) ++count;
    return count;
}

TEST(Plots, DrawEveryPointLineAndName) {
    const Plot plot{"a < b & c",
                    PlotAxis::bytes,
                    "bytes of a packet",
                    "time of one operation",
                    true,
                    "measured",
                    "fitted",
                    "lower bound",
                    {{"one", {{8, 1e-6, 9e-7, 2e-6, 1e-6, 5e-7}, {64, 1e-5, 9e-6, 2e-5, 1e-5, {}}}},
                     {"two", {{8, 1e-3, 1e-3, 1e-3, -1, {}}}}}};
    const std::string svg = svg_of(plot);
    EXPECT_THAT(svg, testing::StartsWith("<svg "));
    EXPECT_THAT(svg, testing::EndsWith("</svg>\n"));
    for (const char* text : {"a &lt; b &amp; c", ">one<", ">two (one sample)<", "8 B", "64 B", "10 us",
                             "bytes of a packet", "time of one operation", "lower bound"})
        EXPECT_THAT(svg, HasSubstr(text));
    EXPECT_EQ(count_of(svg, "<circle"), 3U + 1) << "and one in the legend";
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
}

Plot plot_over(PlotAxis axis, std::vector<PlotSeries> series) {
    return {"latency", axis, "along", "latency", false, "run", "of one", "bound", std::move(series)};
}

TEST(Plots, AreLinearWhereAValueIsZero) {
    const std::string svg = svg_of(plot_over(PlotAxis::number, {{"one", {{0, 0, 0, 0, 0, 0}, {4, 8, 8, 8, 8, 4}}}}));
    for (const char* text : {">0</text>", ">2</text>", ">3</text>", ">6</text>", ">8</text>"})
        EXPECT_THAT(svg, HasSubstr(text));
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
    const std::string constant =
        svg_of(plot_over(PlotAxis::node, {{"one", {{0, 0, 0, 0, 0, {}}, {1, 0, 0, 0, 0, {}}}}}));
    EXPECT_EQ(constant.find("nan"), std::string::npos);
    EXPECT_THAT(constant, testing::Not(HasSubstr(">0.5</text>\n<line x1"))) << "a node is a whole number";
    EXPECT_THAT(svg_of(plot_over(PlotAxis::number, {{"one", {{0.001, 1, 1, 1, 1, 1}, {10, 2, 2, 2, 2, 1}}}})),
                HasSubstr(">0.01</text>"))
        << "prices that span powers of ten";
}

TEST(Plots, DrawABoundThatAllCurvesHaveOnce) {
    const PlotSeries one{"one", {{1, 2, 2, 2, 2, 1}, {2, 4, 4, 4, 4, 2}}};
    const PlotSeries two{"two", {{1, 3, 3, 3, 3, 1}, {2, 5, 5, 5, 5, 2}}};
    const PlotSeries other{"other", {{1, 3, 3, 3, 3, 1.5}, {2, 5, 5, 5, 5, 2}}};
    EXPECT_EQ(count_of(svg_of(plot_over(PlotAxis::count, {one, two})), "<polyline"), 2U + 1);
    EXPECT_EQ(count_of(svg_of(plot_over(PlotAxis::count, {one, other})), "<polyline"), 2U + 2);
}

TEST(Plots, DrawABoundOverTheSamplesOfAllWhereEachCurveHasItsOwn) {
    const PlotSeries few{"few", {{1, 2, 2, 2, 2, 1}, {4, 4, 4, 4, 4, 3}}};
    const PlotSeries many{"many", {{1, 3, 3, 3, 3, 1}, {2, 4, 4, 4, 4, 2.5}, {4, 5, 5, 5, 5, 3}}};
    const PlotSeries apart{"apart", {{3, 5, 5, 5, 5, 2}, {5, 5, 5, 5, 5, 2}}};
    const std::string svg = svg_of(plot_over(PlotAxis::count, {few, many}));
    EXPECT_EQ(count_of(svg, "<polyline"), 2U + 1);
    const std::size_t dotted = svg.find("stroke-dasharray=\"2 4\"");
    EXPECT_EQ(std::ranges::count(svg.substr(0, dotted).substr(svg.rfind("<polyline", dotted)), ','), 3)
        << "its samples";
    EXPECT_EQ(count_of(svg_of(plot_over(PlotAxis::count, {few, apart})), "<polyline"), 2U + 2)
        << "nothing says that it is the same bound";
}

TEST(Plots, GiveOtherMarksToSeriesWhoseColoursRepeat) {
    std::vector<PlotSeries> series;
    for (int i = 0; i < 18; ++i) {
        const double y = 1 + i;
        series.push_back({fmt::format("series {}", i), {{1, y, y, y, y, {}}, {100, y, y, y, y, {}}}});
    }
    const std::string svg = svg_of(plot_over(PlotAxis::count, series));
    EXPECT_EQ(count_of(svg, "<circle"), 8U * 3 + 1) << "two dots and one in the legend, and what dots are";
    EXPECT_EQ(count_of(svg, "<polygon"), 10U * 3) << "other marks for the ten others";
}

TEST(Plots, ShowAnIntervalInTheLegendWhereThereIsOne) {
    const auto lines = [](double low, double high) {
        return count_of(svg_of(plot_over(PlotAxis::count, {{"one", {{1, 2, low, high, 2, {}}, {2, 2, 2, 2, 2, {}}}}})),
                        "stroke-width=\"1.5\"");
    };
    EXPECT_EQ(lines(2, 2), 1U) << "the bound in the legend";
    EXPECT_EQ(lines(1, 3), 3U) << "and an interval in the field and in the legend";
}

TEST(APlot, SaysWhereThereIsOneSampleAndNoLine) {
    const std::string svg =
        svg_of(plot_over(PlotAxis::count, {{"a", {{1, 8, 8, 8, 8, 7}}}, {"b", {{1, 9, 9, 9, 9, 7}}}}));
    EXPECT_THAT(svg, HasSubstr(">one sample: there is no line<"));
    EXPECT_EQ(count_of(svg, "stroke-opacity=\"0.35\""), 0U) << "nor one in the legend";
    EXPECT_EQ(count_of(svg, "stroke-dasharray=\"2 4\""), 2U) << "the bound is a dash, and in the legend";
    const std::string some = svg_of(
        plot_over(PlotAxis::count, {{"a", {{1, 8, 8, 8, 8, 7}}}, {"b", {{1, 9, 9, 9, 9, 7}, {2, 9, 9, 9, 9, 7}}}}));
    EXPECT_THAT(some, HasSubstr(">a (one sample)<"));
    EXPECT_THAT(some, testing::Not(HasSubstr("there is no line")));
}

TEST(APlot, OfZerosSaysSoAndHasThemAtItsBottom) {
    const std::string svg = svg_of(plot_over(PlotAxis::number, {{"a", {{1, 0, 0, 0, 0, 0}, {2, 0, 0, 0, 0, 0}}}}));
    EXPECT_THAT(svg, HasSubstr(">all values are 0<"));
    EXPECT_THAT(svg, HasSubstr(">1</text>")) << "an axis from 0 to 1";
    EXPECT_THAT(svg_of(plot_over(PlotAxis::number, {{"a", {{1, 0, 0, 0, 0, 0}, {2, 1, 1, 1, 1, 0}}}})),
                testing::Not(HasSubstr("all values are 0")));
}

TEST(Plots, ShowCurvesThatCoincide) {
    const PlotSeries one{"one", {{1, 2, 2, 2, 2, {}}, {2, 4, 4, 4, 4, {}}, {3, 5, 5, 5, 5, {}}}};
    const PlotSeries same{"same", one.points};
    const PlotSeries half{"half", {{1, 2, 2, 2, 2, {}}, {2, 4, 4, 4, 4, {}}, {3, 9, 9, 9, 9, {}}}};
    const std::string svg = svg_of(plot_over(PlotAxis::count, {one, same}));
    EXPECT_EQ(count_of(svg, "stroke-dasharray=\"10 10\" stroke-dashoffset=\"0\""), 1U);
    EXPECT_EQ(count_of(svg, "stroke-dasharray=\"10 10\" stroke-dashoffset=\"-10\""), 1U);
    EXPECT_EQ(count_of(svg, "r=\"5\""), 3U) << "rings";
    EXPECT_THAT(svg, HasSubstr(">same (as one)<"));
    const std::string parting = svg_of(plot_over(PlotAxis::count, {one, half}));
    EXPECT_EQ(count_of(parting, "stroke-dasharray=\"10 10\""), 2U) << "from the first point to the second";
    EXPECT_EQ(count_of(parting, "<polyline"), 2U + 2);
    EXPECT_EQ(count_of(parting, "r=\"5\""), 2U);
    EXPECT_THAT(parting, HasSubstr(">half<"));
    EXPECT_EQ(count_of(svg_of(plot_over(PlotAxis::count, {one})), "stroke-dasharray=\"10"), 0U);
}

PlotSeries curve(const std::string& name, const std::vector<double>& values) {
    PlotSeries series{name, {}};
    for (std::size_t i = 0; i < values.size(); ++i)
        series.points.push_back({std::exp2(i), values[i], values[i], values[i], values[i], {}});
    return series;
}

std::vector<std::string> crossings_in(const Plot& plot) {
    std::vector<std::string> found;
    for (const Crossing& one : crossings_of(plot))
        found.push_back(plot.series[one.lower_before].name + " " + plot.series[one.lower_after].name + " " +
                        place_of(plot, one));
    return found;
}

std::vector<std::string> crossings_in(std::vector<PlotSeries> series) {
    return crossings_in(plot_over(PlotAxis::count, std::move(series)));
}

TEST(Crossings, LieBetweenTwoSamplesOrAtOneWhereTheCurvesAreEqual) {
    using testing::ElementsAre;
    using testing::IsEmpty;
    const PlotSeries rising = curve("rising", {1, 2, 3, 4});
    EXPECT_THAT(crossings_in({rising, curve("flat", {2.5, 2.5, 2.5, 2.5})}),
                ElementsAre("rising flat between 2 and 4"));
    EXPECT_THAT(crossings_in({curve("flat", {2, 2, 2, 2}), rising}), ElementsAre("rising flat at 2"));
    EXPECT_THAT(crossings_in({curve("late", {2, 2, 3, 3.5}), rising}), ElementsAre("rising late equal from 2 to 4"));
    EXPECT_THAT(crossings_in({rising, curve("touches", {2, 2, 4, 5})}), IsEmpty());
    EXPECT_THAT(crossings_in({rising, curve("same", {1, 2, 3, 4})}), IsEmpty());
    EXPECT_THAT(crossings_in({rising, curve("from the start", {1, 2, 2, 2})}), IsEmpty()) << "never higher";
    EXPECT_THAT(
        crossings_in({rising, curve("zigzag", {2, 1, 4, 3})}),
        ElementsAre("rising zigzag between 1 and 2", "zigzag rising between 2 and 4", "rising zigzag between 4 and 8"));
}

TEST(Crossings, TakeRoundingForEqualityAndCoincidingCurvesForOne) {
    const PlotSeries one = curve("one", {1, 0.1 + 0.2, 1});
    EXPECT_THAT(crossings_in({one, curve("other", {2, 0.3, 0.5})}), testing::ElementsAre("one other at 2"));
    EXPECT_THAT(crossings_in({one, curve("copy", {1, 0.1 + 0.2, 1}), curve("other", {2, 2, 0.5})}),
                testing::ElementsAre("one other between 2 and 4"));
}

TEST(Crossings, AreKnownOnlyWhereBothCurvesHaveOneValue) {
    PlotSeries gap = curve("gap", {2, 9, 2, 2});
    gap.points.erase(gap.points.begin() + 1);
    EXPECT_THAT(crossings_in({curve("rising", {1, 2, 3, 4}), gap}), testing::ElementsAre("rising gap between 1 and 4"));
    PlotSeries twice = curve("twice", {2, 2, 2, 2});
    twice.points.push_back({2, 7, 7, 7, 7, {}});
    EXPECT_THAT(crossings_in({curve("rising", {1, 3, 4, 5}), twice}),
                testing::ElementsAre("rising twice between 1 and 4"))
        << "two values at 2 say nothing there";
}

Plot plot_of_places(PlotAxis axis, std::vector<PlotSeries> series) {
    for (PlotSeries& each : series)
        for (std::size_t i = 0; i < each.points.size(); ++i) each.points[i].x = static_cast<double>(i);
    Plot plot = plot_over(axis, std::move(series));
    plot.places = {"1", "2", "a<b"};
    plot.marks_crossings = true;
    return plot;
}

TEST(Crossings, NamePlacesAndAreNotAmongWords) {
    const std::vector<PlotSeries> series = {curve("rising", {1, 2, 4}), curve("flat", {3, 3, 3})};
    EXPECT_THAT(crossings_in(plot_of_places(PlotAxis::order, series)),
                testing::ElementsAre("rising flat between 2 and a<b"));
    EXPECT_THAT(svg_of(plot_of_places(PlotAxis::order, series)),
                testing::AllOf(HasSubstr(">a&lt;b</text>"), HasSubstr(">1  rising / flat: between 2 and a&lt;b<")));
    EXPECT_THAT(crossings_in(plot_of_places(PlotAxis::words, series)), testing::IsEmpty());
}

TEST(Crossings, AreMarkedWhereTheDrawnLinesMeet) {
    const Plot plot = plot_of_places(PlotAxis::order, {curve("rising", {0, 4, 4}), curve("falling", {4, 0, 0})});
    const std::string svg = svg_of(plot);
    EXPECT_THAT(svg, HasSubstr("<circle cx=\"270.7\" cy=\"248.0\" r=\"8\""))
        << "halfway between two of three places, at half the height of the field";
    EXPECT_EQ(count_of(svg, "class=\"crossing\""), 1U);
}

TEST(Crossings, BeyondThoseWithANumberAreCounted) {
    std::vector<PlotSeries> series;
    for (int i = 0; i < 8; ++i) series.push_back(curve(fmt::format("s{}", i), {1.0 + i, 100.0 - i * i}));
    Plot plot = plot_over(PlotAxis::count, series);
    plot.marks_crossings = true;
    const std::string svg = svg_of(plot);
    EXPECT_EQ(crossings_in(plot).size(), 28U) << "each two of eight";
    EXPECT_EQ(count_of(svg, " / "), 28U + 16 + 1) << "tooltips, lines of the legend, and its heading";
    EXPECT_THAT(svg, HasSubstr(">and 12 more<"));
}

TEST(Plots, StandSideBySideOverWords) {
    std::vector<PlotSeries> series = {curve("one", {2, 2, 2}), curve("two", {2, 2, 2})};
    for (PlotSeries& each : series)
        for (PlotPoint& point : each.points) point.bound = 1;
    const std::string svg = svg_of(plot_of_places(PlotAxis::words, series));
    EXPECT_EQ(count_of(svg, "<polyline"), 0U);
    EXPECT_EQ(count_of(svg, "<circle"), 6U + 1);
    EXPECT_EQ(count_of(svg, "r=\"5\""), 0U) << "no dot hides another";
    EXPECT_EQ(count_of(svg, "stroke-dasharray=\"2 4\""), 3U + 1) << "a dash for each word, and in the legend";
}

TEST(Plots, CountWithoutUnitWhereWhatTheyDrawIsNoTime) {
    const Plot plot{"latency", PlotAxis::bytes, "bytes",
                    "latency", false,           "predicted",
                    "of one",  "bound",         {{"one", {{8, 1, 1, 1, 1, 1}, {64, 9, 9, 9, 9, 9}}}}};
    const std::string svg = svg_of(plot);
    EXPECT_THAT(svg, HasSubstr(">5</text>"));
    EXPECT_THAT(svg, testing::Not(HasSubstr("5 s<")));
}

}  // namespace
}  // namespace kport::plots
