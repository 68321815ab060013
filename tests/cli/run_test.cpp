/// @file run_test.cpp   kport run: the text, the JSON, the statuses.
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/requests/command_table.hpp"
#include "tests/cli/files.hpp"
#include "tests/cli/kport.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The line that begins so, without its beginning and its end; empty if there is none.
std::string line_after(const std::string& text, const std::string& beginning) {
    const std::size_t at = text.find("\n" + beginning);
    if (at == std::string::npos) return "";
    const std::size_t begin = at + 1 + beginning.size();
    return text.substr(begin, text.find('\n', begin) - begin);
}

/// The report without the line that differs from run to run: times.
std::string timeless(std::string text) {
    const std::string chip = line_after(text, "chip    ");
    text.replace(text.find(chip), chip.size(), "...");
    return text;
}

TEST(Run, PrintsTheReport) {
    const Outcome outcome = kport("run broadcast --on hypercube:10 --threads 2");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(
        timeless(outcome.out),
        R"(broadcast from node 0 on hypercube:10   1024 nodes, 10,240 channels, 1-port full duplex, store-and-forward, 64-byte packet
algorithm sbt (spanning binomial tree)        verdict  all rules kept, 1024 of 1024 nodes hold the packet

quantity            run   bound   binding argument           status
rounds               10      10   fan-out: ceil(log2 1024)   optimal
work (hops)        1023    1023   one copy per other node    optimal
path sum (hops)      10      10   eccentricity of node 0     optimal
volume (bytes)      640     640   one packet a round         optimal
latency           10.64   10.64   10 ts + 10 td + 640 tm     optimal
prices  ts = 1, td = 0, tm = 0.001: 10 ts + 10 td + 640 tm = 10.64

rules   ports kept (at most 1 send, 1 receive)   NODUP kept   NOHO kept   channels kept   payload verified, 1023 x 64 B compared
chip    ...
choice  smallest predicted latency of 5 algorithms: 10.64 (derived); next best: farthest-first, 10.64 or more
again   kport run broadcast --on hypercube:10 --ports 1 --algorithm sbt --threads 2
)");
}

TEST(Run, ReportsTheTimeOnTheChip) {
    const std::string chip = line_after(kport("run broadcast --on hypercube:14 --threads 2").out, "chip    ");
    EXPECT_THAT(chip, testing::StartsWith("16,383 messages in "));
    EXPECT_THAT(chip, HasSubstr("ms on 2 threads, "));
    EXPECT_THAT(chip, testing::EndsWith(" ns a message"));
}

TEST(Run, CountsTheThreadsThatWereAtWorkAndNotThoseThatWereAskedFor) {
    const auto threads = [](const std::string& line) { return kport(line + " --threads 2 --json").json()["engine"]; };
    EXPECT_EQ(threads("run gather --on hypercube:6")["threads"], 1) << "one partition";
    EXPECT_EQ(threads("run gather --on hypercube:14")["threads"], 2);
    EXPECT_EQ(threads("run broadcast --on hypercube:6")["threads"], 1) << "one partition";
    EXPECT_EQ(threads("run broadcast --on hypercube:14")["threads"], 2);
    EXPECT_EQ(threads("run broadcast --on hypercube:6 --engine free")["threads"], 2);
}

TEST(Run, SaysThatItCameToTheLimitOfRounds) {
    for (const char* engine : {"lockstep", "free"}) {
        const Outcome outcome = kport(std::string("run broadcast --on line:9 --max-rounds 5 --engine ") + engine);
        EXPECT_EQ(outcome.status, 4);
        EXPECT_EQ(outcome.err,
                  "kport: dost on line:9 was stopped at the limit of 5 rounds; --max-rounds N allows more\n");
        EXPECT_THAT(outcome.out, HasSubstr("stopped in round 5 (the limit), no verdict"));
        EXPECT_THAT(outcome.out, HasSubstr(" --max-rounds 5"));
    }
    EXPECT_EQ(kport("run broadcast --on line:9 --max-rounds 8").status, 0);
    EXPECT_EQ(kport("run broadcast --on line:9 --max-rounds 0").status, 2);
    EXPECT_TRUE(kport("run broadcast --on line:9 --max-rounds 5 --json").json()["out_of_rounds"]);
    const Outcome others = kport("compare broadcast --sweep line:{9,4} --max-rounds 5 --json");
    EXPECT_EQ(others.status, 4);
    EXPECT_EQ(others.json()["machines"].size(), 2U) << "one run at the limit does not end the comparison";
}

TEST(Run, ThatIsStoppedWhileAnotherIsRecordedForItTellsNoNumbersOfThatOne) {
    for (const char* line : {"run gather --on line:9 --max-rounds 5", "run reduce --on line:9 --max-rounds 5"}) {
        const Outcome outcome = kport(line);
        EXPECT_EQ(outcome.status, 4);
        EXPECT_THAT(outcome.err, HasSubstr("was stopped at the limit of 5 rounds; --max-rounds N allows more\n"));
        EXPECT_THAT(outcome.out, HasSubstr("verdict  stopped (the limit of rounds) while the run that it reverses was "
                                           "recorded, no verdict: nothing has moved\n"));
        const nlohmann::json json = kport(std::string(line) + " --json").json();
        EXPECT_TRUE(json["not_begun"]);
        EXPECT_EQ(json["measured"]["rounds"], 0);
        EXPECT_EQ(json["measured"]["work"], 0);
    }
}

TEST(Run, RefusesPricesWhoseSumsWouldOverflow) {
    for (const char* price : {"--ts", "--td", "--tm"}) {
        const Outcome outcome = kport(std::string("run broadcast --on hypercube:3 ") + price + " 1e308");
        EXPECT_EQ(outcome.status, 2);
        EXPECT_EQ(outcome.err, std::string("kport: ") + price + " '1e+308' is too large; want at most 1e+100\n");
        EXPECT_EQ(kport(std::string("run broadcast --on hypercube:3 ") + price + " 1e100").status, 0);
    }
}

/// Its long double has 64 bits: what a library works out before main() may overflow there.
TEST(Program, StartsUnderValgrind) {
    if (std::system("valgrind --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no valgrind here";
    if (under_address_sanitizer || under_thread_sanitizer) GTEST_SKIP() << "valgrind and sanitizers exclude each other";
    EXPECT_EQ(std::system("valgrind -q --error-exitcode=9 " KPORT_PROGRAM " --version >/dev/null 2>&1"), 0);
}

TEST(Run, ReportsEachBrokenRuleAndEndsWithStatusOne) {
    const Outcome outcome = kport("run broadcast --on torus:5x5 --algorithm flooding --ports all");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.out, HasSubstr("verdict  broken: NODUP, NOHO (56 violations), 25 of 25 nodes hold the packet"));
    EXPECT_THAT(outcome.out, HasSubstr("NODUP BROKEN   NOHO BROKEN   channels kept"));
    EXPECT_THAT(outcome.out, HasSubstr("\nNODUP broken: node 6 (1,1) receives packet 0 "));
    EXPECT_THAT(outcome.out, HasSubstr("\n... and 51 more\n"));
    EXPECT_THAT(outcome.out, HasSubstr("\n  flooding does this on every graph with a cycle"));
}

TEST(Run, ReportsQuantitiesAboveTheirBounds) {
    const Outcome outcome = kport("run broadcast --on line:7 --algorithm dost-nearest-first --source 2");
    EXPECT_EQ(outcome.status, 0);
    EXPECT_THAT(outcome.out, HasSubstr("above by 1 (25%)"));
}

TEST(Run, ReportsWhetherABoundIsReachable) {
    EXPECT_THAT(kport("run broadcast --on mesh:9x9 --source 4,4").out, HasSubstr("best possible 10: optimal"));
    EXPECT_THAT(kport("run broadcast --on hypercube:4 --ports 3").out, HasSubstr("optimal"));
}

TEST(Run, AddsTheTableOfRounds) {
    EXPECT_THAT(kport("run broadcast --on hypercube:3 --per-round").out, HasSubstr(R"(
round   messages   longest path   largest bundle   bytes   reached
    1          1              1               64      64         2
    2          2              1               64     128         4
    3          4              1               64     256         8
)"));
}

TEST(Run, ServesMachinesOfOneNode) {
    for (const char* topology : {"hypercube:0", "line:1", "ring:1", "mesh:1x1", "torus:1", "complete:1", "cbt:0"}) {
        const Outcome outcome = kport(std::string("run broadcast --json --on ") + topology);
        ASSERT_EQ(outcome.status, 0) << topology << outcome.err;
        const nlohmann::json json = outcome.json();
        EXPECT_EQ(json["measured"]["rounds"], 0);
        EXPECT_EQ(json["measured"]["latency"], 0.0);
        EXPECT_EQ(json["checks"]["delivered"], true);
        EXPECT_THAT(kport(std::string("run broadcast --on ") + topology).out,
                    HasSubstr("1 of 1 node holds the packet"));
    }
}

TEST(Run, TakesTheNamesOfTheCourse) {
    EXPECT_EQ(kport("run OAB --on hypercube:4 --json").json()["operation"], "broadcast");
    EXPECT_EQ(kport("run oab --on hypercube:4 --root 3 --json").json()["source"], 3);
}

TEST(Run, TakesASourceByItsCoordinates) {
    EXPECT_EQ(kport("run broadcast --on mesh:3x4 --source 2,1 --json").json()["source"], 9);
}

TEST(Run, RepeatsItselfByTheLineThatItPrints) {
    const std::string first =
        "run broadcast --on mesh:3x5 --switching wh --source 1,2 --bytes 2KiB --ts 3 --td 0.5 --tm 0.25 --keep greater "
        "--dimensions 1,0 --payload none --policy strict --seed 7 --threads 1";
    const std::string again = line_after(kport(first).out, "again   kport ");
    EXPECT_EQ(
        again,
        "run broadcast --on mesh:3x5 --ports 1 --algorithm rda-product --switching wh --policy strict --ts 3 --td 0.5 "
        "--tm 0.25 --source 7 --bytes 2048 --payload none --keep greater --dimensions 1,0 --threads 1 --seed 7");
    const nlohmann::json a = kport(first + " --json").json();
    const nlohmann::json b = kport(again + " --json").json();
    for (const char* key : {"machine", "costs", "source", "packet_bytes", "measured", "bounds", "checks"})
        EXPECT_EQ(a[key], b[key]) << key;
}

/// What a run with the option is; it need not be lawful.
const std::map<std::string_view, const char*> run_with = {
    {"--on", "broadcast --on torus:3x4"},
    {"--broken", "broadcast --on torus:3x4 --broken 0--1,5 --source 6"},
    {"--broken", "alltoall --on ring:6 --broken 0"},
    {"--unaware", "broadcast --on torus:3x4 --broken 0--1,5 --unaware"},
    {"--format", "broadcast --on tests/files/graphs/dialects/list-as.txt --format adjlist"},
    {"--undirected", "broadcast --on tests/files/graphs/dialects/arrow.edges --undirected"},
    {"--trunks", "broadcast --on tests/files/graphs/petersen.edges --trunks"},
    {"--capacity-by", "scatter --on tests/files/graphs/prices/w-trunks.edges --capacity-by weight --ports all"},
    {"--simplify", "broadcast --on tests/files/graphs/dialects/one-way-back.edges --simplify"},
    {"--largest", "broadcast --on tests/files/graphs/dialects/two-parts.edges --largest"},
    {"--header", "broadcast --on tests/files/graphs/dialects/header-or-link.edges --header yes"},
    {"--separator", "broadcast --on tests/files/graphs/dialects/comma.edges --separator comma"},
    {"--algorithm", "broadcast --on mesh:3x3 --algorithm controlled-flooding"},
    {"--ports", "broadcast --on mesh:3x3 --ports 2"},
    {"--ports-by", "broadcast --on tests/files/graphs/ports/p-hub.graphml --ports-by ports"},
    {"--duplex", "allgather --on ring:5 --duplex half --policy queue"},
    {"--links", "broadcast --on mesh:3x3 --links half"},
    {"--pairwise", "broadcast --on mesh:3x3 --pairwise"},
    {"--noho", "broadcast --on ring:5 --ports all --algorithm flooding --noho strict"},
    {"--switching", "broadcast --on mesh:3x3 --switching wh"},
    {"--combining", "scatter --on mesh:3x3 --combining off"},
    {"--rules", "broadcast --on ring:5 --ports all --algorithm flooding --rules nodup=count,noho=off"},
    {"--ports-at-most", "broadcast --on mesh:3x3 --ports 2 --ports-at-most 1"},
    {"--aggregate", "allgather --on complete:8 --algorithm pat --aggregate 2"},
    {"--permutation", "permutation --on hypercube:4 --permutation transpose"},
    {"--source", "broadcast --on mesh:3x3 --source 1,1"},
    {"--bytes", "broadcast --on mesh:3x3 --bytes 100"},
    {"--packets", "broadcast --on mesh:3x3 --packets 3"},
    {"--sources", "broadcast --on mesh:3x3 --sources 1,5-7 --packets 2"},
    {"--counts", "gather --on mesh:3x3 --counts 0,3,1,0,2,5,1,1,0 --source 4"},
    {"--sizes", "gather --on mesh:3x3 --sizes 0,300,1,0,20,5,1,1,0 --source 4"},
    {"--members", "gather --on mesh:3x3 --members 0,1,4,5 --source 4"},
    {"--relay", "gather --on mesh:3x3 --members 0,2,8 --relay all --source 8"},
    {"--groups", "gather --on mesh:3x3 --groups 0-2/6-8 --source 8"},
    {"--intra", "broadcast --on complete:6 --algorithm hierarchical --groups 0-2/3-5 --intra rda --inter tree"},
    {"--inter", "broadcast --on complete:6 --algorithm hierarchical --groups 0-2/3-5 --intra tree --inter rda"},
    {"--payload", "broadcast --on mesh:3x3 --payload none"},
    {"--ts", "broadcast --on mesh:3x3 --ts 2.5"},
    {"--promise", "promise --promise tests/files/promises/corners.txt"},
    {"--td", "broadcast --on mesh:3x3 --td 0.5"},
    {"--tm", "broadcast --on mesh:3x3 --tm 0.25"},
    {"--prices", "broadcast --on mesh:3x3 --prices loggp:6,2,4,0.5"},
    {"--td-by", "broadcast --on tests/files/graphs/prices/w-sites.edges --td-by weight --td 2"},
    {"--tm-by", "broadcast --on tests/files/graphs/prices/w-wan.graphml --tm-by 1/gbps --tm 1"},
    {"--slow", "broadcast --on mesh:3x3 --td 1 --slow 0--1=4,8=2.5"},
    {"--policy", "broadcast --on mesh:3x3 --policy strict"},
    {"--keep", "broadcast --on mesh:3x5 --switching wh --algorithm rda-product --keep greater"},
    {"--dimensions", "broadcast --on mesh:3x5 --switching wh --algorithm rda-product --dimensions 1,0"},
    {"--arity", "broadcast --on complete:9 --algorithm tree --arity 3"},
    {"--gather", "broadcast --on complete:8 --packets 8 --algorithm scatter-allgather --gather ring"},
    {"--op", "reduce --on mesh:3x3 --op max"},
    {"--type", "reduce --on mesh:3x3 --type double"},
    {"--values", "allreduce --on hypercube:2 --op concat --values a,b,c,d"},
    {"--engine", "broadcast --on mesh:3x3 --engine free"},
    {"--switch-limit", "broadcast --on crossbar:4 --switch-limit 1"},
    {"--routing", "alltoall --on leaf-spine:2,2,2 --routing adaptive"},
    {"--threads", "broadcast --on mesh:3x3 --threads 2"},
    {"--seed", "allreduce --on hypercube:3 --seed 9"},
    {"--per-round", "broadcast --on mesh:3x3 --per-round"},
    {"--inject", "broadcast --on mesh:3x3 --inject drop:0.25 --seed 5"},
    {"--max-rounds", "broadcast --on mesh:3x3 --max-rounds 2"},
    {"--until", "broadcast --on mesh:3x3 --until 2"},
    {"--order", "broadcast --on mesh:3x3 --order 7"},
    {"--partition-nodes", "broadcast --on mesh:3x3 --partition-nodes 2"}};
/// They change what is shown, and where, not the run, or take a graph file.
const std::set<std::string_view> shows = {"--json",    "--reproducible", "--record",   "--trace",
                                          "--picture", "--calibrated",   "--switches", "--hotspots"};

TEST(Run, IsRepeatedByTheLineThatItPrintsWithEachOfItsOptions) {
    for (const kport::Option& option : all_options()) {
        if (!requests::takes("run", option) || shows.contains(option.name)) continue;
        const auto sample = run_with.find(option.name);
        ASSERT_NE(sample, run_with.end()) << option.name << ": add a run to the table";
        const auto told = [](std::string line) {
            const Outcome outcome = kport(line + " --json");
            nlohmann::json json = outcome.json();
            for (const char* time : {"wall_seconds", "moving_seconds", "peak_rss_bytes"}) json["engine"].erase(time);
            json.erase("chosen");  // the algorithm is named the second time
            return std::pair(outcome.status, json);
        };
        const std::string line = std::string("run ") + sample->second;
        const std::string again = line_after(kport(line).out, "again   kport ");
        EXPECT_THAT(again + " ", HasSubstr(fmt::format(" {} ", option.name)));
        EXPECT_EQ(told(again), told(line)) << again;
    }
}

std::set<std::string> keys(const nlohmann::json& json) {
    std::set<std::string> names;
    for (const auto& item : json.items()) names.insert(item.key());
    return names;
}

TEST(RunRules, ThatAreCountedKeepTheRunLawfulAndStandInTheCommandThatRepeatsIt) {
    const std::string line = "run broadcast --on ring:7 --ports all --algorithm flooding";
    EXPECT_EQ(kport(line).status, 1);
    const Outcome counted = kport(line + " --rules nodup=count,noho=off");
    EXPECT_EQ(counted.status, 0);
    EXPECT_THAT(counted.out,
                testing::AllOf(HasSubstr("all enforced rules kept"), HasSubstr("NODUP counted   NOHO off"),
                               HasSubstr("counted NODUP not kept 2 times; first node 3 receives packet 0 again"),
                               HasSubstr("--rules nodup=count,noho=off\n")));
    const nlohmann::json json = kport(line + " --rules nodup=count,noho=off --json").json();
    EXPECT_TRUE(json["lawful"]);
    EXPECT_TRUE(json["checks"]["nodup"].is_null());
    EXPECT_EQ(json["counted"]["nodup"]["count"], 2);
    EXPECT_FALSE(json["counted"].contains("noho"));
    EXPECT_THAT(json["counted"]["nodup"]["first"]["text"].get<std::string>(),
                testing::StartsWith("NODUP not kept: node 3 receives packet 0 again"));
    const Outcome refused = kport(line + " --rules ports=off");
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("ports is a rule of the machine, and law"));
}

TEST(RunRules, ThatAreCountedFindWhatIsInjectedAgainstThem) {
    const std::string line =
        "run broadcast --on debruijn:2,3 --ports all --bytes 8 --threads 1 --inject duplicate --rules ";
    const Outcome counted = kport(line + "nodup=count,noho=off");
    EXPECT_EQ(counted.status, 0);
    EXPECT_THAT(counted.out, HasSubstr("        found, counted: NODUP not kept: node "));
    EXPECT_THAT(kport(line + "nodup=off,noho=off").out, HasSubstr("        not looked at: nodup is off\n"));
    const nlohmann::json fault = kport(line + "nodup=count --json").json()["faults"][0];
    EXPECT_TRUE(fault["certain"] && fault["found"]);
    EXPECT_EQ(fault["finding"], "counted");
}

TEST(RunRules, ThatAreCountedAreShownByComparisons) {
    const std::string line = "compare broadcast --ports all --rules nodup=count,noho=off ";
    EXPECT_THAT(kport(line + "--on ring:7 --algorithm flooding").out, HasSubstr("NODUP not kept 2 times"));
    EXPECT_THAT(kport(line + "--sweep ring:{7,9} --algorithm flooding").out, HasSubstr("NODUP not kept 2 times"));
    const std::string csv = kport(line + "--on ring:7 --algorithm flooding --csv").out;
    EXPECT_THAT(csv, HasSubstr(",verdict,nodup_not_kept,noho_not_kept,packets\n"));
    EXPECT_THAT(csv, testing::EndsWith(",2,,1\n"));
}

TEST(RunJson, HasTheKeysThatThePageOfTheDesignPromises) {
    const nlohmann::json json =
        kport("run broadcast --on hypercube:10 --bytes 1024 --threads 2 --per-round --json").json();
    const std::set<std::string> five = {"rounds", "work", "path_sum", "volume", "latency"};
    const std::set<std::string> top = {"operation",     "algorithm",
                                       "topology",      "machine",
                                       "source",        "packet_bytes",
                                       "costs",         "measured",
                                       "bounds",        "binding",
                                       "optimal",       "checks",
                                       "violations",    "violation_count",
                                       "engine",        "per_round",
                                       "holders",       "waiting_circles",
                                       "stopped",       "chosen",
                                       "best_possible", "violations_by_rule",
                                       "payload",       "silent_rounds",
                                       "lawful",        "verdict",
                                       "packets",       "again",
                                       "agreement"};
    EXPECT_EQ(keys(json), top);
    EXPECT_EQ(keys(json["topology"]), (std::set<std::string>{"spec", "nodes", "hosts", "channels"}));
    EXPECT_EQ(keys(json["machine"]), (std::set<std::string>{"ports", "duplex", "links", "pairwise", "noho", "switching",
                                                            "combining", "policy"}));
    EXPECT_EQ(keys(json["costs"]), (std::set<std::string>{"ts", "td", "tm"}));
    for (const char* key : {"measured", "bounds", "binding", "optimal"}) EXPECT_EQ(keys(json[key]), five) << key;
    EXPECT_EQ(keys(json["checks"]), (std::set<std::string>{"combining", "delivered", "nodup", "noho", "ports",
                                                           "channels", "strict", "rounds", "transfers"}));
    EXPECT_EQ(keys(json["engine"]),
              (std::set<std::string>{"name", "threads", "transfers", "wall_seconds", "bytes_moved", "peak_rss_bytes"}));
    EXPECT_EQ(json["per_round"].size(), 10U);
    EXPECT_EQ(json["per_round"][0], nlohmann::json::parse(R"({"round": 1, "transfers": 1, "longest_path": 1,
        "largest_bundle": 1024, "bytes": 1024, "reached": 2})"));
    EXPECT_EQ(json["measured"]["rounds"], 10);
    EXPECT_EQ(json["measured"]["work"], 1023);
    EXPECT_EQ(json["measured"]["path_sum"], 10);
    EXPECT_EQ(json["measured"]["volume"], 10240);
    EXPECT_NEAR(json["measured"]["latency"].get<double>(), 20.24, 1e-9);
    EXPECT_EQ(json["optimal"]["latency"], true);
    EXPECT_EQ(json["bounds"]["volume"], 10240);
    EXPECT_EQ(json["machine"]["ports"], "1");
    EXPECT_EQ(json["engine"]["bytes_moved"], 1047552);
    EXPECT_EQ(json["violations"], nlohmann::json::array());
}

TEST(RunJson, ListsAtMostAHundredViolationsAndCountsAll) {
    const Outcome outcome = kport("run broadcast --on torus:25x25 --algorithm flooding --ports all --json");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.err, "");
    const nlohmann::json json = outcome.json();
    EXPECT_EQ(json["violations"].size(), 100U);
    EXPECT_GT(json["violation_count"], 100);
    EXPECT_EQ(keys(json["violations"][0]), (std::set<std::string>{"rule", "round", "node", "port", "packet", "text"}));
    EXPECT_EQ(json["violations"][0]["rule"], "nodup");
    EXPECT_EQ(json["checks"]["nodup"], false);
    EXPECT_EQ(json["checks"]["ports"], true);
}

TEST(RunJson, IsNotAffectedByThreads) {
    const auto counts = [](const char* threads) {
        const nlohmann::json json =
            kport(std::string("run broadcast --on torus:101x101 --ports all --per-round --json --threads ") + threads)
                .json();
        return std::pair(json["measured"], json["per_round"]);
    };
    EXPECT_EQ(counts("1"), counts("3"));
}

TEST(Run, RunsFreeWithTheCountsOfLockstep) {
    for (const char* line : {"run broadcast --on hypercube:6 --ports all", "run gather --on mesh:4x5 --source 3",
                             "run allreduce --on ring:9 --op max", "run alltoall --on complete:7 --ports 2"}) {
        const nlohmann::json right = kport(std::string(line) + " --per-round --json").json();
        for (const char* threads : {"1", "2", "8"}) {
            const nlohmann::json free =
                kport(std::string(line) + " --per-round --json --engine free --threads " + threads).json();
            EXPECT_EQ(free["engine"]["name"], "free") << line;
            EXPECT_GT(free["engine"]["moving_seconds"], 0) << line;
            for (const char* key : {"measured", "checks", "per_round", "violations", "holders"})
                EXPECT_EQ(free[key], right[key]) << line << " " << key;
        }
    }
    const Outcome text = kport("run broadcast --on hypercube:4 --engine free");
    EXPECT_THAT(text.out, HasSubstr("with set-up, audit and check of the bytes"));
    EXPECT_THAT(text.out, HasSubstr("--engine free"));
}

TEST(Run, ReportsThatAFreeRunNeededLockstep) {
    const Outcome outcome = kport("run broadcast --on torus:3x3 --ports all --algorithm flooding --engine free");
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.out, HasSubstr("depends on the order of arrival"));
    const nlohmann::json json =
        kport("run broadcast --on torus:3x3 --ports all --algorithm flooding --engine free --json").json();
    EXPECT_EQ(json["engine"]["name"], "lockstep");
    EXPECT_EQ(json["engine"]["only_rounds_tell"], true);
}

TEST(Run, CanBeRepeatedByAShellWhateverWasConcatenated) {
    const Outcome outcome =
        kport(std::vector<std::string>{"run", "reduce", "--on", "line:2", "--op", "concat", "--values", "it's a,b;c"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(R"( --values 'it'\''s a,b;c')"));
}

TEST(Run, MovesNoBytesWithoutPayload) {
    const Outcome outcome = kport("run broadcast --on hypercube:6 --payload none --json");
    EXPECT_EQ(outcome.json()["engine"]["bytes_moved"], 0);
    EXPECT_EQ(outcome.json()["measured"]["volume"], 6 * 64);
}

TEST(Colour, IsForTerminalsAlone) {
    const std::string line = "run broadcast --on hypercube:4";
    EXPECT_THAT(kport(line).out, Not(HasSubstr("\033")));
    Place place;
    place.terminal = true;
    EXPECT_THAT(kport(line, place).out, HasSubstr("\033[32moptimal\033[0m"));
    place.environment = {"NO_COLOR=1"};
    EXPECT_THAT(kport(line, place).out, Not(HasSubstr("\033")));
    place.environment = {"TERM=dumb"};
    EXPECT_THAT(kport(line, place).out, Not(HasSubstr("\033")));
}

TEST(Run, FindsAChangedBitALostValueAndAWrongFoldInEverySegment) {
    for (const std::string request : {"reduce-scatter --on hypercube:3", "allreduce --on hypercube:3 --packets 12",
                                      "reduce --on ring:6 --packets 5", "scan --on line:5 --packets 3"})
        for (const std::string type : {"--type int64", "--type double", "--type double --op max"})
            for (const std::string fault : {"corrupt", "lose-payload", "fold-twice"})
                for (const std::string seed : {"1", "2", "3"}) {
                    if (fault == "fold-twice" && type.ends_with("max")) continue;  // which changes nothing
                    const std::string command = "run " + request + " --threads 1 " + type + " --inject " + fault +
                                                " --seed " + seed + " --json";
                    const Outcome outcome = kport(command);
                    if (outcome.status == 2) {  // a scan of several segments cannot be followed
                        EXPECT_THAT(outcome.err, testing::HasSubstr("can be audited, and not followed")) << command;
                        continue;
                    }
                    ASSERT_EQ(outcome.status, 1) << command << outcome.err;
                    EXPECT_EQ(outcome.json()["faults"][0]["finding"], "reported") << command;
                }
}

TEST(Run, FindsChangedTransfersInReductionsOfSeveralSegments) {
    for (const std::string request : {"reduce-scatter --on hypercube:3", "reduce-scatter --on torus:3x4 --packets 2",
                                      "allreduce --on complete:7 --packets 8 --algorithm bruck",
                                      "reduce --on ring:6 --packets 5 --combining off --algorithm alternating"})
        for (const std::string fault : {"drop", "duplicate", "echo", "forge", "late", "reorder", "same-round"})
            for (const std::string seed : {"1", "2", "3"}) {
                const Outcome outcome =
                    kport("run " + request + " --threads 1 --inject " + fault + " --seed " + seed + " --json");
                ASSERT_EQ(outcome.status, 1) << request << " " << fault << outcome.err;
                EXPECT_EQ(outcome.json()["faults"][0]["finding"], "reported") << request << " " << fault << seed;
            }
    EXPECT_THAT(kport("run reduce-scatter --on complete:6 --packets 2 --inject forge --threads 1").out,
                testing::ContainsRegex("contribution [0-9]+ of segment [0-9]+"));
    EXPECT_THAT(kport("run reduce --on ring:6 --packets 4 --combining off --inject bundle --threads 1 --json").out,
                HasSubstr("\"finding\": \"reported\""));
}

TEST(Run, ABarrierMovesNoBytesWhateverTheSizeOfPackets) {
    const Outcome outcome = kport("run barrier --on complete:9 --ts 100 --td 1 --tm 2 --json");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["measured"]["volume"], 0);
    EXPECT_EQ(outcome.json()["measured"]["latency"], 404);
}

TEST(Run, NamesThePermutation) {
    EXPECT_THAT(kport("run permutation --on ring:8").out, testing::StartsWith("permutation shift:1 on ring:8"));
    EXPECT_EQ(kport("run permutation --on ring:8 --permutation shift:3 --json").json()["permutation"], "shift:3");
    EXPECT_FALSE(kport("run barrier --on ring:8 --json").json().contains("permutation"));
    const Outcome list = kport("run sendrecv --on line:4 --permutation list:1,-,3,- --json");
    EXPECT_EQ(list.status, 0) << list.err;
    EXPECT_EQ(list.json()["operation"], "permutation");
    EXPECT_EQ(list.json()["permutation"], "list:1,-,3,-");
    EXPECT_EQ(list.json()["holders"], 4) << "nodes 0 and 2 want nothing";
}

TEST(Run, ReadsThePairsOfAPermutationFromAFile) {
    Files files;
    const auto refusal = [&](const std::string& text) {
        return kport({"run", "sendrecv", "--on", "line:4", "--permutation", "file:" + files.add("pairs", text)}).err;
    };
    const std::string path = files.add("pairs", "# who sends to whom\n0 1\r\n 3\t2 # back\n\n");
    const Outcome outcome = kport({"run", "sendrecv", "--on", "line:4", "--permutation", "file:" + path, "--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["permutation"], "file:" + path);
    EXPECT_EQ(outcome.json()["measured"]["work"], 2);
    const std::string recorded = files.add("recorded.json", "");
    EXPECT_EQ(
        kport({"run", "sendrecv", "--on", "line:4", "--permutation", "file:" + path, "--record", recorded}).status, 0);
    files.add("pairs", "");  // a recorded schedule needs the file no more
    EXPECT_EQ(kport({"check", recorded}).status, 0);
    EXPECT_THAT(refusal(""), HasSubstr("has no pair of nodes; want lines such as 0 1"));
    EXPECT_THAT(refusal("0 1\n2\n"), HasSubstr("line 2, column 2: ends here; want two nodes"));
    EXPECT_THAT(refusal("0 4\n"), HasSubstr("line 1, column 3: '4' is not a node; want a whole number from 0 to 3"));
    EXPECT_THAT(refusal("0 1 2\n"), HasSubstr("line 1, column 5: goes on; want two nodes a line"));
    EXPECT_THAT(refusal("0 1\n0 2\n"), HasSubstr("line 2: node 0 sends to node 1 already"));
    EXPECT_THAT(refusal("0 1\n2 1\n"), HasSubstr("nodes 0 and 2 both send to node 1"));
    EXPECT_THAT(refusal("0 99999999999999999999999\n"), HasSubstr("is not a node"));
    EXPECT_THAT(refusal(std::string(1000, '7') + " 1\n"), HasSubstr("line 1, column 1"));
}

TEST(Run, GivesNode0OfAnExclusiveScanNoResult) {
    const Outcome scan = kport("run exscan --on complete:4 --op concat --values 0,1,2,3");
    EXPECT_EQ(scan.status, 0) << scan.err;
    EXPECT_THAT(scan.out, HasSubstr("results concat of string: - 0 01 012\n"));
    const auto json = kport("run exscan --on line:3 --values 5,7,9 --json").json();
    EXPECT_EQ(json["results"].dump(), R"([null,"5","12"])");
    EXPECT_EQ(json["holders"], 3);
}

TEST(Run, OfABarrierSaysNothingOfBytesAndRulesThatItDoesNotHave) {
    const std::string report = kport("run barrier --on ring:4").out;
    EXPECT_THAT(report, HasSubstr("channels kept   no payload: signals have no bytes\n"));
    EXPECT_THAT(report, testing::Not(HasSubstr("NODUP")));
    EXPECT_THAT(kport("run barrier --on ring:4 --json").json()["checks"].dump(), HasSubstr("nodup"))
        << "JSON is the same";
}

}  // namespace
}  // namespace kport::test
