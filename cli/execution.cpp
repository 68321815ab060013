#include "cli/execution.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/reach.hpp"
#include "algorithms/run_algorithm.hpp"
#include "cli/admission.hpp"
#include "cli/commands.hpp"
#include "cli/in_options.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "emulator/base/error.hpp"
#include "emulator/engine/order.hpp"

namespace kport::cli {

namespace {

BoundLine bound_line(const Bound& bound) {
    BoundLine line{bound.value(), bound.binding(), "", ""};
    if (!line.value) return line;
    if (bound.reachable == Reachable::yes) {  // who meets it is seen in a comparison, if an algorithm of that name does
        const auto is_that = [&](const Algorithm& row) { return row.name == bound.met_by; };
        if (!bound.met_by.empty() && std::ranges::none_of(catalogue(), is_that)) line.caveat_why = bound.reachable_why;
        return line;
    }
    line.caveat = bound.reachable == Reachable::no ? "the bound is out of reach" : "not known to be reachable";
    line.caveat_why = bound.reachable_why;
    line.least = bound.least;
    return line;
}

std::uint64_t peak_rss_bytes() {
    rusage usage{};
    return getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_maxrss) * 1024 : 0;
}

}  // namespace

BoundLines bound_lines(const Bounds& bounds) {
    BoundLines lines;
    std::ranges::transform(bounds, lines.begin(), bound_line);
    return lines;
}

void require_algorithms(const Operation& operation) {
    std::vector<std::string_view> served;
    for (const Algorithm& row : catalogue()) {
        if (row.operation == operation) return;
        if (std::find(served.begin(), served.end(), name(row.operation)) == served.end())
            served.push_back(name(row.operation));
    }
    throw RequestError(
        fmt::format("no algorithm for {} yet; there are algorithms for {}", name(operation), fmt::join(served, ", ")));
}

namespace {

/// "--keep, --op concat": the options that may keep an algorithm from running.
std::string picky_options(const AlgorithmOptions& options) {
    std::vector<std::string> given;
    if (options.keep) given.emplace_back("--keep");
    if (!options.dimensions.empty()) given.emplace_back("--dimensions");
    if (!options.reduction.commutative()) given.push_back(fmt::format("--op {}", name(options.reduction.op)));
    return fmt::format("{}", fmt::join(given, ", "));
}

/// Where algorithms would run but for the options, these are what is wrong with the request.
void blame_options(const Settings& s) {
    if (!applicable(s.machine, s.collective, s.options).empty()) return;
    std::vector<std::string> reasons;
    for (const Algorithm* row : applicable(s.machine, s.collective, {}))
        reasons.push_back(
            fmt::format("{} {}", row->name, misfit_of(*row, s.machine, s.collective, s.options).value_or("would do")));
    if (!reasons.empty())
        throw RequestError(fmt::format("no algorithm of {} on {} runs with {}: {}", name(s.collective.operation),
                                       s.topology().spec(), picky_options(s.options), fmt::join(reasons, "; ")));
}

}  // namespace

void require_known_options(const Settings& s) {
    if (!s.algorithm.empty()) {
        (void)algorithm_named(s.algorithm, s.machine, s.collective, s.options);
        return;
    }
    Settings whatever_is_folded = s;
    whatever_is_folded.options.reduction = {};
    blame_options(whatever_is_folded);
}

Chosen chosen_algorithm(const Settings& s) {
    require_algorithms(s.collective.operation);
    if (!s.algorithm.empty())
        return {&algorithm_named(s.algorithm, s.machine, s.collective, s.options), s.options, std::nullopt};
    blame_options(s);
    Choice choice = choose(s.machine, s.collective, s.options, true);
    AlgorithmOptions options = s.options;
    if (choice.keep) options.keep = choice.keep;
    return {choice.algorithm, std::move(options), std::move(choice)};
}

namespace {

/// What a run with a fault holds besides: the transfers, which are changed and moved again.
double bytes_of_moves(const Settings& s, const Algorithm& algorithm) {
    constexpr double bytes_a_transfer = 400;
    if (!s.injection) return 0;
    const ExpectedCost cost = algorithm.expect(s.machine, s.collective, s.options);
    return bytes_a_transfer * static_cast<double>(cost.work.value_or(s.topology().nodes()));
}

RunResult run_as_asked(const Settings& s, const Algorithm& algorithm, const RunOptions& options,
                       std::vector<Injected>& faults) {
    const Payload payload{s.payload, s.seed};
    if (!s.injection) return run_algorithm(algorithm, s.machine, s.collective, s.options, payload, options);
    const FaultInfo& fault = info(s.injection->fault);
    std::optional<FaultyRun> faulty;
    try {
        faulty = run_with_fault(algorithm, s.machine, s.collective, s.options, payload, options, *s.injection);
    } catch (const RequestError& error) {
        throw RequestError(fmt::format("--inject {}: the schedule is refused: {}", fault.name, error.what()));
    }
    if (!faulty)
        throw RequestError(fmt::format("--inject {}: {} {} on {} has no place for it{}{}", fault.name,
                                       name(algorithm.operation), algorithm.name, s.topology().spec(),
                                       fault.needs.empty() ? "" : "; it needs ", need_in_options(fault.needs)));
    if (faulty->fair && !faulty->result.stopped)
        throw RequestError(
            fmt::format("--inject {}: {} {} on {} breaks rules by itself; a fault needs a run that keeps them",
                        fault.name, name(algorithm.operation), algorithm.name, s.topology().spec()));
    if (faulty->fair) complain(fmt::format("--inject {}: stopped before the fault was injected", fault.name));
    faults = std::move(faulty->faults);
    return std::move(faulty->result);
}

}  // namespace

namespace {

/// A node program holds up the run, and does not see that it is to stop.
void tell_computing(const Computing& computing, const Topology& topology, ProgressDisplay& progress) {
    const std::string what = text(computing, topology);
    if (computing.stopping) {
        progress.remark(fmt::format("stopped without a report in {}", what));
        std::_Exit(status_stopped);
    }
    nothing_to_tell_while(what);
    progress.remark(what + "; Ctrl-C ends the run");
}

}  // namespace

Report execute(const Settings& s, const Algorithm& algorithm) {
    require_fit(s, &algorithm, bytes_of_moves(s, algorithm));
    nothing_to_tell_while(fmt::format("the run of {} on {} is being set up", algorithm.name, s.topology().spec()));
    ProgressDisplay progress(s.topology().nodes(), reached_before(algorithm.operation));
    RunOptions options;
    options.engine = s.engine;
    options.threads = s.threads;
    options.partition_nodes = s.partition_nodes;
    options.per_round = s.per_round;
    options.stop = &interrupted();
    options.progress = [&](const Metrics& metrics, std::uint64_t reached) {
        something_to_tell();
        progress.show(metrics, reached);
    };
    options.computing = [&](const Computing& computing) { tell_computing(computing, s.topology(), progress); };
    options.last_round = s.until;
    options.max_rounds = s.max_rounds;
    SeededOrder order(s.order.value_or(0));
    if (s.order) options.order = &order;

    Report report;
    RunResult result = run_as_asked(s, algorithm, options, report.faults);
    something_to_tell();
    report.operation = algorithm.operation;
    report.algorithm = algorithm.name;
    report.rule = algorithm.rule;
    report.remark = algorithm.remark;
    report.machine = s.machine;
    report.root = algorithm.way == Way::reduce_broadcast ? s.collective.root : s.root();
    report.packet_bytes = s.collective.packet_bytes;
    report.payload = s.payload;
    if (algorithm.operation.folds()) report.reduction = s.options.reduction;
    report.results = std::move(result.results);
    report.per_round = s.per_round;
    report.bounds = bound_lines(reached_bounds(s.machine, s.collective));
    report.verdict = std::move(result.verdict);
    report.stopped = result.stopped;
    report.out_of_rounds = result.out_of_rounds;
    report.not_begun = result.not_begun;
    if (report.out_of_rounds)
        complain(fmt::format("{} on {} was stopped at the limit of {} rounds; --max-rounds N allows more",
                             algorithm.name, s.topology().spec(),
                             s.max_rounds != 0 ? s.max_rounds : default_max_rounds(s.topology().nodes())));
    EngineFacts& engine = report.engine;
    engine.name = name(result.engine);
    engine.threads = result.threads;
    engine.wall_seconds = result.wall_seconds;
    engine.bytes_moved = s.payload ? report.verdict.metrics.bytes : 0;
    engine.peak_rss_bytes = peak_rss_bytes();
    if (result.engine == EngineKind::free) engine.moving_seconds = result.moving_seconds;
    engine.in_lockstep_because = text(result.needs_rounds);
    report.again = again(s, algorithm.name);
    return report;
}

}  // namespace kport::cli
