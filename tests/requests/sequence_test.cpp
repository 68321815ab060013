/// @file sequence_test.cpp   Operations one after the other: what they come to together, what is refused, and what a phase moves.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
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

requests::Answer sequence_answer(const std::string& text, const std::string& more = "") {
    return answer_to("run sequence - " + more, text);
}
nlohmann::json sequence_report(const std::string& text, const std::string& more = "") {
    const requests::Answer answer = sequence_answer(text, more + " --json");
    EXPECT_EQ(answer.error, "") << text;
    return nlohmann::json::parse(answer.text);
}
std::string sequence_refusal(const std::string& text, const std::string& more = "") {
    const requests::Answer answer = sequence_answer(text, more);
    EXPECT_EQ(answer.status, 2) << text;
    EXPECT_EQ(answer.text, "") << text;
    return answer.error;
}

/// The counts of the whole are the sums of those of its phases.
void expect_sums(const nlohmann::json& json) {
    for (const char* quantity : {"rounds", "work", "path_sum", "volume", "latency"}) {
        double sum = 0;
        for (const nlohmann::json& phase : json["phases"]) sum += phase["measured"][quantity].get<double>();
        EXPECT_NEAR(sum, json["measured"][quantity].get<double>(), 1e-9) << quantity;
    }
}

/// Lawful sequences: a promise, its phases, and options of the run.
struct Composition {
    std::string text;
    std::string more = {};
};
const std::vector<Composition> lawful_compositions = {
    {"on complete:8\npromise broadcast --packets 8\nphase scatter\nphase allgather --algorithm ring\n"},
    {"on complete:7\npromise broadcast --packets 10 --source 3\nphase scatter --source 3\nphase allgather\n"},
    {"on complete:6\npromise broadcast --packets 6\nphase scatter --counts 0,3,1,0,2,0\nphase allgather\n"},
    {"on mesh:3x3\npromise allgather\nphase gather --source 4\nphase broadcast --source 4\n"},
    {"on mesh:3x3\npromise allgather --counts 3,0,1,2,0,0,5,1,1\nphase gather\nphase broadcast\n"},
    {"on torus:4x4\npromise allreduce --packets 16\nphase reduce-scatter --groups dim:0\n"
     "phase reduce-scatter --groups dim:1\nphase allgather --groups dim:1\nphase allgather --groups dim:0\n"},
    {"on torus:3x3\npromise allreduce --op max\nphase allreduce --groups dim:0\nphase allreduce --groups dim:1\n",
     "--rules nodup=off,noho=off"},
    {"on complete:8\npromise allreduce\nphase reduce --groups 0-3/4-7\nphase allreduce --members 0,4\n"
     "phase broadcast --groups 0-3/4-7\n"},
    {"on hypercube:3\npromise allreduce --op concat\nphase allreduce --groups bits:0,1 --algorithm exchange\n"
     "phase allreduce --groups bits:2 --algorithm exchange\n"},
    {"on complete:8\npromise reduce --packets 8 --source 3\nphase reduce-scatter\nphase gather --source 3\n"},
    {"on complete:8\npromise reduce-scatter\nphase reduce --source 2\nphase scatter --source 2\n"},
    {"on complete:8\npromise scatter\nphase scatter --members 0,4\nphase scatter --groups 0-3/4-7\n"},
    {"on complete:8\npromise gather\nphase gather --groups 0-3/4-7\nphase gather --members 0,4\n"},
    {"on complete:8\npromise barrier\nphase barrier --groups 0-3/4-7\nphase barrier --groups 0,4/1,5/2,6/3,7\n"},
    {"on mesh:4x4\npromise broadcast\nphase broadcast --members 0-3\nphase broadcast --groups 0,4,8,12/1,5,9,13/"
     "2,6,10,14/3,7,11,15\n"},
    {"on complete:1\npromise allreduce\nphase reduce\nphase broadcast\n"},
};

TEST(ASequence, ThatComposesAnOperationIsLawfulAndItsCountsAreThoseOfItsPhases) {
    for (const auto& [text, more] : lawful_compositions) {
        SCOPED_TRACE(text);
        const nlohmann::json json = sequence_report(text, more);
        EXPECT_EQ(json["lawful"], true) << json["verdict"];
        EXPECT_EQ(json["algorithm"], "sequence");
        expect_sums(json);
        for (const nlohmann::json& phase : json["phases"]) EXPECT_EQ(phase["lawful"], true) << phase;
        EXPECT_EQ(sequence_answer(text, more).status, 0);
    }
}

TEST(ASequence, GivesTheSameReportOnAnyNumberOfThreads) {
    for (const auto& [text, more] : lawful_compositions) {
        const std::string run = more + " --partition-nodes 1 --reproducible --json --threads ";
        std::string first = sequence_answer(text, run + "1").text;
        first.erase(first.find("\"again\""));
        for (const char* threads : {"2", "3", "4"}) {
            std::string other = sequence_answer(text, run + threads).text;
            other.erase(other.find("\"again\""));
            EXPECT_EQ(other, first) << text;
        }
    }
}

TEST(ASequence, MovesTheBytesOfTheWholeToEveryNode) {
    const nlohmann::json json = sequence_report(lawful_compositions[0].text, "--bytes 100");
    EXPECT_EQ(json["payload"]["bytes_compared"], 7 * 8 * 100);
    const nlohmann::json sums = sequence_report(lawful_compositions[5].text, "--bytes 24 --type double --op prod");
    EXPECT_EQ(sums["payload"]["bytes_compared"], 16 * 16 * 24);
    EXPECT_EQ(sums["agreement"]["agree"], true);
}

TEST(ASequence, FoldsInTheOrderOfNodes) {
    const nlohmann::json json = sequence_report(
        "on complete:4\npromise reduce --op concat\nphase reduce --groups 0,1/2,3\nphase reduce --members 0,2\n",
        "--values a,b,c,d");
    EXPECT_EQ(json["results"], nlohmann::json({"abcd"}));
}

TEST(ASequence, CostsWhatTheHierarchicalAlgorithmDoes) {
    const nlohmann::json whole = nlohmann::json::parse(
        answer_to("run allreduce --on complete:8 --algorithm hierarchical --groups 0-3/4-7 --intra farthest-first "
                  "--inter exchange --json")
            .text);
    const nlohmann::json json = sequence_report(
        "on complete:8\npromise allreduce\nphase reduce --groups 0-3/4-7 --algorithm farthest-first\n"
        "phase allreduce --members 0,4 --algorithm exchange\nphase broadcast --groups 0-3/4-7 --algorithm "
        "farthest-first\n");
    EXPECT_EQ(json["measured"], whole["measured"]);
    EXPECT_EQ(json["bounds"], whole["bounds"]);
    EXPECT_EQ(json["phases"], whole["phases"]);
    EXPECT_EQ(json["results"], whole["results"]);
}

TEST(ASequence, LeavesOutWhatReceiversHold) {
    const nlohmann::json json = sequence_report(
        "on complete:4\npromise allgather\nphase gather\nphase broadcast\nphase broadcast --source 2\n");
    EXPECT_EQ(json["lawful"], true);
    EXPECT_EQ(json["phases"][1]["bounds"]["volume"], nullptr) << "it promises less than a broadcast";
    EXPECT_EQ(json["phases"][2]["measured"]["rounds"], 0);
    EXPECT_EQ(json["payload"]["packets_compared"], 12);
}

class ClientThatReads final : public requests::Client {
  public:
    bool may_read(const std::string&) const override { return true; }
};

/// Of a file that is a line or ring under other numbers the messages of all phases have the file's ports.
TEST(ASequence, OnAGraphFileThatIsAFamilyUnderOtherNumbersIsLawful) {
    const std::filesystem::path folder = testing::TempDir() + "kport_sequence_files";
    std::filesystem::create_directories(folder);
    const std::string line = (folder / "l3.edges").string();
    const std::string ring = (folder / "r4.edges").string();
    std::ofstream(line) << "0 1\n1 2\n";
    std::ofstream(ring) << "0 1\n0 2\n1 3\n2 3\n";
    for (const std::string& text :
         {"on file:" + line + "\npromise allgather\nphase allgather\n",
          "on file:" + ring + "\npromise allreduce\nphase reduce\nphase broadcast\n",
          "on file:" + ring + "\npromise broadcast --source 2\nphase scatter --source 2\nphase allgather\n"}) {
        ClientThatReads client;
        const requests::Answer answer = requests::answer(words("run sequence -"), text, client);
        EXPECT_EQ(answer.status, 0) << text << answer.error;
    }
    std::filesystem::remove_all(folder);
}

/// A member owns what it has (docs/schedules.md, sequences): that another group has nothing takes nothing from this one.
TEST(ASequence, RunsAPhaseInThoseGroupsThatHaveSomething) {
    const std::string text =
        "on complete:7\npromise broadcast --packets 3\nphase allgather --groups 0,2,4/1,3,5\nphase broadcast\n";
    const nlohmann::json json = sequence_report(text);
    EXPECT_TRUE(json["lawful"].get<bool>());
    EXPECT_GT(json["phases"][0]["measured"]["work"].get<int>(), 0);
    EXPECT_LT(json["phases"][1]["measured"]["work"].get<int>(), 6) << "nodes 2 and 4 have the packets already";
    EXPECT_THAT(sequence_answer(text).text, HasSubstr("note    phase 1: the group of node 1 has nothing to allgather"));
}

TEST(ASequenceThatLies, IsBrokenWhereANodeIsLeftWithoutAPacket) {
    const std::string text = "on complete:8\npromise broadcast\nphase broadcast --members 0-3\n";
    const nlohmann::json json = sequence_report(text);
    EXPECT_EQ(json["lawful"], false);
    EXPECT_EQ(json["phases"][0]["lawful"], true);
    EXPECT_EQ(json["violations_by_rule"]["delivery"], 4);
    EXPECT_EQ(sequence_answer(text).status, 1);
}

TEST(ASequenceThatLies, SaysWhichPhaseHasNothingToMove) {
    const nlohmann::json json = sequence_report(
        "on complete:8\npromise broadcast\nphase broadcast --members 0-3\nphase broadcast --members 5-7\n");
    EXPECT_EQ(json["lawful"], false);
    EXPECT_EQ(json["phases"][1]["lawful"], false);
    EXPECT_EQ(json["phases"][1]["algorithm"], nullptr);
    EXPECT_EQ(json["phases"][1]["remarks"], nlohmann::json({"node 5 has nothing to broadcast"}));
    EXPECT_EQ(json["phases"][1]["measured"]["rounds"], 0);
    const auto remark = [](const std::string& phases, const std::string& promise) {
        const nlohmann::json report = sequence_report(fmt::format("on complete:4\npromise {}\n{}", promise, phases));
        EXPECT_EQ(report["lawful"], false) << phases;
        std::string all;
        for (std::size_t i = 0; i < report["phases"].size(); ++i)
            if (report["phases"][i].contains("remarks"))
                all += fmt::format("phase {}: {}\n", i + 1, report["phases"][i]["remarks"][0].get<std::string>());
        return all;
    };
    EXPECT_THAT(remark("phase scatter --counts 1,1,1,1\n", "broadcast --packets 8"),
                HasSubstr("phase 1: --counts adds up to 4, and there are 8 packets"));
    EXPECT_THAT(remark("phase gather\nphase allgather --counts 1,1,1,1\n", "allgather"),
                HasSubstr("phase 2: node 0 has 4 packets, and --counts says 1"));
    EXPECT_THAT(remark("phase gather --members 1-3\n", "broadcast"), HasSubstr("no member has anything to gather"));
    EXPECT_THAT(remark("phase allgather\n", "allreduce"),
                HasSubstr("node 0 and node 1 both have a value of segment 0"));
    EXPECT_THAT(remark("phase reduce-scatter\nphase allreduce\n", "allreduce --packets 4"),
                HasSubstr("node 0 and node 1 have values of different segments"));
}

TEST(ASequenceThatLies, IsBrokenWhereAContributionIsFoldedTwice) {
    for (const char* phases : {"phase reduce\nphase allreduce\n", "phase allreduce\nphase allreduce\n",
                               "phase allreduce --groups 0,1/2,3 --algorithm reduce-broadcast\nphase reduce --members "
                               "0,1\nphase reduce\n"}) {
        const requests::Answer answer = sequence_answer(fmt::format("on complete:4\npromise allreduce\n{}", phases));
        EXPECT_EQ(answer.status, 1) << phases;
        EXPECT_THAT(answer.text, HasSubstr("broken: NODUP")) << phases;
    }
    const nlohmann::json json =
        sequence_report("on complete:4\npromise allreduce\nphase reduce\nphase allreduce\n", "--values 1,2,4,8");
    for (const nlohmann::json& result : json["results"]) EXPECT_NE(result, "15");
}

TEST(ASequenceThatLies, IsBrokenWhereNodesLeaveABarrierTooEarly) {
    const nlohmann::json json = sequence_report("on complete:8\npromise barrier\nphase barrier --groups 0-3/4-7\n");
    EXPECT_EQ(json["lawful"], false);
    EXPECT_EQ(json["holders"], 0);
}

TEST(ASequenceWithoutAPromise, JudgesPhasesAlone) {
    const std::string text =
        "on complete:8\nphase gather --groups 0-3/4-7\nphase allgather --members 0,4\n"
        "phase alltoall\nphase scan --op max\nphase barrier\n";
    const nlohmann::json json = sequence_report(text);
    EXPECT_EQ(json["operation"], "sequence");
    EXPECT_EQ(json["lawful"], true);
    ASSERT_EQ(json["phases"].size(), 5U);
    expect_sums(json);
    EXPECT_EQ(json["phases"][1]["measured"]["volume"], 4 * 64) << "a leader has the packets of its group";
    EXPECT_EQ(sequence_answer(text).status, 0);
    EXPECT_THAT(sequence_answer(text).text,
                AllOf(HasSubstr("sequence on complete:8"), HasSubstr("nothing is promised as a whole"),
                      HasSubstr("2 of 8 nodes"), Not(HasSubstr("own program"))));
    const std::string breaks = "on ring:6\nphase broadcast --algorithm flooding\nphase allgather\n";
    EXPECT_EQ(sequence_answer(breaks, "--ports all").status, 1);
    EXPECT_THAT(sequence_answer(breaks, "--ports all").text, HasSubstr("broken: 1 of 2 phases"));
}

TEST(ASequenceWithoutAPromise, TakesThePacketsOfTheCommandLine) {
    const std::string text = "on complete:4\nphase reduce-scatter\nphase allgather\nphase allreduce --op max\n";
    const nlohmann::json json = sequence_report(text, "--packets 3");
    EXPECT_EQ(json["phases"][0]["measured"]["volume"], json["phases"][1]["measured"]["volume"]);
    EXPECT_EQ(sequence_report(text)["phases"][1]["measured"]["volume"],
              json["phases"][1]["measured"]["volume"].get<int>() / 3);
}

TEST(ASequence, ThatIsStoppedSaysInWhichPhase) {
    const requests::Answer answer = sequence_answer(
        "on complete:8\npromise broadcast\nphase broadcast --members 0,1\nphase broadcast\n", "--max-rounds 1");
    EXPECT_EQ(answer.status, 4);
    EXPECT_THAT(answer.text, HasSubstr("stopped in phase 2 (the limit of rounds), no verdict"));
}

TEST(ASequence, IsRecordedAndJudgedAgain) {
    KeepingClient client;
    const requests::Answer answer =
        requests::answer(words("run sequence - --record moved.json"), lawful_compositions[0].text, client);
    ASSERT_EQ(answer.status, 0) << answer.error;
    const requests::Answer again = answer_to("check - --json", client.written);
    EXPECT_EQ(nlohmann::json::parse(again.text)["lawful"], true) << again.error;
    EXPECT_EQ(nlohmann::json::parse(again.text)["measured"], sequence_report(lawful_compositions[0].text)["measured"]);
}

TEST(ASequence, KeepsThePromiseOfAFile) {
    const std::string path = testing::TempDir() + "kport_sequence_promise.txt";
    std::ofstream(path) << "packets 2\nowns 0: 0\nowns 3: 1\nwants 0-3: 0..1\n";
    const auto answer_by = [&](const std::string& phases) {
        ClientThatReads client;
        return requests::answer(words("run sequence - --json"),
                                fmt::format("on complete:4\npromise {}\n{}", path, phases), client);
    };
    const requests::Answer kept = answer_by("phase broadcast\nphase broadcast --source 3\n");
    EXPECT_EQ(kept.status, 0) << kept.error;
    EXPECT_EQ(nlohmann::json::parse(kept.text)["promise"]["file"], path);
    EXPECT_EQ(answer_by("phase allgather\n").status, 0);
    EXPECT_EQ(answer_by("phase broadcast\n").status, 1);
    std::ofstream(path) << "segments 1\ngives 0-3: 0\ntakes 0: 0 of 0-3\n";
    EXPECT_THAT(answer_by("phase reduce\n").error,
                HasSubstr("folds that a file promises are not made of phases; want"));
    std::filesystem::remove(path);
}

TEST(ASequenceInAFile, IsRefusedWithItsLine) {
    const auto refused = [](const std::string& lines) { return sequence_refusal("on complete:8\n" + lines); };
    EXPECT_THAT(refused("phrase broadcast\n"),
                HasSubstr("line 2, column 1: 'phrase' is unknown; did you mean 'phase'"));
    EXPECT_THAT(refused("# nothing\n\n"), HasSubstr("has no line of a phase; want such as"));
    EXPECT_THAT(sequence_refusal(""), HasSubstr("has no line of a phase"));
    EXPECT_THAT(refused("phase\n"), HasSubstr("line 2, column 1: 'phase' of what?"));
    EXPECT_THAT(refused("phase brodcast\n"), HasSubstr("line 2: no operation is called 'brodcast'; did you mean"));
    EXPECT_THAT(refused("on ring:4\nphase broadcast\n"), HasSubstr("line 2, column 1: a second line of 'on'"));
    EXPECT_THAT(refused("promise broadcast\nphase broadcast\npromise gather\n"),
                HasSubstr("a second line of 'promise'"));
    EXPECT_THAT(refused("phase broadcast --ports 2\n"), HasSubstr("line 2: --ports does not stand there"));
    EXPECT_THAT(refused("promise broadcast --members 0-3\nphase broadcast\n"),
                HasSubstr("line 2: --members does not stand there: promise takes"));
    EXPECT_THAT(refused("phase --source 1 broadcast\n"), HasSubstr("--source stands before the operation"));
    EXPECT_THAT(refused("phase broadcast --help\n"), HasSubstr("--help has no meaning in a file"));
    EXPECT_THAT(refused("phase broadcast 3\n"), HasSubstr("unexpected '3'"));
    EXPECT_THAT(refused("phase broadcast --source \\x\n"), HasSubstr("a backslash"));
    EXPECT_THAT(refused("phase broadcast --groups 4,0/4,1\n"),
                HasSubstr("line 2: --groups '4,0/4,1': node 4 is in two"));
    EXPECT_THAT(refused("phase broadcast --members 3,9\n"), HasSubstr("line 2: --members '3,9'"));
    EXPECT_THAT(refused("phase broadcast --algorithm exchange\n"), HasSubstr("line 2: algorithm 'exchange' is not"));
    EXPECT_THAT(refused("promise broadcast\nphase broadcast\nphase reduce\n"),
                HasSubstr("line 4: reduce is no phase of a broadcast; want broadcast, scatter, gather or allgather"));
    EXPECT_THAT(refused("promise alltoall\nphase alltoall\n"), HasSubstr("alltoall is no phase of an alltoall; want"));
    EXPECT_THAT(refused("promise scan\nphase reduce\n"), HasSubstr("line 3: the promise is a scan"));
    EXPECT_THAT(refused("promise barrier\nphase reduce\n"), HasSubstr("want barrier"));
    EXPECT_THAT(refused("promise allreduce --op max\nphase reduce --op min\n"), HasSubstr("line 3: --op 'min'"));
    EXPECT_THAT(refused("promise nothing.txt\nphase broadcast\n"), HasSubstr("line 2: --promise 'nothing.txt'"));
    EXPECT_THAT(refused("promise scatter --counts 5,1,1,1,1,1,1,1\nphase scatter --members 0,4\n"
                        "phase scatter --groups 0-2/4-7\n"),
                HasSubstr("line 4: nodes of one group have different numbers of packets, such as 1 and 2;"));
    EXPECT_THAT(sequence_refusal("on mesh:2x3\nphase allgather --algorithm tree-exchange\n", "--combining off"),
                AllOf(HasSubstr("needs a combining machine (--combining on); on"),
                      Not(HasSubstr("(--combining on) (--combining on)"))));
    EXPECT_THAT(sequence_refusal("phase broadcast\n"), HasSubstr("on which machine?"));
    EXPECT_THAT(sequence_refusal("on nothing:3\nphase broadcast\n"), HasSubstr("line 1: topology 'nothing:3'"));
}

TEST(ASequenceInAFile, ThatIsRubbishIsRefused) {
    EXPECT_THAT(sequence_refusal(std::string("on complete:8\nphase \0broadcast\n", 30)), HasSubstr("line 2"));
    EXPECT_THAT(sequence_refusal("\x7f"
                                 "ELF\x01\x02\x03\xff\xfe"),
                HasSubstr("is unknown"));
    EXPECT_THAT(sequence_refusal("on complete:8\nphase scatter --counts " + std::string(100000, '9') + "\n"),
                HasSubstr("line 2"));
    std::string many = "on complete:2\n";
    for (int i = 0; i < 1001; ++i) many += "phase barrier\n";
    EXPECT_THAT(sequence_refusal(many), HasSubstr("line 1002, column 1: more than 1000 phases"));
    EXPECT_EQ(sequence_answer("on hypercube:40\npromise broadcast\nphase broadcast\n").status, 3);
    EXPECT_EQ(sequence_answer("on complete:8\npromise broadcast --packets 4000000000\nphase broadcast\n").status, 3);
}

TEST(ASequence, OnTheCommandLineTakesAFileAndOptionsOfTheRun) {
    EXPECT_THAT(answer_to("run sequence").error, HasSubstr("which sequence? want kport run sequence FILE"));
    EXPECT_THAT(answer_to("run sequence x.txt").error, HasSubstr("no file is read here"));
    EXPECT_THAT(answer_to("run sequence - y.txt").error, HasSubstr("unexpected 'y.txt'"));
    EXPECT_THAT(answer_to("run broadcast hypercube:3").error, HasSubstr("want --on 'hypercube:3'"));
    EXPECT_THAT(answer_to("explain sequence --on ring:4").error, HasSubstr("kport run sequence FILE"));
    const std::string text = "on complete:4\npromise broadcast\nphase broadcast\n";
    for (const char* option : {"--source 1", "--algorithm rda", "--inject drop", "--members 0,1", "--counts 1,1,1,1",
                               "--until 2", "--promise x", "--keep smaller"})
        EXPECT_THAT(sequence_refusal(text, option), HasSubstr("has no effect here")) << option;
    EXPECT_EQ(sequence_answer("on complete:4\nphase permutation --permutation shift:1\n").status, 0);
    EXPECT_THAT(sequence_refusal("on complete:4\nphase broadcast\n", "--op max"), HasSubstr("no phase folds anything"));
    EXPECT_THAT(sequence_refusal("on complete:4\nphase broadcast\n", "--per-round"),
                HasSubstr("--per-round: nothing is promised as a whole"));
    EXPECT_THAT(sequence_refusal("on complete:4\npromise broadcast --packets 2\nphase broadcast\n", "--packets 3"),
                HasSubstr("line 2: --packets stands there and on the command line"));
    EXPECT_THAT(sequence_refusal(text, "--op max"), HasSubstr("line 2: --op 'max': broadcast folds nothing"));
    EXPECT_EQ(sequence_report(text, "--on ring:4")["topology"]["spec"], "ring:4");
    EXPECT_EQ(sequence_report(text, "--ports all --ts 5")["measured"]["rounds"], 1);
    EXPECT_EQ(sequence_report(text, "--packets 5 --combining off")["packets"], 5);
}

}  // namespace
}  // namespace kport::test
