#include "emulator/engine/exchange_run.hpp"

#include <algorithm>

#include "emulator/engine/answered.hpp"
#include "emulator/topology/hypercube.hpp"

namespace kport {

namespace {

/// Whether the link of every node by the one port is there and comes in by the other.
bool leads_to(const Topology& topology, const SegmentRelay::Ports& ports) {
    if (ports.out >= topology.ports() || ports.in >= topology.ports()) return false;
    if (dynamic_cast<const Hypercube*>(&topology) != nullptr) return ports.out == ports.in;
    for (NodeId v = 0; v < topology.nodes(); ++v) {
        const LinkEnd end = topology.across(v, ports.out);
        if (end.node == no_node || end.port != ports.in) return false;
    }
    return true;
}

/// Null where the nodes need programs from the first step on.
template <class Text>
std::unique_ptr<ExchangeRun> run_of(const Text& text, const Topology& topology) {
    auto run = std::make_unique<ExchangeRun>(text, topology);
    if (run->steps != 0) (void)run->ports(0);
    return run->is_left() ? nullptr : std::move(run);
}

}  // namespace

std::unique_ptr<ExchangeRun> ExchangeRun::of(const Job& job) {
    const Topology& topology = *job.machine.topology;
    std::unique_ptr<ExchangeRun> run;
    const bool is_answered = answered([&] {
        if (const auto* exchange = job.program.target<ExchangeProgram>())
            run = run_of(*exchange, topology);
        else
            run = run_of(*job.program.target<RelayProgram>(), topology);
    });
    return is_answered ? std::move(run) : nullptr;
}

ExchangeRun::ExchangeRun(const ExchangeProgram& the_exchange, const Topology& topology)
    : exchange(&the_exchange), relay(nullptr), steps(the_exchange.steps()), folding_steps(steps),
      keeps_results_apart(the_exchange.keeps_results_apart()),
      topology_(topology), sent_{HugeArray<Element>(topology.nodes()), HugeArray<Element>(topology.nodes())},
      results_(keeps_results_apart ? topology.nodes() : 0) {}

ExchangeRun::ExchangeRun(const RelayProgram& the_relay, const Topology& topology)
    : exchange(nullptr), relay(&the_relay), steps(the_relay.steps()), folding_steps(the_relay.folding_steps()),
      keeps_results_apart(false),
      topology_(topology), sent_{HugeArray<Element>(topology.nodes()), HugeArray<Element>(topology.nodes())},
      seals_of_results_(topology.nodes()) {}

std::optional<SegmentRelay::Ports> ExchangeRun::ports(unsigned step) {
    SegmentRelay::Ports now{};
    bool leads = false;
    const bool is_answered = answered([&] {
        if (relay != nullptr)
            now = relay->ports(step);
        else
            now.in = now.out = exchange->port(step);
        leads = lead_on(now);
    });
    if (is_answered && leads) return now;
    leave();
    return std::nullopt;
}

bool ExchangeRun::lead_on(const SegmentRelay::Ports& ports) {
    const std::lock_guard lock(looking_);
    if (std::ranges::find(known_, ports) != known_.end()) return true;
    if (!leads_to(topology_, ports)) return false;
    known_.push_back(ports);
    return true;
}

}  // namespace kport
