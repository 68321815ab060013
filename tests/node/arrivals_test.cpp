/// @file arrivals_test.cpp   The mail of a node against a plain list in order.
#include <algorithm>
#include <deque>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/node/arrivals.hpp"

namespace kport {
namespace {

using Mailed = Arrivals::Letter;

auto key(const Arrival& arrival) { return std::tuple(arrival.round, arrival.from, arrival.port); }

/// The letters that are there, in order; those that are equal as they came.
class Reference {
  public:
    void insert(const Mailed* letter) {
        const auto behind = std::ranges::find_if(
            letters_, [&](const Mailed* other) { return key(letter->arrival) < key(other->arrival); });
        letters_.insert(behind, letter);
    }
    [[nodiscard]] const Mailed* find(const Wait& wait) const {
        const auto found = std::ranges::find_if(
            letters_, [&](const Mailed* letter) { return wait.is_for(letter->arrival.from, letter->arrival.port); });
        return found == letters_.end() ? nullptr : *found;
    }
    void erase(const Mailed* letter) { std::erase(letters_, letter); }
    [[nodiscard]] const std::vector<const Mailed*>& all() const { return letters_; }

  private:
    std::vector<const Mailed*> letters_;
};

/// What a program may wait for; the lists live as long.
struct Choice {
    std::vector<Port> ports;
    std::vector<NodeId> senders;
    Wait wait;

    Choice(unsigned kind, std::uint32_t one, std::uint32_t other) : ports{one, other}, senders{one, other} {
        switch (kind) {
            case 0: wait = {nullptr, 0, Waiting::for_message}; break;
            case 1: wait = {nullptr, one, Waiting::for_message_by}; break;
            case 2: wait = {nullptr, one, Waiting::for_message_from}; break;
            case 3: wait = {ports.data(), 2, Waiting::for_message_by_one_of}; break;
            default: wait = {senders.data(), 2, Waiting::for_message_from_one_of}; break;
        }
    }
};

/// Mail comes and is received, in any order, while there is little of it or much.
RC_GTEST_PROP(TheMailOfANode, IsReceivedAsFromAListInOrder, ()) {
    const auto others = *rc::gen::element(3U, 20U, 400U);
    const int acts = *rc::gen::inRange(1, 600);
    const auto more_comes = *rc::gen::element(1U, 2U, 3U);  // of four
    std::deque<Mailed> letters;
    Arrivals mail;
    Reference reference;
    for (int i = 0; i < acts; ++i) {
        if (*rc::gen::inRange(0U, 4U) < more_comes) {
            const Arrival arrival(*rc::gen::inRange(0U, others), *rc::gen::inRange(0U, others),
                                  *rc::gen::inRange(1U, 4U), Packet(0));
            letters.push_back({arrival});
            mail.insert(&letters.back());
            reference.insert(&letters.back());
        } else {
            const Choice choice(*rc::gen::inRange(0U, 5U), *rc::gen::inRange(0U, others),
                                *rc::gen::inRange(0U, others));
            const Mailed* wanted = reference.find(choice.wait);
            RC_ASSERT(mail.has(choice.wait) == (wanted != nullptr));
            if (wanted == nullptr) continue;
            RC_ASSERT(mail.take(choice.wait) == wanted);
            reference.erase(wanted);
        }
        RC_ASSERT(mail.empty() == reference.all().empty());
        if (!mail.empty()) RC_ASSERT(&mail.first() == reference.all().front());
    }
    std::size_t seen = 0;
    mail.for_each([&](const Arrival& arrival) { RC_ASSERT(&arrival == &reference.all()[seen++]->arrival); });
    RC_ASSERT(seen == reference.all().size());
    for (const Mailed* letter : reference.all()) RC_ASSERT(mail.take_first() == letter);
    RC_ASSERT(mail.empty());
    RC_ASSERT(mail.take_first() == nullptr);
}

/// A program that receives in an order of its own what much came: first from the last sender, or from the first.
TEST(TheMailOfANode, IsFoundBySenderWhereThereIsMuch) {
    constexpr std::uint32_t senders = 5 * Arrivals::walk_most;
    for (const bool descending : {false, true}) {
        std::deque<Mailed> letters;
        Arrivals mail;
        for (std::uint32_t i = 0; i < senders; ++i) mail.insert(&letters.emplace_back(Arrival(i, i, 1, Packet(0))));
        for (std::uint32_t i = 0; i < senders; ++i) {
            const std::uint32_t from = descending ? senders - 1 - i : i;
            ASSERT_EQ(mail.take({nullptr, from, Waiting::for_message_from}), &letters[from]);
            ASSERT_FALSE(mail.has({nullptr, from, Waiting::for_message_from}));
        }
        EXPECT_TRUE(mail.empty());
    }
}

}  // namespace
}  // namespace kport
