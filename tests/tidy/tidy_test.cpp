// House rules checked by machine: first each checker on a planted fault, then all of them on the tree.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/cli/awaits_alone.hpp"
#include "tests/tidy/house_rules.hpp"

namespace kport::tidy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// ---- co_await stands alone ----------------------------------------------------------------------------------------

class Lawful : public testing::TestWithParam<const char*> {};
class Unlawful : public testing::TestWithParam<const char*> {};

std::string in_a_program(const std::string& statements) { return "Program p(Node& self) {\n" + statements + "\n}\n"; }

TEST_P(Lawful, AwaitStandsAlone) { EXPECT_THAT(cli::awaits_not_alone("p.cpp", in_a_program(GetParam())), IsEmpty()); }

INSTANTIATE_TEST_SUITE_P(
    Awaits, Lawful,
    testing::Values("co_await self.send(port, packet);",  //
                    "const Arrival arrival = co_await self.receive();", "arrival = co_await self.receive(port);",
                    "sum += co_await child(self);", "auto [a, b] = co_await child(self);",
                    "for (int d = 0; d < n; ++d) co_await self.send(d, packet);",
                    "for (const Port p : ports(self.id(), 3))\n    co_await self.send(p, packet);",
                    "if (self.id() == 0) co_await self.send(0, packet); else co_await self.receive();",
                    "while (rounds-- > 0) { co_await self.next_round(); }",
                    "do { co_await self.next_round(); } while (more);",
                    "switch (k) { case 1: co_await self.next_round(); }", "co_return co_await child(self);",
                    "// if (co_await child(self))", "const char* text = \"while (co_await\";",
                    "co_await self.send_along(to, route(self.id(), to), packet);",
                    "try { co_await child(self); } catch (...) {}", "if (a && (b ? c : d)) co_await child(self);",
                    "co_await std::suspend_always{};",
                    "const auto f = [&](Node& other) -> Program { co_await other.next_round(); };",
                    "Call operator co_await() &&;"));

TEST_P(Unlawful, AwaitIsFound) {
    EXPECT_THAT(cli::awaits_not_alone("p.cpp", in_a_program(GetParam())), ElementsAre(HasSubstr("p.cpp:2: co_await ")));
}

INSTANTIATE_TEST_SUITE_P(
    Awaits, Unlawful,
    testing::Values("if (co_await child(self)) return;", "while (!co_await child(self)) {}",
                    "switch (co_await child(self)) {}", "for (auto& w : (co_await child(self)).words) use(w);",
                    "v.push_back(co_await child(self));", "co_await self.send(0, Letter{tag, words});",
                    "co_await self.send_together({a, b});", "const Pair pair{co_await child(self)};",
                    "x = ready ? co_await child(self) : 0;", "x = co_await child(self) ? 1 : 0;",
                    "co_await visit(self, [word](int) { return word; });", "ready && co_await child(self);",
                    "x = 1 + co_await child(self);", "x = -co_await child(self);", "table[co_await child(self)] = 1;"));

TEST(AwaitsAlone, CountsEachPlaceOnce) {
    EXPECT_THAT(cli::awaits_not_alone("p.cpp", "Program p() {\n  x = co_await a() + co_await b();\n}"),
                testing::SizeIs(2));
}

// ---- arrows ---------------------------------------------------------------------------------------------------------

Plan three_rooms() {
    Plan plan;
    plan.add("house/cellar", Room{"cellar", {}, {}});
    plan.add("house/hall", Room{"hall", {}, {"cellar"}});
    plan.add("house/attic", Room{"attic", {}, {"hall"}});
    return plan;
}

TEST(Arrows, LetARoomIncludeItselfAndAllBelowIt) {
    EXPECT_THAT(three_rooms().wrong_arrows("house/attic/a.cpp",
                                           "#include \"house/attic/a.hpp\"\n#include \"house/cellar/c.hpp\"\n"),
                IsEmpty());
}

TEST(Arrows, DoNotPointUp) {
    EXPECT_THAT(
        three_rooms().wrong_arrows("house/hall/detail/h.cpp", "#include <vector>\n#include \"house/attic/a.hpp\"\n"),
        ElementsAre(HasSubstr("no arrow leads from hall to attic")));
}

TEST(Arrows, AreSeenInIncludesFromTheRootOnly) {
    EXPECT_THAT(three_rooms().wrong_arrows("house/hall/h.cpp", "#include \"h.hpp\"\n"),
                ElementsAre(HasSubstr("in no room")));
}

TEST(Rooms, AreReadFromCMake) {
    const auto rooms = rooms_in(
        "# kport_room(no)\nkport_room(hall\n  SOURCES a.cpp b.cpp # c.cpp\n  DEPENDS cellar\n"
        "  LIBRARIES fmt::fmt)\n");
    ASSERT_EQ(rooms.size(), 1U);
    EXPECT_EQ(rooms[0].name, "hall");
    EXPECT_THAT(rooms[0].sources, ElementsAre("a.cpp", "b.cpp"));
    EXPECT_THAT(rooms[0].depends, ElementsAre("cellar"));
}

TEST(CodeOnly, RemovesCommentsAndLiteralsAndKeepsLines) {
    EXPECT_EQ(cli::code_only("a /* b\n c */ d // e\n\"f\\\"g\" 'h' 1'000 R\"(i\n\")\" j"),
              "a     \n      d     \n\"    \" ' ' 1'000     \n    j");
}

TEST(OptionsNamed, AreFoundInLiteralsAlone) {
    EXPECT_THAT(options_named("a.cpp", "f(\"--ports 3\");\ng(\"see --ts\", 1);  // more\nh(\"//\", \"--on\");\n"),
                testing::SizeIs(3));
    EXPECT_THAT(options_named("a.cpp", "/// \"--ports\" gives\n--i; f(\"a\");  // as \"--on\"\nx = \"-- \";\n"),
                IsEmpty());
}

TEST(QuaintWords, AreFoundInCommentsMessagesAndPages) {
    const std::string comment(3, '/');
    for (const char* phrase : {"Whoever asks", "it is nobody's", "somebody", "runs begin anew", "mostly",
                               "now and then", "what is to be sent", "they are to be sent"}) {
        EXPECT_THAT(quaint_words("a.hpp", "int a;\nint b;  " + comment + "< " + phrase + "\n"),
                    ElementsAre(HasSubstr("a.hpp:2 has a phrase")));
        EXPECT_THAT(quaint_words("a.cpp", std::string("f(\"") + phrase + "\");"), testing::SizeIs(1));
        EXPECT_THAT(quaint_words("p.md", phrase), testing::SizeIs(1));
        EXPECT_THAT(quaint_words("tests/a_test.cpp", std::string("f(\"") + phrase + "\");"), IsEmpty());
    }
    for (const char* begin :
         {"The same of a node.", "Also at the end.", "Else 0.", "Who asks is told.", "@file a.hpp   Who sends."})
        EXPECT_THAT(quaint_words("tests/a.hpp", comment + " " + begin), testing::SizeIs(1));
    EXPECT_THAT(quaint_words("a.hpp", comment + " Whether it is the same node, or else one that no_nobody() names.\n"
                                                "int nobody_asks = 0;  // the nodes who send also receive\n"),
                IsEmpty());
}

TEST(FetchingOutOfLine, IsFoundWhereAFunctionIsNotAlwaysInLine) {
    EXPECT_THAT(fetching_out_of_line("a.hpp", "void prefetch(int v) const {\nstatic void prefetch_it() {\n"),
                ElementsAre(HasSubstr("a.hpp:1 fetches"), HasSubstr("a.hpp:2 fetches")));
    EXPECT_THAT(
        fetching_out_of_line("a.hpp", "[[gnu::always_inline]] static void prefetch(int v) {\n    prefetch(1);\n"),
        IsEmpty());
}

TEST(TypesDefined, AreThoseOfANamespace) {
    EXPECT_THAT(
        types_in("namespace KPORT_PUBLIC kport {\nstruct Far;\nstruct Near {  // here\n    struct Inner {};\n};\n"
                 "inline int f() {\n}\nnamespace cli {  // words\nclass Word final : public Near {\n};\n"
                 "}  // namespace cli\nenum class Kind : int { one };\ntemplate <>\nstruct Near<int> {\n};\n"
                 "}  // namespace kport\n"),
        ElementsAre("kport::Near", "kport::cli::Word", "kport::Kind"));
}

TEST(TypesDefined, AreDefinedOnce) {
    const auto in_hall = [](const char* type) {
        return fmt::format("namespace hall {{\nclass {} {{\n}};\n}}  // namespace hall\n", type);
    };
    EXPECT_THAT(defined_twice({{"a.hpp", in_hall("Door")}, {"b.hpp", in_hall("Door")}}),
                ElementsAre(HasSubstr("b.hpp: hall::Door is defined in a.hpp too")));
    EXPECT_THAT(defined_twice({{"a.hpp", in_hall("Door")}, {"b.hpp", in_hall("Window")}}), IsEmpty());
}

TEST(FilesNamed, AreFoundInPagesAndInCommentsAlone) {
    const std::set<std::string> paths = {"hall/door.hpp", "door.hpp", "README.md"};
    EXPECT_THAT(files_not_there("p.md", "`hall/door.hpp` and [all](../README.md)\nsee attic/roof.cpp.\n", paths),
                ElementsAre("p.md:2 names attic/roof.cpp, which does not exist"));
    const std::string comment = std::string(2, '/') + " ";  // else the comments below would be those of this file
    EXPECT_THAT(files_not_there(
                    "a.cpp",
                    "f(\"attic/roof.cpp\"); " + comment + "door.hpp, ./mine.cpp\n" + comment + "(window.hpp)\n", paths),
                ElementsAre("a.cpp:2 names window.hpp, which does not exist"));
}

// ---- the tree -------------------------------------------------------------------------------------------------------

/// A line each.
std::string told(const Findings& findings) {
    std::string text;
    for (const std::string& finding : findings) text += finding + "\n";
    return text;
}

class House : public testing::Test {
  protected:
    const Tree tree{KPORT_SOURCE_DIR};
};

TEST_F(House, HasSources) { EXPECT_GT(tree.files(), 50U); }
TEST_F(House, FollowsTheArrows) { EXPECT_EQ(told(tree.wrong_arrows()), ""); }
TEST_F(House, AwaitsAlone) { EXPECT_EQ(told(tree.awaits_not_alone()), ""); }
TEST_F(House, SpeaksOfOptionsInTheCommandLineAlone) { EXPECT_EQ(told(tree.speaking_in_options()), ""); }
TEST_F(House, NamesFilesThatExist) { EXPECT_EQ(told(tree.files_not_there()), ""); }
TEST_F(House, FetchesInLine) { EXPECT_EQ(told(tree.fetching_out_of_line()), ""); }
TEST_F(House, HasNoUnreachableFile) { EXPECT_EQ(told(tree.unreachable()), ""); }
TEST_F(House, ShowsTheNamesOfItsPublicHeadersAlone) { EXPECT_EQ(told(tree.wrongly_visible()), ""); }
TEST_F(House, UsesPlainWords) { EXPECT_EQ(told(tree.quaint_words()), ""); }
TEST_F(House, DefinesATypeOnce) { EXPECT_EQ(told(tree.types_defined_twice()), ""); }
TEST_F(House, PlantsAndExplainsMutantsInLinesThatAreThere) {
    const std::string list =
        "# file @ line\n\ntests/tidy/tidy_test.cpp @ namespace kport::tidy { @ * @ why\nno.cpp @ {} @ * @ why\n"
        "tests/tidy/tidy_test.cpp @ no line @ 0 -> 1 @ why\ntests/tidy/tidy_test.cpp @ #2 namespace { @ *\n"
        "tests/tidy/tidy_test.cpp @ *\n";
    const std::string lost =
        "line 4: no.cpp has no such line\n"
        "line 5: tests/tidy/tidy_test.cpp has no such line\n";
    EXPECT_EQ(told(tree.lost_mutants(list, true)),
              lost + "line 6: want file @ line @ change @ why\nline 7: want file @ line @ change @ why\n");
    EXPECT_EQ(told(tree.lost_mutants(list, false)), lost + "line 7: want file @ line @ change\n");
    for (const auto& [name, with_reasons] : {std::pair("equivalent_mutants.txt", true), {"engine_faults.txt", false}}) {
        std::ifstream file(std::filesystem::path(KPORT_SOURCE_DIR) / "tests/mutation" / name);
        const std::string rows{std::istreambuf_iterator<char>(file), {}};
        ASSERT_FALSE(rows.empty());
        EXPECT_EQ(told(tree.lost_mutants(rows, with_reasons)), "") << name;
    }
}
TEST_F(House, GuardsItsHeaders) { EXPECT_EQ(told(tree.unguarded()), ""); }

}  // namespace
}  // namespace kport::tidy
