/// @file members_test.cpp   Machines of some nodes of a larger machine: which family they are, their links, numbers and names.
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "emulator/topology/fabric.hpp"
#include "emulator/topology/members.hpp"

namespace kport {
namespace {

using testing::HasSubstr;

std::shared_ptr<const Topology> members_of(const std::string& whole, std::vector<NodeId> nodes,
                                           MembersJoinedBy joined_by = MembersJoinedBy::links) {
    return machine_of_members(make_topology(whole), std::move(nodes), joined_by);
}

TEST(MembersThatAreAFamilyInTheirOrder, AreThatFamily) {
    EXPECT_EQ(members_of("complete:8", {1, 3, 4, 6, 7})->spec(), "complete:5");
    EXPECT_EQ(members_of("hypercube:4", {1, 3, 9, 11})->spec(), "hypercube:2");
    EXPECT_EQ(members_of("hypercube:5", {16, 17, 18, 19, 20, 21, 22, 23})->spec(), "hypercube:3");
    EXPECT_EQ(members_of("hypercube:3", {0, 1, 3, 7, 6, 4})->spec(), "ring:6")
        << "a cycle of neighbours, in this order";
    EXPECT_NE(members_of("hypercube:3", {0, 1, 3, 2, 6, 4})->family(), "ring") << "nodes 0 and 2 are neighbours, too";
    EXPECT_EQ(members_of("mesh:4x4", {5, 6, 9, 10})->spec(), "mesh:2x2");
    EXPECT_EQ(members_of("mesh:4x4", {4, 5, 6, 7})->spec(), "line:4");
    EXPECT_EQ(members_of("torus:3x4", {4, 5, 6, 7})->spec(), "ring:4");
    EXPECT_EQ(members_of("ring:8", {0, 1, 2, 3})->spec(), "line:4");
}

TEST(MembersInAnotherOrder, AreNoFamilyWhoseLinksTheyDoNotHave) {
    EXPECT_NE(members_of("hypercube:3", {0, 1, 6, 2, 3, 7})->family(), "ring");
    EXPECT_NE(members_of("line:6", {0, 2, 1})->family(), "line");
}

TEST(MembersThatAreNoFamily, HaveTheLinksAmongThemWithTheLabelsOfTheirPorts) {
    const auto whole = make_topology("mesh:3x3");
    const auto corner = members_of("mesh:3x3", {0, 1, 3, 6});
    EXPECT_EQ(corner->nodes(), 4U);
    EXPECT_EQ(corner->channels(), 6U);
    EXPECT_EQ(corner->port_to(0, 2), whole->port_to(0, 3));
    EXPECT_EQ(corner->across(0, whole->port_to(0, 1)), (LinkEnd{1, whole->port_to(1, 0)}));
    EXPECT_EQ(corner->distance(1, 3), 3U) << "the way through node 4 is not theirs";
}

TEST(MembersInReports, HaveTheNumbersAndNamesOfTheLargerMachine) {
    const auto members = members_of("mesh:4x4", {10, 5, 6, 9});
    EXPECT_EQ(members->number(0), 10U);
    EXPECT_EQ(members->name(0), "10 (2,2)");
    EXPECT_EQ(members->node("1,1"), 1U);
    EXPECT_EQ(members->node("9"), 3U);
    try {
        (void)members->node("7");
        FAIL() << "node 7 is no member";
    } catch (const RequestError& error) {
        EXPECT_THAT(error.what(), HasSubstr("node 7 (1,3) is no member"));
    }
}

TEST(MembersThatAreNotJoinedByLinks, AreRefusedUnlessPathsMayCrossOtherNodes) {
    try {
        (void)members_of("ring:16", {0, 1, 12});
        FAIL() << "no link leads to node 12";
    } catch (const RequestError& error) {
        EXPECT_STREQ(error.what(), "no way among members from 0 to 12");
    }
    const auto by_paths = members_of("mesh:4x4", {0, 3, 12, 15}, MembersJoinedBy::paths);
    ASSERT_NE(by_paths->fabric(), nullptr);
    EXPECT_EQ(by_paths->fabric()->hosts(), 4U);
    EXPECT_EQ(by_paths->fabric()->switches(), 12U);
    EXPECT_EQ(by_paths->wires().distance(0, 3), 6U);
    EXPECT_EQ(by_paths->name(3), "15 (3,3)");
}

TEST(OneMember, IsAMachineOfOneNode) {
    EXPECT_EQ(members_of("mesh:3x3", {4})->nodes(), 1U);
    EXPECT_EQ(members_of("mesh:3x3", {4}, MembersJoinedBy::paths)->nodes(), 1U);
}

TEST(ListsOfNodes, WriteThreeConsecutiveNodesAsARange) {
    EXPECT_EQ(list_of_nodes({0, 1, 3, 5, 6, 7, 2}), "0,1,3,5-7,2");
    EXPECT_EQ(list_of_nodes({}), "");
}

void expect_same_machine(const Topology& one, const Topology& other) {
    EXPECT_EQ(one.spec(), other.spec());
    ASSERT_EQ(one.wires().nodes(), other.wires().nodes());
    for (NodeId v = 0; v < one.wires().nodes(); ++v) {
        EXPECT_EQ(one.wires().name(v), other.wires().name(v));
        for (Port p = 0; p < one.wires().ports(); ++p) EXPECT_EQ(one.wires().across(v, p), other.wires().across(v, p));
    }
}

TEST(MembersBySpecification, AreTheMachineOfTheseMembers) {
    std::vector<NodeId> many;
    for (NodeId v = 0; v < 100; ++v) many.push_back(99 - v);
    for (const auto joined_by : {MembersJoinedBy::links, MembersJoinedBy::paths})
        for (const auto& [whole, nodes] :
             std::vector<std::pair<std::string, std::vector<NodeId>>>{{"mesh:4x4", {0, 1, 2, 6, 10}},
                                                                      {"mesh:4x4", {5, 4}},
                                                                      {"hypercube:3", {0, 1, 3, 2}},
                                                                      {"fat-tree:4", {9, 3, 5, 0}},
                                                                      {"broken(0--1,5;mesh:4x4)", {0, 4, 7, 8}},
                                                                      {"ring:200", many}}) {
            const auto members = members_of(whole, nodes, joined_by);
            expect_same_machine(*members, *make_topology(spec_with_members(*members)));
        }
    EXPECT_EQ(spec_with_members(*make_topology("members(0,1-3;line:4)")), "members:0-3;line:4");
    EXPECT_EQ(spec_with_members(*make_topology("mesh:2x3")), "mesh:2x3");
}

TEST(MembersBySpecification, AreRefusedWhereTheyAreNone) {
    const auto refusal = [](const std::string& spec) -> std::string {
        try {
            (void)make_topology(spec);
        } catch (const RequestError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_THAT(refusal("members(0)"), HasSubstr("no semicolon after the members"));
    EXPECT_THAT(refusal("members(;line:3)"), HasSubstr("'' is no node, and no range of nodes"));
    EXPECT_THAT(refusal("members(0,9;line:3)"),
                HasSubstr("'9' is no node, and no range of nodes; want numbers from 0 to 2"));
    EXPECT_THAT(refusal("members(2-1;line:3)"), HasSubstr("'2-1' is no node"));
    EXPECT_THAT(refusal("members(0,1,0;line:3)"), HasSubstr("node 0 is named twice"));
    EXPECT_THAT(refusal("members(0,2;line:3)"), HasSubstr("no way among members from 0 to 2"));
    EXPECT_THAT(refusal("members(0;members(0,1;line:3))"), HasSubstr("members of members; want nodes of line:3"));
    EXPECT_THAT(refusal("members(0;line:x)"), HasSubstr("line:x"));
}

}  // namespace
}  // namespace kport
