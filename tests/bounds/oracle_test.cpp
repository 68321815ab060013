#include <gtest/gtest.h>

#include <algorithm>

#include "tests/bounds/request.hpp"
#include "tests/oracle/collective.hpp"
#include "tests/oracle/table.hpp"

namespace kport {
namespace {

using oracle::collective_of;
using oracle::Row;

Machine machine_in(const Row& row) {
    return machine_of(row["topology"], row["ports"], row["switching"], row.yes("combining"));
}

Bounds bounds_of(const Row& row) { return lower_bounds(machine_in(row), collective_of(row, 1)); }

std::string told(const Row& row) {
    return row.place() + " " + row["operation"] + " on " + row["topology"] + " from " + row["source"] + ", " +
           row["ports"] + " ports, " + row["switching"];
}

/// A cell with a bound must equal our bound; an empty cell is skipped.
void expect_stated(const Row& row, const std::string& column, const Bound& bound) {
    if (!row.has(column)) return;
    ASSERT_TRUE(bound.largest().has_value()) << told(row) << ": " << column;
    EXPECT_EQ(value_of(bound), static_cast<double>(row.number(column))) << told(row) << ": " << column;
}

/// For the rounds of allgather without combining the table states the diameter alone (1 for ring:3). A 1-port node takes
/// in one packet a round there, so that N-1 binds; the diameter must still be among our arguments.
void expect_among_arguments(const Row& row, const std::string& column, const Bound& bound) {
    if (!row.has(column)) return;
    const auto stated = static_cast<double>(row.number(column));
    EXPECT_TRUE(std::any_of(bound.arguments.begin(), bound.arguments.end(),
                            [&](const Argument& argument) { return argument.value == stated; }))
        << told(row) << ": " << column;
}

void expect_not_above(const Row& row, const std::string& column, const Bound& bound, double measured) {
    ASSERT_TRUE(bound.largest().has_value()) << told(row) << ": " << column;
    EXPECT_LE(value_of(bound), measured) << told(row) << ": " << column;
    if (value_of(bound) < measured) return;
    EXPECT_NE(bound.reachable, Reachable::no) << told(row) << ": " << column << " is reached: " << bound.reachable_why;
}

void expect_not_above(const Row& row, const std::string& column, const Bound& bound) {
    expect_not_above(row, column, bound, static_cast<double>(row.number(column)));
}

/// The tables measure latency twice, with other costs and packets.
void expect_latency_not_above(const Row& row, const std::string& column, const Costs& costs, std::uint64_t bytes) {
    Machine machine = machine_in(row);
    machine.costs = costs;
    expect_not_above(row, column, lower_bounds(machine, collective_of(row, bytes))[Quantity::latency]);
}

class EveryTable : public testing::TestWithParam<const char*> {};

TEST_P(EveryTable, StatesOurBounds) {
    for (const Row& row : oracle::table(GetParam())) {
        const Bounds bounds = bounds_of(row);
        const bool of_long_messages = row.has("packets");
        const bool one_packet_allgather = row["operation"] == "allgather" && !row.yes("combining") && !of_long_messages;
        if (one_packet_allgather)
            expect_among_arguments(row, "bound_rounds", bounds[Quantity::rounds]);
        else
            expect_stated(row, "bound_rounds", bounds[Quantity::rounds]);
        expect_stated(row, "bound_work", bounds[Quantity::work]);
        if (!of_long_messages) expect_stated(row, "bound_path_sum", bounds[Quantity::path_sum]);  // does not bind
        expect_stated(row, "bound_volume_packets", bounds[Quantity::volume]);
    }
}

TEST_P(EveryTable, HoldsNoRunBelowOurBounds) {
    for (const Row& row : oracle::table(GetParam())) {
        const Bounds bounds = bounds_of(row);
        expect_not_above(row, "rounds", bounds[Quantity::rounds]);
        expect_not_above(row, "work", bounds[Quantity::work]);
        expect_not_above(row, "path_sum", bounds[Quantity::path_sum]);
        expect_not_above(row, "volume_packets", bounds[Quantity::volume]);
        expect_latency_not_above(row, "latency_A", {100, 1, 2}, 8);
        expect_latency_not_above(row, "latency_B", {100, 7, 1}, 1);
    }
}

INSTANTIATE_TEST_SUITE_P(Bounds, EveryTable,
                         testing::Values("broadcast", "scatter", "gather", "reduce", "allreduce", "scan", "allgather",
                                         "alltoall", "barrier", "permutation", "reduce_scatter", "broadcast_packets",
                                         "reduce_vector", "scatter_packets", "gather_packets", "allgather_packets",
                                         "allreduce_vector"),
                         [](const auto& table) { return std::string(table.param); });

TEST(ExactBroadcast, IsNeverBelowTheBoundAndReachabilitySaysWhetherItMeetsIt) {
    for (const Row& row : oracle::table("exact_broadcast")) {
        if (row["topology"].starts_with("graph:")) continue;  // drawn for the reference only, not a specification
        const Bound rounds =
            bounds_of(Operation::broadcast, machine_of(row["topology"]), row.number("source"))[Quantity::rounds];
        const auto exact = static_cast<double>(row.number("rounds_minimum"));
        const std::string place = row.place() + " " + row["topology"] + " from " + row["source"];
        EXPECT_LE(value_of(rounds), exact) << place;
        if (rounds.reachable == Reachable::unknown) continue;
        EXPECT_EQ(rounds.reachable == Reachable::yes, value_of(rounds) == exact)
            << place << ": " << rounds.reachable_why;
    }
}

TEST(ExactBroadcastOfPackets, IsNeverBelowTheBound) {
    for (const Row& row : oracle::table("exact_packets")) {
        const std::string spec = row["topology"] == "graph:petersen" ? "petersen" : row["topology"];
        Collective collective = Collective::broadcast(row.number("source"), 8);
        collective.packets_each = row.number("packets");
        const Bounds bounds = lower_bounds(machine_of(spec, row["ports"], "SF", false), collective);
        EXPECT_LE(value_of(bounds[Quantity::rounds]), static_cast<double>(row.number("rounds_minimum")))
            << row.place() << " " << spec << " from " << row["source"];
    }
}

/// What is reported of its reach is true, and is reported wherever the search has found more than the bound.
TEST(ExactBroadcastOfPackets, SaysWhetherTheBoundIsReached) {
    for (const Row& row : oracle::table("exact_packets")) {
        const std::string spec = row["topology"] == "graph:petersen" ? "petersen" : row["topology"];
        const auto exact = static_cast<double>(row.number("rounds_minimum"));
        for (const Operation& operation : {Operation::broadcast, Operation::reduce}) {
            Collective collective{operation, row.number("source"), 1};
            collective.packets_each = row.number("packets");
            for (const Quantity quantity : {Quantity::rounds, Quantity::volume}) {
                const Bound bound = reached_bounds(machine_of(spec, row["ports"], "SF", false), collective)[quantity];
                const std::string place = row.place() + " " + spec + " to " + row["source"];
                EXPECT_LE(bound.least.value_or(0), exact) << place;
                EXPECT_GE(bound.best_known.value_or(exact), exact) << place;
                EXPECT_NE(bound.reachable, Reachable::unknown) << place << ": " << bound.reachable_why;
                EXPECT_EQ(bound.reachable == Reachable::yes, value_of(bound) == exact)
                    << place << ": " << bound.reachable_why;
                if (bound.reachable == Reachable::no && row.number("packets") > 1) {
                    EXPECT_EQ(bound.least, exact) << place;
                }
            }
        }
    }
}

/// Two nodes are farthest away, so that one packet alone takes a round more than the distance; and so does the last of several.
TEST(BroadcastOfPackets, OnAnOddRingTakesARoundMoreThanTheBound) {
    Collective collective = Collective::broadcast(3, 1);
    collective.packets_each = 20;
    const Bounds bounds = reached_bounds(machine_of("ring:11", "1", "SF", false), collective);
    EXPECT_EQ(value_of(bounds[Quantity::rounds]), 24);
    EXPECT_EQ(bounds[Quantity::rounds].least, 25);
    EXPECT_EQ(bounds[Quantity::volume].least, 25);
    EXPECT_EQ(bounds[Quantity::path_sum].least, 25);
    const Bounds combining = reached_bounds(machine_of("ring:11", "1", "SF", true), collective);
    EXPECT_EQ(combining[Quantity::rounds].least, 6);
    EXPECT_EQ(combining[Quantity::volume].least, 25);
}

}  // namespace
}  // namespace kport
