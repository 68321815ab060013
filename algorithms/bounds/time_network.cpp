#include "algorithms/bounds/time_network.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/edmonds_karp_max_flow.hpp>

namespace kport::bounds {
namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using Network = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS, boost::no_property,
    boost::property<boost::edge_capacity_t, long,
                    boost::property<boost::edge_residual_capacity_t, long,
                                    boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;

/// A node in a round: what it holds, what it sends, what it receives.
class TimeNetwork {
  public:
    TimeNetwork(const Machine& machine, std::uint64_t rounds)
        : nodes_(machine.topology->nodes()), network_(1 + 3 * nodes_ * (rounds + 1)) {
        const Topology& graph = *machine.topology;
        for (std::uint64_t t = 0; t < rounds; ++t)
            for (NodeId v = 0; v < nodes_; ++v) {
                const long ports = machine.ports_of(v);
                connect(holds(v, t), holds(v, t + 1), unlimited);
                connect(holds(v, t), sends(v, t), ports);
                connect(receives(v, t + 1), holds(v, t + 1), ports);
                for_each_neighbour(graph, v, [&](NodeId w) { connect(sends(v, t), receives(w, t + 1), 1); });
            }
    }

    /// From what a node holds before round 1 to what another holds after the last.
    [[nodiscard]] std::uint64_t flow(NodeId from, NodeId to, std::uint64_t rounds, std::uint64_t enough) {
        connect(0, holds(from, 0), static_cast<long>(enough));
        return static_cast<std::uint64_t>(boost::edmonds_karp_max_flow(network_, 0, holds(to, rounds)));
    }

  private:
    static constexpr long unlimited = 1L << 40;

    [[nodiscard]] std::size_t holds(NodeId v, std::uint64_t t) const { return 1 + 3 * (t * nodes_ + v); }
    [[nodiscard]] std::size_t sends(NodeId v, std::uint64_t t) const { return holds(v, t) + 1; }
    [[nodiscard]] std::size_t receives(NodeId v, std::uint64_t t) const { return holds(v, t) + 2; }

    void connect(std::size_t from, std::size_t to, long capacity) {
        const auto there = boost::add_edge(from, to, network_).first;
        const auto back = boost::add_edge(to, from, network_).first;
        boost::put(boost::edge_capacity, network_, there, capacity);
        boost::put(boost::edge_capacity, network_, back, 0L);
        boost::put(boost::edge_reverse, network_, there, back);
        boost::put(boost::edge_reverse, network_, back, there);
    }

    NodeId nodes_;
    Network network_;
};

}  // namespace

std::uint64_t packets_within(const Machine& machine, NodeId from, NodeId to, std::uint64_t rounds,
                             std::uint64_t enough) {
    return TimeNetwork(machine, rounds).flow(from, to, rounds, enough);
}

}  // namespace kport::bounds
