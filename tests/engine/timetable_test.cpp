/// @file timetable_test.cpp   A timetable runs as cursors and as coroutines, and a packet of several moves by its number and in a
///                            body: the report is the same.
#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "emulator/engine/lockstep.hpp"
#include "emulator/engine/world.hpp"
#include "tests/engine/as_programs.hpp"
#include "tests/engine/drawn_timetable.hpp"
#include "tests/engine/small_machines.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

std::string recorded_report_of(const Job& job) { return test::report_of(job, {.recorded = true}); }

/// Recorded, and by a brief auditor, which no record needs.
void expect_cursors_tell_the_same(const Job& job) {
    test::expect_the_same_as_programs(job, {.recorded = true, .in_bodies = true});
    test::expect_the_same_as_programs(job);
}

TEST(Timetable, WhatBreaksRulesAndWaitsTellsTheSameAsProgramsWithBodies) {
    std::size_t lawful = 0;
    std::size_t again = 0;
    std::size_t unheld = 0;
    std::size_t waiting = 0;
    std::size_t wrong_bytes = 0;
    std::uint64_t seed = 0;
    for (const char* spec : {"hypercube:3", "complete:6", "mesh:3x3", "ring:6", "petersen"})
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()})
            for (const Duplex duplex : {Duplex::full, Duplex::half})
                for (std::uint64_t i = 0; i < 12; ++i) {
                    ++seed;
                    Machine machine = test::machine(spec, ports);
                    machine.duplex = duplex;
                    if (seed % 5 == 0) machine.policy = Policy::strict;
                    if (seed % 7 == 0) machine.noho = Noho::strict;
                    const std::uint64_t packets = seed % 4 == 0 ? 1 : seed % 4 == 1 ? 100 : 4;
                    const NodeId root = seed % 6;
                    const double wrong = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 0.03 : 0.2;
                    Job job = test::broadcast_by(
                        std::make_shared<test::DrawnTimetable>(*machine.topology, packets, root, wrong, seed), machine,
                        root, packets);
                    job.payload = seed % 8 != 0;
                    expect_cursors_tell_the_same(job);
                    const std::string report = recorded_report_of(job);
                    const auto tells = [&](Breach breach) -> std::size_t {
                        const std::string mark = fmt::format(" [{} ", static_cast<int>(breach));
                        return report.find(mark) != std::string::npos ? 1U : 0U;
                    };
                    lawful += wrong == 0 ? 1 : 0;
                    again += tells(Breach::received_again);
                    unheld += tells(Breach::sent_unheld);
                    waiting += tells(Breach::waits_for_ever);
                    wrong_bytes += tells(Breach::payload_differs);
                    if (HasFailure()) return;
                }
    EXPECT_GT(lawful, 50U);
    EXPECT_GT(again, 30U);
    EXPECT_GT(unheld, 50U);
    EXPECT_GT(waiting, 50U);
    EXPECT_GT(wrong_bytes, 20U);
}

/// One line for each node, in round 1.
class OneLineEach final : public Timetable {
  public:
    explicit OneLineEach(std::vector<TimetableLine> lines) : lines_(std::move(lines)) {}
    [[nodiscard]] Round first(NodeId) const override { return 1; }
    [[nodiscard]] Round last(NodeId) const override { return 1; }
    [[nodiscard]] TimetableLine line(NodeId v, Round) const override { return lines_[v]; }

  private:
    std::vector<TimetableLine> lines_;
};

TEST(Timetable, ATargetOrAPacketThatIsNotThereIsTold) {
    const auto tells = [](const TimetableLine& line, std::uint64_t packets, const char* text) {
        const Machine machine = test::machine("line:4", PortLimit(1));
        const Job job = test::broadcast_by(std::make_shared<OneLineEach>(std::vector(4, line)), machine, 1, packets);
        expect_cursors_tell_the_same(job);
        EXPECT_THAT(recorded_report_of(job), testing::HasSubstr(text));
    };
    for (const std::uint64_t packets : {1U, 3U}) {
        tells({.to = 3}, packets, "node 3 is no neighbour of node 1");
        tells({.to = 1}, packets, "node 1 cannot send to node 1");
        tells({.to = 4}, packets, "node 1 cannot send to node 4");
        tells({.to = 2, .packet = 3}, packets, "node 1 sends a message that names packet 3");
        tells({.from = 4}, packets, "waits for");
        tells({.from = no_node - 1}, packets, "waits for");
    }
}

TEST(Timetable, AnErrorNamesTheLowestNodeOfTheEarliestRound) {
    class Fails final : public Timetable {
      public:
        [[nodiscard]] Round first(NodeId) const override { return 1; }
        [[nodiscard]] Round last(NodeId) const override { return 8; }
        [[nodiscard]] TimetableLine line(NodeId v, Round round) const override {
            if (round >= 3 && (v == 2 || v == 1)) throw std::runtime_error("lost");
            if (round > 3) return {};
            const NodeId partner = v ^ (NodeId{1} << (round - 1));
            return v < partner ? TimetableLine{.to = partner} : TimetableLine{.from = partner};
        }
    };
    const Job job = test::broadcast_by(std::make_shared<Fails>(), test::machine("hypercube:3", PortLimit(1)), 0, 2);
    expect_cursors_tell_the_same(job);
    EXPECT_THAT(recorded_report_of(job), testing::HasSubstr("node 1"));
}

/// What a run asks a timetable for.
struct Questions {
    std::atomic<unsigned> runs = 0;  ///< node 0's first line, which it does in round 1: once in each run
    std::atomic<std::uint64_t> lines = 0;
};

class CountsQuestions final : public Timetable {
  public:
    CountsQuestions(std::shared_ptr<const Timetable> same, std::shared_ptr<Questions> asked)
        : same_(std::move(same)), asked_(std::move(asked)) {}
    [[nodiscard]] Round first(NodeId v) const override { return same_->first(v); }
    [[nodiscard]] Round last(NodeId v) const override { return same_->last(v); }
    [[nodiscard]] Round next(NodeId v, Round round) const override { return same_->next(v, round); }
    [[nodiscard]] TimetableLine line(NodeId v, Round round) const override {
        ++asked_->lines;
        if (v == 0 && round == 1) ++asked_->runs;
        return same_->line(v, round);
    }

  private:
    std::shared_ptr<const Timetable> same_;
    std::shared_ptr<Questions> asked_;
};

std::shared_ptr<const Timetable> timetable_of(const Job& job) {
    const auto* program = job.program.target<PlanProgram>();
    return program == nullptr ? nullptr : std::dynamic_pointer_cast<const Timetable>(program->plan());
}

TEST(Timetable, HasNoLineInARoundThatItSkips) {
    std::size_t lines = 0;
    for (const Machine& machine : test::small_machines())
        for (const Algorithm& algorithm : catalogue())
            for (const std::uint64_t packets : {1U, 2U, 9U}) {
                Collective collective = Collective::broadcast(2, 8);
                collective.packets_each = packets;
                if (algorithm.forward != Operation::broadcast || algorithm.misfit(machine, collective, {})) continue;
                const auto timetable = timetable_of(make_job(algorithm, machine, collective, {}));
                for (NodeId v = 0; timetable && v < machine.topology->nodes(); ++v)
                    for (Round round = 1; round <= timetable->last(v); ++round) {
                        const TimetableLine line = timetable->line(v, round);
                        if (line.to == no_node && line.from == no_node) continue;
                        ++lines;
                        EXPECT_EQ(timetable->next(v, round), round)
                            << algorithm.name << " on " << machine.topology->spec() << ", node " << v;
                    }
            }
    EXPECT_GT(lines, 1000U);
}

TEST(Timetable, ANodeIsAskedForItsLinesAloneHoweverLongItIsIdle) {
    for (const char* name : {"alternating", "chain"}) {
        const Machine machine = test::machine("ring:512", PortLimit(1));
        Collective collective = Collective::broadcast(3, 8);
        collective.packets_each = 2;
        const Algorithm& row = algorithm_named(name, machine, collective, {});
        for (const bool by_programs : {false, true}) {
            Job job = make_job(row, machine, collective, {});
            const auto asked = std::make_shared<Questions>();
            job.program = PlanProgram(std::make_shared<CountsQuestions>(timetable_of(job), asked));
            const Verdict verdict = run_lockstep(by_programs ? test::as_programs(job) : job, {}).verdict;
            EXPECT_TRUE(verdict.lawful());
            EXPECT_LE(asked->lines, 8 * verdict.metrics.work) << name;
        }
    }
}

TEST(ABriefAudit, BeginsAnewWhereARuleIsBroken) {
    std::size_t run_once = 0;
    std::size_t broken = 0;
    std::size_t in_step = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        const Machine machine = test::machine(seed % 2 == 0 ? "hypercube:3" : "mesh:3x3", PortLimit(1));
        constexpr std::uint64_t packets = 6;
        const auto asked = std::make_shared<Questions>();
        const auto drawn =
            std::make_shared<test::DrawnTimetable>(*machine.topology, packets, 0, seed % 3 == 0 ? 0 : 0.02, seed);
        const Job job = test::broadcast_by(std::make_shared<CountsQuestions>(drawn, asked), machine, 0, packets);
        const World world(job, {}, true);
        ASSERT_TRUE(world.brief);
        in_step += world.last_line != 0 ? 1 : 0;
        const Verdict brief = run_lockstep(job, {}).verdict;
        const unsigned begun = asked->runs;
        Schedule schedule;
        RunOptions recorded;
        recorded.recorded_schedule = &schedule;
        const Verdict whole = run_lockstep(job, recorded).verdict;
        EXPECT_EQ(test::text(brief, *machine.topology), test::text(whole, *machine.topology));
        const bool comes_once = whole.kept(Rule::nodup) && whole.kept(Rule::noho);
        EXPECT_LE(begun, 3U);
        if (!comes_once && drawn->first(0) == 1) {
            EXPECT_EQ(begun, 3U) << "attempted again before its programs run, seed " << seed;
        }
        broken += comes_once ? 0 : 1;
        run_once += begun == 1 ? 1 : 0;
    }
    EXPECT_GT(run_once, 50U);
    EXPECT_GT(broken, 20U);
    EXPECT_GT(in_step, 50U);
}

TEST(InStep, GoNodesWithoutMailWhileTheirLinesFitTogether) {
    const auto runs_of = [](const char* name, const char* spec, std::uint64_t packets) {
        const Machine machine = test::machine(spec, PortLimit(1));
        Collective collective = Collective::broadcast(0, 8);
        collective.packets_each = packets;
        const Algorithm& row = algorithm_named(name, machine, collective, {});
        Job job = make_job(row, machine, collective, {});
        const auto asked = std::make_shared<Questions>();
        job.program = PlanProgram(std::make_shared<CountsQuestions>(timetable_of(job), asked));
        const World world(job, {}, true);
        const bool in_step = world.last_line != 0;
        const auto stand_apart = world.store->bytes(1, 0).data() - world.store->bytes(0, 0).data();
        EXPECT_EQ(stand_apart, in_step ? 8 : 8 * static_cast<std::ptrdiff_t>(packets))
            << "what neighbours get in a round is close";
        EXPECT_TRUE(run_lockstep(job, {}).verdict.lawful());
        return std::pair(in_step, asked->runs.load());
    };
    const std::pair in_step(true, 1U);
    const std::pair by_cursors(false, 1U);
    EXPECT_EQ(runs_of("msbt", "hypercube:5", 16), in_step);
    EXPECT_EQ(runs_of("msbt", "hypercube:5", 2), by_cursors) << "most nodes have nothing to do in most rounds";
    EXPECT_EQ(runs_of("chain", "ring:16", 64), in_step);
    EXPECT_EQ(runs_of("chain", "ring:64", 4), by_cursors);
    EXPECT_EQ(runs_of("alternating", "ring:16", 64), in_step);
}

TEST(ABriefAudit, IsForRunsOfWhichNobodySeesThatTheyBeginAnew) {
    const Machine machine = test::machine("hypercube:3", PortLimit(1));
    const auto drawn = std::make_shared<test::DrawnTimetable>(*machine.topology, 4, 0, 0, 1);
    const auto is_brief = [&](const auto& change) {
        Job job = test::broadcast_by(drawn, machine, 0, 4);
        RunOptions options;
        change(job, options);
        return World(job, options, true).brief;
    };
    const auto as_it_is = [](Job&, RunOptions&) {};
    EXPECT_TRUE(is_brief(as_it_is));
    EXPECT_TRUE(is_brief([](Job& job, RunOptions&) { job.payload = false; }));
    EXPECT_FALSE(World(test::broadcast_by(drawn, machine, 0, 4), {}, false).brief) << "the second time";
    EXPECT_FALSE(is_brief([](Job& job, RunOptions&) { job = test::as_programs(job); }));
    EXPECT_FALSE(is_brief([](Job& job, RunOptions&) { job.collective.packet_bytes = 0; })) << "nothing shows what came";
    EXPECT_FALSE(is_brief([](Job& job, RunOptions&) { job.collective.packets_each = 1; }));
    EXPECT_FALSE(is_brief([](Job& job, RunOptions&) { job.machine.ports = PortLimit(2); }));
    EXPECT_FALSE(is_brief([](Job& job, RunOptions&) { job.machine.duplex = Duplex::half; }));
    EXPECT_FALSE(is_brief([](Job& job, RunOptions&) { job.machine.noho = Noho::strict; }));
    Schedule schedule;
    EXPECT_FALSE(is_brief([&](Job&, RunOptions& options) { options.recorded_schedule = &schedule; }));
}

TEST(ABriefAudit, OfARunThatIsStoppedTellsTheSame) {
    for (const double wrong : {0.0, 0.1})
        for (std::uint64_t seed = 1; seed <= 20; ++seed)
            for (const Round round : {1U, 2U, 4U, 7U}) {
                const Machine machine = test::machine("hypercube:3", PortLimit(1));
                const Job job = test::broadcast_by(
                    std::make_shared<test::DrawnTimetable>(*machine.topology, 4, 0, wrong, seed), machine, 0, 4);
                test::expect_the_same_as_programs(job, {.last_round = round});
                test::expect_the_same_as_programs(job, {.max_rounds = round});
            }
}

TEST(PacketsByNumber, OfEveryRowOfTheCatalogueMoveAsInBodies) {
    for (const Machine& machine : test::small_machines())
        for (const Algorithm& algorithm : catalogue()) {
            Collective collective = Collective::broadcast(2, 16);
            collective.packets_each = 7;
            if (algorithm.forward != Operation::broadcast || algorithm.misfit(machine, collective, {})) continue;
            const Job job = make_job(algorithm, machine, collective, {});
            EXPECT_EQ(recorded_report_of(job), test::report_of(job, {.recorded = true, .in_bodies = true}))
                << algorithm.name << " " << machine.describe();
        }
}

/// Programs of a user's own: a packet alone, and one that names a set of one.
TEST(PacketsByNumber, ASetOfOnePacketMovesAsThePacketDoes) {
    const auto job = [](bool as_sets) {
        Job along_ring;
        along_ring.machine = test::machine("ring:5", PortLimit(1));
        along_ring.collective = Collective::broadcast(0, 8);
        along_ring.collective.packets_each = 70;
        along_ring.starters = {0};
        along_ring.program = [as_sets](Node& self) -> Program {
            return [](Node& node, bool sets) -> Program {
                for (PacketId packet = 0; packet < 70; ++packet) {
                    PacketSet came = PacketSet::range(packet, packet + 1);
                    if (node.id() != 0) {
                        const Arrival arrival = co_await node.receive();
                        came = arrival.packets();
                        if (arrival.packet() != Packet(packet)) throw std::runtime_error("another packet");
                    }
                    if (came.blocks().size() != 1) throw std::runtime_error("not one packet");
                    if (node.id() == 4) continue;
                    if (sets)
                        co_await node.send_to(node.id() + 1, came);
                    else
                        co_await node.send_to(node.id() + 1, Packet(packet));
                }
            }(self, as_sets);
        };
        return along_ring;
    };
    const std::string report = recorded_report_of(job(false));
    EXPECT_THAT(report, testing::HasSubstr("holders 5 delivered true"));
    EXPECT_EQ(recorded_report_of(job(true)), report);
    EXPECT_EQ(test::report_of(job(true), {.recorded = true, .in_bodies = true}), report);
}

}  // namespace
}  // namespace kport
