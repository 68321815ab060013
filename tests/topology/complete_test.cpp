#include "emulator/topology/complete.hpp"

#include <gtest/gtest.h>

#include "emulator/base/error.hpp"

namespace kport {
namespace {

TEST(Complete, LeadsToTheOthersInOrder) {
    const Complete graph(5);
    for (NodeId v = 0; v < 5; ++v)
        for (Port p = 0; p < 4; ++p) {
            const NodeId w = p < v ? p : p + 1;
            EXPECT_EQ(graph.across(v, p).node, w);
            EXPECT_EQ(Complete::neighbour(v, p), w);
            EXPECT_EQ(Complete::port(v, w), p);
            EXPECT_EQ(graph.route(v, w), p);
        }
}

TEST(Complete, AnswersForTwoToTheThirtyTwo) {
    const Complete graph(Complete::complete_nodes_max);
    const NodeId last = graph.nodes() - 1;
    EXPECT_EQ(graph.ports(), 4294967295U);
    EXPECT_EQ(graph.channels(), graph.nodes() * last);
    EXPECT_EQ(graph.across(0, 4294967294U), (LinkEnd{last, 0}));
    EXPECT_EQ(graph.across(last, 0), (LinkEnd{0, 4294967294U}));
    EXPECT_EQ(graph.sum_of_distances(0), last);
}

TEST(Complete, RefusesTooManyNodes) {
    EXPECT_THROW(Complete(0), RequestError);
    EXPECT_THROW(Complete(nodes_max + 1), RequestError);
    EXPECT_THROW(Complete{nodes_max}, DoesNotFit);
    try {
        const Complete graph(5000000000);
        FAIL();
    } catch (const DoesNotFit& error) {
        EXPECT_STREQ(error.what(),
                     "topology 'complete:5000000000': 4999999999 ports a node, and ports are counted in 32 bits; "
                     "complete graphs end at 4294967296 nodes");
    }
}

}  // namespace
}  // namespace kport
