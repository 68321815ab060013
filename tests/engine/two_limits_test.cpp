/// @file two_limits_test.cpp   Engines on machines whose nodes send and receive different numbers of messages a round.
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/base/error.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/ranks/thread_ranks.hpp"
#include "tests/engine/free_runs.hpp"
#include "tests/engine/scripts.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

using test::job_of_all;
using test::machine;
using test::wormhole;
using testing::HasSubstr;

Program sends_to_all(Node& self) {
    if (self.id() != 0) co_return;
    for (NodeId v = 1; v < self.nodes(); ++v) co_await self.send_to(v, Packet(0));
}

Program sends_to_0(Node& self) {
    if (self.id() != 0) co_await self.send_to(0, Packet(0));
}

std::string moves_of(const Machine& machine, const ProgramFactory& program) {
    Job job = job_of_all(machine, program);
    job.payload = false;
    const test::Outcome outcome = test::run(job);
    EXPECT_TRUE(outcome.verdict.kept(Rule::ports));
    return test::text(outcome.schedule);
}

TEST(TwoLimits, HoldSendsAndReceivesApart) {
    for (const bool paths : {false, true}) {
        const auto limits = [&](Port sends, Port receives) {
            const Machine of_limits = machine("complete:5", PortLimit(sends, receives));
            return paths ? wormhole(of_limits) : of_limits;
        };
        EXPECT_EQ(moves_of(limits(2, 1), sends_to_all), "1: 0>1 0>2 | 2: 0>3 0>4");
        EXPECT_EQ(moves_of(limits(1, 2), sends_to_all), "1: 0>1 | 2: 0>2 | 3: 0>3 | 4: 0>4");
        EXPECT_EQ(moves_of(limits(2, 1), sends_to_0), "1: 1>0 | 2: 2>0 | 3: 3>0 | 4: 4>0");
        EXPECT_EQ(moves_of(limits(1, 2), sends_to_0), "1: 1>0 2>0 | 2: 3>0 4>0");
        EXPECT_EQ(moves_of(limits(no_port, 1), sends_to_all), "1: 0>1 0>2 0>3 0>4");
        EXPECT_EQ(moves_of(limits(1, no_port), sends_to_0), "1: 1>0 2>0 3>0 4>0");
    }
}

TEST(TwoLimits, AreThoseOfTheNodeWhereNodesHaveTheirOwn) {
    Machine own = machine("complete:5");
    const auto limits = [&](PortLimit of_0) {
        std::vector<PortLimit> all(5, PortLimit(1));
        all[0] = of_0;
        own.node_ports = std::make_shared<const NodePorts>(NodePorts{"ports", all});
        return own;
    };
    EXPECT_EQ(moves_of(limits(PortLimit(3, 1)), sends_to_all), "1: 0>1 0>2 0>3 | 2: 0>4");
    EXPECT_EQ(moves_of(limits(PortLimit(3, 1)), sends_to_0), "1: 1>0 | 2: 2>0 | 3: 3>0 | 4: 4>0");
    EXPECT_EQ(moves_of(limits(PortLimit(1, 3)), sends_to_0), "1: 1>0 2>0 3>0 | 2: 4>0");
}

TEST(TwoLimits, MoveTheSameWithoutRounds) {
    for (const PortLimit ports : {PortLimit(2, 1), PortLimit(1, 2), PortLimit(3, no_port)})
        for (const ProgramFactory& program : {ProgramFactory(sends_to_all), ProgramFactory(sends_to_0)}) {
            Job job = job_of_all(machine("complete:5", ports), program);
            job.payload = false;
            Schedule free;
            const RunResult result = run_lockstep(job, test::options_for(2, &free));
            const test::Outcome rounds = test::run(job);
            EXPECT_EQ(test::told(result.verdict, job), test::told(rounds.verdict, job)) << ports.text();
            EXPECT_EQ(test::moves(free), test::moves(rounds.schedule)) << ports.text();
        }
}

TEST(TwoLimits, AreViolatedUnderTheStrictPolicyWhereReceivesWait) {
    const auto waits = [](PortLimit ports) {
        Job job = job_of_all(test::strict(machine("complete:3", ports)), sends_to_0);
        job.payload = false;
        return !test::run(job).verdict.kept(Rule::strict);
    };
    EXPECT_TRUE(waits(PortLimit(2, 1)));
    EXPECT_FALSE(waits(PortLimit(1, 2)));
}

/// Whole reports, from one process and from several ranks.
TEST(TwoLimits, GiveTheReportOfOneProcessOnRanks) {
    for (const PortLimit ports : {PortLimit(2, 1), PortLimit(1, 2)})
        for (const ProgramFactory& program : {ProgramFactory(sends_to_all), ProgramFactory(sends_to_0)}) {
            Job job = job_of_all(machine("complete:5", ports), program);
            job.payload = false;
            const auto report = [&](Ranks* ranks) {
                RunOptions options;
                options.ranks = ranks;
                options.partition_nodes = 1;
                options.per_round = true;
                return test::told(run_lockstep(job, options).verdict, job);
            };
            const std::string alone = report(nullptr);
            for (const std::string& told : at_each_rank(3, [&](Ranks& ranks) { return report(&ranks); }))
                EXPECT_EQ(told, alone) << ports.text();
        }
}

/// Nodes with limits of their own move as the second implementation of the policy says.
TEST(TwoLimits, OfNodesMoveAsTheReferenceDoes) {
    std::mt19937_64 random(2026);
    const test::Draw draw = [&random](std::uint64_t below) { return random() % below; };
    const std::vector<std::string> specs = {"ring:5", "complete:6", "hypercube:3", "mesh:3x3", "star:6"};
    for (int i = 0; i < 300; ++i) {
        Machine any = machine(specs[draw(specs.size())]);
        if (draw(2) == 0) any.switching = Switching::wormhole;
        NodePorts own{"ports", {}};
        for (NodeId v = 0; v < any.topology->nodes(); ++v)
            own.limits.emplace_back(static_cast<Port>(1 + draw(3)), static_cast<Port>(1 + draw(3)));
        any.node_ports = std::make_shared<const NodePorts>(own);
        const std::vector<test::Script> scripts = test::any_scripts(any, 6, draw);
        test::Reference reference(any, scripts);
        Job job = job_of_all(any, [&](Node& self) { return test::follow(self, scripts[self.id()]); });
        job.payload = false;
        const test::Outcome outcome = test::run(job);
        EXPECT_EQ(test::text(outcome.schedule), reference.moves()) << i << " on " << any.topology->spec();
        EXPECT_TRUE(outcome.verdict.kept(Rule::ports)) << i;
    }
}

TEST(TwoLimits, RefuseANodeThatCannotSendOrReceive) {
    const auto refusal = [](Machine refused, const ProgramFactory& program) -> std::string {
        Job job = job_of_all(std::move(refused), program);
        job.payload = false;
        try {
            (void)run_lockstep(job, {});
        } catch (const DoesNotFit& error) {
            return error.what();
        } catch (const RequestError& error) {
            return error.what();
        } catch (const ProgramError& error) {
            return error.what();
        }
        return "runs";
    };
    EXPECT_EQ(refusal(machine("complete:3", PortLimit(0, 1)), sends_to_all),
              "node 0 has to send and has no sends: ports '0:1'; want at least 1");
    EXPECT_EQ(refusal(machine("complete:3", PortLimit(1, 0)), sends_to_all),
              "node 1 has to receive and has no receives: ports '1:0'; want at least 1");
    // A broadcast needs neither a send of node 1 nor a receive of node 0, but the program asks for both.
    Machine own = machine("complete:3");
    own.node_ports =
        std::make_shared<const NodePorts>(NodePorts{"ports", {PortLimit(1, 0), PortLimit(0, 1), PortLimit(1)}});
    EXPECT_THAT(refusal(own,
                        [](Node& self) -> Program {
                            if (self.id() == 1) co_await self.send_to(2, Packet(0));
                        }),
                HasSubstr("node 1 sends a message, and has no sends: ports '0:1'"));
    EXPECT_THAT(refusal(own,
                        [](Node& self) -> Program {
                            if (self.id() == 2) co_await self.send_to(0, Packet(0));
                        }),
                HasSubstr("node 0 is sent a message, and has no receives: ports '1:0'"));
    own.node_ports =
        std::make_shared<const NodePorts>(NodePorts{"ports", {PortLimit(1, 0), PortLimit(0, 1), PortLimit(0, 1)}});
    EXPECT_EQ(refusal(own, sends_to_all), "runs");
    Machine line = machine("line:3");
    line.node_ports =
        std::make_shared<const NodePorts>(NodePorts{"ports", {PortLimit(1), PortLimit(0, 1), PortLimit(1)}});
    EXPECT_EQ(refusal(line, sends_to_all),
              "node 2 cannot be reached from node 0: on every path between them a node has no sends");
}

}  // namespace
}  // namespace kport
