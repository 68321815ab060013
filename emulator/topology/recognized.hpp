/// @file recognized.hpp   Graphs that are a family's under other numbers.
#pragma once

#include <memory>
#include <string>

#include "emulator/topology/topology.hpp"

namespace kport {

/// Returns the complete graph, hypercube, line, ring, mesh, torus or complete binary tree that `graph` is, whatever its nodes are
/// called; null if it is none of these, or not stored by its links. Node v of the result is a node of `graph`, and has its number and name in reports
/// (Membership::is_renumbering). Each link is compared before a family is returned. A graph that has the numbers of a family gets
/// these; else the sides of a mesh or torus ascend.
///
/// Cost     O(channels log degree); some 100 bytes a node while it searches, 24 afterwards. One thread.
[[nodiscard]] std::shared_ptr<const Topology> recognized(const std::shared_ptr<const Topology>& graph);

/// Whether the topology is the result of recognized().
[[nodiscard]] bool is_recognized(const Topology& topology);
/// Returns "it is hypercube:10 under other numbers", or "it is hypercube:10"; empty unless is_recognized().
[[nodiscard]] std::string family_in_words(const Topology& topology);

}  // namespace kport
