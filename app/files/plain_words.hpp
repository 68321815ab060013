/// @file plain_words.hpp   Parses a line of the form that a program writes; anything else is refused.
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <system_error>

namespace kport {

/// The rest of a line as write_schedule() writes it, without blanks.
class PlainWords {
  public:
    explicit PlainWords(std::string_view line) : left_(line) {}

    [[nodiscard]] bool skip(std::string_view word) {
        const bool here = left_.starts_with(word);
        if (here) left_.remove_prefix(word.size());
        return here;
    }
    /// Reads an integer of at least `least` that fits, without a sign.
    template <std::unsigned_integral Number>
    [[nodiscard]] bool number(Number& into, Number least = 0) {
        const auto [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), into);
        const bool leading_zero = left_.starts_with('0') && end != left_.data() + 1;
        if (error != std::errc() || leading_zero || into < least) return false;
        left_.remove_prefix(static_cast<std::size_t>(end - left_.data()));
        return true;
    }
    /// Reads "[A,B,...]", at least one.
    template <class One>
    [[nodiscard]] bool list(const One& one) {
        if (!skip("[")) return false;
        do {
            if (!one()) return false;
        } while (skip(","));
        return skip("]");
    }
    [[nodiscard]] bool at_end() const { return left_.empty(); }

  private:
    std::string_view left_;
};

}  // namespace kport
