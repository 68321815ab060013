#include "emulator/engine/exchange_run.hpp"

#include <algorithm>

#include "emulator/engine/choose_execution.hpp"
#include "emulator/topology/hypercube.hpp"

namespace kport {

namespace {

/// Whether the link of every node by the one port is there and comes in by the other.
bool leads_to(const Topology& topology, const ValueExchange::Ports& ports) {
    if (ports.out >= topology.ports() || ports.in >= topology.ports()) return false;
    if (dynamic_cast<const Hypercube*>(&topology) != nullptr) return ports.out == ports.in;
    for (NodeId v = 0; v < topology.nodes(); ++v) {
        const LinkEnd end = topology.across(v, ports.out);
        if (end.node == no_node || end.port != ports.in) return false;
    }
    return true;
}

}  // namespace

std::unique_ptr<ExchangeRun> ExchangeRun::of(const Job& job) {
    std::unique_ptr<ExchangeRun> run;
    Attempt first_step;
    first_step.make([&] {
        run = std::make_unique<ExchangeRun>(job);
        if (run->steps == 0) throw Unexplained();
        (void)run->ports(0);
    });
    return first_step.has_failed() ? nullptr : std::move(run);
}

ExchangeRun::ExchangeRun(const Job& job)
    : plan(*plan_of<ValueExchange>(job)), relay(dynamic_cast<const SegmentRelay*>(&plan)), steps(plan.known_steps()),
      folding_steps(relay != nullptr ? relay->known_folding_steps() : steps),
      keeps_results_apart(relay == nullptr && job.collective.scans()),
      topology_(*job.machine.topology), sent_{HugeArray<Element>(topology_.nodes()),
                                              HugeArray<Element>(topology_.nodes())},
      results_(keeps_results_apart ? topology_.nodes() : 0),
      seals_of_results_(relay != nullptr ? topology_.nodes() : 0) {}

ValueExchange::Ports ExchangeRun::ports(unsigned step) {
    const ValueExchange::Ports now = plan.known_ports(step);
    const std::lock_guard lock(looking_);
    if (std::ranges::find(known_, now) != known_.end()) return now;
    if (!leads_to(topology_, now)) throw Unexplained();
    known_.push_back(now);
    return now;
}

}  // namespace kport
