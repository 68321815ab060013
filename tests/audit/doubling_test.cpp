/// @file doubling_test.cpp   The books of a node in one word say what lists of ranges say.
#include <optional>

#include <gtest/gtest.h>

#include "emulator/audit/doubling.hpp"
#include "emulator/base/random.hpp"

namespace kport {
namespace {

TEST(ADoubling, SaysWhichRangeItHoldsAndWhichOneItHasSent) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Dice dice(seed);
        const auto v = static_cast<NodeId>(dice.below(1U << 20) + (1U << 20));
        Doubling books(v);
        Progression held{static_cast<std::uint32_t>(v)};
        std::optional<Progression> sent;
        for (unsigned round = 0; round < 20; ++round) {
            if (dice.below(2) != 0) {
                ASSERT_TRUE(books.sends(held));
                sent = held;
            }
            const std::uint32_t first = dice.below(2) != 0 ? held.first + held.count : held.first - held.count;
            ASSERT_TRUE(books.receives({first, 1, held.count}));
            held = joined_neighbours(held, {first, 1, held.count});
            EXPECT_EQ(books.held(), held);
            ASSERT_EQ(books.has_sent(), sent.has_value());
            if (sent.has_value()) {
                EXPECT_EQ(books.sent(v), *sent) << "node " << v << ", seed " << seed;
            }
        }
    }
}

TEST(ADoubling, IsNotChangedByAnythingElse) {
    Doubling books(8);
    ASSERT_TRUE(books.receives({9, 1, 1}));
    EXPECT_FALSE(books.receives({10, 1, 1})) << "smaller";
    EXPECT_FALSE(books.receives({10, 1, 3})) << "larger";
    EXPECT_FALSE(books.receives({11, 1, 2})) << "no neighbour";
    EXPECT_FALSE(books.receives({9, 1, 2})) << "held already";
    EXPECT_FALSE(books.receives({10, 2, 2})) << "with gaps";
    EXPECT_FALSE(books.sends({8, 1, 1})) << "a part";
    EXPECT_FALSE(books.sends({8, 1, 4})) << "more";
    EXPECT_EQ(books.held(), (Progression{8, 1, 2}));
    EXPECT_FALSE(books.has_sent());
}

TEST(ThePlaceOfBooks, DistinguishesAWordFromAnAddress) {
    alignas(16) int elsewhere = 0;
    BooksWord<int> place{};
    EXPECT_TRUE(place.is_none());
    EXPECT_FALSE(place.is_doubling());
    EXPECT_EQ(place.elsewhere(), nullptr);
    place.set(Doubling(0));
    EXPECT_FALSE(place.is_none());
    EXPECT_TRUE(place.is_doubling());
    EXPECT_EQ(place.elsewhere(), nullptr);
    place.set(&elsewhere);
    EXPECT_FALSE(place.is_doubling());
    EXPECT_EQ(place.elsewhere(), &elsewhere);
}

}  // namespace
}  // namespace kport
