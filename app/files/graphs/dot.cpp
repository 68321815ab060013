/// @file dot.cpp   Graphviz' DOT: undirected graphs, without subgraphs and HTML; of the attributes only the nodes' labels.
#include <optional>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "app/files/graphs/dot_words.hpp"
#include "app/files/graphs/graph_forms.hpp"

namespace kport {
namespace {

class DotReader {
  public:
    DotReader(TextSource& text, GraphBuilder& into) : words_(text), into_(into) {}

    void read() {
        if (words_.now().is_keyword("strict")) (void)words_.take();
        if (words_.now().is_keyword("digraph"))
            words_.refuse(words_.now().at, "a digraph is directed; want 'graph' and links '--'");
        if (!words_.now().is_keyword("graph")) words_.refuse_now("'graph NAME {'");
        (void)words_.take();
        if (words_.now().is_id()) (void)words_.take();
        if (!words_.take_sign("{")) words_.refuse_now("'{'");
        while (!words_.take_sign("}")) read_statement();
        if (words_.now().kind != DotWords::Kind::end) words_.refuse_now("nothing after the graph, one graph a file");
    }

  private:
    void read_statement() {
        if (words_.take_sign(";")) return;
        refuse_subgraph();
        if (words_.now().is_keyword("graph") || words_.now().is_keyword("node") || words_.now().is_keyword("edge")) {
            (void)words_.take();
            (void)attributes();
            return;
        }
        const DotWords::Word first = id("a node, a link or '}'");
        if (words_.take_sign("=")) {  // an attribute of the graph
            (void)id("a value");
            return;
        }
        read_links(first);
    }

    /// "a -- b -- c [...]", or a node alone.
    void read_links(const DotWords::Word& first) {
        std::uint32_t before = into_.node(first.text, first.at);
        skip_port();
        bool alone = true;
        for (; words_.now().is("--") || words_.now().is("->"); alone = false) {
            const DotWords::Word sign = words_.take();
            if (sign.text == "->") words_.refuse(sign.at, "'->' is a directed link; want '--'");
            refuse_subgraph();
            const DotWords::Word other = id("a node");
            const std::uint32_t node = into_.node(other.text, other.at);
            skip_port();
            into_.link(before, node, other.at);
            before = node;
        }
        const std::optional<DotWords::Word> label = attributes();
        if (alone && label) give_label(before, *label);
    }

    void refuse_subgraph() const {
        if (words_.now().is("{") || words_.now().is_keyword("subgraph"))
            words_.refuse(words_.now().at, "a subgraph is not read; want nodes and links alone");
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

    /// "a:port:n" is the node a.
    void skip_port() {
        while (words_.take_sign(":")) (void)id("a port");
    }

    /// Any number of "[a=b, c=d]"; gives the label.
    std::optional<DotWords::Word> attributes() {
        std::optional<DotWords::Word> label;
        while (words_.take_sign("[")) {
            while (!words_.take_sign("]")) {
                const DotWords::Word name = id("an attribute or ']'");
                if (words_.take_sign("=")) {
                    DotWords::Word value = id("a value");
                    if (name.text == "label") label = std::move(value);
                }
                if (!words_.take_sign(",")) (void)words_.take_sign(";");
            }
        }
        return label;
    }

    /// In a label \N is the node's name, \n \l \r end a line, and \\ is a backslash.
    void give_label(std::uint32_t node, const DotWords::Word& label) {
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
        into_.label(node, text, label.at);
    }

    DotWords words_;
    GraphBuilder& into_;
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

void write_dot(std::ostream& out, const Topology& graph) {
    fmt::print(out, "graph {} {{\n", in_dot_quotes(graph.spec()));
    for (NodeId v = 0; v < graph.nodes(); ++v)
        if (const std::string label = graph.label(v); !label.empty())
            fmt::print(out, "  {} [label={}];\n", v, in_dot_quotes(label));
        else if (graph.nodes() == 1)
            fmt::print(out, "  {};\n", v);
    for_each_link(graph, [&](NodeId v, NodeId w) { fmt::print(out, "  {} -- {};\n", v, w); });
    fmt::print(out, "}}\n");
}

}  // namespace kport
