/// @file link_prices_test.cpp   Prices of links: slow parts, paths, words of a machine; presets of other models.
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/machine/presets.hpp"
#include "emulator/topology/broken.hpp"

namespace kport {
namespace {

using testing::HasSubstr;

LinkPrices slow(const Topology& graph, std::vector<std::string> parts) {
    return LinkPrices(PriceSources{.slow = std::move(parts)}, graph);
}

/// What is thrown; "nothing" if nothing is.
template <class Function>
std::string refusal_of(const Function& function) {
    try {
        function();
    } catch (const RequestError& error) {
        return error.what();
    }
    return "nothing";
}

std::string refusal_of_slow(const std::string& spec, const std::string& parts) {
    return refusal_of([&] { (void)slow(*make_topology(spec), {parts}); });
}

TEST(SlowParts, MultiplyThePricesOfTheirLinksFromBothEnds) {
    const auto ring = make_topology("ring:5");
    const LinkPrices prices = slow(*ring, {"0--1=4,1=2.5", "3--2=0.5"});
    EXPECT_EQ(prices.of(0, ring->port_to(0, 1)), (LinkPrice{10, 10})) << "the link and its node";
    EXPECT_EQ(prices.of(1, ring->port_to(1, 0)), (LinkPrice{10, 10}));
    EXPECT_EQ(prices.of(1, ring->port_to(1, 2)), (LinkPrice{2.5, 2.5}));
    EXPECT_EQ(prices.of(2, ring->port_to(2, 3)), (LinkPrice{0.5, 0.5}));
    EXPECT_EQ(prices.of(3, ring->port_to(3, 4)), (LinkPrice{1, 1}));
    EXPECT_EQ(prices.of(7, 9), (LinkPrice{1, 1})) << "a link that is not there";
    EXPECT_EQ(prices.least(), (LinkPrice{0.5, 0.5}));
    EXPECT_EQ(prices.most(), (LinkPrice{10, 10}));
    EXPECT_EQ(prices.sources().slow, (std::vector<std::string>{"0--1=4", "1=2.5", "2--3=0.5"}));
    EXPECT_EQ(slow(*ring, {"0=3,1=3,2=3,3=3,4=3"}).least(), (LinkPrice{9, 9})) << "no link has factors 1";
}

TEST(SlowParts, AreThoseOfTheWholeMachineWhereLinksAreBroken) {
    const std::shared_ptr<const Topology> ring = make_topology("ring:5");
    const auto left = without(ring, broken_parts(*ring, "2", "--broken"), "--broken");
    const LinkPrices prices = slow(*left, {"3--4=7"});  // now 2 and 3
    EXPECT_EQ(prices.of(2, left->port_to(2, 3)), (LinkPrice{7, 7}));
    EXPECT_EQ(prices.sources().slow, (std::vector<std::string>{"3--4=7"}));
    EXPECT_THAT(refusal_of([&] { (void)slow(*left, {"2--3=7"}); }), HasSubstr("node 2 is broken"));
}

TEST(SlowParts, AreRefusedWhereTheyAreNone) {
    EXPECT_EQ(refusal_of_slow("ring:5", "0--2=4"),
              "slow '0--2=4': ring:5 has no link between node 0 and node 2; node 0 has links to 4, 1");
    EXPECT_THAT(refusal_of_slow("ring:5", "7=2"), HasSubstr("ring:5 has nodes 0 to 4"));
    EXPECT_THAT(refusal_of_slow("ring:5", "0--1"), HasSubstr("'' is no factor; want a number above 0"));
    for (const char* factor : {"0", "-1", "nan", "inf", "1e999", "", "4x", "=4"})
        EXPECT_THAT(refusal_of_slow("ring:5", std::string("0--1=") + factor),
                    HasSubstr("is no factor; want a number above 0 behind each part, such as 0--1=4 or 3=2.5"))
            << factor;
    EXPECT_THAT(refusal_of_slow("ring:5", "0--1=1e300"),
                HasSubstr("the link at port 1 of node 0 has factor 1e+300 on td"));
    EXPECT_THAT(refusal_of_slow("ring:5", "0--1=2,1--0=3"), HasSubstr("named twice"));
    EXPECT_THAT(refusal_of_slow("ring:5", "=2"), HasSubstr("is no factor"));
    EXPECT_THAT(refusal_of_slow("ring:5", "0--1=2,"), HasSubstr("a name is missing"));
    EXPECT_THAT(refusal_of_slow("ring:5", "0--1*1=2"), HasSubstr("all links of a trunk have one price"));
}

TEST(LinkPrices, AddTheHopsOfAPathAndTakeItsLargestByte) {
    const auto line = make_topology("line:4");
    const std::vector<LinkPrices::Priced> links = {{0, 1, {1, 9}}, {1, 1, {2, 0.5}}, {2, 1, {0, 3}}};
    Machine machine{.topology = line, .costs = {10, 2, 0.25}};
    machine.prices = std::make_shared<const LinkPrices>(PriceSources{}, *line, links);
    const std::vector<Port> forth = {1, 1, 1};
    const std::vector<Port> back = {0, 0, 0};
    EXPECT_EQ(machine.prices->of_path(*line, 0, forth), (LinkPrice{3, 9}));
    EXPECT_EQ(machine.prices->of_path(*line, 3, back), (LinkPrice{3, 9})) << "either way";
    EXPECT_EQ(machine.prices->of_path(*line, 1, std::span(forth).first(1)), (LinkPrice{2, 0.5}));
    EXPECT_EQ(machine.prices->of_path(*line, 2, forth), (LinkPrice{2, 3})) << "links beyond the end have factors 1";
    EXPECT_EQ(machine.latency(0, forth, 8), 10 + 2 * 3 + 0.25 * 8 * 9);
    machine.prices = nullptr;
    EXPECT_EQ(machine.latency(0, forth, 8), machine.costs.latency(3, 8));
    EXPECT_EQ(machine.costs.times({3, 0.5}), (Costs{10, 6, 0.125}));
}

TEST(LinkPrices, AreFiniteAndBytesCostSomething) {
    const auto line = make_topology("line:2");
    const auto refused = [&](const LinkPrice& price) {
        return refusal_of([&] { require_valid(price, [] { return std::string("a link"); }); });
    };
    EXPECT_EQ(refused({0, 1}), "nothing") << "a hop may cost nothing";
    EXPECT_EQ(refused({-1, 1}), "a link has factor -1 on td; want a number from 0 to 1e+100");
    EXPECT_EQ(refused({1, 0}), "a link has factor 0 on tm; want a number above 0, at most 1e+100");
    EXPECT_NE(refused({std::numeric_limits<double>::quiet_NaN(), 1}), "nothing");
    EXPECT_NE(refused({1, std::numeric_limits<double>::infinity()}), "nothing");
}

TEST(LinkPrices, StandInTheWordsOfAMachine) {
    Machine machine;
    machine.prices = std::make_shared<const LinkPrices>(PriceSources{"delay", "1/speed", {"0--1=4", "3=2"}});
    const std::string words = rules_in_words(machine);
    EXPECT_THAT(words, HasSubstr(", td by 'delay', tm by '1/speed', slow '0--1=4,3=2'"));
    const Machine read = machine_of_rules(words);
    ASSERT_NE(read.prices, nullptr);
    EXPECT_FALSE(read.prices->known());
    EXPECT_EQ(read.prices->sources().hop_by, "delay");
    EXPECT_EQ(rules_in_words(read), words);
    Machine unknown = read;
    unknown.topology = make_topology("ring:5");
    EXPECT_THAT(refusal_of([&] { require_topology(unknown); }), HasSubstr("prices of the links are not known"));
}

TEST(Presets, GiveThePricesOfTheirModels) {
    const auto costs = [](const char* text) { return preset_costs(text, "--prices"); };
    EXPECT_EQ(costs("alpha-beta:5,0.25"), (Costs{5, 0, 0.25, "alpha-beta:5,0.25"}));
    EXPECT_EQ(costs("hockney:20,0.01"), (Costs{20, 0, 0.01, "hockney:20,0.01"}));
    EXPECT_EQ(costs("postal:3"), (Costs{3, 0, 0, "postal:3"}));
    EXPECT_EQ(costs("logp:6,2,4"), (Costs{10, 0, 0, "logp:6,2,4"}));
    EXPECT_EQ(costs("loggp:6,2,4,0.5"), (Costs{9.5, 0, 0.5, "loggp:6,2,4,0.5"}));
    EXPECT_FALSE(overlaps_sends(costs("hockney:1,1")));
    EXPECT_TRUE(overlaps_sends(costs("logp:6,2,4")));
    EXPECT_TRUE(overlaps_sends(costs("postal:1")));
    EXPECT_FALSE(overlaps_sends(Costs()));
}

TEST(Presets, RefuseWhatNoModelHas) {
    const auto refused = [](const char* text) { return refusal_of([&] { (void)preset_costs(text, "--prices"); }); };
    EXPECT_EQ(refused("lgop:1,2,3"),
              "--prices 'lgop:1,2,3' is unknown; did you mean 'logp'? (alpha-beta:A,B hockney:A,B postal:LAMBDA "
              "logp:L,o,g loggp:L,o,g,G)");
    EXPECT_EQ(refused("logp:1,2"), "--prices 'logp:1,2': want logp:L,o,g");
    EXPECT_EQ(refused("logp"), "--prices 'logp': want logp:L,o,g");
    EXPECT_THAT(refused("logp:1,,3"), HasSubstr("the parameter missing"));
    EXPECT_THAT(refused("hockney:-1,2"), HasSubstr("'-1' is not a price"));
    EXPECT_THAT(refused("hockney:nan,2"), HasSubstr("'nan' is not a price"));
    EXPECT_THAT(refused("postal:0.5"), HasSubstr("want LAMBDA at least 1"));
    EXPECT_THAT(refused("loggp:0,0,1,2"), HasSubstr("ts = L + 2 o - G is negative"));
}

}  // namespace
}  // namespace kport
