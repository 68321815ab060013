/// @file own_programs_test.cpp   The examples' programs with contents, on several machines, on every engine and number of threads: they
/// compute what they should, at the published cost.
#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "emulator/base/random.hpp"
#include "tests/engine/own_runs.hpp"

// These need the node first.
#include "examples/barrier.hpp"
#include "examples/bitonic_sort.hpp"
#include "examples/cannon.hpp"
#include "examples/cross_sums.hpp"
#include "examples/gossip.hpp"
#include "examples/leader_election.hpp"
#include "examples/odd_even_sort.hpp"
#include "examples/tickets.hpp"
#include "examples/transpose.hpp"

namespace kport {
namespace {

using test::own_job;
using test::run_everywhere;

std::vector<int> numbers(NodeId count) {
    Dice dice(count);
    std::vector<int> all(count);
    for (int& number : all) number = static_cast<int>(dice.below(1000));
    return all;
}

/// The machines on which an exchange between neighbours takes one round.
std::vector<Machine> exchanging(const std::string& spec) {
    Machine pairwise = test::machine(spec);
    pairwise.pairwise = true;
    std::vector<Machine> machines{test::machine(spec),
                                  test::machine(spec, PortLimit(2)),
                                  test::machine(spec, PortLimit::all()),
                                  test::without_combining(test::machine(spec)),
                                  test::strict(test::machine(spec)),
                                  test::wormhole(test::machine(spec)),
                                  pairwise};
    const Machine half = test::half_duplex(test::machine(spec, PortLimit(2)));
    if (half.ports_of(0) == 2) machines.push_back(half);
    return machines;
}

/// Sorts on the machine and returns the rounds.
template <class Sort>
std::uint64_t rounds_to_sort(const Machine& machine, const Sort& sort) {
    const std::vector<int> given = numbers(machine.topology->nodes());
    std::vector<int> wanted = given;
    std::ranges::sort(wanted);
    std::vector<int> sorted(given.size());
    const Job job = own_job(machine, [&](Node& self) { return sort(self, given, sorted); });
    const Verdict verdict = run_everywhere(job, [&] {
        EXPECT_EQ(sorted, wanted);
        std::ranges::fill(sorted, 0);
    });
    EXPECT_TRUE(verdict.lawful());
    return verdict.metrics.rounds;
}

TEST(OddEvenSort, SortsNNumbersInNRounds) {
    for (const NodeId nodes : {3U, 4U, 7U, 12U})
        for (const Machine& machine : exchanging(fmt::format("line:{}", nodes)))
            EXPECT_EQ(rounds_to_sort(machine, example::odd_even_sort), nodes) << machine.describe();
}

TEST(BitonicSort, SortsInHalfOfDTimesDPlusOneRounds) {
    for (const std::uint64_t d : {1U, 2U, 3U, 5U})
        for (const Machine& machine : exchanging(fmt::format("hypercube:{}", d)))
            EXPECT_EQ(rounds_to_sort(machine, example::bitonic_sort), d * (d + 1) / 2) << machine.describe();
}

TEST(Cannon, MultipliesMatricesInOneRoundAStepOnTwoPortsAndTwoOnOne) {
    using example::Block;
    using example::n;
    for (const std::uint64_t p : {3U, 4U})
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()}) {
            const Machine machine = test::machine(fmt::format("torus:{0}x{0}", p), ports);
            const auto a_at = [](std::uint64_t row, std::uint64_t column) {
                return static_cast<long>(row * 3 + column);
            };
            const auto b_at = [](std::uint64_t row, std::uint64_t column) { return static_cast<long>(row ^ column); };
            const auto block = [](const auto& at, std::uint64_t i, std::uint64_t j) {
                Block result{};
                for (std::size_t e = 0; e < n * n; ++e) result[e] = at(i * n + e / n, j * n + e % n);
                return result;
            };
            std::vector<Block> product(p * p);
            std::vector<Block> c(p * p);
            for (std::uint64_t i = 0; i < p * n; ++i)
                for (std::uint64_t j = 0; j < p * n; ++j)
                    for (std::uint64_t e = 0; e < p * n; ++e)
                        product[i / n * p + j / n][i % n * n + j % n] += a_at(i, e) * b_at(e, j);
            const Job job = own_job(machine, [&](Node& self) {
                const std::uint64_t i = self.id() / p;
                const std::uint64_t j = self.id() % p;
                return example::cannon(self, block(a_at, i, (i + j) % p), block(b_at, (i + j) % p, j), c[self.id()], p);
            });
            const Verdict verdict = run_everywhere(job, [&] {
                EXPECT_EQ(c, product);
                std::ranges::fill(c, Block{});
            });
            EXPECT_TRUE(verdict.lawful());
            const std::uint64_t rounds = (ports == PortLimit(1) ? 2 : 1) * (p - 1);
            EXPECT_EQ(verdict.metrics.rounds, rounds);
            EXPECT_EQ(verdict.metrics.volume, rounds * sizeof(Block));
            EXPECT_EQ(verdict.metrics.bytes, 2 * (p - 1) * p * p * sizeof(Block));
        }
}

TEST(LeaderElection, FindsTheLargestNameWithTheMessagesOfTheOrder) {
    constexpr std::uint64_t nodes = 9;
    std::vector<std::uint64_t> names;
    for (std::uint64_t v = 1; v <= nodes; ++v) names.push_back(v);
    for (const bool upwards : {true, false}) {
        for (const Machine& machine : exchanging(fmt::format("ring:{}", nodes))) {
            if (machine.pairwise) continue;  // a ring of an odd number of nodes has no pairs
            std::vector<std::uint64_t> leaders(nodes);
            const Job job = own_job(
                machine, [&](Node& self) { return example::elect(self, names[self.id()], leaders[self.id()]); });
            const Verdict verdict = run_everywhere(job, [&] {
                EXPECT_EQ(leaders, std::vector(nodes, nodes));
                std::ranges::fill(leaders, 0);
            });
            EXPECT_TRUE(verdict.lawful());
            EXPECT_EQ(verdict.metrics.rounds, 2 * nodes);
            EXPECT_EQ(verdict.metrics.transfers, upwards ? 3 * nodes - 1 : nodes * (nodes + 1) / 2 + nodes);
        }
        std::ranges::reverse(names);
    }
}

TEST(Gossip, DrawsTheSamePartnersEverywhereAndOthersFromAnotherSeed) {
    constexpr NodeId nodes = 64;
    constexpr Round last = 24;
    std::vector<std::uint64_t> messages;
    for (const std::uint64_t seed : {1U, 2U}) {
        std::vector<Round> heard(nodes, ~Round{0});
        Job job = own_job(test::machine("complete:64", PortLimit::all()),
                          [&](Node& self) { return example::gossip(self, last, heard); });
        job.all_start = false;
        job.seed = seed;
        const Verdict verdict = run_everywhere(
            job,
            [&] {
                EXPECT_LT(*std::ranges::max_element(heard), last);
                std::ranges::fill(heard, ~Round{0});
            },
            NeedsRounds::order);
        EXPECT_TRUE(verdict.lawful());
        EXPECT_EQ(verdict.metrics.rounds, last);
        messages.push_back(verdict.metrics.transfers);
    }
    EXPECT_NE(messages[0], messages[1]);
}

TEST(Barrier, TakesLogarithmicallyManyRoundsForAnyN) {
    for (const NodeId nodes : {2U, 3U, 4U, 5U, 13U, 32U, 33U})
        for (const PortLimit ports : {PortLimit(1), PortLimit(3), PortLimit::all()}) {
            const Machine machine = test::machine(fmt::format("complete:{}", nodes), ports);
            const Verdict verdict = run_everywhere(own_job(machine, example::barrier), [] {});
            EXPECT_TRUE(verdict.lawful());
            EXPECT_EQ(verdict.metrics.rounds, static_cast<std::uint64_t>(std::bit_width(nodes - 1)));
            EXPECT_EQ(verdict.metrics.transfers, nodes * static_cast<std::uint64_t>(std::bit_width(nodes - 1)));
        }
}

TEST(Transposition, TakesTheDistanceOfTheCornersOnTwoPorts) {
    for (const std::uint32_t p : {2U, 3U, 6U})
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()}) {
            const Machine machine = test::machine(fmt::format("mesh:{0}x{0}", p), ports);
            std::vector<int> transposed(p * p);
            const Job job = own_job(machine, [&](Node& self) {
                return example::transpose(self, p, static_cast<int>(self.id()), transposed[self.id()]);
            });
            const Verdict verdict = run_everywhere(
                job,
                [&] {
                    for (std::uint32_t v = 0; v < p * p; ++v)
                        EXPECT_EQ(std::exchange(transposed[v], 0), v % p * p + v / p);
                },
                p == 2 ? NeedsRounds::no : NeedsRounds::order);  // there each has one sender
            EXPECT_TRUE(verdict.lawful());
            EXPECT_EQ(verdict.metrics.work, 2 * (p * p * p - p) / 3) << "the distances of all elements";
            EXPECT_GE(verdict.metrics.rounds, 2 * (p - 1));
            if (ports != PortLimit(1)) {
                EXPECT_EQ(verdict.metrics.rounds, 2 * (p - 1));
            }
        }
}

TEST(CrossSums, TakeAStepARoundOnTwoPortsAndHalfOneOnOne) {
    for (const std::uint64_t p : {3U, 4U})
        for (const Port ports : {1U, 2U, 4U}) {
            const Machine machine = test::machine(fmt::format("torus:{0}x{0}", p), PortLimit(ports));
            std::vector<long> rows(p * p);
            std::vector<long> columns(p * p);
            const Job job = own_job(machine, [&](Node& self) {
                const NodeId v = self.id();
                return example::cross_sums(self, p, static_cast<long>(v * v), rows[v], columns[v]);
            });
            const Verdict verdict = run_everywhere(
                job,
                [&] {
                    for (NodeId v = 0; v < p * p; ++v) {
                        NodeId row = 0;
                        NodeId column = 0;
                        for (NodeId i = 0; i < p; ++i) {
                            row += (v / p * p + i) * (v / p * p + i);
                            column += (i * p + v % p) * (i * p + v % p);
                        }
                        EXPECT_EQ(std::exchange(rows[v], 0), static_cast<long>(row));
                        EXPECT_EQ(std::exchange(columns[v], 0), static_cast<long>(column));
                    }
                },
                NeedsRounds::order);
            EXPECT_TRUE(verdict.lawful());
            EXPECT_EQ(verdict.metrics.rounds, (ports == 1 ? 2 : 1) * (p - 1));
        }
}

TEST(Tickets, AreServedOneARoundAndPort) {
    for (const NodeId nodes : {2U, 5U, 9U})
        for (const Port ports : {1U, 2U, 8U}) {
            std::vector<int> tickets(nodes);
            const Job job =
                own_job(test::machine(fmt::format("complete:{}", nodes), PortLimit(ports)), [&](Node& self) {
                    return self.id() == 0 ? example::serve_tickets(self) : example::fetch_ticket(self, tickets);
                });
            const Verdict verdict = run_everywhere(
                job,
                [&] {
                    tickets[0] = -1;
                    std::ranges::sort(tickets);
                    for (NodeId v = 0; v < nodes; ++v) EXPECT_EQ(std::exchange(tickets[v], 0), static_cast<int>(v) - 1);
                },
                nodes == 2 ? NeedsRounds::no : NeedsRounds::order);
            EXPECT_TRUE(verdict.lawful());
            EXPECT_EQ(verdict.metrics.rounds, (nodes - 1 + ports - 1) / ports + 1);
        }
}

}  // namespace
}  // namespace kport
