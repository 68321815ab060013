#include "emulator/base/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "emulator/base/other_words.hpp"

namespace kport {
namespace {

bool is_control(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
}

std::string lower(std::string_view word) {
    std::string letters(word);
    for (char& c : letters)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return letters;
}

/// Returns the significant characters of a word: lower case, without '-' and '_'.
std::string bare(std::string_view word) {
    std::string letters = lower(word);
    std::erase_if(letters, [](char c) { return c == '-' || c == '_'; });
    return letters;
}

/// Returns the optimal string alignment distance, computed row by row over the letters of `a`; a swap looks back two
/// rows.
std::size_t slips(std::string_view a, std::string_view b) {
    std::vector<std::size_t> two_back(b.size() + 1);
    std::vector<std::size_t> one_back(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;

    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::swap(two_back, one_back);
        std::swap(one_back, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = a[i - 1] == b[j - 1];
            row[j] = std::min({one_back[j] + 1, row[j - 1] + 1, one_back[j - 1] + (same ? 0 : 1)});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], two_back[j - 2] + 1);
        }
    }
    return row[b.size()];
}

/// Returns the only candidate that begins with these letters; empty if there are several or none.
std::string_view only_with_beginning(std::string_view letters, std::span<const std::string_view> candidates) {
    const auto begins = [&](std::string_view c) { return bare(c).starts_with(letters); };
    const auto found = std::ranges::find_if(candidates, begins);
    if (found == candidates.end() || std::ranges::count_if(candidates, begins) != 1) return {};
    return *found;
}

constexpr std::size_t letters_max = 32;  // a longer word is no mistyped name; it may be a whole file

/// Whether the first letters match, or the first two are swapped: typing errors seldom change the first letter.
bool begin_alike(std::string_view a, std::string_view b) {
    if (a.empty() || b.empty()) return false;
    return a[0] == b[0] || (a.size() > 1 && b.size() > 1 && a[0] == b[1] && a[1] == b[0]);
}

/// Returns the candidate with these letters, or with the name that other books give it.
std::string_view called(std::string_view letters, std::span<const std::string_view> candidates) {
    const auto candidate_called = [&](std::string_view name) {
        const auto found = std::ranges::find_if(candidates, [&](std::string_view c) { return bare(c) == name; });
        return found == candidates.end() ? std::string_view() : *found;
    };
    if (letters.empty()) return {};
    if (const std::string_view same = candidate_called(letters); !same.empty()) return same;
    for (const auto& [other, name] : other_words)
        if (letters == other)
            if (const std::string_view meant = candidate_called(name); !meant.empty()) return meant;
    return {};
}

/// Returns "reducescatter" for MPI's and NCCL's "MPI_Reduce_scatter_block", as given by bare().
std::string_view without_library(std::string_view letters) {
    for (const std::string_view library : {"mpi", "nccl"}) {
        if (!letters.starts_with(library)) continue;
        letters.remove_prefix(library.size());
        for (const std::string_view variant : {"v", "block"})
            if (letters.ends_with(variant)) letters.remove_suffix(variant.size());
        break;
    }
    return letters;
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
    const std::string typed = bare(word.substr(0, letters_max));
    std::string_view best;
    std::size_t best_slips = std::numeric_limits<std::size_t>::max();
    for (const std::string_view candidate : candidates) {
        const std::string letters = bare(candidate);
        const std::size_t longer = std::max(typed.size(), letters.size());
        const std::size_t shorter = std::min(typed.size(), letters.size());
        const std::size_t slips_max = longer <= 5 ? 1 : 2;
        if (!begin_alike(typed, letters) || longer - shorter > slips_max) continue;  // each surplus letter is a slip
        const std::size_t distance = slips(typed, letters);
        if (distance <= slips_max && distance < best_slips) {
            best = candidate;
            best_slips = distance;
        }
    }
    return best;
}

bool same_but_for_signs(std::string_view a, std::string_view b) { return bare(a) == bare(b); }

std::string_view meant_by(std::string_view word, std::span<const std::string_view> candidates) {
    const std::string letters = bare(word.substr(0, letters_max));
    if (const std::string_view meant = called(letters, candidates); !meant.empty()) return meant;
    const std::string_view typed = without_library(letters);
    if (const std::string_view meant = called(typed, candidates); !meant.empty()) return meant;
    constexpr std::size_t beginning_min = 3;
    if (typed.size() >= beginning_min)
        if (const std::string_view meant = only_with_beginning(typed, candidates); !meant.empty()) return meant;
    return nearest(typed, candidates);
}

std::string_view called_so(std::string_view word, std::span<const std::string_view> candidates) {
    return called(bare(word.substr(0, letters_max)), candidates);
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
    const std::string_view meant = meant_by(word, candidates);
    return meant.empty() ? std::string() : fmt::format("; did you mean '{}'?", meant);
}

std::string Quoted::operator()(std::string_view word) const {
    constexpr std::size_t bytes_max = 80;
    const std::string text = one_line(word, bytes_max);
    return text.size() < word.size() ? "'" + text + "...'" : "'" + text + "'";
}

std::string one_line(std::string_view text, std::size_t bytes_max) {
    std::size_t bytes = text.size();
    if (bytes > bytes_max) {
        bytes = bytes_max;
        // A cut inside a UTF-8 sequence would leave half a character: step back over its continuation bytes.
        while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) --bytes;
    }
    std::string line(text.substr(0, bytes));
    for (char& c : line) c = is_control(c) ? '?' : c;
    return line;
}

std::string as_shell_word(std::string_view text) {
    const auto plain = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               std::string_view(",.+-_:/").find(c) != std::string_view::npos;
    };
    const auto is_inner = [&](char c) { return plain(c) || c == '='; };  // at the begin zsh looks for a command
    if (!text.empty() && plain(text.front()) && std::ranges::all_of(text, is_inner)) return std::string(text);
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string(R"('\'')") : std::string(1, c);
    return word + "'";
}

bool has_word(std::string_view words, std::string_view word) {
    return std::ranges::count(split(words, ' '), word) != 0;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

}  // namespace kport
