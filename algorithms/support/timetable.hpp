/// @file timetable.hpp   Broadcasts in which a rule says which packet comes to a node in a round, and of whom: several in a round,
///                       by links that a node looks up once. Where it is one each way, see emulator/node/timetable.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "algorithms/support/fit.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/node/node.hpp"

namespace kport {

/// Behind all rounds.
constexpr Round no_round = ~Round{0};

/// What one node knows of such a rule: over which links packets come and go. A link's packet(round) is what its receiver gets
/// over it in that round, or nothing: a sender computes what its neighbour is to get, and no message carries it. All that goes
/// over it does so from its first_round() to its last_round().
template <class Link>
struct LinksOfNode {
    std::vector<Link> in = {};
    std::vector<Link> out = {};

    /// Those to be asked in a round.
    [[nodiscard]] const std::vector<Link>& links_in(Round) const { return in; }
    [[nodiscard]] const std::vector<Link>& links_out(Round) const { return out; }

    /// The earliest round, from this one on, in which something may go over one of them: the cost is that of what does, however
    /// long the node is idle.
    [[nodiscard]] Round next(Round round) const {
        Round next = no_round;
        for (const auto* side : {&in, &out})
            for (const Link& link : *side)
                if (const Round from = std::max(round, link.first_round()); from <= link.last_round())
                    next = std::min(next, from);
        return next;
    }
};

/// One-to-all broadcast of M packets by a rule. Steps are synchronous (model.md section 13): round t is step t at every
/// node, and a node with nothing to send is silent.
///
/// Machine   as the rule says. `Rule::at(v)` gives something like LinksOfNode.
template <class Rule>
Program broadcast_by_timetable(Node& self, const Rule& rule) {
    const auto mine = rule.at(self.id());
    for (Round round = mine.next(1); round != no_round; round = mine.next(round + 1)) {
        for (const auto& link : mine.links_out(round)) {
            const std::optional<PacketId> packet = link.packet(round);
            if (!packet) continue;
            co_await self.until(round);
            co_await self.send_to(link.peer, Packet(*packet));
        }
        for (const auto& link : mine.links_in(round)) {
            if (!link.packet(round)) continue;
            co_await self.receive_from(link.peer);
        }
    }
}

/// The source starts, and every other node waits for whom the rule names first: so it may start with whatever comes first, and
/// keeps what it has not asked for yet.
[[nodiscard]] inline Start start_of_timetable(ProgramFactory program, NodeId source) {
    return {.program = std::move(program), .starters = {source}, .others_receive = true};
}

/// What packets that follow each other need: a node receives one while it sends another, and neighbours exchange. A single packet
/// needs none of it.
[[nodiscard]] inline std::optional<std::string> needs_both_ways(const Machine& machine, const Collective& collective) {
    if (collective.packets_each == 1) return std::nullopt;
    return first_of({needs_full_duplex(machine), needs_full_links(machine)});
}
/// The same where they come from one neighbour and go to another, over links that they cross one way.
[[nodiscard]] inline std::optional<std::string> needs_stream(const Machine& machine, const Collective& collective) {
    if (collective.packets_each == 1) return std::nullopt;
    return first_of({needs_full_duplex(machine), needs_partners(machine)});
}

/// Every message holds a packet and crosses a link: the volume and the path sum are the rounds.
[[nodiscard]] inline ExpectedCost single_packet_cost(const Machine& machine, const Collective& collective,
                                                     std::optional<std::uint64_t> rounds,
                                                     std::vector<std::string> derivation) {
    const std::uint64_t work = collective.packets_each * (machine.topology->nodes() - 1);
    if (work == 0) return {0, 0, 0, 0, {"one node: nothing moves"}};
    derivation.push_back(
        fmt::format("every node but the source receives each packet once, over one link: work {} * {} "
                    "= {}",
                    collective.packets_each, machine.topology->nodes() - 1, work));
    if (rounds)
        derivation.push_back(fmt::format("every message is one packet over one link: volume {}, path sum {}",
                                         counted(*rounds, "packet"), *rounds));
    return {rounds, work, rounds, rounds, std::move(derivation)};
}

}  // namespace kport
