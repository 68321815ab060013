/// @file own_collectives_test.cpp   Collectives of a user's own: what they promise is delivered, verified and judged like the
/// table's, in every engine and in schedules.
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/bounds/bounds.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/mover.hpp"
#include "emulator/engine/replay.hpp"
#include "emulator/engine/script.hpp"
#include "tests/engine/own_runs.hpp"

// These need the node first.
#include "examples/pipelined_broadcast.hpp"
#include "examples/van_de_geijn.hpp"

namespace kport {
namespace {

using test::leftwards;
using test::rightwards;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

PacketSet one(NodeId packet) { return PacketSet::range(packet, packet + 1); }

/// Node v has packet v, and node v + 1 is to have it.
Collective shift(NodeId nodes) {
    return Collective::custom({.name = "shift",
                               .packets = nodes,
                               .owned = [](NodeId v) { return one(v); },
                               .wanted = [=](NodeId v) { return one((v + nodes - 1) % nodes); },
                               .packet_bytes = 24});
}

/// Three packets of node 0, of which every node of a set must get all.
Collective multicast(std::set<NodeId> to) {
    return Collective::custom(
        {.name = "multicast",
         .packets = 3,
         .owned = [](NodeId v) { return v == 0 ? PacketSet::range(0, 3) : PacketSet(); },
         .wanted = [=](NodeId v) { return to.contains(v) ? PacketSet::range(0, 3) : PacketSet(); },
         .packet_bytes = 8});
}

/// Every node's packet to all of its row; a row has so many nodes in succession.
Collective row_gossip(NodeId nodes, NodeId row) {
    return Collective::custom({.name = "row gossip",
                               .packets = nodes,
                               .owned = [](NodeId v) { return one(v); },
                               .wanted = [=](NodeId v) { return PacketSet::range(v / row * row, (v / row + 1) * row); },
                               .packet_bytes = 16});
}

Job job_of(const std::string& spec, PortLimit ports, Collective collective, ProgramFactory program) {
    Job job = test::job_of_all(test::machine(spec, ports), std::move(program));
    job.collective = std::move(collective);
    return job;
}

/// Runs it on both engines with 1, 2 and 4 threads, replays the schedule, follows it as programs, moves its bytes, and audits
/// it: the same verdict everywhere.
Verdict run_in_every_way(const Job& job) {
    const Machine& machine = job.machine;
    Verdict first;
    Schedule moved;
    for (const EngineKind engine : test::both_engines)
        for (const unsigned threads : {1U, 2U, 4U}) {
            Schedule schedule;
            RunOptions options = test::options_for(threads, &schedule);
            options.engine = engine;
            options.partition_nodes = 2;
            const RunResult result = run(job, options);
            EXPECT_EQ(result.engine, engine);
            if (moved.size() == 0) {
                first = result.verdict;
                moved = schedule;
            }
            EXPECT_EQ(test::text(result.verdict, *machine.topology), test::text(first, *machine.topology));
            EXPECT_EQ(result.verdict.compared_packets, first.compared_packets);
        }
    const auto expect_same = [&](const Verdict& verdict) {
        EXPECT_EQ(test::text(verdict, *machine.topology), test::text(first, *machine.topology));
    };
    ReplayOptions replaying;
    replaying.per_round = true;
    expect_same(audit(moved, machine, job.collective, true));
    const RunResult replayed = replay(moved, machine, job.collective, replaying);
    expect_same(replayed.verdict);
    EXPECT_EQ(replayed.verdict.compared_packets, first.compared_packets);
    expect_same(run(job_following(moved, machine, job.collective), test::options_for(2, nullptr)).verdict);
    Mover mover(moved, machine, job.collective, {}, 1);
    mover.spoil();
    mover.move(1);
    EXPECT_FALSE(mover.verify());
    return first;
}

TEST(AShift, BringsEachPacketToTheNextNodeInOneRound) {
    for (const PortLimit ports : {PortLimit(1), PortLimit::all()}) {
        const Job job = job_of("ring:8", ports, shift(8), [](Node& self) -> Program {
            co_await self.send(rightwards, Packet(self.id()));
            co_await self.receive(leftwards);
        });
        const Verdict verdict = run_in_every_way(job);
        EXPECT_TRUE(verdict.lawful());
        EXPECT_EQ(verdict.metrics.rounds, 1U);
        EXPECT_EQ(verdict.metrics.volume, 24U);
        EXPECT_EQ(verdict.holders, 8U);
        EXPECT_EQ(verdict.compared_packets, 8U);
        EXPECT_EQ(verdict.compared_bytes, 8U * 24);
    }
}

/// All packets to the right, one a message, as far as the last node that wants them.
Program relay(Node& self, NodeId last, NodeId packets) {
    for (NodeId packet = 0; packet < packets; ++packet) {
        if (self.id() != 0) co_await self.receive(leftwards);
        if (self.id() < last) co_await self.send(rightwards, Packet(packet));
    }
}

TEST(AMulticast, ServesASubsetThroughNodesThatWantNothing) {
    Job job = job_of("line:7", PortLimit(1), multicast({3, 5}), [](Node& self) { return relay(self, 5, 3); });
    job.all_start = false;
    const Verdict verdict = run_in_every_way(job);
    EXPECT_TRUE(verdict.lawful());
    EXPECT_EQ(verdict.metrics.rounds, 3U + 5 - 1) << "a pipeline";
    EXPECT_EQ(verdict.compared_packets, 6U) << "those of nodes 3 and 5 alone";
}

TEST(APipelinedBroadcast, OfMPacketsTakesMPlusDMinus1Rounds) {
    for (const NodeId packets : {1U, 2U, 5U, 20U})
        for (const PortLimit ports : {PortLimit(1), PortLimit::all()})
            for (const bool combining : {true, false}) {
                Job job = job_of("line:6", ports, example::packets_for_all(0, packets, 8),
                                 [=](Node& self) { return example::pipelined_broadcast(self, packets); });
                job.all_start = false;
                job.machine.combining = combining;
                const Verdict verdict = run_in_every_way(job);
                EXPECT_TRUE(verdict.lawful());
                EXPECT_EQ(verdict.metrics.rounds, packets + 5 - 1);
                EXPECT_EQ(verdict.metrics.volume, 8 * verdict.metrics.rounds);
                EXPECT_EQ(verdict.compared_packets, 5 * packets);
            }
}

/// The published cost (Barnett, Littlefield, Payne, van de Geijn 1993): 2 log2 N startups, 2 (N-1)/N of the message.
TEST(AVanDeGeijnBroadcast, TakesTwoLogNRoundsAndTwiceTheMessage) {
    for (const NodeId d : {1U, 2U, 3U, 5U})
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()}) {
            const NodeId nodes = NodeId{1} << d;
            Job job = job_of(fmt::format("hypercube:{}", d), ports, example::packets_for_all(0, nodes, 8),
                             example::van_de_geijn);
            job.collective.rules = {.nodup = Force::counted, .noho = Force::counted};
            const Verdict verdict = run_in_every_way(job);
            EXPECT_TRUE(verdict.lawful()) << test::text(verdict, *job.machine.topology);
            if (ports == PortLimit(1)) {
                EXPECT_EQ(verdict.metrics.rounds, 2 * d);
                EXPECT_EQ(verdict.metrics.volume, 2 * (nodes - 1) * 8);
                EXPECT_EQ(verdict.metrics.transfers, nodes - 1 + nodes * d);
                EXPECT_DOUBLE_EQ(verdict.metrics.latency,
                                 job.machine.costs.startup * static_cast<double>(2 * d) +
                                     job.machine.costs.byte * static_cast<double>(2 * (nodes - 1) * 8));
            }
            job.collective.rules = {};
            EXPECT_FALSE(run(job, {}).verdict.lawful()) << "as law";
        }
}

/// {0, 1} twice, then {0, 1, 2}: where packets may come again, copies are no measure of what is there.
TEST(ACollectiveWhoseNodupIsCounted, SendsOnWhatCameSeveralTimes) {
    Job job = job_of("line:3", PortLimit(1), example::packets_for_all(0, 3, 16), [](Node& self) -> Program {
        const PacketSet two = PacketSet::range(0, 2);
        const PacketSet all = PacketSet::range(0, 3);
        if (self.id() == 0) {
            co_await self.send(rightwards, all);
            co_await self.send(rightwards, two);
            co_await self.send(rightwards, two);
        } else if (self.id() == 1) {
            co_await self.receive(leftwards);
            co_await self.receive(leftwards);
            co_await self.receive(leftwards);
            co_await self.send(rightwards, all);
        } else {
            co_await self.receive(leftwards);
        }
    });
    job.collective.rules.nodup = Force::counted;
    const Verdict verdict = run_in_every_way(job);
    EXPECT_TRUE(verdict.lawful()) << test::text(verdict, *job.machine.topology);
    ASSERT_EQ(verdict.counted.size(), 1U);
    EXPECT_EQ(verdict.counted.front().count, 2U);
}

TEST(AGossip, InEachRowOfATorusTakesARoundLessThanTheRowHasNodes) {
    const Job job = job_of("torus:3x4", PortLimit(1), row_gossip(12, 4), [](Node& self) -> Program {
        constexpr Port plus_in_row = 3;
        constexpr Port minus_in_row = 2;
        PacketSet next = one(self.id());
        for (int step = 0; step < 3; ++step) {
            co_await self.send(plus_in_row, next);
            const Arrival arrival = co_await self.receive(minus_in_row);
            next = arrival.packets();
        }
    });
    const Verdict verdict = run_in_every_way(job);
    EXPECT_TRUE(verdict.lawful()) << test::text(verdict, *job.machine.topology);
    EXPECT_EQ(verdict.metrics.rounds, 3U);
    EXPECT_EQ(verdict.compared_packets, 12U * 3);
}

TEST(ACollectiveOfOnesOwn, MayWantPacketsThatLieApart) {
    const auto odd_and_last = [](NodeId v) {
        PacketSet packets;
        if (v == 1) packets.add(PacketBlock{1, 2, 3});
        if (v == 1) packets.add(PacketBlock{100});
        return packets;
    };
    Job job =
        job_of("line:2", PortLimit(1),
               Collective::custom({.name = "some",
                                   .packets = 101,
                                   .owned = [](NodeId v) { return v == 0 ? PacketSet::range(0, 101) : PacketSet(); },
                                   .wanted = odd_and_last,
                                   .packet_bytes = 8}),
               [=](Node& self) -> Program {
                   const PacketSet packets = odd_and_last(1);
                   if (self.id() == 0) co_await self.send(rightwards, packets);
               });
    const Verdict verdict = run_in_every_way(job);
    EXPECT_TRUE(verdict.lawful());
    EXPECT_EQ(verdict.compared_packets, 4U);
}

std::vector<std::string> told_of(const std::vector<test::Step>& steps, const Collective& collective,
                                 const Machine& machine = test::machine("ring:4", PortLimit::all())) {
    return test::sentences(audit(test::schedule(*machine.topology, steps), machine, collective, false),
                           *machine.topology);
}

TEST(ACollectiveOfOnesOwn, IsJudgedByEveryRule) {
    const std::vector<test::Step> lawful = {{1, 0, 1, {}, {PacketBlock{0}}},
                                            {1, 1, 2, {}, {PacketBlock{1}}},
                                            {1, 2, 3, {}, {PacketBlock{2}}},
                                            {1, 3, 0, {}, {PacketBlock{3}}}};
    EXPECT_THAT(told_of(lawful, shift(4)), testing::IsEmpty());

    std::vector<test::Step> missing = lawful;
    missing.pop_back();
    EXPECT_THAT(told_of(missing, shift(4)), ElementsAre(AllOf(HasSubstr("node 0"), HasSubstr("packet 3"))));

    std::vector<test::Step> unheld = lawful;
    unheld.push_back({2, 0, 1, {}, {PacketBlock{2}}});
    EXPECT_THAT(told_of(unheld, shift(4)), ElementsAre(AllOf(HasSubstr("node 0"), HasSubstr("packet 2"))));

    std::vector<test::Step> again = lawful;
    again.push_back({2, 0, 1, {}, {PacketBlock{0}}});
    EXPECT_THAT(told_of(again, shift(4)), ElementsAre(AllOf(HasSubstr("node 1"), HasSubstr("packet 0"))));

    std::vector<test::Step> back = lawful;
    back.push_back({2, 1, 0, {}, {PacketBlock{0}}});
    EXPECT_THAT(told_of(back, shift(4)), ElementsAre(AllOf(HasSubstr("node 0"), HasSubstr("packet 0"))));

    Machine noncombining = test::machine("ring:4", PortLimit::all());
    noncombining.combining = false;
    const std::vector<test::Step> bundle = {{1, 0, 1, {}, {PacketBlock{0, 1, 3}}}};
    EXPECT_THAT(told_of(bundle, multicast({1}), noncombining), ElementsAre(HasSubstr("3 packets")));
}

std::string refusal(const std::function<void()>& what) {
    try {
        what();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

TEST(ACollectiveOfOnesOwn, IsRefusedWhereItMakesNoSense) {
    const auto some = [](NodeId) { return PacketSet(); };
    EXPECT_EQ(refusal([&] { (void)Collective::custom({.name = "a\nb", .owned = some, .wanted = some}); }),
              "a collective of one's own is called 'a?b'; want a name of one line, \"shift\"");
    EXPECT_EQ(refusal([&] { (void)Collective::custom({.name = "a", .packets = 0, .owned = some, .wanted = some}); }),
              "a has 0 packets; want 1 to 4294967294");
    EXPECT_THAT(refusal([&] { (void)Collective::custom({.name = "a", .owned = some, .wanted = {}}); }),
                HasSubstr(".wanted"));
    EXPECT_THAT(refusal([&] { (void)Collective::custom({.name = "a", .owned = {}, .wanted = some}); }),
                HasSubstr(".owned"));
    EXPECT_THAT(refusal([&] { (void)Collective::custom({.name = "", .owned = some, .wanted = some}); }),
                HasSubstr("no name"));

    const auto nothing = [](Node&) -> Program { co_return; };
    Job job = job_of("ring:8", PortLimit(1), shift(9), nothing);
    EXPECT_EQ(refusal([&] { (void)run_lockstep(job, {}); }), "");
    job.collective =
        Collective::custom({.name = "far", .packets = 2, .owned = some, .wanted = [](NodeId v) { return one(v); }});
    const std::string why = "far: what node 2 must hold names packet 2; far on 8 nodes has packets 0 to 1";
    for (const EngineKind engine : test::both_engines)
        EXPECT_EQ(refusal([&] { (void)run(job, test::on(engine)); }), why);
    EXPECT_EQ(refusal([&] { (void)audit({}, job.machine, job.collective, false); }), why);

    job.collective = multicast({1});
    job.program = [](Node& self) -> Program {
        if (self.id() == 0) co_await self.send(rightwards, Packet(3));
    };
    for (const EngineKind engine : test::both_engines)
        EXPECT_THAT(refusal([&] { (void)run(job, test::on(engine)); }),
                    HasSubstr("packet 3; multicast on 8 nodes has packets 0 to 2"));
}

TEST(ACollectiveOfOnesOwn, HasNoLowerBoundsThatAreKnown) {
    const Bounds bounds = lower_bounds(test::machine("ring:8", PortLimit(1)), shift(8));
    for (const Bound& bound : bounds) {
        EXPECT_FALSE(bound.largest());
        EXPECT_EQ(bound.reachable, Reachable::unknown);
        EXPECT_EQ(bound.reachable_why, "no bound is known for shift");
    }
}

}  // namespace
}  // namespace kport
