/// @file two_limits_algorithms_test.cpp   Algorithms on machines whose nodes send and receive different numbers of messages.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/choice.hpp"
#include "algorithms/run_algorithm.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

struct Asked {
    const Algorithm* row;
    Machine machine;
    Collective collective;

    [[nodiscard]] std::string told() const {
        return fmt::format("{} {} on {} ({}), M = {}", name(row->operation), row->name, machine.topology->spec(),
                           rules_in_words(machine), collective.packets_each);
    }
    [[nodiscard]] Verdict run() const { return run_algorithm(*row, machine, collective, {}, {}, {}).verdict; }
};

/// Every row that runs on one of some small machines.
template <class Visit>
void for_each_asked(const PortLimit& ports, const Visit& visit) {
    for (const char* spec :
         {"complete:6", "complete:9", "hypercube:3", "mesh:3x4", "torus:3x3", "cbt:2", "ring:6", "star:5"})
        for (const bool combining : {true, false})
            for (const Switching switching : {Switching::store_and_forward, Switching::wormhole})
                for (const std::uint64_t packets : {1U, 4U})
                    for (const Algorithm& row : catalogue()) {
                        Asked asked{&row, test::machine(spec, ports), Collective::of(row.operation, 0, 8)};
                        asked.machine.combining = combining;
                        asked.machine.switching = switching;
                        asked.machine.policy = row.competes ? Policy::queue : Policy::strict;
                        if (row.operation.signals() && packets > 1) continue;
                        if (!row.operation.signals()) asked.collective.packets_each = packets;
                        if (misfit_of(row, asked.machine, asked.collective, {})) continue;
                        visit(asked);
                    }
}

/// Under the strict policy a receive that waits would be a violation: none does, whatever the receives allow.
TEST(TwoLimits, AreKeptByEveryAlgorithmAtItsCost) {
    for (const PortLimit ports :
         {PortLimit(2, 1), PortLimit(1, 2), PortLimit(no_port, 1), PortLimit(1, no_port), PortLimit(3, 2)}) {
        std::size_t runs = 0;
        test::Sample sample(11, 3);
        for_each_asked(ports, [&](const Asked& asked) {
            if (sample.leaves_out()) return;
            const Verdict verdict = asked.run();
            EXPECT_TRUE(verdict.delivered && verdict.kept(Rule::ports) && verdict.kept(Rule::strict)) << asked.told();
            EXPECT_TRUE(verdict.lawful() || breaks_a_rule(*asked.row, asked.machine)) << asked.told();
            const ExpectedCost cost = expected_cost(*asked.row, asked.machine, asked.collective, {});
            const Metrics& m = verdict.metrics;
            EXPECT_EQ(cost.rounds.value_or(m.rounds), m.rounds) << asked.told();
            EXPECT_EQ(cost.work.value_or(m.work), m.work) << asked.told();
            EXPECT_EQ(cost.volume.value_or(m.volume / 8) * 8, m.volume) << asked.told();
            ++runs;
        });
        EXPECT_GT(runs, 200U / sample.one_of()) << ports.text();
    }
}

/// What a row says of its receives: with one receive it costs what it costs with as many as sends.
TEST(TwoLimits, OfReceivesCostTreesNothing) {
    std::size_t rows = 0;
    for_each_asked(PortLimit(3, 1), [&](const Asked& asked) {
        const bool outwards = asked.row->way == Way::program;
        if (!outwards || port_use_of(*asked.row, asked.machine, asked.collective) != PortUse::sends) return;
        Asked even = asked;
        even.machine.ports = PortLimit(3);
        EXPECT_EQ(asked.run().metrics.rounds, even.run().metrics.rounds) << asked.told();
        ++rows;
    });
    EXPECT_GT(rows, 100U);
}

/// A reduce runs on the machine with sends and receives exchanged.
TEST(TwoLimits, AreExchangedByReversal) {
    for (const char* algorithm : {"rda", "farthest-first", "layered"})
        for (const char* spec : {"complete:9", "star:5", "mesh:3x4"}) {
            const auto rounds = [&](const Operation& operation, PortLimit ports) -> Round {
                const Machine machine = test::machine(spec, ports);
                const Algorithm* row = find_algorithm(operation, algorithm);
                const Collective collective = Collective::of(operation, 0, 8);
                if (misfit_of(*row, machine, collective, {})) return 0;
                const Verdict verdict = run_algorithm(*row, machine, collective, {}, {}, {}).verdict;
                EXPECT_TRUE(verdict.lawful());
                return static_cast<Round>(verdict.metrics.rounds);
            };
            for (const PortLimit ports : {PortLimit(3, 1), PortLimit(1, 3), PortLimit(2, 1)}) {
                EXPECT_EQ(rounds(Operation::reduce, ports), rounds(Operation::broadcast, ports.reversed()));
                EXPECT_EQ(rounds(Operation::broadcast, ports), rounds(Operation::broadcast, PortLimit(ports.sends())));
            }
        }
}

TEST(TwoLimits, HaveADefaultAlgorithmWhereTheLowerOneHas) {
    for (const char* spec : {"complete:6", "hypercube:3", "mesh:2x3", "star:5", "petersen"})
        for (const Operation& operation : operations()) {
            const Collective collective = Collective::of(operation, 0, operation.signals() ? 0 : 8);
            if (operation == Operation::permutation) continue;
            for (const PortLimit ports : {PortLimit(2, 1), PortLimit(1, 2), PortLimit(3, 2)}) {
                if (applicable(test::machine(spec, PortLimit(ports.k())), collective, {}).empty()) continue;
                const Machine machine = test::machine(spec, ports);
                const Choice choice = choose(machine, collective, {});
                const Verdict verdict =
                    run_algorithm(*choice.algorithm, machine, collective, choice.options({}), {}, {}).verdict;
                EXPECT_TRUE(verdict.lawful()) << name(operation) << " on " << spec << ", ports " << ports.text();
            }
        }
}

}  // namespace
}  // namespace kport
