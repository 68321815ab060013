/// @file searched.cpp   The algorithm `searched`: the best schedule that a short search finds.
#include "app/search/searched.hpp"

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/planned.hpp"
#include "app/search/least_cost.hpp"
#include "emulator/base/error.hpp"

namespace kport::search {

namespace {

constexpr NodeId searched_nodes_max = 16;

/// Whether a formula is solved, or given up, in about a second.
bool is_small(const Question& question, double rounds, Least least) {
    constexpr double literals_max = 20'000;
    return size_of_formula(question, rounds, least) < literals_max;
}

/// Messages over single links are lawful with paths of any length too.
Machine over_single_links(Machine machine) {
    machine.switching = Switching::store_and_forward;
    return machine;
}

std::optional<std::string> misfit_searched(const Machine& asked, const Collective& collective,
                                           const AlgorithmOptions& options) {
    if (auto why = takes_no_options(options)) return why;
    const Machine machine = over_single_links(asked);
    if (auto why = first_of({
            unless(machine.topology->nodes() <= searched_nodes_max, "is searched for on at most 16 nodes"),
            unless(!has_switches(*machine.topology), "is searched for on machines without switches only"),
            unless(collective.counts == nullptr, "needs as many packets of each"),
            unless(options.reduction.commutative() || collective.scans(), "folds with commutative operators only"),
        }))
        return why;
    return unless(is_small({machine, collective}, least_rounds(machine, collective), Least::rounds),
                  "has a formula here that is too large");
}

/// Scans keep runs of contributions apart: that takes fewer rounds.
Collective in_runs_where_it_pays(Collective collective) {
    collective.in_runs = collective.scans();
    return collective;
}

/// Returns what a short search finds; an empty schedule where it finds none.
KeptPlans::Shared found_shortly(const Machine& asked_of, const Collective& asked) {
    static KeptPlans kept;
    const Machine machine = over_single_links(asked_of);
    const Collective collective = in_runs_where_it_pays(asked);
    const auto search_on = [&](const Machine& on) -> Planned {
        Question question{on, collective};
        if (collective.folds()) question.reading = collective.in_runs ? Reading::runs : Reading::folded;
        const Round rounds = least_rounds(on, collective);
        const Least least = is_small(question, rounds, Least::volume) ? Least::volume : Least::rounds;
        SearchOptions options = short_search(question, rounds);
        options.conflicts = *options.conflicts / 2;  // every run without a name may ask
        LeastCost found = least_cost(question, least, options);
        const bool is_least = least == Least::volume && found.exact();
        return {std::move(found.rounds.schedule), is_least};
    };
    return kept.of(machine, collective, [&] { return cheapest_plan(machine, collective, search_on); });
}

/// Any operation in the fewest rounds, and of these with the least volume, that a short search finds.
///
/// Machine   any graph of up to 16 nodes, any ports, duplex and combining; wormhole messages cross one link, too
/// Gives     what the operation promises
/// Costs     counted
/// Idea      That of `exact`; the solver's conflicts are limited, so that every computer finds the same.
/// Source    docs/search.md
Start make_searched(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const KeptPlans::Shared found = found_shortly(machine, collective);
    if (found->empty() && least_rounds(over_single_links(machine), collective) > 0)
        throw RequestError(
            fmt::format("searched: a short search finds no schedule of {} on {}; 'kport search' goes on for as "
                        "long as --for allows",
                        kport::name(collective.operation), machine.topology->spec()));
    return following(found, machine, in_runs_where_it_pays(collective));
}

ExpectedCost expect_searched(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    const KeptPlans::Shared found = found_shortly(machine, collective);
    if (!found->empty()) return counted_cost(*found, machine, in_runs_where_it_pays(collective));
    ExpectedCost cost;
    cost.derivation.emplace_back("a short search finds nothing");
    return cost;
}

PlanSize plan_of_searched(const Machine& machine, const Collective& collective) {
    const auto nodes = static_cast<double>(machine.topology->nodes());
    const auto packets = static_cast<double>(collective.packets(machine.topology->nodes()));
    return {nodes * packets, nodes * packets};
}

bool in_every_order(const Machine&, const Collective&, const AlgorithmOptions&) { return true; }

Algorithm searched(const Operation& operation) {
    return {
        .operation = operation,
        .name = "searched",
        .rule = "the fewest rounds, and among these the least volume, that a short search finds",
        .needs = "any graph of up to 16 nodes, SF or WH over single links, any k",
        .cost = "counted",
        .source = "docs/search.md",
        .misfit = misfit_searched,
        .make = make_searched,
        .expect = expect_searched,
        .plan = plan_of_searched,
        .slow = "searches for its schedule, which may take some seconds",
        .with_many = WithMany::own,
        .single_links = true,
        .port_use = PortUse::each,
        .in_order = {operation->prefix == Prefix::no ? nullptr : in_every_order, "always"},
        .merges = operation.folds(),
        .in_runs = operation->prefix != Prefix::no,
        .agrees = [](const Topology&) -> std::optional<Agrees> { return std::nullopt; },
    };
}

}  // namespace

void know_searched() {
    for (const Operation& operation :
         {Operation::broadcast, Operation::reduce, Operation::scatter, Operation::gather, Operation::allreduce,
          Operation::scan, Operation::exscan, Operation::allgather, Operation::alltoall, Operation::reduce_scatter,
          Operation::barrier, Operation::permutation})
        add_to_catalogue(searched(operation));
}

}  // namespace kport::search
