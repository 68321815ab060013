#include "emulator/engine/world.hpp"

#include <algorithm>
#include <bit>

namespace kport {

Deal::Deal(NodeId nodes, NodeId partition_nodes)
    : block_bits_(static_cast<unsigned>(std::bit_width(partition_nodes - 1))) {
    const NodeId blocks = nodes >> block_bits_;
    mask_ = blocks < 2 ? 0 : std::min(partitions_max, static_cast<unsigned>(std::bit_floor(blocks))) - 1;
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

}  // namespace

World::World(const Job& the_job, const RunOptions& options)
    : Stage(the_job, options), deal(topology.nodes(), options.partition_nodes), claims(topology.nodes()),
      auditor(job.machine, judged, deal.partitions(), options.per_round, options.violations_max),
      rounds(job.machine, auditor),
      packets_by_number(bundles && job.collective.operation->carries == Carries::copies && sabotage == nullptr &&
                        job.brought == nullptr),
      records_asked(options.asked != nullptr), order(options.order),
      forwarding(forwarding_of(job, options)) {}

}  // namespace kport
