/// @file fast_paths_test.cpp   Plans that lockstep runs without coroutines have one verdict in every execution: those of the catalogue,
///                             drawn ones, and lies. What a lawful run does without programs, a run in which a rule is broken explains
///                             with them.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "emulator/engine/choose_execution.hpp"
#include "tests/engine/all_executions.hpp"
#include "tests/engine/jobs_of_plans.hpp"
#include "tests/engine/plans.hpp"
#include "tests/engine/small_machines.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport {
namespace {

using test::DrawnAnswers;
using test::expect_one_verdict;
using test::is_run_by;
using test::of_packets;
using test::of_values;
using test::program_of;
using test::with;

// ------------------------------------------------------------------------------------------------------------- the kinds

/// A kind of plans that an engine runs without programs.
struct FastPath {
    std::string name;
    std::vector<Execution> by;  ///< any of them
    std::function<bool(const Job&)> is_of_kind;

    std::vector<std::string> specs;  ///< machines for rows of the catalogue, beside the small ones
    /// What a row is asked for on a machine.
    std::function<std::vector<Collective>(const Algorithm& row, const Machine& machine)> collectives;
    std::vector<Reduction> reductions;
    std::size_t jobs;  ///< more than so many

    /// A drawn plan. In a bad mood it answers otherwise later.
    std::function<Job(std::uint64_t seed, bool is_moody)> draw;
    bool has_moods = true;
};

void PrintTo(const FastPath& path, std::ostream* out) { *out << path.name; }

std::vector<Reduction> reductions() {
    std::vector<Reduction> all(4);
    all[1].type = ElementType::real;
    all[2].op = Operator::max;
    all[3].op = Operator::concat;
    all[3].type = ElementType::text;
    all.push_back(Reduction::own(test::first_of_two()));
    return all;
}

template <class Kind>
bool follows(const Job& job) {
    return plan_of<Kind>(job) != nullptr;
}

Job drawn_forwarding(std::uint64_t seed, bool) {
    const DrawnAnswers drawn(seed);
    const Machine machine =
        test::drawn_machine(seed, {"hypercube:3", "mesh:3x3", "torus:2x2", "complete:5", "line:5", "petersen"});
    Job job = of_packets(machine, with(Collective::broadcast(seed % machine.topology->nodes(), 16), 1));
    if (drawn.one_in(2, 9, 0)) job.collective.packets_each = 1 + drawn.below(3, 9, 0);
    job.program = program_of<test::AnyForwarding>(job, drawn.one_in(2, 8, 0), seed);
    return job;
}

Job drawn_splitting(std::uint64_t seed, bool is_moody) {
    const Machine machine = test::drawn_machine(seed, {"hypercube:3", "mesh:3x3", "torus:2x2", "complete:5", "line:5"});
    Job job = of_packets(machine, Collective::scatter(seed % machine.topology->nodes(), 16));
    job.program = program_of<test::AnySplitting>(job, seed, is_moody);
    return job;
}

Job drawn_timetable(std::uint64_t seed, bool is_moody) {
    const DrawnAnswers drawn(seed);
    const Machine machine =
        test::drawn_machine(seed, {"hypercube:3", "mesh:3x3", "torus:2x2", "ring:5", "complete:6", "petersen"});
    const NodeId root = seed % machine.topology->nodes();
    const std::uint64_t packets = drawn.one_in(8, 10, 0) ? 100 : 1 + drawn.below(8, 9, 0);
    const double wrong = drawn.one_in(2, 8, 0) ? 0 : drawn.one_in(3, 11, 0) ? 0.2 : 0.03;
    const auto lines = std::make_shared<test::DrawnTimetable>(*machine.topology, packets, root, wrong, seed);
    Job job = test::broadcast_by(std::make_shared<test::AnyTimetable>(lines, seed, is_moody), machine, root, packets);
    job.payload = seed % 8 != 0;
    return job;
}

Job drawn_exchange(std::uint64_t seed, bool is_moody) {
    const DrawnAnswers drawn(seed);
    const Machine machine =
        test::drawn_machine(seed, {"hypercube:3", "hypercube:2", "torus:2x2", "complete:4", "mesh:2x3", "ring:4"});
    const std::array collectives{Collective::allreduce(8), Collective::scan(8), Collective::scan(8),
                                 Collective::reduce(1, 8)};
    return of_values(machine, collectives[drawn.below(collectives.size(), 8, 0)],
                     program_of<test::AnyExchange>(machine.topology, seed, is_moody),
                     drawn.one_in(2, 7, 0) ? Reduction() : Reduction::own(test::first_of_two()));
}

Job drawn_relay(std::uint64_t seed, bool is_moody) {
    const DrawnAnswers drawn(seed);
    const Machine machine =
        test::drawn_machine(seed, {"ring:4", "ring:3", "ring:5", "torus:2x2", "hypercube:2", "line:3"});
    const NodeId nodes = machine.topology->nodes();
    return of_values(
        machine, drawn.one_in(2, 8, 0) ? with(Collective::allreduce(8), nodes) : with(Collective::reduce_scatter(8), 1),
        program_of<test::AnyRelay>(nodes, seed, is_moody));
}

std::vector<FastPath> fast_paths() {
    using Collectives = std::vector<Collective>;
    const auto broadcasts = [](std::uint64_t many) {
        return [=](const Algorithm& row, const Machine&) {
            const Collective one = Collective::broadcast(2, 16);
            return row.forward == Operation::broadcast ? Collectives{one, with(one, many)} : Collectives();
        };
    };
    const auto scatters = [](const Algorithm& row, const Machine&) {
        Collectives all;
        for (const std::uint64_t bytes : {8U, 64U, 600U})
            for (const std::uint64_t packets : {1U, 3U})
                if (row.forward == Operation::scatter) all.push_back(with(Collective::scatter(2, bytes), packets));
        return all;
    };
    const auto numbers = [](const Algorithm& row, const Machine&) {
        if (row.way != Way::program || !row.operation.folds()) return Collectives();
        return Collectives{Collective::of(row.operation, 0, 8), Collective::of(row.operation, 0, 16)};
    };
    const auto vectors = [=](const Algorithm& row, const Machine& machine) {
        Collectives all = numbers(row, machine);
        for (Collective& some : all)
            if (row.operation == Operation::allreduce) some.packets_each = machine.topology->nodes();
        return all;
    };
    const std::vector<Reduction> none(1);
    return {
        {"forwarding",
         {Execution::forwarding},
         follows<Forwarding>,
         {},
         broadcasts(3),
         none,
         100,
         drawn_forwarding,
         false},
        {"timetable",
         {Execution::timetable, Execution::in_step},
         follows<Timetable>,
         {},
         broadcasts(7),
         none,
         20,
         drawn_timetable},
        {"splitting",
         {Execution::splitting},
         follows<Splitting>,
         {"hypercube:4", "hypercube:6"},
         scatters,
         none,
         50,
         drawn_splitting},
        {"exchange",
         {Execution::exchange},
         [](const Job& job) { return follows<ValueExchange>(job) && !follows<SegmentRelay>(job); },
         {"hypercube:0", "hypercube:1", "hypercube:5"},
         numbers,
         reductions(),
         200,
         drawn_exchange},
        {"relay",
         {Execution::relay},
         follows<SegmentRelay>,
         {"ring:1", "ring:2", "ring:3", "ring:16"},
         vectors,
         reductions(),
         100,
         drawn_relay},
    };
}

std::vector<Machine> machines(const std::vector<std::string>& more) {
    std::vector<Machine> all = test::small_machines();
    for (const std::string& spec : more)
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()}) {
            Machine machine = test::machine(spec, ports);
            all.push_back(machine);
            all.push_back(test::half_duplex(machine));
            machine.noho = Noho::strict;
            machine.policy = Policy::strict;
            all.push_back(machine);
        }
    return all;
}

/// A plan of a user's own, with the acts of another: every question is asked twice.
class Verbatim final : public Plan {
  public:
    explicit Verbatim(std::shared_ptr<const Plan> same) : same_(std::move(same)) {}
    [[nodiscard]] Act next_act(NodeId v, std::uint64_t& place, Port in) const override {
        return same_->next_act(v, place, in);
    }
    [[nodiscard]] Content content() const override { return same_->content(); }
    [[nodiscard]] PacketSet packets(NodeId v, const Act& act) const override { return same_->packets(v, act); }

  private:
    std::shared_ptr<const Plan> same_;
};

Job verbatim(Job job) {
    job.program = program_of<Verbatim>(job.program.target<PlanProgram>()->plan());
    return job;
}

class AFastPath : public testing::TestWithParam<FastPath> {};
INSTANTIATE_TEST_SUITE_P(Of, AFastPath, testing::ValuesIn(fast_paths()),
                         [](const auto& path) { return path.param.name; });

TEST_P(AFastPath, ReportsOfEveryRowOfTheCatalogueTheSameAsPrograms) {
    const FastPath& path = GetParam();
    std::size_t jobs = 0;
    test::Sample sample(23, 3);
    for (const Machine& machine : machines(path.specs))
        for (const Algorithm& row : catalogue())
            for (const Collective& collective : path.collectives(row, machine))
                for (const Reduction& reduction : path.reductions) {
                    AlgorithmOptions options;
                    options.reduction = reduction;
                    if (misfit_of(row, machine, collective, options)) continue;
                    Job job = make_job(row, machine, collective, options);
                    if (!path.is_of_kind(job) || sample.leaves_out()) continue;
                    ++jobs;
                    for (const bool payload : {true, false}) {
                        job.payload = payload;
                        test::expect_the_same_as_programs(job);
                        if (jobs % 4 == 0) test::expect_the_same_however_it_ends(job);
                    }
                    job.payload = true;
                    test::expect_the_same_as_programs(job, {.recorded = true, .in_bodies = true});
                    EXPECT_EQ(test::report_of(verbatim(job), {}), test::report_of(job, {})) << row.name;
                    if (row.forward == Operation::scatter) {
                        EXPECT_EQ(test::kept_by(job), test::kept_by(test::as_programs(job))) << row.name;
                    }
                    if (HasFailure()) return;
                }
    EXPECT_GT(jobs, path.jobs / sample.one_of());
}

TEST_P(AFastPath, OfADrawnPlanHasOneVerdictInEveryExecution) {
    const FastPath& path = GetParam();
    std::size_t lawful = 0;
    std::size_t broken = 0;
    std::size_t refused = 0;
    std::size_t fast = 0;
    for (std::uint64_t seed = 1; seed <= (test::under_sanitizer ? 60 : 150); ++seed) {
        const auto make = [&] { return path.draw(seed, false); };
        const Job job = make();
        const std::string where =
            fmt::format("{} on {}, seed {}", job.machine.describe(), job.machine.topology->spec(), seed);
        const std::string report = expect_one_verdict(make, where);
        for (const bool small_rounds : {true, false}) {  // some plans have no end
            if (seed % 5 == 0) test::expect_the_same_as_programs(job, {.last_round = 2, .small_rounds = small_rounds});
            if (seed % 5 == 1) test::expect_the_same_as_programs(job, {.max_rounds = 2, .small_rounds = small_rounds});
        }
        (report.starts_with("node ")                        ? refused
         : report.find("violations 0") != std::string::npos ? lawful
                                                            : broken) += 1;
        fast += std::ranges::any_of(path.by, [&](Execution nodes) {
            return is_run_by(make(), nodes, test::options_of(1, partition_nodes_default, 60));
        });
        if (HasFailure()) return;
    }
    const std::size_t share = test::under_sanitizer ? 5 : 2;
    RecordProperty("drawn", fmt::format("{} lawful, {} broken, {} refused, {} fast", lawful, broken, refused, fast));
    EXPECT_GT(broken, 25 / share);
    EXPECT_GT(refused, 5 / share);
    EXPECT_GT(fast, 10 / share);
}

/// Every execution reports what programs do, or names the lie. A free run that needs rounds asks again, and says so
/// (RunResult::needs_rounds).
TEST_P(AFastPath, OfAPlanThatAnswersOtherwiseLaterIsNamedOrShowsNoDifference) {
    const FastPath& path = GetParam();
    std::size_t named = 0;
    for (std::uint64_t seed = 1; path.has_moods && seed <= (test::under_sanitizer ? 20 : 150); ++seed) {
        const auto all = test::told_by_all([&] { return path.draw(seed, true); }, 60);
        for (const auto& [name, report] : all) {
            const bool names = report.find("in two ways") != std::string::npos;
            named += names ? 1 : 0;
            if (names || name.starts_with("free")) continue;
            EXPECT_EQ(report, all.at("programs")) << name << ", seed " << seed;
        }
        if (HasFailure()) return;
    }
    EXPECT_EQ(named > 0, path.has_moods);
}

}  // namespace
}  // namespace kport
