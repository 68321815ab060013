#include "tests/tidy/house_rules.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <utility>

#include <fmt/format.h>

namespace kport::tidy {
namespace {

constexpr std::string_view why_alone =
    "g++ 12.2 miscompiles co_await inside larger expressions (docs/architecture.md): name the result first";

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::size_t line_of(std::string_view text, std::size_t at) {
    return 1 + static_cast<std::size_t>(std::ranges::count(text.substr(0, at), '\n'));
}

std::string trimmed(std::string_view text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return std::string(text);
}

/// The word or sign that ends before `at`; empty at the beginning of the text.
std::string_view before(std::string_view code, std::size_t at) {
    while (at > 0 && is_space(code[at - 1])) --at;
    std::size_t from = at;
    while (from > 0 && is_word(code[from - 1])) --from;
    if (from == at && at > 0) --from;
    return code.substr(from, at - from);
}

/// Where the statement with the co_await at `at` begins, or why it does not stand alone.
struct Beginning {
    std::size_t at = 0;
    std::string_view wrong;
};

Beginning beginning_of_statement(std::string_view code, std::size_t at) {
    int closed = 0;
    while (at > 0) {
        const char c = code[at - 1];
        if (c == ')' || c == ']') ++closed;
        if (c == '(' || c == '[') {
            if (closed == 0) return {at, "inside parentheses or brackets"};
            --closed;
        }
        if (closed == 0 && (c == ';' || c == '}')) return {at, {}};
        if (closed == 0 && c == '{') {
            const std::string_view last = before(code, at - 1);
            const bool block = last.empty() || last == ")" || last == ";" || last == "{" || last == "}" ||
                               last == ":" || last == "else" || last == "do" || last == "try" || last == "const" ||
                               last == "noexcept" || last == "Program";
            if (!block) return {at, "inside braces of an initialiser"};
            return {at, {}};
        }
        --at;
    }
    return {0, {}};
}

/// Where the statement ends: its `;` outside of all brackets.
std::size_t end_of_statement(std::string_view code, std::size_t at) {
    int open = 0;
    for (; at < code.size(); ++at) {
        const char c = code[at];
        if (c == '(' || c == '[' || c == '{') ++open;
        if (c == ')' || c == ']' || c == '}') --open;
        if (open < 0 || (open == 0 && c == ';')) break;
    }
    return at;
}

/// The text without what stands in brackets of any kind.
std::string outside_brackets(std::string_view code) {
    std::string outside;
    int open = 0;
    for (const char c : code) {
        if (c == '(' || c == '[' || c == '{') ++open;
        if (open == 0) outside += c;
        if (c == ')' || c == ']' || c == '}') --open;
    }
    return outside;
}

/// What is wrong with the statement code[from .. to) whose co_await is at `at`; empty if nothing.
std::string_view wrong_with(std::string_view code, std::size_t from, std::size_t at, std::size_t to) {
    static const std::regex lambda(R"([(,=]\s*\[)");
    static const std::regex suspend(R"(co_await\s+std::suspend_(always|never)\{\})");
    const std::string head = outside_brackets(code.substr(from, at - from));
    const std::string tail(code.substr(at, to - at));
    if (std::regex_match(tail, suspend)) return {};  // an empty class: nothing to destroy twice
    if (head.find('?') != std::string::npos || outside_brackets(tail).find('?') != std::string::npos)
        return "in a conditional expression";
    if (tail.find('{') != std::string::npos) return "with a braced temporary or list";
    if (std::regex_search(tail, lambda)) return "with a lambda";
    if (tail.find("co_await", 1) != std::string::npos) return "twice in one statement";
    const std::string_view last = before(code, at);
    const bool alone = trimmed(head).empty() || last == "=" || last == ")" || last == "else" || last == "do" ||
                       last == ":" || last == "co_return";
    return alone ? std::string_view{} : "as part of a larger expression";
}

std::string read(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

std::string code_only(std::string_view text) {
    std::string code(text);
    const auto blank = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < std::min(to, code.size()); ++i)
            if (code[i] != '\n') code[i] = ' ';
    };
    const auto end_of = [&](std::string_view sign, std::size_t from) {
        const std::size_t at = text.find(sign, from);
        return at == std::string_view::npos ? text.size() : at + sign.size();
    };
    std::size_t i = 0;
    while (i < text.size()) {
        const std::string_view rest = text.substr(i);
        if (rest.starts_with("//")) {
            const std::size_t to = std::min(text.find('\n', i), text.size());
            blank(i, to);
            i = to;
        } else if (rest.starts_with("/*")) {
            const std::size_t to = end_of("*/", i + 2);
            blank(i, to);
            i = to;
        } else if (rest.starts_with("R\"") && (i == 0 || !is_word(text[i - 1]))) {
            const std::size_t open = std::min(text.find('(', i), text.size());
            const std::string close = fmt::format("){}\"", text.substr(i + 2, open - i - 2));
            const std::size_t to = end_of(close, open);
            blank(i, to);
            i = to;
        } else if (text[i] == '"' || (text[i] == '\'' && (i == 0 || !is_word(text[i - 1])))) {
            std::size_t to = i + 1;
            while (to < text.size() && text[to] != text[i] && text[to] != '\n') to += text[to] == '\\' ? 2 : 1;
            blank(i + 1, to);
            i = to + 1;
        } else {
            ++i;
        }
    }
    return code;
}

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

Findings awaits_alone(const std::string& file, std::string_view text) {
    const std::string code = code_only(text);
    Findings findings;
    for (std::size_t at = code.find("co_await"); at != std::string::npos; at = code.find("co_await", at + 1)) {
        if ((at > 0 && is_word(code[at - 1])) || before(code, at) == "operator") continue;
        Beginning beginning = beginning_of_statement(code, at);
        if (beginning.wrong.empty()) beginning.wrong = wrong_with(code, beginning.at, at, end_of_statement(code, at));
        if (!beginning.wrong.empty())
            findings.push_back(
                fmt::format("{}:{}: co_await {}. {}", file, line_of(code, at), beginning.wrong, why_alone));
    }
    return findings;
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

Tree::Tree(std::filesystem::path root) {
    for (const char* top : {"emulator", "algorithms", "files", "pictures", "search", "chip", "measure", "umpire",
                            "stress", "session", "cli", "tests", "bench", "examples"}) {
        if (!std::filesystem::exists(root / top)) continue;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root / top)) {
            const std::string name = entry.path().lexically_relative(root).generic_string();
            const std::string extension = entry.path().extension().string();
            if (extension == ".cpp" || extension == ".hpp") files_[name] = read(entry.path());
            if (entry.path().filename() == "CMakeLists.txt") lists_[name] = read(entry.path());
        }
    }
    files_["kport.hpp"] = read(root / "kport.hpp");
    for (const auto& [name, text] : lists_)
        for (const Room& room : rooms_in(text))
            plan_.add(std::filesystem::path(name).parent_path().generic_string(), room);
    plan_.add("emulator",
              Room{"emulator", {}, {"base", "topology", "machine", "schedule", "audit", "node", "engine", "report"}});
}

Findings Tree::wrong_arrows() const {
    Findings findings;
    for (const auto& [name, text] : files_)
        std::ranges::move(plan_.wrong_arrows(name, text), std::back_inserter(findings));
    return findings;
}

Findings Tree::awaits_not_alone() const {
    Findings findings;
    for (const auto& [name, text] : files_) std::ranges::move(awaits_alone(name, text), std::back_inserter(findings));
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
        if (name.ends_with(".cpp") && !listed.contains(name))
            findings.push_back(name + " is in no CMakeLists.txt: it is not compiled");
        // kport.hpp is for programs outside; every other header must be included somewhere in the project.
        if (name.ends_with(".hpp") && !included.contains(name) && name != "kport.hpp")
            findings.push_back(name + " is included by no file but its own source: it is unused");
    }
    return findings;
}

Findings Tree::wrongly_visible() const {
    std::set<std::string> open_to_others;
    std::vector<std::string> open{"kport.hpp", "files/json_report.hpp"};
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

Findings options_named(const std::string& name, const std::string& text) {
    // A line is a comment from its first "//" on, unless that stands in a literal: then the line is looked at as a whole.
    static const std::regex option("\"[^\"]*--[a-z]");
    Findings findings;
    std::istringstream lines(text);
    std::string line;
    for (std::size_t number = 1; std::getline(lines, line); ++number) {
        const std::size_t comment = line.find("//");
        const bool in_literal =
            comment != std::string::npos && std::ranges::count(line.substr(0, comment), '"') % 2 == 1;
        if (comment != std::string::npos && !in_literal) line.resize(comment);
        if (std::regex_search(line, option))
            findings.push_back(fmt::format("{}:{} names an option: cli/in_options does", name, number));
    }
    return findings;
}

Findings Tree::speaking_in_options() const {
    Findings findings;
    for (const auto& [name, text] : files_)
        if (name.starts_with("emulator/")) std::ranges::move(options_named(name, text), std::back_inserter(findings));
    return findings;
}

Findings Tree::unguarded() const {
    Findings findings;
    for (const auto& [name, text] : files_)
        if (name.ends_with(".hpp") && text.find("#pragma once") == std::string::npos)
            findings.push_back(name + " has no #pragma once: included twice, it does not compile");
    return findings;
}

}  // namespace kport::tidy
