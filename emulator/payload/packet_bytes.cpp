#include "emulator/payload/packet_bytes.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "emulator/base/random.hpp"

namespace kport {

namespace {

constexpr std::uint64_t word_bytes = 8;

/// Generates the words of a packet from its byte `first` on.
class PacketWords {
  public:
    PacketWords(std::uint64_t seed, PacketId packet, std::uint64_t first)
        : next_(random_stream(seed, packet) + first / word_bytes), not_zero_(first == 0 ? never_zero : 0) {}

    std::uint64_t next() { return mixed(next_++) | std::exchange(not_zero_, 0); }

  private:
    std::uint64_t next_;
    std::uint64_t not_zero_;
};
static_assert(std::endian::native == std::endian::little);

/// Compares whole words with the packet's; the common case needs nothing more.
bool are_all_right(const std::byte* bytes, std::uint64_t size, PacketWords& words) {
    std::uint64_t different = 0;
    for (std::uint64_t b = 0; b < size; b += word_bytes) {
        std::uint64_t here = 0;
        std::memcpy(&here, bytes + b, word_bytes);
        different |= here ^ words.next();
    }
    return different == 0;
}

}  // namespace

void PacketBytes::fill(std::span<std::byte> bytes, PacketId packet, std::uint64_t first) const {
    PacketWords words(seed_, packet, first);
    for (std::uint64_t b = 0; b < bytes.size(); b += word_bytes) {
        const std::uint64_t word = words.next();
        if (b + word_bytes <= bytes.size())
            std::memcpy(bytes.data() + b, &word, word_bytes);
        else
            std::memcpy(bytes.data() + b, &word, bytes.size() - b);
    }
}

std::optional<std::uint64_t> PacketBytes::first_difference(std::span<const std::byte> bytes, PacketId packet,
                                                           std::uint64_t first) const {
    PacketWords words(seed_, packet, first);
    const std::uint64_t whole = bytes.size() - bytes.size() % word_bytes;
    std::uint64_t b = 0;
    if (PacketWords ahead = words; are_all_right(bytes.data(), whole, ahead)) [[likely]] {
        b = whole;
        words = ahead;
    }
    for (; b < bytes.size(); b += word_bytes) {
        const std::uint64_t word = words.next();
        const std::span<const std::byte> here = bytes.subspan(b, std::min(word_bytes, bytes.size() - b));
        const auto at = std::mismatch(here.begin(), here.end(), reinterpret_cast<const std::byte*>(&word)).first;
        if (at != here.end()) return b + static_cast<std::uint64_t>(at - here.begin());
    }
    return std::nullopt;
}

void PacketBytes::fill_all(std::byte* to, std::uint64_t packet_bytes, const PacketLine& packets) const {
    if (packet_bytes % word_bytes == 0 && packet_bytes != 0) {
        PacketLines::fastest().fill(to, packet_bytes / word_bytes, seed_, packets);
        return;
    }
    for (std::uint64_t i = 0; i < packets.count; ++i, to += packet_bytes)
        fill({to, packet_bytes}, packets.first + i * packets.step);
}

bool PacketBytes::are_right(const std::byte* at, std::uint64_t packet_bytes, const PacketLine& packets) const {
    if (packet_bytes % word_bytes == 0 && packet_bytes != 0)
        return PacketLines::fastest().are_right(at, packet_bytes / word_bytes, seed_, packets);
    for (std::uint64_t i = 0; i < packets.count; ++i, at += packet_bytes)
        if (first_difference({at, packet_bytes}, packets.first + i * packets.step)) return false;
    return true;
}

}  // namespace kport
