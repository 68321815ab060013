/// @file ring_per_dimension_rotated.cpp   All-to-all broadcast on tori through all ports: 2q tours at once.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/grid_boxes.hpp"
#include "algorithms/support/ring.hpp"
#include "algorithms/support/steps.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// All-to-all broadcast on a torus through all ports.
///
/// Machine   torus of q dimensions, equal sides > 2, store-and-forward or wormhole, all ports, full duplex ports and links,
///           combining
/// Gives     every node holds all packets
/// Costs     rounds q (side - 1), work N times the rounds times min(2 q, M), volume ceil(M / 2q) (N - 1) packets
/// Idea      Each block is cut into 2q parts; part m goes round the dimensions m, m+1, ... (modulo q), forth for m < q, back
///           else, all parts at once: in every round each part has a dimension and direction of its own.
/// Source    Sack, Gropp 2015
class RotatedRings final : public Steps {
  public:
    explicit RotatedRings(std::shared_ptr<const Topology> topology)
        : topology_(std::move(topology)), torus_(dynamic_cast<const Grid*>(topology_.get())),
          q_(static_cast<std::uint64_t>(torus_->dimensions())), turns_(torus_->side(0) - 1) {
        for (std::uint64_t first = 0; first < q_; ++first) {
            // Earlier dimensions have arbitrary coordinates, so they come last.
            std::vector<unsigned> order;
            for (std::uint64_t i = q_; i-- > 0;) order.push_back(static_cast<unsigned>((first + i) % q_));
            boxes_.emplace_back(*torus_, order);
        }
    }

    [[nodiscard]] std::uint64_t count() const override { return q_ * turns_; }
    [[nodiscard]] std::uint64_t parts() const override { return 2 * q_; }
    [[nodiscard]] std::uint64_t ways(std::uint64_t) const override { return 2 * q_; }
    [[nodiscard]] NodeId to(std::uint64_t step, std::uint64_t part, NodeId v) const override {
        return moved(v, dimension(step, part), part < q_ ? 1 : turns_);
    }
    [[nodiscard]] NodeId from(std::uint64_t step, std::uint64_t part, NodeId v) const override {
        return moved(v, dimension(step, part), part < q_ ? turns_ : 1);
    }
    [[nodiscard]] PacketBlocks cells(std::uint64_t step, std::uint64_t part, NodeId v) const override {
        const int d = dimension(step, part);
        const NodeId back = step % turns_;
        const NodeId side = turns_ + 1;
        const NodeId origin = (torus_->coordinate(v, d) + (part < q_ ? side - back : back)) % side;
        const PacketSet box = boxes_[part % q_].packets(v, q_ - 1 - step / turns_, origin, 1);
        PacketBlocks all;
        for (PacketBlock block : box.blocks()) {
            block.row = static_cast<std::uint32_t>(part);
            all.push_back(block);
        }
        return all;
    }

  private:
    [[nodiscard]] int dimension(std::uint64_t step, std::uint64_t part) const {
        return static_cast<int>((part + step / turns_) % q_);
    }
    [[nodiscard]] NodeId moved(NodeId v, int d, NodeId by) const {
        return torus_->with_coordinate(v, d, (torus_->coordinate(v, d) + by) % torus_->side(d));
    }

    std::shared_ptr<const Topology> topology_;
    const Grid* torus_;
    std::uint64_t q_;
    std::uint64_t turns_;           ///< steps along a dimension
    std::vector<GridBoxes> boxes_;  ///< by the first dimension of a tour
};

std::shared_ptr<const Steps> rotated_rings(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    return std::make_shared<const RotatedRings>(machine.topology);
}

std::optional<std::string> misfit_allgather_ring_per_dimension_rotated(const Machine& machine, const Collective&,
                                                                       const AlgorithmOptions& options) {
    const Grid* grid = as_grid(machine);
    const bool fits = grid != nullptr && grid->side(0) > 2 && has_equal_sides(*grid);
    return first_of({needs_torus(machine), unless(fits, "needs equal sides of 3 or more"), needs_all_ports(machine),
                     needs_full_duplex(machine), needs_full_links(machine), needs_combining(machine),
                     needs_table(machine), takes_no_options(options)});
}

ExpectedCost expect_allgather_ring_per_dimension_rotated(const Machine& machine, const Collective& collective,
                                                         const AlgorithmOptions&) {
    const Grid& torus = *as_grid(machine);
    const auto ways = 2 * static_cast<std::uint64_t>(torus.dimensions());
    const NodeId nodes = torus.nodes();
    const std::uint64_t m = collective.packets_each;
    const std::uint64_t rounds = ring_rounds(torus);
    const std::uint64_t parts = std::min(ways, m);  // non-empty parts
    const std::uint64_t largest = (m + ways - 1) / ways;
    return {rounds,
            nodes * rounds * parts,
            rounds,
            largest * (nodes - 1),
            {fmt::format("{} of each node's {} go round {} dimensions of side {}, both ways, at once: {}",
                         counted(ways, "part"), counted(m, "packet"), torus.dimensions(), torus.side(0),
                         counted(rounds, "round")),
             fmt::format("a message a node, round and part with packets, over one link: work {} * {} * {} = {}", nodes,
                         rounds, parts, nodes * rounds * parts),
             fmt::format("the largest part has {} of the {} packets: volume {} * {} = {}", largest, m, largest,
                         nodes - 1, counted(largest * (nodes - 1), "packet"))}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_allgather_ring_per_dimension_rotated() {
    return by_steps<rotated_rings, misfit_allgather_ring_per_dimension_rotated,
                    expect_allgather_ring_per_dimension_rotated>(
        {
            .operation = Operation::allgather,
            .name = "ring-per-dimension-rotated",
            .rule =
                "each block in 2q parts, part m round the dimensions m, m+1, ... (mod q), forth or back, all at once",
            .needs =
                "torus of equal sides > 2, SF or WH, all ports, full duplex ports and links, not pairwise, combining",
            .cost = "q (side - 1) rounds, volume ceil(M/2q) (N-1) packets",
            .source = "Sack, Gropp 2015",
            .misfit = misfit_allgather_ring_per_dimension_rotated,
            .make = gather_by<rotated_rings>,
            .expect = expect_allgather_ring_per_dimension_rotated,
            .with_many = WithMany::own,
        },
        {.allreduce = "ring-per-dimension-rotated"});
}

}  // namespace kport
