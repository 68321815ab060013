#include "algorithms/support/planned.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "algorithms/support/bipartite_colouring.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport {

namespace {

/// The switches that the colours of a round give to its messages.
class SwitchesOfARound {
  public:
    SwitchesOfARound(const Schedule& plan, std::size_t first, std::size_t end, NodeId hosts, NodeId switches)
        : switches_(switches) {
        std::vector<std::uint64_t> sends(hosts);
        std::vector<std::uint64_t> receives(hosts);
        std::uint64_t degree = 0;
        for (std::size_t i = first; i < end; ++i) {
            const Transfer message = plan.transfer(i);
            degree = std::max({degree, ++sends[message.from], ++receives[message.to]});
        }
        BipartiteColouring colouring(hosts, degree);
        for (std::size_t i = first; i < end; ++i) colouring.add(plan.transfer(i).from, plan.transfer(i).to);
        for (NodeId v = 0; v < hosts; ++v)
            for (std::uint64_t colour = 0; sends[v] > 0 && colour < colouring.colours(); ++colour)
                if (const NodeId w = colouring.receiver(v, colour); w != BipartiteColouring::none)
                    colours_[{v, w}].push_back(colour);
    }
    /// Returns the switch of a message that was not asked for yet.
    [[nodiscard]] NodeId next(NodeId from, NodeId to) {
        std::vector<std::uint64_t>& left = colours_.at({from, to});
        const std::uint64_t colour = left.back();
        left.pop_back();
        return colour % switches_;
    }

  private:
    NodeId switches_;
    std::map<std::pair<NodeId, NodeId>, std::vector<std::uint64_t>> colours_;
};

}  // namespace

std::optional<ParallelSwitches> parallel_switches(const Machine& machine) {
    const Fabric* fabric = machine.topology->fabric();
    if (fabric == nullptr || fabric->switches() == 0 || fabric->hosts() > parallel_hosts_max ||
        machine.chooses_routes() || machine.links == Duplex::half || machine.switch_limit != no_port)
        return std::nullopt;
    const NodeId hosts = fabric->hosts();
    const Port first = fabric->port_to(0, hosts);
    if (first == no_port || fabric->channels() != 2 * hosts * fabric->switches()) return std::nullopt;
    const ParallelSwitches found{fabric->switches(), fabric->capacity(0, first)};
    if (found.switches * found.capacity < 2) return std::nullopt;
    for (NodeId v = 0; v < hosts; ++v)
        for (NodeId s = hosts; s < fabric->nodes(); ++s)
            if (const Port port = fabric->port_to(v, s); port == no_port || fabric->capacity(v, port) != found.capacity)
                return std::nullopt;
    return found;
}

Schedule through_parallel_switches(const Schedule& plan, const Topology& hosts, const ParallelSwitches& switches) {
    const Fabric& fabric = *hosts.fabric();
    Schedule laid;
    laid.reserve(plan);
    for (std::size_t first = 0; first < plan.size();) {
        std::size_t end = first;
        while (end < plan.size() && plan.round(end) == plan.round(first)) ++end;
        SwitchesOfARound of_round(plan, first, end, fabric.hosts(), switches.switches);
        for (; first < end; ++first) {
            const Transfer message = plan.transfer(first);
            const NodeId by = fabric.hosts() + of_round.next(message.from, message.to);
            const std::array<Port, 2> route{fabric.port_to(message.from, by), fabric.port_to(by, message.to)};
            laid.add(plan.round(first), {message.from, message.to, route, message.packets});
        }
    }
    for (const Silence& silence : plan.silences()) laid.add_silent(silence.first, silence.count);
    return laid;
}

}  // namespace kport
