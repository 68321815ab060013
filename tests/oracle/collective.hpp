/// @file collective.hpp   What a row of a table asks for.
#pragma once

#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/schedule/collective.hpp"
#include "tests/oracle/table.hpp"

namespace kport::oracle {

/// "0,3,5-9"
inline std::vector<NodeId> nodes_of(const std::string& text) {
    std::vector<NodeId> nodes;
    std::istringstream list(text);
    for (std::string word; std::getline(list, word, ',');) {  // "5" or "0-4"
        const std::size_t hyphen = word.find('-');
        const NodeId last = std::stoull(hyphen == std::string::npos ? word : word.substr(hyphen + 1));
        for (NodeId v = std::stoull(word); v <= last; ++v) nodes.push_back(v);
    }
    return nodes;
}

inline Collective collective_of(const Row& row, std::uint64_t packet_bytes) {
    Collective collective =
        Collective::of(operation_named(row["operation"]), row.has("source") ? row.number("source") : 0, packet_bytes);
    if (row.has("packets")) collective.packets_each = row.number("packets");
    constexpr std::string_view permutation = "--permutation ";
    if (row["options"].starts_with(permutation))
        collective.permutation = permutation_named(row["options"].substr(permutation.size()));
    constexpr std::string_view counts = "--counts ";
    if (row["options"].starts_with(counts))
        collective = counting(collective, std::make_shared<const Counts>(
                                              counts_named(row["options"].substr(counts.size()), row["operation"],
                                                           row.number("nodes"), collective.operation->counted_for, 1)));
    constexpr std::string_view sources = "--sources ";
    if (row["options"].starts_with(sources))
        collective = broadcast_from(collective, nodes_of(row["options"].substr(sources.size())), row.number("nodes"));
    return collective;
}

}  // namespace kport::oracle
