#include "emulator/payload/packet_memory.hpp"

#include <algorithm>

#include "emulator/payload/packet_bytes.hpp"

namespace kport {

PacketMemory::PacketMemory(NodeId nodes, std::uint64_t packet_bytes, NodeId source, std::uint64_t seed)
    : data_(nodes * packet_bytes), bytes_(packet_bytes), source_(source) {
    PacketBytes(seed).fill({at(source), packet_bytes}, 0);
}

void PacketMemory::spoil() {
    const std::uint64_t nodes = data_.size() / bytes_;
    for (NodeId v = 0; v < nodes; ++v)
        if (v != source_) *at(v) = ~*at(source_);
}

std::optional<std::uint64_t> PacketMemory::first_difference(NodeId node) const {
    if (std::memcmp(at(node), at(source_), bytes_) == 0) return std::nullopt;
    return std::mismatch(at(node), at(node) + bytes_, at(source_)).first - at(node);
}

}  // namespace kport
