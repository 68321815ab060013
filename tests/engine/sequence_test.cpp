/// @file sequence_test.cpp   Collectives one after the other: what a phase brings is what the next one moves, each has its own
/// verdict, and the whole costs what they cost together.
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/run_algorithm.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/job.hpp"
#include "tests/engine/free_runs.hpp"

// Needs the node first.
#include "examples/pipelined_broadcast.hpp"

namespace kport {
namespace {

using testing::HasSubstr;

Job job_of(const Machine& machine, const Collective& collective, std::string_view algorithm) {
    return make_job(algorithm_named(algorithm, machine, collective, {}), machine, collective, {});
}

/// A broadcast of a message that is cut into N packets (van de Geijn).
std::vector<Job> scatter_allgather(const Machine& machine, std::string_view scatter, std::string_view allgather) {
    return {job_of(machine, Collective::scatter(0, 24), scatter),
            job_of(machine, Collective::allgather(24), allgather)};
}

TEST(ASequence, CostsWhatItsPhasesCostTogether) {
    for (const std::string spec : {"hypercube:1", "hypercube:3", "hypercube:4"})
        for (const EngineKind engine : test::both_engines)
            for (const unsigned threads : {1U, 2U, 4U}) {
                const Machine machine = test::machine(spec);
                const NodeId nodes = machine.topology->nodes();
                Schedule moved;
                RunOptions options = test::options_for(threads, &moved);
                options.engine = engine;
                options.partition_nodes = 2;
                const SequenceResult result = run_in_sequence(scatter_allgather(machine, "sbt", "exchange"), options);
                ASSERT_EQ(result.phases.size(), 2U);
                EXPECT_TRUE(result.lawful);
                const Metrics& first = result.phases[0].verdict.metrics;
                const Metrics& second = result.phases[1].verdict.metrics;
                EXPECT_EQ(result.metrics.rounds, first.rounds + second.rounds);
                EXPECT_EQ(result.metrics.volume, 2 * (nodes - 1) * 24) << "the published cost";
                EXPECT_EQ(result.metrics.work, first.work + second.work);
                EXPECT_DOUBLE_EQ(result.metrics.latency, first.latency + second.latency);
                EXPECT_EQ(result.phases[1].verdict.compared_packets, nodes * (nodes - 1));
                // As one collective, in which what was scattered comes back.
                Collective whole = example::packets_for_all(0, nodes, 24);
                whole.rules = {.nodup = Force::counted, .noho = Force::counted};
                const Verdict verdict = audit(moved, machine, whole, false);
                EXPECT_TRUE(verdict.lawful());
                EXPECT_EQ(verdict.metrics.rounds, result.metrics.rounds);
                EXPECT_EQ(verdict.metrics.volume, result.metrics.volume);
                EXPECT_EQ(verdict.metrics.transfers, result.metrics.transfers);
            }
}

TEST(ASequence, MovesTheBytesThatThePhaseBeforeHasBrought) {
    const Machine machine = test::machine("hypercube:3");
    for (const EngineKind engine : test::both_engines) {
        Holdings kept;
        RunOptions options = test::on(engine);
        options.keep = &kept;
        ASSERT_TRUE(run(job_of(machine, Collective::scatter(0, 24), "sbt"), options).verdict.lawful());
        ASSERT_EQ(kept.of_node.size(), 8U);
        for (NodeId v = 0; v < 8; ++v) {
            EXPECT_EQ(kept.of_node[v].packets.size(), 1U);
            EXPECT_EQ(kept.of_node[v].bytes.size(), 24U);
        }
        Job allgather = job_of(machine, Collective::allgather(24), "exchange");
        allgather.brought = std::make_shared<Holdings>(kept);
        EXPECT_TRUE(run(allgather, test::on(engine)).verdict.lawful());

        kept.of_node[5].bytes[7] ^= std::byte{1};
        allgather.brought = std::make_shared<Holdings>(kept);
        const Verdict verdict = run(allgather, test::on(engine)).verdict;
        EXPECT_FALSE(verdict.lawful());
        EXPECT_THAT(test::sentences(verdict, *machine.topology),
                    testing::Contains(HasSubstr("packet 5 at node 0 differs from what was sent in byte 7")));
    }
}

TEST(ASequence, EndsWithAPhaseThatIsNotLawful) {
    const Machine machine = test::machine("hypercube:2");
    std::vector<Job> phases = scatter_allgather(machine, "sbt", "exchange");
    phases.front().program = [](Node&) -> Program { co_return; };
    const SequenceResult result = run_in_sequence(phases, {});
    EXPECT_FALSE(result.lawful);
    ASSERT_EQ(result.phases.size(), 1U);
    EXPECT_FALSE(result.phases.front().verdict.delivered);
}

std::string refused(std::vector<Job> phases) {
    try {
        (void)run_in_sequence(std::move(phases), {});
    } catch (const RequestError& error) {
        return error.what();
    }
    return "";
}

TEST(ASequence, IsRefusedWhereAPhaseOwnsWhatNobodyBrings) {
    const Machine machine = test::machine("hypercube:2");
    const Job scatter = job_of(machine, Collective::scatter(0, 24), "sbt");
    const Job allgather = job_of(machine, Collective::allgather(24), "exchange");
    EXPECT_EQ(refused({}), "a sequence has no phase; want at least one job");
    EXPECT_EQ(refused({scatter, scatter}), "phase 2: node 0 owns packet 1 of scatter, which scatter does not bring it");
    EXPECT_EQ(refused({allgather, scatter}), "");
    Job smaller = allgather;
    smaller.collective.packet_bytes = 8;
    EXPECT_EQ(refused({scatter, smaller}), "phase 2 has another size of packets than phase 1; want the same");
    EXPECT_EQ(refused({scatter, job_of(test::machine("hypercube:2"), Collective::allgather(24), "exchange")}), "");
    EXPECT_EQ(refused({scatter, job_of(test::machine("complete:4"), Collective::allgather(24), "bruck")}),
              "phase 2 has another topology than phase 1; want the same");
    const auto with = [&](const std::function<void(Machine&)>& change) {
        Job other = allgather;
        change(other.machine);
        const std::string why = refused({scatter, other});
        return why.substr(0, why.find(" than phase 1; want the same"));
    };
    EXPECT_EQ(with([](Machine& m) { m.ports = PortLimit::all(); }), "phase 2 has another limit of ports");
    EXPECT_EQ(with([](Machine& m) { m.duplex = Duplex::half; }), "phase 2 has another duplex of ports");
    EXPECT_EQ(with([](Machine& m) { m.links = Duplex::half; }), "phase 2 has another duplex of links");
    EXPECT_EQ(with([](Machine& m) { m.switching = Switching::wormhole; }), "phase 2 has another switching");
    EXPECT_EQ(with([](Machine& m) { m.combining = false; }), "phase 2 has another rule of combining");
    EXPECT_EQ(with([](Machine& m) { m.pairwise = true; }), "phase 2 has another rule of partners");
    EXPECT_EQ(with([](Machine& m) { m.noho = Noho::strict; }), "phase 2 has another reading of NOHO");
    EXPECT_EQ(with([](Machine& m) { m.policy = Policy::strict; }), "phase 2 has another policy");
    EXPECT_EQ(with([](Machine& m) { m.costs.byte = 7; }), "phase 2 has another list of prices");
    EXPECT_EQ(refused({job_of(machine, Collective::broadcast(0, 24), "sbt")}),
              "phase 1: broadcast does not move sets of packets, and cannot be part of a sequence");
}

TEST(BytesThatWereBrought, AreThoseOfAsManyNodesAsTheMachineHas) {
    Job job = job_of(test::machine("hypercube:2"), Collective::allgather(24), "exchange");
    auto brought = std::make_shared<Holdings>();
    job.brought = brought;
    for (const std::size_t nodes : {0U, 3U, 5U}) {
        brought->of_node.resize(nodes);
        for (const EngineKind engine : test::both_engines)
            EXPECT_THROW((void)run(job, test::on(engine)), RequestError) << nodes;
    }
}

}  // namespace
}  // namespace kport
