/// @file choose_test.cpp   Which algorithm runs, and why.
#include "session/choose.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/session/experiments.hpp"

namespace kport::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(TheChoice, SaysWhyWhereSeveralApply) {
    const Chosen chosen = choose(experiment("hypercube:4"));
    ASSERT_NE(chosen.algorithm, nullptr);
    EXPECT_EQ(chosen.algorithm->operation, Operation::broadcast);
    EXPECT_THAT(chosen.reason(), StartsWith("smallest predicted latency"));
}

TEST(TheChoice, OfANamedAlgorithmNeedsNoReason) {
    Experiment e = experiment("mesh:4x4");
    e.algorithm = "dost";
    const Chosen chosen = choose(e);
    EXPECT_EQ(chosen.algorithm->name, "dost");
    EXPECT_EQ(chosen.reason(), "");
}

TEST(TheChoice, SetsWhatTheExperimentLeavesOpen) {
    Experiment e = experiment("line:13", Operation::scatter);
    e.machine.switching = Switching::wormhole;
    e.machine.costs.hop = 10;
    e.algorithm = "rda-product";
    EXPECT_FALSE(choose(e).experiment.options.keep) << "a named algorithm keeps what is its own default";
    e.algorithm = "";
    const Chosen chosen = choose(e);
    EXPECT_EQ(chosen.algorithm->name, "rda-product");
    EXPECT_EQ(chosen.experiment.options.keep, Keep::smaller) << "which saves hops";
}

TEST(TheChoice, BlamesOptionsThatNoAlgorithmTakes) {
    Experiment e = experiment("line:8");
    e.options.keep = Keep::smaller;
    const std::string told = refusal([&] { (void)choose(e); });
    EXPECT_THAT(told, StartsWith("no algorithm of broadcast on line:8 runs with keep: dost takes no keep"));
    EXPECT_EQ(refusal([&] { require_known_options(e); }), told);
    Experiment scan = experiment("hypercube:2", Operation::scan);
    scan.options.reduction = {Operator::concat, ElementType::text, {}};
    scan.options.dimensions = {0};
    EXPECT_THAT(refusal([&] { (void)choose(scan); }), HasSubstr(" runs with dimensions, op concat: "));
}

TEST(TheChoice, HasNoneForACollectiveOfOnesOwn) {
    Experiment e = experiment("line:3");
    e.collective = Collective::custom({.name = "shift",
                                       .owned = [](NodeId v) { return PacketSet::range(v, v + 1); },
                                       .wanted = [](NodeId v) { return PacketSet::range(v, v + 1); }});
    EXPECT_THAT(refusal([&] { (void)choose(e); }), StartsWith("no algorithm for shift yet; there are algorithms for "));
}

}  // namespace
}  // namespace kport::test
