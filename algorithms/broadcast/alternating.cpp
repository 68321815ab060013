/// @file alternating.cpp   Broadcast of M packets round a ring, both ways in turn (long-messages.md section 4.1).
#include <algorithm>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/reversal.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/ring.hpp"
#include "algorithms/support/timetable.hpp"

namespace kport {

/// Which packet comes to which node when. In odd rounds the source sends in the + direction, in even ones in the - direction:
/// packets 1, 2, .., M, and then M, M-1, .. again, which go the other way then, for a round has the other parity.
class Alternation {
  public:
    Alternation(NodeId nodes, const Collective& collective)
        : nodes_(static_cast<std::int64_t>(nodes)), m_(static_cast<std::int64_t>(collective.packets_each)),
          source_(collective.root) {}

    /// To a node in one direction.
    struct Link {
        NodeId peer;
        std::int64_t nodes;
        std::int64_t packets;
        bool plus;
        std::int64_t steps;  ///< from the source to the receiver in this direction
        [[nodiscard]] std::optional<PacketId> packet(Round round) const;
    };
    [[nodiscard]] LinksOfNode<Link> at(NodeId v) const;

  private:
    std::int64_t nodes_;
    std::int64_t m_;
    NodeId source_;
};

/// A packet p, counted from 1, that goes first this way comes in round p + steps - 1, and one that goes this way when it is sent
/// again, in round 2 M + 1 - p, in round 2 M - p + steps. It comes the way that is earlier.
std::optional<PacketId> Alternation::Link::packet(Round in_round) const {
    const std::int64_t round = in_round;
    const std::int64_t last = packets - 1 + nodes / 2;
    const auto is_sent_again = [&](std::int64_t p) { return 2 * packets + 1 - p <= last; };
    const auto is_packet = [&](std::int64_t p) { return 1 <= p && p <= packets; };
    const std::int64_t other_steps = nodes - steps;
    if (const std::int64_t p = round - steps + 1; is_packet(p) && (p % 2 == 1) == plus)
        if (!is_sent_again(p) || round < 2 * packets - p + other_steps) return static_cast<PacketId>(p - 1);
    if (const std::int64_t p = 2 * packets + steps - round; is_packet(p) && (p % 2 == 0) == plus)
        if (is_sent_again(p) && round < p + other_steps - 1) return static_cast<PacketId>(p - 1);
    return std::nullopt;
}

LinksOfNode<Alternation::Link> Alternation::at(NodeId v) const {
    const auto nodes = static_cast<NodeId>(nodes_);
    LinksOfNode<Link> links;
    const auto position = [&](NodeId w) { return static_cast<std::int64_t>((w + nodes - source_) % nodes); };
    const auto link = [&](NodeId peer, NodeId receiver, bool plus) {
        const std::int64_t x = position(receiver);
        return Link{peer, nodes_, m_, plus, plus ? x : nodes_ - x};
    };
    const NodeId above = (v + 1) % nodes;
    const NodeId below = (v + nodes - 1) % nodes;
    if (v != source_) links.in = {link(below, v, true), link(above, v, false)};
    if (above != source_) links.out.push_back(link(above, above, true));
    if (below != source_) links.out.push_back(link(below, below, false));
    links.first = v == source_ ? 1 : static_cast<Round>(std::min(position(v), nodes_ - position(v)));
    links.last = static_cast<Round>(m_ - 1 + nodes_ / 2);
    return links;
}

namespace {

/// One-to-all broadcast of M packets round a ring.
///
/// Machine   ring of an even number of nodes, 1-port, full duplex ports. Combining or not
/// Gives     every node holds all packets of the source
/// Costs     rounds M - 1 + N / 2, the minimum; work M (N - 1)
/// Idea      The source sends one way in odd and the other way in even rounds, each packet once either way as far as time
///           allows. What comes to a node in + and in - direction has rounds of different parity, so no port is claimed twice.
/// Source    derived for kport; long-messages.md section 4.1
Program broadcast_in_turns(Node& self, const Alternation& rule) { return broadcast_by_timetable(self, rule); }

std::optional<std::string> misfit_broadcast_alternating(const Machine& machine, const Collective& collective,
                                                        const AlgorithmOptions& options) {
    return first_of({needs_ring(machine), unless(machine.topology->nodes() % 2 == 0, "needs an even number of nodes"),
                     needs_one_port(machine), needs_stream(machine, collective), needs_both_ways(machine, collective),
                     takes_no_options(options)});
}

Start make_broadcast_alternating(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    return {[rule = Alternation(machine.topology->nodes(), collective)](Node& self) {
                return broadcast_in_turns(self, rule);
            },
            {collective.root}};
}

ExpectedCost expect_broadcast_alternating(const Machine& machine, const Collective& collective,
                                          const AlgorithmOptions&) {
    const std::uint64_t m = collective.packets_each;
    const NodeId half = machine.topology->nodes() / 2;
    return single_packet_cost(
        machine, collective, m - 1 + half,
        {fmt::format("a packet a round leaves the source, the last of {} in round {}; the opposite "
                     "node is {} links away: {} rounds",
                     m, m, half, m - 1 + half)});
}

}  // namespace

std::vector<Algorithm> algorithms_in_broadcast_alternating() {
    return with_reversal(
        {
            .operation = Operation::broadcast,
            .name = "alternating",
            .rule = "round a ring one way in odd, the other way in even rounds: packets 1 to M, then M, M-1, .. again",
            .needs = "ring, N even, SF or WH, 1-port, full duplex, not pairwise",
            .cost = "M-1+N/2 rounds, the minimum",
            .source = "long-messages section 4.1",
            .misfit = misfit_broadcast_alternating,
            .make = make_broadcast_alternating,
            .expect = expect_broadcast_alternating,
            .with_many = WithMany::own,
            .single_links = true,
            .single_packets = true,
        },
        Operation::reduce);
}

}  // namespace kport
