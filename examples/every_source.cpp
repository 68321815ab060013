/// @file every_source.cpp   Every node of a mesh as the source of a 1-port broadcast: the rounds, and where they meet the bound.
#include <fmt/format.h>
#include <kport/kport.hpp>

using namespace kport;

int main() {
    constexpr NodeId side = 5;
    Machine machine;
    machine.topology = make_topology(fmt::format("mesh:{0}x{0}", side));
    bool lawful = true;
    fmt::print("dost on {}, {}; * where the rounds are the lower bound\n", machine.topology->spec(),
               machine.describe());
    for (NodeId row = 0; row < side; ++row) {
        for (NodeId column = 0; column < side; ++column) {
            Collective collective;
            collective.root = row * side + column;
            const Algorithm& dost = algorithm_named("dost", machine, collective, {});
            const Verdict verdict = run_lockstep(make_job(dost, machine, collective, {}), {}).verdict;
            const auto rounds = static_cast<double>(verdict.metrics.rounds);
            const bool optimal = rounds <= lower_bounds(machine, collective)[Quantity::rounds].largest();
            fmt::print("{:>5}{}", verdict.metrics.rounds, optimal ? "*" : " ");
            lawful = lawful && verdict.lawful();
        }
        fmt::print("\n");
    }
    return lawful ? 0 : 1;
}
