#include "emulator/node/memory.hpp"

#include <algorithm>
#include <random>

namespace kport {

PacketMemory::PacketMemory(NodeId nodes, std::uint64_t packet_bytes, NodeId source, std::uint64_t seed)
    : data_(nodes * packet_bytes), bytes_(packet_bytes), source_(source) {
    std::mt19937_64 random(seed);
    for (std::uint64_t i = 0; i < packet_bytes; i += 8) {
        const std::uint64_t word = random();
        std::memcpy(at(source) + i, &word, std::min<std::uint64_t>(8, packet_bytes - i));
    }
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
