/// @file records_test.cpp   Records of runs are judged as the runs were, with each option of the table, and for each operation.
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/requests/command_table.hpp"
#include "emulator/schedule/operation.hpp"
#include "tests/cli/files.hpp"
#include "tests/cli/kport.hpp"

namespace kport::test {
namespace {

using testing::HasSubstr;

/// Runs whose records say the option, or something in its place; @ is the folder of the test.
const std::multimap<std::string_view, std::string> recorded_runs = {
    {"--on", "broadcast --on hosts(2,mesh:2x3)"},
    {"--broken", "broadcast --on mesh:4x4 --broken 0--1,5"},
    {"--broken", "broadcast --on mesh:4x4 --broken 0 --source 5"},
    {"--broken", "alltoall --on @/lanes.gml --capacity-by lanes --broken a--b*1 --ports all"},
    {"--ports", "broadcast --on hypercube:4 --ports 2:1"},
    {"--duplex", "broadcast --on hypercube:4 --ports all --duplex half"},
    {"--links", "broadcast --on hypercube:4 --ports all --links half"},
    {"--pairwise", "broadcast --on hypercube:4 --ports all --pairwise"},
    {"--noho", "allreduce --on hypercube:4 --noho strict"},
    {"--switching", "broadcast --on mesh:4x4 --switching wh"},
    {"--switch-limit", "broadcast --on fat-tree:4 --switch-limit 2"},
    {"--routing", "alltoall --on mesh:3x3 --switching wh --routing adaptive"},
    {"--combining", "scatter --on hypercube:3 --combining off"},
    {"--policy", "broadcast --on hypercube:3 --policy strict"},
    {"--rules", "broadcast --on ring:7 --ports all --algorithm flooding --rules nodup=count,noho=off"},
    {"--prices", "broadcast --on hypercube:3 --prices logp:6,2,4"},
    {"--ts", "broadcast --on hypercube:3 --ts 5"},
    {"--td", "broadcast --on hypercube:3 --td 5"},
    {"--tm", "broadcast --on hypercube:3 --tm 0.5"},
    {"--slow", "broadcast --on hypercube:3 --slow 0--1=4,5=2 --td 1"},
    {"--source", "broadcast --on hypercube:3 --source 5"},
    {"--bytes", "broadcast --on hypercube:3 --bytes 4096"},
    {"--packets", "scatter --on hypercube:3 --packets 3"},
    {"--sources", "broadcast --on hypercube:3 --sources 0,3 --packets 2"},
    {"--counts", "scatter --on hypercube:3 --counts 1,2,3,0,5,1,1,1"},
    {"--sizes", "gather --on hypercube:3 --sizes 8,16,24,0,5,1,1,1"},
    {"--members", "broadcast --on mesh:4x4 --members 0,1,2,6,10"},
    {"--members", "scan --on mesh:4x4 --members 10,6,2,1,0"},
    {"--members", "exscan --on mesh:4x4 --members 0,1,2,6,10"},
    {"--members", "permutation --on mesh:4x4 --members 0,1,2,6,10 --permutation shift:1"},
    {"--members", "neighbor-alltoall --on mesh:4x4 --members 0,1,2,6,10"},
    {"--members", "neighbor-allgather --on hypercube:4 --members 0,1,3,2"},
    {"--members", "permutation --on mesh:4x4 --members 0,1,3,2 --permutation shift:1 --switching wh"},
    {"--members", "scan --on mesh:4x4 --members 10,5,0 --switching wh"},
    {"--members", "scan --on fat-tree:4 --members 9,3,5,0"},
    {"--members", "permutation --on mesh:4x4 --broken 0--1,5 --members 0,4,8,9 --permutation shift:1"},
    {"--members", "scan --on @/lanes.gml --members c,b,a"},
    {"--members", "scan --on @/lanes.gml --members c,b,a --ports-by ports"},
    {"--relay", "broadcast --on mesh:4x4 --members 0,5,10 --relay all"},
    {"--relay", "broadcast --on mesh:4x4 --members 0,2,10 --relay 1,6"},
    {"--groups", "reduce --on complete:6 --groups 0-2/3-5 --algorithm hierarchical --intra rda --inter rda"},
    {"--promise", "promise --promise @/promise.txt"},
    {"--permutation", "permutation --on hypercube:4 --permutation bit-reversal"},
    {"--op", "scan --on mesh:3x3 --op concat"},
    {"--type", "allreduce --on hypercube:3 --type double"},
    {"--format", "broadcast --on @/links --format adjlist"},
    {"--undirected", "broadcast --on @/arcs.dot --undirected"},
    {"--trunks", "alltoall --on @/parallel.edges --trunks --ports all"},
    {"--trunks", "broadcast --on hosts(2,@/parallel.edges) --simplify"},
    {"--capacity-by", "alltoall --on @/lanes.gml --capacity-by lanes --ports all"},
    {"--simplify", "broadcast --on @/parallel.edges --simplify"},
    {"--largest", "broadcast --on @/apart.edges --largest"},
    {"--header", "broadcast --on @/head.edges --header yes"},
    {"--separator", "broadcast --on @/links --separator blanks"},
    {"--ports-by", "broadcast --on @/lanes.gml --ports-by ports"},
    {"--td-by", "broadcast --on @/lanes.gml --td-by w --td 1"},
    {"--tm-by", "broadcast --on @/lanes.gml --tm-by 1/lanes"},
    {"--switches", "broadcast --on @/lanes.gml --switches c"},
};

/// They leave machine, rules and promise as they are: they choose the algorithm, carry the run out, or say what is shown. No record is judged
/// as its run with the last four: --inject and --until leave a part undone, --unaware and --order preorder refuse --record.
const std::set<std::string_view> not_judged = {
    "--algorithm",  "--intra",           "--inter",      "--keep",   "--dimensions",    "--arity",   "--gather",
    "--aggregate",  "--payload",         "--values",     "--seed",   "--ports-at-most", "--engine",  "--threads",
    "--max-rounds", "--partition-nodes", "--json",       "--record", "--trace",         "--picture", "--hotspots",
    "--per-round",  "--reproducible",    "--calibrated", "--inject", "--until",         "--unaware", "--order"};

class Recorded : public testing::Test {
  protected:
    Recorded() {
        files_.add("lanes.gml",
                   "graph [\nnode [ id 0 label \"a\" ports \"2:1\" ] node [ id 1 label \"b\" ports \"1:2\" ]\n"
                   "node [ id 2 label \"c\" ] node [ id 3 label \"d\" ]\n"
                   "edge [ source 0 target 1 lanes 2 w 3 ] edge [ source 1 target 2 lanes 1 w 1 ]\n"
                   "edge [ source 2 target 3 lanes 3 w 2 ] edge [ source 3 target 0 lanes 1 w 1 ]\n]\n");
        files_.add("parallel.edges", "a b\na b\nb c\nc d\nd a\nd a\n");
        files_.add("apart.edges", "0 1\n1 2\n2 3\n5 6\n");
        files_.add("head.edges", "u v\nu w\nv w\nw x\n");
        files_.add("links", "a b\nb c\nc d\n");
        files_.add("arcs.dot", "digraph { a -> b; b -> c; c -> a; }");
        files_.add("promise.txt", "on ring:6\npackets 4\nowns 0: 0..3\nwants 3: 0..1\nwants 5: 2..3\n");
    }

    [[nodiscard]] std::vector<std::string> line_of(std::string text) const {
        for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@'))
            text.replace(at, 1, files_.folder());
        return words("run " + text);
    }

    /// What a report says of the verdict.
    [[nodiscard]] static nlohmann::json judgement_in(const Outcome& outcome) {
        const nlohmann::json json = outcome.json();
        nlohmann::json machine = json["machine"];
        return {{"status", outcome.status},
                {"verdict", json["verdict"]},
                {"measured", json["measured"]},
                {"checks", json["checks"]},
                {"machine", machine},
                {"costs", json["costs"]},
                {"packet_bytes", json["packet_bytes"]}};
    }

    void expect_same_judgement(const std::string& text) const {
        for (const char* ending : {"json", "txt", "csv"}) {
            const bool only_json = text.find("--promise") != std::string::npos;
            if (only_json && ending != std::string_view("json")) continue;
            const std::string record = files_.folder() + "/record." + ending;
            std::vector<std::string> line = line_of(text);
            line.insert(line.end(), {"--record", record, "--json"});
            const Outcome ran = kport(line);
            ASSERT_NE(ran.out, "") << text << ": " << ran.err;
            const Outcome checked = kport({"check", record, "--json"});
            ASSERT_NE(checked.out, "") << text << " as " << ending << ": " << checked.err;
            EXPECT_EQ(judgement_in(checked), judgement_in(ran)) << text << " as " << ending;
        }
    }

    Files files_;
};

TEST_F(Recorded, RunsWithEachOptionOfTheTableAreJudgedAsTheyWere) {
    for (const kport::Option& option : all_options()) {
        if (!requests::takes("run", option) || not_judged.contains(option.name)) continue;
        const auto [begin, end] = recorded_runs.equal_range(option.name);
        ASSERT_NE(begin, end) << option.name << ": add a run to the table, or the option to those that judge nothing";
        for (auto run = begin; run != end; ++run) expect_same_judgement(run->second);
    }
}

TEST_F(Recorded, RunsOfEachOperationAreJudgedAsTheyWere) {
    for (const Operation& operation : operations()) {
        if (operation.is_own()) continue;
        const std::string of(name(operation));
        const std::string how = operation == Operation::permutation ? " --permutation shift:1" : "";
        expect_same_judgement(of + " --on mesh:3x3 --ports 2" + how);
        expect_same_judgement(of + " --on mesh:4x4 --members 0,1,5,4 --ports 2" + how);
        expect_same_judgement(of + " --on mesh:4x4 --members 0,1,2,6,10 --ports 2" + how);
    }
}

TEST_F(Recorded, OptionsAreReplacedByThoseOfTheCommandLine) {
    const std::string record = files_.folder() + "/r.json";
    ASSERT_EQ(kport("run broadcast --on hypercube:3 --ports 2 --ts 5 --record " + record).status, 0);
    EXPECT_EQ(kport("check " + record + " --ports 1").status, 1);
    EXPECT_EQ(kport("check " + record + " --json").json()["costs"]["ts"], 5);
    EXPECT_EQ(kport("check " + record + " --ts 7 --json").json()["costs"]["ts"], 7);
    EXPECT_EQ(kport("check " + record + " --prices postal:3 --json").json()["costs"]["ts"], 3);
    const std::string trunks = files_.folder() + "/t.txt";
    ASSERT_EQ(kport("run broadcast --on " + files_.folder() + "/parallel.edges --trunks --record " + trunks).status, 0);
    EXPECT_EQ(kport("check " + trunks + " --simplify").status, 0);
}

TEST_F(Recorded, OptionsThatNoRecordSaysAreRefused) {
    const auto refusal = [&](const std::string& text) {
        const Outcome outcome = kport({"check", files_.add("r.txt", text)});
        EXPECT_EQ(outcome.status, 2) << text;
        return outcome.err;
    };
    const std::string rest = "broadcast from 0\nround 1: 0 -> 1\n";
    EXPECT_THAT(refusal("on line:2\nwith --output x\n" + rest), HasSubstr("'--output' is none of a recorded schedule"));
    EXPECT_THAT(refusal("on line:2\nwith --on line:3\n" + rest), HasSubstr("'--on' is none of a recorded schedule"));
    EXPECT_THAT(refusal("on line:2\nwith --promise x\n" + rest), HasSubstr("'--promise' is none"));
    EXPECT_THAT(refusal("on line:2\nwith --ports\n" + rest), HasSubstr("--ports needs a value"));
    EXPECT_THAT(refusal("on line:2\nwith --ports 1 --ports 2\n" + rest), HasSubstr("--ports stands there twice"));
    EXPECT_THAT(refusal("on line:2\nwith --ports x\n" + rest), HasSubstr("--ports 'x' is neither a number nor 'all'"));
    EXPECT_THAT(refusal("on line:2\nwith --ports 1\nwith --ports 2\n" + rest), HasSubstr("a second 'with'"));
    const Outcome late =
        kport({"check", files_.add("r.json", R"({"kport_schedule":1,"topology":"line:2","operation":"broadcast",)"
                                             R"("transfers":[],"options":"--ports 2"})")});
    EXPECT_EQ(late.status, 2);
    EXPECT_THAT(late.err, HasSubstr("its options stand too far down"));
}

TEST_F(Recorded, OptionsAreKeptByConvertAndWithEachOtherFile) {
    const std::string record = files_.folder() + "/r.json";
    const std::string as_text = files_.folder() + "/r.txt";
    ASSERT_EQ(
        kport("run broadcast --on " + files_.folder() + "/parallel.edges --trunks --ports 2 --record " + record).status,
        0);
    ASSERT_EQ(kport("convert " + record + " " + as_text).status, 0);
    EXPECT_EQ(kport("check " + as_text).status, 0);
    EXPECT_EQ(kport("show " + as_text).status, 0);
}

}  // namespace
}  // namespace kport::test
