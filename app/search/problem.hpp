/// @file problem.hpp   A search problem: the fewest rounds of an operation on a machine; and the calls of a solution.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/planning/graph.hpp"
#include "algorithms/planning/room.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/schedule.hpp"

namespace kport::search {

using planning::Call;
using planning::Calls;
using planning::Graph;
using planning::no_node32;
using planning::Node32;
using planning::Stop;
using planning::unreached;

/// What a node may do in a round.
enum class Mode : std::uint8_t {
    kport,      ///< k sends and k receives
    telephone,  ///< one partner; both send
    telegraph   ///< one send or one receive
};
[[nodiscard]] std::string_view name(Mode mode);

/// A broadcast from one node, or from several that know the same, or a gossip (allgather), with bundles of any size,
/// store and forward.
struct Problem {
    std::shared_ptr<const Topology> topology;
    Operation operation = Operation::broadcast;
    std::vector<NodeId> sources = {0};  ///< for a broadcast; ascending
    PortLimit ports = PortLimit(1);
    Mode mode = Mode::kport;  ///< for a gossip: a broadcast takes equally many rounds in every mode

    [[nodiscard]] bool gossip() const { return operation == Operation::allgather; }
    /// Returns the maximum number of concurrent sends of a node.
    [[nodiscard]] Port widest() const { return std::max<Port>(1, ports.of_degree(topology->max_degree())); }
};

/// Throws RequestError for an operation that cannot be searched, for sources that are no nodes or named twice, and for
/// modes that require one port.
void require_valid(const Problem& problem);

/// Return the machine of the mode, and the collective by which the auditor judges.
[[nodiscard]] Machine machine_of(const Problem& problem);
[[nodiscard]] Collective collective_of(const Problem& problem);

/// Returns the last round of some calls.
[[nodiscard]] Round rounds_of(const Calls& calls);

/// Returns the calls as messages, round by round. Calls that would bring nothing new are left out. O(calls) for a
/// broadcast, O(calls * N / 64) for a gossip.
[[nodiscard]] Schedule schedule_of(const Problem& problem, Calls calls);

/// Sets of nodes are bits of a word; larger machines would take years.
inline constexpr Node32 exhaustive_nodes_max = 32;

/// The result of searching for a schedule of so many rounds.
enum class Answer : std::uint8_t { yes, no, stopped };

/// Searches a broadcast of at most `rounds` rounds. Steps from one set of informed nodes to the maximal sets that a
/// round can inform, remembers failures, and prunes sets that are too small, or too far from a node, for the remaining
/// rounds. Sets `calls` if the answer is yes. At most exhaustive_nodes_max nodes.
[[nodiscard]] Answer search_exhaustively(const Graph& graph, std::span<const Node32> sources, Port ports, Round rounds,
                                         const Stop& stop, Calls& calls);

/// What a node may do in a round of the mode.
[[nodiscard]] inline planning::Calling calling_in(Mode mode, Port ports) {
    return {PortLimit(ports), mode == Mode::telephone, mode == Mode::telegraph};
}

/// Collects everything at one node and distributes it: a broadcast backwards and forwards. The middle call goes both
/// ways at once, except in telegraph mode. `broadcast` starts at one node.
[[nodiscard]] Calls there_and_back(const Calls& broadcast, Mode mode);

}  // namespace kport::search
