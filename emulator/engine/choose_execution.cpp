#include "emulator/engine/choose_execution.hpp"

#include <array>
#include <vector>

#include "emulator/audit/auditor.hpp"
#include "emulator/audit/node_records.hpp"
#include "emulator/engine/exchange_run.hpp"
#include "emulator/engine/execution.hpp"
#include "emulator/engine/script.hpp"
#include "emulator/engine/world.hpp"
#include "emulator/node/exchange.hpp"
#include "emulator/node/forwarding.hpp"
#include "emulator/node/timetable.hpp"
#include "emulator/payload/packet_store.hpp"

namespace kport {

namespace {

/// Whether something looks at the programs of nodes, or interferes with them.
bool watches_programs(const Demands& demands) {
    return demands.free || demands.has_order || demands.has_faults || demands.lists_sends;
}

/// Whether a node may be a cursor: not where messages have routes, two neighbours share a port, or nodes have limits of
/// their own.
bool allows_cursors(const Job& job, const Demands& demands) {
    return !job.machine.has_paths() && !job.machine.pairwise && job.machine.node_ports == nullptr && !job.all_start &&
           job.starters_wait_until.empty() && job.starters == std::vector<NodeId>{job.collective.root} &&
           !watches_programs(demands);
}

/// Whether the compact audit suffices, and nothing outside observes the run, so that it can be restarted.
bool may_be_brief(const Job& job, const Demands& demands) {
    const bool shows_what_came = !job.payload || job.collective.packet_bytes > 0;  // a packet's first byte is not 0
    return shows_what_came && Auditor::may_be_brief(job.machine, job.collective) && !demands.is_recorded &&
           !demands.has_ranks && !demands.explains;
}

/// Whether nodes may keep values without programs: not with routes, shared ports, or links for one direction at a time.
bool allows_values(const Job& job, const Demands& demands) {
    const Machine& machine = job.machine;
    return !machine.has_paths() && machine.duplex == Duplex::full && !machine.is_exclusive() && job.all_start &&
           job.starters_wait_until.empty() && job.collective.folds() && !watches_programs(demands) &&
           !demands.is_recorded && !demands.has_ranks && !demands.explains;
}

bool has_number_per_message(const Job& job, bool of_segments) {
    const NodeId nodes = job.machine.topology->nodes();
    const std::uint64_t segments = job.collective.segments(nodes);
    const Folder folder(job.reduction, job.collective.packet_bytes, job.seed, job.payload, segments);
    if (!of_segments) return folder.has_elements();
    return folder.has_elements_of_segments() && segments == nodes && job.reduction.commutative();
}

/// `by_number`: messages of several packets are numbers.
Execution nodes_of(const Job& job, const Demands& demands, bool by_number) {
    const bool one_packet = job.collective.one_packet();
    if (allows_cursors(job, demands)) {
        // Bytes show that a node has passed packets on.
        if (plan_of<Splitting>(job) != nullptr && job.payload && may_be_brief(job, demands))
            return Execution::splitting;
        const auto* forwarding = plan_of<Forwarding>(job);
        if (forwarding != nullptr && forwarding->content() == Plan::Content::packet && one_packet)
            return Execution::forwarding;
        if (plan_of<Timetable>(job) != nullptr && (one_packet || by_number)) return Execution::timetable;
    }
    if (plan_of<ValueExchange>(job) != nullptr && allows_values(job, demands)) {
        const bool is_relay = plan_of<SegmentRelay>(job) != nullptr;
        if (has_number_per_message(job, is_relay)) return is_relay ? Execution::relay : Execution::exchange;
    }
    return follows_schedule(job) ? Execution::scripts : Execution::programs;
}

}  // namespace

Demands demands_in_lockstep(const RunOptions& options) {
    Demands demands;
    demands.has_order = options.order != nullptr;
    demands.has_faults = options.sabotage != nullptr;
    demands.lists_sends = options.asked != nullptr;
    demands.is_recorded = options.recorded_schedule != nullptr;
    demands.has_ranks = options.ranks != nullptr;
    return demands;
}

ChosenExecution choose_execution(const Job& job, const Demands& demands) {
    const bool by_number = !job.collective.one_packet() && PacketStore::gives_places(job.collective) &&
                           !demands.has_faults && job.brought == nullptr;
    const Execution nodes = nodes_of(job, demands, by_number);
    const bool is_brief =
        (nodes == Execution::splitting || nodes == Execution::timetable) && may_be_brief(job, demands);
    return {nodes, by_number, is_brief};
}

NodeBytes estimate(const ChosenExecution& chosen, const Machine& machine) {
    constexpr double bytes_reached = 1;  // instead of a slot
    constexpr double bytes_routes_and_uses = 16;
    constexpr double bytes_cursor = 56;
    constexpr double bytes_program = 240;  // its frame, its node and its messages; sbt on a hypercube takes 200
    constexpr double bytes_with_routes = 500;
    const bool is_forwarding = chosen.nodes == Execution::forwarding || chosen.nodes == Execution::splitting;
    const bool is_wormhole = machine.has_paths();
    const bool counts_uses =
        !machine.has_one_limit() || (machine.ports.k() > 1 && (machine.topology->fabric() != nullptr ||
                                                               machine.widest() < machine.topology->max_degree()));
    const bool fills_all = is_wormhole || counts_uses || machine.duplex == Duplex::half || machine.is_exclusive() ||
                           machine.noho == Noho::strict;
    NodeBytes bytes;
    bytes.kept = static_cast<double>(World::bytes_per_node) - (fills_all ? 0 : bytes_routes_and_uses) +
                 (is_forwarding ? bytes_reached - static_cast<double>(sizeof(Slot)) : 0);
    bytes.untouched = static_cast<double>(World::bytes_per_node + sizeof(FurtherSends)) - bytes.kept;
    switch (chosen.nodes) {
        case Execution::forwarding:
        case Execution::splitting: bytes.at_work = bytes_cursor; break;
        case Execution::timetable:
        case Execution::in_step:
            bytes.at_work = bytes_cursor;
            bytes.all_at_work = true;
            break;
        case Execution::exchange:
        case Execution::relay:
            bytes.at_work = static_cast<double>(ExchangeRun::bytes_per_node);
            bytes.all_at_work = true;
            break;
        default: bytes.at_work = is_wormhole ? bytes_with_routes : bytes_program;
    }
    return bytes;
}

std::string_view name(Execution execution) {
    constexpr std::array<std::string_view, executions_count> names = {
        "programs", "scripts", "forwarding",   "splitting",   "timetable",   "in step",
        "exchange", "relay",   "small rounds", "full rounds", "arbitration", "order",
        "threads",  "ranks",   "free",         "replay",      "mover"};
    return names[static_cast<std::size_t>(execution)];
}

}  // namespace kport
