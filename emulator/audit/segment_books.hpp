/// @file segment_books.hpp   The segments of a vector in groups that have the same history.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "emulator/schedule/packet_parts.hpp"

namespace KPORT_PUBLIC kport {

/// Books for each segment of a vector; segments whose books are the same share them until a message tells them apart. So do blocks
/// of segments side by side whose books advance evenly from one block to the next: where a ring folds a vector block by block,
/// each has one contribution more than the one before it. Most algorithms cut a vector into few progressions, or touch its segments
/// one after the other: then there are few groups.
///
/// Books   are copied, compared, and know how to advance: `advances()`; `part(b, n)`, those of n blocks from the b-th on;
///         `take_next(n, next, m)`, whether those of n blocks and of the m next ones advance evenly, which they then say of all;
///         `is_settled()`, whether it is worth trying to join them to others now.
/// Memory  a group as its books, and 16 bytes; where more groups were looked at than there are segments 4 bytes a segment.
/// Cost    O(1) if it is the first, the last or near the one that was found last; else O(groups), until that has cost as much as a
///         list of every segment's group: then O(groups that have some of them), and of progressions with gaps O(segments).
template <class Books>
class SegmentBooks {
  public:
    SegmentBooks(const Progression& all, const Books& books) : segments_(all.first + all.count) {
        groups_.push_back({all, all.count, books});
    }

    /// Calls visit(segments, books) for the groups that make up some segments, cut where these begin and end. Where it is false,
    /// which it may be of books that advance, it is called again for each block.
    template <class Visit>
    void for_each(const Progression& segments, const Visit& visit) {
        if (const std::size_t i = place_at_once(segments); i != none) return visit_one(i, segments, visit);
        const std::size_t known = groups_.size();  // those that are cut off have been visited, or are not asked for
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
    /// The same with visit(books), where it takes a look to find the group of all of them, and it is true. Else what for_each() would
    /// visit is still to be visited.
    template <class Visit>
    [[nodiscard]] bool visits_at_once(const Progression& segments, const Visit& visit) {
        const std::size_t i = place_at_once(segments);
        if (i == none || !visit(groups_[i].books)) return false;
        join_with_others(i);
        return true;
    }
    /// The same of all as they are, none of which advance.
    template <class Visit>
    void for_each(const Visit& visit) const {
        for (const Group& group : groups_)
            if (group.blocks() == 1)
                visit(group.segments, group.books);
            else
                for (std::uint32_t b = 0; b < group.blocks(); ++b) visit(group.block(b), group.books.part(b, 1));
    }

    /// A hint.
    [[gnu::always_inline]] void prefetch() const {
        constexpr std::size_t cache_line = 64;
        const auto* const first = reinterpret_cast<const std::byte*>(groups_.data());
        const std::size_t bytes = std::min<std::size_t>(groups_.size(), few) * sizeof(Group);
        for (std::size_t at = 0; at < bytes; at += cache_line) __builtin_prefetch(first + at, 1);
    }
    [[nodiscard]] std::size_t groups() const { return groups_.size(); }
    /// At how many groups it has looked one after the other, where they were many.
    [[nodiscard]] std::uint64_t looks() const { return looks_; }

  private:
    /// So many are looked at for one that goes on where another ends.
    static constexpr std::size_t few = 8;
    /// More than that are not looked at one after the other without trying those near by.
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
    /// The place of the group of some segments, which become one if they are an end of a group, or a block at an end. None if it takes
    /// longer to see.
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
    /// The same where they are of the first group, in which stays what others are cut off from.
    [[nodiscard]] std::size_t place_in_first(const Progression& segments) {
        const Group& first = groups_.front();
        return first.blocks() == 1 && has_all(first.segments, segments) ? cut(0, segments) : none;
    }
    /// The place of the group of an end of a range; none if its books advance and it is not a block.
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
    /// Visits those of some segments that are in a group, which become one; returns how many there are.
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
    /// The same, block by block, which become groups.
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
    /// Leaves of a group whose books advance the block that has all of some segments; false if there is none.
    bool cut_blocks(std::size_t i, const Progression& segments) {
        const Group all = groups_[i];
        const std::uint32_t b = (segments.first - all.segments.first) / all.each;
        if ((segments.last() - all.segments.first) / all.each != b) return false;
        groups_[i] = all.part(b, 1);
        if (b != 0) add_group(all.part(0, b));
        if (b + 1 != all.blocks()) add_group(all.part(b + 1, all.blocks() - b - 1));
        return true;
    }
    /// The place of the group of some segments of a group, of which the others stay.
    std::size_t cut(std::size_t i, const Progression& segments) {
        if (groups_[i].segments == segments) return i;
        if (take_end_off(groups_[i].segments, segments)) {
            groups_[i].each = groups_[i].segments.count;
            return add_group({segments, segments.count, groups_[i].books});
        }
        Progressions rest = kport::without(groups_[i].segments, segments);
        if (rest.empty()) return i;  // the same in other words
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
    /// The places of the groups that have some of these segments, by the list.
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
    /// A group becomes one with those that go on where it ends, or end where it begins, if there are few.
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
        place_of_;  ///< by segment, once it pays: the place of its group; then none are joined any more
};

}  // namespace kport
