/// @file elements_of_segments_test.cpp   One number of a segment travels as an element, larger ones in a body: both are folded, and
///                                        judged, alike.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/engine/reducing.hpp"

namespace kport {
namespace {

constexpr NodeId all_nodes_here = 5;
constexpr std::uint32_t the_segment = 1;

/// What node 0 makes of the contributions of all nodes to a segment, by folds of any two values that it has.
using FoldsOfAny = std::vector<std::pair<std::size_t, std::size_t>>;
struct WhatFoldsMade {
    std::vector<std::string> found;
    std::vector<std::multiset<std::uint32_t>> contributions;  ///< of each value
    std::vector<std::uint64_t> numbers;                       ///< their first ones
    std::set<bool> elements;                                  ///< whether they are
};

WhatFoldsMade what_they_make(const FoldsOfAny& folds, std::uint64_t bytes, bool payload, EngineKind engine) {
    WhatFoldsMade made;
    const auto note = [&made](const Value& value) {
        std::multiset<std::uint32_t>& all = made.contributions.emplace_back();
        const PacketSet contributions = value.contributions();
        for (const PacketBlock& block : contributions.blocks()) {
            EXPECT_EQ(block.all_rows(), Progression{the_segment});
            for (std::uint32_t i = 0; i < block.count; ++i) all.insert(block.columns()[i]);
        }
        made.numbers.push_back(value.bytes().empty() ? 0 : value.as<std::uint64_t>());
        made.elements.insert(value.is_element());
    };
    Collective collective = Collective::reduce(0, bytes);
    collective.packets_each = 3;
    Job job = test::reducing(test::machine("complete:5", PortLimit::all()), collective, {}, [&](Node& self) -> Program {
        const PacketSet some = PacketSet::range(the_segment, the_segment + 1);
        const Value own = self.contribution(some);
        if (self.id() != 0) {
            co_await self.send_to(0, own);
            co_return;
        }
        std::vector<Value> values{own};
        for (NodeId v = 1; v < all_nodes_here; ++v) {
            const Arrival arrival = co_await self.receive_from(v);
            values.push_back(arrival.value());
        }
        for (const auto& [left, right] : folds)
            values.push_back(self.fold(values[left % values.size()], values[right % values.size()]));
        for (const Value& value : values) note(value);
    });
    job.payload = payload;
    made.found = test::found(job, engine);
    return made;
}

/// The folds up to the first one that folds a contribution twice: of what is made of that, another contribution may be named.
FoldsOfAny up_to_the_first_wrong_one(FoldsOfAny folds) {
    std::vector<std::set<NodeId>> values;
    for (NodeId v = 0; v < all_nodes_here; ++v) values.push_back({v});
    for (std::size_t i = 0; i < folds.size(); ++i) {
        std::set<NodeId> both = values[folds[i].first % values.size()];
        const std::set<NodeId>& right = values[folds[i].second % values.size()];
        const std::size_t size = both.size() + right.size();
        both.insert(right.begin(), right.end());
        if (both.size() != size) folds.resize(i + 1);
        values.push_back(std::move(both));
    }
    return folds;
}

RC_GTEST_PROP(AnElementOfASegment, IsFoldedAndJudgedAsABodyIs, ()) {
    const FoldsOfAny folds = up_to_the_first_wrong_one(*rc::gen::container<FoldsOfAny>(
        rc::gen::pair(rc::gen::inRange<std::size_t>(0, 64), rc::gen::inRange<std::size_t>(0, 64))));
    for (const EngineKind engine : test::both_engines)
        for (const bool payload : {true, false}) {
            const WhatFoldsMade elements = what_they_make(folds, 8, payload, engine);
            const WhatFoldsMade bodies = what_they_make(folds, 16, true, engine);
            RC_ASSERT(elements.found == bodies.found);
            RC_ASSERT(elements.contributions == bodies.contributions);
            // The free engine makes what nodes contribute beforehand, as one value of all segments.
            if (engine == EngineKind::lockstep) RC_ASSERT(elements.elements.contains(true));
            RC_ASSERT(!bodies.elements.contains(true));
        }
}

/// All brackets of values side by side around the nodes, from every node on: each fold is of elements, and none is told.
TEST(AnElementOfASegment, SumsUpContributionsAroundTheNodes) {
    for (std::size_t first = 0; first < all_nodes_here; ++first)
        for (const bool from_the_left : {true, false}) {
            FoldsOfAny folds;
            for (std::size_t i = 1; i < all_nodes_here; ++i) {
                const std::size_t next = (first + (from_the_left ? i : all_nodes_here - i)) % all_nodes_here;
                const std::size_t sum = i == 1 ? first : all_nodes_here + i - 2;
                folds.emplace_back(sum, next);
            }
            const WhatFoldsMade made = what_they_make(folds, 8, true, EngineKind::lockstep);
            EXPECT_EQ(made.elements, std::set<bool>{true});
            EXPECT_EQ(made.contributions.back(), (std::multiset<std::uint32_t>{0, 1, 2, 3, 4}));
            EXPECT_EQ(made.numbers.back(),
                      made.numbers[0] + made.numbers[1] + made.numbers[2] + made.numbers[3] + made.numbers[4]);
            EXPECT_TRUE(std::ranges::none_of(made.found, [](const std::string& told) {
                return told.find("twice") != std::string::npos || told.find("invalid value") != std::string::npos;
            }));
        }
}

}  // namespace
}  // namespace kport
