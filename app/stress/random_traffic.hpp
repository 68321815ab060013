/// @file random_traffic.hpp   Random programs with competing claims.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "app/stress/subject.hpp"

namespace kport {

/// Every packet of the operation travels along its own tree from its owner to the nodes that must hold it; in a
/// reduction, values travel along one tree to the root. Trees, routes, bundles and the order of sends and receives are
/// drawn from the seed of the case. Programs do not check whether a port or a channel is free, so claims compete as in
/// no algorithm of the catalogue. Every run on a queueing machine is lawful, since a node receives a packet once, from
/// its parent in the tree. Under the strict policy every wait is a violation, by design (Subject::breaks). Some
/// programs let rounds pass before a step.
///
/// A program throws if it receives a message that was not sent to it, by the wrong port, or in the round in which it
/// was sent.
/// Half of the programs receive from the sender given by the order, half take whatever comes first.
///
/// Operations   all but scan and allreduce; reduce with commutative operators only. On machines on which a packet's
///              tree has at most random_traffic_messages_max links.
/// Memory       a tree a packet.
[[nodiscard]] Subject random_traffic();

/// Random traffic in which packets come again to nodes that had them, are sent before they have come or after they were
/// passed on, nodes leave a barrier early, and some wait for ever. This breaks NODUP, NOHO and delivery by design:
/// reports must not depend on engine, order or partitions. No reductions.
[[nodiscard]] Subject random_gossip();
/// Returns both.
[[nodiscard]] std::vector<Subject> random_subjects();

inline constexpr std::string_view random_traffic_name = "random-traffic";
inline constexpr std::string_view random_gossip_name = "random-gossip";
inline constexpr std::uint64_t random_traffic_messages_max = 1024;

}  // namespace kport
