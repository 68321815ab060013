/// @file segments_test.cpp   Values cut into segments: Rabenseifner's all-reduce at its published cost, each rule broken and
/// caught by segment, and programs that cut and join what cannot be.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "emulator/base/error.hpp"
#include "emulator/engine/script.hpp"
#include "emulator/node/pieces.hpp"
#include "tests/engine/reducing.hpp"

// These need the node first.
#include "examples/matrix_product.hpp"
#include "examples/rabenseifner.hpp"

namespace kport {
namespace {

using test::leftwards;
using test::reducing;
using test::rightwards;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Collective in_segments(Collective collective, std::uint64_t segments) {
    collective.packets_each = segments;
    return collective;
}

Verdict in_every_way(const Job& job) {
    Schedule moved;
    return test::run_in_every_way(job, moved).verdict;
}

/// Rabenseifner 2004; long-messages of Chan, Heimlich, Purkayastha, van de Geijn 2007: 2 log2 N rounds, 2 (N-1)/N of the vector.
TEST(RabenseifnersAllreduce, TakesTwoLogNRoundsAndTwiceTheVectorLessItsOwnPart) {
    for (const Port d : {1U, 2U, 4U})
        for (const PortLimit ports : {PortLimit(1), PortLimit(2), PortLimit::all()})
            for (const std::uint64_t each : {1U, 3U})
                for (const bool matrices : {false, true}) {
                    const NodeId nodes = NodeId{1} << d;
                    const std::uint64_t segments = nodes * each;
                    const std::uint64_t bytes = matrices ? sizeof(example::Matrix) : 16;
                    const Job job = reducing(test::machine(fmt::format("hypercube:{}", d), ports),
                                             in_segments(Collective::allreduce(bytes), segments),
                                             matrices ? example::product() : Reduction{},
                                             [=](Node& self) { return example::rabenseifner(self, segments); });
                    const Verdict verdict = in_every_way(job);
                    EXPECT_TRUE(verdict.lawful()) << test::text(verdict, *job.machine.topology);
                    EXPECT_EQ(verdict.metrics.rounds, 2 * d);
                    EXPECT_EQ(verdict.metrics.volume, 2 * (nodes - 1) * each * bytes);
                    EXPECT_EQ(verdict.metrics.bytes, 2 * nodes * (nodes - 1) * each * bytes);
                    EXPECT_DOUBLE_EQ(verdict.metrics.latency,
                                     job.machine.costs.startup * static_cast<double>(2 * d) +
                                         job.machine.costs.byte * static_cast<double>(verdict.metrics.volume));
                    EXPECT_EQ(verdict.holders, nodes);
                    EXPECT_EQ(verdict.compared_bytes, nodes * segments * bytes);
                }
}

TEST(RabenseifnersAllreduce, CountsTheSameWithoutBytes) {
    Job job = reducing(test::machine("hypercube:3"), in_segments(Collective::allreduce(16), 8), {},
                       [](Node& self) { return example::rabenseifner(self, 8); });
    const Verdict with = in_every_way(job);
    job.payload = false;
    const Verdict without = in_every_way(job);
    EXPECT_TRUE(without.lawful());
    EXPECT_EQ(without.metrics, with.metrics);
    EXPECT_EQ(without.compared_bytes, 0U);
}

// ------------------------------------------------------------------------------------------- each rule, by segment

/// What is wrong when node 1 of a line of 2 sends node 0 what `sent` makes, and node 0 gives what `made` makes of it.
using Made = std::function<Value(Node&, const Value& own, const Value& came)>;
std::vector<std::string> wrong_with(const std::function<Value(Node&, const Value&)>& sent, const Made& made,
                                    const Reduction& reduction = {}, Machine machine = test::machine("line:2")) {
    const std::uint64_t bytes = reduction.type->bytes;
    const Job job = reducing(std::move(machine), in_segments(Collective::reduce(0, bytes), 3), reduction,
                             [=](Node& self) -> Program {
                                 const Value own = self.contribution();
                                 if (self.id() == 1) {
                                     const Value given = sent(self, own);
                                     co_await self.send(leftwards, given);
                                 } else {
                                     const Arrival arrival = co_await self.receive(rightwards);
                                     self.result(made(self, own, arrival.value()));
                                 }
                             });
    const std::vector<std::string> found = test::found(job, EngineKind::lockstep);
    EXPECT_EQ(test::found(job, EngineKind::free), found);
    return found;
}

Value all_of_it(Node&, const Value& own) { return own; }
Value folded(Node& self, const Value& own, const Value& came) { return self.fold(own, came); }

TEST(AValueInSegments, IsLawfulWhereEachContributionIsInItOnce) {
    EXPECT_THAT(wrong_with(all_of_it, folded), IsEmpty());
    EXPECT_THAT(wrong_with(all_of_it,
                           [](Node& self, const Value& own, const Value& came) {
                               // Segment by segment, joined out of order.
                               const auto part = [&](std::uint64_t s) {
                                   return self.fold(self.cut(own, s, 1), self.cut(came, s, 1));
                               };
                               return self.concatenate(part(2), part(0), part(1));
                           }),
                IsEmpty());
    EXPECT_THAT(wrong_with(all_of_it, folded, example::product()), IsEmpty());
}

TEST(AValueInSegments, ThatLacksSegmentsIsNoResult) {
    EXPECT_THAT(wrong_with([](Node& self, const Value& own) { return self.cut(own, 0, 2); },
                           [](Node& self, const Value& own, const Value& came) {
                               return self.concatenate(self.fold(self.cut(own, 0, 2), came), self.cut(own, 2, 1));
                           }),
                Contains(HasSubstr("the result of node 0 lacks the contribution of node 1 of segment 2")));
    EXPECT_THAT(
        wrong_with(all_of_it, [](Node& self, const Value& own,
                                 const Value& came) { return self.cut(self.fold(own, came), 1, 2); }),
        Contains(HasSubstr("the result of node 0 lacks 2 contributions, the lowest is that of node 0 of segment 0")));
}

TEST(AValueInSegments, TellsTheSegmentOfAContributionThatIsFoldedTwice) {
    EXPECT_THAT(wrong_with(all_of_it,
                           [](Node& self, const Value& own, const Value& came) {
                               const Value last = self.cut(came, 2, 1);
                               const Value twice = self.fold(self.fold(self.cut(own, 2, 1), last), last);
                               return self.concatenate(self.fold(self.cut(own, 0, 2), self.cut(came, 0, 2)), twice);
                           }),
                Contains(HasSubstr("node 0 folds contribution 1 of segment 2 twice")));
}

TEST(AValueInSegments, IsFoldedInTheOrderOfTheNodesInEachSegment) {
    EXPECT_THAT(wrong_with(
                    all_of_it,
                    [](Node& self, const Value& own, const Value& came) {
                        const Value wrong = self.fold(self.cut(came, 1, 1), self.cut(own, 1, 1));
                        const Value first = self.fold(self.cut(own, 0, 1), self.cut(came, 0, 1));
                        return self.concatenate(first, wrong, self.fold(self.cut(own, 2, 1), self.cut(came, 2, 1)));
                    },
                    example::product()),
                Contains(HasSubstr("node 0 folds contribution 1 of segment 1 before 0")));
}

TEST(AValueInSegments, IsSeveralPacketsToAMachineWithoutCombining) {
    EXPECT_THAT(wrong_with(all_of_it, folded, {}, test::without_combining(test::machine("line:2"))),
                Contains(HasSubstr("node 1 sends 3 packets in one message")));
}

/// What an audit finds wrong with a schedule of a reduction to node 0 of a line, or an all-reduce, in so many segments.
std::vector<std::string> audited(const std::string& line, const Collective& collective,
                                 const std::vector<test::Step>& steps) {
    const Machine machine = test::machine(line, PortLimit::all());
    const Verdict verdict = audit(test::schedule(*machine.topology, steps), machine, in_segments(collective, 4), false);
    std::vector<std::string> found;
    for (const Violation& violation : verdict.violations) found.push_back(sentence(violation, *machine.topology));
    return found;
}

/// Some nodes' contributions to some segments.
PacketBlock part(std::uint32_t first, std::uint32_t count, std::uint32_t segment, std::uint32_t segments) {
    return {first, 1, count, segment, 1, segments};
}

TEST(AScheduleInSegments, MayCutWhatWasFoldedAlongSegments) {
    EXPECT_THAT(
        audited(
            "line:3", Collective::reduce(0, 8),
            {{1, 2, 1, {}, {part(2, 1, 0, 4)}}, {2, 1, 0, {}, {part(1, 2, 0, 1)}}, {3, 1, 0, {}, {part(1, 2, 1, 3)}}}),
        IsEmpty());
}

TEST(AScheduleInSegments, MustNotTakeFoldsApart) {
    const std::vector<std::string> found = audited("line:4", Collective::reduce(0, 8),
                                                   {{1, 3, 2, {}, {part(3, 1, 0, 4)}},
                                                    {2, 2, 1, {}, {part(2, 2, 0, 4)}},
                                                    {3, 1, 0, {}, {part(1, 3, 0, 3), part(1, 2, 3, 1)}}});
    EXPECT_THAT(found,
                Contains(HasSubstr("node 1 sends contribution 2 of segment 3 in round 3 and has it only folded")));
    EXPECT_THAT(found, Contains(HasSubstr("lacks the contribution of node 3 of segment 3")));
    EXPECT_EQ(found.size(), 2U);
}

TEST(AScheduleInSegments, IsJudgedForWhatComesTwiceAndForWhatIsNotHeldBySegment) {
    const std::vector<test::Step> lawful = {{1, 1, 0, {}, {part(1, 1, 0, 2)}}, {2, 1, 0, {}, {part(1, 1, 2, 2)}}};
    EXPECT_THAT(audited("line:2", Collective::reduce(0, 8), lawful), IsEmpty());
    std::vector<test::Step> twice = lawful;
    twice.push_back({3, 1, 0, {}, {part(1, 1, 1, 1)}});
    EXPECT_THAT(audited("line:2", Collective::reduce(0, 8), twice),
                ElementsAre(HasSubstr("NODUP broken: node 0 receives contribution 1 of segment 1 again")));
    std::vector<test::Step> unheld = lawful;
    unheld.front().packets = {part(1, 1, 0, 1), part(0, 1, 1, 1)};
    EXPECT_THAT(audited("line:2", Collective::reduce(0, 8), unheld),
                Contains(HasSubstr("node 1 sends contribution 0 of segment 1 in round 1 and does not hold it")));
    EXPECT_THAT(audited("line:2", Collective::reduce(0, 8), {lawful.front()}),
                ElementsAre(HasSubstr("lacks 2 contributions, the lowest is that of node 1 of segment 2")));
}

TEST(AScheduleInSegments, HandsOutResultsOfSegmentsWhereAllContributionsAre) {
    const std::vector<test::Step> lawful = {{1, 1, 0, {}, {part(1, 1, 0, 3)}},
                                            {1, 0, 1, {}, {part(0, 1, 3, 1)}},
                                            {2, 0, 1, {}, {part(2, 1, 0, 3)}},
                                            {2, 1, 0, {}, {part(2, 1, 3, 1)}}};
    EXPECT_THAT(audited("line:2", Collective::allreduce(8), lawful), IsEmpty());
    std::vector<test::Step> early = lawful;
    early[2].packets = {part(2, 1, 0, 4)};
    EXPECT_THAT(audited("line:2", Collective::allreduce(8), early),
                Contains(HasSubstr("node 0 sends the result of segment 3 in round 2 and does not hold it")));
    std::vector<test::Step> mixed = lawful;
    mixed[2].packets.push_back(part(0, 1, 0, 1));
    EXPECT_THROW((void)audited("line:2", Collective::allreduce(8), mixed), RequestError);
}

// ------------------------------------------------------------------------------------------------------- what is refused

TEST(AValueInSegments, IsCutAndJoinedAndFoldedWhereThatMakesAValue) {
    const auto complaint = [](const std::function<void(Node&, const Value&)>& act) {
        const Job job = reducing(test::machine("line:2"), in_segments(Collective::allreduce(8), 4), {},
                                 [act](Node& self) -> Program {
                                     act(self, self.contribution());
                                     co_return;
                                 });
        const std::string said = test::complaint(job, EngineKind::lockstep);
        EXPECT_EQ(test::complaint(job, EngineKind::free), said);
        return said;
    };
    const auto cut = [&](std::uint64_t first, std::uint64_t count) {
        return complaint([=](Node& self, const Value& own) { (void)self.cut(own, first, count); });
    };
    EXPECT_EQ(cut(0, 4), "none");
    EXPECT_EQ(cut(3, 1), "none");
    for (const auto& [first, count] : {std::pair<std::uint64_t, std::uint64_t>{0, 0}, {0, 5}, {4, 1}, {~0UL, 2}})
        EXPECT_THAT(cut(first, count), HasSubstr("out of a value that has not all of them")) << first << " " << count;
    EXPECT_THAT(complaint([](Node& self, const Value& own) { (void)self.cut(self.cut(own, 1, 2), 2, 2); }),
                HasSubstr("has not all of them"));
    const auto cut_set = [&](const std::vector<PacketBlock>& segments) {
        PacketSet set;
        for (const PacketBlock& block : segments) set.add(block);
        return complaint([=](Node& self, const Value& own) { (void)self.cut(own, set); });
    };
    EXPECT_EQ(cut_set({{0, 2, 2}, {1}}), "none");
    const std::vector<std::vector<PacketBlock>> not_sets = {
        {{0}, {0}}, {{0}, {0}, {0}, {0}}, {{0, 1, 2}, {1, 1, 2}}, {{0, 0, 3}}, {{1, 1, 1, 0, 0, 2}}};
    for (const auto& segments : not_sets)
        EXPECT_THAT(cut_set(segments), HasSubstr("cuts a segment twice out of a value; name each once"));
    EXPECT_THAT(cut_set({{0, 1, 0xFFFFFFFF}}), HasSubstr("has not all of them"));
    EXPECT_THAT(cut_set({{0, 1, 1, 1}}), HasSubstr("has not all of them"));
    EXPECT_THAT(complaint([](Node& self, const Value&) { (void)self.concatenate(std::span<const Value* const>()); }),
                HasSubstr("joins no values; want at least 1"));
    EXPECT_THAT(complaint([](Node& self, const Value& own) {
                    const std::array<const Value*, 2> values{&own, nullptr};
                    (void)self.concatenate(values);
                }),
                HasSubstr("joins a value by a null pointer"));
    EXPECT_THAT(complaint([](Node& self, const Value& own) { (void)self.concatenate(own, self.cut(own, 1, 1)); }),
                HasSubstr("joins values that have a segment in common"));
    EXPECT_THAT(complaint([](Node& self, const Value& own) {
                    (void)self.concatenate(self.whole(self.cut(own, 0, 1)), self.cut(own, 1, 1));
                }),
                HasSubstr("joins results with values that are none"));
    EXPECT_THAT(
        complaint([](Node& self, const Value& own) { (void)self.fold(self.cut(own, 0, 2), self.cut(own, 2, 2)); }),
        HasSubstr("folds values of different segments; cut them first"));
}

TEST(ACollectiveInSegments, IsAReductionInAtLeastOne) {
    const auto refusal = [](const Collective& collective, const Reduction& reduction = {}) {
        try {
            (void)run(reducing(test::machine("line:2"), collective, reduction, [](Node&) -> Program { co_return; }),
                      {});
        } catch (const RequestError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_THAT(refusal(in_segments(Collective::none(), 2)),
                HasSubstr("packets_each 2: none counts its packets itself"));
    EXPECT_THAT(refusal(in_segments(Collective::allreduce(8), 0)), HasSubstr("packets_each 0: want 1 to 4294967294"));
    EXPECT_EQ(refusal(in_segments(Collective::allreduce(8), 2), {Operator::concat, ElementType::text, {}}), "");
    EXPECT_EQ(refusal(in_segments(Collective::allreduce(8), 2)), "");
}

/// What is cut and joined again is what it was, bytes and seal, whatever the pieces and their order.
RC_GTEST_PROP(AFolder, JoinsWhatItHasCut, ()) {
    FramePool pool;
    std::vector<Body*> made;
    const auto kept = [&](Body* body) { return made.emplace_back(body); };
    const auto segments = *rc::gen::inRange<std::uint32_t>(2, 12);
    const auto bytes =
        *rc::gen::element<std::uint64_t>(16, 1000, 4096, 6152);  // from 4096 on a value is sealed as it is written
    const Folder folder({}, bytes, 1, true, segments);
    Body* value = kept(folder.contribution(3, pool));
    std::vector<std::vector<std::uint32_t>> groups(3);
    for (std::uint32_t s = 0; s < segments; ++s) groups[*rc::gen::inRange<std::size_t>(0, 3)].push_back(s);
    std::vector<const Body*> parts;
    for (const auto& group : groups) {
        std::vector<const Body*> singles;
        PacketSet of_group;
        for (const std::uint32_t s : group) {
            of_group.add(PacketBlock{s});
            Body* single = kept(folder.cut(*value, PacketBlock{s}, pool));
            RC_ASSERT(folder.intact(*single));
            RC_ASSERT(single->byte_count() == bytes);
            RC_ASSERT(std::memcmp(single->bytes(), value->bytes() + s * bytes, bytes) == 0);
            singles.push_back(single);
        }
        bool intact = false;
        if (singles.empty()) continue;
        parts.push_back(kept(folder.joined(singles, of_group, pool, intact)));
        RC_ASSERT(intact);
    }
    bool intact = false;
    Body* again = kept(folder.joined(parts, PacketSet::range(0, segments), pool, intact));
    RC_ASSERT(intact);
    RC_ASSERT(folder.intact(*again));
    RC_ASSERT(size_of(again->blocks()) == segments);
    RC_ASSERT(std::ranges::equal(again->content(), value->content()));
    for (const auto& group : groups) {  // ranges and single ones, out of the whole at once
        if (group.empty()) continue;
        PacketSet of_group;
        for (const std::uint32_t s : group) of_group.add(PacketBlock{s});
        const Body* part = kept(folder.cut(*again, of_group, pool));
        RC_ASSERT(folder.intact(*part));
        for (std::size_t i = 0; i < group.size(); ++i)
            RC_ASSERT(std::memcmp(part->bytes() + i * bytes, value->bytes() + group[i] * bytes, bytes) == 0);
    }
    // A changed bit in one of them is seen, also where a part shares the bytes of the whole.
    Body* const harmed = kept(folder.cut(*again, PacketSet::range(0, segments - 1), pool));
    Body* const rest = kept(folder.cut(*value, PacketBlock{segments - 1}, pool));
    harmed->bytes()[*rc::gen::inRange<std::uint64_t>(0, harmed->byte_count())] ^= std::byte{4};
    const Body* const both[] = {rest, harmed};
    kept(folder.joined(both, PacketSet::range(0, segments), pool, intact));
    RC_ASSERT(!intact);
    kept(folder.renamed(*harmed, value->blocks(), pool, intact));
    RC_ASSERT(!intact);
    const Body* const same = kept(folder.renamed(*rest, harmed->blocks(), pool, intact));
    RC_ASSERT(intact);
    RC_ASSERT(folder.intact(*same) && std::ranges::equal(same->content(), rest->content()));
    RC_ASSERT(std::ranges::equal(same->blocks(), harmed->blocks()));
    for (Body* body : made) body->release(pool);
}

/// A vector that comes segment by segment, in any order, is the vector again; on the way each segment is what it was.
TEST(Pieces, AddedOneByOneAreTheVectorAgain) {
    for (const std::uint32_t segments : {2U, 15U, 16U, 17U, 33U, 300U})
        for (const std::uint32_t step : {1U, 7U, segments - 1}) {
            const auto program = [=](Node& self) -> Program {
                const Value whole = self.contribution();
                const auto in_whole = [&](std::uint32_t s) { return whole.as<std::int64_t>(s); };
                Pieces pieces;
                for (std::uint32_t i = 0; i < segments; ++i) {
                    const std::uint32_t s = i * step % segments;
                    const PacketSet first = PacketBlock{0};
                    const PacketSet last = PacketBlock{s};
                    pieces.add(self, self.cut(whole, s, 1), last);
                    EXPECT_EQ(pieces.give(self, last).as<std::int64_t>(), in_whole(s));
                    EXPECT_EQ(pieces.give(self, first).as<std::int64_t>(), in_whole(0));
                }
                self.result(pieces.give(self, PacketSet::range(0, segments)));
                co_return;
            };
            if (std::gcd(step, segments) != 1) continue;
            const Job job =
                reducing(test::machine("complete:1"), in_segments(Collective::allreduce(8), segments), {}, program);
            EXPECT_TRUE(run(job, {}).verdict.lawful()) << segments << " in steps of " << step;
        }
}

/// As where each round brings a few segments of each of many blocks: what is asked for is found without a look at every value.
TEST(Pieces, LookAtValuesOneByOneOnlyUntilTheyAreListed) {
    constexpr std::uint32_t segments = 1024;
    constexpr std::uint32_t step = 389;
    const auto program = [=](Node& self) -> Program {
        const Value whole = self.contribution();
        Pieces pieces;
        pieces.put_contribution(PacketSet::range(0, segments));
        const auto name = [&](std::uint32_t i) { return PacketSet(PacketBlock{i * step % segments}); };
        for (int times = 0; times < 4; ++times)
            for (std::uint32_t i = 0; i < segments; ++i) {
                const Value taken = pieces.take(self, name(i));
                EXPECT_EQ(taken.as<std::int64_t>(), whole.as<std::int64_t>(i * step % segments));
                pieces.put(taken, name(i));
            }
        for (std::uint32_t i = 0; i < segments; i += 2) {  // pairs that lie apart
            PacketSet pair = name(i);
            pair.add(name(i + 1));
            const Value taken = pieces.take(self, pair);
            pieces.put(taken, pair);
        }
        EXPECT_LE(pieces.looks(), 2 * segments) << "of 3 million at least";
        EXPECT_LE(pieces.moves(), 16 * segments) << "of 2 million at least";
        self.result(pieces.get(self, PacketSet::range(0, segments)));
        co_return;
    };
    const Job job = reducing(test::machine("complete:1"), in_segments(Collective::allreduce(8), segments), {}, program);
    EXPECT_TRUE(run(job, {}).verdict.lawful());
}

// ------------------------------------------------------------------------------------------------------- idempotent ones

/// Every node of a ring sends the best it knows both ways until all know: contributions come again and again.
Program flood_the_best(Node& self) {
    Value known = self.contribution();
    for (NodeId round = 0; round < self.nodes() / 2; ++round) {
        const Value given = known;
        const std::array sends{SendRequest(leftwards, given), SendRequest(rightwards, given)};
        co_await self.send_together(sends);
        const Arrival right = co_await self.receive(rightwards);
        const Arrival left = co_await self.receive(leftwards);
        known = self.fold(known, self.fold(left.value(), right.value()));
    }
    self.result(known);
}

TEST(AnIdempotentOperator, MayFoldContributionsTwiceWhereNodupIsNoLaw) {
    Collective collective = Collective::allreduce(8);
    const auto job = [&](const Reduction& reduction, std::uint64_t segments) {
        collective.packets_each = segments;
        return reducing(test::machine("ring:6", PortLimit::all()), collective, reduction, flood_the_best);
    };
    const Reduction max{Operator::max, ElementType::int64, {}};
    EXPECT_FALSE(run(job(max, 1), {}).verdict.lawful()) << "as law";
    collective.rules = {.nodup = Force::counted, .noho = Force::off};
    for (const std::uint64_t segments : {1U, 3U}) {
        const Verdict counted = in_every_way(job(max, segments));
        EXPECT_TRUE(counted.lawful()) << test::text(counted, *make_topology("ring:6"));
        ASSERT_EQ(counted.counted.size(), 1U);
        EXPECT_GT(counted.counted.front().count, 0U);
    }
    EXPECT_THROW((void)run(job({}, 1), {}), RequestError) << "sums are not idempotent";
}

}  // namespace
}  // namespace kport
