#include "emulator/engine/traffic.hpp"

#include <algorithm>

#include <oneapi/tbb/parallel_sort.h>

namespace kport {

void Traffic::add(Round round, NodeId from, NodeId to, std::span<const Port> route,
                  std::span<const PacketBlock> packets, PacketId packet) {
    Entry entry{round,         static_cast<std::uint32_t>(from),         static_cast<std::uint32_t>(to),
                route.front(), static_cast<std::uint32_t>(route.size()), static_cast<std::uint32_t>(packets.size()),
                hops_.size(),  packets.empty() ? packet : blocks_.size()};
    if (route.size() > 1) hops_.insert(hops_.end(), route.begin(), route.end());
    if (!packets.empty()) blocks_.insert(blocks_.end(), packets.begin(), packets.end());
    entries_.add(entry);
}

void Traffic::restart(FramePool& pool) {
    for (const Given& given : results_)
        if (given.result != nullptr) given.result->release(pool);
    entries_.restart();
    hops_.clear();
    blocks_.clear();
    results_.clear();
    let_pass_.clear();
}

void Judgement::add(const Traffic& traffic) {
    all_.push_back(&traffic);
    traffic.entries_.for_each([&](std::span<const Traffic::Entry> entries) {
        for (const Traffic::Entry& entry : entries)
            sent_.push_back({entry.round, entry.from, entry.first_port, &entry, &traffic});
    });
    results_.insert(results_.end(), traffic.results_.begin(), traffic.results_.end());
}

Transfer Judgement::transfer_of(const Sent& sent, PacketBlock& single) {
    const Traffic& traffic = *sent.traffic;
    const Traffic::Entry& entry = *sent.entry;
    std::span<const Port> route(&entry.first_port, 1);
    if (entry.hops > 1) route = {traffic.hops_.data() + entry.first_hop, entry.hops};
    std::span<const PacketBlock> packets;
    if (entry.blocks > 0) {
        packets = {traffic.blocks_.data() + entry.first_block, entry.blocks};
    } else {
        single = PacketBlock{static_cast<std::uint32_t>(entry.first_block)};
        packets = {&single, 1};
    }
    return {entry.from, entry.to, route, packets};
}

void Judgement::tell_results(Auditor& auditor, Round until) {
    for (; told_ < results_.size() && results_[told_].round <= until; ++told_) {
        const Traffic::Given& given = results_[told_];
        if (given.result == nullptr)
            auditor.left(RoundSink::only_shard, given.round, given.node);
        else
            auditor.result(RoundSink::only_shard, given.round, given.node, given.result->blocks());
    }
}

void Judgement::tell_silence(RoundSink& rounds, Round first, Round end) const {
    for (Round round = first; round < end; ++round) {
        const auto passed = [&](const Traffic* traffic) {
            return round < traffic->let_pass_.size() && traffic->let_pass_[round];
        };
        if (std::ranges::any_of(all_, passed)) rounds.silent(round, 1);
    }
}

void Judgement::judge_round(RoundSink& rounds, std::span<const Sent> round) {
    const Round number = round.front().round;
    singles_.resize(std::max(singles_.size(), round.size()));
    transfers_.clear();
    for (std::size_t i = 0; i < round.size(); ++i) transfers_.push_back(transfer_of(round[i], singles_[i]));
    rounds.show(number, transfers_);
}

void Judgement::judge(Auditor& auditor, RoundSink& rounds) {
    // A node starts one message a round by a port: who ran it does not decide the order.
    tbb::parallel_sort(sent_.begin(), sent_.end());
    std::ranges::stable_sort(results_, {}, &Traffic::Given::round);
    Round before = 0;
    for (auto first = sent_.begin(); first != sent_.end();) {
        const Round round = first->round;
        tell_silence(rounds, before + 1, round);
        before = round;
        const auto last = std::find_if(first, sent_.end(), [&](const Sent& sent) { return sent.round != round; });
        tell_results(auditor, round);
        judge_round(rounds, {first, last});
        first = last;
    }
    tell_results(auditor, ~Round{0});
}

}  // namespace kport
