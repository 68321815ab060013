/// @file together_test.cpp   Schedules of one packet of each that carry M together, and back (model.md section 13.1): why the reports
///                           know as much of the rounds, work and path sum of any M as of one packet.
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "algorithms/reach.hpp"
#include "algorithms/run_algorithm.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "tests/algorithms/machines.hpp"

namespace kport {
namespace {

/// M for one: a row of the packets of one becomes M rows, the column of a broadcast M columns (PacketBlock).
PacketBlocks together(const PacketBlock& one, const Collective& collective) {
    const auto m = static_cast<std::uint32_t>(collective.packets_each);
    if (collective.operation == Operation::broadcast) return {{0, 1, m, 0, 1, 1}};
    PacketBlocks all;
    for (std::uint32_t i = 0; i < one.rows; ++i)
        all.push_back({one.first, one.stride, one.count, one.all_rows()[i] * m, 1, m});
    return all;
}

/// The first of each M; nothing where the block has none of these.
PacketBlocks first_of_each(const PacketBlock& block, const Collective& collective) {
    const auto m = static_cast<std::uint32_t>(collective.packets_each);
    PacketBlocks first;
    if (collective.operation == Operation::broadcast) {
        for (std::uint32_t i = 0; i < block.count; ++i)
            if (block.columns()[i] == 0) first.push_back({0, 1, 1, 0, 1, 1});
        return first;
    }
    for (std::uint32_t i = 0; i < block.rows; ++i)
        if (block.all_rows()[i] % m == 0)
            first.push_back({block.first, block.stride, block.count, block.all_rows()[i] / m, 1, 1});
    return first;
}

/// With other packets in each message; messages without any are left out, and so are rounds in which nothing moves.
template <class Packets>
Schedule with_packets(const Schedule& schedule, const Packets& packets_of) {
    Schedule changed;
    Round round = 0;
    Round before = 0;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        Transfer transfer = schedule.transfer(i);
        PacketBlocks packets;
        for (const PacketBlock& block : transfer.packets)
            for (const PacketBlock& each : packets_of(block)) packets.push_back(each);
        if (packets.empty()) continue;
        transfer.packets = span_of(packets);
        if (schedule.round(i) != before) ++round;
        before = schedule.round(i);
        changed.add(round, transfer);
    }
    return changed;
}

/// What a run of the algorithm records; nothing where it breaks a rule, or keeps partial results of one segment apart.
std::optional<Schedule> recorded(const Algorithm& row, const Machine& machine, const Collective& collective) {
    if (judged_collective(row, collective, {}).in_runs) return std::nullopt;
    Schedule schedule;
    RunOptions options;
    options.threads = 1;
    options.record = &schedule;
    const Verdict verdict = run_algorithm(row, machine, collective, {}, {false, 1}, options).verdict;
    return verdict.lawful() && verdict.delivered ? std::optional(std::move(schedule)) : std::nullopt;
}

void expect_the_same_counts(const Verdict& one, const Verdict& other, std::uint64_t times, const std::string& where) {
    EXPECT_TRUE(other.lawful() && other.delivered) << where;
    EXPECT_EQ(other.metrics.rounds, one.metrics.rounds) << where;
    EXPECT_EQ(other.metrics.work, one.metrics.work) << where;
    EXPECT_EQ(other.metrics.path_sum, one.metrics.path_sum) << where;
    EXPECT_EQ(other.metrics.volume, one.metrics.volume * times) << where;
}

/// Calls body with every machine and operation.
template <class Body>
void for_each_request(const Body& body) {
    for (const char* spec : {"hypercube:3", "ring:5", "mesh:3x3", "complete:6", "cbt:2", "line:4"})
        for (int rules = 0; rules < 12; ++rules) {
            Machine machine;
            machine.topology = make_topology(spec);
            machine.ports = rules % 3 == 0 ? PortLimit(1) : rules % 3 == 1 ? PortLimit(2) : PortLimit::all();
            machine.switching = rules / 3 % 2 == 0 ? Switching::store_and_forward : Switching::wormhole;
            machine.pairwise = rules / 6 == 1;
            machine.noho = Noho::strict;
            for (const Operation& operation : operations()) {
                Collective collective = Collective::of(operation, operation.rooted() ? 1 : 0, 8);
                if (!collective.signals()) body(machine, collective);
            }
        }
}

TEST(PacketsTogether, OfEveryAlgorithmAreLawfulInTheRoundsWorkAndPathSumOfOne) {
    int compared = 0;
    for_each_request([&](const Machine& machine, const Collective& one) {
        Collective three = one;
        three.packets_each = 3;
        for (const Algorithm* row : applicable(machine, one, {})) {
            const auto schedule = recorded(*row, machine, one);
            if (!schedule) continue;
            const auto packets = [&](const PacketBlock& block) { return together(block, three); };
            expect_the_same_counts(audit(with_packets(*schedule, [](const PacketBlock& b) { return PacketBlocks{b}; }),
                                         machine, one, false),
                                   audit(with_packets(*schedule, packets), machine, three, false), 3,
                                   fmt::format("{} {} on {} ({})", name(one.operation), row->name,
                                               machine.topology->spec(), machine.describe()));
            ++compared;
        }
    });
    EXPECT_GT(compared, 900);
}

TEST(TheFirstOfSeveralPackets, AloneMoveLawfullyInNoMoreRoundsWorkAndPathSum) {
    int compared = 0;
    for_each_request([&](const Machine& machine, const Collective& one) {
        Collective three = one;
        three.packets_each = 3;
        for (const Algorithm* row : applicable(machine, three, {})) {
            const auto schedule = recorded(*row, machine, three);
            if (!schedule) continue;
            const auto packets = [&](const PacketBlock& block) { return first_of_each(block, three); };
            const Metrics all = audit(*schedule, machine, three, false).metrics;
            const Verdict first = audit(with_packets(*schedule, packets), machine, one, false);
            const std::string where = fmt::format("{} {} on {} ({})", name(one.operation), row->name,
                                                  machine.topology->spec(), machine.describe());
            EXPECT_TRUE(first.lawful() && first.delivered) << where;
            EXPECT_LE(first.metrics.rounds, all.rounds) << where;
            EXPECT_LE(first.metrics.work, all.work) << where;
            EXPECT_LE(first.metrics.path_sum, all.path_sum) << where;
            ++compared;
        }
    });
    EXPECT_GT(compared, 900);
}

/// Of the same bound is known the same, but for the schedule's name and where one packet is told of best_known alone.
RC_GTEST_PROP(PacketsTogether, AreKnownToReachWhatOnePacketReaches, ()) {
    const Machine machine = test::any_machine();
    Collective one = test::any_collective(machine);
    one.operation = *rc::gen::elementOf(operations());
    one.packet_bytes = 8;
    RC_PRE(!one.signals() && machine.combining);
    Collective many = one;
    many.packets_each = *rc::gen::element<std::uint64_t>(2, 3, 7, 100);
    const Bounds of_one = reached_bounds(machine, one);
    const Bounds of_many = reached_bounds(machine, many);
    for (const Quantity quantity : {Quantity::rounds, Quantity::work, Quantity::path_sum}) {
        RC_ASSERT(of_many[quantity].value() == of_one[quantity].value());
        if (one.operation == Operation::scan && of_one[quantity].met_by == "gather-scatter") continue;
        if (of_one[quantity].reachable != Reachable::unknown)
            RC_ASSERT(of_many[quantity].reachable == of_one[quantity].reachable);
        RC_ASSERT(of_many[quantity].least == of_one[quantity].least);
    }
}

/// Work of single packets, one after the other: that of one packet, M times.
TEST(PacketsOneAfterTheOther, HaveTheWorkOfEachAlone) {
    Machine machine;
    machine.combining = false;
    machine.topology = make_topology("ring:7");
    for (const Operation& operation : {Operation::scatter, Operation::alltoall, Operation::allgather}) {
        Collective many = Collective::of(operation, 0, 8);
        many.packets_each = 3;
        const Bound work = reached_bounds(machine, many)[Quantity::work];
        EXPECT_EQ(work.reachable, Reachable::yes) << name(operation) << ": " << work.reachable_why;
    }
}

}  // namespace
}  // namespace kport
