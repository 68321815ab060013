/// @file faults.hpp   The expectations for a lock-free part: all scenarios pass, and each fault planted in the
///                    part makes one of them fail.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/model/relacy.hpp"

namespace kport::model {

struct Case {
    const char* name;
    Search (*search)();
};
using Cases = std::span<const Case>;

inline void expect_all_pass(Cases cases) {
    for (const Case& tried : cases) {
        const Search result = tried.search();
        EXPECT_TRUE(result.passed) << tried.name << "\n" << result.story;
        EXPECT_GT(result.interleavings, 10U) << tried.name;
        fmt::print("{:<30}{:>12} interleavings\n", tried.name, result.interleavings);
    }
}

inline const char* word(std::memory_order order) { return rl::format(in_relacy(order)); }

/// Every memory order in the text, as its scenarios meet them.
inline std::vector<Met> all_met(Cases cases) {
    orders = {};
    for (const Case& tried : cases) (void)tried.search();
    return {orders.all().begin(), orders.all().end()};
}

/// Expects that some scenario fails with the planted fault, described in words.
inline void expect_found(Cases cases, const std::string& fault) {
    const auto found =
        std::find_if(cases.begin(), cases.end(), [](const Case& tried) { return !tried.search().passed; });
    EXPECT_NE(found, cases.end()) << fault << " passes";
    fmt::print("{:<30}{}\n", fault, found == cases.end() ? "not found" : found->name);
}

/// Weakens each order in the text. Returns how many faults that made.
inline int expect_no_order_too_strong(Cases cases) {
    int weakened = 0;
    for (const Met& met : all_met(cases))
        for (const std::memory_order weaker : weaker_than(met.order)) {
            orders.weakened = met.site;
            orders.weaker = weaker;
            expect_found(cases, fmt::format("line {}: {} as {}", met.site.line, word(met.order), word(weaker)));
            orders.weakened = {};
            ++weakened;
        }
    return weakened;
}

/// Makes two steps of each that reads and writes. Returns how many faults that made.
inline int expect_no_step_is_two(Cases cases) {
    int torn = 0;
    for (const Met& met : all_met(cases)) {
        if (!met.is_one_step) continue;
        orders.torn = met.site;
        expect_found(cases, fmt::format("line {}: in two steps", met.site.line));
        orders.torn = {};
        ++torn;
    }
    return torn;
}

}  // namespace kport::model
