/// @file matrix_market.cpp   Matrix Market: the adjacency matrix as coordinates, counted from 1, or as an array.
/// Source    math.nist.gov/MatrixMarket/formats.html
#include <array>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <boost/algorithm/string/case_conv.hpp>

#include "app/files/graphs/graph_forms.hpp"
#include "app/files/graphs/text_source.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {
namespace {

class MatrixMarketReader {
  public:
    MatrixMarketReader(TextSource& text, GraphBuilder& into) : text_(text), into_(into) {}

    void read() {
        read_banner();
        if (!at_line_of(text_, '%'))
            text_.refuse(text_.place(), "the text ends before the size; want 'rows columns entries'");
        const TextPlace size = text_.place();
        nodes_ = read_count(text_, "the number of rows", 0, count_max);
        const std::uint64_t columns = read_count(text_, "the number of columns", 0, count_max);
        const std::uint64_t entries = array_ ? 0 : read_count(text_, "the number of entries", 0, count_max);
        end_line(text_);
        if (columns != nodes_)
            text_.refuse(size, fmt::format("{} rows and {} columns; want a square matrix", nodes_, columns));
        into_.set_nodes(nodes_, size, 1);
        if (general_) into_.set_listing(Listing::as_matrix);
        if (!pattern_) weight_ = into_.attribute("weight");
        if (array_)
            read_array();
        else
            read_coordinates(entries);
    }

  private:
    /// "%%MatrixMarket matrix coordinate|array pattern|real|integer symmetric|general"
    void read_banner() {
        const auto one_of = [&](std::string_view words, std::string_view wanted) {
            text_.skip_blanks();
            const TextPlace at = text_.place();
            const std::string word = boost::algorithm::to_lower_copy(std::string(text_.word()));
            if (word == "complex")
                text_.refuse(at,
                             "a complex Matrix Market matrix is no graph with weights; want pattern, real or integer");
            if (word == "skew-symmetric" || word == "hermitian")
                into_.require_undirected(fmt::format("a {} matrix", word), at);
            else if (word.empty() || !has_word(words, word))
                text_.refuse(at, fmt::format("{}; want {} ('%%MatrixMarket matrix coordinate pattern symmetric')",
                                             quoted(word), wanted));
            return word;
        };
        (void)one_of("%%matrixmarket", "%%MatrixMarket");
        (void)one_of("matrix", "matrix");
        array_ = one_of("coordinate array", "coordinate or array") == "array";
        const TextPlace at = text_.place();
        pattern_ = one_of("pattern real integer double", "pattern, real or integer") == "pattern";
        if (array_ && pattern_) text_.refuse(at, "an array of no values; want real or integer");
        general_ = one_of("symmetric general", "symmetric or general") == "general";
        text_.skip_line();
    }

    void read_coordinates(std::uint64_t entries) {
        std::uint64_t read = 0;
        for (; at_line_of(text_, '%'); ++read) {
            const TextPlace at = text_.place();
            if (read == entries) text_.refuse(at, fmt::format("more entries than {}, which its size says", entries));
            const auto a = static_cast<std::uint32_t>(read_count(text_, "the row", 1, nodes_) - 1);
            const auto b = static_cast<std::uint32_t>(read_count(text_, "the column", 1, nodes_) - 1);
            into_.link(a, b, at);
            if (!pattern_) into_.set(weight_, read_number(text_, "the value"));
            end_line(text_);
        }
        if (read < entries)
            text_.refuse(text_.place(), fmt::format("the text ends after {} of {} entries", read, entries));
    }

    /// Column after column; of a symmetric matrix from the diagonal on.
    void read_array() {
        for (std::uint32_t column = 0; column < nodes_; ++column)
            for (std::uint32_t row = general_ ? 0 : column; row < nodes_; ++row) {
                if (!at_line_of(text_, '%'))
                    text_.refuse(text_.place(),
                                 fmt::format("the text ends in column {}; want {} columns", column + 1, nodes_));
                const TextPlace at = text_.place();
                const double value = read_number(text_, "the value");
                end_line(text_);
                if (value == 0) continue;
                into_.link(row, column, at);
                into_.set(weight_, value);
            }
        if (at_line_of(text_, '%')) text_.refuse(text_.place(), "more values than the matrix has");
    }

    TextSource& text_;
    GraphBuilder& into_;
    std::uint64_t nodes_ = 0;
    bool array_ = false;
    bool pattern_ = false;
    bool general_ = false;
    std::size_t weight_ = 0;
};

}  // namespace

void read_matrix_market(TextSource& text, GraphBuilder& into) { MatrixMarketReader(text, into).read(); }

void write_matrix_market(std::ostream& out, const GraphToWrite& file) {
    const Topology& graph = file.graph;
    fmt::print(out, "%%MatrixMarket matrix coordinate pattern symmetric\n");
    write_labels(out, graph, '%', 1);
    fmt::print(out, "{0} {0} {1}\n", graph.nodes(), graph.channels() / 2);
    for_each_link(graph, [&](NodeId v, NodeId w) { fmt::print(out, "{} {}\n", w + 1, v + 1); });
}

}  // namespace kport
