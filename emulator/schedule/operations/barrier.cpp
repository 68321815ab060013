/// @file barrier.cpp   The barrier: signals without bytes (model.md section 1).
#include <vector>

#include "emulator/schedule/operation.hpp"
#include "emulator/schedule/operations/shares.hpp"

namespace kport {
namespace {

/// Packet v is the information that node v has entered.
constexpr OperationRecord row_of_barrier{
    .name = "barrier",
    .promise = "every node learns that every node has entered; none leaves before",
    .noun = "that all have entered",
    .carries = Carries::signals,
    .packets = shares::of_each_node,
    .owned = shares::own,
    .wanted = shares::everything,
};

}  // namespace

constinit const Operation Operation::barrier{row_of_barrier};

std::vector<Operation> operations_in_barrier() { return {Operation::barrier}; }

}  // namespace kport
