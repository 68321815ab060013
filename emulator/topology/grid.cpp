#include "emulator/topology/grid.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/family.hpp"

namespace kport {
namespace {

std::string_view name_of(GridKind kind) {
    switch (kind) {
        case GridKind::mesh: return "mesh";
        case GridKind::torus: return "torus";
        case GridKind::line: return "line";
        case GridKind::ring: return "ring";
    }
    invariant(false, "an unknown kind of grid");
    return {};
}

std::string spec_of(GridKind kind, const std::vector<NodeId>& sides) {
    return fmt::format("{}:{}", name_of(kind), fmt::join(sides, "x"));
}

[[noreturn]] void refuse(GridKind kind, const std::vector<NodeId>& sides, std::string_view reason) {
    throw RequestError(fmt::format("topology {}: {}", quoted(spec_of(kind, sides)), reason));
}

NodeId checked_nodes(GridKind kind, const std::vector<NodeId>& sides) {
    const bool one_dimension = kind == GridKind::line || kind == GridKind::ring;
    if (sides.empty()) refuse(kind, sides, "no side; want at least one");
    if (one_dimension && sides.size() > 1) refuse(kind, sides, fmt::format("{} sides; want one", sides.size()));
    if (std::find(sides.begin(), sides.end(), 0) != sides.end())
        refuse(kind, sides, one_dimension ? "0 nodes; want at least 1" : "side 0; every side must be at least 1");
    NodeId nodes = 1;
    for (const NodeId side : sides) {
        if (side > nodes_max / nodes)
            refuse(kind, sides, fmt::format("more than {} (2^40) nodes, the most that there may be", nodes_max));
        nodes *= side;
    }
    return nodes;
}

/// Returns the number of links along a line or ring of so many nodes.
NodeId links_along(NodeId side, bool wraps) { return wraps && side >= 3 ? side : side - 1; }

NodeId gap(NodeId x, NodeId y) { return x > y ? x - y : y - x; }

/// Returns 1 + 2 + ... + n; the even one of n and n+1 is halved first, so that only the result can exceed 64 bits.
std::uint64_t triangle(std::uint64_t n, std::string_view what) {
    return n % 2 == 0 ? checked_product(n / 2, n + 1, what) : checked_product(n, n / 2 + 1, what);
}

/// Returns the profile of a product with one more dimension, in which a node reaches `plus` and `minus` nodes on either
/// side: result[d] = sum over j = 0 .. plus of profile[d-j] + sum over j = 1 .. minus of profile[d-j], by sliding sums.
std::vector<std::uint64_t> with_dimension(const std::vector<std::uint64_t>& profile, Grid::Arms arms) {
    const auto at = [&](std::uint64_t d) {
        return d < profile.size() ? profile[d] : 0;
    };  // 0 also for negative indices, which wrap
    std::vector<std::uint64_t> result(profile.size() + std::max(arms.plus, arms.minus));
    if (profile.size() == 1) {  // a single line or ring, which may be long
        std::fill_n(result.begin() + 1, arms.plus, 1);
        for (NodeId d = 1; d <= arms.minus; ++d) ++result[d];
        result[0] = 1;
        return result;
    }
    std::uint64_t along_plus = 0;
    std::uint64_t along_minus = 0;
    for (std::uint64_t d = 0; d < result.size(); ++d) {
        along_plus += at(d) - at(d - arms.plus - 1);
        along_minus += at(d - 1) - at(d - arms.minus - 1);
        result[d] = along_plus + along_minus;
    }
    return result;
}

}  // namespace

template <class F>
void Grid::for_each_coordinate(NodeId v, const F& f) const {
    NodeId rest = v;
    for (auto a = axes_.rbegin(); a != axes_.rend(); ++a) {
        const NodeId next = a->by_side.quotient(rest);
        f(*a, rest - next * a->side);
        rest = next;
    }
}

Grid::Grid(GridKind kind, const std::vector<NodeId>& sides)
    : Topology(spec_of(kind, sides), checked_nodes(kind, sides), static_cast<Port>(2 * sides.size())), kind_(kind),
      wraps_(kind == GridKind::torus || kind == GridKind::ring) {
    axes_.resize(sides.size());
    NodeId stride = 1;
    for (std::size_t i = sides.size(); i-- > 0;) {
        axes_[i] = Axis{sides[i], stride, Divisor(sides[i]), Divisor(stride)};
        stride *= sides[i];
        max_degree_ += static_cast<Port>(std::min<NodeId>(sides[i] - 1, 2));
    }
}

LinkEnd Grid::across(NodeId v, Port p) const {
    const Axis& a = axis(dimension_of(p));
    const NodeId x = coordinate(v, dimension_of(p));
    const NodeId around = (a.side - 1) * a.stride;  // from one end of the side to the other
    const Port opposite = p ^ 1U;
    if (wraps_ && a.side <= 2) {
        if (a.side == 1 || !is_plus(p)) return {};
        return {x == 0 ? v + around : v - around, p};
    }
    if (is_plus(p)) {
        if (x + 1 < a.side) return {v + a.stride, opposite};
        return wraps_ ? LinkEnd{v - around, opposite} : LinkEnd{};
    }
    if (x > 0) return {v - a.stride, opposite};
    return wraps_ ? LinkEnd{v + around, opposite} : LinkEnd{};
}

Port Grid::port_to(NodeId v, NodeId w) const {
    const NodeId apart = gap(v, w);
    for (int i = 0; i < dimensions(); ++i) {
        const Axis& a = axis(i);
        // One step, or the step around a ring; across() decides whether it stays in its line.
        if (apart != a.stride && apart != (a.side - 1) * a.stride) continue;
        if (across(v, plus(i)).node == w) return plus(i);
        if (across(v, minus(i)).node == w) return minus(i);
    }
    return no_port;
}

Port Grid::degree(NodeId v) const {
    if (wraps_) return max_degree_;
    Port links = 0;
    for_each_coordinate(v, [&](const Axis& a, NodeId x) { links += (x + 1 < a.side ? 1U : 0U) + (x > 0 ? 1U : 0U); });
    return links;
}

std::uint64_t Grid::channels() const {
    std::uint64_t channels = 0;
    for (const Axis& a : axes_) channels += 2 * (nodes() / a.side) * links_along(a.side, wraps_);
    return channels;
}

Hops Grid::distance(NodeId v, NodeId w) const {
    Hops hops = 0;
    NodeId rest = w;
    for_each_coordinate(v, [&](const Axis& a, NodeId x) {
        const NodeId next = a.by_side.quotient(rest);
        const NodeId direct = gap(x, rest - next * a.side);
        hops += wraps_ ? std::min(direct, a.side - direct) : direct;
        rest = next;
    });
    return hops;
}

Hops Grid::eccentricity(NodeId v) const {
    Hops hops = 0;
    for_each_coordinate(v, [&](const Axis& a, NodeId x) {
        const Arms reach = arms(a, x);
        hops += std::max(reach.plus, reach.minus);
    });
    return hops;
}

Hops Grid::diameter() const { return eccentricity(0); }  // a corner of a mesh; any node of a torus

Hops Grid::radius() const {
    Hops hops = 0;
    for (const Axis& a : axes_) hops += a.side / 2;  // of the middle of a line, and of any node of a ring
    return hops;
}

std::vector<std::uint64_t> Grid::distance_profile(NodeId v) const {
    std::vector<std::uint64_t> profile{1};
    for_each_coordinate(v, [&](const Axis& a, NodeId x) { profile = with_dimension(profile, arms(a, x)); });
    return profile;
}

std::uint64_t Grid::sum_of_distances(NodeId v) const {
    const std::string what = fmt::format("the sum of distances in {}", spec());
    std::uint64_t sum = 0;
    for_each_coordinate(v, [&](const Axis& a, NodeId x) {
        const Arms reach = arms(a, x);
        const std::uint64_t along = checked_sum(triangle(reach.plus, what), triangle(reach.minus, what), what);
        sum = checked_sum(sum, checked_product(along, nodes() / a.side, what), what);
    });
    return sum;
}

std::optional<bool> Grid::vertex_symmetry() const {
    return wraps_ || std::all_of(axes_.begin(), axes_.end(), [](const Axis& a) { return a.side <= 2; });
}

bool Grid::bipartite() const {
    // Only odd rings have odd cycles; a side of 1 is no ring.
    return !wraps_ ||
           std::none_of(axes_.begin(), axes_.end(), [](const Axis& a) { return a.side >= 3 && a.side % 2 == 1; });
}

Port Grid::route(NodeId at, NodeId to) const {
    NodeId rest_at = at;
    NodeId rest_to = to;
    for (int i = 0; i < dimensions(); ++i) {
        const Axis& a = axis(i);
        const NodeId x = a.by_stride.quotient(rest_at);
        const NodeId y = a.by_stride.quotient(rest_to);
        if (x != y) {
            // On an even ring both ways to the opposite node are equally long: take plus.
            const NodeId forward = y > x ? y - x : y + a.side - x;
            const bool go_plus = wraps_ ? forward <= a.side - forward : y > x;
            return go_plus ? plus(i) : minus(i);
        }
        rest_at -= x * a.stride;
        rest_to -= y * a.stride;
    }
    return no_port;
}

std::string Grid::own_label(NodeId v) const {
    if (dimensions() == 1) return {};
    std::vector<NodeId> coordinates;
    for (int i = 0; i < dimensions(); ++i) coordinates.push_back(coordinate(v, i));
    return fmt::format("{}", fmt::join(coordinates, ","));
}

std::optional<NodeId> Grid::find(std::string_view text) const {
    const bool by_number = text.starts_with('=');
    if (const std::optional<NodeId> id = to_count(text.substr(by_number ? 1 : 0)); id && *id < nodes()) return id;
    const std::vector<std::string_view> parts = split(text, ',');
    if (by_number || dimensions() == 1 || parts.size() != axes_.size()) return std::nullopt;
    NodeId v = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::optional<NodeId> x = to_count(parts[i]);
        if (!x || *x >= axes_[i].side) return std::nullopt;
        v += *x * axes_[i].stride;
    }
    return v;
}

NodeId Grid::own_node(std::string_view text) const {
    if (const std::optional<NodeId> found = find(text)) return *found;
    refuse_node(text, coordinate_form());
}

std::string Grid::coordinate_form() const {
    constexpr std::string_view letters = "ijkl";
    if (dimensions() == 1) return {};
    if (axes_.size() > letters.size())
        return fmt::format(", or {} coordinates with commas between, each less than its side", axes_.size());
    std::vector<std::string> limits;
    for (std::size_t i = 0; i < axes_.size(); ++i) limits.push_back(fmt::format("{} < {}", letters[i], axes_[i].side));
    return fmt::format(", or {} with {}", fmt::join(letters.substr(0, axes_.size()), ","), fmt::join(limits, ", "));
}

namespace {

std::vector<NodeId> sides_of(const Parameters& given) { return given.numbers('x', {"side", 0, nodes_max}); }

template <GridKind kind>
std::shared_ptr<const Topology> build_grid(const Parameters& given) {
    return std::make_shared<const Grid>(kind, sides_of(given));
}

template <GridKind kind>
std::shared_ptr<const Topology> build_one_dimension(const Parameters& given) {
    return std::make_shared<const Grid>(kind, std::vector{given.number({"number of nodes", 1, nodes_max})});
}

/// Returns two or three random sides whose product is at most `most`; small ones are more likely.
std::string draw_sides(Dice& dice, NodeId most) {
    std::vector<NodeId> sides;
    for (std::uint64_t left = dice.between(2, 3); left > 0; --left) {
        const NodeId side = dice.between(1, dice.between(1, most));
        sides.push_back(side);
        most /= side;
    }
    dice.shuffle(sides);
    return fmt::format("{}", fmt::join(sides, "x"));
}

std::string draw_length(Dice& dice, NodeId most) { return std::to_string(dice.between(1, dice.between(1, most))); }

std::vector<std::string> of_length(NodeId nodes) { return {std::to_string(nodes)}; }

/// Returns all lists of `count` sides of at least 2 whose product is n.
std::vector<std::vector<NodeId>> factorizations(NodeId n, std::size_t count) {
    std::vector<std::vector<NodeId>> found;
    if (count == 1 && n >= 2) found.push_back({n});
    if (count == 1) return found;
    for (NodeId side = 2; side <= n / 2; ++side) {
        if (n % side != 0) continue;
        for (std::vector<NodeId>& rest : factorizations(n / side, count - 1)) {
            rest.insert(rest.begin(), side);
            found.push_back(std::move(rest));
        }
    }
    return found;
}

}  // namespace

std::vector<std::string> members_with_sides(NodeId nodes) {
    std::vector<std::string> found;
    for (const std::size_t count : {2U, 3U})
        for (const std::vector<NodeId>& sides : factorizations(nodes, count))
            found.push_back(fmt::format("{}", fmt::join(sides, "x")));
    return found;
}

std::vector<TopologyFamily> families_in_grid() {
    return {{.name = "mesh",
             .form = "mesh:AxBxC...",
             .about = "a grid of A by B by C ... nodes without wraparound, numbered row by row",
             .build = build_grid<GridKind::mesh>,
             .members = members_with_sides,
             .also = {"grid", "array"},
             .weight = 10,
             .draw = draw_sides,
             .drawn = DrawnAs::grid},
            {.name = "torus",
             .form = "torus:AxBxC...",
             .about = "a grid of A by B by C ... nodes with wraparound in every dimension",
             .build = build_grid<GridKind::torus>,
             .members = members_with_sides,
             .weight = 10,
             .draw = draw_sides,
             .drawn = DrawnAs::grid},
            {.name = "line",
             .form = "line:N",
             .about = "N nodes in a row: the mesh of one dimension",
             .build = build_one_dimension<GridKind::line>,
             .members = of_length,
             .also = {"path", "chain", "lineararray", "p"},
             .weight = 5,
             .draw = draw_length,
             .drawn = DrawnAs::grid},
            {.name = "ring",
             .form = "ring:N",
             .about = "N nodes in a circle: the torus of one dimension",
             .build = build_one_dimension<GridKind::ring>,
             .members = of_length,
             .also = {"cycle", "circle", "c"},
             .weight = 5,
             .draw = draw_length,
             .drawn = DrawnAs::circle}};
}

}  // namespace kport
