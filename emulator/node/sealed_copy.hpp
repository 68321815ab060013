/// @file sealed_copy.hpp   A value's bytes written one after the other, and its seal in the same pass.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "emulator/base/processor.hpp"
#include "emulator/node/seal.hpp"
#include "emulator/node/striped_sum.hpp"

namespace kport {

/// The words of a value one after the other. A product waits for the one before it: those of a large value go to sums that wait for
/// nothing (StripedSum), which are mixed at the end.
class Sealer::Mixing {
  public:
    /// Of pieces of a large value all but the last have a multiple of so many bytes.
    static constexpr std::size_t group = StripedSum::stripe;
    static constexpr std::size_t large = 4 * group;
    /// Pieces of a large value that are used several times while they are in the first cache.
    static constexpr std::size_t in_cache = 4096;

    /// Of a large value.
    explicit Mixing(std::uint64_t state) : state_(state) {}

    void add(std::span<const std::byte> bytes) {
        const std::size_t in_sums = bytes.size() / group * group;
        sums_.add(bytes.first(in_sums));
        state_ = in_one_chain(state_, bytes.subspan(in_sums));
    }
    /// The state after all bytes.
    [[nodiscard]] std::uint64_t end() const { return end(state_); }
    /// end() of all these bytes behind another state.
    [[nodiscard]] std::uint64_t end_behind(std::uint64_t other, std::span<const std::byte> all) const {
        return end(in_one_chain(other, all.last(all.size() % group)));
    }
    /// end() of all bytes at once; none count as the number 0.
    [[nodiscard]] static std::uint64_t of(std::uint64_t state, std::span<const std::byte> bytes);

  private:
    [[nodiscard]] static std::uint64_t in_one_chain(std::uint64_t state, std::span<const std::byte> bytes);
    [[nodiscard]] std::uint64_t end(std::uint64_t state) const;

    std::uint64_t state_;  ///< after the bytes that fill no group
    StripedSum sums_;
};

/// Writes a large value and seals it, each byte coming from memory once.
///
/// Callers   one task.
class Sealer::Copy {
  public:
    /// A value of fewer bytes is copied and sealed as fast by itself.
    static constexpr std::size_t pays_from = Mixing::in_cache;

    /// Of `size` bytes, at least Mixing::large, which come by add() in order.
    Copy(const Sealer& sealer, std::span<const PacketBlock> contributions, std::byte* into, std::size_t size)
        : sealer_(sealer), mixing_(begun(contributions)), copy_(size), into_(into) {}

    void add(std::span<const std::byte> bytes);
    /// add() of the bytes of a value; returns the value's own seal.
    [[nodiscard]] Seal add_value(std::span<const PacketBlock> contributions, std::span<const std::byte> value);
    /// The seal, when all are there.
    [[nodiscard]] Seal end();

  private:
    /// A piece that is not the last has a multiple of Mixing::group.
    void write(std::span<const std::byte> piece);

    const Sealer& sealer_;
    Mixing mixing_;
    LargeCopy copy_;
    std::byte* into_;
    std::array<std::byte, Mixing::in_cache> waiting_;  ///< what came in smaller pieces
    std::size_t waiting_bytes_ = 0;
};

}  // namespace kport
