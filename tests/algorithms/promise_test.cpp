/// @file promise_test.cpp   Algorithms for promises of one's own (Operation::promise), on random promises and machines.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/base/error.hpp"
#include "tests/algorithms/faults.hpp"
#include "tests/algorithms/machines.hpp"

namespace kport {
namespace {

using testing::HasSubstr;
using Holdings = std::vector<PacketSet>;

Collective promise_of(Holdings owned, Holdings wanted, std::uint64_t packets) {
    OwnCollective own{.name = "promise", .packets = packets};
    own.owned = [owned = std::move(owned)](NodeId v) { return owned[v]; };
    own.wanted = [wanted = std::move(wanted)](NodeId v) { return wanted[v]; };
    own.packet_bytes = 8;
    return Collective::custom(std::move(own));
}

/// What each node has of some packets that were drawn for it.
Holdings drawn(NodeId nodes, std::uint32_t packets, int one_of) {
    Holdings all(nodes);
    for (PacketSet& some : all)
        for (std::uint32_t p = 0; p < packets; ++p)
            if (*rc::gen::inRange(0, one_of) == 0) some.include(PacketSet::range(p, p + 1));
    return all;
}

std::string faults_of_all(const Machine& machine, const Collective& collective) {
    std::string found;
    for (const Algorithm& row : rows_for(Operation::promise))
        if (!misfit_of(row, machine, collective, {})) found += test::faults(row, machine, collective, {}, std::nullopt);
    return found;
}

RC_GTEST_PROP(OwnPromise, WithOneTakerAPacketIsKeptLawfullyAtItsCostByShortestPaths, ()) {
    Machine machine = test::any_machine();
    machine.combining = *rc::gen::arbitrary<bool>();
    const NodeId nodes = machine.topology->nodes();
    const auto packets = *rc::gen::inRange<std::uint32_t>(1, 7);
    Holdings owned = drawn(nodes, packets, 3);
    Holdings wanted(nodes);
    for (std::uint32_t p = 0; p < packets; ++p) {
        owned[*rc::gen::inRange<NodeId>(0, nodes)].include(PacketSet::range(p, p + 1));
        wanted[*rc::gen::inRange<NodeId>(0, nodes)].include(PacketSet::range(p, p + 1));
    }
    const Collective collective = promise_of(owned, wanted, packets);
    const Algorithm* const row = find_algorithm(collective.operation, "shortest-paths");
    RC_ASSERT(row != nullptr);
    RC_ASSERT(!misfit_of(*row, machine, collective, {}) || !machine.has_one_limit());
    if (const std::string found = faults_of_all(machine, collective); !found.empty()) RC_FAIL(found);
}

RC_GTEST_PROP(OwnPromise, OfPacketsForTheSameNodesIsKeptLawfullyAtItsCostInLayers, ()) {
    Machine machine = test::any_machine();
    const NodeId nodes = machine.topology->nodes();
    const auto packets = *rc::gen::inRange<std::uint32_t>(1, 4);
    machine.combining = packets > 1 || *rc::gen::arbitrary<bool>();
    const PacketSet all = PacketSet::range(0, packets);
    Holdings owned(nodes);
    Holdings wanted(nodes);
    owned[*rc::gen::inRange<NodeId>(0, nodes)] = all;
    for (NodeId v = 0; v < nodes; ++v) {
        if (*rc::gen::inRange(0, 5) == 0) owned[v] = all;
        if (*rc::gen::inRange(0, 2) == 0) wanted[v] = all;
    }
    const Collective collective = promise_of(owned, wanted, packets);
    const Algorithm* const row = find_algorithm(collective.operation, "layered");
    RC_ASSERT(row != nullptr);
    if (const std::string found = faults_of_all(machine, collective); !found.empty()) RC_FAIL(found);
}

// A mesh of 3 x 3 with the packet in the middle: the corner at the end of row 2 is two links away, and no other node hears of it.
TEST(OwnPromise, MovesNothingToNodesThatNeitherLackItNorPassItOn) {
    Holdings owned(9);
    Holdings wanted(9);
    owned[4] = wanted[8] = PacketSet::range(0, 1);
    for (const char* name : {"layered", "shortest-paths"}) {
        const Metrics cost =
            run_algorithm(*find_algorithm(Operation::promise, name), test::machine("mesh:3x3", PortLimit(1)),
                          promise_of(owned, wanted, 1), {}, {}, {})
                .verdict.metrics;
        EXPECT_EQ(cost.work, 2U) << name;
        EXPECT_EQ(cost.rounds, 2U) << name;
    }
}

TEST(OwnPromise, GoesFromTheNearestOfItsOwners) {
    Holdings owned(10);
    Holdings wanted(10);
    owned[0] = owned[7] = wanted[9] = PacketSet::range(0, 1);
    const Metrics cost = run_algorithm(*find_algorithm(Operation::promise, "shortest-paths"),
                                       test::machine("line:10", PortLimit(1)), promise_of(owned, wanted, 1), {}, {}, {})
                             .verdict.metrics;
    EXPECT_EQ(cost.work, 2U);
}

TEST(OwnPromise, IsRefusedByAlgorithmsThatDoNotServeItAndIsNoRowOfTheCatalogue) {
    Holdings owned(4);
    Holdings wanted(4);
    owned[0] = PacketSet::range(0, 1);
    owned[1] = PacketSet::range(1, 2);
    wanted[2] = wanted[3] = PacketSet::range(0, 2);
    const Collective both = promise_of(owned, wanted, 2);
    const Machine machine = test::machine("complete:4", PortLimit(1));
    EXPECT_THAT(*misfit_of(*find_algorithm(Operation::promise, "layered"), machine, both, {}),
                HasSubstr("the same nodes own"));
    EXPECT_THAT(*misfit_of(*find_algorithm(Operation::promise, "shortest-paths"), machine, both, {}),
                HasSubstr("one node each wants"));
    EXPECT_TRUE(std::ranges::none_of(catalogue(), [](const Algorithm& row) { return row.operation.is_own(); }));
    EXPECT_THROW((void)run_algorithm(*find_algorithm(Operation::promise, "layered"), machine,
                                     Collective{.operation = Operation::promise}, {}, {}, {}),
                 RequestError)
        << "it says nothing of who owns what";
}

TEST(OwnPromise, GoesThroughNoNodeThatPassesNothingOn) {
    Holdings owned(6);
    Holdings wanted(6);
    owned[0] = wanted[3] = PacketSet::range(0, 1);
    OwnCollective own{.name = "promise"};
    own.owned = [owned](NodeId v) { return owned[v]; };
    own.wanted = [wanted](NodeId v) { return wanted[v]; };
    own.passes_on = [](NodeId v) { return v > 3; };
    const Collective collective = Collective::custom(own);
    const Algorithm& row = *find_algorithm(Operation::promise, "shortest-paths");
    const Machine ring = test::machine("ring:6", PortLimit(1));
    const auto why = misfit_of(row, ring, collective, {});
    if (why)
        EXPECT_THAT(*why, HasSubstr("pass nothing on")) << "the route of the graph leads over 1 and 2";
    else
        EXPECT_EQ(test::faults(row, ring, collective, {}, std::nullopt), "") << "it leads over 5 and 4";
}

}  // namespace
}  // namespace kport
