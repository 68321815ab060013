/// @file forked_ranks_test.cpp   Ranks that are forked processes exchange letters, and notice one that ends.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "emulator/ranks/forked_ranks.hpp"

namespace kport {
namespace {

/// Calls `act` at each rank. Those that this process is not end with it, and so does every failure in them.
template <class Act>
void at_each_process(unsigned size, const Act& act) {
    const std::unique_ptr<Ranks> ranks = fork_ranks(size);
    bool good = false;
    try {
        good = act(*ranks);
    } catch (...) {
        if (ranks->rank() == 0) throw;
    }
    if (ranks->rank() != 0) std::_Exit(good ? EXIT_SUCCESS : EXIT_FAILURE);
    EXPECT_TRUE(good);
    for (unsigned other = 1; other < size; ++other) {
        int status = 0;
        ASSERT_GT(wait(&status), 0);
        EXPECT_EQ(status, 0);
    }
}

Letter letter_of(unsigned from, unsigned to, std::size_t bytes) {
    Letter letter(bytes);
    for (std::size_t i = 0; i < bytes; ++i) letter[i] = static_cast<std::byte>(from * 31 + to * 7 + i % 251);
    return letter;
}

TEST(ForkedRanks, ExchangeLettersOfEverySizeAndKeepTheirOwn) {
    for (const unsigned size : {1U, 2U, 5U, forked_ranks_max})
        at_each_process(size, [&](Ranks& ranks) {
            bool good = ranks.size() == size;
            for (const std::size_t bytes :
                 {std::size_t{0}, std::size_t{1}, std::size_t{8184}, std::size_t{8185}, std::size_t{100'000}}) {
                std::vector<Letter> letters;
                for (unsigned to = 0; to < size; ++to)
                    letters.push_back(letter_of(ranks.rank(), to, to % 2 == 0 ? bytes : bytes / 3));
                ranks.exchange(letters);
                for (unsigned from = 0; from < size; ++from)
                    good &= letters[from] == letter_of(from, ranks.rank(), ranks.rank() % 2 == 0 ? bytes : bytes / 3);
            }
            return good;
        });
}

TEST(ForkedRanks, OfWhichOneEndsLetRankZeroGoOn) {
    const auto ends_early = [](Ranks& ranks) {
        if (ranks.rank() == 2) std::_Exit(EXIT_SUCCESS);
        std::vector<Letter> letters(ranks.size());
        ranks.exchange(letters);
        return true;
    };
    const pid_t apart = fork();  // with which the ranks that wait for ever end
    ASSERT_GE(apart, 0);
    if (apart == 0) {
        int status = EXIT_FAILURE;
        try {
            at_each_process(4, ends_early);
        } catch (const std::runtime_error&) {
            status = EXIT_SUCCESS;
        }
        std::_Exit(status);
    }
    int status = 0;
    ASSERT_EQ(waitpid(apart, &status, 0), apart);
    EXPECT_EQ(status, 0);
}

TEST(ForkedRanks, AreAtLeastOneAndAtMostSoMany) {
    EXPECT_THROW((void)fork_ranks(0), std::invalid_argument);
    EXPECT_THROW((void)fork_ranks(forked_ranks_max + 1), std::invalid_argument);
}

}  // namespace
}  // namespace kport
