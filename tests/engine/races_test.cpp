/// @file races_test.cpp   Runs on several threads under ThreadSanitizer, twenty times: small, but with every way in
///                        which the tasks of a round can meet.
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "emulator/engine/free_running.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::Outcome;
using test::run;

constexpr unsigned threads = 4;

/// Alike on one thread and on several.
void expect_same(const Job& job) {
    const Outcome one = run(job, 1);
    const Outcome many = run(job, threads);
    EXPECT_EQ(test::text(many.verdict, *job.machine.topology), test::text(one.verdict, *job.machine.topology));
    EXPECT_TRUE(many.schedule == one.schedule);
}

Job broadcast(const char* name, const Machine& machine) {
    Collective collective;
    return make_job(algorithm_named(name, machine, collective, {}), machine, collective, {});
}

// 20 000 nodes are four partitions; most of their rounds have enough to do for several threads.

TEST(Threads, MeetInABroadcastWithPayload) {
    expect_same(broadcast("flooding", test::machine("torus:10x20x100", PortLimit::all())));
    expect_same(broadcast("sbt", test::machine("hypercube:14")));
}

TEST(Threads, MeetInTheArbiter) { expect_same(broadcast("euler-rda", test::wormhole(test::machine("mesh:100x200")))); }

/// Every node sends to a neighbour, some neighbours get too many messages, and some nodes wait for one.
Program jostle(Node& self) {
    const Port ports = self.topology().ports();
    co_await self.send(static_cast<Port>(self.id() * 7 % ports), Packet(0));
    if (self.id() % 3 == 0) co_await self.receive();
    co_await self.send(static_cast<Port>(self.id() * 5 % ports), Packet(0));
}

TEST(Threads, MeetAtContendedReceivers) {
    Job job = test::job_of_all(test::machine("torus:100x200"), jostle);
    job.payload = false;
    expect_same(job);
    job.machine.ports = PortLimit(2);
    job.machine.duplex = Duplex::half;
    expect_same(job);
}

/// Every node sends in round 1 the packet that only node 0 holds, on all ports: no receiver is contended.
Program send_unheld(Node& self) {
    for (Port port = 0; port < self.topology().ports(); ++port) co_await self.send(port, Packet(0));
    if (self.id() % 2 == 0) co_await self.receive();
    co_await self.send(0, Packet(0));
}

TEST(Threads, MeetWhereNodesSendWhatTheyDoNotHold) {
    expect_same(test::job_of_all(test::machine("torus:100x200", PortLimit::all()), send_unheld));
}

Program fail_on_many_nodes(Node& self) {
    co_await self.next_round();
    if (self.id() % 3000 == 2999) throw std::runtime_error("out");
    co_await self.receive();
}

TEST(Threads, MeetInAFailure) {
    const Job job = test::job_of_all(test::machine("ring:20000"), fail_on_many_nodes);
    try {
        run(job, threads);
        FAIL() << "the run did not fail";
    } catch (const ProgramError& error) {
        EXPECT_EQ(error.node, 2999U);
        EXPECT_EQ(error.round, 2U);
    }
}

// ---- bundles and values: bodies are made by one task and end at another

Job operation(const char* name, Operation operation, const Machine& machine) {
    Collective collective;
    collective.operation = operation;
    collective.packet_bytes = 8;
    return make_job(algorithm_named(name, machine, collective, {}), machine, collective, {});
}

TEST(Threads, MeetInAScatterOfBundles) {
    const Machine cube = test::machine("hypercube:14");
    expect_same(operation("sbt", Operation::scatter, cube));
    expect_same(operation("euler-rda", Operation::scatter, test::wormhole(test::machine("mesh:100x100"))));
}

TEST(Threads, MeetInAnAllgather) {
    Job job = operation("exchange", Operation::allgather, test::machine("hypercube:13"));
    job.payload = false;
    expect_same(job);
}

/// Two of the exchanges of an all-reduce, one within a block of nodes and one across: every way in which values meet, with a
/// sixth of the messages.
Program exchange_twice(Node& self) {
    Value total = self.contribution();
    for (Port port = 0; port <= 12; port += 12) {
        co_await self.send(port, total);
        const Arrival arrival = co_await self.receive(port);
        total = arrival.from < self.id() ? self.fold(arrival.value(), total) : self.fold(total, arrival.value());
    }
    self.result(total);
}

TEST(Threads, MeetInReductions) {
    Job job = test::job_of_all(test::machine("hypercube:13"), exchange_twice);
    for (const std::uint64_t bytes : {24U, 8U}) {  // values with a body each, and elements
        job.collective = {Operation::allreduce, 0, bytes};
        expect_same(job);
    }
}

/// Bundles to neighbours, some of them passed on, some coming twice or coming home, and some that their sender lacks.
Program jostle_with_bundles(Node& self) {
    const Port ports = self.topology().ports();
    const PacketSet own = PacketSet::range(self.id(), self.id() + 1);
    co_await self.send(static_cast<Port>(self.id() * 7 % ports), own);
    if (self.id() % 3 == 0) {
        const Arrival arrival = co_await self.receive();
        const PacketSet came = arrival.packets();
        co_await self.pass(static_cast<Port>(self.id() * 5 % ports), came);
        co_await self.send(static_cast<Port>(self.id() * 3 % ports), came);
    }
    if (self.id() % 1000 == 1) {
        const PacketSet unheld = PacketSet::range(3, 9);
        co_await self.send(static_cast<Port>(self.id() % ports), unheld);
    }
    co_await self.send(static_cast<Port>(self.id() * 5 % ports), own);
}

TEST(Threads, MeetInCompetingBundles) {
    for (const PortLimit limit : {PortLimit(1), PortLimit::all()}) {
        const std::uint64_t bytes = limit.is_all() ? 8 : 3000;  // from a pool, and beyond it
        Job job = test::job_of_all(test::machine("torus:91x91", limit), jostle_with_bundles);
        job.collective = {Operation::allgather, 0, bytes};
        expect_same(job);
    }
}

Program fail_with_bundles(Node& self) {
    const PacketSet own = PacketSet::range(self.id(), self.id() + 1);
    co_await self.send(static_cast<Port>(self.id() % 2), own);
    const Arrival arrival = co_await self.receive();
    co_await self.send(static_cast<Port>(arrival.from % 2), own);
    if (self.id() % 3000 == 2999) throw std::runtime_error("out");
    co_await self.receive();
}

TEST(Threads, MeetInAFailureWithBundles) {
    Job job = test::job_of_all(test::machine("torus:20000"), fail_with_bundles);
    job.collective = {Operation::allgather, 0, 4000};
    try {
        run(job, threads);
        FAIL() << "the run did not fail";
    } catch (const ProgramError& error) {
        EXPECT_EQ(error.node % 3000, 2999U);
    }
}

// ---- without rounds: nodes that wake each other, on any thread

void expect_same_without_rounds(const Job& job) {
    const std::string right = test::text(run(job, 1).verdict, *job.machine.topology);
    RunOptions options;
    options.threads = threads;
    options.per_round = true;
    FreeRunning engine(job, options);
    for (int again = 0; again < 3; ++again) {
        const auto result = engine.run();
        ASSERT_TRUE(result);
        EXPECT_EQ(test::text(result->verdict, *job.machine.topology), right);
    }
}

TEST(Threads, MeetWithoutRoundsInABroadcast) {
    expect_same_without_rounds(broadcast("sbt", test::machine("hypercube:10", PortLimit::all())));
    expect_same_without_rounds(broadcast("controlled-flooding", test::machine("torus:12x12", PortLimit(2))));
}

TEST(Threads, MeetWithoutRoundsInBundlesAndValues) {
    expect_same_without_rounds(operation("exchange", Operation::alltoall, test::machine("hypercube:6")));
    expect_same_without_rounds(operation("ring", Operation::allgather, test::machine("ring:24")));
    Job job = operation("exchange", Operation::allreduce, test::machine("hypercube:8"));
    expect_same_without_rounds(job);
    job.collective.packet_bytes = 24;
    expect_same_without_rounds(job);
}

}  // namespace
}  // namespace kport
