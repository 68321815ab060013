#include "algorithms/support/coloured_exchange.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <boost/dynamic_bitset.hpp>

#include "algorithms/support/fit.hpp"
#include "algorithms/support/planned.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {

namespace {

using Bits = boost::dynamic_bitset<std::uint64_t>;

/// Calls visit(first, count) for each run of ones.
template <class Visit>
void for_each_run(const Bits& bits, const Visit& visit) {
    for (std::size_t first = bits.find_first(); first != Bits::npos;) {
        std::size_t end = first + 1;
        while (end < bits.size() && bits.test(end)) ++end;
        visit(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end - first));
        first = end < bits.size() ? bits.find_next(end) : Bits::npos;
    }
}

PacketSet set_of(const Bits& origins) {
    PacketSet nodes;
    for_each_run(origins, [&](std::uint32_t first, std::uint32_t count) { nodes.add(PacketBlock{first, 1, count}); });
    return nodes;
}

/// Returns the least colour free at both ends, and takes it.
std::size_t take_colour(Bits& low, Bits& high) {
    const std::size_t colours = std::max(low.size(), high.size());
    low.resize(colours);
    high.resize(colours);
    const std::size_t free = (~(low | high)).find_first();
    const std::size_t colour = free == Bits::npos ? colours : free;
    low.resize(std::max(colours, colour + 1));
    high.resize(std::max(colours, colour + 1));
    low.set(colour);
    high.set(colour);
    return colour;
}

bool is_even_ring(const Machine& machine) {
    const Grid* grid = as_grid(machine);
    if (grid == nullptr || !grid->wraps() || grid->nodes() % 2 != 0) return false;
    int sides = 0;
    for (int i = 0; i < grid->dimensions(); ++i) sides += grid->side(i) > 1 ? 1 : 0;
    return sides == 1 && grid->nodes() > 2;
}

using Colours = std::vector<std::vector<ColouredLink>>;

/// A step of one origin's packet from one node to the next, across links of one colour after the other.
struct Call {
    std::uint32_t from;
    std::uint32_t to;
    std::uint32_t turn;

    auto operator<=>(const Call&) const = default;
};

/// Returns all steps, in the order of turns. O(turns * links of a colour).
std::vector<Call> calls_of(const Colours& by_colour, NodeId nodes, NodeId origin) {
    std::vector<Call> calls;
    Bits has(nodes);
    has.set(origin);
    for (std::uint32_t turn = 0; calls.size() + 1 < nodes; ++turn)
        for (const ColouredLink& link : by_colour[turn % by_colour.size()]) {
            if (has.test(link.low) == has.test(link.high)) continue;
            const auto [from, to] =
                has.test(link.low) ? std::pair(link.low, link.high) : std::pair(link.high, link.low);
            calls.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), turn});
            has.set(to);
        }
    return calls;
}

/// Returns the number of blocks formed by the targets for which an origin's packets cross links.
std::uint64_t blocks_behind(const std::vector<Call>& calls, NodeId nodes) {
    std::vector<Bits> behind(nodes, Bits(nodes));
    for (NodeId v = 0; v < nodes; ++v) behind[v].set(v);
    std::uint64_t blocks = 0;
    for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
        for_each_run(behind[call->to], [&](std::uint32_t, std::uint32_t) { ++blocks; });
        behind[call->from] |= behind[call->to];
    }
    return blocks;
}

/// Returns the number of blocks of origins that begin with this one: its steps without those of the origin before it.
std::uint64_t blocks_begun(std::vector<Call> calls, const Colours& by_colour, NodeId nodes, NodeId origin) {
    if (origin == 0) return calls.size();
    std::vector<Call> before = calls_of(by_colour, nodes, origin - 1);
    std::ranges::sort(calls);
    std::ranges::sort(before);
    std::vector<Call> both;
    std::ranges::set_intersection(calls, before, std::back_inserter(both));
    return calls.size() - both.size();
}

/// Returns an approximate upper bound: where nodes have many links, packets wait for their turns less than they go
/// around.
double links_of_a_way(const Topology& topology) {
    return 1 +
           std::max(static_cast<double>(topology.eccentricity(0)), std::log2(static_cast<double>(topology.nodes())));
}

/// Returns all origins, or as many as take some hundredths of a second.
NodeId origins_followed(const Topology& topology, const Colours& by_colour) {
    constexpr std::uint64_t looks_max = std::uint64_t{1} << 24;
    constexpr std::uint64_t origins_min = 16;
    constexpr std::uint64_t nodes_a_look = 16;  // of the sets of targets
    const NodeId nodes = topology.nodes();
    const std::vector<Call> calls = calls_of(by_colour, nodes, 0);
    const std::uint64_t turns = calls.empty() ? 0 : calls.back().turn + 1;
    const std::uint64_t links = turns * topology.channels() / (2 * std::max<std::uint64_t>(1, by_colour.size()));
    return std::min(nodes, std::max(origins_min, looks_max / (1 + links + nodes * nodes / nodes_a_look)));
}

/// Returns the i-th of nodes spread evenly over rows of a grid: multiples of the golden ratio.
NodeId spread_out(NodeId i, NodeId nodes) {
    constexpr NodeId golden = 0x9E3779B1;
    const NodeId fraction = static_cast<std::uint32_t>(i * golden);  // a fraction of 2^32
    return fraction * nodes >> 32;
}

}  // namespace

PlanSize size_of_coloured_exchange(const Topology& topology, bool of_pairs) {
    constexpr NodeId looked_at_max = NodeId{1} << 11;
    constexpr std::uint64_t channels_max = std::uint64_t{1} << 19;
    constexpr double room = 1.1;  // margin for other origins
    const NodeId nodes = topology.nodes();
    const double pairs = static_cast<double>(nodes) * static_cast<double>(nodes);
    if (nodes > looked_at_max || topology.channels() > channels_max)
        return {pairs / 2, pairs * (of_pairs ? links_of_a_way(topology) : 1)};
    const Colours by_colour = coloured_links(topology);
    const NodeId origins = origins_followed(topology, by_colour);
    std::uint64_t blocks = 0;
    std::uint32_t turns = 0;
    for (NodeId i = 0; i < origins; ++i) {
        const NodeId origin = origins == nodes ? i : spread_out(i, nodes);
        const std::vector<Call> calls = calls_of(by_colour, nodes, origin);
        if (!calls.empty()) turns = std::max(turns, calls.back().turn + 1);
        blocks += of_pairs ? blocks_behind(calls, nodes) : blocks_begun(calls, by_colour, nodes, origin);
    }
    double messages = 0;
    for (std::uint32_t turn = 0; turn < turns; ++turn)
        messages += 2 * static_cast<double>(by_colour[turn % by_colour.size()].size());
    messages = std::min(messages, pairs);
    const double all = (origins == nodes ? 1 : room) * static_cast<double>(blocks) * static_cast<double>(nodes) /
                       static_cast<double>(origins);
    return {messages, std::max(messages, all)};
}

std::vector<std::vector<ColouredLink>> coloured_links(const Topology& topology) {
    const NodeId nodes = topology.nodes();
    std::vector<std::vector<ColouredLink>> by_colour;
    std::vector<Bits> at(nodes);
    for (NodeId low = 0; low < nodes; ++low) {
        std::vector<ColouredLink> links;
        for_each_neighbour(topology, low, [&](NodeId w, Port port) {
            if (w > low) links.push_back({low, w, port, topology.across(low, port).port});
        });
        std::ranges::sort(links, {}, &ColouredLink::high);
        for (const ColouredLink& link : links) {
            const std::size_t colour = take_colour(at[low], at[link.high]);
            if (colour == by_colour.size()) by_colour.emplace_back();
            by_colour[colour].push_back(link);
        }
    }
    return by_colour;
}

Schedule planned_allgather(const Topology& topology, std::uint64_t packets_each) {
    const NodeId nodes = topology.nodes();
    const std::vector<std::vector<ColouredLink>> by_colour = coloured_links(topology);
    std::vector<Bits> held(nodes, Bits(nodes));
    for (NodeId v = 0; v < nodes; ++v) held[v].set(v);
    Schedule plan;
    Round round = 1;
    const auto send = [&](NodeId from, NodeId to, const Port& port, const Bits& lacked) {
        if (lacked.none()) return;
        const PacketSet packets = packets_of(set_of(lacked), packets_each);
        plan.add(round, {from, to, {&port, 1}, packets.blocks()});
        held[to] |= lacked;
    };
    std::uint64_t missing = nodes * (nodes - 1);
    for (std::size_t turn = 0; missing > 0; ++turn) {
        const std::size_t before = plan.size();
        for (const ColouredLink& link : by_colour[turn % by_colour.size()]) {
            const Bits new_to_high = held[link.low] - held[link.high];
            const Bits new_to_low = held[link.high] - held[link.low];
            send(link.low, link.high, link.of_low, new_to_high);
            send(link.high, link.low, link.of_high, new_to_low);
            missing -= new_to_high.count() + new_to_low.count();
        }
        if (plan.size() > before) ++round;
    }
    return plan;
}

Schedule planned_alltoall(const Topology& topology, std::uint64_t packets_each) {
    const NodeId nodes = topology.nodes();
    const Schedule allgather = planned_allgather(topology, 1);
    std::vector<std::vector<std::uint32_t>> transfers_of(nodes);  // those that carry the packet of an origin
    for (std::size_t i = 0; i < allgather.size(); ++i)
        for (const PacketBlock& block : allgather.transfer(i).packets)
            for (std::uint32_t j = 0; j < block.count; ++j)
                transfers_of[block.columns()[j]].push_back(static_cast<std::uint32_t>(i));
    std::vector<std::vector<PacketBlock>> carried(allgather.size());
    std::vector<Bits> behind(nodes, Bits(nodes));  // nodes that the origin's packet reaches via a node
    for (NodeId origin = 0; origin < nodes; ++origin) {
        for (NodeId v = 0; v < nodes; ++v) behind[v].reset().set(v);
        std::vector<std::uint32_t>& transfers = transfers_of[origin];
        for (std::size_t i = transfers.size(); i-- > 0;) {  // backwards: a node received earlier what it forwards
            const Transfer transfer = allgather.transfer(transfers[i]);
            for_each_run(behind[transfer.to], [&](std::uint32_t first, std::uint32_t count) {
                const PacketSet packets =
                    packets_between({static_cast<std::uint32_t>(origin)}, {first, 1, count}, packets_each);
                std::ranges::copy(packets.blocks(), std::back_inserter(carried[transfers[i]]));
            });
            behind[transfer.from] |= behind[transfer.to];
        }
    }
    Schedule plan;
    for (std::size_t i = 0; i < allgather.size(); ++i) {
        const Transfer transfer = allgather.transfer(i);
        plan.add(allgather.round(i), {transfer.from, transfer.to, transfer.route, carried[i]});
        std::vector<PacketBlock>().swap(carried[i]);
    }
    return plan;
}

std::optional<std::string> misfit_coloured_exchange(const Machine& machine, const Collective&,
                                                    const AlgorithmOptions& options) {
    return first_of({needs_full_duplex(machine), needs_full_links(machine), needs_combining(machine),
                     needs_table(machine), takes_no_options(options)});
}

ExpectedCost expect_coloured_exchange(Schedule (*planned)(const Topology&, std::uint64_t), const PlanSize& size,
                                      std::uint64_t volume_on_ring, const Machine& machine,
                                      const Collective& collective) {
    if (plan_bytes(size) <= plan_bytes_counted) {
        Collective of_plan = collective;
        if (collective.folds()) of_plan.operation = Operation::allgather;  // which a reduce-scatter reverses
        return counted_cost(planned(*machine.topology, 1), machine, of_plan);
    }
    if (const std::uint64_t nodes = machine.topology->nodes(); is_even_ring(machine)) {
        const std::uint64_t rounds = nodes / 2;
        return {rounds,
                rounds * nodes,
                rounds,
                volume_on_ring,
                {"an even ring takes two colours: each node exchanges with its two neighbours by turns",
                 fmt::format("so what came by one link goes on by the other in the next round, and {} / 2 = {} do",
                             nodes, counted(rounds, "round"))}};
    }
    return {std::nullopt,
            std::nullopt,
            std::nullopt,
            std::nullopt,
            {"the schedule is planned on this graph: no closed form is known",
             "a round serves the links of one colour: at most one message over each of them in each direction"}};
}

}  // namespace kport
