/// @file admission_test.cpp   What does not fit is refused before anything is allocated.
#include "app/session/choose.hpp"

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/choice.hpp"
#include "algorithms/run_algorithm.hpp"
#include "app/session/run.hpp"
#include "emulator/ranks/thread_ranks.hpp"
#include "tests/session/experiments.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport::test {
namespace {

std::string what_does_not_fit(const Experiment& e) {
    try {
        (void)run(e);
    } catch (const DoesNotFit& error) {
        return error.what();
    }
    return "";
}

TEST(AnExperiment, BeyondItsOwnLimitOfMemoryDoesNotFit) {
    Experiment e = experiment("hypercube:12");
    e.collective.packet_bytes = 1 << 16;
    EXPECT_EQ(what_does_not_fit(e), "");
    e.memory = 64 << 20;
    EXPECT_THAT(what_does_not_fit(e),
                testing::MatchesRegex("hypercube:12 with 65536-byte packets needs about 0.[23][0-9]+ GiB and "
                                      "0.06[0-9]+ GiB are available; payload = false holds no packets"));
    e.payload = false;
    EXPECT_EQ(what_does_not_fit(e), "") << "it fits without the packets";
}

TEST(AnExperiment, OfAbsurdSizeDoesNotFitHoweverMuchMemoryItMayTake) {
    Experiment e = experiment("hypercube:40");
    e.memory = ~std::uint64_t{0};
    EXPECT_THAT(what_does_not_fit(e), testing::HasSubstr("a run holds fewer than 2^32"));
}

/// A larger estimate would refuse a run that its algorithm can do.
TEST(AnExperiment, NeedsNoMoreBeforeItsAlgorithmIsChosenThanAnAlgorithmMay) {
    for (const auto& [spec, name] : {std::pair("hypercube:20", "sbt"), std::pair("hypercube:20", "layered"),
                                     std::pair("mesh:1000x1000", "dost"), std::pair("line:1000000", "dost")})
        for (const bool payload : {true, false}) {
            Experiment e = experiment(spec);
            e.payload = payload;
            const Algorithm* algorithm = find_algorithm(Operation::broadcast, name);
            ASSERT_NE(algorithm, nullptr) << name;
            EXPECT_LE(bytes_needed(e, nullptr), bytes_needed(e, algorithm)) << spec << ", " << name;
        }
}

TEST(AnExperiment, OfMoreRoundsThanAreCountedDoesNotFit) {
    Experiment e = experiment("hypercube:3");
    e.collective.packets_each = own_packets_max;
    e.payload = false;
    for (const char* algorithm : {"msbt", "chain"}) {
        if (algorithm == std::string_view("chain")) e.machine.topology = make_topology("complete:8");
        e.algorithm = algorithm;
        EXPECT_THAT(what_does_not_fit(e),
                    testing::MatchesRegex(fmt::format("{} on .*:[38] takes 429496.... rounds here; a run counts fewer "
                                                      "than 2.32; packets_each 2147483648 would do",
                                                      algorithm)));
    }
}

TEST(AnExperiment, OfTooManyPacketsIsToldHowManyFit) {
    Experiment e = experiment("hypercube:4");
    e.algorithm = "sbt";
    e.collective.packets_each = own_packets_max;
    e.memory = std::uint64_t{1} << 30;
    EXPECT_THAT(what_does_not_fit(e), testing::EndsWith(" are available; packets_each 524288 may do"));
    e.payload = false;
    EXPECT_THAT(what_does_not_fit(e), testing::EndsWith(" are available; packets_each 134217728 may do"));
    e.collective.packets_each = 134217728;
    EXPECT_EQ(what_does_not_fit(e), "");
    e.collective.packets_each = 1 << 20;
    e.payload = true;
    EXPECT_THAT(what_does_not_fit(e),
                testing::HasSubstr("; payload = false holds no packets; packets_each 524288 may do"));
    e.memory = 1 << 20;
    EXPECT_THAT(what_does_not_fit(e), testing::EndsWith(" are available")) << "nothing fits";
}

/// Fewer packets, or more memory, are no advice where no algorithm runs.
TEST(AnExperiment, ThatNothingRunsIsNotToldWhatMemoryItNeeds) {
    Experiment e = experiment("mesh:20x20", Operation::alltoall);
    e.machine.ports = PortLimit::all();
    e.machine.combining = false;
    e.collective.packets_each = 64;
    e.memory = std::uint64_t{1} << 30;
    EXPECT_THROW(admit(e, nullptr), DoesNotFit);
    EXPECT_THAT(refusal([&] { (void)planned(e); }), testing::StartsWith("no algorithm of alltoall runs on mesh:20x20"));
}

TEST(AnExperiment, OfSeveralProcessesNeedsOnThisComputerWhatThoseHereNeed) {
    Experiment e = experiment("hypercube:22");
    e.payload = false;
    e.memory = static_cast<std::uint64_t>(0.7 * bytes_needed(e, nullptr));
    const auto fits = [&](unsigned processes, unsigned here) {
        e.company = {processes, here};
        try {
            admit(e, nullptr);
            return true;
        } catch (const DoesNotFit&) {
            return false;
        }
    };
    EXPECT_FALSE(fits(1, 1));
    EXPECT_FALSE(fits(2, 2)) << "each half is here";
    EXPECT_TRUE(fits(2, 1));
    e.machine.switching = Switching::wormhole;
    e.memory = static_cast<std::uint64_t>(0.7 * bytes_needed(e, nullptr));
    EXPECT_FALSE(fits(2, 1)) << "each arbitrates the messages of all";
}

TEST(TheNeedOfMemory, GrowsWithPacketsThreadsAndRounds) {
    const Experiment e = experiment("mesh:64x64", Operation::allgather);
    const auto needs_more = [&](auto&& change) {
        Experiment more = e;
        change(more);
        return bytes_needed(more, nullptr) > bytes_needed(e, nullptr);
    };
    EXPECT_TRUE(needs_more([](Experiment& more) { more.collective.packet_bytes *= 2; }));
    EXPECT_TRUE(needs_more([](Experiment& more) { more.threads = 2; }));
    EXPECT_TRUE(needs_more([](Experiment& more) { more.per_round = true; }));
    EXPECT_TRUE(needs_more([](Experiment& more) { more.engine = EngineKind::free; }));
    EXPECT_FALSE(needs_more([](Experiment& more) { more.payload = false; }));
}

TEST(TheNeedOfMemory, OfAPromiseIsThatOfWhatNodesWant) {
    Experiment e = experiment("hypercube:10");
    const auto packet_0 = [](NodeId) { return PacketSet::range(0, 1); };
    const auto at_0 = [](NodeId v) { return PacketSet::range(0, v == 0 ? 1 : 0); };
    e.collective = Collective::custom({.name = "promise", .owned = at_0, .wanted = packet_0, .packet_bytes = 1 << 16});
    const double wanted = 1024.0 * (1 << 16);
    const double needed = bytes_needed(e, nullptr);
    EXPECT_GE(needed, wanted);
    EXPECT_LE(needed, 5 * wanted);
}

TEST(TheNeedOfMemory, CountsWhatAPlanTakesBeforeItIsMade) {
    Experiment e = experiment("ring:8192", Operation::allgather);
    e.payload = false;
    const Algorithm* planned = find_algorithm(e.collective.operation, "coloured-exchange");
    ASSERT_NE(planned, nullptr);
    const double plan = plan_bytes_of(*planned, e.machine, e.collective);
    EXPECT_GT(plan, 8192.0 * 8192.0);
    EXPECT_GE(bytes_needed(e, planned), plan + bytes_needed(e, nullptr));
    e.algorithm = planned->name;
    e.memory = static_cast<std::uint64_t>(plan);
    EXPECT_THAT(what_does_not_fit(e), testing::HasSubstr("needs about"));
}

/// Measured 20, 1368, 95 and 123 MiB: asked for is no less, and no more than twice as much. What is counted for 2^14 nodes that send few
/// messages each are these messages, not one for each pair of nodes.
TEST(TheNeedOfMemory, FollowsTheMessagesThatArePlanned) {
    struct Case {
        const char* spec;
        Operation operation;
        const char* algorithm;
        bool payload;
        double measured;  ///< in MiB
        EngineKind engine = EngineKind::lockstep;
    };
    for (const Case& c :
         {Case{"mesh:120x120", Operation::permutation, "shortest-paths", false, 20},
          Case{"random-connected:8000,16000,98", Operation::permutation, "shortest-paths", false, 33, EngineKind::free},
          Case{"torus:20x20", Operation::alltoall, "coloured-exchange", true, 1368},
          Case{"torus:24x24", Operation::reduce_scatter, "coloured-exchange", false, 95},
          Case{"random-regular:3,100000,1", Operation::reduce, "farthest-first", false, 123}}) {
        Experiment e = experiment(c.spec, c.operation);
        e.payload = c.payload;
        e.engine = c.engine;
        e.machine.combining = c.operation != Operation::permutation;
        if (c.payload) e.collective.packets_each = 5;
        if (c.payload) e.collective.packet_bytes = 1024;
        const Algorithm* algorithm = find_algorithm(c.operation, c.algorithm);
        ASSERT_NE(algorithm, nullptr);
        const double mib = bytes_needed(e, algorithm) / (1024 * 1024);
        EXPECT_GE(mib, c.measured) << c.spec;
        EXPECT_LE(mib, 2 * c.measured) << c.spec;
    }
}

TEST(TheNeedOfMemory, OfNodesThatOnlyForwardIsThatOfCursorsWhereTheyServe) {
    const Experiment e = experiment("hypercube:20");
    const Algorithm* sbt = find_algorithm(e.collective.operation, "sbt");
    ASSERT_NE(sbt, nullptr);
    Experiment faulty = e;
    faulty.injection = injection_named("drop");
    const double programs = bytes_needed(faulty, sbt) - bytes_needed(e, sbt);
    EXPECT_GT(programs, 0.5 * (1 << 20) * 150) << "half of the nodes are alive at once";
    for (const auto& needs_programs :
         std::vector<void (*)(Experiment&)>{[](Experiment& other) { other.machine.switching = Switching::wormhole; },
                                            [](Experiment& other) { other.machine.pairwise = true; },
                                            [](Experiment& other) { other.injection = injection_named("drop"); }}) {
        Experiment other = e;
        needs_programs(other);
        EXPECT_EQ(bytes_needed(other, sbt), bytes_needed(other, nullptr));
    }
}

// ------------------------------------------------------------------------------------------------- what executes a run

/// How a row is run besides what its experiment says.
struct Manner {
    const char* name;
    void (*change)(Experiment&);
    bool is_recorded = false;
};

const std::vector<Manner>& manners() {
    static const std::vector<Manner> all = {
        {"plain", [](Experiment&) {}},
        {"recorded", [](Experiment&) {}, true},
        {"in an order", [](Experiment& e) { e.order = 1; }},
        {"free", [](Experiment& e) { e.engine = EngineKind::free; }},
        {"until a round", [](Experiment& e) { e.engine = EngineKind::free, e.until = 100; }},
        {"without bytes", [](Experiment& e) { e.payload = false; }},
        {"without bytes, recorded", [](Experiment& e) { e.payload = false; }, true},
        {"values of two numbers", [](Experiment& e) { e.collective.packet_bytes *= 2; }},
        {"wormhole", [](Experiment& e) { e.machine.switching = Switching::wormhole; }},
        {"half duplex", [](Experiment& e) { e.machine.duplex = Duplex::half; }},
        {"half duplex links", [](Experiment& e) { e.machine.links = Duplex::half; }},
        {"pairwise", [](Experiment& e) { e.machine.pairwise = true; }},
        {"strict NOHO", [](Experiment& e) { e.machine.noho = Noho::strict; }},
        {"one packet a message", [](Experiment& e) { e.machine.combining = false; }},
        {"three packets", [](Experiment& e) { e.collective.packets_each = 3; }},
        {"three packets, recorded", [](Experiment& e) { e.collective.packets_each = 3; }, true},
        {"a segment a node", [](Experiment& e) { e.collective.packets_each = e.topology().nodes(); }},
        {"a segment a node, recorded", [](Experiment& e) { e.collective.packets_each = e.topology().nodes(); }, true},
        {"a segment a node, free",
         [](Experiment& e) { e.collective.packets_each = e.topology().nodes(), e.engine = EngineKind::free; }},
        {"by two processes",
         [](Experiment& e) {
             e.company = {2, 2};
         }},
    };
    return all;
}

RunResult result_of(const Experiment& e, const Algorithm& row, bool is_recorded) {
    RunOptions options;
    options.engine = e.engine;
    options.last_round = e.until;
    Schedule schedule;
    if (is_recorded) options.recorded_schedule = &schedule;
    SeededOrder order(1);
    if (e.order) options.order = &order;
    const auto run = [&](Ranks* ranks) {
        RunOptions own = options;
        own.ranks = ranks;
        return run_algorithm(row, e.machine, e.collective, e.options, {e.payload, 1}, own);
    };
    if (e.company.processes == 1) return run(nullptr);
    return at_each_rank(e.company.processes, [&](ThreadRanks& ranks) { return run(&ranks); }).front();
}

/// A timetable's text is asked, and then its nodes may be in step.
bool has_run_as(Execution estimated, const Executions& executions) {
    return executions.contains(estimated) ||
           (estimated == Execution::timetable && executions.contains(Execution::in_step));
}

TEST(TheExecution, ThatIsEstimatedIsTheOneThatRunsForEveryRowOfTheCatalogue) {
    std::set<Execution> seen;
    test::Sample sample(5);
    for (const char* spec : {"hypercube:3", "ring:6", "mesh:3x4", "torus:3x3", "complete:5"})
        for (const PortLimit ports : {PortLimit(1), PortLimit::all()})
            for (const Algorithm& row : catalogue())
                for (const Manner& manner : manners()) {
                    Experiment e = experiment(spec, row.operation);
                    e.machine.ports = ports;
                    if (row.operation.folds()) e.collective.packet_bytes = 8;
                    manner.change(e);
                    if (row.operation.signals()) e.collective.packet_bytes = 0, e.collective.packets_each = 1;
                    if (misfit_of(row, e.machine, e.collective, e.options) || sample.leaves_out()) continue;
                    const RunResult result = result_of(e, row, manner.is_recorded);
                    if (result.needs_rounds != NeedsRounds::no) continue;  // lockstep may keep less than was estimated
                    const Execution estimated = execution_of(e, &row, manner.is_recorded);
                    seen.insert(estimated);
                    EXPECT_TRUE(has_run_as(estimated, result.executions))
                        << name(row.operation) << ' ' << row.name << " on " << spec << ", " << ports.k() << " ports, "
                        << manner.name << ": estimated as " << name(estimated);
                }
    EXPECT_EQ(seen, (std::set{Execution::programs, Execution::scripts, Execution::forwarding, Execution::splitting,
                              Execution::timetable, Execution::exchange, Execution::relay}));
}

TEST(TheExecution, OfARunWithAFaultIsEstimatedAsPrograms) {
    Experiment e = experiment("hypercube:3");
    const Algorithm* sbt = find_algorithm(e.collective.operation, "sbt");
    EXPECT_EQ(execution_of(e, sbt, false), Execution::forwarding);
    e.injection = injection_named("drop");
    EXPECT_EQ(execution_of(e, sbt, false), Execution::programs);
}

/// Measured on one thread: asked for is no less, and no more than so many times as much.
TEST(TheNeedOfMemory, IsThatOfWhatExecutesTheRun) {
    struct Case {
        const char* spec;
        Operation operation;
        const char* algorithm;
        std::uint64_t packets;
        bool has_order;
        double measured;  ///< in MiB
        double most;
    };
    for (const Case& c : {Case{"hypercube:20", Operation::broadcast, "sbt", 1, false, 58, 2.5},
                          Case{"hypercube:20", Operation::broadcast, "sbt", 1, true, 204, 2},
                          Case{"hypercube:20", Operation::scatter, "sbt", 1, false, 193, 2},
                          Case{"hypercube:20", Operation::scatter, "sbt", 1, true, 444, 2},
                          Case{"hypercube:16", Operation::broadcast, "msbt", 16, false, 24, 2.5},
                          Case{"hypercube:16", Operation::broadcast, "msbt", 16, true, 54, 2},
                          Case{"ring:1024", Operation::allreduce, "ring", 1024, false, 20, 3},
                          Case{"ring:1024", Operation::allreduce, "ring", 1024, true, 31, 3}}) {
        Experiment e = experiment(c.spec, c.operation);
        e.collective.packet_bytes = 8;
        e.collective.packets_each = c.packets;
        if (c.has_order) e.order = 1;
        const double mib = bytes_needed(e, find_algorithm(c.operation, c.algorithm)) / (1024 * 1024);
        EXPECT_GE(mib, c.measured) << c.spec << ' ' << c.algorithm << ", order " << c.has_order;
        EXPECT_LE(mib, c.most * c.measured) << c.spec << ' ' << c.algorithm << ", order " << c.has_order;
    }
}

}  // namespace
}  // namespace kport::test
