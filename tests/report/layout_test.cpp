/// @file layout_test.cpp   Lines and tables that fit a width.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/report/report.hpp"
#include "emulator/report/table.hpp"
#include "emulator/report/terminal_text.hpp"
#include "tests/report/synthetic.hpp"

namespace kport::test {
namespace {

using enum Table::Align;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const Paint uncoloured(false);

std::size_t widest(const std::string& text) {
    std::istringstream in(text);
    std::size_t width = 0;
    for (std::string line; std::getline(in, line);) width = std::max(width, columns_of(line));
    return width;
}

// ---- lines ----------------------------------------------------------------------------------------------------------

TEST(Columns, AreCodePointsWithoutColours) {
    EXPECT_EQ(columns_of(""), 0U);
    EXPECT_EQ(columns_of("b\xc3\xb6se"), 4U);
    EXPECT_EQ(columns_of("\033[31mbad\033[0m"), 3U);
    EXPECT_EQ(columns_of("\033[48;5;203;38;5;16m300\033[0m"), 3U);
    EXPECT_EQ(columns_of("\033[31"), 4U) << "a colour that does not end is a text";
}

TEST(Wrapped, LeavesLinesThatFitAlone) {
    EXPECT_EQ(wrapped("", 4, 10), "");
    EXPECT_EQ(wrapped("0123456789\n\n  x  y \n", 4, 10), "0123456789\n\n  x  y \n");
}

TEST(Wrapped, BreaksAtSpacesAndIndentsWhatFollows) {
    EXPECT_EQ(wrapped("one two three four", 2, 10), "one two\n  three\n  four");
    EXPECT_EQ(wrapped("rules   one two three\n", 8, 16), "rules   one two\n        three\n");
    EXPECT_EQ(wrapped("  one two", 4, 8), "  one\n    two");
    EXPECT_EQ(wrapped("b\xc3\xb6se b\xc3\xb6se", 0, 9), "b\xc3\xb6se b\xc3\xb6se") << "9 columns in 11 bytes";
}

TEST(Wrapped, CutsNoWord) { EXPECT_EQ(wrapped("a 18446744073709551615 b", 2, 8), "a\n  18446744073709551615\n  b"); }

TEST(Wrapped, BreaksNoCommandInQuotes) {
    EXPECT_EQ(wrapped("see 'kport run scan --values '1,2' --on line:2'; or not", 2, 20),
              "see\n  'kport run scan --values '1,2' --on line:2';\n  or not");
    EXPECT_EQ(wrapped(R"(see 'kport run --values 'it'\''s a', in full' now)", 2, 20),
              "see\n  'kport run --values 'it'\\''s a', in full'\n  now");
    EXPECT_EQ(wrapped("see 'kport run scan --values '1,2''; or not", 2, 20),
              "see\n  'kport run scan --values '1,2'';\n  or not");
    EXPECT_EQ(wrapped("see `kport list faults` and more", 2, 16), "see\n  `kport list faults`\n  and more");
    EXPECT_EQ(wrapped("it's 'kport run without an end", 0, 10), "it's\n'kport run\nwithout an\nend");
}

TEST(Wrapped, BreaksPhrasesAfterCommasAndAtWideGaps) {
    const std::string line = "rules   ports kept (at most 1)   NODUP kept, as it should be; so";
    EXPECT_EQ(wrapped(line, 8, 40, Break::phrases),
              "rules   ports kept (at most 1)\n        NODUP kept, as it should be; so");
    EXPECT_EQ(wrapped(line, 8, 30, Break::phrases),
              "rules   ports kept (at most 1)\n        NODUP kept,\n        as it should be; so");
    EXPECT_EQ(wrapped(line, 8, 20, Break::phrases),
              "rules   ports kept\n        (at most 1)\n        NODUP kept,\n        as it should\n        be; so")
        << "a phrase that no line holds is broken at spaces";
}

RC_GTEST_PROP(Wrapped, KeepsEveryWordAndFitsWhereWordsDo, ()) {
    const std::size_t width = *rc::gen::inRange<std::size_t>(10, 40);
    const auto word = rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab,;1")));
    std::string line;
    std::string words;
    for (const std::string& one : *rc::gen::container<std::vector<std::string>>(word)) {
        if (one.empty() || one.size() > 5) continue;
        line += (line.empty() ? "" : std::string(*rc::gen::inRange<std::size_t>(1, 4), ' ')) + one;
        words += one;
    }
    for (const Break at : {Break::words, Break::phrases}) {
        std::string broken = wrapped(line, 4, width, at);
        RC_ASSERT(widest(broken) <= width);
        std::erase_if(broken, [](char c) { return c == ' ' || c == '\n'; });
        RC_ASSERT(broken == words);
    }
}

// ---- tables ---------------------------------------------------------------------------------------------------------

TEST(Table, LinesUpItsColumns) {
    Table table({{"name"}, {"n", right}, {"end"}});
    table.row({{"a"}, {"1"}, {"x"}});
    table.row({{"b\xc3\xb6"}, {"12345"}});
    table.row({{""}, {""}, {"y"}});
    table.row({{"\xc3\xa9"}, {"1"}, {""}});
    EXPECT_EQ(table.text(uncoloured),
              "name       n   end\n"
              "a          1   x\n"
              "b\xc3\xb6     12345\n"
              "               y\n"
              "\xc3\xa9          1\n");
}

/// 38 columns wide.
Table comparison() {
    Table table({{"algorithm"}, {"rounds", right}, {"work", right}, {"verdict"}});
    table.row({{"sbt"}, {"3"}, {"7"}, {"all kept"}});
    table.row({{"rda"}, {"4"}, {"7"}, {"all kept"}});
    table.row({{"(bound)"}, {"3"}, {"7"}});
    return table;
}

TEST(Table, KeepsConstantColumnsWhereThereIsRoom) {
    EXPECT_EQ(comparison().text(uncoloured, 36),
              "algorithm   rounds   work   verdict\n"
              "sbt              3      7   all kept\n"
              "rda              4      7   all kept\n"
              "(bound)          3      7\n");
}

TEST(Table, TellsConstantColumnsOnceWhereThereIsNone) {
    EXPECT_EQ(comparison().text(uncoloured, 35),
              "all rows: verdict all kept\n"
              "algorithm   rounds   work\n"
              "sbt              3      7\n"
              "rda              4      7\n"
              "(bound)          3      7\n")
        << "the widest alone, for that is enough";
    EXPECT_EQ(comparison().text(uncoloured, 24),
              "all rows: work 7;\n"
              "      verdict all kept\n"
              "algorithm   rounds\n"
              "sbt              3\n"
              "rda              4\n"
              "(bound)          3\n");
}

TEST(Table, KeepsATimeThatIsTheSameByChance) {
    Table table({{"algorithm"}, {"rounds", right}, {"ns", right, false, true}});
    table.row({{"sbt"}, {"3"}, {"1234"}});
    table.row({{"rda"}, {"3"}, {"1234"}});
    EXPECT_THAT(table.text(uncoloured, 24), StartsWith("all rows: rounds 3\nalgorithm     ns\n"));
}

TEST(Table, OfOneRowHasNoConstantColumns) {
    Table table({{"name"}, {"text"}});
    table.row({{"a"}, {"some words that are many"}});
    EXPECT_EQ(table.text(uncoloured, 20),
              "name  text\n"
              "a     some words\n"
              "      that are many\n");
}

TEST(Table, TellsAConstantColumnTogetherWithThoseJoinedToIt) {
    Table table({{"machine"}, {"rounds", right}, {"bound", right, true}, {"work", right}, {"bound", right, true}});
    table.row({{"a"}, {"1"}, {"1"}, {"5"}, {"4"}});
    table.row({{"b"}, {"1"}, {"1"}, {"6"}, {"4"}});
    EXPECT_THAT(table.text(uncoloured, 30), StartsWith("all rows: rounds 1 (bound 1)\nmachine   work   bound\n"));
}

TEST(Table, BreaksTextsAndNoNumbers) {
    Table table({{"fault"}, {"count", right}, {"about"}, {"needs"}});
    table.row({{"drop"}, {"18446744073709551615"}, {"a message is lost on its way"}, {""}});
    table.row({{"jump"}, {"1"}, {"a message crosses two links"}, {"3 nodes"}});
    EXPECT_EQ(table.text(uncoloured, 60),
              "fault                 count  about                   needs\n"
              "drop   18446744073709551615  a message is lost on\n"
              "                             its way\n"
              "jump                      1  a message crosses two   3 nodes\n"
              "                             links\n");
}

TEST(Table, PutsTextsBelowTheirRowsWhereThatSavesAFifthOfTheLines) {
    Table table({{"name"}, {"machine"}, {"rule"}});
    table.row({{"sbt"}, {"hypercube, any number of ports"}, {"forward along the higher dimensions alone"}});
    table.row({{"rda"}, {"complete graph, any number of ports"}, {""}});
    table.row({{"bfs"}, {"any graph, any number of ports"}, {""}});
    EXPECT_EQ(table.text(uncoloured, 41),
              "name  machine\n"
              "    rule\n"
              "sbt   hypercube, any number of ports\n"
              "    forward along the higher dimensions\n"
              "      alone\n"
              "rda   complete graph, any number of ports\n"
              "bfs   any graph, any number of ports\n");
}

TEST(Table, KeepsTextsInTheirColumnsWhereLinesBelowWouldSaveLess) {
    Table table({{"name"}, {"machine"}, {"rule"}});
    table.row({{"sbt"}, {"hypercube, any number of ports"}, {"forward along the higher dimensions alone"}});
    table.row({{"rda"}, {"complete graph, any number of ports"}, {"halve"}});
    EXPECT_EQ(table.text(uncoloured, 44),
              "name  machine             rule\n"
              "sbt   hypercube, any      forward along the\n"
              "      number of ports     higher dimensions\n"
              "                          alone\n"
              "rda   complete graph,     halve\n"
              "      any number of\n"
              "      ports\n");
}

TEST(Table, IsCutIntoSeveralWithTheSameKeysWhereNumbersDoNotFit) {
    Table table(
        {{"machine"}, {"k"}, {"rounds", right}, {"bound", right, true}, {"work", right}, {"bound", right, true}}, 2);
    table.row({{"mesh:3x3"}, {"1"}, {"4"}, {"3"}, {"8"}, {"7"}});
    table.row({{"mesh:4x4"}, {"2"}, {"6"}, {"5"}, {"15"}, {"14"}});
    EXPECT_EQ(table.text(uncoloured, 35),
              "machine   k  rounds  bound\n"
              "mesh:3x3  1       4      3\n"
              "mesh:4x4  2       6      5\n"
              "\n"
              "machine   k  work  bound\n"
              "mesh:3x3  1     8      7\n"
              "mesh:4x4  2    15     14\n");
}

TEST(Table, PaintsEachLineOfACell) {
    Table table({{"name"}, {"status"}});
    table.row({{"a"}, {"above the bound", Tone::bad}});
    table.row({{"b"}, {"optimal", Tone::good}});
    EXPECT_EQ(table.text(Paint(true), 17),
              "name  status\n"
              "a     \033[31mabove the\033[0m\n"
              "      \033[31mbound\033[0m\n"
              "b     \033[32moptimal\033[0m\n");
}

RC_GTEST_PROP(Table, FitsAndLosesNoCell, ()) {
    const std::size_t width = *rc::gen::inRange<std::size_t>(40, 120);
    const auto columns = *rc::gen::inRange<std::size_t>(1, 9);
    std::vector<Table::Column> headings;
    for (std::size_t i = 0; i < columns; ++i)
        headings.push_back({"h" + std::to_string(i), *rc::gen::arbitrary<bool>() ? left : right});
    headings[0].align = left;
    Table table(headings);
    std::vector<std::string> cells;
    const auto rows = *rc::gen::inRange<std::size_t>(1, 5);
    for (std::size_t row = 0; row < rows; ++row) {
        std::vector<Cell> line;
        for (std::size_t i = 0; i < columns; ++i) {
            cells.push_back("c" + std::to_string(row) + "." + std::to_string(i));
            std::string text = cells.back();
            if (i > 0 && headings[i].align == left)
                for (std::size_t more = *rc::gen::inRange<std::size_t>(0, 9); more > 0; --more) text += " word";
            line.push_back({text});
        }
        table.row(line);
    }
    const std::string text = table.text(uncoloured, width);
    RC_ASSERT(widest(text) <= width);
    for (const std::string& cell : cells) RC_ASSERT(text.find(cell) != std::string::npos);
}

// ---- the report -----------------------------------------------------------------------------------------------------

TEST(TextReport, FitsEightyColumnsWhateverItTells) {
    for (Report report : {synthetic_report(), broken_report(128), deadlocked_report()}) {
        report.per_round = true;
        report.reduction = Reduction{};
        report.results.assign(8, "18446744073709551615");
        report.chosen =
            "smallest predicted latency of 17 algorithms: 12345.678 (derived); next best: farthest-first, 12345.678 or "
            "more";
        report.bounds[Quantity::rounds].caveat = "not known to be reachable";
        report.bounds[Quantity::rounds].caveat_why =
            "nobody has tried, though many wanted to for a long time, and some of them did";
        report.engine = EngineKind::free;
        report.needs_rounds = NeedsRounds::starts;
        report.prediction = Prediction{0.0005,
                                       0.0007,
                                       12,
                                       "4 rounds, 256 bytes, 1000000 messages",
                                       "ts = 1 ns, td = 12 ns, tm = 0.123 ns",
                                       "a file with a name, of today",
                                       "a caveat"};
        report.machine.combining = false;
        report.machine.policy = Policy::strict;
        report.machine.pairwise = true;
        EXPECT_LE(widest(text_report(report, uncoloured)), 80U) << text_report(report, uncoloured);
        EXPECT_LE(widest(text_report(report, uncoloured, 60)), 60U) << text_report(report, uncoloured, 60);
        EXPECT_GT(widest(text_report(report, uncoloured, 200)), 100U);
    }
}

TEST(TextReport, BreaksNoCommandThatIsThereToBeCopied) {
    Report report = synthetic_report();
    report.again =
        "kport run broadcast --on mesh:3x5 --ports 1 --algorithm rda-product --switching wh --policy strict --ts 3";
    EXPECT_THAT(text_report(report, uncoloured), HasSubstr("\nagain   " + report.again + "\n"));
}

}  // namespace
}  // namespace kport::test
