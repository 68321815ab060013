/// @file exscan.cpp   The exclusive scan: node v gets the combination of the contributions of nodes 0 .. v - 1, node 0 nothing.
#include <vector>

#include "emulator/schedule/operation.hpp"
#include "emulator/schedule/operations/shares.hpp"

namespace kport {
namespace {

constexpr OperationRecord row_of_exscan{
    .name = "exscan",
    .others = {{{"exclusive-scan"}}},
    .promise = "node k gets the combination of the contributions of nodes 0 .. k-1, in order; node 0 gets nothing",
    .noun = "their prefix",
    .carries = Carries::values,
    .prefix = Prefix::before_own,
    .packets = shares::of_each_node,
    .owned = shares::own,
    .wanted = shares::before_own,
};

}  // namespace

constinit const Operation Operation::exscan{row_of_exscan};

std::vector<Operation> operations_in_exscan() { return {Operation::exscan}; }

}  // namespace kport
