#include "session/check.hpp"

#include <algorithm>
#include <chrono>

#include "algorithms/reach.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "session/explain.hpp"

namespace kport {

namespace {

/// Tells of an audit about five times a second.
class Told final : public RoundListener {
  public:
    explicit Told(const Caller& caller) : caller_(caller) {}

    [[nodiscard]] bool wants_transfers() const override { return false; }
    void closed(const RoundMetrics&, const Metrics& so_far, std::uint64_t reached) override {
        const auto now = std::chrono::steady_clock::now();
        if (!caller_.progress || now < next_) return;
        next_ = now + std::chrono::milliseconds(200);
        caller_.progress(so_far, reached);
    }

  private:
    const Caller& caller_;
    std::chrono::steady_clock::time_point next_;
};

}  // namespace

Outcome check(const Submission& submission, bool per_round, const Caller& caller) {
    const auto start = std::chrono::steady_clock::now();
    Outcome outcome;
    Report& report = outcome.report;
    ScheduleAudit rounds(submission.schedule, submission.machine, submission.collective, per_round);
    Told told(caller);
    rounds.add(told);
    const auto stopped = [&] { return caller.stop != nullptr && *caller.stop; };
    while (!stopped() && rounds.next()) {
    }
    rounds.auditor().expect_no_results();
    report.stopped = stopped();
    report.verdict = report.stopped ? rounds.finish_stopped() : rounds.finish();
    report.operation = submission.collective.operation;
    report.algorithm = submission.name;
    report.rule = submission.form;
    report.checked = true;
    report.remarks = submission.remarks;
    report.machine = submission.machine;
    if (submission.collective.rooted()) report.root = submission.collective.root;
    report.packet_bytes = submission.collective.packet_bytes;
    report.packets_each = submission.collective.packets_each;
    report.permutation = submission.collective.permutation;
    report.in_runs = submission.collective.in_runs;
    report.payload = false;
    report.per_round = per_round;
    if (submission.collective.promises())
        report.bounds = bound_lines(reached_bounds(submission.machine, submission.collective));
    report.engine.name = "audit";
    report.engine.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const bool is_judged = !report.stopped && !(submission.lacks_promise && report.verdict.lawful());
    outcome.ending = !is_judged ? Ending::stopped : report.verdict.lawful() ? Ending::lawful : Ending::broken;
    return outcome;
}

}  // namespace kport
