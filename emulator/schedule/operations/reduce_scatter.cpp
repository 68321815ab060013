/// @file reduce_scatter.cpp   Reduce-scatter: every node has a vector of N blocks of M segments; node b gets the sum of block b.
#include <vector>

#include "emulator/schedule/operation.hpp"
#include "emulator/schedule/operations/shares.hpp"

namespace kport {
namespace {

/// Segment j of block b is row b M + j.
PacketCounts a_block_a_node(const Collective& c, NodeId nodes) { return {c.packets_each * nodes, nodes}; }
PacketSet own_vector(const Collective& c, NodeId v, NodeId nodes) {
    return shares::from_to(0, c.packets_each * nodes, v, 1);
}
PacketSet own_block(const Collective& c, NodeId v, NodeId nodes) {
    return shares::from_to(v * c.packets_each, c.packets_each, 0, nodes);
}

constexpr OperationRecord row_of_reduce_scatter{
    .name = "reduce-scatter",
    .promise = "node b gets the combination of every node's block b",
    .noun = "their block of the result",
    .carries = Carries::values,
    .counted_for = CountedFor::blocks,
    .packets = a_block_a_node,
    .owned = own_vector,
    .wanted = own_block,
};

}  // namespace

constinit const Operation Operation::reduce_scatter{row_of_reduce_scatter};

std::vector<Operation> operations_in_reduce_scatter() { return {Operation::reduce_scatter}; }

}  // namespace kport
