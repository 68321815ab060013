/// @file contents_test.cpp   Messages with contents, where nothing is promised: they arrive as sent, are counted, sealed and
/// judged by the machine's rules alone; what programs do wrong is told.
#include <array>
#include <numeric>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "emulator/engine/mover.hpp"
#include "emulator/engine/replay.hpp"
#include "emulator/engine/sabotage.hpp"
#include "emulator/engine/script.hpp"
#include "emulator/report/report.hpp"
#include "tests/engine/own_runs.hpp"

namespace kport {
namespace {

using test::complaint;
using test::leftwards;
using test::own_job;
using test::rightwards;
using test::run_everywhere;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

template <std::size_t size>
using Bytes = std::array<unsigned char, size>;

template <std::size_t size>
Bytes<size> bytes_of(NodeId v) {
    Bytes<size> bytes{};
    std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(v * 7 + 1));
    return bytes;
}

/// Every node sends to the right and keeps what comes from the left.
template <std::size_t size>
Program shift(Node& self, std::vector<Bytes<size>>& got) {
    const Bytes<size> mine = bytes_of<size>(self.id());
    co_await self.send(rightwards, Data(mine));
    const Arrival arrival = co_await self.receive(leftwards);
    got[self.id()] = arrival.as<Bytes<size>>();
}

template <std::size_t size>
void expect_shifted() {
    for (const PortLimit ports : {PortLimit(1), PortLimit::all()}) {
        std::vector<Bytes<size>> got(8);
        const Job job = own_job(test::machine("ring:8", ports), [&](Node& self) { return shift<size>(self, got); });
        const Verdict verdict = run_everywhere(job, [&] {
            for (NodeId v = 0; v < 8; ++v) EXPECT_EQ(got[(v + 1) % 8], bytes_of<size>(v));
            got.assign(8, {});
        });
        EXPECT_TRUE(verdict.lawful());
        EXPECT_EQ(verdict.promised, 0U);
        EXPECT_EQ(verdict.holders, 0U);
        EXPECT_EQ(verdict.metrics.volume, size);
        EXPECT_EQ(verdict.metrics.bytes, 8 * size);
        const Costs costs = job.machine.costs;
        EXPECT_DOUBLE_EQ(verdict.metrics.latency, costs.latency(1, size));
    }
}

TEST(Contents, OfAnySizeArriveAsSentAndAreCounted) {
    expect_shifted<1>();
    expect_shifted<8>();
    expect_shifted<9>();
    expect_shifted<Data::inside_max>();
    expect_shifted<Data::inside_max + 1>();
    expect_shifted<5000>();
}

Program send_growing(Node& self, std::vector<std::size_t>& got) {
    std::vector<int> list;
    if (self.id() != 0) {
        const Arrival arrival = co_await self.receive(leftwards);
        got[self.id()] = arrival.bytes().size();
        list.resize(arrival.bytes().size() / sizeof(int));
    }
    list.push_back(0);
    if (self.id() + 1 < self.nodes()) co_await self.send(rightwards, Data(std::span(list)));
}

TEST(Contents, OfASpanHaveItsSizeEachTime) {
    std::vector<std::size_t> got(5);
    const Job job = own_job(test::machine("line:5"), [&](Node& self) { return send_growing(self, got); });
    const Verdict verdict = run_everywhere(job, [&] { EXPECT_THAT(got, ElementsAre(0, 4, 8, 12, 16)); });
    EXPECT_EQ(verdict.metrics.volume, 40U);
}

/// Everybody to node 0, by any way: claims compete for its ports and for channels.
Program all_to_one(Node& self, std::vector<NodeId>& came) {
    if (self.id() != 0) {
        co_await self.send_to(0, Data(self.id()));
        co_return;
    }
    came.clear();
    for (NodeId v = 1; v < self.nodes(); ++v) {
        const Arrival arrival = co_await self.receive();
        came.push_back(arrival.as<NodeId>());
        came.push_back(arrival.from);
    }
}

TEST(Contents, OutliveTheirRoundWhereTheyWaitForPortsOrChannels) {
    for (const Machine& machine :
         {test::machine("complete:6"), test::machine("complete:6", PortLimit(2)),
          test::half_duplex(test::machine("complete:6")), test::wormhole(test::machine("mesh:2x3")),
          test::wormhole(test::machine("torus:2x3", PortLimit::all()))}) {
        std::vector<NodeId> came;
        const Verdict verdict = run_everywhere(
            own_job(machine, [&](Node& self) { return all_to_one(self, came); }),
            [&] {
                std::vector<NodeId> senders;
                ASSERT_EQ(came.size(), 10U);
                for (std::size_t i = 0; i < came.size(); i += 2) {
                    EXPECT_EQ(came[i], came[i + 1]);
                    senders.push_back(came[i]);
                }
                EXPECT_THAT(senders, testing::UnorderedElementsAre(1, 2, 3, 4, 5));
                came.clear();
            },
            NeedsRounds::order);
        EXPECT_TRUE(verdict.lawful());
        EXPECT_EQ(verdict.metrics.transfers, 5U);
    }
}

Program along(Node& self) {
    static constexpr std::array<Port, 3> way{rightwards, rightwards, rightwards};
    if (self.id() == 0) co_await self.send_along(3, way, Data(5));
    if (self.id() != 3) co_return;
    const Arrival arrival = co_await self.receive_from(0);
    if (arrival.as<int>() != 5) throw std::logic_error("other contents");
}

TEST(Contents, GoAlongRoutes) {
    const Verdict verdict = run_everywhere(own_job(test::wormhole(test::machine("line:4")), along), [] {});
    EXPECT_TRUE(verdict.lawful());
    EXPECT_EQ(verdict.metrics.path_sum, 3U);
    EXPECT_EQ(verdict.metrics.volume, sizeof(int));
}

// ------------------------------------------------------------------------------------------------------------- the rules

/// Sends the same again and again, and back: no packet is sent twice where there is none.
Program echo(Node& self) {
    for (int i = 0; i < 3; ++i) {
        co_await self.send(0, Data(7));
        co_await self.receive(0);
    }
}

TEST(NothingPromised, WhatComesAgainOrComesBackBreaksNoRule) {
    Machine strict_noho = test::machine("hypercube:1");
    strict_noho.noho = Noho::strict;
    for (const Machine& machine : {test::machine("hypercube:1"), strict_noho}) {
        const Verdict verdict = run_everywhere(own_job(machine, echo), [] {});
        EXPECT_TRUE(verdict.lawful());
        EXPECT_TRUE(verdict.delivered && verdict.kept(Rule::nodup) && verdict.kept(Rule::noho));
        EXPECT_EQ(verdict.metrics.rounds, 3U);
    }
}

std::vector<std::string> told_of(const Machine& machine, const std::vector<test::Step>& steps) {
    return test::sentences(audit(test::schedule(*machine.topology, steps), machine, Collective::none(), false),
                           *machine.topology);
}

TEST(NothingPromised, TheMachinesRulesAreJudged) {
    const std::vector<PacketBlock> ten{contents_packets(10)};
    const Machine ring = test::machine("ring:4");
    EXPECT_THAT(told_of(ring, {{1, 0, 1, {}, ten}, {2, 1, 0, {}, ten}, {2, 0, 1, {}, ten}}), IsEmpty());
    EXPECT_THAT(told_of(ring, {{1, 0, 1, {}, ten}, {1, 0, 3, {}, ten}}),
                ElementsAre(HasSubstr("ports broken: node 0 starts more than 1 send")));
    EXPECT_THAT(told_of(ring, {{1, 0, 1, {}, ten}, {1, 2, 1, {}, ten}}),
                ElementsAre(HasSubstr("ports broken: node 1 receives more than 1 message")));
    EXPECT_THAT(told_of(test::machine("ring:4", PortLimit::all()), {{1, 0, 1, {}, ten}, {1, 0, 1, {}, ten}}),
                ElementsAre(HasSubstr("channel broken")));
    EXPECT_THAT(told_of(ring, {{1, 0, 2, {rightwards}, ten}}), ElementsAre(HasSubstr("no link")));
    EXPECT_THAT(told_of(ring, {{2, 0, 1, {}, ten}}), ElementsAre(HasSubstr("rounds broken")));
    EXPECT_THAT(told_of(test::half_duplex(ring), {{1, 0, 1, {}, ten}, {1, 1, 2, {}, ten}}),
                ElementsAre(HasSubstr("half duplex")));
    EXPECT_THAT(told_of(test::without_combining(ring), {{1, 0, 1, {}, ten}}), IsEmpty());
}

Program two_at_once(Node& self) {
    const Data data(1);
    const std::array sends{SendRequest(leftwards, data), SendRequest(rightwards, data)};
    if (self.id() == 0) co_await self.send_together(sends);
}

TEST(NothingPromised, TheStrictPolicyIsLaw) {
    Job job = own_job(test::strict(test::machine("ring:4")), two_at_once);
    EXPECT_THAT(test::sentences(run_everywhere(job, [] {}), *job.machine.topology),
                ElementsAre(HasSubstr("node 0 declares more sends for round 1")));
    job.machine.policy = Policy::queue;
    EXPECT_TRUE(run_everywhere(job, [] {}).lawful());
}

TEST(NothingPromised, AProgramThatWaitsForEverIsTold) {
    const Job job = own_job(test::machine("ring:4"), [](Node& self) -> Program {
        if (self.id() == 2) co_await self.receive(leftwards);
    });
    const Verdict verdict = run_everywhere(job, [] {});
    EXPECT_THAT(test::sentences(verdict, *job.machine.topology), ElementsAre(HasSubstr("node 2 waits for ever")));
    EXPECT_FALSE(verdict.delivered);
}

// ------------------------------------------------------------------------------------------------------------- the seals

template <std::size_t size>
void expect_every_changed_bit_told(EngineKind engine) {
    std::vector<Bytes<size>> got(6);
    const Job job = own_job(test::machine("ring:6"), [&](Node& self) { return shift<size>(self, got); });
    const auto run_with = [&](Sabotage& sabotage) {
        RunOptions options;
        options.engine = engine;
        options.sabotage = &sabotage;
        const RunResult result = run(job, options);
        EXPECT_EQ(result.engine, engine);
        return result.verdict;
    };
    Sabotage counting(Fault::corrupt);
    EXPECT_TRUE(run_with(counting).lawful());
    ASSERT_EQ(counting.opportunities(), 6U);
    for (std::uint64_t n = 0; n < counting.opportunities(); ++n) {
        Sabotage once(Fault::corrupt, n);
        const Verdict verdict = run_with(once);
        ASSERT_EQ(once.injected().size(), 1U);
        ASSERT_EQ(verdict.violation_count, 1U);
        EXPECT_EQ(verdict.violations.front().breach, Breach::contents_differ);
        EXPECT_TRUE(once.injected().front().told_by(verdict.violations.front()));
        EXPECT_FALSE(verdict.delivered);
        EXPECT_THAT(test::sentences(verdict, *job.machine.topology),
                    ElementsAre(HasSubstr("in round 1 differ from what was sent")));
    }
}

TEST(Contents, AChangedBitIsTold) {
    for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free}) {
        expect_every_changed_bit_told<1>(engine);
        expect_every_changed_bit_told<8>(engine);
        expect_every_changed_bit_told<13>(engine);
        expect_every_changed_bit_told<1000>(engine);
    }
}

// ------------------------------------------------------------------------------------------------------------ the programs

/// Node 1 does it with what it gets from node 0 in round 1.
template <class Sent, class Use>
Job use_of(const Collective& collective, const Sent& sent, const Use& use) {
    Job job = own_job(test::machine("line:2"), [sent, use](Node& self) -> Program {
        if (self.id() == 0) {
            co_await self.send(0, sent);
        } else {
            const Arrival arrival = co_await self.receive();
            use(arrival);
        }
    });
    job.machine.topology = make_topology("hypercube:1");
    job.collective = collective;
    return job;
}

TEST(Contents, ReadAsAnotherTypeAreAProgramErrorWithNodeAndRound) {
    for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free}) {
        const auto as_int = [](const Arrival& arrival) { (void)arrival.as<int>(); };
        EXPECT_EQ(complaint(use_of(Collective::none(), Data('x'), as_int), engine),
                  "node 1 in round 2: the message from node 0 has contents of 1 byte; it is read as a type of 4");
        EXPECT_EQ(complaint(use_of(Collective::broadcast(0, 8), Packet(0), as_int), engine),
                  "node 1 in round 2: the message from node 0 has no contents; they are sent as Data(x)");
        EXPECT_EQ(complaint(use_of({Operation::allgather, 0, 8}, Packet(0), as_int), engine),
                  "node 1 in round 2: the message from node 0 has no contents; they are sent as Data(x)");
    }
}

TEST(Contents, AreRefusedWherePacketsArePromisedAndPacketsWhereNothingIs) {
    const auto nothing = [](const Arrival&) {};
    for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free}) {
        for (const Operation& operation : {Operation::broadcast, Operation::scatter, Operation::allreduce})
            EXPECT_THAT(complaint(use_of({operation, 0, 8}, Data(1), nothing), engine),
                        AllOf(HasSubstr("node 0 in round 1: node 0 sends contents"), HasSubstr(name(operation))));
        EXPECT_THAT(complaint(use_of(Collective::none(), Packet(0), nothing), engine),
                    HasSubstr("contents are sent as Data(x)"));
        EXPECT_THAT(complaint(use_of(Collective::none(), PacketSet::range(0, 2), nothing), engine),
                    HasSubstr("contents are sent as Data(x)"));
        EXPECT_THAT(complaint(use_of(Collective::none(), Value(), nothing), engine),
                    HasSubstr("contents are sent as Data(x)"));
        EXPECT_THAT(complaint(use_of(Collective::none(), Data(std::span<const int>()), nothing), engine),
                    HasSubstr("contents of 0 bytes; a message has at least 1"));
    }
}

static_assert(!std::is_constructible_v<SendRequest, Port, Data>, "a temporary that is gone when it is sent");
static_assert(!std::is_constructible_v<Data, Bytes<Data::inside_max + 1>>, "a temporary that is named and gone");
static_assert(std::is_constructible_v<Data, Bytes<Data::inside_max>>);
static_assert(!std::is_constructible_v<Data, int*> && !std::is_constructible_v<Data, std::string>);

TEST(Contents, HaveNeitherPacketsNorAValue) {
    const auto look = [](const Arrival& arrival) {
        EXPECT_TRUE(arrival.has_contents());
        EXPECT_TRUE(arrival.packets().empty());
    };
    EXPECT_EQ(complaint(use_of(Collective::none(), Data(1), look), EngineKind::lockstep), "none");
    const auto look_at_packet = [](const Arrival& arrival) { EXPECT_FALSE(arrival.has_contents()); };
    EXPECT_EQ(complaint(use_of(Collective::broadcast(0, 8), Packet(0), look_at_packet), EngineKind::lockstep), "none");
}

TEST(Contents, EndWithTheirRun) {
    std::vector<Arrival> kept;
    const auto keep = [&](const Arrival& arrival) { kept.push_back(arrival); };
    EXPECT_EQ(complaint(use_of(Collective::none(), Data(7), keep), EngineKind::lockstep), "none");
    ASSERT_EQ(kept.size(), 1U);
    try {
        (void)kept.front().as<int>();
        ADD_FAILURE();
    } catch (const std::invalid_argument& error) {
        EXPECT_STREQ(error.what(), "what the message from node 0 carried ended with its run; as<T>() copies contents");
    }
}

// ----------------------------------------------------------------------------------------------------------- the schedule

TEST(Contents, OfARecordedScheduleAreCountedAndNotReplayed) {
    std::vector<Bytes<9>> got(8);
    const Job job = own_job(test::machine("ring:8"), [&](Node& self) { return shift<9>(self, got); });
    const test::Outcome outcome = test::run(job);
    const Schedule& recorded = outcome.schedule;
    EXPECT_EQ(test::text(audit(recorded, job.machine, job.collective, true), *job.machine.topology),
              test::text(outcome.verdict, *job.machine.topology));
    const auto refusal = [](const auto& use) {
        try {
            use();
        } catch (const RequestError& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    const std::string why = "a schedule does not say what messages contain: it can be audited, and not replayed";
    EXPECT_EQ(refusal([&] { (void)replay(recorded, job.machine, job.collective, {}); }), why);
    EXPECT_EQ(refusal([&] { (void)job_following(recorded, job.machine, job.collective); }), why);
    EXPECT_EQ(refusal([&] { const Mover mover(recorded, job.machine, job.collective, {}, 1); }), why);
}

TEST(Contents, TheReportSaysThatNothingWasPromised) {
    std::vector<Bytes<9>> got(8);
    const Job job = own_job(test::machine("ring:8"), [&](Node& self) { return shift<9>(self, got); });
    Report report;
    report.collective.operation = Operation::none;
    report.algorithm = "shift";
    report.machine = job.machine;
    report.verdict = run_lockstep(job, {}).verdict;
    const std::string text = text_report(report, Paint(false), 200);
    EXPECT_THAT(text,
                HasSubstr("own program on ring:8   8 nodes, 16 channels, 1-port full duplex, store-and-forward\n"));
    EXPECT_THAT(text, HasSubstr("verdict  all rules kept, nothing promised\n"));
    EXPECT_THAT(text, HasSubstr("rules   ports kept (at most 1 send, 1 receive)   channels kept   contents verified, 8 "
                                "messages with 72 B compared\n"));
    report.verdict.violation_count = 1;
    report.verdict.delivered = false;
    EXPECT_EQ(verdict_text(report).text, "broken: delivery (1 violation), nothing promised");
}

// --------------------------------------------------------------------------------------------------------------- the node

TEST(OwnNode, KnowsItsMachine) {
    std::vector<std::string> said(6);
    const Job job = own_job(test::machine("mesh:2x3", PortLimit(2)), [&](Node& self) -> Program {
        std::string neighbours;
        for (Port port = 0; port <= self.topology().ports(); ++port)
            neighbours += self.neighbour(port) == no_node ? "-" : fmt::to_string(self.neighbour(port));
        said[self.id()] = fmt::format("{} {} {} {} {}", self.nodes(), self.degree(), self.port_limit(), neighbours,
                                      self.machine().describe());
        co_return;
    });
    run_everywhere(job, [&] {
        EXPECT_EQ(said[0], "6 2 2 -3-1- 2-port full duplex, store-and-forward");
        EXPECT_EQ(said[4], "6 3 2 1-35- 2-port full duplex, store-and-forward");
    });
    EXPECT_EQ(own_job(test::machine("line:3"), nullptr).machine.ports_of(1), 1U);
}

TEST(OwnNode, HasAStreamOfRandomNumbersOfItsOwn) {
    std::vector<std::uint64_t> drawn(8);
    std::vector<std::uint64_t> first;
    Job job = own_job(test::machine("ring:8"), [&](Node& self) -> Program {
        Dice dice = self.random();
        drawn[self.id()] = dice.word();
        EXPECT_NE(dice.word(), drawn[self.id()]);
        Dice again = self.random();
        EXPECT_EQ(again.word(), drawn[self.id()]);
        co_return;
    });
    run_everywhere(job, [&] {
        if (first.empty()) first = drawn;
        EXPECT_EQ(drawn, first);
        drawn.assign(8, 0);
    });
    EXPECT_EQ(std::set(first.begin(), first.end()).size(), 8U);
    job.seed = 2;
    run_everywhere(job, [&] { EXPECT_NE(drawn, first); });
}

TEST(OwnNode, WaitsForARoundInDeclaredSilence) {
    std::vector<Round> rounds;
    const Job job = own_job(test::machine("line:2"), [&](Node& self) -> Program {
        if (self.id() == 1) {
            co_await self.receive();
            co_return;
        }
        rounds = {self.round()};
        co_await self.until(5);
        rounds.push_back(self.round());
        co_await self.until(3);
        rounds.push_back(self.round());
        co_await self.send(rightwards, Data(1));
    });
    const Verdict verdict = run_everywhere(job, [&] { EXPECT_THAT(rounds, ElementsAre(1, 5, 5)); });
    EXPECT_TRUE(verdict.lawful());
    EXPECT_EQ(verdict.metrics.rounds, 5U);
    EXPECT_EQ(verdict.metrics.silent_rounds, 4U);
}

/// How often an engine asks which of several nodes runs next.
class Counted final : public Order {
  public:
    [[nodiscard]] std::size_t next(std::size_t) override {
        ++asked;
        return 0;
    }
    int asked = 0;
};

TEST(OwnNode, ThatWaitsForADistantRoundIsNotRunInBetween) {
    const Job job = own_job(test::machine("line:3"), [&](Node& self) -> Program {
        co_await self.until(1'000'000);
        if (self.id() == 0) co_await self.send(rightwards, Data(1));
        if (self.id() == 1) co_await self.receive();
    });
    Counted order;
    RunOptions options;
    options.order = &order;
    const Verdict verdict = run_lockstep(job, options).verdict;
    EXPECT_EQ(verdict.metrics.silent_rounds, 999'999U);
    EXPECT_LT(order.asked, 10);
}

TEST(OwnNode, WaitsForARoundAsForEveryRoundBeforeIt) {
    // One round or many at a time, alone or while others send, in one partition or in three, as far as the limit of rounds.
    for (const std::string spec : {"line:2", "line:6"})
        for (const NodeId partition_nodes : {NodeId{2}, partition_nodes_default})
            for (const Round limit : {0U, 2U, 3U, 4U, 5U, 6U, 7U, 20U}) {
                const auto ran = [&](bool one_by_one) {
                    const Job job = own_job(test::machine(spec), [=](Node& self) -> Program {
                        if (self.id() > 2) co_await self.send(leftwards, Data(1));
                        if (self.id() + 1 < self.nodes() && self.id() > 1) co_await self.receive(rightwards);
                        const Round goal = self.id() % 2 == 0 ? 5 : 7;
                        while (one_by_one && self.round() < goal) co_await self.next_round();
                        if (!one_by_one) co_await self.until(goal);
                        if (self.id() == 0) co_await self.send(rightwards, Data(1));
                    });
                    RunOptions options;
                    options.max_rounds = limit;
                    options.partition_nodes = partition_nodes;
                    options.per_round = true;
                    const RunResult result = run_lockstep(job, options);
                    return std::pair(result.verdict, result.out_of_rounds);
                };
                EXPECT_EQ(ran(true), ran(false)) << spec << " " << limit;
            }
}

TEST(OwnNode, SaysByWhichPortSomethingHasCome) {
    std::string said;
    const Job job = own_job(test::machine("line:3"), [&](Node& self) -> Program {
        if (self.id() == 0) co_await self.send(rightwards, Data(1));
        if (self.id() != 1) co_return;
        said = fmt::format("{}{}", self.has_arrival(leftwards), self.has_arrival(rightwards));
        co_await self.until(3);
        said += fmt::format(" {}{}{}", self.has_arrival(leftwards), self.has_arrival(rightwards), self.has_arrival());
    });
    EXPECT_TRUE(run_everywhere(
                    job, [&] { EXPECT_EQ(said, "falsefalse truefalsetrue"); }, NeedsRounds::order)
                    .lawful());
}

}  // namespace
}  // namespace kport
