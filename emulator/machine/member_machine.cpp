#include "emulator/machine/member_machine.hpp"

#include <utility>

#include "emulator/base/error.hpp"
#include "emulator/topology/members.hpp"
#include "emulator/topology/recognized.hpp"

namespace kport {

namespace {

/// Gives each member the limits of its number in the larger machine, by which they stand there.
Machine with_ports_by_number(Machine machine) {
    if (machine.node_ports == nullptr || machine.node_ports->limits.empty()) return machine;
    NodePorts own = *machine.node_ports;
    for (NodeId v = 0; v < machine.topology->nodes(); ++v)
        own.limits[v] = machine.node_ports->limits[machine.topology->number(v)];
    own.limits.resize(machine.topology->nodes(), PortLimit::all());
    machine.node_ports = std::make_shared<const NodePorts>(std::move(own));
    return machine;
}

}  // namespace

Machine member_machine(const Machine& whole, std::vector<NodeId> members) {
    if (whole.prices != nullptr)
        throw RequestError("prices: a machine of members has the same price on all links; leave prices of links out");
    const bool any_path = whole.switching == Switching::wormhole;
    Machine machine = whole;
    machine.topology = machine_of_members(whole.topology, std::move(members),
                                          any_path ? MembersJoinedBy::paths : MembersJoinedBy::links);
    return with_ports_by_number(std::move(machine));
}

std::optional<Machine> recognized_machine(const Machine& whole) {
    if (whole.prices != nullptr) return std::nullopt;
    Machine machine = whole;
    machine.topology = recognized(whole.topology);
    if (machine.topology == nullptr) return std::nullopt;
    return with_ports_by_number(std::move(machine));
}

}  // namespace kport
