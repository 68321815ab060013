/// @file passing_test.cpp   What a node has passed on it does not hold any more: to send it again breaks a rule of its own, with
///                          any engine, payload and size, whether or not the bytes are still there.
#include <string>
#include <utility>
#include <vector>

#include "tests/rules/breaches.hpp"

namespace kport {
namespace {

using test::both_engines;
using test::counted;
using test::job;
using test::machine;
using test::on;
using test::rightwards;
using test::the;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

const std::string held_no_more = ": a node does not hold what it has passed on; it sends what it keeps";

Job scattering(const Machine& machine, ProgramFactory program, std::uint64_t bytes = 8) {
    Job all = job(machine, std::move(program), {0});
    all.collective = {Operation::scatter, 0, bytes};
    return all;
}

RunResult run_on(EngineKind engine, const Job& job) { return run(job, on(engine)); }

PacketSet packet_of(NodeId packet) { return PacketSet::range(packet, packet + 1); }
PacketSet packets_of(NodeId packet, NodeId other) {
    PacketSet both = packet_of(packet);
    both.add(packet_of(other));
    return both;
}

/// A scatter on complete:4. Node 1 passes packet 3 on, and node 0 sends node 2 a further one.
Program send_again(Node& self) {
    if (self.id() == 0) {
        const PacketSet first = packets_of(1, 3);
        const PacketSet second = packets_of(2, 3);
        co_await self.pass_to(1, first);
        co_await self.send_to(2, second);
        co_return;
    }
    co_await self.receive_from(self.id() == 3 ? 1 : 0);
    if (self.id() == 1) co_await self.pass_to(3, packet_of(3));
}

TEST(ANode, ThatSendsWhatItPassedOnIsReportedWhateverTheEngineAndThePayload) {
    const Machine complete = machine("complete:4");
    for (const EngineKind engine : both_engines)
        for (const std::uint64_t bytes : {0U, 1U, 8U, 64U, 511U, 512U, 4096U, 65536U})
            for (const bool payload : {false, true}) {
                Job job = scattering(complete, send_again, bytes);
                job.payload = payload;
                const RunResult result = run_on(engine, job);
                const std::vector<std::string> said = test::sentences(result, complete);
                ASSERT_FALSE(said.empty());
                EXPECT_EQ(
                    said.front(),
                    "delivery broken: node 0 sends packet 3 in round 2, which it passed on in round 1" + held_no_more);
                // Whether its bytes are still there may be another matter.
                for (std::size_t i = 1; i < said.size(); ++i)
                    EXPECT_THAT(said[i], StartsWith("delivery broken: packet 3 at node 2 differs"));
                EXPECT_EQ(the(Breach::sent_passed, result.verdict).rule(), Rule::delivery);
                EXPECT_FALSE(result.verdict.delivered);
                EXPECT_EQ(result.verdict.holders, 4U);
            }
}

TEST(ANode, ThatPassesOnWhatItPassedOnIsReported) {
    const Machine complete = machine("complete:4");
    const auto twice = [](Node& self) -> Program {
        if (self.id() == 0) {
            const PacketSet three = packet_of(3);
            co_await self.pass_to(3, three);
            co_await self.pass_to(1, packet_of(1));
            co_await self.pass_to(2, packets_of(2, 3));
            co_await self.pass_to(1, three);
        } else {
            co_await self.receive();
        }
    };
    for (const EngineKind engine : both_engines) {
        Job job = scattering(complete, twice);
        job.payload = false;
        EXPECT_THAT(
            test::sentences(run_on(engine, job), complete),
            ElementsAre(
                "delivery broken: node 0 sends packet 3 in round 3, which it passed on in round 1" + held_no_more,
                "delivery broken: node 0 sends packet 3 in round 4, which it passed on in round 1" + held_no_more));
    }
}

TEST(ANode, KeepsWhatItSendsUntilItPassesItOnAlsoWithinARound) {
    // With two ports both go in round 1; with one they take two rounds. The order is the program's.
    for (const PortLimit ports : {PortLimit(1), PortLimit(2)})
        for (const bool passes_first : {false, true})
            for (const EngineKind engine : both_engines) {
                const Machine ring = machine("ring:3", ports);
                const auto both = [=](Node& self) -> Program {
                    const PacketSet all = packets_of(1, 2);
                    if (self.id() != 0) {
                        co_await self.receive();
                    } else if (passes_first) {
                        co_await self.pass(0, all);
                        co_await self.send(1, all);
                    } else {
                        co_await self.send(0, all);
                        co_await self.pass(1, all);
                    }
                };
                Job job = scattering(ring, both);
                job.payload = false;
                const RunResult result = run_on(engine, job);
                if (!passes_first) {
                    EXPECT_THAT(test::sentences(result, ring), IsEmpty());
                    continue;
                }
                const Round again = ports == PortLimit(1) ? 2 : 1;
                EXPECT_THAT(test::sentences(result, ring),
                            ElementsAre(fmt::format(
                                "delivery broken: node 0 sends packet 1 in round {}, which it passed on in round 1{}",
                                again, held_no_more)));
            }
}

TEST(ANode, HoldsAgainWhatComesBack) {
    // That it comes back is what is wrong.
    const Machine line = machine("line:3");
    const auto to_and_fro = [](Node& self) -> Program {
        const PacketSet rest = packets_of(1, 2);
        if (self.id() == 0) {
            co_await self.pass(rightwards, rest);
            co_await self.receive();
            co_await self.send(rightwards, packet_of(2));
        } else if (self.id() == 1) {
            co_await self.receive();
            co_await self.pass(test::leftwards, packet_of(2));
            co_await self.receive();
            co_await self.pass(rightwards, packet_of(2));
        } else {
            co_await self.receive();
        }
    };
    for (const EngineKind engine : both_engines)
        for (const bool payload : {false, true}) {
            Job job = scattering(line, to_and_fro);
            job.payload = payload;
            const Verdict verdict = run_on(engine, job).verdict;
            EXPECT_EQ(counted(verdict, Breach::sent_passed), 0U);
            EXPECT_EQ(counted(verdict, Breach::received_own), 2U) << "node 0, then node 1";
            EXPECT_TRUE(verdict.delivered);
        }
}

TEST(ANode, ThatSendsSomeOfManyThatItPassedOnIsReportedWithThese) {
    // Every second packet, then the others: the ranges are many before they join. One of them goes again.
    constexpr std::uint32_t nodes = 64;
    const Machine complete = machine(fmt::format("complete:{}", nodes));
    for (const std::uint32_t again : {1U, 30U, 61U, nodes - 1})
        for (const std::uint32_t passed_before : {nodes / 2 - 1, nodes - 1}) {
            const auto program = [=](Node& self) -> Program {
                if (self.id() != 0) {
                    co_await self.receive_from(0);
                    co_return;
                }
                std::uint32_t passed = 0;
                for (const std::uint32_t parity : {0U, 1U})
                    for (std::uint32_t v = 2 - parity; v < nodes; v += 2) {
                        co_await self.pass_to(v, packet_of(v));
                        if (++passed == passed_before) co_await self.send_to(1 + again % (nodes - 1), packet_of(again));
                    }
            };
            Job job = scattering(complete, program);
            job.payload = false;
            const Verdict verdict = run_lockstep(job, {}).verdict;
            const bool is_gone = passed_before == nodes - 1 || again % 2 == 0;
            EXPECT_EQ(counted(verdict, Breach::sent_passed), is_gone ? 1U : 0U) << again << " after " << passed_before;
            if (is_gone) {
                EXPECT_EQ(the(Breach::sent_passed, verdict).packet, again);
            }
        }
}

TEST(ANode, OfAnAlltoallIsReportedWithPacketsByRowAndColumn) {
    const Machine pair = machine("hypercube:1");
    Job all = test::job_of_all(pair, [](Node& self) -> Program {
        const std::uint32_t own = static_cast<std::uint32_t>(self.id());
        const PacketSet block(PacketBlock{1 - own, 1, 1, own});
        co_await self.pass(0, block);
        if (self.id() == 1) co_await self.send(0, block);
    });
    all.collective = {Operation::alltoall, 0, 8};
    all.payload = false;
    for (const EngineKind engine : both_engines) {
        const Violation v = the(Breach::sent_passed, run_on(engine, all).verdict);
        EXPECT_EQ(v.node, 1U);
        EXPECT_EQ(v.packet, 2U);
        EXPECT_EQ(v.round, 2U);
        EXPECT_EQ(v.earlier, 1U);
    }
}

}  // namespace
}  // namespace kport
