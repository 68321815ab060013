#include "algorithms/planning/graph.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/memory_limit.hpp"

namespace kport::planning {

Graph::Graph(const Topology& topology) {
    constexpr NodeId most = NodeId{1} << 31;
    constexpr std::uint64_t bytes_node = 64;  // including what the heuristics store
    constexpr std::uint64_t bytes_channel = 8;
    const NodeId nodes = topology.nodes();
    if (nodes >= most)
        throw DoesNotFit(
            fmt::format("{} has {} nodes; planning holds fewer than 2^31", topology.spec(), topology.nodes()));
    const std::uint64_t need = nodes * bytes_node + topology.channels() * bytes_channel;
    // Small arrays may reuse freed memory, which the system counts as used.
    constexpr std::uint64_t small = std::uint64_t{4} << 20;
    const std::uint64_t there = memory_available();
    if (need > std::max(small, there))
        throw DoesNotFit(fmt::format("planning on {} needs about {} MiB and {} MiB are available", topology.spec(),
                                     need >> 20, there >> 20));
    first_.reserve(nodes + 1);
    neighbours_.reserve(topology.channels());
    first_.push_back(0);
    for (NodeId v = 0; v < nodes; ++v) {
        for_each_neighbour(topology, v, [&](NodeId w) { neighbours_.push_back(static_cast<Node32>(w)); });
        std::sort(neighbours_.begin() + static_cast<std::ptrdiff_t>(first_.back()), neighbours_.end());
        max_degree_ = std::max(max_degree_, static_cast<std::uint32_t>(neighbours_.size() - first_.back()));
        first_.push_back(neighbours_.size());
    }
}

std::vector<std::uint32_t> Graph::distances(std::span<const Node32> from) const {
    std::vector<std::uint32_t> distance(nodes(), unreached);
    std::vector<Node32> found(from.begin(), from.end());
    for (const Node32 v : from) distance[v] = 0;
    found.reserve(nodes());
    for (std::size_t i = 0; i < found.size(); ++i)
        for (const Node32 w : neighbours(found[i])) {
            if (distance[w] != unreached) continue;
            distance[w] = distance[found[i]] + 1;
            found.push_back(w);
        }
    return distance;
}

}  // namespace kport::planning
