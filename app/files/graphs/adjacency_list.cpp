/// @file adjacency_list.cpp   Lists of neighbours: a node and its neighbours in a line; and igraph's LGL.
#include <fmt/format.h>

#include "app/files/graphs/graph_forms.hpp"
#include "emulator/base/nearest.hpp"

namespace kport {

void read_adjacency_list(TextSource& text, GraphBuilder& into) {
    into.set_listing(Listing::once_or_twice);
    for (; text.peek() != TextSource::end_of_text; text.skip_line()) {
        text.skip_blanks();
        if (text.peek() == '#' || text.at_line_end()) continue;
        const TextPlace at = text.place();
        const std::uint32_t node = into.node(text.word(), at);
        for (text.skip_blanks(); !text.at_line_end() && text.peek() != '#'; text.skip_blanks()) {
            const TextPlace of_neighbour = text.place();
            into.link(node, into.node(text.word(), of_neighbour), of_neighbour);
        }
    }
}

/// "# node", then a line "neighbour [weight]" for each of its links.
void read_lgl(TextSource& text, GraphBuilder& into) {
    std::optional<std::uint32_t> node;
    const std::size_t weight = into.attribute("weight");
    for (; text.peek() != TextSource::end_of_text; text.skip_line()) {
        text.skip_blanks();
        if (text.at_line_end()) continue;
        const TextPlace at = text.place();
        const bool begins = text.peek() == '#';
        if (begins) {
            (void)text.get();
            text.skip_blanks();
        }
        const std::uint32_t named = into.node(text.word(), text.place());
        text.skip_blanks();
        if (begins) {
            node = named;
        } else {
            if (!node) text.refuse(at, "a neighbour before its node; want '# NODE' first");
            into.link(*node, named, at);
            if (text.at_line_end()) continue;
            const TextPlace third = text.place();
            const std::string_view word = text.word();
            const auto value = number_in(word);
            if (!value) text.refuse(third, fmt::format("the weight is {}; want a finite number", quoted(word)));
            into.set(weight, *value);
            text.skip_blanks();
        }
        if (!text.at_line_end()) text.refuse(text.place(), "one word too many in this line");
    }
}

}  // namespace kport
