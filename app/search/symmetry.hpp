/// @file symmetry.hpp   Which nodes automorphisms take to each other while they fix some.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/search/problem.hpp"

namespace kport::search {

/// The image of each node.
using Automorphism = std::vector<Node32>;

/// Looks for automorphisms by refining colours (a node's colour, then that with its neighbours' colours, and so on) in two copies of
/// the graph at once. What it finds is checked link by link; where it gets long it finds none.
class Symmetry {
  public:
    explicit Symmetry(const Graph& graph) : graph_(graph) {}

    /// Of some nodes one of each kind: every other is taken to one of these by an automorphism that fixes the `fixed` nodes.
    /// Where the search gets long, more.
    [[nodiscard]] std::vector<Node32> kinds(std::span<const Node32> fixed, std::span<const Node32> nodes);

    /// Some automorphisms; in small graphs all but the identity.
    [[nodiscard]] std::vector<Automorphism> automorphisms();

  private:
    using Colours = std::vector<std::uint64_t>;

    [[nodiscard]] bool takes(std::span<const Node32> fixed, Node32 from, Node32 to);
    /// Whether `enough` says so of an automorphism that keeps the colours.
    template <class Enough>
    [[nodiscard]] bool agree(Colours from, Colours to, const Enough& enough);
    /// Refines until no colour splits; false where the two differ.
    [[nodiscard]] bool refine(Colours& from, Colours& to);
    [[nodiscard]] Colours refined(const Colours& colours);
    /// Empty where the colours make none.
    [[nodiscard]] Automorphism automorphism(const Colours& from, const Colours& to) const;

    const Graph& graph_;
    std::uint64_t steps_ = 0;
};

}  // namespace kport::search
