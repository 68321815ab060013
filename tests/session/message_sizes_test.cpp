/// @file message_sizes_test.cpp   Into how many packets an algorithm cuts a message, and which is the cheapest.
#include "session/message_sizes.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "session/run.hpp"
#include "tests/session/experiments.hpp"

namespace kport::test {
namespace {

Experiment broadcast_of_single_packets(const char* spec) {
    Experiment e = experiment(spec);
    e.machine.combining = false;
    e.machine.ports = PortLimit::all();
    return e;
}

TEST(MessageSizes, CutAPipelineWhereNoOtherNumberOfPacketsIsBetter) {
    Experiment e = broadcast_of_single_packets("line:9");
    e.algorithm = "farthest-first";
    e.machine.costs.byte = 0.01;
    for (const std::uint64_t bytes : {64U, 1000U, 4096U}) {
        const MessageSize size = compare_sizes(e, std::array{bytes}).front();
        ASSERT_EQ(size.cuts.size(), 1U);
        const CutMessage& cut = size.cuts.front();
        for (std::uint64_t packets = 1; packets <= std::min<std::uint64_t>(bytes, 300); ++packets) {
            // M - 1 + height rounds of one packet each (long-messages.md 4.1).
            const double packet = static_cast<double>((bytes + packets - 1) / packets);
            const double latency = static_cast<double>(packets - 1 + 8) * (1 + 0.01 * packet);
            EXPECT_LE(cut.predicted.latency, latency + 1e-9) << bytes << " bytes in " << packets;
        }
    }
}

TEST(CutCurves, AreByMAndLeastAtTheBestCut) {
    const Experiment e = broadcast_of_single_packets("line:9");
    const std::vector<CutCurve> curves = curves_over_cuts(e, 5000);
    ASSERT_GT(curves.size(), 1U);
    for (const CutCurve& curve : curves) {
        EXPECT_TRUE(std::ranges::is_sorted(curve.cuts, {}, &CutMessage::packets));
        EXPECT_EQ(curve.cuts.front().packets, 1U);
        EXPECT_GE(curve.best.predicted.latency, curves.front().best.predicted.latency);
        for (const CutMessage& cut : curve.cuts) {
            EXPECT_LE(curve.best.predicted.latency, cut.predicted.latency) << cut.algorithm->name;
            EXPECT_LE(bound_of_cut(e, 5000, cut.packets).value_or(0), cut.predicted.latency + 1e-9);
        }
    }
}

TEST(MessageSizes, ArePredictedAsTheyRun) {
    const Experiment e = broadcast_of_single_packets("mesh:3x4");
    for (const MessageSize& size : compare_sizes(e, std::array<std::uint64_t, 2>{100, 5000}))
        for (const CutMessage& cut : size.cuts) {
            Experiment one = e;
            one.algorithm = cut.algorithm->name;
            one.collective.packets_each = cut.packets;
            one.collective.packet_bytes = cut.packet_bytes;
            const Outcome outcome = run(choose(one));
            EXPECT_EQ(outcome.ending, Ending::lawful);
            EXPECT_DOUBLE_EQ(outcome.report.verdict.metrics.latency, cut.predicted.latency) << cut.algorithm->name;
            EXPECT_GE(cut.packets * cut.packet_bytes, size.bytes);
        }
}

TEST(MessageSizes, AreNeverBelowTheBoundWhereTheCutIsNoPowerOfTwo) {
    for (const char* spec : {"line:9", "hypercube:4", "mesh:3x5"})
        for (const MessageSize& size :
             compare_sizes(broadcast_of_single_packets(spec), std::array<std::uint64_t, 3>{1000, 16'384, 100'000})) {
            ASSERT_TRUE(size.bound);
            EXPECT_GE(size.cuts.front().predicted.latency, *size.bound - 1e-9) << spec << " " << size.bytes;
        }
}

TEST(MessageSizes, AreNeverBelowTheBoundAndCheapestFirst) {
    for (const Operation& operation : {Operation::broadcast, Operation::allreduce, Operation::allgather})
        for (const MessageSize& size :
             compare_sizes(experiment("hypercube:3", operation), std::array<std::uint64_t, 3>{8, 800, 80'000})) {
            ASSERT_TRUE(size.bound);
            EXPECT_TRUE(std::ranges::is_sorted(size.cuts, {}, [](const CutMessage& c) { return c.predicted.latency; }));
            EXPECT_GE(size.cuts.front().predicted.latency, *size.bound - 1e-9);
        }
}

TEST(MessageSizes, RefuseAMessageWithoutBytes) {
    EXPECT_THROW((void)compare_sizes(experiment("ring:5"), std::array<std::uint64_t, 1>{0}), RequestError);
}

}  // namespace
}  // namespace kport::test
