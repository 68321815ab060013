#include "algorithms/bounds/promised.hpp"

#include <utility>

namespace kport {

namespace {

/// Calls visit(packet) for each of a set.
template <class Visit>
void for_each_packet(const PacketSet& packets, const Visit& visit) {
    for (const PacketBlock& block : packets.blocks())
        for (std::uint32_t i = 0; i < block.count; ++i) visit(block.columns()[i]);
}

}  // namespace

std::vector<LackedPacket> lacked_packets(const Collective& collective, NodeId nodes) {
    std::vector<LackedPacket> all(collective.packets(nodes));
    for (NodeId v = 0; v < nodes; ++v) {
        const PacketSet own = collective.owned(v, nodes);
        for_each_packet(own, [&](std::uint32_t p) {
            if (p < all.size()) all[p].owners.push_back(v);
        });
        PacketSet rest;
        rest.add(without(collective.wanted(v, nodes).blocks(), own.blocks()));
        for_each_packet(rest, [&](std::uint32_t p) {
            if (p < all.size()) all[p].takers.push_back(v);
        });
    }
    std::vector<LackedPacket> lacked;
    for (std::uint32_t p = 0; p < all.size(); ++p) {
        if (all[p].takers.empty() || all[p].owners.empty()) continue;
        all[p].packet = p;
        lacked.push_back(std::move(all[p]));
    }
    return lacked;
}

std::uint64_t size_of_promise(const Collective& collective, NodeId nodes, std::uint64_t most) {
    std::uint64_t all = collective.packets(nodes);
    for (NodeId v = 0; v < nodes && all <= most; ++v)
        all += collective.owned(v, nodes).size() + collective.wanted(v, nodes).size();
    return all;
}

}  // namespace kport
