/// @file textbook.cpp   The eight operations of the textbook, and the one that promises nothing.
#include <vector>

#include "emulator/schedule/operation.hpp"
#include "emulator/schedule/operations/shares.hpp"

namespace kport {
namespace {

constexpr OperationRecord row_of_broadcast{
    .name = "broadcast",
    .alias = "OAB",
    .others = {{{"bcast"}}},
    .promise = "the packet of one node reaches every node",
    .noun = "the packet",
    .carries = Carries::copies,
    .rooted = Rooted::gives,
    .packets = shares::of_source,
    .owned = shares::packets_at_root,
    .wanted = shares::packets,
};
constexpr OperationRecord row_of_scatter{
    .name = "scatter",
    .alias = "OAS",
    .promise = "one node gives every other node a packet of its own",
    .noun = "their packet",
    .rooted = Rooted::gives,
    .counted_for = CountedFor::nodes,
    .packets = shares::of_each_node,
    .owned = shares::all_at_root,
    .wanted = shares::own,
};
constexpr OperationRecord row_of_gather{
    .name = "gather",
    .alias = "AOG",
    .promise = "one node collects a packet from every other node",
    .noun = "packet",
    .rooted = Rooted::takes,
    .counted_for = CountedFor::nodes,
    .packets = shares::of_each_node,
    .owned = shares::own,
    .wanted = shares::all_at_root,
};
constexpr OperationRecord row_of_reduce{
    .name = "reduce",
    .alias = "AOR",
    .promise = "one node gets the combination of every node's contribution",
    .noun = "contribution",
    .carries = Carries::values,
    .rooted = Rooted::takes,
    .packets = shares::of_each_node,
    .owned = shares::own,
    .wanted = shares::all_at_root,
};
constexpr OperationRecord row_of_allreduce{
    .name = "allreduce",
    .promise = "every node gets the combination of every node's contribution",
    .noun = "the result",
    .carries = Carries::values,
    .packets = shares::of_each_node,
    .owned = shares::own,
    .wanted = shares::everything,
};
constexpr OperationRecord row_of_scan{
    .name = "scan",
    .others = {{{"prefix-sums"}}},
    .promise = "node k gets the combination of the contributions of nodes 0 .. k, in order",
    .noun = "their prefix",
    .carries = Carries::values,
    .prefix = Prefix::with_own,
    .packets = shares::of_each_node,
    .owned = shares::own,
    .wanted = shares::up_to_own,
};
constexpr OperationRecord row_of_allgather{
    .name = "allgather",
    .alias = "AAB",
    .others = {{{"gossip"}}},
    .promise = "every node's packet reaches every node",
    .noun = "all packets",
    .counted_for = CountedFor::nodes,
    .packets = shares::of_each_node,
    .owned = shares::own,
    .wanted = shares::everything,
};
constexpr OperationRecord row_of_alltoall{
    .name = "alltoall",
    .alias = "AAS",
    .promise = "every node gives every other node a packet of its own",
    .noun = "their packets",
    .counted_for = CountedFor::pairs,
    .packets = shares::of_each_pair,
    .owned = shares::from_node,
    .wanted = shares::to_node,
};
constexpr OperationRecord row_of_none{
    .name = "none",
    .promise = "nothing",
    .carries = Carries::contents,
    .packets = shares::bytes_of_contents,
    .owned = shares::nothing,
    .wanted = shares::nothing,
};
constexpr OperationRecord row_of_promise{
    .name = "promise",
    .promise = "what a file says",
    .noun = "their packets",
    .packets = [](const Collective&, NodeId) { return PacketCounts(); },
    .owned = shares::nothing,
    .wanted = shares::nothing,
    .user_defined = true,
};

}  // namespace

constinit const Operation Operation::broadcast{row_of_broadcast};
constinit const Operation Operation::scatter{row_of_scatter};
constinit const Operation Operation::gather{row_of_gather};
constinit const Operation Operation::reduce{row_of_reduce};
constinit const Operation Operation::allreduce{row_of_allreduce};
constinit const Operation Operation::scan{row_of_scan};
constinit const Operation Operation::allgather{row_of_allgather};
constinit const Operation Operation::alltoall{row_of_alltoall};
constinit const Operation Operation::promise{row_of_promise};
constinit const Operation Operation::none{row_of_none};

std::vector<Operation> operations_in_textbook() {
    return {Operation::broadcast, Operation::scatter, Operation::gather,    Operation::reduce,
            Operation::allreduce, Operation::scan,    Operation::allgather, Operation::alltoall};
}

}  // namespace kport
