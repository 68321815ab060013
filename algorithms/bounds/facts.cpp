#include "algorithms/bounds/facts.hpp"

#include <fmt/format.h>

#include "emulator/base/error.hpp"

namespace kport::bounds {
namespace {

constexpr Hops profile_hops_max = Hops{1} << 20;

}  // namespace

Facts facts_of(const Machine& machine, const Collective& collective) {
    const Topology& graph = *machine.topology;
    if (collective.root >= graph.nodes())
        throw RequestError(fmt::format("node {} does not exist: {} has nodes 0 .. {}", collective.root, graph.spec(),
                                       graph.nodes() - 1));
    // One partner a round is one link in store-and-forward. Over wormhole paths several messages may come at once.
    const bool one_link = machine.pairwise && machine.switching == Switching::store_and_forward;
    const PortLimit ports = one_link ? PortLimit(1) : machine.ports;
    const bool full_links = machine.links == Duplex::full;
    return {.machine = machine,
            .graph = graph,
            .operation = collective.operation,
            .root = collective.root,
            .packet_bytes = collective.packet_bytes,
            .packets_each = collective.packets_each,
            .permutation = collective.permutation,
            .nodes = graph.nodes(),
            .ports = ports.of_degree(graph.max_degree()),
            .root_ports = ports.of_degree(graph.degree(collective.root)),
            .every_port = ports.of_degree(graph.max_degree()) == graph.max_degree(),
            .store_and_forward = machine.switching == Switching::store_and_forward,
            .full_duplex = machine.duplex == Duplex::full,
            .full_links = full_links,
            .swaps = full_links && (machine.duplex == Duplex::full || machine.ports.of_degree(graph.max_degree()) >= 2),
            .eccentricity = graph.eccentricity(collective.root),
            .grid = dynamic_cast<const Grid*>(&graph),
            .tree = dynamic_cast<const CompleteBinaryTree*>(&graph),
            .in_runs = collective.in_runs && !collective.scans()};
}

Facts with_known_schedules(const Facts& facts) {
    if (!facts.machine.pairwise) return facts;
    Facts less = facts;
    less.ports = PortLimit(1).of_degree(facts.graph.max_degree());
    less.root_ports = PortLimit(1).of_degree(facts.graph.degree(facts.root));
    less.every_port = less.ports == facts.graph.max_degree();
    less.full_duplex = false;
    return less;
}

NodeId middle_of(const Topology& graph) {
    const auto* grid = dynamic_cast<const Grid*>(&graph);
    NodeId middle = 0;
    for (int i = 0; grid != nullptr && !grid->wraps() && i < grid->dimensions(); ++i)
        middle = grid->with_coordinate(middle, i, grid->side(i) / 2);
    return middle;
}

std::optional<NodeId> first_gap(const Topology& graph) {
    constexpr NodeId tried_max = NodeId{1} << 16;
    const NodeId last = graph.nodes() - 1;
    const auto* grid = dynamic_cast<const Grid*>(&graph);
    const bool is_row = grid != nullptr && (grid->kind() == GridKind::line || grid->kind() == GridKind::ring);
    if (is_row || graph.family() == "complete") return last;
    for (NodeId v = 0; v < std::min(last, tried_max); ++v)
        if (graph.port_to(v, v + 1) == no_port) return v;
    return last <= tried_max ? std::optional(last) : std::nullopt;
}

const FarNodes& Facts::far() const {
    if (!far_if_known) far_if_known = std::make_shared<const FarNodes>(far_nodes(graph, root));
    return *far_if_known;
}

FarNodes far_nodes(const Topology& graph, NodeId v) {
    if (graph.eccentricity(v) > profile_hops_max) return std::nullopt;
    try {
        std::vector<std::uint64_t> far = graph.distance_profile(v);
        for (std::size_t d = far.size() - 1; d-- > 0;) far[d] += far[d + 1];
        return far;
    } catch (const DoesNotFit&) {
        return std::nullopt;
    }
}

}  // namespace kport::bounds
