/// @file partition_forwarding.cpp   Nodes that only forward a packet, without coroutines (node/forwarding.hpp).
#include <algorithm>
#include <tuple>
#include <utility>

#include "emulator/engine/partition.hpp"

namespace kport {

namespace {

/// Of the one at hand: then its nodes are fetched.
constexpr std::size_t messages_ahead = 12;

/// By receiver; of those to one node the lowest sender's first.
bool by_receiver(const Message& a, const Message& b) {
    return std::tuple(a.to, a.from, a.in) < std::tuple(b.to, b.from, b.in);
}

}  // namespace

// In line: a broadcast does little more for a message than this.
[[gnu::always_inline]] inline void Partition::arrive(const Message& message, const std::byte* sent) {
    if (std::exchange(world_.reached[message.to], true)) [[unlikely]] {
        rivals_.push_back(message);
        return;
    }
    if (world_.memory.holds_bytes()) take_bytes(message.to, message.from, sent);
    arrived_.add({message.to, message.in});
}

void Partition::arrive_late(const Message& message) {
    if (world_.splitting != nullptr) return arrive_with_part(message);
    arrive(message, nullptr);
}

void Partition::accept_sent_by_cursors(Round round) {
    for (const unsigned to : touched_)
        out_[to].posted([&](std::span<const Message> batch) {
            for (std::size_t i = 0; i < batch.size(); ++i) {
                if (i + messages_ahead < batch.size()) world_.auditor.prefetch_sender(batch[i + messages_ahead].from);
                world_.rounds.sent(index_, round, hop_of(batch[i]));
            }
        });
}

void Partition::accept_received_by_cursors(Round round) {
    const std::uint64_t packet_bytes = world_.job.collective.packet_bytes;
    for (const auto& [batch, bytes] : in_)
        for (std::size_t i = 0; i < batch.size(); ++i) {
            if (i + messages_ahead < batch.size()) {
                const Message& ahead = batch[i + messages_ahead];
                world_.auditor.prefetch(ahead.to);
                __builtin_prefetch(&world_.reached[ahead.to], 1);
                if (world_.memory.holds_bytes()) world_.memory.prefetch(ahead.from, ahead.to);
            }
            world_.rounds.received(index_, round, hop_of(batch[i]));
            arrive(batch[i], bytes != nullptr ? bytes + i * packet_bytes : nullptr);
        }
    in_.clear();
}

Port Partition::first_in(const Cursor& arrived) const {
    const auto rival = std::ranges::lower_bound(rivals_, arrived.node, {}, &Message::to);
    if (rival == rivals_.end() || rival->to != arrived.node) return arrived.port;
    const NodeId sender = world_.topology.across(arrived.node, arrived.port).node;
    return std::min(std::pair(sender, arrived.port), std::pair(NodeId{rival->from}, rival->in)).second;
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
    std::ranges::sort(rivals_, by_receiver);
    arrived_.for_each([&](std::span<const Cursor> batch) {
        for (const Cursor& node : batch)
            run(node.node, [&] { return forwarding.first(node.node, rivals_.empty() ? node.port : first_in(node)); });
    });
    arrived_.restart();
    rivals_.clear();
    for (const NodeId v : starters_) run(v, [&] { return forwarding.first(v, no_port); });
    starters_.clear();
    going_before_.for_each([&](std::span<const Cursor> batch) {
        for (const Cursor& node : batch) run(node.node, [&] { return node.port; });
    });
    going_before_.restart();
}

void Partition::hand_over_cursors(std::vector<Cursor>& arrived, std::vector<Cursor>& going) {
    std::ranges::sort(rivals_, by_receiver);
    arrived_.for_each([&](std::span<const Cursor> batch) {
        for (const Cursor& node : batch) arrived.push_back({node.node, rivals_.empty() ? node.port : first_in(node)});
    });
    going_.for_each([&](std::span<const Cursor> batch) { going.insert(going.end(), batch.begin(), batch.end()); });
    arrived_.restart();
    rivals_.clear();
    going_.restart();
}

}  // namespace kport
