#include "app/search/question.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "algorithms/bounds/counting.hpp"
#include "emulator/base/numbers.hpp"

namespace kport::search {
namespace {

constexpr std::uint32_t chain_rounds_max = 4096;  // beyond it counting chains takes long

struct Degrees {
    std::vector<std::uint64_t> of_sources;
    std::vector<std::uint64_t> others;  ///< number of nodes of degree d, at [d]
};

Degrees degrees_of(const Graph& graph, std::span<const std::uint32_t> distance) {
    Degrees degrees;
    degrees.others.resize(std::size_t{graph.max_degree()} + 1);
    for (Node32 v = 0; v < graph.nodes(); ++v)
        if (distance[v] == 0)
            degrees.of_sources.push_back(graph.degree(v));
        else
            ++degrees.others[graph.degree(v)];
    return degrees;
}

/// Returns, at [d], how many nodes are d links or more from the sources, without these.
std::vector<std::uint64_t> far_nodes_of(std::span<const std::uint32_t> distance) {
    std::vector<std::uint64_t> far(std::size_t{*std::ranges::max_element(distance)} + 1);
    for (const std::uint32_t d : distance)
        if (d > 0) ++far[d];
    for (std::size_t d = far.size() - 1; d-- > 0;) far[d] += far[d + 1];
    return far;
}

/// Returns the least rounds in which chains of sends reach all nodes, at least the given bound.
std::uint64_t rounds_by_chains(const Graph& graph, std::span<const std::uint32_t> distance, const Degrees& degrees,
                               Port ports) {
    std::uint64_t highest = degrees.others.size() - 1;
    while (highest > 0 && degrees.others[highest] == 0) --highest;
    const std::vector<std::uint64_t> far = far_nodes_of(distance);
    if (far.size() > chain_rounds_max) return 0;
    bounds::Chains chains(degrees.of_sources, highest, ports, graph.nodes());
    while (chains.rounds() < chain_rounds_max && !chains.reach(far)) chains.advance();
    return chains.rounds();
}

std::vector<Argument> of_broadcast(const Graph& graph, std::span<const Node32> sources, Port ports) {
    const std::vector<std::uint32_t> distance = graph.distances(sources);
    const Degrees degrees = degrees_of(graph, distance);
    const std::uint32_t eccentricity = *std::ranges::max_element(distance);
    std::uint64_t fan_out = 0;
    for (std::uint64_t reached = sources.size(); reached < graph.nodes(); reached *= std::uint64_t{ports} + 1)
        ++fan_out;
    return {
        {"eccentricity", static_cast<double>(eccentricity),
         fmt::format("A message crosses one link a round, and the node farthest from the sources is {} away.",
                     counted(eccentricity, "link")),
         "Lemma 1"},
        {"fan-out", static_cast<double>(fan_out),
         fmt::format("In a round the number of informed nodes grows at most {}-fold, from {} to {}.", ports + 1,
                     sources.size(), graph.nodes()),
         "Lemma 1"},
        {"degrees", static_cast<double>(bounds::rounds_by_degrees(degrees.of_sources, degrees.others, ports)),
         "A source sends to as many others as it has links, every other node to one less, and even if those of highest "
         "degree learn first it takes so many rounds until all have learned.",
         "Liestman, Peters 1988"},
        {"chains", static_cast<double>(rounds_by_chains(graph, distance, degrees, ports)),
         "A node is named by its chain of sends, by how long each waited and which of at most k it was; fewer rounds "
         "have "
         "fewer names for chains as long as the way than there are nodes so far away.",
         "compositions of the round"},
    };
}

/// Returns the largest value of each argument over all sources.
std::vector<Argument> of_broadcasts_from_all(const Graph& graph, Port ports) {
    std::vector<Argument> most;
    for (Node32 v = 0; v < graph.nodes(); ++v) {
        std::vector<Argument> arguments = of_broadcast(graph, {&v, 1}, ports);
        if (most.empty()) most = arguments;
        for (std::size_t i = 0; i < most.size(); ++i)
            if (arguments[i].value > most[i].value) most[i] = std::move(arguments[i]);
    }
    for (Argument& argument : most) argument.why += " So for one packet of the gossip.";
    return most;
}

std::vector<Argument> of_gossip(const Graph& graph, Mode mode, Port ports) {
    constexpr std::uint64_t work_max = std::uint64_t{1} << 28;
    const std::uint64_t nodes = graph.nodes();
    const Node32 first = 0;
    std::vector<Argument> arguments = nodes * graph.channels() <= work_max ? of_broadcasts_from_all(graph, ports)
                                                                           : of_broadcast(graph, {&first, 1}, ports);
    if (mode == Mode::telephone && nodes % 2 == 1 && nodes > 1)
        arguments.push_back(
            {"an odd number of nodes", static_cast<double>(bounds::ceil_log(2, nodes) + 1),
             "In the last round one node has no partner: it knows everything a round before, and in r rounds "
             "no node hears of more than 2^r nodes.",
             "Knoedel 1975"});
    return arguments;
}

}  // namespace

std::vector<Argument> lower_bounds_of(const Problem& problem, const Graph& graph) {
    std::vector<Argument> arguments;
    if (problem.gossip()) {
        arguments = of_gossip(graph, problem.mode, problem.widest());
    } else {
        const std::vector<Node32> sources(problem.sources.begin(), problem.sources.end());
        arguments = of_broadcast(graph, sources, problem.widest());
    }
    std::ranges::stable_sort(arguments, std::ranges::greater(), &Argument::value);
    return arguments;
}

Round bound_of(const std::vector<Argument>& arguments) { return static_cast<Round>(arguments.front().value); }

}  // namespace kport::search
