/// @file bruck.cpp   All-to-all broadcast on the complete graph by Bruck's algorithm (model.md section 10, item 5).
#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/complete.hpp"
#include "algorithms/support/steps.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// All-to-all broadcast on the complete graph.
///
/// Machine   complete graph of N nodes, any N, store-and-forward or wormhole, any k, full duplex ports, combining
/// Gives     every node holds all N packets
/// Costs     rounds ceil(log_{k+1} N); one port: work N ceil(log2 N), volume N - 1 packets
/// Idea      A node holds the packets of itself and the next nodes, modulo N, `block` of them. It sends the packets to the
///           node `block` numbers before it, which then holds twice as many; with k ports to k nodes, one block apart.
/// Source    Bruck, Ho, Kipnis, Upfal, Weathersby 1997; model.md section 10
class DoublingSteps final : public Steps {
  public:
    DoublingSteps(NodeId nodes, NodeId ports) : nodes_(nodes), ports_(ports) {
        for (NodeId block = 1; block < nodes; block *= ports + 1) blocks_.push_back(block);
    }

    [[nodiscard]] std::uint64_t count() const override { return blocks_.size(); }
    [[nodiscard]] std::uint64_t ways(std::uint64_t step) const override {
        return std::min(ports_, (nodes_ - 1) / blocks_[step]);
    }
    [[nodiscard]] NodeId to(std::uint64_t step, std::uint64_t way, NodeId v) const override {
        return (v + nodes_ - (way + 1) * blocks_[step]) % nodes_;
    }
    [[nodiscard]] NodeId from(std::uint64_t step, std::uint64_t way, NodeId v) const override {
        return (v + (way + 1) * blocks_[step]) % nodes_;
    }
    [[nodiscard]] PacketBlocks cells(std::uint64_t step, std::uint64_t way, NodeId v) const override {
        return blocks_around(v, 1, std::min(blocks_[step], nodes_ - (way + 1) * blocks_[step]), nodes_);
    }

  private:
    NodeId nodes_;
    NodeId ports_;
    std::vector<NodeId> blocks_;
};

std::shared_ptr<const Steps> doubling_steps(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    return std::make_shared<const DoublingSteps>(machine.topology->nodes(), machine.widest());
}

std::optional<std::string> misfit_allgather_bruck(const Machine& machine, const Collective&,
                                                  const AlgorithmOptions& options) {
    return first_of({needs_complete(machine), needs_full_duplex(machine), needs_partners(machine),
                     needs_links_for_steps(machine), needs_combining(machine), needs_table(machine),
                     takes_no_options(options)});
}

ExpectedCost expect_allgather_bruck(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t ports = machine.widest();
    std::uint64_t rounds = 0;
    std::uint64_t sends = 0;  // a node's sends
    std::uint64_t volume = 0;
    for (NodeId block = 1; block < nodes; block *= ports + 1, ++rounds) {
        sends += std::min(ports, (nodes - 1) / block);
        volume += std::min(block, nodes - block);
    }
    return {rounds,
            nodes * sends,
            rounds,
            volume,
            {fmt::format("each round multiplies a node's packets by up to {}: ceil(log{} {}) = {}", ports + 1,
                         ports + 1, nodes, counted(rounds, "round")),
             fmt::format("{} message{} a node in all, each over one link: work {} * {} = {}", sends,
                         sends == 1 ? "" : "s", nodes, sends, nodes * sends),
             fmt::format("the bundles grow by a factor of {}, the last has the remaining packets: volume {}", ports + 1,
                         counted(volume, "packet"))}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_allgather_bruck() {
    return by_steps<doubling_steps, misfit_allgather_bruck, expect_allgather_bruck>(
        {
            .operation = Operation::allgather,
            .name = "bruck",
            .rule = "each node sends all its packets to the node 1, 2, 4, ... numbers before it",
            .needs = "complete graph, any N, SF or WH, any k, full duplex, not pairwise, combining",
            .cost = "ceil(log_{k+1} N) rounds; one port: work N L(N), volume N-1 packets",
            .source = "Bruck, Ho, Kipnis, Upfal, Weathersby 1997; model section 10",
            .misfit = misfit_allgather_bruck,
            .make = gather_by<doubling_steps>,
            .expect = expect_allgather_bruck,
        },
        {.allreduce = "bruck", .gather_fold = "gather-fold"});
}

}  // namespace kport
