/// @file alternating.cpp   Broadcast of M packets round a ring, both ways in turn (model.md section 13.2).
#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/ring.hpp"
#include "algorithms/support/timetable.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/node/timetable.hpp"

namespace kport {

namespace {

/// One-to-all broadcast of M packets round a ring.
///
/// Machine   ring of an even number of nodes, 1-port, full duplex ports. Combining or not
/// Gives     every node holds all packets of the source
/// Costs     rounds M - 1 + N / 2, the minimum; work M (N - 1)
/// Idea      In odd rounds the source sends in the + direction, in even ones in the - direction: packets 1, 2, .., M, and then M,
///           M-1, .. again, which go the other way then, for a round has the other parity: each packet once either way as far as
///           time allows. What comes to a node in + and in - direction has rounds of different parity, so no port is claimed
///           twice.
/// Source    derived for kport; model.md section 13.2
class Alternation final : public Timetable {
  public:
    Alternation(NodeId nodes, const Collective& collective)
        : nodes_(static_cast<std::int64_t>(nodes)), m_(static_cast<std::int64_t>(collective.packets_each)),
          source_(static_cast<std::int64_t>(collective.root)) {}

    [[nodiscard]] Round first(NodeId v) const override {
        const std::int64_t x = position(v);
        return x == 0 ? 1 : static_cast<Round>(std::min(x, nodes_ - x));
    }
    [[nodiscard]] Round last(NodeId) const override { return static_cast<Round>(last_round()); }
    /// Packets of either direction pass a node in 2 M consecutive rounds.
    [[nodiscard]] Round next(NodeId v, Round round) const override {
        const std::int64_t x = position(v);
        const std::int64_t near = std::min(x, nodes_ - x);
        return round <= near + 2 * m_ ? round : static_cast<Round>(std::max<std::int64_t>(round, nodes_ - near));
    }
    [[nodiscard]] TimetableLine line(NodeId v, Round round) const override {
        const NodeId above = neighbour(v, 1);
        const NodeId below = neighbour(v, -1);
        TimetableLine line;
        for (const bool plus : {true, false}) {
            const NodeId to = plus ? above : below;
            if (const auto sent = packet(to, plus, round)) {
                line.to = to;
                line.packet = *sent;
            }
            if (packet(v, plus, round)) line.from = plus ? below : above;
        }
        return line;
    }

  private:
    [[nodiscard]] std::int64_t last_round() const { return m_ - 1 + nodes_ / 2; }
    [[nodiscard]] std::int64_t position(NodeId v) const {
        return (static_cast<std::int64_t>(v) + nodes_ - source_) % nodes_;
    }
    [[nodiscard]] NodeId neighbour(NodeId v, std::int64_t step) const {
        return static_cast<NodeId>((static_cast<std::int64_t>(v) + nodes_ + step) % nodes_);
    }
    /// Returns the packet that comes to a node in one direction. A packet p, counted from 1, that goes this way first
    /// comes in round p + steps - 1; one that goes this way when it is sent again, in round 2 M + 1 - p, comes in round
    /// 2 M - p + steps. It takes the way that is earlier.
    [[nodiscard]] std::optional<PacketId> packet(NodeId receiver, bool plus, std::int64_t round) const {
        const std::int64_t x = position(receiver);
        if (x == 0) return std::nullopt;
        const std::int64_t steps = plus ? x : nodes_ - x;  // from the source in this direction
        const std::int64_t other_steps = nodes_ - steps;
        const auto is_sent_again = [&](std::int64_t p) { return 2 * m_ + 1 - p <= last_round(); };
        const auto is_packet = [&](std::int64_t p) { return 1 <= p && p <= m_; };
        if (const std::int64_t p = round - steps + 1; is_packet(p) && (p % 2 == 1) == plus)
            if (!is_sent_again(p) || round < 2 * m_ - p + other_steps) return static_cast<PacketId>(p - 1);
        if (const std::int64_t p = 2 * m_ + steps - round; is_packet(p) && (p % 2 == 0) == plus)
            if (is_sent_again(p) && round < p + other_steps - 1) return static_cast<PacketId>(p - 1);
        return std::nullopt;
    }

    std::int64_t nodes_;
    std::int64_t m_;
    std::int64_t source_;
};

std::optional<std::string> misfit_broadcast_alternating(const Machine& machine, const Collective& collective,
                                                        const AlgorithmOptions& options) {
    return first_of({needs_ring(machine), unless(machine.topology->nodes() % 2 == 0, "needs an even number of nodes"),
                     needs_one_port(machine), needs_stream(machine, collective), needs_both_ways(machine, collective),
                     takes_no_options(options)});
}

Start make_broadcast_alternating(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    return start_of_timetable(PlanProgram(std::make_shared<Alternation>(machine.topology->nodes(), collective)),
                              collective.root);
}

ExpectedCost expect_broadcast_alternating(const Machine& machine, const Collective& collective,
                                          const AlgorithmOptions&) {
    const std::uint64_t m = collective.packets_each;
    const NodeId half = machine.topology->nodes() / 2;
    return single_packet_cost(
        machine, collective, m - 1 + half,
        {fmt::format("a packet a round leaves the source, the last of {} in round {}; the opposite node is {} away: {}",
                     m, m, counted(half, "link"), counted(m - 1 + half, "round"))});
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
            .source = "derived for kport; model section 13.2",
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
