#include "algorithms/support/steps.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "emulator/base/numbers.hpp"
#include "emulator/node/pieces.hpp"

namespace kport {

namespace {

Progression range(std::uint64_t first, std::uint64_t last) {
    return {static_cast<std::uint32_t>(first), 1, static_cast<std::uint32_t>(last - first)};
}

/// Calls visit(part, blocks) for each part of each cell.
template <class Visit>
void for_each_part(const PacketBlocks& cells, const Visit& visit) {
    for (const PacketBlock& block : cells)
        for (std::uint32_t i = 0; i < block.rows; ++i) visit(std::uint64_t{block.all_rows()[i]}, block.columns());
}

void add_range(PacketSet& all, const Progression& some) {
    if (some.count != 0) all.add(block_of({}, some));
}

/// Adds the segments of some blocks of `size` each, where block 0 begins with segment `offset`. Adjacent blocks are one
/// range; others are a progression for each segment of a block, or a range for each block, whichever are fewer.
void add_even_blocks(PacketSet& all, const Progression& blocks, std::uint64_t offset, std::uint64_t size) {
    const auto begin = [&](std::uint64_t b) { return offset + b * size; };
    const std::uint64_t first = begin(blocks.first);
    if (blocks.stride == 1 || blocks.count == 1) {
        add_range(all, range(first, begin(std::uint64_t{blocks.first} + blocks.count)));
    } else if (size <= blocks.count) {
        const auto stride = static_cast<std::uint32_t>(blocks.stride * size);
        for (std::uint64_t j = 0; j < size; ++j)
            add_range(all, {static_cast<std::uint32_t>(first + j), stride, blocks.count});
    } else {
        for (std::uint32_t i = 0; i < blocks.count; ++i) add_range(all, range(begin(blocks[i]), begin(blocks[i] + 1)));
    }
}

/// Adds `size` segments, from the block's segment `first` on, of each of some blocks of m segments; they do not adjoin:
/// a progression for each, or a range for each block, whichever are fewer.
void add_parts_of_blocks(PacketSet& all, const Progression& blocks, std::uint64_t m, std::uint64_t first,
                         std::uint64_t size) {
    if (size <= blocks.count) {
        const auto stride = blocks.count == 1 ? 1 : static_cast<std::uint32_t>(blocks.stride * m);
        for (std::uint64_t j = first; j < first + size; ++j)
            add_range(all, {static_cast<std::uint32_t>(blocks.first * m + j), stride, blocks.count});
    } else {
        for (std::uint32_t i = 0; i < blocks.count; ++i)
            add_range(all, range(blocks[i] * m + first, blocks[i] * m + first + size));
    }
}

/// Returns the block, of all nodes' blocks in `size` segments, that contains a segment: cut_at() <= s < cut_at(the
/// next).
NodeId block_of_segment(std::uint64_t s, std::uint64_t size, NodeId nodes) { return ((s + 1) * nodes - 1) / size; }

/// Calls visit(begin, end) for the segments of some blocks, of `size` that are cut among the blocks of all nodes.
/// Adjacent blocks are one range; otherwise visits as many blocks, or segments between the first and the last,
/// whichever are fewer.
template <class Visit>
void for_each_cut(const Progression& blocks, std::uint64_t size, NodeId nodes, const Visit& visit) {
    if (blocks.count == 0) return;
    const std::uint64_t begin = cut_at(blocks.first, size, nodes);
    const std::uint64_t end = cut_at(std::uint64_t{blocks.last()} + 1, size, nodes);
    if (blocks.stride == 1) {
        visit(begin, end);
    } else if (blocks.count <= end - begin) {
        for (std::uint32_t i = 0; i < blocks.count; ++i)
            visit(cut_at(blocks[i], size, nodes), cut_at(std::uint64_t{blocks[i]} + 1, size, nodes));
    } else {  // some blocks are empty, so none has two
        for (std::uint64_t s = begin; s < end; ++s) {
            if (blocks.has(static_cast<std::uint32_t>(block_of_segment(s, size, nodes)))) visit(s, s + 1);
        }
    }
}

class PartByPart final : public Steps {
  public:
    PartByPart(std::shared_ptr<const Steps> steps, std::uint64_t parts) : steps_(std::move(steps)), parts_(parts) {}

    [[nodiscard]] std::uint64_t count() const override { return steps_->count() * parts_; }
    [[nodiscard]] std::uint64_t parts() const override { return parts_; }
    [[nodiscard]] std::uint64_t ways(std::uint64_t step) const override { return steps_->ways(of_one(step)); }
    [[nodiscard]] NodeId to(std::uint64_t step, std::uint64_t way, NodeId v) const override {
        return steps_->to(of_one(step), way, v);
    }
    [[nodiscard]] NodeId from(std::uint64_t step, std::uint64_t way, NodeId v) const override {
        return steps_->from(of_one(step), way, v);
    }
    [[nodiscard]] PacketBlocks cells(std::uint64_t step, std::uint64_t way, NodeId v) const override {
        PacketBlocks cells = steps_->cells(of_one(step), way, v);
        for (PacketBlock& block : cells) block.row = static_cast<std::uint32_t>(step / steps_->count());
        return cells;
    }
    [[nodiscard]] bool moves_each_block_alone() const override { return steps_->moves_each_block_alone(); }

  private:
    [[nodiscard]] std::uint64_t of_one(std::uint64_t step) const { return step % steps_->count(); }

    std::shared_ptr<const Steps> steps_;
    std::uint64_t parts_;
};

}  // namespace

std::uint64_t single_parts(const Machine& machine, const Collective& collective) {
    if (machine.combining) return 1;
    if (collective.operation != Operation::allreduce) return collective.packets_each;
    const NodeId nodes = machine.topology->nodes();
    return (collective.packets_each + nodes - 1) / nodes;
}

std::shared_ptr<const Steps> part_by_part(std::shared_ptr<const Steps> steps, std::uint64_t parts) {
    if (parts == 1) return steps;
    return std::make_shared<const PartByPart>(std::move(steps), parts);
}

PacketBlocks as_progressions(std::vector<NodeId> numbers) {
    constexpr std::size_t tried = 4;
    PacketBlocks all;
    while (!numbers.empty()) {
        std::vector<NodeId> best = {numbers.front()};
        for (std::size_t i = 1; i < numbers.size() && i <= tried; ++i) {
            std::vector<NodeId> some = {numbers.front()};
            const NodeId stride = numbers[i] - numbers.front();
            while (std::ranges::binary_search(numbers, some.back() + stride)) some.push_back(some.back() + stride);
            if (some.size() > best.size()) best = std::move(some);
        }
        all.push_back(some_blocks(best.front(), best.size() > 1 ? best[1] - best[0] : 1, best.size()));
        std::vector<NodeId> left;
        std::ranges::set_difference(numbers, best, std::back_inserter(left));
        numbers = std::move(left);
    }
    return all;
}

PacketSet packets_of_cells(const Steps& steps, const PacketBlocks& cells, std::uint64_t m) {
    const std::uint64_t parts = steps.parts();
    if (parts == m && cells.size() == 1) return cells.front();
    PacketSet all;
    if (parts == m) {
        all.add(cells);
        return all;
    }
    for_each_part(cells, [&](std::uint64_t part, const Progression& blocks) {
        const Progression packets = range(cut_at(part, m, parts), cut_at(part + 1, m, parts));
        if (packets.count != 0) all.add(block_of(packets, blocks));
    });
    return all;
}

PacketSet segments_of_cells(const Steps& steps, const PacketBlocks& cells, const Collective& collective, NodeId nodes) {
    PacketSet all;
    const std::uint64_t m = collective.packets_each;
    const std::uint64_t parts = steps.parts();
    for_each_part(cells, [&](std::uint64_t part, const Progression& blocks) {
        const std::uint64_t first = parts == 1 ? 0 : cut_at(part, m, parts);
        const std::uint64_t size = parts == 1 ? m : cut_at(part + 1, m, parts) - first;
        if (collective.operation == Operation::allreduce) {
            if (size % nodes == 0)
                add_even_blocks(all, blocks, first, size / nodes);
            else
                for_each_cut(blocks, size, nodes, [&](std::uint64_t begin, std::uint64_t end) {
                    add_range(all, range(first + begin, first + end));
                });
        } else if (parts == 1) {
            add_even_blocks(all, blocks, 0, m);
        } else {
            add_parts_of_blocks(all, blocks, m, first, size);
        }
    });
    return all;
}

namespace {

/// Waits for a step, counted from 0, whose round is the first one plus `step`: a node idle so far lets rounds pass.
Node::NextRound begins(Node& self, Round first, std::uint64_t step) {
    return self.until(first + static_cast<Round>(step));
}

Program gather(Node& self, const Steps& steps) {
    const NodeId v = self.id();
    const auto packets = [&](std::uint64_t step, std::uint64_t way, NodeId sender) {
        if (sender == no_node) return PacketSet();
        return packets_of_cells(steps, steps.cells(step, way, sender), self.collective().packets_each);
    };
    const bool has_all_parts = self.collective().packets_each >= steps.parts();  // otherwise some are empty
    const auto comes_from = [&](std::uint64_t step, std::uint64_t way, NodeId sender) {
        if (sender == no_node || !has_all_parts) return !packets(step, way, sender).empty();
        return !steps.cells(step, way, sender).empty();
    };
    for (std::uint64_t step = 0; step < steps.count(); ++step) {
        co_await begins(self, 1, step);
        for (std::uint64_t way = 0; way < steps.ways(step); ++way) {
            const PacketSet mine = packets(step, way, v);
            if (!mine.empty()) co_await self.send_to(steps.to(step, way, v), mine);
        }
        for (std::uint64_t way = 0; way < steps.ways(step); ++way) {
            const NodeId from = steps.from(step, way, v);
            if (comes_from(step, way, from)) co_await self.receive_from(from);
        }
    }
}

/// What a node's program needs to reduce by steps.
struct Reducing {
    Node& self;
    const Steps& steps;

    /// Segments in each cell, if all have equally many; 0 if not, or if a rule cuts blocks into parts.
    std::uint64_t each = 0;
    /// The steps in which the node may have something to do, in order; nothing: all of them.
    std::optional<std::vector<std::uint64_t>> busy = {};

    Reducing(Node& the_self, const Steps& the_steps) : self(the_self), steps(the_steps) {
        const std::uint64_t all = self.collective().segments(self.nodes());
        if (steps.parts() != 1) return;
        if (all % self.nodes() == 0) each = all / self.nodes();
        if (all < self.nodes()) busy = steps_with_segments(all);
    }

    /// Returns count() steps.
    [[nodiscard]] std::uint64_t count() const { return busy ? busy->size() : steps.count(); }
    [[nodiscard]] std::uint64_t step(std::uint64_t i) const { return busy ? (*busy)[i] : i; }

    /// Returns the steps in which one of so many segments moves.
    [[nodiscard]] std::optional<std::vector<std::uint64_t>> steps_with_segments(std::uint64_t all) const {
        std::vector<std::uint64_t> found;
        for (std::uint64_t s = 0; s < all; ++s) {
            const auto with = steps.steps_with(self.id(), block_of_segment(s, all, self.nodes()));
            if (!with) return std::nullopt;
            found.insert(found.end(), with->begin(), with->end());
        }
        std::ranges::sort(found);
        found.erase(std::ranges::unique(found).begin(), found.end());
        return found;
    }

    [[nodiscard]] PacketSet segments(const PacketBlocks& cells) const {
        if (each != 0 && cells.size() == 1) {  // the common case
            const PacketBlock& some = cells.front();
            if (each == 1) return some;
            const std::uint64_t first = some.first * each;
            if (some.count == 1 || some.stride == 1) return PacketSet::range(first, first + some.count * each);
        }
        return segments_of_cells(steps, cells, self.collective(), self.nodes());
    }
    /// Returns the segments that a node sends in a step of the allgather.
    [[nodiscard]] PacketSet sent(std::uint64_t step, std::uint64_t way, NodeId sender) const {
        return sender != no_node ? segments(steps.cells(step, way, sender)) : PacketSet();
    }
    /// Returns the segments of the node's block.
    [[nodiscard]] PacketSet own() const {
        return segments({PacketBlock{static_cast<std::uint32_t>(self.id()), 1, 1, 0, 1,
                                     static_cast<std::uint32_t>(steps.parts())}});
    }
    [[nodiscard]] PacketSet all() const { return PacketSet::range(0, self.collective().segments(self.nodes())); }
};

/// Reversed: where the allgather brings blocks from u to v, the values of these segments go from v to u, which combines
/// them.
Program scatter(const Reducing& reducing, Pieces& folded) {
    Node& self = reducing.self;
    const Steps& steps = reducing.steps;
    const NodeId v = self.id();
    folded.put_contribution(reducing.all());
    for (std::uint64_t i = reducing.count(); i-- > 0;) {
        const std::uint64_t step = reducing.step(i);
        co_await begins(self, 1, steps.count() - 1 - step);
        for (std::uint64_t way = 0; way < steps.ways(step); ++way) {
            const NodeId to = steps.from(step, way, v);
            const PacketSet given = reducing.sent(step, way, to);
            if (given.empty()) continue;
            const Value value = folded.take(self, given);
            co_await self.send_to(to, value);
        }
        for (std::uint64_t way = 0; way < steps.ways(step); ++way) {
            const PacketSet kept = reducing.sent(step, way, v);
            if (kept.empty()) continue;
            const Arrival arrival = co_await self.receive_from(steps.to(step, way, v));
            const Value mine = folded.take(self, kept);
            folded.put(self.merge(arrival.value(), mine), kept);
        }
    }
}

Program reduce_scatter(Node& self, const Steps& steps) {
    const Reducing reducing(self, steps);
    Pieces folded;
    co_await scatter(reducing, folded);
    self.result(folded.get(self, reducing.own()));
}

Program allreduce(Node& self, const Steps& steps) {
    const Reducing reducing(self, steps);
    const NodeId v = self.id();
    Pieces folded;
    co_await scatter(reducing, folded);
    Pieces results;
    if (const PacketSet own = reducing.own(); !own.empty()) results.add(self, self.whole(folded.get(self, own)), own);
    const Round first = static_cast<Round>(steps.count() + 1);
    for (std::uint64_t i = 0; i < reducing.count(); ++i) {
        const std::uint64_t step = reducing.step(i);
        co_await begins(self, first, step);
        for (std::uint64_t way = 0; way < steps.ways(step); ++way) {
            const PacketSet given = reducing.sent(step, way, v);
            if (given.empty()) continue;
            const Value value = results.give(self, given);
            co_await self.send_to(steps.to(step, way, v), value);
        }
        for (std::uint64_t way = 0; way < steps.ways(step); ++way) {
            const NodeId from = steps.from(step, way, v);
            const PacketSet came = reducing.sent(step, way, from);
            if (came.empty()) continue;
            const Arrival arrival = co_await self.receive_from(from);
            results.add(self, arrival.value(), came);
        }
    }
    self.result(results.give(self, reducing.all()));
}

/// By halves, because a value of many contributions is copied when one is added.
Value merged(Node& self, std::span<const Value> values) {
    if (values.size() == 1) return values.front();
    const std::size_t half = values.size() / 2;
    const Value left = merged(self, values.first(half));
    return self.merge(left, merged(self, values.subspan(half)));
}

/// Some of the contributions in values that are disjoint, as one value.
Value contributions_of(Node& self, std::span<const Value> values, const PacketSet& nodes) {
    std::vector<Value> some;
    for (const Value& value : values) {
        const PacketSet of_value = columns_of(value.contributions().blocks());
        if (nodes.covers(of_value.blocks())) {
            some.push_back(value);
        } else if (common_size(of_value.blocks(), nodes) != 0) {
            for (Value& one : self.runs(value))
                if (nodes.covers(columns_of(one.contributions().blocks()).blocks())) some.push_back(std::move(one));
        }
    }
    return merged(self, some);
}

Program gather_and_fold(Node& self, const Steps& steps) {
    const NodeId v = self.id();
    std::vector<Value> held = {self.contribution()};
    for (std::uint64_t step = 0; step < steps.count(); ++step) {
        co_await begins(self, 1, step);
        for (std::uint64_t way = 0; way < steps.ways(step); ++way) {
            const PacketBlocks mine = steps.cells(step, way, v);
            if (mine.empty()) continue;
            PacketSet nodes;
            nodes.add(mine);
            const Value value = contributions_of(self, held, nodes);
            co_await self.send_to(steps.to(step, way, v), value);
        }
        for (std::uint64_t way = 0; way < steps.ways(step); ++way) {
            const NodeId from = steps.from(step, way, v);
            if (from == no_node || steps.cells(step, way, from).empty()) continue;
            const Arrival arrival = co_await self.receive_from(from);
            held.push_back(arrival.value());
        }
    }
    self.result(merged(self, held));
}

Start all_follow(std::shared_ptr<const Steps> steps, Program (*program)(Node&, const Steps&)) {
    return {[steps = std::move(steps), program](Node& self) { return program(self, *steps); }, {}, true};
}

}  // namespace

Start gathering(std::shared_ptr<const Steps> steps) { return all_follow(std::move(steps), gather); }
Start scattering(std::shared_ptr<const Steps> steps) { return all_follow(std::move(steps), reduce_scatter); }
Start scattering_and_gathering(std::shared_ptr<const Steps> steps) { return all_follow(std::move(steps), allreduce); }

Start gathering_and_folding(std::shared_ptr<const Steps> steps) {
    return all_follow(std::move(steps), gather_and_fold);
}

// ------------------------------------------------------------------------------------------------------------- costs

namespace {

/// Whether blocks are adjacent, with wraparound.
bool in_a_row(const PacketBlocks& cells, NodeId nodes) {
    const auto is_range = [](const PacketBlock& block) { return block.is_range(); };
    if (!std::ranges::all_of(cells, is_range) || cells.size() > 2) return false;
    return cells.size() < 2 || (cells[0].columns().last() + 1 == nodes && cells[1].first == 0);
}

/// Returns the sum of floor((a i + b) / m) over i < n by Euclid's algorithm: O(log m). Its value, a n + b and n b / m
/// are below 2^64.
std::uint64_t floor_sum(std::uint64_t n, std::uint64_t m, std::uint64_t a, std::uint64_t b) {
    std::uint64_t sum = 0;
    while (n > 0) {
        sum += n * (n - 1) / 2 * (a / m) + n * (b / m);
        const std::uint64_t last = a % m * n + b % m;
        n = last / m;  // counts the same points along the other axis
        b = last % m;
        a = std::exchange(m, a % m);
    }
    return sum;
}

/// Returns how many of `size` segments, cut into a block for each node, are in some of the blocks.
std::uint64_t segments_in_blocks(const Progression& blocks, std::uint64_t size, NodeId nodes) {
    const std::uint64_t rest = size % nodes;  // a block has one more if a multiple of nodes / rest lies in it
    const std::uint64_t stride = blocks.stride * rest % nodes;
    const std::uint64_t first = blocks.first * rest % nodes;
    return blocks.count * (size / nodes) + floor_sum(blocks.count, nodes, stride, first + rest) -
           floor_sum(blocks.count, nodes, stride, first);
}

/// Returns how many segments of an allreduce are in some cells: the size of segments_of_cells().
std::uint64_t segments_in_cells(const Steps& steps, const PacketBlocks& cells, std::uint64_t m, NodeId nodes) {
    std::uint64_t segments = 0;
    for_each_part(cells, [&](std::uint64_t part, const Progression& blocks) {
        const std::uint64_t size = cut_at(part + 1, m, steps.parts()) - cut_at(part, m, steps.parts());
        segments += segments_in_blocks(blocks, size, nodes);
    });
    return segments;
}

/// Messages of the allgather half on a vector, and the sum over steps of the largest in segments; nothing where
/// visiting every message takes too long.
struct Half {
    std::uint64_t messages = 0;
    std::uint64_t volume = 0;
};
std::optional<Half> half_of_allreduce(const Steps& steps, const Collective& collective, NodeId nodes) {
    const std::uint64_t segments = collective.packets_each;
    if (steps.moves_each_block_alone() && steps.parts() <= segments && segments <= nodes * steps.parts())
        return Half{segments * (nodes - 1), steps.count()};  // no part is empty, and no message has two segments
    std::uint64_t looked_at_max = std::uint64_t{1} << 21;
    const bool none_is_empty = segments >= nodes * steps.parts();
    Half half;
    for (std::uint64_t step = 0; step < steps.count(); ++step) {
        std::uint64_t largest = 0;
        for (std::uint64_t way = 0; way < steps.ways(step); ++way) {
            const PacketBlocks of_one = steps.cells(step, way, 0);
            if (none_is_empty && in_a_row(of_one, nodes) &&
                !of_one.empty()) {  // k adjacent blocks: at most ceil(k M / N)
                const std::uint64_t part = of_one.front().row;
                const std::uint64_t m =
                    cut_at(part + 1, segments, steps.parts()) - cut_at(part, segments, steps.parts());
                largest = std::max(largest, (size_of(span_of(of_one)) * m + nodes - 1) / nodes);
                half.messages += nodes;
                continue;
            }
            const std::uint64_t looked_at = nodes * (1 + of_one.size());
            if (looked_at > looked_at_max) return std::nullopt;
            looked_at_max -= looked_at;
            for (NodeId v = 0; v < nodes; ++v) {
                const std::uint64_t sent = segments_in_cells(steps, steps.cells(step, way, v), segments, nodes);
                half.messages += sent == 0 ? 0 : 1;
                largest = std::max(largest, sent);
            }
        }
        half.volume += largest;
    }
    return half;
}

}  // namespace

ExpectedCost cost_of_allreduce(const Steps& steps, const ExpectedCost& gather, const Collective& collective,
                               NodeId nodes) {
    const std::uint64_t m = collective.packets_each;
    const std::uint64_t cells = nodes * steps.parts();
    const auto counted_half = m % cells == 0 ? std::nullopt : half_of_allreduce(steps, collective, nodes);
    ExpectedCost half = gather;
    half.rounds = steps.count();
    if (m % cells == 0) {
        if (half.volume) *half.volume *= m / cells;
    } else if (counted_half) {
        half.work = counted_half->messages;
        half.volume = counted_half->volume;
    } else {
        half.volume = std::nullopt;
        if (m < cells) half.work = std::nullopt;
    }
    ExpectedCost cost;
    cost.derivation = std::move(half.derivation);
    cost.derivation.insert(
        cost.derivation.begin(),
        fmt::format("the vector of {} is cut into {}{}, which an allgather read backwards "
                    "folds and the same allgather distributes: twice what an allgather costs",
                    counted(m, "segment"), steps.parts() == 1 ? "" : fmt::format("{} parts of ", steps.parts()),
                    counted(nodes, "block")));
    if (counted_half)
        cost.derivation.push_back(
            fmt::format("but a block has {} or {} segments{}: an allgather of work {} and volume {}", m / cells,
                        m / cells + 1, m < cells ? ", and an empty one is not sent" : "", counted_half->messages,
                        counted(counted_half->volume, "segment")));
    const auto twice = [](const std::optional<std::uint64_t>& value) {
        return value ? std::optional(2 * *value) : std::nullopt;
    };
    cost.rounds = twice(half.rounds);
    cost.work = twice(half.work);
    cost.path_sum = twice(half.path_sum);
    cost.volume = twice(half.volume);
    return cost;
}

// -------------------------------------------------------------------------------------------------------------- rows

std::vector<Algorithm> detail::rows_of_steps(const Algorithm& gather, const Reductions& reductions) {
    Algorithm scatter = gather;
    scatter.operation = scatter.forward = Operation::reduce_scatter;
    scatter.rule = fmt::format("allgather {} read backwards, each value folded where its packet came from: {}",
                               gather.name, gather.rule);
    scatter.cost = fmt::format("as allgather {} in every quantity", gather.name);
    scatter.in_order = reductions.in_order;
    scatter.merges = true;
    std::vector<Algorithm> rows = {gather, scatter};
    rows.front().forward = Operation::allgather;
    if (reductions.allreduce.empty()) return rows;
    Algorithm& both = rows.emplace_back(scatter);
    both.operation = both.forward = Operation::allreduce;
    both.name = reductions.allreduce;
    both.rule = fmt::format("reduce-scatter {0}, then allgather {0}, on N blocks of the vector", gather.name);
    both.cost = fmt::format("twice allgather {}, each message M/N times as large", gather.name);
    both.with_many = WithMany::own;
    both.single_packets = false;  // a block may have several segments
    return rows;
}

Algorithm detail::row_of_folding(const Algorithm& gather, std::string_view name) {
    Algorithm row = gather;
    row.operation = row.forward = Operation::allreduce;
    row.name = name;
    row.rule =
        fmt::format("allgather {} of the contributions; every node folds them in the order of the nodes", gather.name);
    row.cost = fmt::format("as allgather {} in every quantity", gather.name);
    row.in_order = {[](const Machine&, const Collective&, const AlgorithmOptions&) { return true; }, "always"};
    row.in_runs = row.unfolded = true;
    return row;
}

}  // namespace kport
