#include "emulator/payload/packet_index.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/schedule/packet_words.hpp"

namespace kport {

namespace {

/// Calls visit(row and word, columns, place) for the packets of some blocks, 64 columns of a row at a time: `columns`
/// are bits, and these packets are stored consecutively from index `place` on.
template <class Visit>
void for_each_piece(std::span<const PacketBlock> blocks, const Visit& visit) {
    std::uint64_t at = 0;
    std::uint64_t key = 0;
    std::uint64_t columns = 0;
    std::uint64_t place = 0;
    for (const PacketBlock& block : blocks)
        for (std::uint32_t j = 0; j < block.rows; ++j, at += block.count)
            for_each_word(block.columns(), [&](std::uint32_t word, std::uint64_t bits, std::int64_t first_place) {
                const std::uint64_t here = std::uint64_t{block.all_rows()[j]} << 32 | word;
                const int first = std::countr_zero(bits);
                if (here != key || columns >> first != 0) {  // else it continues what came before
                    if (columns != 0) visit(key, columns, place);
                    key = here;
                    columns = 0;
                    place = at + static_cast<std::uint64_t>(first_place + first);
                }
                columns |= bits;
            });
    if (columns != 0) visit(key, columns, place);
}

/// Returns how many of the columns come before one of them.
std::uint64_t before(std::uint32_t column, std::uint64_t columns) {
    return static_cast<std::uint64_t>(std::popcount(columns & ((std::uint64_t{1} << column) - 1)));
}

void copy_packets(std::byte* to, const std::byte* from, std::uint64_t count, std::uint64_t packet_bytes) {
    constexpr std::uint64_t number_bytes = 8;
    if (packet_bytes != number_bytes) {
        std::memcpy(to, from, count * packet_bytes);
        return;
    }
    for (; count > 0; --count, to += number_bytes, from += number_bytes) std::memcpy(to, from, number_bytes);
}

}  // namespace

void PacketIndex::add(Body* body) {
    bodies_.push_back(
        // first: if the segments do not fit into memory, the body has still been taken over
        {body, size_of(body->blocks()), 0});
    body->place = bodies_.size() - 1;
    std::uint64_t& left = bodies_.back().left;
    for_each_piece(body->blocks(), [&](std::uint64_t key, std::uint64_t columns, std::uint64_t place) {
        Segments& here = segments_[key];
        std::uint64_t fresh = columns;
        for (const Segment& segment : here) fresh &= ~segment.columns;
        if (fresh == 0) return;
        here.push_back({fresh, columns, body, place});
        left += static_cast<std::uint64_t>(std::popcount(fresh));
    });
}

std::uint64_t PacketIndex::copy_to(Body& message) const {
    std::uint64_t copied = 0;
    for_each_piece(message.blocks(), [&](std::uint64_t key, std::uint64_t columns, std::uint64_t place) {
        const auto here = segments_.find(key);
        if (here == segments_.end()) return;
        std::uint64_t to_find = columns;
        for (const Segment& segment : here->second) {
            const std::uint64_t found = segment.columns & to_find;
            for_each_run(found, [&](std::uint32_t first, std::uint32_t count) {
                copy_packets(message.bytes() + (place + before(first, columns)) * packet_bytes_,
                             segment.body->bytes() + (segment.place + before(first, segment.all)) * packet_bytes_,
                             count, packet_bytes_);
                copied += count;
            });
            to_find &= ~found;
            if (to_find == 0) return;
        }
    });
    return copied;
}

std::vector<Body*> PacketIndex::forget(std::span<const PacketBlock> packets) {
    std::vector<Body*> bodies;
    for_each_piece(packets, [&](std::uint64_t key, std::uint64_t columns, std::uint64_t) {
        const auto here = segments_.find(key);
        if (here == segments_.end()) return;
        for (Segment& segment : here->second) {
            const std::uint64_t gone = segment.columns & columns;
            if (gone == 0) continue;
            segment.columns &= ~gone;
            bodies_[segment.body->place].left -= static_cast<std::uint64_t>(std::popcount(gone));
            bodies.push_back(segment.body);
        }
        Segments& left = here->second;
        left.erase(std::ranges::remove(left, 0U, &Segment::columns).begin(), left.end());
        if (left.empty()) segments_.erase(here);
    });
    std::ranges::sort(bodies, {}, [](const Body* body) { return body->place; });
    bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
    return bodies;
}

void PacketIndex::drop(Body* body, FramePool& pool) {
    bodies_[body->place] = bodies_.back();
    bodies_[body->place].body->place = body->place;
    bodies_.pop_back();
    body->release(pool);
}

void PacketIndex::make_anew(Body* body, FramePool& pool) {
    PacketBlocks left;
    for_each_piece(body->blocks(), [&](std::uint64_t key, std::uint64_t columns, std::uint64_t) {
        const auto here = segments_.find(key);
        if (here == segments_.end()) return;
        for (const Segment& segment : here->second)
            if (segment.body == body)
                append_runs(static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key),
                            segment.columns & columns, left);
    });
    Body* anew = Body::make(span_of(left), size_of(span_of(left)) * packet_bytes_, pool);
    (void)copy_to(*anew);
    (void)forget(span_of(left));
    drop(body, pool);
    add(anew);
}

}  // namespace kport
