/// @file packet_store.hpp   The bytes of many packets, at the nodes that hold them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "emulator/base/node_share.hpp"
#include "emulator/payload/body.hpp"
#include "emulator/payload/packet_bytes.hpp"
#include "emulator/payload/packet_index.hpp"
#include "emulator/payload/packet_places.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/packet_block.hpp"

namespace kport {

/// What every node holds, as the bodies in which it came. A hop copies the bytes once, from the sender's bodies into
/// the message's body, which the receiver keeps. Finding packets costs O(packets), however many bodies there are
/// (PacketIndex). Where all nodes get all packets they may have places instead (gives_places()).
///
/// Callers   the task that owns a node, for that node. seed(), verify() and clear() of different nodes by different tasks.
/// Memory    a word a node, and what is held; when most of a body was passed on, the rest is copied and the body freed.
class PacketStore {
  public:
    PacketStore() = default;
    /// `brought`: the bytes of what nodes own; null: they follow from the seed and the packet's number.
    /// `all_in_bodies`: no places except for broadcasts.
    PacketStore(const Collective& collective, NodeId nodes, std::uint64_t seed,
                std::shared_ptr<const Holdings> brought = nullptr, const NodeShare& share = {},
                bool all_in_bodies = false);

    /// Whether packets have places (PacketPlaces) and no bodies: those of a broadcast, and the small ones of an
    /// allgather with one packet a node. A bundle is then copied once more, to its places, which costs less than a body
    /// for packets not much larger than its header. Packets of an allgather move to bodies as soon as one may be wrong
    /// (leave_places()).
    [[nodiscard]] static bool gives_places(const Collective& collective) {
        constexpr std::uint64_t small = 256;
        return collective.operation->carries == Carries::copies ||
               (collective.operation == Operation::allgather && collective.packets_each == 1 &&
                collective.counts == nullptr && collective.packet_bytes <= small);
    }

    /// Converts from array storage to one body per packet, needed once a wrong or duplicate packet has to be stored.
    /// All stored packets must be right. One task, while no node moves; O(packets held).
    void leave_places(FramePool& pool);

    /// Stores at a node what it owns at the start.
    void seed(NodeId v, FramePool& pool);

    /// Returns a message with the given packets, copied from what the node holds. Packets that it does not hold stay
    /// zero, a violation that the auditor finds. `held_once`: no packet came to the node twice, so counting the packets
    /// found suffices; else all bodies are searched, and the copy that came first is sent. `complete`, if given,
    /// receives whether all packets were held.
    [[nodiscard]] Body* copy_out(NodeId v, std::span<const PacketBlock> packets, FramePool& pool, bool held_once = true,
                                 bool* complete = nullptr);

    /// Forgets packets that were passed on, as far as that frees memory: if little of a body is left, the rest is
    /// copied to a new one.
    void give_away(NodeId v, std::span<const PacketBlock> packets, FramePool& pool);

    /// copy_out() and give_away() in one step, for packets in the only body of a node, none of which was given away.
    /// Returns null in all other cases; some packets may then be forgotten.
    [[nodiscard]] Body* pass(NodeId v, std::span<const PacketBlock> packets, FramePool& pool);

    /// Takes over one reference to the body.
    void add(NodeId v, Body* body, FramePool& pool) {
        if (!places_) {
            add(held_[v], body);
            return;
        }
        places_->put(v, body->blocks(), body->bytes());
        body->release(pool);
    }

    /// Where packets have places: has() says whether the node holds a packet; move() copies one from another node, as
    /// PacketPlaces::move().
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
    /// As PacketPlaces::leave_notes_to(). A missing packet then shows by its bytes, which stay zeros: no packet begins
    /// with a zero byte.
    void leave_notes_to(const PacketTable& held) { places_->leave_notes_to(held); }
    /// As PacketPlaces::stand_in_groups(), and compare_groups() where there are places.
    void stand_in_groups() { places_->stand_in_groups(); }
    template <class ForIndex>
    void compare_groups(const ForIndex& for_index) {
        if (places_) places_->compare_groups(for_index);
    }
    [[gnu::always_inline]] void prefetch(NodeId from, NodeId to, std::uint32_t packet) const {
        places_->prefetch(from, to, packet);
    }

    /// Prefetches the node's word and, if that is here, its latest body.
    [[gnu::always_inline]] void prefetch_word(NodeId v) const {
        if (!places_) __builtin_prefetch(&held_[v], 1);
    }
    [[gnu::always_inline]] void prefetch_body(NodeId v) const {
        if (!places_ && held_[v].index() == nullptr) Body::prefetch(held_[v].list());
    }

    using Check = PacketPlaces::Check;
    /// Compares what a node holds, byte for byte, with what the owners sent, and with the disjoint blocks that it must
    /// hold, a part of what it is promised. O(packets that it holds).
    [[nodiscard]] Check check(NodeId v, std::span<const PacketBlock> must_hold) const;

    /// Whether the node holds all packets of some disjoint blocks, each once or more often.
    [[nodiscard]] bool holds(NodeId v, std::span<const PacketBlock> packets) const;
    /// Returns some packets that the node holds, with their bytes.
    [[nodiscard]] Holdings::OfNode held(NodeId v, std::span<const PacketBlock> packets) const;

    /// Releases all that the node holds.
    void clear(NodeId v, FramePool& pool);

  private:
    /// The bodies of a node: a list, the latest first; or an index, once several searches of the list took long. The
    /// number of long searches is kept in unused bits of the address.
    class Held {
      public:
        [[nodiscard]] Body* list() const { return reinterpret_cast<Body*>(word_ & ~flags); }
        [[nodiscard]] PacketIndex* index() const {
            return (word_ & indexed) != 0 ? reinterpret_cast<PacketIndex*>(word_ & ~flags) : nullptr;
        }
        void set(Body* list) { word_ = reinterpret_cast<std::uintptr_t>(list) | (word_ & long_searches); }
        void set(PacketIndex* index) { word_ = reinterpret_cast<std::uintptr_t>(index) | indexed; }
        void clear() { word_ = 0; }
        /// Counts a long search. Returns whether an index, which costs as much as a few searches, pays now.
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
    /// Calls visit(body), the latest first; visit() may release the body.
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
    /// copy_out() from the list. Returns the number of packets found; nothing if an index pays now.
    [[nodiscard]] std::optional<std::uint64_t> copy_from_list(Held& held, Body& message, bool held_once) const;
    /// give_away() in the list. Returns false if an index pays now.
    [[nodiscard]] bool give_away_from_list(Held& held, std::span<const PacketBlock> packets, FramePool& pool);
    [[nodiscard]] PacketIndex& indexed(Held& held, FramePool& pool);
    /// Writes the bytes of what a node owns.
    void fill(std::span<const PacketBlock> packets, std::byte* at, NodeId v) const;
    /// Returns the packets of a body that have not been passed on.
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
    NodeArray<Held> held_;                ///< otherwise
};

/// Copies the intersection of two lists of blocks from its places in one to its places in the other, packets of
/// `packet_bytes` bytes each. Returns the number of packets.
std::uint64_t copy_blocks(std::span<const PacketBlock> into_blocks, std::byte* into,
                          std::span<const PacketBlock> from_blocks, const std::byte* from, std::uint64_t bytes);

}  // namespace kport
