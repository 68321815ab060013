#include "algorithms/bounds/derivation.hpp"

#include <algorithm>
#include <utility>

namespace kport::bounds {

void Arguments::add(Reason reason) {
    const auto smaller = [](const Reason& a, const Reason& b) { return a.value > b.value; };
    reasons_.insert(std::upper_bound(reasons_.begin(), reasons_.end(), reason, smaller), std::move(reason));
}

void Arguments::add(std::vector<Reason> reasons) {
    for (Reason& reason : reasons) add(std::move(reason));
}

}  // namespace kport::bounds
