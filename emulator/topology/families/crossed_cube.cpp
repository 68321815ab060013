#include <fmt/format.h>

#include "emulator/topology/family.hpp"
#include "emulator/topology/family_bases.hpp"

namespace kport {
namespace {

/// Port i flips bit i; and in each pair of bits 2j+1, 2j below it the upper one where the lower is 1.
/// Source    Efe, The crossed cube architecture for parallel computation, IEEE TPDS 3 (1992).
class CrossedCube final : public CubeVariant<CrossedCube> {
  public:
    explicit CrossedCube(std::uint64_t d) : CubeVariant(fmt::format("crossed-cube:{}", d), d) {}

    [[nodiscard]] NodeId neighbour(NodeId v, Port p) const {
        constexpr NodeId lower_of_pairs = 0x5555555555555555;
        const NodeId pairs_below = (NodeId{1} << (p & ~1U)) - 1;
        return v ^ NodeId { 1 } << p ^ (v & lower_of_pairs & pairs_below) << 1;
    }
    [[nodiscard]] Hops diameter() const override { return ports() / 2 + 1; }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return ports() <= 4; }
};

}  // namespace

std::vector<TopologyFamily> families_in_crossed_cube() {
    return {
        {.name = "crossed-cube",
         .form = "crossed-cube:D",
         .about = "2^D nodes, D up to 40; crossing a dimension also flips bits in the pairs below it",
         .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
             return std::make_shared<const CrossedCube>(given.number({"dimension", 1, CrossedCube::dimensions_most}));
         },
         .members = [](NodeId nodes) { return one_number(nodes, 1, [](auto d) { return NodeId{1} << d; }); },
         .drawn = DrawnAs::cube}};
}

}  // namespace kport
