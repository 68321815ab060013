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
    EXPECT_EQ(told, "keep: no broadcast on line:8 takes it; rda-product does, and needs wormhole switching");
    EXPECT_EQ(refusal([&] { require_known_options(e); }), told);
    Experiment scan = experiment("hypercube:2", Operation::scan);
    scan.options.dimensions = {0};
    EXPECT_EQ(refusal([&] { (void)choose(scan); }), "dimensions: no algorithm of scan takes it; leave it out");
    Experiment both = experiment("complete:4");
    both.collective.packets_each = 4;
    both.options.arity = 3;
    both.options.gather = GatherBy::ring;
    EXPECT_THAT(refusal([&] { (void)choose(both); }),
                testing::AllOf(HasSubstr(" runs with arity, gather: "), HasSubstr("; tree takes no gather"),
                               HasSubstr("; scatter-allgather takes no arity")));
}

TEST(TheChoice, BlamesARootThatOnlyOtherAlgorithmsHave) {
    Experiment e = experiment("complete:4", Operation::scan);
    e.machine.combining = false;
    e.collective.root = 1;
    EXPECT_EQ(refusal([&] { (void)choose(e); }), "root: only tree, gather-scatter have a root in a scan; leave it out");
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
