#include "emulator/base/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include <fmt/format.h>

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

/// Letters and signs that tell words apart: no case, '-' or '_'.
std::string bare(std::string_view word) {
    std::string letters = lower(word);
    std::erase_if(letters, [](char c) { return c == '-' || c == '_'; });
    return letters;
}

/// What other books and libraries call a thing, as bare() gives it, and its name here. A word may stand several times: the
/// first whose name is a candidate counts.
constexpr std::pair<std::string_view, std::string_view> other_words[] = {
    {"bcast", "broadcast"},
    {"onetoall", "broadcast"},
    {"multicast", "broadcast"},
    {"distribute", "scatter"},
    {"collect", "gather"},
    {"reduction", "reduce"},
    {"fold", "reduce"},
    {"prefix", "scan"},
    {"prefixsum", "scan"},
    {"prefixsums", "scan"},
    {"gossip", "allgather"},
    {"all2all", "alltoall"},
    {"totalexchange", "alltoall"},
    {"transpose", "alltoall"},
    {"wormhole", "wh"},
    {"cutthrough", "wh"},
    {"ct", "wh"},
    {"storeandforward", "sf"},
    {"saf", "sf"},
    {"yes", "on"},
    {"true", "on"},
    {"yes", "copy"},
    {"on", "copy"},
    {"of", "off"},
    {"no", "off"},
    {"false", "off"},
    {"no", "none"},
    {"off", "none"},
    {"add", "sum"},
    {"plus", "sum"},
    {"+", "sum"},
    {"maximum", "max"},
    {"minimum", "min"},
    {"float", "double"},
    {"real", "double"},
    {"int", "int64"},
    {"integer", "int64"},
    {"text", "string"},
    {"halfduplex", "half"},
    {"fullduplex", "full"},
    {"fast", "free"},
    {"async", "free"},
    {"rounds", "lockstep"},
    {"lose", "drop"},
    {"loss", "drop"},
    {"duplicate", "double"},
    {"binomial", "sbt"},
    {"binomialtree", "sbt"},
    {"recursivedoubling", "rda"},
    {"ops", "operations"},
    {"algos", "algorithms"},
    {"graphs", "topologies"},
    {"networks", "topologies"},
    {"machines", "topologies"},
    {"benchmark", "bench"},
    {"test", "stress"},
    {"fuzz", "stress"},
    {"show", "list"},
    {"ls", "list"},
    {"hardware", "chip"},
    {"cpu", "chip"},
    {"derive", "explain"},
    {"why", "explain"},
    {"from", "source"},
    {"tw", "tm"},
    {"th", "td"},
    {"startup", "ts"},
    {"k", "ports"},
    {"p", "ports"},
    {"j", "threads"},
    {"o", "on"},
    {"size", "bytes"},
    {"network", "on"},
    {"graph", "on"},
    {"machine", "on"},
    {"algo", "algorithm"},
    {"a", "algorithm"},
    {"b", "bytes"},
    {"s", "source"},
    {"t", "threads"},
    {"nocombining", "combining"},
    {"repeat", "repetitions"},
    {"reps", "repetitions"},
    {"rounds", "perround"},
    {"duration", "for"},
};

/// Optimal string alignment distance, row by row over the letters of `a`; a swap looks back two rows.
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

/// The only candidate that begins with these letters; empty if there are several or none.
std::string_view only_with_beginning(std::string_view letters, std::span<const std::string_view> candidates) {
    const auto begins = [&](std::string_view c) { return bare(c).starts_with(letters); };
    const auto found = std::ranges::find_if(candidates, begins);
    if (found == candidates.end() || std::ranges::count_if(candidates, begins) != 1) return {};
    return *found;
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
    constexpr std::size_t letters_max = 32;  // a longer word is no mistyped name; it may be a whole file
    const std::string typed = lower(word.substr(0, letters_max));
    std::string_view best;
    std::size_t best_slips = std::numeric_limits<std::size_t>::max();
    for (const std::string_view candidate : candidates) {
        const std::size_t longer = std::max(typed.size(), candidate.size());
        const std::size_t shorter = std::min(typed.size(), candidate.size());
        if (longer - shorter >= best_slips) continue;  // each letter too many is a slip
        const std::size_t distance = slips(typed, lower(candidate));
        if (distance < best_slips) {
            best = candidate;
            best_slips = distance;
        }
    }
    const bool is_near = best_slips <= std::max<std::size_t>(1, std::max(typed.size(), best.size()) / 3);
    return is_near ? best : std::string_view();
}

bool same_but_for_signs(std::string_view a, std::string_view b) { return bare(a) == bare(b); }

std::string_view meant_by(std::string_view word, std::span<const std::string_view> candidates) {
    constexpr std::size_t letters_max = 32;
    const std::string typed = bare(word.substr(0, letters_max));
    const auto candidate_called = [&](std::string_view name) {
        const auto found = std::ranges::find_if(candidates, [&](std::string_view c) { return bare(c) == name; });
        return found == candidates.end() ? std::string_view() : *found;
    };
    if (!typed.empty())
        if (const std::string_view same = candidate_called(typed); !same.empty()) return same;
    for (const auto& [other, name] : other_words)
        if (typed == other)
            if (const std::string_view meant = candidate_called(name); !meant.empty()) return meant;
    constexpr std::size_t beginning_min = 3;
    if (typed.size() >= beginning_min)
        if (const std::string_view meant = only_with_beginning(typed, candidates); !meant.empty()) return meant;
    return nearest(word, candidates);
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
    const std::string_view meant = meant_by(word, candidates);
    return meant.empty() ? std::string() : fmt::format("; did you mean '{}'?", meant);
}

std::string Quoted::operator()(std::string_view word) const {
    constexpr std::size_t bytes_max = 80;
    std::size_t bytes = word.size();
    if (bytes > bytes_max) {
        bytes = bytes_max;
        // A cut inside a UTF-8 sequence would leave half a letter: step back over its continuation bytes.
        while (bytes > 0 && (static_cast<unsigned char>(word[bytes]) & 0xC0U) == 0x80U) --bytes;
    }
    std::string text(word.substr(0, bytes));
    for (char& c : text) c = is_control(c) ? '?' : c;
    return bytes < word.size() ? "'" + text + "...'" : "'" + text + "'";
}

std::string as_shell_word(std::string_view text) {
    const auto plain = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               std::string_view(",.+-_:/").find(c) != std::string_view::npos;
    };
    if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return std::string(text);
    std::string word = "'";
    for (const char c : text) word += c == '\'' ? std::string(R"('\'')") : std::string(1, c);
    return word + "'";
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
