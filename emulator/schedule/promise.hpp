/// @file promise.hpp   What an operation promises: who owns which packets at the start, and who must hold which at the end.
#pragma once

#include <cstdint>

#include "emulator/schedule/operation.hpp"
#include "emulator/schedule/packet_set.hpp"

namespace kport {

struct Promise {
    NodeId source = 0;  ///< or root; ignored where the operation has none
    std::uint64_t packet_bytes = 0;
    Operation operation = Operation::broadcast;
};

/// Whether packets are contributions that are folded into one value on their way (reduce, allreduce, scan).
[[nodiscard]] constexpr bool is_reduction(Operation operation) {
    return operation == Operation::reduce || operation == Operation::allreduce || operation == Operation::scan;
}

/// What node v of N owns at the start.
[[nodiscard]] PacketSet owned(const Promise& promise, NodeId v, NodeId nodes);
/// What it must hold at the end, its own packets included.
[[nodiscard]] PacketSet wanted(const Promise& promise, NodeId v, NodeId nodes);

/// The result of a reduction, as a packet of its own where it is sent on as such (reduce, then broadcast): one more than
/// there are contributions.
[[nodiscard]] inline PacketBlock result_packet(NodeId nodes) { return {static_cast<std::uint32_t>(nodes)}; }

/// How many packets the operation has: their numbers end below.
[[nodiscard]] std::uint64_t packet_count(const Promise& promise, NodeId nodes);

}  // namespace kport
