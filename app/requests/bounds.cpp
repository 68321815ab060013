/// @file bounds.cpp   kport bounds: the lower bounds alone, for any machine.
#include <fmt/format.h>

#include "app/files/json_report.hpp"
#include "app/requests/commands.hpp"
#include "app/requests/experiment_of.hpp"
#include "app/requests/performed.hpp"
#include "app/requests/request.hpp"
#include "app/requests/texts.hpp"
#include "app/session/choose.hpp"
#include "emulator/report/words.hpp"

namespace kport::requests {

namespace {

std::string text_of(const Experiment& e, const Bounds& bounds, const Paint& paint, std::size_t width) {
    using enum Table::Align;
    Table table({{"quantity"}, {"bound", right}, {"binding argument"}, {"source"}, {"reachable"}});
    for (const QuantityRow& row : quantity_rows) {
        const Bound& bound = bounds[row.quantity];
        if (!bound.largest()) {
            table.row({{row.label()}, {"-"}, {"no bound known"}});
            continue;
        }
        table.row({{row.label()},
                   {grouped(*bound.largest())},
                   {bound.binding()},
                   {bound.arguments.front().source},
                   reachable_text(bound)});
    }
    return fmt::format("{}\n{}", request_line(e.collective, e.root(), e.machine, width), table.text(paint, width));
}

Json json_of(const Experiment& e, const Bounds& bounds) {
    Json json;
    put_operation(json, e.collective, e.topology());
    put_machine(json, e.machine, e.root(), e.collective.packet_bytes, e.collective.packets_each);
    put_bounds(json, bound_lines(bounds));
    put_arguments(json, bounds);
    return json;
}

}  // namespace

Answer bounds(Request& request) {
    const Words& words = request.words;
    const Experiment experiment = experiment_of(words);
    const auto shown = request.client.meanwhile("derives bounds");
    const Bounds found = settled(experiment, kport::bounds(experiment));
    return {.text = words.has("--json") ? request.document([&] { return json_of(experiment, found); })
                                        : text_of(experiment, found, request.client.paint, request.client.width)};
}

}  // namespace kport::requests
