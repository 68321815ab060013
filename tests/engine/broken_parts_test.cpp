/// @file broken_parts_test.cpp   Messages over broken parts of which the programs do not know: lost, and violations of the rule
///                               'broken'. The losses follow from the tree of the schedule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "emulator/engine/job.hpp"
#include "emulator/engine/sabotage.hpp"
#include "emulator/engine/script.hpp"
#include "emulator/topology/broken.hpp"

namespace kport {
namespace {

using testing::HasSubstr;

/// The spanning binomial tree of hypercube:3, from node 0, dimension 0 first.
Schedule binomial_tree() {
    constexpr PacketBlock packet;
    Schedule schedule;
    for (Port port = 0; port < 3; ++port)
        for (NodeId v = 0; v < (NodeId{1} << port); ++v)
            schedule.add(port + 1, {v, v ^ (NodeId{1} << port), {&port, 1}, {&packet, 1}});
    return schedule;
}

Verdict run_beside(std::string_view parts) {
    Machine machine;
    machine.topology = make_topology("hypercube:3");
    const Schedule schedule = binomial_tree();
    const BrokenParts broken = broken_parts(*machine.topology, parts, "parts");
    Sabotage losing(broken);
    RunOptions options;
    options.threads = 1;
    options.sabotage = &losing;
    return run_lockstep(job_following(schedule, machine, Collective::broadcast(0, 64)), options).verdict;
}

TEST(AMessageOverABrokenLink, IsLostAndBreaksARule) {
    const Verdict verdict = run_beside("0--1");
    EXPECT_FALSE(verdict.lawful());
    EXPECT_EQ(verdict.count(Rule::broken), 1);
    EXPECT_EQ(verdict.holders, 4) << "0, 2, 4 and 6";
    EXPECT_EQ(verdict.metrics.work, 3) << "what is lost is not counted";
    EXPECT_EQ(verdict.count(Rule::rounds), 0) << "round 1, in which nothing moves, passes";
    EXPECT_EQ(verdict.count(Rule::transfers), 0);
    EXPECT_EQ(sentence(verdict.violations.front(), *make_topology("hypercube:3")),
              "broken: the message of node 0 to node 1 by port 0 is lost in round 1: the link 0--1 is broken");
}

TEST(AMessageToABrokenNode, IsLostAndBreaksARule) {
    const Verdict verdict = run_beside("4");
    EXPECT_EQ(verdict.count(Rule::broken), 1);
    EXPECT_EQ(verdict.holders, 7);
    EXPECT_THAT(sentence(verdict.violations.front(), *make_topology("hypercube:3")), HasSubstr("node 4 is broken"));
}

TEST(ABrokenPart, ThatNoMessageCrossesIsNotNoticed) {
    EXPECT_TRUE(run_beside("6--7").lawful()) << "7 has its packet from 3";
    EXPECT_EQ(run_beside("0--1,2--6").count(Rule::broken), 2);
}

}  // namespace
}  // namespace kport
