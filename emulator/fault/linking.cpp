/// @file linking.cpp   Faults of the ports and links of messages.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "emulator/fault/tampering.hpp"

namespace kport::tamper {

namespace {

/// Returns the ports of a node without a send, or without a receive, in a round; in a fabric those to hosts.
std::vector<Port> idle_ports(const Moves& moves, NodeId v, Round round, bool to_send) {
    const Topology& topology = moves.topology();
    const bool names_links = topology.fabric() == nullptr;
    std::vector<Port> idle;
    for_each_neighbour(topology, v, [&](NodeId w, Port port) {
        const auto uses = [&](std::size_t i) {
            const Move& move = moves[i];
            const bool sends = names_links ? move.route.front() == port : move.to == w;
            return move.round == round && (to_send ? sends : move.from == w);
        };
        if (std::ranges::none_of(to_send ? moves.sent_by(v) : moves.received_by(v), uses)) idle.push_back(port);
    });
    return idle;
}

/// Makes a node send or receive the packets of a move by `count` idle ports. Returns false, and changes nothing, if it
/// has fewer.
bool use_more(Moves& moves, NodeId v, const Move& like, std::size_t count, bool to_send, Dice& dice) {
    std::vector<Port> idle = idle_ports(moves, v, like.round, to_send);
    if (idle.size() < count) return false;
    dice.shuffle(idle);
    for (std::size_t n = 0; n < count; ++n) {
        const LinkEnd end = moves.topology().across(v, idle[n]);
        moves.add(to_send ? move_by_port(moves, like.round, v, idle[n], like.packets)
                          : move_by_port(moves, like.round, end.node, end.port, like.packets));
    }
    return true;
}

Injected overused(const Moves& moves, Fault fault, NodeId v, Round round, std::string_view what) {
    return {fault,       fmt::format("node {} {} in round {} than it has ports", moves.topology().name(v), what, round),
            Rule::ports, round,
            v,           {}};
}

/// Uses one port more than the node has. With all ports this would use a channel twice, which is another fault.
std::optional<Injected> exceed(Moves& moves, Fault fault, const Move& move, bool to_send, Dice& dice) {
    const NodeId v = to_send ? move.from : move.to;
    const std::size_t ports = to_send ? moves.machine().sends_of(v) : moves.machine().receives_of(v);
    if (ports == moves.topology().width(v)) return std::nullopt;
    const std::size_t used = to_send ? moves.sends(v, move.round) : moves.receives(v, move.round);
    if (!use_more(moves, v, move, ports + 1 - used, to_send, dice)) return std::nullopt;
    return overused(moves, fault, v, move.round, to_send ? "starts more sends" : "receives more messages");
}

std::uint64_t capacity(const Moves& moves, NodeId v, Port port) {
    return moves.topology().fabric() == nullptr ? 1 : moves.wires().capacity(v, port);
}

Injected on_path(Fault fault, std::string what, const Move& move) {
    return {fault, std::move(what), Rule::channel, move.round, move.from, {}};
}

}  // namespace

std::optional<Injected> exceed_sends(Moves& moves, std::size_t i, Dice& dice) {
    const Move move = moves[i];
    return exceed(moves, Fault::exceed_sends, move, true, dice);
}

std::optional<Injected> exceed_receives(Moves& moves, std::size_t i, Dice& dice) {
    const Move move = moves[i];
    return exceed(moves, Fault::exceed_receives, move, false, dice);
}

std::optional<Injected> exceed_both(Moves& moves, std::size_t i, Dice& dice) {
    if (moves.machine().duplex != Duplex::half) return std::nullopt;
    const Move move = moves[i];
    const std::size_t used = moves.sends(move.to, move.round) + moves.receives(move.to, move.round);
    if (!use_more(moves, move.to, move, moves.machine().ports_of(move.to) + 1 - used, true, dice)) return std::nullopt;
    return overused(moves, Fault::exceed_both, move.to, move.round, "sends and receives more");
}

std::optional<Injected> second_partner(Moves& moves, std::size_t i, Dice& dice) {
    if (!moves.machine().pairwise) return std::nullopt;
    const Move move = moves[i];
    std::vector<Port> idle = idle_ports(moves, move.to, move.round, true);
    const auto leads_back = [&](Port port) { return moves.topology().across(move.to, port).node == move.from; };
    std::erase_if(idle, leads_back);
    if (idle.empty()) return std::nullopt;
    const Port port = dice.one_of(std::span<const Port>(idle));
    const NodeId other = moves.topology().across(move.to, port).node;
    moves.add(move_by_port(moves, move.round, move.to, port, move.packets));
    const Topology& topology = moves.topology();
    return Injected{Fault::second_partner,
                    fmt::format("node {} meets node {} in round {}, and node {} too", topology.name(move.to),
                                topology.name(move.from), move.round, topology.name(other)),
                    Rule::ports,
                    move.round,
                    move.to,
                    {}};
}

std::optional<Injected> link_both_ways(Moves& moves, std::size_t i, Dice&) {
    if (moves.machine().links != Duplex::half) return std::nullopt;
    const Move move = moves[i];
    // A trunk of several links carries both directions.
    NodeId low = no_node;
    NodeId at = move.from;
    for (const Port port : move.route) {
        const NodeId next = moves.wires().across(at, port).node;
        if (low == no_node && capacity(moves, at, port) == 1) low = std::min(at, next);
        at = next;
    }
    if (low == no_node) return std::nullopt;
    moves.add({move.round, move.to, move.from, way_back(moves, move), move.packets});
    Injected injected =
        on_path(Fault::link_both_ways, named(moves, move) + " meets one that goes back the same way", move);
    injected.node = low;
    if (moves.machine().switch_limit != no_port) injected.node.reset();  // the limit of a switch may be broken instead
    return injected;
}

std::optional<Injected> channel_twice(Moves& moves, std::size_t i, Dice&) {
    const Move move = moves[i];
    const std::uint64_t more = capacity(moves, move.from, move.route.front());
    for (std::uint64_t n = 0; n < more; ++n) moves.add(move);
    return on_path(Fault::channel_twice,
                   more == 1 ? named(moves, move) + " is sent twice in the round"
                             : fmt::format("{} is sent {} times in the round", named(moves, move), more + 1),
                   move);
}

std::optional<Injected> jump(Moves& moves, std::size_t i, Dice& dice) {
    const Topology& topology = moves.topology();
    Move& move = moves[i];
    if (moves.machine().switching != Switching::store_and_forward) return std::nullopt;
    std::vector<Port> onward;
    for_each_neighbour(topology, move.to, [&](NodeId w, Port port) {
        if (w != move.from) onward.push_back(port);
    });
    if (onward.empty()) return std::nullopt;
    const Port port = dice.one_of(std::span<const Port>(onward));
    const NodeId end = topology.across(move.to, port).node;
    Injected injected =
        on_path(Fault::jump,
                fmt::format("{} continues to node {} in the same round", named(moves, move), topology.name(end)), move);
    const Move onwards = move_by_port(moves, move.round, move.to, port, {});
    move.route.insert(move.route.end(), onwards.route.begin(), onwards.route.end());
    move.to = end;
    return injected;
}

std::optional<Injected> no_such_edge(Moves& moves, std::size_t i, Dice& dice) {
    const Topology& topology = moves.wires();
    Move& move = moves[i];
    std::vector<Port> elsewhere;
    for (Port port = 0; port < topology.ports(); ++port)
        if (topology.across(move.from, port).node != move.to) elsewhere.push_back(port);
    if (elsewhere.empty()) return std::nullopt;
    const Port port = dice.one_of(std::span<const Port>(elsewhere));
    Injected injected =
        on_path(Fault::no_such_edge,
                fmt::format("{} leaves by port {}, which does not lead there", named(moves, move), port), move);
    move.route = {port};
    return injected;
}

std::optional<Injected> visit_twice(Moves& moves, std::size_t i, Dice&) {
    Move& move = moves[i];
    if (!moves.machine().has_paths()) return std::nullopt;
    const Port out = move.route.front();
    const Port back = moves.wires().across(move.from, out).port;
    Injected injected = on_path(Fault::visit_twice, named(moves, move) + " first crosses a link forth and back", move);
    move.route.insert(move.route.begin(), {out, back});
    return injected;
}

}  // namespace kport::tamper
