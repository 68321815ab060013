#include "algorithms/bounds/cuts.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "algorithms/bounds/arguments.hpp"
#include "algorithms/bounds/kept.hpp"

namespace kport::bounds {

std::vector<std::uint64_t> Joint::parts() const {
    std::vector<std::uint64_t> sizes;
    for (const CutPart& part : behind) sizes.push_back(part.nodes);
    if (before > 0) sizes.push_back(before);
    return sizes;
}

NarrowPlaces::NarrowPlaces(const Topology& graph, NodeId start) {
    struct Visit {
        NodeId node;
        NodeId parent;
        Port left;  ///< links not visited yet
        Port next = 0;
        std::uint64_t low;        ///< the least number that its subtree reaches by a back edge
        Hops farthest;            ///< from the start of the search, in its subtree
        std::uint64_t size = 1;   ///< of its subtree
        std::uint64_t links = 1;  ///< from its subtree to its parent
        std::vector<CutPart> behind = {};
    };
    const std::uint64_t nodes = graph.nodes();
    std::vector<std::uint64_t> number(nodes, 0);  // order of the search, from 1; 0: not found
    std::vector<std::size_t> place(nodes);        // index among the open ones
    std::vector<Visit> open;
    std::uint64_t found = 0;
    const auto enter = [&](NodeId v, NodeId parent) {
        number[v] = ++found;
        place[v] = open.size();
        open.push_back({v, parent, graph.degree(v), 0, number[v], graph.distance(start, v)});
    };
    enter(start, no_node);
    while (!open.empty()) {
        Visit& visit = open.back();
        if (visit.left > 0) {
            const NodeId w = graph.across(visit.node, visit.next++).node;
            if (w == no_node) continue;
            --visit.left;
            if (w == visit.parent) continue;
            if (number[w] == 0) {
                enter(w, visit.node);
                continue;
            }
            visit.low = std::min(visit.low, number[w]);
            // Links outside the tree join a node and an open node above it.
            if (number[w] < number[visit.node]) ++open[place[w] + 1].links;
            continue;
        }
        Visit done = std::move(visit);
        open.pop_back();
        std::uint64_t cut_off = 1;  // its parts and itself
        for (const CutPart& part : done.behind) cut_off += part.nodes;
        const std::size_t parts = done.behind.size() + (cut_off < nodes ? 1 : 0);
        if (!done.behind.empty() && parts >= 2) joints.push_back({done.node, std::move(done.behind), nodes - cut_off});
        if (open.empty()) break;
        Visit& parent = open.back();
        parent.size += done.size;
        parent.low = std::min(parent.low, done.low);
        parent.farthest = std::max(parent.farthest, done.farthest);
        // All paths into a part lead through the cut node, so it is that much nearer.
        if (done.low >= number[parent.node])
            parent.behind.push_back({done.size, done.links, done.farthest - graph.distance(start, parent.node)});
        if (done.low > number[parent.node])
            behind_bridge = std::max(behind_bridge, std::min(done.size, nodes - done.size));
    }
}

namespace {

/// Vertex-transitive graphs have none.
std::optional<NarrowPlaces> narrow_places(const Facts& facts) {
    const bool is_wide = facts.graph.vertex_symmetric() && facts.nodes > 2;
    if (is_wide || facts.nodes > searched_nodes_max) return std::nullopt;
    return NarrowPlaces(facts.graph);
}

/// The limit of what a cut node hands on: it sends the packets of an allgather, receives those of its reversal, and has as many to
/// send as to receive in an all-to-all exchange.
std::uint64_t ports_past_cut(const Facts& facts, NodeId v) {
    if (facts.is_even()) return facts.ports_of(v);
    if (facts.operation == Operation::allgather) return facts.machine.sends_of(v);
    return facts.operation == Operation::reduce_scatter ? facts.machine.receives_of(v) : facts.machine.ports_of(v);
}

/// Returns the cut node through whose ports the most packets must go; sent(parts) counts them.
template <class Sent>
std::vector<Reason> through_joints(const Facts& facts, const NarrowPlaces& places, const Sent& sent) {
    const Joint* best = nullptr;
    const auto ports_of = [&](NodeId v) { return ports_past_cut(facts, v); };
    const auto volume = [&](const Joint& joint) {
        return ceil_div(facts.packets_each * sent(joint.parts()), ports_of(joint.node));
    };
    for (const Joint& joint : places.joints)
        if (best == nullptr || volume(joint) > volume(*best)) best = &joint;
    if (best == nullptr || !facts.store_and_forward) return {};
    const std::uint64_t ports = ports_of(best->node);
    const std::string packets = counted(facts.packets_each * sent(best->parts()), "packet", "packets");
    return {{.name = fmt::format("{} sent through {} of node {}", packets, counted(ports, "port", "ports"),
                                 facts.node(best->node)),
             .value = volume(*best),
             .why = fmt::format(
                 "Without node {} the graph falls into {} parts: it must send {}, its own and those from one part "
                 "for another, and in a round each port sends at most the round's largest bundle.",
                 facts.node(best->node), best->parts().size(), packets),
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
        return all + (all * all - within);  // its own, and those between parts
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

namespace {

/// What a cut node must do with each packet, whatever their number.
struct Passing {
    NodeId node;
    std::uint64_t parts;
    Count after;  ///< rounds that the fastest part still needs after its first node has its last packet
};

Passing passing(const Facts& facts, NodeId node, const std::vector<CutPart>& behind) {
    const auto after = [&](const CutPart& part) {
        const Count spread = part.links == 1 ? ceil_log(facts.ports + 1, part.nodes) : 0;
        return std::max<Count>(part.farthest - 1, spread);
    };
    return {node, behind.size(), after(*std::ranges::min_element(behind, {}, after))};
}

std::vector<Passing> passings(const Facts& facts) {
    const NarrowPlaces places(facts.graph, facts.root);
    std::vector<Passing> found;
    for (const Joint& joint : places.joints) found.push_back(passing(facts, joint.node, joint.behind));
    // The root sends into every part, even if there is only one.
    const bool is_joint = std::ranges::find(found, facts.root, &Passing::node) != found.end();
    if (!found.empty() && !is_joint)
        found.push_back(
            passing(facts, facts.root, {{facts.nodes - 1, facts.graph.degree(facts.root), facts.eccentricity}}));
    return found;
}

}  // namespace

std::optional<Reason> cut_vertex(const Facts& facts) {
    if (!facts.store_and_forward || facts.graph.channels() > walked_channels_max || facts.graph.vertex_symmetric())
        return std::nullopt;
    static Kept<std::vector<Passing>> kept;
    const auto found = kept.of(facts, passings);
    if (found->empty()) return std::nullopt;
    const auto away = [&](const Passing& at) { return Count{facts.graph.distance(facts.root, at.node)}; };
    const auto rounds = [&](const Passing& at) {
        return away(at) + ceil_div(Count{at.parts} * facts.packets_each, facts.ports_of(at.node)) + at.after;
    };
    const Passing& longest = *std::ranges::max_element(*found, {}, rounds);
    return Reason{
        fmt::format("cut vertex {}: {} + ceil({} / {}) + {}", facts.node(longest.node), away(longest),
                    Count{longest.parts} * facts.packets_each, facts.ports_of(longest.node), longest.after),
        rounds(longest),
        fmt::format("{}node {}, {} away, sends each of the {} packets into {} behind it, and the one that comes last "
                    "has {} to go.",
                    facts.inwards() ? "Reversed in time: " : "", facts.node(longest.node),
                    counted(away(longest), "link", "links"), facts.packets_each,
                    counted(longest.parts, "part", "parts"), counted(longest.after, "round", "rounds")),
        "model section 13.1"};
}

}  // namespace kport::bounds
