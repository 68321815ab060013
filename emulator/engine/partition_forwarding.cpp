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
            const Port left = forward(v, first_out(), [this](const Message& message) { post(message); });
            if (left != no_port) going_.add({static_cast<std::uint32_t>(v), left});
        } catch (...) {
            note_error(v, std::current_exception());
        }
    };
    if (!going_.empty()) std::swap(going_before_, going_);
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
    going_before_.restart();
}

void Partition::hand_over_cursors(std::vector<Cursor>& arrived, std::vector<Cursor>& going) {
    arrived_.for_each([&](std::span<const Cursor> batch) {
        for (const Cursor& node : batch) arrived.push_back({node.node, rivals_.empty() ? node.port : first_in(node)});
    });
    going_.for_each([&](std::span<const Cursor> batch) { going.insert(going.end(), batch.begin(), batch.end()); });
    arrived_.restart();
    rivals_.clear();
    going_.restart();
}

}  // namespace kport
