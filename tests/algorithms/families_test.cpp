// Every algorithm that fits a family's small members is lawful there, delivers, and stays above the bounds.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/bounds/bounds.hpp"
#include "algorithms/run_algorithm.hpp"
#include "emulator/report/report.hpp"
#include "emulator/topology/family.hpp"
#include "tests/support/families.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport {
namespace {

/// The last member that is named of each of the smallest two sizes from 6 nodes on; of smaller ones where there is none.
std::vector<std::string> two_members(const TopologyFamily& family) {
    constexpr NodeId least = 6;
    constexpr NodeId most = 64;
    std::vector<std::string> found;
    for (NodeId nodes = least; nodes <= most && found.size() < 2; ++nodes)
        if (const auto members = family.members(nodes); !members.empty())
            found.push_back(spec_of(family, members.back()));
    return found;
}

class EveryFamily : public testing::TestWithParam<std::string> {};

TEST_P(EveryFamily, RunsEachAlgorithmThatFitsLawfullyAndNeverBelowABound) {
    RunOptions one_thread;
    one_thread.threads = 1;
    const auto family = std::ranges::find(topology_families(), GetParam(), &TopologyFamily::name);
    test::Sample sample(3);
    for (const std::string& spec : two_members(*family))
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()})
            for (const Switching switching : {Switching::store_and_forward, Switching::wormhole})
                for (const Operation& operation : operations()) {
                    if (sample.leaves_out()) continue;
                    Machine machine;
                    machine.topology = make_topology(spec);
                    machine.ports = ports;
                    machine.switching = switching;
                    const Collective collective = Collective::of(operation, machine.topology->nodes() / 3, 8);
                    const Bounds bounds = lower_bounds(machine, collective);
                    std::size_t broadcasts = 0;
                    for (const Algorithm* row : applicable(machine, collective, {})) {
                        SCOPED_TRACE(std::string(name(collective.operation)) + " " + std::string(row->name) + " on " +
                                     spec + " (" + machine.describe() + ")");
                        const Verdict verdict =
                            run_algorithm(*row, machine, collective, {}, {true, 1}, one_thread).verdict;
                        EXPECT_TRUE(verdict.delivered);
                        // Flooding sends twice to a node by its nature.
                        EXPECT_TRUE(verdict.lawful() || row->name.find("flooding") != std::string_view::npos);
                        for (const QuantityRow& quantity : quantity_rows) {
                            const double bound = bounds[quantity.quantity].largest().value_or(0);
                            const double measured = quantity.of(verdict.metrics);
                            EXPECT_TRUE(measured > bound || meets(measured, bound)) << quantity.title;
                        }
                        ++broadcasts;
                    }
                    EXPECT_TRUE(broadcasts > 0 || operation != Operation::broadcast) << spec;
                }
}

TEST(Families, PublishedSchedulesMakeBoundsReachable) {
    for (const char* spec : {"knoedel:5,46", "crossed-cube:6", "star:9", "ccc:5"}) {
        Machine machine;
        machine.topology = make_topology(spec);
        const Bound rounds = lower_bounds(machine, {Operation::broadcast, 0, 8})[Quantity::rounds];
        const std::uint64_t published = machine.topology->published_broadcast(0)->rounds;
        EXPECT_TRUE(*rounds.largest() < static_cast<double>(published) || rounds.reachable == Reachable::yes) << spec;
    }
    Machine knoedel;
    knoedel.topology = make_topology("knoedel:5,46");
    EXPECT_EQ(lower_bounds(knoedel, {Operation::broadcast, 0, 8})[Quantity::rounds].reachable, Reachable::yes);
}

INSTANTIATE_TEST_SUITE_P(SmallMembers, EveryFamily, testing::ValuesIn(test::names_of_families()),
                         test::family_as_test_name);

}  // namespace
}  // namespace kport
