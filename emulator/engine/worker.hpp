/// @file worker.hpp   One thread of a free run.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "emulator/engine/free_node.hpp"
#include "emulator/engine/runner.hpp"
#include "emulator/engine/traffic.hpp"
#include "emulator/payload/inbox.hpp"

namespace kport {

using FreeInbox = Inbox<NodeAccess::Letter>;

/// What the workers share.
struct FreeWorld : Stage {
    FreeWorld(const Job& the_job, const RunOptions& options);

    /// FreeNode::acts_from of a node; `starts`: the job starts it.
    [[nodiscard]] Round acts_from(NodeId v, bool starts) const {
        if (starts) return starts_in.empty() ? 0 : starts_in[v];
        return job.others_receive && !job.all_start ? ~Round{0} : 0;
    }

    /// Whether the run stops. Callers: any thread, often: memory that is touched for the first time may make a
    /// message take as long as thousands of others.
    [[nodiscard]] bool stops() {
        if (asked != nullptr && asked->load(std::memory_order_relaxed)) stop.store(true, std::memory_order_relaxed);
        return stop.load(std::memory_order_relaxed);
    }

    HugeArray<FreeInbox> inboxes;
    std::vector<Round> starts_in;  ///< by node, of starters that are to wait (Job::starters_wait_until); empty: none is
    const std::atomic<bool>* asked;
    const bool waits_its_turn;  ///< every woken node is spawned, none goes on at once
    std::atomic<bool> stop = false;
    std::atomic<NeedsRounds> needs_rounds = NeedsRounds::no;
    std::atomic<bool> out_of_rounds = false;  ///< a node has come to max_rounds, and goes no further
    std::function<void(NodeId)> spawn;        ///< puts a node on the list of this thread, of which others may take
    std::function<void()> show;               ///< reports progress; called often, by any thread
};

/// Runs nodes, each until it waits for mail that is not there, and what that wakes.
///
/// Callers   one task at a time; sent(), reached(), latest() anyone.
class alignas(64) Worker final : public Runner {
  public:
    explicit Worker(FreeWorld& world) : Runner(world, true), world_(world) {}

    /// Runs a node that is awake, then those that it wakes and no other thread has taken. Of several woken nodes
    /// the first goes on here, on warm memory, and the others wait their turn.
    void run(NodeId v);

    [[nodiscard]] std::span<const SendRequest> start(Node& node, std::span<const SendRequest> sends,
                                                     bool together) override;

    /// Takes in what lies in the inbox of a node that has ended. When nothing runs any more. True if there is mail to a node
    /// that was never run or woken.
    [[nodiscard]] bool take_in_left_over(NodeId v);
    /// Ends what lies in the inbox of a node.
    void discard_left_over(NodeId v);
    /// Keeps the bytes of what a node has not received that has not ended. When nothing runs any more, and once.
    void keep_bytes_left(NodeId v);
    /// Ends the program of a node that has not. When nothing runs any more.
    void end_by_force(NodeId v);
    /// Gives back what a node holds. When its program is over.
    void forget(NodeId v);
    /// Of a node that has not ended, what it waits for in vain.
    void tell_waiting(NodeId v, Auditor& auditor) const;
    /// The breach of a node that mail has come to and that was never run.
    [[nodiscard]] Violation overlooked(NodeId v) const;

    [[nodiscard]] const Traffic& traffic() const { return traffic_; }
    /// Messages sent so far.
    [[nodiscard]] std::uint64_t sent() const { return sent_.load(std::memory_order_relaxed); }
    /// Nodes that have received something.
    [[nodiscard]] std::uint64_t reached() const { return reached_.load(std::memory_order_relaxed); }
    /// The latest round of a message.
    [[nodiscard]] Round latest() const { return latest_.load(std::memory_order_relaxed); }
    /// Letters put into inboxes less letters taken out; nodes made less nodes ended. Sums over all workers count.
    [[nodiscard]] std::int64_t letters_left() const { return letters_left_; }
    [[nodiscard]] std::int64_t nodes_left() const { return nodes_left_; }

    /// Forgets the last run, keeping the memory.
    void restart();

  private:
    void run_node(NodeId v);
    [[nodiscard]] FreeNode& make_node(NodeId v);
    /// True if what the node waits for is there; else it sleeps, or is not run any more (the run was stopped, or it has come to
    /// max_rounds).
    [[nodiscard]] bool goes_on(FreeNode& node);
    [[nodiscard]] bool take_in(FreeNode& node);
    void take_in(FreeNode& node, NodeAccess::Letter* letter);
    /// The bytes of a message become the node's: when its program receives it, or at its end.
    void keep_bytes(NodeId v, const Arrival& arrival);
    void keep_letters(NodeId v);
    void take_value(NodeId v, Arrival& arrival);
    void received(Node& node, const Arrival& arrival) override;
    void end(FreeNode& node);
    void remove(FreeNode& node);
    /// The node at hand has come to max_rounds: that is told.
    [[nodiscard]] bool is_out_of_rounds();
    void let_pass();
    /// At least one round, and those before the given one as far as there are rounds.
    void let_pass_on_purpose(Round until);
    /// Stops the run if the node's letters depend on the timing of their senders.
    void note_order(FreeNode& node);
    void stop_as(NeedsRounds why);
    /// The node at hand acts: if it was to wait first, the run needs rounds.
    void judge_acting(const FreeNode& node) {
        if (round_ < node.acts_from) [[unlikely]]
            stop_as(NeedsRounds::starts);
    }
    /// The node at hand waits: it acts if it has asked which round it is, or waits for one before that it was to wait for.
    void judge_waiting(const FreeNode& node);
    [[nodiscard]] FreeNode& node_at(NodeId v) const { return static_cast<FreeNode&>(*world_.slots[v].node()); }

    [[nodiscard]] bool emit(FreeNode& node, const SendRequest& request);
    void post(FreeNode& node, const SendRequest& request, LinkEnd end, std::span<const Port> route);
    [[nodiscard]] Arrival arrival_of(FreeNode& node, const Cargo& cargo, Port in);
    [[nodiscard]] std::uint64_t bytes_of(const Arrival& arrival) const;
    void wake(NodeId v);
    void told_result(NodeId v, Body& result) override;
    void told_breach(const Node& node) override;

    FreeWorld& world_;
    Traffic traffic_;
    NodeId next_ = no_node;  ///< woken, and to be run here
    std::vector<Port> route_;
    std::uint64_t unshown_ = 0;
    std::int64_t letters_left_ = 0;
    std::int64_t nodes_left_ = 0;
    std::atomic<std::uint64_t> sent_ = 0;
    std::atomic<std::uint64_t> reached_ = 0;
    std::atomic<Round> latest_ = 0;
};

}  // namespace kport
