/// @file graph6.cpp   graph6: the adjacency matrix as bits, six a printable byte.
/// Source    McKay, Description of graph6, sparse6 and digraph6 encodings (formats.txt of nauty).
#include <array>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "app/files/graphs/graph_forms.hpp"
#include "emulator/base/error.hpp"

namespace kport {
namespace {

constexpr std::string_view graph6_header = ">>graph6<<";
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
    if (text.ahead(graph6_header.size()) == graph6_header)
        for (std::size_t i = 0; i < graph6_header.size(); ++i) (void)text.get();
    const TextPlace begin = text.place();
    if (const int c = text.peek(); c == ':' || c == ';' || c == '&')
        text.refuse(begin, c == '&' ? "digraph6, a directed graph; want graph6" : "sparse6; want graph6");
    const std::uint64_t nodes = read_size(text);
    into.set_nodes(nodes, begin);
    std::uint64_t bits = 0;
    int left = 0;
    TextPlace at = begin;
    for (std::uint64_t w = 1; w < nodes; ++w)
        for (std::uint64_t v = 0; v < w; ++v) {
            if (left == 0) {
                at = text.place();
                bits = sextet(text);
                left = 6;
            }
            --left;
            if ((bits >> left & 1U) != 0) into.link(static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(w), at);
        }
    if ((bits & ((std::uint64_t{1} << left) - 1)) != 0)
        text.refuse(at, "bits after the last pair of nodes; want zeros");
    for (; text.peek() != TextSource::end_of_text; text.skip_line()) {
        text.skip_blanks();
        if (!text.at_line_end()) text.refuse(text.place(), "more than one graph; want one a file");
    }
}

void write_graph6(std::ostream& out, const Topology& graph) {
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
