#include "emulator/node/operators_again.hpp"

#include <bit>

namespace kport::again {

namespace {

std::int64_t rank_of_int(std::uint64_t bits) { return static_cast<std::int64_t>(bits); }

/// Where a double stands among all, by IEEE 754's totalOrder: -0 stands below 0.
std::int64_t rank_of_real(std::uint64_t bits) {
    const auto number = static_cast<std::int64_t>(bits);
    return number >= 0 ? number : std::bit_cast<std::int64_t>(~bits | std::uint64_t{1} << 63);
}

}  // namespace

std::uint64_t sum_of_ints(std::uint64_t left, std::uint64_t right) { return left + right; }
std::uint64_t sum_of_reals(std::uint64_t left, std::uint64_t right) {
    return std::bit_cast<std::uint64_t>(std::bit_cast<double>(left) + std::bit_cast<double>(right));
}
std::uint64_t min_of_ints(std::uint64_t left, std::uint64_t right) {
    return rank_of_int(left) <= rank_of_int(right) ? left : right;
}
std::uint64_t min_of_reals(std::uint64_t left, std::uint64_t right) {
    return rank_of_real(left) <= rank_of_real(right) ? left : right;
}
std::uint64_t max_of_ints(std::uint64_t left, std::uint64_t right) {
    return rank_of_int(left) >= rank_of_int(right) ? left : right;
}
std::uint64_t max_of_reals(std::uint64_t left, std::uint64_t right) {
    return rank_of_real(left) >= rank_of_real(right) ? left : right;
}
std::uint64_t exclusive_or(std::uint64_t left, std::uint64_t right) { return left ^ right; }

}  // namespace kport::again
