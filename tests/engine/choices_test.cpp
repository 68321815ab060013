/// @file choices_test.cpp   Programs that receive the first message by one of several ports, or of several senders.
#include <array>
#include <span>
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
using test::complaint;
using test::found;
using test::leftwards;
using test::Notes;
using test::on;
using test::own_job;
using test::rightwards;
using test::run_everywhere;
using test::told;
using testing::ElementsAre;

/// Node 0 of a complete graph leads to node v by port v - 1. Odd nodes send a round later than even ones.
Program choose_ports(Node& self, Notes& notes) {
    if (self.id() != 0) {
        co_await self.until(1 + static_cast<Round>(self.id() % 2));
        co_await self.send_to(0, Data(1));
        co_return;
    }
    notes.clear();  // what an engine that gave up has left
    const std::array<Port, 3> chosen{3, 0, 1};
    for (int i = 0; i < 3; ++i) {
        const Arrival arrival = co_await self.receive(chosen);
        notes.push_back(told(arrival, self.round()));
    }
    for (int i = 0; i < 2; ++i) {
        const Arrival arrival = co_await self.receive();
        notes.push_back(told(arrival, self.round()));
    }
}

TEST(ReceiveByOneOfSeveralPorts, GivesTheEarliestRoundThenTheLowestSenderAndLeavesTheOthers) {
    Notes notes;
    const Job job =
        own_job(test::machine("complete:6", PortLimit::all()), [&](Node& self) { return choose_ports(self, notes); });
    const Verdict verdict = run_everywhere(
        job,
        [&] {
            EXPECT_THAT(notes, ElementsAre("2 by 1 in 1 at 2", "4 by 3 in 1 at 2", "1 by 0 in 2 at 3",
                                           "3 by 2 in 2 at 3", "5 by 4 in 2 at 3"));
        },
        NeedsRounds::order);
    EXPECT_TRUE(verdict.lawful());
}

/// Paths of several lengths come to node 4 by both of its ports.
Program choose_senders(Node& self, Notes& notes) {
    const std::vector<NodeId> chosen{5, 0};
    if (self.id() == 0 || self.id() == 2 || self.id() == 5) {
        co_await self.until(self.id() == 2 ? 1 : 2 + static_cast<Round>(self.id()));
        co_await self.send_to(4, Data(1));
    }
    if (self.id() != 4) co_return;
    notes.clear();
    for (int i = 0; i < 2; ++i) {
        const Arrival arrival = co_await self.receive_from(chosen);
        notes.push_back(told(arrival, self.round()));
    }
    notes.emplace_back(self.has_arrival() ? "one is left" : "none is left");
}

TEST(ReceiveOfOneOfSeveralSenders, TakesWhatComesFirstOfThemByWhateverPort) {
    Notes notes;
    const Job job = own_job(test::wormhole(test::machine("line:6", PortLimit::all())),
                            [&](Node& self) { return choose_senders(self, notes); });
    const Verdict verdict = run_everywhere(
        job, [&] { EXPECT_THAT(notes, ElementsAre("0 by 0 in 2 at 3", "5 by 1 in 7 at 8", "one is left")); },
        NeedsRounds::order);
    EXPECT_TRUE(verdict.lawful());
}

/// The only sender's messages have an order of their own.
TEST(ReceiveByOneOfSeveralPorts, OfASingleSenderNeedsNoRounds) {
    Notes notes;
    const Job job = own_job(test::machine("line:3"), [&](Node& self) -> Program {
        if (self.id() == 0)
            for (int i = 0; i < 2; ++i) co_await self.send(rightwards, Data(1));
        if (self.id() != 1) co_return;
        notes.clear();
        const std::array<Port, 2> ports{rightwards, leftwards};
        const std::array<NodeId, 2> senders{2, 0};
        const Arrival by_port = co_await self.receive(ports);
        notes.push_back(told(by_port, self.round()));
        const Arrival of_sender = co_await self.receive_from(senders);
        notes.push_back(told(of_sender, self.round()));
    });
    const Verdict verdict =
        run_everywhere(job, [&] { EXPECT_THAT(notes, ElementsAre("0 by 0 in 1 at 2", "0 by 0 in 2 at 3")); });
    EXPECT_TRUE(verdict.lawful());
}

/// Whether the message is there before the program asks, comes while it waits, or starts the node.
TEST(ReceiveByOneOfSeveralPorts, IsTheSameInEveryOrderAndHoweverTheMailCame) {
    for (const Round waits_until : {1U, 2U, 5U})
        for (const bool starts_by_itself : {true, false})
            for (std::uint64_t seed = 0; seed < 8; ++seed) {
                Notes notes;
                Job job = own_job(test::machine("ring:5"), [&](Node& self) -> Program {
                    if (self.id() != 2) {
                        if (self.id() != 0) co_await self.send_to(2, Data(self.id()));
                        co_return;
                    }
                    notes.clear();
                    co_await self.until(waits_until);
                    const std::array<Port, 2> ports{rightwards, leftwards};
                    for (int i = 0; i < 2; ++i) {
                        const Arrival arrival = co_await self.receive(ports);
                        notes.push_back(fmt::format("{} in {}", arrival.from, arrival.round));
                    }
                });
                job.machine.ports = PortLimit(2);
                if (!starts_by_itself) {
                    job.all_start = false;
                    job.starters = {3, 1};
                } else {
                    job.starters = {3, 2, 1};
                    job.all_start = false;
                }
                SeededOrder order(seed);
                for (const EngineKind engine : both_engines) {
                    RunOptions options = on(engine);
                    options.order = &order;
                    options.partition_nodes = 1;
                    EXPECT_TRUE(run(job, options).verdict.lawful());
                    EXPECT_THAT(notes, ElementsAre("1 in 1", "3 in 1")) << waits_until << starts_by_itself;
                }
            }
}

TEST(ReceiveOfSeveral, ThatWaitsForEverIsToldWithWhatItWaitsFor) {
    const Job ports = own_job(test::machine("line:3"), [](Node& self) -> Program {
        const std::array<Port, 2> both{rightwards, leftwards};
        if (self.id() == 1) co_await self.receive(both);
    });
    const Job senders = own_job(test::machine("line:3"), [](Node& self) -> Program {
        const std::array<NodeId, 3> some{2, 0, 7};
        if (self.id() == 1) co_await self.receive_from(some);
    });
    const Job absent = own_job(test::machine("line:3"), [](Node& self) -> Program {
        const std::array<Port, 2> none{99, 98};
        if (self.id() == 1) co_await self.receive(none);
    });
    for (const EngineKind engine : both_engines) {
        EXPECT_THAT(found(absent, engine),
                    ElementsAre("delivery broken: node 1 waits for ever for a message by one of 2 ports, such as port "
                                "99, which it does not have"));
        EXPECT_THAT(
            found(ports, engine),
            ElementsAre("delivery broken: node 1 waits for ever for a message by one of 2 ports, such as port 1"));
        EXPECT_THAT(
            found(senders, engine),
            ElementsAre("delivery broken: node 1 waits for ever for a message from one of 3 senders, such as node 2"));
    }
}

TEST(ReceiveOfSeveral, ThatNamesOneAloneIsToldAsAReceiveFromThatOne) {
    const Job port = own_job(test::machine("line:3"), [](Node& self) -> Program {
        const std::array<Port, 1> one{rightwards};
        if (self.id() == 1) co_await self.receive(one);
    });
    const Job sender = own_job(test::machine("line:3"), [](Node& self) -> Program {
        const std::array<NodeId, 1> one{2};
        if (self.id() == 1) co_await self.receive_from(one);
    });
    for (const EngineKind engine : both_engines) {
        EXPECT_THAT(found(port, engine),
                    ElementsAre("delivery broken: node 1 waits for ever for a message by port 1 from node 2"));
        EXPECT_THAT(found(sender, engine),
                    ElementsAre("delivery broken: node 1 waits for ever for a message from node 2"));
    }
}

TEST(ReceiveOfSeveral, OfNoneIsAnErrorOfTheProgram) {
    const Job ports = own_job(test::machine("line:3"), [](Node& self) -> Program {
        co_await self.next_round();
        if (self.id() == 1) co_await self.receive(std::span<const Port>());
    });
    const Job senders = own_job(test::machine("line:3"), [](Node& self) -> Program {
        if (self.id() == 2) co_await self.receive_from(std::vector<NodeId>());
    });
    const Job serving = own_job(test::machine("line:3"), [](Node& self) -> Program {
        if (self.id() == 2) co_await self.serve(std::span<const Port>());
    });
    for (const EngineKind engine : both_engines) {
        EXPECT_EQ(complaint(ports, engine),
                  "node 1 in round 2: node 1 waits for a message by one of 0 ports; want at least 1");
        EXPECT_EQ(complaint(senders, engine),
                  "node 2 in round 1: node 2 waits for a message from one of 0 senders; want at least 1");
        EXPECT_EQ(complaint(serving, engine),
                  "node 2 in round 1: node 2 waits for a message by one of 0 ports; want at least 1");
    }
}

}  // namespace
}  // namespace kport
