/// @file bundle_threads_test.cpp   Every algorithm of the operations that move many packets, on machines of several
///                                 partitions where it is fast enough there, else on small ones with a partition a node:
///                                 the same verdict, rounds, schedule and results on 1, 2 and 8 threads.
#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/run_algorithm.hpp"
#include "tests/engine/small_machines.hpp"
#include "tests/support/rows.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

/// How many times smaller large machines are, and their partitions with them.
constexpr NodeId shrunk = test::under_sanitizer ? 8 : 1;

std::vector<const Algorithm*> bundle_rows() {
    std::vector<const Algorithm*> rows;
    for (const Algorithm& row : catalogue())
        if (row.operation != Operation::broadcast && !test::needs_groups(row)) rows.push_back(&row);
    return rows;
}

/// Machines of at least two blocks of nodes on which the algorithm runs in about as long as a test may take: what goes
/// around a ring of 8192 nodes packet by packet is not among them, nor what sends one message a round: on one thread.
std::vector<Machine> large_machines_of_bundles(const Algorithm& algorithm, const Collective& collective) {
    constexpr Hops work_max = 300'000 / shrunk;
    constexpr std::uint64_t rounds_max = 4000 / shrunk;
    std::vector<Machine> fitting;
    // A plan of many packets, and the sets of many blocks on thousands of nodes, take minutes.
    const bool many_blocks = name(algorithm.operation) == "reduce-scatter" || algorithm.name == "tree-exchange" ||
                             algorithm.name == "euler-rda" || algorithm.name == "halving-doubling";
    if (algorithm.plan != nullptr || many_blocks) return fitting;
    const auto specs = shrunk > 1
                           ? std::array{"hypercube:10", "torus:4x4x4x4x4", "mesh:4x4x4x4x4", "complete:1025"}
                           : std::array{"hypercube:13", "torus:4x4x4x4x4x8", "mesh:4x4x4x4x4x8", "complete:8200"};
    for (const char* spec : specs)
        for (const PortLimit ports : {PortLimit(1), PortLimit(2)})
            for (const Switching switching : {Switching::store_and_forward, Switching::wormhole})
                for (const bool combining : {true, false}) {
                    Machine machine = test::machine(spec, ports);
                    machine.switching = switching;
                    machine.combining = combining;
                    // On grids of many nodes the sets of an allgather or alltoall are many blocks.
                    const bool to_all =
                        algorithm.operation == Operation::allgather || algorithm.operation == Operation::alltoall;
                    if (to_all && (!combining || machine.topology->spec().find('x') != std::string::npos)) continue;
                    if (misfit_of(algorithm, machine, collective, {})) continue;
                    // The generic algorithms visit every link of a graph.
                    const bool too_dense = machine.topology->channels() > 1'000'000 && algorithm.name != "bruck" &&
                                           algorithm.name != "rda" && algorithm.name != "direct";
                    if (too_dense) continue;
                    const ExpectedCost cost = expected_cost(algorithm, machine, collective, {});
                    if (cost.work.value_or(0) > work_max || cost.rounds.value_or(0) > rounds_max) continue;
                    fitting.push_back(machine);
                }
    // Reversals in time: threads run the forward algorithm, which its own rows try on more; what follows is one thread's.
    const bool reversed = algorithm.operation == Operation::gather || algorithm.operation == Operation::reduce;
    if (reversed && !fitting.empty()) fitting.resize(test::under_thread_sanitizer ? 0 : 1);
    // One of each switching is enough, and the last ones have two ports.
    if (fitting.size() > 2) fitting = {fitting.front(), fitting.back()};
    if (test::under_sanitizer && fitting.size() > 1) fitting = {fitting.back()};
    return fitting;
}

/// Small ones for the others; the first and the last.
std::vector<Machine> small_machines_of_bundles(const Algorithm& algorithm, const Collective& collective) {
    std::vector<Machine> fitting;
    for (const Machine& machine : test::small_machines())
        if (!misfit_of(algorithm, machine, collective, {})) fitting.push_back(machine);
    if (fitting.size() > 2) fitting = {fitting.front(), fitting.back()};
    return fitting;
}

class EveryBundleAlgorithm : public testing::TestWithParam<const Algorithm*> {};

TEST_P(EveryBundleAlgorithm, IsTheSameOnAnyNumberOfThreads) {
    const Algorithm& algorithm = *GetParam();
    Collective collective = Collective::of(algorithm.operation, 0, 8);
    if (algorithm.name == "bit-pairs") collective.permutation = permutation_named("bit-reversal");
    if (algorithm.operation == Operation::scatter || algorithm.operation == Operation::gather ||
        algorithm.operation == Operation::reduce)
        collective.root = 5000 / shrunk;
    std::vector<Machine> machines = large_machines_of_bundles(algorithm, collective);
    const bool small = machines.empty();
    if (small) {
        if (collective.root != 0) collective.root = 2;
        if (algorithm.name == "scatter-allgather") collective.packets_each = 12;  // it needs a packet a node
        machines = small_machines_of_bundles(algorithm, collective);
    }
    ASSERT_FALSE(machines.empty());
    for (const Machine& machine : machines) {
        const Topology& topology = *machine.topology;
        SCOPED_TRACE(topology.spec() + " " + machine.describe());
        Payload payload;  // N * N packets of 8 bytes do not fit
        payload.copied =
            small || (algorithm.operation != Operation::allgather && algorithm.operation != Operation::alltoall);
        std::string verdict;
        Schedule schedule;
        std::vector<std::string> results;
        for (const unsigned threads : test::under_sanitizer ? std::vector{1U, 8U} : std::vector{1U, 2U, 8U}) {
            Schedule recorded;
            RunOptions options;
            options.threads = threads;
            options.partition_nodes = small ? 1 : partition_nodes_default / shrunk;
            options.per_round = true;
            options.recorded_schedule = &recorded;
            const RunResult result = run_algorithm(algorithm, machine, collective, {}, payload, options);
            if (threads == 1) {
                EXPECT_TRUE(result.verdict.lawful() && result.verdict.delivered);
                verdict = test::text(result.verdict, topology);
                schedule = std::move(recorded);
                results = result.results;
                continue;
            }
            EXPECT_EQ(test::text(result.verdict, topology), verdict) << threads;
            EXPECT_TRUE(recorded == schedule) << threads;
            EXPECT_EQ(result.results, results) << threads;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, EveryBundleAlgorithm, testing::ValuesIn(bundle_rows()), [](const auto& test) {
    std::string text = fmt::format("{}_{}", name(test.param->operation), test.param->name);
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
});

}  // namespace
}  // namespace kport
