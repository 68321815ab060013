/// @file partition_sending.cpp   The half of a partition that turns what programs ask for into mail.
#include <optional>

#include "emulator/engine/partition.hpp"

namespace kport {

std::span<const SendRequest> Partition::start(Node& node, std::span<const SendRequest> sends, bool together) {
    if (world_.records_asked) [[unlikely]]
        note_asked(node, sends, together);
    sends = emit_first(node, sends);
    if (together && !sends.empty()) note_overrun(node, sends.front(), partner_);
    return sends;
}

/// Starts as many of the sends as may go in this round; returns what is left.
std::span<const SendRequest> Partition::emit_first(Node& node, std::span<const SendRequest> sends) {
    while (!sends.empty() && emit(node, sends.front())) sends = sends.subspan(1);
    return sends;
}

void Partition::note_asked(const Node& node, std::span<const SendRequest> sends, bool together) {
    if (together) ++declarations_;
    for (const SendRequest& send : sends) {
        AskedSend& asked = asked_.emplace_back();
        asked.round = round_;
        asked.from = node.id();
        asked.declaration = together ? declarations_ : 0;
        const Port out = leaves_by(node.id(), send);
        if (out >= world_.topology.ports()) refuse_port(node.id(), out);
        asked.to = chooses_route(send) ? end_of(node, send, out).node : append_route(node, send, out, asked.route).node;
    }
}

bool Partition::emit(Node& node, const SendRequest& request) {
    std::uint32_t& sends = NodeAccess::sends(node, round_);
    if (const std::uint32_t held = NodeAccess::held(node); held != 0) [[unlikely]] {
        if (sends + held >= machine().sends_of(node.id())) return false;
    } else if (sends >= world_.limit && !may_send_more(node.id(), sends)) {
        return false;
    }
    const Port out = request.routed() ? leaves_by(node.id(), request) : request.port();
    if (out >= world_.topology.ports()) [[unlikely]]
        refuse_port(node.id(), out);
    const bool is_single = names_port(request);
    if (sends != 0) {
        const bool is_full = is_single ? ports_used_.contains(out) : sends >= machine().sends_of(node.id());
        if (is_full || meets_another(node, request, out, partner_)) return false;
    }
    if (is_single) ports_used_.add(out);
    if (world_.sabotage != nullptr && loses(node, request, out)) [[unlikely]] {
        ++sends;
        return true;
    }

    if (world_.wormhole) {
        const Message message = routed_message(node, request, out);
        partner_ = message.to;
        post(message);
    } else {
        const LinkEnd end = world_.topology.across(node.id(), out);
        if (end.node == no_node) [[unlikely]]
            refuse_port(node.id(), out);
        partner_ = end.node;
        post({static_cast<std::uint32_t>(node.id()), static_cast<std::uint32_t>(end.node), out, end.port,
              content_of(node, request.cargo())});
    }
    ++sends;
    sends_unheld_ |= !world_.bundles && !NodeAccess::holds(node);
    return true;
}

/// Notes a message that crosses a broken part. It has used its port, and the round passes with it though nothing may move.
bool Partition::loses(const Node& node, const SendRequest& request, Port out) {
    std::vector<Port> route = {out};
    if (world_.wormhole) {
        route.clear();
        (void)append_route(node, request, out, route);
    }
    std::optional<Violation> loss = world_.sabotage->loss(world_.topology.wires(), round_, node.id(), route);
    if (!loss) return false;
    if (request.cargo().kind() == Cargo::Kind::packet) loss->packet = request.cargo().packet().id();
    partner_ = loss->other;
    breaches().push_back(*loss);
    lets_round_pass_ = true;
    return true;
}

Message Partition::routed_message(const Node& node, const SendRequest& request, Port first) {
    const auto stored = static_cast<Port>(routes_.size());
    routes_.push_back(0);
    // No ports stand for a route that the arbiter chooses.
    const LinkEnd end =
        chooses_route(request) ? end_of(node, request, first) : append_route(node, request, first, routes_);
    routes_[stored] = static_cast<Port>(routes_.size() - stored - 1);
    return {static_cast<std::uint32_t>(node.id()), static_cast<std::uint32_t>(end.node), stored, end.port,
            content_of(node, request.cargo())};
}

inline std::uint64_t Partition::value_of(const Node& node, const Cargo& cargo) {
    // Nearly all values: an element that is what it was.
    if (cargo.kind() == Cargo::Kind::value && cargo.value().is_element() && is_intact(cargo.value())) [[likely]]
        return reinterpret_cast<std::uint64_t>(&elements_.add(cargo.value().element())) + 1;
    const Value value = sent_value(node, cargo);
    if (value.is_element()) return reinterpret_cast<std::uint64_t>(&elements_.add(value.element())) + 1;
    value.body()->hold();  // the message's
    return reinterpret_cast<std::uint64_t>(value.body());
}

std::optional<Packet> Partition::packet_by_number(const Node& node, const Cargo& cargo) const {
    if (!world_.packets_by_number || world_.slots[node.id()].has_passed()) return std::nullopt;
    if (cargo.kind() == Cargo::Kind::packet) return checked(node.id(), cargo.packet());
    if (cargo.kind() != Cargo::Kind::packets) return std::nullopt;
    const std::span<const PacketBlock> blocks = cargo.packets().blocks();
    const bool is_one = blocks.size() == 1 && blocks.front().is_one() && world_.packets.allows(blocks);
    return is_one ? std::optional(Packet(blocks.front().first)) : std::nullopt;
}

std::uint64_t Partition::content_of(NodeId v, Packet packet) {
    if (!world_.store || world_.store->has(v, static_cast<std::uint32_t>(packet.id()))) [[likely]]
        return Message::content_of(packet);
    sends_unheld_ = true;
    return content_in_body(v, packet);
}

std::uint64_t Partition::content_in_body(NodeId v, Packet packet) {
    const PacketBlock block = world_.packets.block(packet.id());
    return reinterpret_cast<std::uint64_t>(world_.store->copy_out(v, {&block, 1}, pool_));
}

void Partition::put_packets_in_bodies() {
    for (const unsigned to : touched_)
        out_[to].change_posted([&](std::span<Message> batch) {
            for (Message& message : batch)
                if (message.has_packet()) message.content = content_in_body(message.from, message.packet());
        });
}

inline std::uint64_t Partition::content_of(const Node& node, const Cargo& cargo) {
    if (!world_.bundles && cargo.kind() == Cargo::Kind::packet) [[likely]]
        return Message::content_of(checked(node.id(), cargo.packet()));
    if (world_.folder) return value_of(node, cargo);
    if (const std::optional<Packet> packet = packet_by_number(node, cargo)) return content_of(node.id(), *packet);
    const Bundle bundle = bundle_of(node, cargo, world_.held_once(index_));
    sends_unheld_ |= !bundle.complete;
    return reinterpret_cast<std::uint64_t>(bundle.body);
}

}  // namespace kport
