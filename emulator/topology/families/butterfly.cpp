#include <algorithm>
#include <bit>
#include <optional>

#include <fmt/format.h>

#include "emulator/topology/family.hpp"

namespace kport {
namespace {

/// D+1 levels of 2^D words: node (i, w) = i 2^D + w. Ports 0 and 1 lead to (i+1, w) and (i+1, w xor 2^i), ports 2 and 3 to
/// (i-1, w) and (i-1, w xor 2^(i-1)); level D lacks the first two, level 0 the last two.
/// Source    Leighton, Introduction to Parallel Algorithms and Architectures, section 3.2 (1992).
class Butterfly final : public Topology {
  public:
    static constexpr std::uint64_t most = 34;  // 35 * 2^34 < 2^40

    explicit Butterfly(std::uint64_t d) : Topology(fmt::format("butterfly:{}", d), (d + 1) << d, 4), d_(d) {}

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        const NodeId i = v >> d_;
        const bool up = p < 2;
        if (i == (up ? d_ : 0)) return {};
        const NodeId flipped = NodeId{p & 1} << (up ? i : i - 1);
        return {(up ? v + (NodeId{1} << d_) : v - (NodeId{1} << d_)) ^ flipped, p ^ 2U};
    }
    [[nodiscard]] Port degree(NodeId v) const override { return v >> d_ == 0 || v >> d_ == d_ ? 2 : 4; }
    [[nodiscard]] Port max_degree() const override { return d_ == 1 ? 2 : 4; }
    [[nodiscard]] std::uint64_t channels() const override { return 4 * d_ << d_; }

    /// A bit is flipped between its level and the next: a shortest path goes to one end of the range of differing bits,
    /// to the other end, and back to the level of w.
    [[nodiscard]] Hops distance(NodeId v, NodeId w) const override {
        const NodeId from = v >> d_;
        const NodeId to = w >> d_;
        const NodeId bits = (v ^ w) & ((NodeId{1} << d_) - 1);
        NodeId low = std::min(from, to);
        NodeId high = std::max(from, to);
        if (bits != 0) {
            low = std::min(low, static_cast<NodeId>(std::countr_zero(bits)));
            high = std::max(high, static_cast<NodeId>(std::bit_width(bits)));
        }
        return high - low + std::min((from - low) + (high - to), (high - from) + (to - low));
    }
    /// The farthest node has the same level and the complement of all bits.
    [[nodiscard]] Hops eccentricity(NodeId) const override { return diameter(); }
    [[nodiscard]] Hops diameter() const override { return 2 * d_; }
    [[nodiscard]] Hops radius() const override { return 2 * d_; }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return d_ == 1; }
    [[nodiscard]] bool bipartite() const override { return true; }

  private:
    std::uint64_t d_;
};

}  // namespace

std::vector<TopologyFamily> families_in_butterfly() {
    return {{.name = "butterfly",
             .form = "butterfly:D",
             .about = "D+1 levels of 2^D words, D from 1 to 34; the next level flips bit i or not",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 return std::make_shared<const Butterfly>(given.number({"dimension", 1, Butterfly::most}));
             },
             .members = [](NodeId nodes) { return one_number(nodes, 1, [](auto d) { return (d + 1) << d; }); },
             .drawn = DrawnAs::ranks}};
}

}  // namespace kport
