/// @file nearest.hpp   Mistyped words: the valid word that was probably meant, and safe quoting of the typed one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kport {

/// Returns the candidate with the fewest slips from `word`: a slip inserts, deletes or replaces one letter or swaps two
/// neighbours (optimal string alignment); case, '-' and '_' do not count. The first of equals wins. Empty if no
/// candidate is near: within one slip, or two where the longer word has six letters or more, and with the same first
/// letter or the first two swapped. The result points into the candidates' text.
/// Cost      O(|word| * total length of the candidates).
[[nodiscard]] std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

/// Whether the words are equal, ignoring case, '-' and '_'.
[[nodiscard]] bool same_but_for_signs(std::string_view a, std::string_view b);

/// Returns the candidate that a newcomer calls `word`: 'bcast' is broadcast, 'wormhole' wh, 'all_reduce' allreduce.
/// Case, '-', '_', and the prefixes and suffixes of MPI and NCCL are ignored. Otherwise the only candidate that begins
/// with `word`, if that has three letters or more; otherwise the nearest.
[[nodiscard]] std::string_view meant_by(std::string_view word, std::span<const std::string_view> candidates);

/// Returns the candidate with that name, or with that name in other books, without guessing.
[[nodiscard]] std::string_view called_so(std::string_view word, std::span<const std::string_view> candidates);

/// Returns "; did you mean 'ring'?" for a message about an unknown word; empty if no candidate is near.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

/// The word in single quotes, safe inside a one-line message: control characters become '?', and a word longer than 80
/// bytes is cut and ends in "...". An object, because a function would compete with std::quoted for std::string
/// arguments.
struct Quoted {
    [[nodiscard]] std::string operator()(std::string_view word) const;
};
inline constexpr Quoted quoted;

/// Returns the text on one line: control characters become '?'. Beyond `bytes_max` it is cut before a whole UTF-8
/// character.
[[nodiscard]] std::string one_line(std::string_view text, std::size_t bytes_max);

/// Whether `word` is one of the space-separated words.
[[nodiscard]] bool has_word(std::string_view words, std::string_view word);

/// Quotes a text for a shell, so that it is one word.
[[nodiscard]] std::string as_shell_word(std::string_view text);

/// Returns the parts of the text between separators, empty parts included: "4x" gives "4" and "", "" gives one empty
/// part. The parts point into the text.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace kport
