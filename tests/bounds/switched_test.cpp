// Bounds among the hosts of machines with switches: every row of switched.csv.
#include <gtest/gtest.h>

#include "algorithms/bounds/bounds.hpp"
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

}  // namespace
}  // namespace kport
