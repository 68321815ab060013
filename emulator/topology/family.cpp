#include "emulator/topology/family.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

std::uint64_t Parameters::read(std::string_view text, const Wanted& wanted) const {
    return parse_count(text, fmt::format("{}: {}", where_, wanted.what), wanted.least, wanted.most);
}

std::vector<std::uint64_t> Parameters::numbers(char separator, const Wanted& each) const {
    std::vector<std::uint64_t> found;
    for (const std::string_view part : split(text_, separator)) found.push_back(read(part, each));
    return found;
}

std::vector<std::uint64_t> Parameters::numbers(std::span<const Wanted> wanted) const {
    const std::vector<std::string_view> parts = split(text_, ',');
    if (parts.size() != wanted.size())
        refuse(fmt::format("{} where {} are wanted: {}", counted(parts.size(), "number"), wanted.size(), form_));
    std::vector<std::uint64_t> found;
    for (std::size_t i = 0; i < parts.size(); ++i) found.push_back(read(parts[i], wanted[i]));
    return found;
}

void Parameters::refuse(std::string_view why) const { throw RequestError(fmt::format("{}: {}", where_, why)); }

void Parameters::does_not_fit(std::string_view why) const { throw DoesNotFit(fmt::format("{}: {}", where_, why)); }

void Parameters::require_nodes(double nodes) const {
    if (nodes > static_cast<double>(nodes_max))
        refuse(fmt::format("more than {} (2^40) nodes, the most that there may be", nodes_max));
}

NodeId Parameters::power(std::uint64_t k, std::uint64_t d) const {
    const std::uint64_t nodes = power_of(k, d);
    require_nodes(static_cast<double>(nodes));
    return nodes;
}

void Parameters::require_ports(std::uint64_t ports) const {
    if (ports >= no_port) does_not_fit(fmt::format("{} ports a node, and ports are counted in 32 bits", ports));
}

// Written by CMake; where files are built as one it may come before. NOLINTNEXTLINE(readability-redundant-declaration)
std::vector<TopologyFamily> families_in_files();

namespace {

std::vector<TopologyFamily>& known_families() {
    static std::vector<TopologyFamily> all = families_in_files();
    return all;
}

}  // namespace

const std::vector<TopologyFamily>& topology_families() { return known_families(); }

void add_topology_family(const TopologyFamily& family) {
    std::vector<TopologyFamily>& all = known_families();
    if (std::ranges::find(all, family.name, &TopologyFamily::name) == all.end()) all.push_back(family);
}

std::string spec_of(const TopologyFamily& family, std::string_view parameters) {
    return parameters.empty() ? std::string(family.name) : fmt::format("{}:{}", family.name, parameters);
}

std::vector<std::string> topologies_of(NodeId nodes) {
    std::vector<std::string> all;
    for (const TopologyFamily& family : topology_families())
        for (const std::string& member : family.members(nodes)) all.push_back(spec_of(family, member));
    return all;
}

namespace {

std::string draw_member(Dice& dice, const TopologyFamily& family, NodeId most) {
    for (NodeId nodes = dice.between(1, dice.between(1, most)); nodes >= 1; --nodes)
        if (const std::vector<std::string> members = family.members(nodes); !members.empty())
            return spec_of(family, dice.one_of(std::span(members)));
    return "";
}

}  // namespace

std::string draw_topology(Dice& dice, NodeId most) {
    std::uint64_t weights = 0;
    for (const TopologyFamily& family : topology_families()) weights += family.weight;
    while (true) {
        std::uint64_t at = dice.below(weights);
        const auto* family = topology_families().data();
        for (; at >= family->weight; ++family) at -= family->weight;
        std::string spec =
            family->draw != nullptr ? spec_of(*family, family->draw(dice, most)) : draw_member(dice, *family, most);
        if (!spec.empty()) return spec;  // a family may have none so small
    }
}

namespace {

/// A word of digits in a specification.
struct Digits {
    std::size_t begin;
    std::size_t end;
};

std::vector<Digits> digits_in(std::string_view spec) {
    constexpr std::string_view digit = "0123456789";
    std::vector<Digits> found;
    for (std::size_t at = spec.find_first_of(digit); at != std::string_view::npos; at = spec.find_first_of(digit, at)) {
        const std::size_t end = std::min(spec.find_first_not_of(digit, at), spec.size());
        found.push_back({at, end});
        at = end;
    }
    return found;
}

}  // namespace

std::vector<std::string> smaller_topologies(const Topology& topology) {
    const std::string& spec = topology.spec();
    std::vector<std::string> found;
    const auto add = [&](const Digits& at, std::string_view instead, std::size_t begin) {
        const std::string smaller = spec.substr(0, begin) + std::string(instead) + spec.substr(at.end);
        try {
            if (make_topology(smaller)->nodes() < topology.nodes()) found.push_back(smaller);
        } catch (const RequestError&) {
            return;  // the family has no such member
        }
    };
    const std::vector<Digits> all = digits_in(spec);
    for (const Digits& at : all) {
        const auto number = to_count(std::string_view(spec).substr(at.begin, at.end - at.begin));
        if (!number || *number == 0) continue;
        add(at, std::to_string(*number / 2), at.begin);
        if (*number > 2) add(at, std::to_string(*number - 1), at.begin);
    }
    for (const Digits& at : all) {
        if (at.begin > 0 && (spec[at.begin - 1] == 'x' || spec[at.begin - 1] == ','))
            add(at, "", at.begin - 1);
        else if (at.end < spec.size() && (spec[at.end] == 'x' || spec[at.end] == ','))
            add({at.begin, at.end + 1}, "", at.begin);
    }
    return found;
}

}  // namespace kport
