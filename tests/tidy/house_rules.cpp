#include "tests/tidy/house_rules.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/algorithm/string/trim.hpp>

#include "app/cli/awaits_alone.hpp"

namespace kport::tidy {
namespace {

std::string read(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::vector<std::string> project_includes(std::string_view text) {
    std::vector<std::string> includes;
    std::istringstream in{std::string(text)};
    for (std::string line; std::getline(in, line);) {
        static const std::regex include(R"re(^\s*#\s*include\s*"([^"]+)".*)re");
        std::smatch match;
        if (std::regex_match(line, match, include)) includes.push_back(match[1]);
    }
    return includes;
}

std::vector<Room> rooms_in(std::string_view cmake) {
    static const std::regex comment("#[^\n]*");
    static const std::regex call(R"(kport_room\s*\(([^)]*)\))");
    const std::string text = std::regex_replace(std::string(cmake), comment, "");
    std::vector<Room> rooms;
    for (std::sregex_iterator it(text.begin(), text.end(), call), end; it != end; ++it) {
        std::istringstream words((*it)[1]);
        Room room;
        words >> room.name;
        std::string part;
        for (std::string word; words >> word;) {
            if (word == "SOURCES" || word == "DEPENDS" || word == "LIBRARIES")
                part = word;
            else if (part == "SOURCES")
                room.sources.push_back(word);
            else if (part == "DEPENDS")
                room.depends.push_back(word);
        }
        rooms.push_back(room);
    }
    return rooms;
}

std::set<std::string> words_in(std::string_view cmake) {
    static const std::regex noise("#[^\n]*|[()\"]");
    std::istringstream words(std::regex_replace(std::string(cmake), noise, " "));
    return {std::istream_iterator<std::string>(words), {}};
}

std::vector<std::string> types_in(std::string_view text) {
    static const std::regex opens(R"(^(?:inline )?namespace(?: KPORT_\w+)? ([\w:]+) \{$)");
    static const std::regex defines(
        R"(^(?:class|struct|union|enum class|enum)(?: \[\[.*\]\]| alignas\(\w+\)| KPORT_\w+)* (\w+)(?: final)?(?: :.*)?(?: \{.*)?$)");
    std::vector<std::string> types;
    std::vector<std::string> namespaces;
    std::istringstream in{std::string(text)};
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("}  // namespace") && !namespaces.empty()) namespaces.pop_back();
        line = line.substr(0, line.find("  //"));
        std::smatch match;
        if (std::regex_match(line, match, opens))
            namespaces.push_back(match[1]);
        else if (std::regex_match(line, match, defines))
            types.push_back(fmt::format("{}::{}", fmt::join(namespaces, "::"), match[1].str()));
    }
    return types;
}

Findings defined_twice(const std::map<std::string, std::string>& texts) {
    std::map<std::string, std::string> first;
    Findings findings;
    for (const auto& [file, text] : texts)
        for (const std::string& type : types_in(text))
            if (const auto [at, is_new] = first.emplace(type, file); !is_new)
                findings.push_back(
                    fmt::format("{}: {} is defined in {} too; a program that links both has two definitions of one "
                                "name, and uses either",
                                file, type, at->second));
    return findings;
}

void Plan::add(const std::string& folder, const Room& room) {
    room_by_folder_[folder] = room.name;
    depends_[room.name] = room.depends;
}

std::string Plan::room_of(const std::string& file) const {
    for (auto folder = std::filesystem::path(file).parent_path(); !folder.empty(); folder = folder.parent_path())
        if (const auto room = room_by_folder_.find(folder.generic_string()); room != room_by_folder_.end())
            return room->second;
    return {};
}

bool Plan::may_include(const std::string& from, const std::string& to) const {
    std::set<std::string> seen;
    std::vector<std::string> open{from};
    while (!open.empty()) {
        const std::string room = open.back();
        open.pop_back();
        if (room == to) return true;
        if (!seen.insert(room).second) continue;
        if (const auto next = depends_.find(room); next != depends_.end())
            open.insert(open.end(), next->second.begin(), next->second.end());
    }
    return false;
}

Findings Plan::wrong_arrows(const std::string& file, std::string_view text) const {
    Findings findings;
    const std::string from = room_of(file);
    if (from.empty()) return findings;
    for (const std::string& included : project_includes(text)) {
        const std::string to = room_of(included);
        if (to.empty())
            findings.push_back(
                fmt::format("{} includes \"{}\", which is in no room. Includes are written from the root "
                            "of the repository, so that the room can be seen in them",
                            file, included));
        else if (!may_include(from, to))
            findings.push_back(
                fmt::format("{} includes \"{}\": no arrow leads from {} to {}. Arrows point down only, so "
                            "that a room can be understood without those above it",
                            file, included, from, to));
    }
    return findings;
}

namespace {

/// Adds "a/b/c", "b/c" and "c".
void add_path(const std::string& path, std::set<std::string>& paths) {
    paths.insert(path);
    for (std::size_t at = 0; (at = path.find('/', at)) != std::string::npos;) paths.insert(path.substr(++at));
}

/// What a line of a source says to its reader; of a page all.
std::string told_in(const std::string& name, const std::string& line) {
    return name.ends_with(".md") ? line : line.substr(std::min(line.find("//"), line.size()));
}

bool is_of_an_example(const std::filesystem::path& path) {
    static const std::set<std::string> stems = {"mine", "theirs", "x", "ann", "bob", "cyd", "name", "NAME", "TARGET"};
    return stems.contains(path.stem().string());
}

}  // namespace

Findings files_not_there(const std::string& name, const std::string& text, const std::set<std::string>& paths) {
    static const std::regex file(R"((?:^|[^\w./<-])(?:\.{1,2}/)*((?:[\w.-]+/)*[\w-]+\.(?:cpp|hpp|md|csv))\b)");
    Findings findings;
    std::istringstream lines(text);
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        const std::string told = told_in(name, line);
        for (std::sregex_iterator it(told.begin(), told.end(), file), end; it != end; ++it)
            if (const std::string path = (*it)[1]; !paths.contains(path) && !is_of_an_example(path))
                findings.push_back(fmt::format("{}:{} names {}, which does not exist", name, number, path));
    }
    return findings;
}

Tree::Tree(std::filesystem::path root) {
    for (const auto& entry : std::filesystem::directory_iterator(root)) {
        const std::string top = entry.path().filename().string();
        if (entry.is_regular_file()) {
            paths_.insert(top);
            if (top.ends_with(".md")) pages_[top] = read(entry.path());
        }
    }
    add_folder(root, "docs", false);
    for (const char* top : {"emulator", "algorithms", "app", "bindings", "tests", "bench", "examples"})
        add_folder(root, top, true);
    files_["kport.hpp"] = read(root / "kport.hpp");
    for (const auto& [name, text] : lists_)
        for (const Room& room : rooms_in(text))
            plan_.add(std::filesystem::path(name).parent_path().generic_string(), room);
    plan_.add("emulator",
              Room{"emulator", {}, {"base", "topology", "machine", "schedule", "audit", "node", "engine", "report"}});
}

void Tree::add_folder(const std::filesystem::path& root, const std::string& top, bool has_rooms) {
    if (!std::filesystem::exists(root / top)) return;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / top)) {
        const std::string name = entry.path().lexically_relative(root).generic_string();
        const std::string extension = entry.path().extension().string();
        if (entry.is_regular_file()) add_path(name, paths_);
        if (extension == ".md") pages_[name] = read(entry.path());
        if (!has_rooms) continue;
        const bool stands_in =
            name.find("/stand_ins/") != std::string::npos;  // for headers of others, with their names
        if ((extension == ".cpp" || extension == ".hpp") && !stands_in) files_[name] = read(entry.path());
        if (entry.path().filename() == "CMakeLists.txt") lists_[name] = read(entry.path());
    }
}

Findings Tree::wrong_arrows() const {
    Findings findings;
    for (const auto& [name, text] : files_)
        std::ranges::move(plan_.wrong_arrows(name, text), std::back_inserter(findings));
    return findings;
}

Findings Tree::awaits_not_alone() const {
    Findings findings;
    for (const auto& [name, text] : files_)
        std::ranges::move(cli::awaits_not_alone(name, text), std::back_inserter(findings));
    return findings;
}

Findings Tree::unreachable() const {
    std::set<std::string> included;
    for (const auto& [name, text] : files_)
        for (const std::string& header : project_includes(text))
            if (std::filesystem::path(header).replace_extension() != std::filesystem::path(name).replace_extension())
                included.insert(header);

    std::set<std::string> listed;
    for (const auto& [name, text] : lists_)
        for (const std::string& word : words_in(text))
            listed.insert((std::filesystem::path(name).parent_path() / word).lexically_normal().generic_string());

    Findings findings;
    for (const auto& [name, text] : files_) {
        // What stands in tests/mutation is compiled by its script.
        if (name.ends_with(".cpp") && !listed.contains(name) && !name.starts_with("tests/mutation/"))
            findings.push_back(name + " is in no CMakeLists.txt: it is not compiled");
        // kport.hpp is for programs outside; every other header must be included somewhere in the project.
        if (name.ends_with(".hpp") && !included.contains(name) && name != "kport.hpp")
            findings.push_back(name + " is included by no file but its own source: it is unused");
    }
    return findings;
}

Findings Tree::wrongly_visible() const {
    std::set<std::string> open_to_others;
    std::vector<std::string> open{"kport.hpp", "app/files/json_report.hpp"};
    while (!open.empty()) {
        const std::string header = open.back();
        open.pop_back();
        const auto file = files_.find(header);
        if (file == files_.end() || !open_to_others.insert(header).second) continue;
        std::ranges::move(project_includes(file->second), std::back_inserter(open));
    }

    constexpr std::string_view visible = "namespace KPORT_PUBLIC kport {";
    constexpr std::string_view plain = "namespace kport {";
    Findings findings;
    for (const auto& [name, text] : files_) {
        if (open_to_others.contains(name) && text.find(plain) != std::string::npos)
            findings.push_back(fmt::format("{} is public, for kport.hpp includes it: it says {}", name, visible));
        if (!open_to_others.contains(name) && text.find(visible) != std::string::npos && !name.starts_with("tests/"))
            findings.push_back(
                fmt::format("{} is not public, for kport.hpp does not include it: it says {}", name, plain));
    }
    return findings;
}

namespace {

/// Returns where the comment of a line begins: at its first "//", unless that is in a literal.
std::size_t comment_in(const std::string& line) {
    const std::size_t comment = line.find("//");
    const bool in_literal = comment != std::string::npos && std::ranges::count(line.substr(0, comment), '"') % 2 == 1;
    return in_literal ? std::string::npos : comment;
}

}  // namespace

Findings options_named(const std::string& name, const std::string& text) {
    static const std::regex option("\"[^\"]*--[a-z]");
    Findings findings;
    std::istringstream lines(text);
    std::string line;
    for (std::size_t number = 1; std::getline(lines, line); ++number) {
        line.resize(std::min(line.size(), comment_in(line)));
        if (std::regex_search(line, option))
            findings.push_back(fmt::format("{}:{} names an option: cli/in_options does", name, number));
    }
    return findings;
}

Findings quaint_words(const std::string& name, const std::string& text) {
    static const std::regex anywhere(
        R"(\b(whom?ever|nobody|somebody|anybody|mostly|now and then|beg[aiu]ns? anew|(is|are|was|were) to be)\b)",
        std::regex::icase | std::regex::optimize);
    static const std::regex at_begin(R"(^///?<? *(@file \S+ +)?(Who|Whom|The same|Also|Else)\b)");
    const bool is_page = name.ends_with(".md");
    const bool is_test = name.starts_with("tests/");
    Findings findings;
    std::istringstream lines(text);
    std::string line;
    for (std::size_t number = 1; std::getline(lines, line); ++number) {
        const std::size_t begin = is_page ? std::string::npos : std::min(line.size(), comment_in(line));
        const std::string comment = is_page ? "" : line.substr(begin);
        if (!is_page && comment.empty() && (is_test || line.find('"') == std::string::npos)) continue;
        if (std::regex_search(is_test && !is_page ? comment : line, anywhere) || std::regex_search(comment, at_begin))
            findings.push_back(fmt::format("{}:{} has a phrase that needs a second reading: {}", name, number,
                                           boost::trim_copy(line)));
    }
    return findings;
}

Findings Tree::quaint_words() const {
    Findings findings;
    for (const auto* texts : {&files_, &pages_})
        for (const auto& [name, text] : *texts)
            if (name != "CHANGELOG.md")  // history stays as it was written
                std::ranges::move(tidy::quaint_words(name, text), std::back_inserter(findings));
    return findings;
}

Findings fetching_out_of_line(const std::string& name, const std::string& text) {
    Findings findings;
    std::istringstream lines(text);
    std::string line;
    for (std::size_t number = 1; std::getline(lines, line); ++number)
        if (line.find("void prefetch") != std::string::npos && line.find("[[gnu::always_inline]]") == std::string::npos)
            findings.push_back(fmt::format(
                "{}:{} fetches and is not [[gnu::always_inline]]: g++ leaves calls of it out", name, number));
    return findings;
}

Findings Tree::fetching_out_of_line() const {
    Findings findings;
    for (const auto& [name, text] : files_)
        if (!name.starts_with("tests/"))
            std::ranges::move(tidy::fetching_out_of_line(name, text), std::back_inserter(findings));
    return findings;
}

Findings Tree::files_not_there() const {
    Findings findings;
    for (const auto* texts : {&files_, &pages_})
        for (const auto& [name, text] : *texts)
            std::ranges::move(tidy::files_not_there(name, text, paths_), std::back_inserter(findings));
    return findings;
}

Findings Tree::speaking_in_options() const {
    Findings findings;
    for (const auto& [name, text] : files_)
        if (name.starts_with("emulator/") || name.starts_with("algorithms/support/") ||
            name == "algorithms/catalogue.cpp")
            std::ranges::move(options_named(name, text), std::back_inserter(findings));
    return findings;
}

Findings Tree::types_defined_twice() const {
    std::map<std::string, std::string> headers;
    for (const auto& [file, text] : files_)
        if (file.ends_with(".hpp") && !plan_.room_of(file).empty()) headers.emplace(file, text);
    return defined_twice(headers);
}

Findings Tree::unguarded() const {
    Findings findings;
    for (const auto& [name, text] : files_)
        if (name.ends_with(".hpp") && text.find("#pragma once") == std::string::npos)
            findings.push_back(name + " has no #pragma once: included twice, it does not compile");
    return findings;
}

Findings Tree::lost_mutants(const std::string& list, bool with_reasons) const {
    std::map<std::string, std::set<std::string>> lines_of;
    for (const auto& [name, text] : files_) {
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) lines_of[name].insert(boost::trim_copy(line));
    }
    Findings findings;
    std::istringstream rows(list);
    std::string row;
    for (std::size_t number = 1; std::getline(rows, row); ++number) {
        if (row.empty() || row.starts_with('#')) continue;
        const std::size_t file = row.find(" @ ");
        const std::size_t place = file == std::string::npos ? file : row.find(" @ ", file + 3);
        if (place == std::string::npos || (with_reasons && row.find(" @ ", place + 3) == std::string::npos)) {
            findings.push_back(
                fmt::format("line {}: want file @ line @ change{}", number, with_reasons ? " @ why" : ""));
            continue;
        }
        std::string line = row.substr(file + 3, place - file - 3);
        if (line.size() > 3 && line[0] == '#' && line[2] == ' ') line.erase(0, 3);
        if (!lines_of[row.substr(0, file)].contains(line))
            findings.push_back(fmt::format("line {}: {} has no such line", number, row.substr(0, file)));
    }
    return findings;
}

}  // namespace kport::tidy
