/// @file room.hpp   Which calls a round still has room for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "algorithms/planning/graph.hpp"
#include "emulator/machine/machine.hpp"

namespace kport::planning {

/// What a node may do in a round of a plan: `ports` sends and as many receives, over links in both directions.
struct Calling {
    PortLimit ports = PortLimit(1);
    bool pairwise = false;    ///< one partner a round, which may answer
    bool half_ports = false;  ///< sends and receives together at most `ports`
    bool half_links = false;  ///< a link is crossed in one direction a round
};
[[nodiscard]] inline Calling calling_on(const Machine& machine) {
    return {machine.ports, machine.pairwise, machine.duplex == Duplex::half, machine.links == Duplex::half};
}

/// The ports and links that a round has left. Callers see to it that a channel is taken once.
class Room {
  public:
    Room(const Graph& graph, const Calling& calling)
        : graph_(graph), calling_(calling), out_(graph.nodes()), in_(graph.nodes()), partner_(graph.nodes()) {}

    void clear() {
        std::ranges::fill(out_, 0);
        std::ranges::fill(in_, 0);
        std::ranges::fill(partner_, no_node32);
        crossed_.clear();
    }
    [[nodiscard]] bool allows(Node32 u, Node32 v) const {
        if (calling_.pairwise && !(is_free_for(u, v) && is_free_for(v, u))) return false;
        if (calling_.half_links && std::ranges::find(crossed_, std::pair(v, u)) != crossed_.end()) return false;
        const std::uint32_t of_u = out_[u] + (calling_.half_ports ? in_[u] : 0);
        const std::uint32_t of_v = in_[v] + (calling_.half_ports ? out_[v] : 0);
        return of_u < ports(u) && of_v < ports(v);
    }
    void take(Node32 u, Node32 v) {
        ++out_[u];
        ++in_[v];
        partner_[u] = v;
        partner_[v] = u;
        if (calling_.half_links) crossed_.emplace_back(u, v);
    }

  private:
    [[nodiscard]] Port ports(Node32 v) const { return calling_.ports.of_degree(graph_.degree(v)); }
    [[nodiscard]] bool is_free_for(Node32 u, Node32 v) const { return partner_[u] == no_node32 || partner_[u] == v; }

    const Graph& graph_;
    const Calling& calling_;
    std::vector<std::uint32_t> out_;
    std::vector<std::uint32_t> in_;
    std::vector<Node32> partner_;
    std::vector<std::pair<Node32, Node32>> crossed_;
};

}  // namespace kport::planning
