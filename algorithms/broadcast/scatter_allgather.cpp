/// @file scatter_allgather.cpp   Broadcast of M packets as a scatter of blocks and an allgather (model.md section 13.2).
#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/complete.hpp"
#include "algorithms/support/disjoint_trees.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/grid_boxes.hpp"
#include "algorithms/support/line_product.hpp"
#include "algorithms/support/ring.hpp"
#include "algorithms/support/segment.hpp"
#include "algorithms/support/timetable.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// Positions, as the columns of row 0.
using Positions = PacketSet;

/// A message of the scatter.
struct Dispatch {
    Round not_before;
    NodeId to;
    std::vector<Port> route;  ///< empty: the topology's own
    Positions blocks;
};
/// The sends and receives of a node in a round of the allgather.
struct Exchange {
    NodeId to;
    NodeId from;
    Positions blocks;  ///< including what the receiver has from the scatter
};

/// How the blocks, one for each position, are scattered on a machine and collected again.
class Blocks {
  public:
    Blocks(NodeId nodes, const Collective& collective)
        : nodes_(nodes), source_(collective.root), m_(collective.packets_each) {}
    virtual ~Blocks() = default;

    [[nodiscard]] virtual std::vector<Dispatch> dispatches(NodeId v) const = 0;
    /// Returns the node from which a node that is not the source gets its blocks in the scatter.
    [[nodiscard]] virtual NodeId scatterer(NodeId v) const = 0;
    /// Returns the blocks that a node has after the scatter.
    [[nodiscard]] virtual Positions scattered(NodeId v) const = 0;
    [[nodiscard]] virtual Round scatter_rounds() const = 0;
    [[nodiscard]] virtual Round gather_rounds() const = 0;
    /// Returns the exchange in round i of the allgather, from 0.
    [[nodiscard]] virtual Exchange exchange(NodeId v, Round i) const = 0;

    /// Returns what a node sends in round i of the allgather, without what its receiver has.
    [[nodiscard]] PacketSet sent(NodeId v, Round i) const {
        const Exchange all = exchange(v, i);
        Positions blocks = all.blocks;
        blocks.remove(scattered(all.to));
        return packets(blocks);
    }
    [[nodiscard]] PacketSet packets(const Positions& positions) const {
        PacketSet all;
        const auto add = [&](std::uint64_t first, std::uint64_t count) {
            all.add(PacketSet::range(block_of_packets(first, m_, nodes_).first,
                                     block_of_packets(first + count - 1, m_, nodes_).last));
        };
        for (const PacketBlock& some : positions.blocks()) {
            if (some.stride == 1) {
                add(some.first, some.count);
                continue;
            }
            for (std::uint32_t i = 0; i < some.count; ++i) add(some.columns()[i], 1);
        }
        return all;
    }
    [[nodiscard]] NodeId source() const { return source_; }

  protected:
    NodeId nodes_;
    NodeId source_;
    std::uint64_t m_;
};

/// Hypercube: `sbt`, then `exchange` over the dimensions n-1 to 0. Position x stands for node source xor x.
class OnCube final : public Blocks {
  public:
    OnCube(int dimensions, const Collective& collective)
        : Blocks(NodeId{1} << dimensions, collective), n_(dimensions) {}

    [[nodiscard]] std::vector<Dispatch> dispatches(NodeId v) const override {
        std::vector<Dispatch> all;
        for (int d = digits_of(v); d < n_; ++d) {
            const NodeId child = v ^ (NodeId{1} << d);
            all.push_back({static_cast<Round>(d + 1), child, {}, agreeing(child, d + 1)});
        }
        return all;
    }
    [[nodiscard]] NodeId scatterer(NodeId v) const override { return v ^ (NodeId{1} << (digits_of(v) - 1)); }
    [[nodiscard]] Positions scattered(NodeId v) const override { return agreeing(v, digits_of(v)); }
    [[nodiscard]] Round scatter_rounds() const override { return static_cast<Round>(n_); }
    [[nodiscard]] Round gather_rounds() const override { return static_cast<Round>(n_); }
    [[nodiscard]] Exchange exchange(NodeId v, Round i) const override {
        const int d = n_ - 1 - static_cast<int>(i);
        const NodeId partner = v ^ (NodeId{1} << d);
        return {partner, partner, agreeing(v, d + 1)};
    }

  private:
    /// Returns the binary digits of v's position.
    [[nodiscard]] int digits_of(NodeId v) const { return static_cast<int>(std::bit_width(v ^ source_)); }
    /// Returns the positions with the lowest digits of v's.
    [[nodiscard]] Positions agreeing(NodeId v, int digits) const {
        const NodeId stride = NodeId{1} << digits;
        return PacketBlock{static_cast<std::uint32_t>((v ^ source_) % stride),
                           static_cast<std::uint32_t>(stride == nodes_ ? 1 : stride),
                           static_cast<std::uint32_t>(nodes_ / stride)};
    }
    int n_;
};

/// Complete graph: `rda`, then `bruck` or `ring`. Position x stands for node source + x.
class OnComplete final : public Blocks {
  public:
    OnComplete(NodeId nodes, const Collective& collective, GatherBy gather)
        : Blocks(nodes, collective), gather_(gather) {}

    [[nodiscard]] std::vector<Dispatch> dispatches(NodeId v) const override {
        std::vector<Dispatch> all;
        for (Segment mine = segment(v); mine.size() > 1; mine = part_of(mine, 0, 2)) {
            const Segment part = part_of(mine, 1, 2);
            all.push_back({1, node(part.first), {}, PacketSet::range(part.first, part.last)});
        }
        return all;
    }
    [[nodiscard]] NodeId scatterer(NodeId v) const override {
        NodeId giver = 0;
        for (Segment part{0, nodes_}; part.first != position(v);) {
            const Segment given = part_of(part, 1, 2);
            const bool is_given = given.contains(position(v));
            if (is_given) giver = part.first;
            part = is_given ? given : part_of(part, 0, 2);
        }
        return node(giver);
    }
    [[nodiscard]] Positions scattered(NodeId v) const override {
        const Segment mine = segment(v);
        return PacketSet::range(mine.first, mine.last);
    }
    [[nodiscard]] Round scatter_rounds() const override { return ceil_log2(nodes_); }
    [[nodiscard]] Round gather_rounds() const override {
        return gather_ == GatherBy::ring ? static_cast<Round>(nodes_ - 1) : ceil_log2(nodes_);
    }
    [[nodiscard]] Exchange exchange(NodeId v, Round i) const override {
        const NodeId x = position(v);
        if (gather_ == GatherBy::ring) return {node(x + 1), node(x + nodes_ - 1), run((x + nodes_ - i) % nodes_, 1)};
        const NodeId block = NodeId{1} << i;
        return {node(x + nodes_ - block), node(x + block), run(x, std::min(block, nodes_ - block))};
    }

  private:
    [[nodiscard]] NodeId position(NodeId v) const { return (v + nodes_ - source_) % nodes_; }
    [[nodiscard]] NodeId node(NodeId position) const { return (source_ + position) % nodes_; }
    [[nodiscard]] Segment segment(NodeId v) const { return segment_begun_by(position(v), nodes_, 2); }
    [[nodiscard]] Positions run(NodeId first, NodeId count) const {
        Positions all;
        for (const Progression& part : around(first, 1, count, nodes_)) all.add(block_of({}, part));
        return all;
    }
    GatherBy gather_;
};

/// Wormhole torus: `rda-product`, keeping the greater part, then `ring-per-dimension`, the last dimension first.
/// Position x is the node whose coordinates are the sums of those of x and of the source.
class OnTorus final : public Blocks {
  public:
    OnTorus(const Grid& torus, const Collective& collective)
        : Blocks(torus.nodes(), collective), torus_(torus), product_(torus, source_, {}, Keep::greater),
          boxes_(torus, product_.order()) {}

    [[nodiscard]] std::vector<Dispatch> dispatches(NodeId v) const override {
        std::vector<Dispatch> all;
        for (LineProduct::Turn turn = product_.first_turn(v); turn.phase < product_.phases();
             turn = product_.after(turn)) {
            const CutLine& line = product_.line(turn.phase);
            const std::uint64_t here = line.position(v);
            while (turn.segment.size() > 1) {
                const Halving step = halve(turn.segment, here, product_.keep());
                all.push_back({product_.rounds_before(turn.phase) + 1, line.node_at(v, step.receiver),
                               line.route(here, step.receiver), behind(v, turn.phase, step.given)});
                turn.segment = step.kept;
            }
        }
        return all;
    }
    [[nodiscard]] NodeId scatterer(NodeId v) const override {
        const CutLine& line = product_.line(product_.first_turn(v).phase);
        return line.node_at(v, given_to(line.position(v), line.size(), line.source(), product_.keep()).by);
    }
    [[nodiscard]] Positions scattered(NodeId v) const override {
        if (v == source_) return PacketSet::range(0, nodes_);
        const LineProduct::Turn turn = product_.first_turn(v);
        return behind(v, turn.phase, turn.segment);
    }
    [[nodiscard]] Round scatter_rounds() const override { return static_cast<Round>(*product_.cost().rounds); }
    [[nodiscard]] Round gather_rounds() const override {
        Round rounds = 0;
        for (int d = 0; d < torus_.dimensions(); ++d) rounds += static_cast<Round>(torus_.side(d) - 1);
        return rounds;
    }
    [[nodiscard]] Exchange exchange(NodeId v, Round i) const override {
        int d = torus_.dimensions() - 1;
        for (; i >= torus_.side(d) - 1; --d) i -= static_cast<Round>(torus_.side(d) - 1);
        const NodeId side = torus_.side(d);
        const NodeId x = torus_.coordinate(v, d);
        const NodeId sent =
            torus_.with_coordinate(position(v), d, (torus_.coordinate(position(v), d) + side - i) % side);
        const NodeId first = sent / torus_.stride(d) * torus_.stride(d);
        return {torus_.with_coordinate(v, d, (x + 1) % side), torus_.with_coordinate(v, d, (x + side - 1) % side),
                PacketSet::range(first, first + torus_.stride(d))};
    }

  private:
    [[nodiscard]] NodeId position(NodeId v) const {
        NodeId x = 0;
        for (int d = 0; d < torus_.dimensions(); ++d)
            x += (torus_.coordinate(v, d) + torus_.side(d) - torus_.coordinate(source_, d)) % torus_.side(d) *
                 torus_.stride(d);
        return x;
    }
    [[nodiscard]] Positions behind(NodeId v, std::size_t phase, const Segment& part) const {
        const PacketSet nodes = boxes_.packets(v, phase, product_.line(phase).coordinate(part.first), part.size());
        std::vector<NodeId> all;
        for (const PacketBlock& some : nodes.blocks())
            for (std::uint32_t i = 0; i < some.count; ++i) all.push_back(position(some.columns()[i]));
        std::ranges::sort(all);
        Positions blocks;
        for (const NodeId x : all) blocks.add(PacketSet::range(x, x + 1));
        return blocks;
    }

    const Grid& torus_;
    LineProduct product_;
    GridBoxes boxes_;
};

std::unique_ptr<const Blocks> blocks_of(const Machine& machine, const Collective& collective,
                                        const AlgorithmOptions& options) {
    if (const Hypercube* cube = as_hypercube(machine)) return std::make_unique<OnCube>(cube->dimensions(), collective);
    if (const Grid* torus = as_grid(machine)) return std::make_unique<OnTorus>(*torus, collective);
    return std::make_unique<OnComplete>(machine.topology->nodes(), collective,
                                        options.gather.value_or(GatherBy::bruck));
}

/// One-to-all broadcast of M >= N packets: a block of them for each node.
///
/// Machine   hypercube, complete graph; ring, torus, wormhole; 1-port, full duplex ports and links, combining
/// Gives     every node holds all packets of the source
/// Costs     rounds 2 n; 2 ceil(log2 N) or ceil(log2 N) + N - 1; sum (ceil(log2 n_i) + n_i - 1). Volume 2 M (N-1) / N if N
///           divides M
/// Idea      Scatter the blocks, then allgather them. A message of the allgather omits what its receiver has from the
///           scatter.
/// Source    van de Geijn; Barnett et al. 1994; model.md section 13.2
Program broadcast_by_blocks(Node& self, const Blocks& plan) {
    const NodeId v = self.id();
    if (v != plan.source()) co_await self.receive_from(plan.scatterer(v));
    const std::vector<Dispatch> dispatches = plan.dispatches(v);
    for (const Dispatch& dispatch : dispatches) {
        const PacketSet packets = plan.packets(dispatch.blocks);
        co_await self.until(dispatch.not_before);
        if (dispatch.route.empty())
            co_await self.send_to(dispatch.to, packets);
        else
            co_await self.send_along(dispatch.to, dispatch.route, packets);
    }
    for (Round i = 0; i < plan.gather_rounds(); ++i) {
        const Exchange partners = plan.exchange(v, i);
        const PacketSet packets = plan.sent(v, i);
        co_await self.until(plan.scatter_rounds() + 1 + i);
        if (!packets.empty()) co_await self.send_to(partners.to, packets);
        const PacketSet coming = plan.sent(partners.from, i);
        if (!coming.empty()) co_await self.receive_from(partners.from);
    }
}

std::optional<std::string> misfit_broadcast_scatter_allgather(const Machine& machine, const Collective& collective,
                                                              const AlgorithmOptions& options) {
    const NodeId nodes = machine.topology->nodes();
    const bool on_torus = !needs_torus(machine);
    const bool on_complete = !needs_complete(machine);
    return first_of({unless(on_torus || on_complete || !needs_hypercube(machine),
                            "needs a hypercube, complete graph, ring or torus"),
                     on_torus ? needs_wh(machine) : std::nullopt, needs_one_port(machine), needs_full_duplex(machine),
                     needs_full_links(machine), needs_combining(machine),
                     collective.packets_each >= nodes
                         ? std::nullopt
                         : std::optional(fmt::format("needs packets_each {} or more, one for each node", nodes)),
                     as_hypercube(machine) == nullptr && nodes > 2 ? needs_partners(machine) : std::nullopt,
                     needs_table(machine), takes_no_options(options, on_complete ? "gather" : "")});
}

Start make_broadcast_scatter_allgather(const Machine& machine, const Collective& collective,
                                       const AlgorithmOptions& options) {
    const std::shared_ptr<const Blocks> plan = blocks_of(machine, collective, options);
    return start_of_timetable(
        [topology = machine.topology, plan](Node& self) { return broadcast_by_blocks(self, *plan); }, collective.root);
}

ExpectedCost expect_broadcast_scatter_allgather(const Machine& machine, const Collective& collective,
                                                const AlgorithmOptions& options) {
    const NodeId nodes = machine.topology->nodes();
    if (nodes == 1) return {0, 0, 0, 0, {"one node: nothing moves"}};
    const std::unique_ptr<const Blocks> plan = blocks_of(machine, collective, options);
    const std::uint64_t there = plan->scatter_rounds();
    const std::uint64_t back = plan->gather_rounds();
    const std::uint64_t m = collective.packets_each;
    ExpectedCost cost{there + back, {}, {}, {}, {}};
    cost.derivation.push_back(fmt::format("{} blocks are scattered in {} and come together in {}: {}", nodes,
                                          counted(there, "round"), back, counted(there + back, "round")));
    if (machine.switching == Switching::store_and_forward) cost.path_sum = cost.rounds;
    if (m % nodes == 0) {
        cost.volume = 2 * (m / nodes) * (nodes - 1);
        cost.derivation.push_back(fmt::format("each half moves {} of {} through a port: volume {}",
                                              counted(nodes - 1, "block"), counted(m / nodes, "packet"),
                                              counted(*cost.volume, "packet")));
    }
    return cost;
}

}  // namespace

std::vector<Algorithm> algorithms_in_broadcast_scatter_allgather() {
    return with_reversal(
        {
            .operation = Operation::broadcast,
            .name = "scatter-allgather",
            .rule = "scatter a block of packets to each node, then allgather the blocks",
            .needs = "hypercube, complete graph, SF or WH; ring, torus, WH; 1-port, full duplex, combining, M >= N; "
                     "--gather",
            .cost =
                "2n rounds on 2^n nodes, 2L(N) or L(N)+N-1 on the complete graph, the sum of L(n_i)+n_i-1 on a torus; "
                "volume 2M(N-1)/N packets if N divides M",
            .source = "van de Geijn; Barnett et al. 1994; model section 13.2",
            .misfit = misfit_broadcast_scatter_allgather,
            .make = make_broadcast_scatter_allgather,
            .expect = expect_broadcast_scatter_allgather,
            .takes = "gather",
            .with_many = WithMany::own,
        },
        Operation::reduce);
}

}  // namespace kport
