/// @file splitting_test.cpp   A splitting runs as cursors and as programs (node/splitting.hpp): the report is the same.
#include <array>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "emulator/base/dice.hpp"
#include "emulator/engine/lockstep.hpp"
#include "emulator/engine/partition.hpp"
#include "emulator/engine/world.hpp"
#include "emulator/node/splitting.hpp"
#include "emulator/topology/hypercube.hpp"
#include "tests/engine/as_programs.hpp"

namespace kport {
namespace {

using test::as_programs;
using test::expect_the_same_however_it_ends;
using test::kept_by;

const Collective scattered = Collective::scatter(0, 24);

Job scatter_by(std::shared_ptr<const Splitting> splitting, const Machine& machine) {
    Job job;
    job.machine = machine;
    job.collective = scattered;
    job.program = PlanProgram(std::move(splitting));
    job.starters = {0};
    return job;
}

Job scatter_sbt(const Machine& machine, NodeId root = 0) {
    const Collective collective = Collective::scatter(root, 24);
    return make_job(algorithm_named("sbt", machine, collective, {}), machine, collective, {});
}

/// Down the binomial tree of hypercube:3, but for one node, which does something else.
class BesideTheTree final : public Splitting {
  public:
    enum class Kind : std::uint8_t {
        owns,       ///< passes its own packet on, too
        nothing,    ///< nothing
        no_packet,  ///< what is no packet
        twice,      ///< all packets of half the nodes, by each port
        unheld,     ///< its neighbour's packet, too
        back,       ///< the last packet to whom it comes from
        low,        ///< the last packet by port 0 first
        wild,       ///< by a port that is not there, too
        fails,      ///< it throws when it is to say what
        lost        ///< and by which port first
    };
    static constexpr std::array kinds{Kind::owns, Kind::nothing, Kind::no_packet, Kind::twice, Kind::unheld,
                                      Kind::back, Kind::low,     Kind::wild,      Kind::fails, Kind::lost};

    BesideTheTree(NodeId odd, Kind kind) : Splitting(scattered), odd_(odd), kind_(kind) {}

    [[nodiscard]] Port first(NodeId v, Port in) const override {
        if (v == odd_ && kind_ == Kind::lost) throw std::runtime_error("lost");
        if (v == odd_ && kind_ == Kind::low) return 0;
        if (v == odd_ && kind_ == Kind::back && in != no_port) return in;
        return in == no_port ? 0 : behind(in);
    }
    [[nodiscard]] Port next(NodeId v, Port last) const override {
        if (v == odd_ && kind_ == Kind::wild) return last == wild ? no_port : wild;
        if (v == odd_ && kind_ == Kind::back) return no_port;
        return behind(last);
    }
    [[nodiscard]] PacketSet part(NodeId v, Port out) const override {
        const Port dimension = out % dimensions;
        const NodeId stride = NodeId{2} << dimension;
        PacketSet part = every((v ^ NodeId{1} << dimension) % stride, stride);
        if (v != odd_) return part;
        switch (kind_) {
            case Kind::owns: part.add(every(v, nodes)); break;
            case Kind::nothing: return {};
            case Kind::no_packet: return every(nodes, nodes);
            case Kind::twice: return every(v % 2, 2);
            case Kind::unheld: part.include(every(v ^ 1, nodes).blocks()); break;
            case Kind::back:
            case Kind::low: return out < 2 ? every(v ^ 4, nodes) : part;
            case Kind::fails:
                if (out > 0) throw std::runtime_error("fails");  // a program asks before the port is free
                break;
            default: break;
        }
        return part;
    }

  private:
    static constexpr NodeId nodes = 8;
    static constexpr Port dimensions = 3;
    static constexpr Port wild = 99;
    [[nodiscard]] static Port behind(Port port) { return port + 1 < dimensions ? port + 1 : no_port; }
    /// The packets for every stride-th node.
    [[nodiscard]] static PacketSet every(NodeId first, NodeId stride) {
        return PacketBlock{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(stride),
                           static_cast<std::uint32_t>(std::max<NodeId>(1, nodes / stride))};
    }

    NodeId odd_;
    Kind kind_;
};

TEST(Splitting, WhatBreaksRulesOrFailsTellsTheSameAsPrograms) {
    std::size_t unlawful = 0;
    std::size_t failed = 0;
    for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()})
        for (const bool combining : {true, false})
            for (const BesideTheTree::Kind kind : BesideTheTree::kinds)
                for (NodeId odd = 0; odd < 8; ++odd) {
                    Machine machine = test::machine("hypercube:3", ports);
                    machine.combining = combining;
                    const Job job = scatter_by(std::make_shared<BesideTheTree>(odd, kind), machine);
                    expect_the_same_however_it_ends(job);
                    const std::string report = test::report_of(job, {});
                    failed += report.starts_with("node ") ? 1 : 0;
                    unlawful += report.find("delivery broken") != std::string::npos ? 1 : 0;
                }
    EXPECT_GT(unlawful, 100U);
    EXPECT_GT(failed, 50U);
}

/// Nodes 0 and 2 send to node 3, with one port both in round 3, so that one of them waits; with all ports one after the other.
class TwoToThree final : public Splitting {
  public:
    explicit TwoToThree(const Topology& topology) : Splitting(scattered), topology_(topology) {}
    [[nodiscard]] Port first(NodeId v, Port) const override {
        return v == 0 ? topology_.port_to(0, 1) : v == 2 ? topology_.port_to(2, 3) : no_port;
    }
    [[nodiscard]] Port next(NodeId v, Port last) const override {
        const NodeId to = topology_.across(v, last).node;
        return v == 0 && to < 3 ? topology_.port_to(0, to + 1) : no_port;
    }
    [[nodiscard]] PacketSet part(NodeId v, Port out) const override {
        if (v == 2) return PacketBlock{3};
        switch (topology_.across(v, out).node) {
            case 1: return PacketBlock{1};
            case 2: return PacketBlock{2, 1, 2};
            default: return PacketBlock{4};
        }
    }

  private:
    const Topology& topology_;
};

TEST(Splitting, ClaimsThatCompeteAndWhatComesLaterTellTheSameAsPrograms) {
    for (const PortLimit ports : {PortLimit(1), PortLimit::all()})
        for (const Policy policy : {Policy::queue, Policy::strict}) {
            Machine machine = test::machine("complete:5", ports);
            machine.policy = policy;
            const Job job = scatter_by(std::make_shared<TwoToThree>(*machine.topology), machine);
            expect_the_same_however_it_ends(job);
            EXPECT_EQ(kept_by(job), kept_by(as_programs(job)));
            const bool waits = ports.k() == 1 && policy == Policy::strict;
            const std::string report = test::report_of(job, {});
            EXPECT_EQ(report.find("would") != std::string::npos, waits) << report;
        }
}

/// No node is alive, or has noted what it passed on, and yet all packets come.
TEST(Splitting, ANodeIsACursorAndHasNoProgram) {
    const Machine machine = test::machine("hypercube:2", PortLimit(1));
    const Job job = scatter_sbt(machine);
    World world(job, {}, true);
    ASSERT_NE(world.splitting, nullptr);
    Partition all(world, 0);
    all.start_by_itself(0, 1);
    for (const Round round : {1U, 2U}) {
        EXPECT_TRUE(all.busy(round));
        all.run(round);
        for (NodeId v = 0; v < machine.topology->nodes(); ++v)
            EXPECT_EQ(world.slots[v].state(), Slot::State::idle) << "node " << v;
        all.collect({&all}, nullptr);
        all.hand_over_mail();
        all.accept(round);
        all.clear_mail();
        world.rounds.close(round, std::array{0U});
    }
    EXPECT_FALSE(world.is_left());
    for (NodeId v = 1; v < machine.topology->nodes(); ++v) {
        const PacketBlock own{static_cast<std::uint32_t>(v)};
        EXPECT_TRUE(world.store->holds(v, {&own, 1})) << "node " << v;
    }
    all.tear_down();
}

/// Every node is asked once by which port it passes on first: nobody asks again with programs.
TEST(Splitting, ALawfulRunIsNotBegunAnew) {
    class Counted final : public Splitting {
      public:
        Counted() : Splitting(scattered) {}
        [[nodiscard]] Port first(NodeId v, Port in) const override {
            ++asked;
            return tree_.first(v, in);
        }
        [[nodiscard]] Port next(NodeId v, Port last) const override { return tree_.next(v, last); }
        [[nodiscard]] PacketSet part(NodeId v, Port out) const override { return tree_.part(v, out); }

        mutable std::atomic<unsigned> asked = 0;

      private:
        BesideTheTree tree_{no_node, BesideTheTree::Kind::fails};
    };
    for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()})
        for (const bool small_rounds : {true, false})
            for (const unsigned threads : {1U, 2U}) {
                const auto counted = std::make_shared<Counted>();
                const Job job = scatter_by(counted, test::machine("hypercube:3", ports));
                (void)test::report_of(job, {.threads = threads, .partition_nodes = 1, .small_rounds = small_rounds});
                EXPECT_EQ(counted->asked, 8U) << "small rounds " << small_rounds << ", threads " << threads;
            }
}

/// Somebody looks at the transfers, or the rules ask for more than a cursor is: nodes have programs.
TEST(Splitting, ServesOnlyWhereNothingButALawfulRunShows) {
    const auto serves = [](const Job& job, const RunOptions& options) {
        return World(job, options, true).splitting != nullptr;
    };
    const Machine machine = test::machine("hypercube:3", PortLimit(1));
    const Job job = scatter_sbt(machine);
    EXPECT_TRUE(serves(job, {}));
    EXPECT_EQ(World(job, {}, false).splitting, nullptr) << "the run has been left";
    Schedule schedule;
    RunOptions recorded;
    recorded.recorded_schedule = &schedule;
    EXPECT_FALSE(serves(job, recorded));
    EXPECT_FALSE(serves(scatter_sbt(test::half_duplex(machine)), {}));
    EXPECT_FALSE(serves(scatter_sbt(test::wormhole(machine)), {}));
    EXPECT_FALSE(serves(as_programs(job), {}));
}

}  // namespace
}  // namespace kport
