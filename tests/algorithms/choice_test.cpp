/// The algorithm that runs when none is named: its measured latency is the smallest of all that apply, at any prices.
#include "algorithms/choice.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "algorithms/run_algorithm.hpp"
#include "emulator/base/error.hpp"
#include "tests/algorithms/machines.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport {
namespace {

using testing::HasSubstr;

Machine machine(const std::string& spec, Switching switching, const Costs& costs) {
    Machine made;
    made.topology = make_topology(spec);
    made.switching = switching;
    made.costs = costs;
    return made;
}

Metrics measured(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                 const AlgorithmOptions& options = {}) {
    RunOptions one_thread;
    one_thread.threads = 1;
    return run_algorithm(algorithm, machine, collective, options, {false, 1}, one_thread).verdict.metrics;
}

Operation any_operation() {
    return *rc::gen::element(Operation::broadcast, Operation::scatter, Operation::gather, Operation::reduce,
                             Operation::allreduce, Operation::scan, Operation::allgather, Operation::alltoall);
}

/// The choice, and what its run costs.
struct Taken {
    Choice choice;
    Metrics metrics;

    Taken(const Machine& machine, const Collective& collective)
        : choice(choose(machine, collective, {})),
          metrics(measured(*choice.algorithm, machine, collective, choice.options({}))) {}
};

/// Two machines of which the second only has more ports, and the default of the first costs less there.
std::string loss_by_more_ports(Machine any, const Collective& collective) {
    std::optional<Metrics> fewer;
    for (Port k = 1; k <= any.topology->max_degree(); ++k) {
        any.ports = PortLimit(k);
        if (!fewer && applicable(any, collective, {}).empty()) continue;
        const Taken taken(any, collective);
        if (fewer && (taken.metrics.latency > fewer->latency * (1 + 1e-9) ||
                      (any.costs.byte == 0 && taken.metrics.rounds > fewer->rounds)))
            return fmt::format("{} of {} on {} ({}): {} costs {} in {} rounds, with a port less {} in {}\n",
                               name(collective.operation), collective.packets_each, any.topology->spec(),
                               any.describe(), taken.choice.algorithm->name, taken.metrics.latency,
                               taken.metrics.rounds, fewer->latency, fewer->rounds);
        fewer = taken.metrics;
    }
    return "";
}

TEST(DefaultAlgorithm, IsNeverWorseWithMorePorts) {  // a run that keeps the rules of k ports keeps those of more
    std::string lost;
    test::Sample sample(23, 5);
    for (const char* const spec :
         {"line:16", "ring:6", "star:5", "cbt:2", "torus:3x3", "hypercube:3", "complete:5", "petersen"})
        for (const Switching switching : {Switching::store_and_forward, Switching::wormhole})
            for (const bool combining : {true, false})
                for (const Costs& costs : {Costs{1, 0, 0}, Costs{1, 0, 0.001}})
                    for (const Operation& operation : operations())
                        for (const std::uint64_t packets : {1U, 6U}) {
                            Machine any = machine(spec, switching, costs);
                            any.combining = combining;
                            Collective collective = Collective::of(operation, 0, operation.signals() ? 0 : 4096);
                            if (packets != 1 && operation.signals()) continue;
                            if (sample.leaves_out()) continue;
                            collective.packets_each = packets;
                            lost += loss_by_more_ports(any, collective);
                        }
    EXPECT_EQ(lost, "");
}

TEST(DefaultAlgorithm, MayUseFewerPortsThanThereAre) {
    Machine cube = machine("hypercube:3", Switching::store_and_forward, {1, 0, 0.001});
    cube.ports = PortLimit(2);
    Collective many = Collective::broadcast(0, 4096);
    many.packets_each = 24;
    const Choice choice = choose(cube, many, {});
    EXPECT_EQ(choice.algorithm->name, "msbt");
    EXPECT_EQ(choice.ports_at_most, 1U);
    EXPECT_EQ(choice.reason(),
              "smallest predicted latency of 4 algorithms, with --ports-at-most 1: 132.496 (derived); next best: sbt, "
              "297.912 (derived)");
    Machine line = machine("line:16", Switching::wormhole, {1, 0, 0.001});
    line.ports = PortLimit::all();
    EXPECT_EQ(Taken(line, Collective::broadcast(0, 64)).metrics.rounds, 4U);
    EXPECT_FALSE(choose(machine("hypercube:3", Switching::store_and_forward, {}), {}, {}).ports_at_most)
        << "where the bound is met";
}

RC_GTEST_PROP(DefaultAlgorithm, CostsNoMoreThanAnyOtherAtAnyPrices, ()) {
    Machine any = test::any_machine();
    any.combining = *rc::gen::element(true, true, false);
    any.costs = {*rc::gen::element(0.0, 1.0, 100.0), *rc::gen::element(0.0, 0.25, 1.0, 30.0),
                 *rc::gen::element(0.0, 0.001, 0.5, 3.0)};
    const Collective drawn = test::any_collective(any);
    Collective collective = Collective::of(any_operation(), drawn.root, drawn.packet_bytes);
    if (collective.folds()) collective.packet_bytes = 8;
    if (collective.operation == Operation::allreduce) collective.root = 0;
    const std::vector<const Algorithm*> all = applicable(any, collective, {});
    if (all.empty()) return;
    const auto [choice, chosen] = Taken(any, collective);
    for (const Algorithm* other : all) {
        if (other->name == "flooding") continue;  // it breaks NODUP by design
        const Metrics cost = measured(*other, any, collective);
        const std::string told =
            fmt::format("{} on {} ({}) at {} {} {}, {} bytes from {}: {} costs {}, {} only {}",
                        name(collective.operation), any.topology->spec(), any.describe(), any.costs.startup,
                        any.costs.hop, any.costs.byte, collective.packet_bytes, collective.root, choice.algorithm->name,
                        chosen.latency, other->name, cost.latency);
        if (chosen.latency > cost.latency + 1e-9 * cost.latency) RC_FAIL(told);
        if (chosen.latency >= cost.latency - 1e-9 * cost.latency && other->by_default && chosen.rounds > cost.rounds)
            RC_FAIL(told + " in fewer rounds");
    }
    for (const Candidate& candidate : choice.candidates) {
        AlgorithmOptions options;
        options.ports_at_most = candidate.ports_at_most;
        const double latency = measured(*candidate.algorithm, any, collective, options).latency;
        RC_ASSERT(candidate.least <= latency + 1e-9 * latency);
        if (candidate.predicted) RC_ASSERT(std::abs(candidate.predicted->latency - latency) <= 1e-9 * latency);
    }
}

TEST(DefaultAlgorithm, FollowsThePrices) {
    const auto best = [](Operation operation, const Machine& machine, std::uint64_t bytes) {
        return std::string(best_algorithm(machine, {operation, 0, bytes}, {}).name);
    };
    const auto wormhole = Switching::wormhole;
    EXPECT_EQ(best(Operation::scatter, machine("torus:9x9", wormhole, {1, 1, 0.001}), 64), "layered");
    EXPECT_EQ(best(Operation::alltoall, machine("hypercube:6", wormhole, {1, 0, 0.001}), 1024), "pairwise");
    EXPECT_EQ(best(Operation::alltoall, machine("hypercube:6", wormhole, {100, 0, 0.001}), 64), "exchange");
    EXPECT_EQ(best(Operation::scatter, machine("line:16", Switching::store_and_forward, {1, 0, 0}), 64), "pipeline");
    EXPECT_EQ(best(Operation::scatter, machine("mesh:8x8", Switching::store_and_forward, {1, 0, 0.001}), 64), "dost");
}

TEST(DefaultAlgorithm, IsChosenAtOnceWhereItMeetsTheBoundHoweverLargeTheMachine) {
    for (const char* spec : {"hypercube:40", "mesh:1000000x1000000", "line:1099511627776"}) {
        const Choice choice = choose(machine(spec, Switching::store_and_forward, {}), {}, {});
        EXPECT_TRUE(choice.candidates.front().predicted.has_value()) << spec;
        EXPECT_FALSE(choice.candidates.back().predicted.has_value()) << spec;
    }
}

TEST(DefaultAlgorithm, NeverPrefersABoundThatMayBeFarFromTheRun) {
    // 90000 nodes are not rehearsed. The tree paths of euler-rda are long, and only a limit on them is known.
    const Choice choice = choose(machine("torus:300x300", Switching::wormhole, {1, 1, 0.001}), {}, {});
    EXPECT_EQ(choice.algorithm->name, "rda-product");
}

struct LargePlan {
    const char* operation;
    const char* graph;
    PortLimit ports;
    std::uint64_t bytes;
    std::uint64_t packets;
    bool combining;
    const char* permutation;
    const char* best;
};

/// Contract: long messages, section 1: the smallest predicted latency at the given prices.
TEST(DefaultAlgorithm, IsTheCheapestAlsoWhereItsPlanIsLarge) {
    const LargePlan cases[] = {
        {"permutation", "mesh:60x60", PortLimit(1), 1024, 1, true, "transpose", "shortest-paths"},
        {"permutation", "mesh:60x60", PortLimit(2), 8, 2, true, "shift:7", "shortest-paths"},
        {"alltoall", "ring:140", PortLimit(1), 8, 2, true, "", "coloured-exchange"},
        {"alltoall", "ring:200", PortLimit(1), 8, 1, true, "", "coloured-exchange"},
        {"alltoall", "torus:18x18", PortLimit(2), 1024, 5, true, "", "greedy-gossip"},
        {"scatter", "hypercube:9", PortLimit::all(), 1024, 1, false, "", "flow"},
        {"gather", "random-regular:3,400,1", PortLimit::all(), 1024, 1, false, "",
         "greedy-routes"},  // flow's rounds, less work
        {"scatter", "debruijn:2,9", PortLimit(2), 8, 1, false, "", "flow"},
    };
    test::Sample sample(3);
    for (const LargePlan& large : cases) {
        if (sample.leaves_out()) continue;
        Machine any = machine(large.graph, Switching::store_and_forward, {});
        any.ports = large.ports;
        any.combining = large.combining;
        Collective collective = Collective::of(operation_named(large.operation), 0, large.bytes);
        collective.packets_each = large.packets;
        if (*large.permutation != 0) collective.permutation = permutation_named(large.permutation);
        const Choice choice = choose(any, collective, {});
        EXPECT_EQ(choice.algorithm->name, large.best) << large.operation << " on " << large.graph;
        const auto& predicted =
            std::ranges::find(choice.candidates, choice.algorithm, &Candidate::algorithm)->predicted;
        ASSERT_TRUE(predicted);
        EXPECT_DOUBLE_EQ(predicted->latency, measured(*choice.algorithm, any, collective).latency);
    }
}

TEST(DefaultAlgorithm, IsTheCheapestOfMoreNodesWhereFewLinksAreCrossed) {
    const Machine random = machine("random-regular:3,20000,1", Switching::store_and_forward, {});
    EXPECT_EQ(best_algorithm(random, {}, {}).name, "layered");
}

TEST(DefaultAlgorithm, PlansNoMoreThanItsLimitHoweverMuchBetterTheEstimate) {
    const Choice choice =
        choose(machine("torus:46x46", Switching::store_and_forward, {}), {Operation::alltoall, 0, 8}, {});
    EXPECT_THAT(choice.reason(), HasSubstr("; coloured-exchange may take less, "));
    EXPECT_THAT(choice.reason(), testing::EndsWith(" or more: too large to be predicted"));
}

TEST(DefaultAlgorithm, SaysWhyItWasChosen) {
    const Machine torus = machine("torus:9x9", Switching::wormhole, {1, 1, 0.001});
    EXPECT_EQ(choose(torus, {Operation::scatter, 0, 64}, {}).reason(),
              "smallest predicted latency of 7 algorithms: 25.616 (derived); next best: rda-product, 27.12 (derived)");
}

/// Keeping the smaller part saves hops and costs bytes.
TEST(DefaultAlgorithm, KeepsTheOtherPartWhereThatCostsLess) {
    const Collective scatter = Collective::scatter(4, 1);
    const auto cost = [&](const Machine& machine, const Choice& choice) {
        AlgorithmOptions with;
        with.keep = choice.keep;
        return run_algorithm(*choice.algorithm, machine, scatter, with, {false, 1}, {}).verdict.metrics.latency;
    };
    int other = 0;
    for (const char* spec : {"line:9", "line:13", "mesh:5x7", "torus:9x9"})
        for (const double hop : {0.0, 1.0, 10.0}) {
            const Machine wormhole = machine(spec, Switching::wormhole, {1, hop, 0.001});
            const Choice as_it_is = choose(wormhole, scatter, {});
            const Choice free = choose(wormhole, scatter, {}, true);
            EXPECT_FALSE(as_it_is.keep);
            EXPECT_LE(cost(wormhole, free), cost(wormhole, as_it_is)) << spec << " " << hop;
            if (!free.keep) continue;
            ++other;
            EXPECT_LT(cost(wormhole, free), cost(wormhole, as_it_is)) << spec << " " << hop;
            EXPECT_THAT(free.reason(), HasSubstr(", with --keep smaller: "));
        }
    EXPECT_GT(other, 0);
    AlgorithmOptions asked;
    asked.keep = Keep::greater;
    EXPECT_FALSE(choose(machine("line:13", Switching::wormhole, {1, 10, 0.001}), scatter, asked, true).keep);
}

TEST(BetterRoot, IsTheMiddleWhereTheRootIsFreeAndNodesDiffer) {
    const Algorithm& through_root =
        algorithm_named("reduce-broadcast", machine("line:9", {}, {}), {Operation::allreduce}, {});
    const auto better = [&](const std::string& spec, NodeId root) {
        return better_root(through_root, machine(spec, Switching::store_and_forward, {}),
                           {Operation::allreduce, root, 8}, {});
    };
    ASSERT_TRUE(better("line:9", 0));
    EXPECT_EQ(better("line:9", 0)->root, 4U);
    for (const NodeId root : {NodeId{0}, NodeId{4}}) {
        const Metrics cost = measured(through_root, machine("line:9", Switching::store_and_forward, {}),
                                      {Operation::allreduce, root, 8});
        EXPECT_DOUBLE_EQ(cost.latency, root == 0 ? better("line:9", 0)->latency_now : better("line:9", 0)->latency);
    }
    EXPECT_FALSE(better("line:9", 4));
    EXPECT_FALSE(better("ring:9", 0));
    EXPECT_FALSE(better("cbt:3", 0));
    const Machine line = machine("line:9", Switching::store_and_forward, {});
    EXPECT_FALSE(better_root(best_algorithm(line, {}, {}), line, {}, {})) << "the root of a broadcast is asked for";
}

TEST(NoAlgorithm, NamesAScheduleThatIsKnown) {
    try {
        Machine single = machine("hypercube:9", Switching::store_and_forward, {});
        single.combining = false;
        (void)choose(single, {Operation::alltoall, 0, 8}, {});
        FAIL();
    } catch (const RequestError& error) {
        EXPECT_THAT(
            error.what(),
            HasSubstr(
                "; the total exchange of Dimakopoulos, Dimopoulos 1998 would take the fewest rounds, but the catalogue "
                "has no program for it"));
    }
}

TEST(NeedsAHypercube, NamesTheOneThatATorusOrMeshOfSidesTwoIs) {
    const auto refusal = [](const std::string& spec) -> std::string {
        try {
            (void)algorithm_named("exchange", machine(spec, Switching::store_and_forward, {}), {Operation::scan, 0, 8},
                                  {});
        } catch (const RequestError& error) {
            return error.what();
        }
        return "accepted";
    };
    EXPECT_THAT(refusal("torus:2x2x2"), HasSubstr("needs a hypercube (torus:2x2x2 is one: hypercube:3)"));
    EXPECT_THAT(refusal("mesh:2x1x2"), HasSubstr("needs a hypercube (mesh:2x1x2 is one: hypercube:2)"));
    EXPECT_THAT(refusal("torus:2x4"), HasSubstr("needs a hypercube;"));
    EXPECT_THAT(refusal("complete:4"), HasSubstr("needs a hypercube;"));
}

// --------------------------------------------------------------------------------------- every combination has an algorithm

constexpr const char* graphs[] = {"hypercube:4", "mesh:4x4",   "mesh:3x3x3", "torus:4x4", "line:9",
                                  "ring:9",      "complete:9", "cbt:3",      "petersen",  "random-connected:12,18,3"};

template <class Body>
void for_every_combination(const Body& body) {
    for (const Operation& operation : operations())
        for (const char* graph : graphs)
            for (const Switching switching : {Switching::store_and_forward, Switching::wormhole})
                for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()}) {
                    Machine made = machine(graph, switching, {});
                    made.ports = ports;
                    body(made, Collective{operation, 0, 8});
                }
}

TEST(EveryCombination, HasAnAlgorithm) {
    int all = 0;
    for_every_combination([&](const Machine& machine, const Collective& collective) {
        EXPECT_FALSE(applicable(machine, collective, {}).empty())
            << name(collective.operation) << " on " << machine.topology->spec() << ": " << machine.describe();
        ++all;
    });
    EXPECT_EQ(all, 840);
}

/// "X meets it" with an algorithm's name is a promise about a run.
TEST(EveryCombination, RunsWhatItsBoundsNameAndThatMeetsThem) {
    int promises = 0;
    for_every_combination([&](const Machine& plain, const Collective& collective) {
        for (const Duplex duplex : {Duplex::full, Duplex::half})
            for (const bool combining : {true, false}) {
                Machine machine = plain;
                machine.duplex = duplex;
                machine.combining = combining;
                const Bounds bounds = lower_bounds(machine, collective);
                for (const Algorithm& row : catalogue()) {
                    if (row.operation != collective.operation) continue;
                    const std::string promise = std::string(row.name) + " meets it";
                    const auto check = [&](const QuantityRow& quantity) {
                        const Bound& bound = bounds[quantity.quantity];
                        if (bound.reachable != Reachable::yes || bound.reachable_why != promise) return;
                        const std::string where =
                            fmt::format("{} {} on {} ({}): {}", name(row.operation), row.name, machine.topology->spec(),
                                        machine.describe(), quantity.title);
                        ++promises;
                        const auto why = misfit_of(row, machine, collective, {});
                        ASSERT_FALSE(why) << where << ": " << *why;
                        EXPECT_NEAR(quantity.of(measured(row, machine, collective)), *bound.largest(), 1e-6) << where;
                    };
                    for (const QuantityRow& quantity : quantity_rows) check(quantity);
                }
            }
    });
    EXPECT_GT(promises, 500);
}

TEST(DefaultAlgorithm, OfBillionsOfPacketsIsFoundWithoutARehearsal) {
    Collective collective{Operation::broadcast, 0, 64};
    collective.packets_each = own_packets_max;
    const Choice choice = choose(machine("hypercube:3", Switching::store_and_forward, {}), collective, {});
    for (const Candidate& candidate : choice.candidates)
        EXPECT_FALSE(candidate.predicted && candidate.predicted->grounds == Grounds::rehearsed) << candidate.name();
}

}  // namespace
}  // namespace kport
