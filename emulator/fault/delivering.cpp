/// @file delivering.cpp   Faults of the content and the receiver of messages.
#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "emulator/fault/tampering.hpp"
#include "emulator/schedule/packet_space.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport::tamper {

namespace {

/// Random draws of a packet or node of some kind; if all miss, another transfer is tried.
constexpr int tries = 64;

constexpr Round no_round = std::numeric_limits<Round>::max();  // after all rounds

/// Whether the move carries results of a reduction; their numbers are no packets of the operation.
bool carries_result(const Moves& moves, const Move& move) {
    if (!moves.collective().folds()) return false;
    const NodeId nodes = moves.topology().nodes();
    const PacketBlock results = result_packets(nodes, all_segments(moves.collective().segments(nodes)));
    return common_size(move.packets.blocks(), {&results, 1}) != 0;
}

bool has_many_packets(const Moves& moves) { return !moves.collective().one_packet(); }

PacketCounts counts_of(const Moves& moves) {
    return moves.collective().operation->packets(moves.collective(), moves.topology().nodes());
}

PacketBlock packet_numbered(const Moves& moves, PacketId number) {
    const std::uint64_t columns = counts_of(moves).columns;
    return {static_cast<std::uint32_t>(number % columns), 1, 1, static_cast<std::uint32_t>(number / columns)};
}

/// Returns "packet 7", "contribution 7", "contribution 3 of segment 2".
std::string packet_text(const Moves& moves, const PacketBlock& packet) {
    const NodeId nodes = moves.topology().nodes();
    const Collective& collective = moves.collective();
    if (!collective.folds()) return fmt::format("packet {}", packet.lowest(nodes));
    if (collective.segments(nodes) == 1) return fmt::format("contribution {}", packet.first);
    return fmt::format("contribution {} of segment {}", packet.first, packet.row);
}

PacketId any_packet(const Moves& moves, Dice& dice) {
    return dice.below(moves.collective().packets(moves.topology().nodes()));
}

/// Returns the packets of a move that are not the receiver's own: these it may not receive again.
PacketSet not_own(const Moves& moves, const Move& move) {
    PacketSet rest;
    const PacketSet own = moves.collective().owned(move.to, moves.topology().nodes());
    rest.add(without(move.packets.blocks(), own.blocks()));
    return rest;
}

/// Returns the values of a message: one for each segment, or where they come in runs one for each of these.
std::vector<PacketSet> values_in(const Moves& moves, const PacketSet& packets) {
    std::vector<PacketSet> values;
    for_each_part(packets.blocks(), [&](const Progression& segments, std::span<const PacketBlock> nodes) {
        const std::vector<Progression> runs =
            moves.collective().in_runs ? values_of(nodes, moves.collective()) : std::vector<Progression>();
        for (std::uint32_t j = 0; j < segments.count; ++j) {
            const Progression segment{segments[j]};
            for (const Progression& run : runs) values.emplace_back(block_of(segment, run));
            if (!runs.empty()) continue;
            values.emplace_back();
            for (const PacketBlock& some : nodes) values.back().add(block_of(segment, some.columns()));
        }
    });
    return values;
}

/// Returns what came to the sender of a move before it, value by value.
std::vector<PacketSet> came_before(const Moves& moves, const Move& move) {
    std::vector<PacketSet> values;
    for (const std::size_t i : moves.received_by(move.from))
        if (moves[i].round < move.round)
            std::ranges::move(values_in(moves, moves[i].packets), std::back_inserter(values));
    return values;
}

std::optional<Port> any_port(const Topology& topology, NodeId v, Dice& dice) {
    std::vector<Port> there;
    for_each_neighbour(topology, v, [&](NodeId, Port port) { there.push_back(port); });
    if (there.empty()) return std::nullopt;
    return there[dice.below(there.size())];
}

/// Sets the expected finding for changed bytes. Values are compared on arrival, packets at the end: where NODUP or NOHO
/// is not enforced, the packet may also have come by another message.
void tell_of_bytes(const Moves& moves, const Move& move, Injected& injected) {
    if (moves.collective().folds())
        injected.round = move.round;
    else
        injected.certain = moves.collective().comes_once();
}

}  // namespace

Move move_by_port(const Moves& moves, Round round, NodeId from, Port port, const PacketSet& packets) {
    const NodeId to = moves.topology().across(from, port).node;
    std::vector<Port> route;
    if (const Fabric* fabric = moves.topology().fabric())
        fabric->append_route(from, to, /*any=*/false, route);
    else
        route.push_back(port);
    return {round, from, to, std::move(route), packets};
}

std::vector<Port> way_back(const Moves& moves, const Move& move) {
    std::vector<Port> back;
    NodeId at = move.from;
    for (const Port port : move.route) {
        const LinkEnd end = moves.wires().across(at, port);
        back.push_back(end.port);
        at = end.node;
    }
    std::ranges::reverse(back);
    return back;
}

std::vector<PacketId> names(const Moves& moves, std::span<const PacketBlock> packets) {
    return violation_names(packets, moves.collective(), moves.topology().nodes());
}

std::string named(const Moves& moves, const Move& move) {
    return fmt::format("the message of round {} from node {} to node {}", move.round, moves.topology().name(move.from),
                       moves.topology().name(move.to));
}

std::optional<Injected> drop(Moves& moves, std::size_t i, Dice&) {
    const NodeId nodes = moves.topology().nodes();
    const Move& move = moves[i];
    Injected injected{Fault::drop, named(moves, move) + " is lost", Rule::delivery, {}, move.to, {}};
    const auto next = moves.passed_on(i);
    if (next) injected.round = moves[*next].round;
    const PacketSet needed = next ? moves[*next].packets : moves.collective().wanted(move.to, nodes);
    const bool of_result = carries_result(moves, move);
    PacketSet lost = moves.take_out(i);
    PacketSet missed;
    missed.add(in_both(needed.blocks(), lost));
    // Where NODUP is not enforced, the packet may also have come by another message.
    missed.remove(moves.held(move.to, injected.round.value_or(no_round)).blocks());
    if (missed.empty() && !of_result) {
        moves[i].packets = std::move(lost);
        return std::nullopt;
    }
    if (!of_result) injected.packets = names(moves, missed.blocks());
    return injected;
}

std::optional<Injected> duplicate(Moves& moves, std::size_t i, Dice&) {
    if (moves.collective().signals()) return std::nullopt;  // NODUP does not apply to signals
    Move again = moves[i];
    const PacketSet packets = not_own(moves, again);
    if (packets.empty()) return std::nullopt;
    Injected injected{Fault::duplicate, named(moves, again) + " arrives again in the next round"};
    ++again.round;
    injected.rule = Rule::nodup;
    injected.round = again.round;
    injected.node = again.to;
    injected.packets = names(moves, packets.blocks());
    moves.add(std::move(again));
    return injected;
}

std::optional<Injected> echo(Moves& moves, std::size_t i, Dice&) {
    if (moves.collective().signals()) return std::nullopt;  // NOHO does not apply to signals
    const Move& move = moves[i];
    Move back{move.round + 1, move.to, move.from, way_back(moves, move), move.packets};
    Injected injected{Fault::echo, named(moves, move) + " comes back in the next round",
                      Rule::noho,  back.round,
                      move.from,   names(moves, move.packets.blocks())};
    moves.add(std::move(back));
    return injected;
}

std::optional<Injected> misdeliver(Moves& moves, std::size_t i, Dice& dice) {
    const NodeId nodes = moves.topology().nodes();
    if (nodes < 3) return std::nullopt;
    Move& move = moves[i];
    NodeId other = dice.below(nodes);
    while (other == move.from || other == move.to) other = (other + 1) % nodes;
    Injected injected{
        Fault::misdeliver, fmt::format("{} arrives at node {}", named(moves, move), moves.topology().name(other)),
        Rule::channel,     move.round,
        move.from,         {}};
    move.to = other;
    return injected;
}

std::optional<Injected> forge(Moves& moves, std::size_t i, Dice& dice) {
    const Topology& topology = moves.topology();
    if (carries_result(moves, moves[i])) return std::nullopt;
    const Round round = moves[i].round;
    const std::vector<PacketId> known = numbers(moves[i].packets.blocks(), topology.nodes());
    const PacketId packet = dice.one_of(std::span<const PacketId>(known));
    const PacketBlock block = packet_numbered(moves, packet);
    for (int n = 0; n < tries; ++n) {
        const NodeId forger = dice.below(topology.nodes());
        const auto port = any_port(topology, forger, dice);
        if (!port || moves.held(forger, round).covers({&block, 1})) continue;
        Move forged = move_by_port(moves, round, forger, *port, block);
        Injected injected{
            Fault::forge,   fmt::format("{} with {} is forged", named(moves, forged), packet_text(moves, block)),
            Rule::delivery, round,
            forger,         names(moves, {&block, 1})};
        moves.add(std::move(forged));
        return injected;
    }
    return std::nullopt;
}

std::optional<Injected> send_unheld(Moves& moves, std::size_t i, Dice& dice) {
    Move& move = moves[i];
    if (!has_many_packets(moves) || !moves.machine().combining || carries_result(moves, move)) return std::nullopt;
    PacketSet known = moves.held(move.from, move.round);
    const PacketSpace space(moves.collective(), moves.topology().nodes());
    for (int n = 0; n < tries; ++n) {
        const PacketId packet = any_packet(moves, dice);
        const PacketBlock block = packet_numbered(moves, packet);
        if (!space.has(block) || known.covers({&block, 1})) continue;
        move.packets.add(block);
        return Injected{Fault::send_unheld,
                        fmt::format("{} carries {} too, which its sender does not hold", named(moves, move),
                                    packet_text(moves, block)),
                        Rule::delivery,
                        move.round,
                        move.from,
                        names(moves, {&block, 1})};
    }
    return std::nullopt;
}

std::optional<Injected> take_apart(Moves& moves, std::size_t i, Dice& dice) {
    Move& move = moves[i];
    if (!moves.collective().folds() || carries_result(moves, move)) return std::nullopt;
    for (const PacketSet& value : came_before(moves, move)) {
        if (value.size() < 2 || !move.packets.covers(value.blocks())) continue;
        const std::vector<PacketId> parts = numbers(value.blocks(), moves.topology().nodes());
        const PacketBlock left_out = packet_numbered(moves, dice.one_of(std::span<const PacketId>(parts)));
        PacketSet rest = value;
        rest.remove({&left_out, 1});
        move.packets.remove({&left_out, 1});
        return Injected{Fault::take_apart,
                        fmt::format("{} lacks {}, which its sender received folded with others", named(moves, move),
                                    packet_text(moves, left_out)),
                        Rule::delivery,
                        move.round,
                        move.from,
                        names(moves, rest.blocks())};
    }
    return std::nullopt;
}

std::optional<Injected> corrupt(Moves& moves, std::size_t i, Dice&) {
    const Move& move = moves[i];
    if (moves.collective().packet_bytes == 0) return std::nullopt;
    Injected injected{Fault::corrupt, "a bit of " + named(moves, move) + " changes on its way", Rule::delivery};
    injected.node = move.to;
    tell_of_bytes(moves, move, injected);
    return injected;
}

std::optional<Injected> lose_payload(Moves& moves, std::size_t i, Dice&) {
    const Move& move = moves[i];
    if (moves.collective().packet_bytes == 0) return std::nullopt;
    Injected injected{Fault::lose_payload, named(moves, move) + " arrives without its bytes", Rule::delivery};
    tell_of_bytes(moves, move, injected);
    // Which node finally needs the bytes, the receiver or one that gets them from it, is not predicted.
    if (moves.collective().folds())
        injected.node = move.to;
    else
        injected.packets = names(moves, move.packets.blocks());
    return injected;
}

std::optional<Injected> bundle(Moves& moves, std::size_t i, Dice& dice) {
    Move& move = moves[i];
    if (!has_many_packets(moves) || moves.machine().combining || carries_result(moves, move)) return std::nullopt;
    PacketSet more = moves.held(move.from, move.round);
    more.remove(move.packets.blocks());
    // A message has one value for each segment, whatever is combined in it.
    if (moves.collective().folds())
        more.remove(contributions_to(move.packets.blocks(), moves.topology().nodes()).blocks());
    if (more.empty()) return std::nullopt;
    const std::vector<PacketId> known = numbers(more.blocks(), moves.topology().nodes());
    const PacketId packet = dice.one_of(std::span<const PacketId>(known));
    const PacketBlock block = packet_numbered(moves, packet);
    Injected injected{Fault::bundle,   fmt::format("{} carries {} too", named(moves, move), packet_text(moves, block)),
                      Rule::combining, move.round,
                      move.from,       {}};
    move.packets.add(block);
    return injected;
}

std::optional<Injected> malformed(Moves& moves, std::size_t i, Dice& dice) {
    Move& move = moves[i];
    const Topology& topology = moves.wires();
    const std::uint64_t beyond = std::max(topology.nodes(), counts_of(moves).columns);
    Injected injected{Fault::malformed, named(moves, move)};
    switch (dice.below(5)) {
        case 0:
            move.to = topology.nodes() + dice.below(3);
            injected.what += " names an unknown receiver";
            break;
        case 1:
            move.from = topology.nodes() + dice.below(3);
            injected.what += " names an unknown sender";
            break;
        case 2:
            move.route.back() = topology.ports() + static_cast<Port>(dice.below(3));
            injected.what += " names an unknown port";
            break;
        case 3:
            move.route.clear();
            injected.what += " has no path";
            break;
        default:
            move.packets = PacketBlock{static_cast<std::uint32_t>(beyond + 1 + dice.below(3))};
            injected.what += " carries an unknown packet";
    }
    return injected;
}

}  // namespace kport::tamper
