/// @file ring_per_dimension.cpp   All-to-all broadcast on tori: a ring per dimension (model.md section 7).
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/ring.hpp"
#include "algorithms/support/steps.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// All-to-all broadcast on a torus, one dimension after the other.
///
/// Machine   torus, ring, store-and-forward or wormhole, any k, full duplex ports or two, combining
/// Gives     every node holds all N packets
/// Costs     rounds and path sum sum (n_i - 1), work N sum (n_i - 1), volume N - 1 packets
/// Idea      Along each dimension all packets of a node go around its ring as one bundle: send it to the next node, then
///           always the bundle that came last. The last dimension comes first, so bundles are runs of node numbers.
/// Source    Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, ch. 4.2.2; model.md section 7
class RingsInTurn final : public Steps {
  public:
    explicit RingsInTurn(std::shared_ptr<const Topology> topology)
        : topology_(std::move(topology)), torus_(dynamic_cast<const Grid*>(topology_.get())) {
        NodeId run = 1;  // nodes that differ in later dimensions only
        for (int d = torus_->dimensions(); d-- > 0; run *= torus_->side(d))
            for (NodeId back = 0; back + 1 < torus_->side(d); ++back) turns_.push_back({d, back, run});
    }

    [[nodiscard]] std::uint64_t count() const override { return turns_.size(); }
    [[nodiscard]] NodeId to(std::uint64_t step, std::uint64_t, NodeId v) const override {
        return moved(v, turns_[step].dimension, 1);
    }
    [[nodiscard]] NodeId from(std::uint64_t step, std::uint64_t, NodeId v) const override {
        return moved(v, turns_[step].dimension, torus_->side(turns_[step].dimension) - 1);
    }
    [[nodiscard]] PacketBlocks cells(std::uint64_t step, std::uint64_t, NodeId v) const override {
        const Turn& turn = turns_[step];
        const NodeId origin = moved(v, turn.dimension, torus_->side(turn.dimension) - turn.back);
        return {some_blocks(origin / turn.run * turn.run, 1, turn.run)};
    }
    /// Returns the steps in which a block comes and is forwarded along a dimension, if its node differs from v only in
    /// this and later dimensions.
    [[nodiscard]] std::optional<std::vector<std::uint64_t>> steps_with(NodeId v, NodeId block) const override {
        std::vector<std::uint64_t> steps;
        NodeId run = 1;
        std::uint64_t begin = 0;
        for (int d = torus_->dimensions(); d-- > 0; run *= torus_->side(d)) {
            const NodeId side = torus_->side(d);
            const NodeId away = (torus_->coordinate(v, d) + side - torus_->coordinate(block, d)) % side;
            if (v / (run * side) == block / (run * side))
                for (const NodeId back : {(away + side - 1) % side, away})
                    if (back + 1 < side) steps.push_back(begin + back);
            begin += side - 1;
        }
        return steps;
    }

  private:
    /// Bundles that are forwarded along a dimension; `back` steps ago they started. Each is of a run of nodes.
    struct Turn {
        int dimension;
        NodeId back;
        NodeId run;
    };
    [[nodiscard]] NodeId moved(NodeId v, int d, NodeId by) const {
        return torus_->with_coordinate(v, d, (torus_->coordinate(v, d) + by) % torus_->side(d));
    }

    std::shared_ptr<const Topology> topology_;
    const Grid* torus_;
    std::vector<Turn> turns_;
};

std::shared_ptr<const Steps> rings_in_turn(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    return std::make_shared<const RingsInTurn>(machine.topology);
}

std::optional<std::string> misfit_allgather_ring_per_dimension(const Machine& machine, const Collective&,
                                                               const AlgorithmOptions& options) {
    return first_of({needs_torus(machine), needs_send_beside_receive(machine), needs_way_around(machine),
                     needs_combining(machine), needs_table(machine), takes_no_options(options)});
}

ExpectedCost expect_allgather_ring_per_dimension(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const Grid& torus = *as_grid(machine);
    const NodeId nodes = torus.nodes();
    ExpectedCost cost;
    std::uint64_t bundle = 1;
    for (int d = torus.dimensions(); d-- > 0;) {
        const NodeId side = torus.side(d);
        cost.derivation.push_back(fmt::format("dimension {}, rings of {}: {}, bundles of {} packet{}", d, side,
                                              counted(side - 1, "round"), bundle, bundle == 1 ? "" : "s"));
        bundle *= side;
    }
    const std::uint64_t rounds = ring_rounds(torus);
    cost.rounds = cost.path_sum = rounds;
    cost.work = nodes * rounds;
    cost.volume = nodes - 1;
    cost.derivation.push_back(fmt::format("one message a node and round, over one link: {}, work {} * {} = {}",
                                          counted(rounds, "round"), nodes, rounds, *cost.work));
    cost.derivation.push_back(
        fmt::format("every node receives {} of others, each once, as many as all others in every round: "
                    "volume {}; Kumar's 2 t_s (sqrt p - 1) + t_w m (p - 1) on a square",
                    counted(nodes - 1, "packet"), counted(nodes - 1, "packet")));
    return cost;
}

}  // namespace

std::vector<Algorithm> algorithms_in_allgather_ring_per_dimension() {
    return by_steps<rings_in_turn, misfit_allgather_ring_per_dimension, expect_allgather_ring_per_dimension>(
        {
            .operation = Operation::allgather,
            .name = "ring-per-dimension",
            .rule = "each node sends all its packets around the ring of each dimension in turn",
            .needs = "torus, ring, SF or WH, any k, full duplex or two ports, not pairwise, combining",
            .cost = "sum of n_i - 1 rounds, work N times the rounds, volume N-1 packets",
            .source = "Kumar et al. ch. 4.2.2; model section 7",
            .misfit = misfit_allgather_ring_per_dimension,
            .make = gather_by<rings_in_turn>,
            .expect = expect_allgather_ring_per_dimension,
        },
        {.allreduce = "ring-per-dimension"});
}

}  // namespace kport
