/// @file neighbourhood.hpp   The neighbours of every node: the nodes across its links.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/topology/topology.hpp"

namespace KPORT_PUBLIC kport {

/// The neighbours of every node, looked up once. Several links to one node count once.
///
/// Memory   4 bytes for each neighbour of each node, and 8 a node.
/// Errors   DoesNotFit for more than 2^28 neighbours in all; RequestError where hosts are joined by switches.
class Neighbourhood {
  public:
    explicit Neighbourhood(const Topology& topology);

    /// Returns the neighbours of v in ascending order.
    [[nodiscard]] std::span<const std::uint32_t> of(NodeId v) const {
        return std::span(all_).subspan(first_[v], first_[v + 1] - first_[v]);
    }
    [[nodiscard]] NodeId nodes() const { return first_.size() - 1; }
    /// Returns the most neighbours that a node has.
    [[nodiscard]] std::uint64_t largest() const { return largest_; }
    /// Returns the number of pairs (v, neighbour of v).
    [[nodiscard]] std::uint64_t pairs() const { return all_.size(); }

  private:
    std::vector<std::uint64_t> first_{0};  ///< by node, in all_
    std::vector<std::uint32_t> all_;
    std::uint64_t largest_ = 0;
};

}  // namespace kport
