/// @file references.hpp   The questions of the tables of least costs.
#pragma once

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/search/question.hpp"
#include "emulator/topology/stored_graph.hpp"
#include "tests/oracle/table.hpp"

namespace kport::search {

using oracle::Row;

/// "edges:0-1 0-2" or a family.
inline std::shared_ptr<const Topology> topology_in(const std::string& spec) {
    const std::string prefix = "edges:";
    if (!spec.starts_with(prefix)) return make_topology(spec);
    std::vector<StoredGraph::Link> links;
    std::istringstream words(spec.substr(prefix.size()));
    NodeId nodes = 0;
    for (std::string word; words >> word;) {
        const std::size_t dash = word.find('-');
        const auto a = static_cast<Node32>(std::stoul(word.substr(0, dash)));
        const auto b = static_cast<Node32>(std::stoul(word.substr(dash + 1)));
        links.push_back({a, b});
        nodes = std::max<NodeId>(nodes, std::max(a, b) + 1);
    }
    return std::make_shared<StoredGraph>(spec, nodes, links);
}

inline Question question_in(const Row& row) {
    Question question;
    question.machine.topology = topology_in(row["topology"]);
    const Operation operation = operation_named(row["operation"]);
    question.collective = Collective::of(operation, 0, 64);
    if (row.has("permutation")) question.collective.permutation = permutation_named(row["permutation"]);
    if (!row.has("ports")) return question;
    if (row["ports"] != "all") question.machine.ports = PortLimit(static_cast<Port>(row.number("ports")));
    if (row["ports"] == "all") question.machine.ports = PortLimit::all();
    if (row.has("source")) question.collective.root = row.number("source");
    if (!operation.signals()) question.collective.packets_each = row.number("packets");
    if (!row.has("duplex")) return question;
    if (row["duplex"] == "half") question.machine.duplex = Duplex::half;
    question.machine.pairwise = row.yes("pairwise");
    question.machine.combining = row.yes("combining");
    return question;
}

inline std::string told_of(const Row& row) {
    return fmt::format("{} {} on {}", row.place(), row["operation"], row["topology"]);
}

/// Names a test after its operation.
inline std::string name_of_operation(const testing::TestParamInfo<const char*>& operation) {
    std::string name = operation.param;
    std::erase(name, '-');
    return name;
}

}  // namespace kport::search
