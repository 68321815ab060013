/// @file refused_jobs_test.cpp   What no run accepts: it is refused before, or told as a breach or an error of the program; never a crash.
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/bounds/bounds.hpp"
#include "algorithms/catalogue.hpp"
#include "emulator/audit/auditor.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/free_running.hpp"
#include "emulator/engine/mover.hpp"
#include "emulator/engine/replay.hpp"
#include "emulator/engine/script.hpp"
#include "emulator/node/exchange.hpp"
#include "emulator/node/forwarding.hpp"
#include "emulator/node/timetable.hpp"
#include "tests/rules/breaches.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::both_engines;
using test::on;

Program idle(Node&) { co_return; }

/// A broadcast along the nodes 0, 1, 2, ... of a line.
Program along(Node& self) {
    if (self.id() != 0) {
        const Arrival arrival = co_await self.receive();
        (void)arrival;
    }
    if (self.id() + 1 < self.topology().nodes()) co_await self.send(1, Packet());
}

Job on_line(NodeId nodes, ProgramFactory program, Operation operation = Operation::broadcast, std::uint64_t bytes = 8) {
    Job job;
    job.machine.topology = make_topology("line:" + std::to_string(nodes));
    job.program = std::move(program);
    job.starters = {0};
    job.collective = {operation, 0, bytes};
    return job;
}

Program sends_a_step_of_0(Node& self) {
    PacketSet packets(PacketBlock{1, 0, 1});
    co_await self.send(1, packets);
}

TEST(RefusedJob, AProgressionWithStepsOf0IsAnErrorOfTheProgramAlsoOfOnePacket) {
    for (const EngineKind engine : both_engines)
        for (const bool payload : {true, false}) {
            Job job = on_line(2, sends_a_step_of_0, Operation::scatter);
            job.payload = payload;
            EXPECT_THROW((void)run(job, on(engine)), ProgramError);
        }
}

TEST(RefusedJob, AProgressionWithStepsOf0IsNoScheduleEither) {
    const Job job = on_line(2, idle, Operation::scatter);
    EXPECT_THROW((void)test::judged(job.machine, Operation::scatter, {{1, 0, 1, {}, {PacketBlock{1, 0, 1}}}}),
                 RequestError);
}

TEST(RefusedJob, BytesThat64BitsDoNotCountAreRefused) {
    for (const EngineKind engine : both_engines) {
        Job sum = on_line(4, along, Operation::broadcast, std::uint64_t{1} << 63);
        sum.payload = false;
        EXPECT_THROW((void)run(sum, on(engine)), DoesNotFit);
        Job message = on_line(4, along, Operation::scatter, std::uint64_t{1} << 63);
        message.payload = false;
        EXPECT_THROW((void)run(message, on(engine)), DoesNotFit);
    }
}

TEST(RefusedJob, PricesThatAreNoneThreadsBeyondTheMostAndNoTopologyAreWrongRequests) {
    for (const double price :
         {std::numeric_limits<double>::quiet_NaN(), -1.0, std::numeric_limits<double>::infinity()}) {
        Job job = on_line(2, along);
        job.machine.costs.byte = price;
        EXPECT_THROW((void)run(job, {}), RequestError);
    }
    for (const EngineKind engine : both_engines) {
        RunOptions options = on(engine);
        options.threads = run_threads_max + 1;
        EXPECT_THROW((void)run(on_line(2, along), options), RequestError);
        Job nowhere = on_line(2, along);
        nowhere.machine.topology = nullptr;
        EXPECT_THROW((void)run(nowhere, on(engine)), RequestError);
    }
}

TEST(RefusedJob, AProgramThatWasMovedFromIsAnErrorOfTheProgram) {
    const auto moved_from = [](Node& self) {
        Program program = along(self);
        const Program taken = std::move(program);
        return program;  // NOLINT(bugprone-use-after-move): the subject
    };
    for (const EngineKind engine : both_engines)
        EXPECT_THROW((void)run(on_line(2, moved_from), on(engine)), ProgramError);
}

/// The refusal of a request; "none" if it is not refused.
template <class Use>
std::string refusal_of(const Use& use) {
    try {
        use();
    } catch (const RequestError& error) {
        return error.what();
    }
    return "none";
}

TEST(RefusedJob, AMachineWithoutATopologyIsRefusedByWhoeverIsGivenOne) {
    const std::string why = "the machine has no topology; want make_topology(...)";
    const Machine none;
    const Collective collective = Collective::broadcast(0, 8);
    for (const EngineKind engine : both_engines) {
        Job job = on_line(2, idle);
        job.machine = none;
        EXPECT_EQ(refusal_of([&] { (void)run(job, on(engine)); }), why);
    }
    EXPECT_EQ(refusal_of([&] { (void)audit({}, none, collective, false); }), why);
    EXPECT_EQ(refusal_of([&] { (void)replay({}, none, collective, {}); }), why);
    EXPECT_EQ(refusal_of([&] { (void)job_following(Schedule(), none, collective); }), why);
    EXPECT_EQ(refusal_of([&] { const Mover mover({}, none, collective, {}, 1); }), why);
    EXPECT_EQ(refusal_of([&] { (void)lower_bounds(none, {}); }), why);
    EXPECT_EQ(refusal_of([&] { (void)applicable(none, {}, {}); }), why);
    EXPECT_EQ(refusal_of([&] { (void)algorithm_named("sbt", none, {}, {}); }), why);
    EXPECT_EQ(refusal_of([&] { (void)make_job(catalogue().front(), none, {}, {}); }), why);
}

TEST(RefusedJob, AJobWithoutAProgramIsRefused) {
    for (const EngineKind engine : both_engines)
        EXPECT_EQ(refusal_of([&] { (void)run(on_line(2, nullptr), on(engine)); }),
                  "the job has no program; want a function that makes the program of a Node");
}

/// Every way to begin a run, of a job or a schedule of its own.
const std::vector<std::function<void()>> beginnings = {
    [] { (void)run(on_line(1, idle), on(EngineKind::lockstep)); },
    [] { (void)run(on_line(1, idle), on(EngineKind::free)); },
    [] { (void)run_lockstep(on_line(1, idle), {}); },
    [] {
        const Job job = on_line(1, idle);
        FreeRunning free(job, {});
    },
    [] { (void)replay({}, test::machine("line:2"), Collective::broadcast(0, 8), {}); },
};

TEST(ARunWithinANodeProgram, IsAnErrorOfTheProgramOnEveryEngineAndLeavesNothingBehind) {
    const auto says = [](const auto& begin, const std::string& who) {
        try {
            begin();
            ADD_FAILURE() << "accepted";
        } catch (const ProgramError& error) {
            EXPECT_EQ(error.what(),
                      who + ": a node program starts a run; start it when the run that the program is part of is over");
        }
    };
    for (const EngineKind engine : both_engines)
        for (const unsigned threads : {1U, 4U})
            for (const auto& begin : beginnings) {
                RunOptions options = on(engine);
                options.threads = threads;
                const auto at_once = [&](Node&) -> Program {
                    begin();
                    co_return;
                };
                says([&] { (void)run(on_line(1, at_once), options); }, "node 0 in round 1");
                const auto when_resumed = [&](Node& self) -> Program {
                    if (self.id() == 0) {
                        co_await self.send(1, Packet());
                    } else {
                        const Arrival arrival = co_await self.receive_from(0);
                        (void)arrival;
                        begin();
                    }
                };
                says([&] { (void)run(on_line(2, when_resumed), options); }, "node 1 in round 2");
                begin();
                EXPECT_TRUE(run(on_line(3, along), options).verdict.lawful());
            }
}

TEST(ARunWithinANodeProgram, IsRefusedOfAnEngineThatWasMadeBefore) {
    const Job job = on_line(3, along);
    FreeRunning free(job, {});
    const auto runs_it = [&](Node&) -> Program {
        (void)free.run();
        co_return;
    };
    for (const EngineKind engine : both_engines) {
        EXPECT_THROW((void)run(on_line(1, runs_it), on(engine)), ProgramError);
    }
    EXPECT_TRUE(free.run()->verdict.lawful());
}

/// Throws into the engine, where it is to say which node runs.
class BrokenOrder final : public Order {
  public:
    [[nodiscard]] std::size_t next(std::size_t) override { throw std::runtime_error("no order"); }
};

TEST(RefusedJob, TheStartersWaitForARoundEach) {
    for (const EngineKind engine : both_engines) {
        Job job = on_line(3, along);
        job.starters_wait_until = {1, 2};
        EXPECT_THROW((void)run(job, on(engine)), RequestError);
        job.starters_wait_until = {1};
        EXPECT_TRUE(run(job, on(engine)).verdict.lawful());
    }
}

TEST(ARunThatAnExceptionEnds, LetsTheNextOneOfItsThreadBegin) {
    for (const EngineKind engine : both_engines) {
        Job job = on_line(3, along);
        job.all_start = true;
        BrokenOrder order;
        RunOptions options = on(engine);
        options.order = &order;
        EXPECT_THROW((void)run(job, options), std::runtime_error);
        EXPECT_TRUE(run(job, on(engine)).verdict.lawful());
    }
}

TEST(ARecordedRun, ReplacesWhatTheScheduleHeldBefore) {
    Job job;
    job.machine = test::machine("line:3");
    job.collective = Collective::broadcast(0, 8);
    job.starters = {0};
    class Right final : public Forwarding {
      public:
        using Forwarding::Forwarding;
        [[nodiscard]] Port first(NodeId v, Port) const override { return v < 2 ? test::rightwards : no_port; }
        [[nodiscard]] Port next(NodeId, Port) const override { return no_port; }
    };
    job.program = PlanProgram(std::make_shared<Right>(job.collective));
    Schedule schedule;
    RunOptions options;
    options.recorded_schedule = &schedule;
    for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free, EngineKind::lockstep}) {
        options.engine = engine;
        (void)run(job, options);
        EXPECT_EQ(schedule.size(), 2U);
    }
}

TEST(ASchedule, WhoseRoundsGoBackIsRefused) {
    const Port port = 0;
    const PacketBlock packet{0};
    const Transfer transfer{0, 1, {&port, 1}, {&packet, 1}};
    Schedule schedule;
    schedule.add(3, transfer);
    EXPECT_THROW(schedule.add(2, transfer), RequestError);
    EXPECT_EQ(schedule.size(), 1U);
    schedule.add_silent(4, 2);
    EXPECT_THROW(schedule.add_silent(5, 1), RequestError);
}

TEST(AnAuditor, OfARootThatIsNoNodeIsRefused) {
    const Machine machine = test::machine("line:3");
    EXPECT_THROW(Auditor(machine, Collective::broadcast(3, 8), 1, false), RequestError);
    EXPECT_THROW(Auditor(machine, Collective::broadcast(0, 8), 1, false, 10, {}, true, true), RequestError)
        << "one packet is not audited briefly";
}

TEST(ARun, OfWhichAnOptionCannotBeIsRefused) {
    Job job;
    job.machine = test::machine("line:3");
    job.collective = Collective::scatter(0, 8);
    job.starters = {0};
    job.program = [](Node&) -> Program { co_return; };
    Sabotage harmless(Fault::corrupt);
    const auto refuses = [&](const auto& change) {
        Job changed = job;
        RunOptions options;
        change(changed, options);
        EXPECT_THROW((void)run_lockstep(changed, options), RequestError);
    };
    refuses([](Job&, RunOptions& options) { options.partition_nodes = 0; });
    refuses([](Job&, RunOptions& options) { options.partition_nodes = ~NodeId{0}; });
    refuses([&](Job&, RunOptions& options) {
        options.sabotage = &harmless;
        options.threads = 2;
    });
    refuses([](Job& changed, RunOptions&) {
        auto brought = std::make_shared<Holdings>();
        brought->of_node.resize(3);
        brought->of_node[0].packets = PacketSet::range(0, 3);
        brought->of_node[0].bytes.resize(16);
        changed.brought = brought;
    });
}

TEST(AProgramOfAText, WithoutATextIsRefused) { EXPECT_THROW(PlanProgram(nullptr), RequestError); }

}  // namespace
}  // namespace kport
