#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/complete.hpp"
#include "emulator/topology/complete_binary_tree.hpp"
#include "emulator/topology/grid.hpp"
#include "emulator/topology/hypercube.hpp"
#include "emulator/topology/topology.hpp"

namespace kport {
namespace {

using Built = std::shared_ptr<const Topology>;

/// `numbers` is the text after the colon, `where` the start of a message about it: "topology 'mesh:4x'".
/// Absurdly large numbers are refused here with the user's word; the classes check their arguments.
using Builder = Built (*)(std::string_view numbers, const std::string& where);

NodeId number_of_nodes(std::string_view number, const std::string& where) {
    return parse_count(number, where + ": number of nodes", 1, nodes_max);
}

Built build_hypercube(std::string_view numbers, const std::string& where) {
    return std::make_shared<const Hypercube>(parse_count(numbers, where + ": dimension", 0, Hypercube::dimensions_max));
}

template <GridKind kind>
Built build_grid(std::string_view numbers, const std::string& where) {
    std::vector<NodeId> sides;
    for (const std::string_view side : split(numbers, 'x'))
        sides.push_back(parse_count(side, where + ": side", 0, nodes_max));
    return std::make_shared<const Grid>(kind, sides);
}

template <GridKind kind>
Built build_one_dimension(std::string_view numbers, const std::string& where) {
    return std::make_shared<const Grid>(kind, std::vector{number_of_nodes(numbers, where)});
}

Built build_complete(std::string_view numbers, const std::string& where) {
    return std::make_shared<const Complete>(number_of_nodes(numbers, where));
}

Built build_tree(std::string_view numbers, const std::string& where) {
    return std::make_shared<const CompleteBinaryTree>(
        parse_count(numbers, where + ": height", 0, CompleteBinaryTree::height_max));
}

struct Family {
    TopologyFamily shown;
    Builder build;
};

constexpr std::array<Family, 7> families{{
    {{"hypercube", "hypercube:D", "2^D nodes, D up to 40; neighbours differ in one bit"}, build_hypercube},
    {{"mesh", "mesh:AxBxC...", "a grid of A by B by C ... nodes without wraparound, numbered row by row"},
     build_grid<GridKind::mesh>},
    {{"torus", "torus:AxBxC...", "a grid of A by B by C ... nodes with wraparound in every dimension"},
     build_grid<GridKind::torus>},
    {{"line", "line:N", "N nodes in a row: the mesh of one dimension"}, build_one_dimension<GridKind::line>},
    {{"ring", "ring:N", "N nodes in a circle: the torus of one dimension"}, build_one_dimension<GridKind::ring>},
    {{"complete", "complete:N", "N nodes, each wired to every other"}, build_complete},
    {{"cbt", "cbt:H", "the complete binary tree of height H up to 39; root 0, children of v are 2v+1 and 2v+2"},
     build_tree},
}};

std::vector<std::string_view> family_names() {
    std::vector<std::string_view> names;
    for (const Family& family : families) names.push_back(family.shown.name);
    return names;
}

const Family* family_called(std::string_view name) {
    const auto found = std::ranges::find_if(families, [&](const Family& family) { return family.shown.name == name; });
    return found == families.end() ? nullptr : &*found;
}

/// "mesh:4x5" for "mesh:4,5", "ring:8" for "ring 8", "hypercube:4" for "q4": what was typed, with the signs between family
/// and numbers as they should be. Empty if more than these is wrong.
std::string as_it_should_be(std::string_view spec) {
    constexpr std::string_view digit = "0123456789";
    const std::size_t numbers_begin = spec.find_first_of(digit);
    if (numbers_begin == std::string_view::npos || spec.find_last_of(digit) + 1 != spec.size()) return "";
    std::string_view name = spec.substr(0, numbers_begin);
    const std::size_t colon = name.find(':');
    if (colon != std::string_view::npos && colon + 1 != name.size()) return "";  // mesh:-4
    if (!name.empty() && std::string_view(" :=-_").find(name.back()) != std::string_view::npos) name.remove_suffix(1);
    const std::vector<std::string_view> names = family_names();
    const Family* family = family_called(meant_by(name, names));
    if (family == nullptr) return "";
    std::string numbers(spec.substr(numbers_begin));
    for (char& c : numbers)
        if (std::string_view(",;:*X").find(c) != std::string_view::npos) c = 'x';
    try {
        (void)family->build(numbers, "");
    } catch (const std::exception&) {
        return "";
    }
    return fmt::format("{}:{}", family->shown.name, numbers);
}

[[noreturn]] void refuse_family(std::string_view spec, std::string_view name, const std::string& where) {
    const std::vector<std::string_view> names = family_names();
    const std::string better = name == spec ? as_it_should_be(spec) : std::string();
    throw RequestError(
        fmt::format("{}: unknown family {}{} ({})", where, quoted(name),
                    better.empty() ? did_you_mean(name, names) : fmt::format("; did you mean '{}'?", better),
                    fmt::join(names, ", ")));
}

}  // namespace

Built make_topology(std::string_view spec) {
    const std::string where = fmt::format("topology {}", quoted(spec));
    const std::string_view name = spec.substr(0, spec.find(':'));
    const Family* family = family_called(name);
    if (family == nullptr) refuse_family(spec, name, where);
    const std::string_view numbers = spec.substr(std::min(name.size() + 1, spec.size()));
    if (numbers.empty())
        throw RequestError(fmt::format("{}: nothing after the family; want {}", where, family->shown.form));
    try {
        return family->build(numbers, where);
    } catch (const RequestError& error) {
        const std::string better = as_it_should_be(spec);
        if (better.empty()) throw;
        throw RequestError(fmt::format("{}; did you mean '{}'?", error.what(), better));
    }
}

const std::vector<TopologyFamily>& topology_families() {
    static const std::vector<TopologyFamily> shown = [] {
        std::vector<TopologyFamily> list;
        for (const Family& family : families) list.push_back(family.shown);
        return list;
    }();
    return shown;
}

}  // namespace kport
