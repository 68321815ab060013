#include "app/session/possessions.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/base/numbers.hpp"
#include "emulator/schedule/packet_space.hpp"

namespace kport {

namespace {

constexpr unsigned column_shift = 32;

std::vector<Item> items_of(const PacketSet& packets) {
    std::vector<Item> items;
    items.reserve(packets.size());
    for (const PacketBlock& block : packets.blocks())
        for (std::uint32_t c = 0; c < block.count; ++c)
            for (std::uint32_t r = 0; r < block.rows; ++r)
                items.push_back(Item{block.columns()[c]} << column_shift | block.all_rows()[r]);
    std::ranges::sort(items);
    return items;
}

/// The rows of some packets, in ascending order.
std::vector<std::uint32_t> rows_in(const PacketSet& packets) {
    std::vector<std::uint32_t> rows;
    const PacketSet all = rows_of(packets.blocks());
    for (const PacketBlock& block : all.blocks())
        for (std::uint32_t i = 0; i < block.count; ++i) rows.push_back(block.columns()[i]);
    std::ranges::sort(rows);
    return rows;
}

/// Calls visit(first, count) for runs of successive numbers in ascending order.
template <class Number, class Visit>
void for_each_run(const std::vector<Number>& ascending, const Visit& visit) {
    for (std::size_t i = 0; i < ascending.size();) {
        std::size_t end = i + 1;
        while (end < ascending.size() && ascending[end] == ascending[end - 1] + 1) ++end;
        visit(ascending[i], static_cast<std::uint32_t>(end - i));
        i = end;
    }
}

/// Some packets of the whole, columns with the same rows together.
PacketSet set_of(const std::vector<Item>& ascending) {
    struct RowRun {
        std::uint32_t row;
        std::uint32_t rows;
        bool operator==(const RowRun&) const = default;
    };
    PacketSet set;
    std::vector<RowRun> runs_before;
    Progression columns{0, 1, 0};
    const auto put = [&] {
        for (const RowRun& run : runs_before)
            if (columns.count != 0) set.add(block_of({run.row, 1, run.rows}, columns));
    };
    for (std::size_t i = 0; i < ascending.size();) {
        const auto column = static_cast<std::uint32_t>(ascending[i] >> column_shift);
        std::vector<std::uint32_t> rows;
        for (; i < ascending.size() && ascending[i] >> column_shift == column; ++i)
            rows.push_back(static_cast<std::uint32_t>(ascending[i]));
        std::vector<RowRun> runs;
        for_each_run(rows, [&](std::uint32_t first, std::uint32_t count) { runs.push_back({first, count}); });
        if (columns.count != 0 && runs == runs_before && column == columns.first + columns.count) {
            ++columns.count;
            continue;
        }
        put();
        runs_before = std::move(runs);
        columns = {column, 1, 1};
    }
    put();
    return set;
}

std::string name_of(const Party& party, NodeId rank) {
    return fmt::format("node {}", party.machine.topology->name(rank));
}

void put_counts(Collective& c, std::vector<std::uint32_t> numbers) {
    const NodeId nodes = numbers.size();
    c.counts = nullptr;
    if (std::ranges::adjacent_find(numbers, std::not_equal_to<>()) == numbers.end())
        c.packets_each = numbers.front();
    else {
        auto counts = std::make_shared<const Counts>(std::move(numbers), nodes, c.operation->counted_for);
        c = counting(std::move(c), std::move(counts));
    }
}

}  // namespace

bool moves_items(const Operation& operation) {
    const std::array all = {Operation::broadcast, Operation::scatter, Operation::gather, Operation::allgather};
    return std::ranges::find(all, operation) != all.end();
}

bool folds_items(const Operation& operation) {
    const std::array all = {Operation::reduce, Operation::allreduce, Operation::reduce_scatter};
    return std::ranges::find(all, operation) != all.end();
}

std::uint32_t Contributions::number_of(std::vector<std::uint32_t> nodes) {
    const auto [at, is_new] = numbers_.emplace(std::move(nodes), static_cast<std::uint32_t>(all_.size()));
    if (is_new) all_.push_back(&at->first);
    return at->second;
}

std::uint32_t Contributions::union_of(const std::set<std::uint32_t>& numbers) {
    const auto [known, is_new] = unions_.emplace(numbers, 0);
    if (!is_new) return known->second;
    std::set<std::uint32_t> all;
    for (const std::uint32_t number : numbers) all.insert(nodes(number).begin(), nodes(number).end());
    return known->second = number_of({all.begin(), all.end()});
}

Possessions::Possessions(NodeId nodes, PhaseCargo cargo) : nodes_(nodes), cargo_(cargo) {
    constexpr NodeId nodes_followed_max = NodeId{1} << 20;
    if (nodes > nodes_followed_max)
        throw DoesNotFit(fmt::format("a sequence keeps what each node has, of at most {}; the machine has {}",
                                     counted(nodes_followed_max, "node"), nodes));
    has_.resize(nodes);
    holds_.resize(nodes);
}

void Possessions::begin(const Collective& whole) {
    for (NodeId v = 0; v < nodes_; ++v) {
        const PacketSet owned = whole.owned(v, nodes_);
        count(owned.size());
        if (cargo_ == PhaseCargo::packets) {
            for (const Item item : items_of(owned)) has_[v].push_back({item});
            holds_[v] = owned;
            continue;
        }
        const std::uint32_t own = contributions_.number_of({static_cast<std::uint32_t>(v)});
        for (const std::uint32_t row : rows_in(owned)) has_[v].push_back({row, own});
    }
}

void Possessions::begin_anew(const Party& party) {
    const Collective& c = party.collective;
    Item shared = next_item_;
    for (NodeId rank = 0; rank < party.size(); ++rank) {
        const NodeId v = party.node(rank);
        const PacketSet owned = c.owned(rank, party.size());
        const std::uint64_t items = c.folds() ? rows_in(owned).size() : owned.size();
        count(items);
        const std::uint32_t own = contributions_.number_of({static_cast<std::uint32_t>(v)});
        Item first = c.folds() ? shared : next_item_;
        has_[v].clear();
        for (std::uint64_t i = 0; i < items; ++i) has_[v].push_back({first++, own});
        next_item_ = std::max(next_item_, first);
    }
}

bool Possessions::is_idle(const Party& party) const {
    const Collective& c = party.collective;
    if (c.signals()) return false;
    if (c.rooted() && !c.inwards()) return has_[party.node(c.root)].empty();
    for (NodeId rank = 0; rank < party.size(); ++rank)
        if (!has_[party.node(rank)].empty()) return false;
    return true;
}

std::optional<std::string> Possessions::fit(Party& party) const {
    Collective& c = party.collective;
    const Operation operation = c.operation;
    if (operation.signals()) return std::nullopt;
    if (operation == Operation::broadcast || operation == Operation::scatter) {
        const std::uint64_t items = has_[party.node(c.root)].size();
        if (items == 0) return fmt::format("{} has nothing to {}", name_of(party, c.root), operation->name);
        if (operation == Operation::scatter) return share(c, items, party.size());
        c.packets_each = items;
        return std::nullopt;
    }
    return folds_items(operation) ? fit_reduction(party) : fit_collected(party);
}

std::optional<std::string> Possessions::fit_collected(Party& party) const {
    Collective& c = party.collective;
    std::vector<std::uint32_t> numbers;
    std::vector<std::vector<Held>> of_rank;
    if (auto why = give(party, of_rank)) return why;
    for (const std::vector<Held>& some : of_rank) numbers.push_back(static_cast<std::uint32_t>(some.size()));
    if (std::ranges::count(numbers, 0U) == std::ssize(numbers))
        return fmt::format("no member has anything to {}", name(c.operation));
    if (c.counts != nullptr)
        for (NodeId rank = 0; rank < party.size(); ++rank)
            if (c.counts->of(rank) != numbers[rank])
                return fmt::format("{} has {}, and --counts says {}", name_of(party, rank),
                                   counted(numbers[rank], noun()), c.counts->of(rank));
    put_counts(c, std::move(numbers));
    return std::nullopt;
}

Brought Possessions::brought(const Party& party) {
    const Collective& c = party.collective;
    Brought all;
    if (c.signals() || c.folds()) {
        for (NodeId rank = 0; rank < party.size(); ++rank) all.of_rank.push_back(has_[party.node(rank)]);
        const std::vector<std::uint32_t> rows =
            c.signals() ? std::vector<std::uint32_t>{0} : rows_in(c.owned(0, party.size()));
        invariant(rows.size() == all.of_rank.front().size(), "a phase has as many segments as its members");
        for (std::size_t i = 0; i < rows.size(); ++i) {
            all.place_of_row[rows[i]] = i;
            all.of_row.push_back(all.of_rank.front()[i].item);
            all.result_of_row.push_back(folded(all, i));
        }
        return all;
    }
    all.of_rank.resize(party.size());
    if (c.rooted() && !c.inwards())
        all.of_rank[c.root] = has_[party.node(c.root)];
    else
        (void)give(party, all.of_rank);
    for (NodeId rank = 0; rank < party.size(); ++rank) {
        const std::vector<Item> own = items_of(c.owned(rank, party.size()));
        invariant(own.size() == all.of_rank[rank].size(), "a phase moves what its members have");
        for (std::size_t i = 0; i < own.size(); ++i) all.of_packet[own[i]] = all.of_rank[rank][i];
    }
    return all;
}

PacketSet Possessions::message(const Party& party, const Brought& brought, std::span<const PacketBlock> packets) const {
    const Collective& c = party.collective;
    if (c.folds() || c.signals()) return message_of_values(party, brought, packets);
    std::vector<Held> some;
    for (const PacketBlock& block : packets)
        for (std::uint32_t i = 0; i < block.count; ++i)
            for (std::uint32_t r = 0; r < block.rows; ++r)
                some.push_back(brought.of_packet.at(Item{block.columns()[i]} << column_shift | block.all_rows()[r]));
    std::ranges::sort(some, {}, &Held::item);
    if (cargo_ == PhaseCargo::values) return of_values(some);
    std::vector<Item> items;
    for (const Held& held : some) items.push_back(held.item);
    return set_of(items);
}

PacketSet Possessions::lacking(NodeId to, PacketSet packets) {
    const bool is_plain = cargo_ == PhaseCargo::packets || (cargo_ == PhaseCargo::values && is_result(packets));
    if (!is_plain) return packets;
    const PacketBlocks known = in_both(holds_[to].blocks(), packets);
    packets.remove(span_of(known));
    holds_[to].include(packets.blocks());
    return packets;
}

void Possessions::end(const Party& party, const Brought& brought) {
    const Collective& c = party.collective;
    if (c.signals() || c.folds()) return end_reduction(party, brought);
    for (NodeId rank = 0; rank < party.size(); ++rank) {
        std::vector<Held>& has = has_[party.node(rank)];
        std::map<Item, std::uint32_t> left;
        for (const Held& held : has) left[held.item] = held.value;
        for (const Held& held : brought.of_rank[rank]) left.erase(held.item);
        for (const Item packet : items_of(c.wanted(rank, party.size()))) {
            const Held& held = brought.of_packet.at(packet);
            left[held.item] = held.value;
        }
        count(left.size());
        has.clear();
        for (const auto& [item, value] : left) has.push_back({item, value});
    }
}

/// Bounds the memory of a sequence.
void Possessions::count(std::uint64_t items) {
    constexpr std::uint64_t items_max = std::uint64_t{1} << 24;
    items_ += items;
    if (items_ > items_max)
        throw DoesNotFit(
            fmt::format("the nodes of a sequence have more than {} after all phases together; want fewer nodes, "
                        "packets or phases",
                        counted(items_max, noun())));
}

/// Each rank gets as many, or the first ones one more; or what the counts say.
std::optional<std::string> Possessions::share(Collective& c, std::uint64_t items, NodeId members) const {
    if (c.counts != nullptr) {
        if (c.counts->total() == items) return std::nullopt;
        return fmt::format("--counts adds up to {}, and there are {}", c.counts->total(), counted(items, noun()));
    }
    std::vector<std::uint32_t> numbers;
    for (NodeId rank = 0; rank < members; ++rank)
        numbers.push_back(static_cast<std::uint32_t>(items / members + (rank < items % members ? 1 : 0)));
    put_counts(c, std::move(numbers));
    return std::nullopt;
}

std::optional<std::string> Possessions::fit_reduction(Party& party) const {
    Collective& c = party.collective;
    const auto same = [](const Held& a, const Held& b) { return a.item == b.item; };
    const std::vector<Held>& first = has_[party.node(0)];
    for (NodeId rank = 0; rank < party.size(); ++rank) {
        const std::vector<Held>& has = has_[party.node(rank)];
        if (has.empty()) return fmt::format("{} has no value to fold", name_of(party, rank));
        if (!std::ranges::equal(has, first, same))
            return fmt::format("{} and {} have values of different segments", name_of(party, 0), name_of(party, rank));
    }
    if (c.operation == Operation::reduce_scatter) return share(c, first.size(), party.size());
    c.packets_each = first.size();
    return std::nullopt;
}

/// What each rank puts into a gather or an allgather; a packet that several have, the first of them. Returns why they cannot.
std::optional<std::string> Possessions::give(const Party& party, std::vector<std::vector<Held>>& of_rank) const {
    std::unordered_map<Item, NodeId> givers;
    of_rank.assign(party.size(), {});
    for (NodeId rank = 0; rank < party.size(); ++rank)
        for (const Held& held : has_[party.node(rank)]) {
            const auto [giver, is_first] = givers.emplace(held.item, rank);
            if (is_first) of_rank[rank].push_back(held);
            if (!is_first && cargo_ == PhaseCargo::values)
                return fmt::format("{} and {} both have a value of segment {}, which a reduction would fold",
                                   name_of(party, giver->second), name_of(party, rank), held.item);
        }
    return std::nullopt;
}

bool Possessions::is_result(const PacketSet& packets) const {
    return std::ranges::all_of(packets.blocks(), [&](const PacketBlock& block) { return block.first == nodes_; });
}

/// Values that are moved as they are: results of the whole, or what they are made of.
PacketSet Possessions::of_values(const std::vector<Held>& some) const {
    PacketSet set;
    const bool are_results = std::ranges::all_of(some, [&](const Held& held) { return is_complete(held.value); });
    for (std::size_t i = 0; i < some.size();) {
        std::size_t end = i + 1;
        while (end < some.size() && some[end].item == some[end - 1].item + 1 && some[end].value == some[i].value) ++end;
        const Progression segments{static_cast<std::uint32_t>(some[i].item), 1, static_cast<std::uint32_t>(end - i)};
        if (are_results)
            set.add(result_packets(nodes_, segments));
        else
            include_contributions(set, segments, some[i].value);
        i = end;
    }
    return set;
}

void Possessions::include_contributions(PacketSet& set, const Progression& segments, std::uint32_t value) const {
    for_each_run(contributions_.nodes(value), [&](std::uint32_t first, std::uint32_t count) {
        const PacketBlock block = block_of(segments, {first, 1, count});
        set.include({&block, 1});
    });
}

/// A message of a reduction or a barrier: contributions of ranks, or results of the party.
PacketSet Possessions::message_of_values(const Party& party, const Brought& brought,
                                         std::span<const PacketBlock> packets) const {
    PacketSet set;
    for (const PacketBlock& block : packets) {
        std::vector<Held> results;
        for (std::uint32_t r = 0; r < block.rows; ++r) {
            const std::size_t place = brought.place_of_row.at(block.all_rows()[r]);
            for (std::uint32_t i = 0; i < block.count; ++i) {
                const std::uint32_t rank = block.columns()[i];
                if (rank == party.size())
                    results.push_back({brought.of_row[place], brought.result_of_row[place]});
                else
                    include_contributions(set, {static_cast<std::uint32_t>(brought.of_row[place])},
                                          brought.of_rank[rank][place].value);
            }
        }
        std::ranges::sort(results, {}, &Held::item);
        if (!results.empty()) set.include(of_values(results));
    }
    return set_apart(std::move(set));
}

/// Results of the whole travel without partial ones: beside these they are contributions.
PacketSet Possessions::set_apart(PacketSet set) const {
    PacketSet results;
    for (const PacketBlock& block : set.blocks())
        if (block.first == nodes_) results.add(block);
    if (results.empty() || results.size() == set.size()) return set;
    set.remove(results);
    set.include(contributions_to(results.blocks(), nodes_));
    return set;
}

/// The value that has what all ranks put in.
std::uint32_t Possessions::folded(const Brought& brought, std::size_t place) {
    std::set<std::uint32_t> values;
    for (const std::vector<Held>& some : brought.of_rank) values.insert(some[place].value);
    return contributions_.union_of(values);
}

void Possessions::end_reduction(const Party& party, const Brought& brought) {
    const Collective& c = party.collective;
    for (NodeId rank = 0; rank < party.size(); ++rank) {
        const NodeId v = party.node(rank);
        if (c.folds() && !c.gives_result(rank)) continue;
        std::vector<Held> has;
        const std::vector<std::uint32_t> rows =
            c.signals() ? std::vector<std::uint32_t>{0} : rows_in(c.wanted(rank, party.size()));
        for (const std::uint32_t row : rows) {
            const std::size_t place = brought.place_of_row.at(row);
            has.push_back({brought.of_row[place], brought.result_of_row[place]});
            if (c.folds() && is_complete(brought.result_of_row[place])) {
                const PacketBlock result = result_packets(nodes_, {static_cast<std::uint32_t>(brought.of_row[place])});
                holds_[v].include({&result, 1});
            }
        }
        count(has.size());
        has_[v] = std::move(has);
    }
}

}  // namespace kport
