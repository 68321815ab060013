/// @file steady_rounds_test.cpp   The formula of the best cut (model.md section 13.4), held against every cut.
#include "app/session/message_sizes.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "algorithms/choice.hpp"
#include "tests/session/experiments.hpp"

namespace kport::test {
namespace {

std::optional<SteadyRounds> read_off(const std::function<std::uint64_t(std::uint64_t packets)>& rounds,
                                     std::uint64_t most = 1000) {
    return steady_rounds([&](std::uint64_t packets) { return std::optional(rounds(packets)); }, most);
}

TEST(SteadyRounds, AreReadOffWhateverTheStepTheGroupTheShiftAndTheRest) {
    for (const std::uint64_t step : {1U, 2U, 5U})
        for (std::uint64_t group = 1; group <= 9; ++group)
            for (std::uint64_t shift = 0; shift < group; ++shift)
                for (const std::uint64_t more : {0U, 1U, 7U}) {
                    const auto rounds = [&](std::uint64_t packets) {
                        return step * ((packets + shift + group - 1) / group) + more;
                    };
                    const auto found = read_off(rounds);
                    ASSERT_TRUE(found) << step << " " << group << " " << shift << " " << more;
                    for (std::uint64_t packets = 1; packets <= 100; ++packets)
                        ASSERT_EQ(found->at(packets), static_cast<std::int64_t>(rounds(packets))) << found->text();
                }
}

TEST(SteadyRounds, AreNothingWhereRoundsHaveNoSuchFormula) {
    EXPECT_FALSE(read_off([](std::uint64_t) { return 5; })) << "the same rounds for any M";
    EXPECT_FALSE(read_off([](std::uint64_t packets) { return std::max(packets + 9, 2 * packets + 4); }))
        << "two slopes";
    EXPECT_FALSE(read_off([](std::uint64_t packets) { return packets + packets / 3; })) << "steps of two sizes";
    EXPECT_FALSE(read_off([](std::uint64_t packets) { return packets * packets; }));
    EXPECT_FALSE(read_off([](std::uint64_t packets) { return (packets + 7) / 8; }, 8)) << "one step alone is seen";
    EXPECT_FALSE(steady_rounds([](std::uint64_t) { return std::nullopt; }, 100)) << "nothing is told";
}

TEST(SteadyRounds, AreWrittenAsOneWouldOnPaper) {
    EXPECT_EQ((SteadyRounds{1, 1, 0, 3}.text()), "M + 3");
    EXPECT_EQ((SteadyRounds{2, 1, 0, -1}.text()), "2 M - 1");
    EXPECT_EQ((SteadyRounds{1, 4, 0, 0}.text()), "ceil(M / 4)");
    EXPECT_EQ((SteadyRounds{3, 4, 1, 2}.text()), "3 ceil((M + 1) / 4) + 2");
}

struct Pipeline {
    Operation operation;
    const char* spec;
    const char* algorithm;
    PortLimit ports;
    const char* rounds;  ///< model.md section 13.2
};

/// The formula is a bound on every cut, and the best M of all is at most a group and a packet's rounding away from its M.
TEST(SteadyRounds, TellTheBestOfAllCutsOfPipelines) {
    for (const Pipeline& p :
         {Pipeline{Operation::broadcast, "complete:8", "circulant", PortLimit(1), "M + 2"},
          Pipeline{Operation::broadcast, "complete:6", "tree", PortLimit(1), "2 M + 1"},
          Pipeline{Operation::broadcast, "hypercube:3", "sbt", PortLimit(1), "3 M"},
          Pipeline{Operation::broadcast, "hypercube:4", "msbt", PortLimit::all(), "ceil(M / 4) + 3"},
          Pipeline{Operation::broadcast, "mesh:4x3", "edge-disjoint-trees", PortLimit::all(), "ceil(M / 2) + 4"},
          Pipeline{Operation::broadcast, "ring:9", "edge-disjoint-trees", PortLimit::all(), "ceil((M + 1) / 2) + 3"},
          Pipeline{Operation::broadcast, "complete:7", "edge-disjoint-trees", PortLimit::all(), "ceil((M + 5) / 6)"},
          Pipeline{Operation::reduce, "hypercube:4", "msbt", PortLimit(1), "M + 3"},
          Pipeline{Operation::allreduce, "complete:8", "circulant", PortLimit(1), "2 M + 4"}}) {
        Experiment e = experiment(p.spec);
        e.collective.operation = p.operation;
        e.machine.combining = false;
        e.machine.ports = p.ports;
        e.machine.costs = {1, 0.5, 0.01};
        e.algorithm = p.algorithm;
        for (const std::uint64_t bytes : {800U, 4000U}) {
            const CutCurve curve = curves_over_cuts(e, bytes).front();
            const auto rounds = rounds_of_single_packets(e, bytes, curve);
            ASSERT_TRUE(rounds) << p.algorithm << " on " << p.spec;
            EXPECT_EQ(rounds->text(), p.rounds) << p.algorithm << " on " << p.spec;
            if (rounds->waiting() == 0) continue;
            const std::uint64_t unit = e.collective.folds() ? 8 : 1;
            const double least = rounds->least_latency(static_cast<double>(bytes), e.machine.costs);
            double best = std::numeric_limits<double>::infinity();
            for (std::uint64_t packets = 1; packets <= bytes / unit; ++packets) {
                const CutMessage cut{curve.best.algorithm, packets, (bytes / unit + packets - 1) / packets * unit, {}};
                const Experiment cut_one = experiment_of_cut(e, cut);
                const auto cost = predicted_cost(*cut.algorithm, e.machine, cut_one.collective, e.options);
                ASSERT_TRUE(cost);
                EXPECT_GE(cost->latency, least * (1 - 1e-12)) << p.algorithm << " of " << packets;
                best = std::min(best, cost->latency);
            }
            EXPECT_DOUBLE_EQ(curve.best.predicted.latency, best) << p.algorithm;
            EXPECT_LT(best, least * 1.06) << p.algorithm << " on " << p.spec << ", " << bytes;
        }
    }
}

/// Bundles have the same rounds for any M; of a line's two arms one or the other decides.
TEST(SteadyRounds, AreNothingWhereMessagesAreBundlesOrTheCurveIsNone) {
    Experiment bundles = experiment("hypercube:4");
    bundles.algorithm = "sbt";
    EXPECT_FALSE(rounds_of_single_packets(bundles, 4096, curves_over_cuts(bundles, 4096).front()));
    Experiment arms = experiment("line:9");
    arms.machine.combining = false;
    arms.collective.root = 2;
    arms.algorithm = "chain";
    EXPECT_FALSE(rounds_of_single_packets(arms, 4096, curves_over_cuts(arms, 4096).front()));
    arms.collective.root = 0;
    EXPECT_TRUE(rounds_of_single_packets(arms, 4096, curves_over_cuts(arms, 4096).front()));
    arms.machine.costs.byte = 0;
    EXPECT_FALSE(rounds_of_single_packets(arms, 4096, curves_over_cuts(arms, 4096).front())) << "bytes cost nothing";
}

}  // namespace
}  // namespace kport::test
