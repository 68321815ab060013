/// @file machine_test.cpp   Port limits, costs, and how a machine describes itself.
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "emulator/machine/machine.hpp"

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

TEST(PortLimit, RefusesNoPort) { EXPECT_THROW(PortLimit(0), RequestError); }

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

TEST(Machine, RunsOnNoTrunks) {
    Machine machine;
    for (const char* spec : {"dragonfly:2,2,2,0", "product(line:2,dragonfly:2,2,2,0)"}) {
        machine.topology = make_topology(spec);
        try {
            require_topology(machine);
            FAIL() << spec;
        } catch (const RequestError& error) {
            EXPECT_THAT(error.what(), HasSubstr("it has trunks, links of several channels")) << spec;
            EXPECT_THAT(error.what(), HasSubstr(machine.topology->spec()));
        }
    }
    machine.topology = make_topology("dragonfly:2,2,5,0");
    EXPECT_NO_THROW(require_topology(machine));
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
    for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit(17), PortLimit::all()})
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
    EXPECT_EQ(machines, 4U * 64);
    for (const char* wrong : {"", "1-port", "0-port full duplex, store-and-forward", "1-port full duplex, wormhole, ",
                              "1-port full duplex, wormhole, pairwise, half duplex links", "x"})
        EXPECT_THROW((void)machine_of_rules(wrong), RequestError) << wrong;
}

}  // namespace
}  // namespace kport
