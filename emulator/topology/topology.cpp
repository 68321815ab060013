#include "emulator/topology/topology.hpp"

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

std::uint64_t Topology::sum_of_distances(NodeId v) const {
    const std::string what = fmt::format("the sum of distances in {}", spec_);
    const std::vector<std::uint64_t> profile = distance_profile(v);
    std::uint64_t sum = 0;
    for (Hops d = 0; d < profile.size(); ++d) sum = checked_sum(sum, checked_product(d, profile[d], what), what);
    return sum;
}

std::string Topology::name(NodeId v) const { return std::to_string(v); }

NodeId Topology::node(std::string_view text) const {
    const std::optional<NodeId> id = to_count(text);
    if (!id || *id >= nodes_) refuse_node(text);
    return *id;
}

void Topology::refuse_node(std::string_view text, std::string_view also) const {
    const std::string there =
        nodes_ == 1 ? std::string("only node 0") : fmt::format("nodes 0 to {}{}", nodes_ - 1, also);
    throw RequestError(fmt::format("source {}: {} has {}", quoted(text), spec_, there));
}

}  // namespace kport
