/// @file all_ranks.hpp   The ranks of a run, and what each owns.
#pragma once

#include <bit>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/engine/world.hpp"
#include "emulator/ranks/letter.hpp"

namespace kport {

/// Whether something holds at any rank.
struct AtAny {
    bool holds = false;
    void add(const AtAny& other) { holds |= other.holds; }
};

/// Rank r of R owns partitions r, r + R, r + 2 R, ..., and runs their nodes. A single rank owns all.
///
/// In turn: a tree that reaches nodes in the order of their numbers, as the ascending SBT does, then has something to do for all
/// ranks after its first blocks, and most of its messages stay within a rank.
///
/// Callers   one task of each rank: all ranks ask the same in the same order.
class AllRanks {
  public:
    /// `ranks` null: there is this one. It outlives the object.
    AllRanks(Ranks* ranks, const Deal& deal) : ranks_(ranks), share_(deal.share(size(), rank())) {
        for (unsigned r = 0; r < size(); ++r) owned_.push_back(deal.share(size(), r).own());
    }

    [[nodiscard]] bool alone() const { return ranks_ == nullptr; }
    [[nodiscard]] bool is_first() const { return alone() || ranks_->rank() == 0; }
    [[nodiscard]] unsigned size() const { return alone() ? 1 : ranks_->size(); }
    [[nodiscard]] unsigned rank() const { return alone() ? 0 : ranks_->rank(); }
    [[nodiscard]] bool owns(unsigned partition) const { return (own() >> partition & 1) != 0; }
    [[nodiscard]] unsigned owner(unsigned partition) const { return partition % size(); }
    [[nodiscard]] const NodeShare& share() const { return share_; }
    /// The partitions of this rank, a bit each.
    [[nodiscard]] std::uint64_t own() const { return share_.own(); }
    /// The rank that owns all of these partitions, a bit each; none, if there are several.
    [[nodiscard]] std::optional<unsigned> only_owner(std::uint64_t partitions) const {
        if (partitions == 0 || alone()) return std::nullopt;
        const unsigned first = owner(static_cast<unsigned>(std::countr_zero(partitions)));
        return (partitions & ~owned_[first]) == 0 ? std::optional(first) : std::nullopt;
    }

    /// letters[r] goes to rank r, and is then what r has sent; the own one stays.
    void exchange(std::vector<Letter>& letters) {
        timed([&] { ranks_->exchange(letters); });
    }
    [[nodiscard]] double exchange_seconds() const { return std::chrono::duration<double>(in_exchange_).count(); }

    /// What every rank says, in the order of ranks. T is trivial, or shows its parts by travel(archive).
    template <class T>
    [[nodiscard]] std::vector<T> everyones(T own) {
        std::vector<T> all;
        if (alone())
            all.push_back(std::move(own));
        else
            timed([&] { all = kport::everyones(*ranks_, std::move(own)); });
        return all;
    }
    /// All of it in one, by one.add(other).
    template <class T>
    [[nodiscard]] T together(T own) {
        if (alone()) return own;
        std::vector<T> all = everyones(std::move(own));
        for (std::size_t r = 1; r < all.size(); ++r) all.front().add(all[r]);
        return std::move(all.front());
    }

  private:
    template <class Exchange>
    void timed(const Exchange& exchange) {
        const auto start = std::chrono::steady_clock::now();
        exchange();
        in_exchange_ += std::chrono::steady_clock::now() - start;
    }

    Ranks* ranks_;
    NodeShare share_;
    std::chrono::steady_clock::duration in_exchange_{};
    std::vector<std::uint64_t> owned_;  ///< the partitions of each rank, a bit each
};

}  // namespace kport
