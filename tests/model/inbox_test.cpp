/// @file inbox_test.cpp   The inbox under a model checker: every interleaving of two threads, and of three all with up to
///                        three switches; and no order in its text that could be weaker.
#include <array>

#include <gtest/gtest.h>

#include "tests/model/faults.hpp"

#include "emulator/payload/inbox.hpp"

namespace kport::model {
namespace {

struct Letter {
    Plain<Letter*> next;
    Plain<unsigned> sender;
    Plain<int> number;
};

/// A node and its inbox. The thread that wakes the receiver runs it, as workers do; what it does while awake is not
/// atomic.
template <class Derived, rl::thread_id_t threads>
struct Scenario : rl::test_suite<Derived, threads> {
    static constexpr std::size_t letters_each = 2;

    void before() {
        box.restart();
        running = 0;
        for (std::size_t sender = 0; sender < threads; ++sender) received[sender] = 0;
    }

    void send(unsigned sender, int number) {
        Letter& letter = letters[sender][static_cast<std::size_t>(number)];
        letter.sender = sender;
        letter.number = number;
        if (box.push(&letter)) serve();
    }
    void wake() {
        if (box.wake()) serve();
    }

    /// Runs the receiver until it sleeps.
    void serve() {
        RL_ASSERT(running == 0);
        running = 1;
        for (;;) {
            take();
            running = 0;
            if (box.sleep()) return;
            running = 1;
        }
    }
    void take() {
        std::array<Letter*, threads * letters_each + 2> batch{};
        std::size_t count = 0;
        for (Letter* letter = box.take(); letter != nullptr; letter = letter->next) batch[count++] = letter;
        while (count > 0) static_cast<Derived*>(this)->receive(*batch[--count]);
    }
    /// The letters of one sender stay in order.
    void receive(const Letter& letter) {
        RL_ASSERT(letter.number == received[letter.sender]);
        received[letter.sender] = letter.number + 1;
    }
    /// All of a sender's letters have come, and the receiver sleeps.
    void expect(unsigned sender, int letters_sent) {
        RL_ASSERT(received[sender] == letters_sent);
        RL_ASSERT(box.wake());
        RL_ASSERT(box.take() == nullptr);
    }

    Inbox<Letter, Atomic> box;
    Letter letters[threads][letters_each];
    Plain<int> running;            ///< by some thread
    Plain<int> received[threads];  ///< letters, by sender
};

/// Exactly one of several senders wakes a sleeper; what they wrote is seen; the second waker sees what was done before.
struct TwoSenders : Scenario<TwoSenders, 2> {
    void thread(unsigned t) {
        send(t, 0);
        if (t == 0) send(t, 1);
    }
    void after() {
        expect(0, 2);
        RL_ASSERT(received[1] == 1);
    }
};

/// A letter that comes between the last look of the receiver and its sleep is not lost.
struct LastLookAgainstPush : Scenario<LastLookAgainstPush, 2> {
    void before() {
        Scenario::before();
        (void)box.wake();
    }
    void thread(unsigned t) {
        if (t == 0) serve();
        if (t == 1) send(1, 0);
        if (t == 1) send(1, 1);
    }
    void after() { expect(1, 2); }
};

/// A node that starts by itself and one that mail starts are the same node.
struct WakeAgainstPush : Scenario<WakeAgainstPush, 2> {
    void thread(unsigned t) {
        if (t == 0) wake();
        if (t == 1) send(1, 0);
        if (t == 1) send(1, 1);
    }
    void after() { expect(1, 2); }
};

/// If two wake without a letter, only one runs the receiver at a time, and the later sees what the earlier did.
struct WakeAgainstWake : Scenario<WakeAgainstWake, 2> {
    void thread(unsigned) {
        wake();
        wake();
    }
    void after() { RL_ASSERT(box.wake()); }
};

/// What the receiver was given may go on to another inbox or to its own, as long as it is read no more.
struct TheSameLetterAgain : Scenario<TheSameLetterAgain, 2> {
    void before() {
        Scenario::before();
        (void)box.wake();
        again = 0;
    }
    void thread(unsigned t) {
        if (t == 0) serve();
        if (t == 1) send(1, 0);
    }
    void receive(Letter& letter) {
        again = again + 1;
        if (again == 1) RL_ASSERT(!box.push(&letter));
    }
    void after() { RL_ASSERT(again == 2); }

    Plain<int> again;
};

struct ThreeSenders : Scenario<ThreeSenders, 3> {
    void thread(unsigned t) { send(t, 0); }
    void after() {
        expect(0, 1);
        RL_ASSERT(received[1] == 1);
        RL_ASSERT(received[2] == 1);
    }
};

struct TwoSendersAndAReceiver : Scenario<TwoSendersAndAReceiver, 3> {
    void before() {
        Scenario::before();
        (void)box.wake();
    }
    void thread(unsigned t) {
        if (t == 0)
            serve();
        else
            send(t, 0);
    }
    void after() {
        expect(1, 1);
        RL_ASSERT(received[2] == 1);
    }
};

struct TwoSendersAndAWaker : Scenario<TwoSendersAndAWaker, 3> {
    void thread(unsigned t) {
        if (t == 0)
            wake();
        else
            send(t, 0);
    }
    void after() {
        expect(1, 1);
        RL_ASSERT(received[2] == 1);
    }
};

constexpr Case inbox_cases[] = {
    {"two senders", search<TwoSenders>},
    {"last look against push", search<LastLookAgainstPush>},
    {"wake against push", search<WakeAgainstPush>},
    {"wake against wake", search<WakeAgainstWake>},
    {"the same letter again", search<TheSameLetterAgain>},
    {"three senders", search<ThreeSenders, 3>},
    {"two senders and a receiver", search<TwoSendersAndAReceiver, 3>},
    {"two senders and a waker", search<TwoSendersAndAWaker, 3>},
};

TEST(InboxModel, HoldsInEveryInterleaving) { expect_all_pass(inbox_cases); }

TEST(InboxModel, NeedsEveryMemoryOrder) {
    EXPECT_EQ(expect_no_order_too_strong(inbox_cases), 6) << "three of push(), one each of take(), sleep(), wake()";
}

TEST(InboxModel, NeedsEveryStepToBeAtomic) {
    EXPECT_EQ(expect_no_step_is_two(inbox_cases), 4) << "push(), take(), sleep(), wake()";
}

}  // namespace
}  // namespace kport::model
