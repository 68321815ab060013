#include "algorithms/support/host_tour.hpp"

#include <algorithm>

namespace kport {
namespace {

constexpr std::uint32_t no_parent = 0xFFFFFFFF;

}  // namespace

HostTour::HostTour(const Fabric& fabric, NodeId source) {
    if (fabric.joins_all_hosts())
        for (Port p = 0; p < fabric.labels(source); ++p) {
            const NodeId root = fabric.across(source, p).node;
            if (root == no_node || !fabric.is_switch(root)) continue;
            grow(fabric, root, /*through_hosts=*/false);
            const bool has_all =
                std::all_of(parent_.begin(), parent_.begin() + static_cast<std::ptrdiff_t>(fabric.hosts()),
                            [](std::uint32_t parent) { return parent != no_parent; });
            if (!has_all) continue;
            put_in_order(fabric, root, source);
            return;
        }
    grow(fabric, source, /*through_hosts=*/true);
    put_in_order(fabric, source, source);
}

/// Breadth first.
void HostTour::grow(const Fabric& fabric, NodeId root, bool through_hosts) {
    const NodeId nodes = fabric.nodes();
    parent_.assign(nodes, no_parent);
    depth_.assign(nodes, 0);
    up_.assign(nodes, no_port);
    down_.assign(nodes, no_port);
    parent_[root] = static_cast<std::uint32_t>(root);
    std::vector<NodeId> found{root};
    for (std::size_t next = 0; next < found.size(); ++next) {
        const NodeId v = found[next];
        if (!through_hosts && !fabric.is_switch(v)) continue;
        for (Port p = 0, end = fabric.labels(v); p < end; ++p) {
            const LinkEnd there = fabric.across(v, p);
            if (there.node == no_node || parent_[there.node] != no_parent) continue;
            parent_[there.node] = static_cast<std::uint32_t>(v);
            depth_[there.node] = depth_[v] + 1;
            up_[there.node] = there.port;
            down_[there.node] = p;
            found.push_back(there.node);
        }
    }
}

void HostTour::put_in_order(const Fabric& fabric, NodeId root, NodeId source) {
    std::vector<std::vector<std::uint32_t>> children(fabric.nodes());
    for (NodeId v = 0; v < fabric.nodes(); ++v)
        if (v != root && parent_[v] != no_parent) children[parent_[v]].push_back(static_cast<std::uint32_t>(v));
    std::vector<std::uint32_t> open{static_cast<std::uint32_t>(root)};
    while (!open.empty()) {
        const std::uint32_t v = open.back();
        open.pop_back();
        if (!fabric.is_switch(v)) order_.push_back(v);
        open.insert(open.end(), children[v].rbegin(), children[v].rend());
    }
    std::ranges::rotate(order_, std::ranges::find(order_, source));
    number_.resize(fabric.hosts());
    for (std::uint32_t i = 0; i < order_.size(); ++i) number_[order_[i]] = i;
}

std::vector<Port> HostTour::route(NodeId from, NodeId to) const {
    std::vector<Port> up;
    std::vector<Port> down;
    while (from != to) {
        if (depth_[from] >= depth_[to]) {
            up.push_back(up_[from]);
            from = parent_[from];
        } else {
            down.push_back(down_[to]);
            to = parent_[to];
        }
    }
    up.insert(up.end(), down.rbegin(), down.rend());
    return up;
}

}  // namespace kport
