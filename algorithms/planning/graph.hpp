/// @file graph.hpp   A copy of a graph for planning and search: the neighbours of each node in one array; and calls, with what each carries.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <boost/dynamic_bitset.hpp>

#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/schedule.hpp"
#include "emulator/topology/topology.hpp"

namespace kport::planning {

using Node32 = std::uint32_t;
inline constexpr Node32 no_node32 = 0xFFFFFFFF;
inline constexpr std::uint32_t unreached = 0xFFFFFFFF;

/// Nodes 0 .. N-1 and the neighbours of each, without ports.
///
/// Memory   8 bytes a node and 4 a channel.
/// Callers  any thread.
class Graph {
  public:
    /// Throws DoesNotFit for 2^31 nodes or more, and where there is not enough memory.
    explicit Graph(const Topology& topology);

    [[nodiscard]] Node32 nodes() const { return static_cast<Node32>(first_.size() - 1); }
    [[nodiscard]] std::span<const Node32> neighbours(Node32 v) const {
        return {neighbours_.data() + first_[v], neighbours_.data() + first_[v + 1]};
    }
    [[nodiscard]] std::uint32_t degree(Node32 v) const { return static_cast<std::uint32_t>(first_[v + 1] - first_[v]); }
    [[nodiscard]] std::uint64_t channels() const { return neighbours_.size(); }
    [[nodiscard]] std::uint32_t max_degree() const { return max_degree_; }
    [[nodiscard]] bool is_tree() const { return channels() == 2 * (std::uint64_t{nodes()} - 1); }

    /// Returns the distance of each node from the nearest of some nodes. O(channels).
    [[nodiscard]] std::vector<std::uint32_t> distances(std::span<const Node32> from) const;

  private:
    std::vector<std::uint64_t> first_;  ///< index of a node's first neighbour; N + 1 entries
    std::vector<Node32> neighbours_;
    std::uint32_t max_degree_ = 0;
};

/// A call: in a round one node sends to another all that the other lacks.
struct Call {
    Round round = 0;
    Node32 from = no_node32;
    Node32 to = no_node32;

    bool operator==(const Call&) const = default;
};
using Calls = std::vector<Call>;

/// Whether to give up: the time limit has passed, or the user has interrupted. Called often.
using Stop = std::function<bool()>;

/// Calls as messages of an operation: what each carries.
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
