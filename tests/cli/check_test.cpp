/// @file check_test.cpp   kport check: schedules in files, and folders of them, judged.
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/files.hpp"
#include "tests/cli/kport.hpp"

namespace kport::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* lawful_text = "on line:3\nbroadcast from 0\nround 1: 0 -> 1\nround 2: 1 -> 2\n";
constexpr const char* broken_text = "on line:3\nbroadcast from 0\nround 1: 0 -> 1, 1 -> 2\n";

TEST(Check, ReportsAScheduleBesideTheBoundsAndSaysNothingOfBytes) {
    Files files;
    const std::string path = files.add("good.txt", lawful_text);
    const Outcome outcome = kport({"check", path});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_THAT(outcome.out, StartsWith("verdict  ")) << "first, on a line of its own";
    for (const std::string& line :
         {"schedule " + path + " (text)\n", std::string("verdict  all rules kept, 3 of 3 nodes hold the packet\n"),
          std::string("no payload: a schedule was judged"), "again   kport check " + path + "\n"})
        EXPECT_THAT(outcome.out, HasSubstr(line));
    const nlohmann::json json = kport({"check", path, "--json"}).json();
    EXPECT_EQ(json["measured"]["rounds"], 2);
    EXPECT_EQ(json["bounds"]["rounds"], 2);
    EXPECT_EQ(json["optimal"]["rounds"], true);
}

TEST(Check, AsksWhatAScheduleDoesThatDoesNotSayIt) {
    Files files;
    const std::string path = files.add("noop.txt", "on line:3\nround 1: 0 -> 1\nround 2: 1 -> 2\n");
    const std::string table = files.add("noop.csv", "round,from,to\n1,0,1\n2,1,2\n");
    const std::string json = files.add("noop.json", R"({"kport_schedule": 1, "topology": "line:3", "transfers": [
        {"round": 1, "from": 0, "to": 1, "route": [1], "packets": [0]}]})");
    for (const std::string& line : {"check " + path, "show " + path, "convert " + path + " --to json",
                                    "check " + table + " --on line:3", "check " + json}) {
        const Outcome outcome = kport(line);
        EXPECT_EQ(outcome.status, 2) << line;
        EXPECT_THAT(outcome.err,
                    HasSubstr("does not say what the schedule does; want a line such as 'scatter from 0'"));
    }
    EXPECT_THAT(kport("check " + path + " broadcast").out, HasSubstr("all rules kept, 3 of 3 nodes hold the packet"));
    EXPECT_THAT(kport("show " + path + " broadcast").out, StartsWith("broadcast from node 0 on line:3"));
}

TEST(Check, JudgesTheMachinesRulesAloneWhereNoneIsSaid) {
    Files files;
    const std::string path = files.add("x.txt", "on line:3\nround 1: 0 -> 1 {0}, 1 -> 2 {5}\n");
    const Outcome lawful = kport("check " + path + " none");
    EXPECT_EQ(lawful.status, 0) << lawful.err;
    EXPECT_THAT(lawful.out, HasSubstr("all rules kept, nothing promised"));
    EXPECT_EQ(kport("check " + path + " none --json").json()["measured"]["volume"], 64);
    EXPECT_EQ(kport("check " + path + " none --bytes 8 --json").json()["measured"]["volume"], 8);
    const std::string said = files.add("y.txt", "on ring:3\nnone\nround 1: 0 -> 1 {0}, 2 -> 1 {5}\n");
    EXPECT_EQ(kport("check " + said).status, 1);
    EXPECT_EQ(kport("check " + said + " --ports 2").status, 0);
    EXPECT_THAT(kport("show " + said).out, StartsWith("own program on ring:3"));
    EXPECT_THAT(kport("convert " + said + " --to json").out, HasSubstr("\"operation\": \"none\""));
    EXPECT_EQ(kport("convert " + said + " --to json --bytes 8").status, 0) << "the size of what the messages carry";
    const std::string json = files.folder() + "/z.json";
    EXPECT_EQ(kport("convert " + said + " " + json).status, 0);
    EXPECT_EQ(kport("check " + json).status, 1);
    for (const char* line :
         {"run none --on line:3", "compare none --on line:3", "bounds none --on line:3", "stress --operation none",
          "list algorithms none", "new none", "search none --on line:3"}) {
        const Outcome refused = kport(line);
        EXPECT_EQ(refused.status, 2) << line;
        EXPECT_THAT(refused.err, HasSubstr("none promises nothing")) << line;
    }
}

TEST(Check, GivesStatus4WhereWhatIsToArriveIsNotKnown) {
    Files files;
    const std::string goal =
        files.add("x.goal", "num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\nrecv 8b from 0\n}\n");
    const Outcome outcome = kport("check " + goal);
    EXPECT_EQ(outcome.status, 4);
    EXPECT_THAT(outcome.out, HasSubstr("name it behind the file ('kport check FILE OPERATION'), or say none"));
    EXPECT_EQ(kport("check " + goal + " none").status, 0);
    EXPECT_EQ(kport("check " + goal + " broadcast").status, 0);
}

/// A shift along a line: each node has a packet for the next.
constexpr const char* own_schedule = R"({"kport_schedule": 1, "topology": "line:3",
    "own": {"name": "shift", "noun": "what comes from the left", "packets": 3,
            "owned": [[0], [1], [2]], "wanted": [[], [0], [1]]},
    "transfers": [{"round": 1, "from": 0, "to": 1, "route": [1], "packets": [0]},
                  {"round": 1, "from": 1, "to": 2, "route": [1], "packets": [1]}]})";

TEST(Check, JudgesShowsAndConvertsACollectiveOfOnesOwn) {
    Files files;
    const std::string path = files.add("shift.json", own_schedule);
    const Outcome checked = kport("check " + path);
    EXPECT_EQ(checked.status, 0) << checked.err;
    EXPECT_THAT(checked.out,
                StartsWith("verdict  all rules kept, 3 of 3 nodes hold what comes from the left\nshift on line:3"));
    for (const char* kind : {"text", "svg", "overview", "space-time", "dot", "json", "trace", "html"})
        EXPECT_EQ(kport("show " + path + " --as " + kind).status, 0) << kind;
    const std::string again = files.folder() + "/again.json";
    EXPECT_EQ(kport("convert " + path + " " + again).status, 0);
    EXPECT_EQ(kport("check " + again).status, 0);
    const Outcome text = kport("convert " + path + " --to text");
    EXPECT_EQ(text.status, 2);
    EXPECT_THAT(text.err, HasSubstr("only JSON can say what shift promises"));
    std::string missing = own_schedule;
    missing.replace(missing.find("[2]], \"wanted\""), 3, "[7]");
    EXPECT_THAT(kport({"check", files.add("missing.json", missing)}).err, HasSubstr("what node 2 owns names"));
    std::string late = own_schedule;
    late.replace(late.find("[[], [0], [1]]"), 14, "[[2], [0], [1]]");
    EXPECT_EQ(kport({"check", files.add("late.json", late)}).status, 1);
}

TEST(Check, SaysHowItIsGivenAgainWithPathsOfAnyKind) {
    Files files;
    const std::string path = files.add("my schedule.txt", lawful_text);
    EXPECT_THAT(kport({"check", path, "--ports", "2"}).out,
                HasSubstr("again   kport check '" + path + "' --ports 2\n"));
}

TEST(Check, TellsInJsonWhatItChoseBecauseTheFileDoesNotSayIt) {
    Files files;
    const std::string star =
        files.add("x.goal", "num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\nrecv 8b from 0\n}\n");
    const nlohmann::json json = kport({"check", star, "broadcast", "--json"}).json();
    EXPECT_EQ(json["form"], "goal");
    ASSERT_EQ(json["remarks"].size(), 3U);
    EXPECT_THAT(json["remarks"][0].get<std::string>(), HasSubstr("is a complete graph"));
}

TEST(Check, EndsWith1AndTellsTheStoryWhereARuleIsBroken) {
    Files files;
    const Outcome outcome = kport({"check", files.add("bad.txt", broken_text)});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.out, HasSubstr("node 1 sends packet 0 in round 1"));
}

TEST(Check, JudgesOnTheMachineOfTheOptions) {
    Files files;
    const std::string star =
        files.add("star.txt", "on complete:4\nbroadcast from 0\nround 1: 0 -> 1, 0 -> 2, 0 -> 3\n");
    EXPECT_EQ(kport({"check", star}).status, 1);
    EXPECT_EQ(kport({"check", star, "--ports", "all"}).status, 0);
    EXPECT_EQ(kport({"check", star, "--ports", "all", "--on", "ring:4"}).status, 1);
    const Outcome counted =
        kport({"check", files.add("twice.txt", "on line:2\nbroadcast\nround 1: 0 -> 1\nround 2: 0 -> 1\n"), "--rules",
               "nodup=count"});
    EXPECT_EQ(counted.status, 0);
    EXPECT_THAT(counted.out, HasSubstr("NODUP not kept 1 time"));
}

TEST(Check, OfAFolderHasALineAFileAndTheWorstStatus) {
    Files files;
    files.add("a.txt", lawful_text);
    EXPECT_EQ(kport({"check", files.folder()}).status, 0);
    files.add("b.txt", broken_text);
    EXPECT_EQ(kport({"check", files.folder()}).status, 1);
    files.add("c.txt", "round 1: 0 1\n");
    const Outcome outcome = kport({"check", files.folder()});
    EXPECT_EQ(outcome.status, 1) << "a broken one is worse than one that is refused";
    EXPECT_THAT(outcome.out, HasSubstr("a.txt   broadcast"));
    EXPECT_THAT(outcome.out, HasSubstr("refused: schedule"));
    const nlohmann::json json = kport({"check", files.folder(), "--json"}).json();
    ASSERT_EQ(json.size(), 3U);
    EXPECT_EQ(json[0]["file"], "a.txt");
    EXPECT_TRUE(json[2].contains("refused"));
}

constexpr const char* receives_first =
    R"(<algo name="x" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allgather" inplace="0">
<gpu id="0" i_chunks="1" o_chunks="2" s_chunks="0"><tb id="0" send="1" recv="1" chan="0">
<step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="2" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/></tb></gpu>
<gpu id="1" i_chunks="1" o_chunks="2" s_chunks="0"><tb id="0" send="0" recv="0" chan="0">
<step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="2" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/></tb></gpu>
</algo>
)";

TEST(Check, NamesWhatTheReaderFoundAndConvertWritesNothingOfWhatCannotRun) {
    Files files;
    const std::string path = files.add("x.xml", receives_first);
    const Outcome checked = kport({"check", path});
    EXPECT_EQ(checked.status, 1) << checked.err;
    EXPECT_THAT(checked.out, StartsWith("verdict  broken: deadlock (1 fault)\n"));
    EXPECT_THAT(checked.out, HasSubstr("\ndeadlock: GPU 0 block 0 step 0 (r from 1) waits for GPU 1 block 0 step 1"));
    const nlohmann::json json = kport({"check", path, "--json"}).json();
    EXPECT_EQ(json["lawful"], false);
    EXPECT_EQ(json["checks"]["deadlock"], false);
    EXPECT_EQ(json["findings"][0]["fault"], "deadlock");
    const Outcome converted = kport({"convert", path, "--to", "text"});
    EXPECT_EQ(converted.status, 2);
    EXPECT_EQ(converted.out, "");
    EXPECT_THAT(converted.err, HasSubstr("is broken, so that nothing is written; deadlock: "));
}

constexpr const char* early_reduce =
    "num_ranks 3\nrank 0 {\nl1: recv 8b from 1\n}\nrank 1 {\nl2: recv 8b from 2\n"
    "l3: send 8b to 0\n}\nrank 2 {\nl4: send 8b to 1\n}\n";

TEST(CheckRepair, PutsAPatchBelowTheReportThatPatchTakesWithIt) {
    Files files;
    const std::string path = files.add("x y.goal", early_reduce);
    const Outcome broken = kport({"check", path, "reduce"});
    const Outcome repaired = kport({"check", path, "reduce", "--repair"});
    EXPECT_EQ(repaired.status, 1);
    EXPECT_THAT(repaired.out, StartsWith(broken.out.substr(0, broken.out.find("audit"))));
    EXPECT_THAT(
        repaired.out,
        HasSubstr("\nrepair  1 change, with which the file was judged again and is lawful: rank 1: l3 requires l2"
                  "\n--- " +
                  path + "\t\n+++ " + path + "\t\n@@ -5,6 +5,7 @@\n"));
    const std::string patch = files.add("x.patch", repaired.out);
    EXPECT_EQ(std::system(fmt::format("patch -s '{}' '{}'", path, patch).c_str()), 0);  // NOLINT(cert-env33-c)
    EXPECT_EQ(kport({"check", path, "reduce"}).status, 0);
}

TEST(CheckRepair, KeepsTheStatusAndSaysInASentenceThatThereIsNone) {
    Files files;
    const std::string deadlock = files.add("x.xml", receives_first);
    const Outcome none = kport({"check", deadlock, "--repair"});
    EXPECT_EQ(none.status, 1);
    EXPECT_THAT(none.out, HasSubstr("\nrepair  no repair of at most 8 changes was found\n"));
    EXPECT_THAT(none.out, Not(HasSubstr("\n--- ")));
    const std::string goal = files.add("x.goal", early_reduce);
    const Outcome lawful = kport({"check", goal, "none", "--repair"});
    EXPECT_EQ(lawful.status, 0);
    EXPECT_THAT(lawful.out, HasSubstr("\nrepair  nothing to repair: the schedule is lawful\n"));
    const Outcome unjudged = kport({"check", goal, "--repair"});
    EXPECT_EQ(unjudged.status, 4);
    EXPECT_THAT(unjudged.out, HasSubstr("\nrepair  nothing to repair: no fault was found in what was judged\n"));
}

TEST(CheckRepair, IsRefusedWhereThereAreNoRepairs) {
    Files files;
    const std::string text = files.add("x.txt", broken_text);
    const auto refused = [](const std::vector<std::string>& line) {
        const Outcome outcome = kport(line);
        EXPECT_EQ(outcome.status, 2);
        EXPECT_EQ(outcome.out, "");
        return outcome.err;
    };
    EXPECT_THAT(refused({"check", text, "--repair"}),
                HasSubstr("--repair: only files of the forms goal and msccl are repaired, and '" + text + "' is text"));
    EXPECT_THAT(refused({"check", files.folder(), "--repair"}), HasSubstr("a patch is of one file"));
    EXPECT_THAT(refused({"check", text, "--repair", "--json"}), HasSubstr("--repair has no effect beside --json"));
    EXPECT_THAT(refused({"check", "x.cpp", "broadcast", "--on", "ring:4", "--repair"}), HasSubstr("is an algorithm"));
}

TEST(Check, SaysFirstWhatWasNotJudgedAndThatNeverEndsWith0) {
    Files files;
    const std::string path =
        files.add("x.goal", "num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\nrecv 8b from 0\n}\n");
    const Outcome unnamed = kport({"check", path});
    EXPECT_EQ(unnamed.status, 4);
    EXPECT_THAT(unnamed.out, StartsWith("verdict  not judged: delivery (no operation is named"));
    const nlohmann::json json = kport({"check", path, "--json"}).json();
    EXPECT_EQ(json["not_judged"][0]["what"], "delivery");
    EXPECT_EQ(json["lawful"], false) << "no praise without judgement";
    EXPECT_TRUE(json["checks"]["delivered"].is_null());
    EXPECT_EQ(kport({"check", path, "none"}).status, 0);
    EXPECT_EQ(kport({"check", path, "alltoall"}).status, 1) << "rank 0 hears of nobody";
    const std::string both = files.add(
        "y.goal",
        "num_ranks 2\nrank 0 {\nsend 8b to 1\nrecv 8b from 1\n}\nrank 1 {\nrecv 8b from 0\nsend 8b to 0\n}\n");
    EXPECT_EQ(kport({"check", both, "alltoall"}).status, 4) << "GOAL does not say what messages carry";
}

TEST(Check, JudgesAScheduleByAPromiseInAFile) {
    Files files;
    const std::string promise = files.add(
        "p.txt", "promise halves\non complete:4\npackets 2\nowns 0: 0\nowns 1: 1\nwants 2: 0..1\nrelay none\n");
    const std::string right = files.add("x.txt", "round 1: 0 -> 2 {0}\nround 2: 1 -> 2 {1}\n");
    const Outcome lawful = kport({"check", right, "--promise", promise});
    EXPECT_EQ(lawful.status, 0) << lawful.err;
    EXPECT_THAT(lawful.out, HasSubstr("promise halves on complete:4"));
    const nlohmann::json json = kport({"check", right, "--promise", promise, "--json"}).json();
    EXPECT_EQ(json["operation"], "promise");
    EXPECT_EQ(json["promise"]["name"], "halves");
    EXPECT_EQ(json["bounds"]["rounds"], 2);
    EXPECT_EQ(json["bounds"]["work"], 2);
    EXPECT_EQ(json["checks"]["relay"], true);
    const std::string by_3 = files.add("y.txt", "round 1: 0 -> 3 {0}, 1 -> 2 {1}\nround 2: 3 -> 2 {0}\n");
    const Outcome broken = kport({"check", by_3, "--promise", promise});
    EXPECT_EQ(broken.status, 1);
    EXPECT_THAT(broken.out, HasSubstr("relay broken: node 3"));
    const std::string late = files.add("z.txt", "round 1: 0 -> 2 {0}\n");
    EXPECT_EQ(kport({"check", late, "--promise", promise}).status, 1);
    EXPECT_EQ(kport({"bounds", "promise", "--promise", promise, "--json"}).json()["bounds"]["rounds"], 2);
    const auto why = [&](std::vector<std::string> line) {
        const Outcome refused = kport(line);
        EXPECT_EQ(refused.status, 2);
        return refused.err;
    };
    EXPECT_THAT(why({"check", right, "scatter", "--promise", promise}), HasSubstr("leave scatter out"));
    EXPECT_THAT(why({"check", right, "--promise", promise, "--packets", "2"}), HasSubstr("exclude each other"));
    EXPECT_THAT(why({"check", right, "--promise", files.folder()}), HasSubstr("is a folder"));
    EXPECT_THAT(why({"check", right, "--promise", promise + "x"}), HasSubstr("no such file"));
    EXPECT_THAT(why({"run", "promise", "--on", "ring:3"}), HasSubstr("--promise is missing"));
    EXPECT_THAT(why({"bounds", "promise"}), HasSubstr("--promise is missing"));
    EXPECT_THAT(why({"bounds", "scatter", "--on", "ring:3", "--promise", promise}), HasSubstr("kport bounds promise"));
}

// A schedule may not say less than the promise that it is judged by, nor something else.
TEST(Check, TakesNothingFromAScheduleThatItsPromiseSays) {
    Files files;
    const std::string promise = files.add("p.txt", "on line:3\npackets 2\nowns 0: 0..1\nwants 2: 0\nrelay none\n");
    const auto why = [&](const std::string& schedule, const std::string& name = "x.txt") {
        const Outcome refused = kport({"check", files.add(name, schedule), "--promise", promise});
        EXPECT_EQ(refused.status, 2) << schedule;
        return refused.err;
    };
    const std::string rounds = "round 1: 0 -> 1 {0}\n";
    EXPECT_THAT(why("members 0,1\n" + rounds), HasSubstr("has members"));
    EXPECT_THAT(why("packets 3\n" + rounds), HasSubstr("has packets"));
    EXPECT_THAT(why("counts 0,1,1\n" + rounds), HasSubstr("has counts"));
    EXPECT_THAT(why("sizes 0,1,1\n" + rounds), HasSubstr("has sizes"));
    EXPECT_THAT(why("on ring:5\n" + rounds), HasSubstr("the schedule is for ring:5, and the promise for line:3"));
    EXPECT_THAT(why(R"({"kport_schedule": 1, "topology": "line:3", "members": "0,1", "transfers": []})", "x.json"),
                HasSubstr("has members"));
    EXPECT_THAT(why(R"({"kport_schedule": 1, "topology": "ring:3", "transfers": []})", "x.json"),
                HasSubstr("is for ring:3"));
    EXPECT_THAT(why("num_ranks 3\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\nrecv 8b from 0\n}\nrank 2 {\n}\n", "x.goal"),
                HasSubstr("packets are not named in goal"));
    const Outcome written = kport({"convert", files.add("y.txt", rounds), "--promise", promise, "--to", "json"});
    EXPECT_EQ(written.status, 2);
    EXPECT_THAT(written.err, HasSubstr("no form of a schedule says what a file promises"));
    for (const char* other : {"--members 0,1", "--groups 0/1,2", "--packets 2", "--sizes 1,2,3", "--source 1"})
        EXPECT_THAT(kport("bounds promise --promise " + promise + " " + other).err, HasSubstr("exclude each other"))
            << other;
}

TEST(Check, JudgesAnAllgatherAsBooksWriteItWhereMessagesCarryAllThatIsHeld) {
    Files files;
    const std::string first_round = "on hypercube:2\nallgather\nround 1: 0 <-> 1, 2 <-> 3\n";
    const std::string file = files.add("x.txt", first_round + "round 2: 0 <-> 2, 1 <-> 3\n");
    EXPECT_EQ(kport({"check", file}).status, 2);
    const Outcome lawful = kport({"check", file, "--promise", "all-held"});
    EXPECT_EQ(lawful.status, 0) << lawful.err;
    EXPECT_THAT(lawful.out, StartsWith("verdict  all rules kept, 4 of 4 nodes hold all packets\n"));
    const std::string one_lacks = files.add("y.txt", first_round + "round 2: 0 <-> 2\n");
    EXPECT_EQ(kport({"check", one_lacks, "--promise", "all-held"}).status, 1) << "1 and 3 never exchange";
    EXPECT_THAT(kport({"check", file, "--promise", "some"}).err, HasSubstr("all-held"));
    EXPECT_EQ(kport({"convert", file, "--promise", "all-held", "--to", "msccl"}).status, 0);
}

TEST(Check, WritesTheLineOfOneFileAsCsv) {
    Files files;
    const Outcome one = kport({"check", files.add("b.txt", broken_text), "--csv"});
    EXPECT_EQ(one.status, 1);
    EXPECT_THAT(one.out, StartsWith("file,operation,"));
    EXPECT_THAT(one.out, HasSubstr("\nb.txt,broadcast,"));
    EXPECT_EQ(std::ranges::count(one.out, '\n'), 2);
    const Outcome none = kport({"check", files.folder() + "/none.txt", "--csv"});
    EXPECT_EQ(none.status, 2);
    EXPECT_THAT(none.out, HasSubstr("\nnone.txt,-,-,-,-,-,2,refused: cannot be opened: No such file or directory\n"));
}

TEST(Check, OfAFolderJudgesTheTraceThatAFolderInItIs) {
    Files files;
    files.add("t.txt", "on line:2\nnone\nround 1: 0 -> 1 {0}\n");
    const std::filesystem::path trace = std::filesystem::path(files.folder()) / "split";
    std::filesystem::create_directory(trace);
    std::ofstream(trace / "0.txt") << "0 recv 1 0 8\n0 send 1 0 8\n";
    std::ofstream(trace / "1.txt") << "1 recv 0 0 8\n1 send 0 0 8\n";
    std::filesystem::create_directory(std::filesystem::path(files.folder()) / "notes");
    const Outcome judged = kport("check " + files.folder() + " none --csv");
    EXPECT_EQ(judged.status, 1);
    EXPECT_THAT(judged.out, HasSubstr("split"));
    EXPECT_THAT(judged.out, HasSubstr("deadlock"));
    EXPECT_THAT(judged.out, Not(HasSubstr("notes")));
}

TEST(Check, TakesASourceOfAnOperationWhoseDeliveryIsNotJudged) {
    Files files;
    const std::string path =
        files.add("x.goal", "num_ranks 2\nrank 0 {\nrecv 8b from 1\n}\nrank 1 {\nsend 8b to 0\n}\n");
    EXPECT_EQ(kport("check " + path + " scatter --root 1").status, 4);
    EXPECT_EQ(kport("check " + path + " scatter --root 0").status, 1) << "nothing leaves rank 0";
    EXPECT_EQ(kport("check " + path + " none --root 1").status, 2);
}

TEST(Check, OfAFolderNamesWhatIsNoFile) {
    Files files;
    files.add("a.txt", lawful_text);
    ASSERT_EQ(mkfifo((files.folder() + "/pipe.txt").c_str(), 0600), 0);
    std::filesystem::create_symlink("nowhere", files.folder() + "/link.txt");
    std::filesystem::create_directory(files.folder() + "/inner");
    const Outcome outcome = kport({"check", files.folder(), "--csv"});
    EXPECT_EQ(outcome.status, 2);
    for (const char* name : {"pipe.txt", "link.txt"})
        EXPECT_THAT(outcome.out, HasSubstr(std::string("\n") + name +
                                           ",-,-,-,-,-,2,refused: is no regular file; nothing is read from it\n"));
    EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 4) << "a folder in it is none of its files";
}

TEST(Check, RefusesWhatIsNoScheduleInOneLine) {
    Files files;
    for (const auto& [arguments, why] : std::vector<std::pair<std::vector<std::string>, std::string>>{
             {{"check"}, "kport: kport check needs a file, or a folder of files"},
             {{"check", "/nosuch"}, "kport: schedule '/nosuch' cannot be opened: No such file or directory\n"},
             {{"check", "/dev/null"}, "kport: schedule '/dev/null' is in no known form; want one of json"},
             {{"check", "/dev/zero"}, "kport: schedule '/dev/zero' is in no known form"},
             {{"check", files.add("x.txt", "on line:3\nscatter from 0\nround 1: 0 -> 1 {7}\n")},
              "kport: schedule '" + files.folder() + "/x.txt': transfers[0].packets"},
             {{"check", files.folder() + "/x.txt", "brodcast"},
              "kport: no operation is called 'brodcast'; did you mean 'broadcast'?"},
             {{"convert", files.folder() + "/x.txt"}, "kport: into which format?"},
             {{"convert", files.folder() + "/x.txt", "--to", "jsn"},
              "kport: no schedule has the form 'jsn'; did you mean 'json'?"},
             {{"convert", files.folder() + "/x.txt", "--to", "sccl"},
              "kport: schedules of the form sccl are only read; want one of json, text, goal, msccl, mscclpp, simgrid, "
              "csv\n"}}) {
        const Outcome outcome = kport(arguments);
        EXPECT_EQ(outcome.status, 2) << why;
        EXPECT_THAT(outcome.err, StartsWith(why));
        EXPECT_EQ(outcome.out, "");
    }
}

TEST(Check, FindsWhatRunRecordsAsLawfulAsTheRunWas) {
    Files files;
    for (const char* m : {"1", "3"})
        for (const char* operation : {"broadcast", "scatter", "gather", "reduce", "allreduce", "scan", "allgather",
                                      "alltoall", "reduce-scatter", "barrier"}) {
            if (std::string_view(operation) == "barrier" && *m != '1') continue;  // it has no packets
            SCOPED_TRACE(fmt::format("{} of {}", operation, m));
            std::string path = files.add(std::string(operation) + ".json", "");
            std::vector<std::string> run = {"run", operation,  "--on", "hypercube:3", "--packets",
                                            m,     "--record", path,   "--json"};
            const nlohmann::json ran = kport(run).json();
            for (const char* form : {"json", "text", "csv"}) {
                const Outcome outcome = kport({"check", path, "--json"});
                EXPECT_EQ(outcome.status, 0) << outcome.err;
                EXPECT_EQ(outcome.json()["measured"], ran["measured"]) << form;
                EXPECT_EQ(outcome.json()["bounds"], ran["bounds"]) << form;
                EXPECT_EQ(outcome.json()["packets"], ran["packets"]) << form;
                EXPECT_EQ(kport({"show", path}).status, 0) << form;
                const Outcome other = kport({"convert", path, "--to", form});
                ASSERT_EQ(other.status, 0) << other.err;
                path = files.add(fmt::format("{}.{}.{}", operation, m, form), other.out);
            }
        }
}

TEST(Check, SaysWhichMachineKeepsTheRulesWhereTheFileSaysNone) {
    Files files;
    const std::string path = files.add("all_ports.txt", "");
    ASSERT_EQ(kport({"run", "allgather", "--on", "torus:3x3", "--ports", "all", "--algorithm",
                     "ring-per-dimension-rotated", "--packets", "8", "--record", path})
                  .status,
              0);
    EXPECT_EQ(kport({"check", path}).status, 0) << "the record says its ports";
    std::ifstream record(path);
    std::string text((std::istreambuf_iterator<char>(record)), {});
    const std::string said = "with --ports all\n";
    ASSERT_THAT(text, HasSubstr(said));
    files.add("all_ports.txt", text.erase(text.find(said), said.size()));
    const Outcome judged = kport({"check", path});
    EXPECT_EQ(judged.status, 1);
    EXPECT_THAT(judged.out, HasSubstr("note    the file does not say for which machine it is: judged for 1-port full "
                                      "duplex, store-and-forward; --ports all keeps all rules\n"));
    EXPECT_EQ(kport({"check", path, "--ports", "all"}).status, 0);
    EXPECT_THAT(kport({"check", path, "--ports", "1"}).out, testing::Not(HasSubstr("does not say")));
}

TEST(Check, SaysForWhichMachineAndSizeItJudgesWhereTheFileSaysNone) {
    Files files;
    const std::string sizes = ", 64-byte packets; --ports, --duplex, --links, --switching, --bytes say otherwise\n";
    const std::string machine =
        "note    the file does not say for which machine it is: judged for 1-port full duplex, store-and-forward";
    for (const char* form : {"text", "csv", "goal", "msccl"}) {
        const Outcome written = kport({"convert", files.add("lawful.txt", lawful_text), "--to", form});
        const std::string path = files.add(fmt::format("lawful.{}", form), written.out);
        EXPECT_THAT(kport({"check", path}).out, HasSubstr(machine + sizes)) << form;
        EXPECT_THAT(kport({"check", path, "--bytes", "8"}).out,
                    HasSubstr(machine + "; --ports, --duplex, --links, --switching say otherwise\n"));
        EXPECT_THAT(kport({"check", path, "--duplex", "half"}).out, testing::Not(HasSubstr("does not say")));
    }
    const std::string json = kport({"convert", files.add("lawful.txt", lawful_text), "--to", "json"}).out;
    EXPECT_THAT(kport({"check", files.add("none.json", json)}).out, HasSubstr(machine + sizes)) << "nobody has said it";
    const std::string recorded = files.add("run.json", "");
    ASSERT_EQ(kport("run broadcast --on line:3 --record " + recorded).status, 0);
    EXPECT_THAT(kport({"check", recorded}).out, testing::Not(HasSubstr("does not say")));
}

TEST(Check, JudgesARecordForTheMachineOfTheRunButForWhatIsAskedOtherwise) {
    Files files;
    const std::string path = files.add("ported.json", "");
    for (const std::string machine : {"--ports all", "--ports 2:1", "--ports 1:all", "--ports 2 --switching wh",
                                      "--duplex half --links half --pairwise", "--noho strict", "--combining off"}) {
        const nlohmann::json ran =
            kport("run broadcast --on hypercube:3 --packets 2 " + machine + " --json --record " + path).json();
        const Outcome judged = kport({"check", path, "--json"});
        ASSERT_EQ(judged.status, 0) << machine << judged.err;
        EXPECT_EQ(judged.json()["machine"], ran["machine"]) << machine;
        EXPECT_EQ(judged.json()["bounds"], ran["bounds"]) << machine;
        const std::string again = kport({"convert", path, "--to", "json"}).out;
        EXPECT_EQ(kport({"check", files.add("again.json", again), "--json"}).json()["machine"], ran["machine"]);
    }
    ASSERT_EQ(kport("run broadcast --on complete:6 --ports all --record " + path).status, 0);
    const Outcome otherwise = kport({"check", path, "--ports", "1"});
    EXPECT_EQ(otherwise.status, 1);
    EXPECT_THAT(otherwise.out, HasSubstr("broken: ports"));
    EXPECT_EQ(kport({"check", path, "--ports", "1", "--json"}).json()["machine"]["ports"], "1");
    EXPECT_EQ(kport({"check", path, "--ports", "5:1"}).status, 0);
    EXPECT_EQ(kport({"check", path, "--ports", "1:5"}).status, 1);
}

TEST(Check, FindsTheRecordOfAnyPermutationAsLawfulAsTheRunWas) {
    Files files;
    for (const auto& [machine, permutation] :
         {std::pair("ring:6", "shift:2"), std::pair("hypercube:4", "transpose"), std::pair("line:6", "move:-2"),
          std::pair("mesh:3x4", "shift:-1@1"), std::pair("petersen", "list:1,-,0,5,3,4,-,8,9,-"),
          std::pair("hypercube:3", "bit-reversal")}) {
        const std::string path = files.add(std::string(permutation) + ".json", "");
        const nlohmann::json ran =
            kport({"run", "permutation", "--on", machine, "--permutation", permutation, "--record", path, "--json"})
                .json();
        const Outcome outcome = kport({"check", path, "--json"});
        EXPECT_EQ(outcome.status, 0) << permutation << outcome.err;
        EXPECT_EQ(outcome.json()["measured"], ran["measured"]) << permutation;
        EXPECT_EQ(outcome.json()["bounds"], ran["bounds"]) << permutation;
    }
}

TEST(Check, OfAFolderTakesNoGraphFromStandardInput) {
    Files files;
    files.add("x.txt", lawful_text);
    const Outcome outcome = kport({"check", files.folder(), "--on", "-"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.err,
              "kport: --on -: the files of a folder are judged side by side; want a graph in a file, --on FILE\n");
}

TEST(Check, VerdictOfAFileWhoseRoundsStandInCommentsDoesNotDependOnThePorts) {
    Files files;
    const std::string recorded = files.add("run.json", "");
    ASSERT_EQ(kport("run broadcast --on complete:3 --ports all --record " + recorded).status, 0);
    const std::string written = files.add("x.xml", kport({"convert", recorded, "--to", "msccl"}).out);
    for (const char* ports : {"1", "all"}) {
        const Outcome outcome = kport({"check", written, "--ports", ports, "--json"});
        EXPECT_EQ(outcome.status, 0) << ports;
        EXPECT_EQ(outcome.json()["measured"]["rounds"], std::string(ports) == "1" ? 2 : 1) << ports;
    }
}

}  // namespace
}  // namespace kport::test
