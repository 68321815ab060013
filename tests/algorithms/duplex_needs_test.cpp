/// @file duplex_needs_test.cpp   model.md section 11, row by row: which algorithms need links in both directions, and
///                               which two partners.
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/run_algorithm.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using Names = std::set<std::string>;

/// What the runs of all algorithms on small machines show, and what the catalogue says of the same machines.
struct Needs {
    Names broken;   ///< some run breaks the rule
    Names refused;  ///< some machine with the rule is a misfit
};

/// Whether it cuts what each node has into parts that move at the same time.
bool moves_parts(const Algorithm& algorithm) {
    return algorithm.way == Way::program && algorithm.with_many == WithMany::own &&
           (algorithm.operation == Operation::allgather || algorithm.operation == Operation::reduce_scatter ||
            algorithm.operation == Operation::allreduce);
}

/// Audits what every algorithm moves on machines without a rule on the machines with it.
Needs needs_of(void (*restrict)(Machine&)) {
    Needs needs;
    for (const char* spec :
         {"hypercube:3", "ring:2", "ring:5", "ring:6", "torus:3x3", "torus:2x3", "mesh:3x4", "mesh:5x5", "mesh:2x2",
          "line:5", "line:2", "complete:2", "complete:4", "complete:5", "complete:6", "cbt:2"})
        for (const Switching switching : {Switching::store_and_forward, Switching::wormhole})
            for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()})
                for (const bool combining : {true, false})
                    for (const Operation& operation : operations()) {
                        Machine plain = test::machine(spec, ports);
                        plain.switching = switching;
                        plain.combining = combining;
                        Machine with_rule = plain;
                        restrict(with_rule);
                        for (const NodeId root : {NodeId{0}, plain.topology->nodes() / 2}) {
                            const Collective of_one = fitted(Collective::of(operation, root, 64), *plain.topology);
                            for (const Algorithm* row : applicable(plain, of_one, {})) {
                                Collective collective = of_one;
                                if (moves_parts(*row)) collective.packets_each = 12;  // no part is empty
                                if (misfit_of(*row, plain, collective, {})) continue;
                                const std::string who = fmt::format("{} {}", name(operation), row->name);
                                const bool fits = !misfit_of(*row, with_rule, collective, {});
                                if (!fits) needs.refused.insert(who);
                                // With the rule an algorithm may plan otherwise: then it shows what it moves there.
                                const Machine& runs_on = fits ? with_rule : plain;
                                Schedule moved;
                                RunOptions options;
                                options.recorded_schedule = &moved;
                                (void)run_algorithm(*row, runs_on, collective, {}, Payload{false}, options);
                                const Verdict verdict = audit(moved, with_rule, collective, false);
                                if (verdict.kept(Rule::ports) && verdict.kept(Rule::channel)) continue;
                                needs.broken.insert(who);
                                EXPECT_FALSE(fits)
                                    << who << " on " << spec << ", " << with_rule.describe() << ", from " << root;
                            }
                        }
                    }
    return needs;
}

TEST(DuplexNeeds, FullLinksAreNeededByExchangesTwoWayStreamsAndEulerTours) {
    if (test::under_sanitizer) GTEST_SKIP() << "needs every machine";
    const Needs needs = needs_of([](Machine& machine) { machine.links = Duplex::half; });
    EXPECT_EQ(needs.broken, needs.refused);
    EXPECT_THAT(
        needs.refused,
        testing::UnorderedElementsAre(
            "exscan exchange", "exscan streams", "exscan alternate", "neighbor-allgather coloured",
            "neighbor-alltoall coloured", "allreduce exchange", "scan exchange", "allgather exchange",
            "alltoall exchange", "alltoall pairwise", "allgather line-per-dimension", "allgather ring-bidirectional",
            "alltoall ring-bidirectional", "broadcast euler-rda", "scatter euler-rda", "gather euler-rda",
            "reduce euler-rda", "broadcast u-mesh", "reduce u-mesh", "broadcast flooding", "allgather odd-even",
            "alltoall odd-even", "alltoall alternate", "allgather two-way", "alltoall two-way",
            "allgather coloured-exchange", "alltoall coloured-exchange", "allgather rotations", "alltoall koenig",
            "allgather euler-ring", "alltoall euler-ring", "allgather euler-rda", "allreduce euler-rda",
            "reduce-scatter coloured-exchange", "reduce-scatter euler-ring", "reduce-scatter euler-rda",
            "barrier euler-rda",

            "allgather circulant", "reduce-scatter circulant", "allgather exchange-rotated", "allgather pat",
            "allgather swing", "allgather ring-per-dimension-rotated", "reduce-scatter exchange",
            "reduce-scatter ring-bidirectional", "reduce-scatter ring", "reduce-scatter ring-per-dimension",
            "reduce-scatter bruck", "reduce-scatter pat", "reduce-scatter swing", "reduce-scatter exchange-rotated",
            "reduce-scatter ring-per-dimension-rotated", "allreduce census", "allreduce halving-doubling",
            "allreduce ring-bidirectional", "allreduce ring", "allreduce ring-per-dimension", "allreduce bruck",
            "allreduce gather-fold", "allreduce pat", "allreduce swing", "allreduce halving-doubling-rotated",
            "allreduce ring-per-dimension-rotated", "barrier dissemination", "barrier exchange", "permutation ring",
            "permutation direct",

            "allreduce streams", "scan streams", "allreduce streams-rotated", "allreduce alternate", "scan alternate",
            "allreduce centred", "allreduce star", "allgather greedy-channels", "reduce-scatter greedy-channels",
            "barrier all-neighbours",

            // rings of two nodes, and steps of half the nodes
            "allgather ring", "alltoall ring", "alltoall ring-bidirectional-serial", "allgather ring-per-dimension",
            "alltoall ring-per-dimension", "allgather bruck", "alltoall bruck", "allgather direct",
            "reduce-scatter direct", "allreduce direct", "alltoall direct"));
}

TEST(DuplexNeeds, SeveralPartnersAreNeededByPipelinesAndRings) {
    if (test::under_sanitizer) GTEST_SKIP() << "needs every machine";
    const Needs needs = needs_of([](Machine& machine) { machine.pairwise = true; });
    EXPECT_EQ(needs.broken, needs.refused);
    EXPECT_THAT(
        needs.refused,
        testing::UnorderedElementsAre(
            "exscan doubling", "exscan streams", "neighbor-allgather coloured", "neighbor-alltoall coloured",
            "allgather circulant", "reduce-scatter circulant", "allgather exchange-rotated", "allgather pat",
            "allgather ring-per-dimension-rotated", "reduce-scatter ring-bidirectional", "reduce-scatter ring",
            "reduce-scatter ring-per-dimension", "reduce-scatter bruck", "reduce-scatter pat",
            "reduce-scatter exchange-rotated", "reduce-scatter ring-per-dimension-rotated", "allreduce census",
            "allreduce ring-bidirectional", "allreduce ring", "allreduce ring-per-dimension", "allreduce bruck",
            "allreduce gather-fold", "allreduce pat", "allreduce halving-doubling-rotated",
            "allreduce ring-per-dimension-rotated", "reduce-scatter euler-ring", "barrier dissemination",
            "permutation ring", "permutation direct",

            "allreduce streams", "scan streams", "allreduce streams-rotated", "allreduce centred", "allreduce exchange",
            "allgather greedy-channels", "reduce-scatter greedy-channels", "barrier all-neighbours",

            "allgather bruck", "allgather euler-ring", "allgather line-per-dimension", "allgather ring",
            "allgather ring-bidirectional", "allgather ring-per-dimension", "allgather rotations", "allgather two-way",
            "alltoall bruck", "alltoall euler-ring", "alltoall koenig", "alltoall ring", "alltoall ring-bidirectional",
            "alltoall ring-bidirectional-serial", "alltoall ring-per-dimension", "alltoall two-way", "broadcast code",
            "broadcast flooding", "gather balanced", "gather flow", "gather pipeline", "reduce code", "scan doubling",
            "scatter balanced", "scatter flow", "scatter pipeline", "broadcast edge-disjoint-trees",
            "reduce edge-disjoint-trees", "allreduce edge-disjoint-trees", "allgather direct", "reduce-scatter direct",
            "allreduce direct", "alltoall direct"));
}

TEST(DuplexNeeds, ARefusalNamesTheAlgorithmsThatWouldDo) {
    Machine cube = test::machine("hypercube:3");
    cube.links = Duplex::half;
    Collective collective;
    collective.operation = Operation::allreduce;
    try {
        (void)algorithm_named("exchange", cube, collective, {});
        FAIL();
    } catch (const RequestError& error) {
        EXPECT_STREQ(error.what(),
                     "algorithm 'exchange' needs full duplex links; on hypercube:3 (1-port full "
                     "duplex, store-and-forward, half duplex links) reduce-broadcast, tree-exchange, msbt, ring, "
                     "greedy-gossip would do");
    }
}

}  // namespace
}  // namespace kport
