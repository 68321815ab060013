/// @file types.hpp   Basic types of every room: nodes, ports, rounds, packets.
#pragma once

#include <cstdint>
#include <limits>

namespace KPORT_PUBLIC kport {

/// A node, 0 .. N-1. A specification may name up to 2^40 nodes; a run holds fewer than 2^32 (see Machine).
using NodeId = std::uint64_t;

/// A port of a node. Port labels are fixed by the topology; a node at a border may lack some of them.
using Port = std::uint32_t;

/// A round, counted from 1. Round 0 is before the run: what a node owns at the start it has held since round 0.
using Round = std::uint32_t;

/// A number of links travelled.
using Hops = std::uint64_t;

/// A packet of the operation, 0 .. packets-1; the operation defines its owner at the start and its holders at the end.
using PacketId = std::uint64_t;

inline constexpr NodeId no_node = std::numeric_limits<NodeId>::max();
inline constexpr Port no_port = std::numeric_limits<Port>::max();

}  // namespace kport
