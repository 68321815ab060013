#include "bench/collectives/contenders.hpp"

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "algorithms/run_algorithm.hpp"
#include "emulator/topology/topology.hpp"

namespace kport::bench {

namespace {

constexpr std::uint64_t element_bytes = 8;
constexpr std::uint64_t scattered_bytes = 64;

Outcome run(Operation operation, std::string_view algorithm, const std::string& spec, std::uint64_t packet_bytes,
            unsigned threads) {
    Measurement measurement;
    Machine machine;
    machine.topology = make_topology(spec);
    const Collective collective{operation, 0, packet_bytes};
    RunOptions options;
    options.threads = threads;
    const Algorithm& row = algorithm_named(algorithm, machine, collective, {});
    const RunResult result = run_algorithm(row, machine, collective, {}, {}, options);
    measurement.pause();
    return measurement.outcome(result.verdict.metrics.transfers, machine.topology->nodes(),
                               result.verdict.lawful() && result.verdict.delivered);
}

}  // namespace

Outcome kport_allreduce_exchange(int n, unsigned threads) {
    return run(Operation::allreduce, "exchange", fmt::format("hypercube:{}", n), element_bytes, threads);
}

Outcome kport_scan_exchange(int n, unsigned threads) {
    return run(Operation::scan, "exchange", fmt::format("hypercube:{}", n), element_bytes, threads);
}

Outcome kport_scatter_sbt(int n, unsigned threads) {
    return run(Operation::scatter, "sbt", fmt::format("hypercube:{}", n), scattered_bytes, threads);
}

Outcome kport_alltoall_exchange(int n, unsigned threads) {
    return run(Operation::alltoall, "exchange", fmt::format("hypercube:{}", n), element_bytes, threads);
}

Outcome kport_alltoall_ring(NodeId nodes, unsigned threads) {
    return run(Operation::alltoall, "ring", fmt::format("ring:{}", nodes), element_bytes, threads);
}

Outcome memcpy_scatter_sbt(int n) {
    const NodeId nodes = NodeId{1} << n;
    std::vector<std::byte> root(nodes * scattered_bytes, std::byte{7});  // filled before the run
    Measurement measurement;
    std::vector<std::unique_ptr<std::byte[]>> bundles;
    bundles.reserve(nodes);
    for (std::uint64_t size = root.size() / 2; size >= scattered_bytes; size /= 2)
        for (std::uint64_t holder = 0; holder < root.size(); holder += 2 * size) {
            bundles.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
            std::memcpy(bundles.back().get(), root.data() + holder + size, size);
        }
    measurement.pause();
    bool right = bundles.size() == nodes - 1;
    for (const auto& bundle : bundles) right = right && bundle[0] == std::byte{7};
    return measurement.outcome(nodes - 1, nodes, right);
}

Outcome memcpy_alltoall(NodeId nodes) {
    std::vector<std::byte> row(nodes * element_bytes, std::byte{7});
    Measurement measurement;
    std::vector<std::unique_ptr<std::byte[]>> held;
    for (NodeId v = 0; v < nodes; ++v) {
        held.push_back(std::make_unique_for_overwrite<std::byte[]>(row.size()));
        std::memcpy(held.back().get(), row.data(), row.size());
    }
    measurement.pause();
    bool right = true;
    for (const auto& bundle : held) right = right && bundle[0] == std::byte{7};
    return measurement.outcome(nodes, nodes, right);
}

}  // namespace kport::bench
