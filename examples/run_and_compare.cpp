/// @file run_and_compare.cpp   What `kport run` and `kport compare` do, in a program: experiments become reports.
#include <fmt/format.h>
#include <kport/kport.hpp>

using namespace kport;

int main() try {
    Experiment experiment;
    experiment.machine.topology = make_topology("mesh:8x8");
    experiment.collective = Collective::broadcast(27, 1024);

    // The best algorithm that applies, audited.
    const Outcome outcome = run(experiment);
    const Metrics& counts = outcome.report.verdict.metrics;
    fmt::print("{}: {} rounds, at least {}; {} messages, {} bytes\n", outcome.report.algorithm, counts.rounds,
               *outcome.report.bounds[Quantity::rounds].value, counts.transfers, counts.bytes);
    fmt::print("again: {}\n", outcome.report.again);

    // All that apply, on two machines.
    bool lawful = outcome.ending == Ending::lawful;
    for (const Switching switching : {Switching::store_and_forward, Switching::wormhole}) {
        experiment.machine.switching = switching;
        const Comparison comparison = compare(experiment);
        fmt::print("{}\n", experiment.machine.describe());
        for (const Report& report : comparison.reports)
            fmt::print("  {:<20} {:>3} rounds, latency {:>8.3f}\n", report.algorithm, report.verdict.metrics.rounds,
                       report.verdict.metrics.latency);
        lawful = lawful && comparison.ending == Ending::lawful;
    }
    return lawful ? 0 : 1;
} catch (const RequestError& error) {  // such as a topology that is not known
    fmt::print("{}\n", error.what());
    return 2;
}
