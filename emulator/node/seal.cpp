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

namespace {

std::uint64_t word_at(const std::byte* at, std::size_t bytes = sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, bytes);
    return word;
}

}  // namespace

/// The words of a value one after the other. A product waits for the one before it: those of a large value go to several chains in
/// turn, which are mixed at the end.
class Sealer::Mixing {
  public:
    static constexpr std::size_t chains = 4;
    /// Of pieces of a large value all but the last have a multiple of so many bytes.
    static constexpr std::size_t group = chains * sizeof(std::uint64_t);
    static constexpr std::size_t large = 4 * group;

    /// Of a large value.
    explicit Mixing(std::uint64_t state) : state_(state) { chain_.fill(state); }

    void add(std::span<const std::byte> bytes) {
        const std::size_t in_chains = bytes.size() / group * group;
        std::array<std::uint64_t, chains> chain = chain_;
        for (const std::byte *at = bytes.data(), *end = at + in_chains; at != end; at += group)
            for (std::size_t i = 0; i < chains; ++i)
                chain[i] = mixed(chain[i], word_at(at + i * sizeof(std::uint64_t)));
        chain_ = chain;
        state_ = in_one_chain(state_, bytes.subspan(in_chains));
    }
    /// The state after all bytes.
    [[nodiscard]] std::uint64_t end() const {
        std::uint64_t state = state_;
        for (const std::uint64_t chain : chain_) state = mixed(state, chain);
        return state;
    }
    /// The same of all bytes at once; none count as the number 0.
    [[nodiscard]] static std::uint64_t of(std::uint64_t state, std::span<const std::byte> bytes) {
        if (bytes.empty()) return mixed(state, 0);
        if (bytes.size() < large) [[likely]]
            return in_one_chain(state, bytes);
        Mixing mixing(state);
        mixing.add(bytes);
        return mixing.end();
    }

  private:
    [[nodiscard]] static std::uint64_t in_one_chain(std::uint64_t state, std::span<const std::byte> bytes) {
        const std::size_t left = bytes.size() % sizeof(std::uint64_t);
        const std::byte* const end = bytes.data() + (bytes.size() - left);
        for (const std::byte* at = bytes.data(); at != end; at += sizeof(std::uint64_t))
            state = mixed(state, word_at(at));
        return left == 0 ? state : mixed(state, word_at(end, left));
    }

    std::uint64_t state_;
    std::array<std::uint64_t, chains> chain_;
};

Seal Sealer::of(std::span<const PacketBlock> contributions, std::span<const std::byte> value) const {
    return seal(Mixing::of(begun(contributions), value));
}

Seal Sealer::of_contents(std::span<const std::byte> contents) const { return seal(Mixing::of(start, contents)); }

Seal Sealer::of_fold(std::span<const PacketBlock> contributions, std::span<const std::byte> left,
                     std::span<const std::byte> right) const {
    const bool texts = folding_->again == nullptr;
    const std::size_t size = left.size() + (texts ? right.size() : 0);
    std::array<std::byte, 256> inside;  // most are small
    static_assert(inside.size() % Mixing::group == 0 && inside.size() >= Mixing::large);
    if (!texts && size > inside.size() && inside.size() % folding_->type->bytes == 0) {  // large ones piece by piece
        Mixing mixing(begun(contributions));
        for (std::size_t at = 0; at < size; at += inside.size()) {
            const std::size_t some = std::min(inside.size(), size - at);
            folding_->again(*folding_, inside.data(), left.data() + at, right.data() + at, some);
            mixing.add({inside.data(), some});
        }
        return seal(mixing.end());
    }
    std::vector<std::byte> outside(size > inside.size() ? size : 0);
    std::byte* const both = outside.empty() ? inside.data() : outside.data();
    if (texts)
        std::ranges::copy(right, std::ranges::copy(left, both).out);
    else
        folding_->again(*folding_, both, left.data(), right.data(), size);
    return of(contributions, {both, size});
}

}  // namespace kport
