#include "cli/bound_text.hpp"

#include <fmt/format.h>

namespace kport::cli {

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

std::array<NamedBound, 5> named(const Bounds& bounds) {
    return {{{"rounds", "rounds", &bounds.rounds},
             {"work", "work (hops)", &bounds.work},
             {"path_sum", "path sum (hops)", &bounds.path_sum},
             {"volume", "volume (bytes)", &bounds.volume},
             {"latency", "latency", &bounds.latency}}};
}

Cell reachable_text(const Bound& bound) {
    const std::string_view word = word_for(bound.reachable);
    return {bound.reachable_why.empty() ? std::string(word) : fmt::format("{}: {}", word, bound.reachable_why),
            tone_of(bound.reachable)};
}

void put_arguments(Json& json, const Bounds& bounds) {
    for (const NamedBound& row : named(bounds)) {
        Json list = Json::array();
        for (const Argument& argument : row.bound->arguments)
            list.push_back({{"name", argument.name},
                            {"value", argument.value},
                            {"why", argument.why},
                            {"source", argument.source}});
        json["arguments"][std::string(row.key)] = std::move(list);
    }
    for (const NamedBound& row : named(bounds)) {
        const bool known = row.bound->value().has_value();
        json["reachable"][std::string(row.key)] =
            known ? Json({{"answer", word_for(row.bound->reachable)}, {"why", row.bound->reachable_why}})
                  : Json(nullptr);
    }
}

}  // namespace kport::cli
