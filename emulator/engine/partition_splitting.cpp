/// @file partition_splitting.cpp   Nodes that pass on parts of what they are sent, without coroutines (node/splitting.hpp).
#include "emulator/engine/partition.hpp"

namespace kport {

/// What a program would be told of, or an auditor tells of what a program does, makes the run begin anew.
void Partition::post_part(Message message) {
    const NodeId v = message.from;
    const PacketSet part = world_.splitting->part(v, message.out);
    const PacketSet promised = world_.job.collective.wanted(v, world_.topology.nodes());
    const bool may_pass = world_.packets.allows(part.blocks()) && common_size(part.blocks(), promised.blocks()) == 0;
    Body* body = may_pass ? world_.store->pass(v, part.blocks(), pool_) : nullptr;
    if (body == nullptr) return world_.leave();
    message.content = reinterpret_cast<std::uint64_t>(body);
    post(message);
}

}  // namespace kport
