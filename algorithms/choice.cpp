#include "algorithms/choice.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/bounds/facts.hpp"
#include "algorithms/bounds/schedules.hpp"
#include "algorithms/run_algorithm.hpp"
#include "algorithms/support/fit.hpp"
#include "algorithms/support/planned.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/report/words.hpp"

namespace kport {

namespace {

constexpr std::uint64_t rehearsed_packets_max = std::uint64_t{1} << 26;  // total over all nodes; takes about a second
constexpr std::uint64_t turned_segments_max = std::uint64_t{1}
                                              << 17;  // total over all nodes; messages are recorded with their runs
constexpr NodeId table_nodes_max = NodeId{1} << 22;

/// Latencies are sums in different orders; closer than this they count as equal.
bool clearly_less(double a, double b) { return a < b - 1e-9 * b; }

/// The best cost that is possible or predicted.
struct BestCost {
    double latency;
    std::uint64_t rounds;

    [[nodiscard]] bool beats(const BestCost& that) const {
        return clearly_less(latency, that.latency) || (!clearly_less(that.latency, latency) && rounds < that.rounds);
    }
};

BestCost least_at(const Bounds& bounds) {
    return {bounds[Quantity::latency].largest().value_or(0),
            static_cast<std::uint64_t>(bounds[Quantity::rounds].largest().value_or(0))};
}

/// Measures the algorithm on the machine. Reversed in time it costs the same (model.md section 1), unless partial
/// results stay apart: on the way to the root a message may have many of them, so the reversal itself is run. Returns
/// nothing if it does not deliver, as a user's program may fail to do when it gets more packets than it sends.
std::optional<PredictedCost> rehearsed(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                                       const AlgorithmOptions& options) {
    RunOptions one_thread;
    one_thread.threads = 1;
    const auto forward = [&] {
        Job job = make_job(algorithm, machine, collective, options);
        job.payload = false;
        return run_lockstep(job, one_thread);
    };
    RunResult run;
    try {
        run = has_runs(algorithm, machine, collective, options) || collective.groups != nullptr
                  ? run_algorithm(algorithm, machine, collective, options, {false, 1}, one_thread)
                  : forward();
    } catch (const RequestError&) {
        if (algorithm.slow.empty()) throw;
        return std::nullopt;  // its search may find nothing
    }
    if (!run.verdict.delivered) return std::nullopt;
    const Metrics& metrics = run.verdict.metrics;
    return PredictedCost{metrics.latency, metrics.rounds, Grounds::rehearsed};
}

/// Whether a rehearsal takes about a second at most.
bool is_small(NodeId nodes, const Collective& collective, bool in_runs, const Effort& effort) {
    if (nodes > effort.nodes) return false;
    return in_runs ? nodes * collective.segments(nodes) <= turned_segments_max
                   : nodes * collective.packets_each <= rehearsed_packets_max;
}

/// Whether its messages, of one packet or value, are known to cross few links. Contributions that are kept apart grow.
bool few_hops(const ExpectedCost& cost, const Collective& collective, const AlgorithmOptions& options,
              std::uint64_t hops_max) {
    const bool of_one =
        collective.operation->carries == Carries::copies || (collective.folds() && options.reduction.commutative());
    return of_one && cost.work && *cost.work <= hops_max / collective.packets_each;
}

/// Returns the most packets of a message. With in_runs, at most every other node begins a run.
double largest_bundle(NodeId nodes, const Collective& collective, bool in_runs) {
    const auto n = static_cast<double>(nodes);
    if (!in_runs) return (n - 1) * static_cast<double>(collective.packets_each);
    return std::ceil(n / 2) * static_cast<double>(collective.segments(nodes));
}

/// Uses the longest path of a shortest-path tree, and all packets in every bundle, where these are not derived.
PredictedCost at_most(const ExpectedCost& cost, const Machine& machine, const Collective& collective, bool in_runs) {
    const double rounds = static_cast<double>(*cost.rounds);
    const Costs costs = machine.prices == nullptr ? machine.costs : machine.costs.times(machine.prices->most());
    const auto total = [&](const std::optional<std::uint64_t>& known, double most) {
        return known ? static_cast<double>(*known) : rounds * most;
    };
    const double hops = total(cost.path_sum, 2 * static_cast<double>(machine.topology->eccentricity(collective.root)));
    const double packets = total(cost.volume, largest_bundle(machine.topology->nodes(), collective, in_runs));
    return {
        rounds * costs.startup + hops * costs.hop + packets * static_cast<double>(collective.packet_bytes) * costs.byte,
        *cost.rounds, Grounds::at_most};
}

/// Returns the collective with all packets of a node as one; nothing if that is too large, or counts differ.
std::optional<Collective> as_one_packet(Collective collective) {
    constexpr std::uint64_t packet_bytes_max = std::uint64_t{1} << 53;
    if (collective.counts != nullptr) return std::nullopt;  // those of some nodes are fewer
    if (collective.packet_bytes > packet_bytes_max / collective.packets_each) return std::nullopt;
    collective.packet_bytes *= std::exchange(collective.packets_each, 1);
    return collective;
}

/// Returns a lower bound on any run of the algorithm: the bounds of the machine restricted to what it uses, and those
/// of one packet if each message carries all M. `bounds`: of this machine; `of_one`: of all packets as one.
BestCost least_of(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                  const Bounds& bounds, const std::optional<Bounds>& of_one) {
    Machine used = machine;
    if (algorithm.single_links && machine.topology->fabric() == nullptr) used.switching = Switching::store_and_forward;
    used.combining = !moves_single_packets(algorithm, machine, collective);
    const bool as_it_is = used.switching == machine.switching && used.combining == machine.combining;
    const bool is_bundled = used.combining && algorithm.with_many != WithMany::own && of_one.has_value();
    const Bounds& known = is_bundled ? *of_one : bounds;
    return least_at(as_it_is ? known : lower_bounds(used, is_bundled ? *as_one_packet(collective) : collective));
}

/// Names a schedule that meets the bound on rounds, if the catalogue has no program of its name.
std::string known_without_program(const Machine& machine, const Collective& collective) {
    const std::string schedule = lower_bounds(machine, collective)[Quantity::rounds].met_by;
    const bounds::Facts facts = bounds::facts_of(machine, collective);
    const bool listed = std::ranges::any_of(rows_for(collective.operation), [&](const Algorithm& row) {
        const std::string name(row.name);
        return row.operation == collective.operation &&
               (name == schedule || bounds::of_all_packets({name, {}, {}, {}, {}}, facts).name == schedule);
    });
    return listed || schedule.empty()
               ? std::string()
               : fmt::format("; {} would take the fewest rounds, but the catalogue has no program for it", schedule);
}

/// Whether it runs on this topology if all restrictions of the machine are lifted.
bool serves_topology(const Algorithm& row, const Machine& machine, const Collective& collective,
                     const AlgorithmOptions& options) {
    Machine other = machine;
    other.duplex = Duplex::full;
    other.links = Duplex::full;
    other.pairwise = false;
    other.combining = true;
    for (const PortLimit& ports : {machine.ports, PortLimit(1), PortLimit::all()})
        for (const Switching switching : {Switching::store_and_forward, Switching::wormhole}) {
            other.ports = ports;
            other.switching = switching;
            if (!misfit_of(row, other, collective, options)) return true;
        }
    return false;
}

/// Names algorithms that would run on another machine of this topology, or on a smaller one, and why not on this one;
/// each reason once.
std::string why_none(const Machine& machine, const Collective& collective, const AlgorithmOptions& options) {
    if (collective.own_folds() != nullptr)
        return fmt::format(
            "no algorithm folds what a file promises; want one of your own, such as kport run {0} --algorithm "
            "./mine.cpp, or a schedule, which kport check judges",
            name(collective.operation));
    std::vector<const Algorithm*> rows;
    for (const Algorithm& row : rows_for(collective.operation))
        if (row.operation == collective.operation && row.by_default) rows.push_back(&row);
    const auto serves = [&](const Algorithm* row) { return serves_topology(*row, machine, collective, options); };
    const auto is_too_large = [&](const Algorithm* row) {
        const auto why = misfit_of(*row, machine, collective, options);
        return why && why->starts_with(is_planned_where);
    };
    if (std::ranges::any_of(rows, serves))
        std::erase_if(rows, [&](const Algorithm* row) { return !serves(row) && !is_too_large(row); });
    std::vector<std::pair<std::string, std::vector<std::string_view>>> refused;  // by reason, in the catalogue's order
    for (const Algorithm* row : rows) {
        const auto why = misfit_of(*row, machine, collective, options);
        if (!why) continue;
        auto at = std::ranges::find(refused, *why, &decltype(refused)::value_type::first);
        if (at == refused.end()) at = refused.insert(at, {*why, {}});
        at->second.push_back(row->name);
    }
    std::vector<std::string> clauses;
    for (const auto& [why, names] : refused)
        clauses.push_back(fmt::format("{}{} {}", fmt::join(names, ", "), names.size() > 1 ? ": each" : "", why));
    return fmt::format("no algorithm of {} runs on {} ({}): {}{}{}", name(collective.operation),
                       machine.topology->spec(), rules_in_words(machine), fmt::join(clauses, "; "),
                       collective.is_own() ? "; want one of your own, or exact on a small machine" : "",
                       known_without_program(machine, folding(collective, options.reduction)));
}

}  // namespace

std::optional<double> derived_latency(const ExpectedCost& cost, const Machine& machine, std::uint64_t packet_bytes) {
    if (machine.prices != nullptr) return std::nullopt;
    if (cost.latency) return cost.latency;
    const Costs& costs = machine.costs;
    const double packet = static_cast<double>(packet_bytes) * costs.byte;
    const bool all_known = cost.rounds && (cost.path_sum || costs.hop == 0) && (cost.volume || packet == 0);
    if (!all_known) return std::nullopt;
    return static_cast<double>(*cost.rounds - cost.silent_rounds) * costs.startup +
           static_cast<double>(cost.path_sum.value_or(0)) * costs.hop +
           static_cast<double>(cost.volume.value_or(0)) * packet;
}

PerQuantity<std::optional<double>> derived_costs(const ExpectedCost& cost, const Machine& machine,
                                                 std::uint64_t packet_bytes) {
    PerQuantity<std::optional<double>> derived;
    const auto put = [&](Quantity quantity, const std::optional<std::uint64_t>& count, std::uint64_t unit) {
        if (count) derived[quantity] = static_cast<double>(*count * unit);
    };
    put(Quantity::rounds, cost.rounds, 1);
    put(Quantity::work, cost.work, 1);
    put(Quantity::path_sum, cost.path_sum, 1);
    put(Quantity::volume, cost.volume, packet_bytes);
    derived[Quantity::latency] = derived_latency(cost, machine, packet_bytes);
    return derived;
}

const Algorithm& broadcast_of(const Algorithm& allreduce, const Machine& machine, const Collective& broadcast) {
    const Algorithm* const same = find_algorithm(allreduce.forward, allreduce.name);
    return same != nullptr ? *same : best_algorithm(machine, broadcast, {});
}

double plan_bytes_of(const Algorithm& algorithm, const Machine& machine, const Collective& collective) {
    if (algorithm.plan == nullptr) return 0;
    return plan_bytes(algorithm.plan(planning_machine(algorithm, machine, collective, {}), collective));
}

std::optional<PredictedCost> predicted_cost(const Algorithm& algorithm, const Machine& asked,
                                            const Collective& collective, const AlgorithmOptions& options,
                                            const Effort& effort) {
    const Machine machine = with_fewer_ports(asked, options);
    const Machine planned = planning_machine(algorithm, asked, collective, options);
    const NodeId nodes = machine.topology->nodes();
    const bool in_runs = has_runs(algorithm, machine, collective, options);
    const bool back_and_forth = algorithm.way == Way::reduce_broadcast;
    Collective forward = collective;
    forward.operation = algorithm.forward;
    if (back_and_forth && !in_runs) {  // two broadcasts, one of them reversed
        auto half = predicted_cost(broadcast_of(algorithm, planned, forward), planned, forward, options, effort);
        if (half) half = PredictedCost{2 * half->latency, 2 * half->rounds, half->grounds};
        return half;
    }
    if (algorithm.table_bytes_per_node != 0 && nodes > table_nodes_max) return std::nullopt;
    const ExpectedCost cost = expected_cost(algorithm, machine, collective, options);
    if (const auto latency = derived_latency(cost, machine, collective.packet_bytes))
        return PredictedCost{*latency, *cost.rounds, Grounds::derived};
    const double plan = back_and_forth ? plan_bytes_of(broadcast_of(algorithm, planned, forward), planned, forward)
                                       : plan_bytes_of(algorithm, machine, collective);
    if (plan > effort.plan_bytes) return std::nullopt;
    if (is_small(nodes, collective, in_runs, effort) || few_hops(cost, collective, options, effort.hops))
        return rehearsed(algorithm, machine, collective, options);
    return cost.rounds ? std::optional(at_most(cost, machine, collective, in_runs)) : std::nullopt;
}

std::optional<BetterRoot> better_root(const Algorithm& algorithm, const Machine& machine, const Collective& collective,
                                      const AlgorithmOptions& options) {
    Collective other = collective;
    other.root = bounds::middle_of(*machine.topology);
    // For a scan in preorder the root determines the order.
    if (!algorithm.through_root || collective.scans() || other.root == collective.root ||
        !collective.has_member(other.root) || collective.groups != nullptr)
        return std::nullopt;
    const auto now = predicted_cost(algorithm, machine, collective, options);
    const auto there = predicted_cost(algorithm, machine, other, options);
    if (!now || !there || !clearly_less(there->latency, now->latency)) return std::nullopt;
    return BetterRoot{other.root, there->latency, now->latency};
}

namespace {

AlgorithmOptions with_ports(AlgorithmOptions options, std::optional<Port> at_most) {
    if (at_most) options.ports_at_most = at_most;
    return options;
}

/// A machine with the ports that algorithms may use, and what its bounds allow.
struct Within {
    std::optional<Port> fewer;  ///< ports than asked for; nothing: those
    AlgorithmOptions options;
    Machine machine;
    Bounds bounds;
    /// of all packets as one; nothing if every packet travels in its own message, or counts differ
    std::optional<Bounds> bounds_of_one = {};

    Within(const Machine& asked, const Collective& collective, AlgorithmOptions with, std::optional<Port> k = {})
        : fewer(k), options(with_ports(std::move(with), k)), machine(with_fewer_ports(asked, options)),
          bounds(lower_bounds(machine, collective)) {
        const auto one = as_one_packet(collective);
        if (machine.combining && collective.packets_each > 1 && one) bounds_of_one = lower_bounds(machine, *one);
    }
};

/// Examines candidates one after the other and keeps the best.
class Choosing {
  public:
    Choosing(const Collective& collective, bool keep_is_free, std::span<const Algorithm* const> left_out)
        : collective_(collective), keep_is_free_(keep_is_free), left_out_(left_out) {}

    /// Examines the algorithms that apply. Returns whether the bounds of this machine leave room for a better one.
    bool consider(const Within& within) {
        if (!may_be_better(least_at(within.bounds))) return false;
        for (const Algorithm* row : rows_of(within)) {
            if (!row->is_first_choice()) continue;
            consider(within, *row, std::nullopt);
            if (keep_is_free_ && row->keeps && !within.options.keep)
                consider(within, *row, *row->keeps == Keep::smaller ? Keep::greater : Keep::smaller);
        }
        if (!within.fewer) consider_again(within);
        return may_be_better(least_at(within.bounds));
    }
    /// Examines those that search.
    void consider_last(const Within& within) {
        for (const Algorithm* row : rows_of(within))
            if (row->is_last_choice()) consider(within, *row, std::nullopt);
    }
    /// Whether there are candidates, and none of them can be predicted.
    [[nodiscard]] bool is_blind() const { return !best_ && !choice_.candidates.empty(); }
    /// Of candidates with fewer ports than asked for, only the chosen one stays.
    [[nodiscard]] Choice choice(const Machine& machine, const AlgorithmOptions& options) && {
        if (is_blind()) guess(machine, options);
        std::erase_if(choice_.candidates,
                      [&](const Candidate& each) { return each.ports_at_most && !choice_.takes(each); });
        return std::move(choice_);
    }

  private:
    /// In the catalogue's order: among equals the first wins.
    [[nodiscard]] std::vector<const Algorithm*> rows_of(const Within& within) const {
        std::vector<const Algorithm*> rows = applicable(within.machine, collective_, within.options);
        std::erase_if(rows, [&](const Algorithm* row) { return std::ranges::find(left_out_, row) != left_out_.end(); });
        return rows;
    }
    /// Takes the first; with switches the first of those that would take the fewest rounds without.
    void guess(const Machine& machine, const AlgorithmOptions& options) {
        constexpr std::uint64_t unknown = ~std::uint64_t{0};
        const auto rounds = [&](const Candidate& candidate) {
            return expected_cost(*candidate.algorithm, machine, collective_, options)
                .rounds_without_switches.value_or(unknown);
        };
        choice_.of_fewest_rounds = machine.topology->fabric() != nullptr;
        choice_.algorithm = choice_.of_fewest_rounds
                                ? std::ranges::min_element(choice_.candidates, {}, rounds)->algorithm
                                : choice_.candidates.front().algorithm;
    }
    void consider(const Within& within, const Algorithm& row, std::optional<Keep> keep) {
        const BestCost least = least_of(row, within.machine, collective_, within.bounds, within.bounds_of_one);
        choice_.candidates.push_back({&row, keep, within.fewer, std::nullopt, least.latency});
        least_.push_back(least);
        if (may_be_better(least))
            predict(within, choice_.candidates.size() - 1, within.fewer ? effort_with_fewer_ports : effort_at_once);
    }
    /// Examines candidates whose exact latency is not known yet, the lowest estimate first.
    void consider_again(const Within& within) {
        std::vector<std::size_t> waiting;
        for (std::size_t i = 0; i < choice_.candidates.size(); ++i)
            if (!is_exact(choice_.candidates[i].predicted)) waiting.push_back(i);
        std::ranges::stable_sort(waiting, {}, [&](std::size_t i) { return least_[i].latency; });
        Effort left = effort_if_better;
        for (const std::size_t i : waiting) {
            if (!may_be_better(least_[i])) continue;
            predict(within, i, left);
            if (is_exact(choice_.candidates[i].predicted))
                left.plan_bytes -= plan_bytes_of(*choice_.candidates[i].algorithm, within.machine, collective_);
        }
    }
    [[nodiscard]] bool may_be_better(const BestCost& least) const { return !best_ || least.beats(*best_); }
    [[nodiscard]] static bool is_exact(const std::optional<PredictedCost>& cost) {
        return cost && cost->grounds != Grounds::at_most;
    }
    void predict(const Within& within, std::size_t i, const Effort& effort) {
        Candidate& candidate = choice_.candidates[i];
        AlgorithmOptions with = within.options;
        if (candidate.keep) with.keep = candidate.keep;
        candidate.predicted = predicted_cost(*candidate.algorithm, within.machine, collective_, with, effort);
        if (!candidate.predicted) return;
        const BestCost standing{candidate.predicted->latency, candidate.predicted->rounds};
        if (best_ && !standing.beats(*best_)) return;
        best_ = standing;
        choice_.algorithm = candidate.algorithm;
        choice_.keep = candidate.keep;
        choice_.ports_at_most = candidate.ports_at_most;
    }

    const Collective& collective_;
    const bool keep_is_free_;
    const std::span<const Algorithm* const> left_out_;
    Choice choice_;
    std::vector<BestCost> least_;  ///< of each candidate
    std::optional<BestCost> best_;
};

/// `fewer`: the numbers of ports with which it also looks, the largest first.
/// `all_choices`: whether also at algorithms that search.
Choice choice_of(const Machine& machine, const Collective& collective, const AlgorithmOptions& options,
                 std::span<const Port> fewer, bool all_choices, bool keep_is_free,
                 std::span<const Algorithm* const> left_out) {
    Choosing choosing(collective, keep_is_free, left_out);
    const Within all(machine, collective, options);
    bool is_room = choosing.consider(all) && !choosing.is_blind();
    for (std::size_t i = 0; is_room && i < fewer.size(); ++i)
        is_room = choosing.consider(Within(machine, collective, options, fewer[i]));
    if (all_choices && !choosing.is_blind()) {
        choosing.consider_last(all);
        // A short search with fewer ports may find what one with more does not.
        for (const Port k : fewer) choosing.consider_last(Within(machine, collective, options, k));
    }
    Choice choice = std::move(choosing).choice(machine, options);
    if (choice.candidates.empty() && left_out.empty()) throw RequestError(why_none(machine, collective, options));
    return choice;
}

/// " --keep smaller --ports-at-most 1"
std::string options_in_words(const std::optional<Keep>& keep, const std::optional<Port>& ports_at_most) {
    return fmt::format("{}{}", keep ? fmt::format(" --keep {}", *keep == Keep::smaller ? "smaller" : "greater") : "",
                       ports_at_most ? fmt::format(" --ports-at-most {}", *ports_at_most) : "");
}

}  // namespace

std::vector<Port> fewer_ports(const Machine& machine) {
    constexpr Port each_up_to = 16;
    std::vector<Port> fewer;
    const PortLimit highest = machine.highest_ports();
    const Port higher = std::max(highest.sends(), highest.receives());
    const Port most = machine.has_one_limit() ? machine.widest() : std::min(higher, machine.topology->max_width());
    for (std::uint64_t k = 1; k < most; k < each_up_to ? ++k : k *= 2) fewer.push_back(static_cast<Port>(k));
    std::ranges::reverse(fewer);
    return fewer;
}

Choice choose(const Machine& machine, const Collective& collective, const AlgorithmOptions& options, bool keep_is_free,
              std::span<const Algorithm* const> left_out) {
    return choice_of(machine, collective, options, fewer_ports(with_fewer_ports(machine, options)), true, keep_is_free,
                     left_out);
}

const Algorithm& best_algorithm(const Machine& machine, const Collective& collective, const AlgorithmOptions& options) {
    return *choice_of(machine, collective, options, {}, false, false, {}).algorithm;
}

std::string Candidate::name() const {
    return fmt::format("{}{}", algorithm->name, options_in_words(keep, ports_at_most));
}

AlgorithmOptions Choice::options(AlgorithmOptions given) const {
    if (keep) given.keep = keep;
    if (ports_at_most) given.ports_at_most = ports_at_most;
    return given;
}

std::string Choice::told(const Candidate& candidate) {
    if (!candidate.predicted) return fmt::format("{} or more", number(candidate.least));
    std::string latency = number(candidate.predicted->latency);
    switch (candidate.predicted->grounds) {
        case Grounds::derived: return latency + " (derived)";
        case Grounds::rehearsed: return latency + " (rehearsed)";
        case Grounds::at_most: return "at most " + latency;
    }
    return latency;
}

std::string Choice::reason() const {
    const auto algorithms =
        std::ranges::count_if(candidates, [](const Candidate& c) { return !c.keep && !c.ports_at_most; });
    if (candidates.size() == 1 || (algorithms == 1 && !keep && !ports_at_most))
        return "the only algorithm that applies";
    const Candidate* next = nullptr;
    std::string own;
    double own_latency = 0;
    const auto cost = [](const Candidate& c) { return c.predicted ? c.predicted->latency : c.least; };
    for (const Candidate& candidate : candidates) {
        if (takes(candidate)) {
            if (!candidate.predicted)
                return fmt::format(
                    "the machine is too large to predict a latency; the first {}",
                    of_fewest_rounds ? "of those that take the fewest rounds if no message waits" : "that applies");
            own = told(candidate);
            own_latency = candidate.predicted->latency;
        } else if (candidate.keep && !candidate.predicted) {  // the other part of the same algorithm, and no better
            continue;
        } else if (next == nullptr || cost(candidate) < cost(*next)) {
            next = &candidate;
        }
    }
    std::string with = options_in_words(keep, ports_at_most);
    if (!with.empty()) with.insert(0, ", with");
    if (!next->predicted && next->least < own_latency)
        return fmt::format("smallest latency that is predicted{}: {}; {} may take less, {}: too large to be predicted",
                           with, own, next->name(), told(*next));
    return fmt::format("smallest predicted latency of {}{}: {}; next best: {}, {}",
                       counted(static_cast<std::uint64_t>(algorithms), "algorithm"), with, own, next->name(),
                       told(*next));
}

}  // namespace kport
