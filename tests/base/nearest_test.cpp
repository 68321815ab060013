#include "emulator/base/nearest.hpp"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace kport {
namespace {

constexpr std::array<std::string_view, 4> words{"mesh", "torus", "broadcast", "scatter"};

TEST(Nearest, UndoesOneSlipOfEachKind) {
    EXPECT_EQ(nearest("meshh", words), "mesh");
    EXPECT_EQ(nearest("mes", words), "mesh");
    EXPECT_EQ(nearest("tarus", words), "torus");
    EXPECT_EQ(nearest("borad cast", words), "broadcast");
    EXPECT_EQ(nearest("SCATTER", words), "scatter");
}

TEST(Nearest, CountsASwapOfNeighboursAsOneSlip) {
    // Without swaps "abcd" would be two slips from "bacd" as it is from "abxy", and the first would win.
    EXPECT_EQ(nearest("abcd", std::array<std::string_view, 2>{"abxy", "bacd"}), "bacd");
}

TEST(Nearest, GivesTheFirstOfEqualsAndNothingForNoCandidates) {
    EXPECT_EQ(nearest("", std::array<std::string_view, 2>{"ab", "cd"}), "ab");
    EXPECT_EQ(nearest("mesh", std::vector<std::string_view>{}), "");
}

TEST(Quoted, KeepsAMessageOnOneLine) {
    EXPECT_EQ(quoted("mesh:4x5"), "'mesh:4x5'");
    EXPECT_EQ(quoted("a\nb\tc\x7f"), "'a?b?c?'");
    EXPECT_EQ(quoted(""), "''");
}

TEST(Quoted, CutsLongWordsBetweenLetters) {
    EXPECT_EQ(quoted(std::string(80, 'x')), "'" + std::string(80, 'x') + "'");
    EXPECT_EQ(quoted(std::string(81, 'x')), "'" + std::string(80, 'x') + "...'");
    EXPECT_EQ(quoted(std::string(79, 'x') + "\xc3\xa4\xc3\xa4"), "'" + std::string(79, 'x') + "...'");
}

TEST(Split, KeepsEmptyParts) {
    using Parts = std::vector<std::string_view>;
    EXPECT_EQ(split("4x5", 'x'), (Parts{"4", "5"}));
    EXPECT_EQ(split("4x", 'x'), (Parts{"4", ""}));
    EXPECT_EQ(split("x4", 'x'), (Parts{"", "4"}));
    EXPECT_EQ(split("", 'x'), (Parts{""}));
    EXPECT_EQ(split("xx", 'x'), (Parts{"", "", ""}));
}

}  // namespace
}  // namespace kport
