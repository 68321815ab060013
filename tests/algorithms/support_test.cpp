/// @file support_test.cpp   The shared parts of the algorithms against brute force: segments, spanning trees, cut lines.
#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include "algorithms/support/cut_line.hpp"
#include "algorithms/support/disjoint_trees.hpp"
#include "algorithms/support/euler_tour.hpp"
#include "algorithms/support/grid_boxes.hpp"
#include "algorithms/support/segment.hpp"
#include "algorithms/support/spanning_tree.hpp"
#include "algorithms/support/timetable.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

// ------------------------------------------------------------------------------------------------------------- segments

std::uint64_t distance(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

TEST(Halve, CutsIntoContiguousHalvesAroundTheHolder) {
    for (std::uint64_t size = 2; size <= 33; ++size)
        for (std::uint64_t offset = 0; offset < size; ++offset)
            for (const Keep keep : {Keep::smaller, Keep::greater}) {
                const Segment whole{7, 7 + size};
                const std::uint64_t holder = 7 + offset;
                const Halving step = halve(whole, holder, keep);
                const Segment& low = step.kept.first < step.given.first ? step.kept : step.given;
                const Segment& high = step.kept.first < step.given.first ? step.given : step.kept;
                EXPECT_EQ(low.first, whole.first);
                EXPECT_EQ(low.last, high.first);
                EXPECT_EQ(high.last, whole.last);
                EXPECT_LE(distance(low.size(), high.size()), 1U);
                EXPECT_TRUE(step.kept.contains(holder));
                EXPECT_TRUE(step.given.contains(step.receiver));
                for (std::uint64_t x = step.given.first; x < step.given.last; ++x)
                    EXPECT_LE(distance(step.receiver, holder), distance(x, holder)) << "the receiver is the nearest";
                // An odd split keeps the requested part, except in the exact middle.
                const bool middle = size % 2 == 1 && offset == size / 2;
                if (size % 2 == 1 && !middle) {
                    EXPECT_EQ(step.kept.size() > step.given.size(), keep == Keep::greater);
                }
                if (middle) {
                    EXPECT_GT(step.kept.size(), step.given.size()) << "no smaller half contains the middle";
                    EXPECT_EQ(step.kept.first, whole.first) << "left when free to choose";
                }
            }
}

/// Recursive doubling step by step: each node's round, distance and segment.
struct Walk {
    std::map<std::uint64_t, Segment> given;
    std::vector<std::uint64_t> longest;
    std::uint64_t work = 0;

    void go(const Segment& segment, std::uint64_t holder, Keep keep, std::size_t round) {
        given.try_emplace(holder, segment);
        if (segment.size() == 1) return;
        if (longest.size() <= round) longest.push_back(0);
        const Halving step = halve(segment, holder, keep);
        longest[round] = std::max(longest[round], distance(step.receiver, holder));
        work += distance(step.receiver, holder);
        go(step.kept, holder, keep, round + 1);
        go(step.given, step.receiver, keep, round + 1);
    }
};

TEST(SegmentGivenTo, IsWhatTheRecursionGives) {
    for (std::uint64_t n = 1; n <= 40; ++n)
        for (std::uint64_t source = 0; source < n; ++source)
            for (const Keep keep : {Keep::smaller, Keep::greater}) {
                Walk walk;
                walk.go({0, n}, source, keep, 0);
                ASSERT_EQ(walk.given.size(), n);
                for (const auto& [position, segment] : walk.given)
                    EXPECT_EQ(given_to(position, n, source, keep).segment, segment);
            }
}

TEST(LineCost, IsWhatTheRecursionCosts) {
    for (std::uint64_t n = 1; n <= 40; ++n)
        for (std::uint64_t source = 0; source < n; ++source)
            for (const Keep keep : {Keep::smaller, Keep::greater}) {
                Walk walk;
                walk.go({0, n}, source, keep, 0);
                const LineCost cost = line_cost(n, source, keep);
                EXPECT_EQ(cost.rounds, walk.longest.size());
                EXPECT_EQ(cost.work, walk.work);
                EXPECT_EQ(cost.path_sum, std::accumulate(walk.longest.begin(), walk.longest.end(), std::uint64_t{0}));
            }
}

TEST(OddHalvings, CountsThoseOfTheModel) {
    for (unsigned q = 2; q < 60; ++q) {
        const std::uint64_t power = std::uint64_t{1} << q;
        EXPECT_EQ(odd_halvings(power), 0U);
        EXPECT_EQ(odd_halvings(power - 1), 1U);
        EXPECT_EQ(odd_halvings(power + 1), q);
    }
}

TEST(LineCost, HasTheClosedFormsOfTheModel) {
    for (std::uint64_t n = 2; n <= 200; ++n) {
        std::uint64_t bits = 0;
        for (std::uint64_t j = 0; j < n; ++j) bits += static_cast<std::uint64_t>(std::popcount(j));
        const LineCost smaller = line_cost(n, 0, Keep::smaller);
        EXPECT_EQ(smaller.rounds, ceil_log2(n));
        EXPECT_EQ(smaller.path_sum, n - 1);
        EXPECT_EQ(smaller.work, bits);
        const LineCost greater = line_cost(n, 0, Keep::greater);
        EXPECT_EQ(greater.path_sum, n - 1 + odd_halvings(n));
        EXPECT_EQ(smaller.volume, n - 1 + odd_halvings(n));
        EXPECT_EQ(greater.work, n * (ceil_log2(n) + 1) - (std::uint64_t{1} << ceil_log2(n)) - bits);
        const std::uint64_t f = n / 2;
        const std::uint64_t c = n - f;
        for (std::uint64_t p = 0; p < n; ++p) {
            const std::uint64_t h = p < f ? (f - p) + c - 1 : p >= c ? (p - c + 1) + c - 1 : c;
            EXPECT_EQ(line_cost(n, p, Keep::smaller).path_sum, h) << n << " from " << p;
            EXPECT_EQ(line_cost(n, p, Keep::greater).volume, n - 1) << n << " from " << p;
        }
    }
}

/// Cuts a segment into parts and hands each to its first position, down to single positions.
void cut(const Segment& segment, std::uint64_t parts, std::map<std::uint64_t, Segment>& begun) {
    begun.try_emplace(segment.first, segment);
    if (segment.size() == 1) return;
    std::uint64_t end = segment.first;
    for (std::uint64_t j = 0; j < std::min(parts, segment.size()); ++j) {
        const Segment part = part_of(segment, j, parts);
        EXPECT_EQ(part.first, end);
        EXPECT_LE(part_of(segment, 0, parts).size() - part.size(), 1U) << "nearly equal, the first the greatest";
        end = part.last;
        cut(part, parts, begun);
    }
    EXPECT_EQ(end, segment.last);
}

TEST(SegmentBegunBy, IsWhatCuttingIntoPartsGives) {
    for (std::uint64_t n = 1; n <= 40; ++n)
        for (std::uint64_t parts = 2; parts <= 6; ++parts) {
            std::map<std::uint64_t, Segment> begun;
            cut({0, n}, parts, begun);
            ASSERT_EQ(begun.size(), n);
            for (const auto& [position, segment] : begun) EXPECT_EQ(segment_begun_by(position, n, parts), segment);
        }
}

TEST(CeilLog2, IsTheLeastPowerThatReaches) {
    EXPECT_EQ(ceil_log2(1), 0U);
    for (std::uint64_t x = 2; x <= 1000; ++x) {
        EXPECT_GE(std::uint64_t{1} << ceil_log2(x), x);
        EXPECT_LT(std::uint64_t{1} << (ceil_log2(x) - 1), x);
    }
    EXPECT_EQ(ceil_log2(std::uint64_t{1} << 63), 63U);
    EXPECT_EQ(ceil_log2((std::uint64_t{1} << 63) + 1), 64U);
}

// ------------------------------------------------------------------------------------------------------- spanning trees

const std::vector<std::string> small_graphs = {"line:1",      "line:6",     "ring:7",      "ring:2",
                                               "hypercube:4", "complete:6", "cbt:3",       "mesh:3x4",
                                               "mesh:2x3x3",  "torus:3x4",  "torus:2x2x3", "torus:1x5"};

TEST(SpanningTree, HasTheLowestNearerNeighbourAsParent) {
    for (const std::string& spec : small_graphs) {
        const auto graph = make_topology(spec);
        for (NodeId source = 0; source < graph->nodes(); ++source) {
            const SpanningTree tree(*graph, source);
            std::vector<std::vector<std::uint32_t>> children(graph->nodes());
            EXPECT_EQ(tree.source(), source);
            for (NodeId v = 0; v < graph->nodes(); ++v) {
                NodeId lowest = v == source ? source : no_node;
                for (NodeId w = 0; w < graph->nodes() && lowest == no_node; ++w)
                    if (graph->port_to(v, w) != no_port && graph->distance(source, w) < graph->distance(source, v))
                        lowest = w;
                EXPECT_EQ(tree.parent(v), lowest) << spec;
                if (v == source) continue;
                EXPECT_EQ(nearer_neighbour(*graph, source, v), lowest) << spec;
                children[lowest].push_back(static_cast<std::uint32_t>(v));
            }
            for (NodeId v = 0; v < graph->nodes(); ++v)
                EXPECT_TRUE(std::ranges::equal(tree.children(v), children[v])) << spec << " " << v;
        }
    }
}

/// Least rounds in which k ports inform a subtree, over all orders of the children.
std::uint64_t least_rounds(const SpanningTree& tree, NodeId v, std::uint64_t k) {
    std::vector<std::uint64_t> times;
    for (const NodeId child : tree.children(v)) times.push_back(least_rounds(tree, child, k));
    std::sort(times.begin(), times.end());
    std::uint64_t least = times.empty() ? 0 : no_node;
    if (times.empty()) return least;
    do {
        std::uint64_t rounds = 0;
        for (std::size_t i = 0; i < times.size(); ++i) rounds = std::max(rounds, i / k + 1 + times[i]);
        least = std::min(least, rounds);
    } while (std::next_permutation(times.begin(), times.end()));
    return least;
}

TEST(SpanningTree, FarthestFirstIsTheBestOfAllOrders) {
    for (const std::string& spec : small_graphs) {
        const auto graph = make_topology(spec);
        for (NodeId source = 0; source < graph->nodes(); source += 2)
            for (const Port k : {1U, 2U, 3U, no_port}) {
                SpanningTree tree(*graph, source);
                EXPECT_EQ(tree.order_farthest_first(k), least_rounds(tree, source, k)) << spec << " from " << source;
                for (NodeId v = 0; v < graph->nodes(); ++v) {
                    const auto children = tree.children(v);
                    for (std::size_t i = 1; i < children.size(); ++i) {
                        const std::uint64_t earlier = least_rounds(tree, children[i - 1], k);
                        const std::uint64_t later = least_rounds(tree, children[i], k);
                        EXPECT_TRUE(earlier > later || (earlier == later && children[i - 1] < children[i]));
                    }
                }
            }
    }
}

void walk_preorder(const SpanningTree& tree, NodeId v, std::vector<NodeId>& order) {
    order.push_back(v);
    for (const NodeId child : tree.children(v)) walk_preorder(tree, child, order);
}

TEST(Preorder, IsTheDepthFirstOrder) {
    for (const std::string& spec : small_graphs) {
        const auto graph = make_topology(spec);
        const SpanningTree tree(*graph, graph->nodes() / 2);
        const Preorder preorder(tree, graph->nodes());
        std::vector<NodeId> order;
        walk_preorder(tree, tree.source(), order);
        ASSERT_EQ(order.size(), graph->nodes());
        for (std::uint64_t i = 0; i < order.size(); ++i) {
            EXPECT_EQ(preorder.node(i), order[i]) << spec;
            EXPECT_EQ(preorder.number(order[i]), i) << spec;
        }
    }
}

TEST(EulerTour, FollowsTheTreeAndKnowsThePacketsOfAnInterval) {
    for (const std::string& spec : small_graphs) {
        const auto graph = make_topology(spec);
        const NodeId nodes = graph->nodes();
        const EulerTour tour(*graph, nodes / 3);
        const SpanningTree tree(*graph, nodes / 3);
        for (NodeId from = 0; from < nodes; ++from)
            for (NodeId to = 0; to < nodes; ++to) {
                NodeId at = from;
                for (const Port port : tour.route(from, to)) {
                    const NodeId next = graph->across(at, port).node;
                    EXPECT_TRUE(tree.parent(at) == next || tree.parent(next) == at) << spec;
                    at = next;
                }
                EXPECT_EQ(at, to) << spec;
            }
        for (std::uint64_t first = 0; first < nodes; ++first)
            for (std::uint64_t last = first + 1; last <= nodes; ++last) {
                const PacketSet packets = tour.packets_for({first, last});
                EXPECT_EQ(packets.size(), last - first);
                for (std::uint64_t number = first; number < last; ++number) {
                    const PacketBlock packet{static_cast<std::uint32_t>(tour.node(number))};
                    EXPECT_EQ(common_size(packets.blocks(), {&packet, 1}), 1U) << spec;
                }
            }
    }
}

// ------------------------------------------------------------------------------------------------------------ cut lines

TEST(CutLine, IsALineOfTheGridThatNeverCrossesTheCut) {
    for (const char* spec : {"line:7", "ring:1", "ring:2", "ring:3", "ring:8", "ring:9", "mesh:3x4", "torus:3x4",
                             "torus:2x5", "torus:4x1x3"}) {
        const auto topology = make_topology(spec);
        const Grid& grid = dynamic_cast<const Grid&>(*topology);
        for (NodeId source = 0; source < grid.nodes(); ++source)
            for (int dimension = 0; dimension < grid.dimensions(); ++dimension)
                for (const Keep keep : {Keep::smaller, Keep::greater}) {
                    const CutLine line(grid, dimension, source, keep);
                    const std::uint64_t n = line.size();
                    EXPECT_EQ(n, grid.side(dimension));
                    EXPECT_EQ(line.position(source), line.source());
                    EXPECT_EQ(line.node_at(source, line.source()), source);
                    for (std::uint64_t p = 0; p < n; ++p) {
                        EXPECT_EQ(line.position(line.node_at(source, p)), p);
                        for (std::uint64_t q = 0; q < n; ++q) {
                            const std::vector<Port> route = line.route(p, q);
                            EXPECT_EQ(route.size(), distance(p, q));
                            NodeId at = line.node_at(source, p);
                            for (std::uint64_t step = 1; step <= route.size(); ++step) {
                                at = grid.across(at, route[step - 1]).node;
                                ASSERT_EQ(at, line.node_at(source, p < q ? p + step : p - step)) << spec;
                            }
                        }
                    }
                    if (grid.wraps() && n > 1) {
                        const std::uint64_t half = keep == Keep::smaller ? n / 2 : (n + 1) / 2;
                        EXPECT_EQ(line.source(), half - 1);
                        EXPECT_LE(std::max(line.source(), n - 1 - line.source()), (n + 1) / 2);
                    }
                }
    }
}

// ----------------------------------------------------------------------------------------------------------- grid boxes

TEST(GridBoxes, HoldsTheNodesWithEqualEarlierCoordinatesAndAnyLaterOnes) {
    for (const char* spec : {"line:5", "ring:5", "mesh:3x4", "torus:2x3x2", "mesh:2x1x3x2"}) {
        const auto topology = make_topology(spec);
        const Grid& grid = dynamic_cast<const Grid&>(*topology);
        std::vector<unsigned> order = ascending_dimensions(grid);
        do {
            const GridBoxes boxes(grid, order);
            for (NodeId v = 0; v < grid.nodes(); ++v)
                for (std::size_t i = 0; i < order.size(); ++i) {
                    const auto dimension = static_cast<int>(order[i]);
                    const NodeId side = grid.side(dimension);
                    const auto in_box = [&](NodeId w, NodeId first, NodeId count) {
                        for (std::size_t j = 0; j < i; ++j)
                            if (grid.coordinate(v, static_cast<int>(order[j])) !=
                                grid.coordinate(w, static_cast<int>(order[j])))
                                return false;
                        return (grid.coordinate(w, dimension) + side - first) % side < count;
                    };
                    for (NodeId first = 0; first < side; ++first)
                        for (NodeId count = 1; count <= (grid.wraps() ? side : side - first); ++count) {
                            const PacketSet packets = boxes.packets(v, i, first, count);
                            NodeId inside = 0;
                            for (NodeId w = 0; w < grid.nodes(); ++w) {
                                const PacketBlock packet{static_cast<std::uint32_t>(w)};
                                const bool in = in_box(w, first, count);
                                inside += in ? 1 : 0;
                                ASSERT_EQ(common_size(packets.blocks(), {&packet, 1}), in ? 1U : 0U) << spec;
                            }
                            ASSERT_EQ(packets.size(), inside) << spec;
                            if (std::ranges::is_sorted(order)) {
                                EXPECT_LE(packets.blocks().size(), 2U) << "runs of numbers";
                            }
                        }
                }
        } while (std::ranges::next_permutation(order).found);
    }
}

struct Window {
    Round first;
    Round last;
    [[nodiscard]] Round first_round() const { return first; }
    [[nodiscard]] Round last_round() const { return last; }
};

TEST(LinksOfANode, AreAskedInTheRoundsInWhichSomethingMayGoOverOneOfThem) {
    const LinksOfNode<Window> links{.in = {{.first = 5, .last = 6}, {.first = 9, .last = 3}},
                                    .out = {{.first = 6, .last = 7}, {.first = 20, .last = 20}}};
    std::vector<Round> asked;
    for (Round round = links.next(1); round != no_round; round = links.next(round + 1)) asked.push_back(round);
    EXPECT_EQ(asked, (std::vector<Round>{5, 6, 7, 20}));
    EXPECT_EQ(LinksOfNode<Window>{}.next(1), no_round);
}

/// Every packet of a rule goes over a link in a round in which the link is asked, and few rounds are asked in which nothing goes.
template <class Trees>
void expect_windows_fit(const Machine& machine, const Trees& trees, std::uint64_t packets) {
    const NodeId nodes = machine.topology->nodes();
    std::uint64_t received = 0;
    std::uint64_t asked = 0;
    for (NodeId v = 0; v < nodes; ++v) {
        const auto links = trees.at(v);
        for (Round round = links.next(1); round != no_round; round = links.next(round + 1)) ++asked;
        for (const auto& link : links.in)
            for (Round round = 1; round <= nodes + packets + 4; ++round) {
                if (!link.packet(round)) continue;
                ++received;
                EXPECT_EQ(links.next(round), round) << machine.topology->spec() << ", node " << v;
            }
    }
    EXPECT_EQ(received, packets * (nodes - 1)) << machine.topology->spec();
    EXPECT_LE(asked, 6 * received) << machine.topology->spec();
}

TEST(LinksOfANode, OfTreesThatShareNoChannelAreAskedAboutAsOftenAsPacketsCome) {
    for (const std::uint64_t packets : {1U, 2U, 8U, 40U}) {
        Collective collective = Collective::broadcast(3, 8);
        collective.packets_each = packets;
        for (const char* spec : {"ring:256", "torus:64x4", "torus:3x5x4"}) {
            const Machine machine = test::machine(spec, PortLimit::all());
            expect_windows_fit(machine, TorusTrees(Lattice(*as_grid(machine)), collective), packets);
        }
        for (const char* spec : {"line:256", "mesh:64x4", "mesh:3x5x4"}) {
            const Machine machine = test::machine(spec, PortLimit::all());
            expect_windows_fit(machine, MeshTrees(Lattice(*as_grid(machine)), collective), packets);
        }
    }
}

}  // namespace
}  // namespace kport
