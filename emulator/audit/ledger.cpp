#include "emulator/audit/ledger.hpp"

#include <algorithm>
#include <ranges>

#include "emulator/base/error.hpp"

namespace kport {

Ledger::Ledger(const Machine& machine, const Collective& collective, unsigned shards)
    : collective_(collective), nodes_(machine.topology->nodes()), combining_(machine.combining),
      reduces_(collective.folds()), strict_noho_(machine.noho == Noho::strict), books_(nodes_), by_shard_(shards),
      came_(reduces_ ? shards : 0), came_rows_(reduces_ && collective.segments() > 1 ? shards : 0), made_(shards),
      came_home_(shards), sent_last_(shards), unheld_sent_(shards) {}

Ledger::SentLast& Ledger::sent_in(unsigned shard, NodeId v, Round round, Books& own) {
    SentLast& last = sent_last_[shard][v];
    if (last.round != round) {
        own.sent.note(last.packets.blocks());
        last = {round, {}};
    }
    return last;
}

Ledger::Books& Ledger::open_books(unsigned shard, NodeId v) {
    Books& fresh = by_shard_[shard].emplace_back();
    fresh.held = collective_.owned(v, nodes_);
    fresh.shard = static_cast<std::uint16_t>(shard);
    books_[v] = &fresh;
    return fresh;
}

Violation Ledger::violation(Breach breach, Round round, NodeId node, const Transfer& transfer,
                            std::span<const PacketBlock> packets) const {
    Violation v;
    v.breach = breach;
    v.round = round;
    v.node = node;
    v.other = node == transfer.from ? transfer.to : transfer.from;
    v.name_packet(packets, nodes_, collective_.segments());
    return v;
}

bool Ledger::holds(Books& own, NodeId v, std::span<const PacketBlock> packets) {
    if (own.held.covers(packets)) return true;
    return reduces_ && packets.front().first == nodes_ && makes_results(own, v, packets);  // they travel alone
}

bool Ledger::makes_results(Books& own, NodeId v, std::span<const PacketBlock> packets) {
    PacketSet fresh;
    fresh.add(without(packets, own.held));
    const PacketSet all = contributions_to(fresh.blocks(), nodes_);
    const PacketBlocks lacking = without(all.blocks(), own.held);
    for (const PacketBlock& block : lacking) {
        const PacketBlock none = result_packets(nodes_, block.all_rows());
        fresh.remove({&none, 1});
    }
    if (!fresh.empty()) {
        list_doublings(own, v);
        own.held.add(fresh);
        made_[own.shard][v].add(fresh);
    }
    return lacking.empty();
}

PacketSet Ledger::given_by_results(const PacketSet& held, std::span<const PacketBlock> contributions) const {
    const PacketBlock results = result_packets(nodes_, all_segments(collective_));
    const PacketBlocks there = in_both({&results, 1}, held);
    if (there.empty()) return {};
    PacketSet all = contributions_to(span_of(there), nodes_);
    const PacketBlocks lacking = without(all.blocks(), contributions);
    all.remove(contributions_to(span_of(lacking), nodes_));
    return all;
}

void Ledger::sent(unsigned shard, Round round, const Transfer& transfer, ViolationLog& log) {
    Books& own = books(shard, transfer.from);
    const auto told = [&](Breach breach, std::span<const PacketBlock> packets) {
        Violation v = violation(breach, round, transfer.from, transfer, packets);
        v.port = transfer.route.front();
        v.limit = breach == Breach::bundled ? packets_in(transfer.packets) : size_of(transfer.packets);
        log.add(v);
    };
    if (!combining_ && packets_in(transfer.packets) > 1) told(Breach::bundled, transfer.packets);
    // Most bundles are one block of what is one block again.
    const PacketBlock& block = transfer.packets.front();
    const bool is_block = transfer.packets.size() == 1;
    const bool surely_held = is_block && own.held.is_block() && covers(own.held.block(), block);
    if (!surely_held && !holds(own, transfer.from, transfer.packets)) {
        // Empty where a contribution that was folded twice occurs twice: that fold is already reported.
        const PacketBlocks unheld = without(transfer.packets, own.held);
        if (!unheld.empty()) told(Breach::sent_unheld, span_of(unheld));
        unheld_sent_[shard] = 1;
    }
    // Nearly all senders send all that they hold.
    if (reduces_ && !(surely_held && block == own.held.block())) {
        const PacketSet parts = inseparable(own, transfer.from, transfer.packets);
        if (!parts.empty()) told(Breach::taken_apart, parts.blocks());
    }
    if (strict_noho_) {
        sent_in(shard, transfer.from, round, own).packets.note(transfer.packets);
        return;
    }
    if (is_block && (own.sent.empty() || (own.sent.is_block() && covers(block, own.sent.block())))) {
        own.sent.replace(block);  // it holds all that was sent before, as partial results do
        return;
    }
    own.sent.note(transfer.packets);
}

void Ledger::received(unsigned shard, Round round, const Transfer& transfer, Port in, ViolationLog& log) {
    Books& own = books(shard, transfer.to);
    const PacketBlock& block = transfer.packets.front();
    const bool grows_a_block = transfer.packets.size() == 1 && own.held.is_block() &&
                               neighbours(own.held.block(), block) && unheld_sent_[shard] == 0;
    if (reduces_ && !(own.doubled && grows_a_block && block.count == own.held.block().count)) {
        list_doublings(own, transfer.to);
        note_came(own, transfer.packets);
    }
    if (grows_a_block) [[likely]] {
        own.held.replace(joined_neighbours(own.held.block(), block));
        return;
    }
    const std::uint64_t known = common_size(transfer.packets, own.held);
    if (known == 0 && unheld_sent_[shard] == 0) [[likely]] {
        own.held.add(transfer.packets);
        return;
    }
    const auto told = [&](Breach breach, const PacketSet& packets) {
        if (packets.empty()) return;
        Violation v = violation(breach, round, transfer.to, transfer, packets.blocks());
        v.port = in;
        log.add(v);
    };
    if (strict_noho_) (void)sent_in(shard, transfer.to, round, own);
    PacketSet came;
    came.add(transfer.packets);
    told(Breach::received_again, received_before(shard, transfer.to, came, own));
    PacketSet own_again = came;
    own_again.keep(own.sent);
    told(Breach::received_own, own_again);
    own.held.include(came);
}

namespace {

/// Calls visit(value) for the values that came to node v, where each was a neighbour of what it held and as large: the
/// halves without v of the range that it holds, of its half with v, and so on.
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

}  // namespace

void Ledger::list_doublings(Books& own, NodeId v) {
    if (!own.doubled) return;
    own.doubled = false;
    for_each_doubling(own.held.block(), v, [&](const PacketBlock& value) { note_came(own, {&value, 1}); });
}

void Ledger::note_came(Books& own, std::span<const PacketBlock> value) {
    std::deque<Came>& came = came_[own.shard];
    for (const PacketBlock& block : value) {
        if (came.size() == Came::none)
            throw DoesNotFit("an audit of a reduction holds fewer than 2^31 values that came");
        const bool begins = &block == value.data();
        came.push_back({block.columns(), own.last_came & Came::none, begins});
        if (!came_rows_.empty()) came_rows_[own.shard].push_back(block.all_rows());
        own.last_came = static_cast<std::uint32_t>(came.size() - 1);
    }
}

PacketSet Ledger::inseparable(const Books& own, NodeId v, std::span<const PacketBlock> contributions) const {
    if (size_of(contributions) == own.held.size() && own.held.covers(contributions)) return {};  // all that it holds
    // What a node contributes itself stands alone, and so do results.
    const Progression segments = all_segments(collective_);
    const PacketBlock alone[] = {block_of(segments, {static_cast<std::uint32_t>(v)}), result_packets(nodes_, segments)};
    PacketSet left;
    left.add(distinct(contributions));
    left.remove(alone);
    const auto take = [&](std::span<const PacketBlock> value) {
        const PacketBlocks lacking = without(value, contributions);
        if (lacking.empty()) left.remove(value);
        if (lacking.empty() || collective_.segments() == 1) return;
        PacketSet whole;  // of the segments that are not taken apart
        whole.add(value);
        whole.remove(contributions_to(span_of(lacking), nodes_));
        left.remove(whole);
    };
    if (own.doubled) for_each_doubling(own.held.block(), v, [&](const PacketBlock& value) { take({&value, 1}); });
    const std::deque<Came>& came = came_[own.shard];
    PacketBlocks value;
    for (std::uint32_t i = own.last_came; i != Came::none && !left.empty(); i = came[i].before) {
        value.push_back(block_of(came_rows_.empty() ? Progression{} : came_rows_[own.shard][i], came[i].contributions));
        if (!came[i].begins) continue;
        take(span_of(value));
        value.clear();
    }
    PacketSet held;
    held.add(in_both(left.blocks(), own.held));
    return held;
}

PacketSet Ledger::received_before(unsigned shard, NodeId v, const PacketSet& came, const Books& own) {
    PacketSet had = collective_.owned(v, nodes_);
    if (const auto made = made_[shard].find(v); made != made_[shard].end()) had.add(made->second);
    PacketSet before = came;
    before.keep(own.held);
    before.remove(had);
    PacketSet back = came;
    back.keep(had);
    if (back.empty()) return before;
    PacketSet& home = came_home_[shard][v];
    PacketSet home_again = back;
    home_again.keep(home);
    before.include(home_again);
    home.include(back);
    return before;
}

namespace {

/// The packets in common of the first two blocks that overlap.
PacketBlocks first_twice(std::span<const PacketBlock> contributions) {
    for (std::size_t i = 0; i < contributions.size(); ++i)
        for (std::size_t j = i + 1; j < contributions.size(); ++j)
            if (const auto both = common(contributions[i], contributions[j])) return {*both};
    return {};
}

}  // namespace

void Ledger::result(unsigned shard, Round round, NodeId v, std::span<const PacketBlock> contributions,
                    ViolationLog& log) {
    const PacketSet right = collective_.wanted(v, nodes_);
    Books& own = books(shard, v);
    own.result = Result::right;
    if (right.empty()) {  // it has no contributions to compare
        Violation not_due;
        not_due.breach = Breach::result_not_due;
        not_due.round = round;
        not_due.node = v;
        not_due.other = collective_.root;
        log.add(not_due);
        return;
    }
    const auto judge = [&](Breach breach, std::span<const PacketBlock> packets) {
        if (packets.empty()) return;
        Violation found = violation(breach, round, v, Transfer{v, v, {}, {}}, packets);
        found.other = no_node;
        log.add(found);
        own.result = Result::wrong;
    };
    const PacketBlocks lacking = without(right.blocks(), contributions);
    judge(Breach::result_lacks, span_of(lacking));
    if (!lacking.empty() || size_of(contributions) != right.size()) {
        PacketBlocks excess = without(contributions, right.blocks());
        if (excess.empty()) excess = first_twice(contributions);
        judge(Breach::result_exceeds, span_of(excess));
    }
    if (contributions.size() == 1 && own.held.is_block() && contributions.front() == own.held.block()) return;
    // It sums up what came to the node, as it came. Whoever got a result as one packet got all of it.
    PacketBlocks came(contributions.begin(), contributions.end());
    if (const PacketSet given = given_by_results(own.held, contributions); !given.empty())
        came = without(contributions, given);
    if (came.empty()) return;
    const PacketBlocks unheld = without(span_of(came), own.held);
    judge(Breach::result_unheld, span_of(unheld));
    const PacketSet parts = inseparable(own, v, span_of(came));
    judge(Breach::taken_apart, parts.blocks());
}

PacketSet Ledger::missing(NodeId v) const {
    PacketSet right = collective_.wanted(v, nodes_);
    const PacketSet own = books_[v] == nullptr ? collective_.owned(v, nodes_) : PacketSet();
    const PacketSet& held = books_[v] == nullptr ? own : books_[v]->held;
    // A result sums up all: of a scan, the last node's alone.
    if (reduces_) right.remove(given_by_results(held, right.blocks()));
    PacketSet lacking;
    if (!held.covers(right.blocks())) lacking.add(without(right.blocks(), held));
    if (reduces_ && books_[v] != nullptr) lacking.add(inseparable(*books_[v], v, right.blocks()));
    return lacking;
}

NodeId Ledger::lacking_of(NodeId v) const {
    const PacketSet lacking = missing(v);
    return collective_.packets_each == 1 ? std::min<NodeId>(nodes_, lacking.size())
                                         : columns_of(lacking.blocks()).size();
}

PacketBlocks Ledger::held_as_promised(NodeId v) const {
    const PacketSet own = books_[v] == nullptr ? collective_.owned(v, nodes_) : PacketSet();
    const PacketSet& held = books_[v] == nullptr ? own : books_[v]->held;
    const PacketSet right = collective_.wanted(v, nodes_);
    if (right.is_block() && held.is_block() && held.covers(right.blocks())) [[likely]]
        return {right.block()};
    return in_both(right.blocks(), held);
}

bool Ledger::satisfied(NodeId v, Round last, ViolationLog& log) const {
    Violation lacks;
    lacks.round = last;
    lacks.node = v;
    if (reduces_ && results_told_) {
        const Result result = books_[v] == nullptr ? Result::none : books_[v]->result;
        if (result != Result::none) return result == Result::right;  // already reported
        lacks.breach = Breach::never_a_result;
    } else {
        const PacketSet rest = missing(v);
        if (rest.empty()) return true;
        if (reduces_) lacks.breach = Breach::result_lacks;
        lacks.name_packet(rest.blocks(), nodes_, collective_.segments());
    }
    log.add(lacks);
    return false;
}

bool Ledger::satisfied_so_far(NodeId v) const {
    if (reduces_ && results_told_) return books_[v] != nullptr && books_[v]->result == Result::right;
    return missing(v).empty();
}

std::pair<std::uint64_t, std::uint64_t> Ledger::so_far() const {
    if (collective_.inwards()) return {nodes_ - lacking_of(collective_.root), nodes_};
    const auto is_served = [&](NodeId v) { return books_[v] != nullptr && satisfied_so_far(v); };
    return {static_cast<std::uint64_t>(std::ranges::count_if(std::views::iota(NodeId{0}, nodes_), is_served)), nodes_};
}

std::pair<std::uint64_t, std::uint64_t> Ledger::finish(Round last, ViolationLog& log) {
    if (collective_.inwards()) {
        if (satisfied(collective_.root, last, log)) return {nodes_, nodes_};
        return {std::min(nodes_ - 1, nodes_ - lacking_of(collective_.root)), nodes_};
    }
    std::uint64_t satisfied_nodes = 0;
    for (NodeId v = 0; v < nodes_; ++v) satisfied_nodes += satisfied(v, last, log) ? 1 : 0;
    return {satisfied_nodes, nodes_};
}

}  // namespace kport
