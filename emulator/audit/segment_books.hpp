/// @file segment_books.hpp   The segments of a vector in groups that have the same history.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "emulator/schedule/packet_set.hpp"

namespace KPORT_PUBLIC kport {

/// Calls visit(segments, contributions) for the parts of some contributions: segments to which there are the same, and these as
/// packets of row 0. Blocks must be disjoint. O(1) for blocks of the same segments.
template <class Visit>
void for_each_part(std::span<const PacketBlock> blocks, const Visit& visit) {
    const auto in_row_0 = [](const PacketBlock& block) { return block_of({}, block.columns()); };
    if (blocks.size() == 1) {
        const PacketBlock only = in_row_0(blocks.front());
        visit(blocks.front().all_rows(), std::span<const PacketBlock>(&only, 1));
        return;
    }
    const Progression first = blocks.front().all_rows();
    if (std::ranges::all_of(blocks, [&](const PacketBlock& block) { return block.all_rows() == first; })) {
        PacketBlocks all;
        for (const PacketBlock& block : blocks) all.push_back(in_row_0(block));
        visit(first, span_of(all));
        return;
    }
    std::vector<std::pair<Progression, PacketBlocks>> parts;
    for (const PacketBlock& block : blocks) {
        Progressions left{block.all_rows()};
        for (std::size_t i = 0; i < parts.size() && !left.empty(); ++i) {  // also over what is split off here
            Progressions apart;
            for (const Progression& rows : left) {
                const auto both = common(rows, parts[i].first);
                if (!both) {
                    apart.push_back(rows);
                    continue;
                }
                for (const Progression& rest : without(rows, *both)) apart.push_back(rest);
                // Those of the part that this block does not have, and of the first of these the part's place.
                for (const Progression& rest : without(parts[i].first, *both)) {
                    const PacketBlocks same = parts[i].second;
                    parts.emplace_back(rest, same);
                }
                parts[i].first = *both;
                parts[i].second.push_back(in_row_0(block));
            }
            left = std::move(apart);
        }
        for (const Progression& rows : left) parts.push_back({rows, {in_row_0(block)}});
    }
    for (const auto& [segments, contributions] : parts) visit(segments, span_of(contributions));
}

/// Books for each segment of a vector; segments whose books are the same share them until a message tells them apart. Most
/// algorithms cut a vector into few progressions, or touch its segments one after the other: then a group is found at once.
///
/// Memory  a group as its books, and 12 bytes.
/// Cost    O(1) if it is the first, the last or near the one that was found last; else O(groups).
template <class Books>
class SegmentBooks {
  public:
    SegmentBooks(const Progression& all, const Books& books) { groups_.push_back({all, books}); }

    /// Calls visit(segments, books) for the groups that make up some segments, cut where these begin and end.
    template <class Visit>
    void for_each(const Progression& segments, const Visit& visit) {
        for (std::size_t i = found_; i < std::min(found_ + 2, groups_.size()); ++i)
            if (groups_[i].segments == segments) {  // nearly always, from the second message on
                found_ = i;
                visit(segments, groups_[i].books);
                return;
            }
        const std::size_t known = groups_.size();  // those that are cut off have been visited, or are not asked for
        const std::array<std::size_t, 5> near{found_, 0, found_ + 1, found_ - 1, known - 1};
        for (const std::size_t i : near)
            if (i < known && has_all(groups_[i].segments, segments)) {  // or one that is cut
                (void)visit_in(i, segments, visit);
                return;
            }
        std::uint32_t left = segments.count;
        for (auto i = near.begin(); i != near.end() && left > 0; ++i)
            if (*i < known && std::find(near.begin(), i, *i) == i) left -= visit_in(*i, segments, visit);
        for (std::size_t i = 0; i < known && left > 0; ++i)
            if (std::find(near.begin(), near.end(), i) == near.end()) left -= visit_in(i, segments, visit);
    }
    /// The same of all as they are.
    template <class Visit>
    void for_each(const Visit& visit) const {
        for (const Group& group : groups_) visit(group.segments, group.books);
    }

  private:
    struct Group {
        Progression segments;
        Books books;
    };

    [[nodiscard]] static bool has_all(const Progression& all, const Progression& some) {
        if (all.stride == 1) return all.first <= some.first && some.last() <= all.last();
        const auto both = common(all, some);
        return both && both->count == some.count;
    }
    /// Visits those of some segments that are in a group, which become one; returns how many there are.
    template <class Visit>
    std::uint32_t visit_in(std::size_t i, const Progression& segments, const Visit& visit) {
        const auto both = common(segments, groups_[i].segments);
        if (!both) return 0;
        found_ = cut(i, *both);
        visit(*both, groups_[found_].books);
        return both->count;
    }
    /// The place of the group of some segments of a group, of which the others stay.
    std::size_t cut(std::size_t i, const Progression& segments) {
        if (groups_[i].segments == segments) return i;
        if (take_end_off(groups_[i].segments, segments)) {
            groups_.push_back({segments, groups_[i].books});
            return groups_.size() - 1;
        }
        const Progressions rest = kport::without(groups_[i].segments, segments);
        if (rest.empty()) return i;  // the same in other words
        groups_[i].segments = rest.front();
        for (std::size_t k = 1; k < rest.size(); ++k) groups_.push_back({rest[k], groups_[i].books});
        groups_.push_back({segments, groups_[i].books});
        return groups_.size() - 1;
    }

    std::vector<Group> groups_;
    std::size_t found_ = 0;
};

}  // namespace kport
