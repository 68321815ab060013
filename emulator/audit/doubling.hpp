/// @file doubling.hpp   A node's record of contributions that double, in one word.
#pragma once

#include <bit>
#include <cstdint>

#include "emulator/base/types.hpp"
#include "emulator/schedule/packet_block.hpp"

namespace KPORT_PUBLIC kport {

/// What the ledger keeps for nearly every node of a reduction with one segment: a range of contributions that began
/// with the node's own and always doubled by a neighbouring range; an earlier such range, which the node has sent; and
/// whether its result was right. Each range follows from the last one, the node, and the number of doublings.
class Doubling {
    std::uint8_t is_one_ = 1;  ///< no address is odd (BooksWord)

  public:
    /// The record of node v at the start.
    explicit Doubling(NodeId v) : first_(static_cast<std::uint32_t>(v)) {}

    [[nodiscard]] Progression held() const { return {first_, 1, std::uint32_t{1} << doublings_}; }
    [[nodiscard]] bool has_sent() const { return sent_ != 0; }
    /// Returns what node v, whose record this is, has sent; empty if nothing.
    [[nodiscard]] Progression sent(NodeId v) const {
        const unsigned doublings = sent_ - 1U;
        const std::uint32_t before_v = static_cast<std::uint32_t>(v) - first_;
        return {first_ + (before_v >> doublings << doublings), 1, std::uint32_t{1} << doublings};
    }

    /// Records that the node sends all that it holds. Returns false, and changes nothing, if `contributions` are
    /// anything else.
    [[nodiscard]] bool sends(const Progression& contributions) {
        if (contributions != held()) return false;
        sent_ = static_cast<std::uint8_t>(doublings_ + 1);
        return true;
    }
    /// Records a neighbouring range of the same size. Returns false, and changes nothing, if `contributions` are
    /// anything else.
    [[nodiscard]] bool receives(const Progression& contributions) {
        const Progression own = held();
        if (contributions.count != own.count || !neighbours(own, contributions)) return false;
        first_ = contributions.first < first_ ? contributions.first : first_;
        ++doublings_;
        return true;
    }

    std::uint8_t result = 0;  ///< the ledger's verdict on the node's result

  private:
    std::uint8_t sent_ = 0;       ///< 1 + doublings of what the node has sent; 0: it has sent nothing
    std::uint8_t doublings_ = 0;  ///< of what it holds; fewer than the bits of a node's number
    std::uint32_t first_;
};
static_assert(sizeof(Doubling) == 8 && std::endian::native == std::endian::little);

/// Where a node's record is stored: nowhere yet, here as a Doubling, or as Books elsewhere. Zero bytes mean nowhere.
template <class Books>
class BooksWord {
  public:
    [[nodiscard]] bool is_none() const { return word_ == 0; }
    [[nodiscard]] bool is_doubling() const { return (word_ & 1) != 0; }
    /// Returns the Doubling. Only if is_doubling().
    [[nodiscard]] Doubling doubling() const { return std::bit_cast<Doubling>(word_); }
    /// Returns the Books stored elsewhere, or null.
    [[nodiscard]] Books* elsewhere() const { return is_doubling() ? nullptr : reinterpret_cast<Books*>(word_); }

    void set(const Doubling& doubling) { word_ = std::bit_cast<std::uint64_t>(doubling); }
    void set(Books* elsewhere) { word_ = reinterpret_cast<std::uint64_t>(elsewhere); }

  private:
    std::uint64_t word_;
};

}  // namespace kport
