/// @file movement_writer_test.cpp   Movements that are neighbours in everything that they touch merge; long ones
///                                  are cut.
#include <ostream>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/engine/movement_writer.hpp"

namespace kport {

static bool operator==(const Movement& a, const Movement& b) {
    return a.to == b.to && a.from == b.from && a.with == b.with && a.count == b.count;
}
static void PrintTo(const Movement& m, std::ostream* out) {
    *out << m.to << " := " << m.from << (m.folds() ? " op " : "");
    if (m.folds()) *out << m.with;
    *out << ", " << m.count;
}

namespace {

using testing::ElementsAre;
using Movements = std::vector<Movement>;

constexpr std::uint32_t copied = Movement::nothing;

Movements written(std::uint32_t count_max, const Movements& movements) {
    MovementPlan plan;
    MovementWriter writer(plan, count_max);
    for (const Movement& movement : movements) writer.add(movement);
    return plan.movements;
}

TEST(MovementWriter, MergesNeighbours) {
    EXPECT_THAT(written(9, {{0, 10, copied, 2}, {2, 12, copied, 3}}), ElementsAre(Movement{0, 10, copied, 5}));
    EXPECT_THAT(written(9, {{0, 10, 20, 2}, {2, 12, 22, 3}}), ElementsAre(Movement{0, 10, 20, 5}));
}

TEST(MovementWriter, DoesNotMergeUnlessAllPlacesAreNeighbours) {
    for (const Movements& two : {Movements{{0, 10, copied, 2}, {3, 12, copied, 3}},
                                 {{0, 10, copied, 2}, {1, 12, copied, 3}},
                                 {{0, 10, copied, 2}, {2, 13, copied, 3}},
                                 {{0, 10, copied, 2}, {2, 11, copied, 3}},
                                 {{0, 10, 20, 2}, {2, 12, 21, 3}},
                                 {{0, 10, 20, 2}, {2, 12, 23, 3}},
                                 {{0, 10, 20, 2}, {2, 12, 18, 3}},
                                 {{0, 10, copied, 2}, {2, 12, 22, 3}},
                                 {{0, 10, 20, 2}, {2, 12, copied, 3}}})
        EXPECT_EQ(written(9, two), two);
}

TEST(MovementWriter, CutsLongOnes) {
    EXPECT_THAT(written(2, {{0, 10, copied, 5}}),
                ElementsAre(Movement{0, 10, copied, 2}, Movement{2, 12, copied, 2}, Movement{4, 14, copied, 1}));
    EXPECT_THAT(written(2, {{0, 10, 20, 5}}),
                ElementsAre(Movement{0, 10, 20, 2}, Movement{2, 12, 22, 2}, Movement{4, 14, 24, 1}));
    EXPECT_THAT(written(3, {{0, 10, 20, 2}, {2, 12, 22, 2}}),
                ElementsAre(Movement{0, 10, 20, 3}, Movement{3, 13, 23, 1}));
}

TEST(MovementWriter, MergesNothingAcrossStepsAndMakesNoEmptyStep) {
    MovementPlan plan;
    MovementWriter writer(plan, 9);
    writer.end_step();
    for (const std::uint32_t first : {0U, 2U}) {
        writer.add({first, 10 + first, copied, 2});
        writer.end_step();
        writer.end_step();
    }
    EXPECT_THAT(plan.movements, ElementsAre(Movement{0, 10, copied, 2}, Movement{2, 12, copied, 2}));
    ASSERT_EQ(plan.steps.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(plan.steps[i].end, i + 1);
        EXPECT_EQ(plan.steps[i].packets, 2U);
    }
}

}  // namespace
}  // namespace kport
