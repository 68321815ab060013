/// @file broken_machines_test.cpp   Machines with broken parts in every command: what runs, what is refused, what is said, what is
///                                  recorded; runs that do not know of them; tolerance.
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/requests/answer.hpp"
#include "emulator/base/nearest.hpp"
#include "tests/cli/kport.hpp"
#include "tests/oracle/table.hpp"
#include "tests/requests/answers.hpp"

namespace kport::test {
namespace {

using requests::Answer;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

nlohmann::json json_of(const std::string& line) { return nlohmann::json::parse(answer_to(line + " --json").text); }

TEST(AMachineWithBrokenParts, IsRunOnWhatIsLeft) {
    const nlohmann::json json = json_of("run broadcast --on ring:8 --broken 0--1");
    EXPECT_EQ(json["topology"]["nodes"], 8);
    EXPECT_EQ(json["topology"]["channels"], 14);
    EXPECT_EQ(json["measured"]["rounds"], 7);
    EXPECT_EQ(json["bounds"]["rounds"], 7);
    EXPECT_EQ(json["machine"]["broken"], nlohmann::json({"0--1"}));
    EXPECT_THAT(json["again"].get<std::string>(), HasSubstr("--on ring:8 --broken 0--1 "));
    EXPECT_FALSE(json_of("run broadcast --on ring:8")["machine"].contains("broken"));
    EXPECT_THAT(answer_to("run broadcast --on ring:8 --broken 3").text,
                HasSubstr("left    7 of 8 nodes, 6 of 8 links; broken: 3"));
}

TEST(AMachineWithBrokenParts, MayLackHostsSwitchesAndLinksOfTrunks) {
    const nlohmann::json json = json_of("run broadcast --on fat-tree:4 --broken 3,32,33,34");
    EXPECT_EQ(json["topology"]["hosts"], 15);
    EXPECT_EQ(json["topology"]["nodes"], 32);
    EXPECT_EQ(json["measured"]["rounds"], 4);
    EXPECT_TRUE(json["lawful"]);
    EXPECT_EQ(json["machine"]["broken"], nlohmann::json({"3", "32", "33", "34"}));
    EXPECT_THAT(answer_to("run broadcast --on fat-tree:4 --broken 3,32").text,
                HasSubstr("left    15 of 16 hosts, 43 of 48 links; broken: 3, 32"));
    EXPECT_THAT(json_of("run broadcast --on fat-tree:4 --broken 0 --source 1")["again"].get<std::string>(),
                HasSubstr("--on fat-tree:4 --broken 0 "));
    EXPECT_EQ(json_of("run broadcast --on fat-tree:4 --broken 0 --source 1")["source"], 0);

    // Spine 7 of the machine with 4 hosts is cut off; a trunk of 2 loses one link.
    EXPECT_THAT(answer_to("run broadcast --on leaf-spine:2,2,2 --broken 4--7,5--7").text, HasSubstr("cut off: 7"));
    const auto channels = [](const std::string& broken) {
        return json_of("run alltoall --on leaf-spine:2,1,2,2 --combining off" + broken)["topology"]["channels"];
    };
    EXPECT_EQ(channels(""), 16);
    EXPECT_EQ(channels(" --broken 4--6*1"), 14);
    EXPECT_THAT(answer_to("run broadcast --on leaf-spine:2,1,2,2 --broken 4--6*3").error,
                HasSubstr("'3' links between node 4 and node 6 where there are 2"));
    EXPECT_EQ(answer_to("run broadcast --on leaf-spine:2,1,2 --broken 6").status, 3);
    EXPECT_THAT(answer_to("run broadcast --on leaf-spine:2,1,2 --broken 6").error,
                AllOf(HasSubstr("node 0 and node 2 cannot reach each other"), HasSubstr("without 6")));
}

TEST(AnUnawareAlgorithm, LosesMessagesOverBrokenSwitches) {
    const nlohmann::json json = json_of("run broadcast --on leaf-spine:2,1,2 --broken 6 --unaware --algorithm rda");
    EXPECT_FALSE(json["checks"]["broken"]);
    EXPECT_EQ(json["holders"], 2);
    EXPECT_THAT(answer_to("run broadcast --on leaf-spine:2,1,2,2 --broken 4--6*1 --unaware").error,
                HasSubstr("want whole trunks"));
}

TEST(BrokenParts, AreRepeatedOrSeparatedByCommas) {
    EXPECT_EQ(json_of("run broadcast --on mesh:3x3 --broken 4 --broken 0--1")["machine"]["broken"],
              json_of("run broadcast --on mesh:3x3 --broken 0--1,4")["machine"]["broken"]);
    EXPECT_EQ(answer_to({"run", "broadcast", "--on", "mesh:3x3", "--broken", "\"0,0\"--\"0,1\""}).status, 0);
}

TEST(BrokenParts, ThatPartTheNodesEndWithStatus3AndTwoNames) {
    for (const char* command : {"run", "bounds", "search", "compare", "explain", "show", "tolerance"}) {
        const Answer answer = answer_to(fmt::format("{} broadcast --on ring:6 --broken 0--1,3--4", command));
        EXPECT_EQ(answer.status, 3) << command;
        EXPECT_THAT(answer.error, HasSubstr("node 0 and node 1 cannot reach each other")) << command;
    }
    EXPECT_EQ(answer_to("info ring:6 --broken 0--1,3--4").status, 3);
}

TEST(ABrokenSource, IsRefused) {
    EXPECT_THAT(answer_to("run broadcast --on hypercube:3 --broken 7 --source 7").error, HasSubstr("node 7 is broken"));
    EXPECT_THAT(answer_to("run broadcast --on hypercube:3 --broken 0").error,
                HasSubstr("node 0, the default, is broken"));
    EXPECT_THAT(answer_to("search broadcast --on hypercube:3 --broken 0").error,
                HasSubstr("node 0, the default, is broken"));
    EXPECT_THAT(answer_to("run broadcast --on hypercube:3 --broken 0 --unaware").error, HasSubstr("is broken"));
    EXPECT_EQ(answer_to("run allgather --on hypercube:3 --broken 0").status, 0);
}

TEST(NodesThatAreLeft, GoByTheirOldNumbers) {
    const nlohmann::json json = json_of("run broadcast --on hypercube:3 --broken 1 --source 6");
    EXPECT_EQ(json["source"], 5);
    EXPECT_THAT(json["again"].get<std::string>(), HasSubstr("--source 6"));
    EXPECT_THAT(answer_to("run broadcast --on hypercube:3 --broken 1 --source 6").text, HasSubstr("from node 5 (6)"));
    const nlohmann::json first = json_of("run broadcast --on hypercube:3 --broken 0 --source 1");
    EXPECT_THAT(first["again"].get<std::string>(), HasSubstr("--source 1"));
    EXPECT_EQ(json_of("search broadcast --on hypercube:3 --broken 1 --source 6 --source 2")["sources"],
              nlohmann::json({1, 5}));
}

TEST(AlgorithmsOfAFamily, AreRefusedOnABrokenMember) {
    for (const char* line : {"broadcast --on hypercube:4 --algorithm sbt", "broadcast --on mesh:4x4 --algorithm dost",
                             "allgather --on ring:6 --algorithm ring", "allgather --on complete:6 --algorithm bruck"}) {
        const Answer answer = answer_to(fmt::format("run {} --broken 0--1", line));
        EXPECT_EQ(answer.status, 2) << line;
        EXPECT_EQ(answer_to(fmt::format("run {}", line)).status, 0) << line;
    }
    EXPECT_THAT(answer_to("run broadcast --on hypercube:4 --broken 0--1 --algorithm sbt").error,
                HasSubstr("farthest-first"));
}

TEST(ARecordedSchedule, SaysWhatIsBrokenAndIsLawfulAgain) {
    for (const char* run :
         {"broadcast --on mesh:3x3 --broken 4 --source 5", "scatter --on ring:7 --broken 2--3 --source 1",
          "allgather --on torus:3x3 --broken 0,1--2", "reduce --on hypercube:3 --broken 0 --source 7"})
        for (const char* form : {"json", "txt", "csv"}) {
            KeepingClient client;
            const Answer ran = requests::answer(words(fmt::format("run {} --record x.{}", run, form)), "", client);
            ASSERT_EQ(ran.status, 0) << run << ran.error;
            if (client.written.empty()) continue;  // the form cannot say it
            const Answer judged = answer_to("check -", client.written);
            EXPECT_EQ(judged.status, 0) << run << " as " << form << judged.error << judged.text << client.written;
        }
}

TEST(EveryCommand, TakesBrokenParts) {
    for (const char* line :
         {"run broadcast --on mesh:3x3", "compare broadcast --on mesh:3x3", "bounds broadcast --on mesh:3x3",
          "explain broadcast --on mesh:3x3", "show broadcast --on mesh:3x3", "search broadcast --on mesh:3x3",
          "tolerance broadcast --on mesh:3x3", "info mesh:3x3", "show broadcast --on mesh:3x3 --as svg",
          "compare broadcast --sweep mesh:{3,4}x3", "compare broadcast --on mesh:3x3 --source all",
          "explain broadcast --on mesh:3x3 --message 64"}) {
        const Answer answer = answer_to(fmt::format("{} --broken 4--5,8", line));
        EXPECT_EQ(answer.status, 0) << line << answer.error;
        EXPECT_NE(answer.text, answer_to(line).text) << line;
    }
    EXPECT_THAT(answer_to("check - --broken 0--1", "on ring:4\nbroadcast\nround 1: 0 -> 1\n").error,
                HasSubstr("want --on with it"));
    EXPECT_EQ(answer_to("check - --on ring:3 --broken 0--1", "broadcast\nround 1: 0 -> 2\nround 2: 2 -> 1\n").status,
              0);
    EXPECT_EQ(answer_to("check - --on ring:3 --broken 0--1", "broadcast\nround 1: 0 -> 1\nround 2: 1 -> 2\n").status,
              1);
}

TEST(Search, FindsTheMinimaOfTheReferenceOnWhatIsLeft) {
    for (const oracle::Row& row : oracle::table("faults")) {
        std::string line = fmt::format("search broadcast --on {} --ports {} --source {} --json", row["topology"],
                                       row["ports"], row["source"]);
        for (const std::string_view part : split(row["broken"], ' ')) line += fmt::format(" --broken {}", part);
        const Answer answer = answer_to(line);
        EXPECT_EQ(answer.status, row.has("rounds_minimum") ? 0 : 3) << row.place() << answer.error;
        if (answer.status != 0) continue;
        EXPECT_EQ(nlohmann::json::parse(answer.text)["rounds_minimum"], row.number("rounds_minimum")) << row.place();
    }
}

TEST(AnUnawareAlgorithm, LosesMessagesOverBrokenParts) {
    const Answer answer = answer_to("run broadcast --on hypercube:3 --broken 0--1 --unaware --algorithm sbt --json");
    EXPECT_EQ(answer.status, 1);
    const nlohmann::json json = nlohmann::json::parse(answer.text);
    EXPECT_EQ(json["topology"]["spec"], "hypercube:3");
    EXPECT_EQ(json["machine"]["broken"], nlohmann::json({"0--1"}));
    EXPECT_EQ(json["machine"]["unaware"], true);
    EXPECT_FALSE(json["lawful"]);
    EXPECT_FALSE(json["checks"]["broken"]);
    EXPECT_EQ(json["violations_by_rule"]["broken"], 1);
    EXPECT_LT(json["holders"], 8);
    EXPECT_THAT(answer_to("run broadcast --on hypercube:3 --broken 0--1 --unaware --algorithm sbt").text,
                AllOf(HasSubstr("messages LOST"), HasSubstr(" of 8 nodes hold"),
                      HasSubstr("the message of node 0 to node 1 by port 0 is lost in round"),
                      HasSubstr("the link 0--1 is broken")));
}

TEST(AnUnawareAlgorithm, LosesMessagesOfABrokenNode) {
    const nlohmann::json json = json_of("run broadcast --on line:5 --broken 2 --unaware");
    EXPECT_EQ(json["holders"], 2);
    EXPECT_EQ(json["violations"][0]["rule"], "broken");
    EXPECT_THAT(json["violations"][0]["text"].get<std::string>(), HasSubstr("node 2 is broken"));
    EXPECT_EQ(json_of("run reduce --on line:5 --broken 2 --unaware --payload none")["lawful"], false);
}

TEST(AnUnawareAlgorithm, ThatSendsNothingOverBrokenPartsIsLawful) {
    // Flooding goes round.
    const nlohmann::json json =
        json_of("run broadcast --on ring:5 --ports all --algorithm flooding --broken 0--1 --unaware");
    EXPECT_EQ(json["holders"], 5);
    EXPECT_EQ(json["measured"]["rounds"], 4);
    EXPECT_EQ(answer_to("run broadcast --on mesh:2x2 --broken 1--3 --unaware --algorithm sbt").status, 2) << "no cube";
}

TEST(AnUnawareRun, OfEveryOperationEndsAndIsNotLawful) {
    for (const char* operation : {"broadcast", "scatter", "gather", "reduce", "allreduce", "scan", "allgather",
                                  "alltoall", "reduce-scatter", "barrier", "permutation"}) {
        const Answer answer = answer_to(fmt::format("run {} --on hypercube:3 --broken 1 --unaware", operation));
        EXPECT_EQ(answer.status, 1) << operation << answer.error;
        EXPECT_THAT(answer.text, HasSubstr("messages LOST")) << operation;
    }
}

TEST(Unaware, IsRefusedWhereItHasNoMeaning) {
    EXPECT_THAT(answer_to("run broadcast --on ring:4 --unaware").error, HasSubstr("nothing is broken"));
    EXPECT_THAT(answer_to("run broadcast --on ring:4 --broken 0--1 --unaware --engine free").error,
                HasSubstr("leave --engine free out"));
    EXPECT_EQ(answer_to("run broadcast --on ring:4 --broken 0--1 --unaware --record x.json").status, 2);
}

TEST(Tolerance, IsThatOfTheReference) {
    for (const oracle::Row& row : oracle::table("tolerance")) {
        const nlohmann::json json =
            json_of(fmt::format("tolerance broadcast --on {} --ports {} --source {} --links {}", row["topology"],
                                row["ports"], row["source"], row["links_broken"]));
        for (const char* key : {"sets", "sets_apart", "rounds_before", "rounds_worst"})
            EXPECT_EQ(json[key], row.number(key)) << row.place() << ", " << key;
    }
}

TEST(Tolerance, OfAnAlgorithmIsPlannedAnew) {
    const nlohmann::json json = json_of("tolerance broadcast --on ring:6 --algorithm farthest-first");
    EXPECT_EQ(json["rounds_before"], 3);
    EXPECT_EQ(json["rounds_worst"], 5);
    EXPECT_EQ(answer_to("tolerance broadcast --on hypercube:3 --algorithm sbt").status, 2);
}

TEST(Tolerance, OfAnUnawareAlgorithmIsTheSmallestSetThatStopsIt) {
    const nlohmann::json tree = json_of("tolerance broadcast --on hypercube:3 --algorithm sbt --unaware");
    EXPECT_EQ(tree["links_broken"], 1) << "a tree has no link to lose";
    EXPECT_EQ(tree["stopped_by"], nlohmann::json({"0--1"}));
    const nlohmann::json flood =
        json_of("tolerance broadcast --on hypercube:3 --ports all --algorithm flooding --unaware");
    EXPECT_EQ(flood["links_broken"], 3) << "only a cut stops flooding";
    const nlohmann::json few =
        json_of("tolerance broadcast --on hypercube:3 --ports all --algorithm flooding --unaware --links 2");
    EXPECT_TRUE(few["stopped_by"].is_null());
    EXPECT_EQ(few["no_set_of"], 2);
}

TEST(Tolerance, IsAskedOfHalfDuplexLinksBesideANumberOfBrokenOnes) {
    const nlohmann::json json = json_of("tolerance allgather --on ring:4 --links 1,half");
    EXPECT_EQ(json["links_broken"], 1);
    EXPECT_EQ(json["machine"]["links"], "half");
    EXPECT_EQ(json["rounds_before"], 3);
    EXPECT_EQ(json["rounds_worst"], json_of("search allgather --on line:4 --links half")["rounds_minimum"]);
    for (const char* links : {"half,full", "1,2", "1,", "half,many"})
        EXPECT_EQ(answer_to(fmt::format("tolerance broadcast --on ring:4 --links {}", links)).status, 2) << links;
}

TEST(Tolerance, RefusesWhatItCannotAsk) {
    EXPECT_THAT(answer_to("tolerance broadcast --on hypercube:6 --links 3").error, HasSubstr("--sample"));
    EXPECT_THAT(answer_to("tolerance broadcast --on ring:4 --links 0").error, HasSubstr("nothing breaks"));
    EXPECT_THAT(answer_to("tolerance broadcast --on ring:4 --links 5").error, HasSubstr("ring:4 has 4 links"));
    EXPECT_THAT(answer_to("tolerance broadcast --on ring:4 --nodes 4").error, HasSubstr("3 nodes besides the source"));
    EXPECT_THAT(answer_to("tolerance broadcast --on ring:4 --unaware").error, HasSubstr("want --algorithm"));
    EXPECT_THAT(answer_to("tolerance broadcast --on ring:4 --seed 3").error, HasSubstr("--sample"));
    EXPECT_EQ(answer_to("tolerance broadcast --on hypercube:6 --links 3 --sample 20 --seed 2").status, 0);
    EXPECT_EQ(answer_to("tolerance broadcast --on ring:5 --nodes 1").status, 0);
}

}  // namespace
}  // namespace kport::test
