#include "emulator/machine/member_machine.hpp"

#include <utility>

#include "emulator/base/error.hpp"
#include "emulator/topology/members.hpp"

namespace kport {

Machine member_machine(const Machine& whole, std::vector<NodeId> members) {
    if (whole.prices != nullptr)
        throw RequestError("prices: a machine of members has the same price on all links; leave prices of links out");
    const bool any_path = whole.switching == Switching::wormhole;
    Machine machine = whole;
    machine.topology = machine_of_members(whole.topology, std::move(members),
                                          any_path ? MembersJoinedBy::paths : MembersJoinedBy::links);
    if (whole.node_ports == nullptr || whole.node_ports->limits.empty()) return machine;
    NodePorts own = *whole.node_ports;
    own.limits.clear();
    for (NodeId v = 0; v < machine.topology->nodes(); ++v)
        own.limits.push_back(whole.node_ports->limits[machine.topology->number(v)]);
    machine.node_ports = std::make_shared<const NodePorts>(std::move(own));
    return machine;
}

}  // namespace kport
