#include "emulator/node/packet_bytes.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulator/base/random_words.hpp"

namespace kport {

namespace {

constexpr std::uint64_t word_bytes = 8;

/// The word of a packet with its b-th byte. The first byte of a packet is not 0.
std::uint64_t word_of(std::uint64_t seed, PacketId packet, std::uint64_t b) {
    const std::uint64_t word = random_word(seed, packet, b / word_bytes);
    return b < word_bytes ? word | 1 : word;
}
static_assert(std::endian::native == std::endian::little);

}  // namespace

void PacketBytes::fill(std::span<std::byte> bytes, PacketId packet, std::uint64_t first) const {
    const std::uint64_t seed = seed_;  // the bytes that are written might be its own, for all that a compiler knows
    for (std::uint64_t b = 0; b < bytes.size(); b += word_bytes) {
        const std::uint64_t bits = word_of(seed, packet, first + b);
        if (b + word_bytes <= bytes.size())
            std::memcpy(bytes.data() + b, &bits, word_bytes);
        else
            std::memcpy(bytes.data() + b, &bits, bytes.size() - b);
    }
}

std::optional<std::uint64_t> PacketBytes::first_difference(std::span<const std::byte> bytes, PacketId packet,
                                                           std::uint64_t first) const {
    const auto sent = [&](std::uint64_t b) { return word_of(seed_, packet, first + b); };
    // Word by word as far as words are whole: nearly always all of them are right, and this is all that is done.
    std::uint64_t b = 0;
    for (; b + word_bytes <= bytes.size(); b += word_bytes) {
        std::uint64_t here = 0;
        std::memcpy(&here, bytes.data() + b, word_bytes);
        if (here != sent(b)) break;
    }
    if (b == bytes.size()) return std::nullopt;
    const std::uint64_t bits = sent(b);
    const std::span<const std::byte> here = bytes.subspan(b, std::min(word_bytes, bytes.size() - b));
    const auto* right = reinterpret_cast<const std::byte*>(&bits);
    const auto at = std::mismatch(here.begin(), here.end(), right).first;
    if (at == here.end()) return std::nullopt;
    return b + static_cast<std::uint64_t>(at - here.begin());
}

}  // namespace kport
