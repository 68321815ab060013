/// @file packet_store.hpp   The bytes of many packets, at the nodes that hold them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "emulator/base/node_array.hpp"
#include "emulator/payload/body.hpp"
#include "emulator/payload/holdings.hpp"
#include "emulator/payload/packet_bytes.hpp"
#include "emulator/payload/packet_index.hpp"
#include "emulator/payload/packet_places.hpp"
#include "emulator/schedule/collective.hpp"

namespace kport {

/// What every node holds, as the bodies in which it came. A hop copies the bytes once, out of the sender's bodies into the
/// message, which the receiver keeps. Finding them costs what is asked for, however many bodies there are (PacketIndex). Where
/// all nodes get all packets they may have places (gives_places()), and no body is kept.
///
/// Callers   the task that owns a node, for that node. seed(), verify() and clear() of different nodes by different tasks.
/// Memory    a word a node, and what is held: packets that were passed on are given back when a body is mostly gone.
class PacketStore {
  public:
    PacketStore() = default;
    /// `brought`: the bytes of what nodes own; null: they follow from the seed and the packet's number. `all_in_bodies`: also
    /// what gives_places(), but for broadcasts.
    PacketStore(const Collective& collective, NodeId nodes, std::uint64_t seed,
                std::shared_ptr<const Holdings> brought = nullptr, const NodeShare& share = {},
                bool all_in_bodies = false);

    /// Whether packets have places (PacketPlaces) and no bodies: those of a broadcast, and those of an allgather, one of each
    /// node, while they are small. A bundle is copied once more then, to its places, which costs less than its body if a packet
    /// is not much more than a header. Those of an allgather move to bodies as soon as one may be wrong (leave_places()).
    [[nodiscard]] static bool gives_places(const Collective& collective) {
        constexpr std::uint64_t small = 256;
        return collective.operation->carries == Carries::copies ||
               (collective.operation == Operation::allgather && collective.packets_each == 1 &&
                collective.packet_bytes <= small);
    }

    /// Packets of an allgather that have places, and are all right, have bodies from now on, so that a packet that comes wrong, or
    /// again, is kept beside them. One task, while no node moves; O(packets held).
    void leave_places(FramePool& pool);

    /// Gives a node what it owns at the start.
    void seed(NodeId v, FramePool& pool);

    /// A message with those packets, copied from what the node holds. What it does not hold stays zero: that is a breach
    /// which an auditor finds. `held_once`: no packet has come to the node that it had already, so that it is enough to
    /// count what is found; else all bodies are looked at, and what came first is what is sent. `complete`, if asked for:
    /// whether the packets were held.
    [[nodiscard]] Body* copy_out(NodeId v, std::span<const PacketBlock> packets, FramePool& pool, bool held_once = true,
                                 bool* complete = nullptr);

    /// Forgets packets that were passed on, as far as that frees memory: a body of which little is left is made anew.
    /// Now and then a copy of what is left.
    void give_away(NodeId v, std::span<const PacketBlock> packets, FramePool& pool);

    /// Both at once, of packets that stand in the only body of the node and that it has not given away. Null where it is anything
    /// else: some of them may be forgotten then.
    [[nodiscard]] Body* pass(NodeId v, std::span<const PacketBlock> packets, FramePool& pool);

    /// Takes one reference to the body over.
    void add(NodeId v, Body* body, FramePool& pool) {
        if (!places_) {
            add(held_[v], body);
            return;
        }
        places_->put(v, body->blocks(), body->bytes());
        body->release(pool);
    }

    /// Where packets have places: whether the node holds a packet; and a node gets one from another that holds it, as PacketPlaces::move().
    [[nodiscard]] bool has(NodeId v, std::uint32_t packet) const { return places_->has(v, packet); }
    void move(NodeId from, NodeId to, std::uint32_t packet) { places_->move(from, to, packet); }
    /// As PacketPlaces::move_each().
    template <class ForEach>
    [[gnu::always_inline]] void move_each(const ForEach& for_each) {
        places_->move_each(for_each);
    }
    [[nodiscard]] std::span<const std::byte> bytes(NodeId v, std::uint32_t packet) const {
        return places_->bytes(v, packet);
    }
    /// The same as PacketPlaces::leave_notes_to(). What does not come then shows by its bytes alone, which stay zeros: no
    /// packet begins with that.
    void leave_notes_to(const PacketTable& held) { places_->leave_notes_to(held); }
    /// The same as PacketPlaces::stand_in_groups(), and compare_groups() where there are places.
    void stand_in_groups() { places_->stand_in_groups(); }
    template <class ForIndex>
    void compare_groups(const ForIndex& for_index) {
        if (places_) places_->compare_groups(for_index);
    }
    [[gnu::always_inline]] void prefetch(NodeId from, NodeId to, std::uint32_t packet) const {
        places_->prefetch(from, to, packet);
    }

    /// Fetches what a node sends from, its word first and the body that came last when that is here: a hint.
    [[gnu::always_inline]] void prefetch_word(NodeId v) const {
        if (!places_) __builtin_prefetch(&held_[v], 1);
    }
    [[gnu::always_inline]] void prefetch_body(NodeId v) const {
        if (!places_ && held_[v].index() == nullptr) Body::prefetch(held_[v].list());
    }

    using Check = PacketPlaces::Check;
    /// Compares what a node holds, byte for byte, with what the owners sent, and with what it must hold: disjoint blocks,
    /// which are part of what it is promised. O(packets that it holds).
    [[nodiscard]] Check check(NodeId v, std::span<const PacketBlock> must_hold) const;

    /// Whether the node holds all of some disjoint blocks, however often.
    [[nodiscard]] bool holds(NodeId v, std::span<const PacketBlock> packets) const;
    /// Some packets that the node holds, with their bytes.
    [[nodiscard]] Holdings::OfNode held(NodeId v, std::span<const PacketBlock> packets) const;

    /// Forgets all that the node holds.
    void clear(NodeId v, FramePool& pool);

  private:
    /// The bodies of a node: a list, what came last first; or an index, where it took long several times to find packets in
    /// the list. How often is kept in the bits that addresses leave free.
    class Held {
      public:
        [[nodiscard]] Body* list() const { return reinterpret_cast<Body*>(word_ & ~flags); }
        [[nodiscard]] PacketIndex* index() const {
            return (word_ & indexed) != 0 ? reinterpret_cast<PacketIndex*>(word_ & ~flags) : nullptr;
        }
        void set(Body* list) { word_ = reinterpret_cast<std::uintptr_t>(list) | (word_ & long_searches); }
        void set(PacketIndex* index) { word_ = reinterpret_cast<std::uintptr_t>(index) | indexed; }
        void clear() { word_ = 0; }
        /// One more search took long. Whether an index, which costs as much as a few searches, is worth it.
        [[nodiscard]] bool searched_long() {
            if ((word_ & long_searches) == long_searches) return true;
            word_ += one_search;
            return false;
        }

      private:
        static constexpr std::uintptr_t indexed = 1;
        static constexpr std::uintptr_t one_search = 2;
        static constexpr std::uintptr_t long_searches = 6;
        static constexpr std::uintptr_t flags = 7;
        std::uintptr_t word_;
    };
    static_assert(alignof(Body) >= 8 && alignof(PacketIndex) >= 8);
    static void add(Held& held, Body* body) {
        if (PacketIndex* index = held.index()) [[unlikely]] {
            index->add(body);
            return;
        }
        body->next = held.list();
        held.set(body);
    }
    /// Calls visit(body), for what came last first; the body may end then.
    template <class Visit>
    static void for_each_body(const Held& held, const Visit& visit) {
        if (const PacketIndex* index = held.index()) {
            index->for_each_body(visit);
            return;
        }
        for (Body *body = held.list(), *following = nullptr; body != nullptr; body = following) {
            following = body->next;
            visit(*body);
        }
    }
    /// As copy_out(), from the list; returns how many packets were found, or nothing where an index is worth it.
    [[nodiscard]] std::optional<std::uint64_t> copy_from_list(Held& held, Body& message, bool held_once) const;
    /// As give_away(), in the list; false where an index is worth it.
    [[nodiscard]] bool give_away_from_list(Held& held, std::span<const PacketBlock> packets, FramePool& pool);
    [[nodiscard]] PacketIndex& indexed(Held& held, FramePool& pool);
    /// Writes the bytes of what a node owns.
    void fill(std::span<const PacketBlock> packets, std::byte* at, NodeId v) const;
    /// What has not been passed on of a body.
    [[nodiscard]] static PacketSet& left_of(Body& body, FramePool& pool);
    [[nodiscard]] bool worth_making_anew(std::uint64_t packets, std::uint64_t left) const;
    [[nodiscard]] Body* made_anew(const Body& body, FramePool& pool) const;
    std::uint64_t copy_common(Body& into, const Body& from) const;
    [[nodiscard]] bool is_allgather() const { return collective_.operation == Operation::allgather; }

    Collective collective_;
    bool of_pairs_;  ///< there is a packet for each pair of nodes
    NodeId nodes_ = 0;
    NodeShare share_;
    PacketBytes packet_bytes_{0};
    std::shared_ptr<const Holdings> brought_;
    std::optional<PacketPlaces> places_;  ///< where all nodes get all packets
    NodeArray<Held> held_;                ///< else
};

}  // namespace kport
