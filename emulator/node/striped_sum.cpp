#include "emulator/node/striped_sum.hpp"

#include <cstring>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "emulator/base/processor.hpp"

namespace kport {

namespace {

constexpr std::uint64_t start = 0x243F6A8885A308D3;  // pi
constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;    // the golden ratio
constexpr std::size_t page = 4096;
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
    /// Pages end where the processor stops to look ahead: of a large value, which is read a page or more at a time, it is told what
    /// comes. A hint, that costs nothing where nothing is.
    [[gnu::always_inline]] static void prefetch_next(const std::byte* at) { __builtin_prefetch(at + page, 0, 2); }

    [[gnu::target("avx2")]] static void by_four(StripedSum& sum, std::span<const std::byte> bytes) {
        constexpr std::size_t registers = stripe / sizeof(__m256i);
        const __m256i steps = _mm256_set1_epi64x(static_cast<long long>(step));
        __m256i sums[registers];
        __m256i keys[registers];
        std::memcpy(sums, sum.sums_.data(), sizeof sums);
        std::memcpy(keys, sum.keys_.data(), sizeof keys);
        for (const std::byte *at = bytes.data(), *end = at + bytes.size(); at != end; at += stripe) {
            prefetch_next(at);
            for (std::size_t i = 0; i < registers; ++i) {
                const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + i * sizeof(__m256i)));
                const __m256i mixed = _mm256_xor_si256(words, keys[i]);
                const __m256i product = _mm256_mul_epu32(mixed, _mm256_srli_epi64(mixed, 32));
                const __m256i beside = _mm256_shuffle_epi32(words, 0b01'00'11'10);
                sums[i] = _mm256_add_epi64(sums[i], _mm256_add_epi64(product, beside));
                keys[i] = _mm256_add_epi64(keys[i], steps);
            }
        }
        std::memcpy(sum.sums_.data(), sums, sizeof sums);
        std::memcpy(sum.keys_.data(), keys, sizeof keys);
    }

    [[gnu::target("avx512f,avx512dq")]] static void by_eight(StripedSum& sum, std::span<const std::byte> bytes) {
        constexpr __mmask8 all = 0xFF;  // g++ 12 warns of what the forms without a mask leave undefined
        const __m512i steps = _mm512_set1_epi64(static_cast<long long>(step));
        __m512i sums = _mm512_load_si512(sum.sums_.data());
        __m512i keys = _mm512_load_si512(sum.keys_.data());
        for (const std::byte *at = bytes.data(), *end = at + bytes.size(); at != end; at += stripe) {
            prefetch_next(at);
            const __m512i words = _mm512_loadu_si512(at);
            const __m512i mixed = _mm512_xor_si512(words, keys);
            const __m512i upper = _mm512_maskz_srli_epi64(all, mixed, 32);
            const __m512i product = _mm512_maskz_mul_epu32(all, mixed, upper);
            const __m512i beside = _mm512_maskz_permutex_epi64(all, words, 0b10'11'00'01);
            sums = _mm512_add_epi64(sums, _mm512_add_epi64(product, beside));
            keys = _mm512_add_epi64(keys, steps);
        }
        _mm512_store_si512(sum.sums_.data(), sums);
        _mm512_store_si512(sum.keys_.data(), keys);
    }
#endif

    static std::vector<Way> known() {
        std::vector<Way> ways{{"plainly", plainly}};
#if defined(__x86_64__)
        if (__builtin_cpu_supports("avx2")) ways.push_back({"by four", by_four});
        if (knows_eight_words()) ways.push_back({"by eight", by_eight});
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
