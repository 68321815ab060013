/// @file strands.hpp   The programs of a node that runs several at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "emulator/node/node.hpp"

namespace kport {

/// One of several programs of a node while another one runs: what a Node has of the one that runs.
struct Strand {
    static constexpr std::uint32_t no_group = 0xFFFFFFFF;

    std::uint32_t number;  ///< in its node; of the first one 0
    std::uint32_t group;   ///< the number of the strand that spawned it, or of a when_all(), which has one, too
    Program::Handle leaf;  ///< the innermost program
    Wait wait = {};
    Strand* next = nullptr;
};

/// A list of strands, first in, first out.
class StrandQueue {
  public:
    [[nodiscard]] bool empty() const { return first_ == nullptr; }
    [[nodiscard]] Strand* first() const { return first_; }

    void append(Strand* strand) {
        strand->next = nullptr;
        (last_ == nullptr ? first_ : last_->next) = strand;
        last_ = strand;
    }
    void append(StrandQueue others) {
        if (others.empty()) return;
        (last_ == nullptr ? first_ : last_->next) = others.first_;
        last_ = others.last_;
    }
    /// Takes the first one of which wanted(strand) is true; null if there is none.
    template <class Wanted>
    [[nodiscard]] Strand* take(Wanted&& wanted) {
        Strand* before = nullptr;
        for (Strand* strand = first_; strand != nullptr; before = std::exchange(strand, strand->next)) {
            if (!wanted(*strand)) continue;
            (before == nullptr ? first_ : before->next) = strand->next;
            if (last_ == strand) last_ = before;
            return strand;
        }
        return nullptr;
    }
    [[nodiscard]] Strand* take() {
        return take([](const Strand&) { return true; });
    }
    /// O(strands).
    [[nodiscard]] Strand* take_youngest() {
        std::uint32_t last = 0;
        for_each([&](const Strand& strand) { last = std::max(last, strand.number); });
        return take([=](const Strand& strand) { return strand.number == last; });
    }
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (const Strand* strand = first_; strand != nullptr; strand = strand->next) visit(*strand);
    }
    template <class Wanted>
    [[nodiscard]] bool any(Wanted&& wanted) const {
        const Strand* strand = first_;
        while (strand != nullptr && !wanted(*strand)) strand = strand->next;
        return strand != nullptr;
    }

  private:
    Strand* first_ = nullptr;
    Strand* last_ = nullptr;
};

/// All strands of a node, while there are several.
struct Strands {
    explicit Strands(Strand* runs) : now(runs) {}

    [[nodiscard]] std::uint32_t new_number() { return ++last_number; }
    [[nodiscard]] bool has_group(std::uint32_t group) const {
        return queue.any([=](const Strand& strand) { return strand.group == group; });
    }

    StrandQueue queue;  ///< those that do not run; who has waited longest stands first
    Strand* now;        ///< the one that runs; null: none does
    std::uint32_t last_number = 0;
};

}  // namespace kport
