#include "app/session/run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "app/session/choose.hpp"
#include "app/session/reporting.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/audit/breach.hpp"
#include "emulator/audit/rule.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/engine/script.hpp"

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

/// What the reader has judged by the contents of memory, or could not run: only the rules of the machine are left to the audit.
void keep_rules_of_machine(Verdict& verdict, bool is_delivered) {
    const auto is_of_contents = [](Rule rule) {
        return rule == Rule::delivery || rule == Rule::nodup || rule == Rule::noho;
    };
    std::erase_if(verdict.violations,
                  [&](const Violation& violation) { return is_of_contents(rule_of(violation.breach)); });
    for (const RuleRow& row : rule_rows)
        if (is_of_contents(row.rule)) {
            std::uint64_t& count = verdict.violations_by_rule.at(static_cast<std::size_t>(row.rule));
            verdict.violation_count -= count;
            count = 0;
        }
    verdict.delivered = is_delivered;
    if (is_delivered) verdict.holders = verdict.promised;
}

/// Counts the brackets of a reduction: nodes that follow the schedule fold what comes in the order of rounds.
void count_brackets(const Submission& submission, const Caller& caller, Report& report) {
    const ForeignJudgement& judgement = report.judgement;
    if (!judgement.findings.empty() || !judgement.not_judged.empty()) return;
    RunOptions options;
    options.stop = caller.stop;
    report.brackets =
        counted_brackets(submission.collective, {}, submission.collective.rules.agree == Force::law,
                         submission.machine.topology->nodes(), report, [&](const Reduction& brackets) {
                             Job job = job_following(submission.schedule, submission.machine, submission.collective);
                             job.reduction = brackets;
                             return run_lockstep(job, options);
                         });
}

Ending ending_of(const Report& report) {
    if (report.stopped) return Ending::stopped;
    const ForeignJudgement& judgement = report.judgement;
    if (!judgement.findings.empty() || !report.verdict.lawful() || is_below_bound(report)) return Ending::broken;
    return judgement.not_judged.empty() ? Ending::lawful : Ending::stopped;
}

}  // namespace

Outcome check(const Submission& submission, bool per_round, const Caller& caller) {
    require_folds_for_agreement(submission.collective);
    require_valid_switches(submission.machine);
    require_valid_routing(submission.machine);
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
    report.judgement = submission.judgement;
    const bool has_findings = !report.judgement.findings.empty();
    if (!report.stopped && (report.judgement.contents_judged || has_findings))
        keep_rules_of_machine(report.verdict, !has_findings);
    report.machine = submission.machine;
    report.collective = submission.collective;
    report.collective.rules = report.verdict.judged_by;
    if (submission.collective.rooted()) report.root = submission.collective.root;
    report.payload = false;
    report.per_round = per_round;
    report.algorithm = submission.name;
    report.rule = submission.form;
    report.checked = true;
    report.remarks = submission.remarks;
    if (submission.collective.promises())
        report.bounds = bound_lines(reached_bounds(submission.machine, submission.collective));
    report.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    count_brackets(submission, caller, report);
    judge_agreement(report);
    outcome.ending = ending_of(report);
    return outcome;
}

}  // namespace kport
