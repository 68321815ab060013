#include "app/session/sequence.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "algorithms/run_algorithm.hpp"
#include "algorithms/support/phases.hpp"
#include "algorithms/support/planned.hpp"
#include "app/session/choose.hpp"
#include "app/session/possessions.hpp"
#include "app/session/reporting.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/engine/order.hpp"
#include "emulator/engine/script.hpp"
#include "emulator/machine/smaller_machine.hpp"
#include "emulator/schedule/participants.hpp"

namespace kport {

namespace {

PhaseCargo cargo_of(const Operation& whole) {
    return whole.folds() ? PhaseCargo::values : whole.signals() ? PhaseCargo::signals : PhaseCargo::packets;
}

/// A phase that was run.
struct RunPhase {
    Report report;
    Round end = 0;            ///< of the whole: its last round
    bool is_thinned = false;  ///< something was left out of its messages
};

class SequenceRun {
  public:
    SequenceRun(const Sequence& sequence, const Caller& caller)
        : sequence_(sequence), caller_(caller), cargo_(cargo()),
          possessions_(sequence.machine.topology->nodes(), cargo_) {
        if (sequence.whole) possessions_.begin(sequence.whole->collective);
    }

    Outcome run() {
        Outcome outcome;
        for (std::size_t i = 0; i < sequence_.phases.size() && !is_stopped(); ++i) {
            try {
                run_phase(sequence_.phases[i]);
            } catch (const RequestError& error) {
                throw PhaseRefused(i, error.what());
            }
        }
        if (sequence_.whole && !is_stopped())
            judge_whole(outcome);
        else
            add_up(outcome);
        return outcome;
    }

  private:
    [[nodiscard]] PhaseCargo cargo() const {
        if (sequence_.whole) return cargo_of(sequence_.whole->collective.operation);
        const bool folds = std::ranges::any_of(sequence_.phases,
                                               [](const Experiment& e) { return folds_items(e.collective.operation); });
        return folds ? PhaseCargo::values : PhaseCargo::packets;
    }
    [[nodiscard]] bool is_stopped() const {
        return (caller_.stop != nullptr && *caller_.stop) || (!phases_.empty() && phases_.back().report.stopped);
    }

    [[nodiscard]] static std::vector<Party> parties_of(const Experiment& e) {
        if (e.collective.groups == nullptr) return {{e.machine, e.collective}};
        std::vector<Party> parties;
        for (std::size_t g = 0; g < e.collective.groups->size(); ++g)
            parties.push_back(
                {member_machine(e.machine, (*e.collective.groups)[g].nodes()), of_group(e.collective, g)});
        return parties;
    }
    /// Groups are one collective, whose groups have as many packets.
    static void require_equal(const std::vector<Party>& parties) {
        for (const Party& party : parties) {
            const Collective& c = party.collective;
            const Collective& first = parties.front().collective;
            if (parties.size() > 1 && (c.counts != nullptr || c.packets_each != first.packets_each)) {
                const bool in_one = c.counts != nullptr && c.packets_each == first.packets_each;
                throw RequestError(
                    fmt::format("nodes of {} have different numbers of packets, such as {} and {}; want a phase with "
                                "--members for each group",
                                in_one ? "one group" : "different groups",
                                in_one ? c.counts->least() : first.packets_each, c.packets_each));
            }
        }
    }

    [[nodiscard]] std::optional<std::string> fit(std::vector<Party>& parties) const {
        for (Party& party : parties)
            if (auto why = possessions_.fit(party)) return why;
        return std::nullopt;
    }

    /// Groups that have nothing do not hold up the others: takes them out of the phase. Returns what to say of them.
    [[nodiscard]] std::vector<std::string> without_idle_groups(Experiment& e) const {
        std::vector<std::string> idle;
        if (e.collective.groups == nullptr || !sequence_.whole) return idle;
        std::vector<RankedNodes> busy;
        std::vector<Party> parties = parties_of(e);
        std::size_t last_busy = 0;
        for (std::size_t g = 0; g < parties.size(); ++g) {
            const RankedNodes& group = (*e.collective.groups)[g];
            if (!possessions_.is_idle(parties[g])) {
                busy.push_back(group);
                last_busy = g;
            } else {
                idle.push_back(fmt::format("the group of node {} has nothing to {}", e.topology().name(group.node(0)),
                                           e.collective.operation->name));
            }
        }
        if (idle.empty() || busy.empty()) return {};
        if (busy.size() == 1) {  // members, who may have different numbers of packets
            e.machine = std::move(parties[last_busy].machine);
            e.collective = std::move(parties[last_busy].collective);
            return idle;
        }
        e.collective.groups = std::make_shared<const std::vector<RankedNodes>>(std::move(busy));
        return idle;
    }

    void run_phase(Experiment e) {
        const bool is_followed =
            moves_items(e.collective.operation) || folds_items(e.collective.operation) || cargo_ == PhaseCargo::signals;
        std::vector<std::string> idle;
        if (is_followed) idle = without_idle_groups(e);
        std::vector<Party> parties = parties_of(e);
        if (is_followed) {
            std::optional<std::string> why = fit(parties);
            if (why && !sequence_.whole) {
                parties = parties_of(e);
                for (const Party& party : parties) possessions_.begin_anew(party);
                why = fit(parties);
            }
            if (why) return add_idle(e, parties.front(), *why);
            require_equal(parties);
            const std::shared_ptr<const std::vector<RankedNodes>> groups = e.collective.groups;
            const NodeId root = e.collective.root;
            e.collective = parties.front().collective;
            if (groups != nullptr) {
                e.collective.groups = groups;
                e.collective.root = root;
            }
        }
        e.payload = e.payload && !sequence_.whole;
        RunPhase& phase = phases_.emplace_back();
        Schedule moved;
        Caller judging = caller_;
        judging.recorded_schedule = sequence_.whole && e.collective.groups == nullptr ? &moved : nullptr;
        judging.counts_brackets = false;
        judging.phases = nullptr;
        const Chosen chosen = planned(e);
        phase.report = kport::run(chosen, judging).report;
        for (const std::string& why : idle) idle_groups_.push_back(fmt::format("phase {}: {}", phases_.size(), why));
        phase.end = all_.rounds();
        if (phase.report.stopped || !is_followed) return;
        std::vector<Brought> brought;
        for (const Party& party : parties) brought.push_back(possessions_.brought(party));
        if (sequence_.whole) add_messages(phase, chosen, parties, brought, std::move(moved));
        for (std::size_t i = 0; i < parties.size(); ++i) possessions_.end(parties[i], brought[i]);
    }

    /// A phase that has nothing to move.
    void add_idle(const Experiment& e, const Party& party, const std::string& why) {
        RunPhase& phase = phases_.emplace_back();
        phase.report.machine = e.collective.groups == nullptr ? party.machine : e.machine;
        phase.report.collective = e.collective;
        phase.report.algorithm = e.algorithm;
        phase.report.remarks = {why};
        phase.end = all_.rounds();
    }

    void add_messages(RunPhase& phase, const Chosen& chosen, const std::vector<Party>& parties,
                      const std::vector<Brought>& brought, Schedule moved) {
        const Topology& whole = *sequence_.machine.topology;
        std::vector<Schedule> schedules;
        for (std::size_t i = 0; i < parties.size(); ++i) {
            const Party& party = parties[i];
            if (chosen.experiment.collective.groups != nullptr) {
                moved = {};
                RunOptions recording;
                recording.recorded_schedule = &moved;
                recording.stop = caller_.stop;
                if (party.size() > 1)
                    (void)run_algorithm(*chosen.algorithm, party.machine, party.collective, chosen.experiment.options,
                                        {.copied = false}, recording);
            }
            const auto outside = [&](std::span<const PacketBlock> packets) {
                return possessions_.message(party, brought[i], packets);
            };
            if (party.machine.topology->membership() != nullptr) {
                schedules.push_back(schedule_outside(moved, *party.machine.topology, whole, outside));
                continue;
            }
            Schedule& named = schedules.emplace_back();
            for (std::size_t t = 0; t < moved.size(); ++t) {
                const Transfer transfer = moved.transfer(t);
                const PacketSet packets = outside(transfer.packets);
                named.add(moved.round(t), {transfer.from, transfer.to, transfer.route, packets.blocks()});
            }
            for (const Silence& silence : moved.silences()) named.add_silent(silence.first, silence.count);
        }
        const Schedule together = at_once(sequence_.machine, schedules);
        append(all_, thinned(together, phase));
        phase.end = all_.rounds();
    }

    /// Without what receivers hold already, and without rounds in which nothing is left.
    [[nodiscard]] Schedule thinned(const Schedule& together, RunPhase& phase) {
        Schedule left;
        Round round = 0;
        Round before = 0;
        for (std::size_t i = 0; i < together.size(); ++i) {
            const Transfer transfer = together.transfer(i);
            PacketSet packets;
            packets.add(transfer.packets);
            packets = possessions_.lacking(transfer.to, std::move(packets));
            phase.is_thinned = phase.is_thinned || packets.size() != size_of(transfer.packets);
            if (packets.empty()) continue;
            if (together.round(i) != before) ++round;
            before = together.round(i);
            left.add(round, {transfer.from, transfer.to, transfer.route, packets.blocks()});
        }
        if (phase.is_thinned) return left;
        return together;
    }

    [[nodiscard]] RunResult executed(const Experiment& e) const {
        const Collective judged = e.collective.folds() ? folding(e.collective, e.options.reduction) : e.collective;
        Job job = job_following(all_, e.machine, judged);
        job.reduction = e.options.reduction;
        job.payload = e.payload;
        job.seed = e.seed;
        RunOptions options;
        options.engine = e.engine;
        options.threads = e.thread_count();
        options.partition_nodes = e.partition_nodes;
        options.per_round = true;
        options.stop = caller_.stop;
        options.progress = caller_.progress;
        options.computing = caller_.computing;
        options.max_rounds = e.max_rounds;
        SeededOrder order(e.order.value_or(0));
        if (e.order) options.order = &order;
        return kport::run(job, options);
    }

    void judge_whole(Outcome& outcome) {
        Experiment e = *sequence_.whole;
        PlanSize plan{static_cast<double>(all_.size()), 0, 0};
        for (std::size_t i = 0; i < all_.size(); ++i)
            plan.blocks += static_cast<double>(all_.transfer(i).packets.size());
        admit(e, nullptr, plan_bytes(plan));
        const Algorithm row{.operation = e.collective.operation,
                            .name = "sequence",
                            .rule = fmt::format("{} of {}", counted(sequence_.phases.size(), "phase"), sequence_.name),
                            .needs = {},
                            .cost = {},
                            .source = {},
                            .misfit = [](const Machine&, const Collective&,
                                         const AlgorithmOptions&) { return std::optional<std::string>("is a file"); },
                            .make = nullptr,
                            .expect = nullptr,
                            .agrees = [](const Topology&) { return std::optional<Agrees>(); }};
        const Chosen chosen{e, &row, {}, {}};
        if (caller_.begins) caller_.begins(chosen);
        RunResult result = executed(e);
        outcome.report.brackets = counted_brackets(e.collective, e.options.reduction, wants_agreement(e),
                                                   e.topology().nodes(), result, [&](const Reduction& brackets) {
                                                       Experiment again = e;
                                                       again.options.reduction = brackets;
                                                       again.payload = true;
                                                       return executed(again);
                                                   });
        const std::vector<RoundMetrics> rounds = std::move(result.verdict.per_round);
        result.verdict.per_round.clear();
        if (e.per_round) result.verdict.per_round = rounds;
        put_beside_bounds(chosen, std::move(result), outcome);
        put_parts(rounds);
        put_phases(outcome.report);
        if (caller_.recorded_schedule != nullptr) *caller_.recorded_schedule = std::move(all_);
        if (caller_.ended) caller_.ended(outcome);
    }

    /// Gives each phase its part of the whole's counts.
    void put_parts(const std::vector<RoundMetrics>& rounds) {
        auto round = rounds.begin();
        Round before = 0;
        for (RunPhase& phase : phases_) {
            Metrics part;
            const bool is_last = &phase == &phases_.back();
            for (; round != rounds.end() && (is_last || round->round <= phase.end); ++round) {
                RoundMetrics own = *round;
                own.round -= before;
                part.add(own);
            }
            before = phase.end;
            Metrics& alone = phase.report.verdict.metrics;
            const bool is_alone = std::ranges::all_of(quantity_rows, [&](const QuantityRow& quantity) {
                return meets(quantity.of(part), quantity.of(alone));
            });
            if (phase.is_thinned || !is_alone) phase.report.bounds = {};
            part.silent_rounds = phase.is_thinned ? 0 : alone.silent_rounds;
            alone = part;
        }
    }

    void put_phases(Report& report) {
        std::ranges::move(idle_groups_, std::back_inserter(report.remarks));
        for (std::size_t i = 0; i < phases_.size(); ++i) {
            Report& phase = report.phases.emplace_back(std::move(phases_[i].report));
            for (const std::string& remark : phase.remarks)
                if (!phase.verdict.lawful()) report.remarks.push_back(fmt::format("phase {}: {}", i + 1, remark));
        }
    }

    /// The sum of the phases, where nothing is promised as a whole, or the run was stopped.
    void add_up(Outcome& outcome) {
        Report& report = outcome.report;
        report.machine = sequence_.machine;
        report.collective = Collective::none();
        report.collective.packet_bytes = sequence_.phases.front().collective.packet_bytes;
        report.algorithm = "sequence";
        report.rule = fmt::format("{} of {}", counted(sequence_.phases.size(), "phase"), sequence_.name);
        report.stopped = is_stopped();
        report.out_of_rounds = !phases_.empty() && phases_.back().report.out_of_rounds;
        Verdict& all = report.verdict;
        all.delivered = !report.stopped;
        for (const RunPhase& phase : phases_) {
            const Verdict& own = phase.report.verdict;
            all.delivered = all.delivered && own.delivered;
            all.violation_count += own.violation_count;
            for (std::size_t rule = 0; rule < all.violations_by_rule.size(); ++rule)
                all.violations_by_rule[rule] += own.violations_by_rule[rule];
            all.compared_packets += own.compared_packets;
            all.compared_bytes += own.compared_bytes;
            for (const QuantityRow& row : quantity_rows)
                if (row.count != nullptr)
                    all.metrics.*row.count += own.metrics.*row.count;
                else
                    all.metrics.*row.time += own.metrics.*row.time;
            all.metrics.silent_rounds += own.metrics.silent_rounds;
            all.metrics.transfers += own.metrics.transfers;
            all.metrics.bytes += own.metrics.bytes;
            report.wall_seconds += phase.report.wall_seconds;
            report.threads = std::max(report.threads, phase.report.threads);
            report.payload = report.payload && phase.report.payload;
        }
        all.metrics.informed_after = all.metrics.rounds;
        put_phases(report);
        outcome.ending = report.stopped ? Ending::stopped : all.lawful() ? Ending::lawful : Ending::broken;
    }

    const Sequence& sequence_;
    const Caller& caller_;
    PhaseCargo cargo_;
    Possessions possessions_;
    std::vector<std::string> idle_groups_;  ///< what is said of groups that had nothing
    Schedule all_;                          ///< of the phases so far, in the words of the whole
    std::vector<RunPhase> phases_;
};

}  // namespace

Outcome run(const Sequence& sequence, const Caller& caller) { return SequenceRun(sequence, caller).run(); }

namespace {

/// "a scan", "an alltoall".
std::string with_article(const Operation& operation) {
    constexpr std::string_view vowels = "aeiou";
    return fmt::format("{} {}", vowels.find(name(operation).front()) != std::string_view::npos ? "an" : "a",
                       name(operation));
}

}  // namespace

void require_phase_of(const Operation& phase, const Operation* whole) {
    if (whole == nullptr) return;
    if (whole->folds() && !folds_items(*whole))
        throw RequestError(
            fmt::format("{}; want reduce, allreduce or reduce-scatter, or no promise",
                        (*whole)->prefix == Prefix::no
                            ? std::string("folds that a file promises are not made of phases")
                            : fmt::format("the promise is {}, which is not made of phases", with_article(*whole))));
    const PhaseCargo cargo = cargo_of(*whole);
    const bool fits = cargo == PhaseCargo::signals   ? phase.signals()
                      : cargo == PhaseCargo::packets ? moves_items(phase)
                                                     : moves_items(phase) || folds_items(phase);
    if (fits) return;
    constexpr std::string_view movers = "broadcast, scatter, gather or allgather";
    throw RequestError(fmt::format("{} is no phase of {}; want {}", name(phase), with_article(*whole),
                                   cargo == PhaseCargo::signals ? std::string("barrier")
                                   : cargo == PhaseCargo::packets
                                       ? std::string(movers)
                                       : fmt::format("reduce, allreduce, reduce-scatter, {}", movers)));
}

}  // namespace kport
