/// @file matrix_market.cpp   Matrix Market: the adjacency matrix as coordinates, counted from 1.
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <boost/algorithm/string/predicate.hpp>

#include "app/files/graphs/graph_forms.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {
namespace {

constexpr std::string_view banner = "%%MatrixMarket matrix coordinate pattern symmetric";

/// Reads the first line; true if the matrix is stored whole, false if only one half is.
bool read_banner(TextSource& text) {
    bool whole = false;
    for (const std::string_view wanted : split(banner, ' ')) {
        text.skip_blanks();
        const TextPlace at = text.place();
        const std::string_view word = text.word();
        if (boost::iequals(word, wanted)) continue;
        if (wanted == "symmetric" && boost::iequals(word, "general"))
            whole = true;
        else if (wanted == "pattern" && (boost::iequals(word, "integer") || boost::iequals(word, "real")))
            text.refuse(at, fmt::format("the matrix is {}: links have no weights; want 'pattern'", quoted(word)));
        else
            text.refuse(at, fmt::format("{}; want {} ('{}')", quoted(word), quoted(wanted), banner));
    }
    text.skip_line();
    return whole;
}

/// To a line that is neither comment nor blank; false at the end.
bool at_matrix_line(TextSource& text) {
    for (; text.peek() != TextSource::end_of_text; text.skip_line()) {
        text.skip_blanks();
        if (text.peek() != '%' && !text.at_line_end()) return true;
    }
    return false;
}

std::uint64_t matrix_count(TextSource& text, std::string_view what, std::uint64_t least, std::uint64_t most) {
    text.skip_blanks();
    const TextPlace at = text.place();
    const std::string_view word = text.word();
    const auto count = to_count(word);
    if (!count || *count < least || *count > most)
        text.refuse(at, fmt::format("{} is {}; want a whole number from {} to {}", what, quoted(word), least, most));
    return *count;
}

void end_matrix_line(TextSource& text) {
    text.skip_blanks();
    if (!text.at_line_end()) text.refuse(text.place(), "one word too many in this line");
    text.skip_line();
}

}  // namespace

void read_matrix_market(TextSource& text, GraphBuilder& into) {
    const bool whole = read_banner(text);
    if (!at_matrix_line(text)) text.refuse(text.place(), "the text ends before the size; want 'rows columns entries'");
    const TextPlace size = text.place();
    const std::uint64_t nodes = matrix_count(text, "the number of rows", 0, count_max);
    const std::uint64_t columns = matrix_count(text, "the number of columns", 0, count_max);
    const std::uint64_t entries = matrix_count(text, "the number of entries", 0, count_max);
    end_matrix_line(text);
    if (columns != nodes)
        text.refuse(size, fmt::format("{} rows and {} columns; want a square matrix", nodes, columns));
    into.set_nodes(nodes, size);
    std::uint64_t read = 0;
    for (; at_matrix_line(text); ++read) {
        const TextPlace at = text.place();
        if (read == entries) text.refuse(at, fmt::format("more entries than {}, which its size says", entries));
        const auto a = static_cast<std::uint32_t>(matrix_count(text, "the row", 1, nodes) - 1);
        const auto b = static_cast<std::uint32_t>(matrix_count(text, "the column", 1, nodes) - 1);
        end_matrix_line(text);
        if (whole)
            into.arc(a, b, at);
        else
            into.link(a, b, at);
    }
    if (read < entries) text.refuse(text.place(), fmt::format("the text ends after {} of {} entries", read, entries));
}

void write_matrix_market(std::ostream& out, const Topology& graph) {
    fmt::print(out, "{}\n", banner);
    write_labels(out, graph, '%', 1);
    fmt::print(out, "{0} {0} {1}\n", graph.nodes(), graph.channels() / 2);
    for_each_link(graph, [&](NodeId v, NodeId w) { fmt::print(out, "{} {}\n", w + 1, v + 1); });
}

}  // namespace kport
