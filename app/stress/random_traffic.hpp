/// @file random_traffic.hpp   Random programs with competing claims.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "app/stress/subject.hpp"

namespace kport {

/// Every packet of the operation goes along a tree of its own from its owner to those who must hold it; of a reduction, values
/// go along one tree to the root. Trees, routes, bundles and the order of sends and receives are drawn by the seed of the case.
/// Programs do not look whether a port or a channel is free, so claims compete as they do in no algorithm of the catalogue, and
/// yet on a queueing machine every run is lawful: a node receives a packet once, from its parent in the tree. Under the strict
/// policy whatever waits is a violation, by design (Subject::breaks). Some programs let rounds pass before a step.
///
/// A program throws if it is given a message that nobody sends it, by another port, or in the round in which it was sent.
/// Half of the programs receive from the sender that the order names, half take whatever comes first.
///
/// Operations   all but scan and allreduce; of reduce the commutative operators. On machines on which a tree a packet has at most random_traffic_messages_max links.
/// Memory       a tree a packet.
[[nodiscard]] Subject random_traffic();

/// Random traffic in which packets come again to nodes that had them, are sent before they have come or after the node passed them
/// on, nodes leave a barrier early, and some wait for ever. This breaks NODUP, NOHO and delivery by design: what is reported must
/// not depend on engine, order or partitions. No reductions.
[[nodiscard]] Subject random_gossip();
/// Random traffic and gossip.
[[nodiscard]] std::vector<Subject> random_subjects();

inline constexpr std::string_view random_traffic_name = "random-traffic";
inline constexpr std::string_view random_gossip_name = "random-gossip";
inline constexpr std::uint64_t random_traffic_messages_max = 1024;

}  // namespace kport
