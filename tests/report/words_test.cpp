#include "emulator/report/words.hpp"

#include <gtest/gtest.h>

#include "emulator/report/terminal_text.hpp"

namespace kport::test {
namespace {

TEST(Number, HasCommasForPeopleFromFiveDigitsOn) {
    EXPECT_EQ(grouped(1234), "1234");
    EXPECT_EQ(grouped(12345), "12,345");
    EXPECT_EQ(grouped(-1234567.25), "-1,234,567.25");
    EXPECT_EQ(grouped(0.123456), "0.123456");
    EXPECT_EQ(grouped(1e20), "1e+20");
    EXPECT_EQ(grouped_count(9999), "9999");
    EXPECT_EQ(grouped_count(100000), "100,000");
    EXPECT_EQ(grouped_count(18446744073709551615U, "node"), "18,446,744,073,709,551,615 nodes");
    EXPECT_EQ(grouped_count(1, "node"), "1 node");
}

TEST(Number, IsShortAndExactWhereItIsWhole) {
    EXPECT_EQ(number(10), "10");
    EXPECT_EQ(number(1099511627775.0), "1099511627775");
    EXPECT_EQ(number(10.64), "10.64");
    EXPECT_EQ(number(10.640000000000001), "10.64");
    EXPECT_EQ(number(1e20), "1e+20");
    EXPECT_EQ(number(-12345678901.0), "-12345678901");
    EXPECT_EQ(number(9007199254740991.0), "9007199254740991");  // 2^53 - 1
    EXPECT_EQ(number(9007199254740992.0), "9.007199255e+15");
}

TEST(Duration, HasAUnitThatFits) {
    EXPECT_EQ(duration(0.0001), "0.10 ms");
    EXPECT_EQ(duration(0.0042), "4.2 ms");
    EXPECT_EQ(duration(0.25), "250 ms");
    EXPECT_EQ(duration(4.204), "4.20 s");
    EXPECT_EQ(duration(123.44), "123.4 s");
    EXPECT_EQ(duration(1), "1.00 s");
    EXPECT_EQ(duration(10), "10.0 s");
    EXPECT_EQ(duration(0.01), "10 ms");
    EXPECT_EQ(duration(9.5), "9.50 s");
    EXPECT_EQ(duration(0.0095), "9.5 ms");
    EXPECT_EQ(duration(0.00095), "0.9 ms");
}

TEST(Memory, HasAUnitThatFits) {
    EXPECT_EQ(memory(0), "0 bytes");
    EXPECT_EQ(memory(1023), "1023 bytes");
    EXPECT_EQ(memory(1024), "1.0 KiB");
    EXPECT_EQ(memory(1.5 * 1024 * 1024), "1.5 MiB");
    EXPECT_EQ(memory(0x1p60), "1024.0 PiB");
}

TEST(Counted, AddsAnSUnlessItIsOne) {
    EXPECT_EQ(counted(0, "node"), "0 nodes");
    EXPECT_EQ(counted(1, "node"), "1 node");
    EXPECT_EQ(counted(2, "node"), "2 nodes");
}

TEST(Title, NamesTheDirection) {
    const auto mesh = make_topology("mesh:2x3");
    EXPECT_EQ(title({Operation::broadcast}, 4, *mesh), "broadcast from node 4 (1,1) on mesh:2x3");
    EXPECT_EQ(title({Operation::gather}, 4, *mesh), "gather to node 4 (1,1) on mesh:2x3");
    EXPECT_EQ(title({Operation::reduce}, 4, *mesh), "reduce to node 4 (1,1) on mesh:2x3");
    EXPECT_EQ(title({Operation::allgather}, std::nullopt, *mesh), "allgather on mesh:2x3");
}

TEST(Title, NamesThePermutation) {
    const auto cube = make_topology("hypercube:2");
    const auto by = [](std::string_view words) { return Collective::permuted(permutation_named(words), 8); };
    EXPECT_EQ(title(by("shift:3"), std::nullopt, *cube), "permutation shift:3 on hypercube:2");
    EXPECT_EQ(title(by("transpose"), 1, *cube), "permutation transpose through node 1 on hypercube:2");
}

TEST(RequestLine, GivesNoSizeToSignals) {
    Machine machine;
    machine.topology = make_topology("line:2");
    EXPECT_EQ(request_line(Collective::barrier(), std::nullopt, machine, 100),
              "barrier on line:2   2 nodes, 2 channels, 1-port full duplex, store-and-forward\n");
}

TEST(MachineLine, NamesWhatIsNotUsual) {
    Machine machine;
    machine.topology = make_topology("line:1");
    machine.combining = false;
    machine.policy = Policy::strict;
    EXPECT_EQ(machine_line(machine), "1 node, 0 channels, 1-port full duplex, store-and-forward, noncombining, strict");
}

TEST(Paint, LeavesPlainAndEmptyTextAlone) {
    const Paint paint(true);
    EXPECT_EQ(paint("x", Tone::plain), "x");
    EXPECT_EQ(paint("", Tone::bad), "");
    EXPECT_EQ(paint("x", Tone::warning), "\033[33mx\033[0m");
    EXPECT_EQ(Paint(false)("x", Tone::bad), "x");
}

}  // namespace
}  // namespace kport::test
