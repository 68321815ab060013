/// @file random_graph.hpp   Connected graphs drawn by dice: a random tree and some more links.
#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "emulator/base/random.hpp"
#include "emulator/topology/stored_graph.hpp"

namespace kport::test {

/// Its name lists the links; at most `more` beside the tree.
inline std::shared_ptr<const Topology> random_graph(Dice& dice, NodeId nodes, std::uint64_t more) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> links;
    for (std::uint32_t v = 1; v < nodes; ++v) links.emplace(static_cast<std::uint32_t>(dice.below(v)), v);
    for (std::uint64_t i = dice.below(more + 1); i > 0; --i) {
        const auto a = static_cast<std::uint32_t>(dice.below(nodes));
        const auto b = static_cast<std::uint32_t>(dice.below(nodes));
        if (a != b) links.emplace(std::min(a, b), std::max(a, b));
    }
    std::string name = "random";
    std::vector<StoredGraph::Link> all;
    for (const auto& [a, b] : links) {
        all.push_back({a, b});
        name += fmt::format(" {}-{}", a, b);
    }
    return std::make_shared<StoredGraph>(name, nodes, all);
}

}  // namespace kport::test
