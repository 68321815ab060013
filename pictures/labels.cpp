#include "pictures/labels.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace kport {
namespace {

/// Beyond so many, sets are told by their blocks.
constexpr std::uint64_t told_one_by_one = 4096;

bool of_pairs(const Story& story) {
    const Collective& collective = story.collective;
    return collective.operation->packets(collective, story.topology().nodes()).rows > 1;
}

void append(std::string& text, std::string_view more) { text += (text.empty() ? "" : ",") + std::string(more); }

/// Numbers that ascend, as few words as say them: "0..7", "1,3,..,15", "2,5".
std::string told(const std::vector<std::uint64_t>& numbers) {
    std::string text;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t end = i + 1;
        const std::uint64_t stride = end < numbers.size() ? numbers[end] - numbers[i] : 0;
        while (end < numbers.size() && numbers[end] - numbers[end - 1] == stride) ++end;
        const std::size_t count = end - i;
        if (count >= 4 && stride == 1) {
            append(text, fmt::format("{}..{}", numbers[i], numbers[end - 1]));
        } else if (count > 4) {
            append(text, fmt::format("{},{},..,{}", numbers[i], numbers[i + 1], numbers[end - 1]));
        } else {
            append(text, fmt::to_string(numbers[i]));
            end = i + 1;
        }
        i = end;
    }
    return text;
}

std::vector<std::uint64_t> members(const Progression& p) {
    std::vector<std::uint64_t> all;
    for (std::uint32_t i = 0; i < p.count; ++i) all.push_back(p[i]);
    return all;
}

std::string told(const Progression& p) {
    if (p.count <= told_one_by_one) return told(members(p));
    return p.stride == 1 ? fmt::format("{}..{}", p.first, p.last())
                         : fmt::format("{},{},..,{}", p.first, p[1], p.last());
}

std::string in_braces_if_many(const Progression& p) {
    return p.count == 1 ? fmt::to_string(p.first) : "{" + told(p) + "}";
}

/// As files write them: in an alltoall sender>receiver, else the packets of a node, node:packet.
std::string named(std::string_view rows, std::string_view columns, bool pairs) {
    return pairs ? fmt::format("{}>{}", rows, columns) : fmt::format("{}:{}", columns, rows);
}

/// Rows of the same columns together: "{0,1}>{2,3}".
std::string told_rows(std::span<const PacketBlock> packets, bool pairs) {
    std::map<std::uint64_t, std::vector<std::uint64_t>> columns_of_row;
    for (const PacketBlock& block : packets)
        for (const std::uint64_t row : members(block.all_rows()))
            for (const std::uint64_t column : members(block.columns())) columns_of_row[row].push_back(column);
    std::map<std::vector<std::uint64_t>, std::vector<std::uint64_t>> rows_of_columns;
    for (auto& [row, columns] : columns_of_row) {
        std::ranges::sort(columns);
        rows_of_columns[columns].push_back(row);
    }
    const auto braced = [](const std::vector<std::uint64_t>& numbers) {
        return numbers.size() == 1 ? told(numbers) : "{" + told(numbers) + "}";
    };
    std::map<std::uint64_t, std::string> by_first_row;
    for (const auto& [columns, rows] : rows_of_columns)
        by_first_row[rows.front()] = named(braced(rows), braced(columns), pairs);
    std::string text;
    for (const auto& [row, words] : by_first_row) append(text, words);
    return text;
}

std::string told_pairs(std::span<const PacketBlock> packets, bool pairs) {
    if (size_of(packets) <= told_one_by_one) return told_rows(packets, pairs);
    std::string text;
    for (const PacketBlock& block : packets)
        append(text, named(in_braces_if_many(block.all_rows()), in_braces_if_many(block.columns()), pairs));
    return text;
}

std::string told_numbers(std::span<const PacketBlock> packets) {
    if (size_of(packets) > told_one_by_one) {
        std::string text;
        for (const PacketBlock& block : packets) append(text, told(block.columns()));
        return text;
    }
    std::vector<std::uint64_t> all;
    for (const PacketBlock& block : packets)
        for (std::uint32_t i = 0; i < block.count; ++i) all.push_back(block.columns()[i]);
    std::ranges::sort(all);
    return told(all);
}

std::ptrdiff_t times_of(std::string_view text, char c) { return std::ranges::count(text, c); }

/// Whole numbers as far as there is room.
std::string shortened(std::string text, std::size_t letters) {
    constexpr std::string_view dots = ",...";
    if (text.size() <= letters) return text;
    const std::size_t comma = text.rfind(',', letters > dots.size() ? letters - dots.size() : 0);
    if (comma == std::string::npos || comma == 0) return text;
    text.resize(comma);
    return text.append(dots);
}

}  // namespace

std::string packets_label(const Story& story, std::span<const PacketBlock> packets, std::size_t letters) {
    const Collective& collective = story.collective;
    if (!collective.promises()) return fmt::format("{} B", size_of(packets));
    if (collective.one_packet()) return "";
    if (is_result(collective, packets, story.topology().nodes())) return "result";
    const std::size_t room = letters > 2 ? letters - 2 : letters;
    if (!of_pairs(story)) return "{" + shortened(told_numbers(packets), room) + "}";
    const bool are_pairs = collective.operation == Operation::alltoall;
    std::string pairs = told_pairs(packets, are_pairs);
    if (pairs.size() > room) {
        std::string fewer = shortened(pairs, room);
        // A comma within braces is no place to cut at.
        pairs = std::ranges::count(fewer, '{') == std::ranges::count(fewer, '}') && fewer.size() <= letters
                    ? fewer
                    : fmt::format("{} packets", size_of(packets));
    }
    return times_of(pairs, are_pairs ? '>' : ':') <= 1 ? pairs : "{" + pairs + "}";
}

std::string held_label(const Story& story, NodeId v, const PacketSet& held, std::size_t letters) {
    const Collective& collective = story.collective;
    if (held.empty()) return "";
    if (!collective.scans()) return packets_label(story, held.blocks(), letters);
    PacketSet prefix = held;
    prefix.keep(collective.wanted(v, story.topology().nodes()));
    std::string text = "[" + shortened(told_numbers(prefix.blocks()), letters) + "]";
    if (prefix.size() != held.size()) text += " " + packets_label(story, held.blocks(), letters);
    return text;
}

bool has_labels(const Story& story) { return story.collective.promises() && !story.collective.one_packet(); }

std::string json_string(std::string_view text) {
    std::string quoted =
        nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    for (std::size_t at = quoted.find('<'); at != std::string::npos; at = quoted.find('<', at))
        quoted.replace(at, 1, "\\u003c");
    return quoted;
}

std::string escaped(std::string_view text) {
    // The library that writes JSON knows what is UTF-8.
    const std::string valid = nlohmann::json::parse(
        nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    std::string out;
    for (const char c : valid) switch (c) {
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '&': out += "&amp;"; break;
            case '"': out += "&quot;"; break;
            case '\'': out += "&#39;"; break;
            default: out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c;
        }
    return out;
}

double text_width(std::string_view text, double size) {
    double width = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte & 0xC0U) == 0x80U) continue;  // belongs to the letter before
        if (byte >= 0xE0U)
            width += 1.0;
        else if (std::string_view("iljI.,:;|!'() ").find(c) != std::string_view::npos)
            width += 0.36;
        else if (std::string_view("mwMW@%").find(c) != std::string_view::npos)
            width += 0.98;
        else if (c >= 'A' && c <= 'Z')
            width += 0.72;
        else
            width += 0.636;
    }
    return width * size;
}

}  // namespace kport
