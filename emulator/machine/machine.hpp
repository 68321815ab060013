/// @file machine.hpp   The rules of the machine: ports, duplex, switching, combining, costs, policy.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/base/types.hpp"
#include "emulator/machine/link_prices.hpp"
#include "emulator/topology/topology.hpp"

namespace KPORT_PUBLIC kport {

/// How many messages a node may send and receive in a round: k of each, or S and R. A limit above the degree means all
/// ports of the node.
class PortLimit {
  public:
    /// k sends and k receives. Throws RequestError for k == 0.
    explicit PortLimit(Port k);
    /// Nodes with a limit of 0 only send, or only receive. Throws RequestError if both are 0.
    PortLimit(Port sends, Port receives);
    [[nodiscard]] static PortLimit all() { return PortLimit(); }

    /// Whether a node may receive as many messages as it may send.
    [[nodiscard]] bool is_even() const { return sends_ == receives_; }
    [[nodiscard]] bool is_all() const { return k() == no_port; }
    /// Limits as given; no_port for all ports.
    [[nodiscard]] Port sends() const { return sends_; }
    [[nodiscard]] Port receives() const { return receives_; }
    /// The messages that a node may both send and receive: k of a machine with one limit, the lower of two.
    [[nodiscard]] Port k() const { return std::min(sends_, receives_); }
    /// The limits of a run reversed in time.
    [[nodiscard]] PortLimit reversed() const { return {receives_, sends_, Unchecked()}; }
    /// The lower one of each.
    [[nodiscard]] PortLimit lower(const PortLimit& other) const {
        return {std::min(sends_, other.sends_), std::min(receives_, other.receives_), Unchecked()};
    }
    /// At most so many of each. Throws RequestError for 0.
    [[nodiscard]] PortLimit at_most(Port k) const;
    /// Returns the number of ports by which a node with this degree may both send and receive.
    [[nodiscard]] Port of_degree(Port degree) const { return std::min(k(), degree); }
    /// Returns "1", "3", "all"; of two limits "1:2", "all:1".
    [[nodiscard]] std::string text() const;

    bool operator==(const PortLimit&) const = default;

  private:
    struct Unchecked {};
    PortLimit() = default;
    PortLimit(Port sends, Port receives, Unchecked) : sends_(sends), receives_(receives) {}
    Port sends_ = no_port;
    Port receives_ = no_port;
};

/// Returns the limits of a text such as "2", "all", "1:2" or "all:1"; nothing for any other text.
[[nodiscard]] std::optional<PortLimit> port_limit_of(std::string_view text);

/// Limits that nodes have of their own (`--ports-by`).
struct NodePorts {
    std::string attribute;          ///< of the nodes in the graph file
    std::vector<PortLimit> limits;  ///< by node; empty where only rules are known, and not the graph

    bool operator==(const NodePorts&) const = default;
};

/// For ports: full: sends and receives are limited separately; half: sends + receives <= k a node and round.
/// For links: full: two channels, one in each direction; half: a link carries one direction a round.
enum class Duplex : std::uint8_t { full, half };
/// store_and_forward: a message crosses one link a round. wormhole (cut-through): a path of any length in one round.
enum class Switching : std::uint8_t { store_and_forward, wormhole };
/// How a message that brings no route of its own finds one, of several shortest routes. fixed: for each two nodes always the
/// same one. adaptive: the first, in the order of ports, all of whose channels are free when the message is granted.
enum class Routing : std::uint8_t { fixed, adaptive };
/// queue: messages beyond the port limit wait for a later round. strict: they are a violation.
enum class Policy : std::uint8_t { queue, strict };

/// NOHO where nodes exchange in a round. wide: a node may not receive a packet in the round in which it sends it.
/// strict: it may, but not in later rounds.
enum class Noho : std::uint8_t { wide, strict };

/// Latency of a message: startup + hops * hop + bytes * byte, in one time unit of the user's choice. Finite, >= 0.
struct Costs {
    double startup = 1.0;
    double hop = 0.0;
    double byte = 0.001;
    std::string preset = {};  ///< "logp:6,2,4": the model whose parameters gave the three (presets.hpp); empty: none

    bool operator==(const Costs&) const = default;
    [[nodiscard]] double latency(Hops hops, std::uint64_t bytes) const {
        return startup + static_cast<double>(hops) * hop + static_cast<double>(bytes) * byte;
    }
    /// Latency over a path whose links have factors.
    [[nodiscard]] double latency(const LinkPrice& path, std::uint64_t bytes) const {
        return startup + path.hop * hop + static_cast<double>(bytes) * path.byte * byte;
    }
    /// The costs of links that all have these factors.
    [[nodiscard]] Costs times(const LinkPrice& link) const {
        return {startup, hop * link.hop, byte * link.byte, preset};
    }
};

/// Throws RequestError unless all three are finite and not negative.
void require_valid(const Costs& costs);

[[nodiscard]] std::string text(Duplex duplex);        ///< "full", "half"
[[nodiscard]] std::string text(Switching switching);  ///< "sf", "wh"
[[nodiscard]] std::string text(Routing routing);      ///< "fixed", "adaptive"
[[nodiscard]] std::string text(Policy policy);        ///< "queue", "strict"
[[nodiscard]] std::string text(Noho noho);            ///< "wide", "strict"

/// A topology and a port model: all parameters of the rules of model.md section 1.
struct Machine {
    std::shared_ptr<const Topology> topology;
    PortLimit ports = PortLimit(1);
    Duplex duplex = Duplex::full;  ///< of ports
    Switching switching = Switching::store_and_forward;
    bool combining = true;
    Policy policy = Policy::queue;
    Costs costs;
    Duplex links = Duplex::full;
    /// The telephone mode: a node has at most one partner a round, to which it sends and from which it receives.
    bool pairwise = false;
    Noho noho = Noho::wide;
    Port switch_limit = no_port;  ///< the most messages that pass a switch a round; no_port: no limit
    Routing routing = Routing::fixed;

    std::shared_ptr<const NodePorts> node_ports = nullptr;  ///< null: all nodes have `ports`
    std::shared_ptr<const LinkPrices> prices = nullptr;     ///< factors on `costs`; null: 1 for all links

    /// Returns the latency of a message from a node over the links that these ports lead along (ports of wires()).
    [[nodiscard]] double latency(NodeId from, std::span<const Port> route, std::uint64_t bytes) const {
        return prices == nullptr ? costs.latency(route.size(), bytes)
                                 : costs.latency(prices->of_path(topology->wires(), from, route), bytes);
    }
    /// The limits of node v, which its width may be below.
    [[nodiscard]] const PortLimit& limits_of(NodeId v) const {
        return node_ports == nullptr || v >= node_ports->limits.size() ? ports : node_ports->limits[v];
    }
    /// Returns the number of ports by which node v may both send and receive: min(k, degree), in a fabric min(k, width).
    [[nodiscard]] Port ports_of(NodeId v) const { return limits_of(v).of_degree(topology->width(v)); }
    /// Return how many messages node v may send, or receive, in a round: min(S, width), min(R, width).
    [[nodiscard]] Port sends_of(NodeId v) const { return std::min(limits_of(v).sends(), topology->width(v)); }
    [[nodiscard]] Port receives_of(NodeId v) const { return std::min(limits_of(v).receives(), topology->width(v)); }
    /// Whether all nodes may send as many messages as they may receive, and all equally many.
    [[nodiscard]] bool has_one_limit() const { return node_ports == nullptr && ports.is_even(); }
    /// The limits that all nodes have: of nodes with their own, the lowest that bind a node of its width.
    [[nodiscard]] PortLimit common_ports() const;
    /// The highest limits of any node.
    [[nodiscard]] PortLimit highest_ports() const;
    /// Returns the maximum number of concurrent sends and receives of a node: min(k, largest degree or width); 1 on a
    /// pairwise machine.
    [[nodiscard]] Port widest() const {
        const Port most = ports.of_degree(topology->max_width());
        return pairwise ? std::min<Port>(most, 1) : most;
    }
    /// Whether messages have paths of several links, whose channels are arbitrated and audited: wormhole switching, and
    /// switches or trunks.
    [[nodiscard]] bool has_paths() const {
        return switching == Switching::wormhole || (topology != nullptr && topology->fabric() != nullptr);
    }
    /// Whether a message may cross more than one link: wormhole switching, and switches. Trunks alone carry more messages.
    [[nodiscard]] bool has_long_paths() const;
    /// Whether routes are chosen when messages are granted.
    [[nodiscard]] bool chooses_routes() const { return routing == Routing::adaptive && has_paths(); }
    /// Whether messages that share no port, channel or receiver may still exclude each other.
    [[nodiscard]] bool is_exclusive() const { return pairwise || links == Duplex::half; }
    /// Returns "1-port full duplex, store-and-forward"; then what is not the default: ", half duplex links, pairwise,
    /// strict NOHO, switch limit 2, adaptive routing, ports by 'NAME', td by 'NAME', tm by 'NAME', slow '0--1=4'".
    [[nodiscard]] std::string describe() const;
};

/// The machine of a run reversed in time: all limits of sends and receives exchanged.
[[nodiscard]] Machine with_reversed_ports(Machine machine);
/// The machine with at most k sends and k receives of a node. Throws RequestError for 0.
[[nodiscard]] Machine with_ports_at_most(Machine machine, Port k);

/// Returns the rules of a machine in words: describe(), followed by ", noncombining" where a message holds one packet.
/// Topology, policy and costs are not included.
[[nodiscard]] std::string rules_in_words(const Machine& machine);
/// Returns a machine without a topology from its rules in words. Throws RequestError.
[[nodiscard]] Machine machine_of_rules(std::string_view words);

/// Throws RequestError if the machine has no topology, no limits of some node, no prices of links that it says to have, or limits of
/// ports that its other rules do not allow: half duplex ports and pairwise machines have as many sends as receives.
void require_topology(const Machine& machine);
/// For what knows no switches yet: throws RequestError where the topology has some. `what` begins the sentence: "kport search".
void require_direct(const Topology& topology, std::string_view what);
/// Throws RequestError for rules of switches on a machine that has none.
void require_valid_switches(const Machine& machine);
/// Throws RequestError for adaptive routing on a machine whose messages take one link.
void require_valid_routing(const Machine& machine);

}  // namespace kport
