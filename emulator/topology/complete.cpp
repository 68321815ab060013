#include "emulator/topology/complete.hpp"

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/topology/family.hpp"

namespace kport {
namespace {

NodeId checked_nodes(NodeId nodes) {
    if (nodes == 0) throw RequestError("topology 'complete:0': 0 nodes; want at least 1");
    if (nodes > nodes_max)
        throw RequestError(
            fmt::format("topology 'complete:{}': {} nodes; want at most {} (2^40)", nodes, nodes, nodes_max));
    if (nodes > Complete::complete_nodes_max)
        throw DoesNotFit(
            fmt::format("topology 'complete:{}': {} ports a node, and ports are counted in 32 bits; "
                        "complete graphs end at {} nodes",
                        nodes, nodes - 1, Complete::complete_nodes_max));
    return nodes;
}

}  // namespace

Complete::Complete(NodeId nodes) : Complete(fmt::format("complete:{}", nodes), nodes) {}

Complete::Complete(std::string spec, NodeId nodes)
    : RegularTopology(std::move(spec), checked_nodes(nodes), static_cast<Port>(nodes - 1)) {}

std::vector<std::uint64_t> Complete::distance_profile(NodeId) const {
    if (nodes() == 1) return {1};
    return {1, nodes() - 1};
}

std::vector<TopologyFamily> families_in_complete() {
    return {{.name = "complete",
             .form = "complete:N",
             .about = "N nodes, each wired to every other",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 return std::make_shared<const Complete>(given.number({"number of nodes", 1, nodes_max}));
             },
             .members = [](NodeId nodes) { return std::vector{std::to_string(nodes)}; },
             .also = {"clique", "full", "k", "fullyconnected", "fullmesh"},
             .weight = 5,
             .drawn = DrawnAs::circle}};
}

}  // namespace kport
