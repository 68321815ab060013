#include "emulator/node/seal.hpp"

#include <atomic>
#include <bit>
#include <cstring>

#include "emulator/base/error.hpp"
#include "emulator/node/reduction.hpp"

namespace kport {

namespace {

Seal next_sealer() {
    static std::atomic<Seal> sealers = 0;
    return sealers.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t word_at(std::span<const std::byte> bytes, std::size_t i) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    return word;
}

/// Where a number stands among all of its type. Of doubles IEEE 754's totalOrder: -0 stands below 0.
std::int64_t rank(std::uint64_t bits, ElementType type) {
    const auto number = static_cast<std::int64_t>(bits);
    if (type != ElementType::real || number >= 0) return number;
    return std::bit_cast<std::int64_t>(~bits | std::uint64_t{1} << 63);
}

}  // namespace

Sealer::Sealer(Operator op, ElementType type) : own_(next_sealer()), op_(op), type_(type) {}

std::uint64_t Sealer::fold(std::uint64_t left, std::uint64_t right) const {
    switch (op_) {
        case Operator::sum:
            if (type_ == ElementType::int64) return left + right;
            return std::bit_cast<std::uint64_t>(std::bit_cast<double>(left) + std::bit_cast<double>(right));
        case Operator::min: return rank(left, type_) <= rank(right, type_) ? left : right;
        case Operator::max: return rank(left, type_) >= rank(right, type_) ? left : right;
        case Operator::exclusive_or: return left ^ right;
        case Operator::concat: break;
    }
    invariant(false, "texts are not folded as numbers");
    return 0;
}

namespace {

/// Calls mix(word) for the words of a value of numbers, which word(at) makes. Without bytes there is one, 0, as an element has.
template <class Word, class Mix>
void for_each_word(std::size_t bytes, const Word& word, const Mix& mix) {
    for (std::size_t i = 0; i + sizeof(std::uint64_t) <= bytes; i += sizeof(std::uint64_t)) mix(word(i));
    if (bytes == 0) mix(0);
}

}  // namespace

Seal Sealer::of(std::span<const PacketBlock> contributions, std::span<const std::byte> value) const {
    std::uint64_t state = begun(contributions);
    const auto mix = [&state](std::uint64_t word) { state = mixed(state, word); };
    if (type_ == ElementType::text)  // of any length, and two make one: byte by byte
        for (const std::byte byte : value) mix(static_cast<std::uint64_t>(byte));
    else
        for_each_word(
            value.size(), [&](std::size_t i) { return word_at(value, i); }, mix);
    return seal(state);
}

Seal Sealer::of_contents(std::span<const std::byte> contents) const {
    const std::size_t left = contents.size() % sizeof(std::uint64_t);
    std::uint64_t state = start;
    for (std::size_t i = 0; i < contents.size() - left; i += sizeof state) state = mixed(state, word_at(contents, i));
    std::uint64_t last = 0;
    if (left != 0) std::memcpy(&last, contents.data() + contents.size() - left, left);
    return seal(mixed(state, last));
}

Seal Sealer::of_fold(std::span<const PacketBlock> contributions, std::span<const std::byte> left,
                     std::span<const std::byte> right) const {
    std::uint64_t state = begun(contributions);
    const auto mix = [&state](std::uint64_t word) { state = mixed(state, word); };
    if (type_ == ElementType::text) {
        for (const std::span<const std::byte> text : {left, right})
            for (const std::byte byte : text) mix(static_cast<std::uint64_t>(byte));
    } else {
        for_each_word(
            left.size(), [&](std::size_t i) { return fold(word_at(left, i), word_at(right, i)); }, mix);
    }
    return seal(state);
}

}  // namespace kport
