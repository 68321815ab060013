/// @file streams.cpp   All-reduce and prefix sums along the dimensions of a grid, in as many rounds as its diameter.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/grid_row.hpp"
#include "algorithms/support/node_values.hpp"
#include "algorithms/support/ring.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// All-reduce and prefix sums on grids.
///
/// Machine   mesh, torus, line or ring, store-and-forward or wormhole, two ports, full duplex ports and links, not pairwise
/// Gives     every node holds the fold of all contributions, or of those up to its own
/// Costs     rounds, path sum and volume D, the diameter; work N times the sum of all sides less 1
/// Idea      The last dimension first. In round 1 each node sends its total both ways along its line or ring, then passes on to
///           either side what came from the other. At the end the fold of all is its new total. The prefix of a node is the
///           fold of the totals before it in each dimension.
/// Proof     A line of n takes n - 1 rounds, a ring floor(n / 2), their diameters, and these add up. All lines of a dimension
///           that a node's neighbours stand in begin together. The values that meet are of different nodes.
/// Source    the proof; no schedule takes fewer rounds or packets than D
template <bool scans>
Program reduce_in_streams(Node& self) {
    const auto& grid = dynamic_cast<const Grid&>(self.topology());
    Value total = self.contribution();
    PrefixSum prefix(self, total);
    for (int dimension = grid.dimensions(); dimension-- > 0;) {
        RowStream stream(self, dimension, total);
        for (NodeId round = 1; round <= stream.rounds(); ++round) {
            co_await stream.send(round);
            co_await stream.receive(round);
        }
        total = stream.total();
        if (scans) prefix.put_in_front(stream.before());
    }
    if (!scans) co_return self.result(total);
    prefix.give();
}

int dimensions_of(const Topology& topology) {
    if (const auto* grid = dynamic_cast<const Grid*>(&topology)) return grid->dimensions();
    return dynamic_cast<const Hypercube&>(topology).dimensions();
}

/// All-reduce of a segment for each dimension at a time.
///
/// Machine   mesh or torus of equal sides, line, ring or hypercube, store-and-forward or wormhole, all ports, full duplex ports and
///           links, combining or not
/// Gives     every node holds the fold of all contributions
/// Costs     of q dimensions and M segments: ceil(M / q) D rounds, as many packets of volume
/// Idea      As streams, but segment i takes the dimensions in the order i, i + 1, ..., modulo q. So the q segments of a pass never
///           use the same channel, and each message carries one segment.
/// Proof     A pass takes each dimension once for every segment: D rounds, which is the least of one segment, too
/// Source    the proof
Program reduce_in_rotated_streams(Node& self) {
    const auto q = static_cast<NodeId>(dimensions_of(self.topology()));
    const NodeId rounds = GridRow::rounds(self.topology(), 0);
    std::vector<Value> totals;
    for (NodeId s = 0; s < self.collective().segments(self.nodes()); ++s) totals.push_back(contribution_to(self, s));
    for (NodeId phase = 0; phase < (totals.size() + q - 1) / q * q; ++phase) {
        const NodeId first = phase / q * q;
        std::vector<RowStream> streams;
        for (NodeId s = first; s < std::min<NodeId>(first + q, totals.size()); ++s)
            streams.emplace_back(self, static_cast<int>((s + phase) % q), totals[s]);
        for (NodeId round = 1; round <= rounds; ++round) {
            co_await self.until(static_cast<Round>(phase * rounds + round));
            for (RowStream& stream : streams) co_await stream.send(round);
            for (RowStream& stream : streams) co_await stream.receive(round);
        }
        for (NodeId i = 0; i < streams.size(); ++i) totals[first + i] = streams[i].total();
    }
    put_results(self, totals);
}

std::optional<std::string> misfit_streams(const Machine& machine, const Collective&, const AlgorithmOptions& options) {
    return first_of({unless(as_grid(machine) != nullptr, "needs a mesh, torus, line or ring"), needs_two_ports(machine),
                     needs_full_duplex(machine), needs_full_links(machine), needs_partners(machine),
                     needs_table(machine), takes_no_options(options)});
}

std::optional<std::string> misfit_streams_rotated(const Machine& machine, const Collective&,
                                                  const AlgorithmOptions& options) {
    const Grid* grid = as_grid(machine);
    const Hypercube* cube = as_hypercube(machine);
    const bool fits = grid != nullptr ? has_equal_sides(*grid) : cube != nullptr && cube->dimensions() > 0;
    return first_of({unless(fits, "needs a grid of equal sides or a hypercube"), needs_all_ports(machine),
                     needs_full_duplex(machine), needs_full_links(machine), needs_table(machine),
                     takes_no_options(options)});
}

template <bool scans>
Start make_streams(const Machine&, const Collective&, const AlgorithmOptions&) {
    return {reduce_in_streams<scans>, {}, true};
}

Start make_streams_rotated(const Machine&, const Collective&, const AlgorithmOptions&) {
    return {reduce_in_rotated_streams, {}, true};
}

/// Of one segment. A row of n has n (n - 1) messages: each of its values goes to all others.
ExpectedCost expect_streams(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const Topology& topology = *machine.topology;
    const auto* grid = dynamic_cast<const Grid*>(&topology);
    ExpectedCost cost{0, 0, 0, 0, {}};
    for (int dimension = dimensions_of(topology); dimension-- > 0;) {
        const NodeId side = grid == nullptr ? 2 : grid->side(dimension);
        const NodeId rounds = GridRow::rounds(topology, dimension);
        *cost.rounds += rounds;
        *cost.work += topology.nodes() * (side - 1);
        cost.derivation.push_back(fmt::format("dimension {}, rows of {}: {}, {}", dimension, side,
                                              counted(rounds, "round"),
                                              counted(topology.nodes() * (side - 1), "message")));
    }
    cost.path_sum = cost.volume = cost.rounds;
    cost.derivation.push_back(fmt::format("one after the other: {}, one value in every message: volume {}",
                                          counted(*cost.rounds, "round"), counted(*cost.volume, "packet")));
    return cost;
}

ExpectedCost expect_streams_rotated(const Machine& machine, const Collective& collective,
                                    const AlgorithmOptions& options) {
    const auto q = static_cast<std::uint64_t>(dimensions_of(*machine.topology));
    const std::uint64_t m = collective.packets_each;
    ExpectedCost cost = expect_streams(machine, collective, options);
    const std::uint64_t passes = (m + q - 1) / q;
    for (auto* quantity : {&cost.rounds, &cost.path_sum, &cost.volume}) **quantity *= passes;
    *cost.work *= m;
    cost.derivation.push_back(fmt::format("{} at a time, each along another dimension: ceil({} / {}) = {} times: {}",
                                          counted(q, "segment"), m, q, passes, counted(*cost.rounds, "round")));
    return cost;
}

/// Both ends of a row of two fold the same values; in a longer one each node folds from its own place.
std::optional<Agrees> agreement_of_streams(const Topology& topology) {
    const auto* grid = dynamic_cast<const Grid*>(&topology);
    for (int i = 0; grid != nullptr && i < grid->dimensions(); ++i)
        if (grid->side(i) > 2) return Agrees::no;
    return Agrees::always;
}

}  // namespace

std::vector<Algorithm> algorithms_in_allreduce_streams() {
    const InOrder always{[](const Machine&, const Collective&, const AlgorithmOptions&) { return true; }, "always"};
    const Algorithm allreduce{
        .operation = Operation::allreduce,
        .name = "streams",
        .rule =
            "dimension by dimension each node's total goes both ways along its line or ring, and what came is folded",
        .needs = "mesh, torus, line, ring, SF or WH, two ports, full duplex ports and links, not pairwise",
        .cost = "D rounds, volume D packets: the least of both",
        .source = "values apart along a row; bound D",
        .misfit = misfit_streams,
        .make = make_streams<false>,
        .expect = expect_streams,
        .single_links = true,
        .single_packets = true,
        .in_order = always,
        .agrees = agreement_of_streams,
    };
    Algorithm scan = allreduce;
    scan.operation = scan.forward = Operation::scan;
    scan.rule += "; a prefix is the fold of the totals before a node in each dimension";
    scan.make = make_streams<true>;
    Algorithm rotated = allreduce;
    rotated.name = "streams-rotated";
    rotated.rule = "as streams, a segment for each of q dimensions at once: segment i takes the dimensions i, i+1, ...";
    rotated.needs =
        "mesh or torus of equal sides, line, ring, hypercube; SF or WH, all ports, full duplex ports and links";
    rotated.cost = "ceil(M/q) D rounds, volume as many packets";
    rotated.misfit = misfit_streams_rotated;
    rotated.make = make_streams_rotated;
    rotated.expect = expect_streams_rotated;
    rotated.with_many = WithMany::own;
    rotated.in_order = {};
    rotated.merges = true;
    std::vector<Algorithm> rows = with_exclusive(scan);
    rows.insert(rows.begin(), allreduce);
    rows.push_back(rotated);
    return rows;
}

}  // namespace kport
