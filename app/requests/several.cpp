#include "app/requests/several.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/files/formats.hpp"
#include "app/files/transfer_words.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/schedule/collective.hpp"
#include "emulator/topology/broken.hpp"

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
        // What fits into 64 bits is refused later, by a limit that depends on machine and operation.
        return parse_count(part, option, 1, to_count(part) ? count_max : own_packets_max);
    });
}

bool names_several(std::string_view source, const Topology& topology) {
    if (source == "all" || source.find(';') != std::string_view::npos) return true;
    if (names_one(source, topology)) return false;
    const auto commas = std::ranges::count(source, ',');
    return commas != 0 && commas != std::ranges::count(topology.label(0), ',');
}

std::vector<std::string> each_source(std::string_view source, const Topology& topology, std::size_t most) {
    if (!names_several(source, topology)) return {std::string(source)};
    const std::vector<std::string_view> words = source == "all" ? std::vector<std::string_view>() : apart(source);
    const std::uint64_t count = source == "all" ? topology.nodes() : words.size();
    if (count > most)
        throw RequestError(
            fmt::format("--source {}: {} sources, more than {}; name some of them", quoted(source), count, most));
    std::vector<std::string> sources(words.begin(), words.end());
    const bool by_old_number = as_broken(topology) != nullptr;
    for (NodeId v = 0; sources.size() < count; ++v) {
        const std::string own_name = by_old_number ? topology.label(v) : "";
        sources.push_back(own_name.empty() ? fmt::to_string(v) : own_name);
    }
    return sources;
}

namespace {

constexpr std::string_view example = "such as 'hypercube:{2..16}' or 'line:{9,17,33}'";

[[noreturn]] void refuse_sweep(std::string_view word, std::string_view why) {
    throw RequestError(fmt::format("--sweep {}: {}", quoted(word), why));
}

/// The next opening brace that is not empty.
std::size_t filled_braces(std::string_view word, std::size_t from) {
    std::size_t open = word.find('{', from);
    while (open != std::string_view::npos && word.substr(open, 2) == "{}") open = word.find('{', open + 1);
    return open;
}

/// One word of a sweep.
class Word {
  public:
    Word(std::string_view word, std::uint64_t most) : word_(word), most_(most) {}

    void expand_into(std::vector<std::string>& specs) const {
        require_single_braces();
        const std::size_t open = filled_braces(word_, 0);
        if (open == std::string_view::npos) {
            add(specs, std::string(word_));
            return;
        }
        const std::size_t close = word_.find('}', open);
        if (filled_braces(word_, close) != std::string_view::npos)
            refuse_sweep(word_,
                         "only one pair of braces holds numbers; empty ones repeat them, such as 'mesh:{4,8}x{}'");
        const std::string_view before = word_.substr(0, open);
        const std::string_view after = word_.substr(close + 1);
        for (const std::uint64_t number : numbers(word_.substr(open + 1, close - open - 1)))
            add(specs, fmt::format("{}{}{}", before, number, after));
    }

  private:
    void require_single_braces() const {
        bool open = false;
        for (const char c : word_) {
            if (c != '{' && c != '}') continue;
            if (c == '{' && open) refuse_sweep(word_, "braces inside braces");
            if (c == '}' && !open) refuse_sweep(word_, "'}' without '{'");
            open = c == '{';
        }
        if (open) refuse_sweep(word_, "'{' without '}'");
    }

    /// Each pair of empty braces becomes the number before it.
    void add(std::vector<std::string>& specs, std::string spec) const {
        constexpr std::string_view digits = "0123456789";
        for (std::size_t at = spec.find("{}"); at != std::string::npos; at = spec.find("{}", at)) {
            const std::size_t last = spec.find_last_of(digits, at);
            if (last == std::string::npos)
                refuse_sweep(word_,
                             fmt::format("the braces are empty and there is no number before them; {}", example));
            const std::size_t before = spec.find_last_not_of(digits, last);
            const std::size_t first = before == std::string::npos ? 0 : before + 1;
            spec.replace(at, 2, spec.substr(first, last + 1 - first));
        }
        if (specs.size() == most_) refuse_too_many();
        specs.push_back(std::move(spec));
    }

    [[nodiscard]] std::vector<std::uint64_t> numbers(std::string_view list) const {
        if (list.find("..") != std::string_view::npos && list.find(',') == std::string_view::npos) return range(list);
        std::vector<std::uint64_t> all;
        for (const std::string_view part : split(list, ',')) all.push_back(number(part));
        return all;
    }

    /// "2..16", "10..100..10".
    [[nodiscard]] std::vector<std::uint64_t> range(std::string_view text) const {
        std::vector<std::uint64_t> ends;
        for (std::size_t at = 0; at <= text.size();) {
            const std::size_t dots = std::min(text.find("..", at), text.size());
            ends.push_back(number(text.substr(at, dots - at)));
            at = dots + 2;
        }
        if (ends.size() > 3) refuse_sweep(word_, "a range is FROM..TO or FROM..TO..STEP, such as 2..16");
        const std::uint64_t from = ends[0];
        const std::uint64_t to = ends[1];
        const std::uint64_t step = ends.size() == 3 ? ends[2] : 1;
        if (from > to) refuse_sweep(word_, fmt::format("{0}..{1} runs backwards; want {1}..{0}", from, to));
        if (step == 0) refuse_sweep(word_, "the step must be at least 1");
        if ((to - from) / step >= most_) refuse_too_many();
        std::vector<std::uint64_t> all;
        for (std::uint64_t i = 0; i <= (to - from) / step; ++i) all.push_back(from + i * step);
        return all;
    }

    [[nodiscard]] std::uint64_t number(std::string_view text) const {
        return parse_count(text, fmt::format("--sweep {}: number", quoted(word_)));
    }

    [[noreturn]] void refuse_too_many() const { refuse_sweep(word_, fmt::format("more than {} machines", most_)); }

    std::string_view word_;
    std::uint64_t most_;
};

}  // namespace

std::vector<std::string> swept(std::string_view text, std::uint64_t most) {
    std::vector<std::string> specs;
    std::size_t words = 0;
    for (const std::string_view word : split(text, ' ')) {
        if (word.empty()) continue;
        ++words;
        const bool path = word.find('/') != std::string_view::npos || format_of_path(word) != nullptr;
        if (word.find(':') == std::string_view::npos && !path)
            refuse_sweep(word, fmt::format("not a topology; {} (the operation stands before --sweep)", example));
        Word(word, most).expand_into(specs);
    }
    if (words == 0) throw RequestError(fmt::format("--sweep names no machine; {}", example));
    if (words == 1 && text.find('{') == std::string_view::npos)
        refuse_sweep(text, fmt::format("no sizes in braces, {}; for one machine there is --on", example));
    return specs;
}

}  // namespace kport::requests
