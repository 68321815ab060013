#include "emulator/engine/exchange_run.hpp"

#include <algorithm>
#include <vector>

#include "emulator/topology/hypercube.hpp"

namespace kport {

namespace {

/// Whether the link of every node by the one port comes in by the other.
bool leads_to(const Topology& topology, const SegmentRelay::Ports& ports) {
    if (ports.out >= topology.ports()) return false;
    if (dynamic_cast<const Hypercube*>(&topology) != nullptr) return ports.out == ports.in;
    for (NodeId v = 0; v < topology.nodes(); ++v)
        if (topology.across(v, ports.out).port != ports.in) return false;
    return true;
}

/// `ports(step)`: of the text.
template <class Ports>
bool lead_on(const Topology& topology, unsigned steps, const Ports& ports) {
    std::vector<SegmentRelay::Ports> known;
    for (unsigned step = 0; step < steps; ++step) {
        const SegmentRelay::Ports now = ports(step);
        const auto is_it = [&](const SegmentRelay::Ports& other) { return now.out == other.out && now.in == other.in; };
        if (std::ranges::any_of(known, is_it)) continue;
        if (!leads_to(topology, now)) return false;
        known.push_back(now);
    }
    return true;
}

std::unique_ptr<ExchangeRun> run_of(const ValueExchange& exchange, const Topology& topology, const Folder& folder) {
    const auto ports = [&](unsigned step) {
        const Port port = exchange.port(step);
        return SegmentRelay::Ports{port, port};
    };
    const bool serves = folder.has_elements() && lead_on(topology, exchange.steps(), ports);
    return serves ? std::make_unique<ExchangeRun>(exchange, topology.nodes()) : nullptr;
}

std::unique_ptr<ExchangeRun> run_of(const SegmentRelay& relay, const Topology& topology, const Folder& folder) {
    const bool serves = folder.has_elements_of_segments() && folder.segments() == topology.nodes() &&
                        folder.reduction().commutative() &&
                        lead_on(topology, relay.steps(), [&](unsigned step) { return relay.ports(step); });
    return serves ? std::make_unique<ExchangeRun>(relay, topology.nodes()) : nullptr;
}

}  // namespace

std::unique_ptr<ExchangeRun> ExchangeRun::of(const Job& job, const Folder* folder, const RunOptions& options) {
    const auto* exchange = job.program.target<ExchangeProgram>();
    const auto* relay = job.program.target<RelayProgram>();
    const Machine& machine = job.machine;
    const bool is_plain = machine.switching == Switching::store_and_forward && machine.duplex == Duplex::full &&
                          !machine.is_exclusive() && job.all_start && job.starters_wait_until.empty() &&
                          folder != nullptr;
    const bool is_watched = options.order != nullptr || options.sabotage != nullptr || options.asked != nullptr ||
                            options.record != nullptr || options.ranks != nullptr;
    if (!is_plain || is_watched) return nullptr;
    try {
        if (exchange != nullptr) return run_of(exchange->exchange(), *machine.topology, *folder);
        if (relay != nullptr) return run_of(relay->relay(), *machine.topology, *folder);
    } catch (...) {
        return nullptr;  // its programs tell
    }
    return nullptr;
}

ExchangeRun::ExchangeRun(const ValueExchange& the_exchange, NodeId nodes)
    : exchange(&the_exchange), relay(nullptr), steps(the_exchange.steps()),
      keeps_results_apart(the_exchange.keeps_results_apart()), sent_{HugeArray<Element>(nodes),
                                                                     HugeArray<Element>(nodes)},
      results_(keeps_results_apart ? nodes : 0) {}

ExchangeRun::ExchangeRun(const SegmentRelay& the_relay, NodeId nodes)
    : exchange(nullptr), relay(&the_relay), steps(the_relay.steps()),
      keeps_results_apart(false), sent_{HugeArray<Element>(nodes), HugeArray<Element>(nodes)},
      seals_of_results_(nodes) {}

}  // namespace kport
