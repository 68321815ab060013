#include "emulator/topology/trunks.hpp"

#include <utility>

namespace kport {

TrunkedGraph::TrunkedGraph(std::shared_ptr<const Topology> graph)
    : Fabric(graph->spec(), graph->nodes(), 0, graph->ports()), graph_(std::move(graph)) {}

std::uint64_t TrunkedGraph::capacity(NodeId v, Port p) const {
    return graph_->across(v, p).node == no_node ? 0 : graph_->capacity(v, p);
}

std::optional<Hops> TrunkedGraph::one_message(NodeId from, NodeId to) const {
    if (from == to) return 0;
    return graph_->port_to(from, to) == no_port ? std::nullopt : std::optional<Hops>(1);
}

std::shared_ptr<const Topology> with_trunks(std::shared_ptr<const Topology> graph) {
    if (!graph->has_trunks()) return graph;
    return hosts_of(std::make_shared<const TrunkedGraph>(std::move(graph)));
}

std::shared_ptr<const Topology> links_without_switches(const std::shared_ptr<const Topology>& machine) {
    const Fabric* fabric = machine->fabric();
    if (fabric == nullptr) return machine;
    return fabric->switches() == 0 ? std::shared_ptr<const Topology>(machine, &machine->wires()) : nullptr;
}

}  // namespace kport
