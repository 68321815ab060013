#include "algorithms/switched.hpp"

#include <algorithm>

#include "algorithms/support/parallel_switches.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/topology/complete.hpp"

namespace kport {

namespace {

/// The hosts alone, each linked to each.
Machine hosts_alone(const Machine& machine, const ParallelSwitches& switches) {
    const std::uint64_t channels = switches.switches * switches.capacity;
    Machine alone = with_ports_at_most(machine, static_cast<Port>(std::min<std::uint64_t>(channels, no_port - 1)));
    alone.topology = std::make_shared<const Complete>(machine.topology->nodes());
    alone.prices = nullptr;
    return alone;
}

}  // namespace

bool is_switched(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                 const AlgorithmOptions& options) {
    if (machine.topology->fabric() == nullptr || machine.pairwise || collective.is_own() ||
        collective.groups != nullptr || algorithm.is_own || algorithm.plan != nullptr || algorithm.breaks != nullptr)
        return false;
    const PortLimit most = machine.highest_ports();
    if (std::max(most.sends(), most.receives()) < 2) return false;
    const auto switches = parallel_switches(machine);
    return switches && !misfit_of(algorithm, hosts_alone(machine, *switches), collective, options);
}

std::shared_ptr<const RouteBook> routes_by_switches(const Algorithm& algorithm, const Machine& asked,
                                                    const Collective& collective, const AlgorithmOptions& options) {
    const ParallelSwitches switches = parallel_switches(asked).value();
    Schedule among_hosts;
    RunOptions recording;
    recording.threads = 1;
    recording.recorded_schedule = &among_hosts;
    Job job = make_job(algorithm, hosts_alone(asked, switches), collective, options);
    job.payload = false;
    (void)run_lockstep(job, recording);
    return std::make_shared<const RouteBook>(through_parallel_switches(among_hosts, *asked.topology, switches));
}

}  // namespace kport
