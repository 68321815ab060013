/// @file passed_on.hpp   Detects packets that a node sends again after it passed them on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/base/node_share.hpp"
#include "emulator/base/types.hpp"
#include "emulator/payload/slabs.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace kport {

/// A node does not hold what it has passed on (Node::pass), even if the bytes are still there: a PacketStore frees them
/// only when it pays. A node's messages are noted from the first pass on, and examined together when its program has
/// ended: a pass costs a note, and programs that pass nothing on cost nothing.
///
/// Callers   the task that owns a node, for that node.
/// Memory    a word a node, and 40 bytes a block until told_of() or forget().
/// Cost      note() O(blocks); told_of() as common_to_two() where nothing is sent again, else quadratic in the blocks.
class PassedOn {
  public:
    enum class Did : std::uint8_t { pass, send, get_back };

    /// For no node: nothing can be noted.
    PassedOn() = default;
    explicit PassedOn(NodeId nodes, const NodeShare& share = {}) : last_(nodes, share) {}

    /// Records that node v passes packets on, sends some, or receives some that it had passed on: disjoint blocks. The
    /// first call for a node must be a pass. Throws std::bad_alloc.
    void note(NodeId v, Round round, Did did, std::span<const PacketBlock> packets, FramePool& pool);

    /// A message with a packet that its sender had passed on and not got back.
    struct Again {
        Round round;
        PacketBlock packets;  ///< those packets, the lowest first
        Round passed;         ///< the round in which it passed them on
    };
    /// Returns the messages of node v with such packets, in order, and forgets the node's notes.
    [[nodiscard]] std::vector<Again> told_of(NodeId v, NodeId nodes, FramePool& pool);
    /// Frees the notes of a node. Required once for each node with notes.
    void forget(NodeId v, FramePool& pool);

  private:
    struct Note;
    [[nodiscard]] static std::vector<Again> all_again(const Note* last, NodeId nodes);

    NodeArray<Note*> last_;
};

}  // namespace kport
