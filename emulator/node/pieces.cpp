#include "emulator/node/pieces.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <span>

namespace kport {

namespace {

/// More values than that are not looked at one after the other again and again.
constexpr std::size_t looked_at_freely = 16;

template <class Visit>
void for_each_segment(const PacketSet& segments, const Visit& visit) {
    for (const PacketBlock& block : segments.blocks())
        for (std::uint32_t i = 0; i < block.count; ++i) visit(block.columns()[i]);
}

}  // namespace

void Pieces::put(Value value, PacketSet segments) {
    pieces_.push_back({std::move(value), std::move(segments), true, 0, next_number()});
    if (!is_listed()) return;
    list(pieces_.back());
    close_gaps();
}

void Pieces::list(const Piece& piece) const {
    for_each_segment(piece.segments, [&](std::uint32_t segment) {
        std::uint32_t& number = index_->number_of[segment];
        index_->serves &= number == 0;
        number = piece.number;
    });
    if (!index_->serves) index_->number_of.clear();
}

void Pieces::list_none(const PacketSet& segments) const {
    if (is_listed()) for_each_segment(segments, [&](std::uint32_t segment) { index_->number_of[segment] = 0; });
}

Pieces::Places Pieces::places_with(const Node& self, const PacketSet& segments) const {
    Places places;
    if (is_listed()) {
        for_each_segment(segments, [&](std::uint32_t segment) {
            const std::uint32_t number = index_->number_of[segment];
            if (number != 0 && (places.empty() || places.back() != number)) places.push_back(number);
        });
        std::ranges::sort(places);
        places.erase(std::ranges::unique(places).begin(), places.end());
        for (std::size_t& place : places) {
            const auto piece = std::ranges::lower_bound(pieces_, place, {}, &Piece::number);
            place = static_cast<std::size_t>(piece - pieces_.begin());
        }
        return places;
    }
    places.resize(pieces_.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    if (pieces_.size() <= looked_at_freely) return places;
    if (!index_) index_ = std::make_unique<Index>();
    index_->looks += pieces_.size();
    const std::uint64_t all = self.collective().segments(self.nodes());
    if (index_->serves && index_->looks > all) {
        index_->number_of.resize(all);
        for (const Piece& piece : pieces_)
            if (index_->serves) list(piece);
    }
    return places;
}

void Pieces::fold(Node& self, const Value& value, const PacketSet& segments) {
    PacketSet both;
    PacketSet rest = segments;
    const auto has = [&](const PacketSet& own) {
        const PacketBlocks here = in_both(rest.blocks(), own);
        both.add(here);
        rest.remove(span_of(here));
    };
    for (const std::size_t i : places_with(self, segments) | std::views::reverse) has(pieces_[i].segments);
    has(contributed_);
    if (!both.empty()) put(self.merge(rest.empty() ? value : self.cut(value, both), take(self, both)), both);
    if (!rest.empty()) put(self.cut(value, rest), rest);
}

Value Pieces::get(Node& self, const PacketSet& segments, bool results) const {
    const auto as_asked = [&](const Value& part) { return results ? self.whole(part) : part; };
    if (const Piece* piece = exactly(segments)) return as_asked(piece->value);
    if (const auto i = only_one_of(self, segments)) {
        if (*i != pieces_.size()) return as_asked(self.cut(pieces_[*i].value, segments));
        if (contributed_.covers(segments.blocks())) return as_asked(self.contribution(segments));
    }
    PacketSet rest = segments;
    std::vector<Value> parts;
    for (const std::size_t i : places_with(self, segments) | std::views::reverse) {
        if (rest.empty()) break;
        const Piece& piece = pieces_[i];
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
    return self.concatenate(all);
}

Value Pieces::take(Node& self, const PacketSet& segments) {
    if (const Piece* piece = exactly(segments)) {
        Value taken = piece->value;
        list_none(segments);
        drop(pieces_.size() - 1);
        close_gaps();
        return taken;
    }
    if (pieces_.empty() && contributed_.covers(segments.blocks())) {
        contributed_.remove(segments);
        return self.contribution(segments);
    }
    Value taken = get(self, segments);
    const auto i = only_one_of(self, segments);
    if (!i) {
        remove_from(places_with(self, segments), segments);
    } else if (*i == pieces_.size()) {
        contributed_.remove(segments);
    } else {
        Piece& piece = pieces_[*i];
        list_none(segments);
        piece.segments.remove(segments);
        piece.is_whole = false;
        if (piece.segments.empty()) drop(*i);
        close_gaps();
    }
    return taken;
}

void Pieces::add(Node& self, Value value, PacketSet segments) {
    constexpr std::size_t joined_at_once = 16;
    // What came last may be asked for next: it stands alone.
    while (pieces_.size() >= joined_at_once && pieces_[pieces_.size() - joined_at_once].joins == pieces_.back().joins)
        join_from(self, pieces_.size() - joined_at_once);
    put(std::move(value), std::move(segments));
}

Value Pieces::give(Node& self, const PacketSet& segments) {
    if (const Piece* piece = exactly(segments)) return piece->value;
    const auto size = [](std::uint64_t sum, const Piece& piece) { return sum + piece.segments.size(); };
    const bool are_few = pieces_.size() > 1 && pieces_.size() <= segments.size();
    if (are_few && std::accumulate(pieces_.begin(), pieces_.end(), std::uint64_t{0}, size) == segments.size())
        join_from(self, 0);
    return get(self, segments);
}

void Pieces::join_from(Node& self, std::size_t first) {
    std::vector<const Value*> values;
    Piece joined{{}, {}, true, pieces_.back().joins + 1, pieces_[first].number};
    values.reserve(pieces_.size() - first);
    for (const Piece& piece : std::span(pieces_).subspan(first)) {
        values.push_back(&piece.value);
        list_none(piece.segments);
    }
    joined.value = self.concatenate(values);
    joined.segments = rows_of(joined.value.body()->blocks());
    pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(first), pieces_.end());
    pieces_.push_back(std::move(joined));
    if (is_listed()) list(pieces_.back());
}

const Pieces::Piece* Pieces::exactly(const PacketSet& segments) const {
    if (pieces_.empty() || !segments.is_block()) return nullptr;
    const Piece& last = pieces_.back();
    const bool is_it = last.is_whole && last.segments.is_block() && last.segments.block() == segments.block();
    return is_it ? &last : nullptr;
}

std::optional<std::size_t> Pieces::only_one_of(const Node& self, const PacketSet& segments) const {
    for (const std::size_t i : places_with(self, segments) | std::views::reverse) {  // what came last counts
        if (pieces_[i].segments.covers(segments.blocks())) return i;
        if (common_size(segments.blocks(), pieces_[i].segments) != 0) return std::nullopt;
    }
    return pieces_.size();
}

void Pieces::remove(const Node& self, const PacketSet& segments) { remove_from(places_with(self, segments), segments); }

void Pieces::remove_from(const Places& places, PacketSet segments) {
    list_none(segments);
    for (const std::size_t i : places | std::views::reverse) {
        if (segments.empty()) break;
        PacketSet& own = pieces_[i].segments;
        const PacketBlocks here = in_both(segments.blocks(), own);
        if (here.empty()) continue;
        own.remove(span_of(here));
        pieces_[i].is_whole = false;
        segments.remove(span_of(here));
        if (own.empty()) drop(i);
    }
    close_gaps();
    contributed_.remove(segments);
}

void Pieces::drop(std::size_t place) {
    if (!is_listed()) {
        if (index_) index_->moves += pieces_.size() - place;
        pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(place));
        return;
    }
    pieces_[place].value = {};
    pieces_[place].segments = {};
    ++index_->gone;
}

void Pieces::close_gaps() {
    if (!index_) return;
    for (; index_->gone != 0 && pieces_.back().segments.empty(); --index_->gone) pieces_.pop_back();
    if (index_->gone * 2 <= pieces_.size() && (is_listed() || index_->gone == 0)) return;
    index_->moves += pieces_.size();
    std::erase_if(pieces_, [](const Piece& piece) { return piece.segments.empty(); });
    index_->gone = 0;
}

}  // namespace kport
