/// @file ring.cpp   All-to-all broadcast around a ring, or a cycle through all nodes, one way and both ways (model.md section 7).
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/ring.hpp"
#include "algorithms/support/steps.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/node/exchange.hpp"
#include "emulator/topology/hamiltonian_cycle.hpp"

namespace kport {

namespace {

/// All-to-all broadcast around a ring.
///
/// Machine   ring, or a graph with a cycle through all nodes (HamiltonianCycle), store-and-forward or wormhole, any k, full
///           duplex ports, combining or not
/// Gives     every node holds all N packets
/// Costs     rounds N - 1, work N (N - 1), path sum N - 1, volume N - 1 packets
/// Idea      Every node sends its own packet to the next node, then always the packet that came last.
/// Source    Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, ch. 4.2.1, 2.7.1; model.md section 7
class RingSteps : public Steps {
  public:
    explicit RingSteps(HamiltonianCycle cycle) : nodes_(cycle.nodes()), cycle_(std::move(cycle)) {}

    [[nodiscard]] std::uint64_t count() const override { return nodes_ - 1; }
    [[nodiscard]] NodeId to(std::uint64_t, std::uint64_t, NodeId v) const override { return after(v, 1); }
    [[nodiscard]] NodeId from(std::uint64_t, std::uint64_t, NodeId v) const override { return before(v, 1); }
    [[nodiscard]] PacketBlocks cells(std::uint64_t step, std::uint64_t, NodeId v) const override {
        return {some_blocks(before(v, step), 1, 1)};
    }
    [[nodiscard]] bool moves_each_block_alone() const override { return true; }
    [[nodiscard]] std::optional<std::vector<std::uint64_t>> steps_with(NodeId v, NodeId block) const override {
        std::vector<std::uint64_t> steps;
        add_steps(steps, way(block, v), count());
        return steps;
    }

  protected:
    /// Of a block whose node is so many steps up the stream, of one that ends after `most`: in which it comes, and goes on.
    void add_steps(std::vector<std::uint64_t>& steps, NodeId away, std::uint64_t most) const {
        for (const std::uint64_t step : {around(away + nodes_ - 1), away})
            if (step < most) steps.push_back(step);
    }
    /// The node so many steps down the stream, fewer than N, or up.
    [[nodiscard]] NodeId after(NodeId v, NodeId steps) const { return cycle_.at(around(cycle_.position(v) + steps)); }
    [[nodiscard]] NodeId before(NodeId v, NodeId steps) const { return after(v, nodes_ - steps); }
    /// The steps down the stream from one node to another.
    [[nodiscard]] NodeId way(NodeId from, NodeId to) const {
        return around(cycle_.position(to) + nodes_ - cycle_.position(from));
    }

    NodeId nodes_;

  private:
    /// x modulo N, of x up to 2 N - 1: a division takes long.
    [[nodiscard]] NodeId around(NodeId x) const { return x < nodes_ ? x : x - nodes_; }

    HamiltonianCycle cycle_;
};

/// All-to-all broadcast around a ring, two streams at once.
///
/// Machine   as before, two ports, full duplex
/// Gives     every node holds all N packets
/// Costs     rounds f = floor(N / 2), work N (N - 1), path sum f, volume f packets
/// Idea      Every packet goes forward to the nodes at most N / 2 away and backward to the others.
/// Source    model.md section 7
class TwoStreams final : public RingSteps {
  public:
    using RingSteps::RingSteps;

    [[nodiscard]] std::uint64_t count() const override { return nodes_ / 2; }
    /// Backward there are fewer where N is even.
    [[nodiscard]] std::uint64_t ways(std::uint64_t step) const override { return step < (nodes_ - 1) / 2 ? 2 : 1; }
    [[nodiscard]] NodeId to(std::uint64_t step, std::uint64_t way, NodeId v) const override {
        return way == 0 ? RingSteps::to(step, way, v) : RingSteps::from(step, way, v);
    }
    [[nodiscard]] NodeId from(std::uint64_t step, std::uint64_t way, NodeId v) const override {
        return way == 0 ? RingSteps::from(step, way, v) : RingSteps::to(step, way, v);
    }
    [[nodiscard]] PacketBlocks cells(std::uint64_t step, std::uint64_t way, NodeId v) const override {
        return way == 0 ? RingSteps::cells(step, way, v) : PacketBlocks{some_blocks(after(v, step), 1, 1)};
    }
    [[nodiscard]] std::optional<std::vector<std::uint64_t>> steps_with(NodeId v, NodeId block) const override {
        std::vector<std::uint64_t> steps;
        add_steps(steps, way(block, v), nodes_ / 2);
        add_steps(steps, way(v, block), (nodes_ - 1) / 2);
        return steps;
    }
};

/// The one way around the ring of the reduce-scatter, and then of the allgather, of a vector that has a segment for each node.
class RingRelay final : public SegmentRelay {
  public:
    RingRelay(const Grid& ring, bool gathers) : backward_(ring, 0, 0, Direction::backward), gathers_(gathers) {}

    [[nodiscard]] unsigned folding_steps() const override { return static_cast<unsigned>(backward_.size() - 1); }
    [[nodiscard]] unsigned steps() const override { return gathers_ ? 2 * folding_steps() : folding_steps(); }
    [[nodiscard]] Ports ports(unsigned step) const override {
        const Ports backward{backward_.out(), backward_.in()};
        return step < folding_steps() ? backward : Ports{backward.in, backward.out};
    }
    /// Which is the next node's.
    [[nodiscard]] std::uint32_t first_segment(NodeId v) const override {
        return static_cast<std::uint32_t>(v + 1 == backward_.size() ? 0 : v + 1);
    }

  private:
    RingWay backward_;
    bool gathers_;
};

template <class Rule>
std::shared_ptr<const Steps> ring_steps(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    return std::make_shared<const Rule>(*HamiltonianCycle::of(*machine.topology));
}

/// Whether a relay does it: of a segment for each node, on a ring.
bool goes_by_relay(const Machine& machine, const Collective& collective) {
    const NodeId nodes = machine.topology->nodes();
    return !needs_ring(machine) && collective.segments(nodes) == nodes;
}

template <bool gathers>
Start reduce_around(const Machine& machine, const Collective& collective, const AlgorithmOptions& options) {
    if (goes_by_relay(machine, collective))
        return {PlanProgram(std::make_shared<const RingRelay>(*as_grid(machine), gathers)), {}, true};
    const auto steps = repeated<ring_steps<RingSteps>>(machine, collective, options);
    return gathers ? scattering_and_gathering(steps) : scattering(steps);
}

std::optional<std::string> needs_cycle(const Machine& machine) {
    return unless(
        HamiltonianCycle::of(*machine.topology).has_value(),
        "needs a ring, complete graph, hypercube or torus, or a mesh of an even number of nodes that is no line");
}
/// Each node sends to the next and receives from the one before it, which are one where there are two nodes.
std::optional<std::string> needs_way_along(const Machine& machine) {
    return machine.topology->nodes() == 2 ? needs_full_links(machine) : needs_partners(machine);
}

std::optional<std::string> misfit_allgather_ring(const Machine& machine, const Collective&,
                                                 const AlgorithmOptions& options) {
    return first_of({needs_cycle(machine), needs_send_beside_receive(machine), needs_way_along(machine),
                     needs_table(machine), takes_no_options(options)});
}

std::optional<std::string> misfit_allgather_ring_both_ways(const Machine& machine, const Collective&,
                                                           const AlgorithmOptions& options) {
    return first_of({needs_cycle(machine), needs_partners(machine), needs_two_ports(machine),
                     needs_full_duplex(machine), needs_full_links(machine), needs_table(machine),
                     takes_no_options(options)});
}

ExpectedCost expect_allgather_ring(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t others = nodes - 1;
    return {others,
            nodes * others,
            others,
            others,
            {fmt::format("the farthest of the {} others is {} forward: {}", others, counted(others, "step"),
                         counted(others, "round")),
             fmt::format("in each of them every node sends over one link: work {} * {} = {}", nodes, others,
                         nodes * others),
             fmt::format("every message is one packet: volume {}, Kumar's (t_s + t_w m)(p - 1)",
                         counted(others, "packet"))}};
}

ExpectedCost expect_allgather_ring_both_ways(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t forward = nodes / 2;
    const std::uint64_t backward = nodes - 1 - forward;
    return {forward,
            nodes * (nodes - 1),
            forward,
            forward,
            {fmt::format("{} forward and {} backward at the same time: floor({} / 2) = {}", counted(forward, "node"),
                         backward, nodes, counted(forward, "round")),
             fmt::format("every packet reaches each of {} others in a message over one link: work {} * {} = {}",
                         nodes - 1, nodes, nodes - 1, nodes * (nodes - 1)),
             fmt::format("every message is one packet: volume {}", counted(forward, "packet"))}};
}

}  // namespace

std::vector<Algorithm> algorithms_in_allgather_ring() {
    std::vector<Algorithm> rows = by_steps<repeated<ring_steps<TwoStreams>>, misfit_allgather_ring_both_ways,
                                           repeated_cost<expect_allgather_ring_both_ways>>(
        {
            .operation = Operation::allgather,
            .name = "ring-bidirectional",
            .rule = "two streams at once, to the nodes at most N/2 away forward, to the others backward",
            .needs =
                "a cycle through all nodes (as ring), SF or WH, two ports, full duplex ports and links, not pairwise, "
                "combining or not",
            .cost = "floor(N/2) rounds, work N(N-1), volume floor(N/2) packets; without combining M times over",
            .source = "model section 7",
            .misfit = misfit_allgather_ring_both_ways,
            .make = gather_by<repeated<ring_steps<TwoStreams>>>,
            .expect = expect_allgather_ring_both_ways,
            .with_many = WithMany::repeated,
            .single_links = true,
            .single_packets = true,
        },
        {.allreduce = "ring-bidirectional"});
    std::vector<Algorithm> one_way = by_steps<repeated<ring_steps<RingSteps>>, misfit_allgather_ring,
                                              repeated_cost<expect_allgather_ring>>(
        {
            .operation = Operation::allgather,
            .name = "ring",
            .rule = "every node passes the packet that came last on to the next",
            .needs =
                "ring, complete graph, hypercube, torus, mesh (no line) of even N; SF or WH, any k, full duplex or two "
                "ports, not pairwise, combining or not",
            .cost = "N-1 rounds, work N(N-1), volume N-1 packets; without combining M times over",
            .source = "Kumar et al. ch. 4.2.1; model section 7",
            .misfit = misfit_allgather_ring,
            .make = gather_by<repeated<ring_steps<RingSteps>>>,
            .expect = expect_allgather_ring,
            .with_many = WithMany::repeated,
            .single_links = true,
            .single_packets = true,
        },
        {.allreduce = "ring"});
    one_way[1].make = reduce_around<false>;
    one_way[2].make = reduce_around<true>;
    rows.insert(rows.end(), one_way.begin(), one_way.end());
    return rows;
}

}  // namespace kport
