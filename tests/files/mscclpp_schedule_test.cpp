/// @file mscclpp_schedule_test.cpp   MSCCL++ execution plans: each rule broken and caught.
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/files/schedule_forms.hpp"
#include "emulator/base/error.hpp"

namespace kport::mscclpp_plans {
namespace {

using testing::HasSubstr;

/// "i0" or "i0+2": buffer, index and size; "R" before it: of the other GPU.
std::string chunk(const std::string& word) {
    const bool remote = word.front() == 'R';
    const std::string rest = word.substr(remote ? 1 : 0);
    const auto plus = rest.find('+');
    const std::string index = rest.substr(1, plus == std::string::npos ? plus : plus - 1);
    const std::string size = plus == std::string::npos ? "1" : rest.substr(plus + 1);
    const std::string what = remote ? "\"buffer_id\":" + std::to_string(std::string("ios").find(rest.front()))
                                    : "\"type\":\"" + rest.substr(0, 1) + "\"";
    return "{" + what + ",\"index\":" + index + ",\"size\":" + size + "}";
}

std::string chunks(const std::string& words) {
    std::istringstream in(words);
    std::string all;
    for (std::string word; in >> word;) all += (all.empty() ? "" : ",") + chunk(word);
    return "[" + all + "]";
}

/// "put i0 > Ro0": a name, sources and targets; all by channel 0 of memory, "put@port" of ports.
std::string operation(const std::string& text) {
    std::string name = text.substr(0, text.find(' '));
    std::string type = "memory";
    if (const auto at = name.find('@'); at != std::string::npos) {
        type = name.substr(at + 1);
        name.resize(at);
    }
    std::string json = "{\"name\":\"" + name + "\",\"channel_type\":\"" + type + "\",\"channel_ids\":[0]";
    if (name == "barrier") json += ",\"barrier_id\":0,\"num_threadblocks\":2";
    if (const auto arrow = text.find(" > "); arrow != std::string::npos)
        json += ",\"src_buff\":" + chunks(text.substr(text.find(' '), arrow - text.find(' '))) +
                ",\"dst_buff\":" + chunks(text.substr(arrow + 3));
    return json + "}";
}

/// Blocks, each with its operations between semicolons.
std::string gpu(int id, const std::string& counts, const std::vector<std::string>& blocks) {
    const std::string other = std::to_string(1 - id);
    std::string text = "{\"id\":" + std::to_string(id) + "," + counts + ",\"threadblocks\":[";
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        std::string ops;
        std::istringstream in(blocks[i]);
        for (std::string op; std::getline(in, op, ';');) ops += (ops.empty() ? "" : ",") + operation(op);
        text +=
            std::string(i == 0 ? "" : ",") + "{\"id\":" + std::to_string(i) + ",\"ops\":[" + ops +
            "],\"channels\":[{\"channel_type\":\"memory\",\"channel_ids\":[0]},{\"channel_type\":\"port\","
            "\"channel_ids\":[0]}],\"remote_buffer_refs\":[{\"access_channel_type\":\"memory\",\"remote_buffer_ids\":"
            "[0,1,2]},{\"access_channel_type\":\"port\",\"remote_buffer_ids\":[0,1,2]}]}";
    }
    text += "],\"channels\":[{\"channel_type\":\"memory\",\"connected_to\":[" + other +
            "]},{\"channel_type\":\"port\",\"connected_to\":[" + other + "]}],\"remote_buffers\":[";
    for (const char* buffer : {"i", "o", "s"})
        text += std::string(*buffer == 'i' ? "" : ",") + "{\"rank\":" + other + ",\"type\":\"" + buffer +
                "\",\"access_channel_types\":[\"memory\",\"port\"]}";
    return text + "]}";
}

std::string plan(const std::string& collective, bool in_place, const std::string& counts,
                 const std::vector<std::string>& zero, const std::vector<std::string>& one) {
    return "{\"name\":\"t\",\"collective\":\"" + collective +
           "\",\"protocol\":\"Simple\",\"inplace\":" + (in_place ? "true" : "false") + ",\"gpus\":[" +
           gpu(0, counts, zero) + "," + gpu(1, counts, one) + "]}";
}

constexpr const char* one_and_two = "\"input_chunks\":1,\"output_chunks\":2,\"scratch_chunks\":2";
constexpr const char* two_and_two = "\"input_chunks\":2,\"output_chunks\":2,\"scratch_chunks\":2";

/// An allgather of two, in place: each does the same with its own index.
std::string allgather(const std::string& zero, const std::string& one) {
    return plan("allgather", true, one_and_two, {zero}, {one});
}

ToldSchedule told_by(const std::string& text, const ScheduleContext& context = {}) {
    std::istringstream in(text);
    const ReadSchedule read = read_any_schedule(in, "x.json", context);
    EXPECT_EQ(read.form->name, "mscclpp");
    return read.told;
}

std::string faults_of(const std::string& text) {
    std::string lines;
    for (const FoundFault& found : told_by(text).judgement.findings)
        lines += std::string(name(found.fault)) + ": " + found.text + "\n";
    return lines;
}

std::string why_not(const std::string& text) {
    try {
        (void)told_by(text);
    } catch (const RequestError& error) {
        return error.what();
    }
    return "accepted";
}

const std::string sound_0 = "rlxsignal;rlxwait;nop;put o0 > Ro0;nop;signal;wait";
const std::string sound_1 = "rlxsignal;rlxwait;nop;put o1 > Ro1;nop;signal;wait";

TEST(Mscclpp, PutsThatAreAnnouncedAndAwaitedAreLawful) {
    const ToldSchedule told = told_by(allgather(sound_0, sound_1));
    EXPECT_TRUE(told.judgement.findings.empty());
    EXPECT_TRUE(told.judgement.not_judged.empty());
    EXPECT_EQ(told.collective.operation, Operation::allgather);
    EXPECT_EQ(told.schedule.size(), 2U);
    EXPECT_EQ(told.schedule.round(1), 1U);
}

TEST(Mscclpp, ARelaxedSignalPublishesNoData) {
    EXPECT_THAT(faults_of(allgather("rlxsignal;rlxwait;nop;put o0 > Ro0;nop;rlxsignal;rlxwait", sound_1)),
                HasSubstr("race: GPU 1 may return before GPU 0 block 0 step 3 (put) writes GPU 1 o[0]"));
}

TEST(Mscclpp, WithoutANopAWaitOrdersNoDataBehindIt) {
    EXPECT_THAT(faults_of(allgather("rlxsignal;rlxwait;put o0 > Ro0;nop;signal;wait", sound_1)),
                HasSubstr("race: GPU 0 block 0 step 2 (put) writes GPU 1 o[0], and GPU 1 may not have begun"));
}

TEST(Mscclpp, OperationsOfABlockOnOneChunkNeedANopBetweenThem) {
    const std::string race =
        faults_of(allgather("rlxsignal;rlxwait;nop;copy o0 > s0;copy s0 > s1;nop;put o0 > Ro0;nop;"
                            "signal;wait",
                            sound_1));
    EXPECT_EQ(race,
              "race: GPU 0 s[0]: block 0 step 3 (copy) writes, block 0 step 4 (copy) reads, nothing orders them; a nop "
              "between them would\n");
    EXPECT_EQ(faults_of(allgather(
                  "rlxsignal;rlxwait;nop;copy o0 > s0;nop;copy s0 > s1;nop;put o0 > Ro0;nop;signal;wait", sound_1)),
              "");
}

TEST(Mscclpp, BlocksMeetAtABarrier) {
    const auto both = [](const std::string& meet) {
        return plan("allgather", true, one_and_two,
                    {"copy o0 > s0;nop" + meet, "nop" + meet + ";copy s0 > s1;nop;" + sound_0}, {sound_1});
    };
    EXPECT_EQ(faults_of(both(";barrier")), "");
    EXPECT_THAT(faults_of(both("")), HasSubstr("race: GPU 0 s[0]: block 0 step 0 (copy) writes, block 1 step 1 (copy) "
                                               "reads, nothing orders them; a barrier between them would"));
    EXPECT_THAT(faults_of(plan("allgather", true, one_and_two, {"barrier", sound_0}, {sound_1})),
                HasSubstr("unmatched: GPU 0 block 0 step 0 (barrier) waits for 2 blocks at meeting 0, and 1 come"));
}

TEST(Mscclpp, BlocksThatMeetWaitForAsManyAsEachOther) {
    std::string text = plan("allgather", true, one_and_two, {"barrier", "barrier;" + sound_0}, {sound_1});
    EXPECT_EQ(faults_of(text), "");
    const std::string two = "\"num_threadblocks\":2";
    text.replace(text.find(two), two.size(), "\"num_threadblocks\":1");
    EXPECT_EQ(
        faults_of(text),
        "count: GPU 0 block 0 step 0 (barrier) waits for 1 block at meeting 0, and GPU 0 block 1 step 0 (barrier) "
        "for 2; want the same num_threadblocks\n");
}

TEST(Mscclpp, SignalsAndWaitsNeedEachOther) {
    EXPECT_THAT(faults_of(allgather(sound_0 + ";wait", sound_1)),
                HasSubstr("unmatched: GPU 0 block 0 step 7 (wait for 1) waits for ever: GPU 1 signals 2 times"));
    EXPECT_THAT(faults_of(allgather(sound_0 + ";signal", sound_1)),
                HasSubstr("unmatched: GPU 0 block 0 step 7 (signal to 1) has no partner"));
    EXPECT_THAT(
        faults_of(allgather("wait;signal", "wait;signal")),
        HasSubstr("deadlock: GPU 0 block 0 step 0 (wait for 1) waits for GPU 1 block 0 step 1 (signal to 0), which "
                  "comes after step 0 (wait for 0), which waits for GPU 0 block 0 step 1 (signal to 1)"));
}

TEST(Mscclpp, PacketsAreAwaitedByThoseWhoReadThem) {
    const auto exchange = [](const std::string& zero, const std::string& one) {
        return plan("allgather", true, one_and_two, {zero}, {one});
    };
    EXPECT_EQ(faults_of(exchange("ppkt o0 > Rs0;upkt s1 > o1", "ppkt o1 > Rs1;upkt s0 > o0")), "");
    EXPECT_THAT(
        faults_of(exchange("upkt s1 > o1", "upkt s0 > o0")),
        HasSubstr("unmatched: GPU 0 block 0 step 0 (upkt) waits for ever: no operation writes packets to GPU 0 s[1]"));
    EXPECT_THAT(faults_of(exchange("ppkt o0 > Rs0;upkt s1 > o0", "ppkt o1 > Rs1;upkt s0 > o0")),
                HasSubstr("race: GPU 0 o[0]: block 0 step 0 (ppkt) reads, block 0 step 1 (upkt) writes"))
        << "even where a packet comes back only after the put";
}

TEST(Mscclpp, ReductionsOfPacketsAreLawfulAndFoldOnce) {
    const auto allreduce = [](const std::string& zero) {
        return plan("allreduce", true, two_and_two, {zero, "upkt s1 > i1"},
                    {"ppkt i0 > Rs0;respkt i1 s0 > i1 Rs1", "upkt s1 > i0"});
    };
    EXPECT_EQ(faults_of(allreduce("ppkt i1 > Rs0;respkt i0 s0 > i0 Rs1")), "");
    EXPECT_THAT(faults_of(allreduce("ppkt i1 > Rs0;respkt i0 s0 s0 > i0 Rs1")),
                HasSubstr("fold: GPU 0 block 0 step 1"));
}

/// The source of a put by a port channel is read until a flush.
TEST(Mscclpp, APutByAPortChannelReadsItsSourceUntilAFlush) {
    const auto put = [](const std::string& more) {
        return allgather("rlxsignal@port;rlxwait@port;nop;copy o0 > s0;nop;put@port s0 > Ro0;nop;" + more +
                             "copy o0 > s0;nop;signal@port;wait@port",
                         "rlxsignal@port;rlxwait@port;nop;put@port o1 > Ro1;nop;signal@port;wait@port");
    };
    EXPECT_EQ(faults_of(put("flush@port;nop;")), "");
    EXPECT_EQ(faults_of(put("")),
              "race: GPU 0 s[0]: block 0 step 5 (put by port) reads, block 0 step 7 (copy) writes, nothing orders "
              "them; a flush and a nop between them would\n");
    EXPECT_EQ(faults_of(allgather("rlxsignal@port;rlxwait@port;nop;pwsf@port o0 > Ro0;wait@port",
                                  "rlxsignal@port;rlxwait@port;nop;pws@port o1 > Ro1;wait@port")),
              "");
    // A signal follows the put, and orders nothing within its own block.
    for (const char* signals : {"pws@port s0 > Ro0;nop;", "put@port s0 > Ro0;nop;signal@port;nop;"})
        EXPECT_THAT(faults_of(allgather(std::string("rlxsignal@port;rlxwait@port;nop;copy o0 > s0;nop;") + signals +
                                            "copy o0 > s0;wait@port",
                                        "rlxsignal@port;rlxwait@port;nop;pws@port o1 > Ro1;wait@port")),
                    HasSubstr("by port) reads, block 0 step"))
            << signals;
}

/// The k-th wait is that of the order in which blocks run, not of the file.
TEST(Mscclpp, BlocksShareAChannelWhereSomethingOrdersThem) {
    const auto waits = [](const std::string& first, const std::string& second) {
        return plan("allgather", true, one_and_two, {first, second}, {sound_1});
    };
    const std::string rest = "put o0 > Ro0;nop;signal;wait";
    EXPECT_EQ(faults_of(waits("rlxsignal;barrier;" + rest, "rlxwait;barrier")), "");
    EXPECT_THAT(faults_of(waits("rlxsignal;" + rest, "rlxwait")),
                HasSubstr("wait on one channel, and nothing orders them; a barrier between them would"));
}

TEST(Mscclpp, AWrongPlaceIsNamed) {
    EXPECT_THAT(faults_of(allgather("rlxsignal;rlxwait;nop;put o0 > Rs0;nop;signal;wait", sound_1)),
                HasSubstr("delivery: GPU 1 o[0] holds nothing, which no step writes; must hold chunk 0 of rank 0"));
}

TEST(Mscclpp, WhatItDoesNotFollowIsNotJudged) {
    const ToldSchedule told = told_by(allgather("glres;" + sound_0, sound_1));
    EXPECT_TRUE(told.judgement.findings.empty());
    ASSERT_EQ(told.judgement.not_judged.size(), 1U);
    EXPECT_THAT(told.judgement.not_judged.front().why, HasSubstr("glres"));
    EXPECT_THAT(told_by(plan("sendrecv", true, one_and_two, {""}, {""})).judgement.not_judged.front().why,
                HasSubstr("the plan's collective 'sendrecv' is none of"));
}

TEST(Mscclpp, RefusesWhatIsNotThereWithItsPath) {
    for (const auto& [text, why] : std::vector<std::pair<std::string, std::string>>{
             {allgather("put o0 > Ro5", ""),
              "gpus[0].threadblocks[0].ops[0].dst_buff: chunks 5 to 5 of buffer o of GPU 1"},
             {allgather("put o0 > o1", ""), "a local buffer; put wants a buffer_id here"},
             {allgather("copy Ro0 > o1", ""), "a remote buffer; copy wants a type here"},
             {allgather("put o0 s0 > Ro0", ""), "2 sources and 1 targets; want pairs"},
             {allgather("put o0+2 > Ro0", ""), "1 chunk and 2 in one operation; want the same size"},
             {allgather("push o0 > Ro0", ""),
              "gpus[0].threadblocks[0].ops[0]: operation 'push'; want one of nop, barrier"},
             {plan("allgather", true, "\"input_chunks\":2,\"output_chunks\":3,\"scratch_chunks\":0", {""}, {""}),
              "gpus[0].output_chunks is 3; allgather of 2 GPUs has 4"},
             {"{\"gpus\":[{\"inputChunks\":1,\"threadblocks\":[]}]}",
              "has inputChunks, so it is an older plan of MSCCL++"},
             {"{\"gpus\":[], \"threadblocks\":[]}", "gpus: no GPUs; want at least one"},
             {"{\"gpus\":{}, \"threadblocks\":[]}", "gpus: '{}'; want an array"},
             {"{\"gpus\":[ \"threadblocks\"", "parse error"}}) {
        EXPECT_THAT(why_not(text), HasSubstr(why));
        EXPECT_THAT(why_not(text), testing::StartsWith("schedule 'x.json': "));
    }
}

}  // namespace
}  // namespace kport::mscclpp_plans
