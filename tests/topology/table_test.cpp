// Every row of an independent reference's table: counts, distances, numbering and ports.
#include <cctype>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "emulator/topology/topology.hpp"
#include "tests/oracle/table.hpp"
#include "tests/support/wiring_hash.hpp"

namespace kport {
namespace {

using oracle::Row;

std::string wires(const Topology& topology, NodeId v) {
    std::vector<std::string> ends;
    for (Port p = 0; p < topology.labels(v); ++p) {
        const NodeId w = topology.across(v, p).node;
        ends.push_back(w == no_node ? "-" : std::to_string(w));
        if (w != no_node && topology.capacity(v, p) > 1) ends.back() += fmt::format("*{}", topology.capacity(v, p));
    }
    return fmt::format("{}", fmt::join(ends, " "));
}

class TopologyTable : public testing::TestWithParam<Row> {
  protected:
    const Row& row = GetParam();
    std::shared_ptr<const Topology> topology = make_topology(row["topology"]);
};

TEST_P(TopologyTable, AgreesOnNodesLinksAndPorts) {
    EXPECT_EQ(topology->nodes(), row.number("nodes"));
    EXPECT_EQ(topology->channels(), 2 * row.number("links"));
    EXPECT_EQ(topology->max_degree(), row.number("degree_max"));
    EXPECT_EQ(topology->ports(), row.number("port_labels"));
    Port least = topology->ports();
    for (NodeId v = 0; v < topology->nodes(); ++v) least = std::min(least, topology->degree(v));
    EXPECT_EQ(least, row.number("degree_min"));
    const NodeId nodes = topology->nodes();
    EXPECT_EQ(wires(*topology, 0), row["wires_0"]);
    EXPECT_EQ(wires(*topology, nodes / 2), row["wires_mid"]);
    EXPECT_EQ(wires(*topology, nodes - 1), row["wires_last"]);
    EXPECT_EQ(test::wiring_hash(*topology), row.number("wiring_hash"));
}

TEST_P(TopologyTable, AgreesOnDistancesAndSymmetry) {
    const NodeId nodes = topology->nodes();
    EXPECT_EQ(topology->diameter(), row.number("diameter"));
    EXPECT_EQ(topology->radius(), row.number("radius"));
    const std::map<std::string, NodeId> looked_at = {{"0", 0}, {"mid", nodes / 2}, {"last", nodes - 1}};
    for (const auto& [name, v] : looked_at) {
        EXPECT_EQ(topology->eccentricity(v), row.number("ecc_" + name));
        EXPECT_EQ(topology->sum_of_distances(v), row.number("distance_sum_" + name));
    }
    EXPECT_TRUE(!row.has("vertex_symmetric") || topology->vertex_symmetric() == row.yes("vertex_symmetric"));
}

/// The rows of machines without switches.
std::vector<Row> direct_machines() {
    std::vector<Row> rows = oracle::table("machines");
    std::erase_if(rows, [](const Row& row) { return row.number("switches") > 0; });
    return rows;
}

std::uint64_t capacities(const Topology& topology) {
    std::uint64_t sum = 0;
    for (NodeId v = 0; v < topology.nodes(); ++v)
        for (Port p = 0; p < topology.ports(); ++p)
            if (topology.across(v, p).node != no_node) sum += topology.capacity(v, p);
    return sum;
}

class MachineTable : public testing::TestWithParam<Row> {};

TEST_P(MachineTable, AgreesOnNodesLinksPortsAndDistances) {
    const Row& row = GetParam();
    const auto machine = make_topology(row["topology"]);
    const Topology* const topology = &machine->wires();  // with the capacities of trunks
    const NodeId nodes = topology->nodes();
    EXPECT_EQ(topology->spec(), row["topology"]);
    EXPECT_EQ(nodes, row.number("nodes"));
    EXPECT_EQ(machine->nodes(), row.number("hosts"));
    EXPECT_EQ(machine->channels(), 2 * row.number("links"));
    EXPECT_EQ(machine->diameter(), row.number("message_diameter"));
    EXPECT_EQ(topology->channels(), 2 * row.number("links"));
    EXPECT_EQ(capacities(*topology), row.number("channels"));
    EXPECT_EQ(topology->max_degree(), row.number("degree_max"));
    EXPECT_EQ(topology->labels_in_use(), row.number("port_labels"));
    Port least = topology->ports();
    for (NodeId v = 0; v < nodes; ++v) least = std::min(least, topology->degree(v));
    EXPECT_EQ(least, row.number("degree_min"));
    EXPECT_EQ(topology->diameter(), row.number("diameter"));
    EXPECT_EQ(topology->diameter(), row.number("host_diameter"));
    EXPECT_EQ(topology->eccentricity(0), row.number("host_ecc_0"));
    EXPECT_EQ(topology->sum_of_distances(0), row.number("host_distance_sum_0"));
    EXPECT_EQ(topology->sum_of_distances(nodes - 1), row.number("host_distance_sum_last"));
    EXPECT_EQ(wires(*topology, 0), row["wires_0"]);
    EXPECT_EQ(wires(*topology, nodes - 1), row["wires_last"]);
    EXPECT_EQ(test::wiring_hash(*topology), row.number("wiring_hash"));
}

TEST(MachineTable, HasEveryFamilyOfMachinesWithoutSwitches) {
    std::map<std::string, int> rows;
    for (const Row& row : direct_machines()) ++rows[row["topology"].substr(0, row["topology"].find(':'))];
    const std::map<std::string, int> expected{{"dragonfly", 10},    {"slimfly", 5},      {"polarfly", 5},
                                              {"twisted-torus", 5}, {"express-mesh", 4}, {"chiplet-mesh", 4},
                                              {"xpander", 3}};
    EXPECT_EQ(rows, expected);
}

TEST(VertexSymmetry, IsUnknownWhereItIsNotSearchedForAndKnownWhereDegreesDiffer) {
    // A ring, a complete graph, and one that lacks a link of it.
    for (const char* spec :
         {"random-regular:2,300,1", "random-connected:257,32896,1", "product:random-regular:2,300,1,ring:3"}) {
        EXPECT_EQ(make_topology(spec)->vertex_symmetry(), std::nullopt) << spec;
        EXPECT_FALSE(make_topology(spec)->vertex_symmetric()) << spec;
    }
    for (const char* spec : {"random-connected:257,32895,1", "product:random-regular:2,300,1,line:3"})
        EXPECT_EQ(make_topology(spec)->vertex_symmetry(), false) << spec;
    for (const char* spec : {"random-regular:2,200,1", "product:random-regular:2,200,1,ring:3"})
        EXPECT_EQ(make_topology(spec)->vertex_symmetry(), true) << spec;
}

TEST(PublishedBroadcasts, AreNeverFasterThanTheExactMinimum) {
    std::map<std::string, int> looked_at;
    for (const Row& row : oracle::table("exact")) {
        const bool one_source = row["sources"].find(' ') == std::string::npos;
        if (row["operation"] != "broadcast" || row["ports"] != "1" || !one_source) continue;
        const auto topology = make_topology(row["topology"]);
        const auto published = topology->published_broadcast(row.number("sources"));
        if (!published) continue;
        const std::string family(topology->family());
        ++looked_at[family];
        EXPECT_GE(published->rounds, row.number("rounds_minimum")) << row.place();
        EXPECT_TRUE(!published->exact || published->rounds == row.number("rounds_minimum")) << row.place();
        const bool optimal = family != "wrapped-butterfly" && family != "shuffle-exchange" && family != "hamming";
        EXPECT_TRUE(!optimal || published->rounds == row.number("rounds_minimum")) << row.place();
    }
    EXPECT_GT(looked_at.size(), 10U);
}

std::string row_as_test_name(const testing::TestParamInfo<Row>& instance) {
    std::string name = instance.param["topology"];
    for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return fmt::format("{}_{}", name, instance.index);
}

INSTANTIATE_TEST_SUITE_P(Rows, TopologyTable, testing::ValuesIn(oracle::table("topologies")), row_as_test_name);
INSTANTIATE_TEST_SUITE_P(Rows, MachineTable, testing::ValuesIn(direct_machines()), row_as_test_name);

}  // namespace
}  // namespace kport
