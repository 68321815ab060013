/// @file passed_on_test.cpp   What a node sends again after it passed it on, against a plain model of packets one by one.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/payload/passed_on.hpp"

namespace kport {
namespace {

using Did = PassedOn::Did;

constexpr std::uint32_t side = 24;

std::set<PacketId> numbers_in(std::span<const PacketBlock> blocks) {
    std::set<PacketId> numbers;
    for (const PacketBlock& block : blocks)
        for (std::uint32_t j = 0; j < block.rows; ++j)
            for (std::uint32_t i = 0; i < block.count; ++i) numbers.insert(block.number(j, i, side));
    return numbers;
}

/// Rows and columns below `side`: usually single packets and short ranges.
PacketBlock any_passed_block() {
    const auto first = *rc::gen::inRange<std::uint32_t>(0, side);
    const auto row = *rc::gen::inRange<std::uint32_t>(0, *rc::gen::element<std::uint32_t>(1, 3, side - 1));
    const auto stride = *rc::gen::element<std::uint32_t>(1, 1, 1, 2, 3);
    const auto rows = *rc::gen::element<std::uint32_t>(1, 1, 1, 2);
    const auto most = std::min<std::uint32_t>((side - 1 - first) / stride + 1, 4);
    const auto count = *rc::gen::inRange<std::uint32_t>(1, most + 1);
    return {first, count == 1 ? 1 : stride, count, row, 1, rows};
}
PacketBlocks any_message() {
    PacketBlocks blocks;
    for (int left = *rc::gen::inRange(1, 4); left > 0; --left) {
        const PacketBlock block = any_passed_block();
        for (const PacketBlock& rest : without({&block, 1}, span_of(blocks))) blocks.push_back(rest);
    }
    return blocks;
}

RC_GTEST_PROP(PacketsPassedOn, ThatAreSentAgainAreFoundWithBothRounds, ()) {
    FramePool pool;
    constexpr NodeId v = 2;
    PassedOn passed_on(4);
    std::map<PacketId, Round> gone;
    std::vector<std::tuple<Round, PacketId, Round>> expected;
    const Round rounds = *rc::gen::inRange<Round>(1, 12);
    for (Round round = 1; round <= rounds; ++round) {
        const Did did = round == 1 ? Did::pass : *rc::gen::element(Did::pass, Did::pass, Did::send, Did::get_back);
        const PacketBlocks message = any_message();
        passed_on.note(v, round, did, span_of(message), pool);
        std::optional<std::pair<PacketId, Round>> again;
        for (const PacketId packet : numbers_in(span_of(message))) {
            if (did == Did::get_back)
                gone.erase(packet);
            else if (!again && gone.contains(packet))
                again = {packet, gone[packet]};
            if (did == Did::pass) gone.try_emplace(packet, round);
        }
        if (again) expected.emplace_back(round, again->first, again->second);
    }
    std::vector<std::tuple<Round, PacketId, Round>> found;
    for (const PassedOn::Again& again : passed_on.told_of(v, side, pool))
        found.emplace_back(again.round, again.packets.lowest(side), again.passed);
    RC_ASSERT(found == expected);
    RC_ASSERT(passed_on.told_of(v, side, pool).empty());
}

TEST(PacketsPassedOn, AreForgottenWithTheirNode) {
    FramePool pool;
    PassedOn passed_on(2);
    const PacketBlock packet{1};
    for (const Round round : {1U, 2U, 3U}) passed_on.note(0, round, Did::pass, {&packet, 1}, pool);
    passed_on.forget(1, pool);
    passed_on.forget(0, pool);
    EXPECT_TRUE(passed_on.told_of(0, 2, pool).empty());
}

}  // namespace
}  // namespace kport
