/// @file runner_reductions.cpp   The part of a runner that makes, folds and keeps values.
#include <algorithm>
#include <array>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "emulator/base/numbers.hpp"
#include "emulator/engine/planned_parts.hpp"
#include "emulator/engine/results.hpp"
#include "emulator/engine/runner.hpp"
#include "emulator/node/fold_order.hpp"

namespace kport {

namespace {

std::uint32_t last_of(const PacketBlock& block) { return block.columns().last(); }

/// The last contribution on the left that does not stand before the first on the right to the same segment, and that one.
struct OutOfOrder {
    PacketBlock left;
    std::uint32_t right;
};
std::optional<OutOfOrder> out_of_order(std::span<const PacketBlock> left, std::span<const PacketBlock> right) {
    std::optional<OutOfOrder> worst;
    const Progression rows = left.front().all_rows();
    const auto is_of_these = [&](const PacketBlock& block) { return block.all_rows() == rows; };
    if (std::ranges::all_of(left, is_of_these) && std::ranges::all_of(right, is_of_these)) {
        const std::uint32_t last = std::ranges::max(left | std::views::transform(last_of));
        const std::uint32_t first = std::ranges::min(right | std::views::transform(&PacketBlock::first));
        if (last >= first) worst = {PacketBlock{last, 1, 1, rows.first}, first};
        return worst;
    }
    for (const PacketBlock& block : left)
        for (const PacketBlock& other : right) {
            const auto segments = common(block.all_rows(), other.all_rows());
            const std::uint32_t last = block.columns().last();
            if (!segments || last < other.first) continue;
            if (!worst || std::pair(last, worst->right) > std::pair(worst->left.first, other.first))
                worst = {PacketBlock{last, 1, 1, segments->first}, other.first};
        }
    return worst;
}

/// The lowest contribution in the first segment where the fold of two values is none of neighbours in a list that is taken in order.
std::optional<PacketBlock> not_side_by_side(const OwnFolds& folds, std::span<const PacketBlock> left,
                                            std::span<const PacketBlock> right) {
    PacketSet both;
    both.include(left);
    both.include(right);
    const PacketSet segments = rows_of(both.blocks());
    for (const PacketBlock& some : segments.blocks())
        for (std::uint32_t i = 0; i < some.count; ++i) {
            const std::uint32_t segment = some.columns()[i];
            const PacketSet all = in_segment(both.blocks(), segment);
            const bool fits = folds.are_in_order(segment, all) &&
                              folds.fits_in_order(segment, in_segment(left, segment), all) &&
                              folds.fits_in_order(segment, in_segment(right, segment), all);
            if (!fits) return PacketBlock{lowest_of(all.blocks()), 1, 1, segment};
        }
    return std::nullopt;
}

/// Whether both are a run of the same segments, and meet.
bool are_one_run(std::span<const PacketBlock> left, std::span<const PacketBlock> right) {
    return left.size() == 1 && right.size() == 1 && left.front().all_rows() == right.front().all_rows() &&
           neighbours(left.front().columns(), right.front().columns());
}

/// The block of contributions in both that begins lowest, whatever the order of theirs; they have some in common.
PacketBlock lowest_common(std::span<const PacketBlock> left, std::span<const PacketBlock> right) {
    const PacketBlocks both = in_both(left, right);
    return std::ranges::min(both, {}, [](const PacketBlock& block) { return std::pair(block.row, block.first); });
}

}  // namespace

Value Runner::contribution(Node& node) {
    require_reduction(node);
    const Folder& folder = *stage_.folder;
    if (stage_.takes_own_folds) [[unlikely]]
        return given_contribution(node, rows_of(stage_.judged.owned(node.id(), stage_.topology.nodes()).blocks()));
    if (!stage_.contributions.empty()) {
        Body* made = stage_.contributions[node.id()];
        made->hold();
        return Value(made);
    }
    if (!folder.has_elements()) return Value(folder.contribution(node.id(), pool_));
    return Value(folder.sealed_element(node.id()));
}

// ----------------------------------------------------------------------------------------- values that are what they were

void Runner::note_changed(NodeId v, NodeId from, Round round, std::span<const PacketBlock> contributions) {
    const NodeId nodes = stage_.topology.nodes();
    const bool whole = stage_.folder && contributions.front().first == nodes;
    const PacketSet all = whole ? all_contributions_to(contributions) : PacketSet();
    const std::uint64_t segments =
        stage_.folder ? stage_.folder->segments() : 1;  // contents of a program are no vector
    Violation differs = value_differs(v, from, round, whole ? all.blocks() : contributions, nodes, segments);
    if (stage_.contents) differs.breach = Breach::contents_differ;
    breaches_.push_back(differs);
}

void Runner::judge_changed(const Node& node, const Value& value) {
    const Body* body = value.body();
    if (!value.is_element() && body == nullptr) refuse(node, "uses a value that was never made in this run");
    const FewBlocks few = value.element().blocks();
    for (const PacketBlock& block : body != nullptr ? body->blocks() : few.blocks()) require_contributions(node, block);
    const PacketSet contributions = value.contributions();
    told_breach(node);
    note_changed(node.id(), no_node, round_, contributions.blocks());
}

Value Runner::sent_value(const Node& node, const Cargo& cargo) {
    if (cargo.kind() == Cargo::Kind::data) refuse_contents(node);
    if (cargo.kind() != Cargo::Kind::value) refuse(node, "sends packets instead of a value");
    const Value& value = cargo.value();
    // A changed value gets a new checksum, so that its receiver reports only what changed on the way.
    const Body* const body = value.body();
    if (body == nullptr) {
        judge_use(node, value);  // which refuses what is no element
        Element element = value.element();
        element.seal = stage_.folder->seal_of(element);
        return Value(element);
    }
    Body* copy = Body::make(body->blocks(), body->byte_count(), pool_);
    if (body->twice != nullptr) [[unlikely]]
        copy->set_twice(*body->twice, pool_);
    copy->seal = stage_.folder->sealer().of_copied(body->blocks(), body->content(), copy->bytes());
    const Value sent(copy);
    if (copy->seal != body->seal) [[unlikely]]
        judge_changed(node, value);
    return sent;
}

void Runner::take_changed(NodeId v, NodeId from, Round round, Element& value) {
    note_changed(v, from, round, value.blocks().blocks());
    value.seal = stage_.folder->seal_of(value);  // it is told once
}

void Runner::take_value(NodeId v, NodeId from, Round round, Body& value) {
    if (stage_.sabotage != nullptr) [[unlikely]]
        may_harm(v, from, round, {value.bytes(), value.byte_count()}, value.seal);
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

bool Runner::judge_fold(const Node& node, std::span<const PacketBlock> left, std::span<const PacketBlock> right) {
    const bool commutes = stage_.folder->reduction().commutative() || stage_.judged.unfolded;
    // Nearly all folds bring neighbours together, of which no contribution is in both.
    if (left.size() == 1 && right.size() == 1 && neighbours(left.front(), right.front()) &&
        (commutes || left.front().first < right.front().first) && !stage_.takes_own_folds) [[likely]]
        return true;
    const std::size_t before = breaches_.size();
    const OwnFolds* const folds = stage_.judged.own_folds();
    const auto told = [&](Breach what, const PacketBlock& contribution, std::uint32_t other) {
        Violation breach;
        breach.breach = what;
        breach.round = round_;
        breach.node = node.id();
        breach.name_packet({&contribution, 1}, stage_.topology.nodes(), stage_.folder->segments());
        breach.limit = other;
        told_breach(node);
        breaches_.push_back(breach);
    };
    if (!commutes)
        if (const auto wrong = out_of_order(left, right)) told(Breach::folded_out_of_order, wrong->left, wrong->right);
    if (stage_.job.collective.rules.nodup == Force::law && common_size(left, right) != 0)
        told(Breach::folded_twice, lowest_common(left, right), 0);
    if (folds != nullptr && folds->has_orders())
        if (const auto wrong = not_side_by_side(*folds, left, right)) told(Breach::not_side_by_side, *wrong, 0);
    return breaches_.size() == before;
}

Value Runner::merge(Node& node, const Value& one, const Value& other) {
    const bool made = (one.is_element() || one.body() != nullptr) && (other.is_element() || other.body() != nullptr);
    if (!made) return fold(node, one, other);  // which refuses them
    const auto begins = [](const Value& value) {
        return value.is_element() ? value.element().lowest() : lowest_of(value.body()->blocks());
    };
    const bool in_order = stands_left(begins(one), begins(other));
    const Value& left = in_order ? one : other;
    const Value& right = in_order ? other : one;
    if (!stage_.judged.in_runs || stage_.judged.unfolded || is_whole(one) || is_whole(other))
        return fold(node, left, right);
    const PacketSet first = left.contributions();
    const PacketSet second = right.contributions();
    const PacketSet segments = own_segments(left);
    const PacketSet others = own_segments(right);
    const bool are_alike = segments.size() == others.size() && segments.covers(others.blocks());
    const bool stay_apart =
        are_alike && !are_one_run(first.blocks(), second.blocks()) && common_size(first.blocks(), second) == 0;
    if (!stay_apart) return fold(node, left, right);
    judge_use(node, left);
    judge_use(node, right);
    return merged(left, right);
}

std::vector<Value> Runner::runs(Node& node, const Value& value) {
    require_reduction(node);
    judge_use(node, value);
    if (!stage_.judged.in_runs || value.is_element() || is_whole(value)) return {value};
    return stage_.folder->runs(*value.body(), pool_);
}

Value Runner::fold(Node& node, const Value& left, const Value& right) {
    require_reduction(node);
    if (stage_.sabotage != nullptr) [[unlikely]]
        return sabotaged_fold(node, left, right);
    return folded(node, left, right);
}

/// Nearly all folds: of elements that are what they were, neighbours, in order or of an operator that commutes.
inline bool Runner::folds_at_once(const Value& left, const Value& right) const {
    if (stage_.takes_own_folds) [[unlikely]]
        return false;
    if (!left.is_element() || !right.is_element()) return false;
    const Progression a = left.element().contributions;
    const Progression b = right.element().contributions;
    const NodeId results = stage_.topology.nodes();
    const bool parts = a.first < results && b.first < results;
    return parts && neighbours(a, b) && (a.first < b.first || stage_.folder->reduction().commutative()) &&
           is_intact(left) && is_intact(right);
}

/// What the same of a segment give, without bits and seal; if the operator commutes also from the last node on to the first, which
/// are no neighbours in runs.
inline std::optional<Element> Runner::folded_at_once(const Value& left, const Value& right) const {
    if (stage_.takes_own_folds) [[unlikely]]
        return std::nullopt;
    if (!left.is_element() || !right.is_element()) return std::nullopt;
    const Element a = left.element();
    const Element b = right.element();
    const NodeId results = stage_.topology.nodes();
    const bool commutes = stage_.folder->reduction().commutative();
    const bool parts = a.contributions.first < results && b.contributions.first < results;
    if (!parts || !(commutes || a.contributions.first < b.contributions.first)) return std::nullopt;
    const auto both = side_by_side(a, b, commutes && !stage_.judged.in_runs, results);
    return both && is_intact(left) && is_intact(right) ? both : std::nullopt;
}

/// Large values of parts that are folded as they stand: looking at their bytes for their seals costs as much as the fold.
bool Runner::folds_in_one_pass(const Body& left, const Body& right) const {
    constexpr std::uint64_t large = 1024;
    const auto is_of_parts = [&](const Body& body) {
        return !body.blocks().empty() && body.blocks().front().first < stage_.topology.nodes();
    };
    return left.byte_count() >= large && left.byte_count() == right.byte_count() && !stage_.judged.in_runs &&
           !stage_.folder->has_texts() && is_of_parts(left) && is_of_parts(right) &&
           stage_.folder->fit_together(left, right);
}

Value Runner::folded(const Node& node, const Value& left, const Value& right) {
    if (stage_.judged.unfolded) [[unlikely]] {
        judge_use(node, left);
        judge_use(node, right);
        if (!is_whole(left) && !is_whole(right)) return unfolded(node, left, right);
    }
    if (stage_.folder->segments() == 1) {
        if (folds_at_once(left, right)) [[likely]] {
            const Element l = left.element();
            const Element r = right.element();
            return Value(stage_.folder->fold(l, r, joined_neighbours(l.contributions, r.contributions)));
        }
    } else if (const auto both = folded_at_once(left, right)) [[likely]] {
        return Value(stage_.folder->fold(left.element(), right.element(), *both));
    }
    for (const Value* value : {&left, &right}) Body::prefetch(value->body());
    if (left.body() != nullptr && right.body() != nullptr && folds_in_one_pass(*left.body(), *right.body())) {
        Folder::Intact intact{};
        const Value both(stage_.folder->fold(*left.body(), *right.body(), pool_, &intact));
        if (!intact.left) judge_changed(node, left);
        if (!intact.right) judge_changed(node, right);
        judge_fold(node, left.body()->blocks(), right.body()->blocks());
        return both;
    }
    return folded_parts(node, as_contributions(node, left), as_contributions(node, right));
}

Value Runner::unfolded(const Node& node, const Value& left, const Value& right) {
    const Value one = with_body(left);
    const Value other = with_body(right);
    if (!stage_.folder->fit_together(*one.body(), *other.body()))
        refuse(node, "folds values of different segments; cut them first");
    judge_fold(node, one.body()->blocks(), other.body()->blocks());
    return merged(one, other);
}

Value Runner::folded_parts(const Node& node, const Value& left, const Value& right) {
    const Folder& folder = *stage_.folder;
    if (left.is_element() != right.is_element()) [[unlikely]]
        return folded_parts(node, with_body(left), with_body(right));
    if (!left.is_element()) {
        if (!folder.fit_together(*left.body(), *right.body()))
            refuse(node, "folds values of different segments; cut them first");
        const auto l = left.body()->blocks();
        const auto r = right.body()->blocks();
        const bool lawful = judge_fold(node, l, r);
        // Texts of several segments are folded segment by segment, however they stand; but not twice (Folder::fold()).
        const bool again = !lawful && (left.body()->twice != nullptr || right.body()->twice != nullptr);
        const bool by_segment = folder.has_texts() && folder.segments() > 1 && !again;
        const bool differ = !folder.has_texts() && left.body()->byte_count() != right.body()->byte_count();
        const bool apart = by_segment || (stage_.judged.in_runs && (lawful ? !are_one_run(l, r) : differ));
        return apart ? merged(left, right) : Value(folder.fold(*left.body(), *right.body(), pool_));
    }
    const Element l = left.element();
    const Element r = right.element();
    if ((l.around | r.around) != 0 || l.segment != r.segment)
        return folded_parts(node, with_body(left), with_body(right));
    const PacketBlock a = l.block();
    const PacketBlock b = r.block();
    const bool lawful = judge_fold(node, {&a, 1}, {&b, 1});
    const bool apart = lawful && stage_.judged.in_runs && !neighbours(a, b);
    if (apart) return merged(left, right);
    if (const auto both = joined(a, b); both && both->size() == a.size() + b.size()) [[likely]] {
        Element named(both->columns(), 0);
        named.segment = l.segment;
        return Value(folder.fold(l, r, named));
    }
    return Value(folder.fold(*with_body(left).body(), *with_body(right).body(), pool_));
}

Value Runner::merged(const Value& left, const Value& right) {
    const Value one = with_body(left);
    const Value other = with_body(right);
    const std::array<const Body*, 2> both{one.body(), other.body()};
    return Value(stage_.folder->merged(both, pool_));
}

Value Runner::in_one(const Value& value) {
    if (!stage_.judged.unfolded || value.body() == nullptr) return value;
    return Value(stage_.folder->in_one(*value.body(), pool_));
}

Value Runner::with_body(const Value& value) {
    if (!value.is_element()) return value;
    return Value(stage_.folder->body_of(value.element(), pool_));
}

Value Runner::renamed(const Node& node, const Value& value, std::span<const PacketBlock> contributions) {
    const Folder& folder = *stage_.folder;
    if (value.is_element()) {
        Element element = value.element();
        element.contributions = contributions.front().columns();
        element.around = 0;
        element.seal = folder.seal_of(element);
        return Value(element);
    }
    bool intact = true;
    const Value same(folder.renamed(*value.body(), contributions, pool_, intact));
    if (!intact) judge_changed(node, value);
    return same;
}

PacketSet Runner::all_contributions_to(std::span<const PacketBlock> packets) const {
    return stage_.job.collective.in_results(packets, stage_.topology.nodes());
}

Value Runner::as_contributions(const Node& node, const Value& value) {
    if (value.body() == nullptr || !is_whole(value)) judge_use(node, value);
    if (!is_whole(value)) return value;
    const PacketSet results = value.contributions();
    const PacketSet all = all_contributions_to(results.blocks());
    return renamed(node, value, all.blocks());
}

Value Runner::whole(Node& node, const Value& value) {
    require_reduction(node);
    if (value.body() == nullptr || is_whole(value)) judge_use(node, value);
    if (is_whole(value)) return value;
    const NodeId nodes = stage_.topology.nodes();
    const PacketSet folded = value.contributions();
    const PacketSet all = all_contributions_to(folded.blocks());
    const PacketSet segments = rows_of(folded.blocks());
    const auto tell = [&](Breach breach, const PacketBlocks& packets) {
        if (packets.empty()) return;
        Violation wrong;
        wrong.breach = breach;
        wrong.round = round_;
        wrong.node = node.id();
        wrong.name_packet(span_of(packets).first(1), nodes, stage_.folder->segments());
        told_breach(node);
        breaches_.push_back(wrong);
    };
    tell(Breach::result_lacks, without(all.blocks(), folded.blocks()));
    if (stage_.takes_own_folds) {
        if (const PacketSet known = rows_of(all.blocks()); !known.covers(segments.blocks()))
            refuse(node,
                   fmt::format("calls a value the result of segment {}, of which nodes take different folds, or none",
                               without(segments.blocks(), known).front().first));
        tell(Breach::result_exceeds, without(folded.blocks(), all.blocks()));
    }
    PacketBlocks results;
    for (const PacketBlock& some : segments.blocks()) results.push_back(result_packets(nodes, some.columns()));
    return renamed(node, in_one(value), span_of(results));
}

void Runner::result(Node& node, const Value& value) {
    require_reduction(node);
    Body*& kept = stage_.results[node.id()];
    if (kept != nullptr) kept->release(pool_);
    const std::size_t told = breaches_.size();
    const Value parts = as_contributions(node, value);  // which refuses a value that was never made
    const Value given = with_body(is_whole(value) ? parts : in_one(parts));
    if (breaches_.size() != told) given.body()->seal = stage_.folder->seal_of(*given.body());  // it is told once
    given.body()->hold();
    kept = given.body();
    told_result(node.id(), *kept);
}

}  // namespace kport
