/// @file long.cpp   What a message costs where packets or segments are many, and the sets that a message carries irregular.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "algorithms/run_algorithm.hpp"
#include "bench/support/outcome.hpp"
#include "bench/support/register.hpp"
#include "emulator/topology/topology.hpp"

namespace kport::bench {

namespace {

/// An algorithm of the catalogue on M packets of each.
struct Case {
    Operation operation;
    std::string algorithm;
    std::string spec;
    std::uint64_t packets_each = 1;
    PortLimit ports = PortLimit(1);
    bool payload = true;
};

Outcome run(const Case& what) {
    Measurement measurement;
    Machine machine;
    machine.topology = make_topology(what.spec);
    machine.ports = what.ports;
    Collective collective{what.operation, 0, 8};
    collective.packets_each = what.packets_each;
    Payload payload;
    payload.copied = what.payload;
    const Algorithm& row = algorithm_named(what.algorithm, machine, collective, {});
    const RunResult result = run_algorithm(row, machine, collective, {}, payload, {});
    measurement.pause();
    return measurement.outcome(result.verdict.metrics.transfers, machine.topology->nodes(),
                               result.verdict.lawful() && result.verdict.delivered);
}

std::vector<Contender> contenders() {
    const bool small = tiny();
    const int n = small ? 5 : 14;
    const std::uint64_t nodes = small ? 32 : 512;
    const std::string cube = fmt::format("hypercube:{}", n);
    const std::string planned = fmt::format("hypercube:{}", small ? 4 : 9);
    std::vector<Contender> all;
    for (const Case& what : std::vector<Case>{
             {Operation::broadcast, "sbt", cube},
             {Operation::broadcast, "msbt", cube, 256},
             {Operation::allreduce, "ring", fmt::format("ring:{}", nodes), nodes},
             {Operation::allreduce, "halving-doubling", planned, std::uint64_t{1} << (small ? 4 : 9)},
             {Operation::allreduce, "halving-doubling", cube, std::uint64_t{1} << n, PortLimit(1), false},
             {Operation::reduce_scatter, "ring-per-dimension", small ? "torus:4x4" : "torus:16x32"},
             {Operation::reduce_scatter, "swing", fmt::format("complete:{}", nodes)},
             {Operation::alltoall, "koenig", planned, 1, PortLimit::all()},
             {Operation::allgather, "coloured-exchange", planned},
             {Operation::alltoall, "coloured-exchange", planned},
         })
        all.push_back({fmt::format("Long/{}_{}/{}/{}_packets{}", name(what.operation), what.algorithm, what.spec,
                                   what.packets_each, what.payload ? "" : "_no_bytes"),
                       [what] { return run(what); }});
    return all;
}

[[maybe_unused]] const bool registered = register_contenders(contenders());

}  // namespace

}  // namespace kport::bench
