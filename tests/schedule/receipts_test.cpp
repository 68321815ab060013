/// @file receipts_test.cpp   What a schedule brought each node.
#include "emulator/schedule/critical_path.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::schedule;
using testing::ElementsAre;

std::vector<std::string> told(const std::vector<FirstReceipt>& receipts) {
    std::vector<std::string> all;
    for (const FirstReceipt& first : receipts)
        all.push_back(first.round == 0        ? "-"
                      : first.port == no_port ? fmt::format("{} from {}", first.round, first.from)
                                              : fmt::format("{} from {} by {}", first.round, first.from, first.port));
    return all;
}

TEST(FirstReceipts, AreOfTheEarliestRoundAndTheLowestSender) {
    const auto line = make_topology("line:4");
    EXPECT_THAT(told(first_receipts(schedule(*line, {{1, 3, 2}, {1, 1, 2}, {2, 2, 1}, {3, 0, 1}, {4, 2, 3}}), *line)),
                ElementsAre("-", "2 from 2 by 1", "1 from 1 by 0", "4 from 2 by 0"));
    EXPECT_THAT(told(first_receipts({}, *line)), ElementsAre("-", "-", "-", "-"));
}

TEST(FirstReceipts, OfALongPathAreByThePortInWhichItComes) {
    const auto ring = make_topology("ring:6");
    // Two paths of one sender in a round: the lower port of the receiver.
    EXPECT_THAT(
        told(first_receipts(schedule(*ring, {{1, 0, 3, {0, 0, 0}}, {1, 0, 3, {1, 1, 1}}, {1, 0, 2, {1, 1}}}), *ring)),
        ElementsAre("-", "-", "1 from 0 by 0", "1 from 0 by 0", "-", "-"));
    const auto line = make_topology("line:3");
    EXPECT_THAT(told(first_receipts(schedule(*line, {{1, 0, 2, {1}}, {2, 2, 1, {1}}}), *line)),
                ElementsAre("-", "2 from 2", "1 from 0"))
        << "of a path that ends elsewhere nobody knows the port";
}

TEST(FirstReceipts, OfASeriesThatNamesNoNodeAreRefused) {
    const auto line = make_topology("line:3");
    const Schedule beyond = schedule(*make_topology("line:9"), {{1, 7, 8}});
    EXPECT_THROW((void)first_receipts(beyond, *line), RequestError);
    EXPECT_THROW((void)holdings(beyond, Collective::broadcast(0, 8), *line), RequestError);
}

std::vector<std::uint64_t> sizes(const std::vector<PacketSet>& sets) {
    std::vector<std::uint64_t> all;
    for (const PacketSet& set : sets) all.push_back(set.size());
    return all;
}

TEST(Holdings, AreWhatANodeOwnsAndWhatItReceivesEachOnce) {
    const auto line = make_topology("line:4");
    const Schedule steps = schedule(*line, {{1, 1, 2, {}, {{2, 1, 2}}}, {2, 2, 3, {}, {{3}}}, {3, 1, 2, {}, {{2}}}});
    EXPECT_THAT(sizes(holdings(steps, Collective::scatter(1, 8), *line)), ElementsAre(0, 4, 2, 1));
    EXPECT_THAT(sizes(holdings(steps, Collective::allgather(8), *line)), ElementsAre(1, 1, 2, 1));
    EXPECT_THAT(sizes(holdings(steps, Collective::reduce(1, 8), *line)), ElementsAre(1, 1, 2, 1));
    const Schedule passed = schedule(*line, {{1, 1, 0}, {1, 1, 2}});
    EXPECT_THAT(sizes(holdings(passed, Collective::broadcast(1, 8), *line)), ElementsAre(1, 1, 1, 0));
    EXPECT_THAT(sizes(holdings(passed, Collective::none(), *line)), ElementsAre(0, 0, 0, 0));
    EXPECT_THROW((void)holdings(steps, Collective::broadcast(1, 8), *line), RequestError)
        << "packets that a broadcast does not have";
}

}  // namespace
}  // namespace kport
