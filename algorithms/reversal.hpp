/// @file reversal.hpp   Time reversal as a way to make algorithms (model.md section 1): gather from scatter, reduce from
///                      broadcast.
#pragma once

#include "algorithms/catalogue.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// Two rows: `forward`, and the one that runs it reversed in time as another operation: every transfer reversed, the rounds in
/// the opposite order. It has the same cost in every quantity and the same requirements on the machine.
[[nodiscard]] std::vector<Algorithm> with_reversal(Algorithm forward, const Operation& reversed, InOrder in_order = {});

/// On grids without wraparound every subtree covers consecutive nodes if the last dimension is folded first.
extern const InOrder in_order_on_grids;

/// A broadcast reversed in time moves contributions instead of its packet: each transfer carries its sender's fold so far,
/// its own contribution included. O(transfers), and a set of contributions a node.
[[nodiscard]] Schedule with_contributions(const Schedule& reversed_broadcast, const Topology& topology);

/// The transfers of a broadcast after those of a reduction, carrying its result (result_packet()).
[[nodiscard]] Schedule followed_by_result(Schedule reduction, const Schedule& broadcast, const Topology& topology);

}  // namespace kport
