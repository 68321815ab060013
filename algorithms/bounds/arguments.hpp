/// @file arguments.hpp   Arguments shared by several operations. Each is a true lower bound for every lawful run.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "algorithms/bounds/derivation.hpp"
#include "algorithms/bounds/facts.hpp"
#include "algorithms/bounds/judge.hpp"

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

/// Returns the sum of the distances from v to all nodes. Closed form on grids, exact beyond 64 bits; elsewhere the
/// topology's own.
[[nodiscard]] Count distances_from(const Facts& facts, NodeId v);

/// Returns the sum of the distances over all ordered pairs. Closed form on vertex-transitive graphs, grids and trees;
/// summed over the nodes on other graphs of a few thousand nodes; nothing on larger ones.
[[nodiscard]] std::optional<Count> distances_over_pairs(const Facts& facts);

/// Returns the most messages that can be sent in one round: k a node, one a channel.
[[nodiscard]] Count messages_a_round(const Facts& facts);
/// Returns the sum of min(k, degree) over all nodes, or an upper bound of it where there are too many nodes.
[[nodiscard]] Count ports_of_all(const Facts& facts);

/// Returns a node with the fewest ports, which limits incoming data most: any node of a vertex-transitive graph, the
/// first minimum on graphs of a few thousand nodes, on larger ones the better of the first and the last node (corners,
/// leaves).
[[nodiscard]] NodeId narrowest_node(const Facts& facts);

/// If every node has a packet for every other, |S| (N - |S|) packets must leave a half S of the nodes over the c
/// channels out of it: ceil(|S| (N-|S|) / c) in volume. Uses the best halving of a grid, hypercube or tree; nothing
/// elsewhere.
[[nodiscard]] std::vector<Reason> bisection(const Facts& facts);

/// Returns the bounds of an operation among the hosts of a fabric, for all routes of the switching mode. Fan-out by the ports
/// that the links of each host serve, relays of messages, growth and traffic through cuts: balls around nodes, what one removed
/// switch leaves, subtrees. Larger machines have fewer cuts, and weaker bounds on work.
[[nodiscard]] Derivation derive_in_fabric(const Facts& facts);

/// Returns the arguments for the latency on a machine whose links have prices of their own, the largest first: the
/// dearest relay that some packet needs, the rounds with a message dearer than each price, and the bounds on rounds, path sum and
/// volume at the least prices. The last one alone where the machine is too large for the others.
///
/// Cost   O(hosts) searches where messages have routes of several links, O(prices) of each; else a shortest-path search from each
///        end of a packet's way, and a search of the links for each price that joins hosts; within 2^26 steps.
[[nodiscard]] std::vector<Argument> priced_latency_arguments(const Facts& facts, const Derivation& found);

// Broadcasts of M > 1 packets (model.md section 13.1).

/// Adds the arguments on the volume in packets, on the rounds where a message holds one packet, and on the path sum
/// that follows. Reversed in time they hold for a reduction of M segments.
void add_long_broadcast(const Facts& facts, Derivation& found);

/// Adds what is known beyond the bounds: consequences of the minimum for a single packet, and minima found by search
/// (model.md section 13.2).
void about_long_broadcast(const Facts& facts, const Derivation& found, Knowledge& known);

/// Store-and-forward: M packets must be able to flow to every node, as if it were the only receiver. For tori, and for
/// complete graphs with all ports, the paths to the slowest node are known by formula; elsewhere they are searched for
/// (ways.hpp), once for a graph, its ports and its root, whatever M is: up to walked_channels_max channels and at most
/// four million steps, which on the largest graphs suffice for some of the farthest nodes.
///
/// Returns nothing where it gives no more than the last departure and the slowest receiver: with one port, on trees,
/// meshes and hypercubes.
[[nodiscard]] std::optional<Reason> flow_over_time(const Facts& facts);

}  // namespace kport::bounds
