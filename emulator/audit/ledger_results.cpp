/// The part of the ledger that knows which values came to a node, and judges its result.
#include <algorithm>
#include <ranges>
#include <utility>

#include "emulator/audit/ledger.hpp"
#include "emulator/audit/ledger_findings.hpp"
#include "emulator/base/error.hpp"
#include "emulator/schedule/packet_parts.hpp"

namespace kport {

// ------------------------------------------------------------------------------------------------- values that came

namespace {

/// Calls visit(value) for the values that came to node v, where each was a neighbouring range as large as what it held:
/// the half without v of the range that it holds, then of the half with v, and so on.
template <class Visit>
void for_each_doubling(PacketBlock held, NodeId v, Visit&& visit) {
    while (held.count > 1) {
        PacketBlock low = held;
        low.count /= 2;
        PacketBlock high = low;
        high.first += low.count;
        const bool is_low = v < high.first;
        visit(is_low ? high : low);
        held = is_low ? low : high;
    }
}

/// Whether `packets` are node v's own and whole values that came by doubling.
bool is_sum_of_doublings(const PacketBlock& held, NodeId v, const PacketBlock& packets) {
    const PacketBlock alone{static_cast<std::uint32_t>(v)};
    std::uint64_t size = covers(packets, alone) ? 1 : 0;
    for_each_doubling(held, v, [&](const PacketBlock& value) { size += covers(packets, value) ? value.count : 0; });
    return size == packets.size();
}

/// Returns all that a node holds but its own contribution.
PacketSet came_at_once(const PacketSet& held, NodeId v) {
    const PacketBlock alone{static_cast<std::uint32_t>(v)};
    PacketSet others = held;
    others.remove({&alone, 1});
    return others;
}

}  // namespace

void Ledger::list_came(Books& own, NodeId v) {
    if (own.doubled)
        for_each_doubling(own.held.block(), v, [&](const PacketBlock& value) { note_came(own, {&value, 1}); });
    else if (own.came_at_once)
        note_came(own, came_at_once(own.held, v).blocks());
    own.doubled = own.came_at_once = false;
}

void Ledger::note_came(Books& own, std::span<const PacketBlock> value) {
    std::deque<Came>& came = came_[own.shard];
    const auto note = [&](const Progression& contributions, bool begins) {
        if (came.size() == Came::none)
            throw DoesNotFit("an audit of a reduction holds fewer than 2^31 values that came");
        came.push_back({contributions, own.last_came & Came::none, begins});
        own.last_came = static_cast<std::uint32_t>(came.size() - 1);
    };
    if (collective_.in_runs)
        for (const Progression& one : values_of(value, collective_)) note(one, true);
    else
        for (const PacketBlock& block : value) note(block.columns(), &block == value.data());
}

bool Ledger::adds_up(Books& own, std::span<const PacketBlock> contributions) const {
    constexpr int few = 64;
    constexpr std::uint32_t few_times = 4;
    if (own.doubled || own.came_at_once) return false;
    const std::deque<Came>& came = came_[own.shard];
    if (!own.rare_or_null || own.rare_or_null->long_looks < few_times) {
        std::uint32_t value = own.last_came;
        for (int walked = 0; walked < few && value != Came::none; ++walked) value = came[value].before;
        if (value == Came::none || ++own.rare().long_looks < few_times) return false;
    }
    Rare& rare = own.rare();
    for (std::uint32_t i = own.last_came; i != rare.came_runs_end; i = came[i].before)
        rare.came_runs.note(came[i].contributions, came[i].begins);
    rare.came_runs_end = own.last_came;
    return std::ranges::all_of(contributions,
                               [&](const PacketBlock& block) { return rare.came_runs.adds_up_to(block.columns()); });
}

template <class IsPart>
PacketSet Ledger::inseparable(const Books& own, NodeId v, std::span<const PacketBlock> contributions,
                              const IsPart& is_part) const {
    if (collective_.unfolded) return {};
    const bool is_all = size_of(contributions) == own.held.size() && own.held.covers(contributions);
    if (is_all && folds_ == nullptr) return {};
    if (own.doubled && contributions.size() == 1 && is_sum_of_doublings(own.held.block(), v, contributions.front()))
        return {};
    PacketSet left;
    left.add(distinct(contributions));
    const PacketSet named = collective_.in_runs ? left : PacketSet();  // of many runs that came few may be asked for
    const PacketBlock alone{static_cast<std::uint32_t>(v)};            // its own contribution
    left.remove({&alone, 1});
    const auto take = [&](std::span<const PacketBlock> value) {
        const bool is_in = collective_.in_runs ? named.covers(value) : without(value, contributions).empty();
        if (is_in && is_part(value)) left.remove(value);
    };
    if (own.doubled) for_each_doubling(own.held.block(), v, [&](const PacketBlock& value) { take({&value, 1}); });
    if (own.came_at_once) take(came_at_once(own.held, v).blocks());
    const std::deque<Came>& came = came_[own.shard];
    PacketBlocks value;
    for (std::uint32_t i = own.last_came; i != Came::none && !left.empty(); i = came[i].before) {
        value.push_back(block_of({}, came[i].contributions));
        if (!came[i].begins) continue;
        take(span_of(value));
        value.clear();
    }
    PacketSet held;
    held.add(in_both(left.blocks(), own.held));
    return held;
}

PacketSet Ledger::inseparable(const Books& own, NodeId v, std::span<const PacketBlock> contributions) const {
    return inseparable(own, v, contributions, [](std::span<const PacketBlock>) { return true; });
}

PacketSet Ledger::out_of_order(const Books& own, NodeId v, std::uint32_t segment,
                               std::span<const PacketBlock> contributions, bool is_taken) const {
    PacketSet all;
    all.add(distinct(contributions));
    if (!is_taken && !folds_->are_in_order(segment, all)) return all;
    if (is_taken && !folds_->takes_in_order(v, segment)) return {};
    PacketSet parts = inseparable(own, v, contributions, [&](std::span<const PacketBlock> value) {
        PacketSet part;
        part.add(distinct(value));
        return folds_->fits_in_order(segment, part, all);
    });
    parts.remove(inseparable(own, v, contributions));
    return parts;
}

bool Ledger::is_right_doubling(NodeId v, std::span<const PacketBlock> contributions, const PacketSet& right) {
    if (contributions.size() != 1 || !right.is_block() || contributions.front() != right.block()) return false;
    return change_doubling(v, [&](Doubling& own) {
        own.result = static_cast<std::uint8_t>(Result::right);
        const PacketBlock held = block_of({}, own.held());
        return contributions.front() == held || is_sum_of_doublings(held, v, contributions.front());
    });
}

void Ledger::result(unsigned shard, Round round, NodeId v, std::span<const PacketBlock> contributions,
                    std::span<const PacketBlock> twice, ViolationLog& log) {
    const PacketSet right = collective_.wanted(v, nodes_);
    if (doubles_ && twice.empty() && is_right_doubling(v, contributions, right)) return;
    Result& own_result = segments_ == 1 ? books(shard, v).result : vector(shard, v).result;
    own_result = Result::right;
    if (right.empty()) {  // it has no contributions to compare
        Violation not_due;
        not_due.breach = Breach::result_not_due;
        not_due.round = round;
        not_due.node = v;
        if (collective_.inwards()) not_due.other = collective_.root;
        if (folds_ != nullptr) not_due.limit = 1;
        log.add(not_due);
        return;
    }
    const Transfer from_nobody{v, v, {}, {}};
    const auto judge = [&](Breach breach, std::span<const PacketBlock> packets) {
        if (packets.empty()) return;
        Violation found = violation(breach, round, v, from_nobody, packets);
        found.other = no_node;
        if (breach == Breach::result_lacks) found.limit = size_of(packets);
        log.add(found);
        own_result = Result::wrong;
    };
    const bool are_right = contributions.size() == 1 && right.is_block() && contributions.front() == right.block();
    const PacketBlocks lacking = are_right ? PacketBlocks() : without(right.blocks(), contributions);
    judge(Breach::result_lacks, span_of(lacking));
    PacketBlocks excess;
    if (!lacking.empty() || size_of(contributions) != right.size()) excess = without(contributions, right.blocks());
    judge(Breach::result_exceeds, excess.empty() ? twice : span_of(excess));
    if (segments_ > 1) {
        Vector& own = vector(shard, v);
        if (are_right && right.block() == block_of(all_segments(segments_), all_contributions().columns()) &&
            own.results.are_all(segments_))
            return;
        own.note_results();
    }
    // It sums up whole received values. A node that got a result as one packet got all of it.
    Findings findings(*this, round, v, from_nobody, no_port);
    for_each_books(
        shard, v, contributions,
        [&](const ArcBooks& own, std::span<const PacketBlock> given) { return gives(own, given); },
        [&](std::uint32_t segment, const Books& own, std::span<const PacketBlock> given) {
            if (folds_ == nullptr && given.size() == 1 &&
                ((own.held.is_block() && given.front() == own.held.block()) ||
                 (own.has_result && given.front() == all_contributions())))
                return;
            PacketSet came;
            came.add(given);
            remove_given(came, own, segment == Violation::no_segment ? 0 : segment);
            if (came.empty()) return;
            findings.of_segment(segment);
            const PacketBlocks unheld = without(came.blocks(), own.held);
            findings.add(Breach::result_unheld, span_of(unheld));
            const PacketSet parts = inseparable(own, v, came.blocks());
            findings.add(Breach::taken_apart, parts.blocks());
            if (folds_ != nullptr)
                findings.add(Breach::not_side_by_side,
                             out_of_order(own, v, findings.segment(), came.blocks(), true).blocks());
        });
    if (findings.empty()) return;
    own_result = Result::wrong;
    findings.tell_of_result(log);
}

void Ledger::left(unsigned shard, Round round, NodeId v, ViolationLog& log) {
    const PacketSet right = collective_.wanted(v, nodes_);
    const PacketSet& held = books(shard, v).held;
    if (held.covers(right.blocks())) return;
    const PacketBlocks unknown = without(right.blocks(), held);
    Violation early = violation(Breach::left_early, round, v, Transfer{v, v, {}, {}}, span_of(unknown));
    early.other = no_node;
    log.add(early);
}

PacketSet Ledger::missing(const Books& own, NodeId v, std::uint32_t segment, std::span<const PacketBlock> right) const {
    PacketSet due;
    due.add(right);
    remove_given(due, own, segment);  // of a scan, the last node's alone
    PacketSet lacking;
    if (!own.held.covers(due.blocks())) lacking.add(without(due.blocks(), own.held));
    if (reduces_) lacking.add(inseparable(own, v, due.blocks()));
    if (folds_ != nullptr && !due.empty()) lacking.include(out_of_order(own, v, segment, due.blocks(), true));
    return lacking;
}

PacketSet Ledger::missing(NodeId v) const {
    if (!came_once_.empty()) return has_own_part(v) ? PacketSet() : collective_.wanted(v, nodes_);
    const PacketSet right = collective_.wanted(v, nodes_);
    if (segments_ == 1) {
        if (!held_bits_.of_none())
            return held_bits_.has_all(v) ? PacketSet() : missing(books_as_they_are(v), v, 0, right.blocks());
        if (const Books* own = books_[v].elsewhere()) return missing(*own, v, 0, right.blocks());  // no copy
        return missing(books_as_they_are(v), v, 0, right.blocks());
    }
    PacketSet lacking;
    std::uint64_t looked_at = 0;
    const auto look = [&](const Progression& segments, const ArcBooks& arcs) {
        looked_at += segments.count;
        const Books own = arcs.books_or_null ? Books(*arcs.books_or_null) : books_of(0, arcs);
        for_each_part(right.blocks(), [&](const Progression& wanted, std::span<const PacketBlock> due) {
            const auto rows = common(segments, wanted);
            if (!rows) return;
            const PacketSet some = missing(own, v, rows->first, due);
            for (const PacketBlock& of : some.blocks()) lacking.add(block_of(*rows, of.columns()));
        });
    };
    if (right.empty()) return lacking;
    if (vectors_[v] != nullptr) {
        vectors_[v]->note_results();
        std::as_const(vectors_[v]->segments).for_each(look);
    } else if (folds_ == nullptr)
        look(all_segments(segments_), ArcBooks(v));
    else
        fresh_vector(0, v).segments.for_each(look);
    invariant(looked_at == segments_, "every segment of a node has books, and once");
    return lacking;
}

NodeId Ledger::lacking_of(NodeId v) const {
    const PacketSet lacking = missing(v);
    return collective_.packets_each == 1 ? std::min<NodeId>(nodes_, lacking.size())
                                         : columns_of(lacking.blocks()).size();
}

PacketBlocks Ledger::held_as_promised(NodeId v) const {
    if (!came_once_.empty() && !has_own_part(v)) return {};
    const PacketSet right = collective_.wanted(v, nodes_);
    if (!came_once_.empty()) return {right.blocks().begin(), right.blocks().end()};
    if (!held_bits_.of_none() && !held_bits_.has_all(v)) return in_both(right.blocks(), held_bits_.set(v));
    if (!held_bits_.of_none()) return {right.blocks().begin(), right.blocks().end()};
    const Books* elsewhere = books_[v].elsewhere();
    const PacketSet own = elsewhere == nullptr ? collective_.owned(v, nodes_) : PacketSet();
    const PacketSet& held = elsewhere == nullptr ? own : elsewhere->held;
    if (right.is_block() && held.is_block() && held.covers(right.blocks())) [[likely]]
        return {right.block()};
    return in_both(right.blocks(), held);
}

namespace {

/// A node whose block of a reduce-scatter has no segments owes none.
bool owes_result(const Collective& collective, NodeId v, NodeId nodes) {
    return collective.gives_result(v) && (collective.counts == nullptr || !collective.wanted(v, nodes).empty());
}

}  // namespace

bool Ledger::satisfied(NodeId v, Round last, ViolationLog& log) const {
    Violation lacks;
    lacks.round = last;
    lacks.node = v;
    if (reduces_ && results_told_ && owes_result(collective_, v, nodes_)) {
        const Result result = result_of(v);
        if (result != Result::none) return result == Result::right;  // already reported
        lacks.breach = Breach::never_a_result;
    } else {
        const PacketSet rest = missing(v);
        if (rest.empty()) return true;
        if (reduces_) lacks.breach = Breach::result_lacks;
        lacks.name_packet(rest.blocks(), nodes_, segments_);
        lacks.limit = rest.size();
    }
    log.add(lacks);
    return false;
}

bool Ledger::satisfied_so_far(NodeId v) const {
    if (reduces_ && results_told_ && owes_result(collective_, v, nodes_)) return result_of(v) == Result::right;
    return missing(v).empty();
}

std::pair<std::uint64_t, std::uint64_t> Ledger::so_far(bool anything_moved) const {
    if (collective_.inwards()) {
        const NodeId owners = collective_.member_count(nodes_);
        return {share_.contains(collective_.root) ? owners - lacking_of(collective_.root) : 0, owners};
    }
    if (!anything_moved) return {0, nodes_};
    std::uint64_t served = 0;
    share_.for_each(nodes_, [&](NodeId v) { served += has_books(v) && satisfied_so_far(v) ? 1 : 0; });
    return {served, nodes_};
}

std::pair<std::uint64_t, std::uint64_t> Ledger::finish(Round last, ViolationLog& log) {
    if (collective_.inwards()) {
        const NodeId owners = collective_.member_count(nodes_);
        if (!share_.contains(collective_.root)) return {0, owners};
        if (satisfied(collective_.root, last, log)) return {owners, owners};
        return {std::min(owners - 1, owners - lacking_of(collective_.root)), owners};
    }
    std::uint64_t satisfied_nodes = 0;
    share_.for_each(nodes_, [&](NodeId v) { satisfied_nodes += satisfied(v, last, log) ? 1 : 0; });
    return {satisfied_nodes, nodes_};
}

}  // namespace kport
