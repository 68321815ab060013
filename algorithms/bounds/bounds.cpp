#include "algorithms/bounds/bounds.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "algorithms/bounds/arguments.hpp"
#include "algorithms/bounds/facts.hpp"
#include "algorithms/bounds/judge.hpp"
#include "emulator/base/error.hpp"
#include "emulator/machine/smaller_machine.hpp"
#include "emulator/schedule/participants.hpp"
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

/// All nodes own what they want: nothing moves.
Bounds nothing_lacks() {
    const Bound zero{
        {{"all nodes own what they want", 0, "Nothing has to move.", "definition"}}, Reachable::yes, "nothing moves"};
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

namespace {

/// All groups begin in round 1: each takes as long as its bounds say, and they work side by side.
Bounds bounds_in_groups(const Machine& machine, const Collective& collective) {
    Bounds all;
    for (std::size_t g = 0; g < collective.groups->size(); ++g) {
        const Machine group = member_machine(machine, (*collective.groups)[g].nodes());
        const Bounds own = lower_bounds(group, of_group(collective, g));
        for (const QuantityRow& row : quantity_rows) {
            Bound& bound = all[row.quantity];
            const std::optional<double> value = own[row.quantity].largest();
            const std::optional<double> so_far = bound.largest();
            if (g > 0 && (!value || !so_far))
                bound.arguments.clear();
            else if (g > 0 && row.quantity == Quantity::work)
                bound.arguments = {{fmt::format("sum over {} groups", g + 1), *so_far + *value,
                                    "Messages of different groups are different.", "model section 2"}};
            else if (g == 0 || *value > *so_far)
                bound.arguments = own[row.quantity].arguments;
        }
    }
    for (Bound& bound : all) bound.reachable_why = "the groups are judged one by one";
    return all;
}

}  // namespace

Bounds bounds::lower_bounds(const Machine& machine, const Collective& asked, const SchedulesOf& besides) {
    require_topology(machine);
    if (asked.groups != nullptr) return bounds_in_groups(machine, asked);
    const Collective collective = fitted(asked, *machine.topology);
    const Facts facts = facts_of(machine, collective);
    if (!facts.operation.promises())
        throw RequestError("no operation: where nothing is promised there are no lower bounds");
    require_ports(machine, collective);
    const Theory* theory = theory_of(facts.operation);
    if (facts.nodes == 1 &&
        (theory != nullptr || without(collective.wanted(0, 1).blocks(), collective.owned(0, 1).blocks()).empty()))
        return nothing_moves();
    const bool has_form = facts.members == nullptr || facts.counts != nullptr || knows_members(facts.operation);
    if (facts.promise != nullptr) {
        Facts own = facts;
        own.store_and_forward = facts.store_and_forward && facts.graph.fabric() == nullptr;
        const Derivation found = derive_promise(own);
        if (found.rounds.empty()) return nothing_known(facts.operation);
        return found.work.value() == 0 ? nothing_lacks() : publish(own, found, {});
    }
    if (theory == nullptr || !has_form) return nothing_known(facts.operation);
    if (facts.graph.fabric() != nullptr) {
        Facts of_paths = facts;
        of_paths.store_and_forward = false;  // messages have paths, as those of wormhole machines
        if (facts.members != nullptr) return publish(of_paths, derive_members(of_paths), {});
        if (facts.counts != nullptr) return publish(of_paths, derive_counts(of_paths), {});
        return publish(of_paths, facts.neighbours != nullptr ? theory->derive(of_paths) : derive_in_fabric(facts), {});
    }
    Knowledge knowledge;
    if (facts.members != nullptr) {
        knowledge.schedules = with_combining_and_without(machine, collective, besides);
        return publish(facts, derive_members(facts), knowledge);
    }
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
