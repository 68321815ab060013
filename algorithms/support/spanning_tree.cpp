#include "algorithms/support/spanning_tree.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "emulator/base/error.hpp"

namespace kport {

NodeId nearer_neighbour(const Topology& topology, NodeId source, NodeId v) {
    const Hops distance = topology.distance(source, v);
    if (distance == 1) return source;
    NodeId lowest = no_node;
    for_each_neighbour(topology, v, [&](NodeId w) {
        if (w < lowest && topology.distance(source, w) < distance) lowest = w;
    });
    return lowest;
}

bool is_nearer_neighbour(const Topology& topology, NodeId source, NodeId v, NodeId w) {
    const Hops distance = topology.distance(source, v);
    for (Port port = 0, labels = topology.labels(v); port < labels; ++port) {
        const NodeId other = topology.across(v, port).node;
        if (other < w && topology.distance(source, other) < distance) return false;
    }
    return true;
}

SpanningTree::SpanningTree(const Topology& topology, NodeId source)
    : source_(source), parent_(topology.nodes()), first_child_(topology.nodes() + 1) {
    constexpr std::uint32_t unknown = 0xFFFFFFFF;
    const NodeId nodes = topology.nodes();
    invariant(nodes < unknown, "a table of nodes holds 32-bit numbers");
    std::fill(parent_.begin(), parent_.end(), unknown);
    parent_[source] = static_cast<std::uint32_t>(source);
    found_.reserve(nodes);
    found_.push_back(static_cast<std::uint32_t>(source));
    // Level by level in ascending order: the first node that finds v is v's lowest numbered neighbour nearer to the source.
    for (std::size_t level = 0; found_.size() < nodes;) {
        const std::size_t end = found_.size();
        if (level == end)
            throw RequestError(fmt::format("{} is not connected: {} of its {} nodes are in reach of node {}",
                                           topology.spec(), end, nodes, source));
        for (; level < end && found_.size() < nodes; ++level)
            for_each_neighbour(topology, found_[level], [&](NodeId w) {
                if (parent_[w] != unknown) return;
                parent_[w] = found_[level];
                found_.push_back(static_cast<std::uint32_t>(w));
            });
        level = end;
        std::sort(found_.begin() + static_cast<std::ptrdiff_t>(end), found_.end());
    }
    list_children();
}

void SpanningTree::list_children() {
    std::vector<std::uint32_t> there(found_);
    std::ranges::sort(there);
    std::ranges::fill(first_child_, 0);
    for (const std::uint32_t v : there)
        if (v != source_) ++first_child_[parent_[v] + 1];
    for (NodeId v = 0; v < parent_.size(); ++v) first_child_[v + 1] += first_child_[v];
    children_.resize(there.size() - 1);
    std::vector<std::uint32_t> next(first_child_.begin(), first_child_.end() - 1);
    for (const std::uint32_t v : there)
        if (v != source_) children_[next[parent_[v]]++] = v;
}

void SpanningTree::keep_ways_to(const std::function<bool(NodeId)>& is_wanted) {
    std::vector<bool> stays(parent_.size());
    stays[source_] = true;
    for (std::size_t i = found_.size(); i-- > 1;) {
        const std::uint32_t v = found_[i];
        stays[v] = stays[v] || is_wanted(v);
        if (stays[v]) stays[parent_[v]] = true;
    }
    std::erase_if(found_, [&](std::uint32_t v) { return !stays[v]; });
    list_children();
}

std::uint64_t SpanningTree::order_farthest_first(Port ports) {
    std::vector<std::uint32_t> b(parent_.size());
    // Children come after their parents in breadth-first order.
    for (std::size_t i = found_.size(); i-- > 0;) {
        const std::uint32_t v = found_[i];
        const auto first = children_.begin() + first_child_[v];
        const auto last = children_.begin() + first_child_[v + 1];
        std::stable_sort(first, last, [&](std::uint32_t x, std::uint32_t y) { return b[x] > b[y]; });
        for (auto child = first; child != last; ++child) {
            const auto turn = static_cast<std::uint32_t>(child - first);
            b[v] = std::max(b[v], turn / ports + 1 + b[*child]);
        }
    }
    return b[source_];
}

Preorder::Preorder(const SpanningTree& tree, NodeId nodes) : number_(nodes), node_(nodes) {
    std::vector<std::uint32_t> open{static_cast<std::uint32_t>(tree.source())};
    for (std::uint32_t number = 0; !open.empty(); ++number) {
        const std::uint32_t v = open.back();
        open.pop_back();
        number_[v] = number;
        node_[number] = v;
        const auto children = tree.children(v);
        open.insert(open.end(), children.rbegin(), children.rend());
    }
}

std::vector<std::uint32_t> SpanningTree::told_in(Port ports) const {
    std::vector<std::uint32_t> told(parent_.size());
    for (const std::uint32_t v : found_) {
        std::uint32_t turn = 0;
        for (const std::uint32_t child : children(v)) told[child] = told[v] + turn++ / ports + 1;
    }
    return told;
}

std::vector<std::uint32_t> SpanningTree::sizes() const {
    std::vector<std::uint32_t> sizes(parent_.size(), 1);
    for (std::size_t i = found_.size(); i-- > 1;) sizes[parent_[found_[i]]] += sizes[found_[i]];
    return sizes;
}

PacketSet Preorder::packets_for(const Segment& numbers) const {
    std::vector<std::uint32_t> nodes(numbers.size());
    for (std::uint64_t i = 0; i < numbers.size(); ++i) nodes[i] = static_cast<std::uint32_t>(node(numbers.first + i));
    const auto joined = [&] {
        PacketSet packets;
        for (const std::uint32_t v : nodes) packets.add(PacketBlock{v});
        return packets;
    };
    // Along the tour the lines of a grid join, and in ascending order the levels of a binary tree.
    PacketSet along_tour = joined();
    std::ranges::sort(nodes);
    PacketSet ascending = joined();
    return along_tour.blocks().size() < ascending.blocks().size() ? along_tour : ascending;
}

}  // namespace kport
