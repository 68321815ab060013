/// @file letter.hpp   Writing and reading messages between ranks, and one value from every rank.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "emulator/base/error.hpp"
#include "emulator/ranks/ranks.hpp"

namespace kport {

class LetterWriter;

/// Whether T is a text, or a vector of trivial values without travel().
template <class T>
inline constexpr bool lies_in_one_piece = requires(T values) {
    values.data();
}
&&std::is_trivially_copyable_v<typename T::value_type> &&
    !requires(typename T::value_type value, LetterWriter& archive) {
    value.travel(archive);
};

/// Alignment of values used in place; a letter itself is aligned as all that `new` returns.
inline constexpr std::size_t letter_alignment = 8;

/// Appends to a letter. All ranks run one build on one kind of processor, so values are sent as they lie in memory.
class LetterWriter {
  public:
    explicit LetterWriter(Letter& letter) : letter_(letter) {}

    template <class T>
    void put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        put_bytes(std::as_bytes(std::span(&value, 1)));
    }
    /// The number of values, then the values.
    template <class T>
    void put_all(std::span<const T> values) {
        static_assert(std::is_trivially_copyable_v<T>);
        put(static_cast<std::uint64_t>(values.size()));
        put_bytes(std::as_bytes(values));
    }
    /// Appends values of any kind: trivial ones, texts, vectors of them, and types with travel(archive).
    template <class... Values>
    void operator()(Values&... values) {
        (write(values), ...);
    }
    void put_bytes(std::span<const std::byte> bytes) { letter_.insert(letter_.end(), bytes.begin(), bytes.end()); }
    /// Appends values that the reader uses in place.
    template <class T>
    void put_in_place(std::span<const T> values) {
        static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= letter_alignment);
        letter_.resize((letter_.size() + letter_alignment - 1) / letter_alignment * letter_alignment);
        put_bytes(std::as_bytes(values));
    }
    /// Appends `bytes` bytes, which the caller fills in before it appends anything else.
    [[nodiscard]] std::span<std::byte> room_for(std::size_t bytes) {
        letter_.resize(letter_.size() + bytes);
        return std::span(letter_).last(bytes);
    }

  private:
    template <class T>
    void write(T& value) {
        if constexpr (requires { value.travel(*this); }) {
            value.travel(*this);
        } else if constexpr (std::is_trivially_copyable_v<T>) {
            put(value);
        } else if constexpr (lies_in_one_piece<T>) {
            put_all(std::span(std::as_const(value)));
        } else {
            put(static_cast<std::uint64_t>(value.size()));
            for (auto& member : value) write(member);
        }
    }

    Letter& letter_;
};

/// Reads what a LetterWriter wrote, in the same order.
class LetterReader {
  public:
    explicit LetterReader(Letter& letter) : letter_(letter) {}

    [[nodiscard]] bool at_end() const { return at_ == letter_.size(); }
    template <class T>
    [[nodiscard]] T get() {
        static_assert(std::is_trivially_copyable_v<T>);
        T value;
        const std::span<const std::byte> bytes = get_bytes(sizeof value);
        std::memcpy(&value, bytes.data(), sizeof value);
        return value;
    }
    template <class T>
    [[nodiscard]] std::vector<T> get_all() {
        std::vector<T> values(get<std::uint64_t>());
        const std::span<const std::byte> bytes = get_bytes(values.size() * sizeof(T));
        if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
        return values;
    }
    template <class... Values>
    void operator()(Values&... values) {
        (read(values), ...);
    }
    /// Returns the next bytes. They live as long as the letter.
    [[nodiscard]] std::span<std::byte> get_bytes(std::size_t count) {
        if (count > letter_.size() - at_)
            throw RequestError(
                "a letter of another rank ends too early; want Ranks::exchange() to bring what was sent");
        at_ += count;
        return std::span(letter_).subspan(at_ - count, count);
    }
    /// Returns values that were appended in place. They live as long as the letter.
    template <class T>
    [[nodiscard]] std::span<T> get_in_place(std::size_t count) {
        static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= letter_alignment);
        at_ = (at_ + letter_alignment - 1) / letter_alignment * letter_alignment;
        return {reinterpret_cast<T*>(get_bytes(count * sizeof(T)).data()), count};
    }

  private:
    template <class T>
    void read(T& value) {
        if constexpr (requires { value.travel(*this); }) {
            value.travel(*this);
        } else if constexpr (std::is_trivially_copyable_v<T>) {
            value = get<T>();
        } else {
            value.resize(get<std::uint64_t>());
            if constexpr (lies_in_one_piece<T>) {
                const std::span<const std::byte> bytes = get_bytes(value.size() * sizeof(*value.data()));
                if (!bytes.empty()) std::memcpy(value.data(), bytes.data(), bytes.size());
            } else {
                for (auto& member : value) read(member);
            }
        }
    }

    Letter& letter_;
    std::size_t at_ = 0;
};

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
