#include "emulator/topology/hypercube.hpp"

#include <fmt/format.h>

#include "emulator/base/error.hpp"

namespace kport {
namespace {

Port checked_dimensions(std::uint64_t n) {
    if (n > Hypercube::dimensions_max)
        throw RequestError(
            fmt::format("topology 'hypercube:{}': dimension {}; want 0 to {}", n, n, Hypercube::dimensions_max));
    return static_cast<Port>(n);
}

}  // namespace

Hypercube::Hypercube(std::uint64_t dimensions)
    : Topology(fmt::format("hypercube:{}", dimensions), NodeId{1} << checked_dimensions(dimensions),
               static_cast<Port>(dimensions)) {}

std::vector<std::uint64_t> Hypercube::distance_profile(NodeId) const {
    const std::uint64_t n = ports();
    std::vector<std::uint64_t> profile(n + 1, 1);
    // C(n,d) = C(n,d-1) * (n-d+1) / d divides without a rest, and n <= 40 keeps the product below 2^64.
    for (std::uint64_t d = 1; d <= n; ++d) profile[d] = profile[d - 1] * (n - d + 1) / d;
    return profile;
}

}  // namespace kport
