#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/error.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/divisor.hpp"
#include "emulator/topology/family.hpp"
#include "emulator/topology/family_bases.hpp"
#include "emulator/topology/searches.hpp"

namespace kport {
namespace {

/// A row of nodes in which those at multiples of S, its stops, are also linked to the stops before and after. Distances to a
/// stop pass the nearest stop on one side, and then each stop between.
class ExpressLine {
  public:
    ExpressLine(NodeId side, NodeId stride) : side_(side), stride_(stride), by_stride_(stride) {
        last_stop_ = by_stride_.quotient(side - 1);
    }

    [[nodiscard]] NodeId side() const { return side_; }
    [[nodiscard]] bool is_stop(NodeId x) const { return by_stride_.quotient(x) * stride_ == x; }
    [[nodiscard]] Port degree(NodeId x) const {
        const Port beside = (x > 0 ? 1U : 0U) + (x + 1 < side_ ? 1U : 0U);
        if (!is_stop(x)) return beside;
        return beside + (x >= stride_ ? 1U : 0U) + (stride_ < side_ - x ? 1U : 0U);
    }
    [[nodiscard]] Port max_degree() const {
        Port most = 0;
        for (const NodeId x : {NodeId{0}, NodeId{1}, stride_})
            if (x < side_) most = std::max(most, degree(x));
        return most;
    }
    [[nodiscard]] std::uint64_t links() const { return side_ - 1 + last_stop_; }
    /// A row of two, three in a triangle, or a ring closed by its one express link.
    [[nodiscard]] bool vertex_symmetric() const { return side_ <= 2 || side_ == stride_ + 1; }
    [[nodiscard]] bool bipartite() const { return last_stop_ == 0 || stride_ % 2 == 1; }

    [[nodiscard]] NodeId distance(NodeId x, NodeId y) const {
        NodeId least = x < y ? y - x : x - y;
        for (const Stop& from : stops_beside(x))
            for (const Stop& to : stops_beside(y))
                least = std::min(least, from.distance + gap(from.number, to.number) + to.distance);
        return least;
    }
    /// Between two stops a node's distances rise from both, so that the farthest is in the middle. Of those between stops some
    /// between the first two, or the last two, are farthest, or some beside x or beyond the last stop.
    [[nodiscard]] NodeId eccentricity(NodeId x) const {
        NodeId most = 0;
        const auto look_at = [&](NodeId y) { most = std::max(most, distance(x, std::min(y, side_ - 1))); };
        const NodeId own = by_stride_.quotient(x);
        for (const NodeId segment : {NodeId{0}, last_stop_ == 0 ? 0 : last_stop_ - 1, own, own == 0 ? 0 : own - 1}) {
            const NodeId begin = segment * stride_;
            if (segment == last_stop_) continue;
            most = std::max(most, farthest_between(x, begin, begin + stride_));
        }
        look_at(side_ - 1);
        look_at(0);
        return most;
    }
    [[nodiscard]] std::uint64_t sum_of_distances(NodeId x) const {
        std::uint64_t sum = 0;
        for (NodeId y = 0; y < side_; ++y) sum += distance(x, y);
        return sum;
    }
    /// Nodes by their distance from x.
    [[nodiscard]] std::vector<std::uint64_t> profile(NodeId x) const {
        std::vector<std::uint64_t> profile(eccentricity(x) + 1, 0);
        for (NodeId y = 0; y < side_; ++y) ++profile[distance(x, y)];
        return profile;
    }

  private:
    struct Stop {
        NodeId number;
        NodeId distance;
    };

    static NodeId gap(NodeId x, NodeId y) { return x < y ? y - x : x - y; }

    /// The stops before and after x; the same twice where there is one only.
    [[nodiscard]] std::array<Stop, 2> stops_beside(NodeId x) const {
        const NodeId before = by_stride_.quotient(x);
        const Stop first{before, x - before * stride_};
        if (before == last_stop_) return {first, first};
        return {first, Stop{before + 1, stride_ - first.distance}};
    }
    /// Returns the distance from x to the farthest node from stop `begin` to the next stop `end`.
    [[nodiscard]] NodeId farthest_between(NodeId x, NodeId begin, NodeId end) const {
        const auto rising = [&](NodeId left, NodeId right) {
            return (distance(x, left) + distance(x, right) + (right - left)) / 2;
        };
        if (x <= begin || x >= end) return rising(begin, end);
        return std::max(rising(begin, x), rising(x, end));
    }

    NodeId side_;
    NodeId stride_;
    Divisor by_stride_;
    NodeId last_stop_;  ///< its number
};

/// A mesh with express links: in each dimension a node whose coordinate is a multiple of S is also linked to those S before and
/// after, by ports 2q + 2i and 2q + 2i + 1. It is the product of rows of one dimension, so distances add up.
/// Source    Dally, Express cubes: improving the performance of k-ary n-cube interconnection networks, IEEE ToC 40 (1991).
class ExpressMesh final : public OnGrid {
  public:
    ExpressMesh(const std::vector<NodeId>& sides, NodeId stride)
        : OnGrid(fmt::format("express-mesh:{},{}", fmt::join(sides, "x"), stride), GridKind::mesh, sides, 4),
          stride_(stride), mesh_ports_(static_cast<Port>(2 * sides.size())) {
        for (const NodeId side : sides) lines_.emplace_back(side, stride);
    }

    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override {
        if (p < mesh_ports_) return grid().across(v, p);
        const int i = Grid::dimension_of(p - mesh_ports_);
        const NodeId x = grid().coordinate(v, i);
        const NodeId side = grid().side(i);
        const bool forth = Grid::is_plus(p - mesh_ports_);
        if (!lines_[static_cast<std::size_t>(i)].is_stop(x)) return {};
        if (forth ? stride_ >= side - x : x < stride_) return {};
        const NodeId apart = stride_ * grid().stride(i);
        return {forth ? v + apart : v - apart, p ^ 1U};
    }
    [[nodiscard]] Port labels_in_use() const override {
        for (Port p = ports(); p > 0; --p)
            if (grid().side(Grid::dimension_of((p - 1) % mesh_ports_)) > (p > mesh_ports_ ? stride_ : 1)) return p;
        return 0;
    }
    [[nodiscard]] Port degree(NodeId v) const override {
        Port sum = 0;
        for_each_line(v, [&](const ExpressLine& line, NodeId x) { sum += line.degree(x); });
        return sum;
    }
    [[nodiscard]] Port max_degree() const override {
        Port sum = 0;
        for (const ExpressLine& line : lines_) sum += line.max_degree();
        return sum;
    }
    [[nodiscard]] std::uint64_t channels() const override {
        std::uint64_t sum = 0;
        for (const ExpressLine& line : lines_) sum += 2 * line.links() * (nodes() / line.side());
        return sum;
    }
    [[nodiscard]] Hops distance(NodeId v, NodeId w) const override {
        Hops sum = 0;
        for (int i = 0; i < grid().dimensions(); ++i)
            sum += lines_[static_cast<std::size_t>(i)].distance(grid().coordinate(v, i), grid().coordinate(w, i));
        return sum;
    }
    [[nodiscard]] Hops eccentricity(NodeId v) const override {
        Hops sum = 0;
        for_each_line(v, [&](const ExpressLine& line, NodeId x) { sum += line.eccentricity(x); });
        return sum;
    }
    [[nodiscard]] Hops diameter() const override { return extremes().most; }
    [[nodiscard]] Hops radius() const override { return extremes().least; }
    [[nodiscard]] std::vector<std::uint64_t> distance_profile(NodeId v) const override {
        std::vector<std::uint64_t> profile{1};
        for_each_line(v, [&](const ExpressLine& line, NodeId x) {
            require_short(line);
            profile = profile_of_product(profile, line.profile(x));
        });
        return profile;
    }
    [[nodiscard]] std::uint64_t sum_of_distances(NodeId v) const override {
        const std::string what = fmt::format("the sum of distances in {}", spec());
        std::uint64_t sum = 0;
        for_each_line(v, [&](const ExpressLine& line, NodeId x) {
            require_short(line);
            sum = checked_sum(sum, checked_product(line.sum_of_distances(x), nodes() / line.side(), what), what);
        });
        return sum;
    }
    /// A product is vertex-transitive exactly if all factors are.
    [[nodiscard]] std::optional<bool> vertex_symmetry() const override {
        return std::ranges::all_of(lines_, &ExpressLine::vertex_symmetric);
    }
    [[nodiscard]] bool bipartite() const override { return std::ranges::all_of(lines_, &ExpressLine::bipartite); }

  private:
    struct Extremes {
        Hops least = 0;
        Hops most = 0;
    };

    template <class F>
    void for_each_line(NodeId v, const F& f) const {
        for (int i = 0; i < grid().dimensions(); ++i) f(lines_[static_cast<std::size_t>(i)], grid().coordinate(v, i));
    }
    /// Throws DoesNotFit where a side is too long to look at each of its nodes.
    void require_short(const ExpressLine& line) const {
        constexpr NodeId side_max = NodeId{1} << 22;  // some seconds
        if (line.side() > side_max)
            throw DoesNotFit(
                fmt::format("distances in {} take a look at each node of a side of {}; at most {} are looked at",
                            spec(), line.side(), side_max));
    }
    [[nodiscard]] Extremes extremes() const {
        Extremes found;
        for (const ExpressLine& line : lines_) {
            require_short(line);
            NodeId least = line.eccentricity(0);
            NodeId most = least;
            for (NodeId x = 1; x < line.side(); ++x) {
                const NodeId here = line.eccentricity(x);
                least = std::min(least, here);
                most = std::max(most, here);
            }
            found = {found.least + least, found.most + most};
        }
        return found;
    }

    NodeId stride_;
    Port mesh_ports_;
    std::vector<ExpressLine> lines_;
};

}  // namespace

std::vector<TopologyFamily> families_in_express_mesh() {
    return {{.name = "express-mesh",
             .form = "express-mesh:AxBx...,S",
             .about = "the mesh AxBx..., whose nodes at multiples of S are also linked to those S before and after",
             .build = [](const Parameters& given) -> std::shared_ptr<const Topology> {
                 const std::vector<Parameters> parts = given.parts(2);
                 const std::vector<NodeId> sides = parts[0].numbers('x', {"side", 1, nodes_max});
                 double nodes = 1;
                 for (const NodeId side : sides) {
                     nodes *= static_cast<double>(side);
                     given.require_nodes(nodes);
                 }
                 return std::make_shared<const ExpressMesh>(sides,
                                                            parts[1].number({"length of express links", 2, nodes_max}));
             },
             .members =
                 [](NodeId nodes) {
                     std::vector<std::string> found;
                     for (const NodeId stride : {2U, 3U}) {
                         found.push_back(fmt::format("{},{}", nodes, stride));
                         for (const std::string& sides : members_with_sides(nodes))
                             found.push_back(fmt::format("{},{}", sides, stride));
                     }
                     return found;
                 },
             .also = {"expresscube"},
             .drawn = DrawnAs::grid}};
}

}  // namespace kport
