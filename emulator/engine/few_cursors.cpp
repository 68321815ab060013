#include "emulator/engine/few_cursors.hpp"

#include <algorithm>
#include <bit>
#include <exception>
#include <utility>

namespace kport {

bool FewCursors::take(std::uint64_t partitions, std::size_t most) {
    std::size_t cursors = 0;
    for (std::uint64_t rest = partitions; rest != 0; rest &= rest - 1) {
        const Partition& partition = *partitions_[static_cast<unsigned>(std::countr_zero(rest))];
        if (partition.has_starters()) return false;
        cursors += partition.cursors();
    }
    if (cursors == 0 || cursors > most) return false;
    for (std::uint64_t rest = partitions; rest != 0; rest &= rest - 1)
        partitions_[static_cast<unsigned>(std::countr_zero(rest))]->hand_over_cursors(arrived_, going_);
    return true;
}

bool FewCursors::send(Round round) {
    const Forwarding& forwarding = *world_.forwarding;
    Partition& runner = *partitions_.front();
    bool all_sent = true;
    const auto run = [&](NodeId v, const auto& first_out) {
        try {
            runner.at_work().resumes(v, round);
            const Port left = runner.forward(v, first_out(), [&](const Message& message) { world_.few.add(message); });
            if (left != no_port) going_.push_back({static_cast<std::uint32_t>(v), left});
        } catch (...) {
            partitions_[world_.deal.home(v)]->note_failure(v, round, std::current_exception());
            all_sent = false;
        }
    };
    if (!going_.empty()) going_before_.swap(going_);
    for (const Cursor& node : arrived_) run(node.node, [&] { return forwarding.first(node.node, node.port); });
    for (const Cursor& node : going_before_) run(node.node, [&] { return node.port; });
    runner.at_work().rests();
    return all_sent;
}

std::uint64_t FewCursors::forget_senders() {
    std::uint64_t partitions = 0;
    for (const Cursor& node : arrived_) partitions |= bit_of(node.node);
    for (const Cursor& node : going_before_) partitions |= bit_of(node.node);
    arrived_.clear();
    going_before_.clear();
    return partitions;
}

/// As Partition::arrive(); of several in one round the lowest sender's is at once known.
[[gnu::always_inline]] inline void FewCursors::arrive(const Message& message) {
    if (!std::exchange(world_.reached[message.to], true)) [[likely]] {
        if (world_.memory.holds_bytes()) world_.memory.move(message.from, message.to);
        arrived_.push_back({message.to, message.in});
        return;
    }
    const auto node = std::ranges::find(arrived_, message.to, &Cursor::node);
    if (node == arrived_.end()) return;  // it came in an earlier round
    const auto sender = [&](Port in) { return std::pair(world_.topology.across(node->node, in).node, in); };
    node->port = std::min(sender(node->port), sender(message.in)).second;
}

std::uint64_t FewCursors::deliver(Round round) {
    arrived_.clear();
    going_before_.clear();
    const std::span<const Message> messages = world_.few.take_all();
    std::uint64_t shown = 0;
    for (const Message& message : messages) {
        shown |= bit_of(message.from);
        world_.rounds.sent(world_.deal.home(message.from), round, hop_of(message));
    }
    for (const Message& message : messages) {
        shown |= bit_of(message.to);
        world_.rounds.received(world_.deal.home(message.to), round, hop_of(message));
        arrive(message);
    }
    return shown;
}

std::uint64_t FewCursors::give_back() {
    std::uint64_t partitions = 0;
    for (const bool arrived : {true, false}) {
        std::vector<Cursor>& nodes = arrived ? arrived_ : going_;
        for (const Cursor& node : nodes) {
            partitions |= bit_of(node.node);
            partitions_[world_.deal.home(node.node)]->take_back(node, arrived);
        }
        nodes.clear();
    }
    return partitions;
}

}  // namespace kport
