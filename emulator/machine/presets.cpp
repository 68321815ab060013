#include "emulator/machine/presets.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {
namespace {

struct Preset {
    std::string_view name;
    std::string_view form;
    std::size_t parameters;
    bool overlaps;
    Costs (*costs)(const std::vector<double>& parameters);
};

Costs linear_costs(const std::vector<double>& of) { return {of[0], 0, of[1]}; }

constexpr std::array presets = {Preset{"alpha-beta", "alpha-beta:A,B", 2, false, linear_costs},
                                Preset{"hockney", "hockney:A,B", 2, false, linear_costs},
                                Preset{"postal", "postal:LAMBDA", 1, true,
                                       [](const std::vector<double>& of) {
                                           return Costs{of[0], 0, 0};
                                       }},
                                Preset{"logp", "logp:L,o,g", 3, true,
                                       [](const std::vector<double>& of) {
                                           return Costs{of[0] + 2 * of[1], 0, 0};
                                       }},
                                Preset{"loggp", "loggp:L,o,g,G", 4, true, [](const std::vector<double>& of) {
                                           return Costs{of[0] + 2 * of[1] - of[3], 0, of[3]};
                                       }}};

const Preset* preset_named(std::string_view text) {
    const auto* const found = std::ranges::find(presets, text.substr(0, text.find(':')), &Preset::name);
    return found == presets.end() ? nullptr : found;
}

[[noreturn]] void refuse_unknown(std::string_view text, std::string_view where) {
    std::vector<std::string_view> names;
    std::vector<std::string_view> forms;
    for (const Preset& preset : presets) {
        names.push_back(preset.name);
        forms.push_back(preset.form);
    }
    throw RequestError(fmt::format("{} {} is unknown{} ({})", where, quoted(text),
                                   did_you_mean(text.substr(0, text.find(':')), names), fmt::join(forms, " ")));
}

}  // namespace

Costs preset_costs(std::string_view text, std::string_view where) {
    const Preset* preset = preset_named(text);
    if (preset == nullptr) refuse_unknown(text, where);
    const auto refuse = [&](std::string_view why) {
        throw RequestError(fmt::format("{} {}: {}", where, quoted(text), why));
    };
    std::vector<double> parameters;
    const std::size_t colon = text.find(':');
    if (colon != std::string_view::npos)
        for (const std::string_view part : split(text.substr(colon + 1), ','))
            parameters.push_back(parse_cost(part, fmt::format("{} {}: the parameter", where, quoted(text))));
    if (parameters.size() != preset->parameters) refuse(fmt::format("want {}", preset->form));
    if (preset->name == "postal" && parameters.front() < 1)
        refuse("a message arrives no earlier than its send, a unit of time, ends; want LAMBDA at least 1");
    Costs costs = preset->costs(parameters);
    if (costs.startup < 0) refuse("ts = L + 2 o - G is negative; want a gap per byte G of at most L + 2 o");
    costs.preset = text;
    return costs;
}

bool overlaps_sends(const Costs& costs) {
    const Preset* preset = preset_named(costs.preset);
    return preset != nullptr && preset->overlaps;
}

}  // namespace kport
