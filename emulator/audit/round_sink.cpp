#include "emulator/audit/round_sink.hpp"

#include <array>

namespace kport {

void RoundSink::moved(Round round, std::span<const Transfer> transfers) {
    if (has_paths_) auditor_.paths(round, transfers);
    for (RoundListener* listener : listeners_)
        if (listener->wants_transfers()) listener->moved(round, transfers);
}

void RoundSink::silent(Round first, std::uint64_t count) {
    auditor_.silent(first, count);
    for (RoundListener* listener : listeners_) listener->silent(first, count);
}

RoundMetrics RoundSink::show(Round round, std::span<const Transfer> transfers) {
    for (const Transfer& transfer : transfers) sent(only_shard, round, transfer);
    moved(round, transfers);
    for (const Transfer& transfer : transfers) received(only_shard, round, transfer);
    return close(round, std::array{only_shard});
}

}  // namespace kport
