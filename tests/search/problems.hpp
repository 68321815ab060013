/// @file problems.hpp   Problems for the tests: of the reference's rows, and on random graphs.
#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <rapidcheck/gtest.h>

#include "app/search/problem.hpp"
#include "emulator/topology/stored_graph.hpp"
#include "tests/oracle/table.hpp"

namespace kport::search {

inline Mode mode_in(const std::string& word) {
    return word == "telephone" ? Mode::telephone : word == "telegraph" ? Mode::telegraph : Mode::kport;
}

/// A row of exact.csv.
inline Problem problem_in(const oracle::Row& row) {
    Problem problem;
    problem.topology = make_topology(row["topology"]);
    problem.operation = operation_named(row["operation"]);
    problem.ports = PortLimit(static_cast<Port>(row.number("ports")));
    problem.mode = mode_in(row["mode"]);
    if (problem.gossip()) return problem;
    std::istringstream sources(row["sources"]);
    problem.sources.clear();
    for (NodeId source = 0; sources >> source;) problem.sources.push_back(source);
    return problem;
}

inline Problem broadcast_on(std::string_view topology, std::vector<NodeId> sources = {0}, Port ports = 1) {
    Problem problem;
    problem.topology = make_topology(topology);
    problem.sources = std::move(sources);
    problem.ports = PortLimit(ports);
    return problem;
}
inline Problem gossip_on(std::string_view topology, Mode mode) {
    Problem problem;
    problem.topology = make_topology(topology);
    problem.operation = Operation::allgather;
    problem.mode = mode;
    return problem;
}

inline std::string told(const oracle::Row& row) {
    return fmt::format("{} {} on {} from {}, {} ports {}", row.place(), row["operation"], row["topology"],
                       row["sources"], row["ports"], row["mode"]);
}

/// A random tree, and some links more; of 2 to `most` nodes.
inline std::shared_ptr<const Topology> any_graph(Node32 most, bool tree = false) {
    const Node32 nodes = *rc::gen::inRange<Node32>(2, most + 1);
    std::vector<StoredGraph::Link> links;
    std::string spec = "any:";
    const auto add = [&](Node32 a, Node32 b) {
        links.push_back({a, b});
        spec += fmt::format("{}-{},", a, b);
    };
    for (Node32 v = 1; v < nodes; ++v) add(*rc::gen::inRange<Node32>(0, v), v);
    for (Node32 v = 1; v < nodes && !tree; ++v)
        for (Node32 w = 0; w < v; ++w) {
            const bool there = std::ranges::any_of(links, [&](const auto& l) { return l.a == w && l.b == v; });
            if (!there && *rc::gen::inRange(0, 4) == 0) add(w, v);
        }
    return std::make_shared<StoredGraph>(spec, nodes, links);
}

/// From 1 to 3 sources, through 1 to 3 ports.
inline Problem any_broadcast(Node32 nodes_max) {
    Problem problem;
    problem.topology = any_graph(nodes_max);
    std::set<NodeId> sources;
    for (auto count = *rc::gen::inRange(1, 4); count > 0; --count)
        sources.insert(*rc::gen::inRange<NodeId>(0, problem.topology->nodes()));
    problem.sources.assign(sources.begin(), sources.end());
    problem.ports = PortLimit(*rc::gen::inRange<Port>(1, 4));
    return problem;
}

inline std::string told(const Problem& problem) {
    return fmt::format("{} from {} nodes, {} ports, {}", problem.topology->spec(), problem.sources.size(),
                       problem.ports.text(), name(problem.mode));
}

}  // namespace kport::search
