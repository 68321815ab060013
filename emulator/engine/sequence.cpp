#include "emulator/engine/job.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "emulator/base/error.hpp"

namespace kport {

namespace {

/// One topology, or two of the same nodes, ports and links.
bool same_graph(const Topology& a, const Topology& b) {
    if (&a == &b) return true;
    if (a.nodes() != b.nodes() || a.ports() != b.ports()) return false;
    for (NodeId v = 0; v < a.nodes(); ++v)
        for (Port p = 0; p < std::max(a.labels(v), b.labels(v)); ++p)
            if (a.across(v, p) != b.across(v, p)) return false;
    return true;
}

void require_same(const Job& job, const Job& first, std::size_t phase) {
    const auto require = [&](bool same, std::string_view what) {
        if (!same) throw RequestError(fmt::format("phase {} has another {} than phase 1; want the same", phase, what));
    };
    const Machine& machine = job.machine;
    const Machine& machine_1 = first.machine;
    require(same_graph(*machine.topology, *machine_1.topology), "topology");
    const auto own = [](const Machine& of) { return of.node_ports == nullptr ? NodePorts() : *of.node_ports; };
    require(machine.ports == machine_1.ports && own(machine) == own(machine_1), "limit of ports");
    require(machine.duplex == machine_1.duplex, "duplex of ports");
    require(machine.links == machine_1.links, "duplex of links");
    require(machine.switching == machine_1.switching, "switching");
    require(machine.combining == machine_1.combining, "rule of combining");
    require(machine.pairwise == machine_1.pairwise, "rule of partners");
    require(machine.noho == machine_1.noho, "reading of NOHO");
    require(machine.policy == machine_1.policy, "policy");
    require(machine.routing == machine_1.routing, "routing");
    const auto links = [](const Machine& of) { return of.prices == nullptr ? LinkPrices({}) : *of.prices; };
    require(machine.costs == machine_1.costs && links(machine) == links(machine_1), "list of prices");
    require(job.collective.packet_bytes == first.collective.packet_bytes, "size of packets");
    require(job.seed == first.seed, "seed");
    require(job.payload == first.payload, "payload");
}

/// What a phase owns must have been brought by the one before.
void require_brought(const Collective& collective, const Collective& before, NodeId nodes, std::size_t phase) {
    for (NodeId v = 0; v < nodes; ++v) {
        const PacketBlocks lacking = without(collective.owned(v, nodes).blocks(), before.wanted(v, nodes).blocks());
        if (!lacking.empty())
            throw RequestError(fmt::format("phase {}: node {} owns packet {} of {}, which {} does not bring it", phase,
                                           v, lowest_of(span_of(lacking), nodes), name(collective.operation),
                                           name(before.operation)));
    }
}

void require_phases(const std::vector<Job>& phases) {
    if (phases.empty()) throw RequestError("a sequence has no phase; want at least one job");
    for (std::size_t i = 0; i < phases.size(); ++i) {
        const Job& job = phases[i];
        if (job.machine.topology == nullptr)
            throw RequestError(fmt::format("phase {}: the machine has no topology; want make_topology(...)", i + 1));
        require_valid(job.collective, *job.machine.topology);
        if (job.collective.operation->carries != Carries::packets)
            throw RequestError(
                fmt::format("phase {}: {} does not move sets of packets, and cannot be part of a sequence", i + 1,
                            name(job.collective.operation)));
        require_same(job, phases.front(), i + 1);
        if (i > 0) require_brought(job.collective, phases[i - 1].collective, job.machine.topology->nodes(), i + 1);
    }
}

void append(Schedule& all, const Schedule& phase, Round after) {
    std::size_t silence = 0;
    const std::vector<Silence>& silences = phase.silences();
    for (std::size_t i = 0; i < phase.size(); ++i) {
        for (; silence < silences.size() && silences[silence].first < phase.round(i); ++silence)
            all.add_silent(silences[silence].first + after, silences[silence].count);
        all.add(phase.round(i) + after, phase.transfer(i));
    }
}

}  // namespace

SequenceResult run_in_sequence(std::vector<Job> phases, const RunOptions& options) {
    require_phases(phases);
    SequenceResult result;
    RunOptions own = options;
    own.per_round = true;  // the rounds of all phases are added up as those of one run
    if (options.recorded_schedule != nullptr) *options.recorded_schedule = {};
    std::shared_ptr<Holdings> brought;
    for (Job& job : phases) {
        Schedule moved;
        if (options.recorded_schedule != nullptr) own.recorded_schedule = &moved;
        job.brought = brought;
        brought = std::make_shared<Holdings>();
        own.keep = brought.get();
        RunResult phase = run(job, own);
        const auto after = static_cast<Round>(result.metrics.rounds);
        for (RoundMetrics round : phase.verdict.per_round) {
            round.round += after;
            result.metrics.add(round);
        }
        result.metrics.silent_rounds += phase.verdict.metrics.silent_rounds;
        if (options.recorded_schedule != nullptr) append(*options.recorded_schedule, moved, after);
        if (!options.per_round) phase.verdict.per_round.clear();
        result.lawful = phase.verdict.lawful() && !phase.stopped;
        result.phases.push_back(std::move(phase));
        if (!result.lawful) break;
    }
    result.lawful = result.lawful && result.phases.size() == phases.size();
    return result;
}

}  // namespace kport
