/// @file counts_test.cpp   Different numbers of packets in every command: what is said of them, what is refused, what is recorded; and
///                         broadcasts from several nodes.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/requests/answer.hpp"
#include "tests/requests/answers.hpp"

namespace kport::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

nlohmann::json report_of(const std::string& line) { return nlohmann::json::parse(answer_to(line + " --json").text); }
std::string refusal_of(const std::string& line) {
    const requests::Answer answer = answer_to(line);
    EXPECT_EQ(answer.status, 2) << line;
    return answer.text + answer.error;
}

TEST(CountsInAReport, StandInTheFirstLineInJsonAndInTheCommandThatRepeatsIt) {
    EXPECT_THAT(answer_to("run scatter --on complete:5 --counts 0,4,2,3,4").text,
                HasSubstr("13 packets, 0 to 4 a node"));
    EXPECT_THAT(answer_to("run alltoall --on complete:3 --counts 0,2,1/3,0,0/1,1,0").text,
                HasSubstr("8 packets, 0 to 3 a pair"));
    EXPECT_THAT(answer_to("run reduce-scatter --on complete:3 --counts 2,2,2").text,
                HasSubstr("6 segments, 2 a block"));
    const nlohmann::json json = report_of("run gather --on ring:4 --counts 3,0,5,1");
    EXPECT_EQ(json["counts"], nlohmann::json({3, 0, 5, 1}));
    EXPECT_THAT(json["again"].get<std::string>(), AllOf(HasSubstr(" --counts 3,0,5,1"), Not(HasSubstr("--packets"))));
    EXPECT_EQ(report_of("run alltoall --on complete:2 --counts 0,2/1,0")["counts"], nlohmann::json({{0, 2}, {1, 0}}));
    EXPECT_FALSE(report_of("run gather --on ring:4").contains("counts"));
}

TEST(CountsInAReport, OfMoreThan64NodesAreRepeatedAsTheyWereTyped) {
    EXPECT_THAT(report_of("run allgather --on ring:65 --counts random:0..3 --seed 7")["again"].get<std::string>(),
                AllOf(HasSubstr("--counts random:0..3"), HasSubstr("--seed 7")));
    EXPECT_THAT(report_of("run allgather --on ring:5 --counts random:0..3")["again"].get<std::string>(),
                Not(HasSubstr("random")));
}

TEST(CountsThatDiffer, LeaveOutMessagesWithoutPacketsAndRoundsWithoutMessages) {
    const nlohmann::json one = report_of("run scatter --on hypercube:3 --algorithm sbt --counts 0,0,0,0,0,0,0,4");
    EXPECT_EQ(one["measured"]["rounds"], 3);
    EXPECT_EQ(one["measured"]["work"], 3);
    const nlohmann::json near = report_of("run scatter --on hypercube:3 --algorithm sbt --counts 0,0,0,0,4,0,0,0");
    EXPECT_EQ(near["measured"]["rounds"], 1);
    EXPECT_EQ(near["holders"], 8);
}

TEST(CountsThatDiffer, MayAllBe0AndThenNothingMoves) {
    for (const char* operation : {"scatter", "gather", "allgather", "reduce-scatter"}) {
        const nlohmann::json json = report_of(std::string("run ") + operation + " --on ring:4 --counts 0,0,0,0");
        EXPECT_EQ(json["measured"]["rounds"], 0) << operation;
        EXPECT_TRUE(json["lawful"].get<bool>()) << operation;
    }
    EXPECT_EQ(report_of("run alltoall --on ring:2 --counts 5,0/0,5")["measured"]["rounds"], 0);
}

TEST(CountsThatDiffer, CostSinglePacketsWhatTheBoundSaysInAPipeline) {
    for (const char* counts : {"1,0,3,0,7,2", "0,0,0,0,0,9", "4,4,4,4,4,4", "0,1,0,0,0,1"}) {
        const nlohmann::json json =
            report_of(std::string("run scatter --on line:6 --algorithm pipeline --combining off --counts ") + counts);
        EXPECT_EQ(json["measured"]["rounds"], json["bounds"]["rounds"]) << counts;
        EXPECT_EQ(json["measured"]["work"], json["bounds"]["work"]) << counts;
    }
}

TEST(CountsThatDiffer, AreRefusedWithTheOptionAndWhatIsWrong) {
    EXPECT_THAT(refusal_of("run allgather --on complete:8 --counts 1,2,3,4,5"),
                HasSubstr("--counts has 5 numbers; allgather on 8 nodes takes 8"));
    EXPECT_THAT(refusal_of("run scatter --on ring:3 --counts 1,-2,3"), HasSubstr("--counts: entry 2 is '-2'"));
    EXPECT_THAT(refusal_of("run alltoall --on ring:3 --counts 1,2,3"), HasSubstr("takes a matrix: rows apart by /"));
    for (const char* operation : {"broadcast", "reduce", "allreduce", "scan", "exscan", "permutation"})
        EXPECT_THAT(refusal_of(std::string("run ") + operation + " --on hypercube:2 --counts 1,2,3,4"),
                    HasSubstr("every node has the same in " + std::string(operation) + "; want --packets M"));
    EXPECT_THAT(refusal_of("run barrier --on ring:3 --counts 1,2,3"), HasSubstr("signals"));
    EXPECT_THAT(refusal_of("run scatter --on ring:3 --counts 1,2,3 --packets 2"),
                HasSubstr("--counts and --packets exclude each other"));
    EXPECT_THAT(refusal_of("run scatter --on ring:3 --counts numbers.txt"), HasSubstr("files are not read here"));
}

TEST(CountsOfNeighbours, AreOfPairsOrOfPortLabels) {
    const nlohmann::json json = report_of("run neighbor-alltoall --on ring:4 --counts ports:2,1");
    EXPECT_EQ(json["counts"],
              nlohmann::json({{0, 1, 0, 2}, {2, 0, 1, 0}, {0, 2, 0, 1}, {1, 0, 2, 0}}));  // port 0 leads back
    EXPECT_EQ(json["measured"]["rounds"], 2);
    EXPECT_EQ(json["measured"]["work"], 8);
    EXPECT_TRUE(json["lawful"].get<bool>());
    EXPECT_THAT(refusal_of("run neighbor-alltoall --on ring:4 --counts ports:2,1,1"),
                HasSubstr("3 numbers; the nodes of ring:4 have port labels 0 to 1"));
    EXPECT_THAT(refusal_of("run neighbor-alltoall --on line:3 --counts 0,1,2/1,0,1/0,1,0"),
                HasSubstr("2 packets from node 0 to node 2"));
}

TEST(ASchedule, KeepsItsCounts) {
    for (const char* request :
         {"run scatter --on complete:5 --counts 0,4,2,2,4", "run gather --on ring:4 --counts 3,0,5,1",
          "run reduce-scatter --on complete:4 --counts 2,0,1,3",
          "run alltoall --on complete:3 --counts 0,2,1/3,0,0/1,1,0"})
        for (const char* form : {"json", "txt", "csv"}) {
            KeepingClient client;
            const std::string line = std::string(request) + " --record x." + form + " --json";
            const nlohmann::json run = nlohmann::json::parse(requests::answer(words(line), "", client).text);
            const nlohmann::json checked = nlohmann::json::parse(answer_to("check - --json", client.written).text);
            EXPECT_EQ(checked["counts"], run["counts"]) << line << "\n" << client.written;
            EXPECT_EQ(checked["measured"]["volume"], run["measured"]["volume"]) << line;
            EXPECT_TRUE(checked["lawful"].get<bool>()) << line;
        }
}

TEST(ASchedule, NamesAllPacketsOfANodeThatThereAre) {
    const std::string text = "on complete:3\nscatter from 0\ncounts 1,2,3\nround 1: 0 -> 1 {1}\nround 2: 0 -> 2 {2}\n";
    const nlohmann::json json = nlohmann::json::parse(answer_to("check - --json", text).text);
    EXPECT_TRUE(json["lawful"].get<bool>());
    EXPECT_EQ(json["measured"]["volume"], 5 * 64);
    const std::string beyond = "on complete:3\nscatter from 0\ncounts 1,2,3\nround 1: 0 -> 1 {1:0..2}\n";
    EXPECT_THAT(answer_to("check -", beyond).error, HasSubstr("packet 2 of node 1, which has 2"));
}

TEST(SizesThatDiffer, AreCountedInBytesAndRepeated) {
    const nlohmann::json json = report_of("run scatter --on complete:4 --algorithm direct --sizes 0,100,7,30");
    EXPECT_EQ(json["sizes"], nlohmann::json({0, 100, 7, 30}));
    EXPECT_FALSE(json.contains("counts"));
    EXPECT_EQ(json["measured"]["rounds"], 3);
    EXPECT_EQ(json["measured"]["volume"], 137);
    EXPECT_EQ(json["bounds"]["volume"], 137);
    EXPECT_TRUE(json["lawful"].get<bool>());
    EXPECT_THAT(json["again"].get<std::string>(), AllOf(HasSubstr("--sizes 0,100,7,30"), Not(HasSubstr("--bytes"))));
    EXPECT_EQ(report_of("run gather --on star:4 --sizes 0,100,0,30")["measured"]["work"], 2);
    EXPECT_EQ(report_of("run allgather --on complete:3 --sizes 1,2,3 --combining off")["measured"]["work"], 6);
    EXPECT_EQ(report_of("run alltoall --on complete:3 --sizes 0,5,0/0,0,9/1,0,0")["measured"]["work"], 3);
    EXPECT_THAT(answer_to("run scatter --on star:4 --sizes 0,100,7,30").text, HasSubstr("3 packets of 0 to 100 bytes"));
}

TEST(SizesThatDiffer, AreRefusedWithTheOptionAndWhatIsWrong) {
    EXPECT_THAT(refusal_of("run scatter --on ring:3 --sizes 1,2"), HasSubstr("--sizes has 2 numbers"));
    EXPECT_THAT(refusal_of("run scatter --on ring:3 --sizes 1,-2,3"), HasSubstr("--sizes: entry 2 is '-2'"));
    EXPECT_THAT(refusal_of("run broadcast --on ring:3 --sizes 1,2,3"), HasSubstr("every node has the same"));
    EXPECT_THAT(refusal_of("run reduce-scatter --on ring:3 --sizes 8,12,8"), HasSubstr("12 bytes are no whole number"));
    for (const char* other : {"--counts 1,2,3", "--packets 2", "--bytes 8", "--groups 0,1/2"})
        EXPECT_THAT(refusal_of(std::string("run scatter --on ring:3 --sizes 1,2,3 ") + other),
                    HasSubstr("exclude each other"));
}

TEST(ASchedule, OfMembersKeepsTheirCountsAndSizes) {
    for (const char* request :
         {"run alltoall --on complete:4 --members 0,1 --counts 0,1/1,0",
          "run allgather --on ring:6 --members 4,5 --sizes 7,9",
          "run allgather --on ring:6 --members 4,5 --relay all --counts 3,0",
          "run alltoall --on complete:4 --members 3,1 --sizes 0,9/8,0",
          "run gather --on star:5 --members 0,3 --sizes 5,443", "run allgather --on cbt:2 --members 1 --relay all"}) {
        KeepingClient client;
        const std::string line = std::string(request) + " --record x.txt --json";
        const nlohmann::json run = nlohmann::json::parse(requests::answer(words(line), "", client).text);
        EXPECT_TRUE(run["lawful"].get<bool>()) << line;
        const requests::Answer answer = answer_to("check - --json", client.written);
        ASSERT_EQ(answer.status, 0) << line << answer.error << client.written;
        EXPECT_EQ(nlohmann::json::parse(answer.text)["measured"]["volume"], run["measured"]["volume"]) << line;
    }
}

TEST(ASchedule, KeepsItsSizes) {
    for (const char* request :
         {"run scatter --on complete:5 --sizes 0,40,2,2,4", "run reduce-scatter --on complete:4 --sizes 16,0,8,24",
          "run reduce-scatter --on ring:4 --sizes 0,0,0,0", "run alltoall --on complete:3 --sizes 0,2,1/3,0,0/1,1,0"})
        for (const char* form : {"json", "txt", "csv"}) {
            KeepingClient client;
            const std::string line = std::string(request) + " --record x." + form + " --json";
            const nlohmann::json run = nlohmann::json::parse(requests::answer(words(line), "", client).text);
            const nlohmann::json checked = nlohmann::json::parse(answer_to("check - --json", client.written).text);
            EXPECT_EQ(checked["sizes"], run["sizes"]) << line << "\n" << client.written;
            EXPECT_EQ(checked["measured"]["volume"], run["measured"]["volume"]) << line;
            EXPECT_TRUE(checked["lawful"].get<bool>()) << line;
        }
}

TEST(AScheduleOfContributions, KeepsThatTheyAreUnfolded) {
    for (const char* form : {"json", "txt", "csv"}) {
        KeepingClient client;
        const std::string line =
            std::string(
                "run allreduce --on complete:7 --algorithm gather-fold --packets 2 --bytes 8 --json --record x.") +
            form;
        const nlohmann::json run = nlohmann::json::parse(requests::answer(words(line), "", client).text);
        EXPECT_EQ(run["measured"]["volume"], 6 * 2 * 8);
        const nlohmann::json checked =
            nlohmann::json::parse(answer_to("check - --bytes 8 --json", client.written).text);
        EXPECT_EQ(checked["measured"], run["measured"]) << client.written;
        EXPECT_TRUE(checked["lawful"].get<bool>()) << client.written;
    }
}

TEST(ABroadcastFromSeveralNodes, IsAnAllgatherOfTheirPackets) {
    const nlohmann::json json =
        report_of("run broadcast --on complete:6 --sources 0,3-4 --packets 2 --algorithm bruck");
    EXPECT_EQ(json["operation"], "broadcast");
    EXPECT_EQ(json["sources"], nlohmann::json({0, 3, 4}));
    EXPECT_FALSE(json.contains("counts"));
    EXPECT_EQ(json["holders"], 6);
    EXPECT_THAT(json["again"].get<std::string>(), HasSubstr("kport run broadcast --on complete:6 "));
    EXPECT_THAT(json["again"].get<std::string>(), AllOf(HasSubstr("--sources 0,3,4"), HasSubstr("--packets 2")));
    EXPECT_THAT(answer_to("run broadcast --on complete:6 --sources 0,3").text,
                HasSubstr("broadcast from nodes 0, 3 on complete:6"));
    EXPECT_THAT(refusal_of("run scatter --on ring:4 --sources 0,1"), HasSubstr("only a broadcast has several"));
    EXPECT_THAT(refusal_of("run broadcast --on ring:4 --sources 0,1 --source 2"), HasSubstr("exclude each other"));
    EXPECT_THAT(refusal_of("run broadcast --on ring:4 --sources 0,1,0"), HasSubstr("node 0 stands there twice"));
    EXPECT_THAT(refusal_of("run broadcast --on ring:4 --sources 0,9"), HasSubstr("has nodes 0 to 3"));
}

TEST(PacketsOfAllNodes, ThatHaveNoNumbersAreRefusedWithoutAdviceThatHelpsNothing) {
    EXPECT_THAT(refusal_of("bounds alltoall --on hypercube:40"),
                AllOf(HasSubstr("want fewer nodes"), Not(HasSubstr("1 to 0"))));
}

}  // namespace
}  // namespace kport::test
