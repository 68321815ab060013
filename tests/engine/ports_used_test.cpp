#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "emulator/engine/ports_used.hpp"

namespace kport {
namespace {

constexpr Port labels = 40;

std::vector<Port> contained(const PortsUsed& used) {
    std::vector<Port> ports;
    for (Port port = 0; port < labels; ++port)
        if (used.contains(port)) ports.push_back(port);
    return ports;
}

/// Up to 8 ports are kept in a list, 9 and more in an array.
class AnyLimit : public testing::TestWithParam<Port> {};

INSTANTIATE_TEST_SUITE_P(Ports, AnyLimit, testing::Values(2, 7, 8, 9, 10, labels));

TEST_P(AnyLimit, TheSetHoldsTheLimitsNumberOfPortsAndNoOthers) {
    PortsUsed used(GetParam(), labels);
    std::vector<Port> added(GetParam());
    std::iota(added.begin(), added.end(), labels - GetParam());
    for (const Port port : added) used.add(port);
    EXPECT_EQ(contained(used), added);
}

TEST_P(AnyLimit, TheNextNodeFindsTheSetEmptyAndFillsItAnew) {
    PortsUsed used(GetParam(), labels);
    used.restart();
    used.add(3);
    used.add(0);
    used.restart();
    EXPECT_EQ(contained(used), std::vector<Port>());
    used.add(labels - 1);
    EXPECT_EQ(contained(used), std::vector<Port>({labels - 1}));
}

}  // namespace
}  // namespace kport
