/// @file broadcast_test.cpp   Every broadcast on hundreds of small machines: delivery, rules, the textbook's costs,
///                            the bounds, the exact minimum.
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "tests/algorithms/faults.hpp"
#include "tests/algorithms/machines.hpp"
#include "tests/oracle/table.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

/// The message of a failed claim: the run, with everything needed to repeat it.
void claim(bool holds, std::string_view what, const Algorithm& algorithm, const Machine& machine,
           const Collective& collective, const Verdict& verdict) {
    if (!holds)
        RC_FAIL(fmt::format("{}: {} on {} ({}) from {}\n{}", what, algorithm.name, machine.topology->spec(),
                            machine.describe(), collective.root, test::text(verdict, *machine.topology)));
}

RC_GTEST_PROP(EveryBroadcast, DeliversLawfullyAtItsCostAndNeverBelowTheBounds, ()) {
    const Machine machine = test::any_machine();
    const Collective collective = test::any_collective(machine);
    for (const Algorithm* algorithm : applicable(machine, collective, {})) {
        const Verdict verdict = run_lockstep(make_job(*algorithm, machine, collective, {}), {}).verdict;
        const auto expect = [&](bool holds, std::string_view what) {
            claim(holds, what, *algorithm, machine, collective, verdict);
        };
        const bool floods = algorithm->name == "flooding";
        expect(verdict.delivered, "delivers");
        expect(verdict.holders == machine.topology->nodes(), "reaches every node");
        expect(floods || verdict.lawful(), "keeps every rule");
        expect(verdict.kept(Rule::ports) && verdict.kept(Rule::channel) && verdict.kept(Rule::strict),
               "keeps ports and channels");

        const Bounds bounds = lower_bounds(machine, collective);
        const Metrics& m = verdict.metrics;
        for (const QuantityRow& row : quantity_rows) expect(test::at_most(bounds[row.quantity], row.of(m)), row.title);

        const ExpectedCost cost = expected_cost(*algorithm, machine, collective, {});
        expect(cost.rounds.value_or(m.rounds) == m.rounds, "rounds as derived");
        expect(cost.work.value_or(m.work) == m.work, "work as derived");
        expect(cost.path_sum.value_or(m.path_sum) == m.path_sum, "path sum as derived");
        expect(!cost.derivation.empty(), "has a derivation");
    }
}

RC_GTEST_PROP(EveryBroadcast, IsCleanUnderTheStrictPolicy, ()) {
    Machine machine = test::any_machine();
    machine.policy = Policy::strict;
    const Collective collective = test::any_collective(machine);
    for (const Algorithm* algorithm : applicable(machine, collective, {})) {
        const Verdict verdict = run_lockstep(make_job(*algorithm, machine, collective, {}), {}).verdict;
        claim(verdict.kept(Rule::strict), "nothing waits because others compete", *algorithm, machine, collective,
              verdict);
    }
}

RC_GTEST_PROP(EveryBroadcast, RecordedIsTheSameWhenAuditedWithoutARun, ()) {
    const Machine machine = test::any_machine();
    const Collective collective = test::any_collective(machine);
    for (const Algorithm* algorithm : applicable(machine, collective, {})) {
        const Job job = make_job(*algorithm, machine, collective, {});
        const test::Outcome outcome = test::run(job);
        const Verdict audited = audit(outcome.schedule, machine, job.collective, true);
        claim(test::text(audited, *machine.topology) == test::text(outcome.verdict, *machine.topology),
              "the auditor says the same of the schedule alone", *algorithm, machine, collective, audited);
    }
}

TEST(EveryBroadcast, NeverBeatsTheExactMinimum) {
    int runs = 0;
    for (const oracle::Row& row : oracle::table("exact_broadcast")) {
        Machine machine;
        try {
            machine.topology = make_topology(row["topology"]);
        } catch (const RequestError&) {
            continue;  // a graph of no family
        }
        Collective collective;
        collective.root = row.number("source");
        for (const Algorithm* algorithm : applicable(machine, collective, {})) {
            const Verdict verdict = run_lockstep(make_job(*algorithm, machine, collective, {}), {}).verdict;
            EXPECT_GE(verdict.metrics.rounds, row.number("rounds_minimum")) << row.place() << " " << algorithm->name;
            ++runs;
        }
    }
    EXPECT_GT(runs, 200);
}

}  // namespace
}  // namespace kport
