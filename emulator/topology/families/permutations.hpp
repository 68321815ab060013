/// @file permutations.hpp   Permutations of up to 14 symbols, numbered in lexicographic order.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "emulator/topology/topology.hpp"

namespace kport {

/// The most symbols: 14! nodes are fewer than 2^40.
inline constexpr unsigned symbols_max = 14;

[[nodiscard]] constexpr std::uint64_t factorial(std::uint64_t n) { return n < 2 ? 1 : n * factorial(n - 1); }

/// A permutation of the symbols 0 .. n-1 by position.
class SymbolPermutation {
  public:
    /// Returns the permutation of a rank in lexicographic order; rank 0 is the identity. O(n^2).
    SymbolPermutation(unsigned n, std::uint64_t rank) : n_(n) {
        std::array<std::uint8_t, symbols_max> left{};
        for (unsigned i = 0; i < n; ++i) left[i] = static_cast<std::uint8_t>(i);
        for (unsigned i = 0; i < n; ++i) {
            const std::uint64_t block = factorials[n - 1 - i];
            const std::uint64_t at = rank / block;
            rank -= at * block;
            symbol_[i] = left[at];
            for (std::uint64_t j = at; j + 1 < n - i; ++j) left[j] = left[j + 1];
        }
    }

    [[nodiscard]] unsigned size() const { return n_; }
    [[nodiscard]] unsigned operator[](unsigned position) const { return symbol_[position]; }

    /// Returns the rank, by Lehmer's code. O(n^2).
    [[nodiscard]] std::uint64_t rank() const {
        std::uint64_t rank = 0;
        for (unsigned i = 0; i < n_; ++i) {
            unsigned smaller = 0;
            for (unsigned j = i + 1; j < n_; ++j) smaller += symbol_[j] < symbol_[i] ? 1 : 0;
            rank += smaller * factorials[n_ - 1 - i];
        }
        return rank;
    }
    void exchange(unsigned position, unsigned other) { std::swap(symbol_[position], symbol_[other]); }
    /// Reverses the symbols of the first positions.
    void reverse(unsigned first) {
        for (unsigned i = 0; i < first / 2; ++i) exchange(i, first - 1 - i);
    }
    /// Renames symbols so that `that` becomes the identity.
    [[nodiscard]] SymbolPermutation seen_from(const SymbolPermutation& that) const {
        std::array<std::uint8_t, symbols_max> name{};
        for (unsigned i = 0; i < n_; ++i) name[that.symbol_[i]] = static_cast<std::uint8_t>(i);
        SymbolPermutation seen = *this;
        for (unsigned i = 0; i < n_; ++i) seen.symbol_[i] = name[symbol_[i]];
        return seen;
    }

  private:
    static constexpr auto factorials = [] {
        std::array<std::uint64_t, symbols_max + 1> table{};
        for (unsigned n = 0; n <= symbols_max; ++n) table[n] = factorial(n);
        return table;
    }();

    unsigned n_;
    std::array<std::uint8_t, symbols_max> symbol_{};
};

/// Base of Cayley graphs of permutations whose generators, Family::apply(permutation, port), are involutions: a link
/// has the same port at both ends. Renaming the symbols is an automorphism.
template <class Family>
class PermutationGraph : public RegularTopology {
  public:
    [[nodiscard]] LinkEnd across(NodeId v, Port p) const final {
        SymbolPermutation permutation(symbols(), v);
        Family::apply(permutation, p);
        return {permutation.rank(), p};
    }
    [[nodiscard]] std::optional<bool> vertex_symmetry() const final { return true; }
    [[nodiscard]] Hops eccentricity(NodeId) const final { return diameter(); }

  protected:
    [[nodiscard]] unsigned symbols() const { return ports() + 1; }
    [[nodiscard]] SymbolPermutation between(NodeId v, NodeId w) const {
        return SymbolPermutation(symbols(), w).seen_from(SymbolPermutation(symbols(), v));
    }
    [[nodiscard]] NodeId seen_from(NodeId v, NodeId w) const final { return between(v, w).rank(); }

  private:
    friend Family;
    PermutationGraph(std::string spec, std::uint64_t n)
        : RegularTopology(std::move(spec), factorial(n), static_cast<Port>(n - 1)) {}
};

}  // namespace kport
