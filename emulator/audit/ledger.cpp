#include "emulator/audit/ledger.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include "emulator/base/error.hpp"

namespace kport {

Ledger::Ledger(const Machine& machine, const Collective& collective, unsigned shards)
    : collective_(collective), nodes_(machine.topology->nodes()), combining_(machine.combining || collective.signals()),
      reduces_(collective.folds()), segments_(collective.segments(nodes_)), strict_noho_(machine.noho == Noho::strict),
      books_(segments_ == 1 ? nodes_ : 0), by_shard_(segments_ == 1 ? shards : 0), vectors_(segments_ > 1 ? nodes_ : 0),
      vectors_by_shard_(segments_ > 1 ? shards : 0), came_(reduces_ ? shards : 0), unheld_sent_(shards) {
    // What a strict node has sent in this round counts by itself: those sets are lists.
    if (collective.operation->carries != Carries::copies || collective.packets_each == 1 || strict_noho_) return;
    held_bits_ = PacketTable(nodes_, collective.packets_each);
    sent_bits_ = PacketTable(nodes_, collective.packets_each);
    for (NodeId v = 0; v < nodes_; ++v)
        if (const PacketSet own = owned(v); !own.empty()) held_bits_.put(v, own);
}

// -------------------------------------------------------------------------------------------------------------- books

PacketSet Ledger::owned(NodeId v) const {
    return segments_ == 1 ? collective_.owned(v, nodes_) : PacketSet::range(v, v + 1);
}

Ledger::Books Ledger::fresh_books(unsigned shard, NodeId v) const {
    Books fresh;
    fresh.held = owned(v);
    fresh.shard = static_cast<std::uint16_t>(shard);
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
    Books own = books_[v] != nullptr ? *books_[v] : fresh_books(0, v);
    load(v, own);
    return own;
}

bool Ledger::has_books(NodeId v) const {
    if (segments_ > 1) return vectors_[v] != nullptr;
    if (held_bits_.of_none() || books_[v] != nullptr) return books_[v] != nullptr;
    return !sent_bits_.has_none(v) || (!held_bits_.has_none(v) && owned(v).empty());
}

Ledger::Books& Ledger::open_books(unsigned shard, NodeId v) {
    Books& fresh = by_shard_[shard].emplace_back(fresh_books(shard, v));
    books_[v] = &fresh;
    return fresh;
}

Ledger::Vector& Ledger::vector(unsigned shard, NodeId v) {
    if (vectors_[v] == nullptr)
        vectors_[v] = &vectors_by_shard_[shard].emplace_back(
            Vector{SegmentBooks<Books>(all_segments(segments_), fresh_books(shard, v))});
    return *vectors_[v];
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

template <class Visit>
void Ledger::for_each_books(unsigned shard, NodeId v, std::span<const PacketBlock> packets, const Visit& visit) {
    if (segments_ == 1) {
        Books& own = books(shard, v);
        load(v, own);  // where the sets are bits
        visit(Violation::no_segment, own, packets);
        store(v, own);
        return;
    }
    SegmentBooks<Books>& all = vector(shard, v).segments;
    for_each_part(packets, [&](const Progression& segments, std::span<const PacketBlock> contributions) {
        std::uint64_t visited = 0;
        all.for_each(segments, [&](const Progression& some, Books& own) {
            visited += some.count;
            visit(some.first, own, contributions);
        });
        invariant(visited == segments.count, "every segment of a value has books, and once");
    });
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

/// What is wrong with a message or a result: of each breach the lowest packet, in the lowest segment.
class Ledger::Findings {
  public:
    Findings(const Ledger& ledger, Round round, NodeId node, const Transfer& transfer, Port port)
        : ledger_(ledger), round_(round), node_(node), transfer_(transfer), port_(port) {}

    /// Of which segment the next ones are.
    void of_segment(std::uint32_t segment) { segment_ = segment; }
    void add(Breach breach, std::span<const PacketBlock> packets, std::uint64_t limit = 0) {
        if (packets.empty()) return;
        Violation found = ledger_.violation(breach, round_, node_, transfer_, packets);
        if (segment_ != Violation::no_segment) found.segment = segment_;
        found.port = port_;
        found.limit = limit;
        const auto same = std::ranges::find(all_, breach, &Violation::breach);
        if (same == all_.end())
            all_.push_back(found);
        else if (std::pair(found.segment, found.packet) < std::pair(same->segment, same->packet))
            *same = found;
    }
    [[nodiscard]] bool empty() const { return all_.empty(); }
    void tell(ViolationLog& log) const {
        for (const Violation& found : all_) log.add(found);
    }
    /// The same of a result, which comes from nobody.
    void tell_of_result(ViolationLog& log) {
        for (Violation& found : all_) found.other = no_node;
        tell(log);
    }

  private:
    const Ledger& ledger_;
    Round round_;
    NodeId node_;
    const Transfer& transfer_;
    Port port_;
    std::uint32_t segment_ = Violation::no_segment;
    std::vector<Violation> all_;
};

bool Ledger::makes_result(Books& own) {
    const PacketBlock all = all_contributions();
    if (!own.held.covers({&all, 1})) return false;
    own.has_result = true;
    own.made_result = true;
    return true;
}

// ------------------------------------------------------------------------------------------------ sending and receiving

namespace {

// What nearly all messages of an operation with one segment do, in line. Books are the ledger's.

/// A node of a reduction sends all that it holds, which contains what it has sent: noted, if so.
template <class Books>
bool sends_all_it_holds(Books& own, const PacketBlock& block) {
    if (!own.held.is_block() || block != own.held.block()) return false;
    if (!own.sent.empty() && !(own.sent.is_block() && covers(block, own.sent.block()))) return false;
    own.sent.replace(block);
    return true;
}

/// What a node holds is a range and grows by a neighbour, of a reduction by one of its own size: noted, if so.
template <class Books>
bool grows_as_a_range(Books& own, const PacketBlock& block, bool reduces) {
    if (!own.held.is_block() || !neighbours(own.held.block(), block)) return false;
    if (reduces && !(own.doubled && block.count == own.held.block().count)) return false;
    own.held.replace(joined_neighbours(own.held.block(), block));
    return true;
}

}  // namespace

void Ledger::sent(unsigned shard, Round round, const Transfer& transfer, ViolationLog& log) {
    const std::span<const PacketBlock> packets = transfer.packets;
    if (!held_bits_.of_none() && packets.size() == 1 && packets.front().is_one() &&
        held_bits_.has(transfer.from, packets.front().first)) {
        sent_bits_.add(transfer.from, packets.front().first);
        return;
    }
    const bool bundled = !combining_ && packets_in(packets) > 1;
    const bool has_sets = segments_ == 1 && held_bits_.of_none();
    if (reduces_ && has_sets && !bundled && packets.size() == 1 && !strict_noho_ && !is_result(packets) &&
        sends_all_it_holds(books(shard, transfer.from), packets.front())) [[likely]]
        return;
    Findings findings(*this, round, transfer.from, transfer, transfer.route.front());
    if (bundled) findings.add(Breach::bundled, packets, packets_in(packets));
    for_each_books(shard, transfer.from, packets,
                   [&](std::uint32_t segment, Books& own, std::span<const PacketBlock> some) {
                       findings.of_segment(segment);
                       send(own, round, transfer.from, some, findings);
                   });
    if (!findings.empty()) [[unlikely]]
        findings.tell(log);
}

void Ledger::send(Books& own, Round round, NodeId v, std::span<const PacketBlock> packets, Findings& findings) {
    if (is_result(packets)) {
        send_result(own, round, findings);
        return;
    }
    const PacketBlock& block = packets.front();
    const bool is_block = packets.size() == 1;
    const bool surely_held = is_block && own.held.is_block() && covers(own.held.block(), block);
    if (!surely_held && !own.held.covers(packets)) {
        // Empty where a contribution that was folded twice occurs twice: that fold is already reported.
        const PacketBlocks unheld = without(packets, own.held);
        findings.add(Breach::sent_unheld, span_of(unheld), size_of(packets));
        unheld_sent_[own.shard] = 1;
    }
    // Nearly all senders send all that they hold.
    if (reduces_ && !(surely_held && block == own.held.block())) {
        const PacketSet parts = inseparable(own, v, packets);
        findings.add(Breach::taken_apart, parts.blocks(), size_of(packets));
    }
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

void Ledger::send_result(Books& own, Round round, Findings& findings) {
    const PacketBlock result = result_packet(nodes_);
    if (!own.has_result && !makes_result(own)) {
        findings.add(Breach::sent_unheld, {&result, 1}, 1);
        unheld_sent_[own.shard] = 1;
    }
    if (strict_noho_)
        sent_in(round, own).note({&result, 1});
    else
        own.sent_result = true;
}

void Ledger::received(unsigned shard, Round round, const Transfer& transfer, Port in, ViolationLog& log) {
    const std::span<const PacketBlock> packets = transfer.packets;
    if (!held_bits_.of_none() && packets.size() == 1 && packets.front().is_one() && unheld_sent_[shard] == 0 &&
        !held_bits_.has(transfer.to, packets.front().first)) {
        held_bits_.add(transfer.to, packets.front().first);
        return;
    }
    const bool has_sets = segments_ == 1 && held_bits_.of_none();
    if (has_sets && packets.size() == 1 && unheld_sent_[shard] == 0 && !is_result(packets) &&
        grows_as_a_range(books(shard, transfer.to), packets.front(), reduces_)) [[likely]]
        return;
    Findings findings(*this, round, transfer.to, transfer, in);
    for_each_books(shard, transfer.to, packets,
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
        list_doublings(own, v);
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
    const PacketSet again = received_before(v, came, own);
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
        own.last_came = static_cast<std::uint32_t>(came.size() - 1);
    }
}

PacketSet Ledger::inseparable(const Books& own, NodeId v, std::span<const PacketBlock> contributions) const {
    if (size_of(contributions) == own.held.size() && own.held.covers(contributions)) return {};  // all that it holds
    PacketSet left;
    left.add(distinct(contributions));
    const PacketBlock alone{static_cast<std::uint32_t>(v)};  // what it contributes itself
    left.remove({&alone, 1});
    const auto take = [&](std::span<const PacketBlock> value) {
        const bool one_of_each =
            value.size() == 1 && contributions.size() == 1;  // a scan's results, for each value that came
        const bool is_in =
            one_of_each ? covers(contributions.front(), value.front()) : without(value, contributions).empty();
        if (is_in) left.remove(value);
    };
    if (own.doubled) for_each_doubling(own.held.block(), v, [&](const PacketBlock& value) { take({&value, 1}); });
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

PacketSet Ledger::received_before(NodeId v, const PacketSet& came, Books& own) const {
    PacketSet had = owned(v);
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
    Result& own_result = segments_ == 1 ? books(shard, v).result : vector(shard, v).result;
    own_result = Result::right;
    if (right.empty()) {  // it has no contributions to compare
        Violation not_due;
        not_due.breach = Breach::result_not_due;
        not_due.round = round;
        not_due.node = v;
        not_due.other = collective_.root;
        log.add(not_due);
        return;
    }
    const Transfer from_nobody{v, v, {}, {}};
    const auto judge = [&](Breach breach, std::span<const PacketBlock> packets) {
        if (packets.empty()) return;
        Violation found = violation(breach, round, v, from_nobody, packets);
        found.other = no_node;
        log.add(found);
        own_result = Result::wrong;
    };
    const PacketBlocks lacking = without(right.blocks(), contributions);
    judge(Breach::result_lacks, span_of(lacking));
    if (!lacking.empty() || size_of(contributions) != right.size()) {
        PacketBlocks excess = without(contributions, right.blocks());
        if (excess.empty()) excess = first_twice(contributions);
        judge(Breach::result_exceeds, span_of(excess));
    }
    // It sums up what came to the node, as it came. Whoever got a result as one packet got all of it.
    Findings findings(*this, round, v, from_nobody, no_port);
    for_each_books(shard, v, contributions,
                   [&](std::uint32_t segment, const Books& own, std::span<const PacketBlock> given) {
                       if (given.size() == 1 && ((own.held.is_block() && given.front() == own.held.block()) ||
                                                 (own.has_result && given.front() == all_contributions())))
                           return;
                       PacketSet came;
                       came.add(given);
                       remove_given(came, own);
                       if (came.empty()) return;
                       findings.of_segment(segment);
                       const PacketBlocks unheld = without(came.blocks(), own.held);
                       findings.add(Breach::result_unheld, span_of(unheld));
                       const PacketSet parts = inseparable(own, v, came.blocks());
                       findings.add(Breach::taken_apart, parts.blocks());
                   });
    if (findings.empty()) return;
    own_result = Result::wrong;
    findings.tell_of_result(log);
}

void Ledger::left(unsigned shard, Round round, NodeId v, ViolationLog& log) {
    const PacketSet right = collective_.wanted(v, nodes_);
    const PacketBlocks unknown = without(right.blocks(), books(shard, v).held);
    if (unknown.empty()) return;
    Violation early = violation(Breach::left_early, round, v, Transfer{v, v, {}, {}}, span_of(unknown));
    early.other = no_node;
    log.add(early);
}

PacketSet Ledger::missing(const Books& own, NodeId v, std::span<const PacketBlock> right) const {
    PacketSet due;
    due.add(right);
    remove_given(due, own);  // of a scan, the last node's alone
    PacketSet lacking;
    if (!own.held.covers(due.blocks())) lacking.add(without(due.blocks(), own.held));
    if (reduces_) lacking.add(inseparable(own, v, due.blocks()));
    return lacking;
}

PacketSet Ledger::missing(NodeId v) const {
    const PacketSet right = collective_.wanted(v, nodes_);
    if (segments_ == 1) {
        if (!held_bits_.of_none())
            return held_bits_.has_all(v) ? PacketSet() : missing(books_as_they_are(v), v, right.blocks());
        if (books_[v] != nullptr) return missing(*books_[v], v, right.blocks());
        return missing(fresh_books(0, v), v, right.blocks());
    }
    PacketSet lacking;
    std::uint64_t looked_at = 0;
    const auto look = [&](const Progression& segments, const Books& own) {
        looked_at += segments.count;
        for (const PacketBlock& block : right.blocks()) {
            const auto rows = common(segments, block.all_rows());
            if (!rows) continue;
            const PacketBlock due = block_of({}, block.columns());
            const PacketSet some = missing(own, v, {&due, 1});
            for (const PacketBlock& of : some.blocks()) lacking.add(block_of(*rows, of.columns()));
        }
    };
    if (vectors_[v] != nullptr)
        vectors_[v]->segments.for_each(look);
    else
        look(all_segments(segments_), fresh_books(0, v));
    invariant(looked_at == segments_, "every segment of a node has books, and once");
    return lacking;
}

NodeId Ledger::lacking_of(NodeId v) const {
    const PacketSet lacking = missing(v);
    return collective_.packets_each == 1 ? std::min<NodeId>(nodes_, lacking.size())
                                         : columns_of(lacking.blocks()).size();
}

PacketBlocks Ledger::held_as_promised(NodeId v) const {
    const PacketSet right = collective_.wanted(v, nodes_);
    if (!held_bits_.of_none() && !held_bits_.has_all(v)) return in_both(right.blocks(), held_bits_.set(v));
    if (!held_bits_.of_none()) return {right.blocks().begin(), right.blocks().end()};
    const PacketSet own = books_[v] == nullptr ? collective_.owned(v, nodes_) : PacketSet();
    const PacketSet& held = books_[v] == nullptr ? own : books_[v]->held;
    if (right.is_block() && held.is_block() && held.covers(right.blocks())) [[likely]]
        return {right.block()};
    return in_both(right.blocks(), held);
}

bool Ledger::satisfied(NodeId v, Round last, ViolationLog& log) const {
    Violation lacks;
    lacks.round = last;
    lacks.node = v;
    if (reduces_ && results_told_) {
        const Result result = result_of(v);
        if (result != Result::none) return result == Result::right;  // already reported
        lacks.breach = Breach::never_a_result;
    } else {
        const PacketSet rest = missing(v);
        if (rest.empty()) return true;
        if (reduces_) lacks.breach = Breach::result_lacks;
        lacks.name_packet(rest.blocks(), nodes_, segments_);
    }
    log.add(lacks);
    return false;
}

bool Ledger::satisfied_so_far(NodeId v) const {
    if (reduces_ && results_told_) return result_of(v) == Result::right;
    return missing(v).empty();
}

std::pair<std::uint64_t, std::uint64_t> Ledger::so_far() const {
    if (collective_.inwards()) return {nodes_ - lacking_of(collective_.root), nodes_};
    const auto is_served = [&](NodeId v) { return has_books(v) && satisfied_so_far(v); };
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
