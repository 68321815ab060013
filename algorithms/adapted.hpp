/// @file adapted.hpp   How algorithms run otherwise than their rule says: reversed in time, where counts differ, over switches, in groups.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "algorithms/catalogue.hpp"
#include "algorithms/run_algorithm.hpp"
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

/// Whether the algorithm runs by a thinned schedule, because the counts of packets differ and its rule does not know them.
[[nodiscard]] bool is_thinned(const Algorithm& algorithm, const Machine& machine, const Collective& collective);

/// Returns the schedule without the packets that there are not. Messages without packets are not sent, and a round in which no
/// message is left is left out: the later ones move up, in their order. What was held then is held still, since sends only move
/// earlier together. O(transfers and the packets' columns).
[[nodiscard]] Schedule thinned(const Schedule& schedule, const Collective& collective);

/// Returns the schedule by which the algorithm moves packets forward: that of its rule for as many packets of all as those have
/// that have most, thinned. Requires is_thinned(). Small ones are kept. Runs the rule without bytes.
[[nodiscard]] std::shared_ptr<const Schedule> thinned_schedule(const Algorithm& algorithm, const Machine& asked,
                                                               const Collective& collective,
                                                               const AlgorithmOptions& options);

/// Returns what it costs, counted if the rule sends few messages; else nothing is known before the run.
[[nodiscard]] ExpectedCost expected_thinned(const Algorithm& algorithm, const Machine& asked,
                                            const Collective& collective, const AlgorithmOptions& options);

/// Whether the messages of an algorithm's round are given switches, so that none meets another (parallel_switches()): algorithms without
/// a plan that move by several ports, on machines of up to 512 hosts.
[[nodiscard]] bool is_switched(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                               const AlgorithmOptions& options);

/// Returns the routes through them. Requires is_switched(). Runs the program without bytes on the complete graph.
[[nodiscard]] std::shared_ptr<const RouteBook> routes_by_switches(const Algorithm& algorithm, const Machine& asked,
                                                                  const Collective& collective,
                                                                  const AlgorithmOptions& options);

/// Returns why the algorithm cannot run in some group, as a clause; nothing if it can in all. Requires Collective::groups.
[[nodiscard]] std::optional<std::string> misfit_in_groups(const Algorithm& algorithm, const Machine& machine,
                                                          const Collective& collective,
                                                          const AlgorithmOptions& options);
/// Returns the rounds of the longest group, the work of all, and what rounds cost together as far as one group, or equal ones, tell.
[[nodiscard]] ExpectedCost expected_in_groups(const Algorithm& algorithm, const Machine& machine,
                                              const Collective& collective, const AlgorithmOptions& options);
/// Runs every group with its bytes as a machine of its own, and puts their transfers into the same rounds of the whole machine, where
/// they are audited together: ports, channels and routes. Messages of different groups that need one channel go in turn: the later
/// group's round follows. Counts are of all groups together. Throws as run_algorithm().
[[nodiscard]] RunResult run_in_groups(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                                      const AlgorithmOptions& options, const Payload& payload,
                                      const RunOptions& run_options);

}  // namespace kport
