#include "emulator/node/passed_on.hpp"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <boost/icl/interval_set.hpp>

namespace kport {

namespace {

/// Ranges of packets as numbers: row by row, each of 2^32 columns.
using Range = boost::icl::right_open_interval<std::uint64_t>;
using Ranges = boost::icl::interval_set<std::uint64_t, std::less, Range>;

constexpr int row_shift = 32;

std::uint64_t number(std::uint32_t row, std::uint32_t column) { return std::uint64_t{row} << row_shift | column; }

/// From a block's lowest packet to behind its highest.
Range span_of(const PacketBlock& block) {
    return Range(number(block.row, block.first), number(block.all_rows().last(), block.columns().last()) + 1);
}

PacketBlock block_of(const Range& range) {
    const std::uint64_t first = boost::icl::first(range);
    return {static_cast<std::uint32_t>(first), 1, static_cast<std::uint32_t>(boost::icl::last(range) - first + 1),
            static_cast<std::uint32_t>(first >> row_shift)};
}

}  // namespace

/// What one node has passed on: some blocks as they come, and the ranges that are too many to be looked at one by one.
struct PassedOn::Book {
    static constexpr std::size_t few_max = 8;

    PacketSet few;
    std::unique_ptr<Ranges> many;
    Rounds rounds;

    void add(const PacketBlock& block) {
        if (!block.is_range() || few.blocks().size() < few_max) {
            few.add(block);
            return;
        }
        if (!many) many = std::make_unique<Ranges>();
        many->add(span_of(block));
    }

    /// Calls visit(range, part) for each of the many that has a part of the block.
    template <class Visit>
    void for_each_part(const PacketBlock& block, Visit&& visit) const {
        if (!many) return;
        const auto [begin, end] = many->equal_range(span_of(block));
        for (auto range = begin; range != end; ++range)
            if (const auto part = common(block_of(*range), block)) visit(block_of(*range), *part);
    }

    void remove(const PacketBlock& block) {
        few.remove({&block, 1});
        std::vector<std::pair<PacketBlock, PacketBlock>> parts;
        for_each_part(block,
                      [&](const PacketBlock& range, const PacketBlock& part) { parts.emplace_back(range, part); });
        for (const auto& [range, part] : parts) {
            many->subtract(span_of(range));
            for (const PacketBlock& rest : without(range, part)) add(rest);
        }
    }
};

PacketBlocks PassedOn::among(NodeId v, std::span<const PacketBlock> packets) const {
    const Book* book = books_[v];
    if (book == nullptr) return {};
    PacketBlocks found = in_both(packets, book->few.blocks());
    for (const PacketBlock& block : packets)
        book->for_each_part(block, [&](const PacketBlock&, const PacketBlock& part) { found.push_back(part); });
    return found;
}

PassedOn::Rounds PassedOn::rounds(NodeId v) const { return books_[v]->rounds; }

void PassedOn::add(NodeId v, Round round, std::span<const PacketBlock> packets, FramePool& pool) {
    Book*& book = books_[v];
    if (book == nullptr) book = new (pool.allocate(sizeof(Book))) Book{{}, {}, {round, round}};
    book->rounds.last = round;
    for (const PacketBlock& block : packets) book->add(block);
}

void PassedOn::received(NodeId v, std::span<const PacketBlock> packets) {
    Book* book = books_[v];
    if (book == nullptr) return;
    for (const PacketBlock& block : packets) book->remove(block);
}

void PassedOn::forget(NodeId v, FramePool& pool) {
    Book* book = std::exchange(books_[v], nullptr);
    if (book == nullptr) return;
    std::destroy_at(book);
    pool.deallocate(book, sizeof(Book));
}

}  // namespace kport
