/// @file pat.cpp   Parallel aggregated trees: all-to-all broadcast on the complete graph, the far steps first.
#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/complete.hpp"
#include "algorithms/support/segment.hpp"
#include "algorithms/support/steps.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// Returns A, the most blocks in a message: --aggregate, by default 2^(L-1).
NodeId aggregate_of(NodeId nodes, const AlgorithmOptions& options) {
    const NodeId full = nodes < 2 ? 1 : NodeId{1} << (ceil_log2(nodes) - 1);
    return options.aggregate.value_or(full);
}

/// All-to-all broadcast on the complete graph.
///
/// Machine   complete graph of N nodes, any N, store-and-forward or wormhole, any k, full duplex ports and links, combining
/// Gives     every node holds all N packets
/// Costs     A = 2^a blocks in a message at most, 2^L nodes rounded up, D = 2^L / A: rounds a + D - 1, volume N - 1 packets
/// Idea      Block b reaches b + x from b + x - low(x), low(x) the lowest set bit: a binomial tree, the same for every block.
///           First, from the far steps on, the x that are multiples of D, in log A rounds; then in round y the A numbers
///           x = i D + y. All x of a round have the same low(x), so a node sends one message.
/// Source    Jeaugey 2025, arXiv 2506.20252
class AggregatedTrees final : public Steps {
  public:
    AggregatedTrees(NodeId nodes, NodeId aggregate) : nodes_(nodes) {
        const NodeId all = NodeId{1} << ceil_log2(nodes);
        const NodeId apart = all / aggregate;
        for (NodeId c = aggregate / 2; c >= 1; c /= 2) add(c * apart, 2 * c * apart, all);
        for (NodeId y = 1; y < apart; ++y) add(y, apart, all);
    }

    [[nodiscard]] std::uint64_t count() const override { return groups_.size(); }
    [[nodiscard]] NodeId to(std::uint64_t step, std::uint64_t, NodeId v) const override {
        return (v + low(step)) % nodes_;
    }
    [[nodiscard]] NodeId from(std::uint64_t step, std::uint64_t, NodeId v) const override {
        return (v + nodes_ - low(step)) % nodes_;
    }
    [[nodiscard]] PacketBlocks cells(std::uint64_t step, std::uint64_t, NodeId v) const override {
        const Group& group = groups_[step];
        const NodeId last = group.first + (group.count - 1) * group.stride;
        return blocks_around((v + low(step) + nodes_ - last) % nodes_, group.stride, group.count, nodes_);
    }

  private:
    /// The set of x of a round.
    struct Group {
        NodeId first;
        NodeId stride;
        NodeId count;
    };
    void add(NodeId first, NodeId stride, NodeId all) {
        const NodeId end = std::min(all, nodes_);
        if (first < end) groups_.push_back({first, stride, (end - first + stride - 1) / stride});
    }
    [[nodiscard]] NodeId low(std::uint64_t step) const { return NodeId{1} << std::countr_zero(groups_[step].first); }

    NodeId nodes_;
    std::vector<Group> groups_;
};

std::shared_ptr<const Steps> aggregated_trees(const Machine& machine, const Collective&,
                                              const AlgorithmOptions& options) {
    const NodeId nodes = machine.topology->nodes();
    return std::make_shared<const AggregatedTrees>(nodes, aggregate_of(nodes, options));
}

std::optional<std::string> misfit_allgather_pat(const Machine& machine, const Collective&,
                                                const AlgorithmOptions& options) {
    if (auto why = first_of({needs_complete(machine), needs_full_duplex(machine), needs_partners(machine),
                             needs_full_links(machine), needs_combining(machine), needs_table(machine),
                             takes_no_options(options, "aggregate")}))
        return why;
    const NodeId most = aggregate_of(machine.topology->nodes(), {});
    const NodeId asked = options.aggregate.value_or(most);
    if (std::has_single_bit(asked) && asked <= most) return std::nullopt;
    return fmt::format("needs --aggregate of a power of two up to {}", most);
}

ExpectedCost expect_allgather_pat(const Machine& machine, const Collective&, const AlgorithmOptions& options) {
    const NodeId nodes = machine.topology->nodes();
    const NodeId aggregate = aggregate_of(nodes, options);
    const std::uint64_t rounds = AggregatedTrees(nodes, aggregate).count();
    return {
        rounds,
        nodes * rounds,
        rounds,
        nodes - 1,
        {fmt::format("at most {} blocks a message, 2^{} / {} = {} apart: {}", aggregate, ceil_log2(nodes), aggregate,
                     (NodeId{1} << ceil_log2(nodes)) / aggregate, counted(rounds, "round")),
         fmt::format("one message a node and round, over one link: work {} * {} = {}", nodes, rounds, nodes * rounds),
         fmt::format("every node receives {} of others, each once, as many as all in a round: volume {}",
                     counted(nodes - 1, "block"), counted(nodes - 1, "packet"))}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_allgather_pat() {
    return by_steps<aggregated_trees, misfit_allgather_pat, expect_allgather_pat>(
        {
            .operation = Operation::allgather,
            .name = "pat",
            .rule = "binomial trees of all blocks at once, the far steps first; --aggregate A blocks a message at most",
            .needs = "complete graph, any N, SF or WH, any k, full duplex ports and links, not pairwise, combining",
            .cost = "A = 2^a, D = 2^L(N) / A: a + D - 1 rounds; A = 1: N-1; volume N-1 packets",
            .source = "Jeaugey 2025 (arXiv 2506.20252); NCCL",
            .misfit = misfit_allgather_pat,
            .make = gather_by<aggregated_trees>,
            .expect = expect_allgather_pat,
            .takes = "aggregate",
        },
        {.allreduce = "pat"});
}

}  // namespace kport
