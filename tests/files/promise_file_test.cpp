/// @file promise_file_test.cpp   Promises in files (docs/schedules.md): read, judged, bounded; wrong text is refused.
#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "algorithms/bounds/bounds.hpp"
#include "app/files/promise_file.hpp"
#include "app/files/schedule_forms.hpp"
#include "emulator/audit/audit_schedule.hpp"
#include "emulator/base/error.hpp"

namespace kport {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const char* const halves =
    "promise halves\non complete:4\npackets 4\nsize 2..3 = 128\n"
    "owns 0-1: 0..1\nowns 2: 2, 3\nwants 3: 0, 2   # a comment\nwants 2: 0..1\n";

ToldPromise promised(const std::string& text, const std::string& on = "") {
    std::istringstream in(text);
    return read_promise(in, "p.txt", on.empty() ? nullptr : make_topology(on), 64);
}

std::string why_no_promise(const std::string& text) {
    try {
        (void)promised(text);
    } catch (const RequestError& error) {
        EXPECT_THAT(error.what(), StartsWith("promise 'p.txt'"));
        return std::string(error.what()).substr(std::string("promise 'p.txt'").size());
    }
    return "accepted";
}

Verdict judged_by(const ToldPromise& promise, const std::string& rounds, Port ports = 1, bool combining = true) {
    ScheduleContext context;
    context.machine.topology = promise.topology;
    context.machine.ports = PortLimit(ports);
    context.machine.combining = combining;
    context.operation = promise.collective.operation;
    context.promise = promise.collective;
    context.packets_each = 1;
    std::istringstream in(rounds);
    const ToldSchedule told = read_any_schedule(in, "s.txt", context).told;
    return audit(told.schedule, context.machine, told.collective, false);
}

TEST(PromiseFile, SaysWhoOwnsAndWantsWhatAndHowLargeItIs) {
    const ToldPromise told = promised(halves);
    EXPECT_EQ(told.topology->spec(), "complete:4");
    EXPECT_EQ(told.collective.own()->title, "halves");
    EXPECT_EQ(told.collective.own()->file, "p.txt");
    EXPECT_EQ(told.collective.owned(1, 4).size(), 2U);
    EXPECT_EQ(told.collective.wanted(3, 4).size(), 2U);
    EXPECT_TRUE(told.collective.wanted(0, 4).empty());
    ASSERT_TRUE(told.collective.has_sizes());
    EXPECT_EQ(told.collective.counts->bytes()->numbers(), (std::vector<std::uint32_t>{64, 64, 128, 128}));
    EXPECT_THAT(told.remarks,
                testing::ElementsAre(HasSubstr("no node wants 1 packet of the promise, packet 3 the first")));
    EXPECT_EQ(promised(halves, "ring:4").topology->spec(), "ring:4") << "the machine that is asked for counts";
}

// 1 sends {0, 1} to 2 while 2 sends {2} to 3, which still lacks 0.
TEST(PromiseFile, IsJudgedAsAnyOperation) {
    const ToldPromise told = promised(halves);
    const std::string first = "round 1: 1 -> 2 {0, 1}, 2 -> 3 {2}\n";
    const Verdict kept = judged_by(told, first + "round 2: 0 -> 3 {0}\n");
    EXPECT_TRUE(kept.lawful());
    EXPECT_EQ(kept.metrics.volume, 128U + 64U) << "a message has the bytes of its packets";
    EXPECT_EQ(kept.metrics.work, 3U);
    EXPECT_FALSE(judged_by(told, first).delivered) << "node 3 lacks packet 0";
    EXPECT_FALSE(judged_by(told, first + "round 2: 1 -> 3 {2}\n").kept(Rule::delivery))
        << "node 1 does not hold packet 2";
    EXPECT_FALSE(judged_by(told, first + "round 2: 0 -> 3 {0}\n", 1, false).kept(Rule::combining));
    EXPECT_FALSE(
        judged_by(told, "round 1: 1 -> 2 {0}, 0 -> 2 {1}, 2 -> 3 {2}\nround 2: 0 -> 3 {0}\n").kept(Rule::ports));
}

TEST(PromiseFile, LetsOthersPassPacketsOnUnlessItSaysWho) {
    const std::string text = "on line:3\npackets 1\nowns 0: 0\nwants 2: 0\n";
    const std::string rounds = "round 1: 0 -> 1 {0}\nround 2: 1 -> 2 {0}\n";
    EXPECT_TRUE(judged_by(promised(text), rounds).lawful());
    EXPECT_TRUE(judged_by(promised(text + "relay all\n"), rounds).lawful());
    EXPECT_TRUE(judged_by(promised(text + "relay 1\n"), rounds).lawful());
    const Verdict broken = judged_by(promised(text + "relay none\n"), rounds);
    EXPECT_EQ(broken.count(Rule::relay), 2U) << "node 1 receives, and sends";
    EXPECT_TRUE(broken.delivered);
    EXPECT_FALSE(broken.lawful());
}

TEST(PromiseFile, HasTheBoundsOfItsPromise) {
    const auto bound = [](const std::string& text, Quantity quantity, Port ports = 1, bool combining = true) {
        const ToldPromise told = promised(text);
        Machine machine;
        machine.topology = told.topology;
        machine.ports = PortLimit(ports);
        machine.combining = combining;
        return lower_bounds(machine, told.collective)[quantity].largest().value_or(-1);
    };
    const std::string far = "on line:5\npackets 3\nowns 0: 0..2\nwants 4: 0..2\n";
    EXPECT_EQ(bound(far, Quantity::rounds), 4) << "R1: four links";
    EXPECT_EQ(bound(far, Quantity::rounds, 1, false), 3 + 3) << "V1: d - 1 + 3 packets, one a message";
    EXPECT_EQ(bound(far, Quantity::work), 4) << "W1: the largest distance";
    EXPECT_EQ(bound(far, Quantity::volume), 64 * 6);
    const std::string copies = "on complete:8\npackets 1\nowns 0, 1: 0\nwants 2-7: 0\n";
    EXPECT_EQ(bound(copies, Quantity::rounds), 2) << "R2: from two nodes to eight";
    EXPECT_EQ(bound(copies, Quantity::rounds, 3), 1);
    EXPECT_EQ(bound(copies, Quantity::work), 6) << "W1: each of six receives";
    EXPECT_EQ(bound("on line:6\npackets 1\nowns 1,4: 0\nwants 1,4: 0\n", Quantity::work), 0) << "nothing is lacking";
    EXPECT_EQ(bound("on line:3\npackets 2\nowns 0: 0..1\nowns 1: 0\nwants 0,1: 0..1\n", Quantity::work), 1)
        << "packet 0 has two owners: nothing has to be collected";
    const std::string all = "on complete:4\npackets 4\nowns 0: 0\nowns 1: 1\nowns 2: 2\nowns 3: 3\nwants 0-3: 0..3\n";
    EXPECT_EQ(bound(all, Quantity::work), 3 + 3) << "W2: collect, then distribute";
    const std::string corners = "on mesh:4x4\npackets 1\nowns 0: 0\nwants 3, 12, 15: 0\n";
    EXPECT_EQ(bound(corners, Quantity::work), 6) << "W3 gives ceil(4 * 9 / 6), as far as the opposite corner";
}

// Each is a single message of one round from an owner to a taker, so no run takes less.
RC_GTEST_PROP(PromiseFile, IsNeverBoundedAboveWhatALawfulRunTook, ()) {
    const auto nodes = *rc::gen::inRange<std::uint64_t>(2, 6);
    const auto packets = *rc::gen::inRange<std::uint64_t>(1, 5);
    std::string text = "on complete:" + std::to_string(nodes) + "\npackets " + std::to_string(packets) + "\n";
    std::string rounds;
    std::vector<bool> is_owned(packets);
    std::vector<std::vector<bool>> held(nodes, std::vector<bool>(packets));
    const auto say = [&](const char* word, std::uint64_t v, std::uint64_t p) {
        text += std::string(word) + " " + std::to_string(v) + ": " + std::to_string(p) + "\n";
    };
    for (std::uint64_t p = 0; p < packets; ++p) {
        const auto v = *rc::gen::inRange<std::uint64_t>(0, nodes);
        say("owns", v, p);
        held[v][p] = true;
    }
    for (std::uint64_t p = 0; p < packets; ++p) {
        std::uint64_t owner = 0;
        while (!held[owner][p]) ++owner;
        const auto v = (owner + *rc::gen::inRange<std::uint64_t>(1, nodes)) % nodes;
        say("wants", v, p);
        rounds += "round " + std::to_string(p + 1) + ": " + std::to_string(owner) + " -> " + std::to_string(v) + " {" +
                  std::to_string(p) + "}\n";
    }
    const ToldPromise told = promised(text);
    const Verdict verdict = judged_by(told, rounds);
    RC_ASSERT(verdict.lawful());
    Machine machine;
    machine.topology = told.topology;
    machine.ports = PortLimit(1);
    const Bounds bounds = lower_bounds(machine, told.collective);
    RC_ASSERT(bounds[Quantity::rounds].largest().value_or(0) <= static_cast<double>(verdict.metrics.rounds));
    RC_ASSERT(bounds[Quantity::work].largest().value_or(0) <= static_cast<double>(verdict.metrics.work));
    RC_ASSERT(bounds[Quantity::volume].largest().value_or(0) <= static_cast<double>(verdict.metrics.volume));
    RC_ASSERT(bounds[Quantity::latency].largest().value_or(0) <= verdict.metrics.latency * (1 + 1e-12));
}

TEST(PromiseFile, IsRefusedWithTheLineThatIsWrong) {
    const std::string head = "on complete:4\npackets 2\nowns 0: 0..1\n";
    EXPECT_THAT(why_no_promise(""), HasSubstr("has no line of packets or segments"));
    EXPECT_THAT(why_no_promise("# nothing\n"), HasSubstr("has no line of packets or segments"));
    EXPECT_THAT(why_no_promise(head + "want 1: 0\n"),
                HasSubstr("line 4, column 1: 'want' is unknown; did you mean 'wants'?"));
    EXPECT_THAT(why_no_promise(head + "wants 4: 0\n"), HasSubstr("line 4, column 7"));
    EXPECT_THAT(why_no_promise(head + "wants 1: 2\n"), HasSubstr("line 4, column 10"));
    EXPECT_THAT(why_no_promise(head + "wants 1: 1..0\n"), HasSubstr("line 4, column 13"));
    EXPECT_THAT(why_no_promise(head + "wants 1: 0 1\n"), HasSubstr("line 4, column 12"));
    EXPECT_THAT(why_no_promise(head + "wants 1\n"), HasSubstr("line 4"));
    EXPECT_THAT(why_no_promise(head + "packets 3\n"), HasSubstr("line 4, column 1: a second number of packets"));
    EXPECT_THAT(why_no_promise("on complete:4\nowns 0: 0\n"), HasSubstr("how many packets are there"));
    EXPECT_THAT(why_no_promise("packets 2\nowns 0: 0\n"), HasSubstr("on which machine is 'owns'"));
    EXPECT_THAT(why_no_promise("on complete:4\npackets 2\nowns 0: 0\nwants 1: 0..1\n"),
                HasSubstr("line 4, column 1: packet 1 is wanted, and no node owns it"));
    EXPECT_THAT(why_no_promise(head + "on ring:4\n"), HasSubstr("a second topology"));
    EXPECT_THAT(why_no_promise("on complete:x\n"), HasSubstr("line 1, column 4"));
    EXPECT_THAT(why_no_promise(head + "size 0 = 0\n"), HasSubstr("want 1 to 4294967294"));
    EXPECT_THAT(why_no_promise(head + "size 0 = 8\nsize 0..1 = 9\n"), HasSubstr("packet 0 has a size already"));
    EXPECT_THAT(why_no_promise(head + "size 0 8\n"), HasSubstr("line 4"));
    EXPECT_THAT(why_no_promise(head + "relay some\n"), HasSubstr("line 4, column 7"));
    EXPECT_THAT(
        why_no_promise(head + "gives 0: 0\n"),
        HasSubstr("line 4, column 1: 'gives' is of segments, and the file promises packets; want owns and wants"));
    EXPECT_THAT(why_no_promise("on line:1048577\npackets 1\nowns 0: 0\n"),
                HasSubstr("a promise in a file is of at most 1048576"));
}

const char* const two_sums =
    "promise two-sums\non complete:4\nsegments 2\ngives 0-3: 0, 1\ntakes 0: 0 of 0-3\n"
    "takes 1-3: 1 of 0, 2 in order\nrelay none\n";

TEST(PromiseFile, SaysWhoTakesWhichFoldsOfWhoseContributions) {
    const Collective told = promised(two_sums).collective;
    EXPECT_TRUE(told.folds());
    EXPECT_EQ(told.segments(4), 2U);
    EXPECT_EQ(told.owned(3, 4).size(), 2U);
    ASSERT_NE(told.own_folds(), nullptr);
    EXPECT_EQ(told.own_folds()->all().size(), 4U);
    EXPECT_FALSE(told.own_folds()->takes_in_order(0, 0));
    EXPECT_TRUE(told.own_folds()->takes_in_order(3, 1));
    EXPECT_EQ(told.own_folds()->in_result(1).size(), 2U) << "all takers of segment 1 take nodes 0 and 2";
    EXPECT_TRUE(told.gives_result(2));
    EXPECT_THAT(
        promised(two_sums).remarks,
        testing::ElementsAre("no node takes 2 contributions of the promise, that of node 1 to segment 1 the first"));
    const Collective ranges =
        promised("on complete:3\nsegments 4\ngives 0-2: 0..3\ntakes 2,0: 1..2, 3 of 2,0\n").collective;
    EXPECT_EQ(ranges.own_folds()->all().size(), 6U) << "a line may name several segments";
    EXPECT_FALSE(ranges.gives_result(1));
}

TEST(PromiseFile, OfFoldsIsJudgedAsAnyReduction) {
    const ToldPromise told = promised(two_sums);
    const std::string first = "round 1: 0 -> 2 {0:1}, 1 -> 0 {1:0}\n";
    const std::string last = "round 3: 2 -> 1 {0:1, 2:1}\nround 4: 2 -> 0 {2:0}\n";
    const Verdict kept = judged_by(told, first + "round 2: 2 -> 3 {0:1, 2:1}, 3 -> 0 {3:0}\n" + last);
    EXPECT_TRUE(kept.lawful());
    EXPECT_EQ(kept.metrics.volume, 4U * 64) << "a value has the size of one packet, whatever is folded in it";
    EXPECT_TRUE(judged_by(told, first + "round 2: 2 -> 3 {result:1}, 3 -> 0 {3:0}\n" + last).lawful())
        << "the result of segment 1 is what its takers take";
    EXPECT_FALSE(judged_by(told, first + last).delivered)
        << "node 3 takes nothing, node 0 lacks the contribution of node 3";
    EXPECT_FALSE(judged_by(told, first + "round 2: 2 -> 3 {2:1}, 3 -> 0 {3:0}\n" + last).delivered);
    EXPECT_FALSE(judged_by(told, first + "round 2: 2 -> 3 {0:1, 2:1}, 3 -> 0 {3:0}\nround 3: 2 -> 1 {0:1}\n")
                     .kept(Rule::delivery))
        << "node 1 lacks the contribution of node 2";
    EXPECT_FALSE(judged_by(told, "round 1: 1 -> 0 {1:0}\nround 2: 1 -> 0 {1:0}\n").kept(Rule::nodup));
    EXPECT_FALSE(
        judged_by(told, first + "round 2: 2 -> 3 {0:1, 2:1}, 3 -> 0 {3:0}\n" + last, 1, false).kept(Rule::ports) &&
        judged_by(told, "round 1: 3 -> 0 {3:0..1}\n", 1, false).kept(Rule::combining))
        << "two values in a message";
}

TEST(PromiseFile, OfFoldsHasTheRulesOfValues) {
    const auto breaks = [](const std::string& promise, const std::string& rounds, Breach breach) {
        const Verdict verdict = judged_by(promised("on complete:4\nsegments 1\n" + promise), rounds, 3);
        return std::ranges::any_of(verdict.violations, [&](const Violation& found) { return found.breach == breach; });
    };
    const std::string all = "gives 0-3: 0\ntakes 3: 0 of 0-2";
    const std::string apart = "round 1: 3 -> 2 {3}\nround 2: 2 -> 1 {2,3}\nround 3: 1 -> 3 {1,2}\n";
    EXPECT_TRUE(breaks(all + "\n", apart, Breach::taken_apart)) << "node 1 has node 2 only with node 3";
    const std::string crossed = "round 1: 0 -> 2 {0}\nround 2: 2 -> 1 {0,2}\nround 3: 1 -> 3 {0..2}\n";
    EXPECT_FALSE(breaks(all + "\n", crossed, Breach::not_side_by_side));
    EXPECT_TRUE(breaks(all + " in order\n", crossed, Breach::not_side_by_side)) << "0 and 2 are no neighbours there";
    const std::string lists = "gives 0-3: 0\ntakes 3: 0 of 0-2 in order\ntakes 1: 0 of 0,2 in order\n";
    const std::string both = "round 1: 0 -> 2 {0}\nround 2: 2 -> 1 {0,2}\n";
    EXPECT_FALSE(breaks(lists, both, Breach::not_side_by_side)) << "but in the list of node 1 they are";
    EXPECT_TRUE(breaks(lists, both + "round 3: 1 -> 3 {0..2}\n", Breach::not_side_by_side))
        << "the part has node 1 between its contributions";
    EXPECT_TRUE(breaks("gives 0-1: 0\ntakes 3: 0 of 0-1\n", "round 1: 2 -> 3 {2}\n", Breach::sent_unheld))
        << "node 2 gives nothing";
    EXPECT_TRUE(breaks("gives 0-1: 0\ntakes 3: 0 of 0-1\ntakes 2: 0 of 0\n",
                       "round 1: 0 -> 1 {0}\nround 2: 1 -> 3 {result}\n", Breach::sent_unheld))
        << "two folds of a segment have no one result";
}

TEST(PromiseFile, OfFoldsHasTheBoundsOfWhatDependsOnWhat) {
    const auto bound = [](const std::string& text, Quantity quantity, bool combining = true) {
        const ToldPromise told = promised(text);
        Machine machine;
        machine.topology = told.topology;
        machine.ports = PortLimit(1);
        machine.combining = combining;
        return lower_bounds(machine, told.collective)[quantity].largest().value_or(-1);
    };
    const std::string reduce = "on complete:8\nsegments 1\ngives 0-7: 0\ntakes 0: 0 of 0-7\n";
    EXPECT_EQ(bound(reduce, Quantity::rounds), 3) << "R4: who can still reach node 0 doubles";
    EXPECT_EQ(bound(reduce, Quantity::work), 7) << "W1: each other gives";
    EXPECT_EQ(bound("on line:5\nsegments 1\ngives 0-4: 0\ntakes 4: 0 of 0\n", Quantity::rounds), 4) << "R1";
    const std::string allreduce = "on complete:4\nsegments 3\ngives 0-3: 0..2\ntakes 0-3: 0..2 of 0-3\n";
    EXPECT_EQ(bound(allreduce, Quantity::work), 3 + 3) << "W2: collect, then distribute";
    EXPECT_EQ(bound(allreduce, Quantity::rounds), 2) << "R3";
    EXPECT_EQ(bound(allreduce, Quantity::volume), 64 * 5) << "V3: 3 segments of 6 values over 4 sends a round";
    EXPECT_EQ(bound(allreduce, Quantity::rounds, false), 5) << "a value a message";
    EXPECT_EQ(bound("on ring:6\nsegments 1\ngives 0: 0\ntakes 0: 0 of 0\n", Quantity::work), 0) << "nothing is lacking";
}

TEST(PromiseFile, OfFoldsIsRefusedWithTheLineThatIsWrong) {
    const std::string head = "on complete:4\nsegments 2\ngives 0-2: 0, 1\n";
    EXPECT_THAT(why_no_promise(head + "takes 0: 0 of 0-3\n"),
                HasSubstr("line 4, column 1: segment 0 of node 3 is taken, and the node does not give it"));
    EXPECT_THAT(why_no_promise(head + "packets 2\n"), HasSubstr("line 4, column 1: packets beside segments"));
    EXPECT_THAT(why_no_promise("packets 2\nsegments 2\n"), HasSubstr("line 2, column 1: segments beside packets"));
    EXPECT_THAT(why_no_promise(head + "segments 2\n"), HasSubstr("line 4, column 1: a second number of segments"));
    EXPECT_THAT(
        why_no_promise(head + "owns 0: 0\n"),
        HasSubstr("line 4, column 1: 'owns' is of packets, and the file promises segments; want gives and takes"));
    EXPECT_THAT(why_no_promise(head + "takes 1: 0 of 0-1\ntakes 0-1: 0 of 1-2\n"),
                HasSubstr("line 5, column 7: node 1 takes segment 0 already"));
    EXPECT_THAT(why_no_promise(head + "takes 0: 0, 0..1 of 0\n"), testing::Eq("accepted"));
    EXPECT_THAT(why_no_promise(head + "takes 4: 0 of 0\n"), HasSubstr("line 4, column 7"));
    EXPECT_THAT(why_no_promise(head + "takes 0: 2 of 0\n"), HasSubstr("line 4, column 10"));
    EXPECT_THAT(why_no_promise(head + "takes 0: 0 of 4\n"), HasSubstr("line 4, column 15"));
    EXPECT_THAT(why_no_promise(head + "gives 3: 2\n"), HasSubstr("line 4, column 10"));
    EXPECT_THAT(why_no_promise(head + "takes 0: 0 of 1,0,1\n"), HasSubstr("line 4, column 15"));
    EXPECT_THAT(why_no_promise(head + "takes 0: 0 of 1,0 in order\n"), HasSubstr("want them ascending"));
    EXPECT_THAT(why_no_promise(head + "takes 0: 0 of 0,1 in\n"), HasSubstr("line 4"));
    EXPECT_THAT(why_no_promise(head + "takes 0: 0 of 0,1 order\n"), HasSubstr("line 4"));
    EXPECT_THAT(why_no_promise(head + "takes 0: 0 of in order\n"), HasSubstr("line 4"));
    EXPECT_THAT(why_no_promise(head + "takes 0: 0 of\n"), HasSubstr("line 4"));
    EXPECT_THAT(why_no_promise(head + "takes 0: 0\n"), HasSubstr("whose contributions?"));
    EXPECT_THAT(why_no_promise(head + "takes 0: 0 from 1\n"), HasSubstr("'from 1' stands behind the segment"));
    EXPECT_THAT(why_no_promise(head + "takes 0\n"), HasSubstr("line 4"));
    EXPECT_THAT(why_no_promise(head + "give 0: 0\n"), HasSubstr("did you mean 'gives'?"));
    EXPECT_THAT(why_no_promise(head + "size 0 = 8\nsize 0 = 8\n"), HasSubstr("segment 0 has a size already"));
    EXPECT_THAT(why_no_promise("on complete:4\ngives 0: 0\n"), HasSubstr("how many segments are there"));
    EXPECT_THAT(why_no_promise("on line:1048576\nsegments 2\ngives 0-1048575: 0..1\n"),
                HasSubstr("more than 1048576 contributions"));
}

TEST(PromiseFile, OfFoldsIsWrittenInLinesThatAreReadAgain) {
    for (const std::string& text :
         {std::string(two_sums), std::string("on complete:5\nsegments 3\nsize 1 = 128\ngives 0,2: 0..1\ngives 1-4: 2\n"
                                             "takes 0: 0 of 2,0\ntakes 1,3: 2 of 1,2,4 in order\nrelay 4\n")}) {
        const ToldPromise told = promised(text);
        const std::string lines = folds_in_lines(told.collective, *told.topology);
        const ToldPromise again = promised(lines, told.topology->spec());
        EXPECT_EQ(folds_in_lines(again.collective, *told.topology), lines);
        for (NodeId v = 0; v < told.topology->nodes(); ++v) {
            EXPECT_EQ(again.collective.owned(v, told.topology->nodes()).size(),
                      told.collective.owned(v, told.topology->nodes()).size());
            EXPECT_EQ(again.collective.wanted(v, told.topology->nodes()).size(),
                      told.collective.wanted(v, told.topology->nodes()).size());
            EXPECT_EQ(again.collective.may_pass_on(v, told.topology->nodes()),
                      told.collective.may_pass_on(v, told.topology->nodes()));
        }
    }
}

RC_GTEST_PROP(PromiseFile, NeverFailsInAnotherWayThanByARequestError, ()) {
    std::string text = *rc::gen::arbitrary<bool>() ? halves : two_sums;
    const auto changes = *rc::gen::inRange(1, 6);
    for (int i = 0; i < changes; ++i) {
        const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
        const std::string letters = " ,:.=0123456789-#\nownsrelaygitkf";
        const char letter = letters[*rc::gen::inRange<std::size_t>(0, letters.size())];
        switch (*rc::gen::inRange(0, 3)) {
            case 0: text[at] = letter; break;
            case 1: text.insert(at, 1, letter); break;
            default: text.erase(at, 1);
        }
        if (text.empty()) break;
    }
    try {
        (void)promised(text);
    } catch (const RequestError&) {
    }
}

}  // namespace
}  // namespace kport
