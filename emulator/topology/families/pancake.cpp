#include <array>

#include <fmt/format.h>

#include "emulator/topology/families/permutations.hpp"
#include "emulator/topology/family.hpp"

namespace kport {
namespace {

/// Permutations of n symbols; port i reverses the first i+2.
/// Source    Akers, Krishnamurthy, A group-theoretic model for symmetric interconnection networks, IEEE ToC 38 (1989); the
///           diameters, found by search, are sequence A058986 of the OEIS.
class Pancake final : public PermutationGraph<Pancake> {
  public:
    explicit Pancake(std::uint64_t n) : PermutationGraph(fmt::format("pancake:{}", n), n) {}

    static void apply(SymbolPermutation& permutation, Port p) { permutation.reverse(p + 2); }

    [[nodiscard]] Hops diameter() const override {
        constexpr std::array<Hops, symbols_max + 1> known = {0, 0, 1, 3, 4, 5, 7, 8, 9, 10, 11, 13, 14, 15, 16};
        return known[symbols()];
    }
    /// Two or three symbols are reversed by one exchange, four by two.
    [[nodiscard]] bool bipartite() const override { return symbols() <= 3; }
};

}  // namespace

std::vector<TopologyFamily> families_in_pancake() {
    return {{.name = "pancake",
             .form = "pancake:N",
             .about = "permutations of N symbols (2 to 14); neighbours reverse the first two, three, ...",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 return std::make_shared<const Pancake>(given.number({"number of symbols", 2, symbols_max}));
             },
             .members = [](NodeId nodes) { return one_number(nodes, 2, factorial); }}};
}

}  // namespace kport
