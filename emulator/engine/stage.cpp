#include "emulator/engine/stage.hpp"

#include <atomic>
#include <utility>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/engine/payload.hpp"
#include "emulator/node/running.hpp"
#include "emulator/schedule/port_needs.hpp"
#include "emulator/topology/fabric.hpp"

namespace kport {

namespace {

/// Messages, requests and audit records hold node numbers of 32 bits, of which the largest two have another meaning.
constexpr NodeId nodes_of_a_run_max = 0xFFFFFFFE;
constexpr NodeId partition_nodes_max = NodeId{1} << 40;

/// Of each node so many bytes as the packets have that an earlier run has brought it.
void require_brought(const Job& job) {
    if (job.brought == nullptr) return;
    const Topology& topology = *job.machine.topology;
    const std::vector<Holdings::OfNode>& nodes = job.brought->of_node;
    if (nodes.size() != topology.nodes())
        throw RequestError(fmt::format("the bytes that an earlier run has brought are those of {}; {} has {}",
                                       counted(nodes.size(), "node"), topology.spec(), topology.nodes()));
    const std::uint64_t packet_bytes = job.collective.packet_bytes;
    for (NodeId v = 0; job.payload && packet_bytes != 0 && v < topology.nodes(); ++v)
        if (nodes[v].bytes.size() % packet_bytes != 0 ||
            nodes[v].bytes.size() / packet_bytes != nodes[v].packets.size())
            throw RequestError(fmt::format("node {} has been brought {} in {}; want {} each", topology.name(v),
                                           counted(nodes[v].packets.size(), "packet"),
                                           counted(nodes[v].bytes.size(), "byte"), packet_bytes));
}

std::uint32_t number_of_a_run() {
    static std::atomic<std::uint32_t> last = 0;
    return ++last;
}

}  // namespace

void require_outside_programs() {
    if (running.pool != nullptr)
        throw RequestError("a node program starts a run; start it when the run that the program is part of is over");
}

const Job& checked(const Job& job, const RunOptions& options) {
    require_outside_programs();
    require_topology(job.machine);
    require_ports(job.machine, job.collective);
    if (!job.program) throw RequestError("the job has no program; want a function that makes the program of a Node");
    if (options.threads > run_threads_max)
        throw RequestError(fmt::format("{} threads; a run has at most {}", options.threads, run_threads_max));
    if (options.partition_nodes == 0 || options.partition_nodes > partition_nodes_max)
        throw RequestError(
            fmt::format("partition_nodes {}: want 1 to {}", options.partition_nodes, partition_nodes_max));
    if (options.sabotage != nullptr && options.threads > 1)
        throw RequestError(fmt::format("{} threads; faults are injected on 1", options.threads));
    if (options.max_rounds > max_rounds_max)
        throw RequestError(
            fmt::format("max_rounds {}: a run has at most {} rounds", options.max_rounds, max_rounds_max));
    if (options.ranks != nullptr &&
        (options.order != nullptr || options.sabotage != nullptr || options.asked != nullptr))
        throw RequestError(
            "several ranks run a job in their own order, without faults, and do not tell what programs asked to send");
    require_valid(job.machine.costs);
    const Topology& topology = *job.machine.topology;
    if (topology.nodes() > nodes_of_a_run_max)
        throw DoesNotFit(fmt::format("{} has {} nodes; a run holds at most {}", topology.spec(), topology.nodes(),
                                     nodes_of_a_run_max));
    require_valid(job.collective, topology);
    require_brought(job);
    for (const NodeId v : job.starters)
        if (v >= topology.nodes())
            throw RequestError(
                fmt::format("starter '{}': {} has nodes 0 to {}", v, topology.spec(), topology.nodes() - 1));
    if (const std::size_t given = job.starters_wait_until.size(); given != 0 && given != job.starters.size())
        throw RequestError(fmt::format("starters_wait_until gives {} rounds; want one for each of the {} starters",
                                       given, job.starters.size()));
    return job;
}

namespace {

/// Hosts have at most as many ports as their links carry messages.
Port most_in_fabric(const Fabric* fabric, Port limit) {
    return fabric == nullptr ? limit : static_cast<Port>(std::min<std::uint64_t>(limit, fabric->max_width()));
}

}  // namespace

Stage::Stage(const Job& the_job, const RunOptions& options, const NodeShare& own)
    : job(checked(the_job, options)), judged(folding(job.collective, job.reduction)), run(number_of_a_run()),
      topology(*job.machine.topology), fabric(topology.fabric()), sabotage(options.sabotage),
      limit(job.machine.common_ports().sends()), receive_limit(job.machine.common_ports().receives()),
      most_sends(most_in_fabric(fabric, job.machine.highest_ports().sends())),
      most_receives(most_in_fabric(fabric, job.machine.highest_ports().receives())), wormhole(job.machine.has_paths()),
      chooses_routes(job.machine.chooses_routes()),
      max_rounds(options.max_rounds != 0 ? options.max_rounds : default_max_rounds(topology.nodes())),
      packets(job.collective, topology.nodes()), share(own), slots(topology.nodes(), share),
      bundles(!job.collective.one_packet()), numbering(job.collective.promises() ? topology.nodes() : 0),
      memory(job.payload && !bundles
                 ? PacketMemory(topology.nodes(), job.collective.packet_bytes, job.collective.root, job.seed, share)
                 : PacketMemory()),
      seals(job.collective.folds() || !job.collective.promises()) {
    seed_root();
    if (job.collective.folds()) {
        require_valid(job.reduction, topology.nodes(), job.collective);
        folder.emplace(job.reduction, job.collective.packet_bytes, job.seed, job.payload,
                       job.collective.segments(topology.nodes()), judged.unfolded);
        results = NodeArray<Body*>(topology.nodes(), share);
    } else if (!job.collective.promises()) {
        contents.emplace();
    } else if (bundles) {
        passed_on = PassedOn(topology.nodes(), share);
        if (job.payload && !job.collective.signals())
            store.emplace(job.collective, topology.nodes(), job.seed, job.brought, share,
                          sabotage != nullptr || job.brought != nullptr);
    }
}

void Stage::keep(Holdings& kept, const Auditor& auditor) const {
    kept.of_node.assign(topology.nodes(), {});
    if (!store) return;
    share.for_each(topology.nodes(), [&](NodeId v) {
        const PacketBlocks all = auditor.must_hold(v);
        kept.of_node[v] = store->held(v, span_of(all));
    });
}

void Stage::seed_root() {
    if (share.contains(job.collective.root)) (void)slots[job.collective.root].first_bytes();
}

void Stage::restart() {
    for (NodeId v = 0; v < topology.nodes(); ++v) slots[v] = {};
    seed_root();
    if (memory.holds_bytes()) memory.spoil();
    if (folder) folder->seal_anew();
}

void Stage::make_owned(FramePool& pool) {
    if (store)
        for (NodeId v = 0; v < topology.nodes(); ++v) store->seed(v, pool);
    if (!folder || folder->has_elements()) return;
    if (contributions.empty()) contributions = NodeArray<Body*>(topology.nodes(), share);
    for (NodeId v = 0; v < topology.nodes(); ++v) contributions[v] = folder->contribution(v, pool);
}

void Stage::clear(NodeId v, FramePool& pool) {
    if (store) store->clear(v, pool);
    if (!folder) return;
    if (Body* result = std::exchange(results[v], nullptr)) result->release(pool);
    if (contributions.empty()) return;
    if (Body* contribution = std::exchange(contributions[v], nullptr)) contribution->release(pool);
}

PayloadCheck checked_payload(const PacketStore& store, bool has_own, const Collective& collective, NodeId nodes,
                             NodeId v, const Auditor& auditor) {
    const PacketSet own = collective.owned(v, nodes);
    PacketBlocks must = auditor.must_hold(v);
    if (!has_own) must = without(span_of(must), own.blocks());
    const PacketStore::Check found = store.check(v, span_of(must));
    PayloadCheck check;
    check.node = v;
    check.packets = size_of(span_of(must)) - common_size(span_of(must), own.blocks());
    if (!found.missing.empty())
        check.packets -= found.missing.size() - common_size(found.missing.blocks(), own.blocks());
    check.bytes = check.packets * collective.packet_bytes;
    check.lacking = found.missing.size() + found.wrong;
    if (!found.missing.empty()) check.missing = lowest_of(found.missing.blocks(), nodes);
    if (found.first) {
        check.differs = found.first->packet;
        check.byte = found.first->byte;
    }
    return check;
}

}  // namespace kport
