/// @file quantity_test.cpp   The quantities of model.md section 1: a row for each, and what a run has of it.
#include <set>
#include <string_view>

#include <gtest/gtest.h>

#include "emulator/machine/quantity.hpp"

namespace kport {
namespace {

TEST(Quantities, HaveKeysAndTitlesOfTheirOwn) {
    std::set<std::string_view> keys;
    std::set<std::string_view> titles;
    for (const QuantityRow& row : quantity_rows) {
        EXPECT_TRUE(keys.insert(row.key).second) << row.key;
        EXPECT_TRUE(titles.insert(row.title).second) << row.title;
    }
    EXPECT_EQ(row(Quantity::path_sum).key, "path_sum");
    EXPECT_EQ(row(Quantity::path_sum).label(), "path sum (hops)");
    EXPECT_EQ(row(Quantity::rounds).label(), "rounds");
}

TEST(Quantities, AreReadFromAMemberOfTheirOwn) {
    for (const QuantityRow& row : quantity_rows) {
        EXPECT_NE(row.count == nullptr, row.time == nullptr) << row.key;
        Metrics metrics;
        if (row.count != nullptr) metrics.*row.count = 7;
        if (row.time != nullptr) metrics.*row.time = 7;
        for (const QuantityRow& other : quantity_rows) EXPECT_EQ(other.of(metrics), &other == &row ? 7 : 0) << row.key;
    }
}

TEST(PerQuantity, HoldsOneOfEach) {
    PerQuantity<int> held;
    held[Quantity::volume] = 3;
    int sum = 0;
    for (const int one : held) sum += one;
    EXPECT_EQ(sum, 3);
    EXPECT_EQ(held[Quantity::latency], 0);
}

}  // namespace
}  // namespace kport
