/// @file neighbor.cpp   Operations among neighbours: each node gives all its neighbours the same packets, or each its own.
#include <memory>
#include <vector>

#include "emulator/base/error.hpp"
#include "emulator/schedule/operation.hpp"
#include "emulator/schedule/operations/shares.hpp"

namespace kport {
namespace {

const Neighbourhood& neighbours_in(const Collective& c) {
    invariant(c.neighbours != nullptr, "fitted() looks up who are neighbours");
    return *c.neighbours;
}

PacketSet columns_of_neighbours(const Collective& c, NodeId v) {
    PacketSet columns;
    for (const std::uint32_t w : neighbours_in(c).of(v)) columns.add(PacketBlock{w});
    return columns;
}

PacketSet of_neighbours(const Collective& c, NodeId v, NodeId) {
    PacketSet all;
    const PacketSet columns = columns_of_neighbours(c, v);
    for (const PacketBlock& some : columns.blocks())
        all.add(block_of({0, 1, static_cast<std::uint32_t>(c.packets_each)}, some.columns()));
    return all;
}

/// Packets of a pair are numbered as in an alltoall: packet j of u for v is row u M + j of column v.
Progression rows_of_sender(const Collective& c, NodeId u) {
    return {static_cast<std::uint32_t>(u * c.packets_each), 1, static_cast<std::uint32_t>(c.packets_each)};
}
PacketSet for_neighbours(const Collective& c, NodeId v, NodeId) {
    PacketSet all;
    const PacketSet columns = columns_of_neighbours(c, v);
    for (const PacketBlock& some : columns.blocks()) all.add(block_of(rows_of_sender(c, v), some.columns()));
    return all;
}
PacketSet from_neighbours(const Collective& c, NodeId v, NodeId) {
    PacketSet all;
    for (const std::uint32_t u : neighbours_in(c).of(v))
        all.add(block_of(rows_of_sender(c, u), {static_cast<std::uint32_t>(v)}));
    return all;
}

void look_up_neighbours(Collective& c, const Topology& topology) {
    c.neighbours = std::make_shared<const Neighbourhood>(topology);
}

constexpr OperationRecord row_of_neighbor_allgather{
    .name = "neighbor-allgather",
    .promise = "the packets of each node reach all its neighbours",
    .noun = "the packets of their neighbours",
    .packets = shares::of_each_node,
    .owned = shares::own,
    .wanted = of_neighbours,
    .fit = look_up_neighbours,
};
constexpr OperationRecord row_of_neighbor_alltoall{
    .name = "neighbor-alltoall",
    .others = {{{"halo"}}},
    .promise = "every node gives each neighbour packets of its own",
    .noun = "the packets of their neighbours",
    .counted_for = CountedFor::pairs,
    .packets = shares::of_each_pair,
    .owned = for_neighbours,
    .wanted = from_neighbours,
    .fit = look_up_neighbours,
};

}  // namespace

constinit const Operation Operation::neighbor_allgather{row_of_neighbor_allgather};
constinit const Operation Operation::neighbor_alltoall{row_of_neighbor_alltoall};

std::vector<Operation> operations_in_neighbor() {
    return {Operation::neighbor_allgather, Operation::neighbor_alltoall};
}

}  // namespace kport
