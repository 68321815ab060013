#include "emulator/machine/smaller_machine.hpp"

#include <utility>
#include <vector>

#include "emulator/base/error.hpp"
#include "emulator/topology/broken.hpp"
#include "emulator/topology/members.hpp"
#include "emulator/topology/renumbered.hpp"

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

namespace {

LinkPrices prices_left(const LinkPrices& before, const Topology& whole, const Topology& left) {
    const Topology& wires = whole.wires();
    std::vector<LinkPrices::Priced> links;
    for_each_link(wires, [&](NodeId a, NodeId b) {
        const NodeId v = number_left(whole, left, a);
        const Port port = wires.port_to(a, b);
        if (v != no_node && left.wires().across(v, port).node != no_node)
            links.push_back({v, port, before.of(a, port)});
    });
    PriceSources sources = before.sources();
    sources.slow.clear();
    return LinkPrices(std::move(sources), left.wires(), links);
}

}  // namespace

NodeId number_left(const Topology& before, const Topology& left, NodeId v) {
    const Remains* earlier = as_broken(before);
    const Remains* now = as_broken(left);
    const NodeId first = earlier == nullptr ? v : earlier->old(v);
    return now == nullptr ? first : now->left(first);
}

Machine remaining_machine(const Machine& whole, std::shared_ptr<const Topology> left) {
    Machine machine = whole;
    machine.topology = std::move(left);
    if (whole.node_ports != nullptr && !whole.node_ports->limits.empty()) {
        NodePorts own{whole.node_ports->attribute, {}};
        for (NodeId v = 0; v < whole.topology->nodes(); ++v)
            if (number_left(*whole.topology, *machine.topology, v) != no_node)
                own.limits.push_back(whole.node_ports->limits[v]);
        machine.node_ports = std::make_shared<const NodePorts>(std::move(own));
    }
    if (whole.prices != nullptr && whole.prices->known())
        machine.prices =
            std::make_shared<const LinkPrices>(prices_left(*whole.prices, *whole.topology, *machine.topology));
    return machine;
}

}  // namespace kport
