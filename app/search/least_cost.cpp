#include "app/search/least_cost.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/planning/graph.hpp"
#include "algorithms/run_algorithm.hpp"
#include "app/search/question.hpp"
#include "app/search/search.hpp"
#include "app/search/symmetry.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/memory_limit.hpp"
#include "emulator/base/numbers.hpp"

namespace kport::search {
namespace {

using Clock = std::chrono::steady_clock;

Calls calls_of(const Schedule& schedule) {
    Calls calls;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const Transfer transfer = schedule.transfer(i);
        calls.push_back({schedule.round(i), static_cast<Node32>(transfer.from), static_cast<Node32>(transfer.to)});
    }
    return calls;
}

/// The mode of a machine for which calls are planned and searched for without packets; nothing where there is none.
std::optional<Mode> mode_of(const Machine& machine) {
    if (machine.links == Duplex::half || !machine.has_one_limit()) return std::nullopt;
    if (machine.duplex == Duplex::half)
        return machine.ports == PortLimit(1) ? std::optional(Mode::telegraph) : std::nullopt;
    return machine.pairwise ? Mode::telephone : Mode::kport;
}

/// Allgather, alltoall and barrier need the same messages where bundles are free: some lead from everybody to everybody.
bool is_gossip(const Operation& operation) {
    return operation == Operation::allgather || operation == Operation::alltoall || operation == Operation::barrier;
}

class LeastCostSearch {
  public:
    LeastCostSearch(const Question& question, Least least, SearchOptions options)
        : question_(question), least_(least), options_(std::move(options)), asked_(question) {
        if (question.collective.signals()) asked_.machine.combining = true;
        is_reversed_ = is_reversed(question.operation());
        if (is_reversed_) {
            asked_ = reversed(asked_);
            equal(asked_.operation(), "its schedules, reversed in time");
        }
        if (question_.collective.folds()) cost_.reading = first_reading();
        if (const std::optional<double> seconds = options_.seconds)
            end_ = start_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds));
    }

    [[nodiscard]] LeastCost run() {
        search_rounds();
        const bool has_schedule = cost_.rounds.most != rounds_unknown;
        if (cost_.rounds.exact() || (least_ == Least::work_of_all && has_schedule)) search_more();
        cost_.collective = question_.sources.size() > 1 ? asked_.collective : question_.collective;
        cost_.collective.in_runs = asked_.collective.in_runs;
        cost_.rounds.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
        if (cost_.rounds.most == rounds_unknown) return std::move(cost_);
        cost_.rounds.schedule = answered(schedule_);
        cost_.rounds.verdict = judged(cost_.rounds.schedule, question_.machine, cost_.collective);
        for (FrontLine& line : cost_.front) {
            line.schedule = answered(line.schedule);
            (void)judged(line.schedule, question_.machine, cost_.collective);
        }
        return std::move(cost_);
    }

  private:
    void equal(const Operation& operation, std::string why) {
        cost_.equal_to = EqualQuestion{operation, std::move(why)};
    }

    [[nodiscard]] bool stopped() {
        if (options_.progress) options_.progress(at_work_);
        return (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed)) ||
               (end_ && Clock::now() > *end_);
    }
    /// The options of another search, which gets the time that is left. What it refutes proves something of this question only where
    /// `proves`.
    [[nodiscard]] SearchOptions options_left(bool proves) const {
        SearchOptions left = options_;
        if (!proves) left.proof.clear();
        if (end_) left.seconds = std::max(0.0, std::chrono::duration<double>(*end_ - Clock::now()).count());
        return left;
    }

    static Verdict judged(const Schedule& schedule, const Machine& machine, const Collective& collective) {
        Verdict verdict = audit(schedule, machine, collective, false);
        invariant(verdict.lawful(), "a schedule that a search finds keeps the rules");
        return verdict;
    }
    [[nodiscard]] Metrics cost_of(const Schedule& schedule) const {
        return judged(schedule, asked_.machine, asked_.collective).metrics;
    }
    /// A schedule of asked_ as one of the question.
    [[nodiscard]] Schedule answered(const Schedule& schedule) const {
        return is_reversed_ ? reversed(question_, schedule) : schedule;
    }

    // ---- rounds ----------------------------------------------------------------------------------------------------

    void search_rounds() {
        if (asked_.machine.has_long_paths()) return search_flows();
        const Operation& operation = asked_.operation();
        const bool bundles = asked_.bundles();
        const bool one_packet = operation == Operation::broadcast && asked_.collective.packets_each == 1;
        if (one_packet || (bundles && (operation == Operation::broadcast || operation == Operation::scatter)))
            from_calls(broadcast());
        else if (bundles && is_gossip(operation))
            from_calls(gossip());
        else
            search_formulas();
    }

    [[nodiscard]] Found broadcast() {
        if (question_.operation() != Operation::broadcast)
            equal(Operation::broadcast, "along the tree of a broadcast, with bundles");
        Problem problem;
        problem.topology = asked_.machine.topology;
        problem.sources = asked_.sources.empty() ? std::vector<NodeId>{asked_.collective.root} : asked_.sources;
        if (asked_.machine.node_ports != nullptr) {
            Question one = asked_;
            one.sources.clear();
            one.collective = collective_of(problem);
            return by_formulas(one);
        }
        // A node receives once, before it sends.
        const PortLimit& ports = asked_.machine.ports;
        problem.ports = asked_.machine.pairwise ? PortLimit(1) : PortLimit(ports.sends(), ports.sends());
        return fewest_rounds(problem, options_left(true));
    }

    /// Messages take paths: a broadcast in rounds of flows, and what goes along its tree.
    void search_flows() {
        if (question_.operation() != Operation::broadcast)
            equal(Operation::broadcast, "along the tree of a broadcast, with bundles");
        const std::vector<NodeId> sources =
            asked_.sources.empty() ? std::vector<NodeId>{asked_.collective.root} : asked_.sources;
        std::vector<planning::RoutedCall> calls;
        cost_.rounds = fewest_rounds_by_flows(asked_.machine, sources, options_left(false), calls);
        Calls plain = planning::calls_of(calls);
        Problem several;
        several.topology = asked_.machine.topology;
        several.sources = sources;
        if (sources.size() > 1) asked_.collective = collective_of(several);
        const Collective bundles = sources.size() > 1 ? Collective::broadcast(sources.front(), 1) : asked_.collective;
        schedule_ = planning::with_routes(
            planning::bundled(*asked_.machine.topology, bundles, sources, std::move(plain)), calls);
    }

    [[nodiscard]] Found gossip() {
        if (question_.operation() != Operation::allgather && !is_reversed_)
            equal(Operation::allgather, "with the same messages");
        if (const std::optional<Mode> mode = mode_of(asked_.machine)) {
            Problem problem;
            problem.topology = asked_.machine.topology;
            problem.operation = Operation::allgather;
            problem.mode = *mode;
            problem.ports = *mode == Mode::kport ? asked_.machine.ports : PortLimit(1);
            return fewest_rounds(problem, options_left(true));
        }
        return by_formulas(one_packet_each());  // which serves for all that a node sends
    }
    [[nodiscard]] Found by_formulas(const Question& question) const {
        LeastCostSearch one(question, Least::rounds, options_left(true));
        one.search_formulas();
        one.cost_.rounds.schedule = std::move(one.schedule_);
        return std::move(one.cost_.rounds);
    }
    [[nodiscard]] Question one_packet_each() const {
        Question one = asked_;
        one.collective = Collective::allgather(1);
        return one;
    }

    void from_calls(Found found) {
        cost_.rounds = std::move(found);
        if (asked_.sources.size() > 1) {
            Problem problem;
            problem.topology = asked_.machine.topology;
            problem.sources = asked_.sources;
            asked_.collective = collective_of(problem);
            schedule_ = std::move(cost_.rounds.schedule);
        } else {
            schedule_ = schedule_of(asked_, calls_of(cost_.rounds.schedule));
        }
    }

    void search_formulas() {
        Found& found = cost_.rounds;
        found.bounds = lower_bounds(question_.machine, question_.collective)[Quantity::rounds].arguments;
        if (asked_.operation() == Operation::allreduce) add_bound_of_gossip();
        std::ranges::move(loads_of(asked_), std::back_inserter(found.bounds));
        std::ranges::move(told_late(asked_), std::back_inserter(found.bounds));
        raise_bound({});
        try_catalogue();
        if (!found.exact()) try_repetition();
        if (!found.exact()) raise_bound(fluid_of(asked_));
        while (!found.exact() && !options_.only_heuristics && attempt(found.least)) {
        }
        if (found.most != rounds_unknown && !options_.only_heuristics)
            look_above_least(found, [&](Round rounds) { return attempt(rounds); });
        if (cost_.reading == Reading::runs && found.exact() && !asked_.reading) prefer_folded();
        asked_.collective.in_runs = cost_.reading == Reading::runs;
        if (found.exact()) found.proof = found.most == found.bound ? Proof::bound_met : Proof::refuted;
    }

    void raise_bound(std::vector<Argument> arguments) {
        Found& found = cost_.rounds;
        std::ranges::move(arguments, std::back_inserter(found.bounds));
        std::ranges::stable_sort(found.bounds, std::ranges::greater(), &Argument::value);
        found.bound = found.least = found.bounds.empty() ? 0 : static_cast<Round>(found.bounds.front().value);
    }

    /// Contributions reach everybody: what carries them would serve an allgather with bundles.
    void add_bound_of_gossip() {
        LeastCostSearch gossip(bundled_gossip(), Least::rounds, options_left(true));
        gossip.search_rounds();
        cost_.rounds.proved = gossip.cost_.rounds.proved;
        cost_.rounds.bounds.push_back(
            {"gossip", static_cast<double>(gossip.cost_.rounds.least),
             fmt::format("Every contribution reaches every node, as in an allgather with bundles, which takes {}.",
                         counted(gossip.cost_.rounds.least, "round")),
             "messages of an allreduce are those of a gossip"});
    }
    [[nodiscard]] Question bundled_gossip() const {
        Question gossip = one_packet_each();
        gossip.machine.combining = true;
        return gossip;
    }

    /// With bundles every folded schedule is one in runs, without them it is the other way round.
    [[nodiscard]] Reading first_reading() const {
        if (asked_.reading) return *asked_.reading;
        return asked_.collective.scans() && asked_.bundles() ? Reading::runs : Reading::folded;
    }
    void prefer_folded() {
        Found& found = cost_.rounds;
        cost_.reading = Reading::folded;
        if (found.attempts.empty() && !catalogue_in_runs_) return;  // the catalogue's schedule is folded
        Schedule schedule;
        if (solve(found.most, nullptr, schedule) == Answer::yes) {
            schedule_ = std::move(schedule);
            found.found_by = "search";
        } else {
            cost_.reading = Reading::runs;
        }
    }

    /// Takes the better schedules of all algorithms that apply, one after the other, until there is enough.
    void each_of_catalogue(const auto& is_better, const auto& enough, const auto& take) {
        constexpr NodeId catalogue_nodes_max = 256;
        if (asked_.nodes() > catalogue_nodes_max || asked_.sources.size() > 1) return;
        at_work_ = "algorithms of the catalogue";
        for (const Algorithm& algorithm : rows_for(asked_.operation())) {
            if (algorithm.operation != asked_.operation() || algorithm.is_own || algorithm.breaks != nullptr ||
                !algorithm.slow.empty() || (algorithm.in_runs && first_reading() == Reading::folded) ||
                misfit_of(algorithm, asked_.machine, asked_.collective, {}))
                continue;
            if (stopped() || enough()) return;
            Schedule schedule;
            RunOptions run;
            run.recorded_schedule = &schedule;
            Collective collective = asked_.collective;
            if (collective.folds()) collective.packet_bytes = sizeof(std::int64_t);  // a whole element; rounds stay
            const RunResult result = run_algorithm(algorithm, asked_.machine, collective, {}, {.copied = false}, run);
            if (!result.verdict.lawful() || !is_better(result.verdict.metrics)) continue;
            collective.in_runs = collective.in_runs || algorithm.in_runs;
            if (!audit(schedule, asked_.machine, collective, false).lawful()) continue;
            take(algorithm, result.verdict.metrics, collective.in_runs, std::move(schedule));
        }
    }

    /// The fewest rounds of any algorithm that applies.
    void try_catalogue() {
        Found& found = cost_.rounds;
        found.most = rounds_unknown;
        each_of_catalogue([&](const Metrics& metrics) { return metrics.rounds < found.most; },
                          [&] { return found.exact(); },
                          [&](const Algorithm& algorithm, const Metrics& metrics, bool in_runs, Schedule schedule) {
                              found.most = static_cast<Round>(metrics.rounds);
                              found.found_by = algorithm.name;
                              schedule_ = std::move(schedule);
                              catalogue_in_runs_ = in_runs;
                          });
    }

    /// Without combining, a schedule for fewer packets may be repeated for others.
    void try_repetition() {
        const std::uint64_t m = asked_.collective.packets_each;
        if (asked_.bundles() || m == 1 || stopped()) return;
        std::uint64_t times = 2;
        while (m % times != 0) ++times;
        Question fewer = asked_;
        fewer.collective.packets_each = m / times;
        LeastCostSearch part(fewer, Least::rounds, options_left(false));
        part.search_rounds();
        const Found& found = part.cost_.rounds;
        if (found.most == rounds_unknown || found.most * times >= cost_.rounds.most || part.asked_.collective.in_runs)
            return;
        cost_.rounds.most = static_cast<Round>(found.most * times);
        cost_.rounds.found_by = fmt::format("{} rounds of {} packets each, {} times", found.most, m / times, times);
        schedule_ = repeated(asked_, part.schedule_, m / times);
    }

    bool attempt(Round rounds) {
        if (stopped() || !can_solve()) return false;
        Found& found = cost_.rounds;
        found.attempts.push_back({rounds});
        const bool known = found.most != rounds_unknown;
        at_work_ = known ? fmt::format("between {} and {}; is there a schedule of {}?", found.least, found.most,
                                       counted(rounds, "round"))
                         : fmt::format("is there a schedule of {}?", counted(rounds, "round"));
        Schedule schedule;
        const Answer answer = solve(rounds, &found.attempts.back(), schedule);
        if (answer == Answer::yes) {
            found.most = rounds;
            found.found_by = "search";
            schedule_ = std::move(schedule);
            catalogue_in_runs_ = false;
        }
        if (answer == Answer::no) {
            found.least = rounds + 1;
            found.refuted_by = "search";
        }
        return answer != Answer::stopped;
    }

    // ---- formulas --------------------------------------------------------------------------------------------------

    [[nodiscard]] bool can_solve() const { return options_.solver && !solver_name().empty(); }

    [[nodiscard]] std::unique_ptr<Messages> formula(Solver& solver, Round rounds, bool serial = false) {
        std::unique_ptr<Messages> messages;
        if (asked_.collective.folds())
            messages = std::make_unique<ValueMessages>(solver, asked_, rounds, *cost_.reading, serial);
        else
            messages = std::make_unique<PacketMessages>(solver, asked_, rounds, serial);
        if (!serial && options_.symmetry) messages->add_symmetry(automorphisms());
        return messages;
    }
    /// Those that take the question to itself.
    [[nodiscard]] const std::vector<Automorphism>& automorphisms() {
        constexpr NodeId symmetry_nodes_max = 64;
        if (!automorphisms_) {
            automorphisms_.emplace();
            if (asked_.nodes() <= symmetry_nodes_max && cost_.reading != Reading::runs)
                automorphisms_ = Symmetry(Graph(*asked_.machine.topology)).automorphisms();
            std::erase_if(*automorphisms_, [&](const Automorphism& image) { return !keeps(asked_, image); });
        }
        return *automorphisms_;
    }

    Answer solve(Round rounds, Attempt* attempt, Schedule& schedule, bool serial = false) {
        require_fit(rounds);
        const Clock::time_point start = Clock::now();
        std::optional<ProofFile> proof;
        if (!options_.proof.empty() && attempt != nullptr) proof.emplace(options_.proof);
        Solver solver(proof ? &*proof : nullptr, stop_);
        const Answer answer = unless_stopped([&] {
            const std::unique_ptr<Messages> messages = formula(solver, rounds, serial);
            const Answer found = ask(solver, options_.conflicts);
            if (found == Answer::yes) schedule = messages->schedule();
            return found;
        });
        if (answer == Answer::no && proof) cost_.rounds.proved = rounds;
        if (attempt != nullptr)
            *attempt = {rounds,
                        answer,
                        solver.variables(),
                        solver.clauses(),
                        solver.conflicts(),
                        std::chrono::duration<double>(Clock::now() - start).count()};
        return answer;
    }
    template <class Asking>
    [[nodiscard]] static Answer unless_stopped(const Asking& asking) {
        try {
            return asking();
        } catch (const FormulaStopped&) {
            return Answer::stopped;
        }
    }
    [[nodiscard]] std::optional<std::uint64_t> conflicts_for_less() const {
        return options_.conflicts_for_less ? options_.conflicts_for_less : options_.conflicts;
    }
    [[nodiscard]] Answer ask(Solver& solver, std::optional<std::uint64_t> most) {
        return solver.solve([&] { return stopped() || (most && solver.conflicts() > *most); });
    }

    void require_fit(Round rounds) const {
        const double need = bytes_of_messages(asked_, rounds);
        const auto there = static_cast<double>(memory_available());
        constexpr double gib = 1024.0 * 1024 * 1024;
        if (need > there)
            throw DoesNotFit(
                fmt::format("{} on {}: the formula for {} needs about {:.1f} GiB and {:.1f} GiB are available",
                            kport::name(question_.operation()), question_.machine.topology->spec(),
                            counted(rounds, "round"), need / gib, there / gib));
    }

    // ---- volume and work -------------------------------------------------------------------------------------------

    void search_more() {
        switch (least_) {
            case Least::rounds: return;
            case Least::volume: return search_volume();
            case Least::work: return search_work();
            case Least::front: return search_front();
            case Least::work_of_all: return search_work_of_all();
        }
    }

    [[nodiscard]] std::uint64_t bound(Quantity quantity) const {
        const std::optional<double> bound = lower_bounds(question_.machine, question_.collective)[quantity].largest();
        const std::uint64_t unit = quantity == Quantity::volume ? question_.collective.packet_bytes : 1;
        constexpr double rounding = 1e-9;
        return bound && unit != 0 ? static_cast<std::uint64_t>(std::ceil(*bound / static_cast<double>(unit) - rounding))
                                  : 0;
    }
    [[nodiscard]] std::uint64_t volume_of(const Schedule& schedule) const {
        const std::uint64_t bytes = asked_.collective.packet_bytes;
        return bytes == 0 ? 0 : cost_of(schedule).volume / bytes;
    }

    void search_volume() {
        const Round rounds = cost_.rounds.most;
        if (question_.collective.signals()) {
            cost_.volume = Interval{0, 0};
            cost_.proof_of_more = Proof::bound_met;
            return;
        }
        FrontLine line = least_volume(rounds, volume_of(schedule_));
        cost_.volume = line.volume;
        cost_.proof_of_more = line.proof;
        if (!line.schedule.empty()) schedule_ = std::move(line.schedule);
    }

    /// The least volume of schedules of so many rounds, if it is less than `known`; else there is no schedule.
    FrontLine least_volume(Round rounds, std::uint64_t known, std::uint64_t least = 0) {
        FrontLine line{
            rounds, {std::max<std::uint64_t>({rounds, bound(Quantity::volume), least}), known}, Proof::none, {}};
        const std::uint64_t bound_of_line = line.volume.least;
        const auto measure = [this](const Schedule& schedule) { return volume_of(schedule); };
        if (known > bound_of_line)
            descend(line.volume, line.schedule, rounds, &Messages::volume_at_most, ".volume", measure);
        if (line.volume.exact()) line.proof = line.volume.most == bound_of_line ? Proof::bound_met : Proof::refuted;
        return line;
    }

    void search_work() {
        const std::uint64_t least = std::max<std::uint64_t>(cost_.rounds.most, bound(Quantity::work));
        Interval work{least, cost_of(schedule_).work};
        const auto measure = [](const Schedule& schedule) { return std::uint64_t{schedule.size()}; };
        Schedule better;
        // Where bundles are free, one packet a node needs the messages that all need.
        const bool for_all = asked_.bundles() && is_gossip(asked_.operation());
        const Question asked = for_all ? std::exchange(asked_, one_packet_each()) : asked_;
        if (for_all) automorphisms_.reset();
        if (!work.exact()) descend(work, better, cost_.rounds.most, &Messages::messages_at_most, ".work", measure);
        asked_ = asked;
        if (!better.empty()) schedule_ = for_all ? schedule_of(asked_, calls_of(better)) : std::move(better);
        cost_.work = work;
        if (work.exact()) cost_.proof_of_more = work.most == least ? Proof::bound_met : Proof::refuted;
    }

    /// Lowers `value.most` by better schedules of so many rounds until the formula refutes one less, or the bound is met.
    template <class Measure>
    void descend(Interval& value, Schedule& schedule, Round rounds, Literal (Messages::*at_most)(std::uint64_t),
                 const char* proof_ending, const Measure& measure) {
        if (!can_solve() || options_.only_heuristics) return;
        require_fit(rounds);
        Solver solver(nullptr, stop_);
        std::unique_ptr<Messages> messages;
        while (!value.exact()) {
            at_work_ = fmt::format("{}: between {} and {}", counted(rounds, "round"), value.least, value.most);
            const Answer answer = unless_stopped([&] {
                if (messages == nullptr) messages = formula(solver, rounds);
                solver.assume((*messages.*at_most)(value.most - 1));
                return ask(solver, conflicts_for_less());
            });
            if (answer == Answer::stopped) return;
            if (answer == Answer::no) {
                value.least = value.most;
                prove(rounds, at_most, value.most - 1, proof_ending);
                return;
            }
            schedule = messages->schedule();
            const std::uint64_t now = measure(schedule);
            invariant(now < value.most, "a formula bounds what it counts");
            value.most = now;
        }
    }

    /// The proof that there is no schedule of so many rounds and at most so much, where one was asked for.
    void prove(Round rounds, Literal (Messages::*at_most)(std::uint64_t), std::uint64_t most, const char* ending) {
        if (options_.proof.empty()) return;
        ProofFile proof(options_.proof + ending);
        Solver solver(&proof, stop_);
        (void)unless_stopped([&] {
            const std::unique_ptr<Messages> messages = formula(solver, rounds);
            solver.add({(*messages.*at_most)(most)});
            return ask(solver, conflicts_for_less());
        });
    }

    void search_front() {
        if (question_.collective.signals()) return search_volume();
        const Interval least = least_of_all_volumes();
        cost_.volume_of_all = least;
        std::uint64_t known = volume_of(schedule_);
        const auto price = [&](Round rounds, std::uint64_t volume) {
            return rounds * options_.round_price.value_or(0) + static_cast<double>(volume);
        };
        double cheapest = std::numeric_limits<double>::infinity();
        for (Round rounds = cost_.rounds.most;; ++rounds) {
            if (options_.round_price && price(rounds, least.least) >= cheapest) return;
            FrontLine line = least_volume(rounds, known, least.least);
            const bool is_exact = line.volume.exact();
            if (rounds == cost_.rounds.most && line.schedule.empty()) line.schedule = schedule_;
            known = line.volume.most;
            cost_.front_rounds = rounds;
            cheapest = std::min(cheapest, price(rounds, known));
            if (!line.schedule.empty()) cost_.front.push_back(std::move(line));
            cost_.front_complete = is_exact && (known == least.least || rounds >= known);
            if (cost_.front_complete || !is_exact || stopped()) return;
        }
    }
    /// The least volume of all schedules is the least rounds without combining.
    [[nodiscard]] Interval least_of_all_volumes() const {
        if (!asked_.bundles()) return {cost_.rounds.most, cost_.rounds.most};
        Question single = question_;
        single.machine.combining = false;
        const LeastCost cost = LeastCostSearch(single, Least::rounds, options_left(false)).run();
        return {cost.rounds.least, cost.rounds.most};
    }

    // ---- work of all schedules -------------------------------------------------------------------------------------

    void search_work_of_all() {
        if (const std::optional<std::uint64_t> work = work_by_rule()) {
            cost_.work_of_all = Interval{*work, *work};
            cost_.proof_of_more = Proof::bound_met;
            return take_schedule_of(*work);
        }
        // Any schedule may be played one message a round.
        const std::optional<Reading> of_rounds =
            std::exchange(cost_.reading, asked_.collective.folds() ? std::optional(first_reading()) : std::nullopt);
        const std::uint64_t most = cost_of(schedule_).work;
        const std::uint64_t first = std::min(most, std::max<std::uint64_t>(bound(Quantity::work), 1));
        cost_.work_of_all = Interval{first, most};
        Schedule schedule;
        for (std::uint64_t work = first; work < most; ++work) {
            at_work_ = fmt::format("is there a schedule of {}?", counted(work, "message"));
            const Answer answer =
                can_solve() ? solve(static_cast<Round>(work), nullptr, schedule, true) : Answer::stopped;
            if (answer == Answer::yes) cost_.work_of_all->most = work;
            if (answer == Answer::no) cost_.work_of_all->least = work + 1;
            if (answer != Answer::no) break;
        }
        if (schedule.empty()) {
            cost_.reading = of_rounds;
        } else {
            asked_.collective.in_runs = cost_.reading == Reading::runs;
            take_schedule("search", std::move(schedule));
        }
        if (!cost_.work_of_all->exact()) return;
        cost_.proof_of_more = cost_.work_of_all->most == first ? Proof::bound_met : Proof::refuted;
    }

    void take_schedule(std::string_view found_by, Schedule schedule) {
        schedule_ = std::move(schedule);
        cost_.rounds.found_by = found_by;
    }
    /// One of the least work: that of the least rounds, or an algorithm's of the catalogue.
    void take_schedule_of(std::uint64_t work) {
        if (asked_.machine.has_paths()) return;  // work counts messages here, in runs the links that they cross
        std::uint64_t known = cost_of(schedule_).work;
        each_of_catalogue([&](const Metrics& metrics) { return metrics.work < known; }, [&] { return known <= work; },
                          [&](const Algorithm& algorithm, const Metrics& metrics, bool in_runs, Schedule schedule) {
                              known = metrics.work;
                              asked_.collective.in_runs = in_runs;
                              take_schedule(algorithm.name, std::move(schedule));
                          });
    }

    /// The closed forms; nothing where the work has to be searched for.
    [[nodiscard]] std::optional<std::uint64_t> work_by_rule() const {
        const Operation& operation = asked_.operation();
        const std::uint64_t others = asked_.nodes() - 1;
        const std::uint64_t m = asked_.collective.packets_each;
        if (asked_.machine.node_ports != nullptr) return std::nullopt;  // some nodes may hand nothing on
        if (operation == Operation::broadcast) return asked_.bundles() ? others : m * others;
        if (operation == Operation::scatter)
            return asked_.bundles() ? others : m * distances_from(asked_.collective.root);
        if (operation == Operation::allreduce) return (asked_.bundles() ? 2 : 2 * m) * others;
        if (is_gossip(operation) && asked_.bundles()) return 2 * others;
        if (operation == Operation::allgather) return m * asked_.nodes() * others;
        if (operation == Operation::alltoall) {
            std::uint64_t sum = 0;
            for (NodeId v = 0; v < asked_.nodes(); ++v) sum += m * distances_from(v);
            return sum;
        }
        return std::nullopt;
    }
    [[nodiscard]] std::uint64_t distances_from(NodeId v) const {
        const Graph graph(*asked_.machine.topology);
        const auto node = static_cast<Node32>(v);
        std::uint64_t sum = 0;
        for (const std::uint32_t distance : graph.distances({&node, 1})) sum += distance;
        return sum;
    }

    Question question_;
    Least least_;
    SearchOptions options_;
    Question asked_;  ///< whose schedules, perhaps reversed in time, are the question's
    bool is_reversed_ = false;
    bool catalogue_in_runs_ = false;
    Clock::time_point start_ = Clock::now();
    std::optional<Clock::time_point> end_;
    Schedule schedule_;  ///< of asked_: the best so far
    LeastCost cost_;
    std::optional<std::vector<Automorphism>> automorphisms_;
    std::string at_work_ = "lower bounds";
    const Stop stop_ = [this] { return stopped(); };
};

}  // namespace

bool LeastCost::exact() const {
    const auto is_open = [](const std::optional<Interval>& interval) { return interval && !interval->exact(); };
    return (rounds.exact() || work_of_all) && !is_open(volume) && !is_open(work) && !is_open(work_of_all) &&
           std::ranges::all_of(front, [](const FrontLine& line) { return line.volume.exact(); });
}

LeastCost least_cost(const Question& question, Least least, const SearchOptions& options) {
    require_valid(question);
    if (least != Least::rounds && question.machine.has_long_paths())
        throw RequestError(
            fmt::format("{}: on wormhole machines and through switches a search minimises rounds only; want "
                        "--least rounds",
                        question.machine.topology->spec()));
    return LeastCostSearch(question, least, options).run();
}

double size_of_formula(const Question& question, double rounds, Least least) {
    if (is_reversed(question.operation())) return size_of_formula(reversed(question), rounds, least);
    // Where bundles are free, the rounds of an alltoall are decided by one packet of each node.
    const bool by_one = least == Least::rounds && question.bundles() && is_gossip(question.operation());
    const std::uint64_t packets = by_one ? question.nodes() : question.collective.packets(question.nodes());
    return rounds * static_cast<double>(packets) * static_cast<double>(question.channels());
}

SearchOptions short_search(const Question& question, double rounds) {
    constexpr double conflicts_least = 100;
    constexpr double conflicts_most = 5'000;
    constexpr double literals_max = 1.6e7;  // over all conflicts
    const double literals = std::max(1.0, size_of_formula(question, rounds, Least::rounds));
    SearchOptions options;
    options.conflicts =
        static_cast<std::uint64_t>(std::clamp(literals_max / literals, conflicts_least, conflicts_most));
    options.conflicts_for_less = *options.conflicts / 16;
    return options;
}

}  // namespace kport::search
