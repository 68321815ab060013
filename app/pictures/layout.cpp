#include "app/pictures/layout.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/topology/broken.hpp"
#include "emulator/topology/fabric.hpp"
#include "emulator/topology/family_bases.hpp"

namespace kport {

namespace {

std::uint64_t cell_of(double x, double y) {
    const auto in_32_bits = [](double z) {
        return static_cast<std::uint32_t>(static_cast<std::int64_t>(std::floor(z)));
    };
    return std::uint64_t{in_32_bits(x)} << 32U | in_32_bits(y);
}

/// Returns the distance of a point from a line between two others.
double off_the_line(const Point& p, const Point& a, const Point& b) {
    const double length = std::max(distance(a, b), 1e-9);
    const double along =
        std::clamp(((p.x - a.x) * (b.x - a.x) + (p.y - a.y) * (b.y - a.y)) / (length * length), 0.0, 1.0);
    return distance(p, {a.x + along * (b.x - a.x), a.y + along * (b.y - a.y)});
}

}  // namespace

NodesInTheWay::NodesInTheWay(const std::vector<Point>& at, double clearance) : at_(at), clearance_(clearance) {
    for (NodeId v = 0; v < at.size(); ++v) cells_.emplace(cell_of(at[v].x, at[v].y), v);
}

bool NodesInTheWay::between(NodeId v, NodeId w) const {
    const Point& a = at_[v];
    const Point& b = at_[w];
    const auto steps = static_cast<std::uint64_t>(std::ceil(2 * distance(a, b)));
    const auto crosses = [&](NodeId u) { return u != v && u != w && off_the_line(at_[u], a, b) < clearance_; };
    for (std::uint64_t i = 0; i <= steps; ++i) {  // a node near the line is in a cell next to one of these points
        const double t = static_cast<double>(i) / static_cast<double>(std::max<std::uint64_t>(steps, 1));
        for (const double dx : {-1.0, 0.0, 1.0})
            for (const double dy : {-1.0, 0.0, 1.0}) {
                const auto cell = cell_of(a.x + t * (b.x - a.x) + dx, a.y + t * (b.y - a.y) + dy);
                const auto [begin, end] = cells_.equal_range(cell);
                for (auto node = begin; node != end; ++node)
                    if (crosses(node->second)) return true;
            }
    }
    return false;
}

double distance(const Point& a, const Point& b) { return std::hypot(a.x - b.x, a.y - b.y); }

namespace {

using Positions = std::vector<Point>;

/// Returns the numbers of a specification: 4 and 5 for "mesh:4x5".
std::vector<NodeId> numbers_in(std::string_view spec) {
    std::vector<NodeId> numbers;
    bool within = false;
    for (const char c : spec.substr(std::min(spec.find(':'), spec.size()))) {
        const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
        if (digit && !within) numbers.push_back(0);
        if (digit) numbers.back() = 10 * numbers.back() + static_cast<NodeId>(c - '0');
        within = digit;
    }
    return numbers;
}

/// Returns the sides of the grid that the nodes are numbered by, else the numbers of the specification.
std::vector<NodeId> numbers_of(const Topology& topology) {
    const auto* on_grid = dynamic_cast<const OnGrid*>(&topology);
    if (on_grid == nullptr) return numbers_in(topology.spec());
    std::vector<NodeId> sides;
    for (int i = 0; i < on_grid->grid().dimensions(); ++i) sides.push_back(on_grid->grid().side(i));
    return sides;
}

/// Returns the i-th of n places on a circle, clockwise from the top.
Point on_circle(NodeId i, NodeId n, double radius) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    return {radius * std::sin(angle), -radius * std::cos(angle)};
}

/// Returns the radius at which neighbours on a circle of n are `gap` apart.
double radius_of(NodeId n, double gap) {
    return n < 2 ? 0 : gap / 2 / std::sin(std::numbers::pi / static_cast<double>(n));
}

void put_circle(Positions& places, NodeId n, double radius, const Point& centre) {
    for (NodeId i = 0; i < n; ++i) {
        const Point place = on_circle(i, n, radius);
        places.push_back({centre.x + place.x, centre.y + place.y});
    }
}

Positions circle(const Topology& topology) {
    Positions places;
    put_circle(places, topology.nodes(), radius_of(topology.nodes(), 1.15), {});
    return places;
}

Positions hub(const Topology& topology) {
    Positions places{{}};
    const NodeId around = topology.nodes() - 1;
    put_circle(places, around, std::max(1.4, radius_of(around, 1.1)), {});
    return places;
}

/// Longer rows are folded.
constexpr NodeId row_max = 20;

/// Back and forth, so that neighbours stay neighbours.
Positions folded_row(NodeId nodes) {
    const auto width = static_cast<NodeId>(std::ceil(std::sqrt(2.0 * static_cast<double>(nodes))));
    Positions places;
    for (NodeId v = 0; v < nodes; ++v) {
        const NodeId row = v / width;
        const NodeId along = row % 2 == 0 ? v % width : width - 1 - v % width;
        places.push_back({1.2 * static_cast<double>(along), 1.2 * static_cast<double>(row)});
    }
    return places;
}

/// Returns the grid's places: the last coordinate from left to right, the one before it along the columns (`up` or
/// down), a third one slanting if it is short, and all others as drawings side by side, and in rows of them.
Positions grid(const std::vector<NodeId>& sides, bool up) {
    if (sides.size() == 1 && sides[0] > row_max) return folded_row(sides[0]);
    constexpr NodeId layers_max = 4;
    constexpr Point slant{0.8, -0.72};
    const auto side = [&](std::size_t i) { return static_cast<double>(sides[sides.size() - 1 - i]); };
    const bool slanting = sides.size() >= 3 && sides[sides.size() - 3] <= layers_max && side(0) > 1 && side(1) > 1;
    const double step = slanting ? 0.8 * (side(2) - 1) + 1.15 : 1.2;
    std::vector<Point> steps;
    Point size;  // of what is placed so far
    for (std::size_t i = 0; i < sides.size(); ++i) {
        if (i == 0)
            steps.push_back({step, 0});
        else if (i == 1)
            steps.push_back({0, up ? -step : step});
        else if (i == 2 && slanting)
            steps.push_back(slant);
        else if (size.x <= size.y)
            steps.push_back({size.x + 1.5, 0});
        else
            steps.push_back({0, up ? -size.y - 1.5 : size.y + 1.5});
        size.x += std::abs(steps.back().x) * (side(i) - 1);
        size.y += std::abs(steps.back().y) * (side(i) - 1);
    }
    NodeId nodes = 1;
    for (const NodeId each : sides) nodes *= each;
    Positions places(nodes);
    for (NodeId v = 0; v < nodes; ++v) {
        NodeId rest = v;
        for (std::size_t i = 0; i < sides.size(); ++i) {
            const NodeId length = sides[sides.size() - 1 - i];
            const auto along = static_cast<double>(rest % length);
            rest /= length;
            places[v].x += along * steps[i].x;
            places[v].y += along * steps[i].y;
        }
    }
    return places;
}

/// The place of a number in the reflected binary code, in which neighbours differ in one bit.
NodeId place_in_gray_code(NodeId number) {
    for (unsigned shift = 1; shift < 64; shift *= 2) number ^= number >> shift;
    return number;
}

/// Sixteen nodes: a cube in a cube.
Positions cube_in_cube() {
    constexpr double outwards = 3.6;
    const Positions inner = grid({2, 2, 2}, true);
    Point centre;
    for (const Point& place : inner) centre = {centre.x + place.x / 8, centre.y + place.y / 8};
    Positions places;
    for (const double scale : {outwards, 1.0})
        for (const Point& place : inner) places.push_back({scale * (place.x - centre.x), scale * (place.y - centre.y)});
    return places;
}

/// Up to six dimensions as books draw them: a square, a cube, a cube in a cube, two and four of these; from nine on rows in which
/// neighbours differ in one bit.
Positions cube(NodeId nodes) {
    if (nodes == 1) return {{}};
    const auto dimensions = static_cast<unsigned>(std::countr_zero(nodes));
    constexpr unsigned in_rows_from = 9;
    if (dimensions >= in_rows_from) {
        const unsigned low = (dimensions + 1) / 2;
        Positions places;
        for (NodeId v = 0; v < nodes; ++v)
            places.push_back({1.2 * static_cast<double>(place_in_gray_code(v & ((NodeId{1} << low) - 1))),
                              1.2 * static_cast<double>(place_in_gray_code(v >> low))});
        return places;
    }
    if (dimensions < 4 || dimensions > 6) return grid(std::vector<NodeId>(dimensions, 2), true);
    const Positions one = cube_in_cube();
    double width = 0;
    double height = 0;
    for (const Point& place : one) {
        width = std::max(width, 2 * std::abs(place.x) + 1.2);
        height = std::max(height, 2 * std::abs(place.y) + 1.2);
    }
    Positions places;
    for (NodeId copy = 0; copy < nodes / one.size(); ++copy) {
        const NodeId row = copy / 2;
        for (const Point& place : one)
            places.push_back(
                {place.x + width * static_cast<double>(copy % 2), place.y - height * static_cast<double>(row)});
    }
    return places;
}

/// Leaves side by side, each parent above the middle of its children.
Positions levels(const Topology& topology) {
    const NodeId nodes = topology.nodes();
    std::vector<NodeId> order{0};  // by level
    std::vector<NodeId> parent(nodes, no_node);
    std::vector<NodeId> depth(nodes, 0);
    std::vector<std::vector<NodeId>> children(nodes);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const NodeId v = order[i];
        for_each_neighbour(topology, v, [&](NodeId w) {
            if (w == 0 || parent[w] != no_node || w == parent[v]) return;
            parent[w] = v;
            depth[w] = depth[v] + 1;
            children[v].push_back(w);
            order.push_back(w);
        });
    }
    std::vector<std::uint64_t> leaves(nodes, 0);
    for (std::size_t i = order.size(); i-- > 0;) {
        const NodeId v = order[i];
        leaves[v] = std::max<std::uint64_t>(leaves[v], 1);
        if (parent[v] != no_node) leaves[parent[v]] += leaves[v];
    }
    const auto width = static_cast<double>(leaves[0]);
    const double down = std::clamp(width / static_cast<double>(depth[order.back()] + 1) * 0.6, 1.3, 4.0);
    Positions places(nodes);
    std::vector<double> first(nodes, 0);  // left end of a subtree
    for (const NodeId v : order) {
        double left = first[v];
        for (const NodeId w : children[v]) {
            first[w] = left;
            left += static_cast<double>(leaves[w]);
        }
        places[v].y = down * static_cast<double>(depth[v]);
    }
    for (std::size_t i = order.size(); i-- > 0;) {
        const NodeId v = order[i];
        const std::vector<NodeId>& below = children[v];
        places[v].x = below.empty() ? 1.1 * first[v] : (places[below.front()].x + places[below.back()].x) / 2;
    }
    return places;
}

/// Places a row from the middle outwards.
void put_row(Positions& places, NodeId n, double width, double y) {
    for (NodeId i = 0; i < n; ++i) {
        const double along = n == 1 ? 0.5 : static_cast<double>(i) / static_cast<double>(n - 1);
        places.push_back({width * (along - 0.5), y});
    }
}

Positions two_rows(NodeId above, NodeId below) {
    const double width = 1.2 * static_cast<double>(std::max(above, below) - 1);
    Positions places;
    put_row(places, above, std::min(width, 2.4 * static_cast<double>(above - 1)), 0);
    put_row(places, below, std::min(width, 2.4 * static_cast<double>(below - 1)), std::clamp(width / 2, 2.0, 12.0));
    return places;
}

Positions two_rings(NodeId nodes) {
    const NodeId each = nodes / 2;
    const double inner = std::max(1.1, radius_of(each, 1.15));
    Positions places;
    put_circle(places, each, inner + 1.3, {});
    put_circle(places, each, inner, {});
    return places;
}

Positions ranks(NodeId nodes, NodeId dimensions) {
    const NodeId columns = NodeId{1} << dimensions;
    Positions places;
    for (NodeId v = 0; v < nodes; ++v) {
        const NodeId row = v / columns;
        places.push_back({1.15 * static_cast<double>(v % columns), 1.7 * static_cast<double>(row)});
    }
    return places;
}

/// Circles of `size` nodes, numbered one circle after the other, around `centres`, which are at least `gap` apart.
Positions circles(const Positions& centres, double gap, NodeId size) {
    const double radius = std::max(0.62, radius_of(size, 1.1));
    const double scale = (2 * radius + 1.5) / gap;
    Positions places;
    for (const Point& centre : centres) put_circle(places, size, radius, {scale * centre.x, scale * centre.y});
    return places;
}

Positions groups(NodeId nodes, NodeId size) {
    Positions centres;
    put_circle(centres, nodes / size, radius_of(nodes / size, 1), {});
    return circles(centres, 1, size);
}

/// Whether they are sides of a grid of so many nodes.
bool are_sides(const std::vector<NodeId>& numbers, NodeId nodes) {
    NodeId left = nodes;
    for (const NodeId side : numbers) {
        if (side == 0 || left % side != 0) return false;
        left /= side;
    }
    return !numbers.empty() && left == 1;
}

/// Whether nodes with these numbers in their specification can be drawn this way; a program may add its own families.
bool can_be_drawn_as(DrawnAs kind, const std::vector<NodeId>& numbers, NodeId nodes) {
    const NodeId first = numbers.empty() ? 0 : numbers[0];
    const bool is_part = first > 0 && nodes % first == 0;
    switch (kind) {
        case DrawnAs::grid: return are_sides(numbers, nodes);
        case DrawnAs::cube: return std::has_single_bit(nodes);
        case DrawnAs::ranks: return first < 64 && !numbers.empty() && nodes % (NodeId{1} << first) == 0;
        case DrawnAs::two_rows: return first > 0 && first < nodes;
        case DrawnAs::two_rings: return nodes % 2 == 0;
        case DrawnAs::cube_of_cycles: return is_part && std::has_single_bit(nodes / first);
        case DrawnAs::groups: return is_part;
        default: return true;
    }
}

/// Hosts in a row at the bottom, switches above them in rows by their distance from a host, as fat trees are drawn. Nothing
/// where links join nodes of a row, which would hide them.
std::optional<Positions> rows_above_hosts(const Fabric& fabric) {
    constexpr NodeId above_none = ~NodeId{0};
    std::vector<NodeId> row(fabric.nodes(), above_none);
    std::vector<std::vector<NodeId>> rows(1);
    for (NodeId v = 0; v < fabric.hosts(); ++v) {
        row[v] = 0;
        rows[0].push_back(v);
    }
    bool within_a_row = false;
    for (NodeId at = 0; at < rows.size() && !within_a_row; ++at) {
        std::vector<NodeId> above;
        for (const NodeId v : rows[at])
            for_each_neighbour(fabric, v, [&](NodeId w) {
                within_a_row |= row[w] == at;
                if (row[w] != above_none) return;
                row[w] = at + 1;
                above.push_back(w);
            });
        std::ranges::sort(above);
        if (!above.empty()) rows.push_back(std::move(above));
    }
    if (within_a_row || rows.size() == 1) return std::nullopt;
    constexpr double apart = 1.15;
    std::size_t widest = 0;
    for (const std::vector<NodeId>& one : rows) widest = std::max(widest, one.size());
    const double width = apart * static_cast<double>(widest);
    const double up = std::clamp(width / static_cast<double>(rows.size()) * 0.6, 1.6, 4.0);
    Positions places(fabric.nodes());
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j < rows[i].size(); ++j)
            places[rows[i][j]] = {width * (static_cast<double>(j) + 0.5) / static_cast<double>(rows[i].size()),
                                  -up * static_cast<double>(i)};
    return places;
}

Positions places_of(const Topology& topology) {
    if (const auto* fabric = dynamic_cast<const Fabric*>(&topology))
        if (std::optional<Positions> rows = rows_above_hosts(*fabric)) return *std::move(rows);
    const NodeId nodes = topology.nodes();
    const std::vector<NodeId> numbers = numbers_of(topology);
    switch (drawn_as(topology)) {
        case DrawnAs::circle: return circle(topology);
        case DrawnAs::hub: return hub(topology);
        case DrawnAs::grid: return grid(numbers, false);
        case DrawnAs::cube: return cube(nodes);
        case DrawnAs::levels: return levels(topology);
        case DrawnAs::ranks: return ranks(nodes, numbers[0]);
        case DrawnAs::two_rows: return two_rows(numbers[0], nodes - numbers[0]);
        case DrawnAs::two_rings: return two_rings(nodes);
        case DrawnAs::cube_of_cycles: return circles(cube(nodes / numbers[0]), 1.07, numbers[0]);
        case DrawnAs::groups: return groups(nodes, numbers[0]);
        case DrawnAs::computed: break;
    }
    return computed_places(topology);
}

}  // namespace

DrawnAs drawn_as(const Topology& topology) {
    const auto& families = topology_families();
    const auto family = std::ranges::find(families, topology.family(), &TopologyFamily::name);
    if (family == families.end()) return DrawnAs::computed;
    const bool possible = can_be_drawn_as(family->drawn, numbers_of(topology), topology.nodes());
    return possible ? family->drawn : DrawnAs::computed;
}

Layout layout_of(const Topology& topology) {
    if (topology.nodes() > layout_nodes_max)
        throw DoesNotFit(fmt::format("{} has {} nodes; at most {} are drawn one by one", topology.spec(),
                                     topology.nodes(), layout_nodes_max));
    Layout layout;
    if (const Remains* left = as_broken(topology);
        left != nullptr && left->whole()->wires().nodes() <= layout_nodes_max) {
        const Positions whole = places_of(left->whole()->wires());
        for (NodeId v = 0; v < topology.nodes(); ++v) layout.at.push_back(whole[left->old(v)]);
    } else {
        layout.at = places_of(topology);
    }
    invariant(layout.at.size() == topology.nodes(), "every node is drawn in one place");
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Point least{infinity, infinity};
    for (const Point& place : layout.at) least = {std::min(least.x, place.x), std::min(least.y, place.y)};
    for (Point& place : layout.at) {
        place.x -= least.x;
        place.y -= least.y;
        layout.corner = {std::max(layout.corner.x, place.x), std::max(layout.corner.y, place.y)};
    }
    return layout;
}

}  // namespace kport
