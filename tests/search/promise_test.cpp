/// @file promise_test.cpp   Searches for promises of one's own, against all schedules.
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/search/least_cost.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "emulator/topology/family.hpp"
#include "tests/search/all_schedules.hpp"

namespace kport::search {
namespace {

/// What each node has: a bit a packet.
using Bits = std::vector<unsigned>;

struct Promise {
    Bits owned;
    Bits wanted;
    unsigned packets = 1;
    std::vector<bool> passes_on;

    [[nodiscard]] Collective collective() const {
        const auto set_of = [](unsigned bits) {
            PacketSet some;
            for (std::uint32_t p = 0; p < 32; ++p)
                if ((bits >> p & 1U) != 0) some.include(PacketSet::range(p, p + 1));
            return some;
        };
        OwnCollective own{.name = "promise", .packets = packets};
        own.owned = [set_of, bits = owned](NodeId v) { return set_of(bits[v]); };
        own.wanted = [set_of, bits = wanted](NodeId v) { return set_of(bits[v]); };
        own.passes_on = [may = passes_on](NodeId v) { return may[v]; };
        return Collective::custom(std::move(own));
    }
};

// docs/search.md: packets with several owners, and nodes that pass nothing on.
TEST(SearchesForPromises, FindTheLeastRoundsOfAllSchedules) {
    if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    std::mt19937 dice(11);
    int found = 0;
    int without_way = 0;
    for (int i = 0; i < 120; ++i) {
        const char* const spec = std::vector{"line:3", "ring:4", "star:4", "complete:3", "line:4"}[dice() % 5];
        Question question;
        question.machine.topology = make_topology(spec);
        question.machine.combining = dice() % 2 == 0;
        question.machine.ports = std::vector{PortLimit(1), PortLimit(2), PortLimit(2, 1), PortLimit(1, 2)}[dice() % 4];
        if (question.machine.has_one_limit() && dice() % 3 == 0) question.machine.duplex = Duplex::half;
        if (question.machine.has_one_limit()) question.machine.pairwise = dice() % 3 == 0;
        const NodeId nodes = question.nodes();
        Promise promise{Bits(nodes), Bits(nodes), static_cast<unsigned>(1 + dice() % 3), std::vector<bool>(nodes)};
        for (NodeId v = 0; v < nodes; ++v) {
            promise.wanted[v] = static_cast<unsigned>(dice() & dice()) % (1U << promise.packets);
            promise.passes_on[v] = dice() % 3 == 0;
        }
        for (unsigned p = 0; p < promise.packets; ++p)
            for (unsigned owners = 1 + dice() % 2; owners > 0; --owners) promise.owned[dice() % nodes] |= 1U << p;
        question.collective = promise.collective();
        const AllSchedules all(question);
        const Round least = all.least_rounds();
        SCOPED_TRACE(testing::Message() << "case " << i << " on " << spec);
        if (least == rounds_unknown) {
            EXPECT_THAT(packet_without_way(question).value_or(""), testing::HasSubstr("has no way to node"));
            EXPECT_THROW(require_valid(question), RequestError);
            ++without_way;
            continue;
        }
        require_valid(question);
        const LeastCost cost = least_cost(question, Least::rounds, {});
        EXPECT_TRUE(cost.rounds.exact());
        EXPECT_EQ(cost.rounds.most, least);
        EXPECT_TRUE(audit(cost.rounds.schedule, question.machine, question.collective, false).lawful());
        EXPECT_LE(cost.rounds.bound, least) << "no bound is above the least";
        const LeastCost work = least_cost(question, Least::work_of_all, {});
        const Round least_work = all.least_work();
        ASSERT_TRUE(work.work_of_all.has_value());
        EXPECT_EQ(*work.work_of_all, (Interval{least_work, least_work}));
        ++found;
    }
    EXPECT_GT(found, 60);
    EXPECT_GT(without_way, 5);
}

// No algorithm serves it, and few conflicts find no schedule either.
TEST(SearchesForPromises, SayNothingOfWorkWhereNoScheduleIsFound) {
    OwnCollective own{.name = "promise", .packets = 6};
    own.owned = [](NodeId v) { return v == 2 ? PacketSet::range(0, 6) : PacketSet(); };
    own.wanted = [](NodeId v) { return v == 0 || v > 2 ? PacketSet::range(0, 6) : PacketSet(); };
    own.passes_on = [](NodeId v) { return v == 1; };
    Question question;
    question.machine.topology = make_topology("ring:5");
    question.machine.duplex = Duplex::half;
    question.machine.combining = false;
    question.collective = Collective::custom(own);
    SearchOptions few;
    few.conflicts = 1;
    const LeastCost cost = least_cost(question, Least::work_of_all, few);
    EXPECT_EQ(cost.rounds.most, rounds_unknown);
    EXPECT_FALSE(cost.work_of_all.has_value());
}

TEST(SearchesForPromises, CountPacketsOfOneSize) {
    OwnCollective own{.name = "promise", .packets = 2, .bytes = {8, 16}};
    own.owned = [](NodeId v) { return v == 0 ? PacketSet::range(0, 2) : PacketSet(); };
    own.wanted = [](NodeId v) { return v == 1 ? PacketSet::range(0, 2) : PacketSet(); };
    Question question;
    question.machine.topology = make_topology("line:2");
    question.collective = Collective::custom(own);
    EXPECT_THROW(require_valid(question), RequestError);
}

}  // namespace
}  // namespace kport::search
