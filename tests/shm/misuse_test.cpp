/// @file misuse_test.cpp   What threads may do wrong, and the sentence that each of them gets; none waits for ever.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bindings/shm/group.hpp"
#include "emulator/base/error.hpp"
#include "tests/shm/threads.hpp"

namespace kport::test {
namespace {

using shm::Group;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;

TEST(ThreadsThatDoNotCallTheSame, AreToldWhoCallsWhat) {
    Group group(2);
    const auto thrown = together(2, [&](unsigned rank) {
        std::vector<double> data(rank == 0 ? 4 : 5);
        group.allreduce(rank, std::span(data));
    });
    EXPECT_THAT(thrown,
                Each("rank 0 calls allreduce of 4 x 8 bytes by sum on double as its call 1, rank 1 calls allreduce of "
                     "5 x 8 bytes by sum on double as its call 1; want the same calls by all threads"));
    EXPECT_THAT(together(2, [&](unsigned rank) { group.barrier(rank); }), Each(HasSubstr("rank ")));
}

TEST(ThreadsThatDoNotCallTheSame, AreToldOfEveryDifference) {
    const auto told = [](const std::function<void(Group&, unsigned)>& call) {
        Group group(3);
        return together(3, [&](unsigned rank) { call(group, rank); });
    };
    std::vector<std::vector<double>> data(3, std::vector<double>(3, 1));
    EXPECT_THAT(told([&](Group& group, unsigned rank) {
                    if (rank == 2) return group.barrier(rank);
                    group.broadcast(rank, std::span(data[rank]));
                }),
                Contains(AllOf(HasSubstr("broadcast with root 0 of 3 x 8 bytes"), HasSubstr("rank 2 calls barrier"))));
    EXPECT_THAT(told([&](Group& group, unsigned rank) { group.broadcast(rank, std::span(data[rank]), rank); }),
                Each(HasSubstr("calls broadcast with root 0 of 3 x 8 bytes")));
    EXPECT_THAT(told([&](Group& group, unsigned rank) {
                    group.allreduce(rank, std::span(data[rank]), rank == 1 ? Operator::min : Operator::max);
                }),
                Each(HasSubstr("rank 1 calls allreduce of 3 x 8 bytes by min on double")));
}

// Rank 2 comes late, and asks of the others what they gave in a call that they have ended.
TEST(ThreadsThatDoNotCallTheSame, AreToldAlsoWhenTheOthersHaveGoneOn) {
    for (int turn = 0; turn < 20; ++turn) {
        Group group(4);
        const auto thrown = together(4, [&](unsigned rank) {
            const std::vector<std::int64_t> part(100);
            std::vector<std::int64_t> all(400);
            if (rank == 2) std::this_thread::sleep_for(std::chrono::milliseconds(2));
            group.gather(rank, std::span(part), std::span(all), rank == 2 ? 2 : 1);
            group.barrier(rank);
        });
        EXPECT_THAT(thrown, Contains(HasSubstr("rank 2 calls gather with root 2 of 100 x 8 bytes")));
    }
}

TEST(ThreadsThatDoNotCallTheSame, AreToldOfElementsOfAnotherSize) {
    Group group(3);
    const auto thrown = together(3, [&](unsigned rank) {
        std::vector<std::int64_t> words(300);
        std::vector<std::array<char, 3>> triples(800);
        if (rank == 0) return group.broadcast(rank, std::span(triples));
        group.broadcast(rank, std::span(words));
    });
    EXPECT_THAT(thrown, Contains(HasSubstr("rank 0 calls broadcast with root 0 of 800 x 3 bytes")));
}

// A thread that throws frees its buffers: no thread reads them then, and what others have got is right.
TEST(AThread, ThatThrowsHasWaitedForItsReaders) {
    constexpr unsigned threads = 5;
    for (unsigned turn = 0; turn < 30; ++turn) {
        Group group(threads);
        (void)together(threads, [&](unsigned rank) {
            std::vector<std::int64_t> data(20'000, rank == 0 ? 7 : 0);
            group.barrier(rank);
            if (rank == threads - 1 && turn % 2 == 0) return;
            try {
                group.broadcast(rank, std::span(data));
                EXPECT_THAT(data, Each(7));
                std::ranges::fill(data, 8);
                if (rank == threads - 1) group.barrier(rank);
                group.broadcast(rank, std::span(data), 1);
            } catch (const shm::GroupError&) {
                std::ranges::fill(data, -1);
                throw;
            }
        });
    }
}

TEST(AnElement, MayBeLargerThanAPart) {
    struct Large {
        std::array<char, 600'001> bytes;
    };
    for (const unsigned threads : {1U, 2U}) {
        Group group(threads);
        const auto thrown = together(threads, [&](unsigned rank) {
            std::vector<Large> two(2);
            for (Large& one : two) one.bytes.fill(rank == 0 ? 'x' : '-');
            group.broadcast(rank, std::span(two));
            EXPECT_EQ(two[1].bytes.back(), 'x');
        });
        EXPECT_THAT(thrown, Each(""));
    }
}

TEST(AThread, WhoseFirstCallIsRefusedIsTold) {
    Group group(2);
    const auto thrown = together(2, [&](unsigned rank) {
        std::vector<double> data(2);
        group.allreduce(rank, std::span(data), rank == 1 ? Operator::exclusive_or : Operator::sum);
    });
    EXPECT_THAT(thrown[1], HasSubstr("operator 'xor' on double"));
    EXPECT_THAT(thrown[0], HasSubstr("the thread of rank 1 has ended"));
}

TEST(AThread, ThatEndsIsToldToThoseWhoWaitForIt) {
    Group group(3);
    const auto thrown = together(3, [&](unsigned rank) {
        group.barrier(rank);
        if (rank == 1) return;
        std::vector<std::int64_t> data(2);
        group.allreduce(rank, std::span(data));
    });
    EXPECT_EQ(thrown[1], "");
    EXPECT_THAT(thrown[0], HasSubstr("the thread of rank 1 has ended"));
    EXPECT_EQ(thrown[2], thrown[0]);
}

/// The sentence with which a call of rank 0 of a group of 2 is refused.
std::string refusal(const std::function<void(Group&)>& call) {
    Group group(2);
    try {
        call(group);
    } catch (const RequestError& error) {
        return error.what();
    }
    return "";
}

TEST(ACall, ThatCannotBeRightIsRefusedBeforeAnythingMoves) {
    std::vector<double> three(3);
    std::vector<double> one(1);
    const std::span<const double> all(three);
    EXPECT_EQ(refusal([](Group& group) { group.barrier(2); }), "rank 2: the group has 2 threads; want 0 to 1");
    EXPECT_EQ(refusal([&](Group& group) { group.broadcast(0, std::span(three), 2); }),
              "root 2: the group has 2 threads; want 0 to 1");
    EXPECT_EQ(refusal([&](Group& group) { group.scatter(0, all, std::span(one)); }),
              "scatter: the buffer of all parts has 24 bytes; want 16: 2 parts of 8");
    EXPECT_EQ(refusal([&](Group& group) { group.alltoall(0, all, std::span(three)); }),
              "alltoall: buffers of 24 and 24 bytes; want equal ones of 2 equal parts");
    EXPECT_EQ(refusal([&](Group& group) { group.reduce(0, all, std::span(one)); }),
              "reduce: the result has 8 bytes; want 24, as many as the data");
    EXPECT_EQ(refusal([&](Group& group) { group.allreduce(0, std::span(three), Operator::exclusive_or); }),
              "operator 'xor' on double: want one of the table that folds numbers in any order");
    EXPECT_EQ(refusal([&](Group& group) { group.allreduce(0, std::span(three), Operator::concat); }),
              "operator 'concat' on double: want one of the table that folds numbers in any order");
    EXPECT_THAT(refusal([](Group& group) { (void)group.algorithm(Operation::scan, 8); }),
                HasSubstr("operation 'scan': a group does not do it; want barrier, broadcast"));
    EXPECT_EQ(Group(2).algorithm(Operation::scatter, ~std::uint64_t{0}),
              Group(2).algorithm(Operation::scatter, 1U << 31));
    EXPECT_THROW(Group(0), RequestError);
    EXPECT_THROW(Group(65), RequestError);
}

TEST(ARank, BelongsToOneThread) {
    Group group(2);
    const auto thrown = together(2, [&](unsigned rank) { group.barrier(rank); });
    EXPECT_THAT(thrown, Each(""));
    EXPECT_THAT(refusal([&](Group&) { group.barrier(0); }), HasSubstr("it belongs to another thread"));

    Group third(2);
    const auto told = together(1, [&](unsigned) {
        std::thread partner([&] { third.barrier(1); });
        third.barrier(0);
        partner.join();
        third.barrier(1);
    });
    EXPECT_THAT(told.front(), HasSubstr("this thread is rank 0 of the group"));
}

}  // namespace
}  // namespace kport::test
