#include "app/pictures/labels.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "emulator/base/numbers.hpp"
#include "emulator/schedule/packet_space.hpp"
#include "emulator/schedule/pair_packets.hpp"

namespace kport {
namespace {

/// Larger sets are printed by block.
constexpr std::uint64_t told_one_by_one = 4096;

bool of_pairs(const Story& story) {
    const Collective& collective = story.collective;
    return collective.operation->packets(collective, story.topology().nodes()).rows > 1;
}

void append(std::string& text, std::string_view more) { text += (text.empty() ? "" : ",") + std::string(more); }

/// Returns ascending numbers in short form: "0..7", "1,3,..,15", "2,5".
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

std::string in_braces_if_many(const std::vector<std::uint64_t>& numbers) {
    return numbers.size() == 1 ? told(numbers) : "{" + told(numbers) + "}";
}

/// Names of packets that have two numbers, as in files: in an alltoall sender>receiver, else the packets of a node,
/// node:packet; results of segments "result:0..1".
class PairNames {
  public:
    /// `held`: for what a node holds, not a message. All contributions to a segment are then its result.
    PairNames(const Story& story, bool held)
        : pairs_(has_pairs(story.collective.operation)), folds_(story.collective.folds()), held_(held),
          nodes_(story.topology().nodes()),
          rows_(story.collective.operation->packets(story.collective, story.topology().nodes()).rows) {}

    /// Sets that are printed one by one are grouped by equal rows: "{0,1}>{2,3}".
    [[nodiscard]] std::string of(std::span<const PacketBlock> packets) const {
        return size_of(packets) <= told_one_by_one ? of_rows(packets) : of_blocks(packets);
    }

  private:
    [[nodiscard]] bool are_result(std::uint64_t first, std::uint64_t count) const {
        return folds_ && (first == nodes_ || (held_ && count == nodes_));
    }
    [[nodiscard]] std::string named(std::string_view rows, std::string_view columns) const {
        return pairs_ ? fmt::format("{}>{}", rows, columns) : fmt::format("{}:{}", columns, rows);
    }
    /// Returns the name of `count` results from the first to the last; their names if they are no range.
    [[nodiscard]] std::string result_of(std::uint64_t count, std::uint64_t first, std::uint64_t last,
                                        std::string_view names) const {
        if (count == rows_) return "result";
        if (count > 1 && last - first + 1 == count) return fmt::format("result:{}..{}", first, last);
        return fmt::format("result:{}", names);
    }

    /// Results come first, so that they are not cut off if space is short.
    [[nodiscard]] std::string of_rows(std::span<const PacketBlock> packets) const {
        std::map<std::uint64_t, std::vector<std::uint64_t>> columns_of_row;
        for (const PacketBlock& block : packets)
            for (const std::uint64_t row : members(block.all_rows()))
                for (const std::uint64_t column : members(block.columns())) columns_of_row[row].push_back(column);
        std::vector<std::uint64_t> results;
        std::map<std::vector<std::uint64_t>, std::vector<std::uint64_t>> rows_of_columns;
        for (auto& [row, columns] : columns_of_row) {
            std::ranges::sort(columns);
            (are_result(columns.front(), columns.size()) ? results : rows_of_columns[columns]).push_back(row);
        }
        std::map<std::uint64_t, std::string> by_first_row;
        for (const auto& [columns, rows] : rows_of_columns)
            by_first_row[rows.front()] = named(in_braces_if_many(rows), in_braces_if_many(columns));
        std::string text;
        if (!results.empty())
            text = result_of(results.size(), results.front(), results.back(), in_braces_if_many(results));
        for (const auto& [row, words] : by_first_row) append(text, words);
        return text;
    }
    [[nodiscard]] std::string of_blocks(std::span<const PacketBlock> packets) const {
        std::string text;
        for (const PacketBlock& block : packets) {
            const std::string rows = in_braces_if_many(block.all_rows());
            append(text, are_result(block.first, block.count)
                             ? result_of(block.rows, block.row, block.all_rows().last(), rows)
                             : named(rows, in_braces_if_many(block.columns())));
        }
        return text;
    }

    bool pairs_;
    bool folds_;
    bool held_;
    NodeId nodes_;
    std::uint64_t rows_;
};

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

/// Returns the last comma outside braces at this position or before it.
std::size_t comma_between(std::string_view text, std::size_t last) {
    std::size_t found = std::string_view::npos;
    std::size_t open = 0;
    for (std::size_t i = 0; i < text.size() && i <= last; ++i) {
        open += text[i] == '{' ? 1U : 0U;
        open -= text[i] == '}' ? 1U : 0U;
        if (text[i] == ',' && open == 0) found = i;
    }
    return found;
}

/// Cuts the text after a whole name; returns all of it if there is no space for the first.
std::string shortened(std::string text, std::size_t letters) {
    constexpr std::string_view dots = ",...";
    if (text.size() <= letters) return text;
    const std::size_t comma = comma_between(text, letters > dots.size() ? letters - dots.size() : 0);
    if (comma == std::string::npos) return text;
    text.resize(comma);
    return text.append(dots);
}

/// Returns the amount, if the names do not fit: in reductions a segment counts once, whatever its contributions.
std::string amount(const Story& story, std::span<const PacketBlock> packets) {
    const std::uint64_t segments = story.collective.segments(story.topology().nodes());
    return segments > 1 ? counted(segments_in(packets, segments), "segment") : counted(size_of(packets), "packet");
}

std::string label_of(const Story& story, std::span<const PacketBlock> packets, std::size_t letters, bool held) {
    const Collective& collective = story.collective;
    if (!collective.promises()) return fmt::format("{} B", size_of(packets));
    if (collective.one_packet()) return "";
    const std::size_t room = letters > 2 ? letters - 2 : letters;
    if (!of_pairs(story)) {
        if (packets.size() == 1 && is_result(collective, packets.front(), story.topology().nodes())) return "result";
        return "{" + shortened(told_numbers(packets), room) + "}";
    }
    const std::string names = shortened(PairNames(story, held).of(packets), room);
    if (names.size() > letters) return amount(story, packets);
    return comma_between(names, names.size()) == std::string::npos ? names : "{" + names + "}";
}

}  // namespace

std::string packets_label(const Story& story, std::span<const PacketBlock> packets, std::size_t letters) {
    return label_of(story, packets, letters, false);
}

std::string held_label(const Story& story, NodeId v, const PacketSet& held, std::size_t letters) {
    const Collective& collective = story.collective;
    if (held.empty()) return "";
    if (!collective.scans()) return label_of(story, held.blocks(), letters, true);
    PacketSet prefix = held;
    prefix.keep(collective.wanted(v, story.topology().nodes()));
    std::string text = "[" + shortened(told_numbers(prefix.blocks()), letters) + "]";
    if (prefix.size() != held.size()) text += " " + label_of(story, held.blocks(), letters, true);
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
    // The JSON library validates UTF-8.
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
        if ((byte & 0xC0U) == 0x80U) continue;  // a continuation byte
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
