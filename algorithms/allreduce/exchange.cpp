/// @file exchange.cpp   All-reduce by exchange on the hypercube and the complete graph (model.md section 6 (ii)).
#include <array>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/complete.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/hypercube.hpp"
#include "algorithms/support/segment.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

/// Which nodes of a complete graph exchange: blocks of a power of two nodes, one or three of them, after the first `guests` odd nodes
/// have taken in what the node before them contributes.
struct ExchangeOnComplete {
    explicit ExchangeOnComplete(NodeId nodes) {
        const NodeId power = std::bit_floor(nodes);
        const bool is_of_three = nodes % 3 == 0 && std::has_single_bit(nodes / 3);
        blocks = is_of_three ? 3 : 1;
        block = is_of_three ? nodes / 3 : power;
        guests = is_of_three ? 0 : nodes - power;
    }
    /// The place of a node among those that exchange, and the node of a place.
    [[nodiscard]] NodeId place(NodeId v) const { return v < 2 * guests ? v / 2 : v - guests; }
    [[nodiscard]] NodeId node(NodeId place) const { return place < guests ? 2 * place + 1 : place + guests; }
    [[nodiscard]] std::uint64_t rounds() const {
        return ceil_log2(block) + (blocks == 3 ? 2U : 0U) + (guests != 0 ? 2U : 0U);
    }

    NodeId blocks;
    NodeId block;
    NodeId guests;
};

/// Gives each node the folds of the other two blocks, and folds the three in the order of the nodes.
Program among_three_blocks(Node& self, NodeId block, Value& value) {
    const NodeId nodes = 3 * block;
    const NodeId me = self.id();
    std::array<Value, 3> of_block;
    for (const NodeId distance : {block, 2 * block}) {
        co_await self.send_to((me + nodes - distance) % nodes, value);
        const Arrival arrival = co_await self.receive_from((me + distance) % nodes);
        of_block.at((me + distance) % nodes / block) = arrival.value();
    }
    of_block.at(me / block) = value;
    value = self.fold(self.fold(of_block[0], of_block[1]), of_block[2]);
}

Program exchange_on_complete(Node& self) {
    const NodeId me = self.id();
    const ExchangeOnComplete plan(self.nodes());
    Value value = self.contribution();
    const bool has_guest = me < 2 * plan.guests;
    if (has_guest && me % 2 == 0) {
        co_await self.send_to(me + 1, value);
        const Arrival result = co_await self.receive_from(me + 1);
        self.result(result.value());
        co_return;
    }
    if (has_guest) {
        const Arrival guest = co_await self.receive_from(me - 1);
        value = self.fold(guest.value(), value);
    }
    if (plan.guests != 0 && !has_guest) co_await self.until(2);  // partners take in their guests' contributions first
    for (NodeId bit = 1; bit < plan.block; bit *= 2) {
        const NodeId partner = plan.node(plan.place(me) ^ bit);
        co_await self.send_to(partner, value);
        const Arrival arrival = co_await self.receive_from(partner);
        value = self.merge(value, arrival.value());
    }
    if (plan.blocks == 3) co_await among_three_blocks(self, plan.block, value);
    if (has_guest) {
        const Value total = self.whole(value);
        co_await self.send_to(me - 1, total);
    }
    self.result(value);
}

std::optional<std::string> misfit_allreduce_exchange(const Machine& machine, const Collective& collective,
                                                     const AlgorithmOptions& options) {
    if (needs_complete(machine)) return misfit_cube_exchange(machine, collective, options);
    return first_of({needs_send_beside_receive(machine), needs_partners(machine), needs_full_links(machine),
                     needs_table(machine), takes_no_options(options)});
}

Start make_allreduce_exchange(const Machine& machine, const Collective& collective, const AlgorithmOptions& options) {
    if (needs_complete(machine)) return make_cube_exchange(machine, collective, options);
    return {exchange_on_complete, {}, true};
}

ExpectedCost expect_exchange_on_complete(const Machine& machine) {
    const NodeId nodes = machine.topology->nodes();
    const ExchangeOnComplete plan(nodes);
    const std::uint64_t rounds = plan.rounds();
    const NodeId exchanging = plan.blocks * plan.block;
    const std::uint64_t exchanges = rounds - (plan.guests != 0 ? 2 : 0);
    const std::uint64_t work = exchanging * exchanges + 2 * plan.guests;
    std::vector<std::string> derivation;
    if (plan.guests != 0)
        derivation.push_back(
            fmt::format("{} of {} nodes give their contribution to a neighbour first and get the "
                        "result last: 2 rounds",
                        plan.guests, nodes));
    derivation.push_back(fmt::format("{} nodes exchange in {} of 2^{}: {}", exchanging, counted(plan.blocks, "block"),
                                     ceil_log2(plan.block), counted(exchanges, "round")));
    derivation.push_back(fmt::format("one value a message, over one link each: work {} * {} + 2 * {} = {}, volume {}",
                                     exchanging, exchanges, plan.guests, work, counted(rounds, "packet")));
    return {rounds, work, rounds, rounds, std::move(derivation)};
}

ExpectedCost expect_allreduce_exchange(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    if (!needs_complete(machine)) return expect_exchange_on_complete(machine);
    const auto n = static_cast<std::uint64_t>(as_hypercube(machine)->dimensions());
    const NodeId nodes = machine.topology->nodes();
    return {
        n,
        nodes * n,
        n,
        n,
        {fmt::format("in each of {} phases all nodes exchange one partial result across a dimension: {}", n,
                     counted(n, "round")),
         fmt::format("{} of {} bytes over one link each: work {} * {} = {}", counted(nodes * n, "message"),
                     collective.packet_bytes, nodes, n, nodes * n),
         fmt::format("a reduction and a broadcast need 2 * {} rounds, but no node sends and receives in the same round",
                     n)}};
}

}  // namespace

/// All-reduce: every node gets the combination of all contributions.
///
/// Machine   hypercube of 2^n nodes, or complete graph of any N = 2^n + r; store-and-forward or wormhole, any k, full duplex ports
///           or two; the complete graph not pairwise
/// Gives     every node holds the fold of all contributions in the order of the nodes, by the same brackets
/// Costs     N = 2^n: rounds n, work N n, path sum n, volume n packets; N = 3 2^a: L(N), N L(N); other N: n + 2, n 2^n + 2 r
/// Idea      In phase i partners across dimension i exchange their partial results, those of two neighbouring blocks of
///           2^i nodes. The lower block stands left. Three blocks send their folds to each other; of other N, r nodes let
///           a neighbour take part for them.
/// Source    Kumar, Grama, Gupta, Karypis, Introduction to Parallel Computing, ch. 4.3; model.md section 6 (ii); for any N
///           Thakur, Rabenseifner, Gropp 2005
std::vector<Algorithm> algorithms_in_allreduce_exchange() {
    return {{
        .operation = Operation::allreduce,
        .name = "exchange",
        .rule = "partners across each dimension exchange and fold their values",
        .needs =
            "hypercube, or complete graph not pairwise; SF or WH, any k, full duplex or two ports, full duplex links",
        .cost = "n rounds, work N n, volume n packets; complete graph: L(N) for N = 2^n, 3 2^a, else n + 2 rounds",
        .source = "Kumar et al. ch. 4.3; Thakur, Rabenseifner, Gropp 2005; model section 6 (ii)",
        .misfit = misfit_allreduce_exchange,
        .make = make_allreduce_exchange,
        .expect = expect_allreduce_exchange,
        .in_order = {[](const Machine&, const Collective&, const AlgorithmOptions&) { return true; }, "always"},
    }};
}

}  // namespace kport
