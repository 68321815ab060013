#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "emulator/topology/complete.hpp"
#include "emulator/topology/complete_binary_tree.hpp"
#include "emulator/topology/family.hpp"
#include "emulator/topology/grid.hpp"
#include "emulator/topology/hypercube.hpp"
#include "emulator/topology/topology.hpp"

namespace kport {
namespace {

std::string refusal(std::string_view spec) {
    try {
        return make_topology(spec)->spec() + " (accepted)";
    } catch (const RequestError& error) {
        return error.what();
    }
}

TEST(MakeTopology, BuildsEachFamily) {
    EXPECT_NE(dynamic_cast<const Hypercube*>(make_topology("hypercube:3").get()), nullptr);
    EXPECT_NE(dynamic_cast<const Complete*>(make_topology("complete:3").get()), nullptr);
    EXPECT_NE(dynamic_cast<const CompleteBinaryTree*>(make_topology("cbt:3").get()), nullptr);
    for (const char* spec : {"mesh:3", "mesh:3x4x5", "torus:3x4", "line:3", "ring:3"})
        EXPECT_NE(dynamic_cast<const Grid*>(make_topology(spec).get()), nullptr) << spec;
    EXPECT_EQ(make_topology("mesh:3x4x5")->nodes(), 60U);
}

TEST(MakeTopology, TakesTheLargestOfEachFamily) {
    for (const char* spec : {"hypercube:40", "cbt:39", "line:1099511627776", "ring:1099511627776",
                             "mesh:1048576x1048576", "torus:1099511627776x1x1", "complete:4294967296"})
        EXPECT_EQ(refusal(spec), std::string(spec) + " (accepted)");
}

TEST(MakeTopology, RefusesMoreThanTheLargestOfEachFamily) {
    for (const char* spec : {"hypercube:41", "cbt:40", "line:1099511627777", "ring:1099511627777",
                             "mesh:1048576x1048577", "torus:1099511627776x1x2", "complete:1099511627777"})
        EXPECT_THROW((void)make_topology(spec), RequestError) << spec;
    EXPECT_THROW((void)make_topology("complete:4294967297"), DoesNotFit);
}

struct Hostile {
    std::string spec;
    std::string message;  ///< behind "topology '<spec>': "
};

const std::string digits_wanted = "; want digits only, such as 16";
const std::string families =
    fmt::format("(hypercube, mesh, torus, line, ring, complete, cbt, and {} more)", topology_families().size() - 7);
const std::string too_many = "more than 1099511627776 (2^40) nodes, the most that there may be";

const std::vector<Hostile> hostile{
    {"", "unknown family '' " + families},
    {":", "unknown family '' " + families},
    {"foo:3", "unknown family 'foo' " + families},
    {"meshh:3x3", "unknown family 'meshh'; did you mean 'mesh:3x3'? " + families},
    {"hpyercube:3", "unknown family 'hpyercube'; did you mean 'hypercube:3'? " + families},
    {" mesh:3", "unknown family ' mesh'; did you mean 'mesh:3'? " + families},
    {"hypercube", "nothing after the family; want hypercube:D"},
    {"hypercube:", "nothing after the family; want hypercube:D"},
    {"mesh:", "nothing after the family; want mesh:AxBxC..."},
    {"hypercube:-1", "dimension '-1' is not a whole number" + digits_wanted},
    {"hypercube:99", "dimension '99' is too large; want at most 40"},
    {"hypercube:99999999999999999999", "dimension '99999999999999999999' is too large; want at most 40"},
    {"hypercube:3 ", "dimension '3 ' is not a whole number" + digits_wanted},
    {"hypercube:3x3", "dimension '3x3' is not a whole number" + digits_wanted},
    {"hypercube:3:4", "dimension '3:4' is not a whole number" + digits_wanted},
    {"hypercube:03", "dimension '03' has a leading zero; want 3"},
    {"mesh:0x5", "side 0; every side must be at least 1"},
    {"mesh:4x", "side missing" + digits_wanted},
    {"mesh:x4", "side missing" + digits_wanted},
    {"mesh:4xx5", "side missing" + digits_wanted},
    {"mesh:4X5", "side '4X5' is not a whole number" + digits_wanted + "; did you mean 'mesh:4x5'?"},
    {"mesh:4,5", "side '4,5' is not a whole number" + digits_wanted + "; did you mean 'mesh:4x5'?"},
    {"hypercube4", "unknown family 'hypercube4'; did you mean 'hypercube:4'? " + families},
    {"grid:4x5", "unknown family 'grid'; did you mean 'mesh:4x5'? " + families},
    {"grid:4,5", "unknown family 'grid'; did you mean 'mesh:4x5'? " + families},
    {"array:4x5", "unknown family 'array'; did you mean 'mesh:4x5'? " + families},
    {"grid", "unknown family 'grid'; did you mean 'mesh'? " + families},
    {"2d-mesh", "unknown family '2d-mesh'; did you mean 'mesh'? " + families},
    {"grid-2d:4x5", "unknown family 'grid-2d'; did you mean 'mesh:4x5'? " + families},
    {"3-cube", "unknown family '3-cube'; did you mean 'hypercube:3'? " + families},
    {"C8", "unknown family 'C8'; did you mean 'ring:8'? " + families},
    {"P5", "unknown family 'P5'; did you mean 'line:5'? " + families},
    {"fully-connected:4", "unknown family 'fully-connected'; did you mean 'complete:4'? " + families},
    {"full-mesh", "unknown family 'full-mesh'; did you mean 'complete'? " + families},
    {"random:10", "unknown family 'random'; did you mean 'random-connected:N,M,SEED'? " + families},
    {"fat-tree:3", "3 ports a switch; want an even number"},
    {"hypercube(3)", "brackets; want hypercube:D; did you mean 'hypercube:3'?"},
    {"torus(4,4)", "brackets; want torus:AxBxC...; did you mean 'torus:4x4'?"},
    {"torus:(4,4)", "side '(4,4)' is not a whole number" + digits_wanted + "; did you mean 'torus:4x4'?"},
    {"mesh:+4x5", "side '+4' is not a whole number" + digits_wanted},
    {"mesh:04x5", "side '04' has a leading zero; want 4"},
    {"mesh:4x5y", "side '5y' is not a whole number" + digits_wanted},
    {"mesh:2000000x2000000", too_many},
    {"torus:4294967296x4294967296", too_many},
    {"torus:18446744073709551616x2", "side '18446744073709551616' is too large; want at most 1099511627776"},
    {"line:0", "number of nodes '0' is too small; want at least 1"},
    {"ring:3x4", "number of nodes '3x4' is not a whole number" + digits_wanted},
    {"complete:0", "number of nodes '0' is too small; want at least 1"},
    {"complete:1.5", "number of nodes '1.5' is not a whole number" + digits_wanted},
    {"starGraph4", "unknown family 'starGraph4'; did you mean 'star-graph:4'? " + families},
    {"Q4", "unknown family 'Q4'; did you mean 'hypercube:4'? " + families},
    {"clique:4", "unknown family 'clique'; did you mean 'complete:4'? " + families},
    {"mesh(4x5)", "brackets; want mesh:AxBxC...; did you mean 'mesh:4x5'?"},
    {"knoedel:4x30", "1 number where 2 are wanted: knoedel:D,N; did you mean 'knoedel:4,30'?"},
    {"knoedel:1,6", "of degree 1 only knoedel:1,2 is connected; want degree 2 or more"},
    {"circulant:6,2", "nodes and jumps are all multiples of 2: the graph falls into 2 pieces"},
    {"circulant:9,2,2", "jump 2 comes twice"},
    {"slimfly:6", "6 is no power of a prime; want one, such as 5 or 7"},
    {"slimfly:2", "prime power '2' is too small; want at least 3"},
    {"slimfly:1000000007", too_many},
    {"polarfly:10", "10 is no power of a prime; want one, such as 9 or 11"},
    {"polarfly:1", "prime power '1' is too small; want at least 2"},
    {"polarfly:1048576", too_many},
    {"dragonfly:4", "1 number where 2 to 4 are wanted: dragonfly:A,H[,G[,T]]"},
    {"dragonfly:4,2,9,0,1", "5 numbers where 2 to 4 are wanted: dragonfly:A,H[,G[,T]]"},
    {"dragonfly:0,2,2", "routers in a group '0' is too small; want at least 1"},
    {"dragonfly:4,0,2", "global links of a router '0' is too small; want at least 1"},
    {"dragonfly:4,2,1", "groups '1' is too small; want at least 2"},
    {"dragonfly:4,2,10", "10 groups; want at most 9 (A H + 1), since each pair of groups has a link"},
    {"dragonfly:4,2,9,3", "arrangement (0 palm tree, 1 absolute, 2 circulant) '3' is too large; want at most 2"},
    {"dragonfly:1048576,1048576,1048577", too_many},
    {"twisted-torus:4x4", "1 part between commas where 2 are wanted: twisted-torus:S1x..,T1x.."},
    {"twisted-torus:4x8,8", "twist '8' is too large; want at most 7"},
    {"twisted-torus:4x8,-1", "twist '-1' is not a whole number; want digits only, such as 7"},
    {"twisted-torus:4x8,", "twist missing; want digits only, such as 7"},
    {"twisted-torus:2x8,1", "side '2' is too small; want at least 3"},
    {"twisted-torus:8,1", "one side, and nothing to twist; want two sides or more, or ring:8"},
    {"twisted-torus:4x4x8,4", "1 twist of 3 sides; want 2, one for each side but the last"},
    {"twisted-torus:1048576x1048577,1", too_many},
    {"twisted-torus(4x8,4)", "brackets; want twisted-torus:S1x..,T1x..; did you mean 'twisted-torus:4x8,4'?"},
    {"express-mesh:8x8", "1 part between commas where 2 are wanted: express-mesh:AxBx...,S"},
    {"express-mesh:8x8,2,2", "3 parts between commas where 2 are wanted: express-mesh:AxBx...,S"},
    {"express-mesh:8x8,1", "length of express links '1' is too small; want at least 2"},
    {"express-mesh:0x4,2", "side '0' is too small; want at least 1"},
    {"express-mesh:1048576x1048577,2", too_many},
    {"chiplet-mesh:2x2,4x4", "2 parts between commas where 3 are wanted: chiplet-mesh:XxY,AxB,L"},
    {"chiplet-mesh:2x2,4x4,5", "links a side '5' is too large; want at most 4"},
    {"chiplet-mesh:2x2,4x3,4", "links a side '4' is too large; want at most 3"},
    {"chiplet-mesh:2x2,4x4,0", "links a side '0' is too small; want at least 1"},
    {"chiplet-mesh:2,4x4,1", "chiplets along a side '2'; want two numbers, such as 2x3"},
    {"chiplet-mesh:2x2,4x4x4,1", "side of a chiplet '4x4x4'; want two numbers, such as 4x4"},
    {"chiplet-mesh:0x2,4x4,1", "chiplets along a side '0' is too small; want at least 1"},
    {"chiplet-mesh:1048576x1048576,2x2,1", too_many},
    {"xpander:3,4", "2 numbers where 3 are wanted: xpander:D,L,SEED"},
    {"xpander:0,4,1", "degree '0' is too small; want at least 1"},
    {"xpander:3,0,1", "nodes in a group '0' is too small; want at least 1"},
    {"xpander:1,2,1", "of degree 1 only 2 nodes are connected; want degree 2 or more"},
    {"xpander:3,4,-1", "seed '-1' is not a whole number" + digits_wanted},
    {"xpander:3,4,18446744073709551616", "seed '18446744073709551616' is too large; want at most 18446744073709551615"},
    {"xpander:3,1073741824,1", "4294967296 nodes; want at most 1073741824 (2^30), since their links are stored"},
    {"twisted-cube:4", "dimension 4; want an odd one"},
    {"petersen:3", "petersen takes nothing after it; want petersen"},
    {"product(ring:4", "a bracket is not closed; want product(F1,F2,...)"},
    {"product(line:2,line:3)x", "'x' after the closing bracket; want product(F1,F2,...)"},
    {"product:(line:2,line:3)", "a colon and a bracket; want product(F1,F2,...)"},
    {"product:ring:4", "one factor; want product:F1,F2,..., such as product:petersen,line:3"},
    {"random-regular:3,7,1", "7 nodes of degree 3: one of both must be even"},
    {"dragonfly:100000,100000", too_many},
    {"star-graph:15", "number of symbols '15' is too large; want at most 14"},
    {"cbt:64", "height '64' is too large; want at most 39"}};

TEST(MakeTopology, TakesAFamilyInAnyCaseWithAnySigns) {
    EXPECT_EQ(make_topology("Ring:4")->spec(), "ring:4");
    EXPECT_EQ(make_topology("TORUS:3")->spec(), "torus:3");
    EXPECT_EQ(make_topology("Star_Graph:4")->spec(), "star-graph:4");
    EXPECT_EQ(make_topology("Petersen")->spec(), "petersen");
}

TEST(BeginsAsTopology, IsAFamilyWithSomethingBehindItOrOneThatTakesNothing) {
    for (const char* word : {"ring:4", "meshh:4x4", "torus(4)", "petersen"})
        EXPECT_TRUE(begins_as_topology(word)) << word;
    for (const char* word : {"ring", "on=ring:3", "broadcast", "x:3", ""})
        EXPECT_FALSE(begins_as_topology(word)) << word;
}

TEST(MakeTopology, RefusesAHostileSpecificationInOneLineThatSaysWhatIsRight) {
    for (const Hostile& row : hostile) EXPECT_EQ(refusal(row.spec), "topology '" + row.spec + "': " + row.message);
}

TEST(MakeTopology, RefusesAGraphThatTakesTooMuchAtOnceAndByItsName) {
    const auto does_not_fit = [](const std::string& spec) -> std::string {
        try {
            (void)make_topology(spec);
        } catch (const DoesNotFit& error) {
            return error.what();
        }
        return "";
    };
    for (const std::string spec : {"random-regular:8000,8002,1", "random-regular:3,1000000000,1",
                                   "random-regular:62,64,1", "xpander:1000000,1000,1", "dragonfly:1,4294967295,2,0",
                                   "dragonfly:1,4294967294,2,0", "dragonfly:2147483648,1,512,0"})
        EXPECT_THAT(does_not_fit(spec), testing::StartsWith("topology '" + spec + "': ")) << spec;
}

TEST(MakeTopology, KeepsItsRefusalOnOneLine) {
    EXPECT_EQ(refusal("mesh:4\n5"),
              "topology 'mesh:4?5': side '4?5' is not a whole number; want digits only, such as 16");
}

TEST(TopologyFamilies, ListsEachFamilyOnceWithItsFormAndALine) {
    std::set<std::string_view> names;
    for (const TopologyFamily& family : topology_families()) {
        EXPECT_TRUE(names.insert(family.name).second) << family.name;
        EXPECT_EQ(family.form.substr(0, family.form.find_first_of(":(")), family.name);
        EXPECT_FALSE(family.about.empty());
    }
    for (const char* name : {"hypercube", "mesh", "torus", "line", "ring", "complete", "cbt"})
        EXPECT_TRUE(names.contains(name)) << name;
}

TEST(TopologyFamilies, NameMembersOfTheSizeAsked) {
    for (const NodeId nodes : {1U, 2U, 7U, 10U, 12U, 16U, 24U, 30U}) {
        const std::vector<std::string> all = topologies_of(nodes);
        for (const std::string& spec : all) EXPECT_EQ(make_topology(spec)->nodes(), nodes) << spec;
        EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size()) << nodes;
    }
    EXPECT_THAT(topologies_of(12), testing::IsSupersetOf({"mesh:3x4", "torus:2x2x3", "ring:12"}));
    EXPECT_THAT(topologies_of(7), testing::Contains("cbt:2"));
}

TEST(TopologyFamilies, AreAllDrawnWithinTheSizeAsked) {
    Dice dice(7);
    std::set<std::string> drawn;
    for (int n = 0; n < 3000; ++n) {
        const auto topology = make_topology(draw_topology(dice, 40));
        EXPECT_LE(topology->nodes(), 40U) << topology->spec();
        drawn.emplace(topology->family());
    }
    for (const TopologyFamily& family : topology_families())
        for (NodeId nodes = 1; nodes <= 40; ++nodes)
            EXPECT_TRUE(family.members(nodes).empty() || drawn.contains(std::string(family.name))) << family.name;
    for (int n = 0; n < 20; ++n) EXPECT_EQ(make_topology(draw_topology(dice, 1))->nodes(), 1U);
}

TEST(TopologyFamilies, ShrinkOneNumberOrLeaveASideOut) {
    EXPECT_THAT(smaller_topologies(*make_topology("mesh:4x5")),
                testing::UnorderedElementsAre("mesh:2x5", "mesh:3x5", "mesh:4x2", "mesh:4x4", "mesh:5", "mesh:4"));
    EXPECT_THAT(smaller_topologies(*make_topology("hypercube:1")), testing::ElementsAre("hypercube:0"));
    EXPECT_THAT(smaller_topologies(*make_topology("ccc:4")), testing::ElementsAre("ccc:3"));
    EXPECT_THAT(smaller_topologies(*make_topology("line:1")), testing::IsEmpty());
}

}  // namespace
}  // namespace kport
