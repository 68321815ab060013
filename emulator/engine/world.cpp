#include "emulator/engine/world.hpp"

#include <algorithm>
#include <bit>

namespace kport {

Deal::Deal(NodeId nodes, NodeId partition_nodes)
    : block_bits_(static_cast<unsigned>(std::bit_width(partition_nodes - 1))) {
    const NodeId blocks = nodes >> block_bits_;
    mask_ = blocks < 2 ? 0 : std::min(partitions_max, static_cast<unsigned>(std::bit_floor(blocks))) - 1;
}

World::World(const Job& the_job, const RunOptions& options)
    : Stage(the_job, options), deal(topology.nodes(), options.partition_nodes), claims(topology.nodes()),
      auditor(job.machine, judged, deal.partitions(), options.per_round, options.violations_max),
      rounds(job.machine, auditor), records_asked(options.asked != nullptr), order(options.order) {}

}  // namespace kport
