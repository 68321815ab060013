/// @file msccl_schedule_test.cpp   MSCCL's XML: followed chunk by chunk, judged, refused with the place, written in the strict form.
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/files/schedule_forms.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"
#include "emulator/schedule/packet_space.hpp"

namespace kport::msccl_forms {
namespace {

using testing::HasSubstr;

std::string algo(const std::string& attributes, const std::string& gpus) {
    return "<algo name=\"x\" proto=\"Simple\" nchannels=\"1\" " + attributes + ">\n" + gpus + "</algo>\n";
}
/// A GPU with i, o and s chunks.
std::string gpu(int id, const std::string& chunks, const std::string& blocks) {
    std::istringstream in(chunks);
    std::string i, o, s;
    in >> i >> o >> s;
    return "<gpu id=\"" + std::to_string(id) + "\" i_chunks=\"" + i + "\" o_chunks=\"" + o + "\" s_chunks=\"" + s +
           "\">\n" + blocks + "</gpu>\n";
}
std::string block(int id, int send, int receive, const std::string& steps) {
    return "<tb id=\"" + std::to_string(id) + "\" send=\"" + std::to_string(send) + "\" recv=\"" +
           std::to_string(receive) + "\" chan=\"0\">\n" + steps + "</tb>\n";
}
/// "s i0 o0": type, source, destination; then " 0.1" waits for step 1 of block 0, "!" is waited for.
std::string step(int s, const std::string& words) {
    std::istringstream in(words);
    std::string type, from, to, more;
    in >> type >> from >> to;
    std::string after = "depid=\"-1\" deps=\"-1\"";
    std::string told = "0";
    while (in >> more) {
        if (more == "!")
            told = "1";
        else
            after = "depid=\"" + more.substr(0, more.find('.')) + "\" deps=\"" + more.substr(more.find('.') + 1) + "\"";
    }
    return "<step s=\"" + std::to_string(s) + "\" type=\"" + type + "\" srcbuf=\"" + from.substr(0, 1) +
           "\" srcoff=\"" + from.substr(1) + "\" dstbuf=\"" + to.substr(0, 1) + "\" dstoff=\"" + to.substr(1) +
           "\" cnt=\"1\" " + after + " hasdep=\"" + told + "\"/>\n";
}

constexpr const char* one_chunk = "nchunksperloop=\"1\" ngpus=\"4\" coll=\"broadcast\" inplace=\"0\"";

/// A broadcast on the square, one port.
std::string broadcast_on_square() {
    return algo(one_chunk,
                gpu(0, "1 1 0", block(0, 1, -1, step(0, "s i0 o0 !")) + block(1, 2, -1, step(0, "s i0 o0 0.0"))) +
                    gpu(1, "1 1 0", block(0, 3, 0, step(0, "rcs i0 o0"))) +
                    gpu(2, "1 1 0", block(0, -1, 0, step(0, "r i0 o0"))) +
                    gpu(3, "1 1 0", block(0, -1, 1, step(0, "r i0 o0"))));
}

ToldSchedule told_by(const std::string& text, const ScheduleContext& context = {}) {
    std::istringstream in(text);
    const ReadSchedule read = read_any_schedule(in, "x.xml", context);
    EXPECT_EQ(read.form->name, "msccl");
    return read.told;
}

Verdict judged(const ToldSchedule& told, const PortLimit& ports = PortLimit(1)) {
    Machine machine;
    machine.topology = told.topology;
    machine.ports = ports;
    return audit(told.schedule, machine, told.collective, false);
}

std::string why_not(const std::string& text, const ScheduleContext& context = {}) {
    try {
        (void)told_by(text, context);
    } catch (const RequestError& error) {
        return error.what();
    }
    return "accepted";
}

/// All findings, a line each: "race: GPU 1 ...".
std::string faults_of(const std::string& text, const ScheduleContext& context = {}) {
    std::string lines;
    for (const FoundFault& found : told_by(text, context).judgement.findings)
        lines += std::string(name(found.fault)) + ": " + found.text + "\n";
    return lines;
}

TEST(Msccl, GivesABroadcastTheEarliestRoundsThatThePortsAllow) {
    ScheduleContext context;
    context.machine.topology = make_topology("hypercube:2");
    const ToldSchedule told = told_by(broadcast_on_square(), context);
    EXPECT_EQ(told.collective.operation, Operation::broadcast);
    const Verdict verdict = judged(told);
    EXPECT_TRUE(verdict.lawful());
    EXPECT_EQ(verdict.metrics.rounds, 2U);
    EXPECT_EQ(verdict.metrics.work, 3U);
    context.root = "1";
    EXPECT_THAT(faults_of(broadcast_on_square(), context),
                HasSubstr("unwritten: GPU 0 block 0 step 0 (s to 1) reads GPU 0 i[0], where nothing stands"));
}

/// Both send before they receive: buffers are needed, and nothing is wrong.
TEST(Msccl, FollowsAnExchangeOfValuesAndItsSegments) {
    const std::string both = step(0, "s i0 i0") + step(1, "rrc i0 o0");
    const std::string exchange = algo("nchunksperloop=\"1\" ngpus=\"2\" coll=\"allreduce\" inplace=\"0\"",
                                      gpu(0, "1 1 0", block(0, 1, 1, both)) + gpu(1, "1 1 0", block(0, 0, 0, both)));
    const ToldSchedule told = told_by(exchange);
    const Verdict verdict = judged(told);
    EXPECT_TRUE(verdict.lawful());
    EXPECT_EQ(verdict.metrics.rounds, 1U);
    EXPECT_EQ(told.collective.packets_each, 1U);
}

/// Reduce-scatter and allgather on two ranks, in place: each folds one segment and hands out the result.
TEST(Msccl, DistinguishesAResultThatIsHandedOutFromAPartialOne) {
    const auto steps = [](const std::string& mine, const std::string& other) {
        return step(0, "s i" + other + " i" + other) + step(1, "rrc i" + mine + " i" + mine) +
               step(2, "s i" + mine + " i" + mine) + step(3, "r i" + other + " i" + other);
    };
    const ToldSchedule told = told_by(
        algo("nchunksperloop=\"2\" ngpus=\"2\" coll=\"allreduce\" inplace=\"1\"",
             gpu(0, "2 0 0", block(0, 1, 1, steps("0", "1"))) + gpu(1, "2 0 0", block(0, 0, 0, steps("1", "0")))));
    EXPECT_EQ(told.collective.packets_each, 2U);
    ASSERT_EQ(told.schedule.size(), 4U);
    EXPECT_EQ(told.schedule.transfer(2).packets.front(), (PacketBlock{2, 1, 1, 0, 1, 1})) << "the result of segment 0";
    const Verdict verdict = judged(told);
    EXPECT_TRUE(verdict.lawful());
    EXPECT_EQ(verdict.metrics.rounds, 2U);
}

TEST(Msccl, FindsAContributionThatIsReducedTwice) {
    const ToldSchedule told =
        told_by(algo("nchunksperloop=\"1\" ngpus=\"2\" coll=\"reduce\" inplace=\"0\"",
                     gpu(0, "1 1 0", block(0, -1, 1, step(0, "rrc i0 o0") + step(1, "rrc o0 o0"))) +
                         gpu(1, "1 1 0", block(0, 0, -1, step(0, "s i0 o0") + step(1, "s i0 o0")))));
    ASSERT_FALSE(told.judgement.findings.empty());
    EXPECT_EQ(
        told.judgement.findings.front().text,
        "GPU 0 block 0 step 1 (rrc from 1) folds chunk 0 of rank 1 with chunk 0 of ranks 0 to 1; want contributions "
        "to one chunk, each once");
}

TEST(Msccl, KnowsWhereInputAndOutputAreOneBuffer) {
    const auto steps = [](const std::string& mine, const std::string& other) {
        return step(0, "s o" + mine + " o" + mine) + step(1, "r o" + other + " o" + other);
    };
    const ToldSchedule told = told_by(
        algo("nchunksperloop=\"2\" ngpus=\"2\" coll=\"allgather\" inplace=\"1\"",
             gpu(0, "0 2 0", block(0, 1, 1, steps("0", "1"))) + gpu(1, "0 2 0", block(0, 0, 0, steps("1", "0")))));
    EXPECT_EQ(told.collective.operation, Operation::allgather);
    EXPECT_TRUE(judged(told).lawful());
}

TEST(Msccl, OfACustomCollectiveTheUserSaysTheOperation) {
    const std::string scatter = algo("nchunksperloop=\"2\" ngpus=\"2\" coll=\"custom\" inplace=\"0\"",
                                     gpu(0, "2 1 0", block(0, 1, -1, step(0, "s i1 o0"))) +
                                         gpu(1, "0 1 0", block(0, -1, 0, step(0, "r i0 o0")) + block(1, -1, -1, "")));
    const ToldSchedule none = told_by(scatter);
    EXPECT_FALSE(none.collective.promises());
    ASSERT_EQ(none.judgement.not_judged.size(), 1U);
    EXPECT_EQ(none.judgement.not_judged.front().what, "delivery");
    EXPECT_EQ(none.judgement.not_judged.front().why,
              "coll=\"custom\" names no operation; name it behind the file, or say none");
    ScheduleContext context;
    context.operation = Operation::scatter;
    EXPECT_TRUE(judged(told_by(scatter, context)).lawful());
}

TEST(Msccl, RefusesAChunkThatInPlaceLiesBeyondTheLargerBuffer) {
    const auto reads = [](const std::string& last) {
        return algo("nchunksperloop=\"2\" ngpus=\"2\" coll=\"allgather\" inplace=\"1\"",
                    gpu(0, "1 2 0", block(0, -1, 1, step(0, "r i0 o1"))) +
                        gpu(1, "1 2 0", block(0, 0, -1, step(0, "s " + last + " o1"))));
    };
    EXPECT_THAT(why_not(reads("i1")), HasSubstr("i[1] of GPU 1 is GPU 1 o[2] in place, which has 2 chunks"));
    EXPECT_EQ(why_not(reads("i0")), "accepted");
    EXPECT_EQ(why_not(reads("o1")), "accepted") << "the same slot";
}

TEST(Msccl, RefusesWhatIsWrongWithThePlace) {
    const auto one_message = [](const std::string& sends, const std::string& receives) {
        return algo("nchunksperloop=\"1\" ngpus=\"2\" coll=\"broadcast\" inplace=\"0\"",
                    gpu(0, "1 1 0", sends) + gpu(1, "1 1 0", receives));
    };
    const std::string sends = block(0, 1, -1, step(0, "s i0 o0"));
    const std::string receives = block(0, -1, 0, step(0, "r i0 o0"));
    EXPECT_EQ(why_not(one_message(sends, receives)), "accepted");
    for (const auto& [text, why] : std::vector<std::pair<std::string, std::string>>{
             {one_message(block(0, 1, -1, step(0, "s i1 o0")), receives),
              "line 4, column 1: chunks 1 to 1 of buffer i, which has 1"},
             {one_message(block(0, 1, -1, step(0, "x i0 o0")), receives),
              "line 4, column 1: <step type='x'>; want one of s, r"},
             {one_message(block(0, -1, 1, step(0, "s i0 o0")), receives),
              "step s sends, and its block has no peer to send to"},
             {one_message(block(0, 0, -1, ""), receives), "GPU 0 has itself as send; want another"},
             {one_message(block(0, 1, -1, step(1, "s i0 o0")), receives),
              "<step s=\"1\">; want steps in order, from 0 on: 0"},
             {one_message(block(0, 1, -1, step(0, "s i0 o0 4.0")), receives), "depid 4: GPU 0 has no such block"},
             {one_message(block(0, 1, -1, step(0, "s i0 o0 0.1")), receives), "deps 1: block 0 has 1 step"},
             {one_message(block(0, 1, -1, step(0, "s i0 o0 0.-1")), receives), "one of depid and deps is -1"},
             {one_message(block(0, 1, -1, step(0, "ra i0 o0")), receives), "<step type='ra'>; want one of s, r"},
             {one_message(block(0, 1, -1, step(0, "s x0 o0")), receives), "<step srcbuf='x'>; want i, o or s"},
             {one_message(block(0, 1, -1, step(0, "s i-1 o0")), receives), "<step srcoff=\"-1\">; a step s uses it"},
             {one_message(block(0, 1, -1, step(0, "nop i0 o0 1.0") + step(1, "s i0 o0")) +
                              block(1, -1, -1, step(0, "cpy i0 o0 !")),
                          receives),
              "line 5, column 1: step 1 follows a nop that waits, and has depid=\"-1\""},
             {one_message(sends + block(2, -1, -1, ""), receives), "<tb id=\"2\"> of GPU 0; want ids 0, 1, 2"},
             {one_message(sends + block(0, -1, -1, ""), receives), "<tb id=\"0\"> of GPU 0; want ids 0, 1, 2"},
             {one_message(sends + block(1, 1, -1, ""), receives),
              "<tb id=\"1\"> sends to GPU 1 on channel 0, and so does <tb id=\"0\">; want one block"},
             {algo("nchunksperloop=\"1\" ngpus=\"2\" coll=\"AllGather\"", gpu(0, "1 2 0", "") + gpu(1, "1 2 0", "")),
              "<algo coll='AllGather'>, a name that no loader knows; did you mean 'allgather'?"},
             {algo("nchunksperloop=\"1\" ngpus=\"2\" coll=\"broadcast\"", gpu(0, "2 2 0", "") + gpu(1, "1 1 0", "")),
              "i_chunks=\"2\"; broadcast with nchunksperloop=\"1\" of 2 GPUs has 1"},
             {algo(
                  "nchunksperloop=\"1\" ngpus=\"1\" coll=\"broadcast\"",
                  gpu(0, "1 1 0", "<tb id=\"0\" send=\"-1\" recv=\"-1\" chan=\"0\"><step s=\"0\" type=\"nop\"/></tb>")),
              "<step> without cnt; want <step cnt=\"...\">"},
             {one_message(sends, receives + "<tb id=\"-2\"/>"), "<tb id='-2'>; want a whole number from 0 to"},
             {algo("ngpus=\"2\" coll=\"broadcast\"", ""),
              "<algo> without nchunksperloop; want <algo nchunksperloop=\"...\">"},
             {algo("nchunksperloop=\"1\" ngpus=\"2\" coll=\"broadcast\"", gpu(1, "1 1 0", "")),
              "no <gpu id=\"0\"> in it"},
             {algo("nchunksperloop=\"3\" ngpus=\"2\" coll=\"alltoall\"", gpu(0, "3 3 0", "") + gpu(1, "3 3 0", "")),
              "3 chunks of 2 ranks; alltoall has as many for each rank"},
             {"<!DOCTYPE a [<!ENTITY b \"c\">]><algo/>", "entities are not read; want a file without"},
             {"<algo", "XML: unclosed token; want well-formed XML"}}) {
        EXPECT_THAT(why_not(text), HasSubstr(why));
        EXPECT_THAT(why_not(text), testing::StartsWith("schedule 'x.xml': "));
    }
}

/// A broadcast from GPU 0 to GPU 1, whose output GPU 1 passes on to itself by way of local steps.
std::string broadcast_to_one(const std::string& sends, const std::string& receives,
                             const std::string& chunks = "1 1 2") {
    return algo("nchunksperloop=\"1\" ngpus=\"2\" coll=\"broadcast\" inplace=\"1\"",
                gpu(0, chunks, sends) + gpu(1, chunks, receives));
}

TEST(Msccl, NamesTheCycleOfADeadlockStepByStep) {
    const std::string both = step(0, "r i0 o0") + step(1, "s i0 o0");
    EXPECT_EQ(
        faults_of(broadcast_to_one(block(0, 1, 1, both), block(0, 0, 0, both))),
        "deadlock: GPU 0 block 0 step 0 (r from 1) waits for GPU 1 block 0 step 1 (s to 0), which comes after step 0 "
        "(r from 0), which waits for GPU 0 block 0 step 1 (s to 1), which comes after step 0 (r from 1)\n");
}

TEST(Msccl, AStepThatWaitsForItselfIsADeadlock) {
    EXPECT_EQ(
        faults_of(broadcast_to_one(block(0, 1, -1, step(0, "s i0 o0 0.0 !")), block(0, -1, 0, step(0, "r i0 o0")))),
        "deadlock: GPU 0 block 0 step 0 (s to 1) waits for GPU 0 block 0 step 0 (s to 1)\n");
    EXPECT_EQ(faults_of(broadcast_to_one(block(0, 1, -1, step(0, "cpy i0 s0 !") + step(1, "s i0 o0 0.0")),
                                         block(0, -1, 0, step(0, "r i0 o0")))),
              "")
        << "an earlier step of its block";
}

TEST(Msccl, ADependenceThatNoStepPublishesIsADeadlock) {
    EXPECT_THAT(
        faults_of(broadcast_to_one(block(0, 1, -1, step(0, "s i0 o0 1.0")) + block(1, -1, -1, step(0, "nop i0 o0 !")),
                                   block(0, -1, 0, step(0, "r i0 o0")))),
        HasSubstr("deadlock: GPU 0 block 0 step 0 (s to 1) waits for ever: no step of block 1 from step 0 on has "
                  "hasdep=\"1\"; step 0 needs it"));
}

TEST(Msccl, NamesTheFirstStepWithoutAPartner) {
    const std::string sends = block(0, 1, -1, step(0, "s i0 o0"));
    const std::string receives = block(0, -1, 0, step(0, "r i0 o0"));
    EXPECT_EQ(
        faults_of(broadcast_to_one(sends, "")),
        "unmatched: GPU 0 block 0 step 0 (s to 1) has no partner: GPU 0 sends 1 message to GPU 1 on channel 0, which "
        "receives 0\n");
    EXPECT_THAT(faults_of(broadcast_to_one("", receives)), HasSubstr("unmatched: GPU 1 block 0 step 0 (r from 0)"));
    std::string other_channel = receives;
    other_channel.replace(other_channel.find("chan=\"0\""), 8, "chan=\"1\"");
    EXPECT_THAT(faults_of(broadcast_to_one(sends, other_channel)),
                HasSubstr("; channel 1 has a receive without a partner"));
}

TEST(Msccl, SendAndReceiveMustHaveTheSameCount) {
    std::string two = block(0, 1, -1, step(0, "s s0 o0"));
    two.replace(two.find("cnt=\"1\""), 7, "cnt=\"2\"");
    EXPECT_THAT(
        faults_of(broadcast_to_one(two, block(0, -1, 0, step(0, "r i0 o0")))),
        HasSubstr("count: GPU 0 block 0 step 0 (s to 1) sends 2 chunks, GPU 1 block 0 step 0 (r from 0) receives 1"));
}

/// GPU 1 receives into scratch, and copies from there in another block.
std::string copied_by_another_block(const std::string& dependence, const std::string& told) {
    return broadcast_to_one(
        block(0, 1, -1, step(0, "s i0 s0")),
        block(0, -1, 0, step(0, "r i0 s0 " + told)) + block(1, -1, -1, step(0, "cpy s0 o0 " + dependence)));
}

TEST(Msccl, ARaceNamesTheSlotBothStepsAndTheMissingDependence) {
    EXPECT_EQ(faults_of(copied_by_another_block("0.0", "!")), "");
    EXPECT_EQ(faults_of(copied_by_another_block("", "")),
              "race: GPU 1 s[0]: block 0 step 0 (r from 0) writes, block 1 step 0 (cpy) reads, nothing orders them; "
              "depid=\"0\" deps=\"0\" at block 1 step 0 and hasdep=\"1\" at block 0 step 0 would\n");
}

/// In place, input and output of a broadcast are one buffer, so that a copy between them is none.
TEST(Msccl, WhatIsUsedBothWaysIsJudgedBothWays) {
    std::string both = broadcast_to_one(block(0, 1, -1, step(0, "s i0 o0")), block(0, -1, 0, step(0, "r i0 o0")));
    EXPECT_EQ(faults_of(both), "");
    both.replace(both.find("inplace=\"1\""), 11, "inplace=\"1\" outofplace=\"1\"");
    EXPECT_EQ(faults_of(both),
              "delivery: out of place: GPU 0 o[0] holds nothing, which no step writes; must hold chunk 0 of "
              "rank 0; a cpy of i[0] to o[0] in a block of its own would bring it\n");
}

TEST(Msccl, AWrongOutputNamesWhatItHoldsAndWhoWroteItLast) {
    const std::string sends = block(0, 1, -1, step(0, "s i0 o0"));
    EXPECT_EQ(faults_of(broadcast_to_one(sends, block(0, -1, 0, step(0, "r i0 s0")))),
              "delivery: GPU 1 o[0] holds nothing, which no step writes; must hold chunk 0 of rank 0; a cpy of s[0] to "
              "i[0] at the end of block 0 would bring it\n");
    EXPECT_THAT(
        faults_of(broadcast_to_one(sends, block(0, -1, 0, step(0, "r i0 o0") + step(1, "cpy s1 o0")))),
        HasSubstr("delivery: GPU 1 o[0] holds an unknown value, written last by GPU 1 block 0 step 1 (cpy); must"));
}

TEST(Msccl, WhatFoldsNothingMayNotReduce) {
    EXPECT_THAT(faults_of(broadcast_to_one(block(0, 1, -1, step(0, "s i0 o0")),
                                           block(0, -1, 0, step(0, "r i0 o0") + step(1, "re o0 o0")))),
                HasSubstr("fold: GPU 1 block 0 step 1 (re) reduces; broadcast folds nothing"));
}

/// t = t + t, fifty times: neither overflow nor exponential growth, and never right again.
TEST(Msccl, AValueThatIsFoldedWithItselfStaysWrong) {
    std::string steps = step(0, "s i0 i0") + step(1, "rrc i0 i0");
    for (int i = 0; i < 50; ++i) steps += step(i + 2, "re i0 i0");
    EXPECT_THAT(faults_of(algo("nchunksperloop=\"1\" ngpus=\"2\" coll=\"allreduce\" inplace=\"1\"",
                               gpu(0, "1 1 0", block(0, 1, 1, steps)) + gpu(1, "1 1 0", block(0, 0, 0, steps)))),
                HasSubstr("holds chunk 0 of ranks 0 to 1 more than once"));
}

TEST(Msccl, APacketThatComesHomeIsFound) {
    EXPECT_THAT(faults_of(broadcast_to_one(block(0, 1, 1, step(0, "s i0 o0") + step(1, "r i0 s0")),
                                           block(0, 0, 0, step(0, "rcs i0 o0")))),
                HasSubstr("NOHO: GPU 0 block 0 step 1 (r from 1) brings GPU 0 chunk 0 of rank 0"));
}

TEST(Msccl, UnknownElementsAreSkippedWithANote) {
    const ToldSchedule told =
        told_by(broadcast_to_one(block(0, 1, -1, step(0, "s i0 o0")) + "<copy><step s=\"9\"/></copy><copy/>",
                                 block(0, -1, 0, step(0, "r i0 o0"))));
    EXPECT_TRUE(told.judgement.findings.empty());
    EXPECT_THAT(
        told.remarks,
        testing::Contains("2 <copy> elements are skipped, as the runtime does; it copies nothing, 'cpy' steps do"));
}

TEST(Msccl, TheCommandLineNamesAnotherOperation) {
    ScheduleContext context;
    context.operation = Operation::reduce;
    const ToldSchedule told = told_by(broadcast_on_square(), context);
    EXPECT_EQ(told.collective.operation, Operation::reduce);
    EXPECT_FALSE(told.judgement.findings.empty());
    EXPECT_THAT(told.remarks, testing::Contains("the file says coll='broadcast'; judged: reduce"));
    context.operation = Operation::none;
    EXPECT_TRUE(told_by(broadcast_on_square(), context).judgement.findings.empty());
    EXPECT_TRUE(told_by(broadcast_on_square(), context).judgement.not_judged.empty());
    context.operation = Operation::barrier;
    EXPECT_EQ(told_by(broadcast_on_square(), context).judgement.not_judged.front().why,
              "MSCCL has no buffers for barrier");
}

/// A schedule in text, as MSCCL's XML.
std::string written(const std::string& text) {
    std::istringstream in(text);
    const ReadSchedule read = read_any_schedule(in, "x.txt", {});
    std::ostringstream out;
    schedule_form_named("msccl").write(out, read.told);
    return out.str();
}

TEST(Msccl, IsWrittenWithWhatTheRuntimeAsksFor) {
    const std::string text = written("on hypercube:2\nbroadcast from 0\nround 1: 0 -> 1\nround 2: 0 -> 2, 1 -> 3\n");
    EXPECT_THAT(text, HasSubstr("nchunksperloop=\"1\" ngpus=\"4\" coll=\"broadcast\" inplace=\"0\" outofplace=\"1\" "
                                "minBytes=\"0\" maxBytes=\"1099511627776\">\n"
                                "  <!-- kport: on hypercube:2 -->\n  <!-- kport: broadcast from 0 -->\n"));
    EXPECT_THAT(text, HasSubstr("    <tb id=\"2\" send=\"-1\" recv=\"-1\" chan=\"0\">\n"
                                "      <step s=\"0\" type=\"cpy\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"o\" dstoff=\"0\" "
                                "cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n"))
        << "the root's own output";
    EXPECT_THAT(
        text, HasSubstr("<gpu id=\"1\" i_chunks=\"0\" o_chunks=\"1\" s_chunks=\"0\">\n"
                        "    <tb id=\"0\" send=\"-1\" recv=\"0\" chan=\"0\">\n"
                        "      <!-- kport: rounds 1 -->\n"
                        "      <step s=\"0\" type=\"r\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"o\" dstoff=\"0\" cnt=\"1\" "
                        "depid=\"-1\" deps=\"-1\" hasdep=\"1\"/>\n"
                        "    </tb>\n"
                        "    <tb id=\"1\" send=\"3\" recv=\"-1\" chan=\"0\">\n"
                        "      <!-- kport: rounds 2 -->\n"
                        "      <step s=\"0\" type=\"s\" srcbuf=\"o\" srcoff=\"0\" dstbuf=\"o\" dstoff=\"0\" cnt=\"1\" "
                        "depid=\"0\" deps=\"0\" hasdep=\"0\"/>\n"));
}

/// Without kport's own comments, so that nothing but the steps is judged.
std::string without_comments(std::string text) {
    for (auto begin = text.find("<!--"); begin != std::string::npos; begin = text.find("<!--"))
        text.erase(begin, text.find("-->") + 3 - begin);
    return text;
}

TEST(Msccl, WhatIsWrittenIsLawfulWhateverItsCommentsSay) {
    for (const auto& [text, operation] : std::vector<std::pair<std::string, Operation>>{
             {"on complete:3\nallgather\nround 1: 0 -> 1 {0}, 1 -> 2 {1}, 2 -> 0 {2}\n"
              "round 2: 0 -> 1 {2}, 1 -> 2 {0}, 2 -> 0 {1}\n",
              Operation::allgather},
             {"on line:3\nbroadcast from 0\npackets 2\nround 1: 0 -> 1 {0}\nround 2: 0 -> 1 {1}, 1 -> 2 {0}\n"
              "round 3: 1 -> 2 {1}\n",
              Operation::broadcast},
             {"on complete:2\nalltoall\nround 1: 0 -> 1 {0>1}, 1 -> 0 {1>0}\n", Operation::alltoall},
             {"on line:3\nscatter from 0\nround 1: 0 -> 1 {1, 2}\nround 2: 1 -> 2 {2}\n", Operation::scatter},
             {"on line:3\ngather to 0\nround 1: 2 -> 1 {2}\nround 2: 1 -> 0 {1, 2}\n", Operation::gather},
             {"on line:3\nreduce to 0\nround 1: 2 -> 1 {2}\nround 2: 1 -> 0 {1, 2}\n", Operation::reduce},
             {"on line:3\nscan\nround 1: 0 -> 1 {0}\nround 2: 1 -> 2 {0, 1}\n", Operation::scan},
             {"on star:3\nscan\nround 1: 1 -> 0 {1}\nround 2: 0 -> 1 {0}, 0 -> 2 {0, 1}\n", Operation::scan},
             {"on hypercube:2\nallreduce\nround 1: 0 -> 1 {0}, 1 -> 0 {1}, 2 -> 3 {2}, 3 -> 2 {3}\n"
              "round 2: 0 -> 2 {0, 1}, 2 -> 0 {2, 3}, 1 -> 3 {0, 1}, 3 -> 1 {2, 3}\n",
              Operation::allreduce},
             {"on line:3\nallreduce\nround 1: 2 -> 1 {2}\nround 2: 1 -> 0 {1, 2}\nround 3: 0 -> 1 {result}\n"
              "round 4: 1 -> 2 {result}\n",
              Operation::allreduce}}) {
        const std::string xml = written(text);
        ScheduleContext context;
        context.operation = operation;
        EXPECT_EQ(faults_of(without_comments(xml), context), "") << text << xml;
        std::ostringstream again;
        schedule_form_named("msccl").write(again, told_by(xml));
        EXPECT_EQ(again.str(), xml) << "out and back is the same schedule";
    }
}

TEST(Msccl, APartOfAValueThatCameFoldedIsNotWritten) {
    EXPECT_THROW(
        (void)written("on line:3\nreduce to 0\nround 1: 2 -> 1 {2}\nround 2: 1 -> 0 {1, 2}\nround 3: 0 -> 1 {2}\n"),
        RequestError);
}

}  // namespace
}  // namespace kport::msccl_forms
