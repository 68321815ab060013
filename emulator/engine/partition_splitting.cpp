/// @file partition_splitting.cpp   Nodes that pass on parts of what they are sent, without coroutines (node/splitting.hpp).
#include "emulator/engine/partition.hpp"

namespace kport {

namespace {

/// Of the one at hand: then what it needs is fetched.
constexpr std::size_t parts_ahead = 12;

}  // namespace

/// What a program would be told of, or an auditor tells of what a program does, makes the run begin anew.
void Partition::post_part(Message message) {
    const NodeId v = message.from;
    const PacketSet part = world_.splitting->part(v, message.out);
    const PacketSet promised = world_.job.collective.wanted(v, world_.topology.nodes());
    const bool may_pass = world_.packets.allows(part.blocks()) && common_size(part.blocks(), promised.blocks()) == 0;
    Body* body = may_pass ? world_.store->pass(v, part.blocks(), pool_) : nullptr;
    if (body == nullptr) return world_.leave();
    message.content = reinterpret_cast<std::uint64_t>(body);
    post_in_mailbox(message);
}

void Partition::accept_received_parts(Round round) {
    for (const auto& [batch, bytes] : in_)
        for (std::size_t i = 0; i < batch.size(); ++i) {
            if (i + parts_ahead < batch.size()) {
                const Message& ahead = batch[i + parts_ahead];
                Body::prefetch(ahead.body());
                world_.auditor.prefetch(ahead.to);
                world_.store->prefetch_word(ahead.to);
                __builtin_prefetch(&world_.reached[ahead.to], 1);
            }
            const Message& message = batch[i];
            FewBlocks few;
            world_.rounds.received(index_, round, transfer_of(message, few));
            if (world_.auditor.in_doubt()) [[unlikely]] {  // of a second message to a node, too
                discard(message);
                continue;
            }
            world_.reached[message.to] = true;
            world_.store->add(message.to, message.body(), pool_);
            arrived_.add({message.to, message.in});
        }
    in_.clear();
}

}  // namespace kport
