/// @file rounds_bound.hpp   Lower bounds on the rounds of ordered messages, and exact search for few messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/files/earliest_rounds.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport {

/// A part of a path that carries so many messages a round: a channel, a half duplex link, named by its lower end, or a
/// switch with a limit, whose `to` and `port` are none.
struct Passage {
    NodeId from;
    NodeId to;
    Port port;
    std::uint64_t capacity;
};
/// Calls visit(passage) for the passages of a message on its way.
template <class Visit>
void for_each_passage(const LooseMessage& message, const Machine& machine, const Visit& visit) {
    const Topology& wires = machine.topology->wires();
    const Fabric* fabric = machine.topology->fabric();
    NodeId at = message.from;
    for (const Port port : message.route) {
        const LinkEnd end = wires.across(at, port);
        const std::uint64_t capacity = fabric == nullptr ? 1 : fabric->capacity(at, port);
        if (fabric != nullptr && fabric->is_switch(at) && machine.switch_limit != no_port)
            visit(Passage{at, no_node, no_port, machine.switch_limit});
        const bool from_low = machine.links == Duplex::half && end.node < at;
        visit(from_low ? Passage{end.node, at, end.port, capacity} : Passage{at, end.node, port, capacity});
        at = end.node;
    }
}

/// A resource that messages need: the send ports of a node, its receive ports, or a passage.
struct RoundResource {
    enum class Kind : std::uint8_t { sends, receives, ports, passage };

    Kind kind = Kind::sends;
    NodeId node = 0;
    NodeId other = no_node;  ///< other end of a channel; none for a switch
    std::uint64_t capacity = 1;
    std::vector<std::uint32_t> users = {};  ///< messages

    /// Returns "send port of rank 0", "channel from rank 0 to rank 1", "switch 16".
    [[nodiscard]] std::string in_words() const;
};

/// A unit job on a resource: the first round in which it can run, and the rounds that must follow it.
struct RoundJob {
    std::int64_t head = 1;
    std::int64_t tail = 0;
};

/// Returns the least possible maximum of round + tail over all jobs on `capacity` machines; 0 without jobs. Exact. O(J
/// log J).
[[nodiscard]] std::int64_t rounds_of_jobs(std::vector<RoundJob> jobs, std::uint64_t capacity);

/// Precedence of messages and points, with heads and tails.
class RoundGraph {
  public:
    struct Edge {
        std::uint32_t to = 0;
        std::int64_t lag = 0;  ///< least number of rounds between the two
    };

    /// Throws RequestError for a cycle, naming one of its messages.
    RoundGraph(const std::vector<LooseMessage>& messages, const Machine& machine);

    /// Raises heads and tails by the resources that ancestors and descendants of a message share. O(M * (M + edges) log M).
    void raise();

    [[nodiscard]] const std::vector<std::int64_t>& heads() const { return heads_; }
    [[nodiscard]] const std::vector<std::int64_t>& tails() const { return tails_; }
    [[nodiscard]] const std::vector<std::uint32_t>& order() const { return order_; }
    [[nodiscard]] const std::vector<std::vector<Edge>>& followers() const { return followers_; }
    [[nodiscard]] const std::vector<std::vector<Edge>>& predecessors() const { return predecessors_; }
    [[nodiscard]] const std::vector<RoundResource>& resources() const { return resources_; }
    [[nodiscard]] const std::vector<LooseMessage>& messages() const { return messages_; }

    struct Bound {
        std::int64_t rounds = 0;
        std::string binding = {};
    };
    /// Returns the largest of the critical path and what each resource needs with the present heads and tails.
    [[nodiscard]] Bound bound() const;
    /// Returns the longest paths from a message to all others; negative: none.
    [[nodiscard]] std::vector<std::int64_t> gaps_from(std::uint32_t start) const;
    /// Returns the longest paths from all others to a message; negative: none.
    [[nodiscard]] std::vector<std::int64_t> gaps_to(std::uint32_t end) const;

  private:
    void find_order();
    void find_resources(const Machine& machine);

    const std::vector<LooseMessage>& messages_;
    std::vector<std::vector<Edge>> followers_;
    std::vector<std::vector<Edge>> predecessors_;
    std::vector<std::uint32_t> order_;  ///< topological
    std::vector<RoundResource> resources_;
    std::vector<std::int64_t> heads_;
    std::vector<std::int64_t> tails_;
};

/// The result of an exact search.
struct RoundSearch {
    bool is_complete = false;        ///< false: the bound on work was reached
    std::vector<Round> rounds = {};  ///< of each message; empty: impossible in so many rounds
};

/// Most messages that can be searched.
inline constexpr std::size_t searched_messages_max = 40;

/// Places all messages in at most `most` rounds, or finds that this is impossible. The work is bounded.
[[nodiscard]] RoundSearch search_rounds(const RoundGraph& graph, const Machine& machine, std::int64_t most);

}  // namespace kport
