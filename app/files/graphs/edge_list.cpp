/// @file edge_list.cpp   Lists of links: two names a line, with a weight or more columns.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <boost/algorithm/string/case_conv.hpp>
#include <boost/algorithm/string/predicate.hpp>

#include "app/files/graphs/graph_forms.hpp"
#include "app/files/graphs/line_fields.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {
namespace {

constexpr std::string_view for_neighbours = "lists of neighbours: --format adjlist";
constexpr std::string_view a_link = "want two names a line and perhaps a weight, such as '0 1'";

class EdgeListReader {
  public:
    EdgeListReader(TextSource& text, GraphBuilder& into)
        : text_(text), into_(into), fields_(whole_lines(text), separator_wanted(into.options())) {}

    void read() {
        while (text_.peek() != TextSource::end_of_text) {
            const TextPlace begin = text_.place();
            const std::string_view raw = text_.line();
            const std::optional<std::string_view> line = line_of_table(raw);
            if (!line) {
                read_comment(raw, begin);
                continue;
            }
            at_ = {begin.line, begin.column + static_cast<std::uint32_t>(line->data() - raw.data())};
            const auto fields = fields_.apart(*line);
            if (!fields) text_.refuse(at_, "this line does not stand in brackets, and those before it do");
            std::span<const Field> read = *fields;
            for (std::size_t i = 2; i < read.size(); ++i)
                if (fields_.separator() == Separator::blanks && !read[i].quoted && read[i].text.starts_with('#'))
                    read = read.first(i);  // a comment at the end of the line
            if (lone_sign_)
                text_.refuse(*lone_sign_,
                             "a line '#' between others, as in TGF (nodes, '#', links), which is not read; want a list "
                             "of links");
            if (++lines_ > 1 || !took_header(read)) read_link(read);
        }
        settle_header();
        if (lines_ > 0 && all_keys_)
            text_.refuse(
                fmt::format("every line begins with a word and a colon, such as {}: text of 'key: value', and "
                            "no list of links",
                            quoted(first_word_)));
        into_.set_layout(name(fields_.separator()), header_);
    }

  private:
    using Field = LineFields::Field;
    /// What stands in a column behind the names.
    struct Column {
        enum class Holds : std::uint8_t { source, target, direction, attribute, nothing } holds;
        std::string name;
    };

    [[nodiscard]] static std::string_view whole_lines(TextSource& text) {
        constexpr std::size_t looked_at = std::size_t{1} << 18;
        const std::string_view ahead = text.ahead(looked_at);
        return ahead.size() < looked_at ? ahead : ahead.substr(0, ahead.rfind('\n') + 1);
    }
    [[nodiscard]] static std::optional<Separator> separator_wanted(const GraphOptions& options) {
        return options.separator.empty() ? std::nullopt : std::optional(separator_named(options.separator));
    }

    [[nodiscard]] TextPlace place(const Field& field) const {
        return {at_.line, at_.column + static_cast<std::uint32_t>(field.column)};
    }

    // ---- comments

    /// "# nodes N directed 0|1" and "# switches A B ...", as write_edge_list() writes them; any other comment is ignored.
    void read_comment(std::string_view line, const TextPlace& at) {
        const std::size_t begin = line.find_first_not_of(" \t");
        if (begin == std::string_view::npos || line[begin] != '#') return;
        if (lines_ > 0 && line.find_first_not_of(" \t\r", begin + 1) == std::string_view::npos) lone_sign_ = at;
        LineFields words({}, Separator::blanks);
        const std::string_view comment = line.substr(begin + 1);
        const std::span<const Field> fields = *words.apart(comment);
        if (fields.empty()) return;
        const auto place_of = [&](const Field& field) {
            return TextPlace{at.line, at.column + static_cast<std::uint32_t>(begin + 1 + field.column)};
        };
        if (fields[0].text == "switches")
            for (const Field& field : fields.subspan(1)) into_.switch_named(field.text, place_of(field));
        if (boost::istarts_with(comment, " directed graph"))
            into_.note(fmt::format("line {} says that the graph is directed; each line is read as a link", at.line));
        if (fields.size() != 4 || fields[0].text != "nodes" || fields[2].text != "directed") return;
        const auto nodes = to_count(fields[1].text);
        if (!nodes) return;
        if (fields[3].text == "1") into_.require_undirected("the graph", place_of(fields[3]));
        into_.say_nodes(*nodes, place_of(fields[1]));
    }

    // ---- the header

    /// Whether the first line is a header for certain, and no link.
    [[nodiscard]] bool took_header(std::span<const Field> fields) {
        first_word_ = std::string(fields[0].text);
        const std::optional<bool> wanted = into_.options().header;
        if (wanted == false) return false;
        const bool counts = fields.size() <= 2 && std::ranges::all_of(fields, [](const Field& field) {
                                return !field.quoted && to_count(field.text).has_value();
                            });
        first_line_ = counts ? FirstLine::counts : FirstLine::names;
        if (counts && (wanted || fields.size() == 1)) {
            if (!wanted) {
                counted_nodes_ = to_count(fields[0].text);
                counted_at_ = at_;
            }
            into_.note(
                fmt::format("the first line is a header: {}", counted(to_count(fields[0].text).value_or(0), "node")));
        } else if (!counts && (wanted || names_columns(fields))) {
            name_columns(fields);
            if (!wanted)
                for (const Field& field : fields.first(2)) header_words_.emplace_back(field.text);
            into_.note("the first line is a header, which names the columns");
        } else {
            return false;
        }
        first_line_ = FirstLine::link;
        header_ = true;
        return true;
    }

    [[nodiscard]] static Column column_called(std::string_view word) {
        const std::string name = boost::algorithm::to_lower_copy(std::string(word));
        if (has_word("source from node1 u src", name)) return {Column::Holds::source, {}};
        if (has_word("target to node2 v dst", name)) return {Column::Holds::target, {}};
        if (name == "type") return {Column::Holds::direction, {}};
        if (name == "id" || name == "label") return {Column::Holds::nothing, {}};
        return {Column::Holds::attribute, std::string(word)};
    }

    /// Whether the words name two columns for the ends of a link, as headers do.
    [[nodiscard]] static bool names_columns(std::span<const Field> fields) {
        const auto has = [&](Column::Holds what) {
            return std::ranges::count_if(fields, [&](const Field& f) { return column_called(f.text).holds == what; }) ==
                   1;
        };
        return has(Column::Holds::source) && has(Column::Holds::target);
    }

    void name_columns(std::span<const Field> fields) {
        for (const Field& field : fields) columns_.push_back(column_called(field.text));
        if (names_columns(fields)) return;
        if (columns_.size() < 2) text_.refuse(at_, "a header of one word; want names of two columns at least");
        columns_[0].holds = Column::Holds::source;  // other words
        columns_[1].holds = Column::Holds::target;
        for (std::size_t i = 2; i < columns_.size(); ++i)
            if (columns_[i].holds == Column::Holds::source || columns_[i].holds == Column::Holds::target)
                columns_[i] = {Column::Holds::attribute, std::string(fields[i].text)};
    }

    /// Decides, after the last line, whether the first one was a header.
    void settle_header() {
        constexpr std::string_view remedy = "want --header yes or --header no";
        for (const std::string& word : header_words_)
            if (into_.knows(word))
                text_.refuse(fmt::format("the first line is a header, or a link, since {} names a node, too; {}",
                                         quoted(word), remedy));
        if (counted_nodes_ && *counted_nodes_ != into_.nodes())
            text_.refuse(counted_at_, fmt::format("one name, and no header, since {} nodes follow; {}; lists of "
                                                  "neighbours: --format adjlist",
                                                  into_.nodes(), a_link));
        if (first_line_ == FirstLine::link || lines_ < 2) return;
        const bool names_a_node = first_again_[0] && first_again_[1];
        if (first_line_ == FirstLine::names) {
            if (first_is_plain_ && !first_again_[0] && !first_again_[1] && others_are_counts_)
                text_.refuse(fmt::format(
                    "the first line is a header, or a link between nodes that no other line names; {}", remedy));
            return;
        }
        const bool same = first_nodes_[0] == first_nodes_[1];
        const std::uint64_t only_there = (first_again_[0] ? 0U : 1U) + (first_again_[1] || same ? 0U : 1U);
        if (lines_ - 1 != first_counts_[1] || into_.nodes() - only_there != first_counts_[0]) return;
        if (names_a_node)
            text_.refuse(
                fmt::format("the first line, '{0} {1}', is a header for {0} nodes and {1} links, or a link; {2}",
                            first_counts_[0], first_counts_[1], remedy));
        into_.forget_first_link(first_nodes_, first_again_);
        into_.note(fmt::format("the first line is a header: {}, {}", counted(first_counts_[0], "node"),
                               counted(first_counts_[1], "link")));
        header_ = true;
    }

    // ---- links

    void read_link(std::span<const Field> fields) {
        all_keys_ = all_keys_ && !fields[0].quoted && fields[0].text.size() > 1 && fields[0].text.ends_with(':');
        if (!columns_.empty()) return read_columns(fields);
        if (lines_ == 1 && fields.size() > 2) read_sign_of_first(fields);
        if (!sign_.empty()) {
            if (fields.size() < 3 || fields[1].text != sign_)
                text_.refuse(at_,
                             fmt::format("no {} between two names; want it in every line, or in none", quoted(sign_)));
            ends_ = {fields[0], fields[2]};
            if (sign_.starts_with("<") && !sign_.ends_with(">")) std::swap(ends_[0], ends_[1]);
            rest_.assign(fields.begin() + 3, fields.end());
        } else {
            if (fields.size() < 2) text_.refuse(at_, fmt::format("one name; {}; {}", a_link, for_neighbours));
            ends_ = {fields[0], fields[1]};
            rest_.assign(fields.begin() + 2, fields.end());
        }
        if (rest_.size() > 1 && is_weight(rest_[0]))
            text_.refuse(place(rest_[1]),
                         fmt::format("a word too many, {}; {}; more columns need a header (source,target,weight); {}",
                                     quoted(rest_[1].text), a_link, for_neighbours));
        add(ends_[0], ends_[1]);
        if (!rest_.empty()) read_third(rest_[0]);
    }

    void read_sign_of_first(std::span<const Field> fields) {
        const std::string_view sign = fields[1].quoted ? std::string_view() : fields[1].text;
        if (!has_word("-> --> => <- <-- -- - <-> <-->", sign) || sign.empty()) return;
        sign_ = std::string(sign);
        const bool both = sign.starts_with("<") == sign.ends_with(">");
        if (!both) into_.require_undirected(fmt::format("{}", quoted(sign)), place(fields[1]));
    }

    [[nodiscard]] static bool is_dictionary(const Field& field) {
        return !field.quoted && field.text.starts_with('{') && field.text.ends_with('}');
    }
    [[nodiscard]] static bool is_weight(const Field& field) {
        return field.text.empty() || is_dictionary(field) || (!field.quoted && number_in(field.text).has_value());
    }

    void read_third(const Field& field) {
        const auto number = field.quoted ? std::nullopt : number_in(field.text);
        if (number) {
            if (!weight_) weight_ = into_.attribute("weight");
            into_.set(*weight_, *number);
        } else if (is_dictionary(field)) {
            read_dictionary(field.text.substr(1, field.text.size() - 2));
        } else if (!field.text.empty()) {
            text_.refuse(place(field), fmt::format("a third word, {}, which is no weight; {}; {}", quoted(field.text),
                                                   a_link, for_neighbours));
        }
    }

    /// {'weight': 4, 'colour': 'red'}, as NetworkX writes data of links.
    void read_dictionary(std::string_view text) {
        const std::optional<std::span<const Field>> entries = entries_.apart(text);
        for (const Field& entry : entries.value_or(std::span<const Field>())) {
            const bool quoted_key = entry.text.starts_with('\'') || entry.text.starts_with('"');
            const std::size_t key_end = quoted_key ? entry.text.find(entry.text.front(), 1) : 0;
            const std::size_t colon = entry.text.find(':', key_end);
            if (colon == std::string_view::npos) continue;
            const std::string_view key = entry.text.substr(quoted_key ? 1 : 0, quoted_key ? key_end - 1 : colon);
            const std::string_view value =
                entry.text.substr(std::min(entry.text.find_first_not_of(' ', colon + 1), entry.text.size()));
            into_.set(key, value);
        }
    }

    void read_columns(std::span<const Field> fields) {
        if (fields.size() > columns_.size())
            text_.refuse(place(fields[columns_.size()]),
                         fmt::format("{} fields, and the header has {}", fields.size(), columns_.size()));
        const Field* source = nullptr;
        const Field* target = nullptr;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            if (columns_[i].holds == Column::Holds::source) source = &fields[i];
            if (columns_[i].holds == Column::Holds::target) target = &fields[i];
            if (columns_[i].holds == Column::Holds::direction && boost::iequals(fields[i].text, "directed"))
                into_.require_undirected("a link of type 'Directed'", place(fields[i]));
        }
        if (source == nullptr || target == nullptr)
            text_.refuse(at_, "the line ends before the names of two nodes; want all columns of the header");
        add(*source, *target);
        for (std::size_t i = 0; i < fields.size(); ++i)
            if (columns_[i].holds == Column::Holds::attribute && !fields[i].text.empty())
                into_.set(columns_[i].name, fields[i].text);
    }

    void add(const Field& source, const Field& target) {
        const std::uint32_t a = node(source);
        const std::uint32_t b = node(target);
        into_.link(a, b, at_);
        if (first_line_ == FirstLine::link) return;
        if (lines_ == 1) {
            first_nodes_ = {a, b};
            first_counts_ = {to_count(source.text).value_or(0), to_count(target.text).value_or(0)};
            first_is_plain_ = !to_count(source.text) && !to_count(target.text);
            return;
        }
        for (std::size_t i = 0; i < 2; ++i) first_again_[i] |= a == first_nodes_[i] || b == first_nodes_[i];
        if (others_are_counts_ && first_is_plain_) others_are_counts_ = to_count(source.text) && to_count(target.text);
    }

    [[nodiscard]] std::uint32_t node(const Field& field) {
        if (fields_.separator() == Separator::blanks && field.ends_with_separator())
            text_.refuse(place(field),
                         fmt::format("{} ends with {}, and not every line has one; want one separator in the "
                                     "whole file, or --separator",
                                     quoted(field.text), quoted(field.text.substr(field.text.size() - 1))));
        return into_.node(field.text, place(field));
    }

    /// What the first line may be besides a link.
    enum class FirstLine : std::uint8_t { link, counts, names };

    TextSource& text_;
    GraphBuilder& into_;
    LineFields fields_;
    LineFields entries_{{}, Separator::comma};
    TextPlace at_;                        ///< of the line
    std::optional<TextPlace> lone_sign_;  ///< a comment of nothing behind the first line
    std::uint64_t lines_ = 0;
    std::array<Field, 2> ends_{};
    std::vector<Field> rest_;
    std::string sign_;  ///< "->" between the names of every line
    std::optional<std::size_t> weight_;
    std::vector<Column> columns_;
    std::vector<std::string> header_words_;
    bool header_ = false;
    bool all_keys_ = true;
    std::string first_word_;
    FirstLine first_line_ = FirstLine::link;
    std::array<std::uint32_t, 2> first_nodes_{};
    std::array<std::uint64_t, 2> first_counts_{};
    std::array<bool, 2> first_again_{};
    bool first_is_plain_ = false;
    bool others_are_counts_ = true;
    std::optional<std::uint64_t> counted_nodes_;
    TextPlace counted_at_;
};

}  // namespace

void read_edge_list(TextSource& text, GraphBuilder& into) { EdgeListReader(text, into).read(); }

void write_edge_list(std::ostream& out, const GraphToWrite& file) {
    const Topology& graph = file.graph;
    fmt::print(out, "# nodes {} directed 0\n", graph.nodes());
    if (file.hosts() < graph.nodes()) {
        out << "# switches";
        for (NodeId v = file.hosts(); v < graph.nodes(); ++v) fmt::print(out, " {}", v);
        out << '\n';
    }
    write_labels(out, graph, '#', 0);
    for_each_written_link(file, [&](NodeId v, NodeId w, std::size_t) { fmt::print(out, "{} {}\n", v, w); });
}

void write_labels(std::ostream& out, const Topology& graph, char comment, NodeId first) {
    for (NodeId v = 0; v < graph.nodes(); ++v)
        if (const std::string label = graph.label(v); !label.empty() && label != fmt::to_string(v + first))
            fmt::print(out, "{} {} {}\n", comment, v + first, label);
}

}  // namespace kport
