/// @file permutation.cpp   The permutation: the packets of node v go to pi(v).
#include <vector>

#include "emulator/schedule/operation.hpp"
#include "emulator/schedule/operations/shares.hpp"

namespace kport {
namespace {

/// A node to which no other sends wants nothing.
PacketSet of_source(const Collective& c, NodeId v, NodeId nodes) {
    const NodeId source = c.permutation.source(v, nodes);
    return source == no_node ? PacketSet() : shares::some(c, source, 1);
}

constexpr OperationRecord row_of_permutation{
    .name = "permutation",
    .others = {{{"permute"}, {"sendrecv", "permutation shift:1"}, {"shift", "permutation shift:1"}}},
    .promise = "the packets of each node reach the node that the permutation gives",
    .noun = "their packets",
    .packets = shares::of_each_node,
    .owned = shares::own,
    .wanted = of_source,
    .fit = [](Collective& c, const Topology& graph) { c.permutation = fitted(c.permutation, graph); },
};

}  // namespace

constinit const Operation Operation::permutation{row_of_permutation};

std::vector<Operation> operations_in_permutation() { return {Operation::permutation}; }

}  // namespace kport
