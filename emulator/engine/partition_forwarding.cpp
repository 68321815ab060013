/// @file partition_forwarding.cpp   Nodes that only forward a packet, without coroutines (node/forwarding.hpp).
#include <algorithm>
#include <utility>

#include "emulator/engine/partition.hpp"

namespace kport {

void Partition::arrive(const Message& message, Round round) {
    Slot& slot = world_.slots[message.to];
    if (slot.state() == Slot::State::idle) {
        slot.end(round);
        arrived_.add({message.to, message.in});
    } else if (slot.note() == round) {
        rivals_.push_back(message);
    }
}

Port Partition::first_in(const Cursor& arrived) const {
    std::pair first(world_.topology.across(arrived.node, arrived.port).node, arrived.port);
    for (const Message& rival : rivals_)
        if (rival.to == arrived.node) first = std::min(first, std::pair(NodeId{rival.from}, rival.in));
    return first.second;
}

void Partition::run_cursors() {
    const Forwarding& forwarding = *world_.forwarding;
    const auto run = [&](NodeId v, const auto& first_out) {
        at_work_.resumes(v, round_);
        try {
            forward(v, first_out());
        } catch (...) {
            note_error(v, std::current_exception());
        }
    };
    std::swap(going_before_, going_);
    going_.restart();
    arrived_.for_each([&](std::span<const Cursor> batch) {
        for (const Cursor& node : batch)
            run(node.node, [&] { return forwarding.first(node.node, rivals_.empty() ? node.port : first_in(node)); });
    });
    arrived_.restart();
    rivals_.clear();
    for (const NodeId v : starters_) {
        world_.slots[v].end(0);
        run(v, [&] { return forwarding.first(v, no_port); });
    }
    starters_.clear();
    going_before_.for_each([&](std::span<const Cursor> batch) {
        for (const Cursor& node : batch) run(node.node, [&] { return node.port; });
    });
}

void Partition::forward(NodeId v, Port out) {
    const Port ports = ports_to_send(v);
    ports_used_.restart();
    for (Port sends = 0; out != no_port; ++sends) {
        const bool all_taken = sends >= ports;
        if (!all_taken && out >= world_.topology.ports()) [[unlikely]]
            refuse_port(v, out);
        // A channel carries one message a round.
        if (all_taken || (sends != 0 && ports_used_.contains(out))) {
            going_.add({static_cast<std::uint32_t>(v), out});
            return;
        }
        ports_used_.add(out);
        const LinkEnd end = world_.topology.across(v, out);
        if (end.node == no_node) [[unlikely]]
            refuse_port(v, out);
        post({static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(end.node), out, end.port,
              Message::content_of(Packet(0))});
        out = world_.forwarding->next(v, out);
    }
}

}  // namespace kport
