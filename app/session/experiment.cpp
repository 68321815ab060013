#include "app/session/experiment.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <oneapi/tbb/info.h>

#include "app/session/reporting.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/schedule/port_needs.hpp"
#include "emulator/topology/broken.hpp"

namespace kport {

namespace {

void require_engine_options(const Experiment& e) {
    if (e.threads && (*e.threads < 1 || *e.threads > run_threads_max))
        throw RequestError(fmt::format("threads {} is not from 1 to {}", *e.threads, run_threads_max));
    if (e.partition_nodes < 1) throw RequestError("partition_nodes 0: a partition has at least one node");
    if (e.partition_nodes != partition_nodes_default && e.engine == EngineKind::free)
        throw RequestError("partition_nodes deals the nodes of lockstep; leave engine free out");
    if (e.until != 0 && e.engine == EngineKind::free)
        throw RequestError("until needs rounds that all nodes share; leave engine free out");
    if (e.order && e.threads.value_or(1) != 1)
        throw RequestError(fmt::format("order runs on one thread; leave threads {} out", *e.threads));
}

/// What a run that loses messages over broken parts excludes.
void require_unaware_of(const Experiment& e) {
    if (e.unaware_of.empty()) return;
    if (e.injection) throw RequestError("unaware: broken parts lose messages already; leave the injected fault out");
    if (!e.unaware_of.thinned.empty())
        throw RequestError(
            "unaware: which of the messages on a trunk take its broken link is not known; want whole trunks, A--B");
    if (e.engine == EngineKind::free)
        throw RequestError("unaware: messages are lost in rounds that all nodes share; leave engine free out");
    if (e.machine.routing == Routing::adaptive)
        throw RequestError(
            "unaware: which messages cross broken parts is known of fixed routes only; leave routing adaptive out");
    if (e.company.processes > 1) throw RequestError("unaware: messages are lost in one process; leave the others out");
    if (e.collective.rooted() && e.unaware_of.has(e.collective.root))
        throw RequestError(fmt::format("source '{}': node {} is broken; want another", e.collective.root,
                                       e.topology().name(e.collective.root)));
}

/// `told`: how it was written.
void require_probability(const Injection& injection, std::string_view told, std::string_view probability) {
    if (injection.probability && !(*injection.probability > 0 && *injection.probability <= 1))
        throw RequestError(fmt::format("injection {}: probability {} is not above 0 and at most 1, such as 0.01",
                                       quoted(told), quoted(probability)));
}

}  // namespace

unsigned Experiment::thread_count() const {
    if (order) return 1;
    return threads.value_or(std::clamp(static_cast<unsigned>(tbb::info::default_concurrency()), 1U, run_threads_max));
}

void require_valid(const Experiment& e) {
    if (e.machine.topology == nullptr)
        throw RequestError("machine.topology is missing; want one of make_topology(), such as hypercube:10");
    require_valid(e.machine.costs);
    require_topology(e.machine);
    require_valid_switches(e.machine);
    require_valid_routing(e.machine);
    require_valid(e.collective, e.topology());
    require_ports(e.machine, e.collective);
    require_folds_for_agreement(e.collective);
    NodeId contributing = e.topology().nodes();
    if (e.collective.groups != nullptr) {
        contributing = 0;
        for (const RankedNodes& group : *e.collective.groups) contributing += group.count();
    }
    if (e.collective.folds()) require_valid(e.options.reduction, contributing, e.collective);
    require_engine_options(e);
    require_unaware_of(e);
    if (e.injection)
        require_probability(*e.injection, text(*e.injection), fmt::to_string(e.injection->probability.value_or(1)));
}

Injection injection_named(std::string_view text) {
    Injection injection;
    const std::size_t colon = text.find(':');
    injection.fault = fault_named(text.substr(0, colon));
    if (colon == std::string_view::npos) return injection;
    const std::string_view probability = text.substr(colon + 1);
    injection.probability = to_real(probability).value_or(0);
    require_probability(injection, text, probability);
    return injection;
}

std::string text(const Injection& injection) {
    const std::string_view name = info(injection.fault).name;
    return injection.probability ? fmt::format("{}:{}", name, *injection.probability) : std::string(name);
}

}  // namespace kport
