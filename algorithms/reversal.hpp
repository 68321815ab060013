/// @file reversal.hpp   Algorithms by time reversal (model.md section 1): gather from scatter, reduce from broadcast.
#pragma once

#include "algorithms/catalogue.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport {

/// Returns two rows: `forward`, and the one that runs it reversed in time as another operation: every transfer
/// reversed, the rounds in the opposite order. Costs and requirements on the machine are equal.
[[nodiscard]] std::vector<Algorithm> with_reversal(Algorithm forward, const Operation& reversed, InOrder in_order = {});

/// On grids without wraparound every subtree covers consecutive nodes if the last dimension is combined first.
extern const InOrder in_order_on_grids;

/// Turns a reversed broadcast or allgather into transfers of values: a packet becomes the segment with its number, or
/// its segment in the block of its owner. The schedule names the sender's own contribution to it. `collective` is the
/// resulting reduction.
[[nodiscard]] Schedule of_segments(const Schedule& reversed, const Collective& collective);

/// of_segments() with each transfer carrying all that its sender has combined so far for each of its segments.
/// O(transfers), and a set of contributions a node.
[[nodiscard]] Schedule with_contributions(const Schedule& of_segments, const Collective& collective,
                                          const Topology& topology);

/// The transfers of a reduction, then those of a broadcast that carries its results (result_packets()).
[[nodiscard]] Schedule followed_by_result(Schedule reduction, const Schedule& broadcast, const Topology& topology);

}  // namespace kport
