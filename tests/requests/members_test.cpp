/// @file members_test.cpp   Operations among some nodes, through relays, and in groups: what reports say, what is refused, what is
///                          recorded and judged again.
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/requests/answer.hpp"
#include "emulator/schedule/operation.hpp"
#include "tests/requests/answers.hpp"

namespace kport::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

nlohmann::json members_report(const std::string& line) {
    return nlohmann::json::parse(answer_to(line + " --json").text);
}
std::string members_refusal(const std::string& line) {
    const requests::Answer answer = answer_to(line);
    EXPECT_EQ(answer.status, 2) << line;
    return answer.text + answer.error;
}

TEST(MembersInAReport, StandInTheFirstLineInJsonAndInTheCommandThatRepeatsIt) {
    EXPECT_THAT(answer_to("run broadcast --on complete:8 --members 1,3,4,6,7").text,
                HasSubstr("broadcast from node 1 on complete:8 among 5 of 8 nodes"));
    const nlohmann::json json = members_report("run gather --on complete:8 --members 6,2,4 --source 4");
    EXPECT_EQ(json["members"], nlohmann::json({6, 2, 4}));
    EXPECT_EQ(json["relay"], "members");
    EXPECT_EQ(json["source"], 4);
    EXPECT_EQ(json["topology"]["spec"], "complete:8");
    EXPECT_EQ(json["topology"]["nodes"], 8);
    EXPECT_THAT(json["again"].get<std::string>(),
                AllOf(HasSubstr("--on complete:8"), HasSubstr("--members 6,2,4"), HasSubstr("--source =4")));
    EXPECT_FALSE(members_report("run gather --on complete:8").contains("members"));
}

TEST(MembersInAReport, AreTheOnesWhosePacketsCountAtTheRoot) {
    for (const char* operation : {"gather", "reduce"})
        for (const char* machine : {"line:6 --members 0,5 --relay all", "complete:6 --members 0,5"}) {
            const std::string line = fmt::format("run {} --on {}", operation, machine);
            EXPECT_EQ(members_report(line)["holders"], 2) << line << ": relays own nothing";
            EXPECT_THAT(answer_to(line).text, HasSubstr("node 0 holds 2 of 2"));
        }
    const nlohmann::json lost = nlohmann::json::parse(
        answer_to("check - --json", "on line:3\ngather to 0\ncounts 1,0,1\nmembers 0,2\nround 1: 2 -> 1 {2}\n").text);
    EXPECT_EQ(lost["holders"], 1);
}

TEST(MembersInAFile, ThatDoNotHaveTheRootOrAreTooManyToListAreRefused) {
    const auto refusal = [](const std::string& file, const std::string& more) {
        const requests::Answer answer = answer_to("check -" + more, file);
        EXPECT_EQ(answer.status, 2) << file;
        return answer.text + answer.error;
    };
    EXPECT_THAT(refusal("on ring:4\nbroadcast from 0\nmembers 1,2\nround 1: 0 -> 1\n", ""),
                HasSubstr("node 0 is no member; want a root of them, such as 1"));
    EXPECT_THAT(refusal("on ring:4\nbroadcast from 0\nround 1: 0 -> 1\n", " --members 1,2"),
                HasSubstr("node 0 is no member"));
    EXPECT_THAT(refusal("on hypercube:30\nbroadcast from 0\nmembers 0-1073741823\nround 1: 0 -> 1\n", ""),
                HasSubstr("more than 1048576 nodes; want fewer"));
    EXPECT_THAT(members_refusal("run broadcast --on hypercube:30 --members 0-1073741823"),
                HasSubstr("more than 1048576 nodes; want fewer"));
}

TEST(MembersAmongRelays, AloneCountAsHolders) {
    const std::string on = " --on mesh:4x4 --members 0,3,12,15 --relay all";
    EXPECT_THAT(answer_to("run broadcast" + on).text, HasSubstr(", 4 of 4 nodes hold the packet"));
    EXPECT_THAT(answer_to("run gather" + on).text, HasSubstr(", node 0 (0,0) holds 4 of 4 packets"));
    EXPECT_THAT(answer_to("run reduce" + on).text, HasSubstr(", node 0 (0,0) holds 4 of 4 contributions"));
    EXPECT_THAT(answer_to("run broadcast --inject drop --seed 3" + on).text, HasSubstr("of 4 nodes"));
}

TEST(GroupsAtOnce, WithSeveralPacketsAreRunByWhateverIsChosen) {
    for (const char* packets : {"1", "2", "3", "5"})
        for (const char* algorithm : {"", " --algorithm rda", " --algorithm chain"}) {
            const nlohmann::json json = members_report(
                std::string("run broadcast --on complete:5 --groups 4,1/2,0,3 --packets ") + packets + algorithm);
            EXPECT_EQ(json["lawful"], true) << packets << algorithm;
            EXPECT_EQ(json["best_possible"]["rounds"], nullptr) << "no search asks for groups";
        }
}

TEST(MembersOfACompleteGraph, CostWhatACompleteGraphOfThemDoes) {
    for (const char* run : {"broadcast --algorithm rda", "allgather --algorithm bruck", "allreduce --algorithm census",
                            "alltoall --algorithm bruck", "scan --algorithm doubling", "barrier"}) {
        const std::string line = std::string("run ") + run;
        EXPECT_EQ(members_report(line + " --on complete:9 --members 8,0,2,5,7")["measured"],
                  members_report(line + " --on complete:5")["measured"])
            << run;
    }
}

TEST(MembersThatFold, StandInTheOrderOfRanks) {
    const nlohmann::json json =
        members_report("run reduce --on complete:7 --members 6,2,4 --op concat --values a,b,c --algorithm tree");
    EXPECT_EQ(json["results"], nlohmann::json({"abc"}));
}

TEST(OneMemberInARun, MovesNothingAndIsLawful) {
    for (const char* operation : {"broadcast", "reduce", "allgather", "alltoall", "barrier", "scan"}) {
        const nlohmann::json json = members_report(std::string("run ") + operation + " --on mesh:3x3 --members 4");
        EXPECT_EQ(json["measured"]["rounds"], 0) << operation;
        EXPECT_TRUE(json["lawful"]) << operation;
    }
}

TEST(RelaysOfAll, PassOnWhatMembersWantAlongThePrunedTree) {
    const nlohmann::json json =
        members_report("run broadcast --on mesh:4x4 --members 0,3,12,15 --relay all --algorithm farthest-first");
    EXPECT_EQ(json["measured"]["rounds"], 6);
    EXPECT_EQ(json["measured"]["work"], 9);
    EXPECT_EQ(json["bounds"]["work"], 6);
    EXPECT_EQ(json["relay"], "all");
    EXPECT_EQ(json["holders"], 16) << "nodes that want nothing count";
    const nlohmann::json star = members_report(
        "run broadcast --on mesh:5x5 --members 0,4,12,20,24 --source 12 --relay all --algorithm farthest-first");
    EXPECT_EQ(star["bounds"]["work"], 10);
    EXPECT_EQ(star["binding"]["work"], "Steiner: spanning tree of 16 over 5 members");
}

TEST(RelaysOfAll, FoldWhatPassesAndContributeNothing) {
    const nlohmann::json reduce = members_report(
        "run reduce --on ring:9 --members 0,3,6 --relay all --values 1,10,100 --algorithm farthest-first");
    EXPECT_EQ(reduce["results"], nlohmann::json({"111"}));
    EXPECT_TRUE(reduce["lawful"]);
    const nlohmann::json vector =
        members_report("run reduce --on ring:9 --members 0,3,6 --relay all --packets 3 --algorithm farthest-first");
    EXPECT_TRUE(vector["lawful"]);
    for (const char* operation : {"allreduce", "allgather", "barrier"}) {
        const nlohmann::json json =
            members_report(std::string("run ") + operation + " --on mesh:4x4 --members 0,3,12,15 --relay all");
        EXPECT_TRUE(json["lawful"]) << operation;
        EXPECT_EQ(json["algorithm"], "tree-exchange") << operation;
        EXPECT_EQ(json["measured"]["work"], 18) << operation;
    }
}

TEST(RelaysThatAreNamed, ArePartOfTheMachineAndOthersAreNot) {
    const nlohmann::json json =
        members_report("run broadcast --on line:8 --members 0,2 --relay 1 --algorithm farthest-first");
    EXPECT_EQ(json["measured"]["rounds"], 2);
    EXPECT_EQ(json["relay"], nlohmann::json({1}));
    EXPECT_THAT(members_refusal("run broadcast --on line:8 --members 0,3 --relay 1"),
                HasSubstr("no way among members from 0 to 3"));
}

TEST(MembersThatAreWrong, AreRefusedWithTheNode) {
    const auto refusal = [](const std::string& rest) { return members_refusal("run broadcast --on mesh:4x4 " + rest); };
    EXPECT_THAT(refusal("--members 0,99"), AllOf(HasSubstr("--members"), HasSubstr("99")));
    EXPECT_THAT(refusal("--members 0,5,0"), HasSubstr("node 0 (0,0) stands there twice"));
    EXPECT_THAT(refusal("--members 0,1 --source 5"), HasSubstr("node 5 (1,1) is no member"));
    EXPECT_THAT(refusal("--members 0,12"), HasSubstr("no way among members from 0 (0,0) to 12 (3,0); --relay all"));
    EXPECT_THAT(refusal("--relay all"), HasSubstr("of which members?"));
    EXPECT_THAT(refusal("--members 0,1 --groups 0/1"), HasSubstr("--members and --groups exclude each other"));
    EXPECT_THAT(members_refusal("run alltoall --on mesh:4x4 --members 0,15 --relay all"), HasSubstr("--relay members"));
}

TEST(CountsOfMembers, StandInTheOrderOfRanks) {
    const nlohmann::json alone = members_report("run gather --on complete:6 --members 5,1,3 --counts 2,0,3");
    EXPECT_EQ(alone["counts"], nlohmann::json({2, 0, 3}));
    EXPECT_EQ(alone["source"], 5);
    const nlohmann::json relayed = members_report("run scatter --on line:6 --members 5,3,0 --relay all --counts 1,2,4");
    EXPECT_EQ(relayed["counts"], nlohmann::json({1, 2, 4}));
    EXPECT_EQ(relayed["measured"]["rounds"], 5);
    EXPECT_TRUE(relayed["lawful"]);
    EXPECT_THAT(members_refusal("run allgather --on complete:5 --members 0,1 --counts 1,2,3"),
                HasSubstr("--counts has 3 numbers; allgather among 2 members takes 2"));
}

TEST(GroupsAtOnce, CostTheRoundsOfTheLongestAndTheWorkOfAll) {
    const nlohmann::json json = members_report("run broadcast --on complete:11 --groups 0-3/4-10 --algorithm rda");
    EXPECT_EQ(json["measured"]["rounds"], 3);
    EXPECT_EQ(json["measured"]["work"], 9);
    EXPECT_EQ(json["measured"]["volume"], 3 * 64);
    EXPECT_EQ(json["holders"], 11);
    EXPECT_EQ(json["groups"], nlohmann::json({{0, 1, 2, 3}, {4, 5, 6, 7, 8, 9, 10}}));
    EXPECT_EQ(json["bounds"]["rounds"], 3);
    EXPECT_EQ(json["bounds"]["work"], 9);
    EXPECT_TRUE(json["lawful"]);
    EXPECT_THAT(answer_to("run allreduce --on complete:8 --groups 0-3/4-7").text, HasSubstr("complete:8 in 2 groups"));
    for (const Operation& operation : operations())
        for (const char* groups : {"0", "0,1/2", "0/1"}) {
            const std::string line = fmt::format("run {} --on petersen --groups {}", name(operation), groups);
            const Answer answer = answer_to(line);
            EXPECT_TRUE(answer.status == 0 || answer.status == 2) << line << ": " << answer.error << answer.text;
        }
}

TEST(GroupsAtOnce, AreTheLinesOfAMeshAndTheSubcubesOfAHypercube) {
    const nlohmann::json lines = members_report("run allreduce --on mesh:3x4 --groups dim:1");
    EXPECT_EQ(lines["groups"], nlohmann::json({{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}));
    EXPECT_TRUE(lines["lawful"]);
    const nlohmann::json cubes =
        members_report("run allreduce --on hypercube:3 --groups bits:0,2 --algorithm exchange");
    EXPECT_EQ(cubes["groups"], nlohmann::json({{0, 1, 4, 5}, {2, 3, 6, 7}}));
    EXPECT_EQ(cubes["measured"]["rounds"], 2);
    EXPECT_EQ(cubes["measured"]["work"], 16);
}

TEST(GroupsThatAreWrong, AreRefusedWithTheNode) {
    EXPECT_THAT(members_refusal("run broadcast --on complete:8 --groups 0-3/3-7"),
                HasSubstr("node 3 is in two groups"));
    EXPECT_THAT(members_refusal("run broadcast --on complete:8 --groups 0-3/4-7 --algorithm hierarchical --intra rda "
                                "--inter rda --members 1,2"),
                HasSubstr("exclude each other"));
    EXPECT_THAT(members_refusal("run broadcast --on complete:8 --groups 0-3/5-7 --algorithm hierarchical --intra rda "
                                "--inter rda"),
                HasSubstr("node 4 is in no group"));
    EXPECT_THAT(members_refusal("run broadcast --on complete:8 --groups dim:0"), HasSubstr("no mesh or torus"));
    EXPECT_THAT(members_refusal("run broadcast --on complete:8 --intra rda"), HasSubstr("of which groups?"));
}

TEST(PhasesInGroupsAndAmongLeaders, KeepAllRulesAndFoldEverything) {
    for (const char* operation : {"broadcast", "reduce", "allreduce", "allgather", "reduce-scatter", "barrier"}) {
        const std::string inter = std::string(operation) == "allgather" || std::string(operation) == "reduce-scatter"
                                      ? "bruck"
                                  : std::string(operation) == "allreduce" ? "census"
                                  : std::string(operation) == "barrier"   ? "dissemination"
                                                                          : "rda";
        const nlohmann::json json = members_report(std::string("run ") + operation +
                                                   " --on complete:9 --algorithm hierarchical --groups "
                                                   "0,3,6/1,4,7/2,5,8 --intra rda --inter " +
                                                   inter);
        EXPECT_TRUE(json["lawful"]) << operation;
    }
}

/// Keeps in memory what is written.
class KeepingFiles final : public requests::Client {
  public:
    void require_place(std::string_view, const std::string&) const override {}
    void write_file(std::string_view, const std::string&, const std::function<void(std::ostream&)>& write) override {
        std::ostringstream out;
        write(out);
        written = out.str();
    }
    std::string written;
};

TEST(SchedulesOfMembers, OfOtherProgramsAreJudgedForTheMembersOrRefused) {
    const std::string goal = "num_ranks 4\nrank 0 {\nsend 8b to 2\n}\nrank 2 {\nrecv 8b from 0\n}\n";
    EXPECT_EQ(answer_to("check - broadcast", goal).status, 1) << "ranks 1 and 3 get nothing";
    EXPECT_EQ(answer_to("check - broadcast --members 0,2", goal).status, 0);
    EXPECT_EQ(answer_to("check - gather --root 2 --members 0,2", goal).status, 0);
    EXPECT_EQ(answer_to("check - gather --root 2 --members 0,1,2", goal).status, 1);
    EXPECT_EQ(answer_to("check - allgather --members 0,2", goal).status, 1) << "nothing leads from rank 2 to rank 0";
    EXPECT_EQ(answer_to("check - exscan --members 0,2", goal).status, 4) << "rank 2 can have what it needs";
    const requests::Answer outside = answer_to("check - broadcast --root 1 --members 0,2", goal);
    EXPECT_EQ(outside.status, 2);
    EXPECT_THAT(outside.error, HasSubstr("node 1 is no member; want a root of them, such as 0"));
    const std::string barrier =
        "num_ranks 3\nrank 0 {\nsend 1b to 2\nrecv 1b from 2\n}\nrank 2 {\nsend 1b to 0\nrecv 1b from 0\n}\n";
    EXPECT_EQ(answer_to("check - barrier", barrier).status, 1);
    EXPECT_EQ(answer_to("check - barrier --members 2,0", barrier).status, 0);
    const std::string text = "on complete:3\nbroadcast from 0\nmembers 0,2\nround 1: 0 -> 2\n";
    for (const char* form : {"msccl", "mscclpp"}) {
        const requests::Answer refused = answer_to(fmt::format("convert - --to {}", form), text);
        EXPECT_EQ(refused.status, 2) << form;
    }
    EXPECT_THAT(answer_to("convert - --to msccl", text).error, HasSubstr("here some nodes have no part"));
    const requests::Answer chunks =
        answer_to("convert - --to msccl", "on complete:2\nbroadcast from 0\nround 1: 0 -> 1\n");
    EXPECT_THAT(answer_to("check - --members 0,1", chunks.text).error,
                HasSubstr("--members: in msccl all GPUs take part"));
}

TEST(SchedulesOfMembers, HaveTheNumbersOfTheWholeMachineAndAreJudgedAgain) {
    for (const char* run : {"scatter --on complete:8 --members 1,3,4,6", "allreduce --on complete:8 --members 1,3,4,6",
                            "alltoall --on complete:8 --members 6,1,3", "scan --on complete:8 --members 1,3,4,6",
                            "broadcast --on mesh:4x4 --members 0,3,12,15 --relay all",
                            "reduce --on mesh:4x4 --members 5,6,9,10 --source 6",
                            "reduce-scatter --on complete:6 --members 0,1,2,4 --packets 2",
                            "reduce-scatter --on complete:6 --members 0,1,2,4 --counts 2,0,1,3",
                            "reduce-scatter --on complete:9 --members 0,1,2,4,8 --algorithm ring",
                            "allreduce --on complete:6 --members 0,1,2,4 --packets 3"})
        for (const char* file : {"x.json", "x.txt", "x.csv", "x.goal"}) {
            KeepingFiles client;
            const std::string line = std::string("run ") + run + " --record " + file;
            ASSERT_EQ(requests::answer(words(line), "", client).status, 0) << run;
            EXPECT_THAT(client.written, HasSubstr("members")) << run;
            EXPECT_THAT(client.written, Not(HasSubstr("complete:4"))) << run;
            const requests::Answer judged = answer_to("check -", client.written);
            EXPECT_EQ(judged.status, 0) << run << "\n" << client.written << judged.text << judged.error;
        }
}

// A search for all nodes says nothing of some of them.
TEST(BoundsOfMembers, AreNotSettledByASearchForAllNodes) {
    for (const char* line :
         {"bounds allreduce --on mesh:2x2 --members 0,3 --relay all",
          "run barrier --on star:6 --members 3,0,2,5 --relay all",
          "run reduce --on ring:5 --members 0,2,3 --relay all --source 2 --packets 3",
          "run broadcast --on line:6 --members 0,1 --relay all", "run reduce --on mesh:3x3 --members 0-4 --op concat",
          "run reduce-scatter --on ring:4 --op concat", "run reduce-scatter --on ring:4 --sizes 0,8,8,8 --op concat"})
        EXPECT_EQ(answer_to(line).status, 0) << line;
    EXPECT_EQ(nlohmann::json::parse(
                  answer_to("run broadcast --on line:6 --members 0,1 --relay all --json").text)["bounds"]["rounds"],
              1);
}

TEST(ViolationsAmongMembers, NameSwitchesByTheNumbersOfTheWholeMachine) {
    const nlohmann::json json = nlohmann::json::parse(
        answer_to("run alltoall --on fat-tree:4 --members 0-13 --bytes 8 --policy strict --json").text);
    for (const nlohmann::json& violation : json["violations"])
        EXPECT_THAT(violation["text"].get<std::string>(),
                    HasSubstr("node " + std::to_string(violation["node"].get<int>()) + " "));
}

}  // namespace
}  // namespace kport::test
