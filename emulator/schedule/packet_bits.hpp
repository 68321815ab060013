/// @file packet_bits.hpp   Sets of many packets, a bit for each packet.
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

/// A set of packets as bits, 64 columns of a row a word, in the smallest window of rows and words. Union, difference
/// and intersection cost O(words touched), however many blocks the packets would be.
///
/// Callers   as a PacketSet.
/// Memory    a bit for each place of the window: at most about what the blocks would take.
class PacketBits {
  public:
    /// Returns the packets of a list as bits. Nothing where a list is better, which only this function decides: few
    /// blocks, blocks that would fall into many more pieces or are far apart, or an invalid set. `others`: sets they
    /// will be compared with.
    [[nodiscard]] static std::optional<PacketBits> of(std::span<const PacketBlock> blocks,
                                                      std::span<const PacketBlock> others = {});
    PacketBits(const PacketBits& other) : window_(other.window_), words_(other.words_), size_(other.size_) {}
    PacketBits(PacketBits&& other) noexcept
        : window_(other.window_), words_(std::move(other.words_)), size_(other.size_) {}
    PacketBits& operator=(const PacketBits&) = delete;
    ~PacketBits() { delete written_.load(std::memory_order_relaxed); }

    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// Returns the number of runs; neighbours in a word are one run.
    [[nodiscard]] std::uint64_t runs() const;
    /// Returns the runs of every row as blocks. Computed on first use, by any number of tasks at once.
    [[nodiscard]] std::span<const PacketBlock> blocks() const;
    [[nodiscard]] PacketBlocks written() const;

    /// Adds packets, some of which may be in it. Returns false, and changes nothing, where a list would then be better.
    [[nodiscard]] bool include(const PacketBlock& packets);
    [[nodiscard]] bool include(const PacketBits& others);
    /// Removes the given packets. Returns how many were in the set.
    std::uint64_t remove(const PacketBlock& packets);
    std::uint64_t remove(const PacketBits& others);
    /// Removes all packets that the other set lacks.
    void keep(const PacketBits& others);
    /// Returns the lowest packet of the lowest row. The set must not be empty.
    [[nodiscard]] PacketBlock lowest() const;

    /// Returns how many of the packets it has; appends those it has, or those it lacks, to a list.
    [[nodiscard]] std::uint64_t common_size(const PacketBlock& packets) const;
    void append_common(const PacketBlock& packets, PacketBlocks& to) const;
    void append_lacking(const PacketBlock& packets, PacketBlocks& to) const;

  private:
    struct Window {
        std::uint32_t row = 0;
        std::uint32_t rows = 0;  ///< 0: none
        std::uint32_t word = 0;  ///< columns from 64 * word on
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
    /// Calls visit(index in words_, bits) for the words of the window that contain packets of a block.
    template <class Visit>
    void for_each_word(const PacketBlock& block, Visit&& visit) const;
    /// Calls visit(word, the other's word) for the words in both windows.
    template <class Visit>
    void for_each_common_word(const PacketBits& others, Visit&& visit);
    /// Appends the bits of a word as runs, and joins the first to the last of the list.
    void append(std::size_t place, std::uint64_t bits, PacketBlocks& to) const;

    Window window_;
    boost::container::small_vector<std::uint64_t, 2> words_;
    std::uint64_t size_ = 0;
    mutable std::atomic<const PacketBlocks*> written_{nullptr};
};

}  // namespace kport
