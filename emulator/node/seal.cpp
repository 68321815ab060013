#include "emulator/node/seal.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <vector>

#include "emulator/node/operator.hpp"

namespace kport {

namespace {

Seal next_sealer() {
    static std::atomic<Seal> sealers = 0;
    return sealers.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

Sealer::Sealer(const Folding* folding) : own_(next_sealer()), folding_(folding) {}

std::uint64_t Sealer::fold(std::uint64_t left, std::uint64_t right) const {
    return folding_->again_word(*folding_, left, right);
}

std::uint64_t Sealer::mixed(std::uint64_t state, std::span<const std::byte> bytes) {
    std::uint64_t word = 0;
    const std::size_t left = bytes.size() % sizeof word;
    const std::byte* const end = bytes.data() + (bytes.size() - left);
    for (const std::byte* at = bytes.data(); at != end; at += sizeof word) {
        std::memcpy(&word, at, sizeof word);
        state = mixed(state, word);
    }
    if (left == 0 && !bytes.empty()) return state;
    word = 0;
    if (left != 0) std::memcpy(&word, end, left);
    return mixed(state, word);
}

Seal Sealer::of(std::span<const PacketBlock> contributions, std::span<const std::byte> value) const {
    return seal(mixed(begun(contributions), value));
}

Seal Sealer::of_contents(std::span<const std::byte> contents) const { return seal(mixed(start, contents)); }

Seal Sealer::of_fold(std::span<const PacketBlock> contributions, std::span<const std::byte> left,
                     std::span<const std::byte> right) const {
    const bool texts = folding_->again == nullptr;
    const std::size_t size = left.size() + (texts ? right.size() : 0);
    std::array<std::byte, 256> inside;  // most are small
    std::vector<std::byte> outside(size > inside.size() ? size : 0);
    std::byte* const both = outside.empty() ? inside.data() : outside.data();
    if (texts)
        std::ranges::copy(right, std::ranges::copy(left, both).out);
    else
        folding_->again(*folding_, both, left.data(), right.data(), size);
    return of(contributions, {both, size});
}

}  // namespace kport
