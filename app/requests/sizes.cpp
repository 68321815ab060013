#include "app/requests/sizes.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/schedule/collective.hpp"

namespace kport::requests {

namespace {

[[noreturn]] void refuse_sizes(std::string_view option, std::string_view text, std::string_view why) {
    throw RequestError(fmt::format("{} {}: {}", option, quoted(text), why));
}

/// What stands between commas and dots.
using Parse = std::uint64_t (*)(std::string_view text, std::string_view option);

/// "8..16MiB", "8..16MiB*8"; the dots are at `dots`.
std::vector<std::uint64_t> range(std::string_view text, std::size_t dots, std::string_view option, Parse parse) {
    const std::size_t star = std::min(text.find('*', dots), text.size());
    const std::string_view first = text.substr(0, dots);
    const std::string_view last = text.substr(dots + 2, star - dots - 2);
    if (first.empty() || last.empty() || last.find("..") != std::string_view::npos)
        refuse_sizes(option, text, "a range is FROM..TO, such as 8..64");
    const std::uint64_t from = parse(first, option);
    const std::uint64_t to = parse(last, option);
    const std::uint64_t factor =
        star == text.size() ? 2 : parse_count(text.substr(star + 1), fmt::format("{}: the factor", option), 2);
    if (from == 0 || to == 0) refuse_sizes(option, text, "0 times a factor stays 0; start at 1 or more");
    if (from > to) refuse_sizes(option, text, fmt::format("runs backwards; want {}..{}", last, first));
    std::vector<std::uint64_t> sizes = {from};
    while (sizes.back() <= to / factor) sizes.push_back(sizes.back() * factor);
    if (sizes.back() < to) sizes.push_back(to);  // both ends were asked for
    return sizes;
}

/// "1..4,8": the list that was meant.
[[noreturn]] void refuse_range_in_list(std::string_view text, std::string_view option, Parse parse) {
    std::set<std::uint64_t> all;
    for (const std::string_view part : split(text, ',')) {
        const std::size_t dots = part.find("..");
        if (dots != std::string_view::npos)
            std::ranges::copy(range(part, dots, option, parse), std::inserter(all, all.end()));
        else if (!part.empty())
            all.insert(parse(part, option));
    }
    refuse_sizes(option, text, fmt::format("a range is no part of a list; want {}", fmt::join(all, ",")));
}

std::vector<std::uint64_t> numbers_of(std::string_view text, std::string_view option, Parse parse) {
    if (const std::size_t dots = text.find(".."); dots != std::string_view::npos) {
        if (text.find(',') != std::string_view::npos) refuse_range_in_list(text, option, parse);
        return range(text, dots, option, parse);
    }
    std::vector<std::uint64_t> sizes;
    for (const std::string_view part : split(text, ',')) {
        if (part.empty()) refuse_sizes(option, text, "a value is missing beside a comma");
        if (sizes.size() == sizes_max) refuse_sizes(option, text, fmt::format("more than {} values", sizes_max));
        const std::uint64_t size = parse(part, option);
        if (std::find(sizes.begin(), sizes.end(), size) != sizes.end())
            refuse_sizes(option, text, fmt::format("has {} twice", quoted(part)));
        sizes.push_back(size);
    }
    return sizes;
}

}  // namespace

std::vector<std::uint64_t> sizes_of(std::string_view text, std::string_view option) {
    return numbers_of(text, option, &parse_size);
}

std::vector<std::uint64_t> packets_of(std::string_view text) {
    return numbers_of(text, "--packets", [](std::string_view part, std::string_view option) {
        // Who knows the machine and the operation refuses what fits into 64 bits, by a limit that may be lower.
        return parse_count(part, option, 1, to_count(part) ? count_max : own_packets_max);
    });
}

}  // namespace kport::requests
