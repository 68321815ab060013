/// @file switches_test.cpp   Machines with hosts and switches: info, runs, bounds, schedules, and what refuses them.
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
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

TEST(Switches, AreSquaresInPicturesAndTrunksAreThick) {
    const auto count = [](const std::string& text, const std::string& part) {
        std::size_t found = 0;
        for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
        return found;
    };
    const std::string dot = kport("show broadcast --on leaf-spine:2,1,2,2 --as dot").out;
    EXPECT_EQ(count(dot, "shape=square"), 3U);
    EXPECT_EQ(count(dot, "penwidth=2"), 2U);
    const std::string svg = kport("show broadcast --on fat-tree:4 --as overview").out;
    EXPECT_EQ(count(svg, "<circle"), 16U + 3) << "hosts, and the legend";
    for (const char* as : {"svg", "space-time", "trace", "html", "text", "json"}) {
        const Outcome outcome = kport(std::string("show allreduce --on rail:2,2,1 --as ") + as);
        EXPECT_EQ(outcome.status, 0) << as << outcome.err;
    }
    EXPECT_THAT(kport("show broadcast --on fat-tree:4 --as html").out, HasSubstr("\"hosts\":16"));
}

TEST(Switches, SearchFindsTheMinimaOfTheReference) {
    int rows = 0;
    for (const oracle::Row& row : oracle::table("switched")) {
        if (row["operation"] != "broadcast" || !row.has("rounds_minimum")) continue;
        std::string line = "search broadcast --on " + row["topology"] + " --ports " + row["ports"] + " --source " +
                           row["source"] + " --switching " + (row["switching"] == "WH" ? "wh " : "sf ") +
                           row["options"];
        const Outcome outcome = kport(line + " --json");
        EXPECT_EQ(outcome.status, 0) << line << outcome.err;
        EXPECT_EQ(outcome.json()["rounds_minimum"], row.number("rounds_minimum")) << line;
        ++rows;
    }
    EXPECT_GT(rows, 10);
}

TEST(Switches, SearchSaysWhatItDoesNotLookFor) {
    EXPECT_THAT(kport("search alltoall --on crossbar:4").err, HasSubstr("a search knows broadcast and reduce"));
    EXPECT_THAT(kport("search broadcast --on crossbar:4 --least rounds,volume").err,
                HasSubstr("a search minimises rounds only"));
    EXPECT_EQ(kport("search gather --on leaf-spine:2,1,4 --json").json()["rounds_minimum"], 3);
    EXPECT_EQ(kport("search broadcast --on line:9 --switching wh --json").json()["rounds_minimum"], 4);
}

TEST(Switches, InjectedFaultsAreFound) {
    for (const char* fault : {"drop", "echo", "misdeliver", "forge", "channel-twice", "no-such-edge", "visit-twice"}) {
        const Outcome outcome = kport(std::string("run broadcast --on leaf-spine:2,2,2,2 --json --inject ") + fault);
        EXPECT_EQ(outcome.status, 1) << fault << outcome.err;
        EXPECT_EQ(outcome.json()["faults"][0]["found"], true) << fault;
    }
}

TEST(Switches, StressTriesMachinesThatHaveSome) {
    for (const char* spec : {"fat-tree:4", "leaf-spine:2,1,3,2", "rail:2,3", "dcell:2,1", "nvswitch:4,2,2"}) {
        const Outcome outcome = kport(std::string("stress --cases 30 --threads 1 --on ") + spec);
        EXPECT_EQ(outcome.status, 0) << spec << outcome.out << outcome.err;
    }
}

TEST(Switches, SchedulesOfOtherProgramsTakeTheFixedRoutes) {
    const Files files;
    for (const char* ending : {".goal", ".xml"}) {
        const std::string file = files.folder() + "/leaf" + ending;
        EXPECT_EQ(kport("run allgather --on leaf-spine:2,1,2 --record " + file).status, 0) << ending;
        const Outcome checked = kport("check " + file + " allgather --on leaf-spine:2,1,2 --json");
        EXPECT_EQ(checked.status, 0) << ending << checked.out << checked.err;
        EXPECT_TRUE(checked.json()["checks"]["channels"]) << ending;
    }
}

TEST(Switches, OfGraphFilesHandMessagesOn) {
    Files files;
    const std::string file = files.add("star.edges", "a hub\nb hub\nc hub\nd hub\n");
    EXPECT_EQ(rounds_of("broadcast --on " + file + " --switches hub"), 2U);
    const std::string trunk = files.add("trunk.edges", "a b\na b\nb c\n");
    EXPECT_EQ(kport("run broadcast --on " + trunk + " --trunks").status, 0);
}

/// Machines without switches whose links carry several messages.
TEST(Trunks, RunInEveryEngineAndAreJudgedAgain) {
    const std::vector<std::string> operations = {"broadcast", "scatter",   "gather",         "reduce", "allgather",
                                                 "alltoall",  "allreduce", "reduce-scatter", "scan",   "barrier"};
    for (const char* spec : {"dragonfly:2,4,3,0", "product(line:2,dragonfly:2,2,2,0)", "dragonfly:1,3,2,0"})
        for (const std::string& operation : operations)
            for (const char* options : {"--ports all", "--ports all --combining off", "--ports 2 --combining off"}) {
                if (operation == "scan" && std::string_view(options).ends_with("off")) continue;  // none runs so
                Files files;
                const std::string path = files.add("run.json", "");
                const std::string line = fmt::format("run {} --on {} {}", operation, spec, options);
                const Outcome ran = kport(line + " --json --record " + path);
                EXPECT_EQ(ran.status, 0) << line << ran.err;
                const nlohmann::json json = ran.json();
                EXPECT_LE(json["bounds"]["rounds"], json["measured"]["rounds"]) << line;
                EXPECT_EQ(kport({"check", path}).status, 0) << line;
                EXPECT_EQ(kport(line + " --engine free --json").json()["measured"]["rounds"],
                          json["measured"]["rounds"])
                    << line;
            }
}

TEST(Trunks, LetNoPacketBehindANodesOwnBeLost) {  // which a trunk may bring in the same round
    for (const char* line : {"run scatter --on dragonfly:2,4,2,0 --ports all --algorithm pipeline --source 3",
                             "run gather --on dragonfly:2,4,2,0 --ports all --algorithm pipeline --source 3",
                             "run scatter --on dragonfly:3,4,2,1 --ports 3 --algorithm pipeline --source 5"})
        for (const char* engine : {"lockstep", "free"})
            EXPECT_EQ(kport(fmt::format("{} --engine {}", line, engine)).status, 0) << line << engine;
}

TEST(Trunks, LetPartnersExchangeAsManyMessagesAsTheyCarry) {
    const nlohmann::json json =
        kport("run scatter --on dragonfly:1,3,2,0 --ports all --pairwise --combining off --packets 3 --json").json();
    EXPECT_EQ(json["measured"]["rounds"], 1);
    EXPECT_EQ(json["bounds"]["rounds"], 1);
    EXPECT_EQ(kport("bounds broadcast --on dragonfly:2,6,2,2 --ports all --pairwise --json").json()["bounds"]["rounds"],
              2)
        << "a host informs one other a round";
}

TEST(Trunks, JoinOneNeighbourThatTakesSeveralPacketsInARound) {
    for (const char* operation : {"neighbor-allgather", "neighbor-alltoall"}) {
        const std::string line = fmt::format("run {} --on dragonfly:1,3,2,0 --packets 3 --combining off", operation);
        EXPECT_EQ(kport(line + " --json").json()["measured"]["rounds"], 3);
        EXPECT_EQ(kport(line + " --ports all --json").json()["measured"]["rounds"], 1);
        EXPECT_EQ(kport(line + " --ports all --json").json()["bounds"]["rounds"], 1);
    }
}

TEST(Trunks, OfFamiliesBreakLinkByLink) {
    const nlohmann::json one = kport("run broadcast --on dragonfly:2,2,2,0 --broken 0--2*1 --json").json();
    EXPECT_EQ(one["machine"]["broken"], nlohmann::json({"0--2*1"}));
    EXPECT_EQ(one["topology"]["channels"], 10);
    EXPECT_EQ(kport("search broadcast --on dragonfly:2,2,2,0 --broken 0--2 --json").json()["rounds_minimum"], 3);
    EXPECT_EQ(kport("tolerance broadcast --on dragonfly:2,2,2,0 --json").json()["sets"], 4);
}

TEST(Machines, KeepTheNameThatTheyWereAskedBy) {
    for (const char* spec : {"hyperx:3x3", "hosts(4,hyperx:3x3)", "hamming:3x3"}) {
        Files files;
        const std::string path = files.add("run.txt", "");
        const nlohmann::json json = kport(fmt::format("run broadcast --on {} --json --record {}", spec, path)).json();
        EXPECT_EQ(json["topology"]["spec"], spec);
        EXPECT_THAT(json["again"], HasSubstr(spec));
        EXPECT_EQ(kport({"check", path, "--json"}).json()["topology"]["spec"], spec);
        EXPECT_EQ(kport(fmt::format("info {} --json", spec)).json()["topology"], spec);
    }
}

TEST(Switches, HostsHaveLimitsOfSendsAndReceives) {
    EXPECT_EQ(rounds_of("broadcast --on nvswitch:9,4 --ports 2:1"), 2U);
    EXPECT_EQ(rounds_of("reduce --on nvswitch:9,4 --ports 1:2"), 2U);
    EXPECT_EQ(rounds_of("broadcast --on fat-tree:4 --ports 1:2"), 4U);
    for (const char* ports : {"2:1", "1:2", "all:1", "3:2"})
        for (const char* on : {"nvswitch:9,4", "bcube:2,1", "rail:2,3", "leaf-spine:2,2,3"}) {
            const std::string machine = std::string(" broadcast --ports ") + ports + " --on " + on + " --json";
            const std::uint64_t minimum = kport("search" + machine).json()["rounds_minimum"];
            const nlohmann::json ran = kport("run" + machine).json();
            EXPECT_LE(ran["bounds"]["rounds"], minimum) << machine;
            EXPECT_GE(ran["measured"]["rounds"], minimum) << machine;
        }
    EXPECT_EQ(kport("run broadcast --on nvswitch:4,2 --ports 1:0").status, 3);
    EXPECT_EQ(kport("run broadcast --on nvswitch:4,2 --ports 1:2 --duplex half").status, 2);
}

TEST(Switches, LimitsOfHostsAndPricesOfLinksComeFromOneGraphFile) {
    Files files;
    const std::string file = files.add(
        "box.graphml",
        "<graphml><key id='k' for='node' attr.name='kind' attr.type='string'/><key id='p' for='node' attr.name='ports' "
        "attr.type='string'/><key id='w' for='edge' attr.name='ms' attr.type='double'/><graph edgedefault='undirected'>"
        "<node id='s'><data key='k'>switch</data></node><node id='t'><data key='k'>switch</data></node>"
        "<node id='a'><data key='p'>2:1</data></node><node id='b'/><node id='c'/>"
        "<edge source='a' target='s'><data key='w'>1</data></edge><edge source='a' target='t'><data "
        "key='w'>2</data></edge>"
        "<edge source='b' target='s'><data key='w'>1</data></edge><edge source='c' target='t'><data "
        "key='w'>2</data></edge>"
        "<edge source='s' target='t'><data key='w'>1</data></edge></graph></graphml>\n");
    const std::string line = "run broadcast --on " + file + " --ports-by ports --td-by ms --td 1 --json";
    const nlohmann::json json = kport(line).json();
    EXPECT_EQ(json["measured"]["rounds"], 1) << "host a sends to both others";
    EXPECT_EQ(json["measured"]["latency"], 5.064) << "by links of 2 and 2 ms";
    EXPECT_EQ(kport("run allgather --on " + file + " --ports-by ports").status, 0);
}

TEST(Switches, AdaptiveRoutingFindsFreeRoutesAndItsSchedulesNameThem) {
    const std::string line = "permutation --on leaf-spine:2,2,2 --permutation list:2,-,0,- --json";
    EXPECT_EQ(kport("run " + line).json()["machine"]["routing"], "fixed");
    const std::string shifts = "alltoall --on kary-ntree:2,3 --algorithm direct --combining off";
    EXPECT_GE(rounds_of(shifts + " --routing adaptive"), 7U);
    const Files files;
    for (const char* ending : {".json", ".txt"}) {
        const std::string file = files.folder() + "/adaptive" + ending;
        const nlohmann::json ran = kport("run " + shifts + " --routing adaptive --json --record " + file).json();
        EXPECT_EQ(ran["machine"]["routing"], "adaptive");
        const Outcome checked = kport("check " + file + " --json --combining off");
        EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
        EXPECT_EQ(checked.json()["measured"], ran["measured"]) << ending;
    }
    EXPECT_THAT(kport("run broadcast --on mesh:3x3 --routing adaptive").err, HasSubstr("take one link"));
    EXPECT_THAT(kport("run broadcast --on crossbar:4 --routing adaptive --broken 3 --unaware").err,
                HasSubstr("known of fixed routes only"));
}

}  // namespace
}  // namespace kport::test
