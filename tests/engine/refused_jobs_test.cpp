/// @file refused_jobs_test.cpp   What no run accepts: it is refused before, or told as a breach or an error of the program; never a crash.
#include <limits>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
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

}  // namespace
}  // namespace kport
