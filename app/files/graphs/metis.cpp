/// @file metis.cpp   The graph files of METIS: "N M", then a line of neighbours for each node, counted from 1.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "app/files/graphs/graph_forms.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {
namespace {

/// To a line that is no comment; false at the end of the text.
bool at_metis_line(TextSource& text) {
    while (text.peek() == '%') text.skip_line();
    return text.peek() != TextSource::end_of_text;
}

std::uint64_t metis_count(TextSource& text, std::string_view what) {
    text.skip_blanks();
    const TextPlace at = text.place();
    if (text.at_line_end()) text.refuse(at, fmt::format("{} is missing", what));
    const std::string_view word = text.word();
    const auto count = to_count(word);
    if (!count) text.refuse(at, fmt::format("{} is {}; want a whole number", what, quoted(word)));
    return *count;
}

/// "N M [fmt]"; gives N and M.
std::pair<std::uint64_t, std::uint64_t> read_metis_header(TextSource& text, GraphBuilder& into) {
    if (!at_metis_line(text)) text.refuse("it has no nodes; want a line 'N M' and then a line for each node");
    const TextPlace at = text.place();
    const std::uint64_t nodes = metis_count(text, "the number of nodes");
    const std::uint64_t links = metis_count(text, "the number of links");
    into.set_nodes(nodes, at);
    text.skip_blanks();
    if (!text.at_line_end()) {
        const TextPlace weights = text.place();
        const std::string_view form = text.word();
        if (!std::ranges::all_of(form, [](char c) { return c == '0'; }))
            text.refuse(weights,
                        fmt::format("{} after the numbers of nodes and links says that there are weights; want "
                                    "no weights, 'N M' or 'N M 0'",
                                    quoted(form)));
        text.skip_blanks();
        if (!text.at_line_end()) text.refuse(text.place(), "one word too many; want 'N M' or 'N M 0'");
    }
    text.skip_line();
    return {nodes, links};
}

void read_metis_list(TextSource& text, GraphBuilder& into, std::uint32_t v, std::uint64_t nodes) {
    const TextPlace begin = text.place();
    text.skip_blanks();
    if (text.at_line_end() && nodes > 1)
        text.refuse(begin, fmt::format("node {} has no links; want a connected graph", v + 1));
    for (; !text.at_line_end(); text.skip_blanks()) {
        const TextPlace at = text.place();
        const std::uint64_t w = metis_count(text, "a neighbour");
        if (w == 0 || w > nodes) text.refuse(at, fmt::format("node {} is not there; want 1 to {}", w, nodes));
        into.arc(v, static_cast<std::uint32_t>(w - 1), at);
    }
    text.skip_line();
}

}  // namespace

void read_metis(TextSource& text, GraphBuilder& into) {
    const auto [nodes, links] = read_metis_header(text, into);
    for (std::uint64_t v = 0; v < nodes; ++v) {
        if (!at_metis_line(text))
            text.refuse(text.place(),
                        fmt::format("the text ends after the lists of {} of {}", v, counted(nodes, "node")));
        read_metis_list(text, into, static_cast<std::uint32_t>(v), nodes);
    }
    for (; at_metis_line(text); text.skip_line()) {
        text.skip_blanks();
        if (!text.at_line_end())
            text.refuse(text.place(), fmt::format("one more line than there are nodes; want {}", nodes));
    }
    if (into.arcs() % 2 == 0 && into.arcs() / 2 != links)
        text.refuse(fmt::format("{} at its beginning, and its lists have {}", counted(links, "link"), into.arcs() / 2));
}

void write_metis(std::ostream& out, const Topology& graph) {
    write_labels(out, graph, '%', 1);
    fmt::print(out, "{} {}\n", graph.nodes(), graph.channels() / 2);
    std::vector<NodeId> neighbours;
    for (NodeId v = 0; v < graph.nodes(); ++v) {
        neighbours.clear();
        for_each_neighbour(graph, v, [&](NodeId w) { neighbours.push_back(w + 1); });
        std::ranges::sort(neighbours);
        fmt::print(out, "{}\n", fmt::join(neighbours, " "));
    }
}

}  // namespace kport
