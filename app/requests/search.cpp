/// @file search.cpp   kport search: the fewest rounds that any schedule takes.
#include <algorithm>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/requests/commands.hpp"
#include "app/requests/experiment_of.hpp"
#include "app/requests/request.hpp"
#include "app/requests/schedule_in.hpp"
#include "app/requests/sources.hpp"
#include "app/search/proof.hpp"
#include "app/search/search.hpp"
#include "app/search/solver.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/report/table.hpp"
#include "emulator/report/words.hpp"
#include "emulator/report/wrapped.hpp"

namespace kport::requests {

namespace {

using search::Found;
using search::Mode;
using search::Problem;
using search::Proof;

constexpr double search_seconds_default = 60;

std::vector<NodeId> sources_of(const std::string& text, const Topology& topology) {
    std::vector<NodeId> sources;
    for (const std::string_view word : apart(text)) sources.push_back(topology.node(word));
    std::ranges::sort(sources);
    return sources;
}

Mode mode_of(const std::string& word) {
    for (const Mode mode : {Mode::kport, Mode::telephone, Mode::telegraph})
        if (word == name(mode)) return mode;
    const std::vector<std::string_view> words = {"kport", "telephone", "telegraph"};
    throw RequestError(
        fmt::format("--mode {} is unknown{} ({})", quoted(word), did_you_mean(word, words), fmt::join(words, ", ")));
}

Problem problem_of(const Words& words) {
    Words of_a_run = words;
    of_a_run.values.erase("--source");  // which may be several here
    const Experiment experiment = experiment_of(of_a_run);
    Problem problem;
    problem.topology = experiment.machine.topology;
    problem.ports = experiment.machine.ports;
    problem.operation = experiment.collective.operation;
    if (const auto mode = words.get("--mode")) problem.mode = mode_of(*mode);
    if (const auto source = words.get("--source")) {
        if (problem.gossip())
            throw RequestError(fmt::format("--source {}: {} has no source; leave --source out", quoted(*source),
                                           kport::name(problem.operation)));
        problem.sources = sources_of(*source, *problem.topology);
    }
    require_valid(problem);
    return problem;
}

search::SearchOptions search_options_of(const Words& words, double seconds_max) {
    search::SearchOptions options;
    options.proof = words.get("--proof").value_or("");
    if (words.has("--proof") && search::solver_name().empty())
        throw RequestError(fmt::format(
            "--proof {}: kport was built without CaDiCaL, which proves it; leave --proof out", quoted(options.proof)));
    options.seconds = std::min(search_seconds_default, seconds_max);
    if (const auto time = words.get("--for")) options.seconds = parse_seconds(*time, "--for");
    if (*options.seconds <= 0)
        throw RequestError(
            fmt::format("--for {} is zero; want a positive time, such as 60s", quoted(*words.get("--for"))));
    if (*options.seconds > seconds_max)
        throw RequestError(fmt::format("--for {}: a search takes at most {} s here",
                                       quoted(words.get("--for").value_or("60s")), seconds_max));
    return options;
}

/// "refuted" and why.
std::string proof_text(const Found& found) {
    switch (found.proof) {
        case Proof::bound_met: return "bound met";
        case Proof::refuted: return "refuted";
        case Proof::none: break;
    }
    return "open";
}

std::string subject_text(const Problem& problem) {
    std::vector<std::string> nodes;
    for (const NodeId source : problem.sources) nodes.push_back(problem.topology->name(source));
    const std::string from = problem.gossip() ? "" : fmt::format(" from {}", fmt::join(nodes, " and "));
    const std::string how = problem.gossip() && problem.mode != Mode::kport
                                ? std::string(name(problem.mode))
                                : fmt::format("{}-port", problem.ports.text());
    return fmt::format("{} on {}{}, {}", kport::name(problem.operation), problem.topology->spec(), from, how);
}

std::string why_no_fewer(const Found& found, bool timed) {
    if (found.proof == Proof::bound_met)
        return fmt::format("the lower bound is {}: {}", found.bound, found.bounds.front().name);
    if (found.proof == Proof::refuted)
        return fmt::format("there is no schedule of {}, by {}", counted(found.least - 1, "round"), found.refuted_by);
    if (!found.attempts.empty())
        return fmt::format("not known: whether there is a schedule of {} was not found out in {}",
                           counted(found.least, "round"), timed ? duration(found.seconds) : "time");
    return fmt::format("not known: {}", search::solver_name().empty()
                                            ? "kport was built without CaDiCaL, and decides 32 nodes at most"
                                            : "the time was over before the search began");
}

/// What the file of --proof says.
std::string proof_told(const Found& found, const std::string& path) {
    return found.proved ? fmt::format("there is no schedule of {}: {} (DRAT), of the formula {} (DIMACS)",
                                      counted(*found.proved, "round"), path, search::ProofFile::formula_of(path))
                        : "none yet: the solver has refuted nothing";
}

std::string text_of(const Problem& problem, const Found& found, const std::string& proof, const Request& request) {
    using enum Table::Align;
    const Paint& paint = request.client.paint;
    const std::size_t width = request.client.width;
    const bool timed = !request.reproducible();
    const std::string answer =
        found.exact() ? paint(fmt::format("exactly {}", counted(found.most, "round")), Tone::good)
                      : paint(fmt::format("between {} and {} rounds", found.least, found.most), Tone::warning);
    const Operation operation = collective_of(problem).operation;
    const bool one = found.verdict.holders == 1;
    std::string text = fmt::format("{}: {}\n\n", subject_text(problem), answer);
    text += fmt::format("schedule  {}, found by {}; the auditor: all rules kept, {} of {} {} {}\n",
                        counted(found.most, "round"), found.found_by, found.verdict.holders,
                        counted(found.verdict.promised, "node"), one ? "holds" : "hold",
                        one ? noun_of_one(operation, 1) : noun_of(operation, 1));
    text += fmt::format("fewer     {}\n", why_no_fewer(found, timed));
    if (!proof.empty()) text += fmt::format("proof     {}\n", proof_told(found, proof));
    text += "\n";
    Table bounds({{"lower bound"}, {"rounds", right}, {"source"}});
    for (const Argument& argument : found.bounds)
        bounds.row({{argument.name}, {fmt::format("{:.0f}", argument.value)}, {argument.source}});
    text = wrapped(text, 10, width) + bounds.text(paint, width);
    if (found.attempts.empty()) return text;
    Table tried({{"rounds", right},
                 {"schedule"},
                 {"variables", right},
                 {"clauses", right},
                 {"conflicts", right},
                 {"time", right}});
    for (const search::Attempt& attempt : found.attempts)
        tried.row({{std::to_string(attempt.rounds)},
                   {attempt.answer == search::Answer::yes  ? "found"
                    : attempt.answer == search::Answer::no ? "there is none"
                                                           : "open"},
                   {std::to_string(attempt.variables)},
                   {std::to_string(attempt.clauses)},
                   {std::to_string(attempt.conflicts)},
                   {timed ? duration(attempt.seconds) : ""}});
    return text + "\n" + tried.text(paint, width);
}

/// The keys are the columns of tests/oracle/tables/exact.csv, and more.
Json json_of(const Problem& problem, const Found& found, const std::string& proof, bool timed) {
    Json json;
    json["operation"] = kport::name(problem.operation);
    json["topology"] = problem.topology->spec();
    json["sources"] = problem.gossip() ? Json::array() : Json(problem.sources);
    json["ports"] = problem.ports.is_all() ? Json("all") : Json(problem.ports.k());
    json["mode"] = problem.gossip() ? Json(name(problem.mode)) : Json();
    json["nodes"] = problem.topology->nodes();
    json["rounds_minimum"] = found.exact() ? Json(found.most) : Json();
    json["bound_rounds"] = found.bound;
    json["proof"] = found.exact() ? Json(proof_text(found)) : Json();
    json["between"] = {found.least, found.most};
    json["why"] = why_no_fewer(found, timed);
    if (!proof.empty())
        json["drat"] = {{"rounds", found.proved ? Json(*found.proved) : Json()},
                        {"formula", found.proved ? Json(search::ProofFile::formula_of(proof)) : Json()},
                        {"steps", found.proved ? Json(proof) : Json()}};
    json["found_by"] = found.found_by;
    json["transfers"] = found.schedule.size();
    json["lawful"] = found.verdict.lawful();
    json["bounds"] = Json::array();
    for (const Argument& argument : found.bounds)
        json["bounds"].push_back({{"name", argument.name},
                                  {"rounds", static_cast<std::uint64_t>(argument.value)},
                                  {"why", argument.why},
                                  {"source", argument.source}});
    json["solver"] = search::solver_name().empty() ? Json() : Json(search::solver_name());
    json["tried"] = Json::array();
    for (const search::Attempt& attempt : found.attempts)
        json["tried"].push_back(
            {{"rounds", attempt.rounds},
             {"schedule",
              attempt.answer == search::Answer::stopped ? Json() : Json(attempt.answer == search::Answer::yes)},
             {"variables", attempt.variables},
             {"clauses", attempt.clauses},
             {"conflicts", attempt.conflicts},
             {"seconds", attempt.seconds}});
    json["seconds"] = found.seconds;
    return json;
}

void record(Client& client, const std::string& path, const Problem& problem, const Found& found) {
    write_schedule_file(client, "--record", path,
                        {.topology = problem.topology,
                         .collective = collective_of(problem),
                         .schedule = found.schedule,
                         .machine = machine_of(problem)});
    if (!problem.gossip() && problem.sources.size() > 1)
        client.warn(
            fmt::format("--record {}: the file does not say that there are {} sources; kport check takes it for a "
                        "broadcast from one",
                        quoted(path), problem.sources.size()));
}

/// An answer that an argument gives, and no solver, has no proof of this kind.
void require_proved(const std::string& path, const Problem& problem, const Found& found) {
    if (path.empty() || !found.exact() || found.proved == found.least - 1) return;
    throw RequestError(
        fmt::format("--proof {}: {} takes {}, and the solver has nothing to prove: {}; leave --proof out", quoted(path),
                    subject_text(problem), counted(found.most, "round"), why_no_fewer(found, true)));
}

Found searched(const Problem& problem, const search::SearchOptions& options) {
    try {
        return fewest_rounds(problem, options);
    } catch (const std::system_error& error) {
        throw OutputError(
            fmt::format("--proof {}: cannot be written ({})", quoted(options.proof), error.code().message()), false);
    }
}

}  // namespace

Answer search(Request& request) {
    const Words& words = request.words;
    Client& client = request.client;
    const Problem problem = problem_of(words);
    search::SearchOptions options = search_options_of(words, client.search_seconds_max);
    if (const auto path = words.get("--record")) require_place_of_schedule(client, "--record", *path);
    if (const auto path = words.get("--proof")) client.require_place("--proof", *path);
    client.at_work(fmt::format("{} is being built", problem.topology->spec()));
    const std::unique_ptr<Signs> signs = client.signs();
    options.stop = client.stop;
    options.progress = [&](const std::string& step) {
        client.can_report();
        if (signs->due()) signs->show(step);
    };
    const Found found = searched(problem, options);
    client.can_report();
    require_proved(options.proof, problem, found);
    const auto note = [&] {
        if (const auto path = words.get("--record")) record(client, *path, problem, found);
    };
    return answer_beside(
        note,
        [&] {
            return words.has("--json") ? request.document([&] {
                return json_of(problem, found, options.proof, !request.reproducible());
            })
                                       : text_of(problem, found, options.proof, request);
        },
        found.exact() ? status_lawful : status_stopped);
}

}  // namespace kport::requests
