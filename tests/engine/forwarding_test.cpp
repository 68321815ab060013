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
#include "tests/engine/small_machines.hpp"
#include "tests/engine/whole_report.hpp"

namespace kport {
namespace {

std::string report_of(const Job& job, unsigned threads, NodeId partition_nodes) {
    Schedule schedule;
    RunOptions options;
    options.threads = threads;
    options.partition_nodes = partition_nodes;
    options.per_round = true;
    options.recorded_schedule = &schedule;
    try {
        return test::whole_report(run_lockstep(job, options), schedule, *job.machine.topology);
    } catch (const ProgramError& error) {
        return error.what();
    }
}

/// Nobody looks at the transfers, so that rounds may be small (engine/small_rounds.hpp).
std::string report_without_transfers(const Job& job, unsigned threads, NodeId partition_nodes, bool recorded) {
    Schedule schedule;
    RunOptions options;
    options.threads = threads;
    options.partition_nodes = partition_nodes;
    options.per_round = true;
    if (recorded) options.recorded_schedule = &schedule;
    try {
        return test::whole_report(run_lockstep(job, options), {}, *job.machine.topology);
    } catch (const ProgramError& error) {
        return error.what();
    }
}

/// The same job, whose program nobody knows as a forwarding.
Job as_coroutines(Job job) {
    job.program = [forward = std::move(job.program)](Node& self) { return forward(self); };
    return job;
}

/// With one partition and with several, and on two threads.
void expect_the_same_as_coroutines(const Job& job) {
    const std::string coroutines = report_of(as_coroutines(job), 1, partition_nodes_default);
    for (const NodeId partition_nodes : {partition_nodes_default, NodeId{1}, NodeId{2}})
        for (const unsigned threads : {1U, 2U})
            EXPECT_EQ(report_of(job, threads, partition_nodes), coroutines)
                << job.machine.topology->spec() << ", partitions of " << partition_nodes << ", threads " << threads;
    const std::string large = report_without_transfers(as_coroutines(job), 1, partition_nodes_default, true);
    for (const NodeId partition_nodes : {partition_nodes_default, NodeId{1}, NodeId{2}})
        EXPECT_EQ(report_without_transfers(job, 1, partition_nodes, false), large)
            << job.machine.topology->spec() << ", partitions of " << partition_nodes << ", small rounds";
}

Job broadcast_by(std::shared_ptr<const Forwarding> forwarding, const Machine& machine, NodeId root) {
    Job job;
    job.machine = machine;
    job.collective = Collective::broadcast(root, 24);
    job.program = ForwardingProgram(std::move(forwarding), machine.combining);
    job.starters = {root};
    return job;
}

TEST(Forwarding, EveryRowOfTheCatalogueTellsTheSameAsCoroutines) {
    std::size_t forwardings = 0;
    for (const Machine& machine : test::small_machines())
        for (const Algorithm& algorithm : catalogue())
            for (const std::uint64_t packets : {1U, 3U}) {
                Collective collective = Collective::broadcast(2, 16);
                collective.packets_each = packets;
                if (algorithm.forward != Operation::broadcast || algorithm.misfit(machine, collective, {})) continue;
                const Job job = make_job(algorithm, machine, collective, {});
                const bool forwards = job.program.target<ForwardingProgram>() != nullptr;
                if (packets == 1 && algorithm.way == Way::program) {
                    EXPECT_EQ(algorithm.forwards, forwards) << algorithm.name << ": admission asks the row";
                }
                if (!forwards) continue;
                ++forwardings;
                expect_the_same_as_coroutines(job);
            }
    EXPECT_GT(forwardings, 100U);
}

/// Each node sends by ports drawn for it: to whom the packet has come already, by one port twice, against others who send to
/// the same node, to nobody.
class DrawnPorts final : public Forwarding {
  public:
    DrawnPorts(const Topology& topology, std::uint64_t seed) {
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

TEST(Forwarding, WhatBreaksRulesAndWaitsForPortsTellsTheSameAsCoroutines) {
    std::size_t unlawful = 0;
    for (const char* spec : {"hypercube:3", "complete:6", "mesh:3x3", "torus:3x3", "ring:6", "petersen"})
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()})
            for (const Duplex duplex : {Duplex::full, Duplex::half})
                for (std::uint64_t seed = 1; seed <= 20; ++seed) {
                    Machine machine = test::machine(spec, ports);
                    machine.duplex = duplex;
                    const Job job =
                        broadcast_by(std::make_shared<DrawnPorts>(*machine.topology, seed), machine, seed % 6);
                    expect_the_same_as_coroutines(job);
                    unlawful += report_of(job, 1, 1).find("NODUP") != std::string::npos ? 1 : 0;
                }
    EXPECT_GT(unlawful, 100U);
}

/// Two nodes send to the same third at once: by the lower one's message it knows by which port to go on.
TEST(Forwarding, OfTwoMessagesOfARoundTheLowestSendersIsReceived) {
    class AwayFromWhereItCame final : public Forwarding {
      public:
        [[nodiscard]] Port first(NodeId v, Port in) const override { return v == 0 ? 0 : v == 3 ? in : no_port; }
        [[nodiscard]] Port next(NodeId v, Port last) const override { return v == 0 && last == 0 ? 1 : no_port; }
    };
    class AlsoToThree final : public Forwarding {
      public:
        [[nodiscard]] Port first(NodeId v, Port in) const override {
            return v == 1 ? 1 : v == 2 ? 0 : away_.first(v, in);
        }
        [[nodiscard]] Port next(NodeId v, Port last) const override { return away_.next(v, last); }

      private:
        AwayFromWhereItCame away_;
    };
    const Job job = broadcast_by(std::make_shared<AlsoToThree>(), test::machine("hypercube:2", PortLimit::all()), 0);
    expect_the_same_as_coroutines(job);
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
        [[nodiscard]] Port first(NodeId v, Port in) const override { return v == 0 ? 0 : v == 3 ? in : 1; }
        [[nodiscard]] Port next(NodeId v, Port last) const override { return v == 1 && last == 1 ? 0 : no_port; }
    };
    const Job job = broadcast_by(std::make_shared<ThereAndBack>(), test::machine("hypercube:2", PortLimit::all()), 0);
    expect_the_same_as_coroutines(job);
}

TEST(Forwarding, AnErrorNamesTheLowestNodeOfTheEarliestRound) {
    class Fails final : public Forwarding {
      public:
        [[nodiscard]] Port first(NodeId v, Port in) const override {
            if (v == 6 || v == 5) throw std::runtime_error("lost");
            return in == no_port ? 0 : in + 1 < 3 ? in + 1 : no_port;
        }
        [[nodiscard]] Port next(NodeId, Port last) const override { return last < 2 ? last + 1 : no_port; }
    };
    const Job job = broadcast_by(std::make_shared<Fails>(), test::machine("hypercube:3", PortLimit::all()), 0);
    expect_the_same_as_coroutines(job);
    EXPECT_NE(report_of(job, 1, 1).find("node 5"), std::string::npos) << report_of(job, 1, 1);
}

TEST(Forwarding, APortThatIsNotThereIsTold) {
    class OffTheLine final : public Forwarding {
      public:
        [[nodiscard]] Port first(NodeId, Port) const override { return 1; }
        [[nodiscard]] Port next(NodeId, Port last) const override { return last == 1 ? 7 : no_port; }
    };
    for (const PortLimit ports : {PortLimit(1), PortLimit::all()}) {
        const Job job = broadcast_by(std::make_shared<OffTheLine>(), test::machine("line:3", ports), 0);
        expect_the_same_as_coroutines(job);
        EXPECT_NE(report_of(job, 1, 1).find("has no port 7"), std::string::npos) << report_of(job, 1, 1);
    }
}

}  // namespace
}  // namespace kport
