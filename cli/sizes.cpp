#include "cli/sizes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport::cli {

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
    if (first.empty() || last.empty()) refuse_sizes(option, text, "a range is FROM..TO, such as 8..64");
    const std::uint64_t from = parse(first, option);
    const std::uint64_t to = parse(last, option);
    const std::uint64_t factor =
        star == text.size() ? 2 : parse_count(text.substr(star + 1), fmt::format("{}: the factor", option), 2);
    if (from == 0) refuse_sizes(option, text, "0 times a factor stays 0; start at 1 or more");
    if (from > to) refuse_sizes(option, text, fmt::format("runs backwards; want {}..{}", last, first));
    std::vector<std::uint64_t> sizes = {from};
    while (sizes.back() <= to / factor) sizes.push_back(sizes.back() * factor);
    return sizes;
}

std::vector<std::uint64_t> numbers_of(std::string_view text, std::string_view option, Parse parse) {
    const std::size_t dots = text.find("..");
    if (dots != std::string_view::npos && text.find(',') == std::string_view::npos)
        return range(text, dots, option, parse);
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

std::vector<std::uint64_t> counts_of(std::string_view text, std::string_view option) {
    return numbers_of(text, option,
                      [](std::string_view part, std::string_view of) { return parse_count(part, of, 1); });
}

}  // namespace kport::cli
