/// @file permutation_test.cpp   Which node sends to which in a permutation, and which machine has which permutation.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "emulator/schedule/permutation.hpp"

namespace kport {
namespace {

using testing::HasSubstr;

constexpr Permutation transpose{Permutation::Kind::transpose, 0};
constexpr Permutation bit_reversal{Permutation::Kind::bit_reversal, 0};

TEST(APermutation, ShiftsTransposesOrReversesBits) {
    const Permutation shift{Permutation::Kind::shift, 3};
    EXPECT_EQ(shift.target(6, 8), 1U);
    EXPECT_EQ(transpose.target(1 * 4 + 3, 16), 3U * 4 + 1);  // (1, 3) to (3, 1); and 0111 to 1101
    EXPECT_EQ(bit_reversal.target(0b00110, 32), 0b01100U);
    EXPECT_EQ(bit_reversal.target(0b00001, 32), 0b10000U);
}

TEST(APermutation, HasOneSourceForEachTarget) {
    for (const NodeId all : {1U, 4U, 16U, 64U})
        for (const Permutation& permutation :
             {Permutation{Permutation::Kind::shift, 0}, Permutation{Permutation::Kind::shift, all - 1}, transpose,
              bit_reversal}) {
            std::set<NodeId> targets;
            for (NodeId v = 0; v < all; ++v) {
                targets.insert(permutation.target(v, all));
                EXPECT_EQ(permutation.source(permutation.target(v, all), all), v);
            }
            EXPECT_EQ(targets.size(), all);
        }
}

TEST(APermutation, IsReadAndWrittenInTheSameWords) {
    for (const char* words : {"shift:0", "shift:17", "transpose", "bit-reversal"})
        EXPECT_EQ(text(permutation_named(words)), words);
    for (const char* words : {"", "shift", "shift:", "shift:-1", "shift:x", "Transpose", "reversal"})
        EXPECT_THROW((void)permutation_named(words), RequestError) << words;
}

// The message for a negative shift explains the right form; it names no shift that a small machine lacks.
TEST(APermutation, ThatShiftsBackwardsIsExplainedAsOneThatShiftsOn) {
    try {
        (void)permutation_named("shift:-1");
        FAIL() << "accepted";
    } catch (const RequestError& error) {
        EXPECT_THAT(error.what(), HasSubstr("want shift:Q with Q from 0 to N - 1 on N nodes (shift:N-1 is one back)"));
    }
}

TEST(APermutation, IsRefusedWhereTheMachineHasNone) {
    const auto refusal = [](const Permutation& permutation, const char* spec) -> std::string {
        try {
            require_valid(permutation, *make_topology(spec));
        } catch (const RequestError& error) {
            return error.what();
        }
        return "accepted";
    };
    for (const char* square : {"mesh:3x3", "torus:4x4", "hypercube:4", "hypercube:0"})
        EXPECT_EQ(refusal(transpose, square), "accepted");
    for (const auto& [other, why] :
         {std::pair("mesh:2x3", "has more rows than columns, or fewer"),
          std::pair("hypercube:3", "is of odd dimension"), std::pair("mesh:2x2x4", "is not of two dimensions"),
          std::pair("complete:9", "has no rows and columns"), std::pair("line:4", "is not of two dimensions"),
          std::pair("ring:4", "is not of two dimensions")})
        EXPECT_EQ(refusal(transpose, other),
                  std::string("permutation 'transpose': ") + other + " " + why +
                      "; want a mesh or torus of two equal sides, or a hypercube of even dimension");
    EXPECT_EQ(refusal(bit_reversal, "hypercube:3"), "accepted");
    EXPECT_THAT(refusal(bit_reversal, "torus:2x4"), HasSubstr("is no hypercube; want hypercube:D"));
    EXPECT_EQ(refusal({Permutation::Kind::shift, 4}, "line:5"), "accepted");
    EXPECT_THAT(refusal({Permutation::Kind::shift, 5}, "line:5"),
                HasSubstr("line:5 has 5 nodes; want shift:0 to shift:4"));
    EXPECT_THAT(refusal({Permutation::Kind::shift, 2}, "ring:1"),
                HasSubstr("ring:1 has 1 node; want shift:0 to shift:1"));
}

}  // namespace
}  // namespace kport
