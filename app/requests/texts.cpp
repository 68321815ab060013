#include "app/requests/texts.hpp"

#include <fmt/format.h>

#include "emulator/report/words.hpp"

namespace kport::requests {

namespace {

Tone tone_of(Reachable reachable) {
    switch (reachable) {
        case Reachable::yes: return Tone::good;
        case Reachable::no: return Tone::warning;
        case Reachable::unknown: break;
    }
    return Tone::plain;
}

std::string_view word_for(Reachable reachable) {
    switch (reachable) {
        case Reachable::yes: return "yes";
        case Reachable::no: return "no";
        case Reachable::unknown: break;
    }
    return "unknown";
}

}  // namespace

Cell reachable_text(const Bound& bound) {
    std::string text(word_for(bound.reachable));
    if (bound.least) text += fmt::format(", at least {}", grouped(*bound.least));
    if (!bound.reachable_why.empty()) text += ": " + bound.reachable_why;
    return {std::move(text), tone_of(bound.reachable)};
}

void put_arguments(Json& json, const Bounds& bounds) {
    for (const QuantityRow& row : quantity_rows) {
        Json list = Json::array();
        for (const Argument& argument : bounds[row.quantity].arguments)
            list.push_back({{"name", argument.name},
                            {"value", argument.value},
                            {"why", argument.why},
                            {"source", argument.source}});
        json["arguments"][row.key] = std::move(list);
    }
    for (const QuantityRow& row : quantity_rows) {
        const Bound& bound = bounds[row.quantity];
        json["reachable"][row.key] = bound.largest()
                                         ? Json({{"answer", word_for(bound.reachable)}, {"why", bound.reachable_why}})
                                         : Json(nullptr);
        if (bound.least) json["reachable"][row.key]["least"] = *bound.least;
    }
}

namespace {

std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

}  // namespace

std::string csv_line(const std::vector<std::string>& fields) {
    std::string line;
    for (const std::string& field : fields) line += (line.empty() ? "" : ",") + csv_field(field);
    return line + "\n";
}

}  // namespace kport::requests
