/// @file chain.cpp   Broadcast of M packets along a row of nodes (model.md section 13.2).
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/complete.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/ring.hpp"
#include "algorithms/support/timetable.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/node/timetable.hpp"

namespace kport {

namespace {

bool is_line(const Grid* grid) { return grid != nullptr && grid->dimensions() == 1 && !grid->wraps(); }

/// One-to-all broadcast of M packets, each node passing them on to the next.
///
/// Machine   complete graph, ring, any k; line, 1-port; full duplex ports. Combining or not
/// Gives     every node holds all packets of the source
/// Costs     rounds M + N - 2; line with arms a >= b > 0: max(M - 1 + a, 2M - 1 + b); work M (N - 1)
/// Idea      Positions 0, 1, .., N-1 stand in a row. On a line all packets go into the longer arm, upwards if they are equal,
///           then all into the other.
/// Source    model.md section 13.2
class AlongRow final : public Timetable {
  public:
    AlongRow(const Topology& topology, const Collective& collective)
        : nodes_(topology.nodes()), source_(collective.root), packets_(collective.packets_each),
          is_line_(is_line(dynamic_cast<const Grid*>(&topology))), upwards_first_(nodes_ - 1 - source_ >= source_) {}

    [[nodiscard]] Round first(NodeId v) const override {
        return v == source_ ? 1 : static_cast<Round>(sent_into(v) + place(v).steps);
    }
    [[nodiscard]] Round last(NodeId v) const override {
        if (v != source_) return static_cast<Round>(first(v) + packets_ - (place(v).next == no_node ? 1 : 0));
        const auto arms = static_cast<std::uint64_t>(arm(0) != no_node) + static_cast<std::uint64_t>(arm(1) != no_node);
        return static_cast<Round>(arms * packets_);
    }
    [[nodiscard]] TimetableLine line(NodeId v, Round round) const override {
        if (v == source_) {
            return {.to = arm(round <= packets_ ? 0 : 1), .packet = (round - 1) % packets_};
        }
        const RowPlace at = place(v);
        const std::uint64_t done = round - first(v);
        TimetableLine line;
        if (done > 0 && at.next != no_node) {
            line.to = at.next;
            line.packet = done - 1;
        }
        if (done < packets_) line.from = at.before;
        return line;
    }

  private:
    /// The place of a node that is not the source.
    struct RowPlace {
        NodeId before;
        NodeId next;  ///< no_node: it is the last one
        std::uint64_t steps;
    };
    [[nodiscard]] RowPlace place(NodeId v) const {
        if (!is_line_) {
            const NodeId next = (v + 1) % nodes_;
            return {(v + nodes_ - 1) % nodes_, next == source_ ? no_node : next, (v + nodes_ - source_) % nodes_};
        }
        if (v > source_) return {v - 1, v + 1 < nodes_ ? v + 1 : no_node, v - source_};
        return {v + 1, v > 0 ? v - 1 : no_node, source_ - v};
    }
    /// Returns the node to which the source sends all packets first (0), and then (1); no_node if there is none.
    [[nodiscard]] NodeId arm(int which) const {
        const NodeId above = source_ + 1 < nodes_ ? source_ + 1 : no_node;
        const NodeId below = source_ > 0 ? source_ - 1 : no_node;
        if (!is_line_) return which == 0 && nodes_ > 1 ? (source_ + 1) % nodes_ : no_node;
        return (which == 0) == upwards_first_ ? above : below;
    }
    /// Returns the rounds before the source sends into the arm of a node.
    [[nodiscard]] std::uint64_t sent_into(NodeId v) const {
        return is_line_ && (v > source_) != upwards_first_ ? packets_ : 0;
    }

    NodeId nodes_;
    NodeId source_;
    std::uint64_t packets_;
    bool is_line_;
    bool upwards_first_;
};

std::optional<std::string> misfit_broadcast_chain(const Machine& machine, const Collective& collective,
                                                  const AlgorithmOptions& options) {
    const bool on_line = is_line(as_grid(machine));
    return first_of(
        {unless(on_line || !needs_ring(machine) || !needs_complete(machine), "needs a complete graph, ring or line"),
         on_line ? needs_one_port(machine) : std::nullopt, needs_stream(machine, collective),
         takes_no_options(options)});
}

Start make_broadcast_chain(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    return start_of_timetable(PlanProgram(std::make_shared<AlongRow>(*machine.topology, collective)), collective.root);
}

ExpectedCost expect_broadcast_chain(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t m = collective.packets_each;
    if (nodes == 1) return single_packet_cost(machine, collective, 0, {});
    if (!is_line(as_grid(machine)))
        return single_packet_cost(
            machine, collective, m + nodes - 2,
            {fmt::format("the first packet arrives at the last of {} in round {}, the others one a round: {}",
                         counted(nodes, "node"), nodes - 1, counted(m + nodes - 2, "round"))});
    const std::uint64_t longer = std::max(collective.root, nodes - 1 - collective.root);
    const std::uint64_t shorter = nodes - 1 - longer;
    const std::uint64_t rounds = std::max(m - 1 + longer, shorter == 0 ? 0 : 2 * m - 1 + shorter);
    return single_packet_cost(
        machine, collective, rounds,
        {fmt::format("{} go into the arm of {}, then into the other of {}: max({} - 1 + {}, 2 * {} - 1 + {}) = {}",
                     counted(m, "packet"), counted(longer, "node"), shorter, m, longer, m, shorter,
                     counted(rounds, "round"))});
}

}  // namespace

std::vector<Algorithm> algorithms_in_broadcast_chain() {
    return with_reversal(
        {
            .operation = Operation::broadcast,
            .name = "chain",
            .rule =
                "each node passes the packets on to the next in a row; on a line all into the longer arm, then into "
                "the other",
            .needs = "complete graph, ring, any k; line, 1-port; SF or WH, full duplex, not pairwise",
            .cost = "M+N-2 rounds; line with arms a >= b > 0: max(M-1+a, 2M-1+b)",
            .source = "model section 13.2",
            .misfit = misfit_broadcast_chain,
            .make = make_broadcast_chain,
            .expect = expect_broadcast_chain,
            .with_many = WithMany::own,
            .single_links = true,
            .single_packets = true,
        },
        Operation::reduce);
}

}  // namespace kport
