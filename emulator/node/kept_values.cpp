#include "emulator/node/kept_values.hpp"

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <stdexcept>
#include <utility>

#include "emulator/node/fold_order.hpp"
#include "emulator/schedule/packet_space.hpp"

namespace kport {

namespace {

/// Calls visit(contributions), as blocks.
template <class Visit>
auto on_contributions(const Value& value, Visit&& visit) {
    if (!value.is_element()) return visit(value.body()->blocks());
    const FewBlocks few = value.element().blocks();
    return visit(few.blocks());
}

bool is_result(const Node& self, std::span<const PacketBlock> packets) {
    return !packets.empty() && packets.front().first == self.nodes();
}
bool is_result(const Node& self, const Value& value) {
    return on_contributions(value, [&](std::span<const PacketBlock> blocks) { return is_result(self, blocks); });
}

/// A part of a value: those of its segments of which all its contributions are among some packets.
std::optional<Value> part_among(Node& self, const Value& value, const PacketSet& packets) {
    return on_contributions(value, [&](std::span<const PacketBlock> own) -> std::optional<Value> {
        const PacketBlocks beyond = without(own, packets);
        if (beyond.empty()) return value;
        PacketSet segments = rows_of(own);
        segments.remove(rows_of(span_of(beyond)));
        if (segments.empty()) return std::nullopt;
        return self.cut(value, segments);
    });
}

/// Each segment has its own order of folds: values with other contributions in one segment than in another, as values of a segment each.
std::vector<Value> with_one_lowest(Node& self, std::span<const Value> values) {
    std::vector<Value> all;
    for (const Value& value : values) {
        const PacketSet segments = segments_of(value);
        const bool is_rectangle =
            on_contributions(value, [](std::span<const PacketBlock> blocks) { return blocks.size() == 1; });
        if (is_rectangle || segments.size() == 1) {
            all.push_back(value);
            continue;
        }
        for (const PacketBlock& some : segments.blocks())
            for (std::uint32_t k = 0; k < some.count; ++k)
                all.push_back(self.cut(value, PacketSet::range(some.columns()[k], some.columns()[k] + 1)));
    }
    return all;
}

}  // namespace

void OneSum::take(Node& self, const Value& came, Act::Fold fold) {
    if (is_result(self, came)) {
        sum_ = came;
        return;
    }
    if (is_result(self, sum_)) return;
    switch (fold) {
        case Act::Fold::left: sum_ = self.fold(came, sum_); break;
        case Act::Fold::right: sum_ = self.fold(sum_, came); break;
        default: sum_ = self.merge(came, sum_);
    }
}

SumsOfSegments::SumsOfSegments(Node& self) {
    if (self.collective().is_own())
        sums_.put_contribution(rows_of(self.collective().owned(self.id(), self.nodes()).blocks()));
    else if (self.collective().has_member(self.id()))
        sums_.put_contribution(PacketSet::range(0, self.collective().segments(self.nodes())));
}

void SumsOfSegments::take(Node& self, const Value& came, Act::Fold fold) {
    if (fold == Act::Fold::left || fold == Act::Fold::right)
        throw std::invalid_argument("a value of several segments has no side; want Act::Fold::in_order");
    PacketSet segments = segments_of(came);
    if (is_result(self, came)) {
        sums_.remove(self, segments);
        results_.include(segments);
        sums_.put(came, std::move(segments));
        return;
    }
    segments.remove(results_);
    if (!segments.empty()) sums_.fold(self, results_.empty() ? came : self.cut(came, segments), segments);
}

Parts::Parts(Node& self) {
    if (!self.collective().is_own() || !self.collective().owned(self.id(), self.nodes()).empty())
        values_.push_back(self.contribution());
}

Value Parts::of(Node& self, const PacketSet& packets) {
    PacketSet rest = packets;
    std::vector<Value> some;
    for (const Value& value : values_ | std::views::reverse) {
        if (rest.empty()) break;
        std::optional<Value> part = part_among(self, value, rest);
        if (!part) continue;
        on_contributions(*part, [&](std::span<const PacketBlock> blocks) { return rest.remove(blocks); });
        some.push_back(*std::move(part));
    }
    if (!rest.empty() && is_result(self, rest.blocks()))
        some.push_back(self.whole(of(self, self.collective().in_results(rest.blocks(), self.nodes()))));
    if (some.empty() && values_.empty()) return self.contribution(rows_of(packets.blocks()));  // which refuses it
    if (some.empty()) return self.cut(values_.front(), rows_of(packets.blocks()));
    if (some.size() == 1) return some.front();
    some = with_one_lowest(self, some);
    std::ranges::stable_sort(some, {}, [](const Value& value) { return lowest_of(value); });
    Pieces sum;
    PacketSet segments;
    for (const Value& part : some) {
        const PacketSet own = segments_of(part);
        segments.include(own);
        sum.fold(self, part, own);
    }
    const Value all = sum.get(self, segments);
    const auto before = static_cast<std::ptrdiff_t>(values_.size());
    for (Value& run : self.runs(all)) {
        const PacketSet own = run.contributions();
        const auto is_same = [&](const Value& value) {
            const PacketSet other = value.contributions();
            return own.size() == other.size() && own.covers(other.blocks());
        };
        if (std::ranges::none_of(values_.begin(), values_.begin() + before, is_same)) values_.push_back(std::move(run));
    }
    return all;
}

Value Parts::latest(Node& self, const PacketSet& packets) {
    const bool has_results = std::ranges::any_of(values_, [&](const Value& value) { return is_result(self, value); });
    const bool are_all = self.collective().in_results(packets.blocks(), self.nodes()).size() == packets.size();
    if (!has_results || !are_all) return of(self, packets);
    PacketSet results;
    const PacketSet segments = rows_of(packets.blocks());
    for (const PacketBlock& some : segments.blocks()) results.add(result_packets(self.nodes(), some.columns()));
    return of(self, results);
}

template <class Sum>
void KeptValues<Sum>::take(Node& self, const Value& came, Act::Fold fold) {
    if (keeps_parts()) return more_->parts->take(self, came);
    const bool last = fold != Act::Fold::with_next;
    if (last && (more_ == nullptr || more_->coming.empty())) return take_into_sums(self, came, fold);
    std::vector<Value>& coming = more().coming;
    coming.push_back(came);
    if (!last) return;
    coming = with_one_lowest(self, coming);
    std::ranges::stable_sort(coming, {}, [&](const Value& one) { return place_in_order(self.id(), lowest_of(one)); });
    for (const Value& value : coming) take_into_sums(self, value, Act::Fold::in_order);
    coming.clear();
}

template <class Sum>
void KeptValues<Sum>::take_into_sums(Node& self, const Value& came, Act::Fold fold) {
    sum_.take(self, came, fold);
    if (!keeps_prefix()) return;
    const PacketSet due = self.collective().wanted(self.id(), self.nodes());
    std::optional<Sum>& prefix = more_->prefix;
    const bool is_due = is_result(self, came) && due.size() == self.nodes() * self.collective().segments(self.nodes());
    if (is_due) return prefix->take(self, came);
    const auto below = part_among(self, came, due);
    if (below && prefix)
        prefix->take(self, *below);
    else if (below)
        prefix.emplace(self, *below);
}

template <class Sum>
void KeptValues<Sum>::give(Node& self) {
    const Collective& collective = self.collective();
    if (!collective.gives_result(self.id()) || (keeps_prefix() && !more_->prefix)) return;
    const PacketSet due = collective.wanted(self.id(), self.nodes());
    if (due.empty()) return;  // its block has no segments
    const Value result = keeps_parts()    ? more_->parts->latest(self, due)
                         : keeps_prefix() ? more_->prefix->latest(self, due)
                                          : sum_.latest(self, due);
    const auto size_due = [&] {
        return on_contributions(result, [&](std::span<const PacketBlock> blocks) {
            return is_result(self, result) ? collective.in_results(blocks, self.nodes()).size() : size_of(blocks);
        });
    };
    if (collective.inwards() || size_due() == due.size()) self.result(result);
}

RelayedValues::RelayedValues(Node&, const Plan&) {}

Value RelayedValues::carried(Node& self, const Plan& plan, const Act& act) {
    if (!last_) last_ = self.contribution(plan.packets(self.id(), act));
    if (act.result && !is_result(self, *last_)) keep(self, self.whole(*last_));
    return *last_;
}

void RelayedValues::take(Node& self, const Value& came, Act::Fold) {
    if (is_result(self, came))
        keep(self, came);
    else
        last_ = self.merge(came, self.contribution(segments_of(came)));
}

void RelayedValues::give(Node& self) {
    const PacketSet all = PacketSet::range(0, self.collective().segments(self.nodes()));
    if (has_results_)
        self.result(results_.give(self, all));
    else
        self.result(last_ ? *last_ : self.contribution(all));
}

void RelayedValues::keep(Node& self, const Value& result) {
    last_ = result;
    has_results_ = true;
    results_.add(self, result, segments_of(result));
}

template class KeptValues<OneSum>;
template class KeptValues<SumsOfSegments>;

}  // namespace kport
