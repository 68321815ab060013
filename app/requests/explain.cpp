/// @file explain.cpp   kport explain: derives the bounds and the algorithm's cost. Runs nothing.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/requests/commands.hpp"
#include "app/requests/cuts.hpp"
#include "app/requests/experiment_of.hpp"
#include "app/requests/performed.hpp"
#include "app/requests/plots.hpp"
#include "app/requests/request.hpp"
#include "app/requests/texts.hpp"
#include "app/session/choose.hpp"
#include "emulator/base/error.hpp"
#include "emulator/report/words.hpp"

namespace kport::requests {

namespace {

constexpr std::size_t hang_of_lines = 6;

std::string bound_lines_of(const QuantityRow& row, const Bound& bound) {
    if (!bound.largest()) return fmt::format("{}: no bound known\n", row.label());
    std::string text = fmt::format("{} >= {}\n", row.label(), grouped(*bound.largest()));
    for (const Argument& argument : bound.arguments) {
        text += fmt::format("  {}  {}\n", argument.name,
                            bound.arguments.size() > 1 ? "gives " + grouped(argument.value) : "");
        text.erase(text.find_last_not_of(" \n") + 1);
        text += fmt::format("\n    {} [{}]\n", argument.why, argument.source);
    }
    return text + fmt::format("  can it be reached? {}\n", reachable_text(bound).text);
}

std::string cost_line(const ExpectedCost& cost) {
    std::string text;
    const auto add = [&](std::string_view quantity, const std::optional<std::uint64_t>& value) {
        if (value) text += fmt::format("{}{} {}", text.empty() ? "  so " : ", ", quantity, grouped_count(*value));
    };
    add("rounds", cost.rounds);
    add("work", cost.work);
    add("path sum", cost.path_sum);
    if (!cost.volume && !text.empty()) text += "; the volume only a run can tell";
    if (cost.volume)
        text += fmt::format("{}volume {}", text.empty() ? "  so " : ", ", grouped_count(*cost.volume, "packet"));
    return text.empty() ? text : text + "\n";
}

std::string algorithm_text(const Explanation& explanation) {
    const Algorithm& algorithm = *explanation.chosen.algorithm;
    const std::optional<Port> ports_at_most = explanation.chosen.experiment.options.ports_at_most;
    std::string text = fmt::format("algorithm {}: {}\n  [{}]\n", algorithm.name, algorithm.rule, algorithm.source);
    if (ports_at_most) text += fmt::format("  with at most {}\n", counted(*ports_at_most, "port"));
    for (const std::string& line : explanation.derivation) text += fmt::format("  {}\n", line);
    return text + cost_line(explanation.cost);
}

/// Every algorithm that applies, with the latency that is predicted for it.
std::string choice_text(const Chosen& chosen, std::size_t width) {
    const Costs& costs = chosen.experiment.machine.costs;
    if (chosen.reason().empty()) return "";
    Table table({{"algorithm"}, {"predicted latency"}});
    for (const Candidate& candidate : chosen.choice->candidates)
        table.row({{candidate.name()}, {Choice::told(candidate)}});
    return wrapped(fmt::format("\nchoice {}: {}\n  at ts = {}, td = {}, tm = {}\n\n", chosen.algorithm->name,
                               chosen.reason(), number(costs.startup), number(costs.hop), number(costs.byte)),
                   hang_of_lines, width) +
           table.text(Paint(false), width);
}

Json json_of_choice(const Chosen& chosen) {
    const Choice& choice = *chosen.choice;
    Json list = Json::array();
    for (const Candidate& candidate : choice.candidates) {
        Json row = {{"algorithm", candidate.algorithm->name}, {"least", candidate.least}};
        if (candidate.keep) row["keep"] = *candidate.keep == Keep::smaller ? "smaller" : "greater";
        if (candidate.ports_at_most) row["ports_at_most"] = *candidate.ports_at_most;
        if (candidate.predicted)
            row["predicted"] = {{"latency", candidate.predicted->latency},
                                {"rounds", candidate.predicted->rounds},
                                {"exact", candidate.predicted->grounds != Grounds::at_most}};
        list.push_back(std::move(row));
    }
    return {{"reason", chosen.too_large.empty() ? choice.reason() : chosen.reason()}, {"candidates", std::move(list)}};
}

Json json_of(const Explanation& explanation) {
    const Experiment& e = explanation.chosen.experiment;
    const Algorithm* algorithm = explanation.chosen.algorithm;
    const ExpectedCost& cost = explanation.cost;
    const auto value = [](const std::optional<std::uint64_t>& v) { return v ? Json(*v) : Json(nullptr); };
    Json json;
    put_operation(json, e.collective, e.topology());
    json["algorithm"] = algorithm == nullptr ? Json(nullptr) : Json(algorithm->name);
    put_machine(json, e.machine, e.root(), e.collective.packet_bytes, e.collective.packets_each);
    put_bounds(json, bound_lines(explanation.bounds));
    put_arguments(json, explanation.bounds);
    json["expected"] = {{"rounds", value(cost.rounds)},
                        {"work", value(cost.work)},
                        {"path_sum", value(cost.path_sum)},
                        {"volume_packets", value(cost.volume)}};
    if (explanation.chosen.choice) json["choice"] = json_of_choice(explanation.chosen);
    json["derivation"] = explanation.derivation;
    return json;
}

std::string text_of(const Explanation& explanation, std::size_t width) {
    const Experiment& e = explanation.chosen.experiment;
    std::string text = request_line(e.collective, e.root(), e.machine, width) + "\nlower bounds\n\n";
    for (const QuantityRow& row : quantity_rows)
        text += wrapped(bound_lines_of(row, explanation.bounds[row.quantity]), hang_of_lines, width);
    text += choice_text(explanation.chosen, width) + "\n";
    return text + wrapped(explanation.chosen.algorithm == nullptr ? in_options(explanation.why_none) + "\n"
                                                                  : algorithm_text(explanation),
                          hang_of_lines, width);
}

}  // namespace

Answer explain(Request& request) {
    const Words& words = request.words;
    const Experiment experiment = experiment_of(words);
    std::optional<Cuts> cuts;
    if (words.has("--message")) cuts = cuts_of(request, experiment);
    if (words.has("--plot") && !cuts)
        throw RequestError("--plot: explain draws over the packets of a message; want --message 1MiB beside it");
    Explanation explanation = with_signs_of_life(request.client, "asks which algorithms run",
                                                 [&] { return kport::explain(cuts ? cuts->best : experiment); });
    explanation.bounds = settled(cuts ? cuts->best : experiment, std::move(explanation.bounds));
    const auto draw = [&] {
        if (const auto plot = words.get("--plot")) write_plot(request.client, *plot, cuts->plot);
    };
    return answer_beside(draw, [&] {
        if (is_answer(words.get("--plot"))) return cuts->plot;
        if (!words.has("--json")) return (cuts ? cuts->text : "") + text_of(explanation, request.client.width);
        return request.document([&] {
            Json json = json_of(explanation);
            if (cuts) json["message"] = std::move(cuts->json);
            return json;
        });
    });
}

}  // namespace kport::requests
