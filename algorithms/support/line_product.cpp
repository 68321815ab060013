#include "algorithms/support/line_product.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "algorithms/support/fit.hpp"
#include "algorithms/support/grid_boxes.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

constexpr std::uint64_t longest_line = std::uint64_t{1}
                                       << 22;  // limits the walk of the recursion: longer lines get no sum

}  // namespace

LineProduct::LineProduct(const Grid& grid, NodeId source, const std::vector<unsigned>& dimensions, Keep keep)
    : source_(source), keep_(keep), order_(dimensions.empty() ? ascending_dimensions(grid) : dimensions) {
    Round rounds = 0;
    for (const unsigned dimension : order_) {
        phases_.push_back({CutLine(grid, static_cast<int>(dimension), source, keep), rounds});
        rounds += ceil_log2(grid.side(static_cast<int>(dimension)));
    }
}

LineProduct::Turn LineProduct::first_turn(NodeId v) const {
    if (v == source_) return {0, {0, line(0).size()}};
    std::size_t phase = phases() - 1;  // it was reached in the last dimension in which it differs from the source
    while (line(phase).position(v) == line(phase).source()) --phase;
    const CutLine& reached = line(phase);
    return {phase, given_to(reached.position(v), reached.size(), reached.source(), keep_).segment};
}

ExpectedCost LineProduct::cost() const {
    ExpectedCost cost{0, 0, 0, {}, {}};
    std::uint64_t lines = 1;
    for (const Phase& phase : phases_) {
        const std::uint64_t n = phase.line.size();
        *cost.rounds += ceil_log2(n);
        if (n > longest_line || !cost.work) {
            cost.work = cost.path_sum = std::nullopt;
            cost.derivation.push_back(fmt::format("a line of {} from position {}: ceil(log2 {}) = {}", n,
                                                  phase.line.source(), n, counted(ceil_log2(n), "round")));
            continue;
        }
        const LineCost line = line_cost(n, phase.line.source(), keep_);
        *cost.work += lines * line.work;
        *cost.path_sum += line.path_sum;
        cost.derivation.push_back(fmt::format("{} line{} of {} from position {}: ceil(log2 {}) = {}, path sum {}, {}{}",
                                              lines, lines == 1 ? "" : "s", n, phase.line.source(), n,
                                              counted(line.rounds, "round"), line.path_sum, counted(line.work, "hop"),
                                              lines == 1 ? "" : " each"));
        lines *= n;
    }
    cost.derivation.push_back(fmt::format("the dimensions follow one another: {}", counted(*cost.rounds, "round")));
    return cost;
}

void LineProduct::add_bundles(ExpectedCost& cost, const Costs& costs, std::uint64_t packet_bytes) const {
    if (!cost.work) return;
    cost.volume = 0;
    cost.latency = 0;
    NodeId behind = 1;  // a part of a line carries all later dimensions
    for (auto phase = phases_.rbegin(); phase != phases_.rend(); ++phase) {
        const std::uint64_t n = phase->line.size();
        const LineCost line = line_cost(n, phase->line.source(), keep_, costs, behind * packet_bytes);
        *cost.volume += behind * line.volume;
        *cost.latency += line.latency;
        behind *= n;
    }
}

std::optional<std::string> misfit_line_product(const Machine& machine, const AlgorithmOptions& options) {
    const Grid* grid = as_grid(machine);
    const auto misfit_dimensions = [&]() -> std::optional<std::string> {
        if (grid == nullptr || options.dimensions.empty()) return std::nullopt;
        std::vector<unsigned> sorted = options.dimensions;
        std::ranges::sort(sorted);
        if (sorted == ascending_dimensions(*grid)) return std::nullopt;
        return fmt::format("needs dimensions to name each of the {} dimensions of {} once, from 0", grid->dimensions(),
                           grid->spec());
    };
    return first_of({unless(grid != nullptr, "needs a mesh, torus, line or ring"), needs_wh(machine),
                     needs_one_port(machine), misfit_dimensions(), takes_no_options(options, "keep dimensions")});
}

}  // namespace kport
