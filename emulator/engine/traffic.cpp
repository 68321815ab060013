#include "emulator/engine/traffic.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_sort.h>

#include "emulator/engine/results.hpp"

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
    latest_ = {1, 0};
}

void Traffic::note_passed(Round first, Round end) {
    let_pass_ += PassedRounds::interval_type::right_open(first, end);
    const auto all = let_pass_.find(first);
    latest_ = {boost::icl::first(*all), boost::icl::last(*all) + 1};
}

Judgement::Judgement(NodeId nodes, unsigned threads)
    : shard_mask_(nodes > nodes_in_a_row ? std::bit_ceil(std::min(threads, 64U)) - 1 : 0) {}

void Judgement::add(const Traffic& traffic) {
    let_pass_ += traffic.let_pass_;
    traffic.entries_.for_each([&](std::span<const Traffic::Entry> entries) {
        for (const Traffic::Entry& entry : entries)
            sent_.push_back({entry.round, entry.from, entry.first_port, &entry, &traffic});
    });
    results_.insert(results_.end(), traffic.results_.begin(), traffic.results_.end());
}

bool Judgement::comes_before(const Sent& one, const Sent& other) {
    const auto order = [](const Sent& sent) {
        const Traffic::Entry& entry = *sent.entry;
        const bool has_blocks = entry.blocks > 0;
        const PacketBlock block = has_blocks ? sent.traffic->blocks_[entry.first_block] : PacketBlock{};
        return std::tuple(entry.to, block.row, has_blocks ? block.first : entry.first_block);
    };
    return order(one) < order(other);
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
            auditor.left(shard_of(given.node), given.round, given.node);
        else
            tell_result(auditor, shard_of(given.node), given.round, given.node, *given.result);
    }
}

void Judgement::tell_silence(RoundSink& rounds, Round first, Round end) const {
    if (first >= end) return;
    const auto gap = Traffic::PassedRounds::interval_type::right_open(first, end);
    const auto [begin, behind] = let_pass_.equal_range(gap);
    for (auto passed = begin; passed != behind; ++passed) {
        const auto both = *passed & gap;
        rounds.silent(boost::icl::first(both), boost::icl::cardinality(both));
    }
}

void Judgement::judge_round(RoundSink& rounds, std::span<const Sent> round) {
    const Round number = round.front().round;
    singles_.resize(std::max(singles_.size(), round.size()));
    transfers_.resize(round.size());
    // A small round is over before other threads have woken up.
    const unsigned tasks = round.size() >= nodes_in_a_row ? shards() : 1;
    const auto serve = [&](const auto& task) {
        if (tasks == 1)
            task(0U);
        else
            tbb::parallel_for(0U, tasks, task);
    };
    const auto is_of = [&](unsigned task, unsigned shard) { return tasks == 1 || task == shard; };
    serve([&](unsigned task) {
        for (std::size_t i = round.size() * task / tasks; i < round.size() * (task + 1) / tasks; ++i)
            transfers_[i] = transfer_of(round[i], singles_[i]);
    });
    serve([&](unsigned task) {
        for (const Transfer& transfer : transfers_)
            if (const unsigned shard = shard_of(transfer.from); is_of(task, shard))
                rounds.sent(shard, number, transfer);
    });
    rounds.moved(number, transfers_);
    serve([&](unsigned task) {
        for (const Transfer& transfer : transfers_)
            if (const unsigned shard = shard_of(transfer.to); is_of(task, shard))
                rounds.received(shard, number, transfer);
    });
    std::uint64_t touched = 0;
    for (const Transfer& transfer : transfers_)
        touched |= std::uint64_t{1} << shard_of(transfer.from) | std::uint64_t{1} << shard_of(transfer.to);
    touched_.clear();
    for (; touched != 0; touched &= touched - 1) touched_.push_back(static_cast<unsigned>(std::countr_zero(touched)));
    rounds.close(number, touched_);
}

void Judgement::judge(Auditor& auditor, RoundSink& rounds) {
    // No two messages of a round are equal in all of this, so the order does not depend on the threads.
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
