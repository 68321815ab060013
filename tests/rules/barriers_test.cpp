/// @file barriers_test.cpp   Barriers, permutations and reduce-scatters whose promise is broken: the report names each.
#include <array>
#include <vector>

#include "algorithms/catalogue.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/free_running.hpp"
#include "tests/rules/breaches.hpp"

namespace kport {
namespace {

using test::leftwards;
using test::machine;
using test::rightwards;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Job everybody(const Machine& machine, const Collective& collective, ProgramFactory program) {
    Job job;
    job.machine = machine;
    job.collective = collective;
    job.program = std::move(program);
    job.all_start = true;
    return job;
}

/// What lockstep says, and the free engine the same.
std::vector<std::string> told(const Job& job) {
    std::vector<std::string> all;
    for (const EngineKind engine : {EngineKind::lockstep, EngineKind::free}) {
        RunOptions options;
        options.engine = engine;
        const RunResult result = run(job, options);
        std::vector<std::string> sentences;
        for (const Violation& violation : result.verdict.violations)
            sentences.push_back(sentence(violation, *job.machine.topology));
        EXPECT_EQ(result.verdict.lawful(), sentences.empty());
        if (engine == EngineKind::lockstep)
            all = sentences;
        else
            EXPECT_EQ(sentences, all);
    }
    return all;
}

PacketSet own_of(const Node& self) { return PacketSet::range(self.id(), self.id() + 1); }

// ------------------------------------------------------------------------------------------------------------- barriers

TEST(ABarrier, IsLeftByNoNodeThatDoesNotKnowOfAll) {
    // Node 0 signals and goes; the others wait for word of all.
    const auto sentences = told(everybody(machine("line:2"), Collective::barrier(), [](Node& self) -> Program {
        const Port port = self.id() == 0 ? rightwards : leftwards;
        const PacketSet own = own_of(self);
        co_await self.send(port, own);
        if (self.id() == 1) co_await self.receive(port);
    }));
    EXPECT_THAT(sentences,
                ElementsAre(HasSubstr("node 0 leaves in round 1 and does not know yet that node 1 has entered")));
}

TEST(ABarrier, ThatInformsOneNodeTooLittleIsNotDelivered) {
    const auto sentences = told(everybody(machine("line:3"), Collective::barrier(), [](Node& self) -> Program {
        const PacketSet own = own_of(self);
        if (self.id() == 0) {
            co_await self.send(rightwards, own);
            co_await self.receive(rightwards);
        } else if (self.id() == 1) {
            co_await self.send(leftwards, own);  // of node 2 it never hears
            co_await self.receive(leftwards);
        }
    }));
    EXPECT_THAT(sentences,
                Contains(HasSubstr("node 0 leaves in round 2 and does not know yet that node 2 has entered")));
    EXPECT_THAT(sentences,
                Contains(HasSubstr("node 2 leaves in round 1 and does not know yet that node 0 has entered")));
    EXPECT_THAT(sentences, Contains(HasSubstr("node 2 never receives 2 packets, the lowest is packet 0")));
}

TEST(ABarrier, MayHearTheSameAgainAndCombinesWithoutCombining) {
    Machine pair = machine("line:2");
    pair.combining = false;
    const Job job = everybody(pair, Collective::barrier(), [](Node& self) -> Program {
        const Port port = self.id() == 0 ? rightwards : leftwards;
        PacketSet known = own_of(self);
        for (int round = 0; round < 2; ++round) {
            co_await self.send(port, known);
            const Arrival arrival = co_await self.receive(port);
            known.include(arrival.packets());
        }
    });
    EXPECT_THAT(told(job), IsEmpty());
    const Metrics metrics = run(job, {}).verdict.metrics;
    EXPECT_EQ(metrics.rounds, 2U);
    EXPECT_EQ(metrics.volume, 0U);
}

TEST(ABarrier, HasNeitherBytesNorPacketsToChoose) {
    Collective with_bytes = Collective::barrier();
    with_bytes.packet_bytes = 8;
    Collective of_two = Collective::barrier();
    of_two.packets_each = 2;
    const auto topology = make_topology("line:2");
    EXPECT_THROW(require_valid(with_bytes, *topology), RequestError);
    EXPECT_THROW(require_valid(of_two, *topology), RequestError);
    EXPECT_NO_THROW(require_valid(Collective::barrier(), *topology));
}

// --------------------------------------------------------------------------------------------------------- permutations

TEST(APermutation, ThatBringsAPacketToTheWrongNodeLacksItAtTheRightOne) {
    // A shift by 1 on a ring, done backwards.
    const Collective shift = Collective::permuted({Permutation::Kind::shift, 1}, 8);
    const auto sentences = told(everybody(machine("ring:4"), shift, [](Node& self) -> Program {
        const PacketSet own = own_of(self);
        co_await self.send(leftwards, own);
        co_await self.receive(rightwards);
    }));
    EXPECT_THAT(sentences,
                ElementsAre(HasSubstr("node 0 never receives packet 3"), HasSubstr("node 1 never receives packet 0"),
                            HasSubstr("node 2 never receives packet 1"), HasSubstr("node 3 never receives packet 2")));
}

// ------------------------------------------------------------------------------------------------------ reduce-scatters

/// Two nodes; node b ends with block b. `fold`: what a node makes of its own block and the other's value of it.
Job two_nodes(std::function<Value(Node&, const Value&, const Value&)> fold) {
    return everybody(machine("line:2"), Collective::reduce_scatter(8), [fold = std::move(fold)](Node& self) -> Program {
        const Port port = self.id() == 0 ? rightwards : leftwards;
        const Value all = self.contribution();
        const Value theirs = self.cut(all, 1 - self.id(), 1);
        co_await self.send(port, theirs);
        const Arrival arrival = co_await self.receive(port);
        self.result(fold(self, self.cut(all, self.id(), 1), arrival.value()));
    });
}

TEST(AReduceScatter, GivesEachNodeItsBlock) {
    const Job job = two_nodes([](Node& self, const Value& own, const Value& other) { return self.fold(own, other); });
    EXPECT_THAT(told(job), IsEmpty());
    EXPECT_EQ(run(job, {}).verdict.compared_bytes, 16U);
}

TEST(AReduceScatter, LacksAContributionThatIsNotFolded) {
    const auto sentences = told(two_nodes(
        [](Node& self, const Value& own, const Value& other) { return self.id() == 0 ? own : self.fold(own, other); }));
    EXPECT_THAT(sentences, Contains(HasSubstr("the result of node 0 lacks the contribution of node 1 of segment 0")));
}

TEST(AReduceScatter, OwesNoOtherBlock) {
    const auto sentences = told(everybody(machine("line:2"), Collective::reduce_scatter(8), [](Node& self) -> Program {
        const Port port = self.id() == 0 ? rightwards : leftwards;
        const Value all = self.contribution();
        co_await self.send(port, all);
        const Arrival arrival = co_await self.receive(port);
        self.result(self.fold(all, arrival.value()));
    }));
    EXPECT_THAT(sentences, Contains(HasSubstr("the result of node 0 has the contribution of node 0")));
}

}  // namespace
}  // namespace kport
