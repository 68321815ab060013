#include "app/pictures/labels.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/pictures/stories.hpp"

namespace kport {
namespace {

PacketSet packets(std::initializer_list<PacketBlock> blocks) {
    PacketSet set;
    for (const PacketBlock& block : blocks) set.add(block);
    return set;
}

std::string label(const PacketSet& set, std::size_t letters = 14) {
    static const Story story = told({"scatter", "complete:4"});
    return packets_label(story, set.blocks(), letters);
}

TEST(Labels, ListFewPacketsOneByOne) {
    EXPECT_EQ(label(packets({{3}})), "{3}");
    EXPECT_EQ(label(packets({{1, 2, 4}})), "{1,3,5,7}");
}

TEST(Labels, NameProgressionsByTheirEnds) {
    EXPECT_EQ(label(packets({{0, 1, 8}})), "{0..7}");
    EXPECT_EQ(label(packets({{1, 2, 8}})), "{1,3,..,15}");
    EXPECT_EQ(label(packets({{0, 1, 1000000}})), "{0..999999}");
}

TEST(Labels, AreCutAtACommaWhereThereIsNoRoom) {
    EXPECT_EQ(label(packets({{1}, {10}, {12}, {20}, {31}, {47}})), "{1,10,12,...}");
}

TEST(Labels, NameSenderAndTakerWhereEveryNodeHasAPacketForEveryNode) {
    const Story story = told({"alltoall", "complete:4"});
    const PacketSet set = packets({{0, 2, 2, 1, 1, 1}});
    EXPECT_EQ(packets_label(story, set.blocks()), "1>{0,2}");
}

TEST(Labels, OfABroadcastAreEmptySinceThereIsOnePacket) {
    EXPECT_EQ(packets_label(told({"broadcast", "line:2"}), packets({{0}}).blocks()), "");
}

TEST(Labels, NameTheSegmentsOfResults) {
    const Story story = told({"allreduce", "hypercube:2", "halving-doubling", 1, Switching::store_and_forward, 4});
    const auto of = [&](const PacketSet& set) { return packets_label(story, set.blocks()); };
    EXPECT_EQ(of(packets({{4, 1, 1, 2, 1, 1}})), "result:2");
    EXPECT_EQ(of(packets({{4, 1, 1, 0, 1, 2}})), "result:0..1");
    EXPECT_EQ(of(packets({{4, 1, 1, 0, 2, 2}})), "result:{0,2}");
    EXPECT_EQ(of(packets({{4, 1, 1, 0, 1, 4}})), "result");
    EXPECT_EQ(of(packets({{0, 1, 4, 2, 1, 1}})), "{0..3}:2") << "partial, though all are in it";
    EXPECT_EQ(held_label(story, 0, packets({{0, 1, 4, 0, 1, 2}, {0, 1, 1, 2, 1, 2}}), 24), "{result:0..1,0:{2,3}}");
    EXPECT_EQ(held_label(story, 0, packets({{0, 1, 4, 0, 1, 4}})), "result");
}

TEST(Labels, CountSegmentsAndNotContributionsWhereThereIsNoRoom) {
    const Story story = told({"reduce-scatter", "ring:4", "", 1, Switching::store_and_forward, 2});
    EXPECT_EQ(packets_label(story, packets({{1, 1, 2, 0, 1, 3}, {0, 1, 3, 5, 1, 1}}).blocks(), 4), "4 segments");
}

TEST(Labels, OfAScanPutTheOwnPrefixInBrackets) {
    const Story story = told({"scan", "hypercube:2"});
    EXPECT_EQ(held_label(story, 1, packets({{0, 1, 2}})), "[0,1]");
    EXPECT_EQ(held_label(story, 1, packets({{0, 1, 4}})), "[0,1] {0..3}");
}

constexpr std::string_view hostile = "<script>alert('1')</script> & \"Z\xC3\xBCrich\" \x01\xFF";

TEST(Labels, EscapeWhateverANameHolds) {
    EXPECT_EQ(escaped(hostile),
              "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &quot;Z\xC3\xBCrich&quot; ?\xEF\xBF\xBD");
}

TEST(Labels, AreStringsOfJsonThatNoScriptEndsIn) {
    const std::string json = json_string(hostile);
    EXPECT_EQ(json.find('<'), std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(json).get<std::string>(),
              "<script>alert('1')</script> & \"Z\xC3\xBCrich\" \x01\xEF\xBF\xBD");
}

}  // namespace
}  // namespace kport
