/// @file machine_test.cpp   Port limits, costs, and how a machine describes itself.
#include <initializer_list>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/machine/smaller_machine.hpp"
#include "emulator/topology/broken.hpp"

namespace kport {
namespace {

using testing::HasSubstr;

TEST(PortLimit, IsKAtMostTheDegree) {
    EXPECT_EQ(PortLimit(1).of_degree(4), 1U);
    EXPECT_EQ(PortLimit(3).of_degree(4), 3U);
    EXPECT_EQ(PortLimit(9).of_degree(4), 4U);
    EXPECT_EQ(PortLimit::all().of_degree(4), 4U);
    EXPECT_EQ(PortLimit(1).of_degree(0), 0U);
}

TEST(PortLimit, KnowsItsNumberAndItsName) {
    EXPECT_EQ(PortLimit(2).k(), 2U);
    EXPECT_EQ(PortLimit(2).text(), "2");
    EXPECT_FALSE(PortLimit(2).is_all());
    EXPECT_TRUE(PortLimit::all().is_all());
    EXPECT_EQ(PortLimit::all().text(), "all");
    EXPECT_TRUE(PortLimit(2) == PortLimit(2));
    EXPECT_FALSE(PortLimit(2) == PortLimit::all());
}

TEST(PortLimit, RefusesNoPort) {
    EXPECT_THROW(PortLimit(0), RequestError);
    EXPECT_THROW(PortLimit(0, 0), RequestError);
    EXPECT_THROW((void)PortLimit(2).at_most(0), RequestError);
}

TEST(PortLimit, MayDifferBetweenSendsAndReceives) {
    const PortLimit ports(3, 1);
    EXPECT_EQ(ports.sends(), 3U);
    EXPECT_EQ(ports.receives(), 1U);
    EXPECT_EQ(ports.k(), 1U);
    EXPECT_FALSE(ports.is_even());
    EXPECT_EQ(ports.reversed(), PortLimit(1, 3));
    EXPECT_EQ(ports.at_most(2), PortLimit(2, 1));
    EXPECT_EQ(ports.lower(PortLimit(1, 2)), PortLimit(1));
    EXPECT_EQ(PortLimit(2, 2), PortLimit(2));
    EXPECT_EQ(PortLimit(no_port, no_port), PortLimit::all());
    EXPECT_FALSE(PortLimit(no_port, 1).is_all());
}

TEST(PortLimit, IsReadBackFromItsText) {
    for (const auto& [text, ports] :
         std::initializer_list<std::pair<const char*, PortLimit>>{{"2", PortLimit(2)},
                                                                  {"all", PortLimit::all()},
                                                                  {"1:2", PortLimit(1, 2)},
                                                                  {"all:1", PortLimit(no_port, 1)},
                                                                  {"1:all", PortLimit(1, no_port)},
                                                                  {"0:1", PortLimit(0, 1)},
                                                                  {"1:0", PortLimit(1, 0)}}) {
        EXPECT_EQ(ports.text(), text);
        EXPECT_EQ(port_limit_of(text), ports) << text;
    }
    EXPECT_EQ(port_limit_of("3:3"), PortLimit(3));
    EXPECT_EQ(port_limit_of("all:all"), PortLimit::all());
    for (const char* wrong : {"", ":", "1:", ":1", "0", "0:0", "2:1:1", "-1:1", "1:-1", "1 :2", "x:1", "1:x", "1.5",
                              "4294967295", "1:99999999999999999999", "ALL"})
        EXPECT_FALSE(port_limit_of(wrong)) << wrong;
}

TEST(Costs, AddUpStartupHopsAndBytes) {
    EXPECT_DOUBLE_EQ((Costs{100, 7, 2}).latency(3, 8), 100 + 21 + 16);
    EXPECT_DOUBLE_EQ(Costs{}.latency(5, 1000), 2.0);
    EXPECT_DOUBLE_EQ((Costs{0, 0, 0}).latency(5, 1000), 0);
}

TEST(Costs, AreFiniteAndNotNegative) {
    const auto refusal = [](Costs costs) -> std::string {
        try {
            require_valid(costs);
        } catch (const RequestError& error) {
            return error.what();
        }
        return "accepted";
    };
    EXPECT_EQ(refusal({}), "accepted");
    EXPECT_EQ(refusal({0, 0, 0}), "accepted");
    EXPECT_THAT(refusal({-1, 0, 0}), HasSubstr("ts '"));
    EXPECT_THAT(refusal({0, std::numeric_limits<double>::infinity(), 0}), HasSubstr("td '"));
    EXPECT_THAT(refusal({0, 0, std::numeric_limits<double>::quiet_NaN()}), HasSubstr("tm '"));
}

TEST(Machine, CountsThePortsOfANodeByItsOwnDegree) {
    Machine mesh;
    mesh.topology = make_topology("mesh:3x3");
    mesh.ports = PortLimit(3);
    EXPECT_EQ(mesh.ports_of(0), 2U);  // a corner
    EXPECT_EQ(mesh.ports_of(1), 3U);
    EXPECT_EQ(mesh.ports_of(4), 3U);  // four links
    EXPECT_EQ(mesh.widest(), 3U);
    mesh.ports = PortLimit::all();
    EXPECT_EQ(mesh.ports_of(4), 4U);
    EXPECT_EQ(mesh.widest(), 4U);
    mesh.topology = make_topology("line:1");
    EXPECT_EQ(mesh.ports_of(0), 0U);
    EXPECT_EQ(mesh.widest(), 0U);
}

TEST(Machine, CountsTheLinksOfATrunkAsPorts) {
    Machine machine;
    machine.ports = PortLimit::all();
    for (const char* spec : {"dragonfly:2,2,2,0", "product(line:2,dragonfly:2,2,2,0)", "hosts(1,dragonfly:2,2,2,0)"}) {
        machine.topology = make_topology(spec);
        EXPECT_NO_THROW(require_topology(machine)) << spec;
        EXPECT_TRUE(machine.has_paths()) << spec;
    }
    machine.topology = make_topology("dragonfly:2,2,2,0");
    EXPECT_EQ(machine.sends_of(0), 3U) << "a link within the group, and two to the other in one trunk";
    EXPECT_EQ(machine.widest(), 3U);
    machine.topology = make_topology("product(line:2,dragonfly:2,2,2,0)");
    EXPECT_EQ(machine.receives_of(0), 4U);
}

TEST(RemainingMachine, KeepsLimitsAndPricesOfWhatIsLeft) {
    Machine whole;
    whole.topology = make_topology("ring:5");
    whole.node_ports = std::make_shared<const NodePorts>(
        NodePorts{"ports", {PortLimit(1), PortLimit(2), PortLimit(3), PortLimit(4), PortLimit(5)}});
    whole.prices = std::make_shared<const LinkPrices>(PriceSources{.slow = {"3--4=7", "0--1=2"}}, *whole.topology);
    const auto left = without(whole.topology, broken_parts(*whole.topology, "1", "broken"), "broken");
    const Machine machine = remaining_machine(whole, left);
    EXPECT_NO_THROW(require_topology(machine));
    EXPECT_EQ(machine.node_ports->limits,
              (std::vector<PortLimit>{PortLimit(1), PortLimit(3), PortLimit(4), PortLimit(5)}));
    EXPECT_EQ(machine.prices->of(2, left->port_to(2, 3)).hop, 7) << "nodes 3 and 4 of the ring";
    EXPECT_EQ(machine.prices->of(1, left->port_to(1, 2)).hop, 1);
    EXPECT_EQ(machine.prices->most().byte, 7);
    // Of what is broken already, more breaks.
    const auto less = without(left, broken_parts(*left, "2", "broken"), "broken");
    EXPECT_EQ(number_left(*left, *less, left->node("3")), 1U);
    EXPECT_EQ(number_left(*left, *less, left->node("2")), no_node);
    EXPECT_EQ(remaining_machine(machine, less).node_ports->limits,
              (std::vector<PortLimit>{PortLimit(1), PortLimit(4), PortLimit(5)}));
    EXPECT_EQ(remaining_machine(machine, less).prices->of(1, less->port_to(1, 2)).hop, 7);
}

TEST(Machine, CountsSendsAndReceivesOfANodeByItsOwnDegree) {
    Machine mesh;
    mesh.topology = make_topology("mesh:3x3");
    mesh.ports = PortLimit(3, 1);
    EXPECT_EQ(mesh.sends_of(0), 2U);  // a corner
    EXPECT_EQ(mesh.sends_of(4), 3U);
    EXPECT_EQ(mesh.receives_of(4), 1U);
    EXPECT_EQ(mesh.ports_of(4), 1U);
    EXPECT_EQ(mesh.widest(), 1U);
    EXPECT_FALSE(mesh.has_one_limit());
    EXPECT_EQ(with_reversed_ports(mesh).receives_of(4), 3U);
    EXPECT_EQ(with_ports_at_most(mesh, 2).ports, PortLimit(2, 1));
}

TEST(Machine, HasLimitsOfNodesWhereTheyHaveTheirOwn) {
    Machine line;
    line.topology = make_topology("line:3");
    line.ports = PortLimit(2);
    line.node_ports =
        std::make_shared<const NodePorts>(NodePorts{"ports", {PortLimit(1), PortLimit(2, 1), PortLimit(0, 1)}});
    EXPECT_FALSE(line.has_one_limit());
    EXPECT_EQ(line.sends_of(1), 2U);
    EXPECT_EQ(line.receives_of(1), 1U);
    EXPECT_EQ(line.sends_of(2), 0U);
    EXPECT_EQ(line.common_ports(), PortLimit(0, 1)) << "the ends have one link, which one port serves";
    EXPECT_EQ(line.highest_ports(), PortLimit(2, 1));
    EXPECT_EQ(line.describe(), "2-port full duplex, store-and-forward, ports by 'ports'");
    EXPECT_NO_THROW(require_topology(line));
    const Machine reversed = with_reversed_ports(line);
    EXPECT_EQ(reversed.receives_of(2), 0U);
    EXPECT_EQ(reversed.sends_of(1), 1U);
}

TEST(Machine, RefusesTwoLimitsWhereItsRulesKnowOne) {
    const auto refusal = [](const Machine& machine) -> std::string {
        try {
            require_topology(machine);
        } catch (const RequestError& error) {
            return error.what();
        }
        return "accepted";
    };
    Machine ring;
    ring.topology = make_topology("ring:4");
    ring.ports = PortLimit(1, 2);
    EXPECT_EQ(refusal(ring), "accepted");
    ring.duplex = Duplex::half;
    EXPECT_EQ(refusal(ring), "ports '1:2': half duplex ports have as many sends as receives; want one number, or all");
    ring.ports = PortLimit(2, 2);
    EXPECT_EQ(refusal(ring), "accepted");
    ring.duplex = Duplex::full;
    ring.pairwise = true;
    ring.ports = PortLimit(no_port, 1);
    EXPECT_EQ(refusal(ring),
              "ports 'all:1': pairwise machines have as many sends as receives; want one number, or all");
    ring.ports = PortLimit(1);
    ring.node_ports =
        std::make_shared<const NodePorts>(NodePorts{"p", {PortLimit(1), PortLimit(2), PortLimit(1, 2), PortLimit(1)}});
    EXPECT_EQ(refusal(ring),
              "ports '1:2' of node 2: pairwise machines have as many sends as receives; want one number, or all");
    ring.node_ports = std::make_shared<const NodePorts>(NodePorts{"p", {}});
    EXPECT_THAT(refusal(ring), HasSubstr("ports by 'p': the limits of the nodes are not known"));
}

TEST(Machine, CombinesByDefault) { EXPECT_TRUE(Machine().combining); }

TEST(Machine, DescribesItself) {
    Machine machine;
    machine.topology = make_topology("ring:4");
    EXPECT_EQ(machine.describe(), "1-port full duplex, store-and-forward");
    machine.ports = PortLimit::all();
    machine.duplex = Duplex::half;
    machine.switching = Switching::wormhole;
    EXPECT_EQ(machine.describe(), "all-port half duplex, wormhole");
    EXPECT_EQ(text(machine.duplex) + text(machine.switching) + text(machine.policy), "halfwhqueue");
    EXPECT_EQ(text(Duplex::full) + text(Switching::store_and_forward) + text(Policy::strict), "fullsfstrict");
}

TEST(RulesInWords, AreReadBackForEveryMachine) {
    std::size_t machines = 0;
    for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit(17), PortLimit::all(), PortLimit(1, 2),
                                  PortLimit(no_port, 1), PortLimit(0, 3)})
        for (unsigned bits = 0; bits < 64; ++bits, ++machines) {
            const auto bit = [&](unsigned i) { return (bits >> i & 1U) != 0; };
            Machine machine;
            machine.ports = ports;
            machine.duplex = bit(0) ? Duplex::half : Duplex::full;
            machine.switching = bit(1) ? Switching::wormhole : Switching::store_and_forward;
            machine.links = bit(2) ? Duplex::half : Duplex::full;
            machine.pairwise = bit(3);
            machine.noho = bit(4) ? Noho::strict : Noho::wide;
            machine.combining = !bit(5);
            const std::string words = rules_in_words(machine);
            const Machine read = machine_of_rules(words);
            EXPECT_EQ(rules_in_words(read), words);
            EXPECT_EQ(read.ports, ports) << words;
            EXPECT_EQ(read.duplex, machine.duplex) << words;
            EXPECT_EQ(read.switching, machine.switching) << words;
            EXPECT_EQ(read.links, machine.links) << words;
            EXPECT_EQ(read.pairwise, machine.pairwise) << words;
            EXPECT_EQ(read.noho, machine.noho) << words;
            EXPECT_EQ(read.combining, machine.combining) << words;
        }
    EXPECT_EQ(machines, 7U * 64);
    Machine by_nodes;
    by_nodes.node_ports = std::make_shared<const NodePorts>(NodePorts{"a b", {}});
    by_nodes.combining = false;
    const Machine read = machine_of_rules(rules_in_words(by_nodes));
    ASSERT_NE(read.node_ports, nullptr);
    EXPECT_EQ(read.node_ports->attribute, "a b");
    for (const char* wrong :
         {"", "1-port", "0-port full duplex, store-and-forward", "0:0-port full duplex, store-and-forward",
          "1:-port full duplex, store-and-forward", "2:2-port full duplex, store-and-forward",
          "1-port full duplex, wormhole, ", "1-port full duplex, wormhole, pairwise, half duplex links", "x"})
        EXPECT_THROW((void)machine_of_rules(wrong), RequestError) << wrong;
}

}  // namespace
}  // namespace kport
