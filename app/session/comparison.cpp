#include "app/session/comparison.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/session/choose.hpp"
#include "emulator/base/error.hpp"

namespace kport {

namespace {

bool is_to_stop(const Caller& caller) { return caller.stop != nullptr && *caller.stop; }

/// Why the algorithm's own code threw an exception in a call; nothing where it did not. Refusals and lack of memory pass.
template <class Call>
std::optional<std::string> failure_in(Call&& call) {
    try {
        call();
    } catch (const RequestError&) {
        throw;
    } catch (const DoesNotFit&) {
        throw;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const OutOfProcessError& error) {
        return error.what();
    } catch (const ProgramError& error) {
        return fmt::format("a node program failed: {}", error.what());
    } catch (const std::exception& error) {
        return fmt::format("its code threw an exception: {}", error.what());
    } catch (...) {
        return "its code threw an exception that is no std::exception";
    }
    return std::nullopt;
}

bool is_out_of_process(const Algorithm& row, const OutOfProcess* out_of_process) {
    return out_of_process != nullptr && out_of_process->has(row);
}

bool runs_by_default(const Algorithm& row, const Experiment& e) {
    return row.is_last_choice() && choose(e.machine, e.collective, e.options, true).algorithm == &row;
}

/// Looks at one algorithm of the operation: whether it runs as asked, and why not. `named`: it runs even if it breaks rules or is slow.
void look_at(const Algorithm& row, bool named, Comparison& comparison, OutOfProcess* out_of_process) {
    const Experiment& e = comparison.experiment;
    if (const auto why = is_out_of_process(row, out_of_process) ? out_of_process->misfit(e, row)
                                                                : misfit_of(row, e.machine, e.collective, e.options))
        comparison.misfits.push_back({row.name, *why});
    else if (const auto rule = named ? std::nullopt : breaks_a_rule(row, e.machine))
        comparison.misfits.push_back({row.name, *rule, true});
    else if (!row.slow.empty() && !named && !runs_by_default(row, e))
        comparison.misfits.push_back({row.name, std::string(row.slow), true});
    else
        comparison.fitting.push_back(&row);
}

/// What will be compared; allocates nothing of the machine's size.
Comparison looked_at(const Experiment& e, OutOfProcess* out_of_process) {
    require_valid(e);
    require_algorithms(e.collective.operation);
    admit(e, nullptr);
    require_known_options(e);
    const bool some = any_named(e);
    Comparison comparison;
    comparison.experiment = e;
    for (const Algorithm& row : rows_for(e.collective.operation)) {
        const bool named = is_named(e, row);
        if (row.operation != e.collective.operation || (some && !named)) continue;
        if (auto why = failure_in([&] { look_at(row, named, comparison, out_of_process); }))
            comparison.failures.push_back({row.name, std::move(*why)});
    }
    for (const Algorithm* row : comparison.fitting) admit(e, row);
    return comparison;
}

void run_all(Comparison& comparison, const Caller& caller, OutOfProcess* out_of_process,
             const std::function<void(const Algorithm*)>& before) {
    for (const Algorithm* row : comparison.fitting) {
        if (is_to_stop(caller)) {
            comparison.stopped = true;
            break;
        }
        if (before) before(row);
        Outcome outcome;
        if (auto why = failure_in([&] {
                const Chosen chosen{comparison.experiment, row, std::nullopt, {}};
                outcome =
                    is_out_of_process(*row, out_of_process) ? out_of_process->run(chosen, caller) : run(chosen, caller);
            })) {
            comparison.failures.push_back({row->name, std::move(*why)});
            continue;
        }
        comparison.stopped = comparison.stopped || outcome.report.stopped;
        comparison.ending = std::max(comparison.ending, outcome.ending);
        comparison.reports.push_back(std::move(outcome.report));
    }
    if (comparison.stopped || !comparison.failures.empty()) comparison.ending = Ending::stopped;
}

}  // namespace

bool is_named(const Experiment& e, const Algorithm& row) {
    const auto has = [&](const std::vector<std::string>& names) {
        return std::ranges::find(names, row.name) != names.end();
    };
    return has(e.besides) || (e.algorithm.empty() ? has(e.algorithms) : e.algorithm == row.name);
}

bool any_named(const Experiment& e) {
    for (const std::vector<std::string>* names : {&e.algorithms, &e.besides})
        for (const std::string& name : *names)
            if (find_algorithm(e.collective.operation, name) == nullptr)
                (void)algorithm_named(name, e.machine, e.collective, e.options);  // says what is wrong with it
    return !e.algorithm.empty() || !e.algorithms.empty();
}

Comparison compare(const Experiment& experiment, const Caller& caller, OutOfProcess* out_of_process) {
    Comparison comparison = looked_at(experiment, out_of_process);
    run_all(comparison, caller, out_of_process, nullptr);
    return comparison;
}

std::string no_algorithm_text(const Experiment& e) {
    return fmt::format("no algorithm of {} runs on {} ({})", name(e.collective.operation), e.topology().spec(),
                       rules_in_words(e.machine));
}

Comparisons compare(std::span<const Experiment> experiments, const Caller& caller,
                    const std::function<void(std::size_t experiment, const Algorithm* algorithm)>& tell,
                    OutOfProcess* out_of_process) {
    Comparisons all;
    for (const Experiment& experiment : experiments) {
        if (is_to_stop(caller)) break;
        if (tell) tell(all.machines.size(), nullptr);
        all.machines.push_back(looked_at(experiment, out_of_process));
        if (all.machines.back().fitting.empty() && all.machines.back().failures.empty())
            throw RequestError(no_algorithm_text(experiment));
    }
    for (Comparison& comparison : all.machines) {
        try {
            run_all(comparison, caller, out_of_process, [&](const Algorithm* row) {
                if (tell) tell(all.done, row);
            });
        } catch (...) {
            all.failure = std::current_exception();
            break;
        }
        if (comparison.stopped && is_to_stop(caller)) break;
        ++all.done;
    }
    all.stopped = all.done < experiments.size();
    if (all.stopped)  // what was not begun is taken out
        std::erase_if(all.machines, [](const Comparison& comparison) {
            return comparison.reports.empty() && comparison.failures.empty();
        });
    for (const Comparison& comparison : all.machines) all.ending = std::max(all.ending, comparison.ending);
    if (all.stopped) all.ending = Ending::stopped;
    return all;
}

}  // namespace kport
