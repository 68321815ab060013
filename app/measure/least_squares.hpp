/// @file least_squares.hpp   Fits times as sums of counts, each with a price.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace kport::measure {

/// A price and its uncertainty.
struct Estimate {
    double value = 0;
    /// Nothing if there are no more observations than prices: every price then fits, and none is certain.
    std::optional<double> standard_error;
    /// The 95 % interval of the price, if the errors are independent and symmetric.
    double low = 0;
    double high = 0;

    [[nodiscard]] bool significant() const { return standard_error && (low > 0 || high < 0); }
};

struct Fit {
    /// A price for each count. Nothing: the observations cannot distinguish it from earlier counts.
    std::vector<std::optional<Estimate>> prices;
    /// For a count without a price: the combination of other counts that it equals in every observation, a factor for
    /// each count (0 for those without a price). Their prices include this one's.
    std::vector<std::vector<double>> made_of;
    std::vector<double> fitted;          ///< a time for each observation
    std::size_t degrees_of_freedom = 0;  ///< observations minus prices
    double miss = 0;                     ///< root mean square of fitted / time - 1
};

/// Minimises the sum of (fitted / time - 1)^2: errors are relative, because times span decades. Counts are in order of
/// preference: if two cannot be distinguished, the earlier gets the price.
///
/// Requires  a row of counts for each time, all of one length; times > 0.
/// Cost      O(observations * counts^2).
[[nodiscard]] Fit least_squares(const std::vector<std::vector<double>>& counts, const std::vector<double>& times);

}  // namespace kport::measure
