/// @file data.hpp   The contents of a message: bytes that a program sends.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <ranges>
#include <span>
#include <type_traits>

namespace KPORT_PUBLIC kport {

/// What may be sent as it stands in memory, byte for byte. A span or another view names bytes elsewhere: see Data.
template <class T>
concept SentAsBytes = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::ranges::view<T>;

/// What was written byte for byte.
template <SentAsBytes T>
[[nodiscard]] T from_bytes(const std::byte* bytes) {
    std::array<std::byte, sizeof(T)> copy;
    std::memcpy(copy.data(), bytes, sizeof(T));
    return std::bit_cast<T>(copy);
}

/// The contents of a message, for `co_await self.send(port, Data(x))`. Small ones are copied into it; of larger ones and of
/// spans it names the memory, which must stay as it is until the await is over. Arrival::as() gives them back.
///
/// Trivial to copy and to destroy on purpose (see Packet).
class Data {
  public:
    /// So many bytes are copied.
    static constexpr std::size_t inside_max = 32;

    template <SentAsBytes T>
    explicit Data(const T& x) {
        if constexpr (sizeof(T) <= inside_max) {
            std::memcpy(inside_.data(), &x, sizeof(T));
            size_ = sizeof(T);
        } else {
            name(std::as_bytes(std::span(&x, 1)));
        }
    }
    /// A large temporary would be gone before it is sent: give it a name.
    template <SentAsBytes T>
    requires(sizeof(T) > inside_max) explicit Data(const T&& x) = delete;
    template <SentAsBytes T, std::size_t extent>
    explicit Data(std::span<T, extent> all) {
        name(std::as_bytes(all));
    }

    [[nodiscard]] std::span<const std::byte> bytes() const {
        return {outside_ != nullptr ? outside_ : inside_.data(), size_};
    }

  private:
    void name(std::span<const std::byte> bytes) {
        outside_ = bytes.data();
        size_ = bytes.size();
    }

    std::array<std::byte, inside_max> inside_{};
    const std::byte* outside_ = nullptr;
    std::size_t size_ = 0;
};
static_assert(std::is_trivially_copyable_v<Data> && std::is_trivially_destructible_v<Data>);

}  // namespace kport
