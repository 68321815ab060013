#include "emulator/engine/world.hpp"

#include <algorithm>
#include <bit>

#include "emulator/node/timetable.hpp"

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

const Forwarding* forwarding_of(const Job& job, Execution nodes) {
    return nodes == Execution::splitting || nodes == Execution::forwarding ? plan_of<Forwarding>(job) : nullptr;
}

/// Asks for the last lines of all nodes. False if the timetable throws: the cursor run reports that in its round.
bool asks_for_last_lines(const Timetable& timetable, NodeId nodes, NodeArray<LinesLeft>& lines) {
    Attempt asking;
    asking.make([&] {
        for (NodeId v = 0; v < nodes; ++v) lines[v].last = round_of_last_line(timetable, v);
    });
    return !asking.has_failed();
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

ChosenExecution chosen_for(const Job& job, const RunOptions& options, bool is_attempt) {
    Demands demands = demands_in_lockstep(options);
    demands.explains = !is_attempt;
    return choose_execution(job, demands);
}

}  // namespace

World::World(const Job& the_job, const RunOptions& options, bool is_attempt)
    : Stage(the_job, options, share_of(the_job, options)), chosen(chosen_for(job, options, is_attempt)),
      deal(topology.nodes(), options.partition_nodes), claims(topology.nodes(), share),
      packets_by_number(chosen.packets_by_number), forwarding(forwarding_of(job, chosen.nodes)),
      splitting(chosen.nodes == Execution::splitting ? plan_of<Splitting>(job) : nullptr),
      timetable(chosen.nodes == Execution::timetable ? plan_of<Timetable>(job) : nullptr),
      reached(forwarding != nullptr ? topology.nodes() : 0, share), brief(chosen.is_brief),
      auditor(job.machine, judged, deal.partitions(), options.per_round, options.violations_max, share,
              options.ranks == nullptr || options.ranks->rank() == 0, brief),
      rounds(job.machine, auditor), records_asked(options.asked != nullptr), order(options.order),
      lines_left(timetable != nullptr ? topology.nodes() : 0, share),
      knows_last_lines(brief && timetable != nullptr && asks_for_last_lines(*timetable, topology.nodes(), lines_left)),
      last_line(knows_last_lines ? last_of(lines_left, job) : 0), lines(last_line != 0 ? topology.nodes() : 0, share),
      cursors(timetable != nullptr && last_line == 0 ? topology.nodes() : 0, share) {
    if (chosen.nodes == Execution::exchange || chosen.nodes == Execution::relay) {
        exchange = ExchangeRun::of(job);
        if (exchange == nullptr) chosen.nodes = Execution::programs;
    }
    if (last_line != 0) chosen.nodes = Execution::in_step;
    if (forwarding != nullptr && share.contains(job.collective.root)) reached[job.collective.root] = true;
    if (brief && timetable != nullptr && store) store->leave_notes_to(auditor.held_packets());
    if (last_line != 0 && store) store->stand_in_groups();
}

}  // namespace kport
