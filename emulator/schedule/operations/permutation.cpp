/// @file permutation.cpp   The permutation: the packets of node v go to pi(v).
#include <vector>

#include "emulator/schedule/operation.hpp"
#include "emulator/schedule/operations/shares.hpp"

namespace kport {
namespace {

PacketSet of_source(const Collective& c, NodeId v, NodeId nodes) {
    return shares::some(c, c.permutation.source(v, nodes), 1);
}

constexpr OperationRecord row_of_permutation{
    .name = "permutation",
    .other = "permute",
    .promise = "the packets of each node reach the node that the permutation gives",
    .noun = "their packets",
    .packets = shares::of_each_node,
    .owned = shares::own,
    .wanted = of_source,
};

}  // namespace

constinit const Operation Operation::permutation{row_of_permutation};

std::vector<Operation> operations_in_permutation() { return {Operation::permutation}; }

}  // namespace kport
