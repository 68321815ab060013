#include "algorithms/bounds/counting.hpp"

#include <algorithm>
#include <map>
#include <utility>

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

Chains::Chains(std::vector<std::uint64_t> source_degrees, std::uint64_t degree, std::uint64_t ports,
               std::uint64_t enough)
    : source_degrees_(std::move(source_degrees)), sends_(degree > 0 ? degree - 1 : 0), ports_(ports), enough_(enough),
      by_round_(1, std::vector<std::uint64_t>(1)), learned_(1) {}

std::uint64_t Chains::sent(std::uint64_t sends, std::uint64_t a) const {
    const Count before = Count{ports_} * (a - 1);
    return before >= sends ? 0 : std::min(ports_, sends - static_cast<std::uint64_t>(before));
}

void Chains::advance() {
    const std::uint64_t x = ++rounds_;
    const std::uint64_t longest_wait = sends_ / ports_ + (sends_ % ports_ != 0 ? 1 : 0);
    std::vector<std::uint64_t> now(x + 1);
    Count first = 0;
    for (const std::uint64_t degree : source_degrees_) first += sent(degree, x);
    now[1] = static_cast<std::uint64_t>(std::min<Count>(first, enough_));
    for (std::uint64_t h = 2; h <= x; ++h) {
        Count sum = 0;
        // The node before it was informed in round h - 1 or later.
        const std::uint64_t waits = std::min(longest_wait, x - h + 1);
        for (std::uint64_t a = 1; a <= waits && sum < enough_; ++a)
            sum += Count{sent(sends_, a)} * by_round_[x - a][h - 1];
        now[h] = static_cast<std::uint64_t>(std::min<Count>(sum, enough_));
    }
    learned_.push_back(0);
    for (std::uint64_t h = 1; h <= x; ++h)
        learned_[h] = static_cast<std::uint64_t>(std::min<Count>(Count{learned_[h]} + now[h], enough_));
    by_round_.push_back(std::move(now));
    if (x > longest_wait) std::vector<std::uint64_t>().swap(by_round_[x - longest_wait]);
}

std::uint64_t Chains::reached(std::uint64_t sends) const {
    Count sum = 0;
    for (std::uint64_t h = rounds_; h >= sends && sum < enough_; --h) sum += learned_[h];
    return static_cast<std::uint64_t>(std::min<Count>(sum, enough_));
}

bool Chains::reach(std::span<const std::uint64_t> far) const {
    if (far.size() > rounds_ + 1) return false;
    Count sum = 0;
    for (std::uint64_t h = rounds_; h >= 1; --h) {
        sum += learned_[h];
        if (sum >= enough_) return true;
        if (h < far.size() && sum < far[h]) return false;
    }
    return true;
}

std::uint64_t rounds_by_degrees(std::span<const std::uint64_t> source_degrees, std::vector<std::uint64_t> others,
                                std::uint64_t ports) {
    std::uint64_t left = 0;  // nodes without the packet
    for (const std::uint64_t count : others) left += count;
    std::map<std::uint64_t, std::uint64_t> able;  // by number of possible further sends: how many nodes
    for (const std::uint64_t degree : source_degrees) ++able[degree];
    std::uint64_t highest = others.size();
    std::uint64_t rounds = 0;
    for (; left > 0; ++rounds) {
        Count sends = 0;
        std::map<std::uint64_t, std::uint64_t> after;
        for (const auto& [others_left, nodes] : able) {
            const std::uint64_t now = std::min(others_left, ports);
            sends += Count{nodes} * now;
            if (others_left > now) after[others_left - now] += nodes;
        }
        if (sends == 0) break;  // not a connected graph
        able = std::move(after);
        auto learn = static_cast<std::uint64_t>(std::min<Count>(sends, left));
        left -= learn;
        while (learn > 0) {
            while (others[highest - 1] == 0) --highest;
            const std::uint64_t nodes = std::min(learn, others[highest - 1]);
            others[highest - 1] -= nodes;
            if (highest > 2) able[highest - 2] += nodes;
            learn -= nodes;
        }
    }
    return rounds;
}

}  // namespace kport::bounds
