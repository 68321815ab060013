#include "app/search/least_cost.hpp"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "app/search/question.hpp"
#include "app/search/solver.hpp"
#include "emulator/base/random.hpp"
#include "emulator/topology/topology.hpp"
#include "tests/search/references.hpp"
#include "tests/support/random_graph.hpp"
#include "tests/support/sanitizers.hpp"

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

/// Questions for which a short search does not suffice.
bool takes_longer(const Machine& machine, const Operation& operation) {
    if (machine.combining || !(machine.ports == PortLimit(1))) return false;
    if (operation == Operation::alltoall) return machine.topology->spec() == "cbt:2";
    return (operation == Operation::allgather || operation == Operation::reduce_scatter) &&
           machine.topology->spec() == "random 0-1 0-2 0-3 1-2 1-6 2-4 3-5 4-5 4-6";
}

/// Shared contract, section 7: none of rounds, path sum and work is unknown on machines of up to 8 nodes.
TEST_F(BoundsOfSmallMachines, LeaveNoRoundsPathSumOrWorkOpen) {
    std::vector<std::shared_ptr<const Topology>> graphs;
    for (const char* family : {"complete", "ring", "line", "star"})
        for (int nodes = family == std::string("ring") ? 3 : 2; nodes <= 8; ++nodes)
            graphs.push_back(make_topology(fmt::format("{}:{}", family, nodes)));
    for (const char* spec : {"mesh:2x3", "mesh:2x4", "torus:2x3", "hypercube:2", "hypercube:3", "cbt:2"})
        graphs.push_back(make_topology(spec));
    Dice dice(48);
    for (int i = 0; i < 12; ++i) {
        const NodeId nodes = dice.between(4, 7);
        graphs.push_back(test::random_graph(dice, nodes, nodes));
    }
    const Operation eleven[] = {Operation::broadcast, Operation::scatter,    Operation::gather,
                                Operation::reduce,    Operation::allreduce,  Operation::scan,
                                Operation::allgather, Operation::alltoall,   Operation::reduce_scatter,
                                Operation::barrier,   Operation::permutation};
    test::Sample sample(37, 13);
    for (const auto& graph : graphs)
        for (const Operation& operation : eleven)
            for (const PortLimit& ports : {PortLimit(1), PortLimit::all()})
                for (const bool combining : {true, false}) {
                    Machine machine;
                    machine.topology = graph;
                    machine.ports = ports;
                    machine.combining = combining;
                    if (sample.leaves_out() || takes_longer(machine, operation)) continue;
                    const Bounds bounds = settled_bounds(machine, Collective::of(operation, 0, 64));
                    for (const Quantity quantity : {Quantity::rounds, Quantity::path_sum, Quantity::work})
                        EXPECT_TRUE(!bounds[quantity].largest() || bounds[quantity].reachable != Reachable::unknown)
                            << graph->spec() << " " << name(operation) << " " << ports.text()
                            << (combining ? "" : ", noncombining");
                }
}

/// tests/oracle/tables/minimum.csv: no more than any schedule takes. In a bipartite graph four nodes can be served by two at a time.
TEST(PacketsAsFluids, BoundTheRoundsOfTheReferenceFromBelow) {
    int rows = 0;
    int equal = 0;
    for (const Row& row : oracle::table("minimum")) {
        const Question question = question_in(row);
        for (const Argument& argument : fluid_of(question)) {
            EXPECT_LE(argument.value, static_cast<double>(row.number("rounds_minimum"))) << told_of(row);
            equal += argument.value == static_cast<double>(row.number("rounds_minimum")) ? 1 : 0;
            ++rows;
        }
    }
    EXPECT_GT(rows, 500);
    EXPECT_GT(equal * 4, rows);
    Question question{machine_of("mesh:2x4", PortLimit(1)), Collective::of(Operation::alltoall, 0, 64)};
    question.machine.combining = false;
    EXPECT_EQ(fluid_of(question).front().value, 16);  // corners relay at most 6 packets on shortest paths
    question.machine.topology = topology_in("edges:0-1 0-4 0-5 1-2 1-6 2-3 2-4 2-5");
    question.collective = Collective::of(Operation::allgather, 0, 64);
    EXPECT_EQ(fluid_of(question).front().value, 12);  // 24 receipts of 1, 3, 4, 5, of which nodes 0 and 2 send 23
}

}  // namespace
}  // namespace kport::search
