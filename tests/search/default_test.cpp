/// @file default_test.cpp   What runs on any graph if no algorithm is named, beside the least cost.
#include <cstdlib>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "algorithms/choice.hpp"
#include "algorithms/run_algorithm.hpp"
#include "app/search/least_cost.hpp"
#include "app/search/searched.hpp"
#include "app/search/solver.hpp"
#include "emulator/base/random.hpp"
#include "tests/search/references.hpp"
#include "tests/support/random_graph.hpp"

namespace kport::search {
namespace {

Machine random_machine(Dice& dice, NodeId most) {
    Machine machine;
    const NodeId nodes = dice.between(4, most);
    machine.topology = test::random_graph(dice, nodes, nodes + 1);
    const PortLimit limits[] = {PortLimit(1), PortLimit(2), PortLimit::all()};
    machine.ports = limits[dice.below(3)];
    return machine;
}

/// 10,000 with KPORT_LONG_SEARCHES=1.
unsigned graphs_asked() { return std::getenv("KPORT_LONG_SEARCHES") != nullptr ? 10'000 : 40; }

void know_searched_once() { [[maybe_unused]] static const bool known = (know_searched(), true); }

/// Shared contract: at most one round above the least on 95 % of random graphs, never below it.
class TheDefault : public testing::TestWithParam<const char*> {
  protected:
    static void SetUpTestSuite() { know_searched_once(); }
};

RunResult run_default(const Machine& machine, const Collective& collective) {
    const Choice choice = choose(machine, collective, {});
    return run_algorithm(*choice.algorithm, machine, collective, choice.options({}), {}, {});
}

TEST_P(TheDefault, TakesAtMostOneRoundMoreThanTheLeastOnRandomGraphs) {
    if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    Dice dice(5);
    unsigned asked = 0;
    unsigned near = 0;
    for (unsigned i = 0; i < graphs_asked(); ++i) {
        const Machine machine = random_machine(dice, 8);
        const Collective collective = Collective::of(operation_named(GetParam()), 0, 64);
        SearchOptions options;
        options.conflicts = 5'000;
        const LeastCost cost = least_cost({machine, collective}, Least::rounds, options);
        if (!cost.rounds.exact()) continue;
        const RunResult run = run_default(machine, collective);
        const std::string graph = machine.topology->spec() + ", ports " + machine.ports.text();
        EXPECT_TRUE(run.verdict.lawful()) << graph;
        EXPECT_GE(run.verdict.metrics.rounds, cost.rounds.most) << graph;
        ++asked;
        near += run.verdict.metrics.rounds <= cost.rounds.most + 1 ? 1 : 0;
    }
    EXPECT_GE(asked, graphs_asked() / 2);
    EXPECT_GE(near * 100, asked * 95);
}

/// Shared contract: never above what a search finds in a second.
TEST_P(TheDefault, TakesNoMoreRoundsThanAShortSearchUnlessItCostsLessOnRandomGraphsOfUpTo16Nodes) {
    if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    const Algorithm& searched = *find_algorithm(operation_named(GetParam()), "searched");
    Dice dice(7);
    for (unsigned i = 0; i < graphs_asked() / 2; ++i) {
        const Machine machine = random_machine(dice, 16);
        const Collective collective = Collective::of(operation_named(GetParam()), 0, 64);
        if (misfit_of(searched, machine, collective, {})) continue;
        const RunResult run = run_default(machine, collective);
        const RunResult least = run_algorithm(searched, machine, collective, {}, {}, {});
        const std::string graph = machine.topology->spec() + ", ports " + machine.ports.text();
        EXPECT_TRUE(run.verdict.lawful() && least.verdict.lawful()) << graph;
        const Metrics& cost = run.verdict.metrics;
        const Metrics& other = least.verdict.metrics;
        EXPECT_TRUE(cost.rounds <= other.rounds || cost.latency <= other.latency * (1 + 1e-9)) << graph;
    }
}

/// A plan is kept for the next one that asks; another permutation is another question.
TEST(Searched, AnswersEachPermutationByItself) {
    if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    know_searched_once();
    Machine machine;
    machine.topology = make_topology("petersen");
    for (const char* permutation : {"shift:1", "shift:2", "shift:5"}) {
        const Collective collective = Collective::permuted(permutation_named(permutation), 64);
        const RunResult run =
            run_algorithm(*find_algorithm(Operation::permutation, "searched"), machine, collective, {}, {}, {});
        EXPECT_TRUE(run.verdict.lawful()) << permutation;
    }
}

/// What keeps the rules of fewer ports keeps those of more, messages over single links are lawful where paths are, and what keeps a rule
/// more is lawful without it (docs/model.md): a plan on the stricter machine may be the better one.
TEST(ADefaultThatSearches, IsNeverWorseWithMorePortsWithPathsNorWithoutARule) {
    if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    know_searched_once();
    const auto latency = [](Operation operation, const Machine& machine, std::uint64_t packets) {
        Collective collective = Collective::of(operation, 0, 64);
        collective.packets_each = packets;
        const Choice choice = choose(machine, collective, {});
        const RunResult run = run_algorithm(*choice.algorithm, machine, collective, choice.options({}), {}, {});
        EXPECT_TRUE(run.verdict.lawful()) << name(operation) << machine.describe();
        return run.verdict.metrics.latency;
    };
    struct Case {
        Operation operation;
        const char* spec;
        Duplex duplex;
        std::uint64_t packets;
    };
    for (const Case& one :
         {Case{Operation::exscan, "mesh:4x4", Duplex::half, 1}, Case{Operation::scatter, "mesh:3x3", Duplex::full, 7},
          Case{Operation::reduce_scatter, "mesh:3x3", Duplex::half, 1},
          Case{Operation::allgather, "random-regular:3,10,2", Duplex::full, 2},
          Case{Operation::alltoall, "ring:5", Duplex::half, 1}}) {
        Machine machine;
        machine.topology = make_topology(one.spec);
        machine.duplex = one.duplex;
        double least = std::numeric_limits<double>::infinity();
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()}) {
            machine.ports = ports;
            machine.switching = Switching::store_and_forward;
            const double now = latency(one.operation, machine, one.packets);
            EXPECT_LE(now, least + 1e-9) << one.spec << ports.text();
            least = now;
            machine.switching = Switching::wormhole;
            EXPECT_LE(latency(one.operation, machine, one.packets), now + 1e-9) << one.spec << ports.text();
        }
    }
    for (const Case& one :
         {Case{Operation::exscan, "torus:4x4", Duplex::full, 1},
          Case{Operation::allreduce, "mesh:5x6", Duplex::full, 1}, Case{Operation::scan, "petersen", Duplex::full, 3},
          Case{Operation::scan, "complete:8", Duplex::half, 1},
          Case{Operation::allgather, "debruijn:2,3", Duplex::full, 1},
          Case{Operation::barrier, "random-regular:3,30,1", Duplex::full, 1}}) {
        Machine machine;
        machine.topology = make_topology(one.spec);
        machine.duplex = one.duplex;
        const double now = latency(one.operation, machine, one.packets);
        machine.pairwise = true;
        EXPECT_LE(now, latency(one.operation, machine, one.packets) + 1e-9) << one.spec << ", pairwise";
        machine.pairwise = false;
        machine.links = Duplex::half;
        EXPECT_LE(now, latency(one.operation, machine, one.packets) + 1e-9) << one.spec << ", half duplex links";
    }
}

INSTANTIATE_TEST_SUITE_P(Operations, TheDefault,
                         testing::Values("broadcast", "scatter", "gather", "reduce", "allgather", "reduce-scatter",
                                         "allreduce", "alltoall", "barrier", "scan", "permutation"),
                         name_of_operation);

}  // namespace
}  // namespace kport::search
