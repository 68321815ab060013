/// @file arguments.hpp   The arguments that several operations share. Each is a true lower bound for every lawful run.
#pragma once

#include <string_view>
#include <vector>

#include "algorithms/bounds/facts.hpp"
#include "algorithms/bounds/quantity.hpp"

namespace kport::bounds {

/// "1 port", "2 ports".
[[nodiscard]] std::string counted(Count n, std::string_view singular, std::string_view plural);

/// Rounds until one node's information can be everywhere: the set that has it grows at most (k+1)-fold a round.
[[nodiscard]] Reason fan_out(const Facts& facts);
/// The same reversed in time: rounds until everybody's information can be at one node.
[[nodiscard]] Reason fan_in(const Facts& facts);

/// Links between the root and the node farthest from it. In rounds only under store-and-forward; in path sum always.
[[nodiscard]] Reason eccentricity_in_rounds(const Facts& facts);
[[nodiscard]] Reason eccentricity_in_hops(const Facts& facts);
/// The same between the two nodes farthest apart, for operations in which every pair has something to tell.
[[nodiscard]] Reason diameter_in_rounds(const Facts& facts);
[[nodiscard]] Reason diameter_in_hops(const Facts& facts);

/// What the N-1 packets that node v must send (or receive) need of its min(k, deg v) ports, in packets of volume; and so
/// in rounds where a message holds one packet.
///
/// All of them: ceil((N-1) / k'). Store-and-forward, those at distance d or more alone: ceil(n_d / k') until the last of
/// them is sent, and after that d-1 rounds more, each with a packet. The best d > 1 follows where it gives more.
[[nodiscard]] std::vector<Reason> data_through_ports(const Facts& facts, NodeId v);

/// Work where everybody depends on everybody, 2 (N-1) messages: take them in an order in which they could be sent one by
/// one. Until a first node depends on all others, each of the others has sent; every other node is still to receive.
[[nodiscard]] Reason heard_and_hears(const Facts& facts);

/// A round moves at least one packet: adds the bound on rounds as one on volume in packets, unless it came from there.
void add_packet_a_round(Derivation& found);
/// A round holds a path of at least one hop: the bound on rounds, as one on path sum.
[[nodiscard]] Reason one_hop_a_round(const Quantity& rounds);
/// Without combining a round's volume is one packet: a bound on volume is one on rounds.
[[nodiscard]] std::vector<Reason> one_packet_a_message(const Quantity& packets);

}  // namespace kport::bounds
