/// @file world.hpp   What the partitions of a lockstep run share.
#pragma once

#include <cstdint>
#include <optional>

#include "emulator/audit/auditor.hpp"
#include "emulator/base/huge_array.hpp"
#include "emulator/engine/lockstep.hpp"
#include "emulator/node/memory.hpp"
#include "emulator/node/packet_store.hpp"
#include "emulator/node/reduction.hpp"

namespace kport {

/// What an engine keeps for each virtual node, touched or not: one word.
class Slot {
  public:
    enum class State : std::uint8_t {
        idle,      ///< not started; its first message starts it
        starting,  ///< its first message has come
        alive,     ///< there is a Node
        ended      ///< its program is over; what comes is dropped
    };

    [[nodiscard]] State state() const { return static_cast<State>(word_ & state_mask); }
    /// Null unless alive.
    [[nodiscard]] Node* node() const {
        return state() == State::alive ? reinterpret_cast<Node*>(word_ & ~(state_mask | holds_bytes_bit)) : nullptr;
    }
    void set(State state) { word_ = (word_ & holds_bytes_bit) | static_cast<std::uintptr_t>(state); }
    void set(Node* node) {
        word_ = (word_ & holds_bytes_bit) | reinterpret_cast<std::uintptr_t>(node) |
                static_cast<std::uintptr_t>(State::alive);
    }
    /// Notes that the packet's bytes are copied here; true the first time.
    [[nodiscard]] bool first_bytes() {
        const bool first = !holds_bytes();
        word_ |= holds_bytes_bit;
        return first;
    }
    [[nodiscard]] bool holds_bytes() const { return (word_ & holds_bytes_bit) != 0; }

  private:
    // The pools align nodes to 16 bytes, which leaves four bits of the address.
    static constexpr std::uintptr_t state_mask = 3;
    static constexpr std::uintptr_t holds_bytes_bit = 4;
    std::uintptr_t word_;
};
static_assert(sizeof(Slot) == 8);

/// How many messages ask to be received by a node, or were granted to it, in a round.
class Claims {
  public:
    /// Counts one more of this round and returns how many there are.
    std::uint32_t add(Round round) {
        if (round_ != round) restart(round);
        return ++count_;
    }
    void restart(Round round) {
        round_ = round;
        count_ = 0;
    }
    [[nodiscard]] std::uint32_t count() const { return count_; }

  private:
    Round round_;
    std::uint32_t count_;
};

/// Nodes are dealt to partitions in blocks of consecutive numbers, in turn. The deal depends on N alone, so that the
/// order in which anything happens is the same on any number of threads.
class Deal {
  public:
    explicit Deal(NodeId nodes);
    [[nodiscard]] unsigned partitions() const { return mask_ + 1; }
    [[nodiscard]] unsigned home(NodeId v) const { return static_cast<unsigned>(v >> block_bits) & mask_; }

    /// Calls visit(first, last) for each block [first, last) of a partition.
    template <class Visit>
    void blocks(unsigned partition, NodeId nodes, Visit&& visit) const {
        const NodeId block = NodeId{1} << block_bits;
        for (NodeId first = partition * block; first < nodes; first += block * partitions())
            visit(first, std::min(first + block, nodes));
    }

  private:
    static constexpr unsigned block_bits = 12;
    static constexpr unsigned partitions_max = 64;
    unsigned mask_;
};

/// Everything that the partitions share. Slots, bytes and audit records of a node are touched by the task of its
/// partition alone, except in the phases that run on one thread.
struct World {
    World(const Job& job, const RunOptions& options);

    const Job& job;
    const Topology& topology;
    Deal deal;
    Port limit;  ///< k; no_port for all-port
    bool wormhole;
    HugeArray<Slot> slots;
    HugeArray<Claims> claims;          ///< touched where a receiver may be sent more than it takes
    bool bundles;                      ///< messages carry bodies; else the one packet of a broadcast
    PacketMemory memory;               ///< broadcast: the packet's bytes
    std::optional<PacketStore> store;  ///< bytes of many packets; nothing where sizes are counted alone
    std::optional<Folder> folder;      ///< reductions
    HugeArray<Body*> results;          ///< reductions: what each node gave as its result
    Auditor auditor;
    Schedule* record;  ///< null: nothing is recorded

    /// Memory a node, before anything it holds or does.
    static constexpr std::uint64_t bytes_per_node = sizeof(Slot) + sizeof(Claims) + Auditor::bytes_per_node;
};

}  // namespace kport
