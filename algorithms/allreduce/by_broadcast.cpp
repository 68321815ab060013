/// @file by_broadcast.cpp   All-reduces of M segments as a reduction to a root and a broadcast of the results, both along the same
///                            trees (model.md section 13.3).
#include <vector>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"

namespace kport {

// In a unity build they may be declared before. NOLINTBEGIN(readability-redundant-declaration)
std::vector<Algorithm> algorithms_in_broadcast_msbt();
std::vector<Algorithm> algorithms_in_broadcast_circulant();
std::vector<Algorithm> algorithms_in_broadcast_edge_disjoint_trees();
std::vector<Algorithm> algorithms_in_broadcast_two_tree();
// NOLINTEND(readability-redundant-declaration)

namespace {

/// All-reduce of single segments.
///
/// Machine   as the broadcast
/// Gives     every node holds the fold of all contributions to each segment
/// Costs     twice the broadcast
/// Idea      The broadcast reversed in time combines at the root (--source), which then sends the results.
/// Source    model.md section 13.3
Algorithm reduce_and_broadcast_by(Algorithm row) {
    row.rule = fmt::format("reduce {0} to a root (--source), then broadcast {0}: {1}", row.name, row.rule);
    row.cost = fmt::format("twice broadcast {} in every quantity", row.name);
    row.operation = Operation::allreduce;
    row.way = Way::reduce_broadcast;
    row.through_root = true;
    return row;
}

}  // namespace

std::vector<Algorithm> algorithms_in_allreduce_by_broadcast() {
    return {reduce_and_broadcast_by(algorithms_in_broadcast_msbt().front()),
            reduce_and_broadcast_by(algorithms_in_broadcast_circulant().front()),
            reduce_and_broadcast_by(algorithms_in_broadcast_edge_disjoint_trees().front()),
            reduce_and_broadcast_by(algorithms_in_broadcast_two_tree().front())};
}

}  // namespace kport
