/// @file crossings.hpp   Where two curves of a plot change their order.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "app/pictures/plot.hpp"

namespace kport::plots {

/// Two curves that change their order. What lies between two samples is not known: only that it is there.
struct Crossing {
    std::size_t lower_before = 0;  ///< index of the series that is lower up to `after`
    std::size_t lower_after = 0;   ///< index of the series that is lower from `until` on
    double after = 0;              ///< the samples around it; equal at the ends of a stretch where both curves coincide
    double until = 0;
    bool coincide =
        false;  ///< both have the same values from `after` to `until`; where these are equal, at this sample
    std::array<double, 2> of_before = {};  ///< values of the first curve at `after` and `until`
    std::array<double, 2> of_after = {};   ///< values of the second curve there
};

/// Returns the crossings along the axis. Curves are compared at the samples that both have with one value each; values that
/// differ by rounding are equal. Of curves with the same samples and values the first one counts. Curves that only touch
/// do not cross; nothing crosses over words.
[[nodiscard]] std::vector<Crossing> crossings_of(const Plot& plot);

/// Returns "between 4,096 and 8,192", "at 4,096", "equal from 4,096 to 16,384".
[[nodiscard]] std::string place_of(const Plot& plot, const Crossing& crossing);

}  // namespace kport::plots
