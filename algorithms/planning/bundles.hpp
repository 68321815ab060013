/// @file bundles.hpp   Calls as messages of an operation: what each carries.
#pragma once

#include <cstdint>
#include <span>

#include <boost/dynamic_bitset.hpp>

#include "algorithms/planning/graph.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport::planning {

using NodeBits = boost::dynamic_bitset<std::uint64_t>;

/// Returns the members as ranges of columns in rows row .. row + rows - 1.
[[nodiscard]] PacketBlocks ranges_of(const NodeBits& members, std::uint32_t row, std::uint32_t rows);

/// Returns the calls as a schedule of the operation, with bundles of any size: broadcast and scatter take each node's first call,
/// alltoall the first calls by which a sender's news arrive, allgather and barrier what the receiver lacks (barrier: all that is
/// known). Calls that would bring nothing are left out.
///
/// sources   of a broadcast or scatter: nodes that know all of it
/// Cost      O(calls * N / 64); alltoall O(N * calls) more
[[nodiscard]] Schedule bundled(const Topology& topology, const Collective& collective, std::span<const NodeId> sources,
                               Calls calls);

}  // namespace kport::planning
