/// @file message_sizes_test.cpp   Into how many packets an algorithm cuts a message, and which is the cheapest.
#include "app/session/message_sizes.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/session/run.hpp"
#include "emulator/base/error.hpp"
#include "tests/session/experiments.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport::test {
namespace {

Experiment broadcast_of_single_packets(const char* spec) {
    Experiment e = experiment(spec);
    e.machine.combining = false;
    e.machine.ports = PortLimit::all();
    return e;
}

TEST(MessageSizes, CutAPipelineWhereNoOtherNumberOfPacketsIsBetter) {
    Experiment e = broadcast_of_single_packets("line:9");
    e.algorithm = "farthest-first";
    e.machine.costs.byte = 0.01;
    for (const std::uint64_t bytes : {64U, 1000U, 4096U}) {
        const MessageSize size = compare_sizes(e, std::array{bytes}).front();
        ASSERT_EQ(size.cuts.size(), 1U);
        const CutMessage& cut = size.cuts.front();
        for (std::uint64_t packets = 1; packets <= std::min<std::uint64_t>(bytes, 300); ++packets) {
            // M - 1 + height rounds of one packet each (model.md section 13.2).
            const double packet = static_cast<double>((bytes + packets - 1) / packets);
            const double latency = static_cast<double>(packets - 1 + 8) * (1 + 0.01 * packet);
            EXPECT_LE(cut.predicted.latency, latency + 1e-9) << bytes << " bytes in " << packets;
        }
    }
}

TEST(CutCurves, AreByMAndLeastAtTheBestCut) {
    const Experiment e = broadcast_of_single_packets("line:9");
    const std::vector<CutCurve> curves = curves_over_cuts(e, 5000);
    ASSERT_GT(curves.size(), 1U);
    for (const CutCurve& curve : curves) {
        EXPECT_TRUE(std::ranges::is_sorted(curve.cuts, {}, &CutMessage::packets));
        EXPECT_EQ(curve.cuts.front().packets, 1U);
        EXPECT_GE(curve.best.predicted.latency, curves.front().best.predicted.latency);
        for (const CutMessage& cut : curve.cuts) {
            EXPECT_LE(curve.best.predicted.latency, cut.predicted.latency) << cut.algorithm->name;
            EXPECT_LE(bound_of_cut(e, 5000, cut.packets).value_or(0), cut.predicted.latency + 1e-9);
        }
    }
}

/// The least that the algorithm costs over every cut of the message; infinity where it runs at none.
double least_of_all_cuts(const Experiment& e, const Algorithm& algorithm, std::uint64_t units, std::uint64_t unit) {
    double least = std::numeric_limits<double>::infinity();
    for (std::uint64_t packets = 1; packets <= units; ++packets) {
        Collective cut = e.collective;
        cut.packets_each = packets;
        cut.packet_bytes = (units + packets - 1) / packets * unit;
        if (misfit_of(algorithm, e.machine, cut, e.options)) continue;
        if (const auto cost = predicted_cost(algorithm, e.machine, cut, e.options))
            least = std::min(least, cost->latency);
    }
    return least;
}

TEST(MessageSizes, AreCutWhereNoOtherCutOfAllCostsLess) {
    std::mt19937 random(1);
    const auto one_of = [&]<class T>(const std::vector<T>& values) {
        return values[std::uniform_int_distribution<std::size_t>(0, values.size() - 1)(random)];
    };
    const std::vector<Operation> operations = {Operation::broadcast, Operation::reduce,         Operation::scatter,
                                               Operation::allgather, Operation::reduce_scatter, Operation::allreduce,
                                               Operation::alltoall};
    const std::vector<const char*> specs = {"complete:5", "complete:8", "hypercube:3", "ring:6", "ring:5",
                                            "torus:3x4",  "mesh:3x3",   "line:6",      "cbt:2"};
    const int cases = 80 / static_cast<int>(test::Sample(8, 4).one_of());
    for (int i = 0; i < cases; ++i) {
        const Operation operation = one_of(operations);
        Experiment e = experiment(one_of(specs), operation);
        e.machine.ports = one_of(std::vector{PortLimit(1), PortLimit(2), PortLimit::all()});
        e.machine.combining = one_of(std::vector{0, 1}) == 1;
        e.machine.costs = {one_of(std::vector{0.0, 1.0, 10.0}), one_of(std::vector{0.0, 1.0}),
                           one_of(std::vector{0.0, 0.01, 1.0})};
        const std::uint64_t units = std::uniform_int_distribution<std::uint64_t>(1, 200)(random);
        const std::uint64_t unit = operation.folds() ? 8 : 1;
        std::vector<CutCurve> curves;
        try {
            curves = curves_over_cuts(e, units * unit);
        } catch (const RequestError&) {
            continue;
        }
        for (const CutCurve& curve : curves)
            EXPECT_LE(curve.best.predicted.latency,
                      least_of_all_cuts(e, *curve.best.algorithm, units, unit) * (1 + 1e-9))
                << name(operation) << " by " << curve.best.algorithm->name << " on " << e.topology().spec() << ", "
                << e.machine.describe() << ", combining " << e.machine.combining << ", " << e.machine.costs.startup
                << " " << e.machine.costs.hop << " " << e.machine.costs.byte << ", " << units << " x " << unit;
    }
}

// Rounds of all ports are a step function of M (docs/model.md section 13.2): ceil(M / q) - 1 + c of M packets of ceil(m / M) bytes.
TEST(MessageSizes, MeetTheBoundWhereRoundsAreAStepFunctionOfM) {
    struct Case {
        const char* spec;
        std::uint64_t bytes;
        Costs costs;
        double latency;
    };
    for (const Case& c : {Case{"torus:6x8", 64 * 1024, {1, 0, 0.001}, 42.224}, Case{"mesh:5x5x5", 100, {0, 1, 1}, 84},
                          Case{"hypercube:3", 4096, {1, 0, 0.01}, 26.18}, Case{"complete:8", 64, {0, 1, 1}, 16}}) {
        Experiment e = broadcast_of_single_packets(c.spec);
        e.machine.costs = c.costs;
        EXPECT_NEAR(compare_sizes(e, std::array{c.bytes}).front().cuts.front().predicted.latency, c.latency, 1e-9)
            << c.spec;
    }
}

/// 256 packets divide the message, and so cost less than those near them, but not less than about 205 (model.md section 13.4).
TEST(MessageSizes, AreSearchedForBeyondTheNeighboursThatRoundingFavours) {
    Experiment e = experiment("complete:64", Operation::allreduce);
    const auto least = [&](const char* algorithm) {
        e.algorithm = algorithm;
        return compare_sizes(e, std::array<std::uint64_t, 1>{8 << 20}).front().cuts.front().predicted.latency;
    };
    EXPECT_DOUBLE_EQ(least("reduce-broadcast"), least("circulant")) << "the same broadcast, there and back";
}

TEST(MessageSizes, ArePredictedAsTheyRun) {
    const Experiment e = broadcast_of_single_packets("mesh:3x4");
    for (const MessageSize& size : compare_sizes(e, std::array<std::uint64_t, 2>{100, 5000}))
        for (const CutMessage& cut : size.cuts) {
            Experiment one = e;
            one.algorithm = cut.algorithm->name;
            one.collective.packets_each = cut.packets;
            one.collective.packet_bytes = cut.packet_bytes;
            const Outcome outcome = run(choose(one));
            EXPECT_EQ(outcome.ending, Ending::lawful);
            EXPECT_DOUBLE_EQ(outcome.report.verdict.metrics.latency, cut.predicted.latency) << cut.algorithm->name;
            EXPECT_GE(cut.packets * cut.packet_bytes, size.bytes);
        }
}

TEST(MessageSizes, AreNeverBelowTheBoundWhereTheCutIsNoPowerOfTwo) {
    for (const char* spec : {"line:9", "hypercube:4", "mesh:3x5"})
        for (const MessageSize& size :
             compare_sizes(broadcast_of_single_packets(spec), std::array<std::uint64_t, 3>{1000, 16'384, 100'000})) {
            ASSERT_TRUE(size.bound);
            EXPECT_GE(size.cuts.front().predicted.latency, *size.bound - 1e-9) << spec << " " << size.bytes;
        }
}

TEST(MessageSizes, AreNeverBelowTheBoundAndCheapestFirst) {
    for (const Operation& operation : {Operation::broadcast, Operation::allreduce, Operation::allgather})
        for (const MessageSize& size :
             compare_sizes(experiment("hypercube:3", operation), std::array<std::uint64_t, 3>{8, 800, 80'000})) {
            ASSERT_TRUE(size.bound);
            EXPECT_TRUE(std::ranges::is_sorted(size.cuts, {}, [](const CutMessage& c) { return c.predicted.latency; }));
            EXPECT_GE(size.cuts.front().predicted.latency, *size.bound - 1e-9);
        }
}

// A schedule of any cut is one of all bytes apart where messages are bundles (model.md section 13): no cut is below that bound.
TEST(MessageSizes, AreNeverBelowTheBoundAtAnyCutAtAll) {
    for (const Operation& operation : {Operation::broadcast, Operation::allgather, Operation::scatter})
        for (const char* spec : {"complete:5", "hypercube:3", "ring:6"})
            for (const bool combining : {true, false})
                for (const double startup : {0.0, 1.0}) {
                    Experiment e = experiment(spec, operation);
                    e.machine.combining = combining;
                    e.machine.costs.startup = startup;
                    if (!combining && operation == Operation::allgather) continue;  // nothing runs
                    const std::uint64_t bytes = 97;
                    const MessageSize size = compare_sizes(e, std::array{bytes}).front();
                    ASSERT_TRUE(size.bound);
                    double least = size.cuts.front().predicted.latency;
                    for (std::uint64_t packets = 1; packets <= bytes; ++packets) {
                        const double bound = bound_of_cut(e, bytes, packets).value();
                        EXPECT_GE(bound, *size.bound * (1 - 1e-12)) << spec << " in " << packets;
                        least = std::min(least, bound);
                    }
                    EXPECT_NEAR(*size.bound, combining ? *bound_of_cut(e, bytes, bytes) : least, 1e-9)
                        << spec << " " << combining << " " << startup;
                }
}

TEST(MessageSizes, AreCutBetweenElementsInReductions) {
    for (const std::uint64_t bytes : {8U, 104U, 1504U, 100'000U})
        for (const Operation& operation : {Operation::reduce, Operation::allreduce, Operation::reduce_scatter}) {
            const MessageSize size = compare_sizes(experiment("complete:8", operation), std::array{bytes}).front();
            for (const CutMessage& cut : size.cuts) {
                EXPECT_EQ(cut.packet_bytes % 8, 0U) << cut.algorithm->name;
                EXPECT_GE(cut.packet_bytes * cut.packets, bytes) << cut.algorithm->name;
            }
        }
    EXPECT_THROW((void)compare_sizes(experiment("complete:8", Operation::reduce), std::array<std::uint64_t, 1>{100}),
                 RequestError);
}

TEST(MessageSizes, AreCutIntoAPartForEachPort) {
    Experiment e = experiment("hypercube:3", Operation::allgather);
    e.machine.ports = PortLimit::all();
    const CutMessage cut = compare_sizes(e, std::array<std::uint64_t, 1>{1000}).front().cuts.front();
    EXPECT_EQ(cut.packets, 3U);
    EXPECT_EQ(cut.packet_bytes, 334U);
}

TEST(MessageSizes, AnotherAlgorithmIsTheCheapestFromAWholeElementOn) {
    const Experiment e = experiment("complete:64", Operation::allreduce);
    const std::vector<Change> changes = changes_of(e, compare_sizes(e, std::array<std::uint64_t, 2>{512, 4096}));
    ASSERT_EQ(changes.size(), 2U);
    EXPECT_EQ(changes[1].bytes % 8, 0U);
    const auto cheapest = [&](std::uint64_t bytes) {
        return compare_sizes(e, std::array{bytes}).front().cuts.front().algorithm;
    };
    EXPECT_EQ(cheapest(changes[1].bytes), changes[1].algorithm);
    EXPECT_EQ(cheapest(changes[1].bytes - 8), changes[0].algorithm);
}

/// Trees are the cheapest up to 24 bytes, the ring from 40 on, reduce-broadcast between.
TEST(MessageSizes, NameAThirdAlgorithmThatIsCheaperWhereTwoCross) {
    Experiment e = experiment("ring:8", Operation::allreduce);
    e.machine.combining = false;
    e.machine.costs = {1, 0.5, 0.1};
    e.algorithms = {"tree-exchange", "reduce-broadcast", "ring"};
    const std::vector<Change> changes = changes_of(e, compare_sizes(e, std::array<std::uint64_t, 2>{16, 48}));
    ASSERT_EQ(changes.size(), 3U);
    for (std::size_t i = 0; i < changes.size(); ++i)
        for (std::uint64_t bytes = changes[i].bytes; bytes < (i == 2 ? 56 : changes[i + 1].bytes); bytes += 8)
            EXPECT_EQ(compare_sizes(e, std::array{bytes}).front().cuts.front().algorithm, changes[i].algorithm)
                << bytes;
}

TEST(MessageSizes, TellWhatPipelinesOfSinglePacketsWouldCost) {
    const Experiment mesh = experiment("mesh:8x8");
    const std::uint64_t bytes = 1 << 20;
    const CutMessage best = compare_sizes(mesh, std::array{bytes}).front().cuts.front();
    const auto pipeline = cheaper_without_bundles(mesh, bytes, best);
    ASSERT_TRUE(pipeline);
    EXPECT_LT(pipeline->predicted.latency, best.predicted.latency / 2);
    const Experiment complete = experiment("complete:8");
    const CutMessage circulant = compare_sizes(complete, std::array{bytes}).front().cuts.front();
    EXPECT_FALSE(cheaper_without_bundles(complete, bytes, circulant)) << "it sends single packets";
    Experiment single = mesh;
    single.machine.combining = false;
    EXPECT_FALSE(cheaper_without_bundles(single, bytes, best));
}

TEST(MessageSizes, LookAtAlgorithmsWithLargePlansToo) {
    Experiment e = experiment("mesh:60x60");
    e.collective = Collective::permuted(permutation_named("transpose"), 8);
    test::Sample sample(2);
    for (const bool combining : {true, false}) {
        if (sample.leaves_out()) continue;
        e.machine.combining = combining;
        EXPECT_EQ(compare_sizes(e, std::array{std::uint64_t{8}}).front().cuts.front().algorithm->name, "shortest-paths")
            << combining;
    }
}

TEST(MessageSizes, SayThatAMachineIsTooLargeToPredictAndNotThatNothingRuns) {
    Experiment e = experiment("random-regular:3,200000,1");
    e.algorithm = "controlled-flooding";
    EXPECT_THAT(
        refusal([&] { (void)compare_sizes(e, std::array{std::uint64_t{8}}); }),
        testing::AllOf(testing::StartsWith("no latency of broadcast is predicted on random-regular:3,200000,1 ("),
                       testing::EndsWith("controlled-flooding would run, but the machine is too large for a "
                                         "rehearsal")));
}

TEST(MessageSizes, SayInTheWordsOfARunWhyNothingRuns) {
    Experiment e = experiment("petersen", Operation::scan);
    e.machine.combining = false;
    const std::string why = refusal([&] { (void)compare_sizes(e, std::array{std::uint64_t{4096}}); });
    EXPECT_THAT(why, testing::HasSubstr("needs a combining machine"));
    EXPECT_EQ(why, refusal([&] { require_runnable(e); }));
}

TEST(MessageSizes, RefuseAMessageWithoutBytesAndOneOfTooMany) {
    for (const std::uint64_t bytes : {std::uint64_t{0}, ~std::uint64_t{0}})
        EXPECT_THROW((void)compare_sizes(experiment("ring:5"), std::array{bytes}), RequestError) << bytes;
}

}  // namespace
}  // namespace kport::test
