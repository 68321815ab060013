#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "algorithms/bounds/arguments.hpp"
#include "algorithms/bounds/schedules.hpp"

namespace kport::bounds {
namespace {

/// Returns the volume of the dimension-ordered tree where the root sends in every round and no other node sends more.
/// Through one port: arms of at most two links in every dimension, and one of two beside one of one, so that forwarding
/// takes no extra time. Through two ports: two arms of one link.
std::optional<Count> dost_packets(const Facts& facts) {
    if (facts.ports > 2) return std::nullopt;
    for (int i = 0; i < facts.grid->dimensions(); ++i) {
        const Grid::Arms arms = facts.grid->arms(i, facts.grid->coordinate(facts.root, i));
        const NodeId longer = std::max(arms.plus, arms.minus);
        const NodeId shorter = std::min(arms.plus, arms.minus);
        if (facts.ports == 2 ? longer != shorter || longer > 1 : longer > 1 + shorter || longer > 2 || shorter > 1)
            return std::nullopt;
    }
    return (facts.nodes - 1) / facts.ports;
}

bool one_dimensional(const Facts& facts) {
    return facts.grid != nullptr && (facts.grid->kind() == GridKind::line || facts.grid->kind() == GridKind::ring);
}

/// Returns the largest number of nodes behind a link of the root; nothing where links are not bridges.
std::optional<Count> largest_branch(const Facts& facts) {
    if (one_dimensional(facts) && !facts.grid->wraps()) return facts.eccentricity;
    if (facts.tree == nullptr) return std::nullopt;
    const int below = facts.tree->height() - CompleteBinaryTree::depth(facts.root);
    const Count child = (Count{1} << below) - 1;
    const Count above = facts.nodes - (2 * child + 1);
    return std::max(child, above);
}

/// Returns the size of the root's largest subtree of the topology's routes; nothing without a closed form.
std::optional<Count> largest_subtree(const Facts& facts) {
    if (facts.hypercube()) return facts.nodes / 2;
    if (facts.grid == nullptr) return largest_branch(facts);
    Count largest = 0;  // routes correct the first dimension first
    for (int i = 0; i < facts.grid->dimensions(); ++i) {
        const Grid::Arms arms = facts.grid->arms(i, facts.grid->coordinate(facts.root, i));
        largest = std::max(largest, Count{std::max(arms.plus, arms.minus)} * facts.grid->stride(i));
    }
    return largest;
}

/// Adds schedules with messages of one packet, lawful with combining as well.
void add_single_packets(const Facts& facts, std::vector<KnownSchedule>& known) {
    const Count others = facts.nodes - 1;
    const Count through_all = ceil_div(others, facts.ports);
    const Count distances = distances_from(facts, facts.root);
    const auto single = [&](std::string name, Count rounds, std::optional<Count> work, std::optional<Count> hops) {
        known.push_back({std::move(name), rounds, work, hops, rounds});
    };
    if (facts.nodes == 2) single("a single message", 1, 1, 1);
    if (facts.exchanges()) single(through_one_port("pipeline", facts), others, distances, others);
    if (const auto subtree = largest_subtree(facts); subtree && facts.full_duplex)
        single("pipeline", std::max(through_all, *subtree), distances, std::max(through_all, *subtree));
    if (!facts.store_and_forward && facts.graph.vertex_symmetric())  // as many edge-disjoint paths as ports, by Menger
        single("sending to k nodes at a time along edge-disjoint paths", through_all, std::nullopt, std::nullopt);
    if (one_dimensional(facts) && facts.ports >= 2)
        single("a pipeline in both directions", facts.eccentricity, distances, facts.eccentricity);
    if (facts.hypercube() && facts.every_port && facts.full_duplex)
        single("the balanced tree of Bertsekas et al. 1991", through_all, std::nullopt, through_all);
    if (const auto branch = largest_branch(facts);
        branch && facts.tree != nullptr && facts.every_port && facts.full_duplex)
        single("pipeline", *branch, distances, branch);
    if (!facts.machine.combining) known.push_back({"packets one after the other", {}, distances, {}, {}});
}

/// Adds every broadcast, with all packets for a subtree in one bundle.
void add_bundled_broadcasts(const Facts& facts, std::vector<KnownSchedule>& known) {
    for (KnownSchedule& tree : known_broadcasts(facts)) {
        const bool has_bundles = tree.name == "dost";  // named like the algorithm
        tree.packets = has_bundles ? dost_packets(facts) : std::nullopt;
        if (!has_bundles) tree.name += " with a bundle for each subtree";
        known.push_back(std::move(tree));
    }
}

}  // namespace

std::vector<KnownSchedule> known_scatters(const Facts& facts) {
    std::vector<KnownSchedule> known;
    if (facts.machine.combining) add_bundled_broadcasts(facts, known);
    add_single_packets(facts, known);
    return known;
}

std::optional<Refutation> refute_scatter_packets(const Facts& facts, Count bound) {
    const std::optional<Count> branch = largest_branch(facts);
    if (!branch) return std::nullopt;
    const Count packets = *branch * facts.packets_each;
    if (packets <= bound) return std::nullopt;
    return Refutation{packets, fmt::format("{} share one link of node {}", counted(packets, "packet", "packets"),
                                           facts.node(facts.root))};
}

}  // namespace kport::bounds
