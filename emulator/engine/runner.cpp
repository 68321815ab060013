#include "emulator/engine/runner.hpp"

#include <cstring>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport {

// ---------------------------------------------------------------------------------------------- running the programs

bool Runner::start_program(Node& node) {
    running.node = &node;
    at_work_.resumes(node.id(), round_);
    try {
        NodeAccess::leaf(node) = stage_.job.program(node).release();
        if (!NodeAccess::leaf(node))
            throw std::invalid_argument(
                "its program is none: it was moved from, or made in a run that is over; make it anew");
    } catch (...) {
        note_error(node.id(), std::current_exception());
        return false;
    }
    return true;
}

bool Runner::ends(Node& node) {
    Program::Handle& leaf = NodeAccess::leaf(node);
    // A program that awaits another one, or ends for the one that awaited it, comes back here with another leaf.
    while (NodeAccess::waiting(node) == Waiting::nothing) {
        const Program::Handle running_now = leaf;
        running_now.resume();
        if (!running_now.done()) continue;
        if (running_now.promise().caller) {
            leaf = running_now.promise().caller;
            continue;
        }
        has_failed_ = running.failed;
        if (has_failed_) note_error(node.id(), take_error());
        return true;
    }
    return false;
}

void Runner::note_error(NodeId v, std::exception_ptr error) {
    // One error is enough: the first, and of several in a round the lowest node's, whatever the order in which they ran.
    if (error_ && std::tuple(error_round_, error_node_) <= std::tuple(round_, v)) return;
    error_round_ = round_;
    error_node_ = v;
    error_ = std::move(error);
}

void Runner::tell_waiting(const Node& node, Auditor& auditor) const {
    NodeAccess::for_each_wait(node, [&](const Wait& wait) {
        // A node that waits for strands waits for what those wait for.
        if (wait.serves || wait.waiting == Waiting::for_strands) return;
        Violation waits;
        waits.breach = Breach::waits_for_ever;
        waits.node = node.id();
        const auto by_port = [&](Port port) {
            waits.port = port;
            if (port < stage_.topology.ports()) waits.other = stage_.topology.across(node.id(), port).node;
        };
        const bool one = wait.awaited == 1;  // of a list
        switch (wait.waiting) {
            case Waiting::for_message_by: by_port(wait.awaited); break;
            case Waiting::for_message_from: waits.other = wait.awaited; break;
            case Waiting::for_message_by_one_of:
                if (one) {
                    by_port(*static_cast<const Port*>(wait.list));
                } else {
                    waits.limit = wait.awaited;
                    waits.port = *static_cast<const Port*>(wait.list);
                }
                break;
            case Waiting::for_message_from_one_of:
                if (one) {
                    waits.other = *static_cast<const NodeId*>(wait.list);
                } else {
                    waits.limit = wait.awaited;
                    waits.earlier_other = *static_cast<const NodeId*>(wait.list);
                }
                break;
            default: break;
        }
        auditor.report_at_end(waits);
    });
}

// ------------------------------------------------------------------------------------------------------------ sending

void Runner::note_overrun(const Node& node, const SendRequest& first_left, NodeId partner) {
    if (machine().policy != Policy::strict) return;
    Violation overrun;
    overrun.breach = Breach::would_wait_send;
    overrun.round = round_;
    overrun.node = node.id();
    overrun.port = leaves_by(node.id(), first_left);
    overrun.packet = lowest_packet(first_left.cargo());
    if (meets_another(node, first_left, overrun.port, partner)) {
        overrun.breach = Breach::would_wait_partner;
        overrun.earlier_other = partner;
        overrun.other = node.id();
        breaches_.push_back(overrun);
        return;
    }
    if (first_left.routed())
        overrun.other = first_left.to();
    else if (overrun.port < stage_.topology.ports())
        overrun.other = stage_.topology.across(node.id(), overrun.port).node;
    overrun.limit = machine().sends_of(node.id());
    breaches_.push_back(overrun);
}

bool Runner::has_higher_limit(NodeId v, std::uint32_t sends) const {
    const Port limit = machine().sends_of(v);
    if (limit == 0)
        throw RequestError(fmt::format("node {} sends a message, and has no sends: ports '{}'", stage_.topology.name(v),
                                       machine().limits_of(v).text()));
    return sends < limit;
}

void Runner::refuse_port(NodeId v, Port port) const {
    throw std::out_of_range(fmt::format("node {} has no port {}", stage_.topology.name(v), port));
}

Port Runner::leaves_by(NodeId v, const SendRequest& request) const {
    const Topology& topology = stage_.topology;
    if (!request.routed()) return request.port();
    if (request.to() == v) throw std::out_of_range(fmt::format("node {} cannot send to node {}", topology.name(v), v));
    if (request.to() >= topology.nodes())
        throw std::out_of_range(fmt::format(
            "node {} cannot send to {}: {} has nodes 0 to {}", topology.name(v),
            request.names_no_node() ? std::string("a node that is not there") : fmt::format("node {}", request.to()),
            topology.spec(), topology.nodes() - 1));
    if (!request.route().empty()) {
        const Port first = request.route().front();
        if (first >= topology.wires().ports()) refuse_port(v, first);
        if (!stage_.wormhole && (request.route().size() > 1 || topology.across(v, first).node != request.to()))
            throw std::out_of_range(
                fmt::format("node {} sends to node {} along a route; store-and-forward crosses one link",
                            topology.name(v), request.to()));
        return stage_.fabric == nullptr ? first : leaves_towards(v, request.to());
    }
    if (stage_.wormhole)
        return stage_.fabric == nullptr ? topology.route(v, request.to()) : leaves_towards(v, request.to());
    const Port port = topology.port_to(v, request.to());
    if (port == no_port)
        throw std::out_of_range(fmt::format("node {} is no neighbour of node {}; store-and-forward crosses one link",
                                            request.to(), topology.name(v)));
    return port;
}

Port Runner::leaves_towards(NodeId v, NodeId to) const {
    const Topology& hosts = stage_.topology;
    const Port port = hosts.port_to(v, to);
    if (port != no_port) return port;
    if (machine().switching == Switching::store_and_forward)
        throw std::out_of_range(
            fmt::format("node {} is not one message from node {}; a store-and-forward message passes "
                        "switches only",
                        to, hosts.name(v)));
    return static_cast<Port>(to % hosts.ports());  // a wormhole message to a host that is no neighbour
}

LinkEnd Runner::end_of(const Node& node, const SendRequest& request, Port first) const {
    const Topology& topology = stage_.topology;
    if (stage_.fabric == nullptr) return {request.to(), no_port};
    const LinkEnd end = request.routed() ? LinkEnd{request.to(), topology.port_to(request.to(), node.id())}
                                         : topology.across(node.id(), first);
    if (end.node == no_node) refuse_port(node.id(), first);
    return end;
}

LinkEnd Runner::append_route(const Node& node, const SendRequest& request, Port first, std::vector<Port>& route) const {
    const Topology& topology = stage_.topology;
    const Topology& wires = topology.wires();
    LinkEnd at{node.id(), no_port};
    if (chooses_route(request)) {
        LinkEnd end = end_of(node, request, first);
        std::vector<Port> chosen;
        route_choice_.first(node.id(), end.node, chosen);
        for (const Port port : chosen) at = wires.across(at.node, port);
        route.insert(route.end(), chosen.begin(), chosen.end());
        if (stage_.fabric == nullptr) end.port = at.port;
        return end;
    }
    if (stage_.fabric != nullptr && (!request.routed() || request.route().empty())) {
        const LinkEnd end = end_of(node, request, first);
        std::span<const Port> known;
        if (stage_.job.routes != nullptr) known = stage_.job.routes->route(round_, node.id(), end.node);
        if (known.empty())
            stage_.fabric->append_route(node.id(), end.node, machine().switching == Switching::wormhole, route);
        else
            route.insert(route.end(), known.begin(), known.end());
        return end;
    }
    const auto step = [&](Port port) {
        route.push_back(port);
        at = port < wires.ports() ? wires.across(at.node, port) : LinkEnd{};
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
    if (stage_.fabric != nullptr)
        at.port = topology.port_to(at.node, node.id());  // hosts receive by the port of a host
    return at;
}

PacketId Runner::lowest_packet(const Cargo& cargo) const {
    std::span<const PacketBlock> blocks;
    switch (cargo.kind()) {
        case Cargo::Kind::packet: return cargo.packet().id();
        case Cargo::Kind::value: {
            const PacketSet contributions = cargo.value().contributions();
            return contributions.empty() ? 0 : contributions.blocks().front().first;
        }
        case Cargo::Kind::data: return 0;
        default: blocks = cargo.packets().blocks();
    }
    return blocks.empty() ? 0 : blocks.front().lowest(stage_.topology.nodes());
}

void Runner::refuse(const Node& node, std::string_view what) const {
    throw std::invalid_argument(fmt::format("node {} {}; the operation is {}", stage_.topology.name(node.id()), what,
                                            name(stage_.job.collective.operation)));
}

void Runner::refuse_packets(NodeId v, const PacketSpace::Finding& why) const {
    throw std::invalid_argument(
        fmt::format("node {} sends a message that names {}", stage_.topology.name(v), stage_.packets.text(why)));
}

void Runner::refuse_contributions(const Node& node, const PacketBlock& contributions) const {
    throw std::invalid_argument(fmt::format("node {} uses a value that names {}", stage_.topology.name(node.id()),
                                            stage_.packets.text(stage_.packets.fault_of({&contributions, 1}))));
}

void Runner::judge_passing(const Node& node, std::span<const PacketBlock> packets) {
    const PacketSet promised = stage_.job.collective.wanted(node.id(), stage_.topology.nodes());
    const std::uint64_t lost = common_size(packets, promised.blocks());
    if (lost == 0) [[likely]]
        return;
    Violation gone;
    gone.breach = Breach::passed_away;
    gone.round = round_;
    gone.node = node.id();
    gone.packet = lowest_of(span_of(in_both(packets, promised.blocks())), stage_.topology.nodes());
    gone.limit = lost;
    breaches_.push_back(gone);
}

bool Runner::tells_of_passed(NodeId v) {
    const NodeId nodes = stage_.topology.nodes();
    const std::vector<PassedOn::Again> found = stage_.passed_on.told_of(v, nodes, pool_);
    for (const PassedOn::Again& again : found) {
        Violation sent;
        sent.breach = Breach::sent_passed;
        sent.round = again.round;
        sent.node = v;
        sent.packet = again.packets.lowest(nodes);
        sent.earlier = again.passed;
        breaches_.push_back(sent);
    }
    return !found.empty();
}

void Runner::refuse_contents(const Node& node) const {
    refuse(node, "sends contents, which messages have where nothing is promised (Collective::none())");
}

Body* Runner::contents_of(const Node& node, const Cargo& cargo) {
    if (cargo.kind() != Cargo::Kind::data)
        refuse(node, "sends packets or a value, of which nothing is promised; contents are sent as Data(x)");
    const std::span<const std::byte> bytes = cargo.data().bytes();
    if (bytes.empty()) refuse(node, "sends contents of 0 bytes; a message has at least 1");
    if (bytes.size() > contents_bytes_max) refuse(node, "sends contents of 4 GiB or more; a message has less");
    const PacketBlock packets = contents_packets(bytes.size());
    Body* body = Body::make({&packets, 1}, bytes.size(), pool_);
    std::memcpy(body->bytes(), bytes.data(), bytes.size());
    body->seal = stage_.seal_of(*body);
    return body;
}

Runner::Bundle Runner::bundle_of(const Node& node, const Cargo& cargo, bool held_once) {
    if (stage_.contents) return {contents_of(node, cargo), true};
    if (cargo.kind() == Cargo::Kind::data) refuse_contents(node);
    if (cargo.kind() == Cargo::Kind::value) refuse(node, "sends a value, which only reductions have");
    if (!stage_.bundles) refuse(node, "sends a set of packets, of which it has one");
    PacketBlock single;
    std::span<const PacketBlock> packets(&single, 1);
    if (cargo.kind() != Cargo::Kind::packet) {
        packets = cargo.packets().blocks();
        if (!stage_.packets.allows(packets)) refuse_packets(node.id(), stage_.packets.fault_of(packets));
    } else if (const PacketId packet = cargo.packet().id(); stage_.packets.allows(packet)) {
        single = stage_.packets.block(packet);
    } else {
        refuse_packets(node.id(), stage_.packets.fault_of(packet));
    }
    const NodeId v = node.id();
    const bool passes = cargo.kind() == Cargo::Kind::passed;
    if (passes) {
        judge_passing(node, packets);
        stage_.slots[v].passes();
    }
    if (stage_.slots[v].has_passed())
        stage_.passed_on.note(v, round_, passes ? PassedOn::Did::pass : PassedOn::Did::send, packets, pool_);
    if (!stage_.store) return {Body::make(packets, 0, pool_), true};
    bool complete = false;
    Body* body = stage_.store->copy_out(v, packets, pool_, held_once, &complete);
    if (passes) stage_.store->give_away(v, packets, pool_);
    return {body, complete};
}

}  // namespace kport
