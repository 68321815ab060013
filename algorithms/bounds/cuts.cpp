#include "algorithms/bounds/cuts.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "algorithms/bounds/arguments.hpp"

namespace kport::bounds {

NarrowPlaces::NarrowPlaces(const Topology& graph) {
    struct Visit {
        NodeId node;
        NodeId parent;
        Port next = 0;
        std::uint64_t low;       ///< the least number that its subtree reaches past it
        std::uint64_t size = 1;  ///< of its subtree
        std::vector<std::uint64_t> parts = {};
    };
    const std::uint64_t nodes = graph.nodes();
    std::vector<std::uint64_t> number(nodes, 0);  // in the order of the search, from 1; 0: not found
    std::uint64_t found = 1;
    number[0] = found;
    std::vector<Visit> open{{0, no_node, 0, 1}};
    while (!open.empty()) {
        Visit& visit = open.back();
        if (visit.next < graph.ports()) {
            const NodeId w = graph.across(visit.node, visit.next++).node;
            if (w == no_node || w == visit.parent) continue;
            if (number[w] != 0) {
                visit.low = std::min(visit.low, number[w]);
                continue;
            }
            number[w] = ++found;
            open.push_back({w, visit.node, 0, number[w]});
            continue;
        }
        Visit done = std::move(visit);
        open.pop_back();
        std::uint64_t cut_off = 1;  // its parts and itself
        for (const std::uint64_t part : done.parts) cut_off += part;
        if (cut_off < nodes && !done.parts.empty()) done.parts.push_back(nodes - cut_off);
        if (done.parts.size() >= 2) joints.push_back({done.node, std::move(done.parts)});
        if (open.empty()) break;
        Visit& parent = open.back();
        parent.size += done.size;
        parent.low = std::min(parent.low, done.low);
        if (done.low >= number[parent.node]) parent.parts.push_back(done.size);
        if (done.low > number[parent.node])
            behind_bridge = std::max(behind_bridge, std::min(done.size, nodes - done.size));
    }
}

namespace {

/// Where all nodes are alike there is none.
std::optional<NarrowPlaces> narrow_places(const Facts& facts) {
    const bool is_wide = facts.graph.vertex_symmetric() && facts.nodes > 2;
    if (is_wide || facts.nodes > searched_nodes_max) return std::nullopt;
    return NarrowPlaces(facts.graph);
}

/// The joint through whose ports the most packets must go; sent(parts) counts them.
template <class Sent>
std::vector<Reason> through_joints(const Facts& facts, const NarrowPlaces& places, const Sent& sent) {
    const Joint* best = nullptr;
    const auto volume = [&](const Joint& joint) {
        return ceil_div(facts.packets_each * sent(joint.parts),
                        std::min<std::uint64_t>(facts.ports, facts.machine.ports_of(joint.node)));
    };
    for (const Joint& joint : places.joints)
        if (best == nullptr || volume(joint) > volume(*best)) best = &joint;
    if (best == nullptr || !facts.store_and_forward) return {};
    const std::uint64_t ports = std::min<std::uint64_t>(facts.ports, facts.machine.ports_of(best->node));
    const std::string packets = counted(facts.packets_each * sent(best->parts), "packet", "packets");
    return {{.name = fmt::format("{} sent through {} of node {}", packets, counted(ports, "port", "ports"),
                                 facts.node(best->node)),
             .value = volume(*best),
             .why = fmt::format(
                 "Without node {} the graph falls into {} parts: it must send {}, its own and those from one part "
                 "for another, and in a round each port sends at most the round's largest bundle.",
                 facts.node(best->node), best->parts.size(), packets),
             .source = "counting at a cut"}};
}

}  // namespace

std::vector<Reason> allgather_through_narrow_places(const Facts& facts) {
    const auto places = narrow_places(facts);
    if (!places) return {};
    return through_joints(facts, *places, [&](const std::vector<std::uint64_t>& parts) {
        Count sent = 0;  // into each part all packets but its own
        for (const std::uint64_t part : parts) sent += facts.nodes - part;
        return sent;
    });
}

std::vector<Reason> alltoall_through_narrow_places(const Facts& facts) {
    const auto places = narrow_places(facts);
    if (!places) return {};
    std::vector<Reason> reasons = through_joints(facts, *places, [](const std::vector<std::uint64_t>& parts) {
        Count all = 0;
        Count within = 0;
        for (const std::uint64_t part : parts) {
            all += part;
            within += Count{part} * part;
        }
        return all + (all * all - within);  // its own, and those from part to part
    });
    const Count half = places->behind_bridge;
    if (half == 0) return reasons;
    const Count crossing = facts.packets_each * half * (facts.nodes - half);
    reasons.push_back(
        {.name = fmt::format("a bridge: {} over one channel", counted(crossing, "packet", "packets")),
         .value = crossing,
         .why = fmt::format("{} must cross the one link between two parts of the graph in one direction, and a "
                            "channel carries at most one message a round.",
                            counted(crossing, "packet", "packets")),
         .source = "counting at a cut"});
    return reasons;
}

}  // namespace kport::bounds
