#include "algorithms/bounds/facts.hpp"

#include <fmt/format.h>

#include "emulator/base/error.hpp"

namespace kport::bounds {
namespace {

constexpr Hops profile_hops_max = Hops{1} << 20;

}  // namespace

Facts facts_of(const Machine& machine, const Request& request) {
    const Topology& graph = *machine.topology;
    if (request.root >= graph.nodes())
        throw RequestError(
            fmt::format("node {} does not exist: {} has nodes 0 .. {}", request.root, graph.spec(), graph.nodes() - 1));
    return {.machine = machine,
            .graph = graph,
            .operation = request.operation,
            .root = request.root,
            .packet_bytes = request.packet_bytes,
            .nodes = graph.nodes(),
            .ports = machine.widest(),
            .root_ports = machine.ports_of(request.root),
            .every_port = machine.widest() == graph.max_degree(),
            .store_and_forward = machine.switching == Switching::store_and_forward,
            .full_duplex = machine.duplex == Duplex::full,
            .eccentricity = graph.eccentricity(request.root),
            .diameter = graph.diameter(),
            .grid = dynamic_cast<const Grid*>(&graph),
            .tree = dynamic_cast<const CompleteBinaryTree*>(&graph)};
}

std::optional<std::vector<std::uint64_t>> far_nodes(const Topology& graph, NodeId v) {
    if (graph.eccentricity(v) > profile_hops_max) return std::nullopt;
    std::vector<std::uint64_t> far = graph.distance_profile(v);
    for (std::size_t d = far.size() - 1; d-- > 0;) far[d] += far[d + 1];
    return far;
}

}  // namespace kport::bounds
