#include "emulator/engine/job.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/memory_limit.hpp"
#include "emulator/engine/conclusion.hpp"
#include "emulator/engine/crew.hpp"
#include "emulator/engine/delivery.hpp"
#include "emulator/engine/partition.hpp"
#include "emulator/engine/progress.hpp"
#include "emulator/engine/rank_mail.hpp"
#include "emulator/engine/small_rounds.hpp"
#include "emulator/engine/solo_rounds.hpp"
#include "emulator/engine/world.hpp"

namespace kport {

namespace {

using Clock = std::chrono::steady_clock;

/// Null: nothing is recorded. Replaces what an earlier run has recorded.
std::unique_ptr<Recorder> recorder_of(const RunOptions& options) {
    if (options.recorded_schedule == nullptr) return nullptr;
    *options.recorded_schedule = {};
    return std::make_unique<Recorder>(*options.recorded_schedule);
}

class Lockstep {
  public:
    /// `is_attempt` as World. An attempt fails at the latest before round `fails_before`.
    Lockstep(const Job& job, const RunOptions& options, bool is_attempt, Round fails_before = ~Round{0})
        : job_(job), options_(options), fails_before_(fails_before), progress_(options.progress),
          recorder_(recorder_of(options)), world_(std::make_unique<World>(job, options, is_attempt)),
          crew_(options, world_->deal), ranks_(options.ranks, world_->deal), mail_(ranks_, *world_),
          delivery_(*world_, ranks_, mail_, partitions_, crew_), solo_(world_->rounds, ranks_, delivery_.arbiter()),
          small_(*world_, partitions_, options, ranks_.alone() ? nullptr : &solo_.past()) {
        for (unsigned i = 0; i < world_->deal.partitions(); ++i)
            partitions_.push_back(std::make_unique<Partition>(*world_, i));
        for (std::size_t i = 0; i < job.starters.size() && !job.all_start; ++i)
            if (ranks_.share().contains(job.starters[i]))
                home(job.starters[i])
                    .start_by_itself(job.starters[i], job.starters_wait_until.empty() ? 1 : job.starters_wait_until[i]);
        for (const auto& partition : partitions_) {
            if (!ranks_.owns(partition->index())) continue;
            if (job.all_start) partition->start_all_by_themselves();
            touched_.push_back(partition.get());
            set_alarm(*partition);
        }
        if (recorder_) world_->rounds.add(*recorder_);
        if (options.progress) world_->rounds.add(progress_);
    }

    Lockstep(const Lockstep&) = delete;
    Lockstep& operator=(const Lockstep&) = delete;
    ~Lockstep() {
        if (world_) tear_down();  // an exception is on its way
    }

    /// Nothing if it is an attempt, and has failed.
    std::optional<RunResult> run() {
        std::optional<RunResult> result;
        crew_.run([&] {
            run_rounds_watched();
            for (const auto& partition : partitions_) end_.answers += partition->answers();
            if (!world_->has_failed()) result = concluded();
            tear_down();
        });
        return result;
    }

    /// The round before which an attempt has failed, and the sum of the answers until then (Partition::answers()).
    struct End {
        Round round = 0;
        std::uint64_t answers = 0;
        bool operator==(const End&) const = default;
    };
    [[nodiscard]] const End& end() const { return end_; }

  private:
    [[nodiscard]] const Arbiter& arbiter() const { return delivery_.arbiter(); }

    RunResult concluded() {
        stopped_ = stopped_ || anybody_stops();  // also before anything is compared, which takes long
        for (const auto& partition : partitions_) {
            partition->judge_left();
            tell_breaches(*partition);
            world_->auditor.compared(partition->compared().messages, partition->compared().bytes);
        }
        RunResult result = Conclusion(options_, *world_, ranks_, partitions_, crew_).result(stopped_);
        result.out_of_rounds = out_of_rounds_;
        result.executions = executions();
        if (!ranks_.alone())
            result.ranks = ranks_.everyones(
                RankFacts{sent_here_ + small_.moved(), mail_.remote(), ranks_.exchange_seconds(), peak_memory_bytes()});
        return result;
    }

    [[nodiscard]] Executions executions() const {
        Executions all{world_->chosen.nodes};
        all.add(Execution::small_rounds, small_.moved() != 0);
        all.add(Execution::full_rounds, has_full_rounds_);
        all.add(Execution::arbitration, has_arbitrated_);
        all.add(Execution::order, options_.order != nullptr);
        all.add(Execution::threads, crew_.threads() > 1);
        all.add(Execution::ranks, !ranks_.alone());
        return all;
    }

    Partition& home(NodeId v) { return *partitions_[world_->deal.home(v)]; }

    void run_rounds_watched() {
        std::vector<const AtWork*> runners;
        for (const auto& partition : partitions_) runners.push_back(&partition->at_work());
        Watch watch(options_.computing, options_.computing_after, options_.stop, std::move(runners));
        run_rounds();
        solo_.close_heard();
        watch.end();
    }

    void run_rounds() {
        for (Round round = 1;; ++round) {
            invariant(round != 0, "fewer than 2^32 rounds");
            round = run_small(round);
            end_.round = round;
            if (round >= fails_before_) world_->attempt.fail();
            if (world_->has_failed()) return;
            end_.round = round + 1;
            RoundNews news = own_news(round);
            runs_alone_ = goes_on_alone(round, news);
            if (!runs_alone_) news = news_of_all(round, std::move(news));
            if (news.resumes) {
                --round;
                continue;
            }
            stopped_ = stopped_ || news.stop;
            if (stopped_) return;  // the round goes no further: nothing of it has been shown to the auditor
            if (!news.busy && !arbiter().anything_waits()) {
                if (news.alarm == RoundNews::no_alarm) return;
                let_pass(round, static_cast<Round>(news.alarm));
                if (stopped_) return;
                continue;
            }
            if (world_->last_line != 0 && !moves(news)) return world_->attempt.fail();  // only cursors know idle lines
            stopped_ = beyond_last_round(round, news);
            out_of_rounds_ = !stopped_ && beyond_max_rounds(round, news);
            stopped_ = stopped_ || out_of_rounds_;
            if (stopped_) return;
            find_touched(news.touched);
            if (!moves(news)) {
                if (news.lets_round_pass) append_silence(silent_, round, 1);
            } else {
                move(round, news);
                crew_.timed(Phase::audit, round, [&] { close(round); });
            }
        }
    }

    /// Returns the first round that is not over, of which the programs may have run.
    [[nodiscard]] Round run_small(Round round) {
        std::uint64_t touched = 0;
        for (const Partition* partition : touched_) touched |= bit(partition->index());
        const Round next = small_.run(round, end_of_small(round), touched);
        if (next != round) find_touched(touched);
        return next;
    }
    /// The first round after this one that is not small, as far as that is known; this one, if none may be.
    [[nodiscard]] std::uint64_t end_of_small(Round round) const {
        if (!silent_.empty() || arbiter().anything_waits()) return round;
        if (ranks_.alone()) return next_alarm();
        return solo_.is_here() ? std::min(next_alarm(), solo_.end()) : round;
    }

    /// Runs the round's programs, unless another rank runs alone.
    RoundNews own_news(Round round) {
        RoundNews news;
        const bool waits = solo_.is_elsewhere();
        news.resumes = solo_.is_here() && round >= solo_.end();
        invariant(!(news.resumes && small_.has_run()), "a round whose programs have run is not put off");
        if (!waits) {
            news.round = round;
            news.stop = round > 1 && !small_.has_run() && stopping();
            if (!ranks_.alone()) news.silent = silent_;
        }
        if (waits || news.resumes || news.stop) {
            busy_.clear();
            news.touched = news.next = news.resumes ? ranks_.own() : 0;
        } else {
            select_busy(round);
            if (!busy_.empty()) run_programs(round, news);
        }
        news.sends_unheld |= world_->has_sent_unheld;
        // Nodes of this rank that wait for a later round while others run, and those of others while this rank runs alone.
        const bool some_wait = !alarms_.empty() || solo_.some_wait();
        news.lets_round_pass |= some_wait;
        news.goes_on |= some_wait;
        news.alarm = next_alarm();
        return news;
    }

    /// Whether this rank alone has something to do in this round, and nothing of it concerns the others (engine/solo_rounds.hpp).
    [[nodiscard]] bool goes_on_alone(Round round, const RoundNews& news) const {
        if (ranks_.alone()) return true;
        if (!solo_.is_here() || news.resumes || news.stop || news.failed != no_node) return false;
        if ((news.touched & ~ranks_.own()) != 0) return false;
        if (beyond_last_round(round, news) || beyond_max_rounds(round, news)) return false;
        return news.busy || (news.alarm < solo_.end() && news.alarm <= world_->max_rounds);
    }

    /// Takes part in an exchange, and closes the rounds before it at this rank.
    RoundNews news_of_all(Round& round, RoundNews news) {
        if (solo_.is_elsewhere()) solo_.close_heard();  // there is time
        news.past = std::exchange(solo_.past(), {});
        const bool to_all = goes_to_all() || news.contends;
        crew_.timed(Phase::exchange, round,
                    [&] { news = mail_.exchange(busy_, std::move(news), to_all, partitions_); });
        round = news.round;
        silent_ = news.silent;
        solo_.choose(news, goes_to_all_always() ? 0 : with_waiting(news.next));
        // Silence is told in the order of rounds.
        solo_.hear(std::exchange(news.past, {}), !silent_.empty());
        if (news.failed != no_node && !news.stop) throw ProgramError(news.failed, round, news.error);
        return news;
    }

    void close(Round round) {
        RoundPart part = world_->rounds.take(round, touched_indices_);
        if (ranks_.alone())
            world_->rounds.close(part);
        else if (runs_alone_)
            solo_.past().push_alone(std::exchange(silent_, {}), part);
        else
            solo_.past().push(std::move(part));
    }

    // Only after its programs it is known what a round moves: more than was asked for, or for longer.
    [[nodiscard]] bool moves(const RoundNews& news) const { return news.sent != 0 || arbiter().anything_waits(); }
    [[nodiscard]] bool beyond_last_round(Round round, const RoundNews& news) const {
        return options_.last_round != 0 && round > options_.last_round && moves(news);
    }
    [[nodiscard]] bool beyond_max_rounds(Round round, const RoundNews& news) const {
        return round > world_->max_rounds && (moves(news) || news.goes_on);
    }
    [[nodiscard]] std::uint64_t next_alarm() const {
        return alarms_.empty() ? RoundNews::no_alarm : alarms_.begin()->first;
    }
    [[nodiscard]] bool anybody_stops() { return ranks_.together(AtAny{stopping()}).holds; }

    /// Of the rounds that programs let pass before this one, in which something moves again.
    void tell_silence() {
        for (const Silence& silence : std::exchange(silent_, {})) world_->rounds.silent(silence.first, silence.count);
    }

    /// Whether some program has let this round pass on purpose, to go on in the next one.
    [[nodiscard]] bool lets_round_pass() const {
        return std::ranges::any_of(busy_, [](const Partition* partition) { return partition->lets_round_pass(); });
    }

    /// Whether some node has something to do in the next round, without a message.
    [[nodiscard]] bool some_node_goes_on(Round round) const {
        return std::ranges::any_of(busy_, [&](const Partition* partition) { return partition->busy(round + 1); });
    }

    /// A round with much to do takes seconds, and is not run to its end once the run is to stop. Several ranks stop together, after
    /// it.
    [[nodiscard]] bool abandoned() const { return ranks_.alone() && crew_.worth_threads(load_) && stopping(); }

    /// Relaxed: nothing else is handed over with the flag.
    [[nodiscard]] bool stopping() const {
        return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
    }

    /// Finds the partitions with something to do, among those that had to do with the last round or whose nodes wait for
    /// this one.
    void select_busy(Round round) {
        if (small_.has_run()) {
            busy_ = small_.busy();
            load_ = busy_.size();
            return;
        }
        const std::size_t before = touched_.size();
        for (; !alarms_.empty() && alarms_.begin()->first == round; alarms_.erase(alarms_.begin()))
            touched_.push_back(partitions_[alarms_.begin()->second].get());
        if (touched_.size() != before) {
            std::ranges::sort(touched_, {}, &Partition::index);
            touched_.erase(std::ranges::unique(touched_).begin(), touched_.end());
        }
        busy_.clear();
        load_ = 0;
        for (Partition* partition : touched_)
            if (partition->busy(round)) {
                busy_.push_back(partition);
                load_ += partition->load(round);
            }
    }

    /// Every program waits for a later round: those before the earliest of them pass at once.
    void let_pass(Round& round, Round next) {
        out_of_rounds_ = next - 1 > world_->max_rounds;
        stopped_ = out_of_rounds_;
        append_silence(silent_, round, next - round);
        round = next - 1;
    }

    /// Phase 1.
    void run_programs(Round round, RoundNews& news) {
        if (!small_.has_run())
            crew_.for_each(busy_, load_, Phase::programs, round, [&](Partition& partition) {
                if (!abandoned()) partition.run(round);
            });
        stopped_ = abandoned();
        news.busy = true;
        const Partition* failed = nullptr;
        for (Partition* partition : busy_) {
            news.touched |= bit(partition->index());
            for (const unsigned to : partition->touched()) news.next |= bit(to);
            if (partition->busy(round + 1)) news.next |= bit(partition->index());
            news.sent += partition->posted();
            sent_here_ += partition->posted();
            news.sends_unheld |= partition->sends_unheld();
            if (partition->error() && (failed == nullptr || partition->error_node() < failed->error_node()))
                failed = partition;
            tell_breaches(*partition);
            set_alarm(*partition);
        }
        news.touched |= news.next;
        news.lets_round_pass = lets_round_pass();
        news.goes_on = some_node_goes_on(round);
        if (failed == nullptr) return;
        if (ranks_.alone()) rethrow_as_program_error(failed->error(), failed->error_node(), round);
        note_failure(news, *failed, round);
    }
    static constexpr std::uint64_t bit(unsigned partition) { return std::uint64_t{1} << partition; }

    /// Other ranks cannot have the exception itself.
    static void note_failure(RoundNews& news, const Partition& failed, Round round) {
        try {
            rethrow_as_program_error(failed.error(), failed.error_node(), round);
        } catch (const ProgramError& error) {
            news.failed = error.node;
            news.error = error.text;
        }
    }

    /// Whether every rank needs the messages of all: claims may compete, or transfers are recorded.
    [[nodiscard]] bool goes_to_all() const { return goes_to_all_always() || arbiter().anything_waits(); }
    [[nodiscard]] bool goes_to_all_always() const {
        return world_->wormhole || job_.machine.is_exclusive() || world_->rounds.wants_transfers();
    }

    void set_alarm(const Partition& partition) {
        if (const Round next = partition.wakes_in(); next != 0) alarms_.emplace(next, partition.index());
    }

    void tell_breaches(Partition& partition) {
        for (const Violation& breach : partition.breaches()) world_->auditor.report(breach);
        partition.breaches().clear();
    }

    /// Phases 2 and 3.
    void move(Round round, const RoundNews& news) {
        const Delivery::Places places{busy_, touched_};
        const bool is_arbitrated = news.contends || delivery_.is_arbitrated();
        const bool may_compete =
            !is_arbitrated && world_->claims_may_compete() && news.sent >= world_->fewest_that_compete();
        const bool compete_here = delivery_.collect(round, news, places, may_compete);
        const bool compete = is_arbitrated || (may_compete && anybody_competes(round, news, compete_here));
        if (!runs_alone_ || ranks_.alone()) tell_silence();
        has_full_rounds_ = true;
        has_arbitrated_ |= compete;
        delivery_.move(round, news, places, compete);
    }

    /// Whether some rank has found that claims compete; every rank then has the claims of all.
    bool anybody_competes(Round round, const RoundNews& news, bool here) {
        if (ranks_.alone()) return here;
        if (runs_alone_) {
            if (here) tell_of_competition(round, news);
            return here;
        }
        bool compete = here;
        crew_.timed(Phase::exchange, round, [&] {
            compete = ranks_.together(AtAny{here}).holds;
            if (!compete || goes_to_all()) return;
            mail_.discard(partitions_, true);
            mail_.clear();
            (void)mail_.exchange(busy_, {}, true, partitions_);
        });
        return compete;
    }

    /// What this rank runs alone concerns all, for every rank arbitrates.
    void tell_of_competition(Round round, RoundNews news) {
        runs_alone_ = false;
        news.contends = true;
        (void)news_of_all(round, std::move(news));
    }

    /// The partitions that run, send or receive in this round, in the order of their numbers.
    void find_touched(std::uint64_t touched) {
        touched = with_waiting(touched);
        if (!ranks_.alone()) touched &= ranks_.own();
        touched_indices_.clear();
        touched_.clear();
        for (; touched != 0; touched &= touched - 1) {
            const auto index = static_cast<unsigned>(std::countr_zero(touched));
            touched_indices_.push_back(index);
            touched_.push_back(partitions_[index].get());
        }
    }

    /// And those to which a message that waited may come.
    [[nodiscard]] std::uint64_t with_waiting(std::uint64_t touched) const {
        for (const unsigned index : arbiter().waiting_partitions()) touched |= bit(index);
        return touched;
    }

    void tear_down() {
        delivery_.tear_down();
        small_.discard();
        crew_.for_index(partitions_.size(), [&](std::size_t i) { partitions_[i]->tear_down(); });
        partitions_.clear();
        world_.reset();
    }

    const Job& job_;
    const RunOptions& options_;
    const Round fails_before_;
    End end_;
    Progress progress_;
    std::unique_ptr<Recorder> recorder_;
    std::unique_ptr<World> world_;
    Crew crew_;
    AllRanks ranks_;
    RankMail mail_;
    Partition::Partitions partitions_;
    Delivery delivery_;
    SoloRounds solo_;
    SmallRounds small_;
    std::uint64_t sent_here_ = 0;  ///< messages of the nodes of this rank, in rounds that are not small
    std::vector<Partition*> busy_;
    std::vector<Partition*> touched_;
    std::vector<unsigned> touched_indices_;
    std::set<std::pair<Round, unsigned>> alarms_;  ///< for which nodes wait, with their partition
    std::vector<Silence> silent_;  ///< rounds since the last one with a message that programs let pass on purpose
    std::size_t load_ = 0;
    bool runs_alone_ = true;  ///< no other rank takes part in this round
    bool has_full_rounds_ = false;
    bool has_arbitrated_ = false;
    bool stopped_ = false;
    bool out_of_rounds_ = false;
};

/// Nothing if it fails, as it does at the latest before round `fails_before`.
std::optional<RunResult> attempted(const Job& job, const RunOptions& options, Lockstep::End& end,
                                   Round fails_before = ~Round{0}) {
    Lockstep fast(job, options, true, fails_before);
    std::optional<RunResult> result = fast.run();
    end = fast.end();
    return result;
}

bool has_to_stop(const RunOptions& options) {
    return options.stop != nullptr && options.stop->load(std::memory_order_relaxed);
}

/// Repeats a failed attempt, and throws RequestError if the text of the node programs then answers differently. A run that has to stop
/// is not compared. Cost: the rounds of the attempt once more.
void require_same_answers(const Job& job, const RunOptions& options, const Lockstep::End& end) {
    RunOptions unseen = options;
    unseen.progress = nullptr;
    unseen.computing = nullptr;
    std::vector<PhaseTime> phases;  // looked at or not, it goes the same way
    if (options.phases != nullptr) unseen.phases = &phases;
    Lockstep::End again;
    try {
        (void)attempted(job, unseen, again, end.round);
    } catch (const ProgramError&) {  // NOLINT(bugprone-empty-catch): which the first attempt did not meet
    }
    if (!has_to_stop(options) && again != end)
        throw RequestError(
            fmt::format("by round {} the text of the node programs answers one question in two ways; want "
                        "answers that follow from the arguments alone",
                        end.round));
}

}  // namespace

RunResult run_lockstep(const Job& job, const RunOptions& options) {
    const Clock::time_point start = Clock::now();
    Lockstep::End end;
    std::optional<RunResult> result = attempted(job, options, end);
    if (!result) {
        require_same_answers(job, options, end);
        result = Lockstep(job, options, false).run();
    }
    result->wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return *std::move(result);
}

}  // namespace kport
