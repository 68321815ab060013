#include <algorithm>
#include <bit>
#include <optional>

#include <fmt/format.h>

#include "emulator/topology/family.hpp"

namespace kport {
namespace {

/// The binomial tree within the hypercube of D dimensions: v's parent clears its highest bit. Port i is dimension i; v
/// has the ports from its highest bit on: that one leads to the parent, the others to children.
class BinomialTree final : public Topology {
  public:
    static constexpr std::uint64_t most = 40;

    explicit BinomialTree(std::uint64_t d)
        : Topology(fmt::format("binomial-tree:{}", d), NodeId{1} << d, static_cast<Port>(d)) {}

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        return p < lowest_port(v) ? LinkEnd{} : LinkEnd{v ^ (NodeId{1} << p), p};
    }
    [[nodiscard]] Port port_to(NodeId v, NodeId w) const override {
        const NodeId bit = v ^ w;
        const bool linked = std::has_single_bit(bit) && std::max(v, w) < 2 * bit;
        return linked ? static_cast<Port>(std::countr_zero(bit)) : no_port;
    }
    [[nodiscard]] Port degree(NodeId v) const override { return ports() - lowest_port(v); }
    [[nodiscard]] Port max_degree() const override { return ports(); }
    [[nodiscard]] std::uint64_t channels() const override { return 2 * (nodes() - 1); }

    /// The bits below the lowest difference are the common ancestor.
    [[nodiscard]] Hops distance(NodeId v, NodeId w) const override {
        if (v == w) return 0;
        const NodeId common = ((v ^ w) & (~(v ^ w) + 1)) - 1;
        return static_cast<Hops>(std::popcount(v & ~common) + std::popcount(w & ~common));
    }
    /// The farthest node is reached from an ancestor downwards, along all higher bits that do not lead back.
    [[nodiscard]] Hops eccentricity(NodeId v) const override {
        const Hops d = ports();
        Hops farthest = d - highest_end(v);
        NodeId below = v;
        for (Hops up = 1; below != 0; ++up) {
            const Hops came_by = highest_end(below) - 1;
            below ^= NodeId{1} << came_by;
            Hops first = highest_end(below);
            if (first == came_by) ++first;
            farthest = std::max(farthest, up + (first < d ? d - first : 0));
        }
        return farthest;
    }
    [[nodiscard]] Hops diameter() const override { return ports() == 0 ? 0 : 2 * Hops{ports()} - 1; }
    [[nodiscard]] Hops radius() const override { return ports(); }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return nodes() <= 2; }
    [[nodiscard]] bool bipartite() const override { return true; }

  private:
    /// Returns one more than the position of the highest bit.
    [[nodiscard]] static Hops highest_end(NodeId v) { return static_cast<Hops>(std::bit_width(v)); }
    [[nodiscard]] static Port lowest_port(NodeId v) { return v == 0 ? 0 : static_cast<Port>(std::bit_width(v) - 1); }
};

}  // namespace

std::vector<TopologyFamily> families_in_binomial_tree() {
    return {{.name = "binomial-tree",
             .form = "binomial-tree:D",
             .about = "2^D nodes, D up to 40; the parent of v clears its highest bit",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 return std::make_shared<const BinomialTree>(given.number({"dimension", 0, BinomialTree::most}));
             },
             .members = [](NodeId nodes) { return one_number(nodes, 0, [](auto d) { return NodeId{1} << d; }); },
             .drawn = DrawnAs::levels}};
}

}  // namespace kport
