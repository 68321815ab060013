#include "emulator/payload/packet_lines.hpp"

#include <cstring>
#include <vector>

#include "emulator/base/processor.hpp"
#include "emulator/base/random.hpp"

namespace kport {

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
