/// @file runner_segments.cpp   The part of a runner that cuts values into segments and joins them.
#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "emulator/base/numbers.hpp"
#include "emulator/engine/runner.hpp"

namespace kport {

namespace {

/// Whether a segment stands twice among those that a program names.
bool names_one_twice(std::span<const PacketBlock> segments) {
    const auto stands_still = [](const PacketBlock& block) {
        return (block.count > 1 && block.stride == 0) || (block.rows > 1 && block.row_stride == 0);
    };
    return std::ranges::any_of(segments, stands_still) || (segments.size() > 1 && common_to_two(segments));
}

/// The block of some values, if each is of one, of the same contributions, and they follow one another: they have nothing in
/// common then.
std::optional<PacketBlock> one_block_of(std::span<const Body* const> values) {
    const auto is_block = [](const Body* value) { return value != nullptr && value->blocks().size() == 1; };
    if (!is_block(values.front())) return std::nullopt;
    PacketBlock all = values.front()->blocks().front();
    for (const Body* value : values.subspan(1)) {
        const auto both = is_block(value) ? joined(all, value->blocks().front()) : std::nullopt;
        if (!both || both->columns() != all.columns()) return std::nullopt;
        all = *both;
    }
    return all;
}

}  // namespace

PacketSet Runner::own_segments(const Value& value) {
    if (const Body* body = value.body()) return rows_of(body->blocks());
    return value.is_element() ? PacketSet(PacketBlock{value.element().segment}) : PacketSet();
}

Value Runner::given_contribution(Node& node, const PacketSet& segments) {
    const Folder& folder = *stage_.folder;
    if (segments.empty())
        refuse(node, "contributes, and the promise takes no contribution of it; let it pass values on");
    if (folder.segments() == 1)
        return folder.has_elements() ? Value(folder.sealed_element(node.id()))
                                     : Value(folder.contribution(node.id(), pool_));
    if (segments.is_block() && segments.block().is_one() && folder.has_elements_of_segments())
        return Value(folder.sealed_element(node.id(), segments.block().first));
    return Value(folder.contribution(node.id(), segments, pool_));
}

Value Runner::contribution(Node& node, const PacketSet& segments) {
    require_reduction(node);
    if (stage_.takes_own_folds) [[unlikely]] {
        const PacketSet given = rows_of(stage_.judged.owned(node.id(), stage_.topology.nodes()).blocks());
        if (segments.empty() || !given.covers(segments.blocks()))
            refuse_cut(node, segments.size(), lowest_of(segments, 1));
        return given_contribution(node, segments);
    }
    const Folder& folder = *stage_.folder;
    if (folder.segments() == 1) return cut(node, contribution(node), segments);
    const PacketSet all = PacketSet::range(0, folder.segments());
    if (segments.empty() || !all.covers(segments.blocks())) refuse_cut(node, segments.size(), lowest_of(segments, 1));
    if (segments.is_block() && segments.block().is_one() && folder.has_elements_of_segments())
        return Value(folder.sealed_element(node.id(), segments.block().first));
    if (stage_.contributions.empty()) return Value(folder.contribution(node.id(), segments, pool_));
    if (segments.size() == folder.segments()) return contribution(node);
    // The engine made it: to judge all of it for each of its segments would cost the square of their number.
    return Value(folder.cut(*stage_.contributions[node.id()], segments, pool_));
}

Value Runner::cut(Node& node, const Value& value, std::uint64_t first, std::uint64_t count) {
    require_reduction(node);
    const std::uint64_t all = stage_.folder->segments();
    if (count == 0 || first >= all || count > all - first) refuse_cut(node, count, first);
    return cut(node, value, PacketSet::range(first, first + count));
}

Value Runner::cut(Node& node, const Value& value, const PacketSet& segments) {
    require_reduction(node);
    judge_use(node, value);
    if (names_one_twice(segments.blocks())) refuse(node, "cuts a segment twice out of a value; name each once");
    const PacketSet own = own_segments(value);
    if (segments.empty() || !own.covers(segments.blocks())) refuse_cut(node, segments.size(), lowest_of(segments, 1));
    if (own.size() == segments.size()) return value;
    return Value(stage_.folder->cut(*value.body(), segments, pool_));
}

void Runner::refuse_cut(const Node& node, std::uint64_t count, std::uint64_t first) const {
    refuse(node, fmt::format("cuts {} from segment {} on out of a value that has not all of them",
                             counted(count, "segment"), first));
}

Value Runner::concatenate(Node& node, std::span<const Value* const> values) {
    require_reduction(node);
    if (values.empty()) refuse(node, "joins no values; want at least 1");
    bool are_elements = values.size() > 1;
    for (const Value* value : values) {
        if (value == nullptr) refuse(node, "joins a value by a null pointer; want the address of a value");
        if (value->body() == nullptr || values.size() == 1) judge_use(node, *value);
        are_elements &= value->is_element();
    }
    if (are_elements)
        if (Body* all = stage_.folder->joined_elements(values, pool_)) return Value(all);
    std::vector<Value> in_bodies;
    in_bodies.reserve(values.size());
    std::vector<const Body*> bodies;
    bodies.reserve(values.size());
    for (const Value* value : values) bodies.push_back(in_bodies.emplace_back(with_body(*value)).body());
    PacketSet segments;
    if (const auto all = one_block_of(bodies)) {
        segments = block_of({}, all->all_rows());
    } else {
        for (const Value* value : values) {
            const PacketSet own = own_segments(*value);
            if (common_size(own.blocks(), segments) != 0)
                refuse(node, "joins values that have a segment in common; fold them");
            if (is_whole(*value) != is_whole(*values.front()))
                refuse(node, "joins results with values that are none; join results alone");
            segments.add(own);
        }
    }
    if (values.size() == 1) return *values.front();
    bool intact = true;
    Value all(stage_.folder->joined(bodies, segments, pool_, intact));
    if (!intact)
        for (const Value* value : values)
            if (value->body() != nullptr) judge_use(node, *value);
    return all;
}

}  // namespace kport
