/// @file meeting_test.cpp   The meeting of a team under a model checker: a caller with one and two members, all interleavings
///                          with up to four, three and two switches, since they spin and have no end of others; and no order
///                          in its text that could be weaker.
#include "tests/model/faults.hpp"

#include "app/chip/meeting.hpp"

namespace kport::model {
namespace {

/// A team as chip/team.hpp has it: thread 0 calls works and dismisses the others. What is called, and what they do, is not
/// atomic.
template <class Derived, rl::thread_id_t threads, int works>
struct Team : rl::test_suite<Derived, threads> {
    void before() {
        work = 0;
        for (Plain<int>& one : done) one = 0;
    }
    void thread(unsigned t) {
        if (t != 0)
            serve(t);
        else
            for (int number = 1; number <= works + 1; ++number) call(number <= works ? number : 0);
    }
    void call(int number) {
        work = number;
        meeting.call();
        if (number == 0) return;
        take_part(0);
        while (!meeting.all_have_ended(threads)) pause();
        for (const Plain<int>& one : done) RL_ASSERT(one == number);
    }
    void serve(unsigned member) {
        for (std::uint32_t calls = 0;; ++calls) {
            meeting.await(calls);
            if (work == 0) return;
            take_part(member);
        }
    }
    void take_part(unsigned member) {
        meeting.begin();
        while (!meeting.all_have_begun(threads)) pause();
        const int number = work;
        done[member] = number;
        meeting.end();
    }
    static void pause() { rl::yield(1, info(std::source_location::current())); }

    chip::Meeting<Atomic> meeting;
    Plain<int> work;           ///< 0: it is over
    Plain<int> done[threads];  ///< the last work, by member
};

struct OneWork : Team<OneWork, 2, 1> {};
struct TwoWorks : Team<TwoWorks, 2, 2> {};
struct OneWorkOfThree : Team<OneWorkOfThree, 3, 1> {};

constexpr Case meeting_cases[] = {
    {"one work", search<OneWork, 4>},
    {"two works", search<TwoWorks, 3>},
    {"one work of three", search<OneWorkOfThree, 2>},
};

TEST(MeetingModel, HoldsInEveryInterleaving) { expect_all_pass(meeting_cases); }

TEST(MeetingModel, NeedsEveryMemoryOrder) {
    EXPECT_EQ(expect_no_order_too_strong(meeting_cases), 4) << "call() and await(), end() and all_have_ended()";
}

}  // namespace
}  // namespace kport::model
