#include "algorithms/bounds/counting.hpp"

#include <algorithm>

namespace kport::bounds {
namespace {

/// Returns min(a * b, top), without overflow for b < 2^64 and top < 2^64.
Count capped_product(Count a, std::uint64_t b, std::uint64_t top) {
    return std::min<Count>(std::min<Count>(a, top) * b, top);
}

Count capped_power(std::uint64_t base, std::uint64_t exponent, std::uint64_t top) {
    if (base <= 1) return base == 0 && exponent > 0 ? 0 : 1;
    Count power = 1;
    for (std::uint64_t i = 0; i < exponent && power < top; ++i) power = capped_product(power, base, top);
    return power;
}

}  // namespace

std::uint64_t ceil_log(std::uint64_t base, std::uint64_t n) {
    std::uint64_t exponent = 0;
    for (Count reached = 1; reached < n; ++exponent) reached *= base;
    return exponent;
}

std::uint64_t reachable_over(std::uint64_t least_hops, std::uint64_t rounds, std::uint64_t ports,
                             std::uint64_t enough) {
    Count reached = 0;
    Count choices = 1;  // C(rounds, missed): in `missed` rounds the chain has no message
    for (std::uint64_t missed = 0; missed + least_hops <= rounds; ++missed) {
        const Count names = capped_power(ports, rounds - missed, enough);
        reached += std::min<Count>(choices, enough) * std::min<Count>(names, enough);
        if (reached >= enough) return enough;
        choices = choices * (rounds - missed) / (missed + 1);
    }
    return static_cast<std::uint64_t>(reached);
}

}  // namespace kport::bounds
