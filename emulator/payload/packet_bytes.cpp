#include "emulator/payload/packet_bytes.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "emulator/base/processor.hpp"
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

namespace {

// Loops that the compiler vectorises; inline, so that each implementation gets its own.

/// Calls use(address of a word, its value) for all of them.
template <class Use>
[[gnu::always_inline]] inline void for_each_word(std::uint64_t words_each, std::uint64_t seed,
                                                 const PacketLine& packets, const Use& use) {
    if (words_each == 1) {
        for (std::uint64_t i = 0; i < packets.count; ++i)
            use(i, mixed(random_stream(seed, packets.first + i * packets.step)) | never_zero);
        return;
    }
    for (std::uint64_t i = 0; i < packets.count; ++i) {
        const std::uint64_t stream = random_stream(seed, packets.first + i * packets.step);
        use(i * words_each, mixed(stream) | never_zero);
        for (std::uint64_t word = 1; word < words_each; ++word) use(i * words_each + word, mixed(stream + word));
    }
}

[[gnu::always_inline]] inline void fill_in_line(std::byte* to, std::uint64_t words_each, std::uint64_t seed,
                                                const PacketLine& packets) {
    for_each_word(words_each, seed, packets, [to](std::uint64_t place, std::uint64_t word) {
        std::memcpy(to + place * sizeof word, &word, sizeof word);
    });
}

[[gnu::always_inline]] inline bool compare_in_line(const std::byte* at, std::uint64_t words_each, std::uint64_t seed,
                                                   const PacketLine& packets) {
    std::uint64_t different = 0;
    for_each_word(words_each, seed, packets, [&](std::uint64_t place, std::uint64_t word) {
        std::uint64_t here = 0;
        std::memcpy(&here, at + place * sizeof here, sizeof here);
        different |= here ^ word;
    });
    return different == 0;
}

void fill_plainly(std::byte* to, std::uint64_t words_each, std::uint64_t seed, const PacketLine& packets) {
    fill_in_line(to, words_each, seed, packets);
}
bool compare_plainly(const std::byte* at, std::uint64_t words_each, std::uint64_t seed, const PacketLine& packets) {
    return compare_in_line(at, words_each, seed, packets);
}

#if defined(__x86_64__)
[[gnu::target("avx512f,avx512dq")]] void fill_by_eight(std::byte* to, std::uint64_t words_each, std::uint64_t seed,
                                                       const PacketLine& packets) {
    fill_in_line(to, words_each, seed, packets);
}
[[gnu::target("avx512f,avx512dq")]] bool compare_by_eight(const std::byte* at, std::uint64_t words_each,
                                                          std::uint64_t seed, const PacketLine& packets) {
    return compare_in_line(at, words_each, seed, packets);
}
#endif

std::vector<PacketLines> known_ways() {
    std::vector<PacketLines> ways{{"plainly", fill_plainly, compare_plainly}};
#if defined(__x86_64__)
    if (knows_eight_words()) ways.push_back({"by eight", fill_by_eight, compare_by_eight});
#endif
    return ways;
}

}  // namespace

std::span<const PacketLines> PacketLines::ways() {
    static const std::vector<PacketLines> all = known_ways();
    return all;
}

const PacketLines& PacketLines::fastest() {
    static const PacketLines way = ways().back();
    return way;
}

}  // namespace kport
