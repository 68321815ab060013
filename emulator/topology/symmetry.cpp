#include <algorithm>
#include <numeric>

#include "emulator/base/random.hpp"
#include "emulator/topology/searches.hpp"

namespace kport {
namespace {

constexpr NodeId symmetry_nodes_max = 256;
constexpr NodeId degrees_looked_at = NodeId{1} << 20;
constexpr std::uint64_t symmetry_steps_max = 10'000'000;

/// Searches for an automorphism that takes node 0 to another node, node by node.
///
/// Idea      Each pair of nodes has a colour that every automorphism keeps: first their distance, then refined by the
///           number of third nodes with each combination of colours (Weisfeiler, Leman 1968). This rejects nearly all
///           wrong images at once.
class Automorphisms {
  public:
    explicit Automorphisms(const Topology& topology) : nodes_(topology.nodes()), image_(nodes_) {
        constexpr int refinements = 2;
        for (NodeId v = 0; v < nodes_; ++v) {
            const DistanceTable table = search_from(topology, v);
            colour_.emplace_back(table.distance.begin(), table.distance.end());
        }
        order_.resize(nodes_);
        std::iota(order_.begin(), order_.end(), NodeId{0});
        std::ranges::stable_sort(order_, {}, [&](NodeId v) { return colour_[0][v]; });
        for (int i = 0; i < refinements; ++i) refine();
    }

    /// Returns nothing if it takes too long.
    [[nodiscard]] std::optional<bool> take_0_to(NodeId v) {
        if (colour_[v][v] != colour_[0][0]) return false;
        image_[0] = v;
        const bool found = extended(1);
        return steps_ > symmetry_steps_max ? std::nullopt : std::optional(found);
    }

  private:
    void refine() {
        auto finer = colour_;
        for (NodeId v = 0; v < nodes_; ++v)
            for (NodeId w = 0; w < nodes_; ++w) {
                std::uint64_t thirds = 0;
                for (NodeId u = 0; u < nodes_; ++u) thirds += mixed(mixed(colour_[v][u]) + colour_[u][w]);
                finer[v][w] = mixed(colour_[v][w]) + thirds;
            }
        colour_ = std::move(finer);
    }
    /// Whether order_[known] and all later ones can be mapped.
    bool extended(std::size_t known) {
        if (known == nodes_) return true;
        for (NodeId image = 0; image < nodes_; ++image) {
            if (++steps_ > symmetry_steps_max) return false;
            if (!keeps_colours(known, image)) continue;
            image_[known] = image;
            if (extended(known + 1)) return true;
        }
        return false;
    }
    [[nodiscard]] bool keeps_colours(std::size_t known, NodeId image) const {
        for (std::size_t i = 0; i < known; ++i)
            if (colour_[order_[i]][order_[known]] != colour_[image_[i]][image]) return false;
        return true;
    }

    NodeId nodes_;
    std::vector<std::vector<std::uint64_t>> colour_;
    std::vector<NodeId> order_;  ///< nearest to node 0 first
    std::vector<NodeId> image_;  ///< image of order_[i]
    std::uint64_t steps_ = 0;
};

}  // namespace

std::optional<bool> looks_the_same_everywhere(const Topology& topology) {
    const NodeId nodes = topology.nodes();
    const Port degree = topology.degree(0);
    for (NodeId v = 1; v < std::min(nodes, degrees_looked_at); ++v)
        if (topology.degree(v) != degree) return false;
    if (nodes > symmetry_nodes_max) return std::nullopt;
    Automorphisms automorphisms(topology);
    for (NodeId v = 1; v < nodes; ++v) {
        const std::optional<bool> found = automorphisms.take_0_to(v);
        if (!found || !*found) return found;
    }
    return true;
}

}  // namespace kport
