/// @file arrivals.hpp   The messages that have come to a node and wait to be received.
#pragma once

#include <cstdint>
#include <functional>
#include <tuple>
#include <utility>

#include "emulator/node/arrival.hpp"
#include "emulator/node/waiting.hpp"

namespace KPORT_PUBLIC kport {

/// Letters, each a message, in the order in which a program gets them: that of (round, sender, port).
///
/// A ring of letters, of which the last is at hand, in one word of the node: nearly always mail comes in order and is received
/// in order. Where more than walk_most letters stand before the place of one that comes, or before one that is asked for, there
/// is an index until all are taken: N messages of a round that a program receives in an order of its own take O(N log N).
///
/// Memory    letters are the caller's. An index is on the heap, and ends with the last letter.
/// Callers   the thread that runs the node.
class Arrivals {
  public:
    struct Letter {
        Arrival arrival;
        Letter* next = nullptr;
    };
    static constexpr int walk_most = 64;

    [[nodiscard]] bool empty() const { return word_ == 0; }
    /// Of letters that are there.
    [[nodiscard]] const Letter& first() const { return is_ring() ? *last()->next : first_in_index(); }
    /// What is looked at first, to be fetched; null if there are no letters.
    [[nodiscard]] const void* memory() const { return last(); }

    void insert(Letter* letter) {
        if (empty()) {
            set_last(letter->next = letter);
        } else if (is_ring() && !is_before(*letter, *last())) {
            letter->next = std::exchange(last()->next, letter);
            set_last(letter);
        } else {
            insert_between(letter);
        }
    }
    /// Whether a letter is there that is waited for.
    [[nodiscard]] bool has(const Wait& wait) { return !empty() && (brings(first(), wait) || has_later(wait)); }
    /// Takes out the first that is waited for; there is one.
    [[nodiscard]] Letter* take(const Wait& wait) {
        return is_ring() && brings(*last()->next, wait) ? take_behind(last()) : take_later(wait);
    }
    /// Takes out the first; null if there is none.
    [[nodiscard]] Letter* take_first();
    /// In order.
    void for_each(const std::function<void(const Arrival&)>& act) const;

  private:
    class Index;
    static constexpr std::uintptr_t index_bit = 1;  // no letter stands at an odd address

    [[nodiscard]] static auto order(const Letter& letter) {
        return std::tuple(letter.arrival.round, letter.arrival.from, letter.arrival.port);
    }
    [[nodiscard]] static bool is_before(const Letter& a, const Letter& b) { return order(a) < order(b); }
    [[nodiscard]] static bool brings(const Letter& letter, const Wait& wait) {
        return wait.is_for(letter.arrival.from, letter.arrival.port);
    }
    [[nodiscard]] bool is_ring() const { return (word_ & index_bit) == 0; }
    [[nodiscard]] Letter* last() const { return reinterpret_cast<Letter*>(word_); }
    void set_last(Letter* letter) { word_ = reinterpret_cast<std::uintptr_t>(letter); }
    [[nodiscard]] Letter* take_behind(Letter* before) {
        Letter* const letter = std::exchange(before->next, before->next->next);
        if (letter == last()) set_last(letter == before ? nullptr : before);
        return letter;
    }

    [[nodiscard]] const Letter& first_in_index() const;
    void insert_between(Letter* letter);
    [[nodiscard]] bool has_later(const Wait& wait);
    [[nodiscard]] Letter* take_later(const Wait& wait);
    /// The letter of the ring behind which stands the first that is wanted; null if there is none, or an index instead of the ring.
    template <class Wanted>
    [[nodiscard]] Letter* walk(Wanted wanted);
    [[nodiscard]] Index& index() const { return *reinterpret_cast<Index*>(word_ & ~index_bit); }
    void make_index();
    [[nodiscard]] Letter* take_of_index(Letter* letter);

    std::uintptr_t word_ = 0;  ///< the last letter of the ring, or the index and its bit
};

}  // namespace kport
