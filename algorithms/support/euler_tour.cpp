#include "algorithms/support/euler_tour.hpp"

namespace kport {

std::vector<Port> EulerTour::route(NodeId from, NodeId to) const {
    std::vector<Port> up;
    std::vector<Port> down;
    while (from != to) {
        // The node with the larger preorder number is never an ancestor of the other.
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

}  // namespace kport
