/// @file pair_packets.hpp   Operations whose packets have a sender and a receiver.
#pragma once

#include "emulator/schedule/operation.hpp"

namespace kport {

/// Whether packets are those of one node for another: packet j of u for v is row u M + j of column v, and is named u>v.
[[nodiscard]] inline bool has_pairs(const Operation& operation) {
    return operation == Operation::alltoall || operation == Operation::neighbor_alltoall;
}

}  // namespace kport
