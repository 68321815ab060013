#include "app/requests/sources.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport::requests {

namespace {

/// Names in files may have commas: "Los Angeles, CA".
bool is_node(std::string_view source, const Topology& topology) {
    try {
        (void)topology.node(source);
        return true;
    } catch (const RequestError&) {
        return false;
    }
}

}  // namespace

bool names_several(std::string_view source, const Topology& topology) {
    if (source == "all" || source.find(';') != std::string_view::npos) return true;
    if (is_node(source, topology)) return false;
    const auto commas = std::ranges::count(source, ',');
    return commas != 0 && commas != std::ranges::count(topology.label(0), ',');
}

std::vector<std::string_view> apart(std::string_view sources) {
    const char between = sources.find(';') == std::string_view::npos ? ',' : ';';
    std::vector<std::string_view> words = split(sources, between);
    if (between == ';' && words.back().empty()) words.pop_back();
    return words;
}

std::vector<std::string> each_source(std::string_view source, const Topology& topology, std::size_t most) {
    if (!names_several(source, topology)) return {std::string(source)};
    const std::vector<std::string_view> words = source == "all" ? std::vector<std::string_view>() : apart(source);
    const std::uint64_t count = source == "all" ? topology.nodes() : words.size();
    if (count > most)
        throw RequestError(
            fmt::format("--source {}: {} sources, more than {}; name some of them", quoted(source), count, most));
    std::vector<std::string> sources(words.begin(), words.end());
    for (NodeId v = 0; sources.size() < count; ++v) sources.push_back(fmt::to_string(v));
    return sources;
}

}  // namespace kport::requests
