/// @file swing.cpp   All-to-all broadcast on the complete graph between partners that swing from side to side.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/complete.hpp"
#include "algorithms/support/segment.hpp"
#include "algorithms/support/steps.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// All-to-all broadcast on the complete graph.
///
/// Machine   complete graph of N nodes, N even, store-and-forward or wormhole, any k, full duplex ports or two, full duplex
///           links, combining
/// Gives     every node holds all N packets
/// Costs     rounds L(N), work at most N L(N), volume N - 1 packets
/// Idea      In step i = L-1, ..., 0 an even node v and v + rho_i exchange what the other lacks, rho_i = (1 - (-2)^(i+1)) / 3:
///           1, -1, 3, -5, 11, ... What node v holds is v + x for some offsets x, if v is odd v - x for the same.
/// Source    De Sensi, Bonato, Saam, Hoefler 2024, Swing, arXiv 2401.09356
class SwingSteps final : public Steps {
  public:
    explicit SwingSteps(NodeId nodes) : nodes_(nodes) {
        std::vector<bool> held(nodes);
        held[0] = true;
        for (unsigned i = ceil_log2(nodes); i-- > 0;) {
            const NodeId rho = swing(i);
            std::vector<NodeId> lacked;  // blocks that the partner lacks; it holds rho - x for each x
            for (NodeId x = 0; x < nodes; ++x)
                if (held[x] && !held[(rho + nodes - x) % nodes]) lacked.push_back(x);
            for (const NodeId x : lacked) held[(rho + nodes - x) % nodes] = true;
            swings_.push_back({rho, as_progressions(lacked)});
        }
    }

    [[nodiscard]] std::uint64_t count() const override { return swings_.size(); }
    [[nodiscard]] NodeId to(std::uint64_t step, std::uint64_t, NodeId v) const override {
        return at(v, swings_[step].rho);
    }
    [[nodiscard]] NodeId from(std::uint64_t step, std::uint64_t way, NodeId v) const override {
        return to(step, way, v);
    }
    [[nodiscard]] PacketBlocks cells(std::uint64_t step, std::uint64_t, NodeId v) const override {
        PacketBlocks all;
        for (const PacketBlock& offsets : swings_[step].offsets) {
            const NodeId first = at(v, v % 2 == 0 ? offsets.first : offsets.columns().last());
            for (const PacketBlock& block : blocks_around(first, offsets.stride, offsets.count, nodes_))
                all.push_back(block);
        }
        return all;
    }
    [[nodiscard]] std::uint64_t sent_by_a_node() const {
        return static_cast<std::uint64_t>(
            std::ranges::count_if(swings_, [](const Swing& swing) { return !swing.offsets.empty(); }));
    }

  private:
    struct Swing {
        NodeId rho;            ///< modulo N
        PacketBlocks offsets;  ///< what an even node sends
    };
    /// Returns rho_i modulo N: a sum of powers of 2 with alternating signs.
    [[nodiscard]] NodeId swing(unsigned i) const {
        std::int64_t rho = 1;
        for (unsigned j = 0, sign = 0; j < i; ++j, sign ^= 1)
            rho += (sign == 0 ? -2 : 2) * static_cast<std::int64_t>(std::uint64_t{1} << j);
        const auto n = static_cast<std::int64_t>(nodes_);
        return static_cast<NodeId>((rho % n + n) % n);
    }
    [[nodiscard]] NodeId at(NodeId v, NodeId offset) const {
        return v % 2 == 0 ? (v + offset) % nodes_ : (v + nodes_ - offset) % nodes_;
    }

    NodeId nodes_;
    std::vector<Swing> swings_;
};

std::shared_ptr<const Steps> swing_steps(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    return std::make_shared<const SwingSteps>(machine.topology->nodes());
}

std::optional<std::string> misfit_allgather_swing(const Machine& machine, const Collective&,
                                                  const AlgorithmOptions& options) {
    return first_of({needs_complete(machine),
                     unless(machine.topology->nodes() % 2 == 0, "needs an even number of nodes"),
                     needs_send_beside_receive(machine), needs_full_links(machine), needs_combining(machine),
                     needs_table(machine), takes_no_options(options)});
}

ExpectedCost expect_allgather_swing(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const SwingSteps steps(nodes);
    const std::uint64_t rounds = steps.count();
    const std::uint64_t work = nodes * steps.sent_by_a_node();
    return {rounds,
            work,
            rounds,
            nodes - 1,
            {fmt::format("in each of ceil(log2 {}) = {} partners exchange what the other lacks: {}, work {}", nodes,
                         counted(rounds, "step"), counted(rounds, "round"), work),
             fmt::format("every node receives {} of others, each once, as many as all in a round: volume {}",
                         counted(nodes - 1, "block"), counted(nodes - 1, "packet"))}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_allgather_swing() {
    return by_steps<swing_steps, misfit_allgather_swing, expect_allgather_swing>(
        {
            .operation = Operation::allgather,
            .name = "swing",
            .rule = "even nodes exchange with the nodes ..., -5, 3, -1, 1 numbers on, each what the other lacks",
            .needs = "complete graph, N even, SF or WH, any k, full duplex or two ports, full duplex links, combining",
            .cost = "L(N) rounds, work N L(N), volume N-1 packets",
            .source = "De Sensi et al. 2024 (arXiv 2401.09356)",
            .misfit = misfit_allgather_swing,
            .make = gather_by<swing_steps>,
            .expect = expect_allgather_swing,
            .table_bytes_per_node = 32,
        },
        {.allreduce = "swing"});
}

}  // namespace kport
