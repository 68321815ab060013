#include "emulator/topology/hypercube.hpp"

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/topology/family.hpp"

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
    : RegularTopology(fmt::format("hypercube:{}", dimensions), NodeId{1} << checked_dimensions(dimensions),
                      static_cast<Port>(dimensions)) {}

std::vector<std::uint64_t> Hypercube::distance_profile(NodeId) const {
    const std::uint64_t n = ports();
    std::vector<std::uint64_t> profile(n + 1, 1);
    // C(n,d) = C(n,d-1) * (n-d+1) / d is an integer, and n <= 40 keeps the product below 2^64.
    for (std::uint64_t d = 1; d <= n; ++d) profile[d] = profile[d - 1] * (n - d + 1) / d;
    return profile;
}

std::vector<TopologyFamily> families_in_hypercube() {
    return {{.name = "hypercube",
             .form = "hypercube:D",
             .about = "2^D nodes, D up to 40; neighbours differ in one bit",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 return std::make_shared<const Hypercube>(given.number({"dimension", 0, Hypercube::dimensions_max}));
             },
             .members = [](NodeId nodes) { return one_number(nodes, 0, [](auto d) { return NodeId{1} << d; }); },
             .also = {"cube", "ncube", "q"},
             .weight = 5,
             .drawn = DrawnAs::cube}};
}

}  // namespace kport
