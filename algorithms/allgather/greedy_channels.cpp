/// @file greedy_channels.cpp   All-to-all broadcast on trees with all ports: every channel is busy until it is done.
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/spanning_tree.hpp"
#include "algorithms/support/steps.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// The nodes of a tree behind each link of a node.
class NodesBehind {
  public:
    explicit NodesBehind(const Topology& topology) : tree_(topology, 0), sizes_(tree_.sizes()) {}

    [[nodiscard]] NodeId nodes() const { return sizes_.size(); }
    [[nodiscard]] NodeId behind(NodeId v, NodeId neighbour) const {
        return v != tree_.source() && neighbour == tree_.parent(v) ? nodes() - sizes_[v] : sizes_[neighbour];
    }

    static constexpr std::uint64_t bytes_per_node = SpanningTree::bytes_per_node + 4;

  private:
    SpanningTree tree_;
    std::vector<std::uint32_t> sizes_;
};

/// All-to-all broadcast on trees.
///
/// Machine   tree, store-and-forward or wormhole, all ports, full duplex ports and links, combining or not
/// Gives     every node holds all packets
/// Costs     of M packets a node: rounds, path sum and volume M (N - 1), work M N (N - 1)
/// Idea      In every round each node sends over each channel the first packet that it held before, in the order in which they
///           came, and that has not crossed the link.
/// Proof     A channel out of the side of S nodes is busy in all rounds 1 .. M S: by induction the channels into its sender are
///           busy from round 1 on, so before round t the sender has got at least min(t, M S) packets of its side. A leaf receives
///           M (N - 1) packets over one link, so nothing takes fewer rounds.
/// Source    the proof
Program gather_over_channels(Node& self, const NodesBehind& tree) {
    struct Held {
        PacketSet packet;
        Port from;
    };
    struct Channel {
        Port port;
        NodeId sends;     ///< rounds in which it is busy
        NodeId receives;  ///< rounds in which the opposite one is
        std::size_t next = 0;
    };
    const NodeId v = self.id();
    const std::uint64_t m = self.collective().packets_each;
    std::vector<Held> held;
    for (std::uint64_t j = 0; j < m; ++j) held.push_back({some_blocks(v, 1, 1, j), no_port});
    std::vector<Channel> channels;
    for (Port port = 0; port < self.topology().ports(); ++port) {
        if (self.neighbour(port) == no_node) continue;
        const NodeId behind = tree.behind(v, self.neighbour(port));
        channels.push_back({port, m * (tree.nodes() - behind), m * behind});
    }
    for (NodeId round = 1; round <= m * (tree.nodes() - 1); ++round) {
        co_await self.until(static_cast<Round>(round));
        for (Channel& channel : channels) {
            if (round > channel.sends) continue;
            while (held[channel.next].from == channel.port) ++channel.next;
            const PacketSet packet = held[channel.next++].packet;
            co_await self.send(channel.port, packet);
        }
        for (const Channel& channel : channels) {
            if (round > channel.receives) continue;
            const Arrival arrival = co_await self.receive(channel.port);
            held.push_back({arrival.packets(), channel.port});
        }
    }
}

std::optional<std::string> misfit_greedy_channels(const Machine& machine, const Collective&,
                                                  const AlgorithmOptions& options) {
    const Topology& topology = *machine.topology;
    return first_of({unless(topology.channels() == 2 * (topology.nodes() - 1), "needs a tree"),
                     needs_all_ports(machine), needs_full_duplex(machine), needs_full_links(machine),
                     needs_table(machine), takes_no_options(options)});
}

Start make_greedy_channels(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const auto tree = std::make_shared<const NodesBehind>(*machine.topology);
    return {[tree](Node& self) { return gather_over_channels(self, *tree); }, {}, true};
}

ExpectedCost expect_greedy_channels(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t m = collective.packets_each;
    const std::uint64_t rounds = m * (nodes - 1);
    return {
        rounds,
        nodes * rounds,
        rounds,
        rounds,
        {fmt::format("the channel to a leaf is busy in all of {} * {} = {}", m, nodes - 1, counted(rounds, "round")),
         fmt::format("every packet crosses every link once, alone: work {} * {} * {} = {}, volume {}", m, nodes,
                     nodes - 1, nodes * rounds, counted(rounds, "packet"))}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_allgather_greedy_channels() {
    return with_reversal(
        {
            .operation = Operation::allgather,
            .name = "greedy-channels",
            .rule = "each node sends over each channel the first packet that came and has not crossed the link",
            .needs = "tree, SF or WH, all ports, full duplex ports and links, not pairwise, combining or not",
            .cost = "M(N-1) rounds, volume as many packets: the least volume; work M N(N-1)",
            .source = "no channel is idle before it is done: induction over the tree",
            .misfit = misfit_greedy_channels,
            .make = make_greedy_channels,
            .expect = expect_greedy_channels,
            .table_bytes_per_node = NodesBehind::bytes_per_node,
            .with_many = WithMany::own,
            .single_links = true,
            .single_packets = true,
        },
        Operation::reduce_scatter);
}

}  // namespace kport
