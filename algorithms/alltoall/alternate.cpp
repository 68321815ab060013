/// @file alternate.cpp   All-to-all scatter of single packets on a line with one port, its links by turns.
#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/node/node.hpp"

namespace kport {

namespace {

bool is_plain_line(const Machine& machine) {
    const Grid* grid = as_grid(machine);
    return grid != nullptr && grid->dimensions() == 1 && !grid->wraps();
}

constexpr NodeId nodes_of_turns_max = 1 << 16;

/// As many as a middle node has packets to send: its own, and those of either side for the other.
Round rounds_of_turns(NodeId nodes) {
    const NodeId others = nodes - 1;
    return static_cast<Round>(others + 2 * (others * others / 4));
}

/// The packet that crosses the link from node i to i + 1, or back, in its turn s: those that go farthest come first, and of those
/// for one target the sender's own, then its neighbour's, and so on.
struct TurnOfLink {
    NodeId owner;
    NodeId target;
};
TurnOfLink forward_in_turn(NodeId i, NodeId nodes, std::uint64_t s) {
    return {i - s % (i + 1), nodes - 1 - s / (i + 1)};
}
TurnOfLink backward_in_turn(NodeId i, NodeId nodes, std::uint64_t s) {
    const NodeId behind = nodes - 1 - i;
    return {i + 1 + s % behind, s / behind};
}

/// All-to-all scatter on a line, one packet a message.
///
/// Machine   line, any k, full duplex ports and links, pairwise or not
/// Gives     node v holds the packets addressed to v
/// Costs     2 h^2 - 1 rounds on 2h nodes, 2 h (h + 1) on 2h + 1: no 1-port machine beats it, since a middle node sends N - 1 packets of
///           its own and 2 floor((N-1)^2 / 4) of others; work (N^3 - N) / 3
/// Idea      In each round every second link, the middle one first, exchanges two packets. Over link i go (i+1)(N-1-i) packets
///           each way in as many turns, without a gap: those for target d and beyond are (i+1)(N-d); node i has N-d of its own, and
///           before each turn but the first the link before has brought one more, until all have come.
/// Source    farthest first on a linear array, Leighton 1992; docs/search.md
Program alltoall_by_turns(Node& self) {
    const NodeId nodes = self.nodes();
    const NodeId v = self.id();
    const auto m = static_cast<std::uint32_t>(self.collective().packets_each);
    const std::uint32_t together = self.machine().combining ? m : 1;
    const NodeId middle = nodes / 2 - 1;
    const Round rounds = rounds_of_turns(nodes);
    for (std::uint32_t done = 0; done < m; done += together)
        for (Round round = 1; round <= rounds; ++round) {
            const bool is_right = (v + middle + round) % 2 == 1;
            if (is_right ? v + 1 == nodes : v == 0) continue;
            const NodeId link = is_right ? v : v - 1;
            const std::uint64_t turn = (round - 1) / 2;
            if (turn >= (link + 1) * (nodes - 1 - link)) continue;
            const TurnOfLink sent = is_right ? forward_in_turn(link, nodes, turn) : backward_in_turn(link, nodes, turn);
            const PacketBlock packets{static_cast<std::uint32_t>(sent.target),           1, 1,
                                      static_cast<std::uint32_t>(sent.owner) * m + done, 1, together};
            const NodeId peer = is_right ? v + 1 : v - 1;
            co_await self.until(done / together * rounds + round);
            co_await self.pass_to(peer, PacketSet(packets));
            co_await self.receive_from(peer);
        }
}

std::optional<std::string> misfit_alltoall_alternate(const Machine& machine, const Collective&,
                                                     const AlgorithmOptions& options) {
    return first_of({unless(is_plain_line(machine), "needs a line"),
                     unless(machine.topology->nodes() > 1 && machine.topology->nodes() <= nodes_of_turns_max,
                            "needs 2 to 65536 nodes"),
                     needs_full_duplex(machine), needs_full_links(machine), takes_no_options(options)});
}

Start make_alltoall_alternate(const Machine&, const Collective&, const AlgorithmOptions&) {
    return {alltoall_by_turns, {}, true};
}

ExpectedCost expect_alltoall_alternate(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t rounds = rounds_of_turns(nodes);
    const std::uint64_t half = nodes / 2;
    ExpectedCost cost{rounds, std::nullopt, rounds, rounds, {}};
    cost.derivation.push_back(nodes % 2 == 0
                                  ? fmt::format("{} packets cross the middle link each way, in every second round: {}",
                                                half * half, counted(rounds, "round"))
                                  : fmt::format("{} packets cross each of the two middle links each way, by turns: {}",
                                                half * (half + 1), counted(rounds, "round")));
    cost.work = (nodes - 1) * nodes * (nodes + 1) / 3;
    cost.derivation.push_back(fmt::format("every packet takes the shortest way: work {}", *cost.work));
    cost.derivation.push_back(fmt::format("every message is one packet: volume {}", counted(rounds, "packet")));
    return cost;
}

}  // namespace

std::vector<Algorithm> algorithms_in_alltoall_alternate() {
    return {{
        .operation = Operation::alltoall,
        .name = "alternate",
        .rule = "the links take turns, every second in a round, and exchange a packet each way, those with farthest to "
                "go first",
        .needs = "line, SF or WH, any k, pairwise or not, full duplex ports and links",
        .cost = "2h^2 - 1 rounds on 2h nodes, 2h(h+1) on 2h+1: the least through one port without combining; volume "
                "the same, "
                "work (N^3 - N)/3",
        .source = "farthest first, Leighton 1992; load of the middle nodes",
        .misfit = misfit_alltoall_alternate,
        .make = make_alltoall_alternate,
        .expect = expect_alltoall_alternate,
        .with_many = WithMany::repeated,
        .single_links = true,
        .single_packets = true,
    }};
}

}  // namespace kport
