#include "emulator/schedule/promise.hpp"

#include "emulator/base/error.hpp"

namespace kport {

namespace {

PacketSet one(NodeId packet) { return PacketSet::range(packet, packet + 1); }

PacketBlock from_to(NodeId row, NodeId rows, NodeId column, NodeId columns) {
    return {static_cast<std::uint32_t>(column), 1, static_cast<std::uint32_t>(columns),
            static_cast<std::uint32_t>(row),    1, static_cast<std::uint32_t>(rows)};
}

}  // namespace

PacketSet owned(const Promise& promise, NodeId v, NodeId nodes) {
    switch (promise.operation) {
        case Operation::broadcast: return v == promise.source ? one(0) : PacketSet();
        case Operation::scatter: return v == promise.source ? PacketSet::range(0, nodes) : PacketSet();
        case Operation::gather:
        case Operation::reduce:
        case Operation::allreduce:
        case Operation::scan:
        case Operation::allgather: return one(v);
        case Operation::alltoall: return from_to(v, 1, 0, nodes);
    }
    invariant(false, "an operation without a promise");
    return {};
}

PacketSet wanted(const Promise& promise, NodeId v, NodeId nodes) {
    switch (promise.operation) {
        case Operation::broadcast: return one(0);
        case Operation::scatter: return one(v);
        case Operation::gather:
        case Operation::reduce: return v == promise.source ? PacketSet::range(0, nodes) : PacketSet();
        case Operation::allreduce:
        case Operation::allgather: return PacketSet::range(0, nodes);
        case Operation::scan: return PacketSet::range(0, v + 1);
        case Operation::alltoall: return from_to(0, nodes, v, 1);
    }
    invariant(false, "an operation without a promise");
    return {};
}

std::uint64_t packet_count(const Promise& promise, NodeId nodes) {
    if (promise.operation == Operation::broadcast) return 1;
    return promise.operation == Operation::alltoall ? nodes * nodes : nodes;
}

}  // namespace kport
