/// @file lines.cpp   All-to-all scatter along the lines of a mesh, in pairs and both ways at once (model.md section 7).
#include "algorithms/catalogue.hpp"
#include "algorithms/support/line_streams.hpp"

namespace kport {

namespace {

/// Returns the packets that a node has when dimension d begins: those from nodes at `origins` in this dimension, for
/// nodes at `targets`. Later dimensions are done: packets come from all nodes with its earlier coordinates, for all
/// with its later ones.
PacketSet packets_along(const Grid& mesh, int d, NodeId v, const Segment& origins, const Segment& targets,
                        std::uint64_t m) {
    const auto stride = static_cast<std::uint32_t>(mesh.stride(d));
    const auto apart = static_cast<std::uint32_t>(stride * mesh.side(d));
    const auto lines = static_cast<std::uint32_t>(mesh.nodes() / apart);
    const auto me = static_cast<std::uint32_t>(v);
    const Progression from{me / apart * apart + static_cast<std::uint32_t>(origins.first) * stride, 1,
                           static_cast<std::uint32_t>(origins.size()) * stride};
    const auto first_target = me % stride + static_cast<std::uint32_t>(targets.first) * stride;
    const auto count = static_cast<std::uint32_t>(targets.size());
    if (lines == 1) return packets_between(from, {first_target, count == 1 ? 1 : stride, count}, m);
    PacketSet packets;
    for (std::uint32_t t = 0; t < count; ++t)
        packets.add(packets_between(from, {first_target + t * stride, apart, lines}, m));
    return packets;
}

/// All-to-all scatter on a mesh, one dimension after the other.
///
/// Machine   mesh, line, store-and-forward or wormhole, full duplex links, combining; full duplex ports; odd_even: any k,
///           pairwise or not; two_way: two ports
/// Gives     node v holds the packets addressed to v
/// Costs     odd_even: rounds sum of n_i - 1 (n_i even) or n_i (n_i odd > 1), volume on a line (n-1)^2, one more if n is odd;
///           two_way: rounds sum of n_i - 1, the diameter, volume N (n_i - 1) / 2 in each dimension
/// Idea      Each node sends on what is bound for beyond, as the streams say.
/// Source    odd-even transposition; model.md section 7
Program alltoall_along_lines(Node& self, const Grid& mesh, Streams streams) {
    const std::uint64_t m = self.collective().packets_each;
    Round before = 0;
    for (int d = mesh.dimensions(); d-- > 0;) {
        const LineStreams line(mesh, d, self.id(), streams);
        for (Round round = 1; round <= line.rounds(); ++round) {
            for (const Direction way : {Direction::forward, Direction::backward}) {
                const Segment origins = line.sent(way, round);
                if (origins.size() == 0) continue;
                const PacketSet packets = packets_along(mesh, d, self.id(), origins, line.beyond(way), m);
                co_await self.until(before + round);
                co_await self.pass(line.out(way), packets);
            }
            for (const Direction way : {Direction::forward, Direction::backward})
                if (line.received(way, round).size() != 0) co_await self.receive(line.in(way));
        }
        before += line.rounds();
    }
}

template <Streams streams>
std::optional<std::string> misfit_alltoall_lines(const Machine& machine, const Collective&,
                                                 const AlgorithmOptions& options) {
    return first_of({misfit_line_streams(machine, streams, options), needs_combining(machine)});
}

template <Streams streams>
Start make_alltoall_lines(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const Grid* mesh = as_grid(machine);
    return {[topology = machine.topology, mesh](Node& self) { return alltoall_along_lines(self, *mesh, streams); },
            {},
            true};
}

/// odd_even: n - 1 packets in round 1, 2 (n - x) in round x, and one in the last of an odd line.
std::uint64_t exchanged_on_line(NodeId size, Streams streams) {
    const std::uint64_t others = size - 1;
    if (streams == Streams::two_way) return size % 2 == 0 ? size / 2 * others : others / 2 * size;
    return others * others + (size % 2 == 1 && size > 1 ? 1 : 0);
}

template <Streams streams>
ExpectedCost expect_alltoall_lines(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    return line_streams_cost(*as_grid(machine), streams, exchanged_on_line,
                             [](const Grid& mesh, int d) -> std::uint64_t { return mesh.nodes() / mesh.side(d); });
}

}  // namespace

std::vector<Algorithm> algorithms_in_alltoall_lines() {
    return {
        {
            .operation = Operation::alltoall,
            .name = "two-way",
            .rule = "along each dimension in turn, what is bound for beyond goes on, both ways at once",
            .needs = "mesh, line, SF or WH, two ports, full duplex ports and links, not pairwise, combining",
            .cost = "sum of n_i - 1 rounds, the diameter; work the sum of (n_i - 1) N, volume N/2 times the rounds in "
                    "packets",
            .source = "model section 7",
            .misfit = misfit_alltoall_lines<Streams::two_way>,
            .make = make_alltoall_lines<Streams::two_way>,
            .expect = expect_alltoall_lines<Streams::two_way>,
            .single_links = true,
        },
        {
            .operation = Operation::alltoall,
            .name = "odd-even",
            .rule = "along each dimension in turn, neighbours exchange what is bound for beyond, the even links and "
                    "the odd ones "
                    "by turns",
            .needs = "mesh, line, SF or WH, any k, pairwise or not, full duplex ports and links, combining",
            .cost = "sum of n_i - 1 (n_i even) or n_i (n_i odd) rounds; volume (N-1)^2 packets on a line, one more if "
                    "N is odd",
            .source = "model section 7",
            .misfit = misfit_alltoall_lines<Streams::odd_even>,
            .make = make_alltoall_lines<Streams::odd_even>,
            .expect = expect_alltoall_lines<Streams::odd_even>,
            .single_links = true,
        }};
}

}  // namespace kport
