/// @file explain_test.cpp   What is known of an experiment before it runs.
#include "app/session/choose.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/session/experiments.hpp"

namespace kport::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Bounds, AreThoseOfMachineAndCollective) {
    EXPECT_EQ(bounds(experiment("hypercube:40"))[Quantity::rounds].largest(), 40);
    Experiment e = experiment("line:8");
    e.options.keep = Keep::smaller;
    EXPECT_THAT(refusal([&] { (void)bounds(e); }), HasSubstr("keep: no broadcast on line:8 takes it"));
}

/// In the order of the numbers 8 messages are out of reach on a star; in its preorder the nodes may stand otherwise.
TEST(Bounds, OfAScanInPreorderTellNothingOfTheOrderOfTheNumbers) {
    Experiment e = experiment("star:9", Operation::scan);
    EXPECT_EQ(bounds(e)[Quantity::work].reachable, Reachable::no);
    e.options.preorder = true;
    const Bounds in_preorder = bounds(e);
    for (const Bound& bound : in_preorder) {
        EXPECT_EQ(bound.reachable, Reachable::unknown);
        EXPECT_EQ(bound.least, std::nullopt);
        EXPECT_EQ(bound.best_known, std::nullopt);
    }
    EXPECT_EQ(in_preorder[Quantity::work].largest(), 8);
}

TEST(Bounds, OfPermutationsOnManyNodesNameNoWayThatNobodyLookedUp) {
    Experiment e = experiment("random-regular:4,4098,1", Operation::permutation);
    e.collective.permutation = {Permutation::Kind::shift, 777};
    EXPECT_THAT(bounds(e)[Quantity::rounds].binding(), StartsWith("some packet moves"));
    e = experiment("random-regular:4,512,1", Operation::permutation);
    e.collective.permutation = {Permutation::Kind::shift, 77};
    EXPECT_THAT(bounds(e)[Quantity::path_sum].binding(), StartsWith("the longest way: "));
}

/// On pairwise machines a gather on line:3 takes 3 rounds, a flow 2: the middle cannot send one way and receive the other.
TEST(Bounds, OfAPairwiseGatherPromiseNoFlow) {
    Experiment e = experiment("line:3", Operation::gather);
    e.machine.combining = false;
    e.machine.pairwise = true;
    EXPECT_THAT(bounds(e)[Quantity::rounds].reachable_why, testing::Not(HasSubstr("maximum flows")));
}

TEST(AnExplanation, DerivesTheCostOfTheChosenAlgorithm) {
    Experiment e = experiment("hypercube:4");
    e.algorithm = "sbt";
    const Explanation explanation = explain(e);
    ASSERT_NE(explanation.chosen.algorithm, nullptr);
    EXPECT_EQ(explanation.cost.rounds, 4U);
    EXPECT_EQ(explanation.derivation, explanation.cost.derivation);
    EXPECT_FALSE(explanation.derivation.empty());
    EXPECT_EQ(explanation.why_none, "");
}

TEST(AnExplanation, OfAReversedAlgorithmSpeaksOfWhatItReverses) {
    Experiment e = experiment("hypercube:4", Operation::gather);
    e.algorithm = "sbt";
    EXPECT_THAT(explain(e).derivation.front(), StartsWith("every message of this scatter is turned round"));
    EXPECT_THAT(explain(experiment("line:1")).derivation, ElementsAre("one node: nothing moves"));
}

TEST(AnExplanation, WithoutAnAlgorithmHasBoundsAndTheReason) {
    Experiment e = experiment("petersen", Operation::scan);
    e.machine.combining = false;
    const Explanation explanation = explain(e);
    EXPECT_EQ(explanation.chosen.algorithm, nullptr);
    EXPECT_EQ(explanation.chosen.experiment.topology().spec(), "petersen");
    EXPECT_NE(explanation.why_none, "");
    EXPECT_TRUE(explanation.bounds[Quantity::rounds].largest());
    e.algorithm = "exchange";
    EXPECT_NE(refusal([&] { (void)explain(e); }), "") << "one that was named and does not run is an error";
}

}  // namespace
}  // namespace kport::test
