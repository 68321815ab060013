#include "stress/trial.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "algorithms/bounds/bounds.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/order.hpp"
#include "emulator/engine/replay.hpp"
#include "stress/second_opinion.hpp"

namespace kport {

std::string_view text(Flaw flaw) {
    switch (flaw) {
        case Flaw::breaks_rule: return "breaks a rule";
        case Flaw::waits_for_ever: return "waits for ever";
        case Flaw::not_delivered: return "does not deliver";
        case Flaw::not_optimal: return "is not optimal";
        case Flaw::throws: return "fails by an exception";
        case Flaw::below_bound: return "costs less than the bound";
        case Flaw::not_as_derived: return "costs something else than was derived";
        case Flaw::report_differs: return "gives another report";
        case Flaw::judges_disagree: return "is judged differently by its judges";
        case Flaw::fault_slips_through: return "lets a fault slip through";
    }
    invariant(false, "a flaw without a text");
    return {};
}

namespace {

class Trial {
  public:
    Trial(const Subject& subject, const Case& c, const Trials& trials, std::uint64_t seed, Coverage& coverage)
        : subject_(subject), case_(c), trials_(trials), seed_(seed), dice_(seed), coverage_(coverage) {}

    std::optional<Failure> run() {
        count_case();
        std::optional<Failure> failure = first_flaw();
        return stops() ? std::nullopt : std::move(failure);  // what was given up differs from what was not
    }

  private:
    std::optional<Failure> first_flaw() {
        try {
            if (trials_.injection) return with_fault();
            reference_ = run_recorded();
            if (reference_.stopped) return std::nullopt;
            if (auto failure = judged()) return failure;
            if (auto failure = cost()) return failure;
            if (auto failure = second_judges()) return failure;
            return other_ways();
        } catch (const std::exception& error) {
            return failed(Flaw::throws, {error.what()});
        }
    }

    /// Relaxed: nothing else is handed over with the flag.
    [[nodiscard]] bool stops() const {
        return trials_.stop != nullptr && trials_.stop->load(std::memory_order_relaxed);
    }
    void count_case() {
        ++coverage_.cases;
        coverage_.nodes += case_.topology().nodes();
        ++coverage_.by_subject[fmt::format("{} {}", name(case_.request.operation), subject_.name)];
        ++coverage_.by_family[std::string(case_.topology().family())];
    }
    void count_run(const Verdict& verdict) {
        ++coverage_.runs;
        coverage_.messages += verdict.metrics.transfers;
        coverage_.rounds += verdict.metrics.rounds;
    }

    [[nodiscard]] Failure failed(Flaw flaw, std::vector<std::string> story, Round round = 0) const {
        return {flaw, std::move(story), how_, round};
    }

    [[nodiscard]] RunOptions plain() const {
        RunOptions options;
        options.per_round = true;
        options.stop = trials_.stop;
        return options;
    }

    RunResult run_recorded() {
        RunOptions options = plain();
        options.record = &schedule_;
        RunResult result = subject_.run(case_, options);
        count_run(result.verdict);
        return result;
    }

    // ------------------------------------------------------------------------------------------ what the auditor says

    [[nodiscard]] std::optional<Failure> judged() const {
        const Verdict& verdict = reference_.verdict;
        // A broken rule comes before who waits, and who waits before who lacks something for that reason.
        const Violation* worst = nullptr;
        for (const Violation& v : verdict.violations)
            if (!forgiven(v) && (worst == nullptr || flaw_of(v) < flaw_of(*worst))) worst = &v;
        if (worst != nullptr) {
            const Flaw flaw = flaw_of(*worst);
            return failed(flaw, story(*worst, case_.topology()), flaw == Flaw::breaks_rule ? worst->round : 0);
        }
        if (!verdict.delivered) return failed(Flaw::not_delivered, {"nobody says why: a fault of kport"});
        return std::nullopt;
    }

    [[nodiscard]] bool forgiven(const Violation& v) const {
        return !trials_.named_by_user && std::ranges::find(subject_.breaks, v.rule()) != subject_.breaks.end();
    }
    [[nodiscard]] static Flaw flaw_of(const Violation& v) {
        switch (v.breach) {
            case Breach::waits_for_ever:
            case Breach::lets_rounds_pass: return Flaw::waits_for_ever;
            case Breach::never_received:
            case Breach::never_a_result:
            case Breach::result_lacks: return Flaw::not_delivered;
            default: return Flaw::breaks_rule;
        }
    }

    // ----------------------------------------------------------------------------------------------------------- cost

    [[nodiscard]] std::optional<Failure> cost() const {
        const Metrics& m = reference_.verdict.metrics;
        if (subject_.expect) {
            const ExpectedCost expected = subject_.expect(case_);
            const auto differs = [&](const auto& derived, std::uint64_t measured) {
                return derived && *derived != measured;
            };
            if (differs(expected.rounds, m.rounds) || differs(expected.work, m.work) ||
                differs(expected.path_sum, m.path_sum))
                return failed(
                    Flaw::not_as_derived,
                    {fmt::format("measured: rounds {}, work {}, path sum {}", m.rounds, m.work, m.path_sum),
                     fmt::format("derived: rounds {}, work {}, path sum {}", expected.rounds.value_or(m.rounds),
                                 expected.work.value_or(m.work), expected.path_sum.value_or(m.path_sum))});
        }
        const Bounds bounds = lower_bounds(case_.machine, case_.request);
        const auto below = [&](const Bound& bound, double measured) {
            return bound.value() && *bound.value() > measured * (1 + 1e-9) + 1e-9;
        };
        for (const auto& [what, bound, measured] :
             {std::tuple("rounds", &bounds.rounds, static_cast<double>(m.rounds)),
              std::tuple("work", &bounds.work, static_cast<double>(m.work)),
              std::tuple("path sum", &bounds.path_sum, static_cast<double>(m.path_sum)),
              std::tuple("volume", &bounds.volume, static_cast<double>(m.volume)),
              std::tuple("latency", &bounds.latency, m.latency)})
            if (below(*bound, measured))
                return failed(Flaw::below_bound, {fmt::format("{} {} below the bound {} ({})", what, measured,
                                                              *bound->value(), bound->binding())});
        if (trials_.optimal && bounds.rounds.value() && static_cast<double>(m.rounds) > *bounds.rounds.value())
            return failed(Flaw::not_optimal, {fmt::format("{} rounds, where {} are the bound: {}", m.rounds,
                                                          *bounds.rounds.value(), bounds.rounds.binding())});
        return std::nullopt;
    }

    // ---------------------------------------------------------------------------------------------------- more judges

    std::optional<Failure> second_judges() {
        const Promise promise = case_.promise();
        const Verdict of_schedule = audit(schedule_, case_.machine, promise, true);
        ++coverage_.opinions;
        const std::string objection =
            second_opinion(schedule_, case_.machine, promise, of_schedule, [this] { return stops(); });
        if (!objection.empty()) return failed(Flaw::judges_disagree, {"the umpire: " + objection});
        const auto lets_rounds_pass = [](const Violation& v) { return v.rule() == Rule::rounds; };
        if (std::ranges::any_of(of_schedule.violations, lets_rounds_pass)) return std::nullopt;  // a program may
        // What waits under the strict policy only the engine sees.
        if (of_schedule.metrics != reference_.verdict.metrics || of_schedule.lawful() != reference_.verdict.lawful())
            return failed(Flaw::judges_disagree, {"the audit of the recorded schedule gives another verdict"});
        if (is_reduction(promise.operation)) return std::nullopt;
        ReplayOptions options;
        options.seed = case_.seed;
        options.per_round = true;
        options.stop = trials_.stop;
        const RunResult again = replay(schedule_, case_.machine, promise, options);
        count_run(again.verdict);
        if (again.verdict != reference_.verdict)
            return failed(Flaw::judges_disagree, {"the replay of the recorded schedule gives another verdict"});
        return std::nullopt;
    }

    // ------------------------------------------------------------------------------ what must make no difference

    std::optional<Failure> other_ways() {
        how_.order = dice_.word() >> 32;
        if (auto failure = compared("in another order")) return failure;
        how_.engine = EngineKind::free;
        if (auto failure = compared("free, in another order")) return failure;
        how_.order.reset();
        const bool large = case_.topology().nodes() > 4096;
        // Waking threads costs more than a small machine: not every time.
        if (trials_.threads_max == 1 || (!large && !dice_.happens(0.1))) return std::nullopt;
        how_.threads = static_cast<unsigned>(dice_.between(2, trials_.threads_max));
        if (auto failure = compared("free, on several threads")) return failure;
        if (subject_.job)
            if (auto failure = with_pauses()) return failure;
        if (!large) return std::nullopt;  // a small machine is one thread's in lockstep
        how_.engine = EngineKind::lockstep;
        return compared("on several threads");
    }

    std::optional<Failure> compared(std::string_view how) {
        if (stops()) return std::nullopt;
        RunOptions options = plain();
        options.engine = how_.engine;
        options.threads = how_.threads;
        SeededOrder order(how_.order.value_or(0));
        if (how_.order) {
            options.order = &order;
            ++coverage_.orders;
        }
        return same_report(subject_.run(case_, options), how);
    }

    /// Nodes that are slow to start, on threads that are not.
    std::optional<Failure> with_pauses() {
        Job job = subject_.job(case_);
        job.program = [program = std::move(job.program), seed = seed_](Node& self) {
            if (const std::uint64_t word = random_word(seed, 1, self.id()); word % 4 == 0)
                std::this_thread::sleep_for(std::chrono::microseconds(word / 4 % 50));
            return program(self);
        };
        RunOptions options = plain();
        options.engine = how_.engine;
        options.threads = how_.threads;
        job.reduction = case_.options.reduction;
        return same_report(kport::run(job, options), "free, on several threads, with pauses");
    }

    std::optional<Failure> same_report(const RunResult& result, std::string_view how) {
        count_run(result.verdict);
        if (result.verdict == reference_.verdict && result.results == reference_.results) return std::nullopt;
        const Metrics& a = reference_.verdict.metrics;
        const Metrics& b = result.verdict.metrics;
        std::vector<std::string> lines = {fmt::format("{}: another report than in lockstep on one thread", how),
                                          fmt::format("lockstep: {} rounds, {} messages, {} violations", a.rounds,
                                                      a.transfers, reference_.verdict.violation_count),
                                          fmt::format("{}: {} rounds, {} messages, {} violations", name(how_.engine),
                                                      b.rounds, b.transfers, result.verdict.violation_count)};
        if (!result.verdict.violations.empty())
            lines.push_back(sentence(result.verdict.violations.front(), case_.topology()));
        return failed(Flaw::report_differs, std::move(lines));
    }

    // ---------------------------------------------------------------------------------------------------------- faults

    std::optional<Failure> with_fault() {
        Injection injection = *trials_.injection;
        injection.seed = seed_;
        how_.injection = injection;
        RunOptions options;
        options.stop = trials_.stop;
        if (info(injection.fault).place == FaultPlace::engine && dice_.happens(0.5)) how_.engine = EngineKind::free;
        options.engine = how_.engine;
        std::optional<FaultyRun> faulty;
        try {
            faulty = run_with_fault(*subject_.algorithm, case_.machine, case_.request, case_.options,
                                    {true, case_.seed}, options, injection);
        } catch (const RequestError& error) {
            return refused(error.what());
        }
        if (!faulty || faulty->faults.empty()) return std::nullopt;
        count_run(faulty->result.verdict);
        return caught(*faulty);
    }

    std::optional<Failure> refused(const std::string& why) {
        const bool by_place = how_.injection->fault == Fault::malformed && why.starts_with("transfers[");
        if (!by_place) return failed(Flaw::throws, {why});
        ++coverage_.faults;
        ++coverage_.caught;
        return std::nullopt;
    }

    std::optional<Failure> caught(const FaultyRun& faulty) {
        const Verdict& verdict = faulty.result.verdict;
        coverage_.faults += faulty.faults.size();
        // No transfer shows how a value came about: of a wrong fold the comparison of the results has to tell.
        const bool folds = info(how_.injection->fault).folds();
        const Verdict of_schedule = folds ? verdict : audit(faulty.moved, case_.machine, case_.promise(), true);
        if (!folds) {
            ++coverage_.opinions;
            const std::string objection =
                second_opinion(faulty.moved, case_.machine, case_.promise(), of_schedule, [this] { return stops(); });
            if (!objection.empty())
                return failed(Flaw::judges_disagree, {faulty.faults.front().what, "the umpire: " + objection});
        }
        for (const Injected& injected : faulty.faults) {
            const auto tells = [&](const Violation& v) { return injected.told_by(v); };
            if (std::ranges::any_of(verdict.violations, tells)) {
                ++coverage_.caught;
                continue;
            }
            // What is not certain to break a rule may break none, or another; the umpire has said the same.
            if (!injected.certain && (!verdict.lawful() || of_schedule.lawful())) {
                ++coverage_.harmless;
                continue;
            }
            std::vector<std::string> lines = {injected.what, "the auditor does not say so"};
            if (!verdict.violations.empty())
                lines.push_back("it says: " + sentence(verdict.violations.front(), case_.topology()));
            return failed(Flaw::fault_slips_through, std::move(lines));
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
    RunResult reference_;
    Repetition how_;
};

}  // namespace

std::optional<Failure> tried(const Subject& subject, const Case& c, const Trials& trials, std::uint64_t seed,
                             Coverage& coverage) {
    return Trial(subject, c, trials, seed, coverage).run();
}

}  // namespace kport
