/// @file dimacs.cpp   DIMACS: "p edge N M", "p col N M", "p sp N M", "p max N M", then edges "e u v" or arcs "a u v w".
/// Source    The formats of the DIMACS challenges on colouring, maximum flow and shortest paths.
#include <fmt/format.h>

#include "app/files/graphs/graph_forms.hpp"
#include "app/files/graphs/text_source.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {
namespace {

class DimacsReader {
  public:
    DimacsReader(TextSource& text, GraphBuilder& into) : text_(text), into_(into) {}

    void read() {
        for (; text_.peek() != TextSource::end_of_text; text_.skip_line()) {
            text_.skip_blanks();
            if (text_.at_line_end()) continue;
            const TextPlace at = text_.place();
            const std::string_view kind = text_.word();
            if (kind == "c" || kind == "n" || kind == "x" || kind == "d" || kind == "v") continue;  // nothing of links
            if (kind == "p")
                read_problem(at);
            else if (kind == "e" || kind == "a")
                read_link(kind == "a", at);
            else
                text_.refuse(at, fmt::format("{} begins no line of DIMACS; want c, p, n, e or a", quoted(kind)));
        }
        if (!begun_) text_.refuse("no line 'p edge N M' in it; want one");
        const std::uint64_t read = into_.links();
        if (read == links_) return;
        if (read != 2 * links_ && 2 * read != links_)
            text_.refuse(fmt::format("{} at its beginning, and it has {}", counted(links_, "link"), read));
        into_.note(fmt::format("the line 'p' counts {}, and the file has {}", counted(links_, "link"), read));
    }

  private:
    void read_problem(const TextPlace& at) {
        if (begun_) text_.refuse(at, "a second line 'p'; want one");
        text_.skip_blanks();
        const TextPlace place = text_.place();
        const std::string_view problem = text_.word();
        if (!has_word("edge edges col sp max min aux", problem))
            text_.refuse(place, fmt::format("{}; want edge, col, sp or max", quoted(problem)));
        nodes_ = read_count(text_, "the number of nodes", 0, count_max);
        links_ = read_count(text_, "the number of links", 0, count_max);
        into_.set_nodes(nodes_, at, 1);
        begun_ = true;
    }

    void read_link(bool arc, const TextPlace& at) {
        if (!begun_) text_.refuse(at, "a link before the line 'p edge N M'; want that first");
        if (into_.links() == 0 && arc) into_.set_listing(Listing::as_matrix);
        if (into_.links() > 0 && arc != arcs_) text_.refuse(at, "edges 'e' and arcs 'a' in one file; want one kind");
        arcs_ = arc;
        const auto a = static_cast<std::uint32_t>(read_count(text_, "a node", 1, nodes_) - 1);
        const auto b = static_cast<std::uint32_t>(read_count(text_, "a node", 1, nodes_) - 1);
        into_.link(a, b, at);
        text_.skip_blanks();
        if (text_.at_line_end()) return;
        if (!weight_) weight_ = into_.attribute("weight");
        into_.set(*weight_, read_number(text_, "the weight"));
    }

    TextSource& text_;
    GraphBuilder& into_;
    bool begun_ = false;
    bool arcs_ = false;
    std::uint64_t nodes_ = 0;
    std::uint64_t links_ = 0;
    std::optional<std::size_t> weight_;
};

}  // namespace

void read_dimacs(TextSource& text, GraphBuilder& into) { DimacsReader(text, into).read(); }

}  // namespace kport
