/// @file segment_books_test.cpp   Groups of segments with the same books, and messages cut into such parts, against a list of
///                                all segments one by one.
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/audit/segment_books.hpp"

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

}  // namespace
}  // namespace kport
