/// @file movement_plan_test.cpp   A plan equals its schedule: its movements, executed one by one on names instead of
///                                bytes, bring every packet and fold every contribution; and no step reads what it writes.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/run_algorithm.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/movement_plan.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::machine;

struct Planned {
    Operation operation;
    std::string_view topology;
};

void PrintTo(const Planned& p, std::ostream* out) { *out << name(p.operation) << " on " << p.topology; }

/// The packets of a block, by their numbers.
std::vector<PacketId> numbers(const PacketBlock& block, NodeId nodes) {
    std::vector<PacketId> all;
    for (std::uint32_t row = 0; row < block.rows; ++row)
        for (std::uint32_t i = 0; i < block.count; ++i) all.push_back(block.number(row, i, nodes));
    return all;
}
std::set<PacketId> numbers(const PacketSet& set, NodeId nodes) {
    std::set<PacketId> all;
    for (const PacketBlock& block : set.blocks())
        for (const PacketId packet : numbers(block, nodes)) all.insert(packet);
    return all;
}

/// The content of a place: packets, or the contributions of a value in the order of their folds.
using Names = std::vector<PacketId>;
using Places = std::map<std::uint32_t, Names>;

/// The nodes' initial packets.
Places filled(const MovementPlan& plan, NodeId nodes, bool values) {
    Places places;
    for (const Standing& own : plan.owned) {
        std::uint32_t place = own.place;
        for (const PacketId packet : numbers(own.block, nodes))
            EXPECT_TRUE(places.emplace(place++, Names{values ? own.node : packet}).second);
    }
    return places;
}

/// Which of the movements of a step writes to each place.
std::map<std::uint32_t, std::size_t> written(const MovementPlan& plan, std::size_t first, std::size_t end) {
    std::map<std::uint32_t, std::size_t> by;
    for (std::size_t i = first; i < end; ++i)
        for (std::uint32_t k = 0; k < plan.movements[i].count; ++k)
            EXPECT_TRUE(by.emplace(plan.movements[i].to + k, i).second) << "a place is written twice in a step";
    return by;
}

/// Executes the movements of all steps on names.
class Follower {
  public:
    Follower(const MovementPlan& plan, Places places) : plan_(plan), places_(std::move(places)) {}

    Places follow(std::uint32_t count_max) {
        std::size_t first = 0;
        for (const MovementStep& step : plan_.steps) {
            EXPECT_LT(first, step.end) << "a step moves something";
            const auto writers = written(plan_, first, step.end);
            EXPECT_EQ(writers.size(), step.packets);
            for (std::size_t i = first; i < step.end; ++i) {
                EXPECT_LE(plan_.movements[i].count, count_max);
                EXPECT_GT(plan_.movements[i].count, 0U);
                for (std::uint32_t k = 0; k < plan_.movements[i].count; ++k) move_one(i, k, writers);
            }
            first = step.end;
        }
        EXPECT_EQ(first, plan_.movements.size());
        return places_;
    }

  private:
    void move_one(std::size_t i, std::uint32_t k, const std::map<std::uint32_t, std::size_t>& writers) {
        const Movement& movement = plan_.movements[i];
        Names names = read(movement.from + k, i, writers);
        if (movement.folds())
            for (const PacketId name : read(movement.with + k, i, writers)) names.push_back(name);
        places_[movement.to + k] = names;
    }
    /// Only a movement itself may write where it reads: it folds in place.
    Names read(std::uint32_t place, std::size_t i, const std::map<std::uint32_t, std::size_t>& writers) {
        const auto writer = writers.find(place);
        EXPECT_TRUE(writer == writers.end() || writer->second == i) << "a step reads what it writes";
        EXPECT_TRUE(places_.contains(place)) << "nothing has come to place " << place;
        return places_[place];
    }

    const MovementPlan& plan_;
    Places places_;
};

/// The nodes' final packets.
std::vector<std::set<PacketId>> held(const MovementPlan& plan, const Places& places, NodeId nodes) {
    std::vector<std::set<PacketId>> all(nodes);
    for (const std::vector<Standing>* standings : {&plan.owned, &plan.brought})
        for (const Standing& standing : *standings) {
            std::uint32_t place = standing.place;
            for (const PacketId packet : numbers(standing.block, nodes)) {
                EXPECT_EQ(places.at(place++), Names{packet});
                all[standing.node].insert(packet);
            }
        }
    return all;
}

/// Calls use(schedule, collective, nodes) for each algorithm of the operation on the machine.
template <class Use>
void for_each_schedule(const Planned& planned, Use&& use) {
    const Machine on = machine(std::string(planned.topology), PortLimit::all());
    const NodeId nodes = on.topology->nodes();
    const Collective collective{planned.operation, planned.operation.rooted() ? nodes / 3 : 0, 8};
    int schedules = 0;
    for (const Algorithm* algorithm : applicable(on, collective, {})) {
        SCOPED_TRACE(algorithm->name);
        Schedule schedule;
        RunOptions options;
        options.recorded_schedule = &schedule;
        (void)run_algorithm(*algorithm, on, collective, {}, {}, options);
        use(schedule, judged_collective(*algorithm, collective, {}), nodes);
        ++schedules;
    }
    EXPECT_GT(schedules, 0);
}

class PlanOfPackets : public testing::TestWithParam<Planned> {};

TEST_P(PlanOfPackets, BringsWhatTheOperationPromisesHoweverLongItsMovementsMayBe) {
    for_each_schedule(GetParam(), [](const Schedule& schedule, const Collective& collective, NodeId nodes) {
        for (const std::uint32_t count_max : {1U, 2U, 3U, 5U, 1000U})
            for (const bool passes_on : {false, true}) {
                SCOPED_TRACE(fmt::format("at most {} packets, passes on: {}", count_max, passes_on));
                const MovementPlan plan = plan_of_packets(schedule, nodes, collective, {count_max, passes_on});
                const Places places = Follower(plan, filled(plan, nodes, false)).follow(count_max);
                const auto all = held(plan, places, nodes);
                std::uint64_t moved = 0;
                for (std::size_t i = 0; i < schedule.size(); ++i) {
                    const Transfer transfer = schedule.transfer(i);
                    moved += size_of(transfer.packets);
                    for (const PacketBlock& block : transfer.packets)
                        for (const PacketId packet : numbers(block, nodes))
                            EXPECT_TRUE(passes_on || all[transfer.to].contains(packet));
                }
                EXPECT_EQ(plan.packets_moved, moved);
                EXPECT_TRUE(passes_on || plan.passing_places == 0);
                for (NodeId v = 0; v < nodes; ++v)
                    EXPECT_TRUE(std::ranges::includes(all[v], numbers(collective.wanted(v, nodes), nodes))) << v;
            }
    });
}

INSTANTIATE_TEST_SUITE_P(
    Plans, PlanOfPackets,
    testing::Values(Planned{Operation::broadcast, "hypercube:4"}, Planned{Operation::broadcast, "line:6"},
                    Planned{Operation::scatter, "hypercube:4"}, Planned{Operation::scatter, "mesh:3x4"},
                    Planned{Operation::gather, "hypercube:3"}, Planned{Operation::gather, "mesh:3x3"},
                    Planned{Operation::allgather, "hypercube:3"}, Planned{Operation::allgather, "ring:7"},
                    Planned{Operation::alltoall, "hypercube:3"}, Planned{Operation::alltoall, "ring:5"},
                    Planned{Operation::alltoall, "complete:5"}));

class PlanOfValues : public testing::TestWithParam<Planned> {};

TEST_P(PlanOfValues, FoldsEachContributionOnce) {
    for_each_schedule(GetParam(), [](const Schedule& schedule, const Collective& collective, NodeId nodes) {
        const bool scans = collective.scans();
        std::uint64_t values = 0;
        for (std::size_t i = 0; i < schedule.size(); ++i)
            values += values_in(schedule.transfer(i).packets, collective, 1);
        for (const std::uint32_t count_max : {1U, 2U, 3U, 1000U}) {
            const MovementPlan plan = plan_of_values(schedule, nodes, collective, {count_max, false});
            const Places places = Follower(plan, filled(plan, nodes, true)).follow(count_max);
            EXPECT_EQ(plan.packets_moved, values);
            EXPECT_TRUE(!scans || count_max > 1 || plan.movements.size() >= values) << "every message moves";
            std::set<NodeId> given;
            for (const Standing& result : plan.brought) {
                given.insert(result.node);
                Names all = places.at(result.place);
                std::ranges::sort(all);
                Names right(scans ? result.node + 1 : nodes);
                std::iota(right.begin(), right.end(), PacketId{0});
                EXPECT_EQ(all, right) << "node " << result.node;
            }
            EXPECT_EQ(given.size(), collective.operation == Operation::reduce ? 1 : nodes);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(
    Plans, PlanOfValues,
    testing::Values(Planned{Operation::reduce, "hypercube:4"}, Planned{Operation::reduce, "mesh:3x4"},
                    Planned{Operation::reduce, "complete:6"}, Planned{Operation::allreduce, "hypercube:3"},
                    Planned{Operation::allreduce, "complete:6"}, Planned{Operation::allreduce, "ring:5"},
                    Planned{Operation::scan, "hypercube:4"}, Planned{Operation::scan, "hypercube:1"},
                    Planned{Operation::scan, "complete:6"}, Planned{Operation::scan, "line:5"},
                    Planned{Operation::scan, "star:9"}, Planned{Operation::scan, "torus:3x5"},
                    Planned{Operation::scan, "kary-tree:3,2"}));

/// A scatter down a line, from its first node: every node passes on the packets of others in one message.
Schedule scatter_down_the_line(std::uint32_t nodes) {
    Schedule all;
    const Port port = test::rightwards;
    for (std::uint32_t v = 0; v + 1 < nodes; ++v) {
        const PacketBlock rest{v + 1, 1, nodes - v - 1};
        all.add(v + 1, {v, v + 1, {&port, 1}, {&rest, 1}});
    }
    return all;
}

/// An allreduce on the complete graph of 3^n nodes, one digit of their numbers a round: each sends what it has to the two
/// that differ from it in that digit alone.
Schedule allreduce_by_digits(int n, const Topology& complete) {
    Schedule all;
    std::uint32_t step = 1;
    for (int digit = 0; digit < n; ++digit, step *= 3)
        for (std::uint32_t v = 0; v < complete.nodes(); ++v)
            for (const std::uint32_t turn : {1U, 2U}) {
                const std::uint32_t to = v - v / step % 3 * step + (v / step + turn) % 3 * step;
                const Port port = complete.port_to(v, to);
                const PacketBlock folded{v - v % step, 1, step};
                all.add(static_cast<Round>(digit + 1), {v, to, {&port, 1}, {&folded, 1}});
            }
    return all;
}

TEST(MovementPlan, FoldsTheValuesOfARoundSequentiallyInOrder) {
    // Each node sends its value while it receives two.
    const Machine complete = machine("complete:27", PortLimit::all());
    const Schedule schedule = allreduce_by_digits(3, *complete.topology);
    Names right(27);
    std::iota(right.begin(), right.end(), PacketId{0});
    const MovementPlan plan = plan_of_values(schedule, 27, {Operation::allreduce, 0, 8}, {1000, false});
    const Places places = Follower(plan, filled(plan, 27, true)).follow(1000);
    ASSERT_EQ(plan.brought.size(), 27U);
    for (const Standing& result : plan.brought) EXPECT_EQ(places.at(result.place), right) << "node " << result.node;
    EXPECT_EQ(plan.steps.size(), 6U) << "what different nodes fold in the same turn is one step";
    EXPECT_EQ(plan.places, 2U * 27) << "a contribution and a result each";
    EXPECT_EQ(plan.passing_places, 2U * 27) << "what they have folded, before the round and after it";
}

TEST(MovementPlan, FoldsAScansPrefixOnceWhileAllThatCameIsFromBelow) {
    // Hillis and Steele: everyone's value is the sum up to itself, and there is nothing else to fold.
    const Machine complete = machine("complete:13", PortLimit::all());
    Schedule schedule;
    std::uint64_t messages = 0;
    for (std::uint32_t step = 1, round = 1; step < 13; step *= 2, ++round)
        for (std::uint32_t v = 0; v + step < 13; ++v, ++messages) {
            const Port port = complete.topology->port_to(v, v + step);
            const std::uint32_t count = std::min(v + 1, step);
            const PacketBlock folded{v + 1 - count, 1, count};
            schedule.add(round, {v, v + step, {&port, 1}, {&folded, 1}});
        }
    const MovementPlan plan = plan_of_values(schedule, 13, {Operation::scan, 0, 8}, {1, false});
    EXPECT_EQ(plan.movements.size(), messages);
    const Places places = Follower(plan, filled(plan, 13, true)).follow(1);
    for (const Standing& result : plan.brought) EXPECT_EQ(places.at(result.place).size(), result.node + 1);
}

TEST(MovementPlan, KeepsAPrefixApartFromAValueThatIsSentOnAndFoldsNoneThatIsNot) {
    // In each of 3 rounds values from above and from below come to a node while it sends its own.
    const Machine complete = machine("complete:27", PortLimit::all());
    const Schedule schedule = allreduce_by_digits(3, *complete.topology);
    const MovementPlan plan = plan_of_values(schedule, 27, {Operation::scan, 0, 8}, {1, false});
    const Places places = Follower(plan, filled(plan, 27, true)).follow(1);
    ASSERT_EQ(plan.brought.size(), 27U);
    for (const Standing& result : plan.brought) {
        Names right(result.node + 1);
        std::iota(right.begin(), right.end(), PacketId{0});
        EXPECT_EQ(places.at(result.place), right) << "node " << result.node;
    }
    // Each node gets 6 messages. What comes from below is folded twice where the node's value is more than its prefix and is sent
    // once more. That is in round 2: of the nodes whose lowest digit is 0 or 1, one message where the next digit is 1 and two
    // where it is 2; and one of those that end with the digits 1 and 2, to which the value from above is the nearer one.
    EXPECT_EQ(plan.movements.size(), 27U * 6 + 3 * (2 * (1 + 2)) + 3);
}

TEST(MovementPlan, RefusesMoreThan2To31Places) {
    const PlanOptions any{1000, false};
    EXPECT_THROW((void)plan_of_packets({}, 65536, {Operation::alltoall, 0, 8}, any), DoesNotFit);
    EXPECT_THROW((void)plan_of_values({}, NodeId{1} << 30, {Operation::allreduce, 0, 8}, any), DoesNotFit);
    EXPECT_THROW((void)plan_of_values({}, (NodeId{1} << 31) / 3 + 1, {Operation::scan, 0, 8}, any), DoesNotFit)
        << "a scan may use three passing places a node";
}

/// A reduction to node 0 of a hypercube, the highest dimension first: the upper half sends to the lower.
Schedule reduce_by_halves(int n) {
    Schedule all;
    for (int d = n - 1; d >= 0; --d)
        for (std::uint32_t v = 0; v < std::uint32_t{1} << d; ++v) {
            const Port port = static_cast<Port>(d);
            const std::uint32_t from = v + (std::uint32_t{1} << d);
            const PacketBlock folded{from, std::uint32_t{2} << d, std::uint32_t{1} << (n - 1 - d)};
            all.add(static_cast<Round>(n - d), {from, v, {&port, 1}, {&folded, 1}});
        }
    return all;
}

TEST(MovementPlan, CutsLongFoldsAndMergesNeighbours) {
    const auto movements = [](std::uint32_t count_max) {
        const Collective reduce{Operation::reduce, 0, 8};
        return plan_of_values(reduce_by_halves(4), 16, reduce, {count_max, false}).movements.size();
    };
    EXPECT_EQ(movements(1), 8U + 4 + 2 + 1);
    EXPECT_EQ(movements(3), 3U + 2 + 1 + 1);
    EXPECT_EQ(movements(8), 4U);
}

TEST(MovementPlan, CutsLongMovementsAndMergesNeighbours) {
    const auto movements = [](std::uint32_t count_max) {
        const Collective scatter{Operation::scatter, 0, 8};
        return plan_of_packets(scatter_down_the_line(9), 9, scatter, {count_max, false}).movements.size();
    };
    EXPECT_EQ(movements(1), 8U + 7 + 6 + 5 + 4 + 3 + 2 + 1);
    EXPECT_EQ(movements(3), 3U + 3 + 2 + 2 + 2 + 1 + 1 + 1);
    EXPECT_EQ(movements(8), 8U);
    EXPECT_EQ(movements(1000), 8U);
}

}  // namespace
}  // namespace kport
