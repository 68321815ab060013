/// @file letter.hpp   Writing and reading what ranks send one another.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "emulator/base/error.hpp"
#include "emulator/ranks/ranks.hpp"

namespace kport {

/// Appends to a letter. All ranks are one build on one kind of processor, so values travel as they lie in memory.
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
    /// Appends values of any kind: trivial ones, texts, vectors of them, and what shows its parts by travel(archive).
    template <class... Values>
    void operator()(Values&... values) {
        (write(values), ...);
    }
    void put_bytes(std::span<const std::byte> bytes) { letter_.insert(letter_.end(), bytes.begin(), bytes.end()); }

  private:
    template <class T>
    void write(T& value) {
        if constexpr (requires { value.travel(*this); }) {
            value.travel(*this);
        } else if constexpr (std::is_trivially_copyable_v<T>) {
            put(value);
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
    explicit LetterReader(std::span<const std::byte> letter) : rest_(letter) {}

    [[nodiscard]] bool at_end() const { return rest_.empty(); }
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
    /// They live as long as the letter.
    [[nodiscard]] std::span<const std::byte> get_bytes(std::size_t count) {
        invariant(count <= rest_.size(), "a letter is read as it was written");
        const std::span<const std::byte> bytes = rest_.first(count);
        rest_ = rest_.subspan(count);
        return bytes;
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
            for (auto& member : value) read(member);
        }
    }

    std::span<const std::byte> rest_;
};

}  // namespace kport
