/// @file segment_books_test.cpp   Groups of segments with the same books, and messages cut into such parts, against a list of
///                                all segments one by one.
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/audit/arc.hpp"
#include "emulator/audit/segment_books.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

constexpr std::uint32_t all_segments_here = 24;

Progression any_progression() {
    const auto first = *rc::gen::inRange<std::uint32_t>(0, all_segments_here);
    const auto stride = *rc::gen::inRange<std::uint32_t>(1, 5);
    const auto count = *rc::gen::inRange<std::uint32_t>(1, (all_segments_here - 1 - first) / stride + 2);
    return {first, count == 1 ? 1 : stride, count};
}

/// The names of the messages that touched a segment, in order.
using History = std::vector<int>;

RC_GTEST_PROP(SegmentBooks, TellEachSegmentItsOwnHistory, ()) {
    SegmentBooks<History> books({0, 1, all_segments_here}, {});
    std::vector<History> one_by_one(all_segments_here);
    const int messages = *rc::gen::inRange(0, 12);
    for (int message = 0; message < messages; ++message) {
        const Progression touched = any_progression();
        std::multiset<std::uint32_t> visited;
        books.for_each(touched, [&](const Progression& some, History& history) {
            for (std::uint32_t i = 0; i < some.count; ++i) {
                visited.insert(some[i]);
                RC_ASSERT(history == one_by_one[some[i]]);
            }
            history.push_back(message);
        });
        std::multiset<std::uint32_t> wanted;
        for (std::uint32_t i = 0; i < touched.count; ++i) {
            wanted.insert(touched[i]);
            one_by_one[touched[i]].push_back(message);
        }
        RC_ASSERT(visited == wanted);
    }
    std::size_t segments = 0;
    books.for_each([&](const Progression& some, const History& history) {
        segments += some.count;
        for (std::uint32_t i = 0; i < some.count; ++i) RC_ASSERT(history == one_by_one[some[i]]);
    });
    RC_ASSERT(segments == all_segments_here);
}

RC_GTEST_PROP(Parts, HaveForEachSegmentItsContributions, ()) {
    PacketSet all;
    std::map<std::uint32_t, std::set<std::uint32_t>> wanted;
    for (int i = *rc::gen::inRange(1, 5); i-- > 0;) {
        const PacketBlock block = block_of(any_progression(), any_progression());
        all.include({&block, 1});
    }
    for (const PacketBlock& block : all.blocks())
        for (std::uint32_t j = 0; j < block.rows; ++j)
            for (std::uint32_t i = 0; i < block.count; ++i) wanted[block.all_rows()[j]].insert(block.columns()[i]);
    std::map<std::uint32_t, std::set<std::uint32_t>> told;
    for_each_part(all.blocks(), [&](const Progression& segments, std::span<const PacketBlock> contributions) {
        for (std::uint32_t j = 0; j < segments.count; ++j) {
            RC_ASSERT(told.count(segments[j]) == 0U);
            for (const PacketBlock& block : contributions) {
                RC_ASSERT(block.all_rows() == Progression{});
                for (std::uint32_t i = 0; i < block.count; ++i) told[segments[j]].insert(block.columns()[i]);
            }
        }
    });
    RC_ASSERT(told == wanted);
}

/// Against sets: what follows one another around the nodes is an arc, and two arcs are one if one begins behind the other.
RC_GTEST_PROP(Arcs, AreJoinedAsSets, ()) {
    const auto nodes = *rc::gen::inRange<std::uint32_t>(1, 9);
    const auto any_arc = [&] {
        return Arc{*rc::gen::inRange<std::uint32_t>(0, nodes), *rc::gen::inRange<std::uint32_t>(1, nodes + 1)};
    };
    const auto set_of = [&](const Arc& arc) {
        std::set<std::uint32_t> all;
        for (std::uint32_t i = 0; i < arc.count; ++i) all.insert((arc.first + i) % nodes);
        return all;
    };
    const Arc one = any_arc();
    const Arc other = any_arc();
    const PacketSet contributions = contributions_of(one, nodes);
    std::set<std::uint32_t> told;
    for (const PacketBlock& block : contributions.blocks())
        for (std::uint32_t i = 0; i < block.count; ++i) told.insert(block.columns()[i]);
    RC_ASSERT(told == set_of(one));
    const auto again = arc_of(contributions.blocks(), nodes);
    RC_ASSERT(again && are_same(*again, one, nodes));
    RC_ASSERT(are_same(one, other, nodes) == (set_of(one) == set_of(other)));

    std::set<std::uint32_t> both = set_of(one);
    both.merge(set_of(other));
    const bool are_apart = both.size() == std::size_t{one.count} + other.count;
    const bool adjoin =
        (one.first + one.count) % nodes == other.first || (other.first + other.count) % nodes == one.first;
    const auto sum = joined(one, other, nodes);
    RC_ASSERT(sum.has_value() == (are_apart && adjoin));
    if (sum) RC_ASSERT(set_of(*sum) == both && sum->first < nodes);
}

/// Contributions 2, 3 and 0 came to node 0 of ring:4 in one value, or in two: what was folded before stays together.
TEST(AnAuditOfSegments, TellsWhatCameAtOnceFromWhatCameApart) {
    const Machine ring = test::machine("ring:4");
    Collective collective{Operation::allreduce, 0, 8};
    collective.packets_each = 2;
    const auto of = [](std::uint32_t first, std::uint32_t count) { return PacketBlock{first, 1, count, 0, 1, 2}; };
    const auto apart = [&](std::vector<PacketBlock> sent) {
        const Schedule schedule = test::schedule(
            *ring.topology, {{1, 2, 3, {}, {of(2, 1)}}, {2, 3, 0, {}, {of(2, 2)}}, {3, 0, 1, {}, std::move(sent)}});
        const Verdict verdict = audit(schedule, ring, collective, false);
        return std::ranges::count_if(verdict.violations,
                                     [](const Violation& v) { return v.breach == Breach::taken_apart && v.node == 0; });
    };
    EXPECT_EQ(apart({of(0, 1), of(2, 2)}), 0) << "all that it holds, beyond the last node";
    EXPECT_EQ(apart({of(2, 2)}), 0) << "what came, without its own";
    EXPECT_EQ(apart({of(0, 1)}), 0) << "its own alone";
    EXPECT_EQ(apart({of(3, 1)}), 1) << "a part of what came at once";
    EXPECT_EQ(apart({of(0, 1), of(3, 1)}), 1) << "the same with its own";
}

}  // namespace
}  // namespace kport
