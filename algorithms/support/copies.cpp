#include "algorithms/support/copies.hpp"
#include "emulator/base/numbers.hpp"

#include <fmt/format.h>

namespace kport {

ExpectedCost in_turn(ExpectedCost one, const Machine& machine, std::uint64_t packets,
                     std::optional<std::uint64_t> children, std::optional<std::uint64_t> through_root) {
    if (packets == 1 || machine.topology->nodes() == 1) return one;
    const Port ports = machine.widest();
    const std::uint64_t most = children.value_or(0);
    const bool evenly_apart = children && (ports == 1 || ports >= most);
    if (start_apart(machine, packets) && one.rounds) {
        *one.rounds *= packets;
        one.derivation.push_back(
            fmt::format("nodes cannot send a packet while the next comes: the {} packets start when the one before is "
                        "everywhere: {}",
                        packets, counted(*one.rounds, "round")));
    } else if (evenly_apart && one.rounds) {
        const std::uint64_t apart = ports >= most ? 1 : most;
        *one.rounds += apart * (packets - 1);
        one.derivation.push_back(apart == 1
                                     ? fmt::format("the {} packets follow each other a round apart: {}", packets,
                                                   counted(*one.rounds, "round"))
                                     : fmt::format("the {} packets leave the source {} apart, a round for each of its "
                                                   "children, the most of any node: {}",
                                                   packets, counted(apart, "round"), counted(*one.rounds, "round")));
    } else if (through_root) {
        one.rounds = through_root;
        one.derivation.push_back(fmt::format(
            "of c children the source sends packet j to the i-th in round floor((j c + i) / {}) + 1, counted "
            "from 0, and all others send it to all theirs in the next: {}",
            ports, counted(*one.rounds, "round")));
    } else {
        one.rounds.reset();
        one.derivation.push_back(fmt::format("only a run can show how the {} packets delay each other", packets));
    }
    if (one.work) *one.work *= packets;
    one.path_sum = one.volume = one.rounds;
    if (one.work)
        one.derivation.push_back(fmt::format("each of the {} packets takes the tree: work {}", packets, *one.work));
    return one;
}

}  // namespace kport
