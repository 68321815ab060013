#include "emulator/engine/delivery.hpp"

#include <algorithm>
#include <atomic>
#include <tuple>

#include "emulator/base/huge_vector.hpp"

namespace kport {

bool Delivery::collect(Round round, const RoundNews& news, const Places& places, bool count) {
    std::atomic<bool> too_many = false;
    crew_.for_each(places.touched, news.sent, Phase::collect, round, [&](Partition& partition) {
        partition.collect(places.busy, ranks_.alone() ? nullptr : &mail_);
        if (count && partition.count_claims(round))
            too_many.store(true, std::memory_order_relaxed);  // the barrier orders it
    });
    return too_many.load(std::memory_order_relaxed);
}

void Delivery::move(Round round, const RoundNews& news, const Places& places, bool compete) {
    keep_sent_bytes(news.sends_unheld, places, compete);
    for (Partition* partition : places.busy) partition->hand_over_mail();
    mail_.hand_over();
    if (compete)
        crew_.timed(Phase::arbitrate, round, [&] { arbiter_.serve(round, partitions_, mail_); });
    else
        accept(round, news, places);
    for (Partition* partition : places.busy) partition->clear_mail();
    mail_.clear();
    if (!arbiter_.anything_waits()) {
        world_.sent_bytes.clear();
        world_.keeps_own_bytes = false;
    }
}

/// A node that sends what it does not hold sends the bytes that it has at that time, whenever they move.
/// So is what has come from other ranks, where messages do not move as they stand in the letters.
void Delivery::keep_sent_bytes(bool unheld, const Places& places, bool compete) {
    if (unheld && world_.packets_by_number) {
        for (Partition* partition : places.busy) partition->put_packets_in_bodies();
        world_.packets_by_number = false;
        if (world_.store) world_.store->leave_places(partitions_.front()->pool());
    }
    world_.has_sent_unheld |= unheld && world_.bundles;
    world_.keeps_own_bytes |= unheld;
    if (!world_.memory.holds_bytes() || !(world_.keeps_own_bytes || compete)) return;
    const std::uint64_t packet_bytes = world_.job.collective.packet_bytes;
    for (const RankMail::Batch& batch : mail_.batches())
        for (std::size_t i = 0; i < batch.bytes.size() / packet_bytes; ++i)
            world_.sent_bytes.put(batch.messages[i].from, batch.messages[i].to,
                                  batch.bytes.subspan(i * packet_bytes, packet_bytes));
    if (!world_.keeps_own_bytes) return;
    for (const Partition* partition : places.busy)
        partition->for_each_posted([&](const Message& message) {
            world_.sent_bytes.put(message.from, message.to, {world_.memory.at(message.from), packet_bytes});
        });
}

void Delivery::accept(Round round, const RoundNews& news, const Places& places) {
    if (world_.rounds.wants_transfers()) show_moved(round, news, places);
    const auto accept = [&](const auto& serve) {
        crew_.for_each(places.touched, news.sent, Phase::accept, round, serve);
    };
    if (world_.bundles) {
        accept([&](Partition& partition) { partition.accept_sent(round); });
        accept([&](Partition& partition) { partition.accept_received(round); });
    } else {
        // A node takes the bytes of the round's lowest sender; if no rule is broken all are equal.
        accept([&](Partition& partition) {
            if (news.sends_unheld) partition.put_in_order();
            partition.accept(round);
        });
    }
    if (ranks_.alone()) return;
    for (Partition* partition : places.busy)
        partition->discard_sent([this](unsigned index) { return ranks_.owns(index); });
    mail_.discard(partitions_, false);
}

void Delivery::show_moved(Round round, const RoundNews& news, const Places& places) {
    HugeVector<Message> messages;
    messages.reserve(news.sent);
    for (const Partition* partition : places.busy)
        partition->for_each_posted([&](const Message& message) { messages.push_back(message); });
    for (const RankMail::Batch& batch : mail_.batches())
        messages.insert(messages.end(), batch.messages.begin(), batch.messages.end());
    std::sort(messages.begin(), messages.end(),
              [](const Message& a, const Message& b) { return std::tuple(a.from, a.out) < std::tuple(b.from, b.out); });
    HugeVector<FewBlocks> few(messages.size());
    HugeVector<Transfer> transfers(messages.size());
    for (std::size_t i = 0; i < messages.size(); ++i)
        transfers[i] = partitions_.front()->transfer_of(messages[i], few[i]);
    world_.rounds.moved(round, transfers);
}

void Delivery::tear_down() {
    mail_.tear_down(partitions_);
    arbiter_.discard(partitions_);
}

}  // namespace kport
