#include <fmt/format.h>

#include "emulator/topology/divisor.hpp"
#include "emulator/topology/family.hpp"

namespace kport {
namespace {

/// The hypercube of D dimensions with each node replaced by a cycle of D nodes: node (w, i) = w D + i is the node of
/// corner w that has the link of dimension i. Port 0 leads to (w, i+1), 1 to (w, i-1), 2 to (w xor 2^i, i).
/// Source    Preparata, Vuillemin, The cube-connected cycles, CACM 24 (1981); the diameter: Fris, Havel, Liebl (1997).
class CubeConnectedCycles final : public RegularTopology {
  public:
    static constexpr std::uint64_t most = 34;  // 34 * 2^34 < 2^40

    explicit CubeConnectedCycles(std::uint64_t d)
        : RegularTopology(fmt::format("ccc:{}", d), d << d, 3), d_(d), by_d_(d) {}

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        const NodeId w = by_d_.quotient(v);
        const NodeId i = v - w * d_;
        if (p == 0) return {i + 1 == d_ ? v - i : v + 1, 1};
        if (p == 1) return {i == 0 ? v + d_ - 1 : v - 1, 0};
        return {(w ^ (NodeId{1} << i)) * d_ + i, 2};
    }
    [[nodiscard]] Hops diameter() const override { return d_ == 3 ? 6 : 2 * d_ + d_ / 2 - 2; }
    [[nodiscard]] Hops eccentricity(NodeId) const override { return diameter(); }
    [[nodiscard]] std::optional<PublishedSchedule> published_broadcast(NodeId) const override {
        // The published bound of 8 rounds for D = 4 cannot be met: two nodes are 8 links apart.
        if (d_ == 4) return PublishedSchedule{9, "exhaustive search", true};
        return PublishedSchedule{(5 * d_ + 1) / 2 - 2, "Liestman, Peters 1988"};
    }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return true; }
    [[nodiscard]] bool bipartite() const override { return d_ % 2 == 0; }

  protected:
    /// Shifts corners by v's corner, and rotates dimensions so that v's becomes 0.
    [[nodiscard]] NodeId seen_from(NodeId v, NodeId w) const override {
        const NodeId at = by_d_.quotient(v);
        const NodeId i = v - at * d_;
        const NodeId to = by_d_.quotient(w);
        const NodeId j = w - to * d_;
        const NodeId bits = at ^ to;
        const NodeId turned = (bits >> i | bits << (d_ - i)) & ((NodeId{1} << d_) - 1);
        return turned * d_ + (j >= i ? j - i : j + d_ - i);
    }

  private:
    std::uint64_t d_;
    Divisor by_d_;
};

}  // namespace

std::vector<TopologyFamily> families_in_cube_connected_cycles() {
    return {{.name = "ccc",
             .form = "ccc:D",
             .about = "cube-connected cycles: a hypercube of D dimensions (3 to 34), each corner a cycle of D nodes",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 return std::make_shared<const CubeConnectedCycles>(
                     given.number({"dimension", 3, CubeConnectedCycles::most}));
             },
             .members = [](NodeId nodes) { return one_number(nodes, 3, [](auto d) { return d << d; }); },
             .also = {"cubeconnectedcycles"},
             .drawn = DrawnAs::cube_of_cycles}};
}

}  // namespace kport
