/// @file payload_test.cpp   Delivery and payload are one thing: bytes that transfers brought and that are not there, or are
///                          others, are a breach, and their node is no holder; what was compared is counted.
#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/choice.hpp"
#include "algorithms/run_algorithm.hpp"
#include "emulator/engine/payload.hpp"
#include "emulator/engine/script.hpp"
#include "emulator/engine/stage.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::both_engines;
using test::on;
using testing::ElementsAre;

/// The schedule is shown to the auditor, and an engine copies the bytes of those messages alone that `keeps` names.
template <class Keeps>
Verdict judged(const Job& job, const Schedule& schedule, const Keeps& keeps) {
    Stage stage(job, {});
    FramePool pool;
    const RunsNodes here(pool);
    const NodeId nodes = stage.topology.nodes();
    Auditor auditor(job.machine, job.collective, 1, false);
    if (stage.store)
        for (NodeId v = 0; v < nodes; ++v) stage.store->seed(v, pool);
    for (std::size_t i = 0; i < schedule.size(); ++i) {  // one transfer a round
        const Transfer transfer = schedule.transfer(i);
        auditor.sent(0, schedule.round(i), transfer);
        auditor.received(0, schedule.round(i), transfer);
        (void)auditor.end_round(schedule.round(i), std::array{0U});
        if (!keeps(i)) continue;
        if (stage.store) {
            stage.store->add(transfer.to, stage.store->copy_out(transfer.from, transfer.packets, pool), pool);
        } else {
            (void)stage.slots[transfer.to].first_bytes();
            stage.memory.move(transfer.from, transfer.to);
        }
    }
    verify_payload(
        nodes, auditor, job.collective.packet_bytes,
        [&](NodeId v) { return stage.has_right_packet(v, stage.slots[v].holds_bytes(), auditor); },
        [&](NodeId v) { return stage.check_payload(v, stage.slots[v].holds_bytes(), auditor); },
        [](std::size_t count, const auto& body) {
            for (std::size_t i = 0; i < count; ++i) body(i);
        });
    for (NodeId v = 0; v < nodes; ++v) stage.clear(v, pool);
    return auditor.finish();
}

const Machine three_nodes = test::machine("line:3");

Job moving(Operation operation) {
    const auto idle = [](Node&) -> Program { co_return; };
    Job job = test::job(three_nodes, idle, {0});
    job.collective.operation = operation;
    return job;
}

const auto all_of_them = [](std::size_t) { return true; };
const auto all_but_the_last = [](std::size_t i) { return i == 0; };

TEST(PromisedBytes, OfABroadcastThatAreNotThereAreABreach) {
    const Schedule down = test::schedule(*three_nodes.topology, {{1, 0, 1}, {2, 1, 2}});
    const Verdict right = judged(moving(Operation::broadcast), down, all_of_them);
    EXPECT_TRUE(right.lawful());
    EXPECT_EQ(right.holders, 3U);
    EXPECT_EQ(right.compared_packets, 2U);
    EXPECT_EQ(right.compared_bytes, 16U);

    const Verdict lost = judged(moving(Operation::broadcast), down, all_but_the_last);
    EXPECT_THAT(test::sentences(lost, *three_nodes.topology),
                ElementsAre("delivery broken: node 2 holds packet 0 without its bytes"));
    EXPECT_FALSE(lost.delivered);
    EXPECT_EQ(lost.holders, 2U);
    EXPECT_EQ(lost.compared_packets, 1U);
}

TEST(PromisedBytes, OfManyPacketsThatAreNotThereAreABreach) {
    const Schedule down =
        test::schedule(*three_nodes.topology, {{1, 0, 1, {}, {PacketBlock{1, 1, 2}}}, {2, 1, 2, {}, {PacketBlock{2}}}});
    const Verdict right = judged(moving(Operation::scatter), down, all_of_them);
    EXPECT_TRUE(right.lawful());
    EXPECT_EQ(right.compared_packets, 2U);
    const Verdict lost = judged(moving(Operation::scatter), down, all_but_the_last);
    EXPECT_THAT(test::sentences(lost, *three_nodes.topology),
                ElementsAre("delivery broken: node 2 holds packet 2 without its bytes"));
    EXPECT_EQ(lost.holders, 2U);
    EXPECT_EQ(lost.compared_packets, 1U);
    // Node 1 keeps nothing: it lacks its packet, and what it sends on is not what was sent.
    const Verdict passed = judged(moving(Operation::scatter), down, [](std::size_t i) { return i == 1; });
    EXPECT_THAT(test::sentences(passed, *three_nodes.topology),
                ElementsAre("delivery broken: node 1 holds packet 1 without its bytes",
                            "delivery broken: packet 2 at node 2 differs from what was sent in byte 0"));
    EXPECT_EQ(passed.holders, 1U);

    const Schedule up =
        test::schedule(*three_nodes.topology, {{1, 2, 1, {}, {PacketBlock{2}}}, {2, 1, 0, {}, {PacketBlock{1, 1, 2}}}});
    const Verdict root = judged(moving(Operation::gather), up, all_but_the_last);
    EXPECT_THAT(test::sentences(root, *three_nodes.topology),
                ElementsAre("delivery broken: node 0 holds packet 1 without its bytes"));
    EXPECT_EQ(root.holders, 1U) << "of three packets";
    EXPECT_EQ(judged(moving(Operation::gather), up, all_of_them).compared_packets, 2U);
}

TEST(PacketBytes, OfOneByteAreNotZeroAsMemoryIsThatNobodyWrote) {
    for (std::uint64_t seed = 0; seed < 50; ++seed)
        for (PacketId packet = 0; packet < 50; ++packet) {
            std::array<std::byte, 1> bytes{};
            PacketBytes(seed).fill(bytes, packet);
            EXPECT_NE(bytes[0], std::byte{0});
            EXPECT_FALSE(PacketBytes(seed).first_difference(bytes, packet));
        }
}

// ------------------------------------------------------------------------------------------------------ every operation

struct Expected {
    Operation operation;
    std::uint64_t packets;  ///< compared on eight nodes
};

class ComparedPayload : public testing::TestWithParam<Expected> {};

INSTANTIATE_TEST_SUITE_P(Operations, ComparedPayload,
                         testing::Values(Expected{Operation::broadcast, 7}, Expected{Operation::scatter, 7},
                                         Expected{Operation::gather, 7}, Expected{Operation::allgather, 56},
                                         Expected{Operation::alltoall, 56}, Expected{Operation::reduce, 1},
                                         Expected{Operation::allreduce, 8}, Expected{Operation::scan, 8}),
                         [](const auto& row) { return std::string(name(row.param.operation)); });

TEST_P(ComparedPayload, IsCountedAlikeByEveryEngine) {
    const Machine cube = test::machine("hypercube:3");
    Collective collective;
    collective.operation = GetParam().operation;
    collective.packet_bytes = 24;
    const Algorithm& algorithm = best_algorithm(cube, collective, {});
    for (const EngineKind engine : both_engines) {
        const RunOptions options = on(engine);
        const Verdict verdict = run_algorithm(algorithm, cube, collective, {}, {}, options).verdict;
        EXPECT_TRUE(verdict.lawful());
        EXPECT_EQ(verdict.compared_packets, GetParam().packets);
        EXPECT_EQ(verdict.compared_bytes, GetParam().packets * 24);
        const Verdict uncounted = run_algorithm(algorithm, cube, collective, {}, {.copied = false}, options).verdict;
        EXPECT_EQ(uncounted.compared_packets, 0U);
    }
}

TEST(ANodeThatNeverStarts, OwnsItsPacketsInBothEngines) {
    const auto idle = [](Node&) -> Program { co_return; };
    for (const char* spec : {"line:1", "line:3", "torus:2"})
        for (const Operation& operation :
             {Operation::broadcast, Operation::scatter, Operation::gather, Operation::allgather, Operation::alltoall})
            for (const std::vector<NodeId>& starters : {std::vector<NodeId>{}, std::vector<NodeId>{0}}) {
                const Machine machine = test::machine(spec);
                Job job = test::job(machine, idle, starters);
                job.collective.operation = operation;
                job.collective.root = machine.topology->nodes() == 1 ? 0 : 1;
                const Verdict lockstep = run(job, on(EngineKind::lockstep)).verdict;
                const Verdict free = run(job, on(EngineKind::free)).verdict;
                EXPECT_EQ(test::sentences(lockstep, *machine.topology), test::sentences(free, *machine.topology));
                EXPECT_EQ(lockstep.holders, free.holders) << spec << " " << name(operation);
                EXPECT_EQ(lockstep.lawful(), free.lawful());
                EXPECT_EQ(lockstep.lawful(), machine.topology->nodes() == 1);
                const bool source_has_its_own = operation == Operation::broadcast || operation == Operation::scatter;
                EXPECT_GE(lockstep.holders, source_has_its_own ? 1U : 0U);
            }
}

}  // namespace
}  // namespace kport
