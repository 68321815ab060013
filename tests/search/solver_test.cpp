#include "app/search/solver.hpp"

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

namespace kport::search {
namespace {

const Stop keep_going = [] { return false; };

class Solving : public testing::Test {
  protected:
    void SetUp() override {
        if (solver_name().empty()) GTEST_SKIP() << "built without a solver";
    }
    std::vector<Literal> variables(int count) {
        std::vector<Literal> all;
        for (int i = 0; i < count; ++i) all.push_back(solver.variable());
        return all;
    }
    /// All of some literals hold, the others do not.
    void exactly(const std::vector<Literal>& all, const std::vector<std::size_t>& which) {
        std::vector<bool> holds(all.size());
        for (const std::size_t i : which) holds[i] = true;
        for (std::size_t i = 0; i < all.size(); ++i) solver.add({holds[i] ? all[i] : -all[i]});
    }
    Solver solver;
};

TEST_F(Solving, FindsWhatHolds) {
    const Literal a = solver.variable();
    const Literal b = solver.variable();
    solver.add({a, b});
    solver.add({-a, never});
    solver.add({-b, always});
    EXPECT_EQ(solver.solve(keep_going), Answer::yes);
    EXPECT_FALSE(solver.holds(a));
    EXPECT_TRUE(solver.holds(b));
    EXPECT_EQ(solver.clauses(), 2U);
}

TEST_F(Solving, SaysNoWhereNothingHolds) {
    const Literal a = solver.variable();
    solver.add({a});
    solver.add({-a});
    EXPECT_EQ(solver.solve(keep_going), Answer::no);
}

TEST_F(Solving, StopsWhenAsked) {
    // Ten pigeons, nine holes.
    std::vector<std::vector<Literal>> in;
    for (int pigeon = 0; pigeon < 12; ++pigeon) {
        in.push_back(variables(11));
        solver.add(in.back());
    }
    for (std::size_t hole = 0; hole < 11; ++hole) {
        std::vector<Literal> here;
        for (const auto& pigeon : in) here.push_back(pigeon[hole]);
        solver.at_most_one(here);
    }
    int asked = 0;
    EXPECT_EQ(solver.solve([&] { return ++asked > 50; }), Answer::stopped);
    EXPECT_GT(solver.conflicts(), 0U);
}

class AtMost : public Solving, public testing::WithParamInterface<std::tuple<int, Port>> {};

/// Each set of so many variables is allowed, and none larger.
TEST_P(AtMost, AllowsSetsOfSoManyAlone) {
    const auto [count, most] = GetParam();
    for (unsigned set = 0; set < 1U << count; ++set) {
        Solver one;
        std::vector<Literal> all;
        for (int i = 0; i < count; ++i) all.push_back(one.variable());
        one.at_most(most, all);
        for (int i = 0; i < count; ++i)
            one.add({(set >> i & 1U) != 0 ? all[static_cast<std::size_t>(i)] : -all[static_cast<std::size_t>(i)]});
        const bool allowed = static_cast<Port>(__builtin_popcount(set)) <= most;
        EXPECT_EQ(one.solve(keep_going), allowed ? Answer::yes : Answer::no) << set;
    }
}
INSTANTIATE_TEST_SUITE_P(Counts, AtMost,
                         testing::Combine(testing::Values(1, 4, 6, 9), testing::Values<Port>(0, 1, 2, 3)));

TEST(Solver, EndsTheMakingOfAFormulaWhenItIsStopped) {
    int asked = 0;
    Solver solver(nullptr, [&asked] { return ++asked == 3; });
    const auto make = [&solver] {
        for (int i = 0; i < 1'000'000; ++i) solver.add({solver.variable()});
    };
    EXPECT_THROW(make(), FormulaStopped);
    EXPECT_LT(solver.clauses(), 100'000U);
}

}  // namespace
}  // namespace kport::search
