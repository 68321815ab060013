/// @file forwarding_test.cpp   A forwarding runs as cursors and as coroutines (node/forwarding.hpp): the report is the same.
#include <array>
#include <memory>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "emulator/base/dice.hpp"
#include "emulator/engine/lockstep.hpp"
#include "emulator/engine/partition.hpp"
#include "emulator/engine/world.hpp"
#include "emulator/node/forwarding.hpp"
#include "tests/engine/as_programs.hpp"

namespace kport {
namespace {

using test::report_of;

/// Recorded, and in small rounds, which no record allows.
void expect_cursors_forward_the_same(const Job& job) {
    test::expect_the_same_as_programs(job, {.recorded = true});
    test::expect_the_same_as_programs(job);
}

template <class Ports, class... Given>
Job broadcast_by(const Machine& machine, NodeId root, const Given&... given) {
    Job job;
    job.machine = machine;
    job.collective = Collective::broadcast(root, 24);
    job.program = PlanProgram(std::make_shared<Ports>(job.collective, given...));
    job.starters = {root};
    return job;
}

/// Each node sends by ports drawn for it: to whom the packet has come already, by one port twice, against others who send to
/// the same node, to nobody.
class DrawnPorts final : public Forwarding {
  public:
    DrawnPorts(const Collective& collective, const Topology& topology, std::uint64_t seed) : Forwarding(collective) {
        Dice dice(seed);
        for (NodeId v = 0; v < topology.nodes(); ++v) {
            std::vector<Port>& ports = ports_.emplace_back();
            for (Port p = 0; p < topology.ports(); ++p)
                if (topology.across(v, p).node != no_node && dice.below(3) != 0) ports.push_back(p);
        }
    }
    [[nodiscard]] Port first(NodeId v, Port in) const override { return after(v, 0, in); }
    [[nodiscard]] Port next(NodeId v, Port last) const override {
        std::size_t i = 0;
        while (ports_[v][i] != last) ++i;
        return i + 1 < ports_[v].size() ? ports_[v][i + 1] : no_port;
    }

  private:
    /// What is sent depends on the port by which the packet came.
    [[nodiscard]] Port after(NodeId v, std::size_t i, Port in) const {
        if (i < ports_[v].size() && ports_[v][i] == in) ++i;
        return i < ports_[v].size() ? ports_[v][i] : no_port;
    }
    std::vector<std::vector<Port>> ports_;
};

TEST(Forwarding, WhatBreaksRulesAndWaitsForPortsTellsTheSameAsPrograms) {
    std::size_t unlawful = 0;
    for (const char* spec : {"hypercube:3", "complete:6", "mesh:3x3", "torus:3x3", "ring:6", "petersen"})
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()})
            for (const Duplex duplex : {Duplex::full, Duplex::half})
                for (std::uint64_t seed = 1; seed <= 20; ++seed) {
                    Machine machine = test::machine(spec, ports);
                    machine.duplex = duplex;
                    const Job job = broadcast_by<DrawnPorts>(machine, seed % 6, *machine.topology, seed);
                    expect_cursors_forward_the_same(job);
                    unlawful += report_of(job, {}).find("NODUP") != std::string::npos ? 1 : 0;
                }
    EXPECT_GT(unlawful, 100U);
}

/// Two nodes send to the same third at once: by the lower one's message it knows by which port to go on.
TEST(Forwarding, OfTwoMessagesOfARoundTheLowestSendersIsReceived) {
    class BackToWhereItCame final : public Forwarding {
      public:
        using Forwarding::Forwarding;
        [[nodiscard]] Port first(NodeId v, Port in) const override { return v == 1 ? 1 : v == 3 ? in : 0; }
        [[nodiscard]] Port next(NodeId v, Port last) const override { return v == 0 && last == 0 ? 1 : no_port; }
    };
    const Job job = broadcast_by<BackToWhereItCame>(test::machine("hypercube:2", PortLimit::all()), 0);
    expect_cursors_forward_the_same(job);
    Schedule schedule;
    RunOptions options;
    options.recorded_schedule = &schedule;
    (void)run_lockstep(job, options);
    const Transfer last = schedule.transfer(schedule.size() - 1);
    EXPECT_EQ(last.from, 3U);
    EXPECT_EQ(last.to, 1U) << "node 1 is the lower of the two senders";
}

TEST(Forwarding, ANodeIsAMarkThatSaysWhetherThePacketHasComeAndItsSlotIsNotTouched) {
    const Machine machine = test::machine("line:4", PortLimit(1));
    const Collective collective = Collective::broadcast(0, 16);
    const Job job = make_job(algorithm_named("dost", machine, collective, {}), machine, collective, {});
    World world(job, {}, false);
    Partition all(world, 0);
    all.start_by_itself(0, 1);
    EXPECT_TRUE(world.holds_packet(0));
    EXPECT_FALSE(world.holds_packet(1));
    all.run(1);
    all.collect({&all}, nullptr);
    all.accept(1);
    all.clear_mail();
    world.rounds.close(1, std::array{0U});
    EXPECT_TRUE(world.holds_packet(1));
    EXPECT_FALSE(world.holds_packet(2));
    EXPECT_FALSE(world.slots[1].holds_bytes());
    EXPECT_EQ(world.slots[1].state(), Slot::State::idle);
    all.tear_down();
}

/// Node 1 receives again in the round in which node 3 receives: what came again does not say by which port node 3 goes on.
TEST(Forwarding, WhatComesAgainToANodeIsNotTakenForTheFirstOfAnother) {
    class ThereAndBack final : public Forwarding {
      public:
        using Forwarding::Forwarding;
        [[nodiscard]] Port first(NodeId v, Port in) const override { return v == 0 ? 0 : v == 3 ? in : 1; }
        [[nodiscard]] Port next(NodeId v, Port last) const override { return v == 1 && last == 1 ? 0 : no_port; }
    };
    const Job job = broadcast_by<ThereAndBack>(test::machine("hypercube:2", PortLimit::all()), 0);
    expect_cursors_forward_the_same(job);
}

TEST(Forwarding, AnErrorNamesTheLowestNodeOfTheEarliestRound) {
    class Fails final : public Forwarding {
      public:
        using Forwarding::Forwarding;
        [[nodiscard]] Port first(NodeId v, Port in) const override {
            if (v == 6 || v == 5) throw std::runtime_error("lost");
            return in == no_port ? 0 : in + 1 < 3 ? in + 1 : no_port;
        }
        [[nodiscard]] Port next(NodeId, Port last) const override { return last < 2 ? last + 1 : no_port; }
    };
    const Job job = broadcast_by<Fails>(test::machine("hypercube:3", PortLimit::all()), 0);
    expect_cursors_forward_the_same(job);
    EXPECT_NE(report_of(job, {}).find("node 5"), std::string::npos) << report_of(job, {});
}

TEST(Forwarding, APortThatIsNotThereIsTold) {
    class OffTheLine final : public Forwarding {
      public:
        using Forwarding::Forwarding;
        [[nodiscard]] Port first(NodeId, Port) const override { return 1; }
        [[nodiscard]] Port next(NodeId, Port last) const override { return last == 1 ? 7 : no_port; }
    };
    for (const PortLimit ports : {PortLimit(1), PortLimit::all()}) {
        const Job job = broadcast_by<OffTheLine>(test::machine("line:3", ports), 0);
        expect_cursors_forward_the_same(job);
        EXPECT_NE(report_of(job, {}).find("has no port 7"), std::string::npos) << report_of(job, {});
    }
}

}  // namespace
}  // namespace kport
