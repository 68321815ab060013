#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <utility>

#include <Eigen/Dense>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/circle_layout.hpp>
#include <boost/graph/fruchterman_reingold.hpp>
#include <boost/graph/kamada_kawai_spring_layout.hpp>
#include <boost/graph/random_layout.hpp>
#include <boost/property_map/property_map.hpp>

#include "app/pictures/layout.hpp"
#include "emulator/topology/searches.hpp"

namespace kport {
namespace {

using Space = boost::rectangle_topology<std::minstd_rand>;
using SpacePoint = Space::point_type;
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                    boost::property<boost::edge_weight_t, double>>;

Graph graph_of(const Topology& topology) {
    Graph graph(topology.nodes());
    for_each_link(topology, [&](NodeId v, NodeId w) { boost::add_edge(v, w, 1.0, graph); });
    return graph;
}

/// Stops moving nodes when little changes, and after a maximum number of steps: interchangeable nodes may cycle for
/// ever.
class Settled {
  public:
    explicit Settled(std::size_t nodes) : left_(200 * nodes) {}

    bool operator()(double moved, Graph::vertex_descriptor node, const Graph& graph, bool of_all) {
        if (left_ == 0) return true;
        --left_;
        return little_(moved, node, graph, of_all);
    }

  private:
    std::size_t left_;
    boost::layout_tolerance<double> little_{0.01};
};

/// Springs between all nodes, with their distance as the length.
void by_distances(const Graph& graph, std::vector<SpacePoint>& places) {
    auto position = boost::make_iterator_property_map(places.begin(), boost::get(boost::vertex_index, graph));
    const double size = std::sqrt(static_cast<double>(places.size())) * 2;
    boost::circle_graph_layout(graph, position, size / 2);
    boost::kamada_kawai_spring_layout(graph, position, boost::get(boost::edge_weight, graph),
                                      boost::square_topology<>(), boost::side_length(size), Settled(places.size()));
}

/// Links attract, nodes repel those near them.
void by_forces(const Graph& graph, std::vector<SpacePoint>& places) {
    auto position = boost::make_iterator_property_map(places.begin(), boost::get(boost::vertex_index, graph));
    std::minstd_rand random(1);
    const double side = 1.5 * std::sqrt(static_cast<double>(places.size()));
    const Space space(random, -side / 2, -side / 2, side / 2, side / 2);
    boost::random_graph_layout(graph, position, space);
    const double iterations = std::clamp(200000.0 / static_cast<double>(places.size()), 20.0, 200.0);
    boost::fruchterman_reingold_force_directed_layout(
        graph, position, space, boost::cooling(boost::linear_cooling<double>(static_cast<std::size_t>(iterations))));
}

/// The nodes' distances from some that are far apart, seen from where they differ most: a projection as of an object that is turned to
/// its broadest side (pivot MDS, Brandes and Pich 2006). O(links + nodes) for each of the pivots.
void by_pivots(const Topology& topology, std::vector<SpacePoint>& places) {
    constexpr Eigen::Index pivots = 50;
    const auto nodes = static_cast<Eigen::Index>(topology.nodes());
    Eigen::MatrixXd far(nodes, pivots);  // squares of distances
    Eigen::VectorXd nearest = Eigen::VectorXd::Constant(nodes, std::numeric_limits<double>::infinity());
    NodeId pivot = 0;
    for (Eigen::Index i = 0; i < pivots; ++i) {
        const std::vector<std::uint32_t> distance = search_from(topology, pivot).distance;
        for (Eigen::Index v = 0; v < nodes; ++v) {
            const auto links = static_cast<double>(distance[static_cast<std::size_t>(v)]);
            far(v, i) = links * links;
            nearest(v) = std::min(nearest(v), links);
        }
        Eigen::Index next = 0;
        nearest.maxCoeff(&next);
        pivot = static_cast<NodeId>(next);
    }
    const Eigen::VectorXd of_nodes = far.rowwise().mean();
    const Eigen::RowVectorXd of_pivots = far.colwise().mean();
    const double mean = far.mean();
    far = (far.colwise() - of_nodes).rowwise() - of_pivots;
    far.array() += mean;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(far.transpose() * far);
    const Eigen::MatrixXd seen = far * solver.eigenvectors().rightCols(2);
    for (std::size_t v = 0; v < places.size(); ++v) {
        places[v][0] = seen(static_cast<Eigen::Index>(v), 1);
        places[v][1] = seen(static_cast<Eigen::Index>(v), 0);
    }
}

/// Separates nodes that are closer than 1.
void part(std::vector<Point>& places) {
    constexpr int passes = 60;
    using Cell = std::pair<std::int64_t, std::int64_t>;
    const auto cell_of = [](const Point& p) {
        return Cell{static_cast<std::int64_t>(std::floor(p.x)), static_cast<std::int64_t>(std::floor(p.y))};
    };
    bool near = true;
    for (int pass = 0; pass < passes && near; ++pass) {
        near = false;
        std::map<Cell, std::vector<std::size_t>> cells;
        for (std::size_t v = 0; v < places.size(); ++v) cells[cell_of(places[v])].push_back(v);
        for (std::size_t v = 0; v < places.size(); ++v) {
            const Cell here = cell_of(places[v]);
            for (std::int64_t dx = -1; dx <= 1; ++dx)
                for (std::int64_t dy = -1; dy <= 1; ++dy) {
                    const auto found = cells.find({here.first + dx, here.second + dy});
                    if (found == cells.end()) continue;
                    for (const std::size_t w : found->second) {
                        if (w <= v) continue;
                        const double apart = distance(places[v], places[w]);
                        if (apart >= 1) continue;
                        near = true;
                        const double angle = static_cast<double>(v + 7 * w);  // some direction if both are at one place
                        const double push = (1.02 - apart) / 2;
                        const Point way = apart > 1e-3 ? Point{(places[v].x - places[w].x) / apart,
                                                               (places[v].y - places[w].y) / apart}
                                                       : Point{std::cos(angle), std::sin(angle)};
                        places[v] = {places[v].x + push * way.x, places[v].y + push * way.y};
                        places[w] = {places[w].x - push * way.x, places[w].y - push * way.y};
                    }
                }
        }
    }
}

}  // namespace

std::vector<Point> computed_places(const Topology& topology) {
    constexpr NodeId springs_max = 64;
    constexpr NodeId forces_max = 500;
    if (topology.nodes() == 1) return {{}};
    const Graph graph = graph_of(topology);
    std::vector<SpacePoint> found(topology.nodes());
    if (topology.nodes() <= springs_max)
        by_distances(graph, found);
    else if (topology.nodes() <= forces_max)
        by_forces(graph, found);
    else
        by_pivots(topology, found);
    double links = 0;
    double length = 0;
    const auto [begin, end] = boost::edges(graph);
    for (auto link = begin; link != end; ++link, ++links) {
        const SpacePoint& a = found[boost::source(*link, graph)];
        const SpacePoint& b = found[boost::target(*link, graph)];
        length += std::hypot(a[0] - b[0], a[1] - b[1]);
    }
    constexpr double link_length = 1.6;
    const double scale = length > 0 ? link_length * links / length : 1;
    std::vector<Point> places;
    for (const SpacePoint& p : found) places.push_back({scale * p[0], scale * p[1]});
    part(places);
    return places;
}

}  // namespace kport
