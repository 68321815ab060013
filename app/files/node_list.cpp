#include "app/files/transfer_words.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/broken.hpp"
#include "emulator/topology/members.hpp"

namespace kport {

/// Names in files may have commas: "Los Angeles, CA".
bool names_one(std::string_view source, const Topology& topology) {
    try {
        (void)topology.node(source);
        return true;
    } catch (const RequestError&) {
        return false;
    }
}

std::vector<std::string_view> apart(std::string_view sources) {
    const char between = sources.find(';') == std::string_view::npos ? ',' : ';';
    std::vector<std::string_view> words = split(sources, between);
    if (between == ';' && words.back().empty()) words.pop_back();
    return words;
}

namespace {

/// "5-9" as its first and last; nothing if the word names a node, or is no range.
std::optional<std::pair<NodeId, NodeId>> range_of_nodes(std::string_view word, const Topology& topology) {
    const std::size_t hyphen = word.find('-');
    if (hyphen == std::string_view::npos || names_one(word, topology)) return std::nullopt;
    const auto first = to_count(word.substr(0, hyphen));
    const auto last = to_count(word.substr(hyphen + 1));
    return first && last ? std::optional(std::pair<NodeId, NodeId>(*first, *last)) : std::nullopt;
}

}  // namespace

std::vector<NodeId> nodes_named(std::string_view text, const Topology& topology, std::string_view what) {
    const auto refuse = [&](std::string_view why) {
        throw RequestError(fmt::format("{} {}: {}", what, quoted(text), why));
    };
    if (text.empty()) refuse("names no node; want some, such as 0,3,5-9");
    std::vector<NodeId> nodes;
    std::set<NodeId> seen;
    const auto put = [&](NodeId v) {
        if (!seen.insert(v).second) refuse(fmt::format("node {} stands there twice; want each once", topology.name(v)));
        nodes.push_back(v);
    };
    for (const std::string_view part : apart(text)) {
        const std::size_t first_letter = std::min(part.find_first_not_of(' '), part.size());
        const std::string_view word = part.substr(first_letter, part.find_last_not_of(' ') + 1 - first_letter);
        if (const auto range = range_of_nodes(word, topology)) {
            const auto [first, last] = *range;
            if (first > last) refuse(fmt::format("{} goes backwards; want {}-{}", word, last, first));
            if (last >= topology.nodes())
                refuse(fmt::format("{}: {} has nodes 0 to {}", word, topology.spec(), topology.nodes() - 1));
            if (nodes.size() + (last - first) >= nodes_listed_max)
                refuse(fmt::format("more than {} nodes; want fewer", nodes_listed_max));
            for (NodeId v = first; v <= last; ++v) put(v);
            continue;
        }
        try {
            put(topology.node(word));
        } catch (const RequestError& error) {
            const std::string_view why = error.what();  // "source '9': line:3 has nodes 0 to 2"
            if (!why.starts_with("source ")) throw;
            refuse(why.substr(std::string_view("source ").size()));
        }
    }
    return nodes;
}

std::string list_in_words(const std::vector<NodeId>& nodes, const Topology& topology) {
    if (topology.membership() == nullptr && !has_names(topology)) return list_of_nodes(nodes);
    std::vector<std::string> words;
    for (const NodeId v : nodes) words.push_back(fmt::format("={}", topology.number(v)));
    return fmt::format("{}", fmt::join(words, ","));
}

}  // namespace kport
