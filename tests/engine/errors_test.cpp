/// @file errors_test.cpp   Programs that fail, the programs beside them, and targets that do not exist.
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::both_engines;
using test::job;
using test::job_of_all;
using test::leftwards;
using test::machine;
using test::on;
using test::Outcome;
using test::rightwards;
using test::run;
using test::text;
using testing::ElementsAre;
using testing::HasSubstr;

// ------------------------------------------------------------------------------------------ senders that are not there

TEST(ASenderBeyondTheMachine, IsWaitedForForEver) {
    // However large its number: none stands for node 0, for another sender or for a port.
    for (const EngineKind engine : both_engines)
        for (const NodeId beyond :
             {NodeId{2}, NodeId{1} << 32, (NodeId{1} << 32) + 1, NodeId{0xFFFFFFFE}, NodeId{no_port}, no_node}) {
            const Machine line = machine("line:2");
            const auto program = [=](Node& self) -> Program {
                if (self.id() == 0)
                    co_await self.send(rightwards, Packet(0));
                else
                    co_await self.receive_from(beyond);
            };
            const RunResult result = kport::run(job(line, program, {0}), on(engine));
            EXPECT_THAT(
                test::sentences(result, line),
                ElementsAre("delivery broken: node 1 waits for ever for a message from a node that is not there: "
                            "line:2 has nodes 0 to 1"))
                << beyond;
        }
}

// ------------------------------------------------------------------------------------------------------ another's node

/// Node 1 has kept where the Node of node 0 lies, which waits, or is gone.
TEST(TheNodeOfAnother, IsRefusedHoweverItIsUsed) {
    const std::vector<std::function<Program(Node&)>> uses = {
        [](Node& other) -> Program { co_await other.send(rightwards, Packet(0)); },
        [](Node& other) -> Program { co_await other.receive(); },
        [](Node& other) -> Program { co_await other.next_round(); },
        [](Node& other) -> Program {
            (void)other.round();
            co_return;
        },
        [](Node& other) -> Program {
            (void)other.has_arrival();
            co_return;
        },
        [](Node& other) -> Program {
            (void)other.has_arrival(leftwards);
            co_return;
        },
        [](Node& other) -> Program {
            (void)other.concatenate(std::span<const Value* const>());
            co_return;
        },
        [](Node& other) -> Program {
            (void)other.cut(Value(), PacketSet());
            co_return;
        },
        [](Node& other) -> Program {
            other.spawn([](Node&) -> Program { co_return; }(other));
            co_return;
        }};
    for (const EngineKind engine : both_engines)
        for (const bool gone : {false, true})
            for (const auto& use : uses) {
                // Without rounds node 0 may be over before node 1 has a Node, which may lie there then.
                if (gone && engine == EngineKind::free) continue;
                Node* first = nullptr;
                const auto program = [&](Node& self) -> Program {
                    if (self.id() == 0) {
                        first = &self;
                        co_await self.send(rightwards, Packet(0));
                        co_await self.next_round();
                        if (!gone) co_await self.receive();
                    } else {
                        co_await self.receive();
                        co_await self.next_round();
                        co_await use(*first);
                    }
                };
                try {
                    (void)kport::run(job_of_all(machine("line:2"), program), on(engine));
                    ADD_FAILURE() << "it ran";
                } catch (const ProgramError& error) {
                    EXPECT_EQ(error.node, 1U);
                    EXPECT_THAT(error.what(), HasSubstr("uses the Node of another node; want its own"));
                }
            }
}

// ---------------------------------------------------------------------------------------------------------- exceptions

Program ends_at_once(Node&) { co_return; }

struct Failure {
    NodeId node = no_node;
    Round round = 0;
    std::string text;
    std::string nested;
};

Failure failure_on(EngineKind engine, const Job& job, unsigned threads) {
    RunOptions options = on(engine);
    options.threads = threads;
    Failure failure;
    try {
        (void)kport::run(job, options);
        ADD_FAILURE() << "the run did not fail";
    } catch (const ProgramError& error) {
        failure = {error.node, error.round, error.what(), ""};
        try {
            std::rethrow_if_nested(error);
        } catch (const std::exception& nested) {
            failure.nested = nested.what();
        } catch (int) {
            failure.nested = "an int";
        }
    }
    return failure;
}

/// On every engine alike.
Failure failure_of(const Job& job, unsigned threads = 1) {
    Failure failure = failure_on(EngineKind::lockstep, job, threads);
    const Failure free = failure_on(EngineKind::free, job, threads);
    EXPECT_EQ(free.text, failure.text);
    EXPECT_EQ(free.nested, failure.nested);
    return failure;
}

Program fail_in_round_3(Node& self) {
    co_await self.next_round();
    co_await self.next_round();
    if (self.id() == 2 || self.id() == 3) throw std::runtime_error(fmt::format("number {} fails", self.id()));
    co_await self.receive();
}

TEST(AnEscapedException, NamesTheLowestNodeAndTheRound) {
    const Failure failure = failure_of(job_of_all(machine("line:5"), fail_in_round_3));
    EXPECT_EQ(failure.node, 2U);
    EXPECT_EQ(failure.round, 3U);
    EXPECT_EQ(failure.text, "node 2 in round 3: number 2 fails");
    EXPECT_EQ(failure.nested, "number 2 fails");
}

TEST(AnEscapedException, OfAnyThreadIsTheLowestNodes) {
    const auto program = [](Node& self) -> Program {
        if (self.id() % 5000 == 4999) throw std::runtime_error("out");
        co_return;
    };
    for (const unsigned threads : {1U, 2U, 8U}) {
        const Failure failure = failure_of(job_of_all(machine("ring:50000"), program), threads);
        EXPECT_EQ(failure.node, 4999U);
        EXPECT_EQ(failure.text, "node 4999 in round 1: out");
    }
}

TEST(AnEscapedException, OfNeighboursInDifferentPartitionsIsTheLowerNodes) {
    // Nodes are dealt out in blocks of a power of 2.
    for (NodeId last = 15; last < 50000; last = 2 * last + 1)
        for (const NodeId lower : {last, 2 * last + 1}) {
            if (lower + 1 >= 50000) continue;
            const auto program = [=](Node& self) -> Program {
                if (self.id() == lower || self.id() == lower + 1) throw std::runtime_error("out");
                co_return;
            };
            EXPECT_EQ(failure_of(job(machine("ring:50000"), program, {lower, lower + 1})).node, lower);
        }
}

TEST(AnEscapedException, EndsAllOtherPrograms) {
    const auto kept = std::make_shared<int>(0);
    const auto program = [&](Node& self) -> Program {
        const auto own = kept;
        co_await self.next_round();
        if (self.id() == 3) throw std::runtime_error("out");
        co_await self.receive();
    };
    for (const EngineKind engine : both_engines)
        for (const unsigned threads : {1U, 2U}) {
            RunOptions options = on(engine);
            options.threads = threads;
            EXPECT_THROW((void)kport::run(job_of_all(machine("ring:9000"), program), options), ProgramError);
            EXPECT_EQ(kept.use_count(), 1);
        }
}

TEST(AnEscapedException, LeavesNothingOfMessagesThatWait) {
    // Large enough for memory of their own, so that leak checkers find it.
    Job crowd = job_of_all(machine("complete:5"), [](Node& self) -> Program {
        if (self.id() != 0)
            co_await self.send_to(0, PacketSet::range(self.id(), self.id() + 1));
        else
            co_await self.next_round();
        if (self.id() == 0) throw std::runtime_error("out");
    });
    crowd.collective = {Operation::gather, 0, std::uint64_t{1} << 16};
    EXPECT_THROW((void)run_lockstep(crowd, {}), ProgramError);
}

TEST(AnEscapedException, MayBeOfAnyType) {
    const Failure failure = failure_of(job(machine("line:1"),
                                           [](Node&) -> Program {
                                               throw 7;
                                               co_return;
                                           },
                                           {0}));
    EXPECT_EQ(failure.text, "node 0 in round 1: an exception of unknown type");
    EXPECT_EQ(failure.nested, "an int");
}

TEST(AnEscapedException, MayComeFromTheFactory) {
    const Failure failure =
        failure_of(job(machine("line:1"), [](Node&) -> Program { throw std::runtime_error("no program"); }, {0}));
    EXPECT_EQ(failure.text, "node 0 in round 1: no program");
}

Program fail_later(Node& self) {
    co_await self.next_round();
    throw std::runtime_error("of the callee");
}

TEST(AnEscapedException, PassesThroughTheCaller) {
    const Failure failure =
        failure_of(job(machine("line:1"), [](Node& self) -> Program { co_await fail_later(self); }, {0}));
    EXPECT_EQ(failure.text, "node 0 in round 2: of the callee");
}

TEST(AnException, OfACalleeCanBeCaughtByItsCaller) {
    std::string caught;
    const auto program = [&](Node& self) -> Program {
        try {
            co_await fail_later(self);
        } catch (const std::runtime_error& error) {
            caught = error.what();
        }
        if (self.id() == 0) co_await self.send(rightwards, Packet(0));
    };
    const Outcome outcome = run(job(machine("line:2"),
                                    [&](Node& self) -> Program {
                                        if (self.id() == 0) return program(self);
                                        return ends_at_once(self);
                                    },
                                    {0}));
    EXPECT_EQ(caught, "of the callee");
    EXPECT_EQ(text(outcome.schedule), "2: 0>1");
}

TEST(AJob, OnMoreNodesThanARunHoldsIsRefused) {
    // Two 32-bit numbers are reserved. Refused before any allocation.
    EXPECT_THROW((void)run_lockstep(job(machine("line:4294967295"), ends_at_once, {0}), {}), DoesNotFit);
}

TEST(AJob, ThatNamesANodeThatIsNotThereIsRefused) {
    for (const EngineKind engine : both_engines) {
        const auto refusal = [&](NodeId source, std::vector<NodeId> starters) -> std::string {
            Job a_job = job(machine("line:2"), ends_at_once, std::move(starters));
            a_job.collective.root = source;
            try {
                (void)kport::run(a_job, on(engine));
                return "";
            } catch (const RequestError& error) {
                return error.what();
            }
        };
        EXPECT_EQ(refusal(1, {0, 1}), "");
        EXPECT_EQ(refusal(2, {0, 1}), "source '2': line:2 has nodes 0 to 1");
        EXPECT_EQ(refusal(1, {0, 2}), "starter '2': line:2 has nodes 0 to 1");
    }
}

// ------------------------------------------------------------------------------------------------- targets not there

std::string complaint(const Machine& machine, const ProgramFactory& program) {
    return failure_of(job(machine, program, {0})).text;
}

TEST(ATargetThatIsNotThere, IsTheProgramsErrorAtOnce) {
    const Machine line = machine("line:3");
    EXPECT_EQ(complaint(line, [](Node& self) -> Program { co_await self.send(leftwards, Packet(0)); }),
              "node 0 in round 1: node 0 has no port 0");
    EXPECT_EQ(complaint(line, [](Node& self) -> Program { co_await self.send(2, Packet(0)); }),
              "node 0 in round 1: node 0 has no port 2");
    EXPECT_EQ(complaint(line, [](Node& self) -> Program { co_await self.send_to(2, Packet(0)); }),
              "node 0 in round 1: node 2 is no neighbour of node 0; store-and-forward crosses one link");
    EXPECT_EQ(complaint(line, [](Node& self) -> Program { co_await self.send_to(0, Packet(0)); }),
              "node 0 in round 1: node 0 cannot send to node 0");
    EXPECT_EQ(complaint(line, [](Node& self) -> Program { co_await self.send_to(3, Packet(0)); }),
              "node 0 in round 1: node 0 cannot send to node 3: line:3 has nodes 0 to 2");
    // What across() says where there is no neighbour.
    EXPECT_EQ(complaint(line, [](Node& self) -> Program { co_await self.send_to(no_node, Packet(0)); }),
              "node 0 in round 1: node 0 cannot send to a node that is not there: line:3 has nodes 0 to 2");
    EXPECT_EQ(complaint(line, [](Node& self) -> Program { co_await self.receive(no_port); }),
              "node 0 in round 1: node 0 waits for a message by no_port; want a port, or receive() for any");
    EXPECT_EQ(complaint(line, [](Node& self) -> Program { co_await self.serve(no_port); }),
              "node 0 in round 1: node 0 waits for a message by no_port; want a port, or receive() for any");
}

Program nothing_to_do(Node& self) { co_await self.next_round(); }

TEST(AProgramThatWasMovedFrom, IsTheErrorOfWhoAwaitsIt) {
    EXPECT_EQ(
        complaint(machine("line:3"),
                  [](Node& self) -> Program {
                      Program moved = nothing_to_do(self);
                      Program kept = std::move(moved);
                      // NOLINTNEXTLINE(bugprone-use-after-move): as a program of a user's may
                      co_await std::move(moved);
                  }),
        "node 0 in round 1: the program that is awaited is none: it was moved from, or made in a run that is over; "
        "make it anew");
}

TEST(AProgramThatIsKept, BeyondItsRunIsGoneWithIt) {
    std::vector<Program> kept;
    const Job job = test::job(machine("line:3"),
                              [&](Node& self) -> Program {
                                  kept.push_back(nothing_to_do(self));
                                  co_await self.next_round();
                              },
                              {0});
    for (const EngineKind engine : test::both_engines) (void)run(job, test::on(engine));
    EXPECT_EQ(kept.size(), 2U);
    kept.clear();
}

/// Its frame is gone with its run, without a destructor: what it held elsewhere would be lost.
Program of_a_run(Node& self, std::array<int, 3> list) {
    co_await self.next_round();
    ++list.front();
}

TEST(AProgramThatIsKept, IsNoneInALaterRun) {
    // `use`: what node 0 of a later run does with what an earlier one has left behind.
    const auto told = [](EngineKind engine, const std::function<Program(Node&, Program)>& use) {
        std::optional<Program> kept;
        const Job job = test::job(machine("line:3"),
                                  [&](Node& self) -> Program {
                                      if (kept) return use(self, std::move(*kept));
                                      kept.emplace(of_a_run(self, std::array{1, 2, 3}));
                                      return nothing_to_do(self);
                                  },
                                  {0});
        (void)run(job, test::on(engine));
        EXPECT_TRUE(kept && !*kept);
        try {
            (void)run(job, test::on(engine));
        } catch (const ProgramError& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    const std::string is_none = " is none: it was moved from, or made in a run that is over; make it anew";
    const auto awaits = [](Node&, Program program) -> Program { co_await std::move(program); };
    const auto spawns = [](Node& self, Program program) -> Program {
        self.spawn(std::move(program));
        co_await self.next_round();
    };
    const auto forgets = [](Node& self, Program program) -> Program {
        { const Program forgotten = std::move(program); }
        co_await self.next_round();
    };
    for (const EngineKind engine : test::both_engines) {
        EXPECT_EQ(told(engine, awaits), "node 0 in round 1: the program that is awaited" + is_none);
        EXPECT_EQ(told(engine, spawns), "node 0 in round 1: the program of a strand" + is_none);
        EXPECT_EQ(told(engine, [](Node&, Program program) { return program; }),
                  "node 0 in round 1: its program" + is_none);
        EXPECT_EQ(told(engine, forgets), "none");
    }
}

Program of_nobody() { co_return; }

TEST(AProgram, IsMadeWithinARunOnly) { EXPECT_THROW((void)of_nobody(), std::logic_error); }

TEST(ATargetThatIsNotThere, IsTheProgramsErrorWhenItsTurnComes) {
    // The one port is busy in round 1: the second send is looked at in round 2.
    EXPECT_EQ(complaint(machine("line:3"),
                        [](Node& self) -> Program {
                            if (self.id() == 0) {
                                co_await self.send(rightwards, Packet(0));
                                co_await self.send(leftwards, Packet(0));
                            }
                        }),
              "node 0 in round 2: node 0 has no port 0");
}

TEST(ARoute, MustLeadToTheReceiverByPortsThatAreThere) {
    static constexpr std::array<Port, 3> beyond{rightwards, rightwards, rightwards};
    static constexpr std::array<Port, 1> unknown{9};
    static constexpr std::array<Port, 1> shorter{rightwards};
    static constexpr std::array<Port, 2> whole{rightwards, rightwards};
    const Machine line = test::wormhole(machine("line:3"));
    EXPECT_EQ(complaint(line, [](Node& self) -> Program { co_await self.send_along(2, beyond, Packet(0)); }),
              "node 0 in round 1: a route from node 0 uses port 1, which is not there");
    EXPECT_EQ(complaint(line, [](Node& self) -> Program { co_await self.send_along(2, unknown, Packet(0)); }),
              "node 0 in round 1: node 0 has no port 9");
    EXPECT_EQ(complaint(line, [](Node& self) -> Program { co_await self.send_along(2, shorter, Packet(0)); }),
              "node 0 in round 1: a route from node 0 to node 2 ends at node 1");
    EXPECT_THAT(
        complaint(machine("line:3"), [](Node& self) -> Program { co_await self.send_along(2, whole, Packet(0)); }),
        HasSubstr("store-and-forward crosses one link"));
    EXPECT_THAT(
        complaint(machine("line:3"), [](Node& self) -> Program { co_await self.send_along(2, shorter, Packet(0)); }),
        HasSubstr("store-and-forward crosses one link"));
    static constexpr std::array<Port, 3> to_and_fro{rightwards, leftwards, rightwards};
    EXPECT_THAT(
        complaint(machine("line:3"), [](Node& self) -> Program { co_await self.send_along(1, to_and_fro, Packet(0)); }),
        HasSubstr("store-and-forward crosses one link"));
    EXPECT_THAT(
        complaint(machine("line:3"), [](Node& self) -> Program { co_await self.send_along(1, whole, Packet(0)); }),
        HasSubstr("store-and-forward crosses one link"));
    const auto from_node_1 = [](Node& self) -> Program {
        if (self.id() == 0) co_await self.send(rightwards, Packet(0));
        if (self.id() == 1) co_await self.send_along(0, shorter, Packet(0));
    };
    EXPECT_THAT(complaint(machine("line:3"), from_node_1), HasSubstr("node 1 sends to node 0 along a route"));
    EXPECT_THAT(complaint(line, [](Node& self) -> Program { co_await self.send_along(1, whole, Packet(0)); }),
                HasSubstr("a route from node 0 to node 1 ends at node 2"));
    const Outcome lawful = run(job(machine("line:2"),
                                   [](Node& self) -> Program {
                                       if (self.id() == 0) co_await self.send_along(1, shorter, Packet(0));
                                   },
                                   {0}));
    EXPECT_EQ(text(lawful.schedule), "1: 0>1");
}

}  // namespace
}  // namespace kport
