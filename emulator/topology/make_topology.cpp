#include <algorithm>
#include <new>
#include <optional>
#include <string>
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

/// Returns the family of this name or of a name in books, ignoring case and dashes; else the nearest one; null if none
/// is near.
const TopologyFamily* family_meant(std::string_view name) {
    for (const TopologyFamily& family : topology_families())
        if (same_but_for_signs(name, family.name)) return &family;
    for (const TopologyFamily& family : topology_families())
        if (std::ranges::any_of(family.also, [&](std::string_view other) { return same_but_for_signs(name, other); }))
            return &family;
    return family_called(nearest(name, family_names()));
}

/// Returns the family's name: the text before a colon or a bracket.
std::string_view name_in(std::string_view spec) { return spec.substr(0, spec.find_first_of(":(")); }

std::shared_ptr<const Topology> built(const TopologyFamily& family, std::string_view parameters,
                                      const std::string& where) {
    return family.build(Parameters(parameters, where, family.form));
}

/// A specification as typed, without "2d", brackets, and the sign between family and numbers.
struct Typed {
    std::string name;
    std::string numbers;  ///< with the signs between them; empty if there are none
};

/// Returns "mesh" for "2d-mesh" and "mesh-2d".
std::string without_dimensions(std::string_view spec) {
    const auto is_sign = [](char c) { return c == '-' || c == '_' || c == ' '; };
    if (spec.size() > 3 && spec[1] == 'd' && is_sign(spec[2])) return std::string(spec.substr(3));
    const std::size_t end = std::min(spec.find(':'), spec.size());
    if (end > 3 && spec[end - 1] == 'd' && is_sign(spec[end - 3]))
        return std::string(spec.substr(0, end - 3)) + std::string(spec.substr(end));
    return std::string(spec);
}

/// Returns nothing if there is more than family and numbers.
std::optional<Typed> taken_apart(std::string_view spec) {
    constexpr std::string_view digit = "0123456789";
    std::string text;
    for (const char c : without_dimensions(spec.substr(std::min(spec.find_first_not_of(' '), spec.size())))) {
        if (c == '(' && !text.empty() && text.back() != ':') text += ':';
        if (c != '(' && c != ')') text += c;
    }
    const std::size_t begin = text.find_first_of(digit);
    if (begin == std::string::npos) return Typed{text, ""};
    if (begin == 0) {  // 3-cube
        const std::size_t end = std::min(text.find_first_not_of("0123456789x,"), text.size());
        if (text.find_first_of(digit, end) != std::string::npos) return std::nullopt;
        return Typed{text.substr(std::min(text.find_first_not_of("-_ ", end), text.size())), text.substr(0, end)};
    }
    if (text.find_last_of(digit) + 1 != text.size()) return std::nullopt;
    std::string name = text.substr(0, begin);
    const std::size_t colon = name.find(':');
    if (colon != std::string::npos && colon + 1 != name.size()) return std::nullopt;  // mesh:-4
    if (std::string_view(" :=-_").find(name.back()) != std::string_view::npos) name.pop_back();
    return Typed{name, text.substr(begin)};
}

/// Returns the specification with correct signs: "mesh:4x5" for "mesh:4,5", "ring:8" for "ring 8", "hypercube:4" for
/// "q4", "torus:4x4" for "torus(4,4)". Empty if anything else is wrong.
std::string as_it_should_be(std::string_view spec) {
    const std::optional<Typed> typed = taken_apart(spec);
    const TopologyFamily* family = typed && !typed->numbers.empty() ? family_meant(typed->name) : nullptr;
    if (family == nullptr) return "";
    // A form with both signs does not say which is meant where.
    const std::string_view numbers_in_form = family->form.substr(std::min(family->form.find(':'), family->form.size()));
    const bool has_both =
        numbers_in_form.find('x') != std::string_view::npos && numbers_in_form.find(',') != std::string_view::npos;
    for (const char separator : {'x', ','}) {
        std::string numbers = typed->numbers;
        for (char& c : numbers)
            if (!has_both && std::string_view(",;:*xX").find(c) != std::string_view::npos) c = separator;
        try {
            (void)built(*family, numbers, "");
            return spec_of(*family, numbers);
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception&) {
            continue;  // try the other
        }
    }
    return "";
}

/// Returns "; did you mean 'mesh:4x5'?" where only signs are wrong.
std::string but_for_signs(std::string_view spec) {
    const std::string better = as_it_should_be(spec);
    return better.empty() || better == spec ? "" : fmt::format("; did you mean '{}'?", better);
}

/// Returns why an opened bracket does not end the specification.
std::string unclosed(std::string_view spec) {
    int depth = 0;
    for (std::size_t i = spec.find('('); i < spec.size(); ++i) {
        depth += spec[i] == '(' ? 1 : spec[i] == ')' ? -1 : 0;
        if (depth == 0) return fmt::format("{} after the closing bracket", quoted(spec.substr(i + 1)));
    }
    return "a bracket is not closed";
}

/// Returns the first families and the number of the others.
std::string some_families() {
    constexpr std::size_t shown = 7;
    std::vector<std::string_view> names = family_names();
    if (names.size() <= shown) return fmt::format("({})", fmt::join(names, ", "));
    const std::size_t more = names.size() - shown;
    names.resize(shown);
    return fmt::format("({}, and {} more)", fmt::join(names, ", "), more);
}

[[noreturn]] void refuse_family(std::string_view spec, std::string_view name, const std::string& where) {
    std::string better = as_it_should_be(spec);
    const std::optional<Typed> typed = taken_apart(spec);
    if (const TopologyFamily* meant = family_meant(typed ? typed->name : name); better.empty() && meant != nullptr)
        better = typed && !typed->numbers.empty() ? meant->form : meant->name;
    throw RequestError(fmt::format("{}: unknown family {}{} {}", where, quoted(name),
                                   better.empty() ? "" : fmt::format("; did you mean '{}'?", better), some_families()));
}

}  // namespace

bool begins_as_topology(std::string_view word) {
    const std::string_view name = name_in(word);
    if (name != word) return family_meant(name) != nullptr;
    return std::ranges::any_of(topology_families(), [&](const TopologyFamily& family) {
        return family.form == family.name && same_but_for_signs(name, family.name);
    });
}

std::shared_ptr<const Topology> make_topology(std::string_view spec) {
    const std::string where = fmt::format("topology {}", quoted(spec));
    const std::string_view name = name_in(spec);
    const TopologyFamily* family = family_called(name);
    if (family == nullptr) {
        const auto meant = std::ranges::find_if(
            topology_families(), [&](const TopologyFamily& one) { return one.means != nullptr && one.means(spec); });
        if (meant != topology_families().end()) return built(*meant, spec, where);
        const auto same = std::ranges::find_if(
            topology_families(), [&](const TopologyFamily& one) { return same_but_for_signs(name, one.name); });
        if (same == topology_families().end()) refuse_family(spec, name, where);
        family = &*same;
    }
    const bool in_brackets = spec.size() > name.size() && spec[name.size()] == '(';
    std::string_view parameters = spec.substr(std::min(name.size() + 1, spec.size()));
    const bool takes_brackets = family->form.find('(') != std::string_view::npos;
    if (in_brackets && (!takes_brackets || !parameters.ends_with(')')))
        throw RequestError(fmt::format("{}: {}; want {}{}", where, takes_brackets ? unclosed(spec) : "brackets",
                                       family->form, but_for_signs(spec)));
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
        const std::string better = but_for_signs(spec);
        if (better.empty()) throw;
        throw RequestError(error.what() + better);
    }
}

}  // namespace kport
