/// @file shown_test.cpp   An engine that shows the auditor one thing at the senders and another at the receivers, or in another
///                        round: each of its faults shows as a broken rule.
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::machine;
using test::wormhole;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A broadcast down a line of five, two rounds of 1 and 2 hops from the middle, shown to two shards. Each test decides
/// what the engine does wrong.
struct Showing {
    std::function<bool(const Hop&)> sent = [](const Hop&) { return true; };
    std::function<bool(const Hop&)> received = [](const Hop&) { return true; };
    std::function<Hop(Hop)> as_received = [](Hop hop) { return hop; };
    std::function<Round(Round)> clock = [](Round round) { return round; };
    std::vector<unsigned> closed = {0, 1};
    bool paths = true;
};

const std::vector<std::vector<Hop>> hops = {{{2, 1, 0, 0}}, {{2, 3, 1, 0}, {1, 0, 0, 0}}, {{3, 4, 1, 0}}};

std::vector<std::string> told(const Machine& line, const Showing& showing) {
    Auditor auditor(line, Collective::broadcast(2, 8), 2, false);
    const auto shard = [](NodeId v) { return static_cast<unsigned>(v % 2); };
    for (Round r = 1; r <= hops.size(); ++r) {
        const Round round = showing.clock(r);
        std::vector<Transfer> transfers;
        for (const Hop& hop : hops[r - 1]) {
            static constexpr std::array<PacketBlock, 1> packet{};
            transfers.push_back({hop.from, hop.to, {&hop.port, 1}, packet});
            if (showing.sent(hop)) auditor.sent(shard(hop.from), round, hop);
        }
        if (line.switching == Switching::wormhole && showing.paths) auditor.paths(round, transfers);
        for (const Hop& hop : hops[r - 1])
            if (showing.received(hop)) auditor.received(shard(hop.to), round, showing.as_received(hop));
        (void)auditor.end_round(round, showing.closed);
    }
    return test::sentences(auditor.finish(), *line.topology);
}

const Machine five = machine("line:5");
const std::string each_once = ": each shows every transfer once: a fault of the engine";

TEST(WhatAnEngineShows, IsTheSameOnBothSidesOfALawfulRun) {
    EXPECT_THAT(told(five, {}), IsEmpty());
    EXPECT_THAT(told(wormhole(five), {}), IsEmpty());
}

TEST(WhatAnEngineShows, MustBeShownByTheSenders) {
    Showing showing;
    showing.sent = [](const Hop& hop) { return hop.to != 3; };
    EXPECT_THAT(told(five, showing),
                ElementsAre("transfers broken: the senders show 1 transfer of round 2, the receivers 2" + each_once));
    showing.sent = [](const Hop&) { return false; };
    EXPECT_EQ(told(five, showing).size(), 3U);
}

TEST(WhatAnEngineShows, MustBeShownByTheReceivers) {
    Showing showing;
    showing.received = [](const Hop& hop) { return hop.to != 4; };
    EXPECT_THAT(told(five, showing),
                Contains("transfers broken: the senders show 1 transfer of round 3, the receivers 0" + each_once));
}

TEST(WhatAnEngineShows, MustBeTheSameTransfers) {
    const std::vector<std::pair<const char*, std::function<void(Hop&)>>> changes = {
        {"another sender", [](Hop& hop) { hop.from = 4; }},
        {"another receiver", [](Hop& hop) { hop.to = 1; }},
        {"another port", [](Hop& hop) { hop.port = 0; }},
        {"another packet", [](Hop& hop) { hop.packet = 1; }}};
    for (const auto& [what, change] : changes) {
        Showing showing;
        showing.as_received = [&alter = change](Hop hop) {
            if (hop.to == 3) alter(hop);
            return hop;
        };
        EXPECT_THAT(
            told(five, showing),
            Contains("transfers broken: the senders show 2 transfers of round 2, the receivers others" + each_once))
            << what;
    }
    // Two messages that exchange their receivers: the same senders, the same receivers, other transfers.
    Showing crossed;
    crossed.as_received = [](Hop hop) {
        if (hop.to == 3) return Hop{2, 0, 1, 0};
        return hop.to == 0 ? Hop{1, 3, 0, 0} : hop;
    };
    EXPECT_THAT(told(five, crossed), Contains(HasSubstr("of round 2, the receivers others")));
}

TEST(WhatAnEngineShows, HasEveryPathOnWormholeMachines) {
    Showing showing;
    showing.paths = false;
    EXPECT_THAT(told(wormhole(five), showing),
                ElementsAre("transfers broken: the senders show 1 transfer of round 1, the paths 0" + each_once,
                            "transfers broken: the senders show 2 transfers of round 2, the paths 0" + each_once,
                            "transfers broken: the senders show 1 transfer of round 3, the paths 0" + each_once));
}

TEST(WhatAnEngineShows, BelongsToARoundThatIsClosed) {
    Showing showing;
    showing.closed = {0};
    EXPECT_THAT(told(five, showing),
                Contains("transfers broken: 4 ends of transfers are shown in no round that was closed; round 3 was the "
                         "last: a fault of the engine"));
}

TEST(AnEnginesClock, ThatSkipsARoundBreaksTheRules) {
    Showing showing;
    showing.clock = [](Round round) { return round + (round > 1 ? 1 : 0); };
    EXPECT_THAT(told(five, showing), ElementsAre(HasSubstr("rounds broken: no transfer in round 2")));
    showing.clock = [](Round round) { return round + 1; };
    EXPECT_THAT(told(five, showing), ElementsAre(HasSubstr("rounds broken: no transfer in round 1")));
}

TEST(AnEnginesClock, ThatStandsStillOrGoesBackBreaksTheRules) {
    Showing showing;
    showing.clock = [](Round round) { return round == 3 ? 2 : round; };
    EXPECT_THAT(told(five, showing),
                Contains("rounds broken: round 2 ends after round 2: rounds do not go back: a fault of the engine"));
}

TEST(AnEnginesClock, ThatNamesARoundAndClosesAnotherBreaksTheRules) {
    Auditor auditor(five, Collective::broadcast(2, 8), 1, false);
    const Hop hop = hops[0].front();
    auditor.sent(0, 2, hop);
    auditor.received(0, 2, hop);
    (void)auditor.end_round(1, std::vector<unsigned>{0});
    EXPECT_THAT(
        test::sentences(auditor.finish(), *five.topology),
        Contains("transfers broken: transfers are shown in round 1 that name another round: a fault of the engine"));
}

TEST(WhatAnEngineShows, CarriesASetOfPacketsOfTheOperation) {
    const auto judged = [](Operation operation, const std::vector<PacketBlock>& packets) {
        Auditor auditor(machine("line:2"), {operation, 0, 8}, 1, false);
        const Port right = 1;
        const Transfer transfer{0, 1, {&right, 1}, packets};
        auditor.sent(0, 1, transfer);
        auditor.received(0, 1, transfer);
        const RoundMetrics round = auditor.end_round(1, std::vector<unsigned>{0});
        EXPECT_LE(round.bytes, 16U) << "what there is not has no size";
        return test::sentences(auditor.finish(), *make_topology("line:2"));
    };
    EXPECT_THAT(judged(Operation::scatter, {{1}}), IsEmpty());
    EXPECT_THAT(judged(Operation::scatter, {{1}, {1}}),
                ElementsAre(HasSubstr("node 0 sends packet 1 twice in one message in round 1")))
        << "the packet comes all the same";
    EXPECT_THAT(judged(Operation::scatter, {}),
                Contains(HasSubstr("node 0 sends a message without a packet in round 1")));
    EXPECT_THAT(judged(Operation::scatter, {{1, 1, 0}}), Contains(HasSubstr("a message without a packet")));
    EXPECT_THAT(judged(Operation::scatter, {{1, 0, 3}}), Contains(HasSubstr("sends packet 1 twice")));
    EXPECT_THAT(judged(Operation::scatter, {{0, 1, 0xFFFFFFFF}}), Contains(HasSubstr("sends packet 2 in round 1")));
    EXPECT_THAT(judged(Operation::reduce, {{0}, {2}}), Contains(HasSubstr("sends packet 2, the result, with others")));
}

TEST(AHop, OfAPacketThatABroadcastDoesNotHaveBringsNoNodePacket0) {
    Auditor auditor(machine("line:2"), Collective::broadcast(0, 8), 1, false);
    for (const PacketId packet : {PacketId{0}, PacketId{1} << 40}) {
        const Hop hop{0, 1, 1, packet};
        const Round round = packet == 0 ? 1 : 2;
        auditor.sent(0, round, hop);
        auditor.received(0, round, hop);
        (void)auditor.end_round(round, std::vector<unsigned>{0});
    }
    EXPECT_THAT(test::sentences(auditor.finish(), *make_topology("line:2")),
                ElementsAre(HasSubstr("node 0 sends packet 1099511627776 in round 2, and there is none")));
}

}  // namespace
}  // namespace kport
