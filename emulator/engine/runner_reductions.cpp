/// @file runner_reductions.cpp   The half of a runner that makes, folds and keeps values.
#include <algorithm>
#include <limits>

#include "emulator/engine/results.hpp"
#include "emulator/engine/runner.hpp"

namespace kport {

namespace {

/// The last contribution of some, and the first.
std::uint32_t last_of(std::span<const PacketBlock> blocks) {
    std::uint32_t last = 0;
    for (const PacketBlock& block : blocks) last = std::max(last, block.columns().last());
    return last;
}
std::uint32_t first_of(std::span<const PacketBlock> blocks) {
    std::uint32_t first = std::numeric_limits<std::uint32_t>::max();
    for (const PacketBlock& block : blocks) first = std::min(first, block.first);
    return first;
}

/// A contribution that is in both.
std::uint32_t first_common(std::span<const PacketBlock> left, std::span<const PacketBlock> right) {
    for (const PacketBlock& block : left)
        for (const PacketBlock& other : right)
            if (const auto both = common(block, other)) return both->first;
    return 0;
}

}  // namespace

Value Runner::contribution(Node& node) {
    require_reduction(node);
    const Folder& folder = *stage_.folder;
    if (stage_.contributions.size() != 0) {
        Body* made = stage_.contributions[node.id()];
        made->hold();
        return Value(made);
    }
    if (!folder.has_elements()) return Value(folder.contribution(node.id(), pool_));
    return Value(folder.sealed_element(node.id()));
}

// ----------------------------------------------------------------------------------------- values that are what they were

void Runner::note_changed(NodeId v, NodeId from, Round round, std::span<const PacketBlock> contributions) {
    const PacketBlock all{0, 1, static_cast<std::uint32_t>(stage_.topology.nodes())};
    const bool whole = stage_.folder && contributions.front() == result_packet(stage_.topology.nodes());
    Violation differs = value_differs(v, from, round, whole ? std::span<const PacketBlock>(&all, 1) : contributions);
    if (stage_.contents) differs.breach = Breach::contents_differ;
    breaches_.push_back(differs);
}

bool Runner::judge_use(const Node& node, const Value& value) {
    bool intact = false;
    if (value.is_element()) {
        const Element element = value.element();
        require_contributions(node, element.block());
        intact = stage_.folder->intact(element);
    } else {
        const Body* body = value.body();
        if (body == nullptr) [[unlikely]]
            refuse(node, "uses a value that was never made in this run");
        for (const PacketBlock& block : body->blocks()) require_contributions(node, block);
        intact = stage_.folder->intact(*body);
    }
    if (intact) [[likely]]
        return true;
    const PacketSet contributions = value.contributions();
    note_changed(node.id(), no_node, round_, contributions.blocks());
    return false;
}

Value Runner::sent_value(const Node& node, const Cargo& cargo) {
    if (cargo.kind() == Cargo::Kind::data) refuse_contents(node);
    if (cargo.kind() != Cargo::Kind::value) refuse(node, "sends packets instead of a value");
    const Value& value = cargo.value();
    const bool intact = judge_use(node, value);
    // Else it is sealed anew: whoever receives it is to tell what changed on the way, and nothing else.
    if (value.is_element()) return intact ? value : renamed(value, value.element().block());
    Body* copy = Body::copy(*value.body(), pool_);
    if (!intact) copy->seal = stage_.folder->seal_of(*copy);
    return Value(copy);
}

void Runner::take_value(NodeId v, NodeId from, Round round, Element& value) {
    if (stage_.sabotage != nullptr && stage_.folder->payload()) [[unlikely]]
        may_corrupt(v, from, reinterpret_cast<std::byte*>(&value.bits), round);
    if (stage_.folder->intact(value)) [[likely]]
        return;
    const PacketBlock contributions = value.block();
    note_changed(v, from, round, {&contributions, 1});
    value.seal = stage_.folder->seal_of(value);  // it is told once
}

void Runner::take_value(NodeId v, NodeId from, Round round, Body& value) {
    if (stage_.sabotage != nullptr && value.byte_count() > 0) [[unlikely]]
        may_corrupt(v, from, value.bytes(), round);
    if (stage_.contents) {
        ++compared_.messages;
        compared_.bytes += value.byte_count();
    }
    const Seal seal = stage_.seal_of(value);
    if (value.seal == seal) [[likely]]
        return;
    note_changed(v, from, round, value.blocks());
    value.seal = seal;
}

// ---------------------------------------------------------------------------------------------------------------- folds

void Runner::judge_fold(const Node& node, std::span<const PacketBlock> left, std::span<const PacketBlock> right) {
    const bool commutes = stage_.folder->reduction().commutative();
    // Nearly all folds bring neighbours together, of which no contribution is in both.
    if (left.size() == 1 && right.size() == 1 && neighbours(left.front(), right.front()) &&
        (commutes || left.front().first < right.front().first)) [[likely]]
        return;
    const auto told = [&](Breach what, std::uint32_t contribution, std::uint32_t other) {
        Violation breach;
        breach.breach = what;
        breach.round = round_;
        breach.node = node.id();
        breach.packet = contribution;
        breach.limit = other;
        breaches_.push_back(breach);
    };
    if (!commutes && last_of(left) >= first_of(right))
        told(Breach::folded_out_of_order, last_of(left), first_of(right));
    if (common_size(left, right) != 0) told(Breach::folded_twice, first_common(left, right), 0);
}

Value Runner::fold(Node& node, const Value& left, const Value& right) {
    require_reduction(node);
    if (stage_.sabotage != nullptr) [[unlikely]]
        return sabotaged_fold(node, left, right);
    return folded(node, left, right);
}

Value Runner::folded(const Node& node, const Value& left, const Value& right) {
    for (const Value* value : {&left, &right}) Body::prefetch(value->body());
    judge_use(node, left);
    judge_use(node, right);
    if (is_whole(left) || is_whole(right)) [[unlikely]]
        return folded_parts(node, as_contributions(left), as_contributions(right));
    return folded_parts(node, left, right);
}

Value Runner::folded_parts(const Node& node, const Value& left, const Value& right) {
    const Folder& folder = *stage_.folder;
    if (left.is_element() != right.is_element()) [[unlikely]]
        return folded_parts(node, with_body(left), with_body(right));
    if (!left.is_element()) {
        judge_fold(node, left.body()->blocks(), right.body()->blocks());
        return Value(folder.fold(*left.body(), *right.body(), pool_));
    }
    const Element l = left.element();
    const Element r = right.element();
    const PacketBlock a = l.block();
    const PacketBlock b = r.block();
    judge_fold(node, {&a, 1}, {&b, 1});
    if (const auto both = joined(a, b)) [[likely]]
        return Value(folder.fold(l, r, both->columns()));
    return Value(folder.fold(*with_body(left).body(), *with_body(right).body(), pool_));
}

Value Runner::with_body(const Value& value) {
    if (!value.is_element()) return value;
    return Value(stage_.folder->body_of(value.element(), pool_));
}

Value Runner::renamed(const Value& value, const PacketBlock& contributions) {
    const Folder& folder = *stage_.folder;
    if (value.is_element()) {
        Element element(contributions.columns(), value.element().bits);
        element.seal = folder.seal_of(element);
        return Value(element);
    }
    const Body& old = *value.body();
    Body* body = Body::make({&contributions, 1}, old.byte_count(), pool_);
    std::copy_n(old.bytes(), old.byte_count(), body->bytes());
    body->seal = folder.seal_of(*body);
    return Value(body);
}

Value Runner::as_contributions(const Value& value) {
    const PacketBlock all{0, 1, static_cast<std::uint32_t>(stage_.topology.nodes())};
    return is_whole(value) ? renamed(value, all) : value;
}

Value Runner::whole(Node& node, const Value& value) {
    require_reduction(node);
    judge_use(node, value);
    if (is_whole(value)) return value;
    const NodeId nodes = stage_.topology.nodes();
    const PacketBlock all{0, 1, static_cast<std::uint32_t>(nodes)};
    const PacketBlocks lacking = without({&all, 1}, value.contributions().blocks());
    if (!lacking.empty()) {
        Violation lacks;
        lacks.breach = Breach::result_lacks;
        lacks.round = round_;
        lacks.node = node.id();
        lacks.packet = lacking.front().first;
        breaches_.push_back(lacks);
    }
    return renamed(value, result_packet(nodes));
}

void Runner::result(Node& node, const Value& value) {
    require_reduction(node);
    const bool intact = judge_use(node, value);
    Body*& kept = stage_.results[node.id()];
    if (kept != nullptr) kept->release(pool_);
    const Value given = with_body(as_contributions(value));
    if (!intact) given.body()->seal = stage_.folder->seal_of(*given.body());  // it is told once
    given.body()->hold();
    kept = given.body();
    told_result(node.id(), *kept);
}

}  // namespace kport
