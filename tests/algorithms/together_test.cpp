/// @file together_test.cpp   Schedules of one packet of each that carry M together, and back (model.md section 13.1): why the reports
///                           know as much of the rounds, work and path sum of any M as of one packet.
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/run_algorithm.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/schedule/packet_parts.hpp"
#include "emulator/schedule/packet_space.hpp"
#include "tests/algorithms/machines.hpp"
#include "tests/support/sanitizers.hpp"

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

/// What a run of the algorithm records; nothing where it breaks a rule.
std::optional<Schedule> recorded(const Algorithm& row, const Machine& machine, const Collective& collective) {
    Schedule schedule;
    RunOptions options;
    options.threads = 1;
    options.recorded_schedule = &schedule;
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
        for (int rules = 0; rules < 24; ++rules) {
            Machine machine;
            machine.topology = make_topology(spec);
            machine.ports = rules % 3 == 0 ? PortLimit(1) : rules % 3 == 1 ? PortLimit(2) : PortLimit::all();
            machine.switching = rules / 3 % 2 == 0 ? Switching::store_and_forward : Switching::wormhole;
            machine.pairwise = rules / 6 % 2 == 1;
            machine.duplex = rules / 12 == 0 ? Duplex::full : Duplex::half;
            machine.noho = Noho::strict;
            for (const Operation& operation : operations()) {
                Collective collective =
                    fitted(Collective::of(operation, operation.rooted() ? 1 : 0, 8), *machine.topology);
                if (!collective.signals()) body(machine, collective);
            }
        }
}

std::string where(const Algorithm& row, const Machine& machine, const Collective& collective) {
    return fmt::format("{} {} of {} on {} ({})", name(collective.operation), row.name, collective.packets_each,
                       machine.topology->spec(), machine.describe());
}

constexpr unsigned one_of_schedules = 7;  // under a sanitizer
constexpr int share = test::under_sanitizer ? one_of_schedules : 1;

/// Calls body(schedule, machine, collective, where) with what every algorithm records of so many packets each, where it keeps no
/// partial results of one segment apart. How often.
template <class Body>
int for_each_whole_schedule(std::uint64_t packets, bool combining, const Body& body) {
    int schedules = 0;
    test::Sample sample(one_of_schedules);
    for_each_request([&](Machine machine, Collective collective) {
        machine.combining = combining;
        collective.packets_each = packets;
        for (const Algorithm* row : applicable(machine, collective, {})) {
            if (sample.leaves_out()) continue;
            const auto schedule = row->in_runs ? std::nullopt : recorded(*row, machine, collective);
            if (!schedule) continue;
            body(*schedule, machine, collective, where(*row, machine, collective));
            ++schedules;
        }
    });
    return schedules;
}

TEST(PacketsTogether, OfEveryAlgorithmAreLawfulInTheRoundsWorkAndPathSumOfOne) {
    const int compared = for_each_whole_schedule(
        1, true, [](const Schedule& schedule, const Machine& machine, const Collective& one, const std::string& name) {
            Collective three = one;
            three.packets_each = 3;
            const auto alone = [](const PacketBlock& block) { return PacketBlocks{block}; };
            const auto all = [&](const PacketBlock& block) { return together(block, three); };
            expect_the_same_counts(audit(with_packets(schedule, alone), machine, one, false),
                                   audit(with_packets(schedule, all), machine, three, false), 3, name);
        });
    EXPECT_GT(compared, 900 / share);
}

TEST(TheFirstOfSeveralPackets, AloneMoveLawfullyInNoMoreRoundsWorkAndPathSum) {
    const int compared = for_each_whole_schedule(
        3, true,
        [](const Schedule& schedule, const Machine& machine, const Collective& three, const std::string& name) {
            Collective one = three;
            one.packets_each = 1;
            const auto packets = [&](const PacketBlock& block) { return first_of_each(block, three); };
            const Metrics all = audit(schedule, machine, three, false).metrics;
            const Verdict first = audit(with_packets(schedule, packets), machine, one, false);
            EXPECT_TRUE(first.lawful() && first.delivered) << name;
            EXPECT_LE(first.metrics.rounds, all.rounds) << name;
            EXPECT_LE(first.metrics.work, all.work) << name;
            EXPECT_LE(first.metrics.path_sum, all.path_sum) << name;
        });
    EXPECT_GT(compared, 900 / share);
}

/// What a message without combining may carry of these: a packet, or one value of one segment.
std::vector<PacketBlocks> alone(std::span<const PacketBlock> packets, const Collective& collective) {
    std::vector<PacketBlocks> found;
    if (collective.in_runs) {
        for_each_part(packets, [&](const Progression& segments, std::span<const PacketBlock> contributions) {
            for (std::uint32_t i = 0; i < segments.count; ++i)
                for (const Progression& run : values_of(contributions, collective))
                    found.push_back({block_of({segments[i], 1, 1}, run)});
        });
        return found;
    }
    std::map<std::uint64_t, PacketBlocks> each;
    for (const PacketBlock& block : packets)
        for (std::uint32_t j = 0; j < block.rows; ++j) {
            const std::uint32_t row = block.all_rows()[j];
            if (collective.folds()) {
                each[row].push_back({block.first, block.stride, block.count, row, 1, 1});
                continue;
            }
            for (std::uint32_t i = 0; i < block.count; ++i) {
                const std::uint32_t column = block.columns()[i];
                each[std::uint64_t{row} << 32 | column].push_back({column, 1, 1, row, 1, 1});
            }
        }
    for (auto& [key, blocks] : each) found.push_back(std::move(blocks));
    return found;
}

/// The packets of each bundle one after the other: those of a round take as many rounds as its largest bundle has packets.
Schedule without_bundles(const Schedule& schedule, const Collective& collective) {
    std::map<std::pair<Round, std::size_t>, std::vector<std::pair<std::size_t, PacketBlocks>>> rounds;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        std::size_t turn = 0;
        for (PacketBlocks& packets : alone(schedule.transfer(i).packets, collective))
            rounds[{schedule.round(i), turn++}].emplace_back(i, std::move(packets));
    }
    Schedule changed;
    Round now = 0;
    for (const auto& [round, messages] : rounds) {
        ++now;
        for (const auto& [i, packets] : messages) {
            Transfer transfer = schedule.transfer(i);
            transfer.packets = span_of(packets);
            changed.add(now, transfer);
        }
    }
    return changed;
}

void expect_as_many_rounds_as_volume(const Algorithm& row, const Schedule& schedule, const Machine& machine,
                                     const Collective& collective) {
    const Collective judged = judged_collective(row, collective, {});
    Machine single = machine;
    single.combining = false;
    const std::uint64_t volume = audit(schedule, machine, judged, false).metrics.volume;
    const Verdict split = audit(without_bundles(schedule, judged), single, collective, false);
    const std::string name = where(row, machine, collective);
    EXPECT_TRUE(split.lawful() && split.delivered) << name;
    EXPECT_EQ(split.metrics.rounds * collective.packet_bytes, volume) << name;
    if (machine.switching == Switching::store_and_forward) {
        EXPECT_EQ(split.metrics.path_sum, split.metrics.rounds) << name;
    }
}

TEST(ABundlesPackets, OneARoundAreLawfulWithoutCombiningInAsManyRoundsAsTheVolumeWas) {
    int compared = 0;
    int in_runs = 0;
    test::Sample sample(5);
    for_each_request([&](const Machine& machine, Collective collective) {
        for (const std::uint64_t packets : {1U, 3U}) {
            collective.packets_each = packets;
            for (const Algorithm* row : applicable(machine, collective, {})) {
                if (sample.leaves_out()) continue;
                const auto schedule = recorded(*row, machine, collective);
                if (!schedule) continue;
                expect_as_many_rounds_as_volume(*row, *schedule, machine, collective);
                ++compared;
                in_runs += row->in_runs ? 1 : 0;
            }
        }
    });
    EXPECT_GT(compared, test::under_sanitizer ? 400 : 2000);
    EXPECT_GT(in_runs, 0);
}

TEST(SchedulesWithoutCombining, AreLawfulAndCostTheSameOnMachinesThatCombine) {
    const int compared = for_each_whole_schedule(
        3, false,
        [](const Schedule& schedule, const Machine& single, const Collective& three, const std::string& name) {
            Machine combining = single;
            combining.combining = true;
            expect_the_same_counts(audit(schedule, single, three, false), audit(schedule, combining, three, false), 1,
                                   name);
        });
    EXPECT_GT(compared, 300 / share);
}

/// Patarasu, Yuan 2009: 2 M (N-1) / N is met where N divides M, as volume, so without combining as rounds.
TEST(AnAllreduceWithoutCombining, OfMSegmentsIsKnownToReachTwiceMTimesNLessOneOverNRounds) {
    Machine machine;
    machine.combining = false;
    for (const char* family : {"complete", "ring"})
        for (const std::uint64_t nodes : {3U, 4U, 6U, 8U})
            for (const std::uint64_t times : {1U, 2U, 3U}) {
                machine.topology = make_topology(fmt::format("{}:{}", family, nodes));
                Collective allreduce = Collective::allreduce(8);
                allreduce.packets_each = nodes * times;
                const Bound rounds = reached_bounds(machine, allreduce)[Quantity::rounds];
                EXPECT_EQ(rounds.largest(), static_cast<double>(2 * times * (nodes - 1)));
                EXPECT_EQ(rounds.reachable, Reachable::yes) << family << nodes << ": " << rounds.reachable_why;
            }
}

/// The trees that pack their packets best send single ones.
TEST(ABroadcastWithCombining, IsKnownToReachTheVolumeOfSinglePackets) {
    Machine machine;
    machine.topology = make_topology("cbt:2");
    Collective broadcast = Collective::broadcast(0, 8);
    broadcast.packets_each = 3;
    EXPECT_EQ(reached_bounds(machine, broadcast)[Quantity::volume].met_by, "farthest-first without combining");
}

/// The least volume of a machine that combines is the least number of rounds of one that does not: of both the same is known.
RC_GTEST_PROP(TheVolumeWithCombining, IsKnownToBeWhatTheRoundsWithoutAre, ()) {
    Machine machine = test::any_machine();
    Collective collective = test::any_collective(machine);
    collective.operation = *rc::gen::elementOf(operations());
    collective.packet_bytes = 1;
    collective.packets_each = *rc::gen::element<std::uint64_t>(1, 2, 7, 60);
    RC_PRE(!collective.signals());
    const Bound with = reached_bounds(machine, collective)[Quantity::volume];
    machine.combining = false;
    const Bounds without = reached_bounds(machine, collective);
    for (const Quantity quantity : {Quantity::rounds, Quantity::volume}) {
        RC_ASSERT(without[quantity].largest() == with.largest());
        RC_ASSERT(without[quantity].reachable == with.reachable);
        RC_ASSERT(without[quantity].least == with.least);
        RC_ASSERT(without[quantity].best_known == with.best_known);
    }
}

/// Equal bounds are known to be equally reachable, except for the schedule's name and best_known of a single packet.
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
        RC_ASSERT(of_many[quantity].largest() == of_one[quantity].largest());
        if (one.scans() && of_one[quantity].met_by.starts_with("gather-scatter")) continue;
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
