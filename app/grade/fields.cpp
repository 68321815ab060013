#include "app/grade/fields.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/files/whole_text.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport::grade {

Json strict_json(const std::string& text, const std::string& what) {
    std::vector<std::set<std::string>> open;
    const auto note = [&](int, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::object_start) open.emplace_back();
        if (event == Json::parse_event_t::object_end) open.pop_back();
        if (event == Json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second)
            throw RequestError(fmt::format("{}: an object has the member {} twice; want each once", what,
                                           quoted(parsed.get<std::string>())));
        return true;
    };
    try {
        return Json::parse(text, note, true, true);
    } catch (const nlohmann::detail::exception& error) {
        throw RequestError(fmt::format("{} is no JSON: {}", what, told_by_json(error)));
    }
}

Fields::Fields(const Json& object, std::string place) : object_(object), place_(std::move(place)) {
    if (!object_.is_object()) throw RequestError(fmt::format("{}: want an object, {{...}}", place_));
}

std::string Fields::place_of(std::string_view name) const {
    return fmt::format("{}{}{}", place_, place_.ends_with('\'') ? ": " : ".", name);
}

void Fields::refuse(std::string_view name, std::string_view wanted) const {
    constexpr std::size_t shown_most = 60;
    const std::string value =
        object_.contains(name) ? object_[std::string(name)].dump(-1, ' ', false, Json::error_handler_t::replace) : "";
    throw RequestError(fmt::format("{}: {}; want {}", place_of(name), one_line(value, shown_most), wanted));
}

void Fields::require_known(std::initializer_list<std::string_view> names) const {
    const std::vector<std::string_view> known(names);
    for (const auto& [name, value] : object_.items())
        if (std::ranges::find(known, name) == known.end())
            throw RequestError(fmt::format("{} is unknown{}; want one of {}", place_of(one_line(name, 60)),
                                           did_you_mean(name, known), fmt::join(known, ", ")));
}

const Json& Fields::required(std::string_view name, std::string_view wanted) const {
    if (!object_.contains(name)) throw RequestError(fmt::format("{} is missing; want {}", place_of(name), wanted));
    return object_[std::string(name)];
}

std::string Fields::text(std::string_view name, std::string_view wanted, std::optional<std::string> otherwise) const {
    if (otherwise && !has(name)) return *otherwise;
    const Json& value = required(name, wanted);
    if (!value.is_string() || value.get<std::string>().empty()) refuse(name, wanted);
    return value.get<std::string>();
}

std::string Fields::word(std::string_view name, std::initializer_list<std::string_view> choices,
                         std::optional<std::string> otherwise) const {
    const std::string wanted = fmt::format("one of {}", fmt::join(choices, ", "));
    std::string value = text(name, wanted, std::move(otherwise));
    if (std::ranges::find(choices, value) == choices.end()) refuse(name, wanted);
    return value;
}

bool Fields::flag(std::string_view name) const {
    if (!has(name)) return false;
    const Json& value = object_[std::string(name)];
    if (!value.is_boolean()) refuse(name, "true or false");
    return value.get<bool>();
}

double Fields::positive(std::string_view name, std::optional<double> otherwise) const {
    constexpr double most = 1e9;
    constexpr std::string_view wanted = "a number above 0, at most a thousand million";
    if (otherwise && !has(name)) return *otherwise;
    const Json& value = required(name, wanted);
    if (!value.is_number() || !(value.get<double>() > 0) || value.get<double>() > most) refuse(name, wanted);
    return value.get<double>();
}

std::uint64_t Fields::count(std::string_view name, std::uint64_t least, std::uint64_t most,
                            std::optional<std::uint64_t> otherwise) const {
    if (otherwise && !has(name)) return *otherwise;
    const std::string wanted = fmt::format("a whole number from {} to {}", least, most);
    const Json& value = required(name, wanted);
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() < least || value.get<std::uint64_t>() > most)
        refuse(name, wanted);
    return value.get<std::uint64_t>();
}

const Json& Fields::list(std::string_view name) const {
    constexpr std::string_view wanted = "a list with an entry or more, [...]";
    const Json& value = required(name, wanted);
    if (!value.is_array() || value.empty()) refuse(name, wanted);
    return value;
}

}  // namespace kport::grade
