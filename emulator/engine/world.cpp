#include "emulator/engine/world.hpp"

#include <algorithm>
#include <bit>

#include "emulator/engine/answered.hpp"
#include "emulator/engine/script.hpp"
#include "emulator/node/timetable_lines.hpp"

namespace kport {

Deal::Deal(NodeId nodes, NodeId partition_nodes)
    : block_bits_(static_cast<unsigned>(std::bit_width(partition_nodes - 1))) {
    const NodeId blocks = nodes >> block_bits_;
    mask_ = blocks < 2 ? 0 : std::min(partitions_max, static_cast<unsigned>(std::bit_floor(blocks))) - 1;
}

NodeId Deal::nodes(unsigned partition, NodeId all) const {
    const NodeId turn = block() * partitions();
    const NodeId rest = all % turn;
    const NodeId before = block() * partition;
    return all / turn * block() + (rest > before ? std::min(rest - before, block()) : 0);
}

namespace {

/// Whether a node may be a cursor: not where there are routes, or ports that two neighbours share; nor where somebody looks at
/// programs, or interferes with them.
bool allows_cursors(const Job& job, const RunOptions& options) {
    const bool is_plain = job.machine.switching == Switching::store_and_forward && !job.machine.pairwise &&
                          !job.all_start && job.starters_wait_until.empty() &&
                          job.starters == std::vector<NodeId>{job.collective.root};
    return is_plain && options.order == nullptr && options.sabotage == nullptr && options.asked == nullptr;
}

/// Whether the auditor can be brief, and what it does not keep is kept by nobody: then nobody sees that the run begins anew.
bool may_be_brief(const Job& job, const RunOptions& options) {
    const bool shows_what_came = !job.payload || job.collective.packet_bytes > 0;  // a packet's first byte is not 0
    return shows_what_came && Auditor::may_be_brief(job.machine, job.collective) &&
           options.recorded_schedule == nullptr && options.ranks == nullptr;
}

/// Null where an auditor keeps more, or there are no bytes, which tell that a node has passed packets on.
const Splitting* splitting_of(const Job& job, const RunOptions& options) {
    const auto* program = job.program.target<SplittingProgram>();
    return program != nullptr && job.payload && allows_cursors(job, options) && may_be_brief(job, options)
               ? &program->splitting()
               : nullptr;
}

/// Null where a node keeps more than a cursor, such as several packets that it sends one after the other.
const Forwarding* forwarding_of(const Job& job, const RunOptions& options, bool plain) {
    if (const Splitting* splitting = plain ? splitting_of(job, options) : nullptr) return splitting;
    const auto* program = job.program.target<ForwardingProgram>();
    return program != nullptr && job.collective.one_packet() && allows_cursors(job, options) ? &program->forwarding()
                                                                                             : nullptr;
}

/// Null where messages are more than a packet's number.
const Timetable* timetable_of(const Job& job, const RunOptions& options, bool packets_by_number) {
    const auto* program = job.program.target<TimetableProgram>();
    return program != nullptr && (job.collective.one_packet() || packets_by_number) && allows_cursors(job, options)
               ? &program->timetable()
               : nullptr;
}

/// Asks for the last lines of all nodes. False if one cannot be: the cursors fail in their
/// round.
bool asks_for_last_lines(const Timetable& timetable, NodeId nodes, NodeArray<LinesLeft>& lines) {
    return answered([&] {
        for (NodeId v = 0; v < nodes; ++v) lines[v].last = round_of_last_line(timetable, v);
    });
}

/// The last line of all nodes; 0 if there are so many rounds that a node has nothing to do in most of them.
Round last_of(const NodeArray<LinesLeft>& lines, const Job& job) {
    Round last = 0;
    for (NodeId v = 0; v < job.machine.topology->nodes(); ++v) last = std::max(last, lines[v].last);
    return last / 2 <= job.collective.packets_each ? last : 0;
}

/// Of this rank.
NodeShare share_of(const Job& job, const RunOptions& options) {
    const Deal deal(checked(job, options).machine.topology->nodes(), options.partition_nodes);
    return options.ranks != nullptr ? deal.share(options.ranks->size(), options.ranks->rank()) : deal.share(1, 0);
}

}  // namespace

World::World(const Job& the_job, const RunOptions& options, bool plain)
    : Stage(the_job, options, share_of(the_job, options)), deal(topology.nodes(), options.partition_nodes),
      claims(topology.nodes(), share), packets_by_number(bundles && PacketStore::gives_places(job.collective) &&
                                                         sabotage == nullptr && job.brought == nullptr),
      forwarding(forwarding_of(job, options, plain)), splitting(plain ? splitting_of(job, options) : nullptr),
      timetable(timetable_of(job, options, packets_by_number)),
      reached(forwarding != nullptr ? topology.nodes() : 0, share),
      brief(plain && (splitting != nullptr || (timetable != nullptr && may_be_brief(job, options)))),
      auditor(job.machine, judged, deal.partitions(), options.per_round, options.violations_max, share,
              options.ranks == nullptr || options.ranks->rank() == 0, brief),
      rounds(job.machine, auditor), records_asked(options.asked != nullptr), order(options.order),
      lines_left(timetable != nullptr ? topology.nodes() : 0, share),
      knows_last_lines(brief && timetable != nullptr && asks_for_last_lines(*timetable, topology.nodes(), lines_left)),
      last_line(knows_last_lines ? last_of(lines_left, job) : 0), lines(last_line != 0 ? topology.nodes() : 0, share),
      cursors(timetable != nullptr && last_line == 0 ? topology.nodes() : 0, share),
      exchange(plain ? ExchangeRun::of(job, folder ? &*folder : nullptr, options) : nullptr) {
    if (forwarding != nullptr && share.contains(job.collective.root)) reached[job.collective.root] = true;
    if (brief && timetable != nullptr && store) store->leave_notes_to(auditor.held_packets());
    if (last_line != 0 && store) store->stand_in_groups();
}

Execution World::execution() const {
    if (exchange) return exchange->relay != nullptr ? Execution::relay : Execution::exchange;
    if (splitting != nullptr) return Execution::splitting;
    if (forwarding != nullptr) return Execution::forwarding;
    if (timetable != nullptr) return last_line != 0 ? Execution::in_step : Execution::timetable;
    return follows_schedule(job) ? Execution::scripts : Execution::programs;
}

}  // namespace kport
