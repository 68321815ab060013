#include "cli/bench_cells.hpp"

#include <malloc.h>

#include <algorithm>

#include <fmt/format.h>

#include "cli/admission.hpp"
#include "cli/commands.hpp"
#include "cli/execution.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "emulator/base/error.hpp"
#include "emulator/report/text_report.hpp"

namespace kport::cli {

namespace {

/// The algorithm is chosen later.
measure::Task task_of(const Settings& s, bool replay) {
    measure::Task task;
    task.machine = s.machine;
    task.collective = s.collective;
    task.options = s.options;
    task.seed = s.seed;
    task.threads = s.threads;
    task.engine = s.engine;
    task.replay = replay;
    return task;
}

/// Chooses the cell's algorithm. Throws DoesNotFit unless it can be run and measured beside its yardsticks.
void admit(BenchCell& cell) {
    // First without the algorithm: to choose it may take tables of the machine's size.
    require_fit(cell.settings, nullptr, measure::bytes_held(cell.task));
    const Chosen chosen = chosen_algorithm(cell.settings);
    cell.task.algorithm = chosen.algorithm;
    cell.task.options = cell.settings.options = chosen.options;
    require_fit(cell.settings, cell.task.algorithm, measure::besides_bytes(cell.task));
}

/// Runs the cell once on an engine. Whether it may be measured.
bool audited(BenchCell& cell, EngineKind engine) {
    Settings settings = cell.settings;
    settings.engine = engine;
    cell.report = execute(settings, *cell.task.algorithm);
    if (cell.report->stopped) return false;
    if (cell.report->engine.name != name(engine)) {
        cell.status = status_wrong;
        cell.why_not =
            fmt::format("{}: {}; want --engine lockstep", cell.task.name(), cell.report->engine.in_lockstep_because);
    } else if (!cell.report->verdict.lawful()) {
        cell.status = status_broken;
        cell.why_not =
            fmt::format("{}: {}; see '{}'", cell.task.name(), verdict_text(*cell.report).text, cell.report->again);
    }
    return cell.why_not.empty();
}

/// First in lockstep, whose verdict everything else is held against.
bool audited(BenchCell& cell) {
    return audited(cell, EngineKind::lockstep) &&
           (cell.task.engine == EngineKind::lockstep || audited(cell, cell.task.engine));
}

}  // namespace

measure::Task task_of(const Settings& settings, const Algorithm& algorithm, bool replay) {
    measure::Task task = task_of(settings, replay);
    task.algorithm = &algorithm;
    return task;
}

void keep_memory() {
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
}

Bench planned(const Words& words) {
    if (words.has("--replay") && words.has("--engine"))
        throw RequestError("--replay needs no engine; leave --engine out");
    const Variants variants = variants_of(words);
    require_algorithms(variants.all.front().settings.collective.operation);
    Bench bench{common_line(words, variants, "cell"), variants.columns, {}, false};
    for (const Variant& variant : variants.all) {
        BenchCell cell;
        cell.settings = variant.settings;
        cell.values = variant.values;
        cell.task = task_of(variant.settings, words.has("--replay"));
        try {
            admit(cell);
        } catch (const DoesNotFit& error) {
            if (variants.all.size() == 1) throw;
            cell.status = status_does_not_fit;
            cell.why_not = error.what();
        }
        bench.cells.push_back(std::move(cell));
    }
    return bench;
}

void measure_all(Bench& bench, std::uint64_t repetitions, double seconds) {
    SignsOfLife signs;
    std::size_t number = 0;
    for (BenchCell& cell : bench.cells) {
        ++number;
        if (!cell.why_not.empty()) continue;
        bench.stopped = bench.stopped || interrupted();
        if (bench.stopped) break;
        const auto tell = [&](std::uint64_t repetition) {
            if (signs.due())
                signs.show(fmt::format("cell {} of {}, repetition {}: {}", number, bench.cells.size(), repetition + 1,
                                       cell.task.name()));
        };
        tell(0);
        if (audited(cell))
            cell.measured = measure::measured(cell.task, cell.report->verdict.metrics,
                                              {repetitions, seconds, &interrupted(), tell});
        bench.stopped = interrupted();
    }
}

int status_of(const Bench& bench) {
    if (bench.stopped) return status_stopped;
    int status = status_lawful;
    for (const BenchCell& cell : bench.cells) status = std::max(status, cell.status);
    return status;
}

}  // namespace kport::cli
