#include "emulator/engine/world.hpp"

#include <algorithm>
#include <bit>

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

/// Null where a node keeps more than a cursor: several packets, routes, ports that two neighbours share; or where somebody
/// looks at programs, or interferes with them.
const Forwarding* forwarding_of(const Job& job, const RunOptions& options) {
    const auto* program = job.program.target<ForwardingProgram>();
    const bool is_plain = job.collective.one_packet() && job.machine.switching == Switching::store_and_forward &&
                          !job.machine.pairwise && !job.all_start && job.starters_wait_until.empty() &&
                          job.starters == std::vector<NodeId>{job.collective.root};
    const bool is_watched = options.order != nullptr || options.sabotage != nullptr || options.asked != nullptr;
    return program != nullptr && is_plain && !is_watched ? &program->forwarding() : nullptr;
}

/// Of this rank.
NodeShare share_of(const Job& job, const RunOptions& options) {
    const Deal deal(checked(job, options).machine.topology->nodes(), options.partition_nodes);
    return options.ranks != nullptr ? deal.share(options.ranks->size(), options.ranks->rank()) : deal.share(1, 0);
}

}  // namespace

World::World(const Job& the_job, const RunOptions& options, bool exchanges)
    : Stage(the_job, options, share_of(the_job, options)), deal(topology.nodes(), options.partition_nodes),
      claims(topology.nodes(), share),
      auditor(job.machine, judged, deal.partitions(), options.per_round, options.violations_max, share,
              options.ranks == nullptr || options.ranks->rank() == 0),
      rounds(job.machine, auditor), records_asked(options.asked != nullptr), order(options.order),
      forwarding(forwarding_of(job, options)),
      exchange(exchanges ? ExchangeRun::of(job, folder ? &*folder : nullptr, options) : nullptr) {}

}  // namespace kport
