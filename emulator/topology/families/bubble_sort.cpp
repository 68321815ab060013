#include <fmt/format.h>

#include "emulator/topology/families/permutations.hpp"
#include "emulator/topology/family.hpp"

namespace kport {
namespace {

/// Permutations of n symbols; port i exchanges those of positions i+1 and i+2.
/// Source    Akers, Krishnamurthy, A group-theoretic model for symmetric interconnection networks, IEEE ToC 38 (1989).
class BubbleSort final : public PermutationGraph<BubbleSort> {
  public:
    explicit BubbleSort(std::uint64_t n) : PermutationGraph(fmt::format("bubble-sort:{}", n), n) {}

    static void apply(SymbolPermutation& permutation, Port p) { permutation.exchange(p, p + 1); }

    /// The number of inversions: an exchange of neighbours adds or removes one.
    [[nodiscard]] Hops distance(NodeId v, NodeId w) const override {
        const SymbolPermutation permutation = between(v, w);
        Hops inversions = 0;
        for (unsigned i = 0; i < symbols(); ++i)
            for (unsigned j = i + 1; j < symbols(); ++j) inversions += permutation[i] > permutation[j] ? 1 : 0;
        return inversions;
    }
    [[nodiscard]] Hops diameter() const override { return Hops{symbols()} * ports() / 2; }
    /// The Mahonian numbers: inserting symbol i in front of 0 to i of the smaller ones adds that many inversions.
    [[nodiscard]] std::vector<std::uint64_t> distance_profile(NodeId) const override {
        std::vector<std::uint64_t> profile{1};
        for (unsigned n = 2; n <= symbols(); ++n) {
            std::vector<std::uint64_t> next(profile.size() + n - 1, 0);
            for (std::size_t d = 0; d < profile.size(); ++d)
                for (unsigned more = 0; more < n; ++more) next[d + more] += profile[d];
            profile = std::move(next);
        }
        return profile;
    }
    [[nodiscard]] bool bipartite() const override { return true; }
};

}  // namespace

std::vector<TopologyFamily> families_in_bubble_sort() {
    return {{.name = "bubble-sort",
             .form = "bubble-sort:N",
             .about = "permutations of N symbols (2 to 14); neighbours exchange two symbols side by side",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 return std::make_shared<const BubbleSort>(given.number({"number of symbols", 2, symbols_max}));
             },
             .members = [](NodeId nodes) { return one_number(nodes, 2, factorial); }}};
}

}  // namespace kport
