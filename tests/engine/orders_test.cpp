/// @file orders_test.cpp   The report does not depend on the order in which nodes run: every order on machines of
///                         up to 4 nodes, many on larger ones, on both engines. KPORT_ORDERS: most orders a case,
///                         0: all.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "algorithms/run_algorithm.hpp"
#include "emulator/engine/free_running.hpp"
#include "emulator/engine/script.hpp"
#include "tests/algorithms/machines.hpp"
#include "tests/engine/collectives.hpp"
#include "tests/engine/scripts.hpp"
#include "tests/engine/whole_report.hpp"
#include "tests/support/rows.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport {
namespace {

using test::both_engines;
using test::on;

std::uint64_t orders_max() {
    const char* text = std::getenv("KPORT_ORDERS");
    if (text == nullptr) return test::under_sanitizer ? 6 : 50;
    const std::uint64_t most = std::strtoull(text, nullptr, 10);
    return most == 0 ? std::numeric_limits<std::uint64_t>::max() : most;
}

RunOptions options_for(EngineKind engine, Order* order, Schedule* record) {
    RunOptions options = on(engine);
    options.threads = 2;  // which an order makes one
    options.per_round = true;
    options.recorded_schedule = record;
    options.order = order;
    return options;
}

constexpr const char* left_to_rounds = "only rounds can tell";

/// One job, repeatedly.
class Reporter {
  public:
    Reporter(const Job& job, EngineKind engine, Order* order)
        : job_(job), options_(options_for(engine, order, &schedule_)) {
        if (engine == EngineKind::free) free_.emplace(job_, options_);
    }
    std::string report() {
        schedule_ = {};
        try {
            const std::optional<RunResult> result = free_ ? free_->run() : run_lockstep(job_, options_);
            return result ? test::whole_report(*result, schedule_, *job_.machine.topology) : left_to_rounds;
        } catch (const ProgramError& error) {
            return error.what();
        }
    }

  private:
    const Job& job_;
    Schedule schedule_;
    RunOptions options_;
    std::optional<FreeRunning> free_;
};

/// The statistics of the tries. A case is a job on an engine.
struct Tried {
    std::uint64_t orders = 0;
    std::uint64_t cases = 0;
    std::uint64_t whole = 0;  ///< cases of which every order was tried
};

/// Runs the job in every order, up to the limit. Returns the different reports with their frequencies.
std::map<std::string, std::uint64_t> reports_of_every_order(const Job& job, EngineKind engine, Tried& tried) {
    ExhaustiveOrder order;
    Reporter reporter(job, engine, &order);
    std::map<std::string, std::uint64_t> reports;
    const std::uint64_t most = orders_max();
    bool more = true;
    for (std::uint64_t i = 0; more && i < most; ++i) {
        ++reports[reporter.report()];
        ++tried.orders;
        more = order.advance();
    }
    ++tried.cases;
    tried.whole += more ? 0 : 1;
    return reports;
}

/// Every order gives the report of the engine's own order.
void expect_the_same_in_every_order(const Job& job, Tried& tried) {
    for (const EngineKind engine : both_engines) {
        const std::string own = Reporter(job, engine, nullptr).report();
        for (const auto& [report, times] : reports_of_every_order(job, engine, tried))
            EXPECT_EQ(report, own) << name(engine) << ", in " << times << " orders";
    }
}

bool has_root(Operation operation) {
    return operation == Operation::broadcast || operation == Operation::scatter || operation == Operation::gather ||
           operation == Operation::reduce;
}

// ---- the catalogue

/// Machines of up to 4 nodes on which the algorithm runs.
std::vector<Machine> small_machines(const Algorithm& algorithm, const Collective& collective) {
    std::vector<Machine> fitting;
    for (const char* spec : {"line:2", "line:3", "line:4", "ring:3", "ring:4", "complete:3", "complete:4",
                             "hypercube:2", "cbt:1", "mesh:2x2", "knoedel:2,4"})
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()})
            for (const Switching switching : {Switching::store_and_forward, Switching::wormhole}) {
                Machine machine = test::machine(spec, ports);
                machine.switching = switching;
                if (algorithm.name == "flow" || algorithm.name == "greedy-routes") machine.combining = false;
                if (!misfit_of(algorithm, machine, collective, {})) fitting.push_back(machine);
            }
    return fitting;
}

/// A job of the algorithm's node program, or one that follows its schedule where there is no program of its operation.
class AlgorithmJob {
  public:
    AlgorithmJob(const Algorithm& algorithm, const Machine& machine, const Collective& collective) {
        if (algorithm.way == Way::program) {
            job_ = make_job(algorithm, machine, collective, {});
            return;
        }
        RunOptions recording;
        recording.recorded_schedule = &schedule_;
        EXPECT_TRUE(run_algorithm(algorithm, machine, collective, {}, {}, recording).verdict.delivered);
        job_ = job_following(schedule_, machine, judged_collective(algorithm, collective, {}));
    }
    [[nodiscard]] const Job& job() const { return job_; }

  private:
    Schedule schedule_;
    Job job_;
};

class EveryAlgorithmInAnyOrder : public testing::TestWithParam<const Algorithm*> {};

TEST_P(EveryAlgorithmInAnyOrder, GivesTheSameReportOnSmallMachines) {
    const Algorithm& algorithm = *GetParam();
    const Collective collective = test::collective_for(algorithm, 8);
    Tried tried;
    for (const Machine& machine : small_machines(algorithm, collective)) {
        SCOPED_TRACE(machine.topology->spec() + " " + machine.describe());
        const AlgorithmJob of_algorithm(algorithm, machine, collective);
        expect_the_same_in_every_order(of_algorithm.job(), tried);
    }
    EXPECT_GT(tried.orders, tried.cases);
    fmt::print("{} orders of {} cases, of {} of them all\n", tried.orders, tried.cases, tried.whole);
}

std::vector<const Algorithm*> all_rows() {
    std::vector<const Algorithm*> rows;
    for (const Algorithm& row : catalogue())
        if (!test::needs_groups(row)) rows.push_back(&row);
    return rows;
}
INSTANTIATE_TEST_SUITE_P(Catalogue, EveryAlgorithmInAnyOrder, testing::ValuesIn(all_rows()), [](const auto& test) {
    std::string text = fmt::format("{}_{}", name(test.param->operation), test.param->name);
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
});

RC_GTEST_PROP(AnyAlgorithmInAnyOrder, GivesTheSameReport, ()) {
    const Machine machine = test::any_machine();
    Collective collective = test::any_collective(machine);
    collective.operation = catalogue()[*rc::gen::inRange<std::size_t>(0, catalogue().size())].operation;
    if (!has_root(collective.operation)) collective.root = 0;
    if (collective.folds()) collective.packet_bytes = 8;
    if (collective.operation.signals()) collective.packet_bytes = 0;
    const std::vector<const Algorithm*> fitting = applicable(machine, collective, {});
    RC_PRE(!fitting.empty());
    const Algorithm& algorithm = **rc::gen::elementOf(fitting);
    for (const EngineKind engine : both_engines) {
        const auto report = [&](Order* order) {
            Schedule schedule;
            const RunResult result =
                run_algorithm(algorithm, machine, collective, {}, {}, options_for(engine, order, &schedule));
            return test::whole_report(result, schedule, *machine.topology);
        };
        const std::string own = report(nullptr);
        for (int i = 0; i < 3; ++i) {
            SeededOrder order(*rc::gen::arbitrary<std::uint64_t>());
            RC_ASSERT(report(&order) == own);
        }
    }
}

// ---- programs that compete, wait for ever, and send what they do not hold

Job scripted(const Machine& machine, const std::vector<test::Script>& scripts, bool payload) {
    Job job = test::job_of_all(machine, [&scripts](Node& self) { return test::follow(self, scripts[self.id()]); });
    job.payload = payload;
    return job;
}

TEST(AnyProgramInAnyOrder, GivesTheSameReportOnSmallMachines) {
    std::mt19937_64 random(2026);
    const test::Draw draw = [&random](std::uint64_t below) { return random() % below; };
    int counted_without_rounds = 0;
    Tried tried;
    for (int i = 0; i < 100; ++i) {
        const std::vector<std::string> specs = {"line:3", "ring:3", "complete:4", "hypercube:2"};
        Machine machine = test::any_machine(specs[draw(specs.size())], draw);
        if (draw(2) == 0) machine.policy = Policy::strict;
        const std::vector<test::Script> scripts = test::any_scripts(machine, 5, draw);
        const Job job = scripted(machine, scripts, draw(2) == 0);
        SCOPED_TRACE(fmt::format("{}: {} {}", i, machine.topology->spec(), machine.describe()));
        expect_the_same_in_every_order(job, tried);
        counted_without_rounds += Reporter(job, EngineKind::free, nullptr).report() == left_to_rounds ? 0 : 1;
    }
    EXPECT_GT(counted_without_rounds, 10);
    EXPECT_LT(counted_without_rounds, 90);
}

/// Machines of many partitions, whose order is drawn as well.
TEST(AnyProgramInAnyOrder, GivesTheSameReportOnLargeMachines) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        std::mt19937_64 random(seed);
        const test::Draw draw = [&random](std::uint64_t below) { return random() % below; };
        const Machine machine = test::any_machine("torus:130x130", draw);
        const std::vector<test::Script> scripts = test::any_scripts(machine, 3, draw);
        const Job job = scripted(machine, scripts, true);
        SCOPED_TRACE(machine.describe());
        for (const EngineKind engine : both_engines) {
            SeededOrder order(seed);
            EXPECT_EQ(Reporter(job, engine, &order).report(), Reporter(job, engine, nullptr).report()) << name(engine);
        }
    }
}

// ---- the orders themselves, and what they find

/// The orders in which three nodes that end at once run, each as often as it was tried.
std::map<std::vector<NodeId>, int> orders_of_three(EngineKind engine) {
    std::vector<NodeId> ran;
    const Job job = test::job_of_all(test::machine("ring:3"), [&ran](Node& self) {
        return [](Node& node, std::vector<NodeId>& list) -> Program {
            list.push_back(node.id());
            co_return;
        }(self, ran);
    });
    ExhaustiveOrder order;
    Reporter reporter(job, engine, &order);
    std::map<std::vector<NodeId>, int> orders;
    do {
        ran.clear();
        (void)reporter.report();
        ++orders[ran];
    } while (order.advance());
    EXPECT_EQ(order.count(), 6U);
    return orders;
}

TEST(ExhaustiveOrder, IsEveryOrderOnce) {
    for (const EngineKind engine : both_engines) {
        const auto orders = orders_of_three(engine);
        EXPECT_EQ(orders.size(), 6U) << name(engine);
        for (const auto& [order, times] : orders) EXPECT_EQ(times, 1) << name(engine);
    }
}

TEST(ExhaustiveOrder, HasOneOrderOfOne) {
    ExhaustiveOrder order;
    EXPECT_EQ(order.next(1), 0U);
    EXPECT_FALSE(order.advance());
}

TEST(ExhaustiveOrder, RefusesARunThatIsNotRepeatable) {
    ExhaustiveOrder order;
    (void)order.next(3);
    ASSERT_TRUE(order.advance());
    EXPECT_THROW((void)order.next(2), std::logic_error);
}

TEST(SeededOrder, IsTheSameFromTheSameSeedAlone) {
    const auto answers = [](std::uint64_t seed) {
        SeededOrder order(seed);
        std::vector<std::size_t> list(20);
        for (std::size_t& answer : list) answer = order.next(7);
        return list;
    };
    EXPECT_EQ(answers(1), answers(1));
    EXPECT_NE(answers(1), answers(2));
    for (const std::size_t answer : answers(3)) EXPECT_LT(answer, 7U);
}

/// A forbidden program: nodes share a variable, so that the result depends on the first to run. `turns` of three nodes
/// that run once leave it as it was.
Program send_if_first(Node& self, std::uint64_t& turns) {
    const bool first = turns++ % 3 == 0;
    if (first) co_await self.send(0, Packet(0));
}

TEST(ExhaustiveOrder, FindsProgramsThatShareState) {
    for (const EngineKind engine : both_engines) {
        std::uint64_t turns = 0;
        Job job =
            test::job_of_all(test::machine("ring:3"), [&turns](Node& self) { return send_if_first(self, turns); });
        job.payload = false;
        Tried tried;
        EXPECT_EQ(reports_of_every_order(job, engine, tried).size(), 3U) << name(engine);
        EXPECT_EQ(tried.orders, 6U);
        EXPECT_EQ(tried.whole, 1U);
    }
}

TEST(AnyOrder, GivesUpTheSameFreeRuns) {
    Collective collective;
    const Machine machine = test::machine("ring:4", PortLimit::all());
    const Job job = make_job(algorithm_named("flooding", machine, collective, {}), machine, collective, {});
    Tried tried;
    const auto reports = reports_of_every_order(job, EngineKind::free, tried);
    EXPECT_EQ(reports.size(), 1U);
    EXPECT_EQ(reports.begin()->first, left_to_rounds);
    EXPECT_GT(tried.orders, 2U);
}

TEST(ExhaustiveOrder, ReportsARunThatDiffersForTheSameOrder) {
    for (const std::size_t other : {std::size_t{2}, std::size_t{4}}) {
        ExhaustiveOrder order;
        EXPECT_EQ(order.next(3), 0U);
        ASSERT_TRUE(order.advance());
        EXPECT_THROW((void)order.next(other), std::logic_error);
    }
}

}  // namespace
}  // namespace kport
