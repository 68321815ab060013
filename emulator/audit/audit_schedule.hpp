/// @file audit_schedule.hpp   Legality, delivery and cost of a schedule, judged without a run.
#pragma once

#include <cstddef>

#include "emulator/audit/auditor.hpp"
#include "emulator/audit/round_sink.hpp"
#include "emulator/base/huge_vector.hpp"
#include "emulator/schedule/schedule.hpp"

namespace KPORT_PUBLIC kport {

/// Throws RequestError for an invalid schedule of the operation on this topology: require_well_formed(), packets that
/// the operation does not have, that occur twice in a transfer or beside the result of a reduction, a source outside;
/// and DoesNotFit for 2^32 nodes or more.
void require_readable(const Schedule& schedule, const Machine& machine, const Collective& collective);

/// Judges a schedule by every rule of model.md section 1, and measures its cost. A round without a transfer is a
/// violation unless the schedule says that a program waits in it (Schedule::add_silent). The order of the transfers
/// within a round has no effect. For reductions, reports which nodes could give a result; only a replay knows which
/// values were combined. Lists at most `violations_max` violations and counts all.
///
/// Errors   as require_readable(). Broken rules are in the verdict.
[[nodiscard]] Verdict audit(const Schedule& schedule, const Machine& machine, const Collective& collective,
                            bool per_round, std::size_t violations_max = ViolationLog::listed_max);

/// audit() in steps, for callers that add listeners or stop early (engine/replay.hpp).
///
///     ScheduleAudit rounds(schedule, machine, collective, per_round);
///     while (rounds.next())
///         ... as long as that is wanted ...
///     const Verdict verdict = rounds.finish();
class ScheduleAudit {
  public:
    /// Throws as audit() does. The schedule must outlive the audit.
    ScheduleAudit(const Schedule& schedule, const Machine& machine, const Collective& collective, bool per_round,
                  std::size_t violations_max = ViolationLog::listed_max);

    /// Judges the next round that has transfers. Returns false if there is none.
    bool next();
    /// The round that next() will judge; 0 if there is none.
    [[nodiscard]] Round next_round() const { return next_ == schedule_.size() ? 0 : schedule_.round(next_); }
    /// Adds a listener, which sees each later round before it is closed.
    void add(RoundListener& listener) { rounds_.add(listener); }
    /// The auditor, for findings of a replay: payload that differs, results. It has one shard, number 0.
    [[nodiscard]] Auditor& auditor() { return auditor_; }
    [[nodiscard]] Verdict finish() { return auditor_.finish(); }
    [[nodiscard]] Verdict finish_stopped() { return auditor_.finish_stopped(); }

  private:
    [[nodiscard]] bool is_between_hosts(Round round, const Transfer& transfer);

    const Schedule& schedule_;
    NodeId hosts_;
    Auditor auditor_;
    RoundSink rounds_;
    std::size_t next_ = 0;
    std::size_t next_silence_ = 0;
    HugeVector<Transfer> transfers_;
};

}  // namespace kport
