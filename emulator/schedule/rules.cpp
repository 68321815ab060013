#include "emulator/schedule/rules.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport {

namespace {

constexpr std::array<std::string_view, 3> force_names = {"law", "count", "off"};  // in the order of Force
constexpr std::array<std::string_view, 9> machine_rules = {"ports",    "channels", "links",  "combining", "holding",
                                                           "delivery", "strict",   "rounds", "transfers"};

Force force_named(std::string_view word, std::string_view text) {
    const auto* const found = std::ranges::find(force_names, word);
    if (found != force_names.end()) return static_cast<Force>(found - force_names.begin());
    throw RequestError(fmt::format("rules {}: {} is unknown; want law, count or off", quoted(text), quoted(word)));
}

}  // namespace

Rules rules_named(std::string_view text) {
    Rules rules;
    std::vector<std::string_view> named;
    for (const std::string_view part : split(text, ',')) {
        const std::size_t equals = part.find('=');
        const std::string_view rule = part.substr(0, equals);
        if (std::ranges::find(machine_rules, rule) != machine_rules.end())
            throw RequestError(
                fmt::format("rules {}: {} is a rule of the machine, and law; nodup and noho may be counted or off",
                            quoted(text), rule));
        Force* const own = rule == "nodup" ? &rules.nodup : rule == "noho" ? &rules.noho : nullptr;
        if (own == nullptr || equals == std::string_view::npos)
            throw RequestError(
                fmt::format("rules {}: {} is not clear; want nodup=count, noho=off or both, "
                            "with a comma between them",
                            quoted(text), quoted(part)));
        if (std::ranges::find(named, rule) != named.end())
            throw RequestError(fmt::format("rules {}: {} is named twice; want it once", quoted(text), rule));
        named.push_back(rule);
        *own = force_named(part.substr(equals + 1), text);
    }
    return rules;
}

std::string text(const Rules& rules) {
    std::vector<std::string> parts;
    const auto say = [&](std::string_view rule, Force force) {
        if (force != Force::law)
            parts.push_back(fmt::format("{}={}", rule, force_names.at(static_cast<std::size_t>(force))));
    };
    say("nodup", rules.nodup);
    say("noho", rules.noho);
    return fmt::format("{}", fmt::join(parts, ","));
}

}  // namespace kport
