/// @file gml.cpp   GML: graph [ node [ id 0 label "a" ] edge [ source 0 target 1 weight 3 ] ].
/// Source    Himsolt, GML: a portable graph file format, 1997.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <boost/algorithm/string/replace.hpp>

#include "app/files/graphs/graph_forms.hpp"
#include "app/files/graphs/text_source.hpp"
#include "emulator/base/nearest.hpp"

namespace kport {
namespace {

class GmlReader {
  public:
    GmlReader(TextSource& text, GraphBuilder& into) : text_(text), into_(into) { into_.expect_declarations(); }

    void read() {
        while (const std::optional<Entry> entry = next(false)) {
            if (entry->key != "graph" || !entry->opens) {
                if (entry->opens) skip_list(entry->at);
                continue;
            }
            if (seen_) text_.refuse(entry->at, "a second graph; want one a file");
            seen_ = true;
            read_graph(entry->at);
        }
        if (!seen_) text_.refuse("no 'graph [' in it; want one");
    }

  private:
    /// A key and its value, or the begin of a list.
    struct Entry {
        std::string key;
        std::string value;
        bool opens = false;
        bool is_text = false;  ///< the value stands in quotes
        TextPlace at;
    };

    void read_graph(const TextPlace& begin) {
        while (const std::optional<Entry> entry = next(true, begin)) {
            if (entry->key == "directed" && entry->value == "1") into_.require_undirected("the graph", entry->at);
            if (entry->key == "node" && entry->opens)
                read_node(entry->at);
            else if (entry->key == "edge" && entry->opens)
                read_edge(entry->at);
            else if (entry->opens)
                skip_list(entry->at);
        }
    }

    void read_node(const TextPlace& begin) {
        std::optional<std::string> id;
        attributes_.clear();
        while (std::optional<Entry> entry = next(true, begin)) {
            if (entry->opens)
                skip_list(entry->at);
            else if (entry->key == "id")
                id = std::move(entry->value);
            else
                attributes_.emplace_back(std::move(entry->key), std::move(entry->value));
        }
        if (!id) text_.refuse(begin, "a node without id; want 'node [ id 0 ]'");
        const std::uint32_t node = into_.declare(*id, begin);
        for (const auto& [key, value] : attributes_) {
            if (key == "label") into_.call(GraphBuilder::Called::label, node, value, begin);
            if (key == "name") into_.call(GraphBuilder::Called::name, node, value, begin);
            into_.node_attribute(node, key, value);
        }
    }

    void read_edge(const TextPlace& begin) {
        std::optional<std::string> source;
        std::optional<std::string> target;
        attributes_.clear();
        while (std::optional<Entry> entry = next(true, begin)) {
            if (entry->opens)
                skip_list(entry->at);
            else if (entry->key == "source")
                source = std::move(entry->value);
            else if (entry->key == "target")
                target = std::move(entry->value);
            else if (!entry->is_text && entry->key != "id" && entry->key != "key")
                attributes_.emplace_back(std::move(entry->key), std::move(entry->value));
        }
        if (!source || !target)
            text_.refuse(begin, "an edge without source or target; want 'edge [ source 0 target 1 ]'");
        const std::uint32_t node = into_.node(*source, begin);
        into_.link(node, into_.node(*target, begin), begin);
        for (const auto& [key, value] : attributes_) into_.set(key, value);
    }

    void skip_list(const TextPlace& begin) {
        for (std::uint64_t depth = 1; depth > 0;) {
            const std::optional<Entry> entry = next(true, begin);
            depth = !entry ? depth - 1 : entry->opens ? depth + 1 : depth;
        }
    }

    /// The next key and value; nothing at the end of the list, or of the text outside of all lists.
    [[nodiscard]] std::optional<Entry> next(bool in_list, const TextPlace& begin = {}) {
        skip_space();
        Entry entry;
        entry.at = text_.place();
        const int c = text_.peek();
        if (c == TextSource::end_of_text) {
            if (in_list) text_.refuse(begin, "a list without an end; want ']'");
            return std::nullopt;
        }
        if (c == ']') {
            if (!in_list) text_.refuse(entry.at, "']' without '['");
            (void)text_.get();
            return std::nullopt;
        }
        entry.key = word();
        if (!is_key(entry.key)) text_.refuse(entry.at, fmt::format("{}; want a key such as node", quoted(entry.key)));
        skip_space();
        const TextPlace of_value = text_.place();
        if (text_.peek() == '[') {
            (void)text_.get();
            entry.opens = true;
        } else if (text_.peek() == '"') {
            entry.value = quoted_text(of_value);
            entry.is_text = true;
        } else {
            entry.value = word();
            if (entry.value.empty()) text_.refuse(of_value, fmt::format("{} has no value", quoted(entry.key)));
        }
        return entry;
    }

    [[nodiscard]] static bool is_key(std::string_view word) {
        const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
        return !word.empty() && is_letter(word.front());
    }

    void skip_space() {
        for (int c = text_.peek(); is_blank(c) || c == '\n' || c == '#'; c = text_.peek()) {
            if (c == '#')
                text_.skip_line();
            else
                (void)text_.get();
        }
    }

    /// Up to white space or a bracket.
    [[nodiscard]] std::string word() {
        std::string found;
        const TextPlace at = text_.place();
        for (int c = text_.peek(); c != TextSource::end_of_text && !is_blank(c) && c != '\n' && c != '[' && c != ']';
             c = text_.peek()) {
            if (found.size() == TextSource::word_max)
                text_.refuse(at, fmt::format("a word of more than {} bytes", TextSource::word_max));
            found += static_cast<char>(text_.get());
        }
        return found;
    }

    [[nodiscard]] std::string quoted_text(const TextPlace& at) {
        constexpr std::size_t bytes_most = std::size_t{1} << 20;
        (void)text_.get();
        std::string found;
        for (int c = text_.get(); c != '"'; c = text_.get()) {
            if (c == TextSource::end_of_text) text_.refuse(at, "a text in quotes without an end; want '\"'");
            if (found.size() == bytes_most) text_.refuse(at, fmt::format("a text of more than {} bytes", bytes_most));
            found += static_cast<char>(c);
        }
        return found.find('&') == std::string::npos ? found : without_entities(found);
    }

    /// "&quot;", "&amp;", "&#246;"
    [[nodiscard]] static std::string without_entities(std::string_view text) {
        constexpr std::array<std::pair<std::string_view, char>, 5> known = {
            {{"quot", '"'}, {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"apos", '\''}}};
        std::string plain;
        for (std::size_t at = 0; at < text.size(); ++at) {
            const std::size_t end = text[at] == '&' ? text.find(';', at) : std::string_view::npos;
            const std::string_view name = end == std::string_view::npos ? "" : text.substr(at + 1, end - at - 1);
            const auto entity = std::ranges::find(known, name, &std::pair<std::string_view, char>::first);
            std::uint32_t code = 0;
            const bool number =
                name.starts_with('#') &&
                std::from_chars(name.data() + 1, name.data() + name.size(), code).ptr == name.data() + name.size();
            if (entity != known.end() && !name.empty())
                plain += entity->second;
            else if (number && code > 0)
                plain += utf8_of(code);
            else
                plain += text[at];
            if ((entity != known.end() && !name.empty()) || (number && code > 0)) at = end;
        }
        return plain;
    }

    TextSource& text_;
    GraphBuilder& into_;
    bool seen_ = false;
    std::vector<std::pair<std::string, std::string>> attributes_;  ///< of a node or an edge
};

std::string in_gml(std::string_view text) {
    std::string escaped = boost::algorithm::replace_all_copy(std::string(text), "&", "&amp;");
    boost::algorithm::replace_all(escaped, "\"", "&quot;");
    return escaped;
}

/// A name that GML takes as a key: letters and digits.
std::string key_of(std::string_view name) {
    std::string key;
    for (const char c : name) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (letter || (c >= '0' && c <= '9' && !key.empty())) key += c;
    }
    return key.empty() ? "value" : key;
}

}  // namespace

void read_gml(TextSource& text, GraphBuilder& into) { GmlReader(text, into).read(); }

void write_gml(std::ostream& out, const GraphToWrite& file) {
    const Topology& graph = file.graph;
    out << "graph [\n";
    for (NodeId v = 0; v < graph.nodes(); ++v) {
        fmt::print(out, "  node [ id {}", v);
        if (const std::string label = graph.label(v); !label.empty()) fmt::print(out, " label \"{}\"", in_gml(label));
        out << (v < file.hosts() ? " ]\n" : " kind \"switch\" ]\n");
    }
    for_each_written_link(file, [&](NodeId v, NodeId w, std::size_t link) {
        fmt::print(out, "  edge [ source {} target {}", v, w);
        file.for_each_attribute(
            link, [&](const std::string& name, double value) { fmt::print(out, " {} {}", key_of(name), value); });
        out << " ]\n";
    });
    out << "]\n";
}

}  // namespace kport
