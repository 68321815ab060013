#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "app/search/search.hpp"
#include "app/search/solver.hpp"
#include "tests/search/problems.hpp"

namespace kport::search {
namespace {

using oracle::Row;

/// Rows whose search takes a second or more: with KPORT_LONG_SEARCHES=1.
bool takes_long(const Row& row) {
    static const std::set<std::tuple<std::string, std::string>> rows = {
        {"wrapped-butterfly:5", ""},      {"wrapped-butterfly:6", ""},         {"debruijn:2,8", ""},
        {"kautz:2,4", "kport"},           {"wrapped-butterfly:3", "kport"},    {"wrapped-butterfly:3", "telephone"},
        {"circulant:8,1,3", "telegraph"}, {"folded-hypercube:3", "telegraph"}, {"recursive-circulant:8,4", "telegraph"},
    };
    return rows.contains({row["topology"], row["mode"]}) && row["sources"].find(' ') == std::string::npos;
}

void expect_the_reference(const Row& row, const SearchOptions& options = {}) {
    const Problem problem = problem_in(row);
    const Found found = fewest_rounds(problem, options);
    EXPECT_TRUE(found.exact()) << told(row);
    EXPECT_EQ(found.most, row.number("rounds_minimum")) << told(row);
    if (!row.has("bound_rounds")) return;
    EXPECT_EQ(found.bound, row.number("bound_rounds")) << told(row);
    EXPECT_EQ(found.proof == Proof::bound_met ? "bound met" : "refuted", row["proof"]) << told(row);
}

void expect_the_reference(std::string_view operation, std::string_view mode, bool long_ones) {
    if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    int rows = 0;
    for (const Row& row : oracle::table("exact")) {
        if (row["operation"] != operation || row["mode"] != mode || takes_long(row) != long_ones) continue;
        expect_the_reference(row);
        ++rows;
    }
    EXPECT_GT(rows, 0);
}

TEST(ExactRounds, OfBroadcastsAreTheReferences) { expect_the_reference("broadcast", "", false); }
TEST(ExactRounds, OfGossipByTelephoneAreTheReferences) { expect_the_reference("allgather", "telephone", false); }
TEST(ExactRounds, OfGossipByTelegraphAreTheReferences) { expect_the_reference("allgather", "telegraph", false); }
TEST(ExactRounds, OfGossipThroughAPortAreTheReferences) { expect_the_reference("allgather", "kport", false); }

/// With KPORT_LONG_SEARCHES=1; minutes.
TEST(ExactRounds, ThatTakeLongAreTheReferences) {
    if (std::getenv("KPORT_LONG_SEARCHES") == nullptr) GTEST_SKIP() << "KPORT_LONG_SEARCHES=1 runs it";
    expect_the_reference("broadcast", "", true);
    for (const char* mode : {"telephone", "telegraph", "kport"}) expect_the_reference("allgather", mode, true);
}

TEST(ExactRounds, WithoutASolverAreTheReferencesOnSmallMachines) {
    SearchOptions without;
    without.solver = false;
    for (const Row& row : oracle::table("exact"))
        if (row["operation"] == "broadcast" && row.number("nodes") <= 13) expect_the_reference(row, without);
}

TEST(ExactRounds, OfBroadcastsFromOneNodeAreThoseOfTheExhaustiveTable) {
    for (const Row& row : oracle::table("exact_broadcast")) {
        if (row["topology"].starts_with("graph:")) continue;  // drawn for the reference only, not a specification
        const Found found = fewest_rounds(broadcast_on(row["topology"], {row.number("source")}), {});
        EXPECT_TRUE(found.exact()) << row.place();
        EXPECT_EQ(found.most, row.number("rounds_minimum")) << row.place();
    }
}

}  // namespace
}  // namespace kport::search
