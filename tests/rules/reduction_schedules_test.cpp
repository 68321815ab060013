/// @file reduction_schedules_test.cpp   Schedules of reductions: a contribution that comes twice or is taken apart, a result
///                                      that lacks some or is sent before it is there; lawful ones are clean.
///
/// Source   model.md section 8 (delivery).
#include <algorithm>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/engine/script.hpp"
#include "tests/rules/breaches.hpp"

namespace kport {
namespace {

using test::counted;
using test::judged;
using test::machine;
using test::Step;
using test::Steps;
using test::the;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

PacketBlock those(std::uint32_t first, std::uint32_t count = 1) { return {first, 1, count}; }

const Steps down_a_line = {{1, 2, 1, {}, {those(2)}}, {2, 1, 0, {}, {those(1, 2)}}};

std::vector<std::string> audited(Operation operation, const Steps& steps) {
    const Machine line = machine("line:3");
    return test::sentences(judged(line, operation, steps), *line.topology);
}
std::vector<std::string> followed(Operation operation, const Steps& steps, const Reduction& reduction = {}) {
    const Machine line = machine("line:3");
    const Schedule schedule = test::schedule(*line.topology, steps);
    Job job = job_following(schedule, line, {operation, 0, 8});
    job.reduction = reduction;
    return test::sentences(run(job, {}), line);
}

TEST(AScheduleOfAReduction, HasNoViolationIfItIsLawful) {
    EXPECT_THAT(audited(Operation::reduce, down_a_line), IsEmpty());
    EXPECT_THAT(followed(Operation::reduce, down_a_line), IsEmpty());
    EXPECT_THAT(followed(Operation::reduce, down_a_line, {Operator::concat, ElementType::text, {}}), IsEmpty());
    // Then the result is sent back as a packet of its own.
    Steps there_and_back = down_a_line;
    there_and_back.push_back({3, 0, 1, {}, {those(3)}});
    there_and_back.push_back({4, 1, 2, {}, {those(3)}});
    EXPECT_THAT(audited(Operation::allreduce, there_and_back), IsEmpty());
    EXPECT_THAT(followed(Operation::allreduce, there_and_back), IsEmpty());
}

TEST(AScheduleOfAReduction, IsCaughtWhenTheResultLacksAContribution) {
    const Steps one_missing = {{1, 1, 0, {}, {those(1)}}};
    EXPECT_THAT(audited(Operation::reduce, one_missing),
                ElementsAre("delivery broken: the result of node 0 lacks the contribution of node 2"));
    EXPECT_THAT(followed(Operation::reduce, one_missing),
                testing::Contains("delivery broken: the result of node 0 lacks the contribution of node 2"));
}

TEST(AScheduleOfAReduction, IsCaughtWhenTheResultIsSentBeforeItIsThere) {
    const Steps early = {{1, 1, 0, {}, {those(1)}}, {2, 0, 1, {}, {those(3)}}};
    EXPECT_THAT(audited(Operation::allreduce, early), testing::Contains(HasSubstr("node 0 sends packet 3 in round 2")));
}

TEST(AScheduleOfAReduction, IsCaughtWhenAValueIsTakenApart) {
    // Node 1 gets {2} and then {3, 4} folded; what it may send on: those, its own, and what they make together.
    const Machine line = machine("line:5", PortLimit(2));
    const auto told = [&](std::vector<PacketBlock> sent) {
        const Steps steps = {{1, 2, 1, {}, {those(2)}},
                             {1, 4, 3, {}, {those(4)}},
                             {2, 3, 2, {}, {those(3, 2)}},
                             {3, 2, 1, {}, {those(3, 2)}},
                             {4, 1, 0, {}, std::move(sent)}};
        const Verdict verdict = judged(line, Operation::reduce, steps);
        std::vector<PacketId> parts;
        for (const Violation& v : verdict.violations)
            if (v.breach == Breach::taken_apart) {
                EXPECT_EQ(std::tuple(v.round, v.node, v.other), std::tuple(4U, 1U, 0U));
                parts.push_back(v.packet);
            }
        return parts;
    };
    EXPECT_THAT(told({those(3)}), ElementsAre(3));
    EXPECT_THAT(told({those(4)}), ElementsAre(4));
    EXPECT_THAT(told({those(2, 2)}), ElementsAre(3));
    EXPECT_THAT(told({those(1), those(4)}), ElementsAre(4));
    EXPECT_THAT(told({those(1, 3)}), ElementsAre(3));
    for (const std::vector<PacketBlock>& lawful : std::vector<std::vector<PacketBlock>>{{those(1)},
                                                                                        {those(2)},
                                                                                        {those(1, 2)},
                                                                                        {those(3, 2)},
                                                                                        {those(1), those(3, 2)},
                                                                                        {those(2, 3)},
                                                                                        {those(1, 4)}})
        EXPECT_THAT(told(lawful), IsEmpty());
}

/// How often a value is taken apart where node 0 of complete:9 receives {1}, {2, 3} and {4, 5, 6, 7}, each as large as what
/// it holds, perhaps {8} `before` or after them, and sends some contributions to node 8.
std::uint64_t taken_apart(const PacketBlock& sent, bool before = false) {
    const Round first = before ? 2 : 1;
    Steps steps = {{first, 1, 0, {}, {those(1)}},        {first, 3, 2, {}, {those(3)}},
                   {first, 5, 4, {}, {those(5)}},        {first, 7, 6, {}, {those(7)}},
                   {first + 1, 2, 0, {}, {those(2, 2)}}, {first + 1, 6, 4, {}, {those(6, 2)}},
                   {first + 2, 4, 0, {}, {those(4, 4)}}};
    const Step other{before ? 1U : 4U, 8, 0, {}, {those(8)}};
    steps.insert(before ? steps.begin() : steps.end(), other);
    steps.push_back({5, 0, 8, {}, {sent}});
    const Machine machine = test::machine("complete:9");
    const Verdict verdict = judged(machine, Operation::reduce, steps, 8);
    EXPECT_EQ(counted(verdict, Breach::sent_unheld), 0U);
    return counted(verdict, Breach::taken_apart);
}

TEST(AScheduleOfAReduction, PartsValuesThatDoubledWhatANodeHoldsOnlyWhereTheyJoined) {
    for (const bool before : {false, true}) {
        for (const PacketBlock& whole : {those(0), those(1), those(0, 2), those(2, 2), those(0, 4), those(1, 3),
                                         those(4, 4), those(2, 6), those(1, 7), those(0, 8), those(8), those(4, 5)})
            EXPECT_EQ(taken_apart(whole, before), 0U) << whole.first << " and " << whole.count;
        for (const PacketBlock& part :
             {those(2), those(3), those(1, 2), those(0, 3), those(4), those(4, 2), those(6, 2), those(5, 3),
              those(3, 5), those(0, 7), PacketBlock{0, 2, 4}, those(7, 2)})
            EXPECT_EQ(taken_apart(part, before), 1U) << part.first << " and " << part.count;
    }
}

/// Node 0 of complete:202 gets {2, 3}, {4, 5}, ... {198, 199}, in any order and perhaps the last of them twice, and sends some
/// contributions to node 201.
std::uint64_t taken_apart_of_pairs(const std::vector<PacketBlock>& sent, bool one_twice) {
    Steps steps;
    std::vector<Step> pairs;
    for (NodeId low = 2; low < 200; low += 2) {
        steps.push_back({1, low + 1, low, {}, {those(static_cast<std::uint32_t>(low) + 1)}});
        pairs.push_back({2, low, 0, {}, {those(static_cast<std::uint32_t>(low), 2)}});
    }
    std::ranges::shuffle(pairs, std::minstd_rand(7));
    if (one_twice) pairs.push_back({3, 198, 0, {}, {those(198, 2)}});
    steps.insert(steps.end(), pairs.begin(), pairs.end());
    // Frequent queries are answered by an index.
    for (Round round = 4; round < 8; ++round) steps.push_back({round, 0, 200, {}, {those(2, 100)}});
    steps.push_back({8, 0, 201, {}, sent});
    const Verdict verdict = judged(machine("complete:202", PortLimit::all()), Operation::reduce, steps, 201);
    EXPECT_EQ(counted(verdict, Breach::sent_unheld), 0U);
    return counted(verdict, Breach::taken_apart);
}

TEST(AScheduleOfAReduction, PartsNoneOfManyValuesThatCameToANode) {
    for (const bool one_twice : {false, true})
        for (std::uint32_t first = 2; first < 200; first += 7)
            for (std::uint32_t count = 1; first + count <= 200; count += 31) {
                const std::uint64_t parted = first % 2 != 0 || count % 2 != 0 ? 1 : 0;
                EXPECT_EQ(taken_apart_of_pairs({those(first, count)}, one_twice), parted) << first << " and " << count;
            }
    EXPECT_EQ(taken_apart_of_pairs({those(0), those(2, 40), those(60, 20)}, false), 0U);
    EXPECT_EQ(taken_apart_of_pairs({those(2, 40), those(60, 21)}, false), 1U);
    EXPECT_EQ(taken_apart_of_pairs({PacketBlock{2, 2, 10}}, false), 1U) << "one of each of ten pairs";
}

TEST(AScheduleOfAReduction, GivesNoPrefixOfAValueThatHasMore) {
    // A scan on line:3: node 1 gets {0, 2} folded, and its prefix is {0, 1}.
    const Machine line = test::wormhole(machine("line:3"));
    const Steps steps = {{1, 0, 2, {1, 1}, {those(0)}}, {2, 2, 1, {}, {{0, 2, 2}}}};
    EXPECT_THAT(test::sentences(judged(line, Operation::scan, steps), *line.topology),
                testing::IsSupersetOf({"delivery broken: the result of node 1 lacks the contribution of node 0"}));
}

// With runs, {0} and {2} are two partial results, and node 1 takes the first; {1, 2} is one, which cannot be taken
// apart.
TEST(AScheduleOfAReduction, KeepsRunsApart) {
    const Machine line = test::wormhole(machine("line:3"));
    Collective in_runs{Operation::scan, 0, 8};
    in_runs.in_runs = true;
    const auto told = [&](const Steps& steps) {
        return test::sentences(audit(test::schedule(*line.topology, steps), line, in_runs, false), *line.topology);
    };
    const Steps apart = {{1, 0, 2, {1, 1}, {those(0)}}, {2, 2, 1, {}, {{0, 2, 2}}}};
    EXPECT_THAT(told(apart), ElementsAre("delivery broken: the result of node 2 lacks the contribution of node 1"));
    const Steps together = {{1, 1, 2, {}, {those(1)}}, {2, 2, 0, {0, 0}, {those(1, 2)}}, {3, 0, 1, {}, {those(2)}}};
    EXPECT_THAT(
        told(together),
        testing::Contains(HasSubstr("node 0 sends contribution 2 in round 3 and has it only folded with others")));
    EXPECT_EQ(audit(test::schedule(*line.topology, apart), line, in_runs, false).metrics.volume, 24U);
}

// {3} and {0} of each segment, which come to node 1 of a ring of 4 together, are neighbours around the nodes and no run: they may
// be sent apart, and count as two values.
TEST(AScheduleOfAReduction, KeepsRunsOfSeveralSegmentsApart) {
    const Machine ring = test::wormhole(machine("ring:4"));
    const auto told = [&](bool in_runs) {
        Collective scan{Operation::scan, 0, 8};
        scan.in_runs = in_runs;
        scan.packets_each = 2;
        const auto both = [](std::uint32_t v) { return packets_of(Progression{v}, 2); };
        const Steps steps = {{1, 3, 0, {}, {both(3)}}, {2, 0, 1, {}, {both(0), both(3)}}, {3, 1, 2, {}, {both(0)}}};
        return audit(test::schedule(*ring.topology, steps), ring, scan, false);
    };
    const auto parted = [&](bool in_runs) {
        return std::ranges::count_if(test::sentences(told(in_runs), *ring.topology), [](const std::string& sentence) {
            return sentence.find("only folded with others") != std::string::npos;
        });
    };
    EXPECT_EQ(told(true).metrics.volume, 8U * (2 + 4 + 2));
    EXPECT_EQ(parted(true), 0);
    EXPECT_EQ(told(false).metrics.volume, 8U * (2 + 2 + 2));
    EXPECT_EQ(parted(false), 1);
}

TEST(AScheduleOfAReduction, IsCaughtWhenAContributionComesTwice) {
    Steps twice = down_a_line;
    twice.push_back({3, 1, 0, {}, {those(2)}});
    EXPECT_THAT(audited(Operation::reduce, twice),
                ElementsAre(HasSubstr("NODUP broken: node 0 receives packet 2 again")));
}

TEST(AScheduleOfAReduction, MayReturnTheResultOnceToItsMaker) {
    // Everybody makes the result; node 0 sends it and gets it back, which breaks NOHO, and again, which breaks NODUP too.
    Steps made = {{1, 0, 1, {}, {those(0)}}, {1, 1, 0, {}, {those(1)}}, {1, 1, 2, {}, {those(1)}},
                  {1, 2, 1, {}, {those(2)}}, {2, 1, 0, {}, {those(2)}}, {2, 1, 2, {}, {those(0)}},
                  {3, 0, 1, {}, {those(3)}}, {4, 1, 0, {}, {those(3)}}};
    const auto told = [&] {
        const Machine line = machine("line:3", PortLimit(2));
        return test::sentences(judged(line, Operation::allreduce, made), *line.topology);
    };
    EXPECT_THAT(told(), ElementsAre(HasSubstr("NOHO broken: node 0 receives packet 3")));
    made.push_back({5, 1, 0, {}, {those(3)}});
    EXPECT_THAT(told(), ElementsAre(HasSubstr("NOHO broken: node 0 receives packet 3"),
                                    HasSubstr("NODUP broken: node 0 receives packet 3 again"),
                                    HasSubstr("NOHO broken: node 0 receives packet 3")));
}

TEST(AScheduleOfAReduction, GivesOfAScanTheSumOfAllToTheLastNodeAlone) {
    // Node 2 makes the result of all, which is only its own prefix.
    const Steps whole = {
        {1, 0, 1, {}, {those(0)}}, {2, 1, 2, {}, {those(0, 2)}}, {3, 2, 1, {}, {those(3)}}, {4, 1, 0, {}, {those(3)}}};
    EXPECT_THAT(audited(Operation::scan, whole), IsEmpty()) << "nodes 0 and 1 have their prefixes besides";
    const Steps no_prefix = {{1, 0, 2, {1, 1}, {those(0)}}, {1, 1, 2, {}, {those(1)}}, {2, 2, 1, {}, {those(3)}}};
    Machine line = test::wormhole(machine("line:3", PortLimit(2)));
    EXPECT_THAT(test::sentences(judged(line, Operation::scan, no_prefix), *line.topology),
                testing::Contains("delivery broken: the result of node 1 lacks the contribution of node 0"));
}

TEST(AScheduleOfAReduction, IsCaughtWhenAContributionIsForwardedInTheRoundOfItsArrival) {
    const Steps early = {{1, 2, 1, {}, {those(2)}}, {1, 1, 0, {}, {those(1, 2)}}};
    EXPECT_THAT(audited(Operation::reduce, early),
                testing::UnorderedElementsAre(HasSubstr("node 1 sends packet 2 in round 1 and does not hold it"),
                                              HasSubstr("NOHO broken: node 1 receives packet 2")));
}

}  // namespace
}  // namespace kport
