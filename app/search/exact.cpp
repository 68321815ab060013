#include "app/search/least_cost.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "algorithms/adapted.hpp"
#include "algorithms/catalogue.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/planned.hpp"
#include "app/search/search.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/numbers.hpp"

namespace kport::search {

namespace {

constexpr NodeId nodes_max = 4096;
constexpr std::uint64_t conflicts_max = 400'000;  // about a minute
constexpr std::uint64_t conflicts_for_less_max = 2'000;

constexpr NodeId small_nodes_max = 64;  // where formulas of single messages decide

Problem problem_of(const Machine& machine, const Collective& collective) {
    Problem problem;
    problem.topology = machine.topology;
    problem.sources = {collective.root};
    // A node receives once, before it sends.
    problem.ports = machine.pairwise ? PortLimit(1) : PortLimit(std::max<Port>(1, machine.ports.sends()));
    return problem;
}

std::optional<std::string> misfit_exact(const Machine& machine, const Collective&, const AlgorithmOptions& options) {
    if (auto why = takes_no_options(options)) return why;
    if (machine.topology->fabric() != nullptr)
        return unless(machine.topology->nodes() <= flow_search_nodes_max,
                      "is searched for on at most 64 hosts where there are switches or trunks");
    if (machine.node_ports != nullptr)
        return unless(machine.topology->nodes() <= small_nodes_max,
                      "is searched for on at most 64 nodes where nodes have their own limits");
    return unless(machine.topology->nodes() <= nodes_max, "is searched for on at most 4096 nodes");
}

/// Returns the messages of a broadcast with their routes.
std::vector<planning::RoutedCall> calls_found(const Schedule& schedule) {
    std::vector<planning::RoutedCall> calls;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const Transfer call = schedule.transfer(i);
        calls.push_back({{schedule.round(i), static_cast<Node32>(call.from), static_cast<Node32>(call.to)},
                         {call.route.begin(), call.route.end()}});
    }
    return calls;
}

/// Returns the schedule found by the search, with all packets of the root in each message.
Schedule searched(const Machine& machine, const Collective& broadcast) {
    SearchOptions options;
    options.conflicts = conflicts_max;
    std::vector<planning::RoutedCall> calls;
    const bool through_switches = machine.topology->fabric() != nullptr;
    const auto over_links = [&] {
        if (machine.node_ports == nullptr) return fewest_rounds(problem_of(machine, broadcast), options);
        Machine plain = machine;
        plain.switching = Switching::store_and_forward;
        return least_cost({plain, Collective::broadcast(broadcast.root, 1)}, Least::rounds, options).rounds;
    };
    const Found found =
        through_switches ? fewest_rounds_by_flows(machine, {broadcast.root}, options, calls) : over_links();
    if (!through_switches) calls = calls_found(found.schedule);
    if (!found.exact())
        throw RequestError(fmt::format(
            "exact: a broadcast takes between {} and {} rounds on {}, and {} conflicts of the solver do not decide it; "
            "layered takes few rounds, and 'kport search' goes on for as long as --for allows",
            found.least, found.most, machine.topology->spec(), conflicts_max));
    const PacketSet packets = broadcast.owned(broadcast.root, machine.topology->nodes());
    Schedule schedule;
    for (const planning::RoutedCall& one : calls)
        schedule.add(one.call.round, {one.call.from, one.call.to, one.route, packets.blocks()});
    return schedule;
}

/// Broadcast in the fewest rounds of any schedule.
///
/// Machine   any graph of up to 4096 nodes, store-and-forward or wormhole (each message crosses one link), any k
/// Gives     every node holds the packet
/// Costs     rounds = the least number possible over single links, work N - 1, volume = path sum = rounds
/// Idea      Lower bounds, heuristics, then a formula: is there a schedule of so many rounds? Searched once, then
///           followed.
/// Source    docs/search.md
Start make_exact(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    Collective broadcast = collective;
    broadcast.operation = Operation::broadcast;
    return following(searched(machine, broadcast), machine, broadcast, Routes::of_schedule);
}

PlanSize plan_of_exact(const Machine& machine, const Collective&) {
    const auto nodes = static_cast<double>(machine.topology->nodes());
    return {nodes, nodes};
}

/// Sets the rounds from bounds and heuristics.
void expect_rounds(ExpectedCost& cost, const Machine& machine, const Collective& collective) {
    SearchOptions fast;
    fast.only_heuristics = true;
    const Found found = fewest_rounds(problem_of(machine, collective), fast);
    if (found.exact()) {
        cost.rounds = cost.path_sum = cost.volume = found.most;
        cost.derivation.push_back(fmt::format("{} finds {}; fewer are impossible: {}", found.found_by,
                                              counted(found.most, "round"), found.bounds.front().name));
    } else {
        cost.derivation.push_back(
            fmt::format("between {} and {} rounds: the run searches for the least", found.least, found.most));
    }
}

ExpectedCost expect_exact(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    constexpr std::uint64_t expected_channels_max = 1 << 18;  // some 40 ms: called for every run
    ExpectedCost cost;
    cost.work = machine.topology->nodes() - 1;
    if (machine.topology->fabric() == nullptr && machine.node_ports == nullptr &&
        machine.topology->channels() <= expected_channels_max)
        expect_rounds(cost, machine, collective);
    else
        cost.derivation.emplace_back("the run searches for the least number of rounds");
    cost.derivation.push_back(
        fmt::format("every node but the source receives once, over one link: work {}", *cost.work));
    return cost;
}

std::optional<std::string> misfit_of_any(const Machine& machine, const Collective& collective,
                                         const AlgorithmOptions& options) {
    if (auto why = takes_no_options(options)) return why;
    if (auto why = folds_nothing(collective)) return why;
    if (has_switches(*machine.topology)) return "is searched for on machines without switches only";
    if (auto why = unless(machine.switching == Switching::store_and_forward, "needs store-and-forward switching"))
        return why;
    if (auto why = unless(machine.topology->nodes() <= small_nodes_max, "is searched for on at most 64 nodes"))
        return why;
    if (collective.has_sizes()) return "counts packets of one size";
    constexpr double bytes_max = 2.0 * 1024 * 1024 * 1024;
    const Question question{machine, collective};
    if (packet_without_way(question)) return "finds no way through nodes that pass packets on";
    return unless(bytes_of_messages(question, 2 * static_cast<Round>(machine.topology->diameter())) < bytes_max,
                  "has a formula here that is too large");
}

/// Any operation in the fewest rounds of all schedules, and of these with the least volume as far as the solver gets.
///
/// Machine   any graph of up to 64 nodes, store-and-forward, any ports, duplex and combining
/// Gives     what the operation promises
/// Costs     rounds = the least number possible
/// Idea      Equalities between operations, lower bounds, the catalogue, then a formula: is there a schedule of so many rounds?
/// Source    docs/search.md
Start make_any(const Machine& machine, const Collective& collective, const AlgorithmOptions&) {
    SearchOptions options;
    options.conflicts = conflicts_max;
    options.conflicts_for_less = conflicts_for_less_max;
    Question question{machine, collective};
    if (collective.folds()) question.reading = Reading::folded;  // a run folds what it can
    const LeastCost cost = least_cost(question, Least::volume, options);
    const Found& found = cost.rounds;
    if (!found.exact())
        throw RequestError(
            fmt::format("exact: {} takes {} on {}, and {} conflicts of the solver do not decide it; "
                        "'kport search' goes on for as long as --for allows",
                        kport::name(collective.operation),
                        found.most == rounds_unknown ? fmt::format("{} or more", counted(found.least, "round"))
                                                     : fmt::format("between {} and {} rounds", found.least, found.most),
                        machine.topology->spec(), conflicts_max));
    return following(found.schedule, machine, collective);
}

PlanSize plan_of_any(const Machine& machine, const Collective& collective) {
    const auto nodes = static_cast<double>(machine.topology->nodes());
    const auto packets = static_cast<double>(collective.packets(machine.topology->nodes()));
    return {nodes * packets, nodes * packets};
}

ExpectedCost expect_any(const Machine&, const Collective&, const AlgorithmOptions&) {
    ExpectedCost cost;
    cost.derivation.emplace_back("the run searches for the least number of rounds");
    return cost;
}

Algorithm row_of_any(const Operation& operation) {
    return {
        .operation = operation,
        .name = "exact",
        .rule =
            "a schedule of the fewest rounds, and among these of the least volume, found by equalities, bounds and a "
            "satisfiability solver",
        .needs = "any graph of up to 64 nodes, SF, any k",
        .cost = "the fewest rounds that any schedule takes",
        .source = "docs/search.md",
        .misfit = misfit_of_any,
        .make = make_any,
        .expect = expect_any,
        .plan = plan_of_any,
        .by_default = false,
        .slow = "searches for its schedule, which may take a minute",
        .with_many = WithMany::own,
        .single_links = true,
        .port_use = PortUse::each,
        .merges = operation.folds(),
        .agrees = [](const Topology&) -> std::optional<Agrees> { return std::nullopt; },
    };
}

}  // namespace

void know_exact() {
    for (const Algorithm& row : with_reversal(
             {
                 .operation = Operation::broadcast,
  .name = "exact",
  .rule = "a schedule of the fewest rounds over single links, found by bounds, heuristics and a satisfiability solver",
  .needs = "any graph of up to 4096 nodes, SF or WH, any k",
  .cost = "the fewest rounds that any schedule over single links takes",
  .source = "docs/search.md",
  .misfit = misfit_exact,
  .make = make_exact,
  .expect = expect_exact,
  .plan = plan_of_exact,
  .by_default = false,
  .slow = "searches for its schedule, which may take a minute",
  .single_links = true,
  .port_use = PortUse::each,
             },
             Operation::reduce))
        add_to_catalogue(row);
    for (const Operation& operation :
         {Operation::scatter, Operation::gather, Operation::allreduce, Operation::scan, Operation::exscan,
          Operation::allgather, Operation::alltoall, Operation::reduce_scatter, Operation::barrier,
          Operation::permutation, Operation::promise})
        add_to_catalogue(row_of_any(operation));
}

}  // namespace kport::search
