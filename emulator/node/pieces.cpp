#include "emulator/node/pieces.hpp"

#include <algorithm>
#include <ranges>

namespace kport {

void Pieces::fold(Node& self, const Value& value, const PacketSet& segments) {
    PacketSet both;
    PacketSet rest = segments;
    const auto has = [&](const PacketSet& own) {
        const PacketBlocks here = in_both(rest.blocks(), own);
        both.add(here);
        rest.remove(span_of(here));
    };
    for (const Piece& piece : pieces_ | std::views::reverse) has(piece.segments);
    has(contributed_);
    if (!both.empty()) put(self.merge(rest.empty() ? value : self.cut(value, both), take(self, both)), both);
    if (!rest.empty()) put(self.cut(value, rest), rest);
}

Value Pieces::get(Node& self, const PacketSet& segments, bool results) const {
    const auto as_asked = [&](const Value& part) { return results ? self.whole(part) : part; };
    if (const Piece* piece = exactly(segments)) return as_asked(piece->value);
    PacketSet rest = segments;
    std::vector<Value> parts;
    for (const Piece& piece : pieces_ | std::views::reverse) {
        if (rest.empty()) break;
        if (rest.covers(piece.segments.blocks())) {
            parts.push_back(as_asked(self.cut(piece.value, piece.segments)));
            rest.remove(piece.segments.blocks());
            continue;
        }
        const PacketBlocks here = in_both(rest.blocks(), piece.segments);
        if (here.empty()) continue;
        PacketSet some;
        some.add(here);
        parts.push_back(as_asked(self.cut(piece.value, some)));
        rest.remove(span_of(here));
    }
    if (!rest.empty() && contributed_.covers(rest.blocks())) parts.push_back(as_asked(self.contribution(rest)));
    if (parts.size() == 1) return parts.front();
    std::vector<const Value*> all;
    for (const Value& part : parts) all.push_back(&part);
    return self.join(all);
}

Value Pieces::take(Node& self, const PacketSet& segments) {
    if (const Piece* piece = exactly(segments)) {
        Value taken = piece->value;
        pieces_.erase(pieces_.begin() + (piece - pieces_.data()));
        return taken;
    }
    Value taken = get(self, segments);
    remove(segments);
    return taken;
}

const Pieces::Piece* Pieces::exactly(const PacketSet& segments) const {
    if (pieces_.empty() || !segments.is_block()) return nullptr;
    const Piece& last = pieces_.back();
    const bool is_it = last.is_whole && last.segments.is_block() && last.segments.block() == segments.block();
    return is_it ? &last : nullptr;
}

void Pieces::remove(PacketSet segments) {
    for (std::size_t i = pieces_.size(); i-- > 0 && !segments.empty();) {
        PacketSet& own = pieces_[i].segments;
        const PacketBlocks here = in_both(segments.blocks(), own);
        if (here.empty()) continue;
        own.remove(span_of(here));
        pieces_[i].is_whole = false;
        segments.remove(span_of(here));
        if (own.empty()) pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    contributed_.remove(segments);
}

}  // namespace kport
