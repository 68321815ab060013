/// @file places_test.cpp   An allgather of small packets, which have places at every node and cross by their numbers
///                         (payload/packet_places.hpp), tells what one of large packets tells, which move in bodies.
#include <algorithm>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "algorithms/catalogue.hpp"
#include "emulator/base/random.hpp"
#include "emulator/engine/job.hpp"
#include "emulator/payload/packet_store.hpp"
#include "tests/engine/small_machines.hpp"

namespace kport {
namespace {

constexpr std::uint64_t few_bytes = 8;
constexpr std::uint64_t many_bytes = 512;

Verdict verdict_with(Job job, std::uint64_t packet_bytes) {
    job.collective.packet_bytes = packet_bytes;
    EXPECT_EQ(PacketStore::gives_places(job.collective), packet_bytes == few_bytes);
    return run_lockstep(job, {}).verdict;
}

void expect_the_same_of_both(const Job& job) {
    const Verdict in_places = verdict_with(job, few_bytes);
    const Verdict in_bodies = verdict_with(job, many_bytes);
    EXPECT_EQ(in_places.metrics.rounds, in_bodies.metrics.rounds);
    EXPECT_EQ(in_places.metrics.transfers, in_bodies.metrics.transfers);
    EXPECT_EQ(in_places.metrics.path_sum, in_bodies.metrics.path_sum);
    EXPECT_EQ(in_places.metrics.volume * many_bytes, in_bodies.metrics.volume * few_bytes);
    EXPECT_EQ(in_places.compared_packets, in_bodies.compared_packets);
    EXPECT_EQ(in_places.holders, in_bodies.holders);
    EXPECT_EQ(in_places.delivered, in_bodies.delivered);
    const auto found_by = [](const Verdict& verdict) {
        std::vector<std::tuple<Breach, Round, NodeId, NodeId>> all;
        for (const Violation& v : verdict.violations) all.emplace_back(v.breach, v.round, v.node, v.other);
        std::ranges::sort(all);
        return all;
    };
    EXPECT_EQ(found_by(in_places), found_by(in_bodies));
}

TEST(Places, TellTheSameOfEveryAllgatherOfTheCatalogue) {
    std::size_t jobs = 0;
    for (const Machine& machine : test::small_machines())
        for (const Algorithm& algorithm : catalogue()) {
            const Collective collective = Collective::allgather(few_bytes);
            if (algorithm.operation != Operation::allgather || algorithm.way != Way::program ||
                misfit_of(algorithm, machine, collective, {}))
                continue;
            SCOPED_TRACE(machine.topology->spec() + " " + std::string(algorithm.name));
            expect_the_same_of_both(make_job(algorithm, machine, collective, {}));
            ++jobs;
        }
    EXPECT_GT(jobs, 100U);
}

/// Sends packets at random, whether it holds them or the receiver has them, alone and two at a time.
Program send_anything(Node& self, std::uint64_t seed) {
    for (std::uint64_t i = 0; i < 6; ++i) {
        const std::uint64_t word = random_word(seed, self.id(), i);
        const auto port = static_cast<Port>(word % self.degree());
        const NodeId packet = (word >> 8) % (self.nodes() - 1);
        if (word >> 63 == 0) co_await self.send(port, PacketSet::range(packet, packet + 1 + (word >> 62 & 1)));
        while (self.has_arrival()) co_await self.receive();
        co_await self.next_round();
    }
}

TEST(Places, TellTheSameOfProgramsThatBreakRules) {
    for (const char* spec : {"ring:6", "hypercube:3", "complete:5"})
        for (const PortLimit ports : {PortLimit(1), PortLimit::all()})
            for (std::uint64_t seed = 0; seed < 100; ++seed) {
                SCOPED_TRACE(spec + std::string(" ") + std::to_string(seed));
                Job job;
                job.machine = test::machine(spec, ports);
                job.collective = Collective::allgather(few_bytes);
                job.program = [seed](Node& self) { return send_anything(self, seed); };
                job.all_start = true;
                expect_the_same_of_both(job);
            }
}

}  // namespace
}  // namespace kport
