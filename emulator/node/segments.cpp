/// @file segments.cpp   The half of a folder that cuts values into segments and joins them.
#include <algorithm>
#include <cstring>
#include <utility>

#include "emulator/node/reduction.hpp"
#include "emulator/node/sealed_copy.hpp"

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
    const Progression first = one.front().all_rows();
    const auto is_of_the_first = [&](const PacketBlock& block) { return block.all_rows() == first; };
    if (std::ranges::all_of(one, is_of_the_first) && std::ranges::all_of(other, is_of_the_first)) return true;
    const PacketSet rows = rows_of(one);
    const PacketSet others = rows_of(other);
    return rows.size() == others.size() && rows.covers(others.blocks());
}

namespace {

/// The contributions to some segments, among those to these and others. Of many it looks only at the segments that lie near.
PacketSet part_of(std::span<const PacketBlock> contributions, const PacketSet& segments) {
    PacketSet part;
    const auto add = [&](const PacketBlock& block, const Progression& some) {
        if (const auto rows = common(block.all_rows(), some)) part.add(block_of(*rows, block.columns()));
    };
    if (!detail::are_many(contributions, segments.blocks())) {
        for (const PacketBlock& block : contributions)
            for (const PacketBlock& some : segments.blocks()) add(block, some.columns());
        return part;
    }
    std::vector<Progression> in_order;
    std::uint32_t longest = 0;
    for (const PacketBlock& some : segments.blocks()) {
        in_order.push_back(some.columns());
        longest = std::max(longest, some.columns().last() - some.first);
    }
    std::ranges::sort(in_order, {}, &Progression::first);
    for (const PacketBlock& block : contributions) {
        const std::uint32_t from = block.row > longest ? block.row - longest : 0;
        auto some = std::ranges::lower_bound(in_order, from, {}, &Progression::first);
        for (; some != in_order.end() && some->first <= block.all_rows().last(); ++some) add(block, *some);
    }
    return part;
}

/// Whether its segments are ranges: its bytes are found in long pieces.
bool is_of_ranges(const Body& value) {
    return std::ranges::all_of(value.blocks(),
                               [](const PacketBlock& block) { return block.row_stride == 1 || block.rows == 1; });
}

}  // namespace

template <class Visit>
void Folder::for_each_piece(const Body& value, const PacketSet& segments, const Visit& visit) const {
    const std::uint64_t each = bytes_of_segment();
    const std::vector<Progression> wanted = ranges_of(segments);
    auto run = wanted.begin();
    std::uint32_t done = 0;  // of *run
    for_each_run(value.blocks(), [&](std::uint32_t first, std::uint32_t count, std::uint64_t byte) {
        while (run != wanted.end() && run->first + done < first + count) {
            const std::uint32_t from = run->first + done;
            const std::uint32_t some = std::min(run->count - done, first + count - from);
            visit(value.content().subspan(byte + (from - first) * each, some * each));
            done += some;
            if (done < run->count) return;
            ++run;
            done = 0;
        }
    });
}

namespace {

/// Bytes of a value that another shares: fewer are copied as fast, and keep no larger ones alive.
constexpr std::uint64_t shared_from = Sealer::Copy::pays_from;

}  // namespace

std::optional<std::uint64_t> Folder::first_byte_of(const Body& value, const PacketSet& segments) const {
    if (!segments.is_block()) return std::nullopt;
    const Progression wanted = segments.block().columns();
    if (wanted.stride != 1 && wanted.count != 1) return std::nullopt;
    std::optional<std::uint64_t> byte;
    for_each_run(value.blocks(), [&](std::uint32_t first, std::uint32_t count, std::uint64_t first_byte) {
        if (first <= wanted.first && wanted.last() < first + count)
            byte = first_byte + (wanted.first - first) * bytes_of_segment();
    });
    return byte;
}

Body* Folder::cut(Body& value, const PacketSet& segments, FramePool& pool) const {
    PacketSet twice;
    if (value.twice != nullptr) twice = part_of(value.twice->blocks(), segments);
    Body* body = cut_once(value, segments, pool);
    body->set_twice(std::move(twice), pool);
    return body;
}

Body* Folder::cut_once(Body& value, const PacketSet& segments, FramePool& pool) const {
    PacketSet kept;
    if (value.blocks().size() == 1 && segments.is_block())  // which it has
        kept = block_of(segments.block().columns(), value.blocks().front().columns());
    else
        kept = part_of(value.blocks(), segments);
    if (has_runs_apart(value)) return cut_of_runs(value, kept, segments, pool);
    const std::uint64_t bytes = segments.size() * bytes_of_segment();
    if (const auto first = bytes >= shared_from ? first_byte_of(value, segments) : std::nullopt) {
        Body* body = Body::sharing(value, kept.blocks(), *first, bytes, pool);
        body->seal = seal_of(*body);
        return body;
    }
    Body* body = Body::make(kept.blocks(), bytes, pool);
    if (payload_ && bytes >= Sealer::Copy::pays_from && is_of_ranges(*body)) {
        Sealer::Copy copy(sealer_, body->blocks(), body->bytes(), bytes);
        for_each_piece(value, segments, [&](std::span<const std::byte> piece) { copy.add(piece); });
        body->seal = copy.end();
        return body;
    }
    if (payload_) copy_segments(value, segments, body->bytes());
    body->seal = seal_of(*body);
    return body;
}

namespace {

/// Where the segments of a part stand among the bytes of others that are a progression too: the first one's place, and how many
/// places on the next one is.
struct Places {
    Places(const Progression& part, const Progression& all)
        : first(all.place(part.first).value()), step(part.count == 1 ? 1 : part.stride / all.stride) {}
    std::uint64_t first;
    std::uint64_t step;
};

/// Copies segments, so many steps apart.
void copy_steps(std::byte* to, std::uint64_t to_step, const std::byte* from, std::uint64_t from_step,
                std::uint64_t count, std::uint64_t bytes) {
    constexpr std::uint64_t number_bytes = 8;
    if (to_step == 1 && from_step == 1) {
        std::memcpy(to, from, count * bytes);
    } else if (bytes == number_bytes) {
        for (std::uint64_t i = 0; i < count; ++i)
            std::memcpy(to + i * to_step * number_bytes, from + i * from_step * number_bytes, number_bytes);
    } else {
        for (std::uint64_t i = 0; i < count; ++i)
            std::memcpy(to + i * to_step * bytes, from + i * from_step * bytes, bytes);
    }
}

}  // namespace

void Folder::copy_segments(const Body& value, const PacketSet& segments, std::byte* into) const {
    const std::uint64_t each = bytes_of_segment();
    if (const PacketSet own = segments.is_block() ? rows_of(value.blocks()) : PacketSet(); own.is_block()) {
        const Progression wanted = segments.block().columns();
        const Places places(wanted, own.block().columns());
        copy_steps(into, 1, value.bytes() + places.first * each, places.step, wanted.count, each);
        return;
    }
    for_each_piece(value, segments,
                   [&](std::span<const std::byte> piece) { into = std::ranges::copy(piece, into).out; });
}

Body* Folder::renamed(Body& value, std::span<const PacketBlock> contributions, FramePool& pool, bool& intact) const {
    const Sealer::Renamed seals = sealer_.of_renamed(value.blocks(), contributions, value.content());
    intact = value.seal == seals.before;
    Body* body = nullptr;
    if (value.byte_count() >= shared_from) {
        body = Body::sharing(value, contributions, 0, value.byte_count(), pool);
    } else {
        body = Body::make(contributions, value.byte_count(), pool);
        std::ranges::copy(value.content(), body->bytes());
    }
    body->seal = seals.after;
    if (value.twice != nullptr) body->set_twice(*value.twice, pool);
    return body;
}

Body* Folder::joined(std::span<const Body* const> values, const PacketSet& segments, FramePool& pool,
                     bool& intact) const {
    if (std::ranges::any_of(values, [&](const Body* value) { return has_runs_apart(*value); })) {
        intact = std::ranges::all_of(values, [&](const Body* value) { return this->intact(*value); });
        return merged(values, pool);
    }
    PacketSet twice = twice_in(values);
    Body* body = joined_once(values, segments, pool, intact);
    body->set_twice(std::move(twice), pool);
    return body;
}

Body* Folder::joined_once(std::span<const Body* const> values, const PacketSet& segments, FramePool& pool,
                          bool& intact) const {
    const auto is_intact = [&](const Body* value) { return this->intact(*value); };
    const PacketBlock& first = values.front()->blocks().front();
    const auto are_of_the_first = [&](const Body* value) {
        return value->blocks().size() == 1 && value->blocks().front().columns() == first.columns();
    };
    PacketSet all;
    if (segments.is_block() && std::ranges::all_of(values, are_of_the_first))
        all = block_of(segments.block().columns(), first.columns());
    else
        for (const Body* value : values) all.add(value->blocks());
    Body* body = Body::make(all.blocks(), segments.size() * bytes_of_segment(), pool);
    const auto are_ranges = [](const Body* value) { return is_of_ranges(*value); };
    if (payload_ && body->byte_count() >= Sealer::Copy::pays_from && std::ranges::all_of(values, are_ranges)) {
        Sealer::Copy copy(sealer_, body->blocks(), body->bytes(), body->byte_count());
        intact = true;
        for (const auto& [segment, value, bytes] : in_order(values)) {
            if (bytes.size() == value->byte_count()) {
                intact &= copy.add_value(value->blocks(), bytes) == value->seal;
            } else {
                if (bytes.data() == value->bytes()) intact &= is_intact(value);  // once, at its first piece
                copy.add(bytes);
            }
        }
        body->seal = copy.end();
        return body;
    }
    intact = std::ranges::all_of(values, is_intact);
    std::byte* into = body->bytes();
    if (payload_ && !copy_progressions(values, segments, into))
        for (const Piece& piece : in_order(values)) into = std::ranges::copy(piece.bytes, into).out;
    body->seal = seal_of(*body);
    return body;
}

Body* Folder::joined_elements(std::span<const Value* const> values, FramePool& pool) const {
    const Element first = values.front()->element();
    const Element last = values.back()->element();
    const auto count = static_cast<std::uint32_t>(values.size());
    const bool descend = last.segment < first.segment;
    FewBlocks all = first.blocks();
    for (PacketBlock& block : all.places) {
        block.row = descend ? last.segment : first.segment;
        block.rows = count;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        const Element some = values[i]->element();
        const bool is_next = some.segment == (descend ? first.segment - i : first.segment + i);
        if (!is_next || some.contributions != first.contributions || some.around != first.around) return nullptr;
    }
    Body* body = Body::make(all.blocks(), count * bytes_of_segment(), pool);
    for (std::uint32_t i = 0; payload_ && i < count; ++i) {
        const Element some = values[i]->element();
        std::memcpy(body->bytes() + (some.segment - all.places.front().row) * sizeof some.bits, &some.bits,
                    sizeof some.bits);
    }
    body->seal = seal_of(*body);
    return body;
}

bool Folder::copy_progressions(std::span<const Body* const> values, const PacketSet& segments, std::byte* into) const {
    if (!segments.is_block()) return false;
    const std::uint64_t each = bytes_of_segment();
    for (const Body* value : values) {
        const PacketSet own = rows_of(value->blocks());
        if (!own.is_block()) return false;
        const Progression some = own.block().columns();
        const Places places(some, segments.block().columns());
        copy_steps(into + places.first * each, places.step, value->bytes(), 1, some.count, each);
    }
    return true;
}

std::vector<Folder::Piece> Folder::in_order(std::span<const Body* const> values) const {
    std::vector<Piece> pieces;
    for (const Body* value : values)
        for_each_run(value->blocks(), [&](std::uint32_t first, std::uint32_t count, std::uint64_t byte) {
            pieces.push_back({first, value, value->content().subspan(byte, count * bytes_of_segment())});
        });
    std::ranges::sort(pieces, {}, &Piece::first);
    return pieces;
}

}  // namespace kport
