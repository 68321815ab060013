#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "tests/bounds/request.hpp"

namespace kport {
namespace {

using testing::HasSubstr;

const Operation all_operations[] = {Operation::broadcast, Operation::scatter,   Operation::gather,
                                    Operation::reduce,    Operation::allreduce, Operation::scan,
                                    Operation::allgather, Operation::alltoall};

TEST(Broadcast, OnAHypercubeIsAsTheReportShowsIt) {
    Machine machine = machine_of("hypercube:10");
    const Bounds bounds = lower_bounds(machine, {Operation::broadcast, 0, 64});
    EXPECT_EQ(bounds[Quantity::rounds].binding(), "fan-out: ceil(log2 1024)");
    EXPECT_EQ(bounds[Quantity::rounds].largest(), 10);
    EXPECT_EQ(bounds[Quantity::work].binding(), "one copy per other node");
    EXPECT_EQ(bounds[Quantity::work].largest(), 1023);
    EXPECT_EQ(bounds[Quantity::path_sum].binding(), "eccentricity of node 0");
    EXPECT_EQ(bounds[Quantity::path_sum].largest(), 10);
    EXPECT_EQ(bounds[Quantity::volume].binding(), "one packet a round");
    EXPECT_EQ(bounds[Quantity::volume].largest(), 640);
    EXPECT_EQ(bounds[Quantity::latency].binding(), "10 ts + 10 td + 640 tm");
    EXPECT_NEAR(value_of(bounds[Quantity::latency]), 10.64, 1e-9);
    for (const Bound& bound : bounds) EXPECT_EQ(bound.reachable, Reachable::yes) << bound.binding();
}

TEST(Broadcast, IsBoundByDistanceOnAMeshAndByFanOutOnACompleteGraph) {
    const Bounds mesh = bounds_of(Operation::broadcast, machine_of("mesh:4x4"), 5);
    EXPECT_EQ(mesh[Quantity::rounds].binding(), "fan-out: ceil(log2 16)") << "of equals fan-out comes first";
    const Bounds corner = bounds_of(Operation::broadcast, machine_of("mesh:4x4"), 0);
    EXPECT_EQ(corner[Quantity::rounds].binding(), "eccentricity of node 0");
    EXPECT_EQ(corner[Quantity::rounds].largest(), 6);
    const Bounds complete = bounds_of(Operation::broadcast, machine_of("complete:10", "2"));
    EXPECT_EQ(complete[Quantity::rounds].binding(), "fan-out: ceil(log3 10)");
    EXPECT_EQ(complete[Quantity::rounds].largest(), 3);
    EXPECT_EQ(complete[Quantity::path_sum].largest(), 1);
}

TEST(Broadcast, WormholeHasNoDistanceInRoundsButInPathSum) {
    const Bounds bounds = bounds_of(Operation::broadcast, machine_of("line:100", "1", "wh"), 0);
    EXPECT_EQ(bounds[Quantity::rounds].largest(), 7);
    EXPECT_EQ(bounds[Quantity::rounds].arguments.size(), 1U);
    EXPECT_EQ(bounds[Quantity::path_sum].largest(), 99);
    EXPECT_EQ(bounds[Quantity::latency].reachable, Reachable::yes) << "recursive doubling from the end of a line";
}

TEST(Broadcast, SaysWhereTheBoundOnRoundsCannotBeReached) {
    const auto rounds = [](std::string_view spec, NodeId source) {
        return bounds_of(Operation::broadcast, machine_of(spec), source)[Quantity::rounds];
    };
    EXPECT_EQ(rounds("cbt:3", 14).reachable, Reachable::no);
    EXPECT_THAT(rounds("cbt:3", 14).reachable_why, HasSubstr("8 rounds")) << "3h - 1";
    EXPECT_EQ(rounds("torus:5x5", 0).reachable, Reachable::yes) << "found by search, though DOST takes 6";
    EXPECT_EQ(rounds("torus:7x7", 0).reachable, Reachable::no) << "four nodes are 6 links away";
    EXPECT_EQ(rounds("mesh:5x5", 12).reachable, Reachable::no) << "the centre, two rounds late";
    EXPECT_EQ(rounds("mesh:3x3x3", 13).reachable, Reachable::yes);
    EXPECT_EQ(rounds("mesh:5x5x5", 62).reachable, Reachable::no) << "the centre again, with 8 corners";
    EXPECT_EQ(bounds_of(Operation::broadcast, machine_of("complete:12"), 0)[Quantity::path_sum].least, 4)
        << "the rounds";
    const Bound by_chains = rounds("debruijn:2,6", 0);
    EXPECT_EQ(by_chains.largest(), 6);
    EXPECT_EQ(by_chains.least, 8) << "nodes with 4 links";
    EXPECT_THAT(by_chains.reachable_why, HasSubstr("chains of sends through 1 port of nodes of at most 4 links reach"));
    const Bounds others = bounds_of(Operation::broadcast, machine_of("debruijn:2,6"), 0);
    EXPECT_EQ(others[Quantity::volume].reachable_why, "a round moves at least one packet, and 8 rounds are needed");
    EXPECT_EQ(others[Quantity::path_sum].reachable_why, "a round has at least one hop, and 8 rounds are needed");
    const Bound unknown = rounds("random-connected:40,60,3", 0);
    EXPECT_EQ(unknown.reachable, Reachable::unknown);
    EXPECT_THAT(unknown.reachable_why, HasSubstr("NP-complete"));
}

TEST(Scatter, WithoutCombiningIsBoundByPortsThenByDistance) {
    const Bounds one = bounds_of(Operation::scatter, machine_of("line:9", "1", "sf", false), 4);
    EXPECT_EQ(one[Quantity::rounds].largest(), 8);
    EXPECT_EQ(one[Quantity::work].largest(), 2 * (1 + 2 + 3 + 4));
    EXPECT_EQ(one[Quantity::path_sum].largest(), 8) << "every round is a hop";
    const Bounds two = bounds_of(Operation::scatter, machine_of("line:9", "2", "sf", false), 1);
    EXPECT_EQ(two[Quantity::rounds].largest(), 7)
        << "the far end of the line, not the 4 rounds of 8 packets through 2 ports";
    // Node 3 of cbt:3: 14 packets through 3 ports are 5 rounds, but 4 of them go 5 links far: 2 rounds and 4 more.
    const Bounds tree = bounds_of(Operation::scatter, machine_of("cbt:3", "all", "sf", false), 3);
    EXPECT_EQ(tree[Quantity::rounds].largest(), 6);
    EXPECT_EQ(tree[Quantity::rounds].reachable, Reachable::no) << "12 packets share the link to the parent";
}

TEST(Scatter, WithCombiningNeedsTheRoundsOfABroadcastAndTheVolumeOfAllPackets) {
    const Bounds bounds = bounds_of(Operation::scatter, machine_of("hypercube:5", "all"));
    EXPECT_EQ(bounds[Quantity::rounds].largest(), 5);
    EXPECT_EQ(bounds[Quantity::volume].largest(), 7) << "ceil(31 / 5)";
    EXPECT_EQ(bounds_of(Operation::gather, machine_of("hypercube:5"))[Quantity::volume].largest(), 31);
    EXPECT_EQ(bounds_of(Operation::gather, machine_of("hypercube:5"))[Quantity::latency].reachable, Reachable::yes);
}

TEST(Gather, OnAWormholeLineMayHideBytesBehindHops) {
    // rda-product takes 632 here, one less than the sum of the bounds on rounds, path sum and volume.
    Machine machine = machine_of("line:15", "1", "wh");
    machine.costs = {100, 1, 2};
    const Bounds bounds = lower_bounds(machine, {Operation::gather, 5, 8});
    EXPECT_EQ(bounds[Quantity::rounds].largest(), 4);
    EXPECT_EQ(bounds[Quantity::path_sum].largest(), 9);
    EXPECT_EQ(bounds[Quantity::volume].largest(), 14 * 8);
    EXPECT_EQ(bounds[Quantity::latency].largest(), 4 * 100 + 4 * 1 + 14 * 16);
    EXPECT_EQ(bounds[Quantity::latency].binding(), "4 ts + 4 td + 112 tm");
}

TEST(Allgather, IsBoundByTheNodeWithTheFewestPorts) {
    EXPECT_EQ(bounds_of(Operation::allgather, machine_of("mesh:4x4", "all"))[Quantity::volume].largest(), 8)
        << "corner: 15 by 2";
    EXPECT_EQ(bounds_of(Operation::allgather, machine_of("cbt:3", "all"))[Quantity::volume].largest(), 14)
        << "leaf: 14 by 1";
    const Bounds single = bounds_of(Operation::allgather, machine_of("ring:16", "1", "sf", false));
    EXPECT_EQ(single[Quantity::rounds].largest(), 15);
    EXPECT_EQ(single[Quantity::work].largest(), 16 * 15);
    EXPECT_EQ(single[Quantity::rounds].reachable, Reachable::yes);
}

TEST(Alltoall, IsBoundByTrafficOnRingsAndHypercubes) {
    EXPECT_EQ(bounds_of(Operation::alltoall, machine_of("ring:8"))[Quantity::volume].largest(), 16) << "floor(N^2 / 4)";
    EXPECT_EQ(bounds_of(Operation::alltoall, machine_of("hypercube:5"))[Quantity::volume].largest(), 5 * 16)
        << "n 2^(n-1)";
    EXPECT_EQ(bounds_of(Operation::alltoall, machine_of("hypercube:5", "all"))[Quantity::volume].largest(), 16)
        << "2^(n-1)";
    EXPECT_EQ(bounds_of(Operation::alltoall, machine_of("line:9", "all"))[Quantity::volume].largest(), 4 * 5)
        << "bisection";
    const Bounds pairwise = bounds_of(Operation::alltoall, machine_of("hypercube:5", "1", "wh", false));
    EXPECT_EQ(pairwise[Quantity::rounds].largest(), 31);
    EXPECT_EQ(pairwise[Quantity::work].largest(), 32 * 5 * 16);
    EXPECT_EQ(pairwise[Quantity::path_sum].largest(), 5 * 16);
}

TEST(Allreduce, NeedsOneMessageFromAndOneToEveryNodeButOne) {
    const Bounds bounds = bounds_of(Operation::allreduce, machine_of("hypercube:4"));
    EXPECT_EQ(bounds[Quantity::rounds].largest(), 4);
    EXPECT_EQ(bounds[Quantity::work].largest(), 30);
    EXPECT_EQ(bounds[Quantity::volume].largest(), 4);
    EXPECT_EQ(bounds[Quantity::latency].reachable, Reachable::yes);
}

TEST(Scan, MeetsItsWorkOnlyAlongAChainOfNeighbours) {
    EXPECT_EQ(bounds_of(Operation::scan, machine_of("line:8"))[Quantity::work].reachable, Reachable::yes);
    const Bounds cube = bounds_of(Operation::scan, machine_of("hypercube:3"));
    EXPECT_EQ(cube[Quantity::work].largest(), 7);
    EXPECT_EQ(cube[Quantity::work].reachable, Reachable::no);
    EXPECT_THAT(cube[Quantity::work].reachable_why, HasSubstr("nodes 1 and 2 are not"));
}

TEST(ABroadcastOnAGrid, IsJudgedByItsSidesInAnyOrderAndNotBySidesOfOne) {
    const auto judged = [](const char* spec, NodeId root) {
        const Bound rounds = bounds_of(Operation::broadcast, machine_of(spec), root)[Quantity::rounds];
        return std::pair(value_of(rounds), rounds.reachable);
    };
    EXPECT_EQ(judged("torus:5x5", 0), std::pair(5.0, Reachable::yes));
    EXPECT_EQ(judged("torus:5x5x1", 0), judged("torus:5x5", 0));
    EXPECT_EQ(judged("torus:1x7x3", 0), judged("torus:3x7", 0));
    for (const NodeId face : {4U, 10U, 12U, 14U, 16U, 22U})
        EXPECT_EQ(judged("mesh:3x3x3", face), std::pair(5.0, Reachable::yes)) << face;
}

TEST(OneNode, CostsNothing) {
    for (const Operation& operation : all_operations) {
        for (const char* spec : {"hypercube:0", "mesh:1x1", "ring:1", "line:1", "complete:1", "cbt:0", "torus:1x1x1"}) {
            const Bounds bounds = bounds_of(operation, machine_of(spec, "all", "wh", false));
            for (const Bound& bound : bounds) {
                EXPECT_EQ(bound.largest(), 0) << spec;
                EXPECT_EQ(bound.reachable, Reachable::yes) << spec;
            }
        }
    }
}

TEST(LargeMachines, AreAnsweredInClosedForm) {
    for (const Operation& operation : all_operations) {
        for (const char* spec : {"hypercube:40", "line:1099511627776", "ring:1099511627775", "cbt:39",
                                 "mesh:1048576x1048576", "torus:1099511627776x1", "complete:4294967296"}) {
            for (const bool combining : {true, false}) {
                const Bounds bounds = bounds_of(operation, machine_of(spec, "2", "sf", combining));
                EXPECT_GT(bounds[Quantity::rounds].largest(), 0) << spec;
                EXPECT_GE(bounds[Quantity::work].largest(), 4294967295) << spec;
            }
        }
    }
    const Bounds cube = bounds_of(Operation::alltoall, machine_of("hypercube:40", "1", "wh", false));
    EXPECT_EQ(cube[Quantity::rounds].largest(), 1099511627775.0);
    EXPECT_EQ(
        bounds_of(Operation::scatter, machine_of("line:1099511627776", "1", "sf", false))[Quantity::work].binding(),
        "sum of distances from node 0");
}

TEST(Requests, NameAnUnknownNode) {
    try {
        bounds_of(Operation::broadcast, machine_of("mesh:2x3"), 6);
        FAIL();
    } catch (const RequestError& error) {
        EXPECT_THAT(error.what(), HasSubstr("node 6"));
        EXPECT_THAT(error.what(), HasSubstr("0 .. 5"));
    }
}

TEST(Operations, AreFoundByNameAndAliasInAnyCase) {
    for (const Operation& operation : operations()) {
        EXPECT_EQ(operation_named(name(operation)), operation);
        EXPECT_EQ(name(operation), name(operation));
        EXPECT_EQ(operation_named(operation->alias.empty() ? name(operation) : operation->alias), operation);
    }
    EXPECT_EQ(operation_named("aab"), Operation::allgather);
    EXPECT_EQ(operation_named("Scatter"), Operation::scatter);
    EXPECT_THROW((void)operation_named(""), RequestError);
    try {
        (void)operation_named("brodcast");
        FAIL();
    } catch (const RequestError& error) {
        EXPECT_THAT(error.what(), HasSubstr("'brodcast'"));
        EXPECT_THAT(error.what(), HasSubstr("'broadcast'"));
    }
}

TEST(ABroadcastOnATree, HasAnExactMinimumWhateverTheFamilyIsCalled) {
    struct Row {
        const char* spec;
        const char* ports;
        NodeId root;
        double least;
    };
    // By hand, and by model.md section 3.3; of random-tree:12,3 and kary-tree by the reference's search.
    constexpr Row rows[] = {
        {"star:6", "1", 0, 5},         {"star:6", "1", 3, 5},        {"star:6", "2", 0, 3},
        {"star:9", "3", 1, 4},         {"kary-tree:2,3", "1", 7, 8}, {"kary-tree:2,3", "1", 0, 6},
        {"kary-tree:3,2", "2", 4, 5},  {"kary-tree:3,3", "1", 0, 9}, {"product:line:1,line:5", "1", 2, 3},
        {"binomial-tree:4", "1", 0, 4}};
    for (const Row& row : rows) {
        const Bound rounds =
            bounds_of(Operation::broadcast, machine_of(row.spec, row.ports), row.root)[Quantity::rounds];
        EXPECT_NE(rounds.reachable, Reachable::unknown) << row.spec << " " << row.root;
        EXPECT_EQ(rounds.reachable == Reachable::yes ? rounds.largest() : rounds.least, row.least)
            << row.spec << " " << row.root << ": " << rounds.reachable_why;
    }
}

TEST(OneNode, HasBoundsOfWhatIsPromisedAndOfNothingElse) {
    const Machine one = machine_of("line:1");
    EXPECT_EQ(value_of(lower_bounds(one, Collective::broadcast(0, 8))[Quantity::rounds]), 0);
    for (const char* spec : {"line:1", "line:2"})
        EXPECT_THROW((void)lower_bounds(machine_of(spec), Collective::none()), RequestError) << spec;
    const auto own = [](NodeId) { return PacketSet::range(0, 1); };
    const auto both = [](NodeId) { return PacketSet::range(0, 2); };
    const auto asked = [&](const auto& wanted) {
        return Collective::custom({.name = "some", .packets = 2, .owned = own, .wanted = wanted});
    };
    EXPECT_EQ(value_of(lower_bounds(one, asked(own))[Quantity::rounds]), 0);
    const Bound unreachable = lower_bounds(one, asked(both))[Quantity::rounds];
    EXPECT_EQ(value_of(unreachable), -1);
    EXPECT_EQ(unreachable.reachable, Reachable::unknown);
}

}  // namespace
}  // namespace kport
