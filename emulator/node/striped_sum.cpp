#include "emulator/node/striped_sum.hpp"

#include <cstring>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kport {

namespace {

constexpr std::uint64_t start = 0x243F6A8885A308D3;  // pi
constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;    // the golden ratio
constexpr std::uint64_t step = odd * StripedSum::lanes;

}  // namespace

struct StripedSum::Implementation {
    static void plainly(StripedSum& sum, std::span<const std::byte> bytes) {
        Lanes sums = sum.sums_;
        Lanes keys = sum.keys_;
        for (const std::byte *at = bytes.data(), *end = at + bytes.size(); at != end; at += stripe)
            for (std::size_t i = 0; i < lanes; ++i) {
                std::uint64_t word = 0;
                std::memcpy(&word, at + i * sizeof word, sizeof word);
                const std::uint64_t mixed = word ^ keys[i];
                sums[i] += (mixed & 0xFFFFFFFF) * (mixed >> 32);
                sums[i ^ 1] += word;
                keys[i] += step;
            }
        sum.sums_ = sums;
        sum.keys_ = keys;
    }

#if defined(__x86_64__)
    [[gnu::target("avx2")]] static void by_four(StripedSum& sum, std::span<const std::byte> bytes) {
        constexpr std::size_t registers = stripe / sizeof(__m256i);
        const __m256i steps = _mm256_set1_epi64x(static_cast<long long>(step));
        __m256i sums[registers];
        __m256i keys[registers];
        std::memcpy(sums, sum.sums_.data(), sizeof sums);
        std::memcpy(keys, sum.keys_.data(), sizeof keys);
        for (const std::byte *at = bytes.data(), *end = at + bytes.size(); at != end; at += stripe)
            for (std::size_t i = 0; i < registers; ++i) {
                const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + i * sizeof(__m256i)));
                const __m256i mixed = _mm256_xor_si256(words, keys[i]);
                const __m256i product = _mm256_mul_epu32(mixed, _mm256_srli_epi64(mixed, 32));
                const __m256i beside = _mm256_shuffle_epi32(words, 0b01'00'11'10);
                sums[i] = _mm256_add_epi64(sums[i], _mm256_add_epi64(product, beside));
                keys[i] = _mm256_add_epi64(keys[i], steps);
            }
        std::memcpy(sum.sums_.data(), sums, sizeof sums);
        std::memcpy(sum.keys_.data(), keys, sizeof keys);
    }
#endif

    static std::vector<Way> known() {
        std::vector<Way> ways{{"plainly", plainly}};
#if defined(__x86_64__)
        if (__builtin_cpu_supports("avx2")) ways.push_back({"by four", by_four});
#endif
        return ways;
    }
};

std::span<const StripedSum::Way> StripedSum::ways() {
    static const std::vector<Way> all = Implementation::known();
    return all;
}

const StripedSum::Way& StripedSum::fastest() {
    static const Way way = ways().back();
    return way;
}

StripedSum::StripedSum() : StripedSum(fastest()) {}

StripedSum::StripedSum(const Way& way) : add_(way.add) {
    sums_.fill(start);
    for (std::size_t i = 0; i < lanes; ++i) keys_[i] = start + odd * (i + 1);
}

}  // namespace kport
