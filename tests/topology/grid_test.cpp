#include "emulator/topology/grid.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/base/error.hpp"
#include "emulator/topology/hypercube.hpp"
#include "tests/topology/reference.hpp"

namespace kport {
namespace {

using Sides = std::vector<NodeId>;

/// Row-major coordinates by plain division, first dimension most significant.
Sides coordinates_of(NodeId v, const Sides& sides) {
    Sides x(sides.size());
    for (std::size_t i = sides.size(); i-- > 0; v /= sides[i]) x[i] = v % sides[i];
    return x;
}

NodeId gap(NodeId x, NodeId y) { return x > y ? x - y : y - x; }

/// The definition: neighbours differ in exactly one coordinate, by one, or from end to end where the grid wraps.
bool linked(NodeId v, NodeId w, const Sides& sides, bool wraps) {
    const Sides x = coordinates_of(v, sides);
    const Sides y = coordinates_of(w, sides);
    int steps = 0;
    int differing = 0;
    for (std::size_t i = 0; i < sides.size(); ++i) {
        if (x[i] == y[i]) continue;
        ++differing;
        if (gap(x[i], y[i]) == 1 || (wraps && gap(x[i], y[i]) == sides[i] - 1)) ++steps;
    }
    return differing == 1 && steps == 1;
}

std::string refusal(GridKind kind, const Sides& sides) {
    try {
        const Grid grid(kind, sides);
    } catch (const RequestError& error) {
        return error.what();
    }
    return "(accepted)";
}

TEST(Grid, NumbersNodesRowMajor) {
    const Grid mesh(GridKind::mesh, {4, 5});
    for (NodeId i = 0; i < 4; ++i)
        for (NodeId j = 0; j < 5; ++j) {
            const NodeId v = i * 5 + j;
            EXPECT_EQ(mesh.coordinate(v, 0), i);
            EXPECT_EQ(mesh.coordinate(v, 1), j);
            for (NodeId x = 0; x < 4; ++x) EXPECT_EQ(mesh.with_coordinate(v, 0, x), x * 5 + j);
            for (NodeId x = 0; x < 5; ++x) EXPECT_EQ(mesh.with_coordinate(v, 1, x), i * 5 + x);
        }
    EXPECT_EQ(mesh.dimensions(), 2);
    EXPECT_EQ(mesh.side(0), 4U);
    EXPECT_EQ(mesh.stride(0), 5U);
    EXPECT_EQ(mesh.stride(1), 1U);
    EXPECT_FALSE(mesh.wraps());
}

TEST(Grid, LabelsMinusPortsEvenAndPlusPortsOdd) {
    const Grid mesh(GridKind::mesh, {3, 3});
    EXPECT_EQ(mesh.across(4, Grid::minus(0)), (LinkEnd{1, Grid::plus(0)}));
    EXPECT_EQ(mesh.across(4, Grid::plus(0)), (LinkEnd{7, Grid::minus(0)}));
    EXPECT_EQ(mesh.across(4, Grid::minus(1)), (LinkEnd{3, Grid::plus(1)}));
    EXPECT_EQ(mesh.across(4, Grid::plus(1)), (LinkEnd{5, Grid::minus(1)}));
    EXPECT_EQ(Grid::minus(1), 2U);
    EXPECT_EQ(Grid::plus(1), 3U);
    EXPECT_EQ(Grid::dimension_of(3), 1);
    EXPECT_TRUE(Grid::is_plus(3));
    EXPECT_FALSE(Grid::is_plus(2));
}

TEST(Grid, LacksThePortsThatLeadOutsideAMesh) {
    const Grid mesh(GridKind::mesh, {2, 3});
    EXPECT_EQ(mesh.across(0, Grid::minus(0)), LinkEnd{});
    EXPECT_EQ(mesh.across(0, Grid::minus(1)), LinkEnd{});
    EXPECT_EQ(mesh.across(2, Grid::plus(1)), LinkEnd{});
    EXPECT_EQ(mesh.port_to(2, 3), no_port) << "the end of a row is no neighbour of the start of the next";
}

TEST(Grid, WrapsAroundATorus) {
    const Grid torus(GridKind::torus, {3, 4});
    EXPECT_EQ(torus.across(0, Grid::minus(1)), (LinkEnd{3, Grid::plus(1)}));
    EXPECT_EQ(torus.across(3, Grid::plus(1)), (LinkEnd{0, Grid::minus(1)}));
    EXPECT_EQ(torus.across(0, Grid::minus(0)), (LinkEnd{8, Grid::plus(0)}));
}

TEST(Grid, OfTorusSidesTwoIsTheHypercube) {
    const Grid torus(GridKind::torus, {2, 2, 2, 2});
    const Hypercube cube(4);
    EXPECT_EQ(torus.channels(), cube.channels());
    for (NodeId v = 0; v < 16; ++v)
        for (NodeId w = 0; w < 16; ++w) EXPECT_EQ(torus.port_to(v, w) != no_port, cube.port_to(v, w) != no_port);
}

TEST(Grid, HasOnlyThePlusPortOnATorusSideOfTwo) {
    const Grid torus(GridKind::torus, {2, 3});
    for (NodeId v = 0; v < torus.nodes(); ++v) {
        EXPECT_EQ(torus.across(v, Grid::minus(0)), LinkEnd{});
        EXPECT_EQ(torus.across(v, Grid::plus(0)), (LinkEnd{(v + 3) % 6, Grid::plus(0)}));
    }
}

TEST(Grid, HasNoLinkAlongASideOfOne) {
    for (const GridKind kind : {GridKind::mesh, GridKind::torus}) {
        const Grid grid(kind, {1, 3});
        for (NodeId v = 0; v < 3; ++v) {
            EXPECT_EQ(grid.across(v, 0), LinkEnd{});
            EXPECT_EQ(grid.across(v, 1), LinkEnd{});
        }
    }
}

TEST(Grid, RoutesTheFirstDimensionFirstAndTiesPlus) {
    const Grid mesh(GridKind::mesh, {4, 4});
    EXPECT_EQ(mesh.route(0, 15), Grid::plus(0));
    EXPECT_EQ(mesh.route(12, 15), Grid::plus(1));
    EXPECT_EQ(mesh.route(15, 0), Grid::minus(0));
    const Grid torus(GridKind::torus, {4, 5});
    EXPECT_EQ(torus.route(0, 10), Grid::plus(0)) << "opposite on an even ring";
    EXPECT_EQ(torus.route(10, 0), Grid::plus(0)) << "opposite on an even ring";
    EXPECT_EQ(torus.route(0, 15), Grid::minus(0));
    EXPECT_EQ(torus.route(0, 3), Grid::minus(1));
}

TEST(Grid, KnowsHowFarEachArmReaches) {
    const Grid mesh(GridKind::mesh, {5});
    EXPECT_EQ(mesh.arms(0, 1).plus, 3U);
    EXPECT_EQ(mesh.arms(0, 1).minus, 1U);
    const Grid ring(GridKind::ring, {6});
    EXPECT_EQ(ring.arms(0, 1).plus, 3U);
    EXPECT_EQ(ring.arms(0, 1).minus, 2U);
}

TEST(Grid, ShowsCoordinatesWhereThereAreSeveral) {
    EXPECT_EQ(Grid(GridKind::mesh, {4, 5}).name(7), "7 (1,2)");
    EXPECT_EQ(Grid(GridKind::torus, {2, 2, 2}).name(6), "6 (1,1,0)");
    EXPECT_EQ(Grid(GridKind::line, {9}).name(7), "7");
}

TEST(Grid, ReadsANodeByItsCoordinates) {
    const Grid mesh(GridKind::mesh, {4, 5});
    EXPECT_EQ(mesh.node("1,2"), 7U);
    EXPECT_EQ(mesh.node("3,4"), 19U);
    EXPECT_EQ(mesh.node("19"), 19U);
}

TEST(Grid, SaysWhichNodesThereAre) {
    const auto refused = [](const Topology& topology, std::string_view text) -> std::string {
        try {
            return topology.name(topology.node(text));
        } catch (const RequestError& error) {
            return error.what();
        }
    };
    const Grid mesh(GridKind::mesh, {4, 5});
    const std::string there = ": mesh:4x5 has nodes 0 to 19, or i,j with i < 4, j < 5";
    for (const std::string text : {"99", "20", "4,0", "0,5", "1,2,3", "1,", ",1", ",", "", "-1", "1, 2", "01", "1,02",
                                   "abc", "18446744073709551616", "0,18446744073709551615"})
        EXPECT_EQ(refused(mesh, text), "source '" + text + "'" + there);
    EXPECT_EQ(refused(Grid(GridKind::mesh, {2, 2, 2}), "1,1"),
              "source '1,1': mesh:2x2x2 has nodes 0 to 7, or i,j,k with i < 2, j < 2, k < 2");
    EXPECT_EQ(refused(Grid(GridKind::mesh, {2, 1, 1, 1}), "2"),
              "source '2': mesh:2x1x1x1 has nodes 0 to 1, or i,j,k,l with i < 2, j < 1, k < 1, l < 1");
    EXPECT_EQ(refused(Grid(GridKind::line, {5}), "1,2"), "source '1,2': line:5 has nodes 0 to 4");
    EXPECT_EQ(refused(Grid(GridKind::ring, {1}), "1"), "source '1': ring:1 has only node 0");
    EXPECT_EQ(
        refused(Grid(GridKind::mesh, {2, 2, 2, 2, 2}), "32"),
        "source '32': mesh:2x2x2x2x2 has nodes 0 to 31, or 5 coordinates with commas between, each less than its side");
}

TEST(Grid, KeepsLinesAndRingsUnderTheirOwnName) {
    EXPECT_EQ(Grid(GridKind::line, {5}).spec(), "line:5");
    EXPECT_EQ(Grid(GridKind::ring, {5}).spec(), "ring:5");
    EXPECT_EQ(Grid(GridKind::torus, {5}).spec(), "torus:5");
    EXPECT_TRUE(Grid(GridKind::ring, {5}).wraps());
}

TEST(Grid, RefusesImpossibleSides) {
    EXPECT_EQ(refusal(GridKind::mesh, {0, 5}), "topology 'mesh:0x5': side 0; every side must be at least 1");
    EXPECT_EQ(refusal(GridKind::mesh, {}), "topology 'mesh:': no side; want at least one");
    EXPECT_EQ(refusal(GridKind::ring, {0}), "topology 'ring:0': 0 nodes; want at least 1");
    EXPECT_EQ(refusal(GridKind::line, {3, 4}), "topology 'line:3x4': 2 sides; want one");
    const NodeId two_32 = NodeId{1} << 32;
    EXPECT_EQ(
        refusal(GridKind::torus, {two_32, two_32, 7}),
        "topology 'torus:4294967296x4294967296x7': more than 1099511627776 (2^40) nodes, the most that there may be");
    EXPECT_EQ(refusal(GridKind::mesh, {1048576, 1048576}), "(accepted)");
    EXPECT_NE(refusal(GridKind::mesh, {1048576, 1048577}), "(accepted)");
}

TEST(Grid, AnswersForTwoToTheForty) {
    const NodeId n = nodes_max;
    const Grid line(GridKind::line, {n});
    EXPECT_EQ(line.diameter(), n - 1);
    EXPECT_EQ(line.eccentricity(n / 2), n / 2);
    EXPECT_EQ(line.distance(0, n - 1), n - 1);
    EXPECT_EQ(line.across(n - 1, Grid::minus(0)), (LinkEnd{n - 2, Grid::plus(0)}));
    EXPECT_EQ(line.channels(), 2 * (n - 1));
    EXPECT_THROW((void)line.sum_of_distances(0), DoesNotFit);

    const Grid mesh(GridKind::mesh, {NodeId{1} << 20, NodeId{1} << 20});
    const NodeId side = NodeId{1} << 20;
    EXPECT_EQ(mesh.coordinate(n - 2, 1), side - 2);
    EXPECT_EQ(mesh.diameter(), 2 * (side - 1));
    EXPECT_EQ(mesh.sum_of_distances(0), side * side * (side - 1));
    const auto profile = mesh.distance_profile(0);
    EXPECT_EQ(profile.size(), 2 * side - 1);
    EXPECT_EQ(profile[side - 1], side);

    const Grid binary(GridKind::torus, Sides(40, 2));
    EXPECT_EQ(binary.diameter(), 40U);
    EXPECT_EQ(binary.channels(), 40 * n);
    EXPECT_EQ(binary.sum_of_distances(n - 1), 20 * n);
    EXPECT_EQ(binary.distance(0, n - 1), 40U);
}

rc::Gen<Sides> small_sides() {
    return rc::gen::suchThat(rc::gen::mapcat(rc::gen::inRange<std::size_t>(1, 6),
                                             [](std::size_t dimensions) {
                                                 return rc::gen::container<Sides>(dimensions,
                                                                                  rc::gen::inRange<NodeId>(1, 8));
                                             }),
                             [](const Sides& sides) {
                                 NodeId nodes = 1;
                                 for (const NodeId side : sides) nodes *= side;
                                 return nodes <= 200;
                             });
}

RC_GTEST_PROP(RandomGrid, HasExactlyTheLinksOfTheDefinition, ()) {
    const Sides sides = *small_sides();
    const bool wraps = *rc::gen::arbitrary<bool>();
    const Grid grid(wraps ? GridKind::torus : GridKind::mesh, sides);
    const test::Reference reference(grid);
    for (NodeId v = 0; v < grid.nodes(); ++v) {
        RC_ASSERT(grid.degree(v) == reference.degree(v));
        RC_ASSERT(grid.distance_profile(v) == reference.profile(v));
        RC_ASSERT(grid.sum_of_distances(v) == reference.sum_of_distances(v));
        for (NodeId w = 0; w < grid.nodes(); ++w) {
            RC_ASSERT(reference.adjacent(v, w) == linked(v, w, sides, wraps));
            RC_ASSERT((grid.port_to(v, w) != no_port) == linked(v, w, sides, wraps));
            RC_ASSERT(grid.distance(v, w) == reference.distance(v, w));
        }
    }
}

RC_GTEST_PROP(RandomHugeGrid, LeadsBackAcrossTheSameLinkAndReadsItsOwnNames, ()) {
    const auto sides = *rc::gen::container<Sides>(3, rc::gen::inRange<NodeId>(1, NodeId{10321}));  // 10321^3 < 2^40
    const Grid grid(*rc::gen::element(GridKind::mesh, GridKind::torus), sides);
    const NodeId v = *rc::gen::inRange<NodeId>(0, grid.nodes());
    const Sides x = coordinates_of(v, sides);
    for (int i = 0; i < 3; ++i) RC_ASSERT(grid.coordinate(v, i) == x[static_cast<std::size_t>(i)]);
    RC_ASSERT(grid.node(std::to_string(x[0]) + "," + std::to_string(x[1]) + "," + std::to_string(x[2])) == v);
    for (Port p = 0; p < grid.ports(); ++p) {
        const LinkEnd there = grid.across(v, p);
        if (there.node == no_node) continue;
        RC_ASSERT(linked(v, there.node, sides, grid.wraps()));
        RC_ASSERT(grid.across(there.node, there.port) == (LinkEnd{v, p}));
        RC_ASSERT(grid.port_to(v, there.node) == p);
    }
}

}  // namespace
}  // namespace kport
