/// @file catalogue_test.cpp   Algorithms by name: lookup, suggestions, the choice of the best.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/choice.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "tests/algorithms/machines.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::machine;
using test::wormhole;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::string refusal(std::string_view name, const Machine& machine, const AlgorithmOptions& options = {}) {
    try {
        (void)algorithm_named(name, machine, Collective{}, options);
    } catch (const RequestError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(Catalogue, ListsEachAlgorithmOnceWithItsRule) {
    std::set<std::pair<std::string_view, std::string_view>> names;
    for (const Algorithm& row : catalogue()) {
        EXPECT_TRUE(names.emplace(name(row.operation), row.name).second) << row.name;
        EXPECT_FALSE(row.rule.empty()) << row.name;
        EXPECT_FALSE(row.needs.empty()) << row.name;
        EXPECT_FALSE(row.cost.empty()) << row.name;
        EXPECT_FALSE(row.source.empty()) << row.name;
    }
}

/// Returns the given algorithms of an operation in the order of the catalogue, ignoring others between them.
std::vector<std::string_view> in_order(const Operation& operation, const std::vector<std::string_view>& names) {
    std::vector<std::string_view> found;
    for (const Algorithm& row : catalogue())
        if (row.operation == operation && std::ranges::count(names, row.name) != 0) found.push_back(row.name);
    return found;
}

// The order decides between algorithms that cost the same.
TEST(Catalogue, StandsInTheOrderOfTheFiles) {
    const std::vector<std::string_view> broadcasts = {"sbt",
                                                      "rda",
                                                      "dost",
                                                      "rda-product",
                                                      "u-mesh",
                                                      "farthest-first",
                                                      "controlled-flooding",
                                                      "euler-rda",
                                                      "dost-nearest-first",
                                                      "flooding"};
    EXPECT_EQ(in_order(Operation::broadcast, broadcasts), broadcasts);
    const std::vector<std::string_view> gathers = {"sbt",    "rda",      "rda-product", "hypercube-mapped", "euler-rda",
                                                   "direct", "pipeline", "dost",        "direct-all"};
    EXPECT_EQ(in_order(Operation::gather, gathers), gathers);
    const std::vector<std::string_view> allgathers = {
        "exchange", "bruck", "direct", "ring-bidirectional", "ring", "ring-per-dimension", "line-per-dimension"};
    EXPECT_EQ(in_order(Operation::allgather, allgathers), allgathers);
}

TEST(Catalogue, EndsEachOperationWithThoseThatNoRunChooses) {
    EXPECT_TRUE(std::ranges::is_sorted(catalogue(), {}, [](const Algorithm& row) {
        return std::pair(std::ranges::find(operations(), row.operation) - operations().begin(), !row.by_default);
    }));
}

TEST(Catalogue, HasEveryReversalBesideWhatItReverses) {
    int reversals = 0;
    for (const Algorithm& row : catalogue()) {
        if (row.way != Way::reversed) continue;
        ++reversals;
        const Algorithm* forward = find_algorithm(row.forward, row.name);
        ASSERT_NE(forward, nullptr) << row.name;
        EXPECT_EQ(forward->make, row.make) << row.name;
        EXPECT_EQ(row.rule, fmt::format("{} {}, reversed in time: {}", name(row.forward), row.name, forward->rule));
    }
    EXPECT_GE(reversals, 16);
    EXPECT_EQ(find_algorithm(Operation::reduce, "flooding"), nullptr);
}

TEST(AlgorithmNamed, FindsAnAlgorithmThatRuns) {
    EXPECT_EQ(refusal("sbt", machine("hypercube:3")), "accepted");
    EXPECT_EQ(algorithm_named("dost", machine("line:3"), Collective{}, {}).name, "dost");
}

TEST(AlgorithmNamed, OffersTheNearestNameForAnUnknownOne) {
    EXPECT_THAT(refusal("sbtt", machine("line:3")),
                HasSubstr("algorithm 'sbtt' is unknown for broadcast; did you mean 'sbt'?"));
    EXPECT_THAT(refusal("controled-flooding", machine("line:3")), HasSubstr("did you mean 'controlled-flooding'?"));
    EXPECT_THAT(refusal("", machine("line:3")), HasSubstr("algorithm '' is unknown"));
    EXPECT_THAT(refusal("a\nb", machine("line:3")), HasSubstr("algorithm 'a?b' is unknown"));
}

TEST(AlgorithmNamed, SaysWhyOneDoesNotFitAndNamesThoseThatWould) {
    const std::string refused = refusal("sbt", machine("line:3"));
    EXPECT_THAT(refused,
                StartsWith("algorithm 'sbt' needs a hypercube; on line:3 (1-port full duplex, store-and-forward) "
                           "dost, farthest-first, controlled-flooding, "));
    EXPECT_THAT(refused, EndsWith("dost-nearest-first would do"));
    EXPECT_EQ(refusal("dost", wormhole(machine("line:3"))), "accepted");
    EXPECT_THAT(refusal("u-mesh", machine("line:3")), HasSubstr("needs wormhole switching"));
    EXPECT_THAT(refusal("u-mesh", wormhole(machine("ring:5"))), HasSubstr("needs a mesh or line"));
    EXPECT_THAT(refusal("euler-rda", wormhole(machine("hypercube:4", PortLimit(2)))),
                HasSubstr("needs a 1-port machine"));
    EXPECT_THAT(refusal("flooding", machine("hypercube:4")), HasSubstr("needs all ports"));
    Machine pairwise = machine("hypercube:4", PortLimit::all());
    pairwise.pairwise = true;
    EXPECT_THAT(refusal("flooding", pairwise), HasSubstr("needs more than one partner a round"));
    pairwise.switching = Switching::wormhole;
    pairwise.combining = false;
    EXPECT_THAT(refusal("code", pairwise),
                AllOf(HasSubstr("needs more than one partner a round"),
                      HasSubstr("(all-port full duplex, wormhole, pairwise, noncombining)")));
    EXPECT_THAT(refusal("flooding", test::half_duplex(machine("ring:4", PortLimit::all()))),
                HasSubstr("needs full duplex"));
    EXPECT_THAT(refusal("rda", machine("ring:4")), HasSubstr("needs a complete graph"));
    AlgorithmOptions options;
    options.keep = Keep::greater;
    EXPECT_THAT(refusal("dost", machine("line:3"), options), HasSubstr("takes no keep"));
    options.keep.reset();
    options.dimensions = {0, 0};
    EXPECT_THAT(refusal("rda-product", wormhole(machine("mesh:2x3")), options), HasSubstr("needs dimensions to name"));
    EXPECT_THAT(refusal("dost", machine("line:3"), options), EndsWith("it runs without that option"));
}

/// `takes` is what misfit() says, wherever the algorithm runs without the option.
TEST(Catalogue, SaysWhichOptionsAnAlgorithmTakes) {
    std::vector<AlgorithmOptions> each(6);
    each[0].keep = Keep::greater;
    each[1].dimensions = {0};
    each[2].arity = 2;
    each[3].gather = GatherBy::ring;
    each[4].preorder = true;
    each[5].aggregate = 1;
    std::set<std::string> taken;
    for (const char* spec : {"complete:8", "line:4", "hypercube:3"})
        for (const Algorithm& row : catalogue())
            for (const AlgorithmOptions& options : each) {
                Collective collective = Collective::of(row.operation, 0, 64);
                if (row.name == "scatter-allgather") collective.packets_each = 8;
                const Machine on = row.takes == "keep dimensions" ? wormhole(machine(spec)) : machine(spec);
                if (misfit_of(row, on, collective, {})) continue;
                const std::string_view given = names_of_given(options).front();
                const bool refused = misfit_of(row, on, collective, options) == fmt::format("takes no {}", given);
                const bool here = row.name != "scatter-allgather" || std::string_view(spec).starts_with("complete");
                EXPECT_EQ(!refused, has_word(row.takes, given) && here) << row.name << " " << given << " " << spec;
                if (!refused) taken.emplace(given);
            }
    EXPECT_EQ(taken.size(), each.size());
}

RC_GTEST_PROP(AlgorithmNamed, OffersOnlyWhatRuns, ()) {
    const Machine any = test::any_machine();
    const Collective collective = test::any_collective(any);
    for (const Algorithm& row : catalogue()) {
        if (row.operation != collective.operation || !misfit_of(row, any, collective, {})) continue;
        try {
            (void)algorithm_named(row.name, any, collective, {});
            RC_FAIL("a misfit is refused");
        } catch (const RequestError& error) {
            for (const Algorithm* fitting : applicable(any, collective, {}))
                RC_ASSERT(std::string(error.what()).find(fitting->name) != std::string::npos);
        }
    }
}

TEST(AlgorithmNamed, RefusesAnOperationWithoutAlgorithms) {
    std::set<std::string_view> served;
    for (const Algorithm& row : catalogue()) served.insert(name(row.operation));
    for (const Operation& operation : operations()) {
        if (served.count(name(operation)) != 0) continue;
        Collective collective;
        collective.operation = operation;
        EXPECT_THROW((void)algorithm_named("sbt", machine("hypercube:3"), collective, {}), RequestError);
        EXPECT_THROW((void)best_algorithm(machine("hypercube:3"), collective, {}), RequestError);
    }
}

std::string_view best(const Machine& machine, NodeId source = 0) {
    Collective collective;
    collective.root = source;
    return best_algorithm(machine, collective, {}).name;
}

TEST(BestAlgorithm, IsTheOneOfTheFamilyWhereItIsOptimal) {
    EXPECT_EQ(best(machine("hypercube:5")), "sbt");
    EXPECT_EQ(best(wormhole(machine("hypercube:5", PortLimit::all()))), "code");
    EXPECT_EQ(best(machine("complete:9", PortLimit(2))), "rda");
    EXPECT_EQ(best(machine("mesh:4x5")), "dost");
    EXPECT_EQ(best(machine("torus:4x4", PortLimit::all())), "dost");
    EXPECT_EQ(best(machine("cbt:4")), "farthest-first");
    EXPECT_EQ(best(wormhole(machine("cbt:4"))), "euler-rda");
    EXPECT_EQ(best(wormhole(machine("ring:9"))), "rda-product");
    EXPECT_EQ(best(wormhole(machine("mesh:4x4"))), "rda-product");
    EXPECT_EQ(best(wormhole(machine("mesh:5x5"))), "u-mesh") << "the product needs 6 rounds, the chain 5";
    EXPECT_EQ(best(wormhole(machine("torus:5x5"))), "euler-rda");
}

TEST(ADerivation, SaysOneRoundAndOnePacket) {
    // "2 * 1 rounds", "3 - 1 packets" and "each of the 1 links" are no single things.
    const testing::Matcher<std::string> several_of_one =
        testing::ContainsRegex("(^|[^*-]) 1 (rounds|hops|messages|steps)|volume 1 packets");
    for (const Algorithm& row : catalogue())
        for (const char* spec : {"hypercube:1", "line:2", "ring:3", "complete:2", "complete:3", "mesh:1x2", "star:3"})
            for (const PortLimit ports : {PortLimit(1), PortLimit::all()})
                for (const Switching switching : {Switching::store_and_forward, Switching::wormhole})
                    for (const std::uint64_t packets : {1U, 2U, 3U}) {
                        Machine small = machine(spec, ports);
                        small.switching = switching;
                        Collective collective = Collective::of(row.operation, 0, 8);
                        collective.packets_each = collective.signals() ? 1 : packets;
                        if (misfit_of(row, small, collective, {})) continue;
                        for (const std::string& line : expected_cost(row, small, collective, {}).derivation)
                            EXPECT_THAT(line, testing::Not(several_of_one)) << row.name << " on " << spec;
                    }
}

TEST(MakeJob, RefusesASourceOutsideTheMachine) {
    const Machine line = machine("line:3");
    Collective collective;
    collective.root = 3;
    EXPECT_THROW((void)make_job(algorithm_named("dost", line, Collective{}, {}), line, collective, {}), RequestError);
}

TEST(MakeJob, CopiesItsArguments) {
    Job job;
    {
        const Machine cube = machine("hypercube:4");
        Collective collective;
        collective.root = 5;
        job = make_job(algorithm_named("sbt", cube, collective, {}), cube, collective, {});
    }
    EXPECT_TRUE(run_lockstep(job, {}).verdict.lawful());
}

}  // namespace
}  // namespace kport
