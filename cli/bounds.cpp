/// @file bounds.cpp   kport bounds: the lower bounds alone, for any machine.
#include <fmt/format.h>

#include "algorithms/reach.hpp"
#include "cli/bound_text.hpp"
#include "cli/commands.hpp"
#include "cli/document.hpp"
#include "cli/execution.hpp"
#include "cli/output.hpp"
#include "emulator/report/words.hpp"
#include "files/json_report.hpp"

namespace kport::cli {

namespace {

std::string text_of(const Settings& s, const Bounds& bounds, const Paint& paint, std::size_t width) {
    using enum Table::Align;
    Table table({{"quantity"}, {"bound", right}, {"binding argument"}, {"source"}, {"reachable"}});
    for (const QuantityRow& row : quantity_rows) {
        const Bound& bound = bounds[row.quantity];
        if (!bound.value()) {
            table.row({{row.label()}, {"-"}, {"no bound known"}});
            continue;
        }
        table.row({{row.label()},
                   {number(*bound.value())},
                   {bound.binding()},
                   {bound.arguments.front().source},
                   reachable_text(bound)});
    }
    return fmt::format("{}\n{}",
                       request_line(s.collective.operation, s.root(), s.machine, s.collective.packet_bytes, width),
                       table.text(paint, width));
}

Json json_of(const Settings& s, const Bounds& bounds) {
    Json json;
    json["operation"] = name(s.collective.operation);
    put_machine(json, s.machine, s.root(), s.collective.packet_bytes);
    put_bounds(json, bound_lines(bounds));
    put_arguments(json, bounds);
    return json;
}

}  // namespace

int bounds(const Words& words) {
    const Settings settings = settings_of(words);
    require_known_options(settings);
    const Bounds found = reached_bounds(settings.machine, settings.collective);
    write_out(settings.json ? document([&] { return json_of(settings, found); })
                            : text_of(settings, found, paint_for_stdout(), width_of_stdout()));
    return status_lawful;
}

}  // namespace kport::cli
