/// @file partition_splitting.cpp   Nodes that pass on parts of what they are sent, without coroutines (node/forwarding.hpp).
#include "emulator/engine/partition.hpp"

namespace kport {

void Partition::run_splitting() {
    constexpr std::size_t nodes_ahead = 12;
    const Splitting& splitting = *world_.splitting;
    const auto run = [&](NodeId v, const auto& first_out) {
        at_work_.resumes(v, round_);
        const Port left = forward(v, first_out(), [this](const Message& message) { post_part(message); });
        if (left != no_port) going_.add({static_cast<std::uint32_t>(v), left});
    };
    if (!going_.empty()) std::swap(going_before_, going_);
    arrived_.for_each([&](std::span<const Cursor> batch) {
        for (const Cursor& node : batch) run(node.node, [&] { return splitting.first(node.node, node.port); });
    });
    arrived_.restart();
    for (const NodeId v : starters_) {
        world_.store->seed(v, pool_);
        run(v, [&] { return splitting.first(v, no_port); });
    }
    starters_.clear();
    going_before_.for_each([&](std::span<const Cursor> batch) {
        for (std::size_t i = 0; i < batch.size(); ++i) {
            if (i + nodes_ahead < batch.size()) world_.store->prefetch_word(batch[i + nodes_ahead].node);
            if (i + nodes_ahead / 2 < batch.size()) world_.store->prefetch_body(batch[i + nodes_ahead / 2].node);
            run(batch[i].node, [&] { return batch[i].port; });
        }
    });
    going_before_.restart();
}

/// Throws where a program would fail, or break a rule.
void Partition::post_part(Message message) {
    const NodeId v = message.from;
    const PacketSet part = world_.splitting->part(v, message.out);
    for (const PacketBlock& block : part.blocks())
        hear(v, message.out, (std::uint64_t{block.first} << 32 ^ block.count) * 31 + block.stride);
    const PacketSet promised = world_.job.collective.wanted(v, world_.topology.nodes());
    const bool may_pass = world_.packets.allows(part.blocks()) && common_size(part.blocks(), promised.blocks()) == 0;
    Body* body = may_pass ? world_.store->pass(v, part.blocks(), pool_) : nullptr;
    if (body == nullptr) throw Unexplained();
    message.content = reinterpret_cast<std::uint64_t>(body);
    post(message);
}

/// A second message to a node puts the brief auditor in doubt.
void Partition::arrive_with_part(const Message& message) {
    world_.reached[message.to] = true;
    world_.store->add(message.to, message.body(), pool_);
    arrived_.add({message.to, message.in});
}

}  // namespace kport
