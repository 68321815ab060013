#include "app/files/graphs/line_fields.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <boost/algorithm/string/replace.hpp>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport {
namespace {

constexpr std::string_view blanks_of_line = " \t\r\v\f";

bool is_blank_of_line(char c) { return blanks_of_line.find(c) != std::string_view::npos; }

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(blanks_of_line);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks_of_line) - begin + 1);
}

char sign_of(Separator separator) {
    return separator == Separator::tab ? '\t' : separator == Separator::comma ? ',' : ';';
}

/// The end of the brackets that open at `at`, behind them; `at` if they are not closed.
std::size_t behind_brackets(std::string_view text, std::size_t at) {
    std::size_t depth = 0;
    for (std::size_t i = at; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '(' || c == '[' || c == '{') ++depth;
        if ((c == ')' || c == ']' || c == '}') && --depth == 0) return i + 1;
    }
    return at;
}

/// The end of the quotes that open at `at`, behind them; `at` if they are not closed. A doubled quote is part of the text.
std::size_t behind_quotes(std::string_view text, std::size_t at) {
    const char quote = text[at];
    for (std::size_t i = at + 1; i < text.size(); ++i) {
        if (text[i] != quote) continue;
        if (i + 1 == text.size() || text[i + 1] != quote || quote == '\'') return i + 1;
        ++i;
    }
    return at;
}

bool separates(char c, Separator separator) {
    return separator == Separator::blanks ? is_blank_of_line(c) : c == sign_of(separator);
}

/// The next separator from `at` on, which is the begin of a field.
std::size_t end_of_field(std::string_view line, std::size_t at, Separator separator) {
    if (at < line.size() && (line[at] == '"' || line[at] == '\'')) {
        const std::size_t behind = behind_quotes(line, at);
        // An apostrophe may be part of a word.
        const std::size_t next = std::min(line.find_first_not_of(' ', behind), line.size());
        if (behind != at &&
            (next == line.size() || separates(line[behind], separator) || separates(line[next], separator)))
            return separator == Separator::blanks ? behind : next;
    }
    while (at < line.size() && !separates(line[at], separator)) {
        const bool opens = line[at] == '(' || line[at] == '[' || line[at] == '{';
        at = opens ? std::max(behind_brackets(line, at), at + 1) : at + 1;
    }
    return at;
}

bool has_separator(std::string_view line, Separator separator) {
    std::size_t at = std::min(line.find_first_not_of(' '), line.size());
    return end_of_field(line, at, separator) < line.size();
}

/// "0,1 0,2": two words with equally many commas.
bool is_pair_of_coordinates(std::string_view line) {
    const std::size_t end = end_of_field(line, 0, Separator::blanks);
    const std::string_view first = line.substr(0, end);
    const std::string_view second = trimmed(line.substr(end));
    const auto commas = std::ranges::count(first, ',');
    const auto inside = [](std::string_view word) { return !word.starts_with(',') && !word.ends_with(','); };
    return commas > 0 && commas == std::ranges::count(second, ',') && inside(first) && inside(second) &&
           end_of_field(second, 0, Separator::blanks) == second.size() && !second.empty();
}

std::optional<std::string_view> without_brackets(std::string_view line) {
    const bool opens = line.starts_with('(') || line.starts_with('[');
    if (!opens || behind_brackets(line, 0) != line.size()) return std::nullopt;
    return trimmed(line.substr(1, line.size() - 2));
}

Separator separator_of(const std::vector<std::string_view>& lines) {
    const auto all_have = [&](Separator one) {
        return !lines.empty() &&
               std::ranges::all_of(lines, [&](std::string_view line) { return has_separator(line, one); });
    };
    if (all_have(Separator::semicolon)) return Separator::semicolon;
    if (all_have(Separator::tab)) return Separator::tab;
    if (all_have(Separator::comma) && !std::ranges::all_of(lines, is_pair_of_coordinates)) return Separator::comma;
    return Separator::blanks;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> separator_names = {
    {{"blanks", " "}, {"tab", "\t"}, {"comma", ","}, {"semicolon", ";"}}};

}  // namespace

std::string_view name(Separator separator) { return separator_names.at(static_cast<std::size_t>(separator)).first; }

Separator separator_named(std::string_view text) {
    for (std::size_t i = 0; i < separator_names.size(); ++i)
        if (text == separator_names[i].first || text == separator_names[i].second) return static_cast<Separator>(i);
    throw RequestError(fmt::format("--separator {}: want comma, semicolon, tab or blanks", quoted(text)));
}

std::optional<std::string_view> line_of_table(std::string_view line) {
    const std::string_view text = trimmed(line);
    if (text.empty() || text.front() == '#' || text.front() == '%' || text.starts_with("//")) return std::nullopt;
    return text;
}

LineFields::LineFields(std::string_view text, std::optional<Separator> separator) {
    std::vector<std::string_view> lines;
    for (const std::string_view line : split(text, '\n'))
        if (const auto found = line_of_table(line)) lines.push_back(*found);
    in_brackets_ = !lines.empty() &&
                   std::ranges::all_of(lines, [](std::string_view line) { return without_brackets(line).has_value(); });
    if (in_brackets_)
        for (std::string_view& line : lines) line = *without_brackets(line);
    separator_ = separator ? *separator : separator_of(lines);
}

std::optional<std::span<const LineFields::Field>> LineFields::apart(std::string_view line) {
    const char* const begin = line.data();
    if (in_brackets_) {
        const auto inner = without_brackets(line);
        if (!inner) return std::nullopt;
        line = *inner;
    }
    fields_.clear();
    unescaped_.clear();
    for (std::size_t at = 0;; ++at) {
        while (at < line.size() && is_blank_of_line(line[at]) &&
               (separator_ == Separator::blanks || !separates(line[at], separator_)))
            ++at;
        if (at >= line.size() && (separator_ == Separator::blanks || !fields_.empty())) {
            if (separator_ != Separator::blanks) fields_.push_back({{}, line.size(), false});
            break;
        }
        const std::size_t end = end_of_field(line, at, separator_);
        std::string_view text = trimmed(line.substr(at, end - at));
        const std::size_t column = static_cast<std::size_t>(line.data() - begin) + at;
        const bool in_quotes =
            text.size() > 1 && (text.front() == '"' || text.front() == '\'') && behind_quotes(text, 0) == text.size();
        if (in_quotes) {
            const std::string doubled(2, text.front());
            text = text.substr(1, text.size() - 2);
            if (text.find(doubled) != std::string_view::npos)
                text = unescaped_.emplace_back(
                    boost::algorithm::replace_all_copy(std::string(text), doubled, doubled.substr(1)));
        }
        fields_.push_back({text, column, in_quotes});
        at = end;
        if (at >= line.size()) break;
        if (separator_ == Separator::blanks) --at;  // quotes may end where the next word begins
    }
    return std::span<const Field>(fields_);
}

}  // namespace kport
