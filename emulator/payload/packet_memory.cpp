#include "emulator/payload/packet_memory.hpp"

#include <algorithm>

#include "emulator/payload/packet_bytes.hpp"

namespace kport {

PacketMemory::PacketMemory(NodeId nodes, std::uint64_t packet_bytes, NodeId source, std::uint64_t seed,
                           const NodeShare& share)
    : share_(share), data_(share.places(nodes) * packet_bytes), right_(packet_bytes), bytes_(packet_bytes),
      source_(source) {
    PacketBytes(seed).fill(right_, 0);
    if (share.contains(source)) std::ranges::copy(right_, at(source));
}

void PacketMemory::spoil() {
    const std::uint64_t nodes = data_.size() / bytes_;
    for (NodeId v = 0; v < nodes; ++v)
        if (v != source_) *at(v) = ~right_.front();
}

std::optional<std::uint64_t> PacketMemory::first_difference(NodeId node) const {
    if (intact(node)) return std::nullopt;
    return std::mismatch(at(node), at(node) + bytes_, right_.begin()).first - at(node);
}

}  // namespace kport
