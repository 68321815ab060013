/// @file segments.cpp   The half of a folder that cuts values into segments and joins them.
#include <algorithm>
#include <cstring>
#include <utility>

#include "emulator/node/reduction.hpp"

namespace kport {

std::vector<Progression> Folder::ranges_of(const PacketSet& segments) {
    std::vector<Progression> runs;
    for (const PacketBlock& block : segments.blocks()) {
        const Progression some = block.columns();
        if (some.stride == 1 || some.count == 1)
            runs.push_back({some.first, 1, some.count});
        else
            for (std::uint32_t i = 0; i < some.count; ++i) runs.push_back({some[i], 1, 1});
    }
    std::ranges::sort(runs, {}, &Progression::first);
    return runs;
}

bool Folder::fit_together(const Body& left, const Body& right) const {
    if (segments_ == 1) return true;
    const auto one = left.blocks();
    const auto other = right.blocks();
    if (one.size() == 1 && other.size() == 1 && one.front().all_rows() == other.front().all_rows()) return true;
    const PacketSet rows = rows_of(one);
    const PacketSet others = rows_of(other);
    return rows.size() == others.size() && rows.covers(others.blocks());
}

Body* Folder::cut(const Body& value, const PacketSet& segments, FramePool& pool) const {
    PacketSet kept;
    for (const PacketBlock& block : value.blocks())
        for (const PacketBlock& some : segments.blocks())
            if (const auto rows = common(block.all_rows(), some.columns())) kept.add(block_of(*rows, block.columns()));
    Body* body = Body::make(kept.blocks(), segments.size() * bytes_of_segment(), pool);
    if (payload_) copy_segments(value, segments, body->bytes());
    body->seal = seal_of(*body);
    return body;
}

void Folder::copy_segments(const Body& value, const PacketSet& segments, std::byte* into) const {
    const std::vector<Progression> wanted = ranges_of(segments);
    auto run = wanted.begin();
    std::uint32_t done = 0;  // of *run
    for_each_run(value.blocks(), [&](std::uint32_t first, std::uint32_t count, std::uint64_t byte) {
        while (run != wanted.end() && run->first + done < first + count) {
            const std::uint32_t from = run->first + done;
            const std::uint32_t copied = std::min(run->count - done, first + count - from);
            const std::uint64_t bytes = copied * bytes_of_segment();
            std::memcpy(into, value.bytes() + byte + (from - first) * bytes_of_segment(), bytes);
            into += bytes;
            done += copied;
            if (done < run->count) return;
            ++run;
            done = 0;
        }
    });
}

Body* Folder::joined(std::span<const Body* const> values, FramePool& pool) const {
    struct Piece {
        std::uint32_t first;
        std::span<const std::byte> bytes;
    };
    PacketSet all;
    std::vector<Piece> pieces;
    std::uint64_t bytes = 0;
    for (const Body* value : values) {
        all.add(value->blocks());
        if (!payload_) continue;
        bytes += value->byte_count();
        for_each_run(value->blocks(), [&](std::uint32_t first, std::uint32_t count, std::uint64_t byte) {
            pieces.push_back({first, value->content().subspan(byte, count * bytes_of_segment())});
        });
    }
    std::ranges::sort(pieces, {}, &Piece::first);
    Body* body = Body::make(all.blocks(), bytes, pool);
    std::byte* into = body->bytes();
    for (const Piece& piece : pieces) into = std::ranges::copy(piece.bytes, into).out;
    body->seal = seal_of(*body);
    return body;
}

}  // namespace kport
