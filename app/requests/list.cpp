/// @file list.cpp   kport list: operations, algorithms, topologies, formats, faults.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/catalogue.hpp"
#include "app/files/formats.hpp"
#include "app/files/json_report.hpp"
#include "app/files/schedule_forms.hpp"
#include "app/requests/commands.hpp"
#include "app/requests/request.hpp"
#include "app/requests/texts.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/fault/fault.hpp"
#include "emulator/report/table.hpp"
#include "emulator/topology/family.hpp"

namespace kport::requests {

namespace {

/// One of the lists: a heading for each column, its key in JSON, and the rows.
struct List {
    std::string_view name;
    std::vector<Table::Column> columns;
    std::vector<std::vector<std::string>> rows;
    std::size_t keys = 1;  ///< the first columns, which name a row
};

List operations_list() {
    List list{"operations", {{"operation"}, {"alias"}, {"promise"}}, {}};
    for (const Operation& operation : operations())
        list.rows.push_back(
            {std::string(operation->name), std::string(operation->alias), std::string(operation->promise)});
    list.rows.push_back({std::string(name(Operation::promise)), "", "what a file says: --promise FILE"});
    return list;
}

/// All, or those of one operation.
List algorithms_list(const std::optional<std::string>& of) {
    std::optional<Operation> one;
    if (of) one = same_but_for_signs(*of, name(Operation::promise)) ? Operation::promise : operation_named(*of);
    List list{"algorithms", {{"operation"}, {"algorithm"}, {"machine"}, {"rule"}, {"source"}}, {}, 2};
    for (const Algorithm& row : one ? rows_for(*one) : catalogue())
        if (!one || row.operation == *one)
            list.rows.push_back({std::string(name(row.operation)), std::string(row.name), std::string(row.needs),
                                 std::string(row.rule), std::string(row.source)});
    return list;
}

/// Only their names, a row for each operation.
List algorithm_names_list() {
    List list{
        "algorithms", {{"operation"}, {"algorithms (kport list algorithms OPERATION: what each needs and does)"}}, {}};
    std::vector<Operation> all = operations();
    all.push_back(Operation::promise);
    for (const Operation& operation : all) {
        std::vector<std::string_view> names;
        for (const Algorithm& row : rows_for(operation))
            if (row.operation == operation) names.push_back(row.name);
        list.rows.push_back({std::string(name(operation)), fmt::format("{}", fmt::join(names, ", "))});
    }
    return list;
}

List topologies_list() {
    List list{"topologies", {{"topology"}, {"form"}, {"about"}}, {}};
    for (const TopologyFamily& family : topology_families())
        list.rows.push_back({std::string(family.name), std::string(family.form), std::string(family.about)});
    return list;
}

List formats_list() {
    List list{"formats", {{"format"}, {"holds"}, {"endings"}, {"about"}}, {}};
    for (const FileFormat& format : file_formats())
        list.rows.push_back({std::string(format.name), std::string(format.holds), std::string(format.endings),
                             std::string(format.about)});
    for (const ScheduleForm& form : schedule_forms())
        list.rows.push_back({std::string(form.name), "schedule", std::string(form.endings), std::string(form.about)});
    return list;
}

List faults_list() {
    List list{"faults", {{"fault"}, {"about"}, {"needs"}}, {}};
    for (const FaultInfo& row : faults())
        list.rows.push_back({std::string(row.name), std::string(row.about), need_in_options(row.needs)});
    return list;
}

std::string text_of(const List& list, const Client& client) {
    Table table(list.columns, list.keys);
    for (const std::vector<std::string>& row : list.rows) {
        std::vector<Cell> cells;
        for (const std::string& text : row) cells.push_back({text});
        table.row(std::move(cells));
    }
    return table.text(client.paint, client.width);
}

std::string text_of(const std::vector<List>& lists, const Client& client) {
    std::string text;
    for (const List& list : lists) text += (text.empty() ? "" : "\n") + text_of(list, client);
    return text;
}

Json json_of(const List& list) {
    Json rows = Json::array();
    for (const std::vector<std::string>& row : list.rows) {
        Json entry;
        for (std::size_t i = 0; i < row.size(); ++i) entry[list.columns[i].heading] = row[i];
        rows.push_back(std::move(entry));
    }
    return rows;
}

Json json_of(const std::vector<List>& lists) {
    Json json;
    for (const List& list : lists) json[std::string(list.name)] = json_of(list);
    return json;
}

/// The list of this name in the singular, else the nearest.
std::string list_meant(std::string_view word, std::span<const std::string_view> names) {
    const auto plural = std::ranges::find_if(names, [&](std::string_view name) {
        return word.ends_with('y') && name == fmt::format("{}ies", word.substr(0, word.size() - 1));
    });
    return plural == names.end() ? did_you_mean(word, names) : fmt::format("; did you mean '{}'?", *plural);
}

/// The lists that the words name; all without a word.
std::vector<List> chosen(const Words& words) {
    const std::optional<std::string>& word = words.subject;
    if (words.of && *word != "algorithms")
        throw RequestError(fmt::format("unexpected {} after {}", quoted(*words.of), quoted(*word)));
    const bool only_names = !words.of && !words.has("--json");
    std::vector<List> all = {operations_list(), only_names ? algorithm_names_list() : algorithms_list(words.of),
                             topologies_list(), formats_list(), faults_list()};
    if (!word) return all;
    constexpr std::array<std::string_view, 5> names = {"operations", "algorithms", "topologies", "formats", "faults"};
    std::erase_if(all, [&](const List& list) { return list.name != *word; });
    if (all.empty()) {
        const bool operation = std::ranges::any_of(operations(), [&](const auto& info) { return info->name == *word; });
        throw RequestError(fmt::format(
            "no list is called {}{} (operations, algorithms, topologies, formats, faults)", quoted(*word),
            operation ? fmt::format("; did you mean 'kport list algorithms {}'?", *word) : list_meant(*word, names)));
    }
    return all;
}

}  // namespace

Answer list(Request& request) {
    const std::vector<List> lists = chosen(request.words);
    return {.text = request.words.has("--json") ? request.document([&] { return json_of(lists); })
                                                : text_of(lists, request.client)};
}

}  // namespace kport::requests
