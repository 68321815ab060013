/// @file exclusive_test.cpp   Half duplex links, pairwise machines and the strict reading of NOHO (model.md section 1): broken
///                            by the smallest schedule that breaks them, kept by the nearest lawful one, and arbitrated.
#include <array>

#include "algorithms/run_algorithm.hpp"
#include "emulator/engine/free_running.hpp"
#include "tests/rules/breaches.hpp"

namespace kport {
namespace {

using test::both_engines;
using test::breaches;
using test::job_of_all;
using test::leftwards;
using test::machine;
using test::on;
using test::rightwards;
using test::Step;
using test::strict;
using test::text;
using test::wormhole;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

Machine half_duplex_links(Machine machine) {
    machine.links = Duplex::half;
    return machine;
}
Machine pairwise(Machine machine) {
    machine.pairwise = true;
    return machine;
}
Machine strict_noho(Machine machine) {
    machine.noho = Noho::strict;
    return machine;
}

Verdict verdict_of(const Machine& machine, const std::vector<Step>& steps, Operation operation = Operation::allgather) {
    return test::judged(machine, operation, steps);
}
/// An own packet each, so that nothing but links and partners is wrong.
Step own(Round round, NodeId from, NodeId to) {
    return {round, from, to, {}, {PacketBlock{static_cast<std::uint32_t>(from)}}};
}

// -------------------------------------------------------------------------------------------------- half duplex links

TEST(HalfDuplexLinks, CarryOneDirectionARound) {
    const Machine line = half_duplex_links(machine("line:3"));
    const Verdict both = verdict_of(line, {own(1, 0, 1), own(1, 1, 0)});
    EXPECT_FALSE(both.kept(Rule::channel));
    EXPECT_THAT(test::sentences(both, *line.topology),
                Contains("channel broken: the link of node 0 by port 1 carries both directions in round 1: the message "
                         "from node 0 goes one way, and the message from node 1 the other; the links are half duplex"));
    EXPECT_TRUE(verdict_of(line, {own(1, 0, 1), own(2, 1, 0)}).kept(Rule::channel)) << "one after the other";
    EXPECT_TRUE(verdict_of(line, {own(1, 0, 1), own(1, 1, 2)}).kept(Rule::channel)) << "over two links";
    EXPECT_TRUE(verdict_of(machine("line:3"), {own(1, 0, 1), own(1, 1, 0)}).kept(Rule::channel))
        << "a full duplex link";
}

TEST(HalfDuplexLinks, AreJudgedAlongWormholePaths) {
    const Machine line = half_duplex_links(wormhole(machine("line:4")));
    const Verdict both = verdict_of(line, {own(1, 0, 2), own(1, 3, 1)});
    EXPECT_EQ(both.violation_count - verdict_of(line, {own(1, 0, 2), own(2, 3, 1)}).violation_count, 1U);
    EXPECT_THAT(test::sentences(both, *line.topology), Contains(HasSubstr("the link of node 1 by port 1")));
}

TEST(HalfDuplexLinks, LetTheHigherSenderWait) {
    const auto exchange = [](Node& self) -> Program {
        co_await self.send(self.id() == 0 ? rightwards : leftwards, PacketSet::range(self.id(), self.id() + 1));
        co_await self.receive();
    };
    Job job = job_of_all(half_duplex_links(machine("line:2")), exchange);
    job.collective = {Operation::allgather, 0, 8};
    const test::Outcome outcome = test::run(job);
    EXPECT_EQ(text(outcome.schedule), "1: 0>1 | 2: 1>0");
    EXPECT_TRUE(outcome.verdict.lawful() && outcome.verdict.delivered);
    job.machine = strict(job.machine);
    EXPECT_THAT(
        test::sentences(test::run(job).verdict, *job.machine.topology),
        ElementsAre("strict broken: the link of node 1 by port 0 is asked for in both directions in round 1: the "
                    "message from node 0 is first, the message from node 1 would have to wait"));
    EXPECT_EQ(run(job, on(EngineKind::free)).needs_rounds, NeedsRounds::claims);
}

// ----------------------------------------------------------------------------------------------------------- pairwise

TEST(Pairwise, GivesANodeOnePartnerARound) {
    const Machine line = pairwise(machine("line:3", PortLimit::all()));
    const Verdict two = verdict_of(line, {own(1, 0, 1), own(1, 1, 2)});
    EXPECT_FALSE(two.kept(Rule::ports));
    EXPECT_THAT(test::sentences(two, *line.topology),
                Contains("ports broken: node 1 has 2 partners in round 1: node 0 is one of them, and node 2 another; a "
                         "pairwise machine allows one"));
    EXPECT_TRUE(verdict_of(line, {own(1, 0, 1), own(1, 1, 0)}).kept(Rule::ports)) << "they exchange";
    EXPECT_TRUE(verdict_of(line, {own(1, 0, 1), own(2, 1, 2)}).kept(Rule::ports)) << "one after the other";
    EXPECT_TRUE(verdict_of(machine("line:3"), {own(1, 0, 1), own(1, 1, 2)}).kept(Rule::ports))
        << "not in the telephone mode";
}

TEST(Pairwise, MeetsTheEndsOfAWormholePathAlone) {
    const Machine line = pairwise(wormhole(machine("line:4")));
    EXPECT_TRUE(verdict_of(line, {own(1, 0, 3), own(1, 2, 1)}).kept(Rule::ports))
        << "1 and 2 lie on the path of the others";
    EXPECT_FALSE(verdict_of(line, {own(1, 0, 2), own(1, 2, 3)}).kept(Rule::ports));
}

TEST(Pairwise, SpreadsSendsOverRoundsAndForbidsDeclaringThem) {
    const auto both_ways = [](Node& self) -> Program {
        if (self.id() != 1) co_return;
        co_await self.send(leftwards, PacketSet::range(1, 2));
        co_await self.send(rightwards, PacketSet::range(1, 2));
    };
    const auto declared = [](Node& self) -> Program {
        const PacketSet own = PacketSet::range(1, 2);
        const std::array sends{SendRequest(leftwards, own), SendRequest(rightwards, own)};
        if (self.id() == 1) co_await self.send_together(sends);
    };
    Job job = job_of_all(strict(pairwise(machine("line:3", PortLimit::all()))), both_ways);
    job.collective = {Operation::allgather, 0, 8};
    EXPECT_EQ(text(test::run(job).schedule), "1: 1>0 | 2: 1>2");
    EXPECT_TRUE(test::run(job).verdict.kept(Rule::strict)) << "sequential sends may take several rounds";
    job.program = declared;
    for (const EngineKind engine : both_engines) {
        EXPECT_THAT(test::sentences(run(job, on(engine)).verdict, *job.machine.topology),
                    Contains("strict broken: node 1 needs more than one partner in round 1: node 0 is its partner, the "
                             "message from node 1 by port 1 would have to wait"));
    }
}

TEST(Pairwise, ReportsADeclarationBesideAWaitingClaimEquallyInAnyOrder) {
    // The claim of node 1 waits in round 1; in round 2 node 1 declares two sends, and its one port is busy.
    const auto program = [](Node& self) -> Program {
        const PacketSet own = PacketSet::range(self.id(), self.id() + 1);
        const std::array sends{SendRequest(leftwards, own), SendRequest(rightwards, own)};
        if (self.id() == 0 || self.id() == 2) co_await self.send(rightwards, own);
        if (self.id() == 0 || self.id() == 2) co_await self.send(rightwards, own);
        if (self.id() != 1) co_return;
        co_await self.send(rightwards, own);
        co_await self.next_round();
        co_await self.send_together(sends);
    };
    Job job = job_of_all(strict(pairwise(machine("ring:4"))), program);
    job.collective = {Operation::allgather, 0, 8};
    const Verdict usual = test::run(job).verdict;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SeededOrder order(seed);
        RunOptions options;
        options.per_round = true;
        options.order = &order;
        EXPECT_EQ(run_lockstep(job, options).verdict, usual) << seed;
    }
}

TEST(Pairwise, LetsWhoHasAPartnerWait) {
    const auto around = [](Node& self) -> Program {
        co_await self.send(rightwards, PacketSet::range(self.id(), self.id() + 1));
        co_await self.receive(leftwards);
    };
    Job job = job_of_all(pairwise(machine("ring:5")), around);
    job.collective = {Operation::allgather, 0, 8};
    const test::Outcome outcome = test::run(job);
    EXPECT_EQ(text(outcome.schedule), "1: 0>1 2>3 | 2: 1>2 3>4 | 3: 4>0") << "as with half duplex ports";
    EXPECT_TRUE(outcome.verdict.kept(Rule::ports));
    job.machine = strict(job.machine);
    EXPECT_THAT(
        test::sentences(test::run(job).verdict, *job.machine.topology),
        Contains(HasSubstr("strict broken: node 1 needs more than one partner in round 1: node 0 is its partner")));
}

// ------------------------------------------------------------------------------------------------------- strict NOHO

TEST(StrictNoho, AllowsAPacketToComeBackInTheRoundInWhichItIsSentAndInNoLater) {
    const std::vector<Step> crossing = {{1, 0, 1}, {1, 0, 2}, {2, 1, 2}, {2, 2, 1}};
    const std::vector<Step> later = {{1, 0, 1}, {2, 1, 2}, {3, 2, 1}};
    for (const Operation& operation : {Operation::broadcast, Operation::allgather}) {
        const Machine wide = machine("complete:3", PortLimit::all());
        EXPECT_FALSE(verdict_of(wide, crossing, operation).kept(Rule::noho));
        EXPECT_TRUE(verdict_of(strict_noho(wide), crossing, operation).kept(Rule::noho));
        for (const Machine& either : {wide, strict_noho(wide)}) {
            EXPECT_FALSE(verdict_of(either, later, operation).kept(Rule::noho));
            EXPECT_FALSE(verdict_of(either, {{1, 0, 1}, {2, 1, 2}, {3, 1, 2}, {3, 2, 1}}, operation).kept(Rule::noho))
                << "sent in an earlier round as well";
        }
    }
}

TEST(StrictNoho, NamesTheRoundInWhichItWasSent) {
    EXPECT_THAT(
        breaches(strict_noho(machine("complete:3", PortLimit::all())), {{1, 0, 1}, {2, 1, 2}, {3, 1, 0}, {3, 2, 1}}),
        Contains("NOHO broken: node 1 receives packet 0, which it sent itself: round 2 sent, round 3 from node "
                 "2 by port 1 received"));
}

/// model.md section 3.1: the two readings differ on graphs with an odd cycle.
TEST(StrictNoho, IsKeptByFloodingOnEveryGraph) {
    for (const char* spec : {"ring:5", "complete:4", "torus:3x3", "ring:6", "hypercube:3", "mesh:2x3"}) {
        Machine wide = machine(spec, PortLimit::all());
        Collective collective;
        const Algorithm& flooding = algorithm_named("flooding", wide, collective, {});
        const auto noho_on = [&](const Machine& m) {
            return run_algorithm(flooding, m, collective, {}, Payload{}, RunOptions{}).verdict.kept(Rule::noho);
        };
        const bool odd = std::string_view(spec) == "ring:5" || std::string_view(spec) == "complete:4" ||
                         std::string_view(spec) == "torus:3x3";
        EXPECT_EQ(noho_on(wide), !odd) << spec;
        EXPECT_TRUE(noho_on(strict_noho(wide))) << spec;
    }
}

TEST(AMachine, SaysWhatIsNotItsDefault) {
    EXPECT_EQ(machine("ring:4").describe(), "1-port full duplex, store-and-forward");
    EXPECT_EQ(half_duplex_links(pairwise(strict_noho(machine("ring:4")))).describe(),
              "1-port full duplex, store-and-forward, half duplex links, pairwise, strict NOHO");
}

/// A port that a waiting claim keeps busy is one of all the node's, where it may use all.
TEST(AllPorts, AreAsManyAsTheNodeHasForClaimsThatWaitToo) {
    const auto program = [](Node& self) -> Program {
        if (self.id() == 0) co_await self.send_to(2, Packet(0));
        if (self.id() != 3) co_return;
        co_await self.send_to(1, Packet(0));
        co_await self.next_round();
        co_await self.send_to(2, Packet(0));
    };
    for (const PortLimit ports : {PortLimit(1), PortLimit::all()}) {
        Job job = job_of_all(wormhole(machine("line:4", ports)), program);
        job.machine.links = Duplex::half;  // 0>2 takes the link that 3>1 needs
        EXPECT_EQ(text(test::run(job).schedule), "1: 0>2 | 2: 3>1 | 3: 3>2") << ports.text() << " ports of one";
    }
}

}  // namespace
}  // namespace kport
