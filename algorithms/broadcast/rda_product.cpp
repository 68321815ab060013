/// @file rda_product.cpp   Wormhole recursive doubling on lines, and its Cartesian product (model.md sections 4.1 to 4.3).
#include <algorithm>
#include <memory>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/broadcast/broadcast.hpp"
#include "algorithms/support/cut_line.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/segment.hpp"

namespace kport {

namespace {

/// One phase of the product: a dimension, as a line, and the round before its first.
struct Phase {
    CutLine line;
    Round after;
};

std::vector<Phase> phases_of(const Grid& grid, NodeId source, const AlgorithmOptions& options, Keep keep) {
    std::vector<unsigned> order = options.dimensions;
    if (order.empty()) {
        order.resize(static_cast<std::size_t>(grid.dimensions()));
        std::iota(order.begin(), order.end(), 0U);
    }
    std::vector<Phase> phases;
    Round rounds = 0;
    for (const unsigned dimension : order) {
        phases.push_back({CutLine(grid, static_cast<int>(dimension), source, keep), rounds});
        rounds += ceil_log2(grid.side(static_cast<int>(dimension)));
    }
    return phases;
}

/// One-to-all broadcast on wormhole grids: recursive doubling along a line, one dimension after the other.
///
/// Machine   mesh, torus, line, ring, wormhole, 1-port
/// Gives     every node holds the source's packet
/// Costs     rounds sum ceil(log2 n_i); path sum sum h_i, where h_i = n_i - 1 from the end of a line, ceil(n_i/2) on a ring
/// Idea      The holder of a segment halves it, keeps the smaller part and sends to the nearest node of the other; paths of
///           a round lie in disjoint segments. Then all informed lines of the next dimension do the same in parallel.
/// Source    model.md sections 4.1 to 4.3
Program broadcast_by_lines(Node& self, const std::vector<Phase>& phases, NodeId source, Keep keep, Packet packet) {
    std::size_t phase = 0;
    Segment mine{0, phases.empty() ? 0 : phases.front().line.size()};
    if (self.id() != source) {
        const Arrival arrival = co_await self.receive();
        packet = arrival.packet();
        phase = phases.size() - 1;  // it was informed in the last dimension in which it differs from the source
        while (phases[phase].line.position(self.id()) == phases[phase].line.source()) --phase;
        const CutLine& line = phases[phase].line;
        mine = segment_given_to(line.position(self.id()), line.size(), line.source(), keep);
    }
    for (; phase < phases.size(); ++phase) {
        const CutLine& line = phases[phase].line;
        if (mine.size() == 0) mine = {0, line.size()};
        while (self.round() <= phases[phase].after) co_await self.next_round();
        while (mine.size() > 1) {
            const std::uint64_t here = line.position(self.id());
            const Halving step = halve(mine, here, keep);
            const std::vector<Port> route = line.route(here, step.receiver);
            co_await self.send_along(line.node_at(self.id(), step.receiver), route, packet);
            mine = step.kept;
        }
        mine = {0, 0};
    }
}

std::optional<std::string> misfit_dimensions(const Grid& grid, const std::vector<unsigned>& order) {
    if (order.empty()) return std::nullopt;
    std::vector<unsigned> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (unsigned i = 0; i < sorted.size(); ++i)
        if (sorted[i] != i || sorted.size() != static_cast<std::size_t>(grid.dimensions()))
            return fmt::format("needs --dimensions to name each of the {} dimensions of {} once, from 0",
                               grid.dimensions(), grid.spec());
    if (sorted.size() != static_cast<std::size_t>(grid.dimensions()))
        return fmt::format("needs --dimensions to name {} dimensions", grid.dimensions());
    return std::nullopt;
}

std::optional<std::string> misfit(const Machine& machine, const Request&, const AlgorithmOptions& options) {
    const Grid* grid = as_grid(machine);
    return first_of({unless(grid != nullptr, "needs a mesh, torus, line or ring"), needs_wh(machine),
                     needs_one_port(machine),
                     grid == nullptr ? std::nullopt : misfit_dimensions(*grid, options.dimensions)});
}

Keep keep_of(const AlgorithmOptions& options) { return options.keep.value_or(Keep::smaller); }

Start make(const Machine& machine, const Request& request, const AlgorithmOptions& options) {
    const NodeId source = request.root;
    const Keep keep = keep_of(options);
    const auto phases = std::make_shared<std::vector<Phase>>(phases_of(*as_grid(machine), source, options, keep));
    return {[topology = machine.topology, phases, source, keep](Node& self) {
                return broadcast_by_lines(self, *phases, source, keep, Packet(0));
            },
            {source}};
}

ExpectedCost expect(const Machine& machine, const Request& request, const AlgorithmOptions& options) {
    constexpr std::uint64_t longest_line = std::uint64_t{1} << 22;  // the recursion is walked: longer lines get no sum
    const Keep keep = keep_of(options);
    ExpectedCost cost{0, 0, 0, {}};
    std::uint64_t lines = 1;
    for (const Phase& phase : phases_of(*as_grid(machine), request.root, options, keep)) {
        const std::uint64_t n = phase.line.size();
        *cost.rounds += ceil_log2(n);
        if (n > longest_line || !cost.work) {
            cost.work = cost.path_sum = std::nullopt;
            cost.derivation.push_back(fmt::format("a line of {} from position {}: ceil(log2 {}) = {} rounds", n,
                                                  phase.line.source(), n, ceil_log2(n)));
            continue;
        }
        const LineCost line = line_cost(n, phase.line.source(), keep);
        *cost.work += lines * line.work;
        *cost.path_sum += line.path_sum;
        cost.derivation.push_back(
            fmt::format("{} line{} of {} from position {}: ceil(log2 {}) = {} rounds, path sum {}, {} hops each", lines,
                        lines == 1 ? "" : "s", n, phase.line.source(), n, line.rounds, line.path_sum, line.work));
        lines *= n;
    }
    cost.derivation.push_back(fmt::format("the dimensions follow one another: {} rounds", *cost.rounds));
    return cost;
}

}  // namespace

Algorithm broadcast_rda_product() {
    return {Operation::broadcast,
            "rda-product",
            "recursive doubling along a line (keep the smaller part), one dimension after the other",
            "mesh, torus, line, ring, WH, 1-port; --keep, --dimensions",
            "model sections 4.1 to 4.3",
            "",
            misfit,
            make,
            expect};
}

}  // namespace kport
