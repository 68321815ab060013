#include "emulator/audit/ledger.hpp"

#include "emulator/audit/ledger_findings.hpp"

namespace kport {

Ledger::Ledger(const Machine& machine, const Collective& collective, unsigned shards, const NodeShare& share,
               bool brief)
    : collective_(collective), nodes_(machine.topology->nodes()), combining_(machine.combining || collective.signals()),
      reduces_(collective.folds()), segments_(collective.segments(nodes_)), strict_noho_(machine.noho == Noho::strict),
      doubles_(reduces_ && segments_ == 1 && !strict_noho_ && !collective.is_own()), brief_(brief),
      limits_relays_(collective.is_own() && collective.own()->passes_on != nullptr), folds_(collective_.own_folds()),
      share_(share), books_(segments_ == 1 ? nodes_ : 0, share), by_shard_(segments_ == 1 ? shards : 0),
      vectors_(segments_ > 1 ? nodes_ : 0, share), vectors_by_shard_(segments_ > 1 ? shards : 0),
      came_(reduces_ ? shards : 0), unheld_sent_(shards) {
    if (brief_ && collective.operation == Operation::scatter) came_once_ = NodeArray<Progression>(nodes_, share);
    // What a strict node has sent in this round counts by itself: those sets are lists.
    if (collective.operation->carries != Carries::copies || collective.packets_each == 1 || strict_noho_) return;
    held_bits_ = PacketTable(nodes_, collective.packets_each, share);
    if (!brief_) sent_bits_ = PacketTable(nodes_, collective.packets_each, share);
    share.for_each(nodes_, [&](NodeId v) {
        if (const PacketSet own = owned(v); !own.empty()) held_bits_.put(v, own);
    });
}

// -------------------------------------------------------------------------------------------------------------- books

PacketSet Ledger::owned(NodeId v, std::uint32_t segment) const {
    if (segments_ == 1) return collective_.owned(v, nodes_);
    PacketSet own = PacketSet::range(v, v + 1);
    if (folds_ == nullptr) return own;
    const PacketBlock contribution{static_cast<std::uint32_t>(v), 1, 1, segment};
    return collective_.owned(v, nodes_).covers({&contribution, 1}) ? own : PacketSet();
}

Ledger::Books Ledger::fresh_books(unsigned shard, NodeId v) const {
    Books fresh;
    fresh.shard = static_cast<std::uint16_t>(shard);
    if (segments_ > 1 || !books_[v].is_doubling()) {
        fresh.held = owned(v);
        fresh.doubled = folds_ == nullptr;
        return fresh;
    }
    const Doubling said = books_[v].doubling();
    fresh.held = block_of({}, said.held());
    if (said.has_sent()) fresh.sent = block_of({}, said.sent(v));
    fresh.result = static_cast<Result>(said.result);
    return fresh;
}

void Ledger::load(NodeId v, Books& own) const {
    if (held_bits_.of_none()) return;
    own.held = held_bits_.set(v);
    own.sent = sent_bits_.set(v);
}

void Ledger::store(NodeId v, Books& own) {
    if (held_bits_.of_none()) return;
    held_bits_.put(v, own.held);
    sent_bits_.put(v, own.sent);
    own.held.clear();
    own.sent.clear();
}

Ledger::Books Ledger::books_as_they_are(NodeId v) const {
    const Books* elsewhere = books_[v].elsewhere();
    Books own = elsewhere != nullptr ? *elsewhere : fresh_books(0, v);
    load(v, own);
    return own;
}

bool Ledger::has_books(NodeId v) const {
    // a node that has sent has received before
    if (!came_once_.empty()) return v == collective_.root || came_once_[v].count != 0;
    if (segments_ > 1) return vectors_[v] != nullptr;
    if (held_bits_.of_none() || !books_[v].is_none()) return !books_[v].is_none();
    if (brief_) return !held_bits_.has_none(v);  // its owner has sent what the others hold
    return !sent_bits_.has_none(v) || (!held_bits_.has_none(v) && owned(v).empty());
}

Ledger::Books& Ledger::open_books(unsigned shard, NodeId v) {
    Books& fresh = by_shard_[shard].emplace_back(fresh_books(shard, v));
    books_[v].set(&fresh);
    return fresh;
}

bool Ledger::begins_alone(NodeId v) const {
    const PacketSet own = owned(v);
    return own.is_block() && own.block() == PacketBlock{static_cast<std::uint32_t>(v)};
}

Ledger::Vector& Ledger::vector(unsigned shard, NodeId v) {
    if (vectors_[v] == nullptr) vectors_[v] = &vectors_by_shard_[shard].emplace_back(fresh_vector(shard, v));
    return *vectors_[v];
}

Ledger::Vector Ledger::fresh_vector(unsigned shard, NodeId v) const {
    Vector fresh{SegmentBooks<ArcBooks>(all_segments(segments_), ArcBooks(v)),
                 GatheredResults(!strict_noho_ && folds_ == nullptr)};
    if (folds_ == nullptr) return fresh;
    // A node has contributions to some segments: their records are no arcs that grow around it.
    Books none;
    none.shard = static_cast<std::uint16_t>(shard);
    none.doubled = false;
    const auto put = [&](const Progression& segments, const Books& books) {
        fresh.segments.for_each(segments, [&](const Progression&, ArcBooks& own) {
            own.books_or_null = std::make_unique<Books>(books);
            return true;
        });
    };
    Books giving(none);
    giving.held = PacketSet::range(v, v + 1);
    const PacketSet given = rows_of(collective_.owned(v, nodes_).blocks());
    for (std::uint32_t s = 0; s < segments_; ++s) {  // each has lists of its own
        const PacketBlock segment{s};
        put({s}, given.covers({&segment, 1}) ? giving : none);
    }
    return fresh;
}

Ledger::Books Ledger::books_of(unsigned shard, const ArcBooks& own) const {
    Books same;
    same.held = contributions_of(own.held, static_cast<std::uint32_t>(nodes_));
    same.sent = contributions_of(own.sent, static_cast<std::uint32_t>(nodes_));
    same.shard = static_cast<std::uint16_t>(shard);
    same.doubled = own.only_doubled(static_cast<std::uint32_t>(nodes_));
    same.came_at_once = !same.doubled;
    same.has_result = own.has_result;
    same.made_result = own.made_result;
    same.sent_result = own.sent_result;
    return same;
}

PacketSet& Ledger::sent_in(Round round, Books& own) {
    Rare& rare = own.rare();
    if (rare.last_sent_in != round) {
        own.sent.note(rare.last_sent.blocks());
        rare.last_sent_in = round;
        rare.last_sent = {};
    }
    return rare.last_sent;
}

Violation Ledger::violation(Breach breach, Round round, NodeId node, const Transfer& transfer,
                            std::span<const PacketBlock> packets) const {
    Violation v;
    v.breach = breach;
    v.round = round;
    v.node = node;
    v.other = node == transfer.from ? transfer.to : transfer.from;
    v.name_packet(packets, nodes_, segments_);
    return v;
}

bool Ledger::makes_result(Books& own, NodeId v, std::uint32_t segment) {
    const PacketSet all = collective_.in_result(segment, nodes_);
    if (all.empty() || !own.held.covers(all.blocks())) return false;
    if (folds_ != nullptr && !inseparable(own, v, all.blocks()).empty()) return false;
    own.has_result = true;
    own.made_result = true;
    return true;
}

// ----------------------------------------------------------------------------------------------------- arcs of segments

bool Ledger::sends(ArcBooks& own, const std::optional<Arc>& arc) const {
    if (strict_noho_ || !arc) return false;
    const std::uint32_t nodes = nodes_in_arcs();
    if (arc->first == nodes) {
        if (!own.has_result && (own.advances() || own.held.count != nodes)) return false;
        own.made_result |= !own.has_result;
        own.has_result = own.sent_result = true;
        return true;
    }
    if (own.advances() || !are_same(*arc, own.held, nodes)) return false;
    own.sent = own.held;  // which contains what it has sent
    return true;
}

bool Ledger::receives(ArcBooks& own, const std::optional<Arc>& arc) const {
    if (strict_noho_ || !arc) return false;
    const std::uint32_t nodes = nodes_in_arcs();
    if (arc->first == nodes) {
        if (own.has_result) return false;
        own.has_result = true;
        return true;
    }
    if (collective_.in_runs && arc->count > nodes - arc->first) return false;  // it is two values
    const auto both = own.advances() ? std::nullopt : joined(own.held, *arc, nodes);
    if (!both) return false;
    const bool doubles = own.only_doubled(nodes) && arc->count == own.held.count && both->count <= nodes - both->first;
    if (!doubles && own.held.count != 1) return false;
    own.held = *both;
    own.doubled = doubles && both->count > 2;
    return true;
}

bool Ledger::gives(const ArcBooks& own, std::span<const PacketBlock> contributions) const {
    const auto nodes = static_cast<std::uint32_t>(nodes_);
    if (own.has_result && contributions.size() == 1 && contributions.front() == all_contributions()) return true;
    const auto all = own.advances() ? std::nullopt : arc_of(contributions, nodes);
    return all && are_same(*all, own.held, nodes);
}

namespace {

/// Returns the segments of a message if all have the same contributions and O(1) suffices to see it.
std::optional<Progression> segments_at_once(std::span<const PacketBlock> packets) {
    const Progression segments = packets.front().all_rows();
    const bool are_same = packets.size() == 1 || (packets.size() == 2 && packets.back().all_rows() == segments);
    return are_same ? std::optional(segments) : std::nullopt;
}

}  // namespace

bool Ledger::sends_at_once(unsigned shard, NodeId v, const Progression& segments, const std::optional<Arc>& arc) {
    Vector& own = vector(shard, v);
    const bool are_results = arc && arc->first == nodes_in_arcs();
    if (are_results && own.results.sends(segments)) return true;
    if (are_results && !own.results.none()) own.note_results();
    const auto send = [&](ArcBooks& some) { return !some.books_or_null && sends(some, arc); };
    if (!own.segments.visits_at_once(segments, send)) return false;
    if (are_results && own.results.are_here()) own.results.add_sent(segments);
    return true;
}

bool Ledger::receives_at_once(unsigned shard, NodeId v, const Progression& segments, const std::optional<Arc>& arc) {
    if (unheld_sent_[shard] != 0) return false;
    Vector& own = vector(shard, v);
    const bool are_results = arc && arc->first == nodes_in_arcs();
    if (are_results && own.results.receives(segments)) return true;
    if (are_results) own.note_results();
    return own.segments.visits_at_once(segments,
                                       [&](ArcBooks& some) { return !some.books_or_null && receives(some, arc); });
}

// ------------------------------------------------------------------------------------------------ sending and receiving

namespace {

// The common cases of operations with one segment, inline. `Books` is the ledger's.

bool is_run(std::span<const PacketBlock> packets) { return packets.size() == 1 && packets.front().is_range(); }

/// Records that a node sends all that it holds, which contains what it sent before. Returns false for any other send.
template <class Books>
bool sends_all_it_holds(Books& own, const PacketBlock& block) {
    if (!own.held.is_block() || block != own.held.block()) return false;
    if (!own.sent.empty() && !(own.sent.is_block() && covers(block, own.sent.block()))) return false;
    own.sent.replace(block);
    return true;
}

/// Records that the range that a node holds grows by a neighbouring range, in reductions one of its own size. Else
/// returns false.
template <class Books>
bool grows_as_a_range(Books& own, const PacketBlock& block, bool reduces) {
    if (!own.held.is_block() || !neighbours(own.held.block(), block)) return false;
    if (reduces && !(own.doubled && block.count == own.held.block().count)) return false;
    own.held.replace(joined_neighbours(own.held.block(), block));
    return true;
}

}  // namespace

bool Ledger::sends_part(NodeId v, std::span<const PacketBlock> packets) const {
    if (!is_part(packets)) return false;
    return v == collective_.root || (came_once_[v].count != 0 && covers(came_once_[v], packets.front().columns()));
}

bool Ledger::receives_part(NodeId v, std::span<const PacketBlock> packets) {
    if (!is_part(packets) || v == collective_.root || came_once_[v].count != 0) return false;
    came_once_[v] = packets.front().columns();
    return true;
}

void Ledger::sent(unsigned shard, Round round, const Transfer& transfer, ViolationLog& log) {
    const std::span<const PacketBlock> packets = transfer.packets;
    if (packets.size() == 1 && packets.front().is_one() && sends_as_a_bit(transfer.from, packets.front().first)) return;
    if (limits_relays_) [[unlikely]]
        return send(shard, round, transfer, !combining_ && packets_in(packets) > 1, log);
    if (brief_) return sends_part(transfer.from, packets) ? void() : doubt();
    if (doubles_ && is_run(packets) && sends_doubled(transfer.from, packets.front().columns())) return;
    const bool bundled = !combining_ && packets_in(packets) > 1;
    const bool has_sets = segments_ == 1 && held_bits_.of_none();
    if (reduces_ && folds_ == nullptr && has_sets && !bundled && packets.size() == 1 && !strict_noho_ &&
        !is_result(packets) && sends_all_it_holds(books(shard, transfer.from), packets.front())) [[likely]]
        return;
    const auto segments = segments_ > 1 ? segments_at_once(packets) : std::nullopt;
    if (segments && !bundled && sends_at_once(shard, transfer.from, *segments, arc_of(packets, nodes_in_arcs())))
        [[likely]]
        return;
    send(shard, round, transfer, bundled, log);
}

void Ledger::send(unsigned shard, Round round, const Transfer& transfer, bool bundled, ViolationLog& log) {
    const std::span<const PacketBlock> packets = transfer.packets;
    if (segments_ > 1 && is_result(packets)) vector(shard, transfer.from).note_results();
    Findings findings(*this, round, transfer.from, transfer, transfer.route.front());
    if (limits_relays_ && !collective_.may_pass_on(transfer.from, nodes_))
        findings.add(Breach::sends_as_relay, packets, 0);
    if (bundled) findings.add(Breach::bundled, packets, packets_in(packets));
    for_each_books(
        shard, transfer.from, packets,
        [&](ArcBooks& own, std::span<const PacketBlock> some) { return sends(own, arc_of(some, nodes_in_arcs())); },
        [&](std::uint32_t segment, Books& own, std::span<const PacketBlock> some) {
            findings.of_segment(segment);
            send(own, round, transfer.from, some, findings);
        });
    if (!findings.empty()) [[unlikely]]
        findings.tell(log);
}

void Ledger::send(Books& own, Round round, NodeId v, std::span<const PacketBlock> packets, Findings& findings) {
    if (is_result(packets)) {
        send_result(own, round, v, findings);
        return;
    }
    const PacketBlock& block = packets.front();
    const bool is_block = packets.size() == 1;
    const bool surely_held = is_block && own.held.is_block() && covers(own.held.block(), block);
    if (!surely_held && !own.held.covers(packets)) {
        const PacketBlocks unheld = without(packets, own.held);
        findings.add(Breach::sent_unheld, span_of(unheld), size_of(packets));
        unheld_sent_[own.shard] = 1;
    }
    // Nearly all senders send all that they hold.
    if (reduces_ && !(surely_held && block == own.held.block()) && !adds_up(own, packets)) {
        const PacketSet parts = inseparable(own, v, packets);
        findings.add(Breach::taken_apart, parts.blocks(), size_of(packets));
    }
    if (folds_ != nullptr)
        findings.add(Breach::not_side_by_side, out_of_order(own, v, findings.segment(), packets, false).blocks());
    if (strict_noho_) {
        sent_in(round, own).note(packets);
        return;
    }
    if (is_block && (own.sent.empty() || (own.sent.is_block() && covers(block, own.sent.block())))) {
        own.sent.replace(block);  // it holds all that was sent before, as partial results do
        return;
    }
    own.sent.note(packets);
}

void Ledger::send_result(Books& own, Round round, NodeId v, Findings& findings) {
    const PacketBlock result = result_packet(nodes_);
    if (!own.has_result && !makes_result(own, v, findings.segment())) {
        findings.add(Breach::sent_unheld, {&result, 1}, 1);
        unheld_sent_[own.shard] = 1;
    } else if (folds_ != nullptr && own.made_result) {
        const PacketSet all = collective_.in_result(findings.segment(), nodes_);
        findings.add(Breach::not_side_by_side, out_of_order(own, v, findings.segment(), all.blocks(), false).blocks());
    }
    if (strict_noho_)
        sent_in(round, own).note({&result, 1});
    else
        own.sent_result = true;
}

void Ledger::received(unsigned shard, Round round, const Transfer& transfer, Port in, ViolationLog& log) {
    const std::span<const PacketBlock> packets = transfer.packets;
    if (packets.size() == 1 && packets.front().is_one() && receives_as_a_bit(shard, transfer.to, packets.front().first))
        return;
    if (limits_relays_) [[unlikely]]
        return receive(shard, round, transfer, in, log);
    if (brief_) return receives_part(transfer.to, packets) ? void() : doubt();
    if (doubles_ && is_run(packets) && receives_doubling(shard, transfer.to, packets.front().columns())) return;
    const bool has_sets = segments_ == 1 && held_bits_.of_none();
    if (has_sets && packets.size() == 1 && unheld_sent_[shard] == 0 && !is_result(packets) &&
        grows_as_a_range(books(shard, transfer.to), packets.front(), reduces_)) [[likely]]
        return;
    const auto segments = segments_ > 1 ? segments_at_once(packets) : std::nullopt;
    if (segments && receives_at_once(shard, transfer.to, *segments, arc_of(packets, nodes_in_arcs()))) [[likely]]
        return;
    receive(shard, round, transfer, in, log);
}

void Ledger::receive(unsigned shard, Round round, const Transfer& transfer, Port in, ViolationLog& log) {
    const std::span<const PacketBlock> packets = transfer.packets;
    if (segments_ > 1 && is_result(packets)) vector(shard, transfer.to).note_results();
    Findings findings(*this, round, transfer.to, transfer, in);
    if (limits_relays_ && !collective_.may_pass_on(transfer.to, nodes_))
        findings.add(Breach::receives_as_relay, packets, 0);
    for_each_books(
        shard, transfer.to, packets,
        [&](ArcBooks& own, std::span<const PacketBlock> some) {
            return unheld_sent_[shard] == 0 && receives(own, arc_of(some, nodes_in_arcs()));
        },
        [&](std::uint32_t segment, Books& own, std::span<const PacketBlock> some) {
            findings.of_segment(segment);
            receive(own, round, transfer.to, some, findings);
        });
    if (!findings.empty()) [[unlikely]]
        findings.tell(log);
}

void Ledger::receive(Books& own, Round round, NodeId v, std::span<const PacketBlock> packets, Findings& findings) {
    if (collective_.signals()) [[unlikely]] {  // NODUP and NOHO are void
        own.held.include(packets);
        return;
    }
    if (is_result(packets)) {
        if (strict_noho_) (void)sent_in(round, own);
        receive_result(own, findings);
        return;
    }
    if (packets.size() == 1 && unheld_sent_[own.shard] == 0 && grows_as_a_range(own, packets.front(), reduces_)) return;
    if (reduces_) {
        list_came(own, v);
        note_came(own, packets);
    }
    const std::uint64_t known = common_size(packets, own.held);
    if (known == 0 && unheld_sent_[own.shard] == 0) [[likely]] {
        own.held.add(packets);
        return;
    }
    if (strict_noho_) (void)sent_in(round, own);
    PacketSet came;
    came.add(packets);
    const PacketSet again = received_before(v, findings.segment(), came, own);
    findings.add(Breach::received_again, again.blocks());
    PacketSet own_again = came;
    own_again.keep(own.sent);
    findings.add(Breach::received_own, own_again.blocks());
    own.held.include(came);
}

void Ledger::receive_result(Books& own, Findings& findings) {
    const PacketBlock result = result_packet(nodes_);
    const std::span<const PacketBlock> came(&result, 1);
    if (!own.made_result) {
        if (own.has_result) findings.add(Breach::received_again, came);
    } else if (own.rare().came_home.covers(came)) {
        findings.add(Breach::received_again, came);
    } else {
        own.rare().came_home.add(result);
    }
    if (own.sent_result || own.sent.covers(came)) findings.add(Breach::received_own, came);
    own.has_result = true;
}

PacketSet Ledger::received_before(NodeId v, std::uint32_t segment, const PacketSet& came, Books& own) const {
    PacketSet had = owned(v, segment);
    PacketSet before = came;
    before.keep(own.held);
    before.remove(had);
    PacketSet back = came;
    back.keep(had);
    if (back.empty()) return before;
    PacketSet& home = own.rare().came_home;
    PacketSet home_again = back;
    home_again.keep(home);
    before.include(home_again);
    home.include(back);
    return before;
}

}  // namespace kport
