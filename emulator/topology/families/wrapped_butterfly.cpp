#include <fmt/format.h>

#include "emulator/topology/family.hpp"

namespace kport {
namespace {

/// D levels of 2^D words, level D being level 0: node (i, w) = i 2^D + w. Ports 0 and 1 lead to (i+1, w) and
/// (i+1, w xor 2^i), ports 2 and 3 to (i-1, w) and (i-1, w xor 2^(i-1)).
/// Source    Leighton, Introduction to Parallel Algorithms and Architectures, section 3.2 (1992).
class WrappedButterfly final : public RegularTopology {
  public:
    static constexpr std::uint64_t most = 34;  // 34 * 2^34 < 2^40

    explicit WrappedButterfly(std::uint64_t d)
        : RegularTopology(fmt::format("wrapped-butterfly:{}", d), d << d, 4), d_(d) {}

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        const NodeId i = v >> d_;
        const NodeId w = v ^ i << d_;
        const bool up = p < 2;
        const NodeId next = up ? (i + 1 == d_ ? 0 : i + 1) : (i == 0 ? d_ : i) - 1;
        const NodeId flipped = NodeId{p & 1} << (up ? i : next);
        return {next << d_ | (w ^ flipped), p ^ 2U};
    }
    [[nodiscard]] Hops diameter() const override { return 3 * d_ / 2; }
    [[nodiscard]] Hops eccentricity(NodeId) const override { return diameter(); }
    [[nodiscard]] std::optional<PublishedSchedule> published_broadcast(NodeId) const override {
        return PublishedSchedule{2 * d_ - 1, "Klasing, Monien, Peine, Stoehr 1994"};
    }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return true; }
    [[nodiscard]] bool bipartite() const override { return d_ % 2 == 0; }

  protected:
    /// Shifts words by v's word, and rotates levels so that v's becomes 0.
    [[nodiscard]] NodeId seen_from(NodeId v, NodeId w) const override {
        const NodeId i = v >> d_;
        const NodeId j = w >> d_;
        const NodeId mask = (NodeId{1} << d_) - 1;
        const NodeId bits = (v ^ w) & mask;
        const NodeId turned = (bits >> i | bits << (d_ - i)) & mask;
        return (j >= i ? j - i : j + d_ - i) << d_ | turned;
    }

  private:
    std::uint64_t d_;
};

}  // namespace

std::vector<TopologyFamily> families_in_wrapped_butterfly() {
    return {
        {.name = "wrapped-butterfly",
         .form = "wrapped-butterfly:D",
         .about = "D levels (3 to 34) of 2^D words; the next level flips bit i or not, the last leads to the first",
         .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
             return std::make_shared<const WrappedButterfly>(given.number({"dimension", 3, WrappedButterfly::most}));
         },
         .members = [](NodeId nodes) { return one_number(nodes, 3, [](auto d) { return d << d; }); },
         .also = {"wbf"},
         .drawn = DrawnAs::ranks}};
}

}  // namespace kport
