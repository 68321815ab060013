/// @file own_operators_test.cpp   Reductions by operators of a user's own, on every engine: results, costs, and what is found wrong.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "emulator/engine/mover.hpp"
#include "emulator/engine/script.hpp"
#include "tests/engine/reducing.hpp"

// These need the node first.
#include "examples/argmax.hpp"
#include "examples/matrix_product.hpp"

namespace kport {
namespace {

using example::Best;
using example::Matrix;
using test::leftwards;
using test::reducing;
using test::rightwards;
using testing::Contains;
using testing::HasSubstr;

/// In every way, and follows its schedule as programs, and moves its bytes.
RunResult moved_in_every_way(const Job& job) {
    Schedule moved;
    RunResult first = test::run_in_every_way(job, moved);
    const Machine& machine = job.machine;
    Job again = job_following(moved, machine, job.collective);
    again.reduction = job.reduction;
    EXPECT_EQ(run(again, test::options_for(2)).results, first.results);
    Mover mover(moved, machine, job.collective, job.reduction, job.seed, 8);
    mover.spoil();
    mover.move(2);
    EXPECT_FALSE(mover.verify());
    return first;
}

TEST(AnArgmax, FindsTheLargestAndItsNodeInLogNRoundsOnAnyPorts) {
    for (const Port d : {1U, 3U, 5U})
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()})
            for (const std::uint64_t packet : {sizeof(Best), 3 * sizeof(Best)}) {
                const NodeId nodes = NodeId{1} << d;
                std::vector<Best> best(nodes);
                const Job job = reducing(test::machine(fmt::format("hypercube:{}", d), ports),
                                         Collective::allreduce(packet), example::argmax(),
                                         [&](Node& self) { return example::best_of_all(self, best[self.id()]); });
                const RunResult result = moved_in_every_way(job);
                EXPECT_TRUE(result.verdict.lawful());
                EXPECT_EQ(result.verdict.metrics.rounds, d);
                EXPECT_EQ(result.verdict.metrics.volume, d * packet);
                EXPECT_EQ(result.verdict.compared_packets, nodes);
                std::uint64_t node = 0;
                for (NodeId v = 1; v < nodes; ++v)
                    if (v * 37 % 101 > node * 37 % 101) node = v;
                for (const Best& found : best) EXPECT_EQ(found.node, node);
                EXPECT_EQ(result.results.front(), fmt::format("{} at {}", node * 37 % 101, node));
            }
}

TEST(AProductOfMatrices, KeepsTheOrderOfTheNodesInTheSumOfTheSidesLessOneRounds) {
    for (const NodeId p : {1U, 2U, 3U, 6U})
        for (const NodeId rows : {1U, 4U})
            for (const PortLimit ports : {PortLimit(1), PortLimit::all()}) {
                if (p * rows == 1) continue;
                Matrix right = {1, 0, 0, 1};
                const auto times = [](const Matrix& l, const Matrix& r) {
                    return Matrix{l.a * r.a + l.b * r.c, l.a * r.b + l.b * r.d, l.c * r.a + l.d * r.c,
                                  l.c * r.b + l.d * r.d};
                };
                for (NodeId v = 0; v < p * rows; ++v) right = times(right, Matrix{1, v % 3, v % 2, 1});
                const Job job = reducing(test::machine(fmt::format("mesh:{}x{}", rows, p), ports),
                                         Collective::reduce(0, sizeof(Matrix)), example::product(),
                                         [p](Node& self) { return example::product_of_all(self, p); });
                const RunResult result = moved_in_every_way(job);
                EXPECT_TRUE(result.verdict.lawful());
                EXPECT_EQ(result.verdict.metrics.rounds, p - 1 + rows - 1);
                ASSERT_EQ(result.results.size(), 1U);
                EXPECT_EQ(result.results.front(), fmt::format("[{} {}; {} {}]", right.a, right.b, right.c, right.d));
            }
}

/// Along a line to node 0; `in_order` false: what comes from the right is folded on the left.
Program along_the_line(Node& self, bool in_order) {
    Value total = self.contribution();
    if (self.id() + 1 < self.nodes()) {
        const Arrival arrival = co_await self.receive(rightwards);
        total = in_order ? self.fold(total, arrival.value()) : self.fold(arrival.value(), total);
    }
    if (self.id() != 0)
        co_await self.send(leftwards, total);
    else
        self.result(total);
}

TEST(AnOperatorOfOnesOwn, ThatMindsTheOrderIsFoldedInOrder) {
    for (const EngineKind engine : test::both_engines)
        for (const bool in_order : {true, false}) {
            const Job job = reducing(test::machine("line:4"), Collective::reduce(0, sizeof(Matrix)), example::product(),
                                     [in_order](Node& self) { return along_the_line(self, in_order); });
            const std::vector<std::string> wrong = test::found(job, engine);
            if (in_order)
                EXPECT_TRUE(wrong.empty());
            else
                EXPECT_THAT(wrong, Contains(HasSubstr("node 2 folds contribution 3 before 2")));
        }
}

/// Of 8 bytes, which move without a body.
struct Affine {
    std::uint32_t factor, term;
};

TEST(AnOperatorOfOnesOwn, ThatMindsTheOrderIsFoldedInOrderOnSmallTypesToo) {
    const Reduction composition = Reduction::own<Affine>(
        {.name = "then",
         .fold =
             [](const Affine& f, const Affine& g) {
                 return Affine{f.factor * g.factor, f.term * g.factor + g.term};
             },
         .contribution =
             [](NodeId v, std::uint64_t) {
                 return Affine{static_cast<std::uint32_t>(v + 2), static_cast<std::uint32_t>(v * v)};
             }});
    for (const EngineKind engine : test::both_engines)
        for (const bool in_order : {true, false}) {
            const Job job = reducing(test::machine("line:4"), Collective::reduce(0, sizeof(Affine)), composition,
                                     [in_order](Node& self) { return along_the_line(self, in_order); });
            const std::vector<std::string> wrong = test::found(job, engine);
            if (in_order)
                EXPECT_TRUE(wrong.empty());
            else
                EXPECT_THAT(wrong, Contains(HasSubstr("node 2 folds contribution 3 before 2")));
        }
}

TEST(AnOperatorOfOnesOwn, ThatIsNotWhatItIsSaidToBeIsRefusedBeforeTheRun) {
    const Job job = reducing(test::machine("line:4"), Collective::reduce(0, sizeof(Matrix)), example::product(true),
                             [](Node& self) { return along_the_line(self, true); });
    for (const EngineKind engine : test::both_engines) EXPECT_THROW((void)run(job, test::on(engine)), RequestError);
}

/// Averages of doubles are rounded, and no bracket is the right one: the user says which results count as the same.
TEST(AnOperatorOfOnesOwn, SaysWhichResultsCountAsTheSame) {
    const auto sum_of_thirds = [](bool tolerant) {
        OwnOperator<double> said{
            .name = "thirds",
            .fold = [](double a, double b) { return a + b; },
            .commutative = true,
            .contribution = [](NodeId v, std::uint64_t) { return 1.0 / static_cast<double>(3 + v); }};
        said.same = [=](double a, double b) { return tolerant ? std::abs(a - b) < 1e-9 : a == b; };
        return Reduction::own(said);
    };
    const auto exchange = [](Node& self) -> Program {
        Value total = self.contribution();
        for (Port d = 0; d < self.degree(); ++d) {
            co_await self.send(d, total);
            const Arrival arrival = co_await self.receive(d);
            total = self.fold(total, arrival.value());
        }
        self.result(total);
    };
    const Machine machine = test::machine("hypercube:5");
    const Job job = reducing(machine, Collective::allreduce(8), sum_of_thirds(true), exchange);
    for (const EngineKind engine : test::both_engines) EXPECT_TRUE(run(job, test::on(engine)).verdict.lawful());
    Job strict = job;
    strict.reduction = sum_of_thirds(false);
    EXPECT_FALSE(run(strict, {}).verdict.lawful());
}

TEST(AnOperatorOfOnesOwn, ThatThrowsEndsTheRunWithNodeAndRound) {
    const Reduction reduction =
        Reduction::own<std::int64_t>({.name = "mine",
                                      .fold =
                                          [](std::int64_t a, std::int64_t b) {
                                              if (a + b > 1000) throw std::runtime_error("it overflows");
                                              return a + b;
                                          },
                                      .commutative = true,
                                      .contribution = [](NodeId, std::uint64_t) { return std::int64_t{400}; },
                                      .draw = [](Dice& dice) { return static_cast<std::int64_t>(dice.below(10)); }});
    const Job job = reducing(test::machine("line:4"), Collective::reduce(0, 8), reduction,
                             [](Node& self) { return along_the_line(self, true); });
    for (const EngineKind engine : test::both_engines)
        EXPECT_THAT(test::complaint(job, engine), HasSubstr("node 1 in round 3: it overflows"));
}

TEST(AValue, IsReadAsItsType) {
    std::vector<std::int64_t> seen;
    std::string refused;
    Reduction given{.op = Operator::sum, .type = ElementType::int64, .values = {"3", "4", "5"}};
    const Job job = reducing(test::machine("line:3"), Collective::reduce(0, 8), given, [&](Node& self) -> Program {
        Value total = self.contribution();
        if (self.id() != 2) {
            const Arrival arrival = co_await self.receive(rightwards);
            total = self.fold(total, arrival.value());
        }
        if (self.id() != 0) co_await self.send(leftwards, total);
        if (self.id() != 0) co_return;
        self.result(total);
        seen.push_back(total.as<std::int64_t>());
        try {
            (void)total.as<Matrix>();
        } catch (const std::invalid_argument& error) {
            refused = error.what();
        }
    });
    EXPECT_TRUE(run(job, {}).verdict.lawful());
    EXPECT_THAT(seen, testing::ElementsAre(12));
    EXPECT_EQ(refused, "element 0 of 32 bytes each is read of a value of 8 bytes");
}

}  // namespace
}  // namespace kport
