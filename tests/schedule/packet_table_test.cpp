/// @file packet_table_test.cpp   A bit for each node and packet, against plain sets.
#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/schedule/packet_table.hpp"

namespace kport {
namespace {

RC_GTEST_PROP(APacketTable, HasWhatEachNodeWasGiven, ()) {
    constexpr NodeId node_count = 3;
    const auto packets = *rc::gen::element<std::uint32_t>(1, 2, 63, 64, 65, 130);
    PacketTable table(node_count, packets);
    std::vector<std::set<std::uint32_t>> right(node_count);
    for (int left = *rc::gen::inRange(0, 200); left > 0; --left) {
        const auto v = *rc::gen::inRange<NodeId>(0, node_count);
        const auto packet = *rc::gen::inRange<std::uint32_t>(0, packets);
        if (*rc::gen::inRange(0, 20) == 0) {  // these and no others
            const auto stride = *rc::gen::inRange(1U, 4U);
            const auto count = *rc::gen::inRange(1U, (packets - 1 - packet) / stride + 2);
            table.put(v, PacketBlock{packet, stride, count});
            right[v].clear();
            for (std::uint32_t i = 0; i < count; ++i) right[v].insert(packet + i * stride);
        } else {
            table.add(v, packet);
            right[v].insert(packet);
        }
    }
    for (NodeId v = 0; v < node_count; ++v) {
        RC_ASSERT(table.has_all(v) == (right[v].size() == packets));
        RC_ASSERT(table.has_none(v) == right[v].empty());
        const PacketSet set = table.set(v);
        RC_ASSERT(set.size() == right[v].size());
        for (std::uint32_t packet = 0; packet < packets; ++packet) {
            const PacketBlock one{packet};
            RC_ASSERT(table.has(v, packet) == right[v].contains(packet));
            RC_ASSERT(set.covers({&one, 1}) == right[v].contains(packet));
        }
        table.clear(v);
        RC_ASSERT(table.has_none(v) && table.set(v).empty());
    }
}

}  // namespace
}  // namespace kport
