#include "tests/pictures/stories.hpp"

#include <sstream>

#include "algorithms/choice.hpp"
#include "algorithms/run_algorithm.hpp"

namespace kport {

Story told(const RunToTell& what) {
    Machine machine;
    machine.topology = make_topology(what.topology);
    machine.ports = what.ports == no_port ? PortLimit::all() : PortLimit(what.ports);
    machine.switching = what.switching;
    Collective collective = Collective::of(operation_named(what.operation), 0, 64);
    collective.packets_each = what.packets_each;
    const Algorithm& algorithm = what.algorithm.empty() ? best_algorithm(machine, collective, {})
                                                        : algorithm_named(what.algorithm, machine, collective, {});
    Schedule recorded;
    RunOptions options;
    options.per_round = true;
    options.recorded_schedule = &recorded;
    RunResult result = run_algorithm(algorithm, machine, collective, {}, {}, options);
    Report report;
    report.collective = collective;
    report.algorithm = algorithm.name;
    report.machine = machine;
    if (collective.rooted()) report.root = collective.root;
    static_cast<RunResult&>(report) = std::move(result);
    return story_of(report, std::move(recorded));
}

std::string picture(std::string_view kind, const Story& story, const PictureOptions& options) {
    std::ostringstream out;
    draw(out, picture_kind_named(kind), story, options);
    return std::move(out).str();
}

std::size_t times(std::string_view text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size()))
        ++found;
    return found;
}

}  // namespace kport
