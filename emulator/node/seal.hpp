/// @file seal.hpp   What the bytes of a value must be, known beside them: how a changed bit and a wrong fold are found.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace [[gnu::visibility("default")]] kport {

enum class Operator : std::uint8_t;  // node/reduction.hpp
enum class ElementType : std::uint8_t;

/// 32 bits that follow from the bytes of a value and from who sealed it, and go with the value. A change of the bytes is
/// seen by comparing them with their seal: always if it is one bit of a value of 8 bytes, else but for one chance in 2^32.
/// A value of another sealer is seen always, unless 2^32 sealers were made in between.
using Seal = std::uint32_t;

/// Seals what is made, and says what a fold must give. It has an operator of its own: the fold whose bytes move is made by a
/// Folder, and the two must agree bit for bit, whatever the bracketing. Every run has a sealer of its own: what a program
/// kept of an earlier run is no value of this one.
///
/// Callers   any thread.
class Sealer {
  public:
    /// Its seals are those of no other sealer.
    Sealer(Operator op, ElementType type);

    /// Of one number of 8 bytes; a body of these bytes has the same.
    [[nodiscard]] Seal of(std::uint64_t number) const { return seal(mixed(start, number)); }
    [[nodiscard]] Seal of(std::span<const std::byte> value) const;
    /// Of left op right.
    [[nodiscard]] Seal of_fold(std::uint64_t left, std::uint64_t right) const { return of(fold(left, right)); }
    [[nodiscard]] Seal of_fold(std::span<const std::byte> left, std::span<const std::byte> right) const;

    /// left op right, of numbers.
    [[nodiscard]] std::uint64_t fold(std::uint64_t left, std::uint64_t right) const;

  private:
    static constexpr std::uint64_t start = 0x243F6A8885A308D3;  // pi
    static constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;    // the golden ratio
    /// One to one in the state and in the word. A product's upper bits depend on all of the word; they go to the lower half,
    /// so that numbers which differ in their upper bits alone, as small whole doubles do, are told apart by their places.
    [[nodiscard]] static std::uint64_t mixed(std::uint64_t state, std::uint64_t word) {
        return std::rotl((state ^ word) * odd, 32);
    }
    [[nodiscard]] Seal seal(std::uint64_t state) const { return static_cast<Seal>(state) + own_; }

    Seal own_;  ///< what tells its seals from those of others
    Operator op_;
    ElementType type_;
};

}  // namespace kport
