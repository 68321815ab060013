/// @file members.hpp   Machines of some nodes of a larger machine, and the order of these nodes.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "emulator/topology/topology.hpp"

namespace KPORT_PUBLIC kport {

/// Some nodes in an order: the r-th has rank r. Immutable.
///
/// Memory   24 bytes a node.
class RankedNodes {
  public:
    /// `nodes`: each once.
    explicit RankedNodes(std::vector<NodeId> nodes);

    [[nodiscard]] const std::vector<NodeId>& nodes() const { return nodes_; }
    [[nodiscard]] NodeId count() const { return nodes_.size(); }
    [[nodiscard]] NodeId node(NodeId rank) const { return nodes_[rank]; }
    /// Returns the rank of a node; no_node if it is none of them. O(log count).
    [[nodiscard]] NodeId rank(NodeId v) const;
    [[nodiscard]] bool has(NodeId v) const { return rank(v) != no_node; }
    /// Returns the nodes in ascending order.
    [[nodiscard]] const std::vector<NodeId>& ascending() const { return ascending_; }

    bool operator==(const RankedNodes& other) const { return nodes_ == other.nodes_; }

  private:
    std::vector<NodeId> nodes_;
    std::vector<NodeId> ascending_;
    std::vector<NodeId> ranks_;  ///< of the nodes in ascending order
};

/// How messages of members move.
enum class MembersJoinedBy {
    links,  ///< over links among members, and through switches: store-and-forward
    paths   ///< over paths that may cross any node: wormhole
};

/// Which nodes of a larger machine a machine consists of: node r is the member of rank r. Of a fabric also which of its switches, and
/// hosts that are no members, are the switches.
struct Membership {
    std::shared_ptr<const Topology> whole;  ///< the machine that was named; in a fabric its wires
    RankedNodes nodes;
    MembersJoinedBy joined_by = MembersJoinedBy::links;
    /// Whether they are all nodes of `whole`, which is this family under other numbers (renumbered.hpp): no nodes were chosen.
    bool is_renumbering = false;
};

/// Returns the machine of these nodes of `whole`: node r has rank r. If they are, in this order, a complete graph, a hypercube, mesh,
/// torus, ring or line with all its links, it is that family; else the graph of the links among them, whose ports keep their labels;
/// for paths a fabric in which all other nodes are switches. Names and numbers in reports are those of `whole`.
/// Throws RequestError, "no way among members from 0 to 12", where members are not joined by links; DoesNotFit for more than 2^26.
[[nodiscard]] std::shared_ptr<const Topology> machine_of_members(const std::shared_ptr<const Topology>& whole,
                                                                 std::vector<NodeId> nodes, MembersJoinedBy joined_by);

/// Returns the machine that was named: the larger one of a machine of members.
[[nodiscard]] const Topology& named_machine(const Topology& graph);
/// Returns the specification with which make_topology() makes this machine again: "members:0,3;mesh:4x4" of members, also where they
/// are a family; else spec().
[[nodiscard]] std::string spec_with_members(const Topology& graph);
/// Returns the numbers of some nodes in the machine that was named.
[[nodiscard]] std::vector<NodeId> named_numbers(const Topology& graph, const std::vector<NodeId>& nodes);
/// Returns nodes as lists on the command line name them, consecutive ones as a range: "0,3,5-9".
[[nodiscard]] std::string list_of_nodes(const std::vector<NodeId>& nodes);

}  // namespace kport
