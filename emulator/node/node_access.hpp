/// @file node_access.hpp   The engines' door to a node: what its program must not touch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "emulator/node/node.hpp"
#include "emulator/node/strands.hpp"

namespace kport {

/// For engines only.
class NodeAccess {
  public:
    using Letter = Arrivals::Letter;
    using Asked = Node::Asked;

    static Program::Handle& leaf(Node& node) { return node.leaf_; }
    [[nodiscard]] static bool has_started(const Node& node) { return node.leaf_ || node.strands_ != nullptr; }
    /// While Waiting::to_send: what is still to be started.
    [[nodiscard]] static std::span<const SendRequest> wanted(const Node& node) {
        return {static_cast<const SendRequest*>(node.list_), node.awaited_};
    }
    static void set_wanted(Node& node, std::span<const SendRequest> left) { node.wait_to_send(left); }
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
    /// The port, the sender or the round that the program waits for, or how many.
    [[nodiscard]] static std::uint32_t awaited(const Node& node) { return node.awaited_; }

    /// Null unless the node has several.
    [[nodiscard]] static Strands* strands(const Node& node) { return node.strands_; }
    /// The strand runs.
    static void put_on(Node& node, Strand& strand) {
        node.strands_->now = &strand;
        node.leaf_ = strand.leaf;
        node.wait(Waiting::nothing, no_port);
    }
    /// The one that ran waits, behind all others.
    static void put_off(Node& node) {
        Strand& strand = *std::exchange(node.strands_->now, nullptr);
        strand.leaf = node.leaf_;
        strand.wait = wait_of(node);
        node.strands_->queue.append(&strand);
    }
    /// The one that ran is over.
    static void end_strand(Node& node, FramePool& pool) {
        node.leaf_.destroy();
        pool.deallocate(std::exchange(node.strands_->now, nullptr), sizeof(Strand));
    }
    /// Takes the next one that can go on out of the queue; null if all wait.
    [[nodiscard]] static Strand* next_strand(Node& node) {
        return node.strands_->queue.take([&](const Strand& strand) {
            const Wait& wait = strand.wait;
            if (wait.is_for_message()) return node.arrivals_.has(wait);
            return wait.waiting == Waiting::nothing ||
                   (wait.waiting == Waiting::for_strands && !node.strands_->has_group(wait.awaited));
        });
    }
    /// All strands wait. True if there is none left; a single one is then the node's program.
    static bool settle_strands(Node& node, FramePool& pool) {
        StrandQueue& queue = node.strands_->queue;
        node.leaf_ = {};
        node.waiting_ = Waiting::in_strands;
        if (!queue.empty() && queue.first()->next != nullptr) return false;
        Strand* const last = queue.take();
        if (last != nullptr) {
            node.leaf_ = last->leaf;
            node.wait(last->wait.waiting, last->wait.awaited, last->wait.list);
            if (last->wait.serves) node.asked_ |= Asked::serves;
            pool.deallocate(last, sizeof(Strand));
        }
        pool.deallocate(std::exchange(node.strands_, nullptr), sizeof(Strands));
        return last == nullptr;
    }
    /// What the node's program waits for.
    [[nodiscard]] static Wait wait_of(const Node& node) {
        return {node.list_, node.awaited_, node.waiting_, (node.asked_ & Asked::serves) != 0};
    }
    /// Calls visit(wait) for what the node's program, or each of its strands, waits for.
    template <class Visit>
    static void for_each_wait(const Node& node, Visit&& visit) {
        if (node.strands_ == nullptr)
            visit(wait_of(node));
        else
            node.strands_->queue.for_each([&](const Strand& strand) { visit(strand.wait); });
    }
    /// Whether the node's program, or one of its strands, waits so.
    [[nodiscard]] static bool waits(const Node& node, Waiting waiting) {
        if (node.waiting_ != Waiting::in_strands) [[likely]]
            return node.waiting_ == waiting;
        return node.strands_->queue.any([=](const Strand& strand) { return strand.wait.waiting == waiting; });
    }

    /// Sends started in this round; the counter starts anew with each round.
    static std::uint32_t& sends(Node& node, Round round) {
        if (node.send_round_ != round) {
            node.send_round_ = round;
            node.sends_ = 0;
        }
        return node.sends_;
    }

    /// Hints, from far to near: the node; its program's frame and its letter; what the letter holds.
    [[gnu::always_inline]] static void prefetch(const Node& node) {
        __builtin_prefetch(&node, 1);
        __builtin_prefetch(reinterpret_cast<const std::byte*>(&node) + 64, 1);
    }
    [[gnu::always_inline]] static void prefetch_program(const Node& node) {
        const auto* frame = static_cast<const std::byte*>(node.leaf_.address());
        __builtin_prefetch(frame, 1);
        __builtin_prefetch(frame + 64, 1);
        __builtin_prefetch(node.arrivals_.memory(), 1);
    }
    [[gnu::always_inline]] static void prefetch_letter(const Node& node) {
        if (!node.arrivals_.empty()) Body::prefetch(node.arrivals_.first().arrival.value().body());
    }

    /// Whether the node waits for just this message, and is not to be resumed anyway.
    [[nodiscard]] static bool waits_for(const Node& node, NodeId from, Port port) {
        if (node.waiting_ != Waiting::in_strands) [[likely]]
            return wait_of(node).is_for(from, port);
        return !node.scheduled_ &&
               node.strands_->queue.any([=](const Strand& strand) { return strand.wait.is_for(from, port); });
    }
    /// What the node waited for is there: it is resumed next.
    static void wake(Node& node) {
        if (node.waiting_ != Waiting::in_strands) node.waiting_ = Waiting::nothing;
        node.scheduled_ = true;
    }

    /// Puts a message among those that wait to be received: order of (round, sender, port).
    static void deliver(Node& node, Arrival arrival, FramePool& pool) {
        deliver(node, new (pool.allocate(sizeof(Letter))) Letter{std::move(arrival)});
    }
    static void deliver(Node& node, Letter* letter) {
        node.holds_ = true;
        node.arrivals_.insert(letter);
    }
    /// Whether what the program waits for is there.
    [[nodiscard]] static bool has_awaited(Node& node) { return node.arrivals_.has(wait_of(node)); }
    /// Those that wait to be received.
    [[nodiscard]] static const Arrivals& arrivals(const Node& node) { return node.arrivals_; }
    static void discard(Letter* letter, FramePool& pool) {
        letter->~Letter();
        pool.deallocate(letter, sizeof(Letter));
    }

    /// Ends a node: destroys its programs, innermost last, and gives back what it never received.
    static void clear(Node& node, FramePool& pool) {
        if (node.strands_ != nullptr) [[unlikely]]
            clear_strands(node, pool);
        destroy(std::exchange(node.leaf_, {}));
        while (Letter* letter = node.arrivals_.take_first()) discard(letter, pool);
    }

  private:
    static void clear_strands(Node& node, FramePool& pool) {
        Strands& all = *std::exchange(node.strands_, nullptr);
        if (all.now != nullptr) {
            all.now->leaf = std::exchange(node.leaf_, {});
            all.queue.append(all.now);
        }
        while (Strand* strand = all.queue.take_youngest()) {  // it may refer to what those before it have
            destroy(strand->leaf);
            pool.deallocate(strand, sizeof(Strand));
        }
        pool.deallocate(&all, sizeof(Strands));
    }
    /// With all programs that await it.
    static void destroy(Program::Handle leaf) {
        while (leaf && leaf.promise().caller) leaf = leaf.promise().caller;
        if (leaf) leaf.destroy();
    }
};

}  // namespace kport
