/// @file steps.hpp   Allgathers given by steps, and derived from them: reversed, reduce-scatters; both together,
///                   allreduces; of contributions that every node folds, allreduces too.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/complete.hpp"

namespace kport {

/// The rule of an allgather, which every node follows on its own: step i is round i, and says which blocks go where.
/// Block b is all that node b has; a rule may cut each into parts that take different ways. A cell is part p of block
/// b: row p and column b of a PacketBlock.
///
/// Callers   any thread, after construction.
class Steps {
  public:
    Steps() = default;
    Steps(const Steps&) = delete;
    Steps& operator=(const Steps&) = delete;
    virtual ~Steps() = default;

    [[nodiscard]] virtual std::uint64_t count() const = 0;
    /// Returns the number of parts of each block.
    [[nodiscard]] virtual std::uint64_t parts() const { return 1; }
    /// Returns how many messages a node may send, and receive, in a step.
    [[nodiscard]] virtual std::uint64_t ways(std::uint64_t) const { return 1; }
    /// Return the node to which v sends in a step on a way, and the one from which it receives on it; no_node: none.
    [[nodiscard]] virtual NodeId to(std::uint64_t step, std::uint64_t way, NodeId v) const = 0;
    [[nodiscard]] virtual NodeId from(std::uint64_t step, std::uint64_t way, NodeId v) const = 0;
    /// Returns what node v sends; empty if it is idle.
    [[nodiscard]] virtual PacketBlocks cells(std::uint64_t step, std::uint64_t way, NodeId v) const = 0;

    /// Whether a step that moves a part of a block moves that part of every block, each in a message of its own.
    [[nodiscard]] virtual bool moves_each_block_alone() const { return false; }

    /// Returns a superset, in any order, of the steps in which node v sends or receives a block; nothing if the rule
    /// would have to visit every step. In a short vector most blocks are empty, and so are most steps around a long
    /// ring.
    [[nodiscard]] virtual std::optional<std::vector<std::uint64_t>> steps_with(NodeId, NodeId) const {
        return std::nullopt;
    }
};

/// Returns the blocks first, first + stride, ..., `count` of them, uncut; or part p of each.
[[nodiscard]] inline PacketBlock some_blocks(NodeId first, NodeId stride, NodeId count, std::uint64_t part = 0) {
    return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count == 1 ? 1 : stride),
            static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(part)};
}
/// some_blocks() modulo the number of nodes (around()).
[[nodiscard]] inline PacketBlocks blocks_around(NodeId first, NodeId stride, NodeId count, NodeId nodes) {
    PacketBlocks blocks;
    for (const Progression& part : around(first, stride, count, nodes)) blocks.push_back(block_of({}, part));
    return blocks;
}

/// Returns ascending numbers of blocks as progressions: each time the longest that begins with the first remaining one
/// and one of the next few.
[[nodiscard]] PacketBlocks as_progressions(std::vector<NodeId> numbers);

/// Returns the beginning of part b of n numbers cut into nearly equal parts: floor(b n / parts). b and n below 2^32.
[[nodiscard]] constexpr std::uint64_t cut_at(std::uint64_t b, std::uint64_t n, std::uint64_t parts) {
    return b * n / parts;
}

/// Returns the packets of some cells, in an allgather of M packets a node.
[[nodiscard]] PacketSet packets_of_cells(const Steps& steps, const PacketBlocks& cells, std::uint64_t m);
/// Returns the segments of some cells, as columns of row 0: in a reduce-scatter, whose blocks have M segments each; in
/// an allreduce, whose vector of M segments is cut into the parts first, and each part into N blocks.
[[nodiscard]] PacketSet segments_of_cells(const Steps& steps, const PacketBlocks& cells, const Collective& collective,
                                          NodeId nodes);

/// Node programs that follow the rule.
[[nodiscard]] Start gathering(std::shared_ptr<const Steps> steps);
[[nodiscard]] Start scattering(std::shared_ptr<const Steps> steps);
[[nodiscard]] Start scattering_and_gathering(std::shared_ptr<const Steps> steps);
/// The allgather of the contributions, which each node folds from left to right (Collective::unfolded). The rule must not cut blocks.
[[nodiscard]] Start gathering_and_folding(std::shared_ptr<const Steps> steps);

/// Returns the cost of an allreduce by these steps; `gather`: the cost of the allgather of one packet a node.
[[nodiscard]] ExpectedCost cost_of_allreduce(const Steps& steps, const ExpectedCost& gather,
                                             const Collective& collective, NodeId nodes);

/// Returns the number of parts of a block such that a message of a part is one packet, or segment, where machines do
/// not combine; 1 where they do. In an allreduce a part of the vector has at most N segments.
[[nodiscard]] std::uint64_t single_parts(const Machine& machine, const Collective& collective);
/// Repeats the steps for each part of the blocks, one part after the other: M times, if a part is a packet. The rule
/// must not cut blocks.
[[nodiscard]] std::shared_ptr<const Steps> part_by_part(std::shared_ptr<const Steps> steps, std::uint64_t parts);

using StepsOf = std::shared_ptr<const Steps> (*)(const Machine&, const Collective&, const AlgorithmOptions&);

/// Names and rules of the reductions derived from an allgather's row.
struct Reductions {
    std::string_view allreduce;  ///< its name; empty: there is none
    InOrder in_order = {};
    std::string_view gather_fold = {};  ///< of the allreduce that folds what the allgather brings; empty: there is none
};

namespace detail {
[[nodiscard]] std::vector<Algorithm> rows_of_steps(const Algorithm& gather, const Reductions& reductions);
[[nodiscard]] Algorithm row_of_folding(const Algorithm& gather, std::string_view name);
/// Without combining a block of the vector has at most one segment.
template <class Parts>
[[nodiscard]] std::optional<std::string> needs_bundles_of_segments(const Machine& m, const Collective& c,
                                                                   const Parts& parts) {
    if (m.combining || c.packets_each <= m.topology->nodes() * parts()) return std::nullopt;
    return fmt::format("sends blocks of {} segments and needs a combining machine", c.packets_each);
}
}  // namespace detail

using Misfit = std::optional<std::string> (*)(const Machine&, const Collective&, const AlgorithmOptions&);
using Cost = ExpectedCost (*)(const Machine&, const Collective&, const AlgorithmOptions&);

/// Algorithm::make of the allgather.
template <StepsOf rule>
[[nodiscard]] Start gather_by(const Machine& m, const Collective& c, const AlgorithmOptions& o) {
    return gathering(rule(m, c, o));
}

/// Uses a rule for single packets, and its cost, where machines do not combine: part by part.
template <StepsOf rule>
[[nodiscard]] std::shared_ptr<const Steps> repeated(const Machine& m, const Collective& c, const AlgorithmOptions& o) {
    return part_by_part(rule(m, c, o), single_parts(m, c));
}
template <Cost cost>
[[nodiscard]] ExpectedCost repeated_cost(const Machine& m, const Collective& c, const AlgorithmOptions& o) {
    return times_over(cost(m, c, o), m.combining ? 1 : c.packets_each);
}

/// Returns the rows of the allgather, and of the reduce-scatter and the allreduces that follow the same steps. `rule`:
/// their steps; `misfit`, `cost`: of the allgather.
template <StepsOf rule, Misfit misfit, Cost cost>
[[nodiscard]] std::vector<Algorithm> by_steps(const Algorithm& gather, const Reductions& reductions) {
    std::vector<Algorithm> rows = detail::rows_of_steps(gather, reductions);
    rows[1].make = [](const Machine& m, const Collective& c, const AlgorithmOptions& o) {
        return scattering(rule(m, c, o));
    };
    if (rows.size() < 3) return rows;
    rows[2].make = [](const Machine& m, const Collective& c, const AlgorithmOptions& o) {
        return scattering_and_gathering(rule(m, c, o));
    };
    rows[2].misfit = [](const Machine& m, const Collective& c, const AlgorithmOptions& o) {
        if (auto why = misfit(m, c, o)) return why;
        return detail::needs_bundles_of_segments(m, c, [&] { return rule(m, c, o)->parts(); });
    };
    rows[2].expect = [](const Machine& m, const Collective& c, const AlgorithmOptions& o) {
        Collective one = c;
        const auto steps = rule(m, c, o);
        one.packets_each = steps->parts();
        return cost_of_allreduce(*steps, cost(m, one, o), c, m.topology->nodes());
    };
    if (reductions.gather_fold.empty()) return rows;
    rows.push_back(detail::row_of_folding(gather, reductions.gather_fold));
    rows.back().make = [](const Machine& m, const Collective& c, const AlgorithmOptions& o) {
        return gathering_and_folding(rule(m, c, o));
    };
    return rows;
}

}  // namespace kport
