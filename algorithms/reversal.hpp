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

/// A broadcast or an allgather reversed in time moves values instead of its packets: of the segment that has the packet's number,
/// or that is the packet's in the block of its owner. The schedule names the sender's own contribution to it. `collective` is
/// the reduction that comes of it.
[[nodiscard]] Schedule of_segments(const Schedule& reversed, const Collective& collective);

/// The same, in which each transfer carries its sender's fold so far to each of its segments. O(transfers), and a set of
/// contributions a node.
[[nodiscard]] Schedule with_contributions(const Schedule& of_segments, const Collective& collective,
                                          const Topology& topology);

/// The transfers of a broadcast after those of a reduction, carrying its results (result_packets()).
[[nodiscard]] Schedule followed_by_result(Schedule reduction, const Schedule& broadcast, const Topology& topology);

}  // namespace kport
