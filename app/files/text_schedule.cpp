#include "app/files/text_schedule.hpp"

#include <algorithm>
#include <array>
#include <ostream>

#include <fmt/format.h>

#include "app/files/transfer_words.hpp"
#include "emulator/base/error.hpp"
#include "emulator/base/nearest.hpp"

namespace kport {

namespace {

class TextReader {
  public:
    TextReader(std::istream& in, const std::string& name, const ScheduleContext& context)
        : lines_(in, fmt::format("schedule {}", quoted(name))), writing_(lines_, context) {}

    ToldSchedule read() {
        while (lines_.next()) {
            LineCursor cursor(lines_);
            if (at_end(cursor)) continue;
            if (!writing_.took_header(cursor)) read_round(cursor);
            if (!at_end(cursor)) cursor.refuse_here("", "the end of the line");
        }
        return writing_.take();
    }

  private:
    [[nodiscard]] static bool at_end(LineCursor& cursor) { return cursor.at_end() || cursor.peek() == '#'; }

    void read_round(LineCursor& cursor) {
        const bool many = cursor.take_word("rounds");
        if (many || cursor.take_word("round")) {
            const std::size_t column = (void(cursor.at_end()), cursor.column());
            const std::uint64_t first = cursor.number("a round", 1, ScheduleWriting::round_max);
            std::uint64_t last = first;
            if (many) {
                if (!cursor.take("..")) cursor.want("-", "the first round");
                last = cursor.number("a round behind the first", first, ScheduleWriting::round_max);
            }
            cursor.want(":", "the round");
            if (cursor.take_word("silent")) return writing_.add_silent(column, first, last);
            if (many) cursor.refuse_here("", "'silent': transfers stand in a round of their own");
            writing_.begin_round(column, first);
        } else if (writing_.round() == 0) {
            cursor.refuse_here(
                "", "'round 1: 0 -> 1', or before it 'on TOPOLOGY' and an operation such as 'scatter from 0'");
        }
        while (!at_end(cursor)) {
            read_transfer(cursor);
            if (!cursor.take(",")) break;
        }
    }

    void read_transfer(LineCursor& cursor) {
        const LineCursor begin = cursor;
        const NodeId from = writing_.node(cursor);
        const bool both_ways = cursor.take("<->");
        if (!both_ways) cursor.want("->", "the sender");
        const NodeId to = writing_.node(cursor);
        via_.clear();
        if (cursor.take_word("via"))
            while (!at_end(cursor) && cursor.peek() != '{' && cursor.peek() != ',')
                via_.push_back(writing_.node(cursor));
        const bool has_packets = cursor.take("{");
        if (has_packets && both_ways)
            cursor.refuse(fmt::format("which packets go which way? want two transfers, {} -> {} {{4}}, {} -> {} {{5}}",
                                      from, to, to, from));
        if (has_packets) {
            writing_.read_packets(cursor, "}");
            cursor.want("}", "the packets");
        }
        writing_.add(begin, from, to, via_, has_packets);
        if (!both_ways) return;
        std::ranges::reverse(via_);
        writing_.add(begin, to, from, via_, false);
    }

    Lines lines_;
    ScheduleWriting writing_;
    std::vector<NodeId> via_;
};

class CsvReader {
  public:
    CsvReader(std::istream& in, const std::string& name, const ScheduleContext& context)
        : lines_(in, fmt::format("schedule {}", quoted(name))), writing_(lines_, context) {}

    ToldSchedule read() {
        bool named = false;
        while (lines_.next()) {
            LineCursor cursor(lines_);
            if (cursor.at_end()) continue;
            if (cursor.take("#")) {
                (void)writing_.took_header(cursor);
            } else if (!named) {
                read_names(cursor);
                named = true;
            } else {
                read_line(cursor);
            }
        }
        if (!named) lines_.refuse("has no line of names; want round,from,to,packets,via");
        return writing_.take();
    }

  private:
    enum class Column : std::uint8_t { round, from, to, packets, via };
    static constexpr std::array<std::string_view, 5> names{"round", "from", "to", "packets", "via"};

    void read_names(LineCursor& cursor) {
        for (bool more = true; more; more = cursor.take(",")) {
            const auto column =
                std::ranges::find_if(names, [&](std::string_view name) { return cursor.take_word(name); });
            if (column == names.end()) cursor.refuse_here("", "a line of names: round,from,to,packets,via");
            const auto found = static_cast<Column>(column - names.begin());
            if (std::ranges::find(columns_, found) != columns_.end())
                cursor.refuse(fmt::format("a second column '{}'; want each once", *column));
            columns_.push_back(found);
        }
        if (!cursor.at_end()) cursor.refuse_here("", "a comma or the end of the line");
        for (const Column needed : {Column::round, Column::from, Column::to})
            if (std::ranges::find(columns_, needed) == columns_.end())
                cursor.refuse(fmt::format("no column '{}'; want round,from,to,packets,via",
                                          names[static_cast<std::size_t>(needed)]));
    }

    /// A field may be in double quotes; then commas are part of it.
    void read_line(LineCursor& cursor) {
        const LineCursor begin = cursor;
        NodeId from = 0;
        NodeId to = 0;
        bool has_packets = false;
        via_.clear();
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (i != 0) cursor.want(",", fmt::format("column {}", i));
            const Column column = columns_[i];
            const bool in_quotes = column == Column::packets && cursor.take("\"");
            const std::string_view ends = in_quotes ? "\"" : ",";
            const bool empty = cursor.at_end() || ends.find(cursor.peek()) != std::string_view::npos;
            switch (column) {
                case Column::round:
                    writing_.begin_round(cursor.column(), cursor.number("a round", 1, ScheduleWriting::round_max));
                    break;
                case Column::from: from = read_node(cursor); break;
                case Column::to: to = read_node(cursor); break;
                case Column::packets:
                    has_packets = !empty;
                    if (!empty) writing_.read_packets(cursor, ends);
                    break;
                case Column::via: read_way(cursor);
            }
            if (in_quotes) cursor.want("\"", "the field");
        }
        if (!cursor.at_end()) cursor.refuse_here("", "the end of the line: it has more fields than the line of names");
        writing_.add(begin, from, to, via_, has_packets);
    }

    /// A field in quotes holds what stands in a text schedule, or a name alone.
    [[nodiscard]] NodeId read_node(LineCursor& cursor) {
        const std::size_t column = (void(cursor.at_end()), cursor.column());
        return cursor.peek() == '"' ? writing_.node(quoted_name(cursor), column) : writing_.node(cursor);
    }

    void read_way(LineCursor& cursor) {
        (void)cursor.at_end();
        const bool in_quotes = cursor.peek() == '"';
        const std::string field = in_quotes ? quoted_name(cursor) : std::string(cursor.until(","));
        for (LineCursor nodes(field, lines_.what(), lines_.number()); !nodes.at_end();)
            via_.push_back(writing_.node(nodes));
    }

    Lines lines_;
    ScheduleWriting writing_;
    std::vector<Column> columns_;
    std::vector<NodeId> via_;
};

/// The nodes with blanks between them.
std::string in_words(const std::vector<NodeId>& nodes, const NodeWords& words) {
    std::string text;
    for (const NodeId v : nodes) text += (text.empty() ? "" : " ") + words(v);
    return text;
}

std::string transfer_in_words(const Transfer& transfer, const ToldSchedule& told, const NodeWords& words) {
    std::string text = fmt::format("{} -> {}", words(transfer.from), words(transfer.to));
    const std::vector<NodeId> way = way_in_words(transfer, *told.topology);
    if (!way.empty()) text += fmt::format(" via {}", in_words(way, words));
    const bool goes_without_saying =
        told.collective.one_packet() && transfer.packets.size() == 1 && transfer.packets.front() == PacketBlock{};
    if (!goes_without_saying) text += fmt::format(" {{{}}}", packets_in_words(transfer.packets, told));
    return text;
}

}  // namespace

bool begins_text_schedule(std::string_view head) {
    const auto is_word = [&](std::string_view word) {
        return head.starts_with(word) && head.size() > word.size() &&
               (head[word.size()] == ' ' || head[word.size()] == '\n');
    };
    if (is_word("on") || is_word("with") || is_word("in-runs") || is_word("unfolded") || is_word("sizes") ||
        is_word("counts") || is_word("members") || is_word("packets") || is_word("round") || is_word("rounds") ||
        is_word("none"))
        return true;
    const std::size_t end = head.find_first_of(" \n");
    return end != std::string_view::npos && operation_meant(head.substr(0, end)).has_value();
}

ToldSchedule read_text_schedule(std::istream& in, const std::string& name, const ScheduleContext& context) {
    return TextReader(in, name, context).read();
}

namespace {

/// Looks for the line "with ..." in the lines above the rounds, all of which begin with `sign`.
std::string options_in_lines(std::string_view head, std::string_view sign) {
    for (std::string_view line : split(head, '\n')) {
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        if (!line.starts_with(sign)) continue;
        line.remove_prefix(sign.size());
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        const std::string_view word = line.substr(0, line.find_first_of(" \t:"));
        if (word == "round" || word == "rounds") return {};
        std::string options = word == word_of_options ? trimmed_options(line.substr(word.size())) : "";
        if (options.starts_with(sign_of_options)) return options;
    }
    return {};
}

}  // namespace

std::string options_in_text(std::string_view head) { return options_in_lines(head, ""); }

std::string options_in_csv(std::string_view head) { return options_in_lines(head, "#"); }

void write_text_schedule(std::ostream& out, const ToldSchedule& told) {
    constexpr std::size_t line_width = 100;
    const NodeWords words(*told.topology);
    for (const std::string& line : header_in_words(told, &words)) out << line << '\n';
    const Schedule& schedule = told.schedule;
    auto silence = schedule.silences().begin();
    std::string line;
    Round round = 0;
    const auto end_line = [&] {
        if (!line.empty()) out << line << '\n';
    };
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const std::string transfer = transfer_in_words(schedule.transfer(i), told, words);
        if (schedule.round(i) != round) {
            end_line();
            round = schedule.round(i);
            for (; silence != schedule.silences().end() && silence->first < round; ++silence)
                out << (silence->count == 1 ? fmt::format("round {}: silent\n", silence->first)
                                            : fmt::format("rounds {}..{}: silent\n", silence->first,
                                                          silence->first + silence->count - 1));
            line = fmt::format("round {}: {}", round, transfer);
        } else if (line.size() + transfer.size() + 2 > line_width) {
            out << line << ",\n";
            line = "    " + transfer;
        } else {
            line += ", " + transfer;
        }
    }
    end_line();
}

bool begins_csv_schedule(std::string_view head) {
    const std::string_view line = head.substr(0, head.find('\n'));
    return line.find("from") != std::string_view::npos && line.find(',') != std::string_view::npos &&
           line.find("to") != std::string_view::npos && line.find("->") == std::string_view::npos;
}

ToldSchedule read_csv_schedule(std::istream& in, const std::string& name, const ScheduleContext& context) {
    return CsvReader(in, name, context).read();
}

void write_csv_schedule(std::ostream& out, const ToldSchedule& told) {
    if (!told.schedule.silences().empty())
        throw RequestError("CSV cannot say that rounds are silent on purpose; text and JSON can");
    const NodeWords words(*told.topology);
    // Names stand in quotes, and the field that holds them in quotes of CSV.
    const auto field = [&](const std::string& nodes) { return words.has_names() ? in_double_quotes(nodes) : nodes; };
    for (const std::string& line : header_in_words(told, &words)) out << "# " << line << '\n';
    out << "round,from,to,packets,via\n";
    for (std::size_t i = 0; i < told.schedule.size(); ++i) {
        const Transfer transfer = told.schedule.transfer(i);
        const std::vector<NodeId> way = way_in_words(transfer, *told.topology);
        out << fmt::format("{},{},{},\"{}\",{}\n", told.schedule.round(i), field(words(transfer.from)),
                           field(words(transfer.to)), packets_in_words(transfer.packets, told),
                           way.empty() ? "" : field(in_words(way, words)));
    }
}

}  // namespace kport
