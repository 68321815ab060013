/// @file rda.cpp   Recursive doubling on the complete graph (model.md section 3.5).
#include <algorithm>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/reversal.hpp"
#include "algorithms/support/copies.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/segment.hpp"
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
Program broadcast_by_doubling(Node& self, NodeId source, Port ports, const Copies& copies) {
    const NodeId nodes = self.topology().nodes();
    const std::uint64_t rank = (self.id() + nodes - source) % nodes;
    const std::uint64_t parts = std::uint64_t{ports} + 1;

    for (std::uint64_t i = 0; i < copies.messages(); ++i) {
        if (self.id() != source) co_await self.receive();
        Segment mine = segment_begun_by(rank, nodes, parts);
        while (mine.size() > 1) {
            for (std::uint64_t j = 1; j < std::min(parts, mine.size()); ++j)
                co_await self.send_to((source + part_of(mine, j, parts).first) % nodes, copies.message(i));
            mine = part_of(mine, 0, parts);
        }
    }
}

std::optional<std::string> misfit_broadcast_rda(const Machine& machine, const Collective&,
                                                const AlgorithmOptions& options) {
    return first_of({unless(dynamic_cast<const Complete*>(machine.topology.get()) != nullptr, "needs a complete graph"),
                     takes_no_options(options)});
}

Start make_broadcast_rda(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const NodeId source = collective.root;
    const Port ports = machine.widest();
    return {[source, ports, copies = Copies(machine, collective)](Node& self) {
                return broadcast_by_doubling(self, source, ports, copies);
            },
            {source}};
}

ExpectedCost expect_broadcast_rda(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t fold = std::uint64_t{machine.widest()} + 1;
    std::uint64_t rounds = 0;
    for (std::uint64_t part = nodes; part > 1; part = (part + fold - 1) / fold) ++rounds;
    std::uint64_t children = 0;  // of the source
    for (Segment mine{0, nodes}; mine.size() > 1; mine = part_of(mine, 0, fold))
        children += std::min(fold, mine.size()) - 1;
    return in_turn(
        {rounds,
         nodes - 1,
         rounds,
         rounds,
         {fmt::format("each round cuts every segment into {} parts, the largest of {} nodes after the first round: "
                      "ceil(log{} {}) = {} rounds",
                      fold, (nodes + fold - 1) / fold, fold, nodes, rounds),
          fmt::format("every node but the source receives once, over one link: work {}", nodes - 1)}},
        machine, Copies(machine, collective).messages(), children);
}

/// Segments begin at the root.
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
