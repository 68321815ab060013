/// @file project_includes_test.cpp   A file includes the headers of the project whose types and functions it uses. Looks at names; what
/// a name alone does not tell `./dev alone` finds, which compiles every file.
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "app/cli/awaits_alone.hpp"
#include "tests/tidy/house_rules.hpp"
#include "tests/tidy/sources.hpp"

namespace kport::tidy {
namespace {

/// The text as words and single marks. Where a line begins without a space a word is of the level of a namespace.
struct Token {
    std::string text;
    bool begins_line = false;
};

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::vector<Token> tokens_of(std::string_view code) {
    std::vector<Token> tokens;
    for (std::size_t i = 0; i < code.size();) {
        if (std::isspace(static_cast<unsigned char>(code[i])) != 0) {
            ++i;
            continue;
        }
        std::size_t end = i + 1;
        if (is_of_word(code[i]))
            while (end < code.size() && is_of_word(code[end])) ++end;
        tokens.push_back({std::string(code.substr(i, end - i)), i == 0 || code[i - 1] == '\n'});
        i = end;
    }
    return tokens;
}

bool is_type_word(const std::string& text) {
    return text == "class" || text == "struct" || text == "enum" || text == "using" || text == "typename";
}

/// Words before a name that make no declaration of it.
bool is_before_a_use(const std::string& text) {
    static const std::set<std::string> words{"return", "co_await", "co_return", "co_yield", "throw", "else",
                                             "new",    "delete",   "case",      "and",      "or",    "not"};
    return words.contains(text);
}

bool is_name(const std::string& text) {
    return is_of_word(text[0]) && std::isdigit(static_cast<unsigned char>(text[0])) == 0;
}

struct Source {
    std::vector<Token> tokens;
    std::vector<std::string> included;
    std::set<std::string> types;      ///< that it defines at any level, or names as parameters of templates
    std::set<std::string> announced;  ///< forward declared
    std::set<std::string> functions;  ///< declared at the level of a namespace
    std::set<std::string> declared;   ///< all that may be a declaration: functions, members, variables
};

/// The function that a line at the level of a namespace declares; `i`: its first token.
std::string function_at(const std::vector<Token>& tokens, std::size_t i) {
    static const std::set<std::string> others{"using",  "namespace", "template", "#",      "class",
                                              "struct", "enum",      "}",        "friend", "static_assert"};
    if (others.contains(tokens[i].text)) return {};
    for (std::size_t at = i; at < tokens.size() && (at == i || !tokens[at].begins_line); ++at)
        if (tokens[at].text == "(")
            return at > i + 1 && is_name(tokens[at - 1].text) ? tokens[at - 1].text : std::string();
    return {};
}

Source read_source(const std::string& text) {
    Source source;
    source.tokens = tokens_of(cli::code_only(text));
    source.included = project_includes(text);
    const std::vector<Token>& t = source.tokens;
    const std::string none;
    for (std::size_t i = 0; i < t.size(); ++i) {
        if (t[i].begins_line)
            if (std::string name = function_at(t, i); !name.empty()) source.functions.insert(std::move(name));
        if (!is_name(t[i].text) || i == 0) continue;
        const std::string& before = t[i - 1].text;
        const std::string& behind = i + 1 < t.size() ? t[i + 1].text : none;
        if (is_type_word(before) && !is_type_word(t[i].text)) {
            std::size_t name = t[i].text == "alignas" ? i + 4 : i;  // alignas ( 64 ) Name
            if (before == "using" && behind == ":")                 // using Eigen :: Index ;
                while (name + 1 < t.size() && t[name + 1].text != ";") ++name;
            if (name < t.size())
                (behind == ";" && before != "using" ? source.announced : source.types).insert(t[name].text);
        }
        const bool follows_type = (is_name(before) && !is_before_a_use(before) && !is_type_word(before)) ||
                                  (before == ">" && (i < 2 || t[i - 2].text != "-")) || before == "&" ||
                                  before == "*" || before == "]";
        if (follows_type && std::string_view("({=;,)[:").find(behind) != std::string_view::npos)
            source.declared.insert(t[i].text);
    }
    return source;
}

using Sources = std::map<std::string, Source>;

std::set<std::string> all_included(const Sources& sources, const std::string& name) {
    std::set<std::string> seen;
    std::vector<std::string> open{name};
    while (!open.empty()) {
        const std::string next = open.back();
        open.pop_back();
        const auto source = sources.find(next);
        if (source == sources.end() || !seen.insert(next).second) continue;
        open.insert(open.end(), source->second.included.begin(), source->second.included.end());
    }
    return seen;
}

std::string without_ending(const std::string& file) { return file.substr(0, file.rfind('.')); }

/// Names that only one header defines, and no other file uses for something else, each with its header.
std::map<std::string, std::string> headers_of_names(const Sources& sources,
                                                    const std::map<std::string, std::set<std::string>>& included) {
    std::map<std::string, std::string> header;
    std::set<std::string> several;
    for (const auto& [file, source] : sources)
        if (file.ends_with(".hpp"))
            for (const auto* names : {&source.types, &source.functions})
                for (const std::string& name : *names)
                    if (const auto [at, is_new] = header.emplace(name, file); !is_new && at->second != file)
                        several.insert(name);
    for (const auto& [file, source] : sources)
        for (const auto* names : {&source.types, &source.declared})
            for (const std::string& name : *names)
                if (const auto at = header.find(name); at != header.end() &&
                                                       without_ending(at->second) != without_ending(file) &&
                                                       !included.at(file).contains(at->second))
                    several.insert(name);
    for (const std::string& name : several) header.erase(name);
    return header;
}

/// Whether the name at `i` is used as one of the project's: not as a member, nor as one of another namespace.
bool is_of_project(const std::vector<Token>& t, std::size_t i) {
    static const std::set<std::string> ours{"kport", "cli", "measure", "detail", "stress", "fault"};
    if (i == 0) return true;
    if (t[i - 1].text == ".") return false;
    if (i < 2 || t[i - 2].text + t[i - 1].text == "->") return false;
    return t[i - 2].text + t[i - 1].text != "::" || (i > 2 && ours.contains(t[i - 3].text));
}

Findings without_headers(const std::map<std::string, std::string>& texts) {
    Sources sources;
    for (const auto& [file, text] : texts) sources[file] = read_source(text);
    std::map<std::string, std::set<std::string>> included;
    for (const auto& [file, source] : sources) included[file] = all_included(sources, file);
    const std::map<std::string, std::string> headers = headers_of_names(sources, included);
    Findings findings;
    for (const auto& [file, source] : sources) {
        std::set<std::string> announced;
        for (const std::string& each : included[file]) announced.merge(std::set(sources[each].announced));
        std::map<std::string, std::string> missing;
        const std::vector<Token>& t = source.tokens;
        for (std::size_t i = 0; i < t.size(); ++i) {
            const auto header = headers.find(t[i].text);
            if (header == headers.end() || included[file].contains(header->second) || !is_of_project(t, i)) continue;
            const bool is_type = sources[header->second].types.contains(t[i].text);
            if (is_type ? announced.contains(t[i].text) : i + 1 == t.size() || t[i + 1].text != "(") continue;
            missing.emplace(header->second, t[i].text);
        }
        for (const auto& [header, name] : missing)
            findings.push_back(fmt::format("{} uses {} and does not include {}: it compiles only after other files",
                                           file, name, header));
    }
    return findings;
}

TEST(ProjectIncludes, AreMissedWhereNoHeaderBringsThem) {
    const std::map<std::string, std::string> texts = {
        {"tree.hpp", "struct Tree {\n    int grow();\n};\nint depth_of(const Tree& tree);\nstruct Leaf;\n"},
        {"by_itself.cpp", "#include \"tree.hpp\"\nint a = depth_of(Tree());\n"},
        {"type.cpp", "int a(Tree tree);\n"},
        {"function.cpp", "int a = 1 + depth_of(0);\n"},
        {"member.cpp", "int a = b.depth_of(0) + c->depth_of(1) + std::depth_of(2);  // Tree\n"},
        {"announced.cpp", "class Tree;\nint a(Tree& tree);\n"},
    };
    EXPECT_EQ(without_headers(texts),
              (Findings{"function.cpp uses depth_of and does not include tree.hpp: it compiles only after other files",
                        "type.cpp uses Tree and does not include tree.hpp: it compiles only after other files"}));
}

TEST(ProjectIncludes, AreInEveryFile) {
    std::string told;
    for (const std::string& finding : without_headers(sources_of({"algorithms", "app", "bindings", "emulator"})))
        told += finding + "\n";
    EXPECT_EQ(told, "");
}

}  // namespace
}  // namespace kport::tidy
