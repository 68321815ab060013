/// @file node_access.hpp   The engines' door to a node: what its program must not touch.
#pragma once

#include <algorithm>
#include <cstddef>

#include "emulator/node/node.hpp"

namespace kport {

/// For engines only.
class NodeAccess {
  public:
    using Letter = Node::Letter;
    using Asked = Node::Asked;

    static Program::Handle& leaf(Node& node) { return node.leaf_; }
    static std::span<const SendRequest>& wanted(Node& node) { return node.wanted_; }
    static Waiting& waiting(Node& node) { return node.waiting_; }
    [[nodiscard]] static Waiting waiting(const Node& node) { return node.waiting_; }
    static std::uint32_t& held(Node& node) { return node.held_; }
    static bool& scheduled(Node& node) { return node.scheduled_; }
    static bool& holds(Node& node) { return node.holds_; }
    static Host*& host(Node& node) { return node.host_; }
    /// What came, before the program has it.
    static Value& value(Arrival& arrival) { return arrival.value_; }
    /// Bits of Asked.
    [[nodiscard]] static unsigned asked(const Node& node) { return node.asked_; }
    /// The round that sends() counts.
    [[nodiscard]] static Round send_round(const Node& node) { return node.send_round_; }
    /// The port or the sender that the program waits for.
    [[nodiscard]] static std::uint32_t awaited(const Node& node) { return node.awaited_; }

    /// Sends started in this round; the counter starts anew with each round.
    static std::uint32_t& sends(Node& node, Round round) {
        if (node.send_round_ != round) {
            node.send_round_ = round;
            node.sends_ = 0;
        }
        return node.sends_;
    }

    /// Hints, from far to near: the node; its program's frame and its letter; what the letter holds.
    static void prefetch(const Node& node) {
        __builtin_prefetch(&node, 1);
        __builtin_prefetch(reinterpret_cast<const std::byte*>(&node) + 64, 1);
    }
    static void prefetch_program(const Node& node) {
        const auto* frame = static_cast<const std::byte*>(node.leaf_.address());
        __builtin_prefetch(frame, 1);
        __builtin_prefetch(frame + 64, 1);
        __builtin_prefetch(node.letters_, 1);
    }
    static void prefetch_letter(const Node& node) {
        if (node.letters_ != nullptr) Body::prefetch(node.letters_->arrival.value().body());
    }

    /// Whether the node waits for just this message.
    [[nodiscard]] static bool waits_for(const Node& node, NodeId from, Port port) {
        return node.waiting_ == Waiting::for_message ||
               (node.waiting_ == Waiting::for_message_by && node.awaited_ == port) ||
               (node.waiting_ == Waiting::for_message_from && node.awaited_ == from);
    }

    /// Puts a message among those that wait to be received: order of (round, sender, port).
    static void deliver(Node& node, Arrival arrival, FramePool& pool) {
        deliver(node, new (pool.allocate(sizeof(Letter))) Letter{std::move(arrival)});
    }
    static void deliver(Node& node, Letter* letter) {
        node.holds_ = true;
        Letter** place = &node.letters_;
        while (*place != nullptr && before((*place)->arrival, letter->arrival)) place = &(*place)->next;
        letter->next = *place;
        *place = letter;
    }
    /// Whether what the program waits for is there.
    [[nodiscard]] static bool has_awaited(Node& node) {
        return *node.awaited_letter(node.waiting_, node.awaited_) != nullptr;
    }
    /// The first of those that wait to be received; null if none does.
    [[nodiscard]] static const Letter* first_letter(const Node& node) { return node.letters_; }
    static void discard(Letter* letter, FramePool& pool) {
        letter->~Letter();
        pool.deallocate(letter, sizeof(Letter));
    }

    /// Ends a node: destroys its programs, innermost last, and gives back what it never received.
    static void clear(Node& node, FramePool& pool) {
        Program::Handle outermost = node.leaf_;
        while (outermost && outermost.promise().caller) outermost = outermost.promise().caller;
        if (outermost) outermost.destroy();
        node.leaf_ = {};
        while (node.letters_ != nullptr) {
            Letter* letter = node.letters_;
            node.letters_ = letter->next;
            discard(letter, pool);
        }
    }

  private:
    static bool before(const Arrival& a, const Arrival& b) {
        return std::tuple(a.round, a.from, a.port) <= std::tuple(b.round, b.from, b.port);
    }
};

}  // namespace kport
