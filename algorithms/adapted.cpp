#include "algorithms/adapted.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/support/planned.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/topology/complete.hpp"
#include "emulator/topology/members.hpp"

namespace kport {

namespace {

/// Messages of the rule, at most, of which the cost is counted before the run.
constexpr std::uint64_t counted_messages_max = 1 << 13;

/// Everything on which the rule's schedule depends beside the machine and the collective.
std::string asked_of(const Algorithm& algorithm, const AlgorithmOptions& o) {
    const auto number = [](const auto& given) { return given ? static_cast<std::uint64_t>(*given) + 1 : 0; };
    std::string asked = fmt::format("{} {} {} {} {} {} {} {} {} {}", name(algorithm.operation), algorithm.name,
                                    number(o.keep), fmt::join(o.dimensions, ","), number(o.arity), number(o.gather),
                                    number(o.aggregate), number(o.ports_at_most), o.intra, o.inter);
    for (const std::vector<NodeId>& group : o.groups) asked += fmt::format(" {}", list_of_nodes(group));
    return asked;
}

}  // namespace

bool is_thinned(const Algorithm& algorithm, const Machine& machine, const Collective& collective) {
    const bool knows = algorithm.knows_counts != nullptr && algorithm.knows_counts(machine);
    return collective.counts != nullptr && !collective.is_own() && !knows;
}

Schedule thinned(const Schedule& schedule, const Collective& collective) {
    Schedule thin;
    Round last = 0;    // of the schedule
    Round rounds = 0;  // that are left
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const Transfer transfer = schedule.transfer(i);
        const PacketSet packets = collective.counts->existing(transfer.packets);
        if (packets.empty()) continue;
        if (schedule.round(i) != last) ++rounds;
        last = schedule.round(i);
        thin.add(rounds, {transfer.from, transfer.to, transfer.route, packets.blocks()});
    }
    return thin;
}

std::shared_ptr<const Schedule> thinned_schedule(const Algorithm& algorithm, const Machine& asked,
                                                 const Collective& collective, const AlgorithmOptions& options) {
    static KeptPlans kept(64, counted_messages_max);
    const auto make = [&] {
        Schedule of_rule;
        RunOptions recording;
        recording.threads = 1;
        recording.recorded_schedule = &of_rule;
        Job job = make_job(algorithm, asked, with_equal_counts(collective), options);
        job.payload = false;
        (void)run_lockstep(job, recording);
        return thinned(of_rule, moved_forward(collective, algorithm.forward));
    };
    return kept.of(asked, collective, make, asked_of(algorithm, options));
}

ExpectedCost expected_thinned(const Algorithm& algorithm, const Machine& asked, const Collective& collective,
                              const AlgorithmOptions& options) {
    const ExpectedCost of_rule = expected_cost(algorithm, asked, with_equal_counts(collective), options);
    if (of_rule.work.value_or(counted_messages_max + 1) > counted_messages_max) {
        ExpectedCost unknown;
        unknown.derivation.emplace_back("counts of packets differ: what the run costs is measured");
        return unknown;
    }
    ExpectedCost cost = counted_cost(*thinned_schedule(algorithm, asked, collective, options), asked,
                                     moved_forward(collective, algorithm.forward));
    cost.derivation.insert(cost.derivation.begin(),
                           fmt::format("its steps for {} of each, without the packets that there are not, and without "
                                       "rounds in which nothing is left to move",
                                       counted(collective.packets_each, "packet")));
    return cost;
}

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
