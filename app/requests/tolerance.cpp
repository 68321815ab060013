/// @file tolerance.cpp   kport tolerance: the most rounds when links or nodes break.
#include "app/search/tolerance.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/requests/commands.hpp"
#include "app/requests/experiment_of.hpp"
#include "app/requests/performed.hpp"
#include "app/requests/request.hpp"
#include "app/search/least_cost.hpp"
#include "app/session/run.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/report/terminal_text.hpp"
#include "emulator/report/words.hpp"

namespace kport::requests {

namespace {

using search::Tolerance;
using search::ToleranceQuestion;

/// What the words ask for.
struct ToleranceAsked {
    Experiment experiment;
    std::optional<unsigned> links;  ///< broken links of a set; nothing: not said
    unsigned nodes = 0;
    std::optional<std::uint64_t> sample;
    std::optional<double> seconds;
};

ToleranceAsked tolerance_asked(const Words& words) {
    constexpr std::uint64_t parts_max = 1000;
    ToleranceAsked asked;
    Words of_a_run = words;
    if (const auto links = words.get("--links")) {
        of_a_run.values.erase("--links");
        for (const std::string_view part : split(*links, ',')) {
            const bool is_mode = part == "full" || part == "half";
            if (is_mode ? of_a_run.has("--links") : asked.links.has_value())
                throw RequestError(fmt::format(
                    "--links {}: want a number of broken links, full or half, or one of each: 2,half", quoted(*links)));
            if (is_mode)
                of_a_run.values["--links"] = part;
            else
                asked.links = static_cast<unsigned>(parse_count(part, "--links", 0, parts_max));
        }
    }
    for (const char* option : {"--nodes", "--unaware"}) of_a_run.values.erase(option);
    if (const auto nodes = words.get("--nodes"))
        asked.nodes = static_cast<unsigned>(parse_count(*nodes, "--nodes", 0, parts_max));
    if (asked.links == 0U && asked.nodes == 0)
        throw RequestError("--links 0: nothing breaks; want --links 1 or more, or --nodes 1 or more");
    if (const auto sample = words.get("--sample")) asked.sample = parse_count(*sample, "--sample", 1);
    if (words.has("--seed") && !asked.sample)
        throw RequestError("--seed: all sets are looked at; want --sample N with it, or leave --seed out");
    if (const auto time = words.get("--for")) {
        asked.seconds = parse_seconds(*time, "--for");
        if (*asked.seconds <= 0)
            throw RequestError(fmt::format("--for {} is zero; want a positive time, such as 60s", quoted(*time)));
    }
    asked.experiment = experiment_of(of_a_run);
    if (is_algorithm_file(asked.experiment.algorithm))
        throw RequestError(
            fmt::format("--algorithm {}: tolerance runs algorithms of kport only; want one of 'kport list "
                        "algorithms'",
                        quoted(asked.experiment.algorithm)));
    asked.experiment.payload = false;
    return asked;
}

/// The rounds of the algorithm on what is left of the machine. Throws RequestError where it does not run.
Round rounds_on(const search::Question& left, Experiment e) {
    e.collective = left.collective;
    e.machine = left.machine;
    e.threads = 1;
    const Report report = kport::run(e).report;
    if (!report.verdict.delivered)
        throw RequestError(
            fmt::format("algorithm {}: it does not deliver on {}", report.algorithm, e.topology().spec()));
    return static_cast<Round>(rounds_judged(report));
}

std::string named(const BrokenParts& parts, const Topology& graph) {
    return fmt::format("{}", fmt::join(names_of(parts, graph), ", "));
}

/// "sets of 2 broken links and 1 broken node"
std::string sets_text(const ToleranceQuestion& question) {
    std::vector<std::string> parts;
    if (question.links != 0) parts.push_back(counted(question.links, "broken link"));
    if (question.nodes != 0) parts.push_back(counted(question.nodes, "broken node"));
    return fmt::format("{}", fmt::join(parts, " and "));
}

std::string line(std::string_view first, const std::string& text, std::size_t width) {
    constexpr std::size_t hang = 8;
    return wrapped(fmt::format("{:<8}{}\n", first, text), hang, width);
}

std::string head_of(const Experiment& e, std::size_t width) {
    return request_line(e.collective, e.root(), e.machine, width);
}

std::string text_of(const ToleranceQuestion& question, const Tolerance& found, const Experiment& e, std::size_t width) {
    const Topology& graph = e.topology();
    std::string text = head_of(e, width);
    text += line("asked",
                 e.algorithm.empty() ? std::string("the fewest rounds of all schedules")
                                     : fmt::format("algorithm {}, planned anew for each set", e.algorithm),
                 width);
    text += line("sets",
                 fmt::format("{}{} of {}{}", question.sample ? "a sample of " : "", grouped_count(found.sets),
                             sets_text(question),
                             found.kinds + found.sets_apart < found.sets && found.exact()
                                 ? fmt::format("; {} but for symmetry", grouped_count(found.kinds))
                                 : ""),
                 width);
    text += line("apart",
                 found.apart ? fmt::format("{} part the nodes, the first {}", grouped_count(found.sets_apart),
                                           named(*found.apart, graph))
                             : std::string("none parts the nodes"),
                 width);
    text += line("before", counted(found.rounds_before, "round"), width);
    std::string worst = found.sets_apart == found.sets ? std::string("no set is left")
                        : found.exact()                ? counted(found.worst_most, "round")
                        : found.worst_most == search::rounds_unknown
                            ? fmt::format("at least {}", counted(found.worst_least, "round"))
                            : fmt::format("between {} and {} rounds", found.worst_least, found.worst_most);
    if (found.worst) worst += fmt::format(", the first {}", named(*found.worst, graph));
    return text + line("worst", worst, width);
}

Json json_head(const Experiment& e, const Request& request) {
    Json json;
    put_operation(json, e.collective, e.topology());
    put_machine(json, e.machine, e.root(), e.collective.packet_bytes, e.collective.packets_each);
    json["algorithm"] = e.algorithm.empty() ? Json() : Json(e.algorithm);
    json["unaware"] = request.words.has("--unaware");
    return json;
}

Json json_of(const ToleranceQuestion& question, const Tolerance& found, const Experiment& e, const Request& request) {
    const Topology& graph = e.topology();
    const auto parts = [&](const std::optional<BrokenParts>& some) {
        return some ? Json(names_of(*some, graph)) : Json();
    };
    Json json = json_head(e, request);
    json["links_broken"] = question.links;
    json["nodes_broken"] = question.nodes;
    json["sampled"] = question.sample.has_value();
    json["sets"] = found.sets;
    json["sets_apart"] = found.sets_apart;
    json["apart"] = parts(found.apart);
    json["rounds_before"] = found.rounds_before;
    json["rounds_worst"] = found.exact() ? Json(found.worst_most) : Json();
    json["rounds_worst_at_least"] = found.worst_least;
    json["worst"] = parts(found.worst);
    json["exact"] = found.exact();
    return json;
}

/// As search::tolerance(), whose refusal of too many sets does not know of the option.
Tolerance tolerance_found(const ToleranceQuestion& question, const search::ToleranceOptions& options) {
    try {
        return search::tolerance(question, options);
    } catch (const RequestError& error) {
        const std::string why = error.what();
        if (question.sample || !why.starts_with("there are ")) throw;
        throw RequestError(why + ", or --sample N, such as --sample 1000");
    }
}

Answer tolerance_of_sets(Request& request, const ToleranceAsked& asked) {
    const Experiment& e = asked.experiment;
    ToleranceQuestion question;
    question.question = {e.machine, e.collective};
    question.links = asked.links.value_or(asked.nodes == 0 ? 1 : 0);
    question.nodes = asked.nodes;
    question.sample = asked.sample;
    question.seed = e.seed;
    if (!e.algorithm.empty()) question.rounds_of = [&](const search::Question& left) { return rounds_on(left, e); };
    search::ToleranceOptions options;
    options.threads = e.thread_count();
    options.seconds = asked.seconds;
    options.stop = request.client.stop;
    const std::unique_ptr<Signs> signs = request.client.signs();
    options.progress = [&](const std::string& step) {
        request.client.can_report();
        if (signs->due()) signs->show(step);
    };
    const Tolerance found = tolerance_found(question, options);
    return {.status = found.exact() ? status_lawful : status_stopped,
            .text = request.words.has("--json") ? request.document([&] { return json_of(question, found, e, request); })
                                                : text_of(question, found, e, request.client.width)};
}

/// The smallest set of links whose loss stops an algorithm that does not know of it.
struct Stopping {
    Round rounds_before = 0;
    std::optional<BrokenParts> by;  ///< nothing: no set of so many links as were tried
    unsigned tried_to = 0;          ///< no smaller set stops it
    std::uint64_t runs = 0;
    std::uint64_t holders = 0;
};

/// Idea   A run with broken links is the same as one with more, unless a message crosses those. So each set grows only by
///        links that messages cross in its run.
class StoppingSearch {
  public:
    StoppingSearch(const Chosen& chosen, Request& request, std::optional<double> seconds)
        : chosen_(chosen), request_(request), signs_(request.client.signs()) {
        if (seconds)
            end_ = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                          std::chrono::duration<double>(*seconds));
    }

    /// Tries sets of up to `most` links; nothing: until some set stops it. Throws RequestError where that takes too many runs.
    Stopping search(std::optional<unsigned> most) {
        std::set<BrokenParts::Link> used;
        const Report whole = ran({}, used);
        found_.rounds_before = static_cast<Round>(rounds_judged(whole));
        std::set<std::vector<BrokenParts::Link>> sets;
        for (const BrokenParts::Link& link : used) sets.insert({link});
        const unsigned all = most.value_or(~0U);
        while (!sets.empty() && found_.tried_to < all) {
            std::set<std::vector<BrokenParts::Link>> larger;
            for (const auto& set : sets) {
                used.clear();
                const Report report = ran({.links = set, .nodes = {}}, used);
                if (is_over()) return std::move(found_);
                if (!report.verdict.delivered) {
                    found_.by = BrokenParts{.links = set, .nodes = {}};
                    found_.holders = report.verdict.holders;
                    return std::move(found_);
                }
                for (const BrokenParts::Link& link : used) {
                    std::vector<BrokenParts::Link> more = set;
                    more.insert(std::ranges::lower_bound(more, link), link);
                    larger.insert(std::move(more));
                    if (larger.size() > search::tolerance_sets_max) break;
                }
            }
            ++found_.tried_to;
            if (found_.tried_to < all && larger.size() > search::tolerance_sets_max)
                throw RequestError(
                    fmt::format("no set of {} stops it, and more than {} larger sets would have to be "
                                "tried; want --links {}",
                                counted(found_.tried_to, "link"), search::tolerance_sets_max, found_.tried_to));
            sets = std::move(larger);
        }
        return std::move(found_);
    }
    /// Whether it was stopped before the answer.
    [[nodiscard]] bool is_over() const {
        return request_.stopped() || (end_ && std::chrono::steady_clock::now() > *end_);
    }

  private:
    Report ran(BrokenParts parts, std::set<BrokenParts::Link>& used) {
        Chosen chosen = chosen_;
        chosen.experiment.unaware_of = std::move(parts);
        Schedule moved;
        Caller caller;
        caller.stop = request_.client.stop;
        caller.recorded_schedule = &moved;
        Report report = kport::run(chosen, caller).report;
        ++found_.runs;
        request_.client.can_report();
        if (signs_->due())
            signs_->show(fmt::format("{} runs; no set of {} stops it", found_.runs, counted(found_.tried_to, "link")));
        const Topology& graph = chosen.experiment.topology();
        for (std::size_t i = 0; i < moved.size(); ++i) {
            NodeId at = moved.transfer(i).from;
            for (const Port port : moved.transfer(i).route) {
                const NodeId next = graph.wires().across(at, port).node;
                used.emplace(std::minmax(at, next));
                at = next;
            }
        }
        return report;
    }

    const Chosen& chosen_;
    Request& request_;
    std::unique_ptr<Signs> signs_;
    std::optional<std::chrono::steady_clock::time_point> end_;
    Stopping found_;
};

Answer tolerance_unaware(Request& request, const ToleranceAsked& asked) {
    const Experiment& e = asked.experiment;
    if (e.algorithm.empty())
        throw RequestError("--unaware: which algorithm does not know? want --algorithm NAME with it");
    const Chosen chosen = planned(e);
    StoppingSearch search(chosen, request, asked.seconds);
    const Stopping found = search.search(asked.links);
    const bool is_over = !found.by && search.is_over();
    const Topology& graph = e.topology();
    const auto as_json = [&] {
        Json json = json_head(e, request);
        json["rounds_before"] = found.rounds_before;
        json["links_broken"] = found.by ? Json(found.by->links.size()) : Json();
        json["stopped_by"] = found.by ? Json(names_of(*found.by, graph)) : Json();
        json["holders"] = found.by ? Json(found.holders) : Json();
        json["no_set_of"] = found.by ? found.by->links.size() - 1 : found.tried_to;
        json["sets"] = found.runs - 1;
        return json;
    };
    const auto as_text = [&] {
        const std::size_t width = request.client.width;
        std::string text = head_of(e, width);
        text += line(
            "asked",
            fmt::format("algorithm {}, planned on the whole machine: which broken links stop it?", e.algorithm), width);
        text += line("before", counted(found.rounds_before, "round"), width);
        text += line("stopped",
                     found.by ? fmt::format("by {}, the first {}: {} of {} hold what they should",
                                            counted(found.by->links.size(), "broken link"), named(*found.by, graph),
                                            found.holders, counted(graph.nodes(), "node"))
                              : fmt::format("by no set of {}", counted(found.tried_to, "broken link")),
                     width);
        return text + line("sets", fmt::format("{} tried", grouped_count(found.runs - 1)), width);
    };
    return {.status = is_over ? status_stopped : status_lawful,
            .text = request.words.has("--json") ? request.document(as_json) : as_text()};
}

}  // namespace

Answer tolerance(Request& request) {
    const ToleranceAsked asked = tolerance_asked(request.words);
    return request.words.has("--unaware") ? tolerance_unaware(request, asked) : tolerance_of_sets(request, asked);
}

}  // namespace kport::requests
