/// @file least_squares.hpp   Times explained as sums of counts, each with a price.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace kport::measure {

/// A price, and how sure it is.
struct Estimate {
    double value = 0;
    /// Nothing where there are no more observations than prices: every price then fits, and none is sure.
    std::optional<double> standard_error;
    /// From here to there lies the price with 95 %, if the misses are independent and as likely above as below.
    double low = 0;
    double high = 0;

    [[nodiscard]] bool significant() const { return standard_error && (low > 0 || high < 0); }
};

struct Fit {
    /// A price for each count. Nothing: the observations do not tell it apart from those before it.
    std::vector<std::optional<Estimate>> prices;
    /// Of a count without a price: what it is made of in every observation, a factor for each count (0 for those without a
    /// price). The prices of those stand for this one too.
    std::vector<std::vector<double>> made_of;
    std::vector<double> fitted;          ///< a time for each observation
    std::size_t degrees_of_freedom = 0;  ///< observations less prices
    double miss = 0;                     ///< root of the mean square of fitted / time - 1
};

/// Minimises the sum of (fitted / time - 1)^2: errors count by their share of the time, because times span decades. Counts
/// come in the order of preference: where two cannot be told apart, the earlier gets the price.
///
/// Requires  a row of counts for each time, all of one length; times > 0.
/// Cost      O(observations * counts^2).
[[nodiscard]] Fit least_squares(const std::vector<std::vector<double>>& counts, const std::vector<double>& times);

}  // namespace kport::measure
