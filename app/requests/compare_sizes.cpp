#include "app/requests/compared.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/requests/commands.hpp"
#include "app/requests/cuts.hpp"
#include "app/requests/plots.hpp"
#include "app/requests/request.hpp"
#include "app/requests/texts.hpp"
#include "emulator/base/error.hpp"
#include "emulator/report/table.hpp"
#include "emulator/report/terminal_text.hpp"
#include "emulator/report/words.hpp"

namespace kport::requests {

namespace {

std::string command_of(const Experiment& experiment, const CutMessage& cut) {
    return again(experiment_of_cut(experiment, cut), cut.algorithm->name);
}

std::string told(const std::optional<double>& value) { return value ? grouped(*value) : "-"; }

/// How much more than the cheapest: short, so that a row fits a line.
std::string told_excess(const CutMessage& next, const CutMessage& best) {
    const double least = best.predicted.latency;
    return least == 0 ? grouped(next.predicted.latency)
                      : fmt::format("+{:.1f} %", 100 * (next.predicted.latency - least) / least);
}

/// The latency of the algorithm that --with names; "-" where it does not run, or none is predicted.
std::string latency_of(const std::string& file, const MessageSize& size) {
    const auto cut = std::ranges::find(size.cuts, file, [](const CutMessage& each) { return each.algorithm->name; });
    return cut == size.cuts.end() ? "-" : grouped(cut->predicted.latency);
}

std::string table_of_sizes(const Experiment& e, const std::vector<MessageSize>& sizes, const Client& client) {
    using enum Table::Align;
    std::vector<Table::Column> columns = {
        {"message", right}, {"cheapest"}, {"packets", right}, {"latency", right}, {"bound", right}};
    if (std::ranges::any_of(sizes, [](const MessageSize& size) { return size.cuts.size() > 1; })) {
        columns.push_back({"next"});
        columns.push_back({"costs", right, true});
    }
    for (const std::string& file : e.besides) columns.push_back({file, right, true});
    Table table(std::move(columns));
    for (const MessageSize& size : sizes) {
        const CutMessage& best = size.cuts.front();
        std::vector<Cell> cells = {{message_text(size.bytes)},
                                   {std::string(best.algorithm->name)},
                                   {fmt::to_string(best.packets)},
                                   {grouped(best.predicted.latency)},
                                   {told(size.bound)}};
        if (size.cuts.size() > 1) {
            const CutMessage& next = size.cuts[1];
            cells.push_back({std::string(next.algorithm->name)});
            cells.push_back({told_excess(next, best)});
        }
        for (const std::string& file : e.besides) cells.push_back({latency_of(file, size)});
        table.row(std::move(cells));
    }
    return table.text(client.paint, client.width);
}

/// From which size which algorithm.
std::string table_of_changes(const std::vector<Change>& changes, std::size_t width) {
    Table table({{"from", Table::Align::right}, {"algorithm"}});
    for (const Change& change : changes)
        table.row({{message_text(change.bytes)}, {std::string(change.algorithm->name)}});
    return table.text(Paint(false), width);
}

std::string text_of(const Experiment& e, const std::vector<MessageSize>& sizes, const std::vector<Change>& changes,
                    const Client& client) {
    const std::size_t width = client.width;
    const MessageSize& largest = *std::ranges::max_element(sizes, {}, &MessageSize::bytes);
    return fmt::format("{}\n{}\n{}\nto run the largest:\n{}\n{}", heading_of_messages(e, width),
                       table_of_sizes(e, sizes, client), table_of_changes(changes, width),
                       command_of(e, largest.cuts.front()),
                       notes_of_cut(e, largest.bytes, largest.cuts.front(), width));
}

Json json_of(const Experiment& e, const std::vector<MessageSize>& sizes, const std::vector<Change>& changes) {
    Json json;
    put_operation(json, e.collective, e.topology());
    put_machine(json, e.machine, e.root(), 0, 1);
    for (const char* of_a_cut : {"packets", "packet_bytes"}) json.erase(of_a_cut);
    json["sizes"] = Json::array();
    for (const MessageSize& size : sizes) {
        Json row = {{"bytes", size.bytes},
                    {"bound", size.bound ? Json(*size.bound) : Json(nullptr)},
                    {"algorithms", Json::array()}};
        for (const CutMessage& cut : size.cuts)
            row["algorithms"].push_back({{"algorithm", cut.algorithm->name},
                                         {"packets", cut.packets},
                                         {"packet_bytes", cut.packet_bytes},
                                         {"latency", cut.predicted.latency},
                                         {"rounds", cut.predicted.rounds},
                                         {"exact", cut.predicted.grounds != Grounds::at_most},
                                         {"again", command_of(e, cut)}});
        json["sizes"].push_back(std::move(row));
    }
    json["cheapest"] = Json::array();
    for (const Change& change : changes)
        json["cheapest"].push_back({{"from", change.bytes}, {"algorithm", change.algorithm->name}});
    return json;
}

std::string csv_of(const std::vector<MessageSize>& sizes) {
    std::string text =
        csv_line({"message_bytes", "algorithm", "packets", "packet_bytes", "latency", "rounds", "bound"});
    for (const MessageSize& size : sizes)
        for (const CutMessage& cut : size.cuts)
            text += csv_line({fmt::to_string(size.bytes), std::string(cut.algorithm->name), fmt::to_string(cut.packets),
                              fmt::to_string(cut.packet_bytes), number(cut.predicted.latency),
                              fmt::to_string(cut.predicted.rounds), size.bound ? number(*size.bound) : ""});
    return text;
}

/// A line for each algorithm; the bound as a dotted one.
std::string plot_of(const Experiment& e, const std::vector<MessageSize>& sizes) {
    plots::Plot plot = plot_of_latencies(e, plots::PlotAxis::bytes, "bytes of the message");
    plot.points = "predicted, at the best cut";
    plot.bounds = "lower bound, of any cut";
    for (const MessageSize& size : sizes)
        for (const CutMessage& cut : size.cuts) add_point(plot, static_cast<double>(size.bytes), cut, size.bound);
    return plots::svg_of(plot);
}

std::vector<std::uint64_t> sizes_asked_for(const Words& words) {
    std::vector<std::uint64_t> sizes = message_sizes_of(words);
    if (words.has("--plot") && sizes.size() < 2)
        throw RequestError("--plot: nothing differs along the axis; want several sizes (--message 8..64MiB)");
    return sizes;
}

}  // namespace

Answer compare_on_sizes(Request& request, const Experiment& e) {
    const Words& words = request.words;
    Client& client = request.client;
    const std::vector<std::uint64_t> asked = sizes_asked_for(words);
    const std::optional<std::string> plot = words.get("--plot");
    if (plot) require_place_or_answer(*plot, request);
    std::unique_ptr<Signs> shown =
        client.meanwhile("asks which algorithms run");  // one prediction alone may take seconds on many nodes
    const std::vector<MessageSize> sizes =
        compare_sizes(e, asked, [&](std::uint64_t bytes, const Algorithm& algorithm) {
            shown->show(fmt::format("predicts {} for {}", algorithm.name, message_text(bytes)));
        });
    shown->show("looks for the sizes between which another algorithm is the cheapest");
    const std::vector<Change> changes = changes_of(e, sizes);
    const auto draw = [&] {
        if (plot) write_plot(client, *plot, plot_of(e, sizes));
    };
    return answer_beside(draw, [&] {
        if (is_answer(plot)) return plot_of(e, sizes);
        shown->show("looks at messages of single packets, and writes the report");
        std::string text = words.has("--json")  ? request.document([&] { return json_of(e, sizes, changes); })
                           : words.has("--csv") ? csv_of(sizes)
                                                : text_of(e, sizes, changes, client);
        shown.reset();
        return text;
    });
}

}  // namespace kport::requests
