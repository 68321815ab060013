#include "emulator/engine/parts_sent.hpp"

#include "emulator/schedule/packet_space.hpp"

namespace kport {

namespace {

/// How many packets of the segments of some others a node has, results among them.
std::uint64_t size_in_segments_of(std::span<const PacketBlock> packets, const PacketSet& own, std::uint64_t segments,
                                  NodeId nodes) {
    if (segments == 1) return own.size();
    const PacketSet rows = rows_of(packets);
    PacketBlocks all;
    for (const PacketBlock& some : rows.blocks())
        all.push_back(block_of(some.columns(), {0, 1, static_cast<std::uint32_t>(nodes + 1)}));
    return common_size(span_of(all), own);
}

}  // namespace

std::vector<bool> senders_of_parts(const Schedule& schedule, const Collective& collective, NodeId nodes) {
    const std::uint64_t segments = collective.segments(nodes);
    std::vector<PacketSet> own(nodes);
    const auto has = [&](NodeId v) -> PacketSet& {
        if (own[v].empty()) own[v] = collective.owned(v, nodes);
        return own[v];
    };
    std::vector<bool> parts(nodes);
    for (std::size_t first = 0, end = 0; first < schedule.size(); first = end) {
        for (; end < schedule.size() && schedule.round(end) == schedule.round(first); ++end) {
            const Transfer transfer = schedule.transfer(end);
            if (transfer.packets.front().first == nodes || parts[transfer.from]) continue;
            parts[transfer.from] =
                size_of(transfer.packets) != size_in_segments_of(transfer.packets, has(transfer.from), segments, nodes);
        }
        for (std::size_t i = first; i < end; ++i) {  // a message counts from the round after its arrival
            const Transfer transfer = schedule.transfer(i);
            has(transfer.to).include(transfer.packets);
        }
    }
    return parts;
}

}  // namespace kport
