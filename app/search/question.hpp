/// @file question.hpp   What is asked: the least cost of an operation on a machine; lower bounds of it, where no closed form covers it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/bounds/bounds.hpp"
#include "app/search/problem.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/schedule/schedule.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport::search {

/// How the values of a reduction are read.
enum class Reading : std::uint8_t {
    folded,  ///< a message carries one value of a segment, folded of values that its sender holds
    runs     ///< a message carries runs of consecutive contributors, each a value
};

/// An operation on a machine. Where messages take paths of several links (wormhole, switches), broadcasts and what goes along their
/// trees.
struct Question {
    Machine machine;
    Collective collective;
    std::vector<NodeId> sources = {};  ///< of a broadcast from several nodes that know the same, ascending; else empty
    std::optional<Reading> reading = {};  ///< of values; nothing: the one that takes fewer rounds

    [[nodiscard]] NodeId nodes() const { return machine.topology->nodes(); }
    /// How many messages node v sends, and receives, in a round at most. In pairs what a link carries each way, if it has a port for
    /// each.
    [[nodiscard]] Port sends_of(NodeId v) const { return to_one_partner(v, machine.sends_of(v)); }
    [[nodiscard]] Port receives_of(NodeId v) const { return to_one_partner(v, machine.receives_of(v)); }
    /// The most messages that cross a link of v in a round.
    [[nodiscard]] std::uint64_t largest_capacity(NodeId v) const;
    /// Whether sends and receipts share what node v has.
    [[nodiscard]] bool shares_ports(NodeId v) const {
        return machine.duplex == Duplex::half && !(machine.pairwise && machine.ports_of(v) > 1);
    }
    /// How many messages cross the link from v to its neighbour w in a round at most.
    [[nodiscard]] std::uint64_t capacity(NodeId v, NodeId w) const {
        const Topology& links = machine.topology->wires();
        return links.capacity(v, links.port_to(v, w));
    }
    /// How many messages cross all links in a round at most, without regard to ports.
    [[nodiscard]] std::uint64_t channels() const {
        const Topology& topology = *machine.topology;
        return topology.fabric() == nullptr ? topology.channels() : topology.fabric()->capacities();
    }
    [[nodiscard]] const Operation& operation() const { return collective.operation; }
    /// Whether the bundles of a message are free: one message carries all that its sender holds.
    [[nodiscard]] bool bundles() const { return machine.combining || collective.signals(); }
    /// Whether one node's packets all go to all others, or the reverse of that.
    [[nodiscard]] bool one_to_all() const {
        return operation() == Operation::broadcast || operation() == Operation::reduce;
    }

  private:
    [[nodiscard]] Port to_one_partner(NodeId v, Port ports) const {
        return machine.pairwise ? static_cast<Port>(std::min<std::uint64_t>(ports, largest_capacity(v))) : ports;
    }
};

/// A packet that some nodes want and do not own.
struct NeededPacket {
    std::vector<Node32> owners;     ///< ascending; one, but for promises in which several own it
    PacketBlock block;              ///< it alone
    std::vector<Node32> receivers;  ///< ascending; at least one

    [[nodiscard]] bool has_owner(Node32 v) const { return std::ranges::binary_search(owners, v); }
    [[nodiscard]] bool is_alike(const NeededPacket& other) const {
        return owners == other.owners && receivers == other.receivers;
    }
};
/// All of an operation that does not fold, by owners and then by receivers. O(N * packets).
[[nodiscard]] std::vector<NeededPacket> packets_needed(const Question& question);
[[nodiscard]] bool have_one_owner(const std::vector<NeededPacket>& packets);
/// Why a promise cannot be kept: a packet that has no way to a node that wants it, where some nodes pass nothing on. Nothing if each has
/// one.
[[nodiscard]] std::optional<std::string> packet_without_way(const Question& question);

/// Throws RequestError for machines and operations that are not searched for.
void require_valid(const Question& question);

/// A question whose schedules, reversed in time, are those of another.
[[nodiscard]] bool is_reversed(const Operation& operation);
/// The other one: of reduce the broadcast, of gather the scatter, of reduce-scatter the allgather.
[[nodiscard]] Question reversed(const Question& question);
/// Its schedule reversed in time, as one of the question: packets turned round; for reductions the value of all contributions that
/// came to the sender.
[[nodiscard]] Schedule reversed(const Question& question, const Schedule& schedule);

/// Messages between nodes as a schedule of the operation: scatter and broadcast take each node's first message, alltoall the
/// first messages by which a sender's news arrive, allgather and barrier what the receiver lacks (barrier: all that is known).
[[nodiscard]] Schedule schedule_of(const Question& question, Calls calls);

/// A schedule for `each` packets (segments) of each, repeated one after the other for as many as the question has.
[[nodiscard]] Schedule repeated(const Question& question, const Schedule& schedule, std::uint64_t each);

/// Whether an automorphism, which takes hosts to hosts, takes nodes to others with the same limits of ports.
[[nodiscard]] bool keeps_limits(const Machine& machine, std::span<const Node32> image);
/// Whether an automorphism of the graph takes the question to itself.
[[nodiscard]] bool keeps(const Question& question, std::span<const Node32> image);

/// Returns the arguments for a lower bound, at least one, the binding one first.
///
/// For a broadcast: eccentricity, fan-out, degrees, chains of sends (bounds/counting.hpp). For a gossip: diameter,
/// fan-out, and those of a broadcast from each node.
[[nodiscard]] std::vector<Argument> lower_bounds_of(const Problem& problem, const Graph& graph);

/// Returns their largest value.
[[nodiscard]] Round bound_of(const std::vector<Argument>& arguments);

/// Without combining, for packets: sends and receipts of each node, relayed packets of cut nodes included; packets over each bridge;
/// all hops over all ports. No argument for values and where messages hold bundles. None for machines on which that takes longer than
/// about a second. O(N * (packets * N + channels)).
[[nodiscard]] std::vector<Argument> loads_of(const Question& question);

/// For an allreduce on full duplex: a cut node must tell each part after it has heard of all others, each segment apart without
/// combining. O(N * channels).
[[nodiscard]] std::vector<Argument> told_late(const Question& question);

/// Without combining, for packets: the rounds that packets would need as fluids, parts of which may take different ways at once. At
/// least what loads_of() finds, where a node's or channel's load is the same whatever ways packets take; rounded as an integer bound.
///
/// None on more than 32 nodes, and for packets of several receivers on more than 10. Some hundredths of a second.
[[nodiscard]] std::vector<Argument> fluid_of(const Question& question);

}  // namespace kport::search
