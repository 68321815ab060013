/// @file broken_sets.hpp   Sets of parts of a machine that may break.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "emulator/topology/broken.hpp"

namespace kport {

/// All sets of so many links and so many nodes of a graph.
///
/// Memory   16 bytes a link.
class BrokenSets {
  public:
    /// Numbers of parts, ascending: links come first, in the order of for_each_link(), then nodes.
    using Set = std::vector<std::uint32_t>;

    /// `spared`: a node that does not break, such as a source; no_node if any may. Throws RequestError for sets larger than
    /// the graph and DoesNotFit for graphs with 2^31 parts or more.
    BrokenSets(const Topology& graph, unsigned links, unsigned nodes, NodeId spared);

    /// Returns the number of sets; nothing where counting them exceeds 64 bits.
    [[nodiscard]] std::optional<std::uint64_t> count() const;
    /// Returns all sets in lexicographic order.
    [[nodiscard]] std::vector<Set> all() const;
    /// Returns different random sets in lexicographic order: `most`, or fewer where many draws give sets drawn before.
    [[nodiscard]] std::vector<Set> sample(std::uint64_t most, std::uint64_t seed) const;

    [[nodiscard]] BrokenParts parts(const Set& set) const;
    /// Returns the number of a link, which must be one of the graph.
    [[nodiscard]] std::uint32_t link(NodeId v, NodeId w) const;
    [[nodiscard]] std::size_t links() const { return links_.size(); }
    /// Returns the image of a set under an automorphism of the graph that keeps the spared node: node v goes to image[v].
    [[nodiscard]] Set image(const Set& set, std::span<const std::uint32_t> image) const;

  private:
    std::vector<BrokenParts::Link> links_;  ///< ascending
    std::vector<NodeId> nodes_;             ///< that may break, ascending
    NodeId spared_;
    unsigned broken_links_;
    unsigned broken_nodes_;
};

}  // namespace kport
