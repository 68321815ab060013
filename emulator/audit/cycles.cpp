#include "emulator/audit/cycles.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace kport {

std::vector<std::vector<NodeId>> waiting_cycles(const std::vector<Violation>& violations) {
    // A node of which several strands wait for others would be in several cycles, so it is left out.
    std::map<NodeId, NodeId> waits_for;
    std::set<NodeId> several;
    for (const Violation& violation : violations)
        if (violation.breach == Breach::waits_for_ever && violation.other != no_node &&
            !waits_for.emplace(violation.node, violation.other).second)
            several.insert(violation.node);
    for (const NodeId v : several) waits_for.erase(v);

    // Every node waits for at most one other: the chain from any node ends or runs into a cycle.
    std::set<NodeId> seen;
    std::vector<std::vector<NodeId>> cycles;
    for (const auto& [start, unused] : waits_for) {
        std::vector<NodeId> way;
        NodeId at = start;
        while (waits_for.contains(at) && seen.insert(at).second) {
            way.push_back(at);
            at = waits_for[at];
        }
        const auto closed = std::find(way.begin(), way.end(), at);
        if (closed == way.end()) continue;  // the chain ended, or met an earlier one
        std::vector<NodeId> cycle(closed, way.end());
        std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
        cycles.push_back(std::move(cycle));
    }
    std::sort(cycles.begin(), cycles.end());
    return cycles;
}

std::string cycle_in_words(const std::vector<NodeId>& cycle, const Topology& topology) {
    constexpr std::size_t told_max = 8;
    std::string text;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
        if (cycle.size() > told_max && i == told_max - 1) {
            text += fmt::format(", and so on through {} nodes, ", cycle.size());
            i = cycle.size() - 1;
        } else if (i > 0) {
            text += ", ";
        }
        text += fmt::format("node {} waits for node {}", topology.name(cycle[i]),
                            topology.name(cycle[(i + 1) % cycle.size()]));
    }
    return text;
}

}  // namespace kport
