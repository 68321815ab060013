/// @file everyones.hpp   Gathers one value from every rank.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "emulator/ranks/letter.hpp"

namespace kport {

/// The values of all ranks, in the order of ranks. T is trivial, or shows its parts by travel(archive).
///
/// Callers   one thread of each rank; all ranks call in the same order.
template <class T>
[[nodiscard]] std::vector<T> everyones(Ranks& ranks, T own) {
    Letter letter;
    LetterWriter writer(letter);
    writer(own);
    std::vector<Letter> letters(ranks.size(), letter);
    ranks.exchange(letters);
    std::vector<T> all(ranks.size(), own);
    for (unsigned r = 0; r < ranks.size(); ++r) {
        if (r == ranks.rank()) continue;
        LetterReader reader(letters[r]);
        reader(all[r]);
    }
    return all;
}

/// Whether `own` is true on some rank. Called by every rank.
[[nodiscard]] inline bool any_says(Ranks& ranks, bool own) {
    return std::ranges::any_of(everyones(ranks, static_cast<std::uint8_t>(own ? 1 : 0)),
                               [](std::uint8_t says) { return says != 0; });
}

}  // namespace kport
