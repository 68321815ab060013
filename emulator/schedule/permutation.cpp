#include "emulator/schedule/permutation.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/grid.hpp"
#include "emulator/topology/hypercube.hpp"

namespace kport {
namespace {

constexpr std::string_view choices =
    "want shift:Q, move:Q (shift:Q@I, move:Q@I along dimension I), list:T,T,..., {}transpose or bit-reversal";

NodeId side_of_square(NodeId nodes) {
    auto side = static_cast<NodeId>(std::sqrt(static_cast<double>(nodes)));
    while (side * side > nodes) --side;
    while ((side + 1) * (side + 1) <= nodes) ++side;
    return side;
}

NodeId with_bits_reversed(NodeId v, NodeId nodes) {
    NodeId reversed = 0;
    for (NodeId bit = 1; bit < nodes; bit <<= 1, v >>= 1) reversed = reversed << 1 | (v & 1);
    return reversed;
}

/// Returns why rows and columns cannot be swapped; empty where they can.
std::string_view why_no_transpose(const Topology& topology) {
    if (const auto* cube = dynamic_cast<const Hypercube*>(&topology))
        return cube->dimensions() % 2 == 0 ? "" : "is of odd dimension";
    const auto* grid = dynamic_cast<const Grid*>(&topology);
    if (grid == nullptr) return "has no rows and columns";
    if (grid->dimensions() != 2) return "is not of two dimensions";
    return grid->side(0) == grid->side(1) ? "" : "has more rows than columns, or fewer";
}

struct SideOfDimension {
    NodeId side;
    NodeId stride;
};

/// Throws RequestError where the machine has no such dimension.
SideOfDimension side_of(const Permutation& permutation, const Topology& topology) {
    const int i = *permutation.dimension;
    const auto* cube = dynamic_cast<const Hypercube*>(&topology);
    const auto* grid = dynamic_cast<const Grid*>(&topology);
    const int dimensions = cube != nullptr ? cube->dimensions() : grid != nullptr ? grid->dimensions() : 0;
    if (dimensions == 0)
        throw RequestError(fmt::format("permutation '{}': {} has no dimensions; want a mesh, torus or hypercube",
                                       text(permutation), topology.spec()));
    if (i >= dimensions)
        throw RequestError(fmt::format("permutation '{}': {} has the dimensions 0 to {}", text(permutation),
                                       topology.spec(), dimensions - 1));
    if (cube != nullptr) return {2, NodeId{1} << i};
    return {grid->side(i), grid->stride(i)};
}

/// "-3": negative numbers are steps back.
std::optional<std::int64_t> steps_in(std::string_view text) {
    constexpr std::uint64_t steps_max = std::uint64_t{1} << 62;
    const bool back = text.starts_with('-');
    const std::optional<std::uint64_t> steps = to_count(back ? text.substr(1) : text);
    if (!steps || *steps > steps_max) return std::nullopt;
    return back ? -static_cast<std::int64_t>(*steps) : static_cast<std::int64_t>(*steps);
}

/// "3", "-1@0".
Permutation stepping(Permutation::Kind kind, std::string_view words, std::string_view whole) {
    Permutation permutation{kind, 0};
    const std::size_t at = std::min(words.find('@'), words.size());
    const std::optional<std::int64_t> by = steps_in(words.substr(0, at));
    const std::optional<std::uint64_t> dimension =
        at == words.size() ? std::optional(std::uint64_t{0}) : to_count(words.substr(at + 1));
    constexpr std::uint64_t dimensions_max = 64;
    if (!by || !dimension || *dimension >= dimensions_max)
        throw RequestError(fmt::format("permutation {0}: want {1}:Q, or {1}:Q@I along dimension I, such as {1}:-1",
                                       quoted(whole), kind == Permutation::Kind::shift ? "shift" : "move"));
    permutation.by = *by;
    if (at < words.size()) permutation.dimension = static_cast<int>(*dimension);
    return permutation;
}

std::vector<NodeId> targets_in(std::string_view words) {
    std::vector<NodeId> targets;
    for (const std::string_view word : split(words, ',')) {
        const std::optional<std::uint64_t> target = to_count(word);
        if (!target && word != "-")
            throw RequestError(
                fmt::format("permutation: the entry of node {} is {}; want a node, or - if it sends nothing",
                            targets.size(), quoted(word)));
        targets.push_back(target.value_or(no_node));
    }
    return targets;
}

std::string text_of_targets(const TargetList& list) {
    std::vector<std::string> words;
    for (const NodeId target : list.targets) words.push_back(target == no_node ? "-" : std::to_string(target));
    return fmt::format("list:{}", fmt::join(words, ","));
}

void require_valid_list(const TargetList& list, const Topology& topology) {
    const NodeId nodes = topology.nodes();
    if (list.targets.size() != nodes)
        throw RequestError(fmt::format("permutation: {} {}; {} has {}, want an entry for each", list.targets.size(),
                                       list.targets.size() == 1 ? "entry" : "entries", topology.spec(),
                                       counted(nodes, "node")));
    for (NodeId v = 0; v < nodes; ++v)
        if (list.targets[v] != no_node && list.targets[v] >= nodes)
            throw RequestError(fmt::format("permutation: the entry of node {} is {}; {} has nodes 0 to {}", v,
                                           list.targets[v], topology.spec(), nodes - 1));
}

void require_valid_steps(const Permutation& permutation, const Topology& topology) {
    const SideOfDimension line =
        permutation.dimension ? side_of(permutation, topology) : SideOfDimension{topology.nodes(), 1};
    if (permutation.dimension && (permutation.side != line.side || permutation.stride != line.stride))
        throw RequestError(fmt::format("permutation '{}': its dimension is not one of {}; want fitted()",
                                       text(permutation), topology.spec()));
}

}  // namespace

NodeId Permutation::moved(NodeId v, NodeId nodes, std::int64_t steps) const {
    const NodeId size = dimension ? side : nodes;
    const NodeId apart = dimension ? stride : 1;
    const NodeId at = v / apart % size;
    const auto far = static_cast<NodeId>(steps < 0 ? -steps : steps);
    if (kind == Kind::shift) {
        const NodeId to = (steps < 0 ? at + size - far % size : at + far % size) % size;
        return v + (to - at) * apart;  // modulo 2^64
    }
    if (steps < 0 ? far > at : far >= size - at) return no_node;
    return steps < 0 ? v - far * apart : v + far * apart;
}

NodeId Permutation::target(NodeId v, NodeId nodes) const {
    NodeId to = no_node;
    switch (kind) {
        case Kind::shift:
        case Kind::move: to = moved(v, nodes, by); break;
        case Kind::transpose: {
            const NodeId side_of_grid = side_of_square(nodes);
            return v % side_of_grid * side_of_grid + v / side_of_grid;
        }
        case Kind::bit_reversal: return with_bits_reversed(v, nodes);
        case Kind::list: to = list->targets[v]; break;
    }
    return to == no_node ? v : to;
}

NodeId Permutation::senders(NodeId nodes) const {
    const NodeId size = dimension ? side : nodes;
    const auto far = static_cast<NodeId>(by < 0 ? -by : by);
    switch (kind) {
        case Kind::shift: return far % size == 0 ? 0 : nodes;
        case Kind::move: return far == 0 || far >= size ? 0 : nodes / size * (size - far);
        case Kind::transpose: return nodes - side_of_square(nodes);
        case Kind::bit_reversal: {
            NodeId palindromes = 1;
            for (NodeId rest = nodes; rest > 1; rest = rest > 2 ? rest / 4 : 1) palindromes *= 2;
            return nodes - palindromes;
        }
        case Kind::list: break;
    }
    NodeId count = 0;
    for (NodeId v = 0; v < nodes; ++v) count += target(v, nodes) != v ? 1 : 0;
    return count;
}

NodeId Permutation::a_sender(NodeId nodes) const {
    if (senders(nodes) == 0) return no_node;
    NodeId v = kind == Kind::move && by < 0 ? nodes - 1 : 0;
    while (target(v, nodes) == v) ++v;  // node 0 or 1 but for lists
    return v;
}

NodeId Permutation::source(NodeId v, NodeId nodes) const {
    switch (kind) {
        case Kind::shift:
        case Kind::move: return moved(v, nodes, -by);
        case Kind::list: return list->sources[v];
        default: return target(v, nodes);  // the others are their own inverse
    }
}

bool Permutation::operator==(const Permutation& other) const {
    const auto rest = [](const Permutation& p) { return std::tuple(p.kind, p.by, p.dimension, p.side, p.stride); };
    if (rest(*this) != rest(other)) return false;
    return list == other.list || (list != nullptr && other.list != nullptr && *list == *other.list);
}

namespace {
Permutation parsed(std::string_view text, bool may_name_file) {
    if (text == "transpose") return {Permutation::Kind::transpose, 0};
    if (text == "bit-reversal") return {Permutation::Kind::bit_reversal, 0};
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string_view kind = text.substr(0, colon);
    const std::string_view words = colon < text.size() ? text.substr(colon + 1) : "";
    if (kind == "shift") return stepping(Permutation::Kind::shift, words, text);
    if (kind == "move") return stepping(Permutation::Kind::move, words, text);
    if (kind == "list") return listed_permutation(targets_in(words));
    if (may_name_file && kind == "file" && !words.empty()) return listed_permutation({}, std::string(words));
    throw RequestError(fmt::format("permutation {} is unknown; {}", quoted(text),
                                   fmt::format(choices, may_name_file ? "file:PATH, " : "")));
}
}  // namespace

Permutation permutation_named(std::string_view text) { return parsed(text, false); }

Permutation permutation_or_file_named(std::string_view text) { return parsed(text, true); }

Permutation listed_permutation(std::vector<NodeId> targets, std::string file) {
    std::vector<NodeId> sources(targets.size(), no_node);
    for (NodeId v = 0; v < targets.size(); ++v) {
        if (targets[v] >= targets.size()) continue;  // require_valid() names it
        NodeId& source = sources[targets[v]];
        if (source != no_node)
            throw RequestError(
                fmt::format("permutation: nodes {} and {} both send to node {}; an alltoall with counts may", source, v,
                            targets[v]));
        source = v;
    }
    Permutation permutation{Permutation::Kind::list, 0};
    permutation.list =
        std::make_shared<const TargetList>(TargetList{std::move(targets), std::move(sources), std::move(file)});
    return permutation;
}

std::string text(const Permutation& permutation) {
    const bool is_read = permutation.list != nullptr && !permutation.list->file.empty();
    return is_read ? "file:" + permutation.list->file : text_without_file(permutation);
}

std::string short_text(const Permutation& permutation) {
    constexpr std::size_t letters_max = 40;
    const std::string whole = text(permutation);
    return whole.size() <= letters_max ? whole : one_line(whole, letters_max) + "...";
}

std::string text_without_file(const Permutation& permutation) {
    const std::string along = permutation.dimension ? fmt::format("@{}", *permutation.dimension) : "";
    switch (permutation.kind) {
        case Permutation::Kind::shift: return fmt::format("shift:{}{}", permutation.by, along);
        case Permutation::Kind::move: return fmt::format("move:{}{}", permutation.by, along);
        case Permutation::Kind::transpose: return "transpose";
        case Permutation::Kind::bit_reversal: return "bit-reversal";
        case Permutation::Kind::list: return text_of_targets(*permutation.list);
    }
    return {};
}

Permutation fitted(Permutation permutation, const Topology& topology) {
    if (permutation.dimension) {
        const auto [side, stride] = side_of(permutation, topology);
        permutation.side = side;
        permutation.stride = stride;
    }
    require_valid(permutation, topology);
    return permutation;
}

void require_valid(const Permutation& permutation, const Topology& topology) {
    const bool is_cube = dynamic_cast<const Hypercube*>(&topology) != nullptr;
    switch (permutation.kind) {
        case Permutation::Kind::shift:
        case Permutation::Kind::move: return require_valid_steps(permutation, topology);
        case Permutation::Kind::list: return require_valid_list(*permutation.list, topology);
        case Permutation::Kind::transpose:
            if (const std::string_view why = why_no_transpose(topology); !why.empty())
                throw RequestError(
                    fmt::format("permutation 'transpose': {} {}; want a mesh or torus of two equal sides, or a "
                                "hypercube of even dimension",
                                topology.spec(), why));
            return;
        case Permutation::Kind::bit_reversal:
            if (!is_cube)
                throw RequestError(
                    fmt::format("permutation 'bit-reversal': {} is no hypercube; want hypercube:D", topology.spec()));
    }
}

}  // namespace kport
