#include "emulator/engine/solo_rounds.hpp"

#include <algorithm>

namespace kport {

void SoloRounds::choose(const RoundNews& news, std::uint64_t partitions) {
    constexpr std::uint64_t most = 4096;
    const Round next = news.resumes ? news.round : news.round + 1;
    end_ = std::min(news.alarm, next + most);
    some_wait_ = news.alarm != RoundNews::no_alarm;
    rank_ = end_ > next ? ranks_.only_owner(partitions) : std::nullopt;
}

void SoloRounds::hear(PastRounds past, bool at_once) {
    heard_.push_back(std::move(past));
    constexpr std::size_t most = 4;
    const bool are_few = heard_.size() == 1 && heard_.front().size() <= 1;
    if (at_once || are_few || heard_.size() > most) close_heard();
}

void SoloRounds::close_heard() {
    for (PastRounds& past : heard_)
        past.close_all([&](const Silence& silence) { rounds_.silent(silence.first, silence.count); },
                       [&](RoundPart& part) { rounds_.close(part); });
    heard_.clear();
}

}  // namespace kport
