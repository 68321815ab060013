/// @file timetable_test.cpp   What a timetable is asked, and where nodes go in step; a packet of several moves by its number and in a
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
#include "emulator/engine/job.hpp"
#include "emulator/engine/world.hpp"
#include "tests/engine/as_programs.hpp"
#include "tests/engine/drawn_timetable.hpp"
#include "tests/engine/small_machines.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

std::string recorded_report_of(const Job& job) { return test::report_of(job, {.recorded = true}); }

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
