#include "emulator/schedule/packet_block.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <utility>

#include "emulator/schedule/packet_bits.hpp"

namespace kport {

std::optional<std::uint32_t> Progression::place(std::uint32_t x) const {
    if (x < first || x > last()) return std::nullopt;
    const std::uint32_t offset = x - first;
    if (stride <= 1) return offset;  // of stride 0 it is the one number that there is
    if (offset % stride != 0) return std::nullopt;
    return offset / stride;
}

namespace {

/// Returns the inverse of a modulo m, for coprime a and m: the one between -m / 2 and m / 2 (extended Euclid).
std::int64_t inverse(std::int64_t a, std::int64_t m) {
    std::int64_t old_r = a % m;
    std::int64_t r = m;
    std::int64_t old_s = 1;
    std::int64_t s = 0;
    while (r != 0) {
        const std::int64_t quotient = old_r / r;
        old_r = std::exchange(r, old_r - quotient * r);
        old_s = std::exchange(s, old_s - quotient * s);
    }
    return old_s;
}

/// Returns the members of a between low and high, which lie in a's range.
std::optional<Progression> clipped(const Progression& a, std::uint32_t low, std::uint32_t high) {
    const std::uint32_t before = low - a.first;
    const std::uint32_t skipped = before / a.stride + (before % a.stride != 0 ? 1 : 0);
    const std::uint32_t ends = (high - a.first) / a.stride;
    if (skipped > ends) return std::nullopt;
    const std::uint32_t count = ends - skipped + 1;
    return Progression{a[skipped], count == 1 ? 1 : a.stride, count};
}

}  // namespace

std::optional<Progression> detail::common_strided(const Progression& a, const Progression& b) {
    const std::uint32_t low = std::max(a.first, b.first);
    const std::uint32_t high = std::min(a.last(), b.last());
    // A stride of 0 is invalid but harmless here; it is reported where the set leaves the program.
    const auto is_one = [](const Progression& p) { return p.count == 1 || p.stride == 0; };
    if (is_one(a)) return b.place(a.first) ? std::optional(a) : std::nullopt;
    if (is_one(b)) return a.place(b.first) ? std::optional(b) : std::nullopt;
    if (a.stride == 1) return clipped(b, low, high);
    if (b.stride == 1) return clipped(a, low, high);
    // Where one stride divides the other, as on hypercubes, the denser one has all members of the other or none.
    const std::uint32_t distance = a.first > b.first ? a.first - b.first : b.first - a.first;
    if (a.stride % b.stride == 0) return distance % b.stride == 0 ? clipped(a, low, high) : std::nullopt;
    if (b.stride % a.stride == 0) return distance % a.stride == 0 ? clipped(b, low, high) : std::nullopt;

    // x = a.first + i * a.stride with x = b.first modulo b.stride: one i modulo b.stride / g, or none.
    const auto sa = static_cast<std::int64_t>(a.stride);
    const auto sb = static_cast<std::int64_t>(b.stride);
    const std::int64_t g = std::gcd(sa, sb);
    const std::int64_t apart = static_cast<std::int64_t>(b.first) - static_cast<std::int64_t>(a.first);
    if (apart % g != 0) return std::nullopt;
    const std::int64_t m = sb / g;
    // Less than 2^32 by at most 2^31: the product fits.
    const std::int64_t i = (apart / g % m * inverse(sa / g, m) % m + m) % m;
    if (i >= a.count) return std::nullopt;
    // 2^32 and above are outside both.
    const auto step =
        static_cast<std::int64_t>(std::min(static_cast<std::uint64_t>(sa / g) * b.stride, std::uint64_t{1} << 32));
    std::int64_t x = static_cast<std::int64_t>(a.first) + i * sa;
    x += (low - x + step - 1) / step * step;
    if (x > high) return std::nullopt;
    const std::int64_t count = (high - x) / step + 1;
    return Progression{static_cast<std::uint32_t>(x), count == 1 ? 1 : static_cast<std::uint32_t>(step),
                       static_cast<std::uint32_t>(count)};
}

std::uint64_t detail::common_size_strided(const PacketBlock& a, const PacketBlock& b) {
    if (a.is_one()) return covers(b, a) ? 1 : 0;
    if (b.is_one()) return covers(a, b) ? 1 : 0;
    const auto both = common(a, b);
    return both ? both->size() : 0;
}

Progressions without(const Progression& whole, const Progression& part) {
    Progressions left;
    if (whole.stride == 0) return left;  // a single number, which the part contains
    const auto add = [&](std::uint32_t first, std::uint32_t stride, std::uint32_t count) {
        if (count != 0) left.push_back({first, count == 1 ? 1 : stride, count});
    };
    const std::uint32_t before = (part.first - whole.first) / whole.stride;
    const std::uint32_t after = (whole.last() - part.last()) / whole.stride;
    const std::uint32_t steps = part.stride / whole.stride;        // the stride of a single member does not matter
    if (steps <= part.count && before < steps && after < steps) {  // a whole residue class: the others remain
        for (std::uint32_t class_of = 0; class_of < steps; ++class_of)
            if (class_of != before)
                add(whole.first + class_of * whole.stride, part.stride, (whole.count - class_of + steps - 1) / steps);
        return left;
    }
    add(whole.first, whole.stride, before);
    // Either the residue classes between or the gaps between members, whichever are fewer.
    if (steps <= part.count)
        for (std::uint32_t class_of = 1; class_of < steps; ++class_of)
            add(part.first + class_of * whole.stride, part.stride, part.count - 1);
    else
        for (std::uint32_t gap = 0; gap + 1 < part.count; ++gap) add(part[gap] + whole.stride, whole.stride, steps - 1);
    add(part.last() + whole.stride, whole.stride, after);
    return left;
}

PacketBlocks without(const PacketBlock& whole, const PacketBlock& part) {
    PacketBlocks left;
    for (const Progression& rows : without(whole.all_rows(), part.all_rows()))
        left.push_back(block_of(rows, whole.columns()));
    for (const Progression& columns : without(whole.columns(), part.columns()))
        left.push_back(block_of(part.all_rows(), columns));
    return left;
}

namespace {

/// Returns the progression that has exactly the members of two disjoint ones, of which a begins first.
std::optional<Progression> joined_after(const Progression& a, const Progression& b) {
    const auto stride_of = [&](const Progression& p, std::uint32_t gap) { return p.count == 1 ? gap : p.stride; };
    // b directly follows a.
    if (b.first > a.last()) {
        const std::uint32_t gap = b.first - a.last();
        if (stride_of(a, gap) == gap && stride_of(b, gap) == gap) return Progression{a.first, gap, a.count + b.count};
        return std::nullopt;
    }
    // Interleaved: a has as many members as b, or one more.
    const std::uint32_t gap = b.first - a.first;
    if (a.stride != 2 * gap || (b.count > 1 && b.stride != a.stride)) return std::nullopt;
    if (a.count != b.count && a.count != b.count + 1) return std::nullopt;
    return Progression{a.first, gap, a.count + b.count};
}

std::optional<Progression> joined(const Progression& a, const Progression& b) {
    return a.first < b.first ? joined_after(a, b) : joined_after(b, a);
}

}  // namespace

std::optional<PacketBlock> detail::joined_blocks(const PacketBlock& a, const PacketBlock& b) {
    const auto same = [](const Progression& x, const Progression& y) {
        return x.first == y.first && x.count == y.count && (x.stride == y.stride || x.count == 1);
    };
    if (same(a.all_rows(), b.all_rows())) {
        if (const auto columns = joined(a.columns(), b.columns())) return block_of(a.all_rows(), *columns);
    } else if (same(a.columns(), b.columns())) {
        if (const auto rows = joined(a.all_rows(), b.all_rows())) return block_of(*rows, a.columns());
    }
    return std::nullopt;
}

PacketBlocks without(std::span<const PacketBlock> whole, std::span<const PacketBlock> gone) {
    if (detail::are_many(whole, gone))
        if (auto bits = PacketBits::of(whole, gone)) {
            for (const PacketBlock& block : gone) bits->remove(block);
            return bits->written();
        }
    PacketBlocks left(whole.begin(), whole.end());
    for (const PacketBlock& part : gone) {
        PacketBlocks still;
        for (const PacketBlock& block : left) {
            const auto both = common(block, part);
            if (!both) {
                still.push_back(block);
                continue;
            }
            const PacketBlocks rest = without(block, *both);
            still.insert(still.end(), rest.begin(), rest.end());
        }
        left.swap(still);
    }
    return left;
}

PacketId lowest_of(std::span<const PacketBlock> blocks, NodeId nodes) {
    if (blocks.empty()) return 0;
    const auto number = [&](const PacketBlock& block) { return block.lowest(nodes); };
    return std::ranges::min(blocks | std::views::transform(number));
}

PacketBlocks distinct(std::span<const PacketBlock> blocks) {
    if (!common_to_two(blocks)) return {blocks.begin(), blocks.end()};
    PacketBlocks all;
    for (const PacketBlock& block : blocks) {
        const PacketBlocks fresh = without({&block, 1}, span_of(all));
        all.insert(all.end(), fresh.begin(), fresh.end());
    }
    return all;
}

PacketBlocks in_both(std::span<const PacketBlock> a, std::span<const PacketBlock> b) {
    PacketBlocks both;
    if (detail::are_many(a, b))
        if (const auto bits = PacketBits::of(b, a)) {
            for (const PacketBlock& block : a) bits->append_common(block, both);
            return both;
        }
    for (const PacketBlock& x : a)
        for (const PacketBlock& y : b)
            if (const auto part = common(x, y)) both.push_back(*part);
    return both;
}

std::uint64_t detail::common_size_of_many(std::span<const PacketBlock> a, std::span<const PacketBlock> b) {
    const auto bits = PacketBits::of(b, a);
    if (!bits) return common_size_by_pairs(a, b);
    std::uint64_t size = 0;
    for (const PacketBlock& block : a) size += bits->common_size(block);
    return size;
}

std::optional<PacketBlock> common_to_two(std::span<const PacketBlock> blocks) {
    const auto place = [](const PacketBlock& block) { return std::pair(block.row, block.first); };
    // Most lists are ascending without overlap.
    const auto may_meet = [&](const PacketBlock& a, const PacketBlock& b) {
        return a.rows != 1 || place(a) >= place(b) || (a.row == b.row && a.columns().last() >= b.first);
    };
    if (std::ranges::adjacent_find(blocks, may_meet) == blocks.end()) return std::nullopt;
    if (blocks.size() == 2) return common(blocks[0], blocks[1]);
    if (PacketBits::of(blocks)) return std::nullopt;
    PacketBlocks sorted(blocks.begin(), blocks.end());
    std::ranges::sort(sorted, {}, place);
    for (auto a = sorted.begin(); a != sorted.end(); ++a)
        for (auto b = a + 1; b != sorted.end() && b->row <= a->all_rows().last();) {
            if (a->columns().last() < b->first) {  // as does the rest of that row
                b = std::ranges::upper_bound(b, sorted.end(), b->row, {}, &PacketBlock::row);
                continue;
            }
            if (const auto both = common(*a, *b)) return both;
            ++b;
        }
    return std::nullopt;
}

std::vector<Progression> runs_of(std::span<const PacketBlock> blocks) {
    std::vector<Progression> ranges;
    for (const PacketBlock& block : blocks) {
        const Progression columns = block.columns();
        if (columns.stride == 1 || columns.count == 1)
            ranges.push_back({columns.first, 1, columns.count});
        else
            for (std::uint32_t i = 0; i < columns.count; ++i) ranges.push_back({columns[i], 1, 1});
    }
    std::ranges::sort(ranges, {}, &Progression::first);
    std::vector<Progression> runs;
    for (const Progression& range : ranges)
        if (!runs.empty() && runs.back().last() + 1 == range.first)
            runs.back().count += range.count;
        else
            runs.push_back(range);
    return runs;
}

}  // namespace kport
