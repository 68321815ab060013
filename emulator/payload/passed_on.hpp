/// @file passed_on.hpp   What nodes do with packets from the time they pass some on, and what they send again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/base/node_array.hpp"
#include "emulator/base/types.hpp"
#include "emulator/payload/frame_pool.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace kport {

/// What a node has passed on (Node::pass) it does not hold, whether or not the bytes are still there: a PacketStore gives them
/// back when it pays, and without a payload there are none. A node's messages are noted from the first on that passes packets
/// on, and looked at together when its program is over: a pass costs a note, and programs that pass nothing on cost nothing.
///
/// Callers   the task that owns a node, for that node.
/// Memory    a word a node, and 40 bytes a block until told_of() or forget().
/// Cost      note() O(blocks); told_of() as common_to_two() where nothing is sent again, else the square of the blocks.
class PassedOn {
  public:
    enum class Did : std::uint8_t { pass, send, get_back };

    /// Of no node: nothing can be noted.
    PassedOn() = default;
    explicit PassedOn(NodeId nodes, const NodeShare& share = {}) : last_(nodes, share) {}

    /// Node v passes packets on, sends some, or receives some that it has passed on: disjoint blocks. The first of a node is a
    /// pass. Throws std::bad_alloc.
    void note(NodeId v, Round round, Did did, std::span<const PacketBlock> packets, FramePool& pool);

    /// A message with a packet that its sender had passed on and not got back.
    struct Again {
        Round round;
        PacketBlock packets;  ///< some of those, the lowest first
        Round passed;         ///< when it passed those on
    };
    /// The messages of node v with such packets, in their order; then all about the node is forgotten.
    [[nodiscard]] std::vector<Again> told_of(NodeId v, NodeId nodes, FramePool& pool);
    /// Once for each node with notes, or memory is lost.
    void forget(NodeId v, FramePool& pool);

  private:
    struct Note;
    [[nodiscard]] static std::vector<Again> all_again(const Note* last, NodeId nodes);

    NodeArray<Note*> last_;
};

}  // namespace kport
