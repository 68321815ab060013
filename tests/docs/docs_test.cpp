// Tests of the documents: every example is run, every link has a target, every name exists in the program.
//
// KPORT_DOCS=update writes an example's present output into its page where it differs (times and memory aside);
// KPORT_DOCS=rewrite writes all output, with the present times. `./dev docs` does the first.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/choice.hpp"
#include "app/search/least_cost.hpp"
#include "app/search/searched.hpp"
#include "emulator/engine/world.hpp"
#include "emulator/topology/family.hpp"
#include "tests/docs/document.hpp"
#include "tests/docs/session.hpp"

namespace kport::docs {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

const fs::path source_root = KPORT_SOURCE_DIR;
const fs::path build_root = KPORT_BINARY_DIR;

std::string read(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// ---- the tools --------------------------------------------------------------------------------------------------------

TEST(Markdown, IsReadInItsParts) {
    const Document page =
        parse("p.md",
              "# One `two`\n[a](b.md) and [c](d.md#e)\n\n```console\n$ kport\n# no [x](heading)\n```\n"
              "| name | rule |\n| --- | --- |\n| a | b \\| c |\n\n## 3.2 Three\n");
    ASSERT_EQ(page.fences.size(), 1U);
    EXPECT_EQ(page.fences[0].language, "console");
    EXPECT_EQ(page.fences[0].line, 5U);
    EXPECT_EQ(page.fences[0].text, "$ kport\n# no [x](heading)\n");
    EXPECT_EQ(page.text.substr(page.fences[0].begin, 7), "$ kport");
    ASSERT_EQ(page.headings.size(), 2U);
    EXPECT_EQ(page.headings[1].level, 2);
    EXPECT_EQ(anchor_of(page.headings[1].text), "32-three");
    EXPECT_EQ(anchor_of(page.headings[0].text), "one-two");
    ASSERT_EQ(page.links.size(), 2U);
    EXPECT_EQ(page.links[1].target, "d.md#e");
    EXPECT_THAT(page.rows, ElementsAre(ElementsAre("a", "b | c")));
}

TEST(Markdown, RefusesAnOpenFence) { EXPECT_THROW((void)parse("p.md", "```sh\nls\n"), std::runtime_error); }

TEST(Examples, AreCommandsWithWhatTheyPrint) {
    const std::string block = "$ echo one \\\n    two\none two\n\n$ true\n$ echo three\nthree\n";
    const std::vector<Exchange> exchanges = exchanges_of(block);
    ASSERT_EQ(exchanges.size(), 3U);
    EXPECT_EQ(exchanges[0].command, "echo one \\\n    two");
    EXPECT_EQ(exchanges[0].output, "one two\n\n");
    EXPECT_EQ(exchanges[1].output, "");
    EXPECT_EQ(block_of(exchanges), block);
    EXPECT_THROW((void)exchanges_of("three\n"), std::runtime_error);
}

TEST(Examples, RunInOneShellWithErrorsAndStatus) {
    const std::vector<Exchange> told =
        Session(build_root)
            .run(exchanges_of("$ n=3; echo out; echo err >&2; (exit 4)\n$ echo $n $?\n$ ./dev test\nkept\n"));
    EXPECT_EQ(told[0].output, "out\nerr\n");
    EXPECT_EQ(told[1].output, "3 4\n");
    EXPECT_EQ(told[2].output, "kept\n");
}

TEST(Examples, ShowNoProgressWhichComesOnABusyComputer) {
    const std::vector<Exchange> told =
        Session(build_root).run({{"printf 'kport: 12 s: round 3\\nkport: 12 is no machine\\n' >&2", ""}});
    EXPECT_EQ(told.front().output, "kport: 12 is no machine\n");
}

TEST(Examples, AreComparedWithoutMachineDependentParts) {
    const auto same = [](const char* a, const char* b) { return comparable(a) == comparable(b); };
    EXPECT_TRUE(same("chip    1 message in 0.06 ms on 2 threads, 2,468 ns a message\n",
                     "chip    1 message in 1.25 s on 1 thread, 9.5 ns a message\n"));
    EXPECT_FALSE(same("chip    1 message in 1 s on 1 thread\n", "chip    2 messages in 1 s on 1 thread\n"));
    EXPECT_TRUE(same("\"threads\": 2,\n\"wall_seconds\": 5.6e-05,\n", "\"threads\": 16,\n\"wall_seconds\": 1.5,\n"));
    EXPECT_FALSE(same("\"rounds\": 2,\n", "\"rounds\": 3,\n"));
    EXPECT_TRUE(
        same("needs about 13568.0 GiB, 21.6 GiB are available", "needs about 13568.1 GiB, 0.5 GiB are available"));
    const char* table =
        "algorithm   rounds   ns a message   verdict\nsbt             {}           {}   kept\n\nsbt {}\n";
    const auto row = [&](int rounds, int time, int after) {
        return comparable(fmt::format(fmt::runtime(table), rounds, time, after));
    };
    EXPECT_EQ(row(5, 1234, 7), row(5, 4321, 7));
    EXPECT_NE(row(5, 1234, 7), row(6, 1234, 7));
    EXPECT_NE(row(5, 1234, 7), row(5, 1234, 8));
}

// ---- every page -------------------------------------------------------------------------------------------------------

std::vector<std::string> with_bench() {
    std::vector<std::string> names = pages(source_root);
    if (fs::exists(source_root / "bench/README.md")) names.emplace_back("bench/README.md");
    return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& page) {
    std::string name = page.param.substr(0, page.param.rfind('.'));
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
}

class EveryPage : public testing::TestWithParam<std::string> {
  protected:
    Document page = read_document(source_root, GetParam());

    [[nodiscard]] std::string place(const Fence& fence) const { return fmt::format("{}:{}", page.name, fence.line); }
};

INSTANTIATE_TEST_SUITE_P(Docs, EveryPage, testing::ValuesIn(pages(source_root)), test_name);

/// The exchange that the page should show: the old one where nothing but times differs.
Exchange renewed(const Exchange& shown, const Exchange& told, bool rewrite, bool last) {
    if (!rewrite && comparable(shown.output) == comparable(told.output)) return shown;
    std::string output;
    std::ptrdiff_t lines = 0;
    std::istringstream in(told.output);
    for (std::string line; std::getline(in, line); ++lines) output += line.erase(line.find_last_not_of(' ') + 1) + "\n";
    output.erase(output.find_last_not_of('\n') + 1);
    if (!output.empty()) output += "\n";
    if (lines > 2 && !last) output += "\n";  // a blank line before the next command
    return {shown.command, output};
}

TEST_P(EveryPage, ShowsWhatItsExamplesPrint) {
    const char* asked = std::getenv("KPORT_DOCS");
    const std::string mode = asked == nullptr ? "" : asked;
    ASSERT_TRUE(mode.empty() || mode == "update" || mode == "rewrite") << "KPORT_DOCS is 'update' or 'rewrite'";
    const Session session(build_root);
    std::string text = page.text;
    std::vector<std::vector<Exchange>> printed;  // as a reader meets them: a block may use what one before it wrote
    for (const Fence& fence : page.fences)
        if (fence.language == "console") printed.push_back(session.run(exchanges_of(fence.text)));
    for (auto fence = page.fences.rbegin(); fence != page.fences.rend(); ++fence) {
        if (fence->language != "console") continue;
        const std::vector<Exchange> shown = exchanges_of(fence->text);
        std::vector<Exchange> told = std::move(printed.back());
        printed.pop_back();
        for (std::size_t i = 0; i < shown.size(); ++i) {
            if (mode.empty()) {
                EXPECT_EQ(comparable(shown[i].output), comparable(told[i].output))
                    << place(*fence) << ": $ " << shown[i].command << "\n`./dev docs` writes what is printed now.";
            }
            told[i] = renewed(shown[i], told[i], mode == "rewrite", i + 1 == shown.size());
        }
        text.replace(fence->begin, fence->text.size(), block_of(told));
    }
    if (!mode.empty() && text != page.text) std::ofstream(page.path, std::ios::binary) << text;
}

/// Below an image or a page of the gallery that kport draws stands the command that draws it, between backquotes: to the standard output, or to the file of
/// --plot.
struct Figure {
    fs::path file;
    std::string command;

    [[nodiscard]] std::string drawn_in(const Session& session) const {
        const std::string output = session.run({{command, ""}}).front().output;
        const std::size_t plot = command.find("--plot ");
        return plot == std::string::npos ? output : read(session.folder() / command.substr(plot + 7));
    }
};

std::vector<Figure> figures_of(const Document& page) {
    static const std::regex figure(
        R"(\[[^\]]*\]\(([^)]*(?:pictures/[^)]*\.svg|gallery/[^)]*\.html))\)\s*\n\s*`(kport (?:show|compare|explain) [^`]*)`)");
    std::vector<Figure> all;
    for (std::sregex_iterator it(page.text.begin(), page.text.end(), figure), end; it != end; ++it)
        all.push_back({page.path.parent_path() / (*it)[1].str(), (*it)[2]});
    return all;
}

TEST_P(EveryPage, ShowsThePicturesThatItsCommandsDraw) {
    const Session session(build_root);
    static const std::regex image(R"(!\[[^\]]*\]\([^)]*pictures/[^)]*\.svg\)|\[[^\]]*\]\([^)]*gallery/[^)]*\.html\))");
    const std::ptrdiff_t images = std::distance(std::sregex_iterator(page.text.begin(), page.text.end(), image), {});
    EXPECT_EQ(std::ssize(figures_of(page)), images) << page.name << ": below each picture stands its command";
    for (const Figure& figure : figures_of(page)) {
        const std::string drawn = figure.drawn_in(session);
        ASSERT_TRUE(drawn.starts_with("<svg") || drawn.starts_with("<!DOCTYPE html>"))
            << figure.command << ": " << drawn.substr(0, 200);
        if (std::getenv("KPORT_DOCS") != nullptr) {
            if (read(figure.file) != drawn) std::ofstream(figure.file, std::ios::binary) << drawn;
            continue;
        }
        EXPECT_TRUE(read(figure.file) == drawn)
            << figure.file << " is not what `" << figure.command << "` draws; `./dev docs` writes it";
    }
}

TEST_P(EveryPage, NamesTheLanguageOfItsBlocks) {
    const std::set<std::string> known = {"console", "sh", "cpp", "cmake", "json", "text", "python"};
    for (const Fence& fence : page.fences) {
        EXPECT_TRUE(known.contains(fence.language)) << place(fence) << ": '" << fence.language << "'";
        const bool looks_run = fence.text.starts_with("$ ");
        EXPECT_EQ(fence.language == "console", looks_run) << place(fence) << ": what is run is a console block";
    }
}

/// Every word after ./dev that is shown must be one of its commands.
TEST_P(EveryPage, CallsTheScriptByItsCommands) {
    const std::string script = read(source_root / "dev");
    static const std::regex call(R"(\./dev ([a-z]+))");
    for (std::sregex_iterator it(page.text.begin(), page.text.end(), call), end; it != end; ++it) {
        const std::string word = (*it)[1];
        EXPECT_TRUE(word == "help" || script.find("\n  " + word + " ") != std::string::npos)
            << page.name << ": ./dev " << word;
    }
}

/// All C++ of the project. A C++ block of a page must be a literal part of it: so it is compiled and, in examples/, run.
const std::vector<std::string>& sources() {
    static const std::vector<std::string> texts = [] {
        std::vector<std::string> all;
        for (const char* folder : {"emulator", "algorithms", "examples"})
            for (const auto& entry : fs::recursive_directory_iterator(source_root / folder))
                if (entry.path().extension() == ".cpp" || entry.path().extension() == ".hpp")
                    all.push_back(read(entry.path()));
        return all;
    }();
    return texts;
}

TEST_P(EveryPage, QuotesItsCodeFromFilesThatAreCompiled) {
    for (const Fence& fence : page.fences) {
        if (fence.language != "cpp") continue;
        const bool quoted = std::any_of(sources().begin(), sources().end(), [&](const std::string& source) {
            return source.find(fence.text) != std::string::npos;
        });
        EXPECT_TRUE(quoted) << place(fence) << ": no file below emulator, algorithms or examples holds these lines";
    }
}

class EveryLink : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Docs, EveryLink, testing::ValuesIn(with_bench()), test_name);

TEST_P(EveryLink, LeadsSomewhere) {
    const Document page = read_document(source_root, GetParam());
    for (const Link& link : page.links) {
        if (link.target.find("://") != std::string::npos) continue;
        const std::size_t sharp = std::min(link.target.find('#'), link.target.size());
        const std::string file = link.target.substr(0, sharp);
        const fs::path target = file.empty() ? page.path : page.path.parent_path() / file;
        ASSERT_TRUE(fs::exists(target)) << page.name << ":" << link.line << ": " << link.target;
        if (sharp == link.target.size()) continue;
        std::vector<std::string> anchors;
        for (const Heading& heading : parse(link.target, read(target)).headings)
            anchors.push_back(anchor_of(heading.text));
        EXPECT_THAT(anchors, testing::Contains(link.target.substr(sharp + 1))) << page.name << ":" << link.line;
    }
}

// ---- single pages -----------------------------------------------------------------------------------------------------

/// A source with links to the sections of docs/model.md that it names: "model sections 4.1 to 4.3".
std::string linked(std::string_view source) {
    static const std::map<std::string, std::string> anchors = [] {
        std::map<std::string, std::string> by_number;
        for (const Heading& heading : read_document(source_root, "docs/model.md").headings)
            by_number[heading.text.substr(0, heading.text.find(' '))] = anchor_of(heading.text);
        return by_number;
    }();
    static const std::regex cited(R"((model sections? )(\d+(?:\.\d+)?)(?:( to |, | and )(\d+\.\d+))?)");
    const std::string text(source);
    std::smatch found;
    if (!std::regex_search(text, found, cited)) return text;
    const auto link = [](const std::string& number) {
        const auto section = anchors.find(number);
        return section == anchors.end() ? number : fmt::format("[{}](model.md#{})", number, section->second);
    };
    std::string linked = found.prefix().str() + found[1].str() + link(found[2]);
    if (found[4].matched) linked += found[3].str() + link(found[4]);
    return linked + found.suffix().str();
}

/// A row of the table of algorithms. What it says of itself comes from the catalogue.
std::string row_in_table(const Algorithm& algorithm) {
    std::string rule = algorithm.rule;
    if (algorithm.way == Way::reversed)  // which rule that is stands in the forward operation's row
        rule = fmt::format("{} `{}`, reversed in time", name(algorithm.forward), algorithm.name);
    if (!algorithm.in_order.where.empty()) rule += fmt::format("; *in order* {}", algorithm.in_order.where);
    if (!algorithm.by_default) rule += "; *by name alone*";
    return fmt::format("| `{}` | {} ({}) | {} | {} |\n", algorithm.name, rule, linked(algorithm.source),
                       algorithm.needs, algorithm.cost);
}

/// Returns a section for each operation, with a table of its algorithms.
std::string tables_of_the_catalogue() {
    std::string tables;
    std::string_view operation;
    for (const Algorithm& algorithm : catalogue()) {
        if (name(algorithm.operation) != operation) {
            operation = name(algorithm.operation);
            tables +=
                fmt::format("{}## {}\n\n| algorithm | rule (source) | machine | cost |\n| --- | --- | --- | --- |\n",
                            tables.empty() ? "" : "\n", operation);
        }
        tables += row_in_table(algorithm);
    }
    return tables + "\n";
}

/// `./dev docs` writes the tables into the page.
TEST(AlgorithmsPage, HasTheTablesOfTheCatalogue) {
    search::know_exact();  // as the program does
    search::know_searched();
    const std::string tables = tables_of_the_catalogue();
    Document page = read_document(source_root, "docs/algorithms.md");
    const std::size_t begin = page.text.find("## broadcast\n");
    const std::size_t end = page.text.find("## The choice of a run\n");
    ASSERT_LT(begin, end);
    ASSERT_NE(end, std::string::npos);
    if (std::getenv("KPORT_DOCS") != nullptr) {
        if (page.text.substr(begin, end - begin) == tables) return;
        std::ofstream(page.path, std::ios::binary) << page.text.replace(begin, end - begin, tables);
        return;
    }
    EXPECT_EQ(page.text.substr(begin, end - begin), tables) << "`./dev docs` writes what the catalogue says now";
}

TEST(ReportPage, ExplainsTheWordsBesideItsNumbers) {
    Candidate candidate;
    std::vector<std::string> rows = {"| +x (p%), not known to be reachable |", "`reached`"};
    candidate.least = 1.5;
    rows.push_back(Choice::told(candidate));
    for (const Grounds grounds : {Grounds::derived, Grounds::rehearsed, Grounds::at_most}) {
        candidate.predicted = PredictedCost{1.5, 1, grounds};
        rows.push_back(Choice::told(candidate));
    }
    const std::string report = read_document(source_root, "docs/report.md").text;
    const std::string algorithms = read_document(source_root, "docs/algorithms.md").text;
    for (std::string& row : rows) {
        const std::size_t latency = row.find("1.5");
        if (latency != std::string::npos) row = fmt::format("| {} |", row.replace(latency, 3, "x"));
        EXPECT_NE(report.find(row), std::string::npos) << row;
        EXPECT_TRUE(latency == std::string::npos || algorithms.find(row) != std::string::npos) << row;
    }
}

TEST(AlgorithmsPage, LinksTheSectionsThatASourceNames) {
    EXPECT_EQ(linked("Kumar et al. ch. 4.3; model section 6 (ii)"),
              "Kumar et al. ch. 4.3; model section [6](model.md#6-reductions) (ii)");
    EXPECT_EQ(linked("model section 10, item 1 (i)"),
              "model section [10](model.md#10-beyond-the-textbook), item 1 (i)");
    EXPECT_EQ(
        linked("model sections 5.2, 5.3"),
        "model sections [5.2](model.md#52-keep-the-smaller-or-the-greater-part), [5.3](model.md#53-meshes-and-tori)");
    EXPECT_EQ(linked("Slater, Cockayne, Hedetniemi 1981"), "Slater, Cockayne, Hedetniemi 1981");
}

TEST(TopologiesPage, HasARowForEachFamily) {
    std::multiset<std::string> rows;
    for (const Cells& cells : read_document(source_root, "docs/topologies.md").rows)
        if (cells.front().starts_with('`') && cells.front() != "`file:PATH`") rows.insert(cells.front());
    std::multiset<std::string> families;  // those that are no files
    for (const TopologyFamily& family : topology_families()) families.insert(fmt::format("`{}`", family.form));
    EXPECT_EQ(rows, families);
}

/// Comments and reports cite sections of docs/model.md.
TEST(ModelPage, HasEverySectionThatIsCited) {
    std::set<std::string> sections;
    for (const Heading& heading : read_document(source_root, "docs/model.md").headings)
        sections.insert(heading.text.substr(0, heading.text.find(' ')));
    static const std::regex cited(R"([Mm]odel(\.md)?,? sections? (\d+(\.\d+)?)(( and | to |, )(\d+(\.\d+)?))?)");
    std::vector<std::string> missing;
    for (const char* folder : {"emulator", "algorithms", "app", "bindings", "tests", "examples", "docs"})
        for (const auto& entry : fs::recursive_directory_iterator(source_root / folder)) {
            if (!entry.is_regular_file() || entry.path().extension() == ".csv") continue;
            const std::string text = read(entry.path());
            for (std::sregex_iterator it(text.begin(), text.end(), cited), end; it != end; ++it)
                for (const std::size_t group : {std::size_t{2}, std::size_t{6}})
                    if ((*it)[group].matched && !sections.contains((*it)[group]))
                        missing.push_back(fmt::format("{}: {}", entry.path().lexically_relative(source_root).string(),
                                                      (*it)[0].str()));
        }
    EXPECT_THAT(missing, IsEmpty());
}

/// What a program says of a section must lead somewhere: to docs/model.md, or to a book that it names by its author.
TEST(ModelPage, IsWhatEveryTextOfTheProgramMeansBySections) {
    static const std::regex cited(R"re("[^"\n]*?([^ "\n]+) sections? \d[^"\n]*")re");
    std::vector<std::string> lost;
    for (const char* folder : {"emulator", "algorithms", "app"})
        for (const auto& entry : fs::recursive_directory_iterator(source_root / folder)) {
            if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
            const std::string text = read(entry.path());
            for (std::sregex_iterator it(text.begin(), text.end(), cited), end; it != end; ++it)
                if (const std::string work = (*it)[1]; work != "model" && work.back() != ',' &&
                                                       std::isupper(static_cast<unsigned char>(work.front())) == 0)
                    lost.push_back(
                        fmt::format("{}: {}", entry.path().lexically_relative(source_root).string(), (*it)[0].str()));
        }
    EXPECT_THAT(lost, IsEmpty());
    EXPECT_TRUE(std::regex_search(std::string(R"(.source = "long-messages section 4.1")"), cited));
}

/// The table of rooms: folder, arrows as CMake has them.
TEST(ArchitecturePage, ShowsTheRoomsAndTheirArrows) {
    std::map<std::string, std::string> shown;
    for (const Cells& cells : read_document(source_root, "docs/architecture.md").rows)
        if (cells.size() == 4) shown[cells[0]] = cells[1];
    std::map<std::string, std::string> built;
    static const std::regex room(R"(kport_room\(([^)]*)\))");
    static const std::regex depends(R"(DEPENDS ([a-z ]+))");
    for (const char* top : {"emulator", "algorithms", "app", "bindings"})
        for (const auto& entry : fs::recursive_directory_iterator(source_root / top)) {
            if (entry.path().filename() != "CMakeLists.txt") continue;
            const std::string text = read(entry.path());
            std::smatch call;
            if (!std::regex_search(text, call, room)) continue;
            const std::string body = call[1];
            std::smatch list;
            const bool some = std::regex_search(body, list, depends);
            const std::string folder = entry.path().parent_path().lexically_relative(source_root).generic_string();
            built["`" + folder + "`"] = some ? list[1].str() : "";
        }
    EXPECT_EQ(shown, built);
}

/// The table of what a node costs.
TEST(ArchitecturePage, ListsTheMemoryOfANode) {
    EXPECT_EQ(sizeof(Slot), 8U);
    EXPECT_EQ(sizeof(Claims), 8U);
    EXPECT_EQ(Auditor::bytes_per_node, 32U);
    EXPECT_EQ(World::bytes_per_node, 48U);
}

TEST(CoursePage, AnswersItsQuestionsInOrder) {
    std::vector<int> numbers;
    for (const Heading& heading : read_document(source_root, "docs/course.md").headings)
        if (heading.level == 3) numbers.push_back(std::atoi(heading.text.c_str()));
    ASSERT_FALSE(numbers.empty());
    for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], static_cast<int>(i) + 1);
}

/// The map of the README names every folder at the top that git knows, and nothing that is not there.
TEST(FrontPage, MapsTheRepository) {
    std::set<std::string> mapped;
    for (const Cells& cells : read_document(source_root, "README.md").rows) {
        static const std::regex folder(R"(\[?`([a-z.]+)/`.*)");
        std::smatch match;
        if (!cells.empty() && std::regex_match(cells[0], match, folder)) mapped.insert(match[1]);
    }
    std::set<std::string> there;
    for (const auto& entry : fs::directory_iterator(source_root)) {
        const std::string name = entry.path().filename().string();
        if (entry.is_directory() && (name == ".ci" || name.front() != '.') && !name.starts_with("build"))
            there.insert(name);
    }
    EXPECT_EQ(mapped, there);
}

/// The README lists the packages that ./dev installs for a build.
TEST(FrontPage, InstallsThePackagesThatTheBuildNeeds) {
    const std::string script = read(source_root / "dev");
    std::smatch list;
    ASSERT_TRUE(std::regex_search(script, list, std::regex(R"(packages_build=\(([^)]*)\))")));
    std::smatch shown;
    const std::string text = read(source_root / "README.md");
    ASSERT_TRUE(std::regex_search(text, shown, std::regex(R"(apt-get install ([^\n\\]*(\\\n[^\n\\]*)*))")));
    const auto words = [](std::string line) {
        std::replace(line.begin(), line.end(), '\\', ' ');
        std::istringstream in(line);
        return std::multiset<std::string>{std::istream_iterator<std::string>(in), {}};
    };
    EXPECT_EQ(words(shown[1]), words(list[1]));
}

/// CMake accepts the project that docs/library.md shows, with an example as its program and kport installed beside it.
TEST(PageOfTheLibrary, ShowsAProjectThatConfigures) {
    const Document page = read_document(source_root, "docs/library.md");
    const auto fence = std::find_if(page.fences.begin(), page.fences.end(),
                                    [](const Fence& candidate) { return candidate.language == "cmake"; });
    ASSERT_NE(fence, page.fences.end());
    const Session session(build_root);
    std::ofstream(session.folder() / "CMakeLists.txt") << fence->text;
    fs::copy_file(source_root / "examples/broadcast_by_hand.cpp", session.folder() / "mine.cpp");
    const std::string command = fmt::format(
        "({0} --install {1} --prefix kport && {0} -G Ninja -DCMAKE_CXX_COMPILER={2} -DCMAKE_PREFIX_PATH=$PWD/kport -S "
        ". -B mine) "
        ">log 2>&1 || cat log",
        KPORT_CMAKE, build_root.string(), KPORT_CXX);
    EXPECT_EQ(session.run({{command, ""}}).front().output, "");
}

}  // namespace
}  // namespace kport::docs
