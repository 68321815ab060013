/// @file refused_runs_test.cpp   What callers give wrong: requests that cannot be, graphs of their own that are not what they say. Each is
///                               refused or named, and nothing ends in an abort.
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/audit/auditor.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/lockstep.hpp"
#include "emulator/node/exchange.hpp"
#include "emulator/node/forwarding.hpp"
#include "emulator/node/relay.hpp"
#include "emulator/node/splitting.hpp"
#include "emulator/node/timetable.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

/// Why the run of a job ends; nothing where it does not fail.
std::string error_of(const Job& job) {
    try {
        (void)run_lockstep(job, {});
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

TEST(ARecordedRun, ReplacesWhatTheScheduleHeldBefore) {
    Job job;
    job.machine = test::machine("line:3");
    job.collective = Collective::broadcast(0, 8);
    job.starters = {0};
    class Right final : public Forwarding {
      public:
        [[nodiscard]] Port first(NodeId v, Port) const override { return v < 2 ? test::rightwards : no_port; }
        [[nodiscard]] Port next(NodeId, Port) const override { return no_port; }
    };
    job.program = ForwardingProgram(std::make_shared<Right>(), false);
    Schedule schedule;
    RunOptions options;
    options.recorded_schedule = &schedule;
    for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free, EngineKind::lockstep}) {
        options.engine = engine;
        (void)run(job, options);
        EXPECT_EQ(schedule.size(), 2U);
    }
}

TEST(ASchedule, WhoseRoundsGoBackIsRefused) {
    const Port port = 0;
    const PacketBlock packet{0};
    const Transfer transfer{0, 1, {&port, 1}, {&packet, 1}};
    Schedule schedule;
    schedule.add(3, transfer);
    EXPECT_THROW(schedule.add(2, transfer), RequestError);
    EXPECT_EQ(schedule.size(), 1U);
    schedule.add_silent(4, 2);
    EXPECT_THROW(schedule.add_silent(5, 1), RequestError);
}

TEST(AnAuditor, OfARootThatIsNoNodeIsRefused) {
    const Machine machine = test::machine("line:3");
    EXPECT_THROW(Auditor(machine, Collective::broadcast(3, 8), 1, false), RequestError);
    EXPECT_THROW(Auditor(machine, Collective::broadcast(0, 8), 1, false, 10, {}, true, true), RequestError)
        << "one packet is not audited briefly";
}

TEST(ARun, OfWhichAnOptionCannotBeIsRefused) {
    Job job;
    job.machine = test::machine("line:3");
    job.collective = Collective::scatter(0, 8);
    job.starters = {0};
    job.program = [](Node&) -> Program { co_return; };
    Sabotage harmless(Fault::corrupt);
    const auto refuses = [&](const auto& change) {
        Job changed = job;
        RunOptions options;
        change(changed, options);
        EXPECT_THROW((void)run_lockstep(changed, options), RequestError);
    };
    refuses([](Job&, RunOptions& options) { options.partition_nodes = 0; });
    refuses([](Job&, RunOptions& options) { options.partition_nodes = ~NodeId{0}; });
    refuses([&](Job&, RunOptions& options) {
        options.sabotage = &harmless;
        options.threads = 2;
    });
    refuses([](Job& changed, RunOptions&) {
        auto brought = std::make_shared<Holdings>();
        brought->of_node.resize(3);
        brought->of_node[0].packets = PacketSet::range(0, 3);
        brought->of_node[0].bytes.resize(16);
        changed.brought = brought;
    });
}

TEST(AProgramOfAText, WithoutATextIsRefused) {
    EXPECT_THROW(ForwardingProgram(nullptr, false), RequestError);
    EXPECT_THROW(SplittingProgram(nullptr), RequestError);
    EXPECT_THROW(TimetableProgram(nullptr), RequestError);
    EXPECT_THROW(ExchangeProgram(nullptr), RequestError);
    EXPECT_THROW(RelayProgram(nullptr), RequestError);
}

/// A graph of a user's own that is not what it says.
class OwnGraph : public Topology {
  public:
    OwnGraph(NodeId nodes, Port ports, std::function<LinkEnd(NodeId, Port)> across)
        : Topology("own", nodes, ports), across_(std::move(across)) {}
    [[nodiscard]] LinkEnd across(NodeId v, Port p) const override { return across_(v, p); }

  private:
    std::function<LinkEnd(NodeId, Port)> across_;
};

/// Degrees that are smaller than across() shows.
class TooSmallDegrees final : public OwnGraph {
  public:
    TooSmallDegrees(NodeId nodes, Port ports, Port degree, std::function<LinkEnd(NodeId, Port)> across)
        : OwnGraph(nodes, ports, std::move(across)), degree_(degree) {}
    [[nodiscard]] Port degree(NodeId) const override { return degree_; }
    [[nodiscard]] Port max_degree() const override { return 2; }

  private:
    Port degree_;
};

std::string told_of(std::shared_ptr<const Topology> topology, PortLimit ports, NodeId silent) {
    Machine machine;
    machine.topology = std::move(topology);
    machine.ports = ports;
    Job job;
    job.machine = machine;
    job.collective = Collective::none();
    job.all_start = true;
    job.program = [silent](Node& self) -> Program {
        return [](Node& node, NodeId quiet) -> Program {
            for (Port port = 0; node.id() != quiet && port < node.topology().ports(); ++port) {
                if (node.neighbour(port) == no_node) continue;
                const Data data(node.id());
                co_await node.send(port, data);
            }
        }(self, silent);
    };
    return error_of(job);
}

TEST(ATopologyOfAUsersOwn, WhoseDegreesAreTooSmallIsNamed) {
    // Nodes 0 and 2 send to node 1, which may receive nothing.
    const auto line = [](NodeId v, Port p) {
        const NodeId w = p == 0 ? v - 1 : v + 1;
        return w < 3 ? LinkEnd{w, 1 - p} : LinkEnd{};
    };
    EXPECT_THAT(told_of(std::make_shared<TooSmallDegrees>(3, 2, 0, line), PortLimit(1), 1),
                testing::HasSubstr("fewer links than across() gives it"));
    constexpr Port leaves = 2000;
    const auto star = [](NodeId v, Port p) {
        if (v == 0) return LinkEnd{p + NodeId{1}, 0};
        return p == 0 ? LinkEnd{0, static_cast<Port>(v - 1)} : LinkEnd{};
    };
    class OneSends final : public OwnGraph {
      public:
        using OwnGraph::OwnGraph;
        [[nodiscard]] Port max_degree() const override { return 1; }
    };
    Job job;
    job.machine.topology = std::make_shared<OneSends>(leaves + 1, leaves, star);
    job.machine.ports = PortLimit::all();
    job.collective = Collective::none();
    job.starters = {0};
    job.program = [](Node& self) -> Program {
        for (Port port = 0; self.id() == 0 && port < leaves; ++port) {
            const Data data(self.id());
            co_await self.send(port, data);
        }
    };
    EXPECT_THAT(error_of(job), testing::HasSubstr("max_degree() is too small"));
}

TEST(ATopologyOfAUsersOwn, ThatIsNotConnectedIsRefusedWhereItIsSearched) {
    const OwnGraph apart(4, 1, [](NodeId v, Port) { return LinkEnd{v ^ 1, 0}; });
    EXPECT_THROW((void)apart.distance(0, 2), RequestError);
    EXPECT_THROW((void)apart.eccentricity(0), RequestError);
}

}  // namespace
}  // namespace kport
