/// @file seal.hpp   What a value must be, known beside it: how a changed bit, a wrong fold and a wrong name are found.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "emulator/payload/body.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace KPORT_PUBLIC kport {

struct Folding;  // node/operator.hpp

/// Seals what is made. A seal is 32 bits that follow from the contributions of a value, from its bytes and from who sealed it; or from
/// the bytes of a message's contents. A change is seen by comparing with the seal: always if it is one bit of a value of 8
/// bytes, else but for one chance in 2^32. A value of another sealer is seen always, unless 2^32 sealers were made in between.
///
/// It also makes each fold again (Folding::again), and the two must agree bit for bit, whatever the bracketing. For an operator
/// of the table that is another implementation, for a user's the same once more: his mistakes are found where results are
/// compared, if anywhere. Every run has a sealer of its own: what a program kept of an earlier run is no value of this one.
///
/// Callers   any thread.
class Sealer {
  public:
    /// Its seals are those of no other sealer. `folding` lives as long; null: it seals contents, of which nothing is folded.
    explicit Sealer(const Folding* folding = nullptr);

    /// Of one number of 8 bytes. A body of these contributions and bytes has the same; one without bytes that of the number 0.
    [[nodiscard]] Seal of(const Progression& contributions, std::uint64_t number) const {
        return seal(mixed(begun(start, contributions), number));
    }
    /// Of a segment's number, also of contributions 0 to around - 1.
    [[nodiscard]] Seal of(const Progression& contributions, std::uint32_t segment, std::uint32_t around,
                          std::uint64_t number) const {
        const auto of_segment = [&](std::uint64_t state) {
            return segment == 0 ? state : begun(mixed(state, odd), Progression{segment});
        };
        std::uint64_t state = begun(of_segment(start), contributions);
        if (around != 0) state = begun(of_segment(state), {0, 1, around});
        return seal(mixed(state, number));
    }
    [[nodiscard]] Seal of(std::span<const PacketBlock> contributions, std::span<const std::byte> value) const;
    /// Of a message's contents, of any size.
    [[nodiscard]] Seal of_contents(std::span<const std::byte> contents) const;
    /// Of left op right, which has those contributions.
    [[nodiscard]] Seal of_fold(const Progression& contributions, std::uint64_t left, std::uint64_t right) const {
        return of(contributions, fold(left, right));
    }
    [[nodiscard]] Seal of_fold(std::span<const PacketBlock> contributions, std::span<const std::byte> left,
                               std::span<const std::byte> right) const;
    /// of(), and copies the value: of a large one each piece while it is in the cache.
    [[nodiscard]] Seal of_copied(std::span<const PacketBlock> contributions, std::span<const std::byte> value,
                                 std::byte* into) const;
    struct Renamed {
        Seal before;
        Seal after;
    };
    /// of() the same value under two names: its bytes come from memory once.
    [[nodiscard]] Renamed of_renamed(std::span<const PacketBlock> before, std::span<const PacketBlock> after,
                                     std::span<const std::byte> value) const;
    /// An operand, or what is made of two.
    struct Operand {
        std::span<const PacketBlock> contributions;
        std::span<const std::byte> value;
    };
    struct Seals {
        Seal left;
        Seal right;
        Seal both;
    };
    /// of() two operands, and of_fold() of both, which is written to `into` as well: the same as three calls and the fold, but a
    /// large operand comes from memory once. Not for texts.
    [[nodiscard]] Seals of_folded(std::span<const PacketBlock> contributions, const Operand& left, const Operand& right,
                                  std::byte* into) const;

    /// A value that is written piece by piece (node/sealed_copy.hpp).
    class Copy;

    /// What tells its seals from those of others: it is added to each.
    [[nodiscard]] Seal own() const { return own_; }
    /// left op right, of elements of 8 bytes.
    [[nodiscard]] std::uint64_t fold(std::uint64_t left, std::uint64_t right) const;

  private:
    static constexpr std::uint64_t start = 0x243F6A8885A308D3;  // pi
    static constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;    // the golden ratio
    /// One to one in the state and in the word. A product's upper bits depend on all of the word; they go to the lower half,
    /// so that numbers which differ in their upper bits alone, as small whole doubles do, are told apart by their places.
    [[nodiscard]] static std::uint64_t mixed(std::uint64_t state, std::uint64_t word) {
        return std::rotl((state ^ word) * odd, 32);
    }
    /// The contributions come before the bytes. Most are neighbours, which costs one product.
    [[nodiscard]] static std::uint64_t begun(std::uint64_t state, const Progression& contributions) {
        if (contributions.stride != 1) [[unlikely]]
            state = mixed(state, contributions.stride);
        return mixed(state, std::uint64_t{contributions.count} << 32 | contributions.first);
    }
    [[nodiscard]] static std::uint64_t begun(std::span<const PacketBlock> contributions) {
        std::uint64_t state = start;
        for (const PacketBlock& block : contributions) {
            if (block.row != 0 || block.rows != 1) [[unlikely]]  // its segments
                state = begun(mixed(state, odd), block.all_rows());
            state = begun(state, block.columns());
        }
        return state;
    }
    [[nodiscard]] Seal seal(std::uint64_t state) const { return static_cast<Seal>(state) + own_; }

    /// Takes a value's bytes piece by piece.
    class Mixing;

    Seal own_;  ///< what tells its seals from those of others
    const Folding* folding_;
};

}  // namespace kport
