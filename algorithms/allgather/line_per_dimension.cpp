/// @file line_per_dimension.cpp   All-to-all broadcast on wormhole meshes: each line as a ring (model.md section 7).
#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/ring.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// All-to-all broadcast on a wormhole mesh, one dimension after the other.
///
/// Machine   mesh, line, wormhole, any k, full duplex ports and links, combining
/// Gives     every node holds all N packets
/// Costs     rounds sum (n_i - 1), work sum 2 (n_i - 1)^2 N / n_i, path sum sum (n_i - 1)^2, volume N - 1 packets
/// Idea      A line serves as a ring: the last node's message goes back to the first over the opposite channels, which are
///           free. Around each ring every node sends all its packets as a bundle, then always the bundle that came last.
/// Source    Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, ch. 4.2; model.md section 7
Program allgather_by_lines(Node& self, const Grid& mesh) {
    PacketSet held = packets_of(PacketSet::range(self.id(), self.id() + 1), self.collective().packets_each);
    for (int d = mesh.dimensions(); d-- > 0;) {
        const NodeId here = mesh.coordinate(self.id(), d);
        const NodeId next = mesh.with_coordinate(self.id(), d, (here + 1) % mesh.side(d));
        const NodeId previous = mesh.with_coordinate(self.id(), d, (here + mesh.side(d) - 1) % mesh.side(d));
        PacketSet latest = held;
        for (NodeId round = 1; round < mesh.side(d); ++round) {
            co_await self.send_to(next, latest);
            const Arrival arrival = co_await self.receive_from(previous);
            latest = arrival.packets();
            held.add(latest);
        }
    }
}

std::optional<std::string> misfit_allgather_line_per_dimension(const Machine& machine, const Collective&,
                                                               const AlgorithmOptions& options) {
    const Grid* grid = as_grid(machine);
    return first_of({unless(grid != nullptr && !grid->wraps(), "needs a mesh or line"), needs_wh(machine),
                     needs_full_duplex(machine), needs_full_links(machine), needs_way_around(machine),
                     needs_combining(machine), needs_table(machine), takes_no_options(options)});
}

Start make_allgather_line_per_dimension(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const Grid* mesh = as_grid(machine);
    return {[topology = machine.topology, mesh](Node& self) { return allgather_by_lines(self, *mesh); }, {}, true};
}

ExpectedCost expect_allgather_line_per_dimension(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    constexpr NodeId longest_line = NodeId{1} << 31;  // beyond it hops exceed 64 bits
    const Grid& mesh = *as_grid(machine);
    const NodeId nodes = mesh.nodes();
    ExpectedCost cost{ring_rounds(mesh), 0, 0, nodes - 1, {}};
    for (int d = mesh.dimensions(); d-- > 0;) {
        const NodeId side = mesh.side(d);
        if (side > longest_line) {
            cost.work = cost.path_sum = std::nullopt;
            break;
        }
        const NodeId lines = nodes / side;
        const std::uint64_t back = side - 1;
        *cost.path_sum += back * back;
        *cost.work += 2 * back * back * lines;
        cost.derivation.push_back(fmt::format(
            "dimension {}, {} line{} of {}: {}, in each of them {} over one link and one over {} on every line", d,
            lines, lines == 1 ? "" : "s", side, counted(back, "round"), counted(back, "message"), back));
    }
    if (cost.work)
        cost.derivation.push_back(fmt::format("the longest path of a round is the way back: path sum {}, work {}",
                                              *cost.path_sum, *cost.work));
    cost.derivation.push_back(
        fmt::format("every node receives {} of others, each once, as many as all others in every round: "
                    "volume {}; Kumar's 2 t_s (sqrt p - 1) + t_w m (p - 1) on a square",
                    counted(nodes - 1, "packet"), counted(nodes - 1, "packet")));
    return cost;
}

}  // namespace

std::vector<Algorithm> algorithms_in_allgather_line_per_dimension() {
    return {{
        .operation = Operation::allgather,
        .name = "line-per-dimension",
        .rule = "the ring algorithm on each dimension in turn; the last node of a line sends back to the first",
        .needs = "mesh, line, WH, any k, full duplex ports and links, not pairwise, combining",
        .cost = "sum of n_i - 1 rounds, path sum the sum of (n_i - 1)^2, work the sum of 2 (n_i - 1)^2 N / n_i, volume "
                "N-1 packets",
        .source = "Kumar et al. ch. 4.2; model section 7",
        .misfit = misfit_allgather_line_per_dimension,
        .make = make_allgather_line_per_dimension,
        .expect = expect_allgather_line_per_dimension,
    }};
}

}  // namespace kport
