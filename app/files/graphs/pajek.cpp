/// @file pajek.cpp   Pajek's networks: "*Vertices N" with labels, then *Edges, *Edgeslist, *Arcs, *Arcslist or *Matrix.
/// Source    Pajek's reference manual, section 5.3.
#include <fmt/format.h>
#include <boost/algorithm/string/case_conv.hpp>
#include <boost/algorithm/string/predicate.hpp>

#include "app/files/graphs/graph_forms.hpp"
#include "app/files/graphs/line_fields.hpp"
#include "app/files/graphs/text_source.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {
namespace {

class PajekReader {
  public:
    PajekReader(TextSource& text, GraphBuilder& into) : text_(text), into_(into) {}

    void read() {
        while (at_line_of(text_, '%')) {
            if (text_.peek() == '*')
                begin_section();
            else
                read_line();
        }
        if (nodes_ == 0) text_.refuse("no line '*Vertices N' in it; want one");
        if (section_ == Section::matrix && row_ < nodes_)
            text_.refuse(fmt::format("the matrix ends after {} of {} rows", row_, nodes_));
        if (weight_) into_.drop_attribute_if_all_one(*weight_);
    }

  private:
    enum class Section : std::uint8_t { none, vertices, edges, edges_list, arcs, arcs_list, matrix };

    void begin_section() {
        const TextPlace at = text_.place();
        const std::string name = boost::algorithm::to_lower_copy(std::string(text_.word()));
        if (name == "*network") {
            section_ = Section::none;
        } else if (name == "*vertices") {
            if (nodes_ > 0) text_.refuse(at, "a second '*Vertices'; want one network a file");
            nodes_ = read_count(text_, "the number of vertices", 0, count_max);
            into_.set_nodes(nodes_, at, 1);
            section_ = Section::vertices;
        } else {
            section_ = name == "*edges"       ? Section::edges
                       : name == "*edgeslist" ? Section::edges_list
                       : name == "*arcs"      ? Section::arcs
                       : name == "*arcslist"  ? Section::arcs_list
                       : name == "*matrix"    ? Section::matrix
                                              : Section::none;
            if (section_ == Section::none)
                text_.refuse(at, fmt::format("{} is not read; want *Vertices, *Edges, *Edgeslist, *Arcs, *Arcslist or "
                                             "*Matrix, one network a file",
                                             quoted(name)));
            if (nodes_ == 0) text_.refuse(at, fmt::format("{} before '*Vertices N'; want that first", quoted(name)));
            if (section_ == Section::matrix) into_.set_listing(Listing::as_matrix);
        }
        text_.skip_line();
    }

    void read_line() {
        const TextPlace at = text_.place();
        switch (section_) {
            case Section::none: text_.skip_line(); return;
            case Section::vertices: read_vertex(at); return;
            case Section::matrix: read_row(at); return;
            case Section::arcs:
            case Section::arcs_list: into_.require_undirected("a network with arcs", at); break;
            default: break;
        }
        const std::uint32_t a = vertex();
        if (section_ == Section::edges_list || section_ == Section::arcs_list) {
            for (text_.skip_blanks(); !text_.at_line_end(); text_.skip_blanks()) into_.link(a, vertex(), at);
        } else {
            into_.link(a, vertex(), at);
            text_.skip_blanks();
            if (!text_.at_line_end()) set_weight(read_weight());
        }
        text_.skip_line();
    }

    [[nodiscard]] std::uint32_t vertex() {
        return static_cast<std::uint32_t>(read_count(text_, "a vertex", 1, nodes_) - 1);
    }

    /// A word that is no number begins other attributes: "l", "c".
    [[nodiscard]] std::optional<double> read_weight() { return number_in(text_.word()); }

    void set_weight(std::optional<double> value) {
        if (!value) return;
        if (!weight_) weight_ = into_.attribute("weight");
        into_.set(*weight_, *value);
    }

    /// "1 "label" x y z shape ..."
    void read_vertex(const TextPlace& at) {
        const std::uint32_t node = vertex();
        const std::string_view line = text_.line();
        const std::span<const LineFields::Field> fields = *words_.apart(line);
        if (!fields.empty()) into_.call(GraphBuilder::Called::label, node, fields[0].text, at);
    }

    void read_row(const TextPlace& at) {
        if (row_ == nodes_) text_.refuse(at, fmt::format("more than {} rows", nodes_));
        for (std::uint32_t column = 0; column < nodes_; ++column) {
            const double value = read_number(text_, "an entry");
            if (value == 0) continue;
            into_.link(static_cast<std::uint32_t>(row_), column, at);
            set_weight(value);
        }
        end_line(text_);
        ++row_;
    }

    TextSource& text_;
    GraphBuilder& into_;
    LineFields words_{{}, Separator::blanks};
    Section section_ = Section::none;
    std::uint64_t nodes_ = 0;
    std::uint64_t row_ = 0;
    std::optional<std::size_t> weight_;
};

}  // namespace

void read_pajek(TextSource& text, GraphBuilder& into) { PajekReader(text, into).read(); }

}  // namespace kport
