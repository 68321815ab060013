/// @file konect.cpp   KONECT: "% sym|asym|bip WORD", "% links nodes ...", then "from to [weight [time]]", counted from 1.
/// Source    konect.cc/downloads: the TSV files of the networks.
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "app/files/graphs/graph_forms.hpp"
#include "app/files/graphs/text_source.hpp"
#include "emulator/base/nearest.hpp"
#include "emulator/base/numbers.hpp"

namespace kport {
namespace {

class KonectReader {
  public:
    KonectReader(TextSource& text, GraphBuilder& into) : text_(text), into_(into) {}

    void read() {
        read_kind();
        read_sizes();
        const std::array<std::size_t, 2> attributes = {into_.attribute("weight"), into_.attribute("time")};
        while (at_line_of(text_, '%')) {
            const TextPlace at = text_.place();
            const std::uint32_t a = node('L');
            const std::uint32_t b = node('R');
            into_.link(a, b, at);
            text_.skip_blanks();
            for (std::size_t i = 0; i < 2 && !text_.at_line_end(); ++i, text_.skip_blanks())
                into_.set(attributes[i], read_number(text_, i == 0 ? "the weight" : "the time"));
            end_line(text_);
        }
        // In both sets by number, the left one first.
        for (const auto& [set, number] : numbers_) into_.declare(fmt::format("{}{}", set, number), {});
    }

  private:
    void read_kind() {
        (void)text_.get();  // %
        text_.skip_blanks();
        const TextPlace at = text_.place();
        const std::string_view kind = text_.word();
        bipartite_ = kind == "bip";
        if (bipartite_) into_.expect_declarations();
        if (kind == "asym") into_.require_undirected("an 'asym' network", at);
        if (kind != "asym" && kind != "sym" && !bipartite_)
            text_.refuse(at, fmt::format("{}; want sym, asym or bip", quoted(kind)));
        text_.skip_line();
    }

    /// "% links nodes nodes", which may be missing. In a bipartite network the nodes of both sets.
    void read_sizes() {
        if (text_.peek() != '%') return;
        const TextPlace at = text_.place();
        (void)text_.get();
        std::array<std::uint64_t, 3> sizes{};
        std::size_t known = 0;
        for (text_.skip_blanks(); known < 3 && !text_.at_line_end(); text_.skip_blanks()) {
            const auto count = to_count(text_.word());
            if (!count) break;
            sizes[known++] = *count;
        }
        if (known < 2 || bipartite_) return text_.skip_line();
        into_.set_nodes(sizes[1], at, 1);
        sized_ = sizes[1];
        text_.skip_line();
    }

    [[nodiscard]] std::uint32_t node(char set) {
        const TextPlace at = text_.place();
        const std::uint64_t number = read_count(text_, "a node", 1, sized_ ? *sized_ : count_max);
        if (sized_) return static_cast<std::uint32_t>(number - 1);
        if (!bipartite_) return into_.node(fmt::to_string(number), at);
        numbers_.emplace(set, number);
        return into_.node(fmt::format("{}{}", set, number), at);
    }

    TextSource& text_;
    GraphBuilder& into_;
    bool bipartite_ = false;
    std::set<std::pair<char, std::uint64_t>> numbers_;  ///< of both sets
    std::optional<std::uint64_t> sized_;
};

}  // namespace

void read_konect(TextSource& text, GraphBuilder& into) { KonectReader(text, into).read(); }

}  // namespace kport
