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

/// What happened to a segment: a number that messages change, in different ways. Of blocks side by side the numbers may advance.
struct History {
    std::vector<int> messages;  ///< their names, but for those of one kind
    std::uint32_t number = 0;
    std::uint32_t advance = 0;

    bool operator==(const History&) const = default;
    [[nodiscard]] bool advances() const { return advance != 0; }
    [[nodiscard]] bool is_settled() const { return true; }
    [[nodiscard]] History part(std::uint32_t first, std::uint32_t count) const {
        return {messages, number + first * advance, count == 1 ? 0 : advance};
    }
    [[nodiscard]] bool take_next(std::uint32_t count, const History& next, std::uint32_t next_count) {
        const std::uint32_t step = count > 1 ? advance : next_count > 1 ? next.advance : next.number - number;
        if (messages != next.messages || number + count * step != next.number) return false;
        if (next_count > 1 && next.advance != step) return false;
        advance = step;
        return true;
    }
};

/// Against one by one: messages that give all their segments something of their own; that give each the number of its block, as
/// around a ring, or of all the same; that only look.
RC_GTEST_PROP(SegmentBooks, KeepTheHistoryOfEachSegment, ()) {
    SegmentBooks<History> books({0, 1, all_segments_here}, {});
    std::vector<History> one_by_one(all_segments_here);
    const int messages = *rc::gen::inRange(0, 40);
    const auto block = *rc::gen::inRange<std::uint32_t>(1, 4);
    for (int message = 0; message < messages; ++message) {
        const bool is_wild = *rc::gen::inRange(0, 8) == 0;
        const bool looks = *rc::gen::inRange(0, 4) == 0;
        const bool all_the_same = *rc::gen::inRange(0, 4) == 0;
        const auto some_block = *rc::gen::inRange<std::uint32_t>(0, all_segments_here / block);
        const Progression touched = is_wild || looks ? any_progression() : Progression{some_block * block, 1, block};
        const std::uint32_t number = all_the_same ? 7 : some_block * *rc::gen::inRange<std::uint32_t>(1, 3);
        std::multiset<std::uint32_t> visited;
        books.for_each(touched, [&](const Progression& some, History& history) {
            if (history.advances() && !looks) return false;
            for (std::uint32_t i = 0; i < some.count; ++i) {
                visited.insert(some[i]);
                if (!history.advances()) RC_ASSERT(history == one_by_one[some[i]]);
            }
            if (looks) return true;
            if (is_wild)
                history.messages.push_back(message);
            else
                history.number = number;
            return true;
        });
        std::multiset<std::uint32_t> wanted;
        for (std::uint32_t i = 0; i < touched.count; ++i) {
            wanted.insert(touched[i]);
            if (looks) continue;
            if (is_wild)
                one_by_one[touched[i]].messages.push_back(message);
            else
                one_by_one[touched[i]].number = number;
        }
        RC_ASSERT(visited == wanted);
    }
    std::size_t segments = 0;
    std::as_const(books).for_each([&](const Progression& some, const History& history) {
        segments += some.count;
        for (std::uint32_t i = 0; i < some.count; ++i) RC_ASSERT(history == one_by_one[some[i]]);
    });
    RC_ASSERT(segments == all_segments_here);
}

/// As in a node of a ring: block after block, from one in the middle on, and beyond the last.
TEST(SegmentBooks, KeepBlocksThatAdvanceInFewGroups) {
    for (const std::uint32_t each : {1U, 3U}) {
        constexpr std::uint32_t blocks = 8;
        SegmentBooks<History> books({0, 1, blocks * each}, {});
        std::size_t most = 0;
        const auto put = [&](std::uint32_t block, std::uint32_t number) {
            books.for_each({block * each, 1, each}, [&](const Progression& some, History& history) {
                EXPECT_EQ(some.count, each);
                history.number = number;
                return true;
            });
            most = std::max(most, books.groups());
        };
        for (std::uint32_t i = 0; i < blocks; ++i) put((i + 3) % blocks, i + 1);
        EXPECT_LE(most, 4U);
        EXPECT_EQ(books.groups(), 2U) << "those behind the third, and the others";
        for (std::uint32_t i = 0; i < blocks; ++i) put((blocks + 2 - i) % blocks, 100);
        EXPECT_LE(most, 4U);
        EXPECT_EQ(books.groups(), 1U);
    }
}

/// As where every block is cut into parts for other ports, and parts come back segment by segment. A look at every group for each
/// message would be 65 million.
TEST(SegmentBooks, LookAtGroupsOneByOneOnlyUntilTheyAreListed) {
    constexpr std::uint32_t segments = 2048;
    constexpr std::uint32_t step = 773;
    SegmentBooks<History> books({0, 1, segments}, {});
    std::vector<History> one_by_one(segments);
    for (int message = 0; message < 8; ++message)
        for (std::uint32_t i = 0; i < segments; ++i) {
            const std::uint32_t s = i * step % segments;
            books.for_each({s}, [&](const Progression& some, History& history) {
                EXPECT_EQ(some, Progression{s});
                history.messages.push_back(message);
                return true;
            });
            one_by_one[s].messages.push_back(message);
        }
    EXPECT_EQ(books.groups(), segments);
    EXPECT_LE(books.looks(), 2 * segments);
    std::as_const(books).for_each(
        [&](const Progression& some, const History& history) { EXPECT_EQ(history, one_by_one[some.first]); });
}

/// Against one by one, where groups are listed.
RC_GTEST_PROP(SegmentBooks, KeepTheHistoryOfEachSegmentWithManyGroups, ()) {
    constexpr std::uint32_t segments = 300;
    SegmentBooks<History> books({0, 1, segments}, {});
    std::vector<History> one_by_one(segments);
    const auto touch = [&](const Progression& touched, int message) {
        std::multiset<std::uint32_t> visited;
        books.for_each(touched, [&](const Progression& some, History& history) {
            for (std::uint32_t i = 0; i < some.count; ++i) {
                visited.insert(some[i]);
                RC_ASSERT(history == one_by_one[some[i]]);
            }
            history.messages.push_back(message);
            return true;
        });
        std::multiset<std::uint32_t> wanted;
        for (std::uint32_t i = 0; i < touched.count; ++i) {
            wanted.insert(touched[i]);
            one_by_one[touched[i]].messages.push_back(message);
        }
        RC_ASSERT(visited == wanted);
    };
    const auto apart = *rc::gen::inRange<std::uint32_t>(1, 4);  // which leaves groups to cut
    int message = 0;
    for (std::uint32_t i = 0; i < segments; i += apart) touch({i * 7 % segments}, message++);
    const int messages = *rc::gen::inRange(0, 40);
    for (int i = 0; i < messages; ++i) {
        const auto first = *rc::gen::inRange<std::uint32_t>(0, segments);
        const auto stride = *rc::gen::inRange<std::uint32_t>(1, 9);
        const auto count = *rc::gen::inRange<std::uint32_t>(1, (segments - 1 - first) / stride + 2);
        touch({first, count == 1 ? 1 : stride, count}, message++);
    }
    RC_CLASSIFY(books.looks() > segments, "listed");
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

/// As node 5 of hypercube:4 gives one half away and folds the other, again and again.
TEST(SegmentBooks, FindHalvesOfHalvesAtOnce) {
    SegmentBooks<History> books({0, 1, 16}, {});
    int message = 0;
    const auto is_found = [&](const Progression& segments) {
        return books.visits_at_once(segments, [&](History& history) {
            history.messages.push_back(message++);
            return true;
        });
    };
    for (std::uint32_t stride = 2; stride <= 16; stride *= 2) {
        const std::uint32_t count = 16 / stride;
        const std::uint32_t apart = count == 1 ? 1 : stride;
        EXPECT_TRUE(is_found({(5 ^ stride / 2) % stride, apart, count})) << stride;
        EXPECT_TRUE(is_found({5 % stride, apart, count})) << stride;
    }
    EXPECT_EQ(books.groups(), 5U);
}

/// Contributions 2, 3 and 0 came to node 0 of ring:4 in one value, or in two: what was folded before stays together.
TEST(AnAuditOfSegments, DistinguishesWhatCameAtOnceFromWhatCameApart) {
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
