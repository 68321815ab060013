/// @file metis.cpp   The graph files of METIS and Chaco: "N M [fmt [ncon]]", then a line of neighbours for each node, counted from 1.
/// Source    METIS manual, section 4.1.1: fmt has a digit each for sizes of nodes, weights of nodes, weights of links.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include "app/files/graphs/graph_forms.hpp"
#include "app/files/graphs/text_source.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {
namespace {

class MetisReader {
  public:
    MetisReader(TextSource& text, GraphBuilder& into) : text_(text), into_(into) {}

    void read() {
        into_.set_listing(Listing::both_ways);
        read_header();
        for (std::uint64_t v = 0; v < nodes_; ++v) {
            if (!at_line())
                text_.refuse(text_.place(),
                             fmt::format("the text ends after the lists of {} of {}", v, counted(nodes_, "node")));
            read_list(static_cast<std::uint32_t>(v));
        }
        for (; at_line(); text_.skip_line()) {
            text_.skip_blanks();
            if (!text_.at_line_end())
                text_.refuse(text_.place(), fmt::format("one more line than there are nodes; want {}", nodes_));
        }
        const std::uint64_t listed = into_.links() - into_.loops();
        if (listed % 2 == 0 && listed / 2 != links_ && listed / 2 + into_.loops() != links_)
            text_.refuse(
                fmt::format("{} at its beginning, and its lists have {}", counted(links_, "link"), listed / 2));
    }

  private:
    /// To a line that is no comment; false at the end of the text.
    [[nodiscard]] bool at_line() {
        while (text_.peek() == '%') text_.skip_line();
        return text_.peek() != TextSource::end_of_text;
    }

    void read_header() {
        if (!at_line()) text_.refuse("it has no nodes; want a line 'N M' and then a line for each node");
        const TextPlace at = text_.place();
        nodes_ = read_count(text_, "the number of nodes", 0, count_max);
        links_ = read_count(text_, "the number of links", 0, count_max);
        into_.set_nodes(nodes_, at, 1);
        text_.skip_blanks();
        if (!text_.at_line_end()) read_format();
        end_line(text_);
    }

    void read_format() {
        const TextPlace at = text_.place();
        const std::string_view format = text_.word();
        if (format.size() > 3 || !std::ranges::all_of(format, [](char c) { return c == '0' || c == '1'; }))
            text_.refuse(at,
                         fmt::format("{} after the numbers of nodes and links; want a format such as 0, 1, 11 or 100",
                                     quoted(format)));
        const auto digit = [&](std::size_t from_behind) {
            return format.size() > from_behind && format[format.size() - 1 - from_behind] == '1';
        };
        weighted_ = digit(0);
        before_ = digit(1) ? 1 : 0;
        text_.skip_blanks();
        constexpr std::uint64_t constraints_max = 1000;
        if (!text_.at_line_end()) {
            const std::uint64_t constraints = read_count(text_, "the number of weights of a node", 0, constraints_max);
            if (digit(1)) before_ = constraints;
        }
        if (digit(2)) ++before_;
        if (weighted_) weight_ = into_.attribute("weight");
    }

    void read_list(std::uint32_t v) {
        for (std::uint64_t i = 0; i < before_; ++i) (void)read_number(text_, "a weight of the node");
        for (text_.skip_blanks(); !text_.at_line_end(); text_.skip_blanks()) {
            const TextPlace at = text_.place();
            const std::uint64_t w = read_count(text_, "a neighbour", 0, count_max);
            if (w == 0 || w > nodes_) text_.refuse(at, fmt::format("node {} is not there; want 1 to {}", w, nodes_));
            into_.link(v, static_cast<std::uint32_t>(w - 1), at);
            if (weighted_) into_.set(weight_, read_number(text_, "the weight of a link"));
        }
        text_.skip_line();
    }

    TextSource& text_;
    GraphBuilder& into_;
    std::uint64_t nodes_ = 0;
    std::uint64_t links_ = 0;
    std::uint64_t before_ = 0;  ///< numbers before the neighbours
    bool weighted_ = false;
    std::size_t weight_ = 0;
};

}  // namespace

void read_metis(TextSource& text, GraphBuilder& into) { MetisReader(text, into).read(); }

void write_metis(std::ostream& out, const GraphToWrite& file) {
    const Topology& graph = file.graph;
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
