#include "bench/broadcast/contenders.hpp"

#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/topology/hypercube.hpp"

namespace kport::bench {

namespace {

constexpr std::uint64_t broadcast_bytes = 8;

/// Each node forwards to the next higher one: the simplest program for a line.
Program along_the_line(Node& self, const Topology& line, Packet packet) {
    if (self.id() != 0) {
        const Arrival arrival = co_await self.receive();
        packet = arrival.packet();
    }
    if (self.id() + 1 < line.nodes()) co_await self.send_to(self.id() + 1, packet);
}

/// Each node forwards across all dimensions above that by which the packet came.
Program down_the_tree(Node& self, const Hypercube& cube, Packet packet) {
    int across = -1;
    if (self.id() != 0) {
        const Arrival arrival = co_await self.receive();
        packet = arrival.packet();
        across = cube.dimension_of(arrival.port);
    }
    for (++across; across < cube.dimensions(); ++across) co_await self.send(cube.port(across), packet);
}

Job catalogue_job(const std::string& algorithm, std::shared_ptr<const Topology> topology, PortLimit ports,
                  std::uint64_t packets = 1, std::uint64_t packet_bytes = broadcast_bytes) {
    Machine machine;
    machine.topology = std::move(topology);
    machine.ports = ports;
    Collective collective = Collective::broadcast(0, packet_bytes);
    collective.packets_each = packets;
    return make_job(algorithm_named(algorithm, machine, collective, {}), machine, collective, {});
}

Outcome broadcast(Measurement& measurement, const Job& job, unsigned threads, std::uint64_t rounds) {
    const NodeId nodes = job.machine.topology->nodes();
    const std::uint64_t messages = job.collective.packets_each * (nodes - 1);
    RunOptions options;
    options.threads = threads;
    const RunResult result = run_lockstep(job, options);
    measurement.pause();
    const Verdict& verdict = result.verdict;
    return measurement.outcome(messages, nodes,
                               verdict.lawful() && verdict.delivered && verdict.holders == nodes &&
                                   verdict.metrics.transfers == messages && verdict.metrics.rounds == rounds);
}

}  // namespace

Outcome kport_sbt(int n, PortLimit ports, unsigned threads, Payload payload, std::uint64_t packet_bytes) {
    Measurement measurement;
    Job job = catalogue_job("sbt", std::make_shared<const Hypercube>(n), ports, 1, packet_bytes);
    job.payload = payload == Payload::copied;
    return broadcast(measurement, job, threads, static_cast<std::uint64_t>(n));
}

Outcome kport_msbt(int n, std::uint64_t packets, unsigned threads, Payload payload, std::uint64_t packet_bytes) {
    Measurement measurement;
    Job job = catalogue_job("msbt", std::make_shared<const Hypercube>(n), PortLimit(1), packets, packet_bytes);
    job.payload = payload == Payload::copied;
    return broadcast(measurement, job, threads, packets - 1 + static_cast<std::uint64_t>(n));
}

Outcome kport_own_sbt(int n, PortLimit ports, unsigned threads) {
    Measurement measurement;
    const auto cube = std::make_shared<const Hypercube>(n);
    Job job;
    job.machine.topology = cube;
    job.machine.ports = ports;
    job.program = [&cube = *cube](Node& self) { return down_the_tree(self, cube, Packet(0)); };
    job.starters = {0};
    job.collective = Collective::broadcast(0, broadcast_bytes);
    return broadcast(measurement, job, threads, static_cast<std::uint64_t>(n));
}

Outcome kport_line(NodeId nodes, unsigned threads) {
    Measurement measurement;
    const Job job = catalogue_job("dost", make_topology(fmt::format("line:{}", nodes)), PortLimit(1));
    return broadcast(measurement, job, threads, nodes - 1);
}

Outcome kport_own_line(NodeId nodes, unsigned threads) {
    Measurement measurement;
    Job job;
    job.machine.topology = make_topology(fmt::format("line:{}", nodes));
    job.machine.ports = PortLimit(1);
    job.program = [&line = *job.machine.topology](Node& self) { return along_the_line(self, line, Packet(0)); };
    job.starters = {0};
    job.collective = Collective::broadcast(0, broadcast_bytes);
    return broadcast(measurement, job, threads, nodes - 1);
}

}  // namespace kport::bench
