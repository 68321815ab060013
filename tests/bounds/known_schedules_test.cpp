#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "algorithms/bounds/judge.hpp"
#include "tests/bounds/request.hpp"
#include "tests/oracle/table.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport::bounds {
namespace {

using oracle::Row;

std::vector<KnownSchedule> known_schedules(const Facts& facts) {
    const Theory* theory = theory_of(facts.operation);
    return theory == nullptr ? std::vector<KnownSchedule>() : theory->schedules(facts);
}

/// The tables' runs of an algorithm, without options, have the cost claimed for the schedule of that name.
TEST(KnownSchedules, HaveTheCostsOfTheTables) {
    int compared = 0;
    const auto equal = [&](const Row& row, const std::string& column, const std::optional<Count>& count) {
        if (!count) return;
        EXPECT_EQ(static_cast<std::uint64_t>(*count), row.number(column))
            << row.place() << " " << row["algorithm"] << " on " << row["topology"] << ": " << column;
        ++compared;
    };
    for (const char* table :
         {"broadcast", "scatter", "gather", "reduce", "allreduce", "scan", "allgather", "alltoall"}) {
        for (const Row& row : oracle::table(table)) {
            if (row.has("options")) continue;
            const Machine machine = machine_of(row["topology"], row["ports"], row["switching"], row.yes("combining"));
            const Facts facts =
                facts_of(machine, {operation_named(row["operation"]), row.has("source") ? row.number("source") : 0, 1});
            for (const KnownSchedule& schedule : known_schedules(with_known_schedules(facts))) {
                if (schedule.name != row["algorithm"]) continue;
                equal(row, "rounds", schedule.rounds);
                equal(row, "work", schedule.work);
                equal(row, "path_sum", schedule.path_sum);
                equal(row, "volume_packets", schedule.packets);
            }
        }
    }
    EXPECT_GT(compared, 2000);
}

std::string drawn_topology() {
    const auto side = [] { return std::to_string(*rc::gen::inRange(1, 7)); };
    switch (*rc::gen::inRange(0, 7)) {
        case 0: return "hypercube:" + std::to_string(*rc::gen::inRange(0, 8));
        case 1: return "mesh:" + side() + "x" + side();
        case 2: return "torus:" + side() + "x" + side() + "x" + side();
        case 3: return "line:" + std::to_string(*rc::gen::inRange(1, 40));
        case 4: return "ring:" + std::to_string(*rc::gen::inRange(1, 40));
        case 5: return "complete:" + std::to_string(*rc::gen::inRange(1, 40));
        default: return "cbt:" + std::to_string(*rc::gen::inRange(0, 6));
    }
}

Machine drawn_machine() {
    const int k = *rc::gen::inRange(0, 5);
    Machine machine = machine_of(drawn_topology(), k == 0 ? "all" : std::to_string(k),
                                 *rc::gen::arbitrary<bool>() ? "sf" : "wh", *rc::gen::arbitrary<bool>());
    machine.duplex = *rc::gen::arbitrary<bool>() ? Duplex::full : Duplex::half;
    machine.links = *rc::gen::arbitrary<bool>() ? Duplex::full : Duplex::half;
    machine.pairwise = *rc::gen::arbitrary<bool>();
    machine.costs = {1.0, *rc::gen::arbitrary<bool>() ? 0.0 : 0.25, 0.5};
    return machine;
}

Collective drawn_collective(const Machine& machine) {
    const auto& all = operations();
    const Operation operation = all[*rc::gen::inRange<std::size_t>(0, all.size())];
    const NodeId root = *rc::gen::inRange<NodeId>(0, machine.topology->nodes());
    Collective collective = Collective::of(operation, root, *rc::gen::element<std::uint64_t>(1, 4));
    if (!operation.signals()) collective.packets_each = *rc::gen::element<std::uint64_t>(1, 1, 2, 5);
    return collective;
}

/// A schedule below a bound would refute the bound or the schedule.
RC_GTEST_PROP(KnownSchedules, AreNeverBelowABound, ()) {
    const Machine machine = drawn_machine();
    const Collective collective = drawn_collective(machine);
    RC_PRE(machine.topology->nodes() > 1);
    const Facts facts = facts_of(machine, collective);
    const Bounds bounds = lower_bounds(machine, collective);
    const auto not_below = [&](const KnownSchedule& schedule, const std::optional<Count>& count, const Bound& bound) {
        if (count && static_cast<double>(*count) < value_of(bound))
            RC_FAIL(machine.topology->spec() + " " + std::string(name(collective.operation)) + ": " + schedule.name +
                    " is below " + bound.binding());
    };
    for (KnownSchedule& of_one : known_schedules(with_known_schedules(facts))) {
        KnownSchedule schedule = of_all_packets(std::move(of_one), facts);
        not_below(schedule, schedule.rounds, bounds[Quantity::rounds]);
        not_below(schedule, schedule.work, bounds[Quantity::work]);
        not_below(schedule, schedule.path_sum, bounds[Quantity::path_sum]);
        if (schedule.packets) *schedule.packets *= collective.packet_bytes;
        not_below(schedule, schedule.packets, bounds[Quantity::volume]);
    }
}

/// No bound is both reachable and refuted.
RC_GTEST_PROP(Refutations, LieAboveTheBoundAndBelowEverySchedule, ()) {
    const Machine machine = drawn_machine();
    const Collective collective = drawn_collective(machine);
    RC_PRE(machine.topology->nodes() > 1);
    const Facts facts = facts_of(machine, collective);
    const Bounds bounds = lower_bounds(machine, collective);
    const auto judged_well = [&](const Bound& bound) {
        RC_ASSERT(bound.largest().has_value());
        RC_ASSERT(!bound.reachable_why.empty());
        for (const Argument& argument : bound.arguments) {
            RC_ASSERT(argument.value <= value_of(bound));
            RC_ASSERT(!argument.name.empty() && !argument.why.empty() && !argument.source.empty());
        }
    };
    for (const Bound& bound : bounds) judged_well(bound);
    if (collective.operation != Operation::broadcast && collective.operation != Operation::reduce) return;
    const auto refuted = refute_broadcast_rounds(facts, static_cast<Count>(value_of(bounds[Quantity::rounds])));
    if (!refuted) return;
    const Count least = refuted->least;
    RC_ASSERT(static_cast<double>(least) > value_of(bounds[Quantity::rounds]));
    for (const KnownSchedule& schedule : known_broadcasts(with_known_schedules(facts)))
        RC_ASSERT(schedule.rounds.value_or(least) >= least);
}

/// The bounds that state a minimum over all machines of a kind must order as the machines do.
RC_GTEST_PROP(LowerBounds, DoNotGrowWithPortsNorUnderWormholeNorWithCombining, ()) {
    Machine machine = drawn_machine();
    const Collective collective = drawn_collective(machine);
    const auto weaker = [&](const Machine& stronger, const Bounds& before) {
        const Bounds after = lower_bounds(stronger, collective);
        for (const Quantity counted : {Quantity::rounds, Quantity::work, Quantity::path_sum, Quantity::volume})
            RC_ASSERT(value_of(after[counted]) <= value_of(before[counted]));
    };
    machine.ports = PortLimit(1);
    for (Port k = 2; k <= 6; ++k) {
        const Bounds before = lower_bounds(machine, collective);
        machine.ports = PortLimit(k);
        weaker(machine, before);
    }
    const Bounds limited = lower_bounds(machine, collective);
    machine.ports = PortLimit::all();
    weaker(machine, limited);
    machine.switching = Switching::store_and_forward;
    const Bounds stored = lower_bounds(machine, collective);
    machine.switching = Switching::wormhole;
    weaker(machine, stored);
    machine.combining = false;
    const Bounds single = lower_bounds(machine, collective);
    machine.combining = true;
    weaker(machine, single);
}

RC_GTEST_PROP(LowerBounds, OnHypercubesAreTheClosedForms, ()) {
    const int n = *rc::gen::inRange(1, test::under_sanitizer ? 7 : 20);
    const auto nodes = static_cast<double>(std::uint64_t{1} << n);
    const Machine machine = machine_of("hypercube:" + std::to_string(n));
    const NodeId root = *rc::gen::inRange<NodeId>(0, machine.topology->nodes());
    for (const Operation& operation : operations()) {
        // Schedules of these are known to the catalogue only.
        if (operation == Operation::barrier || operation->fit != nullptr) continue;
        const Bounds found = bounds_of(operation, machine, root);
        RC_ASSERT(value_of(found[Quantity::rounds]) == n);
        RC_ASSERT(value_of(found[Quantity::path_sum]) == n);
        RC_ASSERT(found[Quantity::rounds].reachable == Reachable::yes);
        RC_ASSERT(found[Quantity::latency].reachable == Reachable::yes || n == 1);
    }
    RC_ASSERT(value_of(bounds_of(Operation::broadcast, machine, root)[Quantity::work]) == nodes - 1);
    RC_ASSERT(value_of(bounds_of(Operation::scatter, machine, root)[Quantity::volume]) == nodes - 1);
    RC_ASSERT(value_of(bounds_of(Operation::allgather, machine, root)[Quantity::volume]) == nodes - 1);
    RC_ASSERT(value_of(bounds_of(Operation::alltoall, machine, root)[Quantity::volume]) == n * nodes / 2);
}

}  // namespace
}  // namespace kport::bounds
