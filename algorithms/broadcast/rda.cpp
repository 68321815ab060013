/// @file rda.cpp   Recursive doubling on the complete graph (model.md section 3.5).
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/copies.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/segment.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/node/forwarding.hpp"
#include "emulator/topology/complete.hpp"

namespace kport {

namespace {

/// One-to-all broadcast by recursive doubling (k ports: recursive (k+1)-folding).
///
/// Machine   complete graph of N nodes, any N, store-and-forward or wormhole, any k
/// Gives     every node holds the source's packet
/// Costs     rounds ceil(log_{k+1} N), work N - 1
/// Idea      Nodes are renumbered from the source. The first node of a segment cuts it into k + 1 nearly equal parts,
///           informs the first node of each of the others, and all go on with their own part.
/// Source    model.md section 3.5; k ports: derived for kport, verified by simulation
class ByDoubling final : public Forwarding {
  public:
    ByDoubling(const Machine& machine, const Collective& collective)
        : Forwarding(collective, machine.combining), nodes_(machine.topology->nodes()), source_(collective.root),
          parts_(std::uint64_t{machine.widest()} + 1) {}
    [[nodiscard]] Port first(NodeId v, Port) const override { return by_part(v, segment_of(v), 1); }
    [[nodiscard]] Port next(NodeId v, Port last) const override {
        const std::uint64_t informed = rank(Complete::neighbour(v, last));
        Segment mine = segment_of(v);
        while (part_with(informed, mine, parts_) == 0) mine = part_of(mine, 0, parts_);
        const std::uint64_t j = part_with(informed, mine, parts_) + 1;
        return j < std::min(parts_, mine.size()) ? by_part(v, mine, j) : by_part(v, part_of(mine, 0, parts_), 1);
    }

  private:
    [[nodiscard]] std::uint64_t rank(NodeId v) const { return (v + nodes_ - source_) % nodes_; }
    [[nodiscard]] Segment segment_of(NodeId v) const { return segment_begun_by(rank(v), nodes_, parts_); }
    /// Returns the port to the first node of part j; no_port if the segment is one node.
    [[nodiscard]] Port by_part(NodeId v, const Segment& mine, std::uint64_t j) const {
        if (mine.size() <= 1) return no_port;
        return Complete::port(v, (source_ + part_of(mine, j, parts_).first) % nodes_);
    }

    NodeId nodes_;
    NodeId source_;
    std::uint64_t parts_;
};

std::optional<std::string> misfit_broadcast_rda(const Machine& machine, const Collective&,
                                                const AlgorithmOptions& options) {
    return first_of({unless(dynamic_cast<const Complete*>(machine.topology.get()) != nullptr, "needs a complete graph"),
                     takes_no_options(options)});
}

Start make_broadcast_rda(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    return {PlanProgram(std::make_shared<ByDoubling>(machine, collective)), {collective.root}};
}

ExpectedCost expect_broadcast_rda(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t fold = std::uint64_t{machine.widest()} + 1;
    std::uint64_t rounds = 0;
    for (std::uint64_t part = nodes; part > 1; part = (part + fold - 1) / fold) ++rounds;
    std::uint64_t children = 0;  // the source's children
    for (Segment mine{0, nodes}; mine.size() > 1; mine = part_of(mine, 0, fold))
        children += std::min(fold, mine.size()) - 1;
    return in_turn(
        {rounds,
         nodes - 1,
         rounds,
         rounds,
         {fmt::format("each round cuts every segment into {} parts, the largest of {} after the first round: "
                      "ceil(log{} {}) = {}",
                      fold, counted((nodes + fold - 1) / fold, "node"), fold, nodes, counted(rounds, "round")),
          fmt::format("every node but the source receives once, over one link: work {}", nodes - 1)}},
        machine, Copies(machine, collective).messages(), children);
}

/// Whether the root is the first node; segments begin at the root.
bool root_is_first(const Machine&, const Collective& collective, const AlgorithmOptions&) {
    return collective.root == 0;
}

}  // namespace

std::vector<Algorithm> algorithms_in_broadcast_rda() {
    return with_reversal(
        {
            .operation = Operation::broadcast,
            .name = "rda",
            .rule = "recursive doubling: cut into k+1 nearly equal parts, inform one node of each other part, recurse",
            .needs = "complete graph, any N, SF or WH, any k",
            .cost = "ceil(log_{k+1} N) rounds",
            .source = "model section 3.5",
            .misfit = misfit_broadcast_rda,
            .make = make_broadcast_rda,
            .expect = expect_broadcast_rda,
            .with_many = WithMany::in_turn,
        },
        Operation::reduce, {root_is_first, "to node 0"});
}

}  // namespace kport
