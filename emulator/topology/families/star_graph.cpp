#include <fmt/format.h>

#include "emulator/topology/families/permutations.hpp"
#include "emulator/topology/family.hpp"

namespace kport {
namespace {

/// Permutations of n symbols; port i exchanges the first with that of position i+2.
/// Source    Akers, Krishnamurthy, A group-theoretic model for symmetric interconnection networks, IEEE ToC 38 (1989).
class StarGraph final : public PermutationGraph<StarGraph> {
  public:
    explicit StarGraph(std::uint64_t n) : PermutationGraph(fmt::format("star-graph:{}", n), n) {}

    static void apply(SymbolPermutation& permutation, Port p) { permutation.exchange(0, p + 1); }

    /// Each misplaced symbol needs one exchange with the first position to get home, and each cycle that does not
    /// contain the first position one more to begin and one to end: m + c, and 2 less where the first is misplaced.
    [[nodiscard]] Hops distance(NodeId v, NodeId w) const override {
        const SymbolPermutation permutation = between(v, w);
        unsigned seen = 0;  // a bit a position
        Hops hops = permutation[0] != 0 ? -Hops{2} : 0;
        for (unsigned i = 0; i < symbols(); ++i) {
            if ((seen >> i & 1) != 0 || permutation[i] == i) continue;
            ++hops;
            for (unsigned j = i; (seen >> j & 1) == 0; j = permutation[j]) {
                seen |= 1U << j;
                ++hops;
            }
        }
        return hops;
    }
    [[nodiscard]] Hops diameter() const override { return 3 * Hops{ports()} / 2; }
    [[nodiscard]] bool bipartite() const override { return true; }
};

}  // namespace

std::vector<TopologyFamily> families_in_star_graph() {
    return {{.name = "star-graph",
             .form = "star-graph:N",
             .about = "permutations of N symbols (2 to 14); neighbours exchange the first symbol with another",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 return std::make_shared<const StarGraph>(given.number({"number of symbols", 2, symbols_max}));
             },
             .members = [](NodeId nodes) { return one_number(nodes, 2, factorial); }}};
}

}  // namespace kport
