/// @file machine.hpp   The rules of the machine: ports, duplex, switching, combining, costs, policy.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "emulator/base/types.hpp"
#include "emulator/topology/topology.hpp"

namespace KPORT_PUBLIC kport {

/// k ports: at most k sends and at most k receives a node and round. A k above the degree means all ports of the node.
class PortLimit {
  public:
    /// Throws RequestError for k == 0.
    explicit PortLimit(Port k);
    [[nodiscard]] static PortLimit all() { return PortLimit(); }

    [[nodiscard]] bool is_all() const { return k_ == no_port; }
    /// k as given; no_port for all-port.
    [[nodiscard]] Port k() const { return k_; }
    /// Returns the number of ports that a node with this degree may use at a time.
    [[nodiscard]] Port of_degree(Port degree) const { return std::min(k_, degree); }
    /// Returns "1", "3", "all".
    [[nodiscard]] std::string text() const;

    bool operator==(const PortLimit&) const = default;

  private:
    PortLimit() = default;
    Port k_ = no_port;
};

/// For ports: full: sends and receives are limited separately; half: sends + receives <= k a node and round.
/// For links: full: two channels, one in each direction; half: a link carries one direction a round.
enum class Duplex : std::uint8_t { full, half };
/// store_and_forward: a message crosses one link a round. wormhole (cut-through): a path of any length in one round.
enum class Switching : std::uint8_t { store_and_forward, wormhole };
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

    bool operator==(const Costs&) const = default;
    [[nodiscard]] double latency(Hops hops, std::uint64_t bytes) const {
        return startup + static_cast<double>(hops) * hop + static_cast<double>(bytes) * byte;
    }
};

/// Throws RequestError unless all three are finite and not negative.
void require_valid(const Costs& costs);

[[nodiscard]] std::string text(Duplex duplex);        ///< "full", "half"
[[nodiscard]] std::string text(Switching switching);  ///< "sf", "wh"
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

    /// Returns the number of ports that node v may use at a time: min(k, degree), in a fabric min(k, width).
    [[nodiscard]] Port ports_of(NodeId v) const { return ports.of_degree(topology->width(v)); }
    /// Returns the maximum number of concurrent sends of a node: min(k, largest degree or width); 1 on a pairwise machine.
    [[nodiscard]] Port widest() const {
        const Port most = ports.of_degree(topology->max_width());
        return pairwise ? std::min<Port>(most, 1) : most;
    }
    /// Whether messages have paths of several links, whose channels are arbitrated and audited: wormhole switching, and
    /// switches or trunks.
    [[nodiscard]] bool has_paths() const {
        return switching == Switching::wormhole || (topology != nullptr && topology->fabric() != nullptr);
    }
    /// Whether messages that share no port, channel or receiver may still exclude each other.
    [[nodiscard]] bool is_exclusive() const { return pairwise || links == Duplex::half; }
    /// Returns "1-port full duplex, store-and-forward"; then what is not the default: ", half duplex links, pairwise,
    /// strict NOHO".
    [[nodiscard]] std::string describe() const;
};

/// Returns the rules of a machine in words: describe(), followed by ", noncombining" where a message holds one packet.
/// Topology, policy and costs are not included.
[[nodiscard]] std::string rules_in_words(const Machine& machine);
/// Returns a machine without a topology from its rules in words. Throws RequestError.
[[nodiscard]] Machine machine_of_rules(std::string_view words);

/// Throws RequestError if the machine has no topology, or one with trunks, which no run can use yet.
void require_topology(const Machine& machine);
/// For what knows no switches and trunks yet: throws RequestError where the topology has some. `what` begins the sentence:
/// "kport search".
void require_direct(const Topology& topology, std::string_view what);
/// Throws RequestError for rules of switches on a machine that has none.
void require_valid_switches(const Machine& machine);

}  // namespace kport
