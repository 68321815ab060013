#include "app/requests/bound_text.hpp"

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
    if (bound.least) text += fmt::format(", at least {}", number(*bound.least));
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

}  // namespace kport::requests
