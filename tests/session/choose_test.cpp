/// @file choose_test.cpp   Which algorithm runs, and why.
#include "app/session/choose.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/session/run.hpp"
#include "tests/session/experiments.hpp"
#include "tests/support/sanitizers.hpp"

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

/// Of alltoall on torus:20x20 coloured-exchange takes the fewest rounds, and needs about 2 GiB.
TEST(TheChoice, LeavesOutWhatNeedsMoreThanAllMemoryWhereAnotherFits) {
    if (test::under_sanitizer) GTEST_SKIP() << "plans of a large all-to-all take minutes";
    Experiment e = experiment("torus:20x20", Operation::alltoall);
    e.collective.packet_bytes = 1024;
    e.collective.packets_each = 5;
    e.memory = std::uint64_t{8} << 30;
    EXPECT_EQ(choose(e).algorithm->name, "coloured-exchange");
    const double next = bytes_needed(e, find_algorithm(e.collective.operation, "ring-per-dimension"));
    e.memory = static_cast<std::uint64_t>(next);
    const Chosen chosen = choose(e);
    EXPECT_EQ(chosen.algorithm->name, "ring-per-dimension");
    EXPECT_THAT(chosen.reason(),
                testing::MatchesRegex(".*; coloured-exchange needs about [0-9.]+ GiB, more memory than there is.*"));
    e.memory = 1 << 20;
    EXPECT_EQ(choose(e).algorithm->name, "coloured-exchange") << "a run says what the best one needs";
    EXPECT_THAT(choose(e).reason(), testing::Not(HasSubstr("memory")));
}

TEST(TheChoice, SaysWhatMayCostLessWhereThatIsTooLargeToBePredicted) {
    Experiment e = experiment("torus:129x129", Operation::permutation);
    e.collective.permutation.kind = Permutation::Kind::transpose;
    EXPECT_THAT(choose(e).reason(), HasSubstr("; shortest-paths may take less, "));
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

TEST(TheChoice, OfACollectiveOfOnesOwnIsAmongTheAlgorithmsForPromises) {
    Experiment e = experiment("line:3");
    OwnCollective shift{.name = "shift",
                        .packets = 3,
                        .owned = [](NodeId v) { return PacketSet::range(v, v + 1); },
                        .wanted = [](NodeId v) { return v == 0 ? PacketSet() : PacketSet::range(v - 1, v); }};
    e.collective = Collective::custom(shift);
    EXPECT_EQ(choose(e).algorithm->name, "shortest-paths");
    shift.packets = 1;
    e.collective = Collective::custom(shift);
    EXPECT_THAT(refusal([&] { (void)run(e, {}); }), HasSubstr("names packet 1")) << "there is packet 0 only";
}

}  // namespace
}  // namespace kport::test
