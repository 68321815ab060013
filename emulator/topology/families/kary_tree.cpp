#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "emulator/topology/family.hpp"

namespace kport {
namespace {

/// Returns the size of the complete tree of height h in which inner nodes have k children: 1 + k + ... + k^h.
double tree_size(double k, std::uint64_t h) {
    double size = 1;
    for (double level = k; h > 0 && size <= 2.0 * static_cast<double>(nodes_max); --h, level *= k) size += level;
    return size;
}

/// The complete tree of height H in which inner nodes have K children, numbered level by level: the parent of v is
/// floor((v-1) / K), its children are Kv+1 .. Kv+K. Port 0 leads to the parent, ports 1 .. K to the children.
class KaryTree final : public Topology {
  public:
    KaryTree(std::uint64_t k, std::uint64_t height, NodeId nodes)
        : Topology(fmt::format("kary-tree:{},{}", k, height), nodes, static_cast<Port>(k + 1)), k_(k), height_(height) {
    }

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        if (p == 0) return v == 0 ? LinkEnd{} : LinkEnd{parent(v), static_cast<Port>((v - 1) % k_ + 1)};
        return is_leaf(v) ? LinkEnd{} : LinkEnd{k_ * v + p, 0};
    }
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const override {
        if (v != 0 && w == parent(v)) return 0;
        return w != 0 && parent(w) == v ? static_cast<Port>((w - 1) % k_ + 1) : no_port;
    }
    [[nodiscard]] Port degree(NodeId v) const override {
        return static_cast<Port>((v == 0 ? 0 : 1) + (is_leaf(v) ? 0 : k_));
    }
    [[nodiscard]] Port max_degree() const override {
        if (height_ == 0) return 0;
        return static_cast<Port>(height_ == 1 ? k_ : k_ + 1);
    }
    [[nodiscard]] std::uint64_t channels() const override { return 2 * (nodes() - 1); }

    /// O(H): both nodes climb to their common ancestor.
    [[nodiscard]] Hops distance(NodeId v, NodeId w) const override {
        if (k_ == 1) return v > w ? v - w : w - v;
        Hops hops = 0;
        for (; v != w; ++hops) (v > w ? v : w) = parent(std::max(v, w));
        return hops;
    }
    [[nodiscard]] Hops eccentricity(NodeId v) const override {
        return k_ == 1 ? std::max<Hops>(v, height_ - v) : height_ + distance(0, v);
    }
    [[nodiscard]] Hops diameter() const override { return k_ == 1 ? height_ : 2 * height_; }
    /// The node's own subtree; and for each ancestor the ancestor itself and the subtrees of its other children.
    /// O(H^2).
    [[nodiscard]] std::vector<std::uint64_t> distance_profile(NodeId v) const override {
        std::vector<std::uint64_t> profile(eccentricity(v) + 1, 0);
        const Hops depth = distance(0, v);
        const auto add = [&](Hops nearest, Hops levels, std::uint64_t width) {
            for (Hops j = 0; j < levels; ++j, width *= k_) profile[nearest + j] += width;
        };
        add(0, height_ - depth + 1, 1);
        for (Hops up = 1; up <= depth; ++up) {
            add(up, 1, 1);
            if (k_ > 1) add(up + 1, height_ - depth + up, k_ - 1);
        }
        return profile;
    }
    [[nodiscard]] Hops radius() const override { return k_ == 1 ? (height_ + 1) / 2 : height_; }
    [[nodiscard]] std::optional<PublishedSchedule> published_broadcast(NodeId v) const override {
        constexpr std::string_view by = "Slater, Cockayne, Hedetniemi 1981";
        const NodeId other_arm = height_ - v;
        if (k_ == 1) return PublishedSchedule{std::max(v, other_arm) + (v == other_arm && v > 0 ? 1 : 0), by, true};
        const Hops depth = distance(0, v);
        return PublishedSchedule{k_ * height_ + (depth > 1 ? depth - 1 : 0), by, true};
    }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return nodes() <= 2; }
    [[nodiscard]] bool bipartite() const override { return true; }

    [[nodiscard]] Port route(NodeId at, NodeId to) const override {
        if (k_ == 1) return to > at ? 1 : 0;
        // Down if `to` is below: the child of `at` on the way up from `to`.
        NodeId below = to;
        while (below > at && parent(below) > at) below = parent(below);
        return below > at && parent(below) == at ? static_cast<Port>((below - 1) % k_ + 1) : 0;
    }

  private:
    [[nodiscard]] NodeId parent(NodeId v) const { return (v - 1) / k_; }
    [[nodiscard]] bool is_leaf(NodeId v) const { return k_ * v + 1 >= nodes(); }

    std::uint64_t k_;
    std::uint64_t height_;
};

}  // namespace

std::vector<TopologyFamily> families_in_kary_tree() {
    return {{.name = "kary-tree",
             .form = "kary-tree:K,H",
             .about = "the complete tree of height H with K children a node; cbt:H is kary-tree:2,H",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 const auto [k, height] =
                     given.numbers({{"number of children", 1, nodes_max}, {"height", 0, nodes_max - 1}});
                 const double nodes =
                     k == 1 ? static_cast<double>(height) + 1 : tree_size(static_cast<double>(k), height);
                 given.require_nodes(nodes);
                 given.require_ports(k + 1);
                 return std::make_shared<const KaryTree>(k, height, static_cast<NodeId>(nodes));
             },
             .members =
                 [](NodeId nodes) {
                     std::vector<std::string> found;
                     for (std::uint64_t k = 1; k < nodes && k <= 5; ++k)
                         for (const std::string& height : one_number(nodes, 1, [&](auto h) {
                                  return static_cast<NodeId>(tree_size(static_cast<double>(k), h));
                              }))
                             found.push_back(fmt::format("{},{}", k, height));
                     return found;
                 },
             .drawn = DrawnAs::levels}};
}

}  // namespace kport
