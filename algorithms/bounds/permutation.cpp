#include <algorithm>
#include <bit>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "algorithms/bounds/arguments.hpp"
#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"
#include "algorithms/bounds/schedules.hpp"
#include "emulator/topology/hypercube.hpp"

namespace kport::bounds {
namespace {

constexpr std::uint64_t near_nodes_max = std::uint64_t{1} << 20;  // largest machine on which all distances are computed
constexpr std::uint64_t other_nodes_max = std::uint64_t{1} << 12;

/// How far packets go, and which node has the most to do.
struct Journeys {
    Count moving = 0;            ///< nodes whose packets move
    Count longest = 0;           ///< the largest distance
    std::optional<Count> total;  ///< the sum of distances
    NodeId slowest = 0;          ///< the node with the largest ceil(M / k(v)) + distance of what it sends, or receives
    bool receives = false;       ///< which of the two
    Count hops = 0;              ///< that ceil(M / k(v))
    Count rounds = 0;            ///< that value, less 1
    bool are_known = true;       ///< false: packets may have farther to go

    /// Returns "the longest way: 9 links".
    [[nodiscard]] std::string far() const {
        return are_known ? fmt::format("the longest way: {}", counted(longest, "link", "links"))
                         : "some packet moves (on so many nodes distances are not looked up)";
    }
};

/// How many messages the node sends, or receives, a round. One without any has nothing to send, or to receive (port_needs.hpp).
Port ports_at(const Facts& facts, NodeId v, bool receives) {
    return receives ? facts.machine.receives_of(v) : facts.machine.sends_of(v);
}

/// Of the packets of v, on their way to a node so far away, takes the slower end: they leave v, and come in there, through so many
/// ports.
void look_at_ends(const Facts& facts, NodeId v, NodeId to, Count distance, Journeys& all) {
    for (const bool receives : {false, true}) {
        const NodeId end = receives ? to : v;
        const Port ports = ports_at(facts, end, receives);
        const Count hops = ports == 0 ? 0 : ceil_div(facts.packets_each, ports);
        const Count rounds = hops - 1 + (facts.store_and_forward ? distance : 1);
        if (rounds <= all.rounds) continue;
        all.rounds = rounds;
        all.hops = hops;
        all.slowest = end;
        all.receives = receives;
    }
}

/// Computes them node by node.
Journeys all_journeys(const Facts& facts) {
    Journeys all;
    all.total = 0;
    for (NodeId v = 0; v < facts.nodes; ++v) {
        const NodeId to = facts.permutation.target(v, facts.nodes);
        if (to == v) continue;  // they stay there
        const Count distance = facts.graph.distance(v, to);
        ++all.moving;
        all.longest = std::max(all.longest, distance);
        *all.total += distance;
        look_at_ends(facts, v, to, distance, all);
    }
    return all;
}

/// For a large machine: exact for shifts and moves on a ring, moves on a line, and shifts, transposes and bit reversals on a
/// hypercube; elsewhere one step at least.
Journeys estimated_journeys(const Facts& facts) {
    const Permutation& permutation = facts.permutation;
    Journeys some;
    some.moving = permutation.senders(facts.nodes);
    if (some.moving == 0) return some;
    some.longest = 1;
    some.are_known = false;
    const bool shifts = permutation.kind == Permutation::Kind::shift;
    const bool moves = permutation.kind == Permutation::Kind::move;
    auto far = static_cast<Count>(permutation.by < 0 ? -permutation.by : permutation.by);
    if (shifts && permutation.is_by_number(facts.nodes)) far %= facts.nodes;
    const bool is_row = facts.grid != nullptr && facts.grid->dimensions() == 1;
    if (is_row && permutation.is_by_number(facts.nodes) && (moves || facts.grid->wraps())) {
        some.longest = facts.grid->wraps() ? std::min<Count>(far, facts.nodes - far) : far;
        some.total = some.longest * some.moving;
        some.are_known = true;
    } else if (const auto* cube = dynamic_cast<const Hypercube*>(&facts.graph); cube != nullptr && !moves) {
        const auto n = static_cast<Count>(cube->dimensions());
        const bool by_number = permutation.is_by_number(facts.nodes);
        some.are_known = permutation.kind != Permutation::Kind::list;
        if (shifts && by_number)
            some.longest = n - static_cast<Count>(std::countr_zero(static_cast<std::uint64_t>(far)));
        else if (!shifts && some.are_known)
            some.longest = n / 2 * 2;
    }
    const NodeId sender = permutation.a_sender(facts.nodes);
    look_at_ends(facts, sender, permutation.target(sender, facts.nodes), some.longest, some);
    return some;
}

Journeys journeys(const Facts& facts) {
    const bool is_near = facts.grid != nullptr || facts.hypercube() || facts.complete();
    return facts.nodes <= (is_near ? near_nodes_max : other_nodes_max) ? all_journeys(facts)
                                                                       : estimated_journeys(facts);
}

}  // namespace

/// Packets go from each node to another (model.md section 2).
Derivation derive_permutation(const Facts& facts) {
    const Journeys all = journeys(facts);
    Derivation found;
    found.bundles = facts.machine.combining && facts.packets_each > 1;
    const std::string whose =
        fmt::format("the last packet {} node {}", all.receives ? "for" : "of", facts.node(all.slowest));
    found.packets.add(
        {facts.store_and_forward ? fmt::format("{} - 1 + {}: {}", all.hops, all.rounds + 1 - all.hops, whose)
                                 : fmt::format("{}: {}", all.hops, whose),
         all.rounds,
         fmt::format("Its {} {} through {}, a round each at best, and {}.",
                     counted(facts.packets_each, "packet", "packets"), all.receives ? "come in" : "leave",
                     counted(ports_at(facts, all.slowest, all.receives), "port", "ports"),
                     all.receives ? "the first has its whole way to go before" : "the last still has its way to go"),
         "model section 2"});
    const Count sends = ports_of_all(facts);
    if (all.total && facts.store_and_forward && sends > 0) {
        const Count crossed = *all.total * facts.packets_each;
        found.packets.add(
            {fmt::format("ceil({} / {}): distances over sends", crossed, sends), ceil_div(crossed, sends),
             fmt::format("The packets cross {} links in total, and a round has at most {} sends, each of at "
                         "most its largest bundle.",
                         crossed, sends),
             "total traffic"});
    }
    if (!facts.machine.combining) found.rounds.add(one_packet_a_message(found.packets));
    found.rounds.add({facts.store_and_forward ? all.far() : "some packet moves",
                      facts.store_and_forward ? all.longest : std::min<Count>(all.moving, 1),
                      facts.store_and_forward ? "A message crosses one link a round." : "It takes a round.",
                      "distance"});
    found.path_sum.add({all.far(), all.longest,
                        "A packet travels in one message at a time, each no longer than the longest path of its round.",
                        "distance"});
    found.path_sum.add(one_hop_a_round(found.rounds));
    found.work.add({fmt::format("a message for each of {}", counted(all.moving, "node", "nodes")), all.moving,
                    "Each node that gets packets receives a message, which crosses at least one link.",
                    "counting receivers"});
    found.work.add({all.far(), all.longest, "A packet crosses at least as many links, each in a message.", "distance"});
    if (!facts.machine.combining && all.total)
        found.work.add({times_each(facts) + fmt::format("{}: the sum of the distances", *all.total),
                        *all.total * facts.packets_each,
                        "Without combining every packet travels in messages of its own, over at least the distance.",
                        "total traffic"});
    return found;
}

std::vector<KnownSchedule> known_besides_catalogue(const Facts&) { return {}; }

}  // namespace kport::bounds
