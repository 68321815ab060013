#include "emulator/schedule/packet_set.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <boost/container/small_vector.hpp>

#include "emulator/schedule/packet_bits.hpp"

namespace kport {

namespace {

using BlockList = boost::container::small_vector<PacketBlock, 2>;

/// Bits with at most this many runs become a list again.
constexpr std::size_t few_runs = 2;

/// take_end_off() for blocks, of which the part is a subset.
bool take_end_off(PacketBlock& block, const PacketBlock& part) {
    Progression columns = block.columns();
    if (block.rows != part.rows || !kport::take_end_off(columns, part.columns())) return false;
    block.first = columns.first;
    block.count = columns.count;
    return true;
}

/// Removes every other column, so that the rest is one block. Returns false, and changes nothing, if the part is
/// anything else. This is how a node on a hypercube forwards half of what it holds.
bool take_every_other_off(PacketBlock& block, const PacketBlock& part) {
    if (block.row != part.row || block.rows != part.rows || (block.rows > 1 && block.row_stride != part.row_stride))
        return false;
    if (part.count == 0 || block.count != 2 * part.count) return false;
    if (part.count > 1 && part.stride != 2 * block.stride) return false;
    const std::uint32_t second = block.first + block.stride;
    if (part.first != block.first && part.first != second) return false;
    if (part.first == block.first) block.first = second;
    block.count = part.count;
    block.stride = block.count == 1 ? 1 : 2 * block.stride;
    return true;
}

std::uint64_t remove_from(BlockList& blocks, std::span<const PacketBlock> packets) {
    std::uint64_t removed = 0;
    for (const PacketBlock& part : packets)
        for (std::size_t i = blocks.size(); i-- > 0;) {
            const auto both = common(blocks[i], part);
            if (!both) continue;
            removed += both->size();
            if (take_end_off(blocks[i], *both) || take_every_other_off(blocks[i], *both)) continue;
            const PacketBlocks rest = without(blocks[i], *both);
            blocks[i] = blocks.back();  // visited before
            blocks.pop_back();
            blocks.insert(blocks.end(), rest.begin(), rest.end());  // disjoint from the part
        }
    return removed;
}

}  // namespace

/// Blocks, or bits; chosen in become_bits_if_better() and becomes_bits_with(), by PacketBits::of().
struct PacketSet::Many {
    std::variant<BlockList, PacketBits> form;
    /// length of the list at which to ask again, so that asking costs O(1) for each block added
    std::size_t ask_again_at = blocks_of_bits;

    [[nodiscard]] BlockList& list() { return std::get<BlockList>(form); }
};

void PacketSet::EndOfMany::operator()(Many* many) const { delete many; }

PacketBits* PacketSet::bits() const { return many_ ? std::get_if<PacketBits>(&many_->form) : nullptr; }

void PacketSet::copy_many(const PacketSet& other) { many_.reset(new Many(*other.many_)); }

void PacketSet::refuse_range(NodeId first, NodeId last) {
    throw std::out_of_range(fmt::format("packets {} to {}: columns end below 2^32 - 1", first, last - 1));
}

void PacketSet::become_bits_if_better() {
    const std::size_t size = many_->list().size();
    if (size < many_->ask_again_at) return;
    many_->ask_again_at = 2 * size;
    if (auto bits = PacketBits::of(blocks())) become_bits(std::move(*bits));
}

void PacketSet::become_bits(PacketBits&& bits) {
    const bool is_list = bits.runs() <= few_runs;
    many_.reset(new Many{std::move(bits)});
    if (is_list) become_list();
}

bool PacketSet::becomes_bits_with(std::span<const PacketBlock> packets, bool disjoint) {
    if (bits() != nullptr || blocks().size() >= blocks_of_bits) return false;
    auto both = PacketBits::of(packets, blocks());
    if (!both) return false;
    for (const PacketBlock& block : blocks())
        if ((disjoint && both->common_size(block) != 0) || !both->include(block)) return false;
    become_bits(std::move(*both));
    return true;
}

void PacketSet::become_list() {
    const PacketBlocks blocks = bits()->written();
    if (blocks.size() == 1)
        replace(blocks.front());
    else
        many_.reset(new Many{BlockList(blocks.begin(), blocks.end()), 2 * blocks.size() + blocks_of_bits});
}

void PacketSet::add_to_others(const PacketBlock& block) {
    if (!many_) {
        if (const auto both = joined(one_, block))
            one_ = *both;
        else
            many_.reset(new Many{BlockList{one_, block}});
        return;
    }
    if (bits() != nullptr) {
        if (bits()->common_size(block) == 0 && bits()->include(block)) return;
        become_list();  // an invalid set is reported where it leaves a program
        add(block);
        return;
    }
    // Joining pays where sets grow by neighbours, which are among the last blocks; searching all of them is too
    // expensive.
    constexpr std::size_t joined_with = 8;
    BlockList& list = many_->list();
    PacketBlock grown = block;
    for (std::size_t looked = 0; looked < std::min(joined_with, list.size());) {
        const std::size_t i = list.size() - 1 - looked;
        if (const auto both = joined(list[i], grown)) {
            grown = *both;
            list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
            looked = 0;
        } else {
            ++looked;
        }
    }
    list.push_back(grown);
    if (list.size() == 1)
        replace(grown);
    else
        become_bits_if_better();
}

void PacketSet::add(std::span<const PacketBlock> blocks) {
    if (blocks.size() >= blocks_of_bits && becomes_bits_with(blocks, true)) return;
    for (const PacketBlock& block : blocks) add(block);
}

void PacketSet::include(std::span<const PacketBlock> packets) {
    if (packets.size() >= blocks_of_bits && becomes_bits_with(packets, false)) return;
    for (const PacketBlock& block : packets) {
        if (bits() != nullptr && bits()->include(block)) continue;
        const std::uint64_t known = common_size({&block, 1}, *this);
        if (known == 0)
            add(block);
        else if (known < block.size())
            add(without({&block, 1}, *this));
    }
}

void PacketSet::note(std::span<const PacketBlock> packets) {
    constexpr std::size_t long_list = 32;
    if (bits() == nullptr && blocks().size() >= long_list)
        add(packets);
    else
        include(packets);
}

void PacketSet::include(const PacketSet& others) {
    if (bits() == nullptr || others.bits() == nullptr || !bits()->include(*others.bits())) include(others.blocks());
}

std::uint64_t PacketSet::remove(std::span<const PacketBlock> packets) {
    std::uint64_t removed = 0;
    if (bits() != nullptr) {
        for (const PacketBlock& block : packets) removed += bits()->remove(block);
        if (bits()->size() == 0) clear();
        return removed;
    }
    if (!many_) {
        if (empty()) return 0;
        if (packets.size() == 1 && take_every_other_off(one_, packets.front())) return packets.front().size();
        if (packets.size() == 1 && one_.is_range() && packets.front().is_range()) {
            const auto both = common(one_, packets.front());
            if (!both) return 0;
            if (take_end_off(one_, *both)) return both->size();
        }
        BlockList rest{one_};  // usually one block again, or none
        removed = remove_from(rest, packets);
        if (rest.size() > 1) {
            many_.reset(new Many{std::move(rest)});
            become_bits_if_better();
        } else {
            one_ = rest.empty() ? PacketBlock{0, 1, 0} : rest.front();
        }
        return removed;
    }
    BlockList& list = many_->list();
    removed = remove_from(list, packets);
    if (list.empty())
        clear();
    else if (list.size() == 1)
        replace(PacketBlock(list.front()));
    else
        become_bits_if_better();
    return removed;
}

std::uint64_t PacketSet::remove(const PacketSet& packets) {
    if (&packets == this) {
        const std::uint64_t all = size();
        clear();
        return all;
    }
    if (bits() == nullptr || packets.bits() == nullptr) return remove(packets.blocks());
    const std::uint64_t removed = bits()->remove(*packets.bits());
    if (bits()->size() == 0) clear();
    return removed;
}

void PacketSet::keep(const PacketSet& others) {
    if (bits() != nullptr && others.bits() != nullptr) {
        bits()->keep(*others.bits());
        if (bits()->size() == 0) clear();
        return;
    }
    PacketSet kept;
    kept.add(bits() != nullptr ? in_both(others.blocks(), *this) : in_both(blocks(), others));
    *this = std::move(kept);
}

bool PacketSet::many_cover(std::span<const PacketBlock> packets) const {
    std::uint64_t to_find = size_of(packets);
    if (bits() != nullptr) return common_size(packets, *this) == to_find;
    const BlockList& list = many_->list();
    if (detail::are_many(many_blocks(), packets))
        if (const auto as_bits = PacketBits::of(many_blocks(), packets)) {
            for (const PacketBlock& block : packets) to_find -= as_bits->common_size(block);
            return to_find == 0;
        }
    // Blocks added last are searched first.
    for (std::size_t i = list.size(); i-- > 0 && to_find > 0;) to_find -= common_size({&list[i], 1}, packets);
    return to_find == 0;
}

std::uint64_t PacketSet::many_size() const { return bits() != nullptr ? bits()->size() : size_of(many_blocks()); }

std::span<const PacketBlock> PacketSet::many_blocks() const {
    if (const PacketBits* own = bits()) return own->blocks();
    return {many_->list().data(), many_->list().size()};
}

PacketId lowest_of(const PacketSet& set, NodeId nodes) {
    if (const PacketBits* bits = set.bits()) return bits->lowest().lowest(nodes);
    return lowest_of(set.blocks(), nodes);
}

std::uint64_t common_size(std::span<const PacketBlock> packets, const PacketSet& set) {
    const PacketBits* bits = set.bits();
    if (bits == nullptr) return common_size(packets, set.blocks());
    std::uint64_t size = 0;
    for (const PacketBlock& block : packets) size += bits->common_size(block);
    return size;
}

PacketBlocks in_both(std::span<const PacketBlock> packets, const PacketSet& set) {
    const PacketBits* bits = set.bits();
    if (bits == nullptr) return in_both(packets, set.blocks());
    PacketBlocks both;
    for (const PacketBlock& block : packets) bits->append_common(block, both);
    return both;
}

PacketBlocks without(std::span<const PacketBlock> packets, const PacketSet& set) {
    const PacketBits* bits = set.bits();
    if (bits == nullptr) return without(packets, set.blocks());
    PacketBlocks lacking;
    for (const PacketBlock& block : packets) bits->append_lacking(block, lacking);
    return lacking;
}

PacketSet packets_of(const PacketSet& nodes, std::uint64_t m) {
    if (m == 1) return nodes;
    PacketSet all;
    for (const PacketBlock& block : nodes.blocks()) all.add(packets_of(block.columns(), m));
    return all;
}

PacketSet packets_between(const Progression& from, const Progression& to, std::uint64_t m) {
    const auto each = static_cast<std::uint32_t>(m);
    if (m == 1 || from.stride == 1 || from.count == 1)
        return block_of({from.first * each, m == 1 ? from.stride : 1, from.count * each}, to);
    PacketSet all;
    for (std::uint32_t i = 0; i < from.count; ++i) all.add(block_of({from[i] * each, 1, each}, to));
    return all;
}

namespace {

/// Returns progressions as columns of row 0, each once. Compared all together: one by one would be quadratic.
PacketSet united(const PacketBlocks& some) {
    constexpr std::size_t runs_a_block = 8;
    PacketSet all;
    if (!common_to_two(span_of(some))) {
        all.add(span_of(some));
        return all;
    }
    std::size_t runs = 0;
    for (const PacketBlock& block : some) runs += block.stride == 1 ? 1 : block.count;
    if (runs > runs_a_block * some.size()) {
        all.include(span_of(some));
        return all;
    }
    std::vector<Progression> ranges;
    for (const PacketBlock& block : some)
        if (block.stride == 1)
            ranges.push_back(block.columns());
        else
            for (std::uint32_t i = 0; i < block.count; ++i) ranges.push_back({block.columns()[i], 1, 1});
    std::ranges::sort(ranges, {}, &Progression::first);
    Progression grown = ranges.front();
    for (const Progression& range : ranges) {
        if (range.first <= grown.last() + 1) {
            grown.count = std::max(grown.last(), range.last()) - grown.first + 1;
            continue;
        }
        all.add(block_of({}, grown));
        grown = range;
    }
    all.add(block_of({}, grown));
    return all;
}

}  // namespace

PacketSet rows_of(std::span<const PacketBlock> blocks) {
    const auto is_of_the_first = [&](const PacketBlock& block) {
        return block.all_rows() == blocks.front().all_rows();
    };
    if (!blocks.empty() && std::ranges::all_of(blocks, is_of_the_first))
        return block_of(Progression{}, blocks.front().all_rows());
    PacketBlocks rows;
    for (const PacketBlock& block : blocks) rows.push_back(block_of(Progression{}, block.all_rows()));
    return united(rows);
}

PacketSet columns_of(std::span<const PacketBlock> blocks) {
    if (blocks.size() == 1) return block_of(Progression{}, blocks.front().columns());
    PacketBlocks columns;
    for (const PacketBlock& block : blocks) columns.push_back(block_of(Progression{}, block.columns()));
    return united(columns);
}

}  // namespace kport
