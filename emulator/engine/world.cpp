#include "emulator/engine/world.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include <fmt/format.h>

#include "emulator/base/error.hpp"

namespace kport {

namespace {

/// Messages, requests and audit records hold node numbers of 32 bits, of which the largest two have another meaning.
constexpr NodeId nodes_of_a_run_max = 0xFFFFFFFE;

const Job& checked(const Job& job) {
    const Topology& topology = *job.machine.topology;
    if (topology.nodes() > nodes_of_a_run_max)
        throw DoesNotFit(fmt::format("{} has {} nodes; a run holds at most {}", topology.spec(), topology.nodes(),
                                     nodes_of_a_run_max));
    const auto check = [&](const char* who, NodeId v) {
        if (v >= topology.nodes())
            throw RequestError(
                fmt::format("{} '{}': {} has nodes 0 to {}", who, v, topology.spec(), topology.nodes() - 1));
    };
    check("source", job.promise.source);
    for (const NodeId v : job.starters) check("starter", v);
    return job;
}

}  // namespace

Deal::Deal(NodeId nodes) {
    const NodeId blocks = nodes >> block_bits;
    mask_ = blocks < 2 ? 0 : std::min(partitions_max, static_cast<unsigned>(std::bit_floor(blocks))) - 1;
}

World::World(const Job& the_job, const RunOptions& options)
    : job(checked(the_job)), topology(*job.machine.topology), deal(topology.nodes()), limit(job.machine.ports.k()),
      wormhole(job.machine.switching == Switching::wormhole), slots(topology.nodes()), claims(topology.nodes()),
      bundles(job.promise.operation != Operation::broadcast),
      memory(job.payload && !bundles
                 ? PacketMemory(topology.nodes(), job.promise.packet_bytes, job.promise.source, job.seed)
                 : PacketMemory()),
      auditor(job.machine, job.promise, deal.partitions(), options.per_round), record(options.record) {
    (void)slots[job.promise.source].first_bytes();
    if (is_reduction(job.promise.operation)) {
        require_valid(job.reduction, topology.nodes(), job.promise.packet_bytes);
        folder.emplace(job.reduction, job.promise.packet_bytes, job.seed, job.payload);
        results = HugeArray<Body*>(topology.nodes());
    } else if (bundles && job.payload) {
        store.emplace(job.promise, topology.nodes(), job.seed);
    }
}

}  // namespace kport
