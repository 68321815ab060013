/// @file promise_test.cpp   Promises in files, run, searched for, compared and shown by the program (docs/schedules.md).
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/files.hpp"
#include "tests/cli/kport.hpp"

namespace kport::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Promises : public testing::Test {
  protected:
    [[nodiscard]] std::string refusal_of(const std::string& line) const {
        const Outcome refused = kport(line);
        EXPECT_EQ(refused.status, 2) << line;
        EXPECT_EQ(refused.out, "") << line;
        return refused.err;
    }

    Files files_;
    const std::string corners_ =
        files_.add("corners.txt", "promise corners\non mesh:4x4\npackets 1\nowns 0,15: 0\nwants 3, 12, 5: 0\n");
    const std::string apart_ =
        files_.add("apart.txt",
                   "on torus:3x3\npackets 3\nsize 2 = 128\nowns 0, 5: 0\nowns 1: 1..2\nwants 4: 0\nwants 3: 1\n"
                   "wants 2: 2\n");
    const std::string halves_ = files_.add(
        "halves.txt", "on complete:4\npackets 4\nowns 0-1: 0..1\nowns 2: 2, 3\nwants 3: 0, 2\nwants 2: 0..1\n");
};

TEST_F(Promises, AreKeptByARunThatSaysHowItIsRepeated) {
    const Outcome run = kport("run promise --promise " + corners_);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out, AllOf(HasSubstr("promise corners on mesh:4x4"), HasSubstr("all rules kept, 16 of 16 nodes"),
                               HasSubstr("--algorithm layered"), HasSubstr("--promise " + corners_)));
    const nlohmann::json json = kport("run promise --promise " + corners_ + " --json").json();
    EXPECT_EQ(json["operation"], "promise");
    EXPECT_EQ(json["promise"]["name"], "corners");
    const std::string again = json["again"];
    const nlohmann::json repeated = kport(again.substr(std::string("kport ").size()) + " --json").json();
    EXPECT_EQ(repeated["measured"], json["measured"]);
    const nlohmann::json other = kport("run promise --promise " + apart_ + " --ports all --engine free --json").json();
    EXPECT_EQ(other["algorithm"], "shortest-paths");
    EXPECT_EQ(other["lawful"], true);
    EXPECT_EQ(kport("run promise --promise " + apart_ + " --on ring:9").status, 0) << "the machine asked for counts";
}

TEST_F(Promises, AreJudgedInTheRecordOfARunAsInTheRun) {
    const std::string record = files_.folder() + "/x.json";
    const nlohmann::json run = kport("run promise --promise " + apart_ + " --record " + record + " --json").json();
    const nlohmann::json judged = kport("check " + record + " --promise " + apart_ + " --json").json();
    EXPECT_EQ(judged["lawful"], true);
    EXPECT_EQ(judged["measured"], run["measured"]);
    const nlohmann::json alone = kport("check " + record + " --json").json();
    EXPECT_EQ(alone["measured"], run["measured"])
        << "the record says itself who owns and wants what, and how large it is";
    const std::string more = files_.add(
        "more.txt",
        "on torus:3x3\npackets 3\nsize 2 = 128\nowns 0, 5: 0\nowns 1: 1..2\nwants 4: 0\nwants 3: 1\nwants 2: 2, 1\n");
    EXPECT_EQ(kport("check " + record + " --promise " + more).status, 1) << "node 2 lacks packet 1";
}

// A record that left out who may pass packets on would be judged lawful.
TEST_F(Promises, OfRelaysStandInTheRecordOfARunThatBreaksThem) {
    const std::string lax = files_.add("lax.txt", "on line:3\npackets 1\nowns 0: 0\nwants 2: 0\n");
    const std::string strict = files_.add("strict.txt", "on line:3\npackets 1\nowns 0: 0\nwants 2: 0\nrelay none\n");
    const std::string rounds = files_.add("x.txt", "round 1: 0 -> 1 {0}\nround 2: 1 -> 2 {0}\n");
    EXPECT_EQ(kport("check " + rounds + " --promise " + lax).status, 0);
    EXPECT_EQ(kport("check " + rounds + " --promise " + strict).status, 1);
    const std::string barred = files_.add(
        "barred.json",
        R"({"kport_schedule": 1, "topology": "line:3", "own": {"name": "p", "packets": 1, "owned": [[0], [], []],
         "wanted": [[], [], [0]], "relays": ""}, "transfers": [{"round": 1, "from": 0, "to": 1, "route": [1], "packets": [0]},
         {"round": 2, "from": 1, "to": 2, "route": [1], "packets": [0]}]})");
    EXPECT_THAT(kport("check " + barred).out, HasSubstr("relay broken: node 1"));
    EXPECT_EQ(
        kport("run promise --promise " + files_.add("1.txt", "on line:3\npackets 1\nowns 0: 0\nwants 2: 0\nrelay 1\n") +
              " --record " + files_.folder() + "/r.json")
            .status,
        0);
    EXPECT_EQ(kport("check " + files_.folder() + "/r.json").status, 0) << "node 1 may";
}

TEST_F(Promises, AreSearchedForWithTheirOwnersInPlaceOfOneRoot) {
    const std::string record = files_.folder() + "/least.json";
    const Outcome found = kport("search promise --promise " + halves_ + " --record " + record);
    EXPECT_EQ(found.status, 0) << found.err;
    EXPECT_THAT(found.out, HasSubstr("exactly 2 rounds"));
    EXPECT_EQ(kport("check " + record + " --promise " + halves_).status, 0);
    EXPECT_THAT(kport("run promise --promise " + halves_ + " --algorithm exact").out, HasSubstr("all rules kept"));
    const std::string barred = files_.add("barred.txt", "on ring:6\npackets 1\nowns 0: 0\nwants 3: 0\nrelay none\n");
    EXPECT_THAT(refusal_of("search promise --promise " + barred), HasSubstr("packet 0 has no way to node 3"));
    EXPECT_THAT(refusal_of("search promise --promise " + apart_), HasSubstr("differ in size"));
}

TEST_F(Promises, AreComparedExplainedAndShown) {
    EXPECT_THAT(kport("compare promise --promise " + corners_).out, HasSubstr("layered"));
    EXPECT_THAT(kport("explain promise --promise " + corners_).out, HasSubstr("packet 0: from 2 nodes to 5"));
    EXPECT_THAT(kport("show promise --promise " + corners_).out, HasSubstr("round 3"));
    EXPECT_THAT(kport("list algorithms promise").out, AllOf(HasSubstr("layered"), HasSubstr("shortest-paths")));
}

class PromisesOfFoldsInFiles : public Promises {
  protected:
    const std::string two_sums_ =
        files_.add("two.txt",
                   "promise two-sums\non complete:4\nsegments 2\ngives 0-3: 0, 1\ntakes 0: 0 of 0-3\n"
                   "takes 1-3: 1 of 0, 2 in order\nrelay none\n");
    const std::string rounds_ = files_.add("rounds.txt",
                                           "round 1: 0 -> 2 {0:1}, 1 -> 0 {1:0}, 2 -> 3 {2:0}\n"
                                           "round 2: 3 -> 0 {2..3:0}, 2 -> 1 {0:1, 2:1}\nround 3: 2 -> 3 {0:1, 2:1}\n");
    /// Every node sends what it gives to all others, which fold what they take.
    const std::string direct_ =
        files_.add("direct.cpp",
                   "#include <kport/kport.hpp>\n#include <optional>\n#include <vector>\nusing namespace kport;\n"
                   "Program direct(Node& self) {\n"
                   "    for (NodeId d = 1; d < self.nodes(); ++d) {\n"
                   "        const NodeId to = (self.id() + d) % self.nodes();\n"
                   "        co_await self.send(self.topology().port_to(self.id(), to), self.contribution());\n"
                   "    }\n"
                   "    std::vector<Value> all(self.nodes());\n"
                   "    all[self.id()] = self.contribution();\n"
                   "    for (NodeId d = 1; d < self.nodes(); ++d) {\n"
                   "        const Arrival came = co_await self.receive();\n"
                   "        all[came.from] = came.value();\n"
                   "    }\n"
                   "    const PacketSet own = PacketSet::range(self.id() == 0 ? 0 : 1, self.id() == 0 ? 1 : 2);\n"
                   "    Value sum = self.cut(all[0], own);\n"
                   "    for (NodeId v = 1; v < self.nodes(); ++v)\n"
                   "        if (self.id() == 0 || v == 2) sum = self.fold(sum, self.cut(all[v], own));\n"
                   "    self.result(sum);\n"
                   "}\n"
                   "KPORT_ALGORITHM(.operation = Operation::promise, .program = direct, .all_start = true);\n");
};

TEST_F(PromisesOfFoldsInFiles, JudgeSchedulesWithBoundsAndAgreement) {
    const nlohmann::json kept = kport("check " + rounds_ + " --promise " + two_sums_ + " --json").json();
    EXPECT_EQ(kept["operation"], "promise");
    EXPECT_EQ(kept["promise"]["name"], "two-sums");
    EXPECT_EQ(kept["lawful"], true);
    EXPECT_EQ(kept["measured"]["rounds"], 3);
    EXPECT_EQ(kept["bounds"]["rounds"], 2);
    EXPECT_EQ(kept["agreement"]["different_brackets"], 1);
    EXPECT_EQ(kport("check " + rounds_ + " --promise " + two_sums_ + " --rules agree=law").status, 0);
    EXPECT_THAT(kport("bounds promise --promise " + two_sums_).out, HasSubstr("values of node 2: 2 of 1 port"));
    const std::string lacking = files_.add("lacking.txt", "round 1: 0 -> 2 {0:1}\n");
    EXPECT_EQ(kport("check " + lacking + " --promise " + two_sums_).status, 1);
    EXPECT_THAT(refusal_of("check " + rounds_ + " allreduce --promise " + two_sums_), HasSubstr("leave allreduce out"));
    EXPECT_THAT(refusal_of("convert " + rounds_ + " --to json --promise " + two_sums_), HasSubstr("--promise"));
    EXPECT_THAT(
        refusal_of("check " + files_.add("apart.txt", "unfolded\nround 1: 0 -> 2 {0:1}\n") + " --promise " + two_sums_),
        HasSubstr("one value of a segment"));
}

// Nodes 1 and 2 hold x0 + x3 + x1 + x2 in different brackets, and the operator may round.
TEST_F(PromisesOfFoldsInFiles, SayWhetherAllWhoTakeAFoldAgree) {
    const std::string both =
        files_.add("both.txt", "on complete:4\nsegments 1\ngives 0-2: 0\ntakes 0: 0 of 0-2\ntakes 3: 0 of 0-2\n");
    const std::string rounds = files_.add(
        "brackets.txt", "round 1: 2 -> 1 {2}\nround 2: 1 -> 0 {1,2}\nround 3: 0 -> 3 {0}\nround 4: 1 -> 3 {1,2}\n");
    EXPECT_THAT(kport("check " + rounds + " --promise " + both).out, HasSubstr("agree   yes"));
    const std::string other = files_.add(
        "others.txt",
        "round 1: 2 -> 1 {2}\nround 2: 1 -> 0 {1,2}, 2 -> 3 {2}\nround 3: 0 -> 3 {0}\nround 4: 1 -> 3 {1}\n");
    const Outcome differs = kport("check " + other + " --promise " + both);
    EXPECT_THAT(differs.out, HasSubstr("agree   only if the operator is exact, 2 brackets"));
    EXPECT_EQ(differs.status, 0);
    EXPECT_EQ(kport("check " + other + " --promise " + both + " --rules agree=law").status, 1);
}

TEST_F(PromisesOfFoldsInFiles, AreKeptByAProgramOfOnesOwnAndByItsRecord) {
    const std::string record = files_.folder() + "/r.json";
    const std::string line = "run promise --promise " + two_sums_ + " --algorithm " + direct_ + " --ports all";
    const nlohmann::json json = kport(line + " --values 1,20,300,4000 --json --record " + record).json();
    EXPECT_EQ(json["lawful"], true) << json["violations"];
    EXPECT_EQ(json["results"], nlohmann::json({"4321", "301", "301", "301"}));
    EXPECT_EQ(json["agreement"]["agree"], true);
    EXPECT_EQ(kport("check " + record + " --json").json()["measured"], json["measured"]);
    EXPECT_EQ(kport("check " + record + " --promise " + two_sums_).status, 0);
    const nlohmann::json free = kport(line + " --type double --op prod --engine free --json").json();
    EXPECT_EQ(free["lawful"], true);
    EXPECT_EQ(free["measured"], json["measured"]);
    const std::string again = json["again"];
    EXPECT_EQ(kport(again.substr(std::string("kport ").size()) + " --json").json()["results"], json["results"]);
    const std::string odd =
        files_.add("odd.txt", "on complete:2\nsegments 1\nsize 0 = 12\ngives 0-1: 0\ntakes 0: 0 of 0-1\n");
    EXPECT_THAT(refusal_of("run promise --promise " + odd + " --algorithm " + direct_),
                HasSubstr("want multiples of 8"));
    EXPECT_THAT(refusal_of(line + " --op concat"), HasSubstr("node 0 takes segment 0 in any order; want 'in order'"));
    EXPECT_THAT(kport("show promise --promise " + two_sums_ + " --algorithm " + direct_ + " --ports all").out,
                HasSubstr("round 1"));
}

TEST_F(PromisesOfFoldsInFiles, HaveNoAlgorithmAndNoSearchOfKportsOwn) {
    EXPECT_THAT(refusal_of("run promise --promise " + two_sums_), HasSubstr("want one of your own"));
    EXPECT_THAT(refusal_of("run promise --promise " + two_sums_ + " --algorithm layered"), HasSubstr("folds nothing"));
    EXPECT_THAT(refusal_of("search promise --promise " + two_sums_), HasSubstr("kport bounds promise"));
}

TEST_F(Promises, ThatNoAlgorithmServesAreRefusedWithTheReasons) {
    EXPECT_THAT(
        refusal_of("run promise --promise " + halves_),
        AllOf(HasSubstr("layered needs packets that the same nodes own"),
              HasSubstr("shortest-paths needs packets that one node each wants"), HasSubstr("one of your own")));
    EXPECT_THAT(refusal_of("run promise --promise " + corners_ + " --algorithm shortest-paths"),
                HasSubstr("layered, exact would do"));
    EXPECT_THAT(refusal_of("run promise"), HasSubstr("--promise is missing"));
    EXPECT_THAT(refusal_of("run broadcast --on ring:5 --promise " + corners_), HasSubstr("want kport run promise"));
    EXPECT_THAT(refusal_of("run promise --promise " + corners_ + " --source 3"), HasSubstr("exclude each other"));
    EXPECT_THAT(refusal_of("run promise --promise " + corners_ + " --type double"), HasSubstr("folds nothing"));
    EXPECT_THAT(refusal_of("run promise --promise " + files_.add("none.txt", "")), Not(HasSubstr("Collective::")));
}

}  // namespace
}  // namespace kport::test
