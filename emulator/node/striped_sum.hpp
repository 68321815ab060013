/// @file striped_sum.hpp   Eight sums of the words of a large value, by which it is sealed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace kport {

/// Sums that follow from words and from their places, as XXH3 makes them: word n is added to the sum beside its own, and the product
/// of its two halves, each mixed with what stands for n, to its own. Another word, alone, always changes the sum beside it.
///
/// Which instructions the processor has makes a difference of speed alone: ranks on several kinds of them agree.
///
/// Cost   a quarter of a cycle a word, or one where there are no wide registers.
class StripedSum {
  public:
    static constexpr std::size_t lanes = 8;
    static constexpr std::size_t stripe = lanes * sizeof(std::uint64_t);
    using Lanes = std::array<std::uint64_t, lanes>;

    StripedSum();
    /// Whole stripes.
    void add(std::span<const std::byte> bytes) { add_(*this, bytes); }
    [[nodiscard]] const Lanes& sums() const { return sums_; }

    /// One of several ways to do the same.
    struct Way {
        std::string_view name;
        void (*add)(StripedSum&, std::span<const std::byte> bytes);
    };
    /// Those that this processor knows, the fastest last; the first one every processor knows.
    [[nodiscard]] static std::span<const Way> ways();
    /// Adds in one of them, to compare them.
    explicit StripedSum(const Way& way);

  private:
    struct Implementation;
    static const Way& fastest();

    alignas(stripe) Lanes sums_;
    alignas(stripe) Lanes keys_;  ///< of the words of the next stripe
    void (*add_)(StripedSum&, std::span<const std::byte> bytes);
};

}  // namespace kport
