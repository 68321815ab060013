/// @file plots.hpp   What the plots of bench, compare and explain have in common.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/pictures/plot.hpp"
#include "app/requests/client.hpp"
#include "app/requests/request.hpp"
#include "emulator/machine/machine.hpp"
#include "emulator/machine/quantity.hpp"

namespace kport::requests {

/// Checks before a long run that the picture can be written, and is of the kind that is expected.
/// Throws RequestError for a name that ends in neither .svg nor .png, where no PNG can be drawn, and for a folder that is not there.
void require_place_of(const std::string& plot, const Client& client);

/// Whether --plot names "-": then the SVG is the text of the answer.
[[nodiscard]] bool is_answer(const std::optional<std::string>& plot);
/// As require_place_of(), for commands whose answer may be the picture. Throws RequestError for --json and --csv beside "-".
void require_place_or_answer(const std::string& plot, const Request& request);

/// Returns what the file holds: the SVG, or a PNG of it where the name ends so.
[[nodiscard]] std::string in_form_of(const std::string& file, std::string svg);
/// Writes the plot; nothing where it is the answer.
void write_plot(Client& client, const std::string& file, const std::string& svg);

/// "latency at ts = 1, td = 0, tm = 0.001", but for the price that varies.
[[nodiscard]] std::string latency_at(const Costs& costs, std::string_view varies = "");

/// What stands at the left of a plot of a quantity: "work (hops)", or latency_at().
[[nodiscard]] std::string up_of(const QuantityRow& quantity, const Costs& costs, std::string_view varies = "");

/// By its key or its title. Throws RequestError with the nearest.
[[nodiscard]] const QuantityRow& quantity_named(std::string_view name);

/// A value of a column of Variants, as the name of a curve says it: "2-port", "keep smaller".
[[nodiscard]] std::string in_curve_name(std::string_view column, const std::string& value);

/// Adds a point to the series of that name, which may be new.
void add_point(plots::Plot& plot, const std::string& series, const plots::PlotPoint& point);

}  // namespace kport::requests
