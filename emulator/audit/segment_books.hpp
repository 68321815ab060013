/// @file segment_books.hpp   Records for the segments of a vector, shared by segments with the same history.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "emulator/schedule/packet_parts.hpp"

namespace KPORT_PUBLIC kport {

/// Records for each segment of a vector. Segments with equal records form a group, which shares one, until a message
/// treats them differently. Blocks of adjacent segments whose records advance evenly from one block to the next are a
/// group, too: where a ring reduces a vector block by block, each has one contribution more than the one before it.
/// Most algorithms cut a vector into few progressions, or touch its segments one after the other, so there are few
/// groups.
///
/// Books   can be copied and compared, and know how to advance: `advances()`; `part(b, n)`, those of n blocks from the
///         b-th on; `take_next(n, next, m)` merges the m next blocks if all advance evenly; `is_settled()`, whether
///         trying to merge them with others is worthwhile now.
/// Memory  16 bytes and a record for each group; 4 bytes for each segment once searches have cost more than that.
/// Cost    O(1) for the first, the last, or a group near the last one found; else O(groups), until that has cost as
///         much as an index by segment: then O(groups touched), and O(segments) for progressions with gaps.
template <class Books>
class SegmentBooks {
  public:
    SegmentBooks(const Progression& all, const Books& books) : segments_(all.first + all.count) {
        groups_.push_back({all, all.count, books});
    }

    /// Calls visit(segments, books) for the groups that make up some segments, split at their ends. Where it returns
    /// false, as it may for records that advance, it is called again for each block.
    template <class Visit>
    void for_each(const Progression& segments, const Visit& visit) {
        if (const std::size_t i = place_at_once(segments); i != none) return visit_one(i, segments, visit);
        const std::size_t known = groups_.size();  // groups split off later have been visited, or do not matter
        const std::array<std::size_t, 5> near{found_, 0, found_ + 1, found_ - 1, known - 1};
        for (const std::size_t i : near)
            if (i < known && has_all(groups_[i].segments, segments)) return visit_one(i, segments, visit);
        std::uint32_t left = segments.count;
        if (known <= several) {
            for (std::size_t i = known; i-- > 0 && left > 0;) left -= visit_in(i, segments, visit);
            return;
        }
        if (!place_of_.empty()) {
            for (const std::uint32_t i : places_of(segments)) (void)visit_in(i, segments, visit);
            return;
        }
        looks_ += known;
        if (looks_ > segments_) list_places();
        for (auto i = near.begin(); i != near.end() && left > 0; ++i)
            if (*i < known && std::find(near.begin(), i, *i) == i) left -= visit_in(*i, segments, visit);
        for (std::size_t i = 0; i < known && left > 0; ++i)
            if (std::find(near.begin(), near.end(), i) == near.end()) left -= visit_in(i, segments, visit);
    }
    /// Calls visit(books) if all segments are in one group that is found in O(1). Returns true if visit() did; else the
    /// caller must visit them with for_each().
    template <class Visit>
    [[nodiscard]] bool visits_at_once(const Progression& segments, const Visit& visit) {
        const std::size_t i = place_at_once(segments);
        if (i == none || !visit(groups_[i].books)) return false;
        join_with_others(i);
        return true;
    }
    /// Calls visit(segments, books) for every group. None of them may advance.
    template <class Visit>
    void for_each(const Visit& visit) const {
        for (const Group& group : groups_)
            if (group.blocks() == 1)
                visit(group.segments, group.books);
            else
                for (std::uint32_t b = 0; b < group.blocks(); ++b) visit(group.block(b), group.books.part(b, 1));
    }

    /// Prefetches the groups.
    [[gnu::always_inline]] void prefetch() const {
        constexpr std::size_t cache_line = 64;
        const auto* const first = reinterpret_cast<const std::byte*>(groups_.data());
        const std::size_t bytes = std::min<std::size_t>(groups_.size(), few) * sizeof(Group);
        for (std::size_t at = 0; at < bytes; at += cache_line) __builtin_prefetch(first + at, 1);
    }
    [[nodiscard]] std::size_t groups() const { return groups_.size(); }
    /// Number of groups searched so far, where there were many.
    [[nodiscard]] std::uint64_t looks() const { return looks_; }

  private:
    /// Number of neighbours tried when a group may be merged.
    static constexpr std::size_t few = 8;
    /// Longest search before groups near the last one are tried.
    static constexpr std::size_t several = 64;
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    struct Group {
        Progression segments;
        std::uint32_t each;  ///< segments of a block; all of them while the books do not advance
        Books books;

        [[nodiscard]] std::uint32_t blocks() const { return each == segments.count ? 1 : segments.count / each; }
        [[nodiscard]] Progression block(std::uint32_t b) const { return {segments[b * each], segments.stride, each}; }
        [[nodiscard]] Group part(std::uint32_t first, std::uint32_t count) const {
            return {{segments[first * each], 1, count * each}, each, books.part(first, count)};
        }
    };

    [[nodiscard]] static bool has_all(const Progression& all, const Progression& some) {
        if (all.stride == 1) return all.first <= some.first && some.last() <= all.last();
        const auto both = common(all, some);
        return both && both->count == some.count;
    }
    /// Returns the index of the group of some segments, split off if they are one end of a group or a block at an end.
    /// None if O(1) does not suffice.
    [[nodiscard]] std::size_t place_at_once(const Progression& segments) {
        for (std::size_t i = found_; i < std::min(found_ + 2, groups_.size()); ++i)
            if (groups_[i].segments == segments) return i;  // nearly always, from the second message on
        if (segments.stride != 1 || groups_.size() > few) return place_in_first(segments);
        const std::uint32_t end = segments.first + segments.count;
        for (std::size_t i = groups_.size(); i-- > 0;) {
            const Progression& all = groups_[i].segments;
            if (all.stride != 1 || segments.first < all.first || end > all.first + all.count) continue;
            if (all.count == segments.count) return i;
            if (segments.first == all.first || end == all.first + all.count) return split_end_off(i, segments);
            return none;
        }
        return place_in_first(segments);
    }
    /// place_at_once() for segments of the first group, which keeps the rest.
    [[nodiscard]] std::size_t place_in_first(const Progression& segments) {
        const Group& first = groups_.front();
        return first.blocks() == 1 && has_all(first.segments, segments) ? cut(0, segments) : none;
    }
    /// Returns the index of the group of one end of a range; none if its records advance and it is not a block.
    [[nodiscard]] std::size_t split_end_off(std::size_t i, const Progression& segments) {
        Group& all = groups_[i];
        const std::uint32_t blocks = all.blocks();
        const bool begins = segments.first == all.segments.first;
        if (blocks > 1 && segments.count != all.each) return none;
        all.segments.count -= segments.count;
        if (begins) all.segments.first += segments.count;
        if (blocks == 1) {
            all.each = all.segments.count;
            groups_.push_back({segments, segments.count, all.books});
        } else {
            Group end{segments, segments.count, all.books.part(begins ? 0 : blocks - 1, 1)};
            all.books = all.books.part(begins ? 1 : 0, blocks - 1);
            groups_.push_back(std::move(end));
        }
        return groups_.size() - 1;
    }
    /// Visits segments of one group.
    template <class Visit>
    void visit_one(std::size_t i, const Progression& segments, const Visit& visit) {
        (void)visit_in(i, segments, visit);
        join_with_others(found_);
    }
    /// Splits the given segments off a group and visits them; returns how many there are.
    template <class Visit>
    std::uint32_t visit_in(std::size_t i, const Progression& segments, const Visit& visit) {
        const auto both = groups_[i].segments == segments ? segments : common(segments, groups_[i].segments);
        if (!both) return 0;
        const bool is_all = both->count == groups_[i].segments.count;
        if (groups_[i].blocks() > 1 && !is_all && !cut_blocks(i, *both)) return visit_blocks(i, segments, visit);
        found_ = cut(i, *both);
        if (!visit(*both, groups_[found_].books)) (void)visit_blocks(found_, segments, visit);
        return both->count;
    }
    /// Visits the given segments of a group block by block; each block becomes a group.
    template <class Visit>
    std::uint32_t visit_blocks(std::size_t i, const Progression& segments, const Visit& visit) {
        const Group all = groups_[i];
        std::uint32_t visited = 0;
        for (std::uint32_t b = 0; b < all.blocks(); ++b) {
            const std::size_t place = b == 0 ? i : groups_.size();
            if (b == 0)
                groups_[i] = all.part(0, 1);
            else
                add_group(all.part(b, 1));
            visited += visit_in(place, segments, visit);
        }
        return visited;
    }
    /// Reduces a group whose records advance to the block that has all given segments. Returns false if there is no
    /// such block.
    bool cut_blocks(std::size_t i, const Progression& segments) {
        const Group all = groups_[i];
        const std::uint32_t b = (segments.first - all.segments.first) / all.each;
        if ((segments.last() - all.segments.first) / all.each != b) return false;
        groups_[i] = all.part(b, 1);
        if (b != 0) add_group(all.part(0, b));
        if (b + 1 != all.blocks()) add_group(all.part(b + 1, all.blocks() - b - 1));
        return true;
    }
    /// Splits segments off a group. Returns the index of their group.
    std::size_t cut(std::size_t i, const Progression& segments) {
        if (groups_[i].segments == segments) return i;
        if (take_end_off(groups_[i].segments, segments)) {
            groups_[i].each = groups_[i].segments.count;
            return add_group({segments, segments.count, groups_[i].books});
        }
        Progressions rest = kport::without(groups_[i].segments, segments);
        if (rest.empty()) return i;  // all of the group
        if (!place_of_.empty())      // so that a segment is seldom listed anew
            std::ranges::iter_swap(rest.begin(), std::ranges::max_element(rest, {}, &Progression::count));
        groups_[i].segments = rest.front();
        groups_[i].each = rest.front().count;
        for (std::size_t k = 1; k < rest.size(); ++k) add_group({rest[k], rest[k].count, groups_[i].books});
        return add_group({segments, segments.count, groups_[i].books});
    }
    std::size_t add_group(Group group) {
        groups_.push_back(std::move(group));
        if (!place_of_.empty()) list_place(groups_.size() - 1);
        return groups_.size() - 1;
    }
    void list_places() {
        place_of_.resize(segments_);
        for (std::size_t i = 0; i < groups_.size(); ++i) list_place(i);
    }
    void list_place(std::size_t i) {
        const Progression& own = groups_[i].segments;
        for (std::uint32_t k = 0; k < own.count; ++k) place_of_[own[k]] = static_cast<std::uint32_t>(i);
    }
    /// Returns the indices of the groups that have some of these segments, by the index of segments.
    [[nodiscard]] std::vector<std::uint32_t> places_of(const Progression& segments) const {
        std::vector<std::uint32_t> places;
        for (std::uint32_t k = 0; k < segments.count;) {
            const std::uint32_t place = place_of_[segments[k]];
            if (places.empty() || places.back() != place) places.push_back(place);
            const Progression& own = groups_[place].segments;
            k += own.stride == 1 ? (own.last() - segments[k]) / segments.stride + 1 : 1;
        }
        std::ranges::sort(places);
        places.erase(std::ranges::unique(places).begin(), places.end());
        return places;
    }
    /// Merges a group with those that continue it at either end, if there are few.
    void join_with_others(std::size_t i) {
        found_ = i;
        if (groups_.size() > few || groups_[i].segments.stride != 1 || !groups_[i].books.is_settled()) return;
        for (std::size_t k = groups_.size(); k-- > 0;) {
            const Progression own = groups_[found_].segments;
            const Progression& other = groups_[k].segments;
            const bool is_low = other.first + other.count == own.first;
            if (!is_low && own.first + own.count != other.first) continue;
            const std::size_t low = is_low ? k : found_;
            const std::size_t high = is_low ? found_ : k;
            if (!join(groups_[low], groups_[high])) continue;
            if (high + 1 != groups_.size()) groups_[high] = std::move(groups_.back());
            found_ = low + 1 == groups_.size() ? high : low;
            groups_.pop_back();
            k = std::min(k, groups_.size());
        }
    }
    [[nodiscard]] static bool join(Group& low, const Group& high) {
        if (low.segments.stride != 1 || high.segments.stride != 1) return false;
        if (low.blocks() == 1 && high.blocks() == 1 && low.books == high.books)
            low.each += high.each;
        else if (low.each != high.each || !low.books.take_next(low.blocks(), high.books, high.blocks()))
            return false;
        low.segments.count += high.segments.count;
        return true;
    }

    std::vector<Group> groups_;
    std::size_t found_ = 0;
    std::uint64_t segments_;
    std::uint64_t looks_ = 0;
    std::vector<std::uint32_t>
        place_of_;  ///< index of the group by segment, once it pays; groups are then no longer merged
};

}  // namespace kport
