#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "emulator/base/error.hpp"
#include "emulator/engine/movement_plan.hpp"
#include "emulator/engine/movement_writer.hpp"
#include "emulator/engine/planned_parts.hpp"
#include "emulator/node/fold_order.hpp"
#include "emulator/schedule/packet_space.hpp"

namespace kport {

namespace {

/// A node's partial result of a segment: its contributions and its place.
struct Folded {
    std::uint32_t place;
    std::uint32_t lowest;
    std::uint32_t highest;
    std::uint64_t count;
    Round since = 0;           ///< the round in which it was written to its place
    std::uint32_t before = 0;  ///< where it stood before that round, when messages with it were sent

    void stand_at(std::uint32_t new_place, Round round) {
        if (since != round) before = place;
        since = round;
        place = new_place;
    }

    void add(const Folded& other) {
        lowest = std::min(lowest, other.lowest);
        highest = std::max(highest, other.highest);
        count += other.count;
    }
};

/// A value of a segment on its way, as it was before the round.
struct Coming {
    NodeId to;
    std::uint32_t segment;
    std::uint32_t turn;  ///< the number of values that came to the node's segment before it in the round
    std::size_t transfer;
    bool result;  ///< which replaces the node's value
    Folded value;
    Progression run;  ///< its contributions, if values come in runs
};

std::uint32_t highest_of(const PacketSet& some) {
    std::uint32_t highest = 0;
    for (const PacketBlock& block : some.blocks()) highest = std::max(highest, block.columns().last());
    return highest;
}

/// Calls visit(segment) for the segments of some packets.
template <class Visit>
void for_each_segment(std::span<const PacketBlock> packets, const Visit& visit) {
    const PacketSet segments = rows_of(packets);
    for (const PacketBlock& block : segments.blocks())
        for (std::uint32_t i = 0; i < block.count; ++i) visit(block.columns()[i]);
}

class ValuePlanner {
  public:
    ValuePlanner(const Schedule& schedule, NodeId nodes, const Collective& collective, const PlanOptions& options)
        : schedule_(schedule), nodes_(nodes), collective_(collective), segments_(collective.segments(nodes)),
          keeps_parts_(keepers_of_parts(schedule, collective, nodes)), writer_(plan_, options.count_max),
          parts_(plan_, writer_), folded_(own()), last_round_(cells()), last_sent_(cells()) {
        plan_.passing_places = passing_each * cells();
        if (collective.scans()) prefixes_ = own();
        for (std::size_t i = 0; i < schedule.size(); ++i) {
            const Transfer transfer = schedule.transfer(i);
            for_each_segment(transfer.packets, [&](std::uint32_t s) {
                if (!collective.scans() || highest_of(in_segment(transfer.packets, s)) < transfer.to)
                    last_round_[cell(transfer.to, s)] = schedule.round(i);
                last_sent_[cell(transfer.from, s)] = schedule.round(i);
            });
            plan_.packets_moved += values_in(transfer.packets, collective_, segments_);
        }
        lay_out();
    }

    MovementPlan plan() {
        for (std::size_t first = 0; first < schedule_.size();) {
            std::size_t end = first;
            while (end < schedule_.size() && schedule_.round(end) == schedule_.round(first)) ++end;
            plan_round(first, end);
            first = end;
        }
        bring_results();
        leave_out_unused_places();
        return std::move(plan_);
    }

    /// A value that is sent, the node's new one, and of a scan the prefix from which the two have departed.
    static constexpr std::uint64_t passing_each = 3;

  private:
    [[nodiscard]] std::uint64_t cells() const { return nodes_ * segments_; }
    [[nodiscard]] std::uint64_t cell(NodeId v, std::uint64_t segment) const { return v * segments_ + segment; }

    [[nodiscard]] std::vector<Folded> own() const {
        std::vector<Folded> all(cells());
        for (std::uint32_t v = 0; v < nodes_; ++v)
            for (std::uint64_t s = 0; s < segments_; ++s)
                all[cell(v, s)] = {static_cast<std::uint32_t>(cell(v, s)), v, v, 1};
        return all;
    }

    /// Passing places in which nothing is ever written get no memory: all that there is should stay in a cache.
    void leave_out_unused_places() {
        std::vector<std::uint32_t> used(plan_.passing_places);
        for (const Movement& movement : plan_.movements)
            if ((movement.to & passing) != 0) std::fill_n(used.begin() + (movement.to & ~passing), movement.count, 1U);
        std::vector<std::uint32_t> number(used.size());
        plan_.passing_places = std::accumulate(used.begin(), used.end(), std::uint64_t{0});
        std::exclusive_scan(used.begin(), used.end(), number.begin(), 0U);
        const auto renumber = [&](std::uint32_t& place) {
            if ((place & passing) != 0) place = number[place & ~passing] | passing;
        };
        for (Movement& movement : plan_.movements) {
            renumber(movement.to);
            renumber(movement.from);
            if (movement.folds()) renumber(movement.with);
        }
    }

    /// Contributions first, then the results that nodes owe.
    void lay_out() {
        plan_.places = cells();
        results_.resize(cells(), Movement::nothing);
        for (NodeId v = 0; v < nodes_; ++v) {
            const auto at = static_cast<std::uint32_t>(v);
            plan_.owned.push_back({at, static_cast<std::uint32_t>(cell(v, 0)), packets_of({at}, segments_)});
            if (keeps_parts_[v])
                for (std::uint64_t s = 0; s < segments_; ++s)
                    parts_.add(cell(v, s), PacketBlock{at}, static_cast<std::uint32_t>(cell(v, s)));
            if (!collective_.gives_result(v)) continue;
            for_each_segment(collective_.wanted(v, nodes_).blocks(), [&](std::uint32_t s) {
                results_[cell(v, s)] = static_cast<std::uint32_t>(plan_.places++);
            });
        }
    }
    [[nodiscard]] bool has_result(std::uint64_t cell) const { return results_[cell] != Movement::nothing; }

    void plan_round(std::size_t first, std::size_t end) {
        coming_.clear();
        for (std::size_t i = first; i < end; ++i) {
            const std::span<const PacketBlock> packets = schedule_.transfer(i).packets;
            for_each_segment(packets, [&](std::uint32_t s) {
                const PacketSet some = in_segment(packets, s);
                if (!collective_.in_runs) return coming_.push_back(sent(i, s, some, {}));
                for (const Progression& run : values_of(some.blocks(), collective_))
                    coming_.push_back(sent(i, s, block_of({}, run), run));
            });
        }
        parts_.fold_all();
        std::ranges::sort(coming_, {}, [](const Coming& c) {
            return std::tuple(c.to, c.segment, place_in_order(c.to, c.value.lowest));
        });
        for (std::size_t i = 1; i < coming_.size(); ++i)
            if (coming_[i].to == coming_[i - 1].to && coming_[i].segment == coming_[i - 1].segment)
                coming_[i].turn = coming_[i - 1].turn + 1;
        // A node folds sequentially; the folds of different nodes in the same turn are independent.
        std::ranges::stable_sort(coming_, {}, &Coming::turn);
        for (std::size_t i = 0; i < coming_.size(); ++i) {
            if (i > 0 && coming_[i].turn != coming_[i - 1].turn) writer_.end_step();
            take_in(coming_[i]);
        }
        writer_.end_step();
    }

    [[nodiscard]] Coming sent(std::size_t i, std::uint32_t segment, const PacketSet& named, const Progression& run) {
        const Transfer transfer = schedule_.transfer(i);
        const bool result = named.blocks().front().first == nodes_;
        const std::uint64_t wanted = result ? nodes_ : named.size();
        Folded value = folded_[cell(transfer.from, segment)];
        if (keeps_parts_[transfer.from]) {
            const auto [place, count] = of_parts(cell(transfer.from, segment), named);
            value = {place, lowest_of(named.blocks()), highest_of(named), count};
        }
        if (value.count != wanted)
            throw RequestError(
                fmt::format("transfers[{}]: node {} sends {} contributions in round {} and has folded {} "
                            "before",
                            i, transfer.from, wanted, schedule_.round(i), value.count));
        return {transfer.to, segment, 0, i, result, value, run};
    }

    /// The value of some contributions to a segment, or its result, which the node may have folded itself.
    PlannedParts::Sum of_parts(std::uint64_t cell, const PacketSet& named, std::uint32_t to = Movement::nothing) {
        const PlannedParts::Sum sum = parts_.sum(cell, named, to);
        if (named.blocks().front().first != nodes_) return sum;
        return sum.count != 0 ? PlannedParts::Sum{sum.place, nodes_}
                              : parts_.sum(cell, PacketSet::range(0, nodes_), to);
    }

    void take_in(const Coming& coming) {
        const std::uint64_t to = cell(coming.to, coming.segment);
        if (keeps_parts_[coming.to]) {
            const std::uint32_t place = coming.result && has_result(to) ? results_[to] : parts_.new_place();
            writer_.add({place, coming.value.place, Movement::nothing, 1});
            parts_.add(to,
                       collective_.in_runs ? PacketSet(block_of({}, coming.run))
                                           : in_segment(schedule_.transfer(coming.transfer).packets, coming.segment),
                       place);
            return;
        }
        Folded& here = folded_[to];
        if (here.count == nodes_ && !coming.result) return;  // it has all
        if (collective_.scans()) return take_into_scan(coming);
        const std::uint32_t into = is_new(here, coming) ? here.place : next_place(coming);
        if (coming.result)
            receive(into, coming, here);
        else
            fold(into, coming, here);
    }

    /// A node's prefix is its value as long as all that came is from below: then both are folded at once. Later the prefix is
    /// folded apart, and the value only if it is still to be sent.
    void take_into_scan(const Coming& coming) {
        const std::uint64_t to = cell(coming.to, coming.segment);
        Folded& here = folded_[to];
        Folded& prefix = prefixes_[to];
        const bool are_one = is_one_with_prefix(to);
        const bool below = is_below(coming);
        if (below && are_one) {
            fold(is_new(here, coming) ? here.place : next_place(coming), coming, here);
            prefix = here;
            return;
        }
        const std::uint32_t into = is_new(here, coming) && !are_one ? here.place : next_place(coming);
        if (below) fold(results_[to], coming, prefix);
        if (last_sent_[to] > round_of(coming))
            fold(into, coming, here);
        else if (below)
            here.add(coming.value);
        else
            receive(into, coming, here);  // what is needed no more comes all the same
    }
    [[nodiscard]] bool is_one_with_prefix(std::uint64_t cell) const {
        return folded_[cell].place == prefixes_[cell].place;
    }
    static bool is_below(const Coming& coming) { return coming.value.highest < coming.to; }

    [[nodiscard]] Round round_of(const Coming& coming) const { return schedule_.round(coming.transfer); }
    /// Whether the node's value was made in this round: then no other node reads it, and more can be folded in place.
    [[nodiscard]] bool is_new(const Folded& here, const Coming& coming) const { return here.since == round_of(coming); }

    /// A place for a node's new value: it is none that others read in this round, and not the prefix's. After the last round
    /// with a value for the result it is the result's.
    [[nodiscard]] std::uint32_t next_place(const Coming& coming) const {
        const std::uint64_t to = cell(coming.to, coming.segment);
        const Folded& here = folded_[to];
        const bool is_for_result = !collective_.scans() || (is_one_with_prefix(to) && is_below(coming));
        if (is_for_result && has_result(to) && round_of(coming) == last_round_[to]) return results_[to];
        const auto is_taken = [&](std::uint32_t place) {
            return place == here.place || (is_new(here, coming) && place == here.before) ||
                   (collective_.scans() && place == prefixes_[to].place);
        };
        auto place = static_cast<std::uint32_t>(to) | passing;
        while (is_taken(place)) place += static_cast<std::uint32_t>(cells());
        return place;
    }

    /// What comes replaces what the node has.
    void receive(std::uint32_t into, const Coming& coming, Folded& here) {
        writer_.add({into, coming.value.place, Movement::nothing, 1});
        here.count = coming.result ? nodes_ : here.count + coming.value.count;
        here.stand_at(into, round_of(coming));
    }

    /// An incoming value is folded on the side of its contributions.
    void fold(std::uint32_t into, const Coming& coming, Folded& here) {
        const Folded& came = coming.value;
        const bool left = stands_left(came.lowest, here.lowest);
        writer_.add({into, left ? came.place : here.place, left ? here.place : came.place, 1});
        here.add(came);
        here.stand_at(into, round_of(coming));
    }

    void bring_results() {
        for (NodeId v = 0; v < nodes_; ++v) {
            if (!collective_.gives_result(v)) continue;
            const PacketSet wanted = collective_.wanted(v, nodes_);
            for_each_segment(wanted.blocks(), [&](std::uint32_t s) { bring(v, s, in_segment(wanted.blocks(), s)); });
        }
        parts_.fold_all();
        // What stands where only passing values do is copied to stay.
        for (Standing& given : plan_.brought) {
            if ((given.place & passing) == 0) continue;
            const std::uint32_t place = results_[cell(given.node, given.block.row)];
            writer_.add({place, given.place, Movement::nothing, 1});
            given.place = place;
        }
        writer_.end_step();
    }

    void bring(NodeId v, std::uint32_t segment, const PacketSet& wanted) {
        const Folded& sum = (collective_.scans() ? prefixes_ : folded_)[cell(v, segment)];
        PlannedParts::Sum result{sum.place, sum.count};
        if (keeps_parts_[v]) {
            const PacketSet whole = PacketBlock{static_cast<std::uint32_t>(nodes_)};
            result = of_parts(cell(v, segment), wanted.size() == nodes_ ? whole : wanted, results_[cell(v, segment)]);
        }
        if (result.count != wanted.size())
            throw RequestError(fmt::format("transfers: node {} gets {} of the {} contributions of its result", v,
                                           result.count, wanted.size()));
        const auto at = static_cast<std::uint32_t>(v);
        plan_.brought.push_back({at, result.place, PacketBlock{at, 1, 1, segment}});
    }

    const Schedule& schedule_;
    NodeId nodes_;
    Collective collective_;
    std::uint64_t segments_;
    std::vector<bool> keeps_parts_;
    MovementPlan plan_;
    MovementWriter writer_;
    PlannedParts parts_;
    // By cell:
    std::vector<Folded> folded_;          ///< unless the node keeps parts
    std::vector<Folded> prefixes_;        ///< scan: of the contributions up to the node's own
    std::vector<std::uint32_t> results_;  ///< where the result is to stand; nothing: none is owed
    std::vector<Round> last_round_;       ///< in which a value for the result comes
    std::vector<Round> last_sent_;        ///< in which the node sends its value
    std::vector<Coming> coming_;          ///< in the round at hand
};

}  // namespace

MovementPlan plan_of_values(const Schedule& schedule, NodeId nodes, const Collective& collective,
                            const PlanOptions& options) {
    if (nodes * collective.segments(nodes) >= passing / ValuePlanner::passing_each)
        throw DoesNotFit(fmt::format("a reduction is moved in fewer than 2^31 places; {} nodes need more", nodes));
    return ValuePlanner(schedule, nodes, collective, options).plan();
}

}  // namespace kport
