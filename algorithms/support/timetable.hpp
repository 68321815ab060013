/// @file timetable.hpp   Broadcasts by a rule that says which packets come to a node in a round, and from which
///                       neighbours: several in a round, by links computed once for each node. For one message each
///                       way, see emulator/node/timetable.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "algorithms/support/fit.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/base/types.hpp"
#include "emulator/node/node.hpp"

namespace kport {

/// After all rounds.
constexpr Round no_round = ~Round{0};

/// What one node knows of such a rule: the links by which packets come and go. A link's packet(round) is what its
/// receiver gets over it in that round, or nothing: a sender computes what its neighbour will get, and no message
/// carries it. A link is used from its first_round() to its last_round() only.
template <class Link>
struct LinksOfNode {
    std::vector<Link> in = {};
    std::vector<Link> out = {};

    /// Returns the links to ask in a round.
    [[nodiscard]] const std::vector<Link>& links_in(Round) const { return in; }
    [[nodiscard]] const std::vector<Link>& links_out(Round) const { return out; }

    /// Returns the earliest round, from this one on, in which a link may be used: the cost is that of actual packets,
    /// however long the node is idle.
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
/// node, and a node with nothing to send is idle.
///
/// Machine   as the rule says. `Rule::at(v)` returns an object like LinksOfNode.
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

/// The source starts, and every other node first waits for a sender that the rule names. So it may start with any
/// message, and keeps messages that it has not asked for yet.
[[nodiscard]] inline Start start_of_timetable(ProgramFactory program, NodeId source) {
    return {.program = std::move(program), .starters = {source}, .others_receive = true};
}

/// Requirement of pipelined packets: a node receives one while it sends another, and neighbours exchange. A single
/// packet needs none of it.
[[nodiscard]] inline std::optional<std::string> needs_both_ways(const Machine& machine, const Collective& collective) {
    if (collective.packets_each == 1) return std::nullopt;
    return first_of({needs_full_duplex(machine), needs_full_links(machine)});
}
/// needs_both_ways() where packets come from one neighbour and go to another, over links used in one direction.
[[nodiscard]] inline std::optional<std::string> needs_stream(const Machine& machine, const Collective& collective) {
    if (collective.packets_each == 1) return std::nullopt;
    return first_of({needs_full_duplex(machine), needs_partners(machine)});
}

/// Every message holds a packet and crosses a link: volume and path sum equal the rounds.
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

/// Traff's schedules of blocks on circulant graphs: which block comes in which round (model.md section 13.2).
///
/// Rounds come in groups of q = ceil(log2 N). In round i of a group position x receives from position x - skip(i), and
/// sends to x + skip(i), modulo N. Its table says which block: block number b >= 0 is x's base block, b < 0 block q + b
/// of the previous group.
///
/// Callers   any thread, after construction.
class CirculantSchedule {
  public:
    explicit CirculantSchedule(NodeId nodes);

    /// Returns q.
    [[nodiscard]] std::uint32_t rounds() const { return q_; }
    [[nodiscard]] NodeId nodes() const { return skips_.back(); }
    [[nodiscard]] NodeId skip(std::uint32_t i) const { return skips_[i]; }
    /// Returns the table of position x, q entries. O(log^3 N). Position 0, the source, sends block i in round i.
    [[nodiscard]] std::vector<std::int64_t> table(NodeId x) const;

  private:
    [[nodiscard]] std::uint32_t base(NodeId x) const;

    std::uint32_t q_;
    std::vector<NodeId> skips_;  ///< q + 1, the last is N
};

}  // namespace kport
