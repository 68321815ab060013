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
/// nodup, noho and agree, then the rules of the machine.
constexpr std::array<std::string_view, 13> rule_names = {"nodup",  "noho",      "agree",   "ports",    "channels",
                                                         "links",  "combining", "holding", "delivery", "strict",
                                                         "rounds", "transfers", "broken"};

Force force_named(std::string_view word, std::string_view text) {
    const auto* const found = std::ranges::find(force_names, word);
    if (found != force_names.end()) return static_cast<Force>(found - force_names.begin());
    throw RequestError(fmt::format("rules {}: {} is unknown; want law, count or off", quoted(text), quoted(word)));
}

/// Returns the setting of a rule. Throws RequestError for a rule that is always law, and for what is no rule.
Force& force_of(Rules& rules, std::string_view rule, std::string_view text) {
    if (rule == "nodup") return rules.nodup;
    if (rule == "noho") return rules.noho;
    if (rule == "agree") return rules.agree;
    if (std::ranges::find(rule_names, rule) != rule_names.end())
        throw RequestError(
            fmt::format("rules {}: {} is a rule of the machine, and law; nodup, noho and agree may be counted or off",
                        quoted(text), rule));
    throw RequestError(fmt::format("rules {}: {} is no rule{} ({})", quoted(text), quoted(rule),
                                   did_you_mean(rule, rule_names), fmt::join(rule_names, ", ")));
}

}  // namespace

Rules rules_named(std::string_view text) {
    Rules rules;
    std::vector<std::string_view> named;
    for (const std::string_view part : split(text, ',')) {
        const std::size_t equals = part.find('=');
        const std::string_view rule = part.substr(0, equals);
        Force* const force = rule.empty() ? nullptr : &force_of(rules, rule, text);
        if (force == nullptr || equals == std::string_view::npos)
            throw RequestError(
                fmt::format("rules {}: {} is not clear; want nodup=count, noho=off or both, "
                            "with a comma between them",
                            quoted(text), quoted(part)));
        if (std::ranges::find(named, rule) != named.end())
            throw RequestError(fmt::format("rules {}: {} is named twice; want it once", quoted(text), rule));
        named.push_back(rule);
        *force = force_named(part.substr(equals + 1), text);
    }
    return rules;
}

std::string text(const Rules& rules) {
    std::vector<std::string> parts;
    const auto say = [&](std::string_view rule, Force force, Force by_default) {
        if (force != by_default)
            parts.push_back(fmt::format("{}={}", rule, force_names.at(static_cast<std::size_t>(force))));
    };
    say("nodup", rules.nodup, Rules().nodup);
    say("noho", rules.noho, Rules().noho);
    say("agree", rules.agree, Rules().agree);
    return fmt::format("{}", fmt::join(parts, ","));
}

}  // namespace kport
