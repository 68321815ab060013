/// @file brief_test.cpp   A brief auditor, which keeps less, says that it is in doubt or says the same as one that is not.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "emulator/audit/auditor.hpp"
#include "emulator/base/random.hpp"
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

/// Messages of one packet to neighbours, some of them by another port; usually a packet that the sender holds and the
/// receiver lacks.
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

Said said_of(const std::vector<Step>& steps, const Machine& machine, bool brief, bool stopped, unsigned shards,
             const Collective& collective = broadcast_of_several()) {
    Auditor auditor(machine, collective, shards, true, 1000, {}, true, brief);
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

/// What both auditors said of many streams: a brief one may be in doubt, but not of all that is lawful, or says the same.
class Compared {
  public:
    void add(const Said& whole, const Said& brief, const Machine& machine, bool tells_if_lawful) {
        EXPECT_FALSE(whole.in_doubt);
        const bool is_lawful = whole.verdict.violation_count == 0;
        if (brief.in_doubt) {
            EXPECT_FALSE(is_lawful && tells_if_lawful);
            ++doubts_;
            return;
        }
        EXPECT_EQ(test::text(brief.verdict, *machine.topology), test::text(whole.verdict, *machine.topology));
        (is_lawful ? lawful_ : told_) += 1;
    }
    void expect_many() const {
        EXPECT_GT(lawful_, 200U);
        EXPECT_GT(told_, 50U);
        EXPECT_GT(doubts_, 300U);
    }

  private:
    std::size_t lawful_ = 0;
    std::size_t told_ = 0;
    std::size_t doubts_ = 0;
};

TEST(ABriefAuditor, IsInDoubtOrSaysTheSame) {
    Compared compared;
    for (const char* spec : {"line:4", "ring:5", "hypercube:3", "mesh:2x3", "complete:4"})
        for (std::uint64_t seed = 1; seed <= 400; ++seed) {
            const Machine machine = test::machine(spec);
            ASSERT_TRUE(Auditor::may_be_brief(machine, broadcast_of_several()));
            const std::vector<Step> steps = steps_of_one_packet(*machine.topology, seed);
            const bool stopped = seed % 3 != 0;  // then nothing is missing
            const unsigned shards = seed % 2 == 0 ? 1 : 3;
            const Said whole = said_of(steps, machine, false, stopped, shards);
            const Said brief = said_of(steps, machine, true, stopped, shards);
            SCOPED_TRACE(fmt::format("{}, seed {}", spec, seed));
            compared.add(whole, brief, machine, true);
        }
    compared.expect_many();
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

Collective scatter_of(std::uint64_t packets_each) {
    Collective collective = Collective::scatter(0, 8);
    collective.packets_each = packets_each;
    return collective;
}

/// All packets of every stride-th node from the first on.
PacketBlock every(NodeId first, NodeId stride, NodeId nodes, std::uint64_t packets_each) {
    return packets_of(Progression{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(stride),
                                  static_cast<std::uint32_t>((nodes - first + stride - 1) / stride)},
                      packets_each);
}

/// The scatter down the binomial tree of a hypercube, one dimension a round, in which some messages are left out and some have
/// other packets, or are sent by another port.
std::vector<Step> steps_of_a_scatter(const Topology& cube, std::uint64_t packets_each, std::uint64_t seed) {
    Dice dice(seed);
    const bool is_wild = dice.below(2) == 0;
    const NodeId nodes = cube.nodes();
    std::vector<Step> steps;
    for (Port d = 0; d < cube.ports(); ++d)
        for (NodeId v = 0; v < NodeId{1} << d; ++v) {
            const Port by = is_wild && dice.below(16) == 0 ? static_cast<Port>(dice.below(cube.ports())) : d;
            const NodeId to = v ^ NodeId { 1 } << by;
            PacketBlock part = every(v ^ NodeId{1} << d, NodeId{2} << d, nodes, packets_each);
            if (is_wild && dice.below(16) == 0) part = every(dice.below(nodes), 1 + dice.below(4), nodes, packets_each);
            if (is_wild && dice.below(16) == 0) part.rows = 1;
            const bool is_part_of_the_tree = dice.below(32) != 0;
            if (is_part_of_the_tree) steps.push_back({d + 1, v, to, {by}, {part}});
        }
    return steps;
}

/// Whether each node is sent one message at most, with all packets of each of some nodes: a scatter may do without.
bool is_plain(const std::vector<Step>& steps, std::uint64_t packets_each) {
    std::vector<NodeId> receivers;
    for (const Step& step : steps) receivers.push_back(step.to);
    std::ranges::sort(receivers);
    const auto has_all = [&](const Step& step) { return step.packets.front().rows == packets_each; };
    return std::ranges::adjacent_find(receivers) == receivers.end() && std::ranges::all_of(steps, has_all);
}

TEST(ABriefAuditor, OfAScatterIsInDoubtOrSaysTheSame) {
    Compared compared;
    for (const char* spec : {"hypercube:1", "hypercube:3", "hypercube:4"})
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()})
            for (std::uint64_t seed = 1; seed <= 200; ++seed) {
                Machine machine = test::machine(spec, ports);
                machine.combining = seed % 16 != 0;
                const std::uint64_t packets_each = 1 + seed % 2;
                const Collective collective = scatter_of(packets_each);
                ASSERT_TRUE(Auditor::may_be_brief(machine, collective));
                const std::vector<Step> steps = steps_of_a_scatter(*machine.topology, packets_each, seed);
                const bool stopped = seed % 3 == 0;  // then nothing is missing
                const unsigned shards = seed % 5 == 0 ? 1 : 3;
                const Said whole = said_of(steps, machine, false, stopped, shards, collective);
                const Said brief = said_of(steps, machine, true, stopped, shards, collective);
                SCOPED_TRACE(fmt::format("{}, seed {}", spec, seed));
                compared.add(whole, brief, machine, is_plain(steps, packets_each));
            }
    compared.expect_many();
}

/// One step on a line of 4, with one packet of each node, after one that is lawful.
bool is_doubted_of_a_scatter(const Step& step, bool combining = true) {
    Machine machine = test::machine("line:4");
    machine.combining = combining;
    const Step first{1, 0, 1, {}, {combining ? PacketBlock{1, 1, 3} : PacketBlock{2}}};
    return said_of({first, step}, machine, true, false, 1, scatter_of(1)).in_doubt;
}

TEST(ABriefAuditor, OfAScatterDoubtsWhatItCannotTell) {
    EXPECT_FALSE(is_doubted_of_a_scatter({2, 1, 2, {}, {PacketBlock{2, 1, 2}}}));
    EXPECT_FALSE(is_doubted_of_a_scatter({2, 1, 2, {}, {PacketBlock{2}}}, false));
    EXPECT_TRUE(is_doubted_of_a_scatter({2, 1, 2, {}, {PacketBlock{3}}}, false)) << "sent unheld";
    EXPECT_TRUE(is_doubted_of_a_scatter({2, 1, 2, {}, {PacketBlock{0, 1, 3}}})) << "sent unheld, in part";
    EXPECT_TRUE(is_doubted_of_a_scatter({2, 3, 2, {}, {PacketBlock{3}}})) << "sent by one to which nothing has come";
    EXPECT_TRUE(is_doubted_of_a_scatter({1, 1, 2, {}, {PacketBlock{2}}})) << "sent in the round in which it comes";
    EXPECT_TRUE(is_doubted_of_a_scatter({2, 0, 1, {}, {PacketBlock{2}}})) << "received again";
    EXPECT_TRUE(is_doubted_of_a_scatter({2, 1, 0, {}, {PacketBlock{2}}})) << "received by its owner";
    EXPECT_TRUE(is_doubted_of_a_scatter({2, 1, 2, {}, {PacketBlock{2}, PacketBlock{3}}})) << "several blocks";
    EXPECT_TRUE(is_doubted_of_a_scatter({1, 0, 1, {}, {PacketBlock{2, 1, 2}}}, false)) << "several packets";
}

TEST(ABriefAuditor, IsForOnePortAndSeveralPacketsOrAScatter) {
    const Machine cube = test::machine("hypercube:3");
    const Collective several = broadcast_of_several();
    EXPECT_TRUE(Auditor::may_be_brief(cube, several));
    EXPECT_FALSE(Auditor::may_be_brief(cube, Collective::broadcast(0, 8)));
    EXPECT_FALSE(Auditor::may_be_brief(cube, Collective::allgather(8)));
    EXPECT_FALSE(Auditor::may_be_brief(test::machine("hypercube:3", PortLimit::all()), several));
    EXPECT_FALSE(Auditor::may_be_brief(test::half_duplex(cube), several));
    EXPECT_FALSE(Auditor::may_be_brief(test::wormhole(cube), several));
    EXPECT_TRUE(Auditor::may_be_brief(cube, scatter_of(1)));
    EXPECT_TRUE(Auditor::may_be_brief(test::machine("hypercube:3", PortLimit::all()), scatter_of(3)));
    EXPECT_FALSE(Auditor::may_be_brief(test::half_duplex(cube), scatter_of(1)));
    EXPECT_FALSE(Auditor::may_be_brief(test::wormhole(cube), scatter_of(1)));
    EXPECT_FALSE(Auditor::may_be_brief(cube, Collective::gather(0, 8)));
}

}  // namespace
}  // namespace kport
