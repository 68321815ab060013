#include <fmt/format.h>

#include "emulator/topology/family.hpp"
#include "emulator/topology/family_bases.hpp"

namespace kport {
namespace {

/// Port i flips bit i; from i = 2 on also bit i-1 where bit 0 is 1.
/// Source    Yang, Evans, Megson, The locally twisted cubes, Int. J. Computer Mathematics 82 (2005).
class LocallyTwistedCube final : public CubeVariant<LocallyTwistedCube> {
  public:
    explicit LocallyTwistedCube(std::uint64_t d) : CubeVariant(fmt::format("locally-twisted-cube:{}", d), d) {}

    [[nodiscard]] NodeId neighbour(NodeId v, Port p) const {
        const NodeId beside = p >= 2 ? (v & 1) << (p - 1) : 0;
        return v ^ NodeId { 1 } << p ^ beside;
    }
    [[nodiscard]] Hops diameter() const override {
        const Hops d = ports();
        if (d <= 2) return d;
        return d <= 4 ? d - 1 : (d + 4) / 2;
    }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return ports() <= 3; }
};

}  // namespace

std::vector<TopologyFamily> families_in_locally_twisted_cube() {
    return {{.name = "locally-twisted-cube",
             .form = "locally-twisted-cube:D",
             .about = "2^D nodes, D up to 40; crossing a dimension also flips the bit below it where bit 0 is 1",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 return std::make_shared<const LocallyTwistedCube>(
                     given.number({"dimension", 1, LocallyTwistedCube::dimensions_most}));
             },
             .members = [](NodeId nodes) { return one_number(nodes, 1, [](auto d) { return NodeId{1} << d; }); },
             .drawn = DrawnAs::cube}};
}

}  // namespace kport
