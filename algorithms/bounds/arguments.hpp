/// @file arguments.hpp   The arguments that several operations share. Each is a true lower bound for every lawful run.
#pragma once

#include <string_view>
#include <vector>

#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"

namespace kport::bounds {

/// "1 port", "2 ports".
[[nodiscard]] std::string counted(Count n, std::string_view singular, std::string_view plural);

/// "5 * ": M, before what is counted of one packet; empty for one.
[[nodiscard]] std::string times_each(const Facts& facts);

/// Rounds until one node's information can reach all nodes: the informed set grows at most (k+1)-fold a round.
[[nodiscard]] Reason fan_out(const Facts& facts);
/// The same reversed in time: rounds until all nodes' information can reach one node.
[[nodiscard]] Reason fan_in(const Facts& facts);

/// Pairwise machines, where every node must hear of all others and be heard by all: who is alone in the first of an odd number of
/// nodes has all to do in the rounds that are left.
[[nodiscard]] std::vector<Reason> odd_one_out(const Facts& facts);

/// Links between the root and the node farthest from it. In rounds only under store-and-forward; in path sum always.
[[nodiscard]] Reason eccentricity_in_rounds(const Facts& facts);
[[nodiscard]] Reason eccentricity_in_hops(const Facts& facts);
/// The same between the two nodes farthest apart, for operations in which every pair communicates.
[[nodiscard]] Reason diameter_in_rounds(const Facts& facts);
[[nodiscard]] Reason diameter_in_hops(const Facts& facts);

/// The M (N-1) packets that node v sends (or receives) through its min(k, deg v) ports: a bound on the volume in packets, and on
/// the rounds where a message holds one packet.
///
/// All of them: ceil(M (N-1) / k'). Store-and-forward, those at distance d or more alone: ceil(M n_d / k') until the last of
/// them is sent, and after that d-1 rounds more, each with a packet. The best d > 1 follows where it gives more.
[[nodiscard]] std::vector<Reason> data_through_ports(const Facts& facts, NodeId v);

/// Work where every node depends on every other, 2 (N-1) messages: take them in an order in which they could be sent one by
/// one. Before one node depends on all others, each of the others has sent; then each of the others must still receive.
[[nodiscard]] Reason heard_and_hears(const Facts& facts);

/// A round moves at least one packet: adds the bound on rounds as one on volume in packets, unless it came from the volume.
void add_packet_a_round(Derivation& found);
/// A round holds a path of at least one hop: the bound on rounds, as one on path sum.
[[nodiscard]] Reason one_hop_a_round(const Arguments& rounds);
/// Without combining a round's volume is one packet: a bound on volume is one on rounds.
[[nodiscard]] std::vector<Reason> one_packet_a_message(const Arguments& packets);

}  // namespace kport::bounds
