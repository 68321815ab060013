#include "app/files/edited_text.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "emulator/base/nearest.hpp"

namespace kport {

namespace {

std::string_view indentation_of(std::string_view line) {
    return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

/// Returns the byte offset of a character of a line, counted from 1; nothing beyond its end.
std::optional<std::size_t> byte_of(std::string_view line, std::uint64_t column) {
    std::size_t byte = 0;
    for (; column > 1 && byte < line.size(); --column) do
            ++byte;
        while (byte < line.size() && (static_cast<unsigned char>(line[byte]) & 0xC0) == 0x80);
    return column > 1 ? std::nullopt : std::optional(byte);
}

/// Returns the position of an attribute's value within the tag at the beginning of the text; nothing if it is absent.
/// The tag is well-formed.
std::optional<std::pair<std::size_t, std::size_t>> value_in_tag(std::string_view text, std::string_view attribute) {
    if (!text.starts_with('<')) return std::nullopt;
    std::size_t at = text.find_first_of(" \t\r\n/>");
    for (;;) {
        at = std::min(text.find_first_not_of(" \t\r\n", at), text.size());
        const std::size_t end = std::min(text.find_first_of(" \t\r\n=/>", at), text.size());
        const std::string_view name = text.substr(at, end - at);
        const std::size_t open = text.find_first_of("\"'", end);
        if (name.empty() || open == std::string_view::npos) return std::nullopt;
        const std::size_t close = text.find(text[open], open + 1);
        if (close == std::string_view::npos) return std::nullopt;
        if (name == attribute) return std::pair(open + 1, close);
        at = close + 1;
    }
}

}  // namespace

EditedText::EditedText(std::string_view text) : ends_with_newline_(text.empty() || text.ends_with('\n')) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    for (const std::string_view line : split(text, '\n')) lines_.push_back({std::string(line), std::string(line)});
}

bool EditedText::apply(const Repair& repair) {
    // Backwards, so that earlier positions stay valid; a line is inserted before its tag after the tag was edited.
    std::vector<TextEdit> edits = repair.edits;
    std::ranges::stable_sort(edits, std::ranges::greater(), [](const TextEdit& edit) {
        return std::tuple(edit.line, edit.column, !edit.attribute.empty());
    });
    const bool all_there = std::ranges::all_of(edits, [&](const TextEdit& edit) { return apply(edit); });
    ++repairs_;
    return all_there;
}

std::optional<Repair> EditedText::without(std::size_t i, const Repair& repair) const {
    const auto is_of_it = [&](const Line& line) { return line.is_new && line.repair == i; };
    const auto moved = [&](std::uint64_t line) {
        const auto end =
            lines_.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(line, lines_.size() + 1)) - 1;
        return line - static_cast<std::uint64_t>(std::count_if(lines_.begin(), end, is_of_it));
    };
    Repair result = repair;
    for (TextEdit& edit : result.edits) {
        if (!edit.attribute.empty() && edit.line <= lines_.size() && is_of_it(lines_[edit.line - 1]))
            return std::nullopt;
        edit.line = moved(edit.line);
        if (edit.indented_as > 0) edit.indented_as = moved(edit.indented_as);
    }
    return result;
}

bool EditedText::apply(const TextEdit& edit) {
    if (edit.line == 0 || edit.line > lines_.size()) return false;
    const auto byte = byte_of(lines_[edit.line - 1].now, edit.column);
    if (!byte) return false;
    if (!edit.attribute.empty()) return set_attribute(edit, *byte);
    insert(edit, *byte);
    return true;
}

bool EditedText::set_attribute(const TextEdit& edit, std::size_t byte) {
    constexpr std::size_t lines_max = 64;  // of a tag
    std::string tag = lines_[edit.line - 1].now.substr(byte);
    for (std::size_t line = edit.line - 1;;) {
        if (const auto value = value_in_tag(tag, edit.attribute)) {
            // The value is in the last line of the tag so far; otherwise it would have been found before.
            std::string& now = lines_[line].now;
            const std::size_t behind = tag.size() - value->second;
            const std::size_t length = value->second - value->first;
            if (behind + length > now.size()) return false;
            now.replace(now.size() - behind - length, length, edit.text);
            return true;
        }
        ++line;
        if (line == lines_.size() || line >= edit.line + lines_max) return false;
        tag += '\n' + lines_[line].now;
    }
}

/// Inserts whole lines if the position is the first of its line, else text within it.
void EditedText::insert(const TextEdit& edit, std::size_t byte) {
    std::string& at = lines_[edit.line - 1].now;
    const bool begins_line = indentation_of(std::string_view(at).substr(0, byte)).size() == byte;
    std::vector<Line> lines;
    std::string within;
    std::string_view text = edit.text;
    if (text.ends_with('\n')) text.remove_suffix(1);
    const bool is_indented = edit.indented_as > 0 && edit.indented_as <= lines_.size();
    const std::string indentation(is_indented ? indentation_of(lines_[edit.indented_as - 1].now) : "");
    for (const std::string_view line : split(text, '\n')) {
        within += line.substr(indentation_of(line).size());
        lines.push_back({fmt::format("{}{}{}", indentation, line, at.ends_with('\r') ? "\r" : ""), {}, true, repairs_});
    }
    if (!begins_line)
        at.insert(byte, within);
    else
        lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(edit.line - 1),
                      std::make_move_iterator(lines.begin()), std::make_move_iterator(lines.end()));
}

std::string EditedText::text() const {
    std::string text;
    for (const Line& line : lines_) {
        text += line.now;
        text += '\n';
    }
    if (!ends_with_newline_) text.pop_back();
    return text;
}

std::string EditedText::patch(std::string_view name) const {
    constexpr std::size_t around = 3;
    std::string patch;
    std::size_t before = 0;  // lines of the original text
    std::size_t counted = 0;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
        if (lines_[i].stays()) continue;
        const std::size_t begin = i - std::min(i, around);
        std::size_t last = i;
        for (std::size_t j = i; j < lines_.size() && j <= last + 2 * around; ++j)
            if (!lines_[j].stays()) last = j;
        const std::size_t end = std::min(last + around + 1, lines_.size());
        for (; counted < begin; ++counted) before += lines_[counted].is_new ? 0 : 1;
        patch += hunk(begin, end, before);
        i = end - 1;
    }
    if (patch.empty()) return patch;
    std::string shown(name);
    std::ranges::replace_if(
        shown, [](unsigned char c) { return c < 0x20; }, '?');
    if (shown.find(' ') != std::string::npos) shown += '\t';  // a tab ends the name
    return fmt::format("--- {0}\n+++ {0}\n{1}", shown, patch);
}

std::string EditedText::hunk(std::size_t begin, std::size_t end, std::size_t lines_before) const {
    std::string lines;
    std::string added;
    std::size_t old_count = 0;
    std::size_t new_count = 0;
    const auto put = [&](std::string& to, char mark, const std::string& text, bool is_last) {
        to += fmt::format("{}{}\n", mark, text);
        if (is_last && !ends_with_newline_) to += "\\ No newline at end of file\n";
    };
    for (std::size_t i = begin; i < end; ++i) {
        const Line& line = lines_[i];
        const bool is_last = i + 1 == lines_.size();
        old_count += line.is_new ? 0 : 1;
        ++new_count;
        if (line.stays()) {
            lines += std::exchange(added, {});
            put(lines, ' ', line.now, is_last);
            continue;
        }
        if (!line.is_new) put(lines, '-', line.before, is_last);
        put(added, '+', line.now, is_last);
    }
    return fmt::format("@@ -{},{} +{},{} @@\n{}{}", lines_before + 1, old_count, begin + 1, new_count, lines, added);
}

}  // namespace kport
