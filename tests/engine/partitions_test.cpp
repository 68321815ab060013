/// @file partitions_test.cpp   Small machines dealt to partitions of a node or two: the same verdict, schedule and results as in
///                             one partition, on one thread and on several.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "algorithms/run_algorithm.hpp"
#include "tests/support/traces.hpp"

namespace kport {
namespace {

struct Seen {
    std::string verdict;
    std::string schedule;
    std::vector<std::string> results;

    bool operator==(const Seen&) const = default;
};

template <class Run>
Seen seen(const Topology& topology, NodeId partition_nodes, unsigned threads, const Run& run) {
    Schedule schedule;
    RunOptions options;
    options.per_round = true;
    options.partition_nodes = partition_nodes;
    options.threads = threads;
    options.recorded_schedule = &schedule;
    const RunResult result = run(options);
    return {test::text(result.verdict, topology), test::text(schedule), result.results};
}

template <class Run>
void expect_same_in_any_partitions(const Topology& topology, const Run& run) {
    const Seen one = seen(topology, partition_nodes_default, 1, run);
    for (const NodeId nodes : {1U, 2U, 4U})
        for (const unsigned threads : {1U, 3U}) {
            const Seen dealt = seen(topology, nodes, threads, run);
            EXPECT_EQ(dealt.verdict, one.verdict) << nodes << " nodes a partition, " << threads << " threads";
            EXPECT_EQ(dealt.schedule, one.schedule) << nodes << " nodes a partition, " << threads << " threads";
            EXPECT_EQ(dealt.results, one.results) << nodes << " nodes a partition, " << threads << " threads";
        }
}

TEST(SmallPartitions, ChangeNoReportOfTheCatalogue) {
    for (const Algorithm& algorithm : catalogue())
        for (const char* spec : {"line:2", "complete:3", "ring:5", "hypercube:3", "mesh:3x4"})
            for (const PortLimit ports : {PortLimit(1), PortLimit::all()})
                for (const Switching switching : {Switching::store_and_forward, Switching::wormhole}) {
                    Machine machine = test::machine(spec, ports);
                    machine.switching = switching;
                    Collective collective;
                    collective.operation = algorithm.operation;
                    collective.root = machine.topology->nodes() / 2;
                    collective.packet_bytes = algorithm.operation.signals() ? 0 : 24;
                    if (misfit_of(algorithm, machine, collective, {})) continue;
                    SCOPED_TRACE(fmt::format("{} {} on {}, {}", name(algorithm.operation), algorithm.name, spec,
                                             machine.describe()));
                    expect_same_in_any_partitions(*machine.topology, [&](const RunOptions& options) {
                        return run_algorithm(algorithm, machine, collective, {}, Payload{true, 7}, options);
                    });
                }
}

/// All send to node 0 at once, and twice; node 0 starts with its first message.
Program crowd(Node& self) {
    const NodeId nodes = self.topology().nodes();
    if (self.id() != 0) {
        for (int i = 0; i < 2; ++i) co_await self.send_to(0, Packet(0));
        co_return;
    }
    for (NodeId i = 0; i < 2 * (nodes - 1); ++i) co_await self.receive();
}

TEST(SmallPartitions, ArbitrateAsOneDoes) {
    for (const Policy policy : {Policy::queue, Policy::strict})
        for (const Duplex duplex : {Duplex::full, Duplex::half})
            for (const char* spec : {"complete:3", "complete:6", "ring:5"}) {
                Machine machine = test::machine(spec);
                machine.policy = policy;
                machine.duplex = duplex;
                if (std::string_view(spec) == "ring:5") machine.switching = Switching::wormhole;
                std::vector<NodeId> senders;
                for (NodeId v = 1; v < machine.topology->nodes(); ++v) senders.push_back(v);
                const Job job = test::job(machine, crowd, senders);
                SCOPED_TRACE(fmt::format("{}, {}", spec, machine.describe()));
                expect_same_in_any_partitions(*machine.topology,
                                              [&](const RunOptions& options) { return run_lockstep(job, options); });
            }
}

/// Node 0 sends the last node's packet, which it does not hold, to the source, which has not sent it yet; or by way of node 2.
template <bool by_another>
Program send_unheld(Node& self) {
    const NodeId source = 1;
    const NodeId last = self.nodes() - 1;
    if (self.id() == 0) co_await self.send_to(by_another ? 2 : source, Packet(last));
    if (self.id() == 0 || self.id() == last) co_return;
    co_await self.receive();
    co_await self.send_to(by_another && self.id() == 2 ? source : last, Packet(last));
}

TEST(SmallPartitions, ForwardTheOwnersBytesOfAPacketThatComesToItWrong) {
    const Machine machine = test::machine("complete:4");
    for (const ProgramFactory& program : {ProgramFactory(send_unheld<false>), ProgramFactory(send_unheld<true>)}) {
        Job job = test::job(machine, program, {0, 1});
        job.collective = Collective::scatter(1, 8);
        expect_same_in_any_partitions(*machine.topology,
                                      [&](const RunOptions& options) { return run_lockstep(job, options); });
        RunOptions options;
        options.partition_nodes = 1;
        EXPECT_EQ(run_lockstep(job, options).verdict.holders, 2U);  // the source and the last node
    }
}

}  // namespace
}  // namespace kport
