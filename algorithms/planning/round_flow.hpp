/// @file round_flow.hpp   Which hosts can be informed in one round over trunks and through switches; broadcasts of such rounds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/planning/graph.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport::planning {

/// A call and the ports along which it goes.
struct RoutedCall {
    Call call;
    std::vector<Port> route;
};

/// The links of a machine, and how flows through them in one round become messages.
class LinkFlows {
  public:
    struct Link {
        NodeId from;
        Port port;
        NodeId to;
    };
    using Numbers = std::vector<std::uint32_t>;

    explicit LinkFlows(const Topology& wires);

    /// By node, ascending, each once in each direction.
    [[nodiscard]] const std::vector<Link>& links() const { return links_; }
    /// Splits flows into messages between hosts. Flows in opposite directions cancel out, cycles are left out.
    ///
    /// flow              of each link
    /// sends, receives   of each host: messages that begin and end there; a message from a host to itself is left out
    [[nodiscard]] std::vector<RoutedCall> calls(Numbers flow, const Numbers& sends, Numbers receives,
                                                Round round) const;

  private:
    [[nodiscard]] std::optional<RoutedCall> next_call(Node32 from, Numbers& flow, Numbers& receives, Round round) const;

    std::vector<Link> links_;
    std::vector<std::size_t> first_;     ///< by node, in links_
    std::vector<std::size_t> opposite_;  ///< by link, in links_
};

/// The receivers of one round. Hosts that know send as many messages as their ports allow, a channel carries its
/// capacity, a switch passes its limit, each receiver takes one message: so receivers can be served together iff a flow
/// has their number, and the sets that can be served are the independent sets of a matroid (a gammoid). Flows that cross
/// a link both ways cancel out, so half duplex links carry the same.
///
/// Machine   store-and-forward or wormhole, with switches or without; wormhole messages also pass hosts
/// Memory    24 bytes a channel.
/// Cost      add() O(channels).
class RoundFlow {
  public:
    explicit RoundFlow(const Machine& machine);

    /// Begins a round in which these hosts know; none is a receiver yet.
    void restart(const std::vector<bool>& informed);
    /// Adds a host that does not know if all receivers can still be served. Returns whether it was added.
    bool add(Node32 host);
    [[nodiscard]] const std::vector<Node32>& receivers() const { return receivers_; }
    /// Returns the messages to all receivers.
    [[nodiscard]] std::vector<RoutedCall> calls(Round round) const;

    /// What add() has done since restart().
    struct State {
        LinkFlows::Numbers left;
        std::vector<Node32> receivers;
    };
    [[nodiscard]] State state() const { return {left_, receivers_}; }
    void restore(const State& state) {
        left_ = state.left;
        receivers_ = state.receivers;
    }

    /// Returns the number of channels that add() may look at.
    [[nodiscard]] std::size_t arcs() const { return ends_.size(); }

  private:
    using Vertex = std::uint32_t;
    using Arc = std::uint32_t;  ///< its reverse is arc ^ 1

    [[nodiscard]] static Vertex in(NodeId v) { return static_cast<Vertex>(2 * v); }
    [[nodiscard]] static Vertex out(NodeId v) { return static_cast<Vertex>(2 * v + 1); }
    [[nodiscard]] Vertex start() const { return static_cast<Vertex>(2 * wires_.nodes()); }
    Arc add_arc(Vertex from, Vertex to, std::uint64_t capacity);

    const Topology& wires_;
    LinkFlows links_;
    Node32 hosts_;
    std::vector<Port> sends_;   ///< by host: in a round
    std::vector<Vertex> ends_;  ///< by arc
    std::vector<std::uint32_t> capacity_;
    std::vector<std::uint32_t> left_;     ///< by arc: what it may still carry
    std::vector<std::vector<Arc>> arcs_;  ///< by vertex
    std::vector<Arc> of_host_;            ///< by host: its sends
    std::vector<Arc> of_link_;
    std::vector<Node32> receivers_;
    std::vector<Arc> reached_by_;  ///< of the last search, by vertex
    std::vector<std::uint32_t> seen_;
    std::uint32_t searches_ = 0;
    std::vector<Vertex> open_;
};

/// A broadcast in rounds that each inform as many hosts as possible. Of several largest sets, those are taken after which
/// the next round informs most: hosts far from all that know, hosts with many others in reach, and random ones are tried.
/// Stops trying when a plan has `least` rounds. Empty if it was stopped, and if nothing moves.
///
/// Cost   O(tries * rounds * N * channels): a second or two up to flow_steps_max.
[[nodiscard]] std::vector<RoutedCall> plan_by_flows(const Machine& machine, std::span<const Node32> sources,
                                                    Round least, const Stop& stop);

/// Returns N * channels: what a round of plan_by_flows() costs at least.
[[nodiscard]] double steps_of_flow(const Topology& topology);
inline constexpr double flow_steps_max = 1 << 24;

/// Returns the schedule with the routes of the calls: both have the same messages.
[[nodiscard]] Schedule with_routes(const Schedule& schedule, const std::vector<RoutedCall>& calls);
[[nodiscard]] Calls calls_of(const std::vector<RoutedCall>& calls);

}  // namespace kport::planning
