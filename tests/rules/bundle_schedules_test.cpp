/// @file bundle_schedules_test.cpp   Schedules of operations with many packets: each rule broken by a small one, the report,
///                                   once, and the nearest lawful one, without a report; and those that are refused.
///
/// Source   model.md sections 1 (NODUP, NOHO, combining), 5, 7 and 8 (delivery).
#include <string>
#include <utility>
#include <vector>

#include "emulator/base/error.hpp"
#include "tests/rules/breaches.hpp"

namespace kport {
namespace {

using test::expect_told;
using test::judged;
using test::machine;
using test::Step;
using test::Steps;
using test::the;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

PacketBlock one(std::uint32_t packet) { return {packet}; }
PacketBlock from_to(std::uint32_t from, std::uint32_t to) { return {to, 1, 1, from}; }

Step move(Round round, NodeId from, NodeId to, std::vector<PacketBlock> packets) {
    return {round, from, to, {}, std::move(packets)};
}

std::vector<std::string> told(const Machine& machine, Operation operation, const Steps& steps, NodeId source = 0) {
    const Verdict verdict = judged(machine, operation, steps, source);
    EXPECT_EQ(verdict.delivered, verdict.holders == verdict.promised && verdict.violation_count == 0)
        << "of these schedules the broken rule is always one of delivery";
    return test::sentences(verdict, *machine.topology);
}

// -------------------------------------------------------------------------------------------------------------- lawful

/// Allgather on a ring of three: every node passes on the packet that came last.
const Steps ring_of_three = {move(1, 0, 1, {one(0)}), move(1, 1, 2, {one(1)}), move(1, 2, 0, {one(2)}),
                             move(2, 0, 1, {one(2)}), move(2, 1, 2, {one(0)}), move(2, 2, 0, {one(1)})};
/// Scatter down a line of four.
const Steps down_the_line = {move(1, 0, 1, {{1, 1, 3}}), move(2, 1, 2, {{2, 1, 2}}), move(3, 2, 3, {one(3)})};

TEST(LawfulBundles, HaveNoViolation) {
    EXPECT_THAT(told(machine("ring:3"), Operation::allgather, ring_of_three), IsEmpty());
    EXPECT_THAT(told(machine("line:4"), Operation::scatter, down_the_line), IsEmpty());
    EXPECT_THAT(told(machine("line:3"), Operation::gather, {move(1, 2, 1, {one(2)}), move(2, 1, 0, {{1, 1, 2}})}),
                IsEmpty());
    // Node 1 of a gather may send its own packet after the other's: in any order and in several messages.
    EXPECT_THAT(told(machine("line:3"), Operation::gather,
                     {move(1, 2, 1, {one(2)}), move(2, 1, 0, {one(2)}), move(3, 1, 0, {one(1)})}),
                IsEmpty());
    EXPECT_THAT(
        told(machine("line:2"), Operation::alltoall, {move(1, 0, 1, {from_to(0, 1)}), move(1, 1, 0, {from_to(1, 0)})}),
        IsEmpty());
}

TEST(LawfulBundles, MayConsistOfBlocksThatWereNotReceivedAsSuch) {
    // Node 1 holds 1, 2, 3 and 5 of six and sends 2 and 5: parts of what came.
    const Machine line = machine("complete:6");
    const Verdict verdict = judged(line, Operation::scatter,
                                   {move(1, 0, 1, {{1, 1, 3}, one(5)}), move(2, 0, 4, {one(4)}),
                                    move(2, 1, 2, {{2, 3, 2}}), move(3, 1, 3, {one(3)}), move(3, 2, 5, {one(5)})});
    EXPECT_THAT(test::sentences(verdict, *line.topology), IsEmpty());
    EXPECT_TRUE(verdict.delivered && verdict.kept(Rule::nodup) && verdict.kept(Rule::noho) &&
                verdict.kept(Rule::combining));
    EXPECT_EQ(verdict.metrics.volume, (4U + 2U + 1U) * 8U);
    EXPECT_EQ(verdict.metrics.bytes, (4U + 1U + 2U + 1U + 1U) * 8U);
}

// --------------------------------------------------------------------------------------------------------------- NODUP

TEST(NodupOfBundles, CatchesThePacketThatComesAgainInABundle) {
    const Machine line = machine("line:4");
    const Verdict verdict = judged(line, Operation::scatter,
                                   {down_the_line[0], move(2, 0, 1, {{0, 1, 2}}), down_the_line[1], down_the_line[2]});
    EXPECT_THAT(
        test::sentences(verdict, *line.topology),
        ElementsAre("NODUP broken: node 1 receives packet 1 again: round 2 from node 0 by port 0 again; another "
                    "message brought it"));
    expect_told(the(Breach::received_again, verdict), Rule::nodup, 2, 1, 1, 0);
    EXPECT_TRUE(!verdict.kept(Rule::nodup) && verdict.kept(Rule::noho) && verdict.delivered);
}

TEST(NodupOfBundles, ReportsOnceAMessageTheLowestPacket) {
    // Packets 2 and 3 come again in one message, and 3 a third time in another.
    const Machine complete = machine("complete:4");
    const Verdict verdict = judged(complete, Operation::scatter,
                                   {move(1, 0, 1, {{1, 1, 3}}), move(2, 0, 1, {{2, 1, 2}}), move(3, 0, 1, {one(3)}),
                                    move(4, 1, 2, {one(2)}), move(5, 1, 3, {one(3)})});
    EXPECT_EQ(verdict.violation_count, 2U);
    expect_told(verdict.violations[0], Rule::nodup, 2, 1, 2, 0);
    expect_told(verdict.violations[1], Rule::nodup, 3, 1, 3, 0);
    EXPECT_TRUE(verdict.delivered);
}

TEST(NodupOfBundles, CountsReceiptsAlsoOfWhatANodeOwns) {
    // Node 1 owns packet 1 and never sends it; node 0, which does not hold it, sends it to node 1 twice.
    const Verdict verdict =
        judged(machine("line:2"), Operation::gather, {move(1, 0, 1, {one(1)}), move(2, 0, 1, {one(1)})});
    expect_told(the(Breach::received_again, verdict), Rule::nodup, 2, 1, 1, 0);
    EXPECT_TRUE(verdict.kept(Rule::noho));
}

TEST(NodupOfBundles, CatchesTwoInOneRound) {
    const Machine complete = machine("complete:4", PortLimit(2));
    const Verdict verdict =
        judged(complete, Operation::allgather,
               {move(1, 0, 1, {one(0)}), move(1, 0, 2, {one(0)}), move(2, 1, 3, {one(0)}), move(2, 2, 3, {one(0)})});
    expect_told(the(Breach::received_again, verdict), Rule::nodup, 2, 3, 0, 2);
}

// ---------------------------------------------------------------------------------------------------------------- NOHO

TEST(NohoOfBundles, CatchesTheOwnPacketThatComesBack) {
    Steps steps = ring_of_three;
    steps.push_back(move(3, 1, 0, {one(0)}));
    const Machine ring = machine("ring:3");
    const Verdict verdict = judged(ring, Operation::allgather, steps);
    EXPECT_THAT(test::sentences(verdict, *ring.topology),
                ElementsAre("NOHO broken: node 0 receives packet 0, which it sent itself: round 3 from node 1 by port "
                            "1 received; it was sent in this round or before"));
    expect_told(the(Breach::received_own, verdict), Rule::noho, 3, 0, 0, 1);
    EXPECT_TRUE(verdict.kept(Rule::nodup) && !verdict.kept(Rule::noho) && verdict.delivered);
}

TEST(NohoOfBundles, ReadsTheRuleWideTheRoundAtHandCounts) {
    // Node 0 sends its packet to 2 in the round in which 1 sends it back.
    const Machine complete = machine("complete:3");
    const Verdict verdict =
        judged(complete, Operation::gather,
               {move(1, 1, 0, {one(1)}), move(2, 0, 2, {one(1)}), move(2, 1, 0, {one(1)}), move(3, 2, 0, {one(2)})});
    expect_told(the(Breach::received_own, verdict), Rule::noho, 2, 0, 1, 1);
    expect_told(the(Breach::received_again, verdict), Rule::nodup, 2, 0, 1, 1);
    EXPECT_EQ(verdict.violation_count, 2U);
}

TEST(NohoOfBundles, NamesTheLowestOfThePacketsSent) {
    // Of 1, 2 and 3 node 1 has passed on 2 and 3; they come back with one that it has never sent.
    const Machine line = machine("line:4");
    Steps steps = down_the_line;
    steps.push_back(move(4, 2, 1, {{2, 1, 2}}));
    const Verdict verdict = judged(line, Operation::scatter, steps);
    expect_told(the(Breach::received_own, verdict), Rule::noho, 4, 1, 2, 2);
    expect_told(the(Breach::received_again, verdict), Rule::nodup, 4, 1, 2, 2);
    EXPECT_EQ(verdict.violation_count, 2U);
}

// ------------------------------------------------------------------------------------------------------------- holding

TEST(HoldingOfBundles, CatchesASendOfUnheldPackets) {
    // Node 1 sends 3 and 2 on, of which it holds 2 alone.
    const Machine complete = machine("complete:4");
    const Verdict verdict = judged(complete, Operation::scatter,
                                   {move(1, 0, 1, {{1, 1, 2}}), move(2, 1, 2, {{2, 1, 2}}), move(3, 2, 3, {one(3)})});
    EXPECT_THAT(test::sentences(verdict, *complete.topology),
                ElementsAre(HasSubstr("delivery broken: node 1 sends packet 3 in round 2 and does not hold it")));
    expect_told(the(Breach::sent_unheld, verdict), Rule::delivery, 2, 1, 3, 2);
    EXPECT_FALSE(verdict.delivered);
}

TEST(HoldingOfBundles, CatchesForwardingInTheRoundOfArrival) {
    const Machine line = machine("line:3");
    const Verdict verdict = judged(line, Operation::scatter, {move(1, 0, 1, {{1, 1, 2}}), move(1, 1, 2, {one(2)})});
    EXPECT_THAT(
        test::sentences(verdict, *line.topology),
        UnorderedElementsAre(HasSubstr("node 1 sends packet 2 in round 1 and does not hold it"),
                             "NOHO broken: node 1 receives packet 2, which it sent itself: round 1 from node 0 by port "
                             "0 received; it was sent in this round or before"));
    expect_told(the(Breach::sent_unheld, verdict), Rule::delivery, 1, 1, 2, 2);
    EXPECT_THAT(told(line, Operation::scatter, {move(1, 0, 1, {{1, 1, 2}}), move(2, 1, 2, {one(2)})}), IsEmpty());
}

TEST(HoldingOfBundles, NamesThePacketsOfAnAlltoallByTheirNumbers) {
    // Node 1 sends on what goes from 0 to 2, number 0 * 3 + 2, and what goes from 2 to 0, number 2 * 3 + 0, unheld.
    const Machine complete = machine("complete:3");
    const Steps steps = {move(1, 1, 2, {from_to(2, 0)}), move(2, 1, 2, {from_to(0, 2)})};
    const Verdict verdict = judged(complete, Operation::alltoall, steps);
    std::vector<PacketId> packets;
    for (const Violation& v : verdict.violations)
        if (v.breach == Breach::sent_unheld) packets.push_back(v.packet);
    EXPECT_THAT(packets, ElementsAre(6U, 2U));
}

// ------------------------------------------------------------------------------------------------------------ delivery

TEST(DeliveryOfBundles, NamesTheLowestPacketThatANodeLacks) {
    const Machine line = machine("line:4");
    EXPECT_THAT(told(line, Operation::scatter, {down_the_line[0], down_the_line[1]}),
                ElementsAre("delivery broken: node 3 never receives packet 3"));
    EXPECT_THAT(told(machine("line:4"), Operation::gather, {move(1, 2, 1, {one(2)}), move(2, 1, 0, {one(2)})}),
                ElementsAre("delivery broken: node 0 never receives 2 packets, the lowest is packet 1"));
    EXPECT_THAT(told(machine("ring:3"), Operation::allgather, {ring_of_three.begin(), ring_of_three.end() - 1}),
                ElementsAre("delivery broken: node 0 never receives packet 1"));
    EXPECT_THAT(told(machine("line:2"), Operation::alltoall, {move(1, 1, 0, {from_to(1, 0)})}),
                ElementsAre("delivery broken: node 1 never receives packet 1"));
}

TEST(DeliveryOfBundles, CountsTheNodesThatHoldTheirPromisedPackets) {
    const Verdict gather =
        judged(machine("line:4"), Operation::gather, {move(1, 2, 1, {one(2)}), move(2, 1, 0, {one(2)})});
    EXPECT_TRUE(gather.promised_at_root);
    EXPECT_EQ(gather.holders, 2U);  // its own packet and one more
    EXPECT_EQ(gather.promised, 4U);
    const Verdict scatter = judged(machine("line:4"), Operation::scatter, {down_the_line[0], down_the_line[1]});
    EXPECT_FALSE(scatter.promised_at_root);
    EXPECT_EQ(scatter.holders, 3U);
    EXPECT_EQ(scatter.promised, 4U);
}

// ----------------------------------------------------------------------------------------------------------- combining

TEST(CombiningRule, CatchesSeveralPacketsInOneMessage) {
    Machine line = machine("line:3");
    line.combining = false;
    const Steps steps = {move(1, 0, 1, {{1, 1, 2}}), move(2, 1, 2, {one(2)})};
    const Verdict verdict = judged(line, Operation::scatter, steps);
    EXPECT_THAT(
        test::sentences(verdict, *line.topology),
        ElementsAre("combining broken: node 0 sends 2 packets in one message in round 1: it went to node 1 by port "
                    "1; without combining a message carries one packet"));
    const Violation v = the(Breach::bundled, verdict);
    expect_told(v, Rule::combining, 1, 0, 1, 1);
    EXPECT_EQ(v.limit, 2U);
    EXPECT_TRUE(!verdict.kept(Rule::combining) && verdict.delivered && verdict.kept(Rule::ports) &&
                verdict.kept(Rule::nodup));
    // One packet a message is lawful, and a pipeline delivers as well.
    EXPECT_THAT(
        told(line, Operation::scatter, {move(1, 0, 1, {one(2)}), move(2, 0, 1, {one(1)}), move(2, 1, 2, {one(2)})}),
        IsEmpty());
}

TEST(CombiningRule, CountsPacketsAndNotBlocks) {
    Machine complete = machine("complete:4");
    complete.combining = false;
    const auto bundled = [&](std::vector<PacketBlock> packets) {
        return the(Breach::bundled, judged(complete, Operation::scatter, {move(1, 0, 1, std::move(packets))})).limit;
    };
    EXPECT_EQ(bundled({{1, 2, 2}}), 2U);
    EXPECT_EQ(bundled({one(1), one(3)}), 2U);
    EXPECT_EQ(bundled({{1, 1, 2}, one(3)}), 3U);
}

// ----------------------------------------------------------------------------------------------------- what is refused

TEST(PacketsOfASchedule, MustBelongToTheOperation) {
    const auto refused = [](Operation operation, PacketBlock block) {
        try {
            (void)judged(machine("line:3"), operation, {move(1, 0, 1, {block})});
        } catch (const RequestError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(refused(Operation::scatter, {1, 1, 2}), "");
    EXPECT_THAT(refused(Operation::scatter, {1, 1, 3}),
                HasSubstr("names packet 3; scatter on 3 nodes has packets 0 to 2"));
    EXPECT_THAT(refused(Operation::scatter, {1, 1, 1, 1}), HasSubstr("names row 1; scatter has row 0 alone"));
    EXPECT_THAT(refused(Operation::scatter, {1, 0xFFFFFFFF, 3}), HasSubstr("a run of packets beyond 32 bits"));
    EXPECT_EQ(refused(Operation::alltoall, {2, 1, 1, 0, 1, 3}), "");
    EXPECT_THAT(refused(Operation::alltoall, {2, 1, 1, 0, 1, 4}),
                HasSubstr("the packet of row 3 and column 2; alltoall on 3 nodes has rows and columns 0 to 2"));
    EXPECT_EQ(refused(Operation::reduce, one(3)), "");  // the result, as a packet of its own
    EXPECT_THAT(refused(Operation::reduce, one(4)), HasSubstr("names packet 4; reduce on 3 nodes has packets 0 to 3"));
    EXPECT_THAT(refused(Operation::broadcast, one(1)), HasSubstr("a broadcast moves packet 0 alone"));
}

TEST(PacketsOfASchedule, AppearInAMessageOnce) {
    const auto judge = [](std::vector<PacketBlock> packets) {
        (void)judged(machine("line:3"), Operation::scatter, {move(1, 0, 1, std::move(packets))});
    };
    EXPECT_THROW(judge({one(1), one(1)}), RequestError);
    EXPECT_THROW(judge({{0, 2, 2}, {1, 1, 2}}), RequestError);
    EXPECT_NO_THROW(judge({{0, 2, 2}, one(1)}));
}

TEST(PacketsOfASchedule, AreNotMixedWithTheResultOfAReduction) {
    const auto judge = [](std::vector<PacketBlock> packets) {
        (void)judged(machine("line:3"), Operation::allreduce, {move(1, 0, 1, std::move(packets))});
    };
    EXPECT_THROW(judge({one(0), one(3)}), RequestError);
    EXPECT_THROW(judge({{2, 1, 2}}), RequestError) << "a block may hide it";
    EXPECT_NO_THROW(judge({one(3)}));
}

}  // namespace
}  // namespace kport
