/// @file scatter_test.cpp   Every scatter and gather on all sources of small machines and on random machines: delivery,
///                          rules, the textbook's costs and volume, the bounds.
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/choice.hpp"
#include "emulator/base/error.hpp"
#include "emulator/topology/grid.hpp"
#include "tests/algorithms/faults.hpp"
#include "tests/algorithms/machines.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport {
namespace {

using test::half_duplex;
using test::machine;
using test::without_combining;
using test::wormhole;
using testing::HasSubstr;

Collective asked_of(Operation operation, NodeId root = 0) {
    Collective collective;
    collective.operation = operation;
    collective.root = root;
    collective.packet_bytes = 13;
    return collective;
}

/// model.md section 5: N - 1 packets wherever the greater part is kept, as many as rounds where packets go singly. Nothing
/// where the parts or the order of the arms decide.
std::optional<std::uint64_t> volume_by_the_book(const Algorithm& algorithm, const Machine& machine,
                                                const Collective& collective, const AlgorithmOptions& options) {
    const NodeId nodes = machine.topology->nodes();
    if (algorithm.name == "dost" || algorithm.name == "farthest-first" || algorithm.name == "flow" ||
        algorithm.name == "layered" || algorithm.name == "greedy-routes" || options.keep == Keep::smaller)
        return std::nullopt;
    if (algorithm.name == "balanced" || algorithm.name == "direct" || algorithm.name == "direct-all" ||
        algorithm.name == "pipeline")
        return expected_cost(algorithm, machine, collective, options).rounds;
    const PortLimit highest = machine.highest_ports();  // a scatter runs with the sends, a gather with the receives
    if (algorithm.name == "rda" && std::max(highest.sends(), highest.receives()) > 1) return std::nullopt;
    return nodes - 1;
}

std::string faults(const Machine& machine, const Collective& collective, const AlgorithmOptions& options = {}) {
    std::string all;
    for (const Algorithm* algorithm : applicable(machine, collective, options))
        all += test::faults(*algorithm, machine, collective, options,
                            volume_by_the_book(*algorithm, machine, collective, options));
    return all;
}

// ----------------------------------------------------------------------------------------------------------- the machines

TEST(EveryScatter, ServesAllSourcesOfSmallMachines) {
    for (const auto* spec :
         {"line:1",      "line:2",      "line:7",     "line:8",     "ring:2",     "ring:5",     "ring:8",
          "hypercube:0", "hypercube:4", "complete:1", "complete:2", "complete:7", "cbt:0",      "cbt:3",
          "mesh:3x4",    "mesh:4x2",    "mesh:2x3x3", "torus:2x2",  "torus:3x4",  "torus:5x1x3"})
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()})
            for (const Machine& m :
                 {machine(spec, ports), wormhole(machine(spec, ports)), without_combining(machine(spec, ports)),
                  wormhole(without_combining(machine(spec, ports)))})
                for (NodeId root = 0; root < m.topology->nodes(); root += test::under_sanitizer ? 5 : 1)
                    for (const Operation& operation : {Operation::scatter, Operation::gather})
                        EXPECT_EQ(faults(m, asked_of(operation, root)), "");
}

TEST(ScatterByLines, KeepsEitherPartInAnyOrderOfTheDimensions) {
    for (const auto* spec : {"mesh:3x5x2", "torus:3x4x5", "torus:2x5x3", "mesh:1x6x4"}) {
        const Machine grid = wormhole(machine(spec));
        for (NodeId root = 0; root < grid.topology->nodes(); root += 3)
            for (const Keep keep : {Keep::smaller, Keep::greater})
                for (const std::vector<unsigned>& order :
                     {std::vector{0U, 1U, 2U}, {0U, 2U, 1U}, {1U, 0U, 2U}, {1U, 2U, 0U}, {2U, 0U, 1U}, {2U, 1U, 0U}}) {
                    AlgorithmOptions options;
                    options.keep = keep;
                    options.dimensions = order;
                    EXPECT_EQ(faults(grid, asked_of(Operation::scatter, root), options), "");
                }
    }
}

RC_GTEST_PROP(EveryScatter, DeliversLawfullyAtItsCostAndNeverBelowTheBounds, ()) {
    Machine any = test::any_machine();
    any.combining = *rc::gen::element(true, true, false);
    Collective collective = test::any_collective(any);
    collective.operation = *rc::gen::element(Operation::scatter, Operation::gather);
    if (const std::string wrong = faults(any, collective); !wrong.empty()) RC_FAIL(wrong);
}

RC_GTEST_PROP(EveryScatter, RecordedIsTheSameWhenAuditedWithoutARun, ()) {
    const Machine any = test::any_machine();
    Collective collective = test::any_collective(any);
    collective.operation = Operation::scatter;
    for (const Algorithm* algorithm : applicable(any, collective, {})) {
        const Job job = make_job(*algorithm, any, collective, {});
        const test::Outcome outcome = test::run(job, 2);
        const Verdict audited = audit(outcome.schedule, any, job.collective, true);
        RC_ASSERT(test::text(audited, *any.topology) == test::text(outcome.verdict, *any.topology));
    }
}

// --------------------------------------------------------------------------------------------------- what it costs, by hand

Metrics cost(std::string_view name, const Machine& machine, NodeId root, std::optional<Keep> keep = {}) {
    AlgorithmOptions options;
    options.keep = keep;
    Collective collective = asked_of(Operation::scatter, root);
    collective.packet_bytes = 1;  // so that volumes are in packets
    const Algorithm& algorithm = algorithm_named(name, machine, collective, options);
    return run_algorithm(algorithm, machine, collective, options, Payload{}, RunOptions{}).verdict.metrics;
}

TEST(ScatterByLines, TradesHopsForPacketsAtOddHalves) {
    const Machine line = wormhole(machine("line:9"));
    const Metrics greater = cost("rda-product", line, 0);
    EXPECT_EQ(greater.path_sum, 11U);
    EXPECT_EQ(greater.volume, 8U);
    const Metrics smaller = cost("rda-product", line, 0, Keep::smaller);
    EXPECT_EQ(smaller.path_sum, 8U);
    EXPECT_EQ(smaller.volume, 11U);
}

TEST(ScatterDownDost, CarriesMoreThanThePipelineOnALine) {
    EXPECT_EQ(cost("dost", machine("line:10"), 0).volume, 45U);
    EXPECT_EQ(cost("pipeline", machine("line:10"), 0).volume, 9U);
}

TEST(ScatterMapped, CostsTheSameFromEverySource) {
    const Machine mesh = wormhole(machine("mesh:4x8"));
    for (NodeId root = 0; root < 32; ++root) {
        const Metrics m = cost("hypercube-mapped", mesh, root);
        EXPECT_EQ(m.rounds, 5U);
        EXPECT_EQ(m.path_sum, 3U + 7U);
        EXPECT_EQ(m.volume, 31U);
    }
}

TEST(ScatterByDoubling, CutsIntoAsManyPartsAsPortsAllow) {
    const Metrics m = cost("rda", machine("complete:27", PortLimit(2)), 5);
    EXPECT_EQ(m.rounds, 3U);
    EXPECT_EQ(m.volume, 9U + 3U + 1U) << "the bound: 26 packets by 2 ports";
}

TEST(ScatterInPipeline, TakesAsManyRoundsAsTheLargestSubtreeHasNodes) {
    EXPECT_EQ(cost("pipeline", without_combining(machine("cbt:4", PortLimit::all())), 0).rounds, 15U);
    EXPECT_EQ(cost("pipeline", without_combining(machine("cbt:4", PortLimit(1))), 0).rounds, 30U);
    EXPECT_EQ(cost("pipeline", without_combining(machine("ring:9", PortLimit::all())), 0).rounds, 4U);
    EXPECT_EQ(cost("pipeline", without_combining(machine("complete:9", PortLimit(3))), 0).rounds, 3U);
}

// ------------------------------------------------------------------------------------------------------------- who fits

std::string refusal_of(std::string_view name, const Machine& machine) {
    try {
        (void)algorithm_named(name, machine, asked_of(Operation::gather), {});
    } catch (const RequestError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(EveryScatter, SaysWhatItNeeds) {
    EXPECT_THAT(refusal_of("hypercube-mapped", wormhole(machine("mesh:4x6"))), HasSubstr("sides are powers of two"));
    EXPECT_THAT(refusal_of("hypercube-mapped", wormhole(machine("ring:8"))), HasSubstr("sides are powers of two"));
    EXPECT_THAT(refusal_of("dost", without_combining(machine("mesh:3x3"))), HasSubstr("needs a combining machine"));
    EXPECT_THAT(refusal_of("rda", machine("ring:4")), HasSubstr("needs a complete graph"));
    EXPECT_THAT(refusal_of("direct", machine("ring:4")), HasSubstr("needs wormhole switching or a complete graph"));
    EXPECT_THAT(refusal_of("direct", wormhole(machine("ring:4", PortLimit(2)))), HasSubstr("needs a 1-port machine"));
    EXPECT_EQ(refusal_of("direct", machine("complete:4", PortLimit(2))), "accepted");
    EXPECT_THAT(refusal_of("pipeline", half_duplex(machine("line:4"))), HasSubstr("needs full duplex ports"));
    EXPECT_EQ(refusal_of("pipeline", without_combining(machine("line:4"))), "accepted");
}

TEST(BestScatter, SendsLittleInFewRoundsAtTheDefaultPrices) {
    for (const Operation& operation : {Operation::scatter, Operation::gather}) {
        const auto best = [operation](const Machine& machine) {
            return best_algorithm(machine, asked_of(operation), {}).name;
        };
        EXPECT_EQ(best(machine("hypercube:5")), "sbt");
        EXPECT_EQ(best(without_combining(machine("hypercube:5"))), "pipeline");
        EXPECT_EQ(best(machine("line:9")), "pipeline") << "as many rounds as dost, and less volume";
        EXPECT_EQ(best(machine("mesh:4x5")), "dost");
        EXPECT_EQ(best(machine("complete:9", PortLimit(2))), "rda");
        EXPECT_EQ(best(without_combining(machine("complete:9", PortLimit(2)))), "direct");
        EXPECT_EQ(best(wormhole(machine("mesh:4x4"))), "rda-product");
        EXPECT_EQ(best(wormhole(machine("mesh:5x5"))), "euler-rda");
        EXPECT_EQ(best(wormhole(machine("cbt:4"))), "euler-rda");
        EXPECT_EQ(best(wormhole(without_combining(machine("cbt:4")))), "direct");
    }
}

}  // namespace
}  // namespace kport
