/// @file gossip.hpp   Fast gossips that need not be the shortest, of news or of packets that travel alone.
#pragma once

#include <cstdint>

#include "algorithms/planning/graph.hpp"
#include "algorithms/planning/room.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport::planning {

/// How often a plan is tried: the shortest counts.
struct Tries {
    unsigned most = 1;
    Round enough = 0;  ///< a plan of so few rounds ends them
};

/// In each round the calls that bring the most packets, as long as ports are free; the shortest of some such gossips, the
/// first one with ties as they come, the others with random choices among calls that bring about as much. Empty if it was stopped.
///
/// Cost      O(tries rounds channels (N / 64 + log N))
[[nodiscard]] Calls greedy_gossip(const Graph& graph, const Calling& calling, const Tries& tries, const Stop& stop);

/// A greedy gossip with one packet a message: the node that lacks the most is served first, with the rarest packet.
[[nodiscard]] Schedule greedy_single_packets(const Topology& topology, const Graph& graph, const Calling& calling,
                                             std::uint64_t packets_each, const Tries& tries, const Stop& stop);

/// A greedy gossip with values. A message folds, for each segment, those values of its sender that share no contribution with what its
/// receiver holds; runs of consecutive nodes stay apart if `in_runs`. What came folded goes on folded. A node that has all sends the
/// result. Where the values of all tries block each other, along a tree. Empty if it was stopped.
///
/// in_runs     a scan, in values of consecutive nodes: node v is done with 0 .. v, and no value that it receives straddles v
/// segments    each message carries all of them
[[nodiscard]] Schedule greedy_fold(const Topology& topology, const Graph& graph, const Calling& calling, bool in_runs,
                                   std::uint64_t segments, const Tries& tries, const Stop& stop);

/// How much there is to look at in one try.
struct GossipSize {
    double words;
};
inline constexpr double gossip_words_max = 1 << 25;    ///< of one try: a tenth of a second
inline constexpr double gossip_words_quick = 1 << 22;  ///< of one try that may be made for several machines
[[nodiscard]] GossipSize size_of_packets(const Topology& topology);
[[nodiscard]] GossipSize size_of_single_packets(const Topology& topology, std::uint64_t packets_each);
[[nodiscard]] GossipSize size_of_values(const Topology& topology);

/// As many tries as take some hundredths of a second: at least one, at most `tries_max`.
[[nodiscard]] Tries tries_for(const GossipSize& size, Round enough, double tries_max = 32);

/// A packet, and the node that wants it.
struct RoutedPacket {
    Node32 owner;
    Node32 target;
    PacketBlock block;  ///< it alone
};

/// Packets on shortest paths, one a message: in each round the packets that have farthest to go, and those of nodes that have the
/// most to send, as long as ports and channels are free; the shortest of some tries. The first ones differ in the weights of the two and
/// in numbers drawn for the packets; each later one changes some numbers of the best so far.
///
/// Cost   O(tries rounds packets degree)
[[nodiscard]] Schedule greedy_routes(const Topology& topology, const Graph& graph, const Calling& calling,
                                     const std::vector<RoutedPacket>& packets, const Tries& tries);

/// How much there is to look at in one try of about so many rounds.
[[nodiscard]] GossipSize size_of_routes(double packets, double rounds);

}  // namespace kport::planning
