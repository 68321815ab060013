#include "algorithms/support/euler_tour.hpp"

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
    PacketSet packets;
    // Backwards: a subtree is complete, and one block if it is regular, before its parent joins it.
    for (std::uint64_t number = numbers.last; number-- > numbers.first;)
        packets.add(PacketBlock{static_cast<std::uint32_t>(node(number))});
    return packets;
}

}  // namespace kport
