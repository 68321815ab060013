/// @file drawn_lies_test.cpp   Pictures of comparisons whose bounds are wrong say so.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/requests/command_line.hpp"
#include "app/requests/compared.hpp"
#include "emulator/base/error.hpp"
#include "tests/cli/kport.hpp"

namespace kport::requests {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Compared {
    Words words;
    Variants variants;
    Comparisons all;
};

Compared compared_with(const std::string& picture) {
    const std::vector<std::string> typed = test::words(
        "kport compare broadcast --on ring:4 --algorithm farthest-first --plot-of rounds --plot - " + picture);
    std::vector<const char*> line;
    for (const std::string& word : typed) line.push_back(word.c_str());
    Compared compared;
    compared.words = CommandLineReader(80).read(static_cast<int>(line.size()), line.data());
    compared.variants = variants_of(compared.words);
    compared.all = compare(compared.variants.experiments);
    return compared;
}

TEST(AMapOfSources, MarksANodeWhoseBoundIsAboveItsRun) {
    Compared compared = compared_with("--source all --plot-as map");
    const std::string true_one = *compare_map(compared.words, compared.variants, compared.all);
    EXPECT_THAT(true_one, Not(HasSubstr("below its bound")));
    compared.all.machines[2].reports[0].bounds[Quantity::rounds].value = 7;
    const std::string svg = *compare_map(compared.words, compared.variants, compared.all);
    EXPECT_THAT(svg,
                HasSubstr("stroke=\"#c8002d\" stroke-width=\"2.6\"><title>from node 2: rounds 2, bound 7</title>"));
    EXPECT_THAT(svg, HasSubstr(">below its bound<"));
    EXPECT_THAT(svg, HasSubstr("BELOW the bound"));
    EXPECT_THAT(svg, HasSubstr("<title>from node 2: rounds 7</title>")) << "the bound's own map";
}

TEST(AMapOfSources, IsRefusedWhereThereAreTooManyAlgorithms) {
    Compared compared = compared_with("--source all --plot-as map");
    const Report report = compared.all.machines[0].reports[0];
    for (int i = 0; i < 15; ++i) {
        compared.all.machines[0].reports.push_back(report);
        compared.all.machines[0].reports.back().algorithm = "a" + std::to_string(i);
    }
    EXPECT_THROW((void)compare_map(compared.words, compared.variants, compared.all), RequestError);
}

TEST(CurvesOfAPlot, DrawABoundThatLiesAboveTheRun) {
    Compared compared = compared_with("--ports 1,2");
    for (Comparison& machine : compared.all.machines) machine.reports[0].bounds[Quantity::rounds].value = 7;
    const plots::Plot plot = *compare_curves(compared.words, compared.variants, compared.all);
    for (const plots::PlotPoint& point : plot.series.at(0).points) {
        EXPECT_EQ(point.measured, 2);
        EXPECT_EQ(point.bound, 7);
    }
    EXPECT_THAT(plots::svg_of(plot), HasSubstr(">run below its bound<"));
}

}  // namespace
}  // namespace kport::requests
