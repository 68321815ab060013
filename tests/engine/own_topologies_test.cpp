/// @file own_topologies_test.cpp   Graphs of a user's own that are not what they say: named, and nothing ends in an abort.
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "emulator/engine/job.hpp"
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
