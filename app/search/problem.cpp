#include "app/search/problem.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <boost/dynamic_bitset.hpp>

#include "emulator/base/error.hpp"

namespace kport::search {
namespace {

using Known = boost::dynamic_bitset<std::uint64_t>;

void add_hops(Schedule& schedule, const Topology& topology, const Calls& calls) {
    for (const Call& call : calls)
        schedule.add(call.round, HopTransfer(Hop{call.from, call.to, topology.port_to(call.from, call.to), 0}));
}

/// Returns the packets as ranges.
PacketBlocks blocks_of(const Known& packets) {
    PacketBlocks blocks;
    for (std::size_t p = packets.find_first(); p != Known::npos; p = packets.find_next(p)) {
        if (!blocks.empty() && blocks.back().first + blocks.back().count == p)
            ++blocks.back().count;
        else
            blocks.push_back(PacketBlock{static_cast<std::uint32_t>(p)});
    }
    return blocks;
}

/// A message carries what its sender knew before the round, unless the receiver knew it or gets it from another node.
void add_bundles(Schedule& schedule, const Topology& topology, const Calls& calls) {
    const NodeId nodes = topology.nodes();
    std::vector<Known> known(nodes, Known(nodes));
    for (NodeId v = 0; v < nodes; ++v) known[v].set(v);
    for (auto first = calls.begin(); first != calls.end();) {
        const auto last = std::find_if(first, calls.end(), [&](const Call& c) { return c.round != first->round; });
        std::vector<std::pair<Node32, Known>> after;
        for (auto call = first; call != last; ++call) {
            Known news = known[call->from] - known[call->to];
            for (const auto& [node, packets] : after)
                if (node == call->to) news -= packets;
            if (news.none()) continue;
            const Port port = topology.port_to(call->from, call->to);
            const PacketBlocks blocks = blocks_of(news);
            schedule.add(call->round, Transfer{call->from, call->to, {&port, 1}, span_of(blocks)});
            after.emplace_back(call->to, std::move(news));
        }
        for (const auto& [node, packets] : after) known[node] |= packets;
        first = last;
    }
}

}  // namespace

std::string_view name(Mode mode) {
    switch (mode) {
        case Mode::telephone: return "telephone";
        case Mode::telegraph: return "telegraph";
        case Mode::kport: break;
    }
    return "kport";
}

void require_valid(const Problem& problem) {
    if (problem.topology == nullptr) throw RequestError("the machine has no topology; want make_topology(...)");
    if (problem.operation != Operation::broadcast && !problem.gossip())
        throw RequestError(fmt::format("{} is not searched for; want broadcast or allgather (gossip)",
                                       kport::name(problem.operation)));
    if (problem.mode != Mode::kport && problem.ports != PortLimit(1))
        throw RequestError(fmt::format("mode {} has one port; leave the {} ports out, or take mode kport",
                                       name(problem.mode), problem.ports.text()));
    if (problem.gossip()) return;
    if (problem.mode != Mode::kport)
        throw RequestError(
            fmt::format("mode {}: a broadcast takes as many rounds in every mode, since a node receives "
                        "once, before it sends; leave the mode out",
                        name(problem.mode)));
    if (problem.sources.empty()) throw RequestError("a broadcast needs a source; want a node, such as 0");
    const NodeId nodes = problem.topology->nodes();
    for (const NodeId source : problem.sources)
        if (source >= nodes)
            throw RequestError(
                fmt::format("source '{}': {} has nodes 0 to {}", source, problem.topology->spec(), nodes - 1));
    for (std::size_t i = 1; i < problem.sources.size(); ++i) {
        if (problem.sources[i] == problem.sources[i - 1])
            throw RequestError(fmt::format("source '{}' is named twice; want each once", problem.sources[i]));
        invariant(problem.sources[i - 1] < problem.sources[i], "sources ascend");
    }
}

Machine machine_of(const Problem& problem) {
    Machine machine;
    machine.topology = problem.topology;
    machine.ports = problem.ports;
    machine.pairwise = problem.mode == Mode::telephone;
    if (problem.mode == Mode::telegraph) machine.duplex = Duplex::half;
    return machine;
}

Collective collective_of(const Problem& problem) {
    const std::uint64_t bytes = Collective{}.packet_bytes;
    if (problem.gossip()) return Collective::allgather(bytes);
    if (problem.sources.size() == 1) return Collective::broadcast(problem.sources.front(), bytes);
    const PacketSet packet = PacketSet::range(0, 1);
    return Collective::custom(
        {.name = "broadcast",
         .packets = 1,
         .owned = [sources = problem.sources,
                   packet](NodeId v) { return std::ranges::binary_search(sources, v) ? packet : PacketSet(); },
         .wanted = [packet](NodeId) { return packet; },
         .packet_bytes = bytes,
         .noun = "the packet"});
}

Round rounds_of(const Calls& calls) {
    Round last = 0;
    for (const Call& call : calls) last = std::max(last, call.round);
    return last;
}

Schedule schedule_of(const Problem& problem, Calls calls) {
    std::ranges::sort(calls, {}, [](const Call& c) { return std::tuple(c.round, c.from, c.to); });
    const auto twice = std::ranges::unique(calls);
    calls.erase(twice.begin(), twice.end());
    Schedule schedule;
    if (problem.gossip())
        add_bundles(schedule, *problem.topology, calls);
    else
        add_hops(schedule, *problem.topology, calls);
    return schedule;
}

}  // namespace kport::search
