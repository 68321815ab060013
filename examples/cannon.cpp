/// @file cannon.cpp   Cannon's product of two matrices on a 2-port torus of p x p nodes: p - 1 rounds after the skew.
#include <array>
#include <vector>

#include <fmt/format.h>
#include <kport/kport.hpp>

#include "cannon.hpp"

using namespace kport;
using namespace kport::example;

int main() {
    constexpr std::uint64_t p = 4;
    const auto a_at = [](std::uint64_t row, std::uint64_t column) {
        return static_cast<long>(row * 7 + column * 3) % 11;
    };
    const auto b_at = [](std::uint64_t row, std::uint64_t column) { return static_cast<long>(row * 5 + column) % 13; };
    const auto block = [](const auto& at, std::uint64_t i, std::uint64_t j) {
        Block result;
        for (std::size_t e = 0; e < n * n; ++e) result[e] = at(i * n + e / n, j * n + e % n);
        return result;
    };
    std::vector<Block> c(p * p, Block{});
    Job job;
    job.machine.topology = make_topology(fmt::format("torus:{0}x{0}", p));
    job.machine.ports = PortLimit(2);
    job.program = [&](Node& self) {
        const std::uint64_t i = self.id() / p;
        const std::uint64_t j = self.id() % p;
        return cannon(self, block(a_at, i, (i + j) % p), block(b_at, (i + j) % p, j), c[self.id()], p);
    };
    job.all_start = true;
    job.collective = Collective::none();
    const Verdict verdict = run_lockstep(job, {}).verdict;

    std::uint64_t wrong = 0;
    for (std::uint64_t row = 0; row < p * n; ++row)
        for (std::uint64_t column = 0; column < p * n; ++column) {
            long sum = 0;
            for (std::uint64_t e = 0; e < p * n; ++e) sum += a_at(row, e) * b_at(e, column);
            wrong += c[row / n * p + column / n][row % n * n + column % n] != sum ? 1 : 0;
        }
    const std::uint64_t rounds = verdict.metrics.rounds;
    fmt::print("{}: {} of {} numbers of the product are wrong\n", job.machine.topology->spec(), wrong, p * n * p * n);
    fmt::print("{} rounds, blocks of {} bytes, volume {}, {} rules broken\n", rounds, sizeof(Block),
               verdict.metrics.volume, verdict.violation_count);
    return wrong == 0 && rounds == p - 1 && verdict.lawful() ? 0 : 1;
}
