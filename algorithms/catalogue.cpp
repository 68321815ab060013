#include "algorithms/catalogue.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/adapted.hpp"
#include "algorithms/choice.hpp"
#include "algorithms/own_algorithm.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/planned.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/topology/renumbered.hpp"

namespace kport {

// Written by CMake; where files are built as one it may come before. NOLINTNEXTLINE(readability-redundant-declaration)
std::vector<Algorithm> algorithms_in_files();

namespace {

/// Rows stand in the order of their operations, and of those of one the automatic choices come first.
auto place_of(const Algorithm& row) {
    return std::pair(std::ranges::find(operations(), row.operation) - operations().begin(), !row.by_default);
}

struct Rows {
    std::vector<Algorithm> of_operations = {};
    std::vector<Algorithm> of_promises = {};  ///< of operations that are user-defined
};

Rows& all_rows() {
    static Rows rows = [] {
        Rows all{algorithms_in_files()};
        std::ranges::stable_sort(all.of_operations, {}, place_of);
        const auto is_own = [](const Algorithm& row) { return row.operation.is_own(); };
        std::ranges::copy_if(all.of_operations, std::back_inserter(all.of_promises), is_own);
        std::erase_if(all.of_operations, is_own);
        return all;
    }();
    return rows;
}

std::vector<Algorithm>& rows_among(const Operation& operation) {
    return operation.is_own() ? all_rows().of_promises : all_rows().of_operations;
}

}  // namespace

const std::vector<Algorithm>& catalogue() { return all_rows().of_operations; }
const std::vector<Algorithm>& rows_for(const Operation& operation) { return rows_among(operation); }

Machine with_fewer_ports(Machine machine, const AlgorithmOptions& options) {
    return options.ports_at_most ? with_ports_at_most(std::move(machine), *options.ports_at_most) : machine;
}

PortUse port_use_of(const Algorithm& algorithm, const Machine& machine, const Collective& collective) {
    if (algorithm.port_use != PortUse::even || algorithm.way == Way::reduce_broadcast) return algorithm.port_use;
    // Every node has one parent, from which packets come one at a time.
    const bool is_a_tree = collective.packets_each == 1 || algorithm.with_many == WithMany::in_turn ||
                           algorithm.with_many == WithMany::apart ||
                           (machine.combining && algorithm.with_many != WithMany::own);
    const bool keeps_nodup = algorithm.breaks == nullptr && !algorithm.is_own;
    return algorithm.forward == Operation::broadcast && is_a_tree && keeps_nodup ? PortUse::sends : PortUse::even;
}

namespace {

/// The machine that the node program runs on.
Machine machine_forward(const Algorithm& algorithm, const Machine& machine) {
    return algorithm.way == Way::reversed ? with_reversed_ports(machine) : machine;
}

}  // namespace

Machine planning_machine(const Algorithm& algorithm, const Machine& asked, const Collective& collective,
                         const AlgorithmOptions& options) {
    Machine machine = with_fewer_ports(asked, options);
    if (machine.has_one_limit()) return machine;
    machine = machine_forward(algorithm, machine);
    const PortUse use = port_use_of(algorithm, machine, collective);
    if (use == PortUse::each) return machine;
    const PortLimit common = machine.common_ports();
    const Port k = use == PortUse::sends ? common.sends() : use == PortUse::receives ? common.receives() : common.k();
    machine.ports = PortLimit(std::max<Port>(1, k));  // misfit_of() refuses 0
    machine.node_ports = nullptr;
    return machine;
}

std::vector<std::string_view> names_of_given(const AlgorithmOptions& options) {
    std::vector<std::string_view> given;
    if (options.keep) given.emplace_back("keep");
    if (!options.dimensions.empty()) given.emplace_back("dimensions");
    if (options.arity) given.emplace_back("arity");
    if (options.gather) given.emplace_back("gather");
    if (options.preorder) given.emplace_back("preorder");
    if (options.aggregate) given.emplace_back("aggregate");
    if (!options.groups.empty()) given.emplace_back("groups");
    if (!options.intra.empty()) given.emplace_back("intra");
    if (!options.inter.empty()) given.emplace_back("inter");
    return given;
}

std::optional<std::string> takes_no_options(const AlgorithmOptions& options, std::string_view but) {
    for (const std::string_view given : names_of_given(options))
        if (!has_word(but, given)) return fmt::format("takes no {}", given);
    return std::nullopt;
}

void add_to_catalogue(const Algorithm& row) {
    std::vector<Algorithm>& rows = rows_among(row.operation);
    rows.insert(std::ranges::upper_bound(rows, place_of(row), {}, place_of), row);
}

const Algorithm* find_algorithm(const Operation& operation, std::string_view name) {
    const std::vector<Algorithm>& rows = rows_for(operation);
    const auto row = std::ranges::find_if(
        rows, [&](const Algorithm& each) { return each.operation == operation && each.name == name; });
    return row == rows.end() ? nullptr : &*row;
}

namespace {

/// Why its messages cannot carry, or follow each other with, so many packets of each.
std::optional<std::string> misfit_with_many(const Algorithm& algorithm, const Machine& machine,
                                            const Collective& collective) {
    const bool has_a_way = algorithm.with_many == WithMany::own || algorithm.with_many == WithMany::apart ||
                           algorithm.with_many == WithMany::repeated;
    const bool knows_counts =
        collective.counts != nullptr && algorithm.knows_counts != nullptr && algorithm.knows_counts(machine);
    if (collective.packets_each == 1 || machine.combining || has_a_way || knows_counts) return std::nullopt;
    if (algorithm.with_many == WithMany::in_turn)
        return first_of({needs_full_duplex(machine), needs_partners(machine)});
    return fmt::format("sends {} together and {}", counted(collective.packets_each, "packet"),
                       *needs_combining(machine));
}

/// What is known of the cost in the order of the nodes.
ExpectedCost in_order(ExpectedCost cost) {
    cost.volume.reset();
    cost.latency.reset();
    cost.derivation.emplace_back(
        "a message has a partial result for each run of consecutive nodes: the volume is measured");
    return cost;
}

}  // namespace

ExpectedCost times_over(ExpectedCost once, std::uint64_t times) {
    if (times == 1) return once;
    for (auto* quantity : {&once.rounds, &once.work, &once.path_sum, &once.volume})
        if (*quantity) **quantity *= times;
    if (once.latency) *once.latency *= static_cast<double>(times);
    once.silent_rounds *= times;
    std::string line = fmt::format("{} times over, with a packet of each", times);
    if (once.rounds && once.volume)
        line += fmt::format(": {}, volume {}", counted(*once.rounds, "round"), counted(*once.volume, "packet"));
    once.derivation.push_back(std::move(line));
    return once;
}

namespace {

/// Programs written for k ports count on every node.
std::optional<std::string> misfit_of_limits(const Algorithm& algorithm, const Machine& asked,
                                            const Collective& collective) {
    if (asked.node_ports == nullptr || port_use_of(algorithm, asked, collective) == PortUse::each) return std::nullopt;
    return unless(asked.common_ports().k() > 0, "needs nodes that all send and receive");
}

}  // namespace

std::optional<std::string> misfit_of(const Algorithm& algorithm, const Machine& asked, const Collective& collective,
                                     const AlgorithmOptions& options) {
    require_topology(asked);
    if (collective.groups != nullptr) return misfit_in_groups(algorithm, asked, collective, options);
    const Machine machine = planning_machine(algorithm, asked, collective, options);
    if (collective.root != 0 && !collective.rooted() && !algorithm.through_root) return "has no root";
    if (options.preorder && machine.topology->fabric() != nullptr)
        return "gives nodes no other order on machines with switches";
    if (auto why = misfit_of_limits(algorithm, asked, collective)) return why;
    if (collective.members != nullptr && !algorithm.knows_relays) return "passes nothing on through other nodes";
    if (collective.members != nullptr && algorithm.operation.folds() && !options.reduction.commutative())
        return "folds contributions of consecutive nodes only, and nodes that contribute nothing stand between members";
    if (auto why = algorithm.misfit(machine, collective, options)) return why;
    if (auto why = misfit_with_many(algorithm, machine, collective)) return why;
    if (algorithm.competes && machine.policy == Policy::strict)
        return "has messages that wait for each other, which policy strict forbids";
    if (!has_runs(algorithm, asked, collective, options)) return std::nullopt;
    // Those that follow a schedule keep apart what does not meet (Node::merge()).
    if (algorithm.merges || algorithm.way != Way::program) {
        if (machine.combining) return std::nullopt;
        return "has several partial results in a message here, for which op concat needs a combining machine";
    }
    return "does not fold the contributions in the order of the nodes here, which op concat needs";
}

bool has_runs(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
              const AlgorithmOptions& options) {
    if (!algorithm.operation.folds() || options.reduction.commutative() || collective.groups != nullptr) return false;
    if (algorithm.in_order.holds == nullptr) return true;
    return !algorithm.in_order.holds(planning_machine(algorithm, machine, collective, options), collective, options);
}

Collective judged_collective(const Algorithm& algorithm, Collective collective, const AlgorithmOptions& options) {
    collective.in_runs = collective.in_runs || algorithm.in_runs;
    collective.unfolded = collective.unfolded || algorithm.unfolded;
    return folding(collective, options.reduction);
}

std::optional<std::string> breaks_a_rule(const Algorithm& algorithm, const Machine& machine) {
    return algorithm.breaks == nullptr ? std::nullopt : algorithm.breaks(machine);
}

std::string_view text(Agrees agrees) {
    switch (agrees) {
        case Agrees::always: return "always";
        case Agrees::no: return "no";
        case Agrees::one_holder: return "one holder";
    }
    return "";
}

std::optional<Agrees> agreement_of(const Algorithm& algorithm, const Topology& topology) {
    if (!algorithm.operation.folds() || algorithm.is_own) return std::nullopt;
    if (!has_several_holders(algorithm.operation)) return Agrees::one_holder;
    return algorithm.agrees == nullptr ? Agrees::always : algorithm.agrees(topology);
}

bool moves_single_packets(const Algorithm& algorithm, const Machine& machine, const Collective& collective) {
    return !machine.combining ||
           (algorithm.single_packets && (algorithm.with_many == WithMany::own || collective.packets_each == 1));
}

namespace {

/// Of a broadcast: of its reversal, and the same broadcast with the result.
ExpectedCost there_and_back(ExpectedCost cost, const Machine& machine, const Collective& collective,
                            std::string_view broadcast) {
    cost.derivation.insert(cost.derivation.begin(),
                           fmt::format("a broadcast from node {0} ({1}) reversed in time folds everything at node {0}:",
                                       machine.topology->name(collective.root), broadcast));
    cost.derivation.emplace_back("the same broadcast then sends the result: twice the broadcast's cost");
    for (auto* const count : {&cost.rounds, &cost.work, &cost.path_sum, &cost.volume})
        if (*count) **count *= 2;
    if (cost.latency) *cost.latency *= 2;
    cost.silent_rounds *= 2;
    return cost;
}

}  // namespace

namespace {

/// Messages through switches cross more links than one, and wait for each other: only a run knows for how long.
ExpectedCost through_switches(const ExpectedCost& direct) {
    ExpectedCost cost;
    cost.rounds_without_switches = direct.rounds;
    cost.derivation = direct.derivation;
    cost.derivation.emplace_back(
        "that is without switches; here messages share channels, and what they cost is measured");
    return cost;
}

/// Which routes messages find free depends on all messages of a round.
ExpectedCost with_chosen_routes(const ExpectedCost& fixed) {
    ExpectedCost cost;
    cost.derivation = fixed.derivation;
    cost.derivation.emplace_back("that is with fixed routes; with adaptive routing it is measured");
    return cost;
}

ExpectedCost expected_without_switches(const Algorithm& algorithm, const Machine& asked, const Collective& collective,
                                       const AlgorithmOptions& options);

}  // namespace

ExpectedCost expected_cost(const Algorithm& algorithm, const Machine& asked, const Collective& collective,
                           const AlgorithmOptions& options) {
    if (collective.groups != nullptr) return expected_in_groups(algorithm, asked, collective, options);
    ExpectedCost cost = expected_without_switches(algorithm, asked, fitted(collective, *asked.topology), options);
    if (collective.has_sizes()) {
        cost.volume = std::nullopt;
        cost.latency = std::nullopt;
        cost.derivation.emplace_back("packets differ in size, so volume and latency are measured");
    }
    if (asked.topology->fabric() != nullptr) return through_switches(cost);
    return asked.chooses_routes() ? with_chosen_routes(cost) : cost;
}

namespace {

ExpectedCost expected_without_switches(const Algorithm& algorithm, const Machine& asked, const Collective& collective,
                                       const AlgorithmOptions& options) {
    const bool in_several_runs = has_runs(algorithm, asked, collective, options);
    if (is_thinned(algorithm, asked, collective)) {
        const ExpectedCost cost = expected_thinned(algorithm, asked, collective, options);
        return in_several_runs ? in_order(cost) : cost;
    }
    const Machine machine = planning_machine(algorithm, asked, collective, options);
    if (algorithm.way == Way::reduce_broadcast) {
        Collective broadcast = collective;
        broadcast.operation = algorithm.forward;
        const Algorithm& forward = broadcast_of(algorithm, machine, broadcast);
        const ExpectedCost cost =
            there_and_back(expected_cost(forward, machine, broadcast, options), machine, collective, forward.name);
        return in_several_runs ? in_order(cost) : cost;
    }
    const std::uint64_t m = collective.packets_each;
    const bool is_repeated = !machine.combining && algorithm.with_many == WithMany::repeated;
    if (m == 1 || (!machine.combining && !is_repeated) || algorithm.with_many == WithMany::own ||
        collective.counts != nullptr) {
        const ExpectedCost cost = algorithm.expect(machine, collective, options);
        return in_several_runs ? in_order(cost) : cost;
    }
    Collective together = collective;
    together.packets_each = 1;
    together.packet_bytes *= m;
    ExpectedCost cost = algorithm.expect(machine, together, options);
    if (in_several_runs) cost = in_order(std::move(cost));
    if (is_repeated) return times_over(std::move(cost), m);
    if (cost.volume) *cost.volume *= m;
    cost.derivation.push_back(
        fmt::format("each message carries {} times as much{}", m,
                    cost.volume ? fmt::format(": volume {}", counted(*cost.volume, "packet")) : ""));
    return cost;
}

}  // namespace

std::vector<const Algorithm*> applicable(const Machine& machine, const Collective& collective,
                                         const AlgorithmOptions& options) {
    std::vector<const Algorithm*> fitting;
    for (const Algorithm& row : rows_for(collective.operation))
        if (row.operation == collective.operation && !misfit_of(row, machine, collective, options))
            fitting.push_back(&row);
    return fitting;
}

namespace {

/// "sbt, controlled-flooding would do" of those whose runs keep all rules, that the one that was refused runs without the options that it was given, or a clause for
/// the case that nothing helps. `refused`: null where it is none of the operation.
std::string way_out(const Algorithm* refused, const Machine& machine, const Collective& collective,
                    const AlgorithmOptions& options) {
    std::vector<std::string_view> names;
    for (const Algorithm* row : applicable(machine, collective, options))
        if (!breaks_a_rule(*row, machine)) names.push_back(row->name);
    if (!names.empty()) return fmt::format("{} would do", fmt::join(names, ", "));
    AlgorithmOptions fewer;
    fewer.reduction = options.reduction;
    const std::size_t given = names_of_given(options).size();
    if (refused == nullptr || given == 0 || misfit_of(*refused, machine, collective, fewer))
        return "no other algorithm runs as asked either";
    return fmt::format("it runs without {}", given == 1 ? "that option" : "these options");
}

}  // namespace

const Algorithm& algorithm_named(std::string_view wanted, const Machine& machine, const Collective& collective,
                                 const AlgorithmOptions& options) {
    std::vector<std::string_view> names;
    for (const Algorithm& row : rows_for(collective.operation)) {
        if (row.operation != collective.operation) continue;
        names.push_back(row.name);
        if (row.name != wanted) continue;
        if (const auto why = misfit_of(row, machine, collective, options))
            throw RequestError(fmt::format("algorithm {} {}; on {} ({}) {}", quoted(wanted), *why,
                                           machine.topology->spec(), rules_in_words(with_fewer_ports(machine, options)),
                                           way_out(&row, machine, collective, options)));
        return row;
    }
    for (const Algorithm& row : catalogue())
        if (row.name == wanted)
            throw RequestError(fmt::format("algorithm {} is not one of {}; on {} {}", quoted(wanted),
                                           name(collective.operation), machine.topology->spec(),
                                           way_out(nullptr, machine, collective, options)));
    if (names.empty()) throw RequestError(fmt::format("operation '{}' has no algorithm", name(collective.operation)));
    throw RequestError(fmt::format("algorithm {} is unknown for {}{} ({})", quoted(wanted), name(collective.operation),
                                   did_you_mean(wanted, names), fmt::join(names, ", ")));
}

namespace {

/// Nodes keep what they contribute.
void renumber(Job& job, std::shared_ptr<const Renumbered> topology) {
    std::vector<std::string>& values = job.reduction.values;
    const std::vector<std::string> given = std::exchange(values, {});
    if (!given.empty() || job.reduction.type.is_text())
        for (NodeId v = 0; v < topology->nodes(); ++v) {
            const NodeId old = topology->old(v);
            values.push_back(given.empty() ? fmt::format("{}.", old) : given[old]);
        }
    job.machine.topology = std::move(topology);
}

}  // namespace

Job make_job(const Algorithm& algorithm, const Machine& asked, const Collective& asked_collective,
             const AlgorithmOptions& options) {
    require_topology(asked);
    const Collective collective = fitted(asked_collective, *asked.topology);
    const Machine machine = planning_machine(algorithm, asked, collective, options);
    require_valid(collective, *machine.topology);
    const Collective forward = moved_forward(judged_collective(algorithm, collective, options), algorithm.forward);
    const auto started = [&] {
        if (is_thinned(algorithm, asked, collective))
            return following(thinned_schedule(algorithm, asked, collective, options), machine, forward,
                             Routes::of_schedule);
        return algorithm.make(machine, collective, options);
    };
    Start start = started();
    Job job;
    job.machine = machine;
    // The run keeps both limits of the machine asked for, whatever its plan takes for granted.
    if (port_use_of(algorithm, asked, collective) != PortUse::even)
        job.machine = machine_forward(algorithm, with_fewer_ports(asked, options));
    job.program = std::move(start.program);
    job.starters = std::move(start.starters);
    job.starters_wait_until = std::move(start.starters_wait_until);
    job.all_start = start.all_start;
    job.others_receive = start.others_receive;
    job.collective = forward;
    job.reduction = options.reduction;
    if (start.renumbered != nullptr) renumber(job, std::move(start.renumbered));
    if (is_switched(algorithm, asked, collective, options))
        job.routes = routes_by_switches(algorithm, asked, collective, options);
    return job;
}

std::optional<std::string> misfit_of_own(const OwnAlgorithm& own, const Machine& machine,
                                         const AlgorithmOptions& options) {
    if (auto why = takes_no_options(options)) return why;
    return own.misfit == nullptr ? std::nullopt : own.misfit(machine);
}

Start start_of_own(const OwnAlgorithm& own, const Collective& collective) {
    Start start{[program = own.program, collective](Node& self) { return program.of(self, collective); },
                {},
                own.all_start || own.operation->rooted != Rooted::gives};
    if (!start.all_start) start.starters = {collective.root};
    return start;
}

}  // namespace kport
