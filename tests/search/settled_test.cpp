#include "app/search/settled.hpp"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "algorithms/reach.hpp"
#include "app/search/solver.hpp"
#include "emulator/topology/topology.hpp"
#include "tests/search/references.hpp"

namespace kport::search {
namespace {

Machine machine_of(const std::string& spec, PortLimit ports) {
    Machine machine;
    machine.topology = make_topology(spec);
    machine.ports = ports;
    return machine;
}

Bounds settled_bounds(const Machine& machine, const Collective& collective) {
    return settled(machine, collective, reached_bounds(machine, collective));
}

/// What is known of the least cost: the bound where it can be reached, else what no schedule costs less than.
std::optional<double> least_of(const Bound& bound) {
    return bound.reachable == Reachable::yes ? bound.largest() : bound.least;
}

class BoundsOfSmallMachines : public testing::Test {
  protected:
    void SetUp() override {
        if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    }
};

/// tests/oracle/tables/minimum.csv: the bound that is reached, or what is said to be the least, is the reference's minimum. A few
/// stay open: their searches are longer.
TEST_F(BoundsOfSmallMachines, SayTheLeastRoundsOfTheReference) {
    int rows = 0;
    int open = 0;
    for (const Row& row : oracle::table("minimum")) {
        if (row.number("nodes") > 4 || row.number("packets") > 2) continue;
        const Question question = question_in(row);
        const Bounds bounds = settled_bounds(question.machine, question.collective);
        const std::optional<double> least = least_of(bounds[Quantity::rounds]);
        if (least)
            EXPECT_EQ(*least, static_cast<double>(row.number("rounds_minimum"))) << told_of(row);
        else
            ++open;
        ++rows;
    }
    EXPECT_LE(open, rows / 100);
    EXPECT_GT(rows, 200);
}

TEST_F(BoundsOfSmallMachines, LeaveNothingOpen) {
    for (const char* spec : {"line:4", "ring:5", "complete:4", "mesh:2x3"})
        for (const Operation& operation : operations())
            for (const PortLimit& ports : {PortLimit(1), PortLimit::all()}) {
                const Machine machine = machine_of(spec, ports);
                const Bounds bounds = settled_bounds(machine, Collective::of(operation, 0, 64));
                for (const QuantityRow& row : quantity_rows)
                    EXPECT_TRUE(!bounds[row.quantity].largest() || bounds[row.quantity].reachable != Reachable::unknown)
                        << spec << " " << name(operation) << " " << ports.text() << " " << row.key;
            }
}

}  // namespace
}  // namespace kport::search
