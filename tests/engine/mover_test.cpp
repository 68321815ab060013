/// @file mover_test.cpp   A schedule moved for its data alone: the right bytes for every option and repetition.
#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/choice.hpp"
#include "algorithms/run_algorithm.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/mover.hpp"
#include "tests/support/traces.hpp"

// Needs the node first.
#include "examples/matrix_product.hpp"

namespace kport {
namespace {

using test::machine;
using test::schedule;

Schedule recorded(const Algorithm& algorithm, const Machine& on, const Collective& collective) {
    Schedule schedule;
    RunOptions options;
    options.recorded_schedule = &schedule;
    Payload none;
    none.copied = false;
    (void)run_algorithm(algorithm, on, collective, {}, none, options);
    return schedule;
}

/// "" if all packets are right.
std::string verdict(const Mover& mover) {
    const auto differs = mover.verify();
    return differs ? fmt::format("node {} packet {} byte {}", differs->node, differs->packet, differs->byte) : "";
}

std::vector<std::byte> bytes_of(Mover& mover) {
    return {mover.memory().at(0), mover.memory().at(0) + mover.memory().bytes()};
}

struct Case {
    Operation operation;
    std::string_view topology;
    std::uint64_t bytes;
};

void PrintTo(const Case& c, std::ostream* out) { *out << name(c.operation) << " on " << c.topology << ", " << c.bytes; }

class EveryAlgorithm : public testing::TestWithParam<Case> {};

TEST_P(EveryAlgorithm, BringsTheRightBytesOnAnyNumberOfThreadsInSlicesAndWhole) {
    const auto& [operation, topology, bytes] = GetParam();
    const NodeId nodes = make_topology(std::string(topology))->nodes();
    for (const PortLimit ports : {PortLimit(1), PortLimit::all()})
        for (const bool wormhole : {false, true}) {
            const Machine plain = machine(std::string(topology), ports);
            const Machine on = wormhole ? test::wormhole(plain) : plain;
            const Collective collective{operation, nodes / 3, bytes};
            for (const Algorithm* algorithm : applicable(on, collective, {})) {
                const Schedule moved = recorded(*algorithm, on, collective);
                const Collective judged = judged_collective(*algorithm, collective, {});
                for (const std::uint64_t slice : {std::uint64_t{0}, std::uint64_t{16}}) {
                    Mover mover(moved, on, judged, {}, 7, slice);
                    SCOPED_TRACE(fmt::format("{}, {} slices", algorithm->name, mover.slices()));
                    EXPECT_NE(verdict(mover), "") << "it was right before anything moved";
                    mover.move(1);
                    EXPECT_EQ(verdict(mover), "");
                    const std::vector<std::byte> first = bytes_of(mover);
                    for (const unsigned threads : {2U, 8U, 1U}) {
                        Mover at_once(moved, on, judged, {}, 7, slice);
                        at_once.move(threads);
                        EXPECT_EQ(verdict(at_once), "") << threads << " threads, nothing moved before";
                        mover.move(threads);
                        EXPECT_EQ(verdict(mover), "");
                        EXPECT_TRUE(bytes_of(mover) == first) << threads << " threads leave other bytes";
                    }
                    EXPECT_EQ(mover.messages(), moved.size());
                }
            }
        }
}

INSTANTIATE_TEST_SUITE_P(
    Mover, EveryAlgorithm,
    testing::Values(Case{Operation::broadcast, "hypercube:4", 8}, Case{Operation::broadcast, "mesh:3x5", 37},
                    Case{Operation::scatter, "hypercube:4", 8}, Case{Operation::scatter, "torus:4x4", 40},
                    Case{Operation::scatter, "complete:11", 5}, Case{Operation::scatter, "hypercube:3", 9000},
                    Case{Operation::gather, "hypercube:4", 24}, Case{Operation::allgather, "hypercube:3", 8},
                    Case{Operation::allgather, "complete:7", 17}, Case{Operation::alltoall, "hypercube:4", 8},
                    Case{Operation::alltoall, "ring:6", 20}, Case{Operation::alltoall, "complete:7", 8},
                    Case{Operation::alltoall, "mesh:2x3", 4103}, Case{Operation::reduce, "hypercube:4", 8},
                    Case{Operation::reduce, "mesh:3x4", 40}, Case{Operation::allreduce, "hypercube:4", 40},
                    Case{Operation::allreduce, "complete:6", 8}, Case{Operation::scan, "hypercube:4", 24},
                    // large enough for threads to share the slices
                    Case{Operation::allgather, "hypercube:3", 40000},
                    Case{Operation::allreduce, "hypercube:4", 20000}));

/// A broadcast down the dimensions of a hypercube: from every holder to the node across, a dimension a round.
Schedule dimension_broadcast(int n) {
    Schedule all;
    for (int d = 0; d < n; ++d)
        for (NodeId v = 0; v < NodeId{1} << d; ++v) {
            const Port port = static_cast<Port>(d);
            const PacketBlock packet{0};
            all.add(static_cast<Round>(d + 1), {v, v ^ (NodeId{1} << d), {&port, 1}, {&packet, 1}});
        }
    return all;
}

TEST(Mover, FoldsInOrderWhatComesOutOfOrder) {
    const Machine on = machine("complete:4");
    for (NodeId first = 0; first < 4; ++first)
        for (NodeId second = 0; second < 4; ++second)
            for (NodeId third = 0; third < 4; ++third) {
                if (first == second || second == third || first == third) continue;
                const NodeId root = 6 - first - second - third;
                Schedule gathering;
                Round round = 0;
                for (const NodeId v : {first, second, third}) {
                    const Port port = on.topology->port_to(v, root);
                    const PacketBlock contribution{static_cast<std::uint32_t>(v)};
                    gathering.add(++round, {v, root, {&port, 1}, {&contribution, 1}});
                }
                Mover mover(gathering, on, Collective::reduce(root, sizeof(example::Matrix)), example::product(), 1);
                mover.move(1);
                EXPECT_EQ(verdict(mover), "") << first << second << third << " to " << root;
            }
}

TEST(Mover, SharesRoundsThatAreLongAmongThreads) {
    Mover mover(dimension_broadcast(17), machine("hypercube:17"), Collective::broadcast(0, 8), {}, 1);
    EXPECT_EQ(mover.slices(), 1U);
    mover.move(2);
    EXPECT_EQ(verdict(mover), "");
}

TEST(Mover, MergesNeighboursIntoOneCopy) {
    // Rounds of 1, 2, 4 and 8 messages, each from memory that is full so far to what follows it.
    const Mover mover(dimension_broadcast(4), machine("hypercube:4"), Collective::broadcast(0, 8), {}, 1);
    EXPECT_EQ(mover.plan().movements.size(), 4U);
    EXPECT_EQ(mover.bytes_moved(), 15U * 8);
    EXPECT_EQ(mover.bytes_held(), 16U * 8);
}

TEST(Mover, CutsLargePacketsIntoSlices) {
    Mover mover(dimension_broadcast(3), machine("hypercube:3"), Collective::broadcast(0, 1'000'003), {}, 1);
    EXPECT_GE(mover.slices(), 8U);
    mover.move(2);
    EXPECT_EQ(verdict(mover), "");
}

TEST(Mover, StoresLargePacketsOnlyAtTheirFinalNodes) {
    // 0 -> 1 -> 2: node 1 passes on what is for node 2. From 4096 bytes on that is gone after the run.
    const Machine line = machine("line:3");
    const PacketBlock both{1, 1, 2};
    const PacketBlock last{2};
    const Schedule scatter = schedule(*line.topology, {{1, 0, 1, {}, {both}}, {2, 1, 2, {}, {last}}});
    for (const std::uint64_t bytes : {4095U, 4096U}) {
        Mover mover(scatter, line, {Operation::scatter, 0, bytes}, {}, 1);
        EXPECT_EQ(mover.plan().passing_places, bytes == 4096 ? 1U : 0U);
        EXPECT_EQ(mover.plan().places, 3U + 2 + 1 - mover.plan().passing_places) << "owned, and come to stay";
        EXPECT_EQ(mover.bytes_held(), 6U * 4096) << "places are aligned";
        mover.move(1);
        EXPECT_EQ(verdict(mover), "");
    }
}

TEST(Mover, MovesPacketsWithoutAByte) {
    Mover mover(dimension_broadcast(2), machine("hypercube:2"), Collective::broadcast(0, 0), {}, 1);
    mover.move(2);
    EXPECT_EQ(verdict(mover), "");
    EXPECT_EQ(mover.bytes_moved(), 0U);
}

TEST(Mover, FindsEachWrongByteAndRepairsItInTheNextRun) {
    Mover mover(dimension_broadcast(2), machine("hypercube:2"), Collective::broadcast(0, 20), {}, 1, 8);
    mover.move(1);
    ASSERT_EQ(mover.slices(), 3U);
    for (std::size_t slice = 0; slice < 3; ++slice)
        for (const Standing& came : mover.plan().brought) {
            std::byte& last = mover.memory().part(slice, came.place).back();
            last ^= std::byte{1};
            EXPECT_EQ(verdict(mover),
                      fmt::format("node {} packet 0 byte {}", came.node, slice == 2 ? 19 : 8 * slice + 7));
            mover.move(1);
            EXPECT_EQ(verdict(mover), "");
        }
}

TEST(Mover, FindsAWrongByteOfEveryPacketThatCame) {
    const Machine cube = machine("hypercube:3");
    const Collective collective{Operation::alltoall, 0, 8};
    for (const Algorithm* algorithm : applicable(cube, collective, {})) {
        Mover mover(recorded(*algorithm, cube, collective), cube, {Operation::alltoall, 0, 8}, {}, 1);
        mover.move(1);
        ASSERT_EQ(verdict(mover), "");
        for (const Standing& came : mover.plan().brought)
            for (std::uint32_t i = 0; i < came.block.size(); ++i) {
                std::byte& first = mover.memory().part(0, came.place + i).front();
                first ^= std::byte{1};
                EXPECT_NE(verdict(mover), "") << algorithm->name << ", place " << came.place + i;
                first ^= std::byte{1};
            }
    }
}

TEST(Mover, FindsAResultThatIsWrong) {
    const Machine two = machine("line:2");
    const PacketBlock own{1};
    const Schedule reduce = schedule(*two.topology, {{1, 1, 0, {}, {own}}});
    Mover mover(reduce, two, {Operation::reduce, 0, 16}, {}, 1);
    mover.move(1);
    EXPECT_EQ(verdict(mover), "");
    mover.memory().part(0, mover.plan().brought.front().place)[9] ^= std::byte{4};
    EXPECT_EQ(verdict(mover), "node 0 packet 0 byte 9");
}

TEST(Mover, FoldsWhatComesInTheRoundInWhichANodeSends) {
    // Both partners send their values before the round.
    const Machine two = machine("line:2");
    const Schedule exchange =
        schedule(*two.topology, {{1, 0, 1, {}, {PacketBlock{0}}}, {1, 1, 0, {}, {PacketBlock{1}}}});
    Reduction sum;
    sum.values = {"30", "12"};
    Mover mover(exchange, two, {Operation::allreduce, 0, 8}, sum, 1);
    for (int times = 0; times < 3; ++times) mover.move(1);
    for (const Standing& given : mover.plan().brought) {
        std::int64_t result = 0;
        std::memcpy(&result, mover.memory().part(0, given.place).data(), sizeof result);
        EXPECT_EQ(result, 42);
    }
}

std::string refusal(const std::vector<test::Step>& steps, Operation operation, const Reduction& reduction = {}) {
    const Machine line = machine("line:3");
    try {
        const Mover mover(schedule(*line.topology, steps), line, {operation, 0, 8}, reduction, 1);
    } catch (const RequestError& error) {
        return error.what();
    }
    return "";
}

TEST(Mover, RefusesASenderThatDoesNotHoldWhatItSends) {
    EXPECT_EQ(refusal({{1, 0, 1}, {1, 1, 2}}, Operation::broadcast),
              "transfers[1]: node 1 sends packet 0 in round 1 and has not got it before");
    EXPECT_EQ(refusal({{1, 0, 1, {}, {PacketBlock{1}}}, {2, 1, 2, {}, {PacketBlock{1, 1, 2}}}}, Operation::scatter),
              "transfers[1]: node 1 sends packet 2 in round 2 and has not got it before");
    EXPECT_EQ(refusal({{1, 1, 0, {}, {PacketBlock{1, 1, 2}}}}, Operation::reduce),
              "transfers[0]: node 1 sends 2 contributions in round 1 and has folded 1 before");
    EXPECT_EQ(refusal({{1, 1, 0, {}, {result_packet(3)}}}, Operation::allreduce),
              "transfers[0]: node 1 sends 3 contributions in round 1 and has folded 1 before");
}

TEST(Mover, RefusesAScheduleThatDoesNotDeliver) {
    EXPECT_EQ(refusal({{1, 0, 1}}, Operation::broadcast), "transfers: node 2 does not get packet 0");
    EXPECT_EQ(refusal({}, Operation::gather), "transfers: node 0 does not get packet 1");
    EXPECT_EQ(refusal({{1, 1, 0, {}, {PacketBlock{1}}}}, Operation::reduce),
              "transfers: node 0 gets 2 of the 3 contributions of its result");
}

TEST(Mover, RefusesTextsAndSchedulesOfAnotherMachine) {
    Reduction concat;
    concat.op = Operator::concat;
    concat.type = ElementType::text;
    EXPECT_THAT(refusal({}, Operation::reduce, concat),
                testing::HasSubstr("op concat: texts change size; use an operator on numbers"));
    Reduction two_values;
    two_values.values = {"1", "2"};
    EXPECT_THAT(refusal({}, Operation::reduce, two_values), testing::HasSubstr("3"));
    EXPECT_THAT(refusal({{1, 0, 1, {}, {PacketBlock{3}}}}, Operation::scatter),
                testing::HasSubstr("scatter on 3 nodes has packets 0 to 2"));
}

TEST(Mover, RefusesMoreMemoryThanAvailable) {
    try {
        const Mover mover(dimension_broadcast(2), machine("hypercube:2"),
                          Collective::broadcast(0, std::uint64_t{1} << 45), {}, 1);
        FAIL() << "it took 128 TiB";
    } catch (const DoesNotFit& refusal) {
        EXPECT_THAT(refusal.what(), testing::StartsWith("the packets that move need 134217728.0 MiB and "));
    }
    EXPECT_THROW(
        Mover(dimension_broadcast(2), machine("hypercube:2"), Collective::broadcast(0, ~std::uint64_t{0} - 7), {}, 1),
        DoesNotFit);
}

TEST(AMoverOfDoubles, WantsWhatItsFoldsGiveToTheLastBit) {
    // 0.1 + 0.2 + ... is rounded as the brackets stand; of the large ones some brackets give a number, others none.
    const Machine cube = machine("hypercube:2");
    for (const Operator& op : {Operator::sum, Operator::min, Operator::max})
        for (const std::vector<std::string>& values : std::vector<std::vector<std::string>>{
                 {"0.1", "0.2", "0.3", "0.4"}, {"1e308", "1e308", "-1e308", "-1e308"}})
            for (const Operation& operation : {Operation::allreduce, Operation::reduce, Operation::scan}) {
                const Collective collective{operation, 0, 24};
                const Schedule moved = recorded(best_algorithm(cube, collective, {}), cube, collective);
                Mover mover(moved, cube, {operation, 0, 24}, {op, ElementType::real, values}, 1, 8);
                mover.move(1);
                EXPECT_EQ(verdict(mover), "") << name(operation) << values.front();
                for (std::size_t s = 0; s < mover.slices(); ++s) {
                    std::byte& last = mover.memory().part(s, mover.plan().brought.back().place).front();
                    last ^= std::byte{1};
                    EXPECT_THAT(verdict(mover), testing::EndsWith(fmt::format("byte {}", 8 * s)));
                    last ^= std::byte{1};
                }
            }
}

}  // namespace
}  // namespace kport
