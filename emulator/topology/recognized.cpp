#include "emulator/topology/renumbered.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "emulator/topology/complete.hpp"
#include "emulator/topology/complete_binary_tree.hpp"
#include "emulator/topology/grid.hpp"
#include "emulator/topology/hypercube.hpp"
#include "emulator/topology/members.hpp"
#include "emulator/topology/stored_graph.hpp"

namespace kport {
namespace {

constexpr NodeId recognized_most = NodeId{1} << 24;

/// Nodes of a graph in the order of their numbers in a family.
using FamilyOrder = std::vector<NodeId>;

struct Guess {
    std::shared_ptr<Topology> family;
    FamilyOrder order;
};

/// Whether `order` has each node once, and takes the family's links to those of the graph.
bool is_right(const Guess& guess, const StoredGraph& graph) {
    if (guess.family == nullptr || guess.order.size() != graph.nodes() || guess.family->nodes() != graph.nodes() ||
        guess.family->channels() != graph.channels())
        return false;
    std::vector<bool> seen(graph.nodes(), false);
    for (const NodeId v : guess.order) {
        if (v >= graph.nodes() || seen[v]) return false;
        seen[v] = true;
    }
    for (NodeId v = 0; v < graph.nodes(); ++v) {
        bool same = true;
        for_each_neighbour(*guess.family, v,
                           [&](NodeId w) { same = same && graph.port_to(guess.order[v], guess.order[w]) != no_port; });
        if (!same) return false;
    }
    return true;
}

bool is_as_numbered(const FamilyOrder& order) {
    for (NodeId v = 0; v < order.size(); ++v)
        if (order[v] != v) return false;
    return true;
}

/// A breadth-first search: nodes in the order in which they are found, those of a parent in ascending order, and their distances.
struct Levels {
    FamilyOrder order;
    std::vector<std::uint32_t> level;
};

Levels levels_from(const StoredGraph& graph, NodeId root) {
    constexpr std::uint32_t unseen = ~std::uint32_t{0};
    Levels found{{root}, std::vector<std::uint32_t>(graph.nodes(), unseen)};
    found.order.reserve(graph.nodes());
    found.level[root] = 0;
    for (std::size_t i = 0; i < found.order.size(); ++i) {
        const NodeId v = found.order[i];
        for (const NodeId w : graph.neighbours(v)) {
            if (found.level[w] != unseen) continue;
            found.level[w] = found.level[v] + 1;
            found.order.push_back(w);
        }
    }
    return found;
}

// ------------------------------------------------------------------------------------------------------------ lines, trees

/// Degrees of all nodes: the least and its first node, the largest and its first node.
struct Degrees {
    Port least = no_port;
    NodeId with_least = 0;
    Port most = 0;
    NodeId with_most = 0;
};

Degrees degrees_of(const StoredGraph& graph) {
    Degrees all;
    for (NodeId v = 0; v < graph.nodes(); ++v) {
        const Port degree = graph.degree(v);
        if (degree < all.least) {
            all.least = degree;
            all.with_least = v;
        }
        if (degree > all.most) {
            all.most = degree;
            all.with_most = v;
        }
    }
    return all;
}

/// A line from its end of the lower number, or a ring from node 0 towards its lower neighbour.
Guess guessed_line(const StoredGraph& graph, const Degrees& degrees) {
    const bool is_ring = degrees.least == 2;
    const GridKind kind = is_ring ? GridKind::ring : GridKind::line;
    Guess guess{std::make_shared<Grid>(kind, std::vector{graph.nodes()}), {}};
    NodeId before = no_node;
    NodeId at = is_ring ? 0 : degrees.with_least;
    while (guess.order.size() < graph.nodes()) {
        guess.order.push_back(at);
        NodeId next = no_node;
        for (const NodeId w : graph.neighbours(at))
            if (w != before && next == no_node) next = w;
        before = std::exchange(at, next);
        if (at == no_node) break;
    }
    return guess;
}

/// A complete binary tree from its root, the only inner node of two links.
Guess guessed_tree(const StoredGraph& graph) {
    const int height = static_cast<int>(std::bit_width(graph.nodes())) - 1;
    NodeId root = 0;
    while (root < graph.nodes() && graph.degree(root) != 2) ++root;
    if (root == graph.nodes() || !std::has_single_bit(graph.nodes() + 1)) return {};
    return {std::make_shared<CompleteBinaryTree>(static_cast<std::uint64_t>(height)), levels_from(graph, root).order};
}

// -------------------------------------------------------------------------------------------------- hypercubes, meshes, tori
//
// All three are Cartesian products of lines and rings. Two links of a node belong to one factor unless they are sides of exactly one
// square without diagonals (Sabidussi 1960); a ring of four nodes is taken as a product of two lines of two.

/// Whether the links from x to its neighbours p and y lead along one line or ring.
bool are_along(const StoredGraph& graph, NodeId x, NodeId p, NodeId y) {
    if (graph.port_to(p, y) != no_port) return true;  // a ring of three
    bool only_x = true;
    for (const NodeId w : graph.neighbours(p)) only_x = only_x && (w == x || graph.port_to(y, w) == no_port);
    return only_x;
}

/// The line or ring through the origin along one factor.
struct FactorAxis {
    std::vector<NodeId> nodes;  ///< from the origin on
    bool wraps = false;

    [[nodiscard]] NodeId side() const { return nodes.size(); }
    /// Returns how far the i-th node is, negative in the other direction of a ring.
    [[nodiscard]] std::int32_t steps(NodeId i) const {
        return static_cast<std::int32_t>(i) - (wraps && 2 * i > side() ? static_cast<std::int32_t>(side()) : 0);
    }
};

/// Follows a factor from the origin by its first link. Nothing where its links do not go on as those of a line or ring.
std::optional<FactorAxis> followed(const StoredGraph& graph, NodeId origin, NodeId first) {
    FactorAxis axis{{origin, first}};
    while (true) {
        const NodeId at = axis.nodes.back();
        const NodeId before = axis.nodes[axis.nodes.size() - 2];
        NodeId next = no_node;
        for (const NodeId w : graph.neighbours(at)) {
            if (w == before || !are_along(graph, at, before, w)) continue;
            if (next != no_node) return std::nullopt;
            next = w;
        }
        if (next == no_node) return axis;
        if (next == origin) {
            axis.wraps = true;
            return axis;
        }
        if (axis.nodes.size() == graph.nodes()) return std::nullopt;
        axis.nodes.push_back(next);
    }
}

/// Returns the factors at the origin, by their first links; none where it is no node of such a product. All are lines, or all but
/// those of two nodes rings.
std::vector<FactorAxis> axes_at(const StoredGraph& graph, NodeId origin, bool wrap) {
    std::vector<FactorAxis> axes;
    std::vector<NodeId> others(graph.neighbours(origin).begin(), graph.neighbours(origin).end());
    double product = 1;
    while (!others.empty()) {
        const NodeId first = others.front();
        others.erase(others.begin());
        std::optional<FactorAxis> axis = followed(graph, origin, first);
        if (!axis || (axis->side() > 2 && axis->wraps != wrap) || (axis->side() == 2 && axis->wraps)) return {};
        if (axis->wraps) {
            const auto back = std::ranges::find(others, axis->nodes.back());
            if (back == others.end()) return {};
            others.erase(back);
        }
        product *= static_cast<double>(axis->side());
        axes.push_back(std::move(*axis));
    }
    return product == static_cast<double>(graph.nodes()) ? axes : std::vector<FactorAxis>();
}

/// How far each node is from the origin along each factor: a row a node.
class Steps {
  public:
    Steps(const StoredGraph& graph, const std::vector<FactorAxis>& axes)
        : width_(axes.size()), steps_(graph.nodes() * axes.size(), 0) {
        std::vector<bool> is_on_axis(graph.nodes(), false);
        const NodeId origin = axes.front().nodes.front();
        is_on_axis[origin] = true;
        for (std::size_t a = 0; a < axes.size(); ++a)
            for (NodeId i = 1; i < axes[a].side(); ++i) {
                is_on_axis[axes[a].nodes[i]] = true;
                at(axes[a].nodes[i], a) = axes[a].steps(i);
            }
        const Levels levels = levels_from(graph, origin);
        for (const NodeId v : levels.order)
            if (!is_on_axis[v])
                for (const NodeId w : graph.neighbours(v))
                    if (levels.level[w] + 1 == levels.level[v]) include(v, w);
    }

    [[nodiscard]] std::int32_t of(NodeId v, std::size_t axis) const { return steps_[v * width_ + axis]; }

  private:
    std::int32_t& at(NodeId v, std::size_t axis) { return steps_[v * width_ + axis]; }
    /// A node is as far along each factor as the farthest of its neighbours that are nearer to the origin.
    void include(NodeId v, NodeId nearer) {
        for (std::size_t a = 0; a < width_; ++a)
            if (std::abs(of(nearer, a)) > std::abs(of(v, a))) at(v, a) = of(nearer, a);
    }

    std::size_t width_;
    std::vector<std::int32_t> steps_;
};

/// One side of a grid: a factor, or two factors of two nodes that are together a ring of four.
struct GridSide {
    std::size_t axis;
    std::optional<std::size_t> second = {};
    NodeId side;

    [[nodiscard]] NodeId coordinate(const Steps& steps, NodeId v) const {
        const std::int32_t far = steps.of(v, axis);
        if (!second) return static_cast<NodeId>(far < 0 ? far + static_cast<std::int32_t>(side) : far);
        const std::int32_t other = steps.of(v, *second);
        return static_cast<NodeId>(other == 0 ? far : 3 - far);
    }
};

std::vector<GridSide> grid_sides_of(const std::vector<FactorAxis>& axes, bool wraps) {
    std::vector<GridSide> sides;
    std::optional<std::size_t> alone;  // a factor of two nodes without its second
    for (std::size_t a = 0; a < axes.size(); ++a) {
        if (axes[a].side() > 2 || !wraps) {
            sides.push_back({a, {}, axes[a].side()});
        } else if (alone) {
            sides.push_back({*std::exchange(alone, std::nullopt), a, 4});
        } else {
            alone = a;
        }
    }
    if (alone) sides.push_back({*alone, {}, 2});
    return sides;
}

FamilyOrder order_of(const std::vector<GridSide>& sides, const Steps& steps, NodeId nodes) {
    FamilyOrder order(nodes, no_node);
    for (NodeId v = 0; v < nodes; ++v) {
        NodeId number = 0;
        for (const GridSide& side : sides) number = number * side.side + side.coordinate(steps, v);
        if (number < nodes) order[number] = v;
    }
    return order;
}

Guess guessed_hypercube(const std::vector<FactorAxis>& axes, const Steps& steps, NodeId nodes) {
    std::vector<GridSide> bits;
    for (std::size_t a = axes.size(); a > 0; --a) bits.push_back({a - 1, {}, 2});
    return {std::make_shared<Hypercube>(axes.size()), order_of(bits, steps, nodes)};
}

Guess guessed_grid(const std::vector<FactorAxis>& axes, const Steps& steps, NodeId nodes, bool wraps) {
    const auto guess_of = [&](const std::vector<GridSide>& sides) {
        std::vector<NodeId> numbers;
        for (const GridSide& side : sides) numbers.push_back(side.side);
        return Guess{std::make_shared<Grid>(wraps ? GridKind::torus : GridKind::mesh, numbers),
                     order_of(sides, steps, nodes)};
    };
    std::vector<GridSide> sides = grid_sides_of(axes, wraps);
    std::ranges::reverse(sides);  // row-major numbers: a step along the first dimension leads farthest
    Guess as_numbered = guess_of(sides);
    if (is_as_numbered(as_numbered.order)) return as_numbered;
    std::ranges::stable_sort(sides, {}, &GridSide::side);
    return guess_of(sides);
}

Guess guessed_product(const StoredGraph& graph, const Degrees& degrees) {
    constexpr Port links_most = 64;  // a product of more factors has more nodes than a graph that is stored
    const bool is_regular = degrees.least == degrees.most;
    if (degrees.most > links_most || degrees.least < 2) return {};
    const std::vector<FactorAxis> axes = axes_at(graph, degrees.with_least, is_regular);
    if (axes.empty()) return {};
    const Steps steps(graph, axes);
    const bool is_cube = std::ranges::all_of(axes, [](const FactorAxis& axis) { return axis.side() == 2; });
    return is_cube ? guessed_hypercube(axes, steps, graph.nodes())
                   : guessed_grid(axes, steps, graph.nodes(), is_regular);
}

Guess guessed(const StoredGraph& graph) {
    const NodeId nodes = graph.nodes();
    if (graph.channels() == nodes * (nodes - 1)) {
        FamilyOrder order(nodes);
        std::iota(order.begin(), order.end(), NodeId{0});
        return {std::make_shared<Complete>(nodes), std::move(order)};
    }
    const Degrees degrees = degrees_of(graph);
    const bool is_square = nodes == 4 && degrees.least == 2;  // which is a hypercube
    if (degrees.most == 2 && !is_square) return guessed_line(graph, degrees);
    return graph.channels() == 2 * (nodes - 1) ? guessed_tree(graph) : guessed_product(graph, degrees);
}

}  // namespace

std::shared_ptr<const Topology> recognized(const std::shared_ptr<const Topology>& graph) {
    const auto* const stored = dynamic_cast<const StoredGraph*>(graph.get());
    if (stored == nullptr || stored->nodes() < 2 || stored->nodes() > recognized_most) return nullptr;
    Guess guess = guessed(*stored);
    if (!is_right(guess, *stored)) return nullptr;
    guess.family->belong_to(std::make_shared<const Membership>(
        Membership{graph, RankedNodes(std::move(guess.order)), MembersJoinedBy::links, /*is_renumbering=*/true}));
    return guess.family;
}

bool is_recognized(const Topology& topology) {
    return topology.membership() != nullptr && topology.membership()->is_renumbering;
}

std::string family_in_words(const Topology& topology) {
    if (!is_recognized(topology)) return {};
    return fmt::format("it is {}{}", topology.spec(),
                       is_as_numbered(topology.membership()->nodes.nodes()) ? "" : " under other numbers");
}

}  // namespace kport
