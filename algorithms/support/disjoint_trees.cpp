#include "algorithms/support/disjoint_trees.hpp"

#include <algorithm>

namespace kport {

namespace {

/// Returns the links of one node: from its parents in all trees, and to each neighbour of which it is a parent.
template <class Link, class Trees>
LinksOfNode<Link> links_of(NodeId v, const Lattice& lattice, NodeId source, std::uint64_t trees, const Trees& of) {
    LinksOfNode<Link> links;
    for (std::uint64_t tree = 0; tree < trees && v != source; ++tree)
        links.in.push_back(of.link(of.parent(v, tree), v, tree));
    const auto add_below = [&](NodeId w) {
        for (std::uint64_t tree = 0; tree < trees && w != source; ++tree)
            if (of.parent(w, tree) == v) links.out.push_back(of.link(w, w, tree));
    };
    for (int i = 0; i < lattice.dimensions(); ++i) {
        const NodeId x = lattice.coordinate(v, i);
        if (lattice.wraps() || x + 1 < lattice.side(i)) add_below(lattice.plus(v, i));
        if (lattice.wraps() || x > 0) add_below(lattice.minus(v, i));
    }
    return links;
}

}  // namespace

// ------------------------------------------------------------------------------------------------------------- meshes

NodeId MeshTrees::parent(NodeId v, std::uint64_t tree) const {
    const auto in_tree = static_cast<int>(tree);
    if (!differs(v, tree)) {
        const bool at_border = lattice_.coordinate(v, in_tree) + 1 == lattice_.side(in_tree);
        return at_border ? lattice_.minus(v, in_tree) : lattice_.plus(v, in_tree);
    }
    std::uint64_t last = tree;
    for (std::uint64_t i = tree; i < tree + q_; ++i)
        if (differs(v, i % q_)) last = i % q_;
    const auto i = static_cast<int>(last);
    const bool is_beyond = lattice_.coordinate(v, i) > lattice_.coordinate(source_, i);
    return is_beyond ? lattice_.minus(v, i) : lattice_.plus(v, i);
}

std::uint64_t MeshTrees::depth(NodeId v, std::uint64_t tree) const {
    std::uint64_t distance = 0;
    for (int i = 0; i < lattice_.dimensions(); ++i) {
        const NodeId x = lattice_.coordinate(v, i);
        const NodeId s = lattice_.coordinate(source_, i);
        distance += x > s ? x - s : s - x;
    }
    return differs(v, tree) ? distance : distance + 2;
}

MeshTrees::Link MeshTrees::link(NodeId peer, NodeId receiver, std::uint64_t tree) const {
    return {peer, tree, depth(receiver, tree), is_late(receiver, tree), is_late(receiver, (tree + q_ - 1) % q_),
            q_,   m_};
}

std::optional<PacketId> MeshTrees::Link::packet(Round round) const {
    const std::uint64_t last_group = (packets - 1) / trees;
    const auto in_group = [&](std::uint64_t group, std::uint64_t of_tree) -> std::optional<PacketId> {
        const PacketId j = group * trees + of_tree;
        return j < packets ? std::optional(j) : std::nullopt;
    };
    if (brings_last && round == last_group + 1 + depth) return in_group(last_group, (tree + trees - 1) % trees);
    if (round < depth || round - depth > last_group) return std::nullopt;
    const std::uint64_t group = round - depth;
    return group == last_group && lacks_last ? std::nullopt : in_group(group, tree);
}

LinksOfNode<MeshTrees::Link> MeshTrees::at(NodeId v) const { return links_of<Link>(v, lattice_, source_, q_, *this); }

// --------------------------------------------------------------------------------------------------------------- tori

NodeId TorusTrees::ahead(NodeId v, std::uint64_t direction) const {
    const int i = dimension(direction);
    const NodeId side = lattice_.side(i);
    const NodeId forth = (lattice_.coordinate(v, i) + side - lattice_.coordinate(source_, i)) % side;
    return direction < q_ ? forth : (side - forth) % side;
}

NodeId TorusTrees::step(NodeId v, std::uint64_t direction, bool forth) const {
    const int i = dimension(direction);
    return (direction < q_) == forth ? lattice_.plus(v, i) : lattice_.minus(v, i);
}

NodeId TorusTrees::parent(NodeId v, std::uint64_t tree) const {
    if (ahead(v, tree) == 0) return step(v, tree, true);
    std::uint64_t last = tree;
    for (std::uint64_t k = tree; k < tree + q_; ++k)
        if (ahead(v, k % (2 * q_)) != 0) last = k % (2 * q_);
    return step(v, last, false);
}

std::uint64_t TorusTrees::depth(NodeId v, std::uint64_t tree) const {
    std::uint64_t steps = 0;
    for (std::uint64_t k = tree; k < tree + q_; ++k) steps += ahead(v, k % (2 * q_));
    return ahead(v, tree) == 0 ? steps + 2 : steps;
}

TorusTrees::Link TorusTrees::link(NodeId peer, NodeId receiver, std::uint64_t tree) const {
    const BlockOfPackets block = block_of_packets(tree % q_, m_, q_);
    return {peer, depth(receiver, tree), depth(receiver, (tree + q_) % (2 * q_)), tree < q_, block.first, block.size()};
}

std::optional<PacketId> TorusTrees::Link::packet(Round round) const {
    if (round < depth || round - depth >= size) return std::nullopt;
    const std::uint64_t sent = round - depth;  // packets that came down this tree before
    const std::uint64_t by_other = opposite + size - 1 - sent;
    if (ascends ? by_other < round : by_other <= round) return std::nullopt;
    return first + (ascends ? sent : size - 1 - sent);
}

std::uint64_t TorusTrees::rounds() const {
    std::uint64_t rounds = 0;
    for (NodeId v = 0; v < lattice_.nodes(); ++v)
        for (std::uint64_t tree = 0; tree < q_ && v != source_; ++tree) {
            const std::uint64_t size = block_of_packets(tree, m_, q_).size();
            const std::uint64_t forth = depth(v, tree);
            const std::uint64_t back = depth(v, tree + q_);
            // All go down the nearer tree, unless those of the other tree meet them before.
            const std::uint64_t last = std::min(std::min(forth, back) + size - 1, (forth + back + size - 1) / 2);
            if (size > 0) rounds = std::max(rounds, last);
        }
    return rounds;
}

LinksOfNode<TorusTrees::Link> TorusTrees::at(NodeId v) const {
    return links_of<Link>(v, lattice_, source_, 2 * q_, *this);
}

}  // namespace kport
