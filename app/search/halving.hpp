/// @file halving.hpp   Shorter schedules where the least number of rounds is left open.
#pragma once

#include <algorithm>

#include "app/search/search.hpp"

namespace kport::search {

/// Where limits leave open whether `found.least` rounds serve, looks for schedules of more, by halving, below `found.most`; formulas of
/// more than twice as many rounds as the least take too long. attempt(rounds) updates `found`.
template <class Attempt>
void look_above_least(const Found& found, const Attempt& attempt) {
    Round high = std::min(found.most, 2 * found.least);
    for (Round low = found.least + 1; low < high;) {
        const Round middle = low + (high - low) / 2;
        (void)attempt(middle);
        if (found.most <= middle)
            high = found.most;
        else
            low = middle + 1;
    }
}

}  // namespace kport::search
