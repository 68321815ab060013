#include "emulator/schedule/packet_table.hpp"

#include <bit>

#include "emulator/schedule/packet_words.hpp"

namespace kport {

static_assert(PacketTable::columns == columns_a_word);

PacketSet PacketTable::set(NodeId v) const {
    PacketBlocks runs;
    for (std::uint64_t i = 0; i < words_; ++i) append_runs(0, static_cast<std::uint32_t>(i), word(v, i), runs);
    PacketSet all;
    all.add(runs);
    return all;
}

void PacketTable::put(NodeId v, const PacketSet& packets) {
    for (std::uint64_t i = 0; i < words_; ++i) word(v, i) = 0;
    for (const PacketBlock& block : packets.blocks())
        for_each_word(block.columns(), [&](std::uint32_t i, std::uint64_t bits, std::int64_t) { word(v, i) |= bits; });
}

std::uint64_t PacketTable::count(NodeId v) const {
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < words_; ++i) count += static_cast<std::uint64_t>(std::popcount(word(v, i)));
    return count;
}

}  // namespace kport
