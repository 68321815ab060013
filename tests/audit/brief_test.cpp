/// @file brief_test.cpp   A brief auditor, which keeps less, says that it is in doubt or says the same as one that is not.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "emulator/audit/auditor.hpp"
#include "emulator/base/dice.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::Step;

constexpr std::uint64_t packets_of_source = 3;

Collective broadcast_of_several() {
    Collective collective = Collective::broadcast(0, 8);
    collective.packets_each = packets_of_source;
    return collective;
}

/// Messages of one packet to neighbours, some of them by another port; mostly what the sender holds and the receiver lacks.
std::vector<Step> steps_of_one_packet(const Topology& topology, std::uint64_t seed) {
    Dice dice(seed);
    std::vector<std::uint64_t> held(topology.nodes());
    held[0] = (1U << packets_of_source) - 1;
    std::vector<Step> steps;
    Round round = 1;
    const bool is_wild = dice.below(2) == 0;
    for (std::uint64_t left = dice.below(24); left > 0; --left) {
        if (dice.below(2) != 0 && !steps.empty() && steps.back().round == round) ++round;
        const NodeId from = dice.below(topology.nodes());
        const auto port = static_cast<Port>(dice.below(topology.ports()));
        const NodeId to = topology.across(from, port).node;
        const std::uint64_t packet = dice.below(packets_of_source);
        const std::uint64_t bit = std::uint64_t{1} << packet;
        const bool is_useful = to != no_node && (held[from] & bit) != 0 && (held[to] & bit) == 0;
        if (to == no_node || (!is_useful && !(is_wild && dice.below(4) == 0))) continue;
        const Port by = is_wild && dice.below(8) == 0 ? static_cast<Port>(dice.below(topology.ports())) : port;
        steps.push_back({round, from, to, {by}, {PacketBlock{static_cast<std::uint32_t>(packet)}}});
        held[to] |= bit;
    }
    return steps;
}

struct Said {
    bool in_doubt;
    Verdict verdict;
};

Said said_of(const std::vector<Step>& steps, const Machine& machine, bool brief, bool stopped, unsigned shards) {
    Auditor auditor(machine, broadcast_of_several(), shards, true, 1000, {}, true, brief);
    std::vector<unsigned> all;
    for (unsigned shard = 0; shard < shards; ++shard) all.push_back(shard);
    const Schedule schedule = test::schedule(*machine.topology, steps);
    for (std::size_t next = 0, end = 0; next < schedule.size(); next = end) {
        const Round round = schedule.round(next);
        while (end < schedule.size() && schedule.round(end) == round) ++end;
        for (std::size_t i = next; i < end; ++i)
            auditor.sent(static_cast<unsigned>(schedule.transfer(i).from % shards), round, schedule.transfer(i));
        for (std::size_t i = next; i < end; ++i)
            auditor.received(static_cast<unsigned>(schedule.transfer(i).to % shards), round, schedule.transfer(i));
        (void)auditor.end_round(round, all);
    }
    const bool in_doubt = auditor.in_doubt();
    return {in_doubt, stopped ? auditor.finish_stopped() : auditor.finish()};
}

TEST(ABriefAuditor, IsInDoubtOrSaysTheSame) {
    std::size_t lawful = 0;
    std::size_t told = 0;
    std::size_t doubts = 0;
    for (const char* spec : {"line:4", "ring:5", "hypercube:3", "mesh:2x3", "complete:4"})
        for (std::uint64_t seed = 1; seed <= 400; ++seed) {
            const Machine machine = test::machine(spec);
            ASSERT_TRUE(Auditor::may_be_brief(machine, broadcast_of_several()));
            const std::vector<Step> steps = steps_of_one_packet(*machine.topology, seed);
            const bool stopped = seed % 3 != 0;  // then nothing is missing
            const unsigned shards = seed % 2 == 0 ? 1 : 3;
            const Said whole = said_of(steps, machine, false, stopped, shards);
            const Said brief = said_of(steps, machine, true, stopped, shards);
            EXPECT_FALSE(whole.in_doubt);
            const bool is_lawful = whole.verdict.violation_count == 0;
            if (brief.in_doubt) {
                EXPECT_FALSE(is_lawful) << spec << ", seed " << seed;
                ++doubts;
                continue;
            }
            EXPECT_EQ(test::text(brief.verdict, *machine.topology), test::text(whole.verdict, *machine.topology))
                << spec << ", seed " << seed;
            (is_lawful ? lawful : told) += 1;
        }
    EXPECT_GT(lawful, 200U);
    EXPECT_GT(told, 50U);
    EXPECT_GT(doubts, 300U);
}

/// One step on a line after a lawful one.
bool is_doubted(const Step& step) {
    const Step first{1, 0, 1, {}, {PacketBlock{0}}};
    return said_of({first, step}, test::machine("line:3"), true, false, 1).in_doubt;
}

TEST(ABriefAuditor, DoubtsWhatItCannotTell) {
    EXPECT_FALSE(is_doubted({2, 1, 2, {}, {PacketBlock{0}}}));
    EXPECT_TRUE(is_doubted({2, 1, 2, {}, {PacketBlock{1}}})) << "sent unheld";
    EXPECT_TRUE(is_doubted({2, 0, 1, {}, {PacketBlock{0}}})) << "received again";
    EXPECT_TRUE(is_doubted({2, 1, 0, {}, {PacketBlock{0}}})) << "received by its owner";
    EXPECT_TRUE(is_doubted({2, 0, 1, {}, {PacketBlock{1}, PacketBlock{2}}})) << "several packets";
    EXPECT_TRUE(is_doubted({1, 2, 1, {}, {PacketBlock{0}}})) << "two in a round";
}

TEST(ABriefAuditor, IsForOnePortAndSeveralPackets) {
    const Machine cube = test::machine("hypercube:3");
    const Collective several = broadcast_of_several();
    EXPECT_TRUE(Auditor::may_be_brief(cube, several));
    EXPECT_FALSE(Auditor::may_be_brief(cube, Collective::broadcast(0, 8)));
    EXPECT_FALSE(Auditor::may_be_brief(cube, Collective::allgather(8)));
    EXPECT_FALSE(Auditor::may_be_brief(test::machine("hypercube:3", PortLimit::all()), several));
    EXPECT_FALSE(Auditor::may_be_brief(test::half_duplex(cube), several));
    EXPECT_FALSE(Auditor::may_be_brief(test::wormhole(cube), several));
}

}  // namespace
}  // namespace kport
