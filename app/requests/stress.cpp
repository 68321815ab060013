/// @file stress.cpp   kport stress: random machines, orders and faults, until a case fails.
#include "app/stress/stress.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/files/json_report.hpp"
#include "app/requests/commands.hpp"
#include "app/requests/experiment_of.hpp"
#include "app/session/experiment.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/ranks/ranks.hpp"
#include "emulator/report/terminal_text.hpp"
#include "emulator/report/words.hpp"

namespace kport::requests {

namespace {

/// The command that runs the smallest case again, where a run shows the flaw.
std::string run_again(const Breakage& breakage) {
    const auto& how = breakage.failure.how;
    Experiment e;
    e.machine = breakage.c.machine;
    e.collective = breakage.c.collective;
    e.options = breakage.c.options;
    e.seed = breakage.c.seed;
    e.engine = how.engine;
    if (how.threads > 1) e.threads = how.threads;
    e.partition_nodes = how.partition_nodes;
    e.order = how.order;
    e.injection = how.injection;
    e.max_rounds = how.max_rounds;
    e.until = breakage.failure.round;
    return kport::again(e, breakage.subject.algorithm->name);
}

/// The command that shows the failure again; where it takes more than a run, all that was done with the case.
std::string again(const StressPlan& plan, const Breakage& breakage) {
    const unsigned ranks = breakage.failure.how.ranks;
    const std::string mpirun = ranks > 1 ? fmt::format("mpirun -n {} ", ranks) : "";
    const bool run_takes = breakage.subject.algorithm != nullptr && !breakage.c.options.reduction.op.is_own();
    if (breakage.failure.run_shows && run_takes) return mpirun + run_again(breakage);
    const StressOptions& options = plan.options;
    std::string text =
        mpirun + fmt::format("kport stress --seed {} --case {} {} --threads {}", options.seed, breakage.number,
                             options.on != nullptr ? "--on " + as_shell_word(options.on->spec())
                                                   : fmt::format("--nodes {}", options.nodes_max),
                             options.trials.threads_max);
    if (!plan.subjects.empty()) text += fmt::format(" --operation {}", name(plan.operation));
    if (plan.subjects.size() == 1) text += fmt::format(" --algorithm {}", plan.subjects.front().name);
    if (options.trials.injection) text += fmt::format(" --inject {}", kport::text(*options.trials.injection));
    return text;
}

std::string list_of(const std::map<std::string, std::uint64_t>& counts) {
    std::string text;
    for (const auto& [what, count] : counts) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, count);
    return text;
}

/// Returns the first 8 names and the number of the others.
std::string some_of(std::vector<std::string> names) {
    constexpr std::size_t most = 8;
    const std::size_t more = names.size() - std::min(names.size(), most);
    names.resize(names.size() - more);
    return fmt::format("{}{}", fmt::join(names, ", "), more == 0 ? "" : fmt::format(", and {} more", more));
}

std::string executions_text(const Coverage& c) {
    std::map<std::string, std::uint64_t> runs;
    std::vector<std::string> none;
    for (std::size_t i = 0; i < executions_count; ++i) {
        const auto execution = static_cast<Execution>(i);
        if (const std::uint64_t count = c.runs_by(execution); count != 0)
            runs[std::string(name(execution))] = count;
        else
            none.emplace_back(name(execution));
    }
    const std::vector<std::string> missing = c.missing_rows();
    const std::size_t rows = c.of_rows.size();
    return fmt::format(
        "rows      {} of {} of the catalogue ran with bytes{}\nexecuted  {} of {} ways with bytes{}{}{}\n",
        rows - missing.size(), rows, missing.empty() ? "" : "; not " + some_of(missing), runs.size(), executions_count,
        runs.empty() ? "" : ": ", list_of(runs), none.empty() ? "" : "; not " + some_of(none));
}

std::string coverage_text(const StressPlan& plan, const Coverage& c) {
    std::string text = fmt::format("covered   {} with {}, {}, {}\n", counted(c.runs, "run"), counted(c.nodes, "node"),
                                   counted(c.rounds, "round"), counted(c.messages, "message"));
    text += fmt::format("          {} in a random order of nodes, {} in small partitions\n", counted(c.orders, "run"),
                        counted(c.deals, "run"));
    text += fmt::format("          {} judged by the second auditor, {} replayed without programs\n",
                        counted(c.opinions, "schedule"), c.retold);
    if (plan.options.trials.ranks != nullptr)
        text +=
            fmt::format("          {} by {} ranks\n", counted(c.by_ranks, "run"), plan.options.trials.ranks->size());
    if (plan.options.trials.injection)
        text += fmt::format("faults    {} injected: {} reported correctly, {} need not break a rule\n", c.faults,
                            c.caught, c.harmless);
    if (!plan.options.trials.injection) text += executions_text(c);
    return text + fmt::format("machines  {}\ncases     {}\n", list_of(c.by_family), list_of(c.by_subject));
}

/// Whether faults were asked for and no case had a place for one: nothing was tested.
bool injected_nothing(const StressPlan& plan, const StressOutcome& outcome) {
    return plan.options.trials.injection && outcome.coverage.faults == 0;
}

std::string text_of(const StressPlan& plan, const StressOutcome& outcome, const Paint& paint, std::size_t width) {
    const Coverage& c = outcome.coverage;
    const std::string found = outcome.breakage  ? paint("a flaw was found", Tone::bad)
                              : outcome.stopped ? paint("stopped, no flaw so far", Tone::warning)
                              : injected_nothing(plan, outcome)
                                  ? paint("nothing was tested: no case has a place for this fault", Tone::warning)
                                  : paint("no flaw was found", Tone::good);
    const auto& on = plan.options.on;
    const std::string where =
        on != nullptr ? "on " + on->spec() : "of at most " + counted(plan.options.nodes_max, "node");
    std::string text = fmt::format("stress, seed {}: {} {} in {}: {}\n\n", plan.options.seed, counted(c.cases, "case"),
                                   where, duration(outcome.seconds), found);
    if (outcome.breakage) text += outcome.breakage->text();
    text = wrapped(text, 6, width);
    if (outcome.breakage) text += fmt::format("again   {}\n\n", again(plan, *outcome.breakage));
    return text + wrapped(coverage_text(plan, c), 10, width, Break::phrases) + fmt::format("verdict   {}\n", found);
}

Json json_of(const StressPlan& plan, const StressOutcome& outcome) {
    const Coverage& c = outcome.coverage;
    Json json;
    json["seed"] = plan.options.seed;
    json["seconds"] = outcome.seconds;
    json["stopped"] = outcome.stopped;
    json["covered"] = {
        {"cases", c.cases},        {"runs", c.runs},          {"nodes", c.nodes},          {"rounds", c.rounds},
        {"messages", c.messages},  {"orders", c.orders},      {"deals", c.deals},          {"opinions", c.opinions},
        {"moved_again", c.retold}, {"machines", c.by_family}, {"algorithms", c.by_subject}};
    if (plan.options.trials.ranks != nullptr) json["covered"]["by_ranks"] = c.by_ranks;
    for (std::size_t i = 0; i < executions_count; ++i) {
        const auto execution = static_cast<Execution>(i);
        json["covered"]["executions"][std::string(name(execution))] = c.runs_by(execution);
    }
    if (!plan.options.trials.injection)
        json["covered"]["rows"] = {{"all", c.of_rows.size()}, {"missing", c.missing_rows()}};
    if (plan.options.trials.injection)
        json["faults"] = {{"fault", info(plan.options.trials.injection->fault).name},
                          {"put_in", c.faults},
                          {"named", c.caught},
                          {"no_certain_harm", c.harmless}};
    json["flaw"] = nullptr;
    if (const auto& breakage = outcome.breakage)
        json["flaw"] = {{"what", kport::text(breakage->failure.flaw)},
                        {"operation", name(breakage->c.collective.operation)},
                        {"algorithm", breakage->subject.name},
                        {"machine", breakage->machine()},
                        {"story", breakage->failure.story},
                        {"first_rounds", breakage->failure.round},
                        {"smallest", breakage->smallest},
                        {"again", again(plan, *breakage)}};
    return json;
}

}  // namespace

Answer stress(Request& request) {
    Client& client = request.client;
    StressPlan plan = stress_plan_of(request.words);
    const std::unique_ptr<Signs> signs = client.signs();
    client.can_report();
    const Caller caller = client.caller();
    plan.options.stop = caller.stop;
    plan.options.trials.ranks = caller.ranks;
    plan.options.trials.computing = client.computing();
    plan.options.progress = [&](const Coverage& c, std::uint64_t shrinking) {
        if (!signs->due()) return;
        signs->show(shrinking == 0 ? fmt::format("{}, {}, {}", counted(c.cases, "case"), counted(c.runs, "run"),
                                                 counted(c.messages, "message"))
                                   : fmt::format("a flaw; {} tried", counted(shrinking, "smaller case")));
    };
    const StressOutcome outcome = plan.subjects.empty() ? stress_catalogue(plan.options)
                                                        : kport::stress(plan.subjects, plan.operation, plan.options);
    Answer answer;
    answer.text = request.words.has("--json") ? request.document([&] { return json_of(plan, outcome); })
                                              : text_of(plan, outcome, client.paint, client.width);
    answer.status = outcome.breakage                                     ? status_broken
                    : outcome.stopped || injected_nothing(plan, outcome) ? status_stopped
                                                                         : status_lawful;
    return answer;
}

}  // namespace kport::requests
