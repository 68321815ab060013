/// @file edge_list.cpp   Two names a line; '#' begins a comment.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "app/files/graphs/graph_forms.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {
namespace {

constexpr std::string_view two_names = "want two names a line, such as '0 1'; links have no weights";

/// "# nodes N directed 0|1", as write_edge_list() writes it; any other comment says nothing.
void read_comment(TextSource& text, GraphBuilder& into) {
    (void)text.get();
    const auto next = [&] {
        text.skip_blanks();
        return text.word();
    };
    if (next() != "nodes") return;
    text.skip_blanks();
    const TextPlace said = text.place();
    const auto nodes = to_count(text.word());
    if (!nodes || next() != "directed") return;
    const TextPlace at = text.place();
    const std::string_view directed = next();
    if (directed == "1") text.refuse(at, "the graph is directed; want undirected links");
    if (directed == "0") into.say_nodes(*nodes, said);
}

}  // namespace

void read_edge_list(TextSource& text, GraphBuilder& into) {
    for (; text.peek() != TextSource::end_of_text; text.skip_line()) {
        text.skip_blanks();
        if (text.peek() == '#') {
            read_comment(text, into);
            continue;
        }
        if (text.at_line_end()) continue;
        const TextPlace at = text.place();
        const std::uint32_t a = into.node(text.word(), at);
        text.skip_blanks();
        if (text.at_line_end()) text.refuse(at, fmt::format("one name; {}", two_names));
        const TextPlace other = text.place();
        const std::uint32_t b = into.node(text.word(), other);
        into.link(a, b, at);
        text.skip_blanks();
        if (text.at_line_end() || text.peek() == '#') continue;
        const TextPlace third = text.place();
        text.refuse(third, fmt::format("a third word, {}; {}", quoted(text.word()), two_names));
    }
}

void write_edge_list(std::ostream& out, const Topology& graph) {
    fmt::print(out, "# nodes {} directed 0\n", graph.nodes());
    write_labels(out, graph, '#', 0);
    for_each_link(graph, [&](NodeId v, NodeId w) { fmt::print(out, "{} {}\n", v, w); });
}

void write_labels(std::ostream& out, const Topology& graph, char comment, NodeId first) {
    for (NodeId v = 0; v < graph.nodes(); ++v)
        if (const std::string label = graph.label(v); !label.empty())
            fmt::print(out, "{} {} {}\n", comment, v + first, label);
}

}  // namespace kport
