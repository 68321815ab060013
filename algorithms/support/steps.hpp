/// @file steps.hpp   Allgathers given by steps; and what they become: read backwards reduce-scatters, both together allreduces.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/complete.hpp"

namespace kport {

/// The rule of an allgather, which every node follows by itself: step i is round i, and says which blocks go where. Block b is
/// all that node b has; a rule may cut each into parts and move these by different ways. A cell is part p of block b: row p and
/// column b of a PacketBlock.
///
/// Callers   any thread, after construction.
class Steps {
  public:
    Steps() = default;
    Steps(const Steps&) = delete;
    Steps& operator=(const Steps&) = delete;
    virtual ~Steps() = default;

    [[nodiscard]] virtual std::uint64_t count() const = 0;
    /// Into how many parts each block is cut.
    [[nodiscard]] virtual std::uint64_t parts() const { return 1; }
    /// How many messages a node may send in a step, and receive.
    [[nodiscard]] virtual std::uint64_t ways(std::uint64_t) const { return 1; }
    /// To whom node v sends in a step on a way, and from whom it receives on the same; no_node: to nobody.
    [[nodiscard]] virtual NodeId to(std::uint64_t step, std::uint64_t way, NodeId v) const = 0;
    [[nodiscard]] virtual NodeId from(std::uint64_t step, std::uint64_t way, NodeId v) const = 0;
    /// What node v sends; nothing where it is silent.
    [[nodiscard]] virtual PacketBlocks cells(std::uint64_t step, std::uint64_t way, NodeId v) const = 0;

    /// Whether a step that moves a part of a block moves that part of every block, each in a message of its own.
    [[nodiscard]] virtual bool moves_each_block_alone() const { return false; }

    /// Steps, in any order, among which are all in which node v sends or receives a block; nothing where the rule does not tell without
    /// a look at every step. Of a short vector most blocks are empty, and so are most steps round a long ring.
    [[nodiscard]] virtual std::optional<std::vector<std::uint64_t>> steps_with(NodeId, NodeId) const {
        return std::nullopt;
    }
};

/// The blocks first, first + stride, ..., count of them, which are not cut; or part p of each.
[[nodiscard]] inline PacketBlock some_blocks(NodeId first, NodeId stride, NodeId count, std::uint64_t part = 0) {
    return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count == 1 ? 1 : stride),
            static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(part)};
}
/// The same modulo the number of nodes (around()).
[[nodiscard]] inline PacketBlocks blocks_around(NodeId first, NodeId stride, NodeId count, NodeId nodes) {
    PacketBlocks blocks;
    for (const Progression& part : around(first, stride, count, nodes)) blocks.push_back(block_of({}, part));
    return blocks;
}

/// Ascending numbers of blocks as progressions: each time the longest that begins with the first one left and one of the next
/// few.
[[nodiscard]] PacketBlocks as_progressions(std::vector<NodeId> numbers);

/// Part b of n numbers that are cut into nearly equal parts: from floor(b n / parts) on. b and n below 2^32.
[[nodiscard]] constexpr std::uint64_t cut_at(std::uint64_t b, std::uint64_t n, std::uint64_t parts) {
    return b * n / parts;
}

/// The packets of some cells, in an allgather of M packets a node.
[[nodiscard]] PacketSet packets_of_cells(const Steps& steps, const PacketBlocks& cells, std::uint64_t m);
/// The segments of some cells, as columns of row 0: of a reduce-scatter, whose blocks have M segments each; of an allreduce, whose
/// vector of M segments is cut into the parts first, and each part into N blocks.
[[nodiscard]] PacketSet segments_of_cells(const Steps& steps, const PacketBlocks& cells, const Collective& collective,
                                          NodeId nodes);

/// Node programs that follow the rule.
[[nodiscard]] Start gathering(std::shared_ptr<const Steps> steps);
[[nodiscard]] Start scattering(std::shared_ptr<const Steps> steps);
[[nodiscard]] Start scattering_and_gathering(std::shared_ptr<const Steps> steps);

/// What an allreduce by these steps costs; `gather`: what the allgather of one packet a node costs.
[[nodiscard]] ExpectedCost cost_of_allreduce(const Steps& steps, const ExpectedCost& gather,
                                             const Collective& collective, NodeId nodes);

/// Into how many parts blocks are cut so that a message of a block is one packet, or segment, where machines do not
/// combine; 1 where they do. Of the vector of an allreduce a part has N segments at most.
[[nodiscard]] std::uint64_t single_parts(const Machine& machine, const Collective& collective);
/// The steps once for each part of the blocks, one part after the other: M times over, if a part is a packet. The rule cuts no blocks.
[[nodiscard]] std::shared_ptr<const Steps> part_by_part(std::shared_ptr<const Steps> steps, std::uint64_t parts);

using StepsOf = std::shared_ptr<const Steps> (*)(const Machine&, const Collective&, const AlgorithmOptions&);

/// Further names and rules of what a row of the allgathers becomes.
struct Reductions {
    std::string_view allreduce;  ///< its name; empty: there is none
    InOrder in_order = {};
};

namespace detail {
[[nodiscard]] std::vector<Algorithm> rows_of_steps(const Algorithm& gather, const Reductions& reductions);
/// Without combining a block of the vector has one segment at most.
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

/// A rule of single packets, and its cost, where machines do not combine: part by part.
template <StepsOf rule>
[[nodiscard]] std::shared_ptr<const Steps> repeated(const Machine& m, const Collective& c, const AlgorithmOptions& o) {
    return part_by_part(rule(m, c, o), single_parts(m, c));
}
template <Cost cost>
[[nodiscard]] ExpectedCost repeated_cost(const Machine& m, const Collective& c, const AlgorithmOptions& o) {
    return times_over(cost(m, c, o), m.combining ? 1 : c.packets_each);
}

/// Three rows: the allgather, and the reduce-scatter and the allreduce that follow the same steps. `rule`: their steps;
/// `misfit`, `cost`: of the allgather.
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
    return rows;
}

}  // namespace kport
