// Machines with hosts and switches: numbering, trunks, distances, routes (machines.csv), and the graph of their hosts.
#include "emulator/topology/fabric.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "tests/oracle/table.hpp"

namespace kport {
namespace {

using oracle::Row;

std::string wires_of(const Fabric& fabric, NodeId v) {
    std::vector<std::string> ends;
    for (Port p = 0; p < fabric.labels(v); ++p) {
        const NodeId w = fabric.across(v, p).node;
        ends.push_back(w == no_node ? "-" : std::to_string(w));
        if (fabric.capacity(v, p) > 1) ends.back() += fmt::format("*{}", fabric.capacity(v, p));
    }
    return fmt::format("{}", fmt::join(ends, " "));
}

std::uint64_t hash_of(const Fabric& fabric) {
    std::uint64_t hash = 0;
    for (NodeId v = 0; v < fabric.nodes(); ++v)
        for (Port p = 0; p < fabric.labels(v); ++p)
            for (std::uint64_t i = 0; i < fabric.capacity(v, p); ++i)
                hash = 1000003 * hash + 31 * v + std::uint64_t{7} * p + fabric.across(v, p).node + 1;
    return hash;
}

/// The rows of machines whose families have switches.
std::vector<Row> switched_rows() {
    std::vector<Row> rows;
    for (const Row& row : oracle::table("machines"))
        if (row.number("switches") > 0) {
            // A factor that this build does not know is not its own family.
            try {
                (void)make_topology(row["topology"]);
            } catch (const RequestError&) {
                continue;
            }
            rows.push_back(row);
        }
    return rows;
}

class FabricTable : public testing::TestWithParam<Row> {
  protected:
    const Row& row = GetParam();
    std::shared_ptr<const Topology> hosts = make_topology(row["topology"]);
    const Fabric& fabric = *hosts->fabric();
};

TEST_P(FabricTable, AgreesOnHostsSwitchesLinksAndTrunks) {
    EXPECT_EQ(make_topology(hosts->spec())->spec(), hosts->spec());
    EXPECT_EQ(hosts->nodes(), row.number("hosts"));
    EXPECT_EQ(fabric.hosts(), row.number("hosts"));
    EXPECT_EQ(fabric.nodes(), row.number("nodes"));
    EXPECT_EQ(fabric.switches(), row.number("switches"));
    EXPECT_EQ(fabric.channels(), 2 * row.number("links"));
    EXPECT_EQ(fabric.capacities(), row.number("channels"));
    EXPECT_EQ(fabric.max_degree(), row.number("degree_max"));
    EXPECT_EQ(fabric.labels_in_use(), row.number("port_labels"));
    EXPECT_EQ(wires_of(fabric, 0), row["wires_0"]);
    EXPECT_EQ(wires_of(fabric, fabric.nodes() - 1), row["wires_last"]);
    EXPECT_EQ(hash_of(fabric), row.number("wiring_hash"));
    EXPECT_EQ(&hosts->wires(), &fabric);
}

TEST_P(FabricTable, EveryLinkLeadsBack) {
    for (NodeId v = 0; v < fabric.nodes(); ++v)
        for (Port p = 0; p < fabric.ports(); ++p) {
            const LinkEnd end = fabric.across(v, p);
            if (end.node == no_node) continue;
            EXPECT_EQ(fabric.across(end.node, end.port), (LinkEnd{v, p})) << v << ' ' << p;
            EXPECT_EQ(fabric.capacity(v, p), fabric.capacity(end.node, end.port)) << v << ' ' << p;
        }
}

TEST_P(FabricTable, AgreesOnTheDistancesOfHosts) {
    std::uint64_t host_diameter = 0;
    std::uint64_t message_diameter = 0;
    const auto sum_of = [&](NodeId v) {
        std::uint64_t sum = 0;
        for (NodeId w = 0; w < fabric.hosts(); ++w) sum += fabric.distance(v, w);
        return sum;
    };
    for (NodeId v = 0; v < fabric.hosts(); ++v)
        for (NodeId w = 0; w < fabric.hosts(); ++w) {
            host_diameter = std::max(host_diameter, fabric.distance(v, w));
            message_diameter = std::max(message_diameter, hosts->distance(v, w));
        }
    EXPECT_EQ(fabric.diameter(), row.number("diameter"));
    EXPECT_EQ(host_diameter, row.number("host_diameter"));
    EXPECT_EQ(message_diameter, row.number("message_diameter"));
    EXPECT_EQ(sum_of(0), row.number("host_distance_sum_0"));
    EXPECT_EQ(sum_of(fabric.hosts() - 1), row.number("host_distance_sum_last"));
}

TEST_P(FabricTable, RoutesOfOneMessagePassSwitchesOnlyAndAreShortest) {
    for (NodeId v = 0; v < fabric.hosts(); ++v)
        for (NodeId w = 0; w < fabric.hosts(); ++w) {
            if (hosts->port_to(v, w) == no_port) continue;
            std::vector<Port> route;
            fabric.append_route(v, w, /*any=*/false, route);
            EXPECT_EQ(route.size(), fabric.one_message(v, w).value()) << v << ' ' << w;
            NodeId at = v;
            for (const Port port : route) {
                EXPECT_TRUE(at == v || fabric.is_switch(at));
                at = fabric.across(at, port).node;
            }
            EXPECT_EQ(at, w);
        }
}

std::string named(const testing::TestParamInfo<Row>& info) {
    std::string name = info.param["topology"];
    for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    return name;
}
INSTANTIATE_TEST_SUITE_P(Rows, FabricTable, testing::ValuesIn(switched_rows()), named);

TEST(Fabric, TreesRouteUpByTheNumberOfTheTargetAndDown) {  // D-mod-k
    const auto hosts = make_topology("fat-tree:4");
    std::vector<Port> route;
    hosts->fabric()->append_route(0, 15, false, route);
    EXPECT_EQ(route, (std::vector<Port>{0, 2 + 15 % 2, 2 + 15 / 2 % 2, 3, 1, 1}));
}

TEST(Fabric, WormholeMessagesPassHosts) {
    const auto hosts = make_topology("rail:2,2");
    EXPECT_EQ(hosts->port_to(0, 3), no_port);
    std::vector<Port> route;
    hosts->fabric()->append_route(0, 3, /*any=*/true, route);
    EXPECT_EQ(route.size(), 4U);
}

TEST(Fabric, WidthsAreTheCapacitiesOfAHost) {
    EXPECT_EQ(make_topology("nvswitch:8,6,2")->width(0), 12U);
    EXPECT_EQ(make_topology("nvswitch:8,6,2")->max_width(), 12U);
    EXPECT_EQ(make_topology("fat-tree:4")->width(3), 1U);
    EXPECT_EQ(make_topology("mesh:3x3")->width(4), 4U);
}

TEST(Fabric, TheHostGraphJoinsHostsThatAreOneMessageApart) {
    const auto hosts = make_topology("bcube:2,1");
    EXPECT_EQ(hosts->nodes(), 4U);
    EXPECT_EQ(hosts->degree(0), 2U);
    EXPECT_EQ(hosts->across(0, 0), (LinkEnd{1, 0}));
    EXPECT_EQ(hosts->port_to(0, 3), no_port);
    EXPECT_EQ(hosts->distance(0, 3), 2U);
}

TEST(Fabric, SwitchesAreNoSources) {
    const auto hosts = make_topology("crossbar:4");
    EXPECT_EQ(hosts->node("3"), 3U);
    EXPECT_THROW((void)hosts->node("4"), RequestError);
    EXPECT_THROW((void)hosts->node("5"), RequestError);
}

TEST(Fabric, LargeTreesAreNotStored) {
    const auto hosts = make_topology("fat-tree:1024");
    EXPECT_EQ(hosts->nodes(), NodeId{1} << 28);
    EXPECT_EQ(hosts->fabric()->distance(0, hosts->nodes() - 1), 6U);
}

TEST(Fabric, RefusesWhatIsNoMachine) {
    for (const char* spec :
         {"fat-tree:3", "crossbar:0", "leaf-spine:2,2", "leaf-spine:2,2,2,0", "xgft:2x2,1", "xgft:2x2", "xgft:2,1,1x1",
          "mport-tree:3,2", "kary-ntree:2", "bcube:2", "dcell:4,6", "nvswitch:8", "rail:4", "hammingmesh:2x2",
          "hammingmesh:2,4x4", "hosts(0,ring:4)", "hosts(2)", "hosts(2,crossbar:4)", "product(crossbar:4,ring:3)"})
        EXPECT_THROW((void)make_topology(spec), RequestError) << spec;
}

TEST(Fabric, LinksBetweenTheSameNodesMergeAndKeepTheFirstPort) {
    const StoredFabric two({"two", 2, 0}, merged({{0, 0, 1, 0}, {1, 1, 0, 1}}));
    EXPECT_EQ(two.across(0, 0), (LinkEnd{1, 0}));
    EXPECT_EQ(two.across(0, 1), LinkEnd{});
    EXPECT_EQ(two.labels(0), 2U);
    EXPECT_EQ(two.capacity(0, 0), 2U);
    EXPECT_EQ(two.channels(), 2U);
}

}  // namespace
}  // namespace kport
