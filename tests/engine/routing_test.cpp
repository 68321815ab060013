/// @file routing_test.cpp   Adaptive routing: among the shortest routes the first, in the order of ports, all of whose channels
///                          are free when the message is granted (docs/model.md, section 8).
#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/engine/execution.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/ranks/thread_ranks.hpp"
#include "tests/engine/free_runs.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::job_of_all;
using test::machine;
using test::wormhole;
using testing::ElementsAre;

Machine adaptive(Machine machine) {
    machine.routing = Routing::adaptive;
    return machine;
}

/// What nodes send in round 1, by sender; each of its messages by itself.
struct RoutedSend {
    NodeId from;
    NodeId to;
    std::vector<Port> route = {};
};

Job job_sending(const Machine& machine, const std::vector<RoutedSend>& all) {
    Job job = job_of_all(machine, [all](Node& self) -> Program {
        for (const RoutedSend& one : all)
            if (one.from == self.id()) co_await self.send_along(one.to, one.route, Packet(0));
    });
    job.payload = false;
    return job;
}

test::Outcome outcome_of(const Machine& machine, const std::vector<RoutedSend>& all) {
    test::Outcome outcome = test::run(job_sending(machine, all));
    EXPECT_TRUE(outcome.verdict.kept(Rule::channel));
    EXPECT_TRUE(outcome.verdict.kept(Rule::ports));
    return outcome;
}

std::string moves_of(const Machine& machine, const std::vector<RoutedSend>& all) {
    return test::text(outcome_of(machine, all).schedule);
}

std::vector<Port> route_of(const Schedule& schedule, std::size_t i) {
    const std::span<const Port> route = schedule.transfer(i).route;
    return {route.begin(), route.end()};
}

/// Leaves with hosts 0-3 and 4-7, whose ports 4 and 5 lead to two spines.
const char* const two_leaves = "leaf-spine:2,2,4";

TEST(AdaptiveRouting, TakesAnotherShortestRouteWhereTheFirstIsTaken) {
    const std::vector<RoutedSend> to_even_hosts = {{0, 4}, {1, 6}};
    EXPECT_EQ(moves_of(machine(two_leaves), to_even_hosts), "1: 0>4 | 2: 1>6") << "the fixed routes share a spine";
    EXPECT_EQ(moves_of(adaptive(machine(two_leaves)), to_even_hosts), "1: 0>4 1>6");
}

TEST(AdaptiveRouting, WaitsWhereNoShortestRouteIsFree) {
    const std::vector<RoutedSend> three = {{0, 4}, {1, 6}, {2, 5}};
    EXPECT_EQ(moves_of(adaptive(machine(two_leaves)), three), "1: 0>4 1>6 | 2: 2>5");
    const test::Outcome strict = test::run(job_sending(test::strict(adaptive(machine(two_leaves))), three));
    const auto waits = std::ranges::find(strict.verdict.violations, Rule::strict, &Violation::rule);
    ASSERT_NE(waits, strict.verdict.violations.end());
    EXPECT_EQ(waits->breach, Breach::would_wait_channel);
    EXPECT_EQ(waits->other, 2U);
    EXPECT_EQ(waits->earlier_other, 0U) << "which has the first of its routes";
}

TEST(AdaptiveRouting, TriesPortsInTheirOrder) {
    const test::Outcome outcome = outcome_of(adaptive(machine(two_leaves)), {{0, 5}, {1, 7}});
    EXPECT_THAT(route_of(outcome.schedule, 0), ElementsAre(0, 4, 1, 1));
    EXPECT_THAT(route_of(outcome.schedule, 1), ElementsAre(0, 5, 1, 3));
    const test::Outcome fixed = outcome_of(machine(two_leaves), {{0, 5}});
    EXPECT_THAT(route_of(fixed.schedule, 0), ElementsAre(0, 5, 1, 1)) << "by the number of the target";
}

TEST(AdaptiveRouting, LeavesRoutesThatMessagesBring) {
    const std::vector<RoutedSend> both_by_one_spine = {{0, 4, {0, 4, 1, 0}}, {1, 6, {0, 4, 1, 2}}};
    EXPECT_EQ(moves_of(adaptive(machine(two_leaves)), both_by_one_spine), "1: 0>4 | 2: 1>6");
}

TEST(AdaptiveRouting, PassesSwitchesAndHostsOfWormholeMachines) {
    // Hosts 0 and 3 of rail:2,2 are two store-and-forward messages apart.
    EXPECT_EQ(moves_of(adaptive(wormhole(machine("rail:2,2", PortLimit(2)))), {{0, 3}, {0, 3}}), "1: 0>3 0>3");
    EXPECT_EQ(moves_of(adaptive(machine("nvswitch:3,2", PortLimit(2))), {{0, 1}, {0, 1}, {0, 1}}),
              "1: 0>1 0>1 | 2: 0>1");
}

TEST(AdaptiveRouting, UsesAllShortestPathsOfAWormholeMachine) {
    const Machine square = wormhole(machine("hypercube:2", PortLimit(2)));
    EXPECT_EQ(moves_of(square, {{0, 3}, {0, 3}}), "1: 0>3 | 2: 0>3");
    const test::Outcome both = outcome_of(adaptive(square), {{0, 3}, {0, 3}});
    EXPECT_EQ(test::text(both.schedule), "1: 0>3 0>3");
    EXPECT_THAT(route_of(both.schedule, 0), ElementsAre(0, 1));
    EXPECT_THAT(route_of(both.schedule, 1), ElementsAre(1, 0));
}

TEST(AdaptiveRouting, HeedsLimitsOfSwitchesAndHalfDuplexLinks) {
    Machine limited = adaptive(machine(two_leaves));
    limited.switch_limit = 1;
    EXPECT_EQ(moves_of(limited, {{0, 4}, {1, 6}}), "1: 0>4 | 2: 1>6") << "both pass the leaf";
    Machine half = adaptive(wormhole(machine("ring:4", PortLimit(2))));
    half.links = Duplex::half;
    EXPECT_EQ(moves_of(half, {{0, 2}, {2, 0}}), "1: 0>2 2>0") << "one each way round";
    half.topology = make_topology("line:3");
    EXPECT_EQ(moves_of(half, {{0, 2}, {2, 0}}), "1: 0>2 | 2: 2>0");
}

TEST(AdaptiveRouting, IsTheSameOnAllEnginesThreadsAndRanks) {
    std::vector<RoutedSend> all;
    for (NodeId v = 0; v < 8; ++v)
        for (NodeId step = 1; step < 8; ++step) all.push_back({v, (v + 3 * step) % 8});
    for (const Machine& any : {adaptive(machine(two_leaves)), adaptive(machine("nvswitch:8,3", PortLimit(2))),
                               adaptive(wormhole(machine("torus:2x4", PortLimit(2))))}) {
        const Job job = job_sending(any, all);
        const test::Outcome one = test::run(job);
        EXPECT_EQ(test::run(job, 4).schedule, one.schedule) << any.topology->spec();
        RunOptions free = test::on(EngineKind::free);
        Schedule freely;
        free.recorded_schedule = &freely;
        (void)run(job, free);
        EXPECT_EQ(test::moves(freely), test::moves(one.schedule)) << any.topology->spec();
        const std::vector<Schedule> on_ranks = at_each_rank(3, [&](Ranks& ranks) {
            RunOptions options;
            Schedule recorded;
            options.ranks = &ranks;
            options.partition_nodes = 1;
            options.recorded_schedule = &recorded;
            (void)run_lockstep(job, options);
            return recorded;
        });
        EXPECT_EQ(on_ranks.front(), one.schedule) << any.topology->spec();
    }
}

TEST(AdaptiveRouting, RunsFreeWhereMessagesDoNotMeet) {
    const Job job = job_sending(adaptive(machine(two_leaves)), {{0, 5}, {6, 1}});
    RunOptions free = test::on(EngineKind::free);
    Schedule freely;
    free.recorded_schedule = &freely;
    EXPECT_EQ(run(job, free).engine, EngineKind::free);
    EXPECT_EQ(test::moves(freely), test::moves(test::run(job).schedule));
}

}  // namespace
}  // namespace kport
