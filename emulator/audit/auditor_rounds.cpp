#include "emulator/audit/auditor.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "emulator/base/error.hpp"

namespace kport {

namespace {

[[noreturn, gnu::cold]] void refuse_to_count(Round round) {
    throw DoesNotFit(
        fmt::format("counting the bytes up to round {} needs more than 64 bits; want fewer or smaller packets", round));
}

/// Returns the only shard that saw anything in a round, if it noted nothing but sums. Its sums are then those of the
/// round. This is the common case of rounds with few messages, of which there may be millions.
template <class Shards>
[[gnu::always_inline]] inline auto* only_plain(Shards& shards, std::span<const unsigned> seen, const Machine& machine,
                                               Round round) {
    auto* only = seen.size() == 1 && !machine.is_exclusive() ? &shards[seen.front()] : nullptr;
    if (only == nullptr || !only->is_plain()) return static_cast<decltype(only)>(nullptr);
    only->metrics.round = round;
    only->metrics.transfers = only->received.transfers;
    return only;
}

}  // namespace

void Auditor::silent(Round first, std::uint64_t count) { append_silence(silent_, first, count); }

/// Bytes are summed up in 64 bits; a run that needs more is refused. No message is too large for them (see the constructor).
[[gnu::always_inline]] inline void Auditor::require_countable(const RoundMetrics& round) const {
    std::uint64_t sum = 0;
    if (__builtin_mul_overflow(round.largest_bundle, round.transfers, &sum) ||
        __builtin_add_overflow(round.largest_bundle, metrics_.volume, &sum) ||
        __builtin_add_overflow(round.bytes, metrics_.bytes, &sum)) [[unlikely]]
        refuse_to_count(round.round);
}

[[gnu::always_inline]] inline void Auditor::judge_shown(const RoundSums& sums) {
    const bool has_paths = has_paths_ || paths_.transfers != 0;
    if (!sums.agree() || has_paths) [[unlikely]]
        judge_sides(sums.metrics.round, sums.sent, sums.received);
}

[[gnu::always_inline]] inline RoundMetrics Auditor::close_sums(const RoundSums& sums) {
    const RoundMetrics& whole = sums.metrics;
    judge_shown(sums);
    if (sums.sent.transfers != 0 || sums.received.transfers != 0) {
        if (whole.round == closed_ + 1 && silent_.empty()) [[likely]]
            closed_ = whole.round;
        else
            judge_silence(whole.round);
    }
    require_countable(whole);
    metrics_.add(whole);
    reached_ += whole.reached;
    if (keep_rounds_ && whole.transfers > 0) per_round_.push_back(whole);
    return whole;
}

RoundMetrics Auditor::end_round(Round round, std::span<const unsigned> shards) {
    if (Shard* only = only_plain(shards_, shards, machine_, round)) {
        const RoundMetrics whole = close_sums(*only);
        only->restart();
        return whole;
    }
    RoundPart part = take_round(round, shards);
    return close_round(part);
}

RoundPart Auditor::take_round(Round round, std::span<const unsigned> shards) {
    if (Shard* only = only_plain(shards_, shards, machine_, round)) {
        RoundPart part{only->sums(), {}};
        only->restart();
        return part;
    }
    RoundPart part;
    if (machine_.is_exclusive()) {
        part.encounters.take(shards_.front().encounters);  // of paths
        for (const unsigned index : shards) part.encounters.take(shards_[index].encounters);
    }
    part.metrics.round = round;
    std::vector<LinkEnd> suspects;
    for (const unsigned index : shards) {
        Shard& shard = shards_[index];
        shard.metrics.transfers = shard.received.transfers;
        part.add(shard);
        if (shard.metrics.transfers != 0 && (!shard.channels.empty() || !shard.by_no_channel.empty()))
            judge_channels(shard, round);
        if (!shard.suspects.empty()) [[unlikely]] {
            suspects.insert(suspects.end(), shard.suspects.begin(), shard.suspects.end());
            shard.suspects.clear();
        }
        shard.restart();
    }
    if (!suspects.empty()) [[unlikely]]
        judge_suspects(round, suspects);
    return part;
}

RoundMetrics Auditor::close_round(RoundPart& part) {
    if (machine_.is_exclusive() && is_first_) part.encounters.judge(machine_, part.metrics.round, log_);
    return close_sums(part);
}

void Auditor::judge_sides(Round round, const Shown& sent, const Shown& received) {
    const Shown paths = std::exchange(paths_, {});
    const auto tell = [&](Breach breach, std::uint64_t here, std::uint64_t there) {
        Violation v;
        v.breach = breach;
        v.round = round;
        v.limit = here;
        v.other = there;
        tell_of_round(v);
    };
    if (sent != received) [[unlikely]]
        tell(Breach::sides_differ, sent.transfers, received.transfers);
    if (has_paths_ && sent != paths) [[unlikely]]
        tell(Breach::paths_differ, sent.transfers, paths.transfers);
    if (sent.rounds != sent.transfers * round || received.rounds != received.transfers * round) [[unlikely]]
        tell(Breach::wrong_round, sent.transfers, received.transfers);
}

/// Reports the rounds since the last closed one that no program let pass on purpose.
void Auditor::judge_silence(Round round) {
    const auto tell = [&](Breach breach, Round first, std::uint64_t count) {
        Violation v;
        v.breach = breach;
        v.round = first;
        v.limit = count;
        tell_of_round(v);
    };
    if (round <= closed_) {
        tell(Breach::round_again, round, closed_);
        return;
    }
    std::uint64_t next = std::uint64_t{closed_} + 1;
    for (const Silence& silence : silent_) {
        const std::uint64_t first = std::max<std::uint64_t>(silence.first, next);
        const std::uint64_t end = std::min<std::uint64_t>(silence.first + silence.count, round);
        if (first >= end) continue;
        if (first > next) tell(Breach::silent_round, static_cast<Round>(next), first - next);
        metrics_.silent_rounds += end - first;
        next = end;
    }
    if (next < round) tell(Breach::silent_round, static_cast<Round>(next), round - next);
    silent_.clear();
    closed_ = round;
}

}  // namespace kport
