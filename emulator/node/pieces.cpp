#include "emulator/node/pieces.hpp"

#include <algorithm>
#include <ranges>

namespace kport {

void Pieces::fold(Node& self, const Value& value, const PacketSet& segments) {
    PacketSet both;
    PacketSet rest = segments;
    for (const Piece& piece : pieces_ | std::views::reverse) {
        const PacketBlocks here = in_both(rest.blocks(), piece.segments);
        both.add(here);
        rest.remove(span_of(here));
    }
    if (!both.empty()) put(self.merge(self.cut(value, both), take(self, both)), both);
    if (!rest.empty()) put(self.cut(value, rest), rest);
}

Value Pieces::get(Node& self, const PacketSet& segments, bool results) const {
    PacketSet rest = segments;
    std::vector<Value> parts;
    for (const Piece& piece : pieces_ | std::views::reverse) {
        const PacketBlocks here = in_both(rest.blocks(), piece.segments);
        if (here.empty()) continue;
        PacketSet some;
        some.add(here);
        const Value part = self.cut(piece.value, some);
        parts.push_back(results ? self.whole(part) : part);
        rest.remove(span_of(here));
        if (rest.empty()) break;
    }
    std::vector<const Value*> all;
    for (const Value& part : parts) all.push_back(&part);
    return self.join(all);
}

void Pieces::remove(PacketSet segments) {
    for (std::size_t i = pieces_.size(); i-- > 0 && !segments.empty();) {
        PacketSet& own = pieces_[i].segments;
        const PacketBlocks here = in_both(segments.blocks(), own);
        if (here.empty()) continue;
        own.remove(span_of(here));
        segments.remove(span_of(here));
        if (own.empty()) pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

}  // namespace kport
