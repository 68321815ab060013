/// @file switches_test.cpp   Machines with hosts and switches: info, runs, bounds, schedules, and what refuses them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/files.hpp"
#include "tests/cli/kport.hpp"
#include "tests/oracle/table.hpp"

namespace kport::test {
namespace {

using testing::HasSubstr;

TEST(Switches, InfoHasTheColumnsOfTheReferencesTable) {
    int looked_at = 0;
    for (const oracle::Row& row : oracle::table("machines")) {
        if (row.number("switches") == 0 || row.number("nodes") > 40) continue;
        const Outcome outcome = kport({"info", row["topology"], "--json"});
        if (outcome.status != 0) continue;  // a network that this build does not know
        const nlohmann::json json = outcome.json();
        for (const char* column :
             {"nodes", "hosts", "switches", "links", "channels", "degree_min", "degree_max", "port_labels", "diameter",
              "host_diameter", "message_diameter", "host_ecc_0", "host_distance_sum_0", "host_distance_sum_last"})
            EXPECT_EQ(json[column].get<std::uint64_t>(), row.number(column)) << row["topology"] << ": " << column;
        for (const char* column : {"wires_0", "wires_last", "wiring_hash"})
            EXPECT_EQ(json[column], row[column]) << row["topology"] << ": " << column;
        ++looked_at;
    }
    EXPECT_GT(looked_at, 20);
}

std::uint64_t rounds_of(const std::string& line) {
    const Outcome outcome = kport("run " + line + " --json");
    EXPECT_EQ(outcome.status, 0) << line << outcome.out << outcome.err;
    return outcome.json()["measured"]["rounds"];
}

TEST(Switches, CollectivesRunAmongTheHosts) {
    EXPECT_EQ(rounds_of("broadcast --on fat-tree:4"), 4U);
    EXPECT_EQ(rounds_of("allreduce --on fat-tree:4"), 4U);
    EXPECT_EQ(rounds_of("broadcast --on leaf-spine:2,2,4"), 3U);
    EXPECT_EQ(rounds_of("broadcast --on crossbar:8 --switch-limit 1"), 7U);
    const nlohmann::json json = kport("run allreduce --on fat-tree:4 --json").json();
    EXPECT_EQ(json["topology"]["hosts"], 16);
    EXPECT_EQ(json["topology"]["nodes"], 36);
}

TEST(Switches, EveryEngineCountsTheSame) {
    for (const char* line :
         {"allgather --on leaf-spine:2,1,4", "alltoall --on leaf-spine:2,1,4 --combining off",
          "broadcast --on bcube:2,1 --ports 2", "scatter --on dcell:2,1", "reduce --on nvswitch:8,4"}) {
        const auto measured = [&](const std::string& with) {
            return kport(std::string("run ") + line + with + " --json").json()["measured"];
        };
        EXPECT_EQ(measured(" --engine free"), measured("")) << line;
        EXPECT_EQ(measured(" --threads 2"), measured("")) << line;
    }
}

TEST(Switches, BroadcastsTakeCeilLogRoundsWhereSwitchesJoinAllHosts) {
    for (const char* spec : {"crossbar:5", "leaf-spine:3,1,4,2", "kary-ntree:2,3", "xgft:2x3x4,1x2x3", "nvswitch:8,4",
                             "hosts(2,ring:4)", "hosts(2,mesh:2x3)", "rail:2,4,1"}) {
        const std::string on = std::string(" --on ") + spec;
        const nlohmann::json json = kport("run broadcast --algorithm euler-rda" + on + " --json").json();
        EXPECT_EQ(json["measured"]["rounds"], json["bounds"]["rounds"]) << spec;
        for (const char* operation : {"reduce", "scatter", "gather"})
            EXPECT_EQ(rounds_of(std::string(operation) + " --algorithm euler-rda" + on), json["bounds"]["rounds"])
                << operation << ' ' << spec;
    }
}

TEST(Switches, SchedulesNameTheWayThroughSwitches) {
    const Files files;
    const std::string file = files.folder() + "/fat.txt";
    EXPECT_EQ(kport("run broadcast --on fat-tree:4 --record " + file).status, 0);
    const Outcome checked = kport("check " + file + " --json");
    EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
    EXPECT_EQ(checked.json()["measured"]["rounds"], 4);
}

TEST(Switches, AreNoSourcesAndHaveNoRulesWhereThereAreNone) {
    EXPECT_EQ(kport("run broadcast --on crossbar:4 --source 4").status, 2);
    EXPECT_THAT(kport("run broadcast --on crossbar:4 --source 4").err, HasSubstr("is a switch"));
    EXPECT_EQ(kport("run broadcast --on mesh:3x3 --switch-limit 2").status, 2);
    EXPECT_THAT(kport("run broadcast --on mesh:3x3 --switch-limit 2").err, HasSubstr("has no switches"));
}

TEST(Switches, AreRefusedByWhatDoesNotKnowThem) {
    for (const char* line : {"search broadcast --on crossbar:4", "show broadcast --on crossbar:4",
                             "run broadcast --on crossbar:4 --inject drop"}) {
        const Outcome outcome = kport(line);
        EXPECT_EQ(outcome.status, 2) << line;
        EXPECT_THAT(outcome.err, HasSubstr("does not know switches and trunks yet, and crossbar:4 has 1 switch"))
            << line;
    }
}

TEST(Switches, OfGraphFilesHandMessagesOn) {
    Files files;
    const std::string file = files.add("star.edges", "a hub\nb hub\nc hub\nd hub\n");
    EXPECT_EQ(rounds_of("broadcast --on " + file + " --switches hub"), 2U);
    const std::string trunk = files.add("trunk.edges", "a b\na b\nb c\n");
    EXPECT_EQ(kport("run broadcast --on " + trunk + " --trunks").status, 0);
}

}  // namespace
}  // namespace kport::test
