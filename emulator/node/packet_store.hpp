/// @file packet_store.hpp   The bytes of many packets, at the nodes that hold them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "emulator/base/huge_array.hpp"
#include "emulator/node/body.hpp"
#include "emulator/node/holdings.hpp"
#include "emulator/node/packet_bytes.hpp"
#include "emulator/schedule/collective.hpp"

namespace kport {

/// What every node holds, as the bodies in which it came. A hop copies the bytes once, out of the sender's bodies into the
/// message, which the receiver keeps.
///
/// Callers   the task that owns a node, for that node. seed(), verify() and clear() of different nodes by different tasks.
/// Memory    a word a node, and what is held: packets that were passed on are given back when a body is mostly gone.
class PacketStore {
  public:
    PacketStore() = default;
    /// `brought`: the bytes of what nodes own; null: they follow from the seed and the packet's number.
    PacketStore(const Collective& collective, NodeId nodes, std::uint64_t seed,
                std::shared_ptr<const Holdings> brought = nullptr);

    /// Gives a node what it owns at the start.
    void seed(NodeId v, FramePool& pool);

    /// A message with those packets, copied from what the node holds. What it does not hold stays zero: that is a breach
    /// which an auditor finds. `held_once`: no packet has come to the node that it had already, so that it is enough to
    /// count what is found; else all bodies are looked at, and what came first is what is sent. `complete`, if asked for:
    /// whether the packets were held.
    [[nodiscard]] Body* copy_out(NodeId v, std::span<const PacketBlock> packets, FramePool& pool, bool held_once = true,
                                 bool* complete = nullptr) const;

    /// Forgets packets that were passed on, as far as that frees memory: a body of which little is left is made anew.
    /// O(bodies of the node), and now and then a copy of what is left.
    void give_away(NodeId v, std::span<const PacketBlock> packets, FramePool& pool);

    /// Takes one reference to the body over.
    void add(NodeId v, Body* body) {
        body->next = held_[v];
        held_[v] = body;
    }

    struct Difference {
        PacketId packet;
        std::uint64_t byte;
    };
    struct Check {
        std::optional<Difference> first;  ///< of all packets that the node holds
        PacketSet missing;                ///< of those that it must hold
        std::uint64_t wrong = 0;          ///< how many of those that it must hold differ
    };
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
    /// Writes the bytes of what a node owns.
    void fill(std::span<const PacketBlock> packets, std::byte* at, NodeId v) const;
    [[nodiscard]] bool worth_making_anew(const Body& body) const;
    [[nodiscard]] Body* made_anew(const Body& body, FramePool& pool) const;
    std::uint64_t copy_common(Body& into, const Body& from) const;

    Collective collective_;
    bool of_pairs_;  ///< there is a packet for each pair of nodes
    NodeId nodes_ = 0;
    PacketBytes packet_bytes_{0};
    std::shared_ptr<const Holdings> brought_;
    HugeArray<Body*> held_;
};

}  // namespace kport
