#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/bounds/arguments.hpp"

namespace kport::bounds {
namespace {

/// A minimum of rounds for single packets, store-and-forward, found by a satisfiability solver (model.md section 13.2).
struct Minimum {
    std::string_view shape;  ///< as given by shape_of()
    Count ports;
    std::uint64_t first;          ///< M from here
    std::uint64_t last;           ///< to here
    std::optional<Count> beyond;  ///< rounds are M plus this; nothing: they equal the bound
};

constexpr Count every_port = 0;

/// Cases where no algorithm of the catalogue meets the bound, or no schedule does.
constexpr Minimum minima[] = {
    {"complete 4", 2, 2, 2, {}},
    {"complete 4", 2, 5, 6, {}},
    {"complete 5", 2, 4, 4, {}},
    {"complete 6", 2, 3, 4, {}},
    {"complete 7", 2, 3, 4, {}},
    {"complete 7", 3, 2, 3, {}},
    {"complete 8", 3, 2, 2, {}},
    {"complete 8", 3, 4, 5, {}},
    {"hypercube 3", 2, 3, 3, {}},
    {"hypercube 3", 2, 7, 7, {}},
    {"hypercube 4", 2, 4, 4, {}},
    {"hypercube 4", 3, 2, 2, {}},
    {"hypercube 4", 3, 6, 6, {}},
    {"torus 5", 1, 2, 5, 2},
    {"torus 5", 1, 6, 9, 3},
    {"torus 7", 1, 2, 5, 3},
    {"torus 7", 1, 6, 10, 4},
    {"torus 3x3", 1, 2, 6, {}},
    {"torus 3x4", 1, 2, 6, {}},
    {"torus 4x4", 1, 2, 6, {}},
    {"torus 3x5", 1, 3, 4, 4},
    {"torus 3x3", 2, 4, 4, {}},
    {"torus 4x4", 2, 4, 6, {}},
    {"torus 3x3", every_port, 2, 8, {}},
    {"torus 3x4", every_port, 2, 8, {}},
    {"torus 3x5", every_port, 2, 8, {}},
    {"torus 5x5", every_port, 2, 8, {}},
    {"mesh 2@0x3@0", 1, 2, 2, {}},
    {"mesh 2@0x3@1", 1, 3, 4, {}},
    {"mesh 3@0x3@0", 1, 2, 2, {}},
    {"mesh 3@0x3@1", 1, 2, 2, {}},
    {"mesh 3@0x3@1", 1, 4, 4, 4},
    {"mesh 3@1x3@1", 1, 3, 3, {}},
    {"mesh 3@0x4@0", 1, 3, 3, {}},
    {"mesh 3@0x4@1", 1, 3, 4, 4},
    {"mesh 4@0x4@0", 1, 2, 3, {}},
    {"mesh 4@1x4@1", 1, 2, 3, 4},
    {"cbt 2@1", 1, 2, 3, {}},
    {"cbt 2@2", 1, 2, 3, {}},
    {"cbt 2@2", 2, 2, 3, {}},
    {"petersen", 1, 2, 2, {}},
    {"petersen", 1, 4, 4, {}},
};

/// Returns the machine up to symmetry: "complete 5", "torus 3x4" (a ring has one side), "mesh 3@0x4@1" with the
/// source's distance from the nearer border, "cbt 2@1" with its depth, "petersen".
std::string shape_of(const Facts& facts) {
    if (facts.complete()) return fmt::format("complete {}", facts.nodes);
    if (facts.hypercube()) return fmt::format("hypercube {}", facts.graph.max_degree());
    if (facts.tree != nullptr)
        return fmt::format("cbt {}@{}", facts.tree->height(), CompleteBinaryTree::depth(facts.root));
    if (facts.grid == nullptr) return facts.graph.spec();
    std::vector<std::string> sides;
    for (int i = 0; i < facts.grid->dimensions(); ++i) {
        const NodeId side = facts.grid->side(i);
        const NodeId from = facts.grid->coordinate(facts.root, i);
        if (side == 1) continue;
        sides.push_back(facts.grid->wraps() ? fmt::to_string(side)
                                            : fmt::format("{}@{}", side, std::min(from, side - 1 - from)));
    }
    std::ranges::sort(sides);
    return fmt::format("{} {}", facts.grid->wraps() ? "torus" : "mesh", fmt::join(sides, "x"));
}

const Minimum* minimum_of(const Facts& facts) {
    if (!facts.is_even()) return nullptr;  // they are of machines with one limit
    const std::string shape = shape_of(facts);
    for (const Minimum& minimum : minima)
        if (minimum.shape == shape && minimum.first <= facts.packets_each && facts.packets_each <= minimum.last &&
            (minimum.ports == every_port ? facts.every_port : minimum.ports == facts.ports))
            return &minimum;
    return nullptr;
}

/// The last packet leaves as late as the bound says, and needs as long as a single packet.
std::optional<Refutation> refute_last_departure(const Facts& facts, Count alone_bound) {
    const auto alone = refute_broadcast_rounds(facts, alone_bound);
    if (!alone) return std::nullopt;
    const Count last = ceil_div(facts.packets_each, facts.root_ports);
    return Refutation{last - 1 + alone->least,
                      fmt::format("{}some packet leaves in round {} or later, and alone it takes {}: {}",
                                  facts.inwards() ? "reversed in time " : "", last,
                                  counted(alone->least, "round", "rounds"), alone->why)};
}

}  // namespace

void about_long_broadcast(const Facts& facts, const Derivation& found, Knowledge& known) {
    if (facts.machine.combining) {  // bundles take as many rounds and hops as a single packet
        known.rounds = refute_broadcast_rounds(facts, found.rounds.value());
        known.path_sum = refute_broadcast_path_sum(facts, found);
    }
    if (!facts.store_and_forward) return;
    const Count bound = found.packets.value();
    const Count alone = std::max<Count>(ceil_log(facts.ports + 1, facts.nodes), facts.eccentricity);
    Refutation best{bound, {}};
    if (auto departure = refute_last_departure(facts, alone); departure && departure->least > best.least)
        best = *std::move(departure);
    if (const Minimum* minimum = minimum_of(facts)) {
        const Count rounds = minimum->beyond ? facts.packets_each + *minimum->beyond : bound;
        if (rounds > best.least)
            best = {rounds, fmt::format("exhaustive search found no schedule of single packets of fewer than {}",
                                        counted(rounds, "round", "rounds"))};
        if (facts.both_ways() && !facts.machine.pairwise)
            known.schedules.push_back({"a schedule found by exhaustive search", rounds,
                                       facts.packets_each * Count{facts.nodes - 1}, rounds, rounds});
    }
    if (best.least > bound) known.packets = std::move(best);
    if (facts.machine.combining) return;
    known.rounds = known.packets;  // a round moves one packet
    if (known.rounds && known.rounds->least > found.path_sum.value())
        known.path_sum = following(*known.rounds, "a round has at least one hop", "round", "rounds");
}

}  // namespace kport::bounds
