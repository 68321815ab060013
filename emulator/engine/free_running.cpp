#include "emulator/engine/free_running.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>

#include "emulator/base/error.hpp"
#include "emulator/engine/payload.hpp"
#include "emulator/engine/results.hpp"
#include "emulator/engine/script.hpp"
#include "emulator/engine/sharing.hpp"
#include "emulator/engine/worker.hpp"

namespace kport {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Where senders are told apart (engine/free_node.hpp).
constexpr NodeId nodes_max = NodeId{1} << 27;

const Job& checked_size(const Job& job) {
    const Topology& topology = *job.machine.topology;
    if (topology.nodes() > nodes_max)
        throw DoesNotFit(fmt::format("{} has {} nodes; the free-running engine holds at most {}", topology.spec(),
                                     topology.nodes(), nodes_max));
    return job;
}

}  // namespace

class FreeRunning::Engine {
  public:
    Engine(const Job& job, const RunOptions& options)
        : options_(on_one_thread_if_in_order(options)), world_(checked_size(checked(job, options)), options),
          progress_(options.progress), sharing_(options_.threads), arena_(arena_for(options_.threads)),
          ready_(options_.threads) {
        for (unsigned i = 0; i < options_.threads; ++i) workers_.push_back(std::make_unique<Worker>(world_));
        world_.show = [this] { show(); };
        if (options_.threads > 1) control_.emplace(tbb::global_control::max_allowed_parallelism, options_.threads);
    }
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    ~Engine() { clear(); }

    std::optional<RunResult> run() {
        require_outside_programs();
        const Clock::time_point start = Clock::now();
        if (std::exchange(used_, true)) restart();
        for (const NodeId v : world_.job.starters)
            if (!world_.job.all_start) world_.slots[v].set(Slot::State::starting);

        world_.make_owned(workers_.front()->pool());

        RunResult result;
        result.engine = EngineKind::free;
        result.threads = on_one_thread() ? 1 : options_.threads;
        result.executions = executions(result.threads);
        const Clock::time_point moving = Clock::now();
        move_watched();
        result.moving_seconds = seconds_since(moving);
        sharing_.took(result.moving_seconds);
        if (progress_error_) std::rethrow_exception(std::exchange(progress_error_, nullptr));
        result.out_of_rounds = world_.out_of_rounds;
        result.stopped = (world_.stop || world_.out_of_rounds) && needs_rounds() == NeedsRounds::no;
        take_in_left_over();
        for_each_waiting([&](NodeId v) { workers_.front()->keep_bytes_left(v); });
        if (needs_rounds() != NeedsRounds::no) return std::nullopt;
        Schedule recorded;
        arena_.execute([&] { judge(result, options_.recorded_schedule == nullptr ? nullptr : &recorded); });
        if (needs_rounds() != NeedsRounds::no) return std::nullopt;
        // Of a packet that came twice it is not known which one a node sent on.
        if (world_.store && !(result.verdict.kept(Rule::nodup) && result.verdict.kept(Rule::noho))) {
            world_.needs_rounds = NeedsRounds::order;
            return std::nullopt;
        }
        if (options_.recorded_schedule != nullptr) *options_.recorded_schedule = std::move(recorded);
        result.wall_seconds = seconds_since(start);
        return result;
    }

    [[nodiscard]] NeedsRounds needs_rounds() const { return world_.needs_rounds; }

  private:
    /// Woken nodes that a thread is to run.
    struct alignas(64) Ready {
        std::vector<NodeId> nodes;
    };
    /// A thread that runs nodes.
    class Busy {
      public:
        explicit Busy(std::atomic<unsigned>& threads) : threads_(threads) { ++threads_; }
        Busy(const Busy&) = delete;
        Busy& operator=(const Busy&) = delete;
        ~Busy() { --threads_; }

      private:
        std::atomic<unsigned>& threads_;
    };

    static RunOptions on_one_thread_if_in_order(RunOptions options) {
        if (options.order != nullptr || options.threads == 0) options.threads = 1;
        return options;
    }

    [[nodiscard]] Executions executions(unsigned threads) const {
        Executions all{Execution::free_running,
                       follows_schedule(world_.job) ? Execution::scripts : Execution::programs};
        all.add(Execution::order, options_.order != nullptr);
        all.add(Execution::threads, threads > 1);
        return all;
    }

    [[nodiscard]] bool on_one_thread() const { return sharing_.on_one_thread(); }

    /// Nodes that one task starts: fewer cost more to share out than to start, unless each has much to copy.
    [[nodiscard]] NodeId starts_a_task() const {
        constexpr NodeId starts = 64;
        constexpr std::uint64_t bytes_as_a_start = 1024;
        const Collective& collective = world_.job.collective;
        const std::uint64_t packets = collective.owned(world_.topology.nodes() - 1, world_.topology.nodes()).size();
        const std::uint64_t bytes = world_.holds_bytes() || world_.folder ? packets * collective.packet_bytes : 0;
        return std::max<NodeId>(starts / (1 + bytes / bytes_as_a_start), 1);
    }

    // ------------------------------------------------------------------------------------------------------- moving

    void move_watched() {
        if (!options_.computing) return move();
        std::vector<const AtWork*> runners;
        for (const auto& worker : workers_) runners.push_back(&worker->at_work());
        Watch watch(options_.computing, options_.computing_after, options_.stop, std::move(runners));
        move();
        watch.end();
    }

    void move() {
        group_ = nullptr;  // of a run that has thrown
        if (on_one_thread()) {
            world_.spawn = [this](NodeId v) { ready_here().push_back(v); };
            start_nodes();
            run_ready();
        } else {
            arena_.execute([this] {
                tbb::task_group group;
                group_ = &group;
                world_.spawn = [this](NodeId v) {
                    ready_here().push_back(v);
                    share_ready();
                };
                start_nodes();
                group.wait();
                group_ = nullptr;
            });
        }
    }

    void start_nodes() {
        const Job& job = world_.job;
        if (!job.all_start) {
            const Busy here(busy_);
            for (const NodeId v : job.starters) begin(v);
        } else if (on_one_thread()) {
            for (NodeId v = 0; v < world_.topology.nodes(); ++v) begin(v);
        } else {
            tbb::parallel_for(tbb::blocked_range<NodeId>(0, world_.topology.nodes(), starts_a_task()),
                              [this](const tbb::blocked_range<NodeId>& range) {
                                  const Busy here(busy_);
                                  for (NodeId v = range.begin(); v < range.end(); ++v) begin(v);
                              });
        }
    }

    /// Starts a node, unless mail has done so already.
    void begin(NodeId v) {
        if (!world_.inboxes[v].wake()) return;
        ready_here().push_back(v);
        if (options_.order == nullptr) run_ready();
    }

    /// Runs the nodes that wait for the thread at hand.
    void run_ready() {
        Worker& worker = *workers_[worker_index()];
        std::vector<NodeId>& ready = ready_here();
        while (!ready.empty()) {
            if (options_.order != nullptr) std::swap(ready.back(), ready[options_.order->next(ready.size())]);
            const NodeId next = ready.back();
            ready.pop_back();
            share_ready();
            worker.run(next);
        }
    }

    /// Gives the half of them that has waited longest to a thread that has nothing to do. A task for each node would cost more than most
    /// nodes do.
    void share_ready() {
        std::vector<NodeId>& ready = ready_here();
        if (group_ == nullptr || ready.empty() || busy_.load(std::memory_order_relaxed) >= options_.threads) return;
        const auto half = ready.begin() + static_cast<std::ptrdiff_t>((ready.size() + 1) / 2);
        group_->run([this, given = std::vector<NodeId>(ready.begin(), half)] {
            const Busy here(busy_);
            ready_here().insert(ready_here().end(), given.begin(), given.end());
            run_ready();
        });
        ready.erase(ready.begin(), half);
    }

    [[nodiscard]] std::vector<NodeId>& ready_here() { return ready_[worker_index()].nodes; }

    [[nodiscard]] std::size_t worker_index() const {
        return on_one_thread() ? 0 : static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
    }

    // ------------------------------------------------------------------------------------------------ when it is over

    [[nodiscard]] bool letters_are_left() const {
        std::int64_t letters = 0;
        for (const auto& worker : workers_) letters += worker->letters_left();
        return letters > 0;
    }

    void take_in_left_over() {
        overlooked_.clear();
        if (!letters_are_left()) return;
        for (NodeId v = 0; v < world_.topology.nodes(); ++v)
            if (workers_.front()->take_in_left_over(v)) overlooked_.push_back(v);
    }

    void rethrow_error() const {
        const Worker* first = nullptr;
        for (const auto& worker : workers_)
            if (worker->error() && (first == nullptr || std::pair(worker->error_round(), worker->error_node()) <
                                                            std::pair(first->error_round(), first->error_node())))
                first = worker.get();
        if (first != nullptr) rethrow_as_program_error(first->error(), first->error_node(), first->error_round());
    }

    void judge(RunResult& result, Schedule* record) {
        Judgement judgement(world_.topology.nodes(), options_.threads);
        Auditor auditor(world_.job.machine, world_.judged, judgement.shards(), options_.per_round,
                        options_.violations_max);
        RoundSink rounds(world_.job.machine, auditor);
        std::optional<Recorder> recorder;
        if (record != nullptr) rounds.add(recorder.emplace(*record));
        for (const auto& worker : workers_) judgement.add(worker->traffic());
        judgement.judge(auditor, rounds);
        if (auditor.claims_competed()) {
            world_.needs_rounds = NeedsRounds::claims;
            return;
        }
        rethrow_error();  // a node that waits where claims compete may fail elsewhere, or not at all
        for (const auto& worker : workers_)
            for (const Violation& breach : worker->breaches()) auditor.report(breach);
        for (const auto& worker : workers_) auditor.compared(worker->compared().messages, worker->compared().bytes);
        if (!result.stopped) {  // else messages may still be missing
            verify(auditor);
            if (world_.folder) verify_folds(result, auditor);
            for_each_waiting([&](NodeId v) { workers_.front()->tell_waiting(v, auditor); });
            for (const NodeId v : overlooked_) auditor.report_at_end(workers_.front()->overlooked(v));
        }
        result.verdict = result.stopped ? auditor.finish_stopped() : auditor.finish();
    }

    void verify_folds(RunResult& result, Auditor& auditor) {
        AgreementBook book(*world_.folder, world_.job.collective, world_.topology.nodes());
        result.results = texts_of(verify_results(*world_.folder, world_.job.collective, world_.topology.nodes(),
                                                 world_.results, auditor, options_.results_max, {}, &book));
        if (world_.folder->payload()) result.agreement = book.agreement();
    }

    void verify(Auditor& auditor) {
        if (!world_.holds_bytes()) return;
        verify_payload(
            world_.topology.nodes(), auditor, world_.job.collective.packet_bytes,
            [&](NodeId v) { return world_.has_right_packet(v, world_.slots[v].holds_bytes(), auditor); },
            [&](NodeId v) { return world_.check_payload(v, world_.slots[v].holds_bytes(), auditor); },
            [](std::size_t count, const auto& body) { tbb::parallel_for(std::size_t{0}, count, body); });
        if (options_.keep != nullptr) world_.keep(*options_.keep, auditor);
    }

    /// Calls visit(v) for each node that has not ended.
    template <class Visit>
    void for_each_waiting(Visit&& visit) const {
        std::int64_t waiting = 0;
        for (const auto& worker : workers_) waiting += worker->nodes_left();
        for (NodeId v = 0; v < world_.topology.nodes() && waiting > 0; ++v)
            if (world_.slots[v].node() != nullptr) {
                visit(v);
                --waiting;
            }
    }

    // -------------------------------------------------------------------------------------------------- again, and end

    /// Asks for no memory: there may be none.
    void clear() {
        if (letters_are_left())
            for (NodeId v = 0; v < world_.topology.nodes(); ++v) workers_.front()->discard_left_over(v);
        for_each_waiting([&](NodeId v) { workers_.front()->end_by_force(v); });
        if (world_.store || world_.folder)
            for (NodeId v = 0; v < world_.topology.nodes(); ++v) workers_.front()->forget(v);
        for (const auto& worker : workers_) worker->restart();
    }

    void restart() {
        clear();
        Stage& stage = world_;
        stage.restart();
        for (NodeId v = 0; v < world_.topology.nodes(); ++v) world_.inboxes[v].restart();
        world_.stop = false;
        world_.needs_rounds = NeedsRounds::no;
        world_.out_of_rounds = false;
    }

    void show() {
        const std::unique_lock lock(showing_, std::try_to_lock);
        if (!lock) return;
        Metrics metrics;
        std::uint64_t reached = 0;
        for (const auto& worker : workers_) {
            metrics.rounds = std::max<std::uint64_t>(metrics.rounds, worker->latest());
            metrics.transfers += worker->sent();
            reached += worker->reached();
        }
        try {
            progress_.show(metrics, reached);
        } catch (...) {  // a worker is at a node's send, and the node has not thrown it
            progress_error_ = std::current_exception();
            world_.stop = true;
        }
    }

    RunOptions options_;
    FreeWorld world_;
    Progress progress_;
    Sharing sharing_;
    std::mutex showing_;
    std::exception_ptr progress_error_;  ///< of the caller's progress function
    // Without the control a machine with fewer cores would quietly run on fewer threads than were asked for.
    std::optional<tbb::global_control> control_;
    tbb::task_arena arena_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<Ready> ready_;          ///< by thread
    std::atomic<unsigned> busy_ = 0;    ///< threads that run nodes
    tbb::task_group* group_ = nullptr;  ///< of several threads, while they move
    std::vector<NodeId> overlooked_;    ///< nodes that have mail and were never run: the engine has lost a wake-up
    bool used_ = false;
};

FreeRunning::FreeRunning(const Job& job, const RunOptions& options) : engine_(std::make_unique<Engine>(job, options)) {}
FreeRunning::~FreeRunning() = default;

std::optional<RunResult> FreeRunning::run() { return engine_->run(); }
NeedsRounds FreeRunning::needs_rounds() const { return engine_->needs_rounds(); }

}  // namespace kport
