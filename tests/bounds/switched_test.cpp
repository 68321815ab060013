// Bounds among the hosts of machines with switches: every row of switched.csv.
#include <gtest/gtest.h>

#include "algorithms/bounds/bounds.hpp"
#include "algorithms/catalogue.hpp"
#include "emulator/base/error.hpp"
#include "tests/bounds/request.hpp"
#include "tests/oracle/collective.hpp"
#include "tests/oracle/table.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport {
namespace {

using oracle::Row;

Machine switched_machine(const Row& row) {
    Machine machine = machine_of(row["topology"], row["ports"], row["switching"], row.yes("combining"));
    constexpr std::string_view limit = "--switch-limit ";
    if (row["options"].starts_with(limit))
        machine.switch_limit = static_cast<Port>(parse_count(row["options"].substr(limit.size()), "limit"));
    return machine;
}

TEST(SwitchedBounds, AreAtLeastThoseOfTheTableAndNeverAboveTheMinimum) {
    int looked_at = 0;
    test::Sample sample(5);
    for (const Row& row : oracle::table("switched")) {
        if (sample.leaves_out()) continue;
        Machine machine;
        try {
            machine = switched_machine(row);
        } catch (const RequestError&) {
            continue;  // a network that this build does not know
        }
        ++looked_at;
        const Bounds bounds = lower_bounds(machine, oracle::collective_of(row, 1));
        const std::string where =
            row.place() + " " + row["operation"] + " on " + row["topology"] + " " + row["options"] + " " + row["ports"];
        const auto at_least = [&](Quantity quantity, const std::string& column) {
            if (!row.has(column)) return;
            EXPECT_GE(value_of(bounds[quantity]), row.number(column)) << where << ' ' << column;
        };
        at_least(Quantity::rounds, "bound_rounds");
        at_least(Quantity::volume, "bound_volume_packets");
        at_least(Quantity::work, "bound_work");
        at_least(Quantity::path_sum, "bound_path_sum");
        if (row.has("rounds_minimum")) {
            EXPECT_LE(value_of(bounds[Quantity::rounds]), row.number("rounds_minimum")) << where;
        }
        if (row["operation"] == "broadcast") {
            EXPECT_EQ(value_of(bounds[Quantity::work]), row.number("bound_work")) << where;
        }
    }
    EXPECT_GT(looked_at, 700 / static_cast<int>(sample.one_of()));
}

TEST(SwitchedBounds, NameTheCutThatBinds) {
    const Bounds bounds = lower_bounds(machine_of("leaf-spine:2,1,4", "1", "sf", false), Collective::alltoall(1));
    EXPECT_EQ(bounds[Quantity::rounds].binding(), "cut of 1 channel, 4 of 8 hosts");
}

/// docs/model.md: a broadcast grows by sends, a reduction by receives, what all exchange by the fewer of both.
TEST(SwitchedBounds, CountSendsWhereDataSpreadsAndReceivesWhereItGathers) {
    const auto of = [](Quantity quantity, PortLimit ports, const Collective& collective) {
        Machine machine = machine_of("nvswitch:9,4", "1", "sf", collective.packets_each == 1);
        machine.ports = ports;
        return value_of(lower_bounds(machine, collective)[quantity]);
    };
    const PortLimit sends(2, 1);
    const PortLimit receives(1, 2);
    EXPECT_EQ(of(Quantity::rounds, sends, Collective::broadcast(0, 1)), 2);
    EXPECT_EQ(of(Quantity::rounds, receives, Collective::broadcast(0, 1)), 4);
    EXPECT_EQ(of(Quantity::rounds, sends, Collective::of(Operation::reduce, 0, 1)), 4);
    EXPECT_EQ(of(Quantity::rounds, receives, Collective::of(Operation::reduce, 0, 1)), 2);
    EXPECT_EQ(of(Quantity::volume, sends, Collective::of(Operation::scatter, 0, 1)), 4);
    EXPECT_EQ(of(Quantity::volume, sends, Collective::of(Operation::gather, 0, 1)), 8);
    for (const PortLimit& ports : {sends, receives}) {
        EXPECT_EQ(of(Quantity::rounds, ports, Collective::of(Operation::allreduce, 0, 8)), 4);
        EXPECT_EQ(of(Quantity::rounds, ports, Collective::of(Operation::barrier, 0, 0)), 4);
        EXPECT_EQ(of(Quantity::rounds, ports, Collective::of(Operation::scan, 0, 8)), 4);
        EXPECT_EQ(of(Quantity::volume, ports, Collective::of(Operation::allgather, 0, 1)), 8);
        EXPECT_EQ(of(Quantity::volume, ports, Collective::of(Operation::reduce_scatter, 0, 1)), 8);
        EXPECT_EQ(of(Quantity::volume, ports, Collective::alltoall(1)), 8);
    }
    EXPECT_EQ(of(Quantity::volume, PortLimit(4, 3), Collective::of(Operation::allgather, 0, 1)), 3);
}

TEST(SwitchedBounds, OfTwoLimitsAreNeverAboveTheRoundsOfSomeSchedule) {
    for (const char* spec : {"nvswitch:5,3", "leaf-spine:2,2,3", "bcube:2,1", "dcell:2,1", "rail:2,3"})
        for (const PortLimit& ports : {PortLimit(1, 2), PortLimit(2, 1), PortLimit(3, 2), PortLimit(no_port, 1)})
            for (const Operation& operation : operations()) {
                if (!operation.promises() || operation->fit != nullptr) continue;
                Machine two = machine_of(spec, "1", "sf", true);
                two.ports = ports;
                Machine lower = two;
                lower.ports = PortLimit(ports.k());
                Machine higher = two;
                higher.ports = PortLimit(std::max(ports.sends(), ports.receives()));
                const Collective collective = fitted(Collective::of(operation, 0, 8), *two.topology);
                for (const QuantityRow& row : quantity_rows) {
                    const auto bound = [&](const Machine& machine) {
                        return lower_bounds(machine, collective)[row.quantity].largest().value_or(0);
                    };
                    EXPECT_LE(bound(two), bound(lower)) << spec << ' ' << ports.text() << ' ' << name(operation);
                    EXPECT_GE(bound(two), bound(higher)) << spec << ' ' << ports.text() << ' ' << name(operation);
                }
            }
}

TEST(SwitchedBounds, DoNotDependOnRouting) {
    for (const char* switching : {"sf", "wh"})
        for (const char* spec : {"fat-tree:4", "bcube:2,1", "nvswitch:4,2"}) {
            const Machine fixed = machine_of(spec, "2", switching, true);
            Machine adaptive = fixed;
            adaptive.routing = Routing::adaptive;
            for (const Collective& collective : {Collective::broadcast(0, 8), Collective::alltoall(8)})
                for (const QuantityRow& row : quantity_rows) {
                    const Bound one = reached_bounds(fixed, collective)[row.quantity];
                    const Bound other = reached_bounds(adaptive, collective)[row.quantity];
                    EXPECT_EQ(one.largest(), other.largest()) << spec << ' ' << switching;
                    EXPECT_EQ(one.reachable, other.reachable) << spec << ' ' << switching;
                }
        }
}

}  // namespace
}  // namespace kport
