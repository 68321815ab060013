#include "app/cli/awaits_alone.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <regex>

#include <fmt/format.h>

namespace kport::cli {

namespace {

constexpr std::string_view why_alone =
    "g++ 12.2 miscompiles co_await inside larger expressions (docs/execution.md): name the result first";

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

std::vector<std::string> awaits_not_alone(const std::string& file, std::string_view text) {
    const std::string code = code_only(text);
    std::vector<std::string> findings;
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

}  // namespace kport::cli
