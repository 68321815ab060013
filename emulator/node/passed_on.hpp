/// @file passed_on.hpp   Which packets nodes have passed on, and hold no more.
#pragma once

#include <cstdint>
#include <span>

#include "emulator/base/huge_array.hpp"
#include "emulator/base/types.hpp"
#include "emulator/node/frame_pool.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace kport {

/// What programs have passed on (Node::pass) and their nodes no longer hold, whether or not the bytes are still there: a
/// PacketStore gives them back when it pays, and without a payload there are none.
///
/// Callers   the task that owns a node, for that node.
/// Memory    a word a node; 64 bytes for a node that passes packets on, and 24 to 64 for each of its ranges that does not
///           join another, until forget().
/// Cost      O(log ranges) a range of one row, as most blocks are; others are looked for one by one.
class PassedOn {
  public:
    /// Of no node: nothing can be added.
    PassedOn() = default;
    explicit PassedOn(NodeId nodes) : books_(nodes) {}
    PassedOn(PassedOn&&) = default;
    PassedOn& operator=(PassedOn&&) = default;
    ~PassedOn() = default;

    /// The rounds in which a node has passed packets on: from the first to the last of them.
    struct Rounds {
        Round first;
        Round last;
    };

    /// Those of the packets that node v has passed on and not received again.
    [[nodiscard]] PacketBlocks among(NodeId v, std::span<const PacketBlock> packets) const;
    /// Requires that the node has passed something on.
    [[nodiscard]] Rounds rounds(NodeId v) const;
    /// Node v passes packets on that it has not passed on yet; disjoint blocks. Throws std::bad_alloc.
    void add(NodeId v, Round round, std::span<const PacketBlock> packets, FramePool& pool);
    /// Node v has received packets: what it had passed on of them it holds again. Throws std::bad_alloc.
    void received(NodeId v, std::span<const PacketBlock> packets);
    /// Nobody asks about node v any more. Once for each node that has passed something on, or memory is lost.
    void forget(NodeId v, FramePool& pool);

  private:
    struct Book;
    HugeArray<Book*> books_;
};

}  // namespace kport
