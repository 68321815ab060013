/// @file send_request.hpp   A send that a node program asks for.
#pragma once

#include <concepts>
#include <cstdint>
#include <ranges>
#include <span>

#include "emulator/base/types.hpp"
#include "emulator/node/bundle.hpp"

namespace KPORT_PUBLIC kport {

/// What a Cargo names and does not copy.
template <class Named>
concept NamedByCargo = std::same_as<Named, PacketSet> || std::same_as<Named, Value> || std::same_as<Named, Data>;

/// A send that a program has asked for, in one of three shapes:
///
///     SendRequest(port, cargo)          to the neighbour at a port
///     SendRequest(node, {}, cargo)      to a node: the topology's route, or the only link of a store-and-forward machine
///     SendRequest(node, ports, cargo)   to a node along these ports (wormhole)
///
/// Ports and nodes are numbers of different width, so a node takes its route, be it empty. A request copies nothing: what cargo and
/// route name must live until the await is over.
///
/// It has constructors and is no aggregate with named members: g++ 12.2 destroys an aggregate temporary in an awaiter twice
/// (docs/execution.md), and members for port, node and route would allow requests that say two things. Trivial on purpose (see
/// Packet), and small: it stands in the frame of every program that sends.
class SendRequest {
  public:
    /// By a port, to the neighbour there.
    SendRequest(Port port, Cargo cargo) : cargo_(cargo), port_or_hops_(port) {}
    /// To a node, along the given ports; an empty route asks for the topology's own. Larger numbers than `nowhere`,
    /// no_node included, name no node.
    SendRequest(NodeId to, std::span<const Port> route, Cargo cargo)
        : cargo_(cargo), route_(route.data()), to_(to < nowhere ? static_cast<std::uint32_t>(to) : nowhere),
          port_or_hops_(static_cast<Port>(route.size())) {}

    /// What it names must live until the await is over, and a temporary would not: `const Data data(x);` in a statement of
    /// its own.
    template <NamedByCargo Named>
    SendRequest(Port, const Named&&) = delete;
    template <NamedByCargo Named>
    SendRequest(NodeId, std::span<const Port>, const Named&&) = delete;
    template <class Route, class Any>
    requires(std::ranges::range<Route> && !std::ranges::borrowed_range<Route>) SendRequest(NodeId, Route&&, Any&&)
    = delete;

    [[nodiscard]] bool routed() const { return to_ != by_port; }
    [[nodiscard]] const Cargo& cargo() const { return cargo_; }
    /// Unless routed().
    [[nodiscard]] Port port() const { return port_or_hops_; }
    /// If routed().
    [[nodiscard]] NodeId to() const { return to_; }
    /// Whether its number is larger than any node's.
    [[nodiscard]] bool names_no_node() const { return to_ == nowhere; }
    [[nodiscard]] std::span<const Port> route() const { return {route_, port_or_hops_}; }

  private:
    static constexpr std::uint32_t by_port = 0xFFFFFFFF;
    static constexpr std::uint32_t nowhere = by_port - 1;
    Cargo cargo_;
    const Port* route_ = nullptr;
    std::uint32_t to_ = by_port;
    Port port_or_hops_;
};

}  // namespace kport
