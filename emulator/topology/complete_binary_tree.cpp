#include "emulator/topology/complete_binary_tree.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/topology/family.hpp"

namespace kport {
namespace {

std::uint64_t checked_height(std::uint64_t h) {
    if (h > CompleteBinaryTree::height_max)
        throw RequestError(
            fmt::format("topology 'cbt:{}': height {}; want 0 to {}", h, h, CompleteBinaryTree::height_max));
    return h;
}

/// In the numbering from 1 (v + 1) the parent is a shift by one, so the ancestor `levels` higher is a shift by `levels`.
std::uint64_t ancestor(std::uint64_t v_plus_1, int levels) { return v_plus_1 >> levels; }

/// Nodes on level j of a subtree.
std::uint64_t level_size(int j) { return std::uint64_t{1} << j; }

/// Splits the nodes into full subtrees as seen from a node of the given depth in a tree of the given height, and calls
/// f(distance of the subtree's root, its number of levels - 1) for each: the node's own subtree, and for each ancestor
/// the ancestor without children and the subtree of its other child.
template <class F>
void for_each_subtree_seen(int depth, int height, const F& f) {
    f(0, height - depth);
    for (int up = 1; up <= depth; ++up) {
        f(up, 0);
        f(up + 1, height - depth + up - 1);
    }
}

}  // namespace

CompleteBinaryTree::CompleteBinaryTree(std::uint64_t height)
    : Topology(fmt::format("cbt:{}", height), (NodeId{2} << checked_height(height)) - 1, 3) {}

Port CompleteBinaryTree::max_degree() const {
    return static_cast<Port>(std::min(height(), 2) + (height() > 0 ? 1 : 0));
}

Hops CompleteBinaryTree::distance(NodeId v, NodeId w) const {
    const int shallow = std::min(depth(v), depth(w));
    const std::uint64_t differing = ancestor(v + 1, depth(v) - shallow) ^ ancestor(w + 1, depth(w) - shallow);
    const int meeting_depth = shallow - static_cast<int>(std::bit_width(differing));
    return static_cast<Hops>(depth(v) + depth(w) - 2 * meeting_depth);
}

std::vector<std::uint64_t> CompleteBinaryTree::distance_profile(NodeId v) const {
    std::vector<std::uint64_t> profile(eccentricity(v) + 1, 0);
    for_each_subtree_seen(depth(v), height(), [&](int nearest, int levels) {
        for (int j = 0; j <= levels; ++j) profile[static_cast<std::size_t>(nearest + j)] += level_size(j);
    });
    return profile;
}

std::uint64_t CompleteBinaryTree::sum_of_distances(NodeId v) const {
    std::uint64_t sum = 0;
    for_each_subtree_seen(depth(v), height(), [&](int nearest, int levels) {
        const std::uint64_t size = level_size(levels + 1) - 1;
        // sum of j 2^j for j = 0 .. levels
        const std::uint64_t below_root =
            static_cast<std::uint64_t>(levels) * level_size(levels + 1) + 2 - level_size(levels + 1);
        sum += static_cast<std::uint64_t>(nearest) * size + below_root;
    });
    return sum;
}

Port CompleteBinaryTree::route(NodeId at, NodeId to) const {
    const int deeper = depth(to) - depth(at);
    if (deeper <= 0 || ancestor(to + 1, deeper) != at + 1) return parent_port;
    return port_from_parent(ancestor(to + 1, deeper - 1) - 1);
}

std::vector<TopologyFamily> families_in_complete_binary_tree() {
    return {{.name = "cbt",
             .form = "cbt:H",
             .about = "the complete binary tree of height H up to 39; root 0, children of v are 2v+1 and 2v+2",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 return std::make_shared<const CompleteBinaryTree>(
                     given.number({"height", 0, CompleteBinaryTree::height_max}));
             },
             .members = [](NodeId nodes) { return one_number(nodes, 0, [](auto h) { return (NodeId{2} << h) - 1; }); },
             .also = {"tree", "binarytree", "bintree"},
             .weight = 5,
             .drawn = DrawnAs::levels}};
}

}  // namespace kport
