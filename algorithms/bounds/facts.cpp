#include "algorithms/bounds/facts.hpp"

#include <fmt/format.h>

#include "emulator/base/error.hpp"

namespace kport::bounds {
namespace {

constexpr Hops profile_hops_max = Hops{1} << 20;

/// One partner a round is one link in store-and-forward, which carries a message each way where it is no trunk. Over wormhole paths several
/// messages may come at once.
Port most_to_a_partner(const Machine& machine) {
    const bool is_one_link = machine.pairwise && machine.switching == Switching::store_and_forward;
    return is_one_link && machine.topology->fabric() == nullptr ? 1 : no_port;
}

}  // namespace

Port limit_that_counts(const PortLimit& ports, const Operation& operation) {
    if (!operation.rooted()) return ports.k();
    return operation.inwards() ? ports.receives() : ports.sends();
}

Port limit_of_data(const PortLimit& ports, const Operation& operation) {
    if (operation == Operation::allgather) return ports.receives();
    if (operation == Operation::reduce_scatter) return ports.sends();
    return limit_that_counts(ports, operation);
}

std::uint64_t Facts::ports_back(NodeId v) const {
    if (is_even()) return ports_of(v);
    return inwards() ? machine.sends_of(v) : machine.receives_of(v);
}

std::uint64_t Facts::own_ports_of(NodeId v) const {
    return std::min(limit_that_counts(machine.limits_of(v), operation), most_to_a_partner(machine));
}

std::uint64_t Facts::data_ports_of(NodeId v) const {
    const Port limit = std::min(limit_of_data(machine.limits_of(v), operation), most_to_a_partner(machine));
    return std::min(limit, graph.width(v));
}

Facts facts_of(const Machine& machine, const Collective& collective) {
    const Topology& graph = *machine.topology;
    if (collective.root >= graph.nodes())
        throw RequestError(fmt::format("node {} does not exist: {} has nodes 0 .. {}", collective.root, graph.spec(),
                                       graph.nodes() - 1));
    // One partner a round is one link in store-and-forward. Over wormhole paths several messages may come at once.
    const bool one_link = machine.pairwise && machine.switching == Switching::store_and_forward;
    const auto limit = [&](const PortLimit& ports) {
        return one_link ? Port{1} : limit_that_counts(ports, collective.operation);
    };
    const Port ports = std::min(limit(machine.highest_ports()), graph.max_width());
    const bool full_links = machine.links == Duplex::full;
    const bool sizes_differ = collective.has_sizes();
    return {
        .machine = machine,
        .graph = graph,
        .operation = collective.operation,
        .root = collective.root,
        .packet_bytes = sizes_differ ? 1 : collective.packet_bytes,
        .packets_each = collective.packets_each,
        .counts = collective.counts,
        .members = collective.members,
        .permutation = collective.permutation,
        .neighbours = collective.neighbours != nullptr ? collective.neighbours : fitted(collective, graph).neighbours,
        .promise = collective.is_own() && !collective.own()->file.empty() ? &collective : nullptr,
        .nodes = graph.nodes(),
        .ports = ports,
        .root_ports = std::min(limit(machine.limits_of(collective.root)), graph.width(collective.root)),
        .every_port = ports == graph.max_width(),
        .store_and_forward = machine.switching == Switching::store_and_forward,
        .full_duplex = machine.duplex == Duplex::full,
        .full_links = full_links,
        .swaps = full_links && (machine.duplex == Duplex::full || machine.ports.of_degree(graph.max_width()) >= 2),
        .eccentricity = graph.eccentricity(collective.root),
        .grid = dynamic_cast<const Grid*>(&graph),
        .tree = dynamic_cast<const CompleteBinaryTree*>(&graph),
        .in_runs = collective.in_runs && !collective.scans()};
}

Facts with_known_schedules(const Facts& facts) {
    Facts less = facts;
    if (facts.machine.node_ports != nullptr) {
        const Port common = limit_that_counts(facts.machine.common_ports(), facts.operation);
        less.ports = std::min(common, facts.graph.max_degree());
        less.root_ports = std::min(common, facts.graph.degree(facts.root));
        less.every_port = less.ports == facts.graph.max_degree();
    }
    if (!facts.machine.pairwise) return less;
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
