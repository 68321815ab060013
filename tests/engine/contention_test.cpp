/// @file contention_test.cpp   Random programs: the engine arbitrates by model.md section 8, loses no message,
///                             breaks no rule of ports or channels, and is equal on any number of threads.
#include <random>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/engine/scripts.hpp"

namespace kport {
namespace {

using test::any_machine;
using test::any_scripts;
using test::Draw;
using test::Outcome;
using test::Reference;
using test::Script;

Outcome run(const Machine& machine, const std::vector<Script>& scripts, unsigned threads) {
    Job job = test::job_of_all(machine, [&scripts](Node& self) { return test::follow(self, scripts[self.id()]); });
    job.payload = false;  // these programs send what they do not hold
    return test::run(job, threads);
}

/// The claims of this file's first lines, for one machine and program.
template <class Check>
void check_run(const Machine& machine, const std::vector<Script>& scripts, Check&& check) {
    Reference reference(machine, scripts);
    const std::string expected = reference.moves();
    const Outcome outcome = run(machine, scripts, 1);
    check(test::text(outcome.schedule) == expected, "the engine moves what section 8 grants");
    check(outcome.verdict.metrics.transfers == reference.sends(), "nothing is lost");
    check(
        outcome.verdict.kept(Rule::ports) && outcome.verdict.kept(Rule::channel) && outcome.verdict.kept(Rule::strict),
        "ports and channels are kept");
    std::size_t waiting = 0;
    for (const Violation& v : outcome.verdict.violations) waiting += v.breach == Breach::waits_for_ever ? 1 : 0;
    check(outcome.verdict.violations.size() < outcome.verdict.violation_count || waiting == reference.unfinished(),
          "every node that waits for ever is named");

    const std::string verdict = test::text(outcome.verdict, *machine.topology);
    for (const unsigned threads : {2U, 8U}) {
        const Outcome again = run(machine, scripts, threads);
        check(again.schedule == outcome.schedule, "the same moves on more threads");
        check(test::text(again.verdict, *machine.topology) == verdict, "the same verdict on more threads");
    }

    Machine strict = machine;
    strict.policy = Policy::strict;
    const Outcome reported = run(strict, scripts, 1);
    check(reported.schedule == outcome.schedule, "the strict policy moves the same, and reports");
}

RC_GTEST_PROP(AnyProgram, MovesAsTheReferenceDoes, ()) {
    const Draw draw = [](std::uint64_t below) {
        return *rc::gen::resize(100, rc::gen::inRange<std::uint64_t>(0, below));
    };
    const auto spec = *rc::gen::element<std::string>("line:2", "line:6", "ring:3", "ring:7", "hypercube:3", "mesh:2x3",
                                                     "mesh:3x3", "torus:3x4", "torus:2x2x2", "complete:5", "cbt:2");
    const Machine machine = any_machine(spec, draw);
    const std::vector<Script> scripts = any_scripts(machine, 6, draw);
    check_run(machine, scripts, [](bool holds, const char* claim) {
        if (!holds) RC_FAIL(claim);
    });
}

/// Machines of many partitions; the seed is the parameter.
class AnyLargeProgram : public testing::TestWithParam<std::uint64_t> {};

TEST_P(AnyLargeProgram, MovesAsTheReferenceDoes) {
    std::mt19937_64 random(GetParam());
    const Draw draw = [&random](std::uint64_t below) { return random() % below; };
    const std::vector<std::string> specs = {"hypercube:15", "torus:190x180", "mesh:40x30x29", "ring:33000", "cbt:14"};
    const std::string spec = specs[GetParam() % specs.size()];
    Machine machine = any_machine(spec, draw);
    // Routes across a large ring are as long as the machine, and those of a large tree all meet at its root.
    if (spec == "ring:33000" || spec == "cbt:14") machine.switching = Switching::store_and_forward;
    SCOPED_TRACE(fmt::format("{} {}", spec, machine.describe()));
    const std::vector<Script> scripts = any_scripts(machine, 3, draw);
    check_run(machine, scripts, [](bool holds, const char* claim) { EXPECT_TRUE(holds) << claim; });
}

INSTANTIATE_TEST_SUITE_P(Seeds, AnyLargeProgram, testing::Range<std::uint64_t>(0, 6));

}  // namespace
}  // namespace kport
