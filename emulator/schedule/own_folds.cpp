#include "emulator/schedule/own_folds.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace kport {

namespace {

bool are_same(const PacketSet& one, const PacketSet& other) {
    return one.size() == other.size() && one.covers(other.blocks());
}

/// Puts a list among others unless it is there; returns whether it was not.
bool put_once(std::vector<PacketSet>& lists, const PacketSet& list) {
    if (std::ranges::any_of(lists, [&](const PacketSet& other) { return are_same(list, other); })) return false;
    lists.push_back(list);
    return true;
}

/// Whether some contributions stand side by side in a list that has them: none of its others lies between.
bool are_side_by_side(const PacketSet& some, const PacketSet& list) {
    std::uint32_t lowest = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t highest = 0;
    for (const PacketBlock& block : some.blocks()) {
        lowest = std::min(lowest, block.first);
        highest = std::max(highest, block.columns().last());
    }
    const PacketBlock between{lowest, 1, highest - lowest + 1};
    return common_size({&between, 1}, list) == some.size();
}

}  // namespace

OwnFolds::OwnFolds(std::vector<TakenFold> takes) : takes_(std::move(takes)) {
    std::ranges::sort(takes_, {}, [](const TakenFold& fold) { return std::pair(fold.node, fold.segment); });
    for (const TakenFold& fold : takes_) {
        OfSegment& own = segments_[fold.segment];
        if (!put_once(own.lists, fold.of)) has_several_holders_ = true;
        if (fold.in_order) (void)put_once(own.orders, fold.of);
        has_orders_ |= fold.in_order;
    }
    for (auto& [segment, own] : segments_)
        if (own.lists.size() == 1) own.result = own.lists.front();
}

std::span<const TakenFold> OwnFolds::of(NodeId v) const {
    const auto [begin, end] = std::ranges::equal_range(takes_, v, {}, &TakenFold::node);
    return {begin, end};
}

PacketSet OwnFolds::wanted(NodeId v) const {
    PacketSet all;
    for (const TakenFold& fold : of(v))
        for (const PacketBlock& block : fold.of.blocks()) all.add(block_of({fold.segment}, block.columns()));
    return all;
}

bool OwnFolds::takes(NodeId v) const { return !of(v).empty(); }

const TakenFold* OwnFolds::taken(NodeId v, std::uint32_t segment) const {
    const std::span<const TakenFold> own = of(v);
    const auto at = std::ranges::lower_bound(own, segment, {}, &TakenFold::segment);
    return at == own.end() || at->segment != segment ? nullptr : &*at;
}

bool OwnFolds::takes_in_order(NodeId v, std::uint32_t segment) const {
    const TakenFold* const fold = taken(v, segment);
    return fold != nullptr && fold->in_order;
}

const PacketSet& OwnFolds::in_result(std::uint32_t segment) const {
    static const PacketSet nothing;
    const auto own = segments_.find(segment);
    return own == segments_.end() ? nothing : own->second.result;
}

bool OwnFolds::are_in_order(std::uint32_t segment, const PacketSet& contributions) const {
    const auto own = segments_.find(segment);
    if (own == segments_.end() || contributions.size() < 2) return true;
    bool has_list = false;
    for (const PacketSet& list : own->second.orders) {
        if (!list.covers(contributions.blocks())) continue;
        if (are_side_by_side(contributions, list)) return true;
        has_list = true;
    }
    return !has_list;
}

bool OwnFolds::fits_in_order(std::uint32_t segment, const PacketSet& part, const PacketSet& all) const {
    const auto own = segments_.find(segment);
    if (own == segments_.end() || are_side_by_side(part, all)) return true;
    return std::ranges::none_of(own->second.orders, [&](const PacketSet& list) { return list.covers(all.blocks()); });
}

}  // namespace kport
