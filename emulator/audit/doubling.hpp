/// @file doubling.hpp   The books of a node whose contributions double, in one word.
#pragma once

#include <bit>
#include <cstdint>

#include "emulator/base/types.hpp"
#include "emulator/schedule/packet_block.hpp"

namespace KPORT_PUBLIC kport {

/// What nearly every node of a reduction with one segment has in its books: a range of contributions that began with the node's own
/// and always grew by a neighbour of its own size; some such range that it was before, which the node has sent; and whether
/// its result was right. Each of these ranges follows from the last one, the node, and how often that has doubled since.
class Doubling {
    std::uint8_t is_one_ = 1;  ///< no address is odd (BooksWord)

  public:
    /// As node v begins.
    explicit Doubling(NodeId v) : first_(static_cast<std::uint32_t>(v)) {}

    [[nodiscard]] Progression held() const { return {first_, 1, std::uint32_t{1} << doublings_}; }
    [[nodiscard]] bool has_sent() const { return sent_ != 0; }
    /// What node v, whose books they are, has sent; if it has.
    [[nodiscard]] Progression sent(NodeId v) const {
        const unsigned doublings = sent_ - 1U;
        const std::uint32_t before_v = static_cast<std::uint32_t>(v) - first_;
        return {first_ + (before_v >> doublings << doublings), 1, std::uint32_t{1} << doublings};
    }

    /// All that it holds is sent: false, and nothing is changed, if it is anything else.
    [[nodiscard]] bool sends(const Progression& contributions) {
        if (contributions != held()) return false;
        sent_ = static_cast<std::uint8_t>(doublings_ + 1);
        return true;
    }
    /// It grows by a neighbour of its size: false, and nothing is changed, if that is none.
    [[nodiscard]] bool receives(const Progression& contributions) {
        const Progression own = held();
        if (contributions.count != own.count || !neighbours(own, contributions)) return false;
        first_ = contributions.first < first_ ? contributions.first : first_;
        ++doublings_;
        return true;
    }

    std::uint8_t result = 0;  ///< the ledger's

  private:
    std::uint8_t sent_ = 0;       ///< one more than the doublings of what it has sent; 0: it has sent nothing
    std::uint8_t doublings_ = 0;  ///< of what it holds; fewer than the bits of a node's number
    std::uint32_t first_;
};
static_assert(sizeof(Doubling) == 8 && std::endian::native == std::endian::little);

/// The place of a node's books: there are none yet, or they are a Doubling, or they stand elsewhere. Zero bytes are none.
template <class Books>
class BooksWord {
  public:
    [[nodiscard]] bool is_none() const { return word_ == 0; }
    [[nodiscard]] bool is_doubling() const { return (word_ & 1) != 0; }
    /// If it is one.
    [[nodiscard]] Doubling doubling() const { return std::bit_cast<Doubling>(word_); }
    /// Null if they stand nowhere else.
    [[nodiscard]] Books* elsewhere() const { return is_doubling() ? nullptr : reinterpret_cast<Books*>(word_); }

    void set(const Doubling& doubling) { word_ = std::bit_cast<std::uint64_t>(doubling); }
    void set(Books* elsewhere) { word_ = reinterpret_cast<std::uint64_t>(elsewhere); }

  private:
    std::uint64_t word_;
};

}  // namespace kport
