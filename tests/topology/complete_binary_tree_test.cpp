#include "emulator/topology/complete_binary_tree.hpp"

#include <gtest/gtest.h>

#include "emulator/base/error.hpp"

namespace kport {
namespace {

using Tree = CompleteBinaryTree;

TEST(CompleteBinaryTree, LinksParentsAndChildrenByTheHeapRule) {
    const Tree tree(4);
    for (NodeId v = 0; v < tree.nodes(); ++v) {
        const bool leaf = 2 * v + 1 >= tree.nodes();
        EXPECT_EQ(tree.is_leaf(v), leaf);
        EXPECT_EQ(tree.across(v, Tree::left_port), leaf ? LinkEnd{} : (LinkEnd{2 * v + 1, Tree::parent_port}));
        EXPECT_EQ(tree.across(v, Tree::right_port), leaf ? LinkEnd{} : (LinkEnd{2 * v + 2, Tree::parent_port}));
        if (leaf) continue;
        EXPECT_EQ(tree.across(Tree::left(v), Tree::parent_port), (LinkEnd{v, Tree::left_port}));
        EXPECT_EQ(tree.across(Tree::right(v), Tree::parent_port), (LinkEnd{v, Tree::right_port}));
    }
    EXPECT_EQ(tree.across(Tree::root, Tree::parent_port), LinkEnd{});
}

TEST(CompleteBinaryTree, KnowsHeightAndDepth) {
    const Tree tree(3);
    EXPECT_EQ(tree.nodes(), 15U);
    EXPECT_EQ(tree.height(), 3);
    EXPECT_EQ(Tree::depth(0), 0);
    EXPECT_EQ(Tree::depth(2), 1);
    EXPECT_EQ(Tree::depth(3), 2);
    EXPECT_EQ(Tree::depth(14), 3);
}

TEST(CompleteBinaryTree, OfHeightZeroIsOneNode) {
    const Tree tree(0);
    EXPECT_EQ(tree.nodes(), 1U);
    EXPECT_EQ(tree.degree(0), 0U);
    EXPECT_EQ(tree.channels(), 0U);
}

TEST(CompleteBinaryTree, AnswersForHeightThirtyNine) {
    const Tree tree(39);
    const NodeId last = tree.nodes() - 1;
    const NodeId leftmost = (NodeId{1} << 39) - 1;
    EXPECT_EQ(tree.nodes(), 1099511627775U);
    EXPECT_EQ(tree.distance(leftmost, last), 78U);
    EXPECT_EQ(tree.eccentricity(last), 78U);
    EXPECT_EQ(tree.across(last, Tree::parent_port), (LinkEnd{last / 2 - 1, Tree::right_port}));
    EXPECT_EQ(tree.route(Tree::root, last), Tree::right_port);
    EXPECT_EQ(tree.route(Tree::root, leftmost), Tree::left_port);
    for (const NodeId v : {Tree::root, leftmost, last})
        EXPECT_EQ(tree.sum_of_distances(v), tree.Topology::sum_of_distances(v));
    EXPECT_EQ(tree.sum_of_distances(Tree::root), 38 * (std::uint64_t{1} << 40) + 2);
}

TEST(CompleteBinaryTree, RefusesMoreThanHeightThirtyNine) { EXPECT_THROW(Tree(40), RequestError); }

}  // namespace
}  // namespace kport
