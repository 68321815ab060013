/// @file inbox_test.cpp   The inbox alone: its states one by one, against a deque, and several senders that wake one receiver.
///                        tests/model has every interleaving of a few.
#include <atomic>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/payload/inbox.hpp"

namespace kport {
namespace {

struct Letter {
    Letter* next = nullptr;
    std::size_t sender = 0;
    int number = 0;
};
using LetterBox = Inbox<Letter>;

std::vector<int> numbers(const Letter* letter) {
    std::vector<int> all;
    for (; letter != nullptr; letter = letter->next) all.push_back(letter->number);
    return all;
}

TEST(Inbox, SleepsAsZerosAndIsWokenByTheFirstLetterAlone) {
    LetterBox box{};
    std::vector<Letter> letters(3);
    for (std::size_t i = 0; i < 3; ++i) letters[i].number = static_cast<int>(i);
    EXPECT_TRUE(box.push(&letters[0]));
    EXPECT_FALSE(box.push(&letters[1]));
    EXPECT_FALSE(box.wake()) << "it is awake";
    EXPECT_EQ(numbers(box.take()), (std::vector{1, 0})) << "the latest first";
    EXPECT_EQ(box.take(), nullptr);
    EXPECT_FALSE(box.push(&letters[2])) << "awake without letters";
    EXPECT_FALSE(box.sleep()) << "a letter has come";
    EXPECT_EQ(numbers(box.take()), std::vector{2});
    EXPECT_TRUE(box.sleep());
    EXPECT_TRUE(box.wake());
    EXPECT_TRUE(box.sleep());
    letters[0].next = nullptr;
    EXPECT_TRUE(box.push(&letters[0]));
    box.restart();
    EXPECT_TRUE(box.wake()) << "asleep again";
}

RC_GTEST_PROP(Inbox, IsAListAndASleepMark, ()) {
    LetterBox box{};
    std::vector<Letter> letters(60);
    std::deque<int> waiting;  // the latest first
    bool asleep = true;
    for (int i = 0; i < 60; ++i) {
        switch (*rc::gen::inRange(0, 5)) {
            case 0:
            case 1:
                letters[static_cast<std::size_t>(i)].number = i;
                RC_ASSERT(box.push(&letters[static_cast<std::size_t>(i)]) == std::exchange(asleep, false));
                waiting.push_front(i);
                break;
            case 2:
                if (asleep) break;  // the receiver does not run
                RC_ASSERT(numbers(box.take()) == std::vector<int>(waiting.begin(), waiting.end()));
                waiting.clear();
                break;
            case 3:
                if (asleep) break;
                asleep = box.sleep();
                RC_ASSERT(asleep == waiting.empty());
                break;
            default: RC_ASSERT(box.wake() == std::exchange(asleep, false));
        }
    }
}

/// A receiver that the waking thread runs: no two threads at a time, and no letter is lost.
TEST(Inbox, IsServedByOneAtATimeAndLosesNothing) {
    constexpr std::size_t senders = 3;
    constexpr std::size_t letters_each = 3000;
    LetterBox box{};
    std::vector<std::vector<Letter>> letters(senders, std::vector<Letter>(letters_each));
    std::vector<int> received(senders, 0);  // not atomic: the inbox orders the threads that serve it
    std::atomic<int> serving = 0;
    std::atomic<bool> met = false;
    std::atomic<bool> disorder = false;
    const auto serve = [&] {
        if (serving.fetch_add(1) != 0) met = true;
        do {
            std::vector<Letter*> in_order;
            for (Letter* letter = box.take(); letter != nullptr; letter = letter->next) in_order.push_back(letter);
            for (auto letter = in_order.rbegin(); letter != in_order.rend(); ++letter)
                if ((*letter)->number != received[(*letter)->sender]++) disorder = true;
            serving.fetch_sub(1);
            if (box.sleep()) return;
            if (serving.fetch_add(1) != 0) met = true;
        } while (true);
    };
    std::vector<std::thread> threads;
    for (std::size_t s = 0; s < senders; ++s)
        threads.emplace_back([&, s] {
            for (std::size_t i = 0; i < letters_each; ++i) {
                letters[s][i].sender = s;
                letters[s][i].number = static_cast<int>(i);
                if (box.push(&letters[s][i])) serve();
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_FALSE(met);
    EXPECT_FALSE(disorder) << "of one sender the letters stay in order";
    EXPECT_EQ(received, std::vector<int>(senders, static_cast<int>(letters_each)));
}

}  // namespace
}  // namespace kport
