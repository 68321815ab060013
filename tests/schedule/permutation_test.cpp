/// @file permutation_test.cpp   Which node sends to which in a permutation, and which machine has which permutation.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/permutation.hpp"

namespace kport {
namespace {

using testing::HasSubstr;

const Permutation transpose{Permutation::Kind::transpose, 0};
const Permutation bit_reversal{Permutation::Kind::bit_reversal, 0};

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
             {Permutation{Permutation::Kind::shift, 0},
              Permutation{Permutation::Kind::shift, static_cast<std::int64_t>(all) - 1}, transpose, bit_reversal}) {
            std::set<NodeId> targets;
            for (NodeId v = 0; v < all; ++v) {
                targets.insert(permutation.target(v, all));
                EXPECT_EQ(permutation.source(permutation.target(v, all), all), v);
            }
            EXPECT_EQ(targets.size(), all);
        }
}

TEST(APermutation, IsReadAndWrittenInTheSameWords) {
    for (const char* words : {"shift:0", "shift:17", "shift:-3", "shift:2@1", "move:1", "move:-2@0", "transpose",
                              "bit-reversal", "list:1,-,0", "list:-"})
        EXPECT_EQ(text(permutation_named(words)), words);
    for (const char* words : {"", "shift", "shift:", "shift:--1", "shift:x", "move:1@", "move:1@x", "shift:1@64",
                              "move:@0", "shift:9999999999999999999", "list", "list:", "list:0,", "list:1,x",
                              "list:1.5", "list:-1", "file:x", "Transpose", "reversal"})
        EXPECT_THROW((void)permutation_named(words), RequestError) << words;
    EXPECT_EQ(text(permutation_or_file_named("file:x")), "file:x");
    EXPECT_EQ(text(permutation_or_file_named("shift:-3")), "shift:-3");
    EXPECT_THROW((void)permutation_or_file_named("file:"), RequestError);
}

std::string refusal_of(const std::string& words, const char* spec) {
    try {
        (void)fitted(permutation_named(words), *make_topology(spec));
    } catch (const RequestError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(APermutation, GoesBackAndBeyondTheEndsOfALine) {
    const auto targets = [](const char* words, const char* spec) {
        const auto topology = make_topology(spec);
        const Permutation permutation = fitted(permutation_named(words), *topology);
        std::vector<NodeId> all;
        for (NodeId v = 0; v < topology->nodes(); ++v) {
            all.push_back(permutation.target(v, topology->nodes()));
            if (all.back() != v) {
                EXPECT_EQ(permutation.source(all.back(), topology->nodes()), v) << words << " on " << spec;
            }
        }
        const auto moving = static_cast<NodeId>(
            std::ranges::count_if(all, [&, v = NodeId{0}](NodeId target) mutable { return target != v++; }));
        EXPECT_EQ(permutation.senders(topology->nodes()), moving) << words << " on " << spec;
        const NodeId sender = permutation.a_sender(topology->nodes());
        EXPECT_TRUE(moving == 0 ? sender == no_node : all[sender] != sender) << words << " on " << spec;
        return all;
    };
    using testing::ElementsAre;
    EXPECT_THAT(targets("shift:-1", "ring:4"), ElementsAre(3, 0, 1, 2));
    EXPECT_THAT(targets("move:1", "line:4"), ElementsAre(1, 2, 3, 3));
    EXPECT_THAT(targets("move:-3", "ring:4"), ElementsAre(0, 1, 2, 0));
    EXPECT_THAT(targets("move:4", "ring:4"), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(targets("move:0", "ring:4"), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(targets("shift:1@0", "mesh:2x3"), ElementsAre(3, 4, 5, 0, 1, 2));
    EXPECT_THAT(targets("shift:-1@1", "mesh:2x3"), ElementsAre(2, 0, 1, 5, 3, 4));
    EXPECT_THAT(targets("move:2@1", "mesh:2x3"), ElementsAre(2, 1, 2, 5, 4, 5));
    EXPECT_THAT(targets("move:1@2", "hypercube:3"), ElementsAre(4, 5, 6, 7, 4, 5, 6, 7));
    EXPECT_THAT(targets("list:2,-,0,3", "line:4"), ElementsAre(2, 1, 0, 3));
    EXPECT_THAT(targets("transpose", "hypercube:4"), testing::SizeIs(16));
    for (const char* cube : {"hypercube:0", "hypercube:1", "hypercube:2", "hypercube:3", "hypercube:4", "hypercube:5"})
        (void)targets("bit-reversal", cube);
}

TEST(APermutation, SendsANodeWithoutASenderNothing) {
    const Permutation move = permutation_named("move:1");
    EXPECT_EQ(move.source(0, 4), no_node);
    const Collective collective = Collective::permuted(move, 8);
    EXPECT_TRUE(collective.wanted(0, 4).empty());
    EXPECT_EQ(collective.wanted(3, 4).size(), 1U);
    EXPECT_EQ(collective.owned(3, 4).size(), 1U) << "its packets stay, and nobody wants them";
    EXPECT_EQ(permutation_named("list:2,-,0,3").source(3, 4), 3U) << "it keeps its own";
}

TEST(APermutation, ThatIsNoneIsRefusedWithTheEntry) {
    EXPECT_EQ(refusal_of("list:1,1", "line:2"),
              "permutation: nodes 0 and 1 both send to node 1; an alltoall with counts may");
    EXPECT_EQ(refusal_of("list:1,x", "line:2"),
              "permutation: the entry of node 1 is 'x'; want a node, or - if it sends nothing");
    EXPECT_EQ(refusal_of("list:1,0", "line:3"), "permutation: 2 entries; line:3 has 3 nodes, want an entry for each");
    EXPECT_EQ(refusal_of("list:1,5", "line:2"), "permutation: the entry of node 1 is 5; line:2 has nodes 0 to 1");
    EXPECT_EQ(refusal_of("shift:1@0", "complete:4"),
              "permutation 'shift:1@0': complete:4 has no dimensions; want a mesh, torus or hypercube");
    EXPECT_EQ(refusal_of("move:1@2", "mesh:3x4"), "permutation 'move:1@2': mesh:3x4 has the dimensions 0 to 1");
    EXPECT_EQ(refusal_of("shift:3@0", "mesh:3x4"), "accepted") << "once round";
    EXPECT_EQ(refusal_of("move:99@0", "mesh:3x4"), "accepted") << "nothing moves";
}

// A permutation of one machine is none of another: its dimension has another side there.
TEST(APermutation, OfADimensionIsFittedToItsMachine) {
    const Permutation shift = fitted(permutation_named("shift:1@0"), *make_topology("mesh:3x4"));
    EXPECT_NO_THROW(require_valid(shift, *make_topology("mesh:3x4")));
    EXPECT_THROW(require_valid(shift, *make_topology("mesh:4x3")), RequestError);
    EXPECT_THROW(require_valid(permutation_named("shift:1@0"), *make_topology("mesh:3x4")), RequestError);
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
    EXPECT_EQ(refusal({Permutation::Kind::shift, 5}, "line:5"), "accepted") << "it goes once round";
}

TEST(AShift, OfMoreStepsThanThereAreNodesIsTakenModuloTheirNumber) {
    const auto ring = make_topology("ring:7");
    for (const std::int64_t by : {8, 15, -6, -13, 701}) {
        const Permutation shift{Permutation::Kind::shift, by};
        EXPECT_NO_THROW(require_valid(shift, *ring));
        for (NodeId v = 0; v < 7; ++v) EXPECT_EQ(shift.target(v, 7), (v + 1) % 7) << by;
    }
    EXPECT_EQ((Permutation{Permutation::Kind::shift, 14}).senders(7), 0U);
}

}  // namespace
}  // namespace kport
