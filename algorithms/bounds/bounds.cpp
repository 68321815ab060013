#include "algorithms/bounds/bounds.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "algorithms/bounds/fabric.hpp"
#include "algorithms/bounds/facts.hpp"
#include "algorithms/bounds/judge.hpp"
#include "emulator/base/error.hpp"
#include "emulator/schedule/port_needs.hpp"

namespace kport {
namespace {

using Schedules = std::vector<bounds::KnownSchedule>;

/// N = 1: nothing moves.
Bounds nothing_moves() {
    const Bound zero{
        {{"one node: nothing moves", 0, "There is no other node.", "definition"}}, Reachable::yes, "nothing moves"};
    Bounds bounds;
    std::ranges::fill(bounds, zero);
    return bounds;
}

/// No bounds, for an operation without a theory.
Bounds nothing_known(const Operation& operation) {
    const Bound unknown{{}, Reachable::unknown, fmt::format("no bound is known for {}", name(operation))};
    Bounds bounds;
    std::ranges::fill(bounds, unknown);
    return bounds;
}

}  // namespace

Bounds lower_bounds(const Machine& machine, const Collective& collective) {
    return bounds::lower_bounds(machine, collective, [](const bounds::Facts&) { return Schedules(); });
}

Bounds bounds::lower_bounds(const Machine& machine, const Collective& asked, const SchedulesOf& besides) {
    require_topology(machine);
    const Collective collective = fitted(asked, *machine.topology);
    const Facts facts = facts_of(machine, collective);
    if (!facts.operation.promises())
        throw RequestError("no operation: where nothing is promised there are no lower bounds");
    require_ports(machine, collective);
    const Theory* theory = theory_of(facts.operation);
    if (facts.nodes == 1 &&
        (theory != nullptr || without(collective.wanted(0, 1).blocks(), collective.owned(0, 1).blocks()).empty()))
        return nothing_moves();
    if (theory == nullptr) return nothing_known(facts.operation);
    if (facts.graph.fabric() != nullptr) {
        Facts of_paths = facts;
        of_paths.store_and_forward = false;  // messages have paths, as those of wormhole machines
        return publish(of_paths, facts.counts != nullptr ? derive_counts(of_paths) : derive_in_fabric(facts), {});
    }
    Knowledge knowledge;
    if (facts.counts != nullptr) {
        knowledge.schedules = with_combining_and_without(machine, collective, besides);
        return publish(facts, derive_counts(facts), knowledge);
    }
    const Derivation found = theory->derive(facts);
    knowledge.schedules = with_combining_and_without(machine, collective, [&](const Facts& there) {
        Schedules known = besides(there);
        std::ranges::move(schedules_of(*theory, there), std::back_inserter(known));
        return known;
    });
    if (theory->refute != nullptr) theory->refute(facts, found, knowledge);
    return publish(facts, found, knowledge);
}

}  // namespace kport
