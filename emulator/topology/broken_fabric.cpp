#include "emulator/topology/broken_fabric.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/error.hpp"

namespace kport {

namespace {

/// Finds the parts of a fabric, without what is broken, that are connected.
class ConnectedParts {
  public:
    ConnectedParts(const Fabric& fabric, const BrokenParts& parts) : part_(fabric.nodes(), no_node) {
        for (NodeId first = 0; first < fabric.nodes(); ++first) {
            if (part_[first] != no_node || parts.has(first)) continue;
            std::vector<NodeId> open{first};
            part_[first] = first;
            while (!open.empty()) {
                const NodeId v = open.back();
                open.pop_back();
                for_each_neighbour(fabric, v, [&](NodeId w) {
                    if (part_[w] != no_node || parts.has(w) || parts.has(v, w)) return;
                    part_[w] = first;
                    open.push_back(w);
                });
            }
        }
    }
    /// Returns the lowest node of its part; no_node of a broken one.
    [[nodiscard]] NodeId of(NodeId v) const { return part_[v]; }

  private:
    std::vector<NodeId> part_;
};

}  // namespace

/// What a BrokenFabric is made of.
struct BrokenFabric::Left {
    std::shared_ptr<const Topology> whole;
    BrokenParts parts;
    std::vector<NodeId> cut_off;
    Shape shape;
    std::vector<Link> links;
};

BrokenFabric::BrokenFabric(const Left& left)
    : StoredFabric(left.shape, left.links), Remains(left.whole, left.parts, left.cut_off) {}

NodeId BrokenFabric::own_node(std::string_view text) const {
    return text.starts_with('=') ? StoredFabric::own_node(text) : node_left(text, spec());
}

std::shared_ptr<const BrokenFabric> BrokenFabric::of(const std::shared_ptr<const Topology>& hosts,
                                                     const BrokenParts& parts, std::string spec) {
    constexpr std::uint64_t channels_max = std::uint64_t{1} << 26;
    const Fabric& whole = *hosts->fabric();
    if (whole.channels() > channels_max)
        throw DoesNotFit(
            fmt::format("{} has {} channels; what is left of a machine with switches is stored, and at most "
                        "{} fit",
                        whole.spec(), whole.channels(), channels_max));
    const ConnectedParts connected(whole, parts);
    NodeId first = 0;  // the first host that is left
    while (parts.has(first)) ++first;
    for (NodeId v = first; v < whole.hosts(); ++v)
        if (!parts.has(v) && connected.of(v) != connected.of(first))
            throw DoesNotFit(fmt::format("node {} and node {} cannot reach each other on {} without {}",
                                         whole.name(first), whole.name(v), whole.spec(),
                                         fmt::join(names_of(parts, *hosts), ", ")));
    Left left{hosts, parts, {}, {}, {}};
    for (NodeId v = whole.hosts(); v < whole.nodes(); ++v)
        if (!parts.has(v) && connected.of(v) != connected.of(first)) left.cut_off.push_back(v);
    const Remains numbers(hosts, parts, left.cut_off);
    const auto broken_hosts =
        static_cast<NodeId>(std::ranges::lower_bound(parts.nodes, whole.hosts()) - parts.nodes.begin());
    left.shape.spec = std::move(spec);
    left.shape.hosts = whole.hosts() - broken_hosts;
    left.shape.switches = whole.switches() - (parts.nodes.size() - broken_hosts) - left.cut_off.size();
    for (NodeId v = 0; v < whole.nodes(); ++v) {
        const NodeId from = numbers.left(v);
        if (from == no_node) continue;
        for (Port port = 0; port < whole.labels(v); ++port) {
            const LinkEnd end = whole.across(v, port);
            if (end.node == no_node) continue;
            const NodeId to = parts.has(v, end.node) ? no_node : numbers.left(end.node);
            if (to == no_node) left.links.push_back({from, port, from, port, 0});  // the label stays
            if (to == no_node || end.node < v) continue;
            const auto trunk = std::ranges::lower_bound(parts.thinned, BrokenParts::Link(v, end.node), {},
                                                        &BrokenParts::Thinned::link);
            const bool is_thinned = trunk != parts.thinned.end() && trunk->link == BrokenParts::Link(v, end.node);
            left.links.push_back({from, port, to, end.port, whole.capacity(v, port) - (is_thinned ? trunk->lost : 0)});
        }
    }
    return std::make_shared<const BrokenFabric>(left);
}

}  // namespace kport
