/// @file calibration_test.cpp   Least squares on times computed from known prices; calibrations on disk.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/base/error.hpp"
#include "measure/calibration.hpp"
#include "measure/calibration_file.hpp"
#include "measure/least_squares.hpp"
#include "measure/plot.hpp"
#include "tests/support/own_folder.hpp"

namespace kport::measure {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using Rows = std::vector<std::vector<double>>;

std::vector<double> times_of(const Rows& counts, const std::vector<double>& prices) {
    std::vector<double> times;
    for (const std::vector<double>& row : counts) {
        double time = 0;
        for (std::size_t i = 0; i < row.size(); ++i) time += row[i] * prices[i];
        times.push_back(time);
    }
    return times;
}

/// Rounds, bytes and hops as a sweep over sizes and machines has them.
Rows sweep(bool hops_apart) {
    Rows rows;
    for (const double rounds : {2.0, 5.0, 10.0, 20.0})
        for (const double bytes : {8.0, 512.0, 65536.0, 1048576.0})
            rows.push_back({rounds, rounds * bytes, hops_apart ? rounds * rounds : rounds});
    return rows;
}

RC_GTEST_PROP(LeastSquares, FindsThePricesThatExplainEverything, ()) {
    const auto price = [] { return *rc::gen::inRange(1, 100000) / 100.0; };
    const std::vector<double> prices = {1000 * price(), price() / 1000, price()};
    const Rows rows = sweep(true);
    const Fit fit = least_squares(rows, times_of(rows, prices));
    for (std::size_t i = 0; i < prices.size(); ++i) {
        RC_ASSERT(fit.prices[i].has_value());
        RC_ASSERT(std::abs(fit.prices[i]->value - prices[i]) <= 1e-6 * prices[i] + 1e-6);
    }
    RC_ASSERT(fit.miss < 1e-9);
    RC_ASSERT(fit.degrees_of_freedom == rows.size() - prices.size());
}

/// In 20 runs with noise of up to 5 % either way a 95 % interval misses the price sometimes, but never for all three
/// prices at once by more than four of its widths.
RC_GTEST_PROP(LeastSquares, HasIntervalsThatFitTheNoise, ()) {
    const Rows rows = sweep(true);
    const std::vector<double> prices = {5000, 0.5, 300};
    std::vector<double> times = times_of(rows, prices);
    for (double& time : times) time *= 1 + *rc::gen::inRange(-500, 501) / 10000.0;
    const Fit fit = least_squares(rows, times);
    RC_ASSERT(fit.miss < 0.06);
    for (std::size_t i = 0; i < prices.size(); ++i) {
        const Estimate& price = *fit.prices[i];
        RC_ASSERT(price.low <= price.value && price.value <= price.high);
        RC_ASSERT(std::abs(price.value - prices[i]) <= 4 * (price.high - price.low) + 0.1 * prices[i]);
    }
}

/// The mean of 2 and 4, weighted by the squares of 1/2 and 1/4, by hand: 12/5; both relative misses, 1/5 and -2/5, leave
/// one degree of freedom: a standard error of sqrt(1/5) / sqrt(1/4 + 1/16) = 0.8, and t(0.975, 1) = 12.706.
TEST(LeastSquares, GivesTheIntervalThatIsWorkedOutByHand) {
    const Fit fit = least_squares({{1}, {1}}, {2, 4});
    EXPECT_NEAR(fit.prices[0]->value, 2.4, 1e-12);
    EXPECT_NEAR(*fit.prices[0]->standard_error, 0.8, 1e-12);
    EXPECT_NEAR(fit.prices[0]->high, 2.4 + 12.7062 * 0.8, 1e-3);
    EXPECT_FALSE(fit.prices[0]->significant());
    EXPECT_NEAR(fit.miss, std::sqrt(0.1), 1e-12);
}

TEST(LeastSquares, ListsParametersThatTheDataCannotSeparate) {
    const Rows rows = sweep(false);
    const Fit fit = least_squares(rows, times_of(rows, {700, 0.1, 300}));
    EXPECT_NEAR(fit.prices[startup]->value, 1000, 1e-6) << "ts + td";
    EXPECT_NEAR(fit.prices[byte]->value, 0.1, 1e-9);
    EXPECT_FALSE(fit.prices[hop]);
    EXPECT_NEAR(fit.made_of[hop][startup], 1, 1e-9);
    EXPECT_NEAR(fit.made_of[hop][byte], 0, 1e-9);

    const Fit one_size = least_squares({{2, 128, 2}, {3, 192, 3}, {7, 448, 7}}, {20, 30, 70});
    EXPECT_NEAR(one_size.prices[startup]->value, 10, 1e-9) << "ts + 64 tm + td";
    EXPECT_FALSE(one_size.prices[byte]);
    EXPECT_NEAR(one_size.made_of[byte][startup], 64, 1e-9);

    const Fit no_bytes = least_squares({{1, 0}, {2, 0}}, {5, 10});
    EXPECT_FALSE(no_bytes.prices[byte]);
    EXPECT_EQ(no_bytes.made_of[byte], std::vector<double>(2, 0));
}

TEST(LeastSquares, HasNoIntervalWhereThereAreNoMoreCellsThanPrices) {
    const Fit fit = least_squares({{1, 8}, {1, 64}}, {10, 66});
    EXPECT_NEAR(fit.prices[0]->value, 2, 1e-9);
    EXPECT_NEAR(fit.prices[1]->value, 1, 1e-9);
    EXPECT_FALSE(fit.prices[0]->standard_error);
    EXPECT_FALSE(fit.prices[0]->significant());
    EXPECT_EQ(fit.degrees_of_freedom, 0U);
    EXPECT_FALSE(least_squares({{1, 8, 3}}, {10}).prices[1]) << "one cell has one price";
}

// ---- calibrations -----------------------------------------------------------------------------------------------------

Observation observation(std::uint64_t rounds, std::uint64_t bytes, double seconds) {
    Observation made{"cell", {}, seconds};
    made.metrics.rounds = rounds;
    made.metrics.path_sum = rounds;
    made.metrics.volume = rounds * bytes;
    made.metrics.transfers = (std::uint64_t{1} << rounds) - 1;
    made.metrics.bytes = made.metrics.transfers * bytes;
    return made;
}

/// A broadcast whose rounds cost 1 us and 2 ns a byte.
Calibration simple(unsigned threads) {
    std::vector<Observation> all;
    for (const unsigned rounds : {2U, 5U, 9U})
        for (const unsigned bytes : {8U, 1024U})
            all.push_back(observation(rounds, bytes, rounds * (1000 + 2.0 * bytes) * 1e-9));
    return calibrated({"broadcast", "sbt", "lockstep", threads}, std::move(all));
}

TEST(Calibrations, PredictWhatTheModelSays) {
    const Prices prices = simple(1).prices;
    EXPECT_NEAR(prices.of[startup]->value, 1000, 1e-6);
    EXPECT_NEAR(prices.of[byte]->value, 2, 1e-9);
    EXPECT_NEAR(prices.predict(model_counts(20, 20 * 64, 20)), 20 * (1000 + 128) * 1e-9, 1e-12);
    EXPECT_EQ(prices.beyond(model_counts(20, 20 * 64, 20)), std::nullopt);
    EXPECT_EQ(prices.beyond(model_counts(20, 20 * 64, 30)), hop) << "all cells had a hop a round";
}

TEST(Calibrations, FindAPriceOfMessages) {
    std::vector<Observation> all;
    for (const unsigned rounds : {2U, 6U, 10U, 14U}) {
        all.push_back(observation(rounds, 8, 0));
        all.back().seconds = 60e-9 * static_cast<double>(all.back().metrics.transfers);
    }
    const Calibration calibration = calibrated({"broadcast", "sbt", "lockstep", 1}, all);
    EXPECT_LT(calibration.by_messages.miss, 1e-9);
    EXPECT_GT(calibration.prices.miss, 0.5);
}

class CalibrationFile : public testing::Test {
  protected:
    void TearDown() override { fs::remove_all(folder); }

    void write(const std::string& text) const {
        fs::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }
    [[nodiscard]] std::string refusal() const {
        try {
            (void)read_calibrations(file);
        } catch (const RequestError& error) {
            return error.what();
        }
        return "";
    }

    const fs::path folder = test::own_folder();
    const fs::path file = folder / "deep" / "c.json";
};

TEST_F(CalibrationFile, GivesBackWhatWasStored) {
    EXPECT_THAT(read_calibrations(file), IsEmpty());
    const Calibration stored = simple(2);
    store_calibrations(file, {stored});
    const std::vector<Calibrated> all = read_calibrations(file);
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_EQ(all[0].key, stored.key);
    EXPECT_EQ(all[0].prices.cells, 6U);
    for (std::size_t i = 0; i < priced_count; ++i) {
        ASSERT_EQ(all[0].prices.of[i].has_value(), stored.prices.of[i].has_value());
        if (!stored.prices.of[i]) continue;
        EXPECT_EQ(all[0].prices.of[i]->value, stored.prices.of[i]->value);
        EXPECT_EQ(all[0].prices.of[i]->standard_error, stored.prices.of[i]->standard_error);
        EXPECT_EQ(all[0].prices.of[i]->high, stored.prices.of[i]->high);
    }
    EXPECT_EQ(all[0].prices.made_of, stored.prices.made_of);
}

TEST_F(CalibrationFile, KeepsTheOthersAndRenewsItsOwn) {
    store_calibrations(file, {simple(1), simple(2)});
    store_calibrations(file, {simple(2)});
    EXPECT_THAT(read_calibrations(file), SizeIs(2));
    store_calibrations(file, {simple(3)});
    EXPECT_THAT(read_calibrations(file), SizeIs(3));
    EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), {}), 1) << "nothing is left behind";
}

TEST_F(CalibrationFile, ThatIsMalformedIsRefusedAndNotOverwritten) {
    for (const char* text : {"", "{", "[]", "{}", "{\"calibrations\": 3}", "{\"calibrations\": [{}]}",
                             "{\"calibrations\": [{\"operation\": 7}]}"}) {
        write(text);
        EXPECT_THAT(refusal(), HasSubstr("is not one that 'kport bench --calibrate' wrote")) << text;
        EXPECT_THROW(store_calibrations(file, {simple(1)}), RequestError) << text;
    }
}

TEST_F(CalibrationFile, SaysWhyItCannotBeWritten) {
    write("{\"calibrations\": []}");
    EXPECT_THROW(require_storable(file / "below"), RequestError) << "a file is no folder";
    EXPECT_THROW(require_storable(folder / "deep"), RequestError) << "a folder is no file";
    require_storable(file);
}

// ---- plots --------------------------------------------------------------------------------------------------------------

TEST(Plots, DrawEveryPointLineAndName) {
    const Plot plot{"a < b & c",
                    PlotAxis::bytes,
                    {{"one", {{8, 1e-6, 9e-7, 2e-6, 1e-6, 5e-7}, {64, 1e-5, 9e-6, 2e-5, 1e-5, {}}}},
                     {"two", {{8, 1e-3, 1e-3, 1e-3, -1, {}}}}}};
    const std::string svg = svg_of(plot);
    EXPECT_THAT(svg, testing::StartsWith("<svg "));
    EXPECT_THAT(svg, testing::EndsWith("</svg>\n"));
    for (const char* text : {"a &lt; b &amp; c", ">one<", ">two<", "8 B", "64 B", "10 us", "bytes of a packet",
                             "time of one operation", "lower bound"})
        EXPECT_THAT(svg, HasSubstr(text));
    std::size_t dots = 0;
    for (std::size_t at = svg.find("<circle"); at != std::string::npos; at = svg.find("<circle", at + 1)) ++dots;
    EXPECT_EQ(dots, 3U + 1) << "and one in the legend";
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
}

}  // namespace
}  // namespace kport::measure
