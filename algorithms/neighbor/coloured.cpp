/// @file coloured.cpp   Operations among neighbours, by a colouring of the arcs between senders and receivers.
#include <algorithm>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/bipartite_colouring.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/planned.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport {

namespace {

/// Messages over each arc: one, or one for each of its packets on machines that do not combine.
std::uint64_t messages_an_arc(const Machine& machine, const Collective& collective) {
    return machine.combining ? 1 : collective.packets_each;
}

/// How many messages every link carries each way in a round at least.
std::uint64_t least_capacity(const Topology& topology) {
    if (topology.fabric() == nullptr) return 1;
    const Topology& wires = topology.wires();
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (NodeId v = 0; v < wires.nodes(); ++v)
        for_each_neighbour(wires, v, [&](NodeId, Port port) { least = std::min(least, wires.capacity(v, port)); });
    return least;
}

/// Messages that a node may send, and receive, in a round; no more than the links to its neighbours carry.
std::uint64_t arcs_a_round(const Machine& machine) {
    const std::uint64_t over_links = least_capacity(*machine.topology) * machine.topology->max_degree();
    return std::clamp<std::uint64_t>(machine.widest(), 1, std::max<std::uint64_t>(1, over_links));
}

/// The packets of node u for its neighbour v.
PacketBlock packets_for_neighbour(const Collective& collective, std::uint32_t u, std::uint32_t v) {
    const auto m = static_cast<std::uint32_t>(collective.packets_each);
    if (collective.operation == Operation::neighbor_allgather) return block_of({0, 1, m}, {u});
    return block_of({u * m, 1, m}, {v});
}

/// Neighbours exchange packets.
///
/// Machine   any graph, store-and-forward or wormhole, any k, full duplex ports and links, combining or not
/// Gives     every node holds the packets that its neighbours have for it
/// Costs     D the largest degree: ceil(D / k) rounds and path sum, work 2 for each link, volume M ceil(D / k) packets; without
///           combining M packets one after the other: ceil(M D / k) rounds and packets, M times the work
/// Idea      An arc leads from each node to each neighbour. D colours of arcs do, of which no two that leave a node, or enter it,
///           have one; k colours a round, each as often as every link carries messages (trunks).
/// Proof     A node of D neighbours needs all colours. Arcs of one colour have different senders and different receivers.
/// Source    Koenig 1916
Schedule coloured_arcs(const Machine& machine, const Collective& collective) {
    const Neighbourhood near(*machine.topology);
    BipartiteColouring colours(near.nodes(), near.largest());
    for (NodeId u = 0; u < near.nodes(); ++u)
        for (const std::uint32_t v : near.of(u)) colours.add(u, v);
    const std::uint64_t messages = messages_an_arc(machine, collective);
    const std::uint64_t a_round = arcs_a_round(machine);
    Schedule plan;
    for (std::uint64_t turn = 0; turn < messages * colours.colours(); ++turn) {
        const std::uint64_t colour = turn % colours.colours();
        const auto round = static_cast<Round>(turn / a_round + 1);
        for (NodeId u = 0; u < near.nodes(); ++u) {
            const NodeId v = colours.receiver(u, colour);
            if (v == BipartiteColouring::none) continue;
            PacketBlock packets =
                packets_for_neighbour(collective, static_cast<std::uint32_t>(u), static_cast<std::uint32_t>(v));
            if (messages > 1)
                packets = block_of({packets.all_rows()[static_cast<std::uint32_t>(turn / colours.colours())]},
                                   packets.columns());
            const Port port = machine.topology->wires().port_to(u, v);
            plan.add(round, {u, v, {&port, 1}, {&packets, 1}});
        }
    }
    return plan;
}

PlanSize plan_of_coloured(const Machine& machine, const Collective& collective) {
    const double arcs =
        static_cast<double>(machine.topology->channels()) * static_cast<double>(messages_an_arc(machine, collective));
    return {arcs, arcs};
}

std::optional<std::string> misfit_coloured(const Machine& machine, const Collective& collective,
                                           const AlgorithmOptions& options) {
    constexpr double messages_max = 1 << 24;
    constexpr double colours_max = 1 << 26;  // of all nodes
    const Topology& topology = *machine.topology;
    const double colours = static_cast<double>(topology.nodes()) * topology.max_degree();
    const bool fits = plan_of_coloured(machine, collective).messages <= messages_max && colours <= colours_max;
    return first_of({unless(!has_switches(topology), "needs nodes that are joined by links, without switches"),
                     needs_full_duplex(machine), needs_full_links(machine), needs_partners(machine),
                     planned_where(fits, "at most 2^24 messages and 2^26 colours of nodes are listed"),
                     needs_table(machine), takes_no_options(options)});
}

Start make_coloured(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    return following(coloured_arcs(machine, collective), machine, collective);
}

ExpectedCost expect_coloured(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const std::uint64_t degree = machine.topology->max_degree();
    const std::uint64_t messages = messages_an_arc(machine, collective);
    const std::uint64_t turns = messages * degree;
    const std::uint64_t a_round = arcs_a_round(machine);
    const std::uint64_t rounds = (turns + a_round - 1) / a_round;
    const std::uint64_t each = collective.packets_each / messages;
    const std::uint64_t arcs = machine.topology->channels();
    return {
        rounds,
        messages * arcs,
        rounds,
        rounds * each,
        {fmt::format("{} of arcs do, and {} go in a round: ceil({} / {}) = {}", counted(degree, "colour"), a_round,
                     turns, a_round, counted(rounds, "round")),
         fmt::format("a message over each link both ways{}: work {}",
                     messages == 1 ? "" : fmt::format(", for each of {} packets", messages), messages * arcs),
         fmt::format("every message has {}: volume {}", counted(each, "packet"), counted(rounds * each, "packet"))}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_neighbor_coloured() {
    const Algorithm allgather{
        .operation = Operation::neighbor_allgather,
        .name = "coloured",
        .rule =
            "k colours a round, of a colouring of the arcs from node to neighbour with as few as the largest degree",
        .needs = "any graph, SF or WH, any k, full duplex ports and links, not pairwise",
        .cost = "D the largest degree: ceil(D/k) rounds, M as many packets volume, work 2 for each link",
        .source = "Koenig 1916",
        .misfit = misfit_coloured,
        .make = make_coloured,
        .expect = expect_coloured,
        .plan = plan_of_coloured,
        .with_many = WithMany::own,
        .single_links = true,
    };
    Algorithm alltoall = allgather;
    alltoall.operation = alltoall.forward = Operation::neighbor_alltoall;
    return {allgather, alltoall};
}

}  // namespace kport
