/// @file convert_test.cpp   kport convert: schedules written in other forms, and what is said of what a form cannot say.
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/files.hpp"
#include "tests/cli/kport.hpp"

namespace kport::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// As it is written again, line by line.
constexpr const char* relayed = "on line:3\nbroadcast from 0\nround 1: 0 -> 1\nround 2: 1 -> 2\n";

TEST(Convert, GoesThroughEveryFormThatIsWrittenAndBack) {
    Files files;
    std::string path = files.add("first", relayed);
    for (const char* form : {"json", "csv", "goal", "text"}) {
        const Outcome outcome = kport({"convert", path, "--to", form});
        ASSERT_EQ(outcome.status, 0) << outcome.err;
        path = files.add(form, outcome.out);
    }
    EXPECT_EQ(kport({"convert", path, "--to", "text"}).out, relayed);
}

TEST(Convert, WritesAPlanOfMscclppThatCheckFindsLawfulUntilANopIsMissing) {
    Files files;
    const std::string recorded = files.add("run.json", "");
    ASSERT_EQ(kport("run allreduce --on hypercube:3 --packets 2 --record " + recorded).status, 0);
    const Outcome written = kport({"convert", recorded, "--to", "mscclpp"});
    ASSERT_EQ(written.status, 0) << written.err;
    const Outcome judged = kport({"check", files.add("plan.json", written.out)});
    EXPECT_EQ(judged.status, 0) << judged.out;
    EXPECT_THAT(judged.out, HasSubstr("allreduce on hypercube:3"));
    std::string mutant = written.out;
    const std::string nop = "{\"name\": \"nop\"},";
    mutant.erase(mutant.find(nop, mutant.find("\"put\"")), nop.size());
    const Outcome broken = kport({"check", files.add("mutant.json", mutant)});
    EXPECT_EQ(broken.status, 1);
    EXPECT_THAT(broken.out, HasSubstr("race"));
    const Outcome refused = kport({"convert", files.add("scatter.txt", relayed), "--to", "mscclpp"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, StartsWith("kport: MSCCL++ plans are not written of "));
    EXPECT_EQ(refused.out, "");
}

TEST(Convert, SaysOfABrokenScheduleWhetherWhatItWritesIsBrokenToo) {
    Files files;
    const std::string one_way =
        files.add("x.goal", "num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\nrecv 8b from 0\n}\n");
    const Outcome lost =
        kport({"convert", one_way, "--operation", "allgather", "--promise", "all-held", "--to", "text"});
    EXPECT_EQ(lost.status, 0) << lost.err;
    EXPECT_THAT(lost.err, HasSubstr("x.goal is broken, and so is what is written; delivery: "));
    std::ifstream sample(KPORT_SOURCE_DIR "/tests/files/foreign/msccl-ar4-doubling.xml");
    std::string xml{std::istreambuf_iterator<char>(sample), {}};
    const std::string waits = "depid=\"0\" deps=\"2\"";
    xml.replace(xml.find(waits, xml.find("<gpu id=\"1\"")), waits.size(), "depid=\"-1\" deps=\"-1\"");
    const Outcome raced = kport({"convert", files.add("x.xml", xml), "--to", "msccl"});
    EXPECT_THAT(raced.err,
                HasSubstr("is broken, and what is written is lawful, for only its messages were written; race"));
}

TEST(Convert, OfLinksWithoutANameWritesWhatIsLawfulWhenItIsReadBack) {
    Files files;
    const std::string paw = KPORT_SOURCE_DIR "/tests/files/foreign/sccl-ag4-paw.json";
    for (const char* form : {"msccl", "goal", "simgrid"}) {
        const Outcome written = kport({"convert", paw, "--to", form});
        EXPECT_EQ(written.status, 0) << form;
        EXPECT_THAT(written.err, HasSubstr("on a complete graph"));
        EXPECT_EQ(kport({"check", files.add("written", written.out), "--ports", "all"}).status, 0) << form;
    }
    for (const char* form : {"json", "text", "csv"}) {
        const Outcome refused = kport({"convert", paw, "--to", form});
        EXPECT_EQ(refused.status, 2) << form;
        EXPECT_THAT(refused.err, HasSubstr("want --on GRAPH"));
    }
}

/// Rounds order what a file leaves unordered.
TEST(Convert, WarnsOfOrdersThatItAddsWhereTheyAreNotJudged) {
    const std::string late = KPORT_SOURCE_DIR "/tests/files/foreign/goal-reduce4-late.goal";
    const Outcome added = kport({"convert", late, "--to", "goal"});
    EXPECT_EQ(added.status, 0);
    EXPECT_THAT(added.err, HasSubstr("with orders that it may leave open"));
    EXPECT_THAT(kport({"convert", late, "--to", "goal", "--operation", "reduce"}).err,
                Not(HasSubstr("with orders that it may leave open")))
        << "then the missing order is a fault";
    const Outcome truncated =
        kport({"convert", KPORT_SOURCE_DIR "/tests/files/foreign/goal-truncated.goal", "--to", "simgrid"});
    EXPECT_THAT(truncated.err, HasSubstr("is broken, and what is written has no such fault"));
}

TEST(Convert, WritesNoMessageWithWhatNobodyWrote) {
    const Outcome refused =
        kport({"convert", KPORT_SOURCE_DIR "/tests/files/foreign/msccl-bc2-unwritten.xml", "--to", "csv"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_EQ(refused.out, "");
    EXPECT_THAT(refused.err, HasSubstr("nothing is written; unwritten: GPU 0"));
}

TEST(Convert, TakesTheFormOfAScheduleFromTheEndingOfTheFile) {
    Files files;
    const std::string path = files.add("first", relayed);
    for (const auto& [ending, form] : {std::pair("json", "json"), {"csv", "csv"}, {"goal", "goal"}, {"xml", "msccl"}}) {
        const std::string written = files.folder() + "/written." + ending;
        ASSERT_EQ(kport({"convert", path, written}).status, 0) << ending;
        EXPECT_EQ(kport({"convert", written, "--to", form}).out, kport({"convert", path, "--to", form}).out) << ending;
    }
    EXPECT_EQ(kport({"convert", path, files.folder() + "/x.metis"}).err.find("kport: the ending of '"), 0U);
    EXPECT_EQ(kport({"convert", path, "--to", "dot"}).err,
              "kport: --to dot: dot is a format of graphs, and '" + path + "' is a schedule\n");
}

}  // namespace
}  // namespace kport::test
