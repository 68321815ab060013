/// @file arguments.hpp   Arguments shared by several operations. Each is a true lower bound for every lawful run.
#pragma once

#include <string_view>
#include <vector>

#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"

namespace kport::bounds {

/// Returns "1 port", "2 ports".
[[nodiscard]] std::string counted(Count n, std::string_view singular, std::string_view plural);

/// Returns "5 * ": the factor M; empty for M = 1.
[[nodiscard]] std::string times_each(const Facts& facts);

/// Rounds until one node's information can reach all nodes: the informed set grows at most (k+1)-fold a round.
[[nodiscard]] Reason fan_out(const Facts& facts);
/// fan_out() reversed in time: rounds until all nodes' information can reach one node.
[[nodiscard]] Reason fan_in(const Facts& facts);

/// Pairwise machines on which every node must hear of all others and be heard by all: with an odd number of nodes, one
/// is idle in the first round and has only the remaining rounds.
[[nodiscard]] std::vector<Reason> odd_one_out(const Facts& facts);

/// Links between the root and the node farthest from it. In rounds only under store-and-forward; in path sum always.
[[nodiscard]] Reason eccentricity_in_rounds(const Facts& facts);
[[nodiscard]] Reason eccentricity_in_hops(const Facts& facts);
/// The distance between the two nodes farthest apart, for operations in which every pair communicates.
[[nodiscard]] Reason diameter_in_rounds(const Facts& facts);
[[nodiscard]] Reason diameter_in_hops(const Facts& facts);

/// The M (N-1) packets that node v sends (or receives) through its min(k, deg v) ports: a bound on the volume in
/// packets, and on the rounds where a message holds one packet.
///
/// All packets: ceil(M (N-1) / k'). Store-and-forward, only those for distance d or more: ceil(M n_d / k') until the
/// last of them is sent, then d-1 more rounds, each with a packet. The best d > 1 is added if it gives more.
[[nodiscard]] std::vector<Reason> data_through_ports(const Facts& facts, NodeId v);

/// Work where every node depends on every other: 2 (N-1) messages. Order the messages so that each could be sent after
/// those before it: until one node depends on all others, each of these has sent; after that each of the others must
/// still receive.
[[nodiscard]] Reason heard_and_hears(const Facts& facts);

/// Adds the bound on rounds as a bound on the volume in packets, since a round moves at least one; unless it came from
/// the volume.
void add_packet_a_round(Derivation& found);
/// Returns the bound on rounds as a bound on path sum: a round has a path of at least one hop.
[[nodiscard]] Reason one_hop_a_round(const Arguments& rounds);
/// Returns a bound on volume as a bound on rounds: without combining a round's volume is one packet.
[[nodiscard]] std::vector<Reason> one_packet_a_message(const Arguments& packets);

}  // namespace kport::bounds
