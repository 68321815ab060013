#include "emulator/payload/packet_places.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/payload/packet_bytes.hpp"
#include "emulator/schedule/packet_words.hpp"

namespace kport {

namespace {

/// Packets of 8 bytes, the common case, need no call.
void copy_few(std::byte* to, const std::byte* from, std::uint64_t count, std::uint64_t packet_bytes) {
    constexpr std::uint64_t number_bytes = 8;
    if (packet_bytes == number_bytes && count == 1)
        std::memcpy(to, from, number_bytes);
    else
        std::copy_n(from, count * packet_bytes, to);
}

/// Packets without bytes have no address, which memcmp() does not accept.
bool are_same(const std::byte* a, const std::byte* b, std::uint64_t bytes) {
    return bytes == 0 || std::memcmp(a, b, bytes) == 0;
}

}  // namespace

PacketPlaces::PacketPlaces(NodeId nodes, std::uint64_t packets, std::uint64_t packet_bytes, const PacketBytes& right,
                           const NodeShare& share)
    : nodes_(nodes), share_(share), packet_bytes_(packet_bytes), order_{packets}, right_(packets * packet_bytes),
      bytes_(share.places(nodes) * packets * packet_bytes), held_(nodes, packets, share) {
    for (std::uint64_t packet = 0; packet < packets; ++packet)
        right.fill({right_.data() + packet * packet_bytes, packet_bytes}, packet);
}

void PacketPlaces::stand_in_groups() {
    // Hardware prefetches less far in smaller groups. Groups are whole, so that no place is behind the end.
    constexpr int bits_at_most = 12;
    order_.group_bits = static_cast<unsigned>(std::min(bits_at_most, std::countr_zero(share_.places(nodes_))));
}

template <class Visit>
void PacketPlaces::for_each_stretch(std::uint64_t bits, const Visit& visit) const {
    for_each_run(bits, [&](std::uint32_t first, std::uint32_t count) {
        if (order_.group_bits == 0) return visit(first, count);
        for (std::uint32_t i = 0; i < count; ++i) visit(first + i, 1);
    });
}

template <class Visit>
void PacketPlaces::for_each_piece(std::span<const PacketBlock> packets, const Visit& visit) {
    std::int64_t before = 0;
    for (const PacketBlock& block : packets) {
        if (block.is_one()) {  // the common case
            const std::uint32_t bit = block.first % columns_a_word;
            visit(block.first / columns_a_word, std::uint64_t{1} << bit, before - bit);
        } else {
            for_each_word(block.columns(), [&](std::uint32_t word, std::uint64_t bits, std::int64_t place) {
                visit(word, bits, before + place);
            });
        }
        before += block.count;
    }
}

void PacketPlaces::put(NodeId v, std::span<const PacketBlock> packets, const std::byte* bytes) {
    for_each_piece(packets, [&](std::uint32_t word, std::uint64_t bits, std::int64_t place) {
        const std::uint64_t held = noted_elsewhere_ == nullptr ? held_.word(v, word) : 0;
        const auto from = [&](std::uint32_t bit) {
            return bytes + static_cast<std::uint64_t>(place + bit) * packet_bytes_;
        };
        for_each_stretch(bits & ~held, [&](std::uint32_t first, std::uint32_t count) {
            copy_few(at(v, word * columns_a_word + first), from(first), count, packet_bytes_);
        });
        for (std::uint64_t again = bits & held; again != 0; again &= again - 1) {
            const auto bit = static_cast<std::uint32_t>(std::countr_zero(again));
            const std::uint64_t packet = word * columns_a_word + bit;
            if (first_difference(from(bit), packet)) std::memcpy(at(v, packet), from(bit), packet_bytes_);
        }
        if (noted_elsewhere_ == nullptr) held_.word(v, word) |= bits;
    });
}

std::uint64_t PacketPlaces::copy(NodeId v, std::span<const PacketBlock> packets, std::byte* into) const {
    std::uint64_t copied = 0;
    for_each_piece(packets, [&](std::uint32_t word, std::uint64_t bits, std::int64_t place) {
        for_each_stretch(bits & held().word(v, word), [&](std::uint32_t first, std::uint32_t count) {
            copy_few(into + static_cast<std::uint64_t>(place + first) * packet_bytes_,
                     at(v, word * columns_a_word + first), count, packet_bytes_);
            copied += count;
        });
    });
    return copied;
}

void PacketPlaces::remove(NodeId v, std::span<const PacketBlock> packets) {
    for_each_piece(packets,
                   [&](std::uint32_t word, std::uint64_t bits, std::int64_t) { held_.word(v, word) &= ~bits; });
}

std::optional<std::uint64_t> PacketPlaces::first_difference(const std::byte* bytes, std::uint64_t packet) const {
    const std::byte* right = right_.data() + packet * packet_bytes_;
    if (are_same(bytes, right, packet_bytes_)) return std::nullopt;
    return static_cast<std::uint64_t>(std::mismatch(bytes, bytes + packet_bytes_, right).first - bytes);
}

bool PacketPlaces::all_are_right(NodeId v) const {
    if (!held().has_all(v)) return false;
    if (order_.group_bits == 0) return are_same(at(v, 0), right_.data(), right_.size());
    return !right_groups_.empty() && right_groups_[share_.place(v) >> order_.group_bits] != 0;
}

bool PacketPlaces::is_right_group(std::size_t i) const {
    const std::uint64_t of_packet = packet_bytes_ << order_.group_bits;
    for (std::uint64_t packet = 0; packet < order_.packets; ++packet) {
        const std::byte* here = bytes_.data() + (i * order_.packets + packet) * of_packet;
        // The first is right, and each equals the one before it.
        if (!are_same(here, right_.data() + packet * packet_bytes_, packet_bytes_) ||
            !are_same(here, here + packet_bytes_, of_packet - packet_bytes_))
            return false;
    }
    return true;
}

PacketPlaces::Check PacketPlaces::check(NodeId v, std::span<const PacketBlock> must_hold) const {
    Check check;
    if (all_are_right(v)) return check;
    const PacketSet held = this->held(v);
    check.missing.add(without(must_hold, held));
    for (const PacketBlock& block : held.blocks())
        for (std::uint32_t i = 0; i < block.count; ++i) {
            const PacketBlock one{block.columns()[i]};
            const auto byte = first_difference(at(v, one.first), one.first);
            if (!byte) continue;
            if (!check.first || one.first < check.first->packet) check.first = {one.first, *byte};
            check.wrong += common_size({&one, 1}, must_hold);
        }
    return check;
}

PacketMemory::PacketMemory(NodeId nodes, std::uint64_t packet_bytes, NodeId source, std::uint64_t seed,
                           const NodeShare& share)
    : share_(share), data_(share.places(nodes) * packet_bytes), right_(packet_bytes), bytes_(packet_bytes),
      source_(source) {
    PacketBytes(seed).fill(right_, 0);
    if (share.contains(source)) std::ranges::copy(right_, at(source));
}

void PacketMemory::spoil() {
    const std::uint64_t nodes = data_.size() / bytes_;
    for (NodeId v = 0; v < nodes; ++v)
        if (v != source_) *at(v) = ~right_.front();
}

std::optional<std::uint64_t> PacketMemory::first_difference(NodeId node) const {
    if (intact(node)) return std::nullopt;
    return std::mismatch(at(node), at(node) + bytes_, right_.begin()).first - at(node);
}

}  // namespace kport
