/// @file promised_bounds_test.cpp   Lower bounds that follow from who owns and who lacks what, on cases where the ends of a way, the
///                                  relays, or the hosts of a machine with switches bind.
/// Source  by hand from V1 to V3, W1 to W3 and the counting bound (docs/model.md); what kport runs or finds is never below them.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/requests/answers.hpp"

namespace kport::test {
namespace {

nlohmann::json promised_json(const std::string& line) {
    const requests::Answer answer = answer_to(line + " --bytes 8 --json");
    EXPECT_EQ(answer.status, 0) << line << answer.error;
    return nlohmann::json::parse(answer.text);
}

struct BoundCase {
    const char* request;
    const char* quantity;
    int bound;
};

TEST(PromisedBounds, AreThoseOfTheEndThatHasFewerPorts) {
    for (const BoundCase& one : std::vector<BoundCase>{
             {"permutation --on star:5 --ports all --packets 2 --permutation move:4 --combining off", "rounds", 2},
             {"permutation --on star:5 --ports all --packets 2 --permutation move:4", "volume", 16},
             {"permutation --on star:5 --ports 2 --packets 4 --permutation list:1,-,-,-,-", "volume", 32},
             {"permutation --on star:5 --ports 2 --packets 4 --permutation list:-,0,-,-,-", "volume", 32},
             {"alltoall --on mesh:3x3 --ports 3 --packets 2", "volume", 104},
             {"alltoall --on mesh:3x3 --ports 3 --packets 2 --combining off", "rounds", 13}})
        EXPECT_EQ(promised_json(std::string("bounds ") + one.request)["bounds"][one.quantity], one.bound)
            << one.request;
}

TEST(PromisedBounds, CountWhatHostsTakeInOnMachinesWithSwitches) {
    for (const BoundCase& one : std::vector<BoundCase>{
             {"broadcast --on rail:2,3,1 --ports all --packets 2 --combining off", "rounds", 3},
             {"broadcast --on hammingmesh:2x2,2x2 --ports 2 --packets 2 --combining off", "rounds", 4},
             {"reduce --on nvswitch:6,3 --ports 2 --packets 8 --combining off", "rounds", 6},
             {"broadcast --on nvswitch:3,2,2 --ports 2 --packets 2 --combining off", "rounds", 2},
             {"broadcast --on nvswitch:3,2,2 --ports 2 --packets 2", "volume", 16}})
        EXPECT_EQ(promised_json(std::string("bounds ") + one.request)["bounds"][one.quantity], one.bound)
            << one.request;
}

TEST(PromisedBounds, CountTheLinksOnTheWayToMembers) {
    for (const BoundCase& one : std::vector<BoundCase>{
             {"broadcast --on ring:6 --combining off --members 2,5 --relay all --packets 3 --source 2", "work", 9},
             {"allgather --on line:5 --ports 3 --combining off --members 4,1 --relay all --packets 2", "work", 12},
             {"scatter --on ring:8 --switching wh --combining off --members 6,1,2,4 --source 4 --counts 3,2,0,0",
              "work", 12},
             {"allgather --on ring:6 --switching wh --members 1,4 --counts 7,7", "work", 3},
             {"allgather --on mesh:4x2 --switching wh --members 1,7,4 --counts 1,0,0", "work", 5},
             {"neighbor-allgather --on complete:5 --ports 2", "work", 8}})
        EXPECT_EQ(promised_json(std::string("bounds ") + one.request)["bounds"][one.quantity], one.bound)
            << one.request;
}

TEST(PromisedBounds, AreNotAboveWhatSomeAlgorithmTakes) {
    for (const char* request :
         {"permutation --on star:5 --ports all --packets 2 --permutation move:4 --combining off",
          "permutation --on star:6 --ports 2 --packets 3 --permutation list:1,2,0,-,3,-",
          "alltoall --on mesh:3x3 --ports 3 --packets 2 --combining off",
          "broadcast --on rail:2,3,1 --ports all --packets 2",
          "broadcast --on nvswitch:6,3 --ports 2 --packets 8 --combining off",
          "reduce --on hammingmesh:2x2,2x2 --ports 2 --packets 3",
          "broadcast --on ring:6 --combining off --members 2,5 --relay all --packets 3 --source 2",
          "allgather --on mesh:4x2 --switching wh --members 1,7,4 --counts 1,0,0",
          "scatter --on ring:8 --switching wh --members 6,1,2,4 --source 4 --counts 3,2,0,0",
          "neighbor-allgather --on complete:5 --ports 2"}) {
        const nlohmann::json compared = promised_json(std::string("compare ") + request);
        int looked_at = 0;
        for (const nlohmann::json& row : compared["runs"]) {
            if (!row.contains("measured")) continue;
            for (const char* quantity : {"rounds", "work", "path_sum", "volume"})
                EXPECT_GE(row["measured"][quantity], compared["bounds"][quantity]) << request << row.dump();
            ++looked_at;
        }
        EXPECT_GT(looked_at, 0) << request << compared.dump();
    }
}

// A scan by `searched` carries runs of contributions apart; without combining folded values need fewer rounds.
TEST(BoundsOfARun, AreOfAllSchedulesWhateverTheAlgorithmKeepsApart) {
    for (const char* scan : {"scan --on mesh:2x3 --combining off --packets 2",
                             "exscan --on bipartite:2x3 --ports all --combining off --packets 2"}) {
        const nlohmann::json run = promised_json(fmt::format("run {} --algorithm searched", scan));
        const nlohmann::json bounds = promised_json(fmt::format("bounds {}", scan));
        for (const char* of : {"bounds", "best_possible"}) EXPECT_EQ(run[of], bounds[of]) << scan << ", " << of;
        EXPECT_EQ(run["optimal"]["rounds"], run["measured"]["rounds"] == bounds["bounds"]["rounds"]) << scan;
    }
    const std::string fold = "allreduce --on complete:6";
    EXPECT_EQ(promised_json(fmt::format("run {} --algorithm gather-fold", fold))["bounds"],
              promised_json(fmt::format("bounds {}", fold))["bounds"]);
}

}  // namespace
}  // namespace kport::test
