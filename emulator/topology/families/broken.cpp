#include "emulator/topology/broken.hpp"

#include <optional>
#include <string>

#include <fmt/format.h>

#include "emulator/topology/family.hpp"

namespace kport {
namespace {

/// Returns the place of the semicolon that ends the parts; names in quotes may hold some.
std::size_t end_of_parts(std::string_view text) {
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') quoted = !quoted;
        if (text[i] == ';' && !quoted) return i;
    }
    return std::string_view::npos;
}

std::shared_ptr<const Topology> build_broken(const Parameters& given) {
    const std::size_t end = end_of_parts(given.text());
    if (end == std::string_view::npos)
        given.refuse("no semicolon after the broken parts; want broken(PARTS;F), such as broken(0--1;ring:8)");
    const std::shared_ptr<const Topology> whole = given.inner(given.text().substr(end + 1));
    const std::string where = fmt::format("topology 'broken:{};...'", given.text().substr(0, end));
    return without(whole, broken_parts(*whole, given.text().substr(0, end), where), where);
}

/// Returns a random machine with one or two broken links or nodes that is still connected; after some vain
/// tries one of a single node.
std::string draw_broken(Dice& dice, NodeId most) {
    constexpr int tries = 8;
    for (int i = 0; i < tries; ++i) {
        const std::string spec = draw_topology(dice, most);
        if (spec.find('(') != std::string::npos) continue;
        const auto hosts = make_topology(spec);
        const Topology& whole = hosts->wires();
        std::string parts;
        for (std::uint64_t left = dice.between(1, 2); left > 0; --left) {
            const NodeId v = dice.below(whole.nodes());
            std::string part = std::to_string(v);
            if (whole.degree(v) != 0 && dice.below(3) != 0) {
                std::vector<NodeId> near;
                for_each_neighbour(whole, v, [&](NodeId w) { near.push_back(w); });
                part += fmt::format("--{}", near[dice.below(near.size())]);
            }
            parts += (parts.empty() ? "" : ",") + part;
        }
        try {
            return make_topology(fmt::format("broken({};{})", parts, spec))->spec().substr(sizeof("broken:") - 1);
        } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): not connected, or named twice
        }
    }
    return "0;line:2";
}

/// Returns a ring that lost a link, of so many nodes.
std::vector<std::string> some_broken(NodeId nodes) {
    constexpr NodeId smallest_ring = 3;
    return nodes < smallest_ring ? std::vector<std::string>() : std::vector{fmt::format("0--1;ring:{}", nodes)};
}

}  // namespace

std::vector<TopologyFamily> families_in_broken() {
    return {{.name = "broken",
             .form = "broken(PARTS;F)",
             .about = "F without its broken links A--B and nodes V, also broken:PARTS;F",
             .build = build_broken,
             .members = some_broken,
             .draw = draw_broken}};
}

}  // namespace kport
