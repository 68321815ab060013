#include <fmt/format.h>

#include "emulator/topology/family.hpp"
#include "emulator/topology/family_bases.hpp"

namespace kport {
namespace {

/// Port i flips bit i where bit i+1 is 0, and bits i to 0 where it is 1; the bit above the highest counts as T.
/// Source    Cull, Larson, The Moebius cubes, IEEE ToC 44 (1995).
class MobiusCube final : public CubeVariant<MobiusCube> {
  public:
    MobiusCube(std::uint64_t d, std::uint64_t top)
        : CubeVariant(fmt::format("mobius-cube:{},{}", d, top), d), top_(top) {}

    [[nodiscard]] NodeId neighbour(NodeId v, Port p) const {
        const NodeId bit = NodeId{1} << p;
        const NodeId above = p + 1 == ports() ? top_ : v >> (p + 1) & 1;
        return v ^ (above == 0 ? bit : 2 * bit - 1);
    }
    [[nodiscard]] Hops diameter() const override {
        const Hops d = ports();
        if (top_ == 1) return (d + 2) / 2;
        return d < 4 ? Topology::diameter() : (d + 3) / 2;
    }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return ports() <= 3; }

  private:
    NodeId top_;
};

}  // namespace

std::vector<TopologyFamily> families_in_mobius_cube() {
    return {{.name = "mobius-cube",
             .form = "mobius-cube:D,T",
             .about = "2^D nodes, D up to 40; crossing a dimension flips all bits below where the bit above (T) is 1",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 const auto [d, top] =
                     given.numbers({{"dimension", 1, MobiusCube::dimensions_most}, {"bit above the highest", 0, 1}});
                 return std::make_shared<const MobiusCube>(d, top);
             },
             .members =
                 [](NodeId nodes) {
                     std::vector<std::string> found;
                     for (const std::string& d : one_number(nodes, 1, [](auto n) { return NodeId{1} << n; }))
                         for (const char* top : {"0", "1"}) found.push_back(fmt::format("{},{}", d, top));
                     return found;
                 },
             .also = {"moebiuscube"},
             .drawn = DrawnAs::cube}};
}

}  // namespace kport
