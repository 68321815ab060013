#include "emulator/node/seal.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

#include "emulator/node/operator.hpp"
#include "emulator/node/sealed_copy.hpp"

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

std::uint64_t Sealer::Mixing::end(std::uint64_t state) const {
    for (const std::uint64_t sum : sums_.sums()) state = mixed(state, sum);
    return state;
}

std::uint64_t Sealer::Mixing::of(std::uint64_t state, std::span<const std::byte> bytes) {
    if (bytes.empty()) return mixed(state, 0);
    if (bytes.size() < large) [[likely]]
        return in_one_chain(state, bytes);
    Mixing mixing(state);
    mixing.add(bytes);
    return mixing.end();
}

std::uint64_t Sealer::Mixing::in_one_chain(std::uint64_t state, std::span<const std::byte> bytes) {
    const std::size_t left = bytes.size() % sizeof(std::uint64_t);
    const std::byte* const end = bytes.data() + (bytes.size() - left);
    for (const std::byte* at = bytes.data(); at != end; at += sizeof(std::uint64_t)) state = mixed(state, word_at(at));
    return left == 0 ? state : mixed(state, word_at(end, left));
}

void Sealer::Copy::write(std::span<const std::byte> piece) {
    mixing_.add(piece);
    copy_.copy(into_, piece.data(), piece.size());
    into_ += piece.size();
}

void Sealer::Copy::add(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const std::size_t some = std::min(waiting_.size() - waiting_bytes_, bytes.size());
        if (some == waiting_.size()) {  // none waits
            write(bytes.first(some));
        } else {
            std::memcpy(waiting_.data() + waiting_bytes_, bytes.data(), some);
            waiting_bytes_ += some;
            if (waiting_bytes_ == waiting_.size()) write(std::span(waiting_).first(std::exchange(waiting_bytes_, 0)));
        }
        bytes = bytes.subspan(some);
    }
}

Seal Sealer::Copy::add_value(std::span<const PacketBlock> contributions, std::span<const std::byte> value) {
    if (value.size() < Mixing::large) {
        add(value);
        return sealer_.of(contributions, value);
    }
    Mixing own(begun(contributions));
    while (!value.empty()) {
        const auto piece = value.first(std::min(value.size(), Mixing::in_cache));
        own.add(piece);
        add(piece);
        value = value.subspan(piece.size());
    }
    return sealer_.seal(own.end());
}

Seal Sealer::Copy::end() {
    write(std::span(waiting_).first(std::exchange(waiting_bytes_, 0)));
    return sealer_.seal(mixing_.end());
}

Seal Sealer::of(std::span<const PacketBlock> contributions, std::span<const std::byte> value) const {
    return seal(Mixing::of(begun(contributions), value));
}

Seal Sealer::of_copied(std::span<const PacketBlock> contributions, std::span<const std::byte> value,
                       std::byte* into) const {
    if (value.size() < Copy::pays_from) {  // which stays in the first cache
        std::memcpy(into, value.data(), value.size());
        return of(contributions, value);
    }
    Copy copy(*this, contributions, into, value.size());
    copy.add(value);
    return copy.end();
}

Sealer::Renamed Sealer::of_renamed(std::span<const PacketBlock> before, std::span<const PacketBlock> after,
                                   std::span<const std::byte> value) const {
    if (value.size() < Mixing::large) return {of(before, value), of(after, value)};
    Mixing mixing(begun(before));
    mixing.add(value);
    return {seal(mixing.end()), seal(mixing.end_behind(begun(after), value))};
}

Sealer::Seals Sealer::of_folded(std::span<const PacketBlock> contributions, const Operand& left, const Operand& right,
                                std::byte* into) const {
    const std::size_t size = left.value.size();
    if (size < Mixing::large || Mixing::in_cache % folding_->type->bytes != 0) {
        const Seals seals{of(left.contributions, left.value), of(right.contributions, right.value),
                          of_fold(contributions, left.value, right.value)};
        folding_->fold(*folding_, into, left.value.data(), right.value.data(), size);
        return seals;
    }
    const LargeCopy copy(size);
    std::array<std::byte, Mixing::in_cache> folded;
    std::array<std::byte, Mixing::in_cache> again;
    Mixing of_left(begun(left.contributions));
    Mixing of_right(begun(right.contributions));
    Mixing of_both(begun(contributions));
    for (std::size_t at = 0; at < size; at += again.size()) {
        const std::size_t some = std::min(again.size(), size - at);
        const std::byte* const l = left.value.data() + at;
        const std::byte* const r = right.value.data() + at;
        of_left.add({l, some});
        of_right.add({r, some});
        folding_->fold(*folding_, copy.passes_caches() ? folded.data() : into + at, l, r, some);
        if (copy.passes_caches()) copy.copy(into + at, folded.data(), some);
        folding_->again(*folding_, again.data(), l, r, some);
        of_both.add({again.data(), some});
    }
    return {seal(of_left.end()), seal(of_right.end()), seal(of_both.end())};
}

Seal Sealer::of_contents(std::span<const std::byte> contents) const { return seal(Mixing::of(start, contents)); }

Seal Sealer::of_fold(std::span<const PacketBlock> contributions, std::span<const std::byte> left,
                     std::span<const std::byte> right) const {
    const bool texts = folding_->again == nullptr;
    const std::size_t size = left.size() + (texts ? right.size() : 0);
    std::array<std::byte, Mixing::in_cache> inside;  // most are small
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
