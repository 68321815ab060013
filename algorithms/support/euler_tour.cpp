#include "algorithms/support/euler_tour.hpp"

#include <algorithm>

namespace kport {

std::vector<Port> EulerTour::route(NodeId from, NodeId to) const {
    std::vector<Port> up;
    std::vector<Port> down;
    while (from != to) {
        // Of two nodes the one with the larger preorder number is never an ancestor of the other.
        if (number(from) > number(to)) {
            up.push_back(topology_.port_to(from, tree_.parent(from)));
            from = tree_.parent(from);
        } else {
            down.push_back(topology_.port_to(tree_.parent(to), to));
            to = tree_.parent(to);
        }
    }
    up.insert(up.end(), down.rbegin(), down.rend());
    return up;
}

PacketSet EulerTour::packets_for(const Segment& numbers) const {
    std::vector<std::uint32_t> nodes(numbers.size());
    for (std::uint64_t i = 0; i < numbers.size(); ++i)
        nodes[i] = static_cast<std::uint32_t>(preorder_.node(numbers.first + i));
    const auto joined = [&] {
        PacketSet packets;
        for (const std::uint32_t v : nodes) packets.add(PacketBlock{v});
        return packets;
    };
    // Along the tour the lines of a grid join, in ascending order the levels of a binary tree.
    PacketSet along_tour = joined();
    std::ranges::sort(nodes);
    PacketSet ascending = joined();
    return along_tour.blocks().size() < ascending.blocks().size() ? along_tour : ascending;
}

}  // namespace kport
