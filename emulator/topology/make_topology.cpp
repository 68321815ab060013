#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/topology/family.hpp"

namespace kport {
namespace {

std::vector<std::string_view> family_names() {
    std::vector<std::string_view> names;
    for (const TopologyFamily& family : topology_families()) names.push_back(family.name);
    return names;
}

const TopologyFamily* family_called(std::string_view name) {
    const auto found = std::ranges::find(topology_families(), name, &TopologyFamily::name);
    return found == topology_families().end() ? nullptr : &*found;
}

/// The family of this name or of another that books use, whatever its case and dashes, else of the nearest; null if none is
/// near.
const TopologyFamily* family_meant(std::string_view name) {
    for (const TopologyFamily& family : topology_families())
        if (same_but_for_signs(name, family.name)) return &family;
    for (const TopologyFamily& family : topology_families())
        if (std::ranges::any_of(family.also, [&](std::string_view other) { return same_but_for_signs(name, other); }))
            return &family;
    return family_called(nearest(name, family_names()));
}

/// The family's name: the letters before a colon or a bracket.
std::string_view name_in(std::string_view spec) { return spec.substr(0, spec.find_first_of(":(")); }

std::shared_ptr<const Topology> built(const TopologyFamily& family, std::string_view parameters,
                                      const std::string& where) {
    return family.build(Parameters(parameters, where, family.form));
}

/// "mesh:4x5" for "mesh:4,5", "ring:8" for "ring 8", "hypercube:4" for "q4": what was typed, with the signs between family
/// and numbers as they should be. Empty if more than these is wrong.
std::string as_it_should_be(std::string_view spec) {
    constexpr std::string_view digit = "0123456789";
    const std::size_t numbers_begin = spec.find_first_of(digit);
    if (numbers_begin == std::string_view::npos || spec.find_last_of(digit) + 1 != spec.size()) return "";
    std::string_view name = spec.substr(0, numbers_begin);
    const std::size_t colon = name.find(':');
    if (colon != std::string_view::npos && colon + 1 != name.size()) return "";  // mesh:-4
    if (!name.empty() && std::string_view(" :=-_").find(name.back()) != std::string_view::npos) name.remove_suffix(1);
    const TopologyFamily* family = family_meant(name);
    if (family == nullptr) return "";
    for (const char separator : {'x', ','}) {
        std::string numbers(spec.substr(numbers_begin));
        for (char& c : numbers)
            if (std::string_view(",;:*xX").find(c) != std::string_view::npos) c = separator;
        try {
            (void)built(*family, numbers, "");
            return spec_of(*family, numbers);
        } catch (const std::exception&) {
            continue;  // perhaps with the other
        }
    }
    return "";
}

/// Why a bracket that was opened does not end the specification.
std::string unclosed(std::string_view spec) {
    int depth = 0;
    for (std::size_t i = spec.find('('); i < spec.size(); ++i) {
        depth += spec[i] == '(' ? 1 : spec[i] == ')' ? -1 : 0;
        if (depth == 0) return fmt::format("{} after the closing bracket", quoted(spec.substr(i + 1)));
    }
    return "a bracket is not closed";
}

/// The first families, and how many there are besides.
std::string some_families() {
    constexpr std::size_t shown = 7;
    std::vector<std::string_view> names = family_names();
    if (names.size() <= shown) return fmt::format("({})", fmt::join(names, ", "));
    const std::size_t more = names.size() - shown;
    names.resize(shown);
    return fmt::format("({}, and {} more)", fmt::join(names, ", "), more);
}

[[noreturn]] void refuse_family(std::string_view spec, std::string_view name, const std::string& where) {
    std::string better = name == spec ? as_it_should_be(spec) : std::string();
    if (const TopologyFamily* meant = family_meant(name); better.empty() && meant != nullptr) better = meant->name;
    throw RequestError(fmt::format("{}: unknown family {}{} {}", where, quoted(name),
                                   better.empty() ? "" : fmt::format("; did you mean '{}'?", better), some_families()));
}

}  // namespace

std::shared_ptr<const Topology> make_topology(std::string_view spec) {
    const std::string where = fmt::format("topology {}", quoted(spec));
    const std::string_view name = name_in(spec);
    const TopologyFamily* family = family_called(name);
    if (family == nullptr) {
        const auto meant = std::ranges::find_if(
            topology_families(), [&](const TopologyFamily& one) { return one.means != nullptr && one.means(spec); });
        if (meant != topology_families().end()) return built(*meant, spec, where);
        refuse_family(spec, name, where);
    }
    const bool in_brackets = spec.size() > name.size() && spec[name.size()] == '(';
    std::string_view parameters = spec.substr(std::min(name.size() + 1, spec.size()));
    const bool takes_brackets = family->form.find('(') != std::string_view::npos;
    if (in_brackets && (!takes_brackets || !parameters.ends_with(')')))
        throw RequestError(
            fmt::format("{}: {}; want {}", where, takes_brackets ? unclosed(spec) : "brackets", family->form));
    if (takes_brackets && !in_brackets && parameters.starts_with('('))
        throw RequestError(fmt::format("{}: a colon and a bracket; want {}", where, family->form));
    if (in_brackets) parameters.remove_suffix(1);
    const bool takes_none = family->form == family->name;
    if (parameters.empty() && !takes_none)
        throw RequestError(fmt::format("{}: nothing after the family; want {}", where, family->form));
    if (takes_none && name.size() != spec.size())
        throw RequestError(fmt::format("{}: {} takes nothing after it; want {}", where, name, name));
    try {
        return built(*family, parameters, where);
    } catch (const RequestError& error) {
        const std::string better = as_it_should_be(spec);
        if (better.empty() || better == spec) throw;
        throw RequestError(fmt::format("{}; did you mean '{}'?", error.what(), better));
    }
}

}  // namespace kport
