/// @file rda.cpp   Scatter by recursive doubling on the complete graph (model.md section 5.1).
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/segment.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/complete.hpp"

namespace kport {

namespace {

/// The layout of recursive doubling on the complete graph: numbering from the root, and k + 1 parts.
struct ScatterHalving {
    NodeId nodes;
    NodeId root;
    std::uint64_t parts;  ///< k + 1
    [[nodiscard]] std::uint64_t rank(NodeId v) const { return (v + nodes - root) % nodes; }
    [[nodiscard]] NodeId node(std::uint64_t rank) const { return (root + rank) % nodes; }
    /// Returns the packets for the nodes with these ranks: one run of numbers, or two where they wrap around to node 0.
    [[nodiscard]] PacketSet packets_for(const Segment& ranks) const {
        const NodeId first = node(ranks.first);
        const NodeId end = first + ranks.size();
        PacketSet packets = PacketSet::range(first, std::min(end, nodes));
        if (end > nodes) packets.add(PacketSet::range(0, end - nodes).blocks());
        return packets;
    }
};

/// One-to-all scatter by recursive doubling (k ports: recursive (k+1)-folding).
///
/// Machine   complete graph of N nodes, any N, store-and-forward or wormhole, any k, combining
/// Gives     every node holds its own packet
/// Costs     rounds ceil(log_{k+1} N); with one port volume N - 1 packets
/// Idea      Nodes are renumbered from the root. The first node of a segment cuts it into k + 1 nearly equal parts, keeps
///           the greatest, sends to the first node of each of the others the packets of that part, and all go on with
///           their own part.
/// Source    model.md section 5.1; k ports: derived for kport, verified by simulation
Program scatter_by_doubling(Node& self, const ScatterHalving& plan) {
    if (self.id() != plan.root) co_await self.receive();
    const std::uint64_t m = self.collective().packets_each;
    Segment mine = segment_begun_by(plan.rank(self.id()), plan.nodes, plan.parts);
    while (mine.size() > 1) {
        for (std::uint64_t j = 1; j < std::min(plan.parts, mine.size()); ++j) {
            const Segment part = part_of(mine, j, plan.parts);
            co_await self.pass_to(plan.node(part.first), packets_of(plan.packets_for(part), m));
        }
        mine = part_of(mine, 0, plan.parts);
    }
}

ScatterHalving plan_of(const Machine& machine, const Collective& collective) {
    return {machine.topology->nodes(), collective.root, std::uint64_t{machine.widest()} + 1};
}

std::optional<std::string> misfit_scatter_rda(const Machine& machine, const Collective&,
                                              const AlgorithmOptions& options) {
    return first_of({unless(dynamic_cast<const Complete*>(machine.topology.get()) != nullptr, "needs a complete graph"),
                     needs_combining(machine), takes_no_options(options)});
}

Start make_scatter_rda(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    return {[plan = plan_of(machine, collective)](Node& self) { return scatter_by_doubling(self, plan); },
            {collective.root}};
}

ExpectedCost expect_scatter_rda(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const ScatterHalving plan = plan_of(machine, collective);
    const NodeId nodes = plan.nodes;
    std::uint64_t rounds = 0;
    std::uint64_t volume = 0;
    for (Segment roots{0, nodes}; roots.size() > 1; roots = part_of(roots, 0, plan.parts), ++rounds)
        volume += part_of(roots, 1, plan.parts).size();
    return {rounds,
            nodes - 1,
            rounds,
            volume,
            {fmt::format("each round cuts every segment into {} parts, the largest of {} after the first round: "
                         "ceil(log{} {}) = {}",
                         plan.parts, counted((nodes + plan.parts - 1) / plan.parts, "node"), plan.parts, nodes,
                         counted(rounds, "round")),
             fmt::format("the root sends the second part of its segment, the largest bundle of the round: volume {}",
                         counted(volume, "packet")),
             fmt::format("every node but the root receives once, over one link: work {}", nodes - 1)}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_scatter_rda() {
    return with_reversal(
        {
            .operation = Operation::scatter,
            .name = "rda",
            .rule =
                "recursive doubling: cut into k+1 nearly equal parts, keep the greatest, pass the others on, recurse",
            .needs = "complete graph, any N, SF or WH, any k, combining",
            .cost = "ceil(log_{k+1} N) rounds; one port: volume N-1 packets",
            .source = "model section 5.1",
            .misfit = misfit_scatter_rda,
            .make = make_scatter_rda,
            .expect = expect_scatter_rda,
            .port_use = PortUse::sends,
        },
        Operation::gather);
}

}  // namespace kport
