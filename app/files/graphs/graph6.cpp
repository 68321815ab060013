/// @file graph6.cpp   graph6 and digraph6: the adjacency matrix as bits, six a printable byte; sparse6: a list of links as bits.
/// Source    McKay, Description of graph6, sparse6 and digraph6 encodings (formats.txt of nauty).
#include <algorithm>
#include <bit>
#include <initializer_list>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "app/files/graphs/graph_forms.hpp"
#include "emulator/base/error.hpp"

namespace kport {
namespace {

constexpr int six_bits = 63;  // is added to six bits
constexpr int escape = 126;   // a longer number of nodes follows

/// Six bits.
std::uint64_t sextet(TextSource& text) {
    const int c = text.peek();
    if (c == TextSource::end_of_text || c == '\n' || c == '\r')
        text.refuse(text.place(),
                    "the text ends before the graph does; want six bits a byte, as many as the nodes take");
    if (c < six_bits || c > escape)
        text.refuse(text.place(), fmt::format("byte {} is none of graph6; want '?' to '~'", c));
    return static_cast<std::uint64_t>(text.get() - six_bits);
}

std::uint64_t sextets(TextSource& text, int number) {
    std::uint64_t value = 0;
    for (int i = 0; i < number; ++i) value = value << 6 | sextet(text);
    return value;
}

/// One byte, or '~' and three, or '~~' and six.
std::uint64_t read_size(TextSource& text) {
    const auto escaped = [&] {
        if (text.peek() != escape) return false;
        (void)text.get();
        return true;
    };
    if (!escaped()) return sextet(text);
    return escaped() ? sextets(text, 6) : sextets(text, 3);
}

/// The bits that follow, six a byte.
class SextetReader {
  public:
    explicit SextetReader(TextSource& text) : text_(text) {}

    [[nodiscard]] bool next() {
        if (left_ == 0) {
            bits_ = sextet(text_);
            left_ = 6;
        }
        --left_;
        return (bits_ >> left_ & 1U) != 0;
    }
    /// The bits of the last byte that were not asked for.
    [[nodiscard]] std::uint64_t rest() const { return bits_ & ((std::uint64_t{1} << left_) - 1); }
    /// Whether fewer than so many bits are left, at most 64.
    [[nodiscard]] bool at_end(int wanted) {
        const std::string_view ahead = text_.ahead(static_cast<std::size_t>(wanted + 5) / 6);
        const std::size_t bytes = std::min(ahead.find_first_of("\r\n"), ahead.size());
        return left_ + 6 * static_cast<int>(bytes) < wanted;
    }

  private:
    TextSource& text_;
    std::uint64_t bits_ = 0;
    int left_ = 0;
};

void skip_header(TextSource& text, std::initializer_list<std::string_view> headers) {
    for (const std::string_view header : headers)
        if (text.ahead(header.size()) == header)
            for (std::size_t i = 0; i < header.size(); ++i) (void)text.get();
}

/// Refuses what follows the graph.
void end_of_graph(TextSource& text) {
    if (!text.at_line_end() && text.peek() != '\r')
        text.refuse(text.place(), "more bytes than the graph takes; want one graph a line");
    std::uint64_t graphs = 1;
    for (; text.peek() != TextSource::end_of_text; text.skip_line()) {
        text.skip_blanks();
        if (!text.at_line_end()) ++graphs;
    }
    if (graphs > 1) text.refuse(fmt::format("it has {} graphs; want one graph a file", graphs));
}

/// Six bits a byte; the last ones are filled up with zeros.
class SextetWriter {
  public:
    explicit SextetWriter(std::ostream& out) : out_(out) {}

    void add(bool bit) {
        bits_ = bits_ << 1 | (bit ? 1U : 0U);
        if (++used_ == 6) end();
    }
    void add(std::uint64_t value, int bits) {
        for (int i = bits - 1; i >= 0; --i) add((value >> i & 1U) != 0);
    }
    void end() {
        if (used_ == 0) return;
        out_.put(static_cast<char>((bits_ << (6 - used_)) + six_bits));
        bits_ = 0;
        used_ = 0;
    }

  private:
    std::ostream& out_;
    unsigned bits_ = 0;
    int used_ = 0;
};

}  // namespace

void read_graph6(TextSource& text, GraphBuilder& into) {
    const TextPlace begin = text.place();
    skip_header(text, {">>graph6<<", ">>digraph6<<"});
    const bool directed = text.peek() == '&';
    if (directed) {
        (void)text.get();
        into.require_undirected("a digraph6 graph", begin);
    }
    const std::uint64_t nodes = read_size(text);
    into.set_nodes(nodes, begin, 0);
    SextetReader bits(text);
    TextPlace at = begin;
    const auto link = [&](std::uint64_t v, std::uint64_t w) {
        at = text.place();
        if (bits.next()) into.link(static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(w), at);
    };
    for (std::uint64_t w = directed ? 0 : 1; w < nodes; ++w)
        for (std::uint64_t v = 0; v < (directed ? nodes : w); ++v) directed ? link(w, v) : link(v, w);
    if (bits.rest() != 0) text.refuse(at, "bits after the last pair of nodes; want zeros");
    end_of_graph(text);
}

/// A step of one bit and of the bits of a node: 1 goes to the next node v; the node x, if it is greater than v, becomes v, else it is
/// linked to v.
void read_sparse6(TextSource& text, GraphBuilder& into) {
    const TextPlace begin = text.place();
    skip_header(text, {">>sparse6<<"});
    if (text.peek() == ';') text.refuse(begin, "incremental sparse6, which is a change of another graph; want ':'");
    if (text.get() != ':') text.refuse(begin, "no ':' at the begin of sparse6; want ':'");
    const std::uint64_t nodes = read_size(text);
    into.set_nodes(nodes, begin, 0);
    const auto node_bits = static_cast<int>(std::bit_width(nodes - 1));
    SextetReader bits(text);
    for (std::uint64_t v = 0; !bits.at_end(1 + node_bits);) {
        const TextPlace at = text.place();
        if (bits.next()) ++v;
        std::uint64_t x = 0;
        for (int i = 0; i < node_bits; ++i) x = x << 1 | (bits.next() ? 1U : 0U);
        if (v >= nodes || x >= nodes) break;  // what fills up the last byte
        if (x > v)
            v = x;
        else
            into.link(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(v), at);
    }
    end_of_graph(text);
}

void write_graph6(std::ostream& out, const GraphToWrite& file) {
    const Topology& graph = file.graph;
    constexpr NodeId nodes_most = NodeId{1} << 16;
    if (graph.nodes() > nodes_most)
        throw DoesNotFit(fmt::format("{}: graph6 takes a bit for each pair of {} nodes; here it has at most {} nodes",
                                     graph.spec(), graph.nodes(), nodes_most));
    SextetWriter write(out);
    constexpr NodeId short_below = escape - six_bits;
    if (graph.nodes() >= short_below) out.put(static_cast<char>(escape));
    write.add(graph.nodes(), graph.nodes() < short_below ? 6 : 18);
    std::vector<bool> row(graph.nodes());
    for (NodeId w = 0; w < graph.nodes(); ++w) {
        row.assign(graph.nodes(), false);
        for_each_neighbour(graph, w, [&](NodeId v) { row[v] = true; });
        for (NodeId v = 0; v < w; ++v) write.add(row[v]);
    }
    write.end();
    out.put('\n');
}

}  // namespace kport
