#include "emulator/machine/remaining_machine.hpp"

#include <utility>
#include <vector>

#include "emulator/topology/broken.hpp"

namespace kport {

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
