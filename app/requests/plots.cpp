#include "app/requests/plots.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/algorithm/string/predicate.hpp>

#include "app/pictures/pixels.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/report/words.hpp"

namespace kport::requests {

namespace {

bool is_png(const std::string& file) {
    return boost::iequals(std::filesystem::path(file).extension().string(), ".png");
}

}  // namespace

std::string in_form_of(const std::string& file, std::string svg) {
    return is_png(file) ? png_of(svg, 0) : std::move(svg);
}

bool is_answer(const std::optional<std::string>& plot) { return plot == "-"; }

void require_place_or_answer(const std::string& plot, const Request& request) {
    if (!is_answer(plot)) return require_place_of(plot, request.client);
    for (const char* form : {"--json", "--csv"})
        if (request.words.has(form))
            throw RequestError(fmt::format("--plot -: the picture is the answer; leave {} out", form));
}

void write_plot(Client& client, const std::string& file, const std::string& svg) {
    if (is_answer(file)) return;
    client.write_file("--plot", file, [&](std::ostream& out) { out << in_form_of(file, svg); });
}

void require_place_of(const std::string& plot, const Client& client) {
    if (is_answer(plot)) throw RequestError("--plot -: want a name that ends in .svg or .png");
    const std::filesystem::path ending = std::filesystem::path(plot).extension();
    if (is_png(plot))
        require_png();
    else if (!ending.empty() && !boost::iequals(ending.string(), ".svg"))
        throw RequestError(
            fmt::format("--plot {}: the picture is SVG or PNG; want a name that ends in .svg or .png", quoted(plot)));
    client.require_place("--plot", plot);
}

std::string latency_at(const Costs& costs, std::string_view varies) {
    std::string text = "latency at ";
    std::string_view between;
    for (const auto& [name, value] :
         {std::pair{"ts", costs.startup}, std::pair{"td", costs.hop}, std::pair{"tm", costs.byte}}) {
        if (name == varies) continue;
        text += fmt::format("{}{} = {}", between, name, number(value));
        between = ", ";
    }
    return text;
}

std::string up_of(const QuantityRow& quantity, const Costs& costs, std::string_view varies) {
    return quantity.quantity == Quantity::latency ? latency_at(costs, varies) : quantity.label();
}

const QuantityRow& quantity_named(std::string_view name) {
    std::vector<std::string_view> keys;
    for (const QuantityRow& row : quantity_rows) {
        if (name == row.key || name == row.title) return row;
        keys.push_back(row.key);
    }
    throw RequestError(fmt::format("--plot-of {} is no quantity{} ({})", quoted(name), did_you_mean(name, keys),
                                   fmt::join(keys, ", ")));
}

std::string in_curve_name(std::string_view column, const std::string& value) {
    if (column == "threads") return value + (value == "1" ? " thread" : " threads");
    if (column == "ports") return value + "-port";
    if (column == "packets") return "M = " + value;
    if (column == "bytes") return value + (value == "1" ? " byte" : " bytes");
    if (column == "ts" || column == "td" || column == "tm") return fmt::format("{} = {}", column, value);
    if (column == "duplex") return fmt::format("{} duplex", value);
    if (column == "links") return fmt::format("{} duplex links", value);
    if (column == "noho") return fmt::format("{} NOHO", value);
    if (column == "combining" || column == "keep" || column == "policy" || column == "source")
        return fmt::format("{} {}", column, value);
    return value;
}

void add_point(plots::Plot& plot, const std::string& series, const plots::PlotPoint& point) {
    auto at = std::ranges::find(plot.series, series, &plots::PlotSeries::name);
    if (at == plot.series.end()) at = plot.series.insert(plot.series.end(), {series, {}});
    at->points.push_back(point);
}

}  // namespace kport::requests
