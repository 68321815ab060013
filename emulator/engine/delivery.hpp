/// @file delivery.hpp   The second half of a round: what its programs have sent moves.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/engine/arbiter.hpp"
#include "emulator/engine/crew.hpp"
#include "emulator/engine/rank_mail.hpp"

namespace kport {

/// Phases 2 and 3 of a round (docs/execution.md). Of several ranks each moves what is sent to its nodes or by them.
///
/// Callers   one task, between the phases of the partitions.
/// Cost      grows with the messages; those of all ranks, where claims compete or transfers are recorded.
class Delivery {
  public:
    /// All outlive it.
    Delivery(World& world, AllRanks& ranks, RankMail& mail, Partition::Partitions& partitions, Crew& crew)
        : world_(world), ranks_(ranks), mail_(mail), partitions_(partitions), crew_(crew), arbiter_(world, ranks) {}

    /// The partitions whose nodes have sent, and those to which anything may come, of this rank.
    struct Places {
        const std::vector<Partition*>& busy;
        const std::vector<Partition*>& touched;
    };

    /// Claims that lost in earlier rounds.
    [[nodiscard]] const Arbiter& arbiter() const { return arbiter_; }
    /// Whether claims compete in every round, for all that is known before it.
    [[nodiscard]] bool is_arbitrated() const {
        return world_.wormhole || world_.job.machine.is_exclusive() || arbiter_.anything_waits();
    }
    /// Takes in the round's messages. `count`: returns whether some node of this rank is sent more than its ports take.
    [[nodiscard]] bool collect(Round round, const RoundNews& news, const Places& places, bool count);
    /// They move and are audited; `compete`: as far as the arbiter grants it. All ranks know whether claims compete at one.
    void move(Round round, const RoundNews& news, const Places& places, bool compete);

    void tear_down();

  private:
    void keep_sent_bytes(bool unheld, const Places& places, bool compete);
    void accept(Round round, const RoundNews& news, const Places& places);
    void show_moved(Round round, const RoundNews& news, const Places& places);

    World& world_;
    AllRanks& ranks_;
    RankMail& mail_;
    Partition::Partitions& partitions_;
    Crew& crew_;
    Arbiter arbiter_;
};

}  // namespace kport
