#include "emulator/schedule/receipts.hpp"

#include <tuple>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/schedule/packet_space.hpp"

namespace kport {

namespace {

/// Returns the port of the receiver by which a path arrives.
Port last_port(const Transfer& transfer, const Topology& topology) {
    LinkEnd at{transfer.from, no_port};
    for (const Port port : transfer.route) {
        at = topology.across(at.node, port);
        if (at.node == no_node) return no_port;
    }
    return at.node == transfer.to ? at.port : no_port;
}

}  // namespace

std::vector<FirstReceipt> first_receipts(const Schedule& schedule, const Topology& topology) {
    require_well_formed(schedule, topology);
    std::vector<FirstReceipt> first(topology.nodes());
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const Transfer transfer = schedule.transfer(i);
        FirstReceipt& before = first[transfer.to];
        if (before.round != 0 && before.round < schedule.round(i)) continue;
        const FirstReceipt now{schedule.round(i), last_port(transfer, topology), transfer.from};
        if (before.round == 0 || std::tuple(now.from, now.port) < std::tuple(before.from, before.port)) before = now;
    }
    return first;
}

std::vector<PacketSet> holdings(const Schedule& schedule, const Collective& collective, const Topology& topology) {
    require_well_formed(schedule, topology);
    std::vector<PacketSet> held(topology.nodes());
    if (!collective.promises()) return held;
    for (NodeId v = 0; v < held.size(); ++v) held[v] = collective.owned(v, topology.nodes());
    const PacketSpace space(collective, topology.nodes());
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const Transfer transfer = schedule.transfer(i);
        if (!space.allows(transfer.packets))
            throw RequestError(
                fmt::format("transfers[{}].packets: it names {}", i, space.text(space.fault_of(transfer.packets))));
        PacketSet& own = held[transfer.to];
        own.add(without(transfer.packets, own.blocks()));
    }
    return held;
}

}  // namespace kport
