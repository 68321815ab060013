#include "app/pictures/characters.hpp"

#include <gtest/gtest.h>

namespace kport {
namespace {

std::string drawn(std::string_view spec, std::size_t width = 80) {
    const auto topology = make_topology(spec);
    std::vector<std::string> texts;
    for (NodeId v = 0; v < topology->nodes(); ++v) texts.push_back(std::to_string(v));
    return "\n" + drawn_with_characters(*topology, texts, width);
}

TEST(Characters, DrawAMeshInRows) {
    EXPECT_EQ(drawn("mesh:2x3"), R"(
  0---1---2
  |   |   |
  3---4---5
)");
}

TEST(Characters, DrawACubeAsACube) {
    EXPECT_EQ(drawn("hypercube:3"), R"(
     6-------7
   / |     / |
  2-------3  |
  |  |    |  |
  |  |    |  |
  |  4----|--5
  |/      |/
  0-------1
)");
}

TEST(Characters, DrawATreeLevelByLevel) {
    EXPECT_EQ(drawn("cbt:2"), R"(
        0
      /   \
    1       2
   / \     / \
  3   4   5   6
)");
}

TEST(Characters, DrawNothingThatDoesNotFit) {
    EXPECT_EQ(drawn("mesh:4x20", 40), "\n");
    EXPECT_EQ(drawn("petersen"), "\n");
}

}  // namespace
}  // namespace kport
