/// @file explain.cpp   kport explain: derives the bounds and the algorithm's cost. Runs nothing.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "algorithms/reach.hpp"
#include "cli/bound_text.hpp"
#include "cli/commands.hpp"
#include "cli/document.hpp"
#include "cli/execution.hpp"
#include "cli/output.hpp"
#include "emulator/base/error.hpp"
#include "emulator/report/words.hpp"

namespace kport::cli {

namespace {

constexpr std::size_t hang_of_lines = 6;

std::string bound_lines_of(const QuantityRow& row, const Bound& bound) {
    if (!bound.value()) return fmt::format("{}: no bound known\n", row.label());
    std::string text = fmt::format("{} >= {}\n", row.label(), number(*bound.value()));
    for (const Argument& argument : bound.arguments) {
        text += fmt::format("  {}  {}\n", argument.name,
                            bound.arguments.size() > 1 ? "gives " + number(argument.value) : "");
        text.erase(text.find_last_not_of(" \n") + 1);
        text += fmt::format("\n    {} [{}]\n", argument.why, argument.source);
    }
    return text + fmt::format("  can it be reached? {}\n", reachable_text(bound).text);
}

std::string cost_line(const ExpectedCost& cost) {
    std::string text;
    const auto add = [&](std::string_view quantity, const std::optional<std::uint64_t>& value) {
        if (value) text += fmt::format("{}{} {}", text.empty() ? "  so " : ", ", quantity, *value);
    };
    add("rounds", cost.rounds);
    add("work", cost.work);
    add("path sum", cost.path_sum);
    if (!cost.volume && !text.empty()) text += "; the volume only a run can tell";
    if (cost.volume) text += fmt::format("{}volume {}", text.empty() ? "  so " : ", ", counted(*cost.volume, "packet"));
    return text.empty() ? text : text + "\n";
}

/// The derivation of an algorithm that is reversed in time speaks of the operation that it reverses.
std::vector<std::string> derivation_of(const Algorithm& algorithm, const ExpectedCost& cost, NodeId nodes) {
    if (nodes == 1) return {"one node: nothing moves"};
    std::vector<std::string> lines = cost.derivation;
    if (algorithm.way == Way::reversed)
        lines.insert(lines.begin(), fmt::format("every message of this {} is turned round, the last round comes first; "
                                                "reversed, it costs the same:",
                                                name(algorithm.forward)));
    return lines;
}

std::string algorithm_text(const Algorithm& algorithm, const ExpectedCost& cost, NodeId nodes) {
    std::string text = fmt::format("algorithm {}: {}\n  [{}]\n", algorithm.name, algorithm.rule, algorithm.source);
    for (const std::string& line : derivation_of(algorithm, cost, nodes)) text += fmt::format("  {}\n", line);
    return text + cost_line(cost);
}

/// Nothing where no algorithm runs as asked and none was named: the bounds are worth telling alone.
Chosen algorithm_if_any(const Settings& s, std::string& why_not) {
    try {
        return chosen_algorithm(s);
    } catch (const RequestError& error) {
        if (!s.algorithm.empty()) throw;
        why_not = error.what();
        return {};
    }
}

/// Every algorithm that applies, with the latency that is predicted for it.
std::string choice_text(const Chosen& chosen, const Costs& costs, std::size_t width) {
    if (!chosen.choice || chosen.choice->candidates.size() < 2) return "";
    Table table({{"algorithm"}, {"predicted latency"}});
    for (const Candidate& candidate : chosen.choice->candidates)
        table.row({{candidate.name()}, {Choice::told(candidate)}});
    return wrapped(fmt::format("\nchoice {}: {}\n  at ts = {}, td = {}, tm = {}\n\n", chosen.algorithm->name,
                               chosen.choice->reason(), number(costs.startup), number(costs.hop), number(costs.byte)),
                   hang_of_lines, width) +
           table.text(Paint(false), width);
}

Json json_of(const Choice& choice) {
    Json list = Json::array();
    for (const Candidate& candidate : choice.candidates) {
        Json row = {{"algorithm", candidate.algorithm->name}, {"least", candidate.least}};
        if (candidate.keep) row["keep"] = *candidate.keep == Keep::smaller ? "smaller" : "greater";
        if (candidate.predicted)
            row["predicted"] = {{"latency", candidate.predicted->latency},
                                {"rounds", candidate.predicted->rounds},
                                {"exact", candidate.predicted->grounds != Grounds::at_most}};
        list.push_back(std::move(row));
    }
    return {{"reason", choice.reason()}, {"candidates", std::move(list)}};
}

Json json_of(const Settings& s, const Bounds& found, const Chosen& chosen, const ExpectedCost& cost) {
    const Algorithm* algorithm = chosen.algorithm;
    const auto value = [](const std::optional<std::uint64_t>& v) { return v ? Json(*v) : Json(nullptr); };
    Json json;
    json["operation"] = name(s.collective.operation);
    json["algorithm"] = algorithm == nullptr ? Json(nullptr) : Json(algorithm->name);
    put_machine(json, s.machine, s.root(), s.collective.packet_bytes);
    put_bounds(json, bound_lines(found));
    put_arguments(json, found);
    json["expected"] = {{"rounds", value(cost.rounds)},
                        {"work", value(cost.work)},
                        {"path_sum", value(cost.path_sum)},
                        {"volume_packets", value(cost.volume)}};
    if (chosen.choice) json["choice"] = json_of(*chosen.choice);
    json["derivation"] =
        algorithm == nullptr ? std::vector<std::string>{} : derivation_of(*algorithm, cost, s.topology().nodes());
    return json;
}

}  // namespace

int explain(const Words& words) {
    const Settings settings = settings_of(words);
    require_known_options(settings);
    const Bounds found = reached_bounds(settings.machine, settings.collective);
    std::string why_not;
    const Chosen chosen = algorithm_if_any(settings, why_not);
    const Algorithm* algorithm = chosen.algorithm;
    const ExpectedCost cost = algorithm == nullptr
                                  ? ExpectedCost{}
                                  : algorithm->expect(settings.machine, settings.collective, chosen.options);
    if (settings.json) {
        write_out(document([&] { return json_of(settings, found, chosen, cost); }));
        return status_lawful;
    }
    const std::size_t width = width_of_stdout();
    std::string text = request_line(settings.collective.operation, settings.root(), settings.machine,
                                    settings.collective.packet_bytes, width) +
                       "\nlower bounds\n\n";
    for (const QuantityRow& row : quantity_rows)
        text += wrapped(bound_lines_of(row, found[row.quantity]), hang_of_lines, width);
    text += choice_text(chosen, settings.machine.costs, width) + "\n";
    text +=
        wrapped(algorithm == nullptr ? why_not + "\n" : algorithm_text(*algorithm, cost, settings.topology().nodes()),
                hang_of_lines, width);
    write_out(text);
    return status_lawful;
}

}  // namespace kport::cli
