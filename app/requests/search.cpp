/// @file search.cpp   kport search: the least rounds, volume and work that any schedule takes.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/files/transfer_words.hpp"
#include "app/requests/command_table.hpp"
#include "app/requests/commands.hpp"
#include "app/requests/experiment_of.hpp"
#include "app/requests/request.hpp"
#include "app/requests/schedule_in.hpp"
#include "app/requests/several.hpp"
#include "app/search/least_cost.hpp"
#include "app/search/proof.hpp"
#include "app/search/solver.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/report/report.hpp"
#include "emulator/report/table.hpp"
#include "emulator/report/terminal_text.hpp"
#include "emulator/report/words.hpp"
#include "emulator/topology/broken.hpp"

namespace kport::requests {

namespace {

using search::Found;
using search::FrontLine;
using search::Interval;
using search::Least;
using search::LeastCost;
using search::Mode;
using search::Proof;
using search::Question;

constexpr double search_seconds_default = 60;

std::vector<NodeId> sources_of(const std::string& text, const Topology& topology) {
    if (names_one(text, topology)) return {topology.node(text)};
    std::vector<NodeId> sources;
    for (const std::string_view word : apart(text)) sources.push_back(topology.node(word));
    std::ranges::sort(sources);
    return sources;
}

/// One of some words; throws RequestError that lists them all.
template <class Kind>
Kind kind_of(std::string_view option, const std::string& word,
             std::span<const std::pair<std::string_view, Kind>> kinds) {
    std::vector<std::string_view> words;
    for (const auto& [text, kind] : kinds) {
        if (word == text) return kind;
        words.push_back(text);
    }
    throw RequestError(fmt::format("{} {} is unknown{} ({})", option, quoted(word), did_you_mean(word, words),
                                   fmt::join(words, ", ")));
}

Least least_of(const Words& words) {
    static constexpr std::pair<std::string_view, Least> kinds[] = {{"rounds", Least::rounds},
                                                                   {"rounds,volume", Least::volume},
                                                                   {"rounds,work", Least::work},
                                                                   {"front", Least::front},
                                                                   {"work", Least::work_of_all}};
    const auto word = words.get("--least");
    return word ? kind_of<Least>("--least", *word, kinds) : Least::rounds;
}

/// --mode telephone is --pairwise, --mode telegraph is --duplex half, both with one port.
void set_mode(Question& question, const std::string& word) {
    static constexpr std::pair<std::string_view, Mode> kinds[] = {
        {"kport", Mode::kport}, {"telephone", Mode::telephone}, {"telegraph", Mode::telegraph}};
    const Mode mode = kind_of<Mode>("--mode", word, kinds);
    if (mode == Mode::kport) return;
    Machine& machine = question.machine;
    if (machine.ports != PortLimit(1))
        throw RequestError(fmt::format("mode {} has one port; leave the {} ports out, or take mode kport", word,
                                       machine.ports.text()));
    if (question.operation() == Operation::broadcast)
        throw RequestError(
            fmt::format("mode {}: a broadcast takes as many rounds in every mode, since a node receives "
                        "once, before it sends; leave the mode out",
                        word));
    machine.pairwise = machine.pairwise || mode == Mode::telephone;
    if (mode == Mode::telegraph) machine.duplex = Duplex::half;
}

Question question_of(const Words& words) {
    Words of_a_run = words;
    if (words.get("--source")) of_a_run.values.erase("--source");  // which may be several here
    const Experiment experiment = experiment_of(of_a_run);
    require_default_source(words, experiment);
    Question question{experiment.machine, experiment.collective};
    if (const auto mode = words.get("--mode")) set_mode(question, *mode);
    if (const auto source = words.get("--source")) {
        if (!question.operation().rooted())
            throw RequestError(fmt::format("--source {}: {} has no source; leave --source out", quoted(*source),
                                           kport::name(question.operation())));
        std::vector<NodeId> sources = sources_of(*source, *question.machine.topology);
        question.collective.root = sources.front();
        if (sources.size() > 1) question.sources = std::move(sources);
    }
    if (question.sources.size() > 1 &&
        (question.operation() != Operation::broadcast || least_of(words) != Least::rounds))
        throw RequestError(
            fmt::format("--source {}: only the rounds of a broadcast are searched for from several nodes; "
                        "want one",
                        quoted(*words.get("--source"))));
    require_valid(question);
    return question;
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

std::string subject_text(const Question& question) {
    const Machine& machine = question.machine;
    std::vector<std::string> nodes;
    for (const NodeId source : question.sources) nodes.push_back(machine.topology->name(source));
    if (nodes.empty() && question.operation().rooted())
        nodes.push_back(machine.topology->name(question.collective.root));
    std::string text = fmt::format("{} on {}", kport::name(question.operation()), machine.topology->spec());
    if (!nodes.empty())
        text += fmt::format(" {} {}", question.operation().inwards() ? "to" : "from", fmt::join(nodes, " and "));
    if (machine.pairwise && machine.ports == PortLimit(1))
        text += ", telephone";
    else if (machine.duplex == Duplex::half && machine.ports == PortLimit(1))
        text += ", telegraph";
    else
        text += fmt::format(", {}-port{}{}", machine.ports.text(), machine.duplex == Duplex::half ? " half duplex" : "",
                            machine.pairwise ? " pairwise" : "");
    if (machine.links == Duplex::half) text += ", half duplex links";
    if (machine.switching == Switching::wormhole) text += ", wormhole";
    if (machine.switch_limit != no_port) text += fmt::format(", switch limit {}", machine.switch_limit);
    if (machine.node_ports != nullptr) text += fmt::format(", ports by {}", quoted(machine.node_ports->attribute));
    if (!machine.combining) text += ", noncombining";
    if (question.collective.packets_each > 1)
        text += fmt::format(", {} {}", question.collective.packets_each,
                            question.collective.folds() ? "segments" : "packets each");
    return text;
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

std::string exactly(const Interval& value, std::string_view unit) {
    return value.exact() ? fmt::format("exactly {}", counted(value.most, unit))
                         : fmt::format("between {} and {} {}s", value.least, value.most, unit);
}
std::string_view unit_of_volume(const Question& question) { return question.collective.folds() ? "segment" : "packet"; }

/// "exactly 4 rounds, then volume exactly 4 packets".
std::string answer_text(const Question& question, const LeastCost& cost) {
    if (cost.work_of_all) return fmt::format("work {}", exactly(*cost.work_of_all, "message"));
    const Found& found = cost.rounds;
    if (found.most == search::rounds_unknown) return fmt::format("at least {}", counted(found.least, "round"));
    std::string text = exactly({found.least, found.most}, "round");
    if (cost.volume) text += fmt::format(", then volume {}", exactly(*cost.volume, unit_of_volume(question)));
    if (cost.work) text += fmt::format(", then work {}", exactly(*cost.work, "message"));
    return text;
}

std::string_view text(Proof proof) {
    return proof == Proof::bound_met ? "bound met" : proof == Proof::refuted ? "refuted" : "open";
}

/// The prices, as startup over the time of a packet, at which a line of a front is the cheapest: with more rounds it is so
/// where a startup is cheap.
std::string prices_text(const std::vector<FrontLine>& front, std::size_t i) {
    const auto crossing = [&](std::size_t left, std::size_t right) {
        return static_cast<double>(front[left].volume.most - front[right].volume.most) /
               static_cast<double>(front[right].rounds - front[left].rounds);
    };
    double lowest = 0;
    double highest = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < front.size(); ++j) {
        if (j < i) highest = std::min(highest, crossing(j, i));
        if (j > i) lowest = std::max(lowest, crossing(i, j));
    }
    if (lowest > highest) return "never";
    if (i == 0) return front.size() == 1 ? "all" : fmt::format("startup >= {:g} packets", lowest);
    if (lowest == highest) return fmt::format("startup = {:g} packets", lowest);
    return lowest == 0 ? fmt::format("startup <= {:g} packets", highest)
                       : fmt::format("startup {:g} to {:g} packets", lowest, highest);
}

std::string front_text(const LeastCost& cost, const Paint& paint, std::size_t width) {
    using enum Table::Align;
    Table table({{"rounds", right}, {"volume", right}, {"proof"}, {"cheapest where"}});
    for (std::size_t i = 0; i < cost.front.size(); ++i) {
        const FrontLine& line = cost.front[i];
        table.row({{std::to_string(line.rounds)},
                   {line.volume.exact() ? std::to_string(line.volume.most)
                                        : fmt::format("{} to {}", line.volume.least, line.volume.most)},
                   {std::string(text(line.proof))},
                   {prices_text(cost.front, i)}});
    }
    return table.text(paint, width) + (cost.front_complete ? "" : "more rounds may have less volume: not known\n") +
           "\n";
}

std::string text_of(const Question& question, const LeastCost& cost, const std::string& proof, const Request& request) {
    using enum Table::Align;
    const Paint& paint = request.client.paint;
    const std::size_t width = request.client.width;
    const bool timed = !request.reproducible();
    const Found& found = cost.rounds;
    std::string text = fmt::format("{}: {}\n\n", subject_text(question),
                                   paint(answer_text(question, cost), cost.exact() ? Tone::good : Tone::warning));
    if (found.most == search::rounds_unknown) {
        text += "schedule  none found\n";
    } else {
        text += fmt::format(
            "schedule  {}, found by {}; the auditor: all rules kept, {}\n",
            counted(found.verdict.metrics.rounds, "round"), found.found_by,
            holding_text(found.verdict, *question.machine.topology, cost.collective, question.collective.root));
    }
    if (cost.reading == search::Reading::runs) text += "reading   runs of consecutive contributors, each a value\n";
    if (cost.work_of_all)
        text += fmt::format("rounds    {} are the fewest of all schedules; {}\n",
                            exactly({found.least, found.most}, "round"), why_no_fewer(found, timed));
    else
        text += fmt::format("fewer     {}\n", why_no_fewer(found, timed));
    if (cost.volume || cost.work || cost.work_of_all)
        text += fmt::format("less      {}\n", requests::text(cost.proof_of_more));
    if (cost.equal_to)
        text += fmt::format("by        {}: {}\n", kport::name(cost.equal_to->operation), cost.equal_to->why);
    if (!proof.empty()) text += fmt::format("proof     {}\n", proof_told(found, proof));
    text += "\n";
    if (!cost.front.empty()) text += front_text(cost, paint, width);
    Table bounds({{"lower bound"}, {"rounds", right}, {"source"}});
    for (const Argument& argument : found.bounds)
        if (argument.value > 0)
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
                   {grouped_count(attempt.variables)},
                   {grouped_count(attempt.clauses)},
                   {grouped_count(attempt.conflicts)},
                   {timed ? duration(attempt.seconds) : ""}});
    return text + "\n" + tried.text(paint, width);
}

Json json_of(const std::optional<Interval>& value) { return value ? Json{value->least, value->most} : Json(); }
Json exact_or_null(const std::optional<Interval>& value) {
    return value && value->exact() ? Json(value->most) : Json();
}

Json mode_of(const Question& question) {
    if (question.operation() == Operation::broadcast) return {};
    const Machine& machine = question.machine;
    if (machine.pairwise) return name(Mode::telephone);
    return name(machine.duplex == Duplex::half && machine.ports == PortLimit(1) ? Mode::telegraph : Mode::kport);
}

Json sources_of(const Question& question) {
    if (!question.operation().rooted()) return Json::array();
    return question.sources.empty() ? Json::array({question.collective.root}) : Json(question.sources);
}

/// A claim that something is impossible, with the files that prove it.
Json claim(const std::string& what, const std::string& path) {
    return {{"claim", what}, {"steps", path}, {"formula", search::ProofFile::formula_of(path)}};
}
Json claims_of(const LeastCost& cost, const std::string& proof) {
    Json claims = Json::array();
    if (proof.empty()) return claims;
    const Found& found = cost.rounds;
    if (found.proved) claims.push_back(claim(fmt::format("no schedule of {}", counted(*found.proved, "round")), proof));
    if (cost.proof_of_more != Proof::refuted) return claims;
    if (cost.volume)
        claims.push_back(
            claim(fmt::format("no volume of {} in {}", cost.volume->most - 1, counted(found.most, "round")),
                  proof + ".volume"));
    if (cost.work)
        claims.push_back(claim(fmt::format("no work of {} in {}", cost.work->most - 1, counted(found.most, "round")),
                               proof + ".work"));
    return claims;
}

/// The keys are the columns of tests/oracle/tables/exact.csv and minimum.csv, and more.
Json json_of(const Question& question, const LeastCost& cost, const std::string& proof, bool timed) {
    const Found& found = cost.rounds;
    const Machine& machine = question.machine;
    Json json;
    json["operation"] = kport::name(question.operation());
    json["topology"] = machine.topology->spec();
    json["sources"] = sources_of(question);
    json["ports"] =
        machine.ports.is_even() && !machine.ports.is_all() ? Json(machine.ports.k()) : Json(machine.ports.text());
    json["mode"] = mode_of(question);
    json["nodes"] = machine.topology->nodes();
    json["packets"] = question.collective.packets_each;
    json["permutation"] =
        question.operation() == Operation::permutation ? Json(kport::text(question.collective.permutation)) : Json();
    json["machine"] = {{"ports", machine.ports.text()},
                       {"duplex", kport::text(machine.duplex)},
                       {"links", kport::text(machine.links)},
                       {"pairwise", machine.pairwise},
                       {"switching", kport::text(machine.switching)},
                       {"combining", machine.combining}};
    if (machine.node_ports != nullptr) json["machine"]["ports_by"] = machine.node_ports->attribute;
    if (const std::vector<std::string> broken = broken_in(*machine.topology); !broken.empty())
        json["machine"]["broken"] = broken;
    const bool is_found = found.most != search::rounds_unknown;
    json["rounds_minimum"] = found.exact() ? Json(found.most) : Json();
    json["bound_rounds"] = found.bound;
    json["proof"] = found.exact() ? Json(proof_text(found)) : Json();
    json["between"] = {Json(found.least), is_found ? Json(found.most) : Json()};
    json["volume_minimum"] = exact_or_null(cost.volume);
    json["volume_between"] = json_of(cost.volume);
    json["work_minimum"] = exact_or_null(cost.work);
    json["work_between"] = json_of(cost.work);
    json["work_least"] = exact_or_null(cost.work_of_all);
    json["front"] = Json();
    if (!cost.front.empty()) json["front"] = Json::array();
    for (const FrontLine& line : cost.front)
        json["front"].push_back({{"rounds", line.rounds},
                                 {"volume", line.volume.most},
                                 {"exact", line.volume.exact()},
                                 {"proof", text(line.proof)}});
    json["front_complete"] = cost.front.empty() ? Json() : Json(cost.front_complete);
    json["equal_to"] = cost.equal_to
                           ? Json{{"operation", kport::name(cost.equal_to->operation)}, {"why", cost.equal_to->why}}
                           : Json();
    json["reading"] = cost.reading ? Json(*cost.reading == search::Reading::runs ? "runs" : "folded") : Json();
    json["why"] = why_no_fewer(found, timed);
    if (!proof.empty())
        json["drat"] = {{"rounds", found.proved ? Json(*found.proved) : Json()},
                        {"formula", found.proved ? Json(search::ProofFile::formula_of(proof)) : Json()},
                        {"steps", found.proved ? Json(proof) : Json()}};
    json["proofs"] = claims_of(cost, proof);
    json["found_by"] = is_found ? Json(found.found_by) : Json();
    json["transfers"] = found.schedule.size();
    json["lawful"] = is_found ? Json(found.verdict.lawful()) : Json();
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
             {"conflicts", attempt.conflicts}});
    if (!timed) return json;
    for (std::size_t i = 0; i < found.attempts.size(); ++i) json["tried"][i]["seconds"] = found.attempts[i].seconds;
    json["seconds"] = found.seconds;
    return json;
}

/// "plan.txt" as "plan-3.txt".
std::string with_rounds(const std::string& path, const std::string& rounds) {
    const std::filesystem::path file(path);
    return file.parent_path() / fmt::format("{}-{}{}", file.stem().string(), rounds, file.extension().string());
}

/// Throws RequestError where a schedule would be written over a proof or its formula.
void require_apart(const std::string& record, const std::string& proof, Least least) {
    const auto whole = [](const std::string& path) {
        std::error_code none;
        return std::filesystem::weakly_canonical(std::filesystem::absolute(path, none), none).string();
    };
    const std::string schedules = whole(record);
    for (const char* ending : {"", ".cnf", ".volume", ".volume.cnf", ".work", ".work.cnf"}) {
        const std::string file = whole(proof + ending);
        bool same = file == schedules;
        if (const auto dash = file.rfind('-'); least == Least::front && dash != std::string::npos) {
            const std::string rounds = file.substr(dash + 1, file.find_first_not_of("0123456789", dash + 1) - dash - 1);
            same = same || (!rounds.empty() && file == with_rounds(schedules, rounds));
        }
        if (same)
            throw RequestError(fmt::format("--record {} and --proof {} would both write {}; want two files",
                                           quoted(record), quoted(proof), quoted(file)));
    }
}

void record(Client& client, const std::string& path, const Question& question, const LeastCost& cost,
            const std::string& options) {
    const auto write = [&](const std::string& file, const Schedule& schedule) {
        write_schedule_file(client, "--record", file,
                            {.topology = question.machine.topology,
                             .collective = cost.collective,
                             .schedule = schedule,
                             .machine = question.machine,
                             .options = options});
    };
    if (cost.rounds.most == search::rounds_unknown)
        return client.warn(fmt::format("--record {}: no schedule was found, and none is written", quoted(path)));
    if (cost.front.empty()) write(path, cost.rounds.schedule);
    for (const FrontLine& line : cost.front) write(with_rounds(path, std::to_string(line.rounds)), line.schedule);
}

/// An answer that an argument gives, and no solver, has no proof of this kind.
void require_proved(const std::string& path, const Question& question, const LeastCost& cost) {
    const Found& found = cost.rounds;
    if (path.empty() || !found.exact() || found.proved == found.least - 1 || cost.proof_of_more == Proof::refuted)
        return;
    throw RequestError(
        fmt::format("--proof {}: {} takes {}, and the solver has nothing to prove: {}; leave --proof out", quoted(path),
                    subject_text(question), counted(found.most, "round"), why_no_fewer(found, true)));
}

LeastCost searched(const Question& question, Least least, const search::SearchOptions& options) {
    try {
        return least_cost(question, least, options);
    } catch (const std::system_error& error) {
        throw OutputError(
            fmt::format("--proof {}: cannot be written ({})", quoted(options.proof), error.code().message()), false);
    }
}

}  // namespace

Answer search(Request& request) {
    const Words& words = request.words;
    Client& client = request.client;
    const Question question = question_of(words);
    const Least least = least_of(words);
    search::SearchOptions options = search_options_of(words, client.search_seconds_max);
    if (const auto path = words.get("--record")) require_place_of_schedule(client, "--record", *path);
    if (const auto path = words.get("--proof")) client.require_place("--proof", *path);
    if (words.has("--record") && words.has("--proof"))
        require_apart(*words.get("--record"), *words.get("--proof"), least);
    client.at_work(fmt::format("{} is being built", question.machine.topology->spec()));
    const std::unique_ptr<Signs> signs = client.signs();
    options.stop = client.stop;
    options.progress = [&](const std::string& step) {
        client.can_report();
        if (signs->due()) signs->show(step);
    };
    const LeastCost cost = searched(question, least, options);
    client.can_report();
    require_proved(options.proof, question, cost);
    const auto note = [&] {
        if (const auto path = words.get("--record")) record(client, *path, question, cost, recorded_options(words));
    };
    return answer_beside(
        note,
        [&] {
            return words.has("--json") ? request.document([&] {
                return json_of(question, cost, options.proof, !request.reproducible());
            })
                                       : text_of(question, cost, options.proof, request);
        },
        cost.exact() ? status_lawful : status_stopped);
}

}  // namespace kport::requests
