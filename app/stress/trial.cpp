#include "app/stress/trial.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "algorithms/run_algorithm.hpp"
#include "app/stress/second_opinion.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/engine/order.hpp"
#include "emulator/engine/progress.hpp"
#include "emulator/ranks/letter.hpp"
#include "emulator/ranks/thread_ranks.hpp"

namespace kport {

namespace {

/// A failure, or its absence, in a form that can be sent to other ranks.
struct ToldFailure {
    std::uint8_t fails = 0;
    Flaw flaw = Flaw::breaks_rule;
    std::vector<std::string> story;
    Round round = 0;
    Repetition how;
    std::uint8_t run_shows = 0;

    ToldFailure() = default;
    explicit ToldFailure(const std::optional<Failure>& failure) {
        if (!failure) return;
        fails = 1;
        flaw = failure->flaw;
        story = failure->story;
        round = failure->round;
        how = failure->how;
        run_shows = failure->run_shows ? 1 : 0;
    }
    template <class Archive>
    void travel(Archive& archive) {
        archive(fails, flaw, story, round, how, run_shows);
    }
};

/// Whether only an engine can find it: no schedule shows what waits, what was passed on, when a node leaves, and that a message was asked
/// for before its sender had what it carries.
bool only_an_engine_sees(const Violation& v) {
    constexpr std::array breaches = {Breach::waits_for_ever, Breach::passed_away, Breach::sent_passed,
                                     Breach::payload_differs, Breach::left_early};
    return v.rule() == Rule::strict || std::ranges::find(breaches, v.breach) != breaches.end();
}

/// Whether two runs have one verdict. What a node sends after it passed it on has no bytes of its own: they may differ by chance.
bool agree(const Verdict& one, const Verdict& other) {
    if (one == other) return true;
    const auto sends_passed = [](const Violation& v) { return v.breach == Breach::sent_passed; };
    const auto without_bytes = [](std::vector<Violation> violations) {
        std::erase_if(violations, [](const Violation& v) { return v.breach == Breach::payload_differs; });
        return violations;
    };
    return one.metrics == other.metrics && std::ranges::any_of(one.violations, sends_passed) &&
           without_bytes(one.violations) == without_bytes(other.violations);
}

/// How the audit of a recorded schedule differs from the verdict of the run: "rounds 5 for 4".
std::string differences(const Verdict& audited, const Verdict& run, const Topology& topology) {
    std::string all;
    const auto add = [&](std::string_view what, const auto& one, const auto& other) {
        if (one != other) all += fmt::format("{}{} {} for {}", all.empty() ? "" : ", ", what, one, other);
    };
    const Metrics& a = audited.metrics;
    const Metrics& b = run.metrics;
    add("rounds", a.rounds, b.rounds);
    add("silent rounds", a.silent_rounds, b.silent_rounds);
    add("rounds until all have heard", a.informed_after, b.informed_after);
    add("work", a.work, b.work);
    add("path sum", a.path_sum, b.path_sum);
    add("volume", a.volume, b.volume);
    add("latency", a.latency, b.latency);
    add("messages", a.transfers, b.transfers);
    add("bytes", a.bytes, b.bytes);
    add("broken rules", audited.violation_count, run.violation_count);
    for (const Verdict* verdict : {&run, &audited})
        if (!verdict->violations.empty()) return all + ": " + sentence(verdict->violations.front(), topology);
    return all;
}

/// Whether a free run cannot detect it (NeedsRounds::order).
bool needs_rounds(const Violation& v) { return v.breach == Breach::sent_passed; }

std::optional<Failure> told(ToldFailure failure) {
    if (failure.fails == 0) return std::nullopt;
    return Failure{{failure.flaw, std::move(failure.story), failure.round}, failure.how, failure.run_shows != 0};
}

class Trial {
  public:
    Trial(const Subject& subject, const Case& c, const Trials& trials, std::uint64_t seed, Coverage& coverage)
        : subject_(subject), case_(c), trials_(trials), seed_(seed), dice_(seed), coverage_(coverage) {}

    std::optional<Failure> run() {
        count_case();
        std::optional<Failure> failure;
        if (leads()) failure = first_flaw();
        if (trials_.ranks != nullptr) {
            failure = as_first_says(failure);
            if (!failure && !any_stops()) failure = as_first_says(by_ranks());
        }
        return any_stops() ? std::nullopt : std::move(failure);  // results of a stopped trial are not comparable
    }

  private:
    /// More than any algorithm takes, and few enough to record what an endless program sends.
    [[nodiscard]] Round rounds_max() const {
        const std::uint64_t nodes = case_.topology().nodes();
        return static_cast<Round>(std::min<std::uint64_t>(1000 + 8 * nodes * nodes, default_max_rounds(nodes)));
    }

    std::optional<Failure> first_flaw() {
        try {
            if (trials_.injection) return with_fault();
            reference_ = run_recorded();
            if (reference_.out_of_rounds) {
                how_.max_rounds = rounds_max();
                return failed(Flaw::waits_for_ever,
                              {fmt::format("it goes on after {}", counted(how_.max_rounds, "round"))}, true);
            }
            if (reference_.stopped) return std::nullopt;
            if (auto flawed = flaw_of(reference_.verdict, subject_, case_, trials_.expectations)) {
                const bool lawful = flawed->flaw > Flaw::not_delivered;
                return Failure{*std::move(flawed), how_, !lawful};
            }
            judging_ = true;
            if (auto failure = second_judges()) return failure;
            judging_ = false;
            return other_ways();
        } catch (const std::bad_alloc&) {
            throw;  // not a flaw of the subject
        } catch (const std::exception& error) {
            return failed(Flaw::throws, {error.what()}, !judging_);
        }
    }

    /// Relaxed: no other data depends on the flag.
    [[nodiscard]] bool stops() const {
        return trials_.stop != nullptr && trials_.stop->load(std::memory_order_relaxed);
    }
    [[nodiscard]] bool any_stops() const {
        return trials_.ranks != nullptr ? any_says(*trials_.ranks, stops()) : stops();
    }
    [[nodiscard]] bool leads() const { return trials_.ranks == nullptr || trials_.ranks->rank() == 0; }
    [[nodiscard]] std::optional<Failure> as_first_says(const std::optional<Failure>& own) const {
        return told(everyones(*trials_.ranks, ToldFailure(own)).front());
    }
    void count_case() {
        ++coverage_.cases;
        coverage_.nodes += case_.topology().nodes();
        ++coverage_.by_subject[row()];
        ++coverage_.by_family[std::string(case_.topology().family())];
    }
    void count_run(const RunResult& result) {
        ++coverage_.runs;
        coverage_.messages += result.verdict.metrics.transfers;
        coverage_.rounds += result.verdict.metrics.rounds;
        if (result.verdict.compared_bytes != 0 || case_.collective.signals()) count_executions(result.executions);
    }
    void count_executions(const Executions& executions) {
        ++coverage_.by_executions[executions];
        if (subject_.algorithm != nullptr) coverage_.of_rows[row()].add(executions);
    }
    [[nodiscard]] std::string row() const {
        return fmt::format("{} {}", name(case_.collective.operation), subject_.name);
    }

    [[nodiscard]] Failure failed(Flaw flaw, std::vector<std::string> story, bool run_shows = false) const {
        return {{flaw, std::move(story)}, how_, run_shows};
    }

    [[nodiscard]] RunOptions plain() const {
        RunOptions options;
        options.per_round = true;
        options.stop = trials_.stop;
        options.max_rounds = rounds_max();
        options.computing = watched();
        return options;
    }
    /// Returns the options given by `how_`.
    [[nodiscard]] RunOptions as_told() const {
        RunOptions options = plain();
        options.engine = how_.engine;
        options.threads = how_.threads;
        options.partition_nodes = how_.partition_nodes;
        return options;
    }
    [[nodiscard]] ComputingFunction watched() const {
        if (!trials_.computing) return nullptr;
        return [this](const Computing& computing) { trials_.computing(computing, case_.topology()); };
    }

    RunResult run_recorded() {
        RunOptions options = plain();
        options.recorded_schedule = &schedule_;
        if (subject_.job) options.asked = &asked_;  // without a job a schedule is replayed, without requests
        RunResult result = subject_.run(case_, options);
        count_run(result);
        return result;
    }

    // ---------------------------------------------------------------------------------------------------- more judges

    /// An algorithm may use fewer ports than the machine has: its sends wait for those.
    [[nodiscard]] Machine machine_of_run() const {
        Machine machine = case_.machine;
        const Machine run = subject_.job(case_).machine;
        machine.ports = run.ports;
        machine.node_ports = run.node_ports;
        return machine;
    }

    std::optional<Failure> second_judges() {
        const Collective& collective = case_.collective;
        const Verdict of_schedule = audit(schedule_, case_.machine, collective, true);
        ++coverage_.opinions;
        const std::string objection =
            second_opinion(schedule_, case_.machine, collective, of_schedule, [this] { return stops(); });
        if (!objection.empty()) return failed(Flaw::judges_disagree, {"the umpire: " + objection});
        if (const std::string wrong = opinion_on_results(); !wrong.empty())
            return failed(Flaw::judges_disagree, {"the umpire: " + wrong});
        if (subject_.job)
            if (const std::string policy = policy_opinion(asked_, schedule_, machine_of_run(), collective,
                                                          reference_.verdict, [this] { return stops(); });
                !policy.empty())
                return failed(Flaw::judges_disagree, {"the umpire: " + policy});
        const Verdict& verdict = reference_.verdict;
        const bool engine_sees_more = std::ranges::any_of(verdict.violations, only_an_engine_sees);
        if (of_schedule.metrics != verdict.metrics || (!engine_sees_more && of_schedule.lawful() != verdict.lawful()))
            return failed(Flaw::judges_disagree, {"the audit of the recorded schedule gives another verdict: " +
                                                  differences(of_schedule, verdict, case_.topology())});
        // A repeated run is lawful, and packets that were passed on are not compared.
        const bool passes = std::ranges::any_of(verdict.violations, [](const Violation& v) {
            return v.breach == Breach::passed_away || v.breach == Breach::sent_passed;
        });
        if (!of_schedule.lawful() || passes || stops()) return std::nullopt;
        ++coverage_.retold;
        Verdict expected = of_schedule;  // without bytes to compare
        expected.compared_packets = verdict.compared_packets;
        expected.compared_bytes = verdict.compared_bytes;
        const auto ran = [this](const Executions& executions) { count_executions(executions); };
        const std::string differs = told_differently(schedule_, case_, expected, dice_, ran, trials_.stop);
        if (!differs.empty() && !stops()) return failed(Flaw::judges_disagree, {differs});
        return std::nullopt;
    }

    [[nodiscard]] std::string opinion_on_results() const {
        if (!case_.collective.folds() || !reference_.verdict.lawful() || reference_.results.empty()) return {};
        const bool has_numbers = case_.options.reduction.type != ElementType::text;
        if (has_numbers && case_.collective.packet_bytes == 0) return {};  // values without a number
        const Collective& collective = case_.collective;
        const NodeId nodes = case_.topology().nodes();
        const Folder folder(case_.options.reduction, collective.packet_bytes, case_.seed, true,
                            collective.segments(nodes));
        // With several segments the result of the first one is reported, which is node v's block in a reduce-scatter.
        const auto contributions_to = [&](std::uint64_t segment) {
            std::vector<std::string> contributions;
            for (NodeId v = 0; v < nodes; ++v) {
                const std::vector<std::byte> bytes = folder.contribution(v);
                const std::uint64_t begin = folder.has_texts() ? 0 : segment * folder.bytes_of_segment();
                contributions.push_back(folder.text(bytes.data() + begin, bytes.size() - begin));
            }
            return contributions;
        };
        if (collective.operation != Operation::reduce_scatter)
            return kport::opinion_on_results(collective, case_.options.reduction, contributions_to(0),
                                             reference_.results);
        for (NodeId v = 0; v < std::min<NodeId>(nodes, reference_.results.size()); ++v) {
            if (collective.wanted(v, nodes).empty()) continue;  // its block has no segments
            if (std::string wrong =
                    kport::opinion_on_results(Collective::reduce(v, collective.packet_bytes), case_.options.reduction,
                                              contributions_to(v * collective.packets_each), {reference_.results[v]});
                !wrong.empty())
                return wrong;
        }
        return {};
    }

    // ------------------------------------------------------------------------------ what must make no difference

    std::optional<Failure> other_ways() {
        const NodeId few = NodeId{1} << dice_.below(3);
        how_.order = dice_.word() >> 32;
        if (dice_.happens(0.5)) how_.partition_nodes = few;
        if (auto failure = compared("in another order")) return failure;
        how_.order.reset();
        how_.partition_nodes = few;
        if (auto failure = compared("in small partitions")) return failure;
        if (auto failure = in_full_rounds()) return failure;
        // Waking threads costs more than a run on a small machine: not every time.
        const bool large = case_.topology().nodes() > partition_nodes_default;
        const bool threads = trials_.threads_max > 1 && (large || dice_.happens(0.1));
        if (threads) {
            how_.threads = static_cast<unsigned>(dice_.between(2, trials_.threads_max));
            if (large && dice_.happens(0.5)) how_.partition_nodes = partition_nodes_default;
            if (auto failure = compared("on several threads")) return failure;
        }
        how_.partition_nodes = partition_nodes_default;
        how_.engine = EngineKind::free;
        if (threads) {
            if (auto failure = compared("free, on several threads")) return failure;
            if (subject_.job)
                if (auto failure = with_pauses()) return failure;
        }
        how_.threads = 1;
        how_.order = dice_.word() >> 32;
        if (auto failure = compared("free, in another order")) return failure;
        how_.order.reset();
        if (dice_.happens(0.3))
            if (auto failure = cut_short()) return failure;
        if (subject_.algorithm != nullptr && dice_.happens(0.2))
            if (auto failure = free_again()) return failure;
        if (trials_.ranks == nullptr && trials_.threads_max > 1 && dice_.happens(0.4)) return by_thread_ranks();
        return std::nullopt;
    }

    /// With a limit of rounds both engines stop at the same place.
    std::optional<Failure> cut_short() {
        constexpr std::uint64_t beyond = 3;  // nodes may let rounds pass at the end
        RunOptions options = as_told();
        options.max_rounds = static_cast<Round>(dice_.between(1, reference_.verdict.metrics.rounds + beyond));
        const RunResult free = subject_.run(case_, options);
        options.engine = EngineKind::lockstep;
        const RunResult lockstep = subject_.run(case_, options);
        count_run(free);
        count_run(lockstep);
        if (free.verdict == lockstep.verdict && free.results == lockstep.results &&
            free.out_of_rounds == lockstep.out_of_rounds)
            return std::nullopt;
        how_.max_rounds = options.max_rounds;
        return failed(Flaw::report_differs, {fmt::format("free, with at most {}: another report than in lockstep",
                                                         counted(options.max_rounds, "round")),
                                             counts("lockstep", lockstep), counts("free", free)});
    }

    /// Small-round handling is disabled when phases are measured.
    std::optional<Failure> in_full_rounds() {
        RunOptions options = as_told();
        std::vector<PhaseTime> phases;
        options.phases = &phases;
        return same_report(subject_.run(case_, options), "in small partitions, in full rounds");
    }

    /// Reuses the memory of an earlier run.
    std::optional<Failure> free_again() {
        const RunOptions options = as_told();
        FreeAlgorithm free(*subject_.algorithm, case_.machine, case_.collective, case_.options,
                           Payload{true, case_.seed}, options);
        if (!free.run()) return std::nullopt;
        const std::optional<RunResult> result = free.run();
        return result ? same_report(*result, "free, with the memory of a run before") : std::nullopt;
    }

    std::optional<Failure> by_thread_ranks() {
        how_ = {};
        how_.ranks = static_cast<unsigned>(dice_.between(2, 3));
        how_.partition_nodes = NodeId{1} << dice_.below(3);
        const std::vector<RunResult> results = at_each_rank(how_.ranks, [this](Ranks& ranks) {
            RunOptions options = as_told();
            options.ranks = &ranks;
            return subject_.run(case_, options);
        });
        if (results.front().stopped) return std::nullopt;
        ++coverage_.by_ranks;
        return same_report(results.front(), fmt::format("by {} ranks", how_.ranks));
    }

    std::optional<Failure> by_ranks() {
        if (trials_.injection) return std::nullopt;
        how_ = {};
        how_.ranks = trials_.ranks->size();
        how_.partition_nodes = NodeId{1} << Dice(seed_).below(3);
        RunOptions options = as_told();
        options.ranks = trials_.ranks;
        try {
            const RunResult result = subject_.run(case_, options);
            if (!leads() || result.stopped) return std::nullopt;
            ++coverage_.by_ranks;
            return same_report(result, fmt::format("by {} ranks", how_.ranks));
        } catch (const ProgramError& error) {  // at all ranks
            return failed(Flaw::throws, {error.what()}, true);
        }
    }

    std::optional<Failure> compared(std::string_view how) {
        if (stops()) return std::nullopt;
        RunOptions options = as_told();
        if (how_.partition_nodes != partition_nodes_default) ++coverage_.deals;
        SeededOrder order(how_.order.value_or(0));
        if (how_.order) {
            options.order = &order;
            ++coverage_.orders;
        }
        return same_report(subject_.run(case_, options), how);
    }

    /// Nodes that start late, on threads that are not delayed.
    std::optional<Failure> with_pauses() {
        Job job = subject_.job(case_);
        job.program = [program = std::move(job.program), seed = seed_](Node& self) {
            if (const std::uint64_t word = random_word(seed, 1, self.id()); word % 4 == 0)
                std::this_thread::sleep_for(std::chrono::microseconds(word / 4 % 50));
            return program(self);
        };
        const RunOptions options = as_told();
        job.reduction = case_.options.reduction;
        auto failure = same_report(kport::run(job, options), "free, on several threads, with pauses");
        if (failure) failure->run_shows = false;
        return failure;
    }

    std::optional<Failure> same_report(const RunResult& result, std::string_view how) {
        count_run(result);
        if (agree(result.verdict, reference_.verdict) && result.results == reference_.results)
            return reasons(result, how);
        std::vector<std::string> lines = {fmt::format("{}: another report than in lockstep on one thread", how),
                                          counts("lockstep", reference_), counts(name(how_.engine), result)};
        if (!result.verdict.violations.empty())
            lines.push_back(sentence(result.verdict.violations.front(), case_.topology()));
        return failed(Flaw::report_differs, std::move(lines), !result.verdict.lawful());
    }

    [[nodiscard]] static std::string counts(std::string_view engine, const RunResult& result) {
        const Metrics& m = result.verdict.metrics;
        return fmt::format("{}: {}, {}, {}{}", engine, counted(m.rounds, "round"), counted(m.transfers, "message"),
                           counted(result.verdict.violation_count, "violation"),
                           result.out_of_rounds ? ", more rounds than it may take" : "");
    }

    /// A free run must leave to lockstep what depends on rounds, even if its report happens to be right.
    std::optional<Failure> reasons(const RunResult& result, std::string_view how) {
        if (how_.engine != EngineKind::free) return std::nullopt;
        const bool depends = subject_.depends_on_order && subject_.depends_on_order(case_);
        if (depends && result.needs_rounds != NeedsRounds::order)
            return failed(
                Flaw::report_differs,
                {fmt::format("{}: a node takes whatever comes first of several senders, and lockstep does not "
                             "run the job for that reason",
                             how)});
        if (result.engine == EngineKind::free && std::ranges::any_of(result.verdict.violations, needs_rounds))
            return failed(Flaw::report_differs,
                          {fmt::format("{}: it ran free, but only rounds can show this:", how),
                           sentence(*std::ranges::find_if(result.verdict.violations, needs_rounds), case_.topology())});
        return std::nullopt;
    }

    // ---------------------------------------------------------------------------------------------------------- faults

    std::optional<Failure> with_fault() {
        Injection injection = *trials_.injection;
        injection.seed = case_.seed;  // a run has one seed
        how_.injection = injection;
        RunOptions options;
        options.stop = trials_.stop;
        options.computing = watched();
        if (info(injection.fault).place == FaultPlace::engine && dice_.happens(0.5)) how_.engine = EngineKind::free;
        options.engine = how_.engine;
        std::optional<FaultyRun> faulty;
        try {
            faulty = run_with_fault(*subject_.algorithm, case_.machine, case_.collective, case_.options,
                                    {true, case_.seed}, options, injection);
        } catch (const RequestError& error) {
            return refused(error.what());
        }
        if (!faulty || faulty->faults.empty()) return std::nullopt;
        count_run(faulty->result);
        return caught(*faulty);
    }

    std::optional<Failure> refused(const std::string& why) {
        const bool by_place = how_.injection->fault == Fault::malformed && why.starts_with("transfers[");
        if (!by_place) return failed(Flaw::throws, {why}, true);
        ++coverage_.faults;
        ++coverage_.caught;
        return std::nullopt;
    }

    std::optional<Failure> caught(const FaultyRun& faulty) {
        const Verdict& verdict = faulty.result.verdict;
        coverage_.faults += faulty.faults.size();
        // No transfer shows how a value was computed: a wrong fold must show in the results.
        const bool folds = info(how_.injection->fault).folds();
        const Collective& collective = case_.collective;
        const Verdict of_schedule = folds ? verdict : audit(faulty.moved, case_.machine, collective, true);
        if (!folds) {
            ++coverage_.opinions;
            const std::string objection =
                second_opinion(faulty.moved, case_.machine, collective, of_schedule, [this] { return stops(); });
            if (!objection.empty())
                return failed(Flaw::judges_disagree, {faulty.faults.front().what, "the umpire: " + objection});
        }
        for (const Injected& injected : faulty.faults) {
            if (found(injected, verdict)) {
                ++coverage_.caught;
                continue;
            }
            // A fault that is not certain may break no rule, or another one; the umpire has agreed.
            if (!injected.certain && (!verdict.lawful() || of_schedule.lawful())) {
                ++coverage_.harmless;
                continue;
            }
            std::vector<std::string> lines = {injected.what, "the auditor does not say so"};
            if (!verdict.violations.empty())
                lines.push_back("it says: " + sentence(verdict.violations.front(), case_.topology()));
            return failed(Flaw::fault_slips_through, std::move(lines), true);
        }
        return std::nullopt;
    }

    const Subject& subject_;
    const Case& case_;
    const Trials& trials_;
    std::uint64_t seed_;
    Dice dice_;
    Coverage& coverage_;
    Schedule schedule_;
    std::vector<AskedSend> asked_;
    RunResult reference_;
    Repetition how_;
    bool judging_ = false;  ///< the subject's runs have ended, and other judges examine what moved
};

}  // namespace

std::uint64_t Coverage::runs_by(Execution execution) const {
    std::uint64_t all = 0;
    for (const auto& [executions, count] : by_executions)
        if (executions.contains(execution)) all += count;
    return all;
}

std::vector<std::string> Coverage::missing_rows() const {
    std::vector<std::string> missing;
    for (const auto& [row, executions] : of_rows)
        if (executions.empty()) missing.push_back(row);
    return missing;
}

std::optional<Failure> tried(const Subject& subject, const Case& c, const Trials& trials, std::uint64_t seed,
                             Coverage& coverage) {
    Case judged = c;
    judged.collective = subject.algorithm != nullptr ? judged_collective(*subject.algorithm, c.collective, c.options)
                                                     : folding(c.collective, c.options.reduction);
    return Trial(subject, judged, trials, seed, coverage).run();
}

}  // namespace kport
