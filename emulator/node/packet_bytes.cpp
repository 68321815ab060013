#include "emulator/node/packet_bytes.hpp"

#include <algorithm>
#include <cstring>

#include "emulator/base/random_words.hpp"

namespace kport {

namespace {

constexpr std::uint64_t word_bytes = 8;

}  // namespace

void PacketBytes::fill(std::span<std::byte> bytes, PacketId packet, std::uint64_t first) const {
    const std::uint64_t seed = seed_;  // the bytes that are written might be its own, for all that a compiler knows
    for (std::uint64_t b = 0; b < bytes.size(); b += word_bytes) {
        const std::uint64_t bits = random_word(seed, packet, (first + b) / word_bytes);
        if (b + word_bytes <= bytes.size())
            std::memcpy(bytes.data() + b, &bits, word_bytes);
        else
            std::memcpy(bytes.data() + b, &bits, bytes.size() - b);
    }
}

std::optional<std::uint64_t> PacketBytes::first_difference(std::span<const std::byte> bytes, PacketId packet,
                                                           std::uint64_t first) const {
    for (std::uint64_t b = 0; b < bytes.size(); b += word_bytes) {
        const std::uint64_t bits = random_word(seed_, packet, (first + b) / word_bytes);
        const std::span<const std::byte> here = bytes.subspan(b, std::min(word_bytes, bytes.size() - b));
        if (std::memcmp(here.data(), &bits, here.size()) == 0) continue;
        const auto* sent = reinterpret_cast<const std::byte*>(&bits);
        const auto at = std::mismatch(here.begin(), here.end(), sent).first - here.begin();
        return b + static_cast<std::uint64_t>(at);
    }
    return std::nullopt;
}

}  // namespace kport
