/// @file group_test.cpp   Collectives among threads against what one thread computes, under delays.
#include "bindings/shm/group.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/shm/threads.hpp"
#include "tests/support/sanitizers.hpp"

namespace kport::test {
namespace {

using shm::Group;
using testing::Each;
using Numbers = std::vector<std::int64_t>;

/// Small sizes, one that no number of threads divides, and one that few threads move in several parts.
std::vector<std::size_t> sizes(unsigned threads) {
    std::vector<std::size_t> all{0, 1, 7, 700};
    if (!under_sanitizer && threads <= 3) all.push_back(100'000);
    return all;
}

/// Element i of what a thread has for another one.
std::int64_t element(unsigned from, unsigned to, std::size_t i) {
    return static_cast<std::int64_t>(from * 1'000'003 + to * 10'007 + i * i);
}

Numbers numbers(unsigned from, unsigned to, std::size_t size) {
    Numbers all(size);
    for (std::size_t i = 0; i < size; ++i) all[i] = element(from, to, i);
    return all;
}

/// The parts of several threads, one behind the other.
Numbers parts(unsigned threads, std::size_t size, const std::function<Numbers(unsigned)>& of) {
    Numbers all;
    for (unsigned v = 0; v < threads; ++v) {
        const Numbers part = of(v);
        all.insert(all.end(), part.begin(), part.end());
    }
    EXPECT_EQ(all.size(), threads * size);
    return all;
}

Numbers folded(unsigned threads, std::size_t size, const std::function<std::int64_t(std::int64_t, std::int64_t)>& op) {
    Numbers all = numbers(0, 0, size);
    for (unsigned v = 1; v < threads; ++v)
        for (std::size_t i = 0; i < size; ++i) all[i] = op(all[i], element(v, 0, i));
    return all;
}

/// A fourth of the calls is late.
class Delays {
  public:
    Delays(unsigned rank, unsigned seed) : random_(rank * 7919 + seed) {}
    void now_and_then() {
        if (random_() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random_() % 200));
    }

  private:
    std::minstd_rand random_;
};

class EveryCollective : public testing::TestWithParam<unsigned> {};

TEST_P(EveryCollective, GivesWhatOneThreadComputesWhoeverIsLate) {
    const unsigned threads = GetParam();
    Group group(threads);
    const auto thrown = together(threads, [&](unsigned rank) {
        Delays delays(rank, 1);
        for (const std::size_t size : sizes(threads))
            for (unsigned root = 0; root < threads; root += std::max(1U, threads - 1)) {
                SCOPED_TRACE(fmt::format("{} elements, root {}, rank {}", size, root, rank));
                const Numbers own = numbers(rank, 0, size);
                const std::span<const std::int64_t> given(own);

                Numbers data = rank == root ? numbers(root, 0, size) : Numbers(size);
                delays.now_and_then();
                group.broadcast(rank, std::span(data), root);
                EXPECT_EQ(data, numbers(root, 0, size));

                const Numbers to_all = parts(threads, size, [&](unsigned v) { return numbers(rank, v, size); });
                Numbers part(size);
                delays.now_and_then();
                group.scatter(rank, std::span(std::as_const(to_all)).subspan(0, rank == root ? to_all.size() : 0),
                              std::span(part), root);
                EXPECT_EQ(part, numbers(root, rank, size));

                Numbers all(rank == root ? threads * size : 0);
                delays.now_and_then();
                group.gather(rank, given, std::span(all), root);
                const Numbers of_all = parts(threads, size, [&](unsigned v) { return numbers(v, 0, size); });
                EXPECT_EQ(all, rank == root ? of_all : Numbers());

                Numbers everything(threads * size);
                delays.now_and_then();
                group.allgather(rank, given, std::span(everything));
                EXPECT_EQ(everything, of_all);

                Numbers from_all(threads * size);
                delays.now_and_then();
                group.alltoall(rank, std::span(std::as_const(to_all)), std::span(from_all));
                EXPECT_EQ(from_all, parts(threads, size, [&](unsigned v) { return numbers(v, rank, size); }));

                const auto sum = [](std::int64_t a, std::int64_t b) { return a + b; };
                Numbers result(rank == root ? size : 0);
                delays.now_and_then();
                group.reduce(rank, given, std::span(result), Operator::sum, root);
                EXPECT_EQ(result, rank == root ? folded(threads, size, sum) : Numbers());

                Numbers in_place = own;
                delays.now_and_then();
                group.allreduce(rank, std::span(in_place));
                EXPECT_EQ(in_place, folded(threads, size, sum));
                in_place = own;
                group.allreduce(rank, std::span(in_place), Operator::max);
                EXPECT_EQ(in_place,
                          folded(threads, size, [](std::int64_t a, std::int64_t b) { return std::max(a, b); }));
                in_place = own;
                group.allreduce(rank, std::span(in_place), Operator::exclusive_or);
                EXPECT_EQ(in_place, folded(threads, size, [](std::int64_t a, std::int64_t b) { return a ^ b; }));

                const Numbers blocks = parts(threads, size, [&](unsigned) { return own; });
                Numbers block(size);
                delays.now_and_then();
                group.reduce_scatter(rank, std::span(std::as_const(blocks)), std::span(block));
                EXPECT_EQ(block, folded(threads, size, sum));
                group.barrier(rank);
            }
    });
    EXPECT_THAT(thrown, Each(""));
}
INSTANTIATE_TEST_SUITE_P(Threads, EveryCollective, testing::Values(1U, 2U, 3U, 4U, 5U, 7U, 8U));

TEST(AnAllreduce, GivesTheSameBitsToAllThreadsAndInEveryRun) {
    for (const unsigned threads : {2U, 3U, 5U, 6U, 8U})
        for (const std::size_t size : {std::size_t{1}, std::size_t{33}, std::size_t{2000}}) {
            std::vector<std::vector<double>> first;
            for (unsigned run = 0; run < 3; ++run) {
                Group group(threads);
                std::vector<std::vector<double>> results(threads);
                const auto thrown = together(threads, [&](unsigned rank) {
                    Delays delays(rank, run);
                    std::mt19937_64 random(rank);
                    std::vector<double> data(size);
                    for (double& x : data)
                        x = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200));
                    delays.now_and_then();
                    group.allreduce(rank, std::span(data));
                    results[rank] = data;
                });
                EXPECT_THAT(thrown, Each(""));
                EXPECT_THAT(results, Each(results.front())) << threads << " threads, " << size;
                if (first.empty()) first = results;
                EXPECT_EQ(results, first) << threads << " threads, " << size;
            }
        }
}

TEST(ABarrier, LetsNoThreadOutBeforeAllAreIn) {
    constexpr unsigned threads = 5;
    Group group(threads);
    std::atomic<unsigned> in{0};
    const auto thrown = together(threads, [&](unsigned rank) {
        Delays delays(rank, 3);
        for (unsigned turn = 1; turn <= 200; ++turn) {
            if (turn % 20 == 0) delays.now_and_then();
            ++in;
            group.barrier(rank);
            EXPECT_GE(in.load(), turn * threads);
            group.barrier(rank);
        }
    });
    EXPECT_THAT(thrown, Each(""));
}

TEST(AGroup, SaysWhichAlgorithmItFollows) {
    EXPECT_EQ(Group(1).algorithm(Operation::allreduce, 8), "one thread moves nothing");
    EXPECT_THAT(Group(4).algorithm(Operation::allreduce, 8), testing::EndsWith("2 rounds"));
    EXPECT_THAT(Group(4).algorithm(Operation::allreduce, 1 << 20), testing::EndsWith("4 pieces"));
}

}  // namespace
}  // namespace kport::test
