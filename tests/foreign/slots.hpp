/// @file slots.hpp   Buffers of chunks, their contents, and what an operation wants to stand where.
#pragma once

#include "tests/foreign/verdict.hpp"

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace foreign {

/// A chunk of a buffer of a GPU. Two names of one slot in place are the same slot after Layout::slot().
struct Slot {
    int gpu = 0;
    char buffer = 'i';
    int index = 0;
    auto operator<=>(const Slot&) const = default;
    [[nodiscard]] std::string text() const {
        return "GPU " + std::to_string(gpu) + " " + buffer + "[" + std::to_string(index) + "]";
    }
};

/// (rank, chunk): chunk `chunk` of the input of `rank`.
using Contribution = std::pair<int, int>;

/// How often each contribution is in a value. Empty and not unknown: nothing was ever written.
struct Value {
    std::map<Contribution, int> parts = {};
    bool unknown = false;
    [[nodiscard]] bool written() const { return unknown || !parts.empty(); }
    bool operator==(const Value&) const = default;
};

/// Where an operation's packets stand before and after. No operation: no contents are judged.
struct Layout {
    std::optional<std::string> operation = {};
    int ranks = 1;
    int loop = 1;  ///< L: chunks of the undivided buffer
    int root = 0;
    bool in_place = false;

    [[nodiscard]] int block() const { return loop / ranks; }
    [[nodiscard]] bool is(std::initializer_list<const char*> names) const;
    [[nodiscard]] bool divides() const;  ///< whether the operation needs K = L / N
    [[nodiscard]] bool folds() const;
    [[nodiscard]] int input_chunks() const;
    [[nodiscard]] int output_chunks() const;
    /// The one name of a slot.
    [[nodiscard]] Slot slot(Slot named) const;
    [[nodiscard]] std::map<Slot, Value> before() const;
    [[nodiscard]] std::map<Slot, Value> after() const;
    /// The complete result for a chunk: the contributions of all ranks, once each.
    [[nodiscard]] bool complete(const Value& value) const;
};

/// Follows the contents of all slots through steps in an order that is lawful.
class Contents {
  public:
    Contents(const Layout& layout, Verdict& verdict) : layout_(layout), verdict_(verdict), held_(layout.before()) {}

    /// Reads a slot; blames a read of nothing.
    Value read(const Slot& slot, const std::string& place);
    void write(const Slot& slot, Value value) { held_[layout_.slot(slot)] = std::move(value); }
    /// Adds two values; blames what no reduction may do.
    Value fold(const Value& left, const Value& right, const std::string& place);
    /// A message for `rank` brings `values`; `plain`: they come as they are, and are not folded on arrival.
    void receive(int rank, const std::vector<Value>& values, bool plain, const std::string& place);
    /// Blames each slot that does not hold what the operation promises.
    void finish();

  private:
    const Layout& layout_;
    Verdict& verdict_;
    std::map<Slot, Value> held_;
    std::set<std::pair<int, std::pair<Contribution, bool>>> received_ = {};
};

}  // namespace foreign
