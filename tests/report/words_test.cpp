#include "emulator/report/words.hpp"

#include <gtest/gtest.h>

#include "emulator/report/table.hpp"

namespace kport::test {
namespace {

TEST(Number, IsShortAndExactWhereItIsWhole) {
    EXPECT_EQ(number(10), "10");
    EXPECT_EQ(number(1099511627775.0), "1099511627775");
    EXPECT_EQ(number(10.64), "10.64");
    EXPECT_EQ(number(10.640000000000001), "10.64");
    EXPECT_EQ(number(1e20), "1e+20");
}

TEST(Duration, HasAUnitThatFits) {
    EXPECT_EQ(duration(0.0001), "0.10 ms");
    EXPECT_EQ(duration(0.0042), "4.2 ms");
    EXPECT_EQ(duration(0.25), "250 ms");
    EXPECT_EQ(duration(4.204), "4.20 s");
    EXPECT_EQ(duration(123.44), "123.4 s");
}

TEST(Title, SaysWhichWayThingsGo) {
    const auto mesh = make_topology("mesh:2x3");
    EXPECT_EQ(title(Operation::broadcast, 4, *mesh), "broadcast from node 4 (1,1) on mesh:2x3");
    EXPECT_EQ(title(Operation::gather, 4, *mesh), "gather to node 4 (1,1) on mesh:2x3");
    EXPECT_EQ(title(Operation::allgather, std::nullopt, *mesh), "allgather on mesh:2x3");
}

TEST(MachineLine, NamesWhatIsNotUsual) {
    Machine machine;
    machine.topology = make_topology("line:1");
    machine.combining = false;
    machine.policy = Policy::strict;
    EXPECT_EQ(machine_line(machine, 1),
              "1 node, 0 channels, 1-port full duplex, store-and-forward, noncombining, strict, 1-byte packet");
}

TEST(Table, LinesUpItsColumns) {
    using enum Table::Align;
    Table table({{"name"}, {"n", right}, {"end"}});
    table.row({{"a"}, {"1"}, {"x"}});
    table.row({{"b\xc3\xb6"}, {"12345"}});
    table.row({{""}, {""}, {"y"}});
    EXPECT_EQ(table.text(Paint(false)),
              "name       n   end\n"
              "a          1   x\n"
              "b\xc3\xb6     12345\n"
              "               y\n");
}

}  // namespace
}  // namespace kport::test
