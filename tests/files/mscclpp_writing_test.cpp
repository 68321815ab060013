/// @file mscclpp_writing_test.cpp   MSCCL++ plans that kport writes: lawful without its own members, and minimal in what orders them.
#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "algorithms/catalogue.hpp"
#include "algorithms/run_algorithm.hpp"
#include "app/files/schedule_forms.hpp"
#include "emulator/base/error.hpp"
#include "emulator/schedule/packet_set.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport::mscclpp_writing {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::string plan_of(const ToldSchedule& told) {
    std::ostringstream out;
    schedule_form_named("mscclpp").write(out, told);
    return out.str();
}

ToldSchedule read_back(const std::string& text, const ScheduleContext& context = {}) {
    std::istringstream in(text);
    ReadSchedule read = read_any_schedule(in, "x.json", context);
    EXPECT_EQ(read.form->name, "mscclpp");
    return std::move(read.told);
}

/// A schedule in text, as a plan.
std::string written(const std::string& text) {
    std::istringstream in(text);
    return plan_of(read_any_schedule(in, "x.txt", {}).told);
}

std::string why_not(const std::string& text) {
    try {
        return written(text);
    } catch (const RequestError& error) {
        return error.what();
    }
}

template <class Change>
void for_each_operation(json& plan, const Change& change) {
    for (json& gpu : plan["gpus"])
        for (json& block : gpu["threadblocks"]) change(block["ops"]);
}

/// What the runtime reads, and nothing else.
json without_own_members(const std::string& text) {
    json plan = json::parse(text);
    plan.erase("kport");
    for_each_operation(plan, [](json& operations) {
        for (json& operation : operations) operation.erase("round");
    });
    return plan;
}

std::string faults_of(const ToldSchedule& told) {
    std::string lines;
    for (const FoundFault& found : told.judgement.findings)
        lines += std::string(name(found.fault)) + ": " + found.text + "\n";
    for (const NotJudged& one : told.judgement.not_judged) lines += one.what + ": " + one.why + "\n";
    return lines;
}

using Messages = std::map<std::tuple<Round, NodeId, NodeId>, PacketSet>;

Messages messages_of(const Schedule& schedule) {
    Messages messages;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const Transfer transfer = schedule.transfer(i);
        messages[{schedule.round(i), transfer.from, transfer.to}].add(transfer.packets);
    }
    return messages;
}

bool same(const Messages& a, const Messages& b) {
    return std::ranges::equal(a, b, [](const auto& one, const auto& other) {
        return one.first == other.first && one.second.size() == other.second.size() &&
               one.second.covers(other.second.blocks());
    });
}

ToldSchedule recorded(const Algorithm& row, const Machine& machine, const Collective& collective) {
    ToldSchedule told{machine.topology, judged_collective(row, collective, {}), {}};
    RunOptions options;
    options.recorded_schedule = &told.schedule;
    (void)run_algorithm(row, machine, told.collective, {}, {}, options);
    return told;
}

/// Calls it with all that the catalogue does of an operation on some small machines.
template <class Use>
void for_each_schedule(const Operation& operation, const Use& use) {
    test::Sample sample(7);
    for (const char* spec : {"ring:5", "hypercube:3", "complete:4", "mesh:2x3", "torus:3x3", "complete:1"})
        for (const auto& [ports, packets] : {std::pair(PortLimit(1), 1U), std::pair(PortLimit::all(), 3U)}) {
            Machine machine;
            machine.topology = make_topology(spec);
            machine.ports = ports;
            Collective collective = Collective::of(operation, 0, 64);
            collective.packets_each = packets;
            for (const Algorithm* row : applicable(machine, collective, {})) {
                if (sample.leaves_out()) continue;
                SCOPED_TRACE(fmt::format("{} {} on {}, {} packets", name(operation), row->name, spec, packets));
                use(recorded(*row, machine, collective));
            }
        }
}

/// Limits of the runtime, which takes all sources of a put from the buffer of the first.
void expect_limits(json plan) {
    for_each_operation(plan, [](const json& operations) {
        EXPECT_LE(operations.size(), 64U);
        for (const json& operation : operations) {
            if (!operation.contains("src_buff")) continue;
            EXPECT_LE(operation["src_buff"].size(), 8U);
            if (operation["name"] != "put") continue;
            for (const json& source : operation["src_buff"])
                EXPECT_EQ(source["type"], operation["src_buff"][0]["type"]);
        }
    });
}

class WrittenPlan : public testing::TestWithParam<Operation> {};

TEST_P(WrittenPlan, OfEveryAlgorithmIsLawfulAndTheSameSchedule) {
    for_each_schedule(GetParam(), [](const ToldSchedule& told) {
        const std::string text = plan_of(told);
        const json plan = without_own_members(text);
        expect_limits(plan);
        const ToldSchedule bare = read_back(plan.dump());
        EXPECT_EQ(faults_of(bare), "");
        EXPECT_EQ(bare.collective.operation, told.collective.operation);
        EXPECT_EQ(bare.collective.packets_each, told.collective.packets_each);
        const ToldSchedule again = read_back(text);
        EXPECT_EQ(faults_of(again), "");
        EXPECT_EQ(again.topology->spec(), told.topology->spec());
        EXPECT_TRUE(same(messages_of(again.schedule), messages_of(told.schedule)));
    });
}

/// What orders it is all needed: the judge finds a fault wherever one signal, wait, nop or barrier is dropped.
TEST_P(WrittenPlan, LacksNothingThatOrdersItAndHasNothingTooMuch) {
    Machine machine;
    machine.ports = PortLimit::all();
    for (const char* spec : {"hypercube:2", "ring:5"}) {
        if (test::under_sanitizer && std::string_view(spec) == "ring:5") continue;
        machine.topology = make_topology(spec);
        const Collective collective = Collective::of(GetParam(), 0, 64);
        const json plan =
            without_own_members(plan_of(recorded(*applicable(machine, collective, {}).front(), machine, collective)));
        std::size_t dropped = 0;
        for (std::size_t gpu = 0; gpu < plan["gpus"].size(); ++gpu)
            for (std::size_t block = 0; block < plan["gpus"][gpu]["threadblocks"].size(); ++block)
                for (std::size_t i = 0; i < plan["gpus"][gpu]["threadblocks"][block]["ops"].size(); ++i) {
                    json mutant = plan;
                    json& operations = mutant["gpus"][gpu]["threadblocks"][block]["ops"];
                    if (operations[i].contains("src_buff")) continue;
                    operations.erase(i);
                    ++dropped;
                    EXPECT_NE(faults_of(read_back(mutant.dump())), "")
                        << spec << " gpu " << gpu << " block " << block << " operation " << i << "\n"
                        << plan["gpus"][gpu]["threadblocks"][block]["ops"].dump();
                }
        EXPECT_GT(dropped, 20U) << spec;
    }
}

INSTANTIATE_TEST_SUITE_P(Operations, WrittenPlan,
                         testing::Values(Operation::allreduce, Operation::allgather, Operation::reduce_scatter,
                                         Operation::alltoall),
                         [](const auto& row) {
                             std::string word(name(row.param));
                             std::erase(word, '-');
                             return word;
                         });

constexpr const char* ring_allgather =
    "on complete:3\nallgather\nround 1: 0 -> 1 {0}, 1 -> 2 {1}, 2 -> 0 {2}\n"
    "round 2: 0 -> 1 {2}, 1 -> 2 {0}, 2 -> 0 {1}\n";

TEST(MscclppWriting, HasWhatTheRuntimeLoads) {
    const std::string text = written(ring_allgather);
    EXPECT_THAT(text,
                testing::StartsWith("{\"name\": \"kport\", \"collective\": \"allgather\", \"protocol\": \"Simple\", "
                                    "\"inplace\": false, \"reuse_resources\": false,\n"));
    EXPECT_THAT(text, HasSubstr("{\"id\": 0, \"input_chunks\": 1, \"output_chunks\": 3, \"scratch_chunks\": 0,\n"));
    EXPECT_THAT(text, HasSubstr("\"channels\": [{\"channel_type\": \"memory\", \"connected_to\": [1, 2]}]"));
    EXPECT_THAT(text, HasSubstr("\"max_message_size\": 18446744073709551615,\n"
                                " \"kport\": [\"on complete:3\",\"allgather\"]}\n"));
    const json plan = json::parse(text);
    const json& block = plan["gpus"][0]["threadblocks"][0];
    std::string names;
    for (const json& operation : block["ops"]) names += operation["name"].get<std::string>() + " ";
    EXPECT_EQ(names, "rlxwait nop put nop signal barrier put nop signal ");
    EXPECT_EQ(block["ops"][2], json::parse(R"({"name": "put", "src_buff": [{"type": "i", "index": 0, "size": 1}],
        "dst_buff": [{"buffer_id": 0, "index": 0, "size": 1}], "channel_type": "memory", "round": 1})"));
    EXPECT_EQ(block["remote_buffer_refs"], json::parse(R"([{"access_channel_type": "memory",
        "remote_buffer_ids": [0]}])"));
    EXPECT_EQ(plan["gpus"][0]["remote_buffers"], json::parse(R"([{"rank": 1, "type": "o",
        "access_channel_types": ["memory"]}])"));
}

TEST(MscclppWriting, OwnMembersSayTheMachineAndTheRounds) {
    const ToldSchedule slow =
        read_back(written("on line:3\nallgather\nround 1: 0 -> 1 {0}\nround 2: 1 -> 2 {0, 1}\n"
                          "round 4: 2 -> 1 {2}\nround 5: 1 -> 0 {1, 2}\n"));
    EXPECT_EQ(slow.topology->spec(), "line:3");
    EXPECT_EQ(slow.schedule.round(slow.schedule.size() - 1), 5U);
    json plan = json::parse(written(ring_allgather));
    plan["gpus"][0]["threadblocks"][0]["ops"][2]["round"] = 0;
    EXPECT_THROW((void)read_back(plan.dump()), RequestError);
    plan["kport"] = "on complete:3";
    EXPECT_THROW((void)read_back(plan.dump()), RequestError);
}

TEST(MscclppWriting, RefusesWhatAPlanCannotSay) {
    EXPECT_EQ(why_not("on line:2\nbroadcast from 0\nround 1: 0 -> 1\n"),
              "MSCCL++ plans are not written of broadcast, but of allreduce, allgather, reduce-scatter and alltoall; "
              "text and JSON are");
    EXPECT_THAT(why_not("on line:2\nallgather\nround 1: silent\nround 2: 0 -> 1 {0}, 1 -> 0 {1}\n"),
                HasSubstr("an MSCCL++ plan cannot say that rounds are silent on purpose"));
}

TEST(MscclppWriting, RefusesMoreOperationsThanTheRuntimeExecutes) {
    std::string text = "on line:2\nallgather\npackets 40\n";
    for (int i = 0; i < 40; ++i) text += fmt::format("round {}: 0 -> 1 {{0:{}}}, 1 -> 0 {{1:{}}}\n", i + 1, i, i);
    EXPECT_EQ(why_not(text), "node 0 has 163 operations with node 1; MSCCL++ executes at most 64 of a block");
}

/// The value that comes replaces what its receiver has sent on: it must not arrive while that is still read.
TEST(MscclppWriting, AResultThatReplacesAPartIsPutIntoScratchFirst) {
    const json plan = json::parse(
        written("on line:3\nallreduce\nround 1: 2 -> 1 {2}\nround 2: 1 -> 0 {1, 2}\nround 3: 0 -> 1 {result}\n"
                "round 4: 1 -> 2 {result}\n"));
    EXPECT_EQ(plan["gpus"][1]["scratch_chunks"], 2);
    EXPECT_EQ(plan["gpus"][2]["scratch_chunks"], 0) << "nothing stands there before";
}

TEST(MscclppWriting, FoldsWhatComesInOneRoundAtOnce) {
    const json plan =
        json::parse(written("on complete:4\nallreduce\nround 1: 0 -> 3 {0}, 1 -> 3 {1}, 2 -> 3 {2}\n"
                            "round 2: 3 -> 0 {result}, 3 -> 1 {result}, 3 -> 2 {result}\n"));
    const json& operations = plan["gpus"][3]["threadblocks"][0]["ops"];
    EXPECT_EQ(operations[4], json::parse(R"({"name": "re", "src_buff": [{"type": "i", "index": 0, "size": 1},
        {"type": "s", "index": 0, "size": 1}, {"type": "s", "index": 1, "size": 1},
        {"type": "s", "index": 2, "size": 1}], "dst_buff": [{"type": "o", "index": 0, "size": 1}],
        "reduce_op": "sum"})"))
        << operations.dump();
}

}  // namespace
}  // namespace kport::mscclpp_writing
