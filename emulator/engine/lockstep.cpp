#include "emulator/engine/lockstep.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>

#include "emulator/base/error.hpp"
#include "emulator/base/peak_memory.hpp"
#include "emulator/engine/arbiter.hpp"
#include "emulator/engine/arena.hpp"
#include "emulator/engine/partition.hpp"
#include "emulator/engine/payload.hpp"
#include "emulator/engine/progress.hpp"
#include "emulator/engine/rank_mail.hpp"
#include "emulator/engine/results.hpp"
#include "emulator/engine/small_rounds.hpp"
#include "emulator/engine/world.hpp"

namespace kport {

namespace {

using Clock = std::chrono::steady_clock;

/// Null: nothing is recorded.
std::unique_ptr<Recorder> recorder_of(const RunOptions& options) {
    return options.record != nullptr ? std::make_unique<Recorder>(*options.record) : nullptr;
}

class Lockstep {
  public:
    /// `exchanges` as World.
    Lockstep(const Job& job, const RunOptions& options, bool exchanges)
        : job_(job), options_(options), progress_(options.progress), recorder_(recorder_of(options)),
          clock_(options.phases, options.threads), world_(std::make_unique<World>(job, options, exchanges)),
          ranks_(options.ranks, world_->deal), mail_(ranks_, *world_), arbiter_(*world_, ranks_),
          small_(*world_, partitions_, options),
          parallel_(options.threads > 1 && options.order == nullptr && world_->deal.partitions() > 1) {
        for (unsigned i = 0; i < world_->deal.partitions(); ++i)
            partitions_.push_back(std::make_unique<Partition>(*world_, i));
        for (std::size_t i = 0; i < job.starters.size(); ++i)
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

    /// Nothing if it was an exchange that has to run with programs.
    std::optional<RunResult> run() {
        RunResult result;
        bool is_left = false;
        const auto whole = [&] {
            run_rounds_watched();
            is_left = leaves_exchange();
            if (is_left) return tear_down();
            stopped_ = stopped_ || anybody_stops();  // also before anything is compared: nobody waits for that
            for (const auto& partition : partitions_) {
                partition->judge_left();
                tell_breaches(*partition);
                world_->auditor.compared(partition->compared().messages, partition->compared().bytes);
            }
            compare_payload();
            if (world_->folder && !stopped_) result.results = verified_results();
            report_waiting();
            hand_over_asked();
            Auditor& auditor = world_->auditor;
            result.verdict = auditor.conclude(ranks_.together(auditor.end(stopped_)), stopped_);
            clock_.give();
            if (!ranks_.alone()) {
                gather_phases();
                result.ranks = ranks_.everyones(
                    RankFacts{sent_here_, mail_.remote(), ranks_.exchange_seconds(), peak_memory_bytes()});
            }
            tear_down();
        };
        if (parallel_) {
            // Without the control a machine with fewer cores would quietly run on fewer threads than were asked for.
            const tbb::global_control control(tbb::global_control::max_allowed_parallelism, options_.threads);
            arena_for(options_.threads).execute(whole);
        } else {
            whole();  // waking threads costs more than a small machine
        }
        if (is_left) return std::nullopt;
        result.stopped = stopped_;
        result.out_of_rounds = out_of_rounds_;
        result.threads = shared_ ? options_.threads : 1;
        return result;
    }

  private:
    [[nodiscard]] bool leaves_exchange() const { return world_->exchange && world_->exchange->is_left(); }

    Partition& home(NodeId v) { return *partitions_[world_->deal.home(v)]; }

    void run_rounds_watched() {
        std::vector<const AtWork*> runners;
        for (const auto& partition : partitions_) runners.push_back(&partition->at_work());
        Watch watch(options_.computing, options_.computing_after, options_.stop, std::move(runners));
        run_rounds();
        close_told();
        watch.end();
    }

    void run_rounds() {
        for (Round round = 1;; ++round) {
            invariant(round != 0, "fewer than 2^32 rounds");
            round = run_small(round);
            RoundNews news = own_news(round);
            runs_alone_ = goes_on_alone(round, news);
            if (!runs_alone_) news = news_of_all(round, std::move(news));
            if (news.resumes) {
                --round;
                continue;
            }
            stopped_ = stopped_ || news.stop;
            if (stopped_) return;  // the round goes no further: nothing of it has been shown to the auditor
            if (!news.busy && !arbiter_.anything_waits()) {
                if (news.alarm == RoundNews::no_alarm) return;
                let_pass(round, news.alarm);
                if (stopped_) return;
                continue;
            }
            stopped_ = beyond_last_round(round, news);
            out_of_rounds_ = !stopped_ && beyond_max_rounds(round, news);
            stopped_ = stopped_ || out_of_rounds_;
            if (stopped_) return;
            find_touched(news.touched);
            if (!moves(news)) {
                if (news.lets_round_pass) append_silence(silent_, round, 1);
            } else {
                move(round, std::move(news));
                clock_.timed(Phase::audit, round, 0, [&] { close(round); });
            }
            if (leaves_exchange()) return;
        }
    }

    /// Returns the first round that is not over, of which the programs may have run.
    [[nodiscard]] Round run_small(Round round) {
        std::uint64_t touched = 0;
        for (const Partition* partition : touched_) touched |= bit(partition->index());
        const bool all_is_told = silent_.empty() && !arbiter_.anything_waits();
        const Round next = small_.run(round, all_is_told ? next_alarm() : round, touched);
        if (next != round) find_touched(touched);
        return next;
    }

    /// Runs the round's programs, unless another rank runs alone.
    RoundNews own_news(Round round) {
        RoundNews news;
        const bool waits = solo() && !is_solo_here();
        news.resumes = solo() && is_solo_here() && round >= solo_end_;
        if (!waits) {
            news.round = round;
            news.stop = round > 1 && !small_.has_run() && stopping();
            if (!ranks_.alone()) news.silent = silent_;
        }
        if (waits || news.resumes || news.stop) {
            busy_.clear();
            news.touched = news.resumes ? ranks_.own() : 0;
        } else {
            select_busy(round);
            if (!busy_.empty()) run_programs(round, news);
        }
        news.sends_unheld |= sent_unheld_;
        // Also of nodes that wait here for a later round while others run elsewhere; and elsewhere while this rank runs alone.
        const bool some_wait = !alarms_.empty() || (solo() && is_solo_here() && others_may_wait_);
        news.lets_round_pass |= some_wait;
        news.goes_on |= some_wait;
        news.alarm = next_alarm();
        return news;
    }

    // A rank that alone has something to do runs round after round without the others, as long as nothing concerns them. They wait
    // for it in their next exchange, and then hear of all these rounds.

    /// Whether one rank alone has something to do in this round.
    [[nodiscard]] bool solo() const { return solo_.has_value() && !arbiter_.anything_waits(); }
    [[nodiscard]] bool is_solo_here() const { return *solo_ == ranks_.rank(); }

    [[nodiscard]] bool goes_on_alone(Round round, const RoundNews& news) const {
        if (ranks_.alone()) return true;
        if (!solo() || !is_solo_here() || news.resumes || news.stop || news.failed != no_node) return false;
        if ((news.touched & ~ranks_.own()) != 0) return false;
        if (beyond_last_round(round, news) || beyond_max_rounds(round, news)) return false;
        return news.busy || (news.alarm < solo_end_ && news.alarm <= world_->max_rounds);
    }

    /// Takes part in an exchange, and closes the rounds before it at this rank.
    RoundNews news_of_all(Round& round, RoundNews news) {
        news.past = std::exchange(past_, {});
        const bool to_all = goes_to_all() || news.contends;
        clock_.timed(Phase::exchange, round, 0,
                     [&] { news = mail_.exchange(busy_, std::move(news), to_all, partitions_); });
        told_.push_back(std::exchange(news.past, {}));
        round = news.round;
        silent_ = news.silent;
        choose_solo(news);
        // The others wait for a rank that runs alone: it closes what it has heard of when it waits itself.
        const bool keeps_others_waiting = solo() && is_solo_here() && silent_.empty();
        if (!keeps_others_waiting || told_.size() > 2) close_told();
        if (news.failed != no_node && !news.stop) throw ProgramError(news.failed, round, news.error);
        return news;
    }

    /// Of the next round. From time to time the others are told all the same, of what there is to show and to keep.
    void choose_solo(const RoundNews& news) {
        constexpr Round most = 4096;
        const Round next = news.resumes ? news.round : news.round + 1;
        solo_end_ = std::min(news.alarm, next + most);
        others_may_wait_ = news.alarm != RoundNews::no_alarm;
        solo_.reset();
        if (!goes_to_all_always() && solo_end_ > next) solo_ = ranks_.only_owner(with_waiting(news.touched));
    }

    void close_told() {
        for (PastRounds& past : told_)
            past.close_all([&](const Silence& silence) { world_->rounds.silent(silence.first, silence.count); },
                           [&](RoundPart& part) { world_->rounds.close(part); });
        told_.clear();
    }

    void close(Round round) {
        RoundPart part = world_->rounds.take(round, touched_indices_);
        if (ranks_.alone())
            world_->rounds.close(part);
        else
            past_.push(runs_alone_ ? std::exchange(silent_, {}) : std::vector<Silence>(), std::move(part));
    }

    // Only after its programs it is known what a round moves: more than was asked for, or for longer.
    [[nodiscard]] bool moves(const RoundNews& news) const { return news.sent != 0 || arbiter_.anything_waits(); }
    [[nodiscard]] bool beyond_last_round(Round round, const RoundNews& news) const {
        return options_.last_round != 0 && round > options_.last_round && moves(news);
    }
    [[nodiscard]] bool beyond_max_rounds(Round round, const RoundNews& news) const {
        return round > world_->max_rounds && (moves(news) || news.goes_on);
    }
    [[nodiscard]] Round next_alarm() const { return alarms_.empty() ? RoundNews::no_alarm : alarms_.begin()->first; }
    [[nodiscard]] bool anybody_stops() { return ranks_.together(AtAny{stopping()}).holds; }

    /// A round with less to do than a block's nodes is over before other threads have woken up.
    [[nodiscard]] bool worth_threads(std::size_t load) const { return load >= world_->deal.block(); }

    /// Of the rounds that programs let pass before this one, in which something moves again.
    void tell_silence() { tell(std::exchange(silent_, {})); }
    void tell(const std::vector<Silence>& silences) {
        for (const Silence& silence : silences) world_->rounds.silent(silence.first, silence.count);
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
    [[nodiscard]] bool abandoned() const { return ranks_.alone() && worth_threads(load_) && stopping(); }

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

    /// Serves the partitions, on all threads if there is enough to do.
    template <class Serve>
    void for_each(const std::vector<Partition*>& partitions, std::size_t load, Phase phase, Round round,
                  const Serve& serve) {
        const auto serve_timed = [&](Partition& partition) {
            clock_.timed(phase, round, partition.index(), [&] { serve(partition); });
        };
        if (options_.order != nullptr) {
            std::vector<Partition*> in_order = partitions;
            rearrange(in_order, *options_.order);
            for (Partition* partition : in_order) serve_timed(*partition);
        } else if (!parallel_ || partitions.size() == 1 || !worth_threads(load)) {
            for (Partition* partition : partitions) serve_timed(*partition);
        } else {
            shared_ = true;
            for_index(partitions.size(), [&](std::size_t i) { serve_timed(*partitions[i]); });
        }
    }

    /// Calls body(i) for 0 <= i < count, a task each.
    template <class Body>
    void for_index(std::size_t count, const Body& body) {
        if (parallel_ && count > 1)
            tbb::parallel_for(std::size_t{0}, count, body, tbb::simple_partitioner());
        else
            for (std::size_t i = 0; i < count; ++i) body(i);
    }

    /// Phase 1.
    void run_programs(Round round, RoundNews& news) {
        if (!small_.has_run())
            for_each(busy_, load_, Phase::programs, round, [&](Partition& partition) {
                if (!abandoned()) partition.run(round);
            });
        stopped_ = abandoned();
        news.busy = true;
        const Partition* failed = nullptr;
        for (Partition* partition : busy_) {
            news.touched |= bit(partition->index());
            for (const unsigned to : partition->touched()) news.touched |= bit(to);
            news.sent += partition->posted();
            sent_here_ += partition->posted();
            news.sends_unheld |= partition->sends_unheld();
            if (partition->error() && (failed == nullptr || partition->error_node() < failed->error_node()))
                failed = partition;
            tell_breaches(*partition);
            set_alarm(*partition);
        }
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
    [[nodiscard]] bool goes_to_all() const { return goes_to_all_always() || arbiter_.anything_waits(); }
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
    void move(Round round, RoundNews news) {
        const std::uint64_t sent = news.sent;
        bool contended = news.contends || world_->wormhole || job_.machine.is_exclusive() || arbiter_.anything_waits();
        std::atomic<bool> too_many = false;
        const bool ports_may_not_suffice =
            job_.machine.duplex == Duplex::half || world_->limit < world_->topology.max_degree();
        const bool count = !contended && ports_may_not_suffice;
        for_each(touched_, sent, Phase::collect, round, [&](Partition& partition) {
            partition.collect(busy_, ranks_.alone() ? nullptr : &mail_);
            if (count && partition.count_claims(round))
                too_many.store(true, std::memory_order_relaxed);  // the barrier orders it
        });
        contended = contended || (count && anybody_contends(round, news, too_many.load(std::memory_order_relaxed)));
        if (!runs_alone_ || ranks_.alone()) tell_silence();
        keep_sent_bytes(news.sends_unheld, contended);
        for (Partition* partition : busy_) partition->hand_over_mail();
        mail_.hand_over();
        if (contended) {
            clock_.timed(Phase::arbitrate, round, 0, [&] { arbiter_.serve(round, partitions_, mail_); });
        } else {
            if (world_->rounds.wants_transfers()) show_moved(round, sent);
            const auto accept = [&](const auto& serve) { for_each(touched_, sent, Phase::accept, round, serve); };
            if (world_->bundles) {
                accept([&](Partition& partition) { partition.accept_sent(round); });
                accept([&](Partition& partition) { partition.accept_received(round); });
            } else {
                // Of what comes to a node in one round the lowest sender's bytes are taken; if nobody breaks a rule all are the same.
                accept([&](Partition& partition) {
                    if (news.sends_unheld) partition.put_in_order();
                    partition.accept(round);
                });
            }
            if (!ranks_.alone()) {
                for (Partition* partition : busy_)
                    partition->discard_sent([this](unsigned index) { return ranks_.owns(index); });
                mail_.discard(partitions_, false);
            }
        }
        for (Partition* partition : busy_) partition->clear_mail();
        mail_.clear();
        if (!arbiter_.anything_waits()) {
            world_->sent_bytes.clear();
            world_->keeps_own_bytes = false;
        }
    }

    /// What a node sends that does not hold it is what it has at that time, whenever it moves and whoever is served first.
    /// So is what has come from other ranks, where messages do not move as they stand in the letters.
    void keep_sent_bytes(bool unheld, bool contended) {
        if (unheld && world_->packets_by_number) {
            for (Partition* partition : busy_) partition->put_packets_in_bodies();
            world_->packets_by_number = false;
            sent_unheld_ = true;
        }
        world_->keeps_own_bytes |= unheld;
        if (!world_->memory.holds_bytes() || !(world_->keeps_own_bytes || contended)) return;
        const std::uint64_t packet_bytes = job_.collective.packet_bytes;
        for (const RankMail::Batch& batch : mail_.batches())
            for (std::size_t i = 0; i < batch.bytes.size() / packet_bytes; ++i)
                world_->sent_bytes.put(batch.messages[i].from, batch.messages[i].to,
                                       batch.bytes.subspan(i * packet_bytes, packet_bytes));
        if (!world_->keeps_own_bytes) return;
        for (const Partition* partition : busy_)
            partition->for_each_posted([&](const Message& message) {
                world_->sent_bytes.put(message.from, message.to, {world_->memory.at(message.from), packet_bytes});
            });
    }

    /// Whether some rank has found that claims compete; every rank then has the claims of all.
    bool anybody_contends(Round round, const RoundNews& news, bool here) {
        if (ranks_.alone()) return here;
        if (runs_alone_) {
            if (here) tell_of_competition(round, news);
            return here;
        }
        bool contended = here;
        clock_.timed(Phase::exchange, round, 0, [&] {
            contended = ranks_.together(AtAny{here}).holds;
            if (!contended || goes_to_all()) return;
            mail_.discard(partitions_, true);
            mail_.clear();
            (void)mail_.exchange(busy_, {}, true, partitions_);
        });
        return contended;
    }

    /// What this rank runs alone concerns all, for every rank arbitrates.
    void tell_of_competition(Round round, RoundNews news) {
        runs_alone_ = false;
        news.contends = true;
        (void)news_of_all(round, std::move(news));
    }

    void show_moved(Round round, std::uint64_t sent) {
        std::vector<Message> messages;
        messages.reserve(sent);
        for (const Partition* partition : busy_)
            partition->for_each_posted([&](const Message& message) { messages.push_back(message); });
        for (const RankMail::Batch& batch : mail_.batches())
            messages.insert(messages.end(), batch.messages.begin(), batch.messages.end());
        std::sort(messages.begin(), messages.end(), [](const Message& a, const Message& b) {
            return std::tuple(a.from, a.out) < std::tuple(b.from, b.out);
        });
        std::vector<FewBlocks> few(messages.size());
        std::vector<Transfer> transfers(messages.size());
        for (std::size_t i = 0; i < messages.size(); ++i)
            transfers[i] = partitions_.front()->transfer_of(messages[i], few[i]);
        world_->rounds.moved(round, transfers);
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
        for (const unsigned index : arbiter_.waiting_partitions()) touched |= bit(index);
        return touched;
    }

    void compare_payload() {
        if (stopped_ || !world_->holds_bytes()) return;
        verify_payload(
            world_->topology.nodes(), world_->auditor,
            [&](NodeId v) {
                if (!ranks_.share().contains(v)) return PayloadCheck{};
                return world_->check_payload(v, world_->auditor, world_->has_started(v));
            },
            [&](std::size_t count, const auto& body) { for_index(count, body); });
        if (options_.keep != nullptr) world_->keep(*options_.keep, world_->auditor);
    }

    [[nodiscard]] std::vector<ShownResult> results_here() {
        const auto verified = [&](const auto& results) {
            return verify_results(*world_->folder, job_.collective, world_->topology.nodes(), results, world_->auditor,
                                  options_.results_max, ranks_.share());
        };
        const bool are_elements = world_->exchange && world_->exchange->exchange != nullptr;
        return are_elements ? verified(world_->exchange->results()) : verified(world_->results);
    }
    /// The results that RunResult shows, of all ranks.
    std::vector<std::string> verified_results() {
        std::vector<ShownResult> shown;
        for (std::vector<ShownResult>& theirs : ranks_.everyones(results_here()))
            std::ranges::move(theirs, std::back_inserter(shown));
        return texts_of(std::move(shown));
    }

    /// Programs that still wait when nothing moves any more wait for ever.
    void report_waiting() {
        if (stopped_) return;
        for (const auto& partition : partitions_) partition->tell_waiting(world_->auditor);
    }

    void hand_over_asked() {
        if (options_.asked == nullptr) return;
        options_.asked->clear();
        for (const auto& partition : partitions_)
            options_.asked->insert(options_.asked->end(), partition->asked().begin(), partition->asked().end());
    }

    /// Of all ranks, one after the other.
    void gather_phases() {
        if (options_.phases == nullptr) return;
        for (PhaseTime& time : *options_.phases) time.rank = ranks_.rank();
        std::vector<std::vector<PhaseTime>> all = ranks_.everyones(std::move(*options_.phases));
        options_.phases->clear();
        for (const std::vector<PhaseTime>& times : all)
            options_.phases->insert(options_.phases->end(), times.begin(), times.end());
    }

    void tear_down() {
        mail_.tear_down(partitions_);
        small_.discard();
        arbiter_.discard(partitions_);
        for_index(partitions_.size(), [&](std::size_t i) { partitions_[i]->tear_down(); });
        partitions_.clear();
        world_.reset();
    }

    const Job& job_;
    const RunOptions& options_;
    Progress progress_;
    std::unique_ptr<Recorder> recorder_;
    PhaseClock clock_;
    std::unique_ptr<World> world_;
    AllRanks ranks_;
    RankMail mail_;
    Arbiter arbiter_;
    Partition::Partitions partitions_;
    SmallRounds small_;
    bool parallel_;
    std::uint64_t sent_here_ = 0;  ///< messages of the nodes of this rank
    bool sent_unheld_ = false;     ///< of several packets, at any rank: World::packets_by_number has ended
    bool shared_ = false;          ///< some round had enough to do for all threads
    std::vector<Partition*> busy_;
    std::vector<Partition*> touched_;
    std::vector<unsigned> touched_indices_;
    std::set<std::pair<Round, unsigned>> alarms_;  ///< for which nodes wait, with their partition
    std::vector<Silence> silent_;  ///< rounds since the last one with a message that programs let pass on purpose
    std::size_t load_ = 0;
    std::optional<unsigned> solo_;  ///< the rank that alone has something to do next, before round solo_end_
    Round solo_end_ = 0;
    bool others_may_wait_ = false;  ///< till then, for a later round
    bool runs_alone_ = true;        ///< no other rank takes part in this round
    PastRounds past_;               ///< of which the other ranks have not heard
    std::vector<PastRounds> told_;  ///< of which all have heard, and which are not closed here
    bool stopped_ = false;
    bool out_of_rounds_ = false;
};

}  // namespace

RunResult run_lockstep(const Job& job, const RunOptions& options) {
    const Clock::time_point start = Clock::now();
    std::optional<RunResult> whole = Lockstep(job, options, true).run();
    if (!whole) whole = Lockstep(job, options, false).run();
    RunResult result = *std::move(whole);
    result.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return result;
}

}  // namespace kport
