/// @file packet_bits.hpp   Many packets in few words: a bit each.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include <boost/container/small_vector.hpp>

#include "emulator/schedule/packet_block.hpp"

namespace kport {

/// Fewer blocks are searched as fast in a list.
inline constexpr std::size_t blocks_of_bits = 5;

/// A set of packets as bits, 64 columns of a row a word, in the window of rows and words that holds them all. Union,
/// difference and intersection cost the words that they touch, however many blocks the packets would be.
///
/// Callers   as a PacketSet.
/// Memory    a bit for each place of the window: at most about what the blocks would take.
class PacketBits {
  public:
    /// The packets of a list. Nothing where a list is the better form, which is decided here alone: they are few blocks, would
    /// fall into many more pieces, lie far apart, or are no set. `others`: with these they will be compared.
    [[nodiscard]] static std::optional<PacketBits> of(std::span<const PacketBlock> blocks,
                                                      std::span<const PacketBlock> others = {});
    PacketBits(const PacketBits& other) : window_(other.window_), words_(other.words_), size_(other.size_) {}
    PacketBits(PacketBits&& other) noexcept
        : window_(other.window_), words_(std::move(other.words_)), size_(other.size_) {}
    PacketBits& operator=(const PacketBits&) = delete;
    ~PacketBits() { delete written_.load(std::memory_order_relaxed); }

    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// Neighbours in a word are one run.
    [[nodiscard]] std::uint64_t runs() const;
    /// As blocks: the runs of every row. Made when first asked for, by any number of tasks at once.
    [[nodiscard]] std::span<const PacketBlock> blocks() const;
    [[nodiscard]] PacketBlocks written() const;

    /// Adds packets, of which it may have some. False, and nothing is changed, where a list would then be the better form.
    [[nodiscard]] bool include(const PacketBlock& packets);
    [[nodiscard]] bool include(const PacketBits& others);
    /// Removes those that are there; returns how many.
    std::uint64_t remove(const PacketBlock& packets);
    std::uint64_t remove(const PacketBits& others);
    /// Removes all that the other does not have.
    void keep(const PacketBits& others);
    /// The lowest row's lowest packet; there must be one.
    [[nodiscard]] PacketBlock lowest() const;

    /// How many of some packets it has; which of them, and which it lacks, appended to a list.
    [[nodiscard]] std::uint64_t common_size(const PacketBlock& packets) const;
    void append_common(const PacketBlock& packets, PacketBlocks& to) const;
    void append_lacking(const PacketBlock& packets, PacketBlocks& to) const;

  private:
    struct Window {
        std::uint32_t row = 0;
        std::uint32_t rows = 0;  ///< 0: none
        std::uint32_t word = 0;  ///< with the columns from 64 * word on
        std::uint32_t width = 0;

        void take(const Window& other);
        [[nodiscard]] Window with_room(const Window& before) const;
        [[nodiscard]] std::uint64_t size() const { return std::uint64_t{rows} * width; }
        [[nodiscard]] PacketBlock places() const;
        bool operator==(const Window&) const = default;
    };
    explicit PacketBits(const Window& window) : window_(window), words_(window.size()) {}

    [[nodiscard]] static bool is_set(const PacketBlock& block);
    [[nodiscard]] static Window window_of(const PacketBlock& block);
    [[nodiscard]] bool grow(const Window& to_hold);
    void change() { delete written_.exchange(nullptr, std::memory_order_relaxed); }
    /// Calls visit(word's place in words_, its bits) for the words with packets of a block that are in the window.
    template <class Visit>
    void for_each_word(const PacketBlock& block, Visit&& visit) const;
    /// Calls visit(word, the other's word) for the words of both windows.
    template <class Visit>
    void for_each_common_word(const PacketBits& others, Visit&& visit);
    /// Appends the bits of a word as runs, and joins them to the last.
    void append(std::size_t place, std::uint64_t bits, PacketBlocks& to) const;

    Window window_;
    boost::container::small_vector<std::uint64_t, 2> words_;
    std::uint64_t size_ = 0;
    mutable std::atomic<const PacketBlocks*> written_{nullptr};
};

}  // namespace kport
