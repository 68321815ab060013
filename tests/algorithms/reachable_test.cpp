/// @file reachable_test.cpp   What the bounds say of their reach, held against runs of every algorithm.
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "algorithms/catalogue.hpp"
#include "algorithms/choice.hpp"
#include "algorithms/run_algorithm.hpp"
#include "emulator/report/report.hpp"
#include "tests/algorithms/machines.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport {
namespace {

struct Measured {
    std::string_view quantity;
    double value;
    const Bound& bound;
};

/// What the bounds deny and the run shows; empty: nothing.
std::string denied(const Measured& measured) {
    const Bound& bound = measured.bound;
    if (!bound.largest()) return "";
    if (meets(measured.value, *bound.largest()) && bound.reachable == Reachable::no)
        return std::string(measured.quantity) +
               " meets a bound that is said to be out of reach: " + bound.reachable_why;
    if (bound.least && measured.value < *bound.least && !meets(measured.value, *bound.least))
        return std::string(measured.quantity) + " is less than what is said to be possible: " + bound.reachable_why;
    return "";
}

/// Returns a bound that the run meets but that is reported as unknown to be reachable; empty: none.
std::string not_known(const Measured& measured) {
    const Bound& bound = measured.bound;
    if (!bound.largest() || !meets(measured.value, *bound.largest()) || bound.reachable == Reachable::yes) return "";
    return std::string(measured.quantity) + " meets a bound of which is said: " + bound.reachable_why;
}

/// Calls body with every quantity of every lawful run, with what it is of, and with whether it is known without a run.
template <class Body>
void for_each_measured(const Machine& machine, const Collective& collective, const Body& body) {
    const Bounds bounds = reached_bounds(machine, collective);
    RunOptions one_thread;
    one_thread.threads = 1;
    for (const Algorithm* row : applicable(machine, collective, {})) {
        const Verdict verdict = run_algorithm(*row, machine, collective, {}, {false, 1}, one_thread).verdict;
        if (!verdict.lawful() || !verdict.delivered) continue;
        const Metrics& m = verdict.metrics;
        const std::string where = fmt::format("{} {} from {} on {} ({}{}), {} bytes", name(collective.operation),
                                              row->name, collective.root, machine.topology->spec(), machine.describe(),
                                              machine.combining ? "" : ", noncombining", collective.packet_bytes);
        const auto derived =
            derived_costs(expected_cost(*row, machine, collective, {}), machine, collective.packet_bytes);
        for (const QuantityRow& quantity : quantity_rows)
            body(Measured{quantity.title, quantity.of(m), bounds[quantity.quantity]}, where,
                 derived[quantity.quantity].has_value());
    }
}

void expect_nothing_denied(const Machine& machine, const Collective& collective) {
    for_each_measured(machine, collective, [](const Measured& measured, const std::string& where, bool) {
        EXPECT_EQ(denied(measured), "") << where;
    });
    const Bounds bounds = reached_bounds(machine, collective);
    if (collective.packet_bytes == 0) {
        EXPECT_EQ(bounds[Quantity::volume].reachable, Reachable::yes);
    }
    const Costs& costs = machine.costs;
    if (costs.startup + costs.hop + costs.byte == 0) {
        EXPECT_EQ(bounds[Quantity::latency].reachable, Reachable::yes);
    }
}

TEST(Reachable, DeniesNothingThatARunShowsAtAnyPriceAndSize) {
    test::Sample sample(23, 11);
    for (const char* spec :
         {"line:1", "line:5", "ring:5", "mesh:3x3", "torus:3x4", "hypercube:3", "complete:6", "cbt:2"})
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()})
            for (const Switching switching : {Switching::store_and_forward, Switching::wormhole})
                for (const bool combining : {false, true})
                    for (const Costs& costs : {Costs{1, 0, 0.001}, Costs{0, 0, 0}, Costs{0, 0, 1}, Costs{0, 1, 0}})
                        for (const Operation& operation : operations())
                            for (const std::uint64_t bytes : {0U, 8U}) {
                                if (sample.leaves_out()) continue;
                                Machine machine;
                                machine.topology = make_topology(spec);
                                machine.ports = ports;
                                machine.switching = switching;
                                machine.combining = combining;
                                machine.costs = costs;
                                const NodeId middle = machine.topology->nodes() / 2;
                                expect_nothing_denied(machine, Collective::of(operation, middle, bytes));
                            }
}

/// The bounds alone know of no such schedule: it is the algorithm that says what it costs.
TEST(Reachable, TakesWhatAnAlgorithmOfTheCatalogueIsExpectedToCost) {
    int taken = 0;
    for (const char* spec : {"wheel:6", "petersen", "kautz:2,2", "bipartite:3x3", "star-graph:4", "folded-hypercube:3"})
        for (const Port k : {1U, 2U, 3U}) {
            Machine machine;
            machine.topology = make_topology(spec);
            machine.ports = PortLimit(k);
            const Collective broadcast = Collective::broadcast(0, 8);
            if (lower_bounds(machine, broadcast)[Quantity::rounds].reachable != Reachable::unknown) continue;
            const Bound rounds = reached_bounds(machine, broadcast)[Quantity::rounds];
            if (rounds.reachable != Reachable::yes) continue;
            EXPECT_TRUE(rounds.met_by == "farthest-first" || rounds.met_by == "layered") << spec << " " << k;
            ++taken;
        }
    EXPECT_GT(taken, 0);

    Machine cube;  // a program for one port serves a machine of two, which is too large for plans
    cube.topology = make_topology("hypercube:12");
    cube.ports = PortLimit(2);
    cube.duplex = Duplex::half;
    cube.switching = Switching::wormhole;
    cube.combining = false;
    EXPECT_EQ(reached_bounds(cube, Collective::scatter(0, 8))[Quantity::work].met_by, "direct through one port");
}

/// Knowing more schedules changes no value, and takes no knowledge away.
RC_GTEST_PROP(Reachable, AddsToWhatTheBoundsKnowAndChangesNoValue, ()) {
    const Machine machine = test::any_machine();
    const Collective drawn = test::any_collective(machine);
    const Collective collective = Collective::of(*rc::gen::elementOf(operations()), drawn.root, drawn.packet_bytes);
    const Bounds alone = lower_bounds(machine, collective);
    const Bounds reached = reached_bounds(machine, collective);
    for (const QuantityRow& quantity : quantity_rows) {
        const Bound& before = alone[quantity.quantity];
        const Bound& after = reached[quantity.quantity];
        RC_ASSERT(after.largest() == before.largest());
        RC_ASSERT(after.binding() == before.binding());
        if (before.reachable != Reachable::unknown) RC_ASSERT(after.reachable == before.reachable);
    }
}

/// Every rule that a machine may have, and every place of the root that matters on small machines. Returns how many quantities
/// were compared.
int expect_nothing_unknown_or_denied(const std::vector<const char*>& specs, std::uint64_t packets, int step) {
    int compared = 0;
    for (const char* spec : specs)
        for (int rules = 0; rules < 96; rules += step) {
            Machine machine;
            machine.topology = make_topology(spec);
            machine.ports = rules % 3 == 0 ? PortLimit(1) : rules % 3 == 1 ? PortLimit(2) : PortLimit::all();
            machine.switching = rules / 3 % 2 == 0 ? Switching::store_and_forward : Switching::wormhole;
            machine.combining = rules / 6 % 2 == 0;
            machine.duplex = rules / 12 % 2 == 0 ? Duplex::full : Duplex::half;
            machine.links = rules / 24 % 2 == 0 ? Duplex::full : Duplex::half;
            machine.pairwise = rules / 48 == 1;
            const NodeId nodes = machine.topology->nodes();
            for (const Operation& operation : operations())
                for (const NodeId root : std::set<NodeId>{0, nodes / 2, nodes - 1}) {
                    if (root != 0 && (machine.topology->vertex_symmetric() || !operation.rooted())) continue;
                    Collective collective = Collective::of(operation, root, 8);
                    if (!operation.signals()) collective.packets_each = packets;
                    for_each_measured(machine, collective,
                                      [&](const Measured& measured, const std::string& where, bool is_derived) {
                                          ++compared;
                                          EXPECT_EQ(denied(measured), "") << where << ", M = " << packets;
                                          // How packets delay each other in a tree only a run can show.
                                          if (packets > 1 && !is_derived) return;
                                          EXPECT_EQ(not_known(measured), "") << where << ", M = " << packets;
                                      });
                }
        }
    return compared;
}

TEST(Reachable, CallsNoBoundUnknownThatARunOfTheCatalogueMeets) {
    const int step =
        static_cast<int>(test::Sample(37, 13).one_of());  // no divisor of 96: every rule comes with every graph
    const int compared = expect_nothing_unknown_or_denied(
        {"hypercube:1", "hypercube:2", "hypercube:4", "line:2",    "line:3",     "line:4",
         "ring:2",      "ring:3",      "ring:4",      "ring:5",    "complete:2", "complete:3",
         "complete:5",  "complete:6",  "complete:10", "cbt:1",     "cbt:2",      "mesh:2x2",
         "mesh:2x3",    "mesh:3x3",    "mesh:2x2x2",  "torus:2x2", "torus:2x3",  "torus:3x3",
         "torus:4x4",   "torus:2x2x2", "star:5",      "wheel:6",   "petersen"},
        1, step);
    EXPECT_GT(compared, 100'000 / (step + 1));
}

TEST(Reachable, CallsNoBoundOfSeveralPacketsUnknownOrOutOfReachThatARunMeets) {
    const int step = static_cast<int>(test::Sample(61, 29).one_of());
    int compared = 0;
    for (const std::uint64_t packets : {2U, 3U, 8U})
        compared += expect_nothing_unknown_or_denied(
            {"hypercube:3", "line:4", "ring:5", "complete:5", "cbt:2", "mesh:3x3", "torus:3x3", "star:5"}, packets,
            step);
    EXPECT_GT(compared, 50'000 / (step + 1));
}

}  // namespace
}  // namespace kport
