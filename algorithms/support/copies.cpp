#include "algorithms/support/copies.hpp"

#include <fmt/format.h>

namespace kport {

ExpectedCost in_turn(ExpectedCost one, const Machine& machine, const Collective& collective,
                     std::optional<std::uint64_t> children) {
    const std::uint64_t m = collective.packets_each;
    if (machine.combining || m == 1 || machine.topology->nodes() == 1) return one;
    const Port ports = machine.widest();
    if (children && ports < *children && ports > 1) children.reset();
    if (children && one.rounds) {
        const std::uint64_t apart = ports >= *children ? 1 : *children;
        *one.rounds += apart * (m - 1);
        one.derivation.push_back(
            apart == 1
                ? fmt::format("the {} packets follow each other a round apart: {} rounds", m, *one.rounds)
                : fmt::format("the {} packets leave the source {} rounds apart, a round for each of its children, "
                              "and nobody has more: {} rounds",
                              m, apart, *one.rounds));
    } else {
        one.rounds.reset();
        one.derivation.push_back(fmt::format("how the {} packets delay each other only a run can tell", m));
    }
    if (one.work) *one.work *= m;
    one.path_sum = one.volume = one.rounds;
    if (one.work) one.derivation.push_back(fmt::format("each of the {} packets takes the tree: work {}", m, *one.work));
    return one;
}

}  // namespace kport
