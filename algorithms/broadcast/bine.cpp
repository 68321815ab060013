/// @file bine.cpp   Broadcast by binomial negabinary trees (model.md section 13.2).
#include <bit>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/complete.hpp"
#include "algorithms/support/copies.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/ring.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// Numbers of n digits in base -2, modulo 2^n: digit d stands for (-2)^d.
constexpr NodeId odd_digits = 0xAAAA'AAAA'AAAA'AAAA;
NodeId in_base_minus_2(NodeId x, NodeId nodes) { return ((x + odd_digits) ^ odd_digits) & (nodes - 1); }
NodeId of_base_minus_2(NodeId digits, NodeId nodes) { return ((digits ^ odd_digits) - odd_digits) & (nodes - 1); }

/// One-to-all broadcast along a binomial tree of short distances.
///
/// Machine   complete graph; ring, wormhole; N = 2^n nodes, 1-port
/// Gives     every node holds the source's packet
/// Costs     rounds n, work N - 1 on the complete graph; on a ring path sum floor(2 N / 3), free of contention
/// Idea      Positions are written in base -2 with n digits. In step i = 0, 1, .., n-1 every holder sends to the
///           position whose lowest n - i digits are the complement of its own. So a position gets the packet in the
///           first step in which its lowest n - i digits are equal.
/// Source    De Sensi et al., arXiv 2508.17311; model.md section 13.2
Program broadcast_by_bine(Node& self, NodeId source, Cargo message) {
    const NodeId nodes = self.nodes();
    const int n = std::countr_zero(nodes);
    const NodeId digits = in_base_minus_2((self.id() + nodes - source) % nodes, nodes);
    int step = 0;
    if (self.id() != source) {
        co_await self.receive();
        const NodeId changes = (digits ^ (digits >> 1)) & (nodes / 2 - 1);  // bit d: digits d and d + 1 differ
        const int equal = changes == 0 ? n : std::countr_zero(changes) + 1;
        step = n - equal + 1;
    }
    for (; step < n; ++step) {
        const NodeId peer = digits ^ ((NodeId{1} << (n - step)) - 1);
        co_await self.send_to((source + of_base_minus_2(peer, nodes)) % nodes, message);
    }
}

std::optional<std::string> misfit_broadcast_bine(const Machine& machine, const Collective&,
                                                 const AlgorithmOptions& options) {
    return first_of({unless(!needs_complete(machine) || (!needs_ring(machine) && !needs_wh(machine)),
                            "needs a complete graph, or a ring and wormhole switching"),
                     unless(std::has_single_bit(machine.topology->nodes()), "needs 2^n nodes"), needs_one_port(machine),
                     takes_no_options(options)});
}

Start make_broadcast_bine(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const NodeId source = collective.root;
    return {[source, copies = Copies(machine, collective)](Node& self) {
                return broadcast_by_bine(self, source, copies.message());
            },
            {source}};
}

ExpectedCost expect_broadcast_bine(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    const auto n = static_cast<std::uint64_t>(std::countr_zero(nodes));
    const bool complete = !needs_complete(machine);
    ExpectedCost cost{n,
                      std::nullopt,
                      complete ? n : 2 * nodes / 3,
                      n,
                      {fmt::format("in each step all holders send, so their number doubles: log2 {} = {}", nodes,
                                   counted(n, "round"))}};
    if (nodes == 1) return {0, 0, 0, 0, {"one node: nothing moves"}};
    if (complete)
        cost.work = nodes - 1;
    else
        cost.derivation.push_back(
            fmt::format("the longest ways are (1 - (-2)^i) / 3 links or that less: floor(2 * {} / 3) = {}", nodes,
                        counted(*cost.path_sum, "hop")));
    return cost;
}

}  // namespace

std::vector<Algorithm> algorithms_in_broadcast_bine() {
    return with_reversal(
        {
            .operation = Operation::broadcast,
            .name = "bine",
            .rule = "positions in base -2: in step i every holder sends to the one whose lowest n-i digits are inverse",
            .needs = "complete graph, or ring and WH; N = 2^n, 1-port",
            .cost = "n rounds on 2^n nodes; on a ring path sum floor(2N/3)",
            .source = "De Sensi et al. 2508.17311; model section 13.2",
            .misfit = misfit_broadcast_bine,
            .make = make_broadcast_bine,
            .expect = expect_broadcast_bine,
        },
        Operation::reduce);
}

}  // namespace kport
