/// @file symmetry.hpp   Which nodes automorphisms map to each other while they fix some.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "app/search/problem.hpp"

namespace kport::search {

/// The image of each node.
using Automorphism = std::vector<Node32>;

/// Searches for automorphisms by colour refinement in two copies of the graph at once: a node's colour, then with its
/// neighbours' colours, and so on. Results are checked link by link; if it takes too long it finds none.
class Symmetry {
  public:
    explicit Symmetry(const Graph& graph) : graph_(graph) {}

    /// Returns one node of each kind: every other node is mapped to one of these by an automorphism that fixes the
    /// `fixed` nodes. Returns more if the search takes too long.
    [[nodiscard]] std::vector<Node32> kinds(std::span<const Node32> fixed, std::span<const Node32> nodes);

    /// Returns automorphisms that fix some nodes and generate all that do; fewer if the search takes too long.
    ///
    /// Idea  a chain of stabilizers: at each step one more node is fixed, and an automorphism is searched for that takes
    ///       it to each node to which those found do not take it yet.
    [[nodiscard]] std::vector<Automorphism> generators(std::span<const Node32> fixed);

    /// Returns some automorphisms; in small graphs all except the identity.
    [[nodiscard]] std::vector<Automorphism> automorphisms();

  private:
    using Colours = std::vector<std::uint64_t>;

    [[nodiscard]] bool takes(std::span<const Node32> fixed, Node32 from, Node32 to);
    /// Whether `enough` accepts an automorphism that keeps the colours.
    template <class Enough>
    [[nodiscard]] bool agree(Colours from, Colours to, const Enough& enough);
    /// Refines until no colour splits. Returns false if the two differ.
    [[nodiscard]] bool refine(Colours& from, Colours& to);
    [[nodiscard]] Colours refined(const Colours& colours);
    /// Returns the automorphism, or an empty one if the colours define none.
    [[nodiscard]] Automorphism automorphism(const Colours& from, const Colours& to) const;

    const Graph& graph_;
    std::uint64_t steps_ = 0;
};

}  // namespace kport::search
