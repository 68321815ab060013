/// @file small_rounds.hpp   Rounds in which few messages move.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/engine/few_cursors.hpp"
#include "emulator/engine/node_marks.hpp"
#include "emulator/engine/partition.hpp"
#include "emulator/engine/past_rounds.hpp"
#include "emulator/engine/world.hpp"

namespace kport {

/// Runs round after round while few messages move in each: on deep and narrow machines, such as a line, that is the whole run. A
/// large round costs some hundred steps besides its messages: lists of partitions, mailboxes, phases. Here the messages
/// stand in one list, and what runs, what is audited and what is delivered is the same.
///
/// The engine goes on by itself where more has to be done: where claims compete, programs fail or let rounds
/// pass, or nothing moves.
///
/// Callers   one task, between the rounds of the engine.
class SmallRounds {
  public:
    /// All outlive it. Where phases, transfers or the order of nodes are observed, no round is small. `past`: of several ranks,
    /// to which such rounds are added; null: there is one, and they are closed.
    SmallRounds(World& world, const Partition::Partitions& partitions, const RunOptions& options, PastRounds* past);

    /// Runs rounds from `round` on, all before `alarm`, for which some node waits. Of several ranks this one runs them alone; a
    /// round of which a message goes to another rank is not small. Returns the first that is not over: nothing
    /// of it has happened, or has_run().
    /// `touched`: the partitions with which the last round had to do, a bit each.
    [[nodiscard]] Round run(Round round, std::uint64_t alarm, std::uint64_t& touched);
    /// Whether the programs of the round that run() returned have run. Then what they sent is in the mailboxes, and the
    /// engine does the rest.
    [[nodiscard]] bool has_run() const { return has_run_; }
    /// Those that ran last.
    [[nodiscard]] const std::vector<Partition*>& busy() const { return busy_; }
    /// Messages of all small rounds.
    [[nodiscard]] std::uint64_t moved() const { return moved_; }
    /// Releases messages that were not taken in.
    void discard();

  private:
    void run_cursors(Round& round, std::uint64_t alarm, std::uint64_t& touched);
    [[nodiscard]] bool is_to_stop(Round round) const;
    [[nodiscard]] bool is_small(Round round, std::uint64_t touched);
    [[nodiscard]] bool is_plain(Round round);
    [[nodiscard]] bool claims_compete(Round round) {
        if (!claims_may_compete_ || world_.few.all().size() < world_.fewest_that_compete()) return false;
        if (!world_.has_one_port()) return compete(round);
        return receivers_.has_twice([this](auto&& visit) {
            for (const Message& message : world_.few.all()) visit(message.to);
        });
    }
    [[nodiscard]] bool compete(Round round) const;
    [[nodiscard]] bool concerns_others() const;
    void put_into_mailboxes();
    void move(Round round, std::uint64_t& touched);
    void close(Round round, std::uint64_t shown);

    World& world_;
    const Partition::Partitions& partitions_;
    PastRounds* past_;
    const std::atomic<bool>* stop_;
    bool may_be_small_;
    bool half_;
    bool claims_may_compete_;
    std::size_t nodes_most_;  ///< so many nodes send few messages
    Round last_;              ///< of the run
    bool has_run_ = false;
    std::uint64_t moved_ = 0;
    NodeMarks receivers_;  ///< with one port
    FewCursors cursors_;
    std::vector<Partition*> busy_;
    std::array<unsigned, 64> indices_;  ///< of the partitions with which the round has to do
};

}  // namespace kport
