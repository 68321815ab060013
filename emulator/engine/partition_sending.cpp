/// @file partition_sending.cpp   The half of a partition that turns what programs ask for into mail.
#include "emulator/engine/partition.hpp"

namespace kport {

std::span<const SendRequest> Partition::start(Node& node, std::span<const SendRequest> sends, bool together) {
    while (!sends.empty() && emit(node, sends.front())) sends = sends.subspan(1);
    if (together && !sends.empty()) note_overrun(node, sends.front());
    return sends;
}

inline void Partition::post(const Message& message) {
    const unsigned to = world_.deal.home(message.to);
    Mailbox<Message>& mail = out_[to];
    if (!mail.has_room() && mail.untouched()) [[unlikely]]
        touched_.push_back(to);
    mail.post(message);
    ++posted_;
}

bool Partition::emit(Node& node, const SendRequest& request) {
    std::uint32_t& sends = NodeAccess::sends(node, round_);
    if (sends + NodeAccess::held(node) >= world_.limit) return false;
    const Port out = request.routed() ? leaves_by(node, request) : request.port();
    if (out >= world_.topology.ports()) [[unlikely]]
        refuse_port(node.id(), out);
    if (sends != 0 && ports_used_.contains(out)) return false;  // a channel carries one message a round
    ports_used_.add(out);

    if (world_.wormhole) {
        post(routed_message(node, request, out));
    } else {
        const LinkEnd end = world_.topology.across(node.id(), out);
        if (end.node == no_node) [[unlikely]]
            refuse_port(node.id(), out);
        post({static_cast<std::uint32_t>(node.id()), static_cast<std::uint32_t>(end.node), out, end.port,
              content_of(node, request.cargo())});
    }
    ++sends;
    sends_unheld_ |= !NodeAccess::holds(node);
    return true;
}

Message Partition::routed_message(const Node& node, const SendRequest& request, Port first) {
    const auto stored = static_cast<Port>(routes_.size());
    routes_.push_back(0);
    const LinkEnd end = append_route(node, request, first, routes_);
    routes_[stored] = static_cast<Port>(routes_.size() - stored - 1);
    return {static_cast<std::uint32_t>(node.id()), static_cast<std::uint32_t>(end.node), stored, end.port,
            content_of(node, request.cargo())};
}

inline std::uint64_t Partition::content_of(const Node& node, const Cargo& cargo) {
    if (!world_.bundles && cargo.kind() == Cargo::Kind::packet) [[likely]]
        return packet_in(node, cargo).id();
    if (world_.folder) return value_of(node, cargo);
    return reinterpret_cast<std::uint64_t>(bundle_of(node, cargo, world_.auditor.held_once(index_)).body);
}

std::uint64_t Partition::value_of(const Node& node, const Cargo& cargo) {
    const Value value = sent_value(node, cargo);
    if (value.is_element()) return reinterpret_cast<std::uint64_t>(&elements_.add(value.element())) + 1;
    value.body()->hold();  // the message's
    return reinterpret_cast<std::uint64_t>(value.body());
}

}  // namespace kport
