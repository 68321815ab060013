#include "emulator/base/nearest.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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

/// Optimal string alignment distance by its recurrence, from the ends of both words backwards.
std::size_t slips(std::string_view a, std::string_view b) {
    const auto letter = [](std::string_view word, std::size_t from_end) {
        return std::tolower(static_cast<unsigned char>(word[word.size() - from_end]));
    };
    if (a.empty() || b.empty()) return std::max(a.size(), b.size());
    const std::string_view a1 = a.substr(0, a.size() - 1);
    const std::string_view b1 = b.substr(0, b.size() - 1);
    std::size_t least = slips(a1, b1) + (letter(a, 1) == letter(b, 1) ? 0 : 1);
    least = std::min({least, slips(a1, b) + 1, slips(a, b1) + 1});
    if (a.size() > 1 && b.size() > 1 && letter(a, 1) == letter(b, 2) && letter(a, 2) == letter(b, 1))
        least = std::min(least, slips(a.substr(0, a.size() - 2), b.substr(0, b.size() - 2)) + 1);
    return least;
}

RC_GTEST_PROP(Nearest, IsTheFirstOfThoseWithTheFewestSlipsAmongThoseThatBeginAlikeAndAreNear, ()) {
    // Few letters, so that words are alike; and the neighbours of A and Z.
    const auto any_word = [] {
        return *rc::gen::resize(
            7, rc::gen::container<std::string>(rc::gen::element('a', 'A', 'z', 'Z', '@', '`', '[', '{')));
    };
    for (int repeat = 0; repeat < 10; ++repeat) {
        const std::string word = any_word();
        const std::array<std::string, 4> list{any_word(), any_word(), any_word(), any_word()};
        const std::array<std::string_view, 4> candidates{list[0], list[1], list[2], list[3]};
        const auto letter = [](std::string_view text, std::size_t i) {
            return i < text.size() ? std::tolower(static_cast<unsigned char>(text[i])) : -1;
        };
        constexpr std::size_t far = 99;
        const auto distance = [&](std::string_view c) {
            const bool alike = !word.empty() && !c.empty() &&
                               (letter(word, 0) == letter(c, 0) ||
                                (letter(word, 0) == letter(c, 1) && letter(word, 1) == letter(c, 0)));
            const std::size_t allowed = std::max(word.size(), c.size()) >= 6 ? 2 : 1;
            const std::size_t found = slips(word, c);
            return alike && found <= allowed ? found : far;
        };
        const auto best = std::ranges::min_element(candidates, {}, distance);
        RC_ASSERT(nearest(word, candidates).data() == (distance(*best) < far ? best->data() : nullptr));
    }
}

TEST(Nearest, GivesTheFirstOfEqualsAndNothingForNoWordOrNoCandidates) {
    EXPECT_EQ(nearest("ax", std::array<std::string_view, 2>{"ay", "az"}), "ay");
    EXPECT_EQ(nearest("", std::array<std::string_view, 2>{"a", "b"}), "");
    EXPECT_EQ(nearest("mesh", std::vector<std::string_view>{}), "");
}

TEST(Nearest, IsNothingForMoreThanOneSlipInFiveLettersOrTwoInMore) {
    EXPECT_EQ(nearest("mush", words), "mesh");
    EXPECT_EQ(nearest("must", words), "") << "two of four";
    EXPECT_EQ(nearest("moot", words), "");
    EXPECT_EQ(nearest("", words), "");
    EXPECT_EQ(nearest("brodcat", words), "broadcast");
    EXPECT_EQ(nearest("brdcat", words), "") << "three of nine";
}

TEST(Nearest, DoesNotCountDashesAmongTheLetters) {
    EXPECT_EQ(nearest("--half", std::array<std::string_view, 1>{"--help"}), "") << "two of four, not of six";
    EXPECT_EQ(nearest("--per_runod", std::array<std::string_view, 1>{"--per-round"}), "--per-round");
}

TEST(Nearest, IsNoWordWithAnotherFirstLetter) {
    EXPECT_EQ(nearest("price", std::array<std::string_view, 1>{"trice"}), "");
    EXPECT_EQ(nearest("ropt", std::array<std::string_view, 1>{"port"}), "");
    EXPECT_EQ(nearest("opr", std::array<std::string_view, 1>{"por"}), "por") << "but for a swap";
}

TEST(MeantBy, IsTheOnlyCandidateThatBeginsSo) {
    const std::array<std::string_view, 3> options{"--output", "--operation", "--operator"};
    EXPECT_EQ(meant_by("--out", options), "--output");
    EXPECT_EQ(meant_by("--oper", options), "") << "two begin so";
    EXPECT_EQ(meant_by("--ou", options), "") << "too short";
}

TEST(MeantBy, KnowsOtherWordsForAThing) {
    EXPECT_EQ(meant_by("bcast", words), "broadcast");
    EXPECT_EQ(meant_by("One_To-All", words), "broadcast");
    EXPECT_EQ(meant_by("no", std::array<std::string_view, 2>{"on", "off"}), "off") << "though one swap from on";
    EXPECT_EQ(meant_by("no", std::array<std::string_view, 2>{"copy", "none"}), "none");
    EXPECT_EQ(meant_by("all_reduce", std::array<std::string_view, 1>{"allreduce"}), "allreduce");
    EXPECT_EQ(meant_by("meshh", words), "mesh");
    EXPECT_EQ(meant_by("wormhole", words), "");
    EXPECT_EQ(meant_by("-", words), "");
}

TEST(MeantBy, LeavesOutWhatMpiAndNcclPutAroundAName) {
    const std::array<std::string_view, 5> operations{"broadcast", "scatter", "gather", "reduce-scatter", "allreduce"};
    EXPECT_EQ(meant_by("MPI_Bcast", operations), "broadcast");
    EXPECT_EQ(meant_by("MPI_Scatterv", operations), "scatter");
    EXPECT_EQ(meant_by("MPI_Reduce_scatter_block", operations), "reduce-scatter");
    EXPECT_EQ(meant_by("ncclAllReduce", operations), "allreduce");
    EXPECT_EQ(meant_by("MPI", operations), "");
}

TEST(CalledSo, KnowsNamesAndOtherWordsAndDoesNotGuess) {
    const std::array<std::string_view, 2> modes{"sf", "wh"};
    EXPECT_EQ(called_so("--wormhole", modes), "wh");
    EXPECT_EQ(called_so("SF", modes), "sf");
    EXPECT_EQ(called_so("wha", modes), "");
}

TEST(HasWord, FindsAWholeWordAmongThoseBetweenSpaces) {
    EXPECT_TRUE(has_word("run compare", "compare"));
    EXPECT_FALSE(has_word("run compare", "comp"));
    EXPECT_FALSE(has_word("", "comp"));
}

TEST(DidYouMean, SuggestsOnlyNearNames) {
    EXPECT_EQ(did_you_mean("meshh", words), "; did you mean 'mesh'?");
    EXPECT_EQ(did_you_mean("moot", words), "");
}

TEST(Quoted, KeepsAMessageOnOneLine) {
    EXPECT_EQ(quoted("mesh:4x5"), "'mesh:4x5'");
    EXPECT_EQ(quoted("a\nb\tc\x7f"), "'a?b?c?'");
    EXPECT_EQ(quoted(""), "''");
    EXPECT_EQ(quoted("\x1f \xc3\xa4"), "'? \xc3\xa4'");
}

TEST(Quoted, CutsLongWordsBetweenLetters) {
    EXPECT_EQ(quoted(std::string(80, 'x')), "'" + std::string(80, 'x') + "'");
    EXPECT_EQ(quoted(std::string(81, 'x')), "'" + std::string(80, 'x') + "...'");
    EXPECT_EQ(quoted(std::string(79, 'x') + "\xc3\xa4\xc3\xa4"), "'" + std::string(79, 'x') + "...'");
    EXPECT_EQ(quoted(std::string(79, 'x') + "\xc3\xa9\xc3\xa9"), "'" + std::string(79, 'x') + "...'");
    EXPECT_EQ(quoted(std::string(100, '\x80')), "'...'") << "no letter at all";
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
