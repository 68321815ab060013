#include "cli/plots.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <boost/algorithm/string/predicate.hpp>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/report/words.hpp"

namespace kport::cli {

void require_place_of(const std::string& plot) {
    const std::filesystem::path ending = std::filesystem::path(plot).extension();
    if (!ending.empty() && !boost::iequals(ending.string(), ".svg"))
        throw RequestError(fmt::format("--plot {}: the picture is SVG; want a name that ends in .svg", quoted(plot)));
    const std::filesystem::path folder = std::filesystem::path(plot).parent_path();
    if (!folder.empty() && !std::filesystem::is_directory(folder))
        throw RequestError(fmt::format("--plot {}: there is no folder {}", quoted(plot), quoted(folder.string())));
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

std::string in_curve_name(std::string_view column, const std::string& value) {
    if (column == "threads") return value + (value == "1" ? " thread" : " threads");
    if (column == "ports") return value + "-port";
    if (column == "combining" || column == "keep") return fmt::format("{} {}", column, value);
    return value;
}

void add_point(measure::Plot& plot, const std::string& series, const measure::PlotPoint& point) {
    auto at = std::ranges::find(plot.series, series, &measure::PlotSeries::name);
    if (at == plot.series.end()) at = plot.series.insert(plot.series.end(), {series, {}});
    at->points.push_back(point);
}

}  // namespace kport::cli
