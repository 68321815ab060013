/// @file message_test.cpp   --message: from which size which algorithm is the cheapest (compare), into how many packets (explain).
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/kport.hpp"
#include "tests/support/own_folder.hpp"

namespace kport::test {
namespace {

using testing::HasSubstr;

TEST(AMessage, IsCutAndTheCheapestAlgorithmOfEachSizeIsTold) {
    const Outcome ran = kport("compare allgather --on ring:8 --message 8..1KiB --json");
    ASSERT_EQ(ran.status, 0) << ran.err;
    const auto json = ran.json();
    ASSERT_EQ(json["sizes"].size(), 8U);
    for (const auto& size : json["sizes"]) {
        double before = 0;
        for (const auto& row : size["algorithms"]) {
            EXPECT_GE(row["latency"].get<double>(), before);
            before = row["latency"];
            EXPECT_GE(row["latency"].get<double>(), size["bound"].get<double>() - 1e-9);
            EXPECT_GE(row["packets"].get<std::uint64_t>() * row["packet_bytes"].get<std::uint64_t>(), size["bytes"]);
        }
    }
    const Outcome text = kport("compare allgather --on ring:8 --message 8..1KiB");
    EXPECT_THAT(text.out, HasSubstr("from   algorithm\n"));
    EXPECT_THAT(text.out, HasSubstr("to run the largest:\nkport run allgather --on ring:8"));
}

TEST(AMessage, HasItsRowInALineOfEightyColumns) {
    Place place;
    place.columns = "80";
    const std::string text = kport("compare broadcast --on complete:12 --message 64,1500,8KiB,16MiB", place).out;
    EXPECT_THAT(text, HasSubstr("\n 1500 B  circulant"));
    EXPECT_THAT(text, HasSubstr("  next                 costs\n"));
    EXPECT_THAT(text, HasSubstr("\n 16 MiB  circulant      229  17,229.016  16,781.219  two-tree            +0.8 %\n"));
}

TEST(AMessage, IsSaidToTheElementFromWhichSizeItsCheapestAlgorithmChanges) {
    const auto json = kport("compare allreduce --on complete:16 --message 8..64KiB*8 --json").json();
    const auto& changes = json["cheapest"];
    ASSERT_EQ(changes.size(), 2U);
    EXPECT_EQ(changes[0]["from"], 8);
    EXPECT_EQ(changes[0]["algorithm"], "census");
    const std::uint64_t from = changes[1]["from"];
    const auto cheapest = [](std::uint64_t bytes) {
        const std::string command = "compare allreduce --on complete:16 --message " + std::to_string(bytes);
        return kport(command + " --json").json()["sizes"][0]["algorithms"][0]["algorithm"];
    };
    EXPECT_EQ(cheapest(from - 8), "census") << "an element before";
    EXPECT_EQ(cheapest(from), changes[1]["algorithm"]);
    EXPECT_THAT(kport("compare allreduce --on complete:16 --message 8..64KiB*8").out,
                HasSubstr(std::to_string(from) + " B   "));
}

TEST(AMessage, OfAPipelineHasAFormulaForItsBestCut) {
    // c = 3: sqrt(3 * 1048576 * 0.001) = 56.1
    EXPECT_THAT(kport("explain broadcast --on hypercube:4 --message 1MiB").out, HasSubstr("= 56.1"));
    EXPECT_THAT(kport("explain allgather --on hypercube:4 --message 1MiB").out, testing::Not(HasSubstr("least at M")));
}

TEST(AMessage, IsDrawnOverItsSizes) {
    const std::filesystem::path folder = own_folder();
    const std::filesystem::path picture = folder / "sizes.svg";
    const Outcome ran = kport("compare broadcast --on hypercube:4 --message 8..1MiB --plot " + picture.string());
    ASSERT_EQ(ran.status, 0) << ran.err;
    std::ifstream in(picture);
    const std::string svg{std::istreambuf_iterator<char>(in), {}};
    EXPECT_THAT(svg, HasSubstr("bytes of the message"));
    std::filesystem::remove_all(folder);
}

TEST(AMessage, IsExplainedAtTheCutThatCostsItLeast) {
    const std::string command = "broadcast --on hypercube:4 --message 100000";
    const auto explained = kport("explain " + command + " --json").json();
    const auto& best = explained["message"]["algorithms"].front();
    EXPECT_EQ(explained["algorithm"], best["algorithm"]);
    EXPECT_EQ(explained["packets"], best["best"]["packets"]);
    const auto compared = kport("compare " + command + " --json").json()["sizes"].front();
    EXPECT_EQ(compared["algorithms"].front()["packets"], best["best"]["packets"]);
    EXPECT_EQ(compared["algorithms"].front()["latency"], best["best"]["latency"]);
    for (const auto& cut : best["cuts"]) EXPECT_GE(cut["latency"], best["best"]["latency"]);
}

// 1000 bytes are no power of two, and a packet of one byte costs more than eight times the best: it is the end of the curve.
TEST(AMessage, IsShownCutAsFinelyAsItCanBe) {
    for (const std::string combining : {"on", "off"}) {
        const std::string command = "explain broadcast --on line:5 --message 1000 --combining " + combining;
        EXPECT_THAT(kport(command).out, testing::ContainsRegex("\n +1000 +1 B "));
        for (const auto& row : kport(command + " --json").json()["message"]["algorithms"])
            EXPECT_EQ(row["cuts"].back()["packets"], 1000) << row["algorithm"];
    }
    const auto json = kport("explain reduce --on line:5 --message 1000 --json").json();
    EXPECT_EQ(json["message"]["algorithms"].front()["cuts"].back()["packets"], 125)
        << "elements of 8 bytes are not cut";
}

// Across a dimension koenig sends one packet, and M only together.
TEST(AMessage, ThatIsNotCutSaysWhy) {
    for (const std::string command :
         {"explain alltoall --on hypercube:3 --ports all --combining off --message 1KiB",
          "compare alltoall --on hypercube:3 --ports all --combining off --message 64,1KiB"})
        EXPECT_THAT(kport(command).out,
                    HasSubstr("\nnote    koenig does not run with M > 1: sends 2 packets together and "
                              "needs a combining machine (--combining on)\n"));
    for (const std::string order : {"", " --order preorder"}) {
        const Outcome scan = kport("explain scan --on torus:3x3 --message 1KiB --json" + order);
        ASSERT_EQ(scan.status, 0) << scan.err;
        EXPECT_EQ(scan.json()["algorithm"], order.empty() ? "greedy-gossip" : "tree");
    }
    EXPECT_THAT(kport("compare scan --on torus:3x3 --packets 1,2 --order preorder --csv").out, HasSubstr(",tree,"));
    for (const char* cut : {"explain broadcast --on line:5 --message 1KiB", "explain scan --on line:5 --message 8"})
        EXPECT_THAT(kport(cut).out, testing::Not(HasSubstr("does not run with M > 1")));
}

TEST(AMessage, IsComparedForTheAlgorithmsThatAreNamed) {
    const auto json =
        kport("compare allreduce --on ring:16 --message 8,64KiB --algorithm ring,tree-exchange --json").json();
    EXPECT_EQ(json["sizes"][0]["algorithms"].size(), 2U);
    EXPECT_EQ(json["sizes"][0]["algorithms"][0]["algorithm"], "tree-exchange");
    EXPECT_EQ(json["sizes"][1]["algorithms"][0]["algorithm"], "ring");
    // 15 (ts + m tm) = 30 (ts + m / 16 tm) at m = 1142.9. 1144 bytes are 16 packets of 9 elements at most, as are 1152: there the
    // two cost the same, and the ring less from 1152 on.
    EXPECT_EQ(json["cheapest"][1]["from"], 1152);
}

/// What a command prints, and the picture that it draws.
struct Drawn {
    std::string out;
    std::string svg;
};
Drawn drawn(const std::string& command) {
    const std::filesystem::path folder = own_folder();
    const std::filesystem::path picture = folder / "cuts.svg";
    const Outcome ran = kport(command + " --plot " + picture.string());
    EXPECT_EQ(ran.status, 0) << ran.err;
    std::ifstream in(picture);
    const std::string svg{std::istreambuf_iterator<char>(in), {}};
    std::filesystem::remove_all(folder);
    return {ran.out, svg};
}

TEST(AMessage, IsDrawnOverItsPackets) {
    const auto [out, svg] = drawn("explain broadcast --on hypercube:4 --message 1MiB");
    EXPECT_THAT(out, HasSubstr("msbt over the number of packets"));
    EXPECT_THAT(svg, HasSubstr("packets M"));
    EXPECT_THAT(svg, HasSubstr("1 MiB in M packets"));
}

// 131072 elements in 8064 packets of 17 are 7711 packets and many empty ones: a line through both would leap.
TEST(AMessage, IsDrawnAtCutsWithoutEmptyPacketsAndSaysWhyACurveEnds) {
    const auto [out, svg] = drawn("explain allreduce --on complete:64 --message 1MiB");
    EXPECT_THAT(out, HasSubstr("\nnote    tried: reduce-broadcast up to M = 8192; beyond, only longer rehearsals"));
    EXPECT_THAT(svg, HasSubstr("reduce-broadcast up to M = 8192:"));
    std::size_t marks = 0;
    for (std::size_t at = 0; (at = svg.find("<circle", at)) != std::string::npos; ++at) ++marks;
    EXPECT_LT(marks, 8U * 40) << "of 8 curves";
}

TEST(AMessage, IsRefusedInALineWhereItMakesNoSense) {
    const auto refused = [](const std::string& more) {
        const Outcome ran = kport("compare broadcast --on ring:8 " + more);
        EXPECT_EQ(ran.status, 2);
        return ran.err;
    };
    EXPECT_THAT(refused("--message 0"), HasSubstr("want at least 1"));
    EXPECT_THAT(refused("--message 1KiB --algorithm msbt"), HasSubstr("'msbt' needs a hypercube; on ring:8"));
    for (const std::string command : {"explain", "compare"})
        EXPECT_THAT(kport(command + " barrier --on ring:8 --message 1KiB").err,
                    HasSubstr("the signals of a barrier have no bytes: there is no message to cut"));
    EXPECT_THAT(refused("--message banana"), HasSubstr("--message 'banana' is not a size"));
    EXPECT_THAT(refused("--message 8 --bytes 8"), HasSubstr("--bytes has no effect beside --message"));
    EXPECT_THAT(refused("--message 8 --plot x.svg"), HasSubstr("several sizes"));
    EXPECT_THAT(refused("--message 8,64 --ports 1,2"), HasSubstr("want one machine"));
    EXPECT_THAT(refused("--plot x.svg"), HasSubstr("--message"));
    EXPECT_THAT(kport("explain broadcast --on ring:8 --message 8,64").err, HasSubstr("explain takes one size"));
    EXPECT_THAT(kport("explain broadcast --on ring:8 --plot x.svg").err, HasSubstr("want --message 1MiB"));
    EXPECT_THAT(kport("explain broadcast --on ring:8 --message 0").err, HasSubstr("want at least 1"));
}

}  // namespace
}  // namespace kport::test
