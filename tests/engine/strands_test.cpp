/// @file strands_test.cpp   Nodes that run several programs at once: who sends, who receives, who runs, and how they end.
#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/engine/order.hpp"
#include "tests/engine/notes.hpp"
#include "tests/engine/own_runs.hpp"

namespace kport {
namespace {

using test::both_engines;
using test::leftwards;
using test::machine;
using test::Notes;
using test::on;
using test::own_job;
using test::rightwards;
using test::run_everywhere;
using test::told;
using testing::ElementsAre;
using testing::IsEmpty;

/// A free run is given up: strands need rounds.
template <class Check>
Verdict run_strands(const Job& job, const Check& check) {
    return run_everywhere(job, check, NeedsRounds::order);
}

std::string moves(const Job& job) {
    const test::Outcome outcome = test::run(job);
    EXPECT_THAT(test::sentences(outcome.verdict, *job.machine.topology), IsEmpty());
    return test::text(outcome.schedule);
}

// ------------------------------------------------------------------------------------------------------------ sending

Program send_times(Node& self, Port port, int times) {
    for (int i = 0; i < times; ++i) co_await self.send(port, Data(i));
}

Program send_both_ways(Node& self, int times) {
    co_await self.when_all(send_times(self, leftwards, times), send_times(self, rightwards, times));
}

Job from_the_middle(PortLimit ports, ProgramFactory program) {
    return own_job(machine("line:3", ports), [=](Node& self) -> Program {
        if (self.id() == 1) co_await program(self);
    });
}

TEST(Strands, TakeTurnsAtAPort) {
    const auto program = [](Node& self) { return send_both_ways(self, 3); };
    // Leftwards has asked twice before rightwards asks first.
    EXPECT_EQ(moves(from_the_middle(PortLimit(1), program)), "1: 1>0 | 2: 1>0 | 3: 1>2 | 4: 1>0 | 5: 1>2 | 6: 1>2");
    EXPECT_EQ(moves(from_the_middle(PortLimit(2), program)), "1: 1>0 1>2 | 2: 1>0 1>2 | 3: 1>0 1>2");
    run_strands(from_the_middle(PortLimit(1), program), [] {});
}

Program send_together_times(Node& self, int times) {
    const Data data(1);
    const std::vector<SendRequest> sends(static_cast<std::size_t>(times), SendRequest(leftwards, data));
    co_await self.send_together(sends);
}

TEST(Strands, ThatHaveStartedSomeSendsStandBehindTheOthers) {
    const auto program = [](Node& self) -> Program {
        co_await self.when_all(send_together_times(self, 3), send_times(self, rightwards, 2));
    };
    EXPECT_EQ(moves(from_the_middle(PortLimit(1), program)), "1: 1>0 | 2: 1>0 | 3: 1>2 | 4: 1>0 | 5: 1>2");
}

/// Of three ports a strand that asks for many has what the others leave.
TEST(Strands, ThatWaitForAPortGoBeforeThoseThatAskAnew) {
    const auto send_all = [](Node& self, std::vector<Port> ports) -> Program {
        for (const Port port : ports) co_await self.send(port, Data(1));
    };
    const Job job = own_job(machine("complete:7", PortLimit(2)), [=](Node& self) -> Program {
        if (self.id() != 0) co_return;
        const std::vector<Port> four{0, 1, 2, 3};
        const std::vector<Port> two{4, 5};
        co_await self.when_all(send_all(self, four), send_all(self, two));
    });
    EXPECT_EQ(moves(job), "1: 0>1 0>2 | 2: 0>3 0>5 | 3: 0>4 0>6");
}

/// Three strands on a machine where claims compete: the arbiter makes messages wait, and their ports with them.
TEST(Strands, AreTheSameOnEveryMachineAndNumberOfThreads) {
    const auto exchange = [](Node& self, Port port, int times, std::vector<int>& sums) -> Program {
        for (int i = 0; i < times; ++i) {
            co_await self.send(port, Data(static_cast<int>(self.id()) + i));
            const Arrival arrival = co_await self.receive(port);
            sums[self.id()] += arrival.as<int>();
        }
    };
    std::vector<Machine> machines{machine("hypercube:3"), machine("hypercube:3", PortLimit(2)),
                                  machine("hypercube:3", PortLimit::all()), test::half_duplex(machine("hypercube:3")),
                                  test::half_duplex(machine("hypercube:3", PortLimit(2)))};
    machines.push_back(machine("hypercube:3"));
    machines.back().pairwise = true;
    machines.push_back(machine("hypercube:3", PortLimit::all()));
    machines.back().links = Duplex::half;
    for (const Machine& each : machines) {
        std::vector<int> sums(8);
        const Job job = own_job(each, [&](Node& self) -> Program {
            co_await self.when_all(exchange(self, 0, 2, sums), exchange(self, 1, 3, sums), exchange(self, 2, 1, sums));
        });
        const Verdict verdict = run_strands(job, [&] {
            for (NodeId v = 0; v < 8; ++v) {
                const auto other = [&](NodeId bit) { return static_cast<int>(v ^ bit); };
                EXPECT_EQ(std::exchange(sums[v], 0), 2 * other(1) + 1 + 3 * other(2) + 3 + other(4));
            }
        });
        EXPECT_TRUE(verdict.lawful()) << each.describe();
        EXPECT_EQ(verdict.metrics.transfers, 8U * 6);
        EXPECT_GE(verdict.metrics.rounds, each.ports == PortLimit::all() ? 3U : 6U / each.ports.k());
    }
}

TEST(AStrand, ThatSendsToATargetThatIsNotThereWhenItsTurnComesFailsThen) {
    const Job job = from_the_middle(PortLimit(1), [](Node& self) -> Program {
        co_await self.when_all(send_times(self, leftwards, 2), send_times(self, 7, 1), send_times(self, rightwards, 1));
    });
    for (const EngineKind engine : both_engines)
        EXPECT_EQ(test::complaint(job, engine), "node 1 in round 3: node 1 has no port 7");
}

// ---------------------------------------------------------------------------------------------------------- receiving

Program note_any(Node& self, std::string name, int times, Notes& notes) {
    for (int i = 0; i < times; ++i) {
        const Arrival arrival = co_await self.receive();
        notes.push_back(name + ": " + told(arrival, self.round()));
    }
}
Program note_by(Node& self, std::string name, Port port, int times, Notes& notes) {
    for (int i = 0; i < times; ++i) {
        const Arrival arrival = co_await self.receive(port);
        notes.push_back(name + ": " + told(arrival, self.round()));
    }
}

/// Both ends of the line send twice to the node in the middle.
Job to_the_middle(ProgramFactory middle) {
    return own_job(machine("line:3", PortLimit(2)), [=](Node& self) -> Program {
        if (self.id() == 1)
            co_await middle(self);
        else
            co_await send_times(self, self.id() == 0 ? rightwards : leftwards, 2);
    });
}

TEST(AMessage, GoesToTheStrandThatAskedFirst) {
    Notes notes;
    const Job any_first = to_the_middle([&](Node& self) -> Program {
        notes.clear();  // what an engine that gave up has left
        co_await self.when_all(note_any(self, "any", 2, notes), note_by(self, "right", rightwards, 2, notes));
    });
    run_strands(any_first, [&] {
        // Having taken one, "any" stands behind "right" for the other.
        EXPECT_THAT(notes, ElementsAre("any: 0 by 0 in 1 at 2", "right: 2 by 1 in 1 at 2", "any: 0 by 0 in 2 at 3",
                                       "right: 2 by 1 in 2 at 3"));
    });
    const Job right_first = to_the_middle([&](Node& self) -> Program {
        notes.clear();  // what an engine that gave up has left
        co_await self.when_all(note_by(self, "right", rightwards, 1, notes), note_any(self, "any", 3, notes));
    });
    run_strands(right_first, [&] {
        EXPECT_THAT(notes, ElementsAre("right: 2 by 1 in 1 at 2", "any: 0 by 0 in 1 at 2", "any: 0 by 0 in 2 at 3",
                                       "any: 2 by 1 in 2 at 3"));
    });
}

TEST(AMessage, OfSeveralForTheSameStrandsGoesToEachInTurn) {
    Notes notes;
    const Job job = to_the_middle([&](Node& self) -> Program {
        notes.clear();           // what an engine that gave up has left
        co_await self.until(4);  // all have come
        co_await self.when_all(note_any(self, "a", 2, notes), note_any(self, "b", 2, notes));
    });
    run_strands(job, [&] {
        EXPECT_THAT(notes, ElementsAre("a: 0 by 0 in 1 at 4", "b: 2 by 1 in 1 at 4", "a: 0 by 0 in 2 at 4",
                                       "b: 2 by 1 in 2 at 4"));
    });
}

TEST(AMessage, ThatStartsANodeIsReceivedByItsStrands) {
    Notes notes;
    Job job = to_the_middle([&](Node& self) -> Program {
        notes.clear();  // what an engine that gave up has left
        co_await self.when_all(note_by(self, "right", rightwards, 2, notes),
                               note_by(self, "left", leftwards, 2, notes));
    });
    job.all_start = false;
    job.starters = {0, 2};
    run_strands(job, [&] {
        EXPECT_THAT(notes, ElementsAre("right: 2 by 1 in 1 at 2", "left: 0 by 0 in 1 at 2", "right: 2 by 1 in 2 at 3",
                                       "left: 0 by 0 in 2 at 3"));
    });
}

Program note_choice(Node& self, Notes& notes) {
    const std::array<Port, 2> ports{leftwards, rightwards};
    const std::array<NodeId, 2> senders{0, 2};
    const Arrival by_port = co_await self.receive(ports);
    notes.push_back("choice: " + told(by_port, self.round()));
    const Arrival of_sender = co_await self.receive_from(senders);
    notes.push_back("choice: " + told(of_sender, self.round()));
}

TEST(Strands, ReceiveOneOfSeveralTooAndServe) {
    Notes notes;
    const auto serve = [&](Node& self) -> Program {
        while (true) {
            const Arrival arrival = co_await self.serve();
            notes.push_back("served: " + told(arrival, self.round()));
        }
    };
    const Job job = to_the_middle([&](Node& self) -> Program {
        notes.clear();
        co_await self.when_all(note_choice(self, notes), serve(self));
    });
    const Verdict verdict = run_strands(job, [&] {
        EXPECT_THAT(notes, ElementsAre("choice: 0 by 0 in 1 at 2", "served: 2 by 1 in 1 at 2",
                                       "choice: 0 by 0 in 2 at 3", "served: 2 by 1 in 2 at 3"));
    });
    EXPECT_TRUE(verdict.lawful()) << "who waits for a server's end waits as it does";
}

// ------------------------------------------------------------------------------------------------------- spawn and join

Program note_rounds(Node& self, std::string name, Round last, Notes& notes) {
    while (self.round() < last) {
        notes.push_back(fmt::format("{} at {}", name, self.round()));
        co_await self.next_round();
    }
    notes.push_back(name + " ends");
}

Job alone(ProgramFactory program) {
    return own_job(machine("line:2"), [=](Node& self) -> Program {
        if (self.id() == 0) co_await program(self);
        if (self.id() == 0) co_await self.send(rightwards, Data(1));  // rounds count up to the last message
    });
}

TEST(Spawn, BeginsAStrandOnceTheOthersWait) {
    Notes notes;
    const Job job = alone([&](Node& self) -> Program {
        notes.clear();
        self.spawn(note_rounds(self, "a", 2, notes));
        self.spawn(note_rounds(self, "b", 3, notes));
        notes.emplace_back("spawned");
        co_await self.next_round();
        notes.emplace_back("again");
        co_await self.join();
        notes.emplace_back("joined");
    });
    run_strands(job, [&] {
        EXPECT_THAT(notes, ElementsAre("spawned", "a at 1", "b at 1", "again", "a ends", "b at 2", "b ends", "joined"));
    });
}

TEST(Join, WaitsForTheStrandsThatThisOneHasSpawnedAlone) {
    Notes notes;
    const auto inner = [&](Node& self) -> Program {
        self.spawn(note_rounds(self, "inner", 2, notes));
        co_await self.join();
        notes.emplace_back("inner joined");
    };
    const Job job = alone([&](Node& self) -> Program {
        notes.clear();
        co_await self.join();  // for none
        self.spawn(note_rounds(self, "outer", 4, notes));
        co_await self.when_all(inner(self), note_rounds(self, "beside", 3, notes));
        notes.emplace_back("all");
        co_await self.join();
        notes.emplace_back("outer joined");
    });
    run_strands(job, [&] {
        EXPECT_THAT(notes,
                    ElementsAre("outer at 1", "beside at 1", "inner at 1", "outer at 2", "beside at 2", "inner ends",
                                "inner joined", "outer at 3", "beside ends", "all", "outer ends", "outer joined"));
    });
}

TEST(ANode, EndsWithItsLastStrand) {
    Notes notes;
    const Job job = own_job(machine("line:2"), [&](Node& self) -> Program {
        if (self.id() == 1) {
            const Arrival arrival = co_await self.receive(leftwards);
            notes = {told(arrival, self.round())};
            co_return;
        }
        self.spawn(send_times(self, rightwards, 1));
    });
    const Verdict verdict = run_strands(job, [&] { EXPECT_THAT(notes, ElementsAre("0 by 0 in 1 at 2")); });
    EXPECT_TRUE(verdict.lawful());
}

TEST(Spawn, OfAProgramMayPrecedeTheNodesOwn) {
    std::vector<int> seen;
    const Job job = own_job(machine("line:2"), [&](Node& self) {
        if (self.id() == 0) self.spawn(send_times(self, rightwards, 2));
        return self.id() == 0 ? send_times(self, rightwards, 1) : send_times(self, leftwards, 0);
    });
    EXPECT_EQ(moves(job), "1: 0>1 | 2: 0>1 | 3: 0>1");
}

Program spawn_many(Node& self, NodeId first, NodeId last, std::vector<int>& sent) {
    if (last - first == 1) {
        co_await self.send_to(first, Data(1));
        ++sent[first];
        co_return;
    }
    const NodeId middle = first + (last - first) / 2;
    co_await self.when_all(spawn_many(self, first, middle, sent), spawn_many(self, middle, last, sent));
}

TEST(Strands, MaySpawnStrandsInTheirTurn) {
    constexpr NodeId nodes = 200;
    std::vector<int> sent(nodes);
    const Job job = own_job(machine("complete:200", PortLimit(8)), [&](Node& self) -> Program {
        if (self.id() == 0) co_await spawn_many(self, 1, self.nodes(), sent);
    });
    const Verdict verdict = run_strands(job, [&] {
        EXPECT_EQ(std::ranges::count(sent, 1), nodes - 1);
        std::ranges::fill(sent, 0);
    });
    EXPECT_EQ(verdict.metrics.rounds, (nodes - 1 + 7) / 8);
}

TEST(Strands, InAnyOrderOfTheNodesAreTheSame) {
    std::string first;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        Notes notes;
        Job job = to_the_middle([&](Node& self) -> Program {
            notes.clear();  // what an engine that gave up has left
            co_await self.when_all(note_any(self, "a", 3, notes), note_rounds(self, "b", 4, notes),
                                   note_by(self, "c", rightwards, 1, notes));
        });
        if (seed % 2 == 1) {
            job.all_start = false;
            job.starters = {2, 0, 1};
        }
        SeededOrder order(seed);
        RunOptions options;
        options.order = &order;
        options.partition_nodes = 1 + seed % 3;
        EXPECT_TRUE(run_lockstep(job, options).verdict.lawful());
        std::string all = fmt::to_string(fmt::join(notes, ", "));
        if (first.empty()) first = all;
        EXPECT_EQ(all, first);
    }
}

// ----------------------------------------------------------------------------------------------------- what goes wrong

Program wait_by(Node& self, Port port) { co_await self.receive(port); }

TEST(Strands, ThatWaitForEverAreEachToldOf) {
    const Job job = own_job(machine("line:3"), [](Node& self) -> Program {
        if (self.id() == 1) co_await self.when_all(wait_by(self, leftwards), wait_by(self, rightwards));
    });
    for (const EngineKind engine : both_engines)
        EXPECT_THAT(test::sentences(run(job, on(engine)), job.machine),
                    ElementsAre("delivery broken: node 1 waits for ever for a message by port 0 from node 0",
                                "delivery broken: node 1 waits for ever for a message by port 1 from node 2"));
}

Program fail_at(Node& self, Round round) {
    co_await self.until(round);
    throw std::runtime_error("of a strand");
}

TEST(AnExceptionOfAStrand, EndsTheRunWithNodeAndRoundAndNoOtherStrandGoesOn) {
    bool went_on = false;
    const auto beside = [&](Node& self) -> Program {
        co_await self.until(3);
        went_on = true;
    };
    for (const bool spawned : {true, false}) {
        const Job job = alone([&, spawned](Node& self) -> Program {
            if (spawned) {
                self.spawn(fail_at(self, 3));
                self.spawn(beside(self));
                co_await self.join();
            } else {
                co_await self.when_all(fail_at(self, 3), beside(self));
            }
            went_on = true;
        });
        for (const EngineKind engine : both_engines) {
            try {
                (void)run(job, on(engine));
                ADD_FAILURE();
            } catch (const ProgramError& error) {
                EXPECT_STREQ(error.what(), "node 0 in round 3: of a strand");
                EXPECT_EQ(error.node, 0U);
                EXPECT_EQ(error.round, 3U);
            }
            EXPECT_FALSE(went_on);
        }
    }
}

TEST(Spawn, OfAProgramThatWasMovedFromIsAnErrorOfTheProgram) {
    const Job job = alone([](Node& self) -> Program {
        co_await self.next_round();
        Program program = send_times(self, rightwards, 1);
        self.spawn(std::move(program));
        self.spawn(std::move(program));  // NOLINT: that is the mistake
    });
    for (const EngineKind engine : both_engines)
        EXPECT_EQ(
            test::complaint(job, engine),
            "node 0 in round 2: the program of a strand is none: it was moved from, or made in a run that is over; "
            "make it anew");
}

/// Looks at what it refers to when it is destroyed.
struct Looks {
    Looks(const std::vector<int>& the_list, int& the_sum) : list(the_list), sum(the_sum) {}
    Looks(const Looks&) = delete;
    Looks& operator=(const Looks&) = delete;
    ~Looks() { sum += list[0]; }
    const std::vector<int>& list;
    int& sum;
};
Program look_and_wait(Node& self, const std::vector<int>& list, int& sum) {
    const Looks looks(list, sum);
    co_await self.serve();
}

TEST(Strands, ThatStillWaitAreTakenDownBeforeWhatTheyReferTo) {
    int sum = 0;
    const Job job = alone([&](Node& self) -> Program {
        const std::vector<int> list(1000, 7);  // under AddressSanitizer a later look is found
        self.spawn(look_and_wait(self, list, sum));
        self.spawn(look_and_wait(self, list, sum));
        co_await self.when_all(look_and_wait(self, list, sum), send_times(self, rightwards, 1));
    });
    EXPECT_TRUE(run_lockstep(job, {}).verdict.lawful());
    EXPECT_EQ(sum, 21);
    (void)run(job, on(EngineKind::free));
    EXPECT_GE(sum, 42) << "free the strands may not have begun, and are taken down all the same";
}

/// Promised packets go as contents do.
TEST(Strands, MoveThePacketsOfAnOperation) {
    const auto along = [](Node& self, Port from, Port to) -> Program {
        if (self.id() != 3) co_await self.receive(from);
        if (self.neighbour(to) != no_node) co_await self.send(to, Packet(0));
    };
    const Job job = test::job(machine("line:6", PortLimit(2)),
                              [=](Node& self) -> Program {
                                  if (self.id() == 3)
                                      co_await self.when_all(along(self, rightwards, leftwards),
                                                             along(self, leftwards, rightwards));
                                  else if (self.id() < 3)
                                      co_await along(self, rightwards, leftwards);
                                  else
                                      co_await along(self, leftwards, rightwards);
                              },
                              {3});
    for (const EngineKind engine : both_engines) {
        const RunResult result = run(job, on(engine));
        EXPECT_TRUE(result.verdict.lawful());
        EXPECT_EQ(result.verdict.metrics.rounds, 3U);
        EXPECT_EQ(result.needs_rounds, engine == EngineKind::free ? NeedsRounds::order : NeedsRounds::no);
    }
}

}  // namespace
}  // namespace kport
