#include "algorithms/support/timed_tree.hpp"

#include <algorithm>
#include <numeric>

#include "algorithms/support/segment.hpp"

namespace kport {

void TimedTree::serve(NodeId parent, NodeId child, Round round) {
    parent_[child] = static_cast<std::uint32_t>(parent);
    served_[child] = round;
    rounds_ = std::max(rounds_, round);
}

std::vector<std::uint32_t> TimedTree::in_order() const {
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t v = 0; v < served_.size(); ++v)
        if (has(v)) nodes.push_back(v);
    std::ranges::sort(nodes, {}, [&](std::uint32_t v) { return served_[v]; });
    return nodes;
}

void TimedTree::list_children() {
    const std::vector<std::uint32_t> nodes = in_order();
    for (const std::uint32_t v : nodes)
        if (v != root_) ++first_child_[parent_[v] + 1];
    std::partial_sum(first_child_.begin(), first_child_.end(), first_child_.begin());
    children_.resize(nodes.size() - 1);
    std::vector<std::uint32_t> next(first_child_.begin(), first_child_.end() - 1);
    for (const std::uint32_t v : nodes)
        if (v != root_) children_[next[parent_[v]]++] = v;
}

TimedTree TimedTree::farthest_first(const Topology& topology, NodeId root, const RankedNodes* members) {
    SpanningTree tree(topology, root);
    if (members != nullptr) tree.keep_ways_to([&](NodeId v) { return members->has(v); });
    (void)tree.order_farthest_first(1);
    TimedTree timed(topology.nodes(), root);
    std::vector<NodeId> open{root};
    while (!open.empty()) {
        const NodeId v = open.back();
        open.pop_back();
        Round round = timed.served(v);
        for (const NodeId child : tree.children(v)) {
            timed.serve(v, child, ++round);
            open.push_back(child);
        }
    }
    timed.list_children();
    return timed;
}

TimedTree TimedTree::along_euler_tour(const Topology& topology, NodeId root, const RankedNodes*) {
    const auto tour = std::make_shared<const EulerTour>(topology, root);
    TimedTree timed(topology.nodes(), root);
    std::vector<Segment> open{{0, topology.nodes()}};  // the first node of each holds it
    while (!open.empty()) {
        Segment mine = open.back();
        open.pop_back();
        const NodeId v = tour->node(mine.first);
        for (Round round = timed.served(v) + 1; mine.size() > 1; ++round) {
            const Halving step = halve(mine, mine.first, Keep::greater);
            timed.serve(v, tour->node(step.receiver), round);
            open.push_back(step.given);
            mine = step.kept;
        }
    }
    timed.list_children();
    timed.tour_ = tour;
    return timed;
}

}  // namespace kport
