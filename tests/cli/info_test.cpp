/// @file info_test.cpp   kport info: a topology as text, as JSON with the columns of the reference's table, and its limits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/kport.hpp"
#include "tests/oracle/table.hpp"

namespace kport::test {
namespace {

using testing::HasSubstr;

TEST(Info, SaysHowManyOfTheNodesItShows) {
    EXPECT_THAT(kport("info hypercube:4").out, HasSubstr("\n3 of 16 nodes: the first, the one in the middle, "));
    EXPECT_THAT(kport("info complete:3").out, testing::Not(HasSubstr(" of 3 nodes")));
}

TEST(Info, TellsAsJsonWhatTheReferencesTableHasInItsColumns) {
    int looked_at = 0;
    for (const oracle::Row& row : oracle::table("topologies")) {
        if (row.number("nodes") % 8 != 2 && row["topology"].find("product") == std::string::npos) continue;
        const Outcome outcome = kport({"info", row["topology"], "--json"});
        ASSERT_EQ(outcome.status, 0) << row["topology"] << outcome.err;
        const nlohmann::json json = outcome.json();
        for (const char* column : {"nodes", "links", "degree_min", "degree_max", "port_labels", "diameter", "radius",
                                   "ecc_0", "ecc_mid", "ecc_last", "distance_sum_0", "distance_sum_last"})
            EXPECT_EQ(json[column].get<std::uint64_t>(), row.number(column)) << row["topology"] << ": " << column;
        for (const char* column : {"wires_0", "wires_mid", "wires_last", "wiring_hash", "vertex_symmetric"})
            EXPECT_TRUE(!row.has(column) || json[column] == row[column]) << row["topology"] << ": " << column;
        ++looked_at;
    }
    EXPECT_GT(looked_at, 10);
}

TEST(Info, TellsAsJsonWhatTheReferenceHasOfMachinesWithoutSwitches) {
    int looked_at = 0;
    for (const oracle::Row& row : oracle::table("machines")) {
        if (row.number("switches") > 0) continue;
        const Outcome outcome = kport({"info", row["topology"], "--json"});
        ASSERT_EQ(outcome.status, 0) << row["topology"] << outcome.err;
        const nlohmann::json json = outcome.json();
        for (const char* column :
             {"nodes", "hosts", "switches", "links", "channels", "degree_min", "degree_max", "port_labels", "diameter",
              "host_diameter", "message_diameter", "host_ecc_0", "host_distance_sum_0", "host_distance_sum_last"})
            EXPECT_EQ(json[column].get<std::uint64_t>(), row.number(column)) << row["topology"] << ": " << column;
        for (const char* column : {"topology", "wires_0", "wires_last", "wiring_hash"})
            EXPECT_EQ(json[column], row[column]) << row["topology"] << ": " << column;
        ++looked_at;
    }
    EXPECT_EQ(looked_at, 36);
}

TEST(Info, TellsTheChannelsOfTrunks) {
    const std::string text = kport("info dragonfly:2,2,2,0").out;
    for (const char* line : {"\nlinks              4\n", "\nchannels           12\n", "1 2*2 -"})
        EXPECT_THAT(text, HasSubstr(line));
    EXPECT_THAT(kport("info dragonfly:4,2").out, testing::Not(HasSubstr("\nchannels ")));
}

TEST(Info, IsQuickAboutLargeMachines) {
    for (const char* spec : {"dragonfly:32,16,513", "dragonfly:32,16,513,1", "slimfly:64",
                             "twisted-torus:100x100x100,3x5", "express-mesh:100x100x100,10", "polarfly:127"}) {
        const nlohmann::json json = kport({"info", spec, "--json"}).json();
        EXPECT_TRUE(json["diameter"].is_number()) << spec;
        EXPECT_TRUE(json["degree_max"].is_number()) << spec;
    }
}

TEST(Info, TellsAsText) {
    const Outcome outcome = kport("info petersen");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "");
    for (const char* line : {"petersen: Petersen's graph", "\nnodes              10\n", "\ndegree             3\n",
                             "\naverage distance   1.66667\n", "\nconnectivity       3 links, 3 nodes\n",
                             "\nvertex symmetric   yes\n", "\nbipartite          no\n", "1 4 5\n"})
        EXPECT_THAT(outcome.out, HasSubstr(line));
    const Outcome line = kport("info line:3");
    for (const char* fact :
         {"\ndegree             1 to 2\n", "\naverage distance   1.33333\n", "\nconnectivity       1 link, 1 node\n"})
        EXPECT_THAT(line.out, HasSubstr(fact));
    EXPECT_THAT(outcome.out, HasSubstr("best 1-port broadcast from node 0: 4 rounds (exhaustive search)\n"));
    EXPECT_THAT(kport("info mesh:3x4").out, HasSubstr("\ndegree             2 to 4\n"));
}

TEST(Info, SaysOfAPublishedBroadcastWhetherNoneIsFaster) {
    for (const char* line : {"star:5: best 1-port broadcast from node 0: 4 rounds (one leaf",
                             "star:2: best 1-port broadcast from node 0: 1 round (one leaf",
                             "shuffle-exchange:2: best known 1-port broadcast from node 2: 3 rounds (Hrom",
                             "hamming:3x3x3: best known 1-port broadcast from node 0: 6 rounds (recursive",
                             "knoedel:3,8: best 1-port broadcast from node 0: 3 rounds (Knoedel"}) {
        const std::string told = line;
        const std::size_t colon = told.find(": ");
        EXPECT_THAT(kport("info " + told.substr(0, colon)).out, HasSubstr("\n" + told.substr(colon + 2)));
    }
    EXPECT_EQ(kport("info hamming:3x3x3 --json").json()["broadcast_exact_0"], false);
    EXPECT_EQ(kport("info petersen --json").json()["broadcast_exact_0"], true);
}

TEST(Info, ShowsANodeOnceInASmallTopology) {
    const std::string one = kport("info mesh:1x1").out;
    EXPECT_EQ(one.find("\n0 (0,0)"), one.rfind("\n0 (0,0)"));
    const std::string two = kport("info star:2").out;
    EXPECT_EQ(two.find("\n1 "), two.rfind("\n1 "));
    EXPECT_EQ(kport("info star:2 --json").json()["ecc_last"], 1);
}

TEST(Info, LeavesOutAnAnswerThatNobodyKnows) {
    EXPECT_THAT(kport("info random-regular:2,300,1").out, HasSubstr("\nvertex symmetric   -\n"));
    EXPECT_TRUE(kport("info random-regular:2,300,1 --json").json()["vertex_symmetric"].is_null());
}

TEST(Info, LeavesOutWhatWouldTakeTooLongAndSaysWhy) {
    const Outcome outcome = kport("info hypercube:40 --json");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.err, HasSubstr("hypercube:40 has too many ports to look at all"));
    const nlohmann::json json = outcome.json();
    EXPECT_EQ(json["diameter"], 40);
    EXPECT_EQ(json["degree_min"], 40);
    EXPECT_TRUE(json["wiring_hash"].is_null());
    const Outcome circle = kport("info circulant:1000000000000,1,2");
    EXPECT_EQ(circle.status, 0);
    EXPECT_THAT(circle.out, HasSubstr("\ndiameter           -\n"));
}

TEST(Info, NeedsATopology) {
    EXPECT_EQ(kport("info").status, 2);
    EXPECT_EQ(kport("info").err,
              "kport: kport info needs a topology, such as hypercube:10 ('kport list topologies' shows all)\n");
    EXPECT_EQ(kport("info petersn").status, 2);
    EXPECT_THAT(kport("info petersn").err, HasSubstr("did you mean 'petersen'?"));
}

}  // namespace
}  // namespace kport::test
