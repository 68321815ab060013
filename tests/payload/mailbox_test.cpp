/// @file mailbox_test.cpp   The mailbox alone: against a deque, and with its two tasks on two threads.
#include <cstdint>
#include <deque>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/payload/mailbox.hpp"

namespace kport {
namespace {

using Box = Mailbox<std::uint64_t>;
using Numbers = std::vector<std::uint64_t>;

Numbers collected(Box& box) {
    Numbers numbers;
    box.collect(
        [&](std::span<const std::uint64_t> batch) { numbers.insert(numbers.end(), batch.begin(), batch.end()); });
    return numbers;
}
Numbers posted(const Box& box) {
    Numbers numbers;
    box.posted(
        [&](std::span<const std::uint64_t> batch) { numbers.insert(numbers.end(), batch.begin(), batch.end()); });
    return numbers;
}
/// Posts first, first + 1, ..., count of them.
void post(Box& box, std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) box.post(first + i);
}
Numbers numbers_from(std::uint64_t first, std::uint64_t count) {
    Numbers numbers(count);
    for (std::uint64_t i = 0; i < count; ++i) numbers[i] = first + i;
    return numbers;
}

TEST(Mailbox, IsEmptyAtFirst) {
    Box box;
    EXPECT_TRUE(box.untouched());
    EXPECT_TRUE(collected(box).empty());
    EXPECT_TRUE(posted(box).empty());
    box.publish();
    EXPECT_TRUE(collected(box).empty());
    box.restart();
    EXPECT_TRUE(box.untouched());
}

TEST(Mailbox, HandsOverWhatWasPublishedAndNothingTwice) {
    Box box;
    post(box, 10, 3);
    EXPECT_FALSE(box.untouched());
    EXPECT_TRUE(collected(box).empty()) << "not published yet";
    box.publish();
    EXPECT_EQ(collected(box), numbers_from(10, 3));
    EXPECT_TRUE(collected(box).empty());
    post(box, 13, 2);
    box.publish();
    EXPECT_EQ(collected(box), numbers_from(13, 2));
    EXPECT_EQ(posted(box), numbers_from(10, 5));
}

TEST(Mailbox, PublishesFullBatchesByItself) {
    Box box;
    post(box, 0, 100'000);
    const Numbers early = collected(box);
    EXPECT_GT(early.size(), 10'000U);
    EXPECT_LT(early.size(), 100'000U);
    EXPECT_EQ(early, numbers_from(0, early.size()));
    box.publish();
    EXPECT_EQ(collected(box), numbers_from(early.size(), 100'000 - early.size()));
    EXPECT_EQ(posted(box), numbers_from(0, 100'000));
}

TEST(Mailbox, IsEmptyAfterRestart) {
    Box box;
    for (std::uint64_t round = 0; round < 20; ++round) {
        const std::uint64_t count = 1 + 700 * (round % 7);
        post(box, round, count);
        box.publish();
        EXPECT_EQ(collected(box), numbers_from(round, count));
        EXPECT_EQ(posted(box), numbers_from(round, count));
        box.restart();
        EXPECT_TRUE(box.untouched());
        EXPECT_TRUE(posted(box).empty());
    }
}

RC_GTEST_PROP(Mailbox, IsAQueue, ()) {
    Box box;
    std::deque<std::uint64_t> published;
    Numbers since_restart;
    std::size_t unpublished_from = 0;  // in since_restart
    std::uint64_t next = 0;
    int publishes = 0;
    for (int left = *rc::gen::inRange(0, 60); left > 0; --left) {
        switch (*rc::gen::inRange(0, 5)) {
            case 0:
            case 1: {
                const auto count = *rc::gen::element<std::uint64_t>(1, 2, 63, 64, 65, 200, 1000);
                post(box, next, count);
                const Numbers more = numbers_from(next, count);
                since_restart.insert(since_restart.end(), more.begin(), more.end());
                next += count;
                break;
            }
            case 2:
                if (++publishes > 40) break;
                box.publish();
                published.insert(published.end(), since_restart.begin() + static_cast<std::ptrdiff_t>(unpublished_from),
                                 since_restart.end());
                unpublished_from = since_restart.size();
                break;
            case 3: {
                // Full batches come by themselves: what is collected is a beginning of what was posted, and all of what
                // was published.
                Numbers numbers = collected(box);
                RC_ASSERT(numbers.size() >= published.size());
                for (const std::uint64_t number : numbers) {
                    if (published.empty()) published.push_back(since_restart[unpublished_from++]);
                    RC_ASSERT(number == published.front());
                    published.pop_front();
                }
                break;
            }
            default:
                if (!collected(box).empty() || unpublished_from != since_restart.size()) {
                    box.publish();
                    (void)collected(box);
                }
                RC_ASSERT(posted(box) == since_restart);
                box.restart();
                published.clear();
                since_restart.clear();
                unpublished_from = 0;
                publishes = 0;
        }
    }
    RC_ASSERT(posted(box) == since_restart);
}

TEST(Mailbox, TakesAnyNumberOfRoundsThatAreNotCollected) {
    Box box;
    for (std::uint64_t round = 0; round < 1000; ++round) {
        post(box, round, 2);
        box.publish();
        box.drop();
        box.restart();
    }
    EXPECT_EQ(collected(box), Numbers());
    post(box, 7, 3);
    box.publish();
    EXPECT_EQ(collected(box), numbers_from(7, 3));
}

TEST(Mailbox, KeepsTheOrderUnderLoad) {
    // Meant for ThreadSanitizer: a round a loop, in which the producer fills and publishes while the consumer collects.
    struct Message {
        std::uint64_t number;
        std::uint64_t check;
    };
    constexpr std::uint64_t rounds = 40;
    constexpr std::uint64_t messages = 5000;
    Mailbox<Message> box;
    box.post({0, 0});  // from its first message on a mailbox may be used from both sides
    box.publish();
    box.collect([](std::span<const Message>) {});
    box.restart();
    for (std::uint64_t round = 0; round < rounds; ++round) {
        std::thread producer([&] {
            for (std::uint64_t i = 0; i < messages; ++i) {
                box.post({round * messages + i, ~(round * messages + i)});
                if (i % (100 + round * 20) == 99) box.publish();
            }
            box.publish();
        });
        std::uint64_t expected = round * messages;
        bool intact = true;
        while (expected < (round + 1) * messages) {
            const std::uint64_t before = expected;
            box.collect([&](std::span<const Message> batch) {
                for (const Message& message : batch) {
                    intact = intact && message.number == expected && message.check == ~expected;
                    ++expected;
                }
            });
            if (expected == before) std::this_thread::yield();
        }
        producer.join();
        ASSERT_TRUE(intact);
        ASSERT_EQ(expected, (round + 1) * messages);
        box.restart();
    }
}

}  // namespace
}  // namespace kport
