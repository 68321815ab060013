#include "emulator/engine/exchange_run.hpp"

#include <vector>

#include "emulator/topology/hypercube.hpp"

namespace kport {

namespace {

/// Whether the link of every node by a port comes in by the same port.
bool leads_back(const Topology& topology, Port port) {
    if (port >= topology.ports()) return false;
    if (dynamic_cast<const Hypercube*>(&topology) != nullptr) return true;
    for (NodeId v = 0; v < topology.nodes(); ++v)
        if (topology.across(v, port).port != port) return false;
    return true;
}

bool lead_back(const Topology& topology, const ValueExchange& exchange) {
    std::vector<bool> known(topology.ports());
    for (unsigned step = 0; step < exchange.steps(); ++step) {
        const Port port = exchange.port(step);
        if (port < known.size() && known[port]) continue;
        if (!leads_back(topology, port)) return false;
        known[port] = true;
    }
    return true;
}

}  // namespace

std::unique_ptr<ExchangeRun> ExchangeRun::of(const Job& job, const Folder* folder, const RunOptions& options) {
    const auto* program = job.program.target<ExchangeProgram>();
    const Machine& machine = job.machine;
    const bool is_plain = machine.switching == Switching::store_and_forward && machine.duplex == Duplex::full &&
                          !machine.is_exclusive() && job.all_start && job.starters_wait_until.empty() &&
                          folder != nullptr && folder->has_elements();
    const bool is_watched = options.order != nullptr || options.sabotage != nullptr || options.asked != nullptr ||
                            options.record != nullptr || options.ranks != nullptr;
    if (program == nullptr || !is_plain || is_watched) return nullptr;
    try {
        if (!lead_back(*machine.topology, program->exchange())) return nullptr;
    } catch (...) {
        return nullptr;  // its programs tell
    }
    return std::make_unique<ExchangeRun>(program->exchange(), machine.topology->nodes());
}

ExchangeRun::ExchangeRun(const ValueExchange& the_exchange, NodeId nodes)
    : exchange(the_exchange), steps(the_exchange.steps()),
      keeps_results_apart(the_exchange.keeps_results_apart()), sent_{HugeArray<Element>(nodes),
                                                                     HugeArray<Element>(nodes)},
      results_(keeps_results_apart ? nodes : 0) {}

}  // namespace kport
