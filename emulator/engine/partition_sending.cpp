/// @file partition_sending.cpp   The half of a partition that turns what programs ask for into mail.
#include <stdexcept>

#include <fmt/format.h>

#include "emulator/engine/partition.hpp"

namespace kport {

namespace {

std::out_of_range no_such_port(const Topology& topology, NodeId v, Port port) {
    return std::out_of_range(fmt::format("node {} has no port {}", topology.name(v), port));
}

}  // namespace

std::span<const SendRequest> Partition::start(Node& node, std::span<const SendRequest> sends, bool together) {
    while (!sends.empty() && emit(node, sends.front())) sends = sends.subspan(1);
    if (together && !sends.empty() && machine().policy == Policy::strict) {
        Violation overrun;
        overrun.breach = Breach::would_wait_send;
        overrun.round = round_;
        overrun.node = node.id();
        overrun.port = leaves_by(node, sends.front());
        overrun.packet = lowest_packet(sends.front().cargo());
        if (sends.front().routed())
            overrun.other = sends.front().to();
        else if (overrun.port < world_.topology.ports())
            overrun.other = world_.topology.across(node.id(), overrun.port).node;
        overrun.limit = machine().ports_of(node.id());
        breaches_.push_back(overrun);
    }
    return sends;
}

Port Partition::leaves_by(const Node& node, const SendRequest& request) const {
    const NodeId v = node.id();
    const Topology& topology = world_.topology;
    if (!request.routed()) return request.port();
    if (request.to() >= topology.nodes() || request.to() == v)
        throw std::out_of_range(fmt::format("node {} cannot send to node {}", topology.name(v), request.to()));
    if (!request.route().empty()) {
        const Port first = request.route().front();
        if (first >= topology.ports()) throw no_such_port(topology, v, first);
        if (!world_.wormhole && (request.route().size() > 1 || topology.across(v, first).node != request.to()))
            throw std::out_of_range(
                fmt::format("node {} sends to node {} along a route; store-and-forward crosses one link",
                            topology.name(v), request.to()));
        return first;
    }
    if (world_.wormhole) return topology.route(v, request.to());
    const Port port = topology.port_to(v, request.to());
    if (port == no_port)
        throw std::out_of_range(fmt::format("node {} is no neighbour of node {}; store-and-forward crosses one link",
                                            request.to(), topology.name(v)));
    return port;
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
        throw no_such_port(world_.topology, node.id(), out);
    if (sends != 0 && ports_used_.contains(out)) return false;  // a channel carries one message a round
    ports_used_.add(out);

    if (world_.wormhole) {
        post(routed_message(node, request, out));
    } else {
        const LinkEnd end = world_.topology.across(node.id(), out);
        if (end.node == no_node) [[unlikely]]
            throw no_such_port(world_.topology, node.id(), out);
        post({static_cast<std::uint32_t>(node.id()), static_cast<std::uint32_t>(end.node), out, end.port,
              content_of(node, request.cargo())});
    }
    ++sends;
    sends_unheld_ |= !NodeAccess::holds(node);
    return true;
}

Message Partition::routed_message(const Node& node, const SendRequest& request, Port first) {
    const Topology& topology = world_.topology;
    const auto stored = static_cast<Port>(routes_.size());
    routes_.push_back(0);
    LinkEnd at{node.id(), no_port};
    const auto step = [&](Port port) {
        routes_.push_back(port);
        at = port < topology.ports() ? topology.across(at.node, port) : LinkEnd{};
        if (at.node == no_node)
            throw std::out_of_range(
                fmt::format("a route from node {} uses port {}, which is not there", topology.name(node.id()), port));
    };
    if (!request.routed()) {
        step(first);
    } else if (!request.route().empty()) {
        for (const Port port : request.route()) step(port);
    } else {
        step(first);
        while (at.node != request.to()) step(topology.route(at.node, request.to()));
    }
    if (request.routed() && at.node != request.to())
        throw std::out_of_range(fmt::format("a route from node {} to node {} ends at node {}", topology.name(node.id()),
                                            request.to(), at.node));
    routes_[stored] = static_cast<Port>(routes_.size() - stored - 1);
    return {static_cast<std::uint32_t>(node.id()), static_cast<std::uint32_t>(at.node), stored, at.port,
            content_of(node, request.cargo())};
}

PacketId Partition::lowest_packet(const Cargo& cargo) const {
    std::span<const PacketBlock> blocks;
    switch (cargo.kind()) {
        case Cargo::Kind::packet: return cargo.packet().id();
        case Cargo::Kind::value: {
            const PacketSet contributions = cargo.value().contributions();
            return contributions.empty() ? 0 : contributions.blocks().front().first;
        }
        default: blocks = cargo.packets().blocks();
    }
    return blocks.empty() ? 0 : blocks.front().lowest(world_.topology.nodes());
}

void Partition::refuse(const Node& node, const char* what) const {
    throw std::invalid_argument(fmt::format("node {} {}; the operation is {}", world_.topology.name(node.id()), what,
                                            name(world_.job.promise.operation)));
}

inline std::uint64_t Partition::content_of(const Node& node, const Cargo& cargo) {
    if (!world_.bundles && cargo.kind() == Cargo::Kind::packet) [[likely]]
        return cargo.packet().id();
    if (world_.folder) return value_of(node, cargo);
    return reinterpret_cast<std::uint64_t>(bundle_of(node, cargo));
}

std::uint64_t Partition::value_of(const Node& node, const Cargo& cargo) {
    if (cargo.kind() != Cargo::Kind::value) refuse(node, "sends packets instead of a value");
    const Value& value = cargo.value();
    if (value.is_element()) return reinterpret_cast<std::uint64_t>(&elements_.add(value.element())) + 1;
    require_made(node, value);
    return reinterpret_cast<std::uint64_t>(Body::copy(*value.body(), pool_));
}

Body* Partition::bundle_of(const Node& node, const Cargo& cargo) {
    const auto refuse = [&](const char* what) { this->refuse(node, what); };
    if (cargo.kind() == Cargo::Kind::value) refuse("sends a value, which only reductions have");
    if (!world_.bundles) refuse("sends a set of packets, of which it has one");
    PacketSet single;
    if (cargo.kind() == Cargo::Kind::packet) {
        const NodeId nodes = world_.topology.nodes();
        const PacketId packet = cargo.packet().id();
        if (packet >= packet_count(world_.job.promise, nodes)) refuse("sends a packet that there is not");
        single =
            PacketBlock{static_cast<std::uint32_t>(packet % nodes), 1, 1, static_cast<std::uint32_t>(packet / nodes)};
    }
    const PacketSet& packets = cargo.kind() == Cargo::Kind::packet ? single : cargo.packets();
    if (packets.empty()) refuse("sends a message without a packet");
    if (!world_.store) return Body::make(packets.blocks(), 0, pool_);
    Body* body = world_.store->copy_out(node.id(), packets.blocks(), pool_, world_.auditor.held_once(index_));
    if (cargo.kind() == Cargo::Kind::passed) world_.store->give_away(node.id(), packets.blocks(), pool_);
    return body;
}

}  // namespace kport
