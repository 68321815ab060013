#include <bit>
#include <optional>

#include <fmt/format.h>

#include "emulator/topology/family.hpp"
#include "emulator/topology/family_bases.hpp"

namespace kport {
namespace {

/// Bits come in pairs above bit 0, which port 0 flips. In the pair 2j, 2j-1 port 2j-1 flips the upper bit; port 2j
/// flips only the lower one where the bits below have odd parity, else both.
/// Source    Hilbers, Koopman, van de Snepscheut, The twisted cube, PARLE (1987).
class TwistedCube final : public CubeVariant<TwistedCube> {
  public:
    explicit TwistedCube(std::uint64_t d) : CubeVariant(fmt::format("twisted-cube:{}", d), d) {}

    [[nodiscard]] NodeId neighbour(NodeId v, Port p) const {
        if (p == 0) return v ^ 1;
        if (p % 2 == 1) return v ^ NodeId { 1 } << (p + 1);
        const NodeId lower = NodeId{1} << (p - 1);
        const bool odd = std::popcount(v & (lower - 1)) % 2 == 1;
        return v ^ (odd ? lower : 3 * lower);
    }
    [[nodiscard]] Hops diameter() const override { return (ports() + 1) / 2; }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override { return ports() <= 3; }
};

}  // namespace

std::vector<TopologyFamily> families_in_twisted_cube() {
    return {{.name = "twisted-cube",
             .form = "twisted-cube:D",
             .about = "2^D nodes, D odd; of each pair of dimensions one is crossed with the other by parity",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 const std::uint64_t d = given.number({"dimension", 1, TwistedCube::dimensions_most - 1});
                 if (d % 2 == 0) given.refuse(fmt::format("dimension {}; want an odd one", d));
                 return std::make_shared<const TwistedCube>(d);
             },
             .members =
                 [](NodeId nodes) {
                     std::vector<std::string> found;
                     for (std::uint64_t d = 1; NodeId{1} << d <= nodes; d += 2)
                         if (NodeId{1} << d == nodes) found.push_back(std::to_string(d));
                     return found;
                 },
             .drawn = DrawnAs::cube}};
}

}  // namespace kport
