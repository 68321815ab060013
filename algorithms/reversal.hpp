/// @file reversal.hpp   Time reversal as a way to make algorithms (model.md section 1): gather from scatter, reduce from
///                      broadcast.
#pragma once

#include "algorithms/catalogue.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// The row that runs `forward` reversed in time as another operation: every transfer reversed, the rounds in the opposite
/// order. It has the same cost in every quantity and the same requirements on the machine.
[[nodiscard]] Algorithm time_reversal(const Operation& operation, Algorithm forward);

/// The row, with the condition under which contributions are folded in the order of the nodes.
[[nodiscard]] Algorithm in_order(Algorithm row,
                                 bool (*condition)(const Machine&, const Collective&, const AlgorithmOptions&));

/// Recursive doubling on the complete graph folds segments that begin at the root: in order if that is node 0.
[[nodiscard]] bool rda_folds_in_order(const Machine& machine, const Collective& collective,
                                      const AlgorithmOptions& options);
/// On grids without wraparound every subtree covers consecutive nodes if the last dimension is folded first.
[[nodiscard]] bool grid_folds_in_order(const Machine& machine, const Collective& collective,
                                       const AlgorithmOptions& options);

/// A broadcast reversed in time moves contributions instead of its packet: each transfer carries its sender's fold so far,
/// its own contribution included. O(transfers), and a set of contributions a node.
[[nodiscard]] Schedule with_contributions(const Schedule& reversed_broadcast, const Topology& topology);

/// The transfers of a broadcast after those of a reduction, carrying its result (result_packet()).
[[nodiscard]] Schedule followed_by_result(Schedule reduction, const Schedule& broadcast, const Topology& topology);

}  // namespace kport
