/// @file lines.cpp   All-to-all broadcast along the lines of a mesh, in pairs and both ways at once (model.md section 7).
#include "algorithms/catalogue.hpp"
#include "algorithms/support/line_streams.hpp"

namespace kport {

namespace {

/// All-to-all broadcast on a mesh, one dimension after the other.
///
/// Machine   mesh, line, store-and-forward or wormhole, full duplex links, combining; full duplex ports; odd_even: any k,
///           pairwise or not; two_way: two ports, on a line without combining too
/// Gives     every node holds all N packets
/// Costs     odd_even: rounds sum of n_i - 1 (n_i even) or n_i (n_i odd > 1), volume on a line 2n - 3 or 2n - 2;
///           two_way: rounds sum of n_i - 1, the diameter, volume N - 1 packets
/// Idea      What a node held at the start of the dimension and what came from one side goes on to the other, each packet
///           once over each link, as the streams say.
/// Source    odd-even transposition; on a line the least rounds of pairwise gossip; model.md section 7
Program allgather_along_lines(Node& self, const Grid& mesh, Streams streams) {
    const std::uint64_t m = self.collective().packets_each;
    Round before = 0;
    for (int d = mesh.dimensions(); d-- > 0;) {
        const LineStreams line(mesh, d, self.id(), streams);
        const NodeId block = mesh.stride(d);
        const NodeId first = self.id() / (block * mesh.side(d)) * (block * mesh.side(d));
        for (Round round = 1; round <= line.rounds(); ++round) {
            for (const Direction way : {Direction::forward, Direction::backward}) {
                const Segment origins = line.sent(way, round);
                if (origins.size() == 0) continue;
                co_await self.until(before + round);
                const auto nodes = PacketSet::range(first + origins.first * block, first + origins.last * block);
                co_await self.send(line.out(way), packets_of(nodes, m));
            }
            for (const Direction way : {Direction::forward, Direction::backward})
                if (line.received(way, round).size() != 0) co_await self.receive(line.in(way));
        }
        before += line.rounds();
    }
}

/// Whether at most one side of the mesh is longer than 1.
bool is_line(const Machine& machine) {
    const Topology& mesh = *machine.topology;
    return mesh.diameter() + 1 == mesh.nodes();
}

template <Streams streams>
std::optional<std::string> misfit_allgather_lines(const Machine& machine, const Collective&,
                                                  const AlgorithmOptions& options) {
    auto not_a_mesh = misfit_line_streams(machine, streams, options);
    if (not_a_mesh) return not_a_mesh;
    const bool single_packets = streams == Streams::two_way && is_line(machine);
    return single_packets ? std::nullopt : needs_combining(machine);
}

template <Streams streams>
Start make_allgather_lines(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const Grid* mesh = as_grid(machine);
    return {[topology = machine.topology, mesh](Node& self) { return allgather_along_lines(self, *mesh, streams); },
            {},
            true};
}

/// odd_even: one packet in round 1 and in the last of an odd line, two in all others.
std::uint64_t gathered_on_line(NodeId size, Streams streams) {
    if (streams == Streams::two_way || size <= 2) return size - 1;
    return size % 2 == 0 ? 2 * size - 3 : 2 * size - 2;
}

template <Streams streams>
ExpectedCost expect_allgather_lines(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    return line_streams_cost(*as_grid(machine), streams, gathered_on_line,
                             [](const Grid& mesh, int d) -> std::uint64_t { return mesh.stride(d); });
}

}  // namespace

std::vector<Algorithm> algorithms_in_allgather_lines() {
    return {
        {
            .operation = Operation::allgather,
            .name = "two-way",
            .rule = "along each dimension in turn, what came from one side goes on to the other, both ways at once",
            .needs =
                "mesh, line, SF or WH, two ports, full duplex ports and links, not pairwise, combining (a line: or "
                "not)",
            .cost = "sum of n_i - 1 rounds, the diameter; work the sum of (n_i - 1) N, volume N-1 packets",
            .source = "model section 7",
            .misfit = misfit_allgather_lines<Streams::two_way>,
            .make = make_allgather_lines<Streams::two_way>,
            .expect = expect_allgather_lines<Streams::two_way>,
            .single_links = true,
        },
        {
            .operation = Operation::allgather,
            .name = "odd-even",
            .rule = "along each dimension in turn, neighbours exchange what is new, the even links and the odd ones by "
                    "turns",
            .needs = "mesh, line, SF or WH, any k, pairwise or not, full duplex ports and links, combining",
            .cost = "sum of n_i - 1 (n_i even) or n_i (n_i odd) rounds, on a line the least in pairs; volume 2N-3 (N "
                    "even) or "
                    "2N-2 packets on a line",
            .source = "model section 7",
            .misfit = misfit_allgather_lines<Streams::odd_even>,
            .make = make_allgather_lines<Streams::odd_even>,
            .expect = expect_allgather_lines<Streams::odd_even>,
            .single_links = true,
        }};
}

}  // namespace kport
