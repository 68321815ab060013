/// @file matrix.cpp   The adjacency matrix: a line of numbers for each node, 0 where there is no link.
#include <fmt/format.h>

#include "app/files/graphs/graph_forms.hpp"
#include "app/files/graphs/line_fields.hpp"
#include "emulator/base/nearest.hpp"

namespace kport {
namespace {

LineFields fields_of_matrix(TextSource& text, const GraphOptions& options) {
    constexpr std::size_t looked_at = std::size_t{1} << 18;
    const std::string_view ahead = text.ahead(looked_at);
    const std::string_view lines = ahead.size() < looked_at ? ahead : ahead.substr(0, ahead.rfind('\n') + 1);
    return {lines, options.separator.empty() ? std::nullopt : std::optional(separator_named(options.separator))};
}

}  // namespace

void read_matrix(TextSource& text, GraphBuilder& into) {
    LineFields fields = fields_of_matrix(text, into.options());
    into.set_listing(Listing::as_matrix);
    const std::size_t weight = into.attribute("weight");
    std::uint64_t row = 0;
    TextPlace at;
    while (text.peek() != TextSource::end_of_text) {
        at = text.place();
        const std::optional<std::string_view> line = line_of_table(text.line());
        if (!line) continue;
        const auto numbers = fields.apart(*line);
        if (!numbers) text.refuse(at, "this row does not stand in brackets, and those before it do");
        if (row == 0) into.set_nodes(numbers->size(), at, 0);
        if (row == into.nodes())
            text.refuse(at, fmt::format("more rows than the {} columns; want as many", into.nodes()));
        if (numbers->size() != into.nodes())
            text.refuse(at, fmt::format("{} numbers in this row, and {} in the first; want as many", numbers->size(),
                                        into.nodes()));
        for (std::uint32_t column = 0; column < numbers->size(); ++column) {
            const auto value = number_in((*numbers)[column].text);
            if (!value)
                text.refuse({at.line, at.column + static_cast<std::uint32_t>((*numbers)[column].column)},
                            fmt::format("{}; want a finite number", quoted((*numbers)[column].text)));
            if (*value == 0) continue;
            into.link(static_cast<std::uint32_t>(row), column, at);
            into.set(weight, *value);
        }
        ++row;
    }
    if (row < into.nodes())
        text.refuse(at, fmt::format("the matrix ends after {} of {} rows; want as many as columns", row, into.nodes()));
    into.drop_attribute_if_all_one(weight);
    into.set_layout(name(fields.separator()), false);
}

}  // namespace kport
