#include "app/stress/subject.hpp"

#include <utility>

#include "algorithms/run_algorithm.hpp"

namespace kport {

std::optional<std::string> misfit_of(const Algorithm& algorithm, const Case& c) {
    // On larger machines, or with more packets, a search may take long or end without a schedule.
    constexpr NodeId search_max = 12;
    constexpr std::uint64_t searched_packets_max = 50;
    const NodeId nodes = c.machine.topology->nodes();
    if (!algorithm.slow.empty() && (nodes > search_max || nodes * c.collective.packets(nodes) > searched_packets_max))
        return "the machine is too large";
    return misfit_of(algorithm, c.machine, c.collective, c.options);
}

Subject subject_of(const Algorithm& algorithm) {
    Subject subject;
    subject.name = algorithm.name;
    subject.algorithm = &algorithm;
    subject.misfit = [&algorithm](const Case& c) { return misfit_of(algorithm, c); };
    subject.run = [&algorithm](const Case& c, const RunOptions& options) {
        return run_algorithm(algorithm, c.machine, c.collective, c.options, Payload{true, c.seed}, options);
    };
    if (algorithm.way == Way::program)
        subject.job = [&algorithm](const Case& c) {
            Job job = make_job(algorithm, c.machine, c.collective, c.options);
            job.seed = c.seed;
            return job;
        };
    subject.expect = [&algorithm](const Case& c) {
        return expected_cost(algorithm, c.machine, c.collective, c.options);
    };
    // Model section 3.1: NODUP on graphs with a cycle, and NOHO in the wide reading if the cycle is odd.
    if (algorithm.name == "flooding") subject.breaks = {Rule::nodup, Rule::noho};
    return subject;
}

Subject subject_of(std::string name, ProgramFor program, MisfitFor misfit) {
    Subject subject;
    subject.name = std::move(name);
    subject.misfit = [misfit = std::move(misfit)](const Case& c) {
        return misfit ? misfit(c.machine, c.collective) : std::nullopt;
    };
    subject.job = [program = std::move(program)](const Case& c) {
        Start start = program(c.machine, c.collective);
        Job job;
        job.machine = c.machine;
        job.program = std::move(start.program);
        job.starters = std::move(start.starters);
        job.all_start = start.all_start;
        job.collective = c.collective;
        job.reduction = c.options.reduction;
        job.seed = c.seed;
        return job;
    };
    subject.run = [job = subject.job](const Case& c, const RunOptions& options) {
        const Job made = job(c);
        return run(made, options);
    };
    return subject;
}

}  // namespace kport
