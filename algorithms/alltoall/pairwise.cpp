/// @file pairwise.cpp   All-to-all scatter in pairs along E-cube routes on the hypercube (model.md section 7).
#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// All-to-all scatter: in each step every node exchanges one packet with another partner.
///
/// Machine   hypercube of 2^n nodes, wormhole, any k, full duplex ports or two and links, combining or not
/// Gives     node v holds the packets addressed to v
/// Costs     rounds N - 1, work N n N / 2, path sum n N / 2, volume N - 1 packets
/// Idea      In step j the nodes v and v xor j exchange their packets. The routes correct the differing bits from the lowest
///           on (E-cube); those of a step never share a channel.
/// Source    Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, ch. 4.5.3; model.md section 7
Program alltoall_by_pairs(Node& self, NodeId nodes) {
    const std::uint64_t m = self.collective().packets_each;
    for (NodeId step = 1; step < nodes; ++step) {
        const NodeId partner = self.id() ^ step;
        const Progression mine{static_cast<std::uint32_t>(self.id())};
        const Progression theirs{static_cast<std::uint32_t>(partner)};
        co_await self.pass_to(partner, packets_between(mine, theirs, m));
        co_await self.receive_from(partner);
    }
}

std::optional<std::string> misfit_alltoall_pairwise(const Machine& machine, const Collective&,
                                                    const AlgorithmOptions& options) {
    return first_of({needs_hypercube(machine), needs_wh(machine), needs_send_beside_receive(machine),
                     needs_full_links(machine), needs_table(machine), takes_no_options(options)});
}

Start make_alltoall_pairwise(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    const NodeId nodes = machine.topology->nodes();
    return {[nodes](Node& self) { return alltoall_by_pairs(self, nodes); }, {}, true};
}

ExpectedCost expect_alltoall_pairwise(const Machine& machine, const Collective&, const AlgorithmOptions&) {
    constexpr std::uint64_t largest = 28;  // beyond, n 2^(2n-1) exceeds 64 bits
    const auto n = static_cast<std::uint64_t>(as_hypercube(machine)->dimensions());
    const NodeId nodes = machine.topology->nodes();
    const std::uint64_t path_sum = n * (nodes / 2);
    ExpectedCost cost{nodes - 1, std::nullopt, path_sum, nodes - 1, {}};
    cost.derivation.push_back(fmt::format("one step for each other node: {}", counted(nodes - 1, "round")));
    cost.derivation.push_back(
        fmt::format("in step j all routes have as many links as j has ones: path sum {} * {} / 2 = {}, Kumar's "
                    "(1/2) t_h p log2 p",
                    n, nodes, path_sum));
    if (n <= largest) {
        cost.work = nodes * path_sum;
        cost.derivation.push_back(
            fmt::format("every node sends in every step: work {} * {} = {}", nodes, path_sum, *cost.work));
    }
    cost.derivation.push_back(fmt::format("every message is one packet: volume {}, Kumar's (t_s + t_w m)(p - 1)",
                                          counted(nodes - 1, "packet")));
    return cost;
}

}  // namespace

std::vector<Algorithm> algorithms_in_alltoall_pairwise() {
    return {{
        .operation = Operation::alltoall,
        .name = "pairwise",
        .rule = "in step j the nodes v and v xor j exchange one packet along E-cube routes",
        .needs = "hypercube, WH, any k, full duplex or two ports, full duplex links, combining or not",
        .cost = "N-1 rounds, path sum n N/2, work N n N/2, volume N-1 packets",
        .source = "Kumar et al. ch. 4.5.3; model section 7",
        .misfit = misfit_alltoall_pairwise,
        .make = make_alltoall_pairwise,
        .expect = expect_alltoall_pairwise,
        .single_packets = true,
    }};
}

}  // namespace kport
