/// @file dot.cpp   Graphviz' DOT: nodes, links, sets of nodes; labels and kinds of nodes, numbers of links.
/// Source    graphviz.org/doc/info/lang.html
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include "app/files/graphs/dot_words.hpp"
#include "app/files/graphs/graph_forms.hpp"

namespace kport {
namespace {

class DotReader {
  public:
    DotReader(TextSource& text, GraphBuilder& into) : words_(text), into_(into) {}

    void read() {
        if (words_.now().is_keyword("strict")) {
            (void)words_.take();
            into_.merge_repetitions();
        }
        if (words_.now().is_keyword("digraph"))
            into_.require_undirected("a digraph", words_.now().at);
        else if (!words_.now().is_keyword("graph"))
            words_.refuse_now("'graph NAME {'");
        (void)words_.take();
        if (words_.now().is_id()) (void)words_.take();
        if (!words_.take_sign("{")) words_.refuse_now("'{'");
        (void)read_statements({});
        if (words_.now().kind != DotWords::Kind::end) words_.refuse_now("nothing after the graph, one graph a file");
    }

  private:
    using Attributes = std::map<std::string, DotWords::Word, std::less<>>;
    /// What nodes and links have that do not say otherwise.
    struct Defaults {
        Attributes of_nodes;
        Attributes of_links;
    };
    using Nodes = std::vector<std::uint32_t>;

    /// Up to '}'; returns the nodes that they name.
    Nodes read_statements(Defaults defaults) {
        constexpr int depth_most = 256;
        if (++depth_ > depth_most)
            words_.refuse(words_.now().at, fmt::format("more than {} subgraphs deep", depth_most));
        Nodes nodes;
        while (!words_.take_sign("}")) read_statement(defaults, nodes);
        --depth_;
        std::ranges::sort(nodes);
        const auto repeated = std::ranges::unique(nodes);
        nodes.erase(repeated.begin(), repeated.end());
        return nodes;
    }

    void read_statement(Defaults& defaults, Nodes& nodes) {
        if (words_.take_sign(";")) return;
        for (const auto& [keyword, of] : {std::pair<std::string_view, Attributes*>{"graph", nullptr},
                                          {"node", &defaults.of_nodes},
                                          {"edge", &defaults.of_links}}) {
            if (!words_.now().is_keyword(keyword)) continue;
            (void)words_.take();
            Attributes given = attributes();
            if (of != nullptr)
                for (auto& [name, value] : given) (*of)[name] = std::move(value);
            return;
        }
        if (at_subgraph()) {
            read_links(read_subgraph(defaults), defaults, nodes);
            return;
        }
        const DotWords::Word first = id("a node, a link or '}'");
        if (words_.take_sign("=")) {  // an attribute of the graph
            (void)id("a value");
            return;
        }
        const std::uint32_t node = node_of(first, defaults);
        if (words_.now().is("--") || words_.now().is("->")) {
            read_links({node}, defaults, nodes);
        } else {
            nodes.push_back(node);
            for (const auto& [name, value] : attributes())
                if (name == "label")
                    give_label(node, value);
                else
                    into_.node_attribute(node, name, value.text);
        }
    }

    /// "-- b -- {c d} [...]" behind a first node or set of nodes.
    void read_links(Nodes first, const Defaults& defaults, Nodes& nodes) {
        std::vector<Nodes> chain{std::move(first)};
        const TextPlace at = words_.now().at;
        while (words_.now().is("--") || words_.now().is("->")) {
            const DotWords::Word sign = words_.take();
            if (sign.text == "->") into_.require_undirected("'->'", sign.at);
            chain.push_back(at_subgraph() ? read_subgraph(defaults) : Nodes{node_of(id("a node"), defaults)});
        }
        Attributes given = attributes();
        for (const auto& [name, value] : defaults.of_links) given.emplace(name, value);
        for (std::size_t i = 1; i < chain.size(); ++i)
            for (const std::uint32_t a : chain[i - 1])
                for (const std::uint32_t b : chain[i]) {
                    into_.link(a, b, at);
                    for (const auto& [name, value] : given)
                        if (value.kind != DotWords::Kind::html) into_.set(name, value.text);
                }
        for (const Nodes& set : chain) nodes.insert(nodes.end(), set.begin(), set.end());
    }

    [[nodiscard]] bool at_subgraph() const { return words_.now().is("{") || words_.now().is_keyword("subgraph"); }

    /// "{...}", "subgraph NAME {...}", or "subgraph NAME" again.
    Nodes read_subgraph(const Defaults& defaults) {
        std::string name;
        if (words_.now().is_keyword("subgraph")) {
            (void)words_.take();
            if (words_.now().is_id()) name = words_.take().text;
        }
        if (const auto known = subgraphs_.find(name); known != subgraphs_.end() && !words_.now().is("{"))
            return known->second;
        if (!words_.take_sign("{")) words_.refuse_now("'{'");
        Nodes nodes = read_statements(defaults);
        if (!name.empty()) {
            Nodes& all = subgraphs_[name];
            all.insert(all.end(), nodes.begin(), nodes.end());
        }
        return nodes;
    }

    /// "a:port:n" is the node a.
    [[nodiscard]] std::uint32_t node_of(const DotWords::Word& word, const Defaults& defaults) {
        const std::uint64_t known = into_.nodes();
        const std::uint32_t node = into_.node(word.text, word.at);
        if (into_.nodes() > known)
            for (const auto& [name, value] : defaults.of_nodes) into_.node_attribute(node, name, value.text);
        while (words_.take_sign(":")) (void)id("a port");
        return node;
    }

    DotWords::Word id(std::string_view wanted) {
        if (!words_.now().is_id()) words_.refuse_now(wanted);
        DotWords::Word word = words_.take();
        while (word.kind == DotWords::Kind::quoted_id && words_.take_sign("+")) {
            if (words_.now().kind != DotWords::Kind::quoted_id) words_.refuse_now("a text in quotes after '+'");
            word.text += words_.take().text;
        }
        return word;
    }

    /// Any number of "[a=b, c=d]".
    Attributes attributes() {
        Attributes all;
        while (words_.take_sign("[")) {
            while (!words_.take_sign("]")) {
                const DotWords::Word name = id("an attribute or ']'");
                if (words_.take_sign("=")) all[name.text] = id("a value");
                if (!words_.take_sign(",")) (void)words_.take_sign(";");
            }
        }
        return all;
    }

    /// In a label \N is the node's name, \n \l \r end a line, and \\ is a backslash. HTML is no name.
    void give_label(std::uint32_t node, const DotWords::Word& label) {
        if (label.kind == DotWords::Kind::html) return;
        std::string text;
        for (std::size_t i = 0; i < label.text.size(); ++i) {
            const char c = label.text[i];
            if (c != '\\' || i + 1 == label.text.size()) {
                text += c;
                continue;
            }
            const char escaped = label.text[++i];
            if (escaped == 'N' || escaped == 'G') return;  // not a name of its own
            text += escaped == 'n' || escaped == 'l' || escaped == 'r' ? ' ' : escaped;
        }
        into_.call(GraphBuilder::Called::label, node, text, label.at);
    }

    DotWords words_;
    GraphBuilder& into_;
    std::map<std::string, Nodes, std::less<>> subgraphs_;  ///< by name
    int depth_ = 0;
};

std::string in_dot_quotes(std::string_view text) {
    std::string word = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') word += '\\';
        word += c;
    }
    return word + '"';
}

}  // namespace

void read_dot(TextSource& text, GraphBuilder& into) { DotReader(text, into).read(); }

void write_dot(std::ostream& out, const GraphToWrite& file) {
    const Topology& graph = file.graph;
    fmt::print(out, "graph {} {{\n", in_dot_quotes(graph.spec()));
    for (NodeId v = 0; v < graph.nodes(); ++v) {
        const std::string label = graph.label(v);
        std::vector<std::string> attributes;
        if (!label.empty()) attributes.push_back("label=" + in_dot_quotes(label));
        if (v >= file.hosts()) attributes.emplace_back("kind=switch");
        if (!attributes.empty())
            fmt::print(out, "  {} [{}];\n", v, fmt::join(attributes, ", "));
        else if (graph.nodes() == 1)
            fmt::print(out, "  {};\n", v);
    }
    for_each_written_link(file, [&](NodeId v, NodeId w, std::size_t link) {
        std::vector<std::string> attributes;
        file.for_each_attribute(link, [&](const std::string& name, double value) {
            attributes.push_back(fmt::format("{}={}", in_dot_quotes(name), value));
        });
        fmt::print(out, "  {} -- {}", v, w);
        if (!attributes.empty()) fmt::print(out, " [{}]", fmt::join(attributes, ", "));
        out << ";\n";
    });
    fmt::print(out, "}}\n");
}

}  // namespace kport
