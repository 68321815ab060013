#include <gtest/gtest.h>

#include "emulator/engine/free_node.hpp"

namespace kport {
namespace {

constexpr bool direct = true;
constexpr bool far = false;

enum class Takes { by_sender, by_port, any };

/// True if a node with mail of two senders depends on its order.
bool order_matters(NodeId first, NodeId second, bool second_is_direct, Takes takes) {
    Senders senders;
    senders.add(first, direct);
    senders.add(second, second_is_direct);
    senders.took(takes == Takes::any, takes == Takes::by_port);
    return senders.order_matters();
}

TEST(TheOrderOfMail, DoesNotMatterWithASingleSender) {
    for (const Takes takes : {Takes::by_sender, Takes::by_port, Takes::any})
        EXPECT_FALSE(order_matters(7, 7, direct, takes));
}

TEST(TheOrderOfMail, MattersIfTheFirstOfSeveralIsTaken) {
    EXPECT_TRUE(order_matters(7, 8, direct, Takes::any));
    EXPECT_TRUE(order_matters(7, 8, far, Takes::any));
}

TEST(TheOrderOfMail, OfAPortMattersOnlyIfDistantSendersUseIt) {
    EXPECT_FALSE(order_matters(7, 8, direct, Takes::by_port));
    EXPECT_TRUE(order_matters(7, 8, far, Takes::by_port));
}

TEST(TheOrderOfMail, DoesNotMatterToAReceiverThatNamesTheSender) {
    EXPECT_FALSE(order_matters(7, 8, far, Takes::by_sender));
}

TEST(TheOrderOfMail, IsRestoredFromItsRecord) {
    Senders before;
    before.add(0, direct);
    Senders after(before.note());
    after.took(true, false);
    EXPECT_FALSE(after.order_matters());
    after.add(1, direct);
    EXPECT_TRUE(after.order_matters());
}

}  // namespace
}  // namespace kport
