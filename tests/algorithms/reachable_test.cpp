/// @file reachable_test.cpp   What the bounds say of their reach, held against runs of every algorithm.
#include <string>

#include <gtest/gtest.h>

#include "algorithms/bounds/bounds.hpp"
#include "algorithms/run_algorithm.hpp"
#include "emulator/report/report.hpp"

namespace kport {
namespace {

struct Measured {
    const char* quantity;
    double value;
    const Bound& bound;
};

/// What the bounds deny and the run shows; empty: nothing.
std::string denied(const Measured& measured) {
    const Bound& bound = measured.bound;
    if (!bound.value()) return "";
    if (meets(measured.value, *bound.value()) && bound.reachable == Reachable::no)
        return std::string(measured.quantity) +
               " meets a bound that is said to be out of reach: " + bound.reachable_why;
    if (bound.least && measured.value < *bound.least && !meets(measured.value, *bound.least))
        return std::string(measured.quantity) + " is less than what is said to be possible: " + bound.reachable_why;
    return "";
}

void expect_nothing_denied(const Machine& machine, const Request& request) {
    const Bounds bounds = lower_bounds(machine, request);
    for (const Algorithm* row : applicable(machine, request, {})) {
        const Verdict verdict = run_algorithm(*row, machine, request, {}, {false, 1}, {}).verdict;
        if (!verdict.lawful() || !verdict.delivered) continue;
        const Metrics& m = verdict.metrics;
        for (const Measured& measured : {Measured{"rounds", static_cast<double>(m.rounds), bounds.rounds},
                                         Measured{"work", static_cast<double>(m.work), bounds.work},
                                         Measured{"path sum", static_cast<double>(m.path_sum), bounds.path_sum},
                                         Measured{"volume", static_cast<double>(m.volume), bounds.volume},
                                         Measured{"latency", m.latency, bounds.latency}})
            EXPECT_EQ(denied(measured), "")
                << name(request.operation) << " " << row->name << " on " << machine.topology->spec() << " ("
                << machine.describe() << "), " << request.packet_bytes << " bytes";
        if (request.packet_bytes == 0) {
            EXPECT_EQ(bounds.volume.reachable, Reachable::yes);
        }
        const Costs& costs = machine.costs;
        if (costs.startup + costs.hop + costs.byte == 0) {
            EXPECT_EQ(bounds.latency.reachable, Reachable::yes);
        }
    }
}

TEST(Reachable, DeniesNothingThatARunShowsAtAnyPriceAndSize) {
    for (const char* spec :
         {"line:1", "line:5", "ring:5", "mesh:3x3", "torus:3x4", "hypercube:3", "complete:6", "cbt:2"})
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()})
            for (const Switching switching : {Switching::store_and_forward, Switching::wormhole})
                for (const bool combining : {false, true})
                    for (const Costs& costs : {Costs{1, 0, 0.001}, Costs{0, 0, 0}, Costs{0, 0, 1}, Costs{0, 1, 0}})
                        for (const OperationInfo& operation : operations())
                            for (const std::uint64_t bytes : {0U, 8U}) {
                                Machine machine;
                                machine.topology = make_topology(spec);
                                machine.ports = ports;
                                machine.switching = switching;
                                machine.combining = combining;
                                machine.costs = costs;
                                const NodeId middle = machine.topology->nodes() / 2;
                                expect_nothing_denied(machine, {operation.operation, middle, bytes});
                            }
}

}  // namespace
}  // namespace kport
