/// @file order.hpp   The order in which nodes run where the rules leave it open, chosen by a test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "emulator/base/random.hpp"

namespace KPORT_PUBLIC kport {

/// An adversary: an engine that is given one (RunOptions::order) runs on one thread and asks, wherever several nodes could
/// run next, which of them does. No answer may change the report of a run.
///
/// Without rounds a node that has been woken waits in a list until its turn comes; nodes that start by themselves are in it
/// from the beginning. With rounds the nodes that run in a round are put in any order, and the partitions too.
///
/// Callers   one task at a time; an order serves one run at a time.
class Order {
  public:
    Order() = default;
    Order(const Order&) = delete;
    Order& operator=(const Order&) = delete;
    virtual ~Order() = default;

    /// The next of n >= 1 candidates: a number less than n.
    [[nodiscard]] virtual std::size_t next(std::size_t n) = 0;
};

/// Permutes a list by the answers: every order is possible.
template <class T>
void rearrange(std::vector<T>& list, Order& order) {
    for (std::size_t left = list.size(); left > 1; --left) std::swap(list[left - 1], list[order.next(left)]);
}

/// A random order: the same from the same seed.
class SeededOrder final : public Order {
  public:
    explicit SeededOrder(std::uint64_t seed) : seed_(seed) {}

    [[nodiscard]] std::size_t next(std::size_t n) override {
        return static_cast<std::size_t>(random_word(seed_, 0, asked_++) % n);
    }

  private:
    std::uint64_t seed_;
    std::uint64_t asked_ = 0;
};

/// Every order, one after the other: `do run(); while (order.advance());`.
///
/// Errors   std::logic_error from next() if a run differs after the same answers: its programs keep state from
///          run to run.
/// Cost     there are as many orders as leaves of the tree of all answers: 24 for 4 nodes that run once, and soon too many.
class ExhaustiveOrder final : public Order {
  public:
    [[nodiscard]] std::size_t next(std::size_t n) override {
        if (n == 1) return 0;
        if (asked_ == answers_.size()) answers_.push_back({0, n});
        const Answer& answer = answers_[asked_++];
        if (answer.of != n) throw std::logic_error("the same order leads to another run");
        return answer.chosen;
    }

    /// Advances to the next order, for another run. False after the last.
    [[nodiscard]] bool advance() {
        while (!answers_.empty() && answers_.back().chosen + 1 == answers_.back().of) answers_.pop_back();
        asked_ = 0;
        if (answers_.empty()) return false;
        ++answers_.back().chosen;
        ++count_;
        return true;
    }

    /// Orders so far, including the current one.
    [[nodiscard]] std::uint64_t count() const { return count_; }

  private:
    struct Answer {
        std::size_t chosen;
        std::size_t of;
    };
    std::vector<Answer> answers_;  ///< of the current run
    std::size_t asked_ = 0;
    std::uint64_t count_ = 1;
};

}  // namespace kport
