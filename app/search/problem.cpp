#include "app/search/problem.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/search/question.hpp"
#include "emulator/base/error.hpp"

namespace kport::search {

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
    require_direct(*problem.topology, "a search over single links");
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
    const auto packet = [] { return PacketSet::range(0, 1); };
    return Collective::custom(
        {.name = "broadcast from several",  // a name of its own, by which a record of it is read again
         .packets = 1,
         .owned = [sources = problem.sources,
                   packet](NodeId v) { return std::ranges::binary_search(sources, v) ? packet() : PacketSet(); },
         .wanted = [packet](NodeId) { return packet(); },
         .packet_bytes = bytes,
         .noun = "the packet"});
}

Round rounds_of(const Calls& calls) {
    Round last = 0;
    for (const Call& call : calls) last = std::max(last, call.round);
    return last;
}

Schedule schedule_of(const Problem& problem, Calls calls) {
    Question question{machine_of(problem), Collective::allgather(Collective{}.packet_bytes)};
    if (!problem.gossip()) {
        question.collective.operation = Operation::broadcast;
        question.sources = problem.sources;
    }
    return schedule_of(question, std::move(calls));
}

Calls there_and_back(const Calls& broadcast, Mode mode) {
    const Round rounds = rounds_of(broadcast);
    // The collecting node has, in the round of its last receipt, what the sender lacks, except what it gets from others
    // in that round.
    const auto last = std::ranges::count(broadcast, Round{1}, &Call::round);
    const Round shared = mode == Mode::telegraph || last != 1 ? 0 : 1;
    Calls calls;
    for (const Call& call : broadcast) {
        calls.push_back({rounds + 1 - call.round, call.to, call.from});
        calls.push_back({rounds - shared + call.round, call.from, call.to});
    }
    return calls;
}

}  // namespace kport::search
