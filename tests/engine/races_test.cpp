/// @file races_test.cpp   Runs on several threads that ThreadSanitizer watches twenty times: small, but with every way in
///                        which the tasks of a round can meet.
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::Outcome;
using test::run;

constexpr unsigned threads = 4;

/// The same on one thread and on several.
void expect_same(const Job& job) {
    const Outcome one = run(job, 1);
    const Outcome many = run(job, threads);
    EXPECT_EQ(test::text(many.verdict, *job.machine.topology), test::text(one.verdict, *job.machine.topology));
    EXPECT_TRUE(many.schedule == one.schedule);
}

Job broadcast(const char* name, const Machine& machine) {
    Request request;
    return make_job(algorithm_named(name, machine, request, {}), machine, request, {});
}

// 20 000 nodes are four partitions; most of their rounds have enough to do for several threads.

TEST(Threads, MeetInABroadcastWithPayload) {
    expect_same(broadcast("flooding", test::machine("torus:10x20x100", PortLimit::all())));
    expect_same(broadcast("sbt", test::machine("hypercube:14")));
}

TEST(Threads, MeetInTheArbiter) { expect_same(broadcast("euler-rda", test::wormhole(test::machine("mesh:100x200")))); }

/// Everybody sends to a neighbour that may have too many messages to take, and some wait for one.
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

/// Everybody sends in round 1 what only node 0 holds, all ports at once: no receiver is contended.
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

}  // namespace
}  // namespace kport
